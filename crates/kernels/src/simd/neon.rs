//! Sixteen lanes in four NEON registers; `sdot`, or `usdot` and `usmmla`, do the integer products where they exist.
//!
//! A `Neon` is made only by `detect`, so the CPU has these instructions. The products and the
//! half-precision conversion are written as assembly because their intrinsics are unstable.

use super::{Kernel, Simd};
use std::arch::{aarch64::*, asm};
use std::array::from_fn;

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
        // SAFETY: a `Neon` proves the features; memory is vouched for by the caller.
        unsafe { $e }
    };
}

type F = [float32x4_t; 4];
type I = [int32x4_t; 4];
type B = [uint8x16_t; 4];

#[inline(always)]
fn zip<A: Copy, T: Copy, R>(a: [A; 4], b: [T; 4], f: impl Fn(A, T) -> R) -> [R; 4] {
    from_fn(|i| f(a[i], b[i]))
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

impl<const EXTENSION: u8> Simd for Neon<EXTENSION> {
    type F = F;
    type I = I;
    type B = B;
    const TOKENS: usize = 8;
    const VECTORS: usize = 8;
    const STREAMS: usize = 1;
    const FULL_BIAS: i32 = if EXTENSION == I8MM { 128 } else { 0 };
    const PAIRS: bool = true;

    #[inline(always)]
    fn splat(self, x: f32) -> F {
        [op!(vdupq_n_f32(x)); 4]
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> F {
        from_fn(|i| op!(vld1q_f32(p.add(4 * i))))
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> F {
        from_fn(|i| op!(widen_f16(vld1_u16(p.add(4 * i)))))
    }
    #[inline(always)]
    unsafe fn load_bf16(self, p: *const u16) -> F {
        from_fn(|i| {
            op!(vreinterpretq_f32_u32(vshll_n_u16::<16>(vld1_u16(
                p.add(4 * i)
            ))))
        })
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
    unsafe fn store(self, p: *mut f32, x: F) {
        for (i, x) in x.into_iter().enumerate() {
            op!(vst1q_f32(p.add(4 * i), x));
        }
    }
    #[inline(always)]
    fn add(self, a: F, b: F) -> F {
        zip(a, b, |a, b| op!(vaddq_f32(a, b)))
    }
    #[inline(always)]
    fn sub(self, a: F, b: F) -> F {
        zip(a, b, |a, b| op!(vsubq_f32(a, b)))
    }
    #[inline(always)]
    fn mul(self, a: F, b: F) -> F {
        zip(a, b, |a, b| op!(vmulq_f32(a, b)))
    }
    #[inline(always)]
    fn div(self, a: F, b: F) -> F {
        zip(a, b, |a, b| op!(vdivq_f32(a, b)))
    }
    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        zip(a, b, |a, b| op!(vbslq_f32(vcgtq_f32(a, b), a, b)))
    }
    #[inline(always)]
    fn min(self, a: F, b: F) -> F {
        zip(a, b, |a, b| op!(vbslq_f32(vcltq_f32(a, b), a, b)))
    }
    #[inline(always)]
    fn fma(self, a: F, b: F, c: F) -> F {
        from_fn(|i| op!(vfmaq_f32(c[i], a[i], b[i])))
    }
    #[inline(always)]
    fn round(self, a: F) -> F {
        a.map(|a| op!(vrndnq_f32(a)))
    }
    #[inline(always)]
    fn abs(self, a: F) -> F {
        a.map(|a| op!(vabsq_f32(a)))
    }
    #[inline(always)]
    fn pow2(self, n: F) -> F {
        n.map(|n| {
            op!(vreinterpretq_f32_s32(vshlq_n_s32::<23>(vaddq_s32(
                vcvtnq_s32_f32(n),
                vdupq_n_s32(127)
            ))))
        })
    }
    #[inline(always)]
    fn splat_int(self, x: i32) -> I {
        [op!(vdupq_n_s32(x)); 4]
    }
    #[inline(always)]
    fn float(self, x: I) -> F {
        x.map(|x| op!(vcvtq_f32_s32(x)))
    }
    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> B {
        from_fn(|i| op!(vld1q_u8(p.add(16 * i))))
    }
    #[inline(always)]
    fn bits<const N: u32>(self, b: B, mask: u8) -> B {
        let down = op!(vdupq_n_s8(-(N.cast_signed() as i8)));
        b.map(|b| op!(vandq_u8(vshlq_u8(b, down), vdupq_n_u8(mask))))
    }
    #[inline(always)]
    fn or_shifted<const N: u32>(self, a: B, b: B) -> B {
        let up = op!(vdupq_n_s8(N.cast_signed() as i8));
        zip(a, b, |a, b| op!(vorrq_u8(a, vshlq_u8(b, up))))
    }
    #[inline(always)]
    fn dot(self, acc: I, u: B, x: i32) -> I {
        let x = op!(vdupq_n_s32(x));
        zip(acc, u, |acc, u| op!(dot4::<EXTENSION, 0>(acc, u, x)))
    }
    #[inline(always)]
    fn dot_full(self, acc: I, u: B, x: i32) -> I {
        self.dot(acc, u.map(|u| full::<EXTENSION>(u)), x)
    }
    #[inline(always)]
    fn dots<const BITS: usize, const N: usize>(self, mut acc: I, u: &[B; N], x: &[i32; N]) -> I {
        for part in 0..4 {
            acc[part] = self.part_dots::<BITS, N>(acc[part], u, x, part);
        }
        acc
    }
    #[inline(always)]
    fn pair_dots<const BITS: usize, const N: usize>(
        self,
        mut acc: [I; 2],
        u: &[B; N],
        x: [&[i32; N]; 2],
    ) -> [I; 2] {
        for part in 0..4 {
            let start = [acc[0][part], acc[1][part]];
            [acc[0][part], acc[1][part]] = match EXTENSION {
                I8MM => op!(part_matrix(start, u, x, part)),
                _ => [0, 1].map(|t| self.part_dots::<BITS, N>(start[t], u, x[t], part)),
            };
        }
        acc
    }
}

impl<const EXTENSION: u8> Neon<EXTENSION> {
    /// `dots` of a quarter of the lanes, those in registers number `part`.
    #[inline(always)]
    fn part_dots<const BITS: usize, const N: usize>(
        self,
        mut acc: int32x4_t,
        u: &[B; N],
        x: &[i32; N],
        part: usize,
    ) -> int32x4_t {
        let u = |i: usize| match BITS {
            8 => full::<EXTENSION>(u[i][part]),
            _ => u[i][part],
        };
        for i in (0..N).step_by(4) {
            acc = op!({
                let x = vld1q_s32(x[i..i + 4].as_ptr());
                let acc = dot4::<EXTENSION, 0>(acc, u(i), x);
                let acc = dot4::<EXTENSION, 1>(acc, u(i + 1), x);
                let acc = dot4::<EXTENSION, 2>(acc, u(i + 2), x);
                dot4::<EXTENSION, 3>(acc, u(i + 3), x)
            });
        }
        acc
    }
}

/// Bytes up to 255 as `dot4` takes them: u − 128 as a signed byte is u with its top bit turned over.
#[inline(always)]
fn full<const EXTENSION: u8>(u: uint8x16_t) -> uint8x16_t {
    match EXTENSION {
        I8MM => u,
        _ => op!(veorq_u8(u, vdupq_n_u8(128))),
    }
}

/// `dots` of two tokens and a quarter of the lanes, those in registers number `part`.
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
            let [a, b] = [u[i][part], u[i + 1][part]].map(|u| vreinterpretq_u32_u8(u));
            let [x, y] = x.map(|x| vld1_s32(x[i..i + 2].as_ptr()));
            let both = vcombine_s32(x, y);
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
