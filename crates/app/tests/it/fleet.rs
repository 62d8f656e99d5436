//! `reckon fleet`, `--role`, `/premium` and `serve --idle-exit`, with the real binary, a tiny model and a server on loopback.
use crate::{
    elsewhere::Elsewhere,
    fixture::{Tiny, gguf},
    place::Place,
};
use reckon::gguf::Format;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

fn place() -> Place {
    let place = Place::new();
    place.write("tiny.gguf", &gguf(&Tiny::new("llama", Format::Q8_0)));
    place
}

fn configure(place: &Place, text: &str) {
    fs::create_dir_all(place.home()).unwrap();
    fs::write(place.home().join("config.toml"), text).unwrap();
}

fn premium(url: &str) -> String {
    format!(
        "[peers.mini]\nurl = \"{url}/v1\"\nmodels = [\"tiny\"]\nrole = \"premium\"\ntimeout = 60\n"
    )
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn without_peers_it_says_where_they_go() {
    let place = Place::new();
    let ended = place.reckon(&["fleet"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("no peers") && ended.out.contains("config.toml"));
    let all = json(&place.reckon(&["fleet", "--json"]).out);
    assert_eq!(all["peers"], Value::Array(Vec::new()));
    place
        .reckon(&["ask", "--role", "premium", "hi"])
        .refused(2, &["no peer has the role", "hint"]);
    configure(&place, "[peers.mini]\nurl = \"localhost\"\n");
    place.reckon(&["fleet"]).refused(2, &["config.toml"]);
}

#[test]
fn a_role_is_asked_and_what_left_is_told() {
    let place = place();
    let peer = Elsewhere::new(Duration::ZERO, |_| "Hello from the mini.".into());
    configure(&place, &premium(&peer.url));
    let ask = [
        "ask",
        "--model",
        "tiny.gguf",
        "--max-tokens",
        "4",
        "--role",
        "premium",
    ];
    let ended = place.reckon(&[&ask[..], &["--json", "hi"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = json(&ended.out);
    assert_eq!(said["text"], "Hello from the mini.");
    let entry = &said["receipt"]["handover"]["peers"][0];
    assert_eq!(
        (&entry["peer"], &entry["outcome"]),
        (&"mini".into(), &"used".into())
    );
    assert_eq!(entry["sent"]["requests"], 1);
    let ended = place.reckon(&[&ask[..], &["hi"]].concat());
    assert!(ended.err.contains("left this machine"), "{ended:?}");
    assert_eq!(ended.out.trim(), "Hello from the mini.");
    // In a chat for one message, then for the same again.
    let asked = peer.asked().len();
    let chat = ["chat", "--model", "tiny.gguf", "--max-tokens", "4"];
    let ended = place.piped(&chat, b"/premium one\n/premium\ntwo\n/premium /quit\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(peer.asked().len(), asked + 2, "{ended:?}");
    assert_eq!(
        ended.out.matches("Hello from the mini.").count(),
        2,
        "{ended:?}"
    );
    // With the network forbidden this machine is still this machine; away it answers itself.
    let ended = place.reckon(&[&["--offline"], &ask[..], &["hi"]].concat());
    assert_eq!(ended.out.trim(), "Hello from the mini.", "{ended:?}");
    configure(&place, &premium(&crate::server::nobody()));
    let ended = place.reckon(&[&ask[..], &["--json", "hi"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = json(&ended.out);
    assert_eq!(said["receipt"]["model"]["name"], "tiny");
    assert_eq!(said["receipt"]["handover"]["peers"][0]["outcome"], "failed");
}

#[test]
fn rows_of_a_batch_go_to_the_role_that_they_name() {
    let place = place();
    let peer = Elsewhere::new(Duration::ZERO, |_| "Hello from the mini.".into());
    configure(&place, &premium(&peer.url));
    let openai = r#"{"custom_id": "c", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "premium", "messages": [{"role": "user", "content": "hi there"}]}}"#;
    let rows = [
        r#"{"id": "a", "prompt": "hi", "role": "premium"}"#,
        r#"{"id": "b", "prompt": "hi"}"#,
        openai,
        r#"{"id": "d", "prompt": "hi", "role": "nobody"}"#,
    ];
    place.write("rows.jsonl", rows.join("\n").as_bytes());
    let run = ["batch", "run", "rows.jsonl", "-o", "out.jsonl", "--model"];
    let more = ["tiny.gguf", "--max-tokens", "4", "--eager"];
    let ended = place.reckon(&[&run[..], &more].concat());
    assert_eq!(ended.code, Some(1), "one row fails: {ended:?}");
    let out = fs::read_to_string(place.root.path().join("out.jsonl")).unwrap();
    let row = |id: &str| {
        let mut rows = out.lines().map(json);
        rows.find(|row| row["id"] == id).expect(id)
    };
    for id in ["a", "c"] {
        let row = row(id);
        assert_eq!(row["text"], "Hello from the mini.", "{row}");
        assert_eq!(row["receipt"]["handover"]["peers"][0]["outcome"], "used");
    }
    assert!(row("b")["receipt"].get("handover").is_none());
    assert!(row("d")["error"].to_string().contains("role"), "{out}");
    assert_eq!(peer.asked().len(), 2);
    let ended = place.reckon(&[&run[..], &more, &["--role", "nobody"]].concat());
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn a_small_model_chooses_among_roles_or_is_done_without() {
    let place = place();
    let peer = Elsewhere::new(Duration::ZERO, |_| "Hello from the mini.".into());
    let route = |model: &str| {
        let more = format!("[handover]\nroute = \"{model}\"\nroutes.premium = \"hard\"\n");
        configure(&place, &(premium(&peer.url) + &more));
    };
    let ask = ["ask", "--model", "tiny.gguf", "--max-tokens", "4", "--json"];
    route("./absent.gguf");
    let ended = place.reckon(&[&ask[..], &["hi"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("cannot choose"), "{ended:?}");
    assert!(peer.asked().is_empty());
    // A random model says neither yes nor no, or says it by chance.
    let router = Tiny {
        n_ctx: 4096,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("router.gguf", &gguf(&router));
    route("./router.gguf");
    let ended = place.reckon(&[&ask[..], &["hi"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = json(&ended.out);
    match said["receipt"].get("handover") {
        Some(handover) => {
            assert_eq!(handover["why"], "router chose the role premium: about hard");
            assert_eq!(said["text"], "Hello from the mini.");
        }
        None => assert!(peer.asked().is_empty()),
    }
    let fleet = place.reckon(&["fleet"]);
    assert!(fleet.out.contains("chooses who answers"), "{fleet:?}");
}

/// A running server; ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_is_shown_and_ends_when_nobody_asks() {
    let place = place();
    let arguments = [
        "serve",
        "--model",
        "tiny.gguf",
        "--port",
        "0",
        "--idle-exit",
        "8",
    ];
    let key = "a-key-of-the-environment";
    let short = place.reckon_with(&arguments, &[("RECKON_KEYS", "short")]);
    short.refused(2, &["RECKON_KEYS", "16 characters"]);
    let mut command = place.command(&arguments, &[("RECKON_KEYS", key)]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut served = Served(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut url = String::new();
    let out = served.0.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut url).unwrap();
    let url = url.trim().trim_end_matches('/').to_owned();
    let ready = || place.reckon(&["fleet", "--ready", &url]);
    let begin = Instant::now();
    while ready().code != Some(0) {
        assert!(begin.elapsed() < Duration::from_secs(20), "never ready");
    }
    configure(&place, &(premium(&url) + "key_variable = \"MINI_KEY\"\n"));
    let fleet = |key: &str| place.reckon_with(&["fleet", "--json"], &[("MINI_KEY", key)]);
    let refused = json(&fleet("another-key-that-is-wrong").out);
    assert_eq!(refused["peers"][0]["why"], "it does not take the key");
    let all = json(&fleet(key).out);
    let peer = &all["peers"][0];
    assert_eq!(peer["reachable"], true, "{peer}");
    assert_eq!(peer["has_model"], true, "{peer}");
    let version = format!("reckon {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(peer["server"], version, "{peer}");
    assert_eq!(peer["lock"], "unknown", "nothing is locked");
    // Probes do not keep it awake.
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = served.0.try_wait().unwrap() {
            break status;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "still there");
        drop(ready());
        thread::sleep(Duration::from_millis(200));
    };
    assert!(status.success(), "{status}");
    let ended = ready();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let ended = place.reckon(&["fleet"]);
    assert!(
        ended.out.contains("mini (premium)") && ended.out.contains("down"),
        "{ended:?}"
    );
}
