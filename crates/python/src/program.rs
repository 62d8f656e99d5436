//! Runs one program text and finds its value.
//!
//! The value is the representation of the global `answer`, else of `ans`, else of the last expression; functions, classes,
//! modules and `None` are no values.
use crate::{
    compile::{self, Mode},
    parser,
    value::Value,
    vm::{Frame, Outside, PyResult, Raise, Vm},
};

/// Longest error line.
const LINE: usize = 500;

/// Takes a text that is printed.
pub type Write = dyn Fn(&str, bool);
/// Answers a question of a kind.
pub type Call = dyn Fn(&str, &str) -> Result<String, String>;

/// What a program can reach beyond itself.
pub struct Host {
    /// Takes what is printed; `true` for standard output, `false` for standard error.
    pub write: Box<Write>,
    /// Answers `_reckon.call(kind, text)`; an `Err` is raised as an `OSError`.
    pub call: Box<Call>,
    /// Modules of the caller: name and Python text. They win over those of the library.
    pub modules: &'static [(&'static str, &'static str)],
}

/// An interpreter, for one program.
pub struct Interpreter {
    vm: Vm,
}

impl Interpreter {
    /// `stack` is the size in bytes of the stack of the thread that this is called on and that runs the program.
    #[must_use]
    pub fn new(host: Host, stack: usize) -> Self {
        let outside = Outside {
            write: host.write,
            call: host.call,
            modules: host.modules,
        };
        Self {
            vm: Vm::new(outside, stack),
        }
    }

    /// Runs it to its end, whatever that is: the value's representation, empty if there is none, or one line about why.
    ///
    /// # Errors
    /// The exception that ended the program, as one line; `too_big` for a `MemoryError`.
    pub fn run(&self, text: &str, too_big: &str) -> Result<String, String> {
        self.value(text)
            .and_then(|value| match value {
                Some(value) => self.vm.repr(&value).map(|text| text.to_string()),
                None => Ok(String::new()),
            })
            .map_err(|raise| self.line(&raise, too_big))
    }

    fn value(&self, text: &str) -> PyResult<Option<Value>> {
        let vm = &self.vm;
        let main = vm.new_module("__main__");
        vm.modules
            .set_str(&vm.names.main, Value::Module(main.clone()));
        main.dict
            .set_str(&vm.names.name, Value::Str(vm.names.main.clone()));
        let code = parser::parse_module(text)
            .and_then(|block| compile::module(&block, Mode::Program))
            .map_err(|error| vm.syntax_error(&error))?;
        let globals = main.dict.clone();
        let mut frame = Frame::new(code, globals.clone(), &[]);
        let last = match vm.run_frame(&mut frame) {
            Err(raise) if self.left_well(&raise) => Value::None,
            last => last?,
        };
        let named = |name| globals.get_str(&vm.intern(name)).filter(is_value);
        Ok(named("answer")
            .or_else(|| named("ans"))
            .or_else(|| Some(last).filter(is_value)))
    }

    /// `sys.exit()` and `sys.exit(0)` are a normal end.
    fn left_well(&self, raise: &Raise) -> bool {
        let code = self.vm.argument(&raise.0);
        self.vm.is_error(raise, "SystemExit")
            && matches!(
                code,
                None | Some(Value::None | Value::Int(0) | Value::Bool(false))
            )
    }

    /// An exception as one line: what it is and what it says.
    fn line(&self, raise: &Raise, too_big: &str) -> String {
        let vm = &self.vm;
        if vm.is_error(raise, "MemoryError") {
            return too_big.into();
        }
        let exception = Value::Instance(raise.0.clone());
        let own = |name: &str| raise.0.own(&vm.intern(name));
        let kind = raise.0.class().name().to_string();
        let mut text = vm
            .str(&exception)
            .map(|text| text.to_string())
            .unwrap_or_default();
        if vm.is_error(raise, "SyntaxError") {
            if let Some(Value::Int(line)) = own("lineno") {
                text += &format!(" (line {line})");
            }
        } else if vm.is_error(raise, "ModuleNotFoundError")
            && let Some(Value::Str(name)) = own("name")
        {
            let name = name.split('.').next().unwrap_or_default().to_owned();
            text =
                format!("{name} is not available: the sandbox has Python's standard library only");
        }
        let text: String = text.replace(['\n', '\r'], " ").chars().take(LINE).collect();
        match text.trim() {
            "" => kind,
            text => format!("{kind}: {text}"),
        }
    }
}

fn is_value(value: &Value) -> bool {
    !matches!(
        value,
        Value::None | Value::Function(_) | Value::Native(_) | Value::Module(_) | Value::Class(_)
    ) && !is_native_method(value)
}

fn is_native_method(value: &Value) -> bool {
    match value {
        Value::Method(method) => matches!(&method.function, Value::Native(_)),
        _ => false,
    }
}
