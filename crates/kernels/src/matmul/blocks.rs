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
#[cfg(target_arch = "x86_64")]
use crate::simd::{Amx, Avx512};
use crate::simd::{Kernel, Simd};

/// Products with quantised weights of `BITS` bits and one of the `scales` layouts.
pub(super) struct Blocks<'a, const BITS: usize, const SCALES: u8>(pub(super) &'a Task<'a>);

impl<const BITS: usize, const SCALES: u8> Kernel for Blocks<'_, BITS, SCALES> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self, 0);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn run_with_tiles(self, s: Avx512, amx: Amx) {
        let done = self.run_tiles(s, amx);
        self.0.tiles(s, &self, done);
    }
}

impl<const BITS: usize, const SCALES: u8> Blocks<'_, BITS, SCALES> {
    pub(super) const PLAN: Plan = Plan {
        bits: BITS,
        scales: SCALES,
    };
    pub(super) const CENTRED: bool = matches!(SCALES, scales::CENTRED | scales::SUPER_CENTRED);
    pub(super) const SMALL: bool = matches!(SCALES, scales::SUPER_CENTRED | scales::SUPER_SMALL);
    /// Sums that a block has: two where the scale changes after 16 columns.
    pub(super) const HALVES: usize = if Self::SMALL { 2 } else { 1 };
    pub(super) const MINIMUM: bool = matches!(
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
    pub(super) unsafe fn scales<S: Simd>(s: S, head: [S::F; 2], p: *const u8) -> [[S::F; 2]; 2] {
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
    pub(super) unsafe fn head<S: Simd>(s: S, p: *const u8) -> [S::F; 2] {
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

    /// The integers of a block: eight words of four columns.
    #[inline(always)]
    pub(super) unsafe fn unpack<S: Simd>(s: S, p: *const u8) -> [S::B; 8] {
        // SAFETY: the caller vouches for the planes of a block at `p`.
        unsafe {
            [
                Self::quants::<S, 0>(s, p),
                Self::quants::<S, 1>(s, p),
                Self::quants::<S, 2>(s, p),
                Self::quants::<S, 3>(s, p),
                Self::quants::<S, 4>(s, p),
                Self::quants::<S, 5>(s, p),
                Self::quants::<S, 6>(s, p),
                Self::quants::<S, 7>(s, p),
            ]
        }
    }

    /// What the sums of a block start from: −offset · Σq; two where the scale changes after 16 columns.
    #[inline(always)]
    fn starts<S: Simd>(s: S, x: &Quantized) -> [S::I; 2] {
        let none = s.splat_int(0);
        let [first, second] = x.sums;
        let minus = -Self::offset::<S>();
        match (Self::CENTRED, Self::SMALL) {
            (false, _) => [none, none],
            (true, true) => [s.splat_int(minus * first), s.splat_int(minus * second)],
            (true, false) => [s.splat_int(minus * (first + second)), none],
        }
    }

    /// Σ (u − offset) · q of a block; two sums where the scale changes after 16 columns.
    #[inline(always)]
    fn sums<S: Simd>(s: S, u: &[S::B; 8], x: &Quantized) -> [S::I; 2] {
        let [first, second] = Self::starts(s, x);
        if !Self::SMALL {
            return [s.dots::<BITS, 8>(first, u, &x.words), second];
        }
        let (u, x) = (halves(u), halves(&x.words));
        [
            s.dots::<BITS, 4>(first, &u[0], &x[0]),
            s.dots::<BITS, 4>(second, &u[1], &x[1]),
        ]
    }

    /// `sums` of two tokens.
    #[inline(always)]
    fn pair_sums<S: Simd>(s: S, u: &[S::B; 8], x: [&Quantized; 2]) -> [[S::I; 2]; 2] {
        let [[a, c], [b, d]] = [Self::starts(s, x[0]), Self::starts(s, x[1])];
        if !Self::SMALL {
            let [a, b] = s.pair_dots::<BITS, 8>([a, b], u, [&x[0].words, &x[1].words]);
            return [[a, c], [b, d]];
        }
        let (u, x, y) = (halves(u), halves(&x[0].words), halves(&x[1].words));
        let [a, b] = s.pair_dots::<BITS, 4>([a, b], &u[0], [&x[0], &y[0]]);
        let [c, d] = s.pair_dots::<BITS, 4>([c, d], &u[1], [&x[1], &y[1]]);
        [[a, c], [b, d]]
    }

    /// Adds the sums of a block, times their scales, and its minimums to the accumulator of a token.
    #[inline(always)]
    fn add<S: Simd>(
        s: S,
        [scale, min]: [[S::F; 2]; 2],
        sums: [S::I; 2],
        x: &Quantized,
        acc: &mut S::F,
    ) {
        let d = s.splat(x.d);
        for half in 0..Self::HALVES {
            *acc = s.fma(s.float(sums[half]), s.mul(scale[half], d), *acc);
            if Self::MINIMUM {
                let sum = x.scaled_sums[if Self::SMALL { half } else { 2 }];
                *acc = s.fma(min[half], s.splat(sum), *acc);
            }
        }
    }

    /// Adds one block of 32 columns to the accumulators of a row group.
    #[inline(always)]
    unsafe fn block<S: Simd, const T: usize>(
        s: S,
        head: [S::F; 2],
        p: *const u8,
        x: *const Quantized,
        acc: &mut [S::F; T],
    ) {
        // SAFETY: the caller vouches for a block at `p` and for `T` tokens.
        unsafe {
            let scales = Self::scales(s, head, p);
            let u = Self::unpack(s, p.add(Self::PLAN.scale_bytes()));
            unroll!(for t in 0..T {
                if !S::PAIRS || T == 1 {
                    let x = &*x.add(t);
                    Self::add(s, scales, Self::sums(s, &u, x), x, &mut acc[t]);
                } else if t.is_multiple_of(2) {
                    let x = [&*x.add(t), &*x.add(t + 1)];
                    let sums = Self::pair_sums(s, &u, x);
                    Self::add(s, scales, sums[0], x[0], &mut acc[t]);
                    Self::add(s, scales, sums[1], x[1], &mut acc[t + 1]);
                }
            });
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
        let inputs = task.x.narrow(token);
        let x = inputs.check(blocks, T);
        let mut acc = [[s.splat(0.0); T]; G];
        let mut heads = [[s.splat(0.0); 2]; G];
        for unit in 0..blocks / per_unit {
            unroll!(for g in 0..G {
                // SAFETY: the length of a group was checked above: `unit` is inside it.
                heads[g] = unsafe { Self::head(s, w[g].add(unit * plan.unit_bytes())) };
            });
            for i in 0..per_unit {
                let at = unit * plan.unit_bytes() + plan.head_bytes() + i * plan.block_bytes();
                unroll!(for g in 0..G {
                    // SAFETY: as above; `at` is the start of a block of that unit, and `x` has a block
                    // for each block of the row and each of the `T` tokens.
                    unsafe {
                        let x = x.add((unit * per_unit + i) * inputs.tokens);
                        Self::block(s, heads[g], w[g].add(at), x, &mut acc[g]);
                    }
                });
            }
        }
        acc
    }
}

/// The words of columns 0 to 15, and the rest.
#[inline(always)]
const fn halves<A: Copy>(&[a, b, c, d, e, f, g, h]: &[A; 8]) -> [[A; 4]; 2] {
    [[a, b, c, d], [e, f, g, h]]
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
