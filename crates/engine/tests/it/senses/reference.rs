//! The tiny random encoders whose outputs Hugging Face computed. Needs `../shared` beside the project.

use reckon_engine::{
    Isa, MediaKind, Model, ModelOptions, Pixels, Prompt, Session, Token, mel, target_size,
};
use reckon_gguf::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> Option<PathBuf> {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/tiny-gemma4");
    if folder.exists() {
        return Some(folder);
    }
    say!("SKIPPED: the encoders of the tiny Gemma 4 need ../shared/models beside the project");
    None
}

/// The shape and the f32 values of a NumPy file.
fn floats(path: &Path) -> (Vec<usize>, Vec<f32>) {
    let bytes = std::fs::read(path).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let head = String::from_utf8_lossy(&bytes[10..start]).into_owned();
    assert!(head.contains("'<f4'") && head.contains("False"), "{head}");
    let (_, shape) = head.split_once("'shape': (").unwrap();
    let (shape, _) = shape.split_once(')').unwrap();
    let sizes = shape.split(',').filter_map(|n| n.trim().parse().ok());
    let values = bytes[start..]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    (sizes.collect(), values.collect())
}

#[track_caller]
fn close(what: &str, got: &[f32], want: &[f32], limit: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    let pairs = got.iter().zip(want);
    let worst = pairs.fold(0.0, |most: f64, (a, b)| {
        (f64::from(*a) - f64::from(*b)).abs().max(most)
    });
    assert!(worst < limit, "{what}: off by {worst:.2e}");
    say!("{what}: largest difference {worst:.2e}");
}

fn model(folder: &Path, isa: Isa, threads: usize) -> Arc<Model> {
    let options = ModelOptions {
        isa: Some(isa),
        cpus: vec![0; threads],
        ..ModelOptions::default()
    };
    let model = Model::load(&folder.join("tiny-text-f32.gguf"), &options, &mut |_| ()).unwrap();
    let mmproj = File::open(folder.join("tiny-mmproj-f32.gguf")).unwrap();
    Arc::new(model.with_mmproj(mmproj, &mut |_| ()).unwrap())
}

fn image(folder: &Path) -> Pixels {
    let (shape, data) = floats(&folder.join("ref/vision_img_chw.npy"));
    let &[.., height, width] = &shape[..] else {
        panic!("{shape:?}")
    };
    Pixels::new(height, width, data).unwrap()
}

fn sound(folder: &Path) -> Vec<f32> {
    floats(&folder.join("ref/audio_wav.npy")).1
}

#[test]
fn images_and_sound_become_the_soft_tokens_of_the_reference() {
    let Some(folder) = folder() else { return };
    let (_, want) = floats(&folder.join("ref/audio_mel.npy"));
    let heard = mel(&sound(&folder)).unwrap();
    // The reference pads the sound; what it made of the padding is masked.
    let padding = want.len() - heard.data().len();
    assert!(padding <= heard.bands(), "{padding} numbers of padding");
    close("mel", heard.data(), &want[..heard.data().len()], 1e-5);
    let (_, image_want) = floats(&folder.join("ref/vision_embed.npy"));
    let (_, audio_want) = floats(&folder.join("ref/audio_embed.npy"));
    let mut first = None;
    for isa in Isa::available() {
        let model = model(&folder, isa, 2);
        assert!(model.can_see() && model.can_hear());
        let seen = model.encode_image(&image(&folder)).unwrap();
        let heard = model.encode_audio(&sound(&folder)).unwrap();
        assert_eq!(
            (seen.kind, heard.kind),
            (MediaKind::Image, MediaKind::Audio)
        );
        close(
            &format!("image on {isa}"),
            seen.soft.rows(),
            &image_want,
            1e-4,
        );
        close(
            &format!("audio on {isa}"),
            heard.soft.rows(),
            &audio_want,
            1e-4,
        );
        let digests = (*seen.soft.digest(), *heard.soft.digest());
        assert_eq!(*first.get_or_insert(digests), digests, "{isa}");
    }
}

#[test]
fn a_prompt_with_an_image_and_sound_gives_the_logits_of_the_reference() {
    let Some(folder) = folder() else { return };
    let json = std::fs::read_to_string(folder.join("ref/mm.json")).unwrap();
    let tokens = crate::parity::numbers(&json, "prompt");
    let (_, want) = floats(&folder.join("ref/mm_logits.npy"));
    let model = model(&folder, Isa::detect(), 2);
    let seen = model.encode_image(&image(&folder)).unwrap().soft;
    let heard = model.encode_audio(&sound(&folder)).unwrap().soft;
    let marker = |text: &str| model.tokenizer().marker(text).unwrap();
    let places: [(Token, _); 2] = [(marker("<|image|>"), seen), (marker("<|audio|>"), heard)];
    let mut prompt = Prompt::default();
    while prompt.len() < tokens.len() {
        let token = tokens[prompt.len()];
        match places.iter().find(|(placeholder, _)| *placeholder == token) {
            Some((placeholder, soft)) => prompt.push_soft(*placeholder, soft.clone()),
            None => prompt.push(token),
        }
    }
    assert_eq!(prompt.tokens(), tokens);
    let mut got = Vec::new();
    let mut session = Session::new(model.clone());
    session
        .logits(&prompt, 0, |_, row| got.extend_from_slice(row))
        .unwrap();
    close("multimodal logits", &got, &want, 1e-2);
    let mut plain = Vec::new();
    session
        .logits(prompt.tokens(), 0, |_, row| plain.extend_from_slice(row))
        .unwrap();
    assert_ne!(plain, got, "placeholders alone mean something else");
}

#[test]
fn target_sizes_are_those_of_the_reference() {
    let Some(folder) = folder() else { return };
    let json = std::fs::read_to_string(folder.join("ref/image_sizes.json")).unwrap();
    let numbers = |text: &str| -> Vec<usize> {
        text.split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .collect()
    };
    let mut count = 0;
    for entry in json.split(']').filter(|entry| entry.contains('@')) {
        let &[height, width, budget, rows, columns] = &numbers(entry)[..] else {
            panic!("{entry}")
        };
        let got = target_size(height, width, budget).unwrap();
        assert_eq!(got, (rows, columns), "{entry}");
        count += 1;
    }
    assert_eq!(count, 25);
}
