//! The protocol of OpenAI: chat completions, completions, responses, models, transcriptions, files and batches.
pub(crate) mod batches;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod models;
pub(crate) mod part;
pub(crate) mod responses;
pub(crate) mod transcriptions;

use crate::query::{Answered, End, Likely};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// A name for an answer that nothing else has.
pub(crate) fn id(prefix: &str) -> String {
    let mut bytes = [0; 12];
    // Without random numbers the time will do: it only has to be another one.
    if getrandom::fill(&mut bytes).is_err() {
        bytes[..8].copy_from_slice(&now().to_le_bytes());
    }
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}{hex}")
}

pub(crate) fn finish_reason(end: End) -> &'static str {
    match end {
        End::Done | End::Stopped => "stop",
        End::Calls => "tool_calls",
        End::Length | End::Repeats => "length",
    }
}

/// Tokens of all answers; the prompt was read once.
pub(crate) fn usage(answers: &[&Answered]) -> Value {
    let prompt = answers.first().map_or(0, |one| one.usage.prompt);
    let cached = answers.first().map_or(0, |one| one.usage.reused);
    let completion: usize = answers.iter().map(|one| one.usage.completion).sum();
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": { "cached_tokens": cached },
    })
}

/// As llama-server gives them.
pub(crate) fn timings(answered: &Answered) -> Value {
    let usage = answered.usage;
    let read = usage.prompt.saturating_sub(usage.reused);
    let (prefill, decode) = (answered.timing.prefill, answered.timing.decode);
    let rate = |tokens: usize, seconds: f64| match seconds > 0.0 {
        true => tokens as f64 / seconds,
        false => 0.0,
    };
    json!({
        "cache_n": usage.reused,
        "prompt_n": read,
        "prompt_ms": prefill.as_secs_f64() * 1e3,
        "prompt_per_second": rate(read, prefill.as_secs_f64()),
        "predicted_n": usage.completion,
        "predicted_ms": decode.as_secs_f64() * 1e3,
        "predicted_per_second": rate(usage.completion, decode.as_secs_f64()),
    })
}

/// The `logprobs` of a choice.
pub(crate) fn logprobs(tokens: &[Likely]) -> Value {
    if tokens.is_empty() {
        return Value::Null;
    }
    let one = |bytes: &[u8], logprob: f32| {
        json!({
            "token": String::from_utf8_lossy(bytes),
            "logprob": logprob,
            "bytes": bytes,
        })
    };
    let content = tokens.iter().map(|token| {
        let mut entry = one(&token.bytes, token.logprob);
        let top = token
            .top
            .iter()
            .map(|(bytes, logprob)| one(bytes, *logprob));
        entry["top_logprobs"] = top.collect();
        entry
    });
    json!({ "content": content.collect::<Vec<_>>(), "refusal": null })
}
