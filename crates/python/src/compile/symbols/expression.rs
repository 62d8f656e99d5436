//! The first walk, in expressions: uses of names, lambdas, comprehensions, `yield` and `:=`.
//!
//! A comprehension is a function scope. Its first iterable is walked in the scope around it, where it is evaluated.
use super::{Builder, Comp, Done};
use crate::{
    ast::{Argument, Clause, Comprehension, Expr, ExprKind, Name, Piece},
    compile::{
        name::mangle,
        scope::{Flags, GLOBAL, ITERATION, Kind, LOCAL, NONLOCAL, PARAMETER, USE},
    },
};

impl Builder {
    pub(super) fn optional(&mut self, expr: Option<&Expr>) -> Done {
        expr.map_or(Ok(()), |expr| self.expression(expr))
    }

    pub(super) fn expressions(&mut self, expressions: &[Expr]) -> Done {
        expressions
            .iter()
            .try_for_each(|expr| self.expression(expr))
    }

    pub(super) fn expression(&mut self, expr: &Expr) -> Done {
        self.line = expr.line;
        match &expr.kind {
            ExprKind::Name(name) => self.use_of(name),
            ExprKind::Attribute { value, .. } => self.expression(value),
            ExprKind::Subscript { value, index } => {
                self.expression(value)?;
                self.expression(index)
            }
            ExprKind::Slice { lower, upper, step } => [lower, upper, step]
                .into_iter()
                .flatten()
                .try_for_each(|part| self.expression(part)),
            ExprKind::Call {
                function,
                arguments,
            } => {
                self.expression(function)?;
                self.arguments(arguments)
            }
            ExprKind::Unary { operand, .. } => self.expression(operand),
            ExprKind::Binary { left, right, .. } => {
                self.expression(left)?;
                self.expression(right)
            }
            ExprKind::Compare { left, rest } => {
                self.expression(left)?;
                rest.iter()
                    .try_for_each(|(_, right)| self.expression(right))
            }
            ExprKind::IfElse { test, body, orelse } => {
                self.expression(test)?;
                self.expression(body)?;
                self.expression(orelse)
            }
            ExprKind::And(items)
            | ExprKind::Or(items)
            | ExprKind::List(items)
            | ExprKind::Tuple(items)
            | ExprKind::Set(items) => self.expressions(items),
            ExprKind::Dict(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.optional(key.as_ref())?;
                self.expression(value)
            }),
            ExprKind::Starred(inner) => self.expression(inner),
            ExprKind::Joined(pieces) => self.pieces(pieces),
            ExprKind::Walrus { name, value } => self.walrus(name, value),
            ExprKind::Lambda(_)
            | ExprKind::ListComp(_)
            | ExprKind::SetComp(_)
            | ExprKind::DictComp(_)
            | ExprKind::Generator(_)
            | ExprKind::Yield(_)
            | ExprKind::YieldFrom(_) => self.function_like(expr),
            _ => Ok(()),
        }
    }

    /// What makes a function or changes the one it stands in.
    fn function_like(&mut self, expr: &Expr) -> Done {
        match &expr.kind {
            ExprKind::Lambda(lambda) => {
                self.defaults(&lambda.parameters)?;
                self.line = expr.line;
                self.inside(&**lambda, Kind::Lambda, None, |inner| {
                    inner.parameters(&lambda.parameters)?;
                    inner.expression(&lambda.body)
                })
            }
            ExprKind::ListComp(inner) => self.comprehension(inner, Comp::List),
            ExprKind::SetComp(inner) => self.comprehension(inner, Comp::Set),
            ExprKind::DictComp(inner) => self.comprehension(inner, Comp::Dict),
            ExprKind::Generator(inner) => self.comprehension(inner, Comp::Generator),
            ExprKind::Yield(value) => self.yields(value.as_deref(), expr.line),
            ExprKind::YieldFrom(value) => self.yields(Some(value), expr.line),
            _ => Ok(()),
        }
    }

    fn use_of(&mut self, name: &Name) -> Done {
        self.add(name, USE)?;
        // Without arguments `super` needs the class it stands in.
        if &**name == "super" && self.scope().kind.is_function() {
            self.add(&"__class__".into(), USE)?;
        }
        Ok(())
    }

    pub(super) fn arguments(&mut self, arguments: &[Argument]) -> Done {
        arguments.iter().try_for_each(|argument| match argument {
            Argument::Positional(value)
            | Argument::Star(value)
            | Argument::Keyword(_, value)
            | Argument::DoubleStar(value) => self.expression(value),
        })
    }

    fn pieces(&mut self, pieces: &[Piece]) -> Done {
        pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(_) => Ok(()),
            Piece::Value { value, spec, .. } => {
                self.expression(value)?;
                self.pieces(spec)
            }
        })
    }

    fn yields(&mut self, value: Option<&Expr>, line: u32) -> Done {
        self.optional(value)?;
        self.line = line;
        self.scope().is_generator = true;
        let place = match self.comprehension {
            None => return Ok(()),
            Some(Comp::List) => "list comprehension",
            Some(Comp::Set) => "set comprehension",
            Some(Comp::Dict) => "dict comprehension",
            Some(Comp::Generator) => "generator expression",
        };
        self.error(format!("'yield' inside {place}"))
    }

    fn walrus(&mut self, name: &Name, value: &Expr) -> Done {
        if self.iterables > 0 {
            return self.error(
                "assignment expression cannot be used in a comprehension iterable expression",
            );
        }
        if self.comprehension.is_some() {
            self.bind_around(name)?;
        }
        self.expression(value)?;
        self.add(name, LOCAL)
    }

    /// `:=` in a comprehension binds in the function or module around it.
    fn bind_around(&mut self, name: &Name) -> Done {
        let mangled = mangle(self.private.as_ref(), name);
        let mut at = self.current;
        loop {
            let scope = &mut self.scopes[at];
            let flags = scope.flags(&mangled);
            match scope.kind {
                Kind::Comprehension => {
                    if flags & ITERATION != 0 && flags & (LOCAL | GLOBAL) != 0 {
                        return self.error(format!(
                            "assignment expression cannot rebind comprehension iteration variable '{name}'"
                        ));
                    }
                }
                Kind::Class => {
                    return self
                        .error("assignment expression within a comprehension cannot be used in a class body");
                }
                Kind::Module => {
                    scope.add(&mangled, GLOBAL);
                    return self.outer_binding(name, mangled, GLOBAL);
                }
                Kind::Function | Kind::Lambda => {
                    scope.add(&mangled, LOCAL);
                    let kind = if flags & GLOBAL != 0 {
                        GLOBAL
                    } else {
                        NONLOCAL
                    };
                    return self.outer_binding(name, mangled, kind);
                }
            }
            let Some(parent) = scope.parent else {
                return Ok(());
            };
            at = parent;
        }
    }

    fn outer_binding(&mut self, name: &Name, mangled: Name, kind: Flags) -> Done {
        self.add(name, kind)?;
        let line = self.line;
        self.scope().directives.entry(mangled).or_insert(line);
        Ok(())
    }

    fn comprehension(&mut self, node: &Comprehension, what: Comp) -> Done {
        let Some((first, rest)) = node.clauses.split_first() else {
            return Ok(());
        };
        let line = self.line;
        self.iterable(&first.iter)?;
        self.line = line;
        self.inside(node, Kind::Comprehension, Some(what), |inner| {
            inner.scope().is_generator = what == Comp::Generator;
            inner.add(&".0".into(), PARAMETER)?;
            inner.loop_target(first)?;
            inner.expressions(&first.conditions)?;
            for clause in rest {
                inner.loop_target(clause)?;
                inner.iterable(&clause.iter)?;
                inner.expressions(&clause.conditions)?;
            }
            inner.optional(node.key.as_ref())?;
            inner.expression(&node.element)
        })
    }

    fn loop_target(&mut self, clause: &Clause) -> Done {
        self.in_target = true;
        self.target(&clause.target)?;
        self.in_target = false;
        Ok(())
    }

    fn iterable(&mut self, iterable: &Expr) -> Done {
        self.iterables += 1;
        self.expression(iterable)?;
        self.iterables -= 1;
        Ok(())
    }
}
