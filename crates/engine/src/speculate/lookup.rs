//! Prompt-lookup drafting: guesses what followed the last time that these tokens came.
//!
//! Good where an answer repeats what was there before: code that is edited, text that is quoted or put right. Looks
//! for the longest run of tokens, up to [`LONGEST`], that ends the sequence and stood somewhere before; among equals
//! the latest. A scan of the tokens takes a few microseconds, far below the time of a pass.

use super::{DraftContext, Drafter, SURE};
use crate::Token;

/// Fewer tokens than these say nothing about what follows.
const SHORTEST: usize = 2;

/// More tokens than these make no difference.
const LONGEST: usize = 10;

/// Looks for the end of a sequence in the sequence.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// What was read and the token that is read next.
    tokens: Vec<Token>,
    /// Where the tokens stood before, just behind the run.
    found: Option<usize>,
}

impl Drafter for Lookup {
    /// The longer the run, the surer.
    fn sure(&mut self, context: &DraftContext<'_>) -> Option<usize> {
        // Everything but the last token was there the last time, too.
        self.tokens.pop();
        let read = context.state.tokens();
        self.tokens.extend_from_slice(&read[self.tokens.len()..]);
        self.tokens.push(context.next);
        let (same, at) = last_time(&self.tokens)?;
        self.found = Some(at);
        Some(match same {
            0..=2 => 0,
            3..=4 => 1,
            5..LONGEST => 2,
            _ => SURE,
        })
    }

    fn draft(&mut self, _: &DraftContext<'_>, most: usize, out: &mut Vec<Token>) {
        let Some(from) = self.found.take() else {
            return;
        };
        // What follows may run into the guesses themselves: then the run repeats.
        let end = self.tokens.len();
        for at in from..from + most {
            self.tokens.push(self.tokens[at]);
        }
        out.extend(self.tokens.drain(end..));
    }
}

/// The longest earlier run of tokens that are also the last ones: its length and the place after it.
fn last_time(tokens: &[Token]) -> Option<(usize, usize)> {
    let end = tokens.len();
    let last = *tokens.last()?;
    let mut best = None;
    // From the end backwards, so that among equally long runs the latest wins.
    for at in (1..end).rev() {
        if tokens[at - 1] != last {
            continue;
        }
        let pairs = tokens[..at].iter().rev().zip(tokens.iter().rev());
        let same = pairs.take(LONGEST).take_while(|(a, b)| a == b).count();
        if same >= SHORTEST && best.is_none_or(|(longest, _)| same > longest) {
            best = Some((same, at));
        }
        if same == LONGEST {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::last_time;

    #[test]
    fn the_longest_run_wins_and_the_latest_among_equals() {
        assert_eq!(last_time(&[1, 2, 3, 4]), None);
        assert_eq!(last_time(&[]), None);
        assert_eq!(last_time(&[5, 9, 5]), None, "one token is too little");
        assert_eq!(last_time(&[1, 2, 8, 1, 2]), Some((2, 2)));
        assert_eq!(last_time(&[1, 2, 8, 1, 2, 9, 1, 2]), Some((2, 5)));
        assert_eq!(last_time(&[7, 1, 2, 8, 3, 1, 2, 9, 7, 1, 2]), Some((3, 3)));
        assert_eq!(
            last_time(&[4, 4, 4, 4]),
            Some((3, 3)),
            "a run may overlap itself"
        );
    }
}
