//! Tells what a file is: by its first bytes where a format has such a mark, else by its name, else by what the text looks like.
//!
//! Runs in the parent, so it looks at bytes and parses nothing.

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A picture: JPEG.
    Jpeg,
    /// A picture: PNG.
    Png,
    /// A picture: WebP.
    Webp,
    /// A picture: GIF, of which the first frame is read.
    Gif,
    /// Sound: Opus in Ogg, as voice memos come.
    Opus,
    /// Sound: Opus in WebM, as browsers record.
    Webm,
    /// Sound: Vorbis or FLAC in Ogg.
    Ogg,
    /// Sound: MP3.
    Mp3,
    /// Sound: WAV.
    Wav,
    /// Sound: FLAC.
    Flac,
    /// Sound: AAC in MP4 (M4A), and the sound of an MP4 video.
    M4a,
    /// Sound: AAC as a bare stream (ADTS).
    Aac,
    /// A document: PDF.
    Pdf,
    /// A document: Word.
    Docx,
    /// A document: an Excel workbook.
    Xlsx,
    /// A document: an e-mail.
    Mail,
    /// A document: HTML.
    Html,
    /// A document: comma-separated values.
    Csv,
    /// A document: Markdown.
    Markdown,
    /// A document: any other text.
    Text,
}

/// What a file becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Pages of text.
    Document,
    /// Pixels.
    Image,
    /// Samples.
    Sound,
}

/// How many bytes at the beginning are looked at.
const HEAD: usize = 4096;
/// The list of an archive's files stands at its end.
const DIRECTORY: usize = 1 << 20;

impl Kind {
    pub(crate) const ALL: [Self; 20] = [
        Self::Jpeg,
        Self::Png,
        Self::Webp,
        Self::Gif,
        Self::Opus,
        Self::Webm,
        Self::Ogg,
        Self::Mp3,
        Self::Wav,
        Self::Flac,
        Self::M4a,
        Self::Aac,
        Self::Pdf,
        Self::Docx,
        Self::Xlsx,
        Self::Mail,
        Self::Html,
        Self::Csv,
        Self::Markdown,
        Self::Text,
    ];

    /// What these bytes are; `name` is the file's name, or empty. `None` for what is not read.
    #[must_use]
    pub fn of(bytes: &[u8], name: &str) -> Option<Self> {
        by_mark(bytes).or_else(|| {
            let known = foreign(bytes).is_some() || !looks_like_text(bytes);
            (!known).then(|| text_kind(bytes, name))
        })
    }

    /// What it becomes.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            Self::Jpeg | Self::Png | Self::Webp | Self::Gif => Family::Image,
            Self::Opus | Self::Webm | Self::Ogg | Self::Mp3 => Family::Sound,
            Self::Wav | Self::Flac | Self::M4a | Self::Aac => Family::Sound,
            _ => Family::Document,
        }
    }
}

fn by_mark(bytes: &[u8]) -> Option<Kind> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let at = |offset: usize, mark: &[u8]| {
        head.get(offset..)
            .is_some_and(|rest| rest.starts_with(mark))
    };
    Some(match head {
        _ if at(0, b"\xff\xd8\xff") => Kind::Jpeg,
        _ if at(0, b"\x89PNG\r\n\x1a\n") => Kind::Png,
        _ if at(0, b"RIFF") && at(8, b"WEBP") => Kind::Webp,
        _ if at(0, b"GIF87a") || at(0, b"GIF89a") => Kind::Gif,
        _ if at(0, b"OggS") && holds(head, b"OpusHead") => Kind::Opus,
        _ if at(0, b"OggS") => Kind::Ogg,
        _ if at(0, b"\x1a\x45\xdf\xa3") => Kind::Webm,
        _ if (at(0, b"RIFF") || at(0, b"RF64")) && at(8, b"WAVE") => Kind::Wav,
        _ if at(0, b"fLaC") => Kind::Flac,
        _ if at(4, b"ftyp") && picture_brand(head).is_none() => Kind::M4a,
        _ if holds(&head[..head.len().min(1024)], b"%PDF-") => Kind::Pdf,
        _ if at(0, b"PK\x03\x04") => archive_kind(bytes)?,
        _ if at(0, b"ID3") => Kind::Mp3,
        [0xff, b, ..] if b & 0xf6 == 0xf0 => Kind::Aac,
        [0xff, b, c, ..] if is_mp3_frame(*b, *c) => Kind::Mp3,
        _ => return None,
    })
}

/// The second and third byte of a header of MPEG audio: layer III, and a rate and bitrate that exist.
fn is_mp3_frame(second: u8, third: u8) -> bool {
    second & 0xe6 == 0xe2
        && second & 0x18 != 0x08
        && third >> 4 != 0x0f
        && third >> 4 != 0
        && third & 0x0c != 0x0c
}

/// Office files are archives; the names of their parts say which.
fn archive_kind(bytes: &[u8]) -> Option<Kind> {
    let end = &bytes[bytes.len().saturating_sub(DIRECTORY)..];
    if holds(end, b"word/document") {
        Some(Kind::Docx)
    } else {
        holds(end, b"xl/workbook").then_some(Kind::Xlsx)
    }
}

/// MP4's container also holds pictures.
fn picture_brand(head: &[u8]) -> Option<&'static str> {
    match head.get(8..12)? {
        b"heic" | b"heix" | b"mif1" | b"msf1" | b"heim" | b"heis" => Some("a HEIC picture"),
        b"avif" | b"avis" => Some("an AVIF picture"),
        _ => None,
    }
}

/// The name of a format that is known and not read, for the message.
pub(crate) fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const MARKS: [(&[u8], &str); 11] = [
        (
            b"\xd0\xcf\x11\xe0",
            "an old Office file; save it as DOCX or XLSX",
        ),
        (b"{\\rtf", "an RTF document"),
        (b"II*\0", "a TIFF picture"),
        (b"MM\0*", "a TIFF picture"),
        (b"BM", "a BMP picture"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!", "a RAR archive"),
        (
            b"PK\x03\x04",
            "an archive, or an Office file of another kind",
        ),
        (b"\x7fELF", "a program"),
        (b"MZ", "a program"),
    ];
    if bytes.get(4..8) == Some(b"ftyp") {
        return picture_brand(bytes);
    }
    let binary = !looks_like_text(bytes);
    let mark = |(mark, _): &&(&[u8], _)| bytes.starts_with(mark) && (binary || mark[0] == b'{');
    MARKS.iter().find(mark).map(|(_, name)| *name)
}

/// No NUL and few control characters, or a mark of UTF-16.
fn looks_like_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return true;
    }
    let control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte) && **byte != 27;
    !head.contains(&0) && head.iter().filter(control).count() * 50 <= head.len()
}

fn text_kind(bytes: &[u8], name: &str) -> Kind {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "html" | "htm" | "xhtml" => return Kind::Html,
        "eml" => return Kind::Mail,
        "csv" | "tsv" => return Kind::Csv,
        "md" | "markdown" => return Kind::Markdown,
        "" => {}
        _ => return Kind::Text,
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let start = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        Kind::Html
    } else if is_mail(start) {
        Kind::Mail
    } else {
        Kind::Text
    }
}

/// At least two of the fields that every mail has, before the first empty line.
fn is_mail(start: &str) -> bool {
    const FIELDS: [&str; 8] = [
        "from:",
        "to:",
        "date:",
        "subject:",
        "received:",
        "message-id:",
        "return-path:",
        "mime-version:",
    ];
    let fields = start.lines().take_while(|line| !line.trim().is_empty());
    let known = |line: &&str| FIELDS.iter().any(|field| line.starts_with(field));
    fields.filter(known).count() >= 2
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
