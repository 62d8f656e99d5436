//! Methods that make bytes of all of them: `join`, `translate`, `maketrans`.
use super::like;
use crate::{
    builtins::{
        method,
        text::{LONGEST, joined_values, without_receiver},
    },
    class::Class,
    value::Value,
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm, class: &Rc<Class>, kind: &'static str) {
    method(vm, class, "join", move |vm, args| {
        let [object, parts] = args.method(vm, &format!("{kind}.join"))?;
        join(vm, &object, &parts)
    });
    method(vm, class, "translate", |vm, args| {
        let (object, args) = without_receiver(args);
        let [table, without] = args.bind(vm, "translate", ["", "delete"], 1)?;
        let table = match table.unwrap_or(Value::None) {
            Value::None => None,
            table => Some(vm.bytes_of(&table)?),
        };
        if table.as_ref().is_some_and(|table| table.len() != 256) {
            return Err(vm.value_error("translation table must be 256 characters long"));
        }
        let without = without.map_or_else(|| Ok(Vec::new()), |without| vm.bytes_of(&without))?;
        let one = |byte: u8| {
            let changed = table
                .as_ref()
                .and_then(|table| table.get(usize::from(byte)));
            changed.copied().unwrap_or(byte)
        };
        let kept = vm
            .bytes_of(&object)?
            .into_iter()
            .filter(|byte| !without.contains(byte));
        Ok(like(&object, kept.map(one).collect()))
    });
    let maketrans = Value::native("maketrans", |vm, args| {
        let [from, to] = args.exactly(vm, "maketrans")?;
        let (from, to) = (vm.bytes_of(&from)?, vm.bytes_of(&to)?);
        if from.len() != to.len() {
            return Err(vm.value_error("maketrans arguments must have same length"));
        }
        let mut table: Vec<u8> = (0..=255).collect();
        for (from, to) in from.into_iter().zip(to) {
            if let Some(slot) = table.get_mut(usize::from(from)) {
                *slot = to;
            }
        }
        Ok(Value::bytes(table))
    });
    class.dict.set_str(
        &vm.intern("maketrans"),
        Value::StaticMethod(Rc::new(maketrans)),
    );
}

fn join(vm: &Vm, separator: &Value, parts: &Value) -> PyResult {
    let between = vm.bytes_of(separator)?;
    let mut out = Vec::new();
    for (at, part) in joined_values(vm, parts)?.iter().enumerate() {
        let Ok(bytes) = vm.bytes_of(part) else {
            let kind = vm.class_name(part);
            let message = format!("sequence item {at}: expected a bytes-like object, {kind} found");
            return Err(vm.type_error(message));
        };
        if at > 0 {
            out.extend_from_slice(&between);
        }
        out.extend(bytes);
        if out.len() > LONGEST {
            return Err(vm.memory_error());
        }
    }
    Ok(like(separator, out))
}
