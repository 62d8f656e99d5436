//! A path in, a file that a model can be given out. An encrypted one asks for its password, on a terminal.
use crate::{Failure, echo::Quiet, input};
use reckon::{AttachedFile, Error};
use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

/// How often a password may be typed.
const TRIES: usize = 3;

/// Reads a file behind walls; what is wrong with it is known before a model is loaded.
pub(crate) fn read(path: &Path) -> anyhow::Result<AttachedFile> {
    let (name, bytes) = input::file(path)?;
    // From the first question to the last: what a quick hand types between them is not shown either.
    let mut quiet = None;
    let mut password = None;
    for _ in 0..=TRIES {
        // The bytes are kept for another try.
        match AttachedFile::read(&name, bytes.clone(), password.as_deref()) {
            Err(Error::Password { wrong, .. }) if is_somebody_there() => {
                quiet = quiet.or_else(Quiet::secret);
                if quiet.is_none() {
                    let hint = "this terminal would show what is typed";
                    return Err(Failure::input(format!("{name} is encrypted"))
                        .hint(hint)
                        .into());
                }
                password = Some(ask(&name, wrong)?);
            }
            Err(error @ Error::Password { .. }) => {
                let hint = "on a terminal it is asked for";
                return Err(Failure::input(error.to_string()).hint(hint).into());
            }
            read => return Ok(read?),
        }
    }
    Err(Failure::input(format!("no right password for {name} in {TRIES} tries")).into())
}

fn is_somebody_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What is typed is not shown: the caller is [`Quiet`].
fn ask(name: &str, wrong: bool) -> io::Result<String> {
    let mut terminal = console::Term::stderr();
    let name = crate::printable::one_line(name);
    let again = if wrong { "Not the password. " } else { "" };
    write!(terminal, "{again}Password of {name}: ")?;
    terminal.flush()?;
    typed(&terminal)
}

/// The next line. `console` would throw away what was typed before it is called.
#[cfg(unix)]
fn typed(terminal: &console::Term) -> io::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    // The end of the line was not shown either.
    terminal.write_line("")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(not(unix))]
fn typed(terminal: &console::Term) -> io::Result<String> {
    terminal.read_secure_line()
}
