//! Classes: what a program defines, and the builtin types, which differ only by who made them.
//!
//! An attribute of a class is looked up along its `mro`, the order of itself and its ancestors (C3, as in Python).
use crate::{table::Dict, text::Str, value::Value};
use std::{
    cell::{Cell, OnceCell, RefCell},
    fmt,
    rc::{Rc, Weak},
};

pub(crate) struct Class {
    pub(crate) name: RefCell<Rc<Str>>,
    pub(crate) bases: Vec<Rc<Self>>,
    /// Its ancestors in order, without itself.
    pub(crate) ancestors: Vec<Rc<Self>>,
    pub(crate) dict: Rc<Dict>,
    /// Nothing for `type`.
    pub(crate) metaclass: Option<Rc<Self>>,
    /// The builtin type nearest above it, which decides what its objects carry; itself if it is one.
    pub(crate) layout: Layout,
    /// Written in Rust: its attributes cannot be set.
    pub(crate) builtin: bool,
    /// Methods of its own that change how attributes are found, so that others need not look for them.
    pub(crate) hooks: Cell<Hooks>,
    /// Names of `__slots__`, if no class above it lets its objects have other attributes.
    pub(crate) slots: OnceCell<Vec<Rc<Str>>>,
    pub(crate) descendants: RefCell<Vec<Weak<Self>>>,
}

/// What objects of a class carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Object,
    Int,
    Float,
    Complex,
    Str,
    Bytes,
    ByteArray,
    Tuple,
    List,
    Dict,
    Set,
    FrozenSet,
    Exception,
    Type,
    Property,
    /// Something that no program's class can descend from, or an object with state in Rust.
    Other,
}

/// Which of these methods a class or an ancestor that is no builtin defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hooks {
    pub(crate) getattribute: bool,
    pub(crate) getattr: bool,
    pub(crate) setattr: bool,
    pub(crate) delattr: bool,
}

impl Class {
    /// The attribute, of the class itself or the first ancestor that has it.
    pub(crate) fn lookup(&self, name: &Rc<Str>) -> Option<Value> {
        if let Some(value) = self.dict.get_str(name) {
            return Some(value);
        }
        self.ancestors
            .iter()
            .find_map(|class| class.dict.get_str(name))
    }

    /// The attribute, and the class that has it.
    pub(crate) fn lookup_with_class(self: &Rc<Self>, name: &Rc<Str>) -> Option<(Value, &Rc<Self>)> {
        self.order()
            .find_map(|class| Some((class.dict.get_str(name)?, class)))
    }

    /// Itself and its ancestors.
    pub(crate) fn order(self: &Rc<Self>) -> impl Iterator<Item = &Rc<Self>> {
        std::iter::once(self).chain(&self.ancestors)
    }

    pub(crate) fn is_subclass(self: &Rc<Self>, of: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, of) || self.ancestors.iter().any(|class| Rc::ptr_eq(class, of))
    }

    pub(crate) fn name(&self) -> Rc<Str> {
        self.name.borrow().clone()
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "class {}", self.name())
    }
}

/// Ancestors of a class with these bases; `None` if no order keeps the order of each base.
pub(crate) fn ancestors(bases: &[Rc<Class>]) -> Option<Vec<Rc<Class>>> {
    let mut lists: Vec<Vec<Rc<Class>>> = bases
        .iter()
        .map(|base| base.order().cloned().collect())
        .collect();
    lists.push(bases.to_vec());
    let mut order: Vec<Rc<Class>> = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return Some(order);
        }
        let behind_first = |class: &Rc<Class>| {
            lists
                .iter()
                .any(|list| list.iter().skip(1).any(|other| Rc::ptr_eq(other, class)))
        };
        let next = lists
            .iter()
            .filter_map(|list| list.first())
            .find(|class| !behind_first(class))?
            .clone();
        for list in &mut lists {
            if list.first().is_some_and(|first| Rc::ptr_eq(first, &next)) {
                list.remove(0);
            }
        }
        order.push(next);
    }
}
