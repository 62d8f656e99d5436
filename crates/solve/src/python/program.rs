//! Runs one program text in an interpreter and finds its value.
//!
//! The value is the representation of the global `answer`, else of `ans`, else of the last expression; functions,
//! classes, modules and `None` are no values. What was printed last is the parent's to find.
use rustpython_vm::{
    AsObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyBaseException, PyDictRef, PyInt, PySet},
    compiler::Mode,
};

/// Longest error line.
const LINE: usize = 500;

/// Runs it to its end, whatever that is: the value's representation, empty if there is none, or one line about why.
pub(super) fn run(vm: &VirtualMachine, text: &str, too_big: &str) -> Result<String, String> {
    value(vm, text)
        .and_then(|value| match value {
            Some(value) => representation(vm, &value),
            None => Ok(String::new()),
        })
        .map_err(|exception| line(vm, &exception, too_big))
}

fn value(vm: &VirtualMachine, text: &str) -> PyResult<Option<PyObjectRef>> {
    // A block without a statement has no last value, and the compiler does not expect one.
    let says_nothing = |line: &str| matches!(line.trim_start().chars().next(), None | Some('#'));
    if text.lines().all(says_nothing) {
        return Ok(None);
    }
    let scope = vm.new_scope_with_main()?;
    let globals = scope.globals.clone();
    // A block that gives its last value is compiled without what `x: int = 5` needs.
    globals.set_item("__annotations__", vm.ctx.new_dict().into(), vm)?;
    let conditional = PySet::default().into_ref(&vm.ctx).into();
    globals.set_item("__conditional_annotations__", conditional, vm)?;
    let code = vm
        .compile(text, Mode::BlockExpr, "<program>".into())
        .map_err(|error| vm.new_syntax_error(&error, Some(text)))?;
    let last = match vm.run_code_obj(code, scope) {
        Err(exception) if left_well(vm, &exception) => None,
        last => Some(last?),
    };
    let named = |name| named(vm, &globals, name);
    let last = last.filter(|last| is_value(vm, last));
    Ok(named("answer").or_else(|| named("ans")).or(last))
}

/// As Python has it, its limit on the digits of an integer too, which this interpreter keeps only when it reads one.
fn representation(vm: &VirtualMachine, value: &PyObjectRef) -> PyResult<String> {
    let most = vm.state.int_max_str_digits.load();
    let too_long = || {
        let message = format!("Exceeds the limit ({most} digits) for integer string conversion");
        Err(vm.new_value_error(message))
    };
    let number = value.downcast_ref::<PyInt>().filter(|_| most > 0);
    let digits = number.map_or(0.0, |n| {
        n.as_bigint().bits() as f64 * std::f64::consts::LOG10_2
    });
    if digits > most as f64 + 1.0 {
        return too_long();
    }
    let text = value.repr(vm)?.to_string_lossy().into_owned();
    if number.is_some() && text.trim_start_matches('-').len() > most {
        return too_long();
    }
    Ok(text)
}

fn named(vm: &VirtualMachine, globals: &PyDictRef, name: &str) -> Option<PyObjectRef> {
    let value = globals.get_item_opt(name, vm).ok()??;
    is_value(vm, &value).then_some(value)
}

fn is_value(vm: &VirtualMachine, value: &PyObjectRef) -> bool {
    let types = &vm.ctx.types;
    let nothing = [
        types.function_type,
        types.builtin_function_or_method_type,
        types.module_type,
        types.type_type,
        types.none_type,
    ];
    !nothing.into_iter().any(|class| value.class().is(class))
}

/// `sys.exit()` and `sys.exit(0)` are a normal end.
fn left_well(vm: &VirtualMachine, exception: &PyRef<PyBaseException>) -> bool {
    if !exception.fast_isinstance(vm.ctx.exceptions.system_exit) {
        return false;
    }
    let code = exception.args().first().cloned();
    code.is_none_or(|code| {
        vm.is_none(&code) || code.try_int(vm).is_ok_and(|n| n.as_bigint() == &0.into())
    })
}

/// An exception as one line: what it is and what it says.
fn line(vm: &VirtualMachine, exception: &PyRef<PyBaseException>, too_big: &str) -> String {
    let errors = &vm.ctx.exceptions;
    if exception.fast_isinstance(errors.memory_error) {
        return too_big.into();
    }
    let attribute = |name: &'static str| -> Option<String> {
        let value = exception.as_object().get_attr(name, vm).ok()?;
        (!vm.is_none(&value)).then_some(())?;
        Some(value.str(vm).ok()?.to_string_lossy().into_owned())
    };
    let kind = exception.class().name().to_string();
    let mut text = match exception.as_object().str(vm) {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => String::new(),
    };
    if exception.fast_isinstance(errors.syntax_error) {
        text = attribute("msg").unwrap_or(text);
        if let Some(at) = attribute("lineno") {
            text += &format!(" (line {at})");
        }
    } else if exception.fast_isinstance(errors.module_not_found_error)
        && let Some(name) = attribute("name")
    {
        let name = name.split('.').next().unwrap_or_default().to_owned();
        text = format!("{name} is not available: the sandbox has Python's standard library only");
    }
    let text: String = text.replace(['\n', '\r'], " ").chars().take(LINE).collect();
    match text.trim() {
        "" => kind,
        text => format!("{kind}: {text}"),
    }
}
