//! Who is answered next: in the order of arrival, one answer at a time for each person, a few at a time in all.
//!
//! Whoever has to wait is told their place and about how long it will take; the message follows the queue and is gone
//! when the answer comes.
use crate::answering;
use crate::desk::{Desk, delivery, lock, now};
use crate::outgoing::Outgoing;
use reckon_store::bot::{NewDelivery, Task, Wanted};
use reckon_store::{Finished, PersonId, Result, State};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the queue is looked at when nobody rings.
const LOOK: Duration = Duration::from_millis(500);
/// How long answers under way may take to notice the end of the bot.
const FAREWELL: Duration = Duration::from_secs(5);
/// Between two changes of a notice.
const RENEW: Duration = Duration::from_secs(10);

/// Tasks that are being answered, by whom they are for.
type Running = Arc<Mutex<HashMap<i64, PersonId>>>;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is being answered.
    Running,
    /// Its turn has come.
    Next,
    /// So many come before it.
    Behind(usize),
    /// Nobody waits for it.
    Unwanted,
}

/// What people were last told of their place, and when.
type Notices = HashMap<i64, (String, Instant)>;

/// Starts answers until the bot ends.
pub(crate) fn dispatch(desk: &Arc<Desk>) {
    let running = Running::default();
    let mut notices = Notices::new();
    while !desk.ends() {
        let heard = desk.bell.rings();
        if let Err(error) = look(desk, &running, &mut notices) {
            desk.log(&format!("cannot read the queue: {error}"));
            desk.pause(Duration::from_secs(1));
        }
        desk.bell.wait(heard, LOOK);
    }
    let until = Instant::now() + FAREWELL;
    while !lock(&running).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn look(desk: &Arc<Desk>, running: &Running, notices: &mut Notices) -> Result<()> {
    let tasks = desk.store.open_tasks()?;
    notices.retain(|number, _| tasks.iter().any(|task| task.number == *number));
    let album = i64::try_from(desk.config.pace.album.as_millis()).unwrap_or(i64::MAX);
    let places = places(
        &tasks,
        &lock(running),
        desk.config.parallel.max(1),
        now() - album,
    );
    for (task, place) in tasks.iter().zip(places) {
        match place {
            Place::Running => {}
            Place::Next => start(desk, running, task),
            Place::Behind(ahead) => tell(desk, task, ahead, notices)?,
            Place::Unwanted => drop_task(desk, task)?,
        }
    }
    Ok(())
}

/// Where each task stands. Albums that are younger than `album` may still grow.
fn places(
    tasks: &[Task],
    running: &HashMap<i64, PersonId>,
    parallel: usize,
    album: i64,
) -> Vec<Place> {
    let mut free = parallel.saturating_sub(running.len());
    let mut busy: HashSet<_> = running.values().cloned().collect();
    let mut ahead = 0;
    let mut place = |task: &Task| {
        if running.contains_key(&task.number) {
            ahead += 1;
            return Place::Running;
        }
        if task.wanted != Wanted::Yes {
            return Place::Unwanted;
        }
        ahead += 1;
        // Also if it has to wait for more pictures: the next message of the same person is not to overtake it.
        let first = !busy.contains(&task.person);
        busy.insert(task.person.clone());
        if !first || free == 0 || (task.album && task.created > album) {
            return Place::Behind(ahead - 1);
        }
        free -= 1;
        Place::Next
    };
    tasks.iter().map(&mut place).collect()
}

fn start(desk: &Arc<Desk>, running: &Running, task: &Task) {
    lock(running).insert(task.number, task.person.clone());
    let (worker, task, ended) = (desk.clone(), task.clone(), running.clone());
    let number = task.number;
    let thread = std::thread::Builder::new().name("answer".into());
    let spawned = thread.spawn(move || {
        answering::answer(&worker, &task);
        lock(&ended).remove(&task.number);
        worker.bell.ring();
    });
    if let Err(error) = spawned {
        desk.log(&format!("cannot start a thread: {error}"));
        lock(running).remove(&number);
    }
}

/// Tells a person where they are in the queue, when that is new.
fn tell(desk: &Desk, task: &Task, ahead: usize, notices: &mut Notices) -> Result<()> {
    let waited = now().saturating_sub(task.created);
    if ahead == 0 || u128::from(waited.unsigned_abs()) < desk.config.pace.notice.as_millis() {
        return Ok(());
    }
    let place = ordinal(ahead + 1);
    let text = format!("You are {place} in the queue: {}.", about(desk, ahead));
    let outgoing = Outgoing {
        silent: true,
        thread: task.thread,
        reply_to: Some(task.message),
        ..Outgoing::line(&text)
    };
    let new = delivery(task.chat, &outgoing);
    match (task.notice, notices.get(&task.number)) {
        (None, _) => {
            desk.store.notify(task.number, &new)?;
            desk.bell.ring();
        }
        (Some(_), Some((told, at))) if *told == place || at.elapsed() < RENEW => return Ok(()),
        // One that has not been sent may yet be taken back, and this one with it.
        (Some(notice), _) if desk.store.message_of(notice)?.is_none() => return Ok(()),
        (Some(notice), _) => {
            let replaces = Some(notice);
            desk.store.send(&NewDelivery { replaces, ..new })?;
            desk.bell.ring();
        }
    }
    notices.insert(task.number, (place, Instant::now()));
    Ok(())
}

/// Ends a task that was stopped before its turn came; the command has been replied to.
fn drop_task(desk: &Desk, task: &Task) -> Result<()> {
    let stopped = Finished {
        state: State::Stopped,
        ..Finished::default()
    };
    let deliveries = task.notice.map(|notice| NewDelivery {
        replaces: Some(notice),
        ..delivery(task.chat, &Outgoing::delete())
    });
    desk.store
        .finish(task.number, &stopped, 0, deliveries.as_slice())?;
    desk.bell.ring();
    Ok(())
}

/// "1st", "2nd", "3rd", "4th".
pub(crate) fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// How long it takes until so many have been answered, in words.
pub(crate) fn about(desk: &Desk, ahead: usize) -> String {
    let rounds = ahead.div_ceil(desk.config.parallel.max(1));
    // A float that is too large becomes the largest integer, and nobody waits that long.
    let seconds = (desk.durations.mean() * rounds as f64).ceil() as u64;
    match seconds {
        0..90 => format!("about {} s", seconds.next_multiple_of(10).max(10)),
        90..5_400 => format!("about {} min", seconds.div_ceil(60)),
        _ => format!("about {} h", seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Place::{Behind, Next, Unwanted};

    fn task(number: i64, person: u8) -> Task {
        Task {
            number,
            person: format!("{person:032x}").parse().unwrap(),
            chat: 1,
            thread: 0,
            message: number,
            album: false,
            running: false,
            created: 100,
            notice: None,
            wanted: Wanted::Yes,
        }
    }

    #[test]
    fn one_at_a_time_a_person_and_the_others_in_order() {
        let tasks = [task(1, 1), task(2, 1), task(3, 2), task(4, 3)];
        let none = HashMap::new();
        assert_eq!(
            places(&tasks, &none, 1, 100),
            [Next, Behind(1), Behind(2), Behind(3)]
        );
        assert_eq!(
            places(&tasks, &none, 2, 100),
            [Next, Behind(1), Next, Behind(3)]
        );
        let running = HashMap::from([(1, tasks[0].person.clone())]);
        let expected = [Place::Running, Behind(1), Next, Behind(3)];
        assert_eq!(places(&tasks, &running, 2, 100), expected);
    }

    #[test]
    fn a_young_album_waits_and_is_not_overtaken_by_its_own_person() {
        let mut album = task(1, 1);
        album.album = true;
        let tasks = [album, task(2, 1), task(3, 2)];
        assert_eq!(
            places(&tasks, &HashMap::new(), 3, 99),
            [Behind(0), Behind(1), Next]
        );
        assert_eq!(
            places(&tasks, &HashMap::new(), 3, 100),
            [Next, Behind(1), Next]
        );
    }

    #[test]
    fn what_was_stopped_holds_up_nobody() {
        let mut stopped = task(1, 1);
        stopped.wanted = Wanted::Stopped;
        assert_eq!(
            places(&[stopped, task(2, 1)], &HashMap::new(), 1, 100),
            [Unwanted, Next]
        );
    }

    #[test]
    fn places_have_english_endings() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal);
        assert_eq!(
            numbers,
            [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"
            ]
        );
    }
}
