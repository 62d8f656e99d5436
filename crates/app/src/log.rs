//! `reckon log`: conversations of the terminal and the page, found by words, shown, exported.
use crate::{Context, Failure, cli::LogArgs, exit, printable, serve};
use reckon_store::{ConversationId, Filter, Message, Owner, Role, Store};
use serde_json::json;
use std::io::{self, Write};

/// Runs `reckon log`.
pub(crate) fn run(args: &LogArgs, context: &Context) -> anyhow::Result<()> {
    let store = Store::open(serve::database(context))?;
    let owner = Owner::local();
    let mut out = io::stdout().lock();
    if let Some(id) = &args.export {
        let exported = store.export(&owner, &find(&store, &owner, id)?)?;
        return Ok(writeln!(out, "{exported}")?);
    }
    if let Some(id) = &args.show {
        let thread = store.conversation(&owner, &find(&store, &owner, id)?)?;
        if args.json {
            return Ok(writeln!(out, "{}", serde_json::to_string(&thread)?)?);
        }
        return thread
            .messages
            .iter()
            .try_for_each(|message| show(message, &mut out));
    }
    let words = args.words.join(" ");
    let filter = Filter {
        query: (!words.is_empty()).then_some(words),
        limit: args.limit,
        ..Filter::default()
    };
    let found = store.list(&owner, &filter)?;
    if args.json {
        return Ok(writeln!(out, "{}", json!({ "conversations": found }))?);
    }
    if found.is_empty() {
        exit::notice("nothing is kept that fits");
    }
    for one in found {
        let title = printable::one_line(&one.title);
        writeln!(out, "{}  {title}", &one.id.as_str()[..8])?;
        if let Some(snippet) = one.snippet {
            let plain = snippet.replace(['\u{1}', '\u{2}'], "");
            writeln!(out, "          {}", printable::one_line(&plain))?;
        }
    }
    Ok(())
}

/// A conversation by the beginning of its id, as the list shows it.
fn find(store: &Store, owner: &Owner, begin: &str) -> anyhow::Result<ConversationId> {
    let filter = Filter {
        limit: u32::MAX,
        ..Filter::default()
    };
    let mut found = store.list(owner, &filter)?.into_iter().map(|one| one.id);
    let mut fits = found.by_ref().filter(|id| id.as_str().starts_with(begin));
    match (fits.next(), fits.next()) {
        (Some(id), None) => Ok(id),
        (Some(_), Some(_)) => Err(Failure::usage(format!("{begin} begins several ids")).into()),
        (None, _) => {
            let what = format!("there is no conversation {begin}");
            Err(Failure::usage(what).hint("`reckon log` lists them").into())
        }
    }
}

fn show(message: &Message, out: &mut impl Write) -> anyhow::Result<()> {
    let who = match message.role {
        Role::User => ">",
        Role::Assistant => "",
    };
    for line in message.content.lines() {
        writeln!(
            out,
            "{}",
            printable::clean(format!("{who} {line}").trim_start())
        )?;
    }
    if let Some(text) = message.mark.as_ref().and_then(|mark| mark["text"].as_str()) {
        writeln!(out, "[{}]", printable::one_line(text))?;
    }
    Ok(writeln!(out)?)
}
