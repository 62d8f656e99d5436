//! `reckon models alias`: other names for models, for `--model` and for clients of the server.
use crate::{Context, Failure};
use reckon::models::{ErrorKind, is_path};
use std::io::Write;

/// Shows, sets or forgets.
pub(super) fn run(
    alias: Option<&str>,
    name: Option<&str>,
    remove: bool,
    context: &Context,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let store = &context.store;
    let Some(alias) = alias else {
        for (alias, name) in store.aliases() {
            writeln!(out, "{alias} = {name}")?;
        }
        return Ok(());
    };
    let unknown = || {
        Failure::usage(format!("there is no alias {alias}"))
            .hint("`reckon models alias` shows them")
    };
    match name {
        None if remove => match store.set_alias(alias, None)? {
            true => Ok(()),
            false => Err(unknown().into()),
        },
        None => {
            let aliases = store.aliases();
            let found = aliases.get(alias).ok_or_else(unknown)?;
            Ok(writeln!(out, "{found}")?)
        }
        Some(name) => {
            store.set_alias(alias, Some(&meant(name, context)?))?;
            Ok(())
        }
    }
}

/// What the alias will stand for, fetched or not; a name that means nothing is refused now.
fn meant(name: &str, context: &Context) -> anyhow::Result<String> {
    let name = context.store.unaliased(name);
    match context.store.resolve(&name) {
        // It must mean the same file wherever it is used.
        Ok(path) if is_path(&name) => Ok(std::path::absolute(path)?.display().to_string()),
        Ok(_) => Ok(name),
        Err(error) if error.kind() == ErrorKind::NotFetched => Ok(name),
        Err(error) => Err(error.into()),
    }
}
