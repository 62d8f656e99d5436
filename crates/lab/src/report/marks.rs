//! What the marks of a tape are worth: how often each is true, and whether votes that agree mean an answer that is right.

use super::Recording;
use crate::calibrate::{Calibration, calibrate};
use serde::Serialize;

/// The marks of one tape.
#[derive(Clone, Debug, Serialize)]
pub struct Marks {
    /// The tape.
    pub name: String,
    /// What was counted.
    #[serde(flatten)]
    pub found: Calibration,
}

impl Marks {
    /// Nothing if no answer has a mark and is known to be right or wrong.
    pub(super) fn new(recording: &Recording) -> Option<Self> {
        let found = calibrate(&recording.rows);
        found.is_known().then(|| Self {
            name: recording.name.clone(),
            found,
        })
    }
}
