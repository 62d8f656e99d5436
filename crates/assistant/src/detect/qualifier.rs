//! Class 6, qualifier drift: what the prompt rules out, and whether the answer delivers it all the same.
//!
//! [`find`] reads the request and gives each [`Condition`] with the term it excludes, where that is plain from the
//! words. [`look`] is the mechanical check: a word that must not be mentioned is mentioned, a call or import that must
//! not be used is used in code, or the thing in brackets ("(not LCA)") is what the answer opens with. Whatever cannot
//! be told by looking is left to one yes/no question, whose words are in the qualifier.
//!
//! Only sentences that ask for something count: a story in which somebody does "this instead of that" asks nothing.
//! Rules about form (no commas, lower case only) belong to the constraints, not here.
use super::{Finding, Mask, Side, mask, pattern, sentence};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// More qualifiers than a person writes; the rest is not read.
const MOST: usize = 8;
/// Longer prompts are documents.
const LONGEST: usize = 4000;

/// Something the prompt rules out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Where the prompt says it; `kind` is `unmentioned`, `unused`, `bracket`, `contrast` or `only`.
    pub finding: Finding,
    /// What is excluded, if its words are plain.
    pub excluded: Option<String>,
}

impl Condition {
    /// The question for a model that sees the answer: to be answered with yes or no, "no" is a violation.
    pub fn question(&self) -> String {
        format!(
            "The request contained this condition: \"{}\". Does the answer respect the condition? Reply with yes or no.",
            self.finding.evidence
        )
    }

    /// Where the response breaks it, as far as looking can tell.
    pub fn violation(&self, response: &str) -> Option<Finding> {
        let term = self.excluded.as_deref()?;
        let mask = Mask::new(response);
        let span = match self.finding.kind {
            "unmentioned" => mention(&mask.blank(response), term),
            "unused" => used(response, &mask, term),
            "bracket" => delivered(&mask.blank(response), term),
            _ => None,
        }?;
        Some(Finding::new(Side::Response, response, span, "excluded"))
    }
}

/// The first violation that looking can tell.
pub fn look(prompt: &str, response: &str) -> Option<Finding> {
    find(prompt)
        .iter()
        .find_map(|qualifier| qualifier.violation(response))
}

/// What the request rules out, in order.
pub fn find(prompt: &str) -> Vec<Condition> {
    if prompt.len() > LONGEST {
        return Vec::new();
    }
    let masked = Mask::new(prompt).blank(prompt);
    sentence::split(&masked)
        .into_iter()
        .filter(|span| requests(&masked[span.clone()]))
        .flat_map(|span| in_sentence(prompt, &masked, span))
        .take(MOST)
        .collect()
}

/// Whether a sentence asks for something.
fn requests(sentence: &str) -> bool {
    static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\?\s*$|^\W*(?:please|can|could|would|will|how|what|which|who|why|when|where|write|explain|describe
                |give|list|name|make|create|tell|show|find|solve|implement|generate|suggest|recommend|summari[sz]e
                |answer|respond|reply|use|using|do not|don['’]t|never|avoid|only|compute|calculate|translate|rewrite
                |provide|discuss|compare|define|draft|compose|design|prove|outline|sort|without|build|help|plan
                |recite|sing|in your|your (?:answer|response|entire))\b|\b(?:please|make sure|your (?:answer
                |response|entire)|you (?:must|should|may|can)(?: not|not)?|I (?:want|need|would like)|I['’]d like)\b",
        )
    });
    REQUEST.is_match(sentence)
}

fn in_sentence(prompt: &str, masked: &str, span: Range<usize>) -> Vec<Condition> {
    static BRACKET: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\((?:and |but )?not (?:the |an? |for )?(?P<term>[^()\n]{2,40})\)")
    });
    static UNMENTIONED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"\b(?:without (?:ever )?(?:mentioning|saying|naming|referring to|using the (?:words?|terms?|phrases?)
                |including the (?:words?|terms?|phrases?))|(?:do not|don['’]t|never|must not|should not|may not
                |avoid) (?:mention(?:ing)?|say(?:ing)?|nam(?:e|ing)|refer(?:ring)? to|(?:use|using|include
                |including) the (?:words?|terms?|phrases?)))(?: the (?:words?|terms?|phrases?)| any(?: of the)?
                | the)? (?P<term>[^.,;:!?()\n]{2,80})"#,
        )
    });
    static UNUSED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:without (?:the use of|using|any use of|relying on)|(?:do not|don['’]t|never|must not
                |avoid) (?:use|using|rely on|relying on)) (?:any |the |an? )?(?P<term>[^.,;:!?()\n]{2,80})",
        )
    });
    static CONTRAST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:instead of|rather than|as opposed to|other than|except(?: for)?|excluding|but not|and not
                |with the exception of) (?:any |the |an? |using |just )?(?P<term>[^.,;:!?()\n]{2,80})",
        )
    });
    static ONLY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:using only|use only|only (?:use|using|consider|include|from|with|about|for)|consider only
                |include only|nothing but|limited to) (?P<none>[^.,;:!?()\n]{2,60})",
        )
    });
    let rules: [(&'static str, &Regex); 5] = [
        ("bracket", &BRACKET),
        ("unmentioned", &UNMENTIONED),
        ("unused", &UNUSED),
        ("contrast", &CONTRAST),
        ("only", &ONLY),
    ];
    let mut found: Vec<Condition> = Vec::new();
    for (kind, rule) in rules {
        for hit in rule.captures_iter(&masked[span.clone()]) {
            let whole = hit.get(0).expect("group 0 is the match").range();
            let whole = span.start + whole.start..span.start + whole.end;
            let term = hit.name("term").map(|term| plain(term.as_str()));
            let form = term.as_deref().is_some_and(of_form)
                || kind == "only" && of_form(&masked[whole.clone()]);
            let known = found.iter().any(|other| {
                other.finding.span.start < whole.end && whole.start < other.finding.span.end
            });
            if !form && !known && term.as_deref() != Some("") {
                found.push(Condition {
                    finding: Finding::new(Side::Prompt, prompt, whole, kind),
                    excluded: term,
                });
            }
        }
    }
    found.sort_by_key(|qualifier| qualifier.finding.span.start);
    found
}

/// Rules about the form of the answer are checked elsewhere.
fn of_form(term: &str) -> bool {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:commas?|capital\w*|uppercase|lowercase|lower ?case|upper ?case|letters?|punctuation|words?
                |sentences?|lines?|paragraphs?|bullets?|markdown|quot\w+|characters?|emojis?|english|\w+ language
                |following words?|keywords?|asterisks?|brackets|numbers?|digits|exclamation\w*|periods?|contractions
                |json|any(?:thing|one|body)|change)\b",
        )
    });
    FORM.is_match(term)
}

/// The term itself: at most four words, up to where the sentence goes on.
fn plain(term: &str) -> String {
    const STOP: [&str; 26] = [
        "in", "at", "for", "to", "as", "when", "while", "and", "or", "anywhere", "because",
        "since", "that", "which", "with", "but", "if", "so", "on", "by", "from", "your", "it",
        "is", "are", "of",
    ];
    let quotes = ['"', '“', '”', '\'', '‘', '’', '*', '`', ' '];
    let mut words = Vec::new();
    for word in term.split_whitespace().take(5) {
        let stops = STOP.contains(&word.to_ascii_lowercase().as_str()) && !words.is_empty();
        if stops || words.len() == 4 {
            break;
        }
        words.push(word.trim_matches(quotes));
    }
    words.join(" ").trim_matches(quotes).to_owned()
}

/// The first mention of the term as whole words.
fn mention(text: &str, term: &str) -> Option<Range<usize>> {
    let words = regex::RegexBuilder::new(&format!(r"\b{}(?:s|es)?\b", regex::escape(term)))
        .case_insensitive(true)
        .size_limit(1 << 20)
        .build()
        .ok()?;
    words.find(text).map(|found| found.range())
}

/// A call or an import of the term in the code of the response.
fn used(response: &str, mask: &Mask, term: &str) -> Option<Range<usize>> {
    let name = term.split_whitespace().next()?.trim_end_matches("()");
    if name.len() < 3
        || !name
            .chars()
            .all(|c| c.is_alphanumeric() || "_.".contains(c))
    {
        return None;
    }
    let call = regex::RegexBuilder::new(&format!(
        r"(?m)\b{0}\s*\(|^\s*(?:import|from|use|require|#include)\b[^\n]*\b{0}\b",
        regex::escape(name)
    ))
    .size_limit(1 << 20)
    .build()
    .ok()?;
    mask.spans()
        .iter()
        .filter(|(_, kind)| *kind == mask::MaskKind::Code)
        .find_map(|(span, _)| {
            let found = call.find(&response[span.clone()])?;
            Some(span.start + found.start()..span.start + found.end())
        })
}

/// The excluded thing as what is delivered: the answer's first sentence or heading begins with it.
fn delivered(text: &str, term: &str) -> Option<Range<usize>> {
    let first = sentence::split(text).into_iter().next()?;
    let found = mention(&text[first.clone()], term)?;
    let before = &text[first.start..first.start + found.start];
    static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:not|unlike|without|rather|instead|versus|vs|than|no|isn['’]t|compared|difference|from)\b",
        )
    });
    let opens = before.split_whitespace().count() <= 4 && !NEGATED.is_match(before);
    opens.then(|| first.start + found.start..first.start + found.end)
}
