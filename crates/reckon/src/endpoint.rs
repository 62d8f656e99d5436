//! A model elsewhere: conversations in, answers of an OpenAI-compatible server out.
//!
//! Ollama, llama-server, vLLM, an API: [`Model::remote`](crate::Model::remote) puts one behind the same type as a model of
//! this machine. A busy server is asked again a few times.
//!
//! A key crosses the network only inside https; over plain http it goes to this machine and nowhere else.
//!
//! A peer is asked through a `Meter` (`peers`): it says what was sent, and ends at a given time. `wire` has the bodies.
//!
//! What such a server cannot do: count tokens (they are estimated), begin an answer with given words (it is asked to),
//! follow a grammar other than a JSON schema (refused, so a guard that needs one leaves the answer as it is).
mod batch;
mod meter;
mod wire;

pub(crate) use meter::Meter;

use crate::Error;
use reckon_assistant::{Ask, OnBatch, OnEvent, Result, TextModel};
use reckon_engine::{Event, Finish, Generation, Message};
use reckon_models::{
    Patience,
    http::{self, is_busy, is_loopback, may_see_secrets, reason},
};
use serde_json::Value;
use std::{
    io::Read,
    ops::ControlFlow,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use ureq::{Agent, Timeout, http::Uri};

/// Largest answer that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// Longest time that one answer may take: a large model on a CPU is slow, not dead.
const LONGEST: Duration = Duration::from_secs(3600);

/// Tries after the first, where nobody says otherwise.
const RETRIES: u32 = 5;

/// Largest answer to a question about the server itself, in bytes.
const LARGEST_FACT: u64 = 4 << 20;

/// How a server is asked.
#[derive(Clone)]
pub struct EndpointOptions {
    /// Sent as a bearer token, over https or to this machine only.
    pub key: Option<String>,
    /// Only a server on this machine may be asked.
    pub offline: bool,
    /// How long to wait for a connection.
    pub connect: Duration,
    /// How long to wait before asking a busy server again; each time twice as long.
    pub backoff: Duration,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How often a server that is busy or away is asked again.
    pub retries: u32,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            key: None,
            offline: false,
            connect: Duration::from_secs(10),
            backoff: Duration::from_secs(1),
            timeout: LONGEST,
            retries: RETRIES,
        }
    }
}

/// A server and the model that it is asked for.
#[derive(Clone)]
pub struct Endpoint {
    agent: Agent,
    /// Up to `/chat/completions`.
    url: String,
    model: String,
    key: Option<String>,
    backoff: Duration,
    timeout: Duration,
    retries: u32,
    /// What counts and limits what is sent, if anybody does.
    meter: Option<Arc<Meter>>,
}

impl Endpoint {
    /// Prepares to ask for `model`; nothing is sent yet.
    ///
    /// ```
    /// use reckon::{Endpoint, EndpointOptions, Error};
    /// let with_key = EndpointOptions { key: Some("secret".into()), ..EndpointOptions::default() };
    /// assert!(Endpoint::new("http://localhost:11434/v1", "llama3", with_key.clone()).is_ok());
    /// let in_clear = Endpoint::new("http://example.com/v1", "llama3", with_key);
    /// assert!(matches!(in_clear, Err(Error::KeyInClear { .. })));
    /// ```
    pub fn new(url: &str, model: &str, options: EndpointOptions) -> crate::Result<Self> {
        let base = url.trim_end_matches('/');
        let address = address(base)?;
        let url = base.to_owned();
        if options.offline && !is_loopback(base) {
            return Err(Error::Offline { url });
        }
        if options.key.is_some() && !may_see_secrets(base) {
            return Err(Error::KeyInClear { url });
        }
        // Without a path it is the one that all these servers have.
        let path = match address.path() {
            "" | "/" => "/v1",
            _ => "",
        };
        let ending = "/chat/completions";
        let url = match base.ends_with(ending) {
            true => url,
            false => format!("{base}{path}{ending}"),
        };
        let patience = Patience {
            connect: options.connect,
            ..Patience::default()
        };
        let config = http::config(base, &patience)
            .map_err(|error| Error::Machine(error.to_string()))?
            .timeout_global(Some(options.timeout))
            // A redirect could lead the key elsewhere.
            .max_redirects(0);
        Ok(Self {
            agent: config.build().new_agent(),
            url,
            model: model.to_owned(),
            key: options.key,
            backoff: options.backoff,
            timeout: options.timeout,
            retries: options.retries,
            meter: None,
        })
    }

    /// The same server, asked through this meter.
    pub(crate) fn metered(&self, meter: &Arc<Meter>) -> Self {
        Self {
            meter: Some(meter.clone()),
            ..self.clone()
        }
    }

    /// Where it asks.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The model that it asks for.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Asks, and asks again while the server is busy or away. Nothing if `on_event` does not want to wait any longer.
    fn ask(&self, body: &Value, on_event: &mut OnEvent<'_>) -> Result<Option<Value>> {
        let mut tries = 0;
        loop {
            let why = match self.post(body) {
                Ok((status, answer)) if is_busy(status) => {
                    format!("it answered {status}{}", said(&answer))
                }
                Ok((200..=299, answer)) => {
                    return serde_json::from_slice(&answer)
                        .map(Some)
                        .map_err(|_| self.failed("it did not answer in JSON"));
                }
                Ok((status, answer)) => {
                    return Err(self.failed(&format!("it answered {status}{}", said(&answer))));
                }
                Err(why) => why,
            };
            if tries >= self.retries {
                return Err(self.failed(&why));
            }
            if !wait(self.backoff.saturating_mul(1 << tries), on_event) {
                return Ok(None);
            }
            tries += 1;
        }
    }

    fn post(&self, body: &Value) -> std::result::Result<(u16, Vec<u8>), String> {
        let body = body.to_string();
        let time = match &self.meter {
            Some(meter) => meter.take(body.len())?.min(self.timeout),
            None => self.timeout,
        };
        let request = self.agent.post(&self.url).config();
        let mut request = request
            .timeout_global(Some(time))
            .build()
            .header("Content-Type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let response = request.send(body.as_str()).map_err(|error| {
            if let Some(meter) = self.meter.as_ref().filter(|_| is_unsent(&error)) {
                meter.give_back(body.len());
            }
            reason(&error)
        })?;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(LARGEST);
        body.read_to_end(&mut bytes)
            .map_err(|error| plain(&error.to_string()))?;
        Ok((status, bytes))
    }

    /// What the server says about itself at `url`: its status, and JSON or why there is none. Sends nothing of anybody's.
    pub(crate) fn fact(
        &self,
        url: &str,
        time: Duration,
    ) -> std::result::Result<(u16, Value), String> {
        let request = self.agent.get(url).config();
        let mut request = request.timeout_global(Some(time)).build();
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let response = request.call().map_err(|error| reason(&error))?;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(LARGEST_FACT);
        body.read_to_end(&mut bytes)
            .map_err(|error| plain(&error.to_string()))?;
        let value = serde_json::from_slice(&bytes);
        match value {
            Err(_) if (200..300).contains(&status) => Err("it did not answer in JSON".into()),
            value => Ok((status, value.unwrap_or_default())),
        }
    }

    /// Whether a Reckon can answer now: its model is loaded; if not, why.
    pub fn is_ready(&self) -> std::result::Result<(), String> {
        let (_, root) = self.bases();
        let time = Duration::from_secs(3);
        match self.fact(&format!("{root}/readyz"), time)? {
            (200..=299, _) => Ok(()),
            (503, value) => {
                let status = value.get("status").and_then(Value::as_str);
                Err(plain(status.unwrap_or("not ready")))
            }
            (status, _) => Err(format!("it answered {status}")),
        }
    }

    /// The address that its paths follow: up to `/v1`, and what stands before that.
    pub(crate) fn bases(&self) -> (&str, &str) {
        let base = self.url.strip_suffix("/chat/completions");
        let base = base.unwrap_or(&self.url);
        (base, base.strip_suffix("/v1").unwrap_or(base))
    }

    pub(crate) fn failed(&self, why: &str) -> reckon_assistant::Error {
        reckon_assistant::Error::Remote {
            model: self.model.clone(),
            url: self.url.clone(),
            why: why.to_owned(),
        }
    }
}

/// Whether it failed before a byte of the request was sent.
fn is_unsent(error: &ureq::Error) -> bool {
    use std::io::ErrorKind;
    match error {
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => true,
        ureq::Error::Timeout(when) => matches!(when, Timeout::Resolve | Timeout::Connect),
        ureq::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        _ => false,
    }
}

/// What an error quotes, in one line.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(160).collect()
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the key.
        write!(f, "{} at {}", self.model, self.url)
    }
}

/// An address of http or https with a host, and without a name and password in it.
fn address(url: &str) -> crate::Result<Uri> {
    let wrong = |why| Error::Address {
        url: url.to_owned(),
        why,
    };
    let address: Uri = url.parse().map_err(|_| wrong("not an address"))?;
    // `example` alone is a host without a scheme to the parser, and a typo to a person.
    if address.scheme().is_none() {
        return Err(wrong("not an address"));
    }
    if !matches!(address.scheme_str(), Some("http" | "https")) {
        return Err(wrong("neither http nor https"));
    }
    match address.authority() {
        Some(authority) if authority.as_str().contains('@') => {
            Err(wrong("a name or password does not belong into an address"))
        }
        Some(authority) if !authority.host().is_empty() => Ok(address),
        _ => Err(wrong("not an address")),
    }
}

impl TextModel for Endpoint {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        Ok(bytes / 3 + 8 * messages.len())
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let body = wire::body(&self.model, ask)?;
        let begin = Instant::now();
        let Some(answer) = self.ask(&body, on_event)? else {
            return Ok(generation(String::new(), String::new(), Finish::Cancelled));
        };
        let message = answer.pointer("/choices/0/message");
        let text = |name: &str| {
            let field = message.and_then(|message| message.get(name));
            field.and_then(Value::as_str).unwrap_or_default()
        };
        let Some(whole) = message else {
            return Err(self.failed("its answer has no message in it"));
        };
        let calls = wire::calls(whole, &ask.template.tools).map_err(|why| self.failed(&why))?;
        let content = text("content");
        let content = match ask.prefix.is_empty() {
            true => content,
            false => content
                .trim_start()
                .strip_prefix(&ask.prefix)
                .unwrap_or(content),
        };
        let finish = match answer
            .pointer("/choices/0/finish_reason")
            .and_then(Value::as_str)
        {
            Some("length") => Finish::Length,
            _ => Finish::Stop,
        };
        let thought = [text("reasoning_content"), text("reasoning")].concat();
        let mut said = generation(content.to_owned(), thought, finish);
        said.calls = calls;
        let tokens = |name: &str| {
            let count = answer.get("usage").and_then(|usage| usage.get(name));
            count
                .and_then(Value::as_u64)
                .map_or(0, |count| usize::try_from(count).unwrap_or(0))
        };
        said.usage.prompt = tokens("prompt_tokens");
        said.usage.completion = tokens("completion_tokens");
        said.timing.decode = begin.elapsed();
        if on_event(Event::Text(&said.text)).is_break() {
            said.finish = Finish::Cancelled;
        }
        Ok(said)
    }

    fn batch(&mut self, asks: &[Ask], on_event: &mut OnBatch<'_>) {
        batch::run(self, asks, on_event);
    }
}

fn generation(text: String, thought: String, finish: Finish) -> Generation {
    Generation {
        text,
        thought,
        finish,
        ..Generation::default()
    }
}

/// What a refusal says, short.
fn said(answer: &[u8]) -> String {
    let value: Value = serde_json::from_slice(answer).unwrap_or_default();
    let message = value
        .pointer("/error/message")
        .or_else(|| value.get("error"));
    match message.and_then(Value::as_str) {
        Some(text) => format!(": {}", plain(text)),
        None => String::new(),
    }
}

/// Waits; false if nobody wants to wait any longer.
fn wait(time: Duration, on_event: &mut OnEvent<'_>) -> bool {
    let until = Instant::now() + time;
    loop {
        let waiting = Event::Prefill { done: 0, total: 0 };
        if on_event(waiting) == ControlFlow::Break(()) {
            return false;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(Duration::from_millis(100)));
    }
}
