//! A Qwen 3.5 of 2B: names, shapes and formats of the real one in Q4_K_M, with the vocabulary's size and no words in it.

use super::{Mix, Part};
use reckon_gguf::{Format, Writer};

const LAYERS: usize = 24;
const WIDTH: usize = 2048;
const FFN: usize = 6144;
const HEADS: usize = 8;
const KV_HEADS: usize = 2;
const DIM: usize = 256;
/// Of every four layers the last attends.
const INTERVAL: usize = 4;
const DELTA_HEADS: usize = 16;
const DELTA_DIM: usize = 128;
const TAPS: usize = 4;
const VOCABULARY: usize = 248_320;

pub(super) fn metadata(writer: &mut Writer) {
    writer
        .str("general.architecture", "qwen35")
        .str("general.name", "Qwen 3.5 2B random");
    for (key, value) in [
        ("block_count", LAYERS),
        ("context_length", 262_144),
        ("embedding_length", WIDTH),
        ("feed_forward_length", FFN),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
        ("attention.key_length", DIM),
        ("attention.value_length", DIM),
        ("rope.dimension_count", DIM / 4),
        ("full_attention_interval", INTERVAL),
        ("ssm.conv_kernel", TAPS),
        ("ssm.state_size", DELTA_DIM),
        ("ssm.group_count", DELTA_HEADS),
        ("ssm.time_step_rank", DELTA_HEADS),
        ("ssm.inner_size", DELTA_HEADS * DELTA_DIM),
    ] {
        let value = u32::try_from(value).expect("a small number");
        writer.u32(&format!("qwen35.{key}"), value);
    }
    writer
        .u32s("qwen35.rope.dimension_sections", &[11, 11, 10, 0])
        .f32("qwen35.rope.freq_base", 1e7)
        .f32("qwen35.attention.layer_norm_rms_epsilon", 1e-6);
    vocabulary(writer);
}

/// The 256 letters that bytes are written as, one merge, and names for all other tokens.
fn vocabulary(writer: &mut Writer) {
    let mut next = 256;
    let letters = (0..=255u8).map(|byte| {
        let code = match byte {
            b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => u32::from(byte),
            _ => {
                next += 1;
                next - 1
            }
        };
        char::from_u32(code).expect("a letter").to_string()
    });
    let mut tokens: Vec<String> = letters.chain(["th".to_owned()]).collect();
    tokens.extend((tokens.len()..VOCABULARY).map(|i| format!("<unused{i}>")));
    let mut kinds = vec![3; VOCABULARY];
    kinds[..257].fill(1);
    let ids = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
    for (token, id) in tokens[300..].iter_mut().zip(ids) {
        *token = id.to_owned();
    }
    writer
        .str("tokenizer.ggml.model", "gpt2")
        .str("tokenizer.ggml.pre", "qwen35")
        .strings("tokenizer.ggml.tokens", &tokens)
        .strings("tokenizer.ggml.merges", &["t h".to_owned()])
        .i32s("tokenizer.ggml.token_type", &kinds)
        .u32("tokenizer.ggml.eos_token_id", 302)
        .bool("tokenizer.ggml.add_bos_token", false);
}

pub(super) fn parts(mix: &Mix) -> Vec<Part> {
    let mut parts = vec![
        Part::new("token_embd.weight", mix.tables, &[WIDTH, VOCABULARY]),
        Part::new("output_norm.weight", Format::F32, &[WIDTH]),
    ];
    for i in 0..LAYERS {
        let mut layer = |name: &str, format, dims: &[usize]| {
            parts.push(Part::new(&format!("blk.{i}.{name}"), format, dims));
        };
        let (f32, body) = (Format::F32, mix.body);
        let sensitive = mix.sensitive(i, LAYERS);
        layer("attn_norm.weight", f32, &[WIDTH]);
        layer("post_attention_norm.weight", f32, &[WIDTH]);
        if (i + 1) % INTERVAL == 0 {
            // Queries come with gates.
            layer("attn_q.weight", body, &[WIDTH, 2 * HEADS * DIM]);
            layer("attn_k.weight", body, &[WIDTH, KV_HEADS * DIM]);
            layer("attn_v.weight", sensitive, &[WIDTH, KV_HEADS * DIM]);
            layer("attn_q_norm.weight", f32, &[DIM]);
            layer("attn_k_norm.weight", f32, &[DIM]);
            layer("attn_output.weight", body, &[HEADS * DIM, WIDTH]);
        } else {
            let values = DELTA_HEADS * DELTA_DIM;
            layer("attn_qkv.weight", sensitive, &[WIDTH, 3 * values]);
            layer("attn_gate.weight", body, &[WIDTH, values]);
            layer("ssm_alpha.weight", Format::Q8_0, &[WIDTH, DELTA_HEADS]);
            layer("ssm_beta.weight", Format::Q8_0, &[WIDTH, DELTA_HEADS]);
            layer("ssm_conv1d.weight", f32, &[TAPS, 3 * values]);
            layer("ssm_a", f32, &[DELTA_HEADS]);
            layer("ssm_dt.bias", f32, &[DELTA_HEADS]);
            layer("ssm_norm.weight", f32, &[DELTA_DIM]);
            layer("ssm_out.weight", body, &[values, WIDTH]);
        }
        layer("ffn_gate.weight", body, &[WIDTH, FFN]);
        layer("ffn_up.weight", body, &[WIDTH, FFN]);
        layer("ffn_down.weight", sensitive, &[FFN, WIDTH]);
    }
    parts
}
