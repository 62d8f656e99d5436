//! What Python's names are bound to.
//!
//! Plain values (numbers, texts) stand in [`Value`] itself or behind a reference count; everything that can change has its
//! own cell. An object of a class that a program defines is an [`Instance`]; if that class descends from a builtin type, the
//! instance carries a value of it as its payload, and operations of that type work on the payload.
//!
//! Cycles are never freed: the process ends with its program.
use crate::{
    class::Class,
    code::Code,
    number::Complex,
    set_table::Set,
    table::Dict,
    text::Str,
    vm::{Frame, PyResult, Vm},
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::{
    any::Any,
    cell::{Cell, OnceCell, RefCell},
    fmt,
    rc::Rc,
};

#[derive(Clone)]
pub(crate) enum Value {
    /// No value: an empty local, cell or place. Never seen by a program.
    Unbound,
    None,
    Ellipsis,
    NotImplemented,
    Bool(bool),
    Int(i64),
    /// Never one that fits an `i64`.
    Big(Rc<BigInt>),
    Float(f64),
    Complex(Rc<Complex>),
    Str(Rc<Str>),
    Bytes(Rc<Vec<u8>>),
    ByteArray(Rc<RefCell<Vec<u8>>>),
    Tuple(Rc<Vec<Self>>),
    List(Rc<RefCell<Vec<Self>>>),
    Dict(Rc<Dict>),
    Set(Rc<Set>),
    FrozenSet(Rc<Set>),
    Range(Rc<Range>),
    Slice(Rc<Slice>),
    Function(Rc<Function>),
    Native(Rc<Native>),
    Method(Rc<Method>),
    Class(Rc<Class>),
    Instance(Rc<Instance>),
    Module(Rc<Module>),
    Iter(Rc<Iter>),
    Generator(Rc<Generator>),
    Property(Rc<Property>),
    StaticMethod(Rc<Self>),
    ClassMethod(Rc<Self>),
    GetSet(Rc<GetSet>),
    Super(Rc<Super>),
    View(Rc<View>),
    Code(Rc<Code>),
}

/// `range(start, stop, step)`, within 64 bits.
#[derive(Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    pub(crate) step: i64,
}

impl Range {
    pub(crate) fn len(&self) -> u64 {
        let (start, stop) = (i128::from(self.start), i128::from(self.stop));
        let step = i128::from(self.step);
        let steps = match step > 0 {
            true => (stop - start + step - 1) / step,
            false => (start - stop - step - 1) / -step,
        };
        u64::try_from(steps.max(0)).unwrap_or(u64::MAX)
    }

    /// The value at this place, which is below [`Self::len`].
    pub(crate) fn at(&self, index: u64) -> i64 {
        self.start
            .wrapping_add(self.step.wrapping_mul(index.cast_signed()))
    }
}

pub(crate) struct Slice {
    pub(crate) start: Value,
    pub(crate) stop: Value,
    pub(crate) step: Value,
}

/// A function that a program defined.
pub(crate) struct Function {
    pub(crate) code: Rc<Code>,
    pub(crate) globals: Rc<Dict>,
    pub(crate) name: RefCell<Rc<Str>>,
    pub(crate) qualname: RefCell<Rc<Str>>,
    pub(crate) defaults: RefCell<Rc<Vec<Value>>>,
    pub(crate) keyword_defaults: RefCell<Option<Rc<Dict>>>,
    pub(crate) closure: Vec<CellRef>,
    /// Attributes of its own: `__doc__`, `__annotations__`, `__wrapped__`, whatever is set.
    pub(crate) dict: Rc<Dict>,
}

/// A variable that functions share.
pub(crate) type CellRef = Rc<RefCell<Value>>;

/// The code of a native function. The machine is handed in; the first argument of a method is `self`.
pub(crate) type NativeCode = dyn Fn(&Vm, Args) -> PyResult;

/// A function that is written in Rust.
pub(crate) struct Native {
    pub(crate) name: Rc<str>,
    /// The builtin type whose method it is, which `self` must be an object of.
    pub(crate) owner: Option<Rc<Class>>,
    pub(crate) code: Box<NativeCode>,
    /// It asks who called it: `locals`, `eval` and the like.
    pub(crate) sees_caller: bool,
}

/// What a call passes on.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) positional: Vec<Value>,
    pub(crate) keywords: Vec<(Rc<Str>, Value)>,
}

/// A function and the object that it was taken from.
pub(crate) struct Method {
    pub(crate) function: Value,
    pub(crate) receiver: Value,
}

/// An object of a class that is no builtin value type.
pub(crate) struct Instance {
    pub(crate) class: RefCell<Rc<Class>>,
    pub(crate) dict: OnceCell<Rc<Dict>>,
    pub(crate) payload: Payload,
}

pub(crate) enum Payload {
    None,
    /// The value of the builtin type that the class descends from.
    Value(Value),
    Exception(RefCell<Exception>),
    /// State of an object whose type is written in Rust.
    Native(Box<dyn Any>),
}

#[derive(Clone)]
pub(crate) struct Exception {
    pub(crate) args: Rc<Vec<Value>>,
    pub(crate) cause: Value,
    pub(crate) context: Value,
    pub(crate) suppress_context: bool,
}

pub(crate) struct Module {
    pub(crate) name: Rc<Str>,
    pub(crate) dict: Rc<Dict>,
}

/// An iterator that is written in Rust.
pub(crate) struct Iter {
    /// The name of its type: `list_iterator`, `zip`.
    pub(crate) name: &'static str,
    pub(crate) state: RefCell<IterState>,
}

/// What a native iterator does for its next value.
pub(crate) type Next = dyn FnMut(&Vm) -> PyResult<Option<Value>>;

pub(crate) enum IterState {
    Range {
        next: i64,
        left: u64,
        step: i64,
    },
    List {
        list: Rc<RefCell<Vec<Value>>>,
        index: usize,
    },
    Tuple {
        tuple: Rc<Vec<Value>>,
        index: usize,
    },
    /// `itertools.count`.
    Count {
        next: Value,
        step: Value,
    },
    /// `itertools.repeat`, without end if it is not said how often.
    Repeat {
        value: Value,
        left: Option<i64>,
    },
    Native(Box<Next>),
    Done,
}

pub(crate) struct Generator {
    pub(crate) name: Rc<Str>,
    pub(crate) qualname: Rc<Str>,
    /// `None` while it runs and when it has ended.
    pub(crate) frame: RefCell<Option<Box<Frame>>>,
    pub(crate) running: Cell<bool>,
    pub(crate) started: Cell<bool>,
}

#[derive(Clone)]
pub(crate) struct Property {
    pub(crate) get: Value,
    pub(crate) set: Value,
    pub(crate) delete: Value,
    pub(crate) doc: Value,
}

/// Sets an attribute of an object.
pub(crate) type SetAttribute = fn(&Vm, &Value, Value) -> PyResult<()>;

/// An attribute of a builtin type that is computed.
pub(crate) struct GetSet {
    pub(crate) name: &'static str,
    pub(crate) get: fn(&Vm, &Value) -> PyResult,
    pub(crate) set: Option<SetAttribute>,
}

/// `super()`: attributes of `receiver`, looked up behind `class` in the order of its own classes.
pub(crate) struct Super {
    pub(crate) class: Rc<Class>,
    pub(crate) receiver: Value,
    pub(crate) receiver_class: Rc<Class>,
}

/// What `dict.keys()`, `values()`, `items()` give.
pub(crate) struct View {
    pub(crate) kind: ViewKind,
    /// Of an `OrderedDict`, which shows.
    pub(crate) ordered: bool,
    pub(crate) dict: Rc<Dict>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewKind {
    Keys,
    Values,
    Items,
}

impl Value {
    pub(crate) fn is_unbound(&self) -> bool {
        matches!(self, Self::Unbound)
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    pub(crate) fn str(text: impl Into<Box<str>>) -> Self {
        Self::Str(Str::new(text))
    }

    pub(crate) fn tuple(values: Vec<Self>) -> Self {
        Self::Tuple(Rc::new(values))
    }

    pub(crate) fn list(values: Vec<Self>) -> Self {
        Self::List(Rc::new(RefCell::new(values)))
    }

    pub(crate) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes(Rc::new(bytes))
    }

    pub(crate) fn complex(real: f64, imaginary: f64) -> Self {
        Self::Complex(Rc::new(Complex::new(real, imaginary)))
    }

    pub(crate) fn big(n: BigInt) -> Self {
        match n.to_i64() {
            Some(small) => Self::Int(small),
            None => Self::Big(Rc::new(n)),
        }
    }

    pub(crate) fn size(n: usize) -> Self {
        Self::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }

    pub(crate) fn u64(n: u64) -> Self {
        i64::try_from(n).map_or_else(|_| Self::Big(Rc::new(n.into())), Self::Int)
    }

    /// A native iterator of this type.
    pub(crate) fn iter(
        name: &'static str,
        next: impl FnMut(&Vm) -> PyResult<Option<Self>> + 'static,
    ) -> Self {
        let state = RefCell::new(IterState::Native(Box::new(next)));
        Self::Iter(Rc::new(Iter { name, state }))
    }

    /// A function of a module or a closure, which is no method.
    pub(crate) fn native(name: &str, code: impl Fn(&Vm, Args) -> PyResult + 'static) -> Self {
        Self::boxed_native(name, Box::new(code))
    }

    fn boxed_native(name: &str, code: Box<NativeCode>) -> Self {
        Self::Native(Rc::new(Native {
            name: name.into(),
            owner: None,
            code,
            sees_caller: false,
        }))
    }

    /// The value itself, or that which an object of a descendant of a builtin type carries.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Instance(instance) => match &instance.payload {
                Payload::Value(value) => value,
                _ => self,
            },
            _ => self,
        }
    }

    /// Whether both are the same object. Numbers and texts of the same value are, as small ones are in CPython.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unbound, Self::Unbound)
            | (Self::None, Self::None)
            | (Self::Ellipsis, Self::Ellipsis)
            | (Self::NotImplemented, Self::NotImplemented) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Big(a), Self::Big(b)) => Rc::ptr_eq(a, b),
            (Self::Complex(a), Self::Complex(b)) => Rc::ptr_eq(a, b),
            (Self::Str(a), Self::Str(b)) => Rc::ptr_eq(a, b) || **a == **b,
            (Self::Bytes(a), Self::Bytes(b)) => Rc::ptr_eq(a, b),
            (Self::ByteArray(a), Self::ByteArray(b)) => Rc::ptr_eq(a, b),
            (Self::Tuple(a), Self::Tuple(b)) => Rc::ptr_eq(a, b) || (a.is_empty() && b.is_empty()),
            (Self::List(a), Self::List(b)) => Rc::ptr_eq(a, b),
            (Self::Dict(a), Self::Dict(b)) => Rc::ptr_eq(a, b),
            (Self::Set(a), Self::Set(b)) | (Self::FrozenSet(a), Self::FrozenSet(b)) => {
                Rc::ptr_eq(a, b)
            }
            (Self::Range(a), Self::Range(b)) => Rc::ptr_eq(a, b),
            (Self::Slice(a), Self::Slice(b)) => Rc::ptr_eq(a, b),
            (Self::Class(a), Self::Class(b)) => Rc::ptr_eq(a, b),
            (Self::Instance(a), Self::Instance(b)) => Rc::ptr_eq(a, b),
            _ => self.is_code(other),
        }
    }

    fn is_code(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Function(a), Self::Function(b)) => Rc::ptr_eq(a, b),
            (Self::Native(a), Self::Native(b)) => Rc::ptr_eq(a, b),
            (Self::Method(a), Self::Method(b)) => Rc::ptr_eq(a, b),
            (Self::Module(a), Self::Module(b)) => Rc::ptr_eq(a, b),
            (Self::Iter(a), Self::Iter(b)) => Rc::ptr_eq(a, b),
            (Self::Generator(a), Self::Generator(b)) => Rc::ptr_eq(a, b),
            (Self::Property(a), Self::Property(b)) => Rc::ptr_eq(a, b),
            (Self::StaticMethod(a), Self::StaticMethod(b))
            | (Self::ClassMethod(a), Self::ClassMethod(b)) => Rc::ptr_eq(a, b),
            (Self::GetSet(a), Self::GetSet(b)) => Rc::ptr_eq(a, b),
            (Self::Super(a), Self::Super(b)) => Rc::ptr_eq(a, b),
            (Self::View(a), Self::View(b)) => Rc::ptr_eq(a, b),
            (Self::Code(a), Self::Code(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// A number for `id`: of values without an address one made of the value.
    pub(crate) fn address(&self) -> usize {
        fn of<T: ?Sized>(rc: &Rc<T>) -> usize {
            Rc::as_ptr(rc).cast::<u8>().addr()
        }
        match self {
            Self::Unbound => 0,
            Self::None => 16,
            Self::Ellipsis => 32,
            Self::NotImplemented => 48,
            Self::Bool(b) => 64 + 16 * usize::from(*b),
            Self::Int(n) => (n.cast_unsigned() as usize) << 5 | 16,
            Self::Float(x) => (x.to_bits() as usize) | 1,
            Self::Big(x) => of(x),
            Self::Complex(x) => of(x),
            Self::Str(x) => of(x),
            Self::Bytes(x) => of(x),
            Self::ByteArray(x) => of(x),
            Self::Tuple(x) => of(x),
            Self::List(x) => of(x),
            Self::Dict(x) => of(x),
            Self::Set(x) | Self::FrozenSet(x) => of(x),
            Self::Range(x) => of(x),
            Self::Slice(x) => of(x),
            Self::Function(x) => of(x),
            Self::Native(x) => of(x),
            Self::Method(x) => of(x),
            Self::Class(x) => of(x),
            Self::Instance(x) => of(x),
            Self::Module(x) => of(x),
            Self::Iter(x) => of(x),
            Self::Generator(x) => of(x),
            Self::Property(x) => of(x),
            Self::StaticMethod(x) | Self::ClassMethod(x) => of(x),
            Self::GetSet(x) => of(x),
            Self::Super(x) => of(x),
            Self::View(x) => of(x),
            Self::Code(x) => of(x),
        }
    }
}

impl Instance {
    pub(crate) fn new(class: Rc<Class>, payload: Payload) -> Rc<Self> {
        Rc::new(Self {
            class: RefCell::new(class),
            dict: OnceCell::new(),
            payload,
        })
    }

    pub(crate) fn class(&self) -> Rc<Class> {
        self.class.borrow().clone()
    }

    /// Its own attributes.
    pub(crate) fn dict(&self) -> &Rc<Dict> {
        self.dict.get_or_init(Dict::new)
    }

    pub(crate) fn own(&self, name: &Rc<Str>) -> Option<Value> {
        self.dict.get()?.get_str(name)
    }

    pub(crate) fn exception(&self) -> Option<&RefCell<Exception>> {
        match &self.payload {
            Payload::Exception(exception) => Some(exception),
            _ => None,
        }
    }

    /// The state of an object whose type is written in Rust.
    pub(crate) fn native<T: 'static>(&self) -> Option<&T> {
        match &self.payload {
            Payload::Native(state) => state.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Str(text) => write!(f, "{text:?}"),
            other => write!(f, "value at {:x}", other.address()),
        }
    }
}
