//! `reckon lab report`: what judgments come to.
pub(crate) mod judgments;

use crate::{Failure, cli::lab::report::ReportArgs};

/// Runs `reckon lab report`.
pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<()> {
    match &args.from_judgments {
        Some(file) => judgments::run(file, args.questions.as_deref(), args.json),
        None => Err(Failure::usage("nothing to report on")
            .hint("name a file: --from-judgments J.jsonl")
            .into()),
    }
}
