//! Finds what is asked of letters: all capitals, all small, so many capital words, no comma, one language.
use super::{
    Language, Requirement,
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{Quantity, times},
    rule::{Bound, Case, Relation, Rule, What},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    capital_words(prompt, found);
    case(prompt, found);
    commas(prompt, found);
    language(prompt, found);
}

/// "at least 5 words in all capital letters", "words with all capital letters should appear at most 3 times".
fn capital_words(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "change_case:capital_word_frequency";
    let mut put = |span: std::ops::Range<usize>, bound: Bound| {
        let bound = match bound.relation {
            Relation::Exactly if !prompt.open[span.clone()].contains("exactly") => {
                Bound::new(Relation::AtLeast, bound.number)
            }
            _ => bound,
        };
        let what = What::CapitalWords;
        add(found, prompt, ID, span, Rule::Count { what, bound });
    };
    for stated in CAPITAL_WORDS.all(prompt) {
        if prompt.asks(stated.span.start) && !prompt.is_partial(stated.span.start) {
            for bound in &stated.bounds {
                put(stated.span.clone(), *bound);
            }
        }
    }
    for captures in CAPITALISED.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let Some(whole) = captures.get(0) else {
            continue;
        };
        if !prompt.asks(whole.start()) || BOUND_BEFORE.is_match(prompt.before(whole.start())) {
            continue;
        }
        let before = prompt.before(whole.start());
        if let Some((bounds, length)) = times(prompt, whole.end()) {
            for bound in bounds {
                put(whole.start()..whole.end() + length, bound);
            }
        } else if let Some((bounds, length)) = value_of(prompt, before, whole.end()) {
            for bound in bounds {
                put(whole.start()..whole.end() + length, bound);
            }
        } else if SOME_BEFORE.is_match(before)
            && !ENTIRE.is_match(&prompt.open[prompt.sentence(whole.start())])
        {
            put(whole.range(), Bound::new(Relation::AtLeast, 1));
        }
    }
    let plain = PLAIN_WORDS.all(prompt);
    for verb in CAPITALISE.find_iter(&prompt.open).take(MOST_MATCHES) {
        let sentence = prompt.sentence(verb.start());
        for stated in &plain {
            if stated.explicit
                && sentence.contains(&stated.span.start)
                && stated.span.start >= verb.end()
                && stated.span.start - verb.end() < 24
            {
                for bound in &stated.bounds {
                    put(verb.start()..stated.span.end, *bound);
                }
            }
        }
    }
}

/// "The number of words in all capital letters should be less than 5": the bound behind "should be".
fn value_of(prompt: &Prompt<'_>, before: &str, end: usize) -> Option<(Vec<Bound>, usize)> {
    if !NUMBER_BEFORE.is_match(before) {
        return None;
    }
    let captures = SHOULD_BE.captures(prompt.after(end))?;
    let lent = format!("Use {} units", captures.name("value")?.as_str());
    let stated = UNITS.all(&Prompt::new(&lent)).into_iter().next()?;
    Some((stated.bounds, captures.get(0)?.end()))
}

fn case(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for (regex, id, case) in [
        (&*LOWER, "change_case:english_lowercase", Case::Lower),
        (&*UPPER, "change_case:english_capital", Case::Upper),
    ] {
        for whole in regex.find_iter(&prompt.open).take(MOST_MATCHES) {
            let (start, end) = (whole.start(), whole.end());
            let sentence = &prompt.open[prompt.sentence(start)];
            let of_words =
                WORDS_BEFORE.is_match(prompt.before(start)) && !ENTIRE.is_match(sentence);
            let counted = found.iter().any(|one| {
                one.id == "change_case:capital_word_frequency"
                    && one.span.start < end
                    && start < one.span.end
            });
            let before = prompt.before(start);
            let of_part = PART_BEFORE.is_match(before) && !ENGLISH_BEFORE.is_match(before);
            let some = case == Case::Upper && times(prompt, end).is_some();
            if prompt.asks(start)
                && !of_words
                && !counted
                && !of_part
                && !some
                && !is_negated(prompt, start, whole.as_str())
            {
                add(found, prompt, id, whole.range(), Rule::Case { case });
                break;
            }
        }
    }
}

/// "not in all capital letters" asks for nothing that can be checked.
fn is_negated(prompt: &Prompt<'_>, start: usize, words: &str) -> bool {
    let says_no = words;
    let inside = ["no ", "not ", "n't", "n’t", "without", "avoid", "refrain"]
        .iter()
        .any(|no| says_no.contains(no));
    !inside && NOT_BEFORE.is_match(prompt.before(start))
}

fn commas(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for whole in NO_COMMA.find_iter(&prompt.open).take(MOST_MATCHES) {
        if prompt.asks(whole.start()) {
            add(
                found,
                prompt,
                "punctuation:no_comma",
                whole.range(),
                Rule::NoComma,
            );
            return;
        }
    }
}

fn language(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "language:response_language";
    let cased = found
        .iter()
        .any(|one| matches!(one.rule, Rule::Case { .. }));
    let matches = IN_LANGUAGE
        .iter()
        .flat_map(|regex| regex.captures_iter(&prompt.open).take(MOST_MATCHES));
    for captures in matches {
        let (Some(whole), Some(name)) = (
            captures.get(0),
            captures.name("name").or_else(|| captures.name("other")),
        ) else {
            continue;
        };
        let Some(language) = Language::named(name.as_str()) else {
            continue;
        };
        let english = language == Language::ENGLISH;
        if SAID_IN.is_match(whole.as_str()) {
            continue;
        }
        if prompt.asks(whole.start())
            && !(english && cased)
            && !NOT_BEFORE.is_match(prompt.before(whole.start()))
        {
            add(found, prompt, ID, whole.range(), Rule::Language(language));
            return;
        }
    }
}

/// Capital letters in words.
const CAPITALS: &str = r"(?:all[\s-]+)?(?:capital(?:s|i[sz]ed)?(?:\s+letters?)?|caps|upper[\s-]?cased?(?:\s+letters?)?)";

static CAPITAL_WORDS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:different\s+)?",
        &format!(
            r"(?:words?\s+(?:(?:should\s+|must\s+)?(?:be\s+|are\s+|is\s+)?(?:that\s+are\s+|written\s+|which\s+are\s+)?(?:in|with|using|having)\s+)?(?:all\s+)?(?:{CAPITALS})|(?:all[\s-]+)?(?:capital(?:i[sz]ed)?|upper[\s-]?case|caps|all[\s-]caps?)(?:[\s-]letters?)?\s+words?|(?:fully\s+)?capitali[sz]ed\s+words?)"
        ),
    )
});
static CAPITALISED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:\bwords?\s+(?:(?:that\s+are\s+|which\s+are\s+|written\s+|are\s+|be\s+)?(?:in|with|using|having|of|from)\s+)?{CAPITALS}|\b{CAPITALS}\s+words?)\b(?:\s+(?:should|must|need\s+to|have\s+to|to|can|may|appear|be|appearing|used|in\s+your\s+response|in\s+the\s+response|only|show\s+up|not|are|required))*"
    ))
});
static CAPITALISE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\bcapitali[sz]e\b|\buse\s+{CAPITALS}\s+(?:for|in|on)\b"
    ))
});
static PLAIN_WORDS: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new("(?:of\\s+the\\s+)?", "words?"));
static UNITS: LazyLock<Quantity> = LazyLock::new(|| Quantity::new("", "units"));
static BOUND_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|more|less|fewer))\+?\s*$",
    )
});
static SOME_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:use|using|include|including|add|have|with|contain|some|few|several)\s+(?:(?:some|a\s+few|few|several|a|an|the|any|certain|important)\s+)*$",
    )
});
static NUMBER_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:number|count|frequency|total|amount)\s+of\s+(?:the\s+)?$"));
static SHOULD_BE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[^.?!\n]{0,30}?\b(?:should|must|has\s+to|needs\s+to|is|be)\b)?\s*(?:be\s+)?(?P<value>(?:[a-z]+\s+){0,3}?\d+(?:\s+or\s+(?:more|less|fewer)|\+)?)",
    )
});
static ENTIRE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:entire|whole|all\s+(?:of\s+)?(?:your|the)\s+words|all\s+words|every\s+word|everything|only)\b",
    )
});
static LOWER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:all|only|entirely|completely|purely)?\s*(?:in|with|using|use|be|are|is|all|only|of)?\s*(?:\b(?:all|only|entirely|english|just)\s+)*(?:in\s+)?\blower[\s-]?cases?d?(?:\s+letters?|\s+english|\s+only)*\b|\b(?:no|without(?:\s+using|\s+the\s+use\s+of)?|not\s+(?:use|contain|include|have|be)|n[’']t\s+(?:use|contain|include|have)|avoid(?:\s+using)?|refrain\s+from(?:\s+using)?)\s+(?:any\s+|the\s+)?(?:capital(?:i[sz]ed)?\s+letters?|capital\s+words?|capitali[sz]ations?|capitals|upper[\s-]?case(?:\s+letters?)?|caps)\b|\bsmall\s+letters\s+only\b|\bonly\s+small\s+letters\b",
    )
});
static UPPER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:in|with|using|use|be|are|is|only|all)\s+(?:english\s+(?:and\s+)?)?(?:in\s+)?(?:(?:all|only|entirely|fully|just)\s+){0,2}(?:capital(?:s|i[sz]ed)?(?:\s+letters?)?|caps(?:\s+lock)?|upper[\s-]?cased?(?:\s+letters?)?)\b|\ball[\s-]+(?:capital(?:s|i[sz]ed)?(?:\s+letters?)?|caps|upper[\s-]?case(?:\s+letters?)?)\b|\bcapitali[sz]e\s+(?:all|every|each|the\s+entire|your\s+entire)\b(?:\s+(?:of\s+)?(?:your|the))?\s*(?:words?|letters?|response|text|answer)?|\ball\s+(?:the\s+)?letters\s+(?:should\s+|must\s+)?(?:be\s+|are\s+)?(?:capital|upper)|\bno\s+lower[\s-]?case\b",
    )
});
static WORDS_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bwords?\s+(?:(?:should|must|that|which|are|is|be|written|to|in|with|have|all)\s+)*$|\b(?:less|fewer|more|least|most|one|two|three|few|some|several|\d+)\s+$",
    )
});
static PART_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:titles?|names?|headings?|headers?|headlines?|keywords?|phrases?|section|first\s+(?:word|letter|line|sentence)|last\s+(?:word|line|sentence)|each|subject|the\s+word\s+\S+|sentence|acronyms?|labels?|variables?|columns?|constants?)\s+(?:[a-z]+\s+){0,4}$",
    )
});
static ENGLISH_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\benglish\s*,?\s*(?:and\s+)?(?:in\s+)?$"));
static NOT_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\bnot|n[’']t|\bnever|\bavoid|\brefrain\s+from|\bwithout|\binstead\s+of|\brather\s+than)\s+(?:(?:be|use|using|write|writing|written|respond|responding|reply|answer|answering|have|any|it|your|response|in|with|speak)\s+){0,4}$",
    )
});
static NO_COMMA: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\bno|\bwithout|\bnot|n[’']?t|\bavoid(?:ing)?|\brefrain(?:ing)?\s+from|\bnever|\bzero|\bexclud(?:e|ing)|\bfree\s+(?:of|from)|\bomit(?:ting)?|\beliminate|\bstay\s+away\s+from|\bcannot)\s+(?:(?:the\s+use\s+of|us(?:e|es|ing)|includ(?:e|es|ing)|contain(?:s|ing)?|hav(?:e|ing)|put(?:ting)?|add(?:ing)?|writ(?:e|ing)|employ(?:ing)?|utiliz(?:e|ing)|any|a|single|the|of|to|be|punctuation|such|as|symbols?|marks?|ever|allowed|insert(?:ing)?|type|typing|all|[a-z]+\s+or|even|one)\s+){0,6}commas?\b|\bcommas?\s+(?:(?:are|is|should|must|may|can)\s*(?:not|n[’']t)|cannot|are\s+(?:forbidden|prohibited|banned)|should\s+be\s+avoided)|\bcomma[\s-]free\b|\bnot\s+(?:use|contain|include)\s+(?:the\s+)?(?:punctuation\s+)?comma\b",
    )
});
static IN_LANGUAGE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let names = Language::NAMES
        .map(|(name, _)| name.to_ascii_lowercase())
        .join("|");
    let name = format!(r"(?:the\s+)?(?P<name>{names})\b");
    let other = name.replace("<name>", "<other>");
    let ends = r"(?:\s+language\b|\s*[.,;:?!)\n]|\s*$|\s+(?:only|and|with|no|please|using|but)\b)";
    [
        format!(r"\b(?:using|use|uses|in|with)\s+(?:only|just|solely)\s+{name}"),
        format!(r"\b(?:only|entirely|solely|exclusively|fully|completely)\s+(?:in|using|use|with|the)\s+{name}"),
        format!(r"\b(?:response|answer|reply|output|text|letter|essay|poem|story|song|email|summary|article|it|everything|post|lyrics|list|riddle|joke|haiku|dialogue|sentences|words)\s+(?:should|must|has\s+to|have\s+to|needs\s+to|need\s+to)\s+(?:(?:only|be|entirely|completely|all|written|purely|also)\s+)*(?:in|use|using)\s+{name}"),
        format!(r"\b(?:respond|reply|answer)\s+(?:(?:to|me|only|back|it|this|the|question|in|full|your|entire)\s+){{0,4}}in\s+{name}{ends}"),
        format!(r"\b(?:write|rewrite|compose|create|generate|provide|draft|produce)\s[^.?!\n]{{0,100}}?\bin\s+{name}{ends}"),
        format!(r"(?:{name}\s+language|\bin\s+{other})\s+only\b"),
        format!(r"\bonly\s+{name}\s+(?:language\s+)?(?:is|should|must|in\s+your)\b"),
        format!(r"\bno\s+other\s+language\s+(?:except|than|but|besides|other\s+than)\s+{name}"),
        format!(r"{name}(?:\s+language)?\s*,?\s*(?:and\s+|with\s+)?no\s+other\s+languages?\b"),
        format!(r"\b(?:in|use|using)\s+{name}\s+language\b"),
    ]
    .iter()
    .map(|text| pattern(text))
    .collect()
});
static SAID_IN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:say|said|mean|means|called|translat(?:e|ed|ion|ing)|spoken|difference|pronounce|words?\s+for|phrase)\b",
    )
});
