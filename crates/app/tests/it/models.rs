//! `reckon models` as people meet it: the real binary, killed in the middle, and with traps in the directory it runs in.
//!
//! What the store itself does is tested where it is made, in `reckon-models`.
use crate::{
    place::Place,
    samples::{bytes, catalogue, hub_entry, sha256, wheel, wheels_entry},
    server::Server,
};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    time::{Duration, Instant},
};

#[test]
fn a_killed_process_leaves_a_part_that_the_next_one_takes_up() {
    let place = Place::new();
    let body = bytes(7, 100_000);
    let server = Server::new(&body, &sha256(&body));
    place.write_catalogue(&catalogue(&[], &[hub_entry("m", &body)]));
    server.behave(|how| {
        how.cuts = [60_000, usize::MAX].into();
        how.silence = Duration::from_secs(60);
    });
    let environment = [("HF_ENDPOINT", server.url.as_str())];
    let mut child = place
        .command(&["models", "pull", "m"], &environment)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let blobs = place.hub_cache().join("models--org--name").join("blobs");
    let part = blobs.join(format!("{}.incomplete", sha256(&body)));
    let begin = Instant::now();
    while fs::metadata(&part).map_or(0, |data| data.len()) < 60_000 {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing came");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    server.requests();
    let ended = place.reckon_with(&["models", "pull", "m"], &environment);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(fs::read(ended.out.trim()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=60000-"]);
}

fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_binary_finds_pip_on_the_path() {
    let place = Place::new();
    let parts = [bytes(1, 50_000), bytes(2, 7_000)];
    place.write_catalogue(&catalogue(&[], &[wheels_entry("r", &parts)]));
    let wheels = place.root.path().join("wheels");
    fs::create_dir(&wheels).unwrap();
    for (i, part) in parts.iter().enumerate() {
        let wheel = wheel("x", &format!("part{i}/data.bin"), part);
        fs::write(wheels.join(format!("pkg{i}==1.0.whl")), wheel).unwrap();
    }
    let bin = place.root.path().join("bin");
    let script = format!(
        r#"[ "$1" = --version ] && {{ echo "pip 99.0 from nowhere (python 3.99)"; exit 0; }}
        while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest="$2"; shift; done
        cp "{}/$1.whl" "$dest/""#,
        wheels.display()
    );
    program(&bin.join("pip3"), &script);
    // Only our pip3, and what its script needs.
    symlink("/bin/cp", bin.join("cp")).unwrap();
    let environment = [("PATH", bin.to_str().unwrap())];
    let ended = place.reckon_with(&["models", "pull", "r"], &environment);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let path = place.home().join("models/r.gguf");
    assert_eq!(ended.out.trim(), path.to_str().unwrap());
    let verified = place.reckon(&["models", "verify", "r"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.out.starts_with("r  ok"));
    fs::write(&path, bytes(8, parts.concat().len())).unwrap();
    let verified = place.reckon(&["models", "verify"]);
    verified.refused(3, &["wrong sha256: r", "models pull r"]);
    assert!(verified.out.contains("WRONG"));
    assert!(path.exists(), "verify only looks");
}

/// Fills a directory with everything that Python, pip or a shell might take from the place where they start.
fn set_traps(directory: &Path) {
    let sprung = directory.join("sprung");
    let python = format!("open({sprung:?}, 'a').write(__file__ + '\\n')\n");
    for name in [
        "pip.py",
        "pip/__init__.py",
        "pip/__main__.py",
        "sitecustomize.py",
        "usercustomize.py",
        "startup.py",
        "json.py",
        "encodings.py",
        "lib/python3/site-packages/sitecustomize.py",
    ] {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &python).unwrap();
    }
    let shell = format!("echo \"$0\" >> '{}'; echo 'pip 1.0'", sprung.display());
    for name in [
        "python3",
        "python",
        "pip3",
        "py",
        "z3",
        "env",
        "bin/python3",
        "bin/z3",
    ] {
        program(&directory.join(name), &shell);
    }
    program(&directory.join("bin/pip3"), &shell);
    let config = "[global]\nindex-url = http://127.0.0.1:9/trap\nno-index = false\nfind-links =\n";
    for name in [
        "pip.conf",
        "pip.ini",
        ".pip/pip.conf",
        ".config/pip/pip.conf",
    ] {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, config).unwrap();
    }
    fs::write(directory.join("pyvenv.cfg"), "home = .\n").unwrap();
    fs::write(directory.join(".python-version"), "trap\n").unwrap();
    fs::write(directory.join("requirements.txt"), "trap==1\n").unwrap();
}

/// The machine's `PATH`, if it leads to a pip.
fn path_with_pip() -> Option<String> {
    let path = std::env::var("PATH").ok()?;
    let mut pip = std::process::Command::new("python3");
    let pip = pip.args(["-I", "-m", "pip", "--version"]).output().ok()?;
    pip.status.success().then_some(path)
}

#[test]
fn a_real_pip_ignores_the_directory_that_we_run_in() {
    let Some(path) = path_with_pip() else {
        eprintln!("SKIPPED: no python3 with pip here");
        return;
    };
    let place = Place::new();
    let root = place.root.path();
    set_traps(root);
    let part = bytes(1, 5_000);
    let wheels = tempfile::tempdir().unwrap();
    let wheel = wheel("pkg0", "part0/data.bin", &part);
    fs::write(wheels.path().join("pkg0-1.0-py3-none-any.whl"), wheel).unwrap();
    place.write_catalogue(&catalogue(
        &[],
        &[wheels_entry("r", std::slice::from_ref(&part))],
    ));
    let here = root.to_str().unwrap();
    let startup = root.join("startup.py");
    // Relative entries and the empty one, which means the working directory, stand before the real ones.
    let search = format!(".::bin:./bin:{path}");
    let environment = [
        ("PATH", search.as_str()),
        ("PYTHONPATH", here),
        ("PYTHONHOME", here),
        ("PYTHONSTARTUP", startup.to_str().unwrap()),
        ("PYTHONUSERBASE", here),
        ("PYTHONINSPECT", "1"),
        ("PIP_PYTHON", "./python3"),
        ("PIP_REQUIREMENT", "requirements.txt"),
        ("PIP_CONFIG_FILE", "pip.conf"),
        ("PIP_NO_INDEX", "1"),
        ("PIP_FIND_LINKS", wheels.path().to_str().unwrap()),
    ];
    let ended = place.reckon_with(&["models", "pull", "r"], &environment);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(fs::read(ended.out.trim()).unwrap(), part);
    let doctor = place.reckon_with(&["doctor", "--json"], &environment);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    assert!(!doctor.out.contains("pip 1.0"), "{}", doctor.out);
    // With nothing but traps on the path there is no pip and no z3.
    for search in [".", ":", "bin", "./bin:."] {
        let doctor = place.reckon_with(&["doctor", "--json"], &[("PATH", search)]);
        assert_eq!(doctor.code, Some(0), "{doctor:?}");
        assert!(doctor.out.contains(r#""pip": null"#), "{}", doctor.out);
    }
    let sprung = fs::read_to_string(root.join("sprung")).unwrap_or_default();
    assert_eq!(sprung, "", "traps that were sprung");
}

#[test]
fn a_trap_is_one() {
    // What the test above relies on: without our care a trap is sprung.
    let Some(path) = path_with_pip() else {
        eprintln!("SKIPPED: no python3 with pip here");
        return;
    };
    let place = Place::new();
    let root = place.root.path();
    set_traps(root);
    fs::remove_file(root.join("encodings.py")).unwrap();
    let careless = std::process::Command::new("python3")
        .args(["-m", "pip", "--version"])
        .current_dir(root)
        .env("PATH", path)
        .output();
    careless.unwrap();
    let sprung = fs::read_to_string(root.join("sprung")).unwrap_or_default();
    assert!(sprung.contains("pip"), "{sprung}");
}

#[test]
fn a_file_here_does_not_shadow_a_name() {
    let place = Place::new();
    place.write_catalogue(&catalogue(&[], &[hub_entry("m", b"x")]));
    for name in ["m", "other"] {
        place.write(name, b"a file in a directory that was downloaded");
    }
    let m = place.reckon(&["tokenize", "--model", "m", "text"]);
    m.refused(3, &["the model m is not here", "models pull m"]);
    let other = place.reckon(&["tokenize", "--model", "other", "text"]);
    other.refused(3, &["no model named other", "write ./other"]);
    let path = place.reckon(&["tokenize", "--model", "./other", "text"]);
    path.refused(3, &["GGUF"]);
}
