//! The key and the value of one head at one position, into a page.

use super::{GROUP, PAGE, Page, Precision, keys_at, scales_at, values_at};
use crate::half::{f16_to_f32, f32_to_f16};
use crate::simd::LANES;

/// Writes `key` and `value` (`[dim]`); `shape` is the heads of the page, their dimensions and the head meant.
pub(super) fn write(
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

fn put<T: super::page::Plain + Default>(
    page: &mut Page,
    head: usize,
    position: usize,
    key: &[f32],
    value: &[f32],
    narrow: impl Fn(f32) -> T,
) {
    let dim = key.len();
    let out = page.elements_mut::<T>();
    let start = keys_at(dim, head, position) + position % LANES;
    let mut keys = out[start..].iter_mut().step_by(LANES);
    for key in key.chunks(PAGE) {
        // Narrowed side by side before they go far apart.
        let mut near = [T::default(); PAGE];
        near.iter_mut()
            .zip(key)
            .for_each(|(near, &k)| *near = narrow(k));
        keys.by_ref()
            .zip(&near[..key.len()])
            .for_each(|(out, &k)| *out = k);
    }
    for (i, value) in value.chunks(PAGE).enumerate() {
        let (at, width) = values_at(dim, head, i * PAGE);
        let out = &mut out[at + position % PAGE * width..][..width];
        out.iter_mut()
            .zip(value)
            .for_each(|(out, &v)| *out = narrow(v));
    }
}

/// Whole numbers of a group, and their scale as a half.
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
