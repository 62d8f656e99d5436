//! Numbers against tables whose expected values CPython 3.11 printed; what is random in them was drawn once.
mod tables;

use num_bigint::BigInt;

use super::*;
use tables::*;

fn int(text: &str) -> BigInt {
    parse_int(text, 10).expect("the tables hold valid integers")
}

fn same(found: f64, expected: f64) -> bool {
    found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
}

#[test]
fn reads_and_writes_floats() {
    for &(x, text) in REPRS {
        assert_eq!(float_repr(x), text);
        assert!(
            parse_float(text).is_some_and(|back| same(back, x)),
            "{text}"
        );
    }
    for &(text, expected) in FLOATS {
        let found = parse_float(text);
        assert_eq!(found.map(float_repr), expected.map(float_repr), "{text:?}");
    }
    for &(x, text) in HEXADECIMAL {
        assert_eq!(float_hex(x), text);
    }
    for &(text, expected) in FROM_HEXADECIMAL {
        let found = float_from_hex(text).map(float_repr);
        assert_eq!(
            found.map_err(FromHexError::message),
            expected.map(float_repr),
            "{text:?}"
        );
    }
}

#[test]
fn reads_and_writes_integers() {
    for &(text, base, expected) in INTS {
        let found = parse_int(text, base).map(|n| int_to_string(&n));
        assert_eq!(found.as_deref(), expected, "{text:?} in base {base}");
    }
    let long = format!("1{}", "0".repeat(5000));
    let n = int(&long);
    assert_eq!(int_to_string(&n), long);
    assert!(decimal_digits_exceed(&n, 5000) && !decimal_digits_exceed(&n, 5001));
    assert!(!decimal_digits_exceed(&(n - 1), 5000));
    assert_eq!(count_digits(" -1_0٣ "), 3);
}

#[test]
fn divides() {
    for &(a, b, expected) in QUOTIENTS {
        let found = true_divide(&int(a), &int(b));
        assert_eq!(found.map(float_repr), expected.map(float_repr), "{a} / {b}");
    }
    for &(a, b, floor, rest) in FLOORS {
        assert_eq!(
            floor_mod_int(&int(a), &int(b)),
            Some((int(floor), int(rest))),
            "{a}, {b}"
        );
    }
    for &(a, b, floor, rest) in FLOAT_FLOORS {
        let found = float_floor_mod(a, b);
        assert!(
            same(found.0, floor) && same(found.1, rest),
            "{a}, {b}: {found:?}"
        );
    }
    assert_eq!(floor_mod_i64(-7, 2), Some((-4, 1)));
    assert_eq!(floor_mod_i64(i64::MIN, -1), None);
    assert_eq!(floor_mod_i64(1, 0), None);
}

#[test]
fn rounds() {
    for &(x, digits, expected) in ROUNDED {
        let found = round_float(x, digits);
        assert!(same(found, expected), "round({x}, {digits}) = {found}");
    }
    for &(n, digits, expected) in ROUNDED_INTS {
        assert_eq!(
            round_int(&int(n), digits),
            int(expected),
            "round({n}, {digits})"
        );
    }
    assert!(round_float(f64::MAX, -308).is_infinite());
    assert_eq!(round_half_even(-2.5), -2.0);
}

#[test]
fn hashes_and_compares() {
    for &(n, expected) in INT_HASHES {
        assert_eq!(hash_int(&int(n)), expected, "{n}");
    }
    for &(x, expected) in FLOAT_HASHES {
        assert_eq!(hash_float(x), expected, "{x}");
    }
    for &(n, x, expected) in COMPARED {
        let found = compare_int_float(&int(n), x).map(|order| order as i8);
        assert_eq!(found, Some(expected), "{n} and {x}");
    }
    assert_eq!(compare_int_float(&int("1"), f64::NAN), None);
}

#[test]
fn raises_to_powers() {
    for &(a, b, expected) in POWERS {
        assert!(
            float_pow(a, b).is_ok_and(|power| same(power, expected)),
            "{a} ** {b}"
        );
    }
    assert_eq!(float_pow(0.0, -1.0), Err(PowError::ZeroDivision));
    assert_eq!(float_pow(2.0, 1e4), Err(PowError::Overflow));
    let root = Complex::new(1.000_000_000_000_000_2, 1.732_050_807_568_877_2);
    assert_eq!(float_pow(-8.0, 1.0 / 3.0), Err(PowError::Complex(root)));
    for &(a, b, modulus, expected) in MODULAR {
        let found = mod_pow(&int(a), &int(b), &int(modulus)).map(|n| int_to_string(&n));
        let found = found.as_deref().map_err(|error| error.message());
        assert_eq!(found, expected, "pow({a}, {b}, {modulus})");
    }
    assert_eq!(int_pow(&int("-3"), 5), Some(int("-243")));
    assert_eq!(int_pow(&int("-1"), u64::MAX), Some(int("-1")));
    assert_eq!(
        int_pow(&int("2"), MOST_BITS - 1).map(|n| n.bits()),
        Some(MOST_BITS)
    );
    assert_eq!(int_pow(&int("2"), MOST_BITS), None);
    assert_eq!(int_pow(&int("10"), u64::MAX), None);
}

#[test]
fn counts() {
    for &(n, k, ways, lined_up) in CHOICES {
        let (n, k) = (int(n), int(k));
        assert_eq!(comb(&n, &k), Some(int(ways)), "comb({n}, {k})");
        assert_eq!(perm(&n, &k), Some(int(lined_up)), "perm({n}, {k})");
    }
    assert_eq!(factorial(20), Some(int("2432902008176640000")));
    assert_eq!(factorial(u64::MAX), None);
    assert_eq!(gcd(&int("-12"), &int("18")), int("6"));
    assert_eq!(lcm(&int("-4"), &int("6")), Some(int("12")));
    assert_eq!(isqrt(&int("99999999999999999999")), Some(int("9999999999")));
    assert_eq!(isqrt(&int("-1")), None);
}

#[test]
fn moves_bits_and_bytes() {
    for &(n, length, little, signed, expected) in BYTES {
        let found = to_bytes(&int(n), length, little, signed);
        let found = found.as_deref().map_err(|error| error.message());
        assert_eq!(found, expected, "{n} in {length}");
        if let Ok(bytes) = found
            && !bytes.is_empty()
        {
            assert_eq!(from_bytes(bytes, little, signed), int(n));
        }
    }
    let huge = int("99999999999999999999999");
    assert_eq!(shift_left(&int("0"), &huge), Some(int("0")));
    assert_eq!(shift_left(&int("1"), &huge), None);
    assert_eq!(shift_right(&int("-5"), &huge), int("-1"));
    assert_eq!(shift_right(&int("-5"), &int("1")), int("-3"));
    assert_eq!((bit_length(&int("-255")), bit_count(&int("-255"))), (8, 8));
    assert_eq!(as_integer_ratio(-0.75), Some((int("-3"), int("4"))));
    assert_eq!(float_to_int(-1e20), Some(int("-100000000000000000000")));
}

#[test]
fn calculates_with_complex_numbers() {
    let pair = |number: Complex| format!("{:?}", (number.real, number.imaginary));
    for &(real, imaginary, text) in COMPLEX_REPRS {
        assert_eq!(Complex::new(real, imaginary).repr(), text);
    }
    for (table, divides) in [(COMPLEX_POWERS, false), (COMPLEX_QUOTIENTS, true)] {
        for &(a, b, expected) in table {
            let (a, b) = (Complex::new(a.0, a.1), Complex::new(b.0, b.1));
            let found = if divides { a.divided_by(b) } else { a.pow(b) };
            let found = found.map(pair).map_err(ComplexError::message);
            assert_eq!(
                found,
                expected.map(|pair| format!("{pair:?}")),
                "{a:?} and {b:?}"
            );
        }
    }
}
