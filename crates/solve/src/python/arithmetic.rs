//! Arithmetic of floats where RustPython's result is not Python's.
//!
//! `round(x, n)`: the decimal that is nearest to the exact value, ties to even; RustPython multiplies and divides by a power
//! of ten, which rounds 2.675 to 2.68. `//`, `%` and `divmod`: from the exact remainder, as CPython does it; RustPython
//! takes the floor of the rounded quotient (3.45 // 0.05 is 68.0, not 69.0) and gets the sign of a zero remainder wrong.
use rustpython_vm::{
    PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyFloat, PyInt},
    function::FuncArgs,
    protocol::PyNumberBinaryFunc,
};

/// Puts the right operations into a fresh interpreter.
pub(super) fn correct(vm: &VirtualMachine) -> PyResult<()> {
    let slots = &vm.ctx.types.float_type.slots.as_number;
    let floor: PyNumberBinaryFunc = |a, b, vm| divided(a, b, vm, |(floor, _)| floor);
    let rest: PyNumberBinaryFunc = |a, b, vm| divided(a, b, vm, |(_, rest)| rest);
    for (left, right, operation) in [
        (&slots.floor_divide, &slots.right_floor_divide, floor),
        (&slots.remainder, &slots.right_remainder, rest),
        (&slots.divmod, &slots.right_divmod, both),
    ] {
        left.store(Some(operation));
        right.store(Some(operation));
    }
    vm.builtins.set_attr("round", round(vm)?, vm)
}

fn both(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    let Some((a, b)) = numbers(a, b, vm)? else {
        return Ok(vm.ctx.not_implemented());
    };
    let (floor, rest) = quotient(a, b, vm)?;
    let float = |x: f64| -> PyObjectRef { vm.ctx.new_float(x).into() };
    Ok(vm.ctx.new_tuple(vec![float(floor), float(rest)]).into())
}

fn divided(
    a: &PyObject,
    b: &PyObject,
    vm: &VirtualMachine,
    part: fn((f64, f64)) -> f64,
) -> PyResult {
    match numbers(a, b, vm)? {
        Some((a, b)) => Ok(vm.ctx.new_float(part(quotient(a, b, vm)?)).into()),
        None => Ok(vm.ctx.not_implemented()),
    }
}

fn numbers(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult<Option<(f64, f64)>> {
    let number = |x: &PyObject| -> PyResult<Option<f64>> {
        if let Some(x) = x.downcast_ref::<PyFloat>() {
            return Ok(Some(x.to_f64()));
        }
        match x.downcast_ref::<PyInt>() {
            Some(_) => Ok(Some(x.try_float(vm)?.to_f64())),
            None => Ok(None),
        }
    };
    Ok(number(a)?.zip(number(b)?))
}

/// Floor of the quotient and the remainder, which has the sign of the divisor.
fn quotient(a: f64, b: f64, vm: &VirtualMachine) -> PyResult<(f64, f64)> {
    if b == 0.0 {
        return Err(vm.new_zero_division_error("division by zero".to_owned()));
    }
    Ok(floor_and_rest(a, b))
}

fn floor_and_rest(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0_f64.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0.0_f64.copysign(a / b), rest);
    }
    let floor = quotient.floor();
    let up = if quotient - floor > 0.5 { 1.0 } else { 0.0 };
    (floor + up, rest)
}

/// The builtin: ours for a float and a number of digits, the interpreter's own for everything else.
fn round(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    let own = vm.builtins.get_attr("round", vm)?;
    let round = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        match float_and_digits(&args) {
            Some((x, digits)) => Ok(vm.ctx.new_float(nearest(x, digits)).into()),
            None => own.call(args, vm),
        }
    };
    Ok(vm.new_function("round", round).into())
}

fn float_and_digits(args: &FuncArgs) -> Option<(f64, i64)> {
    let argument = |at: usize, name: &str| args.args.get(at).or_else(|| args.kwargs.get(name));
    let x = argument(0, "number")?.downcast_ref::<PyFloat>()?.to_f64();
    let digits = argument(1, "ndigits")?.downcast_ref::<PyInt>()?;
    let digits = i64::try_from(digits.as_bigint()).ok()?;
    x.is_finite().then_some((x, digits))
}

/// The double nearest to `x` rounded to so many digits after the point, or before it.
fn nearest(x: f64, digits: i64) -> f64 {
    match digits {
        324.. => x,
        // Exact, ties to even.
        0..=323 => format!("{x:.*}", digits as usize).parse().unwrap_or(x),
        -308..=-1 => whole(x, digits.unsigned_abs() as usize),
        _ => 0.0_f64.copysign(x),
    }
}

/// Rounds away the last `zeros` digits before the point.
fn whole(x: f64, zeros: usize) -> f64 {
    let (integer, rest) = (x.abs().trunc(), x.fract() != 0.0);
    let text = format!("{integer:0>width$.0}", width = zeros + 1);
    let (kept, cut) = text.split_at(text.len() - zeros);
    let half = format!("5{}", "0".repeat(zeros - 1));
    let odd = kept.ends_with(['1', '3', '5', '7', '9']);
    let up = match cut.cmp(&half) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => rest || odd,
        std::cmp::Ordering::Greater => true,
    };
    let kept = if up { increment(kept) } else { kept.into() };
    let rounded = format!("{kept}e{zeros}").parse().unwrap_or(integer);
    f64::copysign(rounded, x)
}

/// One more, in decimal.
fn increment(digits: &str) -> String {
    let nines = digits.len() - digits.trim_end_matches('9').len();
    let (front, _) = digits.split_at(digits.len() - nines);
    let (front, last) = match front.char_indices().last() {
        Some((at, last)) => (&front[..at], last),
        None => ("", '0'),
    };
    let next = char::from(last as u8 + 1);
    format!("{front}{next}{}", "0".repeat(nines))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What CPython gives.
    #[test]
    fn divides_as_python_does() {
        for (a, b, floor, rest) in [
            (3.45, 0.05, 68.0, 0.05),
            (1.0, 0.1, 9.0, 0.1),
            (7.5, -2.0, -4.0, -0.5),
            (-7.5, 2.0, -4.0, 0.5),
            (4.0, -2.0, -2.0, -0.0),
            (1e300, 1e-300, f64::INFINITY, 0.0),
        ] {
            let (found, left) = floor_and_rest(a, b);
            assert_eq!(found, floor, "{a} // {b}");
            assert!((left - rest).abs() < 1e-9, "{a} % {b} = {left}");
            assert_eq!(left.is_sign_negative(), b < 0.0, "{a} % {b}");
        }
    }

    #[test]
    fn rounds_as_python_does() {
        for (x, digits, rounded) in [
            (2.675, 2, 2.67),
            (1.005, 2, 1.0),
            (0.125, 2, 0.12),
            (0.375, 2, 0.38),
            (2.5, 0, 2.0),
            (3.5, 0, 4.0),
            (-2.5, 0, -2.0),
            (1e300, 5, 1e300),
            (0.1 + 0.2, 17, 0.30000000000000004),
            (5e-324, 323, 0.0),
            (25.0, -1, 20.0),
            (35.0, -1, 40.0),
            (25.1, -1, 30.0),
            (999.5, -1, 1000.0),
            (999.0, -3, 1000.0),
            (499.9, -3, 0.0),
            (500.0, -3, 0.0),
            (1234567.0, -2, 1234600.0),
            (-1250.0, -2, -1200.0),
            (1e308, -308, 1e308),
            (7.0, -400, 0.0),
        ] {
            assert_eq!(nearest(x, digits), rounded, "round({x}, {digits})");
        }
        assert!(nearest(-0.4, 0).is_sign_negative());
    }
}
