//! A model elsewhere: an OpenAI-compatible server on loopback whose answers are a function of the request.
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

type Answer = dyn Fn(&Value) -> Value + Send + Sync;

/// A running server; ends with the test's process.
pub(crate) struct Elsewhere {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Answers with these first, whatever is asked.
    statuses: VecDeque<u16>,
    /// What was asked: head and body.
    asked: Vec<(String, Value)>,
}

impl Elsewhere {
    /// Answers after `delay` with what `answer` makes of the request's body.
    pub(crate) fn new(
        delay: Duration,
        answer: impl Fn(&Value) -> String + Send + Sync + 'static,
    ) -> Self {
        let message = move |body: &Value| json!({ "role": "assistant", "content": answer(body) });
        Self::with_messages(delay, message)
    }

    /// The same with whole messages, which may call tools.
    pub(crate) fn with_messages(
        delay: Duration,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let answer: Arc<Answer> = Arc::new(answer);
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, state) = (answer.clone(), shared.clone());
                // A client that goes away is part of the tests.
                thread::spawn(move || serve(&stream, delay, &*answer, &state));
            }
        });
        Self { url, state }
    }

    /// Answers with these statuses first.
    pub(crate) fn refuse(&self, statuses: &[u16]) {
        self.state.lock().unwrap().statuses.extend(statuses);
    }

    /// Heads and bodies of the requests so far.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.state.lock().unwrap().asked.clone()
    }
}

/// The text of the last message.
pub(crate) fn last(body: &Value) -> &str {
    let messages = body["messages"].as_array().expect("messages");
    messages.last().expect("one")["content"].as_str().unwrap()
}

fn serve(stream: &TcpStream, delay: Duration, answer: &Answer, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (head, body) = request(&mut reader)?;
        if head.starts_with("GET") {
            // A server is asked about itself before it is asked a question.
            let said = json!({ "data": [] }).to_string();
            let length = said.len();
            let mut out = stream;
            write!(
                out,
                "HTTP/1.1 200 x\r\nContent-Length: {length}\r\n\r\n{said}"
            )
            .ok()?;
            continue;
        }
        let status = {
            let mut state = state.lock().unwrap();
            state.asked.push((head, body.clone()));
            state.statuses.pop_front()
        };
        thread::sleep(delay);
        let (status, said) = match status {
            Some(status) => (status, json!({ "error": { "message": "not today" } })),
            None => (200, completion(&answer(&body))),
        };
        let said = said.to_string();
        let head = format!(
            "HTTP/1.1 {status} x\r\nContent-Length: {}\r\n\r\n",
            said.len()
        );
        let mut out = stream;
        out.write_all(head.as_bytes()).ok()?;
        out.write_all(said.as_bytes()).ok()?;
    }
}

fn completion(message: &Value) -> Value {
    json!({
        "choices": [{ "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3 },
    })
}

fn request(reader: &mut BufReader<&TcpStream>) -> Option<(String, Value)> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if head.starts_with("GET") {
        return Some((head, Value::Null));
    }
    Some((head, serde_json::from_slice(&body).ok()?))
}
