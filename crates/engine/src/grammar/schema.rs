//! Reads the text of a JSON schema and makes it what `llguidance` compiles: bounded, in its dialect, with our options.
//!
//! `llguidance` itself refuses keywords that it does not follow. Here:
//! - refused is what is no JSON, what would make a grammar of any size, what a schema could smuggle in (`x-guidance`),
//!   and `minProperties` that the same key written twice would satisfy;
//! - brought into the dialect are integers written `2.0`, formats nobody knows (annotations, says the standard), and
//!   references by the schema's own `$id` or with escapes (`references`);
//! - strings are written without `\u…`, so that a key has one spelling: `"\u0061"` would otherwise be a key besides `"a"`.
use super::{references, refuse};
use crate::Result;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Whitespace between the parts of a JSON value: one space, or a new line and its indentation.
const SPACE: &str = r"\x20|\x0A\x20{0,24}";
/// What may follow a backslash in a string; all of JSON's but `u` and `/`.
const ESCAPES: &str = r#"nrbtf\""#;
/// Most parts of a schema: values, at any depth.
const MAX_PARTS: usize = 20_000;
/// Keywords that count items or properties, and those that count characters; the most of either.
const COUNTS: [&str; 4] = ["minItems", "maxItems", "minProperties", "maxProperties"];
const MAX_COUNT: f64 = 1000.0;
const LENGTHS: [&str; 2] = ["minLength", "maxLength"];
const MAX_LENGTH: f64 = 20_000.0;
/// Longest `pattern`, in bytes.
const MAX_PATTERN: usize = 4096;
/// Keywords whose values are examples of data, not schemas.
pub(super) const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Keywords whose values have names of the schema's own as keys.
pub(super) const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
/// The formats that `llguidance` follows.
const FORMATS: &str = "date-time time date duration email hostname ipv4 ipv6 uuid uri";

/// A schema, checked as far as `llguidance` does not.
pub(super) fn parse(text: &str) -> Result<Value> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| refuse(format!("no JSON: {error}")))?;
    let mut map = match value {
        Value::Object(map) => map,
        Value::Bool(true) => Map::new(),
        Value::Bool(false) => return Err(refuse("the schema `false` allows nothing")),
        _ => return Err(refuse("a schema is an object")),
    };
    if map.contains_key("x-guidance") {
        return Err(refuse("`x-guidance` is not supported"));
    }
    translate(&mut map)?;
    references::resolve(&mut map)?;
    let mut parts = 0;
    for (key, value) in &map {
        bounded(key, value, &mut parts)?;
    }
    let options = json!({ "whitespace_pattern": SPACE, "json_allowed_escapes": ESCAPES });
    map.insert("x-guidance".into(), options);
    Ok(Value::Object(map))
}

/// What `llguidance` says, in words that name nothing it has and we have not.
pub(super) fn explain(why: &str) -> String {
    if why.contains("coerce_one_of") {
        return "`oneOf` is not supported where a value could fit several options: use `anyOf`"
            .into();
    }
    why.to_owned()
}

/// Brings a schema and all inside it into the dialect. The JSON parser has bounded the depth.
fn translate(schema: &mut Map<String, Value>) -> Result<()> {
    let is_annotation = |format: &Value| {
        let known = |name: &str| FORMATS.split(' ').any(|known| known == name);
        format.as_str().is_some_and(|name| !known(name))
    };
    if schema.get("format").is_some_and(is_annotation) {
        schema.remove("format");
    }
    for (key, value) in schema.iter_mut() {
        match value {
            Value::Number(_) if COUNTS.contains(&&**key) || LENGTHS.contains(&&**key) => {
                whole(value);
            }
            _ if key == "const" || key == "enum" => whole(value),
            _ if DATA.contains(&&**key) => {}
            Value::Object(named) if NAMED.contains(&&**key) => {
                for inner in named.values_mut().filter_map(Value::as_object_mut) {
                    translate(inner)?;
                }
            }
            Value::Object(inner) => translate(inner)?,
            Value::Array(items) => {
                for inner in items.iter_mut().filter_map(Value::as_object_mut) {
                    translate(inner)?;
                }
            }
            _ => {}
        }
    }
    distinct(schema)
}

/// Writes numbers without a fraction as integers, which they are to JSON schema.
fn whole(value: &mut Value) {
    /// Every integer up to here is a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => {
            let float = number.as_f64().filter(|_| number.is_f64());
            if let Some(float) = float.filter(|f| f.fract() == 0.0 && f.abs() <= EXACT) {
                *number = (float as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(map) => map.values_mut().for_each(whole),
        _ => {}
    }
}

/// Refuses a number of properties that could be reached by writing one key twice: a grammar does not remember keys.
/// One more than the required ones is safe, because their names are taken.
fn distinct(schema: &Map<String, Value>) -> Result<()> {
    let Some(least) = schema.get("minProperties").and_then(Value::as_u64) else {
        return Ok(());
    };
    let required = schema.get("required").and_then(Value::as_array);
    let names: BTreeSet<&str> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if least > names.len() as u64 + 1 {
        let n = names.len();
        let why =
            format!("`minProperties` of {least} with {n} `required`: all but one must be required");
        return Err(refuse(why));
    }
    Ok(())
}

/// Checks a value and all inside it. The JSON parser has bounded the depth.
fn bounded(key: &str, value: &Value, parts: &mut usize) -> Result<()> {
    *parts += 1;
    if *parts > MAX_PARTS {
        return Err(refuse(format!("a schema of more than {MAX_PARTS} parts")));
    }
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::INFINITY);
            let most = match key {
                key if COUNTS.contains(&key) => MAX_COUNT,
                key if LENGTHS.contains(&key) => MAX_LENGTH,
                _ => return Ok(()),
            };
            if number > most {
                return Err(refuse(format!("`{key}` of {number}, {most} allowed")));
            }
        }
        Value::String(text) if key == "pattern" => {
            if text.len() > MAX_PATTERN {
                let len = text.len();
                let why = format!("a `pattern` of {len} bytes, {MAX_PATTERN} allowed");
                return Err(refuse(why));
            }
            super::flat(text)?;
        }
        Value::Array(values) => {
            for value in values {
                bounded("", value, parts)?;
            }
        }
        Value::Object(map) if !DATA.contains(&key) => {
            for (key, value) in map {
                bounded(key, value, parts)?;
            }
        }
        _ => {}
    }
    Ok(())
}
