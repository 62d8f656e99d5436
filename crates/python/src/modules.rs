//! The modules that programs can import.
//!
//! [`native`] are written in Rust, [`library`] in Python; their texts are compiled into the binary and parsed when they are
//! first imported. There is nothing else: no file is ever looked for.
mod itertools;
mod math;
mod random;
mod reckon;
mod regex;
mod sys;
mod time;

use crate::{
    table::Dict,
    vm::{PyResult, Vm},
};
use std::rc::Rc;

/// Fills the namespace of a native module.
pub(crate) type Build = fn(&Vm, &Rc<Dict>) -> PyResult<()>;

const NATIVE: &[(&str, Build)] = &[
    ("builtins", builtins),
    ("itertools", itertools::build),
    ("math", math::build),
    ("sys", sys::build),
    ("_random", random::build),
    ("_re", regex::build),
    ("_reckon", reckon::build),
    ("_time", time::build),
];

pub(crate) fn native(name: &str) -> Option<Build> {
    let found = NATIVE.iter().find(|(known, _)| *known == name);
    found.map(|(_, build)| *build)
}

fn builtins(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    for (name, value) in vm.builtins.pairs() {
        if let crate::value::Value::Str(name) = name {
            names.set_str(&name, value);
        }
    }
    Ok(())
}

pub(crate) fn library(name: &str) -> Option<&'static str> {
    let found = crate::library::TEXTS
        .iter()
        .find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
