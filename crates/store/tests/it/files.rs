//! The file: its permissions, and files that are not stores, newer, damaged or somebody's trap.
use crate::samples::{conversation, exchange};
use reckon_store::{Error, Owner, Store};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    (directory, path)
}

/// A store with a conversation of some pages, closed.
fn filled(path: &Path) {
    let store = Store::open(path).unwrap();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    exchange(
        &store,
        &owner,
        &id,
        None,
        ("question", &"some text ".repeat(5_000)),
    );
}

/// Opening must fail and leave every byte.
fn refused(path: &Path) -> Error {
    let before = std::fs::read(path).unwrap();
    let error = Store::open(path).expect_err("this is no store");
    assert_eq!(std::fs::read(path).unwrap(), before, "the file was changed");
    error
}

#[test]
fn directories_are_made_and_the_file_is_kept() {
    let (directory, _) = place();
    let path = directory.path().join("a/b/store.db");
    filled(&path);
    let store = Store::open(&path).unwrap();
    assert_eq!(
        store
            .list(&Owner::local(), &Default::default())
            .unwrap()
            .len(),
        1
    );
    store.check().unwrap();
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let (directory, _) = place();
    let path = directory.path().join("new/store.db");
    let store = Store::open(&path).unwrap();
    conversation(&store, &Owner::local());
    let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for suffix in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(suffix)), 0o600, "{suffix}");
    }
    drop(store);

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let store = Store::open(&path).unwrap();
    conversation(&store, &Owner::local());
    for suffix in ["", "-wal", "-shm"] {
        assert_eq!(
            mode(&beside(suffix)),
            0o600,
            "{suffix} after a copy that was open to all"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_the_store() {
    let (directory, path) = place();
    filled(&path);
    let link = directory.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let store = Store::open(&link).unwrap();
    assert_eq!(
        store
            .list(&Owner::local(), &Default::default())
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_file_that_is_something_else_is_refused_and_kept() {
    let (_directory, path) = place();
    for bytes in [
        &b"# my notes\n"[..],
        &[0; 4096],
        b"SQLite format 3\0 or so",
        &[b'x'; 100_000],
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = refused(&path);
        assert!(
            matches!(error, Error::NotAStore(_) | Error::Damaged(_)),
            "{error:?}"
        );
    }
}

#[test]
fn a_database_of_another_program_is_refused_and_kept() {
    let (_directory, path) = place();
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x');")
        .unwrap();
    drop(other);
    assert!(matches!(refused(&path), Error::NotAStore(_)));
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("PRAGMA user_version = 1; PRAGMA application_id = 1;")
        .unwrap();
    drop(other);
    assert!(matches!(refused(&path), Error::NotAStore(_)));
}

#[test]
fn a_newer_version_is_refused_and_kept() {
    let (_directory, path) = place();
    filled(&path);
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 1_000).unwrap();
    drop(newer);
    let error = refused(&path);
    assert!(
        matches!(error, Error::Newer { found: 1_000, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("update"), "{error}");
}

#[test]
fn a_truncated_store_is_damaged_and_kept() {
    let (_directory, path) = place();
    filled(&path);
    let bytes = std::fs::read(&path).unwrap();
    for len in [200, 4096, bytes.len() / 2, bytes.len() - 4096] {
        std::fs::write(&path, &bytes[..len]).unwrap();
        let error = refused(&path);
        assert!(
            matches!(error, Error::Damaged(_) | Error::NotAStore(_)),
            "{len}: {error:?}"
        );
    }
}

#[test]
fn a_store_with_overwritten_pages_is_an_error_and_no_panic() {
    let (_directory, path) = place();
    filled(&path);
    let bytes = std::fs::read(&path).unwrap();
    let owner = Owner::local();
    let mut noticed = 0;
    for page in 1..bytes.len() / 4096 {
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        std::fs::write(&path, damaged).unwrap();
        let used = Store::open(&path).and_then(|store| {
            for summary in store.list(&owner, &Default::default())? {
                store.conversation(&owner, &summary.id)?;
            }
            store.check()
        });
        match used {
            Err(Error::Damaged(_)) => noticed += 1,
            Err(error) => panic!("page {page}: {error:?}"),
            Ok(()) => panic!("page {page}: nobody noticed"),
        }
    }
    assert!(noticed > 10);
}

#[test]
fn a_row_that_makes_no_sense_is_damage() {
    let (_directory, path) = place();
    filled(&path);
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("UPDATE messages SET receipt = '{'")
        .unwrap();
    drop(other);
    let store = Store::open(&path).unwrap();
    let id = store
        .list(&Owner::local(), &Default::default())
        .unwrap()
        .remove(0)
        .id;
    let read = store.conversation(&Owner::local(), &id);
    assert!(matches!(read, Err(Error::Damaged(_))), "{read:?}");
}

#[test]
fn a_circle_in_a_strangers_file_ends() {
    let (_directory, path) = place();
    filled(&path);
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("PRAGMA ignore_check_constraints = 1; UPDATE messages SET parent = (SELECT max(number) FROM messages)")
        .unwrap();
    drop(other);
    let store = Store::open(&path).unwrap();
    let owner = Owner::local();
    let id = store
        .list(&owner, &Default::default())
        .unwrap()
        .remove(0)
        .id;
    for message in store.conversation(&owner, &id).unwrap().messages {
        assert!(store.path(&owner, &message.id).unwrap().len() <= 2);
    }
}

#[test]
fn deleted_text_is_gone_from_the_disk() {
    let (_directory, path) = place();
    let store = Store::open(&path).unwrap();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    exchange(
        &store,
        &owner,
        &id,
        None,
        ("xylophone", "quagmire zeppelin"),
    );
    conversation(&store, &owner);
    store.delete_conversation(&owner, &id).unwrap();
    for suffix in ["", "-wal"] {
        let bytes = std::fs::read(format!("{}{suffix}", path.display())).unwrap();
        for word in ["xylophone", "quagmire", "zeppelin"] {
            let found = bytes
                .windows(word.len())
                .any(|window| window == word.as_bytes());
            assert!(!found, "{word} is still in the file{suffix}");
        }
    }
}

#[test]
fn a_directory_is_no_store() {
    let directory = tempfile::tempdir().unwrap();
    let opened = Store::open(directory.path());
    assert!(matches!(opened, Err(Error::File { .. })), "{opened:?}");
}

#[test]
fn a_path_is_never_an_address() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file:store.db?mode=memory");
    drop(Store::open(&path).unwrap());
    assert!(path.metadata().unwrap().len() > 0);
}
