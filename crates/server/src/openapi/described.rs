//! Makes the document: the calls are a table (`calls.rs`), the bodies are the types that requests are parsed into. Their fields,
//! which of them are required, and their documentation come from the source with `ToSchema`. Only forms and what is no type of
//! this crate are described by hand. Answers are described in words: they are built as JSON, field by field.
mod calls;

use calls::{Body, CALLS, Call, TAGS};
use std::collections::BTreeMap;
use utoipa::{
    ToSchema,
    openapi::{
        ComponentsBuilder, ContentBuilder, Info, InfoBuilder, Object, ObjectBuilder, OpenApi,
        OpenApiBuilder, PathItem, PathsBuilder, Ref, RefOr, Required, Response, ResponseBuilder,
        Schema, Type,
        path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn},
        request_body::{RequestBody, RequestBodyBuilder},
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
        tag::TagBuilder,
    },
};

const ABOUT: &str = "Private AI on the CPU: the protocols of OpenAI, Ollama and Anthropic. \
    Every answer brings `reckon`: its mark and its receipt.";

/// What an error of any call looks like, and what its status means.
const ERRORS: &str = "An error, in the protocol's own form: Ollama's is `{\"error\": \"…\"}`, Anthropic's \
    `{\"type\": \"error\", \"error\": {\"type\", \"message\"}}`, all others' `{\"error\": {\"message\", \"type\", \"param\", \"code\"}}`.\n\n\
    - 400: the request is not what this call takes, or too long for the model; the message says which field and why\n\
    - 401: a key is needed, or this one is not known\n\
    - 403: not from another origin or by another name, or not while the server is offline\n\
    - 404: there is no such thing, or no such model\n\
    - 413: the body is too large\n\
    - 429: the queue is full, or the key has used its share; ask again after `Retry-After` seconds\n\
    - 500: nothing the sender can do\n\
    - 501: this server or this model does not do that\n\
    - 502: the model is on another machine, which did not answer";

const KEY: &str =
    "A key of `reckon keys create`, where the server wants one; `x-api-key` takes it, too.";

/// Schemas by their names, as components of the document.
type Schemas = BTreeMap<String, RefOr<Schema>>;

fn described() -> OpenApi {
    let mut schemas = Schemas::new();
    let mut paths = PathsBuilder::new();
    for call in CALLS {
        let operation = operation(call, &mut schemas);
        paths = paths.path(call.path, PathItem::new(call.method.clone(), operation));
    }
    let key = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(KEY));
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .response("Error", Response::new(ERRORS))
        .security_scheme("key", SecurityScheme::Http(key.build()));
    let tags = TAGS.iter().map(|(name, about)| {
        TagBuilder::new()
            .name(*name)
            .description(Some(*about))
            .build()
    });
    // A requirement of nothing: without `--require-key` none is asked for.
    let security = [
        SecurityRequirement::default(),
        SecurityRequirement::new("key", [""; 0]),
    ];
    OpenApiBuilder::new()
        .info(info())
        .paths(paths)
        .components(Some(components.build()))
        .security(Some(security))
        .tags(Some(tags))
        .build()
}

fn info() -> Info {
    InfoBuilder::new()
        .title("Reckon")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .build()
}

fn operation(call: &Call, schemas: &mut Schemas) -> OperationBuilder {
    let done = ResponseBuilder::new().description(call.gives);
    let mut operation = OperationBuilder::new()
        .tag(call.tag)
        .summary(Some(call.summary))
        .request_body(call.body.as_ref().map(|body| request_body(body, schemas)))
        .response(call.status, done)
        .response("default", Ref::from_response_name("Error"));
    if call.path.contains("{id}") {
        operation = operation.parameter(id());
    }
    for parameter in call.query.iter().flat_map(|query| query()) {
        operation = operation.parameter(parameter);
    }
    operation
}

fn request_body(body: &Body, schemas: &mut Schemas) -> RequestBody {
    let schema = (body.schema)(schemas);
    let required = match body.required {
        true => Required::True,
        false => Required::False,
    };
    let content = ContentBuilder::new().schema(Some(schema)).build();
    RequestBodyBuilder::new()
        .content(body.media_type, content)
        .required(Some(required))
        .build()
}

fn id() -> Parameter {
    ParameterBuilder::new()
        .name("id")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

/// Adds a type and all that it refers to; gives a reference to it.
fn describe<T: ToSchema>(schemas: &mut Schemas) -> RefOr<Schema> {
    let mut found = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut found);
    for (name, schema) in found {
        let other = schemas.insert(name.clone(), schema.clone());
        // Two types of one name would stand for each other: `#[schema(as = …)]` tells them apart.
        debug_assert!(other.is_none_or(|other| other == schema), "two {name}");
    }
    Ref::from_schema_name(T::name()).into()
}

/// A text that is one of these words.
pub(crate) fn words(words: &[&str]) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.iter().copied()))
        .build()
}

/// `RECKON_WRITE=1` writes the file.
#[test]
fn the_document_is_what_the_types_say() {
    let said = serde_json::to_string_pretty(&described()).expect("all keys are texts") + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    if std::env::var_os("RECKON_WRITE").is_some() {
        std::fs::write(path, &said).expect("a file of the source");
    }
    let found = std::fs::read_to_string(path).expect("a file of the source");
    assert!(
        found == said,
        "openapi.json is not what the types say: RECKON_WRITE=1 cargo test -p reckon-server openapi writes it"
    );
}
