//! Documents in, passages and verified quotations out, on texts that the tests make themselves.
mod retrieval;
mod settled;

use reckon_recall::{Document, Library, Page};

/// A library with one document of these pages.
fn library(pages: &[&str]) -> Library {
    let page = |(i, text): (usize, &&str)| Page {
        number: i as u32 + 1,
        text: (*text).to_owned(),
    };
    let document = Document {
        name: "report.pdf".into(),
        pages: pages.iter().enumerate().map(page).collect(),
        is_paged: true,
    };
    Library::new(vec![document]).expect("indexed")
}
