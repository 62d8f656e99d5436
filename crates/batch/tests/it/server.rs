//! A PostgreSQL server of the test's own, in a temporary folder, as Debian's `postgresql` installs the programs.
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A server that is stopped when it goes out of scope.
pub(crate) struct Server {
    folder: TempDir,
    programs: PathBuf,
    /// PostgreSQL refuses to be run by the superuser.
    user: Option<(u32, u32)>,
}

impl Server {
    /// Starts one, or says loudly that there is none to start.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!(
                "SKIPPED: PostgreSQL is not installed (apt install postgresql); its queue is not tested"
            );
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("reckon-pg-")
            .tempdir_in("/tmp")
            .unwrap();
        let user = rustix::process::geteuid().is_root().then(unprivileged);
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let server = Self {
            folder,
            programs,
            user,
        };
        server.run(
            "initdb",
            &[
                "-U",
                "reckon",
                "--auth=trust",
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C",
            ],
        );
        server.up();
        Some(server)
    }

    /// Starts the server on a socket in its folder; no port is opened.
    pub(crate) fn up(&self) {
        let options = format!(
            "-k {} -c listen_addresses= -c fsync=off -c shared_buffers=16MB -c max_connections=20",
            self.folder.path().display()
        );
        let log = self.folder.path().join("log");
        self.run(
            "pg_ctl",
            &["-w", "-l", log.to_str().unwrap(), "-o", &options, "start"],
        );
    }

    /// Stops it at once, with all connections.
    pub(crate) fn down(&self) {
        self.run("pg_ctl", &["-w", "-m", "immediate", "stop"]);
    }

    pub(crate) fn address(&self) -> String {
        format!(
            "postgres:///postgres?user=reckon&host={}",
            self.folder.path().display()
        )
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        assert!(self.try_run(program, arguments), "{program} {arguments:?}");
    }

    fn try_run(&self, program: &str, arguments: &[&str]) -> bool {
        let mut command = Command::new(self.programs.join(program));
        command
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(arguments);
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.folder.path().join("data/postmaster.pid").exists() {
            self.try_run("pg_ctl", &["-w", "-m", "immediate", "stop"]);
        }
    }
}

fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    folders
        .filter(|folder| folder.join("initdb").exists())
        .max()
}

/// The user `postgres`, or `nobody`.
fn unprivileged() -> (u32, u32) {
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let find = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres")
        .or_else(|| find("nobody"))
        .expect("a user to run PostgreSQL as")
}
