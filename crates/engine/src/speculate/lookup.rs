//! Guesses by looking back: what followed the last time that these tokens came.
//!
//! Good where an answer repeats what was there before: code that is edited, text that is quoted or put right. Looks
//! for the longest run of tokens, up to [`LONGEST`], that ends the sequence and stood somewhere before; among equals
//! the latest. A scan of the tokens takes a few microseconds, far below the time of a pass.

use super::{Context, Drafter};
use crate::Token;

/// Fewer tokens than these say nothing about what follows.
const SHORTEST: usize = 2;

/// More tokens than these make no difference.
const LONGEST: usize = 12;

/// Looks for the end of a sequence in the sequence.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    tokens: Vec<Token>,
}

impl Drafter for Lookup {
    fn draft(&mut self, context: &Context<'_>, most: usize, out: &mut Vec<Token>) {
        let read = context.state.tokens();
        self.tokens.truncate(read.len());
        self.tokens.extend_from_slice(&read[self.tokens.len()..]);
        self.tokens.push(context.next);
        if let Some(from) = last_time(&self.tokens) {
            // What follows may run into the guesses themselves: then the run repeats.
            let end = self.tokens.len();
            for at in from..from + most {
                let token = self.tokens[at];
                self.tokens.push(token);
                out.push(token);
            }
            self.tokens.truncate(end);
        }
        // The token that is read next is settled, but the tokens read come from the state.
        self.tokens.pop();
    }
}

/// The place after the longest earlier run of tokens that are also the last ones.
fn last_time(tokens: &[Token]) -> Option<usize> {
    let end = tokens.len();
    let last = *tokens.last()?;
    let mut best = (SHORTEST - 1, None);
    for at in (1..end).rev() {
        if best.0 == LONGEST {
            break;
        }
        if tokens[at - 1] != last {
            continue;
        }
        let pairs = tokens[..at].iter().rev().zip(tokens.iter().rev());
        let same = pairs.take(LONGEST).take_while(|(a, b)| a == b).count();
        if same > best.0 {
            best = (same, Some(at));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::last_time;

    #[test]
    fn the_longest_run_wins_and_the_latest_among_equals() {
        assert_eq!(last_time(&[1, 2, 3, 4]), None);
        assert_eq!(last_time(&[]), None);
        assert_eq!(last_time(&[5, 9, 5]), None, "one token is too little");
        assert_eq!(last_time(&[1, 2, 8, 1, 2]), Some(2));
        assert_eq!(last_time(&[1, 2, 8, 1, 2, 9, 1, 2]), Some(5));
        assert_eq!(last_time(&[7, 1, 2, 8, 3, 1, 2, 9, 7, 1, 2]), Some(3));
        assert_eq!(
            last_time(&[4, 4, 4, 4]),
            Some(3),
            "a run may overlap itself"
        );
    }
}
