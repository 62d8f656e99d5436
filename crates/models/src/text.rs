//! Makes text of servers, files and other programs fit to be shown: one line, bounded, without invisible orders.

/// The text with at most `limit` characters and nothing in it that moves a cursor, starts a line or turns the writing
/// direction: each such character becomes a space.
///
/// A name or a server's answer may hold escape sequences, or the bidirectional marks that make `gpj.exe` read
/// `exe.jpg`; both are as dangerous in a log or a web page as on a terminal.
pub fn plain(text: &str, limit: usize) -> String {
    let mut chars = text.chars();
    let visible = |c| if is_invisible(c) { ' ' } else { c };
    let mut plain: String = chars.by_ref().take(limit).map(visible).collect();
    if chars.next().is_some() {
        plain.push('…');
    }
    plain
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' // soft hyphen, Arabic mark, separators of no width
            | '\u{200b}'..='\u{200f}' // no width, joiners, left-to-right and right-to-left marks
            | '\u{2028}'..='\u{202e}' // line and paragraph separators, embeddings and overrides
            | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, isolates
            | '\u{fff9}'..='\u{fffb}' // annotations
            | '\u{e0000}'..='\u{e007f}' // tags
        )
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_is_shown_is_what_is_there() {
        assert_eq!(plain("naïve 模型 🙂", 99), "naïve 模型 🙂");
        assert_eq!(plain("\u{1b}[31mred\r\nline", 99), " [31mred  line");
        for c in [
            '\u{202e}',
            '\u{2066}',
            '\u{200f}',
            '\u{2028}',
            '\u{85}',
            '\u{e0041}',
        ] {
            assert_eq!(plain(&format!("a{c}b"), 99), "a b", "{:x}", c as u32);
        }
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(plain("ééé", 2), "éé…");
        assert_eq!(plain("ééé", 3), "ééé");
        assert_eq!(plain("", 0), "");
    }
}
