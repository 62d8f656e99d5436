//! The inner loop of attention: `c += a · panel`, each element of c one chain of `fma`.
//!
//! Both halves of attention are this product. For scores, a is queries, the chain runs over dimensions and the lanes
//! are positions; for values, a is weights, the chain runs over positions and the lanes are dimensions. A panel is
//! 64 links of the chain by 64 lanes of f32, 16 KB, and stays in the L1 cache while all rows pass over it.
//!
//! A tile is R rows by V vectors of sums in registers: 8 × 2 where the registers hold 32 vectors, else 4 × 1. That is
//! as many chains as hide the latency of `fma`, with fewer loads than products.

use super::panel::{Panel, SIDE};
use crate::simd::{LANES, Vector};
use std::ops::Range;

/// The operands of a product over a panel.
///
/// # Safety of the pointers
/// `a` has the links of `chain` and `c` has `lanes` for each row that is passed.
#[derive(Clone, Copy)]
pub(super) struct PanelProduct<'a> {
    pub(super) a: *const f32,
    pub(super) a_stride: usize,
    pub(super) panel: &'a Panel,
    pub(super) c: *mut f32,
    pub(super) c_stride: usize,
    pub(super) ahead: Prefetch,
}

/// What is needed after this page, prefetched while its first rows pass: a run of bytes as eight streams far apart, a
/// cache line of each in turn. One stream alone does not reach the memory's bandwidth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefetch {
    pub(super) start: *const u8,
    /// Bytes from stream to stream.
    pub(super) stride: usize,
    /// Bytes of an element, as a power of two.
    pub(super) shift: usize,
}

impl Prefetch {
    /// Prefetches the line that goes with a link of the chain.
    #[inline(always)]
    fn line<S: Vector>(self, s: S, link: usize) {
        let skip = (link % 8) * self.stride + ((link << self.shift) >> 4) * 64;
        s.prefetch(self.start.wrapping_add(skip));
    }

    /// The share of a vector of lanes: two make a panel's share.
    #[inline(always)]
    const fn vector(self, vector: usize) -> Self {
        Self {
            start: self.start.wrapping_add(vector / 2 * (256 << self.shift)),
            ..self
        }
    }

    /// The share of panel number `panel`.
    #[inline(always)]
    pub(super) const fn panel(self, panel: usize) -> Self {
        Self {
            start: self.start.wrapping_add(panel * (512 << self.shift)),
            ..self
        }
    }
}

impl PanelProduct<'_> {
    /// How many of `rows` rows are best taken together.
    #[inline(always)]
    pub(super) const fn step<S: Vector>(rows: usize) -> usize {
        match rows {
            8.. if S::VECTORS >= 32 => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        }
    }

    /// Runs `rows` (a `step`) rows from `row` over the links of `chain` and the vectors of lanes.
    ///
    /// # Safety
    /// The rows, links and vectors are inside `a`, the panel and `c`.
    #[inline(always)]
    pub(super) unsafe fn run<S: Vector>(
        &self,
        s: S,
        row: usize,
        rows: usize,
        chain: Range<usize>,
        vectors: Range<usize>,
    ) {
        // SAFETY: `rows` of the same rows, links and vectors that the caller promises.
        unsafe {
            match (rows, S::VECTORS >= 32) {
                (8, true) => self.rows::<S, 8, 2>(s, row, chain, vectors),
                (4, true) => self.rows::<S, 4, 4>(s, row, chain, vectors),
                (4, false) => self.rows::<S, 4, 1>(s, row, chain, vectors),
                (2, true) => self.rows::<S, 2, 4>(s, row, chain, vectors),
                (2, false) => self.rows::<S, 2, 2>(s, row, chain, vectors),
                (_, true) => self.rows::<S, 1, 4>(s, row, chain, vectors),
                (_, false) => self.rows::<S, 1, 2>(s, row, chain, vectors),
            }
        }
    }

    /// # Safety
    /// As for `run`, with R rows.
    #[inline(always)]
    unsafe fn rows<S: Vector, const R: usize, const V: usize>(
        &self,
        s: S,
        row: usize,
        chain: Range<usize>,
        vectors: Range<usize>,
    ) {
        let mut vector = vectors.start;
        // SAFETY: R of the promised rows, all promised links, and vectors below `vectors.end`.
        unsafe {
            while vector + V <= vectors.end {
                // Only the first rows prefetch: once per panel is enough.
                if row == 0 && R > 1 {
                    self.tile::<S, R, V, true>(s, row, chain.clone(), vector);
                } else {
                    self.tile::<S, R, V, false>(s, row, chain.clone(), vector);
                }
                vector += V;
            }
            while vector < vectors.end {
                self.tile::<S, R, 1, false>(s, row, chain.clone(), vector);
                vector += 1;
            }
        }
    }

    /// # Safety
    /// As for `run`, with R rows and V vectors.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "rows and vectors index sums, queries and memory alike"
    )]
    unsafe fn tile<S: Vector, const R: usize, const V: usize, const AHEAD: bool>(
        &self,
        s: S,
        row: usize,
        chain: Range<usize>,
        vector: usize,
    ) {
        let mut acc = [[s.splat(0.0); V]; R];
        // SAFETY: the caller promises R rows from `row` on in `a` and `c`, the links of `chain` in `a` and the panel,
        // and V vectors from `vector` on in the panel and `c`.
        unsafe {
            let c = self.c.add(row * self.c_stride + vector * LANES);
            for r in 0..R {
                for v in 0..V {
                    acc[r][v] = s.load(c.add(r * self.c_stride + v * LANES));
                }
            }
            let a = self.a.add(row * self.a_stride);
            let b = self.panel.as_ptr().add(vector * LANES);
            let ahead = self.ahead.vector(vector);
            for link in chain {
                if AHEAD {
                    ahead.line(s, link);
                }
                let mut lanes = [s.splat(0.0); V];
                for v in 0..V {
                    lanes[v] = s.load(b.add(link * SIDE + v * LANES));
                }
                for r in 0..R {
                    let x = s.splat(*a.add(r * self.a_stride + link));
                    for v in 0..V {
                        acc[r][v] = s.fma(lanes[v], x, acc[r][v]);
                    }
                }
            }
            for r in 0..R {
                for v in 0..V {
                    s.store(c.add(r * self.c_stride + v * LANES), acc[r][v]);
                }
            }
        }
    }
}
