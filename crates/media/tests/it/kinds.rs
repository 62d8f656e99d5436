//! What a file is taken for.
use crate::{fixture, refusal};
use reckon_media::{Error, Family, Kind, MOST_BYTES};

#[test]
fn bytes_come_before_names() {
    let wav = fixture::wav(8000, 1, &[0; 10]);
    assert_eq!(Kind::of(&wav, "letter.pdf"), Some(Kind::Wav));
    assert_eq!(Kind::of(b"junk\n%PDF-1.7\n", "a.txt"), Some(Kind::Pdf));
    assert_eq!(Kind::of(&fixture::docx(""), ""), Some(Kind::Docx));
    assert_eq!(Kind::of(&fixture::xlsx("", &[]), ""), Some(Kind::Xlsx));
    assert_eq!(Kind::of(b"\xff\xfb\x90\x00", ""), Some(Kind::Mp3));
    assert_eq!(Kind::of(b"\xff\xf1\x50\x80", ""), Some(Kind::Aac));
    assert_eq!(Kind::of(b"\0\0\0\x18ftypM4A ", ""), Some(Kind::M4a));
    assert_eq!(
        Kind::of(&fixture::opus_pages(&[0; 960]).concat(), ""),
        Some(Kind::Opus)
    );
}

#[test]
fn names_decide_about_text() {
    for (name, kind) in [
        ("a.md", Kind::Markdown),
        ("a.CSV", Kind::Csv),
        ("a.htm", Kind::Html),
        ("a.eml", Kind::Mail),
        ("a.txt", Kind::Text),
        ("a.rs", Kind::Text),
        ("a", Kind::Text),
    ] {
        assert_eq!(Kind::of(b"plain, text", name), Some(kind), "{name}");
        assert_eq!(kind.family(), Family::Document);
    }
    assert_eq!(Kind::of(b" <!DOCTYPE HTML><p>", ""), Some(Kind::Html));
    assert_eq!(Kind::of(fixture::MAIL.as_bytes(), ""), Some(Kind::Mail));
    assert_eq!(Kind::of(b"\xff\xfea\0", ""), Some(Kind::Text));
    // Words that begin like the mark of another format.
    assert_eq!(Kind::of(b"BMW sells cars.", ""), Some(Kind::Text));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    for (bytes, part) in [
        (&b"\0\0\0\x18ftypheic\0\0\0\0"[..], "HEIC"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office"),
        (b"{\\rtf1 hello}", "RTF"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0", "program"),
        (b"\x00\x01\x02\x03", "not a kind"),
        (b"", "empty"),
    ] {
        let error = refusal(bytes, "");
        assert!(matches!(error, Error::Refused(_)), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = refusal(&vec![b'a'; MOST_BYTES + 1], "a.txt");
    assert!(error.to_string().contains("192 MiB"), "{error}");
}
