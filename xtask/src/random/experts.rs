//! A Gemma 4 26B-A4B with fewer layers: names, shapes and formats of the real one in Q4_0, tables in Q6_K.
//!
//! Twelve of its thirty layers, so that two programs can measure it on a machine with 16 GB; what a layer reads does not
//! depend on how many there are.

use super::{Part, VOCABULARY, vocabulary};
use reckon_gguf::{Format, Writer};

const LAYERS: usize = 12;
const WIDTH: usize = 2816;
const HEADS: usize = 16;
const FULL: usize = 512;
const FULL_KV_HEADS: usize = 2;
const SLIDING: usize = 256;
const SLIDING_KV_HEADS: usize = 8;
const FFN: usize = 2112;
const EXPERTS: usize = 128;
const USED: usize = 8;
const EXPERT_FFN: usize = 704;

fn is_sliding(layer: usize) -> bool {
    layer % 6 != 5
}

fn kv_heads(layer: usize) -> usize {
    match is_sliding(layer) {
        true => SLIDING_KV_HEADS,
        false => FULL_KV_HEADS,
    }
}

pub(super) fn metadata(writer: &mut Writer) {
    let number = |n: usize| u32::try_from(n).expect("a small number");
    let kv: Vec<u32> = (0..LAYERS).map(|i| number(kv_heads(i))).collect();
    let sliding: Vec<bool> = (0..LAYERS).map(is_sliding).collect();
    writer
        .str("general.architecture", "gemma4")
        .str("general.name", "Gemma 4 26B-A4B random, 12 layers");
    for (key, value) in [
        ("block_count", LAYERS),
        ("context_length", 262_144),
        ("embedding_length", WIDTH),
        ("embedding_length_per_layer_input", 0),
        ("feed_forward_length", FFN),
        ("attention.head_count", HEADS),
        ("attention.key_length", FULL),
        ("attention.value_length", FULL),
        ("attention.key_length_swa", SLIDING),
        ("attention.value_length_swa", SLIDING),
        ("attention.sliding_window", 1024),
        ("attention.shared_kv_layers", 0),
        ("rope.dimension_count", FULL),
        ("rope.dimension_count_swa", SLIDING),
        ("expert_count", EXPERTS),
        ("expert_used_count", USED),
        ("expert_feed_forward_length", EXPERT_FFN),
    ] {
        writer.u32(&format!("gemma4.{key}"), number(value));
    }
    writer
        .u32s("gemma4.attention.head_count_kv", &kv)
        .bools("gemma4.attention.sliding_window_pattern", &sliding)
        .f32("gemma4.rope.freq_base", 1e6)
        .f32("gemma4.rope.freq_base_swa", 1e4)
        .f32("gemma4.attention.layer_norm_rms_epsilon", 1e-6)
        .f32("gemma4.final_logit_softcapping", 30.0);
    vocabulary::write(writer, VOCABULARY);
}

pub(super) fn parts() -> Vec<Part> {
    let part = |name: String, format, dims: &[usize]| Part {
        name,
        format,
        dims: dims.to_vec(),
    };
    let mut parts = vec![
        part(
            "token_embd.weight".into(),
            Format::Q6_K,
            &[WIDTH, VOCABULARY],
        ),
        part("output_norm.weight".into(), Format::F32, &[WIDTH]),
        part("rope_freqs.weight".into(), Format::F32, &[FULL / 2]),
    ];
    for i in 0..LAYERS {
        let dim = if is_sliding(i) { SLIDING } else { FULL };
        let (q, kv) = (HEADS * dim, kv_heads(i) * dim);
        let (f32, body) = (Format::F32, Format::Q4_0);
        let mut layer = vec![
            ("attn_norm.weight", f32, vec![WIDTH]),
            ("attn_q.weight", body, vec![WIDTH, q]),
            ("attn_k.weight", body, vec![WIDTH, kv]),
            ("attn_q_norm.weight", f32, vec![dim]),
            ("attn_k_norm.weight", f32, vec![dim]),
            ("attn_output.weight", body, vec![q, WIDTH]),
            ("post_attention_norm.weight", f32, vec![WIDTH]),
            ("ffn_norm.weight", f32, vec![WIDTH]),
            ("ffn_gate.weight", body, vec![WIDTH, FFN]),
            ("ffn_up.weight", body, vec![WIDTH, FFN]),
            ("ffn_down.weight", body, vec![FFN, WIDTH]),
            ("post_ffw_norm.weight", f32, vec![WIDTH]),
            ("post_ffw_norm_1.weight", f32, vec![WIDTH]),
            ("pre_ffw_norm_2.weight", f32, vec![WIDTH]),
            ("post_ffw_norm_2.weight", f32, vec![WIDTH]),
            ("ffn_gate_inp.weight", f32, vec![WIDTH, EXPERTS]),
            ("ffn_gate_inp.scale", f32, vec![WIDTH]),
            (
                "ffn_gate_up_exps.weight",
                body,
                vec![WIDTH, 2 * EXPERT_FFN, EXPERTS],
            ),
            (
                "ffn_down_exps.weight",
                body,
                vec![EXPERT_FFN, WIDTH, EXPERTS],
            ),
            ("ffn_down_exps.scale", f32, vec![EXPERTS]),
            ("layer_output_scale.weight", f32, vec![1]),
        ];
        // Full layers take their keys for values.
        if is_sliding(i) {
            layer.push(("attn_v.weight", body, vec![WIDTH, kv]));
        }
        let named = layer.into_iter().map(|(name, format, dims)| Part {
            name: format!("blk.{i}.{name}"),
            format,
            dims,
        });
        parts.extend(named);
    }
    parts
}
