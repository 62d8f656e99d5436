//! Turns a conversation into the tokens of a prompt, by the chat template that the GGUF file carries.
//!
//! Called by `Model::prompt`. The template is rendered (`render`) and the text is encoded with control tokens recognised.
//! BOS stands at the beginning exactly once where the model wants it.
//!
//! What people wrote cannot become a control token: before rendering, a guard (a private-use character that occurs
//! nowhere in the conversation) is put next to every character that a marker begins or ends with; after the rendered
//! text is cut at control tokens, the guards are taken out. So templates that look for markers inside a message, as some
//! do to drop old thinking, find none: give messages without thinking. Who renders does not matter for this: the guards
//! are put in before, and found after. Tools, calls and their results are guarded like messages (`context`); templates
//! that know no tools get them as plain text (`tools`). Images and sound take the places of placeholders (`media`).
//!
//! A template is only looked at when a conversation is rendered: a file whose template cannot be used still loads.
mod budget;
mod compile;
mod context;
mod filters;
mod media;
mod pinned;
mod python;
mod render;
mod render_thread;
mod tools;

use crate::tool_call::{self, ToolStyle};
use crate::{Error, Message, Prompt, Result, Token, Tokenizer, Tool};
use serde_json::{Map, Value};
use std::sync::OnceLock;
use std::time::SystemTime;
use tools::ToolFormat;

pub use render::{Renderer, render};

/// How a conversation is rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateOptions {
    /// Ask the model to think before it answers, if its template knows how.
    pub thinking: bool,
    /// The time that templates may mention; `None` keeps prompts the same on every day.
    pub now: Option<SystemTime>,
    /// The tools that the model is told about.
    pub tools: Vec<Tool>,
    /// More variables for the template (`chat_template_kwargs`). They may replace `enable_thinking`, and null takes a
    /// variable away, as if nobody had said anything about it; the conversation, the tools and the tokens are not theirs.
    pub kwargs: Map<String, Value>,
}

/// A chat template.
#[derive(Debug)]
pub struct Template {
    source: String,
    is_own: bool,
    /// Why the file's template is no text at all.
    problem: Option<String>,
    stop: Option<&'static str>,
    renderer: Renderer,
    /// How it deals with tools; found when it is first asked for, because it takes running the template.
    tools: OnceLock<ToolFormat>,
}

impl Template {
    /// The file's template, or the one of ours that fits its vocabulary.
    pub fn from_gguf(file: &reckon_gguf::File, tokenizer: &Tokenizer) -> Result<Self> {
        let meta = file.metadata();
        if let Some(source) = meta.opt_str("tokenizer.chat_template")? {
            return Ok(Self::new(source));
        }
        let named = |key| meta.opt_str(key).ok().flatten().is_some_and(is_instruct);
        let names = ["general.name", "general.basename", "general.finetune"];
        let pinned = pinned::choose(tokenizer, names.into_iter().any(named));
        Ok(Self {
            is_own: false,
            stop: pinned.stop,
            ..Self::new(pinned.source)
        })
    }

    /// Stands for a template that cannot even be read: every conversation gives this error, everything else works.
    pub(crate) fn unusable(problem: String) -> Self {
        Self {
            problem: Some(problem),
            ..Self::new("")
        }
    }

    /// A template from its source, as if a file carried it.
    pub fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            is_own: true,
            problem: None,
            stop: None,
            renderer: Renderer::default(),
            tools: OnceLock::new(),
        }
    }

    /// The same template, rendered by somebody else.
    #[must_use]
    pub fn with_renderer(self, renderer: Renderer) -> Self {
        Self { renderer, ..self }
    }

    /// The template's source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the file carries it; otherwise it is one of ours.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// Text at which an answer is over although no end token came: base models, given a transcript, write the person's
    /// next line themselves.
    pub fn stop(&self) -> Option<&'static str> {
        self.stop
    }

    /// Whether the template tells the model about tools itself, in a way that is understood here. Where it does not, a
    /// plain text of ours does, as a part of the system message.
    pub fn knows_tools(&self, tokenizer: &Tokenizer) -> bool {
        self.tool_format(tokenizer).native
    }

    /// How a model that was given this template's prompts writes calls.
    pub fn tool_style(&self, tokenizer: &Tokenizer) -> ToolStyle {
        self.tool_format(tokenizer).style
    }

    /// The tokens of a conversation, up to where the answer begins, and the soft tokens of its images and sound.
    pub fn prompt(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
    ) -> Result<Prompt> {
        tool_call::check(&options.tools)?;
        let guard = Some(self.unused_char(tokenizer, messages, options)?);
        let media = media::of(messages);
        let tokens = |parts| {
            let marks = Marks { guard, parts };
            self.tokens(tokenizer, messages, options, marks)
        };
        if media.is_empty() {
            return Ok(tokens(true)?.into());
        }
        let placed = |parts| media::place(tokenizer, &tokens(parts)?, &media);
        // A template that knows no parts fails on them, or leaves them out.
        placed(true).or_else(|error| placed(false).map_err(|_| error))
    }

    fn tokens(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
        marks: Marks,
    ) -> Result<Vec<Token>> {
        let text = self.render(tokenizer, messages, options, marks)?;
        let mut tokens = tokenizer.encode_guarded(&text, marks.guard);
        if let Some(bos) = tokenizer.bos() {
            let given = tokens.iter().take_while(|&&token| token == bos).count();
            let wanted = usize::from(given > 0 || tokenizer.begin().is_some());
            tokens.splice(..given, std::iter::repeat_n(bos, wanted));
        }
        Ok(tokens)
    }

    /// The text of a conversation as the model is given it; for people to look at.
    pub fn text(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
    ) -> Result<String> {
        let marks = |parts| Marks { guard: None, parts };
        let render = |parts| self.render(tokenizer, messages, options, marks(parts));
        render(true).or_else(|error| render(false).map_err(|_| error))
    }

    /// The system text that the template puts in by itself if a conversation has none: a persona that nobody asked for.
    ///
    /// Found by rendering a conversation with and without a system message: what stands where the message would stand.
    pub fn hidden_system(&self, tokenizer: &Tokenizer) -> Option<String> {
        const MARK: &str = "\u{10fffd}";
        let user = Message::user("hello");
        let options = TemplateOptions::default();
        let without = self.text(tokenizer, std::slice::from_ref(&user), &options);
        let without = without.ok()?;
        let with = self.text(tokenizer, &[Message::system(MARK), user], &options);
        let with = with.ok()?;
        let (before, after) = with.split_once(MARK)?;
        let hidden = without.strip_prefix(before)?.strip_suffix(after)?.trim();
        (!hidden.is_empty()).then(|| hidden.to_owned())
    }

    fn render(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
        marks: Marks,
    ) -> Result<String> {
        if !tools::concerns(messages, options) {
            return self.render_with(tokenizer, messages, options, marks, false);
        }
        let format = self.tool_format(tokenizer);
        if format.native {
            return self.render_with(tokenizer, messages, options, marks, format.responses);
        }
        let told = tools::describe(messages, &options.tools);
        let options = TemplateOptions {
            tools: Vec::new(),
            ..options.clone()
        };
        let render =
            |messages: &[Message]| self.render_with(tokenizer, messages, &options, marks, false);
        // Some templates refuse a system message.
        render(&told).or_else(|error| render(&tools::without_system(&told)).map_err(|_| error))
    }

    /// Renders what the template is given, without help of ours.
    fn render_with(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
        marks: Marks,
        responses: bool,
    ) -> Result<String> {
        if let Some(problem) = &self.problem {
            return Err(Error::Template(problem.clone()));
        }
        let context = context::context(tokenizer, messages, options, marks, responses)?;
        self.renderer
            .render(&self.source, context.to_string().as_bytes())
            .map_err(Error::Template)
    }

    fn tool_format(&self, tokenizer: &Tokenizer) -> ToolFormat {
        *self.tools.get_or_init(|| tools::probe(self, tokenizer))
    }

    /// A private-use character that neither the conversation nor the template uses.
    fn unused_char(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
    ) -> Result<char> {
        // JSON writes all characters of this range as they are.
        let context = context::context(tokenizer, messages, options, Marks::NONE, false)?;
        let context = context.to_string();
        let mut used: Vec<char> = [&*self.source, &context]
            .into_iter()
            .flat_map(str::chars)
            .filter(|&c| c >= '\u{100000}')
            .collect();
        used.sort_unstable();
        used.dedup();
        let mut candidates = '\u{100000}'..='\u{10fffd}';
        candidates
            .find(|c| used.binary_search(c).is_err())
            .ok_or_else(|| Error::Template("the messages use every private character".into()))
    }
}

/// How what people gave us is marked for a rendering.
#[derive(Clone, Copy, Debug)]
struct Marks {
    /// Goes into all text that is not ours; `None` where people look at the result.
    guard: Option<char>,
    /// Whether messages with images or sound are lists of parts; otherwise their placeholders stand in the text.
    parts: bool,
}

impl Marks {
    const NONE: Self = Self {
        guard: None,
        parts: true,
    };
}

/// Whether a name says that the model was taught to chat.
fn is_instruct(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| {
            ["it", "instruct", "chat"]
                .iter()
                .any(|w| word.eq_ignore_ascii_case(w))
        })
}
