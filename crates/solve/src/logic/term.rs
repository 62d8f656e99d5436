//! Terms: a table in which equal terms are one entry.
//!
//! Built by `parse.rs` and by the grounding of the embedded solver, valued by `value.rs`. Few operators: `>=`, `=>`,
//! `xor`, `distinct`, `-` and their like are written with the others when a term is made. Arguments come before what
//! uses them, so walking the table upwards visits arguments first.
use num_rational::BigRational;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A sort. Enumerations and free sorts are numbered in the order of their declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Sort {
    Bool,
    Int,
    Real,
    Enum(u32),
    Free(u32),
}

/// A term of a [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(pub(super) u32);

/// What a term does with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    True,
    False,
    /// An Int or a Real, by the sort.
    Number(BigRational),
    /// A value of an enumeration, or an element of a free sort's universe.
    Element(u32),
    /// A declared constant or function.
    Apply(u32),
    /// A bound variable; each binder has its own numbers.
    Var(u32),
    Not,
    And,
    Or,
    Ite,
    Eq,
    Add,
    Mul,
    /// Real division.
    Divide,
    /// Integer division, remainder non-negative.
    Div,
    Mod,
    Power,
    Le,
    Lt,
    ToReal,
    ToInt,
    Forall(Vec<u32>),
    Exists(Vec<u32>),
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term {
    pub(super) op: Op,
    pub(super) args: Vec<TermId>,
    pub(super) sort: Sort,
}

/// What is known of a term without looking at its arguments again.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Has it a variable or a quantifier?
    open: bool,
    quantified: bool,
    /// Levels below: what walks terms uses the stack.
    height: u32,
}

/// All terms of a problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    all: Vec<Term>,
    known: HashMap<Term, TermId>,
    shapes: Vec<Shape>,
    /// Sorts of the variables.
    pub(super) vars: Vec<Sort>,
}

impl Terms {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn term(&self, id: TermId) -> &Term {
        &self.all[id.0 as usize]
    }

    pub(super) fn op(&self, id: TermId) -> &Op {
        &self.term(id).op
    }

    pub(super) fn args(&self, id: TermId) -> &[TermId] {
        &self.term(id).args
    }

    pub(super) fn sort(&self, id: TermId) -> Sort {
        self.term(id).sort
    }

    /// May the term's value depend on a variable? Quantified terms count as open: they bind some.
    pub(super) fn is_open(&self, id: TermId) -> bool {
        self.shapes[id.0 as usize].open
    }

    pub(super) fn is_quantified(&self, id: TermId) -> bool {
        self.shapes[id.0 as usize].quantified
    }

    pub(super) fn height(&self, id: TermId) -> u32 {
        self.shapes[id.0 as usize].height
    }

    /// All terms below these, and themselves.
    pub(super) fn below(&self, roots: &[TermId]) -> BTreeSet<TermId> {
        let mut seen = BTreeSet::new();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.args(id));
            }
        }
        seen
    }

    /// A new variable.
    pub(super) fn var(&mut self, sort: Sort) -> u32 {
        self.vars.push(sort);
        (self.vars.len() - 1) as u32
    }

    /// The term, made now or before.
    pub(super) fn make(&mut self, op: Op, args: Vec<TermId>, sort: Sort) -> TermId {
        let term = Term { op, args, sort };
        if let Some(id) = self.known.get(&term) {
            return *id;
        }
        let id = TermId(self.all.len() as u32);
        let binds = matches!(term.op, Op::Forall(_) | Op::Exists(_));
        let mut shape = Shape {
            open: binds || matches!(term.op, Op::Var(_)),
            quantified: binds,
            height: 0,
        };
        for arg in &term.args {
            let inner = self.shapes[arg.0 as usize];
            shape.open |= inner.open;
            shape.quantified |= inner.quantified;
            shape.height = shape.height.max(inner.height + 1);
        }
        self.known.insert(term.clone(), id);
        self.all.push(term);
        self.shapes.push(shape);
        id
    }

    pub(super) fn bool(&mut self, value: bool) -> TermId {
        let op = if value { Op::True } else { Op::False };
        self.make(op, Vec::new(), Sort::Bool)
    }

    pub(super) fn number(&mut self, value: BigRational, sort: Sort) -> TermId {
        self.make(Op::Number(value), Vec::new(), sort)
    }

    pub(super) fn int(&mut self, value: i64) -> TermId {
        self.number(BigRational::from_integer(value.into()), Sort::Int)
    }

    pub(super) fn not(&mut self, a: TermId) -> TermId {
        match self.op(a) {
            Op::True => self.bool(false),
            Op::False => self.bool(true),
            Op::Not => self.args(a)[0],
            _ => self.make(Op::Not, vec![a], Sort::Bool),
        }
    }

    pub(super) fn and(&mut self, args: Vec<TermId>) -> TermId {
        self.junction(args, &Op::And)
    }

    pub(super) fn or(&mut self, args: Vec<TermId>) -> TermId {
        self.junction(args, &Op::Or)
    }

    /// A conjunction or disjunction without neutral and repeated parts.
    fn junction(&mut self, args: Vec<TermId>, op: &Op) -> TermId {
        let (neutral, zero) = match op {
            Op::And => (Op::True, Op::False),
            _ => (Op::False, Op::True),
        };
        let mut rest: Vec<TermId> = Vec::with_capacity(args.len());
        let mut seen = HashSet::new();
        for arg in args {
            if *self.op(arg) == zero {
                return arg;
            }
            if *self.op(arg) != neutral && seen.insert(arg) {
                rest.push(arg);
            }
        }
        match rest.len() {
            0 => self.make(neutral, Vec::new(), Sort::Bool),
            1 => rest[0],
            _ => self.make(op.clone(), rest, Sort::Bool),
        }
    }

    pub(super) fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        match self.op(c) {
            Op::True => a,
            Op::False => b,
            _ if a == b => a,
            _ => self.make(Op::Ite, vec![c, a, b], self.sort(a)),
        }
    }

    /// Equality; false at once between different values.
    pub(super) fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.bool(true);
        }
        if self.is_value(a) && self.is_value(b) {
            return self.bool(false);
        }
        self.make(Op::Eq, vec![a.min(b), a.max(b)], Sort::Bool)
    }

    pub(super) fn is_value(&self, id: TermId) -> bool {
        matches!(
            self.op(id),
            Op::True | Op::False | Op::Number(_) | Op::Element(_)
        )
    }

    /// The number a term is, if it is one.
    pub(super) fn as_number(&self, id: TermId) -> Option<&BigRational> {
        match self.op(id) {
            Op::Number(value) => Some(value),
            _ => None,
        }
    }

    /// `args` all different, as a conjunction.
    pub(super) fn distinct(&mut self, args: &[TermId]) -> TermId {
        let mut parts = Vec::new();
        for (index, a) in args.iter().enumerate() {
            for b in &args[..index] {
                let eq = self.eq(*a, *b);
                parts.push(self.not(eq));
            }
        }
        self.and(parts)
    }
}
