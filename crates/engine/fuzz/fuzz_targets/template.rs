//! Renders arbitrary text as a chat template: no panic, no overflow of the stack, bounded memory and time.
//!
//! In `crates/engine`:
//! `cargo +nightly fuzz run template fuzz/corpus fuzz/seeds -- -dict=fuzz/jinja.dict -timeout=15 -rss_limit_mb=1024`.
//! A find goes into `tests/data/hostile-templates.txt` once it is fixed.
#![no_main]
use libfuzzer_sys::fuzz_target;

const CONTEXT: &str = r#"{
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": " Hello <b>\n"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "日本 🙂"}
    ],
    "tools": null, "documents": null, "add_generation_prompt": true, "enable_thinking": false,
    "bos_token": "<s>", "eos_token": "</s>", "now": 1721952000
}"#;

fuzz_target!(|source: &str| {
    let result = reckon_engine::render(source, CONTEXT.as_bytes());
    if let Err(line) = result {
        assert!(!line.contains(char::is_control), "{line:?}");
        assert!(!line.contains("broke its interpreter"), "a panic");
    }
});
