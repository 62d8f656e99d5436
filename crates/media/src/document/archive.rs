//! Office files are ZIP archives: one part at a time, unpacked up to a bound.
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use std::{collections::HashMap, io::Read};

/// Most bytes that one part unpacks to; a page of text has some 20 kB.
const MOST_PART: u64 = 96 << 20;
/// Most parts that are listed.
const MOST_PARTS: usize = 20_000;

pub(super) struct Archive<'a> {
    zip: ZipSliceArchive<&'a [u8]>,
    parts: HashMap<String, (ZipArchiveEntryWayfinder, CompressionMethod)>,
}

impl<'a> Archive<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, String> {
        let damaged = |error| format!("the file is damaged: {error}");
        let zip = ZipArchive::from_slice(file).map_err(damaged)?;
        let mut parts = HashMap::new();
        let mut entries = zip.entries();
        // A directory that breaks off lists what came before.
        while let Ok(Some(entry)) = entries.next_entry() {
            let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            parts.insert(name, (entry.wayfinder(), entry.compression_method()));
            if parts.len() >= MOST_PARTS {
                break;
            }
        }
        Ok(Self { zip, parts })
    }

    /// Unpacks a part; `None` if there is none of that name.
    pub(super) fn part(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let Some((entry, method)) = self.parts.get(name) else {
            return Ok(None);
        };
        let damaged = |_| format!("the file is damaged: {name} cannot be unpacked");
        let entry = self.zip.get_entry(*entry).map_err(damaged)?;
        let mut bytes = Vec::new();
        let packed = entry.data();
        let read = match *method {
            CompressionMethod::Store => packed.take(MOST_PART + 1).read_to_end(&mut bytes),
            CompressionMethod::Deflate => {
                let unpacked = DeflateDecoder::new(packed);
                unpacked.take(MOST_PART + 1).read_to_end(&mut bytes)
            }
            _ => return Err(format!("{name} is packed in a way that is not read")),
        };
        if bytes.len() as u64 > MOST_PART {
            return Err(format!(
                "{name} unpacks to more than {} MiB",
                MOST_PART >> 20
            ));
        }
        match read {
            Ok(_) => Ok(Some(bytes)),
            // What came before the damage is kept.
            Err(_) if !bytes.is_empty() => Ok(Some(bytes)),
            Err(_) => Err(format!("the file is damaged: {name} cannot be unpacked")),
        }
    }
}
