//! GEMM of every quantised format but Q4_0: exact integer sums over blocks of 32 columns, then f32 scales.
//!
//! One piece of code for all of them: `BITS` says which bit planes a block has, `SCALES` how its scales are laid out
//! (see `pack`), `CODES` that the planes hold codes, places in a table of integers. Which table is a value, not a
//! parameter, so that formats share code. A format whose scale changes after 16 columns (`SMALL`) keeps two sums per
//! block.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

#[cfg(target_arch = "x86_64")]
pub(super) mod amx;

use super::{GemmTask, GemmTile, is_first_pass, prefetch_block};
use crate::Format;
use crate::activations::{Activations, QuantizedBlock, filled};
use crate::block::Codebook;
use crate::pack::{PackedLayout, scales};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Amx, Avx512};
use crate::simd::{Kernel, Simd, TileKernel};

/// Planes hold integers.
pub(super) const LINEAR: bool = false;
/// Planes hold codes.
pub(super) const LOOKUP: bool = true;

/// GEMM with weights of `BITS` bits and one of the `scales` layouts.
pub(super) struct Per32Gemm<'a, const BITS: usize, const SCALES: u8, const CODES: bool> {
    task: &'a GemmTask<'a>,
    /// The tokens before it are done.
    first_token: usize,
}

/// A codebook in registers; for formats without one, nothing that is read.
#[derive(Clone, Copy)]
pub(super) struct Lookup<S: Simd> {
    table: S::B,
    factor: S::F,
}

impl<S: Simd> Lookup<S> {
    #[inline(always)]
    pub(super) fn new(s: S, format: Format) -> Self {
        let (table, factor) = match Codebook::of(format) {
            Some(codebook) => (codebook.table, codebook.factor),
            None => ([0; 16], 1.0),
        };
        Self {
            table: s.splat_table(&table),
            factor: s.splat(factor),
        }
    }
}

impl<const BITS: usize, const SCALES: u8, const CODES: bool> Kernel
    for Per32Gemm<'_, BITS, SCALES, CODES>
{
    type Output = ();
    const DOTS: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.task.tiles(s, &self, self.first_token);
    }
}

impl<const BITS: usize, const SCALES: u8, const CODES: bool> TileKernel
    for Per32Gemm<'_, BITS, SCALES, CODES>
{
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn run_tiles(self, s: Avx512, amx: Amx) -> Self {
        let first_token = self.tokens_by_tiles(s, amx);
        Self {
            first_token,
            ..self
        }
    }
}

impl<'a, const BITS: usize, const SCALES: u8, const CODES: bool>
    Per32Gemm<'a, BITS, SCALES, CODES>
{
    pub(super) const LAYOUT: PackedLayout = PackedLayout {
        bits: BITS,
        scales: SCALES,
    };
    /// What was added to make the integers unsigned.
    pub(super) const OFFSET: u8 = match SCALES {
        _ if CODES => 128,
        scales::CENTRED | scales::SUPER_CENTRED => 1 << (BITS - 1),
        scales::TERNARY => 1,
        _ => 0,
    };
    pub(super) const SMALL: bool = matches!(
        SCALES,
        scales::SUPER_CENTRED | scales::SUPER_SMALL | scales::CENTRED_SMALL
    );
    /// Sums that a block has: two where the scale changes after 16 columns.
    pub(super) const HALVES: usize = if Self::SMALL { 2 } else { 1 };
    pub(super) const MINIMUM: bool = matches!(
        SCALES,
        scales::MINIMUM | scales::SUPER | scales::SUPER_SMALL | scales::BINARY
    );

    pub(super) const fn of(task: &'a GemmTask<'a>) -> Self {
        Self {
            task,
            first_token: 0,
        }
    }

    /// `OFFSET` as far as the ISA's `dots` have not taken it off.
    #[inline(always)]
    const fn offset<S: Simd>() -> i32 {
        match Self::OFFSET {
            128 => S::FULL_BIAS,
            offset => offset as i32,
        }
    }

    /// Scales and minimums of a block: two of each where they change after 16 columns.
    ///
    /// # Safety
    /// A packed block of this format is at `p`.
    #[inline(always)]
    pub(super) unsafe fn scales<S: Simd>(s: S, head: [S::F; 2], p: *const u8) -> [[S::F; 2]; 2] {
        let zero = s.splat(0.0);
        // SAFETY: a block at `p` starts with `scale_bytes()` bytes of scales, of which each layout below reads all.
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
                scales::SUPER_SIGNED => [[s.mul(head[0], s.load_i8(p)), zero], [zero, zero]],
                scales::EXPONENT => [[s.load_exponents(p), zero], [zero, zero]],
                scales::CENTRED_SMALL => [
                    [s.load_f16(p.cast()), s.load_f16(p.add(32).cast())],
                    [zero, zero],
                ],
                scales::TERNARY | scales::BINARY => [[head[0], zero], [head[1], zero]],
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

    /// What is in front of a unit: a scale, perhaps of scales, and minus that of the minimums.
    ///
    /// # Safety
    /// A packed unit of this format is at `p`.
    #[inline(always)]
    pub(super) unsafe fn head<S: Simd>(s: S, lookup: Lookup<S>, p: *const u8) -> [S::F; 2] {
        let zero = s.splat(0.0);
        // SAFETY: a unit at `p` starts with `head_bytes()` bytes: 16 halves for each that is read below.
        unsafe {
            match SCALES {
                scales::SUPER | scales::SUPER_SMALL => [
                    s.load_f16(p.cast()),
                    s.mul(s.splat(-1.0), s.load_f16(p.add(32).cast())),
                ],
                scales::SUPER_CENTRED | scales::SUPER_SIGNED if CODES => {
                    [s.mul(lookup.factor, s.load_f16(p.cast())), zero]
                }
                scales::SUPER_CENTRED | scales::TERNARY => [s.load_f16(p.cast()), zero],
                // Ones are 2d − d, zeros −d.
                scales::BINARY => {
                    let d = s.load_f16(p.cast());
                    [s.mul(s.splat(2.0), d), s.mul(s.splat(-1.0), d)]
                }
                _ => [zero, zero],
            }
        }
    }

    /// Four columns of 16 rows: word `Q` (0 to 7) of the planes at `p`.
    ///
    /// # Safety
    /// The planes of a packed block of this format are at `p`.
    #[inline(always)]
    unsafe fn quants<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
        // SAFETY: planes have 64 · BITS bytes: a 4-bit plane 256, a 2-bit plane 128, a 1-bit plane 64, in this order.
        unsafe {
            match BITS {
                1 => s.bits::<Q>(s.load_bytes(p), 1),
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

    /// What the planes of a block hold: eight words of four columns.
    ///
    /// # Safety
    /// The planes of a packed block of this format are at `p`.
    #[inline(always)]
    pub(super) unsafe fn unpack<S: Simd>(s: S, p: *const u8) -> [S::B; 8] {
        // SAFETY: the planes at `p`, which the caller promises, are what `quants` needs.
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

    /// The unsigned integers of a block: eight words of four columns.
    ///
    /// # Safety
    /// The planes of a packed block of this format are at `p`.
    #[inline(always)]
    pub(super) unsafe fn integers<S: Simd>(s: S, lookup: Lookup<S>, p: *const u8) -> [S::B; 8] {
        // SAFETY: the planes at `p`, which the caller promises, are what `unpack` needs.
        let mut words = unsafe { Self::unpack(s, p) };
        if CODES {
            for q in 0..8 {
                words[q] = s.lookup(lookup.table, words[q]);
            }
        }
        words
    }

    /// What the integer sums of a block start from: −offset · Σq, because Σ (u − offset) · q = Σ u · q − offset · Σq
    /// and the instructions multiply unsigned u. Two where the scale changes after 16 columns.
    #[inline(always)]
    fn starts<S: Simd>(s: S, x: &QuantizedBlock) -> [S::I; 2] {
        let none = s.splat_int(0);
        let [first, second] = x.sums;
        let minus = -Self::offset::<S>();
        match (Self::OFFSET, Self::SMALL) {
            (0, _) => [none, none],
            (_, true) => [s.splat_int(minus * first), s.splat_int(minus * second)],
            (_, false) => [s.splat_int(minus * (first + second)), none],
        }
    }

    /// `dots` of integers: those of a codebook have eight bits.
    #[inline(always)]
    fn dots<S: Simd, const N: usize>(s: S, acc: S::I, u: &[S::B; N], x: &[i32; N]) -> S::I {
        match CODES {
            true => s.dots::<8, N>(acc, u, x),
            false => s.dots::<BITS, N>(acc, u, x),
        }
    }

    /// `dots` of two tokens.
    #[inline(always)]
    fn pair_dots<S: Simd, const N: usize>(
        s: S,
        acc: [S::I; 2],
        u: &[S::B; N],
        x: [&[i32; N]; 2],
    ) -> [S::I; 2] {
        match CODES {
            true => s.pair_dots::<8, N>(acc, u, x),
            false => s.pair_dots::<BITS, N>(acc, u, x),
        }
    }

    /// Σ (u − offset) · q of a block; two sums where the scale changes after 16 columns.
    #[inline(always)]
    fn sums<S: Simd>(s: S, u: &[S::B; 8], x: &QuantizedBlock) -> [S::I; 2] {
        let [first, second] = Self::starts(s, x);
        if !Self::SMALL {
            return [Self::dots(s, first, u, &x.words), second];
        }
        let (u, x) = (halves(u), halves(&x.words));
        [
            Self::dots(s, first, &u[0], &x[0]),
            Self::dots(s, second, &u[1], &x[1]),
        ]
    }

    /// `sums` of two tokens.
    #[inline(always)]
    fn pair_sums<S: Simd>(s: S, u: &[S::B; 8], x: [&QuantizedBlock; 2]) -> [[S::I; 2]; 2] {
        let [[a, c], [b, d]] = [Self::starts(s, x[0]), Self::starts(s, x[1])];
        if !Self::SMALL {
            let [a, b] = Self::pair_dots(s, [a, b], u, [&x[0].words, &x[1].words]);
            return [[a, c], [b, d]];
        }
        let (u, x, y) = (halves(u), halves(&x[0].words), halves(&x[1].words));
        let [a, b] = Self::pair_dots(s, [a, b], &u[0], [&x[0], &y[0]]);
        let [c, d] = Self::pair_dots(s, [c, d], &u[1], [&x[1], &y[1]]);
        [[a, c], [b, d]]
    }

    /// Adds the sums of a block, times their scales, and its minimums to the accumulator of a token.
    #[inline(always)]
    fn add<S: Simd>(
        s: S,
        [scale, min]: [[S::F; 2]; 2],
        sums: [S::I; 2],
        x: &QuantizedBlock,
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
    ///
    /// # Safety
    /// A packed block of this format is at `p`, and blocks of `T` tokens are at `x`.
    #[inline(always)]
    unsafe fn block<S: Simd, const T: usize>(
        s: S,
        (lookup, head, is_first): (Lookup<S>, [S::F; 2], bool),
        p: *const u8,
        x: *const QuantizedBlock,
        acc: &mut [S::F; T],
    ) {
        // SAFETY: a block is its scales and then its planes, and `t`, `t + 1` are below `T`: a tile of more than one
        // token has an even number of them.
        unsafe {
            let scales = Self::scales(s, head, p);
            // Unpacked once, multiplied with every token of the tile.
            let u = Self::integers(s, lookup, p.add(Self::LAYOUT.scale_bytes()));
            if is_first {
                prefetch_block(s, p, Self::LAYOUT.block_bytes());
            }
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

impl<const BITS: usize, const SCALES: u8, const CODES: bool> GemmTile
    for Per32Gemm<'_, BITS, SCALES, CODES>
{
    #[inline(always)]
    fn tokens(&self, x: &Activations) -> usize {
        filled(x.rows())
    }

    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &GemmTask<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let layout = Self::LAYOUT;
        let blocks = task.w.cols() / 32;
        let per_unit = layout.unit_cols() / 32;
        let mut w = [std::ptr::null(); G];
        for k in 0..G {
            let bytes = task.w.group(group + k * share);
            assert_eq!(bytes.len(), blocks / per_unit * layout.unit_bytes());
            w[k] = bytes.as_ptr();
        }
        let inputs = task.x.per32(token);
        let x = inputs.check(blocks, T);
        let lookup = Lookup::new(s, task.w.format());
        let mut acc = [[s.splat(0.0); T]; G];
        let mut heads = [[s.splat(0.0); 2]; G];
        let is_first = is_first_pass::<T>(token, self.first_token);
        for unit in 0..blocks / per_unit {
            unroll!(for g in 0..G {
                // SAFETY: the assertion above: a group has `blocks / per_unit` units of `unit_bytes` each.
                heads[g] = unsafe { Self::head(s, lookup, w[g].add(unit * layout.unit_bytes())) };
            });
            for i in 0..per_unit {
                let at =
                    unit * layout.unit_bytes() + layout.head_bytes() + i * layout.block_bytes();
                unroll!(for g in 0..G {
                    // SAFETY: `at` is the start of block `i` of that unit, and `inputs.check` found `blocks` blocks of
                    // at least `T` tokens, `inputs.tokens` apart.
                    unsafe {
                        let x = x.add((unit * per_unit + i) * inputs.tokens);
                        let with = (lookup, heads[g], is_first);
                        Self::block(s, with, w[g].add(at), x, &mut acc[g]);
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
///
/// # Safety
/// A 4-bit plane, 4 vectors of 64 bytes, is at `p`, and Q is below 8.
#[inline(always)]
unsafe fn nibble<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
    // SAFETY: vector Q / 2 of the four.
    let v = unsafe { s.load_bytes(p.add(64 * (Q as usize / 2))) };
    if Q.is_multiple_of(2) {
        s.bits::<0>(v, 15)
    } else {
        s.bits::<4>(v, 15)
    }
}

/// Word `Q` of a 2-bit plane.
///
/// # Safety
/// A 2-bit plane, 2 vectors of 64 bytes, is at `p`, and Q is below 8.
#[inline(always)]
unsafe fn pair<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
    // SAFETY: vector Q / 4 of the two.
    let v = unsafe { s.load_bytes(p.add(64 * (Q as usize / 4))) };
    match Q % 4 {
        0 => s.bits::<0>(v, 3),
        1 => s.bits::<2>(v, 3),
        2 => s.bits::<4>(v, 3),
        _ => s.bits::<6>(v, 3),
    }
}
