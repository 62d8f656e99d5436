//! Finds counts of what is marked: bullets, highlights, numbered sections, placeholders.
//!
//! A bare number of highlights, sections or placeholders is the least of them, as IFEval has it; of bullets it is exact.
use super::{
    Requirement,
    length::PARTIAL_PARTS,
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{Quantity, Stated},
    rule::{Bound, Relation, Rule, What},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    bullets(prompt, found);
    highlights(prompt, found);
    sections(prompt, found);
    placeholders(prompt, found);
}

fn bullets(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for stated in BULLETS.all(prompt) {
        let start = stated.span.start;
        if !prompt.asks_length(&stated.span) || PARTIAL_PARTS.is_match(prompt.before(start)) {
            continue;
        }
        for bound in stated.bounds {
            let rule = Rule::Count {
                what: What::Bullets,
                bound,
            };
            add(
                found,
                prompt,
                "detectable_format:number_bullet_lists",
                stated.span.clone(),
                rule,
            );
        }
    }
}

/// `*highlighted section*`: a number of them, or one at least.
fn highlights(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "detectable_format:number_highlighted_sections";
    let highlighted = HIGHLIGHTED.all(prompt);
    let sections = HIGHLIGHTED_SECTIONS.all(prompt);
    for verb in HIGHLIGHT.find_iter(&prompt.open).take(MOST_MATCHES) {
        if !prompt.asks(verb.start()) || NO_HIGHLIGHT.is_match(prompt.before(verb.start())) {
            continue;
        }
        let sentence = prompt.sentence(verb.start());
        let near = prompt.neighbourhood(verb.start());
        let marked = STAR_SAMPLE.is_match(&prompt.open[near.clone()])
            || MARKDOWN.is_match(&prompt.open[near.clone()]);
        let inside = |stated: &Stated| {
            sentence.contains(&stated.span.start)
                && !OTHER_COUNT.is_match(&prompt.open[stated.span.clone()])
        };
        let stated = highlighted.iter().find(|stated| inside(stated));
        let stated = stated.or_else(|| {
            sections
                .iter()
                .find(|stated| near.contains(&stated.span.start))
        });
        let (span, bounds) = match stated {
            Some(stated) if marked || stated.explicit => {
                let mut bounds = stated.bounds.clone();
                let exact = prompt.open[stated.span.clone()].contains("exactly");
                if let ([bound], false) = (bounds.as_mut_slice(), exact) {
                    if bound.relation == Relation::Exactly {
                        bound.relation = Relation::AtLeast;
                    }
                }
                (
                    verb.start().min(stated.span.start)..verb.end().max(stated.span.end),
                    bounds,
                )
            }
            None if marked => (verb.range(), vec![Bound::new(Relation::AtLeast, 1)]),
            _ => continue,
        };
        for bound in bounds {
            add(
                found,
                prompt,
                ID,
                span.clone(),
                Rule::Count {
                    what: What::Highlights,
                    bound,
                },
            );
        }
        return;
    }
}

/// "5 sections. Mark the beginning of each section with SECTION X."
fn sections(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    let sections = SECTIONS.all(prompt);
    // The mark is a word with a capital, so the prompt itself is read; what is blanked there asks for nothing.
    for captures in SECTION_MARK.captures_iter(prompt.text).take(MOST_MATCHES) {
        let Some(mark) = captures.name("mark") else {
            continue;
        };
        let near = prompt.neighbourhood(mark.start());
        let stated = sections
            .iter()
            .rfind(|stated| near.contains(&stated.span.start));
        let Some(stated) = stated.or(sections.first()) else {
            continue;
        };
        if prompt.open[mark.range()].starts_with('\x01') {
            continue;
        }
        for mut bound in stated.bounds.iter().copied() {
            if bound.relation == Relation::Exactly {
                bound.relation = Relation::AtLeast;
            }
            let rule = Rule::Count {
                what: What::Sections(mark.as_str().to_owned()),
                bound,
            };
            let span = stated.span.start.min(mark.start())..stated.span.end.max(mark.end());
            add(
                found,
                prompt,
                "detectable_format:multiple_sections",
                span,
                rule,
            );
        }
        return;
    }
}

fn placeholders(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for stated in PLACEHOLDERS.all(prompt) {
        if !prompt.asks_length(&stated.span) {
            continue;
        }
        for mut bound in stated.bounds {
            if bound.relation == Relation::Exactly
                && !prompt.open[stated.span.clone()].contains("exactly")
            {
                bound.relation = Relation::AtLeast;
            }
            let rule = Rule::Count {
                what: What::Placeholders,
                bound,
            };
            add(
                found,
                prompt,
                "detectable_content:number_placeholders",
                stated.span.clone(),
                rule,
            );
        }
    }
}

static BULLETS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:[a-z-]+\s+){0,3}",
        r"bullet(?:ed)?[\s-]?(?:points?|items?|lists?)?s?|bullets|(?:items?|points)\s+in\s+(?:a\s+)?(?:bullet|bulleted)\b",
    )
});
static HIGHLIGHTED: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:(?:[a-z]+)\s+){0,3}",
        r"(?:sections?|parts?|words?|phrases?|texts?|pieces?|sentences?|keywords?|points?|portions?|items?|things?|elements?|terms?|areas?|bits?|titles?|places|lines|passages?|highlights)",
    )
});
static HIGHLIGHTED_SECTIONS: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new("", "sections?|parts?"));
static SECTIONS: LazyLock<Quantity> = LazyLock::new(|| {
    Quantity::new(
        r"(?:(?:different|separate|distinct|main|short)\s+)?",
        r"sections?|parts?|paragraphs?|chapters?|stanzas?|verses?|days?|audiences?|scenes?|acts?|episodes?|steps?|answers?|points?",
    )
});
static PLACEHOLDERS: LazyLock<Quantity> =
    LazyLock::new(|| Quantity::new(r"(?:[a-z-]+\s+){0,2}", r"place\s?-?holders?"));
static HIGHLIGHT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bhighlight(?:s|ed|ing)?\b|\bitalic(?:s|i[sz]e|i[sz]ed|i[sz]ing)?\b|\bbold(?:ed|ing|face)?\b|\bemphasi[sz](?:e|ed|ing)\b",
    )
});
static NO_HIGHLIGHT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:not|n[’']t|no|without|avoid|never)\s+(?:[a-z]+\s+){0,2}$"));
static STAR_SAMPLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\*[^*\n]{1,60}\*"));
static MARKDOWN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bmarkdown\b|\basterisks?\b"));
static OTHER_COUNT: LazyLock<Regex> = LazyLock::new(|| pattern(r"placeholder|bullet|paragraph"));
static SECTION_MARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:\b(?:with|as|by|using|like|is|be|following|format|e\.g\.,?|i\.e\.,?|word|keyword)\s*:?|:|\()\s*["'“‘*]{0,2}(?P<mark>[A-Z][A-Za-z]{2,20})["'”’]?\s+(?:X\b|x\b|1\b|\{|\[)"#,
    )
});
