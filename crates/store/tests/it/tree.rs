//! Branches: edited questions, second answers, the path to a message.
use crate::samples::{conversation, ended, exchange, question, store};
use reckon_store::{Error, Message, Owner, Question, Role, State};
use serde_json::json;
use std::time::{Duration, Instant};

fn contents(path: &[Message]) -> Vec<&str> {
    path.iter()
        .map(|message| message.content.as_str())
        .collect()
}

#[test]
fn an_edited_question_is_a_branch() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (_, first) = exchange(&store, &owner, &id, None, ("q1", "a1"));
    let (_, second) = exchange(&store, &owner, &id, Some(&first.id), ("q2", "a2"));
    let (edited, third) = exchange(&store, &owner, &id, Some(&first.id), ("q2 edited", "a3"));
    let (_, other_root) = exchange(&store, &owner, &id, None, ("q1 edited", "a4"));

    assert_eq!(edited.parent.as_ref(), Some(&first.id));
    assert_eq!(
        contents(&store.path(&owner, &second.id).unwrap()),
        ["q1", "a1", "q2", "a2"]
    );
    assert_eq!(
        contents(&store.path(&owner, &third.id).unwrap()),
        ["q1", "a1", "q2 edited", "a3"]
    );
    assert_eq!(
        contents(&store.path(&owner, &edited.id).unwrap()),
        ["q1", "a1", "q2 edited"]
    );
    assert_eq!(
        contents(&store.path(&owner, &other_root.id).unwrap()),
        ["q1 edited", "a4"]
    );
    assert_eq!(store.conversation(&owner, &id).unwrap().messages.len(), 8);
}

#[test]
fn a_second_answer_stands_beside_the_first() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let asked = Question {
        model: Some("small".into()),
        request: Some(json!({"seed": 1})),
        ..question(None, "q")
    };
    let (question, first) = store.ask(&owner, &id, &asked).unwrap();
    store
        .finish(&owner, &first.id, &ended(State::Done, "one"))
        .unwrap();
    let second = store
        .retry(&owner, &first.id, Some(&json!({"seed": 2})))
        .unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(
        (second.parent.as_ref(), second.role, second.state),
        (Some(&question.id), Role::Assistant, State::Waiting)
    );
    assert_eq!(
        (second.model.as_deref(), second.request),
        (Some("small"), Some(json!({"seed": 2})))
    );
    assert_eq!(store.message(&owner, &first.id).unwrap().content, "one");

    let again = store.retry(&owner, &question.id, None);
    assert!(matches!(again, Err(Error::WrongState(_))), "{again:?}");
}

#[test]
fn a_question_follows_an_answer_that_has_ended() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (asked, open) = store.ask(&owner, &id, &question(None, "q")).unwrap();
    for parent in [&asked.id, &open.id] {
        let refused = store.ask(&owner, &id, &question(Some(parent), "next"));
        assert!(matches!(refused, Err(Error::WrongState(_))), "{refused:?}");
    }
    store
        .finish(&owner, &open.id, &ended(State::Stopped, "half"))
        .unwrap();
    store
        .ask(&owner, &id, &question(Some(&open.id), "next"))
        .unwrap();
}

#[test]
fn a_parent_is_in_the_same_conversation() {
    let store = store();
    let owner = Owner::local();
    let (_, elsewhere) = exchange(
        &store,
        &owner,
        &conversation(&store, &owner),
        None,
        ("q", "a"),
    );
    let asked = store.ask(
        &owner,
        &conversation(&store, &owner),
        &question(Some(&elsewhere.id), "q"),
    );
    assert!(matches!(asked, Err(Error::NotFound(_))), "{asked:?}");
}

#[test]
fn the_path_through_ten_thousand_messages_is_quick() {
    let store = store();
    let owner = Owner::local();
    let messages = (0..10_000)
        .map(|n| {
            let parent = (n > 0).then(|| (n - 1).to_string());
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            json!({"id": n.to_string(), "parent": parent, "role": role, "content": n.to_string()})
        })
        .collect::<Vec<_>>();
    let exported = json!({"reckon": 1, "conversation": {"title": "deep", "messages": messages}});
    let id = store
        .import(&owner, exported.to_string().as_bytes())
        .unwrap()
        .id;
    let last = store
        .conversation(&owner, &id)
        .unwrap()
        .messages
        .pop()
        .unwrap();

    let started = Instant::now();
    let path = store.path(&owner, &last.id).unwrap();
    let took = started.elapsed();
    assert_eq!(path.len(), 10_000);
    assert!(
        path.iter()
            .enumerate()
            .all(|(n, message)| message.content == n.to_string())
    );
    // Some 40 ms where this was written; a walk that is quadratic would take minutes.
    assert!(took < Duration::from_secs(5), "{took:?}");

    store
        .ask(&owner, &id, &question(Some(&last.id), "and now?"))
        .unwrap();
    store.delete_conversation(&owner, &id).unwrap();
    assert_eq!(store.list(&owner, &Default::default()).unwrap(), []);
}
