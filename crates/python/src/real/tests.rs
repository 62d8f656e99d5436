//! The functions of `math` against tables whose expected values and errors CPython 3.11 printed.
//!
//! Cube roots are not among them: there CPython shows the last bit of the machine's C library, ours are rounded correctly.
mod tables;

use super::*;
use crate::number::parse_int;
use tables::*;

fn check(found: Result<f64, Failure>, expected: Expected, case: &str) {
    let found = found
        .map(crate::number::float_repr)
        .map_err(Failure::message);
    assert_eq!(found, expected.map(crate::number::float_repr), "{case}");
}

#[test]
fn functions_of_one_number() {
    for &(name, x, expected) in UNARY {
        let function = unary(name).expect("the tables hold known names");
        check(function(x), expected, &format!("{name}({x})"));
    }
    assert!(unary("frobnicate").is_none());
    assert_eq!(unary("cbrt").map(|root| root(27.0)), Some(Ok(3.0)));
}

#[test]
fn functions_of_two_numbers() {
    for &(name, x, y, expected) in BINARY {
        let function = binary(name).expect("the tables hold known names");
        check(function(x, y), expected, &format!("{name}({x}, {y})"));
    }
    for &(x, exponent, expected) in SCALED {
        check(
            ldexp(x, exponent),
            expected,
            &format!("ldexp({x}, {exponent})"),
        );
    }
    assert_eq!(is_close(1.0, 1.0 + 1e-10, 1e-9, 0.0), Ok(true));
    assert_eq!(is_close(1.0, 1.1, 1e-9, 0.0), Ok(false));
    assert_eq!(
        is_close(1.0, 1.0, -1.0, 0.0),
        Err(Failure::NegativeTolerance)
    );
}

#[test]
fn sums_and_lengths() {
    for &(numbers, expected) in LENGTHS {
        check(
            Ok(hypot(numbers)),
            Ok(expected),
            &format!("hypot{numbers:?}"),
        );
        let origin = vec![0.0; numbers.len()];
        check(
            Ok(dist(numbers, &origin)),
            Ok(expected),
            &format!("dist{numbers:?}"),
        );
    }
    for &(numbers, expected) in SUMS {
        check(fsum(numbers), expected, &format!("fsum{numbers:?}"));
    }
}

#[test]
fn logarithms_of_integers() {
    for &(n, natural, binary, decimal) in LOGARITHMS {
        let n = parse_int(n, 10).expect("the tables hold valid integers");
        check(log_int(&n), Ok(natural), "log");
        check(log2_int(&n), Ok(binary), "log2");
        check(log10_int(&n), Ok(decimal), "log10");
    }
    assert_eq!(log_int(&0.into()), Err(Failure::Domain));
}

#[test]
fn takes_floats_apart() {
    for &(x, mantissa, exponent, fraction, whole, last) in SPLIT {
        assert_eq!(frexp(x), (mantissa, exponent), "{x}");
        let parts = modf(x);
        check(Ok(parts.0), Ok(fraction), "fraction");
        check(Ok(parts.1), Ok(whole), "whole");
        check(Ok(ulp(x)), Ok(last), "ulp");
    }
}

/// Where the libraries that the functions stand on had lapses.
#[test]
fn powers_and_angles_at_the_ends_of_floats() {
    assert_eq!(elementary::pow(1e308, -0.5), 1e-154);
    assert_eq!(elementary::pow(2.0, -1074.0), 5e-324);
    assert_eq!(
        elementary::pow(2.388_066_449_569_113e157, -2.0),
        1.753_505_715e-315
    );
    assert_eq!(elementary::pow(1.0, f64::NAN), 1.0);
    assert_eq!(elementary::pow(f64::NAN, 0.0), 1.0);
    assert!(elementary::atan2(-5e-324, 2.0).is_sign_negative());
    assert_eq!(elementary::atan2(-0.0, -1.0), -std::f64::consts::PI);
    assert_eq!(elementary::sinh(710.0), 1.116_997_383_080_855_7e308);
    assert_eq!(elementary::cosh(f64::NEG_INFINITY), f64::INFINITY);
    assert!(elementary::tanh(f64::NAN).is_nan());
    for exponent in -300..300 {
        let power: f64 = format!("1e{exponent}").parse().expect("a number");
        assert_eq!(elementary::log10(power), f64::from(exponent));
    }
}
