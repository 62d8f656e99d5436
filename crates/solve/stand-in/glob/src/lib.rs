//! Finds no files, and leaves a build script nothing to tell about the machine. See the manifest for why.
use std::{convert::Infallible, env, path::PathBuf};

/// No paths: what RustPython would do with them is to ask cargo to watch files that never change.
pub fn glob(_: &str) -> Result<std::iter::Empty<Result<PathBuf, Infallible>>, Infallible> {
    if env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "rustpython-vm") {
        clear();
    }
    Ok(std::iter::empty())
}

/// Leaves what the script still reads: the target's name, and where to write, as a path that names no directory.
fn clear() {
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    env::set_current_dir(out).expect("cargo made OUT_DIR");
    for (name, _) in env::vars_os() {
        if name != "TARGET" {
            env::remove_var(name);
        }
    }
    env::set_var("OUT_DIR", ".");
    // Neither `git` nor `rustc` is found here, so neither tells about the repository or the toolchain around it.
    env::set_var("PATH", "");
}
