//! The builtin functions: `print`, `len`, `sum`, `map` and the others.
use super::{constructor, function, function_of_caller, object::names_of};
use crate::{
    compile::{self, Mode},
    parser,
    value::{Args, Value},
    vm::{Caller, Frame, PyResult, Vm},
};
use std::rc::Rc;

mod iterators;
mod numeric;

pub(super) fn install(vm: &Vm) {
    let names = &vm.builtins;
    function(vm, names, "print", print);
    function(vm, names, "input", |vm, _| {
        Err(vm.error("EOFError", "the sandbox has no input"))
    });
    function(vm, names, "open", |vm, _| {
        Err(vm.error("PermissionError", "the sandbox has no files"))
    });
    for name in ["exit", "quit"] {
        function(vm, names, name, |vm, args| {
            Err(vm.exception("SystemExit", args.positional))
        });
    }
    function(vm, names, "len", |vm, args| {
        let [value] = args.exactly(vm, "len")?;
        vm.len(&value).map(Value::size)
    });
    function(vm, names, "repr", |vm, args| {
        let [value] = args.exactly(vm, "repr")?;
        vm.repr(&value).map(Value::Str)
    });
    function(vm, names, "ascii", |vm, args| {
        let [value] = args.exactly(vm, "ascii")?;
        let text = vm.repr(&value)?;
        Ok(Value::str(crate::text::only_ascii(&text)))
    });
    function(vm, names, "format", |vm, args| {
        let [value, spec] = args.between(vm, "format", 1)?;
        let spec = spec.map_or(Ok(crate::text::Str::new("")), |spec| vm.str(&spec))?;
        vm.format(&value.unwrap_or(Value::None), &spec)
            .map(Value::Str)
    });
    function(vm, names, "hash", |vm, args| {
        let [value] = args.exactly(vm, "hash")?;
        vm.hash(&value).map(Value::Int)
    });
    function(vm, names, "id", |vm, args| {
        let [value] = args.exactly(vm, "id")?;
        Ok(Value::size(value.address()))
    });
    function(vm, names, "callable", |vm, args| {
        let [value] = args.exactly(vm, "callable")?;
        Ok(Value::Bool(is_callable(vm, &value)))
    });
    function(vm, names, "iter", iterators::iter);
    function(vm, names, "next", iterators::next);
    install_attributes(vm);
    install_classes(vm);
    install_evaluation(vm);
    numeric::install(vm);
    iterators::install(vm);
    constructor(vm, &vm.types.bool_, |vm, _, args| {
        let [value] = args.between(vm, "bool", 0)?;
        value
            .map_or(Ok(false), |value| vm.truth(&value))
            .map(Value::Bool)
    });
    function(vm, names, "__build_class__", |vm, _| {
        Err(vm.type_error("use the class statement"))
    });
    function(vm, names, "__import__", |vm, args| {
        let names = ["name", "globals", "locals", "fromlist", "level"];
        let [name, _, _, from, _] = args.bind(vm, "__import__", names, 1)?;
        let name = vm.str(&name.unwrap_or(Value::None))?;
        let module = vm.import(&name)?;
        let leaf = vm.truth(&from.unwrap_or(Value::None))?;
        match name.split_once('.') {
            Some((top, _)) if !leaf => vm.import(top),
            _ => Ok(module),
        }
    });
}

fn is_callable(vm: &Vm, value: &Value) -> bool {
    match value {
        Value::Function(_)
        | Value::Native(_)
        | Value::Method(_)
        | Value::Class(_)
        | Value::StaticMethod(_) => true,
        Value::Instance(_) => vm.class_of(value).lookup(&vm.names.call).is_some(),
        _ => false,
    }
}

fn print(vm: &Vm, mut args: Args) -> PyResult {
    let mut option = |name: &str| {
        let at = args
            .keywords
            .iter()
            .position(|(known, _)| **known == *name)?;
        Some(args.keywords.remove(at).1).filter(|value| !value.is_none())
    };
    let (separator, end, file) = (option("sep"), option("end"), option("file"));
    let flush = option("flush");
    drop(flush);
    if let Some((name, _)) = args.keywords.first() {
        let message = format!("'{name}' is an invalid keyword argument for print()");
        return Err(vm.type_error(message));
    }
    let text_of = |value: Option<Value>, name: &str, default: &str| match value {
        None => Ok(default.to_owned()),
        Some(Value::Str(text)) => Ok(text.to_string()),
        Some(other) => {
            let kind = vm.class_name(&other);
            Err(vm.type_error(format!("{name} must be None or a string, not {kind}")))
        }
    };
    let separator = text_of(separator, "sep", " ")?;
    let end = text_of(end, "end", "\n")?;
    let mut text = String::new();
    for (at, value) in args.positional.iter().enumerate() {
        if at > 0 {
            text.push_str(&separator);
        }
        text.push_str(&vm.str(value)?);
    }
    text.push_str(&end);
    let file = match file {
        Some(file) => Some(file),
        // A program may have put something else in the place of standard output.
        None => vm.standard_output(),
    };
    match file {
        Some(file) => vm
            .call_method(&file, "write", vec![Value::str(text)])
            .map(drop)?,
        None => (vm.outside.write)(&text, true),
    }
    Ok(Value::None)
}

fn install_attributes(vm: &Vm) {
    let names = &vm.builtins;
    function(vm, names, "getattr", |vm, args| {
        let [object, name, default] = args.between(vm, "getattr", 2)?;
        let (Some(object), Some(name)) = (object, name) else {
            return Ok(Value::None);
        };
        let name = super::object::name_argument(vm, &name)?;
        match default {
            None => vm.get_attribute(&object, &name),
            Some(default) => Ok(vm.optional_attribute(&object, &name)?.unwrap_or(default)),
        }
    });
    function(vm, names, "setattr", |vm, args| {
        let [object, name, value] = args.exactly(vm, "setattr")?;
        let name = super::object::name_argument(vm, &name)?;
        vm.set_attribute(&object, &name, value)?;
        Ok(Value::None)
    });
    function(vm, names, "delattr", |vm, args| {
        let [object, name] = args.exactly(vm, "delattr")?;
        let name = super::object::name_argument(vm, &name)?;
        vm.delete_attribute(&object, &name)?;
        Ok(Value::None)
    });
    function(vm, names, "hasattr", |vm, args| {
        let [object, name] = args.exactly(vm, "hasattr")?;
        let name = super::object::name_argument(vm, &name)?;
        Ok(Value::Bool(
            vm.optional_attribute(&object, &name)?.is_some(),
        ))
    });
    function_of_caller(vm, "dir", |vm, args| {
        let [object] = args.between(vm, "dir", 0)?;
        let Some(object) = object else {
            let mut keys = caller(vm)?.locals.keys();
            keys.sort_by_key(|key| format!("{key:?}"));
            return Ok(Value::list(keys));
        };
        if let Some(own) = vm.call_special(&object, &vm.names.dir, Vec::new())? {
            let mut listed = vm.collect(&own)?;
            listed.sort_by_key(|key| format!("{key:?}"));
            return Ok(Value::list(listed));
        }
        Ok(Value::list(names_of(vm, &object)))
    });
    function_of_caller(vm, "vars", |vm, args| {
        let [object] = args.between(vm, "vars", 0)?;
        match object {
            None => Ok(Value::Dict(caller(vm)?.locals)),
            Some(object) => match vm.optional_attribute(&object, &vm.names.dict)? {
                Some(dict) => Ok(dict),
                None => Err(vm.type_error("vars() argument must have __dict__ attribute")),
            },
        }
    });
    function_of_caller(vm, "locals", |vm, args| {
        args.exactly::<0>(vm, "locals")?;
        Ok(Value::Dict(caller(vm)?.locals))
    });
    function_of_caller(vm, "globals", |vm, args| {
        args.exactly::<0>(vm, "globals")?;
        Ok(Value::Dict(caller(vm)?.globals))
    });
}

fn caller(vm: &Vm) -> PyResult<Caller> {
    let caller = vm.caller.borrow_mut().take();
    caller.ok_or_else(|| vm.error("SystemError", "frame does not exist"))
}

fn install_classes(vm: &Vm) {
    let names = &vm.builtins;
    function(vm, names, "isinstance", |vm, args| {
        let [object, class] = args.exactly(vm, "isinstance")?;
        vm.instance_check(&object, &class).map(Value::Bool)
    });
    function(vm, names, "issubclass", |vm, args| {
        let [class, above] = args.exactly(vm, "issubclass")?;
        vm.subclass_check(&class, &above).map(Value::Bool)
    });
}

impl Vm {
    /// `isinstance(object, class)`; a tuple, a union or a class that decides itself.
    pub(crate) fn instance_check(&self, object: &Value, class: &Value) -> PyResult<bool> {
        match class {
            Value::Class(wanted) => {
                if wanted.metaclass.is_some() {
                    let args = vec![object.clone()];
                    let answer = self.call_special(class, &self.names.instancecheck, args)?;
                    if let Some(answer) = answer {
                        return self.truth(&answer);
                    }
                }
                if self.is_instance(object, wanted) {
                    return Ok(true);
                }
                // An object may say of itself that it is of another class.
                if let Value::Instance(instance) = object
                    && instance
                        .class()
                        .lookup(&self.names.class)
                        .is_some_and(|found| matches!(found, Value::Property(_)))
                    && let Value::Class(claimed) = self.get_attribute(object, &self.names.class)?
                {
                    return Ok(claimed.is_subclass(wanted));
                }
                Ok(false)
            }
            Value::None => Ok(object.is_none()),
            Value::Tuple(classes) => self.deeper(|| {
                for class in classes.iter() {
                    if self.instance_check(object, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }),
            other => match self.union_members(other) {
                Some(members) => self.instance_check(object, &Value::tuple(members)),
                None => {
                    let args = vec![object.clone()];
                    match self.call_special(other, &self.names.instancecheck, args)? {
                        Some(answer) => self.truth(&answer),
                        None => {
                            let message =
                                "isinstance() arg 2 must be a type, a tuple of types, or a union";
                            Err(self.type_error(message))
                        }
                    }
                }
            },
        }
    }

    fn union_members(&self, value: &Value) -> Option<Vec<Value>> {
        let Value::Instance(instance) = value else {
            return None;
        };
        let alias = instance.native::<crate::vm::Alias>()?;
        alias.origin.is_unbound().then(|| alias.arguments.clone())
    }

    pub(crate) fn subclass_check(&self, class: &Value, above: &Value) -> PyResult<bool> {
        let Value::Class(below) = class else {
            return Err(self.type_error("issubclass() arg 1 must be a class"));
        };
        match above {
            Value::Class(wanted) => {
                if wanted.metaclass.is_some() {
                    let args = vec![class.clone()];
                    let answer = self.call_special(above, &self.names.subclasscheck, args)?;
                    if let Some(answer) = answer {
                        return self.truth(&answer);
                    }
                }
                Ok(below.is_subclass(wanted))
            }
            Value::None => Ok(Rc::ptr_eq(below, &self.types.none)),
            Value::Tuple(many) => {
                for above in many.iter() {
                    if self.subclass_check(class, above)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            other => match self.union_members(other) {
                Some(members) => self.subclass_check(class, &Value::tuple(members)),
                None => {
                    let args = vec![class.clone()];
                    match self.call_special(other, &self.names.subclasscheck, args)? {
                        Some(answer) => self.truth(&answer),
                        None => Err(self.type_error(
                            "issubclass() arg 2 must be a class, a tuple of classes, or a union",
                        )),
                    }
                }
            },
        }
    }

    /// What `sys.stdout` is, if a program has put something else there.
    fn standard_output(&self) -> Option<Value> {
        let Value::Module(sys) = self.modules.get_str(&self.intern("sys"))? else {
            return None;
        };
        let output = sys.dict.get_str(&self.intern("stdout"))?;
        match &output {
            Value::Instance(instance) if *instance.class().name() == *"TextOutput" => None,
            Value::None => None,
            _ => Some(output),
        }
    }
}

fn install_evaluation(vm: &Vm) {
    function_of_caller(vm, "eval", |vm, args| {
        let caller = caller(vm)?;
        let [source, globals, locals] = args.between(vm, "eval", 1)?;
        let source = source.unwrap_or(Value::None);
        let code = match &source {
            Value::Code(code) => code.clone(),
            source => {
                let text = source_text(vm, source, "eval")?;
                parser::parse_expression(&text)
                    .and_then(|expr| compile::expression(&expr))
                    .map_err(|error| vm.syntax_error(&error))?
            }
        };
        evaluate(vm, code, caller, globals, locals)
    });
    function_of_caller(vm, "exec", |vm, args| {
        let caller = caller(vm)?;
        let [source, globals, locals] = args.between(vm, "exec", 1)?;
        let source = source.unwrap_or(Value::None);
        let code = match &source {
            Value::Code(code) => code.clone(),
            source => compile_module(vm, &source_text(vm, source, "exec")?)?,
        };
        evaluate(vm, code, caller, globals, locals)?;
        Ok(Value::None)
    });
    function(vm, &vm.builtins, "compile", |vm, args| {
        let parameters = [
            "source",
            "filename",
            "mode",
            "flags",
            "dont_inherit",
            "optimize",
        ];
        let [source, _, mode, ..] = args.bind(vm, "compile", parameters, 3)?;
        let text = source_text(vm, &source.unwrap_or(Value::None), "compile")?;
        let mode = vm.str(&mode.unwrap_or(Value::None))?;
        match &**mode {
            "eval" => parser::parse_expression(&text)
                .and_then(|expr| compile::expression(&expr))
                .map(Value::Code)
                .map_err(|error| vm.syntax_error(&error)),
            "exec" | "single" => compile_module(vm, &text).map(Value::Code),
            _ => Err(vm.value_error("compile() mode must be 'exec', 'eval' or 'single'")),
        }
    });
}

fn compile_module(vm: &Vm, text: &str) -> PyResult<Rc<crate::code::Code>> {
    parser::parse_module(text)
        .and_then(|block| compile::module(&block, Mode::Module))
        .map_err(|error| vm.syntax_error(&error))
}

fn source_text(vm: &Vm, source: &Value, function: &str) -> PyResult<String> {
    match source.plain() {
        Value::Str(text) => match text.contains('\0') {
            true => Err(vm.value_error("source code string cannot contain null bytes")),
            false => Ok(text.to_string()),
        },
        Value::Bytes(bytes) => String::from_utf8(bytes.to_vec())
            .map_err(|_| vm.error("SyntaxError", "source code is not UTF-8")),
        _ => {
            let message = format!("{function}() arg 1 must be a string, bytes or code object");
            Err(vm.type_error(message))
        }
    }
}

/// Runs code with these names, or with those of the caller.
fn evaluate(
    vm: &Vm,
    code: Rc<crate::code::Code>,
    caller: Caller,
    globals: Option<Value>,
    locals: Option<Value>,
) -> PyResult {
    if !code.free.is_empty() || code.positional > 0 || code.star || code.keyword_only > 0 {
        return Err(vm.type_error("code object passed to exec() may not contain free variables"));
    }
    let dict = |value: Value| match value.plain() {
        Value::Dict(dict) => Ok(dict.clone()),
        _ => Err(vm.type_error("globals and locals must be dictionaries")),
    };
    let given = globals.filter(|globals| !globals.is_none());
    let (globals, mut namespace) = match given {
        Some(globals) => {
            let globals = dict(globals)?;
            (globals.clone(), globals)
        }
        None => (caller.globals, caller.locals),
    };
    if let Some(locals) = locals.filter(|locals| !locals.is_none()) {
        namespace = dict(locals)?;
    }
    let mut frame = Frame::new(code, globals, &[]);
    frame.namespace = Some(namespace);
    vm.run_frame(&mut frame)
}

/// A list that starts a computation with these values.
fn all_of(
    vm: &Vm,
    iterable: &Value,
    mut each: impl FnMut(Value) -> PyResult<bool>,
) -> PyResult<bool> {
    let iterator = vm.iter(iterable)?;
    while let Some(value) = vm.next(&iterator)? {
        if !each(value)? {
            return Ok(false);
        }
    }
    Ok(true)
}
