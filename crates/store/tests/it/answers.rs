//! The states of an answer, and what a server finds after a restart.
use crate::samples::{conversation, ended, exchange, question, store, stranger};
use reckon_store::{Error, Finished, MOST_JSON, Owner, Question, Role, State};
use serde_json::{Value, json};

#[test]
fn an_answer_waits_is_written_and_ends() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let asked = Question {
        model: Some("small".into()),
        request: Some(json!({"seed": 7})),
        ..question(None, "2 + 2?")
    };
    let (question, answer) = store.ask(&owner, &id, &asked).unwrap();
    assert_eq!(
        (question.role, question.state, question.parent.as_ref()),
        (Role::User, State::Done, None)
    );
    assert_eq!(
        (answer.role, answer.state, answer.parent.as_ref()),
        (Role::Assistant, State::Waiting, Some(&question.id))
    );
    assert_eq!(
        (answer.model.as_deref(), answer.request),
        (Some("small"), Some(json!({"seed": 7})))
    );

    assert!(
        store
            .progress(&owner, &answer.id, "It is", "2 and 2")
            .unwrap()
    );
    let half = store.message(&owner, &answer.id).unwrap();
    assert_eq!(
        (half.state, half.content.as_str(), half.thought.as_str()),
        (State::Writing, "It is", "2 and 2")
    );

    let finished = Finished {
        thought: "2 and 2 make 4".into(),
        mark: Some(json!({"state": "verified", "text": "checked"})),
        receipt: Some(json!({"draft": "It is 4", "guards": []})),
        stats: Some(json!({"prompt": 9, "seconds": 0.5})),
        ..ended(State::Done, "It is 4.")
    };
    assert!(store.finish(&owner, &answer.id, &finished).unwrap());
    let saved = store.message(&owner, &answer.id).unwrap();
    assert_eq!(
        (saved.state, saved.content, saved.thought),
        (State::Done, finished.content, finished.thought)
    );
    assert_eq!(
        (saved.mark, saved.receipt, saved.stats),
        (finished.mark, finished.receipt, finished.stats)
    );
}

#[test]
fn an_answer_ends_once() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (_, answer) = store.ask(&owner, &id, &question(None, "?")).unwrap();
    assert!(
        store
            .finish(&owner, &answer.id, &ended(State::Stopped, "first"))
            .unwrap()
    );
    assert!(
        !store
            .finish(&owner, &answer.id, &ended(State::Done, "second"))
            .unwrap()
    );
    assert!(!store.progress(&owner, &answer.id, "third", "").unwrap());
    let saved = store.message(&owner, &answer.id).unwrap();
    assert_eq!(
        (saved.state, saved.content.as_str()),
        (State::Stopped, "first")
    );
}

#[test]
fn an_answer_does_not_end_as_unfinished() {
    let store = store();
    let owner = Owner::local();
    let (_, answer) = store
        .ask(&owner, &conversation(&store, &owner), &question(None, "?"))
        .unwrap();
    for state in [State::Waiting, State::Writing] {
        let finished = store.finish(&owner, &answer.id, &ended(state, ""));
        assert!(
            matches!(finished, Err(Error::WrongState(_))),
            "{finished:?}"
        );
    }
}

#[test]
fn stopped_cut_and_failed_answers_continue_where_they_were() {
    let store = store();
    let owner = Owner::local();
    for state in [State::Stopped, State::Cut, State::Failed] {
        let (_, answer) = store
            .ask(&owner, &conversation(&store, &owner), &question(None, "?"))
            .unwrap();
        let finished = Finished {
            error: Some("out of memory".into()),
            mark: Some(json!({"state": "none"})),
            ..ended(state, "half an")
        };
        store.finish(&owner, &answer.id, &finished).unwrap();
        let open = store.reopen(&owner, &answer.id).unwrap();
        assert_eq!(
            (open.state, open.content.as_str()),
            (State::Waiting, "half an")
        );
        assert_eq!((open.error, open.mark), (None, None));
        assert!(
            store
                .finish(&owner, &answer.id, &ended(State::Done, "half an answer"))
                .unwrap()
        );
    }
}

#[test]
fn what_is_done_or_under_way_is_not_reopened() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (asked, done) = exchange(&store, &owner, &id, None, ("a", "b"));
    let (_, open) = store
        .ask(&owner, &id, &question(Some(&done.id), "c"))
        .unwrap();
    for message in [asked.id, done.id, open.id] {
        let reopened = store.reopen(&owner, &message);
        assert!(
            matches!(reopened, Err(Error::WrongState(_))),
            "{reopened:?}"
        );
    }
}

#[test]
fn a_restart_finds_all_unfinished_answers_oldest_first() {
    let store = store();
    let (mine, theirs) = (Owner::local(), stranger(&store));
    let id = conversation(&store, &mine);
    let other = conversation(&store, &theirs);
    let asked = Question {
        request: Some(json!({"temperature": 0.5})),
        ..question(None, "one")
    };
    let (_, first) = store.ask(&mine, &id, &asked).unwrap();
    exchange(&store, &mine, &id, None, ("done", "done"));
    let (_, second) = store.ask(&theirs, &other, &question(None, "two")).unwrap();
    store.progress(&theirs, &second.id, "so far", "").unwrap();

    let unfinished = store.unfinished().unwrap();
    let found = unfinished
        .iter()
        .map(|(owner, message)| (owner, &message.id, message.state))
        .collect::<Vec<_>>();
    assert_eq!(
        found,
        [
            (&mine, &first.id, State::Waiting),
            (&theirs, &second.id, State::Writing)
        ]
    );
    assert_eq!(unfinished[0].1.request, Some(json!({"temperature": 0.5})));
    assert_eq!(unfinished[1].1.content, "so far");
}

#[test]
fn a_message_as_json_is_what_the_page_reads() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let asked = Question {
        request: Some(json!({"seed": 7})),
        ..question(None, "hello")
    };
    let (question, answer) = store.ask(&owner, &id, &asked).unwrap();
    let expected = json!({
        "id": answer.id.as_str(), "conversation": id.as_str(), "parent": question.id.as_str(), "role": "assistant",
        "content": "", "thought": "", "state": "waiting", "error": null, "model": null, "created": answer.created,
        "mark": null, "receipt": null, "stats": null,
    });
    assert_eq!(serde_json::to_value(&answer).unwrap(), expected);
    let thread = serde_json::to_value(store.conversation(&owner, &id).unwrap()).unwrap();
    let fields = thread
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect::<std::collections::BTreeSet<_>>();
    assert_eq!(
        fields,
        [
            "id", "title", "folder", "system", "created", "updated", "messages"
        ]
        .into()
    );
}

#[test]
fn json_that_could_not_be_read_back_is_refused() {
    let store = store();
    let owner = Owner::local();
    let (_, answer) = store
        .ask(&owner, &conversation(&store, &owner), &question(None, "?"))
        .unwrap();
    let deep = (0..200).fold(Value::Null, |inner, _| json!([inner]));
    let finish = |receipt: Value| {
        let finished = Finished {
            receipt: Some(receipt),
            ..ended(State::Done, "")
        };
        store.finish(&owner, &answer.id, &finished)
    };
    assert!(matches!(finish(deep), Err(Error::Invalid(_))));
    assert!(matches!(
        finish(json!("x".repeat(MOST_JSON))),
        Err(Error::TooLarge { .. })
    ));
    assert!(finish((0..99).fold(Value::Null, |inner, _| json!([inner]))).unwrap());
    assert!(store.message(&owner, &answer.id).unwrap().receipt.is_some());
}

#[test]
fn text_with_nul_and_marks_comes_back_as_it_was() {
    let store = store();
    let owner = Owner::local();
    let text = "a\0b\u{1}c\u{2}\u{fffd}\u{202e}😀\r\n";
    let (asked, answer) = exchange(
        &store,
        &owner,
        &conversation(&store, &owner),
        None,
        (text, text),
    );
    assert_eq!(
        (asked.content.as_str(), answer.content.as_str()),
        (text, text)
    );
}
