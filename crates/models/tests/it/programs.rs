//! Other programs, started where somebody wants to harm us: what they see, what they do not, and that they end.
//!
//! The tests of the command line start a real pip in a directory full of traps.
use reckon_models::Programs;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, Instant},
};

const SHORT: Duration = Duration::from_secs(30);

fn programs(variables: &[(&str, &str)]) -> Programs {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    Programs::from_env(|name| variables.get(name).map(OsString::from))
}

fn sh(programs: &Programs, script: &str) -> String {
    let ended = programs.run(Path::new("/bin/sh"), ["-c", script], None, SHORT);
    ended.unwrap().stdout
}

fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_starts_in_an_empty_directory_that_goes_away() {
    let programs = programs(&[("PATH", "/usr/bin:/bin")]);
    let said = sh(&programs, "pwd; ls -A; echo x > left");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 1, "it is empty: {said}");
    let directory = Path::new(lines[0]);
    assert_ne!(directory, std::env::current_dir().unwrap());
    assert!(!directory.exists(), "it goes away");
}

#[test]
fn a_program_gets_no_variable_that_names_code_or_a_secret() {
    let hostile = [
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONSTARTUP",
        "PYTHONINSPECT",
        "PYTHONUSERBASE",
        "PYTHONBREAKPOINT",
        "PYTHONWARNINGS",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "GCONV_PATH",
        "NODE_OPTIONS",
        "GIT_SSH_COMMAND",
        "PIP_PYTHON",
        "PIP_REQUIREMENT",
        "PIP_CONSTRAINT",
        "PIP_TARGET",
        "PIP_EDITABLE",
        "HF_TOKEN",
        "OPENAI_API_KEY",
        "RECKON_API_KEY",
    ];
    let mut variables: Vec<_> = hostile.iter().map(|name| (*name, "/hostile")).collect();
    let wanted = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/me"),
        ("https_proxy", "http://proxy.example"),
        ("PIP_INDEX_URL", "https://index.example"),
    ];
    variables.extend(wanted);
    let said = sh(&programs(&variables), "env");
    assert!(!said.contains("/hostile"), "{said}");
    for (name, value) in wanted {
        assert!(
            said.contains(&format!("{name}={value}")),
            "no {name}: {said}"
        );
    }
}

#[test]
fn programs_are_found_in_absolute_directories_only() {
    let place = tempfile::tempdir().unwrap();
    let bin = place.path().join("bin");
    program(&bin.join("tool"), "exit 0");
    fs::write(bin.join("data"), b"not a program").unwrap();
    fs::create_dir(bin.join("directory")).unwrap();
    let absolute = bin.to_str().unwrap();
    // The tests run in a directory that has `src/lib.rs`; relative entries would be looked up there.
    for (search, found) in [
        (absolute.to_owned(), true),
        (format!(".::src:{absolute}"), true),
        (".".to_owned(), false),
        (String::new(), false),
        ("bin:./bin:../bin".to_owned(), false),
    ] {
        let programs = programs(&[("PATH", &search)]);
        let expected = found.then(|| bin.join("tool"));
        assert_eq!(programs.find("tool"), expected, "{search}");
    }
    let programs = programs(&[("PATH", &format!(".::{absolute}:relative"))]);
    for name in ["data", "directory", "./tool", "bin/tool", "../bin/tool", ""] {
        assert_eq!(programs.find(name), None, "{name}");
    }
    let full = bin.join("tool");
    assert_eq!(programs.find(full.to_str().unwrap()), Some(full.clone()));
    // Whatever the program itself starts is found in the same way.
    assert_eq!(sh(&programs, "echo \"$PATH\"").trim(), absolute);
}

#[test]
fn a_program_that_does_not_end_is_ended_and_a_talkative_one_is_cut() {
    let programs = programs(&[("PATH", "/usr/bin:/bin")]);
    let begin = Instant::now();
    // The grandchild keeps stdout open; nobody waits for it.
    let script = ["-c", "sleep 20 & sleep 20"];
    let ended = programs.run(
        Path::new("/bin/sh"),
        script,
        None,
        Duration::from_millis(200),
    );
    assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::TimedOut);
    assert!(begin.elapsed() < Duration::from_secs(15));
    let said = sh(
        &programs,
        "i=0; while [ $i -lt 40000 ]; do echo line; i=$((i+1)); done; echo end",
    );
    assert!(
        said.len() <= 64 << 10 && said.ends_with("end\n"),
        "{}",
        said.len()
    );
}

#[test]
fn a_real_python_loads_nothing_of_the_environment() {
    let python = programs(&[("PATH", "/usr/local/bin:/usr/bin:/bin")]).find("python3");
    let Some(python) = python else {
        eprintln!("SKIPPED: no python3 in /usr/bin");
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let trap = "import os; open(os.path.join(os.path.dirname(__file__), 'sprung'), 'w')";
    for name in [
        "pip.py",
        "sitecustomize.py",
        "usercustomize.py",
        "startup.py",
        "json.py",
    ] {
        fs::write(place.path().join(name), trap).unwrap();
    }
    let here = place.path().to_str().unwrap();
    let startup = place.path().join("startup.py");
    let programs = programs(&[
        ("PATH", "/usr/bin:/bin"),
        ("PYTHONPATH", here),
        ("PYTHONSTARTUP", startup.to_str().unwrap()),
        ("PYTHONUSERBASE", here),
    ]);
    let script = "import json, sys; print(sys.path)";
    let ended = programs
        .run(&python, ["-I", "-c", script], None, SHORT)
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert!(!ended.stdout.contains(here), "{ended:?}");
    assert!(!place.path().join("sprung").exists());
}
