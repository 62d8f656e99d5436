//! A call under way: its instructions, where it is in them, its variables and its stack of values.
use super::{PyResult, Raise, Vm};
use crate::{
    code::{Code, Constant},
    table::Dict,
    text::Str,
    value::{CellRef, Instance, Value},
};
use std::{cell::RefCell, rc::Rc};

/// Constants and names of a code as the machine's own values.
#[derive(Debug)]
pub(crate) struct Linked {
    pub(crate) constants: Vec<Value>,
    pub(crate) names: Vec<Rc<Str>>,
    pub(crate) cells: Vec<Rc<Str>>,
    pub(crate) locals: Vec<Rc<Str>>,
}

/// Where an exception goes, and what heights it finds there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) handler: u32,
    pub(crate) stack: usize,
    pub(crate) handled: usize,
}

pub(crate) struct Frame {
    pub(crate) code: Rc<Code>,
    pub(crate) globals: Rc<Dict>,
    /// Where names are stored that are neither locals nor declared global: in modules and class bodies.
    pub(crate) namespace: Option<Rc<Dict>>,
    /// Of a class body: the object of a dictionary's descendant that `__prepare__` gave, which is told of every name.
    pub(crate) told: Option<Value>,
    pub(crate) locals: Vec<Value>,
    pub(crate) cells: Vec<CellRef>,
    pub(crate) stack: Vec<Value>,
    pub(crate) blocks: Vec<Block>,
    /// Exceptions that this frame handles now.
    pub(crate) handled: Vec<Rc<Instance>>,
    pub(crate) next: usize,
}

impl Frame {
    pub(crate) fn new(code: Rc<Code>, globals: Rc<Dict>, closure: &[CellRef]) -> Self {
        let own = code.cells.len().saturating_sub(closure.len());
        let empty = || Rc::new(RefCell::new(Value::Unbound));
        let cells = std::iter::repeat_with(empty).take(own);
        Self {
            globals,
            namespace: None,
            told: None,
            locals: vec![Value::Unbound; code.locals.len()],
            cells: cells.chain(closure.iter().cloned()).collect(),
            stack: Vec::with_capacity(8),
            blocks: Vec::new(),
            handled: Vec::new(),
            next: 0,
            code,
        }
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    /// Of an empty stack, which honest code never has, nothing.
    pub(crate) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Unbound)
    }

    /// The last so many values, in order.
    pub(crate) fn pop_many(&mut self, count: u32) -> Vec<Value> {
        let at = self.stack.len().saturating_sub(count as usize);
        self.stack.split_off(at)
    }

    /// What stands so deep below the top, 0 being the top.
    pub(crate) fn peek(&self, depth: u32) -> Value {
        let at = self.stack.len().checked_sub(depth as usize + 1);
        at.and_then(|at| self.stack.get(at))
            .cloned()
            .unwrap_or(Value::Unbound)
    }

    /// Goes to the handler of the innermost block; whether there is one.
    pub(crate) fn unwind(&mut self, vm: &Vm, raise: &Raise) -> bool {
        let Some(block) = self.blocks.pop() else {
            return false;
        };
        self.stack.truncate(block.stack);
        while self.handled.len() > block.handled {
            self.leave_handler(vm);
        }
        self.push(Value::Instance(raise.0.clone()));
        self.next = block.handler as usize;
        true
    }

    pub(crate) fn enter_handler(&mut self, vm: &Vm, exception: Rc<Instance>) {
        vm.handled.borrow_mut().push(exception.clone());
        self.handled.push(exception);
    }

    pub(crate) fn leave_handler(&mut self, vm: &Vm) {
        self.handled.pop();
        vm.handled.borrow_mut().pop();
    }

    /// Local variables with their values, as `locals()` shows them.
    pub(crate) fn visible(&self, vm: &Vm) -> Rc<Dict> {
        if let Some(namespace) = &self.namespace {
            return namespace.clone();
        }
        if &*self.code.name == "<module>" {
            return self.globals.clone();
        }
        if &*self.code.name == "<module>" {
            return self.globals.clone();
        }
        let dict = Dict::new();
        let linked = vm.linked(&self.code);
        for (name, value) in linked.locals.iter().zip(&self.locals) {
            if !value.is_unbound() && !name.starts_with('.') {
                dict.set_str(name, value.clone());
            }
        }
        for (name, cell) in linked.cells.iter().zip(&self.cells) {
            let value = cell.borrow().clone();
            if !value.is_unbound() {
                dict.set_str(name, value);
            }
        }
        dict
    }
}

impl Vm {
    /// The values of this code; made when they are first asked for.
    pub(crate) fn linked<'a>(&self, code: &'a Code) -> &'a Linked {
        code.linked.get_or_init(|| {
            let names = |names: &[Rc<str>]| names.iter().map(|name| self.intern(name)).collect();
            Linked {
                constants: code.constants.iter().map(|c| self.constant(c)).collect(),
                names: names(&code.names),
                cells: names(&code.cells),
                locals: names(&code.locals),
            }
        })
    }

    fn constant(&self, constant: &Constant) -> Value {
        match constant {
            Constant::None => Value::None,
            Constant::True => Value::Bool(true),
            Constant::False => Value::Bool(false),
            Constant::Ellipsis => Value::Ellipsis,
            Constant::Int(n) => Value::big(n.clone()),
            Constant::Float(x) => Value::Float(*x),
            Constant::Imaginary(x) => Value::complex(0.0, *x),
            // Short texts are often names of attributes or keys.
            Constant::Str(text) if text.len() <= 32 => Value::Str(self.intern(text)),
            Constant::Str(text) => Value::str(&**text),
            Constant::Bytes(bytes) => Value::bytes(bytes.to_vec()),
            Constant::Tuple(parts) => {
                Value::tuple(parts.iter().map(|c| self.constant(c)).collect())
            }
            Constant::Code(code) => Value::Code(code.clone()),
        }
    }

    /// Runs a frame that is no generator's to its end.
    pub(crate) fn run_frame(&self, frame: &mut Frame) -> PyResult {
        self.deeper(|| match self.run(frame)? {
            super::run::Exit::Return(value) | super::run::Exit::Yield(value) => Ok(value),
        })
    }
}
