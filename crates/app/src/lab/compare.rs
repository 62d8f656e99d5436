//! `reckon lab compare`: a tape in, raw against guarded with an interval out.
use crate::{Failure, cli::lab::CompareArgs};
use reckon_lab::{Paired, paired, read_lines};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{self, Write},
};

/// Runs `reckon lab compare`.
pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<()> {
    let rows: Vec<Value> = read_lines(&args.tape)?
        .into_iter()
        .map(|line| line.value)
        .collect();
    let right = |row: &Value, name: &str| row.get(name).and_then(Value::as_bool).map(f64::from);
    let pairs: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((right(row, "raw_right")?, right(row, "right")?)))
        .collect();
    let Some(found) = paired(&pairs) else {
        return Err(Failure::input("no row of this tape has a score").into());
    };
    let guards = outcomes(&rows);
    let mut out = io::stdout();
    if args.json {
        let object = json!({
            "n": found.n,
            "raw": found.first,
            "guarded": found.second,
            "difference": found.difference,
            "interval": [found.interval.0, found.interval.1],
            "wins": found.wins,
            "losses": found.losses,
            "guards": guards,
        });
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", table(&found, &guards))?;
    }
    Ok(())
}

/// How often each guard came to what.
fn outcomes(rows: &[Value]) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut guards: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for row in rows {
        let entries = row.get("guards").and_then(Value::as_array);
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

fn table(found: &Paired, guards: &BTreeMap<String, BTreeMap<String, usize>>) -> String {
    let percent = |value: f64| format!("{:.1} %", value * 100.0);
    let points = |value: f64| format!("{:+.1}", value * 100.0);
    let (low, high) = found.interval;
    let verdict = if low > 0.0 {
        "the guards help"
    } else if high < 0.0 {
        "the guards hurt"
    } else {
        "not distinguishable"
    };
    let mut text = format!(
        "questions   {}\nraw         {}\nguarded     {}\ndifference  {} points, 95 % interval [{}, {}]: {verdict}\n\
         flips       {} better, {} worse\n",
        found.n,
        percent(found.first),
        percent(found.second),
        points(found.difference),
        points(low),
        points(high),
        found.wins,
        found.losses,
    );
    for (guard, counts) in guards {
        let counts: Vec<String> = counts
            .iter()
            .map(|(came, n)| format!("{came} {n}"))
            .collect();
        text += &format!("{guard:<11} {}\n", counts.join(", "));
    }
    text
}
