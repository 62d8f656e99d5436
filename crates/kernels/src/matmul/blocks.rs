//! Products with quantised weights: integers from planes, an exact sum for each block, scales last.
//!
//! One piece of code for every format: `BITS` says which planes there are, `SCALES` how scales are laid out (see
//! `pack`). A format whose scale changes after 16 columns (`SMALL`) keeps two sums a block.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::{Task, Tile};
use crate::activations::Quantized;
use crate::pack::{Plan, scales};
use crate::simd::{Kernel, Simd};

/// Products with quantised weights of `BITS` bits and one of the `scales` layouts.
pub(super) struct Blocks<'a, const BITS: usize, const SCALES: u8>(pub(super) &'a Task<'a>);

impl<const BITS: usize, const SCALES: u8> Kernel for Blocks<'_, BITS, SCALES> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self);
    }
}

impl<const BITS: usize, const SCALES: u8> Blocks<'_, BITS, SCALES> {
    const PLAN: Plan = Plan {
        bits: BITS,
        scales: SCALES,
    };
    const CENTRED: bool = matches!(SCALES, scales::CENTRED | scales::SUPER_CENTRED);
    const SMALL: bool = matches!(SCALES, scales::SUPER_CENTRED | scales::SUPER_SMALL);
    const MINIMUM: bool = matches!(
        SCALES,
        scales::MINIMUM | scales::SUPER | scales::SUPER_SMALL
    );

    /// What was added to make the integers unsigned, as far as `dot` has not taken it off.
    #[inline(always)]
    const fn offset<S: Simd>() -> i32 {
        match (Self::CENTRED, BITS) {
            (false, _) => 0,
            (true, 8) => S::FULL_BIAS,
            (true, bits) => 1 << (bits - 1),
        }
    }

    /// Scales and minimums of a block: two of each where they change after 16 columns.
    #[inline(always)]
    unsafe fn scales<S: Simd>(s: S, head: [S::F; 2], p: *const u8) -> [[S::F; 2]; 2] {
        let zero = s.splat(0.0);
        // SAFETY: the caller vouches for a block at `p`; a block starts with its scales.
        unsafe {
            match SCALES {
                scales::CENTRED => [[s.load_f16(p.cast()), zero], [zero, zero]],
                scales::MINIMUM => [
                    [s.load_f16(p.cast()), zero],
                    [s.load_f16(p.add(32).cast()), zero],
                ],
                scales::SUPER => [
                    [s.mul(head[0], s.load_u8(p)), zero],
                    [s.mul(head[1], s.load_u8(p.add(16))), zero],
                ],
                scales::SUPER_CENTRED => [
                    [
                        s.mul(head[0], s.load_i8(p)),
                        s.mul(head[0], s.load_i8(p.add(16))),
                    ],
                    [zero, zero],
                ],
                _ => [
                    [
                        s.mul(head[0], s.load_u8(p)),
                        s.mul(head[0], s.load_u8(p.add(16))),
                    ],
                    [
                        s.mul(head[1], s.load_u8(p.add(32))),
                        s.mul(head[1], s.load_u8(p.add(48))),
                    ],
                ],
            }
        }
    }

    /// The halves in front of a unit: scale, and minus the scale of the minimums.
    #[inline(always)]
    unsafe fn head<S: Simd>(s: S, p: *const u8) -> [S::F; 2] {
        let zero = s.splat(0.0);
        // SAFETY: the caller vouches for a unit at `p`; a unit starts with its halves.
        unsafe {
            match SCALES {
                scales::SUPER | scales::SUPER_SMALL => [
                    s.load_f16(p.cast()),
                    s.mul(s.splat(-1.0), s.load_f16(p.add(32).cast())),
                ],
                scales::SUPER_CENTRED => [s.load_f16(p.cast()), zero],
                _ => [zero, zero],
            }
        }
    }

    /// Four columns of 16 rows: word `Q` of the planes at `p`.
    #[inline(always)]
    unsafe fn quants<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
        // SAFETY: the caller vouches for the planes of a block at `p`.
        unsafe {
            match BITS {
                2 => pair::<S, Q>(s, p),
                3 => {
                    s.or_shifted::<2>(pair::<S, Q>(s, p), s.bits::<Q>(s.load_bytes(p.add(128)), 1))
                }
                4 => nibble::<S, Q>(s, p),
                5 => s.or_shifted::<4>(
                    nibble::<S, Q>(s, p),
                    s.bits::<Q>(s.load_bytes(p.add(256)), 1),
                ),
                6 => s.or_shifted::<4>(nibble::<S, Q>(s, p), pair::<S, Q>(s, p.add(256))),
                _ => s.load_bytes(p.add(64 * Q as usize)),
            }
        }
    }

    /// Adds word `Q` of a block to the integer sums of all tokens.
    #[inline(always)]
    unsafe fn step<S: Simd, const T: usize, const Q: u32>(
        s: S,
        p: *const u8,
        x: Inputs,
        sums: &mut [[S::I; 2]; T],
    ) {
        // SAFETY: as for `quants`.
        let u = unsafe { Self::quants::<S, Q>(s, p) };
        let half = if Self::SMALL && Q >= 4 { 1 } else { 0 };
        for t in 0..T {
            // SAFETY: the caller vouches for `T` tokens.
            let word = unsafe { x.token(t) }.words[Q as usize];
            sums[t][half] = if BITS == 8 {
                s.dot_full(sums[t][half], u, word)
            } else {
                s.dot(sums[t][half], u, word)
            };
        }
    }

    /// Adds one block of 32 columns to the accumulators of a row group.
    #[inline(always)]
    unsafe fn block<S: Simd, const T: usize>(
        s: S,
        head: [S::F; 2],
        p: *const u8,
        x: Inputs,
        acc: &mut [S::F; T],
    ) {
        // SAFETY: the caller vouches for a block at `p`.
        unsafe {
            let [scale, min] = Self::scales(s, head, p);
            let mut sums = [[s.splat_int(0); 2]; T];
            if Self::CENTRED {
                for t in 0..T {
                    let [first, second] = x.token(t).sums;
                    if Self::SMALL {
                        sums[t][0] = s.splat_int(-Self::offset::<S>() * first);
                        sums[t][1] = s.splat_int(-Self::offset::<S>() * second);
                    } else {
                        sums[t][0] = s.splat_int(-Self::offset::<S>() * (first + second));
                    }
                }
            }
            let planes = p.add(Self::PLAN.scale_bytes());
            Self::step::<S, T, 0>(s, planes, x, &mut sums);
            Self::step::<S, T, 1>(s, planes, x, &mut sums);
            Self::step::<S, T, 2>(s, planes, x, &mut sums);
            Self::step::<S, T, 3>(s, planes, x, &mut sums);
            Self::step::<S, T, 4>(s, planes, x, &mut sums);
            Self::step::<S, T, 5>(s, planes, x, &mut sums);
            Self::step::<S, T, 6>(s, planes, x, &mut sums);
            Self::step::<S, T, 7>(s, planes, x, &mut sums);
            for t in 0..T {
                let d = s.splat(x.token(t).d);
                for half in 0..if Self::SMALL { 2 } else { 1 } {
                    acc[t] = s.fma(s.float(sums[t][half]), s.mul(scale[half], d), acc[t]);
                    if Self::MINIMUM {
                        let sum = x.token(t).scaled_sums[if Self::SMALL { half } else { 2 }];
                        acc[t] = s.fma(min[half], s.splat(sum), acc[t]);
                    }
                }
            }
        }
    }
}

impl<const BITS: usize, const SCALES: u8> Tile for Blocks<'_, BITS, SCALES> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let plan = Self::PLAN;
        let blocks = task.w.cols() / 32;
        let per_unit = plan.unit_cols() / 32;
        let mut w = [std::ptr::null(); G];
        for k in 0..G {
            let bytes = task.w.group(group + k * share);
            assert_eq!(bytes.len(), blocks / per_unit * plan.unit_bytes());
            w[k] = bytes.as_ptr();
        }
        let x = &task.x.packed()[token * blocks..(token + T) * blocks];
        let mut acc = [[s.splat(0.0); T]; G];
        let mut heads = [[s.splat(0.0); 2]; G];
        for unit in 0..blocks / per_unit {
            for g in 0..G {
                // SAFETY: the length of a group was checked above: `unit` is inside it.
                heads[g] = unsafe { Self::head(s, w[g].add(unit * plan.unit_bytes())) };
            }
            for i in 0..per_unit {
                let at = unit * plan.unit_bytes() + plan.head_bytes() + i * plan.block_bytes();
                for g in 0..G {
                    // SAFETY: as above; `at` is the start of a block of that unit, and `x` has a block
                    // for each block of the row and each of the `T` tokens.
                    unsafe {
                        let x = Inputs {
                            first: x.as_ptr().add(unit * per_unit + i),
                            stride: blocks,
                        };
                        Self::block(s, heads[g], w[g].add(at), x, &mut acc[g]);
                    }
                }
            }
        }
        acc
    }
}

/// One block of the inputs of several tokens.
#[derive(Clone, Copy)]
struct Inputs {
    first: *const Quantized,
    /// Blocks from one token to the next.
    stride: usize,
}

impl Inputs {
    /// # Safety
    /// `t` is one of the tokens that the tile was made for.
    #[inline(always)]
    unsafe fn token<'a>(self, t: usize) -> &'a Quantized {
        // SAFETY: as above; the block outlives the tile.
        unsafe { &*self.first.add(t * self.stride) }
    }
}

/// Word `Q` of a 4-bit plane.
#[inline(always)]
unsafe fn nibble<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
    // SAFETY: the caller vouches for a 4-bit plane (4 vectors) at `p`.
    let v = unsafe { s.load_bytes(p.add(64 * (Q as usize / 2))) };
    if Q.is_multiple_of(2) {
        s.bits::<0>(v, 15)
    } else {
        s.bits::<4>(v, 15)
    }
}

/// Word `Q` of a 2-bit plane.
#[inline(always)]
unsafe fn pair<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
    // SAFETY: the caller vouches for a 2-bit plane (2 vectors) at `p`.
    let v = unsafe { s.load_bytes(p.add(64 * (Q as usize / 4))) };
    match Q % 4 {
        0 => s.bits::<0>(v, 3),
        1 => s.bits::<2>(v, 3),
        2 => s.bits::<4>(v, 3),
        _ => s.bits::<6>(v, 3),
    }
}
