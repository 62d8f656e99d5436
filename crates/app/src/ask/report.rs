//! An answer in, the JSON object of `reckon ask --json` out.
//!
//! The names and their order are a contract (`reckon ask --json` in the design); only the receipt may grow.
use crate::{chat::speeds, load::finish_name};
use reckon_assistant::{Entry, Reply};
use reckon_engine::{Sampling, Token};
use serde::Serialize;
use std::{path::Path, time::Duration};

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    text: &'a str,
    tokens: &'a [Token],
    usage: Count,
    timing: Speed,
    finish: &'static str,
    receipt: Receipt<'a>,
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

/// What made the answer, so that it can be made again.
#[derive(Debug, Serialize)]
pub(crate) struct Receipt<'a> {
    pub(crate) model: Source<'a>,
    /// The system text that the model was given.
    pub(crate) system: Option<&'a str>,
    pub(crate) sampler: Sampler,
    pub(crate) version: &'static str,
    pub(crate) isa: &'static str,
    /// How keys and values were kept.
    pub(crate) kv: &'static str,
    /// The schema that the answer was held to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<Digest<'a>>,
    /// What the model itself said; absent with `--raw`, where it is the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw: Option<&'a str>,
    /// What each guard saw and did.
    pub(crate) guards: &'a [Entry],
}

/// A file that the person gave.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Digest<'a> {
    pub(crate) path: &'a Path,
    pub(crate) sha256: &'a str,
}

/// Where the model came from.
#[derive(Debug, Serialize)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) path: &'a Path,
    /// As it was checked, if the file has not changed since; not known for files outside the store.
    pub(crate) sha256: Option<String>,
}

/// How tokens were chosen.
#[derive(Debug, Serialize)]
pub(crate) struct Sampler {
    temperature: f32,
    top_k: usize,
    top_p: f32,
    min_p: f32,
    repetition_penalty: f32,
    penalty_window: usize,
    seed: u64,
}

impl From<&Sampling> for Sampler {
    fn from(sampling: &Sampling) -> Self {
        Self {
            temperature: sampling.temperature,
            top_k: sampling.top_k,
            top_p: sampling.top_p,
            min_p: sampling.min_p,
            repetition_penalty: sampling.repetition_penalty,
            penalty_window: sampling.penalty_window,
            seed: sampling.seed,
        }
    }
}

impl<'a> Report<'a> {
    pub(crate) fn new(reply: &'a Reply, load: Duration, receipt: Receipt<'a>) -> Self {
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
            receipt,
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckon_engine::{Finish, Generation, Timing, Usage};

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
                name: "m",
                path: Path::new("m.gguf"),
                sha256: None,
            },
            system: Some("Be brief."),
            sampler: (&sampling).into(),
            version: "1",
            isa: "scalar",
            kv: "f16",
            schema: None,
            raw: None,
            guards: &[],
        };
        let reply = Reply {
            text: "Paris \"x\"".into(),
            generation,
            receipt: reckon_assistant::Receipt::default(),
            stopped: false,
        };
        let report = Report::new(&reply, Duration::from_millis(12), receipt);
        assert_eq!(
            serde_json::to_string(&report).expect("plain data"),
            r#"{"text":"Paris \"x\"","tokens":[7,8],"usage":{"prompt":10,"completion":2},"#
                .to_owned()
                + r#""timing":{"load_ms":12,"prefill_tps":3.33,"decode_tps":2.0},"finish":"stop","#
                + r#""receipt":{"model":{"name":"m","path":"m.gguf","sha256":null},"#
                + r#""system":"Be brief.","sampler":{"temperature":0.0,"top_k":40,"top_p":0.5,"min_p":0.0,"#
                + r#""repetition_penalty":1.0,"penalty_window":64,"seed":9},"#
                + r#""version":"1","isa":"scalar","kv":"f16","guards":[]}}"#
        );
    }
}
