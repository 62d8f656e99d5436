//! Functions, lambdas, comprehensions and classes: a code object of its own, and the instructions that make it a value.
//!
//! A comprehension is a function whose one parameter `.0` is the iterator of its first clause, made outside.
use super::{
    Compiler, Done, index,
    scope::{Kind, Place},
    split_doc,
    symbols::all,
    unit::Unit,
};
use crate::{
    ast::{ClassDef, Clause, Comprehension, Expr, ExprKind, FunctionDef, Lambda, Name, Parameters},
    code::{ANNOTATIONS, Code, Constant, DEFAULTS, KEYWORD_DEFAULTS, Op},
};
use std::rc::Rc;

/// How the elements of a comprehension are gathered: `ListAppend` and so on, or yielded.
#[derive(Clone, Copy)]
enum Gather {
    List,
    Set,
    Dict,
    Yield,
}

impl<'a> Compiler<'a> {
    /// What [`Compiler::inside`] needs for the code that a node of the tree makes.
    fn unit_of<T>(&self, node: &T, kind: Kind, name: &Name) -> Unit<'a> {
        let scope = self.scopes.of(node);
        Unit::new(
            kind,
            scope,
            self.unit.private.clone(),
            name.clone(),
            self.qualname(kind, name),
        )
    }

    /// `Outer.method`, `f.<locals>.g`; a name declared global has nothing before it.
    fn qualname(&self, kind: Kind, name: &Name) -> Name {
        if matches!(kind, Kind::Function | Kind::Class)
            && self.scopes.place(self.unit.scope, &self.mangled(name)) == Place::GlobalExplicit
        {
            return name.clone();
        }
        let around = &self.unit.code.qualname;
        match self.unit.kind {
            Kind::Module => name.clone(),
            Kind::Function | Kind::Lambda => format!("{around}.<locals>.{name}").into(),
            Kind::Class | Kind::Comprehension => format!("{around}.{name}").into(),
        }
    }

    pub(super) fn function(&mut self, def: &'a FunctionDef) -> Done {
        let line = self.line;
        self.expressions(&def.decorators)?;
        let mut flags = self.defaults(&def.parameters)?;
        flags |= self.annotations(def)?;
        let mut unit = self.unit_of(def, Kind::Function, &def.name);
        self.count_parameters(&mut unit, &def.parameters)?;
        let (doc, body) = split_doc(&def.body);
        unit.code.doc = doc.cloned();
        let code = self.inside(unit, |inner| {
            inner.statements(body)?;
            inner.constant(Constant::None);
            inner.emit(Op::Return);
            Ok(())
        })?;
        self.line = line;
        self.make(code, flags);
        self.decorate(&def.decorators);
        self.store(&def.name)
    }

    /// Calls the decorators below the function or class, the innermost first.
    fn decorate(&mut self, decorators: &[Expr]) {
        let around = self.line;
        for decorator in decorators.iter().rev() {
            self.line = decorator.line;
            self.emit(Op::Call(1));
        }
        self.line = around;
    }

    fn make(&mut self, code: Rc<Code>, flags: u8) {
        let code = self.unit.constant(Constant::Code(code));
        self.emit(Op::MakeFunction { code, flags });
    }

    /// Pushes the defaults; gives the flags that say so.
    fn defaults(&mut self, parameters: &'a Parameters) -> Done<u8> {
        let mut flags = 0;
        let values = || {
            parameters
                .positional
                .iter()
                .filter_map(|parameter| parameter.default.as_ref())
        };
        let count = values().count();
        if count > 0 {
            self.expressions(values())?;
            self.emit(Op::BuildTuple(index(count)));
            flags |= DEFAULTS;
        }
        let mut count = 0;
        for parameter in &parameters.keyword_only {
            if let Some(default) = &parameter.default {
                let name = self.mangled(&parameter.name);
                self.text(&name);
                self.expression(default)?;
                count += 1;
            }
        }
        if count > 0 {
            self.emit(Op::BuildDict(count));
            flags |= KEYWORD_DEFAULTS;
        }
        Ok(flags)
    }

    fn annotations(&mut self, def: &'a FunctionDef) -> Done<u8> {
        let parameters = &def.parameters;
        let ordered = parameters
            .positional
            .iter()
            .chain(&parameters.star)
            .chain(&parameters.keyword_only)
            .chain(&parameters.double_star);
        let mut count = 0;
        for parameter in ordered {
            if let Some(annotation) = &parameter.annotation {
                let name = self.mangled(&parameter.name);
                self.text(&name);
                self.annotation(annotation)?;
                count += 1;
            }
        }
        if let Some(annotation) = &def.returns {
            self.text(&"return".into());
            self.annotation(annotation)?;
            count += 1;
        }
        if count == 0 {
            return Ok(0);
        }
        self.emit(Op::BuildDict(count));
        Ok(ANNOTATIONS)
    }

    fn count_parameters(&self, unit: &mut Unit<'a>, parameters: &'a Parameters) -> Done {
        for parameter in all(parameters) {
            self.allowed(&parameter.name, "assign to")?;
            unit.parameter(&self.mangled(&parameter.name));
        }
        unit.code.positional = index(parameters.positional.len());
        unit.code.positional_only = index(parameters.positional_only);
        unit.code.keyword_only = index(parameters.keyword_only.len());
        unit.code.star = parameters.star.is_some();
        unit.code.double_star = parameters.double_star.is_some();
        Ok(())
    }

    /// A lambda or a comprehension.
    pub(super) fn function_expression(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::ListComp(inner) => self.comprehension(inner, "<listcomp>", Gather::List),
            ExprKind::SetComp(inner) => self.comprehension(inner, "<setcomp>", Gather::Set),
            ExprKind::DictComp(inner) => self.comprehension(inner, "<dictcomp>", Gather::Dict),
            ExprKind::Generator(inner) => self.comprehension(inner, "<genexpr>", Gather::Yield),
            _ => Ok(()),
        }
    }

    fn lambda(&mut self, lambda: &'a Lambda) -> Done {
        let flags = self.defaults(&lambda.parameters)?;
        let mut unit = self.unit_of(lambda, Kind::Lambda, &"<lambda>".into());
        self.count_parameters(&mut unit, &lambda.parameters)?;
        let code = self.inside(unit, |inner| {
            inner.expression(&lambda.body)?;
            inner.emit(Op::Return);
            Ok(())
        })?;
        self.make(code, flags);
        Ok(())
    }

    fn comprehension(&mut self, node: &'a Comprehension, name: &str, gather: Gather) -> Done {
        let Some(first) = node.clauses.first() else {
            return Ok(());
        };
        let mut unit = self.unit_of(node, Kind::Comprehension, &name.into());
        unit.parameter(&".0".into());
        unit.code.positional = 1;
        unit.code.positional_only = 1;
        let code = self.inside(unit, |inner| {
            match gather {
                Gather::List => inner.emit(Op::BuildList(0)),
                Gather::Set => inner.emit(Op::BuildSet(0)),
                Gather::Dict => inner.emit(Op::BuildDict(0)),
                Gather::Yield => {}
            }
            inner.emit(Op::LoadLocal(0));
            inner.clauses(node, &node.clauses, gather)?;
            if matches!(gather, Gather::Yield) {
                inner.constant(Constant::None);
            }
            inner.emit(Op::Return);
            Ok(())
        })?;
        self.make(code, 0);
        self.iterated(&first.iter)?;
        self.emit(Op::Call(1));
        Ok(())
    }

    /// The loop of the first clause, whose iterator is on top, with the other ones inside.
    fn clauses(&mut self, node: &'a Comprehension, clauses: &'a [Clause], gather: Gather) -> Done {
        let Some((clause, rest)) = clauses.split_first() else {
            return Ok(());
        };
        let (next, end) = (self.label(), self.label());
        self.place(next);
        self.emit(Op::ForIter(end.target()));
        self.assign(&clause.target)?;
        for condition in &clause.conditions {
            self.jump_if(condition, next, false)?;
        }
        if let Some(inner) = rest.first() {
            self.iterated(&inner.iter)?;
            self.clauses(node, rest, gather)?;
        } else {
            self.gathered(node, gather)?;
        }
        self.emit(Op::Jump(next.target()));
        self.place(end);
        Ok(())
    }

    /// One element, above the collection and an iterator for each clause.
    fn gathered(&mut self, node: &'a Comprehension, gather: Gather) -> Done {
        let depth = index(node.clauses.len() + 1);
        if let Some(key) = &node.key {
            self.expression(key)?;
        }
        self.expression(&node.element)?;
        match gather {
            Gather::List => self.emit(Op::ListAppend(depth)),
            Gather::Set => self.emit(Op::SetAdd(depth)),
            Gather::Dict => self.emit(Op::DictAdd(depth)),
            Gather::Yield => {
                self.emit(Op::Yield);
                self.emit(Op::Pop);
            }
        }
        Ok(())
    }

    pub(super) fn class(&mut self, def: &'a ClassDef) -> Done {
        let line = self.line;
        self.expressions(&def.decorators)?;
        self.check_keywords(&def.arguments)?;
        let mut unit = self.unit_of(def, Kind::Class, &def.name);
        unit.private = Some(def.name.clone());
        let code = self.inside(unit, |inner| inner.class_body(def))?;
        self.argument_list(&def.arguments)?;
        // Not `DictMerge`: there is no function below for its errors to name.
        self.argument_dict(&def.arguments, Op::DictUpdate)?;
        self.line = line;
        let code = self.unit.constant(Constant::Code(code));
        self.emit(Op::BuildClass(code));
        self.decorate(&def.decorators);
        self.store(&def.name)
    }

    fn class_body(&mut self, def: &'a ClassDef) -> Done {
        let [own_name, module, qualname] =
            ["__name__", "__module__", "__qualname__"].map(|name| self.unit.name(&name.into()));
        self.emit(Op::LoadName(own_name));
        self.emit(Op::StoreName(module));
        let value = self.unit.code.qualname.clone();
        self.text(&value);
        self.emit(Op::StoreName(qualname));
        let body = self.stored_doc(&def.body);
        self.statements(body)?;
        self.constant(Constant::None);
        self.emit(Op::Return);
        Ok(())
    }
}
