//! Starts the threads of a bot and waits for its end.
use crate::answerer::Answerer;
use crate::api::{Api, Failure};
use crate::command::commands;
use crate::config::{Config, Stop, Webhook};
use crate::desk::{Desk, now};
use crate::error::{Error, Result};
use crate::outgoing::Outgoing;
use crate::wire::User;
use crate::{outbox, poll, queue, reception, webhook};
use reckon_store::Store;
use reckon_store::bot::Person;
use serde_json::{Value, json};
use std::fs::{File, TryLockError};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Connections that Telegram may make to a webhook at a time.
const CONNECTIONS: u32 = 8;
/// How often old rows are deleted.
const PRUNE: Duration = Duration::from_secs(3_600);
/// How long threads may take to end.
const FAREWELL: Duration = Duration::from_secs(6);

/// A bot.
#[derive(Debug)]
pub struct Bot;

impl Bot {
    /// Answers until `stop` is set, or the token is no longer good.
    ///
    /// What is under way then, or when the process is killed, goes on after the next start.
    pub fn run(config: Config, answerer: Arc<dyn Answerer>, stop: &Stop) -> Result<()> {
        let store = Store::open(&config.store)?;
        let _alone = lock(&config)?;
        let api = Api::new(&config.api_url, config.token.clone())?;
        let Some(me) = persist(&config, stop, || api.call::<User>("getMe", &json!({})))? else {
            return Ok(());
        };
        let bot = store.bot(&format!("telegram:{}", me.id))?;
        let listener = config.webhook.as_ref().map(bind).transpose()?;
        let secret = bot.secret()?;
        let prepared = persist(&config, stop, || {
            prepare(&api, answerer.as_ref(), config.webhook.as_ref(), &secret)
        })?;
        if prepared.is_none() {
            return Ok(());
        }
        config.log.say(&format!("answering as @{}", me.username));
        let desk = Arc::new(Desk::new((api, bot, me), config, answerer, stop.clone()));
        work(&desk, listener, secret);
        match desk.reason_to_end() {
            Some(failure) => Err(Error::Telegram(failure.to_string())),
            None => Ok(()),
        }
    }

    /// Asks Telegram whose token this is: the bot's name and its number.
    pub fn check(config: &Config) -> Result<(String, i64)> {
        let api = Api::new(&config.api_url, config.token.clone())?;
        let me = api.call::<User>("getMe", &json!({}));
        let me = me.map_err(|failure| Error::Telegram(failure.to_string()))?;
        Ok((me.username, me.id))
    }

    /// Lets the bot answer the stranger with this code, and has it tell them.
    ///
    /// Any process may do this; [`Store::pairings`], [`Store::people`] and [`Store::revoke_person`] are the rest.
    pub fn approve(store: &Store, code: &str) -> Result<Person> {
        let greeting = Outgoing::line("You are connected. /help says what I can do.");
        Ok(store.approve(code, Some(&greeting.to_json()))?)
    }
}

/// Keeps a second bot from the same store, for as long as the file is open.
fn lock(config: &Config) -> Result<File> {
    let mut path = config.store.clone().into_os_string();
    path.push("-bot");
    let settings =
        |error: std::io::Error| Error::Settings(format!("cannot lock the store: {error}"));
    let file = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .map_err(settings)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Running(config.store.display().to_string())),
        Err(TryLockError::Error(error)) => Err(settings(error)),
    }
}

fn bind(webhook: &Webhook) -> Result<TcpListener> {
    let address = webhook.listen;
    TcpListener::bind(address).map_err(|source| Error::Listen { address, source })
}

/// Tells Telegram the commands, and where to bring updates.
fn prepare(
    api: &Api,
    answerer: &dyn Answerer,
    webhook: Option<&Webhook>,
    secret: &str,
) -> std::result::Result<(), Failure> {
    let commands = commands(answerer)
        .into_iter()
        .map(|(command, description)| json!({ "command": command, "description": description }))
        .collect::<Vec<_>>();
    // The menu is a nicety, and servers for tests do not have it.
    drop(api.call::<Value>("setMyCommands", &json!({ "commands": commands })));
    let Some(webhook) = webhook else {
        let parameters = json!({ "drop_pending_updates": false });
        return match api.call::<Value>("deleteWebhook", &parameters) {
            // Nor do they have webhooks, and then there is none to delete.
            Ok(_) | Err(Failure::Refused { code: 400.., .. }) => Ok(()),
            Err(failure) => Err(failure),
        };
    };
    let own = format!("http://{}/", webhook.listen);
    let parameters = json!({
        "url": webhook.url.as_ref().unwrap_or(&own),
        "secret_token": secret,
        "allowed_updates": poll::KINDS,
        "max_connections": CONNECTIONS,
        "drop_pending_updates": false,
    });
    api.call::<Value>("setWebhook", &parameters).map(drop)
}

/// Calls until it is answered: a bot that starts with the machine may be earlier than the network.
/// `None` if the end came first.
fn persist<T>(
    config: &Config,
    stop: &Stop,
    call: impl Fn() -> std::result::Result<T, Failure>,
) -> Result<Option<T>> {
    let mut failures = 0;
    while !stop.is_set() {
        let pause = match call() {
            Ok(value) => return Ok(Some(value)),
            Err(failure @ Failure::Refused { .. }) => {
                return Err(Error::Telegram(failure.to_string()));
            }
            Err(Failure::FloodWait(seconds)) => Duration::from_secs(seconds),
            Err(failure) => {
                if failures == 0 {
                    config
                        .log
                        .say(&format!("telegram does not answer yet: {failure}"));
                }
                failures += 1;
                Duration::from_millis(100 << failures.min(8))
            }
        };
        let until = Instant::now() + pause;
        while !stop.is_set() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50).min(pause));
        }
    }
    Ok(None)
}

/// Runs the threads until the end.
fn work(desk: &Arc<Desk>, listener: Option<TcpListener>, secret: String) {
    let mut threads = vec![
        spawn(desk, "reception", |desk| reception::receive(desk)),
        spawn(desk, "queue", queue::dispatch),
        spawn(desk, "outbox", |desk| outbox::deliver(desk)),
    ];
    let polling = listener.is_none();
    threads.push(match listener {
        Some(listener) => spawn(desk, "webhook", move |desk| {
            webhook::listen(desk, listener, secret);
        }),
        None => spawn(desk, "poll", |desk| poll::poll(desk)),
    });
    let mut pruned: Option<Instant> = None;
    while !desk.ends() {
        if pruned.is_none_or(|at| at.elapsed() > PRUNE) {
            pruned = Some(Instant::now());
            if let Err(error) = desk.store.prune(now()) {
                desk.log(&format!("cannot delete what is old: {error}"));
            }
        }
        // A thread that is gone will not come back: better to end, and be started again, than to look alive.
        let works = |thread: &Thread| thread.as_ref().is_some_and(|thread| !thread.is_finished());
        // Whoever was told to end meanwhile has a reason.
        if !threads.iter().all(works) && !desk.ends() {
            desk.give_up(Failure::Unknown("a thread of the bot has ended".into()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    desk.bell.ring();
    // A call for updates may wait half a minute longer; what it brings is not acknowledged.
    if polling {
        threads.pop();
    }
    let until = Instant::now() + FAREWELL;
    let open = || threads.iter().flatten().any(|thread| !thread.is_finished());
    while open() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// `None` if the system has no more of them.
type Thread = Option<std::thread::JoinHandle<()>>;

fn spawn(desk: &Arc<Desk>, name: &str, body: impl FnOnce(&Arc<Desk>) + Send + 'static) -> Thread {
    let shared = desk.clone();
    let thread = std::thread::Builder::new().name(name.into());
    thread.spawn(move || body(&shared)).ok()
}
