//! Time of encoding images and sound: `cargo bench -p reckon-engine --bench senses -- MMPROJ [THREADS]`.
//!
//! `cargo xtask random-model FILE mmproj` makes an mmproj of full size. The language model beside it is as small as one
//! can be: only its width counts. Prints seconds by the clock, and of the CPU where the system tells: a machine that does
//! other things meanwhile disturbs the first and hardly the second.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, and reads the CPU time of its process"
)]

use reckon_engine::{Media, Model, ModelOptions, Pixels};
use reckon_gguf::{File, Format, Writer};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let [path, rest @ ..] = &arguments[..] else {
        return println!("usage: cargo bench -p reckon-engine --bench senses -- MMPROJ [THREADS]");
    };
    let threads = rest.first().map_or(2, |n| n.parse().expect("a number"));
    let options = ModelOptions {
        cpus: (0..threads).collect(),
        ..ModelOptions::default()
    };
    let file = File::open(path).expect("an mmproj");
    let width = file.tensor("mm.input_projection.weight").map(|t| t.rows());
    let text = File::parse(language_model(width.expect("a projection"))).expect("a file");
    let started = Instant::now();
    let model = Model::from_file(text, &options, &mut |_| ()).expect("a model");
    let model = model.with_mmproj(file, &mut |_| ()).expect("encoders");
    println!(
        "{}, {threads} threads, loaded in {:.2?}",
        model.isa(),
        started.elapsed()
    );
    for side in [384, 768] {
        let data = (0..3 * side * side).map(|i| (i * 37 % 256) as f32 / 255.0);
        let pixels = Pixels::new(side, side, data.collect()).expect("an image");
        time(&format!("image of {side} × {side}"), || {
            model.encode_image(&pixels).expect("soft tokens")
        });
    }
    for seconds in [2, 10, 30] {
        let samples: Vec<f32> = (0..seconds * 16_000)
            .map(|i| (i as f32 * 0.05).sin() * 0.3)
            .collect();
        time(&format!("{seconds} s of sound"), || {
            model.encode_audio(&samples).expect("soft tokens")
        });
    }
}

/// The best of three.
fn time(what: &str, encode: impl Fn() -> Media) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    let mut tokens = 0;
    for _ in 0..3 {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        tokens = encode().soft.tokens();
        best.0 = best.0.min(started.elapsed().as_secs_f64());
        best.1 = best.1.min(cpu_seconds() - cpu);
    }
    println!(
        "{what}: {tokens} soft tokens, {:.2} s, CPU {:.2} s",
        best.0, best.1
    );
}

/// User time of the process, in hundredths of a second; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11);
    ticks.and_then(|t| t.parse().ok()).unwrap_or(0.0) / 100.0
}

/// A Gemma 4 of one layer and a few words.
fn language_model(width: usize) -> Vec<u8> {
    let mut writer = Writer::new();
    let number = |n: usize| u32::try_from(n).expect("a small number");
    writer.str("general.architecture", "gemma4");
    for (key, value) in [
        ("block_count", 1),
        ("context_length", 64),
        ("embedding_length", width),
        ("embedding_length_per_layer_input", 16),
        ("feed_forward_length", 16),
        ("attention.head_count", 1),
        ("attention.key_length", 16),
    ] {
        writer.u32(&format!("gemma4.{key}"), number(value));
    }
    writer
        .f32("gemma4.attention.layer_norm_rms_epsilon", 1e-6)
        .str("tokenizer.ggml.model", "gemma4")
        .strings("tokenizer.ggml.tokens", &["<pad>", "<eos>", "<bos>", "a"])
        .i32s("tokenizer.ggml.token_type", &[3, 3, 3, 1])
        .strings::<&str>("tokenizer.ggml.merges", &[])
        .u32("tokenizer.ggml.bos_token_id", 2)
        .u32("tokenizer.ggml.eos_token_id", 1);
    let mut data = Vec::new();
    for (name, dims) in [
        ("token_embd", vec![width, 4]),
        ("per_layer_token_embd", vec![16, 4]),
        ("per_layer_model_proj", vec![width, 16]),
        ("per_layer_proj_norm", vec![16]),
        ("output_norm", vec![width]),
        ("blk.0.attn_norm", vec![width]),
        ("blk.0.attn_q", vec![width, 16]),
        ("blk.0.attn_k", vec![width, 16]),
        ("blk.0.attn_v", vec![width, 16]),
        ("blk.0.attn_q_norm", vec![16]),
        ("blk.0.attn_k_norm", vec![16]),
        ("blk.0.attn_output", vec![16, width]),
        ("blk.0.post_attention_norm", vec![width]),
        ("blk.0.ffn_norm", vec![width]),
        ("blk.0.ffn_gate", vec![width, 16]),
        ("blk.0.ffn_up", vec![width, 16]),
        ("blk.0.ffn_down", vec![16, width]),
        ("blk.0.post_ffw_norm", vec![width]),
        ("blk.0.inp_gate", vec![width, 16]),
        ("blk.0.proj", vec![16, width]),
        ("blk.0.post_norm", vec![width]),
        ("blk.0.layer_output_scale", vec![1]),
    ] {
        let name = format!("{name}.weight");
        writer.tensor(&name, Format::F32, &dims).expect("a tensor");
        data.push(vec![0; 4 * dims.iter().product::<usize>()]);
    }
    let data: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    writer.to_vec(&data).expect("a file")
}
