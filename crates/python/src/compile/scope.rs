//! From what each scope does with its names to where each name lives: a local, a cell, a global.
//!
//! `symbols` fills [`Scope::symbols`], then [`Scopes::resolve`] decides, from the outside in, as CPython's symbol table
//! does: a name that a function binds is seen by the functions inside it, but what a class binds is not. Each variable
//! that crosses a function is a cell there and a free one in all scopes between.
//!
//! Nothing is decided about modules beyond this: their names stay names.
use super::{Done, LIMIT, error};
use crate::ast::Name;
use std::collections::{BTreeSet, HashMap};

/// What a scope does with a name.
pub(super) type Flags = u16;
pub(super) const GLOBAL: Flags = 1;
pub(super) const NONLOCAL: Flags = 2;
pub(super) const LOCAL: Flags = 4;
pub(super) const PARAMETER: Flags = 8;
pub(super) const IMPORT: Flags = 16;
pub(super) const USE: Flags = 32;
pub(super) const ANNOTATED: Flags = 64;
/// The variable of a comprehension's loop.
pub(super) const ITERATION: Flags = 128;
const BOUND: Flags = LOCAL | PARAMETER | IMPORT;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
}

impl Kind {
    pub(super) fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Lambda | Self::Comprehension)
    }
}

/// Where a name lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Local,
    /// Its own, but shared with functions inside.
    Cell,
    /// Of a function around it.
    Free,
    GlobalExplicit,
    GlobalImplicit,
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) kind: Kind,
    pub(super) parent: Option<usize>,
    /// In the order in which they first occur.
    pub(super) symbols: Vec<(Name, Flags)>,
    pub(super) known: HashMap<Name, usize>,
    /// Lines of `global` and `nonlocal`.
    pub(super) directives: HashMap<Name, u32>,
    pub(super) children: Vec<usize>,
    pub(super) is_generator: bool,
    places: HashMap<Name, Place>,
    /// Its own cells, sorted; of a class only `__class__`.
    pub(super) cells: BTreeSet<Name>,
    pub(super) free: BTreeSet<Name>,
}

impl Scope {
    pub(super) fn new(kind: Kind, parent: Option<usize>) -> Self {
        Self {
            kind,
            parent,
            symbols: Vec::new(),
            known: HashMap::new(),
            directives: HashMap::new(),
            children: Vec::new(),
            is_generator: false,
            places: HashMap::new(),
            cells: BTreeSet::new(),
            free: BTreeSet::new(),
        }
    }

    pub(super) fn flags(&self, name: &Name) -> Flags {
        self.known.get(name).map_or(0, |&at| self.symbols[at].1)
    }

    pub(super) fn add(&mut self, name: &Name, flags: Flags) {
        if let Some(&at) = self.known.get(name) {
            self.symbols[at].1 |= flags;
        } else {
            self.known.insert(name.clone(), self.symbols.len());
            self.symbols.push((name.clone(), flags));
        }
    }

    fn directive_error<T>(&self, name: &Name, message: String) -> Done<T> {
        error(self.directives.get(name).copied().unwrap_or(1), message)
    }
}

/// All scopes of a text. The first is the module.
#[derive(Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    /// By the address of the node that makes the scope; nodes are not moved while the tree is borrowed.
    nodes: HashMap<usize, usize>,
}

impl Scopes {
    /// Decides where all names live.
    pub(super) fn resolve(all: Vec<Scope>, nodes: HashMap<usize, usize>) -> Done<Self> {
        let mut resolver = Resolver {
            scopes: all,
            bindings: HashMap::new(),
            size: 0,
        };
        resolver.scope(0)?;
        Ok(Self {
            all: resolver.scopes,
            nodes,
        })
    }

    pub(super) fn module(&self) -> (usize, &Scope) {
        (0, &self.all[0])
    }

    /// The scope that the node at this address makes.
    pub(super) fn of<T>(&self, node: &T) -> (usize, &Scope) {
        let number = self.nodes.get(&address(node)).copied().unwrap_or(0);
        (number, &self.all[number])
    }

    /// Where a mangled name lives.
    pub(super) fn place(&self, scope: usize, name: &Name) -> Place {
        self.all[scope]
            .places
            .get(name)
            .copied()
            .unwrap_or(Place::GlobalImplicit)
    }
}

pub(super) fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}

/// What a name means for the functions inside.
#[derive(Clone, Copy)]
enum Binding {
    Scope(usize),
    Global,
}

struct Resolver {
    scopes: Vec<Scope>,
    /// The innermost last.
    bindings: HashMap<Name, Vec<Binding>>,
    /// Free variables so far.
    size: usize,
}

impl Resolver {
    fn scope(&mut self, number: usize) -> Done {
        let symbols = self.scopes[number].symbols.clone();
        for (name, flags) in &symbols {
            let place = self.decide(number, name, *flags)?;
            // A place may be there already: a class passes on a free variable that it does not use.
            self.scopes[number].places.insert(name.clone(), place);
        }
        let mut bound = Vec::new();
        let kind = self.scopes[number].kind;
        if kind == Kind::Class {
            bound.push(("__class__".into(), Binding::Scope(number)));
        } else if kind.is_function() {
            for (name, _) in symbols {
                match self.scopes[number].places.get(&name) {
                    Some(Place::Local) => bound.push((name, Binding::Scope(number))),
                    Some(Place::GlobalExplicit) => bound.push((name, Binding::Global)),
                    _ => {}
                }
            }
        }
        for (name, binding) in &bound {
            self.bindings
                .entry(name.clone())
                .or_default()
                .push(*binding);
        }
        for child in self.scopes[number].children.clone() {
            self.scope(child)?;
        }
        for (name, _) in &bound {
            if let Some(bindings) = self.bindings.get_mut(name) {
                bindings.pop();
            }
        }
        Ok(())
    }

    fn decide(&mut self, number: usize, name: &Name, flags: Flags) -> Done<Place> {
        let scope = &self.scopes[number];
        let binding = self
            .bindings
            .get(name)
            .and_then(|bindings| bindings.last())
            .copied();
        if flags & GLOBAL != 0 {
            if flags & NONLOCAL != 0 {
                return scope
                    .directive_error(name, format!("name '{name}' is nonlocal and global"));
            }
            return Ok(Place::GlobalExplicit);
        }
        if flags & NONLOCAL != 0 {
            if scope.kind == Kind::Module {
                let message = "nonlocal declaration not allowed at module level";
                return scope.directive_error(name, message.into());
            }
            let Some(Binding::Scope(owner)) = binding else {
                return scope
                    .directive_error(name, format!("no binding for nonlocal '{name}' found"));
            };
            return self.free(number, owner, name);
        }
        if flags & BOUND != 0 {
            return Ok(Place::Local);
        }
        match binding {
            Some(Binding::Scope(owner)) => self.free(number, owner, name),
            _ => Ok(Place::GlobalImplicit),
        }
    }

    /// Passes a variable of `owner` in to `number`, through all scopes between.
    fn free(&mut self, number: usize, owner: usize, name: &Name) -> Done<Place> {
        let mut at = number;
        while at != owner {
            let scope = &mut self.scopes[at];
            if !scope.free.insert(name.clone()) {
                // Then all scopes further out have it too.
                return Ok(Place::Free);
            }
            scope.places.entry(name.clone()).or_insert(Place::Free);
            self.size += 1;
            if self.size > LIMIT {
                return error(1, "program too large");
            }
            let Some(parent) = scope.parent else { break };
            at = parent;
        }
        let scope = &mut self.scopes[owner];
        scope.cells.insert(name.clone());
        if scope.kind != Kind::Class {
            scope.places.insert(name.clone(), Place::Cell);
        }
        Ok(Place::Free)
    }
}
