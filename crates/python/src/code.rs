//! What the compiler makes of a program and the machine runs: instructions for a stack machine.
//!
//! Below, `a b → c` means: takes `b` (on top) and `a` from the stack and pushes `c`. Jump targets are indices into
//! [`Code::ops`]. Constants are held without the machine's values; it makes those once for each code (`Code::linked`).
//!
//! Exceptions: [`Op::SetupTry`] pushes a block with its handler and the present heights of the value stack and of the stack
//! of handled exceptions. An exception cuts both back to these heights, drops the block, pushes the exception and goes on
//! at the handler. `return`, `break` and `continue` leave blocks by instructions that the compiler places: it repeats the
//! body of a `finally` on each way out.
use crate::ast::{BinOp, CompareOp, UnaryOp};
use num_bigint::BigInt;
use std::{cell::OnceCell, rc::Rc};

/// A module, a function, a class body, a comprehension or a lambda.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// `<module>`, `<lambda>`, `<listcomp>`, or the name of the function or class.
    pub(crate) name: Rc<str>,
    /// With what it stands in: `Outer.method`, `f.<locals>.g`.
    pub(crate) qualname: Rc<str>,
    pub(crate) ops: Vec<Op>,
    /// The line of each instruction.
    pub(crate) lines: Vec<u32>,
    pub(crate) constants: Vec<Constant>,
    /// Names of globals, attributes, modules.
    pub(crate) names: Vec<Rc<str>>,
    /// Locals of a function. First its parameters: positional, keyword only, `*args`, `**kwargs`.
    pub(crate) locals: Vec<Rc<str>>,
    /// Variables shared with functions inside: its own ones first, then those of the functions around it.
    pub(crate) cells: Vec<Rc<str>>,
    /// For each of the last of `cells`: which of the cells of the code around it that is.
    pub(crate) free: Vec<u32>,
    /// Cells that begin with the value of a parameter: (cell, local).
    pub(crate) cell_parameters: Vec<(u32, u32)>,
    pub(crate) positional: u32,
    pub(crate) positional_only: u32,
    pub(crate) keyword_only: u32,
    pub(crate) star: bool,
    pub(crate) double_star: bool,
    pub(crate) is_generator: bool,
    /// Of a class body: the cell `__class__`, if a method needs it. It is one of its own cells.
    pub(crate) class_cell: Option<u32>,
    pub(crate) doc: Option<Rc<str>>,
    /// The machine's own values of `constants` and `names`.
    pub(crate) linked: OnceCell<crate::vm::Linked>,
}

#[derive(Clone, Debug)]
pub(crate) enum Constant {
    None,
    True,
    False,
    Ellipsis,
    Int(BigInt),
    Float(f64),
    Imaginary(f64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Vec<Self>),
    Code(Rc<Code>),
}

/// One instruction: eight bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// → `constants[i]`
    Const(u32),
    /// a →
    Pop,
    /// a → a a
    Dup,
    /// a b → a b a b
    Dup2,
    /// a b → b a
    Rot2,
    /// a b c → c a b
    Rot3,

    /// A local of a function; unbound is an `UnboundLocalError`.
    LoadLocal(u32),
    StoreLocal(u32),
    DeleteLocal(u32),
    /// The value in a cell.
    LoadCell(u32),
    StoreCell(u32),
    DeleteCell(u32),
    /// In a class body: the name of this cell in the namespace, else the value in the cell.
    LoadClassCell(u32),
    /// Global, else builtin.
    LoadGlobal(u32),
    StoreGlobal(u32),
    DeleteGlobal(u32),
    /// In modules, class bodies and `exec`: the namespace, else global, else builtin.
    LoadName(u32),
    StoreName(u32),
    DeleteName(u32),

    /// object → value
    LoadAttribute(u32),
    /// value object →
    StoreAttribute(u32),
    /// object →
    DeleteAttribute(u32),
    /// object → function self. For [`Op::CallMethod`] only.
    LoadMethod(u32),
    /// object index → value
    LoadIndex,
    /// value object index →
    StoreIndex,
    /// object index →
    DeleteIndex,
    /// lower upper step → slice; `None` where there is none
    BuildSlice,

    /// a b → c
    Binary(BinOp),
    /// a b → c, where a list and the like changes itself.
    InPlace(BinOp),
    /// a → b
    Unary(UnaryOp),
    /// a b → bool, or whatever the operator's method gives
    Compare(CompareOp),

    Jump(u32),
    /// a →
    JumpIfFalse(u32),
    /// a →
    JumpIfTrue(u32),
    /// a → a if it jumps, else a →
    JumpIfFalseKeep(u32),
    /// a → a if it jumps, else a →
    JumpIfTrueKeep(u32),

    /// iterable → iterator
    GetIter,
    /// iterator → iterator value; at its end it is popped, and the jump made
    ForIter(u32),
    /// iterable → c b a, so many values, the first on top
    Unpack(u32),
    /// The same with a list between: so many before it, so many after.
    UnpackStar {
        before: u16,
        after: u16,
    },

    BuildList(u32),
    BuildTuple(u32),
    BuildSet(u32),
    /// key value key value → dict; so many pairs
    BuildDict(u32),
    /// Texts → text
    BuildString(u32),
    /// value →; the list is this deep below the value (1: just below)
    ListAppend(u32),
    SetAdd(u32),
    /// key value →; the dict is this deep below the key
    DictAdd(u32),
    /// list iterable → list
    ListExtend,
    /// set iterable → set
    SetUpdate,
    /// dict mapping → dict
    DictUpdate,
    /// The same for the arguments of a call: a key that is there already, or that is no text, is a `TypeError`.
    DictMerge,
    /// list → tuple
    ListToTuple,
    /// value → text, or value spec → text. Conversion: 0, `r`, `s`, `a`.
    Format {
        conversion: u8,
        has_spec: bool,
    },

    /// function arguments → result
    Call(u32),
    /// function self arguments → result; so many arguments without self
    CallMethod(u32),
    /// function arguments names → result. `names` is a tuple of the last arguments' names; so many arguments in all.
    CallKeywords(u32),
    /// function list dict → result
    CallSpread,

    /// → function. Below it, as the flags say, in this order: tuple of defaults, dict of keyword-only defaults, dict of
    /// annotations. `code` is a constant.
    MakeFunction {
        code: u32,
        flags: u8,
    },
    /// list-of-bases dict-of-keywords → class. The constant is the code of its body, named as the class.
    BuildClass(u32),

    /// value →, and out of the frame
    Return,
    /// value → what is sent
    Yield,
    /// iterator sent → result, when the iterator ends; until then it yields and comes back to itself
    YieldFrom,
    /// iterable → iterator; a generator as it is
    GetYieldFromIter,

    /// The handler of the block begins here.
    SetupTry(u32),
    PopBlock,
    /// exception →; it is the one that is handled now.
    EnterHandler,
    /// The one that is handled now is done with.
    LeaveHandler,
    /// → exception, the one that is handled now
    LoadHandled,
    /// exception class → bool
    ExceptionMatches,
    /// Raises what is handled now once more, as it is.
    Reraise,
    /// With 0: what is handled now. 1: exception →. 2: exception cause →.
    Raise(u32),
    /// → the class `AssertionError`, whatever the name means
    LoadAssertionError,
    /// manager → exit entered, and a block with this handler whose height is that with `exit`
    SetupWith(u32),
    /// exit →; called without an exception
    ExitWith,
    /// exit → bool; called with what is handled now, true if that is to be swallowed
    ExitWithException,

    /// → module. Of a dotted name the first part.
    Import(u32),
    /// → module. Of a dotted name the last part.
    ImportLeaf(u32),
    /// module → module value
    ImportFrom(u32),
    /// module →; all its public names into the namespace
    ImportStar,

    /// value →; into `__annotations__` of the namespace, which is made if need be
    StoreAnnotation(u32),

    /// subject → subject bool: a sequence (no text) of exactly so many
    MatchSequence(u32),
    /// subject → subject bool: a sequence of at least so many
    MatchSequenceMin(u32),
    /// subject → subject bool
    MatchMapping,
    /// subject key → subject value bool
    MatchKey,
    /// subject keys-tuple → subject dict, of what is left
    MatchRest,
    /// subject class names-tuple → subject values-tuple bool. So many positional ones first, by `__match_args__`, then names.
    MatchClass(u32),
}

/// Flags of [`Op::MakeFunction`].
pub(crate) const DEFAULTS: u8 = 1;
pub(crate) const KEYWORD_DEFAULTS: u8 = 2;
pub(crate) const ANNOTATIONS: u8 = 4;
