//! `sys`: what a program may know of the interpreter, which is what is the same on every machine.
use crate::{
    builtins::{function, method},
    table::Dict,
    value::{Instance, Payload, Value},
    vm::{PyResult, Vm},
};
use num_traits::ToPrimitive;
use std::rc::Rc;

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    let set = |name: &str, value: Value| names.set_str(&vm.intern(name), value);
    set("modules", Value::Dict(vm.modules.clone()));
    set("maxsize", Value::Int(i64::MAX));
    set("maxunicode", Value::Int(0x10_ffff));
    set("byteorder", Value::str("little"));
    set("platform", Value::str("linux"));
    set("version", Value::str("3.11.7 (default) [Reckon]"));
    set("hexversion", Value::Int(0x030b_07f0));
    set("executable", Value::str(""));
    set("prefix", Value::str(""));
    set("argv", Value::list(vec![Value::str("")]));
    set("path", Value::list(Vec::new()));
    set("dont_write_bytecode", Value::Bool(true));
    set("float_repr_style", Value::str("short"));
    set("copyright", Value::str(""));
    set("builtin_module_names", Value::tuple(Vec::new()));
    install_records(vm, names);
    install_functions(vm, names);
    install_streams(vm, names)
}

/// What belongs together: the version, the limits of numbers.
fn install_records(vm: &Vm, names: &Rc<Dict>) {
    let set = |name: &str, value: Value| names.set_str(&vm.intern(name), value);
    let text = Value::str;
    let version = [
        ("major", Value::Int(3)),
        ("minor", Value::Int(11)),
        ("micro", Value::Int(7)),
        ("releaselevel", text("final")),
        ("serial", Value::Int(0)),
    ];
    set("version_info", record(vm, "sys.version_info", &version));
    set(
        "float_info",
        record(
            vm,
            "sys.float_info",
            &[
                ("max", Value::Float(f64::MAX)),
                ("max_exp", Value::Int(1024)),
                ("max_10_exp", Value::Int(308)),
                ("min", Value::Float(f64::MIN_POSITIVE)),
                ("min_exp", Value::Int(-1021)),
                ("min_10_exp", Value::Int(-307)),
                ("dig", Value::Int(15)),
                ("mant_dig", Value::Int(53)),
                ("epsilon", Value::Float(f64::EPSILON)),
                ("radix", Value::Int(2)),
                ("rounds", Value::Int(1)),
            ],
        ),
    );
    set(
        "int_info",
        record(
            vm,
            "sys.int_info",
            &[
                ("bits_per_digit", Value::Int(30)),
                ("sizeof_digit", Value::Int(4)),
                ("default_max_str_digits", Value::Int(4300)),
                ("str_digits_check_threshold", Value::Int(640)),
            ],
        ),
    );
    set(
        "hash_info",
        record(
            vm,
            "sys.hash_info",
            &[
                ("width", Value::Int(64)),
                ("modulus", Value::Int((1 << 61) - 1)),
                ("inf", Value::Int(314_159)),
                ("nan", Value::Int(0)),
                ("imag", Value::Int(1_000_003)),
            ],
        ),
    );
    set(
        "flags",
        record(
            vm,
            "sys.flags",
            &[("optimize", Value::Int(0)), ("debug", Value::Int(0))],
        ),
    );
}

/// A named tuple without names in its `repr`'s way: programs read its fields and compare it with tuples.
fn record(vm: &Vm, name: &str, fields: &[(&str, Value)]) -> Value {
    let class = vm.types.native_class(name);
    // A tuple in all but its attributes.
    let class = crate::class::Class {
        ancestors: std::iter::once(vm.types.tuple.clone())
            .chain(class.ancestors.iter().cloned())
            .collect(),
        bases: vec![vm.types.tuple.clone()],
        layout: crate::class::Layout::Tuple,
        metaclass: None,
        name: class.name.clone(),
        dict: class.dict.clone(),
        builtin: false,
        hooks: std::cell::Cell::default(),
        slots: std::cell::OnceCell::new(),
        descendants: std::cell::RefCell::default(),
    };
    let values = fields.iter().map(|(_, value)| value.clone()).collect();
    let instance = Instance::new(Rc::new(class), Payload::Value(Value::tuple(values)));
    for (field, value) in fields {
        instance.dict().set_str(&vm.intern(field), value.clone());
    }
    Value::Instance(instance)
}

fn install_functions(vm: &Vm, names: &Rc<Dict>) {
    function(vm, names, "exit", |vm, args| {
        Err(vm.exception("SystemExit", args.positional))
    });
    function(vm, names, "getrecursionlimit", |vm, _| {
        Ok(Value::size(vm.recursion_limit.get()))
    });
    function(vm, names, "setrecursionlimit", |vm, args| {
        let [limit] = args.exactly(vm, "setrecursionlimit")?;
        match vm.integer(&limit)?.to_usize() {
            Some(limit @ 1..) => {
                vm.recursion_limit.set(limit);
                Ok(Value::None)
            }
            _ => Err(vm.value_error("recursion limit must be greater or equal than 1")),
        }
    });
    function(vm, names, "get_int_max_str_digits", |vm, _| {
        Ok(Value::size(vm.max_digits.get()))
    });
    function(vm, names, "set_int_max_str_digits", |vm, args| {
        let [most] = args.bind(vm, "set_int_max_str_digits", ["maxdigits"], 1)?;
        let most = vm.integer(&most.unwrap_or(Value::None))?.to_usize();
        match most {
            Some(most @ (0 | 640..)) => {
                vm.max_digits.set(most);
                Ok(Value::None)
            }
            _ => Err(vm.value_error("maxdigits must be 0 or larger than 640")),
        }
    });
    function(vm, names, "intern", |vm, args| {
        let [text] = args.exactly(vm, "intern")?;
        Ok(text)
    });
    function(vm, names, "getsizeof", |vm, args| {
        let [value] = args.exactly(vm, "getsizeof")?;
        let places = vm.builtin_len(&value).unwrap_or(0);
        Ok(Value::size(56 + 8 * places))
    });
    function(vm, names, "getrefcount", |_, _| Ok(Value::Int(2)));
    function(vm, names, "getdefaultencoding", |_, _| {
        Ok(Value::str("utf-8"))
    });
    function(vm, names, "gettrace", |_, _| Ok(Value::None));
    function(vm, names, "exc_info", |vm, _| {
        Ok(Value::tuple(match vm.handled_now() {
            Some(exception) => {
                let class = Value::Class(exception.class());
                vec![class, Value::Instance(exception), Value::None]
            }
            None => vec![Value::None, Value::None, Value::None],
        }))
    });
    function(vm, names, "exception", |vm, _| {
        Ok(vm.handled_now().map_or(Value::None, Value::Instance))
    });
    for name in [
        "settrace",
        "setprofile",
        "_getframe",
        "_current_frames",
        "addaudithook",
    ] {
        function(vm, names, name, move |vm, _| {
            Err(vm.type_error(format!("sys.{name} is not allowed in the sandbox")))
        });
    }
}

/// `stdout`, `stderr` and `stdin`.
fn install_streams(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    let class = vm.types.native_class("TextOutput");
    method(vm, &class, "write", |vm, args| {
        let [stream, text] = args.method(vm, "write")?;
        let Value::Str(text) = text.plain() else {
            let name = vm.class_name(&text);
            return Err(vm.type_error(format!("write() argument must be str, not {name}")));
        };
        (vm.outside.write)(text, is_shown(&stream));
        Ok(Value::size(text.chars_len()))
    });
    method(vm, &class, "writelines", |vm, args| {
        let [stream, lines] = args.method(vm, "writelines")?;
        for line in vm.collect(&lines)? {
            let line = vm.str(&line)?;
            (vm.outside.write)(&line, is_shown(&stream));
        }
        Ok(Value::None)
    });
    method(vm, &class, "fileno", |vm, _| {
        Err(vm.error("OSError", "the sandbox has no file descriptors"))
    });
    for name in ["flush", "close"] {
        method(vm, &class, name, |_, _| Ok(Value::None));
    }
    for (name, answer) in [
        ("isatty", false),
        ("readable", false),
        ("writable", true),
        ("seekable", false),
    ] {
        method(vm, &class, name, move |_, _| Ok(Value::Bool(answer)));
    }
    for (attribute, value) in [("encoding", "utf-8"), ("errors", "strict"), ("mode", "w")] {
        class.dict.set_str(&vm.intern(attribute), Value::str(value));
    }
    class.dict.set_str(&vm.intern("closed"), Value::Bool(false));
    for (stream, hidden, shown) in [
        ("stdout", "__stdout__", true),
        ("stderr", "__stderr__", false),
    ] {
        let instance = Instance::new(class.clone(), Payload::Native(Box::new(shown)));
        instance
            .dict()
            .set_str(&vm.intern("name"), Value::str(format!("<{stream}>")));
        names.set_str(&vm.intern(stream), Value::Instance(instance.clone()));
        names.set_str(&vm.intern(hidden), Value::Instance(instance));
    }
    let class = vm.types.native_class("TextInput");
    for name in ["read", "readline", "readlines", "__next__"] {
        method(vm, &class, name, |vm, _| {
            Err(vm.error("EOFError", "the sandbox has no input"))
        });
    }
    method(vm, &class, "__iter__", |_, args| Ok(args.receiver()));
    method(vm, &class, "isatty", |_, _| Ok(Value::Bool(false)));
    method(vm, &class, "fileno", |vm, _| {
        Err(vm.error("OSError", "the sandbox has no file descriptors"))
    });
    let input = Value::Instance(Instance::new(class, Payload::None));
    names.set_str(&vm.intern("stdin"), input.clone());
    names.set_str(&vm.intern("__stdin__"), input);
    Ok(())
}

fn is_shown(stream: &Value) -> bool {
    match stream {
        Value::Instance(instance) => instance.native::<bool>().copied().unwrap_or(true),
        _ => true,
    }
}
