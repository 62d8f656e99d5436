//! Shows how far something long has come: a bar with rate and ETA on a terminal, a few plain lines elsewhere.
//!
//! Everything goes to stderr, so that what a command prints can be piped. A bar that is dropped clears itself.
use crate::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reckon::models::{Event, Work, size};
use std::io::{self, IsTerminal, Write};

/// Shows on stderr what happens in the store: sentences, and one bar at a time.
pub(crate) fn shown(context: &Context) -> impl FnMut(Event<'_>) {
    let mut stretch: Option<(Work, String, Progress)> = None;
    move |event| match event {
        Event::Note(sentence) => {
            stretch = None;
            // A sentence that cannot be shown is no reason to stop.
            let _ = writeln!(io::stderr(), "{sentence}");
        }
        Event::Progress {
            work,
            name,
            done,
            total,
        } => {
            let is_same = |(old, of, _): &(Work, String, Progress)| *old == work && of == name;
            if !stretch.as_ref().is_some_and(is_same) {
                // The old bar clears itself before the new one appears.
                drop(stretch.take());
                let bar = match work {
                    Work::Fetch => Progress::new(name, total, context),
                    Work::Check => Progress::brief(&format!("checking {name}"), total, context),
                };
                stretch = Some((work, name.to_owned(), bar));
            }
            if let Some((_, _, bar)) = &mut stretch {
                bar.set(done);
            }
        }
        _ => {}
    }
}

/// How far we are; dropped when done.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: Shown,
    done: u64,
    total: u64,
}

#[derive(Debug)]
enum Shown {
    Bar(ProgressBar),
    /// Says `label` and the next quarter that is not told yet.
    Lines {
        label: String,
        quarter: u64,
    },
    Nothing,
}

impl Progress {
    /// Begins to show `label` with `total` bytes to go.
    fn new(label: &str, total: u64, context: &Context) -> Self {
        let shown = if !context.progress {
            Shown::Nothing
        } else if io::stderr().is_terminal() {
            Shown::Bar(bar(label, total))
        } else {
            Shown::Lines {
                label: label.into(),
                quarter: 1,
            }
        };
        Self {
            shown,
            done: 0,
            total,
        }
    }

    /// Like `new` for work that is quick enough to stay silent where there is no terminal.
    pub(crate) fn brief(label: &str, total: u64, context: &Context) -> Self {
        let mut progress = Self::new(label, total, context);
        if matches!(progress.shown, Shown::Lines { .. }) {
            progress.shown = Shown::Nothing;
        }
        progress
    }

    /// `n` more bytes are done.
    pub(crate) fn advance(&mut self, n: u64) {
        self.set(self.done.saturating_add(n));
    }

    /// `done` bytes are done, also if it was more before.
    fn set(&mut self, done: u64) {
        self.done = done;
        match &mut self.shown {
            Shown::Bar(bar) => bar.set_position(done),
            Shown::Lines { label, quarter } if self.total > 0 => {
                let reached = done.saturating_mul(4) / self.total;
                if reached >= *quarter {
                    *quarter = reached + 1;
                    let (percent, total) = (reached.min(4) * 25, size(self.total));
                    // Progress that cannot be shown is no reason to stop.
                    let _ = writeln!(io::stderr(), "{label}: {percent} % of {total}");
                }
            }
            Shown::Lines { .. } | Shown::Nothing => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn bar(label: &str, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
    let style = ProgressStyle::with_template(
        "{prefix} [{wide_bar}] {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec}, {eta} left",
    );
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(label.to_owned());
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    bar
}
