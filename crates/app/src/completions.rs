//! `reckon completions SHELL`: the command line's definition as a completion script on standard output.
use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory;
use std::io::{self, Write};

/// Runs `reckon completions`.
pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    // Into memory first: clap_complete panics when its writer fails, and a pipe may be closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "reckon", &mut script);
    io::stdout().write_all(&script)?;
    Ok(())
}
