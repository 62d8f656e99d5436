//! Leases under a clock of the test's own: any order of claims, results, deaths and outages.
use super::*;
use crate::database::Database;
use crate::queue::Limits;
use crate::results::Fate;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

const LEASE: i64 = 1_000;

struct World {
    queue: Queue,
    clock: Arc<AtomicI64>,
    batch: String,
}

fn world(rows: usize, deaths: u32) -> World {
    let clock = Arc::new(AtomicI64::new(1_000_000));
    let limits = Limits {
        tries: 3,
        deaths,
        lease: Duration::from_millis(LEASE as u64),
        pause: Duration::from_millis(10),
    };
    let queue = Queue::new(Database::in_memory(clock.clone()).unwrap()).with_limits(limits);
    let input: String = (0..rows)
        .map(|n| format!("{{\"id\":{n},\"prompt\":\"question {n}\"}}\n"))
        .collect();
    let batch = queue.submit(None, input.as_bytes()).unwrap().batch;
    World {
        queue,
        clock,
        batch,
    }
}

impl World {
    fn claim(&self, worker: &str, want: Want) -> Vec<Claimed> {
        let ticket = Ticket::random().unwrap();
        self.queue
            .claim(Some(&self.batch), worker, ticket, want)
            .unwrap()
    }

    fn wait(&self, milliseconds: i64) {
        self.clock.fetch_add(milliseconds, Ordering::SeqCst);
    }

    fn finish(&self, claimed: &Claimed, text: &str) -> bool {
        let result = format!("{{\"text\":{text:?}}}");
        self.queue
            .finish(&claimed.row, claimed.ticket, &result)
            .unwrap()
    }

    fn fates(&self) -> Vec<Fate> {
        let outcomes = self.queue.results(&self.batch, 0, 1_000).unwrap();
        outcomes.into_iter().map(|outcome| outcome.fate).collect()
    }
}

#[test]
fn a_row_belongs_to_one_worker_until_its_lease_expires() {
    let world = world(1, 3);
    let [first] = &world.claim("a", Want::Clean(5))[..] else {
        panic!()
    };
    assert!(world.claim("b", Want::Clean(5)).is_empty());
    world.wait(LEASE - 1);
    assert!(world.claim("b", Want::Clean(5)).is_empty());
    assert!(world.claim("b", Want::Suspect).is_empty());
    world.wait(1);
    assert!(
        world.claim("b", Want::Clean(5)).is_empty(),
        "somebody died on it"
    );
    let [second] = &world.claim("b", Want::Suspect)[..] else {
        panic!()
    };
    assert!(second.alone);
    assert!(
        !world.finish(first, "late"),
        "the ticket of the first is void"
    );
    assert!(world.finish(second, "right"));
    assert!(
        world.finish(second, "right"),
        "the same call again, as after a broken connection"
    );
    assert!(!world.finish(first, "late"));
    assert_eq!(world.fates(), [Fate::Done("{\"text\":\"right\"}".into())]);
}

#[test]
fn a_late_result_counts_while_nobody_has_taken_the_row() {
    let world = world(1, 3);
    let first = world.claim("a", Want::Clean(1)).pop().unwrap();
    world.wait(2 * LEASE);
    assert!(world.finish(&first, "late"));
    assert!(world.claim("b", Want::Suspect).is_empty());
}

#[test]
fn a_claim_that_is_repeated_gives_the_same_rows() {
    let world = world(5, 3);
    let ticket = Ticket::random().unwrap();
    let lines = || {
        let claimed = world
            .queue
            .claim(Some(&world.batch), "a", ticket, Want::Clean(3))
            .unwrap();
        claimed
            .iter()
            .map(|claimed| claimed.row.line)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(), [1, 2, 3]);
    assert_eq!(lines(), [1, 2, 3]);
    assert_eq!(world.claim("a", Want::Clean(9)).len(), 2);
}

#[test]
fn a_renewed_lease_does_not_expire_and_a_cancelled_one_is_not_renewed() {
    let world = world(2, 3);
    let claimed = world.claim("a", Want::Clean(2));
    let beat = Heartbeat {
        worker: "a".into(),
        tickets: vec![claimed[0].ticket],
        running: 2,
        ..Heartbeat::default()
    };
    for _ in 0..5 {
        world.wait(LEASE - 1);
        assert_eq!(world.queue.renew(&beat).unwrap().len(), 2);
    }
    assert!(world.claim("b", Want::Suspect).is_empty());
    world.queue.cancel(&world.batch).unwrap();
    assert_eq!(world.queue.renew(&beat).unwrap(), []);
    assert!(world.finish(&claimed[0], "done anyway"));
    let workers = world.queue.workers().unwrap();
    assert_eq!(
        (
            workers[0].name.as_str(),
            workers[0].running,
            workers[0].alive
        ),
        ("a", 2, true)
    );
}

#[test]
fn failures_are_tried_three_times_with_growing_pauses() {
    let world = world(1, 3);
    let mut pauses = Vec::new();
    for _ in 0..3 {
        let mut waited = 0;
        let claimed = loop {
            match world.claim("a", Want::Clean(1)).pop() {
                Some(claimed) => break claimed,
                None => world.wait(1),
            }
            waited += 1;
            assert!(waited < 1_000);
        };
        pauses.push(waited);
        world
            .queue
            .fail(&claimed.row, claimed.ticket, &Failure::passing("no luck"))
            .unwrap();
        // The same call again, as after a broken connection, counts nothing.
        world
            .queue
            .fail(&claimed.row, claimed.ticket, &Failure::passing("no luck"))
            .unwrap();
    }
    assert_eq!(pauses, [0, 10, 40]);
    assert_eq!(world.fates(), [Fate::Failed("no luck".into())]);
    world.wait(100_000);
    assert!(world.claim("a", Want::Clean(1)).is_empty());
    assert_eq!(world.queue.retry(&world.batch).unwrap(), 1);
    let claimed = world.claim("a", Want::Clean(1)).pop().unwrap();
    assert!(
        world
            .queue
            .fail(&claimed.row, claimed.ticket, &Failure::for_good("never"))
            .unwrap()
    );
    assert_eq!(world.fates(), [Fate::Failed("never".into())]);
}

#[test]
fn a_row_that_is_given_back_was_never_tried() {
    let world = world(1, 3);
    for _ in 0..20 {
        let claimed = world.claim("a", Want::Clean(1)).pop().unwrap();
        world
            .queue
            .fail(&claimed.row, claimed.ticket, &Failure::stopped())
            .unwrap();
        assert!(!world.finish(&claimed, "after giving it back"));
    }
    assert_eq!(world.fates(), [Fate::Unfinished]);
}

#[test]
fn a_poisoned_row_fails_and_its_neighbours_do_not() {
    let world = world(8, 3);
    let poisoned = 4;
    let mut deaths = 0;
    loop {
        // A worker that takes all it can get, and dies of the fourth row.
        let mut rows = world.claim("a", Want::Clean(8));
        if rows.is_empty() {
            rows = world.claim("a", Want::Suspect);
        }
        if rows.is_empty() {
            break;
        }
        if rows.iter().any(|claimed| claimed.row.line == poisoned) {
            deaths += 1;
            world.wait(LEASE);
            continue;
        }
        for claimed in rows {
            assert!(world.finish(&claimed, "fine"));
        }
    }
    assert_eq!(deaths, 4, "once with the others, three times alone");
    for (i, fate) in world.fates().iter().enumerate() {
        match fate {
            Fate::Failed(why) => {
                assert_eq!((i + 1, why.as_str()), (4, "its worker died on it 3 times"))
            }
            fate => assert_eq!(*fate, Fate::Done("{\"text\":\"fine\"}".into())),
        }
    }
}

/// Something that happens. Whoever dies simply does nothing more.
#[derive(Clone, Debug)]
enum Step {
    Claim { worker: usize, want: Want },
    Finish { held: usize },
    Fail { held: usize, kind: FailureKind },
    Renew { worker: usize },
    Wait { milliseconds: i64 },
    Retry,
}

fn step() -> impl Strategy<Value = Step> {
    let worker = 0..3_usize;
    let want = prop_oneof![3 => (1..5_usize).prop_map(Want::Clean), 2 => Just(Want::Suspect)];
    let kind = prop_oneof![
        Just(FailureKind::Passing),
        Just(FailureKind::Final),
        Just(FailureKind::Stopped)
    ];
    prop_oneof![
        5 => (worker.clone(), want).prop_map(|(worker, want)| Step::Claim { worker, want }),
        4 => (0..100_usize).prop_map(|held| Step::Finish { held }),
        2 => (0..100_usize, kind).prop_map(|(held, kind)| Step::Fail { held, kind }),
        1 => worker.prop_map(|worker| Step::Renew { worker }),
        4 => (1..LEASE).prop_map(|milliseconds| Step::Wait { milliseconds }),
        1 => Just(Step::Retry),
    ]
}

/// A claim, and until when its lease is good; 0 once it was given up or taken over.
struct Claim {
    worker: usize,
    until: i64,
    claimed: Claimed,
}

impl Claim {
    fn line(&self) -> u64 {
        self.claimed.row.line
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: at most one result is accepted for a row and it is the one that stays, no two
    /// workers hold unexpired leases on one row, and what nobody holds can be finished in the end.
    #[test]
    fn each_row_has_one_result(steps in prop::collection::vec(step(), 1..80)) {
        let world = world(6, 1_000);
        // All claims ever, those of the dead too: their results may come late.
        let mut claims: Vec<Claim> = Vec::new();
        let mut accepted: BTreeMap<u64, String> = BTreeMap::new();
        let now = || world.clock.load(Ordering::SeqCst);
        for step in steps {
            match step {
                Step::Claim { worker, want } => {
                    let rows = world.claim(&format!("w{worker}"), want);
                    for claimed in rows {
                        for older in claims.iter_mut().filter(|older| older.line() == claimed.row.line) {
                            prop_assert!(older.until <= now(), "two leases on one row");
                            older.until = 0;
                        }
                        claims.push(Claim { worker, until: now() + LEASE, claimed });
                    }
                }
                Step::Finish { held } if !claims.is_empty() => {
                    let at = held % claims.len();
                    let Claim { claimed, .. } = &claims[at];
                    let before = accepted.get(&claimed.row.line).cloned();
                    let text = format!("ticket {}", claimed.ticket.0);
                    if world.finish(claimed, &text) {
                        prop_assert!(before.is_none_or(|before| before == text), "a second result");
                        accepted.insert(claimed.row.line, text);
                    }
                }
                Step::Fail { held, kind } if !claims.is_empty() => {
                    let at = held % claims.len();
                    let Claimed { row, ticket, .. } = &claims[at].claimed;
                    let failure = Failure { why: "x".into(), kind };
                    world.queue.fail(row, *ticket, &failure).unwrap();
                    claims[at].until = 0;
                }
                Step::Renew { worker } => {
                    let mine = claims.iter().filter(|claim| claim.worker == worker);
                    let tickets = mine.map(|claim| claim.claimed.ticket).collect();
                    let beat = Heartbeat { worker: format!("w{worker}"), tickets, ..Heartbeat::default() };
                    let held = world.queue.renew(&beat).unwrap();
                    for claim in claims.iter_mut().filter(|claim| claim.worker == worker && claim.until > 0) {
                        if held.contains(&(world.batch.clone(), claim.line())) {
                            claim.until = now() + LEASE;
                        }
                    }
                }
                Step::Wait { milliseconds } => world.wait(milliseconds),
                Step::Retry => {
                    world.queue.retry(&world.batch).unwrap();
                }
                _ => {}
            }
        }
        // Nobody is left; somebody new does the rest.
        world.wait(100 * LEASE);
        world.queue.retry(&world.batch).unwrap();
        loop {
            let mut rows = world.claim("last", Want::Clean(2));
            if rows.is_empty() {
                rows = world.claim("last", Want::Suspect);
            }
            if rows.is_empty() {
                break;
            }
            for claimed in rows {
                prop_assert!(!accepted.contains_key(&claimed.row.line), "an accepted row was handed out again");
                prop_assert!(world.finish(&claimed, "last"));
                accepted.insert(claimed.row.line, "last".into());
            }
        }
        let fates = world.fates();
        prop_assert_eq!(fates.len(), 6);
        for (i, fate) in fates.iter().enumerate() {
            let expected = format!("{{\"text\":{:?}}}", accepted[&(i as u64 + 1)]);
            prop_assert_eq!(fate, &Fate::Done(expected));
        }
    }
}
