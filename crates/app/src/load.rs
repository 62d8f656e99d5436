//! The text of `--model` in, a loaded model out, with a progress bar on stderr.
//!
//! All commands that run a model come through here, so they find, load and name it in the same way and sample from it with
//! the same settings. The bar is there only when stderr is a terminal.
use crate::{
    Context, Failure,
    cli::{MachineArgs, ModelArgs, SamplingArgs},
    exit, models,
};
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use reckon::gguf::File;
use reckon::models::{Store, is_path};
use reckon::{Endpoint, EndpointOptions, Finish, LoadStep, Model, Overrides, engine};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Finds the model; the first run may fetch the default one and says so on stderr.
pub(crate) fn find(model: Option<&str>, context: &Context) -> anyhow::Result<PathBuf> {
    models::locate(model, context)
}

/// The model that the arguments name: of a server elsewhere, or a file of this machine, with eyes and ears if it has
/// some and they are wanted.
pub(crate) fn open(
    args: &ModelArgs,
    senses: bool,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Model> {
    let asked = args.name.as_deref();
    if let Some(url) = &args.endpoint {
        return remote(url, asked, context);
    }
    let path = find(asked, context)?;
    let load = match senses {
        true => load_with_senses,
        false => load_with_drafter,
    };
    load(&path, asked, args.draft.as_deref(), machine, context)
}

/// Loads the file; `asked` is what the person called it.
pub(crate) fn load(
    path: &Path,
    asked: Option<&str>,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Model> {
    load_with_drafter(path, asked, None, machine, context)
}

/// The same with the encoders that were fetched with the model, if it has some and no others are named.
pub(crate) fn load_with_senses(
    path: &Path,
    asked: Option<&str>,
    drafter: Option<&Path>,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Model> {
    let own = || own_mmproj(path, &context.store);
    let Some(mmproj) = machine.mmproj.is_none().then(own).flatten() else {
        return load_with_drafter(path, asked, drafter, machine, context);
    };
    let with = MachineArgs {
        mmproj: Some(mmproj.clone()),
        ..machine.clone()
    };
    load_with_drafter(path, asked, drafter, &with, context).or_else(|error| {
        // Nobody asked for these: a model that answers without them is better than none.
        let model = load_with_drafter(path, asked, drafter, machine, context)?;
        let file = mmproj.display();
        exit::notice(&format!(
            "without eyes and ears, {file} cannot be used: {error:#}"
        ));
        Ok(model)
    })
}

/// The encoders that were fetched with this file, if it is a model that can use them.
pub(crate) fn own_mmproj(path: &Path, store: &Store) -> Option<PathBuf> {
    let mmproj = store.mmproj_of(path)?;
    let (model, encoders) = (File::open(path).ok()?, File::open(&mmproj).ok()?);
    let (model, encoders) = (model.metadata(), encoders.metadata());
    let number = |key: &str| model.opt_u64(key).ok().flatten();
    // Larger models of the family, without the second key, cannot use theirs here.
    let width = number("gemma4.embedding_length")?;
    number("gemma4.embedding_length_per_layer_input")?;
    let projected = encoders.opt_u64("clip.vision.projection_dim").ok()?;
    projected
        .is_none_or(|projected| projected == width)
        .then_some(mmproj)
}

/// The same as [`load`] with the drafter of a file, if one is named.
pub(crate) fn load_with_drafter(
    path: &Path,
    asked: Option<&str>,
    drafter: Option<&Path>,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Model> {
    let bar = bar();
    let model = Model::options()
        .threads(machine.threads)
        .context(machine.ctx)
        .isa(context.isa)
        .kv(machine.kv)
        .drafter(drafter.map(Path::to_owned))
        .mmproj(machine.mmproj.clone())
        .name(label(asked).map(str::to_owned))
        .sha256(models::known_sha256(path, context))
        .prefixes(context.store.home.join("prefixes"))
        .progress(|LoadStep { done, total }| {
            bar.set_length(total);
            bar.set_position(done);
        })
        .open(path);
    bar.finish_and_clear();
    Ok(model?)
}

/// A model of a server elsewhere.
pub(crate) fn remote(url: &str, asked: Option<&str>, context: &Context) -> anyhow::Result<Model> {
    Ok(Model::remote(endpoint(url, asked, context)?))
}

/// A server elsewhere, and the model that it is asked for.
pub(crate) fn endpoint(
    url: &str,
    asked: Option<&str>,
    context: &Context,
) -> anyhow::Result<Endpoint> {
    let model = asked.ok_or_else(|| {
        Failure::usage("--endpoint needs --model").hint("the name that the server knows")
    })?;
    let options = EndpointOptions {
        key: context.api_key.clone(),
        offline: context.store.offline,
        connect: context.store.patience.connect,
        backoff: context.store.patience.backoff,
        ..EndpointOptions::default()
    };
    Ok(Endpoint::new(url, model, options)?)
}

/// What the model is called: the name that was typed, whatever files there are; a path names nothing.
fn label(asked: Option<&str>) -> Option<&str> {
    asked.filter(|asked| !is_path(asked))
}

/// The engine's part of a model that [`load`] gave.
pub(crate) fn engine(model: &Model) -> anyhow::Result<Arc<engine::Model>> {
    model
        .engine()
        .cloned()
        .context("not a model of this machine")
}

/// What the command line wants otherwise than the model's own sampling.
pub(crate) fn overrides(args: &SamplingArgs) -> Overrides {
    Overrides {
        temperature: if args.greedy {
            Some(0.0)
        } else {
            args.temperature
        },
        top_k: args.top_k,
        top_p: args.top_p,
        min_p: args.min_p,
        repetition_penalty: args.repetition_penalty,
        seed: args.seed,
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("loading {bar:30} {bytes} of {total_bytes}");
    let bar = ProgressBar::new(0);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Why an answer ended, in one word.
pub(crate) fn finish_name(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::Context => "context",
        Finish::Cancelled => "cancelled",
        Finish::Grammar => "grammar",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_here_does_not_take_the_name_of_a_model() {
        // There is such a file in the working directory of tests.
        assert!(Path::new("Cargo.toml").exists());
        assert_eq!(label(Some("Cargo.toml")), Some("Cargo.toml"));
        assert_eq!(label(Some("./Cargo.toml")), None);
        assert_eq!(label(Some("absent.gguf")), None);
    }
}
