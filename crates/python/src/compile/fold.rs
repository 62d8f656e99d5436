//! From expressions to constants, where that is safe: literals, negative numbers, tuples of these.
//!
//! Nothing that could raise, and nothing large: a tuple of more than [`LARGEST`] parts is made at run time. The bound also
//! keeps the time small, as each tuple in a nest of tuples is tried for itself.
use crate::{
    ast::{BinOp, Expr, ExprKind, UnaryOp},
    code::Constant,
};

const LARGEST: usize = 256;

/// The constant that an expression is, if it is one.
pub(super) fn constant(expr: &Expr) -> Option<Constant> {
    parts(expr, &mut 0)
}

/// The items of a display as a constant tuple.
pub(super) fn tuple(items: &[Expr]) -> Option<Constant> {
    items_of(items, &mut 0)
}

fn items_of(items: &[Expr], size: &mut usize) -> Option<Constant> {
    if items.len() > LARGEST {
        return None;
    }
    let items = items.iter().map(|item| parts(item, size));
    Some(Constant::Tuple(items.collect::<Option<_>>()?))
}

fn parts(expr: &Expr, size: &mut usize) -> Option<Constant> {
    *size += 1;
    if *size > LARGEST {
        return None;
    }
    Some(match &expr.kind {
        ExprKind::None => Constant::None,
        ExprKind::True => Constant::True,
        ExprKind::False => Constant::False,
        ExprKind::Ellipsis => Constant::Ellipsis,
        ExprKind::Int(value) => Constant::Int(value.clone()),
        ExprKind::Float(value) => Constant::Float(*value),
        ExprKind::Imaginary(value) => Constant::Imaginary(*value),
        ExprKind::Str(text) => Constant::Str(text.clone()),
        ExprKind::Bytes(bytes) => Constant::Bytes(bytes.clone()),
        ExprKind::Unary {
            op: UnaryOp::Minus,
            operand,
        } => match &operand.kind {
            ExprKind::Int(value) => Constant::Int(-value),
            ExprKind::Float(value) => Constant::Float(-value),
            // Not an imaginary number: -1j has a real part, -0.0.
            _ => return None,
        },
        ExprKind::Tuple(items) => items_of(items, size)?,
        _ => return None,
    })
}

/// Whether CPython makes a constant of it: a literal, or one calculated of numbers.
pub(super) fn is_literal(expr: &Expr) -> bool {
    let ExprKind::Binary { left, op, right } = &expr.kind else {
        return constant(expr).is_some();
    };
    match (op, &left.kind, &right.kind) {
        // Large powers are left to be calculated when they are needed.
        (BinOp::Pow, ExprKind::Int(base), ExprKind::Int(power)) => {
            u64::try_from(power).is_ok_and(|power| base.bits().saturating_mul(power) <= 128)
        }
        (BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => is_literal(left) && is_literal(right),
        _ => false,
    }
}

/// The truth of a literal, for conditions.
pub(super) fn truth(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::True => Some(true),
        ExprKind::False | ExprKind::None => Some(false),
        ExprKind::Int(value) => Some(value.sign() != num_bigint::Sign::NoSign),
        _ => None,
    }
}
