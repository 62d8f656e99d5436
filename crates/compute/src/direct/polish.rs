//! The last step of reading a question: politeness goes, and what only asks becomes one sign.

use crate::pattern::Rewriting;
use std::sync::LazyLock;

/// Order matters: later rows see what earlier ones wrote.
const POLISHING_ROWS: &[(&str, &str)] = &[
    (r"\s+", " "),
    (r"[()\x22`{}\[\]]", " "),
    (r"\s+", " "),
    (
        r"(
            [NMTLWV]\d+
            (?: (?:gross|net|dollars|off|each|rent|kwh|points|pages|words|steps))?
          ) (?:a|an|each|every|/) (
            hour|day|week|month|year|annum|night|person|head|piece|kg|kilo|lit(?:er|re)|l|
            gallon|pound|lb|share|ticket|minute|second|bottle|box|unit|item|km|kilometer|
            kilometre|mile|m2|m|meter|metre|liter|litre|cup|egg|can|pack|gram|g|oz|shift|
            quarter|dozen|kwh
          )\b",
        "$1 per $2",
    ),
    (r" / ([a-z]+)\b", " per $1"),
    (
        r"\b
          (that|it|this|earn|make|get|pay|save|spend|cost|much) (?:a|an|each|every) (
            hour|day|week|month|year
          )\b",
        "$1 per $2",
    ),
    (
        r"\b(?:please|pls|kindly|thanks|thank you|the|my|our|your|his|their|an|a)\b",
        " ",
    ),
    (r"\s+", " "),
    (
        r"^
          (?: ?
            (?:hey|hi|hello|ok|okay|so|well|quick question|question|quickly|just) [,.:!]*
          )+",
        " ",
    ),
    (
        r"\b
          (?:can|could|would|will) you (?:
            tell me|calculate|compute|work out|figure out|find|give me|convert|
            help me calculate|help me figure out|show me
          )\b",
        " ? ",
    ),
    (
        r"\b
          (?:
            i want to know|i need to know|i would like to know|do you know|any idea|
            i wonder|i am wondering|let me know
          )\b",
        " ? ",
    ),
    (
        r"(^|[.?] ?|, ?)\s*
          (?:
            calculate|compute|work out|figure out|find out|find|determine|evaluate|
            tell me|give me|show me
          )(?: for me)?\b",
        "$1 ? ",
    ),
    (
        r"\b
          (?:
            what is|what are|what was|what were|what will be|what would be|what would|
            how much is|how much are|how much was|how much would be|how much will be|
            what will
          )\b",
        " ? ",
    ),
    (
        r"\? (?:value of|result of|answer to|answer for|answer of|exact value of)\b",
        " ? ",
    ),
    (r"[?!]+\s*$", " "),
    (
        r" ?,? \(?(?:rounded|round|correct)(?: off)? to (?:nearest )?(?:whole )?
          (?:degree|number|integer|percent|cent|dollar|euro|pound|minute|tenth|hundredth)s?\s*$",
        "",
    ),
    (
        r"(?: ?[.,!;=:]| \?| equals?| equal to| is what| is how much| is equal to
            | makes what
          )+\s*$",
        "",
    ),
    (r"\?(?: \?)+", "?"),
    (r"\s+", " "),
];

/// Articles and politeness go, "a" between a number and a unit is "per", and what only asks becomes `?`.
pub(super) fn polish(text: &str) -> String {
    static POLISHING: LazyLock<Rewriting> = LazyLock::new(|| Rewriting::new(POLISHING_ROWS));
    POLISHING.apply(text).trim().to_owned()
}
