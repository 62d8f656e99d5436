//! `reckon lab compare`: one tape or two in, what differs and what the difference is worth out.
use crate::{Failure, cli::lab::compare::CompareArgs};
use reckon_lab::{Paired, paired, read_lines};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

/// Runs `reckon lab compare`.
pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<()> {
    let rows = rows(&args.tape)?;
    let (pairs, guards) = match &args.other {
        None => (rows.iter().map(Pair::of_row).collect(), outcomes(&rows)),
        Some(other) => (joined(&rows, &self::rows(other)?), BTreeMap::new()),
    };
    if pairs.is_empty() {
        return Err(Failure::input("no answer to compare").into());
    }
    let same = pairs.iter().filter(|pair| pair.same).count();
    let scores: Vec<(f64, f64)> = pairs.iter().filter_map(|pair| pair.scores).collect();
    let found = paired(&scores);
    let mut out = io::stdout();
    if args.json {
        let scores = found.map(|found| {
            json!({
                "n": found.n,
                "first": found.first,
                "second": found.second,
                "difference": found.difference,
                "interval": [found.interval.0, found.interval.1],
                "wins": found.wins,
                "losses": found.losses,
            })
        });
        let object = json!({
            "answers": pairs.len(),
            "same_bytes": same,
            "scores": scores,
            "guards": guards,
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(
        out,
        "answers     {}, {same} of them the same bytes",
        pairs.len()
    )?;
    if let Some(found) = found {
        write!(out, "{}", table(&found, args.other.is_none()))?;
    }
    for (guard, counts) in guards {
        let counts: Vec<String> = counts
            .iter()
            .map(|(came, n)| format!("{came} {n}"))
            .collect();
        writeln!(out, "{guard:<11} {}", counts.join(", "))?;
    }
    Ok(())
}

fn rows(tape: &Path) -> anyhow::Result<Vec<Value>> {
    let lines = read_lines(tape)?;
    Ok(lines.into_iter().map(|line| line.value).collect())
}

/// Two answers to one question.
struct Pair {
    same: bool,
    scores: Option<(f64, f64)>,
}

impl Pair {
    /// What the model said, and what shipped.
    fn of_row(row: &Value) -> Self {
        Self {
            same: row.get("raw") == row.get("text"),
            scores: score(row, "raw_right").zip(score(row, "right")),
        }
    }
}

/// What shipped on two tapes, for the questions that both have.
fn joined(first: &[Value], second: &[Value]) -> Vec<Pair> {
    let id = |row: &Value| {
        let id = row.get("id")?.as_str()?.to_owned();
        Some((id, row.get("turn")?.as_u64()?))
    };
    let by_id: BTreeMap<(String, u64), &Value> = second
        .iter()
        .filter_map(|row| Some((id(row)?, row)))
        .collect();
    let pair = |row: &Value| {
        let other = by_id.get(&id(row)?)?;
        Some(Pair {
            same: row.get("text") == other.get("text"),
            scores: score(row, "right").zip(score(other, "right")),
        })
    };
    first.iter().filter_map(pair).collect()
}

fn score(row: &Value, name: &str) -> Option<f64> {
    row.get(name).and_then(Value::as_bool).map(f64::from)
}

/// How often each guard came to what.
fn outcomes(rows: &[Value]) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut guards: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for row in rows {
        let entries = row.pointer("/receipt/guards").and_then(Value::as_array);
        for entry in entries.into_iter().flatten() {
            let text = |name: &str| entry.get(name).and_then(Value::as_str);
            if let (Some(guard), Some(outcome)) = (text("guard"), text("outcome")) {
                let counts = guards.entry(guard.to_owned()).or_default();
                *counts.entry(outcome.to_owned()).or_default() += 1;
            }
        }
    }
    guards
}

fn table(found: &Paired, one_tape: bool) -> String {
    let percent = |value: f64| format!("{:.1} %", value * 100.0);
    let points = |value: f64| format!("{:+.1}", value * 100.0);
    let (low, high) = found.interval;
    let verdict = if low > 0.0 {
        "the second is better"
    } else if high < 0.0 {
        "the first is better"
    } else {
        "not distinguishable"
    };
    let (first, second) = if one_tape {
        ("raw", "guarded")
    } else {
        ("first", "second")
    };
    format!(
        "{first:<11} {} of {} right\n{second:<11} {}\n\
         difference  {} points, 95 % interval [{}, {}]: {verdict}\n\
         flips       {} better, {} worse\n",
        percent(found.first),
        found.n,
        percent(found.second),
        points(found.difference),
        points(low),
        points(high),
        found.wins,
        found.losses,
    )
}
