//! The file of `--schema` in, a schema that can be followed out.
//!
//! Called by `ask`. A schema that cannot be followed is refused here with exit code 4, before a model is loaded. The
//! model is not told of the schema; what it should fill in, the question says.
use super::question;
use crate::Failure;
use reckon::{Error, Finish, Schema, engine};
use std::path::Path;

/// Reads and checks a file.
pub(super) fn read(path: &Path) -> anyhow::Result<Schema> {
    match Schema::new(question::text_of(path)?) {
        Ok(schema) => Ok(schema.at(path)),
        Err(Error::Input(engine::Error::Grammar(why))) => {
            let failure = Failure::input(format!("cannot follow {}: {why}", path.display()));
            Err(failure
                .hint("docs/limitations.md says what a schema may contain")
                .into())
        }
        Err(error) => Err(error.into()),
    }
}

/// What to say of JSON that was not finished.
pub(super) fn cut(finish: Finish) -> Failure {
    let what = "the answer is cut: its JSON is not complete";
    match finish {
        Finish::Context => Failure::failed(what).hint("--ctx N allows more tokens"),
        Finish::Length => Failure::failed(what).hint("--max-tokens N allows more"),
        _ => Failure::failed(what),
    }
}
