//! Compares the numbers of a small Python program with those of the question it is to answer.
//!
//! A program that a model wrote should compute with the question's numbers. One that contains others has made them up,
//! and one that computes nothing states the model's guess. Both are signs, not proofs: the caller decides.

use crate::number;
use crate::pattern::regex;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// Longer texts are not compared.
const MOST_BYTES: usize = 20_000;
/// With more numbers than this, a program is not small and a question is a table: each is compared with each.
const MOST_NUMBERS: usize = 400;

/// Numbers that need no source: counts, the calendar, the clock, percent.
const ORDINARY: &[&str] = &[
    "0", "1", "2", "0.5", "10", "12", "7", "24", "60", "100", "365", "366", "52", "30", "1000",
    "3600", "1000000", "0.01", "0.1", "1e-9", "1e-6",
];

/// Factors that a question brings along by naming a unit.
const FACTORS: &[(&[&str], &[&str])] = &[
    (
        &["yard", "feet", "foot", "inch", "mile"],
        &["3", "36", "5280", "1760", "144", "27", "9"],
    ),
    (
        &["cm", "meter", "metre", "km", "inch"],
        &[
            "2.54", "25.4", "30.48", "0.3048", "1.60934", "1.609", "1.609344", "0.621371", "0.6214",
        ],
    ),
    (
        &["ounce", "pound", "oz", "lb", "ton", "kg", "gram"],
        &[
            "16",
            "2000",
            "2.20462",
            "2.2046",
            "2.205",
            "2.2",
            "0.453592",
            "0.45359237",
            "28.35",
            "28.3495",
        ],
    ),
    (
        &["gallon", "quart", "pint", "cup", "liter", "litre"],
        &["4", "8", "16", "128", "3.785", "3.78541", "0.25"],
    ),
    (&["spoon", "cup"], &["3", "16", "48"]),
    (
        &["quarter", "nickel", "coin", "cent", "fourth"],
        &["4", "25", "5", "0.25", "0.05", "0.75"],
    ),
    (
        &["year", "month", "season", "quarter"],
        &["31", "28", "29", "4", "3"],
    ),
    (
        &["week", "month", "workday", "weekday", "weekend"],
        &["4", "5"],
    ),
    (
        &["hour", "day", "minute", "second"],
        &["1440", "86400", "168", "15", "45", "0.25", "0.75"],
    ),
    (
        &[
            "fahrenheit",
            "celsius",
            "degree",
            "angle",
            "triangle",
            "square",
            "rectang",
            "circle",
        ],
        &[
            "32", "1.8", "5", "9", "273.15", "90", "180", "360", "4", "3",
        ],
    ),
    (&["fall", "gravity", "height", "drop"], &["9.8", "9.81"]),
    (&["byte", "kb", "mb", "gb"], &["8", "1024"]),
    (&["average", "mean"], &["3"]),
    (
        &[
            "square", "cube", "box", "fence", "side", "table", "car", "tire", "wheel",
        ],
        &["4", "6"],
    ),
];

/// How many of the next smaller unit a unit has.
const CONTAINS: &[(&str, i64)] = &[
    ("week", 7),
    ("day", 24),
    ("hour", 60),
    ("minute", 60),
    ("year", 12),
    ("year", 365),
    ("year", 52),
    ("foot", 12),
    ("feet", 12),
    ("yard", 3),
    ("pound", 16),
    ("gallon", 4),
    ("decade", 10),
    ("dollar", 100),
    ("month", 30),
    ("month", 4),
    ("meter", 100),
    ("dozen", 12),
    ("quarter", 25),
    ("week", 5),
    ("kilo", 1000),
    ("km", 1000),
    ("kg", 1000),
    ("liter", 1000),
    ("mile", 5280),
];

/// Words for numbers and shares, with numerator and denominator.
const WORDS: &[(&str, i64, i64)] = &[
    ("zero", 0, 1),
    ("one", 1, 1),
    ("two", 2, 1),
    ("three", 3, 1),
    ("four", 4, 1),
    ("five", 5, 1),
    ("six", 6, 1),
    ("seven", 7, 1),
    ("eight", 8, 1),
    ("nine", 9, 1),
    ("ten", 10, 1),
    ("eleven", 11, 1),
    ("twelve", 12, 1),
    ("thirteen", 13, 1),
    ("fourteen", 14, 1),
    ("fifteen", 15, 1),
    ("sixteen", 16, 1),
    ("seventeen", 17, 1),
    ("eighteen", 18, 1),
    ("nineteen", 19, 1),
    ("twenty", 20, 1),
    ("thirty", 30, 1),
    ("forty", 40, 1),
    ("fourty", 40, 1),
    ("fifty", 50, 1),
    ("sixty", 60, 1),
    ("seventy", 70, 1),
    ("eighty", 80, 1),
    ("ninety", 90, 1),
    ("hundred", 100, 1),
    ("thousand", 1000, 1),
    ("million", 1_000_000, 1),
    ("billion", 1_000_000_000, 1),
    ("dozen", 12, 1),
    ("score", 20, 1),
    ("half", 1, 2),
    ("halves", 1, 2),
    ("third", 1, 3),
    ("quarter", 1, 4),
    ("fourth", 1, 4),
    ("fifth", 1, 5),
    ("sixth", 1, 6),
    ("seventh", 1, 7),
    ("eighth", 1, 8),
    ("ninth", 1, 9),
    ("tenth", 1, 10),
    ("first", 1, 1),
    ("second", 2, 1),
    ("once", 1, 1),
    ("twice", 2, 1),
    ("thrice", 3, 1),
    ("double", 2, 1),
    ("triple", 3, 1),
    ("quadruple", 4, 1),
    ("twin", 2, 1),
    ("triplet", 3, 1),
    ("quadruplet", 4, 1),
    ("octuplet", 8, 1),
    ("pair", 2, 1),
    ("couple", 2, 1),
    ("single", 1, 1),
    ("both", 2, 1),
    ("nickel", 5, 1),
    ("dime", 10, 1),
    ("penny", 1, 1),
    ("decade", 10, 1),
    ("century", 100, 1),
    ("fortnight", 14, 1),
    ("triplets", 3, 1),
    ("twins", 2, 1),
];

/// The number literals of a program that come neither from the question nor from common knowledge, as written.
pub fn foreign_literals(program: &str, question: &str) -> Vec<String> {
    if program.len() > MOST_BYTES || question.len() > MOST_BYTES {
        return Vec::new();
    }
    let known = Known::read(question);
    let literals = literals(program);
    if literals.len() > MOST_NUMBERS || known.given.len() > MOST_NUMBERS {
        return Vec::new();
    }
    let mut out: Vec<String> = Vec::new();
    for text in literals {
        let foreign = value(&text).is_some_and(|value| !is_known(&value, &known));
        if foreign && !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

/// Whether a program only states values: nothing is calculated from anything.
pub fn computes_nothing(program: &str) -> bool {
    static WORK: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"[\w)\]]\s*(?:\*\*|//|[-+*/%@&|^<>])\s*[-\w(\[.]|
              \b(?:for|while|if|lambda|and|or|not|in)\b|
              [-+*/%]=",
        )
    });
    static CALL: LazyLock<Regex> = LazyLock::new(|| regex(r"(\w+)\("));
    let plain = without_texts(program);
    // Calls of what the program defines itself and conversions do not compute.
    let idle = |name: &str| {
        [
            "print", "int", "float", "str", "round", "Fraction", "Decimal",
        ]
        .contains(&name)
            || plain.contains(&format!("def {name}("))
    };
    let calls = CALL.captures_iter(&plain).any(|call| !idle(&call[1]));
    !WORK.is_match(&plain) && !calls
}

/// The number literals of a program without those in comments, texts and names.
fn literals(program: &str) -> Vec<String> {
    static LITERAL: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?:^|[^\w.])((?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"));
    let plain = without_texts(program);
    let found = LITERAL.captures_iter(&plain);
    found.map(|found| found[1].to_owned()).collect()
}

/// The program with its texts and comments left out; names in the braces of an f-string go with them.
fn without_texts(program: &str) -> String {
    static TEXTS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?s)""".*?"""|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*"#)
    });
    TEXTS.replace_all(program, "\"\"").into_owned()
}

/// The exact value of a literal.
fn value(literal: &str) -> Option<BigRational> {
    let plain = literal.replace('_', "");
    let (digits, exponent) = match plain.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (plain.as_str(), 0),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [whole, decimals].concat();
    if all.is_empty() || all.len() > 100 || exponent.abs() > 100 {
        return None;
    }
    let scale = exponent - i32::try_from(decimals.len()).ok()?;
    let ten = BigRational::from(BigInt::from(10));
    Some(BigRational::from(all.parse::<BigInt>().ok()?) * ten.pow(scale))
}

/// The numbers of a question.
struct Known {
    /// As it gives them, in digits or words.
    given: Vec<BigRational>,
    /// Made of several words: "three dozen", "two thirds".
    made: Vec<BigRational>,
    /// A month is named that does not have 30 days.
    other_month: bool,
}

impl Known {
    fn read(question: &str) -> Self {
        let numbers = number::numbers(question).into_iter();
        let mut given: Vec<BigRational> = numbers.map(|found| found.value).collect();
        given.extend(digits(question));
        let mut made = Vec::new();
        let lower = question.to_lowercase();
        let words = lower.split(|one: char| !one.is_ascii_alphabetic());
        let mut sum = BigRational::zero();
        for word in words.filter(|word| !word.is_empty()) {
            let Some(value) = word_value(word) else {
                if word != "and" {
                    sum = BigRational::zero();
                }
                continue;
            };
            given.push(value.clone());
            // "twenty-five" is a sum, "three hundred" and "two thirds" are products; both readings are kept.
            if !sum.is_zero() {
                made.push(&sum + &value);
                made.push(&sum * &value);
            }
            let hundred = BigRational::from(BigInt::from(100));
            let scales = !sum.is_zero() && (value >= hundred || value < BigRational::one());
            sum = if scales { sum * value } else { sum + value };
            if bits(&sum) > 512 {
                sum = BigRational::zero();
            }
        }
        scaled(&lower, &mut made);
        made.extend(with_parts(&lower));
        made.extend(converted(&given, &lower));
        for (units, factors) in FACTORS {
            if units.iter().any(|unit| lower.contains(unit)) {
                made.extend(factors.iter().filter_map(|factor| value(factor)));
            }
        }
        let other_month = is_other_month(question);
        if other_month {
            made.extend([28, 29, 31].map(|days| BigRational::from(BigInt::from(days))));
        }
        Self {
            given,
            made,
            other_month,
        }
    }

    fn all(&self) -> impl Iterator<Item = &BigRational> {
        self.given.iter().chain(&self.made)
    }
}

/// Whether a question is about a month that does not have 30 days. "May" is also another word.
fn is_other_month(question: &str) -> bool {
    static MONTH: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:January|February|March|July|August|October|December)\b
              |\b(?:in|of|during|for|through|throughout|this|last|next|all)\s+May\b",
        )
    });
    MONTH.is_match(question)
}

/// "3 and a half" is 3.5, and 21:30 is half past, 21.5 hours.
fn with_parts(question: &str) -> Vec<BigRational> {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b([0-9]{1,9})\s+and\s+(?:an?|one|(three))\s+(half|quarters?)\b
              |\b([0-9]{1,2}):([0-5][0-9])\b",
        )
    });
    let whole = |digits: &str| BigRational::from(digits.parse::<BigInt>().unwrap_or_default());
    let part = |found: regex::Captures<'_>| match (found.get(1), found.get(4)) {
        (Some(count), _) => {
            let share = if &found[3] == "half" { 2 } else { 4 };
            let shares = if found.get(2).is_some() { 3 } else { 1 };
            whole(count.as_str()) + BigRational::new(shares.into(), share.into())
        }
        (_, hour) => {
            let minutes = whole(&found[5]) / BigInt::from(60);
            whole(hour.map_or("0", |hour| hour.as_str())) + minutes
        }
    };
    PART.captures_iter(question).map(part).collect()
}

/// "two weeks" are 14 days: the numbers of a question times what its units contain.
fn converted(given: &[BigRational], question: &str) -> Vec<BigRational> {
    let named = CONTAINS.iter().filter(|(unit, _)| question.contains(unit));
    let few = &given[..given.len().min(40)];
    named
        .flat_map(|(_, factor)| few.iter().map(|given| given * BigInt::from(*factor)))
        .collect()
}

fn bits(value: &BigRational) -> u64 {
    value.numer().bits() + value.denom().bits()
}

/// Runs of digits that stand inside words or dates: `7:30`, `A4`, `50s`.
fn digits(question: &str) -> Vec<BigRational> {
    static DIGITS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\d{1,3}(?: \d{3})+\b|\d+(?:\.\d+)?|\.\d+"));
    DIGITS
        .find_iter(question)
        .filter_map(|found| value(&found.as_str().replace(' ', "")))
        .collect()
}

fn word_value(word: &str) -> Option<BigRational> {
    let find = |word: &str| WORDS.iter().find(|(name, ..)| *name == word);
    let (_, top, bottom) = find(word).or_else(|| find(word.strip_suffix('s')?))?;
    Some(BigRational::new((*top).into(), (*bottom).into()))
}

/// "3.5 million", "12k", "4 dozen".
fn scaled(question: &str, out: &mut Vec<BigRational>) {
    static SCALED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"([\d,]*\.?\d+)[\s-]*(k|thousand|million|billion|dozen|hundred)s?\b")
    });
    for found in SCALED.captures_iter(question) {
        let factor = if &found[2] == "k" {
            Some(BigRational::from(BigInt::from(1000)))
        } else {
            word_value(&found[2])
        };
        let number = value(&found[1].replace(',', ""));
        out.extend(number.zip(factor).map(|(number, factor)| number * factor));
    }
}

/// Whether a value is ordinary, or in the question as it stands, as percent, as an inverse or one more or less.
fn is_known(wanted: &BigRational, known: &Known) -> bool {
    static COMMON: LazyLock<Vec<BigRational>> =
        LazyLock::new(|| ORDINARY.iter().filter_map(|text| value(text)).collect());
    let one = BigRational::one();
    // The days of a month that has more or fewer.
    let thirty = BigRational::from(BigInt::from(30));
    if known.other_month && *wanted == thirty && !known.given.contains(&thirty) {
        return false;
    }
    let is_near = |given: &BigRational| {
        given.is_integer() && (wanted - given == one || given - wanted == one)
    };
    COMMON.contains(wanted)
        || is_pi(wanted)
        || known.given.iter().any(is_near)
        || known.all().any(|known| is_form_of(wanted, known))
        || is_quotient(wanted, known)
}

/// Whether this is the number itself, as percent, as what percent leave or add, or its inverse.
fn is_form_of(wanted: &BigRational, known: &BigRational) -> bool {
    let one = BigRational::one();
    let hundred = BigRational::from(BigInt::from(100));
    let part = known / &hundred;
    let forms = [
        known.clone(),
        &one - &part,
        &one + &part,
        &hundred - known,
        &hundred + known,
        known * &hundred,
        &one - known,
        &one + known,
        part,
    ];
    let is_inverse = |of: BigRational| of == *wanted || close(wanted, &of);
    let inverse = !known.is_zero() && is_inverse(&one / known);
    inverse || forms.contains(wanted) || close(wanted, known)
}

/// 0.33 for a third: equal as far as two decimals go.
fn close(wanted: &BigRational, value: &BigRational) -> bool {
    let off = (wanted - value) * BigInt::from(200);
    let one = BigRational::one();
    let recurring = [3, 7, 9, 11]
        .iter()
        .any(|prime| (value.denom() % BigInt::from(*prime)).is_zero());
    recurring && !wanted.is_integer() && off < one && off > -one
}

fn is_pi(wanted: &BigRational) -> bool {
    let pi = BigRational::from_float(std::f64::consts::PI).unwrap_or_else(BigRational::zero);
    let off = (wanted - pi) * BigInt::from(500);
    !wanted.is_integer() && off < BigRational::one() && -off < BigRational::one()
}

/// "3 out of 4", written as 0.75.
fn is_quotient(wanted: &BigRational, known: &Known) -> bool {
    let few: Vec<&BigRational> = known.all().take(40).collect();
    let quotient = |top: &BigRational| {
        few.iter().any(|bottom| {
            !bottom.is_zero() && (top / *bottom == *wanted || top * *bottom == *wanted)
        })
    };
    !wanted.is_integer() && few.iter().any(|top| quotient(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: &str, question: &str, expected: &[&str]) {
        assert_eq!(foreign_literals(program, question), expected, "{program}");
    }

    #[test]
    fn numbers_that_the_question_does_not_give() {
        let question = "Lena packs 14 crates with three dozen pears each and loses 15% of them. \
                        Half of the rest is sold.";
        check(
            "pears = 14 * 3 * 12\nleft = pears * 0.85\nanswer = left / 2",
            question,
            &[],
        );
        check("answer = 14 * 36 * (1 - 15 / 100) * 0.5", question, &[]);
        check("answer = 14 * 35 - 77", question, &["35", "77"]);
        check("x1 = 14  # 99\nprint('99', x1)", question, &[]);
        check("answer = 214.2", question, &["214.2"]);
    }

    #[test]
    fn halves_and_clock_times_are_numbers_of_the_question() {
        let question = "The tour lasts 4 and a half hours and begins at 9:15.";
        check("begin = 9.25\nanswer = begin + 4.5", question, &[]);
        check("answer = 9.75 + 4.5", question, &["9.75"]);
        let more = "He walked 6 and three quarters miles, then 2 and a quarter.";
        check("answer = 6.75 + 2.25", more, &[]);
    }

    #[test]
    fn a_month_that_is_named_has_its_own_days() {
        let question = "A kiosk sells 40 papers a day. How many does it sell in July?";
        check("answer = 40 * 30", question, &["30"]);
        check("answer = 40 * 31", question, &[]);
        let open = "A kiosk sells 40 papers a day. How many may it sell in a month?";
        check("answer = 40 * 30", open, &[]);
        let given = "A kiosk is open on 30 days from July to August and sells 40 papers a day.";
        check("answer = 40 * 30", given, &[]);
    }

    #[test]
    fn number_words_are_numbers() {
        let question =
            "Twenty-five pupils in two hundred and six rows, a third of 3.5 million, at 7:45";
        check(
            "a = 25; b = 206; c = 0.333; d = 3_500_000; e = 45",
            question,
            &[],
        );
        check("a = 26; b = 206; c = 0.37", question, &["0.37"]);
    }

    #[test]
    fn programs_that_only_state_values() {
        assert!(computes_nothing("answer = 42"));
        assert!(computes_nothing(
            "def solution():\n    result = 42\n    return result\nprint(solution())"
        ));
        assert!(computes_nothing("a = 3\nb = -4  # 3 * 4\nanswer = b"));
        assert!(!computes_nothing("a = 3\nanswer = a * 2"));
        assert!(!computes_nothing("answer = sum([1, 2])"));
        assert!(!computes_nothing("answer = 0\nfor i in x: answer += i"));
    }
}
