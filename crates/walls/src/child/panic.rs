//! Why a job gave up: the last panic, as one line for the parent.
use std::sync::{Mutex, PoisonError};

static LAST: Mutex<String> = Mutex::new(String::new());

/// Keeps the message of a panic instead of printing it.
pub(super) fn listen() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.payload_as_str().unwrap_or_default();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        last.clear();
        last.extend(text.chars().take(200));
    }));
}

/// Was it a size that no memory has? That is a panic in Rust.
pub(super) fn is_memory() -> bool {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    last.contains("capacity overflow") || last.contains("memory")
}

/// What it said.
pub(super) fn message() -> String {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    format!("failed inside: {}", last.replace(['\n', '\r'], " "))
}
