//! `reckon models alias`: other names for models, in a file that the server reads.
use crate::{Context, Failure};
use reckon_server::{ALIASES, aliases};
use std::io::Write;

/// Shows, sets or forgets.
pub(super) fn run(
    alias: Option<&str>,
    name: Option<&str>,
    remove: bool,
    context: &Context,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let home = &context.store.home;
    let mut known = aliases(home);
    let Some(alias) = alias else {
        for (alias, name) in &known {
            writeln!(out, "{alias} = {name}")?;
        }
        return Ok(());
    };
    match name {
        None if remove => {
            if known.remove(alias).is_none() {
                return Err(Failure::usage(format!("there is no alias {alias}")).into());
            }
        }
        None => {
            let found = known.get(alias);
            let found =
                found.ok_or_else(|| Failure::usage(format!("there is no alias {alias}")))?;
            return Ok(writeln!(out, "{found}")?);
        }
        Some(name) => {
            // Of the catalogue, fetched or not; a name that means nothing is refused now.
            if context.store.catalogue.entry(name).is_none() {
                context.store.resolve(name)?;
            }
            known.insert(alias.to_owned(), name.to_owned());
        }
    }
    let text = toml::to_string(&known)?;
    std::fs::create_dir_all(home)?;
    reckon::models::write_atomically(&home.join(ALIASES), text.as_bytes())?;
    Ok(())
}
