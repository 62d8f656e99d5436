//! Servers for tests: a tiny random model of the engine, or one that says what a test wants.
use crate::{
    client::{self, Answer},
    fixture::{Tiny, gguf},
    mmproj::Mmproj,
};
use reckon::{
    Ask, Finish, Generation, Guards, Message, Model, ModelInfo, OnEvent, Peers, Solver, TextModel,
    Toolboxes, engine, guards, models::Store,
};
use reckon_gguf::Format;
use reckon_server::{Loader, Running, ServerOptions, Settings, start};
use serde_json::Value;
use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A server with a home that goes away with it.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    server: Option<Running>,
    pub(crate) home: TempDir,
    load: Arc<Loader>,
}

impl House {
    /// With the tiny model under the name `tiny`.
    pub(crate) fn tiny() -> Self {
        Self::with(Settings::default())
    }

    /// With the tiny model under another name.
    pub(crate) fn named(name: &str) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let mut options = options(&home, Settings::default());
        options.model = options.model.map(|(_, path)| (name.to_owned(), path));
        Self::start(home, options)
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        Self::at(
            home,
            settings,
            Arc::new(|options, path| options.threads(2).open(path)),
        )
    }

    /// With a tiny model that sees and hears.
    pub(crate) fn with_senses() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let tiny = Tiny {
            n_ctx: 4096,
            ..Tiny::with_senses()
        };
        let (model, senses) = (
            home.path().join("seeing.gguf"),
            home.path().join("eyes.gguf"),
        );
        std::fs::write(&model, gguf(&tiny)).expect("a file");
        std::fs::write(&senses, Mmproj::with_positions(Format::F32, 48).to_vec()).expect("a file");
        Self::with_files(home, model, senses)
    }

    /// With the model of these files.
    pub(crate) fn with_files(home: TempDir, model: PathBuf, senses: PathBuf) -> Self {
        let options = ServerOptions {
            load: Arc::new(move |options, path| {
                options.threads(2).mmproj(senses.clone()).open(path)
            }),
            model: Some(("seeing".into(), model)),
            ..options(&home, Settings::default())
        };
        Self::start(home, options)
    }

    /// With a model that says this, word by word.
    pub(crate) fn saying(text: &'static str, pause: Duration) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let load: Arc<Loader> = Arc::new(move |_, _: &Path| {
            let info = ModelInfo {
                name: "tiny".into(),
                n_ctx: Some(2048),
                ..ModelInfo::default()
            };
            Ok(Model::custom(info, move || Saying { text, pause }))
        });
        Self::at(home, Settings::default(), load)
    }

    pub(crate) fn at(home: TempDir, settings: Settings, load: Arc<Loader>) -> Self {
        let options = ServerOptions {
            load,
            ..options(&home, settings)
        };
        Self::start(home, options)
    }

    pub(crate) fn start(home: TempDir, options: ServerOptions) -> Self {
        let load = Arc::clone(&options.load);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = start(listener, options).expect("a server");
        let house = Self {
            address: server.address(),
            server: Some(server),
            home,
            load,
        };
        house.wait(|| house.get("/readyz").status == 200);
        house
    }

    /// Ends the server and starts another one in the same home.
    pub(crate) fn restarted(mut self) -> Self {
        let server = self.server.take().expect("a server");
        server.stop();
        server.wait();
        let home = std::mem::replace(&mut self.home, tempfile::tempdir().expect("a directory"));
        Self::at(home, Settings::default(), Arc::clone(&self.load))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        client::get(self.address, path)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        client::post(self.address, path, body)
    }

    /// Waits until something holds.
    pub(crate) fn wait(&self, holds: impl Fn() -> bool) {
        let begin = Instant::now();
        while !holds() {
            assert!(begin.elapsed() < Duration::from_secs(300), "it never came");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A server of the tiny model, with all guards.
pub(crate) fn options(home: &TempDir, settings: Settings) -> ServerOptions {
    let path = home.path().join("tiny.gguf");
    let tiny = Tiny {
        n_ctx: 4096,
        n_layer: 2,
        ..Tiny::new("llama", Format::Q8_0)
    };
    std::fs::write(&path, gguf(&tiny)).expect("a file");
    let base = home.path().to_owned();
    let store = Store::from_env(|name| (name == "RECKON_HOME").then(|| base.clone().into()));
    let mut store = store.expect("a store");
    store.offline = true;
    ServerOptions {
        models: store,
        database: home.path().join("reckon.db"),
        model: Some(("tiny".into(), path)),
        remote: None,
        peers: Peers::default(),
        load: Arc::new(|options, path| options.threads(2).open(path)),
        guards: Guards::from(guards::all()),
        tools: Toolboxes::new(Solver::Embedded),
        settings,
    }
}

/// Says one text, word by word.
struct Saying {
    text: &'static str,
    pause: Duration,
}

impl TextModel for Saying {
    fn count(&self, messages: &[Message]) -> reckon::assistant::Result<usize> {
        Ok(messages
            .iter()
            .map(|one| one.content.split(' ').count())
            .sum())
    }

    fn generate(
        &mut self,
        ask: &Ask,
        on_event: &mut OnEvent<'_>,
    ) -> reckon::assistant::Result<Generation> {
        let mut said = Generation::default();
        let rest = self.text.strip_prefix(&*ask.prefix).unwrap_or(self.text);
        for word in rest.split_inclusive(' ') {
            thread::sleep(self.pause);
            said.text += word;
            said.usage.completion += 1;
            if on_event(engine::Event::Text(word)).is_break() {
                said.finish = Finish::Cancelled;
                break;
            }
        }
        Ok(said)
    }
}
