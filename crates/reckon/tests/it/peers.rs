//! Peers that answer, that do not, and that nobody may ask: the local answer is never lost, and the receipt tells.
use crate::script::scripted;
use reckon::{
    Ask, Error, Event, Finish, Generation, Handover, MarkState, Message, Model, ModelInfo, OnEvent,
    PeerOutcome, Peers, Reply, Schema, TextModel, guards, models::http,
};
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    ops::ControlFlow,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

const QUESTION: &str = "12 boxes of 8 rolls, 37 sold. How many are left?";
/// Programs contradict it.
const LOCAL: &str = "There are 49 rolls left.";
const RIGHT: &str = "There are 59 rolls left.";
const PROGRAM: &str =
    "    boxes = 12\n    rolls = boxes * 8\n    left = rolls - 37\n    return left\n```";

/// How a scripted peer answers a question; about itself all but `Dead` answer well.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    Right,
    /// Programs contradict its answer, too.
    Doubtful,
    Slow,
    Html,
    Broken,
    Empty,
    Cut,
    Refuses,
    /// Closes every connection at once.
    Dead,
}

/// A scripted peer; ends with the test.
struct Scripted {
    url: String,
    /// Request lines and headers with bodies, as they came.
    heard: Arc<Mutex<Vec<(String, String)>>>,
    connections: Arc<Mutex<usize>>,
}

impl Scripted {
    fn new(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (heard, connections) = (Arc::default(), Arc::<Mutex<usize>>::default());
        let (shared, count) = (Arc::clone(&heard), connections.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                *count.lock().unwrap() += 1;
                let heard = Arc::clone(&shared);
                // A client that goes away is part of the tests.
                thread::spawn(move || serve(&stream, manner, &heard));
            }
        });
        Self {
            url,
            heard,
            connections,
        }
    }

    fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }

    /// Bodies of the questions that were asked.
    fn questions(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        let posts = heard.iter().filter(|(head, _)| head.starts_with("POST"));
        posts.map(|(_, body)| body.clone()).collect()
    }
}

fn serve(stream: &TcpStream, manner: Manner, heard: &Mutex<Vec<(String, String)>>) -> Option<()> {
    if manner == Manner::Dead {
        return None;
    }
    let mut reader = BufReader::new(stream);
    loop {
        let (head, body) = request(&mut reader)?;
        heard.lock().unwrap().push((head.clone(), body.clone()));
        let mut out = stream;
        if head.starts_with("GET") {
            reply(
                out,
                200,
                &json!({ "data": [{ "id": "large" }] }).to_string(),
            )?;
            continue;
        }
        match manner {
            Manner::Slow => thread::sleep(Duration::from_secs(20)),
            Manner::Html => reply(out, 200, "<!doctype html><p>Sign in to the hotel's network")?,
            Manner::Broken => reply(out, 200, "{\"choices\": [{\"message\": {\"cont")?,
            Manner::Empty => reply(out, 200, &completion(" \n"))?,
            Manner::Refuses => reply(out, 500, "{\"error\": {\"message\": \"no\\nmemory\"}}")?,
            Manner::Cut => {
                let said = completion(RIGHT);
                let length = said.len();
                let (half, _) = said.split_at(length / 2);
                write!(
                    out,
                    "HTTP/1.1 200 x\r\nContent-Length: {length}\r\n\r\n{half}"
                )
                .ok()?;
                return None;
            }
            Manner::Right | Manner::Doubtful => {
                let is_program = body.contains("def solution");
                let said = match (is_program, manner) {
                    (true, _) => PROGRAM,
                    (false, Manner::Doubtful) => "There are 48 rolls left.",
                    (false, _) => RIGHT,
                };
                reply(out, 200, &completion(said))?;
            }
            Manner::Dead => return None,
        }
    }
}

fn reply(mut out: &TcpStream, status: u16, body: &str) -> Option<()> {
    let length = body.len();
    write!(
        out,
        "HTTP/1.1 {status} x\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .ok()
}

fn completion(text: &str) -> String {
    json!({ "choices": [{ "message": { "content": text }, "finish_reason": "stop" }] }).to_string()
}

fn request(reader: &mut BufReader<&TcpStream>) -> Option<(String, String)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

/// Peers at these addresses, the first the cheapest; doubtful answers go to them.
fn peers(urls: &[&str], is_on: bool) -> Peers {
    let tables = urls.iter().enumerate().map(|(at, url)| {
        format!(
            "[peers.p{at}]\nurl = \"{url}\"\nmodels = [\"large\"]\nrole = \"premium\"\ncost = {at}\ntimeout = 2\n"
        )
    });
    let mut text: String = tables.collect();
    if is_on {
        text += "[handover]\ndoubtful = \"premium\"\n";
    }
    Peers::parse(&text, false, |_| None).expect("settings")
}

/// The reply of a model of this machine whose answer is doubtful, with these peers.
fn ask(peers: Peers, role: Option<&str>) -> Reply {
    let (model, _) = scripted(1000, &[LOCAL, PROGRAM]);
    let mut chat = model
        .chat()
        .guards(guards::all())
        .with_peers(peers)
        .role(role.map(str::to_owned));
    chat.ask(QUESTION, |_| ()).expect("an answer")
}

fn state(reply: &Reply) -> Option<MarkState> {
    reply.receipt.mark.as_ref().map(|mark| mark.state)
}

fn handover(reply: &Reply) -> &Handover {
    reply.receipt.handover.as_ref().expect("a hand-over")
}

#[test]
fn a_doubtful_answer_becomes_that_of_a_peer_which_holds() {
    let peer = Scripted::new(Manner::Right);
    let (model, _) = scripted(1000, &[LOCAL, PROGRAM]);
    let mut chat = model.chat().guards(guards::all());
    chat = chat.with_peers(peers(&[&peer.url], true));
    assert!(chat.may_revise("hello"), "a pipe holds the text back");
    let mut revised = None;
    let reply = chat.ask(QUESTION, |event| {
        if let Event::Revise { text, .. } = event {
            revised = Some(text.to_owned());
        }
    });
    let reply = reply.expect("an answer");
    assert_eq!(reply.text, RIGHT);
    assert_eq!(revised.as_deref(), Some(RIGHT));
    assert_eq!(state(&reply), Some(MarkState::Verified));
    assert_eq!(
        reply.receipt.model.endpoint,
        Some(format!("{}/v1/chat/completions", peer.url))
    );
    let handed = handover(&reply);
    assert!(
        handed.why.contains("arithmetic doubts the answer"),
        "{handed:?}"
    );
    assert_eq!(
        handed.replaced.as_deref(),
        Some(LOCAL),
        "both texts are kept"
    );
    let entry = handed.answered().expect("a peer that answered");
    assert_eq!((entry.peer.as_str(), entry.model.as_str()), ("p0", "large"));
    // What the receipt says left is what arrived.
    let heard = peer.questions();
    assert_eq!(entry.sent.requests, heard.len());
    assert_eq!(
        entry.sent.bytes,
        heard.iter().map(String::len).sum::<usize>()
    );
    assert_eq!(entry.sent.messages, 1);
    let written = serde_json::to_string(&reply.receipt).unwrap();
    assert_eq!(written.matches("\"handover\"").count(), 1, "{written}");
    let read: reckon::Receipt = serde_json::from_str(&written).unwrap();
    assert_eq!(
        read.handover.as_ref().map(|one| one.peers[0].sent),
        Some(entry.sent)
    );
    let shown = reply.receipt.to_string();
    assert!(shown.contains("bytes left this machine"), "{shown}");
}

#[test]
fn whatever_a_peer_does_the_local_answer_ships() {
    for (manner, word) in [
        (Manner::Slow, "in time"),
        (Manner::Html, "JSON"),
        (Manner::Broken, "JSON"),
        (Manner::Empty, "empty"),
        (Manner::Cut, ""),
        (Manner::Refuses, "500: no memory"),
        (Manner::Dead, ""),
    ] {
        let peer = Scripted::new(manner);
        let begin = Instant::now();
        let reply = ask(peers(&[&peer.url], true), None);
        assert!(begin.elapsed() < Duration::from_secs(15), "{manner:?}");
        assert_eq!(reply.text, LOCAL, "{manner:?}");
        assert_eq!(state(&reply), Some(MarkState::Doubtful), "{manner:?}");
        let [entry] = handover(&reply).peers.as_slice() else {
            panic!("{manner:?}: {:?}", reply.receipt.handover);
        };
        assert_eq!(entry.outcome, PeerOutcome::Failed, "{manner:?}");
        let why = entry.reason.as_deref().unwrap_or_default();
        assert!(why.contains(word) && !why.is_empty(), "{manner:?}: {why}");
        assert!(!why.contains('\n'), "{why:?}");
        let is_asked = manner != Manner::Dead;
        assert_eq!(entry.sent.requests > 0, is_asked, "{manner:?}: {entry:?}");
        // Asked for by role the outcome is the same, and the answer is not doubted away.
        let reply = ask(peers(&[&peer.url], false), Some("premium"));
        assert_eq!(reply.text, LOCAL, "{manner:?}");
        assert_eq!(handover(&reply).peers[0].outcome, PeerOutcome::Failed);
    }
}

#[test]
fn nobody_there_means_that_nothing_left() {
    let reply = ask(peers(&[&nobody()], true), None);
    assert_eq!(reply.text, LOCAL);
    let entry = &handover(&reply).peers[0];
    assert_eq!((entry.outcome, entry.sent.bytes), (PeerOutcome::Failed, 0));
}

/// An address that was free a moment ago.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn without_a_hand_over_no_connection_is_opened() {
    let peer = Scripted::new(Manner::Right);
    let reply = ask(peers(&[&peer.url], false), None);
    assert_eq!(
        (reply.text.as_str(), state(&reply)),
        (LOCAL, Some(MarkState::Doubtful))
    );
    assert_eq!(reply.receipt.handover, None);
    // An answer that holds goes nowhere either.
    let (model, _) = scripted(1000, &[RIGHT, PROGRAM]);
    let mut chat = model.chat().guards(guards::all());
    chat = chat.with_peers(peers(&[&peer.url], true));
    let reply = chat.ask(QUESTION, |_| ()).expect("an answer");
    assert_eq!(state(&reply), Some(MarkState::Verified));
    assert_eq!((reply.receipt.handover, peer.connections()), (None, 0));
}

#[test]
fn one_that_fails_is_followed_by_one_other() {
    let (good, spare) = (Scripted::new(Manner::Right), Scripted::new(Manner::Right));
    let (away, gone) = (nobody(), nobody());
    let urls = [&away, &good.url, &spare.url].map(String::as_str);
    let reply = ask(peers(&urls, true), None);
    assert_eq!(reply.text, RIGHT);
    let outcomes: Vec<_> = handover(&reply)
        .peers
        .iter()
        .map(|one| one.outcome)
        .collect();
    assert_eq!(outcomes, [PeerOutcome::Failed, PeerOutcome::Used]);
    // Not by a third.
    let urls = [&away, &gone, &spare.url].map(String::as_str);
    let reply = ask(peers(&urls, true), None);
    assert_eq!(reply.text, LOCAL);
    let last = handover(&reply).peers.last().expect("three");
    assert_eq!(
        (last.outcome, spare.connections()),
        (PeerOutcome::Skipped, 0)
    );
}

#[test]
fn an_answer_that_is_doubtful_there_too_is_kept_in_the_receipt_only() {
    let peer = Scripted::new(Manner::Doubtful);
    let reply = ask(peers(&[&peer.url], true), None);
    assert_eq!(reply.text, LOCAL);
    let entry = &handover(&reply).peers[0];
    assert_eq!(entry.outcome, PeerOutcome::Kept);
    assert_eq!(entry.text.as_deref(), Some("There are 48 rolls left."));
    let mark = entry.mark.as_ref().expect("a mark of its own");
    assert_eq!(mark.state, MarkState::Doubtful);
    assert_eq!(handover(&reply).replaced, None);
}

#[test]
fn a_role_that_is_named_is_asked_first_and_this_machine_only_then() {
    let peer = Scripted::new(Manner::Doubtful);
    let (model, asked) = scripted(1000, &[LOCAL, PROGRAM]);
    let mut chat = model.chat().guards(guards::all());
    chat = chat.with_peers(peers(&[&peer.url], true));
    let before = chat.set_role(Some("premium".into()));
    let reply = chat.ask(QUESTION, |_| ()).expect("an answer");
    assert_eq!(before, None);
    assert_eq!(
        reply.text, "There are 48 rolls left.",
        "the person asked for it"
    );
    assert_eq!(
        state(&reply),
        Some(MarkState::Doubtful),
        "and sees what it is worth"
    );
    assert!(
        asked.lock().unwrap().is_empty(),
        "nobody asked this machine"
    );
    assert!(handover(&reply).why.contains("premium"));
}

#[test]
fn what_a_peer_could_not_be_held_to_stays_here() {
    let peer = Scripted::new(Manner::Right);
    let (model, _) = scripted(1000, &["{}"]);
    let mut chat = model.chat().with_peers(peers(&[&peer.url], true));
    chat = chat.schema(Schema::new(r#"{"type": "object"}"#).unwrap());
    chat.set_role(Some("premium".into()));
    let reply = chat.ask("anything", |_| ()).expect("an answer");
    let entry = &handover(&reply).peers[0];
    assert_eq!(
        (reply.text.as_str(), entry.outcome),
        ("{}", PeerOutcome::Skipped)
    );
    assert!(entry.reason.as_deref().unwrap().contains("schema"));
    assert_eq!(peer.connections(), 0);
}

#[test]
fn offline_only_this_machine_may_be_asked() {
    let table =
        |url: &str| format!("[peers.p]\nurl = \"{url}\"\nmodels = [\"m\"]\nrole = \"premium\"\n");
    let far = Peers::parse(&table("http://192.0.2.1/v1"), true, |_| None).expect("settings");
    let reply = ask(far, Some("premium"));
    let entry = &handover(&reply).peers[0];
    assert_eq!(
        (reply.text.as_str(), entry.outcome),
        (LOCAL, PeerOutcome::Skipped)
    );
    assert!(entry.reason.as_deref().unwrap().contains("offline"));
    let peer = Scripted::new(Manner::Right);
    let near = Peers::parse(&table(&peer.url), true, |_| None).expect("settings");
    assert_eq!(ask(near, Some("premium")).text, RIGHT);
    assert!(http::is_loopback(&peer.url));
}

#[test]
fn a_person_who_does_not_want_to_wait_keeps_the_local_answer() {
    let peer = Scripted::new(Manner::Slow);
    let (model, _) = scripted(1000, &[LOCAL, PROGRAM]);
    let mut chat = model.chat().guards(guards::all());
    chat = chat.with_peers(peers(&[&peer.url], true));
    let begin = Instant::now();
    let reply = chat.ask(QUESTION, |event| match event {
        Event::Checking("hand-over") => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let reply = reply.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.stopped), (LOCAL, false));
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "it was waited for"
    );
}

#[test]
fn a_key_comes_from_the_environment_and_goes_with_the_question() {
    let table = |url: &str| {
        format!(
            "[peers.p]\nurl = \"{url}\"\nmodels = [\"m\"]\nrole = \"premium\"\nkey_variable = \"P_KEY\"\n"
        )
    };
    let variable = |name: &str| (name == "P_KEY").then(|| "secret-of-mine".to_owned());
    let peer = Scripted::new(Manner::Right);
    let known = Peers::parse(&table(&peer.url), false, variable).expect("settings");
    assert!(!format!("{known:?}").contains("secret-of-mine"));
    let reply = ask(known, Some("premium"));
    assert_eq!(reply.text, RIGHT);
    let heard = peer.heard.lock().unwrap();
    let has_key = |(head, _): &(String, String)| {
        head.to_lowercase()
            .contains("authorization: bearer secret-of-mine")
    };
    assert!(heard.iter().all(has_key), "{heard:?}");
    assert!(
        !serde_json::to_string(&reply.receipt)
            .unwrap()
            .contains("secret-of-mine")
    );
    let unset = Peers::parse(&table(&peer.url), false, |_| None).expect("settings");
    let reply = ask(unset, Some("premium"));
    let why = handover(&reply).peers[0].reason.clone();
    assert_eq!(why.as_deref(), Some("P_KEY is not set"));
    // Set or not, it never goes to another machine in the clear.
    for set in [true, false] {
        let refused = Peers::parse(&table("http://192.0.2.1"), false, |name| {
            variable(name).filter(|_| set)
        });
        let error = refused.expect_err("in the clear");
        assert!(error.to_string().contains("only over https"), "{error}");
    }
}

#[test]
fn settings_that_make_no_sense_are_one_line() {
    let good = "url = \"http://localhost:1/v1\"\nmodels = [\"m\"]\nrole = \"premium\"\n";
    for (text, word) in [
        ("[peers.p", "line 1"),
        ("[peers.p]\nurl = 1", "line 2"),
        ("[peers.p]\nurl = \"http://localhost\"", "models"),
        (&format!("[peers.p]\n{good}speeed = 1"), "speeed"),
        (&format!("[peers.p]\n{good}speed = nan"), "at least 0"),
        (&format!("[peers.p]\n{good}timeout = 0"), "timeout"),
        (&format!("[peers.p]\n{good}timeout = 1e9"), "timeout"),
        (&format!("[peers.\"a\\nb\"]\n{good}"), "a name has"),
        (
            &format!("[peers.p]\n{}", good.replace("premium", "a b")),
            "a role has",
        ),
        (
            &format!("[peers.p]\n{}", good.replace("\"m\"", "")),
            "models names none",
        ),
        (
            &format!("[peers.p]\n{}", good.replace("http://", "ftp://")),
            "http",
        ),
        (
            &format!("[peers.p]\n{good}[handover]\ndoubtful = \"best\""),
            "\"best\"",
        ),
        ("[handover]\nwhen = \"always\"", "when"),
        (
            &format!("[peers.p]\n{good}[handover]\nroute = \"m\""),
            "no role",
        ),
        (
            &format!("[peers.p]\n{good}[handover.routes]\npremium = \"x\""),
            "names no model",
        ),
        (
            &format!("[peers.p]\n{good}[handover]\nroute = \"m\"\nroutes.best = \"x\""),
            "\"best\"",
        ),
        (
            &format!("[peers.p]\n{good}[handover]\nroute = \"m\"\nroutes.premium = \" \""),
            "one line",
        ),
        (
            &format!(
                "[peers.p]\n{}[handover]\nroute = \"m\"\nroutes.here = \"x\"",
                good.replace("premium", "here")
            ),
            "this machine",
        ),
    ] {
        let error = Peers::parse(text, false, |_| None).expect_err(text);
        let said = error.to_string();
        assert!(matches!(error, Error::Settings(_)), "{text}: {said}");
        assert!(
            said.contains(word) && !said.contains('\n'),
            "{text}: {said}"
        );
    }
    let many: String = (0..33).map(|at| format!("[peers.p{at}]\n{good}")).collect();
    assert!(Peers::parse(&many, false, |_| None).is_err());
    assert!(
        Peers::parse("[other]\nx = 1", false, |_| None)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_survey_tells_what_a_server_says_of_itself() {
    let peer = Scripted::new(Manner::Right);
    let known = peers(&[&peer.url, &nobody()], false);
    let surveys: Vec<_> = known.iter().map(reckon::Peer::survey).collect();
    assert_eq!(
        (&surveys[0].down, &*surveys[0].models),
        (&None, &["large".to_owned()][..])
    );
    assert!(surveys[0].ms.is_some() && surveys[0].digests.is_empty());
    assert!(surveys[1].down.is_some() && surveys[1].models.is_empty());
    assert!(peer.questions().is_empty(), "nothing of anybody's was sent");
}

/// Says a word, and keeps what it was asked.
struct Router {
    says: &'static str,
    asked: Arc<Mutex<Vec<Ask>>>,
}

impl TextModel for Router {
    fn count(&self, _: &[Message]) -> reckon::assistant::Result<usize> {
        Ok(0)
    }

    fn generate(
        &mut self,
        ask: &Ask,
        on_event: &mut OnEvent<'_>,
    ) -> reckon::assistant::Result<Generation> {
        self.asked.lock().unwrap().push(ask.clone());
        if self.says == "fails" {
            return Err(reckon::assistant::Error::Ended);
        }
        let is_over = on_event(reckon::engine::Event::Text(self.says)).is_break();
        Ok(Generation {
            text: self.says.to_owned(),
            finish: if is_over {
                Finish::Cancelled
            } else {
                Finish::Stop
            },
            ..Generation::default()
        })
    }
}

/// A question about anything, with a router that says this; the reply, what the router was asked, and how often the peer.
fn routed(says: &'static str, schema: Option<Schema>) -> (Reply, Vec<Ask>, usize) {
    let peer = Scripted::new(Manner::Right);
    let text = format!(
        "[peers.p]\nurl = \"{}\"\nmodels = [\"large\"]\nrole = \"premium\"\n\
         [handover]\nroute = \"router\"\nroutes.premium = \"mathematics\"\n",
        peer.url
    );
    let known = Peers::parse(&text, false, |_| None).expect("settings");
    assert_eq!(known.router(), Some("router"));
    let asked: Arc<Mutex<Vec<Ask>>> = Arc::default();
    let kept = asked.clone();
    let info = ModelInfo {
        name: "router".into(),
        ..ModelInfo::default()
    };
    let router = Model::custom(info, move || Router {
        says,
        asked: kept.clone(),
    });
    let (model, _) = scripted(1000, &["{}"]);
    let mut chat = model.chat().schema(schema);
    chat = chat.with_peers(known.routed_by(router));
    let long = "x".repeat(9000) + " What is left?";
    let reply = chat.ask(&long, |_| ()).expect("an answer");
    let asked = asked.lock().unwrap().clone();
    (reply, asked, peer.connections())
}

#[test]
fn a_small_model_may_choose_among_the_roles_and_nothing_else() {
    let (reply, asked, _) = routed("Yes", None);
    assert_eq!(reply.text, RIGHT);
    let handed = handover(&reply);
    assert_eq!(
        handed.why,
        "router chose the role premium: about mathematics"
    );
    assert_eq!(handed.peers[0].outcome, PeerOutcome::Used);
    let [ask] = asked.as_slice() else {
        panic!("once: {asked:?}");
    };
    assert_eq!((ask.max_tokens, ask.sampling.temperature), (Some(1), 0.0));
    let shown = &ask.messages[0].content;
    let end = " What is left?\n\nIs this question about mathematics? Answer yes or no.";
    assert!(shown.ends_with(end), "{shown}");
    assert!(shown.len() < 2500, "the end of a long question");
}

#[test]
fn whatever_the_router_does_this_machine_answers() {
    for says in ["no", "fails", "", "yess", "premium"] {
        let (reply, _, connections) = routed(says, None);
        assert_eq!((reply.text.as_str(), connections), ("{}", 0), "{says}");
        assert_eq!(reply.receipt.handover, None, "{says}");
    }
    // What must stay here is not even shown to it.
    let schema = Schema::new(r#"{"type": "object"}"#).unwrap();
    let (reply, asked, connections) = routed("yes", Some(schema));
    assert_eq!((reply.receipt.handover, connections), (None, 0));
    assert!(asked.is_empty());
}
