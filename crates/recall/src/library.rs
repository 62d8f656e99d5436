//! Documents, cut and indexed: what a question is answered from.
use crate::{
    Error, Result,
    index::Index,
    passage::{self, Passage},
    sentence::{Unit, units},
    words,
};
use std::collections::{BTreeMap, HashSet};

/// Bytes of text that are indexed.
const MOST_BYTES: usize = 64 << 20;
/// Passages that a search gives.
const MOST_FOUND: usize = 12;

/// Pages of text under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// What it is called in labels and quotations.
    pub name: String,
    /// Its pages.
    pub pages: Vec<Page>,
    /// Whether its page numbers mean something to a person.
    pub is_paged: bool,
}

/// A page of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// As the document counts, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
}

/// Documents that questions are answered from.
#[derive(Debug)]
pub struct Library {
    documents: Vec<Document>,
    /// Of each page of each document.
    units: Vec<Vec<Vec<Unit>>>,
    passages: Vec<Passage>,
    index: Index,
}

/// Which part of a library a model is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Numbers of passages, the best first.
    pub passages: Vec<usize>,
    /// Whether these are all pages.
    pub is_whole: bool,
}

impl Library {
    /// Cuts and indexes documents.
    ///
    /// # Errors
    /// [`Error::TooLong`] for more than 64 MiB of text.
    pub fn new(documents: Vec<Document>) -> Result<Self> {
        let texts = documents.iter().flat_map(|document| &document.pages);
        let found = texts.map(|page| page.text.len()).sum();
        if found > MOST_BYTES {
            let most = MOST_BYTES;
            return Err(Error::TooLong { found, most });
        }
        let of_page = |page: &Page| units(&page.text);
        let all: Vec<Vec<_>> = documents
            .iter()
            .map(|document| document.pages.iter().map(of_page).collect())
            .collect();
        let mut passages = Vec::new();
        for (document, (content, units)) in documents.iter().zip(&all).enumerate() {
            for (page, (content, units)) in content.pages.iter().zip(units).enumerate() {
                let runs = passage::cut(&content.text, units).into_iter();
                passages.extend(runs.map(|units| Passage {
                    document,
                    page,
                    units,
                }));
            }
        }
        let text = |passage: &Passage| passage_text(&documents, &all, passage);
        let index = Index::new(passages.iter().map(text))?;
        Ok(Self {
            documents,
            units: all,
            passages,
            index,
        })
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// The documents.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The names of the documents, as an answer speaks of them.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.documents.iter().map(|one| one.name.as_str()).collect();
        names.join(", ")
    }

    /// The passages that share most with the question, best first; none if no word of it occurs.
    ///
    /// # Errors
    /// SQLite's.
    pub fn search(&self, question: &str) -> Result<Shown> {
        let passages = self.index.search(&words::terms(question), MOST_FOUND)?;
        Ok(Shown {
            passages,
            is_whole: false,
        })
    }

    /// All of it.
    pub fn whole(&self) -> Shown {
        Shown {
            passages: (0..self.passages.len()).collect(),
            is_whole: true,
        }
    }

    /// What a model is given: the passages in the order of the documents, each under its label, then the question.
    pub fn prompt(&self, question: &str, shown: &Shown) -> String {
        let parts = match shown.is_whole {
            true => self.page_parts(),
            false => self.passage_parts(shown),
        };
        let fence = fence(parts.iter().map(|(_, text)| *text));
        let mut prompt = String::new();
        for (i, (label, text)) in parts.iter().enumerate() {
            let (n, text) = (i + 1, text.trim());
            prompt += &format!("[{n}] {label}\n{fence}\n{text}\n{fence}\n\n");
        }
        prompt + INSTRUCTIONS + question.trim()
    }

    /// File and page of the passages shown, in order, and how many passages of each page.
    pub fn places(&self, shown: &Shown) -> Vec<(String, Option<u32>, usize)> {
        let mut places: BTreeMap<(usize, usize), (&Passage, usize)> = BTreeMap::new();
        for passage in shown.passages.iter().filter_map(|&i| self.passages.get(i)) {
            let place = (passage.document, passage.page);
            places.entry(place).or_insert((passage, 0)).1 += 1;
        }
        let named = places.into_values().map(|(passage, n)| {
            let (file, page) = self.place(passage);
            (file, page, n)
        });
        named.collect()
    }

    /// How much of the question, by the weight of its words, is in the best of these passages: from 0 to 1.
    ///
    /// # Errors
    /// SQLite's.
    pub fn relevance(&self, question: &str, shown: &Shown) -> Result<f64> {
        let mut asked = Vec::new();
        for term in words::terms(question) {
            asked.push((self.index.weight(&term)?, term.stem));
        }
        let total: f64 = asked.iter().map(|(weight, _)| weight).sum();
        if total <= 0.0 {
            return Ok(0.0);
        }
        let part = |number: &usize| {
            let text = self
                .passages
                .get(*number)
                .map_or("", |passage| self.text(passage));
            let has: HashSet<String> = words::all_terms(text)
                .into_iter()
                .map(|term| term.stem)
                .collect();
            let found = asked.iter().filter(|(_, stem)| has.contains(stem));
            found.map(|(weight, _)| weight).sum::<f64>() / total
        };
        Ok(shown.passages.iter().map(part).fold(0.0, f64::max))
    }

    /// The passages that do not stand in `text` already.
    pub fn missing(&self, shown: &Shown, text: &str) -> Shown {
        let is_new = |number: &usize| {
            let passage = self.passages.get(*number);
            passage.is_some_and(|passage| !text.contains(self.text(passage)))
        };
        Shown {
            passages: shown.passages.iter().copied().filter(is_new).collect(),
            is_whole: false,
        }
    }

    /// All of the text in parts of at most about `most` bytes, in order and without overlap, each page under its label.
    pub fn parts(&self, most: usize) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for (document, units) in self.documents.iter().zip(&self.units) {
            for (page, units) in document.pages.iter().zip(units) {
                let label = label(document, page.number);
                let mut is_labelled = false;
                for unit in units {
                    let text = &page.text[unit.range.clone()];
                    let is_full = |part: &String| part.len() + text.len() + label.len() + 3 > most;
                    if parts.last().is_none_or(is_full) {
                        parts.push(String::new());
                        is_labelled = false;
                    }
                    let Some(part) = parts.last_mut() else {
                        continue;
                    };
                    if !is_labelled {
                        part.push_str(&format!("\n[{label}]\n"));
                        is_labelled = true;
                    }
                    part.push_str(text);
                    part.push('\n');
                }
            }
        }
        parts
    }

    fn page_parts(&self) -> Vec<(String, &str)> {
        let mut parts = Vec::new();
        for document in &self.documents {
            for page in &document.pages {
                if !page.text.trim().is_empty() {
                    parts.push((label(document, page.number), page.text.as_str()));
                }
            }
        }
        parts
    }

    fn passage_parts(&self, shown: &Shown) -> Vec<(String, &str)> {
        let mut numbers = shown.passages.clone();
        numbers.sort_unstable();
        let passages = numbers.into_iter().filter_map(|i| self.passages.get(i));
        passages
            .map(|passage| {
                let document = &self.documents[passage.document];
                let number = document.pages[passage.page].number;
                (label(document, number), self.text(passage))
            })
            .collect()
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn passage(&self, number: usize) -> Option<&Passage> {
        self.passages.get(number)
    }

    pub(crate) fn text(&self, passage: &Passage) -> &str {
        passage_text(&self.documents, &self.units, passage)
    }

    /// The units of a passage: what each says, and whether it is a row.
    pub(crate) fn units(&self, passage: &Passage) -> impl Iterator<Item = (&str, bool)> {
        let text = &self.documents[passage.document].pages[passage.page].text;
        let units = &self.units[passage.document][passage.page][passage.units.clone()];
        units
            .iter()
            .map(|unit| (&text[unit.range.clone()], unit.is_row))
    }

    pub(crate) fn place(&self, passage: &Passage) -> (String, Option<u32>) {
        let document = &self.documents[passage.document];
        let page = document
            .is_paged
            .then(|| document.pages[passage.page].number);
        (document.name.clone(), page)
    }
}

const INSTRUCTIONS: &str = "Answer the question below from the text above alone, briefly. \
If the text does not say it, reply only: not found\n\nQuestion: ";

fn label(document: &Document, page: u32) -> String {
    let name = &document.name;
    match document.is_paged {
        true => format!("{name}, page {page}"),
        false => name.clone(),
    }
}

fn passage_text<'a>(
    documents: &'a [Document],
    units: &[Vec<Vec<Unit>>],
    passage: &Passage,
) -> &'a str {
    let text = &documents[passage.document].pages[passage.page].text;
    let units = &units[passage.document][passage.page][passage.units.clone()];
    match (units.first(), units.last()) {
        (Some(first), Some(last)) => &text[first.range.start..last.range.end],
        _ => "",
    }
}

/// Backticks that none of these texts can close.
pub fn fence<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let longest = |text: &str| text.split(|c| c != '`').map(str::len).max();
    let run = texts.filter_map(longest).max().unwrap_or(0);
    "`".repeat(run.max(2) + 1)
}
