//! Facts: of one owner, few, short, and gone when they are forgotten.
use reckon_store::{Error, Limits, MOST_FACT, MOST_FACTS, Owner, Store};

#[test]
fn facts_are_kept_in_order_and_forgotten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Store::open(&path).unwrap();
    let owner = Owner::local();
    let first = store.remember(&owner, " I am\n a nurse ").unwrap();
    assert_eq!(first.text, "I am a nurse");
    store.remember(&owner, "My dog is called Ziggurat").unwrap();
    assert_eq!(
        store.remember(&owner, "I am a nurse").unwrap(),
        first,
        "once"
    );
    let texts = |store: &Store| {
        let facts = store.facts(&owner).unwrap();
        facts.into_iter().map(|fact| fact.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(&store), ["I am a nurse", "My dog is called Ziggurat"]);
    drop(store);
    let store = Store::open(&path).unwrap();
    let second = store.facts(&owner).unwrap().remove(1);
    assert_eq!(store.forget(&owner, &second.id).unwrap(), second);
    assert!(matches!(
        store.forget(&owner, &second.id),
        Err(Error::NotFound(_))
    ));
    assert_eq!(texts(&store), ["I am a nurse"]);
    drop(store);
    let bytes = std::fs::read(&path).unwrap();
    assert!(
        !bytes.windows(8).any(|part| part == b"Ziggurat"),
        "overwritten"
    );
}

#[test]
fn nobody_sees_or_forgets_what_is_anothers() {
    let store = Store::in_memory().unwrap();
    let (key, _) = store.create_key("phone", Limits::default()).unwrap();
    let (mine, theirs) = (Owner::local(), Owner::from(&key));
    let fact = store.remember(&mine, "secret").unwrap();
    assert!(store.facts(&theirs).unwrap().is_empty());
    assert!(matches!(
        store.forget(&theirs, &fact.id),
        Err(Error::NotFound(_))
    ));
    assert_eq!(store.facts(&mine).unwrap().len(), 1);
}

#[test]
fn what_is_too_much_is_refused() {
    let store = Store::in_memory().unwrap();
    let owner = Owner::local();
    assert!(matches!(
        store.remember(&owner, " \n"),
        Err(Error::Invalid(_))
    ));
    let long = "x".repeat(MOST_FACT + 1);
    assert!(matches!(
        store.remember(&owner, &long),
        Err(Error::TooLarge { .. })
    ));
    for i in 0..MOST_FACTS {
        store.remember(&owner, &format!("fact {i}")).unwrap();
    }
    assert!(matches!(
        store.remember(&owner, "one more"),
        Err(Error::TooLarge { .. })
    ));
}
