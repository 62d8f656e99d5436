//! Text, HTML, mail and office files through the child.
use crate::{document, fixture, refusal, text};
use reckon_media::Error;

#[test]
fn text_of_any_charset_with_its_pages() {
    let latin = b"Stra\xdfe \x80 5";
    for (file, expected) in [
        ("grüß\r\ngott".as_bytes(), "grüß\ngott"),
        (latin, "Straße € 5"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"\xff\xfeh\0i\0", "hi"),
        (b"a\x1b[31mb\n\n\n\nc", "a[31mb\n\nc"),
    ] {
        assert_eq!(text(&document(file, "a.txt")), expected);
    }
    let pages = document(b"one\x0ctwo\x0c", "a.txt").pages;
    let pages: Vec<_> = pages
        .iter()
        .map(|page| (page.number, page.text.as_str()))
        .collect();
    assert_eq!(pages, [(1, "one"), (2, "two")]);
    let csv = "name,price\n\"a, b\",3\n";
    assert_eq!(text(&document(csv.as_bytes(), "a.csv")), csv.trim_end());
}

#[test]
fn html_names_its_charset() {
    let html =
        b"<html><head><meta charset=\"iso-8859-2\"><title>T</title></head><p>\xb3\xf3d\xbc</p>";
    assert_eq!(text(&document(html, "")), "T\n\nłódź");
}

#[test]
fn a_mail_with_all_that_mails_have() {
    let expected = "From: Jürgen <j@example.org>\nTo: Ann <ann@example.org>\nSubject: Offer of today\n\n\
        Grüße, the price is 123 euros.\n\nbold postscript\n\nAttached, not read:\n\
        - offer.pdf (application/pdf, 5 bytes)";
    assert_eq!(text(&document(fixture::MAIL.as_bytes(), "")), expected);
}

#[test]
fn parts_inside_parts_have_an_end() {
    let mut mail = String::from("From: a\r\nTo: b\r\n");
    for depth in 0..2000 {
        mail += &format!("Content-Type: multipart/mixed; boundary=b{depth}\r\n\r\n--b{depth}\r\n");
    }
    mail += "\r\nhello\r\n";
    let document = document(mail.as_bytes(), "a.eml");
    assert_eq!(document.warnings, ["the mail has more parts than are read"]);
}

#[test]
fn a_word_document_with_headings_tables_and_pages() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let cell = |text: &str| format!("<w:tc><w:p>{}</w:p></w:tc>", run(text));
    let body = format!(
        "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr>{}</w:p>\
         <w:p>{}{}<w:r><w:tab/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>\
         <w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>\
         <w:p><w:pPr><w:numPr/></w:pPr>{}</w:p>\
         <w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>\
         <w:p><w:r><w:lastRenderedPageBreak/><w:t>second page</w:t></w:r></w:p>\
         <w:p><w:r><w:t>to the end</w:t><w:lastRenderedPageBreak/><w:t>third</w:t></w:r></w:p>",
        run("Report"),
        run("Costs &amp; "),
        run("gains"),
        cell("tea"),
        cell("3 €"),
        cell("milk"),
        cell(""),
        run("point")
    );
    let document = document(&fixture::docx(&body), "a.docx");
    let pages: Vec<_> = document
        .pages
        .iter()
        .map(|page| page.text.as_str())
        .collect();
    let first = "# Report\nCosts & gains\ntea | 3 €\nmilk\n- point";
    assert_eq!(pages, [first, "second page\nto the end", "third"]);
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
}

#[test]
fn a_workbook_with_strings_dates_and_gaps() {
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"s\"><v>1</v></c></row>\
        <row r=\"2\"/><row r=\"3\"><c r=\"A3\" t=\"inlineStr\"><is><t>tea</t></is></c>\
        <c r=\"B3\" s=\"1\"><v>45292</v></c><c r=\"C3\"><f>A1*2</f><v>0.30000000000000004</v></c></row>\
        <row r=\"4\"><c r=\"A4\" t=\"b\"><v>1</v></c><c r=\"B4\" s=\"2\"><v>0.19</v></c>\
        <c r=\"C4\" t=\"e\"><v>#DIV/0!</v></c></row>";
    let file = fixture::xlsx(rows, &["what", "a &lt; b"]);
    let expected = "# Prices & more\nwhat |  | a < b\ntea | 2024-01-01 | 0.3\nTRUE | 19% | #DIV/0!";
    assert_eq!(text(&document(&file, "")), expected);
}

#[test]
fn broken_office_files_are_read_as_far_as_they_go_or_refused() {
    let file = fixture::docx("<w:p><w:t>kept</w:t></w:p><w:p><w:t attr=>broken");
    assert!(text(&document(&file, "")).starts_with("kept"));
    let file = fixture::docx("<w:p><w:t>all of it</w:t></w:p>");
    let error = refusal(&file[..file.len() - 30], "a.docx");
    assert!(
        matches!(error, Error::Unreadable(_) | Error::Refused(_)),
        "{error:?}"
    );
}

#[test]
fn entities_that_a_file_defines_are_not_expanded() {
    let xml = "<!DOCTYPE x [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;\">]>\
        <w:document xmlns:w=\"w\"><w:p><w:t>x&b;y</w:t></w:p></w:document>";
    let file = fixture::zip(&[("word/document.xml", xml.as_bytes())]);
    assert_eq!(text(&document(&file, "")), "xy");
}
