//! A Python wheel that carries the binary: `pip install` puts it beside `python`.
//!
//! No Python in it: scripts of a wheel may be any program. Source: the packaging guide's binary distribution format and PEP 600,
//! 656 for the tags.
use super::{Contents, Item, archive};
use anyhow::Result;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

pub(super) fn make(contents: &Contents) -> Result<(String, Vec<u8>)> {
    let Contents {
        version, binary, ..
    } = contents;
    let processor = binary.processor();
    let platform = match binary.glibc {
        Some(minor) => format!("manylinux_2_{minor}_{processor}"),
        // A static one runs everywhere.
        None => format!("manylinux_2_17_{processor}.musllinux_1_1_{processor}"),
    };
    let stem = format!("reckon-{version}");
    let (data, info) = (format!("{stem}.data"), format!("{stem}.dist-info"));
    let mut items = vec![Item::program(
        format!("{data}/scripts/reckon"),
        &binary.bytes,
    )];
    items.extend(contents.share(&format!("{data}/data/share")));
    items.push(Item::new(
        format!("{info}/licenses/LICENSE"),
        contents.licence.clone(),
    ));
    items.push(Item::new(
        format!("{info}/licenses/NOTICE"),
        contents.notice.clone(),
    ));
    let readme = String::from_utf8_lossy(&contents.readme);
    let metadata = format!(
        "Metadata-Version: 2.4\nName: reckon\nVersion: {version}\n\
         Summary: Private AI on the CPU you own, with answers that are checked\n\
         License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
    );
    items.push(Item::new(format!("{info}/METADATA"), metadata));
    let tags = platform
        .split('.')
        .map(|one| format!("Tag: py3-none-{one}\n"));
    let tags: String = tags.collect();
    let wheel = format!("Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\n{tags}");
    items.push(Item::new(format!("{info}/WHEEL"), wheel));
    let record = format!("{info}/RECORD");
    let lines = items.iter().map(|item| {
        let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&item.bytes));
        format!("{},sha256={digest},{}\n", item.path, item.bytes.len())
    });
    let lines: String = lines.chain([format!("{record},,\n")]).collect();
    items.push(Item::new(record, lines));
    let name = format!("{stem}-py3-none-{platform}.whl");
    Ok((name, archive::zip(&items, contents.time)?))
}
