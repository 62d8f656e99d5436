//! Tiny random models of every architecture, made in memory: the project's tests need no download.
//!
//! Also compiled into the app's tests. Weights are random but fixed by a seed; the vocabulary
//! spells any text, byte by byte if it must.

use reckon_gguf::{Format, Writer};

/// What a tiny model looks like.
#[derive(Clone, Debug)]
pub(crate) struct Tiny {
    pub(crate) architecture: &'static str,
    /// Format of the matrices.
    pub(crate) format: Format,
    pub(crate) n_layer: usize,
    pub(crate) n_ctx: u32,
    /// Experts of a layer; 0 has none. Gemma 4 with experts is like its 26B: no per-layer inputs, keys as values.
    pub(crate) experts: usize,
    pub(crate) seed: u64,
    /// A drafter's centroids that are looked into; 0 has none.
    pub(crate) top: usize,
    /// The token that ends an answer, if not the usual one.
    pub(crate) end: Option<u32>,
    /// A chat template, if not ours for the vocabulary.
    pub(crate) template: Option<&'static str>,
    /// More tokens, and their GGUF types.
    pub(crate) markers: &'static [(&'static str, i32)],
}

impl Tiny {
    pub(crate) fn new(architecture: &'static str, format: Format) -> Self {
        Self {
            architecture,
            format,
            // Two layers of experts are enough: one that slides and one that does not. Qwen 3.5 has three delta layers, then
            // one that attends.
            n_layer: match architecture {
                "qwen2moe" | "qwen3moe" | "gpt-oss" => 2,
                "qwen35" | "qwen35moe" => 4,
                _ => 6,
            },
            n_ctx: 1024,
            experts: match architecture {
                "qwen2moe" | "qwen3moe" | "qwen35moe" | "gpt-oss" => 6,
                _ => 0,
            },
            seed: 1,
            top: 0,
            end: None,
            template: None,
            markers: &[],
        }
    }

    /// A Gemma 4 with the markers of images and sound: it sees and hears with an mmproj.
    pub(crate) fn with_senses() -> Self {
        Self {
            markers: &[
                ("<|image>", 3),
                ("<|image|>", 3),
                ("<image|>", 3),
                ("<|audio>", 3),
                ("<|audio|>", 3),
                ("<audio|>", 3),
            ],
            ..Self::new("gemma4", Format::Q8_0)
        }
    }
}

const WIDTH: usize = 256;
const HEADS: usize = 4;
const KEY_HEADS: usize = 2;
const WINDOW: usize = 24;
/// Experts that a token goes through, and their hidden width.
const USED: usize = 2;
const EXPERT_FF: usize = 64;
/// Qwen 3.5: heads of keys and of values in delta layers, as wide as those that attend, and the convolution's taps.
const DELTA_HEADS: (usize, usize) = (2, 4);
const TAPS: usize = 4;
/// Columns of a layer's share of the per-layer embedding (Gemma 4).
const PER_LAYER: usize = 256;
/// The architecture of Gemma 4's drafters.
pub(crate) const DRAFTER: &str = "gemma4-assistant";
/// Tokens that a centroid of a drafter owns.
const OWNED: usize = 5;

/// One tensor: name, format, dims in GGUF order, bytes.
type Part = (String, Format, Vec<usize>, Vec<u8>);

/// The bytes of a GGUF file.
pub(crate) fn gguf(tiny: &Tiny) -> Vec<u8> {
    let mut writer = Writer::new();
    hyperparameters(&mut writer, tiny);
    let n_vocab = vocabulary(&mut writer, tiny);
    let parts = tensors(tiny, n_vocab);
    for (name, format, dims, _) in &parts {
        writer.tensor(name, *format, dims).expect("a valid tensor");
    }
    let data: Vec<&[u8]> = parts.iter().map(|(.., data)| data.as_slice()).collect();
    writer.to_vec(&data).expect("a valid file")
}

fn hyperparameters(writer: &mut Writer, tiny: &Tiny) {
    let a = tiny.architecture;
    let layers = u32::try_from(tiny.n_layer).unwrap();
    let number = |n: usize| u32::try_from(n).unwrap();
    writer
        .str("general.architecture", a)
        .str("general.name", "Tiny Instruct");
    if let Some(template) = tiny.template {
        writer.str("tokenizer.chat_template", template);
    }
    writer.u32(&format!("{a}.context_length"), tiny.n_ctx);
    if !is_qwen35(tiny) {
        writer.u32(&format!("{a}.block_count"), layers);
    }
    writer.u32(&format!("{a}.embedding_length"), number(WIDTH));
    writer.u32(&format!("{a}.attention.head_count"), number(HEADS));
    let kv_heads: Vec<u32> = (0..tiny.n_layer)
        .map(|i| number(kv_heads(tiny, i)))
        .collect();
    match tiny.experts {
        0 => writer.u32(&format!("{a}.attention.head_count_kv"), number(KEY_HEADS)),
        _ => writer.u32s(&format!("{a}.attention.head_count_kv"), &kv_heads),
    };
    if tiny.experts > 0 {
        writer.u32(&format!("{a}.expert_count"), number(tiny.experts));
        writer.u32(&format!("{a}.expert_used_count"), number(USED));
        writer.u32(
            &format!("{a}.expert_feed_forward_length"),
            number(EXPERT_FF),
        );
    }
    writer.f32(&format!("{a}.attention.layer_norm_rms_epsilon"), 1e-6);
    writer.f32(&format!("{a}.rope.freq_base"), 1e6);
    match a {
        "gemma4" | DRAFTER => {
            let ff: Vec<u32> = (0..tiny.n_layer).map(|i| number(n_ff(tiny, i))).collect();
            let sliding: Vec<bool> = (0..tiny.n_layer).map(|i| is_sliding(tiny, i)).collect();
            writer
                .u32s(&format!("{a}.feed_forward_length"), &ff)
                .bools(&format!("{a}.attention.sliding_window_pattern"), &sliding);
            writer
                .u32(&format!("{a}.attention.key_length"), 64)
                .u32(&format!("{a}.attention.key_length_swa"), 32);
            writer
                .u32(&format!("{a}.rope.dimension_count"), 64)
                .u32(&format!("{a}.rope.dimension_count_swa"), 32);
            writer
                .f32(&format!("{a}.rope.freq_base_swa"), 1e4)
                .f32(&format!("{a}.final_logit_softcapping"), 30.0);
            writer.u32(&format!("{a}.attention.sliding_window"), number(WINDOW));
            writer.u32(
                &format!("{a}.attention.shared_kv_layers"),
                number(shared(tiny)),
            );
            if a == DRAFTER {
                writer.u32(&format!("{a}.embedding_length_out"), number(WIDTH));
                writer.u32(&format!("{a}.masked_embedding.top_k"), number(tiny.top));
            } else if tiny.experts == 0 {
                writer.u32("gemma4.embedding_length_per_layer_input", number(PER_LAYER));
            }
        }
        "gemma3" => {
            writer
                .u32("gemma3.feed_forward_length", 512)
                .u32("gemma3.attention.sliding_window", number(WINDOW));
            writer.u32("gemma3.attention.key_length", 64);
        }
        _ => {
            writer.u32(&format!("{a}.feed_forward_length"), 512);
            dense(writer, a);
        }
    }
    if is_qwen35(tiny) {
        delta(writer, a);
    }
    if a == "gpt-oss" {
        writer
            .u32("gpt-oss.attention.sliding_window", number(WINDOW))
            .u32("gpt-oss.attention.key_length", 64);
    }
}

fn is_qwen35(tiny: &Tiny) -> bool {
    tiny.architecture.starts_with("qwen35")
}

/// What Qwen 3.5 has beside the others' keys. Its drafter's layer counts among the layers, and is not there.
fn delta(writer: &mut Writer, a: &str) {
    let (keys, values) = DELTA_HEADS;
    for (name, value) in [
        ("block_count", 5),
        ("nextn_predict_layers", 1),
        ("attention.key_length", 64),
        ("rope.dimension_count", 16),
        ("ssm.conv_kernel", TAPS),
        ("ssm.state_size", 64),
        ("ssm.group_count", keys),
        ("ssm.time_step_rank", values),
        ("ssm.inner_size", values * 64),
        ("expert_shared_feed_forward_length", 512),
    ] {
        writer.u32(&format!("{a}.{name}"), u32::try_from(value).unwrap());
    }
}

/// Gemma 4's full layers have fewer KV heads than its sliding ones, where it has experts.
fn kv_heads(tiny: &Tiny, i: usize) -> usize {
    match tiny.architecture {
        "gemma4" if tiny.experts > 0 && !is_sliding(tiny, i) => 1,
        _ => KEY_HEADS,
    }
}

/// What sets the other dense architectures apart: factors, and contexts so short that prompts of tests outgrow them.
fn dense(writer: &mut Writer, a: &str) {
    let key = |name: &str| format!("{a}.{name}");
    let original = key("rope.scaling.original_context_length");
    match a {
        "granite" => {
            writer
                .f32(&key("embedding_scale"), 12.0)
                .f32(&key("residual_scale"), 0.22)
                .f32(&key("attention.scale"), 0.1)
                .f32(&key("logit_scale"), 2.0);
        }
        "phi3" => {
            writer
                .u32(
                    &key("attention.sliding_window"),
                    u32::try_from(WINDOW).unwrap(),
                )
                .u32(&key("rope.dimension_count"), 48)
                .u32(&original, 512)
                .f32(&key("rope.scaling.attn_factor"), 1.19);
        }
        "mistral3" => {
            writer
                .str(&key("rope.scaling.type"), "yarn")
                .f32(&key("rope.scaling.factor"), 16.0)
                .f32(&key("attention.temperature_scale"), 0.1)
                .u32(&original, 32);
        }
        _ => {}
    }
}

/// Gemma 4: two sliding layers, one full; half of the layers share keys and have a wider network.
fn is_sliding(tiny: &Tiny, i: usize) -> bool {
    match tiny.architecture {
        "gemma4" | DRAFTER => i % 3 != 2,
        "gemma3" => i % 6 != 5,
        "phi3" => true,
        _ => false,
    }
}

fn shared(tiny: &Tiny) -> usize {
    match tiny.architecture {
        "gemma4" if tiny.experts == 0 => tiny.n_layer / 2,
        DRAFTER => tiny.n_layer,
        _ => 0,
    }
}

fn n_ff(tiny: &Tiny, i: usize) -> usize {
    if i >= tiny.n_layer - shared(tiny) && shared(tiny) > 0 {
        1024
    } else {
        512
    }
}

fn dim(tiny: &Tiny, i: usize) -> usize {
    match tiny.architecture {
        "gemma4" | DRAFTER if is_sliding(tiny, i) => 32,
        _ => 64,
    }
}

/// Writes a vocabulary and returns its size.
fn vocabulary(writer: &mut Writer, tiny: &Tiny) -> usize {
    let architecture = tiny.architecture;
    let gemma = architecture.starts_with("gemma");
    let (control, pieces, merges) = if gemma { gemma_pieces() } else { byte_pieces() };
    let n_control = control.len();
    let tokens: Vec<String> = control
        .into_iter()
        .map(String::from)
        .chain(pieces)
        .chain(tiny.markers.iter().map(|(text, _)| (*text).to_owned()))
        .collect();
    let n_text = tokens.len() - tiny.markers.len();
    let kinds: Vec<i32> = (0..tokens.len())
        .map(|i| match &tokens[i] {
            _ if i < n_control => 3,
            _ if i >= n_text => tiny.markers[i - n_text].1,
            token if token.starts_with("<0x") => 6,
            _ => 1,
        })
        .collect();
    let scores: Vec<f32> = (0..tokens.len()).map(|i| -(i as f32)).collect();
    writer
        .strings("tokenizer.ggml.tokens", &tokens)
        .i32s("tokenizer.ggml.token_type", &kinds);
    writer.f32s("tokenizer.ggml.scores", &scores);
    match architecture {
        "gemma4" | DRAFTER => writer
            .str("tokenizer.ggml.model", "gemma4")
            .strings("tokenizer.ggml.merges", &merges),
        "gemma3" => writer.str("tokenizer.ggml.model", "llama"),
        _ => {
            let pre = match architecture {
                "llama" => "smollm",
                "granite" => "refact",
                "smollm3" => "smaug-bpe",
                "phi3" => "gpt-4o",
                "mistral3" => "tekken",
                "qwen35" | "qwen35moe" => "qwen35",
                _ => "qwen2",
            };
            writer
                .str("tokenizer.ggml.model", "gpt2")
                .str("tokenizer.ggml.pre", pre);
            writer.strings("tokenizer.ggml.merges", &merges)
        }
    };
    if gemma {
        writer
            .u32("tokenizer.ggml.bos_token_id", 2)
            .u32("tokenizer.ggml.eos_token_id", tiny.end.unwrap_or(1));
        writer.u32("tokenizer.ggml.unknown_token_id", 3);
        writer
            .bool("tokenizer.ggml.add_bos_token", true)
            .bool("tokenizer.ggml.add_space_prefix", false);
    } else {
        writer
            .u32("tokenizer.ggml.eos_token_id", tiny.end.unwrap_or(2))
            .bool("tokenizer.ggml.add_bos_token", false);
    }
    tokens.len()
}

type Pieces = (Vec<&'static str>, Vec<String>, Vec<String>);

fn gemma_pieces() -> Pieces {
    let control = vec![
        "<pad>",
        "<eos>",
        "<bos>",
        "<unk>",
        "<|turn>",
        "<turn|>",
        "<|channel>",
        "<channel|>",
    ];
    let bytes = (0..=255u8).map(|b| format!("<0x{b:02X}>"));
    let letters = (' '..='~').map(|c| {
        if c == ' ' {
            "▁".into()
        } else {
            c.to_string()
        }
    });
    let words = ["\n", "th", "the", "▁the", "an", "▁an"].map(String::from);
    let merges = ["t h", "th e", "▁ the", "a n", "▁ an"].map(String::from);
    (
        control,
        bytes.chain(letters).chain(words).collect(),
        merges.to_vec(),
    )
}

fn byte_pieces() -> Pieces {
    let control = vec!["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
    let printable = |b: u8| matches!(b, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let mut next = 256;
    let mut letter = |b: u8| {
        let code = if printable(b) {
            u32::from(b)
        } else {
            next += 1;
            next - 1
        };
        char::from_u32(code).unwrap().to_string()
    };
    let mut pieces: Vec<String> = (0..=255).map(&mut letter).collect();
    pieces.extend(["th", "the", "Ġthe", "an", "Ġan"].map(String::from));
    (
        control,
        pieces,
        ["t h", "th e", "Ġ the", "a n", "Ġ an"]
            .map(String::from)
            .to_vec(),
    )
}

/// A small generator of weights.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Between -1 and 1.
    fn float(&mut self) -> f32 {
        self.word() as f32 / (1u32 << 30) as f32 - 1.0
    }

    fn norm(&mut self, n: usize) -> Vec<u8> {
        (0..n)
            .flat_map(|_| (1.0 + 0.3 * self.float()).to_le_bytes())
            .collect()
    }

    /// A matrix whose outputs are about as large as its inputs.
    fn matrix(&mut self, format: Format, rows: usize, cols: usize) -> Vec<u8> {
        let size = 1.7 / (cols as f32).sqrt();
        match format {
            Format::F32 => (0..rows * cols)
                .flat_map(|_| (size * self.float()).to_le_bytes())
                .collect(),
            Format::Q8_0 => self.blocks(rows * cols / 32, 34, &[(0, size / 127.0)]),
            Format::Q4_0 => self.blocks(rows * cols / 32, 18, &[(0, size / 8.0)]),
            Format::Q4_K => self.blocks(
                rows * cols / 256,
                144,
                &[(0, size / 480.0), (2, size / 64.0)],
            ),
            Format::Q6_K => self.blocks(rows * cols / 256, 210, &[(208, size / 2048.0)]),
            Format::IQ4_XS => self.blocks(rows * cols / 256, 136, &[(0, size / 2048.0)]),
            Format::IQ2_S => self.blocks(rows * cols / 256, 82, &[(0, size / 128.0)]),
            Format::MXFP4 => self.tiny_floats(rows * cols / 32, 17, 1, 120),
            Format::NVFP4 => self.tiny_floats(rows * cols / 64, 36, 4, 8),
            other => panic!("no fixture for {other:?}"),
        }
    }

    /// Random blocks that begin with `scales` bytes, each `from` or a little more.
    fn tiny_floats(&mut self, count: usize, bytes: usize, scales: usize, from: u8) -> Vec<u8> {
        let mut out = self.blocks(count, bytes, &[]);
        for block in out.chunks_exact_mut(bytes) {
            block[..scales]
                .iter_mut()
                .for_each(|scale| *scale = from + *scale % 4);
        }
        out
    }

    /// Random blocks with the given halves in place.
    fn blocks(&mut self, count: usize, bytes: usize, halves: &[(usize, f32)]) -> Vec<u8> {
        let mut out = Vec::with_capacity(count * bytes);
        for _ in 0..count {
            let at = out.len();
            out.extend((0..bytes).map(|_| self.word() as u8));
            for &(place, value) in halves {
                let half = reckon_kernels::f32_to_f16(value * (1.0 + 0.5 * self.float()));
                out[at + place..at + place + 2].copy_from_slice(&half.to_le_bytes());
            }
        }
        out
    }
}

/// Collects the tensors of a model.
struct Tensors<'a> {
    tiny: &'a Tiny,
    random: Random,
    parts: Vec<Part>,
}

impl Tensors<'_> {
    fn matrix(&mut self, name: &str, rows: usize, cols: usize) {
        let data = self.random.matrix(self.tiny.format, rows, cols);
        self.parts
            .push((name.to_owned(), self.tiny.format, vec![cols, rows], data));
    }

    fn norm(&mut self, name: &str, n: usize) {
        let data = self.random.norm(n);
        self.parts
            .push((name.to_owned(), Format::F32, vec![n], data));
    }

    fn layer(&mut self, i: usize) {
        let tiny = self.tiny;
        let gemma = tiny.architecture.starts_with("gemma");
        let name = |part: &str| format!("blk.{i}.{part}");
        let (dim, n_ff) = (dim(tiny, i), n_ff(tiny, i));
        let (queries, keys) = (HEADS * dim, kv_heads(tiny, i) * dim);
        let gemma4 = tiny.architecture == "gemma4";
        let keys_as_values = gemma4 && tiny.experts > 0 && !is_sliding(tiny, i);
        let gpt_oss = tiny.architecture == "gpt-oss";
        let fused = tiny.architecture == "phi3";
        let qwen35 = is_qwen35(tiny);
        self.norm(&name("attn_norm.weight"), WIDTH);
        if qwen35 && i % 4 != 3 {
            self.delta(i);
        } else if fused {
            self.matrix(&name("attn_qkv.weight"), queries + 2 * keys, WIDTH);
        } else {
            // Qwen 3.5's queries come with gates.
            let queries = queries * if qwen35 { 2 } else { 1 };
            self.matrix(&name("attn_q.weight"), queries, WIDTH);
        }
        if qwen35 && i % 4 != 3 {
            // Neither keys nor values.
        } else if tiny.architecture != DRAFTER && !fused {
            self.matrix(&name("attn_k.weight"), keys, WIDTH);
            if !keys_as_values {
                self.matrix(&name("attn_v.weight"), keys, WIDTH);
            }
        }
        if !qwen35 || i % 4 == 3 {
            self.matrix(&name("attn_output.weight"), WIDTH, queries);
        }
        self.norm(
            &name(match gpt_oss || qwen35 {
                true => "post_attention_norm.weight",
                false => "ffn_norm.weight",
            }),
            WIDTH,
        );
        if tiny.experts == 0 || gemma4 {
            if fused {
                self.matrix(&name("ffn_up.weight"), 2 * n_ff, WIDTH);
            } else {
                self.matrix(&name("ffn_gate.weight"), n_ff, WIDTH);
                self.matrix(&name("ffn_up.weight"), n_ff, WIDTH);
            }
            self.matrix(&name("ffn_down.weight"), WIDTH, n_ff);
        }
        if tiny.experts > 0 {
            self.experts(i);
        }
        if gemma || matches!(tiny.architecture, "qwen3" | "qwen3moe") || qwen35 && i % 4 == 3 {
            self.norm(&name("attn_q_norm.weight"), dim);
            self.norm(&name("attn_k_norm.weight"), dim);
        }
        if gemma {
            self.norm(&name("post_attention_norm.weight"), WIDTH);
            self.norm(&name("post_ffw_norm.weight"), WIDTH);
        }
        if matches!(tiny.architecture, "qwen2" | "qwen2moe") || gpt_oss {
            for (part, n) in [("attn_q", queries), ("attn_k", keys), ("attn_v", keys)] {
                self.norm(&name(&format!("{part}.bias")), n);
            }
        }
        if gpt_oss {
            self.norm(&name("attn_output.bias"), WIDTH);
            self.norm(&name("attn_sinks.weight"), HEADS);
        }
        if gemma4 && tiny.experts == 0 {
            self.matrix(&name("inp_gate.weight"), PER_LAYER, WIDTH);
            self.matrix(&name("proj.weight"), WIDTH, PER_LAYER);
            self.norm(&name("post_norm.weight"), WIDTH);
        }
        if matches!(tiny.architecture, "gemma4" | DRAFTER) {
            self.norm(&name("layer_output_scale.weight"), 1);
        }
    }
}

impl Tensors<'_> {
    /// A gated delta layer, up to its output.
    fn delta(&mut self, i: usize) {
        let (keys, values) = (DELTA_HEADS.0 * 64, DELTA_HEADS.1 * 64);
        let (heads, width) = (DELTA_HEADS.1, 2 * keys + values);
        let name = |part: &str| format!("blk.{i}.{part}");
        self.matrix(&name("attn_qkv.weight"), width, WIDTH);
        self.matrix(&name("attn_gate.weight"), values, WIDTH);
        self.matrix(&name("ssm_alpha.weight"), heads, WIDTH);
        self.matrix(&name("ssm_beta.weight"), heads, WIDTH);
        self.matrix(&name("ssm_out.weight"), WIDTH, values);
        self.norm(&name("ssm_norm.weight"), 64);
        self.norm(&name("ssm_dt.bias"), heads);
        // One head forgets within a few tokens, the last hardly at all.
        let factors = [-1.0f32, -0.3, -0.05, -0.005];
        self.floats(&name("ssm_a"), vec![heads], &factors);
        let taps: Vec<f32> = (0..width * TAPS).map(|_| self.random.float()).collect();
        self.floats(&name("ssm_conv1d.weight"), vec![TAPS, width], &taps);
    }

    fn floats(&mut self, name: &str, dims: Vec<usize>, values: &[f32]) {
        let data = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.parts.push((name.to_owned(), Format::F32, dims, data));
    }

    /// A tensor with a matrix for each expert.
    fn expert_matrices(&mut self, name: &str, rows: usize, cols: usize) {
        let (format, count) = (self.tiny.format, self.tiny.experts);
        let data = self.random.matrix(format, count * rows, cols);
        let dims = vec![cols, rows, count];
        self.parts.push((name.to_owned(), format, dims, data));
    }

    fn experts(&mut self, i: usize) {
        let count = self.tiny.experts;
        let name = |part: &str| format!("blk.{i}.{part}");
        let router = self.random.matrix(Format::F32, count, WIDTH);
        let dims = vec![WIDTH, count];
        self.parts
            .push((name("ffn_gate_inp.weight"), Format::F32, dims, router));
        if self.tiny.architecture == "gemma4" {
            self.expert_matrices(&name("ffn_gate_up_exps.weight"), 2 * EXPERT_FF, WIDTH);
            self.norm(&name("ffn_down_exps.scale"), count);
            // The router divides by the root of the width.
            let scale = (0..WIDTH).flat_map(|i| (12.0 + (i % 9) as f32).to_le_bytes());
            let scale: Vec<u8> = scale.collect();
            self.parts
                .push((name("ffn_gate_inp.scale"), Format::F32, vec![WIDTH], scale));
            for part in ["pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"] {
                self.norm(&name(&format!("{part}.weight")), WIDTH);
            }
        } else {
            self.expert_matrices(&name("ffn_gate_exps.weight"), EXPERT_FF, WIDTH);
            self.expert_matrices(&name("ffn_up_exps.weight"), EXPERT_FF, WIDTH);
        }
        self.expert_matrices(&name("ffn_down_exps.weight"), WIDTH, EXPERT_FF);
        if matches!(self.tiny.architecture, "qwen2moe" | "qwen35moe") {
            self.matrix(&name("ffn_gate_shexp.weight"), 512, WIDTH);
            self.matrix(&name("ffn_up_shexp.weight"), 512, WIDTH);
            self.matrix(&name("ffn_down_shexp.weight"), WIDTH, 512);
            let gate = self.random.matrix(Format::F32, 1, WIDTH);
            let name = name("ffn_gate_inp_shexp.weight");
            self.parts.push((name, Format::F32, vec![WIDTH], gate));
        }
        if self.tiny.architecture == "gpt-oss" {
            self.norm(&name("ffn_gate_inp.bias"), count);
            let rows = [("gate", EXPERT_FF), ("up", EXPERT_FF), ("down", WIDTH)];
            for (part, rows) in rows {
                let data = self.random.norm(rows * count);
                let name = name(&format!("ffn_{part}_exps.bias"));
                self.parts
                    .push((name, Format::F32, vec![rows, count], data));
            }
        }
    }
}

fn tensors(tiny: &Tiny, n_vocab: usize) -> Vec<Part> {
    let mut all = Tensors {
        tiny,
        random: Random(tiny.seed),
        parts: Vec::new(),
    };
    all.matrix("token_embd.weight", n_vocab, WIDTH);
    all.norm("output_norm.weight", WIDTH);
    if tiny.architecture == "gemma4" && tiny.experts == 0 {
        let columns = tiny.n_layer * PER_LAYER;
        all.matrix("per_layer_token_embd.weight", n_vocab, columns);
        all.matrix("per_layer_model_proj.weight", columns, WIDTH);
        all.norm("per_layer_proj_norm.weight", PER_LAYER);
    }
    if matches!(tiny.architecture, "gemma4" | DRAFTER) {
        let factors: Vec<u8> = (0..32)
            .flat_map(|i| if i < 8 { 1f32 } else { 1e30 }.to_le_bytes())
            .collect();
        all.parts
            .push(("rope_freqs.weight".into(), Format::F32, vec![32], factors));
    }
    if tiny.architecture == "phi3" {
        for (size, step) in [("short", 0.02f32), ("long", 0.4)] {
            let factors = (0..24u8).flat_map(|i| (1.0 + step * f32::from(i)).to_le_bytes());
            let name = format!("rope_factors_{size}.weight");
            all.parts
                .push((name, Format::F32, vec![24], factors.collect()));
        }
    }
    for i in 0..tiny.n_layer {
        all.layer(i);
    }
    if tiny.architecture == DRAFTER {
        all.matrix("nextn.pre_projection.weight", WIDTH, 2 * WIDTH);
        all.matrix("nextn.post_projection.weight", WIDTH, WIDTH);
    }
    if tiny.top > 0 {
        all.matrix("masked_embd_centroids.weight", n_vocab / OWNED, WIDTH);
        // Every seventh token, around and around, is each token once.
        let order = (0..n_vocab).map(|i| (i * 7 % n_vocab) as f32);
        let order: Vec<u8> = order.flat_map(f32::to_le_bytes).collect();
        all.parts.push((
            "masked_embd_ordering".into(),
            Format::F32,
            vec![n_vocab],
            order,
        ));
    }
    all.parts
}
