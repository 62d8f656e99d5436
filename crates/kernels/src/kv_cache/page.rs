//! A page of the KV cache: keys and values of 64 positions for all heads, as bytes whose layout `kv_cache` defines.
//!
//! Aligned to cache lines, so that no vector crosses one. Bytes rather than a type per precision, because precision is
//! chosen at load and a generic cache would make everything that holds one generic.

use super::{GROUP, PAGE, Precision, keys_at, scales_at, values_at};
use crate::half::{f16_to_f32, f32_to_f16};
use crate::simd::LANES;

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

// SAFETY: every bit pattern is an integer, and an alignment of 1 is below 64.
unsafe impl Plain for u8 {}
// SAFETY: as for `u8`.
unsafe impl Plain for i8 {}
// SAFETY: every bit pattern is an integer, and an alignment of 2 is below 64.
unsafe impl Plain for u16 {}
// SAFETY: every bit pattern is a float, and an alignment of 4 is below 64.
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

/// Writes the key and the value (`[dim]`) of one head at one position; `shape` is the heads of the page, their
/// dimensions and the head meant.
pub(super) fn write_head(
    page: &mut Page,
    precision: Precision,
    shape: (usize, usize, usize),
    position: usize,
    key: &[f32],
    value: &[f32],
) {
    let (heads, dim, head) = shape;
    match precision {
        Precision::Full => put(page, head, position, key, value, |x| x),
        Precision::Half => put(page, head, position, key, value, f32_to_f16),
        Precision::Eight => {
            let at = scales_at(heads, dim, head) + position % PAGE;
            let (mut k, mut v) = ([0i8; GROUP], [0i8; GROUP]);
            let groups = key.chunks(GROUP).zip(value.chunks(GROUP)).enumerate();
            for (i, (key, value)) in groups {
                let scales = page.elements_mut::<u16>();
                scales[at + i * PAGE] = quantize(key, &mut k);
                scales[at + (dim.div_ceil(GROUP) + i) * PAGE] = quantize(value, &mut v);
                let out = page.elements_mut::<i8>();
                let start = keys_at(dim, head, position) + i * GROUP * LANES + position % LANES;
                let keys = out[start..].iter_mut().step_by(LANES);
                keys.zip(&k[..key.len()]).for_each(|(out, &k)| *out = k);
                let (start, width) = values_at(dim, head, i * GROUP / PAGE * PAGE);
                let start = start + position % PAGE * width + i * GROUP % PAGE;
                out[start..start + value.len()].copy_from_slice(&v[..value.len()]);
            }
        }
    }
}

fn put<T: Plain + Default>(
    page: &mut Page,
    head: usize,
    position: usize,
    key: &[f32],
    value: &[f32],
    convert: impl Fn(f32) -> T,
) {
    let dim = key.len();
    let out = page.elements_mut::<T>();
    let start = keys_at(dim, head, position) + position % LANES;
    let mut keys = out[start..].iter_mut().step_by(LANES);
    for key in key.chunks(PAGE) {
        // Converted side by side, which vectorises, before they are scattered 16 elements apart.
        let mut near = [T::default(); PAGE];
        near.iter_mut()
            .zip(key)
            .for_each(|(near, &k)| *near = convert(k));
        keys.by_ref()
            .zip(&near[..key.len()])
            .for_each(|(out, &k)| *out = k);
    }
    for (i, value) in value.chunks(PAGE).enumerate() {
        let (at, width) = values_at(dim, head, i * PAGE);
        let out = &mut out[at + position % PAGE * width..][..width];
        out.iter_mut()
            .zip(value)
            .for_each(|(out, &v)| *out = convert(v));
    }
}

/// Quantises a group to 8 bits; gives the scale as a half.
fn quantize(x: &[f32], out: &mut [i8; GROUP]) -> u16 {
    let largest = x.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let scale = f32_to_f16(largest / 127.0);
    let d = f16_to_f32(scale);
    for (out, &x) in out.iter_mut().zip(x) {
        // The cast saturates and takes what is not a number, 0 / 0 included, to 0.
        *out = ((x / d).round_ties_even() as i8).max(-127);
    }
    scale
}
