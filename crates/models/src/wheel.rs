//! Takes one member out of a Python wheel (a zip file) as a stream.
//!
//! The wheel came over the network: its names and sizes are claims. Names are only compared, never used as paths, and
//! at most `limit` bytes are written, whatever the wheel says.
use crate::{Error, ErrorKind, Result, disk};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};
use std::{
    fmt::Display,
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

/// Unpacks `member` of `wheel` into `out`, which lies at `place`; more than `limit` bytes are an error.
pub fn unpack(
    wheel: &Path,
    member: &str,
    limit: u64,
    out: &mut dyn Write,
    place: &Path,
) -> Result<()> {
    let broken =
        |what: &str, why: &dyn Display| Error::new(ErrorKind::Mismatch, format!("{what}: {why}"));
    let file = File::open(wheel).map_err(|error| disk::cannot_read(&error, wheel))?;
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive =
        ZipArchive::from_file(file, &mut buffer).map_err(|error| broken("not a wheel", &error))?;
    let mut found: Option<(CompressionMethod, ZipArchiveEntryWayfinder)> = None;
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries
        .next_entry()
        .map_err(|error| broken("broken wheel", &error))?
    {
        if entry.file_path().as_ref() == member.as_bytes() {
            found = Some((entry.compression_method(), entry.wayfinder()));
            break;
        }
    }
    let Some((method, wayfinder)) = found else {
        let what = format!("the wheel has no member {member}");
        return Err(Error::new(ErrorKind::Mismatch, what));
    };
    let entry = archive
        .get_entry(wayfinder)
        .map_err(|error| broken("broken wheel", &error))?;
    match method {
        CompressionMethod::Store => copy(&mut entry.reader(), limit, out, place),
        CompressionMethod::Deflate => {
            let mut inflated = flate2::read::DeflateDecoder::new(entry.reader());
            copy(&mut inflated, limit, out, place)
        }
        other => Err(broken("unknown compression", &format!("{other:?}"))),
    }
}

fn copy(reader: &mut dyn Read, limit: u64, out: &mut dyn Write, place: &Path) -> Result<()> {
    let broken =
        |error: &io::Error| Error::new(ErrorKind::Mismatch, format!("broken wheel: {error}"));
    let mut chunk = vec![0; 64 << 10];
    let mut left = limit;
    loop {
        let n = match reader.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(broken(&error)),
        };
        // Checked before it is written: what follows in `out` may be somebody else's.
        left = left.checked_sub(n as u64).ok_or_else(|| {
            let what = format!("the member is larger than {limit} bytes");
            Error::new(ErrorKind::Mismatch, what)
        })?;
        let written = out.write_all(&chunk[..n]);
        written.map_err(|error| disk::cannot_write(&error, place))?;
    }
}
