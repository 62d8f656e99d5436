//! Clipped linears: y = clamp(W · clamp(x)), the building block of both encoders.
//!
//! Gemma 4's encoders were trained with inputs and outputs of each linear held within four bounds; leaving them out
//! changes results. What a file has no bounds for is not clamped.

use crate::config::floats;
use crate::weights::Loader;
use crate::{Error, Result};
use reckon_kernels::{Activations, Aligned, Cpu, InputFormats, Matrix, Product, clamp, matmul};

/// A matrix with bounds on what goes in and comes out.
#[derive(Debug)]
pub(super) struct Linear {
    matrix: Matrix,
    input: Bounds,
    output: Bounds,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: f32,
    high: f32,
}

impl Bounds {
    const NONE: Self = Self {
        low: f32::NEG_INFINITY,
        high: f32::INFINITY,
    };

    /// `{name}.{side}_min` and `{name}.{side}_max` of a file.
    fn load(loader: &Loader<'_>, name: &str, side: &str) -> Result<Self> {
        let bound = |end: &str, none: f32| -> Result<f32> {
            let name = format!("{name}.{side}_{end}");
            match loader.file.opt_tensor(&name) {
                Some(_) => Ok(floats(loader.file, &name, 1)?[0]),
                None => Ok(none),
            }
        };
        let bounds = Self {
            low: bound("min", Self::NONE.low)?,
            high: bound("max", Self::NONE.high)?,
        };
        // Also false for NaN, which would make NaN of everything.
        match bounds.low <= bounds.high {
            true => Ok(bounds),
            false => Err(Error::Model(format!(
                "the {side} of {name} is bounded by {} and {}",
                bounds.low, bounds.high
            ))),
        }
    }

    fn apply(self, cpu: &Cpu, row: &mut [f32]) {
        if self != Self::NONE {
            clamp(cpu.isa, row, self.low, self.high);
        }
    }
}

impl Linear {
    /// `{name}.weight` of `rows` × `cols`, and its bounds.
    pub(super) fn load(
        loader: &mut Loader<'_>,
        name: &str,
        rows: usize,
        cols: usize,
    ) -> Result<Self> {
        Ok(Self {
            input: Bounds::load(loader, name, "input")?,
            output: Bounds::load(loader, name, "output")?,
            matrix: loader.matrix(&format!("{name}.weight"), rows, cols)?,
        })
    }

    /// Without bounds.
    pub(super) const fn plain(matrix: Matrix) -> Self {
        Self {
            matrix,
            input: Bounds::NONE,
            output: Bounds::NONE,
        }
    }

    /// Numbers that come out.
    pub(super) const fn rows(&self) -> usize {
        self.matrix.rows()
    }
}

/// Multiplies `rows` rows with several linears. `make(i, row)` writes row i of the input, before any clamp; it may be
/// called again for linears with other bounds.
pub(super) fn project(
    cpu: &Cpu,
    input: &mut Activations,
    rows: usize,
    make: impl Fn(usize, &mut [f32]) + Sync,
    mut parts: &mut [(&Linear, &mut Aligned<f32>)],
) {
    while let Some((first, _)) = parts.first() {
        let bounds = first.input;
        let same = |(linear, _): &&mut (&Linear, &mut Aligned<f32>)| linear.input == bounds;
        let count = parts.iter_mut().take_while(same).count();
        let (now, later) = parts.split_at_mut(count);
        parts = later;
        let formats = InputFormats::of(now.iter().map(|(linear, _)| &linear.matrix));
        let shape = (rows, now[0].0.matrix.cols());
        input.fill(cpu, shape, formats, |i, row| {
            make(i, row);
            bounds.apply(cpu, row);
        });
        let mut products = Vec::with_capacity(count);
        for (linear, out) in &mut *now {
            products.push(Product {
                weights: &linear.matrix,
                out: out.sized(rows * linear.matrix.rows()),
            });
        }
        matmul(cpu, input, &mut products);
        for (linear, out) in now {
            if linear.output != Bounds::NONE {
                let width = linear.matrix.rows();
                let out = out.sized(rows * width);
                cpu.pool
                    .for_each_row(out, width, |_, row| linear.output.apply(cpu, row));
            }
        }
    }
}
