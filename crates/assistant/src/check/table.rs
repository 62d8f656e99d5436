//! One table of the ways in which a prompt can ask, and the engine that reads prompts with it.
//!
//! A [`Row`] says what to look for ([`Find`]), what must hold around it ([`When`]), what requirement it makes, and gives
//! prompts that ask so and prompts that only talk about it; one test runs them all. Rows are tried in the order of
//! [`ROWS`]: a row may look at what earlier ones found. The files of `table/` hold the rows by what they are about.
//!
//! What cannot be said by a pattern and its surroundings (lists of words, the text to repeat) is in the row's `make`.
mod case;
mod edge;
mod keyword;
mod length;
mod mark;
mod shape;
mod unit;

use super::{
    Requirement,
    pattern::{MOST_MATCHES, pattern},
    prompt::Prompt,
    quantity::{Noun, Stated},
    rule::{Bound, Relation, Rule, What},
};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// Every way to ask, by file.
const ROWS: [&[Row]; 7] = [
    unit::ROWS,
    edge::ROWS,
    keyword::ROWS,
    case::ROWS,
    shape::ROWS,
    length::ROWS,
    mark::ROWS,
];

/// One way to ask for something.
pub(super) struct Row {
    /// IFEval's instruction id, or ours in the same form.
    id: &'static str,
    find: Find,
    /// All of these hold where something was found.
    when: &'static [When],
    /// Whether the first requirement of this row is the last.
    once: bool,
    /// Adds the requirements of one place.
    make: fn(&Place<'_>, &mut Vec<Requirement>),
    /// Prompts that ask so, and for nothing else.
    asks: &'static [&'static str],
    /// Prompts that do not ask so.
    talks: &'static [&'static str],
}

/// What most rows have in common.
const ROW: Row = Row {
    id: "",
    find: Find::Text(""),
    when: &[],
    once: false,
    make: |_, _| (),
    asks: &[],
    talks: &[],
};

/// What a row looks for in the open text of a prompt.
enum Find {
    /// A pattern.
    Text(&'static str),
    /// A number before a noun: the pattern of what may stand between them, and of the noun.
    Amount(&'static str, &'static str),
}

/// What must hold at a place; `Before` is the sentence up to it, `After` the sentence from its end, `Near` the sentence
/// with its two neighbours.
enum When {
    /// The sentence asks for something.
    Asks,
    /// The same, or it is a question or a fragment that names a length.
    AsksLength,
    /// The count is not tied to a part of the answer.
    OfWhole,
    /// The number has a word of comparison.
    Explicit,
    Before(&'static str),
    NotBefore(&'static str),
    NotAfter(&'static str),
    Sentence(&'static str),
    NotSentence(&'static str),
    Near(&'static str),
}

/// A place in a prompt that a row found.
pub(super) struct Place<'p> {
    prompt: &'p Prompt<'p>,
    id: &'static str,
    span: Range<usize>,
    captures: Option<Captures<'p>>,
    stated: Option<Stated>,
}

impl<'p> Place<'p> {
    fn text(&self) -> &'p str {
        &self.prompt.open[self.span.clone()]
    }

    fn before(&self) -> &'p str {
        self.prompt.before(self.span.start)
    }

    fn after(&self) -> &'p str {
        self.prompt.after(self.span.end)
    }

    fn sentence(&self) -> &'p str {
        &self.prompt.open[self.prompt.sentence(self.span.start)]
    }

    fn near(&self) -> &'p str {
        &self.prompt.open[self.prompt.neighbourhood(self.span.start)]
    }

    /// What one of these groups captured.
    fn capture(&self, names: &[&str]) -> Option<&'p str> {
        let captures = self.captures.as_ref()?;
        let found = names.iter().find_map(|name| captures.name(name));
        found.map(|found| found.as_str())
    }

    /// Where a group captured something.
    fn captured(&self, name: &str) -> Option<Range<usize>> {
        let found = self.captures.as_ref()?.name(name);
        found.map(|found| found.range())
    }

    fn bounds(&self) -> &[Bound] {
        self.stated.as_ref().map_or(&[], |stated| &stated.bounds)
    }

    fn is_explicit(&self) -> bool {
        self.stated.as_ref().is_some_and(|stated| stated.explicit)
    }

    fn is_hyphenated(&self) -> bool {
        self.stated.as_ref().is_some_and(|stated| stated.hyphenated)
    }

    /// A requirement of this row, stated at `span`.
    fn add(&self, found: &mut Vec<Requirement>, span: Range<usize>, rule: Rule) {
        self.add_as(self.id, found, span, rule);
    }

    /// A requirement with another id, its span trimmed to words.
    fn add_as(&self, id: &str, found: &mut Vec<Requirement>, span: Range<usize>, rule: Rule) {
        let words = &self.prompt.text[span.clone()];
        let start = span.start + (words.len() - words.trim_start().len());
        found.push(Requirement {
            id: id.to_owned(),
            span: start..start + words.trim().len(),
            rule,
        });
    }

    /// One requirement for each bound.
    fn count(
        &self,
        found: &mut Vec<Requirement>,
        span: &Range<usize>,
        what: &What,
        bounds: &[Bound],
    ) {
        for bound in bounds {
            let (what, bound) = (what.clone(), *bound);
            self.add(found, span.clone(), Rule::Count { what, bound });
        }
    }

    /// The bounds that the number of this place states about `what`.
    fn count_here(&self, found: &mut Vec<Requirement>, what: &What) {
        self.count(found, &self.span, what, self.bounds());
    }

    /// As [`Self::count_here`], where a bare number is the least of them.
    fn at_least_here(&self, found: &mut Vec<Requirement>, what: &What) {
        let bounds = self.at_least(&self.span, self.bounds());
        self.count(found, &self.span, what, &bounds);
    }

    /// Bounds as IFEval means them for most things that are marked: a bare number is the least of them.
    fn at_least(&self, span: &Range<usize>, bounds: &[Bound]) -> Vec<Bound> {
        let exact = self.prompt.open[span.clone()].contains("exactly");
        let least = |bound: &Bound| match bound.relation {
            Relation::Exactly if !exact => Bound::new(Relation::AtLeast, bound.number),
            _ => *bound,
        };
        bounds.iter().map(least).collect()
    }
}

/// A row with its patterns compiled.
struct RowReader {
    row: &'static Row,
    find: Finder,
    /// One for each condition of the row; those without a pattern have none.
    when: Vec<Option<Regex>>,
}

enum Finder {
    Text(Regex),
    Amount(Noun),
}

static READERS: LazyLock<Vec<RowReader>> = LazyLock::new(|| {
    let rows = ROWS.into_iter().flatten();
    rows.map(RowReader::new).collect()
});

/// Everything that a prompt asks for, row by row.
pub(super) fn find(prompt: &Prompt<'_>) -> Vec<Requirement> {
    let mut found = Vec::new();
    for reader in READERS.iter() {
        reader.read(prompt, &mut found);
    }
    found
}

/// The examples of every row: its id, prompts that ask so and for nothing else, prompts that do not ask so.
pub fn examples() -> impl Iterator<
    Item = (
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    ),
> {
    ROWS.into_iter()
        .flatten()
        .map(|row| (row.id, row.asks, row.talks))
}

impl RowReader {
    fn new(row: &'static Row) -> Self {
        let find = match row.find {
            Find::Text(text) => Finder::Text(pattern(text)),
            Find::Amount(between, noun) => Finder::Amount(Noun::new(between, noun)),
        };
        let when = row.when.iter().map(|when| match when {
            When::Asks | When::AsksLength | When::OfWhole | When::Explicit => None,
            When::Before(text) | When::NotBefore(text) | When::NotAfter(text) => {
                Some(pattern(text))
            }
            When::Sentence(text) | When::NotSentence(text) | When::Near(text) => {
                Some(pattern(text))
            }
        });
        Self {
            row,
            find,
            when: when.collect(),
        }
    }

    fn read(&self, prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
        match &self.find {
            Finder::Text(text) => {
                for captures in text.captures_iter(&prompt.open).take(MOST_MATCHES) {
                    let span = captures.get(0).map_or(0..0, |whole| whole.range());
                    if self.make(prompt, span, Some(captures), None, found) {
                        return;
                    }
                }
            }
            Finder::Amount(noun) => {
                for stated in noun.all(prompt) {
                    let span = stated.span.clone();
                    if self.make(prompt, span, None, Some(stated), found) {
                        return;
                    }
                }
            }
        }
    }

    /// Whether the row is done.
    fn make<'p>(
        &self,
        prompt: &'p Prompt<'p>,
        span: Range<usize>,
        captures: Option<Captures<'p>>,
        stated: Option<Stated>,
        found: &mut Vec<Requirement>,
    ) -> bool {
        let place = Place {
            prompt,
            id: self.row.id,
            span,
            captures,
            stated,
        };
        let before = found.len();
        let mut conditions = self.row.when.iter().zip(&self.when);
        if conditions.all(|(when, text)| holds(when, text.as_ref(), &place)) {
            (self.row.make)(&place, found);
        }
        self.row.once && found.len() > before
    }
}

fn holds(when: &When, text: Option<&Regex>, place: &Place<'_>) -> bool {
    let matches = |part: &str| text.is_some_and(|text| text.is_match(part));
    match when {
        When::Asks => place.prompt.asks(place.span.start),
        When::AsksLength => place.prompt.asks_length(&place.span),
        When::OfWhole => !place.prompt.is_partial(place.span.start),
        When::Explicit => place.is_explicit(),
        When::Before(_) => matches(place.before()),
        When::NotBefore(_) => !matches(place.before()),
        When::NotAfter(_) => !matches(place.after()),
        When::Sentence(_) => matches(place.sentence()),
        When::NotSentence(_) => !matches(place.sentence()),
        When::Near(_) => matches(place.near()),
    }
}
