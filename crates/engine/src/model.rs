//! A loaded model: everything that stays fixed while it answers.
use crate::{Error, Message, Result, Token};
use std::path::Path;

/// How to load a model.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// CPUs to run on, one thread each; empty means one unpinned thread.
    pub cpus: Vec<usize>,
    /// Largest context in tokens; `None` takes the smaller of the model's own and 8192.
    pub n_ctx: Option<usize>,
}

/// Progress of a load: `done` of `total` bytes of weights are ready.
#[derive(Clone, Copy, Debug)]
pub struct LoadStep {
    /// Bytes ready.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// A model ready to answer; read-only and shared by its sessions.
#[derive(Debug)]
pub struct Model {}

impl Model {
    /// Maps the file, checks it and packs its weights. `progress` is called as weights become ready.
    pub fn load(
        _path: &Path,
        _options: &ModelOptions,
        _progress: &mut dyn FnMut(LoadStep),
    ) -> Result<Self> {
        Err(Error::Model("not yet".into()))
    }
    /// Architecture as the file names it, e.g. `gemma4`.
    pub fn architecture(&self) -> &str {
        ""
    }
    /// `general.name` of the file, if any.
    pub fn name(&self) -> Option<&str> {
        None
    }
    /// Largest number of tokens a session of this model holds.
    pub fn n_ctx(&self) -> usize {
        0
    }
    /// Entries of the vocabulary.
    pub fn n_vocab(&self) -> usize {
        0
    }
    /// Tokens of plain text; text that looks like a control token stays text.
    pub fn encode(&self, _text: &str) -> Vec<Token> {
        Vec::new()
    }
    /// The bytes of one token; may be part of a character.
    pub fn piece(&self, _token: Token) -> Vec<u8> {
        Vec::new()
    }
    /// Renders a conversation with the model's chat template and encodes it, ready for an answer.
    pub fn prompt(&self, _messages: &[Message]) -> Result<Vec<Token>> {
        Ok(Vec::new())
    }
    /// Whether the file has a chat template of its own (`false`: a base model or one of ours is used).
    pub fn has_template(&self) -> bool {
        false
    }
    /// The sampling that the file recommends, else ours for its family.
    pub fn sampling(&self) -> crate::Sampling {
        crate::Sampling::default()
    }
}
