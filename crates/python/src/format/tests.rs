//! Formatting against tables whose expected texts and errors CPython 3.11 printed; what is random was drawn once.
mod tables;

use num_bigint::BigInt;

use super::*;
use tables::*;

fn message(error: FormatError) -> String {
    match error {
        FormatError::Value(message) => message,
        FormatError::Overflow(message) | FormatError::Type(message) => message.to_owned(),
        FormatError::Memory => "memory".to_owned(),
    }
}

fn check(found: Result<String, FormatError>, expected: Expected, case: &str) {
    let found = found.map_err(message);
    let found = found.as_deref().map_err(String::as_str);
    assert_eq!(found, expected, "{case}");
}

fn int(text: &str) -> BigInt {
    crate::number::parse_int(text, 10).expect("the tables hold valid integers")
}

fn only_conversion(format: &str) -> Conversion<'_> {
    let conversion = Percent::new(format, false).find_map(|segment| match segment {
        Ok(Segment::Conversion(conversion)) => Some(conversion),
        _ => None,
    });
    conversion.expect("the tables hold one conversion each")
}

fn layout(conversion: &Conversion<'_>) -> Layout {
    conversion
        .layout(0, 0)
        .expect("widths in the tables are small")
}

#[test]
fn lays_out_by_specification() {
    for &(spec, n, expected) in INTS {
        let found = Spec::parse(spec, "int").and_then(|spec| format_int(&int(n), &spec, "int"));
        check(found, expected, &format!("{n} by {spec:?}"));
    }
    for &(spec, x, expected) in FLOATS {
        let found = Spec::parse(spec, "float").and_then(|spec| format_float(x, &spec, "float"));
        check(found, expected, &format!("{x} by {spec:?}"));
    }
    for &(spec, text, expected) in TEXTS {
        let found = Spec::parse(spec, "str").and_then(|spec| format_str(text, &spec, "str"));
        check(found, expected, &format!("{text:?} by {spec:?}"));
    }
    for &(spec, real, imaginary, expected) in COMPLEX {
        let number = crate::number::Complex::new(real, imaginary);
        let found = Spec::parse(spec, "complex");
        let found = found.and_then(|spec| format_complex(number, &spec, "complex"));
        check(found, expected, &format!("{number:?} by {spec:?}"));
    }
}

#[test]
fn refuses_what_is_too_long() {
    for spec in ["3000000000", "0100000000", "1000000000,", "é^60000000"] {
        let parsed = Spec::parse(spec, "int").expect("valid");
        assert_eq!(
            format_int(&int("5"), &parsed, "int"),
            Err(FormatError::Memory),
            "{spec}"
        );
        assert_eq!(
            format_float(0.5, &parsed, "float"),
            Err(FormatError::Memory),
            "{spec}"
        );
    }
    let parsed = Spec::parse(".100000000f", "float").expect("valid");
    assert_eq!(
        format_float(0.5, &parsed, "float"),
        Err(FormatError::Memory)
    );
    let wide = only_conversion("%99999999d");
    assert_eq!(wide.layout(0, 0), Err(FormatError::Memory));
    let star = only_conversion("%*d");
    assert_eq!(star.layout(i64::MIN, 0), Err(FormatError::Memory));
}

#[test]
fn lays_out_by_conversion() {
    for &(format, n, expected) in PERCENT_INTS {
        let conversion = only_conversion(format);
        let found = percent_int(&int(n), conversion.kind, &layout(&conversion));
        check(found, Ok(expected), &format!("{format:?} % {n}"));
    }
    for &(format, x, expected) in PERCENT_FLOATS {
        let conversion = only_conversion(format);
        let found = percent_float(x, conversion.kind, &layout(&conversion));
        check(found, Ok(expected), &format!("{format:?} % {x}"));
    }
    for &(format, text, expected) in PERCENT_TEXTS {
        let found = percent_text(text, &layout(&only_conversion(format)));
        check(found, Ok(expected), &format!("{format:?} % {text:?}"));
    }
    let character = layout(&only_conversion("%3c"));
    check(percent_code(233, &character), Ok("  é"), "%3c");
    check(
        percent_code(-1, &character),
        Err("%c arg not in range(0x110000)"),
        "%3c",
    );
}

#[test]
fn splits_formats() {
    let mut pieces = Percent::new("a%%%(k(1))*.*ldé", true);
    assert_eq!(pieces.next(), Some(Ok(Segment::Text("a"))));
    assert_eq!(pieces.next(), Some(Ok(Segment::Text("%"))));
    let Some(Ok(Segment::Conversion(conversion))) = pieces.next() else {
        panic!("no conversion");
    };
    assert_eq!(conversion.key, Some("k(1)"));
    assert_eq!(conversion.width, Some(Amount::Argument));
    assert_eq!(conversion.precision, Some(Amount::Argument));
    let layout = conversion.layout(-6, 3).expect("small");
    check(
        percent_int(&int("42"), conversion.kind, &layout),
        Ok("042   "),
        "stars",
    );
    assert_eq!(pieces.next(), Some(Ok(Segment::Text("é"))));
    assert_eq!(pieces.next(), None);
    for &(format, mapping, expected) in BROKEN {
        let error = Percent::new(format, mapping).find_map(Result::err);
        assert_eq!(error.map(message).as_deref(), Some(expected), "{format:?}");
    }
    for &(format, expected) in UNSUPPORTED {
        assert_eq!(message(only_conversion(format).unsupported()), expected);
    }
}
