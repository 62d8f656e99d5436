//! Which solver there is: our own copy of `z3`, one of this machine, or the embedded one.
use crate::{Context, Failure, cli::solve::SolverChoice};
use reckon::models::plain;
use reckon::{Solver, Z3};
use std::{path::PathBuf, time::Duration};

/// Longest time to say a version.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// Where `reckon solve setup` puts the program.
pub(super) fn own(context: &Context) -> PathBuf {
    context.store.home.join("solver").join(Z3)
}

/// The `z3` program: our own copy first, then one on the path.
pub(crate) fn z3(context: &Context) -> Option<PathBuf> {
    let own = own(context);
    if own.is_file() {
        return Some(own);
    }
    context.store.programs.find("z3")
}

/// The solver that is asked for, or the best one there is.
pub(crate) fn choose(wanted: Option<SolverChoice>, context: &Context) -> Result<Solver, Failure> {
    let found = z3(context).map(Solver::Z3);
    match (wanted, found) {
        (Some(SolverChoice::Embedded), _) | (None, None) => Ok(Solver::Embedded),
        (_, Some(solver)) => Ok(solver),
        (Some(SolverChoice::Z3), None) => Err(Failure::failed("there is no z3 here")
            .hint("reckon solve setup fetches it; --solver embedded needs none")),
    }
}

/// One line about it, for `reckon doctor`.
pub(crate) fn describe(context: &Context) -> String {
    let Some(path) = z3(context) else {
        return "embedded; `reckon solve setup` fetches z3".into();
    };
    let programs = &context.store.programs;
    match programs.run(&path, ["--version"], None, LONGEST_ANSWER) {
        Ok(ended) if ended.status.success() => {
            let version = plain(ended.stdout.trim(), 60);
            format!("{version} ({})", path.display())
        }
        _ => format!("{} does not start", path.display()),
    }
}
