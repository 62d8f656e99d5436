//! Writers of archives: tar (ustar) in gzip, and zip. No clock, no names of users: the same items give the same bytes.
use super::Item;
use anyhow::{Context, Result, ensure};
use flate2::{Compression, Crc, GzBuilder, write::DeflateEncoder};
use std::{collections::BTreeSet, io::Write};

/// A tar archive in gzip, with a directory before what is in it.
pub(super) fn tar_gz(items: &[Item], time: u64) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), Compression::best());
    let mut directories = BTreeSet::new();
    for item in items {
        for (end, _) in item.path.match_indices('/') {
            let directory = &item.path[..=end];
            // Of Debian's packages the first one is "./".
            if directories.insert(directory.to_owned()) {
                gzip.write_all(&header(directory, 0o755, 0, time, b'5')?)?;
            }
        }
        let mode = if item.is_program { 0o755 } else { 0o644 };
        let size = item.bytes.len();
        gzip.write_all(&header(&item.path, mode, size, time, b'0')?)?;
        gzip.write_all(&item.bytes)?;
        gzip.write_all(&vec![0; size.next_multiple_of(512) - size])?;
    }
    gzip.write_all(&[0; 1024])?;
    Ok(gzip.finish()?)
}

/// The 512 bytes before a file.
fn header(path: &str, mode: u32, size: usize, time: u64, kind: u8) -> Result<[u8; 512]> {
    ensure!(path.len() < 100, "{path}: too long for a tar archive");
    let mut header = [0; 512];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, &format!("{mode:07o}"));
    // User and group 0, by number: names are a machine's own.
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{time:011o}"));
    // The sum is made as if it stood there as blanks.
    put(148, "        ");
    put(156, std::str::from_utf8(&[kind])?);
    put(257, "ustar\u{0}00");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

/// A zip archive; `time` is written in days and seconds of 1980 and later, in UTC.
pub(super) fn zip(items: &[Item], time: u64) -> Result<Vec<u8>> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    let stamp = dos_time(time);
    for item in items {
        let offset = u32::try_from(out.len()).context("too large for a zip archive")?;
        let mut crc = Crc::new();
        crc.update(&item.bytes);
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
        deflate.write_all(&item.bytes)?;
        let packed = deflate.finish()?;
        // What both headers have: version 2.0, names in UTF-8, deflate.
        let mut shared = Vec::new();
        for half in [20, 1 << 11, 8, stamp.1, stamp.0] {
            shared.extend(u16::to_le_bytes(half));
        }
        for word in [
            crc.sum(),
            u32::try_from(packed.len())?,
            u32::try_from(item.bytes.len())?,
        ] {
            shared.extend(word.to_le_bytes());
        }
        shared.extend(u16::try_from(item.path.len())?.to_le_bytes());
        shared.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&shared);
        out.extend(item.path.as_bytes());
        out.extend(&packed);
        // Made on Unix: so the mode counts.
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&shared);
        directory.extend([0; 6]);
        let mode: u32 = if item.is_program {
            0o100_755
        } else {
            0o100_644
        };
        directory.extend((mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(item.path.as_bytes());
    }
    let count = u16::try_from(items.len())?.to_le_bytes();
    let (begin, size) = (u32::try_from(out.len())?, u32::try_from(directory.len())?);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(size.to_le_bytes());
    out.extend(begin.to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    Ok(out)
}

/// A date and a time as MS-DOS had them.
fn dos_time(time: u64) -> (u16, u16) {
    // Howard Hinnant's days to civil dates, for years from 1970 on.
    let (days, seconds) = (time / 86_400 + 719_468, time % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let date = (year.saturating_sub(1980) << 9) | (month << 5) | day;
    let clock = ((seconds / 3600) << 11) | ((seconds % 3600 / 60) << 5) | (seconds % 60 / 2);
    let half = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    (half(date), half(clock))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_tar_archive_has_what_went_in_and_the_same_bytes_again() {
        let items = [
            Item::program("a/run", b"#!/bin/sh"),
            Item::new("a/b/text", "x".repeat(600)),
        ];
        let packed = tar_gz(&items, 1_000_000_000).unwrap();
        assert_eq!(packed, tar_gz(&items, 1_000_000_000).unwrap());
        let mut tar = Vec::new();
        flate2::read::GzDecoder::new(&*packed)
            .read_to_end(&mut tar)
            .unwrap();
        // a/, a/run and its block, a/b/, a/b/text and its two blocks, the end.
        assert_eq!(tar.len(), 512 * (1 + 2 + 1 + 3 + 2));
        assert_eq!(&tar[..3], b"a/\0");
        assert_eq!(&tar[512 + 100..512 + 107], b"0000755");
        assert_eq!(&tar[1024..1033], b"#!/bin/sh");
        assert!(tar_gz(&[Item::new("x".repeat(100), "")], 0).is_err());
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        // 2024-02-29 12:34:56 UTC.
        let (date, clock) = dos_time(1_709_210_096);
        assert_eq!((date >> 9, (date >> 5) & 15, date & 31), (44, 2, 29));
        assert_eq!((clock >> 11, (clock >> 5) & 63, clock & 31), (12, 34, 28));
    }
}
