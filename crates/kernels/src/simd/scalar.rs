//! Sixteen lanes as a plain array: the definition of every operation.

use super::{LANES, Simd, Vector};
use crate::half::{bf16_to_f32, f16_to_f32};
use std::array::from_fn;

/// No special instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar;

impl Scalar {
    /// # Safety
    /// 16 values of `T` are at `p`, at any alignment.
    #[inline]
    unsafe fn read<T: Copy, U>(p: *const T, widen: impl Fn(T) -> U) -> [U; LANES] {
        // SAFETY: the caller promises 16 values at `p`, and `i` is below 16.
        from_fn(|i| widen(unsafe { p.add(i).read_unaligned() }))
    }
}

impl Vector for Scalar {
    type F = [f32; LANES];
    const VECTORS: usize = 1;

    #[inline]
    fn splat(self, x: f32) -> Self::F {
        [x; LANES]
    }
    #[inline]
    unsafe fn load(self, p: *const f32) -> Self::F {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p, |x| x) }
    }
    #[inline]
    unsafe fn load_f16(self, p: *const u16) -> Self::F {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p, f16_to_f32) }
    }
    #[inline]
    unsafe fn load_bf16(self, p: *const u16) -> Self::F {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p, bf16_to_f32) }
    }
    #[inline]
    unsafe fn load_u8(self, p: *const u8) -> Self::F {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p, f32::from) }
    }
    #[inline]
    unsafe fn load_i8(self, p: *const u8) -> Self::F {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p, |x| f32::from(x.cast_signed())) }
    }
    #[inline]
    unsafe fn load_exponents(self, p: *const u8) -> Self::F {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p, |x| f32::from_bits(u32::from(x) << 23)) }
    }
    #[inline]
    unsafe fn store(self, p: *mut f32, x: Self::F) {
        // SAFETY: the trait's callers promise room for 16 values at `p`.
        unsafe { p.cast::<Self::F>().write_unaligned(x) }
    }
    #[inline]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] + b[i])
    }
    #[inline]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] - b[i])
    }
    #[inline]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] * b[i])
    }
    #[inline]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] / b[i])
    }
    #[inline]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline]
    fn at_least(self, x: Self::F, low: Self::F, y: Self::F) -> Self::F {
        from_fn(|i| if x[i] >= low[i] { y[i] } else { 0.0 })
    }
    #[inline]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        from_fn(|i| a[i].mul_add(b[i], c[i]))
    }
    #[inline]
    fn round(self, a: Self::F) -> Self::F {
        a.map(f32::round_ties_even)
    }
    #[inline]
    fn abs(self, a: Self::F) -> Self::F {
        a.map(f32::abs)
    }
    #[inline]
    fn pow2(self, n: Self::F) -> Self::F {
        #[expect(clippy::cast_possible_truncation, reason = "n is a small whole number")]
        n.map(|n| f32::from_bits(((n as i32 + 127) << 23).cast_unsigned()))
    }
}

impl Simd for Scalar {
    type I = [i32; LANES];
    type B = [u8; 4 * LANES];
    // Larger register tiles would only be more code to compile: this is the specification, not the fast one.
    const TOKENS: usize = 1;
    const STREAMS: usize = 1;
    const FULL_BIAS: i32 = 128;

    #[inline]
    fn splat_int(self, x: i32) -> Self::I {
        [x; LANES]
    }
    #[inline]
    fn float(self, x: Self::I) -> Self::F {
        #[expect(clippy::cast_precision_loss, reason = "rounded as every ISA rounds it")]
        x.map(|x| x as f32)
    }
    #[inline]
    unsafe fn load_multiples(self, p: *const u8) -> Self::I {
        // SAFETY: the trait's callers promise 16 values at `p`.
        unsafe { Self::read(p.cast::<i16>(), i32::from) }
    }
    #[inline]
    fn splat_multiple(self, m: i16) -> Self::I {
        [i32::from(m); LANES]
    }
    #[inline]
    fn nibble(self, b: Self::B, shift: u32) -> Self::I {
        from_fn(|i| {
            let word = u32::from_le_bytes([b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]]);
            ((word >> shift) & 15).cast_signed() - 8
        })
    }
    #[inline]
    fn add_multiples(self, acc: Self::I, x: Self::I, m: Self::I) -> Self::I {
        from_fn(|i| acc[i] + x[i] * m[i])
    }
    #[inline]
    unsafe fn load_bytes(self, p: *const u8) -> Self::B {
        // SAFETY: the trait's callers promise 64 bytes at `p`.
        unsafe { p.cast::<Self::B>().read_unaligned() }
    }
    #[inline]
    fn bits<const N: u32>(self, b: Self::B, mask: u8) -> Self::B {
        b.map(|b| (b >> N) & mask)
    }
    #[inline]
    fn or_shifted<const N: u32>(self, a: Self::B, b: Self::B) -> Self::B {
        from_fn(|i| a[i] | (b[i] << N))
    }
    #[inline]
    fn splat_table(self, table: &[u8; 16]) -> Self::B {
        from_fn(|i| table[i % 16])
    }
    #[inline]
    fn lookup(self, table: Self::B, codes: Self::B) -> Self::B {
        codes.map(|code| table[usize::from(code)])
    }
    #[inline]
    fn dots<const BITS: usize, const N: usize>(
        self,
        mut acc: Self::I,
        u: &[Self::B; N],
        x: &[i32; N],
    ) -> Self::I {
        for (u, x) in u.iter().zip(x) {
            let x = x.to_le_bytes();
            acc = from_fn(|lane| {
                (0..4).fold(acc[lane], |acc, i| {
                    acc + i32::from(u[4 * lane + i]) * i32::from(x[i].cast_signed())
                })
            });
        }
        acc
    }
}
