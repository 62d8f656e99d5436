//! The program as people and scripts meet it: the real binary, a loopback hub, a pip made of a shell script.
mod ask;
mod chat;
mod cli;
mod hub;
mod markdown;
mod place;
#[cfg(unix)]
mod registry;
mod server;
mod startup;
mod tokenize;
