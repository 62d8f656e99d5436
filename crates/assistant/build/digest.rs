//! A digest for each guard, over all code and prompts that decide what it does: its version.
//!
//! Run when the crate is built, and by a test on changed copies of the source. A guard is its file in `guards`, what
//! that file includes, and every module that these name by `crate::`, `super::` or `self::`, with the modules below them.
//! What all guards stand on ([`SHARED`]) is in each digest. Comments, blank lines and unit tests are left out, so that a
//! word set right is no new version; anything else is, also a change without consequences: a false alarm costs a run of
//! the gate, a missed one costs an answer.

use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// The modules behind every guard: how they are run, and what is re-exported from everywhere.
const SHARED: [&str; 8] = [
    "detect",
    "detect/mask",
    "guard",
    "guards",
    "model",
    "pipeline",
    "receipt",
    "tools",
];

/// The source of the crate that computes: what it makes of a text decides as much as a guard's own lines.
const COMPUTE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../compute/src");

/// Code without comments and tests, with the texts that it includes, by the module's path below `src`.
type Modules = BTreeMap<String, String>;

/// The guards' names and digests, by name; a guard is a file of `guards` that implements one.
pub(crate) fn guards(source: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut modules = Modules::new();
    read(source, "", &mut modules)?;
    let mut compute = Modules::new();
    read(Path::new(COMPUTE), "", &mut compute)?;
    let is_guard = |(name, code): &(&String, &String)| {
        name.starts_with("guards/") && *name != "guards/pack" && code.contains("impl Guard for ")
    };
    let digest = |(name, _): (&String, &String)| {
        let mut hasher = Sha256::new();
        let behind = behind(name, &modules);
        let computes = |name: &&str| {
            let code = &modules[*name];
            code.contains("reckon_compute::") || code.contains("number::")
        };
        let own = behind.iter().filter(|name| !SHARED.contains(*name));
        let computes = own.clone().any(computes);
        let code = behind.iter().map(|name| (*name, modules[*name].as_str()));
        let computed = compute.iter().filter(|_| computes);
        let computed = computed.map(|(name, code)| (name.as_str(), code.as_str()));
        for (name, code) in code.chain(computed) {
            for text in [name, code] {
                // Lengths keep two lists of texts from giving the same stream.
                hasher.update((text.len() as u64).to_le_bytes());
                hasher.update(text);
            }
        }
        let hex = hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        (name.trim_start_matches("guards/").to_owned(), hex)
    };
    Ok(modules.iter().filter(is_guard).map(digest).collect())
}

/// Reads the modules of a directory.
fn read(source: &Path, below: &str, modules: &mut Modules) -> io::Result<()> {
    for entry in fs::read_dir(source.join(below))? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{below}/{stem}").trim_start_matches('/').to_owned();
        if path.is_dir() {
            read(source, &name, modules)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let mut code = code(&fs::read_to_string(&path)?);
            for text in included(&code) {
                let text = fs::read_to_string(path.with_file_name(text))?;
                code += "\0";
                code += &text.replace("\r\n", "\n");
            }
            modules.insert(name, code);
        }
    }
    Ok(())
}

/// The lines that do something.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let lines = body.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names in `include_str!`.
fn included(code: &str) -> Vec<String> {
    let names = code.split("include_str!(\"").skip(1);
    names
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

/// The modules that decide what a guard does.
fn behind<'a>(guard: &'a str, modules: &'a Modules) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = SHARED.iter().copied().chain([guard]).collect();
    while let Some(name) = open.pop() {
        // What shared modules name is either shared, too, or words for people.
        let known = modules.contains_key(name) && found.insert(name);
        if known && !SHARED.contains(&name) {
            let below = format!("{name}/");
            let used = modules
                .keys()
                .filter(|other| other.starts_with(&below) || names(name, &modules[name], other));
            open.extend(used.map(String::as_str));
        }
    }
    found
}

/// Whether the code of a module names another one: by a path, or in a tree of them. All parts of the other's path must
/// stand in one tree; that they may stand on different branches of it makes for a false alarm at worst.
fn names(module: &str, code: &str, other: &str) -> bool {
    let parent = module.rsplit_once('/').map_or("", |(parent, _)| parent);
    [("crate::", ""), ("super::", parent), ("self::", module)]
        .iter()
        .any(|(word, base)| {
            let Some(path) = other.strip_prefix(base) else {
                return false;
            };
            let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
            code.match_indices(word).any(|(at, _)| {
                let words = tree(&code[at + word.len()..]);
                parts.iter().all(|part| words.contains(part))
            })
        })
}

/// The words of the path, or the tree of paths in braces, that a text begins with.
fn tree(text: &str) -> BTreeSet<&str> {
    let mut depth = 0;
    let end = text.find(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth <= 0 && !(c.is_alphanumeric() || matches!(c, '_' | ':' | '}'))
    });
    let words = text[..end.unwrap_or(text.len())].split(|c: char| !c.is_alphanumeric() && c != '_');
    words.collect()
}
