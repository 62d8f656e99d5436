//! Models that are split into several files, as `llama-gguf-split` writes them.
//!
//! Called by `File::open`. Each part is a GGUF of its own, named `model-00001-of-00003.gguf`, with the keys `split.no`
//! (from 0), `split.count` and `split.tensors.count` (over all parts). The first part has the model's metadata.
//! Siblings are looked for beside the first part, by name; no part says where another is.
use crate::{Error, Metadata, Result};
use std::path::{Path, PathBuf};

/// Most parts. The largest published models have some dozens.
const MAX_PARTS: u32 = 1000;

/// What a part says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    number: u32,
    count: u32,
    n_tensors: Option<u64>,
}

impl Split {
    /// `None` for a whole file.
    pub(crate) fn read(metadata: &Metadata<'_>) -> Result<Option<Self>> {
        let count = metadata.opt_u32("split.count")?.unwrap_or(1);
        if count <= 1 {
            return Ok(None);
        }
        if count > MAX_PARTS {
            let problem = format!("{count} parts, {MAX_PARTS} allowed");
            return Err(Error::Split(problem));
        }
        Ok(Some(Self {
            number: metadata.u32("split.no")?,
            count,
            n_tensors: metadata.opt_u64("split.tensors.count")?,
        }))
    }

    /// The other parts of a model whose first part is at `path`.
    pub(crate) fn siblings(&self, path: &Path) -> Result<Vec<PathBuf>> {
        let count = self.count;
        if self.number != 0 {
            let number = self.number.saturating_add(1);
            let problem = format!("this is part {number} of {count}, open the first");
            return Err(Error::Split(problem));
        }
        let ending = |number: u32| format!("-{number:05}-of-{count:05}.gguf");
        let name = path.file_name().and_then(|name| name.to_str());
        let stem = name.and_then(|name| name.strip_suffix(&ending(1)));
        let Some(stem) = stem else {
            let problem = format!("its name should end with {}", ending(1));
            return Err(Error::Split(problem));
        };
        let sibling = |number| path.with_file_name(format!("{stem}{}", ending(number)));
        Ok((2..=count).map(sibling).collect())
    }

    /// Whether another part, `part` from 0, belongs to the same model.
    pub(crate) fn check(&self, part: usize, other: Option<Self>) -> Result<()> {
        let part = part as u32;
        let wanted = Self {
            number: part,
            ..*self
        };
        match other {
            Some(other) if other == wanted => Ok(()),
            Some(other) => Err(Error::Split(format!(
                "it says part {} of {}, not {} of {} of the same model",
                other.number.saturating_add(1),
                other.count,
                part + 1,
                self.count
            ))),
            None => Err(Error::Split("it is no part of a split model".into())),
        }
    }

    /// Whether all parts together have the tensors that they should.
    pub(crate) fn check_total(&self, n_tensors: usize) -> Result<()> {
        match self.n_tensors {
            Some(wanted) if wanted != n_tensors as u64 => {
                let problem = format!("{n_tensors} tensors in all parts, not {wanted}");
                Err(Error::Split(problem))
            }
            _ => Ok(()),
        }
    }
}
