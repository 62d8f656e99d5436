//! The source of this crate in, one digest for each guard out, over all code and prompts that decide what it does.
//!
//! Run when the crate is built, and by a test on changed copies of the source. A guard is its file in `guards`, what
//! that file includes, and every module that these name by `crate::` or `super::`, with the modules below them. What
//! all guards stand on ([`SHARED`]) is in each digest. Comments, blank lines and unit tests are left out, so that a word
//! set right is no new version; anything else is, also a change without consequences: a false alarm costs a run of the
//! gate, a missed one costs an answer.

use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// The modules behind every guard: how they are run, and what is re-exported from everywhere.
const SHARED: [&str; 9] = [
    "desk",
    "detect",
    "detect/mask",
    "guard",
    "guards",
    "model",
    "pipeline",
    "receipt",
    "tools",
];

/// The guards' names and digests, by name; a guard is a file of `guards` that implements one.
pub(crate) fn guards(source: &Path) -> io::Result<BTreeMap<String, String>> {
    let modules = modules(source, "")?;
    let is_guard = |(name, module): &(&String, &Module)| {
        name.starts_with("guards/")
            && module.code.contains("impl Guard for ")
            && *name != "guards/pack"
    };
    let digest = |(name, _): (&String, &Module)| {
        let short = name.trim_start_matches("guards/").to_owned();
        (short, digest(&modules, &files_of(&modules, name)))
    };
    Ok(modules.iter().filter(is_guard).map(digest).collect())
}

/// One module: its code without comments and tests, and the texts that it includes.
struct Module {
    code: String,
    included: String,
}

/// All modules of a directory; a name is the path below `src` without its ending.
fn modules(source: &Path, below: &str) -> io::Result<BTreeMap<String, Module>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(source.join(below))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = match below {
            "" => name.into_owned(),
            _ => format!("{below}/{name}"),
        };
        if path.is_dir() {
            found.extend(modules(source, &name)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let code = code(&fs::read_to_string(&path)?);
            let beside = path.parent().unwrap_or(source);
            let included = included(&code, beside)?;
            found.insert(name, Module { code, included });
        }
    }
    Ok(found)
}

/// The lines that do something.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let lines = body.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The texts of `include_str!`, with one kind of line end.
fn included(code: &str, beside: &Path) -> io::Result<String> {
    let mut all = String::new();
    for rest in code.split("include_str!(\"").skip(1) {
        let name = rest.split('"').next().unwrap_or("");
        let text = fs::read_to_string(beside.join(name))?;
        all.push_str(&text.replace("\r\n", "\n"));
        all.push('\0');
    }
    Ok(all)
}

/// The modules that decide what a guard does.
fn files_of<'a>(modules: &'a BTreeMap<String, Module>, guard: &str) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> = SHARED.to_vec();
    open.push(guard);
    while let Some(name) = open.pop() {
        let Some((name, module)) = modules.get_key_value(name) else {
            continue;
        };
        if !found.insert(name) || SHARED.contains(&name.as_str()) {
            continue;
        }
        let below = format!("{name}/");
        open.extend(
            modules
                .keys()
                .filter(|other| other.starts_with(&below))
                .map(String::as_str),
        );
        open.extend(
            named(name, &module.code)
                .iter()
                .filter_map(|path| resolved(modules, path)),
        );
    }
    found
}

/// The module that a path leads to: its longest beginning that is one.
fn resolved<'a>(modules: &'a BTreeMap<String, Module>, path: &str) -> Option<&'a str> {
    let ends = path
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    let found = ends.filter_map(|end| modules.get_key_value(&path[..end]));
    found.last().map(|(name, _)| name.as_str())
}

/// The paths of this crate that a module's code names, with `/` between their parts.
fn named(module: &str, code: &str) -> BTreeSet<String> {
    let parent = module.rsplit_once('/').map_or("", |(parent, _)| parent);
    let mut found = BTreeSet::new();
    for (word, base) in [("crate::", ""), ("super::", parent), ("self::", module)] {
        for (at, _) in code.match_indices(word) {
            let mut rest = &code[at + word.len()..];
            tree(&mut rest, base, &mut found);
        }
    }
    found
}

/// Reads `a::{b, c::d}` from the front of `rest` and adds each path below `base`.
fn tree(rest: &mut &str, base: &str, found: &mut BTreeSet<String>) {
    let join = |part: &str| match (base, part) {
        (_, "self") => base.to_owned(),
        ("", part) => part.to_owned(),
        (base, part) => format!("{base}/{part}"),
    };
    if let Some(inside) = rest.strip_prefix('{') {
        *rest = inside;
        loop {
            *rest = rest.trim_start_matches([',', ' ', '\n']);
            if rest.is_empty() {
                return;
            }
            if let Some(after) = rest.strip_prefix('}') {
                *rest = after;
                return;
            }
            let before = rest.len();
            tree(rest, base, found);
            // Something that is no path, such as `as name`: one character on.
            if rest.len() == before {
                *rest = rest.char_indices().nth(1).map_or("", |(at, _)| &rest[at..]);
            }
        }
    }
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (part, after) = rest.split_at(end);
    if part.is_empty() {
        return;
    }
    *rest = after;
    match after.strip_prefix("::") {
        Some(more) => {
            *rest = more;
            found.insert(join(part));
            tree(rest, &join(part), found);
        }
        None => {
            found.insert(join(part));
        }
    }
}

fn digest(modules: &BTreeMap<String, Module>, names: &BTreeSet<&str>) -> String {
    let mut hasher = Sha256::new();
    for name in names {
        if let Some(module) = modules.get(*name) {
            for text in [name, module.code.as_str(), module.included.as_str()] {
                hasher.update((text.len() as u64).to_le_bytes());
                hasher.update(text);
            }
        }
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
