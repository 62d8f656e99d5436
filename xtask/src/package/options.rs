//! What `cargo xtask package` is told: which binary, where to, and how a binary of another processor is run.
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};

const USAGE: &str =
    "usage: cargo xtask package [--target TRIPLE | --binary PATH] [--out DIR] [--try MODEL.gguf]";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) binary: PathBuf,
    /// What the binary must turn out to be built for.
    pub(super) target: Option<String>,
    pub(super) out: PathBuf,
    /// What a trial asks.
    pub(super) model: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(root: &Path, arguments: &[&str]) -> Result<Self> {
        let (mut binary, mut target, mut model) = (None, None, None);
        let mut out = root.join("target/package");
        let mut left = arguments.iter();
        while let Some(name) = left.next() {
            let value = left.next().context(USAGE)?;
            match *name {
                "--binary" => binary = Some(PathBuf::from(value)),
                "--target" => target = Some((*value).to_owned()),
                "--out" => out = PathBuf::from(value),
                "--try" => model = Some(PathBuf::from(value)),
                _ => bail!(USAGE),
            }
        }
        ensure!(binary.is_none() || target.is_none(), USAGE);
        // Where cargo puts it: a build for a named platform has a directory of its own.
        let built = match &target {
            Some(target) => format!("target/{target}/release/reckon"),
            None => "target/release/reckon".to_owned(),
        };
        Ok(Self {
            binary: binary.unwrap_or_else(|| root.join(built)),
            target,
            out,
            model,
        })
    }
}

/// The words before a program of this platform, as cargo takes them for `cargo run`: `CARGO_TARGET_TRIPLE_RUNNER`. None where
/// the machine itself can run it.
pub(super) fn runner(target: &str, variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let triple = target.to_uppercase().replace(['-', '.'], "_");
    let set = variable(&format!("CARGO_TARGET_{triple}_RUNNER"));
    let words = set.unwrap_or_default();
    words.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options> {
        Options::parse(Path::new("/src"), arguments)
    }

    #[test]
    fn a_binary_is_where_cargo_puts_it_or_where_it_is_said() {
        let plain = parse(&[]).unwrap();
        assert_eq!(plain.binary, Path::new("/src/target/release/reckon"));
        assert_eq!(plain.out, Path::new("/src/target/package"));
        assert_eq!((plain.target, plain.model), (None, None));

        let triple = "aarch64-unknown-linux-musl";
        let other = parse(&["--target", triple, "--out", "there", "--try", "m.gguf"]).unwrap();
        let built = format!("/src/target/{triple}/release/reckon");
        assert_eq!(other.binary, Path::new(&built));
        assert_eq!(other.target.as_deref(), Some(triple));
        assert_eq!(other.out, Path::new("there"));
        assert_eq!(other.model.as_deref(), Some(Path::new("m.gguf")));

        let named = parse(&["--binary", "a/reckon"]).unwrap();
        assert_eq!(named.binary, Path::new("a/reckon"));
        for bad in [
            &["--target"][..],
            &["--target", triple, "--binary", "reckon"],
            &["--fast", "yes"],
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_foreign_binary_runs_as_cargo_runs_it() {
        let set = |name: &str| {
            let is = name == "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER";
            is.then(|| "qemu-aarch64 -cpu  max".to_owned())
        };
        let words = runner("aarch64-unknown-linux-musl", set);
        assert_eq!(words, ["qemu-aarch64", "-cpu", "max"]);
        assert!(runner("x86_64-unknown-linux-musl", set).is_empty());
    }
}
