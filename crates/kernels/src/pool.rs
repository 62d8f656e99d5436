//! The thread pool: a fixed team of pinned threads that runs one job at a time.
//!
//! `run(job)` calls `job(i)` once for each thread i, the caller being thread 0, and
//! returns when all are done. Workers spin for a short while after a job, because the
//! next one follows within microseconds while a token is made, and then park, so that
//! an idle program uses no CPU. Which CPUs to use is the caller's choice: it knows the
//! limits of the container.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Rounds of the waiting loop before a thread parks: about 50 µs, longer than the gap between two kernels of a pass.
const SPINS: u32 = 20_000;

/// A team of threads.
pub struct Pool {
    shared: Arc<PoolState>,
    workers: Vec<JoinHandle<()>>,
    /// Held while a job runs: one at a time, whoever asks.
    busy: Mutex<()>,
}

struct PoolState {
    /// The job of the current round; valid from the start of a round until `pending` is 0.
    job: Mutex<Option<ErasedJob>>,
    /// Counts rounds; a change is the signal to start.
    round: AtomicU32,
    /// Workers still busy with the current round.
    pending: AtomicUsize,
    /// Whether a worker panicked in the current round.
    failed: AtomicBool,
    stop: AtomicBool,
    /// Workers that are parked.
    parked: Mutex<usize>,
    wake: Condvar,
}

/// A borrowed closure whose lifetime `Pool::run` guards.
#[derive(Clone, Copy)]
struct ErasedJob(*const (dyn Fn(usize) + Sync));

// SAFETY: the pointer is used only while `Pool::run` keeps the closure alive, and the closure is `Sync`.
unsafe impl Send for ErasedJob {}

impl Pool {
    /// A team of one thread per CPU, the caller counting as the first; an empty list means the caller alone.
    pub fn new(cpus: &[usize]) -> Self {
        let shared = Arc::new(PoolState {
            job: Mutex::new(None),
            round: AtomicU32::new(0),
            pending: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            parked: Mutex::new(0),
            wake: Condvar::new(),
        });
        let mut workers = Vec::new();
        for (index, &cpu) in cpus.iter().enumerate().skip(1) {
            let shared = Arc::clone(&shared);
            let spawned = std::thread::Builder::new()
                .name(format!("reckon-{index}"))
                .spawn(move || {
                    pin(cpu);
                    shared.work(index);
                });
            // A system that refuses more threads still answers, with fewer.
            let Ok(worker) = spawned else { break };
            workers.push(worker);
        }
        Self {
            shared,
            workers,
            busy: Mutex::new(()),
        }
    }

    /// Threads of the team, the caller included.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `job(i)` on every thread i and waits for all.
    ///
    /// # Panics
    /// If the job panics on any thread.
    pub fn run(&self, job: impl Fn(usize) + Sync) {
        if self.workers.is_empty() {
            return job(0);
        }
        let _busy = lock(&self.busy);
        let job: &(dyn Fn(usize) + Sync) = &job;
        // SAFETY: only the lifetime is erased; this function does not return, not even by a panic of
        // `job(0)`, before every worker is done with the pointer.
        let erased = ErasedJob(unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync)>(
                job,
            )
        });
        self.shared.start(erased, self.workers.len());
        let own = catch_unwind(AssertUnwindSafe(|| job(0)));
        self.shared.finish();
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        assert!(
            !self.shared.failed.load(Ordering::Relaxed),
            "a worker thread panicked"
        );
    }

    /// Cuts `data` into rows of `width` and calls `work(i, row)` for each, shared out over the team.
    ///
    /// # Panics
    /// If `data` is not whole rows.
    pub fn for_each_row<T: Send>(
        &self,
        data: &mut [T],
        width: usize,
        work: impl Fn(usize, &mut [T]) + Sync,
    ) {
        assert!(width > 0 && data.len().is_multiple_of(width), "whole rows");
        let rows = data.len() / width;
        if rows <= 1 || self.workers.is_empty() {
            return data
                .chunks_exact_mut(width)
                .enumerate()
                .for_each(|(i, row)| work(i, row));
        }
        // A few pieces per thread, so that a thread that is held up does not hold up all.
        let piece = rows.div_ceil(4 * self.threads());
        let pieces = Mutex::new(data.chunks_mut(piece * width).enumerate());
        self.run(|_| {
            loop {
                let next = lock(&pieces).next();
                let Some((index, piece_data)) = next else {
                    break;
                };
                for (i, row) in piece_data.chunks_exact_mut(width).enumerate() {
                    work(index * piece + i, row);
                }
            }
        });
    }

    /// Calls `work(i)` for each i below `count`, shared out over the team in order.
    pub(crate) fn for_each(&self, count: usize, work: impl Fn(usize) + Sync) {
        let next = AtomicUsize::new(0);
        let claim = |_| {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    break;
                }
                work(i);
            }
        };
        if count <= 1 {
            claim(0)
        } else {
            self.run(claim)
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool({} threads)", self.threads())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.signal();
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its jobs, so it ends cleanly.
            let _ = worker.join();
        }
    }
}

impl PoolState {
    fn start(&self, job: ErasedJob, workers: usize) {
        *lock(&self.job) = Some(job);
        self.failed.store(false, Ordering::Relaxed);
        self.pending.store(workers, Ordering::Relaxed);
        // The change of `round` publishes the stores above to whoever sees it.
        self.signal();
    }

    /// Begins a round and wakes whoever is parked.
    fn signal(&self) {
        // Either a worker that is about to park sees the new round, or we see it parked: it counts itself as parked,
        // under the lock, before it looks at the round again.
        self.round.fetch_add(1, Ordering::SeqCst);
        if *lock(&self.parked) > 0 {
            self.wake.notify_all();
        }
    }

    /// Waits until every worker is done.
    fn finish(&self) {
        let mut spins = 0;
        while self.pending.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop()
            } else {
                std::thread::yield_now()
            }
        }
        *lock(&self.job) = None;
    }

    fn work(&self, index: usize) {
        let mut seen = 0;
        loop {
            seen = self.wait(seen);
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let job = lock(&self.job).expect("a round has a job");
            // SAFETY: `Pool::run`, which stored the pointer, does not return before `pending` is 0, so the closure is
            // alive; it is `Sync`, so several threads may call it.
            let job = unsafe { &*job.0 };
            if catch_unwind(AssertUnwindSafe(|| job(index))).is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            self.pending.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits for a round after `seen` and returns it.
    fn wait(&self, seen: u32) -> u32 {
        for _ in 0..SPINS {
            let round = self.round.load(Ordering::SeqCst);
            if round != seen {
                return round;
            }
            std::hint::spin_loop();
        }
        let mut parked = lock(&self.parked);
        *parked += 1;
        while self.round.load(Ordering::SeqCst) == seen {
            parked = self
                .wake
                .wait(parked)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *parked -= 1;
        self.round.load(Ordering::SeqCst)
    }
}

/// No job panics while it holds one of our locks, so poison means nothing here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the calling thread on one CPU, if the system lets us.
#[cfg(target_os = "linux")]
pub fn pin(cpu: usize) {
    // SAFETY: a zeroed set is valid, `CPU_SET` ignores nothing it should not: the index is checked
    // against the set's size, and a refusal by the system leaves the thread unpinned.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if cpu < 8 * size_of::<libc::cpu_set_t>() {
            libc::CPU_SET(cpu, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
        }
    }
}

/// Keeps the calling thread on one CPU, where the system can.
#[cfg(not(target_os = "linux"))]
pub fn pin(_cpu: usize) {}
