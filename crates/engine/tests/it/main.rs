//! The engine's integration tests.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read reference files, the engine does not"
)]

/// Says something on stderr that the test runner does not swallow: what was skipped, what was counted.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

mod calls;
mod drafted;
mod fixture;
mod formats;
mod forward;
mod grammar;
mod hostile;
mod moe;
mod mtp;
mod parity;
mod prefix;
mod refused;
mod scheduled;
mod senses;
mod settings;
mod stored;
mod template;
mod thinking;
mod together;
mod tokenizer;
mod tools;
mod vocabularies;
mod whole;
