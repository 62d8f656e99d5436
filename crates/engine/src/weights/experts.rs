//! The weights of a layer's experts: three matrices each, cut out of tensors that hold those of all experts.
//!
//! Called by `Loader::layer`. Every expert is packed on its own, so that a pass reads those that tokens were routed to
//! and no others. Gemma 4 puts gate and up into one tensor, gpt-oss has biases.

use super::{Loader, Projection, Rows, wanted};
use crate::config::{Experts, floats};
use crate::{Error, Result};
use reckon_kernels::Matrix;
use std::ops::Range;

/// The experts of one layer, and what chooses among them.
#[derive(Debug)]
pub(crate) struct ExpertWeights {
    /// From a token's row to a score for each expert.
    pub(crate) router: Projection,
    pub(crate) experts: Vec<Expert>,
    /// From a token's row to the gate of the shared expert.
    pub(crate) shared_gate: Option<Projection>,
    /// Gemma 4: norms of its own for each of the dense network, the experts and the router.
    pub(crate) norms: Option<ExpertNorms>,
}

/// One expert: a gated feed-forward network.
#[derive(Debug)]
pub(crate) struct Expert {
    pub(crate) gate: Matrix,
    pub(crate) up: Matrix,
    pub(crate) down: Matrix,
    pub(crate) biases: Option<ExpertBiases>,
    /// Factor on its weight, whichever token comes to it.
    pub(crate) scale: f32,
}

/// What is added to the products of an expert.
#[derive(Debug)]
pub(crate) struct ExpertBiases {
    pub(crate) gate: Vec<f32>,
    pub(crate) up: Vec<f32>,
    pub(crate) down: Vec<f32>,
}

/// The norms of a layer whose experts run beside a dense network.
#[derive(Debug)]
pub(crate) struct ExpertNorms {
    /// Of what the router reads, its scale included.
    pub(crate) router: Vec<f32>,
    /// Of what the experts read.
    pub(crate) input: Vec<f32>,
    /// Of what the dense network gives, and of what the experts give, before the two are added.
    pub(crate) post_dense: Vec<f32>,
    pub(crate) post_experts: Vec<f32>,
}

impl ExpertWeights {
    /// Bytes that one decoded token reads, which goes through `used` experts.
    pub(crate) fn bytes(&self, used: usize) -> usize {
        let own = |e: &Expert| e.gate.bytes() + e.up.bytes() + e.down.bytes();
        // All experts of a layer are of one size.
        self.router.matrix.bytes() + used * self.experts.first().map_or(0, own)
    }
}

impl Loader<'_> {
    /// The experts of layer `i`.
    pub(super) fn experts(
        &mut self,
        i: usize,
        width: usize,
        config: &Experts,
    ) -> Result<ExpertWeights> {
        let Experts { count, n_ff, .. } = *config;
        let name = |part: &str| format!("blk.{i}.{part}");
        for part in ["ffn_gate_exps.scale", "ffn_up_exps.scale"] {
            if self.file.opt_tensor(&name(part)).is_some() {
                let name = name(part);
                return Err(Error::Model(format!("tensor {name} is not supported")));
            }
        }
        let scales = match self.file.opt_tensor(&name("ffn_down_exps.scale")) {
            Some(_) => floats(self.file, &name("ffn_down_exps.scale"), count)?,
            None => vec![1.0; count],
        };
        let router = self.projection(i, Rows::all("ffn_gate_inp", count), width)?;
        let mut biases = self.expert_biases(i, width, config)?;
        let joint = name("ffn_gate_up_exps.weight");
        let is_joint = self.file.opt_tensor(&joint).is_some();
        let mut experts = Vec::with_capacity(count);
        for (expert, &scale) in scales.iter().enumerate() {
            let mut cut = |part: &str, (rows, cols): (usize, usize), wanted: Range<usize>| {
                self.expert(&name(part), (rows, cols, count), expert, wanted)
            };
            let (gate, up) = if is_joint {
                let (part, shape) = ("ffn_gate_up_exps.weight", (2 * n_ff, width));
                (
                    cut(part, shape, 0..n_ff)?,
                    cut(part, shape, n_ff..2 * n_ff)?,
                )
            } else {
                let shape = (n_ff, width);
                let gate = cut("ffn_gate_exps.weight", shape, 0..n_ff)?;
                (gate, cut("ffn_up_exps.weight", shape, 0..n_ff)?)
            };
            let down = cut("ffn_down_exps.weight", (width, n_ff), 0..width)?;
            let biases = biases.as_mut().and_then(Iterator::next);
            experts.push(Expert {
                gate,
                up,
                down,
                biases,
                scale,
            });
        }
        Ok(ExpertWeights {
            router,
            experts,
            shared_gate: wanted(config.n_ff_shared.is_some(), || {
                self.projection(i, Rows::all("ffn_gate_inp_shexp", 1), width)
            })?,
            norms: wanted(config.beside_dense, || self.expert_norms(i, width))?,
        })
    }

    /// Some rows of one expert, of a tensor that holds the `rows` × `cols` of each of `count`.
    fn expert(
        &mut self,
        name: &str,
        (rows, cols, count): (usize, usize, usize),
        expert: usize,
        part: Range<usize>,
    ) -> Result<Matrix> {
        let dims = &self.file.tensor(name)?.info.dims;
        if *dims != [cols, rows, count] {
            return Err(Error::Model(format!(
                "tensor {name} is {dims:?}, expected {count} experts of {rows} × {cols}"
            )));
        }
        let first = expert * rows;
        self.part(
            name,
            rows * count,
            cols,
            first + part.start..first + part.end,
        )
    }

    /// The biases of each expert, if the file has any; then it has all three.
    fn expert_biases(
        &self,
        i: usize,
        width: usize,
        config: &Experts,
    ) -> Result<Option<impl Iterator<Item = ExpertBiases> + use<>>> {
        let Experts { count, n_ff, .. } = *config;
        let name = |part: &str| format!("blk.{i}.ffn_{part}_exps.bias");
        if self.file.opt_tensor(&name("down")).is_none() {
            return Ok(None);
        }
        let rows = |part: &str, rows: usize| -> Result<std::vec::IntoIter<Vec<f32>>> {
            let all = floats(self.file, &name(part), rows * count)?;
            let each: Vec<Vec<f32>> = all.chunks_exact(rows).map(<[f32]>::to_vec).collect();
            Ok(each.into_iter())
        };
        let (gates, ups) = (rows("gate", n_ff)?, rows("up", n_ff)?);
        let each = gates.zip(ups).zip(rows("down", width)?);
        Ok(Some(each.map(|((gate, up), down)| ExpertBiases {
            gate,
            up,
            down,
        })))
    }

    fn expert_norms(&self, i: usize, width: usize) -> Result<ExpertNorms> {
        let norm = |part: &str| floats(self.file, &format!("blk.{i}.{part}"), width);
        // The router reads rms_norm(x) · scale / √width.
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let down = 1.0 / (width as f32).sqrt();
        let router = norm("ffn_gate_inp.scale")?;
        Ok(ExpertNorms {
            router: router.iter().map(|scale| scale * down).collect(),
            input: norm("pre_ffw_norm_2.weight")?,
            post_dense: norm("post_ffw_norm_1.weight")?,
            post_experts: norm("post_ffw_norm_2.weight")?,
        })
    }
}
