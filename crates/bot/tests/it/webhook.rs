//! Updates that are brought: only with the secret, in any order, more than once, and stored before they are acknowledged.
use crate::scripted::Running;
use reckon_bot::Webhook;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// An address that was free a moment ago.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

fn start() -> (Running, SocketAddr, String) {
    let listen = free();
    let url = Some("https://ducks.example/hook".to_owned());
    let bot = Running::start(|config| config.webhook = Some(Webhook { listen, url }));
    bot.double
        .wait("setWebhook", |double| double.state().webhook.is_some());
    let webhook = bot.double.state().webhook.clone().unwrap();
    assert_eq!(webhook["url"], "https://ducks.example/hook");
    let secret = webhook["secret_token"].as_str().unwrap().to_owned();
    (bot, listen, secret)
}

/// Brings a body; the status of the answer.
fn bring(address: SocketAddr, secret: &str, body: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let head = format!(
        "POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Telegram-Bot-Api-Secret-Token: {secret}\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Whoever is refused need not be read to the end.
    drop(stream.write_all(body.as_bytes()));
    let mut answer = String::new();
    drop(stream.read_to_string(&mut answer));
    answer
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0)
}

#[test]
fn updates_are_brought_in_any_order_and_answered_once() {
    let (bot, address, secret) = start();
    for n in 0..10 {
        bot.double.tell(1 + n % 3, &format!("question {n}"));
    }
    let mut updates: Vec<Value> = bot.double.take_updates();
    updates.reverse();
    for update in updates.iter().chain(&updates[3..7]) {
        assert_eq!(bring(address, &secret, &update.to_string()), 200);
    }
    for (chat, count) in [(1, 4), (2, 3), (3, 3)] {
        bot.double.wait("answers", |double| {
            double
                .texts(chat)
                .iter()
                .filter(|text| text.starts_with("answer"))
                .count()
                == count
        });
    }
    assert_eq!(bot.double.calls("getUpdates").len(), 0);
}

#[test]
fn only_who_knows_the_secret_is_heard() {
    let (bot, address, secret) = start();
    bot.double.tell(1, "forged");
    let update = bot.double.take_updates()[0].to_string();
    assert_eq!(bring(address, "", &update), 401);
    assert_eq!(bring(address, &secret[1..], &update), 401);
    assert_eq!(bring(address, &"0".repeat(64), &update), 401);
    assert_eq!(
        bring(address, &secret, "no json"),
        200,
        "Telegram is not asked to bring it again"
    );
    assert_eq!(bring(address, &secret, &" ".repeat(2 << 20)), 400);
    bot.double.tell(1, "real");
    let update = bot.double.take_updates()[0].to_string();
    assert_eq!(bring(address, &secret, &update), 200);
    assert_eq!(
        bot.double.wait_said(1, 1),
        ["answer to: <real> turns:1 tags:"]
    );
}

#[test]
fn the_secret_survives_a_restart() {
    let (mut bot, _, secret) = start();
    bot.end().unwrap();
    bot.double.state().webhook = None;
    bot.restart();
    bot.double
        .wait("setWebhook", |double| double.state().webhook.is_some());
    let webhook = bot.double.state().webhook.clone().unwrap();
    assert_eq!(webhook["secret_token"], secret.as_str());
}
