//! A line of the input as a question, and what comes of it.
//!
//! Two forms are read: our own, `{"id", "prompt" | "messages", …}`, whose known fields are checked here, and that of
//! OpenAI's batches, `{"custom_id", "method", "url", "body"}`, whose body is for the endpoint that the address names.
//! A request is kept as JSON with sorted keys, so that two rows which ask the same have the same digest however they
//! were written.
use crate::error::one_line;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of an id.
const MOST_ID: usize = 512;

/// A question that a worker hands out.
#[derive(Clone, Debug)]
pub struct Row {
    /// The batch it belongs to.
    pub batch: String,
    /// Its line in the input, from 1.
    pub line: u64,
    /// Its id: a string or an integer, as the input has it.
    pub id: Value,
    /// The address of OpenAI's form, such as `/v1/chat/completions`; none for our own.
    pub url: Option<String>,
    /// All fields but the id; for OpenAI's form its `body`.
    pub body: Map<String, Value>,
    pub(crate) wanted: Arc<AtomicBool>,
}

impl Row {
    /// Whether anybody still waits for it: `false` once the worker is to stop, the batch was cancelled or another
    /// worker has taken the row over. Whoever generates for minutes asks now and then and returns [`Failure::stopped`].
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// The fields that are known by name.
    pub fn request(&self) -> Result<Request, Failure> {
        serde_json::from_value(Value::Object(self.body.clone()))
            .map_err(|error| Failure::for_good(error.to_string()))
    }
}

/// What a row of our own form asks.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Request {
    /// One question.
    pub prompt: Option<String>,
    /// Or a conversation; each message has a `role`.
    pub messages: Option<Vec<Map<String, Value>>>,
    /// What comes before it.
    pub system: Option<String>,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// 0 is greedy.
    pub temperature: Option<f32>,
    /// The same seed gives the same answer.
    pub seed: Option<u64>,
    /// A JSON schema that the answer is held to.
    pub schema: Option<Value>,
    /// Whose peers answer it, where the worker has any.
    pub role: Option<String>,
    /// All other fields.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// An answer, as it will stand in the output.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answered {
    /// The text.
    pub text: String,
    /// Why it ended: `stop`, `length`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// What checking its number came to; its `state` is verified, corrected, doubtful or unchecked.
    pub mark: Option<Value>,
    /// How it was made and checked.
    pub receipt: Option<Value>,
    /// What was asked of the answer, and whether it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Further fields of the output, such as `usage`, or `response` for OpenAI's form.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One thing that an answer was checked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// Whether it holds.
    pub passed: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Names that an output row gives a meaning of its own; further fields cannot have them.
const RESERVED: [&str; 7] = ["id", "text", "finish", "mark", "receipt", "checks", "error"];

impl Answered {
    /// As the queue keeps it: a JSON object without the id.
    pub(crate) fn to_json(&self) -> Result<String, Failure> {
        let mut clean = self.clone();
        clean
            .more
            .retain(|key, _| !RESERVED.contains(&key.as_str()));
        serde_json::to_string(&clean).map_err(|error| Failure::for_good(error.to_string()))
    }
}

/// Why a row has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(crate) why: String,
    pub(crate) kind: FailureKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// Trying again may help.
    Passing,
    /// It will not.
    Final,
    /// Nobody wanted it any more.
    Stopped,
}

impl Failure {
    /// Something that may be gone next time; the row is tried again, a bounded number of times.
    pub fn passing(why: impl AsRef<str>) -> Self {
        Self::new(why, FailureKind::Passing)
    }

    /// Something that would happen again, such as a prompt that is too long.
    pub fn for_good(why: impl AsRef<str>) -> Self {
        Self::new(why, FailureKind::Final)
    }

    /// Given up because [`Row::is_wanted`] said so; the row is given back as it was.
    pub fn stopped() -> Self {
        Self::new("stopped", FailureKind::Stopped)
    }

    fn new(why: impl AsRef<str>, kind: FailureKind) -> Self {
        let why = one_line(why.as_ref());
        Self { why, kind }
    }
}

/// A line that was read and is worth keeping.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// As JSON.
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    /// JSON with sorted keys.
    pub(crate) request: String,
    pub(crate) digest: String,
}

/// Reads a line, or says in a few words what is wrong with it.
pub(crate) fn parse(line: &[u8]) -> Result<Parsed, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        // Counted in the line, which is a whole file to the parser.
        format!("not JSON, column {}", error.column())
    })?;
    let Value::Object(mut fields) = value else {
        return Err("not a JSON object".into());
    };
    let (id, url, body) = match fields.remove("custom_id") {
        Some(id) => {
            let (url, body) = openai(fields)?;
            (id, Some(url), body)
        }
        None => {
            let id = fields.remove("id").ok_or("no id")?;
            own(&fields)?;
            (id, None, fields)
        }
    };
    let request = canonical(&Value::Object(body));
    let asked = format!("{}\n{request}", url.as_deref().unwrap_or_default());
    Ok(Parsed {
        id: id_text(&id)?,
        digest: hex(&Sha256::digest(asked)),
        url,
        request,
    })
}

/// An id as JSON: a string that is short and not empty, or an integer.
fn id_text(id: &Value) -> Result<String, String> {
    match id {
        Value::String(text) if text.is_empty() => Err("an empty id".into()),
        Value::String(text) if text.len() > MOST_ID => {
            Err(format!("an id of more than {MOST_ID} bytes"))
        }
        Value::Number(number) if !number.is_f64() => Ok(id.to_string()),
        Value::String(_) => Ok(id.to_string()),
        _ => Err("an id is a string or an integer".into()),
    }
}

fn openai(mut fields: Map<String, Value>) -> Result<(String, Map<String, Value>), String> {
    if fields.get("method").is_some_and(|method| method != "POST") {
        return Err("method is not POST".into());
    }
    let Some(Value::String(url)) = fields.remove("url") else {
        return Err("no url".into());
    };
    if url.len() > MOST_ID || !url.starts_with('/') || url.chars().any(char::is_control) {
        return Err("url is not a path such as /v1/chat/completions".into());
    }
    let Some(Value::Object(body)) = fields.remove("body") else {
        return Err("no body".into());
    };
    Ok((url, body))
}

fn own(fields: &Map<String, Value>) -> Result<(), String> {
    let request: Request = serde_json::from_value(Value::Object(fields.clone()))
        .map_err(|error| one_line(&error.to_string()))?;
    match (&request.prompt, &request.messages) {
        (Some(_), Some(_)) => return Err("both prompt and messages".into()),
        (None, None) => return Err("no prompt and no messages".into()),
        (Some(prompt), None) if prompt.trim().is_empty() => return Err("an empty prompt".into()),
        (None, Some(messages)) if messages.is_empty() => return Err("no messages".into()),
        _ => {}
    }
    let has_role = |message: &Map<String, Value>| message.get("role").is_some_and(Value::is_string);
    if !request.messages.iter().flatten().all(has_role) {
        return Err("a message has no role".into());
    }
    if request.max_tokens == Some(0) {
        return Err("max_tokens is 0".into());
    }
    if request
        .temperature
        .is_some_and(|t| !(0.0..=100.0).contains(&t))
    {
        return Err("temperature is not between 0 and 100".into());
    }
    if request
        .schema
        .is_some_and(|schema| !schema.is_object() && !schema.is_boolean())
    {
        return Err("schema is not a JSON schema".into());
    }
    Ok(())
}

/// JSON with sorted keys. serde_json keeps the order of the input if any crate of the build asks it to.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_str());
            let field = |(key, value): (&String, &Value)| {
                format!("{}:{}", Value::from(key.as_str()), canonical(value))
            };
            let fields: Vec<_> = fields.into_iter().map(field).collect();
            format!("{{{}}}", fields.join(","))
        }
        plain => plain.to_string(),
    }
}

/// Lower-case hexadecimal characters, two for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
