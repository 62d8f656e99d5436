//! Memory for packed weights: zeroed, page-aligned, on huge pages where the system gives them.
//!
//! An anonymous mapping: its pages come into being when they are first written, by the thread that packs them.

use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};

/// An owned run of zeroed bytes.
pub(crate) struct Buffer {
    map: MmapMut,
    len: usize,
}

impl Buffer {
    /// # Panics
    /// If the system has no more memory to give, as any allocation would.
    pub(crate) fn zeroed(len: usize) -> Self {
        let map = MmapMut::map_anon(len.max(1)).expect("memory for a matrix");
        #[cfg(target_os = "linux")]
        {
            // Only a wish: a system without huge pages is as right, and a little slower.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Self { map, len }
    }
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.map[..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.map[..self.len]
    }
}
