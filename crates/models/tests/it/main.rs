//! The store as callers meet it: a loopback hub, a pip made of a shell script, and whoever wants to harm them.
#![expect(clippy::print_stderr, reason = "tests say what they skip")]

#[cfg(unix)]
mod assembly;
mod hub;
mod locate;
mod names;
mod other_stores;
mod place;
#[cfg(unix)]
mod programs;
#[cfg(unix)]
mod removal;
mod samples;
mod server;
