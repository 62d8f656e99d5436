//! An answerer that does what the question says, and a bot that runs with it.
use crate::double::{Double, TOKEN};
use reckon_bot::{Answer, Answerer, Ask, Bot, Config, Log, Pace, Progress, Stop, Token};
use reckon_store::{Owner, State, Store};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

/// Answers with the question, the files and whose words it was shown; words of the question change that.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) asks: Mutex<Vec<Ask>>,
}

impl Answerer for Scripted {
    fn answer(
        &self,
        ask: &Ask,
        on_progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, String> {
        self.asks.lock().unwrap().push(ask.clone());
        let last = ask.turns.last().ok_or("no question")?;
        let text = reply(ask);
        if last.text.contains("please panic") {
            panic!("as asked for");
        }
        if last.text.contains("please fail") {
            return Err("I was told not to".into());
        }
        if last.text.contains("think") {
            std::thread::sleep(Duration::from_millis(200));
        }
        let slow = last.text.contains("slowly");
        let words = text.split_inclusive(' ').collect::<Vec<_>>();
        for so_far in 1..=words.len() {
            let shown = words[..so_far].concat();
            if on_progress(Progress::Text(&shown)).is_break() {
                let state = State::Stopped;
                return Ok(Answer {
                    state,
                    text: shown,
                    ..Answer::default()
                });
            }
            std::thread::sleep(if slow {
                Duration::from_millis(100)
            } else {
                Duration::from_micros(200)
            });
        }
        Ok(Answer {
            text,
            tokens: 10,
            receipt: Some(json!({ "receipt of": last.text })),
            ..Answer::default()
        })
    }

    fn models(&self) -> Vec<String> {
        vec!["small".into(), "large".into()]
    }

    fn roles(&self) -> Vec<String> {
        // One has the name of a command, which goes first.
        vec!["premium".into(), "help".into()]
    }

    fn remember(&self, owner: &Owner, text: &str) -> Option<Result<String, String>> {
        assert_ne!(*owner, Owner::local());
        Some(Ok(format!("noted: {text}")))
    }
}

/// `answer to: QUESTION` with what was attached, how many turns there were and whose tags are in them.
fn reply(ask: &Ask) -> String {
    let last = ask.turns.last().unwrap();
    if let Some((_, wanted)) = last.text.split_once("please say ") {
        return wanted.replace("\\n", "\n");
    }
    let mut tags = Vec::new();
    for turn in &ask.turns {
        let tag = |(at, _): (usize, &str)| turn.text[at..].chars().take(4).collect::<String>();
        let found = turn.text.match_indices("tag").map(tag);
        tags.extend(found.filter(|tag| tag.ends_with(|c: char| c.is_ascii_digit())));
    }
    tags.sort();
    tags.dedup();
    let files = last.attachments.iter();
    let files = files.map(|file| format!(" +{}:{}:{:?}", file.name, file.bytes.len(), file.kind));
    let files = files.collect::<String>();
    let extra = match (&ask.system, &ask.model, ask.raw) {
        (None, None, false) => String::new(),
        other => format!(" {other:?}"),
    };
    format!(
        "answer to: <{}>{files} turns:{} tags:{}{extra}",
        last.text,
        ask.turns.len(),
        tags.join(",")
    )
}

/// Everything is shown soon, so that tests are.
pub(crate) fn config(store: &Path, url: &str) -> Config {
    let pace = Pace {
        draft: Duration::from_millis(20),
        edit: Duration::from_millis(30),
        typing: Duration::from_millis(500),
        notice: Duration::from_millis(150),
        poll: Duration::from_secs(1),
        album: Duration::from_millis(250),
        doubt: Duration::from_millis(150),
    };
    let mut config = Config::new(store, Token::new(TOKEN).unwrap());
    config.api_url = url.into();
    config.pace = pace;
    config
}

/// A bot on a thread, with what it has logged.
pub(crate) struct Running {
    pub(crate) double: Double,
    pub(crate) answerer: Arc<Scripted>,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    pub(crate) config: Config,
    stop: Stop,
    thread: Option<JoinHandle<reckon_bot::Result<()>>>,
    _directory: TempDir,
}

impl Running {
    /// A bot that answers the accounts 1 to 9.
    pub(crate) fn start(change: impl FnOnce(&mut Config)) -> Self {
        Self::start_with(Double::start(), change)
    }

    pub(crate) fn start_with(double: Double, change: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut config = config(&directory.path().join("store.db"), &double.url());
        config.allow = (1..10).collect();
        let lines = log.clone();
        config.log = Log::new(move |line| lines.lock().unwrap().push(line.to_owned()));
        change(&mut config);
        let mut running = Self {
            double,
            answerer: Arc::default(),
            log,
            config,
            stop: Stop::default(),
            thread: None,
            _directory: directory,
        };
        running.restart();
        running
    }

    pub(crate) fn restart(&mut self) {
        self.stop = Stop::default();
        let (config, answerer, stop) = (
            self.config.clone(),
            self.answerer.clone(),
            self.stop.clone(),
        );
        self.thread = Some(std::thread::spawn(move || {
            Bot::run(config, answerer, &stop)
        }));
    }

    /// Ends the bot; how it ended.
    pub(crate) fn end(&mut self) -> reckon_bot::Result<()> {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap()
    }

    /// How the bot ended by itself.
    pub(crate) fn ended(&mut self) -> reckon_bot::Result<()> {
        self.thread.take().unwrap().join().unwrap()
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.config.store).unwrap()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.config.store.clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            let ended = self.end();
            if !std::thread::panicking() {
                ended.unwrap();
            }
        }
    }
}
