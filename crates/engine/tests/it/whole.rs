//! Whole generations: the same bytes whatever the CPU, the threads, the batches and the history.

use crate::fixture::{Tiny, gguf};
use reckon_engine::{
    Error, Event, Finish, Isa, Model, ModelOptions, Precision, Prompt, Request, Sampling, Session,
    Token,
};
use reckon_gguf::{File, Format};
use std::ops::ControlFlow;
use std::sync::Arc;

pub(crate) fn model(tiny: &Tiny, options: &ModelOptions) -> Arc<Model> {
    let file = File::parse(gguf(tiny)).unwrap();
    Arc::new(Model::from_file(file, options, &mut |_| ()).unwrap())
}

pub(crate) fn prompt(model: &Model, n: usize) -> Vec<Token> {
    (0..n)
        .map(|i| ((i * i * 7 + i * 31 + 11) % model.n_vocab()) as Token)
        .collect()
}

/// The same tokens, beginning elsewhere: nothing in common with the others.
pub(crate) fn rotated(prompt: &[Token], by: usize) -> Prompt {
    let (end, start) = prompt.split_at(by);
    [start, end].concat().into()
}

pub(crate) fn request(prompt: Vec<Token>, max_tokens: usize) -> Request {
    let sampling = Sampling {
        temperature: 0.8,
        top_k: 40,
        top_p: 0.95,
        seed: 42,
        ..Sampling::default()
    };
    Request {
        prompt: prompt.into(),
        sampling,
        max_tokens: Some(max_tokens),
        ..Request::default()
    }
}

pub(crate) fn write(session: &mut Session, request: &Request) -> Vec<Token> {
    session
        .generate(request, &mut |_| ControlFlow::Continue(()))
        .unwrap()
        .tokens
}

pub(crate) fn fresh(model: &Arc<Model>, request: &Request) -> Vec<Token> {
    write(&mut Session::new(model.clone()), request)
}

/// Every architecture whose passes differ, in formats that differ.
pub(crate) const EVERY: [(&str, Format); 12] = [
    ("gemma4", Format::Q4_0),
    ("gemma4", Format::F32),
    ("gemma3", Format::Q4_K),
    ("llama", Format::Q6_K),
    ("qwen2", Format::Q8_0),
    ("qwen3", Format::Q4_K),
    ("qwen3moe", Format::Q8_0),
    ("gpt-oss", Format::Q4_0),
    ("phi3", Format::Q4_K),
    ("mistral3", Format::Q8_0),
    ("qwen35", Format::Q4_K),
    ("qwen35moe", Format::Q8_0),
];

/// Whether a sequence can step back by any number of tokens; one with delta layers steps back to its marks.
pub(crate) fn steps_back(architecture: &str) -> bool {
    !architecture.starts_with("qwen35")
}

/// Those that differ from others by factors alone.
const OTHERS: [(&str, Format); 3] = [
    ("granite", Format::Q4_K),
    ("smollm3", Format::Q6_K),
    ("qwen2moe", Format::Q8_0),
];

#[test]
fn isa_threads_and_batches_do_not_change_a_byte() {
    for (architecture, format) in EVERY.into_iter().chain(OTHERS) {
        let tiny = Tiny::new(architecture, format);
        let reference = model(
            &tiny,
            &ModelOptions {
                isa: Some(Isa::SCALAR),
                ..ModelOptions::default()
            },
        );
        let request = request(prompt(&reference, 61), 12);
        let want = fresh(&reference, &request);
        // The plain definition is slow; it is the reference and need not be run in every way.
        for isa in Isa::available()
            .into_iter()
            .filter(|isa| *isa != Isa::SCALAR)
        {
            for (threads, batch) in [(1, 1), (2, 16), (2, 61), (3, 7)] {
                let options = ModelOptions {
                    cpus: vec![0; threads],
                    isa: Some(isa),
                    batch: Some(batch),
                    ..ModelOptions::default()
                };
                let got = fresh(&model(&tiny, &options), &request);
                assert_eq!(
                    got, want,
                    "{architecture} {format:?} {isa}, {threads} threads, batches of {batch}"
                );
            }
        }
    }
}

#[test]
fn a_context_in_8_bits_is_the_same_everywhere() {
    let tiny = Tiny::new("gemma4", Format::Q4_0);
    let options = |isa, threads, batch| ModelOptions {
        cpus: vec![0; threads],
        isa: Some(isa),
        batch: Some(batch),
        kv: Some(Precision::Eight),
        ..ModelOptions::default()
    };
    let reference = model(&tiny, &options(Isa::SCALAR, 1, 61));
    let request = request(prompt(&reference, 61), 12);
    let want = fresh(&reference, &request);
    for isa in Isa::available() {
        for (threads, batch) in [(1, 1), (2, 16)] {
            let model = model(&tiny, &options(isa, threads, batch));
            assert_eq!(fresh(&model, &request), want, "{isa}, batches of {batch}");
        }
    }
    let half = model(&tiny, &ModelOptions::default());
    assert_ne!(reference.kv(), half.kv());
}

#[test]
fn the_prefill_shortcut_is_exact() {
    for (architecture, format) in EVERY {
        let tiny = Tiny::new(architecture, format);
        let fast = model(&tiny, &ModelOptions::default());
        let slow = model(
            &tiny,
            &ModelOptions {
                full_prefill: true,
                ..ModelOptions::default()
            },
        );
        let tokens = prompt(&fast, 70);
        let last = |model: &Arc<Model>, from: usize| {
            let mut out = Vec::new();
            Session::new(model.clone())
                .logits(&tokens, from, |_, row| out = row.to_vec())
                .unwrap();
            out
        };
        let want = last(&slow, 0);
        assert_eq!(last(&slow, 69), want, "{architecture} all layers");
        assert_eq!(last(&fast, 69), want, "{architecture} shortcut");
        assert!(want.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn a_session_reuses_what_it_has_read_without_changing_the_answer() {
    for (architecture, format) in EVERY {
        let model = model(&Tiny::new(architecture, format), &ModelOptions::default());
        let mut session = Session::new(model.clone());
        let first = prompt(&model, 50);
        write(&mut session, &request(first.clone(), 10));
        // A longer conversation with the same beginning, then one that branches off earlier.
        let mut longer = first.clone();
        longer.extend(prompt(&model, 20));
        let mut branched = first[..30].to_vec();
        branched.extend(prompt(&model, 15));
        for (tokens, marked) in [(longer, 42), (branched, 0)] {
            let request = request(tokens, 10);
            let generation = session
                .generate(&request, &mut |_| ControlFlow::Continue(()))
                .unwrap();
            let reused = generation.usage.reused;
            match steps_back(architecture) {
                true => assert!(reused >= 30, "{architecture} reused {reused}"),
                // The marks lie before the last eight tokens of what was asked before.
                false => assert_eq!(reused, marked, "{architecture}"),
            }
            assert_eq!(generation.tokens, fresh(&model, &request), "{architecture}");
        }
    }
}

#[test]
fn stepping_back_beyond_a_sliding_window_reads_again() {
    // The ring keeps the window, a batch and some slack; a prompt of 2,900 tokens overwrites the beginning.
    let tiny = Tiny {
        n_ctx: 4096,
        ..Tiny::new("gemma4", Format::Q4_0)
    };
    let model = model(
        &tiny,
        &ModelOptions {
            cpus: vec![0; 2],
            n_ctx: Some(4096),
            ..ModelOptions::default()
        },
    );
    let mut session = Session::new(model.clone());
    write(&mut session, &request(prompt(&model, 2900), 2));
    let mut back = prompt(&model, 200);
    back.extend([5, 6, 7]);
    let request = request(back, 6);
    let generation = session
        .generate(&request, &mut |_| ControlFlow::Continue(()))
        .unwrap();
    assert_eq!(generation.usage.reused, 0);
    assert_eq!(generation.tokens, fresh(&model, &request));
}

#[test]
fn a_full_context_is_an_error_with_both_numbers_or_a_named_end() {
    let model = model(
        &Tiny::new("llama", Format::Q8_0),
        &ModelOptions {
            n_ctx: Some(40),
            ..ModelOptions::default()
        },
    );
    let mut session = Session::new(model.clone());
    let too_long = request(prompt(&model, 40), 5);
    match session.generate(&too_long, &mut |_| ControlFlow::Continue(())) {
        Err(Error::ContextFull {
            asked: 41,
            allowed: 40,
        }) => {}
        other => panic!("{other:?}"),
    }
    let fits = request(prompt(&model, 30), 1000);
    let generation = session
        .generate(&fits, &mut |_| ControlFlow::Continue(()))
        .unwrap();
    if generation.finish != Finish::Stop {
        assert_eq!(generation.finish, Finish::Context);
        assert_eq!(
            generation.usage.prompt + generation.usage.completion,
            41,
            "the last token needs no room"
        );
    }
    let empty = request(Vec::new(), 5);
    let refused = session.generate(&empty, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(Error::EmptyPrompt)));
    let outside = request(vec![1, 2, 1_000_000], 5);
    assert!(matches!(
        session.generate(&outside, &mut |_| ControlFlow::Continue(())),
        Err(Error::Token {
            token: 1_000_000,
            ..
        })
    ));
}

#[test]
fn the_caller_can_stop_at_any_event() {
    let model = model(
        &Tiny::new("qwen2", Format::Q8_0),
        &ModelOptions {
            batch: Some(8),
            ..ModelOptions::default()
        },
    );
    let request = request(prompt(&model, 64), 30);
    let mut texts = 0;
    let generation = Session::new(model.clone())
        .generate(&request, &mut |event| match event {
            Event::Text(_) => {
                texts += 1;
                if texts == 3 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
    assert_eq!(generation.finish, Finish::Cancelled);
    assert!(generation.tokens.len() < 30);
    let mut session = Session::new(model.clone());
    let stopped = session
        .generate(&request, &mut |event| match event {
            Event::Prefill { done, .. } if done >= 16 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
    assert_eq!(
        (stopped.finish, stopped.tokens.len()),
        (Finish::Cancelled, 0)
    );
    // What was read until then is still good.
    assert_eq!(write(&mut session, &request), fresh(&model, &request));
}
