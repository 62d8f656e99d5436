//! Real files, if `../shared/data/documents` is beside the project: right text or right refusal, each in time.
use crate::{read, start};
use reckon_media::{Content, Error, Options};
use std::{path::PathBuf, time::Instant};

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/documents");
    if folder.exists() {
        return Some(folder);
    }
    eprintln!("SKIPPED: real documents need ../shared/data/documents beside the project");
    None
}

fn file(name: &str) -> Option<Vec<u8>> {
    folder().map(|folder| std::fs::read(folder.join(name)).unwrap())
}

fn pages(name: &str, password: Option<&str>) -> Option<reckon_media::Document> {
    let options = Options {
        password: password.map(Into::into),
    };
    match reckon_media::read(&start(), &file(name)?, name, &options) {
        Ok(Content::Document(document)) => Some(document),
        other => panic!("{name}: {other:?}"),
    }
}

/// Characters that are no space.
fn characters(document: &reckon_media::Document) -> usize {
    let all = document.pages.iter().flat_map(|page| page.text.chars());
    all.filter(|c| !c.is_whitespace() && *c != '|').count()
}

#[test]
fn every_file_is_read_or_refused_in_time() {
    let Some(folder) = folder() else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let began = Instant::now();
        let result = read(&std::fs::read(&path).unwrap(), &name);
        let said = match result {
            Ok(Content::Document(it)) => format!(
                "{} pages, {} characters, scans {:?}, {:?}",
                it.pages.len(),
                characters(&it),
                it.scans,
                it.warnings
            ),
            Ok(Content::Image(it)) => format!("{} × {}", it.width, it.height),
            Ok(Content::Sound(it)) => format!("{:.2} s, {:?}", it.seconds, it.warnings),
            Ok(_) => "something else".into(),
            Err(error) => format!("refused: {error}"),
        };
        let seconds = began.elapsed().as_secs_f64();
        eprintln!("{name}: {said} ({seconds:.2} s)");
        assert!(seconds < 10.0, "{name}");
        let refused = matches!(
            name.as_str(),
            "broken.png" | "encrypted_libreoffice.pdf" | "encrypted_rc4_40.pdf"
        );
        assert_eq!(said.starts_with("refused"), refused, "{name}: {said}");
    }
}

/// Characters as pypdf 7.0.1 finds them; what is missing and what is too much counts.
#[test]
fn text_of_real_pdfs_is_what_pypdf_finds() {
    for (name, password, n) in [
        ("text_minimal.pdf", None, 494),
        ("text_4pages.pdf", None, 11_872),
        ("text_pdfa.pdf", None, 729),
        ("table_foo.pdf", None, 2259),
        ("table_multiple.pdf", None, 344),
        ("corrupt_zen.pdf", None, 770),
        ("encrypted_libreoffice.pdf", Some("openpassword"), 492),
        // The owner's password, and the user's.
        ("encrypted_rc4_40.pdf", Some("foo"), 7),
        ("encrypted_rc4_40.pdf", Some("baz"), 7),
    ] {
        let Some(document) = pages(name, password) else {
            return;
        };
        let got = characters(&document) as f64;
        assert!(
            (got / f64::from(n) - 1.0).abs() < 0.01,
            "{name}: {got} of {n}"
        );
    }
}

#[test]
fn tables_of_real_pdfs_are_readable() {
    let Some(document) = pages("table_foo.pdf", None) else {
        return;
    };
    let text = &document.pages[0].text;
    eprintln!("{text}");
    assert!(text.contains("2012_2 | 3.30 | 1.3"), "{text}");
}

#[test]
fn scans_of_real_pdfs_are_named_and_rendered() {
    let Some(document) = pages("scan_linn.pdf", None) else {
        return;
    };
    assert_eq!(document.scans, [1]);
    assert_eq!(pages("scan_imagemagick.pdf", None).unwrap().scans, [4, 5]);
    assert!(pages("empty_page.pdf", None).unwrap().scans.is_empty());
    let image = reckon_media::render(
        &start(),
        &file("scan_linn.pdf").unwrap(),
        1,
        &Options::default(),
    )
    .unwrap();
    let dark =
        image.rgb8.iter().filter(|value| **value < 100).count() as f64 / image.rgb8.len() as f64;
    assert!((0.01..0.3).contains(&dark), "{dark}");
    if let Some(path) = std::env::var_os("RECKON_KEEP_SCAN") {
        std::fs::write(
            path,
            [
                format!("P6 {} {} 255\n", image.width, image.height).as_bytes(),
                &image.rgb8,
            ]
            .concat(),
        )
        .unwrap();
    }
}

#[test]
fn encrypted_pdfs_ask_for_the_password() {
    let Some(file) = file("encrypted_libreoffice.pdf") else {
        return;
    };
    let read = |password: Option<&str>| {
        let options = Options {
            password: password.map(Into::into),
        };
        reckon_media::read(&start(), &file, "", &options).err()
    };
    assert_eq!(read(None), Some(Error::Password { wrong: false }));
    assert_eq!(read(Some("guess")), Some(Error::Password { wrong: true }));
    assert_eq!(read(Some("openpassword")), None);
}
