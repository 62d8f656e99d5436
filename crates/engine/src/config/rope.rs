//! RoPE: how fast each pair of a head rotates, and how a file stretches that for contexts longer than it was trained on.
//!
//! Read once at load by `Config`. Frequencies are `base^(-2i/n)` for pair i of n/2, and then by `rope.scaling.type`:
//! - linear: all divided by the factor;
//! - YaRN: fast pairs stay, slow ones are divided, those between are mixed; cosine and sine grow by a magnitude;
//! - LongRoPE: each pair is divided by a number of its own, from one list for short contexts and one for long ones.
//!
//! Llama 3's way is none of these: its converter writes the divisors as `rope_freqs.weight`. Other ways are refused.
//!
//! Keys are those of llama.cpp, sums those of Hugging Face `modeling_rope_utils.py`. Two places where these differ:
//! `yarn_attn_factor` holds the `attention_factor` of a published config, which is the whole magnitude, while llama.cpp
//! puts its own in that place; and llama.cpp reads the two betas for some architectures only, here they count for all.
//! Everything is computed in f64 by a pure Rust library, so that every platform gets the same angles.

use super::{Family, Layer, MetadataKeys, floats};
use crate::{Error, Result};
use reckon_gguf::File;
use std::f64::consts::PI;

/// `Layer::rope` of full layers, of sliding ones with a RoPE of their own, and of layers that do not rotate.
pub(super) const FULL: usize = 0;
pub(super) const SLIDING: usize = 1;
pub(super) const NONE: usize = 2;

/// The longest context that a file may name.
const MOST_CONTEXT: usize = 1 << 24;

/// How a kind of layer rotates its queries and keys.
#[derive(Clone, Debug)]
pub(crate) struct RopeFrequencies {
    /// Angle per position for each pair; none where nothing is rotated.
    pub(crate) frequencies: Vec<f64>,
    /// Factor on cosine and sine. Attention scores grow by its square.
    pub(crate) magnitude: f64,
    /// LongRoPE: what a context of more than `n_ctx_short` takes instead.
    long: Option<LongContext>,
}

#[derive(Clone, Debug)]
struct LongContext {
    n_ctx_short: usize,
    frequencies: Vec<f64>,
}

impl RopeFrequencies {
    fn plain(frequencies: Vec<f64>) -> Self {
        Self {
            frequencies,
            magnitude: 1.0,
            long: None,
        }
    }

    /// The longest context that has the frequencies of short ones, where there are two lists.
    pub(super) fn n_ctx_short(&self) -> Option<usize> {
        self.long.as_ref().map(|long| long.n_ctx_short)
    }

    /// Settles on the frequencies of a context of `n_ctx`.
    ///
    /// The size of the context decides, as in llama.cpp, and not the length of each prompt, as in `transformers`: keys
    /// stay in the KV cache, and those of one sequence must all have been rotated by the same frequencies.
    pub(super) fn settle(&mut self, n_ctx: usize) {
        if let Some(long) = self.long.take_if(|long| n_ctx > long.n_ctx_short) {
            self.frequencies = long.frequencies;
        }
    }
}

/// RoPE of each kind of layer, by `Layer::rope`. `n_ctx` is the context that the model was made for.
pub(super) fn ropes(
    keys: &MetadataKeys<'_>,
    family: &Family,
    file: &File,
    layers: &[Layer],
    n_ctx: usize,
) -> Result<Vec<RopeFrequencies>> {
    let dim = |rope: usize| Some(layers.iter().find(|layer| layer.rope == rope)?.dim);
    let none = || RopeFrequencies::plain(Vec::new());
    // Granite's converter uses this key to say whether anything is rotated at all.
    let switch = keys.key("rope.scaling.finetuned");
    if keys.architecture == "granite" && keys.meta.opt_bool(&switch)? == Some(false) {
        return Err(Error::Model("granite without RoPE is not supported".into()));
    }
    let full = match dim(FULL) {
        Some(dim) => Source { keys, file }.full(dim, n_ctx)?,
        None => none(),
    };
    let sliding = match (dim(SLIDING), family.local_base) {
        (Some(dim), Some(base)) => {
            let n_rot = n_rot(keys, "rope.dimension_count_swa", dim)?;
            let base = keys.opt_factor("rope.freq_base_swa")?.unwrap_or(base);
            RopeFrequencies::plain(unscaled(f64::from(base), n_rot))
        }
        _ => none(),
    };
    Ok(vec![full, sliding, none()])
}

/// Elements of a head that are rotated: an even number. A file may give one count for heads of two sizes; no layer
/// rotates more than it has.
fn n_rot(keys: &MetadataKeys<'_>, name: &str, dim: usize) -> Result<usize> {
    let count = keys.opt_size(name, 4096)?.unwrap_or(dim);
    Ok(count.min(dim) / 2 * 2)
}

#[expect(clippy::cast_precision_loss, reason = "n_rot is at most 4096")]
fn unscaled(base: f64, n_rot: usize) -> Vec<f64> {
    let pair = |i: usize| libm::pow(base, -2.0 * i as f64 / n_rot as f64);
    (0..n_rot / 2).map(pair).collect()
}

/// Where the RoPE of full layers is read from.
struct Source<'a> {
    keys: &'a MetadataKeys<'a>,
    file: &'a File,
}

impl Source<'_> {
    fn full(&self, dim: usize, n_ctx: usize) -> Result<RopeFrequencies> {
        let n_rot = n_rot(self.keys, "rope.dimension_count", dim)?;
        let base = self.keys.opt_factor("rope.freq_base")?.unwrap_or(10_000.0);
        let base = f64::from(base);
        let own = unscaled(base, n_rot);
        let factor = match self.keys.opt_factor("rope.scaling.factor")? {
            None => self.keys.opt_factor("rope.scale_linear")?,
            some => some,
        };
        let mut rope = match (self.kind()?, factor) {
            ("none", _) => RopeFrequencies::plain(own),
            ("linear", factor) => {
                let step = 1.0 / f64::from(factor.unwrap_or(1.0));
                RopeFrequencies::plain(own.into_iter().map(|f| f * step).collect())
            }
            ("yarn", Some(factor)) => self.yarn(&own, base, f64::from(factor))?,
            ("yarn", None) => {
                let key = self.keys.key("rope.scaling.factor");
                return Err(Error::Model(format!("yarn needs a {key}")));
            }
            ("longrope", factor) => self.long(&own, factor.map(f64::from), n_ctx)?,
            (other, _) => {
                return Err(Error::Model(format!(
                    "rope scaling '{other}' is not supported"
                )));
            }
        };
        if rope.long.is_none() && self.file.opt_tensor("rope_freqs.weight").is_some() {
            rope.frequencies = self.divided("rope_freqs.weight", &rope.frequencies)?;
        }
        Ok(rope)
    }

    /// `rope.scaling.type`. Without one, a file with the two lists of LongRoPE (Phi 3) has that, and one with a factor
    /// (files from before the key) is stretched linearly.
    fn kind(&self) -> Result<&str> {
        let long = self.file.opt_tensor("rope_factors_long.weight").is_some();
        let kind = self
            .keys
            .meta
            .opt_str(&self.keys.key("rope.scaling.type"))?;
        Ok(match kind {
            None | Some("none") if long => "longrope",
            None => "linear",
            Some(kind) => kind,
        })
    }

    /// YaRN: pairs that turn more than `beta_fast` times within the original context keep their frequency, those that
    /// turn less than `beta_slow` times are divided by the factor, and the ones between lie between, on a ramp.
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
    fn yarn(&self, own: &[f64], base: f64, factor: f64) -> Result<RopeFrequencies> {
        let keys = self.keys;
        // llama.cpp has a factor on the ramp, -1 where nobody set it; no model that was published has another than 1.
        let ext_factor = keys.opt_f32("rope.scaling.yarn_ext_factor")?.unwrap_or(1.0);
        if ext_factor != 1.0 && ext_factor != -1.0 {
            return Err(Error::Model(format!(
                "rope scaling 'yarn' with a yarn_ext_factor of {ext_factor} is not supported"
            )));
        }
        let beta = |name: &str, usual: f32| keys.opt_factor(name).map(|b| b.unwrap_or(usual));
        let fast = f64::from(beta("rope.scaling.yarn_beta_fast", 32.0)?);
        let slow = f64::from(beta("rope.scaling.yarn_beta_slow", 1.0)?);
        let original = self.original()? as f64;
        let n_rot = 2.0 * own.len() as f64;
        // The pair, as a real number, that turns so many times within the original context.
        let pair =
            |turns: f64| n_rot * libm::log(original / (turns * 2.0 * PI)) / (2.0 * libm::log(base));
        // gpt-oss does not round the ends of the ramp (`truncate: false` of its config). No key says so, and llama.cpp rounds.
        let ends = match keys.architecture {
            "gpt-oss" => (pair(fast), pair(slow)),
            _ => (pair(fast).floor(), pair(slow).ceil()),
        };
        let (low, high) = (ends.0.max(0.0), ends.1.min(n_rot - 1.0));
        let frequencies = own.iter().enumerate().map(|(i, own)| {
            let ramp = (i as f64 - low) / (high - low).max(0.001);
            let kept = 1.0 - ramp.clamp(0.0, 1.0);
            own / factor * (1.0 - kept) + own * kept
        });
        Ok(RopeFrequencies {
            magnitude: self.yarn_magnitude(factor)?,
            ..RopeFrequencies::plain(frequencies.collect())
        })
    }

    /// 1 + 0.1 ln s for a factor of s, unless the file says otherwise.
    fn yarn_magnitude(&self, factor: f64) -> Result<f64> {
        let grown = |by: f64| match factor > 1.0 {
            true => 1.0 + 0.1 * by * libm::log(factor),
            false => 1.0,
        };
        let own = self.keys.opt_factor("rope.scaling.yarn_attn_factor")?;
        let all_dims = self.keys.opt_factor("rope.scaling.yarn_log_multiplier")?;
        let magnitude = match (own, all_dims) {
            (Some(own), _) => f64::from(own),
            (None, Some(all_dims)) => grown(1.0) / grown(f64::from(all_dims)),
            (None, None) => grown(1.0),
        };
        let attn_factor = self.keys.opt_factor("rope.scaling.attn_factor")?;
        Ok(magnitude * attn_factor.map_or(1.0, f64::from))
    }

    /// LongRoPE. A converter writes the magnitude; without it, it is what `transformers` makes of how much longer the
    /// context became.
    #[expect(clippy::cast_precision_loss, reason = "contexts are at most 2^24")]
    fn long(&self, own: &[f64], factor: Option<f64>, n_ctx: usize) -> Result<RopeFrequencies> {
        let original = self.original()?;
        let growth = factor.unwrap_or(n_ctx as f64 / original as f64);
        let magnitude = match self.keys.opt_factor("rope.scaling.attn_factor")? {
            Some(factor) => f64::from(factor),
            None if growth <= 1.0 => 1.0,
            // `max`: a context of one token has a logarithm of 0.
            None => {
                let original = libm::log(original.max(2) as f64);
                (1.0 + libm::log(growth) / original).sqrt()
            }
        };
        Ok(RopeFrequencies {
            frequencies: self.divided("rope_factors_short.weight", own)?,
            magnitude,
            long: Some(LongContext {
                n_ctx_short: original,
                frequencies: self.divided("rope_factors_long.weight", own)?,
            }),
        })
    }

    /// The context that the model was trained on before it was stretched.
    fn original(&self) -> Result<usize> {
        let name = "rope.scaling.original_context_length";
        self.keys.size(name, MOST_CONTEXT)
    }

    /// Each frequency divided by what a tensor of the file has for it.
    fn divided(&self, name: &str, frequencies: &[f64]) -> Result<Vec<f64>> {
        let factors = floats(self.file, name, frequencies.len())?;
        // 1e30 (Gemma 4's way to say "not rotated") is fine, zero is not.
        if factors.iter().any(|f| !f.is_finite() || *f <= 0.0) {
            return Err(Error::Model(format!(
                "{name} holds a factor that is not positive"
            )));
        }
        let pairs = frequencies.iter().zip(factors);
        Ok(pairs.map(|(own, f)| own / f64::from(f)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckon_gguf::{Format, Writer};

    /// A file with these keys and tensors, and what becomes of it for heads of `dim`.
    struct Case {
        dim: usize,
        n_ctx: usize,
        kind: Option<&'static str>,
        numbers: &'static [(&'static str, f32)],
        original: Option<u32>,
        tensors: Vec<(&'static str, Vec<f32>)>,
    }

    impl Default for Case {
        fn default() -> Self {
            Self {
                dim: 64,
                n_ctx: 131_072,
                kind: Some("yarn"),
                numbers: &[],
                original: Some(4096),
                tensors: Vec::new(),
            }
        }
    }

    impl Case {
        fn read(&self) -> Result<RopeFrequencies> {
            let mut writer = Writer::new();
            for (name, value) in self.numbers {
                writer.f32(&format!("llama.rope.{name}"), *value);
            }
            if let Some(kind) = self.kind {
                writer.str("llama.rope.scaling.type", kind);
            }
            if let Some(original) = self.original {
                writer.u32("llama.rope.scaling.original_context_length", original);
            }
            let bytes = |values: &[f32]| -> Vec<u8> {
                values.iter().flat_map(|x| x.to_le_bytes()).collect()
            };
            for (name, values) in &self.tensors {
                writer.tensor(name, Format::F32, &[values.len()]).unwrap();
            }
            let data: Vec<Vec<u8>> = self.tensors.iter().map(|(_, v)| bytes(v)).collect();
            let data: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
            let file = File::parse(writer.to_vec(&data).unwrap()).unwrap();
            let keys = MetadataKeys {
                meta: file.metadata(),
                architecture: "llama",
            };
            Source {
                keys: &keys,
                file: &file,
            }
            .full(self.dim, self.n_ctx)
        }

        #[track_caller]
        fn is(&self, pairs: &[(usize, f64)], magnitude: f64) {
            let rope = self.read().unwrap();
            near(&rope.frequencies, pairs);
            assert!((rope.magnitude - magnitude).abs() < 1e-7, "{rope:?}");
        }

        #[track_caller]
        fn refused(&self, part: &str) {
            let message = self.read().unwrap_err().to_string();
            assert!(message.contains(part), "'{part}' is not in: {message}");
        }
    }

    #[track_caller]
    fn near(frequencies: &[f64], pairs: &[(usize, f64)]) {
        for &(i, want) in pairs {
            let got = frequencies[i];
            assert!((got / want - 1.0).abs() < 1e-5, "pair {i}: {got} {want}");
        }
    }

    /// Frequencies and magnitudes are those of `ROPE_INIT_FUNCTIONS` in `transformers` 5.22.
    #[test]
    fn yarn_is_that_of_transformers() {
        let qwen = Case {
            dim: 128,
            original: Some(32_768),
            numbers: &[("freq_base", 1e6), ("scaling.factor", 4.0)],
            ..Case::default()
        };
        let pairs = [
            (1, 8.058_422_21e-1),
            (20, 1.333_521_49e-2),
            (30, 1.064_360_96e-3),
            (40, 4.445_698_51e-5),
            (63, 3.102_344_41e-7),
        ];
        qwen.is(&pairs, 1.138_629_436);
        let mistral = Case {
            dim: 128,
            original: Some(16_384),
            numbers: &[
                ("freq_base", 1e6),
                ("scaling.factor", 16.0),
                ("scaling.yarn_beta_fast", 32.0),
                ("scaling.yarn_beta_slow", 1.0),
                ("scaling.yarn_log_multiplier", 1.0),
            ],
            ..Case::default()
        };
        mistral.is(&[(30, 6.907_022_91e-4), (40, 1.111_424_63e-5)], 1.0);
        let all_dims = Case {
            numbers: &[
                ("scaling.factor", 40.0),
                ("scaling.yarn_ext_factor", -1.0),
                ("scaling.yarn_log_multiplier", 0.707),
            ],
            ..Case::default()
        };
        let pairs = [(10, 5.623_412_88e-2), (15, 8.334_509_1e-3)];
        all_dims.is(&pairs, 1.085_726_399);
        let own = Case {
            original: Some(2048),
            numbers: &[
                ("scaling.factor", 8.0),
                ("scaling.yarn_attn_factor", 1.3),
                ("scaling.yarn_beta_fast", 16.0),
                ("scaling.yarn_beta_slow", 2.0),
            ],
            ..Case::default()
        };
        own.is(&[(15, 6.042_519_58e-3), (31, 1.666_901_88e-5)], 1.3);
    }

    fn long() -> Case {
        let list = |step: f32| (0..48u8).map(|i| 1.0 + step * f32::from(i)).collect();
        Case {
            dim: 96,
            kind: Some("longrope"),
            tensors: vec![
                ("rope_factors_short.weight", list(0.05)),
                ("rope_factors_long.weight", list(0.5)),
            ],
            ..Case::default()
        }
    }

    #[test]
    fn longrope_is_that_of_transformers_and_the_context_chooses() {
        let mut rope = long().read().unwrap();
        assert_eq!(rope.n_ctx_short(), Some(4096));
        let short = [(10, 9.785_328_06e-2), (47, 3.616_500_18e-5)];
        rope.settle(4096);
        near(&rope.frequencies, &short);
        rope.settle(4097);
        near(
            &rope.frequencies,
            &[(10, 2.446_332_02e-2), (47, 4.945_010_46e-6)],
        );
        long().is(&short, 1.190_238_071);
        // Phi 3's files have no type, and their own magnitude.
        let phi3 = Case {
            kind: None,
            numbers: &[("scaling.attn_factor", 1.25)],
            ..long()
        };
        phi3.is(&short, 1.25);
    }

    #[test]
    fn without_a_type_a_factor_is_linear() {
        let plain = |numbers| Case {
            kind: None,
            numbers,
            ..Case::default()
        };
        plain(&[]).is(&[(0, 1.0), (16, 1e-2)], 1.0);
        plain(&[("scale_linear", 4.0)]).is(&[(0, 0.25), (16, 2.5e-3)], 1.0);
        plain(&[("scaling.factor", 0.0)]).is(&[(0, 1.0)], 1.0);
        let none = Case {
            kind: Some("none"),
            ..plain(&[("scaling.factor", 4.0)])
        };
        none.is(&[(0, 1.0)], 1.0);
    }

    #[test]
    fn hostile_settings_are_refused_by_name() {
        let yarn = |numbers| Case {
            numbers,
            ..Case::default()
        };
        yarn(&[]).refused("rope.scaling.factor");
        yarn(&[("scaling.factor", 0.0)]).refused("rope.scaling.factor");
        yarn(&[("scaling.factor", -4.0)]).refused("-4");
        yarn(&[("scaling.factor", f32::NAN)]).refused("NaN");
        yarn(&[("freq_base", f32::INFINITY)]).refused("freq_base");
        yarn(&[("scaling.factor", 4.0), ("scaling.yarn_beta_slow", -1.0)]).refused("beta_slow");
        yarn(&[("scaling.factor", 4.0), ("scaling.yarn_ext_factor", 0.5)]).refused("ext_factor");
        let unknown = Case {
            kind: Some("dynamic"),
            ..Case::default()
        };
        unknown.refused("dynamic");
        for original in [None, Some(0), Some(u32::MAX)] {
            let yarn = Case {
                original,
                ..yarn(&[("scaling.factor", 4.0)])
            };
            yarn.refused("original_context_length");
            Case { original, ..long() }.refused("original_context_length");
        }
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let mut case = long();
            case.tensors[1].1[7] = bad;
            case.refused("rope_factors_long");
        }
        let mut case = long();
        case.tensors[0].1.pop();
        case.refused("rope_factors_short");
        let mut case = long();
        case.tensors.remove(0);
        case.refused("rope_factors_short");
    }

    /// Settings without sense that are numbers: whatever comes out, it is finite.
    #[test]
    fn odd_settings_stay_finite() {
        for base in [1e-30, 0.5, 1.0, 1e30] {
            for (dim, original) in [(2, 1), (16, 1 << 24), (64, 4096)] {
                let numbers = [("freq_base", base), ("scaling.factor", 1e-20)];
                let case = Case {
                    dim,
                    original: Some(original),
                    numbers: Vec::leak(numbers.to_vec()),
                    ..Case::default()
                };
                let rope = case.read().unwrap();
                assert_eq!(rope.frequencies.len(), dim / 2);
                assert!(rope.frequencies.iter().all(|f| f.is_finite()), "{rope:?}");
                assert!(rope.magnitude.is_finite());
            }
        }
        let odd = Case {
            dim: 17,
            kind: None,
            ..Case::default()
        };
        assert_eq!(odd.read().unwrap().frequencies.len(), 8);
    }
}
