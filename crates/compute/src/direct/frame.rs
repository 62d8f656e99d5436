//! Frames: patterns over the canonical text with slots for values. A frame speaks only if the whole question is used
//! up.
//!
//! In a pattern a capital letter is a slot for a value of that kind (see `text`); `X` is a number or money, `Q` a
//! quantity with a unit, `G` any amount, `@` a list of amounts and `~` up to three words that only name a thing. A
//! name in braces stands for words of [`VOCABULARY`]. [`Scan`] is for questions of several sentences in any order:
//! slots are taken out one by one, and what is left has to be words that the frame knows.

use super::{
    ratio::Ratio,
    text::{Item, Reading},
};
use crate::pattern::spelled;
use regex::{Captures, Regex};
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

/// The compiled form of a pattern, kept for the next question. A pattern that is none matches nothing.
///
/// Patterns are told apart by where they lie, since hashing all their text takes longer than matching; and they are lent,
/// since a clone would begin with an empty cache of states.
fn compiled(pattern: &'static str, whole: bool) -> Option<&'static Regex> {
    type Known = HashMap<(usize, usize, bool), Option<&'static Regex>>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let place = (pattern.as_ptr().addr(), pattern.len(), whole);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(place).or_insert_with(|| {
        let inner = expanded(&named(spelled(pattern)));
        let text = if whole {
            format!(r"^(?:\? )?(?:{inner})(?: \?)?$")
        } else {
            format!(r"(?:^| )(?:{inner})(?: |$)")
        };
        let regex = Regex::new(&text);
        debug_assert!(regex.is_ok(), "pattern {pattern}: {regex:?}");
        regex.ok().map(|regex| &*Box::leak(Box::new(regex)))
    })
}

/// Words that come back in many patterns, by the names they have there.
const VOCABULARY: &[(&str, &str)] = &[
    (
        "{then}",
        r"(?:and |now |then |ok |so |next |finally |also )*",
    ),
    ("{it}", r"(?:that|it|this|result)"),
    (
        "{weekday}",
        r"(monday|tuesday|wednesday|thursday|friday|saturday|sunday)",
    ),
    ("{unit}", r"((?:[a-z_]+)(?:[23]|/[a-z0-9]+)?)"),
    (
        "{nth}",
        r"(O|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)",
    ),
    (
        "{more}",
        r"(
            larger|bigger|greater|higher|more|smaller|less|lower|longer|shorter|heavier|lighter|
            faster|slower|hotter|colder|warmer|cooler
          )",
    ),
    (
        "{people}",
        r"(?:
            people|persons|friends|of us|colleagues|coworkers|roommates|flatmates|housemates|
            tenants|siblings|brothers|sisters|guests|diners|kids|children|students|ways
          )",
    ),
    (
        "{thing}",
        r"(?:
            jacket|coat|shirt|shoes|dress|tv|laptop|phone|item|bike|chair|table|lamp|book|camera|
            watch|bag|sofa|jeans|sweater|jumper|hoodie|skirt|boots|trainers|printer|game|ticket|
            headphones|pair|backpack|mattress|tablet|monitor|suit|hat|pants|couch
          )",
    ),
    (
        "{chance}",
        r"(?:chance|chances|probability|odds|likelihood)",
    ),
    (
        "{needed}",
        r"(?:
            do i need|do we need|are needed|will i need|will we need|would i need|must i buy|
            do i have to buy|are required
          )",
    ),
];

/// The pattern with the words for their names.
fn named(pattern: String) -> String {
    let known = VOCABULARY.iter();
    known.fold(pattern, |pattern, (name, words)| {
        pattern.replace(name, &spelled(words))
    })
}

fn expanded(pattern: &str) -> String {
    let amount = "[NMPLVWTSAFBKJ][0-9]+";
    let mut out = String::with_capacity(4 * pattern.len());
    let mut class = false;
    for c in pattern.chars() {
        class = (class || c == '[') && c != ']';
        match c {
            _ if class => out.push(c),
            'X' => out.push_str("([NM][0-9]+)"),
            'Q' => out.push_str("([LVWTSAFBKJ][0-9]+)"),
            'G' => out.push_str("([NMLVWTSAFBKJ][0-9]+)"),
            '@' => out.push_str(&format!("({amount}(?:(?: [,;+&]| and| or)* {amount})+)")),
            '~' => out.push_str("(?:[a-z'-]+ ){0,3}"),
            'A'..='Z' => out.push_str(&format!("({c}[0-9]+)")),
            _ => out.push(c),
        }
    }
    out
}

/// What a pattern found.
pub(super) struct Match<'a> {
    /// The question.
    pub(super) reading: &'a Reading,
    groups: Vec<Option<String>>,
}

impl<'a> Match<'a> {
    fn new(reading: &'a Reading, found: &Captures<'_>) -> Self {
        let groups = found
            .iter()
            .map(|group| group.map(|group| group.as_str().to_owned()))
            .collect();
        Self { reading, groups }
    }

    /// The text of a group.
    pub(super) fn word(&self, group: usize) -> Option<&str> {
        self.groups.get(group)?.as_deref().map(str::trim)
    }

    /// The value in a slot.
    pub(super) fn item(&self, group: usize) -> Option<&'a Item> {
        self.reading.item(self.word(group)?)
    }

    /// The number in a slot, without its unit.
    pub(super) fn value(&self, group: usize) -> Option<Ratio> {
        Some(self.item(group)?.value.clone())
    }

    /// A percentage as a fraction of one.
    pub(super) fn share(&self, group: usize) -> Option<Ratio> {
        Some(self.value(group)? / super::ratio::whole(100))
    }

    /// The quantity in base units.
    pub(super) fn base(&self, group: usize) -> Option<Ratio> {
        Some(self.item(group)?.base())
    }

    /// The values of a list.
    pub(super) fn list(&self, group: usize) -> Option<Vec<&'a Item>> {
        let words = self.word(group)?.split(' ');
        let marks = words.filter(|word| word.starts_with(|first: char| first.is_ascii_uppercase()));
        marks.map(|mark| self.reading.item(mark)).collect()
    }
}

/// The whole canonical text, if it has this form.
pub(super) fn whole<'a>(reading: &'a Reading, pattern: &'static str) -> Option<Match<'a>> {
    let regex = compiled(pattern, true)?;
    // Nearly all patterns do not match, and finding that out needs no places.
    if !regex.is_match(&reading.canon) {
        return None;
    }
    let found = regex.captures(&reading.canon)?;
    Some(Match::new(reading, &found))
}

/// Words that say nothing about what is computed.
const FILLER: &[&str] = &[
    "?",
    ".",
    ",",
    ";",
    ":",
    "!",
    "i",
    "we",
    "you",
    "he",
    "she",
    "it",
    "they",
    "me",
    "us",
    "is",
    "are",
    "was",
    "were",
    "be",
    "am",
    "do",
    "does",
    "did",
    "will",
    "would",
    "can",
    "have",
    "has",
    "had",
    "of",
    "to",
    "for",
    "in",
    "on",
    "at",
    "with",
    "by",
    "and",
    "from",
    "that",
    "this",
    "these",
    "there",
    "so",
    "then",
    "now",
    "if",
    "what",
    "how",
    "much",
    "many",
    "when",
    "get",
    "gets",
    "got",
    "need",
    "needs",
    "total",
    "altogether",
    "exactly",
    "take",
    "takes",
    "want",
    "make",
    "makes",
    "all",
    "say",
    "here",
    "use",
    "uses",
    "using",
    "as",
    "going",
    "gonna",
    "one",
    "its",
    "which",
    "should",
    "must",
    "actually",
    "long",
    "tell",
    "calculate",
    "answer",
    "amount",
    "final",
];

/// Things that people buy.
const THINGS: &str = "jacket coat shirt shirts shoes dress tv television laptop phone smartphone \
                      item items bike bicycle chair table lamp book books camera watch bag sofa \
                      jeans pair sweater printer game ticket tickets headphones backpack \
                      mattress tablet monitor suit hat pants couch computer bottle pizza meal \
                      toaster desk drill microwave fridge washing machine guitar product \
                      products keyboard mouse sneakers boots jewelry ring necklace perfume toy \
                      toys groceries drink coffee sandwich lunch dinner cake magazine vacuum \
                      blender speaker speakers console mug mugs vase rug carpet tool tools \
                      t-shirt hoodie skirt gloves scarf umbrella";

/// A question of which slots are taken out one by one.
pub(super) struct Scan<'a> {
    reading: &'a Reading,
    rest: String,
}

impl<'a> Scan<'a> {
    /// Nothing taken yet.
    pub(super) fn new(reading: &'a Reading) -> Self {
        Self {
            reading,
            rest: reading.canon.clone(),
        }
    }

    /// Takes the first place that has this form.
    pub(super) fn take(&mut self, pattern: &'static str) -> Option<Match<'a>> {
        let regex = compiled(pattern, false)?;
        let found = regex.captures(&self.rest)?;
        let place = found.get(0)?.range();
        let out = Match::new(self.reading, &found);
        self.rest = format!(
            "{} ; {}",
            &self.rest[..place.start],
            &self.rest[place.end..]
        );
        Some(out)
    }

    /// Whether only known words are left: neither values nor words that could change the meaning.
    pub(super) fn done(&self, known: &str) -> bool {
        let mut words = self.rest.split_whitespace();
        words.all(|word| FILLER.contains(&word) || known.split(' ').any(|known| known == word))
    }

    /// Like [`Self::done`]; names of things that have a price are known too.
    pub(super) fn done_buying(&self, known: &str) -> bool {
        self.done(&format!("{THINGS} {known}"))
    }

    /// Whether some word of the question is one of these.
    pub(super) fn has(&self, words: &str) -> bool {
        let mut all = self.reading.canon.split_whitespace();
        all.any(|word| words.split(' ').any(|wanted| wanted == word))
    }
}
