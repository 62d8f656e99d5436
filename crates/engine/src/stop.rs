//! Ends an answer at a given text: pieces in, the same text without the stop and what follows out.
//!
//! Called by `generate` for the text of an answer. What could be the beginning of the stop is held
//! back until it is decided. With no stop text everything passes at once.

use std::ops::ControlFlow;

/// Watches a stream of text for its end.
#[derive(Debug)]
pub(crate) struct StopText {
    stop: Option<&'static str>,
    held: String,
    over: bool,
}

impl StopText {
    pub(crate) fn new(stop: Option<&'static str>) -> Self {
        Self {
            stop: stop.filter(|stop| !stop.is_empty()),
            held: String::new(),
            over: false,
        }
    }

    /// Takes more text and gives what is sure to belong to the answer; breaks if the stop has come.
    pub(crate) fn push(&mut self, new: &str) -> (String, ControlFlow<()>) {
        let Some(stop) = self.stop else {
            return (new.to_owned(), ControlFlow::Continue(()));
        };
        self.held.push_str(new);
        if let Some(at) = self.held.find(stop) {
            self.held.truncate(at);
            self.over = true;
            return (std::mem::take(&mut self.held), ControlFlow::Break(()));
        }
        let tails = self.held.char_indices().map(|(i, _)| i);
        let keep = tails
            .into_iter()
            .find(|&i| stop.starts_with(&self.held[i..]))
            .unwrap_or(self.held.len());
        let rest = self.held.split_off(keep);
        (
            std::mem::replace(&mut self.held, rest),
            ControlFlow::Continue(()),
        )
    }

    /// Whether there is a stop to look for: the model continues a plain transcript.
    pub(crate) fn is_watching(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether the stop has not come yet.
    pub(crate) fn is_open(&self) -> bool {
        !self.over
    }

    /// What was held back and turned out to be text.
    pub(crate) fn flush(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stop: Option<&'static str>, text: &str, size: usize) -> (String, bool) {
        let mut watch = StopText::new(stop);
        let mut out = String::new();
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            let (new, flow) = watch.push(&piece.iter().collect::<String>());
            out += &new;
            if flow.is_break() {
                return (out, true);
            }
        }
        (out + &watch.flush(), false)
    }

    #[test]
    fn the_stop_ends_the_text_however_it_is_cut() {
        for size in 1..8 {
            assert_eq!(
                run(Some("\nUser:"), "Hi\nthere\nUser: more", size),
                ("Hi\nthere".into(), true)
            );
            assert_eq!(run(Some("aab"), "aaaab!", size), ("aa".into(), true));
        }
    }

    #[test]
    fn without_the_stop_nothing_is_lost() {
        for size in 1..8 {
            assert_eq!(
                run(Some("\nUser:"), "é\nUse\nUs", size),
                ("é\nUse\nUs".into(), false)
            );
            assert_eq!(run(None, "text", size), ("text".into(), false));
        }
    }
}
