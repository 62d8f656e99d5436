//! One model, many askers: each hears what it would hear alone.
use crate::script::tiny;
use reckon::{Ask, BatchEvent, Event, Message, Overrides, Role};
use std::{ops::ControlFlow, thread};

fn greedy() -> Overrides {
    Overrides {
        temperature: Some(0.0),
        ..Overrides::default()
    }
}

#[test]
fn askers_are_answered_together_as_if_they_were_alone() {
    let (model, _directory) = tiny();
    let ask = |model: &reckon::Model, i: usize| {
        let mut chat = model.chat().sampling(greedy()).max_tokens(12);
        let reply = chat
            .ask(&format!("question {i}"), |_| ())
            .expect("an answer");
        reply.generation.tokens
    };
    let alone: Vec<_> = (0..5).map(|i| ask(&model, i)).collect();
    let shared = model.shared(3).expect("a thread");
    let together: Vec<_> = thread::scope(|scope| {
        let (shared, ask) = (&shared, &ask);
        let askers: Vec<_> = (0..5)
            .map(|i| {
                // Handles are values: each thread may have its own, with a priority of its own.
                let model = if i == 0 {
                    shared.background()
                } else {
                    shared.clone()
                };
                scope.spawn(move || ask(&model, i))
            })
            .collect();
        askers
            .into_iter()
            .map(|asker| asker.join().expect("an answer"))
            .collect()
    });
    assert_eq!(together, alone);
}

#[test]
fn one_that_stops_does_not_stop_the_others() {
    let (model, _directory) = tiny();
    let shared = model.shared(2).expect("a thread");
    thread::scope(|scope| {
        let stopped = scope.spawn(|| {
            let mut chat = shared.chat().sampling(greedy());
            let reply = chat.ask("a", |event| match event {
                Event::Text(_) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            });
            reply.expect("a beginning").stopped
        });
        let other = scope.spawn(|| {
            let mut chat = shared.chat().sampling(greedy()).max_tokens(20);
            chat.ask("b", |_| ())
                .expect("an answer")
                .generation
                .tokens
                .len()
        });
        assert!(stopped.join().expect("ended"));
        assert_eq!(other.join().expect("ended"), 20);
    });
}

/// The second text of a batch may begin once the first has ended, the third never.
#[test]
fn what_may_not_begin_yet_waits_and_holds_up_nobody() {
    let (model, _directory) = tiny();
    let ask = |question: &str| Ask {
        messages: vec![Message::new(Role::User, question)],
        max_tokens: Some(6),
        ..Ask::default()
    };
    let asks = [ask("a"), ask("b"), ask("c")];
    let alone = asks.iter().map(|ask| {
        let said = model
            .session()
            .generate(ask, &mut |_| ControlFlow::Continue(()));
        said.expect("an answer").tokens
    });
    let alone: Vec<_> = alone.collect();
    for model in [model.clone(), model.shared(4).expect("a thread")] {
        let mut ended = Vec::new();
        let mut early = 0;
        model.session().batch(&asks, &mut |at, event| match event {
            BatchEvent::Begin if at == 0 || (at == 1 && !ended.is_empty()) => {
                ControlFlow::Continue(())
            }
            BatchEvent::Begin => ControlFlow::Break(()),
            BatchEvent::Writing(_) => {
                early += usize::from(at != ended.len());
                ControlFlow::Continue(())
            }
            BatchEvent::Ended(said) => {
                ended.push((at, said.expect("an answer").tokens));
                ControlFlow::Continue(())
            }
        });
        let wanted = [(0, alone[0].clone()), (1, alone[1].clone())];
        assert_eq!(ended, wanted);
        assert_eq!(early, 0);
    }
}
