//! `reckon recipe`: what recipes there are, the text of one, and a new one to begin with.
use crate::{
    Context,
    cli::recipe::{RecipeArgs, RecipeCommand},
    exit,
    printable::{clean, one_line},
};
use reckon_recipe::{Collection, Entry, Found};
use serde_json::json;
use std::io::{self, Write};
use unicode_width::UnicodeWidthChar;

/// Columns of a line of the list.
const WIDTH: usize = 80;

/// Runs `reckon recipe`.
pub(crate) fn run(args: &RecipeArgs, context: &Context) -> anyhow::Result<()> {
    let collection = collection(context);
    let mut out = io::stdout().lock();
    match &args.command {
        RecipeCommand::List { json } => list(&collection.list(), *json, &mut out)?,
        RecipeCommand::Show { name } => {
            write!(out, "{}", clean(&find(name, &collection)?.text))?;
        }
        RecipeCommand::New { name } => {
            let path = collection.create(name)?;
            let shown = one_line(&path.display().to_string());
            writeln!(out, "{shown} is yours to change; reckon run {name} runs it")?;
        }
    }
    Ok(())
}

/// The recipes of the program and of this person.
pub(crate) fn collection(context: &Context) -> Collection {
    Collection::new(context.store.home.join("recipes"))
}

/// Finds a recipe; says so if it is used instead of a built-in one.
pub(crate) fn find(name: &str, collection: &Collection) -> reckon_recipe::Result<Found> {
    let found = collection.find(name)?;
    if let Some(path) = found.path.as_ref().filter(|_| found.shadows) {
        let path = path.display();
        exit::notice(&format!("{path} is used instead of the built-in {name}"));
    }
    Ok(found)
}

fn list(entries: &[Entry], json: bool, out: &mut impl Write) -> io::Result<()> {
    if json {
        let shown = entries.iter().map(|entry| {
            json!({
                "name": entry.name,
                "about": entry.about.as_ref().ok(),
                "error": entry.about.as_ref().err(),
                "path": entry.path,
            })
        });
        return writeln!(out, "{}", json!({ "recipes": shown.collect::<Vec<_>>() }));
    }
    let longest = entries.iter().map(|entry| entry.name.len()).max();
    let longest = longest.unwrap_or_default();
    for entry in entries {
        let about = match &entry.about {
            Ok(about) => about.clone(),
            Err(error) => format!("cannot be read: {error}"),
        };
        let about = cut(&one_line(&about), WIDTH - longest - 2);
        writeln!(out, "{:longest$}  {about}", entry.name)?;
    }
    Ok(())
}

/// At most so many columns of a line.
fn cut(line: &str, columns: usize) -> String {
    let width = |c: char| c.width().unwrap_or_default();
    if line.chars().map(width).sum::<usize>() <= columns {
        return line.to_owned();
    }
    let mut left = columns - 1;
    let kept = line.chars().take_while(|&c| {
        let fits = width(c) <= left;
        left = left.saturating_sub(width(c));
        fits
    });
    kept.chain(['…']).collect()
}
