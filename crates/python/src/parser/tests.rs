//! Tables of small programs and what the parser makes of them: trees, complaints (as CPython 3.11 words them), bounds.
use super::{BLOCKS, DEPTH, HEIGHT, SyntaxError, parse_expression, parse_module};
use crate::ast::{Expr, ExprKind, Piece, StmtKind};

/// An expression with all its brackets, in words that are short to compare.
fn shape(expression: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(shape).collect::<Vec<_>>().join(" ");
    match &expression.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Imaginary(value) => format!("{value:?}j"),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Bytes(bytes) => format!("{bytes:?}"),
        ExprKind::Joined(pieces) => format!("(f{})", pieces.iter().map(piece).collect::<String>()),
        ExprKind::Attribute { value, name } => format!("{}.{name}", shape(value)),
        ExprKind::Subscript { value, index } => format!("(at {} {})", shape(value), shape(index)),
        ExprKind::Call {
            function,
            arguments,
        } => format!("(call {} {})", shape(function), arguments.len()),
        ExprKind::Unary { op, operand } => format!("({op:?} {})", shape(operand)),
        ExprKind::Binary { left, op, right } => {
            format!("({op:?} {} {})", shape(left), shape(right))
        }
        ExprKind::And(items) => format!("(and {})", list(items)),
        ExprKind::Or(items) => format!("(or {})", list(items)),
        ExprKind::Compare { left, rest } => rest.iter().fold(shape(left), |all, (op, right)| {
            format!("{all} {op:?} {}", shape(right))
        }),
        ExprKind::IfElse { test, body, orelse } => {
            format!("(if {} {} {})", shape(test), shape(body), shape(orelse))
        }
        ExprKind::List(items) => format!("[{}]", list(items)),
        ExprKind::Tuple(items) => format!("({})", list(items)),
        ExprKind::Starred(value) => format!("*{}", shape(value)),
        ExprKind::Walrus { name, value } => format!("({name}:={})", shape(value)),
        ExprKind::Lambda(lambda) => format!("(lambda {})", shape(&lambda.body)),
        kind => super::complaints::described(kind).to_owned(),
    }
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) => format!(" {text:?}"),
        Piece::Value {
            value,
            conversion,
            spec,
        } => {
            let spec: String = spec.iter().map(self::piece).collect();
            let conversion = conversion.map_or_else(String::new, |letter| format!("!{letter}"));
            format!(" {{{}{conversion}:{spec}}}", shape(value))
        }
    }
}

fn complaint(error: &SyntaxError) -> String {
    let SyntaxError {
        message,
        line,
        class,
    } = error;
    format!("{line} {class}: {message}")
}

/// What is wrong with a program.
fn refusal(program: &str) -> String {
    parse_module(program).map_or_else(|error| complaint(&error), |_| "accepted".to_owned())
}

#[test]
fn expressions_group_as_in_python() {
    let table = [
        ("a + b * c - d", "(Sub (Add a (Mul b c)) d)"),
        ("-a ** -b ** c", "(Minus (Pow a (Minus (Pow b c))))"),
        ("not a in b and c or d", "(or (and (Not a In b) c) d)"),
        ("a < b is not c not in d", "a Lt b IsNot c NotIn d"),
        (
            "a | b ^ c & d << 1",
            "(BitOr a (BitXor b (BitAnd c (LeftShift d 1))))",
        ),
        ("a if b else c if d else e", "(if b a (if d c e))"),
        (
            "lambda x: x if y else lambda: z",
            "(lambda (if y x (lambda z)))",
        ),
        ("a.b[c](d, *e, f=g).h", "(call (at a.b c) 3).h"),
        ("a[b, *c]", "(at a (b *c))"),
        ("(a := 1), ()", "((a:=1) ())"),
        ("[*a, b]", "[*a b]"),
        (
            "0x_ff + 0b11 + 0o17 + 1_000",
            "(Add (Add (Add 255 3) 15) 1000)",
        ),
        ("1_0.5e1, .5, 1., 2j", "(105.0 0.5 1.0 2.0j)"),
        (
            "match + case + _ + type",
            "(Add (Add (Add match case) _) type)",
        ),
    ];
    for (text, expected) in table {
        let shaped =
            parse_expression(text).map_or_else(|error| complaint(&error), |tree| shape(&tree));
        assert_eq!(shaped, expected, "{text}");
    }
}

#[test]
fn literals_are_read_and_joined() {
    let table = [
        (r#""a" 'b' """c""""#, r#""abc""#),
        (r"'\x41\u00e9\101\n\d\N{BULLET}'", r#""AéA\n\\d•""#),
        (r"r'\n' u'x'", r#""\\nx""#),
        (r"b'\x00\101' rb'\n'", "[0, 65, 92, 110]"),
        ("f'{a}'", "(f {a:})"),
        ("f'{{{a!r:>{b}}}}' 'c'", r#"(f "{" {a!r: ">" {b:}} "}c")"#),
        ("f'{a = }'", r#"(f "a = " {a!r:})"#),
        ("f'{a=:.2f}'", r#"(f "a=" {a: ".2f"})"#),
        (r#"f'{a["b"]}'"#, r#"(f {(at a "b"):})"#),
        ("f'{a != b}{(lambda: 1)}'", "(f {a NotEq b:} {(lambda 1):})"),
        ("'a' f''", r#"(f "a")"#),
    ];
    for (text, expected) in table {
        let shaped =
            parse_expression(text).map_or_else(|error| complaint(&error), |tree| shape(&tree));
        assert_eq!(shaped, expected, "{text}");
    }
}

#[test]
fn programs_are_accepted() {
    let table = [
        "",
        "\u{feff}x = 1\r\ny = 2\r\n",
        "if a:\n\tb\n\n# c\nelif d: e; f;\nelse:\n  g\n",
        "for a, *b in c, d: pass\nelse: pass",
        "while a := b: break",
        "with (a as b, c): pass\nwith (a, b) as c: pass\nwith (yield): pass",
        "try: a\nexcept (B, C) as d: e\nelse: f\nfinally: g",
        "@a.b(c)\n@d\ndef f(a, /, b=1, *c: int, d, e=2, **g) -> h: return *i, j",
        "class A(B, metaclass=C): x: int = 1",
        "match a:\n case [1, *_] | {'b': c, **d} | E(f, g=-1+2j) as h if i: pass\n case _: pass",
        "match(a)\nmatch = case = _ = type = 1\nmatch[0]: int",
        "import a.b as c, d\nfrom ..e import (f as g, h,)\nfrom . import *",
        "def f():\n global a, b\n x = yield\n y = yield from z",
        "a = *b, c = d\n(e), [f, *g] = h\ni.j += k\ndel (l, m), n[o]",
        "x = (1,\n  # c\n  2) \\\n + 3",
        "print >>a, b",
        "x = 1if y else 2",
        "{(a := b): c for d in e}\nf[(g := h):i, j := k]",
    ];
    for program in table {
        assert_eq!(refusal(program), "accepted", "{program}");
    }
}

#[test]
fn lines_are_those_of_the_beginning() {
    let module = parse_module("\n@a\ndef f(): pass\n\nx = '''\n''' + (\n  y)\n");
    let module = module.expect("a valid program");
    let lines: Vec<u32> = module.iter().map(|statement| statement.line).collect();
    assert_eq!(lines, [3, 5]);
    let Some(StmtKind::Assign { value, .. }) = module.last().map(|last| &last.kind) else {
        panic!("an assignment");
    };
    let ExprKind::Binary { right, .. } = &value.kind else {
        panic!("a sum");
    };
    assert_eq!(right.line, 7);
}

#[test]
fn complaints_about_structure_are_those_of_python() {
    let table = [
        ("a b", "1 SyntaxError: invalid syntax"),
        ("if a\n b", "1 SyntaxError: expected ':'"),
        ("def f() pass", "1 SyntaxError: expected ':'"),
        ("def f: pass", "1 SyntaxError: expected '('"),
        (
            "if a:\nb",
            "2 IndentationError: expected an indented block after 'if' statement on line 1",
        ),
        (
            "\ndef f():\n",
            "2 IndentationError: expected an indented block after function definition on line 2",
        ),
        ("a\n  b", "2 IndentationError: unexpected indent"),
        (
            "if a:\n  b\n c",
            "3 IndentationError: unindent does not match any outer indentation level",
        ),
        (
            "if a:\n\tb\n        c",
            "3 TabError: inconsistent use of tabs and spaces in indentation",
        ),
        (
            "try:\n a\nb",
            "3 SyntaxError: expected 'except' or 'finally' block",
        ),
        ("x = (1,\ny = 2", "1 SyntaxError: '(' was never closed"),
        (
            "f(]",
            "1 SyntaxError: closing parenthesis ']' does not match opening parenthesis '('",
        ),
        (
            "(\n]",
            "2 SyntaxError: closing parenthesis ']' does not match opening parenthesis '(' on line 1",
        ),
        ("a)", "1 SyntaxError: unmatched ')'"),
        (
            "a b\n'c",
            "2 SyntaxError: unterminated string literal (detected at line 2)",
        ),
        (
            "'''a\n",
            "1 SyntaxError: unterminated triple-quoted string literal (detected at line 1)",
        ),
        (
            "a \\ b",
            "1 SyntaxError: unexpected character after line continuation character",
        ),
        ("x = 5€", "1 SyntaxError: invalid character '€' (U+20AC)"),
        (
            "x\u{a0}= 1",
            "1 SyntaxError: invalid non-printable character U+00A0",
        ),
        (
            "01",
            "1 SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
        ),
        ("1_", "1 SyntaxError: invalid decimal literal"),
        ("0b2", "1 SyntaxError: invalid digit '2' in binary literal"),
        (
            "a\0",
            "1 SyntaxError: source code string cannot contain null bytes",
        ),
        (
            "async def f(): pass",
            "1 SyntaxError: asynchronous code is not supported",
        ),
    ];
    for (program, expected) in table {
        assert_eq!(refusal(program), expected, "{program}");
    }
}

#[test]
fn complaints_about_expressions_are_those_of_python() {
    let table = [
        (
            "print 'x'",
            "Missing parentheses in call to 'print'. Did you mean print(...)?",
        ),
        ("f(a b)", "invalid syntax. Perhaps you forgot a comma?"),
        ("a if b", "expected 'else' after 'if' expression"),
        (
            "1 = x",
            "cannot assign to literal here. Maybe you meant '==' instead of '='?",
        ),
        (
            "f() = 1",
            "cannot assign to function call here. Maybe you meant '==' instead of '='?",
        ),
        ("(a, f()) = 1", "cannot assign to function call"),
        (
            "if x = 1: pass",
            "invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
        ),
        (
            "f() += 1",
            "'function call' is an illegal expression for augmented assignment",
        ),
        (
            "a, b: int",
            "only single target (not tuple) can be annotated",
        ),
        ("None = 1", "cannot assign to None"),
        ("for f() in x: pass", "cannot assign to function call"),
        ("del a + b", "cannot delete expression"),
        (
            "(a.b := 1)",
            "cannot use assignment expressions with attribute",
        ),
        ("f(a=1, 2)", "positional argument follows keyword argument"),
        (
            "f(**a, *b)",
            "iterable argument unpacking follows keyword argument unpacking",
        ),
        (
            "f(a for a in b, 1)",
            "Generator expression must be parenthesized",
        ),
        (
            "f(a.b=1)",
            "expression cannot contain assignment, perhaps you meant \"==\"?",
        ),
        (
            "def f(a=1, b): pass",
            "non-default argument follows default argument",
        ),
        ("def f(*): pass", "named arguments must follow bare *"),
        (
            "[a, b for a in c]",
            "did you forget parentheses around the comprehension target?",
        ),
        ("(*a)", "cannot use starred expression here"),
        ("{1: 2, 3}", "':' expected after dictionary key"),
        ("f'{}'", "f-string: empty expression not allowed"),
        (
            "f'{a b}'",
            "f-string: invalid syntax. Perhaps you forgot a comma?",
        ),
        ("f'}'", "f-string: single '}' is not allowed"),
        ("f'{a'", "f-string: expecting '}'"),
        ("b'é'", "bytes can only contain ASCII literal characters"),
        ("'a' b'b'", "cannot mix bytes and nonbytes literals"),
        (
            r"'\x1'",
            r"(unicode error) 'unicodeescape' codec can't decode bytes in position 0-2: truncated \xXX escape",
        ),
    ];
    for (program, message) in table {
        assert_eq!(
            refusal(program),
            format!("1 SyntaxError: {message}"),
            "{program}"
        );
    }
}

#[test]
fn eval_takes_one_expression() {
    for text in ["  1", "\t1\n\n", "1, 2", "\n1"] {
        assert!(parse_expression(text).is_ok(), "{text:?}");
    }
    for text in ["", "x = 1", "1\n2", "1;", "pass", "a := 1", "*a", "\n 1"] {
        assert!(parse_expression(text).is_err(), "{text:?}");
    }
}

#[test]
fn brackets_and_blocks_are_bounded() {
    let kinds = [
        ("(", ")"),
        ("[a if b else ", "]"),
        ("not a < b | c + d * -e ** f(", ")"),
        ("{1: ", "}"),
    ];
    for (open, close) in kinds {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(refusal(&nested(DEPTH)), "accepted", "{open}");
        assert_eq!(
            refusal(&nested(DEPTH + 1)),
            "1 SyntaxError: too many nested parentheses",
            "{open}"
        );
    }
    let blocks = |depth: usize| -> String {
        let heads = (0..depth).map(|indent| format!("{}if a:\n", " ".repeat(indent)));
        heads.chain([" ".repeat(depth), "b\n".to_owned()]).collect()
    };
    assert_eq!(refusal(&blocks(BLOCKS - 1)), "accepted");
    assert_eq!(
        refusal(&blocks(BLOCKS)),
        "101 IndentationError: too many levels of indentation"
    );
}

#[test]
fn chains_are_bounded() {
    let kinds = [
        ("", "a + ", "a"),
        ("a", ".b", ""),
        ("f", "()", ""),
        ("a", "[0]", ""),
        ("", "not ", "a"),
        ("", "-", "a"),
        ("", "a ** ", "a"),
        ("", "a if b else ", "c"),
        ("", "lambda: ", "a"),
        ("if a: b\n", "elif a: b\n", ""),
    ];
    for (first, link, last) in kinds {
        let chain = |length: usize| format!("{first}{}{last}", link.repeat(length));
        assert_eq!(refusal(&chain(HEIGHT - 10)), "accepted", "{link}");
        assert!(
            refusal(&chain(HEIGHT + 1)).ends_with("too deeply nested"),
            "{link}"
        );
        assert!(
            refusal(&chain(50 * HEIGHT)).ends_with("too deeply nested"),
            "{link}"
        );
    }
    let defaults = format!("{}1{}", "lambda a=".repeat(5000), ": 0".repeat(5000));
    assert!(refusal(&defaults).ends_with("too deeply nested"));
    let both = format!("{}a{}", "(".repeat(100), ".b + 1)".repeat(HEIGHT));
    assert!(refusal(&both).contains("SyntaxError"));
}

/// What is long but flat has no bound, and takes time in proportion.
#[test]
fn flat_programs_may_be_long() {
    let many = 20_000;
    let kinds = [
        ("[", "a.b + 1, ", "]"),
        ("", "a.b and not c and ", "d"),
        ("", "a = ", "1"),
        ("", "'a' f'{b}' ", "\n"),
        ("a", " < b", ""),
    ];
    for (first, item, last) in kinds {
        assert_eq!(
            refusal(&format!("{first}{}{last}", item.repeat(many))),
            "accepted",
            "{item}"
        );
    }
}

/// Mistakes inside of mistakes: looking for words must not read each of them again and again.
#[test]
fn wrong_programs_are_refused_quickly() {
    let kinds = [
        "a ",
        "(a b ",
        "{1: 2, a ",
        "[a for b[",
        "print ",
        "match a ",
        "(a = b ",
        "f(x = ",
        "foo -[a, ",
        "with (a as ",
    ];
    for item in kinds {
        for times in [150, 20_000] {
            assert_ne!(refusal(&item.repeat(times)), "accepted", "{item}");
        }
    }
}
