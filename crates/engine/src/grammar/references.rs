//! Rewrites the `$ref`s of a JSON schema into the one form that `llguidance` follows: `#/…`, without escapes.
//!
//! Called by `schema`. A reference may name the schema itself by its own `$id`, and its path may have escapes: `%20` as
//! in any URI, `~1` for `/` and `~0` for `~` as in a JSON pointer. Where a name holds a `/`, which the plain form cannot
//! say, the target is copied to a name that can be said. References to other documents are refused: nothing is fetched.
use super::refuse;
use super::schema::{DATA, NAMED};
use crate::Result;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Where copies go, among the schema's own definitions.
const COPIES: &str = "$defs";
/// Most copies: each may be as large as the schema.
const MAX_COPIES: usize = 16;

/// Rewrites every reference in a schema.
pub(super) fn resolve(root: &mut Map<String, Value>) -> Result<()> {
    let document = Value::Object(root.clone());
    let id = root.get("$id").and_then(Value::as_str);
    let mut refs = References {
        id: id.unwrap_or_default().trim_end_matches('#').to_owned(),
        document,
        copies: BTreeMap::new(),
    };
    refs.visit(root)?;
    if refs.copies.is_empty() {
        return Ok(());
    }
    // Copies may hold references too.
    let mut copies = Map::new();
    let mut done = 0;
    while done < refs.copies.len() {
        let next = refs
            .copies
            .iter()
            .find(|(_, name)| !copies.contains_key(*name));
        let Some((pointer, name)) = next.map(|(p, n)| (p.clone(), n.clone())) else {
            break;
        };
        let mut target = refs.document.pointer(&pointer).cloned().unwrap_or_default();
        if let Value::Object(map) = &mut target {
            refs.visit(map)?;
        }
        copies.insert(name, target);
        done += 1;
    }
    let definitions = root.entry(COPIES).or_insert_with(|| Map::new().into());
    let Value::Object(definitions) = definitions else {
        return Err(refuse(format!("`{COPIES}` is no object")));
    };
    definitions.extend(copies);
    Ok(())
}

struct References {
    /// The schema's own name, or nothing.
    id: String,
    /// The schema before any change.
    document: Value,
    /// Names of copies by the pointer to what they copy.
    copies: BTreeMap<String, String>,
}

impl References {
    fn visit(&mut self, schema: &mut Map<String, Value>) -> Result<()> {
        for (key, value) in schema.iter_mut() {
            match value {
                Value::String(reference) if key == "$ref" => *value = self.plain(reference)?.into(),
                _ if DATA.contains(&&**key) => {}
                Value::Object(named) if NAMED.contains(&&**key) => {
                    for map in named.values_mut().filter_map(Value::as_object_mut) {
                        self.visit(map)?;
                    }
                }
                Value::Object(map) => self.visit(map)?,
                Value::Array(items) => {
                    for map in items.iter_mut().filter_map(Value::as_object_mut) {
                        self.visit(map)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The same reference without escapes.
    fn plain(&mut self, reference: &str) -> Result<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        // A relative name is the last part of the `$id`, which is all it can be relative to.
        let last = self.id.rsplit('/').next().unwrap_or_default();
        if !document.is_empty() && (self.id.is_empty() || ![&*self.id, last].contains(&document)) {
            return Err(refuse(format!(
                "`$ref` to {reference}: only the schema's own parts (#/…) can be meant"
            )));
        }
        let pointer = percent_decoded(fragment)
            .ok_or_else(|| refuse(format!("`$ref` to {reference}: not UTF-8")))?;
        if pointer.is_empty() || pointer == "/" {
            return Ok("#".into());
        }
        if !pointer.starts_with('/') || self.document.pointer(&pointer).is_none() {
            return Err(refuse(format!(
                "`$ref` to {reference}: there is no such part"
            )));
        }
        let names: Vec<String> = pointer[1..]
            .split('/')
            .map(|name| name.replace("~1", "/").replace("~0", "~"))
            .collect();
        if !names
            .iter()
            .any(|name| name.contains('/') || name.is_empty())
        {
            return Ok(format!("#/{}", names.join("/")));
        }
        let n = self.copies.len();
        if n >= MAX_COPIES && !self.copies.contains_key(&pointer) {
            let why = format!("more than {MAX_COPIES} parts whose names hold a slash");
            return Err(refuse(why));
        }
        let fresh = (n..).map(|i| format!("part {i}")).find(|name| {
            let taken = self.document.get(COPIES).and_then(|defs| defs.get(name));
            taken.is_none() && !self.copies.values().any(|used| used == name)
        });
        let name = self
            .copies
            .entry(pointer)
            .or_insert_with(|| fresh.unwrap_or_default());
        Ok(format!("#/{COPIES}/{name}"))
    }
}

/// `%20` and its like as the characters they stand for.
fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail
            .get(..2)
            .filter(|two| two.iter().all(u8::is_ascii_hexdigit));
        let hex = digits.and_then(|two| std::str::from_utf8(two).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(out).ok()
}
