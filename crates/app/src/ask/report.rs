//! An answer in, the JSON object of `reckon ask --json` out.
//!
//! The names and their order are a contract (`reckon ask --json` in the design); only the receipt may grow.
use crate::{load::finish_name, speed::speeds};
use reckon::{Mark, Receipt, Reply, Token};
use serde::Serialize;
use std::time::Duration;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    text: &'a str,
    tokens: &'a [Token],
    usage: Count,
    timing: Speed,
    finish: &'static str,
    mark: MarkReport<'a>,
    receipt: &'a Receipt,
}

/// The mark, or that there is nothing to verify.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum MarkReport<'a> {
    Mark(&'a Mark),
    None { state: &'static str },
}

#[derive(Debug, Serialize)]
struct Count {
    prompt: usize,
    completion: usize,
}

#[derive(Debug, Serialize)]
struct Speed {
    load_ms: u64,
    prefill_tps: f64,
    decode_tps: f64,
}

impl<'a> Report<'a> {
    pub(crate) fn new(reply: &'a Reply, load: Duration) -> Self {
        let generation = &reply.generation;
        let (read, written) = speeds(generation.usage, generation.timing);
        Self {
            text: &reply.text,
            tokens: &generation.tokens,
            usage: Count {
                prompt: generation.usage.prompt,
                completion: generation.usage.completion,
            },
            timing: Speed {
                load_ms: u64::try_from(load.as_millis()).unwrap_or(u64::MAX),
                prefill_tps: rounded(read),
                decode_tps: rounded(written),
            },
            finish: finish_name(generation.finish),
            mark: match &reply.receipt.mark {
                Some(mark) => MarkReport::Mark(mark),
                None => MarkReport::None { state: "none" },
            },
            receipt: &reply.receipt,
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckon::{Finish, Generation, Sampler, Sampling, Source, Timing, Usage};

    #[test]
    fn the_contract() {
        let generation = Generation {
            text: "Paris \"x\"".into(),
            thought: "hm".into(),
            tokens: vec![7, 8],
            finish: Finish::Stop,
            usage: Usage {
                prompt: 10,
                reused: 0,
                completion: 2,
                ..Usage::default()
            },
            timing: Timing {
                prefill: Duration::from_secs(3),
                decode: Duration::from_secs(1),
            },
            ..Generation::default()
        };
        let sampling = Sampling {
            temperature: 0.0,
            top_k: 40,
            top_p: 0.5,
            seed: 9,
            ..Sampling::default()
        };
        let receipt = Receipt {
            model: Source {
                name: "m".into(),
                path: Some("m.gguf".into()),
                ..Source::default()
            },
            system: Some("Be brief.".into()),
            sampler: Sampler::local(&sampling, None),
            version: "1".into(),
            isa: Some("scalar".into()),
            kv: Some("f16".into()),
            ..Receipt::default()
        };
        let reply = Reply {
            text: "Paris \"x\"".into(),
            generation,
            receipt,
            stopped: false,
        };
        let report = Report::new(&reply, Duration::from_millis(12));
        assert_eq!(
            serde_json::to_string(&report).expect("plain data"),
            r#"{"text":"Paris \"x\"","tokens":[7,8],"usage":{"prompt":10,"completion":2},"#
                .to_owned()
                + r#""timing":{"load_ms":12,"prefill_tps":3.33,"decode_tps":2.0},"finish":"stop","#
                + r#""mark":{"state":"none"},"#
                + r#""receipt":{"model":{"name":"m","path":"m.gguf","sha256":null},"#
                + r#""system":"Be brief.","sampler":{"temperature":0.0,"top_k":40,"top_p":0.5,"min_p":0.0,"#
                + r#""repetition_penalty":1.0,"penalty_window":64,"seed":9},"#
                + r#""version":"1","isa":"scalar","kv":"f16","guards":[]}}"#
        );
    }
}
