//! Rows about what is marked: bullets, highlights, numbered sections, placeholders.
//!
//! A bare number of highlights, sections or placeholders is the least of them, as IFEval has it; of bullets it is exact.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Requirement,
    pattern::patterns,
    quantity::{Noun, Stated},
    rule::{Bound, Relation, What},
};
use std::sync::LazyLock;

/// A count that belongs to each section and not to the answer.
pub(super) const OF_EACH_PART: &str = r"\b(each|every|per) ([a-z]+ ){0,2}(section|paragraph|part|topic|item|chapter|one|category|idea|heading)s?\b";

pub(super) const ROWS: &[Row] = &[
    Row {
        id: "detectable_format:number_bullet_lists",
        find: Find::Amount(
            "([a-z-]+ ){0,3}",
            r"bullet(ed)?[\s-]?(points?|items?|lists?)?s?|bullets|(items?|points) in (a )?(bullet|bulleted)\b",
        ),
        when: &[When::AsksLength, When::NotBefore(OF_EACH_PART)],
        make: |place, found| place.count_here(found, &What::Bullets),
        asks: &[
            "Give exactly 5 bullet points.",
            "Your answer must contain exactly 3 bullet points. Use the markdown bullet points such as:\n* This is point 1.\n* This is point 2",
            "List the causes of rust in four bullet points in markdown.",
            "Answer using 7 bullets.",
            "Please make a list with exactly two bullet points using the format:\n* one\n* two",
            "Your response must be a list of 6 bullet points.",
        ],
        talks: &["The bullet points in my slides look bad. Help."],
        ..ROW
    },
    Row {
        id: "detectable_format:number_highlighted_sections",
        find: Find::Text(
            r"\bhighlight(s|ed|ing)?\b|\bitalic(s|i[sz]e|i[sz]ed|i[sz]ing)?\b|\bbold(ed|ing|face)?\b|\bemphasi[sz](e|ed|ing)\b",
        ),
        when: &[
            When::Asks,
            When::NotBefore(r"({not}|\b(no|without|avoid)) ([a-z]+ ){0,2}$"),
        ],
        once: true,
        make: highlights,
        asks: &[
            "Highlight at least 3 sections in your answer with markdown, i.e. *highlighted section*.",
            "Make at least two phrases bold using markdown, like *this*.",
            "Please highlight 4 key phrases with markdown (e.g. *phrase*).",
            "Emphasize at least one part of your reply in markdown, such as *this one*.",
            "Your answer must have at least 5 highlighted sections in markdown, like *section*.",
            "Use *italic text* to italicize at least 3 sections.",
            "At least 4 sections should be highlighted with markdown such as *highlighted section*.",
            "Include 2 or more italicized sections, i.e. *like this*.",
        ],
        talks: &[
            "How can I highlight text in Word?",
            "What is a highlight of the year?",
        ],
    },
    Row {
        id: "detectable_format:multiple_sections",
        // The mark has a capital, which the open text does not show: `sections` reads it in the prompt itself.
        find: Find::Text(
            r#"(\b(with|as|by|using|like|is|be|following|format|e\.g\.,?|i\.e\.,?|word|keyword)\s*:?|:|\()\s*["'“‘*]{0,2}
               (?<mark>[a-z]{3,21})["'”’]? (x\b|1\b|\{|\[)"#,
        ),
        once: true,
        make: sections,
        asks: &[
            "Your response must have 3 sections. Mark the beginning of each section with SECTION X, such as:\nSECTION 1\n[content of section 1]\nSECTION 2\n[content of section 2]",
            "Write a play with 2 parts, label each part with Part X.",
            "Put the recipe into at least 4 sections and mark each one with Section X.",
            "Your answer should have 6 sections, each starting with \"Section X\".",
            "Write a plan in 5 sections. Each section should start with Chapter X.",
        ],
        talks: &["What is a Section 1 visa?"],
        ..ROW
    },
    Row {
        id: "detectable_content:number_placeholders",
        find: Find::Amount("([a-z-]+ ){0,2}", r"place\s?-?holders?"),
        when: &[When::AsksLength],
        make: |place, found| place.at_least_here(found, &What::Placeholders),
        asks: &[
            "The response must contain at least 4 placeholders represented by square brackets, such as [address].",
            "Use three or more placeholders like [name].",
            "Include a minimum of 5 placeholders in square brackets.",
            "Make sure there are at least 2 placeholders, e.g. [date].",
        ],
        talks: &["What are placeholders for?"],
        ..ROW
    },
];

/// `*highlighted section*`: a number of them, or one at least.
fn highlights(place: &Place<'_>, found: &mut Vec<Requirement>) {
    static ANY: LazyLock<Noun> = LazyLock::new(|| {
        Noun::new(
            "([a-z]+ ){0,3}",
            "sections?|parts?|words?|phrases?|texts?|pieces?|sentences?|keywords?|points?|portions?|items?|things?|elements?
              |terms?|areas?|bits?|titles?|places|lines|passages?|highlights",
        )
    });
    static SECTIONS: LazyLock<Noun> = LazyLock::new(|| Noun::new("", "sections?|parts?"));
    let prompt = place.prompt;
    let near = prompt.neighbourhood(place.span.start);
    let marked = STAR_SAMPLE.is_match(place.near()) || MARKDOWN.is_match(place.near());
    let sentence = prompt.sentence(place.span.start);
    let inside = |stated: &Stated| {
        sentence.contains(&stated.span.start)
            && !OTHER_COUNT.is_match(&prompt.open[stated.span.clone()])
    };
    let stated = ANY.all(prompt).into_iter().find(inside).or_else(|| {
        let mut sections = SECTIONS.all(prompt).into_iter();
        sections.find(|stated| near.contains(&stated.span.start))
    });
    match stated {
        Some(stated) if marked || stated.explicit => {
            let (start, end) = (stated.span.start, stated.span.end);
            let bounds = place.at_least(&stated.span, &stated.bounds);
            let span = place.span.start.min(start)..place.span.end.max(end);
            place.count(found, &span, &What::Highlights, &bounds);
        }
        None if marked => {
            let some = [Bound::new(Relation::AtLeast, 1)];
            place.count(found, &place.span, &What::Highlights, &some);
        }
        _ => {}
    }
}

/// "5 sections. Mark the beginning of each section with SECTION X."
fn sections(place: &Place<'_>, found: &mut Vec<Requirement>) {
    static SECTIONS: LazyLock<Noun> = LazyLock::new(|| {
        Noun::new(
            "((different|separate|distinct|main|short) )?",
            "sections?|parts?|paragraphs?|chapters?|stanzas?|verses?|days?|audiences?|scenes?|acts?|episodes?|steps?|answers?
              |points?",
        )
    });
    let Some(range) = place.captured("mark") else {
        return;
    };
    let mark = &place.prompt.text[range.clone()];
    if !mark.starts_with(|c: char| c.is_ascii_uppercase()) {
        return;
    }
    let near = place.prompt.neighbourhood(range.start);
    let sections = SECTIONS.all(place.prompt);
    let close = sections
        .iter()
        .rfind(|stated| near.contains(&stated.span.start));
    let Some(stated) = close.or(sections.first()) else {
        return;
    };
    let mut bounds = stated.bounds.clone();
    for bound in bounds
        .iter_mut()
        .filter(|bound| bound.relation == Relation::Exactly)
    {
        bound.relation = Relation::AtLeast;
    }
    let span = stated.span.start.min(range.start)..stated.span.end.max(range.end);
    place.count(found, &span, &What::Sections(mark.to_owned()), &bounds);
}

patterns! {
    STAR_SAMPLE = r"\*[^*\n]{1,60}\*";
    MARKDOWN = r"\bmarkdown\b|\basterisks?\b";
    OTHER_COUNT = "placeholder|bullet|paragraph";
}
