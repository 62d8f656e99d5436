//! The table behind sets, which is CPython's, slot by slot: sets are iterated in the order of their slots, and programs
//! print that order.
//!
//! Open addressing: a key stands at its hash, or within a few slots behind it, or where the next jump leads. A removed key
//! leaves a mark, which a later key takes. The table has a power of two of slots, eight at least, and grows before three
//! fifths of them are taken; so a search always ends at an empty slot.
//!
//! Keys are compared in `vm/set.rs`, without a borrow of the table, because comparing can run a program's own code.
use crate::value::Value;
use std::{cell::RefCell, rc::Rc};

const LEAST: usize = 8;
/// Neighbours that are tried before a jump.
const NEIGHBOURS: usize = 9;
/// Bits of the hash that each jump brings in.
const SHIFT: u32 = 5;
/// Sets up to this size grow faster.
const LARGE: usize = 50_000;
/// The hash of a slot whose key was removed; no key has it.
const REMOVED: i64 = -1;

#[derive(Clone, Debug)]
struct Slot {
    hash: i64,
    /// [`Value::Unbound`] in a slot without a key.
    key: Value,
}

impl Slot {
    const EMPTY: Self = Self {
        hash: 0,
        key: Value::Unbound,
    };

    fn is_empty(&self) -> bool {
        self.key.is_unbound() && self.hash != REMOVED
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SetTable {
    slots: Vec<Slot>,
    /// Slots with a key.
    used: usize,
    /// Slots with a key or the mark of a removed one.
    filled: usize,
    /// Where `pop` looks next.
    finger: usize,
}

impl Default for SetTable {
    fn default() -> Self {
        Self {
            slots: vec![Slot::EMPTY; LEAST],
            used: 0,
            filled: 0,
            finger: 0,
        }
    }
}

impl SetTable {
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    fn mask(&self) -> usize {
        self.slots.len() - 1
    }

    /// Shows slots where a key of this hash may be, until `stop` has seen enough or an empty one ends the search.
    fn search(&self, hash: i64, mut stop: impl FnMut(usize, &Slot) -> bool) {
        let mask = self.mask();
        let mut perturbation = hash.cast_unsigned();
        let mut first = perturbation as usize & mask;
        loop {
            let last = if first + NEIGHBOURS <= mask {
                first + NEIGHBOURS
            } else {
                first
            };
            for (offset, slot) in self.slots[first..=last].iter().enumerate() {
                if stop(first + offset, slot) || slot.is_empty() {
                    return;
                }
            }
            perturbation >>= SHIFT;
            first = first
                .wrapping_mul(5)
                .wrapping_add(1)
                .wrapping_add(perturbation as usize)
                & mask;
        }
    }

    /// Shows the keys with this hash and their places, until `stop` has seen enough.
    pub(crate) fn with_hash(&self, hash: i64, mut stop: impl FnMut(usize, &Value) -> bool) {
        self.search(hash, |at, slot| {
            slot.hash == hash && !slot.key.is_unbound() && stop(at, &slot.key)
        });
    }

    /// Adds a key that is not there yet.
    pub(crate) fn push(&mut self, hash: i64, key: Value) {
        let (mut removed, mut free) = (None, 0);
        self.search(hash, |at, slot| {
            if slot.hash == REMOVED {
                removed = Some(at);
            }
            free = at;
            false
        });
        self.used += 1;
        if let Some(at) = removed {
            self.slots[at] = Slot { hash, key };
            return;
        }
        self.slots[free] = Slot { hash, key };
        self.filled += 1;
        if self.filled * 5 >= self.mask() * 3 {
            self.resize(self.grown());
        }
    }

    fn grown(&self) -> usize {
        self.used * if self.used > LARGE { 2 } else { 4 }
    }

    /// Makes the table anew with more slots than that.
    fn resize(&mut self, least: usize) {
        let size = (least + 1).next_power_of_two().max(LEAST);
        if size == LEAST && self.slots.len() == LEAST && self.filled == self.used {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot::EMPTY; size]);
        self.filled = self.used;
        for slot in old {
            self.place(slot);
        }
    }

    /// Puts the key of a slot, if it has one, into a table without it and without removed keys.
    fn place(&mut self, slot: Slot) {
        if slot.key.is_unbound() {
            return;
        }
        let mut free = 0;
        self.search(slot.hash, |at, _| {
            free = at;
            false
        });
        self.slots[free] = slot;
    }

    /// Makes room for so many keys that are about to come.
    pub(crate) fn reserve(&mut self, more: usize) {
        if (self.filled + more) * 5 >= self.mask() * 3 {
            self.resize((self.used + more) * 2);
        }
    }

    /// Takes all keys of another table if this one is empty; says whether it did.
    pub(crate) fn take_all(&mut self, other: &Self) -> bool {
        if self.filled > 0 {
            return false;
        }
        if self.slots.len() == other.slots.len() && other.filled == other.used {
            self.slots.clone_from(&other.slots);
        } else {
            for slot in &other.slots {
                self.place(slot.clone());
            }
        }
        self.used = other.used;
        self.filled = other.used;
        true
    }

    /// The key at this place.
    pub(crate) fn key(&self, place: usize) -> Option<&Value> {
        let key = &self.slots.get(place)?.key;
        (!key.is_unbound()).then_some(key)
    }

    pub(crate) fn remove(&mut self, place: usize) -> Option<Value> {
        self.key(place)?;
        let mark = Slot {
            hash: REMOVED,
            key: Value::Unbound,
        };
        self.used -= 1;
        Some(std::mem::replace(&mut self.slots[place], mark).key)
    }

    /// Takes some key out, as `set.pop` does.
    pub(crate) fn pop(&mut self) -> Option<Value> {
        if self.used == 0 {
            return None;
        }
        let mask = self.mask();
        let mut at = self.finger & mask;
        while self.slots[at].key.is_unbound() {
            at = (at + 1) & mask;
        }
        self.finger = at + 1;
        self.remove(at)
    }

    /// After many keys were removed: forgets their marks if there are too many.
    pub(crate) fn tidy(&mut self) {
        if self.filled - self.used > self.mask() / 4 {
            self.resize(self.grown());
        }
    }

    /// Takes the keys of another table instead of its own.
    pub(crate) fn take_over(&mut self, other: Self) {
        self.slots = other.slots;
        self.used = other.used;
        self.filled = other.filled;
    }

    /// The first key at this place or behind it, and its place.
    pub(crate) fn first_from(&self, place: usize) -> Option<(usize, &Value)> {
        let rest = self.slots.get(place..)?;
        let offset = rest.iter().position(|slot| !slot.key.is_unbound())?;
        Some((place + offset, &rest[offset].key))
    }

    /// Hashes and keys in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (i64, &Value)> {
        let with_key = self.slots.iter().filter(|slot| !slot.key.is_unbound());
        with_key.map(|slot| (slot.hash, &slot.key))
    }
}

/// A set that can change, or one that cannot.
#[derive(Debug, Default)]
pub(crate) struct Set {
    pub(crate) table: RefCell<SetTable>,
}

impl Set {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.table.borrow().len()
    }

    /// Keys as they are now.
    pub(crate) fn keys(&self) -> Vec<Value> {
        let table = self.table.borrow();
        table.entries().map(|(_, key)| key.clone()).collect()
    }

    /// Hashes and keys as they are now.
    pub(crate) fn entries(&self) -> Vec<(i64, Value)> {
        let table = self.table.borrow();
        table
            .entries()
            .map(|(hash, key)| (hash, key.clone()))
            .collect()
    }

    /// A set of the same keys, in the order that CPython gives to a copy.
    pub(crate) fn copy(&self) -> Rc<Self> {
        let copy = Self::new();
        {
            let (from, mut to) = (self.table.borrow(), copy.table.borrow_mut());
            if from.len() > 0 {
                to.reserve(from.len());
                to.take_all(&from);
            }
        }
        copy
    }

    pub(crate) fn clear(&self) {
        let old = {
            let mut table = self.table.borrow_mut();
            let finger = table.finger;
            std::mem::replace(
                &mut *table,
                SetTable {
                    finger,
                    ..SetTable::default()
                },
            )
        };
        // What is dropped may hold anything, but the table is no longer borrowed.
        drop(old);
    }
}
