//! Installs each package into an empty place, asks a question with it, removes it and looks whether anything was left.
//!
//! A place is a directory: a virtual environment for the wheel, a root of its own for the Debian package, a prefix for npm. A tool that
//! this machine lacks is said loudly, and skips its package. Nothing is fetched.
use super::said;
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};
use tempfile::TempDir;

/// How one kind of package is installed and removed.
struct Trial {
    /// How the file's name ends.
    ending: &'static str,
    /// What must be on the machine.
    tool: &'static str,
    install: fn(&Path, &Path) -> Result<PathBuf>,
    remove: fn(&Path) -> Result<()>,
}

const TRIALS: [Trial; 4] = [
    Trial {
        ending: ".tar.gz",
        tool: "tar",
        install: unpack,
        remove: |place| Ok(fs::remove_dir_all(place)?),
    },
    Trial {
        ending: ".whl",
        tool: "python3",
        install: pip_install,
        remove: |place| {
            run(
                &place.join("bin/pip"),
                &["uninstall", "--yes", "--quiet", "reckon"],
            )
        },
    },
    Trial {
        ending: ".deb",
        tool: "dpkg",
        install: dpkg_install,
        remove: |place| dpkg(place, &["--purge", "reckon"]),
    },
    Trial {
        ending: ".tgz",
        tool: "npm",
        install: npm_install,
        remove: |place| npm(place, &["uninstall", "--global", "reckon"]),
    },
];

/// Tries every file; with a model a question is asked, else only the version.
pub(super) fn run_all(
    out: &Path,
    files: &[&str],
    version: &str,
    model: Option<&Path>,
) -> Result<()> {
    let mut screen = std::io::stdout().lock();
    for trial in &TRIALS {
        let file = files.iter().find(|name| name.ends_with(trial.ending));
        let file = file.context("no such package")?;
        if run(Path::new(trial.tool), &["--version"]).is_err() {
            writeln!(screen, "SKIPPED {file}: this machine has no {}", trial.tool)?;
            continue;
        }
        let place = TempDir::new()?;
        // What is removed must not take the place itself with it.
        let inside = place.path().join("place");
        fs::create_dir(&inside)?;
        let begin = Instant::now();
        let package = fs::canonicalize(out.join(file))?;
        let program = (trial.install)(&package, &inside).with_context(|| (*file).to_owned())?;
        let installed = begin.elapsed().as_secs_f64();
        let told = String::from_utf8(said(&program, &["--version"])?)?;
        ensure!(told.contains(version), "{file}: {told}");
        let answer = model.map(|model| ask(&program, model, place.path()));
        let answer = answer.transpose().with_context(|| (*file).to_owned())?;
        (trial.remove)(&inside).with_context(|| (*file).to_owned())?;
        ensure!(
            !program.exists(),
            "{file}: {} is still there",
            program.display()
        );
        let answered = match answer {
            Some(seconds) => format!("answered in {seconds:.1} s"),
            None => "not asked (--try MODEL.gguf)".to_owned(),
        };
        writeln!(
            screen,
            "ok {file}: installed in {installed:.1} s, {answered}, removed"
        )?;
    }
    Ok(())
}

/// Seconds until an answer.
fn ask(program: &Path, model: &Path, home: &Path) -> Result<f64> {
    let begin = Instant::now();
    let output = Command::new(program)
        .args([
            "--offline",
            "ask",
            "--greedy",
            "--max-tokens",
            "8",
            "--json",
            "--model",
        ])
        .arg(model)
        .arg("What is 17 * 23?")
        .env_clear()
        .env("RECKON_HOME", home.join("home"))
        .stdin(std::process::Stdio::null())
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "reckon ask: {errors}");
    let said: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    // The guards compute it, whatever the model is.
    let mark = &said["mark"]["state"];
    ensure!(
        said["text"].is_string() && mark.is_string(),
        "reckon ask: {said}"
    );
    Ok(begin.elapsed().as_secs_f64())
}

fn unpack(package: &Path, place: &Path) -> Result<PathBuf> {
    let (package, to) = (text(package)?, text(place)?);
    run(
        Path::new("tar"),
        &["xzf", package, "-C", to, "--strip-components", "1"],
    )?;
    Ok(place.join("reckon"))
}

fn pip_install(package: &Path, place: &Path) -> Result<PathBuf> {
    run(Path::new("python3"), &["-m", "venv", text(place)?])?;
    let install = [
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        text(package)?,
    ];
    run(&place.join("bin/pip"), &install)?;
    Ok(place.join("bin/reckon"))
}

fn dpkg_install(package: &Path, place: &Path) -> Result<PathBuf> {
    for directory in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        fs::create_dir_all(place.join(directory))?;
    }
    fs::write(place.join("var/lib/dpkg/status"), "")?;
    dpkg(place, &["--install", text(package)?])?;
    Ok(place.join("usr/bin/reckon"))
}

/// The root has no libc6 of its own, and needs no rights of the system's.
fn dpkg(place: &Path, arguments: &[&str]) -> Result<()> {
    let root = format!("--root={}", text(place)?);
    let mut all = vec![
        root.as_str(),
        "--force-depends",
        "--force-not-root",
        "--force-bad-path",
    ];
    all.extend(arguments);
    run(Path::new("dpkg"), &all)
}

fn npm_install(package: &Path, place: &Path) -> Result<PathBuf> {
    npm(place, &["install", "--global", text(package)?])?;
    Ok(place.join("bin/reckon"))
}

fn npm(place: &Path, arguments: &[&str]) -> Result<()> {
    let mut all = vec!["--offline", "--no-audit", "--no-fund", "--silent"];
    let cache = place.with_file_name("cache");
    all.extend(["--prefix", text(place)?, "--cache", text(&cache)?]);
    all.extend(arguments);
    run(Path::new("npm"), &all)
}

fn run(program: &Path, arguments: &[&str]) -> Result<()> {
    said(program, arguments).map(drop)
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is text")
}
