//! What a prompt can ask of an answer, as data.
//!
//! The rows of `table` build these from a prompt's words, `verify` holds an answer against them, `describe` puts them into
//! words, and a decoding grammar can be made from the regular ones. Everything a rule needs is inside it: no rule
//! looks at the prompt again.
use std::fmt;

/// How a count compares with the number that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `<`: "less than", "fewer than", "under".
    LessThan,
    /// `<=`: "at most", "no more than", "up to", "or fewer".
    AtMost,
    /// `=`: "exactly", or a bare number of something countable.
    Exactly,
    /// "about", "around", or a bare number of words: a tenth off passes, half off fails, between is unknown.
    About,
    /// `>=`: "at least", "or more", "a minimum of".
    AtLeast,
    /// `>`: "more than", "over".
    MoreThan,
}

/// A number and how to compare with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// How an actual count compares with `number`.
    pub relation: Relation,
    /// The number that the prompt names.
    pub number: u64,
}

impl Bound {
    /// A bound from its two halves.
    pub fn new(relation: Relation, number: u64) -> Self {
        Self { relation, number }
    }

    /// Whether `actual` is allowed; `None` where "about" leaves it open.
    pub fn holds(self, actual: u64) -> Option<bool> {
        let number = self.number;
        match self.relation {
            Relation::LessThan => Some(actual < number),
            Relation::AtMost => Some(actual <= number),
            Relation::Exactly => Some(actual == number),
            Relation::AtLeast => Some(actual >= number),
            Relation::MoreThan => Some(actual > number),
            Relation::About => {
                let off = actual.abs_diff(number);
                match (off.saturating_mul(10) <= number, off > number / 2) {
                    (true, _) => Some(true),
                    (false, true) => Some(false),
                    (false, false) => None,
                }
            }
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.relation {
            Relation::LessThan => "fewer than",
            Relation::AtMost => "at most",
            Relation::Exactly => "exactly",
            Relation::About => "about",
            Relation::AtLeast => "at least",
            Relation::MoreThan => "more than",
        };
        write!(f, "{words} {}", self.number)
    }
}

/// A part that an answer is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A run of letters, digits and underscores; inner apostrophes and hyphens stay inside for per-unit rules.
    Word,
    /// What ends with `.`, `?` or `!`, abbreviations aside.
    Sentence,
    /// A line that is not blank.
    Line,
    /// Lines between blank lines.
    Paragraph,
    /// A line that begins with `*`, `-`, `•` or `1.`.
    Item,
}

impl Unit {
    /// The unit's name, for one of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Sentence => "sentence",
            Self::Line => "line",
            Self::Paragraph => "paragraph",
            Self::Item => "list item",
        }
    }
}

/// What is counted in the whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// Runs of letters, digits and underscores (`\w+`).
    Words,
    /// Different words, case aside.
    UniqueWords,
    /// Sentences.
    Sentences,
    /// Lines that are not blank.
    Lines,
    /// Paragraphs between blank lines.
    Paragraphs,
    /// Parts between lines or runs of `***`; an empty inner part fails.
    StarredParts,
    /// Lines that begin with `*` or `-`.
    Bullets,
    /// Items of a list, bulleted or numbered.
    Items,
    /// `*text*` and `**text**`.
    Highlights,
    /// Places where this word is followed by a number: `SECTION 1`.
    Sections(String),
    /// `[text]`.
    Placeholders,
    /// Words without a small letter.
    CapitalWords,
    /// A letter, case aside, or a mark of punctuation.
    Letter(char),
    /// A word or phrase, case aside, also inside other words.
    Keyword(String),
    /// Characters, spaces included.
    Characters,
    /// Numbers in digits.
    Numbers,
}

/// Which case the letters of an answer have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// No capital letter.
    Lower,
    /// No small letter.
    Upper,
}

/// A shape that a parser can check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One JSON value, a code fence around it allowed.
    Json,
    /// JSON in the answer, where the prompt does not say that nothing else may stand there: a block of it between
    /// other words is unknown.
    JsonInside,
    /// Rows of as many comma-separated fields each, a code fence around them allowed.
    Csv,
    /// Lines of `key: value` and `- item`, a code fence around them allowed.
    Yaml,
    /// A markdown table somewhere in the answer.
    Table,
}

/// What holds for each unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Each {
    /// So many words.
    Words(Bound),
    /// So many sentences.
    Sentences(Bound),
    /// So many characters.
    Characters(Bound),
    /// The first letter, case aside.
    StartsWithLetter(char),
    /// The first words, case aside.
    StartsWith(String),
    /// The last words or mark.
    EndsWith(String),
    /// This word or phrase is inside, case aside.
    Contains(String),
}

/// One requirement on the text of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Something is counted in the whole answer.
    Count {
        /// What is counted.
        what: What,
        /// How many there may be.
        bound: Bound,
    },
    /// Every unit of the answer obeys.
    Each {
        /// The parts.
        unit: Unit,
        /// What holds for each of them.
        each: Each,
    },
    /// The units begin with these letters in order, one unit a letter: B, C, … J.
    ConsecutiveLetters {
        /// The parts.
        unit: Unit,
        /// First letter, upper case.
        from: char,
        /// Last letter, upper case; the same as `from` when only the start is given and the order goes on.
        to: Option<char>,
    },
    /// Each sentence has this many words more than the one before.
    GrowingSentences(u64),
    /// No two words in a row begin with the same letter.
    NoSharedInitials,
    /// No word more often than this.
    WordRepeats(u64),
    /// All of these are in the answer, case aside.
    Contains(Vec<String>),
    /// None of these words is in the answer, case aside, whole words only.
    Forbids(Vec<String>),
    /// No comma.
    NoComma,
    /// No space, tab or line break.
    NoWhitespace,
    /// Case of all letters; the answer is in English too where `english` says so.
    Case {
        /// Which case.
        case: Case,
    },
    /// The whole answer is in this language.
    Language(super::Language),
    /// A shape that a parser checks.
    Shape(Shape),
    /// A line of the answer begins with these words; the first one unless it is a heading.
    StartsWith(String),
    /// The answer ends with these words, case and double quotes aside.
    EndsWith(String),
    /// The whole answer stands in double quotation marks.
    Quoted,
    /// A title in double angular brackets.
    Title,
    /// A postscript with this marker: `P.S.` or `P.P.S`.
    Postscript(String),
    /// The answer begins with this text, case aside.
    Repeats(String),
    /// The answer has so many different parts between these separators.
    Parts {
        /// What stands between the parts.
        separator: String,
        /// How many parts there are.
        number: u64,
    },
    /// One of these stands in the answer.
    Options(Vec<String>),
    /// So many paragraphs, and one of them begins with this word.
    ParagraphStart {
        /// How many paragraphs there are, where the prompt says so.
        paragraphs: Option<u64>,
        /// Which paragraph, from 1; 0 is the last one.
        nth: u64,
        /// Its first word, lower case.
        word: String,
    },
    /// Asked for in clear words, but not checkable by counting or parsing: always `Unknown`.
    Unverifiable(String),
}
