//! Checks the tree for what compilers do not see: sizes, names, links, addresses.
//!
//! `run` reads every file that git would commit into a [`Tree`]; each rule is a function
//! from a tree to findings and knows nothing of disks, so that its tests are small.
mod lock;
mod rust;
mod text;

use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The files of the repository.
#[derive(Debug, Default)]
struct Tree {
    /// Files with their text, where it is text; paths are relative, with `/`.
    files: Vec<File>,
    /// Every file and every folder.
    paths: BTreeSet<String>,
}

#[derive(Debug)]
struct File {
    path: String,
    text: String,
}

/// A broken rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from 1.
    line: usize,
    reason: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.reason)
    }
}

/// Checks the repository at `root` and prints what it finds; whether that is nothing.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let tree = Tree::load(root)?;
    let findings = tree.findings();
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    let (files, found) = (tree.files.len(), findings.len());
    writeln!(out, "tidy: {files} files, {found} findings")?;
    Ok(findings.is_empty())
}

impl Tree {
    /// Reads what git tracks and what it would add.
    fn load(root: &Path) -> Result<Self> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others"])
            .arg("--exclude-standard")
            .current_dir(root)
            .output()
            .context("git ls-files")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git ls-files: {errors}");
        let mut tree = Self::default();
        for path in String::from_utf8(output.stdout)?.split_terminator('\0') {
            // A file deleted but still tracked is about to leave the tree.
            let Ok(bytes) = std::fs::read(root.join(path)) else {
                continue;
            };
            tree.add(path, String::from_utf8(bytes).unwrap_or_default());
        }
        Ok(tree)
    }

    fn add(&mut self, path: &str, text: String) {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        self.paths.extend(folders.map(str::to_owned));
        self.paths.insert(path.to_owned());
        self.files.push(File {
            path: path.to_owned(),
            text,
        });
    }

    /// What all rules find, in the order of the files.
    fn findings(&self) -> Vec<Finding> {
        let mut findings = rust::findings(self);
        findings.extend(text::findings(self));
        findings.extend(lock::findings(self));
        findings.sort();
        findings
    }
}

impl File {
    fn finding(&self, line: usize, reason: impl Into<String>) -> Finding {
        Finding {
            path: self.path.clone(),
            line,
            reason: reason.into(),
        }
    }

    /// Lines and their numbers from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension() == Some(extension.as_ref())
    }

    /// The parts of the path.
    fn parts(&self) -> impl Iterator<Item = &str> {
        self.path.split('/')
    }
}

/// What `rule` finds in a tree of these files, as lines; for the tests of the rules.
#[cfg(test)]
fn check(rule: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
    let mut tree = Tree::default();
    for (path, text) in files {
        tree.add(path, (*text).to_owned());
    }
    rule(&tree).iter().map(Finding::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_readable() {
        let tree = Tree::load(crate::root()).unwrap();
        assert!(tree.paths.contains("xtask/src/tidy.rs"));
        assert!(tree.paths.contains("xtask/src"));
        assert!(tree.files.iter().all(|file| !file.path.is_empty()));
    }

    #[test]
    fn findings_are_sorted_by_file_and_line() {
        let mut tree = Tree::default();
        tree.add("b.rs", "fn f() {}\n".into());
        tree.add("a/utils.rs", "fn f() {}\n".into());
        let findings: Vec<_> = tree.findings();
        let paths: Vec<_> = findings.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["a/utils.rs", "a/utils.rs", "b.rs"]);
    }
}
