//! A model that answers: a file on this machine, a server elsewhere, or anything that is a [`TextModel`].
//!
//! A [`Model`] is a handle: cloning it costs nothing, and any number of chats share the weights. Each [`Chat`] of a model has
//! a KV cache of its own and computes on the thread that asks; with [`Model::shared`] all chats are answered together by one
//! thread, which is faster as soon as there are two.
use crate::{
    Chat, Endpoint, Flow, Overrides, Result, cpu, error::Error, local::Local, serve, stop::flow,
};
use reckon_assistant::{Ask, Event, JURY_TEXTS, Receipt, Sampler, Source, TextModel};
use reckon_engine::{
    Generation, Isa, LoadStep, Message, ModelOptions, Precision, PrefixStore, Priority, Request,
    Role, Sampling, Shape, TemplateOptions, Token,
};
use reckon_gguf::File;
use sha2::{Digest, Sha256};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// Bytes on the disk for the fixed parts of prompts: some 40 of them for a model of 2 billion weights.
const PREFIX_BYTES: u64 = 512 << 20;

/// A session: answers one thing at a time, and remembers what it has read.
pub type Session = Box<dyn TextModel + Send>;

/// A model that is ready to answer. Clones are handles of the same one.
///
/// ```no_run
/// # fn main() -> reckon::Result<()> {
/// let model = reckon::Model::open("qwen2.5-coder-1.5b.gguf")?;
/// let reply = model.chat().ask("Name a prime above 90.", |_| ())?;
/// println!("{}", reply.text);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Model(Arc<Inner>);

struct Inner {
    info: ModelInfo,
    backend: Backend,
    /// Where a model of this machine keeps the fixed parts of prompts.
    store: Option<Arc<PrefixStore>>,
}

enum Backend {
    Local(Arc<reckon_engine::Model>),
    Shared(Arc<reckon_engine::Model>, serve::Served),
    Remote(Endpoint),
    Custom(Box<dyn Fn() -> Session + Send + Sync>),
}

/// What there is to know about a model.
#[derive(Clone, Debug, Default)]
pub struct ModelInfo {
    /// What it is called: as it was opened, else the file's name without its ending.
    pub name: String,
    /// Its file, if it is on this machine.
    pub path: Option<PathBuf>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Sha256 of the file, if whoever opened it knew it.
    pub sha256: Option<String>,
    /// Sha256 of the chat template.
    pub template: Option<String>,
    /// Tokens of its context; a server does not tell.
    pub n_ctx: Option<usize>,
    /// Threads that it computes on.
    pub threads: usize,
    /// How it samples where nobody wants otherwise.
    pub sampling: Sampling,
    /// How long loading took.
    pub load: Duration,
}

/// A text to go on with; see [`Model::complete`].
#[derive(Clone, Debug, Default)]
pub struct Completion {
    /// Made by [`Model::prompt_of_text`] or [`Model::prompt_of_gap`].
    pub prompt: Vec<Token>,
    /// Other sampling than the model's own.
    pub sampling: Overrides,
    /// Stop after this many tokens; `None`: until the context is full.
    pub max_tokens: Option<usize>,
    /// Texts at which it is over.
    pub stop: Vec<String>,
    /// What it must look like.
    pub shape: Option<Shape>,
    /// Report how likely each token was, and so many others beside it.
    pub logprobs: Option<usize>,
}

/// How to open a model; see [`Model::options`].
#[derive(Default)]
#[must_use]
pub struct OpenOptions<'p> {
    threads: Option<usize>,
    context: Option<usize>,
    isa: Option<Isa>,
    kv: Option<Precision>,
    drafter: Option<PathBuf>,
    mmproj: Option<PathBuf>,
    name: Option<String>,
    sha256: Option<String>,
    prefixes: Option<PathBuf>,
    progress: Option<Box<dyn FnMut(LoadStep) + Send + 'p>>,
}

impl<'p> OpenOptions<'p> {
    /// Threads to run on; without, one for each physical core that we may use.
    pub fn threads(mut self, threads: impl Into<Option<usize>>) -> Self {
        self.threads = threads.into();
        self
    }

    /// Largest context in tokens; without, the model's own, at most 8192.
    pub fn context(mut self, tokens: impl Into<Option<usize>>) -> Self {
        self.context = tokens.into();
        self
    }

    /// Instructions to use; without, the fastest. The result does not depend on them.
    pub fn isa(mut self, isa: impl Into<Option<Isa>>) -> Self {
        self.isa = isa.into();
        self
    }

    /// How keys and values are kept; without, as halves. Changes the result.
    pub fn kv(mut self, kv: impl Into<Option<Precision>>) -> Self {
        self.kv = kv.into();
        self
    }

    /// The file of a drafter that was made for this model. Changes the speed, never the answers.
    pub fn drafter(mut self, path: impl Into<Option<PathBuf>>) -> Self {
        self.drafter = path.into();
        self
    }

    /// The file with the encoders that were made for this model (an `mmproj`): it sees and hears with them.
    pub fn mmproj(mut self, path: impl Into<Option<PathBuf>>) -> Self {
        self.mmproj = path.into();
        self
    }

    /// What receipts call it; without, the file's name.
    pub fn name(mut self, name: impl Into<Option<String>>) -> Self {
        self.name = name.into();
        self
    }

    /// The digest of the file, for receipts, if you have checked it: opening does not read the whole file.
    pub fn sha256(mut self, digest: impl Into<Option<String>>) -> Self {
        self.sha256 = digest.into();
        self
    }

    /// A directory for what the model makes of the fixed parts of prompts (a guard's examples), so that the next process
    /// need not read them again; of whole prompts only where [`Ask::keep`] says so. For nothing else, at most 512 MiB,
    /// open to its owner only. Changes the speed, never the answers; without, nothing is kept.
    pub fn prefixes(mut self, directory: impl Into<Option<PathBuf>>) -> Self {
        self.prefixes = directory.into();
        self
    }

    /// Called as weights become ready.
    pub fn progress(mut self, progress: impl FnMut(LoadStep) + Send + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Opens this GGUF file.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Model> {
        let begin = Instant::now();
        let path = path.as_ref();
        let options = ModelOptions {
            cpus: cpu::cpus(self.threads),
            n_ctx: self.context,
            isa: self.isa,
            kv: self.kv,
            ..ModelOptions::default()
        };
        let mut progress = self.progress.unwrap_or_else(|| Box::new(|_| ()));
        let mut model = reckon_engine::Model::load(path, &options, &mut *progress)?;
        if let Some(drafter) = self.drafter {
            model = model.with_drafter(File::open(&drafter)?)?;
        }
        if let Some(mmproj) = self.mmproj {
            model = model.with_mmproj(File::open(&mmproj)?, &mut *progress)?;
        }
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        let info = ModelInfo {
            name: self
                .name
                .unwrap_or_else(|| stem.to_string_lossy().into_owned()),
            path: Some(path.to_owned()),
            bytes: std::fs::metadata(path).map_or(0, |file| file.len()),
            sha256: self.sha256,
            template: Some(hex(&Sha256::digest(model.template().source()))),
            n_ctx: Some(model.n_ctx()),
            threads: model.threads(),
            sampling: model.sampling(),
            load: begin.elapsed(),
        };
        let store = self
            .prefixes
            .map(|path| PrefixStore::new(path, PREFIX_BYTES));
        Ok(Model(Arc::new(Inner {
            info,
            backend: Backend::Local(Arc::new(model)),
            store: store.map(Arc::new),
        })))
    }
}

impl Model {
    /// Opens a GGUF file: one thread for each core that we may use, the context and the sampling of the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(path)
    }

    /// As [`Model::open`], with other settings.
    ///
    /// ```no_run
    /// # fn main() -> reckon::Result<()> {
    /// let model = reckon::Model::options().threads(2).context(2048).open("model.gguf")?;
    /// # Ok(()) }
    /// ```
    pub fn options<'p>() -> OpenOptions<'p> {
        OpenOptions::default()
    }

    /// A model of an OpenAI-compatible server.
    pub fn remote(endpoint: Endpoint) -> Self {
        let info = ModelInfo {
            name: endpoint.model().to_owned(),
            ..ModelInfo::default()
        };
        Self::of(info, Backend::Remote(endpoint))
    }

    /// Anything that answers: `session` makes what one asker talks to. For tests, and for engines of your own.
    pub fn custom<T: TextModel + Send + 'static>(
        info: ModelInfo,
        session: impl Fn() -> T + Send + Sync + 'static,
    ) -> Self {
        Self::of(
            info,
            Backend::Custom(Box::new(move || -> Session { Box::new(session()) })),
        )
    }

    fn of(info: ModelInfo, backend: Backend) -> Self {
        Self(Arc::new(Inner {
            info,
            backend,
            store: None,
        }))
    }

    /// Another way to ask the same model.
    fn with_backend(&self, backend: Backend) -> Self {
        Self(Arc::new(Inner {
            info: self.0.info.clone(),
            backend,
            store: self.0.store.clone(),
        }))
    }

    /// A handle whose askers are answered together by one thread that ends with the last handle: at most `sequences` texts
    /// at a time, or the twelve of a full check if that is more. A server has a queue of its own: there it changes nothing.
    pub fn shared(&self, sequences: usize) -> Result<Self> {
        let Backend::Local(model) = &self.0.backend else {
            return Ok(self.clone());
        };
        let served = serve::serve(model, sequences.max(JURY_TEXTS), self.0.store.clone())
            .map_err(|error| Error::Machine(format!("cannot start a thread: {error}")))?;
        Ok(self.with_backend(Backend::Shared(model.clone(), served)))
    }

    /// A handle whose askers can wait: where the model is [`shared`](Self::shared), others go first.
    #[must_use]
    pub fn background(&self) -> Self {
        let Backend::Shared(model, served) = &self.0.backend else {
            return self.clone();
        };
        let mut served = served.clone();
        served.priority = Priority::Background;
        self.with_backend(Backend::Shared(model.clone(), served))
    }

    /// Begins a conversation.
    pub fn chat(&self) -> Chat {
        Chat::new(self.clone())
    }

    /// What there is to know about it.
    pub fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    /// The engine's model, for measuring and checking; none of a server.
    pub fn engine(&self) -> Option<&Arc<reckon_engine::Model>> {
        match &self.0.backend {
            Backend::Local(model) | Backend::Shared(model, _) => Some(model),
            Backend::Remote(_) | Backend::Custom(_) => None,
        }
    }

    /// Makes ready what the first schema, call of a tool or second answer needs, for a time in which nobody waits.
    pub fn prepare_grammars(&self) {
        if let Some(model) = self.engine() {
            model.prepare_grammars();
        }
    }

    /// What a [`Chat`] asks: one answer at a time, without guards.
    pub fn session(&self) -> Session {
        match &self.0.backend {
            Backend::Local(model) => Box::new(Local::new(model, self.0.store.clone())),
            Backend::Shared(_, served) => Box::new(served.clone()),
            Backend::Remote(endpoint) => Box::new(endpoint.clone()),
            Backend::Custom(session) => session(),
        }
    }

    /// Tokens of the prompt that a conversation becomes; estimated where a server does not tell.
    pub fn count(&self, messages: &[Message]) -> Result<usize> {
        self.count_with(messages, &TemplateOptions::default())
    }

    /// The same for a prompt that tells of tools or asks to think.
    pub fn count_with(&self, messages: &[Message], options: &TemplateOptions) -> Result<usize> {
        match self.engine() {
            Some(model) => Ok(model.prompt(messages, options)?.len()),
            None => Ok(self.session().count(messages)?),
        }
    }

    /// Tokens of a text that a person wrote: what looks like a control token stays text.
    pub fn tokenize(&self, text: &str) -> Result<Vec<Token>> {
        let model = self.engine().ok_or(Error::Unsupported("show its tokens"))?;
        Ok(model.tokenizer().encode_text(text))
    }

    /// The text of tokens.
    pub fn detokenize(&self, tokens: &[Token]) -> Result<String> {
        let model = self.engine().ok_or(Error::Unsupported("show its tokens"))?;
        Ok(model.tokenizer().decode(tokens))
    }

    /// A conversation as the model is given it: the chat template applied.
    pub fn render(&self, messages: &[Message]) -> Result<String> {
        let model = self
            .engine()
            .ok_or(Error::Unsupported("show its template"))?;
        let options = TemplateOptions::default();
        Ok(model
            .template()
            .text(model.tokenizer(), messages, &options)?)
    }

    /// The tokens of a text to go on with. The text is the caller's: control tokens in it are such.
    pub fn prompt_of_text(&self, text: &str) -> Result<Vec<Token>> {
        let model = self.engine().ok_or(Error::Unsupported("complete a text"))?;
        let tokenizer = model.tokenizer();
        let mut prompt = tokenizer.encode_template(text);
        if let Some(begin) = tokenizer.begin()
            && prompt.first() != Some(&begin)
        {
            prompt.insert(0, begin);
        }
        Ok(prompt)
    }

    /// The tokens that make a model write what is missing between two texts, if it was taught to. Nothing in the texts
    /// becomes a control token.
    pub fn prompt_of_gap(&self, before: &str, after: &str) -> Result<Option<Vec<Token>>> {
        let model = self.engine().ok_or(Error::Unsupported("fill a gap"))?;
        let tokenizer = model.tokenizer();
        let marks = ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"];
        let [Some(prefix), Some(suffix), Some(middle)] = marks.map(|mark| tokenizer.marker(mark))
        else {
            return Ok(None);
        };
        let mut prompt: Vec<Token> = tokenizer.begin().into_iter().collect();
        prompt.push(prefix);
        prompt.extend(tokenizer.encode_text(before));
        prompt.push(suffix);
        prompt.extend(tokenizer.encode_text(after));
        prompt.push(middle);
        Ok(Some(prompt))
    }

    /// Goes on with a text, without a chat template or guards.
    pub fn complete<R: Into<Flow>>(
        &self,
        completion: Completion,
        mut on_event: impl FnMut(Event<'_>) -> R,
    ) -> Result<Generation> {
        let model = self.engine().ok_or(Error::Unsupported("complete a text"))?;
        let shape = completion.shape.as_ref().map(|shape| model.grammar(shape));
        let request = Request {
            prompt: completion.prompt.into(),
            sampling: completion.sampling.apply(self.info().sampling.clone()),
            max_tokens: completion.max_tokens,
            grammar: shape.transpose()?,
            stop: completion.stop,
            logprobs: completion.logprobs,
            keep_prefix: None,
        };
        let on_event = &mut |event: reckon_engine::Event<'_>| flow(on_event(event.into()));
        Ok(match &self.0.backend {
            Backend::Shared(_, served) => served.request(request, on_event)?,
            _ => Local::new(model, None).request(request, on_event)?,
        })
    }

    /// Who answers, as receipts name it.
    pub fn source(&self) -> Source {
        let ModelInfo {
            name,
            path,
            sha256,
            template,
            ..
        } = self.info().clone();
        let endpoint = match &self.0.backend {
            Backend::Remote(endpoint) => Some(endpoint.url().to_owned()),
            _ => None,
        };
        Source {
            name,
            path,
            sha256,
            template,
            endpoint,
        }
    }

    /// Adds to a receipt of the pipeline who answered, and how.
    pub fn sign(&self, receipt: Receipt, ask: &Ask) -> Receipt {
        let system = ask.messages.iter().find(|one| one.role == Role::System);
        let own = self.engine().and_then(|model| model.default_system());
        let sampler = match &self.0.backend {
            Backend::Remote(_) => Sampler::remote,
            _ => Sampler::local,
        };
        Receipt {
            model: self.source(),
            system: system
                .map(|one| one.content.clone())
                .or(own.map(Into::into)),
            sampler: sampler(&ask.sampling, ask.max_tokens),
            version: env!("CARGO_PKG_VERSION").into(),
            isa: self.engine().map(|model| model.isa().name().into()),
            kv: self.engine().map(|model| model.kv().name().into()),
            ..receipt
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(self.info()).finish()
    }
}

pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
