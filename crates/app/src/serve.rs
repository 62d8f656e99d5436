//! `reckon serve`: the server of `reckon-server`, with this machine's models, guards and tools.
use crate::{Context, Failure, assistant, cli::serve::ServeArgs, context, exit, fleet, load};
use anyhow::Context as _;
use reckon::models::is_path;
use reckon_server::{Error, Loader, ServerOptions, Settings, is_loopback};
use reckon_store::Store;
use std::{
    fs,
    io::{self, Write},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The database, in the home.
pub(crate) fn database(context: &Context) -> PathBuf {
    context.store.home.join("reckon.db")
}

/// Runs `reckon serve` until Ctrl-C.
pub(crate) fn run(args: &ServeArgs, context: &Context) -> anyhow::Result<()> {
    let address = SocketAddr::new(args.host, args.port);
    let mut secrets = match &args.key_file {
        Some(path) => secrets(path)?,
        None => Vec::new(),
    };
    // A container has no file that only it can read.
    if let Some(text) = context::text("RECKON_KEYS") {
        secrets.extend(listed(&text, "RECKON_KEYS")?);
    }
    let is_wanted = args.require_key || args.key_file.is_some() || !secrets.is_empty();
    let keys = is_wanted || !is_loopback(address);
    if keys && secrets.is_empty() && Store::open(database(context))?.count_keys()? == 0 {
        return Err(no_key(address).into());
    }
    let asked = args.model.as_deref();
    let remote = args
        .endpoint
        .as_deref()
        .map(|url| load::endpoint(url, asked, context));
    let remote = remote.transpose()?;
    let path = match remote {
        Some(_) => PathBuf::new(),
        None => load::find(asked, context)?,
    };
    let peers = fleet::peers(None, &args.machine, context)?;
    let listener = TcpListener::bind(address).map_err(|error| {
        let what = format!("cannot listen on {address}: {error}");
        Failure::failed(what).hint("--port 0 takes a free port")
    })?;
    let options = ServerOptions {
        models: context.store.clone(),
        database: database(context),
        load: loader(args, &path, context),
        model: Some((name(asked, &path, context), path)),
        remote,
        peers,
        guards: assistant::guards(args.raw, context)?,
        tools: assistant::toolboxes(context)?,
        settings: settings(args, keys, secrets),
    };
    let server = reckon_server::start(listener, options).map_err(|error| match error {
        Error::Open(address) => no_key(address).into(),
        error => anyhow::Error::from(error),
    })?;
    ctrlc::set_handler(server.stopper()).context("cannot take over Ctrl-C")?;
    let scheme = if args.tls_cert.is_some() {
        "https"
    } else {
        "http"
    };
    exit::notice("open this page, or point a program at it; Ctrl-C ends it");
    let mut out = io::stdout();
    writeln!(out, "{scheme}://{}/", server.address())?;
    out.flush()?;
    server.wait();
    Ok(())
}

fn settings(args: &ServeArgs, keys: bool, secrets: Vec<String>) -> Settings {
    Settings {
        keys,
        secrets,
        n_ctx: args.context.or(args.machine.ctx),
        keep_prompts: !args.forget_prompts,
        parallel: args.parallel,
        queue: args.queue,
        keep_alive: Duration::from_secs(args.keep_alive),
        idle_exit: args.idle_exit.map(Duration::from_secs),
        tls: args.tls_cert.clone().zip(args.tls_key.clone()),
        ..Settings::default()
    }
}

/// What clients call the default model: its name in the catalogue, else that of the file.
fn name(asked: Option<&str>, path: &Path, context: &Context) -> String {
    match asked.filter(|asked| !is_path(asked)) {
        Some(asked) => asked.to_owned(),
        None => context.store.name_of(path),
    }
}

/// Eyes and ears that are named were made for one model, the default one; others have what was fetched with them.
fn loader(args: &ServeArgs, default: &Path, context: &Context) -> Arc<Loader> {
    let (machine, default) = (args.machine.clone(), default.to_owned());
    let n_ctx = args.context.or(machine.ctx);
    let (isa, prefixes) = (context.isa, context.store.home.join("prefixes"));
    let store = context.store.clone();
    Arc::new(move |options, path| {
        let named = machine.mmproj.clone().filter(|_| path == default);
        let mmproj = named.or_else(|| load::own_mmproj(path, &store));
        options
            .threads(machine.threads)
            .context(n_ctx)
            .isa(isa)
            .kv(machine.kv)
            .mmproj(mmproj)
            .prefixes(prefixes.clone())
            .open(path)
    })
}

fn no_key(address: SocketAddr) -> Failure {
    let what = match is_loopback(address) {
        true => "a key is asked for, and there is none".to_owned(),
        false => format!("{address} can be reached from other machines, and there is no key"),
    };
    Failure::usage(what).hint("`reckon keys create NAME` makes one")
}

/// The keys of a file that nobody else can read.
fn secrets(path: &Path) -> anyhow::Result<Vec<String>> {
    let shown = path.display();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
        if mode.permissions().mode() & 0o077 != 0 {
            let what = format!("{shown} can be read by others");
            return Err(Failure::usage(what)
                .hint(format!("chmod 600 {shown}"))
                .into());
        }
    }
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    listed(&text, &shown.to_string())
}

/// Keys of a text, one a line; lines that begin with # are remarks.
fn listed(text: &str, name: &str) -> anyhow::Result<Vec<String>> {
    let lines = text.lines().map(str::trim);
    let secrets: Vec<String> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    if secrets.iter().any(|secret| secret.len() < 16) {
        let what = format!("{name} has a key of fewer than 16 characters");
        return Err(Failure::usage(what)
            .hint("`reckon keys create NAME` makes a good one")
            .into());
    }
    Ok(secrets)
}
