//! A place for one test: directories that go away, and the real binary.
pub(crate) use crate::samples::{bytes, catalogue, files, hub_entry, sha256};
use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::LazyLock,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// Directories of one test.
pub(crate) struct Place {
    pub(crate) root: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn hub_cache(&self) -> PathBuf {
        self.root.path().join("hf").join("hub")
    }

    /// Writes a file and gives its name, which is also its path from where the binary runs.
    pub(crate) fn write<'a>(&self, name: &'a str, content: &[u8]) -> &'a str {
        fs::write(self.root.path().join(name), content).unwrap();
        name
    }

    /// Makes the catalogue that the binary finds in its home.
    pub(crate) fn write_catalogue(&self, catalogue: &str) {
        fs::create_dir_all(self.home()).unwrap();
        fs::write(self.home().join("catalogue.json"), catalogue).unwrap();
    }

    /// Runs the binary with these arguments; no network but loopback, nothing of the person's own settings.
    pub(crate) fn reckon(&self, arguments: &[&str]) -> Ended {
        self.reckon_with(arguments, &[])
    }

    /// The same with more environment.
    pub(crate) fn reckon_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
        let output = self
            .command(arguments, environment)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ended::new(&output)
    }

    /// The same with something on standard input.
    pub(crate) fn piped(&self, arguments: &[&str], input: &[u8]) -> Ended {
        let mut command = self.command(arguments, &[]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // The program may refuse its arguments without reading this.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ended::new(&child.wait_with_output().unwrap())
    }

    /// Starts the binary, unheard.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments, &[]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.root.path())
            .env("RECKON_HOME", self.home())
            .env("HF_HOME", self.root.path().join("hf"))
            .env("HOME", self.root.path().join("user"))
            .env("OLLAMA_MODELS", self.root.path().join("ollama"))
            .env_remove("HF_HUB_CACHE")
            .env_remove("HF_TOKEN")
            .env_remove("HF_HUB_OFFLINE")
            .env_remove("RECKON_OFFLINE")
            .env_remove("RECKON_ISA")
            .env("HF_ENDPOINT", crate::server::nobody())
            .env("no_proxy", "127.0.0.1")
            .env("NO_PROXY", "127.0.0.1")
            .envs(environment.iter().copied());
        command
    }
}

/// The binary under test: what cargo has built, or `RECKON_TEST_BINARY`, a release or one for another processor.
pub(crate) fn binary() -> PathBuf {
    let other = std::env::var_os("RECKON_TEST_BINARY");
    other.map_or_else(|| env!("CARGO_BIN_EXE_reckon").into(), PathBuf::from)
}

/// Whether an emulator runs the binary under test, because it is for another processor: everything takes many times as long
/// then, and there is neither seccomp nor Landlock.
pub(crate) fn is_emulated() -> bool {
    static IS_EMULATED: LazyLock<bool> =
        LazyLock::new(|| machine(&binary()) != machine(&std::env::current_exe().unwrap()));
    *IS_EMULATED
}

/// How many times as long things may take.
pub(crate) fn patience() -> u32 {
    if is_emulated() { 10 } else { 1 }
}

/// The processor that an ELF file is for, by its header.
fn machine(program: &Path) -> Option<[u8; 2]> {
    let mut header = [0; 20];
    let mut file = fs::File::open(program).unwrap();
    file.read_exact(&mut header).unwrap();
    header
        .starts_with(b"\x7fELF")
        .then(|| [header[18], header[19]])
}

/// Starts a program and kills it at some time, 20 times.
pub(crate) fn kill_20_times(mut seed: u64, start: impl Fn() -> Child) {
    for _ in 0..20 {
        let mut child = start();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        thread::sleep(Duration::from_millis(10 + (seed >> 33) % 60));
        // Killed, not asked: SIGKILL. One that has ended already is no loss.
        let _ = child.kill();
        child.wait().unwrap();
    }
}

/// How the binary ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Failed with this code and one line that has all these words; gives the line.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        let lines: Vec<_> = self.err.lines().collect();
        assert_eq!(lines.len(), 1, "more than one line: {self:?}");
        assert!(lines[0].starts_with("reckon: "), "{self:?}");
        for word in words {
            assert!(lines[0].contains(word), "no `{word}` in {self:?}");
        }
        lines[0].into()
    }
}
