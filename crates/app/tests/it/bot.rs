//! `reckon bot` as its owner meets it: the real binary with a tiny model, against a double of Telegram's Bot API.
use crate::{
    double::{Double, TOKEN},
    elsewhere::{Elsewhere, last},
    fixture::{Tiny, gguf},
    place::Place,
};
use reckon::gguf::Format;
use serde_json::Value;
use std::{
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

struct Bot<'a> {
    place: &'a Place,
    double: &'a Double,
    child: Child,
}

impl<'a> Bot<'a> {
    fn start(place: &'a Place, double: &'a Double) -> Self {
        Self::start_with(place, double, &[])
    }

    fn start_with(place: &'a Place, double: &'a Double, more: &[&str]) -> Self {
        let url = double.url();
        let arguments = ["bot", "telegram", "--api-url", &url, "--model", "tiny.gguf"];
        let child = place
            .command(
                &[&arguments[..], &["--max-tokens", "12"], more].concat(),
                &[("RECKON_TELEGRAM_TOKEN", TOKEN)],
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            place,
            double,
            child,
        }
    }

    /// Ctrl-C; what it has told on the way.
    fn end(mut self) -> String {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-INT", &pid]).status();
        assert!(asked.unwrap().success());
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => thread::sleep(Duration::from_millis(20)),
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "it goes on");
        };
        assert_eq!(
            (status.code(), status.signal()),
            (Some(0), None),
            "it ends by itself"
        );
        std::io::read_to_string(self.child.stderr.take().unwrap()).unwrap()
    }
}

impl Drop for Bot<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn place() -> Place {
    let place = Place::new();
    let model = Tiny {
        n_ctx: 2048,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&model));
    place
}

#[test]
fn a_stranger_is_let_in_answered_and_sent_away() {
    let (place, double) = (place(), Double::start());
    let bot = Bot::start(&place, &double);
    double.tell(50, "/start");
    let texts = double.wait_said(50, 1);
    assert!(texts[0].starts_with("This bot is private."), "{texts:?}");

    let pending = bot.place.reckon(&["bot", "pending", "--json"]);
    let pending: Value = serde_json::from_str(&pending.out).unwrap();
    let code = pending["pending"][0]["code"].as_str().unwrap();
    assert!(texts[0].contains(code), "{code}: {texts:?}");
    place
        .reckon(&["bot", "approve", "WRONGONE"])
        .refused(1, &[]);
    let approved = place.reckon(&["bot", "approve", code]);
    assert_eq!(
        (approved.code, approved.out.as_str()),
        (Some(0), "P50 (@p50) is answered from now on\n")
    );
    assert!(bot.double.wait_said(50, 2)[1].starts_with("You are connected."));

    let before = double.said(50).len();
    double.tell(50, "What is 6 * 7?");
    double.wait("answer", |double| double.said(50).len() > before);
    let log = bot.end();
    assert!(log.contains("answering as @duckbot"), "{log}");
    assert!(!log.contains(TOKEN) && !log.contains("6 * 7"), "{log}");

    let people = place.reckon(&["bot", "people"]);
    assert!(people.out.contains("50  P50"), "{people:?}");
    assert_eq!(
        place.reckon(&["bot", "revoke", "50", "--erase"]).code,
        Some(0)
    );
    assert_eq!(
        place.reckon(&["bot", "people"]).out,
        "nobody is answered yet\n"
    );
    place
        .reckon(&["bot", "revoke", "50"])
        .refused(4, &["nobody who is answered"]);
}

#[test]
fn a_role_is_asked_by_a_slash_and_the_person_sees_what_left() {
    let (place, double) = (place(), Double::start());
    let peer = Elsewhere::new(Duration::ZERO, |_| "Hello from the mini.".into());
    let config = format!(
        "[peers.mini]\nurl = \"{}\"\nmodels = [\"large\"]\nrole = \"premium\"\ntimeout = 60\n",
        peer.url
    );
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let bot = Bot::start_with(&place, &double, &["--allow", "50"]);
    double.tell(50, "/premium hello");
    let texts = double.wait_said(50, 1);
    assert!(texts[0].starts_with("Hello from the mini."), "{texts:?}");
    assert!(texts[0].contains("left this machine"), "{texts:?}");
    let (_, sent) = peer.asked().pop().expect("a question");
    assert_eq!(last(&sent), "hello");
    double.tell(50, "hello again");
    double.wait_said(50, 2);
    assert_eq!(peer.asked().len(), 1, "only when it is asked for");
    drop(bot);
}

#[test]
fn no_token_no_network_no_bot() {
    let place = place();
    place
        .reckon(&["bot", "telegram", "--model", "tiny.gguf"])
        .refused(2, &["token"]);
    let token = [("RECKON_TELEGRAM_TOKEN", TOKEN)];
    for url in [&[][..], &["--api-url", "https://api.example"]] {
        let arguments = ["--offline", "bot", "telegram", "--model", "tiny.gguf"];
        place
            .reckon_with(&[&arguments[..], url].concat(), &token)
            .refused(2, &["network"]);
    }
}
