//! Attributes: where they are looked for, in which order, and how functions become methods on the way.
use super::{PyResult, Raise, Vm};
use crate::{
    class::Class,
    table::Dict,
    text::Str,
    value::{Instance, Value},
};
use std::rc::Rc;

impl Vm {
    pub(crate) fn get_attribute(&self, object: &Value, name: &Rc<Str>) -> PyResult {
        match self.find_attribute(object, name)? {
            Some(value) => Ok(value),
            None => Err(self.no_attribute(object, name)),
        }
    }

    /// By a literal name.
    pub(crate) fn attribute(&self, object: &Value, name: &str) -> PyResult {
        self.get_attribute(object, &self.intern(name))
    }

    /// The attribute, if there is one; an `AttributeError` of the program's own code counts as none.
    pub(crate) fn optional_attribute(
        &self,
        object: &Value,
        name: &Rc<Str>,
    ) -> PyResult<Option<Value>> {
        match self.find_attribute(object, name) {
            Err(raise) if self.is_error(&raise, "AttributeError") => Ok(None),
            other => other,
        }
    }

    fn find_attribute(&self, object: &Value, name: &Rc<Str>) -> PyResult<Option<Value>> {
        let class = self.class_of(object);
        if class.hooks.get().getattribute
            && let Some(hook) = class.lookup(&self.names.getattribute)
        {
            let found = self.call(&hook, vec![object.clone(), Value::Str(name.clone())]);
            return match found {
                Err(raise)
                    if class.hooks.get().getattr && self.is_error(&raise, "AttributeError") =>
                {
                    self.attribute_hook(object, &class, name)
                }
                found => found.map(Some),
            };
        }
        match self.find_plain(object, &class, name) {
            Ok(None) => self.attribute_hook(object, &class, name),
            Err(raise) if class.hooks.get().getattr && self.is_error(&raise, "AttributeError") => {
                self.attribute_hook(object, &class, name)
            }
            found => found,
        }
    }

    fn attribute_hook(
        &self,
        object: &Value,
        class: &Rc<Class>,
        name: &Rc<Str>,
    ) -> PyResult<Option<Value>> {
        if class.hooks.get().getattr
            && let Some(hook) = class.lookup(&self.names.getattr)
        {
            return self
                .call(&hook, vec![object.clone(), Value::Str(name.clone())])
                .map(Some);
        }
        if let Value::Module(module) = object
            && let Some(hook) = module.dict.get_str(&self.names.getattr)
        {
            return self.call(&hook, vec![Value::Str(name.clone())]).map(Some);
        }
        Ok(None)
    }

    /// `object.__getattribute__`.
    pub(crate) fn find_plain(
        &self,
        object: &Value,
        class: &Rc<Class>,
        name: &Rc<Str>,
    ) -> PyResult<Option<Value>> {
        if let Value::Super(parent) = object {
            return self.find_super(parent, name);
        }
        let in_class = class.lookup(name);
        if let Some(attribute) = &in_class
            && self.is_data_descriptor(attribute)
        {
            return self.bind(attribute, object, class).map(Some);
        }
        if let Value::Class(own) = object {
            if let Some(attribute) = own.lookup(name) {
                return self.bind_to_class(&attribute, own).map(Some);
            }
        } else if let Some(value) = self.own_dict(object).and_then(|dict| dict.get_str(name)) {
            return Ok(Some(value));
        }
        match in_class {
            Some(attribute) => self.bind(&attribute, object, class).map(Some),
            // `object.method.cache_info` is one of the function's.
            None => match object {
                Value::Method(method) => self.optional_attribute(&method.function, name),
                _ => Ok(None),
            },
        }
    }

    fn find_super(&self, parent: &crate::value::Super, name: &Rc<Str>) -> PyResult<Option<Value>> {
        if **name == *"__class__" {
            return Ok(Some(Value::Class(self.types.super_.clone())));
        }
        let behind = parent
            .receiver_class
            .order()
            .skip_while(|class| !Rc::ptr_eq(class, &parent.class))
            .skip(1)
            .find_map(|class| class.dict.get_str(name));
        let Some(attribute) = behind else {
            return Ok(None);
        };
        // `__new__` is handed its class by whoever calls it.
        if **name == *"__new__" {
            return Ok(Some(match attribute {
                Value::StaticMethod(inner) => (*inner).clone(),
                other => other,
            }));
        }
        match &parent.receiver {
            Value::Class(own) if own.is_subclass(&parent.class) => match &attribute {
                Value::ClassMethod(_) | Value::StaticMethod(_) => {
                    self.bind_to_class(&attribute, own).map(Some)
                }
                // In a metaclass `self` is a class.
                _ if self.class_of(&parent.receiver).is_subclass(&parent.class) => {
                    let class = self.class_of(&parent.receiver);
                    self.bind(&attribute, &parent.receiver, &class).map(Some)
                }
                _ => Ok(Some(attribute)),
            },
            receiver => self
                .bind(&attribute, receiver, &parent.receiver_class)
                .map(Some),
        }
    }

    /// The names that an object has of its own.
    pub(crate) fn own_dict<'a>(&self, object: &'a Value) -> Option<&'a Rc<Dict>> {
        match object {
            Value::Instance(instance) => Some(instance.dict()),
            Value::Function(function) => Some(&function.dict),
            Value::Module(module) => Some(&module.dict),
            Value::Class(class) => Some(&class.dict),
            _ => None,
        }
    }

    /// What decides an attribute even if the object has one of that name.
    fn is_data_descriptor(&self, attribute: &Value) -> bool {
        match attribute {
            Value::Property(_) | Value::GetSet(_) => true,
            Value::Instance(instance) => {
                let class = instance.class();
                class.lookup(&self.names.set).is_some()
                    || class.lookup(&self.names.delete).is_some()
            }
            _ => false,
        }
    }

    /// What an attribute of the class is when it is taken from this object.
    pub(crate) fn bind(&self, attribute: &Value, object: &Value, class: &Rc<Class>) -> PyResult {
        match attribute {
            Value::Function(_) => Ok(self.bound(attribute.clone(), object.clone())),
            Value::Native(native) if native.owner.is_some() => {
                Ok(self.bound(attribute.clone(), object.clone()))
            }
            Value::StaticMethod(inner) => Ok((**inner).clone()),
            Value::ClassMethod(_) => self.bind_to_class(attribute, class),
            Value::Property(property) => match &property.get {
                Value::None => Err(self.no_getter(attribute, class)),
                get => self.call(get, vec![object.clone()]),
            },
            Value::GetSet(computed) => (computed.get)(self, object),
            Value::Instance(instance) => self.bind_instance(instance, object, Some(class)),
            other => Ok(other.clone()),
        }
    }

    fn bind_instance(
        &self,
        instance: &Rc<Instance>,
        object: &Value,
        class: Option<&Rc<Class>>,
    ) -> PyResult {
        let own = instance.class();
        let value = Value::Instance(instance.clone());
        match own.lookup(&self.names.get) {
            Some(get) => {
                let class = class.map_or(Value::None, |class| Value::Class(class.clone()));
                self.call(&get, vec![value, object.clone(), class])
            }
            None => Ok(value),
        }
    }

    /// What an attribute is when it is taken from the class itself.
    pub(crate) fn bind_to_class(&self, attribute: &Value, class: &Rc<Class>) -> PyResult {
        match attribute {
            Value::StaticMethod(inner) => Ok((**inner).clone()),
            Value::ClassMethod(inner) => match &**inner {
                Value::Property(property) => {
                    self.call(&property.get, vec![Value::Class(class.clone())])
                }
                inner => Ok(self.bound(inner.clone(), Value::Class(class.clone()))),
            },
            Value::Instance(instance) => self.bind_instance(instance, &Value::None, Some(class)),
            other => Ok(other.clone()),
        }
    }

    /// A function and its `self`, or anything callable and [`Value::Unbound`]: a method call without a bound method.
    pub(crate) fn get_method(&self, object: Value, name: &Rc<Str>) -> PyResult<(Value, Value)> {
        if !matches!(object, Value::Class(_) | Value::Super(_) | Value::Module(_)) {
            let class = self.class_of(&object);
            if !class.hooks.get().getattribute
                && let Some(attribute) = class.lookup(name)
            {
                let is_method = match &attribute {
                    Value::Function(_) => true,
                    Value::Native(native) => native.owner.is_some(),
                    _ => false,
                };
                let own = match &object {
                    Value::Instance(instance) => instance.own(name).is_some(),
                    Value::Function(function) => function.dict.has_str(name),
                    _ => false,
                };
                if is_method && !own {
                    return Ok((attribute, object));
                }
            }
        }
        Ok((self.get_attribute(&object, name)?, Value::Unbound))
    }

    pub(crate) fn no_attribute(&self, object: &Value, name: &Rc<Str>) -> Raise {
        let message = match object {
            Value::Module(module) => format!("module '{}' has no attribute '{name}'", module.name),
            Value::Class(class) => {
                format!("type object '{}' has no attribute '{name}'", class.name())
            }
            other => format!(
                "'{}' object has no attribute '{name}'",
                self.class_name(other)
            ),
        };
        self.attribute_error(message, object, name)
    }

    pub(crate) fn set_attribute(
        &self,
        object: &Value,
        name: &Rc<Str>,
        value: Value,
    ) -> PyResult<()> {
        let class = self.class_of(object);
        if class.hooks.get().setattr
            && let Some(hook) = class.lookup(&self.names.setattr)
        {
            let args = vec![object.clone(), Value::Str(name.clone()), value];
            return self.call(&hook, args).map(drop);
        }
        self.set_plain(object, &class, name, value)
    }

    /// `object.__setattr__`.
    pub(crate) fn set_plain(
        &self,
        object: &Value,
        class: &Rc<Class>,
        name: &Rc<Str>,
        value: Value,
    ) -> PyResult<()> {
        match class.lookup(name) {
            Some(Value::Property(property)) => {
                return match &property.set {
                    Value::None => Err(self.no_setter(class, name, "setter")),
                    set => self.call(set, vec![object.clone(), value]).map(drop),
                };
            }
            Some(Value::GetSet(computed)) => {
                return match computed.set {
                    Some(set) => set(self, object, value),
                    None => {
                        let message = format!(
                            "attribute '{name}' of '{}' objects is not writable",
                            class.name()
                        );
                        Err(self.attribute_error(message, object, name))
                    }
                };
            }
            Some(Value::Instance(instance)) => {
                if let Some(set) = instance.class().lookup(&self.names.set) {
                    let args = vec![Value::Instance(instance), object.clone(), value];
                    return self.call(&set, args).map(drop);
                }
            }
            _ => {}
        }
        self.set_own(object, class, name, value)
    }

    fn set_own(
        &self,
        object: &Value,
        class: &Rc<Class>,
        name: &Rc<Str>,
        value: Value,
    ) -> PyResult<()> {
        match object {
            Value::Instance(instance) => {
                if let Some(slots) = class.slots.get()
                    && !slots.iter().any(|slot| **slot == **name)
                {
                    return Err(self.no_attribute(object, name));
                }
                instance.dict().set_str(name, value);
            }
            Value::Function(function) => function.dict.set_str(name, value),
            Value::Module(module) => module.dict.set_str(name, value),
            Value::Class(own) => {
                if own.builtin {
                    let message = format!(
                        "cannot set '{name}' attribute of immutable type '{}'",
                        own.name()
                    );
                    return Err(self.type_error(message));
                }
                own.dict.set_str(name, value);
                self.refresh_hooks(own);
            }
            _ => {
                return Err(match class.lookup(name).is_some() {
                    true => {
                        let message =
                            format!("'{}' object attribute '{name}' is read-only", class.name());
                        self.attribute_error(message, object, name)
                    }
                    false => self.no_attribute(object, name),
                });
            }
        }
        Ok(())
    }

    /// A property does not know its name; the class does.
    fn no_getter(&self, property: &Value, class: &Rc<Class>) -> Raise {
        let named = class.order().find_map(|class| {
            let found = class
                .dict
                .pairs()
                .into_iter()
                .find(|(_, value)| value.is(property));
            found.map(|(name, _)| name)
        });
        let name = match named {
            Some(Value::Str(name)) => format!(" '{name}'"),
            _ => String::new(),
        };
        let message = format!("property{name} of '{}' object has no getter", class.name());
        self.error("AttributeError", message)
    }

    fn no_setter(&self, class: &Rc<Class>, name: &str, what: &str) -> Raise {
        let message = format!(
            "property '{name}' of '{}' object has no {what}",
            class.name()
        );
        self.error("AttributeError", message)
    }

    pub(crate) fn delete_attribute(&self, object: &Value, name: &Rc<Str>) -> PyResult<()> {
        let class = self.class_of(object);
        if class.hooks.get().delattr
            && let Some(hook) = class.lookup(&self.names.delattr)
        {
            let args = vec![object.clone(), Value::Str(name.clone())];
            return self.call(&hook, args).map(drop);
        }
        self.delete_plain(object, &class, name)
    }

    pub(crate) fn delete_plain(
        &self,
        object: &Value,
        class: &Rc<Class>,
        name: &Rc<Str>,
    ) -> PyResult<()> {
        match class.lookup(name) {
            Some(Value::Property(property)) => {
                return match &property.delete {
                    Value::None => Err(self.no_setter(class, name, "deleter")),
                    delete => self.call(delete, vec![object.clone()]).map(drop),
                };
            }
            Some(Value::Instance(instance)) => {
                if let Some(delete) = instance.class().lookup(&self.names.delete) {
                    let args = vec![Value::Instance(instance), object.clone()];
                    return self.call(&delete, args).map(drop);
                }
            }
            _ => {}
        }
        if let Value::Class(own) = object
            && own.builtin
        {
            let message = format!(
                "cannot set '{name}' attribute of immutable type '{}'",
                own.name()
            );
            return Err(self.type_error(message));
        }
        let removed = self.own_dict(object).and_then(|dict| dict.remove_str(name));
        if removed.is_none() {
            return Err(self.no_attribute(object, name));
        }
        if let Value::Class(own) = object {
            self.refresh_hooks(own);
        }
        Ok(())
    }

    /// A method that the class itself or an ancestor written in Python has. Those that builtin types have do not count,
    /// but `__str__ = int.__repr__` in a program's class does: there it stands in the way of another.
    pub(crate) fn special(&self, object: &Value, name: &Rc<Str>) -> Option<Value> {
        let Value::Instance(instance) = object else {
            if let Value::Class(class) = object {
                let metaclass = class.metaclass.as_ref()?;
                return metaclass.lookup(name).filter(|found| !is_builtin(found));
            }
            return None;
        };
        let class = instance.class.borrow();
        let (found, of) = class.lookup_with_class(name)?;
        (!of.builtin || !is_builtin(&found)).then_some(found)
    }

    /// Calls such a method if there is one. `None` (as in `__hash__ = None`) counts as there.
    pub(crate) fn call_special(
        &self,
        object: &Value,
        name: &Rc<Str>,
        mut args: Vec<Value>,
    ) -> PyResult<Option<Value>> {
        let Some(method) = self.special(object, name) else {
            return Ok(None);
        };
        match &method {
            Value::Function(_) => args.insert(0, object.clone()),
            Value::Native(native) if native.owner.is_some() => args.insert(0, object.clone()),
            _ => {
                let method = self.bind(&method, object, &self.class_of(object))?;
                return self.deeper(|| self.call(&method, args)).map(Some);
            }
        }
        self.deeper(|| self.call(&method, args)).map(Some)
    }
}

/// Methods of builtin types are what the operation does anyway.
fn is_builtin(method: &Value) -> bool {
    matches!(method, Value::Native(native) if native.owner.as_ref().is_some_and(|owner| owner.builtin))
}
