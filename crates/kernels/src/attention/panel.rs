//! A piece of a page as floats: 64 dimensions of the keys or values of its 64 positions.
//!
//! Keys become `[dimension][position]`, values `[position][dimension]`; both rows are 64 wide. What is not asked for is
//! left as it was.

use super::tile::Source;
use crate::cache::{Cache, GROUP, Precision, keys_at, scales_at, values_at};
use crate::simd::{LANES, Simd};
use std::ops::Range;

/// Links and lanes of a panel: the positions of a page, and as many dimensions.
pub(super) const SIDE: usize = crate::cache::PAGE;

/// 64 rows of 64 floats.
#[repr(C, align(64))]
pub(super) struct Panel([f32; SIDE * SIDE]);

/// Where `load_keys` finds a panel that starts at dimension `dim`.
#[inline(always)]
pub(super) fn keys_source(cache: &Cache, head: usize, base: usize, dim: usize) -> Source {
    let vector = LANES * cache.precision.bytes();
    let at = keys_at(cache.dim, head, base) * cache.precision.bytes() + dim * vector;
    Source {
        start: cache.page(base).elements::<u8>()[at..].as_ptr(),
        link: vector,
        vector: cache.dim * vector,
        odd: cache.dim * vector - vector,
    }
}

/// Where `load_values` finds a panel that starts at dimension `dim`.
#[inline(always)]
pub(super) fn values_source(cache: &Cache, head: usize, base: usize, dim: usize) -> Source {
    let (at, stride) = values_at(cache.dim, head, dim);
    let bytes = cache.precision.bytes();
    Source {
        start: cache.page(base).elements::<u8>()[at * bytes..].as_ptr(),
        link: stride * bytes,
        vector: LANES * bytes,
        odd: 0,
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
    pub(super) fn load_keys<S: Simd>(
        &mut self,
        s: S,
        cache: &Cache,
        head: usize,
        base: usize,
        dims: Range<usize>,
        vectors: Range<usize>,
    ) {
        let start = keys_at(cache.dim, head, base) + dims.start * LANES;
        let stride = cache.dim * LANES;
        let all = start..start + (vectors.end - 1) * stride + dims.len() * LANES;
        let page = cache.page(base);
        let links = 0..dims.len();
        let at = |d: usize, v: usize| v * stride + d * LANES;
        match cache.precision {
            Precision::Half => {
                let keys = page.elements::<u16>()[all].as_ptr();
                self.fill(
                    s,
                    links,
                    vectors,
                    // SAFETY: the slice reaches to the last dimension of the last vector.
                    #[inline(always)]
                    |d, v| unsafe { s.load_f16(keys.add(at(d, v))) },
                );
            }
            Precision::Full => {
                let keys = page.elements::<f32>()[all].as_ptr();
                self.fill(
                    s,
                    links,
                    vectors,
                    // SAFETY: the slice reaches to the last dimension of the last vector.
                    #[inline(always)]
                    |d, v| unsafe { s.load(keys.add(at(d, v))) },
                );
            }
            Precision::Eight => {
                let keys = page.elements::<u8>()[all].as_ptr();
                let scales = scales(s, cache, head, base, dims, 0);
                self.fill(
                    s,
                    links,
                    vectors,
                    // SAFETY: the slice reaches to the last dimension of the last vector.
                    #[inline(always)]
                    |d, v| unsafe {
                        let scale = s.load(scales[d / GROUP].as_ptr().add(v * LANES));
                        s.mul(s.load_i8(keys.add(at(d, v))), scale)
                    },
                );
            }
        }
    }

    /// Dimensions `dims` (whole vectors) of the values of some positions of the page that starts at `base`.
    #[inline(always)]
    pub(super) fn load_values<S: Simd>(
        &mut self,
        s: S,
        cache: &Cache,
        head: usize,
        base: usize,
        dims: Range<usize>,
        positions: Range<usize>,
    ) {
        let (start, stride) = values_at(cache.dim, head, dims.start);
        let all = start..start + positions.end * stride;
        let page = cache.page(base);
        let vectors = 0..dims.len() / LANES;
        let at = |p: usize, v: usize| p * stride + v * LANES;
        match cache.precision {
            Precision::Half => {
                let values = page.elements::<u16>()[all].as_ptr();
                self.fill(
                    s,
                    positions,
                    vectors,
                    // SAFETY: the slice reaches to the end of the last position.
                    #[inline(always)]
                    |p, v| unsafe { s.load_f16(values.add(at(p, v))) },
                );
            }
            Precision::Full => {
                let values = page.elements::<f32>()[all].as_ptr();
                self.fill(
                    s,
                    positions,
                    vectors,
                    // SAFETY: the slice reaches to the end of the last position.
                    #[inline(always)]
                    |p, v| unsafe { s.load(values.add(at(p, v))) },
                );
            }
            Precision::Eight => {
                let values = page.elements::<u8>()[all].as_ptr();
                let scales = scales(s, cache, head, base, dims, cache.dim.div_ceil(GROUP));
                self.fill(
                    s,
                    positions,
                    vectors,
                    // SAFETY: the slice reaches to the end of the last position.
                    #[inline(always)]
                    |p, v| unsafe {
                        let scale = s.splat(scales[v * LANES / GROUP][p]);
                        s.mul(s.load_i8(values.add(at(p, v))), scale)
                    },
                );
            }
        }
    }

    #[inline(always)]
    fn fill<S: Simd>(
        &mut self,
        s: S,
        links: Range<usize>,
        vectors: Range<usize>,
        load: impl Fn(usize, usize) -> S::F,
    ) {
        assert!(links.end <= SIDE && vectors.end <= SIDE / LANES, "inside");
        for link in links {
            for v in vectors.clone() {
                // SAFETY: a panel has 64 rows of 4 vectors.
                unsafe {
                    let at = self.0.as_mut_ptr().add(link * SIDE + v * LANES);
                    s.store(at, load(link, v));
                }
            }
        }
    }
}

/// Scales of the groups of `dims`, `skip` groups further on, for each position of the page.
#[inline(always)]
fn scales<S: Simd>(
    s: S,
    cache: &Cache,
    head: usize,
    base: usize,
    dims: Range<usize>,
    skip: usize,
) -> [[f32; SIDE]; SIDE / GROUP] {
    let start = scales_at(cache.heads, cache.dim, head) + (skip + dims.start / GROUP) * SIDE;
    let groups = dims.len().div_ceil(GROUP);
    let all = &cache.page(base).elements::<u16>()[start..start + groups * SIDE];
    let mut out = [[0.0; SIDE]; SIDE / GROUP];
    for (all, out) in all.chunks_exact(SIDE).zip(&mut out) {
        for i in (0..SIDE).step_by(LANES) {
            // SAFETY: both are 64 long.
            unsafe { s.store(out.as_mut_ptr().add(i), s.load_f16(all.as_ptr().add(i))) };
        }
    }
    out
}
