//! The text of `--model` in, a loaded model with an empty session out, with a progress bar on stderr.
//!
//! `chat` and `ask` come through here, so both find, load and name a model in the same way and sample from it with
//! the same settings. The bar is there only when stderr is a terminal.
use crate::{
    Context,
    cli::{MachineArgs, SamplingArgs},
    cpu,
    facts::Facts,
    models,
};
use indicatif::{ProgressBar, ProgressStyle};
use reckon_assistant::{Ask, OnEvent, TextModel};
use reckon_engine::{
    Finish, Generation, LoadStep, Message, Model, ModelOptions, Request, Sampling, Session,
    TemplateOptions,
};
use reckon_gguf::File;
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// A model that is ready to answer, and what it has read so far.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) model: Arc<Model>,
    pub(crate) session: Session,
    /// Catalogue name, or the file's name without its ending.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) threads: usize,
    pub(crate) time: Duration,
}

/// Finds the model; the first run may fetch the default one and says so on stderr.
pub(crate) fn find(model: Option<&str>, context: &Context) -> anyhow::Result<PathBuf> {
    models::locate(model, context)
}

/// Loads the file; `asked` is what the person called it.
pub(crate) fn load(
    path: &Path,
    asked: Option<&str>,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Loaded> {
    load_with_drafter(path, asked, None, machine, context)
}

/// As `load`, with the drafter of that file, if one is named.
pub(crate) fn load_with_drafter(
    path: &Path,
    asked: Option<&str>,
    drafter: Option<&Path>,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Loaded> {
    let begin = Instant::now();
    let options = ModelOptions {
        cpus: cpu::cpus(machine.threads),
        n_ctx: machine.ctx,
        isa: context.isa,
        kv: machine.kv,
        ..ModelOptions::default()
    };
    let bar = bar();
    let model = Model::load(path, &options, &mut |LoadStep { done, total }| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let mut model = model?;
    if let Some(drafter) = drafter {
        model = model.with_drafter(File::open(drafter)?)?;
    }
    let model = Arc::new(model);
    Ok(Loaded {
        session: Session::new(model.clone()),
        name: name(path, asked),
        path: path.to_owned(),
        bytes: std::fs::metadata(path).map_or(0, |file| file.len()),
        threads: model.threads(),
        time: begin.elapsed(),
        model,
    })
}

/// The model's own sampling, changed by what the command line says. Without `--seed` one is drawn.
pub(crate) fn sampling(own: Sampling, args: &SamplingArgs) -> Sampling {
    let temperature = if args.greedy {
        Some(0.0)
    } else {
        args.temperature
    };
    Sampling {
        temperature: temperature.unwrap_or(own.temperature),
        top_k: args.top_k.unwrap_or(own.top_k),
        top_p: args.top_p.unwrap_or(own.top_p),
        min_p: args.min_p.unwrap_or(own.min_p),
        repetition_penalty: args.repetition_penalty.unwrap_or(own.repetition_penalty),
        penalty_window: own.penalty_window,
        seed: args.seed.unwrap_or_else(drawn_seed),
    }
}

/// A seed nobody chose: the standard library's random keys, short enough to be an exact number in any JSON reader.
fn drawn_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}

fn name(path: &Path, asked: Option<&str>) -> String {
    match asked {
        Some(asked) if !Path::new(asked).exists() => asked.to_owned(),
        _ => path
            .file_stem()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned(),
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("loading {bar:30} {bytes} of {total_bytes}");
    let bar = ProgressBar::new(0);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

impl Loaded {
    /// What there is to know about it.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            name: self.name.clone(),
            path: self.path.clone(),
            bytes: self.bytes,
            n_ctx: self.model.n_ctx(),
            threads: self.threads,
            sampling: self.model.sampling(),
        }
    }
}

/// Why an answer ended, in one word.
pub(crate) fn finish_name(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::Context => "context",
        Finish::Cancelled => "cancelled",
        Finish::Grammar => "grammar",
    }
}

/// Tokens of the prompt that a conversation becomes.
pub(crate) fn count(model: &Model, messages: &[Message]) -> reckon_engine::Result<usize> {
    let prompt = model.prompt(messages, &TemplateOptions::default())?;
    Ok(prompt.len())
}

/// What the engine is asked for.
pub(crate) fn request(model: &Model, ask: &Ask) -> reckon_engine::Result<Request> {
    Ok(Request {
        prompt: model.prompt_with_prefix(
            &ask.messages,
            &TemplateOptions::default(),
            &ask.prefix,
        )?,
        sampling: ask.sampling.clone(),
        max_tokens: ask.max_tokens,
        grammar: ask
            .shape
            .as_ref()
            .map(|shape| model.grammar(shape))
            .transpose()?,
    })
}

impl TextModel for Loaded {
    fn count(&self, messages: &[Message]) -> reckon_engine::Result<usize> {
        count(&self.model, messages)
    }

    fn generate(
        &mut self,
        ask: &Ask,
        on_event: &mut OnEvent<'_>,
    ) -> reckon_engine::Result<Generation> {
        let request = request(&self.model, ask)?;
        self.session.generate(&request, on_event)
    }
}
