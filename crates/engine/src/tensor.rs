//! Tensors of a file, checked for the shape that the blueprint expects.
//!
//! Called by `config` and `weights` at load; errors name the tensor, what was found and what was expected.

use crate::{Error, Result};
use reckon_gguf::{File, Tensor};
use reckon_kernels::{Format, dequantize_row};

/// Refuses a matrix of another shape.
pub(crate) fn shaped(tensor: &Tensor<'_>, rows: usize, cols: usize) -> Result<()> {
    if tensor.rows() == rows && tensor.row_len() == cols {
        return Ok(());
    }
    let (name, found) = (&tensor.info.name, (tensor.rows(), tensor.row_len()));
    Err(Error::Model(format!(
        "tensor {name} is {} × {}, expected {rows} × {cols}",
        found.0, found.1
    )))
}

/// A small tensor of `len` numbers, widened.
pub(crate) fn floats(file: &File, name: &str, len: usize) -> Result<Vec<f32>> {
    let tensor = file.tensor(name)?;
    if tensor.info.weights() != len
        || !matches!(tensor.info.format, Format::F32 | Format::F16 | Format::BF16)
    {
        let format = tensor.info.format.name();
        return Err(Error::Model(format!(
            "tensor {name} holds {} numbers of {format}, expected {len} floats",
            tensor.info.weights()
        )));
    }
    let mut out = vec![0.0; len];
    dequantize_row(tensor.info.format, tensor.data, &mut out);
    Ok(out)
}
