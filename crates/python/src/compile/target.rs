//! Targets: assignments, `del`, `x += 1`, annotated assignments.
use super::{Compiler, Done, scope::Kind};
use crate::{
    ast::{BinOp, Expr, ExprKind},
    code::{Constant, Op},
};

/// CPython's bound for the targets before a starred one.
const MOST_BEFORE_STAR: usize = 255;

impl<'a> Compiler<'a> {
    /// Assigns the value on top of the stack, and pops it.
    pub(super) fn assign(&mut self, target: &'a Expr) -> Done {
        let around = self.line;
        self.line = target.line;
        match &target.kind {
            ExprKind::Name(name) => self.store(name)?,
            ExprKind::Attribute { value, name } => {
                self.allowed(name, "assign to")?;
                self.expression(value)?;
                let name = self.attribute(name);
                self.emit(Op::StoreAttribute(name));
            }
            ExprKind::Subscript { value, index } => {
                self.expression(value)?;
                self.expression(index)?;
                self.emit(Op::StoreIndex);
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => self.unpack(items)?,
            ExprKind::Starred(_) => {
                return self.error("starred assignment target must be in a list or tuple");
            }
            _ => return self.error("cannot assign to expression"),
        }
        self.line = around;
        Ok(())
    }

    fn unpack(&mut self, items: &'a [Expr]) -> Done {
        let mut stars = items
            .iter()
            .enumerate()
            .filter(|(_, item)| matches!(item.kind, ExprKind::Starred(_)));
        if let Some((before, _)) = stars.next() {
            if stars.next().is_some() {
                return self.error("multiple starred expressions in assignment");
            }
            self.unpack_star(
                before,
                items.len(),
                "too many expressions in star-unpacking assignment",
            )?;
        } else {
            self.emit(Op::Unpack(super::index(items.len())));
        }
        for item in items {
            match &item.kind {
                ExprKind::Starred(inner) => self.assign(inner)?,
                _ => self.assign(item)?,
            }
        }
        Ok(())
    }

    /// Unpacks into so many values, of which the one after `before` others is a list.
    pub(super) fn unpack_star(&mut self, before: usize, count: usize, too_many: &str) -> Done {
        let (Ok(first), Ok(after)) = (u16::try_from(before), u16::try_from(count - before - 1))
        else {
            return self.error(too_many);
        };
        if before > MOST_BEFORE_STAR {
            return self.error(too_many);
        }
        self.emit(Op::UnpackStar {
            before: first,
            after,
        });
        Ok(())
    }

    pub(super) fn delete_target(&mut self, target: &'a Expr) -> Done {
        let around = self.line;
        self.line = target.line;
        match &target.kind {
            ExprKind::Name(name) => self.delete(name)?,
            ExprKind::Attribute { value, name } => {
                self.allowed(name, "delete")?;
                self.expression(value)?;
                let name = self.attribute(name);
                self.emit(Op::DeleteAttribute(name));
            }
            ExprKind::Subscript { value, index } => {
                self.expression(value)?;
                self.expression(index)?;
                self.emit(Op::DeleteIndex);
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                items.iter().try_for_each(|item| self.delete_target(item))?;
            }
            _ => return self.error("cannot delete expression"),
        }
        self.line = around;
        Ok(())
    }

    /// `target op= value`.
    pub(super) fn augmented(&mut self, target: &'a Expr, op: BinOp, value: &'a Expr) -> Done {
        match &target.kind {
            ExprKind::Name(name) => {
                self.load(name);
                self.expression(value)?;
                self.emit(Op::InPlace(op));
                self.store(name)
            }
            ExprKind::Attribute {
                value: object,
                name,
            } => {
                self.allowed(name, "assign to")?;
                self.expression(object)?;
                self.emit(Op::Dup);
                let name = self.attribute(name);
                self.emit(Op::LoadAttribute(name));
                self.expression(value)?;
                self.emit(Op::InPlace(op));
                self.emit(Op::Rot2);
                self.emit(Op::StoreAttribute(name));
                Ok(())
            }
            ExprKind::Subscript {
                value: object,
                index,
            } => {
                self.expression(object)?;
                self.expression(index)?;
                self.emit(Op::Dup2);
                self.emit(Op::LoadIndex);
                self.expression(value)?;
                self.emit(Op::InPlace(op));
                self.emit(Op::Rot3);
                self.emit(Op::StoreIndex);
                Ok(())
            }
            _ => self.error("illegal expression for augmented assignment"),
        }
    }

    /// `target: annotation = value`. The annotation is evaluated last, and only in modules and classes.
    pub(super) fn annotated(
        &mut self,
        target: &'a Expr,
        annotation: &'a Expr,
        value: Option<&'a Expr>,
        simple: bool,
    ) -> Done {
        if let Some(value) = value {
            self.expression(value)?;
            self.assign(target)?;
        }
        match &target.kind {
            ExprKind::Name(name) => self.allowed(name, "assign to")?,
            ExprKind::Attribute { value: object, .. } if value.is_none() => self.dropped(object)?,
            ExprKind::Subscript {
                value: object,
                index,
            } if value.is_none() => {
                self.dropped(object)?;
                self.dropped(index)?;
            }
            _ => {}
        }
        if !matches!(self.unit.kind, Kind::Module | Kind::Class) {
            return Ok(());
        }
        match &target.kind {
            ExprKind::Name(name) if simple => {
                self.annotation(annotation)?;
                let name = self.attribute(name);
                self.emit(Op::StoreAnnotation(name));
                Ok(())
            }
            _ if self.future.annotations => Ok(()),
            _ => self.dropped(annotation),
        }
    }

    /// The value of an annotation, or None where a future import puts it off.
    pub(super) fn annotation(&mut self, annotation: &'a Expr) -> Done {
        if self.future.annotations {
            self.constant(Constant::None);
            return Ok(());
        }
        // `*args: *Types`.
        if let ExprKind::Starred(inner) = &annotation.kind {
            self.expression(inner)?;
            self.emit(Op::Unpack(1));
            return Ok(());
        }
        self.expression(annotation)
    }

    /// Evaluated for what it does only.
    pub(super) fn dropped(&mut self, expr: &'a Expr) -> Done {
        self.expression(expr)?;
        self.emit(Op::Pop);
        Ok(())
    }
}
