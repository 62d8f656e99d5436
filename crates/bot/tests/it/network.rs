//! A network that fails: cut connections, floods, updates that come twice, in another order, or are of no known kind.
use crate::double::{Double, Faults, private};
use crate::scripted::Running;
use serde_json::json;
use std::time::Duration;

#[test]
fn a_message_whose_answer_was_cut_off_is_not_sent_twice() {
    for faults in [
        Faults {
            cut_after: 40,
            ..Faults::default()
        },
        Faults {
            cut_within: 40,
            ..Faults::default()
        },
        Faults {
            cut_before: 25,
            ..Faults::default()
        },
    ] {
        let double = Double::start();
        double.state().faults = faults;
        // On a slow machine a person would be told of the queue meanwhile; that is another test's.
        let bot = Running::start_with(double, |config| config.pace.notice = Duration::MAX);
        for n in 0..6 {
            bot.double.tell(1 + n % 2, &format!("question {n}"));
        }
        bot.double.tell(
            3,
            &format!(
                "please say one\\n```\\n{}\\n```\\ntwo",
                "x\\n".repeat(1_800)
            ),
        );
        bot.double.wait("answers", |double| {
            (
                double.said(1).len(),
                double.said(2).len(),
                double.said(3).len(),
            ) >= (3, 3, 3)
        });
        bot.double.state().faults = Faults::default();
        for chat in [1, 2, 3] {
            bot.double
                .wait("rest", |double| double.said(chat).len() >= 3);
            let mut texts = bot.double.wait_said(chat, 3);
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), 3, "{faults:?} {texts:?}");
        }
    }
}

#[test]
fn a_flood_wait_is_waited_out() {
    let double = Double::start();
    double.state().faults.flood = 100;
    let bot = Running::start_with(double, |_| {});
    bot.double.tell(1, "one");
    bot.double
        .wait("flood", |double| !double.calls("429").is_empty());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(
        bot.double.calls("429").len(),
        1,
        "nothing was tried within the second"
    );
    bot.double.state().faults.flood = 0;
    assert_eq!(
        bot.double.wait_said(1, 1),
        ["answer to: <one> turns:1 tags:"]
    );
}

#[test]
fn updates_come_twice_in_another_order_and_of_unknown_kinds() {
    let double = Double::start();
    double.state().faults.repeat = 100;
    double.push(json!({ "message": "not what a message is" }));
    double.push(json!({ "from_the_future": {} }));
    double.push(json!({ "message": { "message_id": 5, "chat": { "id": -9, "type": "channel" } } }));
    let bot = Running::start_with(double, |_| {});
    for n in 0..5 {
        bot.double.tell(1, &format!("question {n}"));
        bot.double.wait_said(1, n + 1);
    }
    bot.double
        .wait("repeats", |double| double.calls("getUpdates").len() > 10);
    bot.double.wait_said(1, 5);
}

#[test]
fn whatever_was_under_way_is_delivered_after_a_restart() {
    let mut bot = Running::start(|_| {});
    bot.double.tell(1, "slowly a b c d e f g h i j k l m");
    bot.double.tell(2, "next");
    bot.double.wait("draft", |double| {
        !double.calls("sendMessageDraft").is_empty()
    });
    bot.end().unwrap();
    assert!(
        bot.double.texts(1).is_empty(),
        "nothing of it was delivered"
    );
    bot.double.tell(3, "meanwhile");
    bot.restart();
    bot.double.wait("answers", |double| {
        [1, 2, 3].iter().all(|chat| {
            double
                .texts(*chat)
                .iter()
                .any(|text| text.starts_with("answer"))
        })
    });
    let answers = |double: &Double, chat| {
        double
            .texts(chat)
            .iter()
            .filter(|text| text.starts_with("answer"))
            .count()
    };
    assert_eq!([1, 2, 3].map(|chat| answers(&bot.double, chat)), [1, 1, 1]);
}

#[test]
fn whoever_blocked_the_bot_does_not_hold_up_others() {
    let bot = Running::start(|_| {});
    // The double refuses an empty text, as Telegram refuses whom it cannot reach: for good.
    bot.double
        .say(private(1), 1, json!({ "text": "please say \u{200b}" }));
    bot.double.tell(2, "me");
    bot.double.wait_said(2, 1);
}
