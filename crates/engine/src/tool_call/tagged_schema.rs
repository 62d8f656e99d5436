//! The JSON schema of a tool's arguments in, Lark rules for their bare values between tags out (`tagged`).
//!
//! Called by `grammar` for schemas that `llguidance` can follow as JSON (`Model::tool_grammar` asks that first). Texts are
//! written bare, all else as JSON. Rules may allow less than the schema does, never more: arguments come in the order of
//! the schema, those that it does not name only where it names none, and no text holds the tag that ends it.

use super::gemma_schema::{KEY, TYPES, says, text_terms, types};
use super::tagged::{PARAMETER, PARAMETER_END};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// References to references.
const MAX_DEPTH: usize = 8;
/// What a part of a schema needs of the whole.
const SHARED: [&str; 3] = ["$defs", "definitions", "x-guidance"];

type Outcome<T = String> = Result<T, String>;

/// What an argument may be.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    /// Whether it may be a text.
    pub(super) text: bool,
    /// What is no text though texts are allowed: listed values, and null.
    pub(super) words: Vec<Value>,
}

/// What the argument `key` may be. A text, where the schema does not know it.
pub(super) fn kinds(root: &Value, key: &str) -> Kinds {
    let mut kinds = Kinds::default();
    match &root["properties"][key] {
        Value::Null => kinds.text = true,
        schema => add_kinds(root, schema, &mut kinds, 0),
    }
    kinds
}

fn add_kinds(root: &Value, schema: &Value, kinds: &mut Kinds, depth: usize) {
    let Some(map) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
        kinds.text = true;
        return;
    };
    if let Some(target) = target(root, map) {
        return add_kinds(root, target, kinds, depth + 1);
    }
    let options = ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|key| map.get(*key)?.as_array());
    if let Some(options) = options {
        for option in options {
            add_kinds(root, option, kinds, depth + 1);
        }
        return;
    }
    let values = values(map);
    match values.is_empty() {
        true => {
            let types = types(map);
            kinds.text |= types.contains(&"string");
            // Where nothing is said, everything is allowed, and a text is the likeliest.
            if types.contains(&"null") && types.len() < TYPES.len() {
                kinds.words.push(Value::Null);
            }
        }
        false => {
            let (texts, others): (Vec<Value>, Vec<Value>) =
                values.into_iter().partition(Value::is_string);
            kinds.text |= !texts.is_empty();
            kinds.words.extend(others);
        }
    }
}

/// Rules for a schema; the one for all arguments is called `name`.
pub(super) fn rules(schema: &Value, name: &str) -> Outcome {
    let mut rules = Rules {
        root: schema,
        text: String::new(),
    };
    let all = rules.arguments(name)?;
    let _ = writeln!(rules.text, "{name}: {all}");
    Ok(rules.text)
}

struct Rules<'a> {
    root: &'a Value,
    text: String,
}

impl Rules<'_> {
    fn arguments(&mut self, name: &str) -> Outcome {
        let root = self.root;
        let says = |key: &&str| root.get(key).is_some();
        if let Some(key) = ["$ref", "anyOf", "oneOf", "allOf"]
            .iter()
            .find(|key| says(key))
        {
            return Err(format!("`{key}` cannot be promised to this model's calls"));
        }
        let empty = Map::new();
        let named = root["properties"].as_object().unwrap_or(&empty);
        let required = root["required"].as_array().into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let mut keys: Vec<&str> = named.keys().map(String::as_str).collect();
        keys.extend(required.iter().filter(|key| !named.contains_key(**key)));
        if keys.is_empty() && root["additionalProperties"] != false {
            let side = self.value(&root["additionalProperties"], &format!("{name}_any"))?;
            let open = Value::from(PARAMETER);
            let _ = writeln!(self.text, "{name}_free: {open} {KEY} \">\\n\" {side}");
            return Ok(format!("{name}_free*"));
        }
        let mut all = vec![r#""""#.to_owned()];
        for (i, key) in keys.iter().enumerate() {
            if key.trim() != *key || key.is_empty() || key.contains(['<', '>', '\n']) {
                return Err(format!("its argument `{key}` cannot be written"));
            }
            let rule = format!("{name}_{i}");
            let schema = named.get(*key).unwrap_or(&Value::Bool(true));
            let value = self.value(schema, &rule)?;
            let open = Value::from(format!("{PARAMETER}{key}>\n"));
            let _ = writeln!(self.text, "{rule}: {open} {value}");
            let maybe = if required.contains(key) { "" } else { "?" };
            all.push(format!("{rule}{maybe}"));
        }
        Ok(all.join(" "))
    }

    /// A value with the tag behind it, as the right side of a rule.
    fn value(&mut self, schema: &Value, rule: &str) -> Outcome {
        let mut sides = Vec::new();
        self.sides(schema, rule, &mut sides, 0)?;
        match sides.is_empty() {
            true => Err("a part of its schema allows nothing".into()),
            false => Ok(format!("({})", sides.join(" | "))),
        }
    }

    fn sides(
        &mut self,
        schema: &Value,
        rule: &str,
        sides: &mut Vec<String>,
        depth: usize,
    ) -> Outcome<()> {
        let map = match schema {
            Value::Object(map) if depth < MAX_DEPTH => map,
            Value::Bool(true) | Value::Null => &Map::new(),
            _ => return Err("a part of its schema cannot be written".into()),
        };
        if let Some(target) = target(self.root, map) {
            return self.sides(target, rule, sides, depth + 1);
        }
        let keys: Vec<&String> = map.keys().filter(|key| says(key)).collect();
        if let [key] = keys[..]
            && let ("anyOf" | "oneOf", Value::Array(options)) = (key.as_str(), &map[key])
        {
            for option in options {
                self.sides(option, rule, sides, depth + 1)?;
            }
            return Ok(());
        }
        let values = values(map);
        if !values.is_empty() {
            return self.choice(&values, sides);
        }
        let (texts, others): (Vec<&str>, Vec<&str>) =
            types(map).into_iter().partition(|name| *name == "string");
        if !texts.is_empty() {
            let terms = text_terms(
                map,
                &format!("~/(?s:.*)<\\/{}(?s:.*)/", &PARAMETER_END[2..]),
            );
            let terminal = format!("{rule}_{}", sides.len()).to_uppercase();
            let _ = writeln!(self.text, "{terminal}_BARE: {terms}");
            let _ = writeln!(self.text, "{terminal}: {terminal}_BARE {}", close());
            sides.push(terminal);
        }
        // What no schema describes is a text.
        if !others.is_empty() && !keys.is_empty() {
            let mut part = map.clone();
            if !texts.is_empty() {
                part.insert("type".into(), others.into());
            }
            sides.push(self.json(part));
        }
        Ok(())
    }

    /// One of these values.
    fn choice(&mut self, values: &[Value], sides: &mut Vec<String>) -> Outcome<()> {
        let (texts, others): (Vec<&Value>, Vec<&Value>) =
            values.iter().partition(|value| value.is_string());
        for text in texts.into_iter().filter_map(Value::as_str) {
            if text.contains(PARAMETER_END) {
                return Err("a text of its schema cannot be written".into());
            }
            sides.push(Value::from(format!("{text}\n{PARAMETER_END}\n")).to_string());
        }
        if !others.is_empty() {
            let part = Map::from_iter([("enum".to_owned(), others.into_iter().cloned().collect())]);
            sides.push(self.json(part));
        }
        Ok(())
    }

    fn json(&self, mut part: Map<String, Value>) -> String {
        for key in SHARED {
            if let Some(shared) = self.root.get(key) {
                part.insert(key.to_owned(), shared.clone());
            }
        }
        format!("%json {} {}", Value::Object(part), close())
    }
}

/// What ends a value.
fn close() -> Value {
    format!("\n{PARAMETER_END}\n").into()
}

/// The values that a schema lists.
fn values(map: &Map<String, Value>) -> Vec<Value> {
    let list = map.get("enum").and_then(Value::as_array).cloned();
    let one = || map.get("const").map(|one| vec![one.clone()]);
    list.or_else(one).unwrap_or_default()
}

/// What a schema refers to.
fn target<'a>(root: &'a Value, map: &Map<String, Value>) -> Option<&'a Value> {
    let pointer = map.get("$ref")?.as_str()?.strip_prefix('#')?;
    root.pointer(pointer)
}
