//! Class 5, visible self-correction: an answer that is given, taken back and given again, into the last one alone.
//!
//! [`strip`] cuts the superseded draft and keeps what the answer needs; [`look`] says where the correction was
//! announced. Both are silent unless all of this holds: a marker ("Corrected answer:", "Wait, that's wrong") stands at
//! the start of a line or sentence, outside thinking, code, JSON and quotes; an answer is stated before it and another
//! one after it (a re-check that confirms is none); what is kept derives its answer, refers to nothing that was cut
//! and is finished. Where a person asked for a correction of their own text, "Corrected version:" is the answer.
//!
//! Two shapes. A draft block first, its derivation, then a corrected block (how models answer when JSON was asked):
//! the draft block goes, a derivation that arrives at the new answer stays. Prose: all before the marker goes, if the
//! restatement stands on its own. Anything in doubt stays as it was.
use super::{Finding, Mask, Side, pattern};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

mod answer;
mod kept;

/// A draft that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The words that announce the correction, in the response.
    pub marker: Range<usize>,
    /// The superseded draft, in the response.
    pub draft: Range<usize>,
    /// The response without it.
    pub text: String,
}

/// Where the response corrects itself and could be cut.
pub fn look(prompt: &str, response: &str) -> Option<Finding> {
    let cut = strip(prompt, response)?;
    Some(Finding::new(
        Side::Response,
        response,
        cut.marker,
        "restated answer",
    ))
}

/// The response without its superseded draft. Stripping what was stripped gives nothing.
pub fn strip(prompt: &str, response: &str) -> Option<Cut> {
    if wants_correction(prompt) {
        return None;
    }
    let mask = Mask::new(response);
    let masked = mask.blank(response);
    let marker = marker(&masked)?;
    let start = mask
        .spans()
        .iter()
        .take_while(|(_, kind)| *kind == super::mask::MaskKind::Thinking)
        .last()
        .map_or(0, |(span, _)| span.end);
    let start = start + response[start..].len() - response[start..].trim_start().len();
    if start >= marker.whole.start {
        return None;
    }
    let parts = Parts {
        draft: start..marker.whole.start,
        restated: marker.whole.end..response.len(),
        marker,
    };
    let cut = block(response, &mask, &parts).or_else(|| prose(response, &masked, &parts))?;
    let once = cut.text.len() < response.len()
        && self::marker(&Mask::new(&cut.text).blank(&cut.text)).is_none();
    once.then_some(cut)
}

/// Whether the prompt itself asks for something to be corrected.
fn wants_correction(prompt: &str) -> bool {
    static WANTS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:correct(?:ed|ing|ion|ions)?|proof-?read\w*|grammar|grammatical\w*|spelling|typos?|fix(?:ed|es
                |ing)?|bugs?|debug\w*|mistakes?|errors?|edit(?:ed|ing)?|revis(?:e|ed|ion|ing)|rewrite|rephrase
                |improve)\b",
        )
    });
    WANTS.is_match(prompt)
}

struct Marker {
    /// From the beginning of the label or sentence to the end of the announcement.
    whole: Range<usize>,
    /// A label ("Corrected answer:") rather than a sentence.
    label: bool,
}

struct Parts {
    draft: Range<usize>,
    restated: Range<usize>,
    marker: Marker,
}

/// A sentence that announces a correction.
static SENTENCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?m)(?:^[ \t]*|[.!?][ \t]+)(?P<said>(?:(?:wait|hold on|oh|oops|hmm|sorry|apologies|no|but wait|actually)[,.! …—-]+)*",
        r"(?:I(?:['’]ve| have)? (?:made|just made|see|notice|realize|realise|found) (?:a|an|my
            |the) (?:\w+ )?(?:mistake|error|miscalculation)",
        r"|(?:that|this)(?:['’]s| is| was) (?:not (?:right|correct)|wrong|incorrect|a mistake|an error)",
        r"|(?:that|this) (?:isn['’]t|wasn['’]t) (?:right|correct)",
        r"|scratch that",
        r"|(?:let me|I(?:['’]ll| will| need to| should| must)) (?:correct|fix|redo|re-do|restart|revise
            |recalculate|recompute|start over|try again)\b",
        r"|I (?:apologi[sz]e|am sorry|['’]m sorry) for (?:the|my|that|this) (?:\w+ )?(?:mistake|error|confusion|miscalculation|oversight)",
        r"|(?:my|the) (?:previous|earlier|initial|first|above) (?:answer|calculation|response|solution
            |reasoning) (?:was|is|contains|contained|has|had) (?:\w+ )?(?:wrong|incorrect|mistake|error
            |not correct|an error|a mistake)",
        r"|correction:)",
        r"[^.!?:\n]*[.!?:]?)",
    ))
});

/// The last announcement of a correction.
fn marker(masked: &str) -> Option<Marker> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)^[ \t]*(?:#{1,6} |[*_]{1,3}|- )*(?:(?:final|here is the|here's the) )?(?:corrected|revised
                |updated|amended) (?:final )?(?:answer|solution|response|result
                |calculation)[ \t]*(?:[*_]{1,3})?[ \t]*(?::[ \t]*(?:[*_]{1,3})?|\r?$)",
        )
    });
    let label = LABEL.find_iter(masked).last().map(|found| Marker {
        whole: found.range(),
        label: true,
    });
    // Several in a row ("I made a mistake. Let me correct that.") are one announcement.
    let sentence = SENTENCE.captures_iter(masked).last().map(|found| Marker {
        whole: found.name("said").expect("part of the pattern").range(),
        label: false,
    });
    match (label, sentence) {
        // An apology after the corrected answer belongs to it.
        (Some(label), _) => Some(label),
        (None, sentence) => sentence,
    }
}

/// A draft block at the front, a derivation, a corrected block.
fn block(response: &str, mask: &Mask, parts: &Parts) -> Option<Cut> {
    let inside = |range: &Range<usize>| {
        let range = range.clone();
        mask.spans()
            .iter()
            .map(|(span, _)| span.clone())
            .find(move |span| {
                range.start <= span.start
                    && span.end <= range.end
                    && answer::of_block(&response[span.clone()]).is_some()
            })
    };
    let draft = inside(&parts.draft).filter(|span| span.start == parts.draft.start)?;
    let restated = inside(&parts.restated)?;
    let given = answer::of_block(&response[restated.clone()])?;
    if !parts.marker.label || answer::of_block(&response[draft.clone()])? == given {
        return None;
    }
    let middle = draft.end..parts.marker.whole.start;
    let ending = kept::without_apology(&response[parts.marker.whole.start..]);
    let lead = &response[..parts.draft.start];
    let derivation = if kept::states(&response[middle.clone()], &given)
        && !kept::takes_back(&response[middle.clone()])
    {
        &response[middle.clone()]
    } else {
        kept::corrected_derivation(&response[middle.clone()]).unwrap_or("")
    };
    let derived = !derivation.trim().is_empty() || kept::derives(ending, &given);
    let text = format!("{}{ending}", derivation.trim_start());
    let text = format!("{lead}{}", kept::unlabelled(&text));
    (derived && kept::complete(&text) && !kept::refers_back(&text)).then(|| Cut {
        marker: parts.marker.whole.clone(),
        draft,
        text,
    })
}

/// Prose before the marker, a restatement that stands on its own after it.
fn prose(response: &str, masked: &str, parts: &Parts) -> Option<Cut> {
    let draft = &masked[parts.draft.clone()];
    // What announces the correction is no part of the answer that it takes back.
    let draft = match SENTENCE
        .captures(draft)
        .and_then(|found| found.name("said"))
    {
        Some(said) => &draft[..said.start()],
        None => draft,
    };
    let restated = &masked[parts.restated.clone()];
    let old = answer::last(draft)?;
    let new = answer::last(restated)?;
    let stands = old != new
        && kept::derives(restated, &new)
        && kept::covers(draft, restated)
        && !kept::mentions(restated, &old)
        && !kept::refers_back(restated)
        && !kept::takes_back(restated);
    let shipped =
        response[parts.restated.clone()].trim_start_matches([' ', '\t', '\r', '\n', '*', ':']);
    let lead = &response[..parts.draft.start];
    (stands && kept::complete(shipped)).then(|| Cut {
        marker: parts.marker.whole.clone(),
        draft: parts.draft.clone(),
        text: format!("{lead}{}", kept::capitalised(shipped)),
    })
}
