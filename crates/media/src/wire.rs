//! What parent and child say to each other, as bytes: a request with the file, and a reply that the parent checks.
//!
//! Numbers are little-endian; texts and lists have their length before them. The parent takes nothing on trust: a child may
//! have been taken over by the file that it read. A reply whose lengths do not fit, whose numbers are out of range or that
//! has bytes left over is an error.
use crate::{
    Content, Document, Image, Kind, MOST_SIDE, Page, Sound,
    limits::{LINE, MOST_PAGES, MOST_WARNINGS, PIECE},
};

/// What the child is to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub(crate) kind: Kind,
    pub(crate) task: Task,
    pub(crate) password: Option<&'a str>,
    pub(crate) file: &'a [u8],
}

/// Which part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// The whole of a document or an image, or this piece of a sound, counted from 0.
    Read(u32),
    /// This page of a PDF as a picture, counted from 1.
    Render(u32),
}

/// What came of it.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// The content; of a sound one piece, and whether another comes after it.
    Content(Content, bool),
    /// There is no way in without the right password.
    Password { wrong: bool },
}

impl Request<'_> {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.file.len() + 64);
        out.push(self.kind as u8);
        let (task, number) = match self.task {
            Task::Read(piece) => (0, piece),
            Task::Render(page) => (1, page),
        };
        out.push(task);
        put_number(&mut out, number as usize);
        out.push(u8::from(self.password.is_some()));
        put_bytes(&mut out, self.password.unwrap_or_default().as_bytes());
        out.extend(self.file);
        out
    }
}

impl<'a> Request<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let kind = *Kind::ALL.get(usize::from(from.byte()?))?;
        let task = from.byte()?;
        let number = from.number()?;
        let has_password = from.flag()?;
        let password = std::str::from_utf8(from.bytes()?).ok()?;
        Some(Self {
            kind,
            task: match task {
                0 => Task::Read(number),
                1 => Task::Render(number),
                _ => return None,
            },
            password: has_password.then_some(password),
            file: from.0,
        })
    }
}

impl Reply {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Content(Content::Document(document), _) => {
                out.push(0);
                put_number(&mut out, document.pages.len());
                for page in &document.pages {
                    put_bytes(&mut out, page.text.as_bytes());
                }
                put_number(&mut out, document.scans.len());
                for page in &document.scans {
                    put_number(&mut out, *page as usize);
                }
                put_lines(&mut out, &document.warnings);
            }
            Self::Content(Content::Image(image), _) => {
                out.reserve_exact(image.rgb8.len() + 16);
                out.push(1);
                put_number(&mut out, image.width as usize);
                put_number(&mut out, image.height as usize);
                out.extend(&image.rgb8);
            }
            Self::Content(Content::Sound(sound), more) => {
                out.reserve_exact(sound.samples.len() * 4 + 64);
                out.push(2);
                out.push(u8::from(*more));
                put_lines(&mut out, &sound.warnings);
                let samples = sound.samples.iter();
                out.extend(samples.flat_map(|sample| sample.to_le_bytes()));
            }
            Self::Password { wrong } => out.extend([3, u8::from(*wrong)]),
        }
        out
    }

    /// `None` for bytes that no honest child says.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let reply = match from.byte()? {
            0 => Self::Content(Content::Document(document(&mut from)?), false),
            1 => Self::Content(Content::Image(image(&mut from)?), false),
            2 => {
                let more = from.flag()?;
                Self::Content(Content::Sound(sound(&mut from)?), more)
            }
            3 => Self::Password {
                wrong: from.flag()?,
            },
            _ => return None,
        };
        from.0.is_empty().then_some(reply)
    }
}

fn document(from: &mut Reader<'_>) -> Option<Document> {
    let pages = from.number().filter(|n| (1..=MOST_PAGES).contains(n))?;
    let page = |number| {
        let text = std::str::from_utf8(from.bytes()?).ok()?;
        let text = printable(text);
        Some(Page { number, text })
    };
    let pages: Vec<Page> = (1..=pages).map(page).collect::<Option<_>>()?;
    let n_scans = from.number().filter(|n| *n as usize <= pages.len())?;
    let scan = |_| {
        from.number()
            .filter(|n| (1..=pages.len()).contains(&(*n as usize)))
    };
    let scans: Vec<u32> = (0..n_scans).map(scan).collect::<Option<_>>()?;
    let warnings = from.lines()?;
    scans.is_sorted_by(|a, b| a < b).then_some(Document {
        pages,
        warnings,
        scans,
    })
}

fn image(from: &mut Reader<'_>) -> Option<Image> {
    let side = |n: &u32| (1..=MOST_SIDE).contains(n);
    let width = from.number().filter(side)?;
    let height = from.number().filter(side)?;
    let rgb8 = from.take(width as usize * height as usize * 3)?.to_vec();
    Some(Image {
        rgb8,
        width,
        height,
    })
}

fn sound(from: &mut Reader<'_>) -> Option<Sound> {
    let warnings = from.lines()?;
    let (samples, rest) = from.0.as_chunks::<4>();
    let samples: Vec<f32> = samples.iter().map(|it| f32::from_le_bytes(*it)).collect();
    from.0 = rest;
    let fine = samples.len() <= PIECE && samples.iter().all(|sample| sample.abs() <= 1e3);
    fine.then_some(Sound {
        samples,
        seconds: 0.0,
        warnings,
    })
}

/// Bytes that are left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    fn flag(&mut self) -> Option<bool> {
        self.byte().filter(|byte| *byte <= 1).map(|byte| byte == 1)
    }

    fn number(&mut self) -> Option<u32> {
        let bytes = self.take(4)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let n = self.number()?;
        self.take(n as usize)
    }

    fn lines(&mut self) -> Option<Vec<String>> {
        let n = self.number().filter(|n| *n as usize <= MOST_WARNINGS)?;
        let line = |_| {
            let text = std::str::from_utf8(self.bytes()?).ok()?;
            Some(one_line(text))
        };
        (0..n).map(line).collect()
    }
}

fn put_number(out: &mut Vec<u8>, number: usize) {
    // Everything that is counted here is bounded far below.
    out.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len());
    out.extend(bytes);
}

fn put_lines(out: &mut Vec<u8>, lines: &[String]) {
    put_number(out, lines.len().min(MOST_WARNINGS));
    for line in lines.iter().take(MOST_WARNINGS) {
        put_bytes(out, line.as_bytes());
    }
}

/// Without control characters that a terminal would obey.
fn printable(text: &str) -> String {
    let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(shown).collect()
}

/// A line that a terminal and a log can show.
fn one_line(text: &str) -> String {
    let space = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(space).take(LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies() -> Vec<Reply> {
        let document = Document {
            pages: vec![
                Page {
                    number: 1,
                    text: "grüß\n".into(),
                },
                Page {
                    number: 2,
                    text: String::new(),
                },
            ],
            warnings: vec!["page 2: no text".into()],
            scans: vec![2],
        };
        let image = Image {
            rgb8: (0..18).collect(),
            width: 3,
            height: 2,
        };
        let sound = Sound {
            samples: vec![0.5, -0.25],
            warnings: vec!["one packet was lost".into()],
            seconds: 0.0,
        };
        vec![
            Reply::Content(Content::Document(document), false),
            Reply::Content(Content::Image(image), false),
            Reply::Content(Content::Sound(sound), true),
            Reply::Password { wrong: true },
        ]
    }

    #[test]
    fn replies_come_back_and_none_survives_a_cut_or_a_byte_more() {
        for reply in replies() {
            let bytes = reply.to_bytes();
            assert_eq!(Reply::parse(&bytes).as_ref(), Some(&reply));
            // Samples are all that is left, so a whole number of them can be missing.
            let step = if bytes[0] == 2 { 4 } else { usize::MAX };
            for cut in (0..bytes.len()).filter(|cut| !(bytes.len() - cut).is_multiple_of(step)) {
                assert_eq!(Reply::parse(&bytes[..cut]), None, "{cut} of {reply:?}");
            }
            assert_eq!(Reply::parse(&[&bytes[..], b"x"].concat()), None);
        }
    }

    #[test]
    fn a_reply_out_of_range_is_refused() {
        let number = |n: u32| n.to_le_bytes();
        let many = [&[0][..], &number(u32::MAX)].concat();
        let scan_of_no_page = [
            &[0][..],
            &number(1),
            &number(0),
            &number(1),
            &number(2),
            &number(0),
        ]
        .concat();
        let wide = [&[1][..], &number(MOST_SIDE + 1), &number(1)].concat();
        let loud = [&[2, 0][..], &number(0), &f32::INFINITY.to_le_bytes()].concat();
        let nothing = [&[2, 0][..], &number(0), &f32::NAN.to_le_bytes()].concat();
        for bytes in [many, scan_of_no_page, wide, loud, nothing, vec![], vec![4]] {
            assert_eq!(Reply::parse(&bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn what_a_terminal_would_obey_does_not_pass() {
        let reply = Reply::Content(
            Content::Document(Document {
                pages: vec![Page {
                    number: 1,
                    text: "a\u{1b}[31m\tb\r\n".into(),
                }],
                warnings: vec!["x\ny\u{7}".into()],
                scans: vec![],
            }),
            false,
        );
        let Some(Reply::Content(Content::Document(document), _)) = Reply::parse(&reply.to_bytes())
        else {
            panic!("no document");
        };
        assert_eq!(document.pages[0].text, "a[31m\tb\n");
        assert_eq!(document.warnings, ["x y "]);
    }

    #[test]
    fn requests_come_back() {
        let request = Request {
            kind: Kind::Pdf,
            task: Task::Render(7),
            password: Some("föö"),
            file: b"%PDF-1.4",
        };
        assert_eq!(Request::parse(&request.to_bytes()), Some(request));
        assert_eq!(Request::parse(b"\xff"), None);
    }
}
