//! The alphabet in which byte-level vocabularies write bytes: each byte is one printable character.
//!
//! Used once, when a vocabulary is read; afterwards everything works on the bytes themselves.
//! Printable Latin-1 stands for itself; the other 68 bytes are numbered upwards from U+0100.

/// Appends the bytes that a piece of a byte-level vocabulary stands for. A piece with a character outside the alphabet
/// stands for itself.
pub(super) fn decode(piece: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let Ok(text) = std::str::from_utf8(piece) else {
        return out.extend_from_slice(piece);
    };
    for c in text.chars() {
        let Some(byte) = byte(c) else {
            out.truncate(start);
            return out.extend_from_slice(piece);
        };
        out.push(byte);
    }
}

fn byte(c: char) -> Option<u8> {
    let code = u32::from(c);
    if let Ok(byte) = u8::try_from(code) {
        return is_printable(byte).then_some(byte);
    }
    match code.checked_sub(0x100)? {
        n @ 0..=32 => Some(n as u8),
        n @ 33..=66 => Some((n - 33) as u8 + 0x7f),
        67 => Some(0xad),
        _ => None,
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_exactly_one_character() {
        let mut seen = [0; 256];
        for c in (0..0x200).filter_map(char::from_u32) {
            if let Some(byte) = byte(c) {
                seen[usize::from(byte)] += 1;
            }
        }
        assert_eq!(seen, [1; 256]);
    }

    #[test]
    fn spaces_and_line_ends_are_the_well_known_ones() {
        for (piece, want) in [
            ("ĠHiĊ", &b" Hi\n"[..]),
            ("Ń", &[0xad]),
            ("Ġ日", "Ġ日".as_bytes()),
        ] {
            let mut out = Vec::new();
            decode(piece.as_bytes(), &mut out);
            assert_eq!(out, want);
        }
    }
}
