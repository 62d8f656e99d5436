//! The memory of a layer: the key and the value of each position, for each head.
//!
//! Keys lie in blocks of 16 positions, `[block][dim][16]`, so that a vector holds one dimension of 16 positions; values
//! lie as rows, `[block][16][dim]`. A sliding layer keeps a ring of as many blocks as its window and one batch of queries
//! need. Written by the forward pass, read by `attention`.
//!
//! Left out on purpose: keys and values in 8 bits.

use crate::half::f32_to_f16;
use crate::simd::LANES;

/// What an element of a cache is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// IEEE halves.
    Half,
    /// Full floats, for comparing with references.
    Full,
}

/// Keys and values of one layer.
#[derive(Clone, Debug)]
pub struct Cache {
    pub(crate) heads: usize,
    pub(crate) dim: usize,
    blocks: usize,
    pub(crate) store: Store,
}

#[derive(Clone, Debug)]
pub(crate) enum Store {
    Half { keys: Vec<u16>, values: Vec<u16> },
    Full { keys: Vec<f32>, values: Vec<f32> },
}

impl Cache {
    /// Room for the last `positions` positions (rounded up) of `heads` heads of `dim` elements.
    ///
    /// # Panics
    /// If `dim` is not a multiple of 16.
    pub fn new(precision: Precision, heads: usize, dim: usize, positions: usize) -> Self {
        assert!(dim.is_multiple_of(LANES), "heads of whole vectors");
        // One block more, because a window need not start at a block.
        let blocks = positions.div_ceil(LANES) + 1;
        let len = blocks * LANES * heads * dim;
        let store = match precision {
            Precision::Half => Store::Half {
                keys: vec![0; len],
                values: vec![0; len],
            },
            Precision::Full => Store::Full {
                keys: vec![0.0; len],
                values: vec![0.0; len],
            },
        };
        Self {
            heads,
            dim,
            blocks,
            store,
        }
    }

    /// Positions that are kept at least.
    pub const fn positions(&self) -> usize {
        (self.blocks - 1) * LANES
    }

    /// Whether `position` is still there after `newest` has been written.
    pub const fn holds(&self, position: usize, newest: usize) -> bool {
        position / LANES + self.blocks > newest / LANES
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let elements = 2 * self.blocks * LANES * self.heads * self.dim;
        elements
            * if matches!(self.store, Store::Half { .. }) {
                2
            } else {
                4
            }
    }

    /// Keeps the key and the value (`[heads][dim]`) of a position, in place of the oldest if the ring is full.
    ///
    /// # Panics
    /// If a length is not heads · dim.
    pub fn write(&mut self, position: usize, key: &[f32], value: &[f32]) {
        assert_eq!(key.len(), self.heads * self.dim, "a key");
        assert_eq!(value.len(), self.heads * self.dim, "a value");
        for head in 0..self.heads {
            let (key, value) = (
                &key[head * self.dim..][..self.dim],
                &value[head * self.dim..][..self.dim],
            );
            let block = self.block(head, position / LANES);
            let lane = position % LANES;
            let row = block + lane * self.dim;
            match &mut self.store {
                Store::Half { keys, values } => {
                    for (i, &k) in key.iter().enumerate() {
                        keys[block + i * LANES + lane] = f32_to_f16(k);
                    }
                    for (out, &v) in values[row..].iter_mut().zip(value) {
                        *out = f32_to_f16(v);
                    }
                }
                Store::Full { keys, values } => {
                    for (i, &k) in key.iter().enumerate() {
                        keys[block + i * LANES + lane] = k;
                    }
                    values[row..][..self.dim].copy_from_slice(value);
                }
            }
        }
    }

    /// Where block `index` of a head starts.
    #[inline(always)]
    pub(crate) const fn block(&self, head: usize, index: usize) -> usize {
        (head * self.blocks + index % self.blocks) * LANES * self.dim
    }
}
