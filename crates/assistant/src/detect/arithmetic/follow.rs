//! Follow-ups: what a person says after a computation, and what only together with it is one.
//!
//! "And with 15 %?", "Make it 8.", "Now add that to 240.", "And per person?". Alone these ask for nothing; behind a
//! question that was a computation they change a number in it or go on with its result. They are short, and say nothing
//! of another topic: a question for a fact stays one ("And how many people live there?").
use super::super::table::{Row, Table, row};
use std::sync::LazyLock;

/// More words than this make a question of their own.
const LONGEST_WORDS: usize = 30;

/// The form of a prompt that goes on with a computation.
pub(super) fn find(prompt: &str) -> Option<&'static str> {
    static FOLLOW: LazyLock<Table> = LazyLock::new(|| Table::new(ROWS));
    static OTHER: LazyLock<Table> = LazyLock::new(|| Table::new(OTHER_ROWS));
    let short = prompt.split_whitespace().take(LONGEST_WORDS + 1).count() <= LONGEST_WORDS;
    if !short || OTHER.is_match(prompt) {
        return None;
    }
    FOLLOW.find(prompt.trim())
}

/// Whether a prompt is a follow-up by its form alone: it begins in the middle.
pub(super) fn elliptic(prompt: &str) -> bool {
    find(prompt).is_some_and(|kind| !matches!(kind, "given more" | "that" | "what remains"))
}

const ROWS: &[Row] = &[
    row(
        "another number",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|thank you|hm+|alright|right|sorry|no|actually|wait|cool|please)\b[,.! ]*)*(?:(?:what|how) (?:about|if)|what would|how would|what will|would it|suppose|say|assume|assuming|imagine|if|when|with|without|for|at|after|before|in|on|by|over|to|and|same|instead|using|use|make|change|let|let['’]s|try|take|only|just|from|until)\b[^?]*<n>",
        "And with 9 guests?",
    ),
    row(
        "another step",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|thank you|next|also|please|can you|could you|i want to|finally|first)\b[,.! ]*)*(?:add|subtract|take|deduct|remove|divide|split|multiply|double|triple|halve|half|round|convert|increase|decrease|reduce|raise|plus|minus|times|include|exclude|apply|square|sum|total|share|express|give it|show it|put)\b[^?]*(?:<n>|\b(?:that|it|this|them|the (?:result|total|sum|answer|rest|difference|number|amount)|in|to|again|both|all|equally|evenly|of us|everything)\b)",
        "Now add that to 50.",
    ),
    row(
        "in other units",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|what(?:['’]s| is| about| would)?|how (?:much|many)(?: is)?|that|it|this|be|is|as)\b[,.! ]*)*(?:in|per|as|to) (?:an? |one |each |the )?(?:total|percent\w*|fraction|decimal|<unit>|km/h|mph|person|head|piece|month|week|year|day|hour|night|kilo|dollars|euros|cents|hours and minutes|celsius|fahrenheit|square \w+|binary|hex\w*|each|item|slice|child|kid|guest|all|words)\W*$",
        "And per month?",
    ),
    row(
        "what remains",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?)\b[,.! ]*)*(?:how (?:much|many|long|far|old|big|high|fast)|what(?:['’]s| is| would| will| was| does| do)?|which)\b[^?]{0,60}\b(?:that|left|remain\w*|altogether|in total|in all|each|per \w+|together|total|then|it|instead|more|less|cheaper|difference|save|saved|pay|owe|spend|rest|combined|extra|both|result|gross|net|i|we)\b[^?]*\??$",
        "And how much is left?",
    ),
    row(
        "without",
        r"^\W*(?:and|but|now|then|so|what about|how about|or)\b,? (?:also )?(?:without|including|excluding|before|after|plus|minus|with) (?:the |any |my |a )?(?:\w+ ?){1,3}\W*$",
        "And without the tip?",
    ),
    row(
        "given more",
        r"<n>[^?]*[.,;:][^?]*\b(?:how|what|which|when)\b[^?]*\?|\b(?:how|what(?:['’]s)?|which|when|is|are|can|do|does|will|would)\b[^?]*<n>[^?]*\?",
        "Paint costs 12 a litre. What do I pay?",
    ),
    row(
        "alone",
        r"^\W*(?:(?:and|or|but|now|then|ok(?:ay)?|no|sorry|make it|i meant|actually|rather)\b[,. ]*)*<d>(?: ?[\w°/%]+){0,3}\W*$",
        "Or 12?",
    ),
    row(
        "that",
        r"\b(?:that|it|result|this|previous|your answer|the (?:total|sum))\b[^?]*<n>|<n>[^?]*\b(?:that|the result|the (?:total|sum)|instead|previous)\b",
        "The price goes up to 80, so change that.",
    ),
];

/// Another topic, though a computation came before.
const OTHER_ROWS: &[Row] = &[
    row(
        "fact",
        r"\b(?:who|whom|whose|why|where|live|lives|population|capital|invented|discovered|founded|wrote|written|author|famous|history|war|president|king|queen|explain|mean by|meaning|stand for|recommend\w*|suggest\w*|tips? for|ideas?|advice|weather|translate|write|poem|story|joke|e-?mail|tell me (?:about|something|a)|summari[sz]e|healthy|calories|restaurants?|recipe for|best|usually|typically|by law|legally|should i (?:buy|do|choose|eat|wear)|lines?|sentences?|paragraphs?|bullets?|bullet points|\d+ words)\b",
        "And why is that 3?",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_knows_its_example() {
        assert_eq!(Table::new(ROWS).strangers(), [""; 0]);
        assert_eq!(Table::new(OTHER_ROWS).strangers(), [""; 0]);
    }
}
