//! What goes wrong, and how each protocol says it: `error.type` and `code` of OpenAI, a plain `error` of Ollama,
//! `type: error` of Anthropic. One line for a person in all of them.
use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use reckon::{engine, models};
use serde_json::{Value, json};
use std::time::Duration;

/// A request that cannot be answered, by what its sender can do about it.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) message: String,
    /// The field that is wrong.
    param: Option<String>,
    /// When it is worth asking again.
    after: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// Send something else.
    Invalid,
    /// Send less; the context is too short.
    TooLong,
    /// Send a smaller body.
    TooLarge,
    /// Give a key.
    NoKey,
    /// Not from there.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// There is no such model.
    NoModel,
    /// Ask again later.
    Busy,
    /// This server does not do that.
    Absent,
    /// The server elsewhere that has the model did not answer; ask again.
    Elsewhere,
    /// Nothing the sender can do.
    Internal,
}

/// Whose words an error is said in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    Ollama,
    Anthropic,
}

impl Dialect {
    /// The protocol that a path belongs to.
    pub(crate) fn of(path: &str) -> Self {
        if path.starts_with("/api/") {
            Self::Ollama
        } else if path.starts_with("/v1/messages") {
            Self::Anthropic
        } else {
            Self::OpenAi
        }
    }
}

impl Problem {
    fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            param: None,
            after: None,
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Invalid, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Forbidden, message)
    }

    pub(crate) fn no_key(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::NoKey, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::NotFound, message)
    }

    pub(crate) fn no_model(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::NoModel, message)
    }

    pub(crate) fn absent(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Absent, message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::TooLarge, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Internal, message)
    }

    pub(crate) fn busy(message: impl Into<String>, after: Duration) -> Self {
        Self {
            after: Some(after),
            ..Self::new(ProblemKind::Busy, message)
        }
    }

    /// With the field that is wrong.
    #[must_use]
    pub(crate) fn at(mut self, param: &str) -> Self {
        self.param = Some(param.to_owned());
        self
    }

    /// With the name that a protocol gives to the conversation.
    #[must_use]
    pub(crate) fn conversation_is(mut self, name: &str) -> Self {
        if self.param.as_deref() == Some("messages") {
            self.param = Some(name.to_owned());
        }
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self.kind {
            ProblemKind::Invalid | ProblemKind::TooLong => StatusCode::BAD_REQUEST,
            ProblemKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ProblemKind::NoKey => StatusCode::UNAUTHORIZED,
            ProblemKind::Forbidden => StatusCode::FORBIDDEN,
            ProblemKind::NotFound | ProblemKind::NoModel => StatusCode::NOT_FOUND,
            ProblemKind::Busy => StatusCode::TOO_MANY_REQUESTS,
            ProblemKind::Absent => StatusCode::NOT_IMPLEMENTED,
            ProblemKind::Elsewhere => StatusCode::BAD_GATEWAY,
            ProblemKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The body in the words of a protocol; a stream sends the same as its last event.
    pub(crate) fn body(&self, dialect: Dialect) -> Value {
        let message = &self.message;
        match dialect {
            Dialect::Ollama => json!({ "error": message }),
            Dialect::Anthropic => json!({
                "type": "error",
                "error": { "type": self.anthropic(), "message": message },
            }),
            Dialect::OpenAi => json!({
                "error": {
                    "message": message,
                    "type": self.open_ai(),
                    "param": self.param,
                    "code": self.code(),
                },
            }),
        }
    }

    /// A whole response in the words of a protocol.
    pub(crate) fn speak(&self, dialect: Dialect) -> Response {
        let mut response = (self.status(), Json(self.body(dialect))).into_response();
        let headers = response.headers_mut();
        if let Some(after) = self.after {
            let seconds = HeaderValue::from(after.as_secs_f64().ceil() as u64);
            headers.insert(header::RETRY_AFTER, seconds);
        }
        if self.kind == ProblemKind::NoKey {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }

    /// OpenAI's code, which clients look at.
    pub(crate) fn code(&self) -> Option<&'static str> {
        match self.kind {
            ProblemKind::TooLong => Some("context_length_exceeded"),
            ProblemKind::NoModel => Some("model_not_found"),
            ProblemKind::NoKey => Some("invalid_api_key"),
            ProblemKind::Busy => Some("rate_limit_exceeded"),
            ProblemKind::Absent => Some("not_implemented"),
            _ => None,
        }
    }

    fn open_ai(&self) -> &'static str {
        match self.kind {
            ProblemKind::NoKey => "authentication_error",
            ProblemKind::Forbidden => "permission_error",
            ProblemKind::Busy => "rate_limit_error",
            ProblemKind::Internal | ProblemKind::Absent | ProblemKind::Elsewhere => "server_error",
            _ => "invalid_request_error",
        }
    }

    fn anthropic(&self) -> &'static str {
        match self.kind {
            ProblemKind::NoKey => "authentication_error",
            ProblemKind::Forbidden => "permission_error",
            ProblemKind::NotFound | ProblemKind::NoModel => "not_found_error",
            ProblemKind::TooLarge => "request_too_large",
            ProblemKind::Busy => "rate_limit_error",
            ProblemKind::Internal | ProblemKind::Absent | ProblemKind::Elsewhere => "api_error",
            ProblemKind::Invalid | ProblemKind::TooLong => "invalid_request_error",
        }
    }
}

impl From<engine::Error> for Problem {
    fn from(error: engine::Error) -> Self {
        match error {
            engine::Error::ContextFull { asked, allowed } => {
                // In words that clients of all three protocols look for.
                let message = format!(
                    "prompt is too long: {asked} tokens > {allowed} maximum; \
                     this model's maximum context length is {allowed} tokens"
                );
                Self::new(ProblemKind::TooLong, message).at("messages")
            }
            engine::Error::Grammar(why) => {
                Self::invalid(format!("the answer cannot be held to this form: {why}"))
            }
            engine::Error::Tool { .. }
            | engine::Error::Request(_)
            | engine::Error::Media(_)
            | engine::Error::NoEyes
            | engine::Error::NoEars => Self::invalid(error.to_string()),
            engine::Error::EmptyPrompt => Self::invalid("there is nothing to answer"),
            engine::Error::Token { .. } => Self::invalid(error.to_string()),
            engine::Error::Template(why) => Self::invalid(format!(
                "this model's chat template refuses the messages: {why}"
            )),
            other => Self::internal(other.to_string()),
        }
    }
}

impl From<reckon::Error> for Problem {
    fn from(error: reckon::Error) -> Self {
        match error {
            reckon::Error::Input(error) => error.into(),
            // A template that refuses these messages (two users in a row, no system role) is a matter of the request, and
            // so is a picture of a shape that no encoder takes.
            reckon::Error::Model(
                error @ (engine::Error::Template(_)
                | engine::Error::Media(_)
                | engine::Error::NoEyes
                | engine::Error::NoEars),
            ) => error.into(),
            reckon::Error::Attachment(line) => Self::invalid(line).at("messages"),
            reckon::Error::Password { .. } => Self::invalid(error.to_string()).at("messages"),
            reckon::Error::Unsupported(_) => Self::absent(error.to_string()),
            // Without the address, which is the operator's to look at.
            reckon::Error::Remote { model, why, .. } => {
                let what = format!("{model}, which is elsewhere, gave no answer: {why}");
                Self::new(ProblemKind::Elsewhere, what)
            }
            other => Self::internal(other.to_string()),
        }
    }
}

impl From<models::Error> for Problem {
    fn from(error: models::Error) -> Self {
        let message = match error.hint() {
            Some(hint) => format!("{error} ({hint})"),
            None => error.to_string(),
        };
        match error.kind() {
            models::ErrorKind::NotFound | models::ErrorKind::NotFetched => Self::no_model(message),
            models::ErrorKind::Offline => Self::forbidden(message),
            _ => Self::internal(message),
        }
    }
}

impl From<reckon_batch::Error> for Problem {
    fn from(error: reckon_batch::Error) -> Self {
        use reckon_batch::Error as Batch;
        match error {
            Batch::NoBatch(_) => Self::not_found("there is no such batch"),
            Batch::WrongState(_) | Batch::Invalid(_) | Batch::Changed(_) => {
                Self::invalid(error.to_string())
            }
            Batch::Unavailable(_) => Self::busy(error.to_string(), Duration::from_secs(1)),
            other => Self::internal(other.to_string()),
        }
    }
}

impl From<reckon_store::Error> for Problem {
    fn from(error: reckon_store::Error) -> Self {
        match error {
            reckon_store::Error::NotFound(_) => Self::not_found(error.to_string()),
            reckon_store::Error::TooLarge { .. } => Self::too_large(error.to_string()),
            reckon_store::Error::Invalid(_)
            | reckon_store::Error::WrongState(_)
            | reckon_store::Error::NameTaken(_) => Self::invalid(error.to_string()),
            reckon_store::Error::Busy => Self::busy(error.to_string(), Duration::from_secs(1)),
            other => Self::internal(other.to_string()),
        }
    }
}
