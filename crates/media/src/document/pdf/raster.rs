//! A device that draws the images of a page, which is all that a scan has, and leaves out letters and lines.
//!
//! Every pixel looks where it lies in the image and takes the mean of what it covers there, so that thin strokes survive being
//! made smaller. Clips and soft masks are not applied: they hardly occur on scans.
use crate::Image as Picture;
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps, LumaData,
    Paint, SoftMask,
    font::GlyphRun,
    kurbo::{Affine, BezPath, Point, Rect},
};

/// Longest side of the picture, in pixels.
const LONGEST: f64 = 2048.0;
/// Most pixels to a point: 200 to an inch, which letters of a book need.
const FINEST: f64 = 200.0 / 72.0;
/// Most images of a page that are drawn; a hostile page has one image a million times.
const MOST_IMAGES: usize = 2000;
/// Most pixels of the page that all images together may touch.
const MOST_TOUCHED: usize = 64 << 20;

pub(super) struct Raster {
    rgb8: Vec<u8>,
    width: usize,
    height: usize,
    n_images: usize,
    touched: usize,
}

/// The pixels of an image, one or three bytes each, and how opaque each is.
struct Source {
    data: Vec<u8>,
    channels: usize,
    width: usize,
    height: usize,
    alpha: Option<LumaData>,
    /// Colour of a stencil, whose data is its opacity.
    stencil: Option<[u8; 3]>,
}

impl Raster {
    /// A white page, and how many pixels a point has.
    pub(super) fn of_page(width: f32, height: f32) -> (Self, f64) {
        let (width, height) = (f64::from(width).max(1.0), f64::from(height).max(1.0));
        let scale = (LONGEST / width.max(height)).min(FINEST);
        let side = |points: f64| (points * scale).round().clamp(1.0, LONGEST) as usize;
        let (width, height) = (side(width), side(height));
        let raster = Self {
            rgb8: vec![255; width * height * 3],
            width,
            height,
            n_images: 0,
            touched: 0,
        };
        (raster, scale)
    }

    pub(super) fn finish(self) -> Picture {
        Picture {
            rgb8: self.rgb8,
            width: self.width as u32,
            height: self.height as u32,
        }
    }

    /// Draws an image that `transform` takes from its own pixels to those of the page.
    fn draw(&mut self, source: &Source, transform: Affine) {
        let size = (source.width as f64, source.height as f64);
        let place = transform.transform_rect_bbox(Rect::new(0.0, 0.0, size.0, size.1));
        let back = transform.inverse();
        if !place.is_finite() || !back.is_finite() {
            return;
        }
        let range = |from: f64, to: f64, most: usize| {
            let clamp = |x: f64| x.clamp(0.0, most as f64) as usize;
            clamp(from.floor())..clamp(to.ceil())
        };
        let columns = range(place.x0, place.x1, self.width);
        let rows = range(place.y0, place.y1, self.height);
        self.touched += columns.len() * rows.len();
        if self.touched > MOST_TOUCHED {
            return;
        }
        // How much of the image a pixel of the page covers.
        let [a, b, c, d, ..] = back.as_coeffs();
        let reach = |x: f64, y: f64| ((x.abs() + y.abs()) / 2.0).clamp(0.5, 16.0);
        let (reach_x, reach_y) = (reach(a, c), reach(b, d));
        for y in rows {
            for x in columns.clone() {
                let at = back * Point::new(x as f64 + 0.5, y as f64 + 0.5);
                if (0.0..size.0).contains(&at.x) && (0.0..size.1).contains(&at.y) {
                    let (color, opacity) = source.mean(at, reach_x, reach_y);
                    self.mix(x, y, color, opacity);
                }
            }
        }
    }

    fn mix(&mut self, x: usize, y: usize, color: [u32; 3], opacity: u32) {
        let at = (y * self.width + x) * 3;
        for (below, above) in self.rgb8[at..at + 3].iter_mut().zip(color) {
            let sum = above * opacity + u32::from(*below) * (255 - opacity);
            *below = ((sum + 127) / 255) as u8;
        }
    }
}

impl Source {
    /// Colour and opacity around a place.
    fn mean(&self, at: Point, reach_x: f64, reach_y: f64) -> ([u32; 3], u32) {
        let range = |at: f64, reach: f64, most: usize| {
            let from = ((at - reach).round().max(0.0) as usize).min(most - 1);
            let to = ((at + reach).round().max(0.0) as usize).clamp(from + 1, most);
            from..to
        };
        let columns = range(at.x, reach_x, self.width);
        let (mut color, mut opacity, mut n) = ([0; 3], 0, 0);
        for y in range(at.y, reach_y, self.height) {
            for x in columns.clone() {
                let (pixel, alpha) = self.pixel(x, y);
                for (sum, value) in color.iter_mut().zip(pixel) {
                    *sum += u32::from(value);
                }
                opacity += u32::from(alpha);
                n += 1;
            }
        }
        (color.map(|sum| sum / n), opacity / n)
    }

    fn pixel(&self, x: usize, y: usize) -> ([u8; 3], u8) {
        let i = y * self.width + x;
        let value = |channel: usize| {
            let channel = channel.min(self.channels - 1);
            self.data
                .get(i * self.channels + channel)
                .copied()
                .unwrap_or(255)
        };
        if let Some(color) = self.stencil {
            return (color, value(0));
        }
        let alpha = self.alpha.as_ref().map_or(255, |alpha| {
            // A mask may have another size than its image.
            let x = x * alpha.width as usize / self.width;
            let y = y * alpha.height as usize / self.height;
            let i = y * alpha.width as usize + x;
            alpha.data.get(i).copied().unwrap_or(255)
        });
        ([value(0), value(1), value(2)], alpha)
    }
}

impl<'a> Device<'a> for Raster {
    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.n_images += 1;
        if self.n_images > MOST_IMAGES || self.touched > MOST_TOUCHED {
            return;
        }
        let mut draw = |source: Source, (x, y): (f32, f32)| {
            if source.width > 0 && source.height > 0 {
                let transform = props.transform * Affine::scale_non_uniform(x.into(), y.into());
                self.draw(&source, transform);
            }
        };
        match image {
            Image::Raster(image) => image.with_rgba(
                |data, alpha| {
                    let factors = data.scale_factors();
                    draw(Source::of_image(data, alpha), factors);
                },
                None,
            ),
            Image::Stencil(image) => image.with_stencil(
                |mask, paint| {
                    let factors = mask.scale_factors;
                    draw(Source::of_stencil(mask, paint), factors);
                },
                None,
            ),
        }
    }

    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {}
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

impl Source {
    fn of_image(data: ImageData, alpha: Option<LumaData>) -> Self {
        let (width, height) = (data.width() as usize, data.height() as usize);
        let (data, channels) = match data {
            ImageData::Rgb(rgb) => (rgb.data, 3),
            ImageData::Luma(luma) => (luma.data, 1),
        };
        Self {
            data,
            channels,
            width,
            height,
            alpha: alpha.filter(|alpha| alpha.width > 0 && alpha.height > 0),
            stencil: None,
        }
    }

    fn of_stencil(mask: LumaData, paint: &Paint<'_>) -> Self {
        let color = match paint {
            Paint::Color(color) => {
                let [r, g, b, _] = color.to_rgba().to_rgba8();
                [r, g, b]
            }
            Paint::Pattern(_) => [0; 3],
        };
        Self {
            width: mask.width as usize,
            height: mask.height as usize,
            data: mask.data,
            channels: 1,
            alpha: None,
            stencil: Some(color),
        }
    }
}
