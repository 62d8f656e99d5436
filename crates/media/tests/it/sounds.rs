//! Sound through the child.
use crate::{fixture, refusal, sound};
use reckon_media::{Error, RATE, windows};

fn level(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|s| f64::from(*s).powi(2)).sum();
    (sum / samples.len() as f64).sqrt()
}

/// A tone at half of the full level has this one.
const TONE: f64 = 0.353_55;

#[test]
fn rates_and_channels_become_mono_at_16_khz() {
    for rate in [8000, 16_000, 22_050, 44_100, 48_000, 96_000] {
        let sound = sound(&fixture::wav(rate, 1, &fixture::tone(rate, 440.0, 2.0)));
        assert_eq!(sound.samples.len(), 32_000, "{rate}");
        assert_eq!(sound.seconds, 2.0);
        assert!(
            (level(&sound.samples) - TONE).abs() < 0.002,
            "{rate}: {}",
            level(&sound.samples)
        );
        assert!(sound.warnings.is_empty(), "{:?}", sound.warnings);
    }
    // The mean of both channels: one has the tone, the other nothing.
    let tone = fixture::tone(48_000, 440.0, 1.0);
    let stereo: Vec<i16> = tone.iter().flat_map(|sample| [*sample, 0]).collect();
    let sound = sound(&fixture::wav(48_000, 2, &stereo));
    assert_eq!(sound.samples.len(), 16_000);
    assert!((level(&sound.samples) - TONE / 2.0).abs() < 0.002);
}

#[test]
fn samples_at_16_khz_stay_what_they_are() {
    let tone = fixture::tone(16_000, 1234.0, 0.5);
    let expected: Vec<f32> = tone
        .iter()
        .map(|sample| f32::from(*sample) / 32_768.0)
        .collect();
    assert_eq!(sound(&fixture::wav(16_000, 1, &tone)).samples, expected);
}

#[test]
fn long_sound_has_no_seams() {
    let tone = fixture::tone(16_000, 440.0, 250.0);
    let expected: Vec<f32> = tone
        .iter()
        .map(|sample| f32::from(*sample) / 32_768.0)
        .collect();
    assert_eq!(sound(&fixture::wav(16_000, 1, &tone)).samples, expected);
    // The same at another rate: a seam would be a step that a tone of 440 Hz never makes.
    let long = sound(&fixture::wav(
        24_000,
        1,
        &fixture::tone(24_000, 440.0, 250.0),
    ));
    assert_eq!(long.seconds, 250.0);
    let steps = long.samples[16..]
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs());
    assert!(steps.take(249 * 16_000).fold(0.0, f32::max) < 0.09);
}

#[test]
fn a_truncated_file_gives_what_is_there_with_a_warning() {
    let wav = fixture::wav(16_000, 1, &fixture::tone(16_000, 440.0, 4.0));
    let sound = sound(&wav[..wav.len() / 2]);
    assert!((sound.seconds - 2.0).abs() < 0.1, "{}", sound.seconds);
    assert_eq!(sound.warnings.len(), 1, "{:?}", sound.warnings);
    assert!(
        sound.warnings[0].contains("ends early"),
        "{:?}",
        sound.warnings
    );
}

#[test]
fn nonsense_is_refused() {
    for file in [
        &b"RIFF\0\0\0\0WAVE"[..],
        b"fLaC\0\0\0\0",
        b"ID3\x04\0\0\0\0\0\0junk",
        b"OggS\0\x02junk",
        b"\0\0\0\x18ftypM4A \0\0\0\0",
        b"\x1a\x45\xdf\xa3junk",
    ] {
        assert!(
            matches!(refusal(file, ""), Error::Unreadable(_)),
            "{file:?}"
        );
    }
}

#[test]
fn sound_that_is_no_number_becomes_silence() {
    // 32-bit floats, of which one is infinite and one is none.
    let mut wav = fixture::wav(16_000, 1, &[0; 8]);
    wav[20] = 3;
    wav[32] = 4;
    wav[34] = 32;
    let floats = [0.5, f32::INFINITY, f32::NAN, 0.25];
    let at = wav.len() - 16;
    for (i, float) in floats.iter().enumerate() {
        wav[at + 4 * i..at + 4 * i + 4].copy_from_slice(&float.to_le_bytes());
    }
    assert_eq!(sound(&wav).samples, [0.5, 0.0, 0.0, 0.25]);
}

#[test]
fn windows_are_cut_where_it_is_quiet() {
    let second = RATE as usize;
    let mut samples = vec![0.5; 70 * second];
    // Pauses at 24 s and at 50 s; one at 10 s is too early to cut at.
    for pause in [10, 24, 50] {
        samples[pause * second..pause * second + second / 2].fill(0.0);
    }
    let pieces = windows(&samples);
    assert_eq!(pieces.len(), 3);
    assert_eq!((pieces[0].start, pieces[2].end), (0, samples.len()));
    for pair in pieces.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
        assert_eq!(samples[pair[0].end], 0.0, "a cut at {}", pair[0].end);
    }
    assert!(pieces.iter().all(|piece| piece.len() <= 30 * second));
    let whole = windows(&samples[..30 * second]);
    assert_eq!((whole.len(), whole[0].end), (1, 30 * second));
    assert!(windows(&[]).is_empty());
    // Without a pause it is cut all the same.
    assert!(
        windows(&vec![0.5; 61 * second])
            .iter()
            .all(|piece| piece.len() <= 30 * second)
    );
}
