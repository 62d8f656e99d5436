//! `reckon guard scan`: a file or rows of a file through [`scan`], printed in order.
//!
//! `{fired:[{guard, span, …}], looked:[…], text}` a row. A row that is no object with a response is an error that
//! names its line; rows before it have been printed.
use super::{installed, load};
use crate::{
    Context, Failure,
    cli::guard::ScanArgs,
    input::{self, Rows},
};
use anyhow::Result;
use reckon::assistant::{
    Evidence,
    detect::Side,
    pack::Pack,
    scan::{Seen, scan},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    io::{self, Write},
    path::Path,
};

/// Longest text, and longest row.
const MOST: usize = 16 << 20;

/// A row of the file.
#[derive(Deserialize)]
struct ScanRow {
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
            let prompt = args.prompt.as_deref().map(|path| input::text(path, MOST));
            let texts = Texts {
                prompt: prompt.transpose()?.unwrap_or_default(),
                response: input::text(response, MOST)?,
            };
            print(None, &texts, &packs, args.json, &mut out)?;
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
    for input::Row { number, line } in Rows::open(file, MOST)? {
        let line = line.map_err(|why| Failure::input(format!("{name}, line {number}: {why}")))?;
        let row: ScanRow = serde_json::from_slice(&line).map_err(|error| {
            Failure::input(format!("{name}, line {number}: {error}"))
                .hint("a row is an object with `response` and, if there is one, `prompt`")
        })?;
        let texts = Texts {
            prompt: row.prompt.unwrap_or_default(),
            response: row.response,
        };
        print(row.id, &texts, packs, json, out)?;
    }
    Ok(())
}

/// What is scanned.
struct Texts {
    prompt: String,
    response: String,
}

impl Texts {
    /// What was seen, as JSON; spans count characters.
    fn seen(&self, one: &Seen) -> Value {
        let text = match one.finding.side {
            Side::Prompt => &self.prompt,
            Side::Response => &self.response,
        };
        let evidence = Evidence::new(one.finding.clone(), text);
        json!({
            "guard": one.guard,
            "span": evidence.span,
            "in": evidence.side,
            "kind": evidence.kind,
            "evidence": evidence.text,
            "acts": one.acts,
        })
    }
}

fn print(
    id: Option<Value>,
    texts: &Texts,
    packs: &[Pack],
    json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let found = scan(&texts.prompt, &texts.response, packs);
    if json {
        let mut row = Map::new();
        row.extend(id.map(|id| ("id".to_owned(), id)));
        let seen = |all: &[Seen]| all.iter().map(|one| texts.seen(one)).collect();
        row.insert("fired".to_owned(), seen(&found.fired));
        row.insert("looked".to_owned(), seen(&found.looked));
        row.insert("text".to_owned(), Value::String(found.text));
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
