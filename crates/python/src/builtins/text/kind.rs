//! Questions about all characters of a text: `isalpha`, `isdigit`, `istitle` and so on.
use super::{
    characters::{
        continues_identifier, is_alpha, is_cased, is_digit, is_numeric, is_space, is_title,
        starts_identifier,
    },
    simple,
};
use crate::{number::decimal_digit, text::is_printable, value::Value, vm::Vm};

pub(super) fn install(vm: &Vm) {
    simple(vm, "isalpha", |_, text| all(text, is_alpha));
    simple(vm, "isalnum", |_, text| {
        all(text, |c| is_alpha(c) || is_numeric(c))
    });
    simple(vm, "isdecimal", |_, text| {
        all(text, |c| decimal_digit(c).is_some())
    });
    simple(vm, "isdigit", |_, text| all(text, is_digit));
    simple(vm, "isnumeric", |_, text| all(text, is_numeric));
    simple(vm, "isspace", |_, text| all(text, is_space));
    simple(vm, "isascii", |_, text| Ok(Value::Bool(text.is_ascii())));
    simple(vm, "isprintable", |_, text| {
        Ok(Value::Bool(text.chars().all(is_printable)))
    });
    simple(vm, "isidentifier", |_, text| {
        Ok(Value::Bool(is_identifier(text)))
    });
    simple(vm, "islower", |_, text| {
        Ok(Value::Bool(one_case(text, char::is_lowercase, |c| {
            c.is_uppercase() || is_title(c)
        })))
    });
    simple(vm, "isupper", |_, text| {
        Ok(Value::Bool(one_case(text, char::is_uppercase, |c| {
            c.is_lowercase() || is_title(c)
        })))
    });
    simple(vm, "istitle", |_, text| {
        Ok(Value::Bool(is_in_title_case(text)))
    });
}

/// An empty text is of no kind.
fn all(text: &str, is: impl Fn(char) -> bool) -> crate::vm::PyResult {
    Ok(Value::Bool(!text.is_empty() && text.chars().all(is)))
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(starts_identifier) && chars.all(continues_identifier)
}

/// At least one of the wanted letters and none of the others.
fn one_case(text: &str, wanted: fn(char) -> bool, other: impl Fn(char) -> bool) -> bool {
    !text.chars().any(other) && text.chars().any(wanted)
}

fn is_in_title_case(text: &str) -> bool {
    let (mut inside, mut any) = (false, false);
    for c in text.chars() {
        let capital = c.is_uppercase() || is_title(c);
        if capital == inside && is_cased(c) {
            return false;
        }
        inside = is_cased(c);
        any |= inside;
    }
    any
}
