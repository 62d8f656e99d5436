//! A piece of a page as floats: 64 dimensions of the keys or values of its 64 positions.
//!
//! Keys become `[dimension][position]`, values `[position][dimension]`; both rows are 64 wide. What is not asked for is
//! left as it was.

use super::tile::Source;
use crate::cache::{Cache, Precision, keys_at, values_at};
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
        let at = keys_at(cache.dim, head, base) + dims.start * LANES;
        let stride = cache.dim * LANES;
        let end = at + (vectors.end - 1) * stride + dims.len() * LANES;
        assert!(dims.len() <= SIDE && vectors.end <= SIDE / LANES);
        let page = cache.page(base);
        match cache.precision {
            Precision::Half => {
                let keys = &page.elements::<u16>()[at..end];
                for d in 0..dims.len() {
                    for v in vectors.clone() {
                        // SAFETY: `keys` reaches to the last dimension of the last vector, the panel has 64 rows of 4 vectors.
                        unsafe {
                            let x = s.load_f16(keys.as_ptr().add(v * stride + d * LANES));
                            s.store(self.0.as_mut_ptr().add(d * SIDE + v * LANES), x);
                        }
                    }
                }
            }
            Precision::Full => {
                let keys = &page.elements::<f32>()[at..end];
                for d in 0..dims.len() {
                    for v in vectors.clone() {
                        // SAFETY: as above.
                        unsafe {
                            let x = s.load(keys.as_ptr().add(v * stride + d * LANES));
                            s.store(self.0.as_mut_ptr().add(d * SIDE + v * LANES), x);
                        }
                    }
                }
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
        let (at, stride) = values_at(cache.dim, head, dims.start);
        let end = at + positions.end * stride;
        assert!(dims.len() <= stride && stride <= SIDE && positions.end <= SIDE);
        let page = cache.page(base);
        match cache.precision {
            Precision::Half => {
                let values = &page.elements::<u16>()[at..end];
                for p in positions {
                    for d in (0..dims.len()).step_by(LANES) {
                        // SAFETY: `values` reaches to the end of the last position, the panel has 64 rows of 64.
                        unsafe {
                            let x = s.load_f16(values.as_ptr().add(p * stride + d));
                            s.store(self.0.as_mut_ptr().add(p * SIDE + d), x);
                        }
                    }
                }
            }
            Precision::Full => {
                let values = &page.elements::<f32>()[at..end];
                for p in positions {
                    for d in (0..dims.len()).step_by(LANES) {
                        // SAFETY: as above.
                        unsafe {
                            let x = s.load(values.as_ptr().add(p * stride + d));
                            s.store(self.0.as_mut_ptr().add(p * SIDE + d), x);
                        }
                    }
                }
            }
        }
    }
}
