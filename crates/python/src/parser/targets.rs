//! What can be assigned to or deleted, and the clauses of comprehensions, which assign.
use super::complaints::described;
use super::{Failure, INVALID, Parsed, Parser};
use crate::ast::{Clause, CompareOp, Expr, ExprKind};

/// What is done to a target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Assign,
    Delete,
    /// By `for`, whose `in` may have been read as a comparison.
    Loop,
}

/// The first part of a target that is none.
pub(super) fn invalid_target(target: &Expr, usage: Use) -> Option<&Expr> {
    match &target.kind {
        ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Subscript { .. } => None,
        ExprKind::List(items) | ExprKind::Tuple(items) => {
            items.iter().find_map(|item| invalid_target(item, usage))
        }
        ExprKind::Starred(value) if usage != Use::Delete => invalid_target(value, usage),
        ExprKind::Compare { left, rest } if usage == Use::Loop => match rest.first() {
            Some((CompareOp::In, _)) => invalid_target(left, usage),
            _ => None,
        },
        _ => Some(target),
    }
}

impl Parser<'_> {
    /// Refuses a target that began at `start`.
    pub(super) fn check_target(&self, start: usize, target: &Expr, usage: Use) -> Parsed<()> {
        invalid_target(target, usage).map_or(Ok(()), |invalid| {
            Err(self.bad_target(start, invalid, usage))
        })
    }

    fn bad_target(&self, start: usize, invalid: &Expr, usage: Use) -> Box<Failure> {
        let verb = if usage == Use::Delete {
            "delete"
        } else {
            "assign to"
        };
        let mut failure =
            self.complaint_at(start, format!("cannot {verb} {}", described(&invalid.kind)));
        if failure.message != INVALID {
            failure.line = invalid.line;
        }
        failure
    }

    /// The targets of a loop, up to its `in`.
    pub(super) fn loop_target(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let target = self.child(|parser| {
            let listed = parser.listed(|parser| {
                if parser.at("*") {
                    parser.star_named_expression()
                } else {
                    parser.child(Self::bitwise_or)
                }
            })?;
            parser.gathered(listed)
        });
        match target {
            Ok(target) if self.at("in") && invalid_target(&target, Use::Assign).is_none() => {
                self.advance();
                Ok(target)
            }
            Err(failure) if failure.message != INVALID => Err(failure),
            parsed => {
                let failure = parsed.err().unwrap_or_else(|| self.unexpected());
                if !self.may_search() {
                    return Err(failure);
                }
                self.position = start;
                let whole = self.star_expressions()?;
                self.check_target(start, &whole, Use::Loop)?;
                Err(failure)
            }
        }
    }

    /// `for … in … if …`, at least once.
    pub(super) fn clauses(&mut self) -> Parsed<Vec<Clause>> {
        let mut clauses = Vec::new();
        while self.is_for() {
            if self.at("async") {
                return Err(self.asynchronous());
            }
            self.advance();
            let target = self.loop_target()?;
            let iter = self.child(Self::disjunction)?;
            let mut conditions = Vec::new();
            while self.take("if") {
                conditions.push(self.child(Self::disjunction)?);
            }
            clauses.push(Clause {
                target,
                iter,
                conditions,
            });
        }
        Ok(clauses)
    }
}
