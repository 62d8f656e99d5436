//! Tools in, the Lark grammar of their calls out.
//!
//! Called by `Model::tool_grammar`. Names are those of tools and arguments fit the tool's schema; what stands between is
//! written as the family's template writes it. Where a tag is a token of its own, no other spelling is allowed, and that
//! token is allowed nowhere else: a text inside the arguments cannot end the call.
//!
//! If the model is free to call or not, the grammar is only that of a call behind its [`Trigger`], and holds from there.

use super::{QUOTE, ToolStyle, gemma_schema, refuse, tagged_schema};
use crate::grammar::checked_schema;
use crate::{Error, Result, Tool, ToolChoice};
use serde_json::Value;
use std::fmt::Write as _;

/// What an answer says before a grammar begins to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// This tag, anywhere; the grammar begins behind it.
    Tag(&'static str),
    /// At the very beginning, an object whose `name` is one of these; the grammar begins with it.
    Name(Vec<String>),
}

/// A grammar for calls.
#[derive(Debug)]
pub(crate) struct ToolGrammar {
    pub(crate) lark: String,
    /// `None`: the answer is nothing but calls.
    pub(crate) trigger: Option<Trigger>,
    /// Whether there may be a further call after the first.
    pub(crate) again: bool,
}

/// How calls may be written and which of them.
#[derive(Clone, Copy)]
pub(crate) struct CallRules<'a> {
    pub(crate) style: ToolStyle,
    pub(crate) choice: &'a ToolChoice,
    pub(crate) parallel: bool,
    /// The Lark text for a tag: a token or letters.
    pub(crate) tag: &'a dyn Fn(&str) -> String,
}

/// The grammar of calls of these tools.
pub(crate) fn lark(tools: &[&Tool], rules: CallRules<'_>) -> Result<ToolGrammar> {
    let (open, close) = rules.style.tags();
    let [open_tag, close_tag] = [open, close].map(|tag| match tag {
        "" => String::new(),
        tag => (rules.tag)(tag),
    });
    // Llama 3 was taught one call at a time, and its template refuses more.
    let again = rules.parallel && rules.style != ToolStyle::Llama3;
    let trigger = (*rules.choice == ToolChoice::Auto).then(|| match rules.style {
        ToolStyle::Llama3 => Trigger::Name(tools.iter().map(|tool| tool.name.clone()).collect()),
        ToolStyle::Hermes | ToolStyle::Gemma4 | ToolStyle::Tagged => Trigger::Tag(open),
    });
    let start = match (&trigger, again, rules.style) {
        (Some(_), ..) => "body",
        (None, false, _) => "call",
        (None, true, ToolStyle::Hermes | ToolStyle::Tagged) => "call (\"\\n\" call)*",
        (None, true, _) => "call+",
    };
    let body = match rules.style {
        ToolStyle::Hermes | ToolStyle::Tagged => format!("\"\\n\" object \"\\n\" {close_tag}"),
        ToolStyle::Llama3 => "object".to_owned(),
        ToolStyle::Gemma4 => format!("\"call:\" object {close_tag}"),
    };
    let mut lark = format!("start: {start}\ncall: {open_tag} body\nbody: {body}\n");
    let objects: Vec<String> = (0..tools.len()).map(|i| format!("object{i}")).collect();
    let _ = writeln!(lark, "object: {}", objects.join(" | "));
    if rules.style == ToolStyle::Llama3 {
        lark.push_str("SPACE: /[ \\n]{0,4}/\n");
    }
    for (i, tool) in tools.iter().enumerate() {
        match rules.style {
            ToolStyle::Gemma4 => {
                let quote = (rules.tag)(QUOTE);
                let name = Value::from(tool.name.as_str());
                let arguments = gemma_schema::rules(&schema(tool)?, &format!("args{i}"), &quote);
                let arguments = arguments.map_err(|why| refuse(&tool.name, why))?;
                let _ = writeln!(lark, "object{i}: {name} args{i}\n{arguments}");
            }
            ToolStyle::Tagged => {
                let open = Value::from(format!("<function={}>\n", tool.name));
                let arguments = tagged_schema::rules(&schema(tool)?, &format!("args{i}"));
                let arguments = arguments.map_err(|why| refuse(&tool.name, why))?;
                let _ = writeln!(
                    lark,
                    "object{i}: {open} args{i} \"</function>\"\n{arguments}"
                );
            }
            style => lark.push_str(&json_object(i, tool, style)?),
        }
    }
    Ok(ToolGrammar {
        lark,
        trigger,
        again,
    })
}

/// The rules of a call that is a JSON object.
fn json_object(i: usize, tool: &Tool, style: ToolStyle) -> Result<String> {
    let schema = schema(tool)?;
    let name = Value::from(tool.name.as_str()).to_string();
    let literal = |text: &str| Value::from(text).to_string();
    let object = match style {
        ToolStyle::Llama3 => {
            // The trigger lets the model space its first words as it likes.
            let parts = ["{", "\"name\"", ":", &name, ",", "\"parameters\"", ":"].map(literal);
            let parts = parts.join(" SPACE ");
            format!("{parts} SPACE args{i} SPACE \"}}\"")
        }
        _ => {
            let head = literal(&format!("{{\"name\": {name}, \"arguments\": "));
            format!("{head} args{i} \"}}\"")
        }
    };
    Ok(format!("object{i}: {object}\nargs{i}: %json {schema}\n"))
}

/// The tool's schema in the dialect that grammars are made of.
fn schema(tool: &Tool) -> Result<Value> {
    let mut schema = tool.schema();
    // Arguments that the schema allows without naming them are of no use to a tool, and models invent some.
    let names = ["properties", "additionalProperties", "patternProperties"];
    let joins = ["$ref", "anyOf", "oneOf", "allOf"];
    if let Some(map) = schema.as_object_mut()
        && names.map(|key| map.contains_key(key)) == [true, false, false]
        && !joins.iter().any(|key| map.contains_key(*key))
    {
        map.insert("additionalProperties".to_owned(), false.into());
    }
    // Arguments are an object, whether the schema says so or not.
    if let Some(map) = schema
        .as_object_mut()
        .filter(|map| !map.contains_key("type"))
    {
        map.insert("type".to_owned(), "object".into());
    }
    checked_schema(&schema).map_err(|error| match error {
        Error::Grammar(why) => refuse(&tool.name, why),
        error => error,
    })
}
