//! `reckon lab report`: what tapes and judgments come to.
pub(crate) mod judgments;
mod tape;

use crate::{Context, Failure, cli::lab::ReportArgs};

/// Runs `reckon lab report`.
pub(crate) fn run(args: &ReportArgs, context: &Context) -> anyhow::Result<()> {
    match &args.from_judgments {
        Some(file) => judgments::run(file, args.questions.as_deref(), args.json),
        None if args.tapes.is_empty() && args.judgments.is_empty() => {
            Err(Failure::usage("nothing to report on")
                .hint("name a tape, --judgments J.jsonl or --from-judgments J.jsonl")
                .into())
        }
        None => tape::run(args, context),
    }
}
