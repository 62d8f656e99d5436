//! Rows about letters: all capitals, all small, so many capital words, no comma, one language.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Language, Requirement,
    pattern::patterns,
    quantity::{bounds_of, times},
    rule::{Bound, Case, Relation, Rule, What},
};

const CAPITAL_WORDS: &str = "change_case:capital_word_frequency";

pub(super) const ROWS: &[Row] = &[
    Row {
        id: CAPITAL_WORDS,
        find: Find::Amount(
            "(different )?",
            r"(words? ((should |must )?(be |are |is )?(that are |written |which are )?(in|with|using|having) )?(all )?({capitals})
              |(all[\s-]+)?(capital(i[sz]ed)?|upper[\s-]?case|caps|all[\s-]caps?)([\s-]letters?)? words?
              |(fully )?capitali[sz]ed words?)",
        ),
        when: &[When::Asks, When::OfWhole],
        make: |place, found| place.at_least_here(found, &What::CapitalWords),
        asks: &[
            "In your response, words with all capital letters should appear at least 6 times.",
            "Use at least 3 words in all caps.",
            "Words in all capital letters should appear less than 10 times.",
            "Include no more than 2 all-caps words.",
            "Make sure there are at least 5 words in all capital letters.",
            "Capitalize at least 4 words in your answer.",
            "Use all caps for at least 2 words.",
            "Use words in all capital letters 5 or more times.",
            "Your response should have fewer than 7 fully capitalized words.",
        ],
        talks: &["Why are 3 words in all caps?"],
        ..ROW
    },
    Row {
        id: CAPITAL_WORDS,
        find: Find::Text(
            r"(\bwords? ((that are |which are |written |are |be )?(in|with|using|having|of|from) )?{capitals}
              |\b{capitals} words?)\b( (should|must|need to|have to|to|can|may|appear|be|appearing|used|in your response
              |in the response|only|show up|not|are|required))*",
        ),
        when: &[
            When::Asks,
            When::NotBefore(r"(\d|\b({ones}|ten|fifteen|twenty|more|less|fewer))\+?\s*$"),
        ],
        make: capital_words,
        asks: &["Words in all capital letters should appear less than 10 times."],
        talks: &["Why are words in all capital letters rude?"],
        ..ROW
    },
    Row {
        id: CAPITAL_WORDS,
        find: Find::Amount("(of the )?", "words?"),
        when: &[
            When::Explicit,
            When::Before(r"\b(capitali[sz]e\b|use {capitals} (for|in|on)\b).{0,23}$"),
        ],
        make: |place, found| {
            let start = place.span.start - place.before().len();
            let verb = CAPITALISE.find_iter(place.before()).last();
            let span = start + verb.map_or(0, |verb| verb.start())..place.span.end;
            place.count(
                found,
                &span,
                &What::CapitalWords,
                &place.at_least(&span, place.bounds()),
            );
        },
        asks: &["Capitalize at least 4 words in your answer."],
        talks: &["Who would capitalize words like this?"],
        ..ROW
    },
    Row {
        id: "change_case:english_lowercase",
        find: Find::Text(
            r"\b((all|only|entirely|completely|purely) )?((in|with|using|use|be|are|is|all|only|of) )?
              ((all|only|entirely|english|just) )*(in )?lower[\s-]?cases?d?( letters?| english| only)*\b
              |(\b(no|without( using| the use of)?|avoid( using)?|refrain from( using)?)|{not} (use|contain|include|have|be))
              \s+(any |the )?(capital(i[sz]ed)? letters?|capital words?|capitali[sz]ations?|capitals|upper[\s-]?case( letters?)?|caps)\b
              |\bsmall letters only\b|\bonly small letters\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| case(place, found, Case::Lower),
        asks: &[
            "Your entire response should be in English, and in all lowercase letters. No capital letters are allowed.",
            "Write in lowercase only.",
            "Do not use any capital letters.",
            "The whole reply must be lower case.",
            "Use only lowercase letters in your answer.",
            "Please don't capitalize anything; all letters should be lowercase.",
            "No uppercase letters please.",
            "Everything should be in lowercase.",
        ],
        talks: &[
            "Why is it in lowercase?",
            "Write the title in lowercase letters.",
        ],
    },
    Row {
        id: "change_case:english_capital",
        find: Find::Text(
            r"\b(in|with|using|use|be|are|is|only|all) (english (and )?)?(in )?((all|only|entirely|fully|just) ){0,2}
              (capital(s|i[sz]ed)?( letters?)?|caps( lock)?|upper[\s-]?cased?( letters?)?)\b
              |\ball[\s-]+(capital(s|i[sz]ed)?( letters?)?|caps|upper[\s-]?case( letters?)?)\b
              |\bcapitali[sz]e (all|every|each|the entire|your entire)\b( (of )?(your|the))?\s*(words?|letters?|response|text|answer)?
              |\ball (the )?letters (should |must )?(be |are )?(capital|upper)|\bno lower[\s-]?case\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| case(place, found, Case::Upper),
        asks: &[
            "Your entire response should be in English, and in all capital letters.",
            "Write your answer in ALL CAPS.",
            "Use all uppercase letters.",
            "Respond in capital letters only.",
            "The entire reply should be in capital letters.",
            "Use only capital letters in your response.",
            "Please write everything in uppercase.",
        ],
        talks: &[
            "Why do people write in all caps?",
            "Do not write in all caps.",
        ],
    },
    Row {
        id: "punctuation:no_comma",
        find: Find::Text(
            r"({not}|\b(no|without|avoid(ing)?|refrain(ing)? from|zero|exclud(e|ing)|free (of|from)|omit(ting)?|eliminate
              |stay away from)) ((the use of|us(e|es|ing)|includ(e|es|ing)|contain(s|ing)?|hav(e|ing)|put(ting)?|add(ing)?|writ(e|ing)
              |employ(ing)?|utiliz(e|ing)|any|a|single|the|of|to|be|punctuation|such|as|symbols?|marks?|ever|allowed|insert(ing)?
              |type|typing|all|[a-z]+ or|even|one) ){0,6}commas?\b
              |\bcommas? ((are|is|should|must|may|can)\s*(not|n['’]t)|cannot|are (forbidden|prohibited|banned)|should be avoided)
              |\bcomma[\s-]free\b",
        ),
        once: true,
        make: |place, found| {
            let fragment = place.before().trim().is_empty();
            if fragment || place.prompt.asks(place.span.start) {
                place.add(found, place.span.clone(), Rule::NoComma);
            }
        },
        asks: &[
            "In your entire response, refrain from the use of any commas.",
            "Don't use commas.",
            "Your answer should contain no commas.",
            "Avoid commas.",
            "Write a poem with no commas.",
            "You may not use any commas in your reply.",
            "Commas are not allowed.",
            "Do not put any comma in your answer.",
            "The use of commas is not allowed.",
            "Please refrain from using any commas, and answer shortly.",
            "Your response should be free of commas.",
            "Make sure you don't use a single comma.",
        ],
        talks: &[
            "Fix the commas in this sentence: I came saw and conquered.",
            "I want commas and dots.",
        ],
        ..ROW
    },
    Row {
        id: "language:response_language",
        find: Find::Text(
            r"\b(using|use|uses|in|with) (only|just|solely) {the_language}
              |\b(only|entirely|solely|exclusively|fully|completely) (in|using|use|with|the) {the_language}
              |\b({work}|it|everything|sentences|words) ({must}) ((only|be|entirely|completely|all|written|purely|also) )*
              (in|use|using) {the_language}
              |\b(respond|reply|answer) ((to|me|only|back|it|this|the|question|in|full|your|entire) ){0,4}in {the_language}{ends}
              |\b(write|rewrite|compose|create|generate|provide|draft|produce)\s[^.?!\n]{0,100}?\bin {the_language}{ends}
              |({the_language} language|\bin {the_language}) only\b|\bonly {the_language} (language )?(is|should|must|in your)\b
              |\bno other language (except|than|but|besides|other than) {the_language}
              |{the_language}( language)?\s*,?\s*(and |with )?no other languages?\b|\b(in|use|using) {the_language} language\b",
        ),
        when: &[When::Asks, When::NotBefore(NOT_BEFORE)],
        once: true,
        make: language,
        asks: &[
            "Your ENTIRE response should be in Hindi language, no other language is allowed.",
            "Please answer in Spanish.",
            "Respond using only Arabic.",
            "Write a poem in Italian, no other language is allowed.",
            "Reply entirely in Polish.",
            "Use only the Thai language in your answer.",
            "Write the letter in Finnish only.",
            "Only use Urdu in your entire response.",
            "Your whole answer must be written in Russian.",
            "Give your answer in Kannada; no other language may be used.",
            "Please respond in the Gujarati language.",
            "I need this in Telugu only, no other language.",
            "Write a review of a hat, and make sure it is entirely in Japanese.",
        ],
        talks: &[
            "What language is spoken in Brazil?",
            "How do I say 'cheese' in Polish?",
            "Translate 'good morning' into French.",
        ],
    },
];

const NOT_BEFORE: &str = r"({not}|\b(avoid|refrain from|without|instead of|rather than)) ((be|use|using|write|writing|written
    |respond|responding|reply|answer|answering|have|any|it|your|response|in|with|speak) ){0,4}$";

/// "words with all capital letters should appear at most 3 times", or a number of them behind "should be".
fn capital_words(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let start = place.span.start;
    let behind = times(place.prompt, place.span.end).or_else(|| value_behind(place));
    if let Some((bounds, length)) = behind {
        let span = start..place.span.end + length;
        place.count(
            found,
            &span,
            &What::CapitalWords,
            &place.at_least(&span, &bounds),
        );
    } else if SOME_BEFORE.is_match(place.before()) && !ENTIRE.is_match(place.sentence()) {
        let some = [Bound::new(Relation::AtLeast, 1)];
        place.count(found, &place.span, &What::CapitalWords, &some);
    }
}

/// "The number of words in all capital letters should be less than 5": the bound behind "should be".
fn value_behind(place: &Place<'_>) -> Option<(Vec<Bound>, usize)> {
    if !NUMBER_BEFORE.is_match(place.before()) {
        return None;
    }
    let captures = SHOULD_BE.captures(place.after())?;
    Some((
        bounds_of(captures.name("value")?.as_str()),
        captures.get(0)?.end(),
    ))
}

fn case(place: &Place<'_>, found: &mut Vec<Requirement>, case: Case) {
    let (start, end) = (place.span.start, place.span.end);
    let before = place.before();
    let of_words = WORDS_BEFORE.is_match(before) && !ENTIRE.is_match(place.sentence());
    let counted = found
        .iter()
        .any(|one| one.id == CAPITAL_WORDS && one.span.start < end && start < one.span.end);
    let of_part = PART_BEFORE.is_match(before) && !ENGLISH_BEFORE.is_match(before);
    let some = case == Case::Upper && times(place.prompt, end).is_some();
    // "not in all capital letters" asks for nothing that can be checked; "no capital letters" does.
    let negated = !NEGATES.is_match(place.text()) && NEGATED.is_match(before);
    if !of_words && !counted && !of_part && !some && !negated {
        place.add(found, place.span.clone(), Rule::Case { case });
    }
}

fn language(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let named = LANGUAGE.find_iter(place.text()).last();
    let language = named.and_then(|name| Language::named(name.as_str()));
    let Some(language) = language.filter(|_| !SAID_IN.is_match(place.text())) else {
        return;
    };
    // IFEval's rules for letters say "in English" themselves.
    let cased = found
        .iter()
        .any(|one| matches!(one.rule, Rule::Case { .. }));
    if language != Language::ENGLISH || !cased {
        place.add(found, place.span.clone(), Rule::Language(language));
    }
}

patterns! {
    CAPITALISE = r"\bcapitali[sz]e\b|\buse {capitals} (for|in|on)\b";
    LANGUAGE = r"\b{language}\b";
    NEGATES = r"\b(no|without|avoid|refrain)\b|{not}";
    NEGATED = NOT_BEFORE;
    SOME_BEFORE = r"\b(use|using|include|including|add|have|with|contain|some|few|several) ((some|a few|few|several|a|an
            |the|any|certain|important) )*$";
    NUMBER_BEFORE = r"\b(number|count|frequency|total|amount) of (the )?$";
    SHOULD_BE = r"^([^.?!\n]{0,30}?\b(should|must|has to|needs to|is
            |be)\b)?\s*(be )?(?<value>([a-z]+ ){0,3}?\d+( or (more|less|fewer)|\+)?)";
    ENTIRE = r"\b(entire|whole|all (of )?(your|the) words|all words|every word|everything|only)\b";
    WORDS_BEFORE = r"\bwords? ((should|must|that|which|are|is|be|written|to|in|with|have|all) )*$|\b(less|fewer|more
            |least|most|one|two|three|few|some|several|\d+) $";
    PART_BEFORE = r"\b(titles?|names?|headings?|headers?|headlines?|keywords?|phrases?|section|first (word|letter|line
            |sentence)|last (word|line|sentence)|each|subject|the word \S+|sentence|acronyms?|labels?|variables?
            |columns?|constants?) ([a-z]+ ){0,4}$";
    ENGLISH_BEFORE = r"\benglish\s*,?\s*(and )?(in )?$";
    SAID_IN = r"\b(say|said|mean|means|called|translat(e|ed|ion|ing)|spoken|difference|pronounce|words? for
            |phrase)\b";
}
