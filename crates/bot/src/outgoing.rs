//! Messages that the bot sends: an answer cut into parts that Telegram takes, each complete in itself.
//!
//! A message has 4096 characters, counted as UTF-16 does and after the tags are gone. Parts end where paragraphs end;
//! long code goes out as a file, and so does an answer that would be a flood of messages.
use crate::markdown::{Block, blocks, html};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// UTF-16 units of a part; Telegram takes 4096, and what stands between blocks counts too.
const LIMIT: usize = 4_000;
/// UTF-16 units of code that is still shown in a message.
const LONGEST_CODE: usize = 3_000;
/// Messages of one answer; a longer one is a file.
const MOST_PARTS: usize = 8;

/// A message to be sent, as it lies in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outgoing {
    pub(crate) content: Content,
    /// The message that it answers.
    #[serde(default)]
    pub(crate) reply_to: Option<i64>,
    /// The topic of a group that it belongs to; 0 for none.
    #[serde(default)]
    pub(crate) thread: i64,
    /// Whether it makes no sound.
    #[serde(default)]
    pub(crate) silent: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Content {
    /// Text; the plain form is for when the other one is refused.
    Text { html: String, plain: String },
    /// A file.
    File {
        name: String,
        text: String,
        caption: String,
    },
    /// No message: the one in whose place it stands is deleted.
    Delete,
}

impl Outgoing {
    fn new(content: Content) -> Self {
        Self {
            content,
            reply_to: None,
            thread: 0,
            silent: false,
        }
    }

    /// A short text of the bot's own, without markup.
    pub(crate) fn line(text: &str) -> Self {
        let html = crate::markdown::escaped(text);
        let plain = text.to_owned();
        Self::new(Content::Text { html, plain })
    }

    /// Deletes the message in whose place it stands.
    pub(crate) fn delete() -> Self {
        Self::new(Content::Delete)
    }

    pub(crate) fn file(name: &str, text: &str, caption: &str) -> Self {
        Self::new(Content::File {
            name: name.into(),
            text: text.into(),
            caption: caption.into(),
        })
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers are always JSON")
    }

    /// What every way of sending it has in common.
    pub(crate) fn parameters(&self, chat: i64) -> Value {
        let mut parameters = json!({ "chat_id": chat });
        if self.thread != 0 {
            parameters["message_thread_id"] = json!(self.thread);
        }
        if self.silent {
            parameters["disable_notification"] = json!(true);
        }
        if let Some(message) = self.reply_to {
            // Whoever deletes a question still gets the answer.
            let reply = json!({ "message_id": message, "allow_sending_without_reply": true });
            parameters["reply_parameters"] = reply;
        }
        parameters
    }
}

/// Cuts a Markdown text into messages.
pub(crate) fn parts(text: &str) -> Vec<Outgoing> {
    let mut packing = Packing::default();
    for block in blocks(text) {
        for piece in pieces(block) {
            packing.add(piece);
        }
        if packing.done.len() > MOST_PARTS {
            break;
        }
    }
    packing.flush();
    let mut parts = packing.done;
    if parts.len() > MOST_PARTS {
        parts.truncate(1);
        parts.push(Outgoing::file("answer.md", text, "The whole answer"));
    }
    parts
}

/// Cuts a text without markup into messages.
pub(crate) fn plain_parts(text: &str) -> Vec<Outgoing> {
    cut(text).iter().map(|part| Outgoing::line(part)).collect()
}

/// Parts that are full, and the one that is being filled.
#[derive(Default)]
struct Packing {
    done: Vec<Outgoing>,
    html: String,
    plain: String,
    files: usize,
}

/// What is packed as a whole.
enum Piece {
    Message { html: String, plain: String },
    File { language: String, code: String },
}

impl Packing {
    fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Message { html, plain } => {
                if !self.plain.is_empty() && units(&self.plain) + units(&plain) + 2 > LIMIT {
                    self.flush();
                }
                for (whole, part) in [(&mut self.html, html), (&mut self.plain, plain)] {
                    if !whole.is_empty() {
                        whole.push_str("\n\n");
                    }
                    whole.push_str(&part);
                }
            }
            Piece::File { language, code } => {
                self.flush();
                self.files += 1;
                let name = format!("code-{}.{}", self.files, extension(&language));
                self.done.push(Outgoing::file(&name, &code, &name));
            }
        }
    }

    fn flush(&mut self) {
        // Telegram refuses a message of nothing but blanks.
        if self.plain.trim().is_empty() {
            return;
        }
        let (html, plain) = (
            std::mem::take(&mut self.html),
            std::mem::take(&mut self.plain),
        );
        self.done.push(Outgoing::new(Content::Text { html, plain }));
    }
}

/// A block in pieces that each fit into a message.
fn pieces(block: Block) -> Vec<Piece> {
    let plain = match &block {
        Block::Text(text) | Block::Heading(text) | Block::Quote(text) => text.clone(),
        Block::Table(rows) => rows.join("\n"),
        Block::Code { code, .. } => code.trim_end_matches('\n').to_owned(),
    };
    let html = html(&block);
    match block {
        Block::Code { language, code } if units(&plain) > LONGEST_CODE => {
            vec![Piece::File { language, code }]
        }
        // Columns are padded, so that the table and not its source has to fit.
        Block::Table(_) if units(&html).max(units(&plain)) <= LIMIT => {
            vec![Piece::Message { html, plain }]
        }
        Block::Table(_) => vec![Piece::File {
            language: "txt".into(),
            code: plain,
        }],
        Block::Code { .. } => vec![Piece::Message { html, plain }],
        _ if units(&plain) <= LIMIT => vec![Piece::Message { html, plain }],
        long => {
            let quoted = matches!(long, Block::Quote(_));
            cut(&plain)
                .into_iter()
                .map(|text| message(text, quoted))
                .collect()
        }
    }
}

fn message(text: String, quoted: bool) -> Piece {
    let block = match quoted {
        true => Block::Quote(text.clone()),
        false => Block::Text(text.clone()),
    };
    Piece::Message {
        html: html(&block),
        plain: text,
    }
}

/// Cuts a long text after a line, a sentence or a word, whichever comes last in each part but not too early.
fn cut(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while units(rest) > LIMIT {
        let end = prefix(rest, LIMIT);
        let head = &rest[..end];
        let late = |at: usize| at > end / 2;
        let at = head.rfind('\n').filter(|at| late(*at)).map(|at| at + 1);
        let at = at.or_else(|| head.rfind(". ").filter(|at| late(*at)).map(|at| at + 2));
        let at = at.or_else(|| head.rfind(' ').filter(|at| late(*at)).map(|at| at + 1));
        let at = at.unwrap_or(end);
        parts.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
    parts.push(rest.to_owned());
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// How many bytes of a text have at most so many UTF-16 units; never within a character.
fn prefix(text: &str, most: usize) -> usize {
    let mut taken = 0;
    let fits = |c: &(usize, char)| {
        taken += c.1.len_utf16();
        taken <= most
    };
    let last = text.char_indices().take_while(fits).last();
    last.map_or(0, |(at, c)| at + c.len_utf8())
}

/// The length of a text as Telegram counts it.
fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn extension(language: &str) -> &str {
    match language.to_ascii_lowercase().as_str() {
        "python" | "py" => "py",
        "rust" | "rs" => "rs",
        "javascript" | "js" => "js",
        "typescript" | "ts" => "ts",
        "c" => "c",
        "c++" | "cpp" => "cpp",
        "java" => "java",
        "go" => "go",
        "bash" | "sh" | "shell" => "sh",
        "html" => "html",
        "css" => "css",
        "json" => "json",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "sql" => "sql",
        "markdown" | "md" => "md",
        _ => "txt",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plains(text: &str) -> Vec<String> {
        let plain = |part: Outgoing| match part.content {
            Content::Text { plain, .. } => plain,
            Content::File { name, .. } => format!("file {name}"),
            Content::Delete => "delete".into(),
        };
        parts(text).into_iter().map(plain).collect()
    }

    #[test]
    fn parts_end_where_paragraphs_end() {
        let paragraph = "word ".repeat(300).trim_end().to_owned();
        let text = [paragraph.as_str(); 4].join("\n\n");
        let parts = plains(&text);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts.join("\n\n"), text);
    }

    #[test]
    fn length_is_counted_in_utf16_units() {
        // Each duck is one character, two units and four bytes.
        let parts = plains(&"🦆".repeat(5_000));
        let counts = parts
            .iter()
            .map(|part| part.chars().count())
            .collect::<Vec<_>>();
        assert_eq!(counts, [2_000, 2_000, 1_000]);
    }

    #[test]
    fn a_paragraph_without_an_end_is_cut_at_a_word_and_nothing_is_lost() {
        let text = "some words here ".repeat(600);
        let parts = plains(text.trim());
        assert!(
            parts
                .iter()
                .all(|part| units(part) <= LIMIT && part.ends_with("here"))
        );
        assert_eq!(parts.join(" "), text.trim());
        let unbroken = "x".repeat(9_000);
        assert_eq!(plains(&unbroken).concat(), unbroken);
    }

    #[test]
    fn long_code_is_a_file_between_what_stands_around_it() {
        let code = "print(1)\n".repeat(500);
        let text = format!("before\n\n```python\n{code}```\nafter");
        assert_eq!(plains(&text), ["before", "file code-1.py", "after"]);
        let Content::File { text, .. } = &parts(&text)[1].content else {
            panic!("no file");
        };
        assert_eq!(*text, code);
    }

    #[test]
    fn a_flood_is_one_message_and_a_file() {
        let text = "A paragraph of its own.\n\n".repeat(3_000);
        let parts = parts(&text);
        assert_eq!(parts.len(), 2);
        assert!(matches!(&parts[1].content, Content::File { text: all, .. } if *all == text));
    }

    #[test]
    fn nothing_is_no_message() {
        assert_eq!(parts(" \n\n "), []);
    }
}
