//! The jobs of a child that runs Python: a program in, its value out; a z3py program in, its verdict out.
//!
//! The interpreter is built before the walls close: what it needs is not the program's. It is never torn down, so no
//! destructor of a program's objects runs.
use crate::logic;
use reckon_python::{Host, Interpreter};
use reckon_walls::{Job, Limits, Work, inside};

/// Room for Python calls inside calls; only what is used becomes memory, and with the memory of [`Limits`] and the
/// interpreter itself it stays below half a gigabyte.
const STACK: usize = 224 << 20;

/// Python modules of ours, by name: what programs import beside the standard library, or in place of a part of it.
const MODULES: &[(&str, &str)] = &[
    ("numpy", include_str!("modules/numpy.py")),
    ("os", include_str!("modules/os.py")),
    ("sympy", include_str!("modules/sympy.py")),
    ("z3", include_str!("modules/z3.py")),
    ("z3_eval", include_str!("modules/z3_eval.py")),
    ("z3_ops", include_str!("modules/z3_ops.py")),
    ("z3_print", include_str!("modules/z3_print.py")),
    ("z3_ratio", include_str!("modules/z3_ratio.py")),
    ("z3_smt", include_str!("modules/z3_smt.py")),
    ("z3_solver", include_str!("modules/z3_solver.py")),
    ("z3_terms", include_str!("modules/z3_terms.py")),
];

/// Runs one program. Its output is the representation of the value, empty if there is none.
pub const PYTHON: Job = Job::prepared("python", prepare).stack(STACK);

/// Runs one z3py program, and solves what it asks in the same process. See `logic/job.rs` for input and output.
pub const Z3PY: Job = Job::prepared("z3py", prepare_z3py).stack(STACK);

fn prepare(limits: &Limits) -> Work {
    let host = Host {
        write: Box::new(|text, shown| inside::print(text.as_bytes(), shown)),
        call: Box::new(call),
        modules: MODULES,
    };
    let interpreter = Interpreter::new(host, STACK);
    let too_big = limits.too_big();
    Box::new(move |program| {
        let text = std::str::from_utf8(program).map_err(|_| "refused: not UTF-8".to_owned())?;
        let value = interpreter.run(text, &too_big);
        std::mem::forget(interpreter);
        value.map(String::into_bytes)
    })
}

fn prepare_z3py(limits: &Limits) -> Work {
    let python = prepare(limits);
    Box::new(move |input| logic::run_program(input, python))
}

/// `_reckon.call(kind, text)`. The questions of a z3py program are answered here, all others by the parent.
fn call(kind: &str, text: &str) -> Result<String, String> {
    match logic::answer_program(kind, text) {
        Some(reply) => Ok(reply),
        None => inside::call(kind, text).map_err(|error| error.to_string()),
    }
}
