//! Export and import: what comes back, and files that must not.
use crate::samples::{conversation, ended, exchange, question, store};
use reckon_store::{
    Error, Finished, MOST_IMPORT, MOST_MESSAGES, NewConversation, Owner, State, Store,
};
use serde_json::{Value, json};

fn import(store: &Store, value: &Value) -> reckon_store::Result<reckon_store::Conversation> {
    store.import(&Owner::local(), value.to_string().as_bytes())
}

fn messages(list: Value) -> Value {
    json!({"reckon": 1, "conversation": {"title": "t", "messages": list}})
}

fn refused(value: &Value) {
    let store = store();
    let result = import(&store, value);
    assert!(
        matches!(result, Err(Error::Invalid(_) | Error::TooLarge { .. })),
        "{result:?}"
    );
    assert_eq!(
        store.list(&Owner::local(), &Default::default()).unwrap(),
        []
    );
}

/// A conversation's JSON with ids replaced by their order, so that two can be compared.
fn without_ids(exported: &Value) -> Value {
    let mut text = exported.to_string();
    let ids = |value: &Value| value["id"].as_str().unwrap().to_owned();
    let all = exported["conversation"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(ids);
    for (n, id) in all.chain([ids(&exported["conversation"])]).enumerate() {
        text = text.replace(&id, &format!("id {n}"));
    }
    serde_json::from_str(&text).unwrap()
}

#[test]
fn an_export_comes_back_the_same() {
    let store = store();
    let owner = Owner::local();
    let new = NewConversation {
        title: Some("Title".into()),
        folder: Some("Folder".into()),
        system: Some("System".into()),
    };
    let id = store.create_conversation(&owner, &new).unwrap().id;
    let (asked, answer) = store.ask(&owner, &id, &question(None, "q")).unwrap();
    let finished = Finished {
        thought: "hm".into(),
        error: Some("why".into()),
        mark: Some(json!({"state": "doubtful"})),
        receipt: Some(json!({"draft": "a", "guards": [{"guard": "arithmetic"}]})),
        stats: Some(json!({"seconds": 1.25})),
        ..ended(State::Failed, "a")
    };
    store.finish(&owner, &answer.id, &finished).unwrap();
    exchange(&store, &owner, &id, Some(&answer.id), ("q2", "a2"));
    exchange(&store, &owner, &id, None, ("branch", "\0 😀"));
    let exported = store.export(&owner, &id).unwrap();
    assert_eq!(exported["reckon"], 1);

    let other = Store::in_memory().unwrap();
    let copy = import(&other, &exported).unwrap();
    assert_ne!(copy.id, id);
    let again = other.export(&owner, &copy.id).unwrap();
    assert_eq!(without_ids(&again), without_ids(&exported));
    assert!(
        !again.to_string().contains(asked.id.as_str()),
        "messages get new ids"
    );
    let second = import(&other, &exported).unwrap();
    assert_ne!(second.id, copy.id);
    other.check().unwrap();
}

#[test]
fn what_was_under_way_comes_back_stopped() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (_, waiting) = store.ask(&owner, &id, &question(None, "q")).unwrap();
    let (_, writing) = store.ask(&owner, &id, &question(None, "q")).unwrap();
    store.progress(&owner, &writing.id, "half", "").unwrap();
    let exported = store.export(&owner, &id).unwrap();
    store
        .finish(&owner, &waiting.id, &Default::default())
        .unwrap();
    store
        .finish(&owner, &writing.id, &Default::default())
        .unwrap();

    let copy = import(&store, &exported).unwrap().id;
    let states = store
        .conversation(&owner, &copy)
        .unwrap()
        .messages
        .into_iter()
        .map(|message| message.state);
    assert_eq!(
        states.collect::<Vec<_>>(),
        [State::Done, State::Stopped, State::Done, State::Stopped]
    );
    assert_eq!(store.unfinished().unwrap(), []);
    let query = Some("half".into());
    let found = store
        .list(
            &owner,
            &reckon_store::Filter {
                query,
                ..Default::default()
            },
        )
        .unwrap();
    assert_eq!(found[0].id, copy, "imported text is searchable");
}

#[test]
fn children_may_come_before_their_parents() {
    let store = store();
    let list = json!([
        {"id": "c", "parent": "b", "role": "user", "content": "3"},
        {"id": "b", "parent": "a", "role": "assistant", "content": "2"},
        {"id": "a", "parent": null, "role": "user", "content": "1"},
        {"id": "d", "parent": "c", "role": "assistant", "content": "4"},
    ]);
    let id = import(&store, &messages(list)).unwrap().id;
    let owner = Owner::local();
    let thread = store.conversation(&owner, &id).unwrap();
    let last = thread
        .messages
        .iter()
        .find(|message| message.content == "4")
        .unwrap();
    let path = store.path(&owner, &last.id).unwrap();
    assert_eq!(
        path.iter()
            .map(|message| message.content.as_str())
            .collect::<String>(),
        "1234"
    );
}

#[test]
fn a_time_to_come_is_now() {
    let store = store();
    let future = i64::MAX;
    let list = json!([{"id": "a", "role": "user", "content": "", "created": future}]);
    let mut exported = messages(list);
    exported["conversation"]["updated"] = json!(future);
    let imported = import(&store, &exported).unwrap();
    assert!(imported.updated < future / 2);
    let thread = store.conversation(&Owner::local(), &imported.id).unwrap();
    assert!(thread.messages[0].created < future / 2);
}

#[test]
fn trees_that_are_none_are_refused() {
    let message = |id: &str, parent: Value| json!({"id": id, "parent": parent, "role": "user", "content": ""});
    refused(&messages(json!([message("a", json!("missing"))])));
    refused(&messages(json!([message("a", json!("a"))])));
    refused(&messages(json!([
        message("root", Value::Null),
        message("a", json!("b")),
        message("b", json!("a"))
    ])));
    refused(&messages(json!([
        message("a", Value::Null),
        message("a", Value::Null)
    ])));
}

#[test]
fn files_that_are_no_export_are_refused() {
    for value in [
        json!(null),
        json!([]),
        json!({}),
        json!({"reckon": 1}),
        json!({"reckon": 2, "conversation": {"messages": []}}),
        json!({"reckon": "1", "conversation": {"messages": []}}),
        json!({"reckon": 1, "conversation": {"messages": {}}}),
        messages(json!([{"id": "a", "role": "system", "content": ""}])),
        messages(json!([{"id": "a", "role": "user", "content": "", "state": "lost"}])),
        messages(json!([{"id": "a", "role": "user"}])),
        messages(json!([{"id": "a", "role": "user", "content": "", "model": "m".repeat(101)}])),
        json!({"reckon": 1, "conversation": {"title": "t".repeat(201), "messages": []}}),
    ] {
        refused(&value);
    }
    let store = store();
    for bytes in [&b""[..], b"{", b"\xff\xfe", b"SQLite format 3\0"] {
        assert!(matches!(
            store.import(&Owner::local(), bytes),
            Err(Error::Invalid(_))
        ));
    }
}

#[test]
fn a_deep_receipt_is_refused_and_nothing_is_kept() {
    let store = store();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!(
        r#"{{"reckon":1,"conversation":{{"messages":[{{"id":"a","role":"user","content":"kept?"}},
        {{"id":"b","parent":"a","role":"assistant","content":"","receipt":{deep}}}]}}}}"#
    );
    let result = store.import(&Owner::local(), text.as_bytes());
    assert!(matches!(result, Err(Error::Invalid(_))), "{result:?}");
    assert_eq!(
        store.list(&Owner::local(), &Default::default()).unwrap(),
        []
    );
}

#[test]
fn an_import_is_bounded_in_bytes_and_messages() {
    let store = store();
    let owner = Owner::local();
    let result = store.import(&owner, &vec![b' '; MOST_IMPORT + 1]);
    assert!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");

    let many = |n: usize| {
        let message = |n: usize| format!(r#"{{"id":"{n}","role":"user","content":""}}"#);
        let list = (0..n).map(message).collect::<Vec<_>>().join(",");
        format!(r#"{{"reckon":1,"conversation":{{"messages":[{list}]}}}}"#)
    };
    let result = store.import(&owner, many(MOST_MESSAGES + 1).as_bytes());
    assert!(matches!(result, Err(Error::Invalid(_))), "{result:?}");
    let full = store
        .import(&owner, many(MOST_MESSAGES).as_bytes())
        .unwrap()
        .id;
    let result = store.ask(&owner, &full, &question(None, "one more"));
    assert!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
}
