//! Products: every ISA, batch and thread count gives the bits of the definition.

use crate::fixture::{Random, set_iq1_m_half, weights};
use reckon_kernels::{
    ActivationFn, Activations, Cpu, Format, GatedProduct, GatedWeights, InputFormats, Isa, Matrix,
    Pool, Product, add, dequantize_row, f16_to_f32, gated, gated_matmul, gated_matmul_each, matmul,
    matmul_each,
};

fn product(cpu: &Cpu, w: &Matrix, x: &[f32], tokens: usize) -> Vec<f32> {
    let mut activations = Activations::new();
    activations.resize(tokens, w.cols()).copy_from_slice(x);
    activations.quantize(cpu, InputFormats::ALL);
    let mut out = vec![f32::NAN; tokens * w.rows()];
    matmul(
        cpu,
        &activations,
        &mut [Product {
            weights: w,
            out: &mut out,
        }],
    );
    out
}

/// One output by the definition in the module's comment, straight from the file's bytes.
fn defined(format: Format, row: &[u8], x: &[f32]) -> f32 {
    let mut w = vec![0.0; x.len()];
    dequantize_row(format, row, &mut w);
    if format.block_len() == 1 {
        return w.iter().zip(x).fold(0.0, |acc, (w, x)| w.mul_add(*x, acc));
    }
    if format == Format::Q4_0 {
        return defined_units(row, x);
    }
    let mut acc = 0.0f32;
    for (i, x) in x.chunks_exact(32).enumerate() {
        let largest = x.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let d = largest / 127.0;
        let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let q: Vec<f32> = x.iter().map(|x| (x * inverse).round_ties_even()).collect();
        acc = block(
            format,
            &row[i * 32 / format.block_len() * format.block_bytes()..],
            i * 32 % format.block_len(),
            &q,
            d,
            acc,
        );
    }
    acc
}

/// As `defined` for Q4_0, whose sums are whole over 256 columns.
fn defined_units(row: &[u8], x: &[f32]) -> f32 {
    let mut acc = 0.0f32;
    for (row, x) in row.chunks(8 * 18).zip(x.chunks(256)) {
        let mut sizes: Vec<f32> = x.iter().map(|x| x.abs()).collect();
        sizes.sort_by(f32::total_cmp);
        let base = sizes[sizes.len() - 3].max(sizes[sizes.len() - 1] * (127.0 / 16000.0));
        let (d, inverse) = (base / 127.0, if base > 0.0 { 127.0 / base } else { 0.0 });
        let scales: Vec<f32> = row
            .chunks_exact(18)
            .map(|b| f16_to_f32(u16::from_le_bytes([b[0], b[1]])))
            .collect();
        // Half the spacing of halves as large as the largest.
        let top = scales.iter().fold(2f32.powi(-14), |m, x| m.max(x.abs()));
        let step = 2f32.powi(top.log2().floor() as i32 - 11);
        let mut sum = 0i64;
        for ((block, scale), x) in row.chunks_exact(18).zip(scales).zip(x.chunks_exact(32)) {
            let multiple = (scale / step).round_ties_even() as i64;
            for (i, x) in x.iter().enumerate() {
                let byte = block[2 + i % 16];
                let u = if i < 16 { byte & 15 } else { byte >> 4 };
                let q = (x * inverse).round_ties_even() as i64;
                sum += multiple * (i64::from(u) - 8) * q;
            }
        }
        acc = (sum as f32).mul_add(step * d, acc);
    }
    acc
}

/// Adds 32 columns: integers and scales are read off the widened weights, by widening with other scales.
fn block(format: Format, bytes: &[u8], at: usize, q: &[f32], d: f32, mut acc: f32) -> f32 {
    let sub = sub_block(format);
    let (quants, scales, mins) = crate::matmul::parts(format, &bytes[..format.block_bytes()]);
    for start in (0..32).step_by(sub) {
        let range = at + start..at + start + sub;
        let i: f32 = quants[range.clone()]
            .iter()
            .zip(&q[start..start + sub])
            .map(|(u, q)| u * q)
            .sum();
        acc = i.mul_add(scales[range.start] * d, acc);
        if let Some(mins) = &mins {
            acc = mins[range.start].mul_add(d * q[start..start + sub].iter().sum::<f32>(), acc);
        }
    }
    acc
}

/// Columns that share a scale.
fn sub_block(format: Format) -> usize {
    match format {
        Format::Q2_K | Format::Q3_K | Format::Q6_K => 16,
        Format::IQ2_S | Format::IQ2_XS | Format::IQ1_M | Format::NVFP4 => 16,
        _ => 32,
    }
}

/// Signed integers, scales and minimums of a block, each for every weight, found with `dequantize_row` alone:
/// the halves are replaced by 1 and 0 to tell the parts from each other.
fn parts(format: Format, bytes: &[u8]) -> (Vec<f32>, Vec<f32>, Option<Vec<f32>>) {
    let n = format.block_len();
    if matches!(format, Format::MXFP4 | Format::NVFP4 | Format::IQ1_M) {
        return scattered_parts(format, bytes);
    }
    if format == Format::Q1_0 {
        return binary_parts(bytes);
    }
    let (d_at, m_at) = match format {
        Format::Q4_0 | Format::Q5_0 | Format::Q8_0 => (0, None),
        Format::Q4_1 | Format::Q5_1 | Format::Q4_K | Format::Q5_K => (0, Some(2)),
        Format::Q2_K => (80, Some(82)),
        Format::Q3_K => (108, None),
        Format::Q6_K => (208, None),
        Format::TQ2_0 => (64, None),
        Format::TQ1_0 => (52, None),
        _ => (0, None),
    };
    let widen = |d: Option<u16>, m: Option<u16>, clear: bool| {
        let mut bytes = bytes.to_vec();
        if let Some(d) = d {
            bytes[d_at..d_at + 2].copy_from_slice(&d.to_le_bytes());
        }
        if let (Some(m), Some(at)) = (m, m_at) {
            bytes[at..at + 2].copy_from_slice(&m.to_le_bytes());
        }
        if clear {
            set_scales_to_one(format, &mut bytes);
        }
        let mut out = vec![0.0; n];
        dequantize_row(format, &bytes, &mut out);
        out
    };
    let quants = whole(format, widen(Some(0x3c00), Some(0), true));
    // scale · u with the true d, divided by u: exact, since both are short.
    let products = widen(None, Some(0), false);
    let scales = block_scales(format, &quants, &products);
    let mins = m_at.map(|_| widen(Some(0), None, false));
    (quants, scales, mins)
}

/// The integers of weights whose scales are 1: in some formats that is an eighth or a quarter of the integer.
fn whole(format: Format, mut weights: Vec<f32>) -> Vec<f32> {
    let factor = match format {
        Format::IQ3_XXS => 4.0,
        Format::IQ2_S | Format::IQ2_XS | Format::IQ2_XXS | Format::IQ1_M | Format::IQ1_S => 8.0,
        _ => 1.0,
    };
    weights.iter_mut().for_each(|w| *w *= factor);
    weights
}

/// As `parts` for formats whose scales are no halves, or lie scattered.
fn scattered_parts(format: Format, bytes: &[u8]) -> (Vec<f32>, Vec<f32>, Option<Vec<f32>>) {
    let widen = |bytes: &[u8]| {
        let mut out = vec![0.0; format.block_len()];
        dequantize_row(format, bytes, &mut out);
        out
    };
    let mut plain = bytes.to_vec();
    match format {
        Format::MXFP4 => plain[0] = 128,
        Format::NVFP4 => plain[..4].fill(0x40),
        _ => {
            plain[48..56].fill(0);
            set_iq1_m_half(&mut plain, 0x3c00);
        }
    }
    let quants = whole(format, widen(&plain));
    let scales = block_scales(format, &quants, &widen(bytes));
    (quants, scales, None)
}

/// As `parts` for Q1_0: integers 0 and 1, the scale 2d, the minimum −d.
fn binary_parts(bytes: &[u8]) -> (Vec<f32>, Vec<f32>, Option<Vec<f32>>) {
    let d = f16_to_f32(u16::from_le_bytes([bytes[0], bytes[1]]));
    let bit = |i: usize| f32::from((bytes[2 + i / 8] >> (i % 8)) & 1);
    (
        (0..128).map(bit).collect(),
        vec![2.0 * d; 128],
        Some(vec![-d; 128]),
    )
}

/// Makes every sub-block scale 1 (where the format has them), so that only the integers remain.
fn set_scales_to_one(format: Format, bytes: &mut [u8]) {
    match format {
        Format::Q2_K => bytes[..16].fill(1),
        Format::Q3_K => {
            // 33 = 1 + 32 in six bits: low nibble 1, high pair 2.
            bytes[96..104].fill(0x11);
            bytes[104..108].fill(0xaa);
        }
        Format::Q4_K | Format::Q5_K => {
            bytes[4..8].fill(1);
            bytes[8..12].fill(0);
            bytes[12..16].fill(1);
        }
        Format::Q6_K => bytes[192..208].fill(1),
        Format::IQ4_XS => {
            // 33 = 1 + 32 as above.
            bytes[2..4].fill(0xaa);
            bytes[4..8].fill(0x11);
        }
        // Scales of these are 1 + 2s.
        Format::IQ3_S => bytes[106..110].fill(0),
        Format::IQ3_XXS => (69..98).step_by(4).for_each(|at| bytes[at] &= 15),
        Format::IQ2_S => bytes[74..82].fill(0),
        Format::IQ2_XS => bytes[66..74].fill(0),
        Format::IQ2_XXS => (9..66).step_by(8).for_each(|at| bytes[at] &= 15),
        Format::IQ1_S => (35..50).step_by(2).for_each(|at| bytes[at] &= 0x8f),
        _ => {}
    }
}

fn block_scales(format: Format, quants: &[f32], products: &[f32]) -> Vec<f32> {
    let sub = sub_block(format);
    let mut scales = Vec::new();
    for (quants, products) in quants.chunks(sub).zip(products.chunks(sub)) {
        let scale = quants
            .iter()
            .zip(products)
            .find(|(q, _)| **q != 0.0)
            .map_or(0.0, |(q, p)| p / q);
        scales.extend(std::iter::repeat_n(scale, sub));
    }
    scales
}

/// Random inputs, a few of them far larger than the rest, as models have them.
fn inputs(random: &mut Random, n: usize) -> Vec<f32> {
    let mut x = random.floats(n);
    for (factor, x) in [7.0, 60.0, 1.0, 900.0, 1e5, 1.0]
        .into_iter()
        .cycle()
        .zip(x.iter_mut().skip(3).step_by(101))
    {
        *x *= factor;
    }
    x
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn every_format_gives_the_defined_bits() {
    let pool = Pool::new(&[]);
    let mut random = Random(1);
    for format in Format::ALL {
        for (rows, cols) in [(1, 256), (16, 512), (37, 768), (5, 544)] {
            if format.row_bytes(cols).is_none() {
                continue;
            }
            let data = weights(&mut random, format, rows * cols);
            let x = inputs(&mut random, 3 * cols);
            let w = Matrix::pack(&pool, format, rows, cols, &data);
            let got = product(&Cpu::new(Isa::SCALAR, &[]), &w, &x, 3);
            let row_bytes = format.row_bytes(cols).unwrap();
            for (token, x) in x.chunks_exact(cols).enumerate() {
                for (row, bytes) in data.chunks_exact(row_bytes).enumerate() {
                    let want = defined(format, bytes, x);
                    assert_eq!(
                        got[token * rows + row].to_bits(),
                        want.to_bits(),
                        "{format:?} {rows}×{cols}, row {row}"
                    );
                }
            }
        }
    }
}

#[test]
fn isa_threads_and_batch_do_not_change_a_bit() {
    let mut random = Random(2);
    for format in Format::ALL {
        for (rows, cols, tokens) in [
            (1, 256, 1),
            (200, 256, 1),
            (48, 1024, 13),
            (33, 256, 16),
            (48, 352, 53),
            // Enough tokens for tile registers, with some left over, in whole units of 256 columns and in others.
            (48, 512, 85),
            (48, 352, 85),
        ] {
            if format.row_bytes(cols).is_none() {
                continue;
            }
            let data = weights(&mut random, format, rows * cols);
            let mut x = inputs(&mut random, tokens * cols);
            x[..32].fill(0.0);
            let single = Pool::new(&[]);
            let w = Matrix::pack(&single, format, rows, cols, &data);
            let want = bits(&product(&Cpu::new(Isa::SCALAR, &[]), &w, &x, tokens));
            for isa in Isa::available() {
                for threads in [1, 2, 3] {
                    let cpu = Cpu::new(isa, &vec![0; threads]);
                    let w = Matrix::pack(&cpu.pool, format, rows, cols, &data);
                    assert_eq!(
                        bits(&product(&cpu, &w, &x, tokens)),
                        want,
                        "{format:?} {isa} {threads} threads"
                    );
                    let each: Vec<u32> = x
                        .chunks_exact(cols)
                        .flat_map(|x| bits(&product(&cpu, &w, x, 1)))
                        .collect();
                    assert_eq!(each, want, "{format:?} {isa} one token at a time");
                }
            }
        }
    }
}

/// Tiles of 16, 8, 4, 2 and 1 tokens, some of them begun with tokens that are done or filled up with none: whatever a
/// number of tokens is made of, each gets its own bits and nothing is written behind the last.
#[test]
fn any_number_of_tokens_gives_the_same_bits() {
    let mut random = Random(11);
    // Five groups of rows: one round of the streams, and one that is left over.
    let (rows, cols, most) = (80, 256, 35);
    for format in Format::ALL {
        let data = weights(&mut random, format, rows * cols);
        let x = inputs(&mut random, most * cols);
        let w = Matrix::pack(&Pool::new(&[]), format, rows, cols, &data);
        let want = bits(&product(&Cpu::new(Isa::SCALAR, &[]), &w, &x, most));
        for isa in Isa::available() {
            let cpu = Cpu::new(isa, &[]);
            // One for all, the largest first: what is left over from it must not be read.
            let mut activations = Activations::new();
            for tokens in (1..=most).rev() {
                let room = activations.resize(tokens, cols);
                room.copy_from_slice(&x[..tokens * cols]);
                activations.quantize(&cpu, InputFormats::of([&w]));
                let mut buffer = vec![7.0; (tokens + 16) * rows];
                let (out, after) = buffer.split_at_mut(tokens * rows);
                let weights = &w;
                matmul(&cpu, &activations, &mut [Product { weights, out }]);
                let case = format!("{format:?} {isa}, {tokens} tokens");
                assert_eq!(bits(out), want[..tokens * rows], "{case}");
                assert!(
                    after.iter().all(|x| x.to_bits() == 7f32.to_bits()),
                    "{case}"
                );
            }
        }
    }
}

#[test]
fn extreme_integers_are_exact_on_every_isa() {
    let pool = Pool::new(&[]);
    for format in [Format::Q8_0, Format::Q4_0, Format::Q5_0, Format::IQ4_NL] {
        for byte in [0x00, 0x7f, 0x80, 0xff] {
            let mut data = vec![byte; 16 * format.row_bytes(64).unwrap()];
            for block in data.chunks_exact_mut(format.block_bytes()) {
                block[..2].copy_from_slice(&0x3c00u16.to_le_bytes());
            }
            for sign in [1.0, -1.0] {
                let x = vec![127.0 * sign; 3 * 64];
                let w = Matrix::pack(&pool, format, 16, 64, &data);
                let mut row = vec![0.0; 64];
                dequantize_row(format, &data[..format.row_bytes(64).unwrap()], &mut row);
                let want: f32 = row.iter().map(|w| w * 127.0 * sign).sum();
                for isa in Isa::available() {
                    for tokens in 1..=3 {
                        assert_eq!(
                            product(&Cpu::new(isa, &[]), &w, &x[..tokens * 64], tokens),
                            vec![want; tokens * 16],
                            "{format:?} {byte:02x} {isa}, {tokens} tokens"
                        );
                    }
                }
            }
        }
    }
}

/// Two inputs that are a hundred times the rest do not take its precision away.
#[test]
fn large_inputs_of_q4_0_leave_the_rest_its_precision() {
    let pool = Pool::new(&[]);
    let mut random = Random(10);
    let (rows, cols) = (64, 256);
    let data = weights(&mut random, Format::Q4_0, rows * cols);
    let w = Matrix::pack(&pool, Format::Q4_0, rows, cols, &data);
    let mut x = random.floats(cols);
    (x[17], x[200]) = (100.0, -90.0);
    let got = product(&Cpu::new(Isa::detect(), &[]), &w, &x, 1);
    let row_bytes = Format::Q4_0.row_bytes(cols).unwrap();
    let (mut error, mut size) = (0.0, 0.0);
    for (got, bytes) in got.iter().zip(data.chunks_exact(row_bytes)) {
        let mut row = vec![0.0; cols];
        dequantize_row(Format::Q4_0, bytes, &mut row);
        let exact = |(w, x): (&f32, &f32)| f64::from(*w) * f64::from(*x);
        let want: f64 = row.iter().zip(&x).map(exact).sum();
        let small = row.iter().zip(&x).filter(|(_, x)| x.abs() <= 1.0);
        error += (f64::from(*got) - want).powi(2);
        size += small.map(exact).sum::<f64>().powi(2);
    }
    let ratio = (error / size).sqrt();
    assert!(ratio < 0.01, "an error of {ratio} of what the rest adds");
}

/// Scales that are far apart, too small or no numbers.
#[test]
fn strange_scales_of_q4_0_are_the_same_on_every_isa() {
    let pool = Pool::new(&[]);
    let mut random = Random(9);
    let (rows, cols, tokens) = (16, 288, 17);
    for scales in [
        [
            0x3c00, 0x0001, 0x8001, 0x0400, 0x7bff, 0xfbff, 0x0000, 0x8000, 0x03ff,
        ],
        [
            0x0001, 0x0000, 0x8003, 0x0000, 0x0001, 0x03ff, 0x0000, 0x0000, 0x8001,
        ],
        [
            0x3c00, 0x7c00, 0x3c00, 0xfc00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00,
        ],
        [
            0x3c00, 0x3c00, 0x7e00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00,
        ],
        [0; 9],
    ] {
        let mut data = weights(&mut random, Format::Q4_0, rows * cols);
        for (block, scale) in data.chunks_exact_mut(18).zip(scales.iter().cycle()) {
            block[..2].copy_from_slice(&u16::to_le_bytes(*scale));
        }
        let strange = scales.iter().any(|scale| scale & 0x7c00 == 0x7c00);
        let x = inputs(&mut random, tokens * cols);
        let w = Matrix::pack(&pool, Format::Q4_0, rows, cols, &data);
        let want = product(&Cpu::new(Isa::SCALAR, &[]), &w, &x, tokens);
        assert_eq!(want.iter().all(|x| x.is_nan()), strange, "{scales:04x?}");
        if !strange {
            assert_eq!(want[0], defined(Format::Q4_0, &data[..9 * 18], &x[..cols]));
        }
        for isa in Isa::available() {
            let got = product(&Cpu::new(isa, &[]), &w, &x, tokens);
            let same =
                |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(got.iter().zip(&want).all(same), "{scales:04x?} {isa}");
        }
    }
}

/// Any bytes: scales that are infinite, no numbers, subnormal or beyond what a product can hold.
#[test]
fn any_bytes_multiply_the_same_on_every_isa() {
    let pool = Pool::new(&[]);
    let mut random = Random(13);
    // So many tokens that tile registers take part.
    let (rows, cols, tokens) = (32, 512, 81);
    for format in Format::ALL.into_iter().filter(|f| f.block_len() > 1) {
        let bytes = rows * format.row_bytes(cols).unwrap();
        let data: Vec<u8> = (0..bytes).map(|_| random.word() as u8).collect();
        let x = inputs(&mut random, tokens * cols);
        let w = Matrix::pack(&pool, format, rows, cols, &data);
        let want = product(&Cpu::new(Isa::SCALAR, &[]), &w, &x, tokens);
        for isa in Isa::available() {
            let got = product(&Cpu::new(isa, &[]), &w, &x, tokens);
            let same =
                |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(got.iter().zip(&want).all(same), "{format:?} {isa}");
        }
    }
}

/// The sum of products in double precision, with activations as they were quantised, on every ISA.
#[test]
fn products_are_those_of_double_precision() {
    let pool = Pool::new(&[]);
    let mut random = Random(14);
    let (rows, cols, tokens) = (16, 512, 81);
    for format in Format::ALL.into_iter().filter(|f| f.block_len() > 1) {
        if format == Format::Q4_0 {
            continue; // Its activations have scales of their own: `defined_units`.
        }
        let data = weights(&mut random, format, rows * cols);
        let x = inputs(&mut random, tokens * cols);
        let quantized: Vec<f64> = x
            .chunks_exact(32)
            .flat_map(|x| {
                let largest = x.iter().fold(0.0f32, |m, x| m.max(x.abs()));
                let (d, inverse) = (largest / 127.0, 127.0 / largest);
                x.iter()
                    .map(move |x| f64::from((x * inverse).round_ties_even()) * f64::from(d))
            })
            .collect();
        let mut widened = vec![0.0; rows * cols];
        dequantize_row(format, &data, &mut widened);
        let w = Matrix::pack(&pool, format, rows, cols, &data);
        for isa in Isa::available() {
            let got = product(&Cpu::new(isa, &[]), &w, &x, tokens);
            for (i, got) in got.iter().enumerate() {
                let x = &quantized[i / rows * cols..][..cols];
                let row = &widened[i % rows * cols..][..cols];
                let terms = row.iter().zip(x).map(|(w, x)| f64::from(*w) * x);
                let size: f64 = terms.clone().map(f64::abs).sum();
                let error = (f64::from(*got) - terms.sum::<f64>()).abs();
                assert!(error <= 1e-5 * size, "{format:?} {isa}: {error} of {size}");
            }
        }
    }
}

#[test]
fn several_products_of_one_input() {
    let mut random = Random(3);
    let cpu = Cpu::new(Isa::detect(), &[0, 0]);
    let pool = &cpu.pool;
    let x = random.floats(256);
    let a = Matrix::pack(
        pool,
        Format::Q4_0,
        40,
        256,
        &weights(&mut random, Format::Q4_0, 40 * 256),
    );
    let b = Matrix::pack(
        pool,
        Format::F16,
        7,
        256,
        &weights(&mut random, Format::F16, 7 * 256),
    );
    let mut activations = Activations::new();
    activations.resize(1, 256).copy_from_slice(&x);
    activations.quantize(&cpu, InputFormats::ALL);
    let (mut first, mut second) = (vec![0.0; 40], vec![0.0; 7]);
    matmul(
        &cpu,
        &activations,
        &mut [
            Product {
                weights: &a,
                out: &mut first,
            },
            Product {
                weights: &b,
                out: &mut second,
            },
        ],
    );
    assert_eq!(first, product(&Cpu::new(Isa::SCALAR, &[]), &a, &x, 1));
    assert_eq!(second, product(&Cpu::new(Isa::SCALAR, &[]), &b, &x, 1));
}

/// The gate is applied part by part, and in the formats that the next product wants.
#[test]
fn gated_products_are_the_products_gated() {
    let mut random = Random(12);
    let cols = 64;
    // Whole units and a part of one; a last group of fewer than 16 rows.
    for (rows, next) in [
        (544, Format::Q4_0),
        (544, Format::Q8_0),
        (300, Format::F32),
        (256, Format::BF16),
    ] {
        let alone = Pool::new(&[]);
        let mut pack = |format, rows, cols| {
            let data = weights(&mut random, format, rows * cols);
            Matrix::pack(&alone, format, rows, cols, &data)
        };
        let (gate, up) = (
            pack(Format::Q4_0, rows, cols),
            pack(Format::Q8_0, rows, cols),
        );
        let down = pack(next, 24, rows);
        for tokens in [1, 3, 16, 37, 85] {
            let x = inputs(&mut random, tokens * cols);
            let mut hidden = product(&Cpu::new(Isa::SCALAR, &[]), &gate, &x, tokens);
            let values = product(&Cpu::new(Isa::SCALAR, &[]), &up, &x, tokens);
            let by = hidden.clone();
            gated(Isa::SCALAR, ActivationFn::Gelu, &mut hidden, &by, &values);
            let want = product(&Cpu::new(Isa::SCALAR, &[]), &down, &hidden, tokens);
            for isa in Isa::available() {
                for cpus in [&[][..], &[0, 0]] {
                    let cpu = &Cpu::new(isa, cpus);
                    let mut input = Activations::new();
                    input.resize(tokens, cols).copy_from_slice(&x);
                    input.quantize(cpu, InputFormats::ALL);
                    let gates = GatedWeights {
                        activation: ActivationFn::Gelu,
                        gate: &gate,
                        up: &up,
                        biases: None,
                    };
                    let mut hidden = Activations::new();
                    let formats = InputFormats::of([&down]);
                    gated_matmul(cpu, &input, gates, formats, &mut hidden);
                    let mut got = vec![f32::NAN; want.len()];
                    let products = &mut [Product {
                        weights: &down,
                        out: &mut got,
                    }];
                    matmul(cpu, &hidden, products);
                    assert_eq!(bits(&got), bits(&want), "{isa} {next:?} {tokens} tokens");
                }
            }
        }
    }
}

/// Networks of several inputs in one round give what each gives alone, biases included.
#[test]
fn networks_side_by_side_are_networks_one_by_one() {
    let (cols, rows) = (64, 288);
    let pool = Pool::new(&[]);
    let mut random = Random(9);
    let mut matrix = |format, rows, cols| {
        let data = weights(&mut random, format, rows * cols);
        Matrix::pack(&pool, format, rows, cols, &data)
    };
    let networks: Vec<[Matrix; 3]> = (0..3)
        .map(|_| {
            let (gate, up) = (Format::Q8_0, Format::F32);
            [
                matrix(gate, rows, cols),
                matrix(up, rows, cols),
                matrix(Format::Q4_0, cols, rows),
            ]
        })
        .collect();
    let biases = [random.floats(rows), random.floats(rows)];
    for isa in Isa::available() {
        let cpu = &Cpu::new(isa, &[0, 0]);
        let inputs: Vec<Activations> = [1, 0, 81]
            .iter()
            .map(|&tokens| {
                let mut x = Activations::new();
                let floats = Random(tokens as u64 + 1).floats(tokens * cols);
                x.resize(tokens, cols).copy_from_slice(&floats);
                x.quantize(cpu, InputFormats::ALL);
                x
            })
            .collect();
        let mut hidden: Vec<Activations> = (0..3).map(|_| Activations::new()).collect();
        let formats = InputFormats::of([&networks[0][2]]);
        let mut jobs: Vec<GatedProduct<'_>> = networks
            .iter()
            .zip(&inputs)
            .zip(&mut hidden)
            .map(|((network, x), out)| GatedProduct {
                weights: GatedWeights {
                    activation: ActivationFn::ClampedSilu,
                    gate: &network[0],
                    up: &network[1],
                    biases: Some([&biases[0], &biases[1]]),
                },
                x,
                out,
            })
            .collect();
        gated_matmul_each(cpu, formats, &mut jobs);
        let mut got: Vec<Vec<f32>> = inputs.iter().map(|x| vec![0.0; x.rows() * cols]).collect();
        let mut jobs: Vec<_> = networks
            .iter()
            .zip(&hidden)
            .zip(&mut got)
            .map(|((network, x), out)| {
                let weights = &network[2];
                (x, Product { weights, out })
            })
            .collect();
        matmul_each(cpu, &mut jobs);
        for ((network, x), got) in networks.iter().zip(&inputs).zip(&got) {
            let [gate, up] = [0, 1].map(|i| {
                let mut out = product(cpu, &network[i], x.floats(), x.rows());
                out.chunks_exact_mut(rows)
                    .for_each(|row| add(isa, row, &biases[i]));
                out
            });
            let mut row = vec![0.0; gate.len()];
            gated(isa, ActivationFn::ClampedSilu, &mut row, &gate, &up);
            let want = product(cpu, &network[2], &row, x.rows());
            assert_eq!(bits(got), bits(&want), "{isa}, {} tokens", x.rows());
        }
    }
}
