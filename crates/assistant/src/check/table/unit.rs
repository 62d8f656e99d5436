//! Rows about every sentence, line, paragraph, word or list item, and what can be named but not checked.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Requirement,
    list::quotation,
    pattern::patterns,
    quantity::number,
    rule::{Bound, Each, Rule, Unit},
};

pub(super) const ROWS: &[Row] = &[
    Row {
        id: "units:length",
        find: Find::Amount("(complete |full |short )?", "words?|sentences?|characters?"),
        // "Each sentence has two words more than …" is another row's business.
        when: &[When::NotAfter(
            r"^\s*(more|less|fewer|longer|shorter)\b|^\s*than\b",
        )],
        make: each,
        asks: &[
            "Tell me about rain. Every sentence must have exactly four words.",
            "Write a note. Each line should have at most 5 words.",
            "Write about tea. Each paragraph must contain exactly 2 sentences.",
            "Make sure each line is under 50 characters.",
        ],
        talks: &[
            "How many letters are in a book if every sentence has four words?",
            "Each sentence is in 2 paragraphs.",
        ],
        ..ROW
    },
    Row {
        id: "units:start_letter",
        find: Find::Text(
            r#"\b(each|every|all) ((single|of|the|your) ){0,3}(?<u1>{unit}) ((in|of) (your|the) [a-z]+ )?(({must}|to|that) )*
               (starts?|begins?|starting|beginning) with (the |an? )?(same )?letter [(“"'‘]?(?<l1>[a-z])\b
               |\b(start|begin)(s|ing|ning)? (each|every|all) ((single|of|the|your) ){0,3}(?<u2>{unit}) with (the |an? )?
               letter [(“"'‘]?(?<l2>[a-z])\b"#,
        ),
        when: &[When::Asks],
        make: start_letter,
        asks: &[
            "Start every sentence with the letter A.",
            "Please make every word begin with the letter 's'.",
        ],
        talks: &["Why does every line start with the letter A in this poem?"],
        ..ROW
    },
    Row {
        id: "units:phrase",
        find: Find::Text(
            r"\b(each|every) ((single|of|the|your) ){0,2}(?<u1>{unit}) (({must}|to|that) )*
              (?<v1>starts?|begins?|ends?|finish(es)?|contains?|includes?) (with )?(the )?(word|phrase|character|symbol|mark)?\s*
              |\b(?<v2>start|begin|end|finish) (each|every) ((single|of|the|your) ){0,2}(?<u2>{unit}) with (the )?
              (word|phrase|character|symbol|mark)?\s*",
        ),
        when: &[When::Asks],
        make: phrase,
        talks: &["Each line should end with a rhyme word of your choice, please."],
        ..ROW
    },
    Row {
        id: "units:consecutive_letters",
        find: Find::Text(
            r#"\b(consecutive|successive|sequential|subsequent|alphabetical) (letters?
            |order)\b[^.?!\n]{0,80}?\b(from|starting (from|with|at)|beginning (from|with|at)
            |letters?) (the letter )?["'“‘]?(?<from>[a-z])["'”’]?(\s*(to|through|until|till|-|–|up to
            |and ending (with|at)) (the letter )?["'“‘]?(?<to>[a-z])\b)?"#,
        ),
        once: true,
        make: consecutive,
        asks: &["The sentences begin with consecutive letters from B to D."],
        talks: &["Sort the list in alphabetical order from left to right."],
        ..ROW
    },
    Row {
        id: "words:no_consecutive",
        find: Find::Text(
            r"\bno two consecutive words (can|may|should|must)?\s*(share|have|start with
            |begin with) the same (first|initial|starting)?\s*letter",
        ),
        once: true,
        make: |place, found| place.add(found, place.span.clone(), Rule::NoSharedInitials),
        asks: &["No two consecutive words can share the same first letter."],
        talks: &["Can two consecutive words share the same first letter?"],
        ..ROW
    },
    Row {
        id: "sentence:increment",
        find: Find::Text(
            r"\beach sentence (in your response )?(should|must|has to)?\s*(contain|have|has
            |be) exactly (?<n>{number}) more words? than the (previous|last)",
        ),
        once: true,
        make: |place, found| {
            if let Some(more) = place.capture(&["n"]).and_then(number) {
                place.add(found, place.span.clone(), Rule::GrowingSentences(more));
            }
        },
        asks: &["Each sentence must contain exactly 2 more words than the previous one."],
        talks: &["Each sentence was longer than the previous one."],
        ..ROW
    },
    Row {
        id: "words:alphabet",
        find: Find::Text(
            r"\beach word (in your response )?(must|should) start with the next letter of the alphabet",
        ),
        once: true,
        make: |place, found| {
            unknown(
                place,
                found,
                "each word starts with the next letter of the alphabet",
            )
        },
        asks: &["Each word must start with the next letter of the alphabet."],
        talks: &["What is the next letter of the alphabet?"],
        ..ROW
    },
    Row {
        id: "sound:rhyme",
        find: Find::Text(r"\brhym(e|es|ed|ing)( scheme( of [a-z]{3,8})?)?\b"),
        when: &[When::Asks],
        once: true,
        make: |place, found| unknown(place, found, "it rhymes as asked"),
        asks: &["Write a poem that rhymes."],
        talks: &["Does this rhyme?"],
    },
    Row {
        id: "sound:syllables",
        find: Find::Text(
            r"\b(\d+|one|two|three|five|seven|odd|even|numbers? of)[\s-]+(and even numbers? of )?syllables?\b|\b5[\s-]7[\s-]5\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| unknown(place, found, "the syllables are as asked"),
        asks: &["Write a line of seven syllables."],
        talks: &["Who counts two syllables in this word?"],
    },
    Row {
        id: "sound:metre",
        find: Find::Text(r"\biambic pentameter\b|\balliterat(ion|ive)\b|\bassonance\b"),
        when: &[When::Asks],
        once: true,
        make: |place, found| unknown(place, found, "it sounds as asked"),
        asks: &["Write a verse in iambic pentameter."],
        talks: &["What is alliteration?"],
    },
    Row {
        id: "form:verse",
        find: Find::Text(
            r"\b(write|compose|create|make|give me|draft) (me )?(a|an|two|three|some) ([a-z]+ ){0,2}
              (haikus?|limericks?|sonnets?|villanelle|acrostic|palindrome)\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| unknown(place, found, "it keeps the form of the verse"),
        asks: &["Write a haiku about rust."],
        talks: &["Who wrote the first haiku?"],
    },
    Row {
        id: "words:kind",
        find: Find::Text(
            r"\b(different|unique) (coordinating )?conjunctions\b|\bpronouns\b|\bstart with a (verb|noun)\b
              |\bconsonant clusters?\b|\bpalindromes\b|\blast word of each sentence must\b|\blengths that are prime\b
              |\bevery \d+(st|nd|rd|th) word\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| unknown(place, found, "the words are of the kind asked for"),
        asks: &["Use different coordinating conjunctions."],
        talks: &["Who invented palindromes?"],
    },
    Row {
        id: "format:layout",
        find: Find::Text(
            r"\bemojis? at the end of (every|each) sentence\b|\bincrementally indenting\b|\beach word on a new line\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| unknown(place, found, "the layout is as asked"),
        asks: &["Put an emoji at the end of every sentence."],
        talks: &["Who puts emojis into letters?"],
    },
];

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

/// A bound behind "every sentence has".
fn each(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let before = place.before();
    let Some(every) = EVERY_HAS.captures(before) else {
        return;
    };
    let (Some(whole), Some(unit)) = (every.get(0), every.name("unit")) else {
        return;
    };
    let Some(unit) = self::unit(unit.as_str()) else {
        return;
    };
    // "Every sentence has four words." needs no verb of asking, unless it is a sum about sentences.
    let prompt = place.prompt;
    let states = before[..whole.start()].trim().is_empty() && !HOW_MANY.is_match(&prompt.open);
    let start = place.span.start - before.len() + whole.start();
    if !states && !prompt.asks(start) {
        return;
    }
    let rule: fn(Bound) -> Each = match place.text() {
        text if text.contains("word") => Each::Words,
        text if text.contains("sentence") => Each::Sentences,
        _ => Each::Characters,
    };
    for bound in place.bounds() {
        let each = rule(*bound);
        if unit != Unit::Word || !matches!(each, Each::Words(_)) {
            place.add(found, start..place.span.end, Rule::Each { unit, each });
        }
    }
}

fn start_letter(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let letter = place
        .capture(&["l1", "l2"])
        .and_then(|letter| letter.chars().next());
    let unit = place.capture(&["u1", "u2"]).and_then(unit);
    if let (Some(unit), Some(letter)) = (unit, letter) {
        let each = Each::StartsWithLetter(letter);
        place.add(found, place.span.clone(), Rule::Each { unit, each });
    }
}

/// `Start each line with "-"`, `each paragraph must contain the word "x"`.
fn phrase(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let unit = place.capture(&["u1", "u2"]).and_then(unit);
    let verb = place.capture(&["v1", "v2"]).unwrap_or_default();
    let quoted = quotation(place.prompt.text, place.span.end);
    let (Some(unit), Some((range, end))) = (unit, quoted) else {
        return;
    };
    let words = place.prompt.text[range].trim().to_owned();
    if words.is_empty() {
        return;
    }
    let (id, each) = match verb.chars().next() {
        Some('s' | 'b') => ("units:start", Each::StartsWith(words)),
        Some('e' | 'f') => ("units:end", Each::EndsWith(words)),
        _ => ("units:contains", Each::Contains(words)),
    };
    place.add_as(id, found, place.span.start..end, Rule::Each { unit, each });
}

/// "The first letters of the sentences are consecutive letters from B to J".
fn consecutive(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let letter = |name: &str| {
        let letter = place.capture(&[name])?.chars().next()?;
        Some(letter.to_ascii_uppercase())
    };
    let Some(from) = letter("from") else { return };
    let sentence = place.sentence();
    if place.prompt.asks(place.span.start) || BEGINS.is_match(sentence) {
        let named = UNIT_NAME
            .find(sentence)
            .and_then(|name| unit(name.as_str()));
        let rule = Rule::ConsecutiveLetters {
            unit: named.unwrap_or(Unit::Sentence),
            from,
            to: letter("to").filter(|to| *to > from),
        };
        place.add(found, place.span.clone(), rule);
    }
}

/// What is clearly asked but needs a dictionary, an ear or a reader.
fn unknown(place: &Place<'_>, found: &mut Vec<Requirement>, what: &str) {
    place.add(
        found,
        place.span.clone(),
        Rule::Unverifiable(what.to_owned()),
    );
}

patterns! {
    /// "Every sentence of your answer must have", right before a number.
    EVERY_HAS = r"\b(each|every|all|any) ((single|of|the|your|individual|its) ){0,3}(?<unit>{unit})\b\s*
        ((in|of) (your|the) ([a-z]+ )?({answer}|poem|story|text|list|song|essay) )?
        ((should|must|shall|needs?|has|have|to|only|be|is|are|with|of|contain|contains|containing|consist|consists
        |include|using|use|long|also|not|exceed|in|length)\s*)*$";
    HOW_MANY = r"\bhow (many|much)\b";
    BEGINS = r"\b(begins?|starts?|first letters?|initials?)\b";
    UNIT_NAME = r"\b(sentences?|lines?|paragraphs?|words?|items?|bullet points?)\b";
}
