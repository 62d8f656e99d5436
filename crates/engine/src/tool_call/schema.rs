//! What a JSON schema says, for rules that are written from it: `gemma_schema` and `tagged_schema`.
//!
//! `format` is an annotation here. Keywords whose meaning is not known are refused by [`only_known`].

use serde_json::{Map, Value};

/// Keywords that say nothing about a value.
const ANNOTATIONS: [&str; 15] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "format",
    "nullable",
    "readOnly",
    "title",
    "writeOnly",
    "x-guidance",
];
/// Keywords of one type each, as far as they can be said.
const OBJECT: [&str; 3] = ["properties", "required", "additionalProperties"];
const ARRAY: [&str; 3] = ["items", "minItems", "maxItems"];
const STRING: [&str; 3] = ["minLength", "maxLength", "pattern"];
pub(super) const NUMBER: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];
/// Types that a value without one may have.
const TYPES: [&str; 6] = ["string", "number", "boolean", "null", "array", "object"];
/// A key that a schema does not name.
pub(super) const KEY: &str = "/[A-Za-z_][A-Za-z0-9_.\\-]{0,63}/";

/// Whether a keyword says something about a value.
pub(super) fn says(key: &str) -> bool {
    !ANNOTATIONS.contains(&key)
}

/// Refuses keywords whose meaning is not known here.
pub(super) fn only_known(keys: &[&String]) -> Result<(), String> {
    let known = ["type", "enum", "const"].into_iter();
    let known: Vec<&str> = known
        .chain(OBJECT)
        .chain(ARRAY)
        .chain(STRING)
        .chain(NUMBER)
        .collect();
    match keys.iter().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` cannot be promised to this model's calls")),
        None => Ok(()),
    }
}

/// What a schema refers to.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(&reference.trim_start_matches('#').replace('~', "~0"))
}

/// What a text has to be, and `also` that: the right side of a terminal.
pub(super) fn text_terms(map: &Map<String, Value>, also: &str) -> String {
    let mut parts = Vec::new();
    if let Some(pattern) = map.get("pattern").and_then(Value::as_str) {
        parts.push(regex(pattern));
    }
    let bound = |key| map.get(key).and_then(Value::as_u64);
    let most = bound("maxLength")
        .map(|n| n.to_string())
        .unwrap_or_default();
    match bound("minLength").unwrap_or(0) {
        0 if most.is_empty() => {}
        least => parts.push(format!("/(?s:.{{{least},{most}}})/")),
    }
    parts.push(also.to_owned());
    parts.join(" & ")
}

/// The types that a schema allows, by its word or by what else it says.
pub(super) fn types(map: &Map<String, Value>) -> Vec<&str> {
    match map.get("type") {
        Some(Value::String(one)) => return vec![one],
        Some(Value::Array(some)) => return some.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let says = |keys: &[&str]| keys.iter().any(|key| map.contains_key(*key));
    let only = |name| TYPES.into_iter().filter(move |t| *t == name).collect();
    match () {
        () if says(&OBJECT) => only("object"),
        () if says(&ARRAY) => only("array"),
        () if says(&STRING) => only("string"),
        () if says(&NUMBER) => only("number"),
        () => TYPES.to_vec(),
    }
}

pub(super) fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

/// A pattern, which may match anywhere, as a regular expression for the whole text.
fn regex(pattern: &str) -> String {
    let (body, from) = match pattern.strip_prefix('^') {
        Some(body) => (body, ""),
        None => (pattern, "(?s:.*)"),
    };
    let (body, to) = match body.strip_suffix('$').filter(|body| !body.ends_with('\\')) {
        Some(body) => (body, ""),
        None => (body, "(?s:.*)"),
    };
    // A slash would end the regular expression, and so would the end of the line.
    let mut plain = String::new();
    let mut escaped = false;
    for c in body.chars() {
        match c {
            '/' if !escaped => plain.push_str("\\/"),
            '\n' => plain.push_str("\\n"),
            c => plain.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    format!("/{from}({plain}){to}/")
}
