//! Parses tokens into an arithmetic expression with units, and computes it exactly.
//!
//! Units and remarks ("12 boxes × 8 rolls/box (new)") are passed over and kept as words, because mixed units make an
//! equation's numbers disagree though it is right. Where the meaning is a guess the expression is not `certain`.
//! Depth, length, exponents and digits are bounded.

use super::{
    token::{Kind, Op, Token},
    unit,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::ops::Range;

/// Deeper nesting is no sum that a person reads.
const MOST_DEPTH: usize = 24;
/// More words than this between a number and the next sign are a sentence, not a unit.
const MOST_WORDS: usize = 14;
/// Results are cut off at this many bits.
const MOST_BITS: u64 = 4_000;
const MOST_FACTORIAL: u32 = 200;

/// A number of an expression.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub(super) value: BigRational,
    pub(super) decimals: usize,
    pub(super) percent: bool,
    /// Bytes of the answer.
    pub(super) span: Range<usize>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Literal(Literal),
    Negative(Box<Self>),
    Percent(Box<Self>),
    Factorial(Box<Self>),
    Binary(Op, Box<Self>, Box<Self>),
}

/// A parsed expression and what was noticed on the way.
#[derive(Clone, Debug)]
pub(super) struct Parsed {
    pub(super) node: Node,
    /// Tokens used.
    pub(super) end: usize,
    /// Signs between operands, functions included.
    pub(super) operators: usize,
    /// Words and currency signs that stand at its numbers.
    pub(super) units: Vec<String>,
    /// Nothing about its meaning was guessed.
    pub(super) certain: bool,
}

/// How `+` and `×` bind.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Precedence {
    Usual,
    /// As on a pocket calculator, and as many people write: one after the other.
    LeftToRight,
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    operators: usize,
    units: Vec<String>,
    certain: bool,
    precedence: Precedence,
}

/// The longest expression that the tokens begin with.
pub(super) fn parse(tokens: &[Token], precedence: Precedence) -> Option<Parsed> {
    let mut parser = Parser {
        tokens,
        at: 0,
        operators: 0,
        units: Vec::new(),
        certain: true,
        precedence,
    };
    let node = parser.sum(0)?;
    Some(Parsed {
        node,
        end: parser.at,
        operators: parser.operators,
        units: parser.units,
        certain: parser.certain,
    })
}

/// Whether an operand can begin with this token.
pub(super) fn starts_operand(tokens: &[Token], at: usize) -> bool {
    match tokens.get(at).map(|token| &token.kind) {
        Some(Kind::Number { .. } | Kind::Open) => true,
        Some(Kind::Currency | Kind::Op(Op::Minus)) => matches!(
            tokens.get(at + 1).map(|token| &token.kind),
            Some(Kind::Number { .. } | Kind::Open | Kind::Currency | Kind::Op(Op::Minus))
        ),
        _ => false,
    }
}

impl Parser<'_> {
    fn kind(&self, ahead: usize) -> Option<&Kind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn is_glued(&self, ahead: usize) -> bool {
        let token = self.tokens.get(self.at + ahead);
        token.is_some_and(|token| token.glued)
    }

    fn operand_follows(&self, ahead: usize) -> bool {
        starts_operand(self.tokens, self.at + ahead)
    }

    fn sum(&mut self, depth: usize) -> Option<Node> {
        if depth > MOST_DEPTH {
            return None;
        }
        let mut left = self.product(depth)?;
        while let Some(Kind::Op(op)) = self.kind(0)
            && self.operand_follows(1)
        {
            let op = *op;
            let additive = matches!(op, Op::Plus | Op::Minus);
            if !additive && self.precedence == Precedence::Usual {
                break;
            }
            self.at += 1;
            self.operators += 1;
            let right = match self.precedence {
                Precedence::Usual => self.product(depth)?,
                Precedence::LeftToRight => self.factor(depth)?,
            };
            // "80 + 20%" may mean 80.2 or 96.
            self.certain &= !additive || left.is_percent() == right.is_percent();
            left = Node::Binary(op, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    fn product(&mut self, depth: usize) -> Option<Node> {
        let mut left = self.factor(depth)?;
        if self.precedence == Precedence::LeftToRight {
            return Some(left);
        }
        loop {
            let op = match self.kind(0) {
                Some(Kind::Op(op @ (Op::Times | Op::Divide | Op::Modulo)))
                    if self.operand_follows(1) =>
                {
                    let op = *op;
                    self.at += 1;
                    op
                }
                Some(Kind::Word(word, _))
                    if word == "of" && left.is_share() && !self.behind_word() =>
                {
                    self.at += 1;
                    if matches!(self.kind(0), Some(Kind::Word(word, _)) if is_article(word)) {
                        self.at += 1;
                    }
                    Op::Times
                }
                Some(Kind::Open) if self.behind_value() => {
                    self.certain &= self.is_glued(0);
                    Op::Times
                }
                _ => return Some(left),
            };
            self.operators += 1;
            let right = self.factor(depth)?;
            // "7.5 / 1/2" means 15 to most who write it.
            let twice = op == Op::Divide && matches!(left, Node::Binary(Op::Divide, ..));
            self.certain &= !twice;
            left = Node::Binary(op, Box::new(left), Box::new(right));
        }
    }

    fn behind_word(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at].kind);
        matches!(before, Some(Kind::Word(..)))
    }

    /// `3(4 + 5)` is a product. Behind a unit a bracket is a remark.
    fn behind_value(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at].kind);
        matches!(before, Some(Kind::Number { .. } | Kind::Close))
    }

    fn factor(&mut self, depth: usize) -> Option<Node> {
        if depth > MOST_DEPTH {
            return None;
        }
        if let Some(Kind::Op(Op::Minus)) = self.kind(0) {
            self.at += 1;
            return Some(Node::Negative(Box::new(self.factor(depth + 1)?)));
        }
        let base = self.atom(depth)?;
        let power = matches!(self.kind(0), Some(Kind::Op(Op::Power))) && self.operand_follows(1);
        if !power {
            self.units_behind()?;
            return Some(base);
        }
        self.at += 1;
        self.operators += 1;
        let exponent = self.factor(depth + 1)?;
        Some(Node::Binary(Op::Power, Box::new(base), Box::new(exponent)))
    }

    fn atom(&mut self, depth: usize) -> Option<Node> {
        while matches!(self.kind(0), Some(Kind::Currency)) {
            self.units.push("$".to_owned());
            self.at += 1;
        }
        let token = self.tokens.get(self.at)?;
        let mut node = match &token.kind {
            // `$-5`
            Kind::Op(Op::Minus) => return self.factor(depth + 1),
            Kind::Number { value, decimals } => {
                self.at += 1;
                let mut literal = Literal {
                    value: value.clone(),
                    decimals: *decimals,
                    percent: false,
                    span: token.span.clone(),
                };
                self.mixed(&mut literal);
                if matches!(self.kind(0), Some(Kind::Percent)) {
                    literal.percent = true;
                    self.at += 1;
                }
                Node::Literal(literal)
            }
            Kind::Open => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                if !matches!(self.kind(0), Some(Kind::Close)) {
                    return None;
                }
                self.at += 1;
                inner
            }
            _ => return None,
        };
        if matches!(self.kind(0), Some(Kind::Percent)) {
            self.at += 1;
            node = Node::Percent(Box::new(node));
        }
        if matches!(self.kind(0), Some(Kind::Exclamation)) && self.is_glued(0) {
            self.at += 1;
            self.operators += 1;
            node = Node::Factorial(Box::new(node));
        }
        Some(node)
    }

    /// `2 1/2` is one number.
    fn mixed(&mut self, whole: &mut Literal) {
        let [first, slash, second] = [0, 1, 2].map(|ahead| self.kind(ahead));
        let (
            Some(Kind::Number { value: top, .. }),
            Some(Kind::Op(Op::Divide)),
            Some(Kind::Number { value: bottom, .. }),
        ) = (first, slash, second)
        else {
            return;
        };
        let close = !self.is_glued(0) && self.is_glued(1) && self.is_glued(2);
        if !close || !whole.value.is_integer() || bottom <= top || top.is_zero() {
            return;
        }
        whole.value += top / bottom;
        self.at += 3;
    }

    /// Passes over what stands behind a number and counts nothing: units, "per day", a remark in brackets.
    fn units_behind(&mut self) -> Option<()> {
        let mut words = 0;
        loop {
            match self.kind(0) {
                Some(Kind::Currency) => self.units.push("$".to_owned()),
                Some(Kind::Word(word, _)) if word == "of" && self.share_of() => return Some(()),
                Some(Kind::Word(word, glued)) => {
                    let letter = word.chars().count() == 1 && word != "a";
                    // `2x` and `4Pa` are products with a variable, `5km` is a length.
                    let variable = letter || (*glued && !unit::converts(word));
                    let word = word.clone();
                    self.certain &= !variable;
                    self.units.push(word);
                    words += 1;
                }
                Some(Kind::Op(Op::Divide)) if matches!(self.kind(1), Some(Kind::Word(..))) => {}
                Some(Kind::Op(Op::Power))
                    if words > 0 && matches!(self.kind(1), Some(Kind::Number { .. })) =>
                {
                    self.at += 1;
                }
                Some(Kind::Open) => match self.remark() {
                    Some(length) => {
                        self.at += length;
                        continue;
                    }
                    None => return Some(()),
                },
                _ => return Some(()),
            }
            self.at += 1;
            if words > MOST_WORDS {
                return None;
            }
        }
    }

    /// "of" with something to take a share of right behind it.
    fn share_of(&self) -> bool {
        let article = matches!(self.kind(1), Some(Kind::Word(word, _)) if is_article(word));
        self.operand_follows(1) || (article && self.operand_follows(2))
    }

    /// The length of a bracket that holds words only.
    fn remark(&self) -> Option<usize> {
        let rest = self.tokens.get(self.at + 1..)?;
        let words = rest
            .iter()
            .take_while(|token| matches!(token.kind, Kind::Word(..) | Kind::Currency))
            .count();
        let closed = matches!(rest.get(words)?.kind, Kind::Close);
        (closed && words > 0).then_some(words + 2)
    }
}

fn is_article(word: &str) -> bool {
    [
        "the", "his", "her", "their", "its", "that", "those", "these",
    ]
    .contains(&word)
}

impl Node {
    fn is_percent(&self) -> bool {
        match self {
            Self::Literal(literal) => literal.percent,
            Self::Percent(_) => true,
            Self::Negative(inner) => inner.is_percent(),
            Self::Binary(Op::Plus | Op::Minus, left, right) => {
                left.is_percent() && right.is_percent()
            }
            _ => false,
        }
    }

    /// A percentage or a fraction: what one takes "of" something.
    fn is_share(&self) -> bool {
        let whole = |node: &Self| matches!(node, Self::Literal(one) if one.decimals == 0);
        match self {
            Self::Binary(Op::Divide, top, bottom) => whole(top) && whole(bottom),
            _ => self.is_percent(),
        }
    }

    /// All numbers in it, from left to right.
    pub(super) fn literals(&self) -> Vec<&Literal> {
        let mut out = Vec::new();
        self.collect(&mut out);
        out
    }

    fn collect<'a>(&'a self, out: &mut Vec<&'a Literal>) {
        match self {
            Self::Literal(literal) => out.push(literal),
            Self::Negative(inner) | Self::Percent(inner) | Self::Factorial(inner) => {
                inner.collect(out);
            }
            Self::Binary(_, left, right) => {
                left.collect(out);
                right.collect(out);
            }
        }
    }

    /// Whether the sign is anywhere in it.
    pub(super) fn uses(&self, sign: Op) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Negative(inner) | Self::Percent(inner) | Self::Factorial(inner) => {
                inner.uses(sign)
            }
            Self::Binary(op, left, right) => *op == sign || left.uses(sign) || right.uses(sign),
        }
    }

    /// Its exact value, each number as `value_of` gives it; nothing if it is undefined or too large.
    pub(super) fn value(&self, value_of: &dyn Fn(&Literal) -> BigRational) -> Option<BigRational> {
        let value = match self {
            Self::Literal(literal) => value_of(literal),
            Self::Negative(inner) => -inner.value(value_of)?,
            Self::Percent(inner) => inner.value(value_of)? / BigInt::from(100),
            Self::Factorial(inner) => factorial(&inner.value(value_of)?)?,
            Self::Binary(op, left, right) => {
                let (left, right) = (left.value(value_of)?, right.value(value_of)?);
                match op {
                    Op::Plus => left + right,
                    Op::Minus => left - right,
                    Op::Times => left * right,
                    Op::Divide if right.is_zero() => return None,
                    Op::Divide => left / right,
                    Op::Power => power(&left, &right)?,
                    Op::Modulo => modulo(&left, &right)?,
                }
            }
        };
        let bits = value.numer().bits() + value.denom().bits();
        (bits <= MOST_BITS).then_some(value)
    }
}

/// A number as it is meant in a product: 20% is 0.2.
pub(super) fn meant(literal: &Literal) -> BigRational {
    if literal.percent {
        &literal.value / BigInt::from(100)
    } else {
        literal.value.clone()
    }
}

fn factorial(of: &BigRational) -> Option<BigRational> {
    let of = of.is_integer().then(|| of.to_integer().to_u32())??;
    let product = (of <= MOST_FACTORIAL).then(|| (1..=of).map(BigInt::from).product::<BigInt>());
    product.map(BigRational::from)
}

fn power(base: &BigRational, exponent: &BigRational) -> Option<BigRational> {
    let exponent = exponent
        .is_integer()
        .then(|| exponent.to_integer().to_i32())??;
    let bits = base.numer().bits().max(base.denom().bits());
    if bits.saturating_mul(u64::from(exponent.unsigned_abs())) > MOST_BITS
        || (base.is_zero() && exponent <= 0)
    {
        return None;
    }
    Some(base.pow(exponent))
}

fn modulo(left: &BigRational, right: &BigRational) -> Option<BigRational> {
    // The sign of a negative remainder differs between languages.
    let plain =
        left.is_integer() && right.is_integer() && !left.is_negative() && right.is_positive();
    plain.then(|| BigRational::from(left.to_integer() % right.to_integer()))
}
