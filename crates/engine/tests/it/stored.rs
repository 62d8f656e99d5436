//! Fixed prefixes on a disk: answers have the same bits with and without them, whatever happens to the files.

use crate::fixture::{Tiny, gguf};
use crate::whole::{fresh, model, prompt, request, rotated};
use reckon_engine::{
    Generation, Isa, Model, ModelOptions, Precision, PrefixStore, Priority, Request, Scheduler,
    SchedulerOptions, Token,
};
use reckon_gguf::{File, Format};
use sha2::{Digest, Sha256};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());
const PLENTY: u64 = 1 << 30;

/// What a scheduler of its own says, as if it were a process: nothing but the directory is left of it.
fn answer(model: &Arc<Model>, directory: &Path, request: &Request) -> Generation {
    answer_within(model, directory, PLENTY, request)
}

fn answer_within(
    model: &Arc<Model>,
    directory: &Path,
    most_bytes: u64,
    request: &Request,
) -> Generation {
    let options = SchedulerOptions {
        store: Some(Arc::new(PrefixStore::new(directory, most_bytes))),
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    scheduler
        .submit_sample(request.clone(), Priority::Interactive)
        .unwrap();
    scheduler.run(&mut |_, _| GO_ON).remove(0).1
}

/// A question number `i` behind a fixed part of so many tokens.
fn question(model: &Model, fixed: usize, i: usize) -> Request {
    let mut tokens = prompt(model, fixed);
    tokens.extend(prompt(model, 60)[i..20 + 3 * i].iter().rev());
    Request {
        keep_prefix: Some(fixed),
        ..request(tokens, 6)
    }
}

/// A directory that nobody else can look into.
fn home() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir().unwrap()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = listing.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The one file of a directory.
fn only(directory: &Path) -> PathBuf {
    let mut files = files(directory);
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn small() -> Arc<Model> {
    let tiny = Tiny {
        n_layer: 2,
        ..Tiny::new("llama", Format::Q8_0)
    };
    model(&tiny, &ModelOptions::default())
}

#[test]
fn a_fixed_prefix_is_read_by_one_process_and_changes_no_answer_of_the_next() {
    for architecture in ["llama", "gemma4", "gemma3", "qwen3"] {
        for kv in Precision::ALL {
            let tiny = Tiny::new(architecture, Format::Q4_0);
            let options = ModelOptions {
                kv: Some(kv),
                ..ModelOptions::default()
            };
            let home = home();
            let directory = home.path().join("cache/prefixes");
            for i in 1..4 {
                // A model of its own each time: nothing in memory is shared.
                let model = model(&tiny, &options);
                let asked = question(&model, 150, i);
                let said = answer(&model, &directory, &asked);
                let reused = if i == 1 { 0 } else { 150 };
                let case = format!("{architecture} {} {i}", kv.name());
                assert_eq!(said.usage.reused, reused, "{case}");
                assert_eq!(said.tokens, fresh(&model, &asked), "{case}");
            }
            only(&directory);
        }
    }
}

#[test]
fn a_file_has_the_same_bytes_whoever_writes_it_and_nothing_of_what_came_after() {
    for architecture in ["llama", "gemma4"] {
        for kv in Precision::ALL {
            let mut written = Vec::new();
            // Other batches, threads, instructions and questions; the prefix ends within a page.
            for (i, batch, threads, isa) in [
                (1, 256, 1, None),
                (2, 7, 2, None),
                (3, 64, 1, Some(Isa::SCALAR)),
            ] {
                let options = ModelOptions {
                    kv: Some(kv),
                    batch: Some(batch),
                    cpus: vec![0; threads],
                    isa,
                    ..ModelOptions::default()
                };
                let model = model(&Tiny::new(architecture, Format::Q4_0), &options);
                let home = home();
                let directory = home.path().join("prefixes");
                answer(&model, &directory, &question(&model, 100, i));
                let path = only(&directory);
                written.push((
                    path.file_name().unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                ));
            }
            assert!(written[0] == written[1], "{architecture} {}", kv.name());
            assert!(written[0] == written[2], "{architecture} {}", kv.name());
        }
    }
}

#[test]
fn a_prompt_that_shares_a_part_uses_that_part() {
    let home = home();
    let model = small();
    answer(&model, home.path(), &question(&model, 150, 1));
    for (shared, reused) in [(150, 150), (149, 149), (100, 100), (64, 64), (63, 0)] {
        let mut tokens = prompt(&model, shared);
        tokens.push((prompt(&model, 151)[shared] + 1) % model.n_vocab() as Token);
        tokens.extend(prompt(&model, 30));
        let asked = request(tokens, 6);
        let said = answer(&model, home.path(), &asked);
        assert_eq!(said.usage.reused, reused, "{shared}");
        assert_eq!(said.tokens, fresh(&model, &asked), "{shared}");
    }
    // The last token's logits are needed, also of a prompt that is there as a whole.
    let asked = request(prompt(&model, 150), 6);
    let said = answer(&model, home.path(), &asked);
    assert_eq!(said.usage.reused, 149);
    assert_eq!(said.tokens, fresh(&model, &asked));
    // The longest counts.
    answer(&model, home.path(), &question(&model, 200, 1));
    assert_eq!(files(home.path()).len(), 2);
    let said = answer(&model, home.path(), &question(&model, 200, 2));
    assert_eq!(said.usage.reused, 200);
}

#[test]
fn what_sliding_layers_have_left_behind_is_not_stepped_back_to() {
    let (tiny, options) = crate::scheduled::long_gemma4();
    let model = model(&tiny, &options);
    let home = home();
    // Longer than what a sliding layer keeps: 24 positions, a batch and some slack.
    answer(&model, home.path(), &question(&model, 2600, 1));
    for (shared, reused) in [(2600, 2600), (2550, 2550), (300, 0)] {
        let mut tokens = prompt(&model, shared);
        tokens.push((prompt(&model, 2601)[shared] + 1) % model.n_vocab() as Token);
        tokens.extend(prompt(&model, 9));
        let asked = request(tokens, 4);
        let said = answer(&model, home.path(), &asked);
        assert_eq!(said.usage.reused, reused, "{shared}");
        assert_eq!(said.tokens, fresh(&model, &asked), "{shared}");
    }
    // A smaller context cannot hold it, and leaves it to those that can.
    let short = crate::whole::model(&tiny, &ModelOptions::default());
    let said = answer(&short, home.path(), &question(&short, 200, 1));
    assert_eq!(said.usage.reused, 0);
    assert_eq!(files(home.path()).len(), 2);
}

#[test]
fn only_what_is_marked_and_worth_it_is_kept() {
    let home = home();
    let directory = home.path().join("prefixes");
    let model = small();
    let plain = Request {
        keep_prefix: None,
        ..question(&model, 150, 1)
    };
    answer(&model, &directory, &plain);
    assert!(!directory.exists());
    answer(&model, &directory, &question(&model, 63, 1));
    assert!(!directory.exists());
    // More than the prompt has is all of it.
    let whole = Request {
        keep_prefix: Some(usize::MAX),
        ..plain.clone()
    };
    answer(&model, &directory, &whole);
    only(&directory);
    // A sequence that was stopped before the prefix was read leaves nothing.
    let other = home.path().join("others");
    let options = SchedulerOptions {
        store: Some(Arc::new(PrefixStore::new(&other, PLENTY))),
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    let asked = question(&model, 600, 1);
    let ticket = scheduler.submit(asked, Priority::Interactive).unwrap();
    scheduler.step(&mut |_, _| GO_ON);
    scheduler.cancel(ticket);
    drop(scheduler);
    assert!(!other.exists());
}

/// The file of a prefix of 70 tokens, what it was made by, and a question that would use it.
struct Damage {
    home: tempfile::TempDir,
    model: Arc<Model>,
    asked: Request,
    want: Vec<Token>,
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Bytes before the tokens, and those before the pages of a file for `small`.
const COUNTS: usize = 8 + 32;
const PAGES: usize = COUNTS + 8 + 4 * 70 + 4 * 2;

impl Damage {
    fn new() -> Self {
        let home = home();
        let model = small();
        answer(&model, home.path(), &question(&model, 70, 1));
        let asked = Request {
            max_tokens: Some(2),
            ..question(&model, 70, 2)
        };
        let path = only(home.path());
        Self {
            want: fresh(&model, &asked),
            bytes: fs::read(&path).unwrap(),
            home,
            model,
            asked,
            path,
        }
    }

    /// With these bytes in place of the file's, the answer is the same without them, and a whole file is there again.
    fn refuses(&self, bytes: &[u8], case: &str) {
        fs::write(&self.path, bytes).unwrap();
        let said = answer(&self.model, self.home.path(), &self.asked);
        assert_eq!(said.tokens, self.want, "{case}");
        assert_eq!(said.usage.reused, 0, "{case}");
        assert_eq!(only(self.home.path()), self.path, "{case}");
        assert!(fs::read(&self.path).unwrap() == self.bytes, "{case}");
    }

    /// The bytes with some of them replaced and a checksum that fits.
    fn forged(&self, at: usize, with: &[u8]) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        sealed(bytes)
    }
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 32;
    let digest = Sha256::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&digest);
    bytes
}

#[test]
fn a_flipped_bit_anywhere_is_refused() {
    let damage = Damage::new();
    let len = damage.bytes.len();
    let pages = (PAGES..len - 32).step_by((len - PAGES) / 61);
    for (i, at) in (0..PAGES).chain(pages).chain(len - 32..len).enumerate() {
        let mut bytes = damage.bytes.clone();
        bytes[at] ^= 1 << (i % 8);
        damage.refuses(&bytes, &format!("byte {at}"));
    }
}

#[test]
fn a_file_of_another_length_is_refused() {
    let damage = Damage::new();
    let len = damage.bytes.len();
    let pages = (PAGES..len).step_by((len - PAGES) / 31);
    for cut in (0..PAGES).chain(pages).chain(len - 33..len) {
        damage.refuses(&damage.bytes[..cut], &format!("cut at {cut}"));
    }
    let longer = [&damage.bytes[..], &[0]].concat();
    damage.refuses(&longer, "a byte more");
    damage.refuses(&longer.repeat(2), "twice");
}

#[test]
fn a_forged_file_with_a_fitting_checksum_is_refused() {
    let damage = Damage::new();
    assert!(sealed(damage.bytes.clone()) == damage.bytes);
    for number in [0u32, 1, 69, 71, 1 << 20, u32::MAX] {
        let with = number.to_le_bytes();
        for at in [COUNTS, COUNTS + 4, COUNTS + 8, PAGES - 8, PAGES - 4] {
            // A layer that does not slide begins with page 0.
            if number > 0 || at < PAGES - 8 {
                damage.refuses(&damage.forged(at, &with), &format!("{number} at byte {at}"));
            }
        }
    }
    // Keys and values of the last tokens, which are computed again.
    let page = (damage.bytes.len() - PAGES - 32) / 4;
    for at in [PAGES + page, PAGES + 2 * page - 64, PAGES + 3 * page] {
        damage.refuses(&damage.forged(at, &[0x3c; 64]), &format!("page byte {at}"));
    }
}

#[test]
fn another_models_file_is_refused() {
    let damage = Damage::new();
    let tiny = Tiny {
        n_layer: 2,
        seed: 2,
        ..Tiny::new("llama", Format::Q8_0)
    };
    let elsewhere = home();
    let other = model(&tiny, &ModelOptions::default());
    let asked = question(&other, 70, 1);
    answer(&other, elsewhere.path(), &asked);
    let mut bytes = fs::read(only(elsewhere.path())).unwrap();
    assert_eq!(bytes.len(), damage.bytes.len());
    damage.refuses(&bytes, "as it is");
    // As if two models had one fingerprint: the weights themselves tell them apart.
    bytes[8..40].copy_from_slice(&damage.bytes[8..40]);
    damage.refuses(&sealed(bytes), "with a forged fingerprint");
    // In one directory each has its own.
    let said = answer(&other, damage.home.path(), &asked);
    assert_eq!(said.usage.reused, 0);
    assert_eq!(said.tokens, fresh(&other, &asked));
    assert_eq!(files(damage.home.path()).len(), 2);
}

#[test]
fn a_model_file_that_changed_is_another_model() {
    let home = home();
    let (path, directory) = (home.path().join("model.gguf"), home.path().join("prefixes"));
    let reused = |i: usize, kv: Precision| {
        let options = ModelOptions {
            kv: Some(kv),
            ..ModelOptions::default()
        };
        let file = File::open(&path).unwrap();
        let model = Arc::new(Model::from_file(file, &options, &mut |_| ()).unwrap());
        let asked = question(&model, 100, i);
        let said = answer(&model, &directory, &asked);
        assert_eq!(said.tokens, fresh(&model, &asked));
        said.usage.reused
    };
    let tiny = |seed| Tiny {
        seed,
        ..Tiny::new("gemma4", Format::Q4_0)
    };
    fs::write(&path, gguf(&tiny(1))).unwrap();
    let before = fs::metadata(&path).unwrap();
    assert_eq!(reused(1, Precision::Half), 0);
    assert_eq!(reused(2, Precision::Half), 100);
    assert_eq!(reused(2, Precision::Full), 0);
    // Other weights under the same name, of the same size and with the same date.
    fs::write(&path, gguf(&tiny(2))).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(before.modified().unwrap()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), before.len());
    if cfg!(unix) {
        assert_eq!(reused(3, Precision::Half), 0);
        assert_eq!(reused(4, Precision::Half), 100);
    }
}

/// Sets when a file was used last.
fn used(path: &Path, ago: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(ago))
        .unwrap();
}

#[test]
fn the_prefix_used_least_recently_makes_room() {
    let home = home();
    let model = small();
    // Prefixes of as many tokens that have nothing in common.
    let asked = |i: usize| {
        let mut asked = question(&model, 70, 1);
        asked.prompt = rotated(&asked.prompt, i);
        asked
    };
    let mut paths = Vec::new();
    let mut most_bytes = PLENTY;
    for i in 0..3 {
        let before = files(home.path());
        answer_within(&model, home.path(), most_bytes, &asked(i));
        let mut new = files(home.path());
        new.retain(|path| !before.contains(path));
        paths.append(&mut new);
        used(&paths[i], 1000 - i as u64);
        // Room for three.
        most_bytes = fs::metadata(&paths[0]).unwrap().len() * 7 / 2;
    }
    assert_eq!(paths.len(), 3);
    // The oldest is used again, so the second goes.
    let said = answer_within(&model, home.path(), most_bytes, &asked(0));
    assert_eq!(said.usage.reused, 70);
    answer_within(&model, home.path(), most_bytes, &asked(3));
    let left = files(home.path());
    assert_eq!(left.len(), 3);
    let gone: Vec<bool> = paths.iter().map(|path| !left.contains(path)).collect();
    assert_eq!(gone, [false, true, false]);
    // What alone is too large is not kept, and drives nobody out.
    answer_within(&model, home.path(), most_bytes / 7, &asked(4));
    assert_eq!(files(home.path()), left);
    // Less room than before holds for what is there.
    answer_within(&model, home.path(), most_bytes * 2 / 7, &asked(5));
    only(home.path());
}

#[test]
fn what_a_killed_writer_left_is_removed_after_a_while() {
    let home = home();
    let model = small();
    for (name, ago) in [(".old.new", 7200), (".young.new", 60)] {
        fs::write(home.path().join(name), "half").unwrap();
        used(&home.path().join(name), ago);
    }
    fs::write(home.path().join("something else"), "x").unwrap();
    used(&home.path().join("something else"), 7200);
    answer(&model, home.path(), &question(&model, 70, 1));
    let left = files(home.path());
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(!home.path().join(".old.new").exists());
}

#[test]
fn processes_may_share_a_directory() {
    let home = home();
    let directory = home.path().join("prefixes");
    // Two models and two prefixes, with room for one file: everyone drives the others out.
    let models = [small(), small()];
    let bytes = Damage::new().bytes.len() as u64;
    std::thread::scope(|scope| {
        for (who, model) in models.iter().enumerate() {
            let directory = &directory;
            scope.spawn(move || {
                for round in 0..20 {
                    let mut asked = question(model, 70, 1 + round % 5);
                    asked.prompt = rotated(&asked.prompt, round % 2);
                    let want = fresh(model, &asked);
                    let said = answer_within(model, directory, bytes * 3 / 2, &asked);
                    assert_eq!(said.tokens, want, "{who} {round}");
                }
            });
        }
    });
    let left = files(&directory);
    assert!((1..=2).contains(&left.len()), "{left:?}");
    let whole = |path: &PathBuf| fs::metadata(path).unwrap().len() == bytes;
    assert!(left.iter().all(whole), "{left:?}");
}

#[test]
fn a_directory_that_cannot_be_used_means_no_cache() {
    let home = home();
    let model = small();
    let blocked = home.path().join("a file");
    fs::write(&blocked, "x").unwrap();
    let mut cases = vec![blocked.join("prefixes"), blocked];
    if Path::new("/proc/self").exists() {
        cases.push("/proc/self/prefixes".into());
    }
    for directory in cases {
        for i in 1..3 {
            let asked = question(&model, 70, i);
            let said = answer(&model, &directory, &asked);
            assert_eq!(said.usage.reused, 0);
            assert_eq!(said.tokens, fresh(&model, &asked));
        }
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_sees_what_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let home = home();
    let directory = home.path().join("a/prefixes");
    let model = small();
    answer(&model, &directory, &question(&model, 70, 1));
    assert_eq!(mode(&directory), 0o700);
    assert_eq!(mode(&only(&directory)), 0o600);
    // A directory that others can look into or write to is neither read nor written.
    for open in [0o755, 0o770, 0o702] {
        set(&directory, open);
        let said = answer(&model, &directory, &question(&model, 70, 2));
        assert_eq!(said.usage.reused, 0, "{open:o}");
        answer(&model, &directory, &question(&model, 90, 2));
        assert_eq!((files(&directory).len(), mode(&directory)), (1, open));
    }
    // What cannot be written can be read; who may write anywhere is not kept from it by a mode.
    set(&directory, 0o500);
    let said = answer(&model, &directory, &question(&model, 70, 2));
    assert_eq!(said.usage.reused, 70);
    let asked = question(&model, 90, 2);
    assert_eq!(
        answer(&model, &directory, &asked).tokens,
        fresh(&model, &asked)
    );
    set(&directory, 0o700);
}

#[test]
fn samples_of_one_question_leave_one_file_and_share_it_later() {
    let home = home();
    let model = small();
    for round in 0..2 {
        let options = SchedulerOptions {
            store: Some(Arc::new(PrefixStore::new(home.path(), PLENTY))),
            ..SchedulerOptions::default()
        };
        let mut scheduler = Scheduler::new(model.clone(), options);
        let requests: Vec<Request> = (1..5).map(|i| question(&model, 100, i)).collect();
        for request in &requests {
            scheduler
                .submit_sample(request.clone(), Priority::Background)
                .unwrap();
        }
        let answers = scheduler.run(&mut |_, _| GO_ON);
        for ((_, said), request) in answers.iter().zip(&requests) {
            assert_eq!(said.tokens, fresh(&model, request));
            if round == 1 {
                assert_eq!(said.usage.reused, 100);
            }
        }
        // At a moment of the caller's choice; what is left comes when the scheduler goes.
        scheduler.save_prefixes();
        only(home.path());
    }
}
