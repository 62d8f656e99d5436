//! Project chores that cargo itself does not do: `cargo xtask tidy` and friends.
fn main() {}
