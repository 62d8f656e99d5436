//! Gemma 4's drafter: guesses that are the same bits everywhere, and files that are refused.

mod reference;

use crate::fixture::{DRAFTER, Tiny, gguf};
use reckon_engine::{
    Drafting, Error, Guess, Isa, Model, ModelOptions, Request, Sampling, Session, Token,
};
use reckon_gguf::{File, Format, Kind, Value, Writer};
use std::ops::ControlFlow;
use std::sync::Arc;

fn file(tiny: &Tiny) -> File {
    File::parse(gguf(tiny)).unwrap()
}

fn target(format: Format, options: &ModelOptions) -> Model {
    Model::from_file(file(&Tiny::new("gemma4", format)), options, &mut |_| ()).unwrap()
}

/// A drafter for `target` with the same format; `top` centroids are looked into, if any.
fn drafter(format: Format, top: usize) -> Tiny {
    Tiny {
        n_layer: 3,
        seed: 7,
        top,
        ..Tiny::new(DRAFTER, format)
    }
}

fn prompt(n: usize) -> Vec<Token> {
    (0..n)
        .map(|i| ((i * i * 7 + i * 31 + 11) % 360) as Token)
        .collect()
}

/// A guess as comparable bits: the token, scores by token id, the hidden state.
type Bits = (Token, Vec<(Token, u32)>, Vec<u32>);

fn guesses(model: &Arc<Model>, tokens: &[Token], count: usize) -> Vec<Bits> {
    let mut all = Vec::new();
    Session::new(model.clone())
        .guesses(tokens, count, |guess| {
            let id = |i: usize| guess.ids.get(i).copied().unwrap_or(i as Token);
            let scores = guess.scores.iter().enumerate();
            let mut scores: Vec<_> = scores.map(|(i, x)| (id(i), x.to_bits())).collect();
            scores.sort_unstable();
            let hidden = guess.hidden.iter().map(|x| x.to_bits()).collect();
            all.push((guess.token, scores, hidden));
        })
        .unwrap();
    all
}

#[test]
fn isa_threads_and_batches_do_not_change_a_bit_of_a_guess() {
    for (format, top) in [(Format::Q4_0, 0), (Format::Q8_0, 9), (Format::F32, 9)] {
        let with = |isa, threads, batch| {
            let options = ModelOptions {
                isa: Some(isa),
                cpus: vec![0; threads],
                batch: Some(batch),
                ..ModelOptions::default()
            };
            target(format, &options)
                .with_drafter(file(&drafter(format, top)))
                .unwrap()
        };
        let run = |model: Model| {
            let model = Arc::new(model);
            [2, 26, 50].map(|n| guesses(&model, &prompt(n), 3))
        };
        let want = run(with(Isa::SCALAR, 1, 256));
        let considered = if top == 0 { 365 } else { top * 5 };
        let right = |bits: &Bits| bits.1.len() == considered;
        assert!(
            want.iter()
                .all(|all| all.len() == 3 && all.iter().all(right))
        );
        // The plain definition is slow and need not be run in every way.
        let fast = |isa: &Isa| *isa != Isa::SCALAR;
        for isa in Isa::available().into_iter().filter(fast) {
            for (threads, batch) in [(1, 7), (2, 256)] {
                let got = run(with(isa, threads, batch));
                assert_eq!(got, want, "{format:?} {isa}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_shortlist_of_all_centroids_is_the_whole_head() {
    let run = |top| {
        let model = target(Format::Q8_0, &ModelOptions::default());
        let model = model.with_drafter(file(&drafter(Format::Q8_0, top)));
        guesses(&Arc::new(model.unwrap()), &prompt(40), 6)
    };
    let whole = run(0);
    assert_eq!(run(73), whole);
    // More than there are is all.
    assert_eq!(run(1000), whole);
    // A shorter list gives the same scores to those that it holds.
    let (short, all) = (&run(12)[0].1, &whole[0].1);
    assert_eq!(short.len(), 60);
    assert!(short.iter().all(|scored| all.contains(scored)));
}

/// A drafter that knows by heart what followed each token in `text`: it looks at nothing but the token.
fn taught(text: &[Token]) -> File {
    let read = |data: &[u8]| -> Vec<f32> {
        let floats = data.chunks_exact(4);
        floats
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect()
    };
    let target = file(&Tiny::new("gemma4", Format::F32));
    let embedding = read(target.tensor("token_embd.weight").unwrap().data);
    let mut head = vec![0.0; embedding.len()];
    for pair in text.windows(2) {
        let (from, to) = (pair[0] as usize * 256, pair[1] as usize * 256);
        for i in 0..256 {
            head[to + i] += embedding[from + i];
        }
    }
    let old = file(&drafter(Format::F32, 0));
    let mut writer = Writer::new();
    for (key, value) in old.metadata().iter() {
        writer.value(key, value);
    }
    let mut all = Vec::new();
    for info in old.tensors() {
        writer.tensor(&info.name, info.format, &info.dims).unwrap();
        let mut weights = read(old.tensor(&info.name).unwrap().data);
        match info.name.rsplit_once('.').unwrap().0 {
            "token_embd" => weights.clone_from(&head),
            // The token's embedding goes on as it is, the hidden state not at all.
            "nextn.pre_projection" => {
                let is_kept = |i: usize| i % 512 == i / 512;
                weights
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, w)| *w = f32::from(u8::from(is_kept(i))));
            }
            name if name.ends_with("attn_output") || name.ends_with("ffn_down") => {
                weights.fill(0.0)
            }
            _ => {}
        }
        all.push(
            weights
                .iter()
                .flat_map(|w| w.to_le_bytes())
                .collect::<Vec<u8>>(),
        );
    }
    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    File::parse(writer.to_vec(&all).unwrap()).unwrap()
}

/// Answers a few requests with and without a drafter; gives how many guesses were checked and how many stood.
fn compare(
    format: Format,
    drafting: Drafting,
    drafter: impl Fn(&[Token]) -> File,
) -> (usize, usize) {
    let load = |drafting| {
        let options = ModelOptions {
            drafting,
            ..ModelOptions::default()
        };
        target(format, &options)
    };
    let plain = Arc::new(load(Drafting::Never));
    let (mut drafted, mut accepted) = (0, 0);
    for (seed, temperature) in [(1, 0.0), (2, 0.2), (3, 0.7)] {
        let request = Request {
            prompt: prompt(30 + seed as usize).into(),
            sampling: Sampling {
                temperature,
                seed,
                ..Sampling::default()
            },
            max_tokens: Some(60),
            ..Request::default()
        };
        let mut heard = |_: reckon_engine::Event<'_>| ControlFlow::Continue(());
        let mut a = Session::new(plain.clone());
        let want = a.generate(&request, &mut heard).unwrap();
        let guessing = load(drafting).with_drafter(drafter(&want.tokens));
        let guessing = Arc::new(guessing.unwrap());
        let mut b = Session::new(guessing.clone());
        let got = b.generate(&request, &mut heard).unwrap();
        assert_eq!(
            got.tokens, want.tokens,
            "{format:?} {drafting:?} {request:?}"
        );
        assert_eq!((got.finish, &got.text), (want.finish, &want.text));
        assert_eq!(a.tokens(), b.tokens(), "the sessions hold the same");
        drafted += got.usage.drafted;
        accepted += got.usage.accepted;
    }
    (drafted, accepted)
}

#[test]
fn answers_are_the_same_with_and_without() {
    for drafting in [Drafting::Always, Drafting::WhenItPays] {
        // One that guesses at random, with either head.
        compare(Format::Q4_0, drafting, |_| file(&drafter(Format::Q4_0, 9)));
        compare(Format::F32, drafting, |_| file(&drafter(Format::F32, 0)));
    }
    // One that has heard the answers before.
    let (drafted, accepted) = compare(Format::F32, Drafting::Always, taught);
    assert!(
        accepted > 40 && drafted > accepted + 20,
        "{accepted} of {drafted} stood, so little was checked"
    );
}

#[test]
fn guesses_go_on_from_as_far_back_as_a_session_steps() {
    // Sliding layers keep about 2,070 positions; the last steps are at the edge of what they still hold.
    let load = |drafting| {
        let tiny = Tiny {
            n_ctx: 4096,
            ..Tiny::new("gemma4", Format::Q4_0)
        };
        let options = ModelOptions {
            drafting,
            n_ctx: Some(4096),
            ..ModelOptions::default()
        };
        Model::from_file(file(&tiny), &options, &mut |_| ()).unwrap()
    };
    let plain = Arc::new(load(Drafting::Never));
    let guessing = load(Drafting::Always).with_drafter(file(&drafter(Format::Q4_0, 9)));
    let guessing = Arc::new(guessing.unwrap());
    let (mut a, mut b) = (Session::new(plain.clone()), Session::new(guessing.clone()));
    let tokens = prompt(2300);
    a.feed(&tokens).unwrap();
    b.feed(&tokens).unwrap();
    for len in (200..320).rev() {
        let request = Request {
            prompt: tokens[..=len].into(),
            sampling: Sampling {
                temperature: 0.0,
                ..Sampling::default()
            },
            max_tokens: Some(3),
            ..Request::default()
        };
        let mut heard = |_: reckon_engine::Event<'_>| ControlFlow::Continue(());
        let want = a.generate(&request, &mut heard).unwrap();
        let got = b.generate(&request, &mut heard).unwrap();
        assert_eq!(
            (got.tokens, got.usage.reused),
            (want.tokens, want.usage.reused)
        );
        assert!(got.usage.drafted > 0 || got.usage.completion < 2);
        if got.usage.reused == 0 {
            return;
        }
    }
}

#[test]
fn without_a_drafter_there_is_nothing_to_hear() {
    let plain = Arc::new(target(Format::Q4_0, &ModelOptions::default()));
    let none = |_: &Guess<'_>| panic!("a guess without a drafter");
    Session::new(plain.clone())
        .guesses(&prompt(9), 5, none)
        .unwrap();
}

/// The drafter after some of its keys and tensors were left out and others put in; `data` belongs to a tensor put in.
fn rewritten(keep: impl Fn(&str) -> bool, change: impl Fn(&mut Writer), data: &[u8]) -> File {
    let old = file(&drafter(Format::Q8_0, 9));
    let mut writer = Writer::new();
    for (key, value) in old.metadata().iter().filter(|(key, _)| keep(key)) {
        writer.value(key, value);
    }
    change(&mut writer);
    let mut all: Vec<&[u8]> = vec![data];
    for info in old.tensors().filter(|info| keep(&info.name)) {
        writer.tensor(&info.name, info.format, &info.dims).unwrap();
        all.push(old.tensor(&info.name).unwrap().data);
    }
    File::parse(writer.to_vec(&all).unwrap()).unwrap()
}

fn refused(keep: impl Fn(&str) -> bool, change: impl Fn(&mut Writer)) -> String {
    let target = target(Format::Q8_0, &ModelOptions::default());
    refusal(target, rewritten(keep, change, &[]))
}

fn refusal(target: Model, file: File) -> String {
    match target.with_drafter(file) {
        Err(error @ (Error::Drafter(_) | Error::Gguf(_))) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    assert!(!message.contains('\n'), "one line: {message}");
    for part in parts {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

#[test]
fn a_file_of_another_architecture_is_refused_either_way() {
    let q8 = || target(Format::Q8_0, &ModelOptions::default());
    let llama = || file(&Tiny::new("llama", Format::Q8_0));
    says(
        &refusal(q8(), llama()),
        &["this drafter", "llama", "gemma4-assistant"],
    );
    let alone = Model::from_file(
        file(&drafter(Format::Q8_0, 0)),
        &ModelOptions::default(),
        &mut |_| (),
    );
    says(&alone.unwrap_err().to_string(), &["drafter", "Gemma 4"]);
    let other = Model::from_file(llama(), &ModelOptions::default(), &mut |_| ()).unwrap();
    says(
        &refusal(other, file(&drafter(Format::Q8_0, 0))),
        &["this drafter", "layer 0"],
    );
}

#[test]
fn a_missing_tensor_or_key_is_named() {
    for name in [
        "nextn.pre_projection.weight",
        "nextn.post_projection.weight",
        "blk.2.attn_q.weight",
        "blk.1.layer_output_scale.weight",
        "masked_embd_ordering",
        "gemma4-assistant.embedding_length_out",
    ] {
        says(&refused(|key| key != name, |_| ()), &[name]);
    }
    // Without centroids the whole head is used.
    let model = target(Format::Q8_0, &ModelOptions::default());
    assert!(model.with_drafter(file(&drafter(Format::Q8_0, 0))).is_ok());
}

#[test]
fn numbers_that_do_not_fit_the_target_are_named_with_both() {
    for (name, value, parts) in [
        ("embedding_length_out", 512, ["512", "256"]),
        ("attention.sliding_window", 2_000_000, ["2000000", "24"]),
        ("attention.key_length", 128, ["layer 2", "another shape"]),
        ("attention.head_count_kv", 1, ["layer 0", "another shape"]),
        ("attention.head_count", 8, ["blk.0.attn_q", "256 × 256"]),
        ("masked_embedding.top_k", 0, ["top_k", "0"]),
        ("embedding_length_per_layer_input", 64, ["per-layer", ""]),
    ] {
        let key = format!("gemma4-assistant.{name}");
        let message = refused(
            |old| old != key,
            |writer| {
                writer.value(&key, Value::U32(value));
            },
        );
        says(&message, &parts);
    }
}

#[test]
fn a_vocabulary_of_another_size_is_refused() {
    const NAME: &str = "token_embd.weight";
    let whole = file(&drafter(Format::Q8_0, 9));
    let row = whole.tensor(NAME).unwrap().row(0).len();
    let half = rewritten(
        |name| name != NAME,
        |writer| {
            writer.tensor(NAME, Format::Q8_0, &[256, 180]).unwrap();
        },
        &whole.tensor(NAME).unwrap().data[..180 * row],
    );
    let target = target(Format::Q8_0, &ModelOptions::default());
    says(&refusal(target, half), &["vocabulary", "180", "365"]);
}

/// The drafter with another ordering, as integers.
fn ordered(order: &[i32]) -> std::result::Result<Model, Error> {
    const NAME: &str = "masked_embd_ordering";
    let data: Vec<u8> = order.iter().flat_map(|id| id.to_le_bytes()).collect();
    let file = rewritten(
        |name| name != NAME,
        |writer| {
            writer.integers(NAME, Kind::I32, &[order.len()]).unwrap();
        },
        &data,
    );
    target(Format::Q8_0, &ModelOptions::default()).with_drafter(file)
}

#[test]
fn an_ordering_holds_every_token_once() {
    let right: Vec<i32> = (0..365).map(|i| i * 7 % 365).collect();
    let floats = target(Format::Q8_0, &ModelOptions::default())
        .with_drafter(file(&drafter(Format::Q8_0, 9)));
    let floats = Arc::new(floats.unwrap());
    let integers = Arc::new(ordered(&right).unwrap());
    assert_eq!(
        guesses(&integers, &prompt(30), 4),
        guesses(&floats, &prompt(30), 4)
    );
    for (place, id) in [(3, right[4]), (0, 365), (364, -1), (7, i32::MAX)] {
        let mut wrong = right.clone();
        wrong[place] = id;
        let message = ordered(&wrong).unwrap_err().to_string();
        says(&message, &["masked_embd_ordering", &id.to_string()]);
    }
    let message = ordered(&right[..300]).unwrap_err().to_string();
    says(&message, &["masked_embd_ordering", "300", "365"]);
}
