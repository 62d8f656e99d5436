//! Sixteen lanes in four NEON registers; `sdot` does the integer products where it exists.
//!
//! A `Neon` is made only by `detect`, so the CPU has these instructions. `sdot` and the
//! half-precision conversion are written as assembly because their intrinsics are unstable.

use super::{Kernel, Simd};
use std::arch::{aarch64::*, asm};
use std::array::from_fn;

/// NEON; with the dot-product extension if `DOT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon<const DOT: bool>(());

impl<const DOT: bool> Neon<DOT> {
    pub(crate) fn detect() -> Option<Self> {
        let all = std::arch::is_aarch64_feature_detected!("neon")
            && (!DOT || std::arch::is_aarch64_feature_detected!("dotprod"));
        all.then_some(Self(()))
    }

    #[inline]
    pub(crate) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "neon")]
        fn plain<K: Kernel>(simd: Neon<false>, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        #[target_feature(enable = "neon,dotprod")]
        fn dot<K: Kernel>(simd: Neon<true>, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: `self` proves that the CPU has the features.
        unsafe {
            if DOT {
                dot(Neon(()), kernel)
            } else {
                plain(Neon(()), kernel)
            }
        }
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

/// Adds the products of four signed bytes per lane.
#[inline(always)]
unsafe fn dot4<const DOT: bool>(acc: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    if DOT {
        let mut acc = acc;
        // SAFETY: `DOT` is only true on a CPU with the dot-product extension.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {0:v}.4s, {1:v}.16b, {2:v}.16b",
                inout(vreg) acc, in(vreg) w, in(vreg) x, options(pure, nomem, nostack)
            );
        }
        return acc;
    }
    // SAFETY: baseline NEON.
    unsafe {
        let low = vpaddlq_s16(vmull_s8(vget_low_s8(w), vget_low_s8(x)));
        let high = vpaddlq_s16(vmull_high_s8(w, x));
        vaddq_s32(acc, vpaddq_s32(low, high))
    }
}

impl<const DOT: bool> Simd for Neon<DOT> {
    type F = F;
    type I = I;
    type B = B;
    const TOKENS: usize = 2;
    const VECTORS: usize = 8;
    const STREAMS: usize = 1;
    const FULL_BIAS: i32 = 0;

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
        let x = op!(vreinterpretq_s8_s32(vdupq_n_s32(x)));
        zip(acc, u, |acc, u| {
            op!(dot4::<DOT>(acc, vreinterpretq_s8_u8(u), x))
        })
    }
    #[inline(always)]
    fn dot_full(self, acc: I, u: B, x: i32) -> I {
        // u - 128 as a signed byte is u with its top bit turned over.
        let signed = u.map(|u| op!(veorq_u8(u, vdupq_n_u8(128))));
        self.dot(acc, signed, x)
    }
}
