//! Blind grading as a browser and a shell meet it: the page over plain TCP, kills at random, names at the end.
use crate::place::{Ended, Place, sha256};
use reckon_lab::{Receipt, Row, Usage, fastchat::read_judgments};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Stdio},
    thread,
    time::{Duration, SystemTime},
};

const GRADE: [&str; 7] = [
    "lab",
    "grade",
    "a.tape.jsonl",
    "--questions",
    "q.jsonl",
    "-o",
    "g.jsonl",
];

/// Questions of one turn, and a tape whose raw and guarded texts differ, but for every fourth.
fn place(n: usize) -> Place {
    let place = Place::new();
    let (mut questions, mut tape) = (String::new(), String::new());
    for i in 0..n {
        questions += &json!({"question_id": i, "category": "math", "turns": [format!("ask {i}")], "reference": [format!("ref {i}")]}).to_string();
        questions.push('\n');
        let text = if i % 4 == 0 { "plain" } else { "checked" };
        let row = Row {
            id: i.to_string(),
            turn: 1,
            category: None,
            raw: format!("plain {i}"),
            text: format!("{text} {i}"),
            raw_right: None,
            right: None,
            graded: None,
            finish: "stop".into(),
            usage: Usage::default(),
            ms: 1,
            receipt: Receipt::default(),
        };
        tape += &serde_json::to_string(&row).unwrap();
        tape.push('\n');
    }
    place.write("q.jsonl", questions.as_bytes());
    place.write("a.tape.jsonl", tape.as_bytes());
    place
}

fn grade<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&GRADE[..], more].concat()
}

/// A program that serves the page.
struct Page {
    child: Child,
    port: u16,
    path: String,
}

impl Page {
    fn open(place: &Place, more: &[&str]) -> Self {
        let mut arguments = grade(&["--web"]);
        arguments.extend(more);
        let mut command = place.command(&arguments, &[]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let Some(rest) = line.trim().strip_prefix("http://127.0.0.1:") else {
            let ended = Ended::new(&child.wait_with_output().unwrap());
            panic!("no address but {line:?}: {ended:?}");
        };
        let (port, path) = rest.split_once('/').unwrap();
        let port = port.parse().unwrap();
        let path = format!("/{path}");
        Self { child, port, path }
    }

    /// Status, head and body of a request of our own page.
    fn ask(&self, method: &str, name: &str, body: &str) -> io::Result<(u16, String, String)> {
        let host = format!("127.0.0.1:{}", self.port);
        self.request(method, &format!("{}{name}", self.path), &host, "", body)
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        host: &str,
        more: &str,
        body: &str,
    ) -> io::Result<(u16, String, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{more}\r\n"
        )?;
        // A body that is refused early may not be read to its end.
        let _ = stream.write_all(body.as_bytes());
        let mut reply = String::new();
        let read = stream.read_to_string(&mut reply);
        let Some((head, body)) = reply.split_once("\r\n\r\n") else {
            return Err(read.err().unwrap_or(io::ErrorKind::UnexpectedEof.into()));
        };
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.parse() != Ok(body.len())) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok((status.unwrap(), head.into(), body.into()))
    }

    fn state(&self) -> io::Result<Value> {
        let (status, _, body) = self.ask("GET", "state", "")?;
        assert_eq!(status, 200, "{body}");
        Ok(serde_json::from_str(&body).unwrap())
    }

    fn act(&self, act: &Value) -> io::Result<(u16, Value)> {
        let (status, _, body) = self.ask("POST", "act", &act.to_string())?;
        Ok((status, serde_json::from_str(&body).unwrap()))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The score that our grader gives a text.
fn taste(text: &str) -> u8 {
    sha256(text.as_bytes()).as_bytes()[0] % 10 + 1
}

/// The act that our grader answers a state with.
fn judged(state: &Value) -> Option<Value> {
    let show = state["show"].as_object()?;
    let text = show["sides"][0].as_array()?.last()?.as_str()?;
    Some(
        json!({"act": "score", "row": state["progress"]["row"], "item": show["item"], "score": taste(text)}),
    )
}

fn rows(place: &Place) -> Vec<Value> {
    let text = fs::read_to_string(place.root.path().join("g.jsonl")).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn graded_on_the_page_and_revealed_at_the_terminal() {
    let place = place(8);
    let page = Page::open(&place, &["--seed", "3"]);
    assert!(place.root.path().join("g.seal.json").exists());
    let mut state = page.state().unwrap();
    let mut n = 0;
    while let Some(act) = judged(&state) {
        assert!(
            !state.to_string().contains("tape") && !state.to_string().contains("raw"),
            "{state}"
        );
        let (status, next) = page.act(&act).unwrap();
        assert_eq!(status, 200, "{next}");
        n += 1;
        assert_eq!(rows(&place).len(), n, "stored before the next is shown");
        state = next;
    }
    // 8 raw texts and 6 others: 2 are the same.
    assert_eq!(n, 14);
    drop(page);
    let ended = place.reckon(&grade(&["--reveal", "--json", "--export", "j.jsonl"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let found: Value = serde_json::from_str(&ended.out).unwrap();
    let mean = |name: &str, text: &dyn Fn(usize) -> String| {
        let system = found["systems"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["system"] == name)
            .unwrap();
        let wanted = (0..8).map(|i| f64::from(taste(&text(i)))).sum::<f64>() / 8.0;
        assert!(
            (system["mean"].as_f64().unwrap() - wanted).abs() < 1e-9,
            "{found}"
        );
        assert_eq!(system["n"], 8);
    };
    mean("a.tape-raw", &|i| format!("plain {i}"));
    mean("a.tape", &|i| {
        format!("{} {i}", if i % 4 == 0 { "plain" } else { "checked" })
    });
    let judgments = read_judgments(&place.root.path().join("j.jsonl")).unwrap();
    assert_eq!(judgments.len(), 16);
    let report = place.reckon(&["lab", "report", "--from-judgments", "j.jsonl", "--json"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    for system in found["systems"].as_array().unwrap() {
        let models = report["models"].as_array().unwrap();
        let same = models
            .iter()
            .find(|model| model["model"] == system["system"])
            .unwrap();
        let apart = same["average"].as_f64().unwrap() - system["mean"].as_f64().unwrap();
        assert!(apart.abs() < 1e-9, "{report}");
    }
    // The names are known: the page has nothing more to show, and the export is not overwritten.
    let page = Page::open(&place, &[]);
    assert_eq!(page.state().unwrap()["show"], Value::Null);
    drop(page);
    let again = place.reckon(&grade(&["--reveal", "--export", "j.jsonl"]));
    again.refused(
        1,
        &["j.jsonl", "(hint: --export takes the name of a new file"],
    );
    let table = place.reckon(&grade(&["--reveal"]));
    assert!(
        table.out.contains("a.tape-raw") && table.out.lines().count() == 2,
        "{table:?}"
    );
}

#[test]
fn the_page_is_for_this_machine_and_loads_nothing() {
    let place = place(3);
    let page = Page::open(&place, &[]);
    let (status, head, body) = page.ask("GET", "", "").unwrap();
    assert_eq!(status, 200);
    for header in [
        "content-security-policy: default-src 'none'",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(head.contains(header), "no {header} in {head}");
    }
    assert!(!head.to_lowercase().contains("access-control"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!body.contains(outside), "{outside}");
    }
    let nonce = head
        .split("'nonce-")
        .nth(1)
        .unwrap()
        .split('\'')
        .next()
        .unwrap();
    assert_eq!(body.matches(&format!("nonce=\"{nonce}\"")).count(), 2);
    let host = format!("127.0.0.1:{}", page.port);
    let path = format!("{}state", page.path);
    let status =
        |path: &str, host: &str, more: &str| page.request("GET", path, host, more, "").unwrap().0;
    assert_eq!(status(&path, &host, ""), 200);
    assert_eq!(status(&path, &format!("localhost:{}", page.port), ""), 200);
    assert_eq!(status(&path, "evil.example", ""), 403);
    assert_eq!(
        status(&path, &format!("evil.example:{}", page.port), ""),
        403
    );
    assert_eq!(status(&path, "127.0.0.1", ""), 403);
    assert_eq!(status(&path, &host, "Origin: http://evil.example\r\n"), 403);
    assert_eq!(
        status(&path, &host, &format!("Origin: http://{host}\r\n")),
        200
    );
    let wrong = path.replace(&page.path, &format!("/{}/", "0".repeat(32)));
    for other in [&wrong, "/", "/state", "/favicon.ico"] {
        assert_eq!(status(other, &host, ""), 404, "{other}");
    }
    assert!(
        TcpStream::connect(("127.0.0.2", page.port)).is_err(),
        "127.0.0.1 alone is listened on"
    );
}

#[test]
fn acts_that_are_refused_change_nothing() {
    let place = place(3);
    let page = Page::open(&place, &[]);
    let state = page.state().unwrap();
    let item = &state["show"]["item"];
    for (act, status) in [
        (
            json!({"act": "score", "row": 1, "item": item, "score": 11}),
            409,
        ),
        (
            json!({"act": "score", "row": 2, "item": item, "score": 5}),
            409,
        ),
        (
            json!({"act": "score", "row": 1, "item": 99, "score": 5}),
            409,
        ),
        (
            json!({"act": "pick", "row": 1, "item": item, "pick": "left"}),
            409,
        ),
        (json!({"act": "undo", "row": 1, "undone": 0}), 409),
        (json!({"act": "reveal", "row": 1}), 400),
        (
            json!({"act": "score", "row": 1, "item": item, "score": 500}),
            400,
        ),
        (json!({"act": "dance", "row": 1}), 400),
        (json!([1, 2]), 400),
    ] {
        let (found, reply) = page.act(&act).unwrap();
        assert_eq!(found, status, "{act}: {reply}");
        assert!(reply["error"].is_string());
    }
    let deep = "[".repeat(10_000);
    assert_eq!(page.ask("POST", "act", &deep).unwrap().0, 400);
    assert_eq!(page.ask("POST", "act", "\u{0}").unwrap().0, 400);
    assert_eq!(page.ask("POST", "act", &"x".repeat(20_000)).unwrap().0, 413);
    assert_eq!(page.ask("GET", "act", "").unwrap().0, 405);
    assert_eq!(rows(&place).len(), 0);
    assert_eq!(page.state().unwrap(), state);
}

#[test]
fn two_tabs_and_a_reload_double_nothing() {
    let place = place(3);
    let page = Page::open(&place, &[]);
    let (one, other) = (page.state().unwrap(), page.state().unwrap());
    let act = judged(&one).unwrap();
    assert_eq!(page.act(&act).unwrap().0, 200);
    let (status, reply) = page.act(&judged(&other).unwrap()).unwrap();
    assert_eq!(status, 409);
    let now = page.state().unwrap();
    assert_eq!(
        reply["show"], now["show"],
        "the other tab is told where it stands"
    );
    assert_ne!(now["show"]["item"], one["show"]["item"]);
    let undo = json!({"act": "undo", "row": 2, "undone": now["progress"]["undo"]});
    let (_, back) = page.act(&undo).unwrap();
    assert_eq!(back["show"], one["show"]);
    let note =
        json!({"act": "comment", "row": 3, "item": one["show"]["item"], "text": "<b>so</b>"});
    let (_, noted) = page.act(&note).unwrap();
    assert_eq!(noted["show"]["comment"], "<b>so</b>");
    let (_, _, reference) = page.ask("GET", "reference", "").unwrap();
    assert!(reference.contains("ref ") && !one.to_string().contains("ref "));
    drop(page);
    let page = Page::open(&place, &[]);
    assert_eq!(
        page.state().unwrap()["show"],
        noted["show"],
        "goes on where it was"
    );
    assert_eq!(rows(&place).len(), 3);
}

#[test]
fn killed_20_times_at_random_loses_nothing_and_doubles_nothing() {
    let place = place(500);
    let seed = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64;
    println!("seed {seed}");
    let chance = crate::place::bytes(seed, 64);
    let mut known: BTreeMap<u64, Value> = BTreeMap::new();
    let waits = chance.iter().take(20).map(Some).chain([None]);
    for wait in waits {
        let mut page = Page::open(&place, &[]);
        let id = page.child.id();
        let killer = wait.map(|&wait| {
            let wait = Duration::from_micros(u64::from(wait) * 60);
            thread::spawn(move || {
                thread::sleep(wait);
                kill("-KILL", id);
            })
        });
        // 20 lives of at most 40 acts leave some of the 875 items for the last one, however fast the machine is.
        let ended = work(&page, &mut known, wait.map_or(usize::MAX, |_| 40));
        if let Some(killer) = killer {
            while ended.is_ok() && page.state().is_ok() {}
            killer.join().unwrap();
            assert!(!page.child.wait().unwrap().success());
        }
    }
    let rows = rows(&place);
    let mut items: Vec<u64> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let number = row["row"].as_u64().unwrap();
        assert_eq!(number, at as u64 + 1);
        items.push(row["item"].as_u64().unwrap());
        if let Some(act) = known.remove(&number) {
            let same = |name: &str| act[name] == row[name];
            assert!(
                ["act", "item", "score"].iter().all(|name| same(name)),
                "{act} {row}"
            );
        }
    }
    assert!(known.is_empty(), "acknowledged and lost: {known:?}");
    // 500 raw texts and 375 others, each once.
    items.sort_unstable();
    assert_eq!(items, (0..875).collect::<Vec<u64>>());
    let ended = place.reckon(&grade(&["--reveal", "--json"]));
    let found: Value = serde_json::from_str(&ended.out).unwrap();
    let n: Vec<&Value> = found["systems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["n"])
        .collect();
    assert_eq!(n, [&json!(500), &json!(500)]);
}

/// Grades until `most` acts are done, nothing is left or the program dies; what it acknowledged is kept.
fn work(page: &Page, known: &mut BTreeMap<u64, Value>, most: usize) -> io::Result<()> {
    let mut state = page.state()?;
    for _ in 0..most {
        let Some(act) = judged(&state) else { break };
        let (status, next) = page.act(&act)?;
        assert_eq!(status, 200, "{next}");
        known.insert(act["row"].as_u64().unwrap(), act);
        state = next;
    }
    Ok(())
}

fn kill(signal: &str, id: u32) {
    let ended = std::process::Command::new("kill")
        .args([signal, &id.to_string()])
        .status();
    assert!(ended.unwrap().success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_page() {
    let place = place(3);
    let mut page = Page::open(&place, &[]);
    // A connection that says nothing does not keep it.
    let _silent = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let act = judged(&page.state().unwrap()).unwrap();
    page.act(&act).unwrap();
    kill("-INT", page.child.id());
    let status = page.child.wait().unwrap();
    let mut said = String::new();
    page.child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(
        said.contains("1 of 5 graded; all of it is stored"),
        "{said}"
    );
}

#[test]
fn one_grader_at_a_time() {
    let place = place(3);
    let _page = Page::open(&place, &[]);
    place
        .reckon(&grade(&["--web"]))
        .refused(1, &["g.jsonl", "another process"]);
}

#[test]
fn bad_input_is_one_line() {
    let place = place(3);
    place
        .reckon(&GRADE)
        .refused(2, &["grading needs a terminal", "(hint: --web"]);
    place.reckon(&GRADE[..5]).refused(2, &["--output"]);
    place
        .reckon(&grade(&["--export", "j.jsonl"]))
        .refused(2, &["--reveal"]);
    place
        .reckon(&grade(&["--port", "1"]))
        .refused(2, &["--web"]);
    place
        .reckon(&grade(&["--web", "--port", "70000"]))
        .refused(2, &["--port"]);
    place
        .reckon(&grade(&["--web", "--sample", "0"]))
        .refused(2, &["at least 1"]);
    place
        .reckon(&grade(&["--reveal"]))
        .refused(4, &["no grades in g.jsonl"]);
    place
        .reckon(&grade(&["nowhere.jsonl", "--web"]))
        .refused(4, &["nowhere.jsonl"]);
    place.write("empty.jsonl", b"");
    place
        .reckon(&grade(&["empty.jsonl", "--web"]))
        .refused(4, &["empty: no answers"]);
    place.write(
        "b.jsonl",
        b"{\"question_id\":404,\"choices\":[{\"turns\":[\"x\"]}]}\n",
    );
    place
        .reckon(&grade(&["b.jsonl", "--web"]))
        .refused(4, &["question 404, which is not there"]);
    place.write(
        "c.jsonl",
        b"{\"id\":\"1\",\"turn\":1,\"raw\":\"x\",\"text\":\"y\"}\n{\"id\":7}\n",
    );
    place
        .reckon(&grade(&["c.jsonl", "--web"]))
        .refused(4, &["c.jsonl line 1"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ended = place.reckon(&grade(&["--web", "--port", &port]));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.err.contains(&format!("cannot listen on port {port}"))
            && ended.err.contains("(hint: "),
        "{ended:?}"
    );
    place
        .reckon(&grade(&["--reveal"]))
        .refused(1, &["nothing is graded yet"]);
}

#[test]
fn a_changed_text_or_seal_is_refused() {
    let place = place(3);
    let page = Page::open(&place, &[]);
    let act = judged(&page.state().unwrap()).unwrap();
    page.act(&act).unwrap();
    drop(page);
    let early = place.reckon(&grade(&["--reveal", "--export", "j.jsonl"]));
    early.refused(
        1,
        &["4 of 5 items are not graded yet", "(hint: ", "--partial"],
    );
    assert!(!place.root.path().join("j.jsonl").exists());
    let file = |name: &str| -> PathBuf { place.root.path().join(name) };
    let tape = fs::read_to_string(file("a.tape.jsonl")).unwrap();
    place.write(
        "a.tape.jsonl",
        tape.replace("checked 2", "checked 2!").as_bytes(),
    );
    for how in ["--web", "--reveal"] {
        place
            .reckon(&grade(&[how]))
            .refused(4, &["question 2, turn 1: not the text that was sealed"]);
    }
    place.write("a.tape.jsonl", tape.as_bytes());
    let seal = fs::read_to_string(file("g.seal.json")).unwrap();
    place.write(
        "g.seal.json",
        seal.replace("tape-raw", "tape-raV").as_bytes(),
    );
    place
        .reckon(&grade(&["--reveal", "--partial"]))
        .refused(4, &["g.seal.json", "not the seal"]);
    place.write("g.seal.json", seal.as_bytes());
    let partial = place.reckon(&grade(&["--reveal", "--partial"]));
    assert_eq!(partial.code, Some(0), "{partial:?}");
}

#[test]
fn the_help_fits() {
    let place = Place::new();
    let help = place.reckon(&["lab", "grade", "--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("Examples:"));
    for line in help.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
