//! Files that are well-formed GGUFs but not models that we can run: one clear error each.

use crate::fixture::{Tiny, gguf};
use reckon_engine::{Error, Model, ModelOptions};
use reckon_gguf::{File, Format, Value, Writer};

/// The error of loading `tiny` after `change` has looked at each tensor and key.
fn refused(tiny: &Tiny, keep: impl Fn(&str) -> bool, change: impl Fn(&mut Writer)) -> String {
    let file = File::parse(gguf(tiny)).unwrap();
    let mut writer = Writer::new();
    for (key, value) in file.metadata().iter() {
        if keep(key) {
            writer.value(key, value);
        }
    }
    change(&mut writer);
    let kept: Vec<_> = file.tensors().filter(|t| keep(&t.name)).collect();
    for tensor in &kept {
        writer
            .tensor(&tensor.name, tensor.format, &tensor.dims)
            .unwrap();
    }
    let data: Vec<&[u8]> = kept
        .iter()
        .map(|t| file.tensor(&t.name).unwrap().data)
        .collect();
    let bytes = writer.to_vec(&data).unwrap();
    match Model::from_file(
        File::parse(bytes).unwrap(),
        &ModelOptions::default(),
        &mut |_| (),
    ) {
        Err(error @ (Error::Model(_) | Error::Gguf(_))) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn llama() -> Tiny {
    Tiny::new("llama", Format::Q8_0)
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    assert!(!message.contains('\n'), "one line: {message}");
    for part in parts {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

#[test]
fn an_unknown_architecture_is_named() {
    let message = refused(
        &llama(),
        |key| key != "general.architecture",
        |writer| {
            writer.str("general.architecture", "mamba9");
        },
    );
    says(&message, &["mamba9", "gemma4", "qwen3"]);
}

#[test]
fn a_missing_tensor_or_key_is_named() {
    says(
        &refused(&llama(), |name| name != "blk.3.ffn_up.weight", |_| ()),
        &["blk.3.ffn_up.weight"],
    );
    says(
        &refused(&llama(), |key| key != "llama.embedding_length", |_| ()),
        &["llama.embedding_length"],
    );
}

#[test]
fn a_wrong_shape_is_named_with_both_shapes() {
    let message = refused(
        &llama(),
        |key| key != "llama.feed_forward_length",
        |writer| {
            writer.u32("llama.feed_forward_length", 768);
        },
    );
    says(&message, &["ffn_gate", "512 × 256", "768 × 256"]);
}

#[test]
fn absurd_sizes_are_refused_before_memory_is_taken() {
    for (key, value) in [
        ("llama.block_count", 4_000_000_000u32),
        ("llama.embedding_length", 0),
        ("llama.attention.head_count", 4_000_000),
        ("llama.context_length", u32::MAX),
        ("llama.attention.key_length", 17),
    ] {
        let message = refused(
            &llama(),
            |name| name != key,
            |writer| {
                writer.value(key, Value::U32(value));
            },
        );
        assert!(!message.is_empty());
    }
}

#[test]
fn a_stretching_that_we_do_not_know_is_refused() {
    let message = refused(
        &llama(),
        |_| true,
        |writer| {
            writer
                .str("llama.rope.scaling.type", "dynamic")
                .f32("llama.rope.scaling.factor", 4.0);
        },
    );
    says(&message, &["dynamic"]);
}

#[test]
fn factors_that_are_no_factors_are_refused_by_name() {
    let granite = Tiny::new("granite", Format::Q8_0);
    let mistral = Tiny::new("mistral3", Format::Q8_0);
    for (tiny, key, value) in [
        (&granite, "granite.embedding_scale", f32::NAN),
        (&granite, "granite.residual_scale", -0.22),
        (&granite, "granite.attention.scale", f32::INFINITY),
        (&granite, "granite.logit_scale", f32::NEG_INFINITY),
        (&granite, "granite.logit_scale", 1e-45),
        (&mistral, "mistral3.attention.temperature_scale", -1.0),
    ] {
        let change = |writer: &mut Writer| {
            writer.f32(key, value);
        };
        says(&refused(tiny, |name| name != key, change), &[key]);
    }
    let original = "mistral3.rope.scaling.original_context_length";
    says(
        &refused(&mistral, |key| key != original, |_| ()),
        &[original],
    );
    let still = |writer: &mut Writer| {
        writer.bool("granite.rope.scaling.finetuned", false);
    };
    says(&refused(&granite, |_| true, still), &["RoPE"]);
}

#[test]
fn a_fused_matrix_of_another_shape_is_named_with_both_shapes() {
    let phi3 = Tiny::new("phi3", Format::Q8_0);
    for (key, value, part) in [
        ("phi3.feed_forward_length", 256, "ffn_up"),
        ("phi3.attention.head_count_kv", 1, "attn_qkv"),
    ] {
        let change = |writer: &mut Writer| {
            writer.u32(key, value);
        };
        says(
            &refused(&phi3, |name| name != key, change),
            &[part, "expected"],
        );
    }
    for missing in ["blk.2.attn_qkv.weight", "rope_factors_short.weight"] {
        says(&refused(&phi3, |name| name != missing, |_| ()), &[missing]);
    }
}

#[test]
fn a_context_that_the_model_does_not_have_is_refused() {
    let load = |n| {
        let options = ModelOptions {
            n_ctx: Some(n),
            ..ModelOptions::default()
        };
        Model::from_file(File::parse(gguf(&llama())).unwrap(), &options, &mut |_| ())
    };
    says(&load(5000).unwrap_err().to_string(), &["5000", "1024"]);
    assert!(load(1024).is_ok());
}

/// A Qwen 3.5 with another number under one of its keys.
fn qwen35_with(key: &'static str, value: u32) -> String {
    let key = format!("qwen35.{key}");
    let tiny = Tiny::new("qwen35", Format::Q8_0);
    refused(
        &tiny,
        |name| name != key,
        |writer| {
            writer.u32(&key, value);
        },
    )
}

#[test]
fn delta_layers_without_sense_are_refused_before_memory_is_taken() {
    for (key, value, part) in [
        ("ssm.conv_kernel", 0, "conv_kernel is 0"),
        ("ssm.conv_kernel", 5, "ssm_conv1d"),
        ("ssm.group_count", 0, "group_count is 0"),
        ("ssm.group_count", 3, "3 key heads of 64"),
        ("ssm.time_step_rank", 0, "time_step_rank is 0"),
        ("ssm.time_step_rank", 5, "5 value heads over 256"),
        ("ssm.time_step_rank", 64, "64 value heads over 256"),
        ("ssm.inner_size", 1 << 20, "value heads over 1048576"),
        ("ssm.inner_size", u32::MAX, "inner_size is 4294967295"),
        ("ssm.state_size", 4096, "attn_qkv"),
        ("full_attention_interval", 3, "blk.2.attn_"),
        ("nextn_predict_layers", 5, "drafter"),
        ("nextn_predict_layers", 9, "nextn_predict_layers is 9"),
    ] {
        says(&qwen35_with(key, value), &[part]);
    }
}
