//! `tokenize` and `debug` on tiny models: the shape of what they print and write.
use crate::{
    fixture::{Tiny, gguf},
    place::{Ended, Place},
};
use reckon::gguf::Format;
use serde_json::Value;
use std::fs;

const ARCHITECTURES: [&str; 3] = ["llama", "gemma4", "qwen3"];

fn place(architecture: &'static str) -> Place {
    let place = Place::new();
    place.write("m.gguf", &gguf(&Tiny::new(architecture, Format::Q8_0)));
    place
}

#[track_caller]
fn json(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn a_text_is_its_pieces() {
    for architecture in ARCHITECTURES {
        let text = "the ant, an île\n <|im_end|><turn|> 日本";
        let place = place(architecture);
        let report = json(&place.reckon(&["tokenize", "--model", "m.gguf", "--json", text]));
        let ids = report["ids"].as_array().unwrap();
        let pieces = report["pieces"].as_array().unwrap();
        assert_eq!(ids.len(), pieces.len());
        // Control tokens are the first of the vocabulary; a person's text holds none.
        assert!(
            ids.iter()
                .all(|id| id.as_u64().unwrap() > 7 || architecture != "gemma4")
        );
        assert!(ids.iter().all(|id| id.as_u64().unwrap() > 2));
        assert_eq!(pieces[0], "the", "{architecture}");
        let bytes: Vec<u8> = pieces
            .iter()
            .flat_map(|piece| spelled(piece.as_str().unwrap()))
            .collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), text, "{architecture}");
    }
}

/// The bytes of a piece as `tokenize` writes it: text, or `<0xE2>` for a part of a character.
fn spelled(piece: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = piece;
    while let Some(at) = rest.find("<0x") {
        bytes.extend(rest[..at].bytes());
        bytes.push(u8::from_str_radix(&rest[at + 3..at + 5], 16).unwrap());
        rest = &rest[at + 6..];
    }
    bytes.extend(rest.bytes());
    bytes
}

/// Rows and columns by the head of a NumPy file, and its numbers.
fn npy(place: &Place, name: &str) -> ((usize, usize), Vec<u8>) {
    let bytes = fs::read(place.root.path().join(name)).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let head = std::str::from_utf8(&bytes[10..data]).unwrap();
    assert!(head.contains("'descr': '<f4'"), "{head}");
    let shape = head.split(['(', ')']).nth(1).unwrap();
    let (rows, cols) = shape.split_once(", ").unwrap();
    let shape = (rows.parse().unwrap(), cols.parse().unwrap());
    assert_eq!(bytes.len() - data, shape.0 * shape.1 * 4);
    (shape, bytes[data..].to_vec())
}

#[test]
fn the_last_row_of_logits_is_what_last_gives() {
    for architecture in ARCHITECTURES {
        let place = place(architecture);
        // Longer than one batch and than the window of a sliding layer.
        let tokens: Vec<_> = (0..70).map(|i| (i * 7 % 200 + 8).to_string()).collect();
        let tokens = tokens.join(",");
        let logits = [
            "debug", "logits", "--model", "m.gguf", "--tokens", &tokens, "--out",
        ];
        for more in [&["all.npy"][..], &["last.npy", "--last"]] {
            let ended = place.reckon(&[&logits[..], more].concat());
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
        }
        let ((rows, cols), all) = npy(&place, "all.npy");
        assert_eq!(rows, 70);
        let (shape, last) = npy(&place, "last.npy");
        assert_eq!(shape, (1, cols));
        assert_eq!(all[69 * cols * 4..], last, "{architecture}: bit by bit");
        let finite = |x: &[u8]| f32::from_le_bytes(x.try_into().unwrap()).is_finite();
        assert!(all.chunks_exact(4).all(finite), "{architecture}");
        assert_ne!(all[..cols * 4], last, "rows differ");
    }
}

#[test]
fn perplexity_counts_what_it_scored() {
    for architecture in ARCHITECTURES {
        let place = place(architecture);
        place.write("text.txt", "the ant and the fox. ".repeat(20).as_bytes());
        let score = [
            "debug",
            "perplexity",
            "--model",
            "m.gguf",
            "--ctx",
            "32",
            "text.txt",
        ];
        let report = json(&place.reckon(&[&score[..], &["--json"]].concat()));
        let names: Vec<&String> = report.as_object().unwrap().keys().collect();
        assert_eq!(
            names,
            ["perplexity", "nll", "tokens", "scored", "chunks", "ctx"]
        );
        let chunks = report["chunks"].as_u64().unwrap();
        assert!(chunks > 1);
        assert_eq!(chunks, report["tokens"].as_u64().unwrap() / 32);
        assert_eq!(report["scored"], chunks * 15);
        let (nll, perplexity) = (
            report["nll"].as_f64().unwrap(),
            report["perplexity"].as_f64().unwrap(),
        );
        assert!(nll > 0.0 && (nll.exp() / perplexity - 1.0).abs() < 1e-9);
        let line = place.reckon(&score).out;
        assert!(
            line.starts_with(&format!("perplexity {perplexity:.4}")),
            "{line}"
        );
    }
}
