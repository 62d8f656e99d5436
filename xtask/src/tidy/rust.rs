//! Rules for Rust files: size, module comment, names, traits, leftovers, `unsafe`.
use super::{File, Finding, Tree};

/// Above this a file holds more than one idea. clippy watches the functions.
const MOST_LINES: usize = 600;
/// Files that are data in Rust's clothes and may be longer.
const TABLES: [&str; 0] = [];
/// Traits that others can implement; each needs two real implementations.
const MOST_TRAITS: usize = 6;
/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "helper", "helpers", "common", "manager", "mixin", "misc",
];
/// Marks of unfinished work, split so that this file does not contain them.
const LEFTOVERS: [&str; 4] = [
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("FIX", "ME"),
    concat!("#[ig", "nore"),
];
/// Where `unsafe` may be expected.
const UNSAFE: [&str; 3] = [
    "crates/kernels/",
    "crates/gguf/src/mmap.rs",
    "crates/reckon/src/child/constructor.rs",
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let rust = || tree.files.iter().filter(|file| file.has_extension("rs"));
    let mut findings = traits(rust());
    for file in rust() {
        findings.extend(length(file));
        findings.extend(module_comment(file));
        findings.extend(name(file));
        findings.extend(leftovers(file));
        findings.extend(unsafe_code(file));
    }
    findings
}

fn length(file: &File) -> Option<Finding> {
    let excepted = |part| matches!(part, "tests" | "benches" | "fixtures");
    if file.parts().any(excepted) || TABLES.contains(&file.path.as_str()) {
        return None;
    }
    let lines = file.text.lines().count();
    let reason = format!("{lines} lines, more than {MOST_LINES}: split it by idea");
    (lines > MOST_LINES).then(|| file.finding(MOST_LINES + 1, reason))
}

fn module_comment(file: &File) -> Option<Finding> {
    let reason = "must begin with a `//!` comment: what turns into what, and who calls it";
    (!file.text.starts_with("//! ")).then(|| file.finding(1, reason))
}

fn name(file: &File) -> Option<Finding> {
    let stem = |part: &str| part.split('.').next().unwrap_or_default().to_lowercase();
    let empty = file
        .parts()
        .find(|part| EMPTY_NAMES.contains(&stem(part).as_str()))?;
    let reason = format!("`{empty}` says nothing about its contents: name the idea");
    Some(file.finding(1, reason))
}

fn leftovers(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for leftover in LEFTOVERS.iter().filter(|mark| text.contains(**mark)) {
            let reason = format!("`{leftover}`: finish it or write it down in docs/limitations.md");
            findings.push(file.finding(line, reason));
        }
    }
    findings
}

fn unsafe_code(file: &File) -> Vec<Finding> {
    if UNSAFE.iter().any(|place| file.path.starts_with(place)) {
        return Vec::new();
    }
    let lifts = |text: &str| {
        let text = text.trim_start();
        text.starts_with(concat!("#![expect(unsafe", "_code"))
            || text.starts_with(concat!("#[expect(unsafe", "_code"))
            || text == concat!("unsafe", "_code,")
    };
    let lines = file.lines().filter(|(_, text)| lifts(text));
    let reason = format!("unsafe code belongs into {}", UNSAFE.join(" or "));
    lines
        .map(|(line, _)| file.finding(line, reason.clone()))
        .collect()
}

fn traits<'a>(files: impl Iterator<Item = &'a File>) -> Vec<Finding> {
    let declares =
        |text: &str| text.starts_with("pub trait ") || text.starts_with("pub unsafe trait ");
    let all: Vec<_> = files
        .flat_map(|file| file.lines().map(move |(line, text)| (file, line, text)))
        .filter(|(_, _, text)| declares(text.trim_start()))
        .collect();
    let reason = format!(
        "{} public traits in the workspace, more than {MOST_TRAITS}: use a type or an enum",
        all.len()
    );
    let excess = if all.len() > MOST_TRAITS {
        &all[..]
    } else {
        &[]
    };
    let findings = excess.iter();
    findings
        .map(|(file, line, _)| file.finding(*line, reason.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn long_files() {
        let text = "//! Doc.\n".to_owned() + &"\n".repeat(599);
        assert_eq!(check(findings, &[("a.rs", &text)]), [""; 0]);
        let text = text + "\n";
        let found = check(findings, &[("a.rs", &text)]);
        assert_eq!(
            found,
            ["a.rs:601: 601 lines, more than 600: split it by idea"]
        );
        assert_eq!(
            check(findings, &[("crates/x/tests/it/a.rs", &text)]),
            [""; 0]
        );
        assert_eq!(check(findings, &[("a.md", &text)]), [""; 0]);
    }

    #[test]
    fn missing_module_comments() {
        let found = check(findings, &[("a.rs", "use std::io;\n//! Late.\n")]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.rs:1: must begin with"), "{found:?}");
    }

    #[test]
    fn empty_names() {
        for path in [
            "src/utils.rs",
            "src/Helpers/a.rs",
            "src/common.rs",
            "mixin/x.rs",
        ] {
            let found = check(findings, &[(path, "//! Doc.\n")]);
            assert_eq!(found.len(), 1, "{path}");
        }
        assert_eq!(
            check(findings, &[("src/community.rs", "//! Doc.\n")]),
            [""; 0]
        );
    }

    #[test]
    fn too_many_traits() {
        let text = |n: usize| "//! Doc.\n".to_owned() + &"pub trait T {}\n".repeat(n);
        let (three, four) = (text(3), text(4));
        assert_eq!(
            check(findings, &[("a.rs", &three), ("b.rs", &three)]),
            [""; 0]
        );
        let found = check(findings, &[("a.rs", &three), ("b.rs", &four)]);
        assert_eq!(found.len(), 7);
        assert!(found[6].starts_with("b.rs:5: 7 public traits"), "{found:?}");
    }

    #[test]
    fn unfinished_work() {
        for leftover in LEFTOVERS {
            let text = format!("//! Doc.\n\nfn f() {{ {leftover}) }}\n");
            let found = check(findings, &[("a.rs", &text)]);
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with("a.rs:3: "), "{found:?}");
        }
    }

    #[test]
    fn unsafe_outside_its_places() {
        let lift = concat!("#![expect(unsafe", "_code, reason = \"r\")]\n");
        let text = format!("//! Doc.\n{lift}");
        let found = check(findings, &[("crates/engine/src/a.rs", &text)]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/engine/src/a.rs:2: unsafe code"));
        assert_eq!(
            check(findings, &[("crates/gguf/src/mmap.rs", &text)]),
            [""; 0]
        );
        assert_eq!(
            check(findings, &[("crates/kernels/src/lib.rs", &text)]),
            [""; 0]
        );
    }
}
