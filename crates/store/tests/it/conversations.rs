//! Conversations: titles, folders, order, deletion, and who may see them.
use crate::samples::{conversation, exchange, question, store, stranger};
use reckon_store::{
    Change, Error, Filter, MOST_CONTENT, MOST_SYSTEM, NewConversation, Owner, Store,
};
use std::time::Duration;

fn titles(store: &Store, owner: &Owner, filter: &Filter) -> Vec<String> {
    let listed = store.list(owner, filter).unwrap();
    listed.into_iter().map(|summary| summary.title).collect()
}

fn titled(title: &str) -> NewConversation {
    NewConversation {
        title: Some(title.into()),
        ..NewConversation::default()
    }
}

#[test]
fn another_owner_sees_nothing() {
    let store = store();
    let (mine, theirs) = (Owner::local(), stranger(&store));
    let id = conversation(&store, &mine);
    let (_, answer) = exchange(&store, &mine, &id, None, ("secret plan", "a secret answer"));

    let missing = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::NotFound(_))), "{result:?}")
    };
    missing(store.conversation(&theirs, &id).map(drop));
    missing(
        store
            .change_conversation(&theirs, &id, &Change::default())
            .map(drop),
    );
    missing(store.delete_conversation(&theirs, &id));
    missing(store.export(&theirs, &id).map(drop));
    missing(store.ask(&theirs, &id, &question(None, "mine?")).map(drop));
    missing(store.message(&theirs, &answer.id).map(drop));
    missing(store.path(&theirs, &answer.id).map(drop));
    missing(store.retry(&theirs, &answer.id, None).map(drop));
    missing(store.reopen(&theirs, &answer.id).map(drop));
    let query = Some("secret".into());
    assert_eq!(
        store
            .list(
                &theirs,
                &Filter {
                    query,
                    ..Filter::default()
                }
            )
            .unwrap(),
        []
    );
    assert_eq!(store.list(&theirs, &Filter::default()).unwrap(), []);
    assert_eq!(store.folders(&theirs).unwrap(), [""; 0]);
    assert_eq!(store.conversation(&mine, &id).unwrap().messages.len(), 2);
}

#[test]
fn another_owners_answer_is_not_written() {
    let store = store();
    let (mine, theirs) = (Owner::local(), stranger(&store));
    let id = conversation(&store, &mine);
    let (_, answer) = store.ask(&mine, &id, &question(None, "what?")).unwrap();
    assert!(!store.progress(&theirs, &answer.id, "theirs", "").unwrap());
    assert!(
        !store
            .finish(&theirs, &answer.id, &Default::default())
            .unwrap()
    );
    assert_eq!(store.message(&mine, &answer.id).unwrap(), answer);
}

#[test]
fn a_message_of_another_owner_cannot_be_a_parent() {
    let store = store();
    let (mine, theirs) = (Owner::local(), stranger(&store));
    let (_, answer) = exchange(
        &store,
        &mine,
        &conversation(&store, &mine),
        None,
        ("a", "b"),
    );
    let other = conversation(&store, &theirs);
    let asked = store.ask(&theirs, &other, &question(Some(&answer.id), "c"));
    assert!(matches!(asked, Err(Error::NotFound(_))), "{asked:?}");
}

#[test]
fn the_first_question_gives_the_title() {
    let store = store();
    let owner = Owner::local();
    let cases = [
        (
            "How far is the moon?\nIn kilometres.",
            "How far is the moon?",
        ),
        ("\n \t\n  spaced \u{7}  out\tline ", "spaced out line"),
        ("", ""),
        (
            "Please explain to me in simple words how a bill of exchange is discounted by a bank",
            "Please explain to me in simple words how a bill of exchange…",
        ),
    ];
    for (asked, title) in cases {
        let id = conversation(&store, &owner);
        exchange(&store, &owner, &id, None, (asked, ""));
        assert_eq!(
            store.conversation(&owner, &id).unwrap().conversation.title,
            title
        );
    }
    let id = conversation(&store, &owner);
    exchange(&store, &owner, &id, None, (&"語".repeat(500), ""));
    assert_eq!(
        store.conversation(&owner, &id).unwrap().conversation.title,
        format!("{}…", "語".repeat(60))
    );
}

#[test]
fn a_title_of_the_persons_own_stays() {
    let store = store();
    let owner = Owner::local();
    let id = store
        .create_conversation(&owner, &titled("Mine"))
        .unwrap()
        .id;
    let (_, answer) = exchange(&store, &owner, &id, None, ("first", "answer"));
    exchange(&store, &owner, &id, Some(&answer.id), ("second", "answer"));
    assert_eq!(
        store.conversation(&owner, &id).unwrap().conversation.title,
        "Mine"
    );
}

#[test]
fn a_change_leaves_what_it_does_not_name() {
    let store = store();
    let owner = Owner::local();
    let new = NewConversation {
        title: Some("Title".into()),
        folder: Some("Work".into()),
        system: Some("Be brief.".into()),
    };
    let id = store.create_conversation(&owner, &new).unwrap().id;

    let change = |json: &str| serde_json::from_str::<Change>(json).unwrap();
    let changed = store
        .change_conversation(&owner, &id, &change(r#"{"title":"New"}"#))
        .unwrap();
    assert_eq!(
        (changed.title.as_str(), changed.folder.as_deref()),
        ("New", Some("Work"))
    );
    let changed = store
        .change_conversation(&owner, &id, &change(r#"{"folder":null}"#))
        .unwrap();
    assert_eq!(
        (changed.folder.as_deref(), changed.system.as_deref()),
        (None, Some("Be brief."))
    );
    let changed = store
        .change_conversation(&owner, &id, &change(r#"{"system":"","folder":"Home"}"#))
        .unwrap();
    assert_eq!(
        (changed.folder.as_deref(), changed.system.as_deref()),
        (Some("Home"), None)
    );
    assert_eq!(
        store.conversation(&owner, &id).unwrap().conversation,
        changed
    );
}

#[test]
fn the_list_is_newest_first_by_what_was_asked() {
    let store = store();
    let owner = Owner::local();
    let ids = ["one", "two", "three"].map(|title| {
        std::thread::sleep(Duration::from_millis(2));
        store
            .create_conversation(&owner, &titled(title))
            .unwrap()
            .id
    });
    assert_eq!(
        titles(&store, &owner, &Filter::default()),
        ["three", "two", "one"]
    );
    std::thread::sleep(Duration::from_millis(2));
    store
        .ask(&owner, &ids[0], &question(None, "again"))
        .unwrap();
    let renamed = Change {
        title: Some("zwei".into()),
        ..Change::default()
    };
    store
        .change_conversation(&owner, &ids[1], &renamed)
        .unwrap();
    assert_eq!(
        titles(&store, &owner, &Filter::default()),
        ["one", "three", "zwei"]
    );
    let page = Filter {
        limit: 1,
        offset: 1,
        ..Filter::default()
    };
    assert_eq!(titles(&store, &owner, &page), ["three"]);
}

#[test]
fn folders_are_those_in_use() {
    let store = store();
    let owner = Owner::local();
    for (title, folder) in [("a", "work"), ("b", "Home"), ("c", "work"), ("d", " ")] {
        let new = NewConversation {
            folder: Some(folder.into()),
            ..titled(title)
        };
        store.create_conversation(&owner, &new).unwrap();
    }
    assert_eq!(store.folders(&owner).unwrap(), ["Home", "work"]);
    let folder = Some("work".into());
    let mut found = titles(
        &store,
        &owner,
        &Filter {
            folder,
            ..Filter::default()
        },
    );
    found.sort();
    assert_eq!(found, ["a", "c"]);
}

#[test]
fn a_deleted_conversation_leaves_nothing() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (asked, answer) = exchange(&store, &owner, &id, None, ("zebra", "okapi"));
    let (_, open) = store
        .ask(&owner, &id, &question(Some(&answer.id), "and?"))
        .unwrap();
    store.delete_conversation(&owner, &id).unwrap();

    assert!(matches!(
        store.conversation(&owner, &id),
        Err(Error::NotFound(_))
    ));
    assert!(matches!(
        store.message(&owner, &asked.id),
        Err(Error::NotFound(_))
    ));
    assert_eq!(store.unfinished().unwrap(), []);
    assert!(!store.finish(&owner, &open.id, &Default::default()).unwrap());
    for word in ["zebra", "okapi"] {
        let query = Some(word.into());
        assert_eq!(
            store
                .list(
                    &owner,
                    &Filter {
                        query,
                        ..Filter::default()
                    }
                )
                .unwrap(),
            []
        );
    }
    assert!(matches!(
        store.delete_conversation(&owner, &id),
        Err(Error::NotFound(_))
    ));
    store.check().unwrap();
}

#[test]
fn too_long_texts_are_refused_and_nothing_is_saved() {
    let store = store();
    let owner = Owner::local();
    let large = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}")
    };
    large(
        store
            .create_conversation(&owner, &titled(&"x".repeat(201)))
            .map(drop),
    );
    store
        .create_conversation(&owner, &titled(&"語".repeat(200)))
        .unwrap();
    let new = NewConversation {
        folder: Some("x".repeat(101)),
        ..NewConversation::default()
    };
    large(store.create_conversation(&owner, &new).map(drop));
    let new = NewConversation {
        system: Some("x".repeat(MOST_SYSTEM + 1)),
        ..NewConversation::default()
    };
    large(store.create_conversation(&owner, &new).map(drop));

    let id = conversation(&store, &owner);
    large(
        store
            .ask(&owner, &id, &question(None, &"x".repeat(MOST_CONTENT + 1)))
            .map(drop),
    );
    assert_eq!(store.conversation(&owner, &id).unwrap().messages, []);
    let (asked, answer) = store
        .ask(&owner, &id, &question(None, &"x".repeat(MOST_CONTENT)))
        .unwrap();
    assert_eq!(asked.content.len(), MOST_CONTENT);
    large(
        store
            .progress(&owner, &answer.id, &"x".repeat(MOST_CONTENT + 1), "")
            .map(drop),
    );
}
