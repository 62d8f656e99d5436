//! How much the store takes of everything, and the tests for it.
//!
//! Text of a person or a model is refused when it is too long, never cut: what was saved is what was given. The bounds
//! on names are characters, those on texts bytes.
use crate::error::{Error, Result};
use serde_json::Value;

/// Bytes of a question, an answer or a thought.
pub const MOST_CONTENT: usize = 8 << 20;
/// Bytes of a mark, a receipt, statistics or a request as JSON.
pub const MOST_JSON: usize = 8 << 20;
/// Bytes of a system prompt.
pub const MOST_SYSTEM: usize = 256 << 10;
/// Characters of a title.
pub const MOST_TITLE: usize = 200;
/// Characters of the names of folders, models and keys.
pub const MOST_NAME: usize = 100;
/// Bytes of the reason why an answer failed.
pub const MOST_ERROR: usize = 16 << 10;
/// Messages of a conversation.
pub const MOST_MESSAGES: usize = 100_000;
/// Bytes of an exported conversation that is read back.
pub const MOST_IMPORT: usize = 64 << 20;
/// Live keys.
pub const MOST_KEYS: usize = 10_000;

/// Levels of a JSON value: serde_json reads 128, and an export puts a few around it.
const DEEPEST: usize = 100;

/// Refuses text of more than `most` bytes.
pub(crate) fn bytes(what: &'static str, text: &str, most: usize) -> Result<()> {
    if text.len() > most {
        return Err(Error::TooLarge { what, most });
    }
    Ok(())
}

/// A line for a list: control characters and runs of spaces become one space; refused beyond `most` characters.
pub(crate) fn line(what: &'static str, text: &str, most: usize) -> Result<String> {
    // Cleaning never makes text longer, but a title of 100 MB should not even be cleaned.
    bytes(what, text, 16 * most)?;
    let line = one_line(text);
    if line.chars().count() > most {
        return Err(Error::TooLarge { what, most });
    }
    Ok(line)
}

/// As `line`, where nothing but spaces means none.
pub(crate) fn optional_line(
    what: &'static str,
    text: Option<&str>,
    most: usize,
) -> Result<Option<String>> {
    let line = text.map(|text| line(what, text, most)).transpose()?;
    Ok(line.filter(|line| !line.is_empty()))
}

/// A title from a first question: its first line with words, cut after a word at about 60 characters.
pub(crate) fn title_of(question: &str) -> String {
    const ABOUT: usize = 60;
    // A line may have megabytes, and its beginning is enough.
    let line = question
        .lines()
        .map(|line| line.chars().take(10 * ABOUT).collect::<String>());
    let line = line
        .map(|line| one_line(&line))
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let Some((end, _)) = line.char_indices().nth(ABOUT) else {
        return line;
    };
    // Not at the first word of a language without spaces, which may be all of the line.
    let cut = line[..end]
        .rfind(' ')
        .filter(|cut| *cut >= end / 2)
        .unwrap_or(end);
    format!("{}…", line[..cut].trim_end())
}

pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A JSON value as the text that is stored; bounded so that it can be read back.
pub(crate) fn json(what: &'static str, value: Option<&Value>) -> Result<Option<String>> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    if !shallower(value, DEEPEST) {
        return Err(Error::Invalid(format!(
            "{what} has more than {DEEPEST} levels"
        )));
    }
    let text = value.to_string();
    bytes(what, &text, MOST_JSON)?;
    Ok(Some(text))
}

fn shallower(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Array(items) => items.iter().all(|item| shallower(item, below)),
        Value::Object(fields) => fields.values().all(|field| shallower(field, below)),
        _ => true,
    }
}
