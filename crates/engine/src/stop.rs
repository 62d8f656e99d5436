//! Ends an answer at one of several texts: pieces in, the same text without the stop and what follows out.
//!
//! Called by `answer` for the text of an answer. The stop that is complete first ends it; of two that are complete at
//! the same place, the longer. What could be the beginning of a stop is held back until it is decided. So the result
//! does not depend on how the text is cut. With nothing to look for everything passes at once.

use crate::{Error, Result};
use std::ops::ControlFlow;

/// Most stop texts of a request, and their length in bytes.
const MAX_STOPS: usize = 16;
const MAX_STOP: usize = 256;

/// Watches a stream of text for its end.
#[derive(Debug)]
pub(crate) struct StopText {
    /// The template's own.
    own: Option<&'static str>,
    /// The request's.
    asked: Vec<String>,
    held: String,
    over: bool,
    stopped_by: Option<String>,
}

impl StopText {
    /// Looks for the template's stop and for those of the request.
    pub(crate) fn new(own: Option<&'static str>, mut asked: Vec<String>) -> Self {
        asked.retain(|stop| !stop.is_empty());
        Self {
            own: own.filter(|stop| !stop.is_empty()),
            asked,
            held: String::new(),
            over: false,
            stopped_by: None,
        }
    }

    /// Whether a request may ask for these.
    pub(crate) fn check(asked: &[String]) -> Result<()> {
        if asked.len() > MAX_STOPS {
            let n = asked.len();
            return Err(Error::Request(format!(
                "{n} stop texts, {MAX_STOPS} allowed"
            )));
        }
        match asked.iter().find(|stop| stop.len() > MAX_STOP) {
            Some(long) => Err(Error::Request(format!(
                "a stop text of {} bytes, {MAX_STOP} allowed",
                long.len()
            ))),
            None => Ok(()),
        }
    }

    /// Takes more text and gives what is sure to belong to the answer; breaks if a stop has come.
    pub(crate) fn push(&mut self, new: &str) -> (String, ControlFlow<()>) {
        if self.own.is_none() && self.asked.is_empty() {
            return (new.to_owned(), ControlFlow::Continue(()));
        }
        self.held.push_str(new);
        let found = |stop: &str| self.held.find(stop).map(|at| (at + stop.len(), at));
        let own = self.own.and_then(|stop| Some((found(stop)?, None)));
        let asked = self.asked.iter();
        let first = asked
            .filter_map(|stop| Some((found(stop)?, Some(stop))))
            .chain(own)
            .min_by_key(|(place, _)| *place);
        if let Some(((_, at), stop)) = first {
            self.stopped_by = stop.cloned();
            self.held.truncate(at);
            self.over = true;
            return (std::mem::take(&mut self.held), ControlFlow::Break(()));
        }
        let is_begun = |tail: &str| {
            let mut stops = self.asked.iter().map(String::as_str).chain(self.own);
            stops.any(|stop| stop.starts_with(tail))
        };
        let tails = self.held.char_indices().map(|(i, _)| i);
        let keep = tails
            .into_iter()
            .find(|&i| is_begun(&self.held[i..]))
            .unwrap_or(self.held.len());
        let rest = self.held.split_off(keep);
        (
            std::mem::replace(&mut self.held, rest),
            ControlFlow::Continue(()),
        )
    }

    /// Whether the model continues a plain transcript, which only a stop of the template's ends.
    pub(crate) fn is_transcript(&self) -> bool {
        self.own.is_some()
    }

    /// Whether no stop has come yet.
    pub(crate) fn is_open(&self) -> bool {
        !self.over
    }

    /// The request's stop that has come.
    pub(crate) fn stopped_by(&mut self) -> Option<String> {
        self.stopped_by.take()
    }

    /// What was held back and turned out to be text.
    pub(crate) fn flush(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(
        own: Option<&'static str>,
        asked: &[&str],
        text: &str,
        size: usize,
    ) -> (String, Option<String>, bool) {
        let asked = asked.iter().map(|&stop| stop.to_owned()).collect();
        let mut watch = StopText::new(own, asked);
        let mut out = String::new();
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            let (new, flow) = watch.push(&piece.iter().collect::<String>());
            out += &new;
            if flow.is_break() {
                return (out, watch.stopped_by(), true);
            }
        }
        (out + &watch.flush(), watch.stopped_by(), false)
    }

    #[test]
    fn the_stop_ends_the_text_however_it_is_cut() {
        for size in 1..8 {
            assert_eq!(
                run(Some("\nUser:"), &[], "Hi\nthere\nUser: more", size),
                ("Hi\nthere".into(), None, true)
            );
            assert_eq!(
                run(Some("aab"), &[], "aaaab!", size),
                ("aa".into(), None, true)
            );
        }
    }

    #[test]
    fn of_several_stops_the_first_to_be_complete_counts() {
        let cases: [(&[&str], &str, &str, Option<&str>); 6] = [
            (&["abcd", "bc"], "xabcd", "xa", Some("bc")),
            (&["bc", "abc"], "xabc", "x", Some("abc")),
            (&["", "é!"], "ééé!x", "éé", Some("é!")),
            (&["STOP", "\n\n"], "a\nb\n\nSTOP", "a\nb", Some("\n\n")),
            (&["aab"], "aaab", "a", Some("aab")),
            (&["xyz", "yzz"], "xyyz", "xyyz", None),
        ];
        for size in 1..8 {
            for (asked, text, want, by) in cases {
                let by = by.map(str::to_owned);
                let is_over = by.is_some();
                assert_eq!(run(None, asked, text, size), (want.into(), by, is_over));
            }
            // The template's own stop is nobody's wish.
            let both = run(Some("\nUser:"), &["User"], "a\nUser:", size);
            assert_eq!(both, ("a\n".into(), Some("User".into()), true));
            let both = run(Some("\nUs"), &["User"], "a\nUser:", size);
            assert_eq!(both, ("a".into(), None, true));
        }
    }

    #[test]
    fn without_the_stop_nothing_is_lost() {
        for size in 1..8 {
            assert_eq!(
                run(Some("\nUser:"), &["é\nUses"], "é\nUse\nUs", size),
                ("é\nUse\nUs".into(), None, false)
            );
            assert_eq!(run(None, &[], "text", size), ("text".into(), None, false));
        }
    }
}
