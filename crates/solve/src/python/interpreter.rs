//! Builds the Python interpreter of the sandbox: RustPython without a host, its library frozen in, our modules on top.
//!
//! Every file in `src/modules` is a Python module by its name and wins over a module of the library with that name.
//! `_reckon` is the one native module of ours: `write` for the streams, `call` for the host, or in a
//! z3py program for the solver.
//!
//! The same program gives the same result everywhere: hashes and `random` have fixed seeds, the clock is all that moves.
use super::{arithmetic, bytecode};
use crate::logic;
use reckon_walls::inside;
use rustpython_vm::{
    Interpreter, PyResult, Settings, VirtualMachine,
    builtins::{PyStrRef, PyUtf8StrRef},
    common::rc::PyRc,
    py_freeze,
};

/// Native modules that a calculation has no use for. `_sysconfigdata` would tell the environment of the build.
const ABSENT: &[&str] = &["_sysconfigdata", "_remote_debugging", "_asyncio"];

/// Calls inside calls, as CPython has it.
const RECURSION: usize = 1000;

/// An interpreter that has started, with `print` going to the parent.
pub(super) fn build() -> Interpreter {
    let mut settings = Settings::default();
    settings.isolated = true;
    settings.ignore_environment = true;
    settings.import_site = false;
    settings.user_site_directory = false;
    settings.install_signal_handlers = false;
    settings.write_bytecode = false;
    settings.allow_external_library = false;
    settings.hash_seed = Some(0);
    settings.argv = vec![String::new()];

    let builder = Interpreter::builder(settings);
    let native = rustpython_stdlib::stdlib_module_defs(&builder.ctx);
    let interpreter = builder
        .add_native_modules(&native)
        .add_frozen_modules(library())
        .add_frozen_modules(py_freeze!(dir = "../modules"))
        .init_hook(strip)
        .build();
    interpreter.enter(|vm| {
        vm.recursion_limit.set(RECURSION);
        let ready = prepare(vm);
        vm.expect_pyresult(ready, "the sandbox's own modules load");
    });
    interpreter
}

/// Python's own modules. Those that `src/modules` wraps stay reachable under a name of ours.
fn library() -> impl Iterator<Item = (&'static str, rustpython_vm::frozen::FrozenModule)> {
    let wrapped = |name| match name {
        "random" => "_python_random",
        other => other,
    };
    rustpython_pylib::FROZEN_STDLIB
        .into_iter()
        .map(move |(name, module)| (wrapped(name), module))
}

/// Takes away what would tell about this machine.
fn strip(vm: &mut VirtualMachine) {
    if let Some(state) = PyRc::get_mut(&mut vm.state) {
        state.config.paths = Default::default();
        state
            .module_defs
            .retain(|name, _| !ABSENT.iter().any(|absent| name.starts_with(absent)));
        bytecode::change_modules(&mut state.module_defs);
    }
}

fn prepare(vm: &VirtualMachine) -> PyResult<()> {
    let dict = vm.ctx.new_dict();
    let write = |text: PyStrRef, shown: bool| inside::print(text.as_bytes(), shown);
    dict.set_item("write", vm.new_function("write", write).into(), vm)?;
    dict.set_item("call", vm.new_function("call", call).into(), vm)?;
    let module = vm.new_module("_reckon", dict, None);
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.set_item("_reckon", module.into(), vm)?;
    arithmetic::correct(vm)?;
    bytecode::change_types(vm)?;
    vm.import("_reckon_streams", 0).map(drop)
}

/// `_reckon.call(kind, text) -> text`. The questions of a z3py program are answered here, all others by the parent.
fn call(kind: PyUtf8StrRef, text: PyUtf8StrRef, vm: &VirtualMachine) -> PyResult<String> {
    if let Some(reply) = logic::answer_program(kind.as_str(), text.as_str()) {
        return Ok(reply);
    }
    inside::call(kind.as_str(), text.as_str()).map_err(|error| vm.new_os_error(error.to_string()))
}
