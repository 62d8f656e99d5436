//! `reckon bot`: the Telegram bot of `reckon-bot`, with this machine's model, guards and tools.
mod answerer;

use crate::{
    Context, Failure, assistant,
    cli::bot::{BotArgs, BotCommand, TelegramArgs, TokenArgs},
    exit, fleet, load, lock_check, memory, printable, serve,
};
use answerer::{BotAnswerer, Settings};
use anyhow::Context as _;
use reckon::models::http::is_loopback;
use reckon_bot::{Bot, Budget, Config, Log, Stop, Token, Unit, Webhook, systemd_unit};
use reckon_store::Store;
use serde_json::json;
use std::{
    env,
    io::{self, Write},
    sync::Arc,
};

/// Runs `reckon bot`.
pub(crate) fn run(args: &BotArgs, context: &Context) -> anyhow::Result<()> {
    match &args.command {
        BotCommand::Telegram(args) => telegram(args, context),
        BotCommand::Setup { token, arguments } => setup(token, arguments, context),
        BotCommand::Pending { json } => pending(*json, context),
        BotCommand::Approve { code } => {
            let person = Bot::approve(&store(context)?, code)?;
            let name = printable::one_line(&person.name);
            Ok(writeln!(io::stdout(), "{name} is answered from now on")?)
        }
        BotCommand::People { json } => people(*json, context),
        BotCommand::Revoke { account, erase } => revoke(*account, *erase, context),
    }
}

fn store(context: &Context) -> anyhow::Result<Store> {
    Ok(Store::open(serve::database(context))?)
}

fn config(args: &TokenArgs, context: &Context) -> anyhow::Result<Config> {
    let is_here = |url: &String| is_loopback(url);
    if context.store.offline && !args.api_url.as_ref().is_some_and(is_here) {
        return Err(Failure::usage("a bot needs the network, which is forbidden").into());
    }
    let variable = env::var(reckon_bot::TOKEN_VARIABLE).ok();
    let token = Token::find(args.token_file.as_deref(), variable)?;
    let mut config = Config::new(serve::database(context), token);
    if let Some(url) = &args.api_url {
        config.api_url.clone_from(url);
    }
    Ok(config)
}

fn telegram(args: &TelegramArgs, context: &Context) -> anyhow::Result<()> {
    let mut config = config(&args.token, context)?;
    config.webhook = args.webhook.map(|listen| Webhook {
        listen,
        url: args.webhook_url.clone(),
    });
    config.allow.clone_from(&args.allow);
    config.parallel = args.parallel;
    config.budget = Budget {
        answers: args.answers_per_day,
        tokens: args.tokens_per_day,
    };
    config.log = Log::new(exit::notice);
    let asked = args.model.as_deref();
    let guards = assistant::guards(false, context)?;
    let path = load::find(asked, context)?;
    let model = load::load_with_senses(&path, asked, None, &args.machine, context)?;
    lock_check::tell(&model, guards.versions(), context);
    let peers = fleet::peers(None, &args.machine, context)?;
    let settings = Settings {
        system: args.system.clone(),
        max_tokens: args.max_tokens,
        check: args.check.into(),
        memory: args.memory.then(|| store(context)).transpose()?,
        about_self: args
            .about_self
            .then(|| memory::about(&model, Some("Telegram"), &peers)),
    };
    let tools = assistant::toolboxes(context)?;
    let model = model.shared(args.parallel)?;
    let answerer = BotAnswerer::new(&model, guards, tools, peers, settings);
    let stop = Stop::default();
    let asked_to_end = stop.clone();
    ctrlc::set_handler(move || asked_to_end.stop()).context("cannot take over Ctrl-C")?;
    Ok(Bot::run(config, Arc::new(answerer), &stop)?)
}

fn setup(token: &TokenArgs, arguments: &[String], context: &Context) -> anyhow::Result<()> {
    let (name, _) = Bot::check(&config(token, context)?)?;
    exit::notice(&format!("the token is @{name}'s"));
    let Some(token_file) = &token.token_file else {
        return Err(Failure::usage("a service needs --token-file").into());
    };
    let unit = Unit {
        user: env::var("USER").unwrap_or_else(|_| "reckon".to_owned()),
        program: env::current_exe().context("where this program is cannot be found out")?,
        arguments: arguments.to_vec(),
        token_file: std::path::absolute(token_file)?,
        home: std::path::absolute(&context.store.home)?,
    };
    write!(io::stdout(), "{}", systemd_unit(&unit))?;
    exit::notice(
        "put this into /etc/systemd/system/reckon-bot.service, then: systemctl enable --now reckon-bot",
    );
    Ok(())
}

fn pending(as_json: bool, context: &Context) -> anyhow::Result<()> {
    let pairings = store(context)?.pairings()?;
    let mut out = io::stdout();
    if as_json {
        let rows = pairings.iter().map(|one| json!({ "code": one.code, "account": one.account, "name": one.name, "bot": one.bot }));
        return Ok(writeln!(
            out,
            "{}",
            json!({ "pending": rows.collect::<Vec<_>>() })
        )?);
    }
    if pairings.is_empty() {
        return Ok(writeln!(out, "nobody waits")?);
    }
    for one in pairings {
        let name = printable::one_line(&one.name);
        writeln!(out, "{}  {name} ({})", one.code, one.account)?;
    }
    Ok(())
}

fn people(as_json: bool, context: &Context) -> anyhow::Result<()> {
    let people = store(context)?.people()?;
    let mut out = io::stdout();
    if as_json {
        let rows = people
            .iter()
            .map(|one| json!({ "account": one.account, "name": one.name, "bot": one.bot }));
        return Ok(writeln!(
            out,
            "{}",
            json!({ "people": rows.collect::<Vec<_>>() })
        )?);
    }
    if people.is_empty() {
        return Ok(writeln!(out, "nobody is answered yet")?);
    }
    for one in people {
        writeln!(out, "{}  {}", one.account, printable::one_line(&one.name))?;
    }
    Ok(())
}

fn revoke(account: i64, erase: bool, context: &Context) -> anyhow::Result<()> {
    let store = store(context)?;
    let people = store.people()?;
    let mut found = people
        .iter()
        .filter(|one| one.account == account)
        .peekable();
    if found.peek().is_none() {
        return Err(
            Failure::input(format!("{account} is nobody who is answered"))
                .hint("reckon bot people shows them")
                .into(),
        );
    }
    for person in found {
        store.revoke_person(&person.id, erase)?;
    }
    Ok(writeln!(io::stdout(), "{account} is answered no longer")?)
}
