//! Conversations: what is kept, what is refused, how they are stopped.
use crate::script::{scripted, tiny};
use reckon::{Completion, Error, Event, Overrides, Plan, Schema, Stop, engine};
use std::ops::ControlFlow;

#[test]
fn a_conversation_is_remembered_and_can_be_taken_back() {
    let (model, asked) = scripted(1000, &["one", "two", "three"]);
    let mut chat = model.chat().system("be brief");
    for question in ["a", "b"] {
        chat.ask(question, |_| ()).expect("an answer");
    }
    chat.conversation_mut().undo();
    assert_eq!(chat.ask("c", |_| ()).expect("an answer").text, "three");
    let asked = asked.lock().expect("alone");
    let last: Vec<&str> = asked[2].iter().map(|one| one.content.as_str()).collect();
    assert_eq!(last, ["be brief", "a", "one", "c"]);
}

#[test]
fn what_was_stopped_is_kept_as_far_as_it_got_and_nothing_is_not_kept() {
    let (model, _) = scripted(1000, &["one two three"]);
    let mut chat = model.chat();
    let mut heard = String::new();
    let reply = chat.ask("a", |event| {
        if let Event::Text(text) = event {
            heard.push_str(text);
        }
        match heard.contains("two") {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    let reply = reply.expect("what there is of it");
    assert!(reply.stopped);
    assert_eq!(
        (reply.text.as_str(), heard.as_str()),
        ("one two ", "one two ")
    );
    assert!(chat.conversation().last().expect("kept").stopped);

    let (model, _) = scripted(1000, &[" "]);
    let mut chat = model.chat();
    chat.ask("a", |_| ()).expect("an answer without a word");
    assert!(chat.conversation().is_empty());
}

#[test]
fn a_stop_from_elsewhere_holds_until_it_is_reset() {
    let (model, _) = scripted(1000, &["one two three"]);
    let stop = Stop::default();
    let mut chat = model.chat().stop(&stop);
    let other = stop.clone();
    std::thread::spawn(move || other.set()).join().expect("set");
    assert!(chat.ask("a", |_| ()).expect("a beginning").stopped);
    stop.reset();
    assert!(!chat.ask("a", |_| ()).expect("an answer").stopped);
}

#[test]
fn what_does_not_fit_is_named_before_anything_is_dropped() {
    let (model, _) = scripted(16, &["x y"]);
    let mut chat = model.chat();
    for question in ["a b", "c d", "e f"] {
        chat.ask(question, |_| ()).expect("an answer");
    }
    let plan = chat.plan("g h").expect("a plan");
    let Plan::Drop {
        exchanges: 1,
        messages: 2,
        tokens: 4,
    } = plan
    else {
        panic!("{plan:?}");
    };
    assert_eq!(chat.conversation().len(), 3);
    let long = "w ".repeat(20);
    let error = chat.plan(&long).expect_err("too long");
    let Error::Input(engine::Error::ContextFull {
        asked: 20,
        allowed: 12,
    }) = error
    else {
        panic!("{error}");
    };
}

#[test]
fn the_receipt_names_what_made_the_answer() {
    let (model, _directory) = tiny();
    let overrides = Overrides {
        temperature: Some(0.5),
        seed: Some(9),
        ..Overrides::default()
    };
    let mut chat = model
        .chat()
        .guards(reckon::guards::all())
        .sampling(overrides)
        .max_tokens(4);
    let receipt = chat.ask("hi", |_| ()).expect("an answer").receipt;
    assert_eq!(receipt.model.name, "tiny");
    assert_eq!(
        (receipt.sampler.seed, receipt.sampler.max_tokens),
        (9, Some(4))
    );
    assert_eq!(receipt.guards.len(), reckon::guards::all().len());
    assert!(receipt.isa.is_some() && receipt.kv.is_some());
    assert_eq!(receipt.version, env!("CARGO_PKG_VERSION"));
    let shown = receipt.to_string();
    for part in [
        "not judged: the answer was cut",
        "made by tiny",
        "temperature 0.5",
        "seed 9",
    ] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    // Cut before its result, an answer to a question for a number is still marked.
    let goats = "On a farm there are goats and chickens, 30 animals in all, with 84 legs. How many of them are goats?";
    let reply = chat.ask(goats, |_| ()).expect("an answer");
    let mark = reply.receipt.mark.expect("a mark");
    assert_eq!(mark.state, reckon::MarkState::Unchecked);
    assert_eq!(mark.why, "the answer was cut");
}

#[test]
fn a_chat_gives_the_same_bytes_as_before_from_a_kv_cache_that_is_kept() {
    let (model, _directory) = tiny();
    let greedy = Overrides {
        temperature: Some(0.0),
        ..Overrides::default()
    };
    let chat = || model.chat().sampling(greedy.clone()).max_tokens(8);
    let (mut kept, mut fresh) = (chat(), chat());
    let first = kept.ask("one", |_| ()).expect("an answer");
    let second = kept.ask("two", |_| ()).expect("an answer");
    assert!(
        second.generation.usage.reused > 0,
        "the history is not read again"
    );
    let mut messages = kept.conversation().messages("");
    messages.truncate(3);
    assert_eq!(messages[1].content, first.text);
    let again = fresh.answer(messages, |_| ()).expect("an answer");
    assert_eq!(again.generation.tokens, second.generation.tokens);
    assert!(fresh.conversation().is_empty(), "the caller keeps it");
}

#[test]
fn answers_are_held_to_a_schema_and_the_receipt_says_to_which() {
    let (model, _directory) = tiny();
    let schema = Schema::new(r#"{"enum": ["yes", "no"]}"#).expect("a schema");
    let mut chat = model.chat().schema(schema).guards(reckon::guards::all());
    let reply = chat.ask("is it?", |_| ()).expect("an answer");
    assert!(
        ["\"yes\"", "\"no\""].contains(&reply.text.as_str()),
        "{}",
        reply.text
    );
    let digest = reply.receipt.schema.expect("named");
    assert_eq!((digest.path, digest.sha256.len()), (None, 64));
    assert!(matches!(
        Schema::new(r#"{"type": 7}"#),
        Err(Error::Input(_))
    ));
}

#[test]
fn another_model_goes_on_with_what_was_said() {
    let (first, _) = scripted(1000, &["one"]);
    let (second, asked) = scripted(1000, &["two"]);
    let mut chat = first.chat();
    chat.ask("a", |_| ()).expect("an answer");
    chat.unload();
    assert!(chat.ask("b", |_| ()).is_err(), "nobody is there");
    chat.switch(second);
    assert_eq!(chat.ask("b", |_| ()).expect("an answer").text, "two");
    assert_eq!(asked.lock().expect("alone")[0].len(), 3);
}

#[test]
fn text_tokens_and_template_without_an_answer() {
    let (model, _directory) = tiny();
    let tokens = model.tokenize("hello there").expect("tokens");
    assert_eq!(model.detokenize(&tokens).expect("text"), "hello there");
    let messages = [reckon::Message::user("hello")];
    assert!(model.render(&messages).expect("a prompt").contains("hello"));
    assert!(model.count(&messages).expect("a number") > 0);
    let greedy = Overrides {
        temperature: Some(0.0),
        ..Overrides::default()
    };
    let complete = |model: &reckon::Model| {
        let said = model.complete(
            Completion {
                prompt: model.prompt_of_text("Once upon").expect("tokens"),
                sampling: greedy.clone(),
                max_tokens: Some(5),
                ..Completion::default()
            },
            |_| (),
        );
        said.expect("a completion").tokens
    };
    let alone = complete(&model);
    assert_eq!(alone.len(), 5);
    assert_eq!(complete(&model.shared(2).expect("a thread")), alone);
}

#[test]
fn a_file_that_is_no_model_is_an_error_of_the_model() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("no.gguf");
    std::fs::write(&path, b"no").expect("a file");
    assert!(matches!(reckon::Model::open(&path), Err(Error::Model(_))));
    assert!(matches!(
        reckon::Model::open(directory.path().join("absent")),
        Err(Error::Model(_))
    ));
}
