//! A tape in, FastChat's `model_answer` files beside it out: `T.jsonl` gives `T.fastchat/<model>-raw.jsonl` and
//! `-guarded.jsonl`, made anew from the whole tape at the end of each run.
use crate::{Failure, replace::replace};
use reckon_lab::fastchat::{Answers, answer_file};
use std::{
    collections::BTreeMap,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// Writes both systems' answers; `model` is what the tape's model is called.
pub(crate) fn write(tape: &Path, model: &str) -> anyhow::Result<()> {
    let mut rows = reckon_lab::read_tape(tape)?;
    rows.sort_by(|a, b| (&a.id, a.turn).cmp(&(&b.id, b.turn)));
    let directory = tape.with_extension("fastchat");
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", directory.display()))
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0.0, |time| time.as_secs_f64());
    // A name of a model elsewhere may have slashes in it.
    let safe = model.replace(['/', '\\', ':'], "-");
    for (system, guarded) in [("raw", false), ("guarded", true)] {
        let mut turns: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in &rows {
            let text = if guarded { &row.text } else { &row.raw };
            turns.entry(row.id.clone()).or_default().push(text.clone());
        }
        let model = format!("{safe}-{system}");
        let path = directory.join(format!("{model}.jsonl"));
        let file = answer_file(&Answers { model, turns }, now)?;
        replace(&path, &file).map_err(failed)?;
    }
    Ok(())
}
