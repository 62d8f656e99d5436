//! Guessing ahead: the same bytes as without, however many guesses stand or fall.

use crate::fixture::Tiny;
use crate::whole::{EVERY, model, prompt, request, steps_back, write};
use reckon_engine::{
    Drafting, Event, Finish, Generation, Model, ModelOptions, Priority, Request, Sampling,
    Scheduler, SchedulerOptions, Session, Token,
};
use reckon_gguf::Format;
use std::ops::ControlFlow;
use std::sync::Arc;

fn load(tiny: &Tiny, drafting: Drafting, n_ctx: usize) -> Arc<Model> {
    let options = ModelOptions {
        cpus: vec![0; 2],
        n_ctx: Some(n_ctx),
        drafting,
        ..ModelOptions::default()
    };
    model(tiny, &options)
}

fn answer(session: &mut Session, request: &Request) -> Generation {
    session
        .generate(request, &mut |_| ControlFlow::Continue(()))
        .unwrap()
}

/// Ways to sample: loops that are easy to guess, loops that a penalty breaks, and chance.
fn ways() -> Vec<Sampling> {
    let greedy = Sampling {
        temperature: 0.0,
        ..Sampling::default()
    };
    let cool = Sampling {
        temperature: 0.15,
        seed: 3,
        ..Sampling::default()
    };
    let punished = Sampling {
        repetition_penalty: 1.2,
        penalty_window: 8,
        ..cool.clone()
    };
    vec![greedy, cool, punished, Sampling::default()]
}

/// A prompt that says the same thing three times, so that there is something to find.
fn refrain(model: &Model) -> Vec<Token> {
    [prompt(model, 20), prompt(model, 20), prompt(model, 20)].concat()
}

fn same(a: &Generation, b: &Generation, what: &str) {
    assert_eq!(a.tokens, b.tokens, "{what}");
    assert_eq!((&a.text, &a.thought), (&b.text, &b.thought), "{what}");
    assert_eq!(a.finish, b.finish, "{what}");
    assert_eq!(a.usage.reused, b.usage.reused, "{what}");
}

#[test]
fn guesses_do_not_change_a_byte() {
    for (architecture, format) in EVERY {
        let tiny = Tiny::new(architecture, format);
        let plain = load(&tiny, Drafting::Never, 160);
        let (mut drafted, mut accepted) = (0, 0);
        for drafting in [Drafting::Always, Drafting::WhenItPays] {
            let guessing = load(&tiny, drafting, 160);
            let (mut a, mut b) = (Session::new(plain.clone()), Session::new(guessing.clone()));
            for sampling in ways() {
                // From one token to more than the context holds.
                for max_tokens in [1, 2, 7, 40, 1000] {
                    let request = Request {
                        prompt: refrain(&plain).into(),
                        sampling: sampling.clone(),
                        max_tokens: Some(max_tokens),
                        ..Request::default()
                    };
                    let what = format!("{architecture} {format:?} {drafting:?} {request:?}");
                    let (a, b) = (answer(&mut a, &request), answer(&mut b, &request));
                    same(&a, &b, &what);
                    assert_eq!((a.usage.drafted, a.usage.accepted), (0, 0));
                    drafted += b.usage.drafted;
                    accepted += b.usage.accepted;
                }
                assert_eq!(a.tokens(), b.tokens(), "the sessions hold the same");
            }
        }
        if !steps_back(architecture) {
            assert_eq!(drafted, 0, "{architecture}");
            continue;
        }
        assert!(
            accepted > 20 && drafted > accepted + 20,
            "{architecture}: {accepted} of {drafted} stood, so little was checked"
        );
    }
}

/// An answer that comes in loops, now and then left by chance.
fn loops(model: &Model, seed: u64) -> Request {
    Request {
        prompt: refrain(model).into(),
        sampling: Sampling {
            temperature: 0.25,
            seed,
            ..Sampling::default()
        },
        max_tokens: Some(60),
        ..Request::default()
    }
}

#[test]
fn an_answer_may_end_among_its_guesses() {
    let tiny = Tiny::new("qwen2", Format::Q8_0);
    let plain = load(&tiny, Drafting::Never, 1024);
    let mut accepted = 0;
    for seed in 0..12 {
        let request = loops(&plain, seed);
        let whole = answer(&mut Session::new(plain.clone()), &request).tokens;
        // A token that comes late for the first time is made the end of an answer.
        let new = |&at: &usize| !whole[..at].contains(&whole[at]);
        let Some(end) = (10..whole.len()).rev().find(new) else {
            continue;
        };
        let tiny = Tiny {
            end: Some(whole[end]),
            ..tiny.clone()
        };
        let guessing = load(&tiny, Drafting::Always, 1024);
        let generation = answer(&mut Session::new(guessing.clone()), &request);
        assert_eq!(generation.tokens, whole[..end], "seed {seed}");
        assert_eq!(generation.finish, Finish::Stop);
        accepted += generation.usage.accepted;
    }
    assert!(accepted > 5, "{accepted} guesses stood before an end");
}

#[test]
fn an_answer_may_be_stopped_among_its_guesses() {
    let tiny = Tiny::new("gemma4", Format::Q4_0);
    let plain = load(&tiny, Drafting::Never, 1024);
    let guessing = load(&tiny, Drafting::Always, 1024);
    let mut accepted = 0;
    for most in 1..30 {
        let request = loops(&plain, most % 3);
        let run = |model: &Arc<Model>| {
            let (mut session, mut texts) = (Session::new(model.clone()), 0);
            let generation = session.generate(&request, &mut |event| {
                texts += u64::from(matches!(event, Event::Text(_)));
                match texts < most {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            (session, generation.unwrap())
        };
        let ((first, a), (mut second, b)) = (run(&plain), run(&guessing));
        same(&a, &b, &format!("stopped at {most}"));
        assert_eq!(first.tokens(), second.tokens());
        accepted += b.usage.accepted;
        // What the session holds after that is good to go on from.
        let more = crate::whole::request([first.tokens(), &[7, 8, 9]].concat(), 5);
        let fresh = write(&mut Session::new(plain.clone()), &more);
        assert_eq!(write(&mut second, &more), fresh);
    }
    assert!(accepted > 20, "{accepted} guesses stood");
}

#[test]
fn many_sequences_guess_in_one_pass() {
    for (architecture, format) in EVERY {
        let tiny = Tiny::new(architecture, format);
        let plain = load(&tiny, Drafting::Never, 512);
        let guessing = load(&tiny, Drafting::Always, 512);
        let options = SchedulerOptions {
            sequences: 3,
            chunk: 11,
            ..SchedulerOptions::default()
        };
        let mut scheduler = Scheduler::new(guessing.clone(), options);
        let requests: Vec<Request> = (0..6)
            .map(|i| Request {
                sampling: ways()[i % 4].clone(),
                ..request([prompt(&plain, 5 + i), refrain(&plain)].concat(), 25)
            })
            .collect();
        let mut answers = Vec::new();
        for request in &requests {
            scheduler
                .submit(request.clone(), Priority::Interactive)
                .unwrap();
            answers.append(&mut scheduler.step(&mut |_, _| ControlFlow::Continue(())));
        }
        answers.append(&mut scheduler.run(&mut |_, _| ControlFlow::Continue(())));
        answers.sort_by_key(|(ticket, _)| *ticket);
        let mut accepted = 0;
        for ((_, answer), request) in answers.iter().zip(&requests) {
            let want = write(&mut Session::new(plain.clone()), request);
            assert_eq!(answer.tokens, want, "{architecture} {format:?}");
            accepted += answer.usage.accepted;
        }
        assert_eq!(accepted > 0, steps_back(architecture), "{architecture}");
    }
}
