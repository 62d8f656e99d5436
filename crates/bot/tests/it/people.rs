//! Strangers, approval, and what the log and the errors say of secrets.
use crate::double::TOKEN;
use crate::scripted::Running;
use reckon_bot::{Bot, Error, Token};
use std::path::PathBuf;

#[test]
fn a_stranger_is_answered_only_after_approval() {
    let mut bot = Running::start(|_| {});
    bot.double.tell(50, "tell me a secret");
    bot.double.tell(50, "/connect please");
    let texts = bot.double.wait_said(50, 1);
    assert!(texts[0].starts_with("This bot is private."), "{texts:?}");
    let store = bot.store();
    let waiting = store.pairings().unwrap();
    assert_eq!(
        (waiting[0].account, waiting[0].name.as_str()),
        (50, "P50 (@p50)")
    );
    assert!(texts[0].contains(&waiting[0].code));
    bot.double.tell(50, "hello? secret");
    bot.double
        .wait("all fetched", |double| double.unfetched() == 0);
    assert!(matches!(
        Bot::approve(&store, "WRONGONE"),
        Err(Error::Store(_))
    ));

    let person = Bot::approve(&store, &waiting[0].code).unwrap();
    let texts = bot.double.wait_said(50, 2);
    assert!(texts[1].starts_with("You are connected."));
    bot.double.tell(50, "now then");
    assert_eq!(
        bot.double.wait_said(50, 3)[2],
        "answer to: <now then> turns:1 tags:"
    );

    store.revoke_person(&person.id, true).unwrap();
    bot.double.tell(50, "still there?");
    bot.double.tell(1, "a known one");
    bot.double.wait_said(1, 1);
    bot.double.wait_said(50, 3);
    bot.end().unwrap();
    drop(store);
    // Nothing that a stranger wrote, nor what was erased, is anywhere in the file.
    let log = PathBuf::from(format!("{}-wal", bot.path().display()));
    let bytes = [bot.path(), log]
        .map(|path| std::fs::read(path).unwrap_or_default())
        .concat();
    let has = |words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
    assert!(has(b"a known one"), "the search works");
    for words in [
        "tell me a secret",
        "hello? secret",
        "now then",
        "still there?",
    ] {
        assert!(!has(words.as_bytes()), "{words}");
    }
}

#[test]
fn strangers_cannot_make_the_bot_talk_for_ever() {
    let bot = Running::start(|_| {});
    for _ in 0..20 {
        bot.double.tell(50, "/start");
    }
    for stranger in 100..200 {
        bot.double.tell(stranger, "/start");
    }
    bot.double.tell(1, "last");
    bot.double.wait_said(1, 1);
    assert_eq!(bot.double.said(50).len(), 5);
    let answered = (100..200)
        .filter(|stranger| !bot.double.said(*stranger).is_empty())
        .count();
    assert_eq!(answered, 49, "fifty wait at most");
}

#[test]
fn the_token_is_in_no_message_of_ours() {
    let mut bot = Running::start(|config| config.token = Token::new("42:ANOTHER_TOKEN").unwrap());
    let error = bot.ended().unwrap_err();
    assert_eq!(error.to_string(), "telegram: Unauthorized (401)");
    let log = format!("{:?} {:?} {error:?}", bot.log.lock().unwrap(), bot.config);
    assert!(!log.contains("ANOTHER") && !log.contains(TOKEN), "{log}");
}

#[test]
fn people_s_words_are_not_in_the_log() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "please fail with xyzzy");
    bot.double.wait_said(1, 1);
    let log = format!("{:?}", bot.log.lock().unwrap());
    assert!(
        log.contains("answering as @duckbot") && !log.contains("xyzzy"),
        "{log}"
    );
}

#[cfg(unix)]
#[test]
fn a_token_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("token");
    std::fs::write(&path, format!("{TOKEN}\n")).unwrap();
    for (mode, good) in [
        (0o600, true),
        (0o400, true),
        (0o640, false),
        (0o604, false),
        (0o660, false),
    ] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let found = Token::find(Some(&path), None);
        assert_eq!(found.is_ok(), good, "{mode:o}: {found:?}");
    }
    assert!(matches!(Token::find(None, None), Err(Error::Token(_))));
    assert!(Token::find(None, Some("no token at all".into())).is_err());
}

#[test]
fn two_bots_do_not_share_a_store() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "one");
    bot.double.wait_said(1, 1);
    let again = Bot::run(
        bot.config.clone(),
        bot.answerer.clone(),
        &Default::default(),
    );
    assert!(matches!(again, Err(Error::Running(_))), "{again:?}");
}
