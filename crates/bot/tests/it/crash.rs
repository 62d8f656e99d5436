//! 500 updates of all kinds while the bot is killed again and again: every message answered once, none lost, none doubled.
use crate::double::{BOT, Double, Faults, NAME, group, private};
use crate::scripted::{Scripted, config};
use reckon_bot::{Bot, Stop};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Says to the test binary that it is the process which will be killed: the store and the address of the double.
const CHILD: &str = "RECKON_BOT_TEST_CHILD";
/// Groups: a small one, which shares its numbers with private chats, and a large one, which does not.
const SMALL: i64 = -500;
const LARGE: i64 = -1_001_234_567_890;
const UPDATES: usize = 500;

/// What the bot must have said in the end: texts that begin like this, in this chat, so many times.
#[derive(Debug)]
struct Expected {
    chat: i64,
    start: String,
    times: usize,
    /// Whose words may be in it.
    tag: String,
}

/// Random numbers, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

#[test]
fn every_message_is_answered_once_whatever_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let double = Double::start();
    double.state().faults = Faults {
        cut_before: 2,
        cut_after: 3,
        cut_within: 2,
        flood: 1,
        repeat: 30,
    };
    double.state().files.insert("photo".into(), vec![7; 3_000]);
    double.state().files.insert("paper".into(), vec![8; 5_000]);
    let mut random = Random(2_026);
    let mut expected = Vec::new();
    let mut kills = 0;
    let started = Instant::now();
    for batch in 0..10 {
        for n in 0..UPDATES / 10 {
            update(
                &double,
                &mut random,
                batch * UPDATES / 10 + n,
                &mut expected,
            );
        }
        for _ in 0..7 {
            // Long enough to begin something, mostly too short to end everything.
            let child = spawn(&path, &double);
            std::thread::sleep(Duration::from_millis(50 + random.below(350)));
            kill(child);
            kills += 1;
        }
    }
    // The rest in longer lives, so that there is an end.
    while !missing(&double, &expected).is_empty() || double.unfetched() > 0 {
        let late = missing(&double, &expected);
        assert!(
            started.elapsed() < Duration::from_secs(300),
            "missing after {kills} kills: {late:#?}"
        );
        let child = spawn(&path, &double);
        std::thread::sleep(Duration::from_millis(1_000 + random.below(1_000)));
        kill(child);
        kills += 1;
    }
    // A last, undisturbed life has nothing left to say.
    double.state().faults = Faults::default();
    let child = spawn(&path, &double);
    std::thread::sleep(Duration::from_secs(3));
    kill(child);
    check(&double, &expected);
    let answers = expected
        .iter()
        .map(|expected| expected.times)
        .sum::<usize>();
    let seconds = started.elapsed().as_secs();
    let repairs = double.calls("editMessageText").len();
    let line = format!(
        "{UPDATES} updates, {answers} messages, {kills} kills, {repairs} edits, {seconds} s\n"
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

fn spawn(path: &Path, double: &Double) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::the_bot_that_is_killed", "--nocapture"])
        .env(CHILD, format!("{}\n{}", path.display(), double.url()))
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

fn kill(mut child: Child) {
    // SIGKILL: nothing of the bot's gets to run.
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Runs until it is killed; does nothing as a test.
#[test]
fn the_bot_that_is_killed() {
    let Ok(setting) = std::env::var(CHILD) else {
        return;
    };
    let (path, url) = setting.split_once('\n').unwrap();
    let mut config = config(Path::new(path), url);
    config.allow = vec![1, 2, 3];
    config.parallel = 5;
    config.most_waiting = 1_000;
    let stop = Stop::default();
    let end = stop.clone();
    // Should nobody come to kill it.
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(60));
        end.stop();
    });
    Bot::run(config, Arc::new(Scripted::default()), &stop).unwrap();
}

/// Has a person do something, and notes what the bot must say to it.
fn update(double: &Double, random: &mut Random, n: usize, expected: &mut Vec<Expected>) {
    let person = 1 + random.below(3) as i64;
    let tag = format!("tag{person}");
    let question = format!("q{n}. {tag}");
    let mut expect = |chat: i64, start: &str, times: usize| {
        let (start, tag) = (start.to_owned(), tag.clone());
        expected.push(Expected {
            chat,
            start,
            times,
            tag,
        });
    };
    let answer = format!("answer to: <{question}>");
    match random.below(20) {
        0..=6 => {
            double.tell(person, &question);
            expect(person, &answer, 1);
        }
        7 => {
            double.tell(person, &format!("**{question}** slowly"));
            expect(person, &format!("answer to: <{question} slowly>"), 1);
        }
        8 => {
            let photo = json!({ "caption": question, "photo": [{ "file_id": "photo", "file_size": 3000 }] });
            double.say(private(person), person, photo);
            expect(person, &format!("{answer} +photo.jpg:3000:Photo"), 1);
        }
        9 => {
            let paper = json!({ "file_id": "paper", "file_name": "paper.pdf" });
            double.say(
                private(person),
                person,
                json!({ "caption": question, "document": paper }),
            );
            expect(person, &format!("{answer} +paper.pdf:5000:Document"), 1);
        }
        10 => album(double, person, &question, &mut expect),
        11..=14 => in_group(double, person, n, &question, &mut expect),
        15 => {
            let id = double.tell(person, &format!("draft of {question}"));
            double.edit(
                private(person),
                person,
                id,
                &question,
                1_900_000_000 + n as i64,
            );
            expect(person, &answer, 1);
        }
        16 => {
            double.tell(person, &format!("/n{n}"));
            expect(person, &format!("I do not know /n{n}."), 1);
        }
        17 => {
            double.tell(77, &format!("{question} of a stranger"));
            expect(77, "answer", 0);
        }
        18 => double.push(json!({ "poll_of_a_new_kind": { "id": n } })),
        _ => {
            // An answer of two parts and a file between them.
            let text = format!(
                "please say p{n} one\\n```py\\n{}\\n```\\np{n} two",
                "x = 1\\n".repeat(700)
            );
            double.tell(person, &text);
            expect(person, &format!("p{n} one"), 1);
            expect(person, &format!("p{n} two"), 1);
        }
    }
}

/// A mention, a reply to the bot, or talk among people, which is none of its business.
fn in_group(
    double: &Double,
    person: i64,
    n: usize,
    question: &str,
    expect: &mut impl FnMut(i64, &str, usize),
) {
    let answer = format!("answer to: <{question}>");
    let chat = if n.is_multiple_of(2) { SMALL } else { LARGE };
    match n % 4 {
        0 | 1 => {
            double.say(
                group(chat),
                person,
                json!({ "text": format!("@{NAME} {question}") }),
            );
            expect(chat, &answer, 1);
        }
        2 => {
            let author = json!({ "id": BOT, "is_bot": true });
            let replied = json!({ "message_id": 1, "from": author, "text": "tag9" });
            let fields = json!({ "text": question, "reply_to_message": replied });
            double.say(group(LARGE), person, fields);
            expect(LARGE, &answer, 1);
        }
        _ => {
            double.say(group(chat), person, json!({ "text": question }));
            expect(chat, &answer, 0);
        }
    }
}

fn album(double: &Double, person: i64, question: &str, expect: &mut impl FnMut(i64, &str, usize)) {
    let group = format!("album {question}");
    for part in 0..2 {
        let mut fields = json!({ "media_group_id": group, "photo": [{ "file_id": "photo" }] });
        if part == 0 {
            fields["caption"] = json!(question);
        }
        double.say(private(person), person, fields);
    }
    let files = " +photo.jpg:3000:Photo".repeat(2);
    expect(person, &format!("answer to: <{question}>{files}"), 1);
}

fn count(double: &Double, expected: &Expected) -> usize {
    let texts = double.texts(expected.chat);
    texts
        .iter()
        .filter(|text| is_start(&expected.start, text))
        .count()
}

/// `p1 one` is not the beginning of `p1 one hundred`, nor `p1` of `p12`.
fn is_start(start: &str, text: &str) -> bool {
    text.strip_prefix(start)
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

fn missing<'a>(double: &Double, expected: &'a [Expected]) -> Vec<&'a Expected> {
    let late = |expected: &&Expected| count(double, expected) < expected.times;
    expected.iter().filter(late).collect()
}

fn check(double: &Double, expected: &[Expected]) {
    for expected in expected {
        let times = count(double, expected);
        assert_eq!(
            times,
            expected.times,
            "{expected:?} in {:#?}",
            double.texts(expected.chat)
        );
    }
    for person in 1..=3 {
        for chat in [person, SMALL, LARGE] {
            let others = (1..=3)
                .filter(|other| *other != person)
                .map(|other| format!("tag{other}"));
            let others = others.chain(["tag9".into()]).collect::<Vec<_>>();
            for text in double.texts(chat) {
                let mine = chat == person || text.contains(&format!("tag{person}>"));
                let leak = others.iter().any(|other| text.contains(other.as_str()));
                assert!(!(mine && leak), "words of others in {chat}: {text}");
            }
        }
    }
    let files = |chat| {
        double
            .said(chat)
            .into_iter()
            .filter(|kept| kept.file.is_some())
            .count()
    };
    let wanted = |chat: i64| {
        expected
            .iter()
            .filter(|e| e.chat == chat && e.start.ends_with(" two"))
            .count()
    };
    for person in 1..=3 {
        assert_eq!(files(person), wanted(person), "files of {person}");
    }
    for chat in [1, 2, 3, SMALL, LARGE] {
        // Nothing but what was expected and first versions of what was edited: no notice, no half answer.
        for text in double.texts(chat).iter().filter(|text| !text.is_empty()) {
            let known = expected
                .iter()
                .any(|e| e.chat == chat && is_start(&e.start, text));
            assert!(
                known || text.starts_with("answer to: <draft of "),
                "unexpected in {chat}: {text}"
            );
        }
    }
    assert_eq!(double.said(77).len(), 0, "a stranger was answered");
    let tags: Vec<&str> = expected.iter().map(|e| e.tag.as_str()).collect();
    assert!(
        ["tag1", "tag2", "tag3"]
            .iter()
            .all(|tag| tags.contains(tag))
    );
    let drafts: &[Value] = &double.calls("sendMessageDraft");
    assert!(
        drafts
            .iter()
            .all(|draft| draft["chat_id"].as_i64() > Some(0))
    );
}
