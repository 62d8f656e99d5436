//! The jobs of a child that runs Python: a program in, its value out; a z3py program in, its verdict out.
//!
//! The interpreter is built before the walls close, because that takes most of the time and none of the program's memory.
//! It is never torn down: no `__del__`, no `atexit`.
mod arithmetic;
mod bytecode;
mod interpreter;
mod program;

use crate::logic;
use reckon_walls::{Job, Limits, Work};

/// Room for Python calls inside calls; only what is used becomes memory, and with the memory of [`Limits`] and the
/// interpreter itself it stays below half a gigabyte.
const STACK: usize = 224 << 20;

/// Runs one program. Its output is the representation of the value, empty if there is none.
pub const PYTHON: Job = Job::prepared("python", prepare).stack(STACK);

/// Runs one z3py program, and solves what it asks in the same process. See `logic/job.rs` for input and output.
pub const Z3PY: Job = Job::prepared("z3py", prepare_z3py).stack(STACK);

fn prepare(limits: &Limits) -> Work {
    let interpreter = interpreter::build();
    let too_big = limits.too_big();
    Box::new(move |program| {
        let text = std::str::from_utf8(program).map_err(|_| "refused: not UTF-8".to_owned())?;
        let value = interpreter.enter(|vm| program::run(vm, text, &too_big));
        std::mem::forget(interpreter);
        value.map(String::into_bytes)
    })
}

fn prepare_z3py(limits: &Limits) -> Work {
    let python = prepare(limits);
    Box::new(move |input| logic::run_program(input, python))
}
