//! The versions of the guards: a change of a guard's source is a new version of that guard, and of no other.
use reckon_assistant::{about::GUARDS, guards, version::VERSIONS};
use std::{collections::BTreeMap, fs, path::Path};

#[path = "../../build/digest.rs"]
mod digest;

fn source() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

/// The guards whose version changes when this file does.
fn changed_by(file: &str, change: fn(&str) -> String) -> Vec<String> {
    let copy = tempfile::tempdir().expect("a directory");
    copy_tree(source(), copy.path());
    let path = copy.path().join(file);
    let text = fs::read_to_string(&path).expect("the file");
    fs::write(&path, change(&text)).expect("written");
    let before = digest::guards(source()).expect("digests");
    let after = digest::guards(copy.path()).expect("digests");
    assert_eq!(before.len(), after.len());
    let moved = |(name, digest): &(&String, &String)| after.get(*name) != Some(*digest);
    before
        .iter()
        .filter(moved)
        .map(|(name, _)| name.clone())
        .collect()
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        let there = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_tree(&path, &there);
        } else {
            fs::copy(&path, &there).expect("copied");
        }
    }
}

#[test]
fn every_guard_has_a_version_of_its_own() {
    let versions: BTreeMap<&str, &str> = VERSIONS.iter().copied().collect();
    assert_eq!(versions.len(), GUARDS.len());
    for guard in guards::all() {
        let version = versions.get(guard.name()).expect("a version");
        assert_eq!(version.len(), 64, "{}", guard.name());
    }
    let made = digest::guards(source()).expect("digests");
    for (name, version) in VERSIONS {
        assert_eq!(made[*name], *version, "the build saw this source");
    }
}

#[test]
fn a_changed_guard_is_a_new_version_of_itself_alone() {
    let more = |text: &str| format!("{text}\nconst MORE: u8 = 1;\n");
    for name in ["logic", "persona", "qualifier", "correction", "counting"] {
        let file = format!("guards/{name}.rs");
        assert_eq!(changed_by(&file, more), [name], "{file}");
    }
    assert_eq!(changed_by("guards/prompts/persona.txt", more), ["persona"]);
    assert_eq!(changed_by("guards/prompts/logic-swap.txt", more), ["logic"]);
    assert_eq!(changed_by("detect/persona.rs", more), ["persona"]);
    assert_eq!(
        changed_by("detect/correction/kept.rs", more),
        ["arithmetic", "correction"],
        "the first does not judge what an answer takes back"
    );
    assert_eq!(changed_by("guards/arithmetic.rs", more), ["arithmetic"]);
    // The arithmetic guard asks these two what they see.
    assert_eq!(
        changed_by("detect/counting.rs", more),
        ["arithmetic", "counting"]
    );
    assert_eq!(
        changed_by("check/table/keyword.rs", more),
        ["arithmetic", "constraints"]
    );
}

#[test]
fn what_all_guards_stand_on_changes_all_and_a_comment_none() {
    // In front: what stands behind the unit tests of a file is not read.
    let more = |text: &str| format!("const MORE: u8 = 1;\n{text}");
    for file in ["pipeline.rs", "guard.rs", "guards.rs", "detect/mask.rs"] {
        assert_eq!(changed_by(file, more).len(), GUARDS.len(), "{file}");
    }
    let comment = |text: &str| format!("// Said otherwise.\n\n{text}");
    assert_eq!(changed_by("pipeline.rs", comment), [""; 0]);
    assert_eq!(changed_by("about.rs", more), [""; 0], "words for people");
}
