//! Sound of every format against what `ffmpeg` makes of it: lengths, levels, samples.
use crate::{fixture, sound};
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// A glide from low to high with pauses, on two channels that differ.
fn glide(rate: u32, seconds: f64) -> Vec<i16> {
    let mut phase = 0.0_f64;
    let mut out = Vec::new();
    for i in 0..(f64::from(rate) * seconds) as usize {
        let t = i as f64 / f64::from(rate);
        phase += (200.0 + 500.0 * t) / f64::from(rate);
        let value =
            (std::f64::consts::TAU * phase).sin() * if t % 1.0 > 0.8 { 0.0 } else { 9000.0 };
        out.extend([value as i16, (value * 0.5) as i16]);
    }
    out
}

fn ffmpeg(arguments: &[&str]) -> Option<Vec<u8>> {
    let mut run = Command::new("ffmpeg");
    run.args(["-nostdin", "-loglevel", "error", "-y"])
        .args(arguments);
    let output = run.stderr(Stdio::inherit()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

fn decoded(path: &Path) -> Vec<f32> {
    let path = path.to_str().unwrap();
    // Left to itself, ffmpeg adds both channels where the output has floats, and takes their mean where it has integers.
    let mean = "pan=mono|c0=0.5*c0+0.5*c1";
    let bytes = ffmpeg(&["-i", path, "-af", mean, "-ar", "16000", "-f", "f32le", "-"]).unwrap();
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|chunk| f32::from_le_bytes(*chunk))
        .collect()
}

/// How alike they are, in dB, over what both have.
fn decibels(ours: &[f32], theirs: &[f32]) -> f64 {
    let pairs = ours.iter().zip(theirs);
    let (error, level) = pairs.fold((0.0, 0.0), |(error, level), (a, b)| {
        let (a, b) = (f64::from(*a), f64::from(*b));
        (error + (a - b) * (a - b), level + b * b)
    });
    10.0 * (level / f64::max(error, 1e-20)).log10()
}

#[test]
fn decoded_as_ffmpeg_does() {
    if ffmpeg(&["-version"]).is_none() {
        eprintln!("SKIPPED: the comparison with ffmpeg needs ffmpeg");
        return;
    }
    let folder = std::env::temp_dir().join(format!("reckon-media-ffmpeg-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for rate in [44_100, 48_000, 22_050] {
        let wav = folder.join(format!("{rate}.wav"));
        std::fs::write(&wav, fixture::wav(rate, 2, &glide(rate, 5.0))).unwrap();
        // How ffmpeg writes it, and by how many samples at 16 kHz both may differ in length.
        let formats: [(&str, &[&str], usize); 8] = [
            ("wav", &["-c:a", "pcm_s24le"], 1),
            ("wav", &["-c:a", "pcm_f32le"], 1),
            ("flac", &[], 1),
            ("mp3", &["-b:a", "128k"], 32),
            ("mp3", &["-q:a", "4"], 32),
            ("ogg", &["-c:a", "libvorbis"], 32),
            ("m4a", &["-c:a", "aac"], 32),
            ("webm", &["-c:a", "libopus"], 400),
        ];
        for (extension, arguments, slack) in formats {
            let path = folder.join(format!("x.{extension}"));
            let ends = [wav.to_str().unwrap(), path.to_str().unwrap()];
            let all = [&["-i", ends[0]], arguments, &[ends[1]]].concat();
            assert!(ffmpeg(&all).is_some(), "{extension}");
            let ours = sound(&std::fs::read(&path).unwrap());
            let theirs = decoded(&path);
            let name = format!("{extension} {arguments:?} at {rate}");
            let db = decibels(&ours.samples, &theirs);
            eprintln!(
                "{name}: {} and {} samples, {db:.1} dB",
                ours.samples.len(),
                theirs.len()
            );
            assert!(ours.samples.len().abs_diff(theirs.len()) <= slack, "{name}");
            assert!(db > 40.0, "{name}: {db} dB");
            assert!(ours.warnings.is_empty(), "{name}: {:?}", ours.warnings);
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}
