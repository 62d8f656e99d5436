//! `reckon keys`: keys of the server, made, listed and revoked in the database.
use crate::{
    Context,
    cli::serve::{KeysArgs, KeysCommand},
    exit, serve,
};
use reckon_store::{Key, Limits, Store};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Runs `reckon keys`.
pub(crate) fn run(args: &KeysArgs, context: &Context) -> anyhow::Result<()> {
    let store = Store::open(serve::database(context))?;
    let mut out = io::stdout().lock();
    match &args.command {
        KeysCommand::Create {
            name,
            requests_per_minute,
            tokens_per_day,
            json,
        } => {
            let limits = Limits {
                requests_per_minute: *requests_per_minute,
                tokens_per_day: *tokens_per_day,
            };
            let (id, secret) = store.create_key(name, limits)?;
            if *json {
                let made = json!({ "id": id, "name": name, "key": secret });
                return Ok(writeln!(out, "{made}")?);
            }
            exit::notice("this key is shown only now; keep it");
            Ok(writeln!(out, "{secret}")?)
        }
        KeysCommand::List { json } => list(&store.list_keys()?, *json, &mut out),
        KeysCommand::Revoke { name, json } => {
            let key = store.revoke_key(name)?;
            match json {
                true => writeln!(out, "{}", shown(&key))?,
                false => writeln!(out, "{} is revoked", key.name)?,
            }
            Ok(())
        }
    }
}

fn shown(key: &Key) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "created": key.created,
        "used": key.used,
        "revoked": key.revoked,
        "requests_per_minute": key.limits.requests_per_minute,
        "tokens_per_day": key.limits.tokens_per_day,
    })
}

fn list(keys: &[Key], json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    if json {
        let all: Vec<Value> = keys.iter().map(shown).collect();
        return Ok(writeln!(out, "{}", json!({ "keys": all }))?);
    }
    if keys.is_empty() {
        exit::notice("there is no key; `reckon keys create NAME` makes one");
    }
    for key in keys {
        let state = match key.revoked {
            Some(_) => "revoked",
            None => "live",
        };
        writeln!(out, "{:<20} {}…  {state}", key.name, key.prefix)?;
    }
    Ok(())
}
