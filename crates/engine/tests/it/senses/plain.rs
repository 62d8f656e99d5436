//! The encoders written down a second time, as plain as they can be: double precision, naive loops, no kernels.

use super::mmproj::{AUDIO, AUDIO_HEADS, CHANNELS, LAYERS, POSITIONS, VISION, VISION_HEADS};
use reckon_engine::Pixels;
use reckon_gguf::File;
use std::f64::consts::{E, LN_2, PI};

type Rows = Vec<Vec<f64>>;

/// The numbers of a tensor.
fn numbers(file: &File, name: &str) -> Vec<f64> {
    let tensor = file.tensor(name).unwrap();
    let mut out = vec![0.0; tensor.info.weights()];
    reckon_kernels::dequantize_row(tensor.info.format, tensor.data, &mut out);
    out.iter().map(|x| f64::from(*x)).collect()
}

fn product(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks_exact(x.len());
    rows.map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum())
        .collect()
}

fn project(file: &File, name: &str, x: &Rows) -> Rows {
    let matrix = numbers(file, &format!("{name}.weight"));
    x.iter().map(|x| product(&matrix, x)).collect()
}

/// A clipped linear.
fn linear(file: &File, name: &str, x: &Rows) -> Rows {
    let bound = |end: &str| numbers(file, &format!("{name}.{end}"))[0];
    let clamp = |rows: &Rows, side: &str| -> Rows {
        let (low, high) = (bound(&format!("{side}_min")), bound(&format!("{side}_max")));
        let row = |row: &Vec<f64>| row.iter().map(|x| x.max(low).min(high)).collect();
        rows.iter().map(row).collect()
    };
    clamp(&project(file, name, &clamp(x, "input")), "output")
}

fn rms(x: &[f64], weight: Option<&[f64]>) -> Vec<f64> {
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let scale = 1.0 / (mean + 1e-6).sqrt();
    let weight = |i: usize| weight.map_or(1.0, |w| w[i]);
    x.iter()
        .enumerate()
        .map(|(i, x)| x * scale * weight(i))
        .collect()
}

fn norm(file: &File, name: &str, x: &Rows) -> Rows {
    let weight = numbers(file, &format!("{name}.weight"));
    x.iter().map(|x| rms(x, Some(&weight))).collect()
}

fn add(x: &mut Rows, other: &Rows, factor: f64) {
    for (x, other) in x.iter_mut().zip(other) {
        x.iter_mut().zip(other).for_each(|(x, y)| *x += factor * y);
    }
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

fn silu(x: f64) -> f64 {
    x / (1.0 + (-x).exp())
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
}

fn map(x: &Rows, f: impl Fn(f64) -> f64) -> Rows {
    x.iter()
        .map(|row| row.iter().map(|x| f(*x)).collect())
        .collect()
}

/// Rotates the first half of a head by the column, the second by the row.
fn rotate(head: &mut [f64], column: usize, row: usize) {
    let quarter = head.len() / 4;
    for (half, place) in head.chunks_exact_mut(2 * quarter).zip([column, row]) {
        for i in 0..quarter {
            let angle = place as f64 * 100f64.powf(-(i as f64) / quarter as f64);
            let (a, b) = (half[i], half[i + quarter]);
            half[i] = a * angle.cos() - b * angle.sin();
            half[i + quarter] = a * angle.sin() + b * angle.cos();
        }
    }
}

/// Attention where all see all, or each the `window` last.
fn attend(
    heads: usize,
    (q, k, v): (&Rows, &Rows, &Rows),
    window: Option<usize>,
    score: impl Fn(usize, f64, usize, usize) -> f64,
) -> Rows {
    let dim = q[0].len() / heads;
    let mut out = vec![vec![0.0; q[0].len()]; q.len()];
    for (i, out) in out.iter_mut().enumerate() {
        let seen = window.map_or(0..q.len(), |w| (i + 1).saturating_sub(w)..i + 1);
        for head in 0..heads {
            let part = head * dim..(head + 1) * dim;
            let dot = |j: usize| -> f64 {
                let pairs = q[i][part.clone()].iter().zip(&k[j][part.clone()]);
                pairs.map(|(a, b)| a * b).sum()
            };
            let scores: Vec<f64> = seen.clone().map(|j| score(head, dot(j), i, j)).collect();
            for (j, weight) in seen.clone().zip(softmax(&scores)) {
                for d in part.clone() {
                    out[d] += weight * v[j][d];
                }
            }
        }
    }
    out
}

/// The soft tokens of an image.
pub(crate) fn vision(file: &File, pixels: &Pixels) -> Rows {
    let (columns, rows) = (pixels.width() / 16, pixels.height() / 16);
    let kernel = numbers(file, "v.patch_embd.weight");
    let table = numbers(file, "v.position_embd.weight");
    let mut x: Rows = Vec::new();
    for patch in 0..columns * rows {
        let (column, row) = (patch % columns, patch / columns);
        let value = |i: usize| {
            let (colour, y, x) = (i / 256, i / 16 % 16, i % 16);
            let at = (colour * pixels.height() + row * 16 + y) * pixels.width() + column * 16 + x;
            2.0 * f64::from(pixels.data()[at]) - 1.0
        };
        let values: Vec<f64> = (0..768).map(value).collect();
        let mut embedded = product(&kernel, &values);
        for (i, x) in embedded.iter_mut().enumerate() {
            *x += table[column * VISION + i] + table[(POSITIONS + row) * VISION + i];
        }
        x.push(embedded);
    }
    for i in 0..LAYERS {
        vision_layer(file, &format!("v.blk.{i}"), columns, &mut x);
    }
    let mut pooled = Vec::new();
    for token in 0..columns / 3 * (rows / 3) {
        let (column, row) = (token % (columns / 3) * 3, token / (columns / 3) * 3);
        let mean = |d: usize| {
            let patch = |i: usize| x[(row + i / 3) * columns + column + i % 3][d];
            (0..9).map(patch).sum::<f64>() / 9.0 * (VISION as f64).sqrt()
        };
        pooled.push(rms(&(0..VISION).map(mean).collect::<Vec<_>>(), None));
    }
    project(file, "mm.input_projection", &pooled)
}

fn vision_layer(file: &File, name: &str, columns: usize, x: &mut Rows) {
    let dim = VISION / VISION_HEADS;
    let h = norm(file, &format!("{name}.ln1"), x);
    let heads = |part: &str, weight: Option<&str>| -> Rows {
        let weight = weight.map(|w| numbers(file, &format!("{name}.{w}.weight")));
        let mut rows = linear(file, &format!("{name}.{part}"), &h);
        for (patch, row) in rows.iter_mut().enumerate() {
            for head in row.chunks_exact_mut(dim) {
                head.copy_from_slice(&rms(head, weight.as_deref()));
                if weight.is_some() {
                    rotate(head, patch % columns, patch / columns);
                }
            }
        }
        rows
    };
    let q = heads("attn_q", Some("attn_q_norm"));
    let k = heads("attn_k", Some("attn_k_norm"));
    let v = heads("attn_v", None);
    let seen = attend(VISION_HEADS, (&q, &k, &v), None, |_, score, _, _| score);
    let out = linear(file, &format!("{name}.attn_out"), &seen);
    add(x, &norm(file, &format!("{name}.attn_post_norm"), &out), 1.0);
    let h = norm(file, &format!("{name}.ln2"), x);
    let mut gate = map(&linear(file, &format!("{name}.ffn_gate"), &h), gelu);
    let up = linear(file, &format!("{name}.ffn_up"), &h);
    for (gate, up) in gate.iter_mut().zip(&up) {
        gate.iter_mut().zip(up).for_each(|(gate, up)| *gate *= up);
    }
    let out = linear(file, &format!("{name}.ffn_down"), &gate);
    add(x, &norm(file, &format!("{name}.ffn_post_norm"), &out), 1.0);
}

/// The log-mel spectrogram, by the definition of the Fourier transform.
pub(crate) fn mel(samples: &[f32]) -> Rows {
    let silence = std::iter::repeat_n(0.0, 160);
    let padded: Vec<f32> = silence.chain(samples.iter().copied()).collect();
    let to_mel = |f: f64| 2595.0 * (1.0 + f / 700.0).log10();
    let to_hertz = |m: f64| 700.0 * (10f64.powf(m / 2595.0) - 1.0);
    let peak = |i: usize| to_hertz(to_mel(8000.0) * i as f64 / 129.0);
    let frames = (padded.len() - 321) / 160 + 1;
    let frame = |frame: usize| {
        let windowed = |i: usize| {
            let weight = 0.5 - 0.5 * (2.0 * PI * i as f64 / 320.0).cos();
            f64::from(padded[frame * 160 + i] * weight as f32)
        };
        let windowed: Vec<f64> = (0..320).map(windowed).collect();
        let magnitude = |bin: usize| {
            let angle = |i: usize| 2.0 * PI * (bin * i % 512) as f64 / 512.0;
            let part = |f: fn(f64) -> f64| -> f64 {
                let terms = windowed.iter().enumerate();
                terms.map(|(i, x)| x * f(angle(i))).sum()
            };
            part(f64::cos).hypot(part(f64::sin))
        };
        let magnitudes: Vec<f64> = (0..257).map(magnitude).collect();
        let band = |band: usize| {
            let (low, middle, high) = (peak(band), peak(band + 1), peak(band + 2));
            let weight = |bin: usize| {
                let f = 8000.0 * bin as f64 / 256.0;
                let (up, down) = ((f - low) / (middle - low), (high - f) / (high - middle));
                up.min(down).max(0.0)
            };
            let sum: f64 = (0..257).map(|bin| weight(bin) * magnitudes[bin]).sum();
            (sum + 0.001).ln()
        };
        (0..128).map(band).collect()
    };
    (0..frames).map(frame).collect()
}

/// Convolution, layer norm over channels and ReLU over `[time][band][channel]`.
fn convolution(file: &File, i: usize, x: &[Rows]) -> Vec<Rows> {
    let kernel = numbers(file, &format!("a.conv1d.{i}.weight"));
    let weight = numbers(file, &format!("a.conv1d.{i}.norm.weight"));
    let (times, bands, channels) = (x.len(), x[0].len(), x[0][0].len());
    let at = |time: usize, band: usize, tap: usize, channel: usize| -> f64 {
        let (time, band) = (2 * time + tap / 3, 2 * band + tap % 3);
        match (1..=times).contains(&time) && (1..=bands).contains(&band) {
            true => x[time - 1][band - 1][channel],
            false => 0.0,
        }
    };
    let place = |time: usize, band: usize| -> Vec<f64> {
        let channel = |out: usize| -> f64 {
            let terms = (0..channels * 9)
                .map(|term| kernel[out * channels * 9 + term] * at(time, band, term % 9, term / 9));
            terms.sum()
        };
        let row: Vec<f64> = (0..CHANNELS[i]).map(channel).collect();
        let n = row.len() as f64;
        let mean = row.iter().sum::<f64>() / n;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let pairs = row.iter().zip(&weight);
        pairs
            .map(|(x, w)| ((x - mean) / (variance + 1e-6).sqrt() * w).max(0.0))
            .collect()
    };
    (0..times.div_ceil(2))
        .map(|time| {
            (0..bands.div_ceil(2))
                .map(|band| place(time, band))
                .collect()
        })
        .collect()
}

/// The soft tokens of a spectrogram.
pub(crate) fn audio(file: &File, mel: &Rows) -> Rows {
    let plane: Vec<Rows> = mel
        .iter()
        .map(|frame| frame.iter().map(|x| vec![*x]).collect())
        .collect();
    let plane = convolution(file, 1, &convolution(file, 0, &plane));
    let flat: Rows = plane.iter().map(|bands| bands.concat()).collect();
    let mut x = project(file, "a.input_projection", &flat);
    for i in 0..LAYERS {
        let name = |part: &str| format!("a.blk.{i}.{part}");
        feed_forward(file, &name(""), "", &mut x);
        audio_attention(file, &name(""), &mut x);
        light_convolution(file, &name(""), &mut x);
        feed_forward(file, &name(""), "_1", &mut x);
        x = norm(file, &name("ln2"), &x);
    }
    let mut out = project(file, "a.pre_encode.out", &x);
    let bias = numbers(file, "a.pre_encode.out.bias");
    for row in &mut out {
        row.iter_mut().zip(&bias).for_each(|(x, b)| *x += b);
        *row = rms(row, None);
    }
    project(file, "mm.a.input_projection", &out)
}

fn feed_forward(file: &File, name: &str, ending: &str, x: &mut Rows) {
    let part = |part: &str| format!("{name}{part}{ending}");
    let h = norm(file, &part("ffn_norm"), x);
    let h = map(&linear(file, &part("ffn_up"), &h), silu);
    let h = linear(file, &part("ffn_down"), &h);
    add(x, &norm(file, &part("ffn_post_norm"), &h), 0.5);
}

fn audio_attention(file: &File, name: &str, x: &mut Rows) {
    let part = |part: &str| format!("{name}{part}");
    let dim = AUDIO / AUDIO_HEADS;
    let h = norm(file, &part("attn_pre_norm"), x);
    let scale = numbers(file, &part("per_dim_scale.weight"));
    let mut q = linear(file, &part("attn_q"), &h);
    for row in &mut q {
        for (i, q) in row.iter_mut().enumerate() {
            *q *= scale[i % dim] / (dim as f64).sqrt() / LN_2;
        }
    }
    let k = map(&linear(file, &part("attn_k"), &h), |k| {
        k * (1.0 + E).ln() / LN_2
    });
    let v = linear(file, &part("attn_v"), &h);
    let half = AUDIO / 2;
    let wave = |distance: usize| -> Vec<f64> {
        let angle =
            |i: usize| distance as f64 * (-(i as f64) * 10_000f64.ln() / (half - 1) as f64).exp();
        let sines = (0..half).map(|i| angle(i).sin());
        sines.chain((0..half).map(|i| angle(i).cos())).collect()
    };
    let relative = project(file, &part("attn_k_rel"), &(0..12).map(wave).collect());
    let score = |head: usize, content: f64, i: usize, j: usize| {
        let own = head * dim..(head + 1) * dim;
        let pairs = q[i][own.clone()].iter().zip(&relative[i - j][own]);
        let whole = content + pairs.map(|(a, b)| a * b).sum::<f64>();
        50.0 * (whole / 50.0).tanh()
    };
    let seen = attend(AUDIO_HEADS, (&q, &k, &v), Some(12), score);
    let out = linear(file, &part("attn_out"), &seen);
    add(x, &norm(file, &part("attn_post_norm"), &out), 1.0);
}

fn light_convolution(file: &File, name: &str, x: &mut Rows) {
    let part = |part: &str| format!("{name}{part}");
    let h = linear(file, &part("conv_pw1"), &norm(file, &part("conv_norm"), x));
    let gate = |row: &Vec<f64>| -> Vec<f64> {
        (0..AUDIO)
            .map(|c| row[c] / (1.0 + (-row[AUDIO + c]).exp()))
            .collect()
    };
    let h: Rows = h.iter().map(gate).collect();
    let taps = numbers(file, &part("conv_dw.weight"));
    let place = |t: usize| -> Vec<f64> {
        let channel = |c: usize| -> f64 {
            (0..5)
                .filter(|j| t + j >= 4)
                .map(|j| taps[c * 5 + j] * h[t + j - 4][c])
                .sum()
        };
        (0..AUDIO).map(channel).collect()
    };
    let h: Rows = (0..h.len()).map(place).collect();
    let h = map(&norm(file, &part("norm_conv"), &h), silu);
    add(x, &linear(file, &part("conv_pw2"), &h), 1.0);
}
