//! The store as a server and a command line use it: by several owners, threads and processes, on files of strangers.
mod answers;
mod bot;
mod conversations;
mod files;
mod keys;
mod memory;
mod migration;
mod processes;
mod samples;
mod search;
mod transfer;
mod tree;
