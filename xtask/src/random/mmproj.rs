//! The encoders of Gemma 4 E2B as an mmproj file: names, shapes and formats of the real one (BF16, tables and norms F32).

use super::{Part, WIDTH};
use reckon_gguf::{Format, Writer};

const VISION: usize = 768;
const VISION_FFN: usize = 3072;
const VISION_LAYERS: usize = 16;
const VISION_HEADS: usize = 12;
const AUDIO: usize = 1024;
const AUDIO_FFN: usize = 4096;
const AUDIO_LAYERS: usize = 12;
const AUDIO_HEADS: usize = 8;
const AUDIO_OUT: usize = 1536;
const CHANNELS: [usize; 2] = [128, 32];

pub(super) fn metadata(writer: &mut Writer) {
    writer
        .str("general.architecture", "clip")
        .str("general.type", "mmproj")
        .str("general.name", "Gemma 4 E2B random")
        .bool("clip.has_vision_encoder", true)
        .bool("clip.has_audio_encoder", true)
        .str("clip.vision.projector_type", "gemma4v")
        .str("clip.audio.projector_type", "gemma4a");
    for (key, value) in [
        ("vision.image_size", 224),
        ("vision.patch_size", 16),
        ("vision.embedding_length", VISION),
        ("vision.feed_forward_length", VISION_FFN),
        ("vision.block_count", VISION_LAYERS),
        ("vision.attention.head_count", VISION_HEADS),
        ("vision.projection_dim", WIDTH),
        ("audio.embedding_length", AUDIO),
        ("audio.feed_forward_length", AUDIO_FFN),
        ("audio.block_count", AUDIO_LAYERS),
        ("audio.attention.head_count", AUDIO_HEADS),
        ("audio.num_mel_bins", 128),
        ("audio.projection_dim", WIDTH),
    ] {
        let value = u32::try_from(value).expect("a small number");
        writer.u32(&format!("clip.{key}"), value);
    }
}

pub(super) fn parts() -> Vec<Part> {
    let mut parts = Parts(Vec::new());
    parts.matrix("v.patch_embd.weight", &[16, 16, 3, VISION]);
    parts.floats("v.position_embd.weight", &[VISION, 10_240, 2]);
    for i in 0..VISION_LAYERS {
        parts.vision_layer(i);
    }
    parts.matrix("mm.input_projection.weight", &[VISION, WIDTH]);
    let [first, second] = CHANNELS;
    parts.matrix("a.conv1d.0.weight", &[3, 3, 1, first]);
    parts.floats("a.conv1d.0.norm.weight", &[first]);
    parts.matrix("a.conv1d.1.weight", &[3, 3, first, second]);
    parts.floats("a.conv1d.1.norm.weight", &[second]);
    parts.matrix("a.input_projection.weight", &[32 * second, AUDIO]);
    for i in 0..AUDIO_LAYERS {
        parts.audio_layer(i);
    }
    parts.matrix("a.pre_encode.out.weight", &[AUDIO, AUDIO_OUT]);
    parts.floats("a.pre_encode.out.bias", &[AUDIO_OUT]);
    parts.matrix("mm.a.input_projection.weight", &[AUDIO_OUT, WIDTH]);
    parts.0
}

struct Parts(Vec<Part>);

impl Parts {
    fn matrix(&mut self, name: &str, dims: &[usize]) {
        self.add(name, Format::BF16, dims);
    }

    fn floats(&mut self, name: &str, dims: &[usize]) {
        self.add(name, Format::F32, dims);
    }

    fn add(&mut self, name: &str, format: Format, dims: &[usize]) {
        self.0.push(Part {
            name: name.to_owned(),
            format,
            dims: dims.to_vec(),
        });
    }

    /// A matrix with bounds on what goes in and comes out.
    fn linear(&mut self, name: &str, cols: usize, rows: usize) {
        self.matrix(&format!("{name}.weight"), &[cols, rows]);
        for bound in ["input_min", "input_max", "output_min", "output_max"] {
            self.floats(&format!("{name}.{bound}"), &[1]);
        }
    }

    fn vision_layer(&mut self, i: usize) {
        let name = |part: &str| format!("v.blk.{i}.{part}");
        let dim = VISION / VISION_HEADS;
        for part in ["ln1", "attn_post_norm", "ln2", "ffn_post_norm"] {
            self.floats(&name(&format!("{part}.weight")), &[VISION]);
        }
        for part in ["attn_q_norm", "attn_k_norm"] {
            self.floats(&name(&format!("{part}.weight")), &[dim]);
        }
        for part in ["attn_q", "attn_k", "attn_v", "attn_out"] {
            self.linear(&name(part), VISION, VISION);
        }
        self.linear(&name("ffn_gate"), VISION, VISION_FFN);
        self.linear(&name("ffn_up"), VISION, VISION_FFN);
        self.linear(&name("ffn_down"), VISION_FFN, VISION);
    }

    fn audio_layer(&mut self, i: usize) {
        let name = |part: &str| format!("a.blk.{i}.{part}");
        for part in [
            "ffn_norm",
            "ffn_post_norm",
            "ffn_norm_1",
            "ffn_post_norm_1",
            "attn_pre_norm",
            "attn_post_norm",
            "conv_norm",
            "norm_conv",
            "ln2",
        ] {
            self.floats(&name(&format!("{part}.weight")), &[AUDIO]);
        }
        self.floats(&name("per_dim_scale.weight"), &[AUDIO / AUDIO_HEADS]);
        self.floats(&name("conv_dw.weight"), &[5, AUDIO]);
        for part in ["attn_q", "attn_k", "attn_v", "attn_out", "conv_pw2"] {
            self.linear(&name(part), AUDIO, AUDIO);
        }
        self.linear(&name("conv_pw1"), AUDIO, 2 * AUDIO);
        self.matrix(&name("attn_k_rel.weight"), &[AUDIO, AUDIO]);
        for ending in ["", "_1"] {
            self.linear(&name(&format!("ffn_up{ending}")), AUDIO, AUDIO_FFN);
            self.linear(&name(&format!("ffn_down{ending}")), AUDIO_FFN, AUDIO);
        }
    }
}
