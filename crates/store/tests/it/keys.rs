//! Keys: their secrets, names, limits and use.
use crate::samples::store;
use reckon_store::{Error, KeyId, Limits, Store};
use std::collections::HashSet;

const LIMITS: Limits = Limits {
    requests_per_minute: Some(60),
    tokens_per_day: Some(100_000),
};

#[test]
fn a_secret_finds_its_key_and_no_other() {
    let store = store();
    let (id, secret) = store.create_key("laptop", LIMITS).unwrap();
    let (other, other_secret) = store.create_key("phone", Limits::default()).unwrap();
    let key = store.key_of(&secret).unwrap().unwrap();
    assert_eq!(
        (&key.id, key.name.as_str(), key.limits),
        (&id, "laptop", LIMITS)
    );
    assert!(secret.starts_with(&key.prefix) && key.prefix.len() < secret.len() / 2);
    assert_eq!(store.key_of(&other_secret).unwrap().unwrap().id, other);
}

#[test]
fn a_secret_with_one_character_changed_is_worth_nothing() {
    let store = store();
    let (_, secret) = store.create_key("laptop", LIMITS).unwrap();
    for at in 0..secret.len() {
        let mut changed = secret.clone().into_bytes();
        changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
        let changed = String::from_utf8(changed).unwrap();
        assert_eq!(store.key_of(&changed).unwrap(), None, "{at}");
    }
    let upper = secret.to_uppercase();
    for other in [
        "",
        "rk-",
        "rk-\0",
        &secret[..66],
        &secret[3..],
        &upper,
        &format!("{secret}0"),
        &format!("{secret} "),
        "é",
    ] {
        assert_eq!(store.key_of(other).unwrap(), None, "{other:?}");
    }
}

#[test]
fn the_secret_is_not_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Store::open(&path).unwrap();
    let (_, secret) = store.create_key("laptop", LIMITS).unwrap();
    let prefix = store.list_keys().unwrap()[0].prefix.clone();
    let hidden = secret.strip_prefix(&prefix).unwrap();
    drop(store);
    let bytes = std::fs::read(&path).unwrap();
    let contains = |text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(contains("laptop"));
    assert!(!contains(hidden));
}

#[test]
fn secrets_are_long_and_all_different() {
    let store = store();
    let made = (0..50)
        .map(|n| store.create_key(&n.to_string(), LIMITS).unwrap())
        .collect::<Vec<_>>();
    let ids = made.iter().map(|(id, _)| id).collect::<HashSet<_>>();
    let secrets = made
        .iter()
        .map(|(_, secret)| secret)
        .collect::<HashSet<_>>();
    assert_eq!((ids.len(), secrets.len()), (50, 50));
    assert!(
        secrets
            .iter()
            .all(|secret| secret.starts_with("rk-") && secret.len() == 3 + 64)
    );
}

#[test]
fn a_revoked_key_opens_nothing_and_its_name_is_free() {
    let store = store();
    let (id, secret) = store.create_key("laptop", LIMITS).unwrap();
    assert!(matches!(
        store.create_key("laptop", LIMITS),
        Err(Error::NameTaken(_))
    ));
    let revoked = store.revoke_key("laptop").unwrap();
    assert!(revoked.id == id && revoked.revoked.is_some());
    assert_eq!(store.key_of(&secret).unwrap(), None);
    assert!(matches!(
        store.revoke_key("laptop"),
        Err(Error::NotFound(_))
    ));

    let (second, _) = store.create_key("laptop", LIMITS).unwrap();
    assert_eq!(store.revoke_key(second.as_str()).unwrap().id, second);
    assert_eq!(store.count_keys().unwrap(), 0);
    assert_eq!(store.list_keys().unwrap().len(), 2);
}

#[test]
fn names_are_bounded_and_printable() {
    let store = store();
    let id_like = "0123456789abcdef".repeat(2);
    for name in ["", "  ", "a\nb", "a\u{1b}[2J", "\0", &id_like] {
        let made = store.create_key(name, LIMITS);
        assert!(matches!(made, Err(Error::Invalid(_))), "{name:?}");
    }
    assert!(matches!(
        store.create_key(&"x".repeat(101), LIMITS),
        Err(Error::TooLarge { .. })
    ));
    store.create_key(&"語".repeat(100), LIMITS).unwrap();
    assert_eq!(store.count_keys().unwrap(), 1);
}

#[test]
fn spending_adds_up_by_day() {
    let store = store();
    let (id, _) = store.create_key("laptop", LIMITS).unwrap();
    let (other, _) = store.create_key("phone", LIMITS).unwrap();
    assert_eq!(store.spent(&id, 20_000).unwrap(), 0);
    assert_eq!(store.spend(&id, 20_000, 100).unwrap(), 100);
    assert_eq!(store.spend(&id, 20_000, 23).unwrap(), 123);
    assert_eq!(store.spend(&id, 20_001, 5).unwrap(), 5);
    assert_eq!(store.spend(&other, 20_000, 7).unwrap(), 7);
    assert_eq!(store.spent(&id, 20_000).unwrap(), 123);

    let most = store.spend(&id, 20_000, u64::MAX).unwrap();
    assert!(
        most > 1 << 60 && store.spend(&id, 20_000, u64::MAX).unwrap() == most,
        "the sum does not overflow"
    );
    let unknown: KeyId = "0".repeat(32).parse().unwrap();
    assert!(matches!(
        store.spend(&unknown, 1, 1),
        Err(Error::NotFound(_))
    ));
    assert_eq!(store.spent(&unknown, 1).unwrap(), 0);
}

#[test]
fn the_last_use_is_noted() {
    let store = store();
    let (id, _) = store.create_key("laptop", LIMITS).unwrap();
    assert_eq!(store.list_keys().unwrap()[0].used, None);
    store.touch_key(&id).unwrap();
    let key = &store.list_keys().unwrap()[0];
    assert!(key.used >= Some(key.created));
}

#[test]
fn ids_are_checked() {
    for text in [
        "",
        "0",
        &"0".repeat(31),
        &"0".repeat(33),
        &"A".repeat(32),
        &"g".repeat(32),
        &"é".repeat(16),
    ] {
        assert!(text.parse::<KeyId>().is_err(), "{text}");
        assert!(
            serde_json::from_value::<KeyId>(text.into()).is_err(),
            "{text}"
        );
    }
    let text = "0123456789abcdef".repeat(2);
    let id: KeyId = text.parse().unwrap();
    assert_eq!(serde_json::to_value(&id).unwrap(), text);
}
