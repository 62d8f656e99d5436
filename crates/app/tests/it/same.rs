//! Same seed, same bytes: whatever the number of threads and the instructions, and every time.
use crate::{
    fixture::{DRAFTER, Tiny, gguf},
    place::{Place, is_emulated},
};
use reckon::gguf::Format;
use reckon::kernels::Isa;
use serde_json::Value;

/// Text and tokens of one answer, and the instructions that made it.
fn answer(
    place: &Place,
    seed: &str,
    more: &[&str],
    environment: &[(&str, &str)],
) -> (Value, Value, Value) {
    let question = "the quick brown fox and the lazy dog. ".repeat(8);
    let arguments = [
        "ask",
        "--model",
        "m.gguf",
        "--seed",
        seed,
        "--temperature",
        "1",
        "--max-tokens",
        "24",
        "--json",
        question.as_str(),
    ];
    let ended = place.reckon_with(&[&arguments, more].concat(), environment);
    assert_eq!(
        (ended.code, ended.err.as_str()),
        (Some(0), ""),
        "{more:?} {environment:?}"
    );
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    assert!(!report["tokens"].as_array().unwrap().is_empty());
    (
        report["text"].clone(),
        report["tokens"].clone(),
        report["receipt"]["isa"].clone(),
    )
}

#[test]
fn the_seed_alone_decides() {
    for (architecture, format) in [
        ("llama", Format::Q8_0),
        ("gemma4", Format::Q8_0),
        ("qwen3", Format::Q4_K),
    ] {
        let place = Place::new();
        place.write("m.gguf", &gguf(&Tiny::new(architecture, format)));
        let first = answer(&place, "7", &[], &[]);
        for threads in [&[][..], &["--threads", "1"], &["--threads", "2"]] {
            let again = answer(&place, "7", threads, &[]);
            assert_eq!(again, first, "{architecture} {threads:?}");
        }
        if is_emulated() {
            eprintln!("SKIPPED: this machine's instruction sets, under emulation");
            continue;
        }
        for isa in Isa::available() {
            let (text, tokens, used) = answer(&place, "7", &[], &[("RECKON_ISA", isa.name())]);
            assert_eq!(used, isa.name());
            assert_eq!(
                (&text, &tokens),
                (&first.0, &first.1),
                "{architecture} {used}"
            );
        }
    }
}

#[test]
fn another_seed_decides_otherwise() {
    let place = Place::new();
    place.write("m.gguf", &gguf(&Tiny::new("llama", Format::Q8_0)));
    let (first, other) = (answer(&place, "7", &[], &[]), answer(&place, "8", &[], &[]));
    assert_ne!(other.1, first.1);
}

#[test]
fn a_drafter_changes_no_byte_and_a_wrong_one_is_refused() {
    let place = Place::new();
    place.write("m.gguf", &gguf(&Tiny::new("gemma4", Format::Q8_0)));
    let drafter = Tiny {
        n_layer: 3,
        top: 9,
        ..Tiny::new(DRAFTER, Format::Q8_0)
    };
    place.write("d.gguf", &gguf(&drafter));
    let plain = answer(&place, "7", &[], &[]);
    assert_eq!(answer(&place, "7", &["--draft", "d.gguf"], &[]), plain);
    for (model, draft, says) in [
        ("m.gguf", "m.gguf", "cannot use this drafter"),
        ("m.gguf", "none.gguf", "none.gguf"),
        ("d.gguf", "d.gguf", "this file is a drafter"),
    ] {
        let ended = place.reckon(&["ask", "-m", model, "--draft", draft, "Hi"]);
        assert_eq!(ended.code, Some(3), "{}", ended.err);
        assert!(ended.err.contains(says), "{}", ended.err);
    }
}
