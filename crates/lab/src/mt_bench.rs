//! What is known about MT-Bench that its own files do not say: which turns can be decided without a judge, and what is
//! right where the official reference answer is wrong.
//!
//! Called by the reader of question files, which gives each turn its checks, and by `lab judge` on its corrected track.
//! All of it is data, in `mt_bench/turns.toml`; its checks are read by `check.rs`, as those of any question file. A turn
//! is known by its id and by the SHA-256 of its words, so that nothing here ever applies to another question; the words
//! themselves are not here. How the checks were validated: docs/mt-bench.md.

use reckon::models::sha256_of;
use serde::Deserialize;
use serde_json::Value;
use std::{collections::HashMap, sync::LazyLock};

/// What a check of a turn settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decides {
    /// Whether the answer is right: no judge is needed.
    Answer,
    /// Whether it has the form that was asked for; how good it is remains a matter of judgment.
    Form,
}

/// What is known about one turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Known {
    id: String,
    turn: usize,
    sha256: String,
    /// What its check settles; nothing if it has none.
    pub decides: Option<Decides>,
    /// Its check, in the form of a task file.
    pub check: Option<Value>,
    /// A right reference answer, where the official one is wrong.
    pub reference: Option<String>,
}

/// What is known about a turn, counted from 1, whose words are `text`.
pub fn known(id: &str, turn: usize, text: &str) -> Option<&'static Known> {
    let found = TURNS.get(&(id.to_owned(), turn))?;
    (found.sha256 == sha256_of(text)).then_some(found)
}

/// All turns that something is known about.
pub fn all() -> impl Iterator<Item = &'static Known> {
    TURNS.values()
}

/// The category of an MT-Bench question, by its number.
pub fn category(id: &str) -> Option<&'static str> {
    Some(match id.parse().ok()? {
        81..=90 => "writing",
        91..=100 => "roleplay",
        101..=110 => "reasoning",
        111..=120 => "math",
        121..=130 => "coding",
        131..=140 => "extraction",
        141..=150 => "stem",
        151..=160 => "humanities",
        _ => return None,
    })
}

impl Known {
    /// The question and its turn, from 1.
    pub fn place(&self) -> (&str, usize) {
        (&self.id, self.turn)
    }
}

/// By question and turn.
static TURNS: LazyLock<HashMap<(String, usize), Known>> = LazyLock::new(|| {
    #[derive(Default, Deserialize)]
    struct Table {
        prelude: String,
        turn: Vec<Known>,
    }
    // The file is part of the program; that it parses is tested.
    let table: Table = toml::from_str(include_str!("mt_bench/turns.toml")).unwrap_or_default();
    let whole = |mut turn: Known| {
        if let Some(Value::String(program)) =
            turn.check.as_mut().and_then(|it| it.get_mut("program"))
        {
            *program = format!("{}\n{program}\nok\n", table.prelude);
        }
        ((turn.id.clone(), turn.turn), turn)
    };
    table.turn.into_iter().map(whole).collect()
});
