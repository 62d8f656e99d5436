//! Search: what is found, how it is shown, and queries that try to be more than words.
use crate::samples::{conversation, ended, exchange, question, store};
use reckon_store::{Change, ConversationId, Filter, NewConversation, Owner, State, Store, Summary};

fn find(store: &Store, query: &str) -> Vec<Summary> {
    let query = Some(query.into());
    store
        .list(
            &Owner::local(),
            &Filter {
                query,
                ..Filter::default()
            },
        )
        .unwrap()
}

fn saved(store: &Store, asked: &str, answered: &str) -> ConversationId {
    let owner = Owner::local();
    let new = NewConversation {
        title: Some("untitled".into()),
        ..NewConversation::default()
    };
    let id = store.create_conversation(&owner, &new).unwrap().id;
    exchange(store, &owner, &id, None, (asked, answered));
    id
}

fn found(store: &Store, query: &str, id: &ConversationId) -> bool {
    find(store, query).iter().any(|summary| summary.id == *id)
}

#[test]
fn words_of_questions_answers_and_titles_are_found() {
    let store = store();
    let id = saved(
        &store,
        "Where do pelicans nest?",
        "On islands without foxes.",
    );
    for query in [
        "pelicans",
        "PELICANS nest",
        "nest pelicans",
        "foxes",
        "untitled",
        "pel",
        "without fox",
    ] {
        assert!(found(&store, query, &id), "{query}");
    }
    for query in ["penguins", "pelicans foxes", "elicans", "pel nest"] {
        assert!(!found(&store, query, &id), "{query}");
    }
}

#[test]
fn accents_make_no_difference() {
    let store = store();
    let id = saved(
        &store,
        "Où est le café à Đà Nẵng? Straße, naïve, Ångström",
        "",
    );
    for query in ["cafe", "CAFÉ", "nang", "naive", "angstrom", "cafe\u{301}"] {
        assert!(found(&store, query, &id), "{query}");
    }
}

#[test]
fn the_snippet_marks_the_matches_and_nothing_else() {
    let store = store();
    saved(
        &store,
        "x",
        "ten words stand before it, \u{1}fake\u{2} marks too, then the lynx sleeps",
    );
    let snippet = find(&store, "lynx")[0].snippet.clone().unwrap();
    assert!(snippet.contains("the \u{1}lynx\u{2} sleeps"), "{snippet:?}");
    assert_eq!(
        snippet.matches(['\u{1}', '\u{2}']).count(),
        2,
        "{snippet:?}"
    );

    let titled = find(&store, "untit");
    assert_eq!(titled[0].snippet.as_deref(), Some("\u{1}untitled\u{2}"));
    assert_eq!(
        store.list(&Owner::local(), &Filter::default()).unwrap()[0].snippet,
        None
    );
}

#[test]
fn a_conversation_is_listed_once_with_its_newest_match() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (_, first) = exchange(&store, &owner, &id, None, ("crane one", "crane two"));
    exchange(
        &store,
        &owner,
        &id,
        Some(&first.id),
        ("crane three", "nothing"),
    );
    let other = saved(&store, "crane elsewhere", "");
    let summaries = find(&store, "crane");
    assert_eq!(summaries.len(), 2);
    let snippet = |id: &ConversationId| {
        summaries
            .iter()
            .find(|summary| summary.id == *id)
            .unwrap()
            .snippet
            .clone()
    };
    assert_eq!(snippet(&id).as_deref(), Some("\u{1}crane\u{2} three"));
    assert_eq!(
        snippet(&other).as_deref(),
        Some("\u{1}crane\u{2} elsewhere")
    );
}

#[test]
fn a_search_stays_in_its_folder() {
    let store = store();
    let owner = Owner::local();
    let [work, home] = ["Work", "Home"].map(|folder| {
        let id = saved(&store, "budget", "");
        let change = Change {
            folder: Some(Some(folder.into())),
            ..Change::default()
        };
        store.change_conversation(&owner, &id, &change).unwrap();
        id
    });
    let filter = Filter {
        folder: Some("Work".into()),
        query: Some("budget".into()),
        ..Filter::default()
    };
    let ids = store
        .list(&owner, &filter)
        .unwrap()
        .into_iter()
        .map(|summary| summary.id)
        .collect::<Vec<_>>();
    assert_eq!(ids, [work]);
    assert!(found(&store, "budget", &home));
}

#[test]
fn what_changes_is_found_as_it_is_now() {
    let store = store();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let (_, answer) = store.ask(&owner, &id, &question(None, "q")).unwrap();
    store.progress(&owner, &answer.id, "walrus", "").unwrap();
    assert!(
        !found(&store, "walrus", &id),
        "an answer is searchable once it has ended"
    );
    store
        .finish(&owner, &answer.id, &ended(State::Cut, "walrus and"))
        .unwrap();
    assert!(found(&store, "walrus", &id));
    store.reopen(&owner, &answer.id).unwrap();
    assert!(!found(&store, "walrus", &id));
    store
        .finish(&owner, &answer.id, &ended(State::Done, "narwhal"))
        .unwrap();
    assert!(found(&store, "narwhal", &id) && !found(&store, "walrus", &id));

    let renamed = Change {
        title: Some("Whales".into()),
        ..Change::default()
    };
    store.change_conversation(&owner, &id, &renamed).unwrap();
    assert!(found(&store, "whales", &id));
    let renamed = Change {
        title: Some("Seals".into()),
        ..Change::default()
    };
    store.change_conversation(&owner, &id, &renamed).unwrap();
    assert!(found(&store, "seals", &id) && !found(&store, "whales", &id));
    store.check().unwrap();
}

#[test]
fn no_query_is_a_syntax_error() {
    let store = store();
    let id = saved(&store, "NEAR the harbour, not AND or OR", "content col");
    let nasty = [
        "\"",
        "\"\"",
        "\"\"\"",
        "*",
        "**",
        "a*",
        "*a",
        "NEAR(",
        "NEAR(a b, 2)",
        "AND",
        "OR",
        "NOT",
        "a AND",
        "NOT a",
        "(",
        ")",
        "(a",
        "-a",
        "^a",
        "a^",
        "+",
        "content:",
        "content : a",
        "{content}: a",
        "- {content} : a",
        "'",
        "';--",
        "😀",
        "a😀b",
        "😀 harbour",
        "harbour 😀",
        "\0",
        "a\0b",
        "harbour\0",
        "\u{1}",
        "\\",
        "%",
        "_",
        "?",
        "?1",
        ":a",
        "@a",
        "$a",
        "[a]",
        "a\"b",
        "\"a",
        "a\"",
        "\u{202e}a",
        "\u{301}",
        "٣",
        "½",
        "ǅ",
    ];
    for query in nasty {
        find(&store, query);
    }
    for long in ["x", "\"", "é ", "😀", "a ", "(", "NEAR "] {
        find(&store, &long.repeat(10_240 / long.len()));
    }
    for query in [
        "NEAR(",
        "harbour*",
        "\"harbour",
        "harbour \"",
        "harbour 😀",
        "😀 harb",
        "harb 😀",
        "harbour\0",
        "* harbour",
    ] {
        assert!(found(&store, query, &id), "{query:?}");
    }
    for query in ["*", "\"", "😀", "("] {
        assert_eq!(find(&store, query), [], "{query:?}");
    }
    assert!(found(&store, " \t", &id), "nothing but spaces is no query");
}

#[test]
fn the_operators_of_the_index_are_only_words() {
    let store = store();
    let id = saved(&store, "plain text", "");
    for query in [
        "plain OR missing",
        "plain NOT missing",
        "pla* OR x",
        "title:untitled",
        "{title} : untitled",
    ] {
        assert!(!found(&store, query, &id), "{query}");
    }
}
