//! Sixteen lanes in two `ymm` registers; AVX-VNNI does the integer products where it exists.
//!
//! An `Avx2` is made only by `detect`, so the CPU has these instructions.

use super::{Kernel, Simd, Vector};
use std::arch::x86_64::*;

/// AVX2 with FMA and F16C; with AVX-VNNI if `VNNI`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2<const VNNI: bool>(());

impl<const VNNI: bool> Avx2<VNNI> {
    pub(crate) fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && (!VNNI || is_x86_feature_detected!("avxvnni"));
        all.then_some(Self(()))
    }

    /// Without AVX-VNNI.
    pub(super) const fn plain(self) -> Avx2<false> {
        Avx2(())
    }

    #[inline]
    pub(crate) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma,f16c")]
        fn plain<K: Kernel>(simd: Avx2<false>, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        #[target_feature(enable = "avx2,fma,f16c,avxvnni")]
        fn vnni<K: Kernel>(simd: Avx2<true>, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: `self` proves that the CPU has the features.
        unsafe {
            if VNNI {
                vnni(Avx2(()), kernel)
            } else {
                plain(Avx2(()), kernel)
            }
        }
    }
}

/// An intrinsic, sound because the token exists.
macro_rules! op {
    ($e:expr) => {
        // SAFETY: an `Avx2` exists only where the CPU has the features; methods that take a pointer are `unsafe`, and
        // their callers promise a whole vector there.
        unsafe { $e }
    };
}

type F = [__m256; 2];
type I = [__m256i; 2];

#[inline(always)]
fn both<A: Copy, R>(a: [A; 2], f: impl Fn(A) -> R) -> [R; 2] {
    [f(a[0]), f(a[1])]
}

#[inline(always)]
fn zip<A: Copy, B: Copy, R>(a: [A; 2], b: [B; 2], f: impl Fn(A, B) -> R) -> [R; 2] {
    [f(a[0], b[0]), f(a[1], b[1])]
}

impl<const VNNI: bool> Vector for Avx2<VNNI> {
    type F = F;
    const VECTORS: usize = 8;

    #[inline(always)]
    fn splat(self, x: f32) -> F {
        [op!(_mm256_set1_ps(x)); 2]
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> F {
        op!([_mm256_loadu_ps(p), _mm256_loadu_ps(p.add(8))])
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> F {
        op!([
            _mm256_cvtph_ps(_mm_loadu_si128(p.cast())),
            _mm256_cvtph_ps(_mm_loadu_si128(p.add(8).cast()))
        ])
    }
    #[inline(always)]
    unsafe fn load_bf16(self, p: *const u16) -> F {
        let words = op!([_mm_loadu_si128(p.cast()), _mm_loadu_si128(p.add(8).cast())]);
        both(
            words,
            #[inline(always)]
            |w| {
                op!(_mm256_castsi256_ps(_mm256_slli_epi32::<16>(
                    _mm256_cvtepu16_epi32(w)
                )))
            },
        )
    }
    #[inline(always)]
    unsafe fn load_u8(self, p: *const u8) -> F {
        let bytes = op!([_mm_loadl_epi64(p.cast()), _mm_loadl_epi64(p.add(8).cast())]);
        both(
            bytes,
            #[inline(always)]
            |b| op!(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(b))),
        )
    }
    #[inline(always)]
    unsafe fn load_i8(self, p: *const u8) -> F {
        let bytes = op!([_mm_loadl_epi64(p.cast()), _mm_loadl_epi64(p.add(8).cast())]);
        both(
            bytes,
            #[inline(always)]
            |b| op!(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(b))),
        )
    }
    #[inline(always)]
    unsafe fn load_exponents(self, p: *const u8) -> F {
        let bytes = op!([_mm_loadl_epi64(p.cast()), _mm_loadl_epi64(p.add(8).cast())]);
        both(
            bytes,
            #[inline(always)]
            |b| {
                op!(_mm256_castsi256_ps(_mm256_slli_epi32::<23>(
                    _mm256_cvtepu8_epi32(b)
                )))
            },
        )
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, x: F) {
        op!({
            _mm256_storeu_ps(p, x[0]);
            _mm256_storeu_ps(p.add(8), x[1]);
        })
    }
    #[inline(always)]
    fn prefetch(self, p: *const u8) {
        op!(_mm_prefetch::<_MM_HINT_T0>(p.cast()))
    }
    #[inline(always)]
    fn add(self, a: F, b: F) -> F {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| op!(_mm256_add_ps(a, b)),
        )
    }
    #[inline(always)]
    fn sub(self, a: F, b: F) -> F {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| op!(_mm256_sub_ps(a, b)),
        )
    }
    #[inline(always)]
    fn mul(self, a: F, b: F) -> F {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| op!(_mm256_mul_ps(a, b)),
        )
    }
    #[inline(always)]
    fn div(self, a: F, b: F) -> F {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| op!(_mm256_div_ps(a, b)),
        )
    }
    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| op!(_mm256_max_ps(a, b)),
        )
    }
    #[inline(always)]
    fn min(self, a: F, b: F) -> F {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| op!(_mm256_min_ps(a, b)),
        )
    }
    #[inline(always)]
    fn at_least(self, x: F, low: F, y: F) -> F {
        op!([
            _mm256_and_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(x[0], low[0]), y[0]),
            _mm256_and_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(x[1], low[1]), y[1])
        ])
    }
    #[inline(always)]
    fn fma(self, a: F, b: F, c: F) -> F {
        op!([
            _mm256_fmadd_ps(a[0], b[0], c[0]),
            _mm256_fmadd_ps(a[1], b[1], c[1])
        ])
    }
    #[inline(always)]
    fn round(self, a: F) -> F {
        both(
            a,
            #[inline(always)]
            |a| {
                op!(_mm256_round_ps::<
                    { _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC },
                >(a))
            },
        )
    }
    #[inline(always)]
    fn abs(self, a: F) -> F {
        both(
            a,
            #[inline(always)]
            |a| op!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), a)),
        )
    }
    #[inline(always)]
    fn pow2(self, n: F) -> F {
        both(
            n,
            #[inline(always)]
            |n| {
                op!(_mm256_castsi256_ps(_mm256_slli_epi32::<23>(
                    _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127))
                )))
            },
        )
    }
    #[inline(always)]
    fn sum(self, x: F) -> f32 {
        op!(sum8(_mm256_add_ps(x[0], x[1])))
    }
    #[inline(always)]
    fn largest(self, x: F) -> f32 {
        op!(largest8(_mm256_max_ps(x[0], x[1])))
    }
}

impl<const VNNI: bool> Simd for Avx2<VNNI> {
    type I = I;
    type B = I;
    const TOKENS: usize = 4;
    const STREAMS: usize = 2;
    const FULL_BIAS: i32 = if VNNI { 128 } else { 0 };

    #[inline(always)]
    fn above(self, x: F, limit: f32) -> u16 {
        let [low, high] = both(
            x,
            #[inline(always)]
            |x| {
                let above = op!(_mm256_cmp_ps::<_CMP_GT_OQ>(x, _mm256_set1_ps(limit)));
                op!(_mm256_movemask_ps(above)).cast_unsigned()
            },
        );
        (low | high << 8) as u16
    }
    #[inline(always)]
    fn splat_int(self, x: i32) -> I {
        [op!(_mm256_set1_epi32(x)); 2]
    }
    #[inline(always)]
    fn float(self, x: I) -> F {
        both(
            x,
            #[inline(always)]
            |x| op!(_mm256_cvtepi32_ps(x)),
        )
    }
    #[inline(always)]
    unsafe fn load_multiples(self, p: *const u8) -> I {
        // The upper half of a lane is zero, and so is what `add_multiples` makes of it.
        op!([
            _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast())),
            _mm256_cvtepu16_epi32(_mm_loadu_si128(p.add(16).cast()))
        ])
    }
    #[inline(always)]
    fn splat_multiple(self, m: i16) -> I {
        [op!(_mm256_set1_epi32(i32::from(m.cast_unsigned()))); 2]
    }
    #[inline(always)]
    fn nibble(self, b: I, shift: u32) -> I {
        let shift = op!(_mm_cvtsi32_si128(shift.cast_signed()));
        both(
            b,
            #[inline(always)]
            |b| {
                op!({
                    let bits = _mm256_and_si256(_mm256_srl_epi32(b, shift), _mm256_set1_epi32(15));
                    _mm256_sub_epi32(bits, _mm256_set1_epi32(8))
                })
            },
        )
    }
    #[inline(always)]
    fn add_multiples(self, acc: I, x: I, m: I) -> I {
        op!([
            _mm256_add_epi32(acc[0], _mm256_madd_epi16(x[0], m[0])),
            _mm256_add_epi32(acc[1], _mm256_madd_epi16(x[1], m[1]))
        ])
    }
    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> I {
        op!([
            _mm256_loadu_si256(p.cast()),
            _mm256_loadu_si256(p.add(32).cast())
        ])
    }
    #[inline(always)]
    fn bits<const N: u32>(self, b: I, mask: u8) -> I {
        // The AVX2 shift wants an i32 constant, so the eight possible ones are spelled out.
        let mask = op!(_mm256_set1_epi8(mask.cast_signed()));
        both(
            b,
            #[inline(always)]
            |b| {
                op!(_mm256_and_si256(
                    match N {
                        0 => b,
                        1 => _mm256_srli_epi16::<1>(b),
                        2 => _mm256_srli_epi16::<2>(b),
                        3 => _mm256_srli_epi16::<3>(b),
                        4 => _mm256_srli_epi16::<4>(b),
                        5 => _mm256_srli_epi16::<5>(b),
                        6 => _mm256_srli_epi16::<6>(b),
                        _ => _mm256_srli_epi16::<7>(b),
                    },
                    mask
                ))
            },
        )
    }
    #[inline(always)]
    fn or_shifted<const N: u32>(self, a: I, b: I) -> I {
        zip(
            a,
            b,
            #[inline(always)]
            |a, b| {
                op!(_mm256_or_si256(
                    a,
                    match N {
                        2 => _mm256_slli_epi16::<2>(b),
                        4 => _mm256_slli_epi16::<4>(b),
                        _ => unreachable!("planes start at bit 2 or 4"),
                    }
                ))
            },
        )
    }
    #[inline(always)]
    fn splat_table(self, table: &[u8; 16]) -> I {
        [op!(_mm256_broadcastsi128_si256(_mm_loadu_si128(
            table.as_ptr().cast()
        ))); 2]
    }
    #[inline(always)]
    fn lookup(self, table: I, codes: I) -> I {
        zip(
            table,
            codes,
            #[inline(always)]
            |table, codes| op!(_mm256_shuffle_epi8(table, codes)),
        )
    }
    #[inline(always)]
    fn dots<const BITS: usize, const N: usize>(self, mut acc: I, u: &[I; N], x: &[i32; N]) -> I {
        if VNNI || BITS >= 7 {
            for i in 0..N {
                acc = match BITS {
                    8 => self.dot_full(acc, u[i], x[i]),
                    _ => self.dot(acc, u[i], x[i]),
                };
            }
            return acc;
        }
        // Pair sums are below 2·2^BITS·127: this many of them fit into 16 bits.
        let run = match BITS {
            6 => 2,
            5 => 4,
            _ => 8,
        };
        for half in 0..2 {
            for first in (0..N).step_by(run) {
                op!({
                    let mut pairs =
                        _mm256_maddubs_epi16(u[first][half], _mm256_set1_epi32(x[first]));
                    for i in first + 1..N.min(first + run) {
                        let more = _mm256_maddubs_epi16(u[i][half], _mm256_set1_epi32(x[i]));
                        pairs = _mm256_add_epi16(pairs, more);
                    }
                    let quads = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
                    acc[half] = _mm256_add_epi32(acc[half], quads);
                });
            }
        }
        acc
    }
    #[inline(always)]
    unsafe fn store_i8(self, p: *mut i8, x: F) -> i32 {
        op!({
            let [low, high] = [_mm256_cvtps_epi32(x[0]), _mm256_cvtps_epi32(x[1])];
            // Packing works on 128-bit halves: put the middle quarters right afterwards.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high));
            let bytes = _mm_packs_epi16(
                _mm256_castsi256_si128(words),
                _mm256_extracti128_si256::<1>(words),
            );
            _mm_storeu_si128(p.cast(), bytes);
            total(bytes)
        })
    }
}

impl<const VNNI: bool> Avx2<VNNI> {
    /// Adds Σ u·x over the 4 bytes of each lane; u at most 127, x the 4 signed bytes of `x` in every lane.
    #[inline(always)]
    fn dot(self, acc: I, u: I, x: i32) -> I {
        let x = op!(_mm256_set1_epi32(x));
        zip(
            acc,
            u,
            #[inline(always)]
            |acc, u| {
                if VNNI {
                    op!(_mm256_dpbusd_avx_epi32(acc, u, x))
                } else {
                    // u ≤ 127, so a pair stays within 2·127·127 < 2^15 and cannot saturate.
                    op!(_mm256_add_epi32(
                        acc,
                        _mm256_madd_epi16(_mm256_maddubs_epi16(u, x), _mm256_set1_epi16(1))
                    ))
                }
            },
        )
    }
    /// As `dot` for u up to 255; without VNNI, which multiplies any u, less 128 times Σ x (see `FULL_BIAS`).
    #[inline(always)]
    fn dot_full(self, acc: I, u: I, x: i32) -> I {
        if VNNI {
            return self.dot(acc, u, x);
        }
        // The sign of u − 128 moves over to x: a pair stays within 2·128·127 < 2^15.
        let x = op!(_mm256_set1_epi32(x));
        zip(
            acc,
            u,
            #[inline(always)]
            |acc, u| {
                op!({
                    let w = _mm256_xor_si256(u, _mm256_set1_epi8(-128));
                    let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
                    _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
                })
            },
        )
    }
}

/// Σ of 16 signed bytes: as unsigned ones, each 128 too high, for which there is an instruction.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn total(bytes: __m128i) -> i32 {
    // SAFETY: only AVX2 (and older) instructions on registers.
    unsafe {
        let high = _mm_xor_si128(bytes, _mm_set1_epi8(-128));
        let sums = _mm_sad_epu8(high, _mm_setzero_si128());
        _mm_cvtsi128_si32(sums) + _mm_extract_epi16::<4>(sums) - 16 * 128
    }
}

/// The rest of the tree of `Vector::sum`, from eight lanes on.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn sum8(x: __m256) -> f32 {
    // SAFETY: only AVX2 (and older) instructions on registers.
    unsafe {
        let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
        let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
        _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
    }
}

/// The rest of the tree of `Vector::largest`, from eight lanes on.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn largest8(x: __m256) -> f32 {
    // SAFETY: only AVX2 (and older) instructions on registers.
    unsafe {
        let x = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
        let x = _mm_max_ps(x, _mm_movehl_ps(x, x));
        _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)))
    }
}
