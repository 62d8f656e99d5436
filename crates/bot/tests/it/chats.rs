//! What people see: answers, streaming, queues, files, commands, edits.
use crate::double::{BOT, NAME, group, private};
use crate::scripted::Running;
use reckon_bot::{AttachmentKind, Budget};
use serde_json::json;

const LARGE: i64 = -1_001_234_567_890;

#[test]
fn a_question_is_answered_and_the_next_one_follows_it() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "one");
    bot.double.wait_said(1, 1);
    bot.double.tell(1, "two");
    let texts = bot.double.wait_said(1, 2);
    assert_eq!(texts[0], "answer to: <one> turns:1 tags:");
    assert_eq!(texts[1], "answer to: <two> turns:3 tags:");
    let asks = bot.answerer.asks.lock().unwrap();
    assert_eq!(asks[1].turns[1].text, texts[0]);
    assert!(!asks[1].turns[1].from_person);
    drop(asks);
    assert_eq!(bot.double.calls("setMyCommands").len(), 1);
    bot.double.tell(1, "think");
    bot.double.wait_said(1, 3);
    let typing = bot.double.calls("sendChatAction");
    assert!(
        typing
            .iter()
            .any(|call| call["action"] == "typing" && call["chat_id"] == 1)
    );
}

#[test]
fn a_role_is_asked_for_one_question() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "/premium one");
    let texts = bot.double.wait_said(1, 1);
    assert_eq!(texts[0], "answer to: <one> turns:1 tags:");
    bot.double.tell(1, "two");
    bot.double.wait_said(1, 2);
    bot.double.tell(1, "/premium");
    assert!(bot.double.wait_said(1, 3)[2].contains("behind /premium"));
    bot.double.tell(1, "/help");
    let help = bot.double.wait_said(1, 4)[3].clone();
    assert!(help.contains("/premium: ask another machine"), "{help}");
    assert_eq!(help.matches("/help").count(), 1, "{help}");
    let asks = bot.answerer.asks.lock().unwrap();
    let roles: Vec<_> = asks.iter().map(|ask| ask.role.as_deref()).collect();
    assert_eq!(roles, [Some("premium"), None]);
    assert_eq!(asks[1].turns[0].text, "one", "without the slash");
}

#[test]
fn a_private_chat_shows_drafts_and_then_one_message() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "slowly and surely");
    bot.double.wait_said(1, 1);
    let drafts = bot.double.calls("sendMessageDraft");
    assert!(drafts.len() > 2, "{drafts:?}");
    assert!(
        drafts
            .iter()
            .all(|draft| draft["draft_id"] == drafts[0]["draft_id"] && draft["draft_id"] != 0)
    );
    assert_eq!(bot.double.said(1)[0].edits, 0);
    assert_eq!(bot.double.calls("editMessageText").len(), 0);
}

#[test]
fn where_drafts_are_refused_the_message_is_edited() {
    let bot = Running::start(|_| {});
    bot.double.state().refuse_drafts = true;
    bot.double.tell(1, "slowly and surely");
    bot.double.wait("answer", |double| {
        double.texts(1).iter().any(|text| text.ends_with("tags:"))
    });
    let texts = bot.double.wait_said(1, 1);
    assert_eq!(texts, ["answer to: <slowly and surely> turns:1 tags:"]);
    assert!(bot.double.said(1)[0].edits > 1);
    assert_eq!(
        bot.double.calls("sendMessageDraft").len(),
        1,
        "once is enough to know"
    );
}

#[test]
fn a_group_hears_only_what_is_meant_for_the_bot() {
    let bot = Running::start(|_| {});
    bot.double
        .say(group(LARGE), 1, json!({ "text": "just talking" }));
    let mention = bot.double.say(
        group(LARGE),
        1,
        json!({ "text": format!("@{NAME} slowly please") }),
    );
    bot.double.wait("answer", |double| {
        double
            .texts(LARGE)
            .iter()
            .any(|text| text.ends_with("tags:"))
    });
    assert_eq!(
        bot.double.wait_said(LARGE, 1),
        ["answer to: <slowly please> turns:1 tags:"]
    );
    let said = bot.double.said(LARGE);
    assert_eq!((said[0].reply_to, said[0].edits > 1), (Some(mention), true));
    assert_eq!(bot.double.calls("sendMessageDraft").len(), 0);

    // A reply to the bot by somebody else is a conversation of their own, and the words replied to are not looked at.
    let replied = json!({ "message_id": said[0].id, "from": { "id": BOT, "is_bot": true }, "text": "secret" });
    bot.double.say(
        group(LARGE),
        2,
        json!({ "text": "and me?", "reply_to_message": replied }),
    );
    bot.double
        .wait("answer", |double| double.texts(LARGE).len() == 2);
    bot.double
        .wait("end", |double| double.texts(LARGE)[1].ends_with("tags:"));
    assert_eq!(
        bot.double.texts(LARGE)[1],
        "answer to: <and me?> turns:1 tags:"
    );
    let asked = format!("{:?}", bot.answerer.asks.lock().unwrap());
    assert!(!asked.contains("secret") && !asked.contains("just talking"));
    bot.double.say(
        group(LARGE),
        2,
        json!({ "text": format!("/history@{NAME}") }),
    );
    bot.double
        .wait("refusal", |double| double.texts(LARGE).len() == 3);
    assert_eq!(
        bot.double.texts(LARGE)[2],
        "Please ask me that in a chat of our own."
    );
}

#[test]
fn files_come_with_their_question_and_stay_with_it() {
    let bot = Running::start(|_| {});
    bot.double
        .state()
        .files
        .insert("voice".into(), b"OggS".to_vec());
    bot.double.state().files.insert("p".into(), vec![1; 70_000]);
    let photo =
        json!([{ "file_id": "small", "file_size": 9 }, { "file_id": "p", "file_size": 70_000 }]);
    bot.double.say(
        private(1),
        1,
        json!({ "photo": photo, "caption": "what is it?" }),
    );
    let texts = bot.double.wait_said(1, 1);
    assert!(texts[0].contains("+photo.jpg:70000:Photo"), "{texts:?}");
    bot.double.say(
        private(1),
        1,
        json!({ "voice": { "file_id": "voice", "mime_type": "audio/ogg" } }),
    );
    let texts = bot.double.wait_said(1, 2);
    assert!(texts[1].contains("+voice.ogg:4:Audio turns:3"), "{texts:?}");
    let asks = bot.answerer.asks.lock().unwrap();
    let first = &asks[1].turns[0].attachments[0];
    assert_eq!(
        (first.kind, first.bytes.len()),
        (AttachmentKind::Photo, 70_000)
    );
}

#[test]
fn files_that_are_too_large_or_gone_are_told_of() {
    let bot = Running::start(|_| {});
    let large = json!({ "file_id": "x", "file_name": "film.pdf", "file_size": 30 << 20 });
    bot.double.say(private(1), 1, json!({ "document": large }));
    let texts = bot.double.wait_said(1, 1);
    assert_eq!(
        texts[0],
        "film.pdf has 30 MB. Telegram lets bots fetch up to 20 MB."
    );
    bot.double.say(
        private(1),
        1,
        json!({ "document": { "file_id": "nowhere", "file_name": "a.pdf" } }),
    );
    let texts = bot.double.wait_said(1, 2);
    assert!(
        texts[1].starts_with("I could not answer: a.pdf cannot be fetched"),
        "{texts:?}"
    );
    // A size that was not told, and is too much all the same.
    bot.double
        .state()
        .files
        .insert("sly".into(), vec![0; (20 << 20) + 1]);
    bot.double.say(
        private(1),
        1,
        json!({ "document": { "file_id": "sly", "file_name": "b.pdf" } }),
    );
    let texts = bot.double.wait_said(1, 3);
    assert!(texts[2].contains("too big"), "{texts:?}");
    bot.double
        .say(private(1), 1, json!({ "sticker": { "file_id": "s" } }));
    let texts = bot.double.wait_said(1, 4);
    assert!(texts[3].starts_with("I can read text"));
}

#[test]
fn an_album_is_answered_once() {
    let bot = Running::start(|_| {});
    bot.double.state().files.insert("p".into(), vec![1; 10]);
    for caption in ["compare", "", ""] {
        let fields =
            json!({ "media_group_id": "g", "photo": [{ "file_id": "p" }], "caption": caption });
        bot.double.say(private(1), 1, fields);
    }
    let texts = bot.double.wait_said(1, 1);
    assert_eq!(
        texts[0].matches("+photo.jpg:10:Photo").count(),
        3,
        "{texts:?}"
    );
}

#[test]
fn whoever_waits_is_told_their_place_and_gets_an_answer_of_their_own() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "slowly a b c d e f g h i j k l");
    bot.double.wait("draft", |double| {
        !double.calls("sendMessageDraft").is_empty()
    });
    bot.double.tell(2, "me too");
    bot.double.tell(3, "and me");
    bot.double.wait("notices", |double| {
        double.said(2).len() == 1 && double.said(3).len() == 1
    });
    let (second, third) = (bot.double.texts(2), bot.double.texts(3));
    assert!(
        second[0].starts_with("You are 2nd in the queue: about "),
        "{second:?}"
    );
    assert!(
        third[0].starts_with("You are 3rd in the queue: about "),
        "{third:?}"
    );
    bot.double.wait("answer", |double| {
        double
            .texts(3)
            .iter()
            .any(|text| text.starts_with("answer to: <and me>"))
    });
    bot.double.wait("end of notices", |double| {
        double.said(2).len() == 1 && double.said(3).len() == 1
    });
    let said = bot.double.said(2);
    assert!(
        said[0].text.starts_with("answer to: <me too>"),
        "the notice is gone: {said:?}"
    );
    assert!(said[0].reply_to.is_some());
    assert_eq!(said[0].edits, 0, "a new message makes a sound");
}

#[test]
fn one_answer_at_a_time_for_each_person() {
    let bot = Running::start(|config| config.parallel = 3);
    bot.double.tell(1, "slowly one");
    bot.double.tell(1, "two");
    bot.double.tell(2, "three");
    let texts = bot.double.wait_said(2, 1);
    assert_eq!(texts[0], "answer to: <three> turns:1 tags:");
    assert!(
        bot.double
            .texts(1)
            .iter()
            .all(|text| !text.starts_with("answer")),
        "still being written"
    );
    bot.double.wait("both", |double| {
        double
            .texts(1)
            .iter()
            .filter(|text| text.starts_with("answer"))
            .count()
            == 2
    });
    let texts = bot.double.texts(1);
    assert!(
        texts
            .iter()
            .any(|text| text == "answer to: <two> turns:3 tags:"),
        "{texts:?}"
    );
}

#[test]
fn stop_delivers_what_there_is() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "slowly a b c d e f g h i j k l m n o p");
    bot.double
        .wait("draft", |double| double.calls("sendMessageDraft").len() > 2);
    bot.double.tell(1, "/stop");
    bot.double.wait("end", |double| {
        double.texts(1).iter().any(|text| text.ends_with("stopped"))
    });
    let texts = bot.double.wait_said(1, 2);
    assert_eq!(texts[0], "Stopped.");
    assert!(
        texts[1].starts_with("answer to:") && !texts[1].contains("tags"),
        "{texts:?}"
    );
    bot.double.tell(1, "/stop");
    assert_eq!(bot.double.wait_said(1, 3)[2], "There is nothing to stop.");
}

#[test]
fn stop_drops_what_has_not_begun() {
    let bot = Running::start(|_| {});
    bot.double.tell(2, "slowly a b c d e f g h i j");
    bot.double.wait("draft", |double| {
        !double.calls("sendMessageDraft").is_empty()
    });
    bot.double.tell(1, "me");
    bot.double
        .wait("notice", |double| double.said(1).len() == 1);
    bot.double.tell(1, "/stop");
    bot.double.wait("answer", |double| {
        double
            .texts(2)
            .iter()
            .any(|text| text.starts_with("answer"))
    });
    assert_eq!(bot.double.wait_said(1, 1), ["Stopped."]);
}

#[test]
fn an_edited_last_message_is_answered_anew_and_an_earlier_one_is_not() {
    let bot = Running::start(|_| {});
    let first = bot.double.tell(1, "one");
    bot.double.wait_said(1, 1);
    let second = bot.double.tell(1, "two");
    bot.double.wait_said(1, 2);
    bot.double
        .edit(private(1), 1, first, "one, edited", 2_000_000_000);
    bot.double
        .edit(private(1), 1, second, "two, edited", 2_000_000_000);
    bot.double
        .edit(private(1), 1, second, "two, edited", 2_000_000_001);
    let texts = bot.double.wait_said(1, 3);
    assert_eq!(texts[2], "answer to: <two, edited> turns:3 tags:");
    bot.double
        .edit(private(1), 1, 999, "slowly news to me", 2_000_000_002);
    bot.double.wait("draft", |double| {
        !double.calls("sendMessageDraft").is_empty()
    });
    bot.double.edit(private(1), 1, 999, "better", 2_000_000_003);
    let texts = bot.double.wait_said(1, 4);
    assert_eq!(
        texts[3], "answer to: <better> turns:5 tags:",
        "what was being written is for nobody"
    );
}

#[test]
fn commands_do_what_help_says() {
    let mut bot = Running::start(|config| {
        config.budget = Budget {
            answers: Some(5),
            tokens: None,
        };
    });
    let mut count = 0;
    let mut ask = |text: &str| {
        bot.double.tell(1, text);
        count += 1;
        bot.double.wait_said(1, count).pop().unwrap()
    };
    assert_eq!(ask("/why"), "There is no answer yet.");
    ask("question 1");
    assert!(ask("/why").contains("\"receipt of\": \"question 1\""));
    assert!(ask("/raw").contains("bare model"));
    assert!(ask("/system be <brief>").contains("next answer"));
    assert!(ask("/system").starts_with("be <brief>"));
    assert!(ask("/model").contains("✓ small\n• large"));
    assert_eq!(ask("/model large"), "From now on large answers.");
    assert!(ask("/model huge").starts_with("There is no such model."));
    let answer = ask("question 2");
    assert!(
        answer.ends_with("turns:3 tags: (Some(\"be <brief>\"), Some(\"large\"), true)"),
        "{answer}"
    );
    assert_eq!(ask("/reset"), "A new conversation begins.");
    assert!(ask("question geese").contains("turns:1"));
    let history = ask("/history");
    assert!(
        history.contains("• question 1") && history.contains("• question geese"),
        "{history}"
    );
    assert!(!ask("/history gee").contains("question 1"));
    assert!(ask("/status").contains("Today: 3 of 5 answers, 30 tokens."));
    assert_eq!(ask("/remember tea"), "noted: tea");
    assert!(ask("/forget tea").contains("no memory"));
    let help = ask("/help");
    assert!(help.contains("/export"));
    assert!(!help.contains("/remember"), "only with a memory: {help}");
    assert!(ask("/unknown").starts_with("I do not know /unknown"));
    ask("/export");
    let exported = bot.double.said(1).pop().unwrap().file.unwrap();
    assert_eq!(exported.0, "conversation.json");
    assert!(
        String::from_utf8(exported.1)
            .unwrap()
            .contains("question geese")
    );
    bot.double.tell(1, "question 4");
    bot.double.tell(1, "question 5");
    bot.double.wait_said(1, count + 2);
    bot.double.tell(1, "question 6");
    assert!(
        bot.double
            .wait_said(1, count + 3)
            .pop()
            .unwrap()
            .starts_with("That was all for today")
    );
    bot.end().unwrap();
}

#[test]
fn long_answers_come_in_parts_and_code_in_files() {
    let bot = Running::start(|_| {});
    // The question itself is limited as Telegram limits it; the answer is not.
    let paragraph = "ducks swim ".repeat(150);
    bot.double.tell(
        1,
        &format!("please say {0}\\n\\n{0}\\n\\n{0}", paragraph.trim()),
    );
    let texts = bot.double.wait_said(1, 2);
    assert_eq!(texts.join("\n\n"), [paragraph.trim(); 3].join("\n\n"));
    let code = "let x = 1 < 2;\\n".repeat(220);
    bot.double.tell(
        1,
        &format!("please say see\\n```rust\\n{code}```\\nthat is **it**"),
    );
    bot.double.wait_said(1, 5);
    let said = bot.double.said(1);
    assert_eq!(
        (said[2].text.as_str(), said[4].text.as_str()),
        ("see", "that is it")
    );
    let (name, content) = said[3].file.clone().unwrap();
    assert_eq!((name.as_str(), content.len()), ("code-1.rs", 220 * 15));
}

#[test]
fn text_that_telegram_cannot_read_comes_plain() {
    let bot = Running::start(|_| {});
    bot.double.state().refuse_html = true;
    bot.double.tell(1, "please say **bold**");
    assert_eq!(bot.double.wait_said(1, 1), ["**bold**"]);
}

#[test]
fn an_answerer_that_fails_or_panics_costs_one_answer() {
    let bot = Running::start(|_| {});
    bot.double.tell(1, "please fail");
    assert_eq!(
        bot.double.wait_said(1, 1),
        ["I could not answer: I was told not to"]
    );
    bot.double.tell(1, "please panic");
    assert_eq!(
        bot.double.wait_said(1, 2)[1],
        "I could not answer: something broke inside"
    );
    bot.double.tell(1, "and now?");
    assert_eq!(
        bot.double.wait_said(1, 3)[2],
        "answer to: <and now?> turns:1 tags:"
    );
}
