//! Memory for packed weights: zeroed, aligned to a cache line, on huge pages where the system gives them.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Bytes from which it pays to ask for huge pages, and their size.
const HUGE: usize = 2 << 20;

/// An owned run of bytes that starts at a cache line.
pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a `Buffer` owns its bytes as a `Vec<u8>` does.
unsafe impl Send for Buffer {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn zeroed(len: usize) -> Self {
        let align = if len >= HUGE { HUGE } else { 64 };
        let layout = Layout::from_size_align(len.max(1), align).expect("a matrix fits into memory");
        // SAFETY: the layout has a size above zero.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        let buffer = Self { start, layout };
        buffer.ask_for_huge_pages();
        buffer
    }

    #[cfg(target_os = "linux")]
    fn ask_for_huge_pages(&self) {
        if self.layout.size() >= HUGE {
            // SAFETY: the range is ours and the advice changes no content; a refusal is harmless.
            unsafe {
                libc::madvise(
                    self.start.as_ptr().cast(),
                    self.layout.size(),
                    libc::MADV_HUGEPAGE,
                )
            };
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn ask_for_huge_pages(&self) {}
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the allocation has this size and was zeroed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` is the only access.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
