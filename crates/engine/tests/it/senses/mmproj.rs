//! Small random mmproj files, made in memory, whose bounds bite.

use reckon_gguf::{File, Format, Writer};

/// Widths of the encoders; the language model of `fixture` is 256 wide.
pub(crate) const WIDTH: usize = 256;
pub(crate) const VISION: usize = 64;
pub(crate) const VISION_HEADS: usize = 2;
pub(crate) const AUDIO: usize = 64;
pub(crate) const AUDIO_HEADS: usize = 4;
pub(crate) const LAYERS: usize = 2;
pub(crate) const POSITIONS: usize = 9;
pub(crate) const CHANNELS: [usize; 2] = [8, 4];
const VISION_FF: usize = 96;
const AUDIO_FF: usize = 128;
const AUDIO_OUT: usize = 96;

/// One tensor: name, format, dims in GGUF order, bytes.
pub(crate) type Part = (String, Format, Vec<usize>, Vec<u8>);

/// A file before it is written, so that tests can damage it.
pub(crate) struct Mmproj {
    pub(crate) numbers: Vec<(String, u32)>,
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) switches: Vec<(String, bool)>,
    pub(crate) parts: Vec<Part>,
    format: Format,
    positions: usize,
    seed: u64,
}

/// The file with matrices of this format.
pub(crate) fn file(format: Format) -> File {
    Mmproj::new(format).file()
}

impl Mmproj {
    pub(crate) fn new(format: Format) -> Self {
        Self::with_positions(format, POSITIONS)
    }

    /// With places for so many patches a side; an image of any size has up to 48 if it is square.
    pub(crate) fn with_positions(format: Format, positions: usize) -> Self {
        let mut all = Self {
            numbers: Vec::new(),
            texts: Vec::new(),
            switches: Vec::new(),
            parts: Vec::new(),
            format,
            positions,
            seed: 7,
        };
        all.metadata();
        all.vision();
        all.audio();
        all
    }

    pub(crate) fn file(&self) -> File {
        File::parse(self.to_vec()).expect("a valid file")
    }

    /// The bytes of the file.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        for (key, value) in &self.texts {
            writer.str(key, value);
        }
        for (key, value) in &self.numbers {
            writer.u32(key, *value);
        }
        for (key, value) in &self.switches {
            writer.bool(key, *value);
        }
        for (name, format, dims, _) in &self.parts {
            writer.tensor(name, *format, dims).expect("a valid tensor");
        }
        let data: Vec<&[u8]> = self.parts.iter().map(|(.., data)| &data[..]).collect();
        writer.to_vec(&data).expect("a valid file")
    }

    fn metadata(&mut self) {
        for (key, value) in [
            ("general.architecture", "clip"),
            ("clip.vision.projector_type", "gemma4v"),
            ("clip.audio.projector_type", "gemma4a"),
        ] {
            self.texts.push((key.into(), value.into()));
        }
        for key in ["clip.has_vision_encoder", "clip.has_audio_encoder"] {
            self.switches.push((key.into(), true));
        }
        for (key, value) in [
            ("vision.patch_size", 16),
            ("vision.embedding_length", VISION),
            ("vision.feed_forward_length", VISION_FF),
            ("vision.block_count", LAYERS),
            ("vision.attention.head_count", VISION_HEADS),
            ("audio.embedding_length", AUDIO),
            ("audio.feed_forward_length", AUDIO_FF),
            ("audio.block_count", LAYERS),
            ("audio.attention.head_count", AUDIO_HEADS),
            ("audio.num_mel_bins", 128),
        ] {
            let value = u32::try_from(value).unwrap();
            self.numbers.push((format!("clip.{key}"), value));
        }
    }

    fn vision(&mut self) {
        self.floats("v.patch_embd.weight", &[16, 16, 3, VISION], 0.1, 0.0);
        self.floats(
            "v.position_embd.weight",
            &[VISION, self.positions, 2],
            0.5,
            0.0,
        );
        for i in 0..LAYERS {
            let name = |part: &str| format!("v.blk.{i}.{part}");
            let dim = VISION / VISION_HEADS;
            for (part, len) in [
                ("ln1", VISION),
                ("attn_q_norm", dim),
                ("attn_k_norm", dim),
                ("attn_post_norm", VISION),
                ("ln2", VISION),
                ("ffn_post_norm", VISION),
            ] {
                self.norm(&name(part), len);
            }
            for part in ["attn_q", "attn_k", "attn_v", "attn_out"] {
                self.linear(&name(part), VISION, VISION);
            }
            self.linear(&name("ffn_gate"), VISION_FF, VISION);
            self.linear(&name("ffn_up"), VISION_FF, VISION);
            self.linear(&name("ffn_down"), VISION, VISION_FF);
        }
        self.matrix("mm.input_projection.weight", WIDTH, VISION);
    }

    fn audio(&mut self) {
        let [first, second] = CHANNELS;
        self.floats("a.conv1d.0.weight", &[3, 3, 1, first], 0.5, 0.0);
        self.norm("a.conv1d.0.norm", first);
        self.floats("a.conv1d.1.weight", &[3, 3, first, second], 0.2, 0.0);
        self.norm("a.conv1d.1.norm", second);
        self.matrix("a.input_projection.weight", AUDIO, 32 * second);
        for i in 0..LAYERS {
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
                self.norm(&name(part), AUDIO);
            }
            self.norm(&name("per_dim_scale"), AUDIO / AUDIO_HEADS);
            for part in ["attn_q", "attn_k", "attn_v", "attn_out", "conv_pw2"] {
                self.linear(&name(part), AUDIO, AUDIO);
            }
            for ending in ["", "_1"] {
                self.linear(&name(&format!("ffn_up{ending}")), AUDIO_FF, AUDIO);
                self.linear(&name(&format!("ffn_down{ending}")), AUDIO, AUDIO_FF);
            }
            self.linear(&name("conv_pw1"), 2 * AUDIO, AUDIO);
            self.matrix(&name("attn_k_rel.weight"), AUDIO, AUDIO);
            self.floats(&name("conv_dw.weight"), &[5, AUDIO], 0.5, 0.0);
        }
        self.matrix("a.pre_encode.out.weight", AUDIO_OUT, AUDIO);
        self.floats("a.pre_encode.out.bias", &[AUDIO_OUT], 0.3, 0.0);
        self.matrix("mm.a.input_projection.weight", WIDTH, AUDIO_OUT);
    }

    /// Between -1 and 1.
    fn random(&mut self) -> f32 {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    fn floats(&mut self, name: &str, dims: &[usize], size: f32, middle: f32) {
        let n = dims.iter().product();
        let data = (0..n).flat_map(|_| (middle + size * self.random()).to_le_bytes());
        let data = data.collect();
        self.parts
            .push((name.into(), Format::F32, dims.to_vec(), data));
    }

    fn norm(&mut self, name: &str, len: usize) {
        self.floats(&format!("{name}.weight"), &[len], 0.4, 1.0);
    }

    /// A matrix and bounds that some inputs and outputs reach.
    fn linear(&mut self, name: &str, rows: usize, cols: usize) {
        self.matrix(&format!("{name}.weight"), rows, cols);
        for (bound, middle) in [
            ("input_min", -1.3),
            ("input_max", 1.2),
            ("output_min", -1.1),
            ("output_max", 1.4),
        ] {
            self.floats(&format!("{name}.{bound}"), &[1], 0.2, middle);
        }
    }

    fn matrix(&mut self, name: &str, rows: usize, cols: usize) {
        let size = 1.7 / (cols as f32).sqrt();
        let mut data = Vec::new();
        match self.format {
            Format::F32 => {
                (0..rows * cols).for_each(|_| data.extend((size * self.random()).to_le_bytes()));
            }
            Format::BF16 => (0..rows * cols).for_each(|_| {
                let bits = (size * self.random()).to_bits();
                data.extend(((bits >> 16) as u16).to_le_bytes());
            }),
            Format::F16 => (0..rows * cols).for_each(|_| {
                let half = reckon_kernels::f32_to_f16(size * self.random());
                data.extend(half.to_le_bytes());
            }),
            Format::Q8_0 => (0..rows * cols / 32).for_each(|_| {
                data.extend(reckon_kernels::f32_to_f16(size / 127.0).to_le_bytes());
                (0..32).for_each(|_| data.push((127.0 * self.random()) as i8 as u8));
            }),
            other => panic!("no fixture for {other:?}"),
        }
        self.parts
            .push((name.into(), self.format, vec![cols, rows], data));
    }
}
