//! PDF through the child.
use crate::{document, fixture, read, refusal, start, text};
use reckon_media::{Content, Error, Options};

#[test]
fn text_by_page_with_its_lines() {
    let first = "BT /F 12 Tf 50 700 Td (Hello, ) Tj (W) Tj (orld) Tj 0 -14 Td [(se) -20 (cond) -300 (line)] TJ ET";
    let second = "BT /F 12 Tf 50 700 Td (\\(page\\) t\\167o \\374) Tj ET";
    let document = document(&fixture::pdf(&[first, second]), "");
    let pages: Vec<_> = document
        .pages
        .iter()
        .map(|page| (page.number, page.text.as_str()))
        .collect();
    assert_eq!(
        pages,
        [(1, "Hello, World\nsecond line"), (2, "(page) two ü")]
    );
    assert!(
        document.warnings.is_empty() && document.scans.is_empty(),
        "{document:?}"
    );
}

#[test]
fn tables_keep_their_rows() {
    let cell = |text: &str, x: u32, y: u32| format!("BT /F 10 Tf {x} {y} Td ({text}) Tj ET ");
    // Drawn column by column.
    let page = [
        cell("Item", 50, 700),
        cell("Tea", 50, 685),
        cell("Milk", 50, 670),
        cell("Price", 200, 700),
        cell("3.50", 200, 685),
        cell("4.20", 200, 670),
    ]
    .concat();
    assert_eq!(
        text(&document(&fixture::pdf(&[&page]), "")),
        "Item | Price\nTea | 3.50\nMilk | 4.20"
    );
}

#[test]
fn letters_that_are_filled_and_outlined_come_once() {
    let page = "BT /F 12 Tf 2 Tr 50 700 Td (bold) Tj (er) Tj ET";
    assert_eq!(text(&document(&fixture::pdf(&[page]), "")), "bolder");
}

#[test]
fn text_that_is_not_shown_is_text() {
    let page = "BT /F 12 Tf 3 Tr 50 700 Td (under a scan) Tj ET";
    assert_eq!(text(&document(&fixture::pdf(&[page]), "")), "under a scan");
}

/// A page that shows one grey image of 2 × 2 pixels, and one without anything.
fn scan() -> Vec<u8> {
    let entries =
        "/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray";
    let image = fixture::stream(entries, &[0, 100, 200, 255]);
    let draw = "q 300 0 0 400 100 200 cm /I Do Q";
    fixture::pdf_with("/XObject<</I 7 0 R>>", &[draw, ""], &[image])
}

#[test]
fn a_page_with_images_and_no_text_is_a_scan() {
    let document = document(&scan(), "");
    assert_eq!(document.pages.len(), 2);
    assert_eq!(document.scans, [1]);
}

#[test]
fn a_scan_is_rendered_and_stands_upright() {
    let options = Options::default();
    let image = reckon_media::render(&start(), &scan(), 1, &options).unwrap();
    assert_eq!((image.width, image.height), (1536, 2048));
    let pixel = |x: f64, y: f64| {
        let (x, y) = ((x * 2.56) as usize, ((800.0 - y) * 2.56) as usize);
        image.rgb8[3 * (y * 1536 + x)]
    };
    // Points from the lower left corner: the page around the image, then its four pixels.
    let around = [
        (50.0, 400.0),
        (450.0, 400.0),
        (250.0, 700.0),
        (250.0, 100.0),
    ];
    assert_eq!(around.map(|(x, y)| pixel(x, y)), [255; 4]);
    let inside = [
        (150.0, 550.0),
        (350.0, 550.0),
        (150.0, 250.0),
        (350.0, 250.0),
    ];
    assert_eq!(inside.map(|(x, y)| pixel(x, y)), [0, 100, 200, 255]);
    for page in [0, 3, u32::MAX] {
        let error = reckon_media::render(&start(), &scan(), page, &options).unwrap_err();
        assert!(error.to_string().contains("no page"), "{error}");
    }
    assert!(reckon_media::render(&start(), b"text", 1, &options).is_err());
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_goes_with_a_warning() {
    let page = "BT /F 12 Tf 50 700 Td (still here) Tj ET";
    let file = fixture::pdf(&[page]);
    let at = file.windows(4).rposition(|bytes| bytes == b"xref").unwrap();
    // Without its table, and with one that lies.
    let cut = &file[..at - 5];
    let mut lying = file.clone();
    lying.splice(9..9, *b"% one line more\n");
    for file in [cut, &lying] {
        let document = document(file, "");
        assert_eq!(text(&document), "still here");
        assert!(
            document.warnings[0].contains("damaged"),
            "{:?}",
            document.warnings
        );
    }
    assert!(matches!(
        refusal(b"%PDF-1.4\nnothing", ""),
        Error::Unreadable(_)
    ));
}

#[test]
fn damage_inside_a_page_is_said() {
    use std::io::Write;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed
        .write_all(b"BT /F 12 Tf 50 700 Td (almost whole) Tj ET")
        .unwrap();
    let mut packed = packed.finish().unwrap();
    let font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
    let read = |packed: &[u8]| {
        let page = fixture::stream("/Filter/FlateDecode", packed);
        let file = fixture::pdf_with(font, &[""], &[page]);
        let at = file
            .windows(15)
            .position(|it| it == b"/Contents 4 0 R")
            .unwrap();
        document(&[&file[..at + 10], b"5", &file[at + 11..]].concat(), "")
    };
    assert!(read(&packed).warnings.is_empty());
    *packed.last_mut().unwrap() ^= 1;
    let document = read(&packed);
    assert_eq!(text(&document), "almost whole");
    assert_eq!(
        document.warnings,
        ["page 1 is damaged and was read as far as it goes"]
    );
}

#[test]
fn pages_in_a_circle_and_pages_without_end_do_no_harm() {
    let mut file = String::from_utf8(fixture::pdf(&["", ""])).unwrap();
    // The tree of pages contains itself.
    file = file.replace("/Kids[3 0 R 5 0 R ]", "/Kids[2 0 R 2 0 R ]");
    assert!(read(file.as_bytes(), "").is_err());
    // A form that draws itself.
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I 5 0 R>>>>";
    let form = fixture::stream(form, b"/I Do /I Do");
    let file = fixture::pdf_with("/XObject<</I 5 0 R>>", &["/I Do"], &[form]);
    assert!(matches!(read(&file, ""), Ok(Content::Document(_))));
}
