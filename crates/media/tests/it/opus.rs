//! Opus: what is lost is concealed, and what is decoded is what `opusdec` decodes.
use crate::{fixture, sound};
use std::{
    path::Path,
    process::{Command, Stdio},
};

fn samples(seconds: f64) -> Vec<i16> {
    fixture::tone(48_000, 440.0, seconds)
}

fn level(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|s| f64::from(*s).powi(2)).sum();
    (sum / samples.len().max(1) as f64).sqrt()
}

#[test]
fn a_whole_file_has_its_length_and_level() {
    for seconds in [0.1, 1.0, 3.217] {
        let sound = sound(&fixture::opus_pages(&samples(seconds)).concat());
        let n = ((seconds * 48_000.0) as usize - 312).div_ceil(3);
        assert_eq!(sound.samples.len(), n);
        assert!(sound.warnings.is_empty(), "{:?}", sound.warnings);
        if seconds > 0.5 {
            let level = level(&sound.samples[4000..]);
            assert!((level - 0.3535).abs() < 0.02, "{level}");
        }
    }
}

#[test]
fn lost_and_damaged_pages_are_concealed_and_counted() {
    let whole = sound(&fixture::opus_pages(&samples(3.0)).concat());
    let mut lost = fixture::opus_pages(&samples(3.0));
    lost.remove(6);
    let mut damaged = fixture::opus_pages(&samples(3.0));
    damaged[6][100] ^= 0x55;
    for (pages, n_warnings) in [(lost, 1), (damaged, 2)] {
        let sound = sound(&pages.concat());
        assert_eq!(sound.samples.len(), whole.samples.len());
        assert_eq!(sound.warnings.len(), n_warnings, "{:?}", sound.warnings);
        // Before and after the gap all is as it was.
        assert_eq!(sound.samples[..12_000], whole.samples[..12_000]);
        let end = 24_000..46_000;
        let pairs = sound.samples[end.clone()].iter().zip(&whole.samples[end]);
        let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 0.05, "{off}");
        eprintln!("{}", level(&sound.samples[12_696..12_856]));
        // The tone fades where it is missing, and does not break off.
        assert!(level(&sound.samples[12_696..12_856]) > 0.05);
    }
}

#[test]
fn packets_of_nonsense_are_concealed() {
    let mut pages = fixture::opus_pages(&samples(1.0));
    // A packet that claims 48 frames, and an empty one.
    let packets: [&[u8]; 3] = [&[0xff, 0x3f, 1, 2, 3], &[], &[0x03]];
    pages.insert(4, fixture::ogg_page(0, -1, 99, &packets));
    let sound = sound(&pages.concat());
    assert!(
        sound
            .warnings
            .iter()
            .any(|line| line.contains("damaged packets")),
        "{:?}",
        sound.warnings
    );
}

#[test]
fn a_cut_file_gives_what_is_there() {
    let file = fixture::opus_pages(&samples(3.0)).concat();
    let sound = sound(&file[..file.len() * 2 / 3]);
    assert!((1.5..2.1).contains(&sound.seconds), "{}", sound.seconds);
    assert!(
        sound
            .warnings
            .iter()
            .any(|line| line.contains("ends early")),
        "{:?}",
        sound.warnings
    );
}

#[test]
fn long_recordings_go_through_several_children() {
    let file = fixture::opus_pages(&samples(130.0)).concat();
    let sound = sound(&file);
    assert_eq!(sound.samples.len(), (130 * 48_000_usize - 312).div_ceil(3));
    // Levels of every tenth of a second around the seam at two minutes.
    for piece in sound.samples[119 * 16_000..121 * 16_000].chunks(1600) {
        assert!((level(piece) - 0.3535).abs() < 0.03, "{}", level(piece));
    }
}

/// Something like speech: a voice of many harmonics that rises and falls, hisses, and pauses.
fn voice(rate: u32, channels: u16, seconds: f64) -> Vec<i16> {
    let mut noise = 12_345_u32;
    let mut phase = 0.0_f64;
    let mut out = Vec::new();
    for i in 0..(f64::from(rate) * seconds) as usize {
        let t = i as f64 / f64::from(rate);
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let hiss = f64::from(noise >> 16) / 32_768.0 - 1.0;
        phase += (140.0 + 40.0 * (2.0 * t).sin()) / f64::from(rate);
        let harmonics =
            (1..20).map(|h| (std::f64::consts::TAU * phase * f64::from(h)).sin() / f64::from(h));
        let syllable = (3.0 * std::f64::consts::TAU * t).sin().max(0.0);
        let pause = if t % 3.0 > 2.2 { 0.0 } else { 1.0 };
        let value = pause * syllable * (0.25 * harmonics.sum::<f64>() + 0.05 * hiss);
        for channel in 0..channels {
            let pan = if channel == 0 { 1.0 } else { 0.6 };
            out.push((value * pan * 20_000.0) as i16);
        }
    }
    out
}

fn has(program: &str) -> bool {
    let mut run = Command::new(program);
    run.arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    run.status().is_ok()
}

/// The floats of a WAV file that `opusdec --float` wrote.
fn floats(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(4).position(|mark| mark == b"data").unwrap() + 8;
    let chunks = bytes[at..].as_chunks::<4>().0.iter();
    chunks.map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

/// How alike they are in dB, and how much louder ours is, as a part.
fn compare(ours: &[f32], theirs: &[f32]) -> (f64, f64) {
    let energy = |samples: &[f32]| samples.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>();
    let pairs = ours.iter().zip(theirs);
    let error: f64 = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum();
    let db = 10.0 * (energy(theirs) / error.max(1e-20)).log10();
    (db, energy(ours) / energy(theirs) - 1.0)
}

#[test]
fn decoded_as_opusdec_does() {
    if !has("opusdec") || !has("opusenc") {
        eprintln!("SKIPPED: the comparison with opusdec needs opus-tools");
        return;
    }
    let folder = std::env::temp_dir().join(format!("reckon-media-opus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Rate, channels, frame in ms, kilobits, DTX.
    let files = [
        (8000, 1, "20", "8", false),
        (12_000, 1, "40", "12", false),
        (16_000, 1, "60", "16", false),
        (16_000, 2, "20", "24", false),
        (24_000, 1, "10", "24", false),
        (24_000, 2, "5", "64", false),
        (44_100, 2, "20", "96", false),
        (48_000, 1, "2.5", "64", false),
        (48_000, 2, "2.5", "128", false),
        (48_000, 2, "20", "32", false),
        (48_000, 1, "10", "20", false),
        (48_000, 2, "60", "48", false),
        (8000, 1, "20", "10", true),
        (16_000, 1, "20", "16", true),
        (48_000, 2, "40", "28", true),
        (48_000, 1, "60", "24", true),
    ];
    for (rate, channels, frame, kilobits, dtx) in files {
        let name = format!("{rate}-{channels}-{frame}-{kilobits}-{dtx}");
        let path = |end: &str| folder.join(format!("{name}.{end}"));
        std::fs::write(
            path("in.wav"),
            fixture::wav(rate, channels, &voice(rate, channels, 7.0)),
        )
        .unwrap();
        let mut encode = Command::new("opusenc");
        encode.args(["--quiet", "--framesize", frame, "--bitrate", kilobits]);
        if dtx {
            // OPUS_SET_DTX
            encode.args(["--set-ctl-int", "4016=1", "--speech"]);
        }
        assert!(
            encode
                .arg(path("in.wav"))
                .arg(path("opus"))
                .status()
                .unwrap()
                .success()
        );
        let mut decode = Command::new("opusdec");
        decode.args(["--quiet", "--float", "--rate", "48000"]);
        assert!(
            decode
                .arg(path("opus"))
                .arg(path("wav"))
                .status()
                .unwrap()
                .success()
        );
        let file = std::fs::read(path("opus")).unwrap();
        let (ours, n) = reckon_media::decode_opus_for_tests(&file).unwrap();
        let theirs = floats(&path("wav"));
        assert_eq!(
            (ours.len(), n),
            (theirs.len(), usize::from(channels)),
            "{name}"
        );
        let (db, louder) = compare(&ours, &theirs);
        eprintln!("{name}: {db:.1} dB, energy {:+.3} %", louder * 100.0);
        assert!(db > if dtx { 40.0 } else { 60.0 }, "{name}: {db} dB");
        assert!(louder.abs() < 0.01, "{name}: {louder}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
