//! The JSON schema of a tool's arguments in, Lark rules for their bare values between tags out (`tagged`).
//!
//! Called by `grammar` for schemas that `llguidance` can follow as JSON (`Model::tool_grammar` asks that first). Texts are
//! written bare, all else as JSON. Rules may allow less than the schema does, never more: arguments come in the order of
//! the schema, those that it does not name only where it names none, and no text holds the tag that ends it.

use super::schema::{KEY, is_of, only_known, says, target, text_terms, types};
use super::tagged::{PARAMETER, PARAMETER_END};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What a part of a schema needs of the whole.
const SHARED: [&str; 3] = ["$defs", "definitions", "x-guidance"];
/// Most bytes of JSON schemas in the rules of one tool; each part has a copy of what it refers to.
const MAX_JSON: usize = 1 << 20;
/// A text that does not hold the tag behind it.
const NO_END: &str = r"~/(?s:.*)<\/parameter>(?s:.*)/";

type Outcome<T = String> = Result<T, String>;

/// What an argument may be.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    /// Whether it may be a text.
    pub(super) text: bool,
    /// What is no text though texts are allowed: listed values, and null.
    pub(super) words: Vec<Value>,
}

/// What the argument `key` may be. A text, where the schema says nothing about it.
pub(super) fn kinds(root: &Value, key: &str) -> Kinds {
    let mut kinds = Kinds::default();
    for part in parts(root, argument(root, key)) {
        match part
            .as_object()
            .filter(|map| map.keys().any(|key| says(key)))
        {
            Some(map) => {
                let values = listed(map);
                let types = types(map);
                kinds.text |= match &values {
                    Some(values) => values.iter().any(Value::is_string),
                    None => types.contains(&"string"),
                };
                match values {
                    Some(values) => kinds.words.extend(values),
                    None if types.contains(&"null") => kinds.words.push(Value::Null),
                    None => {}
                }
            }
            None => kinds.text = true,
        }
    }
    kinds.words.retain(|word| !word.is_string());
    kinds
}

/// Rules for a schema; the one for all arguments is called `name`.
pub(super) fn rules(schema: &Value, name: &str) -> Outcome {
    let mut rules = Rules {
        root: schema,
        text: String::new(),
        json: 0,
    };
    let all = rules.arguments(name)?;
    let _ = writeln!(rules.text, "{name}: {all}");
    Ok(rules.text)
}

struct Rules<'a> {
    root: &'a Value,
    text: String,
    /// Bytes of JSON schemas.
    json: usize,
}

impl Rules<'_> {
    fn arguments(&mut self, name: &str) -> Outcome {
        let root = self.root;
        let joins = ["$ref", "anyOf", "oneOf", "allOf"];
        if let Some(key) = joins.iter().find(|key| root.get(**key).is_some()) {
            return Err(format!("`{key}` cannot be promised to this model's calls"));
        }
        let empty = Map::new();
        let named = root["properties"].as_object().unwrap_or(&empty);
        let required = root["required"].as_array().into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let mut keys: Vec<&str> = named.keys().map(String::as_str).collect();
        keys.extend(required.iter().filter(|key| !named.contains_key(**key)));
        if keys.is_empty() && root["additionalProperties"] != false {
            let value = self.value(&root["additionalProperties"], &format!("{name}_any"))?;
            let open = Value::from(PARAMETER);
            let _ = writeln!(self.text, "{name}_free: {open} {KEY} \">\\n\" {value}");
            return Ok(format!("{name}_free*"));
        }
        let mut all = vec![r#""""#.to_owned()];
        for (i, key) in keys.into_iter().enumerate() {
            if key.trim() != key || key.is_empty() || key.contains(['<', '>', '\n']) {
                return Err(format!("its argument `{key}` cannot be written"));
            }
            let rule = format!("{name}_{i}");
            let value = self.value(argument(root, key), &rule)?;
            let open = Value::from(format!("{PARAMETER}{key}>\n"));
            let _ = writeln!(self.text, "{rule}: {open} {value}");
            let maybe = if required.contains(&key) { "" } else { "?" };
            all.push(format!("{rule}{maybe}"));
        }
        Ok(all.join(" "))
    }

    /// A value with the tag behind it, as the right side of a rule.
    fn value(&mut self, schema: &Value, rule: &str) -> Outcome {
        let mut sides = Vec::new();
        for part in parts(self.root, schema) {
            let map = match part {
                Value::Object(map) => map,
                Value::Bool(true) | Value::Null => &Map::new(),
                _ => return Err("a part of its schema allows nothing".into()),
            };
            self.part(map, rule, &mut sides)?;
        }
        match sides.is_empty() {
            true => Err("a part of its schema allows nothing".into()),
            false => Ok(format!("({})", sides.join(" | "))),
        }
    }

    fn part(
        &mut self,
        map: &Map<String, Value>,
        rule: &str,
        sides: &mut Vec<String>,
    ) -> Outcome<()> {
        let keys: Vec<&String> = map.keys().filter(|key| says(key)).collect();
        only_known(&keys)?;
        let types = types(map);
        if let Some(mut values) = listed(map) {
            values.retain(|value| types.iter().any(|name| is_of(value, name)));
            return self.choice(values, sides);
        }
        let (texts, others): (Vec<&str>, Vec<&str>) =
            types.into_iter().partition(|name| *name == "string");
        if !texts.is_empty() {
            let terminal = format!("{rule}_{}", sides.len()).to_uppercase();
            let _ = writeln!(self.text, "{terminal}_BARE: {}", text_terms(map, NO_END));
            let _ = writeln!(self.text, "{terminal}: {terminal}_BARE {}", close());
            sides.push(terminal);
        }
        // What no schema describes is a text.
        if !others.is_empty() && !keys.is_empty() {
            let mut part = map.clone();
            part.insert("type".into(), others.into());
            sides.push(self.json(part)?);
        }
        Ok(())
    }

    /// One of these values.
    fn choice(&mut self, values: Vec<Value>, sides: &mut Vec<String>) -> Outcome<()> {
        let (texts, others): (Vec<Value>, Vec<Value>) =
            values.into_iter().partition(Value::is_string);
        for text in texts.iter().filter_map(Value::as_str) {
            if text.contains(PARAMETER_END) {
                return Err("a text of its schema cannot be written".into());
            }
            sides.push(Value::from(format!("{text}\n{PARAMETER_END}\n")).to_string());
        }
        if !others.is_empty() {
            sides.push(self.json(Map::from_iter([("enum".to_owned(), others.into())]))?);
        }
        Ok(())
    }

    fn json(&mut self, mut part: Map<String, Value>) -> Outcome {
        for key in SHARED {
            if let Some(shared) = self.root.get(key) {
                part.insert(key.to_owned(), shared.clone());
            }
        }
        let json = Value::Object(part).to_string();
        self.json += json.len();
        if self.json > MAX_JSON {
            return Err("its schema is too large".into());
        }
        Ok(format!("%json {json} {}", close()))
    }
}

/// What a schema says about an argument.
fn argument<'a>(root: &'a Value, key: &str) -> &'a Value {
    match &root["properties"][key] {
        Value::Null => &root["additionalProperties"],
        schema => schema,
    }
}

/// The parts of a schema of which one is enough, each once.
fn parts<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let (mut parts, mut left, mut seen) = (Vec::new(), vec![schema], BTreeSet::new());
    while let Some(next) = left.pop() {
        let says = |(key, _): &(&String, &Value)| says(key);
        let mut said = next.as_object().into_iter().flatten().filter(says);
        match (
            said.next().map(|(key, value)| (key.as_str(), value)),
            said.next(),
        ) {
            (Some(("$ref", Value::String(reference))), None) => match target(root, reference) {
                Some(target) if seen.insert(reference) => left.push(target),
                Some(_) => {}
                None => parts.push(next),
            },
            (Some(("anyOf" | "oneOf", Value::Array(options))), None) => left.extend(options),
            (Some(("allOf", Value::Array(all))), None) if all.len() == 1 => left.extend(all),
            _ => parts.push(next),
        }
    }
    parts
}

/// What ends a value.
fn close() -> Value {
    format!("\n{PARAMETER_END}\n").into()
}

/// The values that a schema lists.
fn listed(map: &Map<String, Value>) -> Option<Vec<Value>> {
    let list = map.get("enum").and_then(Value::as_array).cloned();
    list.or_else(|| Some(vec![map.get("const")?.clone()]))
}
