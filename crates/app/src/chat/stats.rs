//! The numbers of a chat: answers in, the text of `/stats` out.
//!
//! Filled by `talk` after every answer. Speeds are of the last answer; tokens that a session took over from the
//! message before are not counted as read.
use crate::{footprint::resident, speed::speeds};
use reckon::models::size;
use reckon::{Generation, Timing, Usage};

/// What was measured so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stats {
    answers: usize,
    read: usize,
    written: usize,
    last: Option<(Usage, Timing)>,
}

impl Stats {
    pub(crate) fn add(&mut self, generation: &Generation) {
        let Generation { usage, timing, .. } = generation;
        self.answers += 1;
        self.read += usage.prompt.saturating_sub(usage.reused);
        self.written += usage.completion;
        self.last = Some((*usage, *timing));
    }

    /// The text of `/stats`.
    pub(crate) fn show(&self, n_ctx: usize) -> String {
        let mut lines = Vec::new();
        if let Some((usage, timing)) = self.last {
            let (prefill, decode) = speeds(usage, timing);
            let (prompt, reused, completion) = (usage.prompt, usage.reused, usage.completion);
            lines.push(format!(
                "prompt   {prompt} tokens, {reused} of them known already"
            ));
            lines.push(format!("answer   {completion} tokens"));
            lines.push(format!(
                "speed    {prefill:.1} tokens/s read, {decode:.1} tokens/s written"
            ));
            let used = prompt + completion;
            lines.push(format!("context  {used} of {n_ctx} tokens used"));
        } else {
            lines.push(format!("context  0 of {n_ctx} tokens used"));
        }
        let (answers, read, written) = (self.answers, self.read, self.written);
        lines.push(format!(
            "in all   {answers} answers, {read} tokens read, {written} written"
        ));
        lines.push(match resident() {
            Some(bytes) => format!("memory   {}", size(bytes)),
            None => "memory   not known on this system".into(),
        });
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckon::Finish;
    use std::time::Duration;

    #[test]
    fn numbers_add_up() {
        let mut stats = Stats::default();
        assert!(stats.show(100).contains("0 of 100"));
        for reused in [0, 10] {
            stats.add(&Generation {
                text: "x".into(),
                tokens: vec![1, 2],
                finish: Finish::Stop,
                usage: Usage {
                    prompt: 30,
                    reused,
                    completion: 2,
                    ..Usage::default()
                },
                timing: Timing {
                    prefill: Duration::from_secs(2),
                    decode: Duration::from_millis(500),
                },
                ..Generation::default()
            });
        }
        let text = stats.show(100);
        for part in [
            "30 tokens, 10 of them",
            "10.0 tokens/s read, 4.0 tokens/s written",
            "32 of 100",
            "2 answers, 50 tokens read, 4 written",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}
