//! The functions of `math` that take and give integers: divisors, roots, factorials, choices.
//!
//! What would be larger than the interpreter allows is a `MemoryError`.
use super::{one, two};
use crate::{
    builtins::function,
    number,
    table::Dict,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use num_bigint::BigInt;
use num_integer::{Integer, Roots};
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::rc::Rc;

pub(super) fn add(vm: &Vm, names: &Rc<Dict>) {
    function(vm, names, "gcd", gcd);
    function(vm, names, "lcm", lcm);
    function(vm, names, "isqrt", |vm, args| {
        let value = one(vm, args, "isqrt")?;
        if let Value::Int(n @ 0..) = value {
            return Ok(Value::Int(n.sqrt()));
        }
        let root = number::isqrt(&vm.integer(&value)?).map(Value::big);
        root.ok_or_else(|| vm.value_error("isqrt() argument must be nonnegative"))
    });
    function(vm, names, "factorial", |vm, args| {
        let n = vm.integer(&one(vm, args, "factorial")?)?;
        factorial(vm, &n)
    });
    function(vm, names, "comb", |vm, args| {
        let [n, k] = two(vm, args, "comb")?;
        let (n, k) = (vm.integer(&n)?, vm.integer(&k)?);
        not_negative(vm, &n, &k)?;
        let fewer = (&n - &k).min(k.clone());
        if fewer.to_i64().is_none() && !fewer.is_negative() {
            let message = format!("min(n - k, k) must not exceed {}", i64::MAX);
            return Err(vm.overflow(message));
        }
        number::comb(&n, &k)
            .map(Value::big)
            .ok_or_else(|| vm.memory_error())
    });
    function(vm, names, "perm", |vm, args| {
        args.no_keywords(vm, "math.perm")?;
        let [n, k] = args.between(vm, "perm", 1)?;
        let n = vm.integer(&n.unwrap_or(Value::None))?;
        let Some(k) = k.filter(|k| !k.is_none()) else {
            return factorial(vm, &n);
        };
        let k = vm.integer(&k)?;
        not_negative(vm, &n, &k)?;
        if k <= n && k.to_i64().is_none() {
            return Err(vm.overflow(format!("k must not exceed {}", i64::MAX)));
        }
        number::perm(&n, &k)
            .map(Value::big)
            .ok_or_else(|| vm.memory_error())
    });
}

fn not_negative(vm: &Vm, n: &BigInt, k: &BigInt) -> PyResult<()> {
    for (name, number) in [("n", n), ("k", k)] {
        if number.is_negative() {
            return Err(vm.value_error(format!("{name} must be a non-negative integer")));
        }
    }
    Ok(())
}

fn factorial(vm: &Vm, n: &BigInt) -> PyResult {
    if n.is_negative() {
        return Err(vm.value_error("factorial() not defined for negative values"));
    }
    let Some(n) = n.to_i64() else {
        let message = format!("factorial() argument should not exceed {}", i64::MAX);
        return Err(vm.overflow(message));
    };
    let product = number::factorial(n.unsigned_abs());
    product.map(Value::big).ok_or_else(|| vm.memory_error())
}

fn gcd(vm: &Vm, args: Args) -> PyResult {
    args.no_keywords(vm, "math.gcd")?;
    if let [Value::Int(a), Value::Int(b)] = args.positional.as_slice() {
        return Ok(Value::u64(a.unsigned_abs().gcd(&b.unsigned_abs())));
    }
    let mut divisor = BigInt::zero();
    for value in &args.positional {
        divisor = number::gcd(&divisor, &vm.integer(value)?);
    }
    Ok(Value::big(divisor))
}

fn lcm(vm: &Vm, args: Args) -> PyResult {
    args.no_keywords(vm, "math.lcm")?;
    let mut multiple = BigInt::one();
    for value in &args.positional {
        let n = vm.integer(value)?;
        multiple = number::lcm(&multiple, &n).ok_or_else(|| vm.memory_error())?;
    }
    Ok(Value::big(multiple))
}
