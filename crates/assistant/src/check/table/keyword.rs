//! Rows about required, forbidden and counted words and letters.
//!
//! Every "word(s)", "keyword(s)", "phrase", "name" or "letter" that is followed by a list is a mention. What stands
//! before it (a verb, perhaps negated) and behind it ("should appear", "at least twice") says what is asked.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Requirement,
    list::{items, quotation},
    pattern::patterns,
    prompt::Prompt,
    quantity::times,
    rule::{Bound, Relation, Rule, What},
};
use std::ops::Range;

const EXISTENCE: &str = "keywords:existence";
const FORBIDDEN: &str = "keywords:forbidden_words";
const FREQUENCY: &str = "keywords:frequency";
const LETTERS: &str = "keywords:letter_frequency";

pub(super) const ROWS: &[Row] = &[
    Row {
        id: EXISTENCE,
        find: Find::Text(
            r"\b(key[\s-]?words?|words?|phrases?|terms?|names?|items?|expressions?|sentences?)\b",
        ),
        when: &[When::Asks],
        make: mention,
        asks: &[
            "Include keywords ['river', 'stone'] in the response.",
            "Make sure to use the words \"lamp\" and \"desk\".",
            "Your story must include the word sunrise.",
            "Be sure the keywords 'orbit' and 'moon' are in your reply.",
            "The words 'cup' and 'tea' must be included in your response.",
            "Please include the following keywords in your response: apple, pear, plum.",
            "Mention the keyword \"yarn\".",
            "Use the keyword 'tiger' in your poem.",
            "Make sure that the word \"marble\" appears in your answer.",
            "Write a song and include the words ocean and wind in it.",
            "Your answer should contain the phrase \"all in all\".",
            "Include the keywords: cat, dog and bird.",
        ],
        talks: &[
            "Who used the word 'robot' first?",
            "What does the word 'set' mean?",
        ],
        ..ROW
    },
    Row {
        id: LETTERS,
        find: Find::Text(
            r#"\b(letters?|alphabets?)(\s*[:,]\s*| |\s*["'“‘`(\[])["'“‘`(\[]{0,2}(?<letter>[a-z])\b([”’])?["')\]`]*"#,
        ),
        when: &[When::Asks, When::OfWhole],
        make: letter,
        asks: &[
            "In your response, the letter k should appear at least 5 times.",
            "Write a poem without using the letter e.",
            "The letter 'z' must appear less than 3 times.",
            "Use the letter t at least 20 times.",
            "Make sure your answer includes the letter \"j\" at least 4 times.",
            "Do not use the letter o.",
            "Use at least 4 hashtags in the tweet.",
            "The letter q should not appear.",
            "Your reply should have the letter w 3 or more times.",
            "The letter a should appear no more than 10 times.",
        ],
        talks: &["Is it true that the letter e is the most used letter?"],
        ..ROW
    },
    Row {
        id: FORBIDDEN,
        find: Find::Text(
            r#"\b(includ(e|es|ing)|contain(s|ing)?|mention(s|ing)?|exclud(e|ing)|avoid(ing)?|omit(ting)?|say(ing)?|us(e|ing)
               |repeat)(?<mark> {quote})"#,
        ),
        when: &[When::Asks],
        make: quoted_object,
        asks: &[
            "Do not mention \"Google\" or \"Apple\".",
            "Do not use ‘thing’ and ‘stuff’.",
        ],
        talks: &["Use \"very\" as an example of a weak word."],
        ..ROW
    },
    Row {
        id: FREQUENCY,
        find: Find::Text(r#"["“](?<word>[^"“”\n\x01]{1,40})["”]"#),
        when: &[
            When::Asks,
            When::NotBefore(
                r"\b(key[\s-]?words?|words?|phrases?|terms?|names?|letters?|,|and|or)\s*$",
            ),
        ],
        make: quoted_subject,
        asks: &["Write a note. “future” should appear at most once."],
        talks: &["Tell me if \"future\" is a good title."],
        ..ROW
    },
    Row {
        id: FREQUENCY,
        find: Find::Text(
            r"\b(mention|use|include|say|repeat) (?<word>[a-z][a-z'-]{1,30}) (for )?
              (at (least|most)|less|fewer|more|no more|no less|not more|exactly)\b",
        ),
        when: &[When::Asks],
        make: bare_object,
        asks: &[
            "In your response, the word river should appear at least 3 times.",
            "Use the word \"very\" less than 4 times.",
            "The word moon should appear more than twice.",
            "Mention the word \"cloud\" at least 5 times in your essay.",
            "Make sure the word 'however' is used no more than 2 times.",
            "The keyword \"tax\" must appear 3 or more times.",
            "Include the word bread at least twice.",
            "Please use the word 'salt' 4 times or more.",
            "The word \"is\" should not appear more than 3 times.",
            "Make sure to mention the word peace fewer than 3 times.",
            "Write a poem with the word \"night\" in it at least 3 times.",
        ],
        talks: &["Use more than one oven."],
        ..ROW
    },
    Row {
        id: FORBIDDEN,
        find: Find::Text(
            r"({not}|\b(without|avoid)) (say(ing)?|mention(ing)?|us(e|ing)|includ(e|ing)) (?<words>[a-z][a-z'-]{1,30}
              (, [a-z][a-z'-]{1,30}){0,4},? (and|or|nor) [a-z][a-z'-]{1,30})(\s*[.!?;,]|$| in your\b| at all\b| anywhere\b)",
        ),
        when: &[When::Asks],
        make: bare_objects,
        asks: &[
            "Do not include keywords ['war', 'blood'] in the response.",
            "Don't use the word \"good\".",
            "Avoid using the words 'sad' and 'cry'.",
            "Write about Rome without mentioning the word \"empire\".",
            "The word pain must not appear in your answer.",
            "Refrain from using the word 'very'.",
            "Your response should not include the words fire, smoke or ash.",
            "Never say the word 'maybe'.",
            "Exclude the keywords cheap and free.",
            "Make sure not to use the words 'big' or 'small'.",
            "Please avoid the following words: just, really, very.",
            "You are not allowed to use the word 'obviously'.",
            "The following words should not appear in your response: \"red\", \"blue\".",
            "Make sure that the words 'x-ray' and 'scan' do not appear.",
            "Your answer must not contain the word happy.",
            "Do not mention \"Google\" or \"Apple\".",
            "No use of the word \"and\" is allowed.",
            "Write it without the words 'snow' and 'ice'.",
        ],
        talks: &[
            "Do not mention it and move on.",
            "Do not use big and long words.",
        ],
        ..ROW
    },
    Row {
        id: LETTERS,
        find: Find::Amount(
            "",
            r"exclamation (marks?|points?)|question marks?|hash\s?tags?|hashtag symbols?|semi-?colons?|commas?",
        ),
        when: &[When::Asks, When::OfWhole],
        make: mark,
        asks: &[
            "Use 6 or more exclamation marks.",
            "Use at least 2 question marks.",
            "Use at least 4 hashtags in the tweet.",
            "Use at least 2 semicolons.",
            "Use at most 3 commas.",
        ],
        talks: &[
            "Who uses 3 exclamation marks?",
            "What do 2 question marks mean?",
        ],
        ..ROW
    },
];

/// What the words around a mention ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Has,
    HasNot,
}

/// "the word" and the list behind it.
fn mention(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let (prompt, start, end) = (place.prompt, place.span.start, place.span.end);
    // The list is right behind the noun, or behind "… in your response:".
    let later = LATER
        .find(prompt.after(end))
        .map_or(end, |later| end + later.end());
    let (words, after) = items(prompt.text, later);
    let bare = !prompt.text[end..after].contains(['"', '\'', '“', '‘', '`', '”', ':']);
    let noun = place.text();
    let announced = noun.starts_with("key") || ANNOUNCED.is_match(place.before());
    let talk = bare && (!announced || noun.starts_with("sentence"));
    if words.is_empty() || talk || words.iter().any(|word| word.len() > 120) {
        return;
    }
    let tail = passive(prompt, start, after);
    let behind = after + tail.map_or(0, |(_, length)| length);
    // "The following words should not appear: …" has its verb before the list.
    let wish = tail
        .or_else(|| passive(prompt, start, end))
        .map(|(wish, _)| wish);
    let wish = wish.or_else(|| active(place.before()));
    let span = clause(prompt, start)..behind;
    if let Some((bounds, length)) = times(prompt, behind) {
        let limited = LIMITS.is_match(place.before());
        if wish.is_some() || limited || TAIL.is_match(prompt.after(after)) {
            let span = span.start..behind + length;
            frequency(
                place,
                &words,
                &bounds,
                wish == Some(Wish::HasNot),
                &span,
                found,
            );
        }
        return;
    }
    existence(place, wish, words, span, found);
}

fn existence(
    place: &Place<'_>,
    wish: Option<Wish>,
    words: Vec<String>,
    span: Range<usize>,
    found: &mut Vec<Requirement>,
) {
    match wish {
        Some(Wish::HasNot) => place.add_as(FORBIDDEN, found, span, Rule::Forbids(words)),
        Some(Wish::Has) => place.add_as(EXISTENCE, found, span, Rule::Contains(words)),
        None => {}
    }
}

/// One requirement for each counted word; "only once" is a word that is there, and at most once.
fn frequency(
    place: &Place<'_>,
    words: &[String],
    bounds: &[Bound],
    negated: bool,
    span: &Range<usize>,
    found: &mut Vec<Requirement>,
) {
    let said = &place.prompt.open[span.clone()];
    let strictly = ["exactly", "only", "just", "precisely"]
        .iter()
        .any(|word| said.contains(word));
    for word in words {
        for bound in bounds {
            let mut bound = *bound;
            if bound.relation == Relation::Exactly {
                bound.relation = match (negated, strictly, bound.number) {
                    (true, ..) => Relation::LessThan,
                    (_, true, 1) => {
                        let there = Rule::Contains(vec![word.clone()]);
                        place.add_as(EXISTENCE, found, span.clone(), there);
                        Relation::AtMost
                    }
                    (_, true, _) => Relation::Exactly,
                    (_, false, _) => Relation::AtLeast,
                };
            }
            let what = What::Keyword(word.clone());
            place.add_as(FREQUENCY, found, span.clone(), Rule::Count { what, bound });
        }
    }
}

fn letter(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let Some(letter) = place
        .capture(&["letter"])
        .and_then(|letter| letter.chars().next())
    else {
        return;
    };
    let (prompt, start, end) = (place.prompt, place.span.start, place.span.end);
    let tail = passive(prompt, start, end);
    let behind = end + tail.map_or(0, |(_, length)| length);
    let wish = tail
        .map(|(wish, _)| wish)
        .or_else(|| active(place.before()));
    let what = What::Letter(letter);
    match times(prompt, behind) {
        Some((bounds, length)) => {
            let span = clause(prompt, start)..behind + length;
            let bounds = place.at_least(&span, &bounds);
            place.count(found, &span, &what, &bounds);
        }
        None if wish == Some(Wish::HasNot) => {
            let none = [Bound::new(Relation::LessThan, 1)];
            place.count(found, &(clause(prompt, start)..behind), &what, &none);
        }
        None => {}
    }
}

/// `Do not include "can" and "ride"`, `Mention "free"`: a verb right before quotation marks.
fn quoted_object(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let (prompt, at) = (
        place.prompt,
        place.captured("mark").map_or(0, |mark| mark.start),
    );
    let (words, end) = items(prompt.text, at);
    let long = |word: &String| word.split_whitespace().count() > 4;
    if quotation(prompt.text, at).is_none() || words.is_empty() || words.iter().any(long) {
        return;
    }
    let counted = times(prompt, end);
    let span = clause(prompt, at)..end;
    // "Use "very"" alone may be talk about a word; counted or forbidden it is not.
    let weak = ["say", "us", "repeat"]
        .iter()
        .any(|stem| place.text().starts_with(stem));
    let wish = active(prompt.before(at))
        .filter(|wish| !weak || counted.is_some() || *wish == Wish::HasNot);
    match (wish, counted) {
        (Some(wish), Some((bounds, length))) => {
            let span = span.start..end + length;
            frequency(place, &words, &bounds, wish == Wish::HasNot, &span, found);
        }
        (wish, _) => existence(place, wish, words, span, found),
    }
}

/// `"future" should appear at most once`: quotation marks right before a passive verb.
fn quoted_subject(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let (prompt, start, end) = (place.prompt, place.span.start, place.span.end);
    let (Some(range), Some((wish, length))) = (place.captured("word"), passive(prompt, start, end))
    else {
        return;
    };
    let words = vec![prompt.text[range].to_owned()];
    let behind = end + length;
    match times(prompt, behind) {
        Some((bounds, length)) => {
            let span = start..behind + length;
            frequency(place, &words, &bounds, wish == Wish::HasNot, &span, found);
        }
        None if wish == Wish::HasNot => existence(place, Some(wish), words, start..behind, found),
        None => {}
    }
}

/// "Mention cats at least 3 times": a bare word that is counted.
fn bare_object(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let Some(word) = place.captured("word") else {
        return;
    };
    let counted = times(place.prompt, word.end);
    if let Some((bounds, length)) = counted.filter(|_| !is_talk(&place.prompt.open[word.clone()])) {
        let span = place.span.start..word.end + length;
        let words = [place.prompt.text[word].to_owned()];
        frequency(place, &words, &bounds, false, &span, found);
    }
}

/// "Do not mention cats and dogs": bare words, both of them forbidden.
fn bare_objects(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let Some(range) = place.captured("words") else {
        return;
    };
    let listed = &place.prompt.text[range.clone()];
    let split = SEPARATOR.split(listed).map(|word| word.trim().to_owned());
    let words: Vec<String> = split.filter(|word| !word.is_empty()).collect();
    if !words.iter().any(|word| is_talk(&word.to_lowercase())) {
        let span = place.span.start..range.end;
        existence(place, Some(Wish::HasNot), words, span, found);
    }
}

/// Whether a word is one that requests are made of rather than one that they name.
fn is_talk(word: &str) -> bool {
    OTHER_NOUN.is_match(word)
}

/// "6 or more exclamation marks", "at least 4 hashtags".
fn mark(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let names = [
        ("excl", '!'),
        ("quest", '?'),
        ("hash", '#'),
        ("semi", ';'),
        ("comma", ','),
    ];
    let named = names.iter().find(|(name, _)| place.text().contains(name));
    let mut bounds = place.bounds().to_vec();
    if !place.is_explicit() {
        bounds
            .iter_mut()
            .for_each(|bound| bound.relation = Relation::AtLeast);
    }
    if let Some((_, mark)) = named {
        place.count(found, &place.span, &What::Letter(*mark), &bounds);
    }
}

/// What the last verb before a mention asks for, if it governs it.
fn active(before: &str) -> Option<Wish> {
    let verb = VERB.find_iter(before).last()?;
    let between = &before[verb.end()..];
    let word = verb.as_str();
    let starts = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    // "start with the word", "describes the word", "one of the words" ask for something else.
    let weak = starts(&["writ", "put", "say", "ha", "with", "output", "repeat"])
        && !word.starts_with("without");
    let most = if weak { 2 } else { 5 };
    let near =
        between.split_whitespace().count() <= most && !between.contains([',', ';', ':', '?', '!']);
    let edge = word == "with" && EDGE_BEFORE.is_match(&before[..verb.start()]);
    if !near || edge || OTHERWISE.is_match(between) {
        return None;
    }
    let forbids = starts(&[
        "exclud", "avoid", "omit", "without", "leav", "forbid", "refrain", "skip",
    ]);
    let negated = NEGATED.is_match(&before[..verb.start()]);
    Some(if negated || forbids {
        Wish::HasNot
    } else {
        Wish::Has
    })
}

/// What the verb behind a mention asks for, and the length of its words.
fn passive(prompt: &Prompt<'_>, start: usize, end: usize) -> Option<(Wish, usize)> {
    let tail = TAIL.captures(prompt.after(end))?;
    if tail.name("modal").is_none() && !ASSURED.is_match(prompt.before(start)) {
        return None;
    }
    let verb = tail.name("verb")?.as_str();
    let negated = tail.name("not").or_else(|| tail.name("never")).is_some()
        || verb.starts_with("avoid")
        || verb.starts_with("forbid");
    let wish = if negated { Wish::HasNot } else { Wish::Has };
    Some((wish, tail.get(0)?.end()))
}

/// Where the clause of a requirement begins: its last verb before `at`, or the sentence.
fn clause(prompt: &Prompt<'_>, at: usize) -> usize {
    let before = prompt.before(at);
    let start = at - before.len();
    let Some(verb) = VERB.find_iter(before).last().map(|verb| verb.start()) else {
        return start + before.rfind([',', ';', ':']).map_or(0, |comma| comma + 1);
    };
    let negation = NEGATED.find(&before[..verb]);
    start + negation.map_or(verb, |negation| negation.start())
}

patterns! {
    ANNOUNCED = r"\b(the|these|those|following|this|exact|specific|a)\s*$";
    /// "Limit the use of the", before "word".
    LIMITS = r"\b(limit|restrict)(ing)? (your )?((the )?(use|usage|number|frequency|mentions?) of )?(the )?$";
    SEPARATOR = r"\s*,\s*((and|or|nor) )?| (and|or|nor) ";
    VERB = r"\b(includ(e|es|ing)|contain(s|ing)?|us(e|es|ing|ed)|utili[sz](e|es|ing)|mention(s|ing)?|incorporat(e
            |es|ing)|has|have|having|add(s|ing)?|insert(ing)?|say(s|ing)?|writ(e|ing)|put(ting)?|featur(e|es
            |ing)|with|exclud(e|es|ing)|avoid(s|ing)?|omit(s|ting)?|without|leav(e|ing) out|forbidden
            |refrain(ing)? from|skip|employ(ing)?|repeat(ing)?|output(ting)?)\b";
    LATER = r"^\s*((in|throughout|within|anywhere|should|must|are|can|may|do|to)\b|cannot)[^.?!:\n]{1,60}:";
    EDGE_BEFORE = r"\b(start|begin|open|end|finish|conclud|clos|answer|respond|repl|replac)[a-z]* ([a-z0-9]+ ){0,4}$";
    OTHERWISE = r"\b(that|which|who|about|for|from|to|meaning|definition|instead|one of|either|any of|some of
            |synonyms?)\b";
    NEGATED = r"({not}|\b(avoid(ing)?|refrain(ing)? from|without|no|nor|stop)) ((to|be|ever|even|also|actually|directly
        |explicitly|have|the|use|using|include|mention|say|saying|or|of|allowed|try|any) ){0,4}$";
    TAIL = r#"^["'”’)\]\s,]{0,4}((in|throughout) (your|the) ([a-z]+ ){1,2})?
        (((?<modal>should|must|shall|can|may|will|needs? to|ha(s|ve) to|to|not to)|does|do|is|are)(?<not>\s*not\b|n['’]?t\b)?
        \s+((to|be|been|only|ever|also|all|each|both) )*(?<never>not |never )?((to|be|been|only|ever|also) )*)?
        (?<verb>appear(s|ing)?|used|mentioned|included|show(s|n)? up|occurs?|exist|present|found|written|repeated|contained
        |allowed|permitted|said|forbidden|avoided|be|in (your|the|it))\b( at all\b)?"#;
    ASSURED = r"\b(make sure|making sure|ensure|ensuring|be sure|so that|such that|require)\b[^.?!]*$";
    OTHER_NOUN = r"^(words?|letters?|commas?|it|this|that|them|capitals?|caps|each|keywords?|one|all|both|quotes?|bullets?
        |something|sentences?|and|or|no|not|anything|everything|you|me|your|the|a|an|then|just|any|more|big|long|slang)$";
}
