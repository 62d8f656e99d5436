//! Locks the process in, on Linux: limits, no files, few system calls. All of it by the process on itself.
//!
//! `begin` runs on the main thread before any other exists, because Landlock binds a thread and those it starts. `close`
//! runs when the interpreter is ready and binds every thread. Each wall stands alone: where a kernel lacks one, the
//! others still hold, and [`Protection`] says so.
use crate::{Limits, Protection};
use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::process::{Resource, Rlimit, setrlimit};
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

    /// Sets the limits and the filter; what is allowed from here on is all the program gets.
    pub(super) fn close(mut self, limits: &Limits) -> Protection {
        let rlimit = self.limit(limits).is_some();
        drop(self.sizes.take());
        Protection {
            rlimit,
            landlock: self.landlock,
            seccomp: filter().is_some(),
        }
    }

    fn limit(&mut self, limits: &Limits) -> Option<()> {
        let (all, data) = self.sizes()?;
        set(Resource::Data, data.saturating_add(limits.memory))?;
        // The allocator reserves addresses that it does not use; they are not memory.
        set(Resource::As, all.saturating_add(limits.memory) + (1 << 30))?;
        // The first number is a signal with a name, the second would be a plain kill.
        set_both(Resource::Cpu, limits.cpu, limits.cpu + 1)?;
        set(Resource::Fsize, 0)?;
        set(Resource::Nofile, 3)?;
        set(Resource::Nproc, 0)?;
        set(Resource::Core, 0)
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

fn set(resource: Resource, most: u64) -> Option<()> {
    set_both(resource, most, most)
}

fn set_both(resource: Resource, current: u64, maximum: u64) -> Option<()> {
    let limit = Rlimit {
        current: Some(current),
        maximum: Some(maximum),
    };
    setrlimit(resource, limit).ok()
}

/// Handles every right that the kernel knows and grants none.
fn landlock() -> Option<bool> {
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .ok()?
        .handle_access(AccessNet::from_all(ABI::V5))
        .ok()?
        .scope(Scope::from_all(ABI::V6))
        .ok()?;
    let status = rules.create().ok()?.restrict_self().ok()?;
    Some(status.ruleset != RulesetStatus::NotEnforced)
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
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
];
