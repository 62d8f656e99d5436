//! Vector operations: the same bits on every ISA, and close to the true value.

use crate::fixture::Random;
use reckon_kernels::{
    ActivationFn, Isa, RopePairing, add, add_normed, add_product, add_scaled, clamp, dot, gated,
    glu, layer_norm, multiply, rms_norm, rope, scale, silu, softcap, softmax,
};

/// Runs `op` on rows of many lengths on every ISA and hands the input and the one result to `check`.
fn on_every_isa(op: impl Fn(Isa, &mut [f32]), check: impl Fn(&[f32], &[f32])) {
    let mut random = Random(4);
    for len in (1..=48).chain([255, 256, 1000]) {
        let input: Vec<f32> = random.floats(len).iter().map(|x| 8.0 * x).collect();
        let mut want = input.clone();
        op(Isa::SCALAR, &mut want);
        check(&input, &want);
        for isa in Isa::available() {
            let mut got = input.clone();
            op(isa, &mut got);
            let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&got), bits(&want), "{isa}, length {len}");
        }
    }
}

#[track_caller]
fn close(got: f32, want: f64, limit: f64) {
    assert!(
        (f64::from(got) - want).abs() <= limit * (1.0 + want.abs()),
        "{got} is not {want}"
    );
}

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| 0.5 + i as f32 / len as f32).collect()
}

#[test]
fn rms_norm_divides_by_the_root_mean_square() {
    on_every_isa(
        |isa, row| rms_norm(isa, row, Some(&ramp(row.len())), 1e-6),
        |input, got| {
            let mean =
                input.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / input.len() as f64;
            for ((x, got), w) in input.iter().zip(got).zip(ramp(input.len())) {
                close(
                    *got,
                    f64::from(*x) / (mean + 1e-6).sqrt() * f64::from(w),
                    1e-6,
                );
            }
        },
    );
    on_every_isa(|isa, row| rms_norm(isa, row, None, 1e-6), |_, _| ());
}

#[test]
fn add_normed_is_a_norm_and_a_sum() {
    on_every_isa(
        |isa, row| add_normed(isa, row, &ramp(row.len()), &ramp(row.len()), 1e-6),
        |input, got| {
            let (mut want, mut other) = (input.to_vec(), ramp(input.len()));
            rms_norm(Isa::SCALAR, &mut other, Some(&ramp(input.len())), 1e-6);
            add(Isa::SCALAR, &mut want, &other);
            assert_eq!(got, want);
        },
    );
}

#[test]
fn gates_are_silu_and_gelu() {
    let silu = |x: f64| x / (1.0 + (-x).exp());
    let gelu =
        |x: f64| 0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x.powi(3))).tanh());
    on_every_isa(
        |isa, row| {
            let x = row.to_vec();
            gated(isa, ActivationFn::Silu, row, &x, &ramp(x.len()));
        },
        |input, got| {
            for ((x, got), up) in input.iter().zip(got).zip(ramp(input.len())) {
                close(*got, silu(f64::from(*x)) * f64::from(up), 1e-6);
            }
        },
    );
    on_every_isa(
        |isa, row| {
            let x = row.to_vec();
            gated(isa, ActivationFn::Gelu, row, &x, &ramp(x.len()));
        },
        |input, got| {
            for ((x, got), up) in input.iter().zip(got).zip(ramp(input.len())) {
                close(*got, gelu(f64::from(*x)) * f64::from(up), 1e-6);
            }
        },
    );
    // Inputs reach ±8, so that gate and value are clamped.
    on_every_isa(
        |isa, row| {
            let x = row.to_vec();
            let up: Vec<f32> = x.iter().rev().copied().collect();
            gated(isa, ActivationFn::ClampedSilu, row, &x, &up);
        },
        |input, got| {
            for ((x, got), up) in input.iter().zip(got).zip(input.iter().rev()) {
                let (x, up) = (f64::from(*x).min(7.0), f64::from(*up).clamp(-7.0, 7.0));
                close(*got, x / (1.0 + (-1.702 * x).exp()) * (up + 1.0), 1e-6);
            }
        },
    );
}

#[test]
fn sums_scales_and_softcap() {
    on_every_isa(
        |isa, row| add(isa, row, &ramp(row.len())),
        |input, got| {
            for ((x, got), other) in input.iter().zip(got).zip(ramp(input.len())) {
                assert_eq!(*got, x + other);
            }
        },
    );
    on_every_isa(
        |isa, row| scale(isa, row, 1.5),
        |input, got| assert!(input.iter().zip(got).all(|(x, y)| x * 1.5 == *y)),
    );
    on_every_isa(
        |isa, row| softcap(isa, row, 3.0),
        |input, got| {
            for (x, got) in input.iter().zip(got) {
                close(*got, 3.0 * (f64::from(*x) / 3.0).tanh(), 1e-6);
            }
        },
    );
}

#[test]
fn softmax_sums_to_one() {
    on_every_isa(softmax, |input, got| {
        let largest = input.iter().copied().fold(f32::MIN, f32::max);
        let total: f64 = input.iter().map(|x| f64::from(x - largest).exp()).sum();
        for (x, got) in input.iter().zip(got) {
            close(*got, f64::from(x - largest).exp() / total, 1e-6);
        }
        close(got.iter().sum(), 1.0, 1e-5);
    });
}

#[test]
fn rope_turns_pairs() {
    let turns: Vec<(f32, f32)> = (0..3)
        .map(|i| (0.3 * i as f32).sin_cos())
        .map(|(s, c)| (c, s))
        .collect();
    let input: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let mut halves = input.clone();
    rope(Isa::SCALAR, RopePairing::Halves, &mut halves, &turns);
    let mut neighbours = input.clone();
    rope(
        Isa::SCALAR,
        RopePairing::Neighbours,
        &mut neighbours,
        &turns,
    );
    for (i, (cos, sin)) in turns.into_iter().enumerate() {
        for (row, a, b) in [(&halves, i, i + 3), (&neighbours, 2 * i, 2 * i + 1)] {
            close(row[a], f64::from(input[a] * cos - input[b] * sin), 1e-6);
            close(row[b], f64::from(input[a] * sin + input[b] * cos), 1e-6);
        }
    }
    assert_eq!((&halves[6..], &neighbours[6..]), (&input[6..], &input[6..]));
    for pairing in [RopePairing::Halves, RopePairing::Neighbours] {
        let angle = |i: usize| (0.3 + i as f32).sin_cos();
        let turn = |isa, row: &mut [f32]| {
            let turns: Vec<_> = (0..row.len() / 2).map(angle).collect();
            rope(isa, pairing, row, &turns);
        };
        on_every_isa(turn, |_, _| ());
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn layer_norm_takes_the_mean_off_and_divides_by_the_deviation() {
    on_every_isa(
        |isa, row| layer_norm(isa, row, &ramp(row.len()), 1e-6),
        |input, got| {
            let n = input.len() as f64;
            let mean = input.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
            let centred = || input.iter().map(|x| f64::from(*x) - mean);
            let variance = centred().map(|x| x * x).sum::<f64>() / n;
            for ((x, got), w) in centred().zip(got).zip(ramp(input.len())) {
                close(*got, x / (variance + 1e-6).sqrt() * f64::from(w), 1e-5);
            }
        },
    );
}

#[test]
fn what_only_encoders_use_is_what_its_name_says() {
    on_every_isa(
        |isa, row| clamp(isa, row, -1.5, 2.5),
        |input, got| {
            let clamped: Vec<f32> = input.iter().map(|x| x.clamp(-1.5, 2.5)).collect();
            assert_eq!(got, clamped);
        },
    );
    on_every_isa(silu, |input, got| {
        for (x, got) in input.iter().zip(got) {
            close(*got, f64::from(*x) * sigmoid(f64::from(*x)), 1e-6);
        }
    });
    on_every_isa(
        |isa, row| glu(isa, row, &ramp(row.len())),
        |input, got| {
            for ((x, got), gate) in input.iter().zip(got).zip(ramp(input.len())) {
                close(*got, f64::from(*x) * sigmoid(f64::from(gate)), 1e-6);
            }
        },
    );
    on_every_isa(
        |isa, row| multiply(isa, row, &ramp(row.len())),
        |input, got| {
            for ((x, got), w) in input.iter().zip(got).zip(ramp(input.len())) {
                close(*got, f64::from(*x) * f64::from(w), 1e-6);
            }
        },
    );
    on_every_isa(
        |isa, row| add_product(isa, row, &ramp(row.len()), &ramp(row.len())),
        |input, got| {
            for ((x, got), w) in input.iter().zip(got).zip(ramp(input.len())) {
                close(*got, f64::from(*x) + f64::from(w).powi(2), 1e-6);
            }
        },
    );
    on_every_isa(
        |isa, row| add_scaled(isa, row, &ramp(row.len()), 0.75),
        |input, got| {
            for ((x, got), w) in input.iter().zip(got).zip(ramp(input.len())) {
                close(*got, f64::from(*x) + 0.75 * f64::from(w), 1e-6);
            }
        },
    );
    on_every_isa(
        |isa, row| row[0] = dot(isa, row, &ramp(row.len())),
        |input, got| {
            let pairs = input.iter().zip(ramp(input.len()));
            let want = pairs
                .map(|(x, w)| f64::from(*x) * f64::from(w))
                .sum::<f64>();
            close(got[0], want, 1e-5);
        },
    );
}
