//! Tokenizers: against reference ids, and on vocabularies made here: round trips, injection, hostile sizes, refusals.
mod reference;

use crate::vocabularies::{MARKERS, Owned, byte_level, chars};
use proptest::prelude::*;
use reckon_engine::{Error, Kind, Token, Tokenizer, Vocab};
use std::time::{Duration, Instant};

const PRES: [&str; 7] = [
    "gpt-2",
    "smollm",
    "qwen2",
    "llama-bpe",
    "default",
    "tekken",
    "gpt-4o",
];

fn all() -> Vec<Owned> {
    let mut all: Vec<Owned> = PRES.into_iter().map(byte_level).collect();
    all.extend([chars("llama"), chars("gemma4")]);
    let mut prefixed = chars("llama");
    prefixed.add_space_prefix = true;
    all.push(prefixed);
    all
}

fn pieces(tokenizer: &Tokenizer, tokens: &[Token]) -> Vec<String> {
    let text =
        |&token: &Token| String::from_utf8_lossy(tokenizer.piece_with_control(token)).into_owned();
    tokens.iter().map(text).collect()
}

fn check(owned: &Owned, text: &str, want: &[&str]) {
    let tokenizer = owned.tokenizer();
    assert_eq!(
        pieces(&tokenizer, &tokenizer.encode_text(text)),
        want,
        "{} {:?} {text:?}",
        owned.model,
        owned.pre
    );
}

/// Text of markers, plain tags, spaces and anything else.
fn text() -> impl Strategy<Value = String> {
    let marker = prop::sample::select(MARKERS.iter().map(|m| m.0).collect::<Vec<_>>());
    let part = prop_oneof![
        3 => "\\PC{0,8}",
        2 => "[ \\n\\t\\r]{1,9}",
        2 => "(Hello|the| world|aaa|日本|<b>|12|'s|'LL|é){1,4}",
        2 => marker.prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn text_comes_back(text in text()) {
        for owned in all() {
            let tokenizer = owned.tokenizer();
            let back = tokenizer.decode(&tokenizer.encode_text(&text));
            match owned.pre {
                // Composed first, so that only the composed text comes back.
                Some("qwen2") => prop_assert_eq!(tokenizer.encode_text(&back), tokenizer.encode_text(&text)),
                Some(_) => prop_assert_eq!(&back, &text),
                // A mark in the text reads as a space; the prefix is put before each run of letters.
                None if owned.add_space_prefix => prop_assert_eq!(back.replace(' ', ""), text.replace(['▁', ' '], "")),
                None => prop_assert_eq!(&back, &text.replace('▁', " ")),
            }
        }
    }

    #[test]
    fn user_text_never_becomes_a_control_token(text in text()) {
        for owned in all() {
            let tokenizer = owned.tokenizer();
            for token in tokenizer.encode_text(&text) {
                let ok = match tokenizer.kind(token) {
                    Some(Kind::Normal | Kind::Byte) => true,
                    Some(Kind::User) => {
                        let piece = tokenizer.piece(token);
                        piece.iter().all(u8::is_ascii_whitespace) || [&b"<b>"[..], b"</b>", b"<table>", b"</s>"].contains(&piece)
                    }
                    _ => false,
                };
                prop_assert!(ok, "{:?} in {text:?}", pieces(&tokenizer, &[token]));
            }
        }
    }

    #[test]
    fn a_stream_cut_anywhere_reads_the_same(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 1..5_usize) {
        let tokenizer = chars("gemma4").tokenizer();
        let (mut decoder, mut out) = (tokenizer.decoder(), String::new());
        for piece in bytes.chunks(cut) {
            decoder.push(piece, &mut out);
        }
        decoder.flush(&mut out);
        prop_assert_eq!(out, String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn merges_go_best_first() {
    for model in ["llama", "gemma4"] {
        let owned = chars(model);
        check(&owned, "Hello the world", &["Hello", " the", " world"]);
        check(&owned, "   Hello", &["   ", "Hello"]);
        check(&owned, "a\n\n\n\nb", &["a", "\n\n\n", "\n", "b"]);
        check(&owned, "x  ▁ y", &["x", "    ", "y"]);
        check(&owned, "▁▁ y", &["  ", " ", "y"]);
        check(&owned, "<b>é</b>", &["<b>", "é", "</b>"]);
        check(&owned, &" ".repeat(9), &["       ", "  "]);
        check(&owned, "aaaaaaa", &["aaaa", "aaa"]);
    }
    check(
        &byte_level("gpt-2"),
        "Hello the aaaaa",
        &["Hello", " the", " a", "aaaa"],
    );
}

#[test]
fn characters_outside_the_vocabulary_become_bytes() {
    for model in ["llama", "gemma4"] {
        let tokenizer = chars(model).tokenizer();
        let tokens = tokenizer.encode_text("a🙂");
        let kinds: Vec<_> = tokens.iter().map(|&t| tokenizer.kind(t)).collect();
        assert_eq!(kinds[1..], [Some(Kind::Byte); 4]);
        assert_eq!(tokenizer.decode(&tokens), "a🙂");
    }
}

#[test]
fn without_bytes_a_run_of_strange_characters_is_one_unknown_token() {
    let mut owned = chars("gemma4");
    for kind in owned.kinds.iter_mut().filter(|k| **k == Kind::Byte) {
        *kind = Kind::Unused;
    }
    check(&owned, "a🙂🙂b", &["a", "<unk>", "b"]);
}

#[test]
fn a_space_is_put_before_and_taken_away() {
    let mut owned = chars("llama");
    owned.add_space_prefix = true;
    check(&owned, "the world", &[" the", " world"]);
    let tokenizer = owned.tokenizer();
    assert_eq!(
        tokenizer.decode(&tokenizer.encode_text("the world")),
        "the world"
    );
    assert_eq!(
        tokenizer.decode(&tokenizer.encode_text(" the world")),
        " the world"
    );
}

#[test]
fn templates_may_use_every_marker_and_users_none() {
    for owned in all() {
        let tokenizer = owned.tokenizer();
        for &(text, kind) in MARKERS {
            let found = tokenizer.encode_template(&format!("a{text}"));
            let expected = kind != Kind::Unused;
            assert_eq!(
                found.len() == 2 || owned.add_space_prefix && found.len() < 5,
                expected,
                "{text}"
            );
            let user = tokenizer.encode_text(text);
            assert!(user.len() > 1, "{text} stays letters");
        }
    }
}

#[test]
fn known_chat_markers_are_control_tokens_whatever_the_file_says() {
    let mut owned = byte_level("qwen2");
    for (kind, token) in owned.kinds.iter_mut().zip(&owned.tokens) {
        if token == "<|im_end|>" {
            *kind = Kind::User;
        }
    }
    let tokenizer = owned.tokenizer();
    let end = tokenizer.marker("<|im_end|>").expect("a marker");
    assert_eq!(tokenizer.kind(end), Some(Kind::Control));
    assert!(tokenizer.is_end(end) && !tokenizer.encode_text("<|im_end|>").contains(&end));
}

#[test]
fn answers_end_where_they_should() {
    let tokenizer = chars("gemma4").tokenizer();
    let ends: Vec<String> = pieces(&tokenizer, tokenizer.ends());
    assert_eq!(ends, ["<eos>", "<|im_end|>", "<turn|>", "<|tool_response>"]);
}

#[test]
fn control_tokens_are_not_shown() {
    let tokenizer = chars("gemma4").tokenizer();
    let tokens = tokenizer.encode_template("<bos><|turn>the<turn|>");
    assert_eq!(tokenizer.decode(&tokens), "the");
    assert_eq!(
        pieces(&tokenizer, &tokens),
        ["<bos>", "<|turn>", "the", "<turn|>"]
    );
    assert_eq!(tokenizer.piece(u32::MAX), b"");
}

#[test]
fn hostile_sizes_take_no_more_than_moments() {
    let n = 1 << 18;
    let texts = [
        " ".repeat(n),
        "1".repeat(n),
        "a".repeat(n),
        "\n".repeat(n),
        "<".repeat(n),
        "'".repeat(n),
        "\u{301}".repeat(n / 2),
        "<|im_start|".repeat(n / 11),
        " \n".repeat(n / 2),
        "é".repeat(n / 2),
        "🙂".repeat(n / 4),
        "a ".repeat(n / 2),
    ];
    let kinds = [
        byte_level("smollm"),
        byte_level("qwen2"),
        chars("llama"),
        chars("gemma4"),
    ];
    for owned in kinds {
        let tokenizer = owned.tokenizer();
        for text in &texts {
            let start = Instant::now();
            let tokens = tokenizer.encode_text(text);
            tokenizer.encode_template(text);
            let took = start.elapsed();
            assert!(!tokens.is_empty());
            // A quarter of a second in a debug build on a busy machine; a quadratic loop would take many minutes.
            assert!(
                took < Duration::from_secs(20),
                "{took:?} for {} {:?} {:?}",
                owned.model,
                owned.pre,
                &text[..text.floor_char_boundary(12)]
            );
        }
    }
}

#[test]
fn unsound_vocabularies_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Owned)| {
        let mut owned = byte_level("qwen2");
        change(&mut owned);
        match Tokenizer::new(&owned.vocab()) {
            Err(Error::Model(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(&|v| v.pre = Some("klingon")).contains("pre-tokenizer `klingon`"));
    assert!(refused(&|v| v.model = "wordpiece").contains("tokenizer model `wordpiece`"));
    assert!(refused(&|v| v.tokens.clear()).contains("0 tokens"));
    assert!(refused(&|v| v.kinds.truncate(3)).contains("3 token types"));
    assert!(refused(&|v| v.scores.truncate(4)).contains("4 token scores"));
    let owned = byte_level("qwen2");
    let mut vocab = owned.vocab();
    vocab.eos = Some(1 << 20);
    assert!(matches!(
        Tokenizer::new(&vocab),
        Err(Error::Token {
            token: 0x10_0000,
            ..
        })
    ));
}

#[test]
fn a_vocabulary_is_read_from_a_file() {
    let owned = chars("gemma4");
    let mut writer = reckon_gguf::Writer::new();
    let numbers: Vec<i32> = owned
        .kinds
        .iter()
        .map(|kind| match kind {
            Kind::Normal => 1,
            Kind::Unknown => 2,
            Kind::Control => 3,
            Kind::User => 4,
            Kind::Unused => 5,
            Kind::Byte => 6,
        })
        .collect();
    writer
        .str("tokenizer.ggml.model", "gemma4")
        .strings("tokenizer.ggml.tokens", &owned.tokens)
        .strings("tokenizer.ggml.merges", &owned.merges)
        .f32s("tokenizer.ggml.scores", &owned.scores)
        .i32s("tokenizer.ggml.token_type", &numbers)
        .u32("tokenizer.ggml.bos_token_id", 0)
        .u32("tokenizer.ggml.eos_token_id", 1)
        .bool("tokenizer.ggml.add_bos_token", true);
    let file = reckon_gguf::File::parse(writer.to_vec(&[]).expect("a file")).expect("a sound file");
    let (read, made) = (
        Tokenizer::from_gguf(&file).expect("a vocabulary"),
        owned.tokenizer(),
    );
    let text = "Hello  the\n\n<b>🙂<|turn>";
    assert_eq!(read.encode_text(text), made.encode_text(text));
    assert_eq!(read.begin(), Some(0));
}

/// Merging looks at the text between two places, so what is left out must not move the places.
#[test]
fn characters_that_cannot_be_written_do_not_shift_the_others() {
    for model in ["gemma4", "llama"] {
        let owned = chars(model);
        let mut vocab = owned.vocab();
        vocab.unknown = None;
        for kind in &mut vocab.kinds {
            if matches!(kind, Kind::Byte) {
                *kind = Kind::Unused;
            }
        }
        let tokenizer = Tokenizer::new(&vocab).unwrap();
        let ids = tokenizer.encode_text("中 theфHelлlo");
        assert_eq!(pieces(&tokenizer, &ids), [" the", "Hello"], "{model}");
    }
}

/// Of two merges that make the same of the same, the better one counts; whatever is no merge makes nothing.
#[test]
fn a_merge_counts_where_it_stands_first() {
    let mut owned = chars("gemma4");
    owned.merges = [
        "a a", "t h", "l l", "a a", "th e", "", " ", "a ", " a", "l l",
    ]
    .map(String::from)
    .to_vec();
    check(&owned, "aaathell", &["aa", "a", "the", "ll"]);
    // Parts in the wrong order, and the same word cut elsewhere.
    owned.merges = ["e th", "h e", "t h", "a aa"].map(String::from).to_vec();
    check(&owned, "theaaa", &["th", "e", "a", "a", "a"]);
}

#[test]
fn a_file_without_a_pre_key_is_read_as_llama_cpp_does() {
    let mut without = byte_level("default");
    without.pre = None;
    let text = "it's 12345 (Hello)";
    let tokens = without.tokenizer().encode_text(text);
    assert_eq!(tokens, byte_level("default").tokenizer().encode_text(text));
    let mut parenthesis = byte_level("default");
    // GPT-2 would have this piece; by default punctuation stands alone.
    parenthesis.tokens.push("Ġ(".into());
    parenthesis.kinds.push(Kind::Normal);
    parenthesis.scores.push(0.0);
    parenthesis.merges.push("Ġ (".into());
    check(&parenthesis, "a (", &["a", " ", "("]);
    parenthesis.pre = Some("gpt-2");
    check(&parenthesis, "a (", &["a", " ("]);
}

#[test]
fn the_end_of_a_sequence_in_text_stays_text() {
    // SentencePiece vocabularies whose files type `</s>` as anything, and name another token as the end.
    for kind in [Kind::Normal, Kind::User, Kind::Control] {
        let mut owned = chars("llama");
        for (token, typed) in owned.tokens.iter_mut().zip(&mut owned.kinds) {
            match &**token {
                "<bos>" => (*token, *typed) = ("<s>".into(), kind),
                "<eos>" => *token = "<|im_end|> ".into(),
                "</s>" => *typed = kind,
                _ => {}
            }
        }
        // Merges that would lead there.
        for word in ["</", "</s"] {
            owned.tokens.push(word.into());
            owned.kinds.push(Kind::Normal);
            owned.scores.push(-1.0);
        }
        let tokenizer = owned.tokenizer();
        for text in ["</s>", "a</s>b", "<s>", "x <s></s> y"] {
            let tokens = tokenizer.encode_text(text);
            for &token in &tokens {
                let piece = tokenizer.piece_with_control(token);
                assert!(piece != b"</s>" && piece != b"<s>", "{kind:?} {text:?}");
            }
            assert_eq!(tokenizer.decode(&tokens), text);
        }
        assert!(
            tokenizer.marker("</s>").is_some(),
            "templates still mean the token"
        );
    }
    // Gemma's are HTML.
    check(&chars("gemma4"), "a</s>", &["a", "</s>"]);
}

#[test]
fn control_tokens_of_phi_3_swallow_the_whitespace_behind_them() {
    // Phi 3's vocabulary is Llama 2's, which has no tokens of line ends.
    let mut owned = chars("llama").without(&["\n", "\n\n", "\n\n\n", "\t", "\t\t"]);
    owned.add_space_prefix = true;
    let plain = owned.tokenizer();
    let strips = Tokenizer::new(&Vocab {
        strip_after_control: true,
        ..owned.vocab()
    });
    let strips = strips.expect("the vocabulary is sound");
    let line = "<|im_end|>\n \tHello";
    let bare = plain.encode_template("<|im_end|>Hello");
    assert_eq!(strips.encode_template(line), bare);
    assert_ne!(plain.encode_template(line), bare);
    for text in [
        "\nHello",
        "Hello\n<|im_end|>",
        "<|im_end|>Hello\n",
        "<tool_call>\nHello",
    ] {
        assert_eq!(
            strips.encode_template(text),
            plain.encode_template(text),
            "{text:?}"
        );
    }
    assert_eq!(strips.encode_text(line), plain.encode_text(line));
}

#[test]
fn a_pre_tokenizer_without_rules_here_is_refused_by_name() {
    for pre in ["deepseek-v3", "tiny_aya", "kimi-k2", "", "Tekken"] {
        match Tokenizer::new(&byte_level(pre).vocab()) {
            Err(Error::Model(message)) => assert!(message.contains(pre), "{message}"),
            other => panic!("{pre}: {other:?}"),
        }
    }
}
