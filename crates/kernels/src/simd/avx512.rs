//! Sixteen lanes in one `zmm` register, with VNNI for the integer products.
//!
//! Every method body is a single intrinsic or a few; what makes them sound is said
//! once: an `Avx512` is made only by `detect`, so the CPU has these instructions.

use super::avx2::{largest8, sum8, total};
use super::{Amx, Kernel, Simd, TileKernel, Vector};
use std::arch::x86_64::*;

/// AVX-512 F/BW/VL/DQ with VNNI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        all.then_some(Self(()))
    }

    #[inline]
    pub(crate) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
        fn inner<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: `self` proves that the CPU has the features.
        unsafe { inner(self, kernel) }
    }

    #[inline]
    pub(super) fn enter_with_tiles<K: TileKernel>(self, kernel: K, amx: Amx) -> K {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
        fn inner<K: TileKernel>(simd: Avx512, kernel: K, amx: Amx) -> K {
            kernel.run_tiles(simd, amx)
        }
        // SAFETY: `self` proves that the CPU has the features.
        unsafe { inner(self, kernel, amx) }
    }
}

/// An intrinsic, sound because the token exists.
macro_rules! op {
    ($e:expr) => {
        // SAFETY: an `Avx512` exists only where the CPU has the features; methods that take a pointer are `unsafe`, and
        // their callers promise a whole vector there.
        unsafe { $e }
    };
}

impl Vector for Avx512 {
    type F = __m512;
    const VECTORS: usize = 32;

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        op!(_mm512_set1_ps(x))
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m512 {
        op!(_mm512_loadu_ps(p))
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> __m512 {
        op!(_mm512_cvtph_ps(_mm256_loadu_si256(p.cast())))
    }
    #[inline(always)]
    unsafe fn load_bf16(self, p: *const u16) -> __m512 {
        op!(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast()))
        )))
    }
    #[inline(always)]
    unsafe fn load_u8(self, p: *const u8) -> __m512 {
        op!(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(
            p.cast()
        ))))
    }
    #[inline(always)]
    unsafe fn load_i8(self, p: *const u8) -> __m512 {
        op!(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(
            p.cast()
        ))))
    }
    #[inline(always)]
    unsafe fn load_exponents(self, p: *const u8) -> __m512 {
        op!(_mm512_castsi512_ps(_mm512_slli_epi32::<23>(
            _mm512_cvtepu8_epi32(_mm_loadu_si128(p.cast()))
        )))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, x: __m512) {
        op!(_mm512_storeu_ps(p, x))
    }
    #[inline(always)]
    fn prefetch(self, p: *const u8) {
        op!(_mm_prefetch::<_MM_HINT_T0>(p.cast()))
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_div_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_max_ps(a, b))
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_min_ps(a, b))
    }
    #[inline(always)]
    fn at_least(self, x: __m512, low: __m512, y: __m512) -> __m512 {
        op!(_mm512_maskz_mov_ps(
            _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, low),
            y
        ))
    }
    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        op!(_mm512_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn round(self, a: __m512) -> __m512 {
        op!(_mm512_roundscale_ps::<
            { _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC },
        >(a))
    }
    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        op!(_mm512_abs_ps(a))
    }
    #[inline(always)]
    fn pow2(self, n: __m512) -> __m512 {
        op!(_mm512_castsi512_ps(_mm512_slli_epi32::<23>(
            _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127))
        )))
    }
    #[inline(always)]
    fn sum(self, x: __m512) -> f32 {
        op!(sum8(_mm256_add_ps(
            _mm512_castps512_ps256(x),
            _mm512_extractf32x8_ps::<1>(x)
        )))
    }
    #[inline(always)]
    fn largest(self, x: __m512) -> f32 {
        op!(largest8(_mm256_max_ps(
            _mm512_castps512_ps256(x),
            _mm512_extractf32x8_ps::<1>(x)
        )))
    }
}

impl Simd for Avx512 {
    type I = __m512i;
    type B = __m512i;
    const TOKENS: usize = 16;
    const STREAMS: usize = 4;
    const FULL_BIAS: i32 = 128;

    #[inline(always)]
    fn above(self, x: __m512, limit: f32) -> u16 {
        op!(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_set1_ps(limit)))
    }
    #[inline(always)]
    fn splat_int(self, x: i32) -> __m512i {
        op!(_mm512_set1_epi32(x))
    }
    #[inline(always)]
    fn float(self, x: __m512i) -> __m512 {
        op!(_mm512_cvtepi32_ps(x))
    }
    #[inline(always)]
    unsafe fn load_multiples(self, p: *const u8) -> __m512i {
        // The upper half of a lane is zero, and so is what `add_multiples` makes of it.
        op!(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast())))
    }
    #[inline(always)]
    fn splat_multiple(self, m: i16) -> __m512i {
        op!(_mm512_set1_epi32(i32::from(m.cast_unsigned())))
    }
    #[inline(always)]
    fn nibble(self, b: __m512i, shift: u32) -> __m512i {
        op!({
            let down = _mm512_srl_epi32(b, _mm_cvtsi32_si128(shift.cast_signed()));
            let bits = _mm512_and_si512(down, _mm512_set1_epi32(15));
            _mm512_sub_epi32(bits, _mm512_set1_epi32(8))
        })
    }
    #[inline(always)]
    fn add_multiples(self, acc: __m512i, x: __m512i, m: __m512i) -> __m512i {
        op!(_mm512_dpwssd_epi32(acc, x, m))
    }
    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> __m512i {
        op!(_mm512_loadu_si512(p.cast()))
    }
    #[inline(always)]
    fn bits<const N: u32>(self, b: __m512i, mask: u8) -> __m512i {
        op!(_mm512_and_si512(
            _mm512_srli_epi16::<N>(b),
            _mm512_set1_epi8(mask.cast_signed())
        ))
    }
    #[inline(always)]
    fn or_shifted<const N: u32>(self, a: __m512i, b: __m512i) -> __m512i {
        op!(_mm512_or_si512(a, _mm512_slli_epi16::<N>(b)))
    }
    #[inline(always)]
    unsafe fn store_i8(self, p: *mut i8, x: __m512) -> i32 {
        op!({
            let bytes = _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(x));
            _mm_storeu_si128(p.cast(), bytes);
            total(bytes)
        })
    }
    #[inline(always)]
    fn splat_table(self, table: &[u8; 16]) -> __m512i {
        op!(_mm512_broadcast_i32x4(_mm_loadu_si128(
            table.as_ptr().cast()
        )))
    }
    #[inline(always)]
    fn lookup(self, table: __m512i, codes: __m512i) -> __m512i {
        op!(_mm512_shuffle_epi8(table, codes))
    }
    #[inline(always)]
    fn dots<const BITS: usize, const N: usize>(
        self,
        mut acc: __m512i,
        u: &[__m512i; N],
        x: &[i32; N],
    ) -> __m512i {
        for i in 0..N {
            acc = op!(_mm512_dpbusd_epi32(acc, u[i], _mm512_set1_epi32(x[i])));
        }
        acc
    }
}
