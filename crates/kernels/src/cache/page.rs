//! A page: keys and values of 64 positions for all heads of a layer, as bytes whose meaning the cache knows.
//!
//! Aligned to cache lines, so that no vector crosses one.

/// A cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// An owned run of lines.
#[derive(Clone)]
pub(crate) struct Page(Vec<Line>);

/// What a page may be read as: plain numbers for which any bits are a value.
///
/// # Safety
/// Any bit pattern is valid and the alignment is at most a line's.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: every bit pattern is an integer or a float.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i8 {}
// SAFETY: as above.
unsafe impl Plain for u16 {}
// SAFETY: as above.
unsafe impl Plain for f32 {}

impl Page {
    pub(super) fn zeroed(bytes: usize) -> Self {
        Self(vec![Line([0; 64]); bytes.div_ceil(64)])
    }

    /// All elements of the page, the last few unused.
    #[inline(always)]
    pub(crate) const fn elements<T: Plain>(&self) -> &[T] {
        let len = self.0.len() * 64 / size_of::<T>();
        // SAFETY: the lines are initialised, aligned for `T`, and `len` elements long; `T` takes any bits.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), len) }
    }

    /// As `elements`, to write.
    #[inline(always)]
    pub(super) const fn elements_mut<T: Plain>(&mut self) -> &mut [T] {
        let len = self.0.len() * 64 / size_of::<T>();
        // SAFETY: as in `elements`, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), len) }
    }
}
