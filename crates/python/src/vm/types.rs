//! The builtin types as classes. What they can do is put into them by `builtins`.
use super::{PyResult, Vm, names::Names};
use crate::{
    class::{Class, Hooks, Layout, ancestors},
    table::Dict,
    text::Str,
    value::{Instance, Payload, Value, ViewKind},
};
use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
};

macro_rules! types {
    ($($field:ident $name:literal $layout:ident)*) => {
        pub(crate) struct Types {
            $(pub(crate) $field: Rc<Class>,)*
            pub(crate) base_exception: Rc<Class>,
            /// Exceptions by name.
            exceptions: HashMap<&'static str, Rc<Class>>,
            /// Iterators by the name of their type; made when first asked for.
            iterators: RefCell<HashMap<&'static str, Rc<Class>>>,
        }

        impl Types {
            pub(crate) fn new(names: &Names) -> Self {
                let root = new_class("object", Vec::new(), Layout::Object, names);
                let mut exceptions: HashMap<&'static str, Rc<Class>> = HashMap::new();
                for (name, parents) in EXCEPTIONS {
                    let parents: Vec<Rc<Class>> = parents
                        .split(' ')
                        .map(|parent| exceptions.get(parent).unwrap_or(&root).clone())
                        .collect();
                    let class = new_class(name, parents, Layout::Exception, names);
                    exceptions.insert(*name, class);
                }
                let mut types = Self {
                    base_exception: exceptions
                        .get("BaseException")
                        .expect("it is the first of the table")
                        .clone(),
                    exceptions,
                    iterators: RefCell::default(),
                    $($field: match $name {
                        "object" => root.clone(),
                        name => new_class(name, vec![root.clone()], Layout::$layout, names),
                    },)*
                };
                // A truth value is an integer.
                let above = vec![types.int.clone()];
                types.bool_ = new_class("bool", above, Layout::Int, names);
                types
            }

            /// Every class that has a field, with its name.
            pub(crate) fn all(&self) -> Vec<(&'static str, Rc<Class>)> {
                vec![$(($name, self.$field.clone()),)*]
            }
        }
    };
}

types! {
    object "object" Object
    type_ "type" Type
    int "int" Int
    bool_ "bool" Int
    float "float" Float
    complex "complex" Complex
    str_ "str" Str
    bytes "bytes" Bytes
    bytearray "bytearray" ByteArray
    tuple "tuple" Tuple
    list "list" List
    dict "dict" Dict
    set "set" Set
    frozenset "frozenset" FrozenSet
    range "range" Other
    slice "slice" Other
    none "NoneType" Other
    ellipsis "ellipsis" Other
    not_implemented "NotImplementedType" Other
    function "function" Other
    native "builtin_function_or_method" Other
    method_descriptor "method_descriptor" Other
    method "method" Other
    module "module" Object
    generator "generator" Other
    property "property" Property
    staticmethod "staticmethod" Other
    classmethod "classmethod" Other
    getset "getset_descriptor" Other
    super_ "super" Other
    dict_keys "dict_keys" Other
    dict_values "dict_values" Other
    dict_items "dict_items" Other
    code "code" Other
    cell "cell" Other
    generic_alias "GenericAlias" Other
    union "UnionType" Other
    enumerate "enumerate" Other
    zip "zip" Other
    map "map" Other
    filter "filter" Other
    reversed "reversed" Other
}

/// Parents come first.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("BaseException", "object"),
    ("Exception", "BaseException"),
    ("SystemExit", "BaseException"),
    ("KeyboardInterrupt", "BaseException"),
    ("GeneratorExit", "BaseException"),
    ("StopIteration", "Exception"),
    ("StopAsyncIteration", "Exception"),
    ("ArithmeticError", "Exception"),
    ("FloatingPointError", "ArithmeticError"),
    ("OverflowError", "ArithmeticError"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("AssertionError", "Exception"),
    ("AttributeError", "Exception"),
    ("BufferError", "Exception"),
    ("EOFError", "Exception"),
    ("ImportError", "Exception"),
    ("ModuleNotFoundError", "ImportError"),
    ("LookupError", "Exception"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("MemoryError", "Exception"),
    ("NameError", "Exception"),
    ("UnboundLocalError", "NameError"),
    ("OSError", "Exception"),
    ("BlockingIOError", "OSError"),
    ("ChildProcessError", "OSError"),
    ("ConnectionError", "OSError"),
    ("BrokenPipeError", "ConnectionError"),
    ("ConnectionAbortedError", "ConnectionError"),
    ("ConnectionRefusedError", "ConnectionError"),
    ("ConnectionResetError", "ConnectionError"),
    ("FileExistsError", "OSError"),
    ("FileNotFoundError", "OSError"),
    ("InterruptedError", "OSError"),
    ("IsADirectoryError", "OSError"),
    ("NotADirectoryError", "OSError"),
    ("PermissionError", "OSError"),
    ("ProcessLookupError", "OSError"),
    ("TimeoutError", "OSError"),
    ("ReferenceError", "Exception"),
    ("RuntimeError", "Exception"),
    ("NotImplementedError", "RuntimeError"),
    ("RecursionError", "RuntimeError"),
    ("SyntaxError", "Exception"),
    ("IndentationError", "SyntaxError"),
    ("TabError", "IndentationError"),
    ("SystemError", "Exception"),
    ("TypeError", "Exception"),
    ("ValueError", "Exception"),
    ("UnicodeError", "ValueError"),
    ("UnicodeDecodeError", "UnicodeError"),
    ("UnicodeEncodeError", "UnicodeError"),
    ("UnicodeTranslateError", "UnicodeError"),
    ("Warning", "Exception"),
    ("BytesWarning", "Warning"),
    ("DeprecationWarning", "Warning"),
    ("EncodingWarning", "Warning"),
    ("FutureWarning", "Warning"),
    ("ImportWarning", "Warning"),
    ("PendingDeprecationWarning", "Warning"),
    ("ResourceWarning", "Warning"),
    ("RuntimeWarning", "Warning"),
    ("SyntaxWarning", "Warning"),
    ("UnicodeWarning", "Warning"),
    ("UserWarning", "Warning"),
];

impl Types {
    /// The builtin exception of this name; `Exception` if there is none.
    pub(crate) fn exception(&self, name: &str) -> Rc<Class> {
        let found = self.exceptions.get(name);
        found.unwrap_or(&self.base_exception).clone()
    }

    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (&'static str, &Rc<Class>)> {
        EXCEPTIONS
            .iter()
            .filter_map(|(name, _)| Some((*name, self.exceptions.get(name)?)))
    }

    /// The class of a value that is neither an object nor a class.
    pub(crate) fn of(&self, value: &Value) -> Rc<Class> {
        let class = match value {
            Value::Unbound | Value::None => &self.none,
            Value::Ellipsis => &self.ellipsis,
            Value::NotImplemented => &self.not_implemented,
            Value::Bool(_) => &self.bool_,
            Value::Int(_) | Value::Big(_) => &self.int,
            Value::Float(_) => &self.float,
            Value::Complex(_) => &self.complex,
            Value::Str(_) => &self.str_,
            Value::Bytes(_) => &self.bytes,
            Value::ByteArray(_) => &self.bytearray,
            Value::Tuple(_) => &self.tuple,
            Value::List(_) => &self.list,
            Value::Dict(_) => &self.dict,
            Value::Set(_) => &self.set,
            Value::FrozenSet(_) => &self.frozenset,
            Value::Range(_) => &self.range,
            Value::Slice(_) => &self.slice,
            Value::Function(_) => &self.function,
            Value::Native(native) if native.owner.is_some() => &self.method_descriptor,
            Value::Native(_) => &self.native,
            Value::Method(method) => match &method.function {
                Value::Native(_) => &self.native,
                _ => &self.method,
            },
            Value::Module(_) => &self.module,
            Value::Iter(iter) => return self.iterator(iter.name),
            Value::Generator(_) => &self.generator,
            Value::Property(_) => &self.property,
            Value::StaticMethod(_) => &self.staticmethod,
            Value::ClassMethod(_) => &self.classmethod,
            Value::GetSet(_) => &self.getset,
            Value::Super(_) => &self.super_,
            Value::View(view) => match view.kind {
                ViewKind::Keys => &self.dict_keys,
                ViewKind::Values => &self.dict_values,
                ViewKind::Items => &self.dict_items,
            },
            Value::Code(_) => &self.code,
            Value::Class(_) => &self.type_,
            Value::Instance(_) => &self.object,
        };
        class.clone()
    }

    /// The class of a native iterator of this name.
    pub(crate) fn iterator(&self, name: &'static str) -> Rc<Class> {
        let known = match name {
            "enumerate" => Some(&self.enumerate),
            "zip" => Some(&self.zip),
            "map" => Some(&self.map),
            "filter" => Some(&self.filter),
            "reversed" => Some(&self.reversed),
            _ => None,
        };
        if let Some(class) = known {
            return class.clone();
        }
        if let Some(class) = self.iterators.borrow().get(name) {
            return class.clone();
        }
        let class = plain_class(name, vec![self.object.clone()], Layout::Other);
        // Every iterator has the methods of one of them.
        for (key, value) in self.zip.dict.pairs() {
            if let Value::Str(key) = key
                && matches!(&**key, "__iter__" | "__next__")
            {
                class.dict.set_str(&key, value);
            }
        }
        self.iterators.borrow_mut().insert(name, class.clone());
        class
    }

    /// A class that is written in Rust, with objects whose state is in Rust.
    ///
    /// It counts as a program's own class, so that its special methods are looked up.
    pub(crate) fn native_class(&self, name: &str) -> Rc<Class> {
        Rc::new(class(
            name,
            vec![self.object.clone()],
            Layout::Object,
            false,
        ))
    }

    /// Whether `class[...]` is a generic type.
    pub(crate) fn is_generic(&self, class: &Rc<Class>) -> bool {
        [
            &self.list,
            &self.dict,
            &self.set,
            &self.frozenset,
            &self.tuple,
            &self.type_,
            &self.enumerate,
            &self.zip,
            &self.map,
            &self.filter,
            &self.reversed,
        ]
        .iter()
        .any(|generic| Rc::ptr_eq(generic, class))
    }
}

fn new_class(name: &str, bases: Vec<Rc<Class>>, layout: Layout, names: &Names) -> Rc<Class> {
    let class = plain_class(name, bases, layout);
    class.dict.set_str(&names.module, Value::str("builtins"));
    class.dict.set_str(&names.doc, Value::None);
    class
}

fn plain_class(name: &str, bases: Vec<Rc<Class>>, layout: Layout) -> Rc<Class> {
    Rc::new(class(name, bases, layout, true))
}

fn class(name: &str, bases: Vec<Rc<Class>>, layout: Layout, builtin: bool) -> Class {
    Class {
        name: RefCell::new(Str::new(name)),
        ancestors: ancestors(&bases).unwrap_or_default(),
        bases,
        dict: Dict::new(),
        metaclass: None,
        layout,
        builtin,
        hooks: Cell::new(Hooks::default()),
        slots: OnceCell::new(),
        descendants: RefCell::default(),
    }
}

/// `list[int]` or `int | None`.
pub(crate) struct Alias {
    pub(crate) origin: Value,
    pub(crate) arguments: Vec<Value>,
}

impl Vm {
    pub(crate) fn generic_alias(&self, origin: Value, index: Value) -> Value {
        let arguments = match &index {
            Value::Tuple(many) => many.to_vec(),
            _ => vec![index],
        };
        let alias = Alias { origin, arguments };
        let class = self.types.generic_alias.clone();
        Value::Instance(Instance::new(class, Payload::Native(Box::new(alias))))
    }

    /// What a generic type is made of.
    pub(crate) fn alias_origin(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Instance(instance) => {
                instance.native::<Alias>().map(|alias| alias.origin.clone())
            }
            _ => None,
        }
    }

    /// `a | b` of types; nothing for other objects.
    pub(crate) fn union_type(&self, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let parts = |value: &Value| match value {
            Value::Class(_) | Value::None => Some(vec![value.clone()]),
            Value::Instance(instance) => {
                let alias = instance.native::<Alias>()?;
                match alias.origin {
                    Value::Unbound => Some(alias.arguments.clone()),
                    _ => Some(vec![value.clone()]),
                }
            }
            _ => None,
        };
        let (Some(mut arguments), Some(more)) = (parts(a), parts(b)) else {
            return Ok(None);
        };
        if a.is_none() && b.is_none() {
            return Ok(None);
        }
        for part in more {
            if !arguments.iter().any(|known| known.is(&part)) {
                arguments.push(part);
            }
        }
        let alias = Alias {
            origin: Value::Unbound,
            arguments,
        };
        let class = self.types.union.clone();
        let instance = Instance::new(class, Payload::Native(Box::new(alias)));
        Ok(Some(Value::Instance(instance)))
    }
}
