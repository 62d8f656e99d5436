//! A server elsewhere: where a key goes, and what a failure is called.
use reckon::{Endpoint, EndpointOptions, Error, Model};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

fn options(key: bool) -> EndpointOptions {
    EndpointOptions {
        key: key.then(|| "secret".into()),
        connect: Duration::from_millis(500),
        backoff: Duration::from_millis(1),
        ..EndpointOptions::default()
    }
}

#[test]
fn a_key_goes_over_https_or_to_this_machine_only() {
    for url in [
        "http://localhost:1/v1",
        "http://LOCALHOST/v1",
        "http://127.0.0.1:8080",
        "http://127.8.8.8/v1",
        "http://[::1]:8080/v1",
    ] {
        assert!(Endpoint::new(url, "m", options(true)).is_ok(), "{url}");
    }
    for url in [
        "http://example.com/v1",
        "http://192.168.1.7:8000/v1",
        // Names that only begin like this machine.
        "http://localhost.example.com/v1",
        "http://127.0.0.1.example.com/v1",
        "http://127.example.com",
        "http://[::2]/v1",
    ] {
        let refused = Endpoint::new(url, "m", options(true));
        assert!(
            matches!(refused, Err(Error::KeyInClear { .. })),
            "{url}: {refused:?}"
        );
        assert!(
            Endpoint::new(url, "m", options(false)).is_ok(),
            "{url} without a key"
        );
    }
    for url in [
        "http://localhost@example.com/v1",
        "ftp://localhost",
        "localhost",
        "http://",
        "",
    ] {
        let refused = Endpoint::new(url, "m", options(true));
        assert!(
            matches!(refused, Err(Error::Address { .. })),
            "{url}: {refused:?}"
        );
    }
    let offline = EndpointOptions {
        offline: true,
        ..options(false)
    };
    let refused = Endpoint::new("http://example.com/v1", "m", offline);
    assert!(matches!(refused, Err(Error::Offline { .. })), "{refused:?}");
    let shown = format!(
        "{:?}",
        Endpoint::new("http://localhost", "m", options(true)).unwrap()
    );
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn a_server_that_is_not_there_is_an_error_of_the_network() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}");
    let model = Model::remote(Endpoint::new(&url, "m", options(false)).unwrap());
    let error = model.chat().ask("hi", |_| ()).expect_err("nobody there");
    assert!(matches!(error, Error::Remote { .. }), "{error}");
    assert!(
        !error.to_string().contains("cannot run this model"),
        "{error}"
    );
}

/// The head and the body of a request.
fn read(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

fn answer(mut stream: &TcpStream, text: &str) {
    let said = serde_json::json!({
        "choices": [{ "message": { "content": text }, "finish_reason": "stop" }]
    });
    let said = said.to_string();
    let length = said.len();
    write!(
        stream,
        "HTTP/1.1 200 x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{said}"
    )
    .unwrap();
}

#[test]
fn the_votes_of_a_jury_are_asked_for_at_the_same_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        // Nobody is answered before all have asked: one after the other would wait for ever.
        let streams: Vec<TcpStream> = (0..4).map(|_| listener.accept().unwrap().0).collect();
        let asked: Vec<_> = streams.iter().map(read).collect();
        for (stream, (_, body)) in streams.iter().zip(&asked) {
            // So long that the asker looks up in between.
            thread::sleep(Duration::from_millis(250));
            match body.contains("def solution") {
                true => answer(stream, "    pens = 4 * 3\n    return pens + 2 * 11\n```"),
                false => answer(stream, "Mia pays $34 in total."),
            }
        }
    });
    let model = Model::remote(Endpoint::new(&url, "m", options(false)).unwrap());
    let mut chat = model.chat().guards(reckon::guards::all());
    let question =
        "Mia buys 4 pens at $3 each and 2 books at $11 each. How much does she pay in total?";
    let reply = chat.ask(question, |_| ()).expect("an answer");
    server.join().unwrap();
    assert_eq!(reply.text, "Mia pays $34 in total.");
    let mut votes = reply.receipt.guards.iter().map(|entry| entry.votes.len());
    assert_eq!(
        votes.find(|votes| *votes > 0),
        Some(4),
        "all are waited for"
    );
}

#[test]
fn a_server_answers_behind_the_same_type() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let asked = read(&stream);
        answer(&stream, "Paris.");
        asked
    });
    let model = Model::remote(Endpoint::new(&url, "m", options(true)).unwrap());
    let reply = model
        .chat()
        .ask("Capital of France?", |_| ())
        .expect("an answer");
    let (head, body) = server.join().unwrap();
    assert!(head.contains("POST /v1/chat/completions"), "{head}");
    assert!(
        head.to_lowercase().contains("authorization: bearer secret"),
        "{head}"
    );
    assert!(body.contains("Capital of France?"), "{body}");
    assert_eq!(reply.text, "Paris.");
    let receipt = reply.receipt;
    assert_eq!(
        receipt.model.endpoint.as_deref(),
        Some(&*format!("{url}/v1/chat/completions"))
    );
    assert_eq!(receipt.sampler.top_k, None, "the server's own");
    assert!(matches!(model.tokenize("x"), Err(Error::Unsupported(_))));
}
