//! What there is to know about a loaded model, for banners, prompts and receipts.
use reckon_engine::Sampling;
use std::path::PathBuf;

/// A loaded model, described.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) n_ctx: usize,
    pub(crate) threads: usize,
    pub(crate) sampling: Sampling,
}
