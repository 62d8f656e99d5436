//! What can go wrong in the engine, sorted by what the caller can do about it.

/// The result of an engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the engine refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is not a GGUF that we can read.
    #[error(transparent)]
    Gguf(#[from] reckon_gguf::Error),
    /// The file is a GGUF, but not a model that we can run.
    #[error("cannot run this model: {0}")]
    Model(String),
    /// The file is a GGUF, but not a drafter for the model that it was given to.
    #[error("cannot use this drafter: {0}")]
    Drafter(String),
    /// The file is a GGUF, but has no encoders for the model that it was given to.
    #[error("cannot use this mmproj: {0}")]
    Mmproj(String),
    /// An image was given to a model without an encoder of images.
    #[error("this model has no eyes: images need its mmproj file")]
    NoEyes,
    /// Sound was given to a model without an encoder of sound.
    #[error("this model has no ears: sound needs its mmproj file")]
    NoEars,
    /// An image or a piece of sound that cannot be encoded, or that was encoded for another model.
    #[error("{0}")]
    Media(String),
    /// The prompt and the answer do not fit into the context.
    #[error("context full: {asked} tokens asked for, {allowed} allowed")]
    ContextFull {
        /// Tokens of the prompt and of the answer asked for.
        asked: usize,
        /// Tokens that fit.
        allowed: usize,
    },
    /// There is nothing to answer.
    #[error("the prompt has no tokens")]
    EmptyPrompt,
    /// The chat template of the model failed.
    #[error("chat template: {0}")]
    Template(String),
    /// A shape of answers that cannot be followed.
    #[error("cannot follow this grammar: {0}")]
    Grammar(String),
    /// A tool that cannot be offered to a model.
    #[error("tool {name}: {why}")]
    Tool {
        /// The tool's name, shortened.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A request whose settings are out of bounds.
    #[error("cannot answer this request: {0}")]
    Request(String),
    /// Sessions of different models were to take part in one pass.
    #[error("these sessions belong to different models")]
    OtherModel,
    /// A token id outside the vocabulary.
    #[error("token {token} is outside the vocabulary of {n_vocab}")]
    Token {
        /// The id.
        token: u32,
        /// Size of the vocabulary.
        n_vocab: usize,
    },
}
