//! GEMV and GEMM per format and ISA on one thread: GB/s of weights for one token, GMAC/s for many.
//!
//! `cargo bench -p reckon-kernels [format [isa]]`. The best of several rounds is shown: on a
//! shared machine the noise only ever slows things down.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use reckon_kernels::{Activations, Cpu, Format, InputFormats, Isa, Matrix, Pool, Product, matmul};
use std::time::Instant;

const COLS: usize = 1536;
const ROWS: usize = 12288;
const ROUNDS: usize = 7;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let is_wanted =
        |i: usize, name: &str| wanted.get(i).is_none_or(|w| w.eq_ignore_ascii_case(name));
    let pool = Pool::new(&[]);
    println!(
        "{:<6} {:<8} {:>10} {:>10} {:>10} {:>11}",
        "format", "isa", "pack GB/s", "1 tok GB/s", "8 GMAC/s", "256 GMAC/s"
    );
    for format in Format::ALL.into_iter().filter(|f| is_wanted(0, f.name())) {
        let row_bytes = format.row_bytes(COLS).expect("whole blocks");
        // Bytes whose halves, bfloats and floats are all ordinary numbers: subnormal ones are slow.
        let data: Vec<u8> = (0..ROWS * row_bytes)
            .map(|i| 0x20 | (i * 31 % 29) as u8)
            .collect();
        let start = Instant::now();
        let weights = Matrix::pack(&pool, format, ROWS, COLS, &data);
        let packed = data.len() as f64 / start.elapsed().as_secs_f64() / 1e9;
        for isa in Isa::available()
            .into_iter()
            .filter(|isa| is_wanted(1, isa.name()) && *isa != Isa::SCALAR)
        {
            let cpu = Cpu::new(isa, &[]);
            let one = time(&cpu, &weights, 1);
            let few = time(&cpu, &weights, 8);
            let many = time(&cpu, &weights, 256);
            let macs = (ROWS * COLS) as f64 / 1e9;
            println!(
                "{:<6} {:<8} {packed:>10.2} {:>10.2} {:>10.0} {:>11.0}",
                format.name(),
                isa.name(),
                weights.bytes() as f64 / one / 1e9,
                8.0 * macs / few,
                256.0 * macs / many,
            );
        }
    }
}

/// Seconds of the fastest round.
fn time(cpu: &Cpu, weights: &Matrix, tokens: usize) -> f64 {
    let mut x = Activations::new();
    x.resize(tokens, COLS)
        .iter_mut()
        .enumerate()
        .for_each(|(i, x)| *x = (i % 17) as f32 - 8.0);
    x.quantize(cpu, InputFormats::ALL);
    let mut out = vec![0.0; tokens * ROWS];
    let round = |_| {
        let start = Instant::now();
        matmul(
            cpu,
            &x,
            &mut [Product {
                weights,
                out: &mut out,
            }],
        );
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}
