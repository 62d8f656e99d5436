//! Writes FastChat's `model_answer` files beside a tape: `T.jsonl` gives `T.fastchat/<model>-raw.jsonl` and
//! `-guarded.jsonl`, made anew from the whole tape at the end of each run.
use crate::Failure;
use reckon::models::write_atomically;
use reckon_lab::fastchat::{Answers, answer_file};
use std::path::Path;

/// Writes both systems' answers; `model` is what the tape's model is called.
pub(crate) fn write(tape: &Path, model: &str) -> anyhow::Result<()> {
    let rows = reckon_lab::read_tape(tape)?;
    let directory = tape.with_extension("fastchat");
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", directory.display()))
    };
    // A name of a model elsewhere may have slashes in it.
    let safe = model.replace(['/', '\\', ':'], "-");
    let systems = [
        Answers::of_tape(format!("{safe}-raw"), &rows, |row| &row.raw),
        Answers::of_tape(format!("{safe}-guarded"), &rows, |row| &row.text),
    ];
    for answers in systems {
        let path = directory.join(format!("{}.jsonl", answers.model));
        let file = answer_file(&answers, super::now())?;
        write_atomically(&path, &file).map_err(failed)?;
    }
    Ok(())
}
