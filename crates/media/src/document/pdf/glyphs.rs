//! A device that draws nothing and keeps every character with its place on the page.
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
    font::{Glyph as Shape, GlyphRun},
    hayro_cmap::{BfString, WritingMode},
    kurbo::{Affine, BezPath, Point, Vec2},
};

/// Most characters of a page; a dense newspaper page has some 30,000.
const MOST_GLYPHS: usize = 1_000_000;
/// Advance of a glyph that does not say, in thousandths of its size.
const USUAL_WIDTH: f64 = 500.0;

/// A character, or the few that a ligature stands for.
#[derive(Clone, Debug)]
pub(super) struct Glyph {
    pub(super) text: BfString,
    /// Where its baseline begins and ends, in points from the upper left corner.
    pub(super) begin: Point,
    pub(super) end: Point,
    /// Unit vector along the line.
    pub(super) along: Vec2,
    /// Size of its font in points.
    pub(super) size: f64,
}

/// All characters of a page, in the order in which the file draws them.
#[derive(Default)]
pub(super) struct Glyphs {
    pub(super) glyphs: Vec<Glyph>,
    pub(super) n_images: usize,
    /// Characters of which the file does not say which they are.
    pub(super) n_unknown: usize,
    /// The last run was filled from here on; the outline of the same run says nothing new.
    filled: usize,
}

impl Glyphs {
    fn add(&mut self, shape: &Shape<'_>, transform: Affine, vertical: bool) {
        if self.glyphs.len() >= MOST_GLYPHS {
            return;
        }
        let text = match shape.as_unicode() {
            Some(text) => text,
            None => {
                self.n_unknown += 1;
                BfString::Char('\u{fffd}')
            }
        };
        let width = match shape {
            Shape::Outline(outline) => outline.advance_width(),
            Shape::Type3(drawn) => drawn.advance_width(),
        };
        let width = width.map_or(USUAL_WIDTH, f64::from);
        let begin = transform * Point::ZERO;
        let [right, down] =
            [Point::new(1000.0, 0.0), Point::new(0.0, -1000.0)].map(|it| transform * it - begin);
        // Vertical writing goes down, a whole size for each character.
        let (step, portion) = if vertical {
            (down, 1.0)
        } else {
            (right, width / 1000.0)
        };
        let length = step.hypot();
        if !begin.is_finite() || !length.is_finite() || length == 0.0 {
            return;
        }
        self.glyphs.push(Glyph {
            text,
            begin,
            end: begin + step * portion,
            along: step / length,
            size: down.hypot(),
        });
    }
}

impl<'a> Device<'a> for Glyphs {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let before = self.glyphs.len();
        let vertical = run.writing_mode() == WritingMode::Vertical;
        for glyph in run.glyphs() {
            self.add(glyph, props.transform * glyph.transform(), vertical);
        }
        // Letters that are filled and outlined come twice.
        let begins = |from: usize| self.glyphs[from..].iter().map(|glyph| glyph.begin);
        if matches!(mode, DrawMode::Stroke(_))
            && begins(before).eq(begins(self.filled).take(before - self.filled))
        {
            self.glyphs.truncate(before);
        }
        self.filled = before.min(self.glyphs.len());
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.n_images += 1;
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
