//! Fixed parts of prompts on the disk: a guard's examples are kept for the next process, the person's words never.
use crate::fixture::{Tiny, gguf};
use reckon::{Ask, CheckLevel, Event, Message, Model, Overrides, Role};
use reckon_gguf::Format;
use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// A model with room for a guard's examples, letter by letter.
fn file(directory: &Path) -> PathBuf {
    let path = directory.join("tiny.gguf");
    let tiny = Tiny {
        n_ctx: 16_384,
        n_layer: 2,
        ..Tiny::new("qwen2", Format::Q8_0)
    };
    fs::write(&path, gguf(&tiny)).expect("a file");
    path
}

fn open(path: &Path, prefixes: Option<PathBuf>) -> Model {
    let options = Model::options().threads(1).context(16_384);
    options.prefixes(prefixes).open(path).expect("a model")
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(directory).into_iter().flatten();
    listing.map(|entry| entry.expect("a file").path()).collect()
}

fn ask(question: &str, fixed: usize) -> Ask {
    let say = |role, text: &str| Message::new(role, text);
    Ask {
        messages: vec![
            say(Role::System, &"Say it in one word. ".repeat(9)),
            say(Role::User, question),
        ],
        fixed,
        prefix: "So: ".into(),
        max_tokens: Some(5),
        check: CheckLevel::Off,
        ..Ask::default()
    }
}

#[test]
fn messages_that_are_marked_as_fixed_are_read_once_and_the_question_is_not_kept() {
    let home = tempfile::tempdir().expect("a directory");
    let (path, prefixes) = (file(home.path()), home.path().join("prefixes"));
    let said = |model: &Model, question: &str, fixed| {
        let mut session = model.session();
        session
            .generate(&ask(question, fixed), &mut |_| ControlFlow::Continue(()))
            .expect("an answer")
    };
    let plain = open(&path, None);
    let model = open(&path, Some(prefixes.clone()));
    said(&model, "A question of my own", 0);
    assert!(!prefixes.exists(), "nothing was marked");
    let mut written = Vec::new();
    // Also a question that begins as the stand-in for questions does.
    for question in ["A question of my own", "7", "A"] {
        let first = said(&model, question, 1);
        assert_eq!(first.usage.reused, 0);
        assert_eq!(first.tokens, said(&plain, question, 0).tokens);
        let [one] = files(&prefixes).try_into().expect("one file");
        written.push((one.clone(), fs::read(&one).expect("bytes")));
        fs::remove_file(one).expect("removed");
    }
    assert!(
        written.iter().all(|one| *one == written[0]),
        "the same file whatever was asked"
    );
    fs::write(&written[0].0, &written[0].1).expect("a file");
    // Another process: the messages are there, for one asker and for many.
    let again = open(&path, Some(prefixes));
    for model in [again.shared(2).expect("a thread"), again] {
        let later = said(&model, "another one", 1);
        assert!(later.usage.reused > 150, "{:?}", later.usage);
        assert_eq!(later.tokens, said(&plain, "another one", 0).tokens);
    }
}

#[test]
fn the_examples_of_a_guard_are_kept_for_the_next_process() {
    let home = tempfile::tempdir().expect("a directory");
    let (path, prefixes) = (file(home.path()), home.path().join("prefixes"));
    let said = |prefixes: Option<PathBuf>| {
        // Drawn, because the likeliest words of a random model repeat, are guessed ahead and end before the examples are
        // read beside them.
        let drawn = Overrides {
            temperature: Some(1.5),
            seed: Some(1),
            ..Overrides::default()
        };
        let chat = open(&path, prefixes).chat().sampling(drawn).max_tokens(300);
        let question =
            "A crate holds 14 jars. 9 crates arrive and 20 jars break. How many are whole?";
        let mut chat = chat.guards(reckon::guards::all());
        let reply = chat.ask(question, |_: Event<'_>| ()).expect("an answer");
        reply.text
    };
    let want = said(None);
    assert_eq!(said(Some(prefixes.clone())), want);
    let [kept] = files(&prefixes).try_into().expect("one file");
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    let opened = fs::File::options().write(true).open(&kept);
    let dated = opened.and_then(|file| file.set_modified(long_ago));
    dated.expect("a date");
    assert_eq!(said(Some(prefixes.clone())), want);
    // It was used, and there is still one.
    assert_eq!(files(&prefixes), std::slice::from_ref(&kept));
    let used = fs::metadata(&kept).and_then(|about| about.modified());
    assert!(used.expect("a date") > long_ago + Duration::from_secs(1000));
}
