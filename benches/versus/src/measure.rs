//! What is measured, and the table it ends in.

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

/// An engine with a model in it.
pub trait Engine {
    fn name(&self) -> String;
    /// Forgets everything.
    fn reset(&mut self) -> Result<()>;
    /// Reads `tokens` after what it holds and computes the logits of the last one.
    fn read(&mut self, tokens: &[u32]) -> Result<()>;
    /// Reads one token in each of `sequences` conversations that start empty, `steps` times; `None` if it cannot.
    fn batch(&mut self, sequences: usize, steps: usize) -> Result<Option<f64>>;
    /// Tokens that the model knows.
    fn vocabulary(&self) -> usize;
}

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    kind: Kind,
    tokens: usize,
    depth: usize,
    sequences: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Prefill,
    Decode,
}

impl Measurement {
    /// Positions of context that it needs.
    pub fn positions(&self, rounds: usize) -> usize {
        match self.kind {
            Kind::Prefill => self.depth + self.tokens,
            Kind::Decode => self.depth + self.tokens * self.sequences.max(rounds + 1),
        }
    }

    /// Tokens per second of one round. At a depth the context grows from round to round, alike for every engine.
    pub fn run(&self, engine: &mut dyn Engine, round: usize) -> Result<Option<f64>> {
        let ids = |n: usize| -> Vec<u32> {
            let size = engine.vocabulary() as u32;
            (0..n as u32)
                .map(|i| i.wrapping_mul(2_654_435_761) % size)
                .collect()
        };
        let (prefix, tokens) = (ids(self.depth), ids(self.tokens));
        if self.sequences > 1 {
            engine.reset()?;
            return engine.batch(self.sequences, self.tokens);
        }
        if round == 0 || self.depth == 0 {
            engine.reset()?;
            if self.depth > 0 {
                engine.read(&prefix)?;
            }
        }
        let start = Instant::now();
        match self.kind {
            Kind::Prefill => engine.read(&tokens)?,
            Kind::Decode => {
                for token in &tokens {
                    engine.read(&[*token])?;
                }
            }
        }
        Ok(Some(self.tokens as f64 / start.elapsed().as_secs_f64()))
    }
}

impl FromStr for Measurement {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, rest) = match text.split_at_checked(2) {
            Some(("pp", rest)) => (Kind::Prefill, rest),
            Some(("tg", rest)) => (Kind::Decode, rest),
            _ => anyhow::bail!("`{text}` starts with neither pp nor tg"),
        };
        let (rest, depth) = rest.split_once('@').unwrap_or((rest, "0"));
        let (tokens, sequences) = rest.split_once('x').unwrap_or((rest, "1"));
        let number = |s: &str| {
            s.parse::<usize>()
                .with_context(|| format!("`{s}` in `{text}` is not a number"))
        };
        let (tokens, depth, sequences) = (number(tokens)?, number(depth)?, number(sequences)?);
        ensure!(tokens > 0 && sequences > 0, "`{text}` measures nothing");
        ensure!(
            sequences == 1 || (kind == Kind::Decode && depth == 0),
            "`{text}`: several sequences only decode from the start"
        );
        Ok(Self {
            kind,
            tokens,
            depth,
            sequences,
        })
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.kind == Kind::Prefill {
            "pp"
        } else {
            "tg"
        };
        write!(f, "{kind}{}", self.tokens)?;
        if self.sequences > 1 {
            write!(f, "x{}", self.sequences)?;
        }
        if self.depth > 0 {
            write!(f, "@{}", self.depth)?;
        }
        Ok(())
    }
}

/// The speeds of all engines on one file.
#[derive(Debug, Serialize)]
pub struct Results {
    model: String,
    threads: usize,
    engines: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    measurement: String,
    /// Tokens per second: `[engine][round]`, empty if the engine cannot.
    speeds: Vec<Vec<f64>>,
}

impl Results {
    pub fn new(path: &Path, threads: usize, engines: &[Box<dyn Engine>]) -> Self {
        let model = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Self {
            model,
            threads,
            engines: engines.iter().map(|e| e.name()).collect(),
            rows: Vec::new(),
        }
    }

    pub fn add(&mut self, measurement: Measurement, engine: usize, speed: Option<f64>) {
        let name = measurement.to_string();
        if self.rows.last().is_none_or(|row| row.measurement != name) {
            self.rows.push(Row {
                measurement: name,
                speeds: vec![Vec::new(); self.engines.len()],
            });
        }
        let row = self.rows.last_mut().expect("a row was just added");
        row.speeds[engine].extend(speed);
    }
}

/// Median of some values.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, {} threads, median tokens/s (ratio of the first engine to it; range of the rounds)",
            self.model, self.threads
        )?;
        for row in &self.rows {
            let first = row.speeds.first().and_then(|s| median(s));
            write!(f, "{:<12}", row.measurement)?;
            for (name, speeds) in self.engines.iter().zip(&row.speeds) {
                let Some(value) = median(speeds) else {
                    write!(f, "  {name} -")?;
                    continue;
                };
                let ratio = first.map_or(0.0, |first| first / value);
                let (low, high) = speeds
                    .iter()
                    .fold((f64::MAX, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
                write!(f, "  {name} {value:.1} ({ratio:.2}x; {low:.1}-{high:.1})")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
