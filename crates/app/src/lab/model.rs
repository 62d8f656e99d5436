//! Who answers: a model of this machine or one elsewhere, asked by any number of threads at a time.
use crate::{Context, Failure, cli::lab::ModelArgs, load, models};
use anyhow::Context as _;
use reckon::{Endpoint, EndpointOptions, Model, Source, TextModel};
use std::thread;

/// What one thread does with the model until there is nothing left to do.
type Work<'a> = dyn Fn(&mut dyn TextModel) -> anyhow::Result<()> + Sync + 'a;

/// Loads the model, or prepares to ask the server.
pub(crate) fn open(args: &ModelArgs, context: &Context) -> anyhow::Result<Model> {
    let asked = args.model.as_deref();
    let Some(url) = &args.endpoint else {
        let path = load::find(asked, context)?;
        return load::load(&path, asked, &args.machine, context);
    };
    let model = asked.ok_or_else(|| {
        Failure::usage("--endpoint needs --model").hint("the name that the server knows")
    })?;
    let options = EndpointOptions {
        key: context.api_key.clone(),
        offline: context.store.offline,
        connect: context.store.patience.connect,
        backoff: context.store.patience.backoff,
    };
    Ok(Model::remote(Endpoint::new(url, model, options)?))
}

/// Its name and digests, for tapes. A file that nobody has hashed yet is hashed now; where it lies is left out, so that
/// a tape can be continued where it lies elsewhere.
pub(crate) fn source(model: &Model, context: &Context) -> anyhow::Result<Source> {
    let mut source = model.source();
    if let Some(path) = source.path.take() {
        let digest = models::sha256(&path, context);
        let digest = digest.with_context(|| format!("cannot read {}", path.display()))?;
        source.sha256 = Some(digest);
    }
    Ok(source)
}

/// Runs `work` on so many threads, each with a session of its own, and waits for all of them.
pub(crate) fn each(model: &Model, threads: usize, work: &Work<'_>) -> anyhow::Result<()> {
    let model = model.shared(threads)?.background();
    let broken = |_| Err(Failure::failed("a question could not be answered").into());
    thread::scope(|scope| {
        let ask = |_| {
            let mut session = model.session();
            scope.spawn(move || work(session.as_mut()))
        };
        let workers: Vec<_> = (0..threads).map(ask).collect();
        let ended: Vec<_> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(broken))
            .collect();
        ended.into_iter().collect()
    })
}
