//! Counts for `GET /metrics`, in the text that Prometheus reads. Numbers only: no words of anybody.
use crate::{error::Problem, query::Answered, state::App};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use std::time::Duration;

/// What is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) refused: Counter,
    answers: Family<Ended, Counter>,
    prompt_tokens: Counter,
    reused_tokens: Counter,
    completion_tokens: Counter,
    seconds: Histogram,
    first_word: Histogram,
    fired: Family<ByGuard, Counter>,
    guard_tokens: Family<ByGuard, Counter>,
    guard_ms: Family<ByGuard, Counter<f64, std::sync::atomic::AtomicU64>>,
    marks: Family<ByMark, Counter>,
    handover_bytes: Counter,
    running: Gauge,
    waiting: Gauge,
    resident: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    ended: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByGuard {
    guard: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByMark {
    mark: &'static str,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let times = || Histogram::new(exponential_buckets(0.05, 2.0, 14));
        let mut metrics = Self {
            registry: Registry::with_prefix("reckon"),
            refused: Counter::default(),
            answers: Family::default(),
            prompt_tokens: Counter::default(),
            reused_tokens: Counter::default(),
            completion_tokens: Counter::default(),
            seconds: times(),
            first_word: times(),
            fired: Family::default(),
            guard_tokens: Family::default(),
            guard_ms: Family::default(),
            marks: Family::default(),
            handover_bytes: Counter::default(),
            running: Gauge::default(),
            waiting: Gauge::default(),
            resident: Gauge::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "refused",
            "Requests that the full queue refused",
            self.refused.clone(),
        );
        registry.register(
            "answers",
            "Answers, by how they ended",
            self.answers.clone(),
        );
        registry.register(
            "prompt_tokens",
            "Tokens of prompts",
            self.prompt_tokens.clone(),
        );
        registry.register(
            "reused_tokens",
            "Of these, not read again",
            self.reused_tokens.clone(),
        );
        registry.register(
            "completion_tokens",
            "Tokens of answers",
            self.completion_tokens.clone(),
        );
        registry.register(
            "answer_seconds",
            "From the slot to the whole answer",
            self.seconds.clone(),
        );
        registry.register(
            "prefill_seconds",
            "Reading the prompt",
            self.first_word.clone(),
        );
        registry.register(
            "guard_fired",
            "Answers that a guard replaced or flagged",
            self.fired.clone(),
        );
        registry.register(
            "guard_tokens",
            "Tokens that a guard had written",
            self.guard_tokens.clone(),
        );
        registry.register(
            "guard_tool_ms",
            "Milliseconds in a guard's tools",
            self.guard_ms.clone(),
        );
        registry.register("marks", "Answers, by mark", self.marks.clone());
        registry.register(
            "handover_bytes",
            "Bytes of questions that peers were sent",
            self.handover_bytes.clone(),
        );
        registry.register(
            "queue_running",
            "Answers being written",
            self.running.clone(),
        );
        registry.register(
            "resident_bytes",
            "Memory that the process holds",
            self.resident.clone(),
        );
        registry.register("queue_waiting", "Requests that wait", self.waiting.clone());
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, answered: &Result<Answered, Problem>, took: Duration) {
        let ended = match answered {
            Ok(_) => "done",
            Err(_) => "failed",
        };
        self.answers.get_or_create(&Ended { ended }).inc();
        let Ok(answered) = answered else {
            return;
        };
        self.seconds.observe(took.as_secs_f64());
        self.first_word
            .observe(answered.timing.prefill.as_secs_f64());
        self.prompt_tokens.inc_by(answered.usage.prompt as u64);
        self.reused_tokens.inc_by(answered.usage.reused as u64);
        self.completion_tokens
            .inc_by(answered.usage.completion as u64);
        let Some(receipt) = &answered.receipt else {
            return;
        };
        for entry in &receipt.guards {
            let guard = ByGuard {
                guard: entry.guard.clone(),
            };
            self.guard_tokens
                .get_or_create(&guard)
                .inc_by(entry.spent.completion as u64);
            self.guard_ms.get_or_create(&guard).inc_by(entry.spent.ms);
            if entry.fired {
                self.fired.get_or_create(&guard).inc();
            }
        }
        let mark = receipt
            .mark
            .as_ref()
            .map_or("none", |mark| mark.state.name());
        self.marks.get_or_create(&ByMark { mark }).inc();
        let peers = receipt.handover.iter().flat_map(|one| &one.peers);
        let bytes: usize = peers.map(|peer| peer.sent.bytes).sum();
        self.handover_bytes.inc_by(bytes as u64);
    }
}

/// All counts as text.
pub(crate) async fn text(State(app): State<App>) -> Response {
    let (running, waiting) = app.queue.lengths();
    app.metrics
        .running
        .set(i64::try_from(running).unwrap_or(i64::MAX));
    app.metrics
        .waiting
        .set(i64::try_from(waiting).unwrap_or(i64::MAX));
    app.metrics.resident.set(resident().unwrap_or(0));
    let mut text = String::new();
    if encode(&mut text, &app.metrics.registry).is_err() {
        return Problem::internal("the counts cannot be written")
            .speak(crate::error::Dialect::OpenAi);
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Bytes of memory that this process holds, where the system tells.
fn resident() -> Option<i64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: i64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
