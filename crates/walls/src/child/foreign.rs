//! Becomes another program under the limits that a program keeps when it replaces this one.
use super::{rlimit, walls};
use crate::{Limits, foreign::ABSENT};
use std::{
    ffi::OsString,
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

/// Never returns if the program can be started.
pub(super) fn become_it(limits: &Limits, program: &OsString, arguments: &[OsString]) -> ExitCode {
    rlimit::set_for_helper(limits);
    walls::for_helper();
    let _ = Command::new(program).args(arguments).exec();
    ExitCode::from(ABSENT as u8)
}
