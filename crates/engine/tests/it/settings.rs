//! What a request may ask besides a prompt: texts that end the answer, and how likely its tokens were.
use crate::fixture::Tiny;
use crate::whole::{EVERY, fresh, model, prompt, request};
use reckon_engine::{
    Drafting, Error, Event, Finish, Generation, Isa, Model, ModelOptions, Request, Sampling,
    Session, TokenLogprobs,
};
use reckon_gguf::Format;
use std::ops::ControlFlow;
use std::sync::Arc;

fn generate(model: &Arc<Model>, request: &Request) -> Generation {
    let mut shown = String::new();
    let answer = Session::new(model.clone()).generate(request, &mut |event| {
        if let Event::Text(text) = event {
            shown += text;
        }
        ControlFlow::Continue(())
    });
    let answer = answer.expect("an answer");
    assert_eq!(shown, answer.text);
    answer
}

#[test]
fn a_stop_text_ends_the_answer_wherever_its_tokens_are_cut() {
    for (architecture, format) in EVERY {
        let model = model(&Tiny::new(architecture, format), &ModelOptions::default());
        let plain = request(prompt(&model, 21), 40);
        let whole = generate(&model, &plain);
        let chars: Vec<char> = whole.text.chars().collect();
        for (from, len) in [(3, 1), (5, 2), (9, 4), (1, 7)] {
            let stop: String = chars[from..from + len].iter().collect();
            let at = whole.text.find(&stop).expect("it is there");
            let asked = Request {
                stop: vec!["never said by anyone".into(), String::new(), stop.clone()],
                ..plain.clone()
            };
            let answer = generate(&model, &asked);
            assert_eq!(answer.text, whole.text[..at], "{architecture} {stop:?}");
            assert_eq!(answer.finish, Finish::Stop);
            assert_eq!(answer.stopped_by, Some(stop));
            assert!(whole.tokens.starts_with(&answer.tokens));
        }
        let asked = Request {
            stop: vec!["never said by anyone".into()],
            ..plain.clone()
        };
        let answer = generate(&model, &asked);
        assert_eq!((&answer.text, answer.finish), (&whole.text, whole.finish));
        assert_eq!(answer.stopped_by, None);
    }
}

#[test]
fn settings_out_of_bounds_are_refused() {
    let model = model(&Tiny::new("qwen2", Format::Q8_0), &ModelOptions::default());
    let plain = request(prompt(&model, 5), 5);
    let many = Request {
        stop: vec!["a".into(); 17],
        ..plain.clone()
    };
    let long = Request {
        stop: vec!["a".repeat(257)],
        ..plain.clone()
    };
    let top = Request {
        logprobs: Some(21),
        ..plain
    };
    for request in [many, long, top] {
        let mut session = Session::new(model.clone());
        let refused = session.generate(&request, &mut |_| ControlFlow::Continue(()));
        let error = refused.expect_err("refused");
        assert!(matches!(error, Error::Request(_)), "{error}");
    }
}

fn likely(model: &Arc<Model>, top: usize, sampling: Sampling) -> Generation {
    let asked = Request {
        logprobs: Some(top),
        sampling,
        ..request(prompt(model, 19), 24)
    };
    generate(model, &asked)
}

#[test]
fn log_probabilities_are_the_models_own() {
    for (architecture, format) in EVERY {
        let model = model(&Tiny::new(architecture, format), &ModelOptions::default());
        // A penalty, a filter and a temperature, none of which they show.
        let sampling = Sampling {
            temperature: 1.3,
            top_k: 30,
            repetition_penalty: 1.4,
            seed: 5,
            ..Sampling::default()
        };
        let answer = likely(&model, 20, sampling);
        assert_eq!(answer.logprobs.len(), answer.tokens.len());
        let mut read = prompt(&model, 19);
        read.extend(&answer.tokens);
        let mut rows: Vec<Vec<f32>> = Vec::new();
        let mut session = Session::new(model.clone());
        session
            .logits(&read, 18, |_, row| rows.push(row.to_vec()))
            .expect("logits");
        for ((given, token), row) in answer.logprobs.iter().zip(&answer.tokens).zip(&rows) {
            assert_eq!(given.token, *token);
            let sum: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
            let want = |token: u32| (f64::from(row[token as usize]) - sum.ln()) as f32;
            let near = |token: u32, logprob: f32| (want(token) - logprob).abs() < 1e-4;
            assert!(near(*token, given.logprob), "{architecture}");
            assert_eq!(given.top.len(), 20);
            assert!(given.top.iter().all(|&(token, p)| near(token, p)));
            assert!(given.top.is_sorted_by(|a, b| a.1 >= b.1));
            let shown: f64 = given.top.iter().map(|(_, p)| f64::from(*p).exp()).sum();
            assert!(shown <= 1.0 + 1e-5, "{shown}");
            // Nothing that is left out is likelier.
            let last = given.top[19].1;
            let left_out = (0..row.len() as u32).filter(|t| given.top.iter().all(|(u, _)| u != t));
            assert!(left_out.into_iter().all(|token| want(token) <= last + 1e-4));
        }
    }
}

#[test]
fn greedy_takes_the_likeliest() {
    let model = model(&Tiny::new("gemma4", Format::Q4_0), &ModelOptions::default());
    let greedy = Sampling {
        temperature: 0.0,
        ..Sampling::default()
    };
    let answer = likely(&model, 3, greedy.clone());
    for given in &answer.logprobs {
        assert_eq!(given.top[0], (given.token, given.logprob));
    }
    let alone = likely(&model, 0, greedy);
    let pairs = |all: &[TokenLogprobs]| -> Vec<(u32, f32)> {
        all.iter().map(|one| (one.token, one.logprob)).collect()
    };
    assert_eq!(pairs(&alone.logprobs), pairs(&answer.logprobs));
    assert!(alone.logprobs.iter().all(|one| one.top.is_empty()));
}

#[test]
fn asking_for_probabilities_changes_nothing_and_they_are_the_same_everywhere() {
    let tiny = Tiny::new("gemma4", Format::Q4_0);
    let load = |isa, drafting, threads| {
        let options = ModelOptions {
            isa: Some(isa),
            drafting,
            cpus: vec![0; threads],
            ..ModelOptions::default()
        };
        model(&tiny, &options)
    };
    let reference = load(Isa::SCALAR, Drafting::Never, 1);
    let plain = request(prompt(&reference, 19), 24);
    let asked = Request {
        logprobs: Some(4),
        ..plain.clone()
    };
    let want = generate(&reference, &asked);
    assert_eq!(fresh(&reference, &plain), want.tokens);
    assert!(generate(&reference, &plain).logprobs.is_empty());
    for isa in Isa::available() {
        let got = generate(&load(isa, Drafting::Always, 2), &asked);
        assert_eq!(got.logprobs, want.logprobs, "{isa}");
    }
}
