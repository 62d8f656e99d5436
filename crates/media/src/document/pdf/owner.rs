//! The user's password of an encrypted PDF, from the owner's.
//!
//! Either password opens a document, but hayro tries only the user's where the encryption is of revision 2 to 4. In those the
//! file holds the user's password (`O`), encrypted with the owner's (ISO 32000-1, algorithm 7).
use md5::{Digest, Md5};

/// What passwords are filled up with.
const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

/// The user's password, if this may be the owner's.
pub(super) fn user_password(file: &[u8], owner: &str) -> Option<String> {
    let entries = encryption(file)?;
    let number = |name: &str| match entries.iter().find(|(key, _)| key == name.as_bytes())?.1 {
        Value::Number(n) => Some(n),
        _ => None,
    };
    let encrypted = entries.iter().find_map(|(key, value)| match value {
        Value::String(bytes) if key == b"O" => Some(bytes.clone()),
        _ => None,
    })?;
    let revision = number("R")?;
    let length = match revision {
        2 => 5,
        3 | 4 => {
            (number("Length").unwrap_or(if revision == 4 { 128 } else { 40 }) / 8).clamp(5, 16)
        }
        _ => return None,
    };
    let mut padded: Vec<u8> = owner.bytes().chain(PADDING).take(32).collect();
    let mut key = Md5::digest(&padded);
    for _ in 0..if revision == 2 { 0 } else { 50 } {
        key = Md5::digest(&key[..length]);
    }
    padded = encrypted.get(..32)?.to_vec();
    for round in (0..if revision == 2 { 1 } else { 20 }).rev() {
        let key: Vec<u8> = key[..length].iter().map(|byte| byte ^ round).collect();
        rc4(&key, &mut padded);
    }
    let end = (0..=32).find(|end| padded[*end..] == PADDING[..32 - end])?;
    String::from_utf8(padded[..end].to_vec()).ok()
}

fn rc4(key: &[u8], data: &mut [u8]) {
    let mut state: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut j = 0_u8;
    for i in 0..256 {
        j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
        state.swap(i, j.into());
    }
    let (mut i, mut j) = (0_u8, 0_u8);
    for byte in data {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(i.into(), j.into());
        let sum = state[usize::from(i)].wrapping_add(state[usize::from(j)]);
        *byte ^= state[usize::from(sum)];
    }
}

#[derive(Debug)]
enum Value {
    Number(usize),
    String(Vec<u8>),
    Other,
}

/// The entries of the encryption dictionary, which is never encrypted itself.
fn encryption(file: &[u8]) -> Option<Vec<(Vec<u8>, Value)>> {
    let find = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).rposition(|it| it == part);
    let at = find(file, b"/Encrypt")? + b"/Encrypt".len();
    let mut from = Scanner(file.get(at..)?);
    from.space();
    if !from.0.starts_with(b"<<") {
        // A reference, such as `12 0 R`.
        let mut parts = from
            .0
            .split(u8::is_ascii_whitespace)
            .filter(|part| !part.is_empty());
        let object = [parts.next()?, b" ", parts.next()?, b" obj"].concat();
        from = Scanner(&file[find(file, &object)? + object.len()..]);
        from.space();
    }
    from.dictionary()
}

struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn space(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    fn advance(&mut self, n: usize) {
        self.0 = self.0.get(n..).unwrap_or_default();
    }

    fn dictionary(&mut self) -> Option<Vec<(Vec<u8>, Value)>> {
        self.0 = self.0.strip_prefix(b"<<")?;
        let mut entries = Vec::new();
        let mut key = None;
        // `/CF` has dictionaries inside; their entries are not wanted.
        let mut depth = 0;
        while entries.len() < 100 {
            self.space();
            let value = match *self.0 {
                [b'>', b'>', ..] if depth == 0 => return Some(entries),
                [b'>', b'>', ..] => {
                    depth -= 1;
                    self.advance(2);
                    continue;
                }
                [b'<', b'<', ..] => {
                    depth += 1;
                    self.advance(2);
                    continue;
                }
                [b'/', ..] => {
                    self.advance(1);
                    let name = self.word();
                    if key.is_none() {
                        key = Some(name);
                        continue;
                    }
                    Value::Other
                }
                [b'(', ..] => Value::String(self.literal()),
                [b'<', ..] => Value::String(self.hex()),
                [] => return None,
                _ => {
                    let word = self.word();
                    if word.is_empty() {
                        self.advance(1);
                    }
                    let number = std::str::from_utf8(&word)
                        .ok()
                        .and_then(|word| word.parse().ok());
                    number.map_or(Value::Other, Value::Number)
                }
            };
            if let (Some(key), 0) = (key.take(), depth) {
                entries.push((key, value));
            }
        }
        None
    }

    fn word(&mut self) -> Vec<u8> {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/<>()[]".contains(byte);
        let end = self.0.iter().position(ends).unwrap_or(self.0.len());
        let word = self.0[..end].to_vec();
        self.advance(end);
        word
    }

    /// `(text)`, with escapes and parentheses inside.
    fn literal(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut depth = 0;
        while let [byte, rest @ ..] = self.0 {
            self.0 = rest;
            match byte {
                b'(' => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut out);
                    continue;
                }
                _ => {}
            }
            out.push(*byte);
        }
        out
    }

    fn escape(&mut self, out: &mut Vec<u8>) {
        let digits = self
            .0
            .iter()
            .take(3)
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .count();
        if digits > 0 {
            let fold = |sum: u32, byte: &u8| sum * 8 + u32::from(byte - b'0');
            out.push(self.0[..digits].iter().fold(0, fold) as u8);
            self.advance(digits);
            return;
        }
        let Some(byte) = self.0.first() else { return };
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            // The line goes on.
            b'\n' | b'\r' => {}
            other => out.push(*other),
        }
        self.advance(1);
    }

    /// `<0a1b>`
    fn hex(&mut self) -> Vec<u8> {
        let end = self
            .0
            .iter()
            .position(|byte| *byte == b'>')
            .unwrap_or(self.0.len());
        let digits = self.0[..end]
            .iter()
            .filter_map(|byte| char::from(*byte).to_digit(16));
        let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
        self.advance(end + 1);
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0))
            .collect()
    }
}
