//! Files of the hub: the layout of the cache, resume, and every way in which a server can be wrong.
use crate::{
    place::{Place, noting, quiet, refused},
    samples::{bytes, catalogue, files, hub_entry, sha256},
    server::{COMMIT, Server, nobody},
};
use reckon_models::{Error, ErrorKind, Store};
use std::{
    fs,
    io::Read,
    net::TcpListener,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// A server with one file, and a store that knows it as `m`.
fn hub(n: usize) -> (Place, Server, Store, Vec<u8>) {
    let body = bytes(n as u64, n);
    let place = Place::new();
    let server = Server::new(&body, &sha256(&body));
    let store = place.store(&server.url, &catalogue(&["m"], &[hub_entry("m", &body)]));
    (place, server, store, body)
}

fn pull(store: &Store) -> Result<PathBuf, Error> {
    store.pull("m", &mut quiet)
}

fn incomplete(store: &Store, body: &[u8]) -> PathBuf {
    let blobs = store.hub_cache.join("models--org--name").join("blobs");
    blobs.join(format!("{}.incomplete", sha256(body)))
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_file_arrives_in_the_layout_of_the_cache() {
    let (_place, server, store, body) = hub(100_000);
    let path = pull(&store).unwrap();
    assert_eq!(fs::read(&path).unwrap(), body);
    let repository = store.hub_cache.join("models--org--name");
    let snapshot = repository.join("snapshots").join(COMMIT);
    assert_eq!(path, snapshot.join("model.gguf"));
    assert_eq!(
        fs::read_to_string(repository.join("refs/main")).unwrap(),
        COMMIT
    );
    if cfg!(unix) {
        let blob = fs::read_link(&path).unwrap();
        assert_eq!(blob, Path::new("../../blobs").join(sha256(&body)));
    }
    assert!(!incomplete(&store, &body).exists());
    assert_eq!(store.resolve("m").unwrap(), path);
    assert_eq!(server.requests(), ["HEAD", "GET"]);
}

#[test]
fn what_is_here_needs_no_network() {
    let (_place, server, mut store, _body) = hub(1000);
    let path = pull(&store).unwrap();
    server.requests();
    store.offline = true;
    assert_eq!(pull(&store).unwrap(), path);
    assert_eq!(store.default_model(&mut quiet).unwrap(), path);
    assert!(server.requests().is_empty());
}

#[test]
fn a_file_that_another_tool_fetched_is_used() {
    let (_place, server, store, body) = hub(1000);
    let repository = store.hub_cache.join("models--org--name");
    // Another tool may have no refs and, without links, a plain copy.
    let copy = repository.join("snapshots/abcdef0/model.gguf");
    write(&copy, &body);
    assert_eq!(store.resolve("m").unwrap(), copy);
    assert_eq!(pull(&store).unwrap(), copy);
    assert!(server.requests().is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_of_another_revision_is_not_ours() {
    let (_place, _server, store, body) = hub(1000);
    let repository = store.hub_cache.join("models--org--name");
    let old = repository.join("blobs").join(sha256(b"old"));
    write(&old, b"old");
    let link = repository.join("snapshots/abcdef0/model.gguf");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(Path::new("../../blobs").join(sha256(b"old")), &link).unwrap();
    assert!(store.resolve("m").is_err());
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert!(old.exists(), "the other revision is not ours to delete");
}

#[test]
fn a_half_finished_download_goes_on() {
    let (_place, server, store, body) = hub(100_000);
    write(&incomplete(&store, &body), &body[..40_000]);
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=40000-"]);
}

#[test]
fn a_whole_but_unnamed_download_is_only_checked() {
    let (_place, server, store, body) = hub(5000);
    write(&incomplete(&store, &body), &body);
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert!(server.gets().is_empty());
}

#[test]
fn a_server_without_ranges_starts_anew() {
    let (_place, server, store, body) = hub(100_000);
    server.behave(|how| how.ranges = false);
    write(&incomplete(&store, &body), &bytes(99, 40_000));
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=40000-"]);
}

#[test]
fn a_partial_that_is_too_long_starts_anew() {
    let (_place, server, store, body) = hub(1000);
    write(&incomplete(&store, &body), &bytes(99, 2000));
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET"]);
}

#[test]
fn a_dropped_connection_is_taken_up_again() {
    let (_place, server, store, body) = hub(100_000);
    server.behave(|how| how.cuts = [30_000, 0, 50_000, usize::MAX].into());
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(
        server.gets(),
        [
            "GET",
            "GET bytes=30000-",
            "GET bytes=30000-",
            "GET bytes=80000-"
        ]
    );
}

#[test]
fn a_connection_that_always_drops_ends_and_keeps_the_part() {
    let (_place, server, store, body) = hub(100_000);
    server.behave(|how| how.cuts = [30_000, 0].into());
    refused(
        pull(&store),
        ErrorKind::Interrupted,
        &["broke off", "resumes where"],
    );
    let kept = fs::read(incomplete(&store, &body)).unwrap();
    assert_eq!(kept, body[..30_000]);
    assert_eq!(server.gets().len(), 3);
    server.behave(|how| how.cuts.clear());
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=30000-"]);
}

#[test]
fn wrong_bytes_are_deleted_and_reported() {
    let (_place, server, store, body) = hub(1000);
    server.behave(|how| how.body = bytes(77, 1000));
    refused(
        pull(&store),
        ErrorKind::Mismatch,
        &["wrong sha256", "deleted", &sha256(&body)],
    );
    let left = files(&store.hub_cache.join("models--org--name"));
    assert!(left.is_empty(), "{left:?}");
    server.behave(|how| how.body = body.clone());
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
}

#[test]
fn a_wrong_beginning_is_found_at_the_end() {
    let (_place, _server, store, body) = hub(1000);
    write(&incomplete(&store, &body), &bytes(99, 400));
    refused(pull(&store), ErrorKind::Mismatch, &["wrong sha256"]);
    assert!(!incomplete(&store, &body).exists());
}

#[test]
fn a_file_that_rotted_is_replaced() {
    let (_place, _server, store, body) = hub(1000);
    let path = pull(&store).unwrap();
    let real = fs::canonicalize(&path).unwrap();
    fs::write(&real, bytes(5, 1000)).unwrap();
    let mut notes = Vec::new();
    let again = store.pull("m", &mut noting(&mut notes)).unwrap();
    assert_eq!(fs::read(again).unwrap(), body);
    assert!(notes[0].contains("wrong sha256"), "{notes:?}");
}

#[test]
fn a_busy_server_is_asked_again() {
    let (_place, server, store, body) = hub(1000);
    server.behave(|how| how.statuses = [503, 429].into());
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.requests(), ["HEAD", "HEAD", "HEAD", "GET"]);
}

#[test]
fn refusals_say_what_the_hub_said() {
    use ErrorKind::{Denied, Unreachable};
    for (status, asked, kind) in [
        (404, 1, Unreachable),
        (401, 1, Denied),
        (403, 1, Denied),
        (503, 3, Unreachable),
    ] {
        let (_place, server, store, _body) = hub(1000);
        server.behave(|how| how.statuses = vec![status; 9].into());
        let said = if status == 404 {
            "no model.gguf"
        } else {
            &status.to_string()
        };
        refused(pull(&store), kind, &["hub", said]);
        assert_eq!(server.requests().len(), asked, "{status}");
    }
}

#[test]
fn a_changed_file_is_refused_before_it_is_fetched() {
    let (_place, server, store, _body) = hub(1000);
    server.behave(|how| how.etag = Some(format!("\"{}\"", sha256(b"new"))));
    refused(pull(&store), ErrorKind::Mismatch, &["has changed"]);
    assert!(server.gets().is_empty());
}

#[test]
fn what_is_not_a_hub_is_refused() {
    for commit in [None, Some("../../../up"), Some("main"), Some("")] {
        let (place, server, store, _body) = hub(1000);
        server.behave(|how| how.commit = commit.map(str::to_owned));
        refused(pull(&store), ErrorKind::Unreachable, &["not a model hub"]);
        assert!(server.gets().is_empty());
        assert!(files(place.root.path()).is_empty());
    }
}

#[test]
fn a_size_that_changes_on_the_way_is_noticed() {
    let (place, server, _store, body) = hub(1000);
    let entry = hub_entry("m", &body).replace(":1000,", ":10000,\"exact\":false,");
    let store = place.store(&server.url, &catalogue(&["m"], &[entry]));
    server.behave(|how| how.claimed = Some(5000));
    refused(pull(&store), ErrorKind::Interrupted, &["broke off"]);
    server.behave(|how| how.claimed = Some(400));
    refused(pull(&store), ErrorKind::Mismatch, &["wrong sha256"]);
    server.behave(|how| how.claimed = None);
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
}

#[test]
fn a_file_larger_than_the_disk_is_refused_at_once() {
    let (place, server, _store, body) = hub(1000);
    let claimed = 1_u64 << 60;
    let entry = hub_entry("m", &body).replace(":1000,", &format!(":{claimed},"));
    let store = place.store(&server.url, &catalogue(&["m"], &[entry]));
    server.behave(|how| how.claimed = Some(claimed));
    if cfg!(unix) {
        refused(
            pull(&store),
            ErrorKind::DiskFull,
            &["not enough disk space"],
        );
        assert!(server.gets().is_empty());
    }
}

#[test]
fn a_moved_repository_is_followed_within_the_hub() {
    let (_place, server, store, body) = hub(1000);
    server.behave(|how| how.redirect = Some("/org/new-name/resolve/main/model.gguf".into()));
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.requests(), ["HEAD", "HEAD", "GET"]);
}

#[test]
fn nobody_there_is_said_at_once_and_silence_after_a_while() {
    let (_place, _server, mut store, _body) = hub(1000);
    let begin = Instant::now();
    store.hub_endpoint = nobody();
    refused(
        pull(&store),
        ErrorKind::Unreachable,
        &["cannot be used", "HF_ENDPOINT"],
    );
    store.hub_endpoint = silent();
    store.patience.stall = Duration::from_secs(2);
    refused(pull(&store), ErrorKind::Unreachable, &["no answer in time"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_stalls_in_the_middle_is_asked_again() {
    let (_place, server, mut store, body) = hub(1000);
    store.patience.stall = Duration::from_secs(2);
    server.behave(|how| {
        how.cuts = [300, usize::MAX].into();
        how.silence = Duration::from_secs(30);
    });
    let begin = Instant::now();
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET", "GET bytes=300-"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn offline_asks_nobody() {
    let (_place, server, mut store, _body) = hub(1000);
    store.offline = true;
    refused(
        pull(&store),
        ErrorKind::Offline,
        &["forbidden", "--offline"],
    );
    assert!(server.requests().is_empty());
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let (_place, server, store, body) = hub(2_000_000);
    let pulls: Vec<_> = (0..3)
        .map(|_| {
            let store = store.clone();
            std::thread::spawn(move || pull(&store).unwrap())
        })
        .collect();
    for pull in pulls {
        assert_eq!(fs::read(pull.join().unwrap()).unwrap(), body);
    }
    assert_eq!(server.gets(), ["GET"]);
}

#[test]
fn a_size_that_cannot_be_right_is_refused_before_it_is_fetched() {
    for (exact, claimed) in [(true, 999), (true, 1001), (false, 2001), (false, u64::MAX)] {
        let (place, server, _store, body) = hub(1000);
        let size = format!(":1000,\"exact\":{exact},");
        let entry = hub_entry("m", &body).replace(":1000,", &size);
        let store = place.store(&server.url, &catalogue(&["m"], &[entry]));
        server.behave(|how| how.claimed = Some(claimed));
        refused(pull(&store), ErrorKind::Mismatch, &["its size is not"]);
        assert!(server.gets().is_empty());
    }
}

#[test]
fn a_token_stays_with_the_hub() {
    let (_place, server, mut store, body) = hub(1000);
    store.hub_token = Some("secret".into());
    // The storage behind a hub is another server, here on the same host with another port.
    let storage = Server::new(&body, &sha256(&body));
    server.behave(|how| {
        how.elsewhere = Some(format!("{}/blob", storage.url));
        how.gated = Some("/".into());
    });
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.requests(), ["HEAD", "HEAD +token", "GET +token"]);
    assert_eq!(storage.requests(), ["GET"]);
}

#[test]
fn a_token_that_is_not_needed_is_not_sent() {
    let (_place, server, mut store, body) = hub(1000);
    store.hub_token = Some("secret".into());
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(server.requests(), ["HEAD", "GET"]);
}

#[test]
fn a_token_is_not_sent_in_the_clear() {
    let (_place, server, mut store, _body) = hub(1000);
    store.hub_token = Some("secret".into());
    // Not loopback by its name, so what goes there might be read on the way. The name leads here all the same, where the
    // system knows it; where it does not, nothing is sent at all.
    store.hub_endpoint = server.url.replace("127.0.0.1", "0.0.0.0");
    server.behave(|how| how.statuses = [401].into());
    let error = pull(&store).unwrap_err();
    for request in server.requests() {
        assert!(!request.contains("token"), "{request}");
        assert_eq!(error.kind(), ErrorKind::Denied);
        let hint = error.hint().unwrap();
        assert!(hint.contains("https://huggingface.co only"), "{error:?}");
    }
}

#[test]
fn what_a_hostile_server_says_is_shown_in_one_clean_line() {
    let (_place, server, mut store, _body) = hub(1000);
    let hostile = "evil\u{1b}[2J\u{202e}\r\nreckon: all is well";
    store.hub_endpoint = format!("{}/{hostile}", server.url);
    let error = pull(&store).unwrap_err();
    let shown = format!("{error} {}", error.hint().unwrap_or_default());
    assert!(
        !shown.contains(['\u{1b}', '\u{202e}', '\r', '\n']),
        "{shown:?}"
    );
    store.hub_endpoint = format!("{}/{}", nobody(), "x".repeat(5000));
    let long = pull(&store).unwrap_err().to_string();
    assert!(long.chars().count() < 700, "{}", long.len());
}

/// Bytes in a file of somebody else's that a link in the cache leads to.
#[cfg(unix)]
fn bystander(place: &Place, link: &Path, name: &str) -> PathBuf {
    let theirs = place.root.path().join("theirs").join(name);
    write(&theirs, b"precious");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&theirs, link).unwrap();
    theirs
}

#[cfg(unix)]
#[test]
fn links_planted_in_a_shared_cache_lead_nowhere() {
    let (place, server, store, body) = hub(1000);
    let repository = store.hub_cache.join("models--org--name");
    let theirs = bystander(&place, &incomplete(&store, &body), "partial");
    refused(pull(&store), ErrorKind::File, &["cannot write"]);
    assert_eq!(fs::read(&theirs).unwrap(), b"precious");
    fs::remove_file(incomplete(&store, &body)).unwrap();

    let locks = store.hub_cache.join(".locks").join("models--org--name");
    let lock = locks.join(format!("{}.lock", sha256(&body)));
    fs::remove_file(&lock).unwrap();
    let theirs = bystander(&place, &lock, "lock");
    refused(pull(&store), ErrorKind::File, &["cannot write"]);
    assert_eq!(fs::read(&theirs).unwrap(), b"precious");
    fs::remove_file(&lock).unwrap();

    // A snapshot that claims to be ours and leads out of the cache: only the link is deleted.
    let link = repository.join("snapshots/abcdef0/model.gguf");
    let theirs = bystander(&place, &link, &sha256(&body));
    server.requests();
    assert_eq!(fs::read(pull(&store).unwrap()).unwrap(), body);
    assert_eq!(fs::read(&theirs).unwrap(), b"precious");
    assert_eq!(server.gets(), ["GET"]);

    // refs/main as a link is replaced, not written through.
    let main = repository.join("refs/main");
    fs::remove_file(&main).unwrap();
    fs::remove_dir_all(repository.join("snapshots")).unwrap();
    let theirs = bystander(&place, &main, "main");
    pull(&store).unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), b"precious");
}

/// A server that takes connections and never answers.
fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || stream.read_to_end(&mut Vec::new()));
        }
    });
    url
}
