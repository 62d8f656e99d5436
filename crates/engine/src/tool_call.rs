//! Calls of tools in an answer: how families write them, finding them as text comes, and grammars that hold them.
//!
//! The engine's answer stays text, calls included. Whoever offers tools runs a [`ToolParser`] (`parser`) over it, and gives
//! the request a grammar (`grammar`) by which the names are those of tools and the arguments fit their schemas.
//!
//! | style | a call |
//! |---|---|
//! | Hermes, Qwen | `<tool_call>\n{"name": "f", "arguments": {"a": "x"}}\n</tool_call>` |
//! | Llama 3 | `{"name": "f", "parameters": {"a": "x"}}`, at the beginning of the answer |
//! | Qwen 3 Coder, Qwen 3.5 | `<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>` |
//! | Gemma 4 | `<\|tool_call>call:f{a:<\|"\|>x<\|"\|>}<tool_call\|>` |
//!
//! Markers that are tokens of their own are shown in answers only if the file says that they are user-defined, or under a
//! grammar for tools.

mod gemma;
mod gemma_schema;
mod grammar;
mod json;
mod parser;
mod schema;
mod tagged;
mod tagged_schema;

use crate::{Error, Grammar, Model, Result, Token, Tokenizer, Tool, ToolChoice};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use grammar::{CallRules, ToolGrammar, Trigger, lark};
pub use parser::{ToolParser, ToolPart};

/// Most tools of a prompt, and their bytes as JSON.
const MAX_TOOLS: usize = 256;
const MAX_BYTES: usize = 1 << 20;
/// Longest name of a tool, in bytes.
const MAX_NAME: usize = 128;

/// How a model family writes calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolStyle {
    /// A JSON object between tags: Hermes, Qwen, and every model whose template knows no tools.
    Hermes,
    /// A JSON object instead of an answer.
    Llama3,
    /// Gemma 4's own notation.
    Gemma4,
    /// A function and its arguments between tags, values bare: Qwen 3 Coder, Qwen 3.5.
    Tagged,
}

impl ToolStyle {
    /// The style in which a rendered prompt, given without whitespace, writes the call of the tool `name` with an
    /// argument `x` that is `y`.
    pub(crate) fn of_rendered(text: &str, name: &str) -> Option<Self> {
        let json = |key: &str| format!(r#"{{"name":"{name}","{key}":{{"x":"y"}}}}"#);
        let forms = [
            (
                Self::Gemma4,
                format!("<|tool_call>call:{name}{{x:<|\"|>y<|\"|>}}<tool_call|>"),
            ),
            (
                Self::Hermes,
                format!("<tool_call>{}</tool_call>", json("arguments")),
            ),
            (
                Self::Tagged,
                format!(
                    "<tool_call><function={name}><parameter=x>y</parameter></function></tool_call>"
                ),
            ),
            (Self::Llama3, json("parameters")),
        ];
        let mut found = forms.into_iter().filter(|(_, form)| text.contains(form));
        found.next().map(|(style, _)| style)
    }

    /// What stands before and behind a call.
    pub(crate) fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Hermes | Self::Tagged => ("<tool_call>", "</tool_call>"),
            Self::Llama3 => ("", ""),
            Self::Gemma4 => ("<|tool_call>", "<tool_call|>"),
        }
    }
}

/// Stands on both sides of a text in Gemma 4's calls.
const QUOTE: &str = "<|\"|>";

impl Model {
    /// How this model writes calls of tools.
    pub fn tool_style(&self) -> ToolStyle {
        self.template().tool_style(self.tokenizer())
    }

    /// Finds calls of these tools in the answer to this prompt; it is to be given the text of the answer.
    pub fn tool_parser(&self, tools: &[Tool], prompt: &[Token]) -> ToolParser {
        ToolParser::new(self.tool_style(), tools, prompt)
    }

    /// The grammar for an answer that may call these tools: names are those of tools, arguments fit their schemas.
    ///
    /// With [`ToolChoice::Auto`] the answer is free, byte for byte as without a grammar, until the model begins a call. With
    /// `Required` and `Named` it is nothing but calls. `parallel` allows several. `None` if there is nothing to call.
    /// A tool whose schema cannot be followed is an [`Error::Tool`] that names it.
    pub fn tool_grammar(
        &self,
        tools: &[Tool],
        choice: &ToolChoice,
        parallel: bool,
    ) -> Result<Option<Arc<Grammar>>> {
        check(tools)?;
        let chosen: Vec<&Tool> = match choice {
            ToolChoice::None => return Ok(None),
            ToolChoice::Named(name) => tools.iter().filter(|tool| tool.name == *name).collect(),
            ToolChoice::Auto | ToolChoice::Required => tools.iter().collect(),
        };
        match choice {
            ToolChoice::Named(name) if chosen.is_empty() => {
                return Err(refuse(name, "there is no such tool"));
            }
            _ if chosen.is_empty() => return Ok(None),
            _ => {}
        }
        let tokenizer = self.tokenizer();
        let rules = CallRules {
            style: self.tool_style(),
            choice,
            parallel,
            tag: &|tag| match tokenizer.marker(tag) {
                Some(token) => format!("<[{token}]>"),
                None => serde_json::Value::from(tag).to_string(),
            },
        };
        let vocabulary = self.vocabulary()?;
        let compile = |tools: &[&Tool]| {
            let open = tokenizer.marker(rules.style.tags().0);
            let shown = || [open.into_iter().collect(), markers(tokenizer)];
            if matches!(rules.style, ToolStyle::Gemma4 | ToolStyle::Tagged) {
                // What JSON could not hold is refused for this notation as well.
                let style = ToolStyle::Hermes;
                let as_json = lark(tools, CallRules { style, ..rules })?;
                Grammar::of_tools(vocabulary, as_json, shown())?;
            }
            Grammar::of_tools(vocabulary, lark(tools, rules)?, shown())
        };
        let grammar = compile(&chosen).map_err(|error| {
            // Which of them it is shows when each is tried alone.
            let alone = |tool: &&Tool| Some((tool.name.clone(), compile(&[tool]).err()?));
            match (error, chosen.iter().find_map(alone)) {
                (Error::Grammar(_), Some((name, Error::Grammar(why)))) => refuse(&name, why),
                (error, _) => error,
            }
        })?;
        Ok(Some(Arc::new(grammar)))
    }
}

/// Whether this answer may have calls in it, in whatever style; the parser of the model knows for sure.
pub fn may_call(text: &str) -> bool {
    let (hermes, _) = ToolStyle::Hermes.tags();
    let (gemma, _) = ToolStyle::Gemma4.tags();
    let start = text.trim_start();
    let block = start
        .strip_prefix("```json")
        .or_else(|| start.strip_prefix("```"));
    text.contains(hermes)
        || text.contains(gemma)
        || start.starts_with("<|python_tag|>")
        || block.unwrap_or(start).trim_start().starts_with('{')
}

/// The tokens that mark calls, in any style.
pub(crate) fn markers(tokenizer: &Tokenizer) -> Vec<Token> {
    let (open, close) = ToolStyle::Hermes.tags();
    let (gemma_open, gemma_close) = ToolStyle::Gemma4.tags();
    [open, close, gemma_open, gemma_close, QUOTE]
        .into_iter()
        .filter_map(|text| tokenizer.marker(text))
        .collect()
}

/// Whether these tools can be offered to a model.
pub(crate) fn check(tools: &[Tool]) -> Result<()> {
    let mut names = BTreeSet::new();
    let mut bytes = 0;
    for tool in tools {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
        bytes += tool.description.as_ref().map_or(0, String::len);
        bytes += tool.parameters.to_string().len();
        let why = match &*tool.name {
            "" => "has no name",
            name if name.len() > MAX_NAME => "its name is too long",
            name if !name.chars().all(is_plain) => "a name has letters, digits, and _ - . : / only",
            name if !names.insert(name) => "there are two of that name",
            _ if !(tool.parameters.is_object() || tool.parameters.is_null()) => {
                "its parameters are no JSON schema"
            }
            _ if bytes > MAX_BYTES => "the tools are too large together",
            _ if names.len() > MAX_TOOLS => "there are too many tools",
            _ => continue,
        };
        return Err(refuse(&tool.name, why));
    }
    Ok(())
}

/// A refusal that names the tool, in one line.
fn refuse(name: &str, why: impl Into<String>) -> Error {
    let shown = name.chars().filter(|c| !c.is_control()).take(MAX_NAME);
    Error::Tool {
        name: shown.collect(),
        why: why.into(),
    }
}
