//! Markdown, as models write it, to the HTML that Telegram takes.
//!
//! Every tag that is opened is closed by the same call, so that the nesting is valid whatever the text is; what is not
//! understood stays as it was written. Code has no other tags inside or outside, as Telegram wants it. Rendered text has
//! at most as many characters as its source, tables excepted: whoever cuts the source cuts the message.
//!
//! `blocks` finds code, tables, headings, quotes and paragraphs; `html` renders one of them.

/// How deep spans may be nested; nobody writes more than three.
const DEEPEST: usize = 6;

/// A part of a text that is rendered as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Lines of text, lists included.
    Text(String),
    /// One line.
    Heading(String),
    /// Lines without their `>`.
    Quote(String),
    /// A fenced block.
    Code { language: String, code: String },
    /// Lines with their bars.
    Table(Vec<String>),
}

/// Cuts a text into blocks.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if let Some((fence, language)) = fence(line) {
            let mut code = String::new();
            // A fence that is never closed reaches to the end: the rest may be still to come.
            for line in lines.by_ref() {
                if line.trim() == fence || is_longer_fence(line.trim(), fence) {
                    break;
                }
                code.push_str(line);
                code.push('\n');
            }
            blocks.push(Block::Code { language, code });
        } else if let Some(heading) = heading(trimmed) {
            blocks.push(Block::Heading(heading.into()));
        } else if trimmed.starts_with('>') {
            let unquoted = |line: &str| {
                let line = line.trim_start().trim_start_matches('>');
                line.strip_prefix(' ').unwrap_or(line).to_owned()
            };
            let mut quote = vec![unquoted(line)];
            while let Some(line) = lines.next_if(|line| line.trim_start().starts_with('>')) {
                quote.push(unquoted(line));
            }
            blocks.push(Block::Quote(quote.join("\n")));
        } else if is_row(trimmed) && lines.peek().is_some_and(|next| is_ruler(next.trim())) {
            let mut rows = vec![trimmed.to_owned()];
            while let Some(row) = lines.next_if(|line| is_row(line.trim())) {
                rows.push(row.trim().to_owned());
            }
            blocks.push(Block::Table(rows));
        } else {
            let mut paragraph = vec![line.trim_end().to_owned()];
            while let Some(line) = lines.next_if(|line| continues(line)) {
                paragraph.push(line.trim_end().to_owned());
            }
            blocks.push(Block::Text(paragraph.join("\n")));
        }
    }
    blocks
}

/// The HTML of a block.
pub(crate) fn html(block: &Block) -> String {
    match block {
        Block::Text(text) => {
            let lines = text.lines().map(bulleted).collect::<Vec<_>>();
            inline(&lines.join("\n"))
        }
        Block::Heading(text) => {
            // All of it is bold already: emphasis inside would only be noise.
            let plain = text.replace("**", "").replace("__", "");
            format!("<b>{}</b>", escaped(&plain))
        }
        Block::Quote(text) => format!("<blockquote>{}</blockquote>", inline(text)),
        Block::Code { language, code } => {
            let code = escaped(code.trim_end_matches('\n'));
            match language.is_empty() {
                true => format!("<pre>{code}</pre>"),
                false => format!("<pre><code class=\"language-{language}\">{code}</code></pre>"),
            }
        }
        Block::Table(rows) => format!("<pre>{}</pre>", escaped(&table(rows))),
    }
}

/// The language and the fence of a line that opens a block of code.
fn fence(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let len = line.chars().take_while(|c| *c == sign).count();
    let rest = line[len..].trim();
    if len < 3 || rest.contains(sign) {
        return None;
    }
    let known = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_' | '.');
    let language = rest.chars().take_while(known).take(30).collect();
    Some((&line[..len], language))
}

fn is_longer_fence(line: &str, fence: &str) -> bool {
    let sign = &fence[..1];
    line.len() > fence.len() && line.replace(sign, "").is_empty()
}

fn heading(line: &str) -> Option<&str> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let text = line[level..].strip_prefix(' ')?;
    (1..=6)
        .contains(&level)
        .then(|| text.trim().trim_end_matches('#').trim_end())
}

fn is_row(line: &str) -> bool {
    line.len() > 1 && line.starts_with('|') && line[1..].contains('|')
}

fn is_ruler(line: &str) -> bool {
    is_row(line) && line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn continues(line: &str) -> bool {
    let trimmed = line.trim();
    !trimmed.is_empty()
        && fence(line).is_none()
        && heading(trimmed).is_none()
        && !trimmed.starts_with('>')
        && !is_row(trimmed)
}

/// A line with a real bullet, or a rule that looks like one.
fn bulleted(line: &str) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    if text.len() >= 3
        && ["-", "*", "_"]
            .iter()
            .any(|sign| text.replace(sign, "").trim().is_empty())
    {
        return "———".into();
    }
    for marker in ["- ", "* ", "+ "] {
        if let Some(rest) = text.strip_prefix(marker) {
            return format!("{indent}• {rest}");
        }
    }
    line.into()
}

/// Columns of equal width, without the ruler; a wide table is left as it is.
fn table(rows: &[String]) -> String {
    const WIDEST: usize = 40;
    let cells = |row: &String| {
        let row = row.trim_matches('|').replace("**", "").replace('`', "");
        row.split('|')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let rows = rows
        .iter()
        .filter(|row| !is_ruler(row))
        .map(cells)
        .collect::<Vec<_>>();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default().min(20);
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column));
        widths
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
            .min(WIDEST)
    };
    let widths = (0..columns).map(width).collect::<Vec<_>>();
    let mut text = String::new();
    for row in &rows {
        let padded = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text.trim_end().into()
}

fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    spans(&mut out, text, 0, true);
    out
}

/// Appends the spans of a text; inside others there is no code, and no link inside a link.
fn spans(out: &mut String, text: &str, depth: usize, links: bool) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        at += match c {
            _ if depth >= DEEPEST => literal(out, rest, rest.len()),
            '\\' => escape_sequence(out, rest),
            '`' => code(out, rest, depth),
            '*' | '_' | '~' => emphasis(out, rest, before, depth, links),
            '[' if links => link(out, rest, depth),
            '!' if links && rest.starts_with("![") => {
                let taken = link(out, &rest[1..], depth);
                taken + 1
            }
            _ => literal(out, rest, c.len_utf8()),
        };
    }
}

/// Appends the first `len` bytes as they are.
fn literal(out: &mut String, text: &str, len: usize) -> usize {
    out.push_str(&escaped(&text[..len]));
    len
}

fn escape_sequence(out: &mut String, text: &str) -> usize {
    match text[1..].chars().next().filter(char::is_ascii_punctuation) {
        Some(c) => {
            out.push_str(&escaped(c.encode_utf8(&mut [0; 4])));
            2
        }
        None => literal(out, text, 1),
    }
}

fn code(out: &mut String, text: &str, depth: usize) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let fence = &text[..ticks];
    let Some(len) = text[ticks..].find(fence).filter(|len| *len > 0) else {
        return literal(out, text, ticks);
    };
    let content = escaped(text[ticks..ticks + len].trim());
    match depth {
        0 => out.push_str(&format!("<code>{content}</code>")),
        _ => out.push_str(&content),
    }
    2 * ticks + len
}

fn emphasis(
    out: &mut String,
    text: &str,
    before: Option<char>,
    depth: usize,
    links: bool,
) -> usize {
    for (mark, tag) in [
        ("**", "b"),
        ("__", "b"),
        ("~~", "s"),
        ("*", "i"),
        ("_", "i"),
    ] {
        if !text.starts_with(mark) {
            continue;
        }
        // `snake_case` is a name, and 2 * 3 * 4 a product.
        let in_word = mark.starts_with('_') && before.is_some_and(char::is_alphanumeric);
        if let Some(len) = closing(&text[mark.len()..], mark).filter(|_| !in_word) {
            out.push_str(&format!("<{tag}>"));
            spans(out, &text[mark.len()..mark.len() + len], depth + 1, links);
            out.push_str(&format!("</{tag}>"));
            return 2 * mark.len() + len;
        }
        return literal(out, text, mark.len());
    }
    literal(out, text, 1)
}

/// Where the mark that closes a span is, if the span is one.
fn closing(text: &str, mark: &str) -> Option<usize> {
    if text.starts_with(char::is_whitespace) {
        return None;
    }
    let sign = mark.chars().next()?;
    let mut from = 0;
    while let Some(found) = text[from..].find(mark) {
        // Of three marks in a row the last two close what the first two opened.
        let run = mark.len() == 2 && text[from + found + 2..].starts_with(sign);
        let at = from + found + usize::from(run);
        let after = text[at + mark.len()..].chars().next();
        let before = text[..at].chars().next_back();
        let doubled = mark.len() == 1 && (after == Some(sign) || before == Some(sign));
        let in_word = sign == '_' && after.is_some_and(char::is_alphanumeric);
        if at > 0 && !doubled && !in_word && !before.is_some_and(char::is_whitespace) {
            return Some(at);
        }
        from = at + mark.len();
    }
    None
}

fn link(out: &mut String, text: &str, depth: usize) -> usize {
    let parts = text.find("](").and_then(|label| {
        let end = text[label + 2..].find(')')?;
        Some((&text[1..label], &text[label + 2..label + 2 + end]))
    });
    let Some((label, address)) = parts else {
        return literal(out, text, 1);
    };
    // What stands behind a blank is a title.
    let target = address.split_whitespace().next().unwrap_or_default();
    let known = ["https://", "http://", "mailto:", "tg://"]
        .iter()
        .any(|s| target.starts_with(s));
    if label.contains(['[', '\n']) || label.trim().is_empty() || !known {
        return literal(out, text, 1);
    }
    out.push_str(&format!("<a href=\"{}\">", escaped(target)));
    spans(out, label, depth + 1, false);
    out.push_str("</a>");
    label.len() + address.len() + 4
}

/// Text in which no character has a meaning. Telegram refuses a NUL.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str) -> String {
        let parts = blocks(text).iter().map(html).collect::<Vec<_>>();
        parts.join("\n\n")
    }

    #[test]
    fn what_models_write_becomes_what_telegram_takes() {
        for (text, expected) in [
            ("a < b & c", "a &lt; b &amp; c"),
            ("**bold** and *italic*", "<b>bold</b> and <i>italic</i>"),
            ("***both***", "<b><i>both</i></b>"),
            ("__b__ _i_ ~~s~~", "<b>b</b> <i>i</i> <s>s</s>"),
            (
                "snake_case_name and 2 * 3 * 4",
                "snake_case_name and 2 * 3 * 4",
            ),
            ("`a<b` ``x`y``", "<code>a&lt;b</code> <code>x`y</code>"),
            ("**see `f()`**", "<b>see f()</b>"),
            ("# A **title** #", "<b>A title</b>"),
            ("- one\n  * two", "• one\n  • two"),
            ("---", "———"),
            ("> q1\n> q2", "<blockquote>q1\nq2</blockquote>"),
            (
                "[a](https://x.y/?a=1&b=2)",
                "<a href=\"https://x.y/?a=1&amp;b=2\">a</a>",
            ),
            ("[a](javascript:x)", "[a](javascript:x)"),
            ("![i](https://x.y/z)", "<a href=\"https://x.y/z\">i</a>"),
            ("\\*not\\*", "*not*"),
            (
                "```rust\nlet x = 1 < 2;\n```",
                "<pre><code class=\"language-rust\">let x = 1 &lt; 2;</code></pre>",
            ),
            ("```\nopen", "<pre>open</pre>"),
            (
                "| a | b |\n|---|---|\n| 10 | **2** |",
                "<pre>a   b\n10  2</pre>",
            ),
            ("**open and `code", "**open and `code"),
        ] {
            assert_eq!(render(text), expected, "{text:?}");
        }
    }

    /// Whether all tags are closed in the order in which they were opened.
    fn is_nested(html: &str) -> bool {
        let mut open = Vec::new();
        for tag in html.split('<').skip(1) {
            let Some((tag, _)) = tag.split_once('>') else {
                return false;
            };
            match tag.strip_prefix('/') {
                Some(closed) if open.pop() != Some(closed.to_owned()) => return false,
                Some(_) => {}
                None => open.push(tag.split(' ').next().unwrap_or_default().to_owned()),
            }
        }
        open.is_empty()
    }

    #[test]
    fn any_text_is_nested_and_ends_soon() {
        let pieces = [
            "**",
            "*",
            "_",
            "`",
            "``",
            "~~",
            "[",
            "](https://a.b",
            ")",
            "a",
            " ",
            "\n",
            "\\",
            "<b>",
            "> ",
            "# ",
            "|",
            "---",
            "```",
            "é",
            "🦆",
        ];
        let mut state = 7_u64;
        for _ in 0..3_000 {
            let mut text = String::new();
            for _ in 0..30 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let html = render(&text);
            assert!(is_nested(&html), "{text:?} → {html}");
        }
        let long = "*a ".repeat(1_300);
        assert!(is_nested(&render(&long)));
    }
}
