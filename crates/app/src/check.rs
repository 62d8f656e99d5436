//! `reckon check`: a prompt and an answer in, the requirements of the prompt and a verdict on each out.
//!
//! `reckon::assistant::check` finds and verifies; this file reads, prints and counts. Rows of a JSONL file are read,
//! checked and printed one at a time, so a file may be of any length while each text is bounded by [`MOST`].
//! Spans are printed in characters, because most languages count a string in them.
use crate::{
    Failure,
    cli::check::CheckArgs,
    input::{self, Rows},
    printable::clean,
};
use reckon::assistant::check::{self, Compliance, Requirement};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};

/// The longest prompt and the longest answer in bytes.
const MOST: usize = 1 << 20;
/// The longest row: both texts with every character escaped, and a little more.
const MOST_ROW: usize = 14 * MOST;

/// Runs `reckon check`.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let tally = match (&args.jsonl, &args.prompt, &args.response) {
        (Some(rows), ..) => check_rows(Rows::open(rows, MOST_ROW)?, &mut out)?,
        (None, Some(prompt), Some(response)) => {
            let prompt = input::text(prompt, MOST)?;
            let response = input::text(response, MOST)?;
            let checked = Checked::new(&prompt, &response);
            if args.json {
                writeln!(out, "{}", json!({ "constraints": checked.to_json() }))?;
            } else {
                checked.print(&mut out)?;
            }
            checked.tally()
        }
        _ => return Err(Failure::usage("give --prompt and --response, or --jsonl").into()),
    };
    out.flush()?;
    if tally.failed == 0 {
        return Ok(());
    }
    let what = format!(
        "{} of {} requirements do not hold",
        tally.failed, tally.found
    );
    Err(Failure::failed(what).into())
}

/// How many requirements were found, and how many of them failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    found: usize,
    failed: usize,
}

/// The requirements of a prompt, each with what the answer is worth.
struct Checked<'a> {
    prompt: &'a str,
    found: Vec<(Requirement, check::Examined)>,
}

impl<'a> Checked<'a> {
    fn new(prompt: &'a str, response: &str) -> Self {
        let examined = |requirement: Requirement| {
            let finding = requirement.examine(response);
            (requirement, finding)
        };
        let found = check::find(prompt).into_iter().map(examined).collect();
        Self { prompt, found }
    }

    fn tally(&self) -> Tally {
        let failed =
            |(_, finding): &&(Requirement, check::Examined)| finding.verdict == Compliance::Fail;
        Tally {
            found: self.found.len(),
            failed: self.found.iter().filter(failed).count(),
        }
    }

    fn to_json(&self) -> Vec<Value> {
        let mut characters = Characters::new(self.prompt);
        let object = |(requirement, finding): &(Requirement, check::Examined)| {
            let span = &requirement.span;
            json!({
                "id": requirement.id,
                "span": [characters.before(span.start), characters.before(span.end)],
                "text": &self.prompt[span.clone()],
                "rule": requirement.describe(),
                "verdict": finding.verdict.name(),
                "evidence": finding.evidence,
            })
        };
        self.found.iter().map(object).collect()
    }

    /// One line a requirement: verdict, id, rule and evidence.
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for (requirement, finding) in &self.found {
            let (verdict, id, rule) = (
                finding.verdict.name(),
                &requirement.id,
                requirement.describe(),
            );
            let evidence = match finding.evidence.as_str() {
                "" => String::new(),
                evidence => format!("; {evidence}"),
            };
            let line = format!("{rule}{evidence}");
            let line = clean(&line).replace('\n', " ");
            writeln!(out, "{verdict:<8}{id:<46}{line}")?;
        }
        if self.found.is_empty() {
            writeln!(out, "no requirement found")?;
        }
        Ok(())
    }
}

/// Turns byte offsets into character offsets; cheap when they come in order.
struct Characters<'a> {
    text: &'a str,
    byte: usize,
    count: usize,
}

impl<'a> Characters<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            count: 0,
        }
    }

    /// Characters before this byte, which must begin one.
    fn before(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.count) = (0, 0);
        }
        self.count += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.count
    }
}

/// What a row must have and may have.
#[derive(Deserialize)]
struct Row {
    prompt: String,
    response: String,
    id: Option<Value>,
    key: Option<Value>,
}

/// Checks rows one at a time and prints one object for each, in order.
fn check_rows(rows: Rows, out: &mut impl Write) -> anyhow::Result<Tally> {
    let mut all = Tally::default();
    for input::Row { number, line } in rows {
        let line = line.map_err(|why| Failure::input(format!("row {number}: {why}")))?;
        let row = row(&line, number)?;
        let checked = Checked::new(&row.prompt, &row.response);
        let tally = checked.tally();
        all.found += tally.found;
        all.failed += tally.failed;
        let mut object = serde_json::Map::new();
        let names = [("id", row.id), ("key", row.key)];
        object.extend(
            names
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?))),
        );
        object.insert("constraints".into(), checked.to_json().into());
        writeln!(out, "{}", Value::Object(object))?;
    }
    Ok(all)
}

fn row(line: &[u8], number: usize) -> Result<Row, Failure> {
    let wrong = |error| {
        let failure = Failure::input(format!(
            "row {number} is not an object with `prompt` and `response`: {error}"
        ));
        failure.hint("one JSON object a line")
    };
    let row: Row = serde_json::from_slice(line).map_err(wrong)?;
    for (name, text) in [("prompt", &row.prompt), ("response", &row.response)] {
        if text.len() > MOST {
            return Err(Failure::input(format!(
                "the {name} of row {number} is longer than {MOST} bytes"
            )));
        }
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_printed_in_characters() {
        let prompt = "Süß: äöü. Answer in fewer than 5 words.";
        let checked = Checked::new(prompt, "one two");
        let json = checked.to_json();
        let span = json[0]["span"].as_array().unwrap();
        let (start, end) = (
            span[0].as_u64().unwrap() as usize,
            span[1].as_u64().unwrap() as usize,
        );
        let text: String = prompt.chars().skip(start).take(end - start).collect();
        assert_eq!(text, json[0]["text"].as_str().unwrap());
        assert_eq!(
            checked.tally(),
            Tally {
                found: 1,
                failed: 0
            }
        );
    }

    #[test]
    fn offsets_may_go_back() {
        let mut characters = Characters::new("aäb");
        let offsets = [0, 1, 3, 1, 4].map(|byte| characters.before(byte));
        assert_eq!(offsets, [0, 1, 2, 1, 3]);
    }

    #[test]
    fn a_row_that_never_ends_is_refused() {
        let endless = Rows::of(Box::new(io::BufReader::new(io::repeat(b'x'))), MOST_ROW);
        let refused = check_rows(endless, &mut Vec::new()).unwrap_err();
        assert_eq!(crate::Kind::of(&refused), crate::Kind::Input);
    }
}
