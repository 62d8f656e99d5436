//! `_time`: the clock, which can only be read. What the module `time` adds is written in Python.
use crate::{
    builtins::function,
    table::Dict,
    value::Value,
    vm::{PyResult, Vm},
};
use std::{
    rc::Rc,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    let began = Instant::now();
    let since_epoch = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
    };
    function(vm, names, "time", move |_, _| {
        Ok(Value::Float(since_epoch().as_secs_f64()))
    });
    function(vm, names, "time_ns", move |_, _| {
        Ok(Value::big(since_epoch().as_nanos().into()))
    });
    for name in ["perf_counter", "monotonic", "process_time"] {
        function(vm, names, name, move |_, _| {
            Ok(Value::Float(began.elapsed().as_secs_f64()))
        });
    }
    function(vm, names, "sleep", |vm, args| {
        let [seconds] = args.exactly(vm, "sleep")?;
        let seconds = vm.float(&seconds)?;
        if seconds < 0.0 {
            return Err(vm.value_error("sleep length must be non-negative"));
        }
        // The limits of the process end a sleep that is too long.
        if let Ok(duration) = Duration::try_from_secs_f64(seconds) {
            thread::sleep(duration);
        }
        Ok(Value::None)
    });
    Ok(())
}
