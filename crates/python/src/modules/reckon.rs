//! `_reckon`: the way out of the interpreter. `call(kind, text)` asks whoever runs the program.
use crate::{
    builtins::function,
    table::Dict,
    value::Value,
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    function(vm, names, "call", |vm, args| {
        let [kind, text] = args.exactly(vm, "call")?;
        match (kind.plain(), text.plain()) {
            (Value::Str(kind), Value::Str(text)) => (vm.outside.call)(kind, text)
                .map(Value::str)
                .map_err(|error| vm.error("OSError", error)),
            _ => Err(vm.type_error("_reckon.call() takes two texts")),
        }
    });
    Ok(())
}
