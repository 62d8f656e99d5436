//! GEMM with exact integer sums over 256 columns (a unit), then one f32 scale: Q4_0, Q3_K, Q4_K, Q5_K and Q6_K.
//!
//! A block's scale is a whole multiple of what its unit shares: of a step in Q4_0 (see `pack`), of the super-block's
//! half in K formats. So the multiples are part of the integer sum. That is one float operation per 256 columns instead
//! of eight or sixteen, and AMX tile registers stay loaded for a whole unit. Minimums, too, are whole multiples: their
//! sum is a second integer.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

#[cfg(target_arch = "x86_64")]
mod amx;

use super::per32::{LINEAR, Per32Gemm};
use super::{GemmTask, GemmTile, prefetch_block};
use crate::activations::{BLOCK, Outlier, Outliers, Quarter, UNIT, UnitInputs, UnitSums};
use crate::pack::{PackedLayout, scales};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Amx, Avx512};
use crate::simd::{Kernel, Simd, TileKernel};

/// Blocks of a whole unit.
const BLOCKS: usize = UNIT / BLOCK;

/// GEMM with weights of `BITS` bits and one of the `scales` layouts.
pub(super) struct Per256Gemm<'a, const BITS: usize, const SCALES: u8> {
    task: &'a GemmTask<'a>,
    /// The tokens before it are done.
    first_token: usize,
}

impl<const BITS: usize, const SCALES: u8> Kernel for Per256Gemm<'_, BITS, SCALES> {
    type Output = ();
    const DOTS: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.task.tiles(s, &self, self.first_token);
    }
}

impl<const BITS: usize, const SCALES: u8> TileKernel for Per256Gemm<'_, BITS, SCALES> {
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

impl<'a, const BITS: usize, const SCALES: u8> Per256Gemm<'a, BITS, SCALES> {
    const LAYOUT: PackedLayout = PackedLayout {
        bits: BITS,
        scales: SCALES,
    };
    /// What was added to make the integers unsigned.
    const OFFSET: i32 = match SCALES {
        scales::STEPS | scales::SUPER_CENTRED => 1 << (BITS - 1),
        _ => 0,
    };
    /// Whether a block's scales are 16-bit multiples of a step.
    const STEPS: bool = SCALES == scales::STEPS;
    /// Whether the scale changes after 16 columns.
    const SMALL: bool = SCALES == scales::SUPER_CENTRED;
    const MINIMUM: bool = SCALES == scales::SUPER;

    pub(super) const fn of(task: &'a GemmTask<'a>) -> Self {
        Self {
            task,
            first_token: 0,
        }
    }

    /// The bytes of a row group.
    #[inline(always)]
    fn weights(&self, group: usize) -> *const u8 {
        let bytes = self.task.w.group(group);
        assert_eq!(bytes.len(), Self::LAYOUT.group_bytes(self.task.w.cols()));
        bytes.as_ptr()
    }

    /// Units of a row.
    #[inline(always)]
    fn units(&self) -> usize {
        self.task.w.cols().div_ceil(UNIT)
    }

    /// Blocks of a unit.
    #[inline(always)]
    fn blocks(&self, unit: usize) -> usize {
        BLOCKS.min(self.task.w.cols() / BLOCK - unit * BLOCKS)
    }

    /// What the integers of 16 rows are multiples of, in a unit: weights, and minimums with their sign.
    ///
    /// # Safety
    /// A packed unit is at `p`.
    #[inline(always)]
    unsafe fn head<S: Simd>(s: S, p: *const u8) -> [S::F; 2] {
        // SAFETY: a unit starts with `head_bytes()` bytes: the steps' exponents, biased as those of an `f32` are, or 16
        // halves, or twice 16.
        unsafe {
            match SCALES {
                scales::STEPS => [s.load_exponents(p), s.splat(0.0)],
                scales::SUPER => [
                    s.load_f16(p.cast()),
                    s.mul(s.splat(-1.0), s.load_f16(p.add(32).cast())),
                ],
                _ => [s.load_f16(p.cast()), s.splat(0.0)],
            }
        }
    }

    /// Where a block of the unit at `p` is.
    #[inline(always)]
    const fn block(p: *const u8, block: usize) -> *const u8 {
        p.wrapping_add(Self::LAYOUT.head_bytes() + block * Self::LAYOUT.block_bytes())
    }

    /// The unsigned integers of the block at `p`: eight words of four columns.
    ///
    /// # Safety
    /// A packed block is at `p`.
    #[inline(always)]
    unsafe fn integers<S: Simd>(s: S, p: *const u8) -> [S::B; 8] {
        // SAFETY: a block is its scales and then its planes.
        unsafe { Per32Gemm::<BITS, SCALES, LINEAR>::unpack(s, p.add(Self::LAYOUT.scale_bytes())) }
    }

    /// Adds a block of 32 columns to the sums of a row group.
    ///
    /// # Safety
    /// A packed block is at `p`, and a unit of each of `T` tokens at `x`, its quarters `step` apart.
    #[inline(always)]
    unsafe fn add_block<S: Simd, const T: usize>(
        s: S,
        p: *const u8,
        (x, step): (UnitInputs, usize),
        block: usize,
        sums: &mut [S::I; T],
    ) {
        // SAFETY: `p` and `x` are as the caller promises; `t`, `t + 1` are below `T` (a tile of more than one token has
        // an even number of them), and `block` is below 8.
        unsafe {
            let factors = Self::factors(s, p);
            let u = Self::integers(s, p);
            if T < 4 {
                prefetch_block(s, p, Self::LAYOUT.block_bytes());
            }
            unroll!(for t in 0..T {
                if !S::PAIRS || T == 1 {
                    let starts = Self::starts(s, x, t, block);
                    let all = Self::dots(s, starts, &u, words(x.quarters.add(t), step, block));
                    sums[t] = Self::add_factors(s, sums[t], all, factors);
                } else if t.is_multiple_of(2) {
                    let starts = [
                        Self::starts(s, x, t, block),
                        Self::starts(s, x, t + 1, block),
                    ];
                    let both = [
                        words(x.quarters.add(t), step, block),
                        words(x.quarters.add(t + 1), step, block),
                    ];
                    let [a, b] = Self::pair_dots(s, starts, &u, both);
                    sums[t] = Self::add_factors(s, sums[t], a, factors);
                    sums[t + 1] = Self::add_factors(s, sums[t + 1], b, factors);
                }
            });
        }
    }

    /// The factors of a block's sums: two where the scale changes after 16 columns.
    ///
    /// # Safety
    /// A packed block is at `p`.
    #[inline(always)]
    unsafe fn factors<S: Simd>(s: S, p: *const u8) -> [S::I; 2] {
        // SAFETY: a block starts with its scales: 16 times 16 bits, or twice 16 bytes (K: the second are minimums where
        // there are any).
        unsafe {
            match SCALES {
                scales::STEPS => [s.load_multiples(p), s.splat_int(0)],
                _ => [s.load_factors(p), s.load_factors(p.add(16))],
            }
        }
    }

    /// What a block's integer sums start from: −offset · Σq, because Σ (u − offset) · q = Σ u · q − offset · Σq and the
    /// instructions multiply unsigned u.
    ///
    /// # Safety
    /// A unit of more than `t` tokens is at `x`, and `block` is below 8.
    #[inline(always)]
    unsafe fn starts<S: Simd>(s: S, x: UnitInputs, t: usize, block: usize) -> [S::I; 2] {
        let none = s.splat_int(0);
        // SAFETY: as the caller promises.
        unsafe {
            match SCALES {
                scales::STEPS => [s.splat_int((*x.starts.add(t))[block]), none],
                scales::SUPER_CENTRED => {
                    let halves = (*x.sums.add(t)).halves;
                    [
                        s.splat_int(-Self::OFFSET * i32::from(halves[2 * block])),
                        s.splat_int(-Self::OFFSET * i32::from(halves[2 * block + 1])),
                    ]
                }
                _ => [none, none],
            }
        }
    }

    /// Σ u · q of a block, on top of where it starts; two sums where the scale changes after 16 columns.
    #[inline(always)]
    fn dots<S: Simd>(s: S, starts: [S::I; 2], u: &[S::B; 8], x: &[i32; 8]) -> [S::I; 2] {
        if !Self::SMALL {
            return [s.dots::<BITS, 8>(starts[0], u, x), starts[1]];
        }
        let (u, x) = (halves(u), halves(x));
        [
            s.dots::<BITS, 4>(starts[0], &u[0], &x[0]),
            s.dots::<BITS, 4>(starts[1], &u[1], &x[1]),
        ]
    }

    /// `dots` of two tokens.
    #[inline(always)]
    fn pair_dots<S: Simd>(
        s: S,
        [a, b]: [[S::I; 2]; 2],
        u: &[S::B; 8],
        x: [&[i32; 8]; 2],
    ) -> [[S::I; 2]; 2] {
        if !Self::SMALL {
            let [first, second] = s.pair_dots::<BITS, 8>([a[0], b[0]], u, x);
            return [[first, a[1]], [second, b[1]]];
        }
        let (u, x, y) = (halves(u), halves(x[0]), halves(x[1]));
        let [c, d] = s.pair_dots::<BITS, 4>([a[0], b[0]], &u[0], [&x[0], &y[0]]);
        let [e, f] = s.pair_dots::<BITS, 4>([a[1], b[1]], &u[1], [&x[1], &y[1]]);
        [[c, e], [d, f]]
    }

    /// `sum` with the sums of a block, times their factors.
    #[inline(always)]
    fn add_factors<S: Simd>(s: S, sum: S::I, block: [S::I; 2], factors: [S::I; 2]) -> S::I {
        match SCALES {
            // Centred sums of 32 columns of four bits fit into 16 bits.
            scales::STEPS => s.add_multiples(sum, block[0], factors[0]),
            scales::SUPER => s.add_products(sum, block[0], factors[0]),
            _ => {
                let sum = s.add_products(sum, block[0], factors[0]);
                s.add_products(sum, block[1], factors[1])
            }
        }
    }

    /// Adds weight · rest for an activation beyond ±127: the sums so far have it clamped.
    ///
    /// # Safety
    /// A packed unit that has the outlier's column is at `p`.
    #[inline(always)]
    unsafe fn add_outlier<S: Simd>(s: S, p: *const u8, outlier: Outlier, sum: &mut S::I) {
        if outlier.rest == 0 {
            return;
        }
        let col = outlier.at as usize % BLOCK;
        // SAFETY: the block is one of the unit's, and the column one of its 32; the weights times their factors have at
        // most 16 bits.
        unsafe {
            let p = Self::block(p, outlier.at as usize / BLOCK);
            let u = Self::column(s, p.add(Self::LAYOUT.scale_bytes()), col);
            let none = s.splat_int(0);
            let factors = Self::factors(s, p);
            let weight = match (Self::STEPS, Self::SMALL && col >= BLOCK / 2) {
                (true, _) => s.add_multiples(none, u, factors[0]),
                (false, second) => s.add_products(none, u, factors[usize::from(second)]),
            };
            *sum = s.add_multiples(*sum, weight, s.splat_multiple(outlier.rest));
        }
    }

    /// The integers of one column, centred.
    ///
    /// # Safety
    /// The planes of a packed block are at `p`, and `col` is below 32.
    #[inline(always)]
    unsafe fn column<S: Simd>(s: S, p: *const u8, col: usize) -> S::I {
        // SAFETY: the planes of a block lie behind each other, the widest first.
        unsafe {
            match BITS {
                4 => plane::<S, 4>(s, p, col, Self::OFFSET),
                3 => {
                    let high = plane::<S, 1>(s, p.add(128), col, 0);
                    s.add_products(plane::<S, 2>(s, p, col, Self::OFFSET), high, s.splat_int(4))
                }
                5 => {
                    let high = plane::<S, 1>(s, p.add(256), col, 0);
                    s.add_products(
                        plane::<S, 4>(s, p, col, Self::OFFSET),
                        high,
                        s.splat_int(16),
                    )
                }
                _ => {
                    let high = plane::<S, 2>(s, p.add(256), col, 0);
                    s.add_products(
                        plane::<S, 4>(s, p, col, Self::OFFSET),
                        high,
                        s.splat_int(16),
                    )
                }
            }
        }
    }

    /// The minimums of a unit, two blocks to a lane.
    ///
    /// # Safety
    /// A packed unit is at `p`.
    #[inline(always)]
    unsafe fn minimums<S: Simd>(s: S, p: *const u8) -> [S::I; BLOCKS / 2] {
        let mut pairs = [s.splat_int(0); BLOCKS / 2];
        for i in 0..BLOCKS / 2 {
            // SAFETY: the second 16 bytes of a block are its minimums.
            unsafe {
                let low = s.load_factors(Self::block(p, 2 * i).add(16));
                let high = s.load_factors(Self::block(p, 2 * i + 1).add(16));
                pairs[i] = s.add_products(low, high, s.splat_int(1 << 16));
            }
        }
        pairs
    }

    /// Σ minimum · Σq over the blocks of a unit.
    ///
    /// # Safety
    /// A packed unit is at `p`.
    #[inline(always)]
    unsafe fn lows<S: Simd>(
        s: S,
        p: *const u8,
        pairs: &[S::I; BLOCKS / 2],
        x: &UnitSums,
        outliers: &Outliers,
    ) -> S::I {
        let mut sum = s.splat_int(0);
        for i in 0..BLOCKS / 2 {
            // Two numbers of 16 bits, the first lowest.
            let low = u32::from(x.blocks[2 * i].cast_unsigned());
            let high = u32::from(x.blocks[2 * i + 1].cast_unsigned());
            sum = s.add_pairs(sum, pairs[i], (low | high << 16).cast_signed());
        }
        for i in 0..2 {
            let outlier = outliers[i];
            if outlier.rest != 0 {
                // SAFETY: an outlier's block is one of the unit's; the second 16 bytes of a block are its minimums.
                unsafe {
                    let p = Self::block(p, outlier.at as usize / BLOCK).add(16);
                    let rest = s.splat_int(i32::from(outlier.rest));
                    sum = s.add_products(sum, s.load_factors(p), rest);
                }
            }
        }
        sum
    }
}

/// The bits of one column in a plane of `BITS` bits, less an offset.
///
/// # Safety
/// Such a plane is at `p`, and `col` is below 32.
#[inline(always)]
unsafe fn plane<S: Simd, const BITS: u32>(s: S, p: *const u8, col: usize, offset: i32) -> S::I {
    // Words of four columns that share a vector.
    let per = 8 / BITS as usize;
    let (word, byte) = (col / 4, 8 * (col % 4) as u32);
    // SAFETY: a plane has as many vectors of 64 bytes as bits, and `word` is below 8.
    let vector = unsafe { s.load_bytes(p.add(64 * (word / per))) };
    let shift = byte + BITS * (word % per) as u32;
    s.field(vector, shift, (1 << BITS) - 1, offset)
}

/// The words of columns 0 to 15, and the rest.
#[inline(always)]
const fn halves<A: Copy>(&[a, b, c, d, e, f, g, h]: &[A; 8]) -> [[A; 4]; 2] {
    [[a, b, c, d], [e, f, g, h]]
}

/// The 32 activations of block `block` of a unit; `quarters` is where the token's first quarter is, the next `step` on.
///
/// # Safety
/// Four quarters of a token lie at `quarters`, `step` apart, for as long as the reference lives; `block` is below 8.
#[inline(always)]
unsafe fn words<'a>(quarters: *const Quarter, step: usize, block: usize) -> &'a [i32; 8] {
    // SAFETY: a quarter is two blocks of eight words, so this is half of quarter `block / 2`.
    unsafe {
        &*quarters
            .add(block / 2 * step)
            .cast::<[i32; 8]>()
            .add(block % 2)
    }
}

impl<const BITS: usize, const SCALES: u8> GemmTile for Per256Gemm<'_, BITS, SCALES> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &GemmTask<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let mut w = [std::ptr::null(); G];
        for k in 0..G {
            w[k] = self.weights(group + k * share);
        }
        let inputs = task.x.per256(token);
        let first = inputs.check(self.units(), T);
        let mut acc = [[s.splat(0.0); T]; G];
        for unit in 0..self.units() {
            // SAFETY: `inputs.check` found `units()` units of at least `T` tokens.
            let x = unsafe { first.unit(unit, inputs.tokens) };
            let at = unit * Self::LAYOUT.unit_bytes();
            let mut sums = [[s.splat_int(0); T]; G];
            for block in 0..self.blocks(unit) {
                unroll!(for g in 0..G {
                    // SAFETY: `weights` checked the group's length: a unit is at `at`, which has block `block`, and `x`
                    // is the same unit of `T` tokens.
                    unsafe {
                        let p = Self::block(w[g].add(at), block);
                        Self::add_block(s, p, (x, inputs.tokens), block, &mut sums[g]);
                    }
                });
            }
            unroll!(for g in 0..G {
                // SAFETY: a unit of the group is at `at`.
                let (p, head) = unsafe { (w[g].add(at), Self::head(s, w[g].add(at))) };
                let pairs = match Self::MINIMUM {
                    // SAFETY: as for the head.
                    true => unsafe { Self::minimums(s, p) },
                    false => [s.splat_int(0); BLOCKS / 2],
                };
                unroll!(for t in 0..T {
                    // SAFETY: `x` has `T` tokens, and an outlier's column is one of the unit's.
                    unsafe {
                        let outliers = &*x.outliers.add(t);
                        Self::add_outlier(s, p, outliers[0], &mut sums[g][t]);
                        Self::add_outlier(s, p, outliers[1], &mut sums[g][t]);
                        let d = s.splat(*x.d.add(t));
                        acc[g][t] = s.fma(s.float(sums[g][t]), s.mul(head[0], d), acc[g][t]);
                        if Self::MINIMUM {
                            let lows = Self::lows(s, p, &pairs, &*x.sums.add(t), outliers);
                            acc[g][t] = s.fma(s.float(lows), s.mul(head[1], d), acc[g][t]);
                        }
                    }
                });
            });
        }
        acc
    }
}
