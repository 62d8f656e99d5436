//! A text in, the ranges out that are not the writer's own prose: thinking, code, JSON, block quotes.
//!
//! Built once per text and asked by every detector. Ranges are sorted, disjoint and on character boundaries. Where a
//! text is cut off in the middle (an unclosed fence or thinking block), the rest of it is masked: doubt hides.
//!
//! Indented code is not recognised: too much prose is indented.
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Why a range is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskKind {
    /// Between the marks of a thinking block.
    Thinking,
    /// Fenced or inline code, the fences included.
    Code,
    /// An object or a list that starts a line.
    Json,
    /// Lines that begin with `>`.
    Quote,
}

/// The ranges of one text that detectors leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    spans: Vec<(Range<usize>, MaskKind)>,
}

impl Mask {
    /// Reads a text once.
    pub fn new(text: &str) -> Self {
        let mut mask = Self::default();
        let mut at = 0;
        for thought in thinking(text) {
            mask.prose(text, at..thought.start);
            at = thought.end;
            mask.push(thought, MaskKind::Thinking);
        }
        mask.prose(text, at..text.len());
        mask
    }

    /// All ranges, in order.
    pub fn spans(&self) -> &[(Range<usize>, MaskKind)] {
        &self.spans
    }

    /// Whether anything of `range` is left out.
    pub fn hides(&self, range: &Range<usize>) -> bool {
        let next = self
            .spans
            .partition_point(|(span, _)| span.end <= range.start);
        self.spans
            .get(next)
            .is_some_and(|(span, _)| span.start < range.end.max(range.start + 1))
    }

    /// The same text with everything left out replaced by spaces, byte for byte; line breaks stay.
    pub fn blank(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (span, _) in &self.spans {
            out.push_str(&text[at..span.start]);
            out.extend(
                text[span.clone()]
                    .bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            );
            at = span.end;
        }
        out.push_str(&text[at..]);
        out
    }

    /// Only the code of the text, everything else replaced by spaces, byte for byte; line breaks stay.
    pub(crate) fn code(&self, text: &str) -> String {
        let mut outside = Self::default();
        let mut at = 0;
        for (span, _) in self
            .spans
            .iter()
            .filter(|(_, kind)| *kind == MaskKind::Code)
        {
            outside.push(at..span.start, MaskKind::Quote);
            at = span.end;
        }
        outside.push(at..text.len(), MaskKind::Quote);
        outside.blank(text)
    }

    fn push(&mut self, span: Range<usize>, kind: MaskKind) {
        if !span.is_empty() {
            self.spans.push((span, kind));
        }
    }

    /// Everything that is not thinking: fences, quotes and JSON by line, inline code inside the lines that remain.
    fn prose(&mut self, text: &str, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let fences = fences(text, range.clone());
        let mut fences = fences.into_iter().peekable();
        let mut at = range.start;
        while at < range.end {
            if let Some(fence) = fences.next_if(|fence| fence.start <= at) {
                self.push(fence.start.max(at)..fence.end, MaskKind::Code);
                at = fence.end.max(at);
                continue;
            }
            let until = fences.peek().map_or(range.end, |fence| fence.start);
            let line = at..line_end(text, at).min(until);
            let words = text[line.clone()].trim_start();
            let start = line.end - words.len();
            if words.starts_with('>') {
                self.push(line.clone(), MaskKind::Quote);
                at = line.end;
            } else if let Some(length) = json(&text[start..until]) {
                self.push(start..start + length, MaskKind::Json);
                at = start + length;
            } else {
                self.inline(text, line.clone());
                at = line.end;
            }
        }
    }

    /// Code between backticks of one line.
    fn inline(&mut self, text: &str, line: Range<usize>) {
        static RUN: LazyLock<Regex> = LazyLock::new(|| super::pattern("`+"));
        let mut open: Option<Range<usize>> = None;
        for run in RUN.find_iter(&text[line.clone()]) {
            let run = line.start + run.start()..line.start + run.end();
            match open.take() {
                Some(first) if first.len() == run.len() => {
                    self.push(first.start..run.end, MaskKind::Code);
                }
                // A run of another length is text inside the code, or the first one closed nothing.
                Some(first) if first.len() > run.len() => open = Some(first),
                _ => open = Some(run),
            }
        }
    }
}

/// Thinking blocks: between marks; up to a closing mark that nothing opened; from an opening mark that nothing closes.
fn thinking(text: &str) -> Vec<Range<usize>> {
    const WORDS: &str = "think|thinking|thought|reasoning|scratchpad";
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        super::pattern(&format!(
            concat!(
                r"</?(?:{words})>|\[/?think\]|<\|channel>thought|<channel\|>",
                r"|<\|channel\|>(?:analysis|commentary|final(?:<\|message\|>)?)",
                r"|<\|(?:start|end)_of_thought\|>|<unused94>thought|<unused95>",
            ),
            words = WORDS
        ))
    });
    const CLOSES: [&str; 6] = [
        "</",
        "[/",
        "<channel|>",
        "<|channel|>final",
        "<|end_of",
        "<unused95>",
    ];
    let mut found = Vec::new();
    let mut open = None;
    let mut closed = 0;
    for mark in MARK.find_iter(text) {
        let words = mark.as_str().to_ascii_lowercase();
        if !CLOSES.iter().any(|close| words.starts_with(close)) {
            open = open.or(Some(mark.start()));
            continue;
        }
        let start = open.take().unwrap_or(closed);
        // A second closing mark closes nothing: the answer has begun.
        if closed == 0 || start > closed {
            found.push(start..mark.end());
            closed = mark.end();
        }
    }
    found.extend(open.map(|start| start..text.len()));
    found
}

/// Fenced blocks of a range, the lines of the fences included.
fn fences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    static FENCE: LazyLock<Regex> = LazyLock::new(|| {
        super::pattern(
            r"(?m)^[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`\r\n]*)",
        )
    });
    let marks: Vec<_> = FENCE
        .captures_iter(&text[range.clone()])
        .map(|found| {
            let whole = found.get(0).expect("group 0 is the match");
            let start = range.start + whole.start();
            let end = line_end(text, range.start + whole.end()).min(range.end);
            (
                start..end,
                found["mark"].to_owned(),
                !found["info"].trim().is_empty(),
            )
        })
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((open, mark, named)) = marks.get(at) {
        let rest = &marks[at + 1..];
        let closes = |(_, other, info): &(Range<usize>, String, bool)| {
            !info && other.starts_with(mark.as_str())
        };
        match rest.iter().position(closes) {
            // A bare fence before one with a language closed something that was never opened: it is no fence.
            _ if !named && rest.first().is_some_and(|(_, _, info)| *info) => at += 1,
            Some(close) => {
                found.push(open.start..rest[close].0.end);
                at += close + 2;
            }
            None => {
                found.push(open.start..range.end);
                break;
            }
        }
    }
    found
}

/// Length of the JSON object or list that `text` starts with; all of it when it never closes.
fn json(text: &str) -> Option<usize> {
    static START: LazyLock<Regex> = LazyLock::new(|| {
        super::pattern(r#"^(?:\{\s*(?:"|\})|\[\s*(?:\{|"|\[\s*["\d{]|-?\d+(?:\.\d+)?\s*,))"#)
    });
    if !START.is_match(text) {
        return None;
    }
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    Some(text.len())
}

/// The byte after the line break that ends the line of `at`.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}
