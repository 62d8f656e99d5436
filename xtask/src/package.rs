//! `cargo xtask package`: what people install, made of one release binary: a tar archive, a Python wheel, a Debian package, an npm
//! package, checksums and a bill of materials.
//!
//! The binary is asked for its manual pages and completions: it runs on this machine, or under the runner that cargo would
//! run it with (`options`). Everything is written by the code here, with fixed times and owners: the same binary gives the same
//! bytes. `--try MODEL` installs each package into an empty place, asks a question with it and removes it again (`trial`).
mod archive;
mod binary;
mod deb;
mod npm;
mod options;
mod sbom;
mod trial;
mod wheel;

use anyhow::{Context, Result, ensure};
use binary::Binary;
use options::Options;
use sha2::{Digest, Sha256};
use std::{fs, io::Write, path::Path, process::Command};

/// A file of a package: where it goes, what it is, whether it can be run.
#[derive(Clone, Debug)]
struct Item {
    path: String,
    bytes: Vec<u8>,
    is_program: bool,
}

impl Item {
    fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            is_program: false,
        }
    }

    fn program(path: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            is_program: true,
            ..Self::new(path, bytes)
        }
    }
}

/// What all packages are made of.
struct Contents {
    version: String,
    binary: Binary,
    /// Names and texts.
    manual: Vec<(String, Vec<u8>)>,
    /// For bash, zsh and fish.
    completions: [Vec<u8>; 3],
    licence: Vec<u8>,
    notice: Vec<u8>,
    readme: Vec<u8>,
    service: Vec<u8>,
    /// Seconds since 1970 that every file has.
    time: u64,
}

/// Makes the packages; `arguments` are those behind `package`.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<()> {
    let Options {
        binary,
        target: asked,
        out,
        model,
    } = Options::parse(root, arguments)?;
    let binary = fs::canonicalize(&binary)
        .with_context(|| format!("{}: build it first, or --binary PATH", binary.display()))?;
    let model =
        model.map(|path| fs::canonicalize(&path).with_context(|| path.display().to_string()));
    let model = model.transpose()?;
    let contents = Contents::gather(root, &binary)?;
    if let Some(asked) = asked {
        let is = contents.binary.target();
        ensure!(asked == is, "{} is for {is}", binary.display());
    }
    fs::create_dir_all(&out)?;
    let target = contents.binary.target();
    let name = format!("reckon-{}-{target}", contents.version);
    let archive = contents.archive(&name);
    let mut files = vec![
        (
            format!("{name}.tar.gz"),
            archive::tar_gz(&archive, contents.time)?,
        ),
        wheel::make(&contents)?,
        deb::make(&contents)?,
        npm::make(&contents)?,
        (format!("{name}.cdx.json"), sbom::make(root, &target)?),
    ];
    files.sort();
    let mut sums = String::new();
    let mut screen = std::io::stdout().lock();
    for (name, bytes) in &files {
        fs::write(out.join(name), bytes).with_context(|| name.clone())?;
        let megabytes = bytes.len() as f64 / 1e6;
        writeln!(screen, "{megabytes:8.2} MB  {name}")?;
        sums += &format!("{}  {name}\n", hex(&Sha256::digest(bytes)));
    }
    fs::write(out.join("SHA256SUMS"), &sums)?;
    formula(root, &out, &contents, &files)?;
    drop(screen);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    // Installers refuse what is not for their machine.
    let processor = contents.binary.processor();
    if processor != std::env::consts::ARCH {
        ensure!(model.is_none(), "--try: this machine is no {processor}");
        writeln!(
            std::io::stdout(),
            "NOT TRIED: this machine is no {processor}"
        )?;
        return Ok(());
    }
    trial::run_all(&out, &names, &contents.version, model.as_deref())
}

impl Contents {
    fn gather(root: &Path, binary: &Path) -> Result<Self> {
        let pages = tempfile::tempdir()?;
        let out = pages.path().to_str().context("a path that is text")?;
        let parsed = Binary::read(binary)?;
        // A runner takes the binary behind its own words.
        let mut words = options::runner(&parsed.target(), |name| std::env::var(name).ok());
        words.push(binary.to_str().context("a path that is text")?.to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (program, before) = words.split_first().context("a program")?;
        let ask = |arguments: &[&str]| said(Path::new(program), &[before, arguments].concat());
        ask(&["man", "--out", out])?;
        let mut manual = Vec::new();
        for entry in fs::read_dir(pages.path())? {
            let path = entry?.path();
            let name = path.file_name().context("a name")?;
            manual.push((name.to_string_lossy().into_owned(), fs::read(&path)?));
        }
        manual.sort();
        ensure!(!manual.is_empty(), "no manual pages");
        let shells = ["bash", "zsh", "fish"].map(|shell| ask(&["completions", shell]));
        let [bash, zsh, fish] = shells;
        let told = String::from_utf8(ask(&["--version"])?)?;
        let version = told.split_whitespace().last().context("a version")?;
        let read = |path: &str| fs::read(root.join(path)).with_context(|| path.to_owned());
        Ok(Self {
            version: version.to_owned(),
            binary: parsed,
            manual,
            completions: [bash?, zsh?, fish?],
            licence: read("LICENSE")?,
            notice: read("NOTICE")?,
            readme: read("README.md")?,
            service: read("hosting/reckon.service")?,
            time: time(root),
        })
    }

    /// Manual pages and completions below `share`, as programs of the system look for them.
    fn share(&self, share: &str) -> Vec<Item> {
        let [bash, zsh, fish] = &self.completions;
        let pages = self.manual.iter();
        let pages =
            pages.map(|(name, text)| Item::new(format!("{share}/man/man1/{name}"), text.clone()));
        let mut items: Vec<Item> = pages.collect();
        for (path, text) in [
            ("bash-completion/completions/reckon", bash),
            ("zsh/site-functions/_reckon", zsh),
            ("fish/vendor_completions.d/reckon.fish", fish),
        ] {
            items.push(Item::new(format!("{share}/{path}"), text.clone()));
        }
        items
    }

    /// What the tar archive has, in one directory.
    fn archive(&self, name: &str) -> Vec<Item> {
        let mut items = vec![
            Item::program(format!("{name}/reckon"), &self.binary.bytes),
            Item::new(format!("{name}/LICENSE"), self.licence.clone()),
            Item::new(format!("{name}/NOTICE"), self.notice.clone()),
            Item::new(format!("{name}/README.md"), self.readme.clone()),
            Item::new(format!("{name}/reckon.service"), self.service.clone()),
        ];
        items.extend(self.share(&format!("{name}/share")));
        items
    }
}

/// The Homebrew formula, with this version and the digest of this archive; the other processor's stays open.
fn formula(
    root: &Path,
    out: &Path,
    contents: &Contents,
    files: &[(String, Vec<u8>)],
) -> Result<()> {
    let template = fs::read_to_string(root.join("packaging/reckon.rb"))?;
    let archive = files.iter().find(|(name, _)| {
        name.ends_with("linux-gnu.tar.gz") || name.ends_with("linux-musl.tar.gz")
    });
    let Some((_, bytes)) = archive else {
        return Ok(());
    };
    let place = format!("@SHA256_{}@", contents.binary.processor().to_uppercase());
    let filled = template
        .replace("@VERSION@", &contents.version)
        .replace(&place, &hex(&Sha256::digest(bytes)));
    Ok(fs::write(out.join("reckon.rb"), filled)?)
}

/// The time of the last commit, or what `SOURCE_DATE_EPOCH` says: the clock would make every package another one.
fn time(root: &Path) -> u64 {
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok();
    let asked = asked.and_then(|text| text.parse().ok());
    let last = || {
        let git = Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(root)
            .output()
            .ok()?;
        String::from_utf8(git.stdout).ok()?.trim().parse().ok()
    };
    // A zip file knows no earlier time than 1980.
    asked.or_else(last).unwrap_or(0).max(315_532_800)
}

/// What a program prints.
fn said(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| program.display().to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let shown = arguments.join(" ");
    ensure!(
        output.status.success(),
        "{} {shown}: {errors}",
        program.display()
    );
    Ok(output.stdout)
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
