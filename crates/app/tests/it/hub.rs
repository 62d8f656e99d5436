//! Files of the hub: the layout of the cache, resume, and every way in which a server can be wrong.
use crate::{
    place::{Place, bytes, catalogue, files, hub_entry, refused, sha256},
    server::{COMMIT, Server, nobody, silent},
};
use reckon_app::{Context, Kind, models};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A server with one file, and a context that knows it as `m`.
fn hub(n: usize) -> (Place, Server, Context, Vec<u8>) {
    let body = bytes(n as u64, n);
    let place = Place::new();
    let server = Server::new(&body, &sha256(&body));
    let context = place.context(&server.url, &catalogue(&["m"], &[hub_entry("m", &body)]));
    (place, server, context, body)
}

fn pull(context: &Context) -> anyhow::Result<PathBuf> {
    models::pull("m", context, &mut Vec::new())
}

fn incomplete(context: &Context, body: &[u8]) -> PathBuf {
    let blobs = context.hub_cache.join("models--org--name").join("blobs");
    blobs.join(format!("{}.incomplete", sha256(body)))
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_file_arrives_in_the_layout_of_the_cache() {
    let (_place, server, context, body) = hub(100_000);
    let path = pull(&context).unwrap();
    assert_eq!(fs::read(&path).unwrap(), body);
    let repository = context.hub_cache.join("models--org--name");
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
    assert!(!incomplete(&context, &body).exists());
    assert_eq!(models::resolve("m", &context).unwrap(), path);
    assert_eq!(server.requests(), ["HEAD", "GET"]);
}

#[test]
fn what_is_here_needs_no_network() {
    let (_place, server, mut context, _body) = hub(1000);
    let path = pull(&context).unwrap();
    server.requests();
    context.offline = true;
    assert_eq!(pull(&context).unwrap(), path);
    assert_eq!(
        models::default_model(&context, &mut Vec::new()).unwrap(),
        path
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_file_that_another_tool_fetched_is_used() {
    let (_place, server, context, body) = hub(1000);
    let repository = context.hub_cache.join("models--org--name");
    // Another tool may have no refs and, without links, a plain copy.
    let copy = repository.join("snapshots/abcdef0/model.gguf");
    write(&copy, &body);
    assert_eq!(models::resolve("m", &context).unwrap(), copy);
    assert_eq!(pull(&context).unwrap(), copy);
    assert!(server.requests().is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_of_another_revision_is_not_ours() {
    let (_place, _server, context, body) = hub(1000);
    let repository = context.hub_cache.join("models--org--name");
    let old = repository.join("blobs").join(sha256(b"old"));
    write(&old, b"old");
    let link = repository.join("snapshots/abcdef0/model.gguf");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(Path::new("../../blobs").join(sha256(b"old")), &link).unwrap();
    assert!(models::resolve("m", &context).is_err());
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert!(old.exists(), "the other revision is not ours to delete");
}

#[test]
fn a_half_finished_download_goes_on() {
    let (_place, server, context, body) = hub(100_000);
    write(&incomplete(&context, &body), &body[..40_000]);
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=40000-"]);
}

#[test]
fn a_whole_but_unnamed_download_is_only_checked() {
    let (_place, server, context, body) = hub(5000);
    write(&incomplete(&context, &body), &body);
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert!(server.gets().is_empty());
}

#[test]
fn a_server_without_ranges_starts_anew() {
    let (_place, server, context, body) = hub(100_000);
    server.behave(|how| how.ranges = false);
    write(&incomplete(&context, &body), &bytes(99, 40_000));
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=40000-"]);
}

#[test]
fn a_partial_that_is_too_long_starts_anew() {
    let (_place, server, context, body) = hub(1000);
    write(&incomplete(&context, &body), &bytes(99, 2000));
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET"]);
}

#[test]
fn a_dropped_connection_is_taken_up_again() {
    let (_place, server, context, body) = hub(100_000);
    server.behave(|how| how.cuts = [30_000, 0, 50_000, usize::MAX].into());
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
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
    let (_place, server, context, body) = hub(100_000);
    server.behave(|how| how.cuts = [30_000, 0].into());
    refused(pull(&context), Kind::Model, &["broke off", "goes on where"]);
    let kept = fs::read(incomplete(&context, &body)).unwrap();
    assert_eq!(kept, body[..30_000]);
    assert_eq!(server.gets().len(), 3);
    server.behave(|how| how.cuts.clear());
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=30000-"]);
}

#[test]
fn wrong_bytes_are_deleted_and_reported() {
    let (_place, server, context, body) = hub(1000);
    server.behave(|how| how.body = bytes(77, 1000));
    refused(
        pull(&context),
        Kind::Model,
        &["wrong sha256", "deleted", &sha256(&body)],
    );
    let left = files(&context.hub_cache.join("models--org--name"));
    assert!(left.is_empty(), "{left:?}");
    server.behave(|how| how.body = body.clone());
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
}

#[test]
fn a_wrong_beginning_is_found_at_the_end() {
    let (_place, _server, context, body) = hub(1000);
    write(&incomplete(&context, &body), &bytes(99, 400));
    refused(pull(&context), Kind::Model, &["wrong sha256"]);
    assert!(!incomplete(&context, &body).exists());
}

#[test]
fn a_file_that_rotted_is_replaced() {
    let (_place, _server, context, body) = hub(1000);
    let path = pull(&context).unwrap();
    let real = fs::canonicalize(&path).unwrap();
    fs::write(&real, bytes(5, 1000)).unwrap();
    let mut said = Vec::new();
    let again = models::pull("m", &context, &mut said).unwrap();
    assert_eq!(fs::read(again).unwrap(), body);
    assert!(String::from_utf8(said).unwrap().contains("wrong sha256"));
}

#[test]
fn a_busy_server_is_asked_again() {
    let (_place, server, context, body) = hub(1000);
    server.behave(|how| how.statuses = [503, 429].into());
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.requests(), ["HEAD", "HEAD", "HEAD", "GET"]);
}

#[test]
fn refusals_say_what_the_hub_said() {
    for (status, asked) in [(404, 1), (401, 1), (403, 1), (503, 3)] {
        let (_place, server, context, _body) = hub(1000);
        server.behave(|how| how.statuses = vec![status; 9].into());
        let said = if status == 404 {
            "no model.gguf"
        } else {
            &status.to_string()
        };
        refused(pull(&context), Kind::Model, &["hub", said]);
        assert_eq!(server.requests().len(), asked, "{status}");
    }
}

#[test]
fn a_changed_file_is_refused_before_it_is_fetched() {
    let (_place, server, context, _body) = hub(1000);
    server.behave(|how| how.etag = Some(format!("\"{}\"", sha256(b"new"))));
    refused(pull(&context), Kind::Model, &["has changed"]);
    assert!(server.gets().is_empty());
}

#[test]
fn what_is_not_a_hub_is_refused() {
    for commit in [None, Some("../../../up"), Some("main"), Some("")] {
        let (place, server, context, _body) = hub(1000);
        server.behave(|how| how.commit = commit.map(str::to_owned));
        refused(pull(&context), Kind::Model, &["not a model hub"]);
        assert!(server.gets().is_empty());
        assert!(files(place.root.path()).is_empty());
    }
}

#[test]
fn a_size_that_changes_on_the_way_is_noticed() {
    let (_place, server, context, body) = hub(1000);
    server.behave(|how| how.claimed = Some(5000));
    refused(pull(&context), Kind::Model, &["broke off"]);
    server.behave(|how| how.claimed = Some(400));
    refused(pull(&context), Kind::Model, &["wrong sha256"]);
    server.behave(|how| how.claimed = None);
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
}

#[test]
fn a_file_larger_than_the_disk_is_refused_at_once() {
    let (_place, server, context, _body) = hub(1000);
    server.behave(|how| how.claimed = Some(1 << 60));
    if cfg!(unix) {
        refused(pull(&context), Kind::Model, &["not enough disk space"]);
        assert!(server.gets().is_empty());
    }
}

#[test]
fn a_moved_repository_is_followed_within_the_hub() {
    let (_place, server, context, body) = hub(1000);
    server.behave(|how| how.redirect = Some("/org/new-name/resolve/main/model.gguf".into()));
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.requests(), ["HEAD", "HEAD", "GET"]);
}

#[test]
fn nobody_there_is_said_at_once_and_silence_after_a_while() {
    let (_place, _server, mut context, _body) = hub(1000);
    let begin = Instant::now();
    context.hub_endpoint = nobody();
    refused(
        pull(&context),
        Kind::Model,
        &["cannot be used", "HF_ENDPOINT"],
    );
    context.hub_endpoint = silent();
    refused(pull(&context), Kind::Model, &["no answer in time"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_stalls_in_the_middle_is_asked_again() {
    let (_place, server, context, body) = hub(1000);
    server.behave(|how| {
        how.cuts = [300, usize::MAX].into();
        how.silence = Duration::from_secs(30);
    });
    let begin = Instant::now();
    assert_eq!(fs::read(pull(&context).unwrap()).unwrap(), body);
    assert_eq!(server.gets(), ["GET", "GET bytes=300-"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn offline_asks_nobody() {
    let (_place, server, mut context, _body) = hub(1000);
    context.offline = true;
    refused(pull(&context), Kind::Model, &["forbidden", "--offline"]);
    assert!(server.requests().is_empty());
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let (_place, server, context, body) = hub(2_000_000);
    let pulls: Vec<_> = (0..3)
        .map(|_| {
            let context = context.clone();
            std::thread::spawn(move || pull(&context).unwrap())
        })
        .collect();
    for pull in pulls {
        assert_eq!(fs::read(pull.join().unwrap()).unwrap(), body);
    }
    assert_eq!(server.gets(), ["GET"]);
}

#[test]
fn a_killed_process_leaves_a_part_that_the_next_one_takes_up() {
    let (place, server, _context, body) = hub(100_000);
    place.write_catalogue(&catalogue(&[], &[hub_entry("m", &body)]));
    server.behave(|how| {
        how.cuts = [60_000, usize::MAX].into();
        how.silence = Duration::from_secs(60);
    });
    let context = place.context(&server.url, &catalogue(&[], &[]));
    let environment = [("HF_ENDPOINT", server.url.as_str())];
    let mut child = place
        .command(&["models", "pull", "m"], &environment)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let part = incomplete(&context, &body);
    let begin = Instant::now();
    while fs::metadata(&part).map_or(0, |data| data.len()) < 60_000 {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing came");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    server.requests();
    let ended = place.reckon_with(&["models", "pull", "m"], &environment);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(fs::read(ended.out.trim()).unwrap(), body);
    assert_eq!(server.gets(), ["GET bytes=60000-"]);
}
