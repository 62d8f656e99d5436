//! Which call does what. The list of paths is also what `/openapi.json` describes; a test holds them against each other.
use crate::{
    anthropic,
    call::{call, get, post},
    door,
    error::{Dialect, Problem},
    health, llama_server, metrics, ollama, openai, openapi, page,
    state::App,
};
use axum::{Router, extract::Request, middleware, response::Response};

/// All of it.
pub(crate) fn router(app: App) -> Router {
    let elsewhere = || post(ollama::elsewhere);
    page::routes()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/health", get(health::ready))
        .route("/metrics", get(metrics::text))
        .route("/openapi.json", get(openapi::handle))
        .route("/v1/chat/completions", post(openai::chat::handle))
        .route("/v1/completions", post(openai::completions::handle))
        .route("/v1/responses", post(openai::responses::handle))
        .route(
            "/v1/responses/input_tokens",
            post(openai::responses::input_tokens),
        )
        .route("/v1/models", get(openai::models::list))
        .route("/v1/models/{id}", get(openai::models::one))
        .route("/v1/embeddings", post(openai::models::embeddings))
        .route(
            "/v1/audio/transcriptions",
            post(openai::transcriptions::handle),
        )
        .route(
            "/v1/files",
            get(openai::files::list).post(call(openai::files::upload)),
        )
        .route(
            "/v1/files/{id}",
            get(openai::files::one).delete(call(openai::files::delete)),
        )
        .route("/v1/files/{id}/content", get(openai::files::content))
        .route(
            "/v1/batches",
            get(openai::batches::list).post(call(openai::batches::create)),
        )
        .route("/v1/batches/{id}", get(openai::batches::one))
        .route("/v1/batches/{id}/cancel", post(openai::batches::cancel))
        .route("/v1/messages", post(anthropic::messages))
        .route("/v1/messages/count_tokens", post(anthropic::count_tokens))
        .route("/api/version", get(ollama::version))
        .route("/api/tags", get(ollama::catalogue::tags))
        .route("/api/ps", get(ollama::catalogue::ps))
        .route("/api/show", post(ollama::catalogue::show))
        .route("/api/chat", post(ollama::chat::handle))
        .route("/api/generate", post(ollama::generate::handle))
        .route("/api/pull", post(ollama::pull::handle))
        .route("/api/embed", post(ollama::embed))
        .route("/api/embeddings", post(ollama::embed))
        .route("/api/create", elsewhere())
        .route("/api/copy", elsewhere())
        .route("/api/push", elsewhere())
        .route("/api/delete", elsewhere().delete(call(ollama::elsewhere)))
        .route("/tokenize", post(llama_server::tokenize))
        .route("/detokenize", post(llama_server::detokenize))
        .route("/apply-template", post(llama_server::apply_template))
        .route("/infill", post(llama_server::infill))
        .fallback(call(nowhere))
        .method_not_allowed_fallback(call(wrong_method))
        .layer(middleware::from_fn_with_state(app.clone(), door::door))
        .with_state(app)
}

async fn nowhere(request: Request) -> Response {
    let path = request.uri().path();
    Problem::not_found("there is no such call; /openapi.json lists them").speak(Dialect::of(path))
}

async fn wrong_method(request: Request) -> Response {
    let path = request.uri().path();
    let mut response = Problem::invalid("this call wants another method").speak(Dialect::of(path));
    *response.status_mut() = axum::http::StatusCode::METHOD_NOT_ALLOWED;
    response
}
