//! The weights of a gated delta layer.
//!
//! Called by `Loader::layer`. Which heads of values go with a head of keys is settled by the order of the heads in the
//! file: converters write it so that value head i belongs to key head i modulo their number.

use super::{Loader, Projection, Rows};
use crate::Result;
use crate::config::{DeltaNet, floats};
use reckon_kernels::Matrix;

/// What a gated delta layer multiplies a token's row with.
#[derive(Debug)]
pub(crate) struct DeltaWeights {
    /// Queries, keys and values in one.
    pub(crate) qkv: Projection,
    /// From a row to the gate of what the heads give.
    pub(crate) gate: Projection,
    /// From a row to how fast each value head forgets, and to the rate at which it learns.
    pub(crate) alpha: Projection,
    pub(crate) beta: Projection,
    /// For each value head: added to its `alpha`, and the factor on it, which is negative.
    pub(crate) bias: Vec<f32>,
    pub(crate) factor: Vec<f32>,
    /// The convolution over queries, keys and values, `[taps][width]`; the last tap is the newest token's.
    pub(crate) taps: Vec<f32>,
    /// Of what a head gives.
    pub(crate) norm: Vec<f32>,
    pub(crate) output: Projection,
}

impl DeltaWeights {
    /// The matrices that a row is multiplied with first.
    pub(crate) const fn inputs(&self) -> [&Projection; 4] {
        [&self.qkv, &self.gate, &self.alpha, &self.beta]
    }

    /// Bytes that one decoded token reads.
    pub(super) fn bytes(&self) -> usize {
        let inputs = self.inputs().map(|input| input.matrix.bytes());
        inputs.iter().sum::<usize>() + Matrix::bytes(&self.output.matrix)
    }
}

impl Loader<'_> {
    /// The gated delta layer `i`.
    pub(super) fn delta(&mut self, i: usize, width: usize, net: &DeltaNet) -> Result<DeltaWeights> {
        let (shape, file) = (net.shape, self.file);
        let heads = shape.value_heads;
        let name = |part: &str| format!("blk.{i}.{part}");
        Ok(DeltaWeights {
            qkv: self.projection(i, Rows::all("attn_qkv", shape.width()), width)?,
            gate: self.projection(i, Rows::all("attn_gate", shape.value_width()), width)?,
            alpha: self.projection(i, Rows::all("ssm_alpha", heads), width)?,
            beta: self.projection(i, Rows::all("ssm_beta", heads), width)?,
            bias: floats(file, &name("ssm_dt.bias"), heads)?,
            factor: floats(file, &name("ssm_a"), heads)?,
            taps: self.taps(&name("ssm_conv1d.weight"), net)?,
            norm: floats(file, &name("ssm_norm.weight"), shape.value_dim)?,
            output: self.projection(i, Rows::all("ssm_out", width), shape.value_width())?,
        })
    }

    /// The taps of each channel, which the file has side by side, as a row for each tap.
    fn taps(&self, name: &str, net: &DeltaNet) -> Result<Vec<f32>> {
        let (taps, width) = (net.taps, net.shape.width());
        let by_channel = floats(self.file, name, taps * width)?;
        let tap = |tap: usize| by_channel[tap..].iter().step_by(taps).copied();
        Ok((0..taps).flat_map(tap).collect())
    }
}
