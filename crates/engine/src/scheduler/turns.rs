//! Who reads how much in the next pass.
//!
//! Called by `scheduler` before each pass. Everyone who writes takes part in every pass. What prompts may take of a
//! pass is bounded, and less so that the answer of a waiting person does not stall: that much goes to interactive
//! prompts first, and among equals to the one that came first, because a prompt that is read to its end at once
//! keeps nobody waiting who would otherwise have been earlier.

use super::Priority;

/// For each sequence, given by its priority and the unread tokens of its prompt, how many tokens it may read.
///
/// `batch` bounds the tokens of prompts in a pass, `chunk` those in a pass with an interactive answer.
pub(super) fn turns(standing: &[(Priority, usize)], batch: usize, chunk: usize) -> Vec<usize> {
    let mut turns: Vec<usize> = standing
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
        for (turn, (priority, unread)) in turns.iter_mut().zip(standing) {
            if *priority == now && *unread > 0 {
                *turn = left.min(*unread);
                left -= *turn;
            }
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::Priority::{Background, Interactive};
    use super::turns;

    #[test]
    fn everyone_who_writes_takes_part_and_prompts_share_the_rest_in_order() {
        let standing = [
            (Background, 0),
            (Background, 300),
            (Background, 40),
            (Background, 0),
        ];
        assert_eq!(turns(&standing, 256, 64), [1, 256, 0, 1]);
        let standing = [(Background, 0), (Background, 200), (Background, 400)];
        assert_eq!(turns(&standing, 256, 64), [1, 200, 56]);
    }

    #[test]
    fn interactive_prompts_come_first() {
        let standing = [(Background, 300), (Interactive, 100)];
        assert_eq!(turns(&standing, 256, 64), [156, 100]);
    }

    #[test]
    fn beside_an_interactive_answer_prompts_are_read_in_small_chunks() {
        let standing = [(Interactive, 0), (Background, 300), (Interactive, 50)];
        assert_eq!(turns(&standing, 256, 64), [1, 14, 50]);
        assert_eq!(
            turns(&[(Interactive, 0), (Background, 300)], 256, 0),
            [1, 1]
        );
        assert_eq!(turns(&[(Interactive, 0), (Background, 300)], 8, 64), [1, 8]);
    }
}
