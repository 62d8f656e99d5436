//! Rules for all text: links that lead nowhere, paths of one machine, registry addresses.
use super::{File, Finding, Tree};

/// Beginnings of paths that exist on a machine where Reckon is built, not on its readers';
/// split so that this file does not contain them.
const MACHINE_PATHS: [&str; 7] = [
    concat!("/wo", "rk"),
    concat!("/ro", "ot"),
    concat!("/tmp/", "bash_jobs"),
    concat!("/tmp/", "brief"),
    concat!("/tmp/", "models"),
    concat!("/tmp/", "target"),
    concat!("/opt/", "wheels"),
];

/// Parts of addresses of package registries: each machine has its own settings for those.
const REGISTRIES: [&str; 10] = [
    concat!("registry+", "http"),
    concat!("sparse+", "http"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("crates.io", "-index"),
    concat!("pypi.org", "/simple"),
    concat!("files.python", "hosted.org"),
    concat!("registry.", "npmjs.org"),
    concat!("index", "-url http"),
    concat!("index", "-url=http"),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if is_documentation(file) {
            findings.extend(dead_links(file, tree));
        }
        findings.extend(machine_paths(file));
        if !file.path.ends_with("Cargo.lock") {
            findings.extend(registries(file));
        }
    }
    findings
}

/// Markdown at the top or in `docs`.
fn is_documentation(file: &File) -> bool {
    file.has_extension("md") && (!file.path.contains('/') || file.path.starts_with("docs/"))
}

/// Links and paths in backticks that lead to no file of the tree.
fn dead_links(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_code = false;
    for (line, text) in file.lines() {
        if text.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let links = links(text).filter_map(|link| resolve(folder, link));
        let dead = links
            .chain(code_paths(text))
            .filter(|path| !path.is_empty() && !tree.paths.contains(path));
        let reason = |path| format!("leads to `{path}`, which is not in the tree");
        findings.extend(dead.map(|path| file.finding(line, reason(path))));
    }
    findings
}

/// The targets of the Markdown links in a line.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The path of a link inside the repository, or `None` for one that leads elsewhere.
fn resolve(folder: &str, link: &str) -> Option<String> {
    let path = link.split(['#', ' ']).next().unwrap_or_default();
    if path.contains(':') || path.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Paths in backticks, such as those of a code map.
fn code_paths(text: &str) -> impl Iterator<Item = String> {
    let is_path = |code: &&str| {
        let roots = ["crates/", "xtask/", "docs/", ".ci/", ".github/"];
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        roots.iter().any(|root| code.starts_with(root)) && code.chars().all(plain)
    };
    let code = text.split('`').skip(1).step_by(2).filter(is_path);
    code.map(|path| path.trim_end_matches('/').to_owned())
}

fn machine_paths(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for start in MACHINE_PATHS {
            if text
                .match_indices(start)
                .any(|(at, _)| stands_alone(text, at, start))
            {
                let reason = format!("`{start}` is a path of one machine");
                findings.push(file.finding(line, reason));
            }
        }
    }
    findings
}

/// Whether the path at `at` begins there and its first parts are exactly `start`.
fn stands_alone(text: &str, at: usize, start: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let inside = |c: char| part(c) || "/~$}>*".contains(c);
    let before = text[..at].chars().next_back();
    let after = text[at + start.len()..].chars().next();
    let temporary = start.starts_with("/tmp/");
    !before.is_some_and(inside) && (temporary || !after.is_some_and(part))
}

fn registries(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for part in REGISTRIES.iter().filter(|part| text.contains(**part)) {
            let reason = format!("`{part}` addresses a registry: use the machine's own settings");
            findings.push(file.finding(line, reason));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn links_lead_to_files_and_folders() {
        let text = "[a](docs/a.md) [b](docs) [c](docs/a.md#part) [d](#here) [e](https://x.y)\n";
        assert_eq!(
            check(findings, &[("README.md", text), ("docs/a.md", "")]),
            [""; 0]
        );
        let found = check(findings, &[("README.md", "\n[a](docs/b.md)\n")]);
        let reason = "README.md:2: leads to `docs/b.md`, which is not in the tree";
        assert_eq!(found, [reason]);
    }

    #[test]
    fn links_are_relative_to_their_file() {
        let files = [
            ("docs/a.md", "[b](b.md) [r](../README.md)\n"),
            ("README.md", ""),
        ];
        let found = check(findings, &files);
        assert_eq!(
            found,
            ["docs/a.md:1: leads to `docs/b.md`, which is not in the tree"]
        );
    }

    #[test]
    fn code_maps_are_links_and_code_blocks_are_not() {
        let text = "see `crates/x/src/` and `crates/x/src/y.rs`, `crates/{a,b}`\n";
        let files = [("ARCHITECTURE.md", text), ("crates/x/src/z.rs", "")];
        let found = check(findings, &files);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`crates/x/src/y.rs`"), "{found:?}");
        let text = "```\n[a](b.md) `crates/none`\n```\n";
        assert_eq!(check(findings, &[("README.md", text)]), [""; 0]);
    }

    #[test]
    fn paths_of_one_machine() {
        for start in MACHINE_PATHS {
            let text = format!("//! Doc.\nlet path = \"{start}/x\";\n");
            let found = check(findings, &[("a.rs", &text)]);
            assert_eq!(
                found,
                [format!("a.rs:2: `{start}` is a path of one machine")]
            );
        }
        let fine = "https://a.b/work/x ./work/x a/root/b /workers /rooted $HOME/work/x\n";
        assert_eq!(check(findings, &[("a.txt", fine)]), [""; 0]);
    }

    #[test]
    fn registry_addresses() {
        for part in REGISTRIES {
            let found = check(findings, &[("ci.sh", part)]);
            assert!(found[0].contains("addresses a registry"), "{found:?}");
            assert_eq!(check(findings, &[("Cargo.lock", part)]), [""; 0]);
        }
    }
}
