//! Hashes, and dictionaries by any key.
use super::{Number, PyResult, Vm};
use crate::{
    number,
    table::{Dict, Entry},
    value::Value,
};
use num_traits::ToPrimitive;
use std::rc::Rc;

impl Vm {
    pub(crate) fn hash(&self, value: &Value) -> PyResult<i64> {
        Ok(match value {
            Value::Int(n) => hash_small(*n),
            Value::Str(text) => text.hash(),
            Value::Bool(b) => i64::from(*b),
            Value::Float(x) => number::hash_float(*x),
            Value::Big(n) => number::hash_int(n),
            Value::Bytes(bytes) => crate::text::hash_bytes(bytes),
            Value::Tuple(values) => self.deeper(|| self.hash_tuple(values))?,
            Value::Complex(z) => {
                let (real, imaginary) =
                    (number::hash_float(z.real), number::hash_float(z.imaginary));
                match real.wrapping_add(imaginary.wrapping_mul(1_000_003)) {
                    -1 => -2,
                    hash => hash,
                }
            }
            Value::FrozenSet(set) => super::set::hash_of_set(set),
            Value::Range(range) => {
                // Ranges of the same values are equal, whatever their step beyond.
                let len = range.len();
                let start = if len == 0 {
                    Value::None
                } else {
                    Value::Int(range.start)
                };
                let step = if len <= 1 {
                    Value::None
                } else {
                    Value::Int(range.step)
                };
                self.hash_tuple(&[Value::u64(len), start, step])?
            }
            Value::List(_)
            | Value::Dict(_)
            | Value::Set(_)
            | Value::ByteArray(_)
            | Value::Slice(_) => {
                return Err(self.unhashable(value));
            }
            Value::Method(method) => mix(
                self.hash(&method.function)?,
                method.receiver.address() as i64,
            ),
            Value::Instance(_) => return self.hash_instance(value),
            other => (other.address() >> 4) as i64,
        })
    }

    fn hash_instance(&self, value: &Value) -> PyResult<i64> {
        match self.class_of(value).lookup(&self.names.hash) {
            Some(Value::None) => return Err(self.unhashable(value)),
            Some(Value::Function(function)) => {
                let hash = self.call(&Value::Function(function), vec![value.clone()])?;
                return match Number::of(&hash).and_then(|n| n.big()) {
                    // What fits is taken as it is.
                    Some(n) => Ok(match n.to_i64() {
                        Some(-1) => -2,
                        Some(hash) => hash,
                        None => number::hash_int(&n),
                    }),
                    None => Err(self.type_error("__hash__ method should return an integer")),
                };
            }
            _ => {}
        }
        match value.plain() {
            Value::Instance(instance) => Ok((Rc::as_ptr(instance).addr() >> 4) as i64),
            plain => self.hash(plain),
        }
    }

    fn unhashable(&self, value: &Value) -> super::Raise {
        self.type_error(format!("unhashable type: '{}'", self.class_name(value)))
    }

    /// CPython's, so that the order of nothing depends on ours.
    fn hash_tuple(&self, values: &[Value]) -> PyResult<i64> {
        const PRIMES: [u64; 3] = [
            11_400_714_785_074_694_791,
            14_029_467_366_897_019_727,
            2_870_177_450_012_600_261,
        ];
        let mut hash = PRIMES[2];
        for value in values {
            let lane = self.hash(value)?.cast_unsigned();
            hash = hash.wrapping_add(lane.wrapping_mul(PRIMES[1]));
            hash = hash.rotate_left(31).wrapping_mul(PRIMES[0]);
        }
        hash = hash.wrapping_add(values.len() as u64 ^ (PRIMES[2] ^ 3_527_539));
        Ok(match hash.cast_signed() {
            -1 => 1_546_275_796,
            hash => hash,
        })
    }

    /// Where the key stands.
    fn find(&self, dict: &Dict, hash: i64, key: &Value) -> PyResult<Option<usize>> {
        if let Value::Str(name) = key {
            let mut foreign = false;
            let mut found = None;
            dict.table.borrow().with_hash(hash, |at, entry| {
                match &entry.key {
                    Value::Str(other) if Rc::ptr_eq(other, name) || **other == **name => {
                        found = Some(at)
                    }
                    Value::Instance(_) => foreign = true,
                    _ => {}
                }
                found.is_some()
            });
            if found.is_some() || !foreign {
                return Ok(found);
            }
        }
        let mut candidates: Vec<(usize, Value)> = Vec::new();
        let mut found = None;
        dict.table.borrow().with_hash(hash, |at, entry: &Entry| {
            if entry.key.is(key) {
                found = Some(at);
            } else {
                candidates.push((at, entry.key.clone()));
            }
            found.is_some()
        });
        // The table is not borrowed now: comparing may run anything.
        for (at, candidate) in candidates {
            if found.is_some_and(|found| found < at) {
                break;
            }
            if self.equal(&candidate, key)? {
                let still = dict
                    .table
                    .borrow()
                    .entry(at)
                    .is_some_and(|e| e.key.is(&candidate));
                if still {
                    return Ok(Some(at));
                }
                return self.deeper(|| self.find(dict, hash, key));
            }
        }
        Ok(found)
    }

    pub(crate) fn dict_get(&self, dict: &Dict, key: &Value) -> PyResult<Option<Value>> {
        let hash = self.hash(key)?;
        let at = self.find(dict, hash, key)?;
        let table = dict.table.borrow();
        Ok(at
            .and_then(|at| table.entry(at))
            .map(|entry| entry.value.clone()))
    }

    pub(crate) fn dict_set(&self, dict: &Dict, key: Value, value: Value) -> PyResult<()> {
        let hash = self.hash(&key)?;
        let at = self.find(dict, hash, &key)?;
        let mut table = dict.table.borrow_mut();
        let old = match at.and_then(|at| table.entry_mut(at)) {
            Some(entry) => Some(std::mem::replace(&mut entry.value, value)),
            None => {
                table.push(hash, key, value);
                None
            }
        };
        drop(table);
        drop(old);
        Ok(())
    }

    pub(crate) fn dict_remove(&self, dict: &Dict, key: &Value) -> PyResult<Option<(Value, Value)>> {
        let hash = self.hash(key)?;
        let at = self.find(dict, hash, key)?;
        let removed = at.and_then(|at| dict.table.borrow_mut().remove(at));
        Ok(removed.map(|entry| (entry.key, entry.value)))
    }

    pub(crate) fn dict_has(&self, dict: &Dict, key: &Value) -> PyResult<bool> {
        let hash = self.hash(key)?;
        Ok(self.find(dict, hash, key)?.is_some())
    }

    /// Keys and values of a dictionary or of anything with `keys` and `__getitem__`.
    pub(crate) fn mapping_pairs(&self, value: &Value) -> PyResult<Option<Vec<(Value, Value)>>> {
        // A descendant is asked for its keys only if it iterates in a way of its own.
        if let Value::Dict(dict) = value.plain()
            && self.special(value, &self.names.iter).is_none()
        {
            return Ok(Some(dict.pairs()));
        }
        let Some(keys) = self.optional_attribute(value, &self.names.keys)? else {
            return Ok(None);
        };
        let mut pairs = Vec::new();
        for key in self.collect(&self.call(&keys, Vec::new())?)? {
            let item = self.get_item(value, &key)?;
            pairs.push((key, item));
        }
        Ok(Some(pairs))
    }

    /// `dict.update(more)`: a mapping, or pairs.
    pub(crate) fn dict_update(&self, dict: &Dict, more: &Value) -> PyResult<()> {
        if let Some(pairs) = self.mapping_pairs(more)? {
            for (key, value) in pairs {
                self.dict_set(dict, key, value)?;
            }
            return Ok(());
        }
        for (at, pair) in self.collect(more)?.into_iter().enumerate() {
            let parts = match self.collect(&pair) {
                Ok(parts) => parts,
                Err(raise) if self.is_error(&raise, "TypeError") => {
                    let message = format!(
                        "cannot convert dictionary update sequence element #{at} to a sequence"
                    );
                    return Err(self.type_error(message));
                }
                Err(raise) => return Err(raise),
            };
            let count = parts.len();
            let Ok([key, value]) = <[Value; 2]>::try_from(parts) else {
                let message = format!(
                    "dictionary update sequence element #{at} has length {count}; 2 is required"
                );
                return Err(self.value_error(message));
            };
            self.dict_set(dict, key, value)?;
        }
        Ok(())
    }
}

fn hash_small(n: i64) -> i64 {
    const PRIME: i64 = (1 << 61) - 1;
    match n {
        -1 => -2,
        n if n.abs_diff(0) < PRIME.cast_unsigned() => n,
        n => number::hash_int(&n.into()),
    }
}

fn mix(a: i64, b: i64) -> i64 {
    a.wrapping_mul(1_000_003) ^ b
}
