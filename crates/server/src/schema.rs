//! JSON schemas as clients send them, made fit for a grammar.
//!
//! A tool's schema is whatever a plug-in somewhere wrote. What a grammar cannot follow is left out of it rather than
//! refused: the arguments then fit the rest, and the answer's notes say what was not held. The schema of a whole answer is
//! a promise, so there nothing is left out; only objects that name their properties are closed, as every other server
//! does, because a small model would go on inventing properties.
use serde_json::{Map, Value, json};

/// What a grammar follows, and words that mean nothing to it.
const KNOWN: &[&str] = &[
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "definitions",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "oneOf",
    "pattern",
    "prefixItems",
    "properties",
    "readOnly",
    "required",
    "title",
    "type",
    "writeOnly",
];
/// Keywords whose value is a table of schemas.
const TABLES: &[&str] = &["properties", "$defs", "definitions"];
/// Keywords whose value is a list of schemas.
const LISTS: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value is a schema.
const INNER: &[&str] = &["items", "additionalProperties"];
/// Levels of a schema that are looked at.
const DEEPEST: usize = 64;

/// Any arguments at all.
pub(crate) fn any_arguments() -> Value {
    json!({ "type": "object" })
}

/// The schema without what a grammar does not know; the names of what was left out are added to `dropped`.
pub(crate) fn relaxed(schema: &Value, dropped: &mut Vec<String>) -> Value {
    let mut schema = schema.clone();
    relax(&mut schema, dropped, 0);
    close(&mut schema, 0);
    schema
}

/// The schema with its objects closed.
pub(crate) fn closed(schema: &Value) -> Value {
    let mut schema = schema.clone();
    close(&mut schema, 0);
    schema
}

fn relax(schema: &mut Value, dropped: &mut Vec<String>, depth: usize) {
    let Value::Object(object) = schema else {
        return;
    };
    let is_known = |key: &str, value: &Value| {
        let is_empty_enum = key == "enum" && value.as_array().is_none_or(Vec::is_empty);
        // Patterns that look around or back cannot be followed.
        let looks = key == "pattern"
            && value
                .as_str()
                .is_none_or(|text| text.contains("(?") || text.contains("\\1"));
        KNOWN.contains(&key) && !is_empty_enum && !looks
    };
    object.retain(|key, value| {
        let stays = is_known(key, value);
        if !stays && !dropped.iter().any(|known| known == key) {
            dropped.push(key.chars().take(40).collect());
        }
        stays
    });
    // Some vendors write types in capitals.
    if let Some(Value::String(kind)) = object.get_mut("type") {
        *kind = kind.to_ascii_lowercase();
    }
    each(object, depth, &mut |inner, depth| {
        relax(inner, dropped, depth)
    });
}

fn close(schema: &mut Value, depth: usize) {
    let Value::Object(object) = schema else {
        return;
    };
    let combined = [
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "patternProperties",
        "unevaluatedProperties",
    ];
    let is_plain = !combined.iter().any(|key| object.contains_key(*key));
    if object.get("properties").is_some_and(Value::is_object)
        && is_plain
        && !object.contains_key("additionalProperties")
    {
        object.insert("additionalProperties".into(), false.into());
    }
    // Parts of "all of these" must leave room for each other.
    let all = object.remove("allOf");
    each(object, depth, &mut close);
    object.extend(all.map(|all| ("allOf".to_owned(), all)));
}

/// Calls something for each schema directly inside this one.
fn each(object: &mut Map<String, Value>, depth: usize, act: &mut impl FnMut(&mut Value, usize)) {
    if depth >= DEEPEST {
        return;
    }
    for (key, value) in object.iter_mut() {
        match value {
            Value::Object(table) if TABLES.contains(&key.as_str()) => {
                table.values_mut().for_each(|inner| act(inner, depth + 1));
            }
            Value::Array(list) if LISTS.contains(&key.as_str()) => {
                list.iter_mut().for_each(|inner| act(inner, depth + 1));
            }
            value if INNER.contains(&key.as_str()) => act(value, depth + 1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_grammar_does_not_know_is_left_out_and_named() {
        let schema = json!({
            "type": "OBJECT",
            "propertyNames": { "pattern": "^a" },
            "properties": {
                "tags": { "type": "array", "uniqueItems": true, "items": { "type": "string", "not": {} } },
                "uniqueItems": { "type": "string", "pattern": "^(?=a)" },
            },
        });
        let mut dropped = Vec::new();
        let relaxed = relaxed(&schema, &mut dropped);
        dropped.sort();
        assert_eq!(dropped, ["not", "pattern", "propertyNames", "uniqueItems"]);
        assert_eq!(relaxed["type"], "object");
        assert_eq!(
            relaxed["properties"]["uniqueItems"],
            json!({ "type": "string" })
        );
        assert_eq!(relaxed["additionalProperties"], false);
    }

    #[test]
    fn objects_are_closed_unless_they_say_otherwise() {
        let open =
            json!({ "properties": { "a": { "properties": {} } }, "additionalProperties": true });
        let closed = closed(&open);
        assert_eq!(closed["additionalProperties"], true);
        assert_eq!(closed["properties"]["a"]["additionalProperties"], false);
        let both =
            json!({ "allOf": [{ "properties": { "a": {} } }, { "properties": { "b": {} } }] });
        assert_eq!(super::closed(&both), both);
    }
}
