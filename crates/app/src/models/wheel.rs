//! Takes one member out of a Python wheel (a zip file) as a stream.
//!
//! The wheel came over the network: its sizes are claims. At most `limit` bytes are written, whatever it says.
use anyhow::{Context as _, bail};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};
use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

/// Unpacks `member` of `wheel` into `out` and says how many bytes it has; one more than `limit` is an error.
pub(crate) fn unpack(
    wheel: &Path,
    member: &str,
    limit: u64,
    out: &mut dyn Write,
) -> anyhow::Result<u64> {
    let file = File::open(wheel)?;
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).context("not a wheel")?;
    let mut found: Option<(CompressionMethod, ZipArchiveEntryWayfinder)> = None;
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().context("broken wheel")? {
        if entry.file_path().as_ref() == member.as_bytes() {
            found = Some((entry.compression_method(), entry.wayfinder()));
            break;
        }
    }
    let Some((method, wayfinder)) = found else {
        bail!("the wheel has no member {member}");
    };
    let entry = archive.get_entry(wayfinder).context("broken wheel")?;
    match method {
        CompressionMethod::Store => copy(&mut entry.reader(), limit, out),
        CompressionMethod::Deflate => {
            let mut inflated = flate2::read::DeflateDecoder::new(entry.reader());
            copy(&mut inflated, limit, out)
        }
        other => bail!("the wheel is packed in a way we do not read ({other:?})"),
    }
}

fn copy(reader: &mut dyn Read, limit: u64, out: &mut dyn Write) -> anyhow::Result<u64> {
    let n = io::copy(&mut reader.take(limit.saturating_add(1)), out)?;
    if n > limit {
        bail!("the member is larger than {limit} bytes");
    }
    Ok(n)
}
