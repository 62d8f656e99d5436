//! The files of the page, in the binary. They load nothing from anywhere else.
use crate::state::App;
use axum::{
    Router,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

/// Only what comes with the page runs, and it talks to nobody but this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Whether a path is a file of the page.
pub(crate) fn is_asset(path: &str) -> bool {
    find(path).is_some()
}

fn find(path: &str) -> Option<&'static Asset> {
    let name = match path {
        "/" => "index.html",
        path => path.strip_prefix('/')?,
    };
    ASSETS.iter().find(|asset| asset.name == name)
}

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    /// Changes with the bytes.
    tag: &'static str,
    bytes: &'static [u8],
    /// The same, packed.
    gzip: &'static [u8],
}

pub(super) fn routes() -> Router<App> {
    let mut routes = Router::new().route("/", get(|headers| file("/", headers)));
    for asset in ASSETS {
        let path = format!("/{}", asset.name);
        let served = path.clone();
        routes = routes.route(&path, get(move |headers| file_of(served, headers)));
    }
    routes
}

async fn file_of(path: String, headers: HeaderMap) -> Response {
    file(&path, headers).await
}

async fn file(path: &str, headers: HeaderMap) -> Response {
    let Some(asset) = find(path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let known = headers.get(header::IF_NONE_MATCH);
    let mut response = match known.is_some_and(|tag| tag.as_bytes() == asset.tag.as_bytes()) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false if takes_gzip(&headers) => {
            let packed = [(header::CONTENT_ENCODING, "gzip")];
            (packed, asset.gzip).into_response()
        }
        false => asset.bytes.into_response(),
    };
    let head = response.headers_mut();
    head.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    for (name, value) in [
        (header::CONTENT_TYPE, asset.kind),
        (header::ETAG, asset.tag),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ] {
        head.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let taken = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let mut kinds = taken.unwrap_or_default().split(',');
    kinds.any(|kind| kind.trim().split(';').next() == Some("gzip") && !kind.contains("q=0"))
}
