//! Reads what a prompt asks for in its own words, for questions whose file does not say it by id.
//!
//! Few and plain forms: so many words, sentences, paragraphs, lines or bullets; no commas; small or capital letters; the
//! letter that every part begins with; words that must or must not be there; JSON. What the guard's reader sees beyond
//! these is [`Rule::Undecided`], so that no answer is called right while something that was asked is left out.

use super::{Bound, Counted, Requirement, Rule, Unit};
use reckon::assistant::check;
use regex::{Captures, Regex};
use std::collections::BTreeSet;

/// Most requirements of one prompt.
const MOST: usize = 64;

/// Everything that a prompt asks for, as far as it is seen.
pub(crate) fn asked(prompt: &str) -> Vec<Requirement> {
    let mut found = Vec::new();
    counts(prompt, &mut found);
    parts(prompt, &mut found);
    words(prompt, &mut found);
    let plain: [(&Regex, &str, Rule); 4] = [
        (&COMMAS, "punctuation:no_comma", Rule::NoComma),
        (&LOWER, "change_case:english_lowercase", Rule::Lower),
        (&UPPER, "change_case:english_capital", Rule::Upper),
        (&JSON, "detectable_format:json_format", Rule::Json),
    ];
    for (pattern, id, rule) in plain {
        if pattern.is_match(prompt) {
            found.push(Requirement::new(id, rule));
        }
    }
    found.truncate(MOST);
    let ours: BTreeSet<String> = found.iter().map(|one| one.id.clone()).collect();
    let theirs = check::find(prompt).into_iter().map(|one| one.id);
    for id in theirs.filter(|id| !ours.contains(id)) {
        found.push(Requirement::new(id, Rule::Undecided));
    }
    found
}

fn counts(prompt: &str, found: &mut Vec<Requirement>) {
    for seen in COUNT.captures_iter(prompt) {
        let text = |name: &str| part(&seen, name).to_lowercase();
        // "Every sentence has 4 words" is not about the whole answer.
        let before = &prompt[..seen.get(0).map_or(0, |all| all.start())];
        let clause = before.rsplit(['.', '!', '?', '\n']).next();
        let clause = clause.unwrap_or_default().to_lowercase();
        if clause.contains("each ") || clause.contains("every ") {
            continue;
        }
        let Some((id, what)) = counted(&text("what")) else {
            continue;
        };
        let bound = number(&text("n")).and_then(|n| bound(&text("how"), &text("more"), n));
        // A bare number of words is about so many, and nobody can say how near is near enough.
        let is_bare = matches!(&*text("how"), "" | "in") && text("more").is_empty();
        let rule = match bound {
            Some(bound) if !(is_bare && what == Counted::Words) => Rule::Count(what, bound),
            _ => Rule::Undecided,
        };
        found.push(Requirement::new(id, rule));
    }
}

fn counted(name: &str) -> Option<(&'static str, Counted)> {
    Some(
        match name.split_whitespace().next()?.trim_end_matches('s') {
            "word" => ("length_constraints:number_words", Counted::Words),
            "sentence" => ("length_constraints:number_sentences", Counted::Sentences),
            "paragraph" => ("length_constraints:paragraphs", Counted::Paragraphs),
            "line" => ("length_constraints:number_lines", Counted::Lines),
            "bullet" => ("detectable_format:number_bullet_lists", Counted::Bullets),
            _ => return None,
        },
    )
}

fn bound(how: &str, more: &str, n: u64) -> Option<Bound> {
    Some(match (how, more) {
        (_, "or more" | "or longer") => Bound::AtLeast(n),
        (_, "or fewer" | "or less") => Bound::AtMost(n),
        ("at least" | "no fewer than" | "no less than" | "a minimum of", _) => Bound::AtLeast(n),
        ("at most" | "no more than" | "up to" | "a maximum of", _) => Bound::AtMost(n),
        ("less than" | "fewer than" | "under", _) => Bound::Below(n),
        ("more than" | "over", _) => Bound::Above(n),
        ("exactly" | "precisely" | "only" | "just" | "in" | "", "") => Bound::Exactly(n),
        _ => return None,
    })
}

fn number(text: &str) -> Option<u64> {
    const NAMES: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let named = NAMES.iter().position(|name| *name == text);
    named.map(|at| at as u64 + 1).or_else(|| text.parse().ok())
}

/// What holds for each sentence, line, word or paragraph.
fn parts(prompt: &str, found: &mut Vec<Requirement>) {
    for pattern in [&*LETTER, &*LETTER_LAST] {
        for seen in pattern.captures_iter(prompt) {
            let unit = Unit::named(&part(&seen, "unit").to_lowercase());
            let letter = part(&seen, "letter").chars().next();
            if let Some((unit, letter)) = unit.zip(letter) {
                let rule = Rule::EachLetter(unit, letter.to_ascii_lowercase());
                found.push(Requirement::new("units:start_letter", rule));
            }
        }
    }
}

/// Quoted words that must or must not be there.
fn words(prompt: &str, found: &mut Vec<Requirement>) {
    for seen in QUOTED.captures_iter(prompt) {
        let list = part(&seen, "list");
        let words: Vec<String> = list
            .split(['"', '“', '”'])
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        let is_no = !part(&seen, "no").is_empty();
        found.push(match is_no {
            true => Requirement::new("keywords:forbidden_words", Rule::Lacks(words)),
            false => Requirement::new("keywords:existence", Rule::Has(words)),
        });
    }
}

fn part<'a>(seen: &Captures<'a>, name: &str) -> &'a str {
    seen.name(name).map_or("", |found| found.as_str())
}

pattern!(
    COUNT,
    "(?i)",
    r"(?:\b(?P<how>at least|no fewer than|no less than|a minimum of|at most|no more than|up to|a maximum of",
    r"|less than|fewer than|under|more than|over|exactly|precisely|only|just|in) )?",
    r"\b(?P<n>\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -]",
    r"(?:short |full |complete |simple )?(?P<what>words?|sentences?|paragraphs?|lines?|bullet points?|bullets)\b",
    r"(?: (?P<more>or more|or longer|or fewer|or less)\b)?"
);
pattern!(
    COMMAS,
    "(?i)",
    r"\b(?:no|without|avoid|not use|don['’]t use|never use|not contain|not include)\b[^.!?\n]{0,20}\bcommas?\b"
);
pattern!(
    LOWER,
    "(?i)",
    r"\b(?:in|all|only|entirely)\b[^.!?\n]{0,20}\b(?:lowercase|lower case)\b"
);
pattern!(
    UPPER,
    "(?i)",
    r"\b(?:in|all|only|entirely)\b[^.!?\n]{0,20}\b(?:uppercase|upper case|capital letters|capitals|caps)\b"
);
pattern!(JSON, "(?i)", r"\b(?:in|as|valid)\b[^.!?\n]{0,15}\bJSON\b");
pattern!(
    LETTER,
    "(?i)",
    r"\b(?:start|begin)(?:ing)? (?:each|every) (?P<unit>sentence|line|word|paragraph) with ",
    r#"(?:the letter )?["'“]?(?P<letter>[a-z])\b"#
);
pattern!(
    LETTER_LAST,
    "(?i)",
    r"\b(?:each|every) (?P<unit>sentence|line|word|paragraph)[a-z ]{0,30} (?:starts?|begins?) with the letter ",
    r#"["'“]?(?P<letter>[a-z])\b"#
);
pattern!(
    QUOTED,
    "(?i)",
    r"\b(?P<no>(?:do not|don['’]t|never|without|avoid)\b[^.!?\n]{0,10} )?(?:use|using|include|including|mention|mentioning|contain)",
    r#" the (?:key)?(?:words?|phrases?) (?P<list>["“][^"“”\n]{1,60}["”](?:,? ?(?:and |or )?["“][^"“”\n]{1,60}["”])*)"#
);
