//! What a model answered from documents, held against their pages.
//!
//! Quotations in the answer that are on no page are taken out, and said to be. The answer then ends with the sentences
//! that it rests on, cut out of the page; if there are none, or the model says that it is not there, the answer is
//! "not found". The model's own words stay in the receipt.
use crate::{
    Library, Result,
    decline::declines,
    evidence::{Found, evidence},
    library::Shown,
    quote,
};
use std::ops::Range;

/// Characters of a quotation below an answer.
const MOST_QUOTED: usize = 300;
/// A quotation of fewer words is a name or a term; without a page it only loses its marks.
const QUOTATION_WORDS: usize = 4;
/// Bytes of an answer between two marks that are still taken for a quotation.
const LONGEST: usize = 1_000;

/// An answer after it was held against the pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// What ships: the answer and its quotations, or that it was not found.
    pub text: String,
    /// The quotations below the answer; none if it was not found.
    pub quotes: Vec<Quote>,
    /// Quotations of the model that are on no page.
    pub removed: Vec<String>,
    /// Why the answer does not stand, in words that follow "not found: ".
    pub why: Option<&'static str>,
}

/// A piece of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// As the page has it, its lines joined.
    pub text: String,
    /// The document.
    pub file: String,
    /// The page, where pages are numbered.
    pub page: Option<u32>,
}

impl std::fmt::Display for Quote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "“{}” — {}", self.text, self.file)?;
        match self.page {
            Some(page) => write!(f, ", page {page}"),
            None => Ok(()),
        }
    }
}

impl Library {
    /// Holds an answer to a question against the passages that the model was shown.
    ///
    /// # Errors
    /// SQLite's.
    pub fn settle(&self, question: &str, answer: &str, shown: &Shown) -> Result<Settled> {
        let cleaned = self.clean(question, &without_labels(answer), shown);
        if declines(&cleaned.text) {
            return Ok(self.not_found("the model says so", cleaned));
        }
        let found = evidence(self, shown, question, &self.without_places(&cleaned.text))?;
        let quotes: Vec<Quote> = found
            .iter()
            .filter_map(|found| self.quote(*found))
            .collect();
        if quotes.is_empty() {
            return Ok(self.not_found("no sentence of the pages carries the answer", cleaned));
        }
        let mut text = cleaned.text.trim().to_owned();
        if !cleaned.removed.is_empty() {
            let names = self.names();
            text += &match cleaned.removed.len() {
                1 => format!("\n\n[a quotation that is not in {names} was removed]"),
                n => format!("\n\n[{n} quotations that are not in {names} were removed]"),
            };
        }
        let lines: Vec<String> = quotes.iter().map(ToString::to_string).collect();
        text += &format!("\n\n{}", lines.join("\n\n"));
        Ok(Settled {
            text,
            quotes,
            removed: cleaned.removed,
            why: None,
        })
    }

    /// That the documents do not have it, without asking a model: for a question that shares no word with them.
    pub fn settle_unasked(&self) -> Settled {
        self.not_found(
            "no passage shares a word with the question",
            Cleaned::default(),
        )
    }

    fn not_found(&self, why: &'static str, cleaned: Cleaned) -> Settled {
        Settled {
            text: format!("not found in {}", self.names()),
            removed: cleaned.removed,
            why: Some(why),
            ..Settled::default()
        }
    }

    /// A unit as a quotation. It is looked for on its page as any other would be: what is not there is not shown.
    fn quote(&self, found: Found) -> Option<Quote> {
        let passage = self.passage(found.passage)?;
        let (unit, _) = self.units(passage).nth(found.unit)?;
        let text = quote::shown(unit, MOST_QUOTED);
        quote::find(self.text(passage), &text)?;
        let (file, page) = self.place(passage);
        Some(Quote { text, file, page })
    }

    /// Takes out quotations that are neither on the pages shown nor in the question.
    fn clean(&self, question: &str, answer: &str, shown: &Shown) -> Cleaned {
        let stands = |quotation: &str| {
            let mut passages = shown.passages.iter().filter_map(|&i| self.passage(i));
            quote::find(question, quotation).is_some()
                || passages.any(|passage| quote::find(self.text(passage), quotation).is_some())
        };
        let mut cleaned = Cleaned::default();
        let mut at = 0;
        for marked in quotations(answer) {
            let inner = &answer[marked.inner.clone()];
            cleaned.text += &answer[at..marked.outer.start];
            at = marked.outer.end;
            if stands(inner) || stands(inner.trim_end_matches(['.', ',', ';', '!', '?'])) {
                cleaned.text += &answer[marked.outer];
                // Which page it is on, the quotation below says; a model may have named another.
                at += self.attribution(&answer[at..]);
            } else if inner.split_whitespace().count() < QUOTATION_WORDS {
                cleaned.text += inner;
            } else {
                cleaned.text += "[…]";
                cleaned.removed.push(inner.to_owned());
            }
        }
        cleaned.text += &answer[at..];
        cleaned
    }

    /// Bytes of "— report.pdf, page 3" or "(report.pdf)" at the beginning of a text.
    fn attribution(&self, text: &str) -> usize {
        let lead = text.trim_start_matches([' ', '—', '–', '-', '(', '[', ',']);
        let mut names = self.documents().iter();
        let Some(rest) = names.find_map(|document| lead.strip_prefix(document.name.as_str()))
        else {
            return 0;
        };
        let after = rest.trim_start_matches([',', ' ']);
        let rest = match after.strip_prefix("page ") {
            Some(page) => page.trim_start_matches(|c: char| c.is_ascii_digit()),
            None => rest,
        };
        text.len() - rest.trim_start_matches([')', ']']).len()
    }

    /// The answer without names of files and numbers of pages, which are not what it says.
    fn without_places(&self, answer: &str) -> String {
        let mut text = answer.to_owned();
        for document in self.documents() {
            text = text.replace(&document.name, " ");
        }
        let mut out = String::new();
        let mut after_page = false;
        for word in text.split_whitespace() {
            let is_number = word
                .trim_matches(|c: char| !c.is_alphanumeric())
                .parse::<u32>()
                .is_ok();
            if !(after_page && is_number) {
                out.push_str(word);
                out.push(' ');
            }
            let word = word.trim_matches(|c: char| !c.is_alphabetic());
            after_page = word.eq_ignore_ascii_case("page");
        }
        out
    }
}

/// An answer, and what was taken out of it.
#[derive(Default)]
struct Cleaned {
    text: String,
    removed: Vec<String>,
}

/// Something between quotation marks.
struct Marked {
    outer: Range<usize>,
    inner: Range<usize>,
}

/// What stands between quotation marks, outside of code.
fn quotations(text: &str) -> Vec<Marked> {
    let mut found = Vec::new();
    let (mut at, mut in_code) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        let after = at + c.len_utf8();
        if c == '`' {
            let run = text[at..].len() - text[at..].trim_start_matches('`').len();
            // Two backticks are an empty piece of code.
            in_code ^= run != 2;
            at += run;
            continue;
        }
        let closing = match c {
            _ if in_code => None,
            '“' => Some(['”', '“']),
            '„' => Some(['“', '”']),
            '«' => Some(['»', '»']),
            '"' if !text[..at].ends_with(char::is_alphanumeric) => Some(['"', '"']),
            _ => None,
        };
        let end = closing.and_then(|closing| {
            let rest = &text[after..];
            let rest = &rest[..rest.find("\n\n").unwrap_or(rest.len())];
            rest.find(closing)
                .filter(|&len| (1..=LONGEST).contains(&len))
        });
        let Some(len) = end else {
            at = after;
            continue;
        };
        let inner = after..after + len;
        let close = text[inner.end..].chars().next().map_or(0, char::len_utf8);
        let outer = at..inner.end + close;
        at = outer.end;
        found.push(Marked { outer, inner });
    }
    found
}

/// The answer without "[2]": the person does not see the labels that a model was shown.
fn without_labels(answer: &str) -> String {
    let mut out = String::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(start) = rest.find('[') {
        let inner = &rest[start + 1..];
        let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_label = (1..=2).contains(&digits) && inner[digits..].starts_with(']');
        match is_label {
            true => {
                out.push_str(rest[..start].trim_end_matches(' '));
                rest = &inner[digits + 1..];
            }
            false => {
                out.push_str(&rest[..=start]);
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}
