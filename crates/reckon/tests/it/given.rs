//! What a model is told besides the conversation, and that receipts name it.
use crate::script::scripted;
use reckon::{Given, Peers};

#[test]
fn facts_and_the_line_about_itself_are_in_the_system_message_and_the_receipt() {
    let (model, asked) = scripted(1000, &["yes"]);
    let mut chat = model.chat().system("be brief");
    let about = Given::about(&model, Some("Abacus 3000"), None, &Peers::default());
    assert!(
        about.contains("you are script") && about.contains("(Abacus 3000, 0 threads)"),
        "{about}"
    );
    chat.set_given(Given {
        memory: vec!["I am a nurse.".into()],
        about_self: Some(about.clone()),
    });
    let reply = chat.ask("hello", |_| ()).expect("an answer");
    let messages = asked.lock().expect("alone")[0].clone();
    let system = &messages[0].content;
    assert!(system.starts_with("be brief\n\nAbout you: "), "{system}");
    assert!(system.ends_with("\n- I am a nurse."), "{system}");
    assert_eq!(reply.receipt.memory, ["I am a nurse."]);
    assert_eq!(reply.receipt.about_self, Some(about));
    let shown = reply.receipt.to_string();
    assert!(shown.contains("remembered: I am a nurse."), "{shown}");
    assert!(shown.contains("told about itself: About you"), "{shown}");
    assert_eq!(
        chat.conversation().system.as_deref(),
        Some("be brief"),
        "the person's own text stays"
    );
}

#[test]
fn with_nothing_to_tell_nothing_changes() {
    let (model, asked) = scripted(1000, &["yes"]);
    let mut chat = model.chat();
    chat.set_given(Given::default());
    let reply = chat.ask("hello", |_| ()).expect("an answer");
    assert_eq!(asked.lock().expect("alone")[0].len(), 1);
    assert!(reply.receipt.memory.is_empty() && reply.receipt.about_self.is_none());
}

#[test]
fn messages_that_leave_the_computer_are_said_to() {
    let (model, _) = scripted(1000, &["yes"]);
    let about = Given::about(&model, None, Some("Telegram"), &Peers::default());
    assert!(
        about.contains("through Telegram") && !about.contains("stays on this computer"),
        "{about}"
    );
    assert!(
        !about.contains("this person's own computer"),
        "whoever writes to a bot need not own its computer: {about}"
    );
}

#[test]
fn questions_that_may_go_to_other_computers_are_said_to() {
    let (model, _) = scripted(1000, &["yes"]);
    let text =
        "[peers.big]\nurl = \"http://127.0.0.1:9/v1\"\nmodels = [\"m\"]\nrole = \"premium\"\n";
    let peers = Peers::parse(text, false, |_| None).expect("settings");
    for through in [None, Some("Telegram")] {
        let about = Given::about(&model, None, through, &peers);
        assert!(about.contains("may go to other computers"), "{about}");
        assert!(
            !about.contains("everything that is said stays")
                && !about.contains("nothing else leaves"),
            "{about}"
        );
    }
}
