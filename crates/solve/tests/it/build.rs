//! What a binary tells about the machine that built it.

/// An interpreter's build script would write every variable of the environment into the binary; it did once.
#[test]
fn the_environment_of_the_build_is_not_in_the_binary() {
    let binary = std::fs::read(env!("CARGO_BIN_EXE_solve-test-child")).unwrap();
    // The text of these variables, and names that only a build script's environment has.
    let path = option_env!("PATH").filter(|path| path.len() > 20);
    let names = [
        "CARGO_MAKEFLAGS",
        "CARGO_CFG_TARGET_FEATURE",
        "CARGO_PKG_REPOSITORY",
        "NUM_JOBS",
    ];
    for secret in names.into_iter().chain(path) {
        let found = binary
            .windows(secret.len())
            .any(|bytes| bytes == secret.as_bytes());
        assert!(!found, "the binary holds {secret:?}");
    }
    // The search does find what is there.
    let name = b"reckon_walls";
    assert!(binary.windows(name.len()).any(|bytes| bytes == name));
}
