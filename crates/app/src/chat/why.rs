//! A receipt in, the text of `/why` and the one-line mark below an answer out.
use reckon_assistant::{Entry, GuardOutcome, Receipt};

/// What was done for the last answer.
pub(crate) fn explain(receipt: Option<&Receipt>) -> String {
    let Some(receipt) = receipt else {
        return "no answer yet".into();
    };
    if receipt.guards.is_empty() {
        return "no guards: the answer is what the model said".into();
    }
    let mut lines: Vec<String> = receipt.acted().flat_map(told).collect();
    let quiet: Vec<&str> = receipt
        .guards
        .iter()
        .filter(|entry| entry.outcome == GuardOutcome::Quiet)
        .map(|entry| entry.guard.as_str())
        .collect();
    if !quiet.is_empty() {
        lines.push(format!("looked, saw nothing: {}", quiet.join(", ")));
    }
    if receipt.acted().any(|entry| entry.replaced.is_some()) {
        lines.push("what the model itself said:".into());
        lines.extend(indented(&receipt.raw));
    }
    lines.join("\n")
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

fn told(entry: &Entry) -> Vec<String> {
    let came = match entry.outcome {
        GuardOutcome::Quiet => "saw nothing",
        GuardOutcome::Kept => "left the answer as it is",
        GuardOutcome::Confirmed => "confirmed the answer",
        GuardOutcome::Revised => "revised the answer",
        GuardOutcome::Flagged => "flagged the answer",
    };
    let mut lines = vec![format!("{}: {came}", entry.guard)];
    if let Some(reason) = &entry.reason {
        lines.push(format!("  because  {reason}"));
    }
    if let Some(evidence) = &entry.evidence {
        lines.push(format!("  seen     “{}”", one_line(&evidence.text)));
    }
    if let Some(program) = &entry.program {
        lines.push("  program".into());
        lines.extend(indented(&program.text));
        let outcome = &program.outcome;
        let came = match (&outcome.value, &outcome.error) {
            (Some(value), _) => value.as_str(),
            (None, Some(error)) => error.as_str(),
            (None, None) if outcome.stdout.trim().is_empty() => "nothing",
            (None, None) => outcome.stdout.as_str(),
        };
        lines.push(format!(
            "  gave     {} in {:.0} ms",
            one_line(came),
            outcome.ms
        ));
    }
    let spent = &entry.spent;
    if spent.generations > 0 {
        lines.push(format!(
            "  cost     {} tokens read, {} written, {:.1} s",
            spent.prompt,
            spent.completion,
            spent.ms / 1e3
        ));
    }
    lines
}

fn indented(text: &str) -> impl Iterator<Item = String> {
    text.trim_end().lines().map(|line| format!("    {line}"))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(120).collect();
    if short.len() < line.len() {
        short + "…"
    } else {
        short
    }
}
