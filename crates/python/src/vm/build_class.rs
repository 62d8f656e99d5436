//! Classes of a program: the `class` statement, and `type(name, bases, names)`.
use super::{Frame, PyResult, Vm};
use crate::{
    class::{Class, Hooks, Layout, ancestors},
    table::Dict,
    text::Str,
    value::{Args, Value},
};
use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};

impl Vm {
    /// Runs the body of a `class` statement and has its metaclass make the class.
    pub(super) fn build_class(
        &self,
        frame: &Frame,
        code: u32,
        bases: &Value,
        keywords: &Value,
    ) -> PyResult {
        let constant = self
            .linked(&frame.code)
            .constants
            .get(code as usize)
            .cloned();
        let Some(Value::Code(code)) = constant else {
            return Err(self.error("SystemError", "bad code"));
        };
        let mut args = self.spread(bases, keywords)?;
        let original = args.positional.clone();
        let bases = self.resolve_bases(std::mem::take(&mut args.positional))?;
        let named = args
            .keywords
            .iter()
            .position(|(name, _)| **name == *"metaclass");
        let metaclass = named.map(|at| args.keywords.remove(at).1);
        let metaclass = match metaclass {
            Some(Value::Class(class)) => self.most_derived(&class, &bases)?,
            Some(function) => {
                return self.by_function(&function, frame, &code, bases, args);
            }
            None => {
                let first = bases
                    .first()
                    .map_or_else(|| self.types.type_.clone(), |base| self.class_of(base));
                self.most_derived(&first, &bases)?
            }
        };
        let name = self.intern(&code.name);
        let base_tuple = Value::tuple(bases.clone());
        let namespace = match metaclass.lookup(&self.names.prepare) {
            Some(prepare) => {
                let prepare = self.bind_to_class(&prepare, &metaclass)?;

                self.call_with(
                    &prepare,
                    Args {
                        positional: vec![Value::Str(name.clone()), base_tuple.clone()],
                        keywords: args.keywords.clone(),
                    },
                )?
            }
            None => Value::Dict(Dict::new()),
        };
        let Value::Dict(names) = namespace.plain() else {
            return Err(self.type_error("__prepare__() must return a mapping"));
        };
        let told = self
            .special(&namespace, &self.names.setitem)
            .map(|_| namespace.clone());
        let cell = self.run_class_body(frame, &code, names, told)?;
        if original.len() != bases.len() || original.iter().zip(&bases).any(|(a, b)| !a.is(b)) {
            names.set_str(&self.intern("__orig_bases__"), Value::tuple(original));
        }
        let args = Args {
            positional: vec![Value::Str(name), base_tuple, namespace.clone()],
            keywords: args.keywords,
        };
        let class = self.call_class(&metaclass, args)?;
        if let Some(cell) = cell {
            *cell.borrow_mut() = class.clone();
        }
        Ok(class)
    }

    /// A metaclass that is just a function.
    fn by_function(
        &self,
        function: &Value,
        frame: &Frame,
        code: &Rc<crate::code::Code>,
        bases: Vec<Value>,
        args: Args,
    ) -> PyResult {
        let names = Dict::new();
        let cell = self.run_class_body(frame, code, &names, None)?;
        let name = Value::Str(self.intern(&code.name));
        let args = Args {
            positional: vec![name, Value::tuple(bases), Value::Dict(names)],
            keywords: args.keywords,
        };
        let class = self.call_with(function, args)?;
        if let Some(cell) = cell {
            *cell.borrow_mut() = class.clone();
        }
        Ok(class)
    }

    /// Fills the namespace; gives the cell `__class__` if a method needs it.
    fn run_class_body(
        &self,
        frame: &Frame,
        code: &Rc<crate::code::Code>,
        names: &Rc<Dict>,
        told: Option<Value>,
    ) -> PyResult<Option<crate::value::CellRef>> {
        let closure: Vec<_> = code
            .free
            .iter()
            .filter_map(|at| frame.cells.get(*at as usize).cloned())
            .collect();
        let mut body = Frame::new(code.clone(), frame.globals.clone(), &closure);
        body.namespace = Some(names.clone());
        body.told = told;
        self.run_frame(&mut body)?;
        let cell = code
            .class_cell
            .and_then(|at| body.cells.get(at as usize).cloned());
        Ok(cell)
    }

    /// Generic types stand for their class, or say by `__mro_entries__` what they stand for.
    fn resolve_bases(&self, bases: Vec<Value>) -> PyResult<Vec<Value>> {
        let mut resolved = Vec::new();
        for base in &bases {
            if let Some(origin) = self.alias_origin(base) {
                resolved.push(origin);
                continue;
            }
            let entries = match base {
                Value::Class(_) => None,
                other => self.optional_attribute(other, &self.names.mro_entries)?,
            };
            match entries {
                Some(entries) => {
                    let entries = self.call(&entries, vec![Value::tuple(bases.clone())])?;
                    resolved.extend(self.collect(&entries)?);
                }
                None => resolved.push(base.clone()),
            }
        }
        Ok(resolved)
    }

    /// The metaclass of a class with these bases.
    pub(crate) fn most_derived(
        &self,
        metaclass: &Rc<Class>,
        bases: &[Value],
    ) -> PyResult<Rc<Class>> {
        let mut best = metaclass.clone();
        for base in bases {
            let own = self.class_of(base);
            if own.is_subclass(&best) {
                best = own;
            } else if !best.is_subclass(&own) {
                let message = "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases";
                return Err(self.type_error(message));
            }
        }
        Ok(best)
    }

    /// `type.__new__(metaclass, name, bases, names)`.
    pub(crate) fn new_class(
        &self,
        metaclass: &Rc<Class>,
        name: &Rc<Str>,
        bases: &[Value],
        names: &Rc<Dict>,
        keywords: Vec<super::Keyword>,
    ) -> PyResult {
        let bases = self.checked_bases(bases)?;
        let Some(order) = ancestors(&bases) else {
            let listed: Vec<String> = bases.iter().map(|base| base.name().to_string()).collect();
            let message = format!(
                "Cannot create a consistent method resolution\norder (MRO) for bases {}",
                listed.join(", ")
            );
            return Err(self.type_error(message));
        };
        let layout = bases
            .iter()
            .map(|base| base.layout)
            .find(|layout| *layout != Layout::Object)
            .unwrap_or(Layout::Object);
        let clash = bases
            .iter()
            .any(|base| base.layout != Layout::Object && base.layout != layout);
        if clash {
            let message = "multiple bases have instance lay-out conflict";
            return Err(self.type_error(message));
        }
        let is_type = Rc::ptr_eq(metaclass, &self.types.type_);
        let class = Rc::new(Class {
            name: RefCell::new(name.clone()),
            ancestors: order,
            dict: Dict::from_table(names.table.borrow().clone()),
            metaclass: (!is_type).then(|| metaclass.clone()),
            layout,
            builtin: false,
            hooks: Cell::default(),
            slots: OnceCell::new(),
            descendants: RefCell::default(),
            bases,
        });
        self.complete(&class)?;
        self.announce(&class, keywords)?;
        Ok(Value::Class(class))
    }

    fn checked_bases(&self, bases: &[Value]) -> PyResult<Vec<Rc<Class>>> {
        let mut checked: Vec<Rc<Class>> = Vec::new();
        for base in bases {
            let Value::Class(class) = base else {
                let message = "bases must be types";
                return Err(self.type_error(message));
            };
            if class.builtin
                && (class.layout == Layout::Other || Rc::ptr_eq(class, &self.types.bool_))
            {
                let message = format!("type '{}' is not an acceptable base type", class.name());
                return Err(self.type_error(message));
            }
            if checked.iter().any(|known| Rc::ptr_eq(known, class)) {
                return Err(self.type_error(format!("duplicate base class {}", class.name())));
            }
            checked.push(class.clone());
        }
        if checked.is_empty() {
            checked.push(self.types.object.clone());
        }
        Ok(checked)
    }

    /// What follows from the names in the body.
    fn complete(&self, class: &Rc<Class>) -> PyResult<()> {
        let dict = &class.dict;
        for name in [&self.names.init_subclass, &self.names.class_getitem] {
            if let Some(function @ Value::Function(_)) = dict.get_str(name) {
                dict.set_str(name, Value::ClassMethod(Rc::new(function)));
            }
        }
        if let Some(function @ Value::Function(_)) = dict.get_str(&self.names.new) {
            dict.set_str(&self.names.new, Value::StaticMethod(Rc::new(function)));
        }
        if dict.has_str(&self.names.eq) && !dict.has_str(&self.names.hash) {
            dict.set_str(&self.names.hash, Value::None);
        }
        if !dict.has_str(&self.names.doc) {
            dict.set_str(&self.names.doc, Value::None);
        }
        if !dict.has_str(&self.names.module) {
            let module = Value::Str(self.names.main.clone());
            dict.set_str(&self.names.module, module);
        }
        if let Some(Value::Str(name)) = dict.remove_str(&self.names.qualname) {
            dict.set_str(&self.names.qualname, Value::Str(name));
        }
        if let Some(slots) = dict.get_str(&self.names.slots) {
            self.take_slots(class, &slots)?;
        }
        self.refresh_hooks(class);
        for base in &class.bases {
            base.descendants.borrow_mut().push(Rc::downgrade(class));
        }
        Ok(())
    }

    /// `__slots__` binds only if every class above it has them as well.
    fn take_slots(&self, class: &Rc<Class>, slots: &Value) -> PyResult<()> {
        let own = match slots.plain() {
            Value::Str(name) => vec![Value::Str(name.clone())],
            _ => self.collect(slots)?,
        };
        let mut all: Vec<Rc<Str>> = Vec::new();
        for name in own {
            if let Value::Str(name) = name {
                all.push(name);
            }
        }
        for above in &class.ancestors {
            match above.slots.get() {
                Some(slots) => all.extend(slots.iter().cloned()),
                None if above.builtin => {}
                None => return Ok(()),
            }
        }
        if !all.iter().any(|name| **name == *"__dict__") {
            let _ = class.slots.set(all);
        }
        Ok(())
    }

    /// Finds out which of the methods that change attribute access a class has, and its descendants.
    pub(crate) fn refresh_hooks(&self, class: &Rc<Class>) {
        let has = |name| {
            class
                .order()
                .filter(|class| !class.builtin)
                .any(|class| class.dict.has_str(name))
        };
        class.hooks.set(Hooks {
            getattribute: has(&self.names.getattribute),
            getattr: has(&self.names.getattr),
            setattr: has(&self.names.setattr),
            delattr: has(&self.names.delattr),
        });
        let below: Vec<_> = class
            .descendants
            .borrow()
            .iter()
            .filter_map(|d| d.upgrade())
            .collect();
        for class in below {
            self.refresh_hooks(&class);
        }
    }

    /// `__set_name__` of what the body bound, `__init_subclass__` of the parent.
    fn announce(&self, class: &Rc<Class>, keywords: Vec<super::Keyword>) -> PyResult<()> {
        for (name, value) in class.dict.pairs() {
            if matches!(value, Value::Instance(_)) {
                let args = vec![Value::Class(class.clone()), name];
                self.call_special(&value, &self.names.set_name, args)?;
            }
        }
        let hook = class
            .ancestors
            .iter()
            .find_map(|above| above.dict.get_str(&self.names.init_subclass));
        match hook {
            Some(Value::ClassMethod(hook)) => {
                let args = Args {
                    positional: vec![Value::Class(class.clone())],
                    keywords,
                };
                self.call_with(&hook, args).map(drop)
            }
            _ if keywords.is_empty() => Ok(()),
            _ => {
                let message = format!(
                    "{}.__init_subclass__() takes no keyword arguments",
                    class.name()
                );
                Err(self.type_error(message))
            }
        }
    }
}
