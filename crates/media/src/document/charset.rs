//! Bytes of text to characters: by a mark at the beginning, as UTF-8 if they are, by the name that the file gives, else as
//! Windows-1252, which is what most of the rest is.
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a page of HTML its charset may stand.
const META: usize = 2048;

/// Decodes; nothing is refused, what fits no character becomes U+FFFD.
pub(super) fn decode(bytes: &[u8], declared: Option<&str>) -> String {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let named = declared.and_then(|name| Encoding::for_label(name.as_bytes()));
    let encoding = marked.unwrap_or_else(|| {
        // Many a file that says otherwise is UTF-8, and text of another kind hardly ever passes for it.
        if std::str::from_utf8(bytes).is_ok() {
            UTF_8
        } else {
            named
                .filter(|named| *named != UTF_8)
                .unwrap_or(WINDOWS_1252)
        }
    });
    encoding.decode_with_bom_removal(bytes).0.into_owned()
}

/// The same, with the charset that a page of HTML names in its head.
pub(super) fn decode_html(bytes: &[u8]) -> String {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(META)]).to_ascii_lowercase();
    let after = head.split_once("charset=").map(|(_, rest)| rest);
    let name = after.map(|rest| {
        let rest = rest.trim_start_matches(['"', '\'', ' ']);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:".contains(c));
        &rest[..end.unwrap_or(rest.len())]
    });
    decode(bytes, name)
}
