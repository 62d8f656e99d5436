//! Bytes, catalogues and listings for tests; those of the command line use them, too.
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes that are different for every seed and do not repeat.
pub(crate) fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..n).map(step).collect()
}

/// A catalogue entry of a hub file.
pub(crate) fn hub_entry(name: &str, body: &[u8]) -> String {
    format!(
        r#"{{"name":"{name}","what":"a test","architecture":"llama","licence":"CC0","bytes":{},"sha256":"{}",
        "source":{{"hub":{{"repository":"org/name","file":"model.gguf"}}}}}}"#,
        body.len(),
        sha256(body)
    )
}

/// A catalogue entry of a model in wheels: part `i` is member `parti/data.bin` of the package `pkgi`.
pub(crate) fn wheels_entry(name: &str, parts: &[Vec<u8>]) -> String {
    let part = |(i, part): (usize, &Vec<u8>)| {
        let (n, hash) = (part.len(), sha256(part));
        format!(
            r#"{{"package":"pkg{i}","version":"1.0","member":"part{i}/data.bin","bytes":{n},"sha256":"{hash}"}}"#
        )
    };
    let whole = parts.concat();
    let parts: Vec<_> = parts.iter().enumerate().map(part).collect();
    format!(
        r#"{{"name":"{name}","what":"parts","architecture":"llama","licence":"CC0","bytes":{},"sha256":"{}",
        "source":{{"registry":[{}]}}}}"#,
        whole.len(),
        sha256(&whole),
        parts.join(",")
    )
}

/// A wheel of one part, complete enough for a real pip: a zip file with one member besides its usual company.
pub(crate) fn wheel(package: &str, member: &str, content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    let metadata = format!("Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n");
    let tags = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    let about = format!("{package}-1.0.dist-info");
    for (name, content) in [
        (format!("{about}/METADATA"), metadata.as_bytes()),
        (format!("{about}/WHEEL"), tags.as_bytes()),
        (format!("{about}/RECORD"), b""),
        (member.to_owned(), content),
    ] {
        let (mut entry, config) = archive
            .new_file(&name)
            .compression_method(rawzip::CompressionMethod::Deflate)
            .start()
            .unwrap();
        let deflate = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast());
        let mut writer = config.wrap(deflate);
        writer.write_all(content).unwrap();
        let (deflate, descriptor) = writer.finish().unwrap();
        deflate.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}

/// A catalogue of these entries, preferred in this order.
pub(crate) fn catalogue(defaults: &[&str], entries: &[String]) -> String {
    let models = entries.join(",");
    format!(r#"{{"defaults":{defaults:?},"models":[{models}]}}"#)
}

/// Names of all files below a directory, relative, sorted.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    fn walk(directory: &Path, base: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, base, found);
            } else {
                let name = path.strip_prefix(base).unwrap();
                found.push(name.to_string_lossy().into_owned());
            }
        }
    }
    let mut found = Vec::new();
    walk(directory, directory, &mut found);
    found.sort();
    found
}

/// A repository of the loopback hub: its files, and what its API says about them.
pub(crate) struct Repository<'a> {
    pub(crate) name: &'a str,
    pub(crate) architecture: &'a str,
    pub(crate) files: &'a [(&'a str, &'a [u8])],
}

impl Repository<'_> {
    /// Paths and bodies to serve, at the commit that the server claims to be at.
    pub(crate) fn routes(&self, commit: &str) -> Vec<(String, Vec<u8>)> {
        let Self {
            name,
            architecture,
            files,
        } = self;
        let sibling = |(path, body): &(&str, &[u8])| {
            let (bytes, digest) = (body.len(), sha256(body));
            format!(
                r#"{{"rfilename":"{path}","size":{bytes},"lfs":{{"sha256":"{digest}","size":{bytes},"pointerSize":135}}}}"#
            )
        };
        let siblings: Vec<_> = files.iter().map(sibling).collect();
        let info = format!(
            r#"{{"id":"{name}","sha":"{commit}","gated":false,"private":false,"downloads":1234,
            "tags":["gguf","license:apache-2.0"],"siblings":[{{"rfilename":"README.md","size":3}},{}],
            "gguf":{{"total":1500000000,"architecture":"{architecture}","context_length":32768,"chat_template":"x"}}}}"#,
            siblings.join(",")
        );
        let api = format!("/api/models/{name}?blobs=true");
        let file = |(path, body): &(&str, &[u8])| {
            (format!("/{name}/resolve/{commit}/{path}"), body.to_vec())
        };
        [(api, info.into_bytes())]
            .into_iter()
            .chain(files.iter().map(file))
            .collect()
    }
}
