//! The team of threads: every index once, panics carried over, still usable after.

use reckon_kernels::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn every_thread_runs_the_job_once() {
    for threads in 1..5 {
        let pool = Pool::new(&vec![0; threads]);
        for _ in 0..200 {
            let seen: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
            pool.run(|i| {
                seen[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
        }
    }
}

#[test]
fn rows_are_shared_out_completely() {
    let pool = Pool::new(&[0, 0, 0]);
    for rows in [0, 1, 2, 7, 100] {
        let mut data = vec![0usize; rows * 3];
        pool.for_each_row(&mut data, 3, |i, row| row.fill(i + 1));
        let want: Vec<usize> = (0..rows).flat_map(|i| [i + 1; 3]).collect();
        assert_eq!(data, want);
    }
}

#[test]
fn a_panic_reaches_the_caller_and_the_team_survives() {
    let pool = Pool::new(&[0, 0]);
    for thread in 0..2 {
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.run(|i| assert_ne!(i, thread, "on purpose"))
        }));
        assert!(result.is_err());
    }
    let count = AtomicUsize::new(0);
    pool.run(|_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn parked_threads_wake_up() {
    let pool = Pool::new(&[0, 0]);
    for _ in 0..3 {
        std::thread::sleep(std::time::Duration::from_millis(30));
        let count = AtomicUsize::new(0);
        pool.run(|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), 2);
    }
}
