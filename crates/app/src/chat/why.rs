//! A receipt in, the text of `/why` and the one-line mark below an answer out.
use reckon_assistant::{Came, Receipt};

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
                Came::Revised => Some(format!(
                    "{}: revised, {reason}; /why tells more",
                    entry.guard
                )),
                Came::Flagged => Some(format!("{}: {reason}", entry.guard)),
                Came::Confirmed => Some(format!("{}: {reason}", entry.guard)),
                Came::Kept | Came::Quiet => None,
            }
        })
        .collect();
    (!marks.is_empty()).then(|| marks.join("; "))
}
