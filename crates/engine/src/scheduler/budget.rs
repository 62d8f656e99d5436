//! Chunked prefill: how many prompt tokens each sequence reads in the next pass.
//!
//! Called by `scheduler` before each pass. Every sequence that decodes takes part in every pass. Prompt tokens per pass
//! are bounded, and more tightly while an interactive answer is being written, so that it does not stall. The budget
//! goes to interactive prompts first, and among equals to the one that came first: sharing it evenly would make all of
//! them wait for the last.

use super::Priority;

/// For each sequence, given by its priority and the unread tokens of its prompt, how many tokens it may read.
///
/// `batch` bounds the tokens of prompts in a pass, `chunk` those in a pass with an interactive answer.
pub(super) fn prefill_budgets(
    standing: &[(Priority, usize)],
    batch: usize,
    chunk: usize,
) -> Vec<usize> {
    let mut budgets: Vec<usize> = standing
        .iter()
        .map(|(_, unread)| usize::from(*unread == 0))
        .collect();
    let watched = standing.contains(&(Priority::Interactive, 0));
    let mut left = if watched {
        chunk.clamp(1, batch)
    } else {
        batch
    };
    for now in [Priority::Interactive, Priority::Background] {
        for (budget, (priority, unread)) in budgets.iter_mut().zip(standing) {
            if *priority == now && *unread > 0 {
                *budget = left.min(*unread);
                left -= *budget;
            }
        }
    }
    budgets
}

#[cfg(test)]
mod tests {
    use super::Priority::{Background, Interactive};
    use super::prefill_budgets;

    #[test]
    fn everyone_who_writes_takes_part_and_prompts_share_the_rest_in_order() {
        let standing = [
            (Background, 0),
            (Background, 300),
            (Background, 40),
            (Background, 0),
        ];
        assert_eq!(prefill_budgets(&standing, 256, 64), [1, 256, 0, 1]);
        let standing = [(Background, 0), (Background, 200), (Background, 400)];
        assert_eq!(prefill_budgets(&standing, 256, 64), [1, 200, 56]);
    }

    #[test]
    fn interactive_prompts_come_first() {
        let standing = [(Background, 300), (Interactive, 100)];
        assert_eq!(prefill_budgets(&standing, 256, 64), [156, 100]);
    }

    #[test]
    fn beside_an_interactive_answer_prompts_are_read_in_small_chunks() {
        let standing = [(Interactive, 0), (Background, 300), (Interactive, 50)];
        assert_eq!(prefill_budgets(&standing, 256, 64), [1, 14, 50]);
        assert_eq!(
            prefill_budgets(&[(Interactive, 0), (Background, 300)], 256, 0),
            [1, 1]
        );
        assert_eq!(
            prefill_budgets(&[(Interactive, 0), (Background, 300)], 8, 64),
            [1, 8]
        );
    }
}
