//! Puzzles as people ask them: a few short sentences, no lettered options, an answer that is a name or a yes.
//!
//! Each row pairs what the text states with the question that goes with it; both must be there. Only short texts are
//! read: a long one that happens to say "label" and "wrong" is about something else.
use super::super::{
    pattern,
    table::{Row, Table, row},
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Longer texts are no riddle.
const LONGEST: usize = 1200;

/// A puzzle among these sentences: its first sentence and its kind.
pub(super) fn find(
    text: &str,
    sentences: &[(Range<usize>, &str)],
) -> Option<(Range<usize>, &'static str)> {
    if text.len() > LONGEST {
        return None;
    }
    let first = sentences.first()?.0.clone();
    if compares(text) && asks_for_place(text) {
        return Some((first, "order"));
    }
    static RIDDLES: LazyLock<Table> = LazyLock::new(|| Table::new(ROWS));
    if supposes(sentences.last()?.1) {
        return Some((first, "syllogism"));
    }
    // Behind "cup A." no sentence ends, so that a riddle may be a single one.
    let asked = sentences.iter().rfind(|(_, words)| words.ends_with('?'))?.1;
    if personal(asked) {
        return None;
    }
    if let Some(kind) = RIDDLES.find(&text.replace('\n', " ")) {
        return Some((first, kind));
    }
    let (question, stated) = question(sentences)?;
    let kinds = [
        ("syllogism", syllogism(&stated, question)),
        ("conditional", conditional(&stated, question)),
        ("assignment", assignment(&stated, question)),
    ];
    kinds
        .into_iter()
        .find_map(|(kind, is)| is.then_some((first.clone(), kind)))
}

/// Whether a text asks who or what has a place in an order: "Who came third?", "Which book is in the middle?"
pub(super) fn asks_for_place(text: &str) -> bool {
    static PLACE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:who|which(?: \w+){0,2}|what(?: \w+)?|whose)\b[^?.]*\b(?:oldest|youngest|tallest|shortest|heaviest
                |lightest|fastest|slowest|richest|poorest|biggest|largest|smallest|cheapest|newest|longest|highest
                |lowest|nearest|farthest|strongest|fewest|most|least|first|second|third|fourth|fifth|last|middle|won
                |wins|winner
                |leftmost|rightmost|opposite|sits? between|stands? between|next to|far left|far right|at the (?:top
                |bottom|end|front|back))\b[^?.]*\?
                |\b(?:in what order|what(?:['’]s| is) the order|order (?:them|these|the \w+) (?:from|by)
                |rank them)\b",
        )
    });
    text.len() <= LONGEST && PLACE.is_match(text)
}

/// Two comparisons of people: "Anna has more than Ben", "Sue came before Tom but after Uma".
fn compares(text: &str) -> bool {
    static COMPARISON: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:has|have|had|owns?|got|ate|read|scored|earns?|runs?|jumps?|lives?) (?:more|fewer|less|faster|slower
                |higher|further|farther)(?: \w+)? than (?-i:[A-Z])\w+
                |\b(?:came|arrived|finished|left|ran|was|is|stands?|sits?) (?:\w+ )?(?:before|after|ahead of
                |behind) (?-i:[A-Z])\w+|\bbut (?:before|after|behind|ahead of) (?-i:[A-Z])\w+
                |\b(?:beats?|overtook|defeated) (?-i:[A-Z])\w+",
        )
    });
    COMPARISON.find_iter(text).take(2).count() == 2
}

/// "If all A are B and some B are C, are some A C?"
fn supposes(question: &str) -> bool {
    static SUPPOSE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:if|suppose|given that) (?:all|every|no|some|most)\b[^?]*\b(?:and|,) (?:all|every|no|some|most
                |\w+ is an?)\b[^?]*, (?:then )?(?:are|is|do|does|can|must|will|have)\b[^?]*\?",
        )
    });
    SUPPOSE.is_match(question)
}

/// A row reaches over several sentences; the text is on one line.
const ROWS: &[Row] = &[
    row(
        "shuffle",
        r"\b(?:swap|switch|exchange|trade)\w*\b[^.?]* (?:and|with) [^.?]*\b(?:left|right|middle|first|second|third|top
            |bottom|red|blue|green|last|cups?|shells?|box(?:es)?|seats?|cards?|jars?|hats?)\b.*\b(?:which|where|what
            |who)\b[^?]*\?",
        "A ring is in the red box. I swap the red and the blue box. In which box is the ring?",
    ),
    row(
        "shuffle",
        r"\b(?:swap|switch|exchange)\w*\b[^.?]*\b(?:cups?|shells?|boxes|balls|cards|seats|hats|jars)\b.*\b(?:which
            |where|who)\b[^?]*\?",
        "The nut is under cup A. I swap cups A and B. Where is the nut?",
    ),
    row(
        "labels",
        r"\blabel\w*\b.*\b(?:wrong|incorrect|false|mislabel\w*|lie|lies|true)\b.*\b(?:which|where|what|who
            |how)\b[^?]*\?|\bmislabel\w*\b.*\?",
        "Two jars are labelled salt and sugar, both wrong. What is in the jar labelled salt?",
    ),
    row(
        "truth-tellers",
        r"\b(?:only|exactly|just|at least) (?:one|two)\b[^.?]*\b(?:lying|lies?|liars?|truth|true|honest
            |false)\b.*\b(?:who|which|whose|where)\b[^?]*\?|\bsa(?:ys|id)\b.*\bsa(?:ys|id)\b.*\b(?:only|exactly
            |just) (?:one|two)\b[^.?]*\b(?:lying|lies?|truth|true|right|false)\b",
        "Max says Nora did it. Nora says Otto did it. Only one tells the truth. Who did it?",
    ),
    row(
        "days",
        r"\b(?:yesterday|tomorrow|today|the day (?:after|before))\b.*\b(?:mon|tues|wednes|thurs|fri|satur
            |sun)day\b.*\b(?:what|which) (?:week)?day\b[^?]*\?",
        "The day before yesterday was Monday. What day is tomorrow?",
    ),
    row(
        "race",
        r"\b(?:overtak\w+|pass(?:es|ed)?)\b[^.?]*\b(?:second|third|last|first)\b.*\b(?:what|which) (?:place
            |position)\b[^?]*\?",
        "In a race you overtake the runner in second place. What place are you in?",
    ),
    row(
        "kinship",
        r"\bbrothers and sisters i have none\b|\b(?:father|mother|son|daughter|brother|sister)['’]s\b[^?]*\b(?:father
            |mother|son|daughter|brother|sister)\b.*\bwho\b[^?]*\?",
        "He is my mother's only son's father. Who is he?",
    ),
    row(
        "name",
        r"['’]s (?:father|mother|parents) (?:has|have|had)\b.*\b(?:daughters|sons|children|kids)\b.*\bname\b[^?]*\?",
        "Uma's mother has two daughters: Ada and …? What is the name of the second?",
    ),
    row(
        "direction",
        r"\b(?:north|south|east|west)\b.*\bturns?\b.*\b(?:left|right)\b.*\b(?:which|what) (?:direction|way)\b[^?]*\?",
        "Ida faces north and turns right twice. Which direction does she face?",
    ),
    row(
        "crossing",
        r"\b(?:wolf|goat|cabbage|missionar\w+|cannibals?)\b.*\b(?:river|boat)\b.*\?",
        "A wolf, a goat and a cabbage must cross a river in a boat. How?",
    ),
];

/// The last sentence with a question mark, and those without one.
fn question<'a>(sentences: &[(Range<usize>, &'a str)]) -> Option<(&'a str, Vec<&'a str>)> {
    let asks = |words: &&str| words.ends_with('?');
    let words = || sentences.iter().map(|(_, words)| *words);
    let question = words().rfind(asks)?;
    let stated: Vec<_> = words().filter(|words| !asks(words)).collect();
    (!stated.is_empty()).then_some((question, stated))
}

/// Whether a question is about the one who asks or the one who answers, or for advice: nothing follows then.
fn personal(question: &str) -> bool {
    static PERSONAL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:should|you think|your|do you|can you|could you|would you|legal|ok|okay|best|better|recommend|advice
                |normal|why|do i|can i|how do|how can)\b",
        )
    });
    PERSONAL.is_match(question)
}

/// "All A are B and no B are C. Are some A C?"
fn syllogism(stated: &[&str], question: &str) -> bool {
    static UNIVERSAL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:all|every|each|no|some|most|any) (?:[\w-]+ ){1,3}?(?:is|are|have|has|can|likes?|eats?|lives?|flies
                |fly|swims?|sings?|barks?|wears?|knows?|owns?|speaks?|loves?|plays?)\b",
        )
    });
    static ASK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:so |then |therefore |hence )?,?(?:is|are|does|do|can|must|could|will|has|have)\b
                |\b(?:does it follow|does that mean (?:that )?(?:all|every|some|no)|can we (?:conclude|say|be sure)
                |it follow)\b",
        )
    });
    let rules: usize = stated
        .iter()
        .map(|words| UNIVERSAL.find_iter(words).take(3).count())
        .sum();
    // One rule is enough with a fact of the same thing beside it: "All cats purr. Tom is a cat. Does Tom purr?"
    let short = question.split_whitespace().take(21).count() <= 20;
    let enough = rules >= 2 || rules == 1 && stated.len() >= 2;
    enough && short && ASK.is_match(question) && shares_word(stated, question)
}

/// "If it rains, the street is wet. The street is dry. Did it rain?"
fn conditional(stated: &[&str], question: &str) -> bool {
    static IF: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^\W*(?:if|whenever|when) [^,]+,|\b(?:only if|only when|unless|whenever)\b")
    });
    static FIRST_PERSON: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:i|we|my|our|you|your|please)\b"));
    static ASK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:so |then )?,?(?:is|are|was|were|does|do|did|can|must|could|will|has|have)\b|\bcan we conclude\b
                |\bdoes it follow\b",
        )
    });
    stated.len() >= 2
        && stated.iter().any(|words| IF.is_match(words))
        && !stated.iter().any(|words| FIRST_PERSON.is_match(words))
        && ASK.is_match(question)
        && shares_word(stated, question)
}

/// "Ann, Bea and Cleo each own a different pet. Ann has no dog. … Who owns the fish?"
fn assignment(stated: &[&str], question: &str) -> bool {
    static PEOPLE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?-i:[A-Z][a-z]+)(?:, (?-i:[A-Z][a-z]+))+,? and (?-i:[A-Z][a-z]+)\b|\beach\b[^.?]*\bdifferent\b
                |\bdifferent\b[^.?]*\beach\b",
        )
    });
    static CLUE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:not|doesn['’]t|isn['’]t|neither|nor|never|no|cannot|can['’]t|hates|either|next to|the one who
                |the person who|the owner|hasn['’]t|didn['’]t|lives in|drinks|owns|wears|always)\b",
        )
    });
    static ASK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:so |then )?,?(?:who|whose|which|what|where)\b[^?]*\b(?:has|have|own\w*|got|drinks?|wears?|drives?
                |plays?|likes?|lives?|is|chose|ordered|ate|plays|keeps?|teach\w*|works?|bought|belongs?|colou?r|pet
                |does)\b",
        )
    });
    let clues = stated.iter().filter(|words| CLUE.is_match(words)).count();
    let enough = clues >= 2 || clues == 1 && stated.len() >= 3;
    enough && stated.iter().any(|words| PEOPLE.is_match(words)) && ASK.is_match(question)
}

/// Whether the question takes up a word of what is stated; plurals count as the same.
fn shares_word(stated: &[&str], question: &str) -> bool {
    let roots = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() >= 3)
            .filter(|word| {
                !matches!(
                    *word,
                    "all" | "are" | "the" | "and" | "some" | "does" | "did" | "has"
                )
            })
            .map(|word| word.chars().take(4).collect())
            .collect()
    };
    let known: Vec<String> = stated.iter().flat_map(|words| roots(words)).collect();
    let asked = roots(question);
    asked.iter().filter(|root| known.contains(root)).count() >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_knows_its_example() {
        assert_eq!(Table::new(ROWS).strangers(), [""; 0]);
    }
}
