//! Why the interpreter gave up: the last panic, as one line for the parent.
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

/// The error line for a thread that panicked. A size that no memory has is a panic in Rust.
pub(super) fn cause(too_big: &str) -> String {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.contains("capacity overflow") || last.contains("memory") {
        return too_big.into();
    }
    format!(
        "the interpreter failed: {}",
        last.replace(['\n', '\r'], " ")
    )
}
