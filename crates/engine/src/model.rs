//! A loaded model: config, packed weights, tokenizer, chat template and the CPU it runs on.
//!
//! Read-only after `load`, so that one model is shared by any number of sessions and threads; everything that changes
//! while it answers (KV cache, buffers, sampler) is in a `Session` or a `Scheduler`.

use crate::config::{Config, Layer};
use crate::forward::Forward;
use crate::grammar::Vocabulary;
use crate::mtp::{Mtp, MtpDrafter};
use crate::prefix_store::{self, Fingerprint};
use crate::senses::Mmproj;
use crate::speculate::{Drafter, Drafting, Lookup};
use crate::state::{BATCH, MOST_BATCH, State};
use crate::thinking;
use crate::tokenizer::Tokenizer;
use crate::weights::Weights;
use crate::{
    Error, Grammar, Media, MediaKind, Message, Pixels, Prompt, Renderer, Result, Role, Sampling,
    Shape, Soft, Template, TemplateOptions, Token,
};
use reckon_gguf::File;
use reckon_kernels::{Cpu, Format, Isa, KvCache, Precision};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The context that a model gets if nobody asks for another.
const DEFAULT_CONTEXT: usize = 8192;

/// What a conversation without a system message begins with, where the template would put in a vendor's persona.
const NEUTRAL_SYSTEM: &str = "You are a helpful assistant.";

/// No context may need more memory than this; a hostile file could ask for any amount.
const MOST_MEMORY: u128 = 64 << 30;

/// How to load a model.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// CPUs to run on, one thread each; empty means one unpinned thread.
    pub cpus: Vec<usize>,
    /// Largest context in tokens; `None` takes the smaller of the model's own and 8192. A model with LongRoPE rotates by
    /// other factors in a context that is longer than its original one, so `None` takes no more than that.
    pub n_ctx: Option<usize>,
    /// Instructions to use; `None` takes the fastest.
    pub isa: Option<Isa>,
    /// Tokens of a prompt to read at once, at most 1024; `None` takes 256. Changes the speed, never the result.
    pub batch: Option<usize>,
    /// Precision of the KV cache; `None` takes halves, or full floats if the weights are. Changes the result.
    pub kv: Option<Precision>,
    /// Run every prompt token through every layer, to check the shortcut that is otherwise taken.
    pub full_prefill: bool,
    /// When tokens are guessed ahead and checked together. Changes the speed, never the answer.
    pub drafting: Drafting,
    /// Who renders chat templates; by default this process does. A file's template is a stranger's program.
    pub renderer: Renderer,
}

/// Progress of a load: `done` of `total` bytes of weights are ready.
#[derive(Clone, Copy, Debug)]
pub struct LoadStep {
    /// Bytes ready.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// A model ready to answer; read-only and shared by its sessions.
#[derive(Debug)]
pub struct Model {
    file: File,
    config: Config,
    weights: Weights,
    tokenizer: Tokenizer,
    template: Template,
    /// See `default_system`; found when it is first asked for, because it takes running the template.
    system: OnceLock<Option<&'static str>>,
    cpu: Cpu,
    n_ctx: usize,
    precision: Precision,
    batch: usize,
    shortcut: bool,
    mtp: Option<Mtp>,
    mmproj: Option<Mmproj>,
    drafting: Drafting,
    /// What grammars are compiled against, or why there is none; made when the first grammar is asked for.
    vocabulary: OnceLock<std::result::Result<Arc<Vocabulary>, String>>,
    /// What K/V on a disk must have been made by; found when it is first asked for.
    fingerprint: OnceLock<Fingerprint>,
}

impl Model {
    /// Maps the file, checks it and packs its weights. `progress` is called as weights become ready.
    pub fn load(
        path: &Path,
        options: &ModelOptions,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<Self> {
        Self::from_file(File::open(path)?, options, progress)
    }

    /// As `load`, for a file that is already open.
    pub fn from_file(
        file: File,
        options: &ModelOptions,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<Self> {
        let mut config = Config::read(&file)?;
        let precision = options.kv.unwrap_or_else(|| precision(&file));
        let n_ctx = n_ctx(&config, precision, options.n_ctx)?;
        config.settle(n_ctx);
        let cpu = Cpu::new(options.isa.unwrap_or_else(Isa::detect), &options.cpus);
        // The vocabulary keeps one core busy for a while, so it is read beside the weights.
        let (text, weights) = std::thread::scope(|scope| {
            let text = scope.spawn(|| text(&file, &config));
            let weights = Weights::load(&file, &config, &cpu.pool, progress);
            let text = text.join();
            (text.unwrap_or_else(|panic| resume_unwind(panic)), weights)
        });
        let ((tokenizer, template), weights) = (text?, weights?);
        let template = template.with_renderer(options.renderer.clone());
        Ok(Self {
            file,
            config,
            weights,
            tokenizer,
            template,
            system: OnceLock::new(),
            cpu,
            n_ctx,
            precision,
            // Sliding layers make room for one batch of at most this size beyond their window.
            batch: options.batch.unwrap_or(BATCH).clamp(1, MOST_BATCH),
            shortcut: !options.full_prefill,
            mtp: None,
            mmproj: None,
            drafting: options.drafting,
            vocabulary: OnceLock::new(),
            fingerprint: OnceLock::new(),
        })
    }

    /// Gives the model a drafter: a small file made for it (architecture `gemma4-assistant`) that guesses tokens.
    /// It changes the speed of answers, never the answers.
    pub fn with_drafter(mut self, file: File) -> Result<Self> {
        self.mtp = Some(Mtp::load(file, &self.config, &self.cpu.pool)?);
        Ok(self)
    }

    /// Gives the model its senses: the file with the encoders that were made for it (architecture `clip`). `progress` is
    /// called as weights become ready.
    pub fn with_mmproj(
        mut self,
        file: File,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<Self> {
        let config = &self.config;
        // Larger models of the family let the patches of an image see each other in the language model, too.
        if config.architecture != "gemma4" || config.n_embd_per_layer.is_none() {
            return Err(Error::Mmproj(
                "only Gemma 4 E2B and E4B can see and hear here".into(),
            ));
        }
        let width = config.n_embd;
        self.mmproj = Some(Mmproj::load(file, width, &self.cpu, progress)?);
        Ok(self)
    }

    /// Whether it has an encoder of images.
    pub fn can_see(&self) -> bool {
        self.mmproj.as_ref().is_some_and(Mmproj::can_see)
    }

    /// Whether it has an encoder of sound.
    pub fn can_hear(&self) -> bool {
        self.mmproj.as_ref().is_some_and(Mmproj::can_hear)
    }

    /// Encodes an image, for messages to this model.
    pub fn encode_image(&self, pixels: &Pixels) -> Result<Media> {
        let mmproj = self.mmproj.as_ref().ok_or(Error::NoEyes)?;
        mmproj.encode_image(&self.cpu, pixels)
    }

    /// Encodes sound, samples at 16 kHz and at most 30 seconds of them, for messages to this model.
    pub fn encode_audio(&self, samples: &[f32]) -> Result<Media> {
        let mmproj = self.mmproj.as_ref().ok_or(Error::NoEars)?;
        mmproj.encode_audio(&self.cpu, samples)
    }

    /// Architecture as the file names it, e.g. `gemma4`.
    pub fn architecture(&self) -> &str {
        &self.config.architecture
    }

    /// `general.name` of the file, if any.
    pub fn name(&self) -> Option<&str> {
        self.file.metadata().opt_str("general.name").ok().flatten()
    }

    /// The file that the model came from.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Largest number of tokens a session of this model holds.
    pub fn n_ctx(&self) -> usize {
        self.n_ctx
    }

    /// Entries of the vocabulary, as rows of the head.
    pub fn n_vocab(&self) -> usize {
        self.config.n_vocab
    }

    /// The vocabulary.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Instructions in use.
    pub fn isa(&self) -> Isa {
        self.cpu.isa
    }

    /// Precision of the KV cache.
    pub fn kv(&self) -> Precision {
        self.precision
    }

    /// Threads in use.
    pub fn threads(&self) -> usize {
        self.cpu.pool.threads()
    }

    /// Bytes of weights that one decoded token reads.
    pub fn bytes_per_token(&self) -> usize {
        self.weights.bytes(&self.config)
    }

    /// Bytes of KV cache that one decoded token reads when `depth` tokens came before it.
    pub fn context_bytes(&self, depth: usize) -> usize {
        let layer = |layer: &Layer| {
            // Layers that share a KV cache read it again, so all layers count, not only those that own one.
            let seen = layer.window.map_or(depth + 1, |n| n.min(depth + 1));
            seen * KvCache::position_bytes(self.precision, layer.kv_heads, layer.dim)
        };
        self.config.layers.iter().map(layer).sum()
    }

    /// The chat template: the file's own, or ours for its family.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// The system text of a conversation that has none of its own, if there is any.
    ///
    /// Some templates put in a persona that the person never sees ("named SmolLM, trained by …"), and small models
    /// answer worse for it. Those get this neutral line instead; all others get nothing.
    pub fn default_system(&self) -> Option<&'static str> {
        *self.system.get_or_init(|| {
            let hidden = self.template.hidden_system(&self.tokenizer);
            hidden.map(|_| NEUTRAL_SYSTEM)
        })
    }

    /// Renders a conversation with the chat template and encodes it, ready for an answer.
    pub fn prompt(&self, messages: &[Message], options: &TemplateOptions) -> Result<Prompt> {
        self.check_media(messages)?;
        let given = messages.iter().any(|message| message.role == Role::System);
        let system = if given { None } else { self.default_system() };
        let Some(system) = system else {
            return self.template.prompt(&self.tokenizer, messages, options);
        };
        let mut all = vec![Message::system(system)];
        all.extend_from_slice(messages);
        self.template.prompt(&self.tokenizer, &all, options)
    }

    /// As `prompt`, followed by the beginning of the answer, which is to go on from there: "```python\n" makes a model
    /// write a program. The prefix is plain text (no control token comes of it) and is no part of the `Generation`.
    ///
    /// Where the template leaves a block of thinking open, it is closed first, so that the answer begins with the
    /// prefix.
    pub fn prompt_with_prefix(
        &self,
        messages: &[Message],
        options: &TemplateOptions,
        prefix: &str,
    ) -> Result<Prompt> {
        let mut tokens = self.prompt(messages, options)?;
        if prefix.is_empty() {
            return Ok(tokens);
        }
        thinking::close(&self.tokenizer, &self.template, &mut tokens);
        // A plain transcript ends with "Assistant:"; the space between belongs to the answer.
        let space = match self.template.stop() {
            Some(_) => " ",
            None => "",
        };
        let text = format!("{space}{prefix}");
        tokens.extend_tokens(self.tokenizer.encode_text(&text));
        Ok(tokens)
    }

    /// Makes a grammar of what answers must look like, for requests to this model.
    ///
    /// The first one takes longer, unless [`Self::prepare_grammars`] was called.
    pub fn grammar(&self, shape: &Shape) -> Result<Arc<Grammar>> {
        Ok(Arc::new(Grammar::new(self.vocabulary()?, shape)?))
    }

    /// Sorts the vocabulary for grammars, once per model: for a time in which nobody waits. It takes half a second for
    /// 150,000 tokens; who asks for a grammar meanwhile waits for it.
    pub fn prepare_grammars(&self) {
        // Why it cannot be sorted is told to whoever asks for a grammar.
        drop(self.vocabulary());
    }

    /// What grammars are compiled against.
    pub(crate) fn vocabulary(&self) -> Result<&Arc<Vocabulary>> {
        let vocabulary = self.vocabulary.get_or_init(|| {
            let vocabulary = Vocabulary::new(&self.tokenizer);
            vocabulary.map(Arc::new).map_err(|error| error.to_string())
        });
        vocabulary
            .as_ref()
            .map_err(|why| Error::Grammar(why.clone()))
    }

    /// The sampling that the file recommends, else ours for its family.
    pub fn sampling(&self) -> Sampling {
        Sampling::from_gguf(&self.file)
    }

    pub(crate) fn forward(&self) -> Forward<'_> {
        Forward {
            file: &self.file,
            config: &self.config,
            weights: &self.weights,
            cpu: &self.cpu,
            shortcut: self.shortcut,
        }
    }

    pub(crate) fn mtp(&self) -> Option<&Mtp> {
        self.mtp.as_ref()
    }

    pub(crate) fn state(&self) -> State {
        State::new(&self.config, self.precision, self.n_ctx)
    }

    /// Changes with anything that K/V depend on: weights, architecture, precision, and the code that computes them.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint
            .get_or_init(|| prefix_store::fingerprint(&self.file, &self.config, self.precision))
    }

    pub(crate) fn n_embd(&self) -> usize {
        self.config.n_embd
    }

    /// When tokens are guessed. A guess that falls is stepped back from, which delta layers cannot.
    pub(crate) fn drafting(&self) -> Drafting {
        match self.config.delta {
            Some(_) => Drafting::Never,
            None => self.drafting,
        }
    }

    /// Whoever guesses the tokens of a new sequence.
    pub(crate) fn drafter(&self) -> Box<dyn Drafter> {
        match self.mtp {
            Some(_) => Box::new(MtpDrafter::default()),
            None => Box::new(Lookup::default()),
        }
    }

    pub(crate) fn batch(&self) -> usize {
        self.batch
    }

    /// Whether so many tokens have room.
    pub(crate) fn fits(&self, asked: usize) -> Result<()> {
        let allowed = self.n_ctx;
        if asked > allowed {
            return Err(Error::ContextFull { asked, allowed });
        }
        Ok(())
    }

    /// Whether a grammar was made for this model.
    pub(crate) fn made(&self, grammar: &Grammar) -> Result<()> {
        let vocabulary = self.vocabulary.get().and_then(|made| made.as_ref().ok());
        match grammar.is_for(vocabulary) {
            true => Ok(()),
            false => Err(Error::Grammar("it was made for another model".into())),
        }
    }

    /// Whether the model has the senses that the messages take.
    fn check_media(&self, messages: &[Message]) -> Result<()> {
        for media in messages.iter().flat_map(|message| &message.media) {
            match media.kind {
                MediaKind::Image if !self.can_see() => return Err(Error::NoEyes),
                MediaKind::Audio if !self.can_hear() => return Err(Error::NoEars),
                _ => self.check_soft(&media.soft)?,
            }
        }
        Ok(())
    }

    fn check_soft(&self, soft: &Soft) -> Result<()> {
        let (width, wanted) = (soft.width(), self.config.n_embd);
        match width == wanted {
            true => Ok(()),
            false => Err(Error::Media(format!(
                "soft tokens are {width} wide, this model's are {wanted}"
            ))),
        }
    }

    /// Whether every token is in the vocabulary, and soft ones are for this model.
    pub(crate) fn check_prompt(&self, prompt: &Prompt) -> Result<()> {
        if prompt.is_soft() && self.mmproj.is_none() {
            return Err(Error::NoEyes);
        }
        prompt.soft().try_for_each(|soft| self.check_soft(soft))?;
        self.check(prompt)
    }

    pub(crate) fn check(&self, tokens: &[Token]) -> Result<()> {
        let n_vocab = self.n_vocab();
        match tokens.iter().find(|&&token| token as usize >= n_vocab) {
            Some(&token) => Err(Error::Token { token, n_vocab }),
            None => Ok(()),
        }
    }
}

/// What turns text into tokens and back.
fn text(file: &File, config: &Config) -> Result<(Tokenizer, Template)> {
    let tokenizer = Tokenizer::from_gguf(file)?;
    // Fewer words than rows is normal (rows are padded); more would read beyond the table.
    if tokenizer.n_vocab() > config.n_vocab {
        let (words, rows) = (tokenizer.n_vocab(), config.n_vocab);
        return Err(Error::Model(format!(
            "{words} entries in the vocabulary, but {rows} rows of embeddings"
        )));
    }
    let template = Template::from_gguf(file, &tokenizer);
    let template = template.unwrap_or_else(|error| Template::unusable(error.to_string()));
    Ok((tokenizer, template))
}

/// The KV cache holds halves, unless the weights are full floats: a file that nobody rounded is run unrounded.
fn precision(file: &File) -> Precision {
    let is_full = |name| {
        let tensor = file.opt_tensor(name);
        tensor.is_some_and(|tensor| tensor.info.format == Format::F32)
    };
    match is_full("blk.0.attn_k.weight") || is_full("blk.0.attn_qkv.weight") {
        true => Precision::Full,
        false => Precision::Half,
    }
}

fn n_ctx(config: &Config, precision: Precision, asked: Option<usize>) -> Result<usize> {
    let n_ctx = match asked {
        Some(n) if n == 0 || n > config.n_ctx => {
            let most = config.n_ctx;
            return Err(Error::Model(format!(
                "a context of {n} tokens was asked for, this model has 1 to {most}"
            )));
        }
        Some(n) => n,
        // Where a longer context rotates by other factors (LongRoPE), nobody gets those without asking.
        None => config
            .n_ctx_short()
            .unwrap_or(DEFAULT_CONTEXT)
            .min(DEFAULT_CONTEXT)
            .min(config.n_ctx),
    };
    // Asked before anything is allocated: the numbers come from a file that nobody trusts.
    let bytes = State::bytes(config, precision, n_ctx);
    if bytes > MOST_MEMORY {
        return Err(Error::Model(format!(
            "a context of {n_ctx} tokens needs {} GB of memory",
            bytes >> 30
        )));
    }
    Ok(n_ctx)
}
