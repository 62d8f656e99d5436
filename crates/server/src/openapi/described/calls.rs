//! The table of calls: method, path, summary, body. A test holds it against the routes.
use super::{Schemas, describe, words};
use crate::{
    anthropic, llama_server, ollama,
    openai::{self, files::Wanted},
    page,
};
use utoipa::{
    IntoParams, ToSchema,
    openapi::{
        KnownFormat, Object, ObjectBuilder, RefOr, Schema, SchemaFormat, Type,
        path::{HttpMethod, Parameter, ParameterIn},
        schema::SchemaType,
    },
};

/// Which protocol a call belongs to.
pub(super) const TAGS: &[(&str, &str)] = &[
    (OPENAI, "What clients of OpenAI's API ask for"),
    (OLLAMA, "What clients of Ollama ask for"),
    (ANTHROPIC, "What clients of Anthropic's API ask for"),
    (LLAMA, "What clients of llama.cpp's server ask for"),
    (PAGE, "What the page at `/` asks for"),
    (SERVICE, "Health and figures"),
];

const OPENAI: &str = "OpenAI";
const OLLAMA: &str = "Ollama";
const ANTHROPIC: &str = "Anthropic";
const LLAMA: &str = "llama-server";
const PAGE: &str = "page";
const SERVICE: &str = "service";

/// How answers come that can be streamed.
const EVENTS: &str = "The answer as JSON; with `stream` as server-sent events.";
const LINES: &str = "The answer as lines of JSON; without `stream` as one object.";

/// A call, as the document describes it.
pub(super) struct Call {
    pub(super) method: HttpMethod,
    pub(super) tag: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) body: Option<Body>,
    pub(super) query: Option<fn() -> Vec<Parameter>>,
    /// The status of what went well, and what it brings.
    pub(super) status: &'static str,
    pub(super) gives: &'static str,
}

/// What a call takes.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) media_type: &'static str,
    pub(super) required: bool,
    /// Gives the schema, and adds what it refers to.
    pub(super) schema: fn(&mut Schemas) -> RefOr<Schema>,
}

const fn call(
    method: HttpMethod,
    tag: &'static str,
    path: &'static str,
    summary: &'static str,
) -> Call {
    Call {
        method,
        tag,
        path,
        summary,
        body: None,
        query: None,
        status: "200",
        gives: "What was asked for.",
    }
}

const fn get(tag: &'static str, path: &'static str, summary: &'static str) -> Call {
    call(HttpMethod::Get, tag, path, summary)
}

const fn post(tag: &'static str, path: &'static str, summary: &'static str) -> Call {
    call(HttpMethod::Post, tag, path, summary)
}

const fn delete(tag: &'static str, path: &'static str, summary: &'static str) -> Call {
    call(HttpMethod::Delete, tag, path, summary)
}

impl Call {
    const fn takes(self, body: Body) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }

    /// With parameters of the address.
    const fn asks(self, query: fn() -> Vec<Parameter>) -> Self {
        Self {
            query: Some(query),
            ..self
        }
    }

    const fn gives(self, status: &'static str, gives: &'static str) -> Self {
        Self {
            status,
            gives,
            ..self
        }
    }

    const fn unserved(self) -> Self {
        self.takes(object(|_| Object::with_type(Type::Object).into()))
            .gives("501", "This server does not do that.")
    }
}

const fn object(schema: fn(&mut Schemas) -> RefOr<Schema>) -> Body {
    Body {
        media_type: "application/json",
        required: true,
        schema,
    }
}

/// The type that the body is parsed into.
const fn json<T: ToSchema>() -> Body {
    object(describe::<T>)
}

impl Body {
    /// No body at all is an empty object.
    const fn or_nothing(self) -> Self {
        Self {
            required: false,
            ..self
        }
    }

    const fn of_type(self, media_type: &'static str) -> Self {
        Self { media_type, ..self }
    }
}

fn query<T: IntoParams>() -> Vec<Parameter> {
    T::into_params(|| Some(ParameterIn::Query))
}

pub(super) const CALLS: &[Call] = &[
    get(SERVICE, "/healthz", "Whether the server lives"),
    get(SERVICE, "/readyz", "Whether the default model is loaded"),
    get(SERVICE, "/health", "As /readyz"),
    get(SERVICE, "/metrics", "Counts, as Prometheus reads them"),
    get(SERVICE, "/openapi.json", "This document"),
    post(OPENAI, "/v1/chat/completions", "Answers a conversation")
        .takes(json::<openai::chat::ChatRequest>())
        .gives("200", EVENTS),
    post(OPENAI, "/v1/completions", "Goes on with a text")
        .takes(json::<openai::completions::CompletionRequest>())
        .gives("200", EVENTS),
    post(OPENAI, "/v1/responses", "Answers a conversation")
        .takes(json::<openai::responses::ResponseRequest>())
        .gives("200", EVENTS),
    post(OPENAI, "/v1/responses/input_tokens", "Counts tokens")
        .takes(json::<openai::responses::ResponseRequest>()),
    get(OPENAI, "/v1/models", "The models"),
    get(OPENAI, "/v1/models/{id}", "One model"),
    post(OPENAI, "/v1/embeddings", "Not served").unserved(),
    post(
        OPENAI,
        "/v1/audio/transcriptions",
        "Writes down what is said in a recording",
    )
    .takes(object(recording).of_type("multipart/form-data"))
    .gives("200", "The text, in the form that was asked for."),
    get(OPENAI, "/v1/files", "The files").asks(query::<Wanted>),
    post(
        OPENAI,
        "/v1/files",
        "Keeps a file of rows for a batch, or one that messages name by its id",
    )
    .takes(object(upload).of_type("multipart/form-data")),
    get(OPENAI, "/v1/files/{id}", "One file"),
    delete(OPENAI, "/v1/files/{id}", "Deletes a file"),
    get(OPENAI, "/v1/files/{id}/content", "The bytes of a file"),
    get(OPENAI, "/v1/batches", "The batches").asks(query::<Wanted>),
    post(
        OPENAI,
        "/v1/batches",
        "Answers a file of requests in the background",
    )
    .takes(json::<openai::batches::BatchRequest>()),
    get(OPENAI, "/v1/batches/{id}", "One batch"),
    post(
        OPENAI,
        "/v1/batches/{id}/cancel",
        "Begins no more rows of a batch",
    ),
    post(ANTHROPIC, "/v1/messages", "Answers a conversation")
        .takes(json::<anthropic::MessagesRequest>())
        .gives("200", EVENTS),
    post(ANTHROPIC, "/v1/messages/count_tokens", "Counts tokens")
        .takes(json::<anthropic::MessagesRequest>()),
    get(OLLAMA, "/api/version", "The version"),
    get(OLLAMA, "/api/tags", "The models"),
    get(OLLAMA, "/api/ps", "The loaded models"),
    post(OLLAMA, "/api/show", "About a model").takes(json::<ollama::catalogue::ShowRequest>()),
    post(OLLAMA, "/api/chat", "Answers a conversation")
        .takes(json::<ollama::chat::ChatRequest>())
        .gives("200", LINES),
    post(OLLAMA, "/api/generate", "Answers a prompt")
        .takes(json::<ollama::generate::GenerateRequest>())
        .gives("200", LINES),
    post(OLLAMA, "/api/pull", "Fetches a model of the catalogue")
        .takes(json::<ollama::pull::PullRequest>())
        .gives("200", "How it goes, as lines of JSON."),
    post(OLLAMA, "/api/embed", "Not served").unserved(),
    post(OLLAMA, "/api/embeddings", "Not served").unserved(),
    post(OLLAMA, "/api/create", "Not served").unserved(),
    post(OLLAMA, "/api/copy", "Not served").unserved(),
    post(OLLAMA, "/api/push", "Not served").unserved(),
    post(OLLAMA, "/api/delete", "Not served").unserved(),
    delete(OLLAMA, "/api/delete", "Not served").unserved(),
    post(LLAMA, "/tokenize", "Tokens of a text").takes(json::<llama_server::TokenizeRequest>()),
    post(LLAMA, "/detokenize", "The text of tokens")
        .takes(json::<llama_server::DetokenizeRequest>()),
    post(LLAMA, "/apply-template", "The prompt of a conversation")
        .takes(json::<llama_server::TemplateRequest>()),
    post(LLAMA, "/infill", "What is missing between two texts")
        .takes(json::<llama_server::InfillRequest>())
        .gives("200", EVENTS),
    get(PAGE, "/reckon/state", "Models, queue, speed"),
    get(
        PAGE,
        "/reckon/conversations",
        "Conversations, by words and folder",
    )
    .asks(query::<page::Found>),
    post(PAGE, "/reckon/conversations", "A new conversation")
        .takes(object(conversation).or_nothing())
        .gives("201", "The conversation."),
    get(
        PAGE,
        "/reckon/conversations/{id}",
        "A conversation with its messages",
    ),
    call(
        HttpMethod::Patch,
        PAGE,
        "/reckon/conversations/{id}",
        "Renames or moves it; null takes a folder or system prompt away",
    )
    .takes(object(conversation)),
    delete(PAGE, "/reckon/conversations/{id}", "Deletes it").gives("204", "It is gone."),
    get(
        PAGE,
        "/reckon/conversations/{id}/export",
        "The conversation as a file",
    ),
    post(PAGE, "/reckon/import", "A conversation from such a file")
        .takes(object(|_| Object::with_type(Type::Object).into()))
        .gives("201", "The conversation."),
    post(PAGE, "/reckon/conversations/{id}/messages", "Asks")
        .takes(json::<page::Asked>())
        .gives("202", "The question, and the answer that begins."),
    post(
        PAGE,
        "/reckon/attachments",
        "Keeps a picture, sound or document for a question",
    )
    .takes(object(|_| binary().into()).of_type("application/octet-stream"))
    .asks(query::<page::Named>)
    .gives("201", "Its id, name and size."),
    get(
        PAGE,
        "/reckon/attachments/{id}",
        "The bytes of an attachment",
    ),
    get(PAGE, "/reckon/messages/{id}", "A message"),
    post(PAGE, "/reckon/messages/{id}/retry", "Another answer")
        .takes(json::<page::Retried>().or_nothing())
        .gives("202", "The answer that begins."),
    post(
        PAGE,
        "/reckon/messages/{id}/continue",
        "Goes on with a cut answer",
    )
    .gives("202", "The answer that goes on."),
    post(PAGE, "/reckon/messages/{id}/stop", "Stops an answer")
        .gives("202", "It stops after its next token."),
    get(
        PAGE,
        "/reckon/messages/{id}/events",
        "What happens to an answer",
    )
    .asks(query::<page::Seen>)
    .gives("200", "Server-sent events."),
    post(
        PAGE,
        "/reckon/messages/{id}/replay",
        "Makes an answer again and compares",
    ),
    post(PAGE, "/reckon/run", "Runs Python in the sandbox").takes(json::<page::Program>()),
];

fn text() -> Object {
    Object::with_type(Type::String)
}

fn binary() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .build()
}

fn recording(_: &mut Schemas) -> RefOr<Schema> {
    let formats = words(&["json", "text", "verbose_json", "srt", "vtt"]);
    ObjectBuilder::new()
        .property("file", binary())
        .required("file")
        .property("model", text())
        .property("language", text())
        .property("prompt", text())
        .property("response_format", formats)
        .property("temperature", Object::with_type(Type::Number))
        .property("stream", words(&["true", "false"]))
        .into()
}

fn upload(_: &mut Schemas) -> RefOr<Schema> {
    ObjectBuilder::new()
        .property("file", binary())
        .required("file")
        .property(
            "purpose",
            words(&["batch", "user_data", "vision", "assistants"]),
        )
        .required("purpose")
        .into()
}

/// What a conversation begins with or becomes: a type of `reckon-store`, which knows nothing of OpenAPI.
fn conversation(_: &mut Schemas) -> RefOr<Schema> {
    let maybe = || Object::with_type(SchemaType::from_iter([Type::String, Type::Null]));
    ObjectBuilder::new()
        .property("title", maybe())
        .property("folder", maybe())
        .property("system", maybe())
        .into()
}
