//! Which lines open and close a fenced code block, and the blocks of a finished text.
//!
//! The renderer asks `Fence` line by line while an answer streams; `/save` takes `code_blocks` of the whole
//! answer. Both go through the same rules, so the number shown at a fence is the number `/save` understands.
//!
//! Rules (CommonMark, loosened where models write lists): a fence is three or more backticks or tildes, at any
//! indent or right after a list marker; it ends at a line of at least as many of the same mark, indented at most
//! three more columns, or at the end of the text. The fence's own indent is taken off its lines.
use crate::printable::clean;

/// Longest text after an opening fence, in bytes; a longer line is a paragraph.
pub(crate) const INFO: usize = 200;

/// One fenced block of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// First word after the opening fence; empty if none.
    pub language: String,
    /// The lines between the fences, each with its line feed.
    pub code: String,
    /// Whether the closing fence was written.
    pub closed: bool,
}

/// The fenced blocks of `text`, in order; what a terminal must not see is taken out of them.
pub fn code_blocks(text: &str) -> Vec<CodeBlock> {
    let text = clean(text);
    let mut blocks: Vec<CodeBlock> = Vec::new();
    let mut open: Option<Fence> = None;
    for line in text.lines() {
        match (&open, blocks.last_mut()) {
            (Some(fence), Some(block)) if fence.closed_by(line) => {
                block.closed = true;
                open = None;
            }
            (Some(fence), Some(block)) => {
                block.code.push_str(fence.content(line));
                block.code.push('\n');
            }
            _ => {
                let body = &line[marker_len(line).unwrap_or(0)..];
                open = Fence::open(body, line.len() - body.len());
                if let Some(fence) = &open {
                    blocks.push(CodeBlock {
                        language: fence.language.clone(),
                        code: String::new(),
                        closed: false,
                    });
                }
            }
        }
    }
    blocks
}

/// An open fence.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    mark: char,
    len: usize,
    indent: usize,
    pub(crate) language: String,
}

impl Fence {
    /// The fence that `line` opens; `shift` columns of list marker stand before it.
    pub(crate) fn open(line: &str, shift: usize) -> Option<Self> {
        let body = line.trim_start_matches([' ', '\t']);
        let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = body.trim_start_matches(mark);
        let len = body.len() - info.len();
        if len < 3 || info.len() > INFO || (mark == '`' && info.contains('`')) {
            return None;
        }
        Some(Self {
            mark,
            len,
            indent: shift + line.len() - body.len(),
            language: info.split_whitespace().next().unwrap_or("").to_owned(),
        })
    }

    /// Whether `line` ends this block.
    pub(crate) fn closed_by(&self, line: &str) -> bool {
        let body = line.trim_start_matches([' ', '\t']);
        let rest = body.trim_start_matches(self.mark);
        line.len() - body.len() <= self.indent + 3
            && body.len() - rest.len() >= self.len
            && rest.trim().is_empty()
    }

    /// Whether `line`, still growing, could become the closing fence.
    pub(crate) fn may_close(&self, line: &str) -> bool {
        let body = line.trim_start_matches([' ', '\t']);
        let rest = body.trim_start_matches(self.mark);
        rest.trim_matches([' ', '\t']).is_empty()
            && (rest.is_empty() || body.len() - rest.len() >= self.len)
    }

    /// The line without the fence's own indent.
    pub(crate) fn content<'a>(&self, line: &'a str) -> &'a str {
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        &line[blank.min(self.indent)..]
    }
}

/// Bytes of a list marker and the blanks around it at the start of `line`: `- `, `* `, `+ `, `12. `, `3) `.
pub(crate) fn marker_len(line: &str) -> Option<usize> {
    let body = line.trim_start_matches([' ', '\t']);
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = match body[digits..].chars().next()? {
        '-' | '*' | '+' if digits == 0 => 1,
        '.' | ')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &body[mark..];
    let text = rest.trim_start_matches([' ', '\t']);
    (text.len() < rest.len()).then_some(line.len() - text.len())
}
