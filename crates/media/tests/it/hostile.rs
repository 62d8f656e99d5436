//! Files that were made to break a reader: bombs, and fixtures with random damage.
use crate::{fixture, read, refusal};
use reckon_media::{Error, Kind};
use std::{
    panic::catch_unwind,
    time::{Duration, Instant},
};

#[test]
fn archives_that_unpack_to_more_than_fits_are_refused() {
    let bomb = vec![b' '; 200 << 20];
    let file = fixture::zip(&[("word/document.xml", &bomb)]);
    assert!(file.len() < 2 << 20);
    let began = Instant::now();
    let error = refusal(&file, "");
    assert!(matches!(error, Error::Unreadable(_)), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn depth_costs_nothing() {
    let deep = "<w:p>".repeat(1 << 20);
    let file = fixture::docx(&format!("{deep}<w:t>x</w:t>"));
    assert!(read(&file, "").is_ok());
    let html = "<div>".repeat(1 << 20) + "x";
    assert!(read(html.as_bytes(), "a.html").is_ok());
}

#[test]
fn a_sheet_of_nothing_but_places_has_an_end() {
    let row = |i: u32| format!("<row r=\"{i}\"><c r=\"XFD{i}\"><v>1</v></c></row>");
    let rows: String = (0..20_000).map(row).collect();
    let began = Instant::now();
    let result = read(&fixture::xlsx(&rows, &[]), "");
    assert!(
        began.elapsed() < Duration::from_secs(12),
        "{:?}",
        began.elapsed()
    );
    // Cut at the limit, or refused; never out of hand.
    if let Err(error) = result {
        assert!(matches!(error, Error::Limit(_)), "{error:?}");
    }
}

#[test]
fn a_pdf_stream_that_unpacks_to_more_than_fits_ends_at_a_limit() {
    use std::io::Write;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..600 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let page = fixture::stream("/Filter/FlateDecode", &packed.finish().unwrap());
    let mut file = fixture::pdf_with("", &[""], &[page]);
    let at = file
        .windows(15)
        .position(|it| it == b"/Contents 4 0 R")
        .unwrap();
    file[at + 10] = b'5';
    let began = Instant::now();
    let _ = read(&file, "");
    assert!(began.elapsed() < Duration::from_secs(12));
}

/// A generator of numbers that is the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// Flips, cuts, repeats and overwrites.
    fn damage(&mut self, file: &[u8]) -> Vec<u8> {
        let mut out = file.to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(out.len());
            match self.below(6) {
                0 => out.truncate(at),
                1 => {
                    let end = (at + self.below(64)).min(out.len());
                    let piece = out[at..end].to_vec();
                    let to = self.below(out.len());
                    out.splice(to..to, piece);
                }
                2 => {
                    let end = (at + self.below(64)).min(out.len());
                    out.drain(at..end);
                }
                3 if at < out.len() => out[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                _ if at < out.len() => out[at] ^= 1 << self.below(8),
                _ => {}
            }
        }
        out
    }
}

fn fixtures() -> Vec<(Kind, Vec<u8>)> {
    use image::ImageFormat;
    let picture =
        image::RgbImage::from_fn(24, 24, |x, y| image::Rgb([x as u8 * 9, y as u8 * 9, 7]));
    let encoded = |format| {
        let mut out = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut out, format).unwrap();
        out.into_inner()
    };
    let page = "BT /F 12 Tf 50 700 Td (Hello, World) Tj 0 -14 Td [(se) -20 (cond)] TJ ET q 9 0 0 9 1 1 cm /I Do Q";
    let cells =
        "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" s=\"1\"><v>45292</v></c></row>";
    let table = "<w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc></w:tr></w:tbl>";
    let html =
        "<head><title>x</title></head><table><tr><td>a<td>&euro;</table><pre> a </pre><!-- -->";
    vec![
        (Kind::Png, encoded(ImageFormat::Png)),
        (Kind::Jpeg, encoded(ImageFormat::Jpeg)),
        (Kind::Webp, encoded(ImageFormat::WebP)),
        (Kind::Gif, encoded(ImageFormat::Gif)),
        (
            Kind::Wav,
            fixture::wav(8000, 1, &fixture::tone(8000, 440.0, 0.05)),
        ),
        (
            Kind::Opus,
            fixture::opus_pages(&fixture::tone(48_000, 440.0, 0.3)).concat(),
        ),
        (Kind::Pdf, fixture::pdf(&[page, page])),
        (Kind::Docx, fixture::docx(table)),
        (Kind::Xlsx, fixture::xlsx(cells, &["x"])),
        (Kind::Mail, fixture::MAIL.into()),
        (Kind::Html, html.into()),
        (Kind::Text, "grüß\u{c}gott".into()),
    ]
}

/// In this process, so that thousands take seconds; a panic that the child would turn into an error fails here.
#[test]
fn random_damage_panics_nowhere() {
    let runs = if std::env::var_os("RUN_SLOW_TESTS").is_some() {
        100_000
    } else {
        1500
    };
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = Vec::new();
    for (kind, file) in fixtures() {
        assert!(
            reckon_media::parse_for_tests(kind, &file).is_ok(),
            "{kind:?} before any damage"
        );
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ kind as u64);
        for run in 0..runs {
            let damaged = random.damage(&file);
            let began = Instant::now();
            if catch_unwind(|| drop(reckon_media::parse_for_tests(kind, &damaged))).is_err() {
                failures.push(format!("{kind:?}, run {run}: panic"));
            }
            if began.elapsed() > Duration::from_secs(5) {
                failures.push(format!("{kind:?}, run {run}: {:?}", began.elapsed()));
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// What a child says is checked before it is believed.
#[test]
fn replies_of_random_bytes_are_never_a_panic() {
    let mut random = Random(7);
    for _ in 0..20_000 {
        let n = random.below(64);
        let mut bytes: Vec<u8> = (0..n).map(|_| random.below(256) as u8).collect();
        if let Some(first) = bytes.first_mut() {
            *first %= 4;
        }
        reckon_media::replay(&bytes);
    }
}
