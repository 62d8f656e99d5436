//! What a job may use, as numbers.
//!
//! Set by whoever starts it; the child gets them as its last argument and applies them to itself, the parent enforces
//! time and sizes a second time from outside.
use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// Bounds of one job; the defaults suit a program that calculates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of processor time; the system counts whole seconds.
    pub cpu: u64,
    /// Seconds on the clock, the parent's answers left out.
    pub wall: u64,
    /// Bytes of memory beside what the process has when the job is prepared.
    pub memory: u64,
    /// Bytes of input.
    pub input: usize,
    /// Bytes that may be printed; the output has the same bound.
    pub output: usize,
    /// Questions to the parent.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu: 5,
            wall: 10,
            memory: 256 * MIB,
            input: 1 << 20,
            output: 64 << 10,
            calls: 1000,
        }
    }
}

impl Limits {
    /// Nothing hostile gets more than this, whatever was asked for: 15 seconds, and half a gigabyte together with what a
    /// prepared interpreter has already.
    pub(crate) fn clamped(&self) -> Self {
        Self {
            cpu: self.cpu.min(15),
            wall: self.wall.min(15),
            memory: self.memory.min(448 * MIB),
            ..*self
        }
    }

    pub(crate) fn too_slow(&self) -> String {
        format!("timeout: more than {} s of CPU", self.cpu)
    }

    pub(crate) fn too_long(&self) -> String {
        format!("timeout: more than {} s", self.wall)
    }

    /// The line about too much memory, for a job that notices it by itself.
    #[must_use]
    pub fn too_big(&self) -> String {
        format!("memory: more than {} MiB", self.memory / MIB)
    }

    pub(crate) fn too_loud(&self) -> String {
        format!("output: more than {} KiB", self.output >> 10)
    }

    pub(crate) fn too_many_calls(&self) -> String {
        format!("host: more than {} calls", self.calls)
    }
}
