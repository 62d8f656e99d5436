//! Finds required, forbidden and counted words and letters.
//!
//! Every "word(s)", "keyword(s)", "phrase", "name" or "letter" that is followed by a list is a mention. What stands
//! before it (a verb, perhaps negated) and behind it ("should appear", "at least twice") says what is asked.
use super::{
    Requirement,
    list::{items, quotation},
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{Quantity, times},
    rule::{Bound, Relation, Rule, What},
};
use regex::Regex;
use std::sync::LazyLock;

const EXISTENCE: &str = "keywords:existence";
const FORBIDDEN: &str = "keywords:forbidden_words";
const FREQUENCY: &str = "keywords:frequency";
const LETTERS: &str = "keywords:letter_frequency";

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for noun in NOUN.find_iter(&prompt.open).take(MOST_MATCHES) {
        mention(prompt, noun.start(), noun.end(), found);
    }
    for captures in LETTER.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let (Some(whole), Some(letter)) = (captures.get(0), captures.name("letter")) else {
            continue;
        };
        let letter = letter.as_str().chars().next();
        if let Some(letter) = letter {
            counted_letter(prompt, whole.start(), whole.end(), letter, found);
        }
    }
    for verb in QUOTED_OBJECT.find_iter(&prompt.open).take(MOST_MATCHES) {
        quoted_object(prompt, verb.start(), verb.end() - 1, found);
    }
    for subject in QUOTED_SUBJECT
        .captures_iter(&prompt.open)
        .take(MOST_MATCHES)
    {
        quoted_subject(prompt, &subject, found);
    }
    for captures in BARE_OBJECT.captures_iter(&prompt.open).take(MOST_MATCHES) {
        if let (Some(whole), Some(word)) = (captures.get(0), captures.name("word")) {
            bare_object(prompt, whole.start(), word.range(), found);
        }
    }
    marks(prompt, found);
}

/// "Mention cats at least 3 times": a bare word that is counted.
fn bare_object(
    prompt: &Prompt<'_>,
    start: usize,
    word: std::ops::Range<usize>,
    found: &mut Vec<Requirement>,
) {
    let Some((bounds, length)) = times(prompt, word.end) else {
        return;
    };
    if prompt.asks(start) && !OTHER_NOUN.is_match(&prompt.open[word.clone()]) {
        let words = [prompt.text[word.clone()].to_owned()];
        frequency(
            prompt,
            &words,
            &bounds,
            false,
            start..word.end + length,
            found,
        );
    }
}

/// What the words around a mention ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Has,
    HasNot,
}

/// One mention of words: `noun..end` is "the word".
fn mention(prompt: &Prompt<'_>, start: usize, end: usize, found: &mut Vec<Requirement>) {
    let noun = &prompt.open[start..end];
    let (words, after) = listed(prompt, end);
    if words.is_empty() || !prompt.asks(start) {
        return;
    }
    let bare = !prompt.text[end..after].contains(['"', '\'', '“', '‘', '`', '”', ':']);
    let announced = noun.starts_with("key") || ANNOUNCED.is_match(prompt.before(start));
    if (bare && (!announced || noun.starts_with("sentence")))
        || words.iter().any(|word| word.len() > 120)
    {
        return;
    }
    let active = active(prompt.before(start));
    let tail = TAIL.captures(prompt.after(after));
    let passive_behind = tail.as_ref().and_then(|tail| passive(prompt, start, tail));
    let behind = after + passive_behind.map_or(0, |(_, length)| length);
    let counted = times(prompt, behind);
    // "The following words should not appear: …" has its verb before the list.
    let first = TAIL
        .captures(prompt.after(end))
        .and_then(|tail| passive(prompt, start, &tail));
    let wish = passive_behind.or(first).map(|(wish, _)| wish).or(active);
    if let Some((bounds, length)) = counted {
        if wish.is_none() && tail.is_none() {
            return;
        }
        let span = clause(prompt, start)..behind + length;
        return frequency(
            prompt,
            &words,
            &bounds,
            wish == Some(Wish::HasNot),
            span,
            found,
        );
    }
    let span = clause(prompt, start)..behind;
    match wish {
        Some(Wish::HasNot) => add(found, prompt, FORBIDDEN, span, Rule::Forbids(words)),
        Some(Wish::Has) => add(found, prompt, EXISTENCE, span, Rule::Contains(words)),
        None => {}
    }
}

/// The list that a noun announces: right behind it, or behind "… in your response:".
fn listed(prompt: &Prompt<'_>, end: usize) -> (Vec<String>, usize) {
    let announced = LATER
        .find(prompt.after(end))
        .map_or(end, |later| end + later.end());
    items(prompt.text, announced)
}

/// One requirement for each counted word; "only once" is a word that is there, and at most once.
fn frequency(
    prompt: &Prompt<'_>,
    words: &[String],
    bounds: &[Bound],
    negated: bool,
    span: std::ops::Range<usize>,
    found: &mut Vec<Requirement>,
) {
    for word in words {
        for bound in bounds {
            let mut bound = *bound;
            let said = &prompt.open[span.clone()];
            let strictly = ["exactly", "only", "just", "precisely"]
                .iter()
                .any(|word| said.contains(word));
            if negated && bound.relation == Relation::Exactly {
                bound.relation = Relation::LessThan;
            } else if bound.relation == Relation::Exactly && strictly && bound.number == 1 {
                let there = Rule::Contains(vec![word.clone()]);
                add(found, prompt, EXISTENCE, span.clone(), there);
                bound.relation = Relation::AtMost;
            } else if bound.relation == Relation::Exactly && !strictly {
                bound.relation = Relation::AtLeast;
            }
            let what = What::Keyword(word.clone());
            add(
                found,
                prompt,
                FREQUENCY,
                span.clone(),
                Rule::Count { what, bound },
            );
        }
    }
}

fn counted_letter(
    prompt: &Prompt<'_>,
    start: usize,
    end: usize,
    letter: char,
    found: &mut Vec<Requirement>,
) {
    if !prompt.asks(start) {
        return;
    }
    let closed = prompt.open[end..].len()
        - prompt.open[end..]
            .trim_start_matches(['"', '\'', ')', ']', '`'])
            .len();
    let end = end + closed;
    let active = active(prompt.before(start));
    let tail = TAIL.captures(prompt.after(end));
    let passive = tail.as_ref().and_then(|tail| passive(prompt, start, tail));
    let behind = end + passive.map_or(0, |(_, length)| length);
    let wish = passive.map(|(wish, _)| wish).or(active);
    let what = What::Letter(letter);
    let Some((bounds, length)) = times(prompt, behind) else {
        if wish == Some(Wish::HasNot) && !prompt.is_partial(start) {
            let bound = Bound::new(Relation::LessThan, 1);
            add(
                found,
                prompt,
                LETTERS,
                clause(prompt, start)..behind,
                Rule::Count { what, bound },
            );
        }
        return;
    };
    if prompt.is_partial(start) {
        return;
    }
    for mut bound in bounds {
        let span = clause(prompt, start)..behind + length;
        if bound.relation == Relation::Exactly && !prompt.open[span.clone()].contains("exactly") {
            bound.relation = Relation::AtLeast;
        }
        add(
            found,
            prompt,
            LETTERS,
            span,
            Rule::Count {
                what: what.clone(),
                bound,
            },
        );
    }
}

/// `Do not include "can" and "ride"`, `Mention "free"`: a verb right before quotation marks.
fn quoted_object(prompt: &Prompt<'_>, start: usize, at: usize, found: &mut Vec<Requirement>) {
    let at = prompt.text[at..].chars().next().map_or(at, |c| {
        if c.is_whitespace() {
            at + c.len_utf8()
        } else {
            at
        }
    });
    if quotation(prompt.text, at).is_none() || !prompt.asks(start) {
        return;
    }
    let (words, end) = items(prompt.text, at);
    let long = |word: &String| word.split_whitespace().count() > 4;
    if words.is_empty() || words.iter().any(long) {
        return;
    }
    let counted = times(prompt, end);
    let span = clause(prompt, at)..end;
    // "Use "very"" alone may be talk about a word; counted or forbidden it is not.
    let weak = ["say", "us", "repeat"]
        .iter()
        .any(|stem| prompt.open[start..].starts_with(stem));
    let active = active(prompt.before(at))
        .filter(|wish| !weak || counted.is_some() || *wish == Wish::HasNot);
    match (active, counted) {
        (Some(wish), Some((bounds, length))) => {
            let span = span.start..end + length;
            frequency(prompt, &words, &bounds, wish == Wish::HasNot, span, found);
        }
        (Some(Wish::HasNot), None) => add(found, prompt, FORBIDDEN, span, Rule::Forbids(words)),
        (Some(Wish::Has), None) => add(found, prompt, EXISTENCE, span, Rule::Contains(words)),
        (None, _) => {}
    }
}

/// `"future" should appear at most once`: quotation marks right before a passive verb.
fn quoted_subject(
    prompt: &Prompt<'_>,
    subject: &regex::Captures<'_>,
    found: &mut Vec<Requirement>,
) {
    let (Some(whole), Some(word)) = (subject.get(0), subject.name("word")) else {
        return;
    };
    let noun = NOUN_BEFORE.is_match(prompt.before(whole.start()));
    let Some(tail) = TAIL.captures(prompt.after(whole.end())) else {
        return;
    };
    let Some((wish, length)) = passive(prompt, whole.start(), &tail) else {
        return;
    };
    if noun || !prompt.asks(whole.start()) {
        return;
    }
    let words = vec![word.as_str().to_owned()];
    let behind = whole.end() + length;
    match times(prompt, behind) {
        Some((bounds, length)) => {
            let span = whole.start()..behind + length;
            frequency(prompt, &words, &bounds, wish == Wish::HasNot, span, found);
        }
        None if wish == Wish::HasNot => {
            add(
                found,
                prompt,
                FORBIDDEN,
                whole.start()..behind,
                Rule::Forbids(words),
            );
        }
        None => {}
    }
}

/// "6 or more exclamation marks", "at least 4 hashtags".
fn marks(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for (quantity, letter) in MARKS.iter() {
        for stated in quantity.all(prompt) {
            let start = stated.span.start;
            if !prompt.asks(start) || prompt.is_partial(start) {
                continue;
            }
            for mut bound in stated.bounds {
                if !stated.explicit {
                    bound.relation = Relation::AtLeast;
                }
                let what = What::Letter(*letter);
                add(
                    found,
                    prompt,
                    LETTERS,
                    stated.span.clone(),
                    Rule::Count { what, bound },
                );
            }
        }
    }
}

/// What the last verb before a mention asks for, if it governs it.
fn active(before: &str) -> Option<Wish> {
    let verb = VERB.find_iter(before).last()?;
    let between = &before[verb.end()..];
    let word = verb.as_str();
    // "start with the word", "describes the word", "one of the words" ask for something else.
    let weak = ["writ", "put", "say", "ha", "with", "output", "repeat"]
        .iter()
        .any(|stem| word.starts_with(stem));
    let most = if weak { 2 } else { 5 };
    let near =
        between.split_whitespace().count() <= most && !between.contains([',', ';', ':', '?', '!']);
    let edge = word == "with" && EDGE_BEFORE.is_match(&before[..verb.start()]);
    if !near || edge || OTHERWISE.is_match(between) {
        return None;
    }
    let forbids = [
        "exclud", "avoid", "omit", "without", "leave", "leaving", "forbid", "refrain", "skip",
        "except",
    ];
    let negated = NEGATED.is_match(&before[..verb.start()]);
    let wish = if negated || forbids.iter().any(|stem| word.starts_with(stem)) {
        Wish::HasNot
    } else {
        Wish::Has
    };
    Some(wish)
}

/// What the verb behind a mention asks for, and the length of its words.
fn passive(prompt: &Prompt<'_>, start: usize, tail: &regex::Captures<'_>) -> Option<(Wish, usize)> {
    let whole = tail.get(0)?;
    let modal = tail.name("modal").is_some();
    if !modal && !ASSURED.is_match(prompt.before(start)) {
        return None;
    }
    let verb = tail.name("verb")?.as_str();
    let negated = tail.name("not").is_some()
        || tail.name("never").is_some()
        || verb.starts_with("avoid")
        || verb.starts_with("forbid");
    let wish = if negated { Wish::HasNot } else { Wish::Has };
    Some((wish, whole.end()))
}

/// Where the clause of a requirement begins: its last verb before `at`, or the sentence.
fn clause(prompt: &Prompt<'_>, at: usize) -> usize {
    let before = prompt.before(at);
    let start = at - before.len();
    let verb = VERB.find_iter(before).last().map(|verb| verb.start());
    let Some(verb) = verb else {
        return start + before.rfind([',', ';', ':']).map_or(0, |comma| comma + 1);
    };
    let negation = NEGATED
        .find(&before[..verb])
        .map_or(verb, |negation| negation.start());
    start + negation
}

static NOUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:key[\s-]?words?|words?|phrases?|terms?|names?|items?|expressions?|sentences?)\b")
});
static NOUN_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:key[\s-]?words?|words?|phrases?|terms?|names?|letters?|,|and|or)\s*$")
});
static ANNOUNCED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:the|these|those|following|this|exact|specific|a)\s*$"));
static LETTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:letters?|alphabets?)(?:\s*[:,]\s*|\s+|\s*["'“‘`(\[])["'“‘`(\[]{0,2}(?P<letter>[a-z])\b(?:[”’])?"#,
    )
});
static VERB: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:includ(?:e|es|ing)|contain(?:s|ing)?|us(?:e|es|ing|ed)|utili[sz](?:e|es|ing)|mention(?:s|ing)?|incorporat(?:e|es|ing)|has|have|having|add(?:s|ing)?|insert(?:ing)?|say(?:s|ing)?|writ(?:e|ing)|put(?:ting)?|featur(?:e|es|ing)|with|exclud(?:e|es|ing)|avoid(?:s|ing)?|omit(?:s|ting)?|without|leav(?:e|ing)\s+out|forbidden|refrain(?:ing)?\s+from|skip|employ(?:ing)?|repeat(?:ing)?|output(?:ting)?)\b",
    )
});
static LATER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?:in|throughout|within|anywhere|should|must|are|can|may|do|to)\b|cannot)[^.?!:\n]{1,60}:",
    )
});
static EDGE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:start|begin|open|end|finish|conclud|clos|answer|respond|repl|replac)[a-z]*\s+(?:[a-z0-9]+\s+){0,4}$",
    )
});
static OTHERWISE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:that|which|who|about|for|from|to|meaning|definition|instead|one\s+of|either|any\s+of|some\s+of|synonyms?)\b",
    )
});
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\bnot|n[’']?t|\bnever|\bavoid(?:ing)?|\brefrain(?:ing)?\s+from|\bwithout|\bcannot|\bno|\bnor|\bstop)\s+(?:(?:to|be|ever|even|also|actually|directly|explicitly|have|the|use|using|include|mention|say|saying|or|of|allowed|try|any)\s+){0,4}$",
    )
});
static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^["'”’)\]\s,]{0,4}(?:(?:in|throughout)\s+(?:your|the)\s+(?:[a-z]+\s+){1,2})?(?:(?:(?P<modal>should|must|shall|can|may|will|needs?\s+to|ha(?:s|ve)\s+to|to|not\s+to)|does|do|is|are)(?P<not>\s*not\b|n[’']?t\b)?\s+(?:(?:to|be|been|only|ever|also|all|each|both)\s+)*(?P<never>not\s+|never\s+)?(?:(?:to|be|been|only|ever|also)\s+)*)?(?P<verb>appear(?:s|ing)?|used|mentioned|included|show(?:s|n)?\s+up|occurs?|exist|present|found|written|repeated|contained|allowed|permitted|said|forbidden|avoided|be|in\s+(?:your|the|it))\b(?:\s+at\s+all\b)?"#,
    )
});
static ASSURED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:make\s+sure|making\s+sure|ensure|ensuring|be\s+sure|so\s+that|such\s+that|require)\b[^.?!]*$",
    )
});
static QUOTED_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:includ(?:e|es|ing)|contain(?:s|ing)?|mention(?:s|ing)?|exclud(?:e|ing)|avoid(?:ing)?|omit(?:ting)?|say(?:ing)?|us(?:e|ing)|repeat)\s+["'“‘]"#,
    )
});
static QUOTED_SUBJECT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"["“](?P<word>[^"“”\n\x01]{1,40})["”]"#));
static BARE_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:mention|use|include|say|repeat)\s+(?P<word>[a-z][a-z'-]{1,30})\s+(?:for\s+)?(?:at\s+(?:least|most)|less|fewer|more|no\s+more|no\s+less|not\s+more|exactly)\b",
    )
});
static OTHER_NOUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:words?|letters?|commas?|it|this|that|them|capitals?|caps|each|keywords?|one|all|both|quotes?|bullets?|something|sentences?|and|or|no|not)$",
    )
});
static MARKS: LazyLock<Vec<(Quantity, char)>> = LazyLock::new(|| {
    let mark = |noun: &str, letter| (Quantity::new("", noun), letter);
    vec![
        mark(r"exclamation\s+(?:marks?|points?)", '!'),
        mark(r"question\s+marks?", '?'),
        mark(r"hash\s?tags?|hashtag\s+symbols?", '#'),
        mark(r"semi-?colons?", ';'),
        mark("commas?", ','),
    ]
});
