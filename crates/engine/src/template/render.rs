//! Renders a chat template: its source and a conversation as JSON in, text or the reason why not out.
//!
//! [`render`] is a pure function of its arguments, so that a locked child process can run it; [`Renderer`] says who
//! does. Called by `Template`. It renders as Hugging Face does (`trim_blocks`, `lstrip_blocks`, Python's string
//! methods, `tojson`, `raise_exception`, `strftime_now`), on a thread with a large stack (`render_thread`).
//!
//! A file's template is a stranger's program. Bounded are its source (`compile`), its instructions (`FUEL`), the size,
//! depth and sum of all values it makes and its time (`budget`), calls within calls, and the text that comes out.
use super::render_thread::{RenderThread, Shared};
use super::{budget::Budget, compile, filters, python};
use minijinja::machinery::{Instructions, eval, make_string_output};
use minijinja::value::Kwargs;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Instructions of a rendering, and more for each message. Real templates take some hundreds for a message.
const FUEL: u64 = 300_000;
const FUEL_PER_MESSAGE: u64 = 15_000;
/// And for each value inside a tool's schema or the arguments of a call; templates go through these one by one.
const FUEL_PER_PART: u64 = 500;
const MAX_FUEL: u64 = 50_000_000;
/// Bytes of a rendered prompt besides three times the conversation's own.
const MAX_OVERHEAD: usize = 1 << 20;
/// Longest reason that is passed on, in characters.
const MAX_REASON: usize = 300;
/// What `strftime_now` says if the caller gives no time: prompts do not depend on the day by accident. (2024-07-26)
const FIXED_TIME: u64 = 1_721_952_000;

/// Who renders chat templates: source and context in, text or the reason why not out.
#[derive(Clone)]
pub struct Renderer(Arc<Render>);

type Render = dyn Fn(&str, &[u8]) -> Result<String, String> + Send + Sync;

impl Renderer {
    /// Hands rendering to `render`, which should give what [`render`] gives, e.g. by running it in a locked process.
    pub fn new(
        render: impl Fn(&str, &[u8]) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(render))
    }

    /// The text of a conversation.
    pub(super) fn render(&self, source: &str, context: &[u8]) -> Result<String, String> {
        (self.0)(source, context)
    }
}

impl Default for Renderer {
    /// Renders in this process. The template stays compiled for the next conversation.
    fn default() -> Self {
        let shared = Shared::default();
        Self::new(move |source, context| shared.render(source, parsed(context)?))
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Renderer")
    }
}

/// Renders a template. `context` is a JSON object: its keys are the template's variables (`messages`, `tools`,
/// `add_generation_prompt`, …), but `now` is the time for `strftime_now` in seconds since 1970, or null.
///
/// Never panics, whatever the template says; the error is one line.
pub fn render(source: &str, context: &[u8]) -> Result<String, String> {
    RenderThread::start(source)?.render(parsed(context)?)
}

fn parsed(context: &[u8]) -> Result<Json, String> {
    serde_json::from_slice(context).map_err(|error| format!("no context: {error}"))
}

/// A template that is ready to be rendered; its names are parts of the text that `compile::prepare` made of its source.
pub(super) struct Program<'s> {
    source: &'s str,
    instructions: Instructions<'s>,
}

impl<'s> Program<'s> {
    pub(super) fn new(source: &'s str, prepared: &'s str) -> Result<Self, String> {
        let instructions = compile::compile(prepared).map_err(|error| explain(&error))?;
        Ok(Self {
            source,
            instructions,
        })
    }

    /// The text of a conversation. Parsing and rendering take a large stack.
    pub(super) fn render(&self, context: &Json) -> Result<String, String> {
        let messages = context["messages"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let contents = messages.iter().filter_map(|m| m["content"].as_str());
        // A content in parts counts by its parts.
        let parts = messages.iter().filter_map(|m| m.get("content"));
        let parts = parts.filter(|content| content.is_array());
        let calls = messages.iter().filter_map(|m| m.get("tool_calls"));
        let answers = messages.iter().filter_map(|m| m.get("tool_responses"));
        let mut tools = Size::default();
        calls
            .chain(answers)
            .chain(parts)
            .chain(context.get("tools"))
            .for_each(|json| tools.add(json));
        let total = contents.map(str::len).sum::<usize>() + tools.bytes;
        let now = context["now"].as_u64();
        let budget = Budget::new(total);
        let parts = FUEL_PER_PART.saturating_mul(tools.parts as u64);
        let env = environment(&budget, now, self.source, messages.len(), parts);
        let variables = context.as_object().into_iter().flatten();
        let root = variables
            .filter(|(key, _)| *key != "now")
            .map(|(key, json)| (key.as_str(), value(json)));
        let (mut text, blocks) = (String::new(), BTreeMap::new());
        eval(
            &env,
            &self.instructions,
            Value::from_pairs(root),
            &blocks,
            &mut make_string_output(&mut text),
            AutoEscape::None,
        )
        .map_err(|error| explain(&error))?;
        if text.len() > MAX_OVERHEAD + 3 * total {
            return Err("the prompt grew too large".to_owned());
        }
        Ok(text)
    }
}

/// What `Program::new` takes, of a template's source.
pub(super) fn prepared(source: &str) -> Result<String, String> {
    compile::prepare(source).map_err(|error| explain(&error))
}

fn environment(
    budget: &Arc<Budget>,
    now: Option<u64>,
    source: &str,
    messages: usize,
    more: u64,
) -> Environment<'static> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Lenient);
    env.set_recursion_limit(200);
    let fuel = FUEL.saturating_add(FUEL_PER_MESSAGE.saturating_mul(messages as u64));
    env.set_fuel(Some(fuel.saturating_add(more).min(MAX_FUEL)));
    budget.register(&mut env);
    filters::register(&mut env, budget);
    env.add_function("raise_exception", python::raise_exception);
    // The built-in test divides by zero, which panics.
    env.add_test("divisibleby", |value: i64, by: i64| {
        value.checked_rem(by) == Some(0)
    });
    // Python cannot iterate over None; templates ask so whether there are tools.
    env.add_test("iterable", |value: &Value| {
        !value.is_none() && value.try_iter().is_ok()
    });
    let own = Arc::clone(budget);
    env.add_filter("tojson", move |value: Value, options: Kwargs| {
        own.size(&value)?;
        let json = python::tojson(&value, options)?;
        own.string(json.len()).map(|()| json)
    });
    // Templates that ask whether there is a clock have a default of their own for when there is none.
    if now.is_some() || !source.contains("strftime_now is defined") {
        let seconds = now.unwrap_or(FIXED_TIME);
        env.add_function("strftime_now", move |format: &str| {
            python::strftime(seconds, format)
        });
    }
    env
}

/// A value of the context. The JSON parser has bounded its depth.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(bool) => Value::from(*bool),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::from(integer),
            (None, float) => Value::from(float.unwrap_or_default()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from(items.iter().map(value).collect::<Vec<_>>()),
        Json::Object(map) => {
            Value::from_pairs(map.iter().map(|(key, json)| (key.as_str(), value(json))))
        }
    }
}

/// Values and bytes of text in a part of the context.
#[derive(Default)]
struct Size {
    parts: usize,
    bytes: usize,
}

impl Size {
    fn add(&mut self, json: &Json) {
        self.parts += 1;
        match json {
            Json::String(text) => self.bytes += text.len(),
            Json::Array(items) => items.iter().for_each(|item| self.add(item)),
            Json::Object(map) => {
                for (key, item) in map {
                    self.bytes += key.len();
                    self.add(item);
                }
            }
            _ => {}
        }
    }
}

/// The template's own words, and where: one line, without characters that move a cursor or turn text around.
fn explain(error: &Error) -> String {
    let what = match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    };
    let is_shown = |c: &char| !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let what: String = what
        .chars()
        .filter(is_shown)
        .map(plain)
        .take(MAX_REASON)
        .collect();
    match error.line() {
        Some(line) => format!("{what} (line {line})"),
        None => what,
    }
}
