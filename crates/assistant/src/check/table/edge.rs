//! Rows about what an answer begins and ends with: phrases, the prompt itself, the first word of a paragraph.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Requirement,
    list::quotation,
    pattern::patterns,
    quantity::{Noun, Stated, number, ordinal},
    rule::Rule,
};
use std::{ops::Range, sync::LazyLock};

pub(super) const ROWS: &[Row] = &[
    Row {
        id: "combination:repeat_prompt",
        find: Find::Text(
            r"\b(repeat|repeating|restate|copy) (back )?(it\b|((the|this|my|exact|entire|whole|above|following
            |original|first|full|complete|same|all|of) ){0,4}(request|question|sentence|prompt|line
            |instructions?|query|paragraph|text|task|above|below|following|message)s?\b)[^.?!\n]{0,120}",
        ),
        once: true,
        make: repeat,
        asks: &[
            "Name three lakes.\n\nFirst repeat the request word for word without change, \
             then give your answer (1. do not say any words or characters before repeating the request; 2. the request you need to repeat does not include this sentence)",
            "What is dew? Before answering, repeat the question above word for word.",
            "Repeat the following request exactly as it is, then answer it.\n\nDraw a map of Mars in words.",
            "Write a verse about moss. Please first repeat this request word for word, then write the verse.",
            "How tall is a giraffe? First, repeat the exact question above without any change. Then answer.",
        ],
        talks: &[
            "Do not repeat the question.",
            "Why do people repeat the same question?",
        ],
        ..ROW
    },
    Row {
        id: "startend:end_checker",
        find: Find::Text(
            r"\b((end|ends|ending|finish|finishes|finishing|conclude|concluding|close|closing|sign off)
              \s+((your|the|this|it|my|entire|whole|full|off) ){0,3}(({work}|everything) )?(off )?(with|by (saying|writing)|in)\s*
              ((this|the|these|exactly|exact|following|very|same|phrase|words?|sentence|line|statement|question|text|quote)\s*)*
              (\s*:)?|(the )?(very )?(last|final|ending) (sentence|words?|line|phrase) (of (your|the) ([a-z]+ )?[a-z]+ )?
              ({must}|to) (be|read|say)\s*((this|the|exactly|exact|phrase|words?|sentence)\s*)*:?
              |at the (very )?end( of (your|the) (entire )?[a-z]+)?,? (say|write|state|add)
              \s+((this|the|exactly|exact|following|phrase|words?|sentence)\s*)*:?
              |(very )?end of (your|the) (entire )?({answer}) (should|must) (be|read|say)\s*(exactly\s*)?(like\s*)?(this\s*)?:?)\s*",
        ),
        when: &[When::Asks],
        once: true,
        make: ends,
        asks: &[
            "Finish your response with this exact phrase Any other questions?. No other words should follow this phrase.",
            "End your letter with \"Yours in tea\".",
            "The very last sentence of your response should be \"That is the way.\"",
            "Your response must end with the exact phrase \"Case closed.\"",
            "Conclude with the words \"and so it goes\".",
            "At the end of your answer, say exactly: Thanks for reading.",
            "Your answer should end with the sentence: See you soon!",
            "Finish the story with the phrase 'the end'.",
        ],
        talks: &[
            "How does the film end with a phrase like that?",
            "Write until you reach the end of the road.",
        ],
    },
    Row {
        id: "detectable_format:constrained_start",
        find: Find::Text(
            r"(\b(start|begin|open) (off )?(your|the|this|every) (entire )?({work}) (off )?
              |\b({work}) ({must}) (always )?(start|begin) (off )?
              |(^|[.,;:]\s*|\band |\bplease |\balways )(start|begin) (off )?)
              (with|by saying) ((this|the|these|exact|following|phrase|words?|sentence|line) )*:?\s*",
        ),
        when: &[When::Asks],
        once: true,
        make: starts,
        asks: &[
            "Start your answer with \"Well\"",
            "Your reply must begin with the phrase \"Dear all\".",
            "Begin with “Once upon a time”.",
        ],
        talks: &[
            "Start your day with a walk.",
            "Do not start your answer with \"Well\".",
        ],
    },
    Row {
        id: "length_constraints:nth_paragraph_first_word",
        find: Find::Text(
            r"(\bparagraph (number )?#?(?<n1>{number})|\b(the )?(very )?(?<n2>{ordinal}|last|final|\d+(st|nd|rd|th)) paragraph)
              \s*,?\s*(({must}|will|to|only|also) )*(starts?|begins?|starting|beginning) (off )?(with|by)
              \s+((the|exact|this) )*((first )?word\b|phrase\b)?:?
              |\b(start|begin) (off )?(the )?(very )?(paragraph (?<n3>{number})|(?<n4>{ordinal}|last|\d+(st|nd|rd|th)) paragraph)
              \s+with (the )?(word\b)?:?",
        ),
        once: true,
        make: paragraph_start,
        asks: &[
            "Write four paragraphs. Only separate paragraphs by two line breaks. The third paragraph must begin with the word \"River\".",
            "Your reply should have exactly 5 paragraphs, separated by two new lines. Paragraph 4 has to start with the word lamp.",
            "There should be 2 paragraphs. Paragraphs and only paragraphs are separated with each other by two new lines as if it was '\\n\\n' in python. Paragraph 2 must start with word table.",
            "Write 3 paragraphs with the first paragraph starting with the word \"Once\". Use two line breaks between paragraphs.",
            "The second paragraph should start with the word 'however' and there should be exactly 4 paragraphs separated by blank lines.",
        ],
        talks: &["The first paragraph of the book is long."],
        ..ROW
    },
];

/// "First repeat the request word for word without change, then give your answer."
fn repeat(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let near = place.near();
    let verbatim = VERBATIM.is_match(near) || VERBATIM.is_match(place.text());
    if CHANGED.is_match(near) || !verbatim {
        return;
    }
    let said = place.prompt.text[repeated(place)].trim();
    if !said.is_empty() {
        place.add(found, place.span.clone(), Rule::Repeats(said.to_owned()));
    }
}

/// The text to repeat: what stands before the instruction, or behind it where that says "below" or comes first.
fn repeated(place: &Place<'_>) -> Range<usize> {
    let prompt = place.prompt;
    let sentence = prompt.sentence(place.span.start);
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
    let paragraph = prompt.open[sentence.start..].find("\n\n");
    match paragraph.map(|offset| sentence.start + offset) {
        Some(paragraph) if paragraph >= sentence.end.saturating_sub(1) => {
            paragraph..prompt.text.len()
        }
        _ => end..prompt.text.len(),
    }
}

/// "Finish your response with this exact phrase: …"
fn ends(place: &Place<'_>, found: &mut Vec<Requirement>) {
    if NOT_WHOLE.is_match(place.prompt.before(place.span.end)) {
        return;
    }
    if let Some(range) = phrase(place) {
        let rule = Rule::EndsWith(place.prompt.text[range.clone()].trim().to_owned());
        place.add(found, place.span.start..range.end, rule);
    }
}

/// "Start your answer with the phrase …"
fn starts(place: &Place<'_>, found: &mut Vec<Requirement>) {
    if NOT_WHOLE.is_match(place.prompt.before(place.span.end)) {
        return;
    }
    if let Some((range, end)) = quotation(place.prompt.text, place.span.end) {
        let rule = Rule::StartsWith(place.prompt.text[range].trim().to_owned());
        place.add(found, place.span.start..end, rule);
    }
}

/// The phrase that is announced: quoted, or the rest of the sentence behind a colon or "phrase".
fn phrase(place: &Place<'_>) -> Option<Range<usize>> {
    let at = place.span.end;
    if let Some((range, _)) = quotation(place.prompt.text, at) {
        return Some(range);
    }
    let text = &place.prompt.text[at..];
    let start = at + (text.len() - text.trim_start_matches([' ', ':', '\n', '\t', '*']).len());
    let announced = place.text().trim_end();
    let named = ["phrase", "words", "sentence", "exactly"];
    let open = announced.ends_with(':') || named.iter().any(|word| announced.ends_with(word));
    let rest = &place.prompt.text[start..];
    if !open || rest.is_empty() || rest.starts_with(['"', '“', '\'']) {
        return None;
    }
    let first = rest.chars().next();
    let capital = first.is_some_and(|c| c.is_uppercase() || !c.is_alphabetic());
    if !capital && !announced.ends_with(':') {
        return None;
    }
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let stop = line.char_indices().find(|(at, c)| {
        let next = line[at + c.len_utf8()..].chars().next();
        matches!(c, '.' | '?' | '!') && next.is_none_or(char::is_whitespace)
    });
    let end = stop.map_or(line.len(), |(at, _)| at + 1);
    (end > 1 && end <= 200).then(|| start..start + end)
}

/// "exactly 4 paragraphs … the second paragraph must start with the word X".
fn paragraph_start(place: &Place<'_>, found: &mut Vec<Requirement>) {
    static PARAGRAPHS: LazyLock<Noun> = LazyLock::new(|| {
        Noun::new(
            "((short|long|different|separate|distinct|brief) )?",
            "paragraphs?",
        )
    });
    let several =
        |stated: &Stated| stated.explicit || stated.bounds.iter().any(|bound| bound.number > 1);
    let counted = PARAGRAPHS.all(place.prompt).into_iter().find(several);
    let nth = place.capture(&["n1", "n2", "n3", "n4"]);
    let nth = nth.and_then(|nth| number(nth).or_else(|| ordinal(nth)));
    if let (Some(nth), Some((word, end))) = (nth, first_word(place)) {
        let rule = Rule::ParagraphStart {
            paragraphs: counted.and_then(|stated| stated.bounds.first().map(|bound| bound.number)),
            nth,
            word,
        };
        place.add(found, place.span.start..end, rule);
    }
}

/// The word that is announced, lower case, and where it ends.
fn first_word(place: &Place<'_>) -> Option<(String, usize)> {
    let (text, at) = (place.prompt.text, place.span.end);
    if let Some((range, end)) = quotation(text, at) {
        return Some((text[range].trim().to_lowercase(), end));
    }
    let rest = text[at..].trim_start_matches([' ', ':']);
    let start = text.len() - rest.len();
    let is_end = |c: char| !c.is_alphanumeric() && c != '-';
    let length = rest.find(is_end).unwrap_or(rest.len());
    (length > 0).then(|| (rest[..length].to_lowercase(), start + length))
}

patterns! {
    VERBATIM = r"\b(word (for|by) word|without (any )?chang|exact(ly)?|verbatim|before (you )?(say|answer|respond
            |repeat|output|giv)|first\b|do not (change|say|output))";
    CHANGED = r"\b(but change|repeat the request,? but|copy the span)|({not}|\b(avoid|without)) (repeat|restat|copy)";
    FIRST_LINE = r"\brepeat (the )?first line\b";
    BELOW = r"\b(below|following)\b";
    INTRODUCED = r"^\s*(before you (answer|respond|reply)|in this task|for this task|please)[^.?!\n]*$";
    MORE_OF_IT = r"^\s*(please )?((do not|don['’]t|you (need|must|should|do not)|just|then|only|make sure)\b
            |\(?\d\.\s*do not)[^\n]*\b(repeat|word|say|change|answer|request|character)";
    NOT_WHOLE = r"(\b(each|every|all|sentences?|lines?|words?|paragraphs?|bullets?|points?|stanzas?|verses?|names?|section
        |question|titles?|postscript|paragraph \d+)|{not}) ([a-z]+ ){0,3}(start|begin|end|finish|open|conclude|clos)
        (s|es|ing|ning)? ([a-z]+ ){0,5}:?\s*$
        |\b(start|begin|end|finish) (each|every|the (first|second|third|last)|paragraph)\b[^.?!\n]*$";
}
