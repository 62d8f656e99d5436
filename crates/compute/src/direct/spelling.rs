//! One spelling for what means the same: signs, contractions, names of units, number words.
//!
//! The first step of reading a question; `text` then marks the values.

use super::number_word;
use crate::pattern::{Rewriting, regex};
use regex::Regex;
use std::sync::LazyLock;

/// Signs and spellings that mean the same. Order matters: later rows see what earlier ones wrote.
const ROWS: &[(&str, &str)] = &[
    (r"what's|whats\b", "what is"),
    (r"\bavg\b\.?", "average"),
    (r"^(?:hiya|heya|yo)\b,?\s*", ""),
    (r"\bcan u\b", "can you"),
    (r"\bgimme\b", "give me"),
    (r"\btot up\b", "add up"),
    (r"\b'?til\b", "till"),
    (r"([a-z] )hrs\b", "${1}hours"),
    (r"([a-z] )mins\b", "${1}minutes"),
    (r",?\s+(?:ta|cheers|thx|ty)[.!]*$", ""),
    (r"^(?:calc|eval)\b:?", "calculate"),
    (r"\bw/\s?", "with "),
    (r"\s*(?:->|=>)\s*", " to "),
    (r"\s@\s", " at "),
    // "48 oz in pounds (weight)": which of two measures the unit belongs to.
    (r"\s*\((?:by )?(?:weight|mass)\)", ""),
    (r"how's", "how is"),
    (r"that's", "that is"),
    (r"it's", "it is"),
    (r"there's", "there is"),
    (r"\bi'm\b", "i am"),
    (r"\bi've\b", "i have"),
    (r"\bi'd\b", "i would"),
    (r"\bi'll\b", "i will"),
    (r"\bwe're\b", "we are"),
    (r"\bwe've\b", "we have"),
    (r"when's", "when is"),
    (r"who's", "who is"),
    (r"\bwe'll\b", "we will"),
    (r"(\d+)\s?'\s?(\d+)(?:''|\x22)?", "$1 feet $2 inches"),
    (r"(\d+)\x22", "$1 inches"),
    // "5ft 10in in cm": the first "in" is a unit, because another word of place follows.
    (
        r"(\d)\s?in\.?\s+(in|to|into|as)\s+([a-z])",
        "$1 inches $2 $3",
    ),
    (r"\bper\s?cent(?:age)?\b|\bpct\b", "percent"),
    (r"\bpercentage\b", "percent"),
    (r"(\d)\s*percent\b", "$1%"),
    // "What % is that": the sign without a number is the word.
    (r"(^|[a-z]\s|[-,:]\s)%(\s|[?.!,]|$)", "${1}percent$2"),
    // "300 g each - how much in total?": a dash before a question is a pause.
    (
        r"\s-+\s+(what|how|which|when|final|total|percent|original|new)\b",
        ", $1",
    ),
    (
        r"(\d)\s*(?:foot|feet|ft)\s+(\d{1,2})\s+(in|to|as)\s+(cm|m|met|centimet)",
        "$1 feet $2 inches $3 $4",
    ),
    // "6 ft 2", "10 stone 4": the smaller unit goes without saying.
    (
        r"(\d)\s*(?:foot|feet|ft)\s+(\d{1,2})(\s*[?.,]|$)",
        "$1 feet $2 inches$3",
    ),
    (
        r"(\d)\s*stones?\s+(\d{1,2})(\s*[?.,]|\s+(?:in|to)\b|$)",
        "$1 stone $2 pounds$3",
    ),
    (r"\bus\s?\$", "$"),
    (r"\bdegrees?\s+(celsius|centigrade|fahrenheit|kelvin)", "$1"),
    (r"°\s?c\b", " degc"),
    (r"°\s?f\b", " degf"),
    (r"°", " degrees"),
    (r"\bdegrees\s+([cf])\b", "deg$1"),
    (
        r"(\d)\s?([cf])\s+(in|to|into|as)\s+([cf])\b",
        "$1 deg$2 $3 deg$4",
    ),
    (
        r"(\d)\s?([cf])\s+(in|to|into|as)\s+(celsius|fahrenheit|kelvin|degc|degf)",
        "$1 deg$2 $3 $4",
    ),
    (
        r"(degc|degf|celsius|fahrenheit|kelvin)\s+(in|to|into|as)\s+([cf])\b",
        "$1 $2 deg$3",
    ),
    (r"(\d)\s?f\b(\s+(?:oven|weather))?", "$1 degf$2"),
    (
        r"\b(?:square|sq\.?)\s+(?:kilomet(?:er|re)s?|km)\b|\bkm²|\bkm\^2",
        "km2",
    ),
    (
        r"\b(?:square|sq\.?)\s+(?:centimet(?:er|re)s?|cm)\b|\bcm²|\bcm\^2",
        "cm2",
    ),
    (
        r"\b(?:square|sq\.?)\s+(?:millimet(?:er|re)s?|mm)\b|\bmm²|\bmm\^2",
        "mm2",
    ),
    (
        r"\b(?:square|sq\.?)\s+(?:met(?:er|re)s?|m)\b|\bm²|\bm\^2|\bsqm\b",
        "m2",
    ),
    (r"(\d)m²", "$1 m2"),
    (r"(\d)cm²", "$1 cm2"),
    (
        r"\b(?:square|sq\.?)\s+(?:feet|foot|ft)\b|\bft²|\bft\^2|\bsqft\b",
        "ft2",
    ),
    (r"\b(?:square|sq\.?)\s+(?:inch(?:es)?|in)\b", "in2"),
    (r"\b(?:square|sq\.?)\s+(?:yards?|yd)\b", "yd2"),
    (r"\b(?:square|sq\.?)\s+(?:miles?|mi)\b", "mi2"),
    (
        r"\bcubic\s+(?:centimet(?:er|re)s?|cm)\b|\bcm³|\bcm\^3",
        "cm3",
    ),
    (r"\bcubic\s+(?:met(?:er|re)s?|m)\b|\bm³|\bm\^3", "m3"),
    (r"\bcubic\s+(?:decimet(?:er|re)s?|dm)\b|\bdm³", "dm3"),
    (r"\bcubic\s+(?:feet|foot|ft)\b|\bft³", "ft3"),
    (r"\bcubic\s+(?:inch(?:es)?|in)\b", "in3"),
    (r"\b(?:us\s+)?(?:fluid|fl\.?)\s*(?:ounces?|oz)\b", "floz"),
    (r"\bnautical\s+mile", "nautical_mile"),
    (r"\b(?:uk|imperial|british)\s+(gallon|pint|mpg)", "uk_$1"),
    (
        r"\bus\s+(gallon|pint|quart|cup|tsp|tbsp|teaspoon|tablespoon|mpg|fluid)",
        "$1",
    ),
    (r"\b(gallons?|cups?|pints?|mpg)\s*\(us\)", "$1"),
    (r"\b(gallons?|pints?|mpg)\s*\((?:uk|imperial)\)", "uk_$1"),
    (r"\bmetric\s+ton", "metric_ton"),
    (r"\b(us|short)\s+ton", "us_ton"),
    (r"\bwatt[- ]hour", "watt_hour"),
    (r"\bkilowatt[- ]hour", "kilowatt_hour"),
    (
        r"\b(?:l|lit(?:er|re)s?)\s*(?:/|per|for|on|every)\s*(?:each\s+)?
          (?:100|a hundred|one hundred)\s*(?:km|kilomet(?:er|re)s?)\b",
        "l/100km",
    ),
    (
        r"\bmiles?\s+(?:per|a|to\s+the)\s+(?:us\s+)?gallon\b(?:\s*\(us\))?",
        "mpg",
    ),
    (r"\bmiles?\s+(?:per|an)\s+hour\b|\bmi/h\b", "mph"),
    (
        r"\b(?:km|kilomet(?:er|re)s?)\s*(?:/|per|an)\s*(?:h|hr|hour)\b|\bkm/hr\b",
        "km/h",
    ),
    (
        r"\b(?:m|met(?:er|re)s?)\s*(?:/|per|a)\s*(?:s|sec|second)\b",
        "m/s",
    ),
    (
        r"\b(?:km|kilomet(?:er|re)s?)\s*(?:/|per)\s*(?:l|lit(?:er|re))\b",
        "km/l",
    ),
    (
        r"\b(?:feet|foot|ft)\s*(?:/|per|a)\s*(?:s|sec|second)\b",
        "ft/s",
    ),
    (r"(\d)\s*(?:/|per|an)\s*hr\b", "$1 per hour"),
    (r"\bhalf\s+an\s+hour\b", "30 minutes"),
    (r"\b(?:a\s+)?quarter\s+of\s+an\s+hour\b", "15 minutes"),
    (
        r"\b(?:an|one)\s+hour\s+and\s+a\s+half\b|\b(?:one|1)\s+and\s+a\s+half\s+hours?\b",
        "90 minutes",
    ),
    (r"\ban\s+hour\s+and\s+a\s+quarter\b", "75 minutes"),
    (
        r"\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten)\s+and\s+a\s+half\b",
        "$1 1/2",
    ),
    (r"\b(?:an|one)\s+hour\s+and\s+(\d+)", "1 hour and $1"),
    (r"\bthree[- ]quarters\s+(?:of\s+)?(?:a|an)\s+", "3/4 "),
    (r"\bthree[- ]quarters\b", "3/4"),
    (r"\btwo[- ]thirds\b", "2/3"),
    (r"\bone[- ]half\b", "1/2"),
    (r"\b(?:a|one)[- ]third\b", "1/3"),
    (r"\b(?:a|one)[- ]quarter\b", "1/4"),
    (r"\bone[- ]fourth\b", "1/4"),
    (r"\bone[- ]fifth\b", "1/5"),
    (r"\bthree[- ]fourths\b", "3/4"),
    (
        r"consumption\s+(?:per|(?:in\s+)?(?:l|lit(?:er|re)s?)\s+per)\s+100\s?
          (?:km|kilomet(?:er|re)s?)\b",
        "consumption in l/100km",
    ),
    (r"\bhalf\s+(?:a|an)\s+", "1/2 "),
    (r"(\d)h(\d{1,2})(?:\s?m(?:ins?)?)?\b", "$1 hours $2 minutes"),
    (r"(\d)\s?h\s(\d{1,2})\s?m\b", "$1 hours $2 minutes"),
    (r"\bp\.\s?p\.|\bpp\b", "per person"),
    (r"\bincl\b\.?", "including"),
    (r"\bexcl\b\.?", "excluding"),
    (
        r"\b(?:swedish|japanese|swiss|indian|mexican|norwegian|danish|american|chinese|us)\s+
          (kron\w+|yen|francs?|rupees?|pesos?|dollars?|yuan)",
        "$1",
    ),
    (r"\b(?:british\s+pounds?|pounds?\s+sterling)\b", "gbp"),
    (r"\bcanadian\s+dollars?", "cad"),
    (r"\baustralian\s+dollars?", "aud"),
    (r"\bapprox\.?", "approximately"),
    (r"\bvs\.?\b", "or"),
    (r"\bo'?clock\b", "oclock"),
    (r"\b(?:a\s+)?quarter\s+past\s+(\d{1,2})", "$1:15"),
    (r"\bhalf\s+past\s+(\d{1,2})", "$1:30"),
];

/// A question without its final marks and its thanks.
pub(super) fn without_thanks(text: &str) -> &str {
    let marks = |text: &str| text.trim_end_matches(['?', '.', '!', ' ', '=', ',']).len();
    let mut text = &text[..marks(text)];
    for thanks in [" please", " pls", " thanks"] {
        text = text.strip_suffix(thanks).unwrap_or(text);
        text = &text[..marks(text)];
    }
    text
}

/// A plain question without how many decimals are wanted ("to 2 decimal places", "one decimal please"), if it says so:
/// frames account for every number, and this one is for whoever writes the result.
pub(super) fn without_precision(plain: &str) -> Option<&str> {
    static PRECISION: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:[\s,.;:?!(-]|\bas\s+a\s+decimal(?:\s+number)?\b)*
              (?:\b(?:please\s+)?(?:give|round(?:ed)?|correct|accurate|answer|state)\b
                (?:\s+(?:it|me|this|that|the\s+(?:answer|result)|your\s+answer|off))*\s+)?
              (?:\b(?:to|with|in|at)\s+)?
              (?:
                \b(?:\d+|one)\s+
                  (?:decimals?(?:\s+places?)?|places?|dp|d\.p\.|digits\s+after\s+(?:the\s+)?(?:decimal\s+)?point)
                |\bgive\s+(?:it|the\s+answer)\s+as\s+a\s+decimal(?:\s+number)?
              )
              (?:\s+(?:please|pls|thanks))?[\s.!?)]*$",
        )
    });
    let tail = PRECISION.find(plain)?;
    Some(&plain[..tail.start()])
}

/// The lower-case text in one spelling, number words as digits.
pub(super) fn plain(question: &str) -> String {
    let mut text = String::with_capacity(question.len());
    for c in question.chars() {
        match c {
            '×' | '✕' | '⋅' | '·' => text.push_str(" * "),
            '÷' => text.push_str(" / "),
            '→' | '⇒' => text.push_str(" to "),
            '−' | '–' | '—' => text.push('-'),
            '’' | '‘' | '′' => text.push('\''),
            '“' | '”' | '„' | '″' => text.push('"'),
            '½' => text.push_str(" 1/2"),
            '¼' => text.push_str(" 1/4"),
            '¾' => text.push_str(" 3/4"),
            '⅓' => text.push_str(" 1/3"),
            '⅔' => text.push_str(" 2/3"),
            '√' => text.push_str(" sqrt "),
            'π' => text.push_str(" pi "),
            '\u{a0}' | '\u{202f}' => text.push(' '),
            _ => text.extend(c.to_lowercase()),
        }
    }
    static SPELLINGS: LazyLock<Rewriting> = LazyLock::new(|| Rewriting::new(ROWS));
    let mut text = SPELLINGS.apply(&text);
    // What is paid or taxed in pounds is money.
    static PAID: LazyLock<Rewriting> = LazyLock::new(|| {
        Rewriting::new(&[
            (
                r"\b(costs?|costing|pay|pays|paid|spen[dt]|earns?|earned|owes?|(?:salary|rent|price|bill) is)
                  \s+([\d.,]*\d)\s+pounds\b",
                "$1 $2 gbp",
            ),
            (
                r"(\d)\s+pounds\s+((?:including|excluding|plus|before|net|gross)\b.*(?:vat|tax))",
                "$1 gbp $2",
            ),
        ])
    });
    text = PAID.apply(&text);
    // Next to other currencies a pound is money.
    static POUND: LazyLock<Regex> = LazyLock::new(|| regex(r"\bpounds?\b"));
    static MONEY: LazyLock<Regex> =
        LazyLock::new(|| regex(r"dollar|usd|euro|\beur\b|[$€]|\byen\b"));
    static MASS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bkg|gram|ounce|\boz\b|weigh|\blbs?\b|\bper pound|\ba pound\b|heavy")
    });
    if POUND.is_match(&text) && MONEY.is_match(&text) && !MASS.is_match(&text) {
        text = POUND.replace_all(&text, "gbp").into_owned();
    }
    let text = text.replace('²', "^2").replace('³', "^3");
    // "Thirty-five percent" has its digits only now.
    static PERCENT: LazyLock<Regex> = LazyLock::new(|| regex(r"(\d)\s*percent\b"));
    let text = number_word::to_digits(&text);
    PERCENT
        .replace_all(&text, "$1%")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
