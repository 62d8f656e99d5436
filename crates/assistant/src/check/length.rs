//! Finds counts over the whole answer: words, sentences, lines, paragraphs, characters, list items.
//!
//! A word of comparison ("at least", "or fewer") in a request is enough; a bare number needs "in", "with", "of" or a
//! verb like "contain" before it, and a bare number of words is only about that many. Counts that belong to a part of
//! the answer (a title, each line) are not counts of the answer.
use super::{
    Requirement,
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{NUMBER, Quantity, Stated, number},
    rule::{Bound, Relation, Rule, What},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    words(prompt, found);
    plain(
        prompt,
        found,
        &SENTENCES,
        "length_constraints:number_sentences",
        &What::Sentences,
    );
    plain(
        prompt,
        found,
        &LINES,
        "length_constraints:number_lines",
        &What::Lines,
    );
    paragraphs(prompt, found);
    reversed(prompt, found);
    others(prompt, found);
}

fn words(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "length_constraints:number_words";
    for stated in WORDS.all(prompt) {
        let start = stated.span.start;
        let rest = prompt.after(stated.span.end);
        // "less than 5 words with all capital letters", "three words that rhyme": a kind of word, not a length.
        if !prompt.asks_length(&stated.span)
            || prompt.is_partial(start)
            || is_kind(rest)
            || WORD_OBJECT.is_match(prompt.before(start))
        {
            continue;
        }
        let low = stated.bounds.first().map_or(0, |bound| bound.number);
        if stated.explicit {
            let only_few = stated
                .bounds
                .iter()
                .any(|bound| bound.relation == Relation::Exactly && bound.number > 60);
            for mut bound in stated.bounds {
                // Nobody counts hundreds of words: "exactly 500 words" stands as it is, "just 500 words" too.
                if only_few && !prompt.open[stated.span.clone()].contains("exact") {
                    bound.relation = Relation::About;
                }
                add(
                    found,
                    prompt,
                    ID,
                    stated.span.clone(),
                    Rule::Count {
                        what: What::Words,
                        bound,
                    },
                );
            }
        } else if bare(prompt, &stated)
            || (stated.hyphenated && low >= 20 && WRITTEN.is_match(prompt.before(start)))
        {
            let relation = if low <= 12 && !stated.hyphenated {
                Relation::Exactly
            } else {
                Relation::About
            };
            let bound = Bound::new(relation, low);
            let rule = Rule::Count {
                what: What::Words,
                bound,
            };
            let id = if relation == Relation::About {
                "length_constraints:about_words"
            } else {
                ID
            };
            add(found, prompt, id, stated.span.clone(), rule);
        }
    }
    for captures in ONE_WORD.find_iter(&prompt.open).take(MOST_MATCHES) {
        let bound = Bound::new(Relation::Exactly, 1);
        add(
            found,
            prompt,
            ID,
            captures.range(),
            Rule::Count {
                what: What::Words,
                bound,
            },
        );
    }
}

/// Whether what follows "words" makes them a kind of words.
fn is_kind(after: &str) -> bool {
    KIND_OF_WORD.is_match(after) && !IN_ANSWER.is_match(after)
}

/// Nouns whose bare number is an exact one.
fn plain(
    prompt: &Prompt<'_>,
    found: &mut Vec<Requirement>,
    quantity: &Quantity,
    id: &str,
    what: &What,
) {
    for stated in quantity.all(prompt) {
        let start = stated.span.start;
        if !prompt.asks_length(&stated.span) || prompt.is_partial(start) {
            continue;
        }
        let listed = LISTED.is_match(prompt.after(stated.span.end))
            || OF_THESE.is_match(&prompt.open[stated.span.clone()]);
        let written = stated.hyphenated && WRITTEN.is_match(prompt.before(start));
        let bare = !listed && (bare(prompt, &stated) || written);
        if !(stated.explicit && !OF_CODE.is_match(prompt.after(stated.span.end))) && !bare {
            continue;
        }
        for bound in &stated.bounds {
            let what = what.clone();
            add(
                found,
                prompt,
                id,
                stated.span.clone(),
                Rule::Count {
                    what,
                    bound: *bound,
                },
            );
        }
    }
}

/// Whether a bare number of something describes the answer.
fn bare(prompt: &Prompt<'_>, stated: &Stated) -> bool {
    let before = prompt.before(stated.span.start);
    !stated.hyphenated
        && (DESCRIBES.is_match(before)
            || (ALONE.is_match(before) && prompt.names_answer(stated.span.start)))
}

/// Paragraphs: between `***` where the prompt says so, else between blank lines.
fn paragraphs(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "length_constraints:number_paragraphs";
    let starred = STARS.find(prompt.text);
    let starts = found.iter().any(|one| {
        matches!(
            one.rule,
            Rule::ParagraphStart {
                paragraphs: Some(_),
                ..
            }
        )
    });
    let mut numbered = false;
    for stated in PARTS.all(prompt) {
        let start = stated.span.start;
        let noun = &prompt.open[stated.span.clone()];
        let near = prompt.neighbourhood(start);
        let divided = starred
            .as_ref()
            .is_some_and(|stars| near.contains(&stars.start()))
            || DIVIDER.is_match(&prompt.open[near]);
        let is_paragraph = noun.contains("paragraph");
        let counts = stated.explicit || bare(prompt, &stated) || divided;
        if !counts
            || !prompt.asks_length(&stated.span)
            || (PARTIAL_PARTS.is_match(prompt.before(start)) && !divided)
            || (!divided && !is_paragraph)
            || starts
        {
            continue;
        }
        let (id, what) = if divided {
            (ID, What::StarredParts)
        } else {
            ("length_constraints:paragraphs", What::Paragraphs)
        };
        numbered |= divided;
        for bound in stated.bounds {
            add(
                found,
                prompt,
                id,
                stated.span.clone(),
                Rule::Count {
                    what: what.clone(),
                    bound,
                },
            );
        }
    }
    // A layout with dividers shows how many parts there are.
    if let (Some(stars), false) = (starred, numbered) {
        let lines = prompt
            .text
            .lines()
            .filter(|line| line.trim() == "***")
            .count() as u64;
        if lines > 0 && SEPARATES.is_match(&prompt.open) {
            let bound = Bound::new(Relation::Exactly, lines + 1);
            add(
                found,
                prompt,
                ID,
                stars.range(),
                Rule::Count {
                    what: What::StarredParts,
                    bound,
                },
            );
        }
    }
}

/// "The number of sentences should be in the range of 40 to 60", "a word count of 300 or more".
fn reversed(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for captures in NUMBER_OF.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let Some(whole) = captures.get(0) else {
            continue;
        };
        let noun = captures.name("noun");
        let kind = noun.is_some_and(|noun| is_kind(prompt.after(noun.end())));
        if !prompt.asks_length(&whole.range()) || prompt.is_partial(whole.start()) || kind {
            continue;
        }
        let noun = noun.map_or("w", |noun| noun.as_str());
        let (id, what) = match noun.chars().next() {
            Some('w') => ("length_constraints:number_words", What::Words),
            Some('s') => ("length_constraints:number_sentences", What::Sentences),
            Some('l') => ("length_constraints:number_lines", What::Lines),
            _ => continue,
        };
        // The bound has no noun behind it: lend it one and read it like any other.
        let value = captures.name("value").map_or("", |part| part.as_str());
        let lent = format!("Use {value} units");
        for stated in UNITS.all(&Prompt::new(&lent)) {
            for bound in stated.bounds {
                let what = what.clone();
                add(
                    found,
                    prompt,
                    id,
                    whole.range(),
                    Rule::Count { what, bound },
                );
            }
        }
    }
}

/// Characters, different words, numbers, list items.
fn others(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    plain(
        prompt,
        found,
        &CHARACTERS,
        "length_constraints:number_characters",
        &What::Characters,
    );
    for (quantity, id, what) in [
        (&*UNIQUE, "count:unique_word_count", What::UniqueWords),
        (&*NUMBERS, "count:numbers", What::Numbers),
        (&*ITEMS, "detectable_format:number_list_items", What::Items),
    ] {
        for stated in quantity.all(prompt) {
            if !stated.explicit
                || !prompt.asks_length(&stated.span)
                || prompt.is_partial(stated.span.start)
            {
                continue;
            }
            for bound in &stated.bounds {
                let what = what.clone();
                add(
                    found,
                    prompt,
                    id,
                    stated.span.clone(),
                    Rule::Count {
                        what,
                        bound: *bound,
                    },
                );
            }
        }
    }
    for captures in REPEATS.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let most = captures.name("n").and_then(|n| number(n.as_str()));
        if let (Some(whole), Some(most)) = (captures.get(0), most) {
            add(
                found,
                prompt,
                "words:repeats",
                whole.range(),
                Rule::WordRepeats(most),
            );
        }
    }
}

static WORDS: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new(r"(?:total\s+|english\s+)?", r"words?"));
static SENTENCES: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new(r"(?:[a-z-]+\s+){0,2}", r"sentences?"));
static LINES: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:(?:short|rhyming|rhymed|total|separate)\s+)?",
        r"lines?",
    )
});
static PARTS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:(?:short|long|different|separate|distinct|brief|total|main)\s+){0,2}",
        r"paragraphs?|sections?|parts?|stanzas?|verses?|pieces?|blocks?",
    )
});
static CHARACTERS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:total\s+)?",
        r"characters\s+(?:long|in\s+(?:length|total)|including|with\s+spaces|or)",
    )
});
static UNIQUE: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new(r"(?:unique|different|distinct)\s+", r"words"));
static NUMBERS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        "",
        r"numbers\s+in\s+(?:the|your)\s+(?:response|answer|reply|output)",
    )
});
static ITEMS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:list\s+)?",
        r"items\s+in\s+(?:the|your)\s+list|list\s+items",
    )
});
static UNITS: LazyLock<Quantity> = LazyLock::new(|| Quantity::new("", "units"));

static ONE_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:answer|respond|reply)\s+(?:to\s+[a-z ]{1,20}\s+)?(?:me\s+)?(?:only\s+)?(?:in|with|using)\s+(?:just\s+|only\s+|exactly\s+)?(?:a\s+(?:single\s+)?|one\s+(?:single\s+)?|1\s+)word\b|\bone[\s-]word\s+(?:answer|response|reply)\b",
    )
});
static KIND_OF_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?:(?:should|must)\s+)?(?:be\s+|are\s+|is\s+)?(?:with\s+(?:all|capital|upper|the\s+letter|more|less|fewer|at\s+least|\d|only|double|silent|similar|no)|in\s+(?:all|capital|upper|lower|bold|italic|caps|the\s+(?:word|title))|that\s+(?:start|begin|end|rhyme|contain|have|has|are|is|include|mean|describe|sound)|which\s+(?:start|begin|end|are|rhyme)|of\s+(?:the|at|\d|more|less|[a-z]+\s+letters)|from\s|having|containing|written\s+in|starting|beginning|ending|to\s+describe|for\s+(?:each|the\s+word|it\b)|like\b|such\b|each\b|per\b|rhym|capital|bold|a\s+(?:day|minute|week|page))|[:“‘]|you\b)",
    )
});
static OF_THESE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:of|these|those|following|above|first|last)\s"));
static OF_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:of\s+(?:code|text|dialogue)|breaks?|(?:per|a|every)\s+(?:day|week|page|minute))\b",
    )
});
static WORD_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:capitali[sz]e|caps\s+for|letters\s+for|highlight|italici[sz]e|bold|emphasi[sz]e|underline|rhym)[a-z]*\b[^.?!,;]*$",
    )
});
static IN_ANSWER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?:in|for|of)\s+(?:your|the|this|total|length|one|a\s+single|about|english|it|markdown|which)\b|for\s+(?:each|a|my|an)\b)",
    )
});
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:that|which|with|of\s+(?:code|text|dialogue)|from|breaks?|about\s+how|:|above|below|into|is|are|was|were)\b",
    )
});
static DESCRIBES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:respond|reply|answer|write|summari[sz]e|explain|describe|it|this|that|response|answer|essay|poem|story|summary|explanation|description|reply|output|text|song|article|letter|email|paragraph)\b[^.?!\n]{0,60}?\b(?:in|with|of|using|into|has|have|contain|contains|containing|be|to)|(?:should|must)\s+(?:be|have|contain|include|consist\s+of)|(?:use|write|have|contain|containing))\s+(?:a\s+total\s+of\s+)?$",
    )
});
static ALONE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*$|[(,;:]\s*$"));
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:write|compose|create|generate|give|draft|make|produce|provide|need|want|come\s+up\s+with|craft|prepare|develop)\s+(?:me\s+|us\s+)?(?:up\s+)?(?:a|an|another|one|the)?\s*(?:[a-z]+,?\s+){0,2}$",
    )
});
static STARS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[^*])(?P<stars>\*\*\*)(?:[^*]|$)"));
static DIVIDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"markdown\s+divider|\b(?:three|3)\s+(?:asterisks?|stars?)\b(?:\s+symbols?)?")
});
static SEPARATES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:separat|divid|format|split|delimit)"));
pub(super) static PARTIAL_PARTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:each|every|per)\s+(?:[a-z]+\s+){0,2}(?:section|paragraph|part|topic|item|chapter|one|category|idea|heading)s?\b",
    )
});
static NUMBER_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:(?:total\s+)?number\s+of\s+(?P<noun>words?|sentences?|lines?)|(?:word\s+(?:count|limit|length)))[^.?!\n]{{0,40}}?\b(?:be|is|of|to|should|must|:)\s*(?:be\s+)?(?P<value>(?:(?:in\s+)?(?:the\s+)?range\s+(?:of|from)\s+)?(?:[a-z]+\s+){{0,3}}?{NUMBER}(?:\s*(?:-|–|to|and)\s*{NUMBER})?(?:\+|\s+or\s+(?:more|less|fewer))?)"
    ))
});
static REPEATS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:not|never)\s+repeat\s+any\s+word\s+more\s+than\s+(?P<n>{NUMBER})\s+times"
    ))
});
