//! Follow-ups: what a person says after a computation, and what only together with it is one.
//!
//! "And with 15 %?", "Make it 8.", "Now add that to 240.", "And per person?". Alone these ask for nothing; behind a
//! question that was a computation they change a number in it or go on with its result. They are short, and say nothing
//! of another topic: a question for a fact stays one ("And how many people live there?").
use super::super::{
    pattern,
    table::{Row, Table, row},
};
use regex::Regex;
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

/// "How much should I take for 9 people?": advice by its words, a computation by what came before.
pub(super) fn scales(question: &str) -> bool {
    static SCALE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bhow (?:much|many)\b[^?]*\b(?:should|best|good)\b[^?]*\bfor \d+|\bit (?:be|is)\b",
        )
    });
    SCALE.is_match(question)
}

/// Whether a prompt is a follow-up by its form alone: it begins in the middle.
pub(super) fn elliptic(prompt: &str) -> bool {
    find(prompt)
        .is_some_and(|kind| !matches!(kind, "given more" | "that" | "what remains" | "going on"))
}

const ROWS: &[Row] = &[
    row(
        "another number",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|thank you|hm+|alright|right|sorry|no|actually|wait
            |cool|please|can you|could you|do it|do that|try|the)\b[,.! ]*)*(?:(?:what|how) (?:about|if)|suppose|say
            |assume|assuming|imagine|if|same|instead|using|use|make|change|let|let['’]s|try|take)\b[^?]*(?:<n>
            |\ban? (?:week|month|year|day|hour|third|half))",
        "What about 9 guests?",
    ),
    row(
        "another case",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|hm+|alright|right|sorry|no|actually|wait|please
            |can you|could you|do it|do that|try|it|is)\b[,.! ]*)*(?:with|without|for|at|after|before|in|on|by|over|to
            |from|until|only|just|plus|minus|backwards?)\b,?(?: [\w$€£'’-]+,?){0,4}? ?<n>(?: ?[\w%°/.'’-]+){0,5}\W*$",
        "And with 9 guests?",
    ),
    row(
        "another step",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|thank you|next|also|please|can you|could you
            |i want to|finally|first)\b[,.! ]*)*(?:add|subtract|take|deduct|remove|divide|split|multiply|double|triple
            |halve|half|round|convert|increase|decrease|reduce|raise|plus|minus|times|include|exclude|apply|square|sum
            |total|share|express|give it|show it)\b[^?]*(?:<n>|\b(?:that|it|this|them|the (?:result|total|sum|answer
            |rest|difference|number|amount)|in|to|again|both|all|equally|evenly|of us|everything)\b)
            |^\W*(?:(?:and|but|ok(?:ay)?|now|then|so|please|also)\b[,.! ]*)*(?:remove|exclude|include|deduct|subtract|add|apply) (?:the|my|an?) \w+\W*$",
        "Now add that to 50.",
    ),
    row(
        "in other units",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?|what(?:['’]s| is| about| would)?|how (?:much
            |many)(?: is)?|that|it|this|be|is|as)\b[,.! ]*)*(?:in|per|as|to) (?:an? |one |each |the )?(?:total
            |percent\w*|fraction|decimal|<unit>|km/h|mph|person|head|piece|month|week|year|day|hour|night|kilo|dollars
            |euros|cents|hours and minutes|celsius|fahrenheit|square \w+|binary|hex\w*|each|item|slice|child|kid|guest
            |all|words)\W*$",
        "And per month?",
    ),
    row(
        "what remains",
        r"^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so|great|thanks?)\b[,.! ]*)*(?:how (?:much|many|long|far|old|big
            |high|fast)|what(?:['’]s| is| would| will| was| does| do)?|which)\b[^?]{0,40}\b(?:that|left|remain\w*
            |altogether|in total|in all|each|total|then|instead|cheaper|difference|rest|combined|extra|both|result
            |gross|net)\b[^?]{0,30}\??$
            |^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so)\b[,.! ]*)*how (?:much|many) (?:[\w-]+ ){0,2}(?:do|did|will
            |would|can|could|must) (?:i|we|you|he|she|they|each) (?:have to )?(?:pay|save|owe|spend|earn|get back|get
            |have|need)(?: (?:then|now|in total|left|back|more|each|together))*\W*$
            |^\W*(?:(?:and|or|but|ok(?:ay)?|now|then|so)\b[,.! ]*)*(?:how (?:much|many|long|far)
            |what)(?: [\w-]+)? (?:is|would|will|was|does) it (?:be|cost|come to|make|take|weigh)?(?: ?(?:then|now|in
            |per|after|for|with|at|by|on) (?:<n> ?)?[\w%]*(?: [\w%]+)?)?\W*$",
        "And how much is left?",
    ),
    row(
        "without",
        r"^\W*(?:and|but|now|then|so|what about|how about|or)\b,? (?:also )?(?:without|including|excluding|before
            |after|plus|minus|with|for) (?:the |any |my |a )?(?:\w+ ?){1,3}\W*$",
        "And without the tip?",
    ),
    row(
        "going on",
        r"^\W*(?:and|but|so|then|now|or|ok(?:ay)?)\b[^?]*<n>[^?]*\?|^\W*(?:sorry|no|wait|actually|but|oh)\b[^?]*<n>
            |\b(?:how|what|which|is|are|can|do|does|will|would)\b[^?]*\b(?:that|then|instead|each|left|total
            |altogether|again|same|them|those|to reach|to get to)\b[^?]*<n>[^?]*\?",
        "And how many trays for 9 guests?",
    ),
    row(
        "given more",
        r"<n>[^?]*[.,;:] [^?]*\b(?:how|what|which|when)\b[^?]*\?|<n>[^?]*[.,;:] [^?]*\b(?:total|price|sum|cost|balance
            |result)\?",
        "Paint costs 12 a litre. What do I pay?",
    ),
    row(
        "alone",
        r"^\W*(?:(?:and|or|but|now|then|ok(?:ay)?|no|sorry|make it|i meant|actually
            |rather)\b[,. ]*)*<d>(?: ?[\w°/%]+){0,3}\W*$",
        "Or 12?",
    ),
    row(
        "that",
        r"\b(?:that|the result|previous|your answer|the (?:total|sum)|do it|do the same)\b[^?]*<n>|<n>[^?]*\b(?:that
            |the result|the (?:total|sum)|instead|previous)\b",
        "The price goes up to 80, so change that.",
    ),
    row(
        "how many more",
        r"^\W*(?:and |so |then )?how (?:much|many) (?:more|less|fewer)\b[^?]*<n>
            |^\W*(?:and |so |then )?how (?:much|many|long) (?:would|will) <n> [\w-]+(?: [\w-]+)?(?: be| cost| take| come to)?\W*$",
        "How many more do I need to reach 90?",
    ),
];

/// Another topic, though a computation came before.
const OTHER_ROWS: &[Row] = &[
    row(
        "fact",
        r"\b(?:who|whom|whose|why|where|live|lives|population|capital|invented|discovered|founded|wrote|written|author
            |famous|history|war|president|king|queen|explain|mean by|meaning|stand for|recommend\w*|suggest\w*
            |tips? for|ideas?|advice|weather|translate|write|poem|story|joke|e-?mail|tell me (?:about|something|a)
            |summari[sz]e|healthy|calories|restaurants?|recipe for|best|usually|typically|by law|legally
            |should i (?:buy|do|choose|eat|wear)|lines?|sentences?|paragraphs?|bullets?|bullet points|\d+ words)\b",
        "And why is that 3?",
    ),
    row(
        "words",
        r"^\W*(?:please |can you |could you )*(?:explain|describe|turn|list|name|compare|discuss|extract|rewrite|fix
            |proofread|define|write|sort these (?:names|words)|put these words)\b",
        "Turn this into a table: Ida 12",
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
