//! 16-bit floats: IEEE half and bfloat, to and from `f32`, exactly.
//!
//! `f16_to_f32` and `bf16_to_f32` lose nothing; `f32_to_f16` rounds to nearest, ties
//! to even, and keeps finite values finite by clamping, because a cache that holds an
//! infinity poisons every later token.

/// Widens an IEEE half.
#[inline(always)]
pub const fn f16_to_f32(h: u16) -> f32 {
    let sign = ((h as u32) & 0x8000) << 16;
    let magnitude = (h as u32) & 0x7fff;
    let bits = if magnitude >= 0x7c00 {
        (magnitude << 13) | 0x7f80_0000
    } else {
        // Shifting the fields into place leaves the exponent 112 too small; the product with
        // 2^112 mends it and makes normal numbers out of subnormal ones.
        (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits()
    };
    f32::from_bits(sign | bits)
}

/// Widens a bfloat.
#[inline(always)]
pub const fn bf16_to_f32(h: u16) -> f32 {
    f32::from_bits((h as u32) << 16)
}

/// Narrows to an IEEE half: nearest, ties to even, finite values clamped to ±65504.
#[inline(always)]
pub const fn f32_to_f16(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    // All are made and one is taken, which compilers turn into vectors where they cannot with branches.
    let odd = (magnitude >> 13) & 1;
    let normal = magnitude
        .wrapping_sub(0x3800_0000)
        .wrapping_add(0x0fff + odd)
        >> 13;
    // Below the normal halves: adding 0.5 puts the wanted bits at the end of the mantissa, rounded by the addition
    // itself.
    let small = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0x3f00_0000);
    let half = if magnitude < 0x3880_0000 {
        small
    } else {
        normal
    };
    let half = if magnitude < 0x477f_e000 {
        half
    } else {
        0x7bff
    };
    let half = if magnitude <= 0x7f80_0000 {
        half
    } else {
        0x7e00
    };
    sign | half as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a half by its definition.
    fn value(h: u16) -> f64 {
        let sign = if h & 0x8000 == 0 { 1.0 } else { -1.0 };
        let exponent = i32::from((h >> 10) & 31);
        let mantissa = f64::from(h & 1023);
        match exponent {
            0 => sign * mantissa * 2f64.powi(-24),
            31 if mantissa == 0.0 => sign * f64::INFINITY,
            31 => f64::NAN,
            _ => sign * (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15),
        }
    }

    #[test]
    fn every_half_widens_exactly_and_comes_back() {
        for h in 0..=u16::MAX {
            let x = f16_to_f32(h);
            if value(h).is_nan() {
                assert!(x.is_nan());
                assert!(f16_to_f32(f32_to_f16(x)).is_nan());
            } else {
                assert_eq!(f64::from(x), value(h), "{h:04x}");
                if x.is_finite() {
                    assert_eq!(f32_to_f16(x), h, "{h:04x}");
                }
            }
        }
    }

    #[test]
    fn narrowing_rounds_to_the_nearest_half() {
        for h in 0..0x7bffu16 {
            let (low, high) = (f16_to_f32(h), f16_to_f32(h + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(f32_to_f16(middle), h + (h & 1), "tie at {h:04x}");
            assert_eq!(f32_to_f16(f32::from_bits(middle.to_bits() - 1)), h);
            assert_eq!(f32_to_f16(f32::from_bits(middle.to_bits() + 1)), h + 1);
        }
        assert_eq!(f32_to_f16(1e9), 0x7bff);
        assert_eq!(f32_to_f16(-1e9), 0xfbff);
    }
}
