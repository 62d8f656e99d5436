//! The table behind dictionaries, namespaces and sets: insertion order, with an index by hash.
//!
//! Comparing keys can run a program's own `__eq__`, which may change the very table that is searched. So a search
//! borrows the table only to collect what has the same hash, and compares without the borrow (`Vm::find` in
//! `vm/hash.rs`). Keys that are texts and other plain values never need that.
//!
//! A removed entry leaves a hole until the table is next rebuilt, so that iterations by position stay valid.
use crate::{text::Str, value::Value};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// Tables up to this size are searched entry by entry.
const SMALL: usize = 8;
/// So many tables inside tables are dropped one within the other.
const DEEPEST: usize = 200;
/// An empty place of the index.
const EMPTY: u32 = u32::MAX;
/// A place whose entry was removed.
const REMOVED: u32 = u32::MAX - 1;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) hash: i64,
    /// [`Value::Unbound`] is a hole.
    pub(crate) key: Value,
    pub(crate) value: Value,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// Places in `entries` by hash; a power of two, or nothing for a small table.
    index: Vec<u32>,
    /// Places of the index that are not empty, those of removed entries included: a search ends at an empty one.
    filled: usize,
    live: usize,
}

thread_local! {
    /// How many tables are being dropped, each inside the one before.
    static DROPPING: Cell<usize> = const { Cell::new(0) };
    /// What was in those that are deeper, to be dropped when the outermost is done.
    static WAITING: RefCell<Vec<Vec<Entry>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Table {
    /// A chain of a million objects would otherwise be dropped by as many calls inside each other, for which the stack
    /// is too small.
    fn drop(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        let depth = DROPPING.get();
        if depth >= DEEPEST {
            WAITING.with_borrow_mut(|waiting| waiting.push(entries));
            return;
        }
        DROPPING.set(depth + 1);
        drop(entries);
        while depth == 0
            && let Some(entries) = WAITING.with_borrow_mut(Vec::pop)
        {
            drop(entries);
        }
        DROPPING.set(depth);
    }
}

impl Table {
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// The first entry at this position or behind it, and its position.
    pub(crate) fn at_or_behind(&self, position: usize) -> Option<(usize, &Entry)> {
        let rest = self.entries.get(position..)?;
        let (offset, entry) = rest
            .iter()
            .enumerate()
            .find(|(_, entry)| !entry.key.is_unbound())?;
        Some((position + offset, entry))
    }

    /// The last entry before this position.
    pub(crate) fn before(&self, position: usize) -> Option<(usize, &Entry)> {
        let head = self.entries.get(..position.min(self.entries.len()))?;
        let found = head.iter().enumerate().rev();
        found.into_iter().find(|(_, entry)| !entry.key.is_unbound())
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.key.is_unbound())
    }

    pub(crate) fn entry(&self, position: usize) -> Option<&Entry> {
        let entry = self.entries.get(position)?;
        (!entry.key.is_unbound()).then_some(entry)
    }

    pub(crate) fn entry_mut(&mut self, position: usize) -> Option<&mut Entry> {
        let entry = self.entries.get_mut(position)?;
        (!entry.key.is_unbound()).then_some(entry)
    }

    /// Positions of entries with this hash, until `stop` says that one is enough.
    pub(crate) fn with_hash(&self, hash: i64, mut stop: impl FnMut(usize, &Entry) -> bool) {
        if self.index.is_empty() {
            for (at, entry) in self.entries.iter().enumerate() {
                if entry.hash == hash && !entry.key.is_unbound() && stop(at, entry) {
                    return;
                }
            }
            return;
        }
        let mask = self.index.len() - 1;
        let mut place = slot(hash) & mask;
        loop {
            match self.index[place] {
                EMPTY => return,
                REMOVED => {}
                at => {
                    let entry = &self.entries[at as usize];
                    if entry.hash == hash && !entry.key.is_unbound() && stop(at as usize, entry) {
                        return;
                    }
                }
            }
            place = (place + 1) & mask;
        }
    }

    /// Where this text is the key.
    pub(crate) fn find_str(&self, name: &Rc<Str>) -> Option<usize> {
        let mut found = None;
        self.with_hash(name.hash(), |at, entry| {
            let same = match &entry.key {
                Value::Str(key) => Rc::ptr_eq(key, name) || **key == **name,
                _ => false,
            };
            if same {
                found = Some(at);
            }
            same
        });
        found
    }

    /// Adds an entry whose key is not there yet.
    pub(crate) fn push(&mut self, hash: i64, key: Value, value: Value) {
        if self.entries.len() > self.live * 2 + SMALL {
            self.rebuild();
        }
        let at = self.entries.len();
        self.entries.push(Entry { hash, key, value });
        self.live += 1;
        if !self.index.is_empty() && (self.filled + 1) * 4 <= self.index.len() * 3 {
            self.place(hash, at);
        } else if at >= SMALL {
            self.rebuild();
        }
    }

    fn place(&mut self, hash: i64, at: usize) {
        let mask = self.index.len() - 1;
        let mut place = slot(hash) & mask;
        while self.index[place] < REMOVED {
            place = (place + 1) & mask;
        }
        self.filled += usize::from(self.index[place] == EMPTY);
        self.index[place] =
            u32::try_from(at).expect("memory ends before four thousand million entries");
    }

    /// Closes the holes and makes an index that is at most half full.
    fn rebuild(&mut self) {
        if self.entries.len() != self.live {
            self.entries.retain(|entry| !entry.key.is_unbound());
        }
        self.index.clear();
        self.filled = 0;
        if self.entries.len() <= SMALL {
            return;
        }
        self.index
            .resize((self.entries.len() * 2 + 2).next_power_of_two(), EMPTY);
        for at in 0..self.entries.len() {
            self.place(self.entries[at].hash, at);
        }
    }

    /// Takes the entry at this position out.
    pub(crate) fn remove(&mut self, position: usize) -> Option<Entry> {
        let entry = self.entries.get_mut(position)?;
        if entry.key.is_unbound() {
            return None;
        }
        let hole = Entry {
            hash: entry.hash,
            key: Value::Unbound,
            value: Value::Unbound,
        };
        let taken = std::mem::replace(entry, hole);
        self.live -= 1;
        self.forget(taken.hash, position);
        // A queue or a stack made of a dictionary must not grow without end.
        while self
            .entries
            .last()
            .is_some_and(|last| last.key.is_unbound())
        {
            self.entries.pop();
        }
        Some(taken)
    }

    fn forget(&mut self, hash: i64, position: usize) {
        if self.index.is_empty() {
            return;
        }
        let mask = self.index.len() - 1;
        let mut place = slot(hash) & mask;
        while self.index[place] != EMPTY {
            if self.index[place] as usize == position {
                self.index[place] = REMOVED;
                return;
            }
            place = (place + 1) & mask;
        }
    }
}

/// Neighbouring integers hash to neighbours; that is fine for a linear search, but multiples of a power of two are not.
fn slot(hash: i64) -> usize {
    let hash = hash.cast_unsigned();
    (hash ^ (hash >> 15) ^ (hash >> 37)) as usize
}

/// A dictionary, or the names of a module, a class or an object.
#[derive(Debug, Default)]
pub(crate) struct Dict {
    pub(crate) table: RefCell<Table>,
}

impl Dict {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    pub(crate) fn from_table(table: Table) -> Rc<Self> {
        Rc::new(Self {
            table: RefCell::new(table),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.table.borrow().len()
    }

    pub(crate) fn get_str(&self, name: &Rc<Str>) -> Option<Value> {
        let table = self.table.borrow();
        let at = table.find_str(name)?;
        table.entry(at).map(|entry| entry.value.clone())
    }

    pub(crate) fn has_str(&self, name: &Rc<Str>) -> bool {
        self.table.borrow().find_str(name).is_some()
    }

    pub(crate) fn set_str(&self, name: &Rc<Str>, value: Value) {
        let mut table = self.table.borrow_mut();
        let old = match table.find_str(name) {
            Some(at) => table
                .entry_mut(at)
                .map(|entry| std::mem::replace(&mut entry.value, value)),
            None => {
                table.push(name.hash(), Value::Str(name.clone()), value);
                None
            }
        };
        // What is dropped may hold anything, even this table.
        drop(table);
        drop(old);
    }

    pub(crate) fn remove_str(&self, name: &Rc<Str>) -> Option<Value> {
        let mut table = self.table.borrow_mut();
        let at = table.find_str(name)?;
        table.remove(at).map(|entry| entry.value)
    }

    /// Keys and values, as they are now.
    pub(crate) fn pairs(&self) -> Vec<(Value, Value)> {
        let table = self.table.borrow();
        table
            .iter()
            .map(|entry| (entry.key.clone(), entry.value.clone()))
            .collect()
    }

    pub(crate) fn keys(&self) -> Vec<Value> {
        self.table
            .borrow()
            .iter()
            .map(|entry| entry.key.clone())
            .collect()
    }
}
