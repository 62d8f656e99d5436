//! `reckon lab report --from-judgments`: FastChat's figures and ours of its judgments, as a table or as JSON.
//!
//! `lab judge` ends with the same table.
use crate::{Failure, printable::clean};
use reckon_lab::{
    Question,
    fastchat::{Figures, Judgment, Standing, figures, read_judgments, standings},
    mt_bench, read_questions,
};
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    io::{self, Write},
    path::Path,
};

/// Prints what the judgments of a file come to.
pub(crate) fn run(file: &Path, questions: Option<&Path>, json: bool) -> anyhow::Result<()> {
    let rows = read_judgments(file)?;
    if rows.is_empty() {
        let shown = file.display();
        return Err(Failure::input(format!("{shown} has no judgment in it")).into());
    }
    let report = match questions {
        Some(path) => JudgmentReport::of(&rows, &read_questions(path)?),
        None => JudgmentReport::new(&rows),
    };
    let mut out = io::stdout().lock();
    match json {
        true => writeln!(out, "{}", report.json()?)?,
        false => write!(out, "{}", report.table())?,
    }
    Ok(())
}

/// The figures of a file of judgments.
pub(crate) struct JudgmentReport {
    singles: Vec<Figures>,
    /// As FastChat counts, and each turn once.
    pairs: [Vec<Standing>; 2],
    /// Pair rows that a judge did not decide.
    undecided: usize,
}

impl JudgmentReport {
    /// With the categories of MT-Bench.
    fn new(rows: &[Judgment]) -> Self {
        Self::with(rows, &|id| mt_bench::category(id).map(str::to_owned))
    }

    /// With the categories of these questions.
    pub(crate) fn of(rows: &[Judgment], questions: &[Question]) -> Self {
        let categories: HashMap<&str, &Option<String>> = questions
            .iter()
            .map(|one| (one.id.as_str(), &one.category))
            .collect();
        Self::with(rows, &|id| categories.get(id).copied().cloned().flatten())
    }

    fn with(rows: &[Judgment], category: &dyn Fn(&str) -> Option<String>) -> Self {
        let undecided = |row: &&Judgment| match row {
            Judgment::Pair(row) => row.winner().is_none(),
            Judgment::Single(_) => false,
        };
        Self {
            singles: figures(rows, category),
            pairs: [standings(rows, false), standings(rows, true)],
            undecided: rows.iter().filter(undecided).count(),
        }
    }

    fn json(&self) -> anyhow::Result<Value> {
        let mut models = Vec::new();
        for one in &self.singles {
            models.push(serde_json::to_value(one)?);
        }
        let [all, once] = &self.pairs;
        for one in all {
            let mut fields = match serde_json::to_value(one)? {
                Value::Object(fields) => fields,
                _ => Map::new(),
            };
            let once = once.iter().find(|other| other.model == one.model);
            fields.insert("deduplicated".into(), json!(once));
            models.push(Value::Object(fields));
        }
        let mut object = json!({ "models": models });
        if !all.is_empty() {
            object["undecided"] = json!(self.undecided);
        }
        Ok(object)
    }

    /// For people.
    pub(crate) fn table(&self) -> String {
        let mut out = String::new();
        if !self.singles.is_empty() {
            out += &self.scores();
        }
        if !self.pairs[0].is_empty() {
            out += &self.standings();
        }
        out
    }

    fn scores(&self) -> String {
        let width = width(self.singles.iter().map(|one| one.model.as_str()));
        let mut out = format!(
            "{:<width$}    first   second  average     n     once     n\n",
            "model"
        );
        for one in &self.singles {
            let (all, once) = (&one.score, &one.deduplicated);
            out += &format!(
                "{:<width$}  {}  {}  {}  {:>4}  {}  {:>4}{}{}\n",
                name(&one.model),
                mean(all.first),
                mean(all.second),
                mean(all.average),
                all.n,
                mean(once.average),
                once.n,
                match one.failed {
                    0 => String::new(),
                    n => format!("  {n} without a score"),
                },
                match one.noise {
                    None => String::new(),
                    Some(noise) => format!("  judge's noise {noise:.2}"),
                },
            );
        }
        out
    }

    fn standings(&self) -> String {
        let [all, once] = &self.pairs;
        let width = width(all.iter().map(|one| one.model.as_str()));
        let mut out = format!(
            "{:<width$}   win  loss   tie  win rate  ties half   once\n",
            "model"
        );
        for one in all {
            let once = once.iter().find(|other| other.model == one.model);
            out += &format!(
                "{:<width$}  {:>4}  {:>4}  {:>4}  {:>7.1} %  {:>7.1} %  {:>5.1} %\n",
                name(&one.model),
                one.win,
                one.loss,
                one.tie,
                100.0 * one.win_rate,
                100.0 * one.win_rate_adjusted,
                100.0 * once.map_or(0.0, |once| once.win_rate_adjusted),
            );
        }
        if self.undecided > 0 {
            out += &format!("{} rows without a verdict are left out\n", self.undecided);
        }
        out
    }
}

fn mean(value: Option<f64>) -> String {
    match value {
        Some(value) => format!("{value:>7.3}"),
        None => format!("{:>7}", "-"),
    }
}

/// Longest name that is shown.
const LONGEST: usize = 40;

/// A name as a terminal may show it: it comes from a file.
fn name(model: &str) -> String {
    clean(model).chars().take(LONGEST).collect()
}

fn width<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    names
        .map(|one| name(one).chars().count())
        .fold(5, usize::max)
}
