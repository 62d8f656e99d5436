//! A receipt in, the text of `/why` and the one-line mark below an answer out.
use reckon::assistant::{GuardOutcome, Receipt};

/// What was done for the last answer.
pub(crate) fn explain(receipt: Option<&Receipt>) -> String {
    receipt.map_or_else(|| "no answer yet".into(), ToString::to_string)
}

/// What a person should know about an answer without asking.
pub(crate) fn mark(receipt: &Receipt) -> Option<String> {
    let marks: Vec<String> = receipt
        .acted()
        .filter_map(|entry| {
            let reason = entry.reason.as_deref().unwrap_or("");
            match entry.outcome {
                GuardOutcome::Revised => Some(format!(
                    "{}: revised, {reason}; /why tells more",
                    entry.guard
                )),
                GuardOutcome::Flagged => Some(format!("{}: {reason}", entry.guard)),
                GuardOutcome::Confirmed => Some(format!("{}: {reason}", entry.guard)),
                GuardOutcome::Kept | GuardOutcome::Quiet => None,
            }
        })
        .collect();
    (!marks.is_empty()).then(|| marks.join("; "))
}
