//! Owners, conversations and answers that the tests begin with.
use reckon_store::{
    ConversationId, Finished, Message, MessageId, NewConversation, Owner, Question, State, Store,
};

pub(crate) fn store() -> Store {
    Store::in_memory().unwrap()
}

/// The holder of a new key.
pub(crate) fn stranger(store: &Store) -> Owner {
    let name = format!("stranger {}", store.count_keys().unwrap());
    Owner::from(&store.create_key(&name, Default::default()).unwrap().0)
}

pub(crate) fn conversation(store: &Store, owner: &Owner) -> ConversationId {
    store
        .create_conversation(owner, &NewConversation::default())
        .unwrap()
        .id
}

pub(crate) fn question(parent: Option<&MessageId>, content: &str) -> Question {
    Question {
        parent: parent.cloned(),
        content: content.into(),
        ..Question::default()
    }
}

pub(crate) fn ended(state: State, content: &str) -> Finished {
    Finished {
        state,
        content: content.into(),
        ..Finished::default()
    }
}

/// A question with an answer that is done.
pub(crate) fn exchange(
    store: &Store,
    owner: &Owner,
    conversation: &ConversationId,
    parent: Option<&MessageId>,
    (asked, answered): (&str, &str),
) -> (Message, Message) {
    let (question, answer) = store
        .ask(owner, conversation, &question(parent, asked))
        .unwrap();
    assert!(
        store
            .finish(owner, &answer.id, &ended(State::Done, answered))
            .unwrap()
    );
    let answer = store.message(owner, &answer.id).unwrap();
    (question, answer)
}
