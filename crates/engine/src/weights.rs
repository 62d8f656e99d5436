//! The weights of a model, checked against its config and packed for the GEMM kernels.
//!
//! Built once at load and read-only after. Matrices are packed and their pages of the file are released, so that no
//! weight is held twice; the two embedding tables stay in the file, because a token needs one row of them. Fused
//! matrices (Phi 3) are split while they are read, so that a forward pass knows nothing of them. Tensors that
//! the config does not use (Gemma 4 ships dead K/V projections in layers that share a KV cache) are never touched.

mod delta;
mod experts;

use crate::config::{Config, Layer, floats, shaped};
use crate::{Error, LoadStep, Result};
pub(crate) use delta::DeltaWeights;
pub(crate) use experts::{Expert, ExpertWeights};
use reckon_gguf::{File, Tensor};
use reckon_kernels::{Format, Matrix, MatrixSource, Pool};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Everything a forward pass reads.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) layers: Vec<LayerWeights>,
    pub(crate) output_norm: Vec<f32>,
    /// From the last hidden state to logits; in a drafter with a shortlist, to the scores of its centroids.
    pub(crate) head: Matrix,
    pub(crate) per_layer: Option<PerLayerProjection>,
}

/// Gemma 4: what makes the per-layer inputs of a token, besides its row of the per-layer table.
#[derive(Debug)]
pub(crate) struct PerLayerProjection {
    /// Projection for the layers that every token goes through, and for those that only wanted tokens do.
    pub(crate) below: Matrix,
    pub(crate) above: Matrix,
    pub(crate) norm: Vec<f32>,
}

/// The weights of one layer.
#[derive(Debug)]
pub(crate) struct LayerWeights {
    pub(crate) attention_norm: Vec<f32>,
    pub(crate) mixer: Mixer,
    pub(crate) post_attention_norm: Option<Vec<f32>>,
    pub(crate) ffn_norm: Vec<f32>,
    /// A layer has a dense network, experts or both.
    pub(crate) dense: Option<DenseWeights>,
    pub(crate) experts: Option<ExpertWeights>,
    pub(crate) post_ffn_norm: Option<Vec<f32>>,
    pub(crate) per_layer_input: Option<PerLayerInput>,
    /// Factor on the whole residual stream at the end of the layer.
    pub(crate) scale: Option<f32>,
}

/// How the tokens of a sequence meet in a layer.
#[derive(Debug)]
pub(crate) enum Mixer {
    Attention(AttentionWeights),
    Delta(DeltaWeights),
}

/// Attention over a KV cache.
#[derive(Debug)]
pub(crate) struct AttentionWeights {
    /// Where queries come with gates: of each head first the query, then the gate.
    pub(crate) query: Projection,
    /// Absent in layers that share another layer's KV cache.
    pub(crate) kv: Option<KvWeights>,
    pub(crate) query_norm: Option<Vec<f32>>,
    pub(crate) output: Projection,
    /// Scores of attention that have no value, one for each query head.
    pub(crate) sinks: Option<Vec<f32>>,
}

impl AttentionWeights {
    /// Bytes that one decoded token reads.
    fn bytes(&self) -> usize {
        let kv = self.kv.iter().flat_map(KvWeights::matrices);
        let own = [&self.query.matrix, &self.output.matrix].into_iter();
        own.chain(kv).map(Matrix::bytes).sum()
    }
}

/// The K and V projections of a layer that owns a KV cache.
#[derive(Debug)]
pub(crate) struct KvWeights {
    pub(crate) key: Projection,
    /// Absent where values are the keys, before norm and RoPE.
    pub(crate) value: Option<Projection>,
    pub(crate) key_norm: Option<Vec<f32>>,
}

impl KvWeights {
    /// The matrices that a row is multiplied with.
    pub(crate) fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        let value = self.value.iter().map(|value| &value.matrix);
        std::iter::once(&self.key.matrix).chain(value)
    }
}

/// A gated feed-forward network that every token goes through.
#[derive(Debug)]
pub(crate) struct DenseWeights {
    pub(crate) gate: Matrix,
    pub(crate) up: Matrix,
    pub(crate) down: Matrix,
}

/// How a layer adds its per-layer input to the residual stream.
#[derive(Debug)]
pub(crate) struct PerLayerInput {
    pub(crate) gate: Matrix,
    pub(crate) projection: Matrix,
    pub(crate) norm: Vec<f32>,
}

/// A matrix and perhaps a bias.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) matrix: Matrix,
    pub(crate) bias: Option<Vec<f32>>,
}

impl Weights {
    pub(crate) fn load(
        file: &File,
        config: &Config,
        pool: &Pool,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<Self> {
        let head = if file.opt_tensor("output.weight").is_some() {
            "output.weight"
        } else {
            "token_embd.weight"
        };
        Self::load_with_head(file, config, (head, config.n_vocab), pool, progress)
    }

    /// As `load`, with the name and the rows of the matrix that makes scores of the last hidden state.
    pub(crate) fn load_with_head(
        file: &File,
        config: &Config,
        head: (&str, usize),
        pool: &Pool,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<Self> {
        Loader::load(file, pool, progress, |loader| {
            Self::collect(loader, config, head)
        })
    }

    /// Walks over the config; see `Loader::load`.
    fn collect(loader: &mut Loader<'_>, config: &Config, head: (&str, usize)) -> Result<Self> {
        let file = loader.file;
        let width = config.n_embd;
        embedding(file, "token_embd.weight", config.n_vocab, width)?;
        let per_layer = match config.n_embd_per_layer {
            None => None,
            Some(n) => {
                let columns = n * config.layers.len();
                embedding(file, "per_layer_token_embd.weight", config.n_vocab, columns)?;
                let (name, first) = ("per_layer_model_proj.weight", n * config.last_kept_layer());
                Some(PerLayerProjection {
                    below: loader.part(name, columns, width, 0..first)?,
                    above: loader.part(name, columns, width, first..columns)?,
                    norm: floats(file, "per_layer_proj_norm.weight", n)?,
                })
            }
        };
        let mut layers = Vec::with_capacity(config.layers.len());
        for (i, layer) in config.layers.iter().enumerate() {
            layers.push(loader.layer(config, i, layer)?);
        }
        Ok(Self {
            layers,
            output_norm: floats(file, "output_norm.weight", width)?,
            head: loader.matrix(head.0, head.1, width)?,
            per_layer,
        })
    }

    /// Bytes that one decoded token reads.
    pub(crate) fn bytes(&self, config: &Config) -> usize {
        let used = config.experts.as_ref().map_or(0, |experts| experts.used);
        let layer = |w: &LayerWeights| {
            let mixer = match &w.mixer {
                Mixer::Attention(attention) => attention.bytes(),
                Mixer::Delta(delta) => delta.bytes(),
            };
            let dense = w.dense.iter().flat_map(|d| [&d.gate, &d.up, &d.down]);
            let dense: usize = dense.map(Matrix::bytes).sum();
            let experts = w.experts.as_ref().map_or(0, |e| e.bytes(used));
            let per_layer_input = w
                .per_layer_input
                .as_ref()
                .map_or(0, |i| i.gate.bytes() + i.projection.bytes());
            mixer + dense + experts + per_layer_input
        };
        let per_layer = self
            .per_layer
            .as_ref()
            .map_or(0, |p| p.below.bytes() + p.above.bytes());
        self.layers.iter().map(layer).sum::<usize>() + self.head.bytes() + per_layer
    }
}

/// Packs everything in one go and releases the file's pages as they are done with.
fn pack(
    file: &File,
    pool: &Pool,
    sources: &[MatrixSource<'_>],
    progress: &mut (dyn FnMut(LoadStep) + Send),
) -> std::vec::IntoIter<Matrix> {
    let total = sources.iter().map(|s| s.data.len() as u64).sum();
    let done = AtomicU64::new(0);
    // The first thread is the caller's and reports for all.
    let progress = Mutex::new(progress);
    let packed = Matrix::pack_all(pool, sources, |thread, part| {
        file.release_part(part);
        let part = part.len() as u64;
        let done = done.fetch_add(part, Ordering::Relaxed) + part;
        if thread == 0 {
            let mut tell = progress.lock().unwrap_or_else(PoisonError::into_inner);
            tell(LoadStep { done, total });
        }
    });
    packed.into_iter()
}

/// How the matrices are called of the network that every token of a layer goes through.
struct DenseNames {
    /// Absent where it is the first half of `up`.
    gate: Option<&'static str>,
    up: &'static str,
    down: &'static str,
}

impl DenseNames {
    /// `None` if there is no such network.
    fn of(config: &Config) -> Option<Self> {
        let plain = Self {
            gate: (!config.fused).then_some("ffn_gate"),
            up: "ffn_up",
            down: "ffn_down",
        };
        match &config.experts {
            None => Some(plain),
            Some(experts) if experts.n_ff_shared.is_some() => Some(Self {
                gate: Some("ffn_gate_shexp"),
                up: "ffn_up_shexp",
                down: "ffn_down_shexp",
            }),
            Some(experts) => experts.beside_dense.then_some(plain),
        }
    }
}

/// Some rows of a layer's matrix.
struct Rows {
    /// The matrix, as its name has it after the layer's number.
    part: &'static str,
    /// Rows of the whole matrix.
    of: usize,
    rows: Range<usize>,
}

impl Rows {
    fn all(part: &'static str, rows: usize) -> Self {
        Self {
            part,
            of: rows,
            rows: 0..rows,
        }
    }

    /// The parts of a fused matrix, whose rows lie one after the other.
    fn stacked<const N: usize>(part: &'static str, counts: [usize; N]) -> [Self; N] {
        let mut end = 0;
        counts.map(|count| {
            end += count;
            Self {
                part,
                of: counts.iter().sum(),
                rows: end - count..end,
            }
        })
    }
}

/// Takes the weights out of a file.
pub(crate) struct Loader<'a> {
    pub(crate) file: &'a File,
    /// What is to be packed, in the order of the walk.
    sources: Vec<MatrixSource<'a>>,
    /// The same, packed; nothing during the first walk.
    packed: std::vec::IntoIter<Matrix>,
}

impl<'a> Loader<'a> {
    /// Runs `collect` twice, so that a file with a missing tensor is refused before anything is packed, and all matrices
    /// are packed in one round of the pool. The first walk checks every tensor and notes what is to be packed, with
    /// nothing in the place of matrices; the second puts them in.
    pub(crate) fn load<T>(
        file: &'a File,
        pool: &Pool,
        progress: &mut (dyn FnMut(LoadStep) + Send),
        mut collect: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let mut survey = Self {
            file,
            sources: Vec::new(),
            packed: Vec::new().into_iter(),
        };
        collect(&mut survey)?;
        let packed = pack(file, pool, &survey.sources, progress);
        collect(&mut Loader { packed, ..survey })
    }

    fn layer(&mut self, config: &Config, i: usize, layer: &Layer) -> Result<LayerWeights> {
        let width = config.n_embd;
        let name = |part: &str| format!("blk.{i}.{part}.weight");
        let file = self.file;
        let sandwich = config.post_norms;
        let mixer = match &config.delta {
            Some(net) if layer.is_delta => Mixer::Delta(self.delta(i, width, net)?),
            _ => Mixer::Attention(self.attention(config, i, layer)?),
        };
        let per_layer_input = match config.n_embd_per_layer {
            None => None,
            Some(n) => Some(PerLayerInput {
                gate: self.matrix(&name("inp_gate"), n, width)?,
                projection: self.matrix(&name("proj"), width, n)?,
                norm: floats(file, &name("post_norm"), width)?,
            }),
        };
        let scale_name = name("layer_output_scale");
        let dense = DenseNames::of(config);
        Ok(LayerWeights {
            attention_norm: floats(file, &name("attn_norm"), width)?,
            mixer,
            post_attention_norm: wanted(sandwich, || {
                floats(file, &name("post_attention_norm"), width)
            })?,
            ffn_norm: floats(file, &name(config.ffn_norm), width)?,
            dense: match &dense {
                Some(names) => Some(self.dense(names, i, width, layer.n_ff)?),
                None => None,
            },
            experts: match &config.experts {
                Some(experts) => Some(self.experts(i, width, experts)?),
                None => None,
            },
            post_ffn_norm: wanted(sandwich, || floats(file, &name("post_ffw_norm"), width))?,
            per_layer_input,
            scale: wanted(config.layer_scale, || Ok(floats(file, &scale_name, 1)?[0]))?,
        })
    }

    fn attention(&mut self, config: &Config, i: usize, layer: &Layer) -> Result<AttentionWeights> {
        let width = config.n_embd;
        let (queries, keys) = (layer.heads * layer.dim, layer.kv_heads * layer.dim);
        let name = |part: &str| format!("blk.{i}.{part}.weight");
        let (file, normed) = (self.file, config.head_norms);
        let [query, key, value] = match config.fused {
            true => Rows::stacked("attn_qkv", [queries, keys, keys]),
            false => [
                Rows::all(
                    "attn_q",
                    queries * if config.gated_attention { 2 } else { 1 },
                ),
                Rows::all("attn_k", keys),
                Rows::all("attn_v", keys),
            ],
        };
        let kv = if layer.owns_kv {
            let may_lack = config.keys_as_values && layer.window.is_none();
            let lacks = may_lack && file.opt_tensor(&name("attn_v")).is_none();
            Some(KvWeights {
                key: self.projection(i, key, width)?,
                value: wanted(!lacks, || self.projection(i, value, width))?,
                key_norm: wanted(normed, || floats(file, &name("attn_k_norm"), layer.dim))?,
            })
        } else {
            None
        };
        Ok(AttentionWeights {
            query: self.projection(i, query, width)?,
            kv,
            query_norm: wanted(normed, || floats(file, &name("attn_q_norm"), layer.dim))?,
            output: self.projection(i, Rows::all("attn_output", width), queries)?,
            sinks: wanted(config.sinks, || sinks(file, i, layer.heads))?,
        })
    }

    fn dense(
        &mut self,
        names: &DenseNames,
        i: usize,
        width: usize,
        n_ff: usize,
    ) -> Result<DenseWeights> {
        let name = |part: &str| format!("blk.{i}.{part}.weight");
        let [gate, up] = match names.gate {
            None => Rows::stacked(names.up, [n_ff, n_ff]),
            Some(gate) => [Rows::all(gate, n_ff), Rows::all(names.up, n_ff)],
        };
        Ok(DenseWeights {
            gate: self.part(&name(gate.part), gate.of, width, gate.rows)?,
            up: self.part(&name(up.part), up.of, width, up.rows)?,
            down: self.matrix(&name(names.down), width, n_ff)?,
        })
    }

    fn projection(&mut self, layer: usize, rows: Rows, cols: usize) -> Result<Projection> {
        let Rows { part, of, rows } = rows;
        let bias = format!("blk.{layer}.{part}.bias");
        Ok(Projection {
            matrix: self.part(
                &format!("blk.{layer}.{part}.weight"),
                of,
                cols,
                rows.clone(),
            )?,
            bias: wanted(self.file.opt_tensor(&bias).is_some(), || {
                Ok(floats(self.file, &bias, of)?[rows].to_vec())
            })?,
        })
    }

    pub(crate) fn matrix(&mut self, name: &str, rows: usize, cols: usize) -> Result<Matrix> {
        self.part(name, rows, cols, 0..rows)
    }

    /// The kernel of a convolution, as a matrix with a row for each channel that comes out: the last of `dims`.
    pub(crate) fn kernel(&mut self, name: &str, dims: &[usize]) -> Result<Matrix> {
        if let Some(matrix) = self.packed.next() {
            return Ok(matrix);
        }
        let tensor = self.file.tensor(name)?;
        let format = tensor.info.format;
        let (rows, cols) = match dims {
            [before @ .., rows] if tensor.info.dims == dims && format.block_len() == 1 => {
                (*rows, before.iter().product())
            }
            _ => {
                let (found, format) = (&tensor.info.dims, format.name());
                return Err(Error::Model(format!(
                    "tensor {name} is {found:?} of {format}, expected {dims:?} floats"
                )));
            }
        };
        self.sources.push(MatrixSource {
            format,
            rows,
            cols,
            data: tensor.data,
        });
        Ok(Matrix::default())
    }

    /// Some rows of a matrix.
    fn part(&mut self, name: &str, rows: usize, cols: usize, part: Range<usize>) -> Result<Matrix> {
        if let Some(matrix) = self.packed.next() {
            return Ok(matrix);
        }
        let tensor = self.file.tensor(name)?;
        shaped(&tensor, rows, cols)?;
        without_factor(self.file, &tensor)?;
        let row_bytes = tensor.data.len() / rows.max(1);
        self.sources.push(MatrixSource {
            format: tensor.info.format,
            rows: part.len(),
            cols,
            data: &tensor.data[part.start * row_bytes..part.end * row_bytes],
        });
        Ok(Matrix::default())
    }
}

/// Packs a matrix of the file and releases its pages.
pub(crate) fn matrix(
    file: &File,
    pool: &Pool,
    name: &str,
    rows: usize,
    cols: usize,
) -> Result<Matrix> {
    let tensor = file.tensor(name)?;
    shaped(&tensor, rows, cols)?;
    without_factor(file, &tensor)?;
    let matrix = Matrix::pack(pool, tensor.info.format, rows, cols, tensor.data);
    file.release(&tensor);
    Ok(matrix)
}

/// Files of NVFP4 may have a factor beside a matrix, which no product here applies: refused rather than wrong.
fn without_factor(file: &File, tensor: &Tensor<'_>) -> Result<()> {
    if tensor.info.format != Format::NVFP4 {
        return Ok(());
    }
    let name = &tensor.info.name;
    let stem = name.strip_suffix(".weight").unwrap_or(name);
    // Converters write either name.
    for factor in [format!("{stem}.scale"), format!("{name}.scale")] {
        if file.opt_tensor(&factor).is_some() {
            return Err(Error::Model(format!(
                "tensor {name} is NVFP4 with a factor of its own, {factor}, which is not supported"
            )));
        }
    }
    Ok(())
}

fn wanted<T>(is_wanted: bool, load: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    is_wanted.then(load).transpose()
}

/// The sinks of a layer's query heads. One that is not a number would make every result one.
fn sinks(file: &File, layer: usize, heads: usize) -> Result<Vec<f32>> {
    let name = format!("blk.{layer}.attn_sinks.weight");
    let sinks = floats(file, &name, heads)?;
    match sinks.iter().all(|sink| sink.is_finite()) {
        true => Ok(sinks),
        false => Err(Error::Model(format!("tensor {name} is not all numbers"))),
    }
}

/// Checks a table of embeddings that stays in the file.
fn embedding(file: &File, name: &str, rows: usize, cols: usize) -> Result<()> {
    shaped(&file.tensor(name)?, rows, cols)
}
