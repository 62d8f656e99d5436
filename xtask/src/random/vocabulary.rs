//! A made-up vocabulary for `random-model`: as many tokens and merges as Gemma 4 has, of about the same lengths.
//!
//! Reading it must cost what reading a real one costs. So ordinary pieces grow as they do in training: each is put
//! together from two earlier ones of its script, and the merges of a piece are all its cuts into two pieces, as
//! files list them. Control tokens, runs of whitespace and bytes stand at Gemma 4's ids. The same every time.

use super::Random;
use reckon_gguf::Writer;
use std::collections::HashSet;

const CONTROL: i32 = 3;
const USER: i32 = 4;
const BYTE: i32 = 6;
const NORMAL: i32 = 1;

/// Where the bytes begin, the pieces that are merged, the single characters and the tokens behind them.
const BYTES: usize = 238;
const MERGED: usize = BYTES + 256;
const SINGLE: usize = 236_800;
const BEHIND: usize = 255_999;

/// Most bytes of a merged piece.
const LONGEST: usize = 24;

/// Tokens that the chat format and the end of an answer need, at their ids.
const MARKERS: [(usize, &str, i32); 20] = [
    (0, "<pad>", CONTROL),
    (1, "<eos>", CONTROL),
    (2, "<bos>", CONTROL),
    (3, "<unk>", 2),
    (4, "<mask>", CONTROL),
    (46, "<|tool>", CONTROL),
    (47, "<tool|>", CONTROL),
    (48, "<|tool_call>", USER),
    (49, "<tool_call|>", USER),
    (50, "<|tool_response>", USER),
    (51, "<tool_response|>", USER),
    (52, "<|\"|>", USER),
    (98, "<|think|>", CONTROL),
    (100, "<|channel>", USER),
    (101, "<channel|>", USER),
    (105, "<|turn>", CONTROL),
    (106, "<turn|>", CONTROL),
    (255_999, "<|image>", CONTROL),
    (256_000, "<|audio>", CONTROL),
    (258_882, "<image|>", CONTROL),
];

/// First and last letter of a script, and how many of a hundred pieces are written in it.
const SCRIPTS: [(char, char, usize); 8] = [
    ('a', 'z', 56),
    ('A', 'Z', 6),
    ('à', 'ö', 8),
    ('а', 'я', 10),
    ('ا', 'ي', 5),
    ('अ', 'ह', 6),
    ('ก', 'ฮ', 3),
    ('一', '俿', 6),
];

/// Writes `tokenizer.ggml.*`.
pub(super) fn write(writer: &mut Writer, size: usize) {
    let mut tokens: Vec<String> = (0..size).map(|i| format!("<unused{i}>")).collect();
    let mut kinds = vec![CONTROL; size];
    let mut put = |i: usize, text: String, kind| (tokens[i], kinds[i]) = (text, kind);
    for (i, text, kind) in MARKERS {
        put(i, text.into(), kind);
    }
    for n in 1..=30 {
        put(106 + n, "\n".repeat(n), USER);
        put(136 + n, "▁".repeat(n + 1), USER);
    }
    for (i, b) in (BYTES..).zip(0..=255) {
        put(i, format!("<0x{b:02X}>"), BYTE);
    }
    let mut random = Random(2);
    let singles: Vec<char> = singles(BEHIND - SINGLE);
    let merged = pieces(SINGLE - MERGED, &mut random);
    let merges = merges(&merged, &singles);
    let singles = singles.into_iter().map(String::from);
    for (i, text) in (MERGED..).zip(merged.into_iter().chain(singles)) {
        put(i, text, NORMAL);
    }
    writer
        .str("tokenizer.ggml.model", "gemma4")
        .strings("tokenizer.ggml.tokens", &tokens)
        .strings("tokenizer.ggml.merges", &merges)
        .i32s("tokenizer.ggml.token_type", &kinds)
        .f32s("tokenizer.ggml.scores", &vec![0.0; size]);
    for (name, id) in [("bos", 2), ("eos", 1), ("unknown", 3), ("padding", 0)] {
        writer.u32(&format!("tokenizer.ggml.{name}_token_id"), id);
    }
    writer
        .bool("tokenizer.ggml.add_bos_token", true)
        .bool("tokenizer.ggml.add_space_prefix", false);
}

/// Every character that is a token by itself: the mark for a space, the scripts, then many others.
fn singles(count: usize) -> Vec<char> {
    let scripts = SCRIPTS.iter().flat_map(|&(first, last, _)| first..=last);
    let others = ('!'..='~').chain('¡'..='\u{2fff}').chain('一'..='\u{9fff}');
    let mut seen = HashSet::new();
    std::iter::once('▁')
        .chain(scripts)
        .chain(others)
        .filter(|c| c.is_alphanumeric() || c.is_ascii() || *c == '▁')
        .filter(|c| seen.insert(*c))
        .take(count)
        .collect()
}

/// `count` pieces of several characters, each of them two earlier ones, or an earlier one that begins a word.
fn pieces(count: usize, random: &mut Random) -> Vec<String> {
    let mut of_script: Vec<Vec<String>> = SCRIPTS
        .iter()
        .map(|&(first, last, _)| (first..=last).map(String::from).collect())
        .collect();
    let (mut seen, mut all) = (HashSet::new(), Vec::with_capacity(count));
    while all.len() < count {
        let mut dice = random.below(100);
        let script = SCRIPTS.iter().position(|&(_, _, share)| {
            let hit = dice < share;
            dice = dice.saturating_sub(share);
            hit
        });
        let known = &mut of_script[script.unwrap_or(0)];
        // Twelve and sixteen give as many merges as the real vocabulary has.
        let left = known[random.early(known.len(), 12)].clone();
        let right = &known[random.early(known.len(), 16)];
        let text = match random.below(4) {
            0 => format!("▁{left}"),
            _ => left + right.trim_start_matches('▁'),
        };
        if text.len() <= LONGEST && !text.contains("▁▁") && seen.insert(text.clone()) {
            known.push(text.clone());
            all.push(text);
        }
    }
    all
}

/// All cuts of all pieces into two, in the order of the pieces.
fn merges(merged: &[String], singles: &[char]) -> Vec<String> {
    let known: HashSet<&str> = merged.iter().map(String::as_str).collect();
    let letters: HashSet<char> = singles.iter().copied().collect();
    let is_token = |text: &str| {
        let mut chars = text.chars();
        let alone = chars.next().filter(|_| chars.next().is_none());
        alone.map_or_else(|| known.contains(text), |c| letters.contains(&c))
    };
    let mut merges = Vec::new();
    for text in merged {
        for (cut, _) in text.char_indices().skip(1) {
            let (left, right) = text.split_at(cut);
            if is_token(left) && is_token(right) {
                merges.push(format!("{left} {right}"));
            }
        }
    }
    merges
}
