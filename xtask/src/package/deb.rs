//! A Debian package: an `ar` archive of two tar archives. The service is in it, and is not started.
use super::{Contents, Item, archive};
use anyhow::Result;
use flate2::{Compression, GzBuilder};
use std::io::Write;

pub(super) fn make(contents: &Contents) -> Result<(String, Vec<u8>)> {
    let Contents {
        version, binary, ..
    } = contents;
    let mut items = vec![Item::program("./usr/bin/reckon", &binary.bytes)];
    for item in contents.share("./usr/share") {
        // Where Debian has them: pages in gzip, functions of zsh apart from the person's own.
        let path = item
            .path
            .replace("/site-functions/", "/vendor-completions/");
        items.push(match path.contains("/man/") {
            true => Item::new(format!("{path}.gz"), gzip(&item.bytes)?),
            false => Item::new(path, item.bytes),
        });
    }
    let copyright = [&contents.notice[..], b"\n", &contents.licence].concat();
    items.push(Item::new("./usr/share/doc/reckon/copyright", copyright));
    let service = "./usr/lib/systemd/system/reckon.service";
    items.push(Item::new(service, contents.service.clone()));
    let kilobytes: usize = items
        .iter()
        .map(|item| item.bytes.len().div_ceil(1024))
        .sum();
    let architecture = binary.debian();
    let depends = match binary.glibc {
        Some(minor) => format!("Depends: libc6 (>= 2.{minor}), libgcc-s1\n"),
        None => String::new(),
    };
    let control = format!(
        "Package: reckon\nVersion: {version}\nArchitecture: {architecture}\nInstalled-Size: {kilobytes}\n\
         {depends}Recommends: ca-certificates\nSuggests: python3-pip, z3\nSection: utils\nPriority: optional\n\
         Maintainer: The Reckon authors <reckon@localhost>\n\
         Description: private AI on the CPU you own, with answers that are checked\n \
         Runs small language models from GGUF files and holds their answers against\n \
         classical tools: programs, exact arithmetic, solvers. Terminal, page, API.\n"
    );
    let control = [Item::new("./control", control)];
    let mut ar = b"!<arch>\n".to_vec();
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", archive::tar_gz(&control, contents.time)?),
        ("data.tar.gz", archive::tar_gz(&items, contents.time)?),
    ] {
        let (time, size) = (contents.time, bytes.len());
        ar.extend(format!("{name:<16}{time:<12}0     0     100644  {size:<10}`\n").bytes());
        ar.extend(bytes);
        if size % 2 == 1 {
            ar.push(b'\n');
        }
    }
    Ok((format!("reckon_{version}_{architecture}.deb"), ar))
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}
