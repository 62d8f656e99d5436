//! The encoders against plain code in double precision, and their bits on every ISA and number of threads.

use super::{mmproj, plain};
use crate::fixture::{Tiny, gguf};
use reckon_engine::{Error, Isa, MAX_SAMPLES, Model, ModelOptions, Pixels, mel};
use reckon_gguf::{File, Format};
use std::sync::Arc;

/// A model with senses whose weights are of this format.
pub(crate) fn model(format: Format, options: &ModelOptions) -> Arc<Model> {
    let file = File::parse(gguf(&Tiny::with_senses())).unwrap();
    let model = Model::from_file(file, options, &mut |_| ()).unwrap();
    let mmproj = mmproj::file(format);
    Arc::new(model.with_mmproj(mmproj, &mut |_| ()).unwrap())
}

fn noise(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 24) as f32
    };
    (0..n).map(|_| next()).collect()
}

/// An image of 2 × 3 soft tokens.
pub(crate) fn image(seed: u64) -> Pixels {
    Pixels::new(96, 144, noise(3 * 96 * 144, seed)).unwrap()
}

/// Tones and noise.
pub(crate) fn sound(n: usize) -> Vec<f32> {
    let noise = noise(n, 3);
    let tone = |i: usize, f: f32| (i as f32 * f).sin();
    (0..n)
        .map(|i| 0.3 * tone(i, 0.1) + 0.2 * tone(i, 0.7) + 0.1 * noise[i])
        .collect()
}

fn worst(got: &[f32], want: &[Vec<f64>]) -> f64 {
    let want = want.concat();
    assert_eq!(got.len(), want.len());
    let pairs = got.iter().zip(want);
    pairs.fold(0.0, |most, (a, b)| (f64::from(*a) - b).abs().max(most))
}

#[test]
fn soft_tokens_are_those_of_the_plain_code() {
    // Long enough for more than a window of attention, with an odd number of frames.
    let (image, sound) = (image(1), sound(16 * 1111));
    for (format, limit) in [
        (Format::F32, 5e-5),
        (Format::BF16, 5e-5),
        (Format::F16, 5e-5),
        // Activations are rounded to bytes.
        (Format::Q8_0, 0.3),
    ] {
        let file = mmproj::file(format);
        let model = model(format, &ModelOptions::default());
        let seen = model.encode_image(&image).unwrap();
        assert_eq!(seen.soft.tokens(), 6);
        assert_eq!(image.soft_tokens(), 6);
        let off = worst(seen.soft.rows(), &plain::vision(&file, &image));
        assert!(off < limit, "image in {format:?}: off by {off:.1e}");
        let frames = mel(&sound).unwrap();
        let rows: Vec<Vec<f64>> = frames
            .data()
            .chunks_exact(128)
            .map(|row| row.iter().map(|x| f64::from(*x)).collect())
            .collect();
        let heard = model.encode_audio(&sound).unwrap();
        assert_eq!(heard.soft.tokens(), frames.soft_tokens());
        let off_audio = worst(heard.soft.rows(), &plain::audio(&file, &rows));
        assert!(
            off_audio < limit,
            "sound in {format:?}: off by {off_audio:.1e}"
        );
        say!("{format:?}: image off by {off:.1e}, sound by {off_audio:.1e}");
    }
}

#[test]
fn the_spectrogram_is_that_of_the_definition() {
    for n in [161, 320, 321, 1000, 4000] {
        let sound = sound(n);
        let got = mel(&sound).unwrap();
        let want = plain::mel(&sound);
        assert_eq!(got.frames(), want.len());
        let off = worst(got.data(), &want);
        assert!(off < 1e-6, "{n} samples: off by {off:.1e}");
    }
    assert_eq!(mel(&vec![0.0; MAX_SAMPLES]).unwrap().soft_tokens(), 750);
    for bad in [
        vec![],
        vec![0.0; 160],
        vec![0.0; MAX_SAMPLES + 1],
        vec![f32::NAN; 400],
    ] {
        assert!(matches!(mel(&bad), Err(Error::Media(_))));
    }
}

#[test]
fn isa_and_threads_do_not_change_a_bit_of_a_soft_token() {
    for format in [Format::BF16, Format::F16, Format::Q8_0] {
        let mut first = None;
        for isa in Isa::available() {
            for threads in 1..=3 {
                let options = ModelOptions {
                    isa: Some(isa),
                    cpus: vec![0; threads],
                    ..ModelOptions::default()
                };
                let model = model(format, &options);
                let seen = model.encode_image(&image(2)).unwrap();
                let heard = model.encode_audio(&sound(9000)).unwrap();
                let digests = (*seen.soft.digest(), *heard.soft.digest());
                let want = *first.get_or_insert(digests);
                assert_eq!(digests, want, "{format:?}, {isa}, {threads} threads");
            }
        }
    }
}
