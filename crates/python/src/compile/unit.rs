//! One code object while it is written: from instructions with labels to instructions with indices.
//!
//! Constants and names are entered once each. Jumps hold the number of a [`Label`] until [`Unit::finish`] puts the place
//! of the label there; a jump to a jump goes on to the end of the chain at once.
use super::{
    enclosing::Enclosing,
    index,
    scope::{Kind, Scope},
};
use crate::{
    ast::Name,
    code::{Code, Constant, Op},
};
use num_bigint::BigInt;
use std::{collections::HashMap, rc::Rc};

/// So many jumps to jumps are followed; a bound, as they may go in circles.
const CHAIN: usize = 8;

/// A place in the code that may not be known yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label(u32);

impl Label {
    /// What a jump to it holds until the unit is finished.
    pub(super) fn target(self) -> u32 {
        self.0
    }
}

/// What makes two constants one: 1, 1.0 and True are three, and so are 0.0 and -0.0.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    None,
    True,
    False,
    Ellipsis,
    Int(BigInt),
    Float(u64),
    Imaginary(u64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Vec<Self>),
    Code(usize),
}

impl Key {
    fn of(constant: &Constant) -> Self {
        match constant {
            Constant::None => Self::None,
            Constant::True => Self::True,
            Constant::False => Self::False,
            Constant::Ellipsis => Self::Ellipsis,
            Constant::Int(value) => Self::Int(value.clone()),
            Constant::Float(value) => Self::Float(value.to_bits()),
            Constant::Imaginary(value) => Self::Imaginary(value.to_bits()),
            Constant::Str(value) => Self::Str(value.clone()),
            Constant::Bytes(value) => Self::Bytes(value.clone()),
            Constant::Tuple(items) => Self::Tuple(items.iter().map(Self::of).collect()),
            // The code is kept in the unit, so that no other one gets its address.
            Constant::Code(code) => Self::Code(Rc::as_ptr(code).addr()),
        }
    }
}

#[derive(Default)]
struct Table {
    known: HashMap<Name, u32>,
    names: Vec<Name>,
}

impl Table {
    fn enter(&mut self, name: &Name) -> u32 {
        if let Some(&at) = self.known.get(name) {
            return at;
        }
        let at = index(self.names.len());
        self.known.insert(name.clone(), at);
        self.names.push(name.clone());
        at
    }
}

pub(super) struct Unit<'a> {
    pub(super) kind: Kind,
    /// In [`super::scope::Scopes`].
    pub(super) scope: usize,
    /// The class whose private names are mangled here.
    pub(super) private: Option<Name>,
    /// What must be left on the way out, the innermost last.
    pub(super) enclosing: Vec<Enclosing<'a>>,
    /// Its instructions, counts and flags; the tables below are put in at the end.
    pub(super) code: Code,
    labels: Vec<u32>,
    constants: HashMap<Key, u32>,
    names: Table,
    locals: Table,
    /// Its own cells. A class may have a `__class__` of its own besides that of the class around it.
    cells: Table,
    free: Table,
}

impl<'a> Unit<'a> {
    pub(super) fn new(
        kind: Kind,
        scope: (usize, &Scope),
        private: Option<Name>,
        name: Name,
        qualname: Name,
    ) -> Self {
        let (number, scope) = scope;
        let mut unit = Self {
            kind,
            scope: number,
            private,
            enclosing: Vec::new(),
            code: Code {
                name,
                qualname,
                is_generator: scope.is_generator,
                ..Code::default()
            },
            labels: Vec::new(),
            constants: HashMap::new(),
            names: Table::default(),
            locals: Table::default(),
            cells: Table::default(),
            free: Table::default(),
        };
        for name in &scope.cells {
            let cell = unit.cells.enter(name);
            if kind == Kind::Class {
                unit.code.class_cell = Some(cell);
            }
        }
        for name in &scope.free {
            unit.free.enter(name);
        }
        unit
    }

    pub(super) fn emit(&mut self, op: Op, line: u32) {
        self.code.ops.push(op);
        self.code.lines.push(line);
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(0);
        Label(index(self.labels.len() - 1))
    }

    /// The label is here, before the next instruction.
    pub(super) fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = index(self.code.ops.len());
    }

    pub(super) fn constant(&mut self, constant: Constant) -> u32 {
        let next = index(self.code.constants.len());
        let at = *self.constants.entry(Key::of(&constant)).or_insert(next);
        if at == next {
            self.code.constants.push(constant);
        }
        at
    }

    pub(super) fn name(&mut self, name: &Name) -> u32 {
        self.names.enter(name)
    }

    pub(super) fn local(&mut self, name: &Name) -> u32 {
        self.locals.enter(name)
    }

    /// A parameter; where the functions inside share it, its cell begins with the same value.
    pub(super) fn parameter(&mut self, name: &Name) {
        let local = self.locals.enter(name);
        if let Some(&cell) = self.cells.known.get(name) {
            self.code.cell_parameters.push((cell, local));
        }
    }

    /// The cell that a name means in this code.
    pub(super) fn cell(&mut self, name: &Name) -> u32 {
        match self.free.known.get(name) {
            Some(at) => index(self.cells.names.len()) + at,
            None => self.cells.enter(name),
        }
    }

    /// The cell that a free name of the code inside means.
    pub(super) fn cell_for_inner(&mut self, name: &Name) -> u32 {
        match self.cells.known.get(name) {
            Some(&at) => at,
            None => self.cell(name),
        }
    }

    pub(super) fn free_names(&self) -> &[Name] {
        &self.free.names
    }

    /// `free` are the cells of the unit around this one that [`Self::free_names`] are.
    pub(super) fn finish(mut self, free: Vec<u32>) -> Rc<Code> {
        for at in 0..self.code.ops.len() {
            if let Some(label) = target(&mut self.code.ops[at]).copied() {
                let place = self.end_of_chain(label);
                if let Some(held) = target(&mut self.code.ops[at]) {
                    *held = place | PLACED;
                }
            }
        }
        for op in &mut self.code.ops {
            if let Some(held) = target(op) {
                *held &= !PLACED;
            }
        }
        self.code.names = self.names.names;
        self.code.locals = self.locals.names;
        self.code.cells = self.cells.names;
        self.code.cells.extend(self.free.names);
        self.code.free = free;
        Rc::new(self.code)
    }

    fn end_of_chain(&self, label: u32) -> u32 {
        let mut place = self.labels[label as usize];
        for _ in 0..CHAIN {
            place = match self.code.ops.get(place as usize) {
                Some(Op::Jump(held)) if held & PLACED != 0 => held & !PLACED,
                Some(Op::Jump(label)) => self.labels[*label as usize],
                _ => break,
            };
        }
        place
    }
}

/// Set in jumps that hold a place already, while others hold a label.
const PLACED: u32 = 1 << 31;

/// What a jump holds.
fn target(op: &mut Op) -> Option<&mut u32> {
    match op {
        Op::Jump(target)
        | Op::JumpIfFalse(target)
        | Op::JumpIfTrue(target)
        | Op::JumpIfFalseKeep(target)
        | Op::JumpIfTrueKeep(target)
        | Op::ForIter(target)
        | Op::SetupTry(target)
        | Op::SetupWith(target) => Some(target),
        _ => None,
    }
}
