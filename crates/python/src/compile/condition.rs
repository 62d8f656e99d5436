//! Conditions: from a test to jumps, without a value between; and comparisons, which may be chained.
//!
//! In a chain each value between is computed once: it waits below the result of the comparison before it.
use super::{Compiler, Done, fold, unit::Label};
use crate::{
    ast::{CompareOp, Expr, ExprKind, UnaryOp},
    code::Op,
};

impl<'a> Compiler<'a> {
    /// Jumps if the truth of the test is `when`, else goes on; leaves nothing on the stack.
    pub(super) fn jump_if(&mut self, test: &'a Expr, target: Label, when: bool) -> Done {
        let around = self.line;
        self.line = test.line;
        if let Some(truth) = fold::truth(test) {
            if truth == when {
                self.emit(Op::Jump(target.target()));
            }
        } else {
            self.jump_if_computed(test, target, when)?;
        }
        self.line = around;
        Ok(())
    }

    fn jump_if_computed(&mut self, test: &'a Expr, target: Label, when: bool) -> Done {
        match &test.kind {
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => return self.jump_if(operand, target, !when),
            ExprKind::And(items) => return self.jump_if_all(items, target, when, false),
            ExprKind::Or(items) => return self.jump_if_all(items, target, when, true),
            ExprKind::IfElse { test, body, orelse } => {
                let (otherwise, end) = (self.label(), self.label());
                self.jump_if(test, otherwise, false)?;
                self.jump_if(body, target, when)?;
                self.emit(Op::Jump(end.target()));
                self.place(otherwise);
                self.jump_if(orelse, target, when)?;
                self.place(end);
                return Ok(());
            }
            ExprKind::Compare { left, rest } if rest.len() > 1 => {
                return self.jump_if_chain(left, rest, target, when);
            }
            _ => {}
        }
        self.expression(test)?;
        self.emit(jump(target, when));
        Ok(())
    }

    /// `and` (decided by the first false one) or `or` (by the first true one).
    fn jump_if_all(
        &mut self,
        items: &'a [Expr],
        target: Label,
        when: bool,
        decisive: bool,
    ) -> Done {
        let Some((last, before)) = items.split_last() else {
            return Ok(());
        };
        let end = self.label();
        for item in before {
            self.jump_if(item, if when == decisive { target } else { end }, decisive)?;
        }
        self.jump_if(last, target, when)?;
        self.place(end);
        Ok(())
    }

    fn jump_if_chain(
        &mut self,
        left: &'a Expr,
        rest: &'a [(CompareOp, Expr)],
        target: Label,
        when: bool,
    ) -> Done {
        let (failed, end) = (self.label(), self.label());
        self.chain(left, rest, |label| Op::JumpIfFalse(label.target()), failed)?;
        self.emit(jump(target, when));
        self.emit(Op::Jump(end.target()));
        self.place(failed);
        self.emit(Op::Pop);
        if !when {
            self.emit(Op::Jump(target.target()));
        }
        self.place(end);
        Ok(())
    }

    /// A comparison as a value.
    pub(super) fn comparison(&mut self, left: &'a Expr, rest: &'a [(CompareOp, Expr)]) -> Done {
        let (failed, end) = (self.label(), self.label());
        self.chain(
            left,
            rest,
            |label| Op::JumpIfFalseKeep(label.target()),
            failed,
        )?;
        if rest.len() > 1 {
            self.emit(Op::Jump(end.target()));
            self.place(failed);
            self.emit(Op::Rot2);
            self.emit(Op::Pop);
        }
        self.place(end);
        Ok(())
    }

    /// Pushes the result of the last comparison; if one before it fails, jumps with its right side still on the stack.
    fn chain(
        &mut self,
        left: &'a Expr,
        rest: &'a [(CompareOp, Expr)],
        jump: impl Fn(Label) -> Op,
        failed: Label,
    ) -> Done {
        self.expression(left)?;
        let Some(((last_op, last), before)) = rest.split_last() else {
            return Ok(());
        };
        for (op, right) in before {
            self.right_side(*op, right)?;
            self.emit(Op::Dup);
            self.emit(Op::Rot3);
            self.emit(Op::Compare(*op));
            self.emit(jump(failed));
        }
        self.right_side(*last_op, last)?;
        self.emit(Op::Compare(*last_op));
        Ok(())
    }

    /// `x in [1, 2]` needs no list: nobody else sees it.
    fn right_side(&mut self, op: CompareOp, right: &'a Expr) -> Done {
        if matches!(op, CompareOp::In | CompareOp::NotIn)
            && let ExprKind::List(items) = &right.kind
            && let Some(tuple) = fold::tuple(items)
        {
            self.constant(tuple);
            return Ok(());
        }
        self.expression(right)
    }
}

fn jump(target: Label, when: bool) -> Op {
    if when {
        Op::JumpIfTrue(target.target())
    } else {
        Op::JumpIfFalse(target.target())
    }
}
