//! A receipt in, the text of `/why` and the lines below an answer out.
use crate::{fleet, mark, screen::Output};
use reckon::assistant::{GuardOutcome, Receipt};

/// What was done for the last answer.
pub(crate) fn explain(receipt: Option<&Receipt>) -> String {
    receipt.map_or_else(|| "no answer yet".into(), ToString::to_string)
}

/// What a person should know about an answer without asking: its mark, and what guards did that the mark does not tell.
pub(crate) fn notes(receipt: &Receipt, output: Output) -> Vec<String> {
    let line = receipt.mark.iter().map(|one| mark::line(one, output));
    let marked = receipt.mark.as_ref().and_then(|mark| mark.by.as_deref());
    let others = receipt
        .acted()
        .filter(|entry| Some(entry.guard.as_str()) != marked);
    let others = others.filter_map(|entry| {
        let reason = entry.reason.as_deref().unwrap_or("");
        let guard = &entry.guard;
        let note = match entry.outcome {
            GuardOutcome::Revised => format!("{guard}: revised, {reason}; /why tells more"),
            GuardOutcome::Flagged | GuardOutcome::Confirmed => format!("{guard}: {reason}"),
            GuardOutcome::Kept | GuardOutcome::Quiet | GuardOutcome::Skipped => return None,
        };
        Some(output.note(&format!("[{note}]")))
    });
    let handed = fleet::told(receipt).map(|line| output.note(&format!("[{line}]")));
    line.chain(others).chain(handed).collect()
}
