//! An npm package that carries the binary for one platform: `npm install -g` links it as `reckon`.
//!
//! No JavaScript in it and no script that runs at install: what is installed is what was packed.
use super::{Contents, Item, archive};
use anyhow::Result;
use serde_json::json;

pub(super) fn make(contents: &Contents) -> Result<(String, Vec<u8>)> {
    let Contents {
        version, binary, ..
    } = contents;
    let processor = binary.node();
    let pages = contents.manual.iter();
    let pages: Vec<String> = pages
        .map(|(name, _)| format!("./share/man/man1/{name}"))
        .collect();
    let mut package = json!({
        "name": "reckon",
        "version": version,
        "description": "Private AI on the CPU you own, with answers that are checked",
        "license": "Apache-2.0",
        "os": ["linux"],
        "cpu": [processor],
        "bin": { "reckon": "bin/reckon" },
        "man": pages,
        "files": ["bin", "share", "LICENSE", "NOTICE"],
    });
    if binary.glibc.is_some() {
        package["libc"] = json!(["glibc"]);
    }
    let mut items = vec![
        Item::new("package/package.json", format!("{package:#}\n")),
        Item::program("package/bin/reckon", &binary.bytes),
        Item::new("package/LICENSE", contents.licence.clone()),
        Item::new("package/NOTICE", contents.notice.clone()),
        Item::new("package/README.md", contents.readme.clone()),
    ];
    items.extend(contents.share("package/share"));
    let name = format!("reckon-{version}-npm-linux-{processor}.tgz");
    Ok((name, archive::tar_gz(&items, contents.time)?))
}
