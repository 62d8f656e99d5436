//! Class 1, arithmetic drift: is this a question whose answer is a number that follows from the numbers in it?
//!
//! Called before generation. Three things must come together in the prompt: a question for a quantity ("how many",
//! "what is the total", "calculate"), or an expression to work out; at least two quantities, in digits or words; and no
//! wish for something else (an essay, code, a list). Years, list numbers and the sizes of the answer itself ("in 200
//! words", "3 bullet points") are no quantities.
//!
//! Left out on purpose: counting letters and words (a model's program does not see what the person means by them) and
//! facts ("how many people live in …", "in what year …"): they hold no quantities to compute from.
use super::{Finding, Mask, Side, pattern, sentence};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Longer prompts are documents with numbers in them, not problems.
const LONGEST: usize = 4000;

/// The question for a number, in a prompt that gives what it follows from.
pub fn look(prompt: &str, _response: &str) -> Option<Finding> {
    if prompt.len() > LONGEST {
        return None;
    }
    let mask = Mask::new(prompt);
    let coded = mask.spans().iter().any(|(span, _)| span.len() > 40);
    let masked = mask.blank(prompt);
    if coded || other_wish(&masked) {
        return None;
    }
    let found = |span: Range<usize>, kind| Some(Finding::new(Side::Prompt, prompt, span, kind));
    if let Some(span) = expression(&masked) {
        return found(span, "expression");
    }
    let given = quantities(&masked);
    let sentences = sentence::split(&masked);
    let asking = |asks: fn(&str) -> bool| {
        let asks = |(place, span): &(usize, Range<usize>)| {
            let words = &masked[span.clone()];
            // "What is the difference between a moth and a butterfly?" opens a prompt; a problem comes before its question.
            asks(words) && !(*place == 0 && compares(words))
        };
        sentences
            .iter()
            .cloned()
            .enumerate()
            .rev()
            .find(asks)
            .map(|(_, span)| span)
    };
    let (span, kind) = asking(asks)
        .filter(|_| given.all >= 2)
        .or_else(|| asking(asks_loosely).filter(|_| given.digits >= 3))
        .map(|span| (span, "quantities"))
        .or_else(|| {
            let span = asking(converts).filter(|_| given.all >= 1)?;
            Some((span, "conversion"))
        })?;
    // A puzzle whose numbers are not to be computed with: the logic guard has it.
    super::logic::look(prompt, "")
        .is_none()
        .then(|| found(span, kind))
        .flatten()
}

/// A question with "what" at all: enough where the prompt is full of numbers.
fn asks_loosely(sentence: &str) -> bool {
    static WHAT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bwhat (?:place|floor|temperature|will|would|should|is|was|day|page|position|number|score|level
                |grade|fee|salary|pension)\b[^?]*\?$|\bhow\b[^?]*\b(?:take|cost|last|need)\b[^?]*\?$",
        )
    });
    WHAT.is_match(sentence)
}

/// A question from one unit to another, or from one measure of a shape to another.
fn converts(sentence: &str) -> bool {
    static UNIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bhow (?:many|much)\b[^?]*\b(?:inches|feet|foot|yards?|miles?|meters?|metres?|centimeters?
                |kilometers?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|ounces?|pounds?|grams?|kilograms?
                |kg|tons?|liters?|litres?|gallons?|quarts?|pints?|cups?|cents?|dollars?|dozens?|degrees)\b
                |\bwhat(?:['’]s| is)\b[^?]*\b(?:radius|diameter|circumference|area|perimeter|volume)\b|^\W*convert\b",
        )
    });
    UNIT.is_match(sentence)
}

/// "What is the difference between a moth and a butterfly": no subtraction.
fn compares(sentence: &str) -> bool {
    static COMPARE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bdifferences? between\b"));
    static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bdifferences? between (?:the (?:\w+ )?(?:number|amount|price|cost|two|age|sum|total|weight|length
                |height|distance|score)|their|\$?\d+(?: |,|\.)|these two)",
        )
    });
    COMPARE.is_match(sentence) && !AMOUNT.is_match(sentence)
}

/// Whether the prompt wants something written rather than a number.
fn other_wish(prompt: &str) -> bool {
    static WISH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"(?m)(?:^|[.!?:]\s+)(?:please |can you |could you |would you |I want you to |I need you to |I['’]d like you to |help me |you (?:must
                |should|will|need to) )*(?:write|compose|draft|create|generate|design|implement|code|refactor|debug
                |summari[sz]e|translate|rewrite|rephrase|paraphrase|edit|classify|extract|identify|list|give me|make
                |suggest|recommend|provide|plan|develop|brainstorm|come up with|prove
                |tell)\b(?:[ ,]+[\w'’$%-]+){0,9}?[ ,]+",
            r"(?:essays?|stor(?:y|ies)|poems?|articles?|blogs?|e-?mails?|letters?|functions?|programs?|scripts?
                |codes?|quer(?:y|ies)|class|regex|paragraphs?|posts?|songs?|summar(?:y|ies)|speech|report|reviews?
                |recipes?|ideas?|headlines?|tweets?|captions?|plans?|itinerar(?:y|ies)|lists?|names?|questions?
                |dialogue|script|tables?|outlines?|descriptions?|resume|cv|proposals?|examples?|algorithms?|proof
                |theorem|titles?|jokes?|limericks?|haikus?|lyrics|words|sentences|bullet points?|json|html|csv)\b",
            r#"|\b(?:how many|number of|count the) (?:\w+ )?(?:letters?|characters?|vowels|consonants|syllables
                |words|[a-z]['’]?s)\b[^?.]*\b(?:in (?:the|this) (?:word|sentence|phrase|text|name|string|following)
                |in ["“'‘])"#,
            r"|\b(?:in|using|with) (?:python|java(?:script)?|c\+\+|rust|sql|html|matlab|excel)\b",
            r"|\bhow many \w+(?: \w+){0,3}? (?:can you (?:name|list|think)|do you (?:know|have|like))\b",
        ))
    });
    WISH.is_match(prompt)
}

/// Whether a sentence asks for a quantity.
fn asks(sentence: &str) -> bool {
    static ASK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\bhow (?:much|many|far|long|old|tall|fast|heavy|big|large|high|deep|wide|often|late|early|soon)\b",
            r"|\bhow (?:\w+ ){1,2}(?:is|are|was|were|does|do|did|will)\b[^?]*\bthan\b",
            r"|\bwhat(?:['’]s| is| was| are| were| will| would| should| must| does| did| do| percent\w*| fraction
                | number| amount| portion| time| price| length| width| height| age| profit| size| integer| distance
                | speed| weight| value| temperature| grade| score| average)\b[^?]*\b(?:total|sum|cost|costs|price
                |number|average|mean|median|percent\w*|difference|product|profit|loss|area|perimeter|circumference
                |volume|distance|speed|age|amount|value|ratio|probability|odds|chance|rate|remainder|change|weight
                |height|length|width|depth|salary|revenue|income|earnings|interest|balance|fraction|share|score
                |temperature|time|hours?|minutes?|days?|weeks?|months?|years?|dollars?|cents?|digits?|capacity|size
                |quotient|radius|diameter|gcd|lcm|denominator|multiple|factor|pay|spend|earn|weigh|mass|minimum
                |maximum|largest|smallest|greatest|least|budget|bill|tax|tip|discount|population|altitude|elevation
                |worth|angle|fees?|speeds?|bill|overcharge|scale|grade|combined|altogether|together|left|per)\b",
            r"|\bwhat (?:percent\w*|fraction|portion|number|time)\b",
            r"|^\W*(?:please |then |so,? |now,? )*(?:calculate|compute|(?:find|determine|estimate) (?:the|x|y|n
                |out|how|what|f\(|its|his|her|their|two|all)\b|solve|evaluate (?:the )?(?:following )?(?:expression
                |integral|sum|limit|\d|f\()|work out|figure out|express|simplify)",
            r"|[,;.] (?:please |then )?(?:calculate|compute|find|determine|solve|work out|express|simplify) (?:\w|\$|\\)",
            r"|\bat what (?:time|speed|rate|price|age)\b",
            r"|\bby (?:what|how much|how many)\b",
            r"|\bin how many\b|\bhow many\b",
            r"|\b(?:what|which) (?:is|will be|would be|are) x\b",
            r"|\bwhat (?:is|was|are|were|will be|would be)\b[^?]*\d",
            r"|\b(?:does|do|did|will|is|are|can) \w+(?: \w+){0,4} (?:have|has|need|cost|left|get|pay|owe|make
                |earn) (?:left|in total|altogether|in all)\b",
        ))
    });
    ASK.is_match(sentence)
}

/// An expression to work out: `17 * 23`, `12% of 80`, with a question or nothing around it.
fn expression(prompt: &str) -> Option<Range<usize>> {
    static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\d[\d,.]*\)?\s*(?:[*×÷^+/]|\*\*|−|\s-\s|\bplus\b|\bminus\b|\btimes\b|\bdivided by\b
                |\bmultiplied by\b|\bmod\b)\s*\(?-?\d[\d,.]*|\d[\d,.]*\s*(?:%|percent) of \$?\d|\bsquare root of \d
                |\d+ (?:squared|cubed)\b|\b\d+ factorial\b|\b\d+!(?:\W|$)",
        )
    });
    static AROUND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:what|how much|calculate|compute|evaluate|solve|simplify|work out|find|result|equals?)\b|=\s*\?
                |=\s*$|^[\s\d()+*×÷^/.,%=?-]*$",
        )
    });
    static DATE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\b\d{1,2}/7\b|\b24/7\b"));
    let found = EXPRESSION.find(prompt)?;
    let sentence = sentence::around(prompt, found.start());
    let words = &prompt[sentence.start.min(found.start())..sentence.end.max(found.end())];
    let date = DATE.is_match(found.as_str()) && words.split_whitespace().count() > 8;
    (AROUND.is_match(words) && !date && words.len() < 300).then(|| found.range())
}

/// How many quantities the prompt gives.
struct Given {
    all: usize,
    /// Those written in digits.
    digits: usize,
}

fn quantities(prompt: &str) -> Given {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"(?m)^[ \t]*\(?\d{1,2}[.)]\s",
            r"|\b(?:in|since|until|from|by|of|year|between) (?:1[5-9]|20)\d\d\b(?:\D|$)",
            r"|\b\d+\+? ?-?(?:words?|sentences?|paragraphs?|bullets?|bullet points?|sections?|placeholders?|characters?|examples?)\b",
            r"|\b(?:two|three|four|five|six|seven|eight|nine|ten) (?:words?|sentences?|paragraphs?|bullets?
                |bullet points?|sections?|placeholders?|examples?|different (?:answers|responses))\b",
            r"|(?P<one>[$€£]? ?\d[\d,]*(?:\.\d+)?(?:/\d+)?|\.\d+|\b(?:zero|two|three|four|five|six|seven|eight
                |nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty
                |forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|halves|third|thirds|quarter
                |quarters|fourths?|fifths?|double|doubles|doubled|triple|triples|tripled|twice|thrice|dozen|dozens
                |one|once|pair|couple|week|daily|weekly|monthly|average|both|each|every|square|rectang\w+
                |equilateral)\b)",
        ))
    });
    static DIGIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\d|zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|twenty|thirty|forty|fifty
                |sixty|seventy|eighty|ninety|hundred|thousand|half|third|quarter|double|triple|twice|thrice|dozen
                |pair|one",
        )
    });
    let found: Vec<_> = NUMBER
        .captures_iter(prompt)
        .filter_map(|found| found.name("one").map(|one| one.as_str()))
        .collect();
    // Words like "each" help a number along; alone they are none.
    let numbers = found.iter().any(|one| DIGIT.is_match(one));
    Given {
        all: if numbers { found.len() } else { 0 },
        digits: found
            .iter()
            .filter(|one| one.contains(|c: char| c.is_ascii_digit()))
            .count(),
    }
}
