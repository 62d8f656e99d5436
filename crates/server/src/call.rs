//! Handlers of calls as one type.
//!
//! Around every type of handler axum compiles a service, its futures and a way to make them, some 2,000 lines of LLVM's, and
//! every function is a type of its own. Behind a pointer they share all that.
use crate::state::App;
use axum::{
    extract::Request,
    handler::Handler,
    response::Response,
    routing::{self, MethodRouter},
};
use std::{pin::Pin, sync::Arc};

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler of any arguments.
#[derive(Clone)]
pub(crate) struct Call(Arc<dyn Fn(Request, App) -> Answering + Send + Sync>);

impl Handler<(), App> for Call {
    type Future = Answering;

    fn call(self, request: Request, app: App) -> Answering {
        (self.0)(request, app)
    }
}

pub(crate) fn call<M: 'static>(handler: impl Handler<M, App, Future = Answering>) -> Call {
    Call(Arc::new(move |request, app| {
        handler.clone().call(request, app)
    }))
}

/// As axum's.
pub(crate) fn get<M: 'static>(
    handler: impl Handler<M, App, Future = Answering>,
) -> MethodRouter<App> {
    routing::get(call(handler))
}

/// As axum's.
pub(crate) fn post<M: 'static>(
    handler: impl Handler<M, App, Future = Answering>,
) -> MethodRouter<App> {
    routing::post(call(handler))
}
