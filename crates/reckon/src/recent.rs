//! What took long to make, kept for the next time that it is asked for.
//!
//! A conversation brings its files again with every question; encoding a picture takes seconds on a small machine, and
//! comes to the same each time.
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// Things by the digest of what they were made of, up to so many bytes; what was not asked for longest goes first.
#[derive(Debug)]
pub struct Recent<T> {
    most: usize,
    kept: Mutex<VecDeque<Kept<T>>>,
}

#[derive(Debug)]
struct Kept<T> {
    digest: [u8; 32],
    bytes: usize,
    value: Arc<T>,
}

impl<T> Recent<T> {
    /// For at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// The thing with this digest, made if it is not there; `bytes` says how much room it takes.
    ///
    /// Two who ask for the same at the same time may both make it: nobody waits for another's work.
    pub fn get<E>(
        &self,
        digest: [u8; 32],
        bytes: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<Arc<T>, E> {
        if let Some(known) = self.find(&digest) {
            return Ok(known);
        }
        let value = Arc::new(make()?);
        self.keep(Kept {
            digest,
            bytes: bytes(&value),
            value: Arc::clone(&value),
        });
        Ok(value)
    }

    fn find(&self, digest: &[u8; 32]) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|one| one.digest == *digest)?;
        let found = kept.remove(at)?;
        let value = Arc::clone(&found.value);
        kept.push_back(found);
        Some(value)
    }

    fn keep(&self, new: Kept<T>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(new);
        let mut bytes: usize = kept.iter().map(|one| one.bytes).sum();
        while bytes > self.most {
            let Some(oldest) = kept.pop_front() else {
                return;
            };
            bytes -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_known_is_not_made_again_until_there_is_no_room() {
        let recent = Recent::new(10);
        let made = Cell::new(0);
        let get = |n: u8| {
            let make = || {
                made.set(made.get() + 1);
                Ok::<u8, ()>(n)
            };
            *recent.get([n; 32], |_| 4, make).unwrap()
        };
        assert_eq!((get(1), get(2), get(1)), (1, 2, 1));
        assert_eq!(made.get(), 2);
        // No room for three: the one that was asked for longest ago goes.
        get(3);
        get(1);
        assert_eq!(made.get(), 3);
        get(2);
        assert_eq!(made.get(), 4);
    }
}
