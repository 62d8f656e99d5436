//! The machine: runs code, and holds what all of it shares (builtin types, modules, interned names).
//!
//! Everything is reached through `&Vm`; what changes is in cells. No borrow of a cell is held while a program's own code
//! may run (`__eq__`, `__hash__`, `__index__`, …), because that code may reach the same cell.
//!
//! Depth: calls, representations and comparisons that go deeper count in [`Vm::deeper`], which raises `RecursionError` at
//! Python's limit or when the stack of the thread comes to its end, whichever is first.
mod args;
mod attribute;
mod binary;
mod build;
mod build_class;
mod call;
mod compare;
mod display;
mod error;
mod frame;
mod generator;
mod handle;
mod hash;
mod import;
mod index;
mod iterate;
mod names;
mod number;
mod pattern;
mod run;
mod set;
pub(crate) mod types;

pub(crate) use args::{Bound, Keyword};
pub(crate) use binary::OPERATORS;
pub(crate) use compare::as_key;
pub(crate) use error::Raise;
pub(crate) use frame::{Frame, Linked};
pub(crate) use index::place;
pub(crate) use number::Number;
pub(crate) use run::Exit;
pub(crate) use types::{Alias, Types};

use crate::{
    class::Class,
    table::Dict,
    text::Str,
    value::{Instance, Value},
};
use names::Names;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

pub(crate) type PyResult<T = Value> = Result<T, Raise>;

/// Calls inside calls, as CPython has it.
const RECURSION: usize = 1000;
/// What is left of the stack for what does not ask.
const RESERVE: usize = 1 << 20;

/// What an interpreter is connected to.
pub(crate) struct Outside {
    /// `print` and the like: a text, and whether it goes to standard output rather than standard error.
    pub(crate) write: Box<crate::program::Write>,
    /// `_reckon.call(kind, text)`.
    pub(crate) call: Box<crate::program::Call>,
    /// Modules of the caller, by name: the text of each.
    pub(crate) modules: &'static [(&'static str, &'static str)],
}

/// The names that the caller of a native function sees, for `locals`, `eval` and the like.
pub(crate) struct Caller {
    pub(crate) globals: Rc<Dict>,
    pub(crate) locals: Rc<Dict>,
}

pub(crate) struct Vm {
    pub(crate) types: Types,
    pub(crate) names: Names,
    pub(crate) builtins: Rc<Dict>,
    /// `sys.modules`.
    pub(crate) modules: Rc<Dict>,
    pub(crate) outside: Outside,
    /// Calls inside calls before `RecursionError`.
    pub(crate) recursion_limit: Cell<usize>,
    /// Digits of an integer that may become a text or come of one; 0 is no limit.
    pub(crate) max_digits: Cell<usize>,
    /// Exceptions that are handled now, in all frames.
    pub(crate) handled: RefCell<Vec<Rc<Instance>>>,
    /// Set when a native function is called that asks for it.
    pub(crate) caller: RefCell<Option<Caller>>,
    /// Containers whose representation is being made.
    shown: RefCell<Vec<usize>>,
    interned: RefCell<HashMap<Box<str>, Rc<Str>>>,
    depth: Cell<usize>,
    /// Where the stack begins, and how far it may grow downwards from there.
    stack: (usize, usize),
}

impl Vm {
    /// A machine with builtin types and functions. `stack` is the size of the stack of this thread in bytes.
    pub(crate) fn new(outside: Outside, stack: usize) -> Self {
        let interned = RefCell::default();
        let names = Names::new(|text| intern(&interned, text));
        let types = Types::new(&names);
        let vm = Self {
            types,
            names,
            builtins: Dict::new(),
            modules: Dict::new(),
            outside,
            recursion_limit: Cell::new(RECURSION),
            max_digits: Cell::new(4300),
            handled: RefCell::default(),
            caller: RefCell::default(),
            shown: RefCell::default(),
            interned,
            depth: Cell::new(0),
            stack: (here(), stack.saturating_sub(RESERVE)),
        };
        crate::builtins::install(&vm);
        vm
    }

    /// The one [`Str`] of this text, for names.
    pub(crate) fn intern(&self, text: &str) -> Rc<Str> {
        intern(&self.interned, text)
    }

    /// Does something one level deeper.
    pub(crate) fn deeper<T>(&self, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        self.deeper_in("", work)
    }

    /// The same, with words for the message that say what was done.
    pub(crate) fn deeper_in<T>(
        &self,
        what: &str,
        work: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        let depth = self.depth.get();
        let (top, room) = self.stack;
        if depth >= self.recursion_limit.get() || top.saturating_sub(here()) > room {
            let message = format!("maximum recursion depth exceeded{what}");
            return Err(self.error("RecursionError", message));
        }
        self.depth.set(depth + 1);
        let result = work();
        self.depth.set(depth);
        result
    }

    /// The class of any value.
    pub(crate) fn class_of(&self, value: &Value) -> Rc<Class> {
        match value {
            Value::Instance(instance) => instance.class(),
            Value::Class(class) => match &class.metaclass {
                Some(metaclass) => metaclass.clone(),
                None => self.types.type_.clone(),
            },
            other => self.types.of(other).clone(),
        }
    }

    /// The name of a value's class, for messages.
    pub(crate) fn class_name(&self, value: &Value) -> Rc<Str> {
        self.class_of(value).name()
    }

    pub(crate) fn is_instance(&self, value: &Value, class: &Rc<Class>) -> bool {
        self.class_of(value).is_subclass(class)
    }

    /// What is handled now, for `raise` without an exception and `sys.exc_info`.
    pub(crate) fn handled_now(&self) -> Option<Rc<Instance>> {
        self.handled.borrow().last().cloned()
    }
}

fn intern(interned: &RefCell<HashMap<Box<str>, Rc<Str>>>, text: &str) -> Rc<Str> {
    if let Some(name) = interned.borrow().get(text) {
        return name.clone();
    }
    let name = Str::new(text);
    interned.borrow_mut().insert(text.into(), name.clone());
    name
}

/// An address on the stack, to tell how deep it is.
#[inline(never)]
fn here() -> usize {
    let mark = 0u8;
    std::ptr::from_ref(std::hint::black_box(&mark)).addr()
}
