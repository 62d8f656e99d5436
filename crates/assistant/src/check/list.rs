//! Lists of words in a prompt: `"slow", "like" and "kid"`, `Taylor, Swift, or Together`, `['a', 'b']`.
//!
//! Called by rows of `table` right after the words that announce a list. Quoted items may be anything short; bare items are
//! single words, or several where a colon announces the list. A bare item that is followed by neither a separator nor an
//! end is talk, not an item.
use std::ops::Range;

/// Longest item in bytes.
const LONGEST: usize = 160;
/// Most items of one list.
const MOST: usize = 64;
/// Words that are never a bare item.
const TALK: &str = "a an the in on of to with that which for from at by as is are be and or but then please do don not \
                    make should must your you it this these those if so also each every any all limit count where \
                    when such more no only appears appear provided used listed below";
/// Words that may announce a list, and those that may follow a bare item.
const OPENING: &str = "such as like the word words following phrase keyword keywords";
const FOLLOWS: &str =
    "and or in at to should must throughout anywhere within as appear appears are is";

/// Whether a word is one of a list of words.
fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// The items of a list that begins at `at`, and where the list ends.
pub(super) fn items(text: &str, at: usize) -> (Vec<String>, usize) {
    let mut reader = Reader { text, at };
    let colon = reader.skip_opening();
    let mut items: Vec<String> = Vec::new();
    let mut end = reader.at;
    let mut quoted = false;
    while items.len() < MOST {
        let item = match reader.quotation() {
            Some(item) => {
                quoted = true;
                Some(item)
            }
            None if quoted && !items.is_empty() => None,
            None => reader.bare(colon, items.is_empty()),
        };
        let Some(item) = item else { break };
        items.push(text[item.clone()].trim().to_owned());
        end = reader.at;
        if !reader.separator() {
            break;
        }
    }
    items.retain(|item| !item.is_empty());
    (items, end)
}

/// The quotation that begins at `at`, white space aside: the range inside its marks, and where it ends.
pub(super) fn quotation(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let mut reader = Reader { text, at };
    reader.skip_space();
    let inside = reader.quotation()?;
    Some((inside, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes a word if it comes next, case aside.
    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest();
        let Some(head) = rest.get(..word.len()) else {
            return false;
        };
        let ends = !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric());
        let found = head.eq_ignore_ascii_case(word) && ends;
        if found {
            self.at += word.len();
        }
        found
    }

    /// Skips what may stand before the first item; whether a colon was there.
    fn skip_opening(&mut self) -> bool {
        let mut colon = false;
        // A few words at most announce a list.
        for _ in 0..8 {
            self.skip_space();
            let mark = self.rest().chars().next();
            if let Some(mark @ (':' | '[' | '(' | ',')) = mark {
                colon |= mark == ':';
                self.at += 1;
                continue;
            }
            if !OPENING.split(' ').any(|word| self.word(word)) {
                break;
            }
        }
        colon
    }

    /// Takes a quotation in single, double, curly or backward marks; gives the range inside.
    fn quotation(&mut self) -> Option<Range<usize>> {
        let rest = self.rest();
        let open = rest.chars().next()?;
        let closers: &[char] = match open {
            '"' | '“' | '”' => &['"', '”', '“'],
            '\'' | '‘' | '’' => &['\'', '’'],
            '`' => &['`', '\''],
            _ => return None,
        };
        let start = self.at + open.len_utf8();
        let inside = &self.text[start..];
        let single = matches!(open, '\'' | '‘' | '’' | '`');
        for (offset, c) in inside.char_indices() {
            if offset > LONGEST || c == '\n' {
                return None;
            }
            let after = inside[offset + c.len_utf8()..].chars().next();
            // An apostrophe inside a word closes nothing.
            let apostrophe = single && after.is_some_and(char::is_alphanumeric);
            if closers.contains(&c) && !apostrophe && offset > 0 {
                self.at = start + offset + c.len_utf8();
                return Some(start..start + trimmed(&inside[..offset]));
            }
        }
        None
    }

    /// Takes a bare item: a word that is not talk and stands before a separator or an end.
    fn bare(&mut self, colon: bool, first: bool) -> Option<Range<usize>> {
        let rest = self.rest();
        let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’');
        let length = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
        let word = rest[..length].trim_end_matches(['-', '\'', '’']);
        if word.is_empty() || word.len() > LONGEST || is_one_of(&word.to_ascii_lowercase(), TALK) {
            return None;
        }
        if colon {
            let phrase = phrase(rest);
            if phrase.split_whitespace().count() <= 4 {
                let range = self.at..self.at + phrase.len();
                self.at = range.end;
                return Some(range);
            }
            return None;
        }
        let range = self.at..self.at + word.len();
        // The first bare word is announced; later ones must look like items.
        if !first && !ends_item(&rest[word.len()..]) {
            return None;
        }
        self.at = range.end;
        Some(range)
    }

    /// Takes what stands between two items.
    fn separator(&mut self) -> bool {
        let before = self.at;
        self.skip_space();
        let mut found = false;
        // A comma or a full stop inside American quotation marks is already behind us.
        while let Some(',' | '/' | ';' | '&') = self.rest().chars().next() {
            self.at += 1;
            found = true;
            self.skip_space();
        }
        for word in ["and", "or", "nor", "as well as", "and/or"] {
            if self.word(word) {
                found = true;
                self.skip_space();
            }
        }
        for word in [
            "also", "the", "keywords", "keyword", "words", "word", "phrase", "term", "name",
        ] {
            if found && self.word(word) {
                self.skip_space();
            }
        }
        if !found {
            self.at = before;
        }
        found
    }
}

/// Bytes of a quotation without the comma that American style puts inside.
fn trimmed(inside: &str) -> usize {
    inside
        .trim_end()
        .strip_suffix(',')
        .unwrap_or(inside.trim_end())
        .len()
}

/// The words up to the next separator or end.
fn phrase(rest: &str) -> &str {
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let mut end = rest.len();
    for (at, c) in rest.char_indices() {
        let tail = &rest[at..];
        let stops = matches!(c, ',' | ';' | '\n' | '"' | ')' | ']' | ':' | '?' | '!')
            || (c == '.' && tail[1..].chars().next().is_none_or(char::is_whitespace))
            || [" and ", " or ", " in your ", " in the ", " at least "]
                .iter()
                .any(|word| tail.starts_with(word));
        if stops {
            end = at;
            break;
        }
    }
    rest[..end].trim_end()
}

fn ends_item(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t']);
    let mark = after.chars().next();
    if mark.is_none_or(|c| matches!(c, ',' | '.' | ';' | '?' | '!' | ')' | ']' | '\n' | ':')) {
        return true;
    }
    let word = after
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    is_one_of(word, FOLLOWS)
}
