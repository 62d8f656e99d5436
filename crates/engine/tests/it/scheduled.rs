//! Many answers at once: each the same bytes as alone, whoever comes, goes or waits beside it.

use crate::fixture::Tiny;
use crate::whole::{EVERY, fresh, model, prompt, request, rotated, steps_back};
use reckon_engine::{
    Drafting, Event, Finish, Generation, Model, ModelOptions, Priority, Request, Sampling,
    Scheduler, SchedulerOptions, Ticket, Token,
};
use reckon_gguf::Format;
use std::ops::ControlFlow;
use std::sync::Arc;

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// A request that differs from the others in everything.
fn different(model: &Arc<Model>, i: usize) -> Request {
    let mut request = request(prompt(model, 10 + 17 * i), 6 + 3 * i);
    request.prompt = rotated(&request.prompt, i);
    request.sampling = Sampling {
        seed: i as u64,
        temperature: [0.0, 0.8, 1.2][i % 3],
        repetition_penalty: [1.0, 1.3][i % 2],
        ..request.sampling
    };
    request
}

/// An answer that surely has as many tokens as asked for: one that a fresh session does not end early.
fn endless(model: &Arc<Model>, n_prompt: usize, max_tokens: usize) -> Request {
    (0..)
        .map(|seed| Request {
            sampling: Sampling {
                seed,
                ..request(Vec::new(), 0).sampling
            },
            ..request(prompt(model, n_prompt), max_tokens)
        })
        .find(|request| fresh(model, request).len() == max_tokens)
        .unwrap()
}

/// Steps until the request has ended.
fn steps(scheduler: &mut Scheduler, ticket: Ticket) -> (usize, Generation) {
    for step in 1..10_000 {
        let mut ended = scheduler.step(&mut |_, _| GO_ON);
        if let Some(at) = ended.iter().position(|(other, _)| *other == ticket) {
            return (step, ended.swap_remove(at).1);
        }
    }
    panic!("never ends");
}

#[test]
fn answers_are_the_same_whoever_else_is_there() {
    for (architecture, format) in EVERY {
        let options = ModelOptions {
            cpus: vec![0; 2],
            batch: Some(32),
            ..ModelOptions::default()
        };
        let model = model(&Tiny::new(architecture, format), &options);
        let requests: Vec<Request> = (0..7).map(|i| different(&model, i)).collect();
        let options = SchedulerOptions {
            sequences: 4,
            chunk: 9,
            ..SchedulerOptions::default()
        };
        let mut scheduler = Scheduler::new(model.clone(), options);
        let mut tickets = Vec::new();
        let mut answers = Vec::new();
        for (i, request) in requests.iter().enumerate() {
            let priority = [Priority::Background, Priority::Interactive][usize::from(i % 3 == 2)];
            tickets.push(scheduler.submit(request.clone(), priority).unwrap());
            for _ in 0..i {
                answers.append(&mut scheduler.step(&mut |_, _| GO_ON));
            }
        }
        answers.append(&mut scheduler.run(&mut |_, _| GO_ON));
        answers.sort_by_key(|(ticket, _)| *ticket);
        assert_eq!(answers.len(), requests.len());
        for ((ticket, answer), (want, request)) in answers.iter().zip(tickets.iter().zip(&requests))
        {
            assert_eq!(ticket, want);
            assert_eq!(
                answer.tokens,
                fresh(&model, request),
                "{architecture} {format:?} {ticket:?}"
            );
            assert_eq!(answer.usage.prompt, request.prompt.len());
        }
    }
}

/// A model that writes one token a pass, so that passes can be counted.
fn llama(batch: usize) -> Arc<Model> {
    let options = ModelOptions {
        batch: Some(batch),
        drafting: Drafting::Never,
        ..ModelOptions::default()
    };
    model(&Tiny::new("llama", Format::Q8_0), &options)
}

#[test]
fn an_interactive_answer_goes_on_while_long_prompts_are_read() {
    let model = llama(64);
    let options = SchedulerOptions {
        chunk: 8,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    let quick = endless(&model, 20, 30);
    let mut long = request(prompt(&model, 900), 4);
    long.prompt = rotated(&long.prompt, 3);
    let slow = scheduler
        .submit(long.clone(), Priority::Background)
        .unwrap();
    let ticket = scheduler
        .submit(quick.clone(), Priority::Interactive)
        .unwrap();
    let mut read = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..30 {
        // The prompt takes one step and gives the first token; each further step gives one.
        answers.append(&mut scheduler.step(&mut |who, event| {
            if let (true, Event::Prefill { done, .. }) = (who == slow, event) {
                read.push(done);
            }
            GO_ON
        }));
    }
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].0, ticket);
    assert_eq!(answers[0].1.tokens, fresh(&model, &quick));
    // Beside the answer the long prompt went on in small chunks: 44 tokens beside the other prompt, then 8 a step.
    assert_eq!(read[..4], [0, 44, 52, 60]);
    let answers = scheduler.run(&mut |_, _| GO_ON);
    assert_eq!(answers[0].1.tokens, fresh(&model, &long));
}

#[test]
fn an_interactive_request_takes_the_seat_of_the_youngest_background_one() {
    let model = llama(64);
    let options = SchedulerOptions {
        sequences: 2,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    let background: Vec<Request> = (0..3).map(|i| endless(&model, 30 + i, 40)).collect();
    let tickets: Vec<Ticket> = background
        .iter()
        .map(|request| {
            scheduler
                .submit(request.clone(), Priority::Background)
                .unwrap()
        })
        .collect();
    for _ in 0..5 {
        assert!(scheduler.step(&mut |_, _| GO_ON).is_empty());
    }
    let urgent = endless(&model, 25, 10);
    let ticket = scheduler
        .submit(urgent.clone(), Priority::Interactive)
        .unwrap();
    let (taken, answer) = steps(&mut scheduler, ticket);
    assert_eq!((taken, answer.tokens), (10, fresh(&model, &urgent)));
    let answers = scheduler.run(&mut |_, _| GO_ON);
    for ((ticket, answer), (want, request)) in answers.iter().zip(tickets.iter().zip(&background)) {
        assert_eq!((ticket, &answer.tokens), (want, &fresh(&model, request)));
    }
    assert!(scheduler.is_idle());
}

#[test]
fn equals_are_served_in_order_and_evenly() {
    let model = llama(64);
    let options = SchedulerOptions {
        sequences: 2,
        prefix_bytes: 0,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    let requests: Vec<Request> = (0..6).map(|i| endless(&model, 9 + i, 15)).collect();
    for request in &requests {
        scheduler
            .submit(request.clone(), Priority::Background)
            .unwrap();
    }
    let mut ended = Vec::new();
    for step in 1.. {
        let mut answers = scheduler.step(&mut |_, _| GO_ON);
        ended.extend(answers.drain(..).map(|(ticket, _)| (step, ticket)));
        if scheduler.is_idle() {
            break;
        }
    }
    // Two at a time, each 15 steps: the first token comes with the pass that reads the prompt.
    let steps: Vec<usize> = ended.iter().map(|(step, _)| *step).collect();
    assert_eq!(steps, [15, 15, 30, 30, 45, 45]);
    assert!(ended.is_sorted_by_key(|(_, ticket)| *ticket));
}

#[test]
fn a_request_can_be_cancelled_wherever_it_is() {
    let model = llama(16);
    let options = SchedulerOptions {
        sequences: 2,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    let writing = endless(&model, 10, 40);
    let reading = request(prompt(&model, 400), 5);
    let mut submit = |request: &Request| {
        scheduler
            .submit(request.clone(), Priority::Background)
            .unwrap()
    };
    let tickets = [&writing, &reading, &reading, &writing].map(&mut submit);
    for _ in 0..4 {
        scheduler.step(&mut |_, _| GO_ON);
    }
    let first = scheduler.cancel(tickets[0]).unwrap();
    assert_eq!(first.finish, Finish::Cancelled);
    assert_eq!(first.tokens, fresh(&model, &writing)[..4]);
    for ticket in &tickets[1..3] {
        let other = scheduler.cancel(*ticket).unwrap();
        assert_eq!((other.finish, other.tokens.len()), (Finish::Cancelled, 0));
        assert!(scheduler.cancel(*ticket).is_none());
    }
    // A listener that breaks cancels only its own.
    let more = scheduler
        .submit(writing.clone(), Priority::Background)
        .unwrap();
    let answers = scheduler.run(&mut |who, _| match who == more {
        true => ControlFlow::Break(()),
        false => GO_ON,
    });
    assert_eq!(answers[0].1.tokens, fresh(&model, &writing));
    assert_eq!(answers[1].0, more);
    assert_eq!(answers[1].1.finish, Finish::Cancelled);
}

/// Prompts with the same first tokens.
fn family(model: &Arc<Model>, shared: usize, n: usize) -> Vec<Request> {
    let own = |i: usize| -> Vec<Token> { prompt(model, 40)[i..20 + 2 * i].to_vec() };
    let whole = |i| [prompt(model, shared), own(i)].concat();
    (1..=n).map(|i| request(whole(i), 8)).collect()
}

#[test]
fn a_shared_beginning_is_read_once_and_changes_no_answer() {
    for (architecture, format) in EVERY {
        let options = ModelOptions {
            batch: Some(32),
            ..ModelOptions::default()
        };
        let model = model(&Tiny::new(architecture, format), &options);
        let mut scheduler = Scheduler::new(model.clone(), SchedulerOptions::default());
        let requests = family(&model, 100, 5);
        // Four together, one later.
        let (later, together) = requests.split_last().unwrap();
        for request in together {
            scheduler
                .submit(request.clone(), Priority::Background)
                .unwrap();
        }
        let mut answers = scheduler.run(&mut |_, _| GO_ON);
        scheduler
            .submit(later.clone(), Priority::Interactive)
            .unwrap();
        answers.append(&mut scheduler.run(&mut |_, _| GO_ON));
        for ((ticket, answer), request) in answers.iter().zip(&requests) {
            // Nobody waits a pass for the last few of the 100.
            let least = if *ticket == answers[0].0 { 0 } else { 96 };
            assert!(
                answer.usage.reused >= least,
                "{architecture} {ticket:?} {:?}",
                answer.usage
            );
            assert_eq!(answer.tokens, fresh(&model, request), "{architecture}");
        }
        // The same prompt again: all but its last token is there.
        scheduler
            .submit(later.clone(), Priority::Interactive)
            .unwrap();
        let (_, again) = &scheduler.run(&mut |_, _| GO_ON)[0];
        // Delta layers step back to a mark before the last few.
        let read = if steps_back(architecture) { 1 } else { 8 };
        assert_eq!(again.usage.reused, later.prompt.len() - read);
        assert_eq!(again.tokens, answers[4].1.tokens);
    }
}

#[test]
fn without_room_for_memories_nothing_is_reused_later() {
    let model = llama(32);
    let options = SchedulerOptions {
        prefix_bytes: 0,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model.clone(), options);
    for request in family(&model, 100, 3) {
        scheduler
            .submit(request.clone(), Priority::Background)
            .unwrap();
        let (_, answer) = &scheduler.run(&mut |_, _| GO_ON)[0];
        assert_eq!(answer.usage.reused, 0);
        assert_eq!(answer.tokens, fresh(&model, &request));
    }
}

#[test]
fn where_prompts_part_a_copy_is_left_for_layers_that_cannot_step_back() {
    let model = model(&Tiny::new("qwen35", Format::Q8_0), &ModelOptions::default());
    let mut scheduler = Scheduler::new(model.clone(), SchedulerOptions::default());
    let mut reused = Vec::new();
    // They part at 150, behind which the first has gone on for hundreds of tokens: no mark of its is so far back.
    for end in [700, 33, 44, 55] {
        let own = rotated(&prompt(&model, end), 1 + end % 7);
        let request = request([prompt(&model, 150), own.to_vec()].concat(), 5);
        scheduler
            .submit(request.clone(), Priority::Background)
            .unwrap();
        let (_, answer) = scheduler.run(&mut |_, _| GO_ON).remove(0);
        assert_eq!(answer.tokens, fresh(&model, &request));
        reused.push(answer.usage.reused);
    }
    assert_eq!(reused, [0, 0, 150, 150]);
}

/// A model whose sliding layers forget long before its context is full.
pub(crate) fn long_gemma4() -> (Tiny, ModelOptions) {
    let tiny = Tiny {
        n_ctx: 4096,
        ..Tiny::new("gemma4", Format::Q4_0)
    };
    let options = ModelOptions {
        cpus: vec![0; 2],
        n_ctx: Some(4096),
        ..ModelOptions::default()
    };
    (tiny, options)
}

#[test]
fn a_branching_point_that_sliding_layers_have_left_behind_is_kept_once_asked_for() {
    let (tiny, options) = long_gemma4();
    let model = model(&tiny, &options);
    let mut scheduler = Scheduler::new(model.clone(), SchedulerOptions::default());
    let mut answer = |request: &Request| {
        scheduler
            .submit(request.clone(), Priority::Background)
            .unwrap();
        scheduler.run(&mut |_, _| GO_ON).remove(0).1
    };
    // A long sequence moves on 2,700 tokens beyond what the next ones share with it.
    assert_eq!(answer(&request(prompt(&model, 2900), 2)).usage.reused, 0);
    let reused: Vec<usize> = family(&model, 200, 3)
        .iter()
        .map(|request| {
            let generation = answer(request);
            assert_eq!(generation.tokens, fresh(&model, request));
            generation.usage.reused
        })
        .collect();
    assert_eq!(reused, [0, 200, 200]);
}
