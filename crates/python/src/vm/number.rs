//! Arithmetic of numbers: `bool`, `int`, `float`, `complex` and what comes of two of them.
use super::{PyResult, Raise, Vm};
use crate::{
    ast::{BinOp, UnaryOp},
    number::{self, Complex, ComplexError, PowError},
    value::Value,
};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::rc::Rc;

/// A number of a builtin type.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Int(i64),
    Big(Rc<BigInt>),
    Float(f64),
    Complex(Complex),
}

impl Number {
    /// Integers 1, floats 2, complex numbers 3, what is no number 0: a type calculates with those that are not beyond it.
    pub(crate) fn breadth(value: &Value) -> u8 {
        match value.plain() {
            Value::Bool(_) | Value::Int(_) | Value::Big(_) => 1,
            Value::Float(_) => 2,
            Value::Complex(_) => 3,
            _ => 0,
        }
    }

    /// Whether a number is of a type that the other number's type does not calculate with: a float beside an integer.
    pub(crate) fn is_beyond(value: &Value, other: &Value) -> bool {
        let other = Self::breadth(other);
        other > 0 && Self::breadth(value) > other
    }

    /// The number that a value is or carries.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        Some(match value.plain() {
            Value::Int(n) => Self::Int(*n),
            Value::Bool(b) => Self::Int(i64::from(*b)),
            Value::Float(x) => Self::Float(*x),
            Value::Big(n) => Self::Big(n.clone()),
            Value::Complex(z) => Self::Complex(**z),
            _ => return None,
        })
    }

    /// The integer, if it is one.
    pub(crate) fn big(&self) -> Option<BigInt> {
        match self {
            Self::Int(n) => Some((*n).into()),
            Self::Big(n) => Some((**n).clone()),
            _ => None,
        }
    }

    /// As a float; `None` for a complex number and an integer that is too large.
    pub(crate) fn float(&self) -> Option<f64> {
        match self {
            Self::Int(n) => Some(*n as f64),
            Self::Big(n) => number::int_to_f64(n),
            Self::Float(x) => Some(*x),
            Self::Complex(_) => None,
        }
    }

    fn complex(&self) -> Option<Complex> {
        match self {
            Self::Complex(z) => Some(*z),
            other => other.float().map(|x| Complex::new(x, 0.0)),
        }
    }

    pub(crate) fn value(self) -> Value {
        match self {
            Self::Int(n) => Value::Int(n),
            Self::Big(n) => Value::Big(n),
            Self::Float(x) => Value::Float(x),
            Self::Complex(z) => Value::Complex(Rc::new(z)),
        }
    }
}

impl Vm {
    /// `a op b` of two numbers; `None` where the operator is not theirs.
    pub(crate) fn arithmetic(&self, op: BinOp, a: &Number, b: &Number) -> PyResult<Option<Value>> {
        if let (Number::Int(a), Number::Int(b)) = (a, b)
            && let Some(value) = small(op, *a, *b)
        {
            return Ok(Some(value));
        }
        match (a, b) {
            (Number::Complex(_), _) | (_, Number::Complex(_)) => {
                let (Some(a), Some(b)) = (a.complex(), b.complex()) else {
                    return Err(self.int_too_large());
                };
                self.complex_arithmetic(op, a, b)
            }
            (Number::Float(_), _) | (_, Number::Float(_)) => {
                let (Some(a), Some(b)) = (a.float(), b.float()) else {
                    return Err(self.int_too_large());
                };
                self.float_arithmetic(op, a, b)
            }
            _ => match (a.big(), b.big()) {
                (Some(a), Some(b)) => self.int_arithmetic(op, &a, &b),
                _ => Ok(None),
            },
        }
    }

    pub(crate) fn int_too_large(&self) -> Raise {
        self.overflow("int too large to convert to float")
    }

    fn int_arithmetic(&self, op: BinOp, a: &BigInt, b: &BigInt) -> PyResult<Option<Value>> {
        let value = match op {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            BinOp::Mul => {
                if a.bits() + b.bits() > number::MOST_BITS {
                    return Err(self.memory_error());
                }
                a * b
            }
            BinOp::Div => {
                if b.is_zero() {
                    return Err(self.zero_division("division by zero"));
                }
                let quotient = number::true_divide(a, b);
                let quotient = quotient.ok_or_else(|| {
                    self.overflow("integer division result too large for a float")
                })?;
                return Ok(Some(Value::Float(quotient)));
            }
            BinOp::FloorDiv | BinOp::Mod => {
                let Some((quotient, rest)) = number::floor_mod_int(a, b) else {
                    let message = match op {
                        BinOp::Mod => "integer modulo by zero",
                        _ => "integer division or modulo by zero",
                    };
                    return Err(self.zero_division(message));
                };
                if op == BinOp::Mod { rest } else { quotient }
            }
            BinOp::Pow => return self.int_power(a, b).map(Some),
            BinOp::LeftShift | BinOp::RightShift => {
                if b.is_negative() {
                    return Err(self.value_error("negative shift count"));
                }
                match op {
                    BinOp::LeftShift => {
                        number::shift_left(a, b).ok_or_else(|| self.memory_error())?
                    }
                    _ => number::shift_right(a, b),
                }
            }
            BinOp::BitAnd => a & b,
            BinOp::BitOr => a | b,
            BinOp::BitXor => a ^ b,
            BinOp::MatMul => return Ok(None),
        };
        Ok(Some(Value::big(value)))
    }

    fn int_power(&self, a: &BigInt, b: &BigInt) -> PyResult {
        if b.is_negative() {
            let (Some(a), Some(b)) = (number::int_to_f64(a), number::int_to_f64(b)) else {
                return Err(self.int_too_large());
            };
            let value = self.float_arithmetic(BinOp::Pow, a, b)?;
            return Ok(value.unwrap_or(Value::None));
        }
        let power = match b.to_u64() {
            Some(exponent) => number::int_pow(a, exponent),
            None if a.is_zero() || a.is_one() => Some(a.clone()),
            None if *a == BigInt::from(-1) => Some(if b.bit(0) { a.clone() } else { -a }),
            None => None,
        };
        power.map(Value::big).ok_or_else(|| self.memory_error())
    }

    fn float_arithmetic(&self, op: BinOp, a: f64, b: f64) -> PyResult<Option<Value>> {
        let value = match op {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            BinOp::Mul => a * b,
            BinOp::Div if b == 0.0 => return Err(self.zero_division("float division by zero")),
            BinOp::Div => a / b,
            BinOp::FloorDiv if b == 0.0 => {
                return Err(self.zero_division("float floor division by zero"));
            }
            BinOp::Mod if b == 0.0 => return Err(self.zero_division("float modulo")),
            BinOp::FloorDiv => number::float_floor_mod(a, b).0,
            BinOp::Mod => number::float_floor_mod(a, b).1,
            BinOp::Pow => {
                return match number::float_pow(a, b) {
                    Ok(power) => Ok(Some(Value::Float(power))),
                    Err(PowError::Complex(z)) => Ok(Some(Value::Complex(Rc::new(z)))),
                    Err(PowError::ComplexFailure(error)) => Err(self.complex_error(error)),
                    Err(error @ PowError::ZeroDivision) => Err(self.zero_division(error.message())),
                    Err(PowError::Overflow) => Err(self.out_of_range()),
                };
            }
            _ => return Ok(None),
        };
        Ok(Some(Value::Float(value)))
    }

    pub(crate) fn out_of_range(&self) -> Raise {
        let text = Value::str("Numerical result out of range");
        self.exception("OverflowError", vec![Value::Int(34), text])
    }

    pub(crate) fn complex_error(&self, error: ComplexError) -> Raise {
        let class = match error {
            ComplexError::Division | ComplexError::PowerOfZero => "ZeroDivisionError",
            _ => "OverflowError",
        };
        self.error(class, error.message())
    }

    fn complex_arithmetic(&self, op: BinOp, a: Complex, b: Complex) -> PyResult<Option<Value>> {
        let value = match op {
            BinOp::Add => Ok(a.plus(b)),
            BinOp::Sub => Ok(a.minus(b)),
            BinOp::Mul => Ok(a.times(b)),
            BinOp::Div => a.divided_by(b),
            BinOp::Pow => a.pow(b),
            BinOp::FloorDiv | BinOp::Mod => {
                return Ok(None);
            }
            _ => return Ok(None),
        };
        match value {
            Ok(z) => Ok(Some(Value::Complex(Rc::new(z)))),
            Err(error) => Err(self.complex_error(error)),
        }
    }

    pub(crate) fn unary(&self, op: UnaryOp, value: &Value) -> PyResult {
        let (name, sign) = match op {
            UnaryOp::Not => return Ok(Value::Bool(!self.truth(value)?)),
            UnaryOp::Plus => (&self.names.pos, "+"),
            UnaryOp::Minus => (&self.names.neg, "-"),
            UnaryOp::Invert => (&self.names.invert, "~"),
        };
        if let Some(result) = self.call_special(value, name, Vec::new())? {
            return Ok(result);
        }
        let result = match (op, Number::of(value)) {
            (UnaryOp::Plus, Some(number)) => Some(number.value()),
            (UnaryOp::Minus, Some(number)) => Some(negative(&number)),
            (UnaryOp::Invert, Some(Number::Int(n))) => Some(Value::Int(!n)),
            (UnaryOp::Invert, Some(Number::Big(n))) => Some(Value::big(!&*n)),
            _ => None,
        };
        result.ok_or_else(|| {
            let name = self.class_name(value);
            self.type_error(format!("bad operand type for unary {sign}: '{name}'"))
        })
    }

    /// An integer from a value that is one, or that says so by `__index__`.
    pub(crate) fn index_number(&self, value: &Value) -> PyResult<Option<Number>> {
        match Number::of(value) {
            Some(number @ (Number::Int(_) | Number::Big(_))) => return Ok(Some(number)),
            Some(_) => return Ok(None),
            None => {}
        }
        match self.call_special(value, &self.names.index, Vec::new())? {
            Some(index) => match Number::of(&index) {
                Some(number @ (Number::Int(_) | Number::Big(_))) => Ok(Some(number)),
                _ => {
                    let name = self.class_name(&index);
                    let message = format!("__index__ returned non-int (type {name})");
                    Err(self.type_error(message))
                }
            },
            None => Ok(None),
        }
    }

    /// The same, and a `TypeError` if it is none.
    pub(crate) fn integer(&self, value: &Value) -> PyResult<BigInt> {
        self.index_number(value)?
            .and_then(|number| number.big())
            .ok_or_else(|| {
                let name = self.class_name(value);
                self.type_error(format!(
                    "'{name}' object cannot be interpreted as an integer"
                ))
            })
    }

    /// The same, held to 64 bits.
    pub(crate) fn small_integer(&self, value: &Value) -> PyResult<i64> {
        if let Value::Int(n) = value {
            return Ok(*n);
        }
        self.integer(value)?
            .to_i64()
            .ok_or_else(|| self.overflow("Python int too large to convert to C ssize_t"))
    }

    /// A float from a number or `__float__`.
    pub(crate) fn float(&self, value: &Value) -> PyResult<f64> {
        if let Value::Float(x) = value {
            return Ok(*x);
        }
        if let Some(float) = self.call_special(value, &self.names.float, Vec::new())? {
            return match float.plain() {
                Value::Float(x) => Ok(*x),
                other => {
                    let (name, kind) = (self.class_name(value), self.class_name(other));
                    let message = format!("{name}.__float__ returned non-float (type {kind})");
                    Err(self.type_error(message))
                }
            };
        }
        match Number::of(value) {
            Some(Number::Complex(_)) | None => {}
            Some(number) => return number.float().ok_or_else(|| self.int_too_large()),
        }
        if let Some(number) = self.index_number(value)? {
            return number.float().ok_or_else(|| self.int_too_large());
        }
        let name = self.class_name(value);
        Err(self.type_error(format!("must be real number, not {name}")))
    }
}

pub(crate) fn negative(number: &Number) -> Value {
    match number {
        Number::Int(n) => match n.checked_neg() {
            Some(n) => Value::Int(n),
            None => Value::big(-BigInt::from(*n)),
        },
        Number::Big(n) => Value::big(-(**n).clone()),
        Number::Float(x) => Value::Float(-x),
        Number::Complex(z) => Value::complex(-z.real, -z.imaginary),
    }
}

/// Of integers of 64 bits where the result has no more and cannot fail.
fn small(op: BinOp, a: i64, b: i64) -> Option<Value> {
    let value = match op {
        BinOp::Add => a.checked_add(b)?,
        BinOp::Sub => a.checked_sub(b)?,
        BinOp::Mul => a.checked_mul(b)?,
        BinOp::FloorDiv => number::floor_mod_i64(a, b)?.0,
        BinOp::Mod => number::floor_mod_i64(a, b)?.1,
        BinOp::Pow => a.checked_pow(u32::try_from(b).ok()?)?,
        BinOp::BitAnd => a & b,
        BinOp::BitOr => a | b,
        BinOp::BitXor => a ^ b,
        BinOp::RightShift if (0..64).contains(&b) => a >> b,
        // Both are exact, so their quotient is rounded once.
        BinOp::Div if b != 0 && a.abs_diff(0) < 1 << 53 && b.abs_diff(0) < 1 << 53 => {
            return Some(Value::Float(a as f64 / b as f64));
        }
        _ => return None,
    };
    Some(Value::Int(value))
}
