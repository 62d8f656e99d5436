//! What was measured and on what: as a table of at most 80 columns, and as JSON.
//!
//! The JSON is flat, with one list of depths and one of batches; `depth`, `parallel`, `load_ms`, `prefill_tps` and
//! `decode_tps` say the first of them again for scripts that want one figure. Its names are a contract for who
//! compares machines and versions. Figures that could not be had are `null`, never guessed.
use serde::Serialize;
use std::{
    io::{self, Write},
    time::{SystemTime, UNIX_EPOCH},
};

/// Columns of a terminal that everybody has.
const WIDTH: usize = 80;

/// Everything that is printed and stored.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) version: &'static str,
    /// The commit that the program was built from, or `unknown`.
    pub(super) commit: &'static str,
    /// When it was measured, UTC.
    pub(super) date: String,
    pub(super) model: String,
    /// As it was checked; not known for files outside the store.
    pub(super) sha256: Option<String>,
    pub(super) architecture: String,
    pub(super) file_bytes: u64,
    pub(super) cpu: String,
    pub(super) isa: &'static str,
    pub(super) threads: usize,
    /// How keys and values were kept.
    pub(super) kv: &'static str,
    pub(super) prompt: usize,
    pub(super) generate: usize,
    pub(super) repeat: usize,
    /// The first depth, and the conversations at once that were asked for.
    pub(super) depth: usize,
    pub(super) parallel: usize,
    /// The median of the warm loads.
    pub(super) load_ms: f64,
    /// At the first depth.
    pub(super) prefill_tps: Figures,
    /// At the first depth, of all conversations together.
    pub(super) decode_tps: Figures,
    /// With the file out of the system's cache; `null` where it could not be thrown out.
    pub(super) load_cold_ms: Option<f64>,
    /// With the file in the system's cache.
    pub(super) load_warm_ms: Figures,
    /// From the beginning of a warm load to the first token of a prompt of `first_token_prompt` tokens.
    pub(super) first_token_ms: Figures,
    pub(super) first_token_prompt: usize,
    /// How fast the same threads can read memory.
    pub(super) limit_gb_per_s: f64,
    pub(super) depths: Vec<Depth>,
    pub(super) batches: Vec<Batch>,
    /// With one conversation, at the deepest.
    pub(super) peak_memory_bytes: Option<u64>,
}

/// Reading and writing behind so many tokens.
#[derive(Debug, Serialize)]
pub(super) struct Depth {
    depth: usize,
    prefill_tps: Figures,
    decode_tps: Figures,
    /// Weights, keys and values that one written token reads.
    bytes_per_token: usize,
    decode_gb_per_s: f64,
    /// Of the rate at which memory can be read.
    share_of_limit: f64,
}

impl Depth {
    pub(super) fn new(
        depth: usize,
        prefill: Vec<f64>,
        decode: Vec<f64>,
        bytes_per_token: usize,
        limit: f64,
    ) -> Self {
        let decode_tps = Figures::new(decode);
        let rate = decode_tps.median * bytes_per_token as f64;
        Self {
            depth,
            prefill_tps: Figures::new(prefill),
            decode_tps,
            bytes_per_token,
            decode_gb_per_s: rate / 1e9,
            share_of_limit: rate / limit.max(1.0),
        }
    }
}

/// So many conversations at once.
#[derive(Debug, Serialize)]
pub(super) struct Batch {
    sequences: usize,
    /// Tokens per second of all of them together, the median.
    total_tps: f64,
    all: Vec<f64>,
}

impl Batch {
    pub(super) fn new(sequences: usize, all: Vec<f64>) -> Self {
        let Figures { median, all } = Figures::new(all);
        Self {
            sequences,
            total_tps: median,
            all,
        }
    }
}

/// The same thing measured several times.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Figures {
    median: f64,
    all: Vec<f64>,
}

impl Figures {
    pub(super) fn new(all: Vec<f64>) -> Self {
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => 0.0,
            n if n % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        Self { median, all }
    }

    pub(super) fn median(&self) -> f64 {
        self.median
    }
}

impl Report {
    /// With the figures of the first depth said again at the top.
    pub(super) fn summed_up(mut self) -> Self {
        if let Some(first) = self.depths.first() {
            self.depth = first.depth;
            self.prefill_tps = first.prefill_tps.clone();
            self.decode_tps = first.decode_tps.clone();
        }
        let asked = self.batches.iter().find(|b| b.sequences == self.parallel);
        if let Some(batch) = asked.filter(|_| self.parallel > 1) {
            self.decode_tps = Figures::new(batch.all.clone());
        }
        self
    }

    /// A name that sorts by date and says what it is.
    pub(super) fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let model: String = self.model.chars().take(60).map(plain).collect();
        format!("{}-{model}.json", self.date.replace(':', ""))
    }

    /// The table.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let line = |name: &str, value: String| clipped(&format!("{name:<9} {value}"));
        let (isa, threads) = (self.isa, self.threads);
        writeln!(out, "{}", line("model", self.model.clone()))?;
        writeln!(
            out,
            "{}",
            line("cpu", format!("{isa}, {threads} threads, {}", self.cpu))
        )?;
        let (version, commit) = (self.version, self.commit);
        writeln!(
            out,
            "{}",
            line("reckon", format!("{version}, commit {commit}"))
        )?;
        writeln!(out, "{}", line("load", self.loads()))?;
        let first = format!(
            "{:.0} ms from the start to the first token of {}",
            self.first_token_ms.median, self.first_token_prompt
        );
        writeln!(out, "{}", line("start", first))?;
        let memory = match self.peak_memory_bytes {
            Some(bytes) => format!("{:.0} MB at most", bytes as f64 / 1e6),
            None => "unknown".into(),
        };
        let memory = format!("{memory}, read at {:.1} GB/s at best", self.limit_gb_per_s);
        writeln!(out, "{}", line("memory", memory))?;
        self.print_depths(out)?;
        self.print_batches(out)
    }

    fn loads(&self) -> String {
        let warm = self.load_warm_ms.median;
        match self.load_cold_ms {
            Some(cold) => format!("{warm:.0} ms warm, {cold:.0} ms cold"),
            None => format!("{warm:.0} ms warm; the system's cache could not be emptied"),
        }
    }

    /// Tokens per second.
    fn print_depths(&self, out: &mut impl Write) -> io::Result<()> {
        let (prompt, generate) = (self.prompt, self.generate);
        let read = format!("prefill {prompt}");
        let written = format!("decode {generate}");
        writeln!(
            out,
            "\n{:>9}  {read:>15}  {written:>15}  {:>9}  {:>8}",
            "depth", "GB/s", "of limit"
        )?;
        for depth in &self.depths {
            let figure = |figures: &Figures| match figures.all.is_empty() {
                true => "-".into(),
                false => format!("{:.1} tok/s", figures.median),
            };
            writeln!(
                out,
                "{:>9}  {:>15}  {:>15}  {:>9.1}  {:>6.0} %",
                depth.depth,
                figure(&depth.prefill_tps),
                figure(&depth.decode_tps),
                depth.decode_gb_per_s,
                100.0 * depth.share_of_limit
            )?;
        }
        Ok(())
    }

    fn print_batches(&self, out: &mut impl Write) -> io::Result<()> {
        if self.batches.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{:>9}  {:>15}", "at once", "decode in all")?;
        for batch in &self.batches {
            let total = format!("{:.1} tok/s", batch.total_tps);
            writeln!(out, "{:>9}  {total:>15}", batch.sequences)?;
        }
        Ok(())
    }
}

fn clipped(line: &str) -> String {
    line.chars().take(WIDTH).collect()
}

/// The time as `2026-11-15T10:57:27Z`.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date(since.map_or(0, |since| since.as_secs()))
}

/// Seconds since 1970 as a date. Years are counted from March, so that the day of a leap year comes last.
fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86400, seconds % 86400);
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let day = day - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(Figures::new(vec![3.0, 1.0, 2.0]).median, 2.0);
        assert_eq!(Figures::new(vec![4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(Figures::new(Vec::new()).median, 0.0);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, want) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(seconds), want);
        }
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let long = "x".repeat(200);
        let mut report = Report {
            model: long.clone(),
            cpu: long.clone(),
            prompt: 999_999,
            generate: 999_999,
            peak_memory_bytes: Some(u64::MAX),
            ..Report::default()
        };
        let many = || vec![123_456.7];
        report
            .depths
            .push(Depth::new(999_999, many(), many(), 1 << 40, 3e10));
        report.batches.push(Batch::new(64, many()));
        let mut table = Vec::new();
        report.print(&mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        assert!(table.lines().count() > 8, "{table}");
        for line in table.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        assert!(report.file_name().len() < 100);
    }
}
