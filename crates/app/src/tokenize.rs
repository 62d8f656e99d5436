//! `reckon tokenize`: a text in, token ids and pieces out.
use crate::{Context, Failure, cli::TokenizeArgs, models};

/// Runs `reckon tokenize`.
pub(crate) fn run(args: &TokenizeArgs, context: &Context) -> anyhow::Result<()> {
    let _path = models::resolve(&args.model, context)?;
    let _ = (args.json, &args.text);
    Err(Failure::failed("tokenize is not part of this build yet").into())
}
