//! Operators: `or`, `and`, `not`, comparisons, arithmetic, powers and signs.
//!
//! Chains of any length are read by loops; only the levels of precedence recurse.
use super::{Parsed, Parser, node};
use crate::ast::{BinOp, CompareOp, Expr, ExprKind, UnaryOp};
use crate::lexer::TokenKind;

/// The beginning of a factor that ends with another factor.
enum Beginning {
    Sign(u32, UnaryOp),
    /// `base **`.
    Power(u32, Expr),
}

impl Parser<'_> {
    pub(super) fn disjunction(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let first = self.child(Self::conjunction)?;
        if !self.at("or") {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.take("or") {
            operands.push(self.child(Self::conjunction)?);
        }
        self.grow(1)?;
        Ok(node(line, ExprKind::Or(operands)))
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let first = self.child(Self::inversion)?;
        if !self.at("and") {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.take("and") {
            operands.push(self.child(Self::inversion)?);
        }
        self.grow(1)?;
        Ok(node(line, ExprKind::And(operands)))
    }

    fn inversion(&mut self) -> Parsed<Expr> {
        let mut lines = Vec::new();
        while self.at("not") {
            lines.push(self.line());
            self.advance();
        }
        let mut inverted = self.comparison()?;
        self.grow(lines.len())?;
        while let Some(line) = lines.pop() {
            let operand = Box::new(inverted);
            let op = UnaryOp::Not;
            inverted = node(line, ExprKind::Unary { op, operand });
        }
        Ok(inverted)
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let left = self.child(Self::bitwise_or)?;
        let mut rest = Vec::new();
        while let Some(op) = self.compare_operator() {
            rest.push((op, self.child(Self::bitwise_or)?));
        }
        if rest.is_empty() {
            return Ok(left);
        }
        self.grow(1)?;
        let left = Box::new(left);
        Ok(node(line, ExprKind::Compare { left, rest }))
    }

    /// Past the operator that is next, if it compares.
    fn compare_operator(&mut self) -> Option<CompareOp> {
        let TokenKind::Symbol(symbol) = self.kind() else {
            return None;
        };
        let op = match symbol {
            "==" => CompareOp::Eq,
            "!=" => CompareOp::NotEq,
            "<" => CompareOp::Lt,
            "<=" => CompareOp::LtE,
            ">" => CompareOp::Gt,
            ">=" => CompareOp::GtE,
            "in" => CompareOp::In,
            "not" if self.at_ahead(1, "in") => CompareOp::NotIn,
            "is" if self.at_ahead(1, "not") => CompareOp::IsNot,
            "is" => CompareOp::Is,
            _ => return None,
        };
        self.advance();
        if matches!(op, CompareOp::NotIn | CompareOp::IsNot) {
            self.advance();
        }
        Some(op)
    }

    pub(super) fn bitwise_or(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    /// Operators at least as strong as `weakest`, all of which group to the left.
    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        let line = self.line();
        let mut left = self.child(Self::factor)?;
        while let Some((op, strength)) = self.binary_operator()
            && strength >= weakest
        {
            self.advance();
            let right = self.child(|parser| parser.binary(strength + 1))?;
            self.grow(1)?;
            let kind = ExprKind::Binary {
                left: Box::new(left),
                op,
                right: Box::new(right),
            };
            left = node(line, kind);
        }
        Ok(left)
    }

    fn binary_operator(&self) -> Option<(BinOp, u8)> {
        let TokenKind::Symbol(symbol) = self.kind() else {
            return None;
        };
        Some(match symbol {
            "|" => (BinOp::BitOr, 0),
            "^" => (BinOp::BitXor, 1),
            "&" => (BinOp::BitAnd, 2),
            "<<" => (BinOp::LeftShift, 3),
            ">>" => (BinOp::RightShift, 3),
            "+" => (BinOp::Add, 4),
            "-" => (BinOp::Sub, 4),
            "*" => (BinOp::Mul, 5),
            "/" => (BinOp::Div, 5),
            "//" => (BinOp::FloorDiv, 5),
            "%" => (BinOp::Mod, 5),
            "@" => (BinOp::MatMul, 5),
            _ => return None,
        })
    }

    /// Signs and powers, which group to the right: `-a ** -b ** c`.
    fn factor(&mut self) -> Parsed<Expr> {
        let mut beginnings = Vec::new();
        let mut last = loop {
            let line = self.line();
            if let Some(op) = self.take_sign() {
                beginnings.push(Beginning::Sign(line, op));
                continue;
            }
            let primary = self.child(Self::primary)?;
            if !self.take("**") {
                break primary;
            }
            beginnings.push(Beginning::Power(line, primary));
        };
        self.grow(beginnings.len())?;
        for beginning in beginnings.into_iter().rev() {
            last = match beginning {
                Beginning::Sign(line, op) => {
                    let operand = Box::new(last);
                    node(line, ExprKind::Unary { op, operand })
                }
                Beginning::Power(line, base) => {
                    let kind = ExprKind::Binary {
                        left: Box::new(base),
                        op: BinOp::Pow,
                        right: Box::new(last),
                    };
                    node(line, kind)
                }
            };
        }
        Ok(last)
    }

    fn take_sign(&mut self) -> Option<UnaryOp> {
        let TokenKind::Symbol(symbol) = self.kind() else {
            return None;
        };
        let op = match symbol {
            "-" => UnaryOp::Minus,
            "+" => UnaryOp::Plus,
            "~" => UnaryOp::Invert,
            _ => return None,
        };
        self.advance();
        Some(op)
    }
}

/// The operator of an assignment such as `+=`.
pub(super) fn augmented(symbol: &str) -> Option<BinOp> {
    Some(match symbol {
        "+=" => BinOp::Add,
        "-=" => BinOp::Sub,
        "*=" => BinOp::Mul,
        "@=" => BinOp::MatMul,
        "/=" => BinOp::Div,
        "//=" => BinOp::FloorDiv,
        "%=" => BinOp::Mod,
        "**=" => BinOp::Pow,
        "<<=" => BinOp::LeftShift,
        ">>=" => BinOp::RightShift,
        "|=" => BinOp::BitOr,
        "^=" => BinOp::BitXor,
        "&=" => BinOp::BitAnd,
        _ => return None,
    })
}
