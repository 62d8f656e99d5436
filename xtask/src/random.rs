//! `cargo xtask random-model FILE q4_0|q4_k_m|q8_0|mmproj|26b-a4b|qwen35-2b`: a Gemma 4 E2B of full size with random
//! weights, its encoders, some layers of a Gemma 4 26B-A4B, or a Qwen 3.5 2B.
//!
//! For measuring: speed does not depend on the values, and this file needs no download. Shapes, names and the mix
//! of formats are those of real files, dead keys of sharing layers included. Written as a stream, so memory stays small.

mod experts;
mod mmproj;
mod qwen35;
mod vocabulary;

use anyhow::{Context, Result, bail};
use reckon_gguf::{Format, Writer};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const LAYERS: usize = 35;
const SHARED: usize = 20;
const WIDTH: usize = 1536;
const HEADS: usize = 8;
const FULL: usize = 512;
const SLIDING: usize = 256;
const FFN: usize = 6144;
const VOCABULARY: usize = 262_144;
const PER_LAYER: usize = 256;

/// Which format a matrix gets.
struct Mix {
    body: Format,
    tables: Format,
    /// Whether llama.cpp's `_M` mix gives some layers more bits.
    medium: bool,
}

impl Mix {
    fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "q4_0" => Self {
                body: Format::Q4_0,
                tables: Format::Q6_K,
                medium: false,
            },
            "q4_k_m" => Self {
                body: Format::Q4_K,
                tables: Format::Q6_K,
                medium: true,
            },
            "q8_0" => Self {
                body: Format::Q8_0,
                tables: Format::Q8_0,
                medium: false,
            },
            other => bail!("no mix '{other}': q4_0, q4_k_m, q8_0, mmproj, 26b-a4b or qwen35-2b"),
        })
    }

    /// The format of a layer's values and of its way down.
    fn sensitive(&self, layer: usize, layers: usize) -> Format {
        let eighth = layers / 8;
        let more = layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
        if self.medium && more {
            Format::Q6_K
        } else {
            self.body
        }
    }
}

/// One tensor to write.
struct Part {
    name: String,
    format: Format,
    dims: Vec<usize>,
}

impl Part {
    fn new(name: &str, format: Format, dims: &[usize]) -> Self {
        Self {
            name: name.to_owned(),
            format,
            dims: dims.to_vec(),
        }
    }
}

/// Writes the file.
pub(crate) fn run(path: &Path, mix: &str) -> Result<()> {
    let mut writer = Writer::new();
    let parts = match mix {
        "mmproj" => {
            mmproj::metadata(&mut writer);
            mmproj::parts()
        }
        "26b-a4b" => {
            experts::metadata(&mut writer);
            experts::parts()
        }
        "qwen35-2b" => {
            qwen35::metadata(&mut writer);
            qwen35::parts(&Mix::named("q4_k_m")?)
        }
        mix => {
            metadata(&mut writer);
            parts(&Mix::named(mix)?)
        }
    };
    for part in &parts {
        writer.tensor(&part.name, part.format, &part.dims)?;
    }
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut data = writer.begin(BufWriter::with_capacity(1 << 20, file))?;
    let mut random = Random(1);
    for part in &parts {
        let blocks = part.dims.iter().product::<usize>() / part.format.block_len();
        let mut left = blocks;
        while left > 0 {
            let count = left.min(1 << 16);
            data.write(&random.blocks(part, count))?;
            left -= count;
        }
    }
    data.finish()?.flush()?;
    Ok(())
}

fn is_sliding(layer: usize) -> bool {
    layer % 5 != 4
}

fn metadata(writer: &mut Writer) {
    let number = |n: usize| u32::try_from(n).expect("a small number");
    let wide = |i: usize| number(if i < LAYERS - SHARED { FFN } else { 2 * FFN });
    let ffn: Vec<u32> = (0..LAYERS).map(wide).collect();
    let sliding: Vec<bool> = (0..LAYERS).map(is_sliding).collect();
    writer
        .str("general.architecture", "gemma4")
        .str("general.name", "Gemma 4 E2B random");
    for (key, value) in [
        ("block_count", LAYERS),
        ("context_length", 131_072),
        ("embedding_length", WIDTH),
        ("embedding_length_per_layer_input", PER_LAYER),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", 1),
        ("attention.key_length", FULL),
        ("attention.value_length", FULL),
        ("attention.key_length_swa", SLIDING),
        ("attention.value_length_swa", SLIDING),
        ("attention.sliding_window", 512),
        ("attention.shared_kv_layers", SHARED),
        ("rope.dimension_count", FULL),
        ("rope.dimension_count_swa", SLIDING),
    ] {
        writer.u32(&format!("gemma4.{key}"), number(value));
    }
    writer
        .u32s("gemma4.feed_forward_length", &ffn)
        .bools("gemma4.attention.sliding_window_pattern", &sliding);
    writer
        .f32("gemma4.rope.freq_base", 1e6)
        .f32("gemma4.rope.freq_base_swa", 1e4);
    writer
        .f32("gemma4.attention.layer_norm_rms_epsilon", 1e-6)
        .f32("gemma4.final_logit_softcapping", 30.0);
    vocabulary::write(writer, VOCABULARY);
}

fn parts(mix: &Mix) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = |name: String, format, dims: &[usize]| {
        parts.push(Part {
            name,
            format,
            dims: dims.to_vec(),
        })
    };
    let columns = LAYERS * PER_LAYER;
    part("token_embd.weight".into(), mix.tables, &[WIDTH, VOCABULARY]);
    part(
        "per_layer_token_embd.weight".into(),
        mix.tables,
        &[columns, VOCABULARY],
    );
    part(
        "per_layer_model_proj.weight".into(),
        Format::BF16,
        &[WIDTH, columns],
    );
    part(
        "per_layer_proj_norm.weight".into(),
        Format::F32,
        &[PER_LAYER],
    );
    part("output_norm.weight".into(), Format::F32, &[WIDTH]);
    part("rope_freqs.weight".into(), Format::F32, &[FULL / 2]);
    for i in 0..LAYERS {
        let dim = if is_sliding(i) { SLIDING } else { FULL };
        let ffn = if i < LAYERS - SHARED { FFN } else { 2 * FFN };
        for (name, format, dims) in [
            ("attn_norm", Format::F32, vec![WIDTH]),
            ("attn_q", mix.body, vec![WIDTH, HEADS * dim]),
            ("attn_k", mix.body, vec![WIDTH, dim]),
            ("attn_v", mix.sensitive(i, LAYERS), vec![WIDTH, dim]),
            ("attn_q_norm", Format::F32, vec![dim]),
            ("attn_k_norm", Format::F32, vec![dim]),
            ("attn_output", mix.body, vec![HEADS * dim, WIDTH]),
            ("post_attention_norm", Format::F32, vec![WIDTH]),
            ("ffn_norm", Format::F32, vec![WIDTH]),
            ("ffn_gate", mix.body, vec![WIDTH, ffn]),
            ("ffn_up", mix.body, vec![WIDTH, ffn]),
            ("ffn_down", mix.sensitive(i, LAYERS), vec![ffn, WIDTH]),
            ("post_ffw_norm", Format::F32, vec![WIDTH]),
            ("inp_gate", mix.body, vec![WIDTH, PER_LAYER]),
            ("proj", mix.body, vec![PER_LAYER, WIDTH]),
            ("post_norm", Format::F32, vec![WIDTH]),
            ("layer_output_scale", Format::F32, vec![1]),
        ] {
            part(format!("blk.{i}.{name}.weight"), format, &dims);
        }
    }
    parts
}

/// A small generator: the weights need variety, not quality.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ (self.0 >> 29)
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        (self.word() >> 16) as usize % n
    }

    /// A number below `n`, small ones more often: `n` is first halved fewer than `halvings` times.
    fn early(&mut self, n: usize, halvings: usize) -> usize {
        let n = n >> self.below(halvings);
        self.below(n.max(1))
    }

    /// `count` blocks of a tensor: norms are 1, rotations turn the first quarter, weights have a deviation of about 0.02.
    fn blocks(&mut self, part: &Part, count: usize) -> Vec<u8> {
        let halves: &[(usize, u16)] = match part.format {
            Format::F32 if part.name.starts_with("rope_freqs") => {
                let turned = |i: usize| if i < FULL / 8 { 1f32 } else { 1e30 };
                return (0..count).flat_map(|i| turned(i).to_le_bytes()).collect();
            }
            // Bounds of clipped linears, wide enough to let through what real ones do.
            Format::F32 if part.name.ends_with("_min") => {
                return (-30f32).to_le_bytes().repeat(count);
            }
            Format::F32 if part.name.ends_with("_max") => return 30f32.to_le_bytes().repeat(count),
            // A router of equal numbers would send all tokens to the same experts.
            Format::F32 if part.name.ends_with("ffn_gate_inp.weight") => {
                let float = |word: u16| f32::from_bits(u32::from(word) << 16);
                return (0..count)
                    .flat_map(|_| float(self.bfloat()).to_le_bytes())
                    .collect();
            }
            // What heads keep must be less than all.
            Format::F32 if part.name.ends_with("ssm_a") => {
                return (-0.05f32).to_le_bytes().repeat(count);
            }
            Format::F32 => return 1f32.to_le_bytes().repeat(count),
            // Bytes 0x3c.. are bfloats around 0.01 to 0.03, with either sign.
            Format::BF16 => {
                return (0..count)
                    .flat_map(|_| self.bfloat().to_le_bytes())
                    .collect();
            }
            Format::Q4_0 => &[(0, 0x1c71)],
            Format::Q8_0 => &[(0, 0x0c6e)],
            Format::Q4_K => &[(0, 0x068e), (2, 0x1225)],
            Format::Q6_K => &[(208, 0x00f6)],
            other => unreachable!("no mix uses {other:?}"),
        };
        let size = part.format.block_bytes();
        let mut bytes = Vec::with_capacity(count * size + 8);
        while bytes.len() < count * size {
            bytes.extend_from_slice(&self.word().to_le_bytes());
        }
        bytes.truncate(count * size);
        for block in bytes.chunks_exact_mut(size) {
            for &(at, half) in halves {
                block[at..at + 2].copy_from_slice(&half.to_le_bytes());
            }
        }
        bytes
    }

    fn bfloat(&mut self) -> u16 {
        let word = self.word() as u16;
        (word & 0x80ff) | 0x3c00
    }
}
