//! The file of `--schema` in, the shape that the answer is held to and its entry in the receipt out.
//!
//! Called by `ask`. A schema that cannot be followed is refused here with exit code 4, before a model is loaded. The
//! model is not told of the schema; what it should fill in, the question says.
use super::{question, report::Digest};
use crate::Failure;
use reckon_engine::{Error, Finish, Shape};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// A schema that can be followed.
pub(super) struct Schema {
    path: PathBuf,
    text: String,
    sha256: String,
}

impl Schema {
    /// Reads and checks a file.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = question::text_of(path)?;
        let sha256 = Sha256::digest(&text);
        let schema = Self {
            path: path.to_owned(),
            sha256: sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
            text,
        };
        match schema.shape().check() {
            Ok(()) => Ok(schema),
            Err(Error::Grammar(why)) => {
                let failure = Failure::input(format!("cannot follow {}: {why}", path.display()));
                Err(failure
                    .hint("docs/limitations.md says what a schema may contain")
                    .into())
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn shape(&self) -> Shape {
        Shape::Schema(self.text.clone())
    }

    pub(super) fn digest(&self) -> Digest<'_> {
        Digest {
            path: &self.path,
            sha256: &self.sha256,
        }
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
