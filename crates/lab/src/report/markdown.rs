//! Writes blocks as Markdown, for a pull request, a terminal, a diff. Drawings are left out, their figures are in tables.

use super::block::{Block, Cell, Table};

/// A whole document.
pub(crate) fn markdown(title: &str, summary: &str, blocks: &[Block]) -> String {
    let mut text = format!("# {}\n\n{}\n", escape(title), escape(summary));
    for block in blocks {
        write_block(&mut text, block);
    }
    text
}

fn write_block(text: &mut String, block: &Block) {
    match block {
        Block::Section(heading) => *text += &format!("\n## {}\n", escape(heading)),
        Block::Heading(heading) => *text += &format!("\n### {}\n", escape(heading)),
        Block::Text(words) => *text += &format!("\n{}\n", escape(words)),
        Block::Warning(words) => *text += &format!("\n> **Note:** {}\n", escape(words)),
        Block::Table(table) => write_table(text, table),
        Block::Figure { .. } => {}
        Block::Said(words) => {
            let words = printable(words);
            let fence = fence(&words);
            *text += &format!("\n{fence}text\n{}\n{fence}\n", words.trim_end());
        }
        Block::Details { summary, blocks } => {
            *text += &format!("\n**{}**\n", escape(summary));
            for block in blocks {
                write_block(text, block);
            }
        }
    }
}

fn write_table(text: &mut String, table: &Table) {
    *text += &format!("\n{}\n\n|", escape(&table.caption));
    for head in &table.head {
        *text += &format!(" {} |", cell(head));
    }
    text.push_str("\n|");
    for i in 0..table.head.len() {
        let right = table.rows.first().and_then(|row| row.get(i));
        text.push_str(match right {
            Some(Cell::Figure(_)) => "--:|",
            _ => "---|",
        });
    }
    text.push('\n');
    for row in &table.rows {
        text.push('|');
        for one in row {
            match one {
                Cell::Words(words) | Cell::Figure(words) => {
                    *text += &format!(" {} |", cell(words));
                }
                Cell::Code(words) if words.bytes().all(is_plain) => {
                    *text += &format!(" `{words}` |");
                }
                Cell::Code(words) => *text += &format!(" {} |", cell(words)),
            }
        }
        text.push('\n');
    }
}

/// What a digest or an address is made of.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&()+,;=%".contains(&byte)
}

/// Longer than any fence inside.
fn fence(words: &str) -> String {
    let longest = words
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// A document may end up on a terminal.
fn printable(words: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    words.chars().map(shown).collect()
}

fn cell(words: &str) -> String {
    escape(words).replace('|', "\\|")
}

/// On one line, and without a meaning in Markdown or HTML.
fn escape(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '~' => {
                safe.push('\\');
                safe.push(c);
            }
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
