//! What a prompt with a problem in it asks for: the question behind "Mia has 3 apples and buys 5 more."
//!
//! Here the numbers are given before the question, so that almost any question for a quantity will do. What asks for
//! something to be written, or compares two things in words, is told apart.
use super::super::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Whether a sentence asks for a quantity.
pub(super) fn asks(sentence: &str) -> bool {
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
            r"|[,;.] (?:please |then )?(?:calculate|compute|find|determine|solve|work out|express|simplify) (?:\w|\$
                |\\)",
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

/// A question with "what" at all: enough where the prompt is full of numbers.
pub(super) fn asks_loosely(sentence: &str) -> bool {
    static WHAT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bwhat (?:place|floor|temperature|will|would|should|is|was|day|page|position|number|score|level
                |grade|fee|salary|pension)\b[^?]*\?$|\bhow\b[^?]*\b(?:take|cost|last|need)\b[^?]*\?$",
        )
    });
    WHAT.is_match(sentence)
}

/// A question from one unit to another, or from one measure of a shape to another.
pub(super) fn converts(sentence: &str) -> bool {
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
pub(super) fn compares(sentence: &str) -> bool {
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
pub(super) fn other_wish(prompt: &str) -> bool {
    static WISH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"(?m)(?:^|[.!?:]\s+)(?:please |can you |could you |would you |I want you to |I need you to 
                |I['’]d like you to |help me |you (?:must
                |should|will|need to) )*(?:write|compose|draft|create|generate|design|implement|code|refactor|debug
                |summari[sz]e|translate|rewrite|rephrase|paraphrase|edit|classify|extract|identify|list|give me|make
                |suggest|recommend|provide|plan|develop|brainstorm|come up with|prove
                |tell)\b(?:[ ,]+[\w'’$%-]+){0,9}?[ ,]+",
            r"(?:essays?|stor(?:y|ies)|poems?|articles?|blogs?|e-?mails?|letters?|functions?|programs?|scripts?
                |codes?|quer(?:y|ies)|class|regex|paragraphs?|posts?|songs?|summar(?:y|ies)|speech|report|reviews?
                |recipes?|ideas?|headlines?|tweets?|captions?|plans?|itinerar(?:y|ies)|lists?|names?|questions?
                |dialogue|script|tables?|outlines?|descriptions?|resume|cv|proposals?|examples?|algorithms?|proof
                |theorem|titles?|jokes?|limericks?|haikus?|lyrics|words|sentences|bullet points?|json|html|csv)\b",
            r"|\b(?:how many|number of|count the) (?:\w+ )?(?:syllables|words)\b[^?.]*\bin (?:the|this) (?:word
                |sentence
                |phrase|text|name|string|following)",
            r"|\b(?:in|using|with) (?:python|java(?:script)?|c\+\+|rust|sql|html|matlab|excel)\b",
            r"|\bhow many \w+(?: \w+){0,3}? (?:can you (?:name|list|think)|do you (?:know|like))\b",
        ))
    });
    WISH.is_match(prompt)
}

/// Any question that could be for a quantity: enough behind two numbers in digits. "Final price?" is one too.
pub(super) fn asks_briefly(sentence: &str) -> bool {
    static BRIEF: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:(?:and|so|then|now|also|ok(?:ay)?)\b,? )*(?:what(?:['’]s)?|how|which|when|at what
                |by what)\b[^?]*\?$
                |[,;:] (?:and |so |then )?(?:what(?:['’]s)?|how (?:much|many|long|far|old)|which|when)\b[^?]*\?$
                |^\W*(?:[\w'’-]+ ){0,3}(?:price|total|cost|balance|profit|loss|change|amount|sum|result|average|score
                |speed|area|tip|pay|wage|salary|grade|weight|age|time|distance|volume|rest|percent\w*|each|left
                |per \w+)\?$
                |\b(?:do i|can i|will i|is it|is that|am i|did i|are we|do we|can we|will it|is this)\b[^?]*\?$",
        )
    });
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:best|good|recommend\w*|think|mean|means|called|names?|happen\w*|purpose|explain|why|who|like|advice
                |opinion
                |reasons?|ways|steps|causes?|effects?|lessons?|role|difference between|pros|benefits|ok|okay|normal
                |safe
                |healthy|wrong|possible|famous|how (?:do|can|should|could|would|did|to)|what (?:are|were|does it|kind
                |sort|type|makes)
                |which (?:of|country|city|book|film|movie|language|person|team))\b",
        )
    });
    let short = sentence.split_whitespace().take(31).count() <= 30;
    short && BRIEF.is_match(sentence) && !OTHER.is_match(sentence)
}

/// Whether a prompt says how the answer is to be written: its numbers may be about that.
pub(super) fn sets_form(prompt: &str) -> bool {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:response|responses|include|sentences?|paragraphs?|keywords?|words|overlap|postscript|double quotes
                |bullet
                |wrap|letters|commas|declarative|century|your answer|the answer must|format)\b",
        )
    });
    FORM.is_match(prompt)
}

/// "Each pack has 12 eggs, how many are in 5?", "How much is it if one costs 3?": a problem in one sentence.
pub(super) fn gives_first(sentence: &str) -> bool {
    static FIRST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred
                |half|twice|dozen)\b)[^?]*[,.:;–—-]\s+(?:(?:and|then|so|but|in total|on average|altogether),? )?(?:how
                |what|which|when|at what|in how|by how|for how|after how|find|calculate|determine|express|solve)\b
                |\bif\b[^?]*(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|half|twice
                |double|dozen)\b)",
        )
    });
    FIRST.is_match(sentence)
}

/// "Split 96 four ways", "Convert …", "Sort …": a command that is a computation.
pub(super) fn commands(sentence: &str) -> bool {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:please |now |then |can you |could you )*(?:calculate|compute|convert|split|divide|multiply|add
                |subtract|sum|double|triple|halve
                |round|simplify|solve|evaluate|sort|order|put|arrange|spell|reverse|work out|figure out|find|determine
                |estimate|factor\w*|square|share|take)\b",
        )
    });
    COMMAND.is_match(sentence)
}

/// Whether a sentence begins as a wish for words: "Explain the 80/20 rule".
pub(super) fn tells(sentence: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:please |can you |could you |would you |i want you to |help me (?:to )?|now |then )*(?:explain
                |describe|tell|write|translate
                |summari[sz]e|give|fix|list|name|plan|recommend|suggest|turn|extract|proofread|rewrite|create|make
                |discuss|define|rephrase|correct|edit|review|draft|generate|imagine|act|pretend|who|why|where|show
                |provide|help|teach|analy[sz]e|classify|identify|compose|design|develop|build|implement|brainstorm
                |outline|prepare|return|answer|respond|repeat|say|be|you|your|remember|think|talk|mention|use)\b",
        )
    });
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?:please |can you |could you )*(?:give|tell|show) me (?:the |what(?:['’]s| is) |how (?:much
                |many) )*(?:sum|total|average|mean|median|result
                |percent\w*|answer|value|product|area|\d)",
        )
    });
    WORDS.is_match(sentence) && !NUMBER.is_match(sentence)
}
