//! `reckon ask`: one question in, one answer out.
//!
//! The question is put together and checked before a model is loaded (`question`). The answer streams to stdout:
//! rendered for a terminal, as it is for a pipe; `--json` prints one object at the end (`report`). Everything else
//! goes to stderr. With `--schema` the answer is JSON that the schema allows, or the exit code is not 0 (`schema`).
//! Ctrl-C stops the answer; what there is of it is printed, and the exit code is 1.
mod question;
mod report;
mod schema;

use crate::{
    Context, Failure,
    assistant::Assistant,
    chat::{Output, Screen, Stop},
    cli::AskArgs,
    load::{self, Loaded},
    lock_check, models,
};
use question::question;
use reckon_assistant::{Ask, Reply};
use reckon_engine::{Finish, Message, Role};
use report::{Receipt, Report, Source};
use schema::Schema;
use std::{
    io::{self, IsTerminal, Read, Write},
    sync::mpsc,
    time::Duration,
};

/// How long standard input may stay silent before we say that we wait for it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs `reckon ask`.
pub(crate) fn run(args: &AskArgs, context: &Context) -> anyhow::Result<()> {
    let schema = args.schema.as_deref().map(Schema::read).transpose()?;
    let messages = messages(args)?;
    let stop = Stop::install()?;
    let asked = args.model.as_deref();
    let mut assistant = Assistant::new(args.raw, context)?;
    let mut loaded = load::load(&load::find(asked, context)?, asked, &args.machine, context)?
        .with_drafter(args.draft.as_deref())?;
    lock_check::tell(&loaded, &assistant.versions, context);
    let ask = Ask {
        messages,
        prefix: String::new(),
        shape: schema.as_ref().map(Schema::shape),
        sampling: load::sampling(loaded.model.sampling(), &args.sampling),
        max_tokens: args.max_tokens,
    };
    let mut out = io::stdout();
    let output = match schema {
        // JSON is for programs; nothing in it is markup.
        Some(_) => Output::Plain,
        None => Output::of_stdout(),
    };
    let screen = (!args.json).then(|| Screen::new(&mut out, output, true));
    let reply = assistant.reply(&mut loaded, &ask, screen, &stop)?;
    if args.json {
        let receipt = Receipt {
            schema: schema.as_ref().map(Schema::digest),
            ..receipt(&loaded, &ask, &reply, args, context)
        };
        let report = Report::new(&reply, loaded.time, receipt);
        writeln!(io::stdout(), "{}", serde_json::to_string(&report)?)?;
    }
    if reply.stopped {
        return Err(Failure::failed("stopped").into());
    }
    match reply.generation.finish {
        Finish::Stop => Ok(()),
        finish if schema.is_some() => Err(schema::cut(finish).into()),
        Finish::Context => {
            let n_ctx = loaded.model.n_ctx();
            let line = format!(
                "reckon: the answer is cut: the context of {n_ctx} tokens is full (hint: --ctx N)"
            );
            Ok(writeln!(io::stderr(), "{line}")?)
        }
        Finish::Length | Finish::Cancelled | Finish::Grammar => Ok(()),
    }
}

fn messages(args: &AskArgs) -> anyhow::Result<Vec<Message>> {
    let text = args.text.as_deref();
    let mut stdin = io::stdin();
    let wanted = text == Some("-") || !io::stdin().is_terminal();
    let piped = wanted.then_some(&mut stdin as &mut dyn Read);
    let waiting = wanted.then(notice);
    let user = question(text, &args.files, piped)?;
    drop(waiting);
    let say = |role, content: &str| Message {
        role,
        content: content.to_owned(),
    };
    let system = args.system.iter().map(|text| say(Role::System, text));
    Ok(system.chain([say(Role::User, &user)]).collect())
}

/// Says on stderr what the program waits for, unless what this gives is dropped soon.
fn notice() -> mpsc::Sender<()> {
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let line =
                "reckon: waiting for standard input to end (hint: < /dev/null if there is none)";
            // Nobody is left to tell when stderr is gone.
            let _ = writeln!(io::stderr(), "{line}");
        }
    });
    done
}

fn receipt<'a>(
    loaded: &'a Loaded,
    ask: &Ask,
    reply: &'a Reply,
    args: &'a AskArgs,
    context: &'a Context,
) -> Receipt<'a> {
    Receipt {
        model: Source {
            name: &loaded.name,
            path: &loaded.path,
            sha256: models::known_sha256(&loaded.path, context),
        },
        system: args.system.as_deref().or(loaded.model.default_system()),
        sampler: (&ask.sampling).into(),
        version: env!("CARGO_PKG_VERSION"),
        isa: loaded.model.isa().name(),
        kv: loaded.model.kv().name(),
        schema: None,
        raw: (!args.raw).then_some(reply.receipt.raw.as_str()),
        guards: &reply.receipt.guards,
    }
}
