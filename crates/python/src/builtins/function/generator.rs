//! Generators as objects: `send`, `throw`, `close`.
use crate::{
    builtins::{getter, method},
    value::{Generator, Value},
    vm::{Exit, PyResult, Raise, Vm},
};
use std::rc::Rc;

fn generator(vm: &Vm, value: &Value) -> PyResult<Rc<Generator>> {
    match value {
        Value::Generator(generator) => Ok(generator.clone()),
        _ => Err(vm.type_error("a generator is needed")),
    }
}

impl Vm {
    /// One step of a generator as a call sees it: its end is `StopIteration`.
    pub(crate) fn generator_step(
        &self,
        generator: &Rc<Generator>,
        with: Result<Value, Raise>,
    ) -> PyResult {
        match self.proceed(generator, with)? {
            Exit::Yield(value) => Ok(value),
            Exit::Return(value) => Err(self.stop_iteration(value)),
        }
    }
}

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.generator;
    method(vm, class, "send", |vm, args| {
        let [receiver, value] = args.method(vm, "send")?;
        vm.generator_step(&generator(vm, &receiver)?, Ok(value))
    });
    method(vm, class, "throw", |vm, args| {
        let [receiver, class, value, _] = args.between(vm, "throw", 2)?;
        let receiver = generator(vm, &receiver.unwrap_or(Value::None))?;
        let raised = match (class.unwrap_or(Value::None), value) {
            (class @ Value::Class(_), Some(value)) if !value.is_none() => match value {
                Value::Instance(_) => vm.raised(&value)?,
                value => vm.raised(&vm.call(&class, vec![value])?)?,
            },
            (class @ (Value::Class(_) | Value::Instance(_)), _) => vm.raised(&class)?,
            (other, _) => {
                let name = vm.class_name(&other);
                let message = "exceptions must be classes or instances deriving from BaseException";
                return Err(vm.type_error(format!("{message}, not {name}")));
            }
        };
        vm.generator_step(&receiver, Err(Raise(raised)))
    });
    method(vm, class, "close", |vm, args| {
        let [receiver] = args.method(vm, "close")?;
        let receiver = generator(vm, &receiver)?;
        if !receiver.started.get() {
            receiver.frame.borrow_mut().take();
            return Ok(Value::None);
        }
        let exit = vm.exception("GeneratorExit", Vec::new());
        match vm.proceed(&receiver, Err(exit)) {
            Ok(Exit::Yield(_)) => Err(vm.error("RuntimeError", "generator ignored GeneratorExit")),
            Ok(Exit::Return(_)) => Ok(Value::None),
            Err(raise)
                if vm.is_error(&raise, "GeneratorExit") || vm.is_error(&raise, "StopIteration") =>
            {
                Ok(Value::None)
            }
            Err(raise) => Err(raise),
        }
    });
    getter(
        vm,
        class,
        "__name__",
        |vm, value| Ok(Value::Str(generator(vm, value)?.name.clone())),
        None,
    );
    getter(
        vm,
        class,
        "gi_running",
        |vm, value| Ok(Value::Bool(generator(vm, value)?.running.get())),
        None,
    );
}
