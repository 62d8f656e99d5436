//! Text that others wrote, made safe to print: nothing of it steers a terminal or turns the reading direction.
//!
//! Used for everything that comes from a model, a file or the network, on terminals and on pipes: what goes through a pipe
//! often ends on a terminal.

/// Longest error or notice, in characters: it may quote what a hostile file says.
const LINE: usize = 600;

/// Whether a character may be printed: no control characters but line feed and tab, and none that turn the direction of
/// what follows, so that code reads as it runs.
pub(crate) fn is_clean(c: char) -> bool {
    matches!(c, '\n' | '\t') || !(c.is_control() || is_override(c))
}

/// Characters that turn the direction of the text that follows.
fn is_override(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` without what must not be printed.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|&c| is_clean(c)).collect()
}

/// One line of bounded length: blanks for line ends, control and direction characters.
pub(crate) fn one_line(text: &str) -> String {
    let is_blank = |c: char| {
        // Marks of direction are harmless in prose and mislead in a path or a name.
        let mark = matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}'
        );
        c.is_control() || is_override(c) || mark
    };
    let mut chars = text.chars();
    let line = chars.by_ref().take(LINE);
    let mut line: String = line.map(|c| if is_blank(c) { ' ' } else { c }).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let hostile = "a\x1b[2J\u{9b}31m\u{202e}b\u{2066}c\r\x07\n\td\u{7f}";
        assert_eq!(clean(hostile), "a[2J31mbc\n\td");
        assert_eq!(one_line("x\n\u{202e}y\u{2028}z\u{200f}."), "x  y z .");
    }

    #[test]
    fn a_line_is_bounded() {
        let line = one_line(&"é".repeat(100_000));
        assert_eq!(line.chars().count(), LINE + 1);
        assert!(line.ends_with('…'));
    }
}
