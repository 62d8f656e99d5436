//! Puts the files of the page (`web/dist`) into the binary: a table of name, type, tag and bytes.
use flate2::{Compression, write::GzEncoder};
use std::{
    env,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write as _,
    path::{Path, PathBuf},
};

fn main() {
    let root =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../web/dist");
    println!("cargo:rerun-if-changed={}", root.display());
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    let mut names = Vec::new();
    collect(&root, "", &mut names);
    names.sort();
    let mut table = String::from("const ASSETS: &[Asset] = &[\n");
    for name in names {
        let path = root.join(&name).canonicalize().expect("it was just listed");
        let bytes = fs::read(&path).expect("a file of the page");
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let kind = kind(&name);
        let packed = format!("{:016x}.gz", hasher.finish());
        fs::write(out.join(&packed), gzip(&bytes)).expect("cargo's own directory");
        writeln!(
            table,
            "    Asset {{ name: {name:?}, kind: {kind:?}, tag: {tag:?}, bytes: include_bytes!({path:?}), \
             gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{packed}\")) }},"
        )
        .expect("a string grows");
    }
    table += "];\n";
    fs::write(out.join("assets.rs"), table).expect("cargo's own directory");
}

/// Names of all files below, with `/` between folders.
fn collect(root: &Path, before: &str, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(root.join(before)) else {
        return;
    };
    for entry in entries.flatten() {
        let Some(name) = entry
            .file_name()
            .to_str()
            .map(|name| format!("{before}{name}"))
        else {
            continue;
        };
        match entry.path().is_dir() {
            true => collect(root, &format!("{name}/"), names),
            false => names.push(name),
        }
    }
}

/// Packed once, here, so that no request waits for it.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).expect("a vector grows");
    packer.finish().expect("a vector grows")
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}
