//! `reckon lab calibrate`: how often each mark is true.
use super::{print, recording};
use crate::{Context, Failure, cli::lab::CalibrateArgs};
use reckon_lab::calibrate::{Calibration, Share, calibrate};
use std::fmt::Write as _;

/// Runs `reckon lab calibrate`.
pub(crate) fn run(args: &CalibrateArgs, context: &Context) -> anyhow::Result<()> {
    let questions = recording::questions(args.questions.as_ref(), context)?;
    let mut rows = Vec::new();
    for tape in &args.tapes {
        rows.extend(recording::read(tape, &questions, context)?.rows);
    }
    if rows.is_empty() {
        return Err(Failure::input("no answers on these tapes").into());
    }
    let found = calibrate(&rows);
    print(&found, args.json, || text(&found))
}

fn text(found: &Calibration) -> String {
    let mut text = String::from("mark         right\n");
    for line in &found.marks {
        let _ = writeln!(text, "{:<12} {}", line.mark, shown(line.all));
        let kinds = line.kinds.iter().filter(|_| line.kinds.len() > 1);
        for (kind, share) in kinds {
            let _ = writeln!(text, "  {kind:<20} {}", shown(*share));
        }
    }
    let rows = [
        ("without guards", found.raw),
        ("shipped", found.shipped),
        ("wrong, not marked so", found.silent_wrong),
    ];
    for (name, share) in rows {
        let _ = writeln!(text, "{name:<22} {}", shown(share));
    }
    text
}

/// `18 of 19, 94.7 % (75.4–99.1)`
fn shown(share: Share) -> String {
    let unknown = match share.unknown {
        0 => String::new(),
        n => format!("; {n} not known"),
    };
    match share.share().zip(share.interval()) {
        None => format!("none{unknown}"),
        Some((part, (low, high))) => format!(
            "{} of {}, {:.1} % ({:.1}–{:.1}){unknown}",
            share.right,
            share.of,
            100.0 * part,
            100.0 * low,
            100.0 * high
        ),
    }
}
