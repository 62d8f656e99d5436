//! What the server understands, as an OpenAPI document at `/openapi.json`.
//!
//! Written from a table, not from the types: the protocols are others', and most of their fields are optional. It says
//! which calls there are, what a body must have at least, and how they end.
use axum::Json;
use serde_json::{Map, Value, json};

/// A call: method, path, what it does, and the schema of its body.
type Call = (
    &'static str,
    &'static str,
    &'static str,
    Option<fn() -> Value>,
);

const CALLS: &[Call] = &[
    ("get", "/healthz", "Whether the server lives", None),
    (
        "get",
        "/readyz",
        "Whether the default model is loaded",
        None,
    ),
    ("get", "/health", "As /readyz", None),
    ("get", "/metrics", "Counts, as Prometheus reads them", None),
    ("get", "/openapi.json", "This document", None),
    (
        "post",
        "/v1/chat/completions",
        "OpenAI: answers a conversation",
        Some(chat),
    ),
    (
        "post",
        "/v1/completions",
        "OpenAI: goes on with a text",
        Some(completion),
    ),
    (
        "post",
        "/v1/responses",
        "OpenAI: answers a conversation",
        Some(response),
    ),
    (
        "post",
        "/v1/responses/input_tokens",
        "OpenAI: counts tokens",
        Some(response),
    ),
    ("get", "/v1/models", "OpenAI: the models", None),
    ("get", "/v1/models/{id}", "OpenAI: one model", None),
    ("post", "/v1/embeddings", "OpenAI: not served", Some(any)),
    (
        "post",
        "/v1/audio/transcriptions",
        "OpenAI: writes down what is said in a recording",
        Some(recording),
    ),
    ("get", "/v1/files", "OpenAI: the files", None),
    (
        "post",
        "/v1/files",
        "OpenAI: keeps a file of rows for a batch, or one that messages name by its id",
        Some(upload),
    ),
    ("get", "/v1/files/{id}", "OpenAI: one file", None),
    ("delete", "/v1/files/{id}", "OpenAI: deletes a file", None),
    (
        "get",
        "/v1/files/{id}/content",
        "OpenAI: the bytes of a file",
        None,
    ),
    ("get", "/v1/batches", "OpenAI: the batches", None),
    (
        "post",
        "/v1/batches",
        "OpenAI: answers a file of requests in the background",
        Some(batch),
    ),
    ("get", "/v1/batches/{id}", "OpenAI: one batch", None),
    (
        "post",
        "/v1/batches/{id}/cancel",
        "OpenAI: begins no more rows of a batch",
        None,
    ),
    (
        "post",
        "/v1/messages",
        "Anthropic: answers a conversation",
        Some(messages),
    ),
    (
        "post",
        "/v1/messages/count_tokens",
        "Anthropic: counts tokens",
        Some(messages),
    ),
    ("get", "/api/version", "Ollama: the version", None),
    ("get", "/api/tags", "Ollama: the models", None),
    ("get", "/api/ps", "Ollama: the loaded models", None),
    ("post", "/api/show", "Ollama: about a model", Some(model)),
    (
        "post",
        "/api/chat",
        "Ollama: answers a conversation",
        Some(chat),
    ),
    (
        "post",
        "/api/generate",
        "Ollama: answers a prompt",
        Some(generate),
    ),
    (
        "post",
        "/api/pull",
        "Ollama: fetches a model of the catalogue",
        Some(model),
    ),
    ("post", "/api/embed", "Ollama: not served", Some(any)),
    ("post", "/api/embeddings", "Ollama: not served", Some(any)),
    ("post", "/api/create", "Ollama: not served", Some(any)),
    ("post", "/api/copy", "Ollama: not served", Some(any)),
    ("post", "/api/push", "Ollama: not served", Some(any)),
    ("post", "/api/delete", "Ollama: not served", Some(any)),
    ("delete", "/api/delete", "Ollama: not served", Some(any)),
    (
        "post",
        "/tokenize",
        "llama-server: tokens of a text",
        Some(content),
    ),
    (
        "post",
        "/detokenize",
        "llama-server: the text of tokens",
        Some(tokens),
    ),
    (
        "post",
        "/apply-template",
        "llama-server: the prompt of a conversation",
        Some(template),
    ),
    (
        "post",
        "/infill",
        "llama-server: what is missing between two texts",
        Some(any),
    ),
    ("get", "/reckon/state", "Page: models, queue, speed", None),
    (
        "get",
        "/reckon/conversations",
        "Page: conversations, by words and folder",
        None,
    ),
    (
        "post",
        "/reckon/conversations",
        "Page: a new conversation",
        Some(any),
    ),
    (
        "get",
        "/reckon/conversations/{id}",
        "Page: a conversation with its messages",
        None,
    ),
    (
        "patch",
        "/reckon/conversations/{id}",
        "Page: renames or moves it",
        Some(any),
    ),
    (
        "delete",
        "/reckon/conversations/{id}",
        "Page: deletes it",
        None,
    ),
    (
        "get",
        "/reckon/conversations/{id}/export",
        "Page: the conversation as a file",
        None,
    ),
    (
        "post",
        "/reckon/import",
        "Page: a conversation from a file",
        Some(any),
    ),
    (
        "post",
        "/reckon/conversations/{id}/messages",
        "Page: asks",
        Some(question),
    ),
    (
        "post",
        "/reckon/attachments",
        "Page: keeps a picture, sound or document for a question",
        Some(any),
    ),
    (
        "get",
        "/reckon/attachments/{id}",
        "Page: the bytes of an attachment",
        None,
    ),
    ("get", "/reckon/messages/{id}", "Page: a message", None),
    (
        "post",
        "/reckon/messages/{id}/retry",
        "Page: another answer",
        None,
    ),
    (
        "post",
        "/reckon/messages/{id}/continue",
        "Page: goes on with a cut answer",
        None,
    ),
    (
        "post",
        "/reckon/messages/{id}/stop",
        "Page: stops an answer",
        None,
    ),
    (
        "get",
        "/reckon/messages/{id}/events",
        "Page: what happens to an answer",
        None,
    ),
    (
        "post",
        "/reckon/messages/{id}/replay",
        "Page: makes an answer again and compares",
        None,
    ),
    (
        "post",
        "/reckon/run",
        "Page: runs Python in the sandbox",
        Some(program),
    ),
];

/// Calls whose body is a form with a file.
const FORMS: &[&str] = &["/v1/audio/transcriptions", "/v1/files"];

/// The document.
pub fn document() -> Value {
    let mut paths = Map::new();
    for (method, path, what, body) in CALLS {
        let mut call = json!({
            "summary": what,
            "responses": {
                "200": { "description": "as asked" },
                "default": { "description": "an error, in the protocol's own form" },
            },
        });
        if let Some(schema) = body {
            let kind = match FORMS.contains(path) {
                true => "multipart/form-data",
                false => "application/json",
            };
            let content = json!({ kind: { "schema": schema() } });
            call["requestBody"] = json!({ "required": true, "content": content });
        }
        if path.contains("{id}") {
            call["parameters"] = json!([{
                "name": "id", "in": "path", "required": true, "schema": { "type": "string" },
            }]);
        }
        let entry = paths.entry((*path).to_owned()).or_insert_with(|| json!({}));
        entry[*method] = call;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Reckon",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Private AI on the CPU: the protocols of OpenAI, Ollama and Anthropic. Every answer brings `reckon`: its mark and its receipt.",
        },
        "paths": paths,
    })
}

pub(crate) async fn handle() -> Json<Value> {
    Json(document())
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn said() -> Value {
    let role = json!({ "enum": ["system", "user", "assistant"] });
    let message = object(
        &["role", "content"],
        json!({ "role": role, "content": text() }),
    );
    json!({ "type": "array", "items": message, "minItems": 1 })
}

fn any() -> Value {
    json!({ "type": "object" })
}

fn chat() -> Value {
    let most = json!({ "type": "integer", "minimum": 1, "maximum": 8 });
    object(
        &["model", "messages"],
        json!({ "model": text(), "messages": said(), "stream": { "type": "boolean" }, "max_tokens": most }),
    )
}

fn completion() -> Value {
    let most = json!({ "type": "integer", "minimum": 1, "maximum": 8 });
    object(
        &["model", "prompt"],
        json!({ "model": text(), "prompt": text(), "max_tokens": most }),
    )
}

fn response() -> Value {
    let most = json!({ "type": "integer", "minimum": 1, "maximum": 8 });
    object(
        &["model", "input"],
        json!({ "model": text(), "input": text(), "max_output_tokens": most }),
    )
}

fn messages() -> Value {
    let most = json!({ "type": "integer", "minimum": 1, "maximum": 8 });
    object(
        &["model", "messages", "max_tokens"],
        json!({ "model": text(), "messages": said(), "max_tokens": most }),
    )
}

fn generate() -> Value {
    let options = json!({ "type": "object", "properties": { "num_predict": { "type": "integer", "minimum": 1, "maximum": 8 } } });
    object(
        &["model"],
        json!({ "model": text(), "prompt": text(), "options": options }),
    )
}

fn model() -> Value {
    object(&["model"], json!({ "model": text() }))
}

fn content() -> Value {
    object(&["content"], json!({ "content": text() }))
}

fn tokens() -> Value {
    let ids = json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } });
    object(&["tokens"], json!({ "tokens": ids }))
}

fn template() -> Value {
    object(&["messages"], json!({ "messages": said() }))
}

fn file() -> Value {
    json!({ "type": "string", "format": "binary" })
}

fn recording() -> Value {
    let format = json!({ "enum": ["json", "text", "verbose_json", "srt", "vtt"] });
    object(
        &["file"],
        json!({ "file": file(), "model": text(), "language": text(), "prompt": text(), "response_format": format }),
    )
}

fn upload() -> Value {
    object(
        &["file", "purpose"],
        json!({ "file": file(), "purpose": { "enum": ["batch", "user_data", "vision", "assistants"] } }),
    )
}

fn batch() -> Value {
    let endpoint = json!({ "enum": crate::batches::ENDPOINTS });
    object(
        &["input_file_id", "endpoint", "completion_window"],
        json!({ "input_file_id": text(), "endpoint": endpoint, "completion_window": { "enum": ["24h"] } }),
    )
}

fn question() -> Value {
    object(&["content"], json!({ "content": text() }))
}

fn program() -> Value {
    object(&["code"], json!({ "code": text() }))
}
