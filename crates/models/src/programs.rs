//! Runs other programs of this machine (pip, z3) so that the place where we were started cannot change what they do.
//!
//! People run `reckon` in directories that they downloaded. Python takes modules from the working directory, the search
//! path may have `.` in it, and variables like `PYTHONPATH` or `LD_PRELOAD`, set for something else, name code to load.
//! So a program is found in absolute directories only, gets the few variables of [`PASSED`], and starts in an empty
//! directory of its own that goes away with it. [`Programs::run`] is the only place that starts one.
use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// What a program may know of the environment: where it finds others, its own settings and the way to the network.
///
/// Of pip's own variables only those that say where packages come from: others name an interpreter, a list of
/// requirements or a target. Our own secrets (`HF_TOKEN`, API keys) are not among them.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "PYENV_ROOT",
    "PYENV_VERSION",
    // The network.
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "NETRC",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    // Where pip's packages come from.
    "PIP_CONFIG_FILE",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_NO_INDEX",
    "PIP_FIND_LINKS",
    "PIP_TRUSTED_HOST",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_PROXY",
    "PIP_TIMEOUT",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_KEYRING_PROVIDER",
    "PIP_USE_FEATURE",
    "PIP_USE_DEPRECATED",
    // Without these programs do not start on Windows.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "TEMP",
];

/// Bytes of what a program printed that are kept: the last ones, where the reason stands.
const KEPT: u64 = 64 << 10;

/// Finds and runs the machine's own programs.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    environment: Vec<(&'static str, OsString)>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// The end of what it printed.
    pub stdout: String,
    /// The end of what it complained about.
    pub stderr: String,
}

impl Programs {
    /// Takes from the environment what programs may have.
    pub fn from_env(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut environment = Vec::new();
        for &name in PASSED {
            let Some(value) = lookup(name).filter(|value| !value.is_empty()) else {
                continue;
            };
            let value = match name {
                "PATH" => absolute_directories(&value),
                _ => value,
            };
            // A search path of no directories would mean the working directory.
            if !value.is_empty() {
                environment.push((name, value));
            }
        }
        Self { environment }
    }

    /// The program of this name in the absolute directories of `PATH`; a name that is an absolute path is that file.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        if path.is_absolute() {
            return is_program(path).then(|| path.to_owned());
        }
        if name.contains(['/', '\\']) {
            return None;
        }
        let search = self.environment.iter().find(|(name, _)| *name == "PATH")?;
        env::split_paths(&search.1)
            .map(|directory| directory.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
            .find(|path| is_program(path))
    }

    /// Runs a program to its end, or kills it after `limit`. Its temporary files go below `scratch`, where that is given.
    pub fn run(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        scratch: Option<&Path>,
        limit: Duration,
    ) -> io::Result<Ended> {
        let empty = tempfile::tempdir()?;
        // Files instead of pipes: what a grandchild keeps open cannot make us wait.
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        // Relative to where we are, not to where it starts.
        let mut command = Command::new(std::path::absolute(program)?);
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(empty.path())
            .stdin(Stdio::null())
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?);
        if let Some(scratch) = scratch {
            let scratch = std::path::absolute(scratch)?;
            command.envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, &scratch)));
        }
        let mut child = command.spawn()?;
        let deadline = Instant::now() + limit;
        let mut nap = Duration::from_millis(1);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if Instant::now() >= deadline {
                // It may have ended just now; then there is nothing to kill.
                let _ = child.kill();
                child.wait()?;
                return Err(io::ErrorKind::TimedOut.into());
            }
            thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(50));
        };
        Ok(Ended {
            status,
            stdout: tail(&mut stdout)?,
            stderr: tail(&mut stderr)?,
        })
    }
}

/// The entries of a search path that mean the same wherever we are; an empty one means the working directory.
fn absolute_directories(search: &OsStr) -> OsString {
    let absolute = env::split_paths(search).filter(|directory| directory.is_absolute());
    // They came out of such a list, so they fit into one.
    env::join_paths(absolute).unwrap_or_default()
}

fn is_program(path: &Path) -> bool {
    let Ok(data) = fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        data.is_file() && data.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    data.is_file()
}

fn tail(file: &mut File) -> io::Result<String> {
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(KEPT)))?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
