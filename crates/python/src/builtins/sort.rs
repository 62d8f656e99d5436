//! Sorting: the order of values, as `list.sort` and `sorted` want it.
//!
//! Numbers and texts are compared directly. Everything else is compared by `<`, which may run a program's own code, raise,
//! or make no sense. So this is a merge sort that can fail and that no answer can lead astray. It begins as CPython's
//! does, with runs that are made longer by insertion: up to 63 values it compares the same pairs in the same order. Merges
//! of longer lists skip nothing ("gallop"), which only an order that contradicts itself could tell.
use crate::{
    value::Value,
    vm::{PyResult, Vm},
};
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// Integers up to this are floats without loss.
const EXACT: u64 = 1 << 53;

/// The values in order; a shorter way to [`order`].
pub(crate) fn sort(
    vm: &Vm,
    values: Vec<Value>,
    key: Option<Value>,
    reverse: bool,
) -> PyResult<Vec<Value>> {
    let order = order(vm, &values, key.as_ref(), reverse)?;
    Ok(arranged(values, &order))
}

/// The values that stand at these places, each of which is named once.
pub(super) fn arranged(mut values: Vec<Value>, order: &[usize]) -> Vec<Value> {
    let mut take = |at: &usize| {
        values
            .get_mut(*at)
            .map(|value| std::mem::replace(value, Value::None))
    };
    order.iter().filter_map(&mut take).collect()
}

/// The places of the values in the order of their keys; equal ones stay as they are, also in reverse.
pub(super) fn order(
    vm: &Vm,
    values: &[Value],
    key: Option<&Value>,
    reverse: bool,
) -> PyResult<Vec<usize>> {
    let made: Vec<Value>;
    let keys = match key {
        Some(key) if !key.is_none() => {
            let of = |value: &Value| vm.call(key, vec![value.clone()]);
            made = values.iter().map(of).collect::<PyResult<_>>()?;
            &made
        }
        _ => values,
    };
    let mut order: Vec<usize> = (0..keys.len()).collect();
    if reverse {
        order.reverse();
    }
    if !sort_plain(keys, &mut order) {
        sort_by(&mut order, |a, b| vm.less(&keys[a], &keys[b]))?;
    }
    if reverse {
        order.reverse();
    }
    Ok(order)
}

/// Sorts places of numbers or of texts; says whether it did.
fn sort_plain(keys: &[Value], order: &mut [usize]) -> bool {
    let Some(first) = keys.first() else {
        return true;
    };
    match first {
        Value::Str(_) => {
            let texts: Option<Vec<&str>> = keys.iter().map(text).collect();
            let Some(texts) = texts else {
                return false;
            };
            order.sort_by(|a, b| texts[*a].cmp(texts[*b]));
        }
        Value::Int(_) | Value::Bool(_) | Value::Float(_) => {
            let integers: Option<Vec<i64>> = keys.iter().map(integer).collect();
            if let Some(integers) = integers {
                order.sort_by_key(|at| integers[*at]);
                return true;
            }
            let floats: Option<Vec<f64>> = keys.iter().map(float).collect();
            let Some(floats) = floats else {
                return false;
            };
            order.sort_by(|a, b| {
                floats[*a]
                    .partial_cmp(&floats[*b])
                    .unwrap_or(Ordering::Equal)
            });
        }
        _ => return false,
    }
    true
}

fn text(key: &Value) -> Option<&str> {
    match key {
        Value::Str(text) => Some(text),
        _ => None,
    }
}

fn integer(key: &Value) -> Option<i64> {
    match key {
        Value::Int(n) => Some(*n),
        Value::Bool(b) => Some(i64::from(*b)),
        _ => None,
    }
}

/// A float that is comparable to all others.
fn float(key: &Value) -> Option<f64> {
    match key {
        Value::Float(x) if !x.is_nan() => Some(*x),
        Value::Float(_) => None,
        other => integer(other)
            .filter(|n| n.unsigned_abs() <= EXACT)?
            .to_f64(),
    }
}

/// Runs that are in order already, from the bottom of the stack to its top.
struct Run {
    start: usize,
    len: usize,
    /// How deep the border to the run behind it lies in a balanced tree.
    power: u32,
}

fn sort_by(
    order: &mut [usize],
    mut less: impl FnMut(usize, usize) -> PyResult<bool>,
) -> PyResult<()> {
    let total = order.len();
    let least = least_run(total);
    let mut runs: Vec<Run> = Vec::new();
    let mut start = 0;
    while start < total {
        let rest = &mut order[start..];
        let mut len = natural_run(rest, &mut less)?;
        if len < least {
            let forced = least.min(rest.len());
            insert_all(&mut rest[..forced], len, &mut less)?;
            len = forced;
        }
        let mut power = 0;
        if let Some(last) = runs.last() {
            power = border_power(last.start, last.len, len, total);
        }
        while runs.len() > 1 && runs[runs.len() - 2].power > power {
            merge_last(order, &mut runs, &mut less)?;
        }
        if let Some(last) = runs.last_mut() {
            last.power = power;
        }
        runs.push(Run {
            start,
            len,
            power: 0,
        });
        start += len;
    }
    while runs.len() > 1 {
        merge_last(order, &mut runs, &mut less)?;
    }
    Ok(())
}

/// Shorter runs are made that long: 32 to 64, so that their number is near a power of two.
fn least_run(mut total: usize) -> usize {
    let mut odd = 0;
    while total >= 64 {
        odd |= total & 1;
        total >>= 1;
    }
    total + odd
}

/// How many values from the beginning are in order, or were in reverse and now are.
fn natural_run(
    order: &mut [usize],
    less: &mut impl FnMut(usize, usize) -> PyResult<bool>,
) -> PyResult<usize> {
    if order.len() < 2 {
        return Ok(order.len());
    }
    let descending = less(order[1], order[0])?;
    let mut len = 2;
    while len < order.len() && less(order[len], order[len - 1])? == descending {
        len += 1;
    }
    if descending {
        order[..len].reverse();
    }
    Ok(len)
}

/// Puts each value into its place among those before it, the first `sorted` of which are in order.
fn insert_all(
    order: &mut [usize],
    sorted: usize,
    less: &mut impl FnMut(usize, usize) -> PyResult<bool>,
) -> PyResult<()> {
    for at in sorted..order.len() {
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = low + (high - low) / 2;
            match less(order[at], order[middle])? {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        order[low..=at].rotate_right(1);
    }
    Ok(())
}

/// In which halving of the whole the middles of two neighbouring runs part.
fn border_power(start: usize, len: usize, next_len: usize, total: usize) -> u32 {
    let mut a = 2 * start as u128 + len as u128;
    let mut b = a + len as u128 + next_len as u128;
    let total = total as u128;
    let mut power = 0;
    loop {
        power += 1;
        if a >= total {
            a -= total;
            b -= total;
        } else if b >= total {
            return power;
        }
        a *= 2;
        b *= 2;
    }
}

fn merge_last(
    order: &mut [usize],
    runs: &mut Vec<Run>,
    less: &mut impl FnMut(usize, usize) -> PyResult<bool>,
) -> PyResult<()> {
    let Some(right) = runs.pop() else {
        return Ok(());
    };
    let Some(left) = runs.last_mut() else {
        return Ok(());
    };
    let both = &mut order[left.start..right.start + right.len];
    let middle = left.len;
    left.len += right.len;
    merge(both, middle, less)
}

fn merge(
    order: &mut [usize],
    middle: usize,
    less: &mut impl FnMut(usize, usize) -> PyResult<bool>,
) -> PyResult<()> {
    let (left, right) = order.split_at(middle);
    let mut merged = Vec::with_capacity(order.len());
    let (mut l, mut r) = (0, 0);
    while l < left.len() && r < right.len() {
        if less(right[r], left[l])? {
            merged.push(right[r]);
            r += 1;
        } else {
            merged.push(left[l]);
            l += 1;
        }
    }
    merged.extend_from_slice(&left[l..]);
    merged.extend_from_slice(&right[r..]);
    order.copy_from_slice(&merged);
    Ok(())
}
