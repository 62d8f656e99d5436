//! Rules for lock files: packages from crates.io only, and few in what we ship.
use super::{File, Finding, Tree};

/// Every dependency is code we ship and answer for; raising this needs a reason.
const MOST_PACKAGES: usize = 349;
/// How cargo writes its default registry, whatever mirror a machine uses.
const SOURCE: &str = concat!(
    "registry+",
    "https://github.com/rust-lang/crates.io",
    "-index"
);

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let locks = || {
        tree.files
            .iter()
            .filter(|file| file.path.ends_with("Cargo.lock"))
    };
    // What only measures (`benches/versus`) or fuzzes has a lock file of its own.
    let shipped = locks().filter(|file| file.path == "Cargo.lock");
    let many = shipped.flat_map(packages);
    many.chain(locks().flat_map(sources)).collect()
}

fn packages(file: &File) -> Option<Finding> {
    let packages = || file.lines().filter(|(_, text)| *text == "[[package]]");
    let (line, _) = packages().nth(MOST_PACKAGES)?;
    let reason = format!("{} packages, more than {MOST_PACKAGES}", packages().count());
    Some(file.finding(line, reason))
}

fn sources(file: &File) -> Vec<Finding> {
    let source = |text: &str| {
        Some(
            text.strip_prefix("source = \"")?
                .trim_end_matches('"')
                .to_owned(),
        )
    };
    let strange = file
        .lines()
        .filter_map(|(line, text)| Some((line, source(text)?)))
        .filter(|(_, source)| source != SOURCE);
    strange
        .map(|(line, source)| file.finding(line, format!("`{source}` is not crates.io")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn too_many_packages() {
        let text = "[[package]]\nname = \"a\"\n".repeat(MOST_PACKAGES);
        assert_eq!(check(findings, &[("Cargo.lock", &text)]), [""; 0]);
        let text = text + "[[package]]\n";
        let found = check(findings, &[("Cargo.lock", &text)]);
        assert_eq!(found, ["Cargo.lock:699: 350 packages, more than 349"]);
    }

    #[test]
    fn strange_sources() {
        let text = format!("source = \"{SOURCE}\"\nsource = \"git+https://x.y/z\"\n");
        let found = check(findings, &[("Cargo.lock", &text)]);
        assert_eq!(
            found,
            ["Cargo.lock:2: `git+https://x.y/z` is not crates.io"]
        );
    }
}
