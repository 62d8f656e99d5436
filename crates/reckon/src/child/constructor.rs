//! A function that the loader calls before `main`: a process that was started as a child of a sandbox never gets there.
//!
//! The standard library names an overflow of the stack ("has overflowed its stack") only in programs that reached their
//! `main`. A job recurses as deep as a hostile program says, so here is a handler that does the same for its thread.
#![expect(
    unsafe_code,
    reason = "the section's name is a promise to the loader, and a handler of signals is a promise to the system"
)]
use std::{
    ffi::{OsString, c_int, c_void},
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The loader calls what this section lists before `main`. `used` keeps it although nothing refers to it.
// SAFETY: both sections hold pointers to C functions, which is what this static is. The loader of glibc and macOS
// passes (argc, argv, envp), that of musl nothing; a C function may ignore what it is passed.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static CONSTRUCTOR: extern "C" fn() = constructor;

#[expect(clippy::exit, reason = "main is another program's")]
extern "C" fn constructor() {
    // What came of the job was said on the way; nobody reads the code.
    let jobs = super::jobs();
    if reckon_walls::child_before_main(&jobs, &arguments(), name_overflow).is_some() {
        std::process::exit(0);
    }
}

/// Stack of the handler: it writes one line, and the system saves all registers there, of which AMX has many.
const ROOM: usize = 64 << 10;
/// How far from the computed end of the stack a fault may be: above its beginning lie the thread's own variables.
const NEAR: usize = 256 << 10;
/// Where the stack of the job ends.
static END: AtomicUsize = AtomicUsize::new(0);

/// Has an overflow of this thread's stack, which has `stack` bytes, end the process with a line that says so.
fn name_overflow(stack: usize) {
    let here = 0_u8;
    let end = ptr::from_ref(&here).addr().saturating_sub(stack);
    END.store(end, Ordering::Relaxed);
    let room = Box::leak(vec![0_u8; ROOM].into_boxed_slice());
    let alternate = libc::stack_t {
        ss_sp: room.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: ROOM,
    };
    // SAFETY: a `sigaction` of zeros is a valid one: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = faulted as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: both pointers are to live values of these types; `room` is leaked, so it outlives the thread that uses it
    // as a stack. `faulted` has the signature that SA_SIGINFO asks for and calls only what a handler may call.
    unsafe {
        if libc::sigaltstack(&raw const alternate, ptr::null_mut()) == 0 {
            libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut());
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    }
}

/// A fault at the end of the job's stack is an overflow. At any other place it is met again without this handler.
extern "C" fn faulted(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    const LINE: &[u8] = b"the job has overflowed its stack\n";
    // SAFETY: the system passes a valid `siginfo_t`, and these two signals have an address in it.
    let address = unsafe { (*info).si_addr() }.addr();
    let is_overflow = address.abs_diff(END.load(Ordering::Relaxed)) < NEAR;
    // SAFETY: `signal`, `write` and `_exit` may be called in a handler; LINE is as long as is said.
    unsafe {
        if is_overflow {
            libc::write(2, LINE.as_ptr().cast(), LINE.len());
            libc::_exit(1);
        }
        libc::signal(signal, libc::SIG_DFL);
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
