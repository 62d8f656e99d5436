//! What a child can do, by name: a function from bytes to bytes, and how it is made ready.
use crate::Limits;

/// Stack of a job that does not say: parsers recurse. Only what is touched becomes memory.
const STACK: usize = 64 << 20;

/// What is left to do once the input is there. An `Err` is one line for the parent's caller.
pub type Work = Box<dyn FnOnce(&[u8]) -> Result<Vec<u8>, String>>;

/// One kind of work. A table of them goes to [`crate::child`].
#[derive(Clone, Copy, Debug)]
pub struct Job {
    name: &'static str,
    pub(crate) stack: usize,
    begin: Begin,
}

#[derive(Clone, Copy, Debug)]
enum Begin {
    Ready(fn(&[u8]) -> Result<Vec<u8>, String>),
    Prepared(fn(&Limits) -> Work),
}

impl Job {
    /// A job that needs nothing but its input.
    #[must_use]
    pub const fn new(name: &'static str, run: fn(&[u8]) -> Result<Vec<u8>, String>) -> Self {
        Self {
            name,
            stack: STACK,
            begin: Begin::Ready(run),
        }
    }

    /// A job that builds something before its input arrives and before time and memory are limited: what it builds does
    /// not count, and can be built ahead ([`crate::Runner::prepare`]).
    #[must_use]
    pub const fn prepared(name: &'static str, prepare: fn(&Limits) -> Work) -> Self {
        Self {
            name,
            stack: STACK,
            begin: Begin::Prepared(prepare),
        }
    }

    /// With this many bytes of stack.
    #[must_use]
    pub const fn stack(self, bytes: usize) -> Self {
        Self {
            stack: bytes,
            ..self
        }
    }

    /// What a parent asks for it by.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What remains to be done behind the walls.
    pub(crate) fn prepare(&self, limits: &Limits) -> Work {
        match self.begin {
            Begin::Ready(run) => Box::new(run),
            Begin::Prepared(prepare) => prepare(limits),
        }
    }
}
