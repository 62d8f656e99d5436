//! The `reckon` command.
fn main() {}
