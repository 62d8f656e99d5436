//! Runs arbitrary programs: no panic, no overflow of the stack.
//!
//! A first byte below 128 means that the rest is the program's text; else each further byte is a piece of Python, so that most
//! programs get past the parser. The interpreter has no limit of time of its own, a process around it has: what runs too long
//! or takes too much memory is no find here, hence the flags.
//!
//! In `crates/python`: `ASAN_OPTIONS=detect_leaks=0 cargo +nightly fuzz run program fuzz/corpus fuzz/seeds -- -fork=1
//! -ignore_timeouts=1 -ignore_ooms=1 -timeout=3 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=400`.
#![no_main]
use libfuzzer_sys::fuzz_target;
use reckon_python::{Host, Interpreter};

const STACK: usize = 64 << 20;

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let program = match kind {
        0..128 => match std::str::from_utf8(rest) {
            Ok(text) => text.to_owned(),
            Err(_) => return,
        },
        _ => assembled(rest),
    };
    // Deep programs are walked on the stack; the fuzzer's own thread has little of it.
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let host = Host {
                write: Box::new(|_, _| ()),
                call: Box::new(|_, _| Err("nobody answers".into())),
                modules: &[],
            };
            let interpreter = Interpreter::new(host, STACK);
            let _ = interpreter.run(&program, "memory");
        });
    if let Ok(thread) = thread
        && let Err(panic) = thread.join()
    {
        std::panic::resume_unwind(panic);
    }
});

/// One piece for each byte; lines are indented as blocks begin and end.
fn assembled(bytes: &[u8]) -> String {
    let mut program = String::from(PREAMBLE);
    let mut depth = 0_usize;
    for byte in bytes {
        match PIECES.get(usize::from(*byte) % (PIECES.len() + 3)) {
            Some(piece) => {
                program.push_str(piece);
                program.push(' ');
                continue;
            }
            None => match usize::from(*byte) % (PIECES.len() + 3) - PIECES.len() {
                0 => {
                    depth += 1;
                    program.push(':');
                }
                1 => depth = depth.saturating_sub(1),
                _ => {}
            },
        }
        program.push('\n');
        program.push_str(&"  ".repeat(depth));
    }
    program
}

/// Names of every type to begin with. What is imported costs time in every run, so pieces do that.
const PREAMBLE: &str = "a = 3; b = [1, 2.5, 'x']; c = {'k': 1, 2: b}; d = {4, 5}; e = 'text'; s = (1, 'é', None); h = 10 ** 20\n\
class K(int): pass\nk = K(7)\n";

const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "e",
    "s",
    "h",
    "k",
    "K",
    "x",
    "y",
    "f",
    "g",
    "self",
    "_",
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "10",
    "255",
    "1.5",
    "-0.0",
    "1e308",
    "1e-320",
    "2j",
    "0x1f",
    "''",
    "'a'",
    "'%s %5.2f'",
    "'{:>8}{!r}'",
    "b'ab'",
    "r'(a|b)*'",
    "f'{a}'",
    "f'{b!r:>9}'",
    "f'{a:{k}}'",
    "True",
    "False",
    "None",
    "...",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "@",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "=",
    "+=",
    "-=",
    "*=",
    "//=",
    "|=",
    ":=",
    "->",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ",",
    ".",
    ":",
    ";",
    "and",
    "or",
    "not",
    "in",
    "is",
    "if",
    "else",
    "elif",
    "for",
    "while",
    "break",
    "continue",
    "pass",
    "def f(",
    "def g(x, *y, k=1)",
    "def __",
    "return",
    "yield",
    "yield from",
    "lambda",
    "lambda x=1:",
    "class K(",
    "class L",
    "try",
    "except",
    "except Exception as x",
    "finally",
    "raise",
    "raise ValueError",
    "from None",
    "with",
    "as",
    "assert",
    "del",
    "global",
    "nonlocal",
    "match",
    "case",
    "case [x, *y]",
    "case {'k': x}",
    "import math;",
    "from decimal import *;",
    "from fractions import *;",
    "from collections import *;",
    "import re, json;",
    "import itertools, functools, random;",
    "import datetime, enum, dataclasses;",
    "print(",
    "len(",
    "range(",
    "int(",
    "str(",
    "float(",
    "list(",
    "dict(",
    "set(",
    "tuple(",
    "sorted(",
    "sum(",
    "min(",
    "max(",
    "abs(",
    "round(",
    "divmod(",
    "pow(",
    "zip(",
    "map(",
    "filter(",
    "enumerate(",
    "reversed(",
    "iter(",
    "next(",
    "type(",
    "isinstance(",
    "getattr(",
    "setattr(",
    "hasattr(",
    "repr(",
    "hash(",
    "id(",
    "vars(",
    "dir(",
    "super()",
    "object",
    "property(",
    "classmethod(",
    "staticmethod(",
    "eval(",
    "exec(",
    "compile(",
    "format(",
    "bytes(",
    "bytearray(",
    "frozenset(",
    "slice(",
    "complex(",
    "chr(",
    "ord(",
    "bin(",
    "Fraction(",
    "Decimal(",
    "Counter(",
    "deque(",
    "defaultdict(",
    "OrderedDict(",
    "namedtuple(",
    ".append(",
    ".pop(",
    ".sort(",
    ".join(",
    ".split(",
    ".replace(",
    ".format(",
    ".get(",
    ".items()",
    ".keys()",
    ".update(",
    ".add(",
    ".remove(",
    ".index(",
    ".insert(",
    ".extend(",
    ".encode(",
    ".strip(",
    ".count(",
    ".__class__",
    ".__dict__",
    ".__init__(",
    ".__add__(",
    ".__getitem__(",
    ".__iter__()",
    ".__next__()",
    ".send(",
    ".throw(",
    ".close()",
    "math.",
    "re.sub(",
    "re.findall(",
    "itertools.",
    "functools.reduce(",
    "json.dumps(",
    "datetime.",
    "random.",
    "@functools.lru_cache\n",
    "@dataclasses.dataclass\n",
    "@property\n",
    "__slots__",
    "__eq__",
    "__hash__",
    "__repr__",
    "__getattr__",
    "__del__",
    "key=",
    "reverse=True",
    "*",
    "**",
    "end=",
    "sep=",
];
