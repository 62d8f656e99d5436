//! Runs a pack on its own examples: it must fire on the triggered ones and on no control.
use super::{Example, Pack, PackAction};

/// What the examples showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackReport {
    /// How many triggered examples there are.
    pub triggered: usize,
    /// How many controls there are.
    pub control: usize,
    /// What went wrong, triggered examples first.
    pub wrong: Vec<Wrong>,
}

/// An example that a pack does not stand up to; numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It does not fire on a triggered example.
    Missed(usize),
    /// What `strip` leaves of a triggered example is not the example's `text`.
    Left {
        /// Which example.
        example: usize,
        /// What was left, if it was cut at all.
        text: Option<String>,
    },
    /// It fires on a control.
    Fired {
        /// Which control.
        control: usize,
        /// On which words.
        evidence: String,
    },
}

impl PackReport {
    /// Whether the pack may be used.
    pub fn passed(&self) -> bool {
        self.wrong.is_empty()
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missed(example) => write!(f, "triggered example {example}: does not fire"),
            Self::Left {
                example,
                text: None,
            } => {
                write!(
                    f,
                    "triggered example {example}: fires, but nothing could be cut"
                )
            }
            Self::Left {
                example,
                text: Some(text),
            } => {
                write!(f, "triggered example {example}: leaves {text:?}")
            }
            Self::Fired { control, evidence } => {
                write!(f, "control {control}: fires on {evidence:?}")
            }
        }
    }
}

impl Pack {
    /// Runs the pack's examples.
    pub fn test(&self) -> PackReport {
        let triggered = self.triggered.iter().enumerate();
        let missed = triggered.filter_map(|(at, example)| self.miss(at + 1, example));
        let control = self.control.iter().enumerate();
        let fired = control.filter_map(|(at, example)| {
            let found = self.look(&example.prompt, &example.response)?;
            Some(Wrong::Fired {
                control: at + 1,
                evidence: found.evidence,
            })
        });
        PackReport {
            triggered: self.triggered.len(),
            control: self.control.len(),
            wrong: missed.chain(fired).collect(),
        }
    }

    fn miss(&self, number: usize, example: &Example) -> Option<Wrong> {
        if self.look(&example.prompt, &example.response).is_none() {
            return Some(Wrong::Missed(number));
        }
        if self.action != PackAction::Strip {
            return None;
        }
        let text = self.strip(&example.prompt, &example.response);
        let right = match (&text, &example.text) {
            (Some(left), Some(wanted)) => left == wanted,
            (Some(_), None) => true,
            (None, _) => false,
        };
        (!right).then_some(Wrong::Left {
            example: number,
            text,
        })
    }
}
