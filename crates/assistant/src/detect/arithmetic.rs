//! Class 1, arithmetic drift: is this a question whose answer follows from the numbers in it?
//!
//! Called before generation. What decides is whether the quantity asked for follows from what is given, or is a property
//! of the world. Three ways to be sure of it:
//! - a problem: quantities are given first, then a question for a quantity comes (`question`, `quantity`);
//! - a single question in a form that says what to do with its numbers: "20% off 80", "10 miles in km", "days from 3 May
//!   to 20 June" (`forms`, `units`). A single question in no such form asks for a fact, whatever numbers it holds;
//! - a follow-up behind a computation: "And with 15 %?" (`follow`).
//!
//! Vetoes: a wish for something else (an essay, code, a list), custom, law, health and advice, and a kind of quantity
//! that nothing given is of (`world`). Years, list numbers and the sizes of the answer itself ("in 200 words", "3
//! bullet points") are no quantities.
use super::{Finding, Mask, Side, pattern, sentence};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

mod follow;
mod forms;
mod quantity;
mod question;
mod units;
mod world;

/// Longer prompts are documents with numbers in them, not problems.
const LONGEST: usize = 4000;

/// How many earlier turns are read to know what a follow-up follows.
const LONGEST_MEMORY: usize = 6;

/// More words than this in one sentence are no terse form.
const LONGEST_FORM: usize = 45;

/// The question for a number, in a prompt that gives what it follows from.
pub fn look(prompt: &str, _response: &str) -> Option<Finding> {
    look_in(&[], prompt)
}

/// Like [`look`], with what the same person asked before, oldest first.
pub fn look_in(messages_before: &[&str], prompt: &str) -> Option<Finding> {
    let text = Text::new(prompt)?;
    text.alone().or_else(|| {
        let first = messages_before.len().saturating_sub(LONGEST_MEMORY);
        // Whether a computation is still what is talked about; a wish for a poem ends it, a thank-you does not.
        let computing = messages_before[first..]
            .iter()
            .fold(false, |computing, earlier| {
                Text::new(earlier).is_some_and(|text| computing || text.alone().is_some())
            });
        let kind = computing.then(|| follow::find(&text.masked)).flatten()?;
        let last = &text.masked[text.sentences.last()?.clone()];
        if world::advises(last) || world::asked_by_custom(last) && !follow::scales(last) {
            return None;
        }
        text.finding(0..prompt.len(), kind)
    })
}

/// Whether a question with a quantity in it asks for another one, computable or not.
pub(super) fn asks_for_fact(prompt: &str) -> bool {
    Text::new(prompt).is_some_and(|text| {
        text.last(question::asks).is_some_and(|span| {
            let words = &text.masked[span];
            quantity::any(&text.masked) && !world::asks_opinion(words) && !question::tells(words)
        })
    })
}

/// Whether a prompt that wants nothing else than an answer gives a quantity.
pub(super) fn has_quantity(prompt: &str) -> bool {
    Text::new(prompt).is_some_and(|text| quantity::any(&text.masked))
}

/// Whether a short prompt with a number in it goes on with a computation, for all that can be seen without it.
pub(super) fn goes_on(prompt: &str) -> bool {
    prompt.split_whitespace().take(13).count() < 13
        && Text::new(prompt)
            .is_some_and(|text| quantity::any(&text.masked) && follow::elliptic(&text.masked))
}

/// A prompt that wants nothing else than an answer.
struct Text<'a> {
    prompt: &'a str,
    masked: String,
    sentences: Vec<Range<usize>>,
}

impl<'a> Text<'a> {
    fn new(prompt: &'a str) -> Option<Self> {
        if prompt.len() > LONGEST {
            return None;
        }
        let mask = Mask::new(prompt);
        let coded = mask.spans().iter().any(|(span, _)| span.len() > 40);
        let masked = without_sayings(mask.blank(prompt));
        if coded || question::other_wish(&masked) {
            return None;
        }
        Some(Self {
            prompt,
            sentences: sentence::split(&masked),
            masked,
        })
    }

    /// A finding; none in a puzzle whose numbers are not to be computed with: the logic guard has it.
    fn finding(&self, span: Range<usize>, kind: &'static str) -> Option<Finding> {
        super::logic::look(self.prompt, "")
            .is_none()
            .then(|| Finding::new(Side::Prompt, self.prompt, span, kind))
    }

    /// The computation that the prompt asks for by itself.
    fn alone(&self) -> Option<Finding> {
        if let Some(span) = expression(&self.masked) {
            return Some(Finding::new(Side::Prompt, self.prompt, span, "expression"));
        }
        let (span, kind) = self.problem().or_else(|| self.form())?;
        self.finding(span, kind)
    }

    /// A sentence in a form that says what to do with its numbers.
    fn form(&self) -> Option<(Range<usize>, &'static str)> {
        let fits = |span: &Range<usize>| {
            let words = &self.masked[span.clone()];
            let short = words.split_whitespace().take(LONGEST_FORM + 1).count() <= LONGEST_FORM;
            let asks = words.ends_with('?') || question::commands(words);
            let only = self.sentences.len() == 1 && !question::tells(words);
            if !short || !(asks || only) || world::asked(words) || question::compares(words) {
                return None;
            }
            let ways = || {
                let counts = super::counting::look(words, "").is_some();
                (counts && quantity::any_or_letters(words)).then_some("ways")
            };
            let converts = || units::converts(words).then_some("conversion");
            let kind = forms::find(words).or_else(converts).or_else(ways)?;
            Some((span.clone(), kind))
        };
        self.sentences.iter().rev().find_map(fits)
    }

    /// Quantities, and behind them a question for one.
    fn problem(&self) -> Option<(Range<usize>, &'static str)> {
        let given = quantity::quantities(&self.masked);
        let everyday =
            given.digits >= 2 && self.masked.len() < 600 && !question::sets_form(&self.masked);
        let (span, kind) = self
            .last(question::asks)
            .filter(|_| given.all >= 2)
            .or_else(|| {
                self.last(question::asks_loosely)
                    .filter(|_| given.digits >= 3)
            })
            .or_else(|| self.last(question::asks_briefly).filter(|_| everyday))
            .map(|span| (span, "quantities"))
            .or_else(|| {
                let span = self.last(question::converts).filter(|_| given.all >= 1)?;
                Some((span, "conversion"))
            })
            .or_else(|| Some((self.counted()?, "objects")))?;
        let asked = &self.masked[span.clone()];
        let before = quantity::any(&self.masked[..span.start]);
        let behind = quantity::any(&self.masked[span.end..]);
        let inside = question::gives_first(asked) && !world::asked_by_custom(asked);
        let vetoed = world::advises(asked) || world::out_of_reach(&self.masked, asked);
        ((kind == "objects" || before || behind || inside) && !vetoed).then_some((span, kind))
    }

    /// The last sentence that asks in some way.
    fn last(&self, asks: fn(&str) -> bool) -> Option<Range<usize>> {
        let asks = |(place, span): &(usize, &Range<usize>)| {
            let words = &self.masked[(*span).clone()];
            // "What is the difference between a moth and a butterfly?" opens a prompt; a problem comes before its question.
            asks(words) && !(*place == 0 && question::compares(words))
        };
        let mut all = self.sentences.iter().enumerate();
        all.rfind(asks).map(|(_, span)| span.clone())
    }

    /// The question behind a list of things.
    fn counted(&self) -> Option<Range<usize>> {
        let span = self.sentences.last()?;
        quantity::counts_objects(&self.masked[..span.start], &self.masked[span.clone()])
            .then(|| span.clone())
    }
}

/// "24/7" and "the 80/20 rule" are words; blanks of the same length stand for them.
fn without_sayings(mut text: String) -> String {
    for saying in [
        "24/7", "9/11", "7/11", "50/50", "80/20", "20/20", "50/30/20",
    ] {
        let whole = |at: usize| {
            let beside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '/');
            !beside(text[..at].chars().next_back())
                && !beside(text[at + saying.len()..].chars().next())
        };
        if text.find(saying).is_some_and(whole) {
            text = text.replacen(saying, &" ".repeat(saying.len()), 1);
        }
    }
    text
}

/// An expression to work out: `17 * 23`, `12% of 80`, with a question or nothing around it.
fn expression(prompt: &str) -> Option<Range<usize>> {
    static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\d[\d,.]*\)?\s*(?:[*×÷^+/]|\*\*|−|\s-\s|\bplus\b|\bminus\b|\btimes\b|\bdivided by\b
                |\bmultiplied by\b|\bmod\b)\s*\(?-?\d[\d,.]*|\d[\d,.]*\s*(?:%|percent) of \$?\d|\bsquare root of \d
                |\d+ (?:squared|cubed)\b|\b\d+ factorial\b|\b\d+!(?:\W|$)",
        )
    });
    static AROUND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:what|how much|calculate|compute|evaluate|solve|simplify|work out|find|result|equals?)\b|=\s*\?
                |=\s*$|^[\s\d()+*×÷^/.,%=?!-]*$",
        )
    });
    // Dates are written like fractions.
    static DATE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\b\d{1,2}/7\b|\b24/7\b"));
    let found = EXPRESSION.find(prompt)?;
    let sentence = sentence::around(prompt, found.start());
    let words = &prompt[sentence.start.min(found.start())..sentence.end.max(found.end())];
    let date = DATE.is_match(found.as_str()) && words.split_whitespace().count() > 8;
    (AROUND.is_match(words) && !date && words.len() < 300).then(|| found.range())
}
