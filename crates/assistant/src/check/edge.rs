//! Finds what an answer begins and ends with: phrases, the prompt itself, the first word of a paragraph.
use super::{
    Requirement,
    list::quotation,
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{NUMBER, Quantity, Stated, number, ordinal},
    rule::Rule,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    repeat(prompt, found);
    ends(prompt, found);
    starts(prompt, found);
    paragraph_start(prompt, found);
}

/// "First repeat the request word for word without change, then give your answer."
fn repeat(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    let mut matches = REPEAT.find_iter(&prompt.open).take(MOST_MATCHES);
    let Some(whole) = matches.find(|whole| {
        let near = &prompt.open[prompt.neighbourhood(whole.start())];
        !CHANGED.is_match(near) && (VERBATIM.is_match(near) || VERBATIM.is_match(whole.as_str()))
    }) else {
        return;
    };
    let range = repeated(prompt, whole.start());
    let said = prompt.text[range].trim();
    if said.is_empty() {
        return;
    }
    let rule = Rule::Repeats(said.to_owned());
    add(
        found,
        prompt,
        "combination:repeat_prompt",
        whole.range(),
        rule,
    );
}

/// The text to repeat: what stands before the instruction, or behind it where that says "below" or comes first.
fn repeated(prompt: &Prompt<'_>, at: usize) -> Range<usize> {
    let sentence = prompt.sentence(at);
    let words = &prompt.open[sentence.clone()];
    if FIRST_LINE.is_match(words) {
        let text = prompt.text;
        let start = text.len() - text.trim_start().len();
        let end = text[start..]
            .find('\n')
            .map_or(text.len(), |end| start + end);
        return start..end;
    }
    let below = BELOW.is_match(words)
        || prompt.open[..sentence.start].trim().is_empty()
        || INTRODUCED.is_match(&prompt.open[..sentence.start]);
    if !below {
        return 0..sentence.start;
    }
    // The instruction's own paragraph ends before the request.
    let mut end = sentence.end;
    while end < prompt.open.len()
        && MORE_OF_IT.is_match(&prompt.open[end..prompt.sentence(end).end.max(end)])
        && prompt.sentence(end).end > end
    {
        end = prompt.sentence(end).end;
    }
    let paragraph = prompt.open[sentence.start..]
        .find("\n\n")
        .map(|offset| sentence.start + offset);
    match paragraph {
        Some(paragraph) if paragraph >= sentence.end.saturating_sub(1) => {
            paragraph.max(end.min(paragraph))..prompt.text.len()
        }
        _ => end..prompt.text.len(),
    }
}

/// "Finish your response with this exact phrase: …"
fn ends(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for whole in END.find_iter(&prompt.open).take(MOST_MATCHES) {
        if !prompt.asks(whole.start()) || NOT_WHOLE.is_match(prompt.before(whole.end())) {
            continue;
        }
        let Some(range) = phrase(prompt, whole.end(), whole.as_str()) else {
            continue;
        };
        let span = whole.start()..range.end;
        let rule = Rule::EndsWith(prompt.text[range].trim().to_owned());
        add(found, prompt, "startend:end_checker", span, rule);
        return;
    }
}

/// "Start your answer with the phrase …"
fn starts(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for whole in START.find_iter(&prompt.open).take(MOST_MATCHES) {
        if !prompt.asks(whole.start()) || NOT_WHOLE.is_match(prompt.before(whole.end())) {
            continue;
        }
        let Some((range, end)) = quotation(prompt.text, whole.end()) else {
            continue;
        };
        let rule = Rule::StartsWith(prompt.text[range].trim().to_owned());
        add(
            found,
            prompt,
            "detectable_format:constrained_start",
            whole.start()..end,
            rule,
        );
        return;
    }
}

/// The phrase that is announced: quoted, or the rest of the sentence behind a colon or "phrase".
fn phrase(prompt: &Prompt<'_>, at: usize, announced: &str) -> Option<Range<usize>> {
    if let Some((range, _)) = quotation(prompt.text, at) {
        return Some(range);
    }
    let text = &prompt.text[at..];
    let start = at + (text.len() - text.trim_start_matches([' ', ':', '\n', '\t', '*']).len());
    let announced = announced.trim_end();
    let open = announced.ends_with(':')
        || ["phrase", "words", "sentence", "exactly"]
            .iter()
            .any(|word| announced.ends_with(word));
    let rest = &prompt.text[start..];
    if !open || rest.is_empty() || rest.starts_with(['"', '“', '\'']) {
        return None;
    }
    let capital = rest
        .chars()
        .next()
        .is_some_and(|c| c.is_uppercase() || !c.is_alphabetic());
    if !capital && !announced.ends_with(':') {
        return None;
    }
    let end = rest.find('\n').unwrap_or(rest.len());
    let line = &rest[..end];
    let stop = line.char_indices().find(|(at, c)| {
        matches!(c, '.' | '?' | '!')
            && line[at + 1..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace)
    });
    let end = stop.map_or(line.len(), |(at, _)| at + 1);
    (end > 1 && end <= 200).then(|| start..start + end)
}

/// "exactly 4 paragraphs … the second paragraph must start with the word X".
fn paragraph_start(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    let stated = PARAGRAPHS.all(prompt);
    let several =
        |stated: &&Stated| stated.explicit || stated.bounds.iter().any(|bound| bound.number > 1);
    let count = stated
        .iter()
        .find(several)
        .and_then(|stated| stated.bounds.first())
        .map(|bound| bound.number);
    for captures in PARAGRAPH.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let Some(whole) = captures.get(0) else {
            continue;
        };
        let nth = ["n1", "n2", "n3", "n4"]
            .iter()
            .find_map(|name| captures.name(name));
        let nth = nth.and_then(|nth| number(nth.as_str()).or_else(|| ordinal(nth.as_str())));
        let (Some(nth), Some((word, end))) = (nth, first_word(prompt, whole.end())) else {
            continue;
        };
        let rule = Rule::ParagraphStart {
            paragraphs: count,
            nth,
            word,
        };
        let id = "length_constraints:nth_paragraph_first_word";
        add(found, prompt, id, whole.start()..end, rule);
        return;
    }
}

/// The word that is announced, lower case, and where it ends.
fn first_word(prompt: &Prompt<'_>, at: usize) -> Option<(String, usize)> {
    if let Some((range, end)) = quotation(prompt.text, at) {
        return Some((prompt.text[range].trim().to_lowercase(), end));
    }
    let rest = prompt.text[at..].trim_start_matches([' ', ':']);
    let start = prompt.text.len() - rest.len();
    let length = rest
        .find(|c: char| !c.is_alphanumeric() && c != '-')
        .unwrap_or(rest.len());
    (length > 0).then(|| (rest[..length].to_lowercase(), start + length))
}

static REPEAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:repeat|repeating|restate|copy)\s+(?:back\s+)?(?:it\b|(?:(?:the|this|my|exact|entire|whole|above|following|original|first|full|complete|same|all|of)\s+){0,4}(?:request|question|sentence|prompt|line|instructions?|query|paragraph|text|task|above|below|following|message)s?\b)[^.?!\n]{0,120}",
    )
});
static VERBATIM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:word\s+(?:for|by)\s+word|without\s+(?:any\s+)?chang|exact(?:ly)?|verbatim|before\s+(?:you\s+)?(?:say|answer|respond|repeat|output|giv)|first\b|do\s+not\s+(?:change|say|output))",
    )
});
static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:but\s+change|repeat\s+the\s+request,?\s+but|copy\s+the\s+span|(?:not|n[’']t|never|avoid|without)\s+(?:repeat|restat|copy))",
    )
});
static FIRST_LINE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\brepeat\s+(?:the\s+)?first\s+line\b"));
static BELOW: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:below|following)\b"));
static INTRODUCED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:before\s+you\s+(?:answer|respond|reply)|in\s+this\s+task|for\s+this\s+task|please)[^.?!\n]*$",
    )
});
static MORE_OF_IT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:please\s+)?(?:(?:do\s+not|don[’']t|you\s+(?:need|must|should|do\s+not)|just|then|only|make\s+sure)\b|\(?\d\.\s*do\s+not)[^\n]*\b(?:repeat|word|say|change|answer|request|character)",
    )
});
static END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:end|ends|ending|finish|finishes|finishing|conclude|concluding|close|closing|sign\s+off)\s+(?:(?:your|the|this|it|my|entire|whole|whole|full|off)\s+){0,3}(?:(?:response|answer|reply|output|essay|poem|letter|story|email|e-mail|article|post|blog\s+post|blog|song|text|speech|summary|rap|message|itinerary|review|description|pitch|document|joke|tweet|script|dialogue|resume|proposal|riddle|everything)\s+)?(?:off\s+)?(?:with|by\s+(?:saying|writing)|in)\s*(?:(?:this|the|these|exactly|exact|following|very|same|phrase|words?|sentence|line|statement|question|text|quote)\s*)*(?:\s*:)?|(?:the\s+)?(?:very\s+)?(?:last|final|ending)\s+(?:sentence|words?|line|phrase)\s+(?:of\s+(?:your|the)\s+(?:[a-z]+\s+)?[a-z]+\s+)?(?:should|must|has\s+to|needs\s+to|to)\s+(?:be|read|say)\s*(?:(?:this|the|exactly|exact|phrase|words?|sentence)\s*)*:?|at\s+the\s+(?:very\s+)?end(?:\s+of\s+(?:your|the)\s+(?:entire\s+)?[a-z]+)?,?\s+(?:say|write|state|add)\s+(?:(?:this|the|exactly|exact|following|phrase|words?|sentence)\s*)*:?|(?:very\s+)?end\s+of\s+(?:your|the)\s+(?:entire\s+)?(?:response|answer|reply|output)\s+(?:should|must)\s+(?:be|read|say)\s*(?:exactly\s*)?(?:like\s*)?(?:this\s*)?:?)\s*",
    )
});
static START: LazyLock<Regex> = LazyLock::new(|| {
    let said = r"(?:with|by\s+saying)\s+(?:(?:this|the|these|exact|following|phrase|words?|sentence|line)\s+)*:?\s*";
    let answer = r"(?:response|answer|reply|output|essay|poem|letter|story|email|article|post|song|text|speech|message)";
    pattern(&format!(
        r"\b(?:start|begin|open)\s+(?:off\s+)?(?:your|the|this|every)\s+(?:entire\s+)?{answer}\s+(?:off\s+)?{said}|\b{answer}\s+(?:should|must|has\s+to|needs\s+to)\s+(?:always\s+)?(?:start|begin)\s+(?:off\s+)?{said}|(?:^|[.,;:]\s*|\band\s+|\bplease\s+|\balways\s+)(?:start|begin)\s+(?:off\s+)?{said}"
    ))
});
static NOT_WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:each|every|all|sentences?|lines?|words?|paragraphs?|bullets?|points?|stanzas?|verses?|names?|section|question|not|n[’']t|never|titles?|postscript|paragraph\s+\d+)\s+(?:[a-z]+\s+){0,3}(?:start|begin|end|finish|open|conclude|clos)(?:s|es|ing|ning)?\s+(?:[a-z]+\s+){0,5}:?\s*$|\b(?:start|begin|end|finish)\s+(?:each|every|the\s+(?:first|second|third|last)|paragraph)\b[^.?!\n]*$",
    )
});
static PARAGRAPH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:\bparagraph\s+(?:number\s+)?#?(?P<n1>{NUMBER})|\b(?:the\s+)?(?:very\s+)?(?P<n2>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final|\d+(?:st|nd|rd|th))\s+paragraph)\s*,?\s*(?:(?:should|must|has\s+to|needs\s+to|will|to|only|also|shall)\s+)*(?:starts?|begins?|starting|beginning)\s+(?:off\s+)?(?:with|by)\s+(?:(?:the|exact|this)\s+)*(?:(?:first\s+)?word\b|phrase\b)?:?|\b(?:start|begin)\s+(?:off\s+)?(?:the\s+)?(?:very\s+)?(?:paragraph\s+(?P<n3>{NUMBER})|(?P<n4>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th))\s+paragraph)\s+with\s+(?:the\s+)?(?:word\b)?:?"
    ))
});
static PARAGRAPHS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:(?:short|long|different|separate|distinct|brief)\s+)?",
        "paragraphs?",
    )
});
