//! Throws a file out of the system's cache, so that the next load comes from the disk.
//!
//! The system takes it as a wish, and pages that another program has mapped stay; so a few places of the file are
//! asked for without waiting, and only if hardly any is there does the next load count as cold. Linux only.
use std::path::Path;

/// Whether the file is out of the cache now.
#[cfg(target_os = "linux")]
pub(super) fn chill(path: &Path) -> bool {
    use rustix::fs::{Advice, fadvise};
    let Ok(file) = std::fs::File::open(path) else {
        return false;
    };
    let Ok(len) = file.metadata().map(|data| data.len()) else {
        return false;
    };
    // Pages that were never written to the disk cannot be dropped.
    let _ = file.sync_all();
    fadvise(&file, 0, None, Advice::DontNeed).is_ok() && is_out(&file, len)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn chill(_path: &Path) -> bool {
    false
}

/// Whether at most one in sixteen of the places looked at is in the cache.
#[cfg(target_os = "linux")]
fn is_out(file: &std::fs::File, len: u64) -> bool {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    const PLACES: u64 = 64;
    let mut here = 0;
    for i in 0..PLACES {
        let mut byte = [0];
        let mut room = [std::io::IoSliceMut::new(&mut byte)];
        let at = (len - 1) / PLACES * i;
        match preadv2(file, &mut room, at, ReadWriteFlags::NOWAIT) {
            Ok(_) => here += 1,
            Err(Errno::AGAIN) => {}
            // A file system that cannot say is not believed.
            Err(_) => return false,
        }
    }
    here * 16 <= PLACES
}
