//! `reckon solve setup`: Z3's own program out of its Python wheel, through the machine's pip, checked by hash.
//!
//! Nothing of the wheel runs before its hash is right; the file appears under its name only when it is whole.
use super::solver;
use crate::{Context, Failure, cli::solve::SetupArgs, models::sha256};
use reckon::models::{Pip, unpack};
use serde_json::json;
use std::{
    env::consts::{ARCH, OS},
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

const PACKAGE: &str = "z3-solver";
const VERSION: &str = "5.4.0.0";

/// The program of one platform.
struct Program {
    os: &'static str,
    arch: &'static str,
    bytes: u64,
    /// Of the program itself, not of the wheel around it.
    sha256: &'static str,
}

/// What the wheels of [`VERSION`] hold.
const PROGRAMS: [Program; 5] = [
    Program {
        os: "linux",
        arch: "x86_64",
        bytes: 29_337_440,
        sha256: "4bf249abd220d0ae4582536e572aa04019b8dfc91d25135fb6f098d230acfd0d",
    },
    Program {
        os: "linux",
        arch: "aarch64",
        bytes: 23_663_264,
        sha256: "be74c27b068b256bc339721ad70e86bf82e83d6031cca7c8af7ba5d040e4c778",
    },
    Program {
        os: "macos",
        arch: "aarch64",
        bytes: 32_981_744,
        sha256: "fc7c6b5d95fd579c58b348a5bf63ac4adf3d508747bbba49001130e2dcb95a42",
    },
    Program {
        os: "macos",
        arch: "x86_64",
        bytes: 34_530_792,
        sha256: "583cefe04728c81f56dad19678ee8f4331cfa738da14141ee5de84327ea68c8f",
    },
    Program {
        os: "windows",
        arch: "x86_64",
        bytes: 18_491_392,
        sha256: "51ea6db335860c584f059fec618ce4de8208776b12103043e6bcfb4003f67479",
    },
];

/// Runs `reckon solve setup`.
pub(super) fn run(args: &SetupArgs, context: &Context) -> anyhow::Result<()> {
    let path = solver::own(context);
    let Some(program) = PROGRAMS
        .iter()
        .find(|program| (program.os, program.arch) == (OS, ARCH))
    else {
        let what = format!("{PACKAGE} {VERSION} is not known for {OS} on {ARCH}");
        return Err(Failure::failed(what)
            .hint("install z3 from your system's packages; it is found on the path")
            .into());
    };
    let fetched = !matches!(sha256(&path, context), Ok(hash) if hash == program.sha256);
    if fetched {
        fetch(program, &path, context)?;
    }
    let shown = path.display();
    let mut out = io::stdout().lock();
    if args.json {
        let report = json!({ "path": path, "version": VERSION, "sha256": program.sha256, "fetched": fetched });
        writeln!(out, "{report}")?;
    } else if fetched {
        writeln!(out, "Z3 {VERSION} is in {shown}; its hash is right")?;
    } else {
        writeln!(
            out,
            "Z3 {VERSION} was already in {shown}; its hash is right"
        )?;
    }
    Ok(())
}

fn fetch(program: &Program, path: &Path, context: &Context) -> anyhow::Result<()> {
    if context.store.offline {
        return Err(Failure::failed("z3 is not here and the network is forbidden")
            .hint("without --offline, `reckon solve setup` fetches it; the embedded solver works without it")
            .into());
    }
    let Some(pip) = Pip::find(&context.store) else {
        return Err(
            Failure::failed("z3 comes through pip, and no working pip was found")
                .hint("install python3 and pip, or z3 from your system's packages")
                .into(),
        );
    };
    let directory = path.parent().expect("it is in a directory of ours");
    let partial = directory.join("partial");
    let cannot = |error: io::Error| {
        Failure::failed(format!("cannot write {}: {error}", directory.display()))
    };
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial).map_err(cannot)?;
    let result = take(program, path, &pip, context);
    let _ = fs::remove_dir_all(&partial);
    result
}

fn take(program: &Program, path: &Path, pip: &Pip<'_>, context: &Context) -> anyhow::Result<()> {
    let partial = &path.with_file_name("partial");
    // z3 is no model, so the exit code is not that of a missing one.
    let failed = |error: reckon::models::Error| {
        let failure = Failure::failed(error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    };
    let wheel = pip.download(PACKAGE, VERSION, partial).map_err(failed)?;
    let name = if OS == "windows" { "z3.exe" } else { "z3" };
    let member = format!("z3_solver-{VERSION}.data/data/bin/{name}");
    let whole = partial.join(name);
    let mut out = BufWriter::new(File::create(&whole)?);
    unpack(&wheel, &member, program.bytes, &mut out, &whole).map_err(failed)?;
    out.into_inner()?.sync_all()?;
    let found = sha256(&whole, context)?;
    if found != program.sha256 {
        let what = format!("the hash of {name} is {found}, not {}", program.sha256);
        return Err(Failure::failed(what)
            .hint("the wheel is not the one that was checked; nothing was kept")
            .into());
    }
    make_executable(&whole)?;
    fs::rename(&whole, path)?;
    Ok(())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
