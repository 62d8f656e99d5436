//! One vector of sixteen lanes, made from whatever registers the CPU has.
//!
//! Every kernel is written once over [`Vector`] (floats) or [`Simd`] (the integers of a quantised GEMM too) and
//! compiled once for each ISA by [`Isa::run`]. A vector always has 16 lanes: one `zmm`, two `ymm`, four NEON registers
//! or a plain array. Each operation is defined lane by lane and rounds as IEEE 754 says, so every ISA gives the same
//! bits; this is where the numeric contract is kept. `Scalar` is the specification.
//!
//! The types are proof tokens: an `Avx512` exists only where the CPU has AVX-512. The ISA is chosen at run time, not by
//! compiler flags, because a binary is built on one machine and runs on another.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

#[cfg(target_arch = "x86_64")]
use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
pub(crate) use {
    amx::{Amx, Sums},
    avx512::Avx512,
};

#[cfg(target_arch = "aarch64")]
use neon::{DOT, I8MM, Neon, PLAIN};

use scalar::Scalar;
use std::fmt;

/// Lanes of a vector.
pub(crate) const LANES: usize = 16;

/// Sixteen lanes of `f32`: what every kernel uses.
///
/// # Safety of the pointer methods
/// `load*` read and `store` writes a whole vector (16 values) at a pointer of any alignment; the caller promises that
/// those bytes are inside one allocation.
pub(crate) trait Vector: Copy + Send + Sync {
    /// 16 × f32.
    type F: Copy;
    /// Vectors of floats that the registers hold.
    const VECTORS: usize;

    fn splat(self, x: f32) -> Self::F;
    unsafe fn load(self, p: *const f32) -> Self::F;
    unsafe fn load_f16(self, p: *const u16) -> Self::F;
    unsafe fn load_bf16(self, p: *const u16) -> Self::F;
    /// 16 unsigned bytes as floats.
    unsafe fn load_u8(self, p: *const u8) -> Self::F;
    /// 16 signed bytes as floats.
    unsafe fn load_i8(self, p: *const u8) -> Self::F;
    /// 16 bytes that are the exponents of floats, biased by 127: 2^(x − 127), 0 for 0 and infinity for 255.
    unsafe fn load_exponents(self, p: *const u8) -> Self::F;
    unsafe fn store(self, p: *mut f32, x: Self::F);
    /// Prefetch hint; `p` may be any address.
    #[inline(always)]
    fn prefetch(self, _p: *const u8) {}
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// `y` where `x ≥ low`, else 0.
    fn at_least(self, x: Self::F, low: Self::F, y: Self::F) -> Self::F;
    /// `a * b + c`, rounded once.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// Nearest integer, ties to even.
    fn round(self, a: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    /// 2^n for whole n in -126..=127.
    fn pow2(self, n: Self::F) -> Self::F;

    /// Sum of the lanes by the one fixed tree: halves onto halves.
    #[inline(always)]
    fn sum(self, x: Self::F) -> f32 {
        fold(lanes(self, x), |a, b| a + b)
    }

    /// Largest lane, by the same tree with `max`.
    #[inline(always)]
    fn largest(self, x: Self::F) -> f32 {
        fold(lanes(self, x), |a, b| if a > b { a } else { b })
    }
}

/// Sixteen lanes of `i32`, or 16 × 4 bytes: what only the quantised GEMMs and their inputs use.
///
/// # Safety of the pointer methods
/// As for [`Vector`]: a whole vector is inside one allocation.
pub(crate) trait Simd: Vector {
    /// 16 × i32.
    type I: Copy;
    /// 16 lanes of 4 bytes.
    type B: Copy;
    /// Accumulators of a register tile: tokens that a GEMM computes at once without running out of registers.
    const TOKENS: usize;
    /// Row groups that a GEMV streams at once.
    const STREAMS: usize;
    /// For weights of 8 bits `dots` gives Σ u·x less `128 - FULL_BIAS` times Σ x.
    const FULL_BIAS: i32;
    /// Whether tokens are better taken two at a time, by `pair_dots`.
    const PAIRS: bool = false;

    fn splat_int(self, x: i32) -> Self::I;
    /// Rounded to the nearest `f32`.
    fn float(self, x: Self::I) -> Self::F;
    unsafe fn load_bytes(self, p: *const u8) -> Self::B;
    /// `(b >> N) & mask` in every byte; N at most 7 and `mask` clears what crosses over.
    fn bits<const N: u32>(self, b: Self::B, mask: u8) -> Self::B;
    /// `a | (b << N)` in every byte; no bit of `b` crosses over.
    fn or_shifted<const N: u32>(self, a: Self::B, b: Self::B) -> Self::B;
    /// A table of 16 bytes, for `lookup`.
    fn splat_table(self, table: &[u8; 16]) -> Self::B;
    /// What the table has in the places that the bytes of `codes` say; all are below 16.
    fn lookup(self, table: Self::B, codes: Self::B) -> Self::B;
    /// Adds Σ u·x over the 4 bytes of each lane and over N words: u below 2^BITS (for 8 bits see `FULL_BIAS`), x the 4
    /// signed bytes of a word, the same in every lane.
    fn dots<const BITS: usize, const N: usize>(
        self,
        acc: Self::I,
        u: &[Self::B; N],
        x: &[i32; N],
    ) -> Self::I;

    /// `dots` of two tokens.
    #[inline(always)]
    fn pair_dots<const BITS: usize, const N: usize>(
        self,
        acc: [Self::I; 2],
        u: &[Self::B; N],
        x: [&[i32; N]; 2],
    ) -> [Self::I; 2] {
        [
            self.dots::<BITS, N>(acc[0], u, x[0]),
            self.dots::<BITS, N>(acc[1], u, x[1]),
        ]
    }

    // Q4_0's multiples: 16-bit factors of integer sums (`matmul::per256`).

    /// 16 signed numbers of 16 bits, in the shape that `add_multiples` takes and nothing else.
    unsafe fn load_multiples(self, p: *const u8) -> Self::I;
    /// A number of 16 bits in every lane, as `load_multiples` would give it.
    fn splat_multiple(self, m: i16) -> Self::I;
    /// `acc + x · m`; x has at most 16 bits with its sign.
    fn add_multiples(self, acc: Self::I, x: Self::I, m: Self::I) -> Self::I;
    /// Four bits of every lane, from `shift` on, less 8.
    fn nibble(self, b: Self::B, shift: u32) -> Self::I;

    // Quantising activations (`activations`).

    /// A bit for each lane in which `x` is above `limit`.
    #[inline(always)]
    fn above(self, x: Self::F, limit: f32) -> u16 {
        let bit = |(i, &x): (usize, &f32)| u16::from(x > limit) << i;
        lanes(self, x).iter().enumerate().map(bit).sum()
    }

    /// Stores 16 whole numbers in -128..=127 as signed bytes, and gives their sum.
    #[inline(always)]
    unsafe fn store_i8(self, p: *mut i8, x: Self::F) -> i32 {
        // SAFETY: the lanes are whole numbers in range, as the caller promises, and so is room for 16 bytes at `p`.
        unsafe {
            let bytes = lanes(self, x).map(|x| x.to_int_unchecked::<i8>());
            p.cast::<[i8; LANES]>().write_unaligned(bytes);
            bytes.iter().map(|&x| i32::from(x)).sum()
        }
    }
}

/// The lanes of a vector as an array.
#[inline(always)]
fn lanes<S: Vector>(s: S, x: S::F) -> [f32; LANES] {
    let mut lanes = [0.0; LANES];
    // SAFETY: `lanes` has room for 16 values.
    unsafe { s.store(lanes.as_mut_ptr(), x) };
    lanes
}

#[inline(always)]
fn fold(mut lanes: [f32; LANES], combine: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = combine(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// A piece of work that runs on any [`Simd`]; `run` must be `#[inline(always)]`.
pub(crate) trait Kernel {
    type Output;
    /// Whether it calls `Simd::dots`. ISAs that differ in nothing else share the code of every kernel that does not.
    const DOTS: bool = false;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A kernel of which tile registers can do a part, where the CPU has them.
pub(crate) trait TileKernel: Kernel + Sized {
    /// Does that part and gives the rest, which `run` then does with the code of AVX-512; `#[inline(always)]` as well.
    #[cfg(target_arch = "x86_64")]
    fn run_tiles(self, simd: Avx512, amx: Amx) -> Self;
}

/// The instruction set that the kernels use, chosen once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Choice);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Scalar(Scalar),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2<false>),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(Avx2<true>),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Amx(Amx),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon<PLAIN>),
    #[cfg(target_arch = "aarch64")]
    NeonDot(Neon<DOT>),
    #[cfg(target_arch = "aarch64")]
    NeonI8mm(Neon<I8MM>),
}

impl Isa {
    /// The plain definition that every other choice must equal.
    pub const SCALAR: Self = Self(Choice::Scalar(Scalar));

    /// The fastest that this CPU has.
    pub fn detect() -> Self {
        *Self::available().last().expect("scalar is always there")
    }

    /// All that this CPU has, slowest first.
    pub fn available() -> Vec<Self> {
        // In order of speed: `detect` takes the last.
        let mut found = vec![Choice::Scalar(Scalar)];
        #[cfg(target_arch = "x86_64")]
        {
            found.extend(Avx2::<false>::detect().map(Choice::Avx2));
            found.extend(Avx2::<true>::detect().map(Choice::AvxVnni));
            found.extend(Avx512::detect().map(Choice::Avx512));
            found.extend(Amx::detect().map(Choice::Amx));
        }
        #[cfg(target_arch = "aarch64")]
        {
            found.extend(Neon::<PLAIN>::detect().map(Choice::Neon));
            found.extend(Neon::<DOT>::detect().map(Choice::NeonDot));
            found.extend(Neon::<I8MM>::detect().map(Choice::NeonI8mm));
        }
        found.into_iter().map(Self).collect()
    }

    /// The choice with this name, if the CPU has it.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|isa| isa.name() == name)
    }

    /// `scalar`, `avx2`, `avxvnni`, `avx512`, `amx`, `neon`, `neondot` or `neoni8mm`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Choice::Scalar(_) => "scalar",
            #[cfg(target_arch = "x86_64")]
            Choice::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Choice::AvxVnni(_) => "avxvnni",
            #[cfg(target_arch = "x86_64")]
            Choice::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Choice::Amx(_) => "amx",
            #[cfg(target_arch = "aarch64")]
            Choice::Neon(_) => "neon",
            #[cfg(target_arch = "aarch64")]
            Choice::NeonDot(_) => "neondot",
            #[cfg(target_arch = "aarch64")]
            Choice::NeonI8mm(_) => "neoni8mm",
        }
    }

    /// Runs a kernel with the instructions of this choice.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Choice::Scalar(s) => kernel.run(s),
            #[cfg(target_arch = "x86_64")]
            Choice::Avx2(s) => s.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Choice::AvxVnni(s) if K::DOTS => s.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Choice::AvxVnni(s) => s.plain().enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Choice::Avx512(s) => s.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Choice::Amx(s) => s.avx512().enter(kernel),
            #[cfg(target_arch = "aarch64")]
            Choice::Neon(s) => s.enter(kernel),
            #[cfg(target_arch = "aarch64")]
            Choice::NeonDot(s) if K::DOTS => s.enter(kernel),
            #[cfg(target_arch = "aarch64")]
            Choice::NeonI8mm(s) if K::DOTS => s.enter(kernel),
            #[cfg(target_arch = "aarch64")]
            Choice::NeonDot(s) => s.plain().enter(kernel),
            #[cfg(target_arch = "aarch64")]
            Choice::NeonI8mm(s) => s.plain().enter(kernel),
        }
    }

    /// As `run`, with tile registers for the part that fits them.
    #[inline]
    pub(crate) fn run_with_tiles<K: TileKernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if let Choice::Amx(s) = self.0 {
            return self.run(s.enter(kernel));
        }
        self.run(kernel)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
