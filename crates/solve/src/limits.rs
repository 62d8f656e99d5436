//! What a program may use, as numbers.
//!
//! Set by whoever starts a [`crate::Sandbox`]; the child gets them as its last argument and applies them to itself, the
//! parent enforces time and output a second time from outside.
use crate::Error;
use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// Bounds of one program; the defaults suit a model that calculates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of processor time; the system counts whole seconds.
    pub cpu: u64,
    /// Seconds on the clock, host calls left out.
    pub wall: u64,
    /// Bytes of memory beside what the interpreter itself needs.
    pub memory: u64,
    /// Bytes that may be printed; the value has the same bound.
    pub output: usize,
    /// Bytes of program text.
    pub program: usize,
    /// Calls inside calls.
    pub recursion: usize,
    /// Calls to the host.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu: 5,
            wall: 10,
            memory: 256 * MIB,
            output: 64 << 10,
            program: 1 << 20,
            recursion: 1000,
            calls: 1000,
        }
    }
}

impl Limits {
    /// The text of a program, if these bytes can be one.
    ///
    /// # Errors
    /// [`Error::Refused`] says what is wrong with them: too long, a NUL byte, not UTF-8.
    pub fn accept<'a>(&self, program: &'a [u8]) -> Result<&'a str, Error> {
        let refused = |why: String| Err(Error::Refused(why));
        if program.len() > self.program {
            let (bytes, most) = (program.len(), self.program);
            return refused(format!("a program of {bytes} bytes; the limit is {most}"));
        }
        let Ok(text) = std::str::from_utf8(program) else {
            return refused("a program that is not UTF-8".into());
        };
        if let Some(at) = text.find('\0') {
            return refused(format!("a program with a NUL byte at {at}"));
        }
        Ok(text)
    }

    pub(crate) fn too_slow(&self) -> String {
        format!("timeout: more than {} s of CPU", self.cpu)
    }

    pub(crate) fn too_long(&self) -> String {
        format!("timeout: more than {} s", self.wall)
    }

    pub(crate) fn too_big(&self) -> String {
        format!("memory: more than {} MiB", self.memory / MIB)
    }

    pub(crate) fn too_loud(&self) -> String {
        format!("output: more than {} KiB", self.output >> 10)
    }

    pub(crate) fn too_many_calls(&self) -> String {
        format!("host: more than {} calls", self.calls)
    }
}
