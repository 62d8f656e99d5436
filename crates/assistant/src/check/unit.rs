//! Finds rules for every sentence, line, paragraph, word or list item, and what can be named but not checked.
use super::{
    Requirement,
    list::quotation,
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{NUMBER, Quantity, number},
    rule::{Each, Rule, Unit},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    counted(prompt, found);
    letters(prompt, found);
    phrases(prompt, found);
    consecutive(prompt, found);
    words(prompt, found);
    unverifiable(prompt, found);
}

fn unit(name: &str) -> Option<Unit> {
    Some(match name.trim_end_matches('s') {
        "sentence" => Unit::Sentence,
        "line" => Unit::Line,
        "paragraph" => Unit::Paragraph,
        "word" => Unit::Word,
        "bullet" | "bullet point" | "point" | "item" | "list item" => Unit::Item,
        _ => return None,
    })
}

/// "Every sentence has exactly four words", "each line under 50 characters", "sentences of four words each".
fn counted(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    let counts = [
        (WORDS.all(prompt), Each::Words as fn(_) -> _),
        (SENTENCES.all(prompt), Each::Sentences),
        (CHARACTERS.all(prompt), Each::Characters),
    ];
    for captures in EVERY.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let (Some(whole), Some(name)) = (captures.get(0), captures.name("unit")) else {
            continue;
        };
        let Some(unit) = unit(name.as_str()) else {
            continue;
        };
        if !prompt.asks(whole.start()) {
            continue;
        }
        let sentence = prompt.sentence(whole.start());
        for (stated, each) in &counts {
            for stated in stated {
                let behind = stated.span.start >= whole.end() && stated.span.end <= sentence.end;
                let between = || &prompt.open[whole.end()..stated.span.start];
                let of_word =
                    unit == Unit::Word && matches!(each(stated.bounds[0]), Each::Words(_));
                if !behind
                    || !HAS.is_match(between())
                    || of_word
                    || MORE_THAN_BEFORE.is_match(prompt.after(stated.span.end))
                {
                    continue;
                }
                for bound in &stated.bounds {
                    let span = whole.start()..stated.span.end;
                    add(
                        found,
                        prompt,
                        "units:length",
                        span,
                        Rule::Each {
                            unit,
                            each: each(*bound),
                        },
                    );
                }
            }
        }
    }
}

/// "Each sentence starts with the letter A".
fn letters(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for captures in START_LETTER.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let name = captures
            .name("u1")
            .or(captures.name("u2"))
            .and_then(|name| unit(name.as_str()));
        let letter = captures
            .name("l1")
            .or(captures.name("l2"))
            .and_then(|letter| letter.as_str().chars().next());
        if let (Some(whole), Some(unit), Some(letter)) = (captures.get(0), name, letter) {
            if prompt.asks(whole.start()) {
                let each = Each::StartsWithLetter(letter.to_ascii_lowercase());
                add(
                    found,
                    prompt,
                    "units:start_letter",
                    whole.range(),
                    Rule::Each { unit, each },
                );
            }
        }
    }
}

/// "Start each line with "-"", "each sentence must end with "!"", "each paragraph must contain the word "x"".
fn phrases(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for captures in UNIT_PHRASE.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let name = captures
            .name("u1")
            .or(captures.name("u2"))
            .and_then(|name| unit(name.as_str()));
        let verb = captures
            .name("v1")
            .or(captures.name("v2"))
            .map(|verb| verb.as_str());
        let (Some(whole), Some(unit), Some(verb)) = (captures.get(0), name, verb) else {
            continue;
        };
        let Some((range, end)) = quotation(prompt.text, whole.end()) else {
            continue;
        };
        let words = prompt.text[range].trim().to_owned();
        if words.is_empty() || !prompt.asks(whole.start()) {
            continue;
        }
        let (id, each) = match verb.chars().next() {
            Some('s' | 'b') => ("units:start", Each::StartsWith(words)),
            Some('e' | 'f') => ("units:end", Each::EndsWith(words)),
            _ => ("units:contains", Each::Contains(words)),
        };
        add(
            found,
            prompt,
            id,
            whole.start()..end,
            Rule::Each { unit, each },
        );
    }
}

/// "The first letters of the sentences are consecutive letters from B to J".
fn consecutive(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for captures in CONSECUTIVE.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let Some(whole) = captures.get(0) else {
            continue;
        };
        let sentence = &prompt.open[prompt.sentence(whole.start())];
        let name = UNIT_NAME
            .find(sentence)
            .and_then(|name| unit(name.as_str()))
            .unwrap_or(Unit::Sentence);
        let letter = |name: &str| {
            captures
                .name(name)
                .and_then(|letter| letter.as_str().chars().next())
                .map(|c| c.to_ascii_uppercase())
        };
        let Some(from) = letter("from") else { continue };
        if prompt.asks(whole.start()) {
            let rule = Rule::ConsecutiveLetters {
                unit: name,
                from,
                to: letter("to").filter(|to| *to > from),
            };
            add(
                found,
                prompt,
                "units:consecutive_letters",
                whole.range(),
                rule,
            );
            return;
        }
    }
}

/// Rules about neighbouring words and sentences.
fn words(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    if let Some(whole) = SHARED_INITIAL.find(&prompt.open) {
        add(
            found,
            prompt,
            "words:no_consecutive",
            whole.range(),
            Rule::NoSharedInitials,
        );
    }
    if let Some(captures) = GROWING.captures(&prompt.open) {
        let more = captures.name("n").and_then(|n| number(n.as_str()));
        if let (Some(whole), Some(more)) = (captures.get(0), more) {
            add(
                found,
                prompt,
                "sentence:increment",
                whole.range(),
                Rule::GrowingSentences(more),
            );
        }
    }
    if let Some(whole) = ALPHABET.find(&prompt.open) {
        let rule = Rule::ConsecutiveLetters {
            unit: Unit::Word,
            from: 'A',
            to: None,
        };
        let rule = if whole.as_str().contains("next letter") {
            Rule::Unverifiable("each word starts with the next letter of the alphabet".into())
        } else {
            rule
        };
        add(found, prompt, "words:alphabet", whole.range(), rule);
    }
}

/// What is clearly asked but needs a dictionary, an ear or a reader.
fn unverifiable(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for (regex, id, what) in UNVERIFIABLE.iter() {
        for whole in regex.find_iter(&prompt.open).take(MOST_MATCHES) {
            if prompt.asks(whole.start()) {
                let rule = Rule::Unverifiable((*what).to_owned());
                add(found, prompt, id, whole.range(), rule);
                break;
            }
        }
    }
}

const UNITS: &str =
    r"sentences?|lines?|paragraphs?|words?|bullet\s+points?|bullets?|list\s+items?|items?";

static EVERY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:each|every|all|any)\s+(?:(?:single|of|the|your|individual|its)\s+){{0,3}}(?P<unit>{UNITS})\b"
    ))
});
static HAS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?:in|of)\s+(?:your|the)\s+(?:[a-z]+\s+)?(?:response|answer|reply|poem|story|text|list|song|essay|output)\s+)?(?:(?:should|must|shall|needs?|has|have|to|only|be|is|are|with|of|contain|contains|containing|consist|consists|include|using|use|long|also|not|exceed|in|length)\s*)*$",
    )
});
static MORE_THAN_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*(?:more|less|fewer|longer|shorter)\b|^\s*than\b"));
static WORDS: LazyLock<Quantity> = LazyLock::new(|| Quantity::new("", "words?"));
static SENTENCES: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new("(?:complete\\s+|full\\s+|short\\s+)?", "sentences?"));
static CHARACTERS: LazyLock<Quantity> = LazyLock::new(|| Quantity::new("", "characters?"));
static START_LETTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"\b(?:each|every|all)\s+(?:(?:single|of|the|your)\s+){{0,3}}(?P<u1>{UNITS})\s+(?:(?:in|of)\s+(?:your|the)\s+[a-z]+\s+)?(?:(?:should|must|has\s+to|have\s+to|needs\s+to|to|that)\s+)*(?:starts?|begins?|starting|beginning)\s+with\s+(?:the\s+|an?\s+)?(?:same\s+)?letter\s+["'“‘(]?(?P<l1>[a-z])\b|\b(?:start|begin)(?:s|ing|ning)?\s+(?:each|every|all)\s+(?:(?:single|of|the|your)\s+){{0,3}}(?P<u2>{UNITS})\s+with\s+(?:the\s+|an?\s+)?letter\s+["'“‘(]?(?P<l2>[a-z])\b"#
    ))
});
static UNIT_PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:each|every)\s+(?:(?:single|of|the|your)\s+){{0,2}}(?P<u1>{UNITS})\s+(?:(?:should|must|has\s+to|needs\s+to|to|that)\s+)*(?P<v1>starts?|begins?|ends?|finish(?:es)?|contains?|includes?)\s+(?:with\s+)?(?:the\s+)?(?:word|phrase|character|symbol|mark)?\s*|\b(?P<v2>start|begin|end|finish)\s+(?:each|every)\s+(?:(?:single|of|the|your)\s+){{0,2}}(?P<u2>{UNITS})\s+with\s+(?:the\s+)?(?:word|phrase|character|symbol|mark)?\s*"
    ))
});
static CONSECUTIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:consecutive|successive|sequential|subsequent|alphabetical)\s+(?:letters?|order)\b[^.?!\n]{0,80}?\b(?:from|starting\s+(?:from|with|at)|beginning\s+(?:from|with|at)|letters?)\s+(?:the\s+letter\s+)?["'“‘]?(?P<from>[a-z])["'”’]?(?:\s*(?:to|through|until|till|-|–|up\s+to|and\s+ending\s+(?:with|at))\s+(?:the\s+letter\s+)?["'“‘]?(?P<to>[a-z])\b)?"#,
    )
});
static UNIT_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:sentences?|lines?|paragraphs?|words?|items?|bullet\s+points?)\b")
});
static SHARED_INITIAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bno\s+two\s+consecutive\s+words\s+(?:can|may|should|must)?\s*(?:share|have|start\s+with|begin\s+with)\s+the\s+same\s+(?:first|initial|starting)?\s*letter",
    )
});
static GROWING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\beach\s+sentence\s+(?:in\s+your\s+response\s+)?(?:should|must|has\s+to)?\s*(?:contain|have|has|be)\s+exactly\s+(?P<n>{NUMBER})\s+more\s+words?\s+than\s+the\s+(?:previous|last)"
    ))
});
static ALPHABET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\beach\s+word\s+(?:in\s+your\s+response\s+)?(?:must|should)\s+start\s+with\s+the\s+next\s+letter\s+of\s+the\s+alphabet",
    )
});
static UNVERIFIABLE: LazyLock<Vec<(Regex, &'static str, &'static str)>> = LazyLock::new(|| {
    let rule = |text: &str, id, what| (pattern(text), id, what);
    vec![
        rule(
            r"\brhym(?:e|es|ed|ing)(?:\s+scheme(?:\s+of\s+[a-z]{3,8})?)?\b",
            "sound:rhyme",
            "it rhymes as asked",
        ),
        rule(
            r"\b(?:\d+|one|two|three|five|seven|odd|even|numbers?\s+of)[\s-]+(?:and\s+even\s+numbers?\s+of\s+)?syllables?\b|\b5[\s-]7[\s-]5\b",
            "sound:syllables",
            "the syllables are as asked",
        ),
        rule(
            r"\biambic\s+pentameter\b|\balliterat(?:ion|ive)\b|\bassonance\b",
            "sound:metre",
            "it sounds as asked",
        ),
        rule(
            r"\b(?:write|compose|create|make|give\s+me|draft)\s+(?:me\s+)?(?:a|an|two|three|some)\s+(?:[a-z]+\s+){0,2}(?:haikus?|limericks?|sonnets?|villanelle|acrostic|palindrome)\b",
            "form:verse",
            "it keeps the form of the verse",
        ),
        rule(
            r"\b(?:different|unique)\s+(?:coordinating\s+)?conjunctions\b|\bpronouns\b|\bstart\s+with\s+a\s+(?:verb|noun)\b|\bconsonant\s+clusters?\b|\bpalindromes\b|\blast\s+word\s+of\s+each\s+sentence\s+must\b|\blengths\s+that\s+are\s+prime\b|\bevery\s+\d+(?:st|nd|rd|th)\s+word\b",
            "words:kind",
            "the words are of the kind asked for",
        ),
        rule(
            r"\bemojis?\s+at\s+the\s+end\s+of\s+(?:every|each)\s+sentence\b|\bincrementally\s+indenting\b|\beach\s+word\s+on\s+a\s+new\s+line\b",
            "format:layout",
            "the layout is as asked",
        ),
    ]
});
