//! Takes away what makes bytecode that our compiler did not write.
//!
//! RustPython runs bytecode without checking it, as CPython does: a forged code object reads and writes where it likes in
//! this process. So a program gets no way to forge one: no constructor and no `replace` of code, no `marshal` that reads,
//! no `compile` of a syntax tree made by hand, no `__code__` that can be set (its cells would not fit), no jumps
//! (`f_lineno`) and no trace functions. Text can still be compiled, and honest code run.
//!
//! Functions of modules are replaced in the definitions that modules are made from, because a program can remove a module
//! and have it made again; `sys` and `builtins`, which are made once and before everything else, are changed in place.
use rustpython_vm::{
    AsObject, Py, PyObjectRef, PyRef, PyResult, VirtualMachine,
    builtins::{PyModuleDef, PyModuleSlots, PyType, PyTypeRef},
    frame::Frame,
    function::{FuncArgs, PyMethodDef, PyNativeFn},
};
use std::{cell::OnceCell, collections::BTreeMap, mem::ManuallyDrop};

thread_local! {
    /// RustPython's own descriptor of `__code__`, which can also write: kept where no program can reach it, and for as long
    /// as the process, since a destructor would run after the interpreter's end.
    static CODE_OF_FUNCTION: OnceCell<ManuallyDrop<PyObjectRef>> = const { OnceCell::new() };
}

/// What becomes of a function.
#[derive(Clone, Copy)]
enum Change {
    /// It raises an error.
    Refuse,
    /// `_imp.get_frozen_object`: only by name, not from bytes.
    OnlyByName,
    /// `compile`: only text.
    OnlyText,
}

/// Functions that could make bytecode, or show objects that a program was not given.
const CHANGES: &[(&str, &[&str], Change)] = &[
    ("marshal", &["load", "loads"], Change::Refuse),
    ("_imp", &["get_frozen_object"], Change::OnlyByName),
    ("builtins", &["compile"], Change::OnlyText),
    (
        "sys",
        &[
            "settrace",
            "setprofile",
            "_settraceallthreads",
            "_setprofileallthreads",
        ],
        Change::Refuse,
    ),
    (
        "gc",
        &["get_objects", "get_referrers", "get_referents"],
        Change::Refuse,
    ),
];

type Definitions = BTreeMap<&'static str, &'static PyModuleDef>;

/// Changes the definitions that modules will be made from.
pub(super) fn change_modules(definitions: &mut Definitions) {
    for (module, names, change) in CHANGES {
        if let Some(definition) = definitions.get_mut(module) {
            *definition = changed(definition, names, *change);
        }
    }
}

/// The interpreter lives as long as the process, and so do its definitions.
fn changed(of: &'static PyModuleDef, names: &[&str], change: Change) -> &'static PyModuleDef {
    let method = |method: &PyMethodDef| PyMethodDef {
        func: match names.contains(&method.name) {
            true => replacement(method.func, method.name, change),
            false => method.func,
        },
        ..*method
    };
    let methods: Vec<PyMethodDef> = of.methods.iter().map(method).collect();
    Box::leak(Box::new(PyModuleDef {
        name: of.name,
        doc: of.doc,
        methods: methods.leak(),
        slots: PyModuleSlots {
            create: of.slots.create,
            exec: of.slots.exec,
        },
    }))
}

fn replacement(
    own: &'static dyn PyNativeFn,
    name: &'static str,
    change: Change,
) -> &'static dyn PyNativeFn {
    match change {
        Change::Refuse => leak(move |vm: &VirtualMachine, _: FuncArgs| refuse(name, vm)),
        Change::OnlyByName => leak(move |vm: &VirtualMachine, mut args: FuncArgs| {
            args.args.truncate(1);
            args.kwargs.clear();
            own(vm, args)
        }),
        Change::OnlyText => leak(move |vm: &VirtualMachine, args: FuncArgs| {
            let source = args.args.first().or_else(|| args.kwargs.get("source"));
            let is_tree = source.is_some_and(|source| !is_text(source, vm));
            if is_tree {
                return refuse("compile of a syntax tree", vm);
            }
            own(vm, args)
        }),
    }
}

fn leak(function: impl PyNativeFn) -> &'static dyn PyNativeFn {
    Box::leak(Box::new(function))
}

fn is_text(source: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let texts = [types.str_type, types.bytes_type, types.bytearray_type];
    texts.into_iter().any(|class| source.fast_isinstance(class))
}

fn refuse(what: &str, vm: &VirtualMachine) -> PyResult {
    Err(vm.new_type_error(format!("{what} is not allowed in the sandbox")))
}

/// Changes what is there already: the types of code, functions and frames, and the two modules that others need to be made.
pub(super) fn change_types(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    types.code_type.slots.new.store(Some(no_code));
    for name in ["__new__", "replace", "__replace__"] {
        let refusing = vm.new_function(name, move |_: FuncArgs, vm: &VirtualMachine| {
            refuse(name, vm)
        });
        set(types.code_type, name, refusing.into(), vm);
    }
    if let Some(own) = types.function_type.get_attr(vm.ctx.intern_str("__code__")) {
        let _ = CODE_OF_FUNCTION.with(|code| code.set(ManuallyDrop::new(own)));
        let code = vm
            .ctx
            .new_readonly_getset("__code__", types.function_type, code_of_function);
        set(types.function_type, "__code__", code.into(), vm);
    }
    let line = |frame: PyRef<Frame>| frame.f_lineno();
    let line = vm
        .ctx
        .new_readonly_getset("f_lineno", types.frame_type, line);
    set(types.frame_type, "f_lineno", line.into(), vm);

    for (module, names, change) in CHANGES {
        let live = match *module {
            "builtins" => &vm.builtins,
            "sys" => &vm.sys_module,
            _ => continue,
        };
        let Some(definition) = live.def else {
            continue;
        };
        for method in changed(definition, names, *change).methods {
            if names.contains(&method.name) {
                let function = method.build_function(&vm.ctx);
                live.set_attr(vm.ctx.intern_str(method.name), function, vm)?;
            }
        }
    }
    Ok(())
}

fn code_of_function(function: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    CODE_OF_FUNCTION.with(|code| match code.get() {
        Some(own) => vm.call_if_get_descriptor(own, function),
        None => refuse("__code__", vm),
    })
}

fn set(class: &Py<PyType>, name: &'static str, value: PyObjectRef, vm: &VirtualMachine) {
    class.set_attr(vm.ctx.intern_str(name), value);
}

fn no_code(_: PyTypeRef, _: FuncArgs, vm: &VirtualMachine) -> PyResult {
    refuse("a code object", vm)
}
