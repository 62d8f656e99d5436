//! Ids equal to a reference: the cases that `tests/reference/tokenizer.py` makes from Hugging Face `tokenizers`, and
//! llama.cpp's published vectors for Gemma 4. Both need a real vocabulary and are skipped, loudly, without one.
use reckon_engine::{Kind, Tokenizer};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::Instant,
};

fn open(path: &Path) -> Tokenizer {
    let file = reckon_gguf::File::open(path).expect("the model file opens");
    let start = Instant::now();
    let tokenizer = Tokenizer::from_gguf(&file).expect("the vocabulary is readable");
    say!(
        "{}: tokenizer ready in {:?}",
        path.display(),
        start.elapsed()
    );
    tokenizer
}

fn ids(value: &serde_json::Value) -> Vec<u32> {
    let ids = value.as_array().expect("an array of ids");
    ids.iter()
        .map(|id| id.as_u64().expect("an id") as u32)
        .collect()
}

#[test]
fn ids_equal_hugging_face() {
    let Some(dir) = std::env::var_os("RECKON_TOKENIZER_CASES") else {
        say!("SKIPPED: set RECKON_TOKENIZER_CASES to what tests/reference/tokenizer.py wrote");
        return;
    };
    let mut checked = 0;
    for entry in fs::read_dir(dir).expect("the directory of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            check_file(&path);
            checked += 1;
        }
    }
    assert!(checked > 0, "no cases in that directory");
}

fn check_file(path: &Path) {
    let mut lines = BufReader::new(fs::File::open(path).expect("the cases open")).lines();
    let mut next = || {
        lines.next().map(|line| {
            serde_json::from_str::<serde_json::Value>(&line.expect("a line")).expect("JSON")
        })
    };
    let head = next().expect("a first line");
    let tokenizer = open(Path::new(head["model"].as_str().expect("a path")));
    let (mut n, mut wrong, mut injected) = (0, 0, 0);
    while let Some(case) = next() {
        let text = case["text"].as_str().expect("a text");
        let user = tokenizer.encode_text(text);
        let template = tokenizer.encode_template(text);
        n += 1;
        for (name, got, want) in [
            ("user", &user, ids(&case["user"])),
            ("template", &template, ids(&case["template"])),
        ] {
            if *got != want {
                wrong += 1;
                if wrong <= 10 {
                    say!("{name} {text:?}\n  got  {got:?}\n  want {want:?}");
                }
            }
        }
        injected += user
            .iter()
            .filter(|&&t| {
                matches!(
                    tokenizer.kind(t),
                    Some(Kind::Control | Kind::Unknown | Kind::Unused)
                )
            })
            .count();
    }
    say!(
        "{}: {n} strings, {wrong} mismatches, {injected} control tokens from user text",
        path.display()
    );
    assert_eq!((wrong, injected), (0, 0), "{}", path.display());
    assert!(n >= 5000, "only {n} strings");
}

#[test]
fn ids_equal_the_published_gemma_4_vectors() {
    let shared =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/tiny-gemma4/ref");
    let (input, output) = (
        shared.join("ggml-vocab-gemma-4.gguf.inp"),
        shared.join("ggml-vocab-gemma-4.gguf.out"),
    );
    let file = |variable: &str, name: &str| {
        std::env::var_os(variable).map(|dir| PathBuf::from(dir).join(name))
    };
    let models = [
        file("RECKON_TEST_MODELS", "gemma-3-270m.gguf"),
        file("RECKON_TOKENIZER_CASES", "gemma4.gguf"),
    ];
    let models: Vec<PathBuf> = models
        .into_iter()
        .flatten()
        .filter(|path| path.exists())
        .collect();
    if models.is_empty() || !input.exists() {
        say!(
            "SKIPPED: needs ../shared, and RECKON_TEST_MODELS naming a directory with gemma-3-270m.gguf"
        );
        return;
    }
    let input = fs::read_to_string(input).expect("the inputs");
    let output = fs::read_to_string(output).expect("the outputs");
    for model in models {
        let tokenizer = open(&model);
        let mut n = 0;
        for (text, want) in input.split("\n__ggml_vocab_test__\n").zip(output.lines()) {
            let want: Vec<u32> = want
                .split_whitespace()
                .map(|id| id.parse().expect("an id"))
                .collect();
            assert_eq!(tokenizer.encode_text(text), want, "{text:?}");
            n += 1;
        }
        say!("{n} vectors equal");
        assert_eq!(n, 46);
    }
}

/// The tiny Gemma 4 of the shared files: its vocabulary is read, and its reference prompt gives its reference ids.
#[test]
fn ids_equal_the_tiny_gemma_4_prompt() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/tiny-gemma4");
    if !dir.exists() {
        say!("SKIPPED: needs ../shared");
        return;
    }
    let tokenizer = open(&dir.join("tiny-text-q8_0.gguf"));
    let text = fs::read_to_string(dir.join("ref/text.json")).expect("the reference");
    let reference: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let prompt = "<bos><|turn>user\nHello world, this is the tiny Gemma 4 test model in a land";
    assert_eq!(tokenizer.encode_template(prompt), ids(&reference["prompt"]));
    assert!(tokenizer.ends().len() == 3 && tokenizer.begin() == Some(2));
}
