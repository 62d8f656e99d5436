//! A conversation into the tokens of a prompt, by the chat template that the GGUF file carries.
//!
//! Called by `Model::prompt`. The template is rendered as Hugging Face renders it (`trim_blocks`, `lstrip_blocks`,
//! Python's string methods, `tojson`, `raise_exception`, `strftime_now`) and the text is encoded with control tokens
//! recognised. BOS stands at the beginning exactly once where the model wants it.
//!
//! What people wrote cannot become a control token: before rendering, a guard (a private-use character that occurs
//! nowhere in the conversation) is put next to every character that a marker begins or ends with; after the rendered
//! text is cut at control tokens, the guards are taken out. So templates that look for markers inside a message, as some
//! do to drop old thinking, find none: give messages without thinking.
//!
//! A file's template is untrusted: source size, instructions, recursion and output size are bounded. Not bounded is the
//! length of a string that a template builds by doubling it over and over; minijinja has no limit for that.
mod pinned;
mod python;

use crate::{Error, Message, Result, Role, Token, Tokenizer};
use minijinja::{Environment, UndefinedBehavior, Value, syntax::SyntaxConfig};
use std::{
    io::{self, Write},
    time::{SystemTime, UNIX_EPOCH},
};

/// Longest template source, in bytes. The longest published ones are around 30 KB.
const MAX_SOURCE: usize = 1 << 18;
/// Instructions of a rendering, and more for each message. Real templates take some hundreds for a message.
const FUEL: u64 = 100_000;
const FUEL_PER_MESSAGE: u64 = 5_000;
/// Bytes of a rendered prompt besides three times the conversation's own.
const MAX_OVERHEAD: usize = 1 << 20;
/// What `strftime_now` says if the caller gives no time: prompts do not depend on the day by accident. (2024-07-26)
const FIXED_TIME: u64 = 1_721_952_000;

/// How a conversation is rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateOptions {
    /// Ask the model to think before it answers, if its template knows how.
    pub thinking: bool,
    /// The time that templates may mention; `None` keeps prompts the same on every day.
    pub now: Option<SystemTime>,
}

/// A chat template, parsed and ready.
#[derive(Debug)]
pub struct Template {
    env: Environment<'static>,
    source: String,
    is_own: bool,
    stop: Option<&'static str>,
}

impl Template {
    /// The file's template, or the one of ours that fits its vocabulary.
    pub fn from_gguf(file: &reckon_gguf::File, tokenizer: &Tokenizer) -> Result<Self> {
        let meta = file.metadata();
        if let Some(source) = meta.opt_str("tokenizer.chat_template")? {
            return Self::parse(source, true, None);
        }
        let named = |key| meta.opt_str(key).ok().flatten().is_some_and(is_instruct);
        let names = ["general.name", "general.basename", "general.finetune"];
        let pinned = pinned::choose(tokenizer, names.into_iter().any(named));
        Self::parse(pinned.source, false, pinned.stop)
    }

    /// A template from its source, as if a file carried it.
    pub fn new(source: &str) -> Result<Self> {
        Self::parse(source, true, None)
    }

    fn parse(source: &str, is_own: bool, stop: Option<&'static str>) -> Result<Self> {
        if source.len() > MAX_SOURCE {
            let len = source.len();
            return Err(Error::Template(format!(
                "{len} bytes long, {MAX_SOURCE} allowed"
            )));
        }
        let mut env = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        env.set_syntax(syntax.map_err(|e| explain(&e))?);
        env.set_undefined_behavior(UndefinedBehavior::Lenient);
        env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        env.set_recursion_limit(200);
        env.add_function("raise_exception", python::raise_exception);
        env.add_filter("tojson", python::tojson);
        env.add_template_owned("chat", source.to_owned())
            .map_err(|e| explain(&e))?;
        Ok(Self {
            env,
            source: source.to_owned(),
            is_own,
            stop,
        })
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

    /// The tokens of a conversation, up to where the answer begins.
    pub fn prompt(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
    ) -> Result<Vec<Token>> {
        let guard = self.unused_char(messages)?;
        let text = self.render(tokenizer, messages, options, Some(guard))?;
        let mut tokens = tokenizer.encode_guarded(&text, Some(guard));
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
        self.render(tokenizer, messages, options, None)
    }

    /// The system text that the template puts in by itself if a conversation has none: a persona that nobody asked for.
    ///
    /// Found by rendering a conversation with and without a system message: what stands where the message would stand.
    pub fn hidden_system(&self, tokenizer: &Tokenizer) -> Option<String> {
        const MARK: &str = "\u{10fffd}";
        let message = |role, content: &str| Message {
            role,
            content: content.to_owned(),
        };
        let user = message(Role::User, "hello");
        let options = TemplateOptions::default();
        let without = self.text(tokenizer, std::slice::from_ref(&user), &options);
        let with = self.text(tokenizer, &[message(Role::System, MARK), user], &options);
        let (without, with) = (without.ok()?, with.ok()?);
        let (before, after) = with.split_once(MARK)?;
        let hidden = without.strip_prefix(before)?.strip_suffix(after)?.trim();
        (!hidden.is_empty()).then(|| hidden.to_owned())
    }

    fn render(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        options: &TemplateOptions,
        guard: Option<char>,
    ) -> Result<String> {
        let total: usize = messages.iter().map(|m| m.content.len()).sum();
        let mut out = Bounded {
            bytes: Vec::new(),
            left: MAX_OVERHEAD + 3 * total,
        };
        let mut env = self.env.clone();
        env.set_fuel(Some(FUEL + FUEL_PER_MESSAGE * messages.len() as u64));
        self.add_clock(&mut env, options.now);
        let template = env.get_template("chat").map_err(|e| explain(&e))?;
        template
            .render_captured_to(context(tokenizer, messages, options, guard), &mut out)
            .map_err(|e| explain(&e))?;
        String::from_utf8(out.bytes).map_err(|_| Error::Template("wrote invalid UTF-8".into()))
    }

    /// Templates that ask whether there is a clock have a default of their own for when there is none.
    fn add_clock(&self, env: &mut Environment<'_>, now: Option<SystemTime>) {
        if now.is_none() && self.source.contains("strftime_now is defined") {
            return;
        }
        let since = now.map(|now| now.duration_since(UNIX_EPOCH).unwrap_or_default());
        let seconds = since.map_or(FIXED_TIME, |since| since.as_secs());
        env.add_function("strftime_now", move |format: &str| {
            python::strftime(seconds, format)
        });
    }

    /// A private-use character that neither the conversation nor the template uses.
    fn unused_char(&self, messages: &[Message]) -> Result<char> {
        let texts = || {
            let contents = messages.iter().map(|m| &*m.content);
            contents.chain([&*self.source])
        };
        let mut used: Vec<char> = texts()
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

fn context(
    tokenizer: &Tokenizer,
    messages: &[Message],
    options: &TemplateOptions,
    guard: Option<char>,
) -> Value {
    let text = |token: Option<Token>| {
        let bytes = token.map_or(&[][..], |token| tokenizer.piece_with_control(token));
        String::from_utf8_lossy(bytes).into_owned()
    };
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let content = match guard {
                Some(guard) => tokenizer.guard_text(&message.content, guard),
                None => message.content.clone(),
            };
            Value::from_pairs([
                ("role", Value::from(role)),
                ("content", Value::from(content)),
            ])
        })
        .collect();
    Value::from_pairs([
        ("messages", Value::from(messages)),
        ("add_generation_prompt", Value::from(true)),
        ("enable_thinking", Value::from(options.thinking)),
        ("bos_token", Value::from(text(tokenizer.bos()))),
        ("eos_token", Value::from(text(tokenizer.eos()))),
    ])
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

/// The template's own words, and where.
fn explain(error: &minijinja::Error) -> Error {
    let what = match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    };
    let what = what.replace(['\n', '\r'], " ");
    Error::Template(match error.line() {
        Some(line) => format!("{what} (line {line})"),
        None => what,
    })
}

/// Refuses to grow beyond its bound.
struct Bounded {
    bytes: Vec<u8>,
    left: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self
            .left
            .checked_sub(bytes.len())
            .ok_or_else(|| io::Error::other("the prompt grew too large"))?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
