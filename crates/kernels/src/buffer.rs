//! Memory for packed weights, and for the activations that move between GEMMs.
//!
//! Weights: one mapping, cut into a part for each matrix, on huge pages where the system gives them.
//!
//! `Arena::new` reserves the room, `pack` writes every part once, `freeze` makes the parts read-only and shared.
//! An anonymous mapping: its pages come into being when they are first written, by the thread that packs them. One
//! mapping for all matrices, because a huge page is given only where all of it lies within one: cut up by matrix, a
//! model of small ones would be on small pages, and a page costs about a microsecond when it comes into being.

use memmap2::MmapMut;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Parts begin at whole cache lines, which are also whole vectors.
const ALIGN: usize = 64;

/// Zeroed room for several parts, still writable.
pub(crate) struct Arena {
    map: MmapMut,
    parts: Vec<Range<usize>>,
}

impl Arena {
    /// Reserves room for parts of these lengths.
    ///
    /// # Panics
    /// If the system has no more memory to give, as any allocation would.
    pub(crate) fn new(lens: impl IntoIterator<Item = usize>) -> Self {
        let mut end = 0usize;
        let mut part = |len: usize| {
            let start = end.next_multiple_of(ALIGN);
            end = start + len;
            start..end
        };
        let parts: Vec<_> = lens.into_iter().map(&mut part).collect();
        let map = MmapMut::map_anon(end.max(1)).expect("memory for the weights");
        #[cfg(target_os = "linux")]
        {
            // A hint: on a system without huge pages the result is the same, and a little slower.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Self { map, parts }
    }

    /// The parts, to be written.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut [u8]> {
        let mut rest = &mut self.map[..];
        let mut at = 0;
        let mut cut = |part: &Range<usize>| {
            let (taken, left) = std::mem::take(&mut rest).split_at_mut(part.end - at);
            let skipped = part.start - at;
            (rest, at) = (left, part.end);
            &mut taken[skipped..]
        };
        self.parts.iter().map(&mut cut).collect()
    }

    /// The parts, to be read.
    pub(crate) fn freeze(self) -> Vec<Buffer> {
        let map = Arc::new(self.map);
        let buffer = |part| Buffer {
            map: Some(Arc::clone(&map)),
            part,
        };
        self.parts.into_iter().map(buffer).collect()
    }
}

/// A read-only part of an arena, which lives as long as any of its parts; or nothing.
#[derive(Default)]
pub(crate) struct Buffer {
    map: Option<Arc<MmapMut>>,
    part: Range<usize>,
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.map {
            Some(map) => &map[self.part.clone()],
            None => &[],
        }
    }
}

/// A buffer of activations. It only grows, begins at a cache line, so that no vector crosses one and no two
/// threads write to one, and is on huge pages where the system gives them: a product writes to as many pages at once as
/// there are tokens, and each is looked up.
#[derive(Debug, Default)]
pub struct Aligned<T> {
    memory: Vec<T>,
    /// The first value on a line of its own.
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// The first `len` values; what is in them is left over.
    pub fn sized(&mut self, len: usize) -> &mut [T] {
        if self.len() < len {
            // Nothing is copied, since nothing of it is needed any more.
            self.memory.clear();
            self.memory.reserve_exact(len + ALIGN / size_of::<T>());
            let free = self.memory.spare_capacity_mut();
            want_huge_pages(free);
            // Values that lie across lines wherever they start may start anywhere.
            let skipped = free.as_ptr().align_offset(ALIGN);
            self.start = if skipped < ALIGN { skipped } else { 0 };
            self.memory.resize(self.start + len, T::default());
        }
        &mut self.memory[self.start..][..len]
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.memory[self.start..]
    }
}

/// Asks for huge pages where `memory` holds whole ones; a hint that the system may ignore.
#[cfg(target_os = "linux")]
fn want_huge_pages<T>(memory: &mut [std::mem::MaybeUninit<T>]) {
    const HUGE: usize = 2 << 20;
    let range = memory.as_mut_ptr_range();
    let start = range.start.addr().next_multiple_of(HUGE);
    let end = range.end.addr() / HUGE * HUGE;
    if start < end {
        let at = range.start.cast::<libc::c_void>().with_addr(start);
        // SAFETY: the range lies inside `memory`, and the advice changes nothing that is in it.
        unsafe { libc::madvise(at, end - start, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn want_huge_pages<T>(_memory: &mut [std::mem::MaybeUninit<T>]) {}
