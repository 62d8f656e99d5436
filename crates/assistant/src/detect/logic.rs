//! Class 2, logic variance: is this a puzzle of people, objects or positions whose answer follows from relations?
//!
//! Called before generation. Each kind of puzzle has its own evidence; none fires on one sentence alone but the
//! classical ones (brothers and sisters). Relations are counted by sentence, so that an essay that compares two things
//! once is no puzzle. What asks for something to be written is none either. Puzzles as people put them to each other,
//! short and without options, are in `plain`.
use super::{Finding, Mask, Side, pattern, sentence};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

mod plain;

/// Longer prompts are documents.
const LONGEST: usize = 6000;

/// The relations of a puzzle, with a question about what follows from them.
pub fn look(prompt: &str, _response: &str) -> Option<Finding> {
    if prompt.len() > LONGEST {
        return None;
    }
    let masked = Mask::new(prompt).blank(prompt);
    if let Some(span) = boolean(&masked) {
        return Some(Finding::new(Side::Prompt, prompt, span, "boolean"));
    }
    if wants_text(&masked) {
        return None;
    }
    let sentences: Vec<_> = sentence::split(&masked)
        .into_iter()
        .map(|span| (span.clone(), &masked[span]))
        .collect();
    let asks = asks(&masked);
    RULES
        .iter()
        .find_map(|rule| {
            let mut hits = sentences
                .iter()
                .filter(|(_, words)| rule.relation.is_match(words));
            let first = hits.next()?.0.clone();
            // Names of one letter hide the ends of sentences: an order is counted by its relations too.
            // So does a single sentence: "Tom is taller than Sam but shorter than Uwe. Who is the tallest?"
            let enough = 1 + hits.count() >= rule.least
                || (rule.kind == "shuffle"
                    || rule.kind == "order"
                        && (CHOICE.is_match(&masked) || plain::asks_for_place(&masked)))
                    && rule.relation.find_iter(&masked).count() >= rule.least;
            (enough && asks && named(rule.kind, &masked)).then_some((first, rule.kind))
        })
        .or_else(|| plain::find(&masked, &sentences))
        .map(|(span, kind)| Finding::new(Side::Prompt, prompt, span, kind))
}

/// One kind of puzzle.
struct Signal {
    kind: &'static str,
    /// A sentence that states a relation.
    relation: &'static LazyLock<Regex>,
    /// How many such sentences make a puzzle.
    least: usize,
}

static RULES: [Signal; 7] = [
    rule("truth-tellers", &TRUTH, 2),
    rule("shuffle", &SWAP, 2),
    rule("order", &ORDER, 2),
    rule("kinship", &KIN, 1),
    rule("verdict", &RULE, 1),
    rule("conditions", &CONDITION, 3),
    rule("syllogism", &RULE, 3),
];

const fn rule(kind: &'static str, relation: &'static LazyLock<Regex>, least: usize) -> Signal {
    Signal {
        kind,
        relation,
        least,
    }
}

static TRUTH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:tells? the truth|tells? lies|always lies?|(?-i:[A-Z])\w+ lies\b|is lying|liars?|knights?
            |knaves?|truth-?tellers?|says (?:that )?\w+ (?:lies|is (?:a )?(?:liar|lying|knight|knave)|tells))\b",
    )
});
static SWAP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-i:[A-Z])\w+ and (?-i:[A-Z])\w+ (?:then )?(?:swap|switch|trade|exchange)\w*\b
            |(?-i:[A-Z])\w+ (?:then )?(?:swap|switch|trade|exchange)\w* (?:[\w'’]+ ){0,7}with (?-i:[A-Z])\w+",
    )
});
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?:immediately |directly |somewhere |just |further )?(?:to the (?:left|right) of|left of
            |right of)|(?:second|third|fourth|fifth|sixth|seventh)?-? ?(?:from the (?:left|right|top|bottom
            |front|back)|to last)|leftmost|rightmost",
        r"|(?:is|are|was|were|sits?|seated|stands?|parked|lives?|finish\w*|placed|ranked) (?:\w+ )?(?:older
            |younger|newer|taller|shorter|heavier|lighter|faster|slower|richer|cheaper|more expensive
            |less expensive|bigger|smaller|larger|next to|between|beside|adjacent to|opposite|behind|in front of
            |ahead of|above|below|before|after|first|second|third|fourth|fifth|last|the (?:\w+-)?(?:most|least
            |second|third|fourth|fifth|sixth|oldest|newest|cheapest|tallest|shortest|youngest|heaviest|lightest
            |fastest|slowest))\b",
        r"|finish\w* (?:above|below|first|second|third|fourth|fifth|sixth|seventh|last|second-to-last|third-to-last|before|after)",
        r"|(?:costs?|weighs?|earns?|scored?) (?:more|less) than",
        r"|(?:earlier|later|higher|lower) (?:\w+ )?than |(?:earlier|later|older|newer|younger|taller|shorter
            |heavier|lighter|faster|slower|cheaper|richer) than (?:the |(?-i:[A-Z])))",
    ))
});
static KIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:has|have|had) (?:\w+ )?(?:one|two|three|four|five|six|seven|an?|\d+) (?:\w+ )?(?:brothers?
            |sisters?|siblings?|sons?|daughters?)\b|\b(?-i:[A-Z])\w* is (?-i:[A-Z])\w*['’]s? (?:father|mother
            |brother|sister|son|daughter|uncle|aunt|cousin|husband|wife|grand\w+|niece|nephew)\b
            |\b(?-i:[A-Z])\w* is the (?:father|mother|brother|sister|son|daughter|uncle|aunt|cousin|husband|wife
            |grand\w+|niece|nephew)(?:-in-law)? of\b|\b(?-i:[A-Z])\w*['’]s? (?:father|mother|brother|sister|son|daughter
            |uncle|aunt|cousin|husband|wife|grand\w+|niece|nephew)(?:-in-law)? is (?-i:[A-Z])
            |\b(?:father|mother|brother|sister|son|daughter|husband|wife)['’]s (?:only )?(?:father|mother|brother|sister|son
            |daughter|child|husband|wife)\b",
    )
});
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:must|cannot|can|may|does|will|is|are) (?:\w+ )?(?:not |both |all |either |only )?(?:be |also )?(?:\w+ ){0,2}(?:be(?:fore
            |tween)?|assigned|selected|scheduled|performed|included|earlier|later|adjacent|consecutive
            |at the same time|together|same|first|last|unless|only if|if|immediately|not|exactly|least)\b
            |\bexactly (?:one|two|three|four|five|six|seven|once)\b|\bat (?:least|most) (?:one|two|three|four)\b
            |\bno (?:two|more than|other|one)\b|^if \w+[^,]*,? (?:then )?[^.]*\b(?:must|cannot|is|are|does)\b
            |\b(?:either|neither)\b|\bonly if\b|\bunless\b|\b(?:must|cannot)\b|\beach (?:of the
            |\w+) (?:\w+ )?(?:must|is|has|exactly|will|visits|speaks|performs?)\b",
    )
});
static RULE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\[bg\] )?(?:all|every|each|no|some|any|only|none|if|everyone|everything|someone|something
            |nothing|anyone|people|things) |^(?:\w+ ){1,3}(?:is|are|was|were) (?:not )?(?:an? |the |either |both )?[\w-]+(?: [\w-]+){0,5}[.]?$
            |^the \w+ (?:does not |is not )?(?:\w+s?) (?:the )?\w+[.]?$|\bif (?:some(?:one|thing)|they|it|an?
            |the|he|she|all)\b|^(?-i:[A-Z])\w+ (?:is|are|does|plays?|likes?|has|have|was|can|will|knows|lives?) ",
    )
});

/// Whether there is a question about what follows: options, "which of the following", "is … true", "who", "how many".
fn asks(prompt: &str) -> bool {
    static ASK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\boptions:|(?m)^\s*\(?[A-E][).] |\bwhich (?:one )?of the following\b|\b(?:true|false)(?:,
                | or) (?:or )?(?:false|true|unknown|uncertain)\b",
            r"|\b(?:true, false|must be true|could be true|cannot be true|must be false)\b|\bthen the (?:third )?statement is\b",
            r"|\b(?:who|whose|where|which|what)\b[^.?\n]*\?|\bhow many\b[^.?\n]*\?|\bdoes \w+ (?:tell the truth
                |lie)\b|\bis \w+ (?:a )?(?:lying|liar|knight|knave)",
            r"|\b(?:relationship between|in what order|what order|determine (?:the|who|which|where)
                |at the end of the \w+|order (?:them|these|the \w+) (?:from|by)|rank them)\b|\b(?:is|does|can) (?:it|the following|this)\b[^.?\n]*(?:follow|true
                |conclude|valid)",
            r"|\b(?:must|could|can|cannot|may)\b[^.?\n]*(?:\?|:|either|which|who)\s*$",
        ))
    });
    ASK.is_match(prompt)
}

static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:which (?:one )?|any )of the following\b|\b(?:must|could|cannot|can) be (?:true|false)\b
            |(?m:^\s*\(?[A-E][).] )|\boptions:|\bthe following (?:conditions|constraints|rules|clues)\b",
    )
});

/// What a kind of puzzle needs beside its relations.
fn named(kind: &str, prompt: &str) -> bool {
    static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:statements?|following|conclusion|claim|is it|whether)\b[^.?\n]{0,100}\b(?:true|false)(?:,
                | or) (?:or )?(?:false|true|unknown|uncertain)\b|\btrue, false\b|\b(?:it follow|follows? (?:from
                |logically)|conclude|inferred|deduced?|conclusion|valid argument)\b|\b(?:the|this|following
                |third) statement\b",
        )
    });
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:is the following (?:statement|conclusion) (?:true|valid|correct)|true, false,? or (?:unknown
                |uncertain|undetermined)|(?:does|can) (?:the|this) (?:following )?(?:conclusion|statement) (?:follow
                |be (?:inferred|concluded)))\b",
        )
    });
    static DRAMATIS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bhow many (?:brothers|sisters|siblings|sons|daughters|children|people|girls|boys)\b
                |\brelat(?:ion\w*|ed)\b|\bwho is\b|\bwho['’]s\b|\bwhat is (?-i:[A-Z])\w+ to (?-i:[A-Z])\w+\b
                |\bhow is (?-i:[A-Z])\w+ related\b|\bis (?-i:[A-Z])\w+ (?-i:[A-Z])\w+['’]s\b",
        )
    });
    match kind {
        "syllogism" => VERDICT.is_match(prompt),
        "verdict" => STATEMENT.is_match(prompt),
        "conditions" => CHOICE.is_match(prompt),
        "kinship" => DRAMATIS.is_match(prompt),
        _ => true,
    }
}

/// `not ( True ) and ( False ) is`: a formula of truth values.
fn boolean(prompt: &str) -> Option<Range<usize>> {
    static FORMULA: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:(?-i:what is|evaluate|Evaluate|What is|Q:|Question:)?\s*)(?:(?-i:True|False|not|and|or)
                |[()\s])*(?-i:True|False)[()\s]*(?:(?-i:and|or)\b(?:(?-i:True|False|not|and|or)|[()\s])*)?(?:is|=
                |\?)?\s*\??\s*$",
        )
    });
    static OPERATOR: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:and|or|not)\b"));
    let text = prompt.trim();
    (text.len() < 500 && FORMULA.is_match(text) && OPERATOR.is_match(text)).then(|| {
        let start = prompt.len() - prompt.trim_start().len();
        start..start + text.len()
    })
}

fn wants_text(prompt: &str) -> bool {
    static WISH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)(?:^|[.!?:]\s+)(?:please |can you |could you |would you |I want you to |I need you to |help me )*(?:write
                |compose|draft|generate|implement|refactor|summari[sz]e|translate|rewrite|rephrase|paraphrase
                |proofread|brainstorm|edit) (?:\w+[ ,]+){0,6}?(?:essay|story|poem|article|blog|e-?mail|letter
                |function|program|script|code|query|paragraph|post|song|summary|speech|report|review|recipe|text
                |sentence|tweet|plot|lyrics|dialogue|analysis|response|haiku|limerick)s?\b|\b(?:in|using) (?:python
                |javascript|java|c\+\+|rust|sql)\b",
        )
    });
    WISH.is_match(prompt)
}
