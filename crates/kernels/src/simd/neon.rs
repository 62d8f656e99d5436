//! Sixteen lanes in four NEON registers; `sdot`, or `usdot` and `usmmla`, do the integer products where they exist.
//!
//! A `Neon` is made only by `detect`, so the CPU has these instructions. The products and the
//! half-precision conversion are written as assembly because their intrinsics are unstable.

use super::{Kernel, Simd, Vector};
use std::arch::{aarch64::*, asm};

/// No more than every ARMv8 has.
pub(crate) const PLAIN: u8 = 0;
/// `sdot`: signed by signed bytes, four a lane.
pub(crate) const DOT: u8 = 1;
/// `usdot` and `usmmla`: unsigned by signed bytes, four a lane or eight for each of 2 × 2 lanes.
pub(crate) const I8MM: u8 = 2;

/// NEON with one of these extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon<const EXTENSION: u8>(());

impl<const EXTENSION: u8> Neon<EXTENSION> {
    pub(crate) fn detect() -> Option<Self> {
        let all = std::arch::is_aarch64_feature_detected!("neon")
            && match EXTENSION {
                I8MM => std::arch::is_aarch64_feature_detected!("i8mm"),
                DOT => std::arch::is_aarch64_feature_detected!("dotprod"),
                _ => true,
            };
        all.then_some(Self(()))
    }

    /// Without extensions.
    pub(super) const fn plain(self) -> Neon<PLAIN> {
        Neon(())
    }

    #[inline]
    pub(crate) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        // What goes beyond plain NEON is assembly, so the compiler need not know of it.
        #[target_feature(enable = "neon")]
        fn inner<const EXTENSION: u8, K: Kernel>(simd: Neon<EXTENSION>, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: `self` proves that the CPU has the features.
        unsafe { inner(self, kernel) }
    }
}

/// An intrinsic, sound because the token exists.
macro_rules! op {
    ($e:expr) => {
        // SAFETY: a `Neon` exists only where the CPU has the features; methods that take a pointer are `unsafe`, and
        // their callers promise a whole vector there.
        unsafe { $e }
    };
}

type F = [float32x4_t; 4];
type I = [int32x4_t; 4];
type B = [uint8x16_t; 4];

/// The same for each of the four registers, written out: loops and closures are not always unrolled and inlined.
macro_rules! each {
    ($part:ident => $e:expr) => {
        op!([
            {
                const $part: usize = 0;
                $e
            },
            {
                const $part: usize = 1;
                $e
            },
            {
                const $part: usize = 2;
                $e
            },
            {
                const $part: usize = 3;
                $e
            },
        ])
    };
}

/// Four halves, widened.
#[inline(always)]
unsafe fn widen_f16(h: uint16x4_t) -> float32x4_t {
    let wide: float32x4_t;
    // SAFETY: FCVTL is baseline NEON; it reads one register and writes another.
    unsafe {
        asm!("fcvtl {0:v}.4s, {1:v}.4h", out(vreg) wide, in(vreg) h, options(pure, nomem, nostack));
    }
    wide
}

/// An instruction of an extension that adds products to `$acc`.
macro_rules! add_products {
    ($extension:literal, $instruction:literal, $acc:ident, $u:expr, $x:expr $(, $lane:expr)?) => {
        asm!(
            concat!(".arch_extension ", $extension),
            $instruction,
            inout(vreg) $acc, in(vreg) $u, in(vreg) $x, $(const $lane,)?
            options(pure, nomem, nostack)
        )
    };
}

/// Adds the products of the four bytes in every lane with those in lane `LANE` of `x`; bytes of `u` are signed
/// unless there is `I8MM`.
#[inline(always)]
unsafe fn dot4<const EXTENSION: u8, const LANE: i32>(
    mut acc: int32x4_t,
    u: uint8x16_t,
    x: int32x4_t,
) -> int32x4_t {
    // SAFETY: `EXTENSION` is only what the CPU has; the rest is baseline NEON.
    unsafe {
        match EXTENSION {
            I8MM => {
                add_products!(
                    "i8mm",
                    "usdot {0:v}.4s, {1:v}.16b, {2:v}.4b[{3}]",
                    acc,
                    u,
                    x,
                    LANE
                );
            }
            DOT => {
                add_products!(
                    "dotprod",
                    "sdot {0:v}.4s, {1:v}.16b, {2:v}.4b[{3}]",
                    acc,
                    u,
                    x,
                    LANE
                );
            }
            _ => {
                let u = vreinterpretq_s8_u8(u);
                let x = vreinterpretq_s8_s32(vdupq_laneq_s32::<LANE>(x));
                let low = vpaddlq_s16(vmull_s8(vget_low_s8(u), vget_low_s8(x)));
                let high = vpaddlq_s16(vmull_high_s8(u, x));
                acc = vaddq_s32(acc, vpaddq_s32(low, high));
            }
        }
    }
    acc
}

impl<const EXTENSION: u8> Vector for Neon<EXTENSION> {
    type F = F;
    const VECTORS: usize = 8;

    #[inline(always)]
    fn splat(self, x: f32) -> F {
        [op!(vdupq_n_f32(x)); 4]
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> F {
        each!(PART => vld1q_f32(p.add(4 * PART)))
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> F {
        each!(PART => widen_f16(vld1_u16(p.add(4 * PART))))
    }
    #[inline(always)]
    unsafe fn load_bf16(self, p: *const u16) -> F {
        each!(PART => vreinterpretq_f32_u32(vshll_n_u16::<16>(vld1_u16(p.add(4 * PART)))))
    }
    #[inline(always)]
    unsafe fn load_u8(self, p: *const u8) -> F {
        let b = op!(vld1q_u8(p));
        let words = op!([vmovl_u8(vget_low_u8(b)), vmovl_high_u8(b)]);
        op!([
            vcvtq_f32_u32(vmovl_u16(vget_low_u16(words[0]))),
            vcvtq_f32_u32(vmovl_high_u16(words[0])),
            vcvtq_f32_u32(vmovl_u16(vget_low_u16(words[1]))),
            vcvtq_f32_u32(vmovl_high_u16(words[1])),
        ])
    }
    #[inline(always)]
    unsafe fn load_i8(self, p: *const u8) -> F {
        let b = op!(vreinterpretq_s8_u8(vld1q_u8(p)));
        let words = op!([vmovl_s8(vget_low_s8(b)), vmovl_high_s8(b)]);
        op!([
            vcvtq_f32_s32(vmovl_s16(vget_low_s16(words[0]))),
            vcvtq_f32_s32(vmovl_high_s16(words[0])),
            vcvtq_f32_s32(vmovl_s16(vget_low_s16(words[1]))),
            vcvtq_f32_s32(vmovl_high_s16(words[1])),
        ])
    }
    #[inline(always)]
    unsafe fn load_exponents(self, p: *const u8) -> F {
        let b = op!(vld1q_u8(p));
        let words = op!([vmovl_u8(vget_low_u8(b)), vmovl_high_u8(b)]);
        let words = op!([
            vmovl_u16(vget_low_u16(words[0])),
            vmovl_high_u16(words[0]),
            vmovl_u16(vget_low_u16(words[1])),
            vmovl_high_u16(words[1]),
        ]);
        each!(PART => vreinterpretq_f32_u32(vshlq_n_u32::<23>(words[PART])))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, x: F) {
        each!(PART => vst1q_f32(p.add(4 * PART), x[PART]));
    }
    #[inline(always)]
    fn add(self, a: F, b: F) -> F {
        each!(PART => vaddq_f32(a[PART], b[PART]))
    }
    #[inline(always)]
    fn sub(self, a: F, b: F) -> F {
        each!(PART => vsubq_f32(a[PART], b[PART]))
    }
    #[inline(always)]
    fn mul(self, a: F, b: F) -> F {
        each!(PART => vmulq_f32(a[PART], b[PART]))
    }
    #[inline(always)]
    fn div(self, a: F, b: F) -> F {
        each!(PART => vdivq_f32(a[PART], b[PART]))
    }
    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        each!(PART => vbslq_f32(vcgtq_f32(a[PART], b[PART]), a[PART], b[PART]))
    }
    #[inline(always)]
    fn min(self, a: F, b: F) -> F {
        each!(PART => vbslq_f32(vcltq_f32(a[PART], b[PART]), a[PART], b[PART]))
    }
    #[inline(always)]
    fn at_least(self, x: F, low: F, y: F) -> F {
        each!(PART => vbslq_f32(vcgeq_f32(x[PART], low[PART]), y[PART], vdupq_n_f32(0.0)))
    }
    #[inline(always)]
    fn fma(self, a: F, b: F, c: F) -> F {
        each!(PART => vfmaq_f32(c[PART], a[PART], b[PART]))
    }
    #[inline(always)]
    fn round(self, a: F) -> F {
        each!(PART => vrndnq_f32(a[PART]))
    }
    #[inline(always)]
    fn abs(self, a: F) -> F {
        each!(PART => vabsq_f32(a[PART]))
    }
    #[inline(always)]
    fn pow2(self, n: F) -> F {
        let bias = op!(vdupq_n_s32(127));
        each!(PART => vreinterpretq_f32_s32(vshlq_n_s32::<23>(vaddq_s32(vcvtnq_s32_f32(n[PART]), bias))))
    }
}

impl<const EXTENSION: u8> Simd for Neon<EXTENSION> {
    type I = I;
    type B = B;
    const TOKENS: usize = 8;
    const STREAMS: usize = 1;
    const FULL_BIAS: i32 = if EXTENSION == I8MM { 128 } else { 0 };
    const PAIRS: bool = true;

    #[inline(always)]
    fn splat_int(self, x: i32) -> I {
        [op!(vdupq_n_s32(x)); 4]
    }
    #[inline(always)]
    fn float(self, x: I) -> F {
        each!(PART => vcvtq_f32_s32(x[PART]))
    }
    #[inline(always)]
    unsafe fn load_multiples(self, p: *const u8) -> I {
        each!(PART => vmovl_s16(vld1_s16(p.add(8 * PART).cast())))
    }
    #[inline(always)]
    fn splat_multiple(self, m: i16) -> I {
        [op!(vdupq_n_s32(i32::from(m))); 4]
    }
    #[inline(always)]
    fn nibble(self, b: B, shift: u32) -> I {
        let down = op!(vdupq_n_s32(-shift.cast_signed()));
        each!(PART => {
            let bits = vandq_u32(vshlq_u32(vreinterpretq_u32_u8(b[PART]), down), vdupq_n_u32(15));
            vsubq_s32(vreinterpretq_s32_u32(bits), vdupq_n_s32(8))
        })
    }
    #[inline(always)]
    fn add_multiples(self, acc: I, x: I, m: I) -> I {
        each!(PART => vmlaq_s32(acc[PART], x[PART], m[PART]))
    }
    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> B {
        each!(PART => vld1q_u8(p.add(16 * PART)))
    }
    #[inline(always)]
    fn bits<const N: u32>(self, b: B, mask: u8) -> B {
        let down = op!(vdupq_n_s8(-(N.cast_signed() as i8)));
        each!(PART => vandq_u8(vshlq_u8(b[PART], down), vdupq_n_u8(mask)))
    }
    #[inline(always)]
    fn or_shifted<const N: u32>(self, a: B, b: B) -> B {
        let up = op!(vdupq_n_s8(N.cast_signed() as i8));
        each!(PART => vorrq_u8(a[PART], vshlq_u8(b[PART], up)))
    }
    #[inline(always)]
    fn splat_table(self, table: &[u8; 16]) -> B {
        [op!(vld1q_u8(table.as_ptr())); 4]
    }
    #[inline(always)]
    fn lookup(self, table: B, codes: B) -> B {
        each!(PART => vqtbl1q_u8(table[PART], codes[PART]))
    }
    #[inline(always)]
    fn dots<const BITS: usize, const N: usize>(self, acc: I, u: &[B; N], x: &[i32; N]) -> I {
        each!(PART => part_dots::<EXTENSION, BITS, N>(acc[PART], u, x, PART))
    }
    #[inline(always)]
    fn pair_dots<const BITS: usize, const N: usize>(
        self,
        acc: [I; 2],
        u: &[B; N],
        x: [&[i32; N]; 2],
    ) -> [I; 2] {
        let [[a, e], [b, f], [c, g], [d, h]] =
            each!(PART => part_pair::<EXTENSION, BITS, N>(acc, u, x, PART));
        [[a, b, c, d], [e, f, g, h]]
    }
}

// A block of weights fills all 32 registers, so its products go part by part: a part is four lanes, a register of
// each vector, and its words are read once for two tokens.

/// `pair_dots` of one part.
#[inline(always)]
unsafe fn part_pair<const EXTENSION: u8, const BITS: usize, const N: usize>(
    acc: [I; 2],
    u: &[B; N],
    x: [&[i32; N]; 2],
    part: usize,
) -> [int32x4_t; 2] {
    let [a, b] = [acc[0][part], acc[1][part]];
    // SAFETY: the caller has the extension.
    unsafe {
        if EXTENSION == I8MM {
            return part_matrix([a, b], u, x, part);
        }
        [
            part_dots::<EXTENSION, BITS, N>(a, u, x[0], part),
            part_dots::<EXTENSION, BITS, N>(b, u, x[1], part),
        ]
    }
}

/// `dots` of one part.
#[inline(always)]
unsafe fn part_dots<const EXTENSION: u8, const BITS: usize, const N: usize>(
    mut acc: int32x4_t,
    u: &[B; N],
    x: &[i32; N],
    part: usize,
) -> int32x4_t {
    for i in (0..N).step_by(4) {
        // SAFETY: the caller has the extension; the slice is as long as what is loaded.
        unsafe {
            let x = vld1q_s32(x[i..i + 4].as_ptr());
            acc = dot4::<EXTENSION, 0>(acc, word::<EXTENSION, BITS>(u[i][part]), x);
            acc = dot4::<EXTENSION, 1>(acc, word::<EXTENSION, BITS>(u[i + 1][part]), x);
            acc = dot4::<EXTENSION, 2>(acc, word::<EXTENSION, BITS>(u[i + 2][part]), x);
            acc = dot4::<EXTENSION, 3>(acc, word::<EXTENSION, BITS>(u[i + 3][part]), x);
        }
    }
    acc
}

/// Bytes of `BITS` bits as `dot4` takes them: u − 128 as a signed byte is u with its top bit turned over.
#[inline(always)]
unsafe fn word<const EXTENSION: u8, const BITS: usize>(u: uint8x16_t) -> uint8x16_t {
    match (BITS, EXTENSION) {
        // SAFETY: baseline NEON.
        (8, PLAIN | DOT) => unsafe { veorq_u8(u, vdupq_n_u8(128)) },
        _ => u,
    }
}

/// `pair_dots` of one part, with the instructions of i8mm.
#[inline(always)]
unsafe fn part_matrix<const N: usize>(
    [first, second]: [int32x4_t; 2],
    u: &[B; N],
    x: [&[i32; N]; 2],
    part: usize,
) -> [int32x4_t; 2] {
    // SAFETY: the caller has i8mm; loads are from slices of their length.
    unsafe {
        // Row 0 for both tokens and row 1 for both; rows 2 and 3.
        let mut low = vzip1q_s32(first, second);
        let mut high = vzip2q_s32(first, second);
        for i in (0..N).step_by(2) {
            let a = vreinterpretq_u32_u8(u[i][part]);
            let b = vreinterpretq_u32_u8(u[i + 1][part]);
            let both = vcombine_s32(
                vld1_s32(x[0][i..i + 2].as_ptr()),
                vld1_s32(x[1][i..i + 2].as_ptr()),
            );
            low = matrix(low, vzip1q_u32(a, b), both);
            high = matrix(high, vzip2q_u32(a, b), both);
        }
        [vuzp1q_s32(low, high), vuzp2q_s32(low, high)]
    }
}

/// Adds the products of two rows of eight unsigned bytes with two of eight signed ones: 2 × 2 sums.
#[inline(always)]
unsafe fn matrix(mut acc: int32x4_t, u: uint32x4_t, x: int32x4_t) -> int32x4_t {
    // SAFETY: the caller has i8mm.
    unsafe { add_products!("i8mm", "usmmla {0:v}.4s, {1:v}.16b, {2:v}.16b", acc, u, x) };
    acc
}
