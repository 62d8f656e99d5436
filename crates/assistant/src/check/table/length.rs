//! Rows about counts over the whole answer: words, sentences, lines, paragraphs, characters, list items.
//!
//! A word of comparison ("at least", "or fewer") in a request is enough; a bare number needs "in", "with", "of" or a
//! verb like "contain" before it, and a bare number of words is only about that many. Counts that belong to a part of
//! the answer (a title, each line) are not counts of the answer.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Requirement,
    pattern::patterns,
    quantity::{bounds_of, number},
    rule::{Bound, Relation, Rule, What},
};

pub(super) const ROWS: &[Row] = &[
    Row {
        id: "length_constraints:number_words",
        find: Find::Amount("(total |english )?", "words?"),
        // "highlight at most 4 words" counts highlights.
        when: &[
            When::AsksLength,
            When::OfWhole,
            When::NotBefore(
                r"\b(capitali[sz]e|caps for|letters for|highlight|italici[sz]e|bold|emphasi[sz]e|underline
            |rhym)[a-z]*\b[^.?!,;]*$",
            ),
        ],
        make: words,
        asks: &[
            "Keep your answer under 50 words.",
            "Limit your response to 120 words.",
            "The essay must be 400+ words.",
            "Your reply should not exceed 90 words.",
            "Explain tides. Use no more than sixty words.",
            "Write at least 250 words about rivers.",
            "I want a summary of fewer than forty words.",
            "The response should be longer than 300 words.",
            "What is rain? Your response should be 100 words or more.",
            "Write a review with a minimum of 200 words.",
            "The word count should be at least 300.",
            "Make it short: less than 40 words, please.",
            "The total number of words in your response should be at least 700.",
            "Answer in exactly 12 words.",
            "Your answer must be at least 350 words in length.",
            "Tell me about snails in 30 words or less.",
            "Describe a forest (at most 25 words).",
            "Please write more than 600 words in your essay on salt.",
            "The response must have a minimum word count of 150.",
            "Write a 250+ word article about bread.",
            "Your response must be at least 500 words, and should mention birds.",
            "Answer with at least 100 words",
            "Don't use more than 75 words.",
            "Use less than a total of 80 words.",
        ],
        talks: &[
            "A 500 word essay by John was lost.",
            "Tell me the two words for hello in Thai.",
            "She wrote at least 300 words every day. How many words in a week?",
        ],
        ..ROW
    },
    Row {
        id: "length_constraints:number_words",
        find: Find::Text(
            r"\b(answer|respond|reply) (to [a-z ]{1,20} )?(me )?(only )?(in|with|using) (just |only |exactly )?
              (a (single )?|one (single )?|1 )word\b|\bone[\s-]word (answer|response|reply)\b",
        ),
        when: &[When::Asks],
        make: |place, found| {
            let one = [Bound::new(Relation::Exactly, 1)];
            place.count(found, &place.span, &What::Words, &one);
        },
        asks: &[
            "Who wrote it? Give a one-word answer.",
            "Is it far? Reply with just a single word.",
        ],
        talks: &["Nobody was lost for a word."],
        ..ROW
    },
    Row {
        id: "length_constraints:number_sentences",
        find: Find::Amount(r"([a-z-]+ ){0,2}", "sentences?"),
        when: &[When::AsksLength, When::OfWhole],
        make: |place, found| plain(place, found, &What::Sentences),
        asks: &[
            "Use at least 12 sentences.",
            "Explain gravity in 3 sentences.",
            "Your entire response should be less than 6 sentences.",
            "Summarize the plot in no more than five sentences.",
            "Your answer should consist of exactly 4 sentences.",
            "Make sure your response has at least ten sentences in total.",
            "The total number of sentences in your response should be less than 8.",
            "Write a poem that is at least 15 sentences long.",
            "Keep it to under 7 sentences.",
            "Your reply must contain 20 or more sentences.",
            "Write a two-sentence summary of the film.",
            "Answer with fewer than 9 sentences and use simple words.",
            "Could you expand this into 8 or more sentences?",
        ],
        talks: &["I have 3 sentences here, fix them."],
        ..ROW
    },
    Row {
        id: "length_constraints:number_lines",
        find: Find::Amount("((short|rhyming|rhymed|total|separate) )?", "lines?"),
        when: &[When::AsksLength, When::OfWhole],
        make: |place, found| plain(place, found, &What::Lines),
        asks: &[
            "Use fewer than 3 lines.",
            "Write a four line poem about moss.",
        ],
        talks: &["Write at least 3 lines of code."],
        ..ROW
    },
    Row {
        id: "length_constraints:number_paragraphs",
        find: Find::Amount(
            "((short|long|different|separate|distinct|brief|total|main) ){0,2}",
            "paragraphs?|sections?|parts?|stanzas?|verses?|pieces?|blocks?",
        ),
        when: &[When::AsksLength],
        make: paragraphs,
        asks: &[
            "Your response must contain 3 paragraphs separated by ***.",
            "Write exactly 5 paragraphs. Separate the paragraphs with the markdown divider: ***",
            "There should be 4 paragraphs. Paragraphs are separated with the markdown divider: ***",
            "Divide your answer into two parts with three asterisks (***) between them.",
            "Give me six sections, and put *** between sections.",
            "Write 3 paragraphs and use the markdown divider *** to separate them.",
        ],
        talks: &["My teacher said the essay must have 5 paragraphs. Is that normal?"],
        ..ROW
    },
    Row {
        id: "length_constraints:number_paragraphs",
        find: Find::Text(r"(^|[^*])\*\*\*([^*]|$)"),
        once: true,
        make: divided,
        asks: &["Write a poem in this format:\nverse one\n***\nverse two"],
        talks: &["What does *** mean?"],
        ..ROW
    },
    Row {
        id: "length_constraints:number_words",
        find: Find::Text(
            r"\b((total )?number of (?<noun>words?|sentences?|lines?)|(word (count|limit
            |length)))[^.?!\n]{0,40}?\b(be|is|of|to|should|must|:)\s*(be )?(?<value>((in )?(the )?range (of
            |from) )?([a-z]+ ){0,3}?{number}(\s*(-|–|to|and)\s*{number})?(\+| or (more|less|fewer))?)",
        ),
        when: &[When::AsksLength, When::OfWhole],
        make: reversed,
        asks: &["The word count should be at least 300."],
        talks: &["What is the number of words in a book of 300 pages?"],
        ..ROW
    },
    Row {
        id: "length_constraints:number_characters",
        find: Find::Amount(
            "(total )?",
            "characters (long|in (length|total)|including|with spaces|or)",
        ),
        when: &[When::AsksLength, When::OfWhole],
        make: |place, found| plain(place, found, &What::Characters),
        asks: &["Keep it under 200 characters long."],
        talks: &["A play with 3 characters or more is hard."],
        ..ROW
    },
    Row {
        id: "count:unique_word_count",
        find: Find::Amount("(unique|different|distinct) ", "words"),
        when: &[When::Explicit, When::AsksLength, When::OfWhole],
        make: |place, found| place.count_here(found, &What::UniqueWords),
        asks: &["Use at least 20 unique words in your answer."],
        talks: &["How many people know at least 20 different words for snow?"],
        ..ROW
    },
    Row {
        id: "count:numbers",
        find: Find::Amount("", "numbers in (the|your) ({answer})"),
        when: &[When::Explicit, When::AsksLength, When::OfWhole],
        make: |place, found| place.count_here(found, &What::Numbers),
        asks: &["Include exactly 3 numbers in your response."],
        talks: &["Why are there 3 numbers in the response?"],
        ..ROW
    },
    Row {
        id: "detectable_format:number_list_items",
        find: Find::Amount("(list )?", "items in (the|your) list|list items"),
        when: &[When::Explicit, When::AsksLength, When::OfWhole],
        make: |place, found| place.count_here(found, &What::Items),
        asks: &["Give me exactly 5 items in your list."],
        talks: &["Why are there 5 items in the list?"],
        ..ROW
    },
    Row {
        id: "words:repeats",
        find: Find::Text(r"{not} repeat any word more than (?<n>{number}) times"),
        make: |place, found| {
            if let Some(most) = place.capture(&["n"]).and_then(number) {
                place.add(found, place.span.clone(), Rule::WordRepeats(most));
            }
        },
        asks: &["Do not repeat any word more than 3 times."],
        talks: &["Poets repeat any word more than 3 times."],
        ..ROW
    },
];

fn words(place: &Place<'_>, found: &mut Vec<Requirement>) {
    // "less than 5 words with all capital letters", "three words that rhyme": a kind of word, not a length.
    if is_kind(place.after()) {
        return;
    }
    let mut bounds = place.bounds().to_vec();
    if place.is_explicit() {
        // Nobody counts hundreds of words: "just 500 words" is about that many, "exactly 500 words" stands as it is.
        for bound in &mut bounds {
            if bound.relation == Relation::Exactly
                && bound.number > 60
                && !place.text().contains("exact")
            {
                bound.relation = Relation::About;
            }
        }
        return place.count(found, &place.span, &What::Words, &bounds);
    }
    let low = bounds.first().map_or(0, |bound| bound.number);
    let written = place.is_hyphenated() && low >= 20 && WRITTEN.is_match(place.before());
    if !is_bare(place) && !written {
        return;
    }
    if low <= 12 && !place.is_hyphenated() {
        return place.count(found, &place.span, &What::Words, &bounds);
    }
    let (what, bound) = (What::Words, Bound::new(Relation::About, low));
    let id = "length_constraints:about_words";
    place.add_as(id, found, place.span.clone(), Rule::Count { what, bound });
}

/// Whether what follows "words" makes them a kind of words.
fn is_kind(after: &str) -> bool {
    KIND_OF_WORD.is_match(after) && !IN_ANSWER.is_match(after)
}

/// Nouns whose bare number is an exact one.
fn plain(place: &Place<'_>, found: &mut Vec<Requirement>, what: &What) {
    let listed = LISTED.is_match(place.after()) || OF_THESE.is_match(place.text());
    let written = place.is_hyphenated() && WRITTEN.is_match(place.before());
    let bare = !listed && (is_bare(place) || written);
    let said = place.is_explicit() && !OF_CODE.is_match(place.after());
    if said || bare {
        place.count_here(found, what);
    }
}

/// Whether a bare number of something describes the answer.
fn is_bare(place: &Place<'_>) -> bool {
    let before = place.before();
    let alone = || ALONE.is_match(before) && place.prompt.names_answer(place.span.start);
    !place.is_hyphenated() && (DESCRIBES.is_match(before) || alone())
}

/// Paragraphs: between `***` where the prompt says so, else between blank lines.
fn paragraphs(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let counts_them = |one: &Requirement| {
        matches!(
            one.rule,
            Rule::ParagraphStart {
                paragraphs: Some(_),
                ..
            }
        )
    };
    let divided = STARS.is_match(place.near()) || DIVIDER.is_match(place.near());
    let counts = place.is_explicit() || is_bare(place) || divided;
    let partial = !divided && PARTIAL_PARTS.is_match(place.before());
    if !counts || partial || found.iter().any(counts_them) {
        return;
    }
    if divided {
        return place.count_here(found, &What::StarredParts);
    }
    if place.text().contains("paragraph") {
        for bound in place.bounds() {
            let (what, bound) = (What::Paragraphs, *bound);
            let id = "length_constraints:paragraphs";
            place.add_as(id, found, place.span.clone(), Rule::Count { what, bound });
        }
    }
}

/// A layout with dividers shows how many parts there are, where nobody says so.
fn divided(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let numbered = found.iter().any(|one| one.id == place.id);
    let lines = place
        .prompt
        .text
        .lines()
        .filter(|line| line.trim() == "***")
        .count();
    if !numbered && lines > 0 && SEPARATES.is_match(&place.prompt.open) {
        let parts = [Bound::new(Relation::Exactly, lines as u64 + 1)];
        place.count(found, &place.span, &What::StarredParts, &parts);
    }
}

/// "The number of sentences should be in the range of 40 to 60", "a word count of 300 or more".
fn reversed(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let noun = place.captured("noun");
    if noun
        .as_ref()
        .is_some_and(|noun| is_kind(place.prompt.after(noun.end)))
    {
        return;
    }
    let noun = place.capture(&["noun"]).unwrap_or("w");
    let (id, what) = match noun.as_bytes().first() {
        Some(b's') => ("length_constraints:number_sentences", What::Sentences),
        Some(b'l') => ("length_constraints:number_lines", What::Lines),
        _ => (place.id, What::Words),
    };
    for bound in bounds_of(place.capture(&["value"]).unwrap_or_default()) {
        let what = what.clone();
        place.add_as(id, found, place.span.clone(), Rule::Count { what, bound });
    }
}

patterns! {
    KIND_OF_WORD = r"^\s*(((should|must) )?(be |are |is )?(with (all|capital|upper|the letter|more|less|fewer|at least|\d
            |only|double|silent|similar|no)|in (all|capital|upper|lower|bold|italic|caps|the (word|title))
            |that (start|begin|end|rhyme|contain|have|has|are|is|include|mean|describe|sound)|which (start|begin
            |end|are|rhyme)|of (the|at|\d|more|less|[a-z]+ letters)|from\s|having|containing|written in|starting
            |beginning|ending|to describe|for (each|the word|it\b)|like\b|such\b|each\b|per\b|rhym|capital|bold
            |a (day|minute|week|page))|[:“‘]|you\b)";
    OF_THESE = r"\b(of|these|those|following|above|first|last)\s";
    OF_CODE = r"^\s*(of (code|text|dialogue)|breaks?|(per|a|every) (day|week|page|minute))\b";
    IN_ANSWER = r"^\s*((in|for|of) (your|the|this|total|length|one|a single|about|english|it|markdown|which)\b
            |for (each|a|my|an)\b)";
    LISTED = r"^\s*(that|which|with|of (code|text|dialogue)|from|breaks?|about how|:|above|below|into|is|are|was
            |were)\b";
    DESCRIBES = r"\b((respond|write|summari[sz]e|explain|describe|it|this|that|{work})\b[^.?!\n]{0,60}?
        \b(in|with|of|using|into|has|have|contain|contains|containing|be|to)|(should|must) (be|have|contain|include|consist of)
        |(use|write|have|contain|containing)) (a total of )?$";
    ALONE = r"^\W*$|[(,;:]\s*$";
    WRITTEN = r"\b(write|compose|create|generate|give|draft|make|produce|provide|need|want|come up with|craft
            |prepare|develop) (me |us )?(up )?(a|an|another|one|the)?\s*([a-z]+,? ){0,2}$";
    STARS = r"(^|[^*])\*\*\*([^*]|$)";
    DIVIDER = r"markdown divider|\b(three|3) (asterisks?|stars?)\b( symbols?)?";
    SEPARATES = r"\b(separat|divid|format|split|delimit)";
    PARTIAL_PARTS = super::mark::OF_EACH_PART;
}
