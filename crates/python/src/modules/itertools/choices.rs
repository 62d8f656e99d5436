//! `product`, `permutations` and `combinations`: tuples by places, in lexicographic order of the places.
use super::{given, some};
use crate::{
    class::Class,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

/// No more places than this: a tuple of them must fit into memory.
const MOST: usize = 1 << 20;

pub(super) fn product(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let mut repeat = 1;
    for (name, value) in &args.keywords {
        if **name != *"repeat" {
            return Err(vm.type_error("product() got an unexpected keyword argument"));
        }
        repeat = vm.small_integer(value)?;
    }
    let Ok(repeat) = usize::try_from(repeat) else {
        return Err(vm.value_error("repeat argument cannot be negative"));
    };
    let mut pools: Vec<Rc<Vec<Value>>> = Vec::new();
    for iterable in &args.positional {
        pools.push(Rc::new(vm.collect(iterable)?));
    }
    if pools.len().saturating_mul(repeat) > MOST {
        return Err(vm.memory_error());
    }
    let pools: Vec<Rc<Vec<Value>>> = (0..repeat).flat_map(|_| pools.iter().cloned()).collect();
    let mut places = pools
        .iter()
        .all(|pool| !pool.is_empty())
        .then(|| vec![0; pools.len()]);
    Ok(Value::iter("itertools.product", move |_| {
        let Some(now) = &mut places else {
            return Ok(None);
        };
        let values = now
            .iter()
            .zip(&pools)
            .map(|(at, pool)| pool[*at].clone())
            .collect();
        // Counts up, the last place first.
        let turned = (0..now.len()).rev().find(|place| {
            now[*place] += 1;
            let more = now[*place] < pools[*place].len();
            if !more {
                now[*place] = 0;
            }
            more
        });
        if turned.is_none() {
            places = None;
        }
        Ok(Some(Value::tuple(values)))
    }))
}

pub(super) fn permutations(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable, length] = args.bind(vm, "permutations", ["iterable", "r"], 1)?;
    let pool = vm.collect(&given(iterable))?;
    let length = match some(length) {
        Some(length) => vm.small_integer(&length)?,
        None => i64::try_from(pool.len()).unwrap_or(i64::MAX),
    };
    let Ok(length) = usize::try_from(length) else {
        return Err(vm.value_error("r must be non-negative"));
    };
    // As in Python's description: places, and for each of the first ones how many turns are left.
    let mut state = (length <= pool.len()).then(|| {
        let places: Vec<usize> = (0..pool.len()).collect();
        let turns: Vec<usize> = (0..length).map(|at| pool.len() - at).collect();
        (places, turns)
    });
    Ok(Value::iter("itertools.permutations", move |_| {
        let Some((places, turns)) = &mut state else {
            return Ok(None);
        };
        let values = places[..length]
            .iter()
            .map(|at| pool[*at].clone())
            .collect();
        let turned = (0..length).rev().find(|place| {
            turns[*place] -= 1;
            if turns[*place] == 0 {
                places[*place..].rotate_left(1);
                turns[*place] = places.len() - place;
                return false;
            }
            let other = places.len() - turns[*place];
            places.swap(*place, other);
            true
        });
        if turned.is_none() {
            state = None;
        }
        Ok(Some(Value::tuple(values)))
    }))
}

pub(super) fn combinations(vm: &Vm, args: Args, again: bool) -> PyResult {
    let name = if again {
        "combinations_with_replacement"
    } else {
        "combinations"
    };
    let [iterable, length] = args.bind(vm, name, ["iterable", "r"], 2)?;
    let pool = vm.collect(&given(iterable))?;
    let Ok(length) = usize::try_from(vm.small_integer(&given(length))?) else {
        return Err(vm.value_error("r must be non-negative"));
    };
    if length > MOST {
        return Err(vm.memory_error());
    }
    let possible = match again {
        true => !pool.is_empty() || length == 0,
        false => length <= pool.len(),
    };
    let first: Vec<usize> = if again {
        vec![0; length]
    } else {
        (0..length).collect()
    };
    let mut places = possible.then_some(first);
    Ok(Value::iter("itertools.combinations", move |_| {
        let Some(now) = &mut places else {
            return Ok(None);
        };
        let values = now.iter().map(|at| pool[*at].clone()).collect();
        let limit = |place: usize| match again {
            true => pool.len().saturating_sub(1),
            false => pool.len() - length + place,
        };
        match (0..length).rev().find(|place| now[*place] != limit(*place)) {
            Some(place) => {
                let start = now[place] + 1;
                for (offset, at) in now[place..].iter_mut().enumerate() {
                    *at = if again { start } else { start + offset };
                }
            }
            None => places = None,
        }
        Ok(Some(Value::tuple(values)))
    }))
}
