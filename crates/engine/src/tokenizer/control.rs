//! Which tokens are control tokens, which end an answer, and finding their texts inside a string.
//!
//! Called by `Tokenizer`. The rule that keeps user text from steering the model:
//! - control, unknown and unused tokens are never made from user text;
//! - a user-defined token is made from user text only if it is *plain* (`is_plain`): nothing but whitespace (Gemma's
//!   runs of newlines, tabs, spaces) or an HTML tag from a fixed list. Hugging Face would also let `<tool_call>`,
//!   `<think>` or `[multimodal]` through; here they stay ordinary letters;
//! - texts that are chat markers by name (`KNOWN`) are control tokens whatever type the file gives them.
//!
//! In template text all of them are found, longest first.
use super::vocab::Kind;
use crate::Token;

/// Chat markers that some files type as normal or user-defined.
const KNOWN: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|turn>",
    "<turn|>",
    "<|think|>",
    "<|image>",
    "<|image|>",
    "<image|>",
    "<|audio>",
    "<|audio|>",
    "<audio|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|end|>",
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<|return|>",
    "<|call|>",
    "<|im_sep|>",
    "<|start_of_role|>",
    "<|end_of_role|>",
    "<bos>",
    "<eos>",
    "<|begin▁of▁sentence|>",
    "<|end▁of▁sentence|>",
    "<｜begin▁of▁sentence｜>",
    "<｜end▁of▁sentence｜>",
    "<｜User｜>",
    "<｜Assistant｜>",
];

/// Texts that end an answer, besides the file's own end-of-sequence and end-of-turn ids. `</s>` is absent on purpose: to
/// Gemma it is an HTML tag, and where it ends answers the file names its id.
const ENDS: &[&str] = &[
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<end_of_turn>",
    "<turn|>",
    "<eos>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
];

/// HTML elements that Gemma's vocabulary holds whole.
const HTML: &[&str] = &[
    "a",
    "b",
    "bbox",
    "blockquote",
    "body",
    "caption",
    "code",
    "div",
    "em",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "html",
    "i",
    "iframe",
    "img",
    "li",
    "s",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// Longest text of a control token that is looked for, in bytes; bounds the cost of one position.
const MAX_CONTROL: usize = 256;

/// Whether this text is a chat marker by name.
pub(super) fn is_known(text: &[u8]) -> bool {
    // All of them begin so, and hardly anything else does.
    text.first() == Some(&b'<') && KNOWN.iter().any(|known| known.as_bytes() == text)
}

/// Whether this text ends an answer.
pub(super) fn is_end(text: &[u8]) -> bool {
    ENDS.iter().any(|end| end.as_bytes() == text)
}

/// Whether user text may become this user-defined token: whitespace, or an HTML tag.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.chars().all(|c| c.is_whitespace() || c == '▁') {
        return !text.is_empty();
    }
    let Some(tag) = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) else {
        return false;
    };
    HTML.contains(&tag.strip_prefix('/').unwrap_or(tag))
}

/// Whether template text may become a token of this kind by its text.
pub(super) fn is_marker(kind: Kind) -> bool {
    matches!(kind, Kind::Control | Kind::User | Kind::Unknown)
}

/// First and last characters of marker texts. Text in which no first character is followed, and no last one preceded,
/// by what belongs there cannot hold a marker, nor complete one that its surroundings began.
pub(super) fn edges<'a>(texts: impl Iterator<Item = &'a str>) -> (Vec<char>, Vec<char>) {
    let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
    for text in texts {
        firsts.extend(text.chars().next());
        lasts.extend(text.chars().next_back());
    }
    for edge in [&mut firsts, &mut lasts] {
        edge.sort_unstable();
        edge.dedup();
    }
    (firsts, lasts)
}

/// A part of a text: letters, or a token whose text stood there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    Token(Token),
}

/// Finds the texts of a set of tokens, longest first, in one pass.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    /// A trie; the root is node 0.
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    token: Option<Token>,
    children: Vec<(u8, u32)>,
}

impl Matcher {
    /// Adds a token; the first of equal texts wins. Texts that are empty or very long are left out.
    pub(super) fn insert(&mut self, text: &[u8], token: Token) {
        if text.is_empty() || text.len() > MAX_CONTROL {
            return;
        }
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut node = 0;
        for &byte in text {
            node = self.child_or_new(node, byte);
        }
        self.nodes[node].token.get_or_insert(token);
    }

    /// Cuts a text at the tokens found in it. Empty parts are left out.
    pub(super) fn parts<'a>(&self, text: &'a str) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        let (mut start, mut i) = (0, 0);
        while i < text.len() {
            let Some((len, token)) = self.longest(&text.as_bytes()[i..]) else {
                i += 1;
                continue;
            };
            if start < i {
                parts.push(Part::Text(&text[start..i]));
            }
            parts.push(Part::Token(token));
            i += len;
            start = i;
        }
        if start < text.len() {
            parts.push(Part::Text(&text[start..]));
        }
        parts
    }

    fn longest(&self, text: &[u8]) -> Option<(usize, Token)> {
        let mut found = None;
        let mut node = self.nodes.first()?;
        for (i, &byte) in text.iter().enumerate() {
            let Ok(at) = node.children.binary_search_by_key(&byte, |c| c.0) else {
                break;
            };
            node = &self.nodes[node.children[at].1 as usize];
            if let Some(token) = node.token {
                found = Some((i + 1, token));
            }
        }
        found
    }

    fn child_or_new(&mut self, node: usize, byte: u8) -> usize {
        match self.nodes[node]
            .children
            .binary_search_by_key(&byte, |c| c.0)
        {
            Ok(at) => self.nodes[node].children[at].1 as usize,
            Err(at) => {
                let new = self.nodes.len();
                self.nodes[node].children.insert(at, (byte, new as u32));
                self.nodes.push(Node::default());
                new
            }
        }
    }
}
