//! The classical tools that guardrails lean on, as they are handed in: a sandbox for programs and a solver for logic.
//!
//! `reckon` implements them over `reckon-solve`; tests script them, faults included. Nothing here can fail in a way that
//! stops an answer: whatever goes wrong is an `Outcome` with an error.

use serde::{Deserialize, Serialize};

/// What a program came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The value it computed, as the program's language writes it.
    pub value: Option<String>,
    /// What it printed.
    pub stdout: String,
    /// Whether the solution is the only one, where that was asked and settled.
    pub unique: Option<bool>,
    /// Why it has no value.
    pub error: Option<String>,
    /// Milliseconds it took.
    pub ms: f64,
}

/// Runs programs that a model wrote.
pub trait Tools {
    /// Runs a Python program; its value is the answer.
    fn python(&mut self, program: &str) -> Outcome;

    /// Runs a program that states a problem to the solver.
    fn logic(&mut self, program: &str) -> Outcome;
}

/// No tools at all: every guardrail that needs one falls back.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTools;

impl Tools for NoTools {
    fn python(&mut self, _: &str) -> Outcome {
        absent()
    }

    fn logic(&mut self, _: &str) -> Outcome {
        absent()
    }
}

fn absent() -> Outcome {
    Outcome {
        error: Some("there is no sandbox here".into()),
        ..Outcome::default()
    }
}
