//! Files that are well-formed GGUFs but no encoders: one clear line each, never a panic.

use super::encoders::{image, model};
use super::mmproj::Mmproj;
use crate::fixture::{Tiny, gguf};
use reckon_engine::{Error, Model, ModelOptions, Pixels};
use reckon_gguf::{File, Format};

fn load(mmproj: &Mmproj) -> Result<Model, Error> {
    let file = File::parse(gguf(&Tiny::with_senses())).unwrap();
    let model = Model::from_file(file, &ModelOptions::default(), &mut |_| ()).unwrap();
    model.with_mmproj(mmproj.file(), &mut |_| ())
}

/// The message with which a damaged file is refused.
#[track_caller]
fn refused(damage: impl FnOnce(&mut Mmproj)) -> String {
    let mut mmproj = Mmproj::new(Format::F32);
    damage(&mut mmproj);
    let message = match load(&mmproj) {
        Err(error @ (Error::Mmproj(_) | Error::Gguf(_))) => error.to_string(),
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("it was loaded"),
    };
    assert!(!message.contains('\n'), "one line: {message}");
    message
}

#[test]
fn every_missing_tensor_but_a_bound_is_named() {
    let whole = Mmproj::new(Format::F32);
    for (name, ..) in &whole.parts {
        let mut less = Mmproj::new(Format::F32);
        less.parts.retain(|(own, ..)| own != name);
        match (
            load(&less),
            name.ends_with("_min") || name.ends_with("_max"),
        ) {
            (Ok(_), true) => {}
            (Err(error), false) => assert!(error.to_string().contains(name), "{error}"),
            (Err(error), true) => panic!("without {name}: {error}"),
            (Ok(_), false) => panic!("loaded without {name}"),
        }
    }
}

#[test]
fn every_wrong_shape_is_named() {
    let whole = Mmproj::new(Format::F32);
    for at in 0..whole.parts.len() {
        let mut other = Mmproj::new(Format::F32);
        let (name, _, dims, data) = &mut other.parts[at];
        let name = name.clone();
        // One row more, or one number where there is only one row.
        let last = dims.len() - 1;
        let row = dims[..last].iter().product::<usize>();
        dims[last] += 1;
        data.extend(std::iter::repeat_n(0, 4 * row));
        match load(&other) {
            Ok(_) => panic!("{name} with another shape"),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}

#[test]
fn every_missing_or_absurd_number_is_refused() {
    let whole = Mmproj::new(Format::F32);
    for (key, own) in &whole.numbers {
        let message = refused(|mmproj| mmproj.numbers.retain(|(other, _)| other != key));
        assert!(message.contains(key.as_str()), "{message}");
        for value in [0, 1, 3, own * 2, 1 << 20, u32::MAX] {
            if value == *own {
                continue;
            }
            let message = refused(|mmproj| {
                let place = mmproj.numbers.iter_mut().find(|(other, _)| other == key);
                place.unwrap().1 = value;
            });
            assert!(!message.is_empty(), "{key} = {value}");
        }
    }
}

#[test]
fn bounds_that_hold_nothing_are_refused() {
    for (end, value) in [
        ("min", f32::NAN),
        ("max", f32::NAN),
        ("min", 9.0),
        ("max", -9.0),
    ] {
        for side in ["input", "output"] {
            let name = format!("v.blk.1.ffn_up.{side}_{end}");
            let message = refused(|mmproj| {
                let part = mmproj.parts.iter_mut().find(|(own, ..)| *own == name);
                part.unwrap().3 = value.to_le_bytes().to_vec();
            });
            assert!(message.contains("v.blk.1.ffn_up"), "{message}");
        }
    }
}

#[test]
fn other_encoders_and_other_files_are_refused() {
    let set = |mmproj: &mut Mmproj, key: &str, value: &str| {
        let place = mmproj.texts.iter_mut().find(|(own, _)| own == key);
        place.unwrap().1 = value.into();
    };
    let message = refused(|mmproj| set(mmproj, "general.architecture", "gemma4"));
    assert!(message.contains("clip"), "{message}");
    let message = refused(|mmproj| set(mmproj, "clip.vision.projector_type", "resampler"));
    assert!(message.contains("resampler"), "{message}");
    let message = refused(|mmproj| mmproj.switches.clear());
    assert!(message.contains("no encoder"), "{message}");
    // The language model must be of the family.
    let file = File::parse(gguf(&Tiny::new("gemma3", Format::Q8_0))).unwrap();
    let other = Model::from_file(file, &ModelOptions::default(), &mut |_| ()).unwrap();
    let refused = other.with_mmproj(super::mmproj::file(Format::F32), &mut |_| ());
    assert!(matches!(refused, Err(Error::Mmproj(_))));
}

#[test]
fn one_sense_may_come_without_the_other() {
    let mut eyes = Mmproj::new(Format::F32);
    eyes.switches.retain(|(key, _)| key.contains("vision"));
    let eyes = load(&eyes).unwrap();
    assert!(eyes.can_see() && !eyes.can_hear());
    assert!(eyes.encode_image(&image(1)).is_ok());
    assert!(matches!(eyes.encode_audio(&[0.0; 400]), Err(Error::NoEars)));
    let mut ears = Mmproj::new(Format::F32);
    ears.switches.retain(|(key, _)| key.contains("audio"));
    let ears = load(&ears).unwrap();
    assert!(matches!(ears.encode_image(&image(1)), Err(Error::NoEyes)));
    assert!(ears.encode_audio(&[0.0; 400]).is_ok());
}

#[test]
fn an_image_beyond_the_learned_positions_is_refused() {
    let model = model(Format::F32, &ModelOptions::default());
    let wide = Pixels::new(48, 192, vec![0.5; 3 * 48 * 192]).unwrap();
    let error = model.encode_image(&wide).unwrap_err();
    assert!(matches!(error, Error::Media(_)), "{error}");
    assert!(error.to_string().contains("12 × 3"), "{error}");
}
