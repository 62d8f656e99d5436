//! What a file becomes.

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Pages of text.
    Document(Document),
    /// Pixels.
    Image(Image),
    /// Samples.
    Sound(Sound),
}

/// The text of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// All pages in order, those without text too. Kinds without pages have one.
    pub pages: Vec<Page>,
    /// What could not be read or was left out, a line each.
    pub warnings: Vec<String>,
    /// Numbers of pages that show pictures and have no text: scans, for [`crate::render`].
    pub scans: Vec<u32>,
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Counted from 1.
    pub number: u32,
    /// Its text; lines end with `\n`, cells of a table are separated by ` | `.
    pub text: String,
}

/// A picture, upright, without anything but its pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Red, green and blue of each pixel, row by row from the top; `3 * width * height` bytes.
    pub rgb8: Vec<u8>,
    /// Pixels in a row, at most [`crate::MOST_SIDE`].
    pub width: u32,
    /// Rows, at most [`crate::MOST_SIDE`].
    pub height: u32,
}

/// Sound at 16 kHz, mono.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sound {
    /// [`crate::RATE`] of them a second, nominally between -1 and 1.
    pub samples: Vec<f32>,
    /// Its length.
    pub seconds: f64,
    /// What was lost, a line each.
    pub warnings: Vec<String>,
}
