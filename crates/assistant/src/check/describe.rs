//! Puts a rule into plain words, for a model that must try again and for a person who asks why.
use super::rule::{Case, Each, Rule, Shape, What};

/// The rule as a sentence fragment without a full stop.
pub(super) fn describe(rule: &Rule) -> String {
    match rule {
        Rule::Count { what, bound } => {
            format!("the answer has {bound} {}", counted(what, bound.number))
        }
        Rule::Each { unit, each } => format!("every {} {}", unit.name(), described(each)),
        Rule::ConsecutiveLetters { unit, from, to } => {
            let last = to.map(|to| format!(" to {to}")).unwrap_or_default();
            format!(
                "the {}s begin with consecutive letters, from {from}{last}",
                unit.name()
            )
        }
        Rule::GrowingSentences(more) => {
            format!("each sentence has exactly {more} more words than the one before")
        }
        Rule::NoSharedInitials => "no two words in a row begin with the same letter".into(),
        Rule::WordRepeats(most) => format!("no word is used more than {most} times"),
        Rule::Contains(words) => format!("the answer contains {}", quoted(words, "and")),
        Rule::Forbids(words) => format!("the answer does not contain {}", quoted(words, "or")),
        Rule::NoComma => "there is no comma in the answer".into(),
        Rule::NoWhitespace => "there is no space or line break in the answer".into(),
        Rule::Case { case: Case::Lower } => {
            "all letters are lowercase, and the answer is in English".into()
        }
        Rule::Case { case: Case::Upper } => {
            "all letters are capital letters, and the answer is in English".into()
        }
        Rule::Language(language) => format!("the whole answer is in {}", language.name()),
        Rule::Shape(shape) => shaped(*shape).into(),
        Rule::StartsWith(words) => format!("the answer starts with {words:?}"),
        Rule::EndsWith(words) => format!("the answer ends with {words:?} and nothing after it"),
        Rule::Quoted => "the whole answer stands in double quotation marks".into(),
        Rule::Title => "the answer has a title in double angular brackets, like <<title>>".into(),
        Rule::Postscript(marker) => {
            format!("the answer ends with a postscript that starts with {marker}")
        }
        Rule::Repeats(_) => "the answer begins with the request, repeated word for word".into(),
        Rule::Parts { separator, number } => {
            format!("the answer has {number} different parts separated by {separator}")
        }
        Rule::Options(options) => format!("the answer is one of {}", quoted(options, "or")),
        Rule::ParagraphStart {
            paragraphs,
            nth,
            word,
        } => {
            let count = paragraphs
                .map(|count| {
                    format!(
                        "there are exactly {count} paragraphs with a blank line between them, and "
                    )
                })
                .unwrap_or_default();
            let which = if *nth == 0 {
                "the last paragraph".into()
            } else {
                format!("paragraph {nth}")
            };
            format!("{count}{which} starts with the word {word:?}")
        }
        Rule::Unverifiable(what) => what.clone(),
    }
}

fn counted(what: &What, number: u64) -> String {
    let s = if number == 1 { "" } else { "s" };
    match what {
        What::Words => format!("word{s}"),
        What::UniqueWords => format!("different word{s}"),
        What::Sentences => format!("sentence{s}"),
        What::Lines => format!("line{s}"),
        What::Paragraphs => format!("paragraph{s} with a blank line between them"),
        What::StarredParts => format!("part{s} separated by ***"),
        What::Bullets => format!("bullet point{s}, each on a line that begins with *"),
        What::Items => format!("list item{s}"),
        What::Highlights => format!("highlighted part{s} like *this*"),
        What::Sections(mark) => format!("section{s} marked {mark} 1, {mark} 2 and so on"),
        What::Placeholders => format!("placeholder{s} in square brackets like [name]"),
        What::CapitalWords => format!("word{s} in all capital letters"),
        What::Letter(letter) if letter.is_alphabetic() => format!("letter{s} {letter:?}"),
        What::Letter(mark) => format!("{mark:?} mark{s}"),
        What::Keyword(word) => format!("use{s} of {word:?}"),
        What::Characters => format!("character{s}"),
        What::Numbers => format!("number{s} in digits"),
    }
}

fn described(each: &Each) -> String {
    let s = |number: u64| if number == 1 { "" } else { "s" };
    match each {
        Each::Words(bound) => format!("has {bound} word{}", s(bound.number)),
        Each::Sentences(bound) => format!("has {bound} sentence{}", s(bound.number)),
        Each::Characters(bound) => format!("has {bound} character{}", s(bound.number)),
        Each::StartsWithLetter(letter) => {
            format!("starts with the letter {}", letter.to_uppercase())
        }
        Each::StartsWith(words) => format!("starts with {words:?}"),
        Each::EndsWith(words) => format!("ends with {words:?}"),
        Each::Contains(words) => format!("contains {words:?}"),
    }
}

fn shaped(shape: Shape) -> &'static str {
    match shape {
        Shape::Json => "the whole answer is one valid JSON value",
        Shape::JsonInside => "the answer is valid JSON",
        Shape::Csv => "the whole answer is CSV with the same number of fields in every row",
        Shape::Yaml => "the whole answer is YAML",
        Shape::Table => "the answer has a markdown table",
    }
}

fn quoted(words: &[String], last: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    listed(&words, last)
}

/// "1, 2 and 3".
pub(super) fn listed(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}
