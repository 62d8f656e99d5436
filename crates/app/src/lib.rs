//! The `reckon` program as a library, so that tests can call what the command line calls.
//!
//! `run` parses the arguments, builds the [`Context`] once and hands both to one module per command. A command
//! returns `anyhow::Result<()>`; `exit` turns an error into one line on stderr and an exit code.
//!
//! Only `models` touches the network here, for `models pull` and the announced first fetch of the default model; the library
//! does for the model elsewhere that `--endpoint` names and for peers (`fleet`).
mod ask;
mod assistant;
mod attach;
mod batch;
mod bench;
mod bot;
mod chat;
mod check;
mod cli;
mod completions;
mod context;
mod debug;
mod doctor;
mod echo;
mod exit;
mod fleet;
mod footprint;
mod guard;
mod history;
mod input;
mod interrupt;
mod keys;
mod lab;
mod load;
mod lock_check;
mod log;
mod man;
mod mark;
mod memory;
mod milestones;
mod models;
mod power;
mod printable;
mod recipe;
mod run;
mod screen;
mod serve;
mod solve;
mod speed;
mod tokenize;

pub mod markdown;

pub use context::Context;
pub use exit::{Failure, Kind};

use cli::{Cli, Command};
use std::{ffi::OsString, process::ExitCode};

/// Runs one command line (the program's name first) and says how it ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match cli::parse(arguments) {
        Ok(cli) => cli,
        Err(stop) => return exit::clap(&stop),
    };
    match dispatch(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::report(&error),
    }
}

fn dispatch(cli: &Cli) -> anyhow::Result<()> {
    match &cli.command {
        Command::Completions(args) => return completions::run(args),
        Command::Man(args) => return man::run(args),
        Command::Check(args) => return check::run(args),
        Command::Solve(args) => return solve::run(args, cli.offline),
        _ => {}
    }
    let context = Context::from_env(cli.offline, cli.yes)?;
    match &cli.command {
        Command::Chat(args) => chat::run(args, &context),
        Command::Ask(args) => ask::run(args, &context),
        Command::Run(args) => run::run(args, &context),
        Command::Recipe(args) => recipe::run(args, &context),
        Command::Bot(args) => bot::run(args, &context),
        Command::Batch(args) => batch::run(args, &context),
        Command::Serve(args) => serve::run(args, &context),
        Command::Keys(args) => keys::run(args, &context),
        Command::Fleet(args) => fleet::run(args, &context),
        Command::Log(args) => log::run(args, &context),
        Command::Memory(args) => memory::run(args, &context),
        Command::Models(args) => models::run(args, &context),
        Command::Tokenize(args) => tokenize::run(args, &context),
        Command::Guard(args) => guard::run(args, &context),
        Command::Bench(args) => bench::run(args, &context),
        Command::Lab(args) => lab::run(args, &context),
        Command::Debug(args) => debug::run(args, &context),
        Command::Doctor(args) => doctor::run(args, &context),
        Command::Check(_) | Command::Solve(_) | Command::Completions(_) | Command::Man(_) => Ok(()),
    }
}
