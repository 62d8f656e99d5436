//! The inner loop of attention: `c += a · panel`, each element of c one chain of `fma`.
//!
//! Both halves of attention are this product. For scores, a is queries, the chain runs over dimensions and the lanes
//! are positions; for values, a is weights, the chain runs over positions and the lanes are dimensions. A panel is
//! 64 links of the chain by 64 lanes of f32, 16 KB, and stays in the first cache while all rows pass over it.
//!
//! A tile is R rows by V vectors of sums in registers: 8 × 2 where the registers hold 32 vectors, else 4 × 1. That is as
//! many chains as hide the latency of `fma`, with fewer loads than products.

use super::panel::{Panel, SIDE};
use crate::simd::{LANES, Simd};
use std::ops::Range;

/// The operands of a product over a panel.
///
/// # Safety of the pointers
/// `a` has the links of `chain` and `c` has `lanes` for each row that is passed.
#[derive(Clone, Copy)]
pub(super) struct Product<'a> {
    pub(super) a: *const f32,
    pub(super) a_stride: usize,
    pub(super) panel: &'a Panel,
    pub(super) c: *mut f32,
    pub(super) c_stride: usize,
    pub(super) next: Source,
}

/// Where the next panel comes from: each link asks for one line of it while the first rows pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) start: *const u8,
    /// Bytes from link to link, from vector to vector, and more for every second link.
    pub(super) link: usize,
    pub(super) vector: usize,
    pub(super) odd: usize,
}

impl Product<'_> {
    /// How many of `rows` rows are best taken together.
    #[inline(always)]
    pub(super) const fn step<S: Simd>(rows: usize) -> usize {
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
    pub(super) unsafe fn run<S: Simd>(
        &self,
        s: S,
        row: usize,
        rows: usize,
        chain: Range<usize>,
        vectors: Range<usize>,
    ) {
        // SAFETY: the caller's promise is passed on.
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

    #[inline(always)]
    unsafe fn rows<S: Simd, const R: usize, const V: usize>(
        &self,
        s: S,
        row: usize,
        chain: Range<usize>,
        vectors: Range<usize>,
    ) {
        let mut vector = vectors.start;
        // SAFETY: the caller's promise is passed on; every vector is visited once.
        unsafe {
            while vector + V <= vectors.end {
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

    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "rows and vectors index sums, queries and memory alike"
    )]
    unsafe fn tile<S: Simd, const R: usize, const V: usize, const AHEAD: bool>(
        &self,
        s: S,
        row: usize,
        chain: Range<usize>,
        vector: usize,
    ) {
        let mut acc = [[s.splat(0.0); V]; R];
        // SAFETY: the caller vouches for R rows, the chain and V vectors.
        unsafe {
            let c = self.c.add(row * self.c_stride + vector * LANES);
            for r in 0..R {
                for v in 0..V {
                    acc[r][v] = s.load(c.add(r * self.c_stride + v * LANES));
                }
            }
            let a = self.a.add(row * self.a_stride);
            let b = self.panel.as_ptr().add(vector * LANES);
            let next = self.next.start.wrapping_add(vector * self.next.vector);
            for link in chain {
                if AHEAD {
                    let skip = link * self.next.link + (link & 1) * self.next.odd;
                    s.prefetch(next.wrapping_add(skip));
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
