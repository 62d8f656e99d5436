//! `import`: modules written in Rust, modules whose text is compiled in, and nothing else.
use super::{Frame, PyResult, Vm};
use crate::{
    code::Op,
    compile::{self, Mode},
    parser,
    table::Dict,
    text::Str,
    value::{Module, Value},
};
use std::rc::Rc;

impl Vm {
    pub(super) fn import_op(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::Import(at) => {
                let name = self.name_of(frame, at);
                self.check_relative(&name)?;
                let module = self.import(&name)?;
                let top = match name.split_once('.') {
                    Some((top, _)) => self.import(top)?,
                    None => module,
                };
                frame.push(top);
            }
            Op::ImportLeaf(at) => {
                let name = self.name_of(frame, at);
                self.check_relative(&name)?;
                frame.push(self.import(&name)?);
            }
            Op::ImportFrom(at) => {
                let name = self.name_of(frame, at);
                let module = frame.peek(0);
                let value = self.import_name(&module, &name)?;
                frame.push(value);
            }
            _ => {
                let module = frame.pop();
                let names = frame.namespace.as_ref().unwrap_or(&frame.globals).clone();
                self.import_star(&module, &names)?;
            }
        }
        Ok(())
    }

    fn check_relative(&self, name: &str) -> PyResult<()> {
        match name.is_empty() || name.starts_with('.') {
            true => {
                let message = "attempted relative import with no known parent package";
                Err(self.error("ImportError", message))
            }
            false => Ok(()),
        }
    }

    /// The module of this dotted name; of `os.path` the last one.
    pub(crate) fn import(&self, name: &str) -> PyResult {
        let key = self.intern(name);
        if let Some(module) = self.modules.get_str(&key) {
            return match module {
                Value::None => Err(self.no_module(name)),
                module => Ok(module),
            };
        }
        if let Some(build) = crate::modules::native(name) {
            let module = self.new_module(name);
            self.modules.set_str(&key, Value::Module(module.clone()));
            build(self, &module.dict)?;
            return Ok(Value::Module(module));
        }
        // A package's module may be an attribute of the package.
        let text = self.text_of(name);
        if text.is_none()
            && let Some((package, leaf)) = name.rsplit_once('.')
        {
            let package = self.import(package)?;
            let leaf = self.optional_attribute(&package, &self.intern(leaf))?;
            return leaf.ok_or_else(|| self.no_module(name));
        }
        let Some(text) = text else {
            return Err(self.no_module(name));
        };
        self.load(name, text)
    }

    fn text_of(&self, name: &str) -> Option<&'static str> {
        let own = self
            .outside
            .modules
            .iter()
            .find(|(known, _)| *known == name);
        own.map(|(_, text)| *text)
            .or_else(|| crate::modules::library(name))
    }

    fn load(&self, name: &str, text: &str) -> PyResult {
        let module = self.new_module(name);
        let key = self.intern(name);
        self.modules.set_str(&key, Value::Module(module.clone()));
        let result = self.execute_text(text, &module.dict);
        if let Err(raise) = result {
            self.modules.remove_str(&key);
            return Err(raise);
        }
        if let Some((package, leaf)) = name.rsplit_once('.')
            && let Value::Module(package) = self.import(package)?
        {
            package
                .dict
                .set_str(&self.intern(leaf), Value::Module(module.clone()));
        }
        // A module may put another object in its place.
        Ok(self.modules.get_str(&key).unwrap_or(Value::Module(module)))
    }

    fn execute_text(&self, text: &str, globals: &Rc<Dict>) -> PyResult {
        let code = parser::parse_module(text)
            .and_then(|block| compile::module(&block, Mode::Module))
            .map_err(|error| self.syntax_error(&error))?;
        let mut frame = Frame::new(code, globals.clone(), &[]);
        self.run_frame(&mut frame)
    }

    pub(crate) fn syntax_error(&self, error: &parser::SyntaxError) -> super::Raise {
        let raise = self.error(error.class, error.message.clone());
        let dict = raise.0.dict();
        dict.set_str(&self.intern("msg"), Value::str(error.message.clone()));
        dict.set_str(&self.intern("lineno"), Value::Int(error.line.into()));
        raise
    }

    pub(crate) fn new_module(&self, name: &str) -> Rc<Module> {
        let name = self.intern(name);
        let dict = Dict::new();
        dict.set_str(&self.names.name, Value::Str(name.clone()));
        dict.set_str(&self.names.doc, Value::None);
        Rc::new(Module { name, dict })
    }

    fn no_module(&self, name: &str) -> super::Raise {
        let message = format!("No module named '{name}'");
        self.name_error("ModuleNotFoundError", message, name)
    }

    fn import_name(&self, module: &Value, name: &Rc<Str>) -> PyResult {
        if let Some(value) = self.optional_attribute(module, name)? {
            return Ok(value);
        }
        let of = match module {
            Value::Module(module) => module.name.to_string(),
            other => self.class_name(other).to_string(),
        };
        let inside = format!("{of}.{name}");
        if crate::modules::native(&inside).is_some() || self.text_of(&inside).is_some() {
            return self.import(&inside);
        }
        let message = format!("cannot import name '{name}' from '{of}' (unknown location)");
        Err(self.error("ImportError", message))
    }

    fn import_star(&self, module: &Value, names: &Rc<Dict>) -> PyResult<()> {
        let Value::Module(source) = module else {
            return Err(self.error("ImportError", "cannot import * from an object"));
        };
        if let Some(all) = source.dict.get_str(&self.names.all) {
            for name in self.collect(&all)? {
                if let Value::Str(name) = &name {
                    names.set_str(name, self.get_attribute(module, name)?);
                }
            }
            return Ok(());
        }
        for (name, value) in source.dict.pairs() {
            match &name {
                Value::Str(name) if !name.starts_with('_') => names.set_str(name, value),
                _ => {}
            }
        }
        Ok(())
    }
}
