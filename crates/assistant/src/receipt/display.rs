//! A receipt as people read it: what each guard did, what the model itself said, and who made the answer.

use super::{Entry, GuardOutcome, Receipt, Sampler, Vote};
use crate::Juror;
use std::fmt::{self, Display, Formatter};

/// Characters of a line that quotes something.
const LINE: usize = 120;

impl Display for Receipt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // What it quotes was written by a model: nothing of it may steer a terminal.
        let lines = self.lines().join("\n");
        let plain = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        f.write_str(&lines.chars().filter(plain).collect::<String>())
    }
}

impl Receipt {
    fn lines(&self) -> Vec<String> {
        let mark = self.mark.iter().map(ToString::to_string);
        let mut lines: Vec<String> = mark.chain(self.acted().flat_map(told)).collect();
        let quiet: Vec<&str> = self
            .guards
            .iter()
            .filter(|entry| entry.outcome == GuardOutcome::Quiet)
            .map(|entry| entry.guard.as_str())
            .collect();
        if !quiet.is_empty() {
            lines.push(format!("looked, saw nothing: {}", quiet.join(", ")));
        }
        let mut skipped = self.guards.iter();
        if let Some(one) = skipped.find(|entry| entry.outcome == GuardOutcome::Skipped) {
            let why = one.reason.as_deref().unwrap_or("");
            lines.push(format!("not judged: {why}"));
        }
        if self.guards.is_empty() {
            lines.push("no guards: the answer is what the model said".into());
        }
        let replaced = self.acted().any(|entry| entry.replaced.is_some());
        if let Some(raw) = self.raw.as_ref().filter(|_| replaced) {
            lines.push("what the model itself said:".into());
            lines.extend(indented(raw));
        }
        if let Some(handover) = &self.handover {
            lines.push(format!("handed over: {}", one_line(&handover.why)));
            let peers = handover.peers.iter();
            lines.extend(peers.map(|peer| format!("  {}", peer.line())));
        }
        lines.extend(self.given());
        if !self.model.name.is_empty() {
            lines.push(self.made_by());
        }
        lines
    }

    /// What the model was given besides the conversation.
    fn given(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for cited in &self.documents {
            let page = cited.page.map(|page| format!(", page {page}"));
            let passages = match cited.passages {
                1 => "1 passage".to_owned(),
                n => format!("{n} passages"),
            };
            let file = one_line(&cited.file);
            lines.push(format!(
                "shown: {file}{} ({passages})",
                page.unwrap_or_default()
            ));
            let quotes = cited.quotes.iter();
            lines.extend(quotes.map(|quote| format!("  quoted   “{}”", one_line(quote))));
        }
        let facts = self.memory.iter();
        lines.extend(facts.map(|fact| format!("remembered: {}", one_line(fact))));
        let about = self.about_self.iter();
        lines.extend(about.map(|line| format!("told about itself: {}", one_line(line))));
        lines
    }

    /// The model, its settings and ours, in one line.
    fn made_by(&self) -> String {
        let mut parts = vec![self.model.name.clone()];
        if let Some(digest) = &self.model.sha256 {
            parts.push(format!(
                "sha256 {}…",
                digest.chars().take(12).collect::<String>()
            ));
        }
        parts.extend(self.model.endpoint.clone());
        parts.push(self.sampler.to_string());
        parts.push(format!("reckon {}", self.version));
        parts.extend(self.isa.clone());
        parts.extend(self.kv.as_ref().map(|kv| format!("KV cache {kv}")));
        format!("made by {}", one_line(&parts.join(", ")))
    }
}

impl Display for Sampler {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.temperature <= 0.0 {
            return write!(f, "greedy");
        }
        write!(f, "temperature {}", self.temperature)?;
        if let Some(k) = self.top_k {
            write!(f, ", top-k {k}")?;
        }
        if let Some(p) = self.top_p {
            write!(f, ", top-p {p}")?;
        }
        write!(f, ", seed {}", self.seed)
    }
}

fn told(entry: &Entry) -> Vec<String> {
    let came = match entry.outcome {
        GuardOutcome::Quiet => "saw nothing",
        GuardOutcome::Skipped => "did not look",
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
    if !entry.votes.is_empty() {
        lines.push(format!("  votes    {}", votes(&entry.votes)));
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
        let (came, ms) = (one_line(came), outcome.ms);
        lines.push(format!("  gave     {came} in {ms:.0} ms"));
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

/// "answers 12, 12; programs 12, 13, – (it was cut)"
fn votes(votes: &[Vote]) -> String {
    let of = |juror: Juror, name: &str| {
        let votes = votes.iter().filter(|vote| vote.juror == juror);
        let shown: Vec<String> = votes
            .map(|vote| match (&vote.value, &vote.void) {
                (Some(value), _) => value.clone(),
                (None, Some(why)) => format!("none ({why})"),
                (None, None) => "none".into(),
            })
            .collect();
        (!shown.is_empty()).then(|| format!("{name}: {}", one_line(&shown.join(", "))))
    };
    let kinds = [of(Juror::Draft, "answers"), of(Juror::Program, "programs")];
    kinds.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn indented(text: &str) -> impl Iterator<Item = String> {
    text.trim_end().lines().map(|line| format!("    {line}"))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
