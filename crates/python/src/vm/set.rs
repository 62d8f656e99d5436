//! Sets by any key, and what sets do with each other, each step in CPython's order.
//!
//! An operation that CPython does by going through one set and adding to another does just that here, and one that copies
//! a set first makes room as CPython does: the order in which the result is iterated depends on it.
use super::{PyResult, Vm};
use crate::{
    ast::BinOp,
    set_table::Set,
    table::Dict,
    value::{Value, View, ViewKind},
};
use std::rc::Rc;

impl Vm {
    /// Where the key stands.
    fn set_find(&self, set: &Set, hash: i64, key: &Value) -> PyResult<Option<usize>> {
        let mut candidates: Vec<(usize, Value)> = Vec::new();
        let mut found = None;
        set.table.borrow().with_hash(hash, |at, other| {
            match (other, key) {
                (Value::Str(a), Value::Str(b)) if **a != **b => {}
                (Value::Int(a), Value::Int(b)) if a != b => {}
                _ if other.is(key) => found = Some(at),
                _ => candidates.push((at, other.clone())),
            }
            found.is_some()
        });
        // The table is not borrowed now: comparing may run anything.
        for (at, candidate) in candidates {
            // Equal is found, even if comparing changed the set; else a changed set is searched anew.
            if self.equal(&candidate, key)? {
                return Ok(Some(at));
            }
            if !set.table.borrow().key(at).is_some_and(|k| k.is(&candidate)) {
                return self.deeper(|| self.set_find(set, hash, key));
            }
        }
        Ok(found)
    }

    pub(crate) fn set_add(&self, set: &Set, value: Value) -> PyResult<bool> {
        let hash = self.hash(&value)?;
        self.set_add_hashed(set, hash, value)
    }

    fn set_add_hashed(&self, set: &Set, hash: i64, value: Value) -> PyResult<bool> {
        if self.set_find(set, hash, &value)?.is_some() {
            return Ok(false);
        }
        set.table.borrow_mut().push(hash, value);
        Ok(true)
    }

    pub(crate) fn set_has(&self, set: &Set, value: &Value) -> PyResult<bool> {
        let hash = self.hash(value)?;
        Ok(self.set_find(set, hash, value)?.is_some())
    }

    /// Takes a key out; says whether it was there.
    pub(crate) fn set_remove(&self, set: &Set, value: &Value) -> PyResult<bool> {
        let hash = self.hash(value)?;
        self.set_remove_hashed(set, hash, value)
    }

    fn set_remove_hashed(&self, set: &Set, hash: i64, value: &Value) -> PyResult<bool> {
        let Some(at) = self.set_find(set, hash, value)? else {
            return Ok(false);
        };
        let removed = set.table.borrow_mut().remove(at);
        Ok(removed.is_some())
    }

    /// A set of what an iterable gives.
    pub(crate) fn new_set(&self, values: &Value) -> PyResult<Rc<Set>> {
        let set = Set::new();
        self.set_update(&set, values)?;
        Ok(set)
    }

    /// `set.update(more)`.
    pub(crate) fn set_update(&self, set: &Set, more: &Value) -> PyResult<()> {
        if let Value::Set(other) | Value::FrozenSet(other) = more.plain() {
            return self.set_merge(set, other);
        }
        if let Value::Dict(dict) = more {
            return self.set_update_keys(set, dict);
        }
        let iterator = self.iter(more)?;
        while let Some(value) = self.next(&iterator)? {
            self.set_add(set, value)?;
        }
        Ok(())
    }

    fn set_update_keys(&self, set: &Set, dict: &Dict) -> PyResult<()> {
        let entries = key_entries(dict);
        set.table.borrow_mut().reserve(entries.len());
        for (hash, key) in entries {
            self.set_add_hashed(set, hash, key)?;
        }
        Ok(())
    }

    pub(crate) fn set_merge(&self, set: &Set, other: &Set) -> PyResult<()> {
        if std::ptr::eq(set, other) || other.len() == 0 {
            return Ok(());
        }
        let taken = {
            let (from, mut to) = (other.table.borrow(), set.table.borrow_mut());
            to.reserve(from.len());
            to.take_all(&from)
        };
        if !taken {
            for (hash, key) in other.entries() {
                self.set_add_hashed(set, hash, key)?;
            }
        }
        Ok(())
    }

    /// What is in both; `other` is any iterable.
    pub(crate) fn set_intersection(&self, set: &Rc<Set>, other: &Value) -> PyResult<Rc<Set>> {
        if let Value::Set(other) | Value::FrozenSet(other) = other.plain() {
            return self.common(set, other);
        }
        let result = Set::new();
        let iterator = self.iter(other)?;
        while let Some(key) = self.next(&iterator)? {
            let hash = self.hash(&key)?;
            if self.set_find(set, hash, &key)?.is_some() {
                self.set_add_hashed(&result, hash, key)?;
            }
        }
        Ok(result)
    }

    fn common(&self, a: &Rc<Set>, b: &Rc<Set>) -> PyResult<Rc<Set>> {
        if Rc::ptr_eq(a, b) {
            return Ok(a.copy());
        }
        let (through, other) = if b.len() > a.len() { (a, b) } else { (b, a) };
        let result = Set::new();
        for (hash, key) in through.entries() {
            if self.set_find(other, hash, &key)?.is_some() {
                self.set_add_hashed(&result, hash, key)?;
            }
        }
        Ok(result)
    }

    /// What is in `set` only; `other` is any iterable.
    pub(crate) fn set_difference(&self, set: &Rc<Set>, other: &Value) -> PyResult<Rc<Set>> {
        let size = match (other, other.plain()) {
            (_, Value::Set(other) | Value::FrozenSet(other)) => Some(other.len()),
            (Value::Dict(dict), _) => Some(dict.len()),
            _ => None,
        };
        if size.is_none_or(|size| set.len() / 4 > size) {
            let result = set.copy();
            self.set_difference_update(&result, other)?;
            return Ok(result);
        }
        let result = Set::new();
        for (hash, key) in set.entries() {
            let there = match other.plain() {
                Value::Set(other) | Value::FrozenSet(other) => {
                    self.set_find(other, hash, &key)?.is_some()
                }
                Value::Dict(dict) => self.dict_has(dict, &key)?,
                _ => false,
            };
            if !there {
                self.set_add_hashed(&result, hash, key)?;
            }
        }
        Ok(result)
    }

    pub(crate) fn set_difference_update(&self, set: &Rc<Set>, other: &Value) -> PyResult<()> {
        if let Value::Set(other) | Value::FrozenSet(other) = other.plain() {
            if Rc::ptr_eq(set, other) {
                set.clear();
                return Ok(());
            }
            let fewer = match other.len() / 8 > set.len() {
                true => self.common(set, other)?,
                false => other.clone(),
            };
            for (hash, key) in fewer.entries() {
                self.set_remove_hashed(set, hash, &key)?;
            }
        } else {
            let iterator = self.iter(other)?;
            while let Some(key) = self.next(&iterator)? {
                self.set_remove(set, &key)?;
            }
        }
        set.table.borrow_mut().tidy();
        Ok(())
    }

    /// `set ^ other`, where `other` is any iterable: its keys first.
    pub(crate) fn set_symmetric_difference(
        &self,
        set: &Rc<Set>,
        other: &Value,
    ) -> PyResult<Rc<Set>> {
        let result = self.new_set(other)?;
        self.set_exchange(&result, set)?;
        Ok(result)
    }

    pub(crate) fn set_symmetric_difference_update(
        &self,
        set: &Rc<Set>,
        other: &Value,
    ) -> PyResult<()> {
        match other.plain() {
            Value::Set(other) | Value::FrozenSet(other) => self.set_exchange(set, other),
            Value::Dict(dict) if matches!(other, Value::Dict(_)) => {
                // The keys of a dictionary are different ones anyway.
                self.exchange_keys(set, key_entries(dict))
            }
            _ => {
                let other = self.new_set(other)?;
                self.exchange_keys(set, other.entries())
            }
        }
    }

    fn set_exchange(&self, set: &Rc<Set>, other: &Rc<Set>) -> PyResult<()> {
        if Rc::ptr_eq(set, other) {
            set.clear();
            return Ok(());
        }
        self.exchange_keys(set, other.entries())
    }

    /// Takes out what is there and adds what is not.
    fn exchange_keys(&self, set: &Set, keys: Vec<(i64, Value)>) -> PyResult<()> {
        for (hash, key) in keys {
            if !self.set_remove_hashed(set, hash, &key)? {
                self.set_add_hashed(set, hash, key)?;
            }
        }
        Ok(())
    }

    /// `a op b` of sets and of views of keys and items.
    pub(super) fn set_binary(&self, op: BinOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        if let (Value::Set(set) | Value::FrozenSet(set), Value::Set(_) | Value::FrozenSet(_)) =
            (a, b)
        {
            let result = match op {
                BinOp::BitOr => {
                    let result = set.copy();
                    self.set_update(&result, b)?;
                    result
                }
                BinOp::BitAnd => self.set_intersection(set, b)?,
                BinOp::BitXor => self.set_symmetric_difference(set, b)?,
                _ => self.set_difference(set, b)?,
            };
            return Ok(Some(match a {
                Value::FrozenSet(_) => Value::FrozenSet(result),
                _ => Value::Set(result),
            }));
        }
        match is_set_view(a) || is_set_view(b) {
            true => self.view_binary(op, a, b).map(|set| Some(Value::Set(set))),
            false => Ok(None),
        }
    }

    /// At least one of both is a view; the other is any iterable.
    fn view_binary(&self, op: BinOp, a: &Value, b: &Value) -> PyResult<Rc<Set>> {
        match op {
            BinOp::BitAnd => return self.view_intersection(a, b),
            BinOp::BitXor => {
                if let (Value::View(a), Value::View(b)) = (a, b)
                    && a.kind == ViewKind::Items
                    && b.kind == ViewKind::Items
                {
                    return self.items_exchange(a, b);
                }
            }
            _ => {}
        }
        let result = self.set_of_view(a)?;
        match op {
            BinOp::BitOr => self.set_update(&result, b)?,
            BinOp::BitXor => self.set_symmetric_difference_update(&result, b)?,
            _ => self.set_difference_update(&result, b)?,
        }
        Ok(result)
    }

    fn set_of_view(&self, value: &Value) -> PyResult<Rc<Set>> {
        match value {
            // Made of the dictionary, room and all.
            Value::View(view) if view.kind == ViewKind::Keys => {
                let set = Set::new();
                self.set_update_keys(&set, &view.dict)?;
                Ok(set)
            }
            other => self.new_set(other),
        }
    }

    fn view_intersection(&self, a: &Value, b: &Value) -> PyResult<Rc<Set>> {
        let (mut view, mut other) = if is_set_view(a) { (a, b) } else { (b, a) };
        let len = |value: &Value| self.builtin_len(value);
        if let Value::Set(set) = other
            && len(view)? <= set.len()
        {
            return self.set_intersection(set, view);
        }
        if is_set_view(other) && len(other)? > len(view)? {
            (view, other) = (other, view);
        }
        let result = Set::new();
        let iterator = self.iter(other)?;
        while let Some(key) = self.next(&iterator)? {
            if self.builtin_contains(view, &key)? {
                self.set_add(&result, key)?;
            }
        }
        Ok(result)
    }

    /// `a.items() ^ b.items()`: what `b` has otherwise, then what is left of `a`.
    fn items_exchange(&self, a: &View, b: &View) -> PyResult<Rc<Set>> {
        let rest = Dict::from_table(a.dict.table.borrow().clone());
        let result = Set::new();
        for (key, value) in b.dict.pairs() {
            let same = match self.dict_get(&rest, &key)? {
                Some(other) => self.equal(&other, &value)?,
                None => false,
            };
            if same {
                self.dict_remove(&rest, &key)?;
            } else {
                self.set_add(&result, Value::tuple(vec![key, value]))?;
            }
        }
        for (key, value) in rest.pairs() {
            self.set_add(&result, Value::tuple(vec![key, value]))?;
        }
        Ok(result)
    }

    /// `set op= other` of a set and a set; nothing for other things.
    pub(super) fn set_in_place(&self, op: BinOp, set: &Rc<Set>, other: &Value) -> PyResult<bool> {
        if !matches!(other.plain(), Value::Set(_) | Value::FrozenSet(_)) {
            return Ok(false);
        }
        match op {
            BinOp::BitOr => self.set_update(set, other)?,
            BinOp::BitAnd => {
                let result = self.set_intersection(set, other)?;
                set.table.borrow_mut().take_over(result.table.take());
            }
            BinOp::BitXor => self.set_symmetric_difference_update(set, other)?,
            _ => self.set_difference_update(set, other)?,
        }
        Ok(true)
    }

    /// Sets, and views of keys and items, as sets.
    pub(crate) fn as_set(&self, value: &Value) -> PyResult<Option<Rc<Set>>> {
        match value.plain() {
            Value::Set(set) | Value::FrozenSet(set) => Ok(Some(set.clone())),
            view if is_set_view(view) => self.set_of_view(view).map(Some),
            _ => Ok(None),
        }
    }
}

fn key_entries(dict: &Dict) -> Vec<(i64, Value)> {
    let table = dict.table.borrow();
    table
        .iter()
        .map(|entry| (entry.hash, entry.key.clone()))
        .collect()
}

fn is_set_view(value: &Value) -> bool {
    matches!(value, Value::View(view) if view.kind != ViewKind::Values)
}

/// CPython's hash of a frozen set with keys of these hashes, in any order.
pub(super) fn hash_of_set(set: &Set) -> i64 {
    let shuffled = |hash: u64| ((hash ^ 89_869_747) ^ (hash << 16)).wrapping_mul(3_644_798_167);
    let table = set.table.borrow();
    let mut hash = table
        .entries()
        .fold(0, |all, (hash, _)| all ^ shuffled(hash.cast_unsigned()));
    hash ^= (table.len() as u64 + 1).wrapping_mul(1_927_868_237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash.wrapping_mul(69_069).wrapping_add(907_133_923);
    match hash.cast_signed() {
        -1 => 590_923_713,
        hash => hash,
    }
}
