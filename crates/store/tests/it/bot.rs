//! What a bot keeps: people, updates, tasks and deliveries, each step in one piece.
use reckon_store::bot::{Act, BotStore, DeliveryState, MOST_PAIRINGS, NewDelivery, NewTask};
use reckon_store::bot::{Person, Received, Settings, Wanted};
use reckon_store::{Error, Finished, State, Store};

const CHAT: i64 = 7;

fn bot() -> BotStore {
    Store::in_memory().unwrap().bot("telegram:42").unwrap()
}

fn person(bot: &BotStore) -> Person {
    bot.admit(CHAT, "Ada").unwrap()
}

fn task(person: &Person, message: i64, text: &str) -> NewTask {
    NewTask {
        person: person.id.clone(),
        chat: CHAT,
        thread: 0,
        message,
        revision: 0,
        album: None,
        text: text.into(),
        files: Vec::new(),
    }
}

fn update(id: i64) -> Received {
    Received {
        id,
        message: Some((0, id)),
        body: Some(format!("update {id}")),
    }
}

/// Has the bot do this, as an update of its own.
fn act(bot: &BotStore, id: i64, act: Act) {
    bot.receive(&[update(id)]).unwrap();
    assert!(bot.handle(id, &[act]).unwrap());
}

fn message(body: &str) -> NewDelivery {
    NewDelivery {
        chat: CHAT,
        body: body.into(),
        ..NewDelivery::default()
    }
}

fn answered(text: &str) -> Finished {
    Finished {
        content: text.into(),
        ..Finished::default()
    }
}

/// What the oldest open task is shown, as far as its answer.
fn contents(bot: &BotStore, task: i64) -> Vec<String> {
    let begun = bot.begin(task).unwrap().unwrap();
    begun
        .path
        .into_iter()
        .map(|message| message.content)
        .collect()
}

fn first_open(bot: &BotStore) -> i64 {
    bot.open_tasks().unwrap()[0].number
}

#[test]
fn an_update_is_stored_and_handled_once() {
    let bot = bot();
    assert_eq!(bot.offset().unwrap(), None);
    assert_eq!(bot.receive(&[update(12), update(11)]).unwrap(), 2);
    assert_eq!(bot.receive(&[update(11)]).unwrap(), 0);
    assert_eq!(bot.unhandled(10).unwrap()[0], (11, "update 11".into()));

    let person = person(&bot);
    let ask = [Act::Ask(task(&person, 11, "first"))];
    assert!(bot.handle(11, &ask).unwrap());
    assert!(!bot.handle(11, &ask).unwrap());
    assert!(!bot.handle(99, &ask).unwrap(), "it never came");
    assert_eq!(bot.receive(&[update(11)]).unwrap(), 0, "not even now");
    assert_eq!(bot.unhandled(10).unwrap(), [(12, "update 12".into())]);
    assert_eq!(bot.open_tasks().unwrap().len(), 1);
}

#[test]
fn an_act_that_fails_leaves_the_update_as_it_was() {
    let bot = bot();
    let ada = person(&bot);
    bot.receive(&[update(1)]).unwrap();
    let other = Store::in_memory().unwrap().bot("telegram:42").unwrap();
    let stranger = other.admit(8, "Bob").unwrap();
    let acts = [
        Act::Ask(task(&ada, 1, "a")),
        Act::Ask(task(&stranger, 1, "b")),
    ];
    assert!(matches!(
        bot.handle(1, &acts),
        Err(Error::NotFound("person"))
    ));
    assert_eq!(bot.unhandled(10).unwrap().len(), 1);
    assert_eq!(bot.open_tasks().unwrap(), []);
}

#[test]
fn questions_of_a_chat_follow_each_other_and_a_reset_begins_anew() {
    let bot = bot();
    let ada = person(&bot);
    act(&bot, 1, Act::Ask(task(&ada, 1, "one")));
    act(&bot, 2, Act::Ask(task(&ada, 2, "two")));
    let first = first_open(&bot);
    assert_eq!(contents(&bot, first), ["one", ""]);
    assert_eq!(contents(&bot, first), ["one", ""], "as after a restart");
    assert!(bot.finish(first, &answered("ONE"), 5, &[]).unwrap());
    assert!(!bot.finish(first, &answered("again"), 5, &[]).unwrap());
    let second = first_open(&bot);
    assert_eq!(contents(&bot, second), ["one", "ONE", "two", ""]);
    bot.finish(second, &answered("TWO"), 6, &[]).unwrap();
    assert_eq!(bot.spent(&ada.id).unwrap(), (2, 11));

    let (person, chat, thread) = (ada.id.clone(), CHAT, 0);
    act(
        &bot,
        3,
        Act::Reset {
            person,
            chat,
            thread,
        },
    );
    act(&bot, 4, Act::Ask(task(&ada, 4, "three")));
    assert_eq!(contents(&bot, first_open(&bot)), ["three", ""]);
    let listed = bot.store().list(&ada.owner(), &Default::default()).unwrap();
    assert_eq!(listed.len(), 2);
}

#[test]
fn a_server_does_not_resume_what_a_bot_answers() {
    let bot = bot();
    let ada = person(&bot);
    act(&bot, 1, Act::Ask(task(&ada, 1, "one")));
    bot.begin(first_open(&bot)).unwrap();
    assert_eq!(bot.store().unfinished().unwrap(), []);
}

#[test]
fn an_answer_without_words_is_not_followed() {
    let bot = bot();
    let ada = person(&bot);
    act(&bot, 1, Act::Ask(task(&ada, 1, "one")));
    let first = first_open(&bot);
    bot.begin(first).unwrap();
    let state = State::Failed;
    let failed = Finished {
        state,
        ..answered("half")
    };
    bot.finish(first, &failed, 0, &[]).unwrap();
    act(&bot, 2, Act::Ask(task(&ada, 2, "two")));
    assert_eq!(contents(&bot, first_open(&bot)), ["two", ""]);
}

#[test]
fn edits_replace_what_waits_and_renew_only_the_last() {
    let bot = bot();
    let ada = person(&bot);
    let edit = |message, revision, text: &str| {
        let new = task(&ada, message, text);
        let task = NewTask { revision, ..new };
        Act::Edit { task, fresh: true }
    };
    act(&bot, 1, Act::Ask(task(&ada, 1, "one")));
    act(&bot, 2, edit(1, 5, "one, edited"));
    let first = first_open(&bot);
    assert_eq!(contents(&bot, first), ["one, edited", ""]);

    // While it is being answered: the old answer is for nobody, the new one in its place.
    let notice = bot.notify(first, &message("1st")).unwrap().unwrap();
    act(&bot, 3, edit(1, 6, "one, again"));
    assert_eq!(bot.wanted(first).unwrap(), Wanted::Replaced);
    bot.finish(first, &answered("OLD"), 1, &[message("OLD")])
        .unwrap();
    let second = first_open(&bot);
    assert_eq!(bot.open_tasks().unwrap()[0].notice, Some(notice));
    assert_eq!(contents(&bot, second), ["one, again", ""]);
    bot.finish(second, &answered("NEW"), 1, &[message("NEW")])
        .unwrap();
    let due = bot.due(i64::MAX).unwrap();
    assert_eq!(due[0].body, "NEW", "neither the old answer nor the notice");

    // The same words, and an edit of what is not the last.
    act(&bot, 4, edit(1, 7, "one, again"));
    assert_eq!(bot.open_tasks().unwrap(), []);
    act(&bot, 5, Act::Ask(task(&ada, 5, "two")));
    bot.begin(first_open(&bot)).unwrap();
    bot.finish(first_open(&bot), &answered("TWO"), 1, &[])
        .unwrap();
    act(&bot, 6, edit(1, 8, "one, too late"));
    assert_eq!(bot.open_tasks().unwrap(), []);
    act(&bot, 7, edit(5, 9, "two, edited"));
    assert_eq!(
        contents(&bot, first_open(&bot)),
        ["one, again", "NEW", "two, edited", ""]
    );
}

#[test]
fn an_edit_may_come_before_its_message() {
    let bot = bot();
    let ada = person(&bot);
    let new = task(&ada, 3, "edited");
    let task_3 = NewTask { revision: 9, ..new };
    let stale = Act::Edit {
        task: task_3.clone(),
        fresh: false,
    };
    act(&bot, 1, stale);
    assert_eq!(bot.open_tasks().unwrap(), []);
    act(
        &bot,
        2,
        Act::Edit {
            task: task_3,
            fresh: true,
        },
    );
    act(&bot, 3, Act::Ask(task(&ada, 3, "original")));
    assert_eq!(bot.open_tasks().unwrap().len(), 1);
    assert_eq!(contents(&bot, first_open(&bot)), ["edited", ""]);
}

#[test]
fn an_album_is_one_question() {
    let bot = bot();
    let ada = person(&bot);
    for (message, text) in [(1, "look"), (2, ""), (3, "")] {
        let mut new = task(&ada, message, text);
        new.album = Some("a".into());
        new.files = vec![serde_json::json!({ "file": message })];
        act(&bot, message, Act::Ask(new));
    }
    assert_eq!(bot.open_tasks().unwrap().len(), 1);
    let begun = bot.begin(first_open(&bot)).unwrap().unwrap();
    assert_eq!(begun.path[0].content, "look");
    let request = begun.path[1].request.clone().unwrap();
    assert_eq!(request["files"].as_array().unwrap().len(), 3);
}

#[test]
fn deliveries_of_a_chat_go_one_after_the_other() {
    let bot = bot();
    let (one, two) = (message("one"), message("two"));
    let elsewhere = NewDelivery {
        chat: 8,
        ..message("elsewhere")
    };
    let numbers = [&one, &two, &elsewhere].map(|delivery| bot.send(delivery).unwrap());
    let bodies = |now| {
        let due = bot.due(now).unwrap();
        due.into_iter()
            .map(|delivery| delivery.body)
            .collect::<Vec<_>>()
    };
    assert_eq!(bodies(1), ["one", "elsewhere"]);
    assert!(bot.sending(numbers[0]).unwrap());
    assert_eq!(bot.due(1).unwrap()[0].state, DeliveryState::Sending);
    bot.put_back(numbers[0], 50).unwrap();
    assert_eq!(bodies(49), ["elsewhere"], "two waits for one");
    assert_eq!(bodies(50), ["one", "elsewhere"]);
    bot.sending(numbers[0]).unwrap();
    bot.sent(numbers[0], Some(100)).unwrap();
    bot.failed(numbers[2]).unwrap();
    assert_eq!(bodies(50), ["two"]);
    assert!(!bot.sending(numbers[0]).unwrap(), "it has ended");
}

#[test]
fn a_delivery_in_doubt_can_only_be_a_message_that_nobody_knows() {
    let bot = bot();
    bot.receive(&[update(10)]).unwrap();
    let number = bot.send(&message("one")).unwrap();
    bot.sending(number).unwrap();
    assert_eq!(bot.candidates(number, 3).unwrap(), [11, 12, 13]);
    // Others come in, one is sent elsewhere: 12 is what is missing.
    bot.receive(&[update(11), update(14)]).unwrap();
    let other = bot
        .send(&NewDelivery {
            chat: 8,
            ..message("x")
        })
        .unwrap();
    bot.sending(other).unwrap();
    bot.sent(other, Some(13)).unwrap();
    assert_eq!(bot.candidates(number, 1).unwrap(), [12, 15]);
}

#[test]
fn strangers_wait_for_approval_and_are_few() {
    let bot = bot();
    let store = bot.store().clone();
    let code = bot.pair(1, 1, "Eve\u{7}\n  of\tLondon").unwrap().unwrap();
    assert_eq!(code.len(), 8);
    assert_eq!(bot.pair(1, 1, "Eve").unwrap().as_ref(), Some(&code));
    assert_eq!(store.pairings().unwrap()[0].name, "Eve of London");
    for account in 2..=MOST_PAIRINGS as i64 {
        assert!(bot.pair(account, account, "x").unwrap().is_some());
    }
    assert_eq!(bot.pair(1000, 1000, "x").unwrap(), None, "the list is full");
    for _ in 0..3 {
        bot.pair(1, 1, "Eve").unwrap();
    }
    assert_eq!(bot.pair(1, 1, "Eve").unwrap(), None, "shown often enough");

    assert!(matches!(
        store.approve("NOTACODE", None),
        Err(Error::NotFound(_))
    ));
    assert_eq!(bot.person(1).unwrap(), None);
    let typed = format!(" {} ", code.to_lowercase());
    let eve = store.approve(&typed, Some("welcome")).unwrap();
    assert_eq!(bot.person(1).unwrap(), Some(eve.clone()));
    assert_eq!(store.people().unwrap(), [eve]);
    assert_eq!(bot.due(i64::MAX).unwrap()[0].body, "welcome");
    assert!(store.approve(&code, None).is_err(), "a code is good once");
}

#[test]
fn whoever_was_revoked_comes_back_as_another_owner() {
    let bot = bot();
    let store = bot.store().clone();
    let ada = person(&bot);
    act(&bot, 1, Act::Ask(task(&ada, 1, "my secret")));
    bot.begin(first_open(&bot)).unwrap();
    bot.send(&message("to her")).unwrap();
    store.revoke_person(&ada.id, true).unwrap();
    assert_eq!(bot.person(CHAT).unwrap(), None);
    assert_eq!(bot.open_tasks().unwrap(), []);
    assert_eq!(bot.due(i64::MAX).unwrap(), []);
    assert_eq!(store.list(&ada.owner(), &Default::default()).unwrap(), []);
    assert!(store.revoke_person(&ada.id, true).is_err());
    let again = person(&bot);
    assert_ne!(again.id, ada.id);
    store.check().unwrap();
}

#[test]
fn settings_and_stops_belong_to_one_person() {
    let bot = bot();
    let (ada, bob) = (person(&bot), bot.admit(8, "Bob").unwrap());
    act(&bot, 1, Act::Ask(task(&ada, 1, "a")));
    let mut theirs = task(&bob, 2, "b");
    theirs.chat = 8;
    act(&bot, 2, Act::Ask(theirs));
    let tasks = bot.open_tasks().unwrap();
    let (person, chat, thread) = (ada.id.clone(), CHAT, 0);
    act(
        &bot,
        3,
        Act::Stop {
            person,
            chat,
            thread,
        },
    );
    assert_eq!(bot.wanted(tasks[0].number).unwrap(), Wanted::Stopped);
    assert_eq!(bot.wanted(tasks[1].number).unwrap(), Wanted::Yes);

    let settings = Settings {
        raw: Some(true),
        model: Some(Some("small".into())),
        system: Some(Some("be brief".into())),
    };
    act(
        &bot,
        4,
        Act::Set {
            person: ada.id.clone(),
            settings,
        },
    );
    let changed = bot.person(CHAT).unwrap().unwrap();
    assert_eq!(
        (changed.raw, changed.model.as_deref()),
        (true, Some("small"))
    );
    assert_eq!(
        bot.begin(tasks[0].number)
            .unwrap()
            .unwrap()
            .system
            .as_deref(),
        Some("be brief")
    );
    assert_eq!(bot.person(8).unwrap(), Some(bob));
}

#[test]
fn what_ended_long_ago_is_deleted() {
    let bot = bot();
    let ada = person(&bot);
    act(&bot, 1, Act::Ask(task(&ada, 1, "a")));
    bot.receive(&[update(2)]).unwrap();
    let number = bot.send(&message("x")).unwrap();
    bot.sent(number, Some(3)).unwrap();
    bot.prune(0).unwrap();
    assert_eq!(bot.message_of(number).unwrap(), Some(3));
    bot.prune(i64::MAX).unwrap();
    assert_eq!(bot.message_of(number).unwrap(), None);
    assert_eq!(
        bot.unhandled(9).unwrap().len(),
        1,
        "not what is still to do"
    );
    assert_eq!(bot.open_tasks().unwrap().len(), 1);
}
