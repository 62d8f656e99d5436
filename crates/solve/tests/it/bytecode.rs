//! Programs that try to run code that the compiler did not make of a text. None may, and none may end in a crash; where there
//! is nothing to attack, they end well and have won nothing.
use reckon_solve::{Limits, Run, Sandbox, Start};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

pub(crate) fn sandbox() -> Sandbox {
    let start = Start {
        program: env!("CARGO_BIN_EXE_solve-test-child").into(),
        arguments: vec!["__sandbox".into()],
    };
    // On a machine that has other things to do, nothing here is about time.
    let limits = Limits {
        cpu: 15,
        wall: 15,
        ..Limits::default()
    };
    Sandbox::new(start, limits)
}

fn run_all(programs: &[&str], check: impl Fn(&str, Run) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut sandbox = sandbox();
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(program, sandbox.run(program, &mut |_, _| String::new()));
                }
            });
        }
    });
}

/// What each begins with: an honest function, its code, bytes that would read outside the stack, and the one thing that an
/// attack wants, `try_it(code)`, which runs a code object that was forged.
const BEFORE: &str = "
def honest(x=1):
    y = 2
    return x + y
code = honest.__code__
Code = type(code)
BAD = bytes(range(1, 255)) * 4
ARGUMENTS = (0, 0, 0, 0, 1000, 0, BAD, (), (), (), 'f', 'f', 'f', 1, b'', b'', (), ())
def try_it(forged):
    if forged is None: raise ValueError('nothing was forged')
    print('FORGED', forged)
    exec(forged)
def by_replace(**changes):
    return try_it(code.replace(**changes))
";

/// Ways to a code object of one's own, or to make an honest one run where it does not fit.
const ATTACKS: &[&str] = &[
    // The constructor.
    "try_it(Code(*ARGUMENTS))",
    "import types\ntry_it(types.CodeType(*ARGUMENTS))",
    "try_it(Code.__new__(Code, *ARGUMENTS))",
    "try_it(type.__call__(Code, *ARGUMENTS))",
    "try_it(object.__new__(Code))",
    "class Mine(Code): pass\ntry_it(Mine(*ARGUMENTS))",
    "Mine = type('Mine', (Code,), {})\ntry_it(Mine(*ARGUMENTS))",
    "import copyreg\ntry_it(copyreg.__newobj__(Code, *ARGUMENTS))",
    "import copyreg\ntry_it(copyreg._reconstructor(Code, object, None))",
    "import functools\ntry_it(functools.partial(Code, *ARGUMENTS)())",
    "import operator\ntry_it(operator.call(Code, *ARGUMENTS))",
    "Code.__init__(code, *ARGUMENTS)\ntry_it(code if code.co_code == BAD else None)",
    // Replacing parts.
    "by_replace(co_code=BAD)",
    "by_replace(co_stacksize=0)",
    "by_replace(co_consts=())",
    "by_replace(co_names=())",
    "by_replace(co_varnames=(), co_nlocals=0)",
    "by_replace(co_flags=0)",
    "by_replace(co_exceptiontable=b'\\x80\\x00\\x00\\x01' * 9)",
    "try_it(code.__replace__(co_code=BAD))",
    "import copy\ntry_it(copy.replace(code, co_code=BAD))",
    "try_it(Code.replace(code, co_code=BAD))",
    "try_it(Code.__dict__['replace'](code, co_code=BAD))",
    "try_it(getattr(code, 're' + 'place')(co_code=BAD))",
    "try_it(object.__getattribute__(code, '__replace__')(co_code=BAD))",
    "for name in dir(Code):\n    if 'replace' in name: try_it(getattr(code, name)(co_code=BAD))",
    // Reading it from bytes.
    "import marshal\ndata = marshal.dumps(code)\ntry_it(marshal.loads(data.replace(code.co_code, BAD[:len(code.co_code)])))",
    "import marshal, io\ntry_it(marshal.load(io.BytesIO(marshal.dumps(code))))",
    "import sys\nsys.modules.pop('marshal', None)\nimport marshal\ntry_it(marshal.loads(marshal.dumps(code)))",
    "import sys, importlib\nsys.modules.pop('marshal', None)\nm = importlib.import_module('marshal')\ntry_it(m.loads(m.dumps(code)))",
    "import marshal, importlib\nimportlib.reload(marshal)\ntry_it(marshal.loads(marshal.dumps(code)))",
    "import sys, _imp\nfrom importlib.machinery import ModuleSpec\nfor name in ('marshal', '_imp'): sys.modules.pop(name, None)\nm = _imp.create_builtin(ModuleSpec('marshal', None))\ntry_it(m.loads(m.dumps(code)))",
    "import marshal, _imp\ntry_it(_imp.get_frozen_object('x', marshal.dumps(code)))",
    "import marshal, _imp\ntry_it(_imp.get_frozen_object(name='x', data=marshal.dumps(code)))",
    "import sys\nsys.modules.pop('_imp')\nimport _imp, marshal\ntry_it(_imp.get_frozen_object('x', marshal.dumps(code)))",
    "import importlib._bootstrap as b, marshal\ntry_it(b._imp.get_frozen_object('x', marshal.dumps(code)))",
    "import importlib._bootstrap_external as b, marshal\ntry_it(b._compile_bytecode(marshal.dumps(code)))",
    "import importlib._bootstrap_external as b\ntry_it(b.marshal.loads(b.marshal.dumps(code)))",
    "import importlib.machinery as m, importlib._bootstrap_external as b\nclass L(m.SourcelessFileLoader):\n    def get_data(self, path):\n        import marshal\n        return b.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)\ntry_it(L('x', 'x.pyc').get_code('x'))",
    "import pickle\ntry_it(pickle.loads(pickle.dumps(code)))",
    "import pickle, types\nclass P:\n    def __reduce__(self): return types.CodeType, ARGUMENTS\ntry_it(pickle.loads(pickle.dumps(P())))",
    "import pickle\ntry_it(pickle.loads(b'cmarshal\\nloads\\n(C\\x01N' + b'tR.') or code)",
    "try_it(code.__reduce_ex__(4))\ntry_it(object.__reduce_ex__(code, 2)[0](*object.__reduce_ex__(code, 2)[1]))",
    "import copy\nc = copy.deepcopy(code)\ntry_it(c if c is not code else None)",
    // Making a syntax tree that no text has.
    "import ast\ntry_it(compile(ast.Module([ast.Expr(ast.Name('x', ast.Store()))], []), 'x', 'exec'))",
    "import ast\nt = ast.parse('x')\nt.body[0].value = ast.Yield(ast.Await(ast.Constant(code)))\ntry_it(compile(ast.fix_missing_locations(t), 'x', 'exec'))",
    "import ast\ntry_it(compile(source=ast.fix_missing_locations(ast.Expression(ast.Starred(ast.Constant(1), ast.Del()))), filename='x', mode='eval'))",
    "import ast, sys\nsys.modules.pop('builtins')\nimport builtins\ntry_it(builtins.compile(ast.parse('x = 1'), 'x', 'exec'))",
    // Giving a function code that does not fit its cells.
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\nhonest.__code__ = outer().__code__\nprint('FORGED', honest())",
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\nobject.__setattr__(honest, '__code__', outer().__code__)\nprint('FORGED', honest())",
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\ntype(honest).__dict__['__code__'].__set__(honest, outer().__code__)\nprint('FORGED', honest())",
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\ntype(honest)(outer().__code__, {}, 'f', None, ())()\nprint('FORGED')",
    "def outer():\n    a = b = 1\n    def inner(): return a, b\n    return inner\nf = outer()\ntype(f)(f.__code__, {}, 'f', None, f.__closure__[:1])()\nprint('FORGED')",
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\nf = outer()\ntype(f)(f.__code__, {}, 'f', None, (1,))()\nprint('FORGED')",
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\nf = outer()\nf.__closure__ = ()\nf()\nprint('FORGED')",
    "def outer():\n    a = 1\n    def inner(): return a\n    return inner\nexec(outer().__code__)\nprint('FORGED')",
    "honest.__setstate__({'__code__': 1})\nprint('FORGED')",
    "del honest.__code__\nhonest()\nprint('FORGED')",
    "type(honest).__code__ = 5\nprint('FORGED')",
    "Code.co_code = BAD\nprint('FORGED')",
    "code.co_code = BAD\nprint('FORGED')",
    // Jumping, and looking for what was hidden.
    "import sys\ndef f():\n    for i in range(3):\n        sys._getframe().f_lineno = 1\nf()\nprint('FORGED')",
    "def g():\n    with open('x'):\n        yield 1\n    yield 2\ng().gi_frame.f_lineno = 13\nprint('FORGED')",
    "def g():\n    yield 1\n    yield 2\ni = g()\nnext(i)\ntype(i.gi_frame).__dict__['f_lineno'].__set__(i.gi_frame, 14)\nprint('FORGED')",
    "import sys\ndef t(frame, event, arg):\n    frame.f_lineno = 3\n    return t\nsys.settrace(t)\nhonest()\nprint('FORGED')",
    "import sys\nsys.setprofile(lambda *a: None)\nprint('FORGED')",
    "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'getset_descriptor' and o.__name__ == '__code__': print('FORGED')\nraise ValueError",
    "import gc\ngc.get_referents(type(honest).__dict__['__code__'])\nprint('FORGED')",
    "import sys\nsys.modules.pop('gc', None)\nimport gc\ngc.get_referrers(Code)\nprint('FORGED')",
    "import ctypes\nprint('FORGED')",
    "import _ctypes\nprint('FORGED')",
    "import _testcapi, _testinternalcapi\nprint('FORGED')",
];

#[test]
fn no_program_makes_bytecode_of_its_own() {
    assert!(ATTACKS.len() >= 50, "only {}", ATTACKS.len());
    let programs: Vec<String> = ATTACKS
        .iter()
        .map(|attack| format!("{BEFORE}{attack}"))
        .collect();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    let succeeded = Mutex::new(Vec::new());
    run_all(&programs, |program, run| {
        let attack = &program[BEFORE.len()..];
        let said = format!(
            "{} {}",
            run.stdout,
            run.error.as_deref().unwrap_or("no error")
        );
        let bad = [
            "FORGED",
            "crashed",
            "failed inside",
            "ended early",
            "stopped talking",
        ];
        if bad.iter().any(|bad| said.contains(bad)) {
            succeeded
                .lock()
                .unwrap()
                .push(format!("{attack}\n=> {said}"));
        }
    });
    let succeeded = succeeded.into_inner().unwrap();
    assert!(succeeded.is_empty(), "{}", succeeded.join("\n\n"));
}

/// What honest programs do with code must still work: values as CPython has them.
#[test]
fn honest_code_still_runs() {
    let programs = [
        ("answer = eval('1 + 2')", "3"),
        ("exec('x = 5')\nanswer = x", "5"),
        ("answer = eval(compile('6 * 7', 'x', 'eval'))", "42"),
        ("exec(compile(b'x = 8', 'x', 'exec'))\nanswer = x", "8"),
        (
            "import ast\nanswer = ast.literal_eval('[1, (2, 3)]')",
            "[1, (2, 3)]",
        ),
        (
            "def f(a, b=2): pass\nanswer = f.__code__.co_argcount, f.__code__.co_varnames",
            "(2, ('a', 'b'))",
        ),
        (
            "import types\ndef f(x): return x + k\nanswer = types.FunctionType(f.__code__, {'k': 5})(1)",
            "6",
        ),
        (
            "import inspect\ndef f(a, *, b: int = 1): pass\nanswer = str(inspect.signature(f))",
            "'(a, *, b: int = 1)'",
        ),
        (
            "import types\ndef o():\n    a = 3\n    return lambda: a\nf = o()\nanswer = types.FunctionType(f.__code__, {}, 'f', None, f.__closure__)()",
            "3",
        ),
        (
            "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError as e:\n    answer = traceback.format_exc().splitlines()[-1]",
            "'ZeroDivisionError: division by zero'",
        ),
        ("import gc\ngc.collect()\nanswer = gc.isenabled()", "True"),
        (
            "import copy\nanswer = copy.deepcopy({'a': [1], 'b': (1, 'x', {2: 3.5})})",
            "{'a': [1], 'b': (1, 'x', {2: 3.5})}",
        ),
        (
            "from dataclasses import dataclass, replace\n@dataclass\nclass P:\n    x: int\nanswer = replace(P(1), x=2)",
            "P(x=2)",
        ),
        (
            "from collections import namedtuple\nanswer = namedtuple('P', 'x y')(1, 2)._replace(x=9)",
            "P(x=9, y=2)",
        ),
        (
            "import enum, functools, typing, string, abc\nanswer = functools.reduce(lambda a, b: a * b, range(1, 6))",
            "120",
        ),
    ];
    let texts: Vec<&str> = programs.iter().map(|(program, _)| *program).collect();
    run_all(&texts, |text, run| {
        let (_, value) = programs
            .iter()
            .find(|(program, _)| *program == text)
            .unwrap();
        assert_eq!(run.value.as_deref(), Some(*value), "{text}: {run:?}");
    });
}
