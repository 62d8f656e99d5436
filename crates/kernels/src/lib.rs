//! The only SIMD and almost the only `unsafe` of Reckon: weight formats, packed
//! matrices, the products over them, the vector operations of a transformer, and
//! the thread pool that runs them.
#![expect(
    unsafe_code,
    reason = "SIMD loads and the thread pool's shared job need it"
)]

mod format;

pub use format::Format;
