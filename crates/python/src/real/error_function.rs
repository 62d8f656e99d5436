//! The error function and its complement: rational approximations in four ranges of the argument.
//!
//! Coefficients and ranges are those of Sun's fdlibm (1993, freely granted), as in every C library; terms are added in pairs,
//! as GNU's library does, whose last bit CPython shows.
use super::elementary::exp;

/// The error function at one, short.
const AT_ONE: f64 = 0.845_062_911_510_467_5;
/// Two by the root of pi, less one.
const SLOPE: f64 = 0.128_379_167_095_512_6;
const NEAR_ABOVE: [f64; 5] = [
    0.128_379_167_095_512_56,
    -0.325_042_107_247_001_5,
    -0.028_481_749_575_598_51,
    -0.005_770_270_296_489_442,
    -2.376_301_665_665_016_3e-5,
];
const NEAR_BELOW: [f64; 6] = [
    1.0,
    0.397_917_223_959_155_35,
    0.065_022_249_988_767_3,
    0.005_081_306_281_875_766,
    0.000_132_494_738_004_321_64,
    -3.960_228_278_775_368e-6,
];
const ONE_ABOVE: [f64; 7] = [
    -0.002_362_118_560_752_659_4,
    0.414_856_118_683_748_33,
    -0.372_207_876_035_701_3,
    0.318_346_619_901_161_75,
    -0.110_894_694_282_396_68,
    0.035_478_304_325_618_236,
    -0.002_166_375_594_868_791,
];
const ONE_BELOW: [f64; 7] = [
    1.0,
    0.106_420_880_400_844_23,
    0.540_397_917_702_171,
    0.071_828_654_414_196_27,
    0.126_171_219_808_761_64,
    0.013_637_083_912_029_05,
    0.011_984_499_846_799_107,
];
const MIDDLE_ABOVE: [f64; 8] = [
    -0.009_864_944_034_847_148,
    -0.693_858_572_707_181_8,
    -10.558_626_225_323_291,
    -62.375_332_450_326_006,
    -162.396_669_462_573_47,
    -184.605_092_906_711_04,
    -81.287_435_506_306_6,
    -9.814_329_344_169_145,
];
const MIDDLE_BELOW: [f64; 9] = [
    1.0,
    19.651_271_667_439_257,
    137.657_754_143_519_04,
    434.565_877_475_229_23,
    645.387_271_733_267_9,
    429.008_140_027_567_83,
    108.635_005_541_779_44,
    6.570_249_770_319_282,
    -0.060_424_415_214_858_1,
];
const FAR_ABOVE: [f64; 7] = [
    -0.009_864_942_924_700_1,
    -0.799_283_237_680_523,
    -17.757_954_917_754_752,
    -160.636_384_855_821_92,
    -637.566_443_368_389_6,
    -1_025.095_131_611_077_2,
    -483.519_191_608_651_4,
];
const FAR_BELOW: [f64; 8] = [
    1.0,
    30.338_060_743_482_46,
    325.792_512_996_573_9,
    1_536.729_586_084_437,
    3_199.858_219_508_595_5,
    2_553.050_406_433_164_4,
    474.528_541_206_955_37,
    -22.440_952_446_585_82,
];

/// In pairs of terms: an even power of `x` times a pair.
fn polynomial(terms: &[f64], x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let powers = [1.0, square, fourth, fourth * square, fourth * fourth];
    let pairs = terms.chunks(2).map(|pair| match *pair {
        [even, odd] => even + x * odd,
        [even] => even,
        _ => 0.0,
    });
    let mut parts = powers
        .into_iter()
        .zip(pairs)
        .map(|(power, pair)| power * pair);
    let first = parts.next().unwrap_or(0.0);
    parts.fold(first, |sum, part| sum + part)
}

/// What to add to one for the ratio of the function to a small argument.
fn near_zero(x: f64) -> f64 {
    let square = x * x;
    polynomial(&NEAR_ABOVE, square) / polynomial(&NEAR_BELOW, square)
}

/// The difference to its value at one, for sizes from 0.84375 to 1.25.
fn near_one(size: f64) -> f64 {
    let above = size - 1.0;
    polynomial(&ONE_ABOVE, above) / polynomial(&ONE_BELOW, above)
}

/// The complement for sizes from 1.25.
fn tail(size: f64, border: f64) -> f64 {
    let inverse = 1.0 / (size * size);
    let ratio = if size < border {
        polynomial(&MIDDLE_ABOVE, inverse) / polynomial(&MIDDLE_BELOW, inverse)
    } else {
        polynomial(&FAR_ABOVE, inverse) / polynomial(&FAR_BELOW, inverse)
    };
    // Short enough for its square to be exact.
    let short = f64::from_bits(size.to_bits() & 0xffff_ffff_0000_0000);
    let exact = exp(-short * short - 0.5625);
    exact * exp((short - size) * (short + size) + ratio) / size
}

pub(super) fn erf(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() {
        return x;
    }
    if size < 1.0 / f64::from(1 << 28) {
        return 0.0625 * (16.0 * x + (16.0 * SLOPE) * x);
    }
    if size < 0.84375 {
        return x + x * near_zero(x);
    }
    let result = if size < 1.25 {
        AT_ONE + near_one(size)
    } else if size < 6.0 {
        1.0 - tail(size, f64::from_bits(0x4006_db6e_0000_0000))
    } else {
        1.0
    };
    result.copysign(x)
}

pub(super) fn erfc(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() {
        return x;
    }
    if size < 0.84375 {
        let more = x * near_zero(x);
        return if x < 0.25 {
            1.0 - (x + more)
        } else {
            0.5 - (x - 0.5 + more)
        };
    }
    if size < 1.25 {
        let more = near_one(size);
        return if x > 0.0 {
            1.0 - AT_ONE - more
        } else {
            1.0 + (AT_ONE + more)
        };
    }
    if x < -6.0 {
        return 2.0;
    }
    if x >= 28.0 {
        return 0.0;
    }
    let tail = tail(size, f64::from_bits(0x4006_db6d_0000_0000));
    if x > 0.0 { tail } else { 2.0 - tail }
}
