//! Calls of Telegram's Bot API: JSON over HTTPS, answers bounded, failures by what can be done about them.
//!
//! Written on `ureq`, not on the `frankenstein` crate: that parses a whole batch of updates or nothing, so that one update
//! of a new kind would stop the bot for good; it sends files from paths only, which would put people's words on the disk;
//! its errors quote whole answers and addresses, words and token included; and it needs 17 more packages.
use crate::error::{Error, Result};
use crate::token::Token;
use crate::wire::FilePath;
use reckon_models::{Patience, http};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::Read;
use std::time::Duration;
use ureq::Agent;

/// Where Telegram's own API is.
pub const API_URL: &str = "https://api.telegram.org";
/// Bytes of an answer; a hundred updates have far less.
const LARGEST_ANSWER: u64 = 32 << 20;
/// Bytes of a file that Telegram lets bots fetch.
pub(crate) const LARGEST_FILE: u64 = 20 << 20;
/// How long a call may take.
const CALL: Duration = Duration::from_secs(30);
/// How long fetching or sending a file may take.
const TRANSFER: Duration = Duration::from_secs(300);
/// Characters of what Telegram says about a refusal.
const LONGEST: usize = 200;
/// The longest wait that is believed, in seconds.
const LONGEST_WAIT: u64 = 24 * 3600;

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Telegram has refused it; nothing was done.
    Refused { code: i64, description: String },
    /// Too many calls: nothing was done, and nothing will be for so many seconds.
    FloodWait(u64),
    /// It did not get as far as Telegram.
    NotSent(String),
    /// Nobody knows whether it was done.
    Unknown(String),
}

impl Failure {
    /// Whether Telegram said these words; it has no numbers for its reasons.
    pub(crate) fn says(&self, words: &str) -> bool {
        matches!(self, Self::Refused { description, .. } if description.to_lowercase().contains(words))
    }

    /// Whether the token is not, or no longer, good.
    pub(crate) fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Refused { code: 401, .. })
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused { code, description } => write!(f, "{description} ({code})"),
            Self::FloodWait(seconds) => write!(f, "too many calls: wait {seconds} s"),
            Self::NotSent(why) | Self::Unknown(why) => f.write_str(why),
        }
    }
}

/// What every call is answered with.
#[derive(Deserialize)]
struct Envelope<T> {
    ok: bool,
    result: Option<T>,
    #[serde(default)]
    error_code: i64,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Default, Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
}

/// One bot's access to the Bot API.
pub(crate) struct Api {
    agent: Agent,
    base: String,
    token: Token,
}

impl Api {
    /// Access by this token to the API at `url`.
    pub(crate) fn new(url: &str, token: Token) -> Result<Self> {
        let base = url.trim_end_matches('/').to_owned();
        if !http::may_see_secrets(&base) {
            let why = format!("{base} would see the token: it must be https or on this machine");
            return Err(Error::Settings(why));
        }
        let config = http::config(&base, &Patience::default())
            .map_err(|error| Error::Telegram(error.to_string()))?
            // A redirect could lead the token elsewhere.
            .max_redirects(0);
        Ok(Self {
            agent: config.build().new_agent(),
            base,
            token,
        })
    }

    /// Calls a method.
    pub(crate) fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &Value,
    ) -> std::result::Result<T, Failure> {
        self.call_within(method, parameters, CALL)
    }

    /// Calls a method that may take its time.
    pub(crate) fn call_within<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &Value,
        time: Duration,
    ) -> std::result::Result<T, Failure> {
        let body = parameters.to_string();
        self.post(method, "application/json", body.as_bytes(), time)
    }

    /// Sends a document from memory.
    pub(crate) fn send_document<T: DeserializeOwned>(
        &self,
        parameters: &Value,
        name: &str,
        content: &[u8],
    ) -> std::result::Result<T, Failure> {
        let (kind, body) = form(parameters, name, content);
        self.post("sendDocument", &kind, &body, TRANSFER)
    }

    /// Fetches a file of at most 20 MB.
    pub(crate) fn file(&self, id: &str) -> std::result::Result<Vec<u8>, Failure> {
        let refused = |description: &str| Failure::Refused {
            code: 400,
            description: description.into(),
        };
        let found: FilePath = self.call("getFile", &json!({ "file_id": id }))?;
        if found.file_size.is_some_and(|size| size > LARGEST_FILE) {
            return Err(refused("file is too big"));
        }
        let path = checked_path(&found.file_path).ok_or_else(|| refused("file has no address"))?;
        let url = format!("{}/file/bot{}/{path}", self.base, self.token.reveal());
        let request = self.agent.get(&url).config().timeout_global(Some(TRANSFER));
        let response = request
            .build()
            .call()
            .map_err(|error| self.failure(error))?;
        if response.status() != 200 {
            return Err(refused("file cannot be fetched"));
        }
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(LARGEST_FILE + 1);
        body.read_to_end(&mut bytes)
            .map_err(|error| Failure::Unknown(self.plain(&error.to_string())))?;
        match bytes.len() as u64 > LARGEST_FILE {
            true => Err(refused("file is too big")),
            false => Ok(bytes),
        }
    }

    fn post<T: DeserializeOwned>(
        &self,
        method: &str,
        kind: &str,
        body: &[u8],
        time: Duration,
    ) -> std::result::Result<T, Failure> {
        let url = format!("{}/bot{}/{method}", self.base, self.token.reveal());
        let request = self.agent.post(&url).header("Content-Type", kind);
        let request = request.config().timeout_global(Some(time)).build();
        let response = request.send(body).map_err(|error| self.failure(error))?;
        let status = i64::from(response.status().as_u16());
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(LARGEST_ANSWER);
        body.read_to_end(&mut bytes)
            .map_err(|error| Failure::Unknown(self.plain(&error.to_string())))?;
        self.decode(status, &bytes)
    }

    fn decode<T: DeserializeOwned>(
        &self,
        status: i64,
        bytes: &[u8],
    ) -> std::result::Result<T, Failure> {
        // What is no JSON comes from something between here and Telegram.
        let Ok(answer) = serde_json::from_slice::<Envelope<T>>(bytes) else {
            return Err(Failure::Unknown(format!("unreadable answer ({status})")));
        };
        // Some servers say "done" without saying what.
        let result = answer
            .result
            .or_else(|| serde_json::from_value(Value::Null).ok());
        if let (true, Some(result)) = (answer.ok, result) {
            return Ok(result);
        }
        let code = match answer.error_code {
            0 => status,
            code => code,
        };
        let description = self.plain(&answer.description);
        match (code, answer.parameters.retry_after) {
            (_, Some(seconds)) => Err(Failure::FloodWait(seconds.min(LONGEST_WAIT))),
            (429, None) => Err(Failure::FloodWait(5)),
            (500.., _) | (200..=299, _) => Err(Failure::Unknown(format!("{description} ({code})"))),
            _ => Err(Failure::Refused { code, description }),
        }
    }

    /// What a failed exchange means. Only what failed before the first byte left is known not to be done.
    fn failure(&self, error: ureq::Error) -> Failure {
        use ureq::{Error, Timeout};
        let why = self.plain(&http::reason(&error));
        match error {
            Error::HostNotFound
            | Error::ConnectionFailed
            | Error::Tls(_)
            | Error::Rustls(_)
            | Error::ConnectProxyFailed(_)
            | Error::Timeout(Timeout::Resolve | Timeout::Connect) => Failure::NotSent(why),
            Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                Failure::NotSent(why)
            }
            _ => Failure::Unknown(why),
        }
    }

    /// One short line without the token.
    fn plain(&self, text: &str) -> String {
        let text = self.token.scrub(text);
        let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        line.take(LONGEST).collect()
    }
}

/// The path of a file as part of an address, if it is one: a local server gives paths of its own disk.
fn checked_path(path: &str) -> Option<String> {
    let dots = path.split('/').any(|part| part == "..");
    if path.is_empty() || path.len() > 1_000 || path.starts_with('/') || dots {
        return None;
    }
    let mut checked = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
                checked.push(char::from(byte));
            }
            _ => checked.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(checked)
}

/// A form with these fields and one file, and its content type.
fn form(parameters: &Value, name: &str, content: &[u8]) -> (String, Vec<u8>) {
    // It must not occur in the content; 128 random bits do not.
    let mut random = [0; 16];
    // Without random numbers the boundary is only likely, not sure, to be unique.
    let _ = getrandom::fill(&mut random);
    let boundary = random.iter().fold("reckon-".to_owned(), |text, byte| {
        format!("{text}{byte:02x}")
    });
    let mut body = Vec::with_capacity(content.len() + 1_000);
    for (key, value) in parameters.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{key}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(value.as_bytes());
        body.extend_from_slice(b"\r\n");
    }
    let name = name.replace(['"', '\r', '\n', '\\'], "_");
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"document\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(content);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api() -> Api {
        let token = Token::new("42:secret").unwrap();
        Api::new("http://127.0.0.1:1", token).unwrap()
    }

    #[test]
    fn paths_of_files_lead_nowhere_else() {
        let check = |path: &str| checked_path(path);
        assert_eq!(
            check("photos/file_1.jpg").as_deref(),
            Some("photos/file_1.jpg")
        );
        assert_eq!(check("a b?c#d").as_deref(), Some("a%20b%3Fc%23d"));
        assert_eq!(check("../bot1:x/getMe"), None);
        assert_eq!(check("/etc/passwd"), None);
        assert_eq!(check(""), None);
    }

    #[test]
    fn answers_are_told_apart_by_what_can_be_done() {
        let api = api();
        let decode = |status, text: &str| api.decode::<bool>(status, text.as_bytes());
        assert_eq!(decode(200, r#"{"ok":true,"result":true}"#), Ok(true));
        let flood =
            r#"{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":7}}"#;
        assert_eq!(decode(429, flood), Err(Failure::FloodWait(7)));
        let refused = decode(
            400,
            r#"{"ok":false,"error_code":400,"description":"Bad 42:secret\n"}"#,
        );
        assert!(
            matches!(&refused, Err(failure) if failure.says("bad ***")),
            "{refused:?}"
        );
        assert!(matches!(decode(502, "<html>"), Err(Failure::Unknown(_))));
        assert!(matches!(
            decode(500, r#"{"ok":false,"error_code":500}"#),
            Err(Failure::Unknown(_))
        ));
    }

    #[test]
    fn nobody_else_sees_the_token() {
        let token = Token::new("42:secret").unwrap();
        assert!(matches!(
            Api::new("http://example.org", token.clone()),
            Err(Error::Settings(_))
        ));
        assert!(!format!("{token:?}").contains("secret"));
        let failure = api().call::<bool>("getMe", &json!({})).unwrap_err();
        assert!(matches!(failure, Failure::NotSent(_)), "{failure:?}");
        assert!(!failure.to_string().contains("secret"));
    }
}
