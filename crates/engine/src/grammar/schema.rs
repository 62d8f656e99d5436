//! The text of a JSON schema in, the value that `llguidance` compiles out: bounded, and with our own options.
//!
//! `llguidance` itself refuses keywords that it does not follow. Here: what is no JSON, counts that would make a grammar of
//! any size, too many parts, and options that a schema could smuggle in (`x-guidance`).
use super::refuse;
use crate::Result;
use serde_json::{Map, Value, json};

/// Whitespace between the parts of a JSON value: one space, or a new line and its indentation.
const SPACE: &str = r"\x20|\x0A\x20{0,24}";
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
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

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
    let mut parts = 0;
    for (key, value) in &map {
        bounded(key, value, &mut parts)?;
    }
    map.insert("x-guidance".into(), json!({ "whitespace_pattern": SPACE }));
    Ok(Value::Object(map))
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
