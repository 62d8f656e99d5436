//! Methods that change a `bytearray` in place, and `copy`.
use super::{array, byte, collected};
use crate::{
    builtins::{
        method,
        text::{LONGEST, between, without_receiver},
    },
    value::Value,
    vm::{PyResult, Vm},
};
use std::{cell::RefCell, rc::Rc};

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.bytearray;
    method(vm, class, "append", |vm, args| {
        let [object, value] = args.method(vm, "bytearray.append")?;
        let value = byte(vm, &value, "byte")?;
        cell(vm, &object)?.borrow_mut().push(value);
        Ok(Value::None)
    });
    method(vm, class, "extend", |vm, args| {
        let [object, values] = args.method(vm, "bytearray.extend")?;
        extend(vm, &object, &values)
    });
    method(vm, class, "insert", |vm, args| {
        let [object, at, value] = args.method(vm, "insert")?;
        let at = vm.small_integer(&at)?;
        let value = byte(vm, &value, "byte")?;
        let bytes = cell(vm, &object)?;
        let len = bytes.borrow().len();
        let size = i64::try_from(len).unwrap_or(i64::MAX);
        let at = if at < 0 {
            at.saturating_add(size).max(0)
        } else {
            at
        };
        bytes
            .borrow_mut()
            .insert(usize::try_from(at).unwrap_or(len).min(len), value);
        Ok(Value::None)
    });
    method(vm, class, "pop", |vm, args| {
        let (object, args) = without_receiver(args);
        let [at] = between(vm, "bytearray.pop", args, 0)?;
        let at = at.map_or(Ok(-1), |at| vm.small_integer(&at))?;
        pop(vm, &object, at)
    });
    method(vm, class, "remove", |vm, args| {
        let [object, value] = args.method(vm, "bytearray.remove")?;
        let value = byte(vm, &value, "byte")?;
        let bytes = cell(vm, &object)?;
        let at = bytes.borrow().iter().position(|byte| *byte == value);
        match at {
            Some(at) => {
                bytes.borrow_mut().remove(at);
                Ok(Value::None)
            }
            None => Err(vm.value_error("value not found in bytearray")),
        }
    });
    method(vm, class, "reverse", |vm, args| {
        let [object] = args.method(vm, "bytearray.reverse")?;
        cell(vm, &object)?.borrow_mut().reverse();
        Ok(Value::None)
    });
    method(vm, class, "clear", |vm, args| {
        let [object] = args.method(vm, "bytearray.clear")?;
        cell(vm, &object)?.borrow_mut().clear();
        Ok(Value::None)
    });
    method(vm, class, "copy", |vm, args| {
        let [object] = args.method(vm, "bytearray.copy")?;
        vm.bytes_of(&object).map(array)
    });
}

fn cell(vm: &Vm, object: &Value) -> PyResult<Rc<RefCell<Vec<u8>>>> {
    match object.plain() {
        Value::ByteArray(bytes) => Ok(bytes.clone()),
        _ => Err(vm.type_error("a bytearray is needed")),
    }
}

fn extend(vm: &Vm, object: &Value, values: &Value) -> PyResult {
    let more = match values.plain() {
        Value::Bytes(_) | Value::ByteArray(_) => vm.bytes_of(values)?,
        _ => {
            let iterator =
                vm.iter(values)
                    .map_err(|raise| match vm.is_error(&raise, "TypeError") {
                        true => {
                            let name = vm.class_name(values);
                            vm.type_error(format!("can't extend bytearray with {name}"))
                        }
                        false => raise,
                    })?;
            collected(vm, &iterator, "byte")?
        }
    };
    let bytes = cell(vm, object)?;
    if bytes.borrow().len().saturating_add(more.len()) > LONGEST {
        return Err(vm.memory_error());
    }
    bytes.borrow_mut().extend(more);
    Ok(Value::None)
}

fn pop(vm: &Vm, object: &Value, at: i64) -> PyResult {
    let bytes = cell(vm, object)?;
    let mut bytes = bytes.borrow_mut();
    if bytes.is_empty() {
        return Err(vm.index_error("pop from empty bytearray"));
    }
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let at = if at < 0 { at.saturating_add(size) } else { at };
    match usize::try_from(at) {
        Ok(at) if at < bytes.len() => Ok(Value::Int(bytes.remove(at).into())),
        _ => Err(vm.index_error("pop index out of range")),
    }
}
