//! Inputs that are hardly numbers become the same integers on every ISA.

use crate::fixture::{Random, weights};
use reckon_kernels::{Activations, Cpu, Format, InputFormats, Isa, Matrix, Pool, Product, matmul};

/// The product of one row, as bits; what is no number has many.
fn product(isa: Isa, w: &Matrix, x: &[f32]) -> Vec<Option<u32>> {
    let cpu = Cpu::new(isa, &[]);
    let mut input = Activations::new();
    input.resize(1, x.len()).copy_from_slice(x);
    input.quantize(&cpu, InputFormats::ALL);
    let mut out = vec![0.0; w.rows()];
    let out_of = Product {
        weights: w,
        out: &mut out,
    };
    matmul(&cpu, &input, &mut [out_of]);
    let bits = |x: &f32| (!x.is_nan()).then_some(x.to_bits());
    out.iter().map(bits).collect()
}

#[test]
fn strange_inputs_are_the_same_everywhere() {
    for format in [Format::Q8_0, Format::Q4_0] {
        strange_inputs_of(format);
    }
}

fn strange_inputs_of(format: Format) {
    let mut random = Random(5);
    let data = weights(&mut random, format, 16 * 64);
    let w = Matrix::pack(&Pool::new(&[]), format, 16, 64, &data);
    let plain = random.floats(64);
    // 127 divided by the smallest ones is infinite, and so is what is multiplied by it.
    for strange in [1e-40, -1e-40, f32::MIN_POSITIVE, f32::MAX, -0.0] {
        for rest in [0.0, 1e-3, 1.0] {
            let mut x: Vec<f32> = plain.iter().map(|x| x * rest).collect();
            x[3] = strange;
            x[17] = -strange;
            x[40] = strange;
            let want = product(Isa::SCALAR, &w, &x);
            for isa in Isa::available() {
                assert_eq!(product(isa, &w, &x), want, "{strange} beside {rest}, {isa}");
            }
        }
    }
    for strange in [f32::INFINITY, f32::NEG_INFINITY] {
        let mut x = plain.clone();
        x[5] = strange;
        let want = product(Isa::SCALAR, &w, &x);
        for isa in Isa::available() {
            assert_eq!(product(isa, &w, &x), want, "{strange}, {isa}");
        }
    }
}
