//! HTML to the text that a browser would show, roughly: blocks on lines of their own, rows of tables with ` | ` between
//! cells, no scripts or styles.
//!
//! One pass over the characters with no tree, so depth costs nothing and broken nesting does no harm. What `display: none`
//! hides is not known here and is kept.
use quick_xml::escape::resolve_html5_entity;

/// Elements whose content is no text.
const SILENT: [&str; 9] = [
    "script", "style", "template", "svg", "noscript", "iframe", "object", "select", "head",
];
/// Elements that begin and end on a line of their own.
const BLOCKS: [&str; 30] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "title",
    "tr",
    "ul",
];
/// Elements with an empty line before and after.
const PARAGRAPHS: [&str; 8] = ["p", "pre", "h1", "h2", "h3", "h4", "h5", "h6"];

/// The text of a page.
pub(super) fn text(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at]);
        rest = page.markup(&rest[at..]);
    }
    page.text(rest);
    page.out
}

#[derive(Default)]
struct Page {
    out: String,
    /// A space is due before the next word.
    space: bool,
    /// Line breaks that are due before the next word.
    breaks: usize,
    /// Inside `pre`, where spaces and lines count.
    pre: usize,
    /// A cell has been begun in this row of a table.
    cells: usize,
}

impl Page {
    fn text(&mut self, raw: &str) {
        let text = unescape(raw);
        if self.pre > 0 {
            self.word(&text);
            return;
        }
        let mut words = text.split_ascii_whitespace().peekable();
        self.space |= text.starts_with(|c: char| c.is_ascii_whitespace());
        while let Some(word) = words.next() {
            self.word(word);
            self.space = words.peek().is_some();
        }
        self.space |= text.ends_with(|c: char| c.is_ascii_whitespace());
    }

    fn word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if self.out.is_empty() {
            self.breaks = 0;
        }
        if self.breaks > 0 {
            self.out.push_str(&"\n".repeat(self.breaks.min(2)));
        } else if self.space && !self.out.is_empty() && !self.out.ends_with(['\n', ' ']) {
            self.out.push(' ');
        }
        self.breaks = 0;
        self.space = false;
        self.out.push_str(word);
    }

    /// Takes a comment or a tag from the beginning of `rest`; what comes after it.
    fn markup<'a>(&mut self, rest: &'a str) -> &'a str {
        if let Some(comment) = rest.strip_prefix("<!--") {
            return comment.find("-->").map_or("", |end| &comment[end + 3..]);
        }
        let name = rest[1..].trim_start_matches('/');
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
            // A lone "<" in a text.
            self.text("&lt;");
            return &rest[1..];
        }
        let Some(end) = tag_end(rest) else {
            return "";
        };
        let closing = rest[1..].starts_with('/');
        let stop = name
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(name.len());
        let tag = name[..stop].to_ascii_lowercase();
        let after = &rest[end..];
        if closing {
            self.end(&tag);
            return after;
        }
        self.begin(&tag, &rest[..end]);
        if SILENT.contains(&tag.as_str()) && !rest[..end].ends_with("/>") {
            return self.silence(&tag, after);
        }
        after
    }

    /// Passes over the content of an element; the title is all that is taken from a head.
    fn silence<'a>(&mut self, tag: &str, content: &'a str) -> &'a str {
        let close = format!("</{tag}");
        // The body may begin without an end of the head.
        let next = |text: &str| {
            find_tag(text, &close).or_else(|| find_tag(text, "<body").filter(|_| tag == "head"))
        };
        let end = next(content).unwrap_or(if tag == "head" { 0 } else { content.len() });
        if tag == "head"
            && let Some(title) = find_tag(&content[..end], "<title")
            && let Some((_, title)) = content[title..end].split_once('>')
        {
            let title = title.split_once('<').map_or(title, |(title, _)| title);
            self.text(title);
            self.breaks = 2;
        }
        &content[end..]
    }

    fn begin(&mut self, tag: &str, source: &str) {
        match tag {
            "br" => self.breaks += 1,
            "td" | "th" => {
                if self.cells > 0 {
                    self.space = true;
                    // A cell without text still counts.
                    self.word("|");
                }
                self.cells += 1;
                self.space = true;
            }
            "img" => {
                let text = attribute(source, "alt").unwrap_or_default();
                self.text(text);
            }
            _ => self.end(tag),
        }
        match tag {
            "tr" => self.cells = 0,
            "li" => self.bullet("- "),
            "pre" => self.pre += 1,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = usize::from(tag.as_bytes()[1] - b'0');
                self.bullet(&format!("{} ", "#".repeat(level)));
            }
            _ => {}
        }
    }

    /// What stands before the first word of an element.
    fn bullet(&mut self, mark: &str) {
        self.word(mark);
    }

    fn end(&mut self, tag: &str) {
        match tag {
            "pre" => self.pre = self.pre.saturating_sub(1),
            "tr" => self.cells = 0,
            _ => {}
        }
        // Inside a cell a paragraph does not end the row.
        if self.cells > 0 && !matches!(tag, "table" | "tr") {
            self.space = true;
        } else if PARAGRAPHS.contains(&tag) {
            self.breaks = self.breaks.max(2);
        } else if BLOCKS.contains(&tag) {
            self.breaks = self.breaks.max(1);
        }
        if matches!(tag, "table") {
            self.cells = 0;
            self.breaks = self.breaks.max(2);
        }
    }
}

/// Where a tag ends, after its `>`; one inside quotes does not count, unless the quote never ends.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.find('>').map(|at| at + 1)
}

/// The value of an attribute; quotes are taken off.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let at = find_tag(tag, &format!(" {name}="))? + name.len() + 2;
    let value = &tag[at..];
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split_once(quote).map(|(value, _)| value),
        _ => value.split([' ', '>']).next(),
    }
}

/// Finds lowercase ASCII in any case.
fn find_tag(text: &str, wanted: &str) -> Option<usize> {
    let wanted = wanted.as_bytes();
    let same = |window: &[u8]| window.eq_ignore_ascii_case(wanted);
    text.as_bytes().windows(wanted.len()).position(same)
}

/// Replaces `&name;` and `&#number;`.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // The longest name has some thirty letters.
        let end = rest.bytes().take(40).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, entity(&rest[1..end])?))) {
            Some((end, value)) => {
                out.push_str(&value);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    // A hard space is a space.
    out.replace('\u{a0}', " ")
}

fn entity(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return resolve_html5_entity(name).map(Into::into);
    };
    let hex = number.strip_prefix(['x', 'X']);
    let code = match hex {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lists_tables_and_entities() {
        let html = "<!DOCTYPE html><html><head><title>A &amp; B</title><style>p{}</style></head>\
            <body><h1>Prices</h1><p>Tea &euro;&nbsp;3 &#8211; <b>cold</b>er<br>new line</p>\
            <script>alert('<p>no</p>')</script><ul><li>one<li>two</ul>\
            <table><tr><th>what<th>much</tr><tr><td><p>tea</p></td><td>3</td></tr></table>\
            <pre>a  b\n  c</pre>1 < 2 <img src=x alt='a cat'></body></html>";
        let expected = "A & B\n\n# Prices\n\nTea € 3 – colder\nnew line\n\n- one\n- two\n\n\
            what | much\ntea | 3\n\na  b\n  c\n\n1 < 2 a cat";
        assert_eq!(text(html), expected);
    }

    #[test]
    fn broken_markup_loses_no_text() {
        for (html, expected) in [
            ("plain", "plain"),
            ("a <b", "a"),
            ("a <!-- b", "a"),
            ("<p title=\"x>y\">z", "z"),
            ("<p title=\"x>z", "z"),
            ("&amp &unknown; &#xffffffff;", "&amp &unknown; &#xffffffff;"),
            ("<head><body>x", "x"),
            ("<", "<"),
            ("", ""),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
    }
}
