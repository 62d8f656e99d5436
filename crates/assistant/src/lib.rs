//! Guardrails around a language model: a conversation in, an answer with a receipt out.
//!
//! No IO, no async code, no clock: models and tools are handed in.
pub mod check;
