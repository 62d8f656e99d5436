//! `reckon lab grade`: a person scores answers without knowing whose they are.
//!
//! The rules are `reckon_lab::grade`; here are its keys, its page and its clock. `terminal` and `server` show the same
//! items and store the same rows, so one grading can move between them.
mod names;
mod server;
mod terminal;

use crate::{Failure, cli::lab::GradeArgs, exit};
use reckon_lab::{
    Question,
    fastchat::{Answers, read_answers},
    grade::{Grading, Setup},
    read_questions,
};
use std::io::{self, IsTerminal};

/// Runs `reckon lab grade`.
pub(crate) fn run(args: &GradeArgs) -> anyhow::Result<()> {
    let attended = || io::stdin().is_terminal() && io::stdout().is_terminal();
    if !(args.reveal || args.web || attended()) {
        let refusal = Failure::usage("grading needs a terminal");
        return Err(refusal.hint("--web opens a page instead").into());
    }
    if args.reveal && !args.grades.exists() {
        let what = format!("no grades in {}", args.grades.display());
        return Err(Failure::input(what).into());
    }
    let mut systems = Vec::new();
    for path in &args.answers {
        systems.extend(read_answers(path)?);
    }
    let questions = read_questions(&args.questions)?;
    let left_out = left_out(&systems, &questions);
    let setup = Setup {
        pairs: args.pairs,
        seed: args.seed,
        sample: args.sample,
    };
    let grading = Grading::open(&args.grades, systems, questions, &setup, chance()?)?;
    if args.reveal {
        return names::reveal(args, grading);
    }
    if left_out > 0 {
        exit::notice(&format!(
            "{left_out} questions are left out: not every system has answered them"
        ));
    }
    exit::notice(&format!("sealed as sha256 {}", grading.seal()));
    if args.web {
        server::run(grading, args.port)
    } else {
        terminal::run(grading)
    }
}

/// Questions that some system has answered and another has not, in whole or in part.
fn left_out(systems: &[Answers], questions: &[Question]) -> usize {
    let uneven = |question: &&Question| {
        let turns = |system: &Answers| system.turns.get(&question.id).map_or(0, Vec::len);
        let least = systems.iter().map(turns).min();
        least != systems.iter().map(turns).max()
    };
    questions.iter().filter(uneven).count()
}

/// A number that nobody can guess.
fn chance() -> anyhow::Result<u64> {
    getrandom::u64().map_err(|error| anyhow::anyhow!("no random numbers: {error}"))
}
