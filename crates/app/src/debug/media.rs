//! `reckon debug media`: what the encoders are given and what they give, for comparison with other programs.
use super::npy;
use crate::{
    Context, Failure,
    cli::{
        MachineArgs,
        debug::{MediaArgs, Stage},
    },
    load,
};
use reckon::{
    engine::{IMAGE_BUDGET, Model, Pixels, mel},
    media::{self, Content, Options},
    walls::Start,
};
use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    time::Instant,
};

/// Largest file that is looked at.
const MOST: u64 = 1 << 30;

/// Runs `reckon debug media`.
pub(super) fn run(args: &MediaArgs, context: &Context) -> anyhow::Result<()> {
    let sense = Sense::read(&args.file)?;
    let machine = MachineArgs {
        threads: args.threads,
        mmproj: Some(args.mmproj.clone()),
        ..MachineArgs::default()
    };
    let path = load::find(Some(&args.model), context)?;
    let model = load::engine(&load::load(&path, Some(&args.model), &machine, context)?)?;
    let (shape, data) = match args.repeat {
        None => sense.at(args.stage, &model)?,
        Some(times) => timed(times, || sense.at(args.stage, &model))?,
    };
    fs::write(&args.out, npy::bytes(&shape, &data)).map_err(|error| {
        Failure::failed(format!("cannot write {}: {error}", args.out.display()))
    })?;
    Ok(())
}

/// Does `work` so many times, prints how long each took, and gives what the last gave.
fn timed<T>(times: usize, mut work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let mut left = times;
    loop {
        let start = Instant::now();
        let result = work()?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        writeln!(io::stdout(), "{milliseconds:.1}")?;
        left = left.saturating_sub(1);
        if left == 0 {
            return Ok(result);
        }
    }
}

/// What is looked at.
enum Sense {
    Seen(Pixels),
    Heard(Vec<f32>),
}

impl Sense {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let refused = |why: String| Failure::input(format!("{}: {why}", path.display()));
        let size = fs::metadata(path)
            .map_err(|error| refused(error.to_string()))?
            .len();
        if size > MOST {
            return Err(refused("it is too large".into()).into());
        }
        let bytes = fs::read(path).map_err(|error| refused(error.to_string()))?;
        if bytes.starts_with(b"\x93NUMPY") {
            let (shape, data) = npy::read(&bytes)?;
            return Ok(match shape[..] {
                [3, height, width] => Self::Seen(Pixels::new(height, width, data)?),
                [_] => Self::Heard(data),
                _ => return Err(refused("neither pixels [3][h][w] nor samples".into()).into()),
            });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let content = media::read(&Start::itself()?, &bytes, &name, &Options::default());
        match content.map_err(|error| refused(error.to_string()))? {
            Content::Image(image) => {
                let (height, width) = (image.height as usize, image.width as usize);
                let pixels = Pixels::from_rgb(&image.rgb8, height, width, IMAGE_BUDGET)?;
                Ok(Self::Seen(pixels))
            }
            Content::Sound(sound) => Ok(Self::Heard(sound.samples)),
            _ => Err(refused("neither a picture nor sound".into()).into()),
        }
    }

    fn at(&self, stage: Stage, model: &Model) -> anyhow::Result<(Vec<usize>, Vec<f32>)> {
        let wrong = |what: &str| Failure::usage(format!("{what} has no such stage"));
        let media = match (self, stage) {
            (Self::Seen(pixels), Stage::Pixels) => {
                let shape = vec![3, pixels.height(), pixels.width()];
                return Ok((shape, pixels.data().to_vec()));
            }
            (Self::Heard(samples), Stage::Mel) => {
                let mel = mel(samples)?;
                return Ok((vec![mel.frames(), mel.bands()], mel.data().to_vec()));
            }
            (Self::Seen(_), Stage::Mel) => return Err(wrong("a picture").into()),
            (Self::Heard(_), Stage::Pixels) => return Err(wrong("sound").into()),
            (Self::Seen(pixels), Stage::Embeddings) => model.encode_image(pixels)?,
            (Self::Heard(samples), Stage::Embeddings) => model.encode_audio(samples)?,
        };
        let shape = vec![media.soft.tokens(), media.soft.width()];
        Ok((shape, media.soft.rows().to_vec()))
    }
}
