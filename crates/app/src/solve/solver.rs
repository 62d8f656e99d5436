//! Which solver there is: our own copy of `z3`, one of this machine, or the embedded one.
use crate::{Context, Failure, cli::solve::SolverChoice};
use reckon::{Solver, Z3};
use std::{path::PathBuf, process::Command};

/// Where `reckon solve setup` puts the program.
pub(super) fn own(context: &Context) -> PathBuf {
    context.home.join("solver").join(Z3)
}

/// The `z3` program: our own copy first, then one on the path.
pub(crate) fn z3(context: &Context) -> Option<PathBuf> {
    reckon::find_z3(Some(&own(context)), context.search.as_deref())
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
    let version = Command::new(&path).arg("--version").output().ok();
    let version = version.filter(|output| output.status.success());
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match text {
        Some(text) => {
            let text: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("{text} ({})", path.display())
        }
        None => format!("{} does not start", path.display()),
    }
}
