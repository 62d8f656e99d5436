//! Computes what a question states as a closed form in words or signs: exactly, without a model, in milliseconds.
//!
//! A question becomes a reading with marks for its values; frames for sums, percentages, units, dates and so on look
//! at it one after the other, the narrow ones first. A frame speaks only if the whole question is used up, every
//! number and every word; for all else [`compute`] is silent. There is no clock: "in three weeks" has no answer
//! without a date in the question.

mod age;
mod base;
mod bill;
mod budget;
mod calendar;
mod chance;
mod count;
mod cover;
mod date;
mod equation;
mod expression;
mod finance;
mod follow_up;
mod frame;
mod function;
mod geometry;
mod grade;
mod letter;
mod list;
mod measure;
mod mixture;
mod number_word;
mod pay;
mod percent;
mod polish;
mod proportion;
mod rate;
mod ratio;
mod said;
mod sequence;
mod sharing;
mod show;
mod spelling;
mod text;
mod time;
mod token;
mod trade;
mod unit;
mod wage;

pub(crate) use number_word::to_digits;

use crate::number::Value;
pub use number_word::is_number_word;
use text::Reading;

/// What a question comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A number with its unit; the unit may be empty.
    Number {
        /// How many.
        value: Value,
        /// Of what: "km", "hours".
        unit: String,
    },
    /// An amount of money; the currency may be empty.
    Money {
        /// How much.
        value: Value,
        /// Its sign or name: "$", "€", "CHF".
        currency: String,
    },
    /// A probability between 0 and 1.
    Probability(Value),
    /// A share: 0.25 is 25 %.
    Percent(Value),
    /// A time of day.
    Clock {
        /// Since midnight.
        minutes: u16,
        /// Days later (or earlier) than the question's day.
        days: i32,
        /// Whether the question writes am and pm.
        half_days: bool,
    },
    /// A date; the year may be open.
    Date {
        /// The year, if the question names one.
        year: Option<i16>,
        /// 1 to 12.
        month: u8,
        /// Of the month.
        day: u8,
    },
    /// A day of the week, in English.
    Weekday(&'static str),
    /// A length of time in seconds.
    Duration(Value),
    /// Numbers in their order.
    List(Vec<Value>),
    /// The solutions of an equation, in any order.
    Solutions(Vec<Value>),
    /// Yes or no.
    YesNo(bool),
    /// A word or a notation that is no decimal number: "1F4", "XLII", a word backwards.
    Word(String),
    /// One of the things that the question compares.
    Choice {
        /// The right one.
        chosen: String,
        /// The others.
        others: Vec<String>,
    },
}

/// A computed answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// The value.
    pub value: Outcome,
    /// As a person writes it, with its unit.
    pub text: String,
    /// How it was computed, in one short line.
    pub how: String,
}

impl Computed {
    /// Whether an answer says this value: `Some(true)` if it does and names nothing else as its result, `Some(false)`
    /// if it clearly says another, `None` if that is unclear.
    pub fn is_said(&self, question: &str, answer: &str) -> Option<bool> {
        said::is_said(self, question, answer)
    }
}

/// Computes the answer to the last question of a conversation. `earlier` are the person's earlier questions, oldest
/// first.
pub fn compute(earlier: &[&str], question: &str) -> Option<Computed> {
    let reading = Reading::new(question)?;
    if earlier.is_empty() {
        return alone(&reading);
    }
    follow_up::compute(earlier, &reading)
}

/// More words are a story: frames would only look at it in vain.
const MOST_WORDS: usize = 150;

/// The answer to a question that leans on nothing before it.
fn alone(reading: &Reading) -> Option<Computed> {
    framed(reading).or_else(|| framed(&reading.without_precision()?))
}

/// What the first frame that accounts for all of the question makes of it.
fn framed(reading: &Reading) -> Option<Computed> {
    type Frame = fn(&Reading) -> Option<Computed>;
    // These have something to compute without a number in the question.
    const WORDS: &[Frame] = &[
        letter::compute,
        base::compute,
        date::compute,
        measure::compute,
        count::compute,
        chance::compute,
    ];
    const NUMBERS: &[Frame] = &[
        letter::compute,
        base::compute,
        date::compute,
        time::compute,
        measure::compute,
        percent::compute,
        list::compute,
        sequence::compute,
        chance::compute,
        count::compute,
        geometry::compute,
        finance::compute,
        pay::compute,
        budget::compute,
        rate::compute,
        proportion::compute,
        sharing::compute,
        age::compute,
        mixture::compute,
        equation::compute,
        expression::compute,
    ];
    let frames = match reading.items.len() {
        _ if reading.canon.split(' ').count() > MOST_WORDS => &[],
        0 => WORDS,
        _ => NUMBERS,
    };
    frames.iter().find_map(|frame| frame(reading))
}
