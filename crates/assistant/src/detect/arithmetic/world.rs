//! Questions whose answer is a property of the world, however many numbers stand in them: cooking times, prices in a
//! city, episodes of a season, what a child of 3 needs. No program can know these.
//!
//! Two tests. [`asked`]: the question itself says so (by custom, law, health, advice). [`out_of_reach`]: what is asked
//! for is of a kind that no number given is of, such as a price where no amount of money is given.
use super::super::{
    pattern,
    table::{Row, Table, row},
};
use regex::Regex;
use std::sync::LazyLock;

/// Whether a question asks for what is so in the world, where nothing but itself gives numbers.
pub(super) fn asked(question: &str) -> bool {
    static FACT: LazyLock<Table> = LazyLock::new(|| Table::new(FACT_ROWS));
    FACT.is_match(question) || asked_by_custom(question) || advises(question)
}

/// Whether a question asks for what is usual, sensible or a matter of cooking.
pub(super) fn asked_by_custom(question: &str) -> bool {
    static CUSTOM: LazyLock<Table> = LazyLock::new(|| Table::new(CUSTOM_ROWS));
    CUSTOM.is_match(question)
}

/// Whether a question asks for advice or custom even where a problem stands before it.
pub(super) fn advises(question: &str) -> bool {
    static ADVICE: LazyLock<Table> = LazyLock::new(|| Table::new(ADVICE_ROWS));
    ADVICE.is_match(question) || asks_opinion(question)
}

/// Whether a question asks for what somebody likes or advises: its answer is no number.
pub(super) fn asks_opinion(question: &str) -> bool {
    static OPINION: LazyLock<Table> = LazyLock::new(|| Table::new(OPINION_ROWS));
    OPINION.is_match(question)
}

/// Whether the quantity asked for is of a kind that the text gives nothing of.
pub(super) fn out_of_reach(text: &str, question: &str) -> bool {
    REACHES.iter().any(|(asked, given)| {
        asked.is_match(question) && {
            let before = text.find(question).map_or("", |at| &text[..at]);
            let behind = text
                .find(question)
                .map_or("", |at| &text[at + question.len()..]);
            let rest = asked.replace_all(question, " ");
            ![before, &rest, behind]
                .iter()
                .any(|part| given.is_match(part))
        }
    })
}

/// Questions that stand alone: without a problem before them these words ask for facts.
const CUSTOM_ROWS: &[Row] = &[
    row(
        "custom",
        r"\b(?:usually|typical(?:ly)?|normally|on average|in general|generally|commonly|recommend\w*|officially
            |currently|nowadays|roughly|realistic\w*|supposed to|average (?:price|cost|height|weight|age|salary
            |lifespan|person|man|woman|male|female|adult|temperature|rent|speed of an?))\b",
        "How tall are 10 year olds on average?",
    ),
    row(
        "advice",
        r"\b(?:should (?:i|we|you|one|an?|my)|best|ideal|good|safe(?:ly)?|healthy|normal|worth it|better to
            |need to know)\b",
        "How often should I water 2 ferns?",
    ),
    row(
        "cooking",
        r"\bhow (?:long|hot|many (?:minutes|hours))\b[^?]*\b(?:boil|bake|cook|roast|fry|grill|steam|simmer|thaw
            |defrost|marinat|proof|brew|rise|rest|soak|smoke|microwave|keep|stay|last|fresh)\w*\b",
        "How long do I roast a 2 kg chicken?",
    ),
];

/// Facts about works, places and people: a problem may be about these, a single question is not.
const FACT_ROWS: &[Row] = &[
    row(
        "works",
        r"\bhow many (?:\w+ )?(?:episodes?|chapters?|seasons?|volumes?|verses?|songs?|tracks?|levels?|sequels?|goals?
            |medals?|titles?|seats?|people|inhabitants|players?|members|states?|countries|moons?|floors?|calories
            |carbs|grams of (?:protein|sugar|fat|carb\w*)|soldiers|victims|editions?|copies|horsepower|megapixels
            |cores)\b",
        "How many chapters are in parts 1 and 2 of the novel?",
    ),
    row(
        "statistics",
        r"\bpercent\w* of (?:the |all )?(?:\w+ )?(?:people|adults|women|men|children|households|population|students
            |companies|families|users|workers|teenagers|americans|germans|europeans|[a-z]+s (?:are|is|have|has|own
            |live|do|use|smoke|drink))\b",
        "What percentage of people between 20 and 30 smoke?",
    ),
    row(
        "learning",
        r"\bhow long\b[^?]*\bto (?:learn|become|grow|heal|recover|build|digest|master|dry|charge|get used)\b
            |\bcalories\b|\bprotein\b",
        "How long does it take 2 coats of paint to dry?",
    ),
    row(
        "places",
        r"\b(?:shops?|stores?|banks?|museums?|flights?|fly|visa|hotels?|rent|airport|population|distance (?:from
            |between)|how far is)\b",
        "What time do banks close on 24 and 31 December?",
    ),
    row(
        "person",
        r"\bhow old (?:was|were|is|are) (?:the )?(?-i:[A-Z])\w+|\b(?:who|whom|whose|why|where)\b",
        "How old was Chopin in 1830?",
    ),
];

/// Advice, custom and law: not even a problem makes these a computation.
const ADVICE_ROWS: &[Row] = &[
    row(
        "law",
        r"\b(?:by law|legally|legal|statutory|allowed|entitled|permitted|under \w+ law|minimum wage|speed limit)\b",
        "How many breaks am I entitled to?",
    ),
    row(
        "health",
        r"\b(?:should|supposed|normal|safe|safely|healthy)\b[^?]*\b(?:sleep|vitamin\w*|dose|dosage|blood pressure
            |heart rate|pulse|weigh)\b|\b(?:ibuprofen|paracetamol|aspirin|dosage)\b|\bshould (?:i|it|he|she|they
            |my \w+|an? \w+|the (?:baby|dog|cat|child)) (?:eat|drink|sleep|weigh|be fed)\b|\bhow (?:much
            |many)(?: hours of)? sleep\b",
        "How much should she sleep?",
    ),
    row(
        "hours",
        r"\bwhat time (?:do|does|is|are)\b[^?]*\b(?:opens?|close[sd]?|sunrise|sunset)\b|\bwhen (?:do|does|is
            |are)\b[^?]*\b(?:opens?|close[sd]?|sunrise|sunset)\b",
        "What time do the shops close?",
    ),
    row(
        "product",
        r"\bbattery\b[^?]*\b(?:last|have|life)\b|\bcompared to\b[^?]*\b(?:inch|model|version)\b|\brelease date\b
            |\bhow often (?:should|do i|must)\b",
        "How long does the battery last?",
    ),
];

/// Opinions and counsel.
const OPINION_ROWS: &[Row] = &[
    row(
        "season",
        r"\bbest (?:time|month|season|way|day|place)\b|\bwhat(?:['’]s| is| are| would be) (?:some |the |a )?(?:good
            |best|nice|recommended|normal|healthy|typical|ideal)\b",
        "What is the best time to visit?",
    ),
    row(
        "counsel",
        r"\bwhat (?:should|can|could|do) (?:i|we|you) (?:do|eat|wear|buy|choose|try|say|think|recommend|suggest|cook
            |visit|see|watch|read)\b|\bhow (?:do|can|should|could) (?:i|we) (?:get|make|improve|learn|become|start
            |stop|avoid|lose|fix)\b",
        "What can we do there?",
    ),
];

/// A kind of quantity that is asked for, and what shows that the text gives something of its kind.
static REACHES: LazyLock<[(Regex, Regex); 3]> = LazyLock::new(|| {
    [
        (
            pattern(
                r"\bhow (?:much|expensive)\b[^?]*\b(?:costs?|rent|fare)\b|\bwhat (?:does|do|would|will
                    |is)\b[^?]*\b(?:costs?|price|rent|fare)\b",
            ),
            pattern(
                r"[$€£¢]|\b(?:dollars?|euros?|cents?|bucks|pounds?|usd|eur|yen|rupees?|costs?|prices?|pays?|paid
                    |charg\w+|sells?|sold|worth|spen\w+|fees?|earn\w*|budget|bought|coins?|pesos?|profit|tax|tip|rent
                    |bill)\b|\d+\.\d\d\b|\bat \d|\b(?:per|each) \d|\d[^.?]* (?:per|each|an?) \w+",
            ),
        ),
        (
            pattern(r"\bhow long\b"),
            pattern(
                r"\b(?:sec\w*|min\w*|hours?|hrs?|days?|weeks?|months?|years?|daily|weekly|monthly|hourly|annual\w*
                    |morning|evening|night|times?|long\w*|length|lengths|inch\w*|feet|foot|ft|yards?|met(?:er|re)s?
                    |miles?|mile|km|cm|mm|centimet\w+|kilomet\w+|m|mph|speed|rate|pace|fast\w*|slow\w*|per|each|every
                    |tall|wide|rectang\w*|square|perimeter|noon|midnight|decades?)\b|\d ?(?:h|s|m|cm|km|mm|ft|in)\b
                    |\d:\d\d|\b(?:am|pm|o['’]clock)\b|\d ?%",
            ),
        ),
        (
            pattern(r"\bhow (?:heavy|much (?:does|do|would|will|should|did) [^?]* weigh)\b"),
            pattern(
                r"\b(?:kg|g|mg|oz|lbs?|grams?|kilograms?|kilos?|ounces?|pounds?|tons?|tonnes?|weigh\w*|heav\w+|lighter
                    |stones?)\b|\d ?(?:kg|g|lbs?|oz)\b",
            ),
        ),
    ]
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_knows_its_example() {
        for rows in [CUSTOM_ROWS, FACT_ROWS, ADVICE_ROWS, OPINION_ROWS] {
            assert_eq!(Table::new(rows).strangers(), [""; 0]);
        }
    }

    #[test]
    fn a_price_needs_money_and_a_weight_needs_weights() {
        let out =
            |text: &str, question: &str| out_of_reach(&format!("{text} {question}"), question);
        assert!(out(
            "We are 2 adults and 3 kids.",
            "How much does a week in Rome cost?"
        ));
        assert!(!out("A night is 80 euros.", "How much do 3 nights cost?"));
        assert!(out("My cat is 4 and my dog is 7.", "How heavy is a dog?"));
        assert!(!out("A box of 12 weighs 3 kg.", "How heavy is one?"));
        assert!(out(
            "I have 12 muffins at 180 degrees.",
            "How long do I bake them?"
        ));
    }
}
