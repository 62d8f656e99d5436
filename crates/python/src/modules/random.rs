//! `_random`: the generator of numbers behind the module `random`, which is written in Python.
use crate::{
    builtins::{constructor, method},
    mersenne::Mersenne,
    table::Dict,
    value::{Instance, Payload, Value},
    vm::{PyResult, Vm},
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::{cell::RefCell, rc::Rc};

/// No more bits at once.
const MOST_BITS: u64 = 1 << 26;

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    let class = vm.types.native_class("Random");
    constructor(vm, &class, |_, class, _| {
        let state = RefCell::new(Mersenne::from_int(&BigInt::ZERO));
        let payload = Payload::Native(Box::new(state));
        Ok(Value::Instance(Instance::new(class.clone(), payload)))
    });
    method(vm, &class, "__init__", |_, _| Ok(Value::None));
    method(vm, &class, "seed_int", |vm, args| {
        let [random, seed] = args.method(vm, "seed_int")?;
        let seed = vm.integer(&seed)?;
        with(vm, &random, |state| *state = Mersenne::from_int(&seed))?;
        Ok(Value::None)
    });
    method(vm, &class, "seed_bytes", |vm, args| {
        let [random, seed] = args.method(vm, "seed_bytes")?;
        let seed = vm.bytes_of(&seed)?;
        with(vm, &random, |state| *state = Mersenne::from_bytes(&seed))?;
        Ok(Value::None)
    });
    method(vm, &class, "random", |vm, args| {
        let [random] = args.method(vm, "random")?;
        with(vm, &random, |state| Value::Float(state.random()))
    });
    method(vm, &class, "getrandbits", |vm, args| {
        let [random, bits] = args.method(vm, "getrandbits")?;
        let bits = vm.small_integer(&bits)?;
        let Ok(bits) = u64::try_from(bits) else {
            return Err(vm.value_error("number of bits must be non-negative"));
        };
        if bits > MOST_BITS {
            return Err(vm.memory_error());
        }
        with(vm, &random, |state| Value::big(state.bits(bits)))
    });
    method(vm, &class, "getstate", |vm, args| {
        let [random] = args.method(vm, "getstate")?;
        let words = with(vm, &random, |state| state.state())?;
        Ok(Value::tuple(
            words
                .into_iter()
                .map(|word| Value::Int(word.into()))
                .collect(),
        ))
    });
    method(vm, &class, "setstate", |vm, args| {
        let [random, words] = args.method(vm, "setstate")?;
        let words: Option<Vec<u32>> = vm
            .collect(&words)?
            .iter()
            .map(|word| vm.integer(word).ok()?.to_u32())
            .collect();
        let Some(new) = words.and_then(|words| Mersenne::from_state(&words)) else {
            return Err(vm.value_error("invalid state"));
        };
        with(vm, &random, |state| *state = new)?;
        Ok(Value::None)
    });
    names.set_str(&vm.intern("Random"), Value::Class(class));
    Ok(())
}

fn with<T>(vm: &Vm, random: &Value, work: impl FnOnce(&mut Mersenne) -> T) -> PyResult<T> {
    match random {
        Value::Instance(instance) => match instance.native::<RefCell<Mersenne>>() {
            Some(state) => Ok(work(&mut state.borrow_mut())),
            None => Err(vm.type_error("a Random is needed")),
        },
        _ => Err(vm.type_error("a Random is needed")),
    }
}
