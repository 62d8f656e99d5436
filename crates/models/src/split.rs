//! Models in several files, as llama.cpp splits them: `NAME-00001-of-00003.gguf` and so on, side by side.
//!
//! A person names the first part and means all of them. Here are only the names; reading the parts as one is the
//! loader's work.
use crate::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The files of a model: all parts if this is one part of several, else the file itself.
pub fn parts(path: &Path) -> Vec<PathBuf> {
    match Part::of(path) {
        Some(part) => (1..=part.count).map(|number| part.path(number)).collect(),
        None => vec![path.to_owned()],
    }
}

/// Whether the model can be loaded by this name: it is no later part, and no part is missing.
pub(crate) fn check(path: &Path) -> Result<()> {
    let Some(part) = Part::of(path) else {
        return Ok(());
    };
    let (number, count) = (part.number, part.count);
    if number != 1 {
        let what = format!("{} is part {number} of {count}", path.display());
        let hint = format!("name the first part: {}", part.path(1).display());
        return Err(Error::new(ErrorKind::NotFound, what).with_hint(hint));
    }
    let missing = (1..=count).find(|&number| !part.path(number).is_file());
    let Some(number) = missing else {
        return Ok(());
    };
    let missing = part.path(number);
    let what = format!("part {number} of {count} is missing: {}", missing.display());
    Err(Error::new(ErrorKind::NotFound, what).with_hint("all parts belong into one directory"))
}

/// The path of the first part, the number of this one and how many there are; nothing for a whole file.
pub(crate) fn position(path: &str) -> Option<(String, u32, u32)> {
    let path = Path::new(path);
    let part = Part::of(path)?;
    let first = part.path(1).to_str()?.to_owned();
    Some((first, part.number, part.count))
}

/// A name taken apart.
struct Part<'a> {
    path: &'a Path,
    name: &'a str,
    number: u32,
    count: u32,
}

impl<'a> Part<'a> {
    fn of(path: &'a Path) -> Option<Self> {
        let rest = path.file_name()?.to_str()?.strip_suffix(".gguf")?;
        let (rest, count) = rest.rsplit_once("-of-")?;
        let (name, number) = rest.rsplit_once('-')?;
        let number_of = |digits: &str| -> Option<u32> {
            let five = digits.len() == 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| five)
        };
        let (number, count) = (number_of(number)?, number_of(count)?);
        (1..=count).contains(&number).then_some(Self {
            path,
            name,
            number,
            count,
        })
    }

    fn path(&self, number: u32) -> PathBuf {
        let name = format!("{}-{number:05}-of-{:05}.gguf", self.name, self.count);
        self.path.with_file_name(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        let all = parts(Path::new("dir/m-of-x-00001-of-00002.gguf"));
        let names = [
            "dir/m-of-x-00001-of-00002.gguf",
            "dir/m-of-x-00002-of-00002.gguf",
        ];
        assert_eq!(all, names.map(PathBuf::from));
        for whole in [
            "m.gguf",
            "m-00001-of-00002",
            "m-1-of-2.gguf",
            "m-00003-of-00002.gguf",
            "m-00000-of-00002.gguf",
            "m-00000-of-00000.gguf",
            "m-+0001-of-00002.gguf",
            "-of-.gguf",
            "",
        ] {
            assert_eq!(parts(Path::new(whole)), [PathBuf::from(whole)]);
        }
    }
}
