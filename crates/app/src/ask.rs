//! `reckon ask`: one question in, one answer out.
//!
//! The question is put together and checked before a model is loaded (`question`). The answer streams to stdout:
//! rendered for a terminal, as it is for a pipe; `--json` prints one object at the end (`report`). Everything else
//! goes to stderr. With `--schema` the answer is JSON that the schema allows, or the exit code is not 0 (`schema`).
//! A question about attached documents is answered with quotations from them (`reckon::Documents`).
//! Ctrl-C stops the answer; what there is of it is printed, and the exit code is 1.
mod question;
mod report;
mod schema;

use crate::{
    Context, Failure, assistant,
    cli::AskArgs,
    exit, fleet,
    history::History,
    interrupt::Interrupt,
    load, lock_check, mark, memory,
    screen::{Output, Screen},
};
use question::{Asked, question};
use reckon::{AttachedFile, Chat, Documents, Finish, Prepared, Schema};
use report::Report;
use std::{
    io::{self, IsTerminal, Read, Write},
    sync::mpsc,
    time::Duration,
};

/// How long standard input may stay silent before we say that we wait for it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs `reckon ask`.
pub(crate) fn run(args: &AskArgs, context: &Context) -> anyhow::Result<()> {
    let schema = args.schema.as_deref().map(schema::read).transpose()?;
    let Asked { question, piped } = asked(args)?;
    // Before a password may be asked for: Ctrl-C then gives the terminal back as it was.
    let interrupt = Interrupt::install()?;
    let files = question::files(&args.files, piped)?;
    let mut chat = open(args, schema.clone(), &interrupt, context)?;
    let mut history = args.resume.then(|| History::open(context)).transpose()?;
    if let Some((_, said)) = history
        .as_mut()
        .map(|kept| kept.load(None))
        .transpose()?
        .flatten()
    {
        *chat.conversation_mut() = said;
    }
    if args.system.is_some() {
        chat.conversation_mut().system.clone_from(&args.system);
    }
    let given = memory::given(&chat, !args.no_memory, args.about_self, context);
    chat.set_given(given);
    let documents = read(&mut chat, &files)?;
    // JSON has no quotations, and the bare model and peers are asked as it is.
    let is_plain = args.raw || schema.is_some() || chat.is_elsewhere();
    let prepared = match is_plain || documents.is_empty() {
        true => None,
        false => Some(chat.prepare(&documents, &question)?),
    };
    let question = documents.before(&question);
    let mut out = io::stdout();
    let output = match schema {
        // JSON is for programs; nothing in it is markup.
        Some(_) => Output::Plain,
        None => Output::of_stdout(),
    };
    let screen = (!args.json).then(|| Screen::new(&mut out, output, true));
    let reply = match &prepared {
        Some(one) => assistant::reply_about(&mut chat, &documents, one, screen, &interrupt)?,
        None => assistant::reply(&mut chat, &question, screen, &interrupt)?,
    };
    if let Some(history) = &mut history
        && !reply.text.trim().is_empty()
    {
        let question = prepared.as_ref().map_or(question.as_str(), Prepared::kept);
        history.keep(question, args.system.as_deref(), &reply)?;
    }
    if let Some(mark) = reply.receipt.mark.as_ref().filter(|_| !args.json) {
        mark::print(mark, output)?;
    }
    if let Some(line) = fleet::told(&reply.receipt).filter(|_| !args.json) {
        exit::notice(&line);
    }
    if args.json {
        let report = Report::new(&reply, chat.info().load);
        writeln!(io::stdout(), "{}", serde_json::to_string(&report)?)?;
    }
    if reply.stopped {
        return Err(Failure::failed("stopped").into());
    }
    match reply.generation.finish {
        Finish::Stop => Ok(()),
        finish if schema.is_some() => Err(schema::cut(finish).into()),
        Finish::Context => {
            let n_ctx = chat.info().n_ctx.unwrap_or_default();
            exit::notice(&format!(
                "the answer is cut: the context of {n_ctx} tokens is full (hint: --ctx N)"
            ));
            Ok(())
        }
        Finish::Length | Finish::Cancelled | Finish::Grammar => Ok(()),
    }
}

/// Loads the model and sets up a conversation with it.
fn open(
    args: &AskArgs,
    schema: Option<Schema>,
    interrupt: &Interrupt,
    context: &Context,
) -> anyhow::Result<Chat> {
    let guards = assistant::guards(args.raw, context)?;
    let peers = fleet::peers(args.role.as_deref(), &args.machine, context)?;
    // Encoders take a while to load: without a file nobody needs them.
    let senses = !args.files.is_empty();
    let model = load::open(&args.model, senses, &args.machine, context)?;
    lock_check::tell(&model, guards.versions(), context);
    Ok(model
        .chat()
        .guards(guards)
        .tools(assistant::tools(context)?)
        .sampling(load::overrides(&args.sampling))
        .max_tokens(args.max_tokens)
        .check(args.check.into())
        .schema(schema)
        .with_peers(peers)
        .role(args.role.clone())
        .stop(interrupt.stop()))
}

/// Reads the files as the model is given them: pictures and sound go beside the question.
fn read(chat: &mut Chat, files: &[AttachedFile]) -> anyhow::Result<Documents> {
    let read = Documents::read(files, chat.model())?;
    for note in &read.notes {
        exit::notice(note);
    }
    chat.attach(read.media);
    Ok(read.documents)
}

/// The question: the argument and what was piped in.
fn asked(args: &AskArgs) -> anyhow::Result<Asked> {
    let text = args.text.as_deref();
    let mut stdin = io::stdin();
    let wanted = text == Some("-") || !io::stdin().is_terminal();
    let piped = wanted.then_some(&mut stdin as &mut dyn Read);
    let waiting = wanted.then(notice);
    let question = question(text, !args.files.is_empty(), piped)?;
    drop(waiting);
    Ok(question)
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
