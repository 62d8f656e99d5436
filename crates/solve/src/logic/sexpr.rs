//! SMT-LIB text → symbols, numbers and lists.
//!
//! Read by `script.rs` and `model.rs`; written again for an external solver, which never sees a byte that was not read
//! here first. Bounded in size, depth and count; `|a b|` and `ab` are both symbols, and know nothing of quotes.
use super::SmtError;
use std::fmt;

/// Longest text that is read.
const MOST_BYTES: usize = 4 << 20;
/// Most expressions: each takes about 100 bytes.
const MOST_EXPRESSIONS: usize = 1_000_000;
/// Deepest nesting: what walks terms uses the stack.
const DEEPEST: usize = 1500;

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sexpr {
    /// A symbol without its quotes.
    Symbol(String),
    /// `12` or `1.5`.
    Number(String),
    /// `#x1f`, `#b01`.
    Bits(String),
    /// `:named`.
    Keyword(String),
    /// A string literal.
    Text(String),
    /// Anything in parentheses.
    List(Vec<Self>),
}

impl Sexpr {
    /// The symbol's name, if it is one.
    pub(super) fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// The beginning of its text, for messages.
    pub(super) fn short(&self) -> String {
        match self {
            Self::List(items) => {
                let heads = items.iter().take(4).map(|item| match item {
                    Self::List(_) => "(…)".into(),
                    item => item.short(),
                });
                format!(
                    "({}{})",
                    heads.collect::<Vec<_>>().join(" "),
                    if items.len() > 4 { " …" } else { "" }
                )
            }
            Self::Number(text) | Self::Bits(text) => text.chars().take(40).collect(),
            Self::Symbol(text) | Self::Keyword(text) | Self::Text(text) => {
                text.chars().take(40).collect()
            }
        }
    }

    /// The word that a list begins with.
    pub(super) fn head(&self) -> Option<&str> {
        self.list()?.first()?.symbol()
    }

    /// The items, if it is a list.
    pub(super) fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads all expressions of `text`.
pub(super) fn read(text: &str) -> Result<Vec<Sexpr>, SmtError> {
    if text.len() > MOST_BYTES {
        return Err(SmtError::new("the problem is larger than 4 MiB"));
    }
    if text.contains('\0') {
        return Err(SmtError::new("the problem contains NUL bytes"));
    }
    let mut reader = Reader {
        rest: text,
        line: 1,
    };
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut count = 0;
    while let Some(token) = reader.token()? {
        count += 1;
        if count > MOST_EXPRESSIONS {
            return Err(reader.refuse("more than 1000000 expressions"));
        }
        let done = match token {
            Token::Open => {
                if open.len() > DEEPEST {
                    return Err(reader.refuse("nested too deeply"));
                }
                open.push(Vec::new());
                continue;
            }
            Token::Close => {
                let items = open.pop().expect("one list is always open");
                if open.is_empty() {
                    return Err(reader.refuse("a ) without its ("));
                }
                Sexpr::List(items)
            }
            Token::One(expression) => expression,
        };
        open.last_mut().expect("one list is always open").push(done);
    }
    if open.len() > 1 {
        return Err(reader.refuse("the text ends before a ( is closed"));
    }
    Ok(open.pop().expect("one list is always open"))
}

enum Token {
    Open,
    Close,
    One(Sexpr),
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn refuse(&self, what: &str) -> SmtError {
        SmtError::new(format!("SMT-LIB line {}: {what}", self.line))
    }

    fn token(&mut self) -> Result<Option<Token>, SmtError> {
        self.skip();
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        let token = match first {
            '(' | ')' => {
                self.rest = &self.rest[1..];
                if first == '(' {
                    Token::Open
                } else {
                    Token::Close
                }
            }
            '|' => Token::One(Sexpr::Symbol(self.quoted('|')?)),
            '"' => Token::One(Sexpr::Text(self.quoted('"')?)),
            _ => Token::One(self.word()?),
        };
        Ok(Some(token))
    }

    /// White space and comments.
    fn skip(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.line += self.rest[..blank].matches('\n').count();
            self.rest = &self.rest[blank..];
            if !self.rest.starts_with(';') {
                return;
            }
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, SmtError> {
        let body = &self.rest[1..];
        let Some(end) = body.find(quote) else {
            return Err(self.refuse("a quote that is not closed"));
        };
        let text = &body[..end];
        self.line += text.matches('\n').count();
        self.rest = &body[end + 1..];
        if quote == '|' && text.contains('\\') {
            return Err(self.refuse("a backslash in a quoted symbol"));
        }
        Ok(text.into())
    }

    fn word(&mut self) -> Result<Sexpr, SmtError> {
        let ends = |c: char| c.is_whitespace() || "();\"|".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.rest = &self.rest[end..];
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let number = match word.split_once('.') {
            Some((whole, part)) => digits(whole) && digits(part),
            None => digits(word),
        };
        Ok(if number {
            Sexpr::Number(word.into())
        } else if word.starts_with('#') {
            Sexpr::Bits(word.into())
        } else if let Some(name) = word.strip_prefix(':') {
            Sexpr::Keyword(name.into())
        } else if word.chars().all(|c| c.is_alphanumeric() || is_sign(c)) {
            Sexpr::Symbol(word.into())
        } else {
            return Err(self.refuse("a character that no symbol may have"));
        })
    }
}

fn is_sign(c: char) -> bool {
    "~!@$%^&*_-+=<>.?/".contains(c)
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(name) => f.write_str(&quoted(name)),
            Self::Number(text) | Self::Bits(text) => f.write_str(text),
            Self::Keyword(name) => write!(f, ":{name}"),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::List(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" ")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The symbol as SMT-LIB writes it.
pub(super) fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || is_sign(c);
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(simple);
    if plain {
        name.into()
    } else {
        format!("|{name}|")
    }
}
