//! A function that the loader calls before `main`: a process that was started as a child of a sandbox never gets there.
use std::ffi::OsString;

/// The loader calls what this section lists before `main`. `used` keeps it although nothing refers to it.
#[expect(
    unsafe_code,
    reason = "the section's name is a promise to the loader: it holds pointers to functions"
)]
// SAFETY: both sections hold pointers to C functions, which is what this static is. The loader of glibc and macOS
// passes (argc, argv, envp), that of musl nothing; a C function may ignore what it is passed.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static CONSTRUCTOR: extern "C" fn() = constructor;

#[expect(clippy::exit, reason = "main is another program's")]
extern "C" fn constructor() {
    // What came of the job was said on the way; nobody reads the code.
    if reckon_walls::child(reckon_solve::JOBS, &arguments()).is_some() {
        std::process::exit(0);
    }
}

/// The command line. The standard library knows it before `main` with glibc and on macOS, but not with musl.
fn arguments() -> Vec<OsString> {
    let known: Vec<OsString> = std::env::args_os().collect();
    if !known.is_empty() || !cfg!(target_os = "linux") {
        return known;
    }
    use std::os::unix::ffi::OsStringExt;
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    // Every argument ends with a zero, the last one too.
    let line = line.strip_suffix(&[0]).unwrap_or(&line);
    let parts = line.split(|byte| *byte == 0);
    parts
        .map(|part| OsString::from_vec(part.to_vec()))
        .collect()
}
