//! Locks the process in, on Linux: limits, no files, few system calls. All of it by the process on itself.
//!
//! `begin` runs on the main thread before any other exists, because Landlock binds a thread and those it starts. `close`
//! runs when the job is prepared and binds every thread. Each wall stands alone: where a kernel lacks one, the
//! others still hold, and [`Protection`] says so.
use super::rlimit;
use crate::{Limits, Protection};
use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule,
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek},
};

/// Walls that stand so far.
pub(super) struct Walls {
    landlock: bool,
    /// `/proc/self/statm`, opened while files could still be opened.
    sizes: Option<File>,
}

impl Walls {
    /// Gives up files and ports.
    pub(super) fn begin() -> Self {
        let sizes = File::open("/proc/self/statm").ok();
        Self {
            landlock: landlock().unwrap_or(false),
            sizes,
        }
    }

    /// Sets the limits and the filter; what is allowed from here on is all the job gets.
    pub(super) fn close(mut self, limits: &Limits) -> Protection {
        // Without `/proc` nobody knows what the process has; this is more than any job prepares.
        let (addresses, data) = self.sizes().unwrap_or((2 << 30, 512 << 20));
        drop(self.sizes.take());
        Protection {
            rlimit: rlimit::set(limits, addresses, data),
            landlock: self.landlock,
            seccomp: filter().is_some(),
        }
    }

    /// Bytes of addresses and of private writable memory that the process has now.
    fn sizes(&mut self) -> Option<(u64, u64)> {
        let mut text = String::new();
        let file = self.sizes.as_mut()?;
        file.rewind().ok()?;
        file.read_to_string(&mut text).ok()?;
        let mut pages = text.split_whitespace().map(str::parse::<u64>);
        let page = rustix::param::page_size() as u64;
        let (all, data) = (pages.next()?.ok()?, pages.nth(4)?.ok()?);
        Some((all * page, data * page))
    }
}

/// Handles every right that the kernel knows and grants none.
fn landlock() -> Option<bool> {
    let status = rules()?.create().ok()?.restrict_self().ok()?;
    Some(status.ruleset != RulesetStatus::NotEnforced)
}

fn rules() -> Option<Ruleset> {
    Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .ok()?
        .handle_access(AccessNet::from_all(ABI::V5))
        .ok()?
        .scope(Scope::from_all(ABI::V6))
        .ok()
}

/// What a helper keeps when this process becomes it: no writing, no ports, and an end when its parent ends. It must read:
/// itself and the system's libraries.
pub(super) fn for_helper() -> Option<()> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // The thread that starts a helper waits for it, so it ends only with the whole parent.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let all = PathBeneath::new(PathFd::new("/").ok()?, AccessFs::from_read(ABI::V5));
    let rules = rules()?.create().ok()?.add_rule(all).ok()?;
    rules.restrict_self().ok().map(drop)
}

/// Only what a calculation needs; anything else fails with EPERM.
fn filter() -> Option<()> {
    let rule = |conditions: Vec<SeccompCondition>| SeccompRule::new(conditions).ok();
    let argument = |index, is, value| SeccompCondition::new(index, Width::Dword, is, value).ok();
    let own = u64::from(std::process::id());
    let executable = u64::from(libc::PROT_EXEC.cast_unsigned());
    let never_run = || argument(2, Is::MaskedEq(executable), 0);

    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = PLAIN.iter().map(|n| (*n, vec![])).collect();
    rules.insert(libc::SYS_read, vec![rule(vec![argument(0, Is::Eq, 0)?])?]);
    let out = |fd| argument(0, Is::Eq, fd).and_then(|is| rule(vec![is]));
    rules.insert(libc::SYS_write, vec![out(1)?, out(2)?]);
    // No file can be mapped, and nothing that was written can be run.
    let anonymous = argument(4, Is::Eq, u64::from(u32::MAX))?;
    rules.insert(libc::SYS_mmap, vec![rule(vec![never_run()?, anonymous])?]);
    rules.insert(libc::SYS_mprotect, vec![rule(vec![never_run()?])?]);
    rules.insert(
        libc::SYS_tgkill,
        vec![rule(vec![argument(0, Is::Eq, own)?])?],
    );

    let arch = std::env::consts::ARCH.try_into().ok()?;
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch).ok()?;
    let filter: BpfProgram = filter.try_into().ok()?;
    seccompiler::apply_filter_all_threads(&filter).ok()
}

/// System calls that are allowed whatever their arguments.
const PLAIN: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    // The watchman's, to see that the parent has gone; there is nothing else to wait for.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
];
