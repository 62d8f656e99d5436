//! Scores against the length of answers, for every tape and for what judges said of it.

use super::{Rated, Recording, TextsByTurn, checked, judged};
use crate::statistics::{EqualLength, Length, Scale, Score, ScorePair, equal_length, length};
use serde::Serialize;

/// The two systems of a tape.
#[derive(Clone, Debug, Serialize)]
pub struct Lengths {
    /// The tape.
    pub name: String,
    /// Right and wrong, or points of a judge.
    pub scale: Scale,
    /// Without guards.
    pub raw: Option<Length>,
    /// With them.
    pub guarded: Option<Length>,
    /// With them minus without, at equal length.
    pub equal: Option<EqualLength>,
    /// Length and score of each answer: raw ones, guarded ones.
    #[serde(skip)]
    pub(super) points: [Vec<(usize, f64)>; 2],
}

/// Fewer turns say nothing about length.
const LEAST: usize = 10;

/// Of all tapes: checked turns, and judged ones.
pub(super) fn all(recordings: &[Recording], judgments: &[Rated]) -> Vec<Lengths> {
    let mut found = Vec::new();
    for recording in recordings {
        let (raw, guarded) = checked::scores(&recording.rows);
        found.extend(lengths(recording, Scale::Share, &raw, &guarded));
        let [raw, guarded] = recording
            .systems()
            .map(|(name, texts)| judged_scores(judgments, &name, &texts));
        found.extend(lengths(recording, Scale::Points, &raw, &guarded));
    }
    found
}

fn lengths(
    recording: &Recording,
    scale: Scale,
    raw: &[Score],
    guarded: &[Score],
) -> Option<Lengths> {
    let pairs: Vec<ScorePair> = judged::pairs(raw, guarded);
    let found = Lengths {
        name: recording.name.clone(),
        scale,
        raw: length(raw),
        guarded: length(guarded),
        equal: equal_length(&pairs),
        points: [raw, guarded].map(|scores| {
            let points = scores
                .iter()
                .filter_map(|one| Some((one.length?, one.value)));
            points.collect()
        }),
    };
    let enough = raw.len() >= LEAST && (found.raw.is_some() || found.guarded.is_some());
    enough.then_some(found)
}

fn judged_scores(judgments: &[Rated], name: &str, texts: &TextsByTurn<'_>) -> Vec<Score> {
    let of = |one: &Rated| {
        let text = texts.get(&(&*one.question, one.turn))?;
        Some(Score {
            question: one.question.clone(),
            turn: one.turn,
            category: None,
            value: one.score,
            length: Some(text.chars().count()),
        })
    };
    let mine = judgments.iter().filter(|one| one.model == name);
    mine.filter_map(of).collect()
}
