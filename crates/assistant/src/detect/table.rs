//! Tables of patterns with names: what a detector knows, one row per form, each with an example of it.
//!
//! Rows read better than one long pattern and are tested one by one: each must know its own example. In a pattern
//! `<d>` stands for a number in digits, `<n>` for one in digits or words, `<clock>` for a time of day, `<date>` for a
//! day of the calendar and `<unit>` for a unit of measure. All rows of a table are searched in one pass.
use regex::{RegexSet, RegexSetBuilder};

/// One form.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) pattern: &'static str,
    /// A text that the pattern knows; read by the tests and by whoever reads the table.
    pub(super) example: &'static str,
}

/// A row of a table.
pub(super) const fn row(name: &'static str, pattern: &'static str, example: &'static str) -> Row {
    Row {
        name,
        pattern,
        example,
    }
}

/// The rows of a table as one pattern.
pub(super) struct Table {
    rows: &'static [Row],
    set: RegexSet,
}

impl Table {
    pub(super) fn new(rows: &'static [Row]) -> Self {
        let shown = rows.iter().all(|row| !row.example.is_empty());
        debug_assert!(shown, "a row shows what it knows");
        let set = RegexSetBuilder::new(rows.iter().map(|row| spelled(row.pattern)))
            .case_insensitive(true)
            .size_limit(1 << 26)
            .build()
            .expect("the patterns are part of the program");
        Self { rows, set }
    }

    /// The name of the first row that knows something in `text`.
    pub(super) fn find(&self, text: &str) -> Option<&'static str> {
        let first = self.set.matches(text).into_iter().next()?;
        self.rows.get(first).map(|row| row.name)
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.set.is_match(text)
    }

    /// Rows that do not know their own example.
    #[cfg(test)]
    pub(super) fn strangers(&self) -> Vec<&'static str> {
        let known = |row: &&Row| !super::pattern(&spelled(row.pattern)).is_match(row.example);
        self.rows.iter().filter(known).map(|row| row.name).collect()
    }
}

/// A number in digits: `$1,250.50`, `3/4`, `20%`, `2k`.
pub(super) const DIGITS: &str =
    r"(?:[$€£]\s?)?-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:\s?/\s?\d+)?(?:\s?[%°$€£])?";

/// Numbers in words.
pub(super) const WORDS: &str = r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen
    |fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety
    |hundred|thousand|million|billion|dozen|half|quarter)";

const CLOCK: &str = r"(?:\b\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\b\d{1,2} ?[ap]\.?m\b\.?|\bnoon\b|\bmidnight\b
    |\b\d{1,2} o['’]clock)";

const MONTH: &str = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?
    |oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

const UNIT: &str = r"(?:mm|cm|dm|km|m|mi|ft|yd|in|inch(?:es)?|foot|feet|yards?|miles?|(?:kilo|centi|milli)?met(?:er
    |re)s?|mg|g|kg|oz|lbs?|grams?|kilograms?|kilos?|ounces?|pounds?|tons?|tonnes?|ml|cl|dl|l|lit(?:er|re)s?|cups?
    |tablespoons?|tbsp|teaspoons?|tsp|gallons?|pints?|quarts?|s|sec|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?
    |months?|years?)";

/// A pattern with its short names written out.
fn spelled(pattern: &str) -> String {
    let date = format!(
        r"(?:\b{MONTH}\.? \d{{1,4}}|\b\d{{1,2}}(?:st|nd|rd|th)?\.?(?: of)? {MONTH}\b
            |\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\b\d{{4}}-\d{{2}}-\d{{2}}|\b(?:christmas|new year['’]?s?
            |halloween|easter)\b)"
    );
    let whole = pattern
        .replace("<d>", DIGITS)
        .replace("<n>", &format!(r"(?:{DIGITS}|\b{WORDS}\b)"))
        .replace("<clock>", CLOCK)
        .replace("<date>", &date)
        .replace("<month>", &format!(r"\b{MONTH}\b"))
        .replace("<unit>", UNIT);
    reckon_compute::pattern::spelled(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_written_out() {
        let table = [
            ("<d>", "$1,250.50", true),
            ("^<n>$", "seven", true),
            ("<clock>", "quarter past", false),
            ("<clock>", "8:45", true),
            ("<date>", "3 May", true),
            ("<date>", "2024-02-29", true),
            ("<date>", "maybe 3", false),
        ];
        for (pattern, text, expected) in table {
            let found = super::super::pattern(&spelled(pattern)).is_match(text);
            assert_eq!(found, expected, "{pattern} {text}");
        }
    }
}
