//! The KV cache of one layer: the key and the value of each position, for each KV head.
//!
//! Paged: a cache is a table of pages of 64 positions. Pages are reference-counted: a clone of a cache shares them, and
//! a shared page is copied before it is written, so sequences with a common prefix hold it once. Pages are allocated as
//! positions are written and freed when they fall out of what the layer must keep (its sliding window and some slack).
//!
//! Within a page each head has its keys in blocks of 16 positions, `[block][dim][16]`, so that a vector holds one
//! dimension of 16 positions, and then its values, `[dim / 64][position][64]`: both are what attention's inner loop
//! loads as a vector. What of a page is not written yet has no meaning, because pages are reused. Written by the
//! forward pass, read by `attention`.
//!
//! In 8 bits (`Precision::Eight`), 32 elements of a head (the last of a head maybe fewer) share a scale d, the half
//! nearest to their largest magnitude / 127; an element x is kept as the whole number nearest to x / d, ties to even,
//! at most ±127. Times d it is exact in f32, so attention is then as over floats. The scales of a page follow its
//! elements: for each head those of the keys, then those of the values, each `[dim / 32][position]`.

mod page;

use crate::simd::LANES;
pub(crate) use page::Page;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Positions of a page.
pub(crate) const PAGE: usize = 64;

/// Elements that share a scale.
pub(crate) const GROUP: usize = 32;

/// What an element of a KV cache is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// IEEE halves.
    Half,
    /// Full floats, for comparing with references.
    Full,
    /// Signed bytes with a scale for each 32: half the memory of halves, at a small cost of quality.
    Eight,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::Half, Self::Eight];

    /// `f32`, `f16` or `q8_0`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "f16",
            Self::Full => "f32",
            Self::Eight => "q8_0",
        }
    }

    /// The precision with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Bytes of an element, without its share of a scale.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Half => 2,
            Self::Full => 4,
            Self::Eight => 1,
        }
    }
}

/// Keys and values of one layer. Clones share their pages.
#[derive(Clone)]
pub struct KvCache {
    pub(crate) precision: Precision,
    pub(crate) heads: usize,
    pub(crate) dim: usize,
    keep: usize,
    /// Number of the first page in the table.
    first: usize,
    pages: VecDeque<Arc<Page>>,
    /// A page that fell out and is used again for the next: a sliding layer then allocates nothing while it decodes.
    spare: Option<Arc<Page>>,
}

impl KvCache {
    /// An empty cache that keeps at least the last `keep` positions of `heads` heads of `dim` elements.
    ///
    /// # Panics
    /// If `dim` is not a multiple of 16 or `keep` is 0.
    pub const fn new(precision: Precision, heads: usize, dim: usize, keep: usize) -> Self {
        assert!(dim.is_multiple_of(LANES), "heads of whole vectors");
        assert!(keep > 0, "a position sees itself");
        Self {
            precision,
            heads,
            dim,
            keep,
            first: 0,
            pages: VecDeque::new(),
            spare: None,
        }
    }

    /// Most bytes that such a cache ever holds.
    pub const fn most_bytes(precision: Precision, heads: usize, dim: usize, keep: usize) -> usize {
        // A page more than fits, because what is kept need not start with a page, and a spare one.
        let pages = keep.div_ceil(PAGE).saturating_add(2);
        pages.saturating_mul(page_bytes(precision, heads, dim))
    }

    /// Bytes of a position's key and value, scales included.
    pub const fn position_bytes(precision: Precision, heads: usize, dim: usize) -> usize {
        page_bytes(precision, heads, dim) / PAGE
    }

    /// Bytes held, those shared with other caches included.
    pub fn bytes(&self) -> usize {
        let pages = self.pages.len() + usize::from(self.spare.is_some());
        pages * page_bytes(self.precision, self.heads, self.dim)
    }

    /// Whether `position`, once written, is still there.
    pub fn holds(&self, position: usize) -> bool {
        (self.first..self.first + self.pages.len()).contains(&(position / PAGE))
    }

    /// Forgets the positions from `len` on.
    pub fn truncate(&mut self, len: usize) {
        // Whole pages only: what is left behind `len` in the last page is overwritten before it is read again.
        let pages = len.div_ceil(PAGE);
        if pages <= self.first {
            self.first = 0;
            self.pages.clear();
        } else {
            self.pages.truncate(pages - self.first);
        }
    }

    /// Pages that `len` positions take.
    pub const fn pages_of(len: usize) -> usize {
        len.div_ceil(PAGE)
    }

    /// Numbers of the pages that hold the first `len` positions, as far as they are still there.
    pub fn page_range(&self, len: usize) -> Range<usize> {
        let end = Self::pages_of(len).min(self.first + self.pages.len());
        self.first.min(end)..end
    }

    /// Bytes of a page of this cache.
    pub const fn page_bytes(&self) -> usize {
        page_bytes(self.precision, self.heads, self.dim)
    }

    /// The bytes of the pages of [`Self::page_range`], to be kept elsewhere. They depend on the first `len` positions
    /// alone: what a page holds of later ones, left over from other texts, is given as zeros.
    pub fn pages(&self, len: usize) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let range = self.page_range(len);
        range.zip(&self.pages).map(move |(index, page)| {
            let written = len - index * PAGE;
            let bytes = self.page_bytes();
            if written >= PAGE {
                return Cow::Borrowed(&page.elements()[..bytes]);
            }
            let mut copy = Page::clone(page);
            let zeros = vec![0.0; self.dim];
            for position in written..PAGE {
                for head in 0..self.heads {
                    let shape = (self.heads, self.dim, head);
                    page::write_head(&mut copy, self.precision, shape, position, &zeros, &zeros);
                }
            }
            Cow::Owned(copy.elements()[..bytes].to_vec())
        })
    }

    /// Replaces all that is held by the pages with these numbers, whose bytes `fill` writes one after the other. Any
    /// bytes are safe; only those of [`Self::pages`] make sense. If `fill` fails, what is held has no meaning.
    pub fn restore<E>(
        &mut self,
        range: Range<usize>,
        mut fill: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.first = range.start;
        self.pages.clear();
        self.spare = None;
        let bytes = self.page_bytes();
        for _ in range {
            let mut page = Page::zeroed(bytes);
            fill(&mut page.elements_mut()[..bytes])?;
            self.pages.push_back(Arc::new(page));
        }
        Ok(())
    }

    /// Whether both hold the same pages with the same bytes. Pages that they share are not compared.
    pub fn is_same(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<Page>, &Arc<Page>)| {
            Arc::ptr_eq(a, b) || a.elements::<u8>() == b.elements::<u8>()
        };
        self.first == other.first
            && self.pages.len() == other.pages.len()
            && self.pages.iter().zip(&other.pages).all(same)
    }

    /// Writes keys and values (each `[rows][heads][dim]`) of the positions from `start` on, in place of what was there.
    /// Positions older than those to be kept are dropped.
    ///
    /// # Panics
    /// If the lengths are not equal and whole rows.
    pub fn write(&mut self, start: usize, keys: &[f32], values: &[f32]) {
        let width = self.heads * self.dim;
        assert!(keys.len().is_multiple_of(width), "whole keys");
        assert_eq!(values.len(), keys.len(), "as many values");
        let rows = keys.chunks_exact(width).zip(values.chunks_exact(width));
        for (row, (key, value)) in rows.enumerate() {
            self.write_row(start + row, key, value);
        }
    }

    fn write_row(&mut self, position: usize, key: &[f32], value: &[f32]) {
        let (precision, heads, dim) = (self.precision, self.heads, self.dim);
        let page = self.page_mut(position);
        let rows = key.chunks_exact(dim).zip(value.chunks_exact(dim));
        for (head, (key, value)) in rows.enumerate() {
            page::write_head(page, precision, (heads, dim, head), position, key, value);
        }
    }

    /// The page of a position, shared with nobody; older ones may be dropped.
    fn page_mut(&mut self, position: usize) -> &mut Page {
        let index = position / PAGE;
        // A position before all that is held begins a new sequence: what is there belongs to positions after it.
        if index < self.first {
            self.pages.clear();
        }
        if self.pages.is_empty() {
            self.first = index;
        }
        while self.first + self.pages.len() <= index {
            // Pages older than the positions to be kept make room first; the last of them is reused.
            while !self.pages.is_empty() && (self.first + 1) * PAGE + self.keep <= index * PAGE {
                self.spare = self.pages.pop_front();
                self.first += 1;
            }
            let spare = self
                .spare
                .take()
                .filter(|page| Arc::strong_count(page) == 1);
            let bytes = page_bytes(self.precision, self.heads, self.dim);
            self.pages
                .push_back(spare.unwrap_or_else(|| Arc::new(Page::zeroed(bytes))));
        }
        // Copies the page if another cache shares it.
        Arc::make_mut(&mut self.pages[index - self.first])
    }

    /// The page of a position that is held.
    #[inline(always)]
    pub(crate) fn page(&self, position: usize) -> &Page {
        &self.pages[position / PAGE - self.first]
    }
}

impl std::fmt::Debug for KvCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, end) = (self.first, self.first + self.pages.len());
        write!(f, "KvCache(pages {first}..{end})")
    }
}

const fn page_bytes(precision: Precision, heads: usize, dim: usize) -> usize {
    let elements = 2 * PAGE * heads * dim * precision.bytes();
    match precision {
        Precision::Eight => elements + 2 * PAGE * heads * dim.div_ceil(GROUP) * size_of::<u16>(),
        Precision::Half | Precision::Full => elements,
    }
}

/// Where in a page of bytes the scales of a head's keys start, as halves; those of its values follow.
#[inline(always)]
pub(crate) const fn scales_at(heads: usize, dim: usize, head: usize) -> usize {
    PAGE * heads * dim + head * 2 * PAGE * dim.div_ceil(GROUP)
}

/// Where in its page the 16 positions of a key start that hold `position`.
#[inline(always)]
pub(crate) const fn keys_at(dim: usize, head: usize, position: usize) -> usize {
    (head * 2 * PAGE + position % PAGE / LANES * LANES) * dim
}

/// Where in its page the values of the 64 dimensions from `start` (a multiple of 64) begin, and how wide a row is.
#[inline(always)]
pub(crate) const fn values_at(dim: usize, head: usize, start: usize) -> (usize, usize) {
    let left = dim - start;
    let width = if left < PAGE { left } else { PAGE };
    ((head * 2 + 1) * PAGE * dim + start * PAGE, width)
}
