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
        self.up_with("-c listen_addresses=");
    }

    fn up_with(&self, more: &str) {
        let options = format!(
            "-k {} {more} -c fsync=off -c shared_buffers=16MB -c max_connections=20",
            self.folder.path().display()
        );
        let log = self.folder.path().join("log");
        self.run(
            "pg_ctl",
            &["-w", "-l", log.to_str().unwrap(), "-o", &options, "start"],
        );
    }

    /// Restarts it with a port of this machine on which it speaks TLS, under a certificate of its own; the addresses to
    /// reach it without and with that certificate. None without `openssl`.
    pub(crate) fn encrypt(&self) -> Option<(String, String)> {
        let folder = self.folder.path();
        let mut openssl = self.command(Path::new("openssl"));
        openssl.args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ]);
        openssl.args([
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
        ]);
        if !openssl
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
        {
            eprintln!(
                "SKIPPED: no openssl to make a certificate with; TLS to PostgreSQL is not tested"
            );
            return None;
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        self.down();
        let file = |name: &str| folder.join(name).display().to_string();
        let (certificate, key) = (file("cert.pem"), file("key.pem"));
        self.up_with(&format!(
            "-c listen_addresses=localhost -p {port} -c ssl=on -c ssl_cert_file={certificate} -c ssl_key_file={key}"
        ));
        let plain = format!("postgres://localhost:{port}/postgres?user=reckon&sslmode=require");
        let trusted = format!("{plain}&sslrootcert={certificate}");
        Some((plain, trusted))
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
        let mut command = self.command(&self.programs.join(program));
        command
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(arguments);
        command.status().is_ok_and(|status| status.success())
    }

    /// A program that runs in the folder, as the server's user.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
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
        command
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
