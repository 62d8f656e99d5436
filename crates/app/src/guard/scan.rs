//! `reckon guard scan`: a file or rows of a file through [`scan`], printed in order.
//!
//! `{fired:[{guard, span, …}], looked:[…], text}` a row. A row that is no object with a response is an error that
//! names its line; rows before it have been printed.
use super::{installed, load, text_of};
use crate::{Context, Failure, cli::guard::ScanArgs};
use anyhow::Result;
use reckon_assistant::{
    pack::Pack,
    scan::{Scan, Seen, scan},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
};

/// Longest text, and longest row.
const MOST: u64 = 16 << 20;

/// A row of the file.
#[derive(Deserialize)]
struct Row {
    id: Option<Value>,
    #[serde(default)]
    prompt: Option<String>,
    // Datasets of transcripts call it so.
    #[serde(alias = "output")]
    response: String,
}

pub(super) fn run(args: &ScanArgs, context: &Context) -> Result<()> {
    let mut packs = installed(context)?;
    for path in &args.packs {
        packs.push(load(path)?);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    match (&args.jsonl, &args.response) {
        (Some(file), _) => rows(file, &packs, args.json, &mut out)?,
        (None, Some(response)) => {
            let prompt = match &args.prompt {
                Some(path) => text_of(path, MOST)?,
                None => String::new(),
            };
            let found = scan(&prompt, &text_of(response, MOST)?, &packs);
            print(None, &found, args.json, &mut out)?;
        }
        (None, None) => {
            return Err(Failure::usage("nothing to scan: give --response or --jsonl").into());
        }
    }
    out.flush()?;
    Ok(())
}

fn rows(file: &Path, packs: &[Pack], json: bool, out: &mut dyn Write) -> Result<()> {
    let name = file.display();
    let wrong =
        |error: &dyn std::fmt::Display| Failure::input(format!("cannot read {name}: {error}"));
    let mut input = BufReader::new(fs::File::open(file).map_err(|error| wrong(&error))?);
    let mut bytes = Vec::new();
    for line in 1_usize.. {
        bytes.clear();
        let read = input
            .by_ref()
            .take(MOST + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| wrong(&error))?;
        if read == 0 {
            break;
        }
        if bytes.len() as u64 > MOST {
            return Err(
                Failure::input(format!("{name}, line {line}: longer than {MOST} bytes")).into(),
            );
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let row: Row = serde_json::from_slice(&bytes).map_err(|error| {
            Failure::input(format!("{name}, line {line}: {error}"))
                .hint("a row is an object with `response` and, if there is one, `prompt`")
        })?;
        let found = scan(row.prompt.as_deref().unwrap_or(""), &row.response, packs);
        print(row.id, &found, json, out)?;
    }
    Ok(())
}

fn print(id: Option<Value>, found: &Scan, json: bool, out: &mut dyn Write) -> Result<()> {
    if json {
        let mut row = Map::new();
        row.extend(id.map(|id| ("id".to_owned(), id)));
        row.insert("fired".to_owned(), found.fired.iter().map(seen).collect());
        row.insert("looked".to_owned(), found.looked.iter().map(seen).collect());
        row.insert("text".to_owned(), Value::String(found.text.clone()));
        writeln!(out, "{}", Value::Object(row))?;
        return Ok(());
    }
    if let Some(id) = id {
        writeln!(out, "# {id}")?;
    }
    for one in &found.looked {
        writeln!(out, "looked {}: {:?}", one.guard, one.finding.evidence)?;
    }
    for one in &found.fired {
        let idle = if one.acts { "" } else { " (reported only)" };
        writeln!(
            out,
            "fired  {}{idle}: {:?}",
            one.guard, one.finding.evidence
        )?;
    }
    writeln!(out, "\n{}", found.text)?;
    Ok(())
}

fn seen(one: &Seen) -> Value {
    json!({
        "guard": one.guard, "span": [one.finding.span.start, one.finding.span.end], "in": one.finding.side.name(),
        "kind": one.finding.kind, "evidence": one.finding.evidence, "acts": one.acts,
    })
}
