//! The syntax tree of a Python program: what the parser makes and the compiler reads.
//!
//! Every expression and statement knows the line it begins on (counted from 1), for error messages. Names are `Rc<str>`,
//! so that the compiler shares them. Depth is bounded by the parser (`parser::DEPTH`), so that walking a tree recursively
//! cannot overflow the stack.
//!
//! Left out on purpose: comments, columns, type parameters, `async`; annotations of locals are parsed and dropped.
use num_bigint::BigInt;
use std::rc::Rc;

pub(crate) type Name = Rc<str>;
pub(crate) type Block = Vec<Stmt>;

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    /// `a = b = value`.
    Assign {
        targets: Vec<Expr>,
        value: Expr,
    },
    AugAssign {
        target: Expr,
        op: BinOp,
        value: Expr,
    },
    /// `target: annotation = value`; without parentheses around a name if `simple`.
    AnnAssign {
        target: Expr,
        annotation: Expr,
        value: Option<Expr>,
        simple: bool,
    },
    Delete(Vec<Expr>),
    Return(Option<Expr>),
    Raise {
        exception: Option<Expr>,
        cause: Option<Expr>,
    },
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    Global(Vec<Name>),
    Nonlocal(Vec<Name>),
    Pass,
    Break,
    Continue,
    /// `import a.b as c, d`.
    Import(Vec<Alias>),
    /// `from ..a.b import c as d`; `module` is empty in `from . import c`. A star is one alias named `*`.
    ImportFrom {
        module: Name,
        level: u32,
        names: Vec<Alias>,
    },
    /// `elif` is an `If` alone in `orelse`.
    If {
        test: Expr,
        body: Block,
        orelse: Block,
    },
    While {
        test: Expr,
        body: Block,
        orelse: Block,
    },
    For {
        target: Expr,
        iter: Expr,
        body: Block,
        orelse: Block,
    },
    With {
        items: Vec<WithItem>,
        body: Block,
    },
    Try {
        body: Block,
        handlers: Vec<Handler>,
        orelse: Block,
        finally: Block,
    },
    FunctionDef(Rc<FunctionDef>),
    ClassDef(Rc<ClassDef>),
    Match {
        subject: Expr,
        cases: Vec<Case>,
    },
}

#[derive(Debug)]
pub(crate) struct Alias {
    /// Dotted.
    pub(crate) name: Name,
    pub(crate) rename: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct WithItem {
    pub(crate) context: Expr,
    pub(crate) target: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) line: u32,
    /// `None` is a bare `except:`.
    pub(crate) class: Option<Expr>,
    pub(crate) name: Option<Name>,
    pub(crate) body: Block,
}

#[derive(Debug)]
pub(crate) struct FunctionDef {
    pub(crate) name: Name,
    pub(crate) parameters: Parameters,
    pub(crate) body: Block,
    pub(crate) decorators: Vec<Expr>,
    pub(crate) returns: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct ClassDef {
    pub(crate) name: Name,
    /// Bases and keywords (`metaclass=`), as in a call.
    pub(crate) arguments: Vec<Argument>,
    pub(crate) body: Block,
    pub(crate) decorators: Vec<Expr>,
}

/// Parameters of a function or lambda.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    /// Positional ones, those that are positional only first.
    pub(crate) positional: Vec<Parameter>,
    /// How many of `positional` stand before `/`.
    pub(crate) positional_only: usize,
    pub(crate) star: Option<Parameter>,
    /// Those after `*` or `*args`.
    pub(crate) keyword_only: Vec<Parameter>,
    pub(crate) double_star: Option<Parameter>,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) default: Option<Expr>,
    pub(crate) annotation: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Block,
}

#[derive(Debug)]
pub(crate) enum Pattern {
    /// Compared with `==`: a number, a string, a dotted name.
    Value(Expr),
    /// Compared with `is`: `None`, `True`, `False`.
    Singleton(Expr),
    /// `[a, *rest]`, `(a, b)`.
    Sequence(Vec<Self>),
    /// `*rest` or `*_` (`None`), inside a sequence.
    Star(Option<Name>),
    /// `{"a": x, **rest}`.
    Mapping {
        entries: Vec<(Expr, Self)>,
        rest: Option<Name>,
    },
    /// `Point(x, y=0)`.
    Class {
        class: Expr,
        positional: Vec<Self>,
        keywords: Vec<(Name, Self)>,
    },
    /// `pattern as name`, a bare name (no pattern), or `_` (neither).
    As {
        pattern: Option<Box<Self>>,
        name: Option<Name>,
    },
    Or(Vec<Self>),
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) line: u32,
    pub(crate) kind: ExprKind,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    None,
    True,
    False,
    Ellipsis,
    Int(BigInt),
    Float(f64),
    /// The imaginary part.
    Imaginary(f64),
    /// Neighbouring literals are joined already.
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    /// An f-string: texts and values in turns, joined with its neighbours.
    Joined(Vec<Piece>),
    Name(Name),
    Attribute {
        value: Box<Expr>,
        name: Name,
    },
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    /// `a:b:c` inside a subscript.
    Slice {
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    Call {
        function: Box<Expr>,
        arguments: Vec<Argument>,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        left: Box<Expr>,
        op: BinOp,
        right: Box<Expr>,
    },
    /// `a and b and c`.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// `left < b <= c`: one comparison for each operator.
    Compare {
        left: Box<Expr>,
        rest: Vec<(CompareOp, Expr)>,
    },
    IfElse {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    Lambda(Rc<Lambda>),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Set(Vec<Expr>),
    /// Without a key: `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    ListComp(Rc<Comprehension>),
    SetComp(Rc<Comprehension>),
    /// `element` is the value, `key` the key.
    DictComp(Rc<Comprehension>),
    Generator(Rc<Comprehension>),
    /// `*value` in a display, a call's arguments, a subscript or a target.
    Starred(Box<Expr>),
    Yield(Option<Box<Expr>>),
    YieldFrom(Box<Expr>),
    /// `name := value`.
    Walrus {
        name: Name,
        value: Box<Expr>,
    },
}

/// A piece of an f-string.
#[derive(Debug)]
pub(crate) enum Piece {
    Text(Rc<str>),
    Value {
        value: Expr,
        /// `r`, `s` or `a` behind `!`.
        conversion: Option<char>,
        /// What stands behind `:`, itself an f-string.
        spec: Vec<Self>,
    },
}

#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) parameters: Parameters,
    pub(crate) body: Expr,
}

#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) key: Option<Expr>,
    pub(crate) element: Expr,
    pub(crate) clauses: Vec<Clause>,
}

/// `for target in iter if condition`.
#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) target: Expr,
    pub(crate) iter: Expr,
    pub(crate) conditions: Vec<Expr>,
}

#[derive(Debug)]
pub(crate) enum Argument {
    Positional(Expr),
    Star(Expr),
    Keyword(Name, Expr),
    DoubleStar(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    Invert,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinOp {
    Add,
    Sub,
    Mul,
    MatMul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    LeftShift,
    RightShift,
    BitOr,
    BitXor,
    BitAnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompareOp {
    Eq,
    NotEq,
    Lt,
    LtE,
    Gt,
    GtE,
    Is,
    IsNot,
    In,
    NotIn,
}
