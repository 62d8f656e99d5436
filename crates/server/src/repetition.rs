//! Whether an answer has begun to repeat itself exactly, and so will never end by itself.
//!
//! Only asked where nobody limited the length. A block of text must have come so often, and cover so much, that no poem,
//! table or program does the same; anything that is not exactly periodic is let be.

/// Longest block that is looked for, in bytes.
const LONGEST: usize = 400;
/// How often it must have come.
const TIMES: usize = 8;
/// How many bytes of the end the repeats must cover.
const COVER: usize = 600;

/// Whether the end of this text is one block, again and again.
pub(crate) fn repeats(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=LONGEST).any(|period| {
        let cover = COVER.max(period * TIMES);
        let Some(start) = bytes.len().checked_sub(cover) else {
            return false;
        };
        let tail = &bytes[start..];
        tail[period..] == tail[..cover - period]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_seen_and_a_list_is_not() {
        let looped = format!("Well. {}", "I am sorry, I cannot. ".repeat(80));
        assert!(repeats(&looped));
        assert!(repeats(&"é".repeat(700)));
        let list: String = (0..400).map(|i| format!("{i}. item\n")).collect();
        assert!(!repeats(&list));
        assert!(!repeats(&"=".repeat(500)));
        let nearly: String = (0..80)
            .map(|i| format!("I am sorry, I cannot {i}. "))
            .collect();
        assert!(!repeats(&nearly));
    }
}
