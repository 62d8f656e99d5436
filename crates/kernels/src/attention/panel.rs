//! A panel: 64 dimensions of the keys or values of a page's 64 positions, widened to floats.
//!
//! Widened once for all rows of a block, so that the inner loop is the same for every precision. Keys become
//! `[dimension][position]`, values `[position][dimension]`; both rows are 64 wide. What is not asked for is left as it
//! was.

use super::tile::Prefetch;
use crate::kv_cache::{GROUP, KvCache, Precision, keys_at, scales_at, values_at};
use crate::simd::{LANES, Vector};
use std::ops::Range;

/// Links and lanes of a panel: the positions of a page, and as many dimensions.
pub(super) const SIDE: usize = crate::kv_cache::PAGE;

/// Where a piece lies in a page: elements, and how far it is from a link, and from a vector, to the next.
struct PageRun {
    elements: Range<usize>,
    link: usize,
    vector: usize,
}

/// 64 rows of 64 floats.
#[repr(C, align(64))]
pub(super) struct Panel([f32; SIDE * SIDE]);

/// What prefetching the keys (or values) of a page reads.
#[inline(always)]
pub(super) fn ahead(cache: &KvCache, head: usize, base: usize, is_value: bool) -> Prefetch {
    let bytes = cache.precision.bytes();
    let run = SIDE * cache.dim * bytes;
    let at = (2 * head + usize::from(is_value)) * run;
    Prefetch {
        start: cache.page(base).elements::<u8>()[at..].as_ptr(),
        stride: run / 8,
        shift: bytes.ilog2() as usize,
    }
}

impl Panel {
    pub(super) const fn new() -> Self {
        Self([0.0; SIDE * SIDE])
    }

    pub(super) const fn as_ptr(&self) -> *const f32 {
        self.0.as_ptr()
    }

    /// Dimensions `dims` of the keys of the page that starts at `base`, for some of its four vectors of positions.
    #[inline(always)]
    pub(super) fn load_keys<S: Vector>(
        &mut self,
        s: S,
        cache: &KvCache,
        head: usize,
        base: usize,
        dims: Range<usize>,
        vectors: Range<usize>,
    ) {
        let start = keys_at(cache.dim, head, base) + dims.start * LANES;
        let stride = cache.dim * LANES;
        let run = PageRun {
            elements: start..start + (vectors.end - 1) * stride + dims.len() * LANES,
            link: LANES,
            vector: stride,
        };
        let scales = scales(s, cache, head, base, dims.clone(), 0);
        self.load(
            s,
            cache,
            base,
            &run,
            (0..dims.len(), vectors),
            // SAFETY: a group's scales are those of all positions, four vectors.
            #[inline(always)]
            |d, v| unsafe { s.load(scales[d / GROUP].as_ptr().add(v * LANES)) },
        );
    }

    /// Dimensions `dims` (whole vectors) of the values of some positions of the page that starts at `base`.
    #[inline(always)]
    pub(super) fn load_values<S: Vector>(
        &mut self,
        s: S,
        cache: &KvCache,
        head: usize,
        base: usize,
        dims: Range<usize>,
        positions: Range<usize>,
    ) {
        let (start, stride) = values_at(cache.dim, head, dims.start);
        let run = PageRun {
            elements: start..start + positions.end * stride,
            link: stride,
            vector: LANES,
        };
        let vectors = 0..dims.len() / LANES;
        let scales = scales(s, cache, head, base, dims, cache.dim.div_ceil(GROUP));
        self.load(
            s,
            cache,
            base,
            &run,
            (positions, vectors),
            #[inline(always)]
            |p, v| s.splat(scales[v * LANES / GROUP][p]),
        );
    }

    /// Widens a run of a page's elements; `scale` gives the scales of a vector in 8 bits.
    #[inline(always)]
    fn load<S: Vector>(
        &mut self,
        s: S,
        cache: &KvCache,
        base: usize,
        run: &PageRun,
        (links, vectors): (Range<usize>, Range<usize>),
        scale: impl Fn(usize, usize) -> S::F,
    ) {
        let page = cache.page(base);
        let all = run.elements.clone();
        let (link, vector) = (run.link, run.vector);
        match cache.precision {
            Precision::Half => {
                let from = page.elements::<u16>()[all].as_ptr();
                self.fill(
                    s,
                    links,
                    vectors,
                    // SAFETY: `from` is a slice that reaches to the end of the last vector of the last link (`run`).
                    #[inline(always)]
                    |l, v| unsafe { s.load_f16(from.add(l * link + v * vector)) },
                );
            }
            Precision::Full => {
                let from = page.elements::<f32>()[all].as_ptr();
                self.fill(
                    s,
                    links,
                    vectors,
                    // SAFETY: as for halves: `from` reaches to the end of the last vector of the last link.
                    #[inline(always)]
                    |l, v| unsafe { s.load(from.add(l * link + v * vector)) },
                );
            }
            Precision::Eight => {
                let from = page.elements::<u8>()[all].as_ptr();
                self.fill(
                    s,
                    links,
                    vectors,
                    // SAFETY: as for halves: `from` reaches to the end of the last vector of the last link.
                    #[inline(always)]
                    |l, v| unsafe {
                        s.mul(s.load_i8(from.add(l * link + v * vector)), scale(l, v))
                    },
                );
            }
        }
    }

    #[inline(always)]
    fn fill<S: Vector>(
        &mut self,
        s: S,
        links: Range<usize>,
        vectors: Range<usize>,
        load: impl Fn(usize, usize) -> S::F,
    ) {
        assert!(links.end <= SIDE && vectors.end <= SIDE / LANES, "inside");
        for link in links {
            for v in vectors.clone() {
                // SAFETY: a panel has 64 rows of 4 vectors, and the assertion bounds `link` and `v` by them.
                unsafe {
                    let at = self.0.as_mut_ptr().add(link * SIDE + v * LANES);
                    s.store(at, load(link, v));
                }
            }
        }
    }
}

/// Scales of the groups of `dims`, `skip` groups further on, for each position of the page; zeros if it has none.
#[inline(always)]
fn scales<S: Vector>(
    s: S,
    cache: &KvCache,
    head: usize,
    base: usize,
    dims: Range<usize>,
    skip: usize,
) -> [[f32; SIDE]; SIDE / GROUP] {
    let mut out = [[0.0; SIDE]; SIDE / GROUP];
    if cache.precision != Precision::Eight {
        return out;
    }
    let start = scales_at(cache.heads, cache.dim, head) + (skip + dims.start / GROUP) * SIDE;
    let groups = dims.len().div_ceil(GROUP);
    let all = &cache.page(base).elements::<u16>()[start..start + groups * SIDE];
    for (all, out) in all.chunks_exact(SIDE).zip(&mut out) {
        for i in (0..SIDE).step_by(LANES) {
            // SAFETY: both are 64 long.
            unsafe { s.store(out.as_mut_ptr().add(i), s.load_f16(all.as_ptr().add(i))) };
        }
    }
    out
}
