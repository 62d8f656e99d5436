//! The first walk over the tree: which scopes there are, and what each does with its names.
//!
//! The order of the visits and the errors are those of CPython's symbol table, so that of several errors the same one is
//! reported. What the names mean is decided afterwards, in `scope`.
mod expression;

use super::{
    Done, error,
    name::mangle,
    scope::{
        ANNOTATED, Flags, GLOBAL, IMPORT, ITERATION, Kind, LOCAL, NONLOCAL, PARAMETER, Scope,
        Scopes, USE, address,
    },
};
use crate::ast::{
    self, Alias, ClassDef, Expr, ExprKind, FunctionDef, Name, Parameters, Pattern, Stmt, StmtKind,
};
use std::{collections::HashMap, mem};

pub(super) fn of_block(block: &ast::Block) -> Done<Scopes> {
    let mut builder = Builder::new();
    builder.block(block)?;
    Scopes::resolve(builder.scopes, builder.nodes)
}

pub(super) fn of_expression(expr: &Expr) -> Done<Scopes> {
    let mut builder = Builder::new();
    builder.expression(expr)?;
    Scopes::resolve(builder.scopes, builder.nodes)
}

/// How a comprehension is called in errors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comp {
    List,
    Set,
    Dict,
    Generator,
}

struct Builder {
    scopes: Vec<Scope>,
    nodes: HashMap<usize, usize>,
    /// The scope that is being walked.
    current: usize,
    private: Option<Name>,
    line: u32,
    /// What of comprehension the current scope is.
    comprehension: Option<Comp>,
    /// Inside so many iterables of comprehensions.
    iterables: u32,
    /// In the target of a comprehension's clause.
    in_target: bool,
}

impl Builder {
    fn new() -> Self {
        Self {
            scopes: vec![Scope::new(Kind::Module, None)],
            nodes: HashMap::new(),
            current: 0,
            private: None,
            line: 1,
            comprehension: None,
            iterables: 0,
            in_target: false,
        }
    }

    fn error<T>(&self, message: impl Into<String>) -> Done<T> {
        error(self.line, message)
    }

    fn scope(&mut self) -> &mut Scope {
        &mut self.scopes[self.current]
    }

    /// Walks a scope of its own.
    fn inside<T>(
        &mut self,
        node: &T,
        kind: Kind,
        comprehension: Option<Comp>,
        walk: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let (number, around) = (self.scopes.len(), self.current);
        self.scopes.push(Scope::new(kind, Some(around)));
        self.scope().children.push(number);
        self.nodes.insert(address(node), number);
        self.current = number;
        let comprehension_around = mem::replace(&mut self.comprehension, comprehension);
        let (iterables, in_target) = (self.iterables, mem::take(&mut self.in_target));
        walk(self)?;
        (self.iterables, self.in_target) = (iterables, in_target);
        self.comprehension = comprehension_around;
        self.current = around;
        Ok(())
    }

    /// The scope does this with the name.
    fn add(&mut self, name: &Name, mut flags: Flags) -> Done {
        let name = mangle(self.private.as_ref(), name);
        let before = self.scope().flags(&name);
        if flags & PARAMETER != 0 && before & PARAMETER != 0 {
            return self.error(format!(
                "duplicate argument '{name}' in function definition"
            ));
        }
        if self.in_target && flags & USE == 0 {
            if before & (GLOBAL | NONLOCAL) != 0 {
                return self.error(format!(
                    "comprehension inner loop cannot rebind assignment expression target '{name}'"
                ));
            }
            flags |= ITERATION;
        }
        self.scope().add(&name, flags);
        if flags & GLOBAL != 0 {
            self.scopes[0].add(&name, GLOBAL);
        }
        Ok(())
    }

    fn block(&mut self, block: &[Stmt]) -> Done {
        block
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt) -> Done {
        self.line = statement.line;
        match &statement.kind {
            StmtKind::Expr(value) => self.expression(value),
            StmtKind::Assign { targets, value } => {
                self.targets(targets)?;
                self.expression(value)
            }
            StmtKind::AugAssign { target, value, .. } => {
                self.target(target)?;
                self.expression(value)
            }
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
                simple,
            } => self.annotated(target, annotation, value.as_ref(), *simple),
            StmtKind::Delete(targets) => self.targets(targets),
            StmtKind::Return(value) => self.optional(value.as_ref()),
            StmtKind::Raise { exception, cause } => {
                self.optional(exception.as_ref())?;
                self.optional(cause.as_ref())
            }
            StmtKind::Assert { test, message } => {
                self.expression(test)?;
                self.optional(message.as_ref())
            }
            StmtKind::Global(names) => names
                .iter()
                .try_for_each(|name| self.directive(name, GLOBAL)),
            StmtKind::Nonlocal(names) => names
                .iter()
                .try_for_each(|name| self.directive(name, NONLOCAL)),
            StmtKind::Pass | StmtKind::Break | StmtKind::Continue => Ok(()),
            StmtKind::Import(names) | StmtKind::ImportFrom { names, .. } => {
                names.iter().try_for_each(|alias| self.import(alias))
            }
            StmtKind::FunctionDef(def) => self.function(def),
            StmtKind::ClassDef(def) => self.class(def),
            compound => self.compound(compound),
        }
    }

    fn compound(&mut self, statement: &StmtKind) -> Done {
        match statement {
            StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
                self.expression(test)?;
                self.block(body)?;
                self.block(orelse)
            }
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                self.target(target)?;
                self.expression(iter)?;
                self.block(body)?;
                self.block(orelse)
            }
            StmtKind::With { items, body } => {
                for item in items {
                    self.expression(&item.context)?;
                    item.target
                        .iter()
                        .try_for_each(|target| self.target(target))?;
                }
                self.block(body)
            }
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => {
                self.block(body)?;
                self.block(orelse)?;
                for handler in handlers {
                    self.line = handler.line;
                    self.optional(handler.class.as_ref())?;
                    handler
                        .name
                        .iter()
                        .try_for_each(|name| self.add(name, LOCAL))?;
                    self.block(&handler.body)?;
                }
                self.block(finally)
            }
            StmtKind::Match { subject, cases } => {
                self.expression(subject)?;
                for case in cases {
                    self.pattern(&case.pattern)?;
                    self.optional(case.guard.as_ref())?;
                    self.block(&case.body)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn annotated(
        &mut self,
        target: &Expr,
        annotation: &Expr,
        value: Option<&Expr>,
        simple: bool,
    ) -> Done {
        if let ExprKind::Name(name) = &target.kind {
            let mangled = mangle(self.private.as_ref(), name);
            let flags = self.scope().flags(&mangled);
            if flags & (GLOBAL | NONLOCAL) != 0 && self.current != 0 && simple {
                let what = if flags & GLOBAL != 0 {
                    "global"
                } else {
                    "nonlocal"
                };
                return self.error(format!("annotated name '{name}' can't be {what}"));
            }
            if simple {
                self.add(name, ANNOTATED | LOCAL)?;
            } else if value.is_some() {
                self.add(name, LOCAL)?;
            }
        } else {
            self.target(target)?;
        }
        self.expression(annotation)?;
        self.optional(value)
    }

    /// `global` or `nonlocal`.
    fn directive(&mut self, name: &Name, flag: Flags) -> Done {
        let what = if flag == GLOBAL { "global" } else { "nonlocal" };
        let mangled = mangle(self.private.as_ref(), name);
        let before = self.scope().flags(&mangled);
        let message = if before & PARAMETER != 0 {
            format!("name '{name}' is parameter and {what}")
        } else if before & USE != 0 {
            format!("name '{name}' is used prior to {what} declaration")
        } else if before & ANNOTATED != 0 {
            format!("annotated name '{name}' can't be {what}")
        } else if before & LOCAL != 0 {
            format!("name '{name}' is assigned to before {what} declaration")
        } else {
            self.add(name, flag)?;
            let line = self.line;
            self.scope().directives.entry(mangled).or_insert(line);
            return Ok(());
        };
        self.error(message)
    }

    fn import(&mut self, alias: &Alias) -> Done {
        if &*alias.name == "*" {
            if self.scope().kind == Kind::Module {
                return Ok(());
            }
            return self.error("import * only allowed at module level");
        }
        match &alias.rename {
            Some(name) => self.add(name, IMPORT),
            None => match alias.name.split_once('.') {
                Some((first, _)) => self.add(&first.into(), IMPORT),
                None => self.add(&alias.name, IMPORT),
            },
        }
    }

    fn function(&mut self, def: &FunctionDef) -> Done {
        self.add(&def.name, LOCAL)?;
        self.defaults(&def.parameters)?;
        let line = self.line;
        for parameter in all(&def.parameters) {
            self.optional(parameter.annotation.as_ref())?;
        }
        self.optional(def.returns.as_ref())?;
        self.expressions(&def.decorators)?;
        self.line = line;
        self.inside(def, Kind::Function, None, |inner| {
            inner.parameters(&def.parameters)?;
            inner.block(&def.body)
        })
    }

    fn class(&mut self, def: &ClassDef) -> Done {
        self.add(&def.name, LOCAL)?;
        self.arguments(&def.arguments)?;
        self.expressions(&def.decorators)?;
        self.inside(def, Kind::Class, None, |inner| {
            let private = inner.private.replace(def.name.clone());
            inner.block(&def.body)?;
            inner.private = private;
            Ok(())
        })
    }

    fn defaults(&mut self, parameters: &Parameters) -> Done {
        for parameter in parameters.positional.iter().chain(&parameters.keyword_only) {
            self.optional(parameter.default.as_ref())?;
        }
        Ok(())
    }

    fn parameters(&mut self, parameters: &Parameters) -> Done {
        all(parameters).try_for_each(|parameter| self.add(&parameter.name, PARAMETER))
    }

    fn pattern(&mut self, pattern: &Pattern) -> Done {
        match pattern {
            Pattern::Value(value) | Pattern::Singleton(value) => self.expression(value),
            Pattern::Sequence(items) | Pattern::Or(items) => {
                items.iter().try_for_each(|item| self.pattern(item))
            }
            Pattern::Star(name) => name.iter().try_for_each(|name| self.add(name, LOCAL)),
            Pattern::Mapping { entries, rest } => {
                for (key, pattern) in entries {
                    self.expression(key)?;
                    self.pattern(pattern)?;
                }
                rest.iter().try_for_each(|name| self.add(name, LOCAL))
            }
            Pattern::Class {
                class,
                positional,
                keywords,
            } => {
                self.expression(class)?;
                positional.iter().try_for_each(|item| self.pattern(item))?;
                keywords.iter().try_for_each(|(_, item)| self.pattern(item))
            }
            Pattern::As { pattern, name } => {
                pattern
                    .iter()
                    .try_for_each(|pattern| self.pattern(pattern))?;
                name.iter().try_for_each(|name| self.add(name, LOCAL))
            }
        }
    }

    fn targets(&mut self, targets: &[Expr]) -> Done {
        targets.iter().try_for_each(|target| self.target(target))
    }

    fn target(&mut self, target: &Expr) -> Done {
        match &target.kind {
            ExprKind::Name(name) => {
                self.line = target.line;
                self.add(name, LOCAL)
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => self.targets(items),
            ExprKind::Starred(inner) => self.target(inner),
            _ => self.expression(target),
        }
    }
}

/// All parameters, in the order of a function's locals.
pub(super) fn all(parameters: &Parameters) -> impl Iterator<Item = &ast::Parameter> {
    let Parameters {
        positional,
        star,
        keyword_only,
        double_star,
        ..
    } = parameters;
    positional
        .iter()
        .chain(keyword_only)
        .chain(star)
        .chain(double_star)
}
