//! Where a text that a model gave stands in the pages it was made from.
//!
//! Runs of white space and the shape of quotation marks aside, it must be there letter by letter and as whole words: "12"
//! is not found in "2012".
use crate::runner::document;
use reckon::AttachedFile;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The file's name.
    pub file: String,
    /// The page, from 1.
    pub page: u32,
    /// The first character of the page, from 0.
    pub start: usize,
    /// The one behind the last.
    pub end: usize,
    /// What stands there.
    #[serde(skip)]
    pub text: String,
}

impl Span {
    /// As a table shows it.
    pub(crate) fn cell(&self) -> String {
        format!("{}:{}-{}", self.page, self.start, self.end)
    }
}

/// Pages that texts are looked for in.
#[derive(Debug, Default)]
pub struct Pages(Vec<Page>);

#[derive(Debug)]
struct Page {
    file: String,
    number: u32,
    chars: Vec<char>,
    /// The text with single blanks and plain marks.
    plain: String,
    /// For each byte of `plain`, the character that it comes from.
    places: Vec<usize>,
}

impl Pages {
    /// The pages of documents; other files have none.
    pub fn of(files: &[AttachedFile]) -> Self {
        let documents = files
            .iter()
            .filter_map(|file| Some((file.name(), document(file)?)));
        let pages = documents.flat_map(|(name, document)| {
            document
                .pages
                .iter()
                .map(|page| Page::new(name, page.number, &page.text))
        });
        Self(pages.collect())
    }

    /// Of one text.
    pub fn of_text(name: &str, text: &str) -> Self {
        Self(vec![Page::new(name, 1, text)])
    }

    /// Where a text stands first.
    pub fn find(&self, text: &str) -> Option<Span> {
        let (wanted, _) = plain(&text.chars().collect::<Vec<_>>());
        let wanted = wanted.trim();
        if wanted.is_empty() {
            return None;
        }
        self.0.iter().find_map(|page| page.find(wanted))
    }

    /// The same for every string of an answer, by where it is in the answer (`points[0].quote`).
    pub fn find_all(&self, value: &Value) -> BTreeMap<String, Option<Span>> {
        let mut spans = BTreeMap::new();
        self.walk(value, String::new(), &mut spans);
        spans
    }

    fn walk(&self, value: &Value, at: String, spans: &mut BTreeMap<String, Option<Span>>) {
        match value {
            Value::String(text) => {
                spans.insert(at, self.find(text));
            }
            Value::Array(values) => {
                for (i, value) in values.iter().enumerate() {
                    self.walk(value, format!("{at}[{i}]"), spans);
                }
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    let dot = if at.is_empty() { "" } else { "." };
                    self.walk(value, format!("{at}{dot}{key}"), spans);
                }
            }
            _ => {}
        }
    }
}

impl Page {
    fn new(file: &str, number: u32, text: &str) -> Self {
        let chars: Vec<char> = text.trim_start_matches('\u{feff}').chars().collect();
        let (plain, places) = plain(&chars);
        Self {
            file: file.to_owned(),
            number,
            chars,
            plain,
            places,
        }
    }

    fn find(&self, wanted: &str) -> Option<Span> {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let cuts = |a: Option<char>, b: Option<char>| is_word(a) && is_word(b);
        let mut found = self.plain.match_indices(wanted).map(|(at, _)| at);
        let at = found.find(|&at| {
            let (before, after) = (&self.plain[..at], &self.plain[at + wanted.len()..]);
            !cuts(before.chars().next_back(), wanted.chars().next())
                && !cuts(wanted.chars().next_back(), after.chars().next())
        })?;
        let (start, last) = (self.places[at], self.places[at + wanted.len() - 1]);
        Some(Span {
            file: self.file.clone(),
            page: self.number,
            start,
            end: last + 1,
            text: self.chars[start..=last].iter().collect(),
        })
    }
}

fn plain(chars: &[char]) -> (String, Vec<usize>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    for (at, &c) in chars.iter().enumerate() {
        let c = match c {
            c if c.is_whitespace() => ' ',
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' | '‚' => '\'',
            c => c,
        };
        if c == ' ' && text.ends_with(' ') {
            continue;
        }
        text.push(c);
        places.resize(text.len(), at);
    }
    (text, places)
}
