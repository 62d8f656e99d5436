//! Mixture of experts: routing against plain loops in double precision, the same bits in any company, hostile files.
//!
//! `forward.rs` holds whole models against `transformers`; this holds the parts that no committed model has.

use crate::fixture::{Tiny, gguf};
use crate::whole::{fresh, model, prompt, request};
use reckon_engine::{Isa, Model, ModelOptions, Precision, Session, Token};
use reckon_gguf::{File, Format, Value, Writer};
use std::sync::Arc;

/// Gemma 4 like its 26B: experts beside a dense network, full layers without a value projection.
fn gemma(format: Format) -> Tiny {
    Tiny {
        experts: 6,
        n_layer: 3,
        ..Tiny::new("gemma4", format)
    }
}

/// Qwen 3 of one layer, so that a difference is that of one layer.
fn qwen() -> Tiny {
    Tiny {
        n_layer: 1,
        ..Tiny::new("qwen3moe", Format::F32)
    }
}

/// The file of `tiny`, with other values for some keys and other data for some tensors.
fn changed(
    tiny: &Tiny,
    keys: &[(&str, Value<'_>)],
    data: impl Fn(&str, &mut Vec<u8>),
    dims: impl Fn(&str, &mut Vec<usize>),
) -> Vec<u8> {
    let file = File::parse(gguf(tiny)).unwrap();
    let mut writer = Writer::new();
    for (key, value) in file.metadata().iter() {
        if keys.iter().all(|(name, _)| *name != key) {
            writer.value(key, value);
        }
    }
    for (key, value) in keys {
        writer.value(key, *value);
    }
    let mut parts = Vec::new();
    for tensor in file.tensors() {
        let mut own = file.tensor(&tensor.name).unwrap().data.to_vec();
        data(&tensor.name, &mut own);
        let mut shape = tensor.dims.clone();
        dims(&tensor.name, &mut shape);
        writer.tensor(&tensor.name, tensor.format, &shape).unwrap();
        parts.push(own);
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    writer.to_vec(&parts).unwrap()
}

fn load(bytes: Vec<u8>, options: &ModelOptions) -> reckon_engine::Result<Model> {
    Model::from_file(File::parse(bytes)?, options, &mut |_| ())
}

fn logits(model: &Arc<Model>, tokens: &[Token]) -> Vec<f32> {
    let mut out = Vec::new();
    Session::new(model.clone())
        .logits(tokens, 0, |_, row| out.extend_from_slice(row))
        .unwrap();
    out
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn a_token_has_the_same_bits_in_any_batch_on_any_isa() {
    for tiny in [
        gemma(Format::Q4_0),
        gemma(Format::F32),
        Tiny::new("gpt-oss", Format::F32),
        Tiny::new("qwen3moe", Format::Q4_0),
    ] {
        let options = |isa, threads, batch, full_prefill| ModelOptions {
            isa: Some(isa),
            cpus: vec![0; threads],
            batch: Some(batch),
            full_prefill,
            ..ModelOptions::default()
        };
        // One token at a time: nobody else is in the batch.
        let alone = model(&tiny, &options(Isa::detect(), 1, 1, false));
        let tokens = prompt(&alone, 90);
        let want = bits(&logits(&alone, &tokens));
        let request = request(tokens.clone(), 8);
        let answer = fresh(&alone, &request);
        for isa in Isa::available() {
            // 90 tokens of two experts each: some experts get more rows than a wave has, some waves have several.
            for (threads, batch) in [(2, 90), (1, 7)] {
                let model = model(&tiny, &options(isa, threads, batch, threads == 1));
                let got = bits(&logits(&model, &tokens));
                assert!(
                    got == want,
                    "{} {isa}, batches of {batch}",
                    tiny.architecture
                );
                assert_eq!(fresh(&model, &request), answer, "{isa}");
            }
        }
    }
}

/// A file's tensor in double precision.
fn doubles(file: &File, name: &str) -> Vec<f64> {
    let data = file.tensor(name).unwrap().data;
    let floats = data.as_chunks::<4>().0.iter();
    floats.map(|b| f64::from(f32::from_le_bytes(*b))).collect()
}

/// matrix · x, for a matrix of rows as long as x.
fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks_exact(x.len());
    rows.map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum())
        .collect()
}

fn rms_norm(x: &[f64], weight: &[f64]) -> Vec<f64> {
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let scale = 1.0 / (mean + 1e-6).sqrt();
    x.iter().zip(weight).map(|(x, w)| x * scale * w).collect()
}

/// The logits of a single token of a Qwen 3 of one layer, by plain loops. A single token attends to itself alone, so
/// attention is its value.
fn plain(file: &File, token: Token, is_normalized: bool, factor: f64) -> Vec<f64> {
    let tensor = |name: &str| doubles(file, name);
    let layer = |name: &str| doubles(file, &format!("blk.0.{name}.weight"));
    let embedding = tensor("token_embd.weight");
    let norm = layer("attn_norm");
    let width = norm.len();
    let mut x = embedding[token as usize * width..][..width].to_vec();
    let value = times(&layer("attn_v"), &rms_norm(&x, &norm));
    // Two query heads share each of the two value heads.
    let heads: Vec<f64> = value
        .chunks_exact(64)
        .flat_map(|v| [v, v].concat())
        .collect();
    let attended = times(&layer("attn_output"), &heads);
    x.iter_mut().zip(attended).for_each(|(x, a)| *x += a);

    let input = rms_norm(&x, &layer("ffn_norm"));
    let scores = times(&layer("ffn_gate_inp"), &input);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let chosen = &order[..2];
    let total: f64 = match is_normalized {
        true => chosen.iter().map(|&e| scores[e].exp()).sum(),
        false => scores.iter().map(|s| s.exp()).sum(),
    };
    let (gates, ups, downs) = (
        layer("ffn_gate_exps"),
        layer("ffn_up_exps"),
        layer("ffn_down_exps"),
    );
    let size = gates.len() / scores.len();
    for &expert in chosen {
        let own = |all: &[f64]| all[expert * size..][..size].to_vec();
        let gate = times(&own(&gates), &input);
        let up = times(&own(&ups), &input);
        let hidden: Vec<f64> = gate
            .iter()
            .zip(up)
            .map(|(g, u)| g / (1.0 + (-g).exp()) * u)
            .collect();
        let weight = scores[expert].exp() / total * factor;
        let out = times(&own(&downs), &hidden);
        x.iter_mut().zip(out).for_each(|(x, o)| *x += weight * o);
    }
    times(&embedding, &rms_norm(&x, &tensor("output_norm.weight")))
}

#[test]
fn experts_are_chosen_and_weighed_as_plain_loops_say() {
    for (is_normalized, factor) in [(true, None), (false, None), (true, Some(2.5))] {
        let mut keys = vec![("qwen3moe.expert_weights_norm", Value::Bool(is_normalized))];
        if let Some(factor) = factor {
            keys.push(("qwen3moe.expert_weights_scale", Value::F32(factor)));
        }
        let bytes = changed(&qwen(), &keys, |_, _| (), |_, _| ());
        let file = File::parse(bytes.clone()).unwrap();
        for isa in Isa::available() {
            let options = ModelOptions {
                isa: Some(isa),
                kv: Some(Precision::Full),
                ..ModelOptions::default()
            };
            let model = Arc::new(load(bytes.clone(), &options).unwrap());
            for token in [5, 77, 200] {
                let want = plain(
                    &file,
                    token,
                    is_normalized,
                    f64::from(factor.unwrap_or(1.0)),
                );
                let got = logits(&model, &[token]);
                for (got, want) in got.iter().zip(&want) {
                    assert!(
                        (f64::from(*got) - want).abs() < 1e-4,
                        "{isa}: {got} is not {want}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_token_reads_the_experts_that_it_goes_through() {
    let tiny = |experts| Tiny {
        experts,
        ..Tiny::new("qwen3moe", Format::Q8_0)
    };
    let bytes = |experts| model(&tiny(experts), &ModelOptions::default()).bytes_per_token();
    // More experts to choose from cost the rows of the router alone: a group of 16 rows holds both numbers of them.
    assert_eq!(bytes(6), bytes(12));
}

#[test]
fn llama_may_have_experts_too() {
    let tiny = Tiny {
        experts: 4,
        n_layer: 2,
        ..Tiny::new("llama", Format::Q8_0)
    };
    let model = model(&tiny, &ModelOptions::default());
    assert_eq!(fresh(&model, &request(prompt(&model, 20), 4)).len(), 4);
}

#[track_caller]
fn refused(bytes: Vec<u8>, parts: &[&str]) {
    let error = load(bytes, &ModelOptions::default())
        .unwrap_err()
        .to_string();
    assert!(!error.contains('\n'), "one line: {error}");
    for part in parts {
        assert!(error.contains(part), "'{part}' is not in: {error}");
    }
}

#[test]
fn absurd_numbers_of_experts_are_refused() {
    for (key, value) in [
        ("expert_count", 0),
        ("expert_count", 5),
        ("expert_count", 7),
        ("expert_count", u32::MAX),
        ("expert_used_count", 0),
        ("expert_used_count", 7),
        ("expert_used_count", u32::MAX),
        ("expert_feed_forward_length", 48),
        ("expert_feed_forward_length", 63),
        ("expert_feed_forward_length", u32::MAX),
        ("expert_gating_func", 2),
        ("expert_group_count", 4),
    ] {
        let name = format!("qwen3moe.{key}");
        let keys = [(name.as_str(), Value::U32(value))];
        let bytes = changed(&qwen(), &keys, |_, _| (), |_, _| ());
        let named = match (key, value) {
            ("expert_count", 5 | 7) => "ffn_gate_inp",
            ("expert_feed_forward_length", 48) => "ffn_gate_exps",
            _ => key,
        };
        refused(bytes, &[named]);
    }
    let keys = [("qwen3moe.expert_weights_scale", Value::F32(f32::NAN))];
    let bytes = changed(&qwen(), &keys, |_, _| (), |_, _| ());
    refused(bytes, &["expert_weights_scale"]);
}

#[test]
fn experts_of_another_shape_are_refused() {
    // As many weights, in other shapes.
    for shape in [
        vec![256, 64 * 6],
        vec![256, 6, 64],
        vec![64, 256, 6],
        vec![256, 32, 12],
        vec![256, 64, 3, 2],
    ] {
        let dims = |name: &str, dims: &mut Vec<usize>| {
            if name == "blk.0.ffn_up_exps.weight" {
                *dims = shape.clone();
            }
        };
        let bytes = changed(&qwen(), &[], |_, _| (), dims);
        refused(
            bytes,
            &["blk.0.ffn_up_exps.weight", "6 experts of 64 × 256"],
        );
    }
    // A layer of Gemma 4 that slides has values of its own, and so has every layer of other families.
    for (tiny, missing) in [
        (gemma(Format::Q8_0), "blk.0.attn_v.weight"),
        (qwen(), "blk.0.attn_v.weight"),
    ] {
        let file = File::parse(gguf(&tiny)).unwrap();
        let mut writer = Writer::new();
        for (key, value) in file.metadata().iter() {
            writer.value(key, value);
        }
        let kept: Vec<_> = file.tensors().filter(|t| t.name != missing).collect();
        for t in &kept {
            writer.tensor(&t.name, t.format, &t.dims).unwrap();
        }
        let data: Vec<&[u8]> = kept
            .iter()
            .map(|t| file.tensor(&t.name).unwrap().data)
            .collect();
        refused(writer.to_vec(&data).unwrap(), &[missing]);
    }
}

#[test]
fn what_is_no_number_is_neither_a_panic_nor_an_expert_that_is_not_there() {
    let tokens: Vec<Token> = vec![3, 50, 90, 7];
    for poison in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for whole in [true, false] {
            let poisoned = |name: &str, data: &mut Vec<u8>| {
                if name == "blk.0.ffn_gate_inp.weight" {
                    let rows = data.len() / 6;
                    let end = if whole { data.len() } else { rows };
                    for b in data[..end].as_chunks_mut::<4>().0 {
                        *b = poison.to_le_bytes();
                    }
                }
            };
            let bytes = changed(&qwen(), &[], poisoned, |_, _| ());
            let model = Arc::new(load(bytes, &ModelOptions::default()).unwrap());
            assert_eq!(
                logits(&model, &tokens).len(),
                tokens.len() * model.n_vocab()
            );
            let request = request(tokens.clone(), 3);
            assert!(fresh(&model, &request).len() <= 3);
        }
    }
    // A sink that is no number would make every result one.
    let tiny = Tiny::new("gpt-oss", Format::Q8_0);
    let poisoned = |name: &str, data: &mut Vec<u8>| {
        if name == "blk.1.attn_sinks.weight" {
            data[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        }
    };
    let bytes = changed(&tiny, &[], poisoned, |_, _| ());
    refused(bytes, &["blk.1.attn_sinks.weight"]);
}
