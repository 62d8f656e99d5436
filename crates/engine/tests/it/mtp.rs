//! Gemma 4's drafter.

mod reference;
