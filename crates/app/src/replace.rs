//! Writes a whole file in the place of another, all or nothing: a kill leaves the old one as it was.
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Puts these bytes in the place of a file; directories on the way are made.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
        fs::create_dir_all(directory)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().inspect_err(|_| drop(fs::remove_file(&beside)))
}
