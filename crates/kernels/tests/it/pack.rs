//! Many matrices packed at once are those packed one by one, and every byte is reported when it is done with.

use crate::fixture::{Random, weights};
use reckon_kernels::{
    Activations, Cpu, Format, InputFormats, Isa, Matrix, MatrixSource, Pool, Product, matmul,
};
use std::sync::Mutex;

/// The product with one row of ascending numbers, as bits.
fn product(w: &Matrix) -> Vec<u32> {
    let cpu = Cpu::new(Isa::SCALAR, &[]);
    let mut x = Activations::new();
    for (i, x) in x.resize(1, w.cols()).iter_mut().enumerate() {
        *x = i as f32 / 100.0 - 1.0;
    }
    x.quantize(&cpu, InputFormats::ALL);
    let mut out = vec![0.0; w.rows()];
    let out_of = Product {
        weights: w,
        out: &mut out,
    };
    matmul(&cpu, &x, &mut [out_of]);
    out.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn all_at_once_is_one_by_one() {
    let mut random = Random(7);
    // The last one is larger than a thread takes at once.
    let shapes = [(1, 256), (33, 512), (0, 256), (9000, 1024)];
    let data: Vec<_> = Format::ALL
        .iter()
        .zip(shapes.iter().cycle())
        .map(|(&format, &(rows, cols))| {
            let bytes = weights(&mut random, format, rows * cols);
            (format, rows, cols, bytes)
        })
        .collect();
    let sources: Vec<MatrixSource<'_>> = data
        .iter()
        .map(|(format, rows, cols, bytes)| MatrixSource {
            format: *format,
            rows: *rows,
            cols: *cols,
            data: bytes,
        })
        .collect();
    let single = Pool::new(&[]);
    for threads in [1, 3] {
        let pool = Pool::new(&vec![0; threads]);
        let done = Mutex::new(Vec::new());
        let packed = Matrix::pack_all(&pool, &sources, |thread, part| {
            assert!(thread < threads);
            done.lock()
                .unwrap()
                .push((part.as_ptr().addr(), part.len()));
        });
        assert_eq!(packed.len(), sources.len());
        for (w, s) in packed.iter().zip(&sources) {
            let alone = Matrix::pack(&single, s.format, s.rows, s.cols, s.data);
            assert_eq!(w.bytes(), alone.bytes());
            assert_eq!(product(w), product(&alone), "{w:?}");
        }
        let done = done.into_inner().unwrap();
        for source in &sources {
            let start = source.data.as_ptr().addr();
            let inside = start..start + source.data.len();
            let parts = done.iter().filter(|(at, _)| inside.contains(at));
            let told: usize = parts.map(|(_, len)| len).sum();
            assert_eq!(told, source.data.len(), "every byte once");
        }
    }
}

#[test]
fn matrices_outlive_those_they_were_packed_with() {
    let pool = Pool::new(&[]);
    let data = weights(&mut Random(8), Format::Q4_0, 32 * 256);
    let source = MatrixSource {
        format: Format::Q4_0,
        rows: 32,
        cols: 256,
        data: &data,
    };
    let mut packed = Matrix::pack_all(&pool, &[source; 3], |_, _| ());
    let kept = packed.remove(1);
    drop(packed);
    let alone = Matrix::pack(&pool, Format::Q4_0, 32, 256, &data);
    assert_eq!(product(&kept), product(&alone));
}

#[test]
#[should_panic(expected = "32 rows of 256 Q4_0")]
fn a_source_of_the_wrong_size_is_refused() {
    let source = MatrixSource {
        format: Format::Q4_0,
        rows: 32,
        cols: 256,
        data: &[0; 10],
    };
    Matrix::pack_all(&Pool::new(&[]), &[source], |_, _| ());
}

/// Sixteenths of a bit that a packed weight takes, scales included: docs/performance.md has the same numbers.
#[test]
fn packed_sizes_are_those_that_are_documented() {
    let pool = Pool::new(&[]);
    let (rows, cols) = (16, 1024);
    for (format, sixteenths) in [
        (Format::Q8_0, 136),
        (Format::MXFP4, 68),
        (Format::NVFP4, 80),
        (Format::IQ4_NL, 72),
        (Format::IQ4_XS, 69),
        (Format::IQ3_S, 69),
        (Format::IQ3_XXS, 69),
        (Format::IQ2_S, 57),
        (Format::IQ2_XS, 57),
        (Format::IQ2_XXS, 53),
        (Format::IQ1_M, 57),
        (Format::IQ1_S, 53),
        (Format::TQ2_0, 33),
        (Format::TQ1_0, 33),
        (Format::Q1_0, 18),
    ] {
        let data = weights(&mut Random(15), format, rows * cols);
        let bits = 8 * Matrix::pack(&pool, format, rows, cols, &data).bytes();
        assert_eq!(16 * bits, sixteenths * rows * cols, "{format:?}");
    }
}
