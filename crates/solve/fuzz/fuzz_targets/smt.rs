//! Feeds arbitrary text to the logic solver as an SMT-LIB script, and again as what the `z3` program prints.
//!
//! In `crates/solve`: `cargo +nightly fuzz run smt fuzz/corpus -- -malloc_limit_mb=256 -timeout=20`.
#![no_main]
use libfuzzer_sys::fuzz_target;
use reckon_solve::logic::{AskZ3, LogicLimits, decide};
use std::time::Duration;

const QUESTION: &str =
    "(declare-sort S 0)(declare-fun f (S Int) Int)(declare-const c S)(declare-const x Int)
(assert (> x (f c 3)))(check-sat)(get-model)";

fuzz_target!(|text: &str| {
    let limits = LogicLimits {
        time: Duration::from_millis(200),
        total: Duration::from_secs(1),
        ..LogicLimits::default()
    };
    let owned = text.to_owned();
    // Deep terms are walked on the stack; the fuzzer's own thread has little of it.
    let solve = move || {
        let _ = decide(&owned, &limits, None);
        let ask: AskZ3 = Box::new(move |_: &str| Some(owned.clone()));
        let _ = decide(QUESTION, &limits, Some(ask));
    };
    let thread = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(solve);
    if let Ok(thread) = thread
        && let Err(panic) = thread.join()
    {
        std::panic::resume_unwind(panic);
    }
});
