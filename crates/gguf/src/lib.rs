//! Reads GGUF files: untrusted bytes in, checked metadata and tensor views out.
pub use reckon_kernels::Format;

/// Why a file was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Placeholder until the reader lands.
    #[error("not a GGUF file")]
    NotGguf,
}
