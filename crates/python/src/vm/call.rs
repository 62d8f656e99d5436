//! Calls: functions of the program, native ones, classes, objects with `__call__`.
use super::{Caller, Frame, PyResult, Raise, Vm};
use crate::{
    class::{Class, Layout},
    code::{ANNOTATIONS, DEFAULTS, KEYWORD_DEFAULTS},
    table::Dict,
    text::Str,
    value::{Args, Function, Generator, Method, Native, Super, Value},
};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

impl Vm {
    /// Calls anything with positional arguments.
    pub(crate) fn call(&self, function: &Value, args: Vec<Value>) -> PyResult {
        self.call_with(function, Args::positional(args))
    }

    /// Calls a method by name.
    pub(crate) fn call_method(&self, object: &Value, name: &str, args: Vec<Value>) -> PyResult {
        let method = self.get_attribute(object, &self.intern(name))?;
        self.call(&method, args)
    }

    pub(crate) fn call_with(&self, function: &Value, mut args: Args) -> PyResult {
        match function {
            Value::Function(function) => self.call_function(function, args),
            Value::Native(native) => self.call_native(native, args),
            Value::Method(method) => {
                args.positional.insert(0, method.receiver.clone());
                self.call_with(&method.function, args)
            }
            Value::Class(class) => self.call_class(class, args),
            Value::StaticMethod(inner) => self.call_with(inner, args),
            other => {
                let class = self.class_of(other);
                match class.lookup(&self.names.call) {
                    Some(call) if matches!(other, Value::Instance(_)) => {
                        let call = self.bind(&call, other, &class)?;
                        self.deeper(|| self.call_with(&call, args))
                    }
                    _ => {
                        let message = format!("'{}' object is not callable", class.name());
                        Err(self.type_error(message))
                    }
                }
            }
        }
    }

    /// As [`Self::call_with`], for functions that look at who calls them.
    pub(crate) fn call_from(&self, frame: &Frame, function: &Value, args: Args) -> PyResult {
        match function {
            Value::Native(native) if native.sees_caller => {
                let caller = Caller {
                    globals: frame.globals.clone(),
                    locals: frame.visible(self),
                };
                *self.caller.borrow_mut() = Some(caller);
            }
            Value::Class(class)
                if args.positional.is_empty() && Rc::ptr_eq(class, &self.types.super_) =>
            {
                return self.super_of(frame);
            }
            _ => {}
        }
        self.call_with(function, args)
    }

    fn call_native(&self, native: &Native, args: Args) -> PyResult {
        if let Some(owner) = &native.owner {
            let receiver = args.positional.first();
            match receiver.map(|receiver| self.is_instance(receiver, owner)) {
                Some(true) => {}
                Some(false) => {
                    let message = format!(
                        "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                        native.name,
                        owner.name(),
                        self.class_name(&args.positional[0])
                    );
                    return Err(self.type_error(message));
                }
                None => {
                    let message = format!(
                        "unbound method {}.{}() needs an argument",
                        owner.name(),
                        native.name
                    );
                    return Err(self.type_error(message));
                }
            }
        }
        self.deeper(|| (native.code)(self, args))
    }

    fn call_function(&self, function: &Rc<Function>, args: Args) -> PyResult {
        let code = &function.code;
        let mut frame = Frame::new(code.clone(), function.globals.clone(), &function.closure);
        if args.keywords.is_empty()
            && args.positional.len() == code.positional as usize
            && code.keyword_only == 0
            && !code.star
            && !code.double_star
        {
            for (local, value) in frame.locals.iter_mut().zip(args.positional) {
                *local = value;
            }
        } else {
            self.bind_parameters(function, args, &mut frame.locals)?;
        }
        for (cell, local) in &code.cell_parameters {
            let value = frame.locals[*local as usize].clone();
            *frame.cells[*cell as usize].borrow_mut() = value;
        }
        if code.is_generator {
            return Ok(Value::Generator(Rc::new(Generator {
                name: self.intern(&code.name),
                qualname: function.qualname.borrow().clone(),
                frame: RefCell::new(Some(Box::new(frame))),
                running: Cell::new(false),
                started: Cell::new(false),
            })));
        }
        self.run_frame(&mut frame)
    }

    /// Puts arguments into the locals that are parameters.
    fn bind_parameters(
        &self,
        function: &Rc<Function>,
        args: Args,
        locals: &mut [Value],
    ) -> PyResult<()> {
        let code = &function.code;
        let (positional, keyword_only) = (code.positional as usize, code.keyword_only as usize);
        let named = positional + keyword_only;
        let names = &self.linked(code).locals;
        let given = args.positional.len();
        let mut values = args.positional.into_iter();
        for (local, value) in locals.iter_mut().take(positional).zip(values.by_ref()) {
            *local = value;
        }
        let rest: Vec<Value> = values.collect();
        if code.star {
            locals[named] = Value::tuple(rest);
        }
        let surplus = !code.star && given > positional;
        let others = Dict::new();
        let passed: Vec<Rc<Str>> = args.keywords.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in args.keywords {
            let at = names[..named]
                .iter()
                .enumerate()
                .skip(code.positional_only as usize)
                .find(|(_, parameter)| Rc::ptr_eq(parameter, &name) || ***parameter == **name);
            match at {
                Some((at, _)) if !locals[at].is_unbound() => {
                    let message = format!(
                        "{}() got multiple values for argument '{name}'",
                        function.qualname.borrow()
                    );
                    return Err(self.type_error(message));
                }
                Some((at, _)) => locals[at] = value,
                None if code.double_star => others.set_str(&name, value),
                None => return Err(self.unexpected(function, &name, &passed, &names[..named])),
            }
        }
        if surplus {
            return Err(self.too_many(function, given, locals));
        }
        if code.double_star {
            locals[named + usize::from(code.star)] = Value::Dict(others);
        }
        self.fill_defaults(function, names, locals)
    }

    fn unexpected(
        &self,
        function: &Function,
        name: &Rc<Str>,
        passed: &[Rc<Str>],
        names: &[Rc<Str>],
    ) -> Raise {
        let qualname = function.qualname.borrow();
        let only = names.iter().take(function.code.positional_only as usize);
        let only: Vec<&str> = only
            .filter(|known| passed.iter().any(|name| **name == ***known))
            .map(|known| &***known as &str)
            .collect();
        let message = match only.is_empty() {
            false => format!(
                "{qualname}() got some positional-only arguments passed as keyword arguments: '{}'",
                only.join(", ")
            ),
            true => format!("{qualname}() got an unexpected keyword argument '{name}'"),
        };
        self.type_error(message)
    }

    fn fill_defaults(
        &self,
        function: &Function,
        names: &[Rc<Str>],
        locals: &mut [Value],
    ) -> PyResult<()> {
        let code = &function.code;
        let positional = code.positional as usize;
        let defaults = function.defaults.borrow().clone();
        let first = positional.saturating_sub(defaults.len());
        for (local, default) in locals[first..positional].iter_mut().zip(defaults.iter()) {
            if local.is_unbound() {
                *local = default.clone();
            }
        }
        let named = positional + code.keyword_only as usize;
        let keyword_defaults = function.keyword_defaults.borrow().clone();
        for at in positional..named {
            let default = keyword_defaults
                .as_ref()
                .and_then(|d| d.get_str(&names[at]));
            if let (true, Some(default)) = (locals[at].is_unbound(), default) {
                locals[at] = default;
            }
        }
        for (kind, range) in [
            ("positional", 0..positional),
            ("keyword-only", positional..named),
        ] {
            let missing: Vec<&str> = range
                .filter(|at| locals[*at].is_unbound())
                .map(|at| &**names[at] as &str)
                .collect();
            if !missing.is_empty() {
                let plural = if missing.len() == 1 { "" } else { "s" };
                let message = format!(
                    "{}() missing {} required {kind} argument{plural}: {}",
                    function.qualname.borrow(),
                    missing.len(),
                    listed(&missing)
                );
                return Err(self.type_error(message));
            }
        }
        Ok(())
    }

    fn too_many(&self, function: &Function, given: usize, locals: &[Value]) -> Raise {
        let code = &function.code;
        let most = code.positional as usize;
        let least = most.saturating_sub(function.defaults.borrow().len());
        let plural = if most == 1 { "" } else { "s" };
        let takes = match least == most {
            true => format!("{most} positional argument{plural}"),
            false => format!("from {least} to {most} positional arguments"),
        };
        let named = most + code.keyword_only as usize;
        let keyword = locals[most..named]
            .iter()
            .filter(|l| !l.is_unbound())
            .count();
        let was = if given == 1 && keyword == 0 {
            "was"
        } else {
            "were"
        };
        let (s, keywords) = (plural_of(given), plural_of(keyword));
        let also = match keyword {
            0 => String::new(),
            n => format!(" positional argument{s} (and {n} keyword-only argument{keywords})"),
        };
        let message = format!(
            "{}() takes {takes} but {given}{also} {was} given",
            function.qualname.borrow()
        );
        self.type_error(message)
    }

    pub(crate) fn call_class(&self, class: &Rc<Class>, args: Args) -> PyResult {
        if let Some(metaclass) = &class.metaclass
            && let Some(call) = metaclass.lookup(&self.names.call)
            && !matches!(call, Value::Native(_))
        {
            let call = self.bind(&call, &Value::Class(class.clone()), metaclass)?;
            return self.call_with(&call, args);
        }
        self.construct(class, args)
    }

    /// `type.__call__`: `__new__`, then `__init__` if that gave an object of the class.
    pub(crate) fn construct(&self, class: &Rc<Class>, mut args: Args) -> PyResult {
        if Rc::ptr_eq(class, &self.types.type_) && args.positional.len() == 1 {
            return Ok(Value::Class(self.class_of(&args.positional[0])));
        }
        if Rc::ptr_eq(class, &self.types.type_) && args.positional.len() != 3 {
            return Err(self.type_error("type() takes 1 or 3 arguments"));
        }
        let Some(new) = class.lookup(&self.names.new) else {
            let message = format!("cannot create '{}' instances", class.name());
            return Err(self.type_error(message));
        };
        let new = match &new {
            Value::StaticMethod(inner) => (**inner).clone(),
            _ => new,
        };
        let init = class.lookup(&self.names.init);
        let plain = match &init {
            Some(Value::Native(native)) => native
                .owner
                .as_ref()
                .is_some_and(|owner| Rc::ptr_eq(owner, &self.types.object)),
            _ => false,
        };
        let again = Args {
            positional: if plain {
                Vec::new()
            } else {
                args.positional.clone()
            },
            keywords: if plain {
                Vec::new()
            } else {
                args.keywords.clone()
            },
        };
        args.positional.insert(0, Value::Class(class.clone()));
        let object = self.deeper(|| self.call_with(&new, args))?;
        if plain || !self.is_instance(&object, class) {
            return Ok(object);
        }
        let mut args = again;
        if let Some(init) = init {
            args.positional.insert(0, object.clone());
            let init = match init {
                Value::Function(_) | Value::Native(_) => init,
                other => {
                    args.positional.remove(0);
                    self.bind(&other, &object, class)?
                }
            };
            let result = self.call_with(&init, args)?;
            if !result.is_none() {
                let name = self.class_name(&result);
                let message = format!("__init__() should return None, not '{name}'");
                return Err(self.type_error(message));
            }
        }
        Ok(object)
    }

    /// `super()` in a method: of the class that the method was written in.
    fn super_of(&self, frame: &Frame) -> PyResult {
        let missing = |what: &str| self.error("RuntimeError", format!("super(): {what}"));
        let code = &frame.code;
        if code.positional == 0 && !code.star {
            return Err(missing("no arguments"));
        }
        let in_cell = code.cell_parameters.iter().find(|(_, local)| *local == 0);
        let receiver = match in_cell {
            Some((cell, _)) => frame.cells[*cell as usize].borrow().clone(),
            None => frame.locals.first().cloned().unwrap_or(Value::Unbound),
        };
        let receiver = match (&receiver, code.positional) {
            (Value::Tuple(all), 0) => all.first().cloned().unwrap_or(Value::Unbound),
            _ => receiver,
        };
        if receiver.is_unbound() {
            return Err(missing("arg[0] deleted"));
        }
        let cell = code.cells.iter().position(|name| &**name == "__class__");
        let class = cell
            .and_then(|at| frame.cells.get(at))
            .map(|cell| cell.borrow().clone());
        match class {
            Some(Value::Class(class)) => self.new_super(class, receiver),
            Some(_) => Err(missing("empty __class__ cell")),
            None => Err(missing("__class__ cell not found")),
        }
    }

    pub(crate) fn new_super(&self, class: Rc<Class>, receiver: Value) -> PyResult {
        let receiver_class = match &receiver {
            Value::Class(own) if own.is_subclass(&class) => own.clone(),
            other => self.class_of(other),
        };
        if !receiver_class.is_subclass(&class) {
            let message = "super(type, obj): obj must be an instance or subtype of type";
            return Err(self.type_error(message));
        }
        Ok(Value::Super(Rc::new(Super {
            class,
            receiver,
            receiver_class,
        })))
    }

    /// Arguments of which the last ones have these names.
    pub(crate) fn with_names(&self, mut values: Vec<Value>, names: &Value) -> Args {
        let Value::Tuple(names) = names else {
            return Args::positional(values);
        };
        let named = values.split_off(values.len().saturating_sub(names.len()));
        let name = |name: &Value| match name {
            Value::Str(name) => name.clone(),
            _ => self.intern(""),
        };
        Args {
            positional: values,
            keywords: names.iter().map(name).zip(named).collect(),
        }
    }

    pub(crate) fn spread(&self, list: &Value, keywords: &Value) -> PyResult<Args> {
        let positional = match list {
            Value::List(list) => list.borrow().clone(),
            Value::Tuple(tuple) => tuple.to_vec(),
            other => self.collect(other)?,
        };
        let mut args = Args::positional(positional);
        if let Value::Dict(dict) = keywords {
            for (name, value) in dict.pairs() {
                match name {
                    Value::Str(name) => args.keywords.push((name, value)),
                    _ => return Err(self.type_error("keywords must be strings")),
                }
            }
        }
        Ok(args)
    }

    /// `**more` in a call.
    pub(crate) fn dict_merge(
        &self,
        dict: &Rc<Dict>,
        more: &Value,
        function: &Value,
    ) -> PyResult<()> {
        let name = self.function_name(function);
        let Some(pairs) = self.mapping_pairs(more)? else {
            let kind = self.class_name(more);
            let message = format!("{name} argument after ** must be a mapping, not {kind}");
            return Err(self.type_error(message));
        };
        for (key, value) in pairs {
            let Value::Str(key) = &key else {
                return Err(self.type_error("keywords must be strings"));
            };
            if dict.has_str(key) {
                let message = format!("{name} got multiple values for keyword argument '{key}'");
                return Err(self.type_error(message));
            }
            dict.set_str(key, value);
        }
        Ok(())
    }

    fn function_name(&self, function: &Value) -> String {
        match function {
            Value::Function(function) => {
                let module = function.globals.get_str(&self.names.name);
                let module = match module {
                    Some(Value::Str(module)) => module.to_string(),
                    _ => "?".into(),
                };
                format!("{module}.{}()", function.qualname.borrow())
            }
            Value::Method(method) => self.function_name(&method.function),
            Value::Native(native) => format!("{}()", native.name),
            Value::Class(class) => format!("{}()", class.name()),
            other => format!("{} object", self.class_name(other)),
        }
    }

    pub(crate) fn make_function(&self, frame: &mut Frame, code: u32, flags: u8) -> PyResult<()> {
        let constant = self
            .linked(&frame.code)
            .constants
            .get(code as usize)
            .cloned();
        let Some(Value::Code(code)) = constant else {
            return Err(self.error("SystemError", "bad code"));
        };
        let annotations = (flags & ANNOTATIONS != 0).then(|| frame.pop());
        let keyword_defaults = (flags & KEYWORD_DEFAULTS != 0).then(|| frame.pop());
        let defaults = (flags & DEFAULTS != 0).then(|| frame.pop());
        let dict = Dict::new();
        if let Some(doc) = &code.doc {
            dict.set_str(&self.names.doc, Value::str(&**doc));
        }
        if let Some(annotations) = annotations {
            dict.set_str(&self.names.annotations, annotations);
        }
        let module = frame.globals.get_str(&self.names.name);
        dict.set_str(&self.names.module, module.unwrap_or(Value::None));
        let closure = code
            .free
            .iter()
            .filter_map(|at| frame.cells.get(*at as usize).cloned())
            .collect();
        frame.push(Value::Function(Rc::new(Function {
            name: RefCell::new(self.intern(&code.name)),
            qualname: RefCell::new(self.intern(&code.qualname)),
            globals: frame.globals.clone(),
            defaults: RefCell::new(match defaults {
                Some(Value::Tuple(defaults)) => defaults,
                _ => Rc::default(),
            }),
            keyword_defaults: RefCell::new(match keyword_defaults {
                Some(Value::Dict(defaults)) => Some(defaults),
                _ => None,
            }),
            closure,
            dict,
            code,
        })));
        Ok(())
    }

    /// A method of this object.
    pub(crate) fn bound(&self, function: Value, receiver: Value) -> Value {
        Value::Method(Rc::new(Method { function, receiver }))
    }

    /// What a constructor of a builtin type gives: the value, or an object of a descendant that carries it.
    pub(crate) fn wrap(&self, class: &Rc<Class>, value: Value) -> Value {
        use crate::value::{Instance, Payload};
        match class.builtin || class.layout == Layout::Object {
            true => value,
            false => Value::Instance(Instance::new(class.clone(), Payload::Value(value))),
        }
    }
}

fn plural_of(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.as_slice() {
        [head @ .., last] if head.len() > 1 => format!("{}, and {last}", head.join(", ")),
        [first, last] => format!("{first} and {last}"),
        _ => quoted.join(", "),
    }
}
