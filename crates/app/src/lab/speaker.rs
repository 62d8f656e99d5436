//! Who answers: a model of this machine or one elsewhere, asked by any number of threads at a time.
use crate::{
    Context, Failure,
    cli::lab::SpeakerArgs,
    endpoint::Endpoint,
    load::{self, Loaded},
    models, shared,
};
use anyhow::Context as _;
use reckon_assistant::TextModel;
use reckon_engine::Sampling;
use reckon_lab::Source;
use std::thread::{self, ScopedJoinHandle};

/// A model that is ready to be asked.
pub(crate) enum Speaker {
    Here(Box<Loaded>),
    There(Endpoint),
}

/// What one thread does with the model until there is nothing left to do.
type Work<'a> = dyn Fn(&mut dyn TextModel) -> anyhow::Result<()> + Sync + 'a;

impl Speaker {
    /// Loads the model, or prepares to ask the server.
    pub(crate) fn open(args: &SpeakerArgs, context: &Context) -> anyhow::Result<Self> {
        let asked = args.model.as_deref();
        if let Some(url) = &args.endpoint {
            let model = asked.ok_or_else(|| {
                Failure::usage("--endpoint needs --model").hint("the name that the server knows")
            })?;
            return Ok(Self::There(Endpoint::new(url, model, context)?));
        }
        let path = load::find(asked, context)?;
        let loaded = load::load(&path, asked, &args.machine, context)?;
        Ok(Self::Here(Box::new(loaded)))
    }

    /// Its name and digests, for receipts. A file that nobody has hashed yet is hashed now.
    pub(crate) fn source(&self, context: &Context) -> anyhow::Result<Source> {
        Ok(match self {
            Self::There(endpoint) => Source {
                name: endpoint.model().to_owned(),
                endpoint: Some(endpoint.url().to_owned()),
                ..Source::default()
            },
            Self::Here(loaded) => {
                let path = &loaded.path;
                let sha256 = models::sha256(path, context)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Source {
                    name: loaded.name.clone(),
                    sha256: Some(sha256),
                    template: Some(reckon_models::sha256_of(loaded.model.template().source())),
                    endpoint: None,
                }
            }
        })
    }

    /// How it samples where nobody says otherwise.
    pub(crate) fn sampling(&self) -> Sampling {
        match self {
            Self::Here(loaded) => loaded.model.sampling(),
            Self::There(_) => Sampling::default(),
        }
    }

    /// Runs `work` on so many threads, each with a handle of its own, and waits for all of them.
    pub(crate) fn each(&self, threads: usize, work: &Work<'_>) -> anyhow::Result<()> {
        match self {
            Self::There(endpoint) => thread::scope(|scope| {
                let ask = |_| {
                    let mut model = endpoint.clone();
                    scope.spawn(move || work(&mut model))
                };
                join((0..threads).map(ask).collect())
            }),
            Self::Here(loaded) => thread::scope(|scope| {
                let (model, jobs) = shared::shared(&loaded.model);
                let ask = |_| {
                    let mut model = model.clone();
                    scope.spawn(move || work(&mut model))
                };
                let workers = (0..threads).map(ask).collect();
                drop(model);
                shared::serve(loaded.model.clone(), threads, &jobs);
                join(workers)
            }),
        }
    }
}

fn join(workers: Vec<ScopedJoinHandle<'_, anyhow::Result<()>>>) -> anyhow::Result<()> {
    let broken = |_| Err(Failure::failed("a question could not be answered").into());
    let ended: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.join().unwrap_or_else(broken))
        .collect();
    ended.into_iter().collect()
}
