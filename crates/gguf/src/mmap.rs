//! Maps a file into memory, read-only. The only `unsafe` of this crate.
//!
//! Called by `file`. A mapping is only as stable as the file: a process that shortens it in
//! place can end ours with SIGBUS, and one that rewrites it changes what we read. Both are
//! beyond what a file's sender can do (docs/security.md); our own downloads are written
//! beside the final name and renamed, never in place.
#![expect(unsafe_code, reason = "mapping a file and dropping its pages")]
use memmap2::Mmap;
use std::fs;
use std::io;

/// A whole file, mapped read-only.
#[derive(Debug)]
pub(crate) struct Map(Mmap);

impl Map {
    pub(crate) fn new(file: &fs::File) -> io::Result<Self> {
        // SAFETY: the mapping is read-only and owned by `Map`. Nothing in this process writes
        // to model files in place; the module comment says what is assumed of other processes.
        let map = unsafe { Mmap::map(file)? };
        Ok(Self(map))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Tells the system that the pages of `part`, a stretch of `bytes`, will not be read soon. Stretches that follow one
    /// another leave no page between them: a page that is shared goes with the later one.
    /// A hint: if it fails, the pages merely stay.
    #[cfg(unix)]
    pub(crate) fn release(&self, part: &[u8]) {
        // Pages are 4, 16 or 64 KiB on the systems we run on; steps of 64 are whole pages on all.
        const STEP: usize = 64 << 10;
        let Some(at) = part.as_ptr().addr().checked_sub(self.0.as_ptr().addr()) else {
            return;
        };
        let (start, end) = (at / STEP * STEP, at.saturating_add(part.len()));
        let end = end.min(self.0.len()) / STEP * STEP;
        if start < end {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: the mapping is shared, read-only and backed by a file, so dropped pages
            // come back from the file with the same bytes; live references stay valid.
            let hint = unsafe { self.0.unchecked_advise_range(advice, start, end - start) };
            drop(hint);
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn release(&self, _part: &[u8]) {}
}
