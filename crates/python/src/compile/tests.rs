//! Programs through the compiler: the heights of the stack on all paths, scopes, constants, errors.
mod heights;

use super::{Mode, expression, module};
use crate::{
    code::{Code, Constant, Op},
    parser,
};
use heights::check_all;
use std::rc::Rc;

fn compiled(text: &str) -> Rc<Code> {
    let block = parser::parse_module(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
    module(&block, Mode::Module).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

fn complaint(text: &str) -> (String, u32) {
    let error = match parser::parse_module(text) {
        Ok(block) => module(&block, Mode::Module).err(),
        Err(error) => Some(error),
    };
    let error = error.unwrap_or_else(|| panic!("no error in {text}"));
    (error.message, error.line)
}

/// The code inside that has this name.
fn inner(code: &Code, name: &str) -> Rc<Code> {
    let codes = code.constants.iter().filter_map(|constant| match constant {
        Constant::Code(code) => Some(code),
        _ => None,
    });
    for inside in codes {
        if &*inside.name == name {
            return inside.clone();
        }
    }
    panic!("no {name} in {}", code.name)
}

/// A body for each way a statement can be left; `{}` stands where the way out is.
const AROUND: [&str; 16] = [
    "if a:\n    {}\nelse:\n    b",
    "while a:\n    {}\nelse:\n    b",
    "while True:\n    {}",
    "for a, *b in c:\n    {}\nelse:\n    d",
    "with a as b, c:\n    {}",
    "try:\n    {}\nfinally:\n    a",
    "try:\n    a\nfinally:\n    {}",
    "try:\n    {}\nexcept A as b:\n    c\nexcept:\n    d\nelse:\n    e",
    "try:\n    a\nexcept A as b:\n    {}",
    "try:\n    a\nexcept A as b:\n    c\nelse:\n    {}\nfinally:\n    d",
    "try:\n    a\nexcept:\n    {}\nfinally:\n    for x in y:\n        break",
    "try:\n    a\nexcept A:\n    b\nfinally:\n    {}",
    "match a:\n    case [1, {'k': b}] | (C(x=b), 2):\n        {}\n    case _:\n        c",
    "match a:\n    case {'x': 1, **rest} as whole if rest:\n        {}",
    "def g():\n    yield a\n    {}",
    "for a in b:\n    try:\n        {}\n    finally:\n        continue",
];

const WAYS_OUT: [&str; 8] = [
    "pass",
    "return",
    "return f(x)",
    "break",
    "continue",
    "raise",
    "raise A from b",
    "yield a",
];

fn filled(around: &str, inside: &str) -> String {
    around.replace("{}", &inside.replace('\n', "\n    "))
}

/// Deeper ones need a deeper indentation where the hole is deeper.
fn nested(around: &str, inside: &str) -> String {
    let hole = around
        .lines()
        .find(|line| line.contains("{}"))
        .unwrap_or_default();
    let indentation = format!("\n{}", " ".repeat(hole.len() - hole.trim_start().len()));
    around.replace("{}", &inside.replace('\n', &indentation))
}

#[test]
fn ways_out_of_nested_statements_keep_the_stack() {
    for outer in AROUND {
        for inner in AROUND {
            for way in WAYS_OUT {
                let body = nested(outer, &nested(inner, way));
                let text = format!(
                    "def f():\n    for q in r:\n        {}",
                    body.replace('\n', "\n        ")
                );
                let Ok(block) = parser::parse_module(&text) else {
                    panic!("no program: {text}");
                };
                // `break` in a function inside is refused.
                let Ok(code) = module(&block, Mode::Module) else {
                    continue;
                };
                check_all(&code).unwrap_or_else(|error| panic!("{error} in {text}"));
            }
        }
    }
}

const EXPRESSIONS: [&str; 30] = [
    "1",
    "-1.5, (2, 'x', (None, ...))",
    "a and b or not c",
    "a if b and (c or d) else e",
    "a < b <= c != d",
    "a in [1, 2] and b not in {1, 2}",
    "x.y.z[1:2, ::3]",
    "f(a, b)(c, d=e)(*g, h, *i, j=k, **l, m=n, **o)",
    "x.m(a, b).m(a, *b).m(a, b=c)",
    "[a, *b, c]",
    "(a, *b, c)",
    "{a, *b, c}",
    "{a: b, **c, d: e}",
    "{**a, **b}",
    "f'{a!r:>{b}} {c} text {d:x}'",
    "f''",
    "lambda a, /, b=1, *c, d, e=2, **f: (a, b, c, d, e, f)",
    "lambda: (yield)",
    "[a for a in b]",
    "[(a, b) for a in c if d if e for b in a if not b]",
    "{a for a, *b in c}",
    "{a: b for a, b in c for d in e}",
    "sum(a * b for a in c for b in d if a < b < c)",
    "[[b for b in a] for a in c]",
    "(a := b) + a",
    "[last := a for a in b]",
    "not (a and not b) if c else d < e < f",
    "a ** -b // ~c @ d",
    "x[a, *b]",
    "(a < b < c) + (d or e)",
];

#[test]
fn expressions_keep_the_stack() {
    for text in EXPRESSIONS {
        let expr =
            parser::parse_expression(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let code = expression(&expr).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        check_all(&code).unwrap_or_else(|error| panic!("{error} in {text}"));
        for frame in [
            "def f():\n    return ({})",
            "def f():\n    while ({}): g()",
            "for a in ({}):\n    assert a, ({})",
        ] {
            let text = filled(frame, text);
            check_all(&compiled(&text)).unwrap_or_else(|error| panic!("{error} in {text}"));
        }
    }
}

const STATEMENTS: [&str; 20] = [
    "a = b, c = [d, (e, *f)] = x[1] = y.z = value",
    "a += 1; b.c -= 2; d[e] *= 3",
    "del a, (b.c, [d[e]])",
    "x: int = 1; y: str; z.w: f; v[1]: g = 2; (u): h",
    "assert a < b < c, d",
    "import a, b.c, d.e as f",
    "from a import b, c as d",
    "from .a.b import c\nfrom .. import d",
    "global g\ng = 1\ndel g",
    "@a\n@b(c)\ndef f(x: int, y=1, *z: a, w: b = 2, **v: c) -> d:\n    'doc'\n    return x",
    "@a\nclass C(B, *D, metaclass=M, **E):\n    'doc'\n    x: int = 1\n    def f(self): return super().f() + __class__",
    "match a:\n    case 1 | -1 | 1.5: b\n    case 'x' | None | True: c\n    case x.y: d\n    case []: e\n    case z: f",
    "match a:\n    case [*_]: b\n    case [x, *_, y]: c\n    case [x, *y]: d\n    case [_, _]: e\n    case (x, (y, [z])): f",
    "match a:\n    case {}: b\n    case {'a': 1, x.y: z}: c\n    case {**rest}: d\n    case {1: [a, b], **rest}: e",
    "match a:\n    case C(): b\n    case C(1, x, y=2, z=D(w)): c\n    case int(n) if n > 1: d",
    "match a:\n    case ([x, 1] | [2, x] | {'k': x}) as y: b\n    case (1 as z) | (2 as z): c\n    case _: d",
    "match a, b:\n    case [x, y] if x and (y or z):\n        c",
    "def f():\n    x = yield\n    y = yield x, 1\n    z = yield from y\n    return z",
    "with (a as b, c as (d, e), f()): g",
    "raise\nraise a\nraise a from b",
];

#[test]
fn statements_keep_the_stack() {
    for text in STATEMENTS {
        check_all(&compiled(text)).unwrap_or_else(|error| panic!("{error} in {text}"));
    }
}

#[test]
fn a_program_returns_its_last_value() {
    let run = |text: &str| {
        let block = parser::parse_module(text).unwrap_or_else(|error| panic!("{error:?}"));
        let code = module(&block, Mode::Program).unwrap_or_else(|error| panic!("{error:?}"));
        check_all(&code).unwrap_or_else(|error| panic!("{error} in {text}"));
        let end = code.ops.len();
        code.ops[end.saturating_sub(2)..].to_vec()
    };
    assert_eq!(run("x = 1\nx"), [Op::LoadName(0), Op::Return]);
    assert_eq!(run("1"), [Op::Const(0), Op::Return]);
    assert_eq!(run("x; y = 2"), [Op::Const(1), Op::Return]);
}

#[test]
fn names_live_where_python_has_them() {
    let code = compiled(
        "def f(a, b):\n    c = a\n    def g():\n        nonlocal c\n        c = b\n        class K:\n            a = a\n            c = c\n            def h(self): return __class__, b\n    return g, d",
    );
    let f = inner(&code, "f");
    let cells: Vec<&str> = f.cells.iter().map(|name| &**name).collect();
    assert_eq!(cells, ["b", "c"]);
    assert_eq!(f.cell_parameters, [(0, 1)]);
    let g = inner(&f, "g");
    assert_eq!((&*g.qualname, &g.free[..]), ("f.<locals>.g", &[0, 1][..]));
    let k = inner(&g, "K");
    assert_eq!(k.class_cell, Some(0));
    assert_eq!(&*inner(&k, "h").qualname, "f.<locals>.g.<locals>.K.h");
    assert!(f.names.iter().any(|name| &**name == "d"));
}

#[test]
fn a_class_tells_its_own_class_cell_from_the_outer_one() {
    let code = compiled(
        "class A:\n    def f(self):\n        class B:\n            x = __class__\n            def g(self): super()",
    );
    let b = inner(&inner(&inner(&code, "A"), "f"), "B");
    assert_eq!(
        (b.class_cell, b.cells.len(), &b.free[..]),
        (Some(0), 2, &[0][..])
    );
    assert!(b.ops.contains(&Op::LoadClassCell(1)));
    assert_eq!(inner(&b, "g").free, [0]);
}

#[test]
fn constants_are_kept_apart() {
    let code = compiled("x = 1, 1.0, True, 0.0, -0.0, y\nz = 1, 'a', b'a', 'a', y\n");
    assert_eq!(code.constants.len(), 5 + 2 + 1);
}

#[test]
fn private_names_are_mangled() {
    let code = compiled("class _A:\n    def f(self, __x): self.__y = __x; __z__ = self.b.__c__\n");
    let f = inner(&inner(&code, "_A"), "f");
    assert_eq!(&*f.locals[1], "_A__x");
    assert_eq!(&*f.names[0], "_A__y");
}

/// Text, message, line.
const ERRORS: &[(&str, &str, u32)] = &[
    ("x\nreturn 1", "'return' outside function", 2),
    ("class C:\n    return", "'return' outside function", 2),
    ("if a:\n    break", "'break' outside loop", 2),
    (
        "for a in b:\n    def f():\n        continue",
        "'continue' not properly in loop",
        3,
    ),
    ("x = yield", "'yield' outside function", 1),
    (
        "[(yield) for x in y]",
        "'yield' inside list comprehension",
        1,
    ),
    (
        "def f():\n    nonlocal x",
        "no binding for nonlocal 'x' found",
        2,
    ),
    (
        "nonlocal x",
        "nonlocal declaration not allowed at module level",
        1,
    ),
    (
        "def f(x):\n    global x",
        "name 'x' is parameter and global",
        2,
    ),
    (
        "def f():\n    x = 1\n    global x",
        "name 'x' is assigned to before global declaration",
        3,
    ),
    (
        "def f():\n    print(x)\n    global x",
        "name 'x' is used prior to global declaration",
        3,
    ),
    (
        "def f(a, a): pass",
        "duplicate argument 'a' in function definition",
        1,
    ),
    (
        "try: pass\nexcept: pass\nexcept A: pass",
        "default 'except:' must be last",
        2,
    ),
    (
        "*a, *b = c",
        "multiple starred expressions in assignment",
        1,
    ),
    (
        "*a = c",
        "starred assignment target must be in a list or tuple",
        1,
    ),
    ("f(a=1, a=2)", "keyword argument repeated: a", 1),
    (
        "def f():\n    from a import *",
        "import * only allowed at module level",
        2,
    ),
    (
        "x = 1\nfrom __future__ import annotations",
        "from __future__ imports must occur at the beginning of the file",
        2,
    ),
    (
        "[i := 0 for i in x]",
        "assignment expression cannot rebind comprehension iteration variable 'i'",
        1,
    ),
    // A pattern has no line of its own in the tree.
    (
        "match a:\n    case x: pass\n    case 1: pass",
        "name capture 'x' makes remaining patterns unreachable",
        1,
    ),
    (
        "match a:\n    case x | 1: pass",
        "name capture 'x' makes remaining patterns unreachable",
        1,
    ),
    (
        "match a:\n    case [x] | [y]: pass",
        "alternative patterns bind different names",
        1,
    ),
    (
        "match a:\n    case [x, x]: pass",
        "multiple assignments to name 'x' in pattern",
        1,
    ),
];

#[test]
fn errors_are_those_of_cpython() {
    for (text, message, line) in ERRORS {
        let (found, at) = complaint(text);
        assert_eq!((&*found, at), (*message, *line), "{text}");
    }
}

#[test]
fn repeated_finally_bodies_are_bounded() {
    let mut text = "x = 1\n".repeat(50);
    for _ in 0..18 {
        let inside = text.replace('\n', "\n ");
        text = format!("try:\n f()\nfinally:\n {}\n", inside.trim_end());
    }
    assert_eq!(complaint(&text).0, "program too large");
}
