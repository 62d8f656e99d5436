//! Takes connections: bounded in number, in the time and size of their headers, with TLS if wanted; ends when asked.
use crate::{
    Error, ServerOptions,
    aside::aside,
    batches::Batches,
    door::Rates,
    files::FileStore,
    metrics::Metrics,
    options::{Settings, is_loopback},
    page,
    pool::{ModelPool, PoolOptions},
    queue::Queue,
    router::router,
    state::{App, Shared},
};
use axum::{Router, body::Body};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::rt::{TokioIo, TokioTimer};
use reckon_store::Store;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use std::{
    net::{SocketAddr, TcpListener},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Semaphore, watch},
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

/// How long a client may take to send its headers.
const HEADERS: Duration = Duration::from_secs(15);
/// Most bytes of headers that are read before a request is refused.
const HEADER_BYTES: usize = 64 << 10;
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Bodies with files in them that arrive at a time.
const UPLOADS: usize = 4;
/// How often unused models are looked for.
const SWEEP: Duration = Duration::from_secs(5);
/// How often files are looked for that nothing refers to any more.
const TIDY: Duration = Duration::from_secs(3600);
/// How long answers under way may take after the end was asked for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server that runs on threads of its own until it is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Asks it to end; can be called from a signal handler's thread.
    pub fn stop(&self) {
        // Nobody listens any more when it has ended.
        let _ = self.stop.send(true);
    }

    /// A closure that asks it to end.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let stop = self.stop.clone();
        move || {
            let _ = stop.send(true);
        }
    }

    /// Waits until it has ended.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the server has been printed already.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Starts a server on this listener.
pub fn start(listener: TcpListener, options: ServerOptions) -> Result<Running, Error> {
    let address = listener.local_addr().map_err(Error::Listen)?;
    let settings = options.settings.clone();
    if !settings.keys && !is_loopback(address) {
        return Err(Error::Open(address));
    }
    let tls = settings
        .tls
        .as_ref()
        .map(|(chain, key)| acceptor(chain, key))
        .transpose()?;
    listener.set_nonblocking(true).map_err(Error::Listen)?;
    let app = app(options)?;
    let (stop, stopped) = watch::channel(false);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Each answer under way holds one; so do calls that wait for the disk.
        .max_blocking_threads(settings.parallel + 64)
        .enable_all()
        .build()
        .map_err(Error::Listen)?;
    let accepting = Accepting {
        app: app.clone(),
        tls,
        stopped,
    };
    let thread = thread::Builder::new().name("server".into()).spawn(move || {
        runtime.block_on(accepting.run(listener));
        // Rows under way are given back while there is a runtime to stop them on.
        app.batches.close();
        // Threads that still write an answer for nobody are left behind.
        runtime.shutdown_timeout(PATIENCE);
    });
    Ok(Running {
        address,
        stop,
        thread: Some(thread.map_err(Error::Listen)?),
    })
}

fn app(options: ServerOptions) -> Result<App, Error> {
    let ServerOptions {
        models,
        database,
        model,
        remote,
        load,
        guards,
        tools,
        peers,
        settings,
    } = options;
    let home = models.home.clone();
    let pool = ModelPool::new(PoolOptions {
        store: models,
        loader: load,
        // A jury's samples take part beside the answers themselves.
        sequences: settings.parallel * 2,
        keep_alive: settings.keep_alive,
        own: model,
        remote,
        roles: peers.roles().into_iter().map(str::to_owned).collect(),
    });
    Ok(Arc::new(Shared {
        queue: Queue::new(settings.parallel, settings.queue),
        store: Store::open(database)?,
        rates: Rates::default(),
        metrics: Metrics::new(),
        answers: page::Answers::default(),
        toolboxes: tools,
        files: FileStore::new(home.join("files")),
        batches: Batches::new(home.join("batches")),
        uploads: Semaphore::new(UPLOADS),
        options: settings,
        guards,
        peers,
        pool,
    }))
}

struct Accepting {
    app: App,
    tls: Option<TlsAcceptor>,
    stopped: watch::Receiver<bool>,
}

impl Accepting {
    async fn run(self, listener: TcpListener) {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        let Settings {
            connections,
            idle_exit,
            ..
        } = self.app.options;
        self.preload();
        page::resume(&self.app);
        Batches::resume(&self.app);
        let room = Arc::new(Semaphore::new(connections.max(1)));
        let router = router(self.app.clone());
        let clock = Arc::new(Clock::new());
        let mut stopped = self.stopped.clone();
        let mut sweep = tokio::time::interval(SWEEP);
        let mut tidy = tokio::time::interval(TIDY);
        loop {
            tokio::select! {
                _ = stopped.changed() => return,
                _ = tidy.tick() => {
                    let app = self.app.clone();
                    drop(aside(move || page::sweep(&app)));
                }
                _ = sweep.tick() => {
                    self.app.pool.sweep();
                    // Whoever waits for an answer is there, however long it takes.
                    if self.app.queue.lengths() != (0, 0) || self.app.batches.is_busy() {
                        clock.tick();
                    }
                    if idle_exit.is_some_and(|time| clock.silent() > time) {
                        return;
                    }
                }
                Ok((stream, _)) = listener.accept() => {
                    let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
                        // Closing at once tells a client more than letting it wait without a word.
                        continue;
                    };
                    // Small frames are what answers are made of.
                    let _ = stream.set_nodelay(true);
                    let (router, tls, clock) = (router.clone(), self.tls.clone(), Arc::clone(&clock));
                    tokio::spawn(async move {
                        match tls {
                            None => serve(stream, router, clock).await,
                            Some(tls) => {
                                let shaken = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await;
                                if let Ok(Ok(stream)) = shaken {
                                    serve(stream, router, clock).await;
                                }
                            }
                        }
                        drop(permit);
                    });
                }
            }
        }
    }

    /// Loads the default model before anybody asks.
    fn preload(&self) {
        let app = self.app.clone();
        // Whoever asks for it later hears why it cannot be loaded.
        drop(aside(move || drop(app.pool.get(None, None))));
    }
}

async fn serve<S>(stream: S, router: Router, clock: Arc<Clock>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        if !is_probe(request.uri().path()) {
            clock.tick();
        }
        router.clone().oneshot(request.map(Body::new))
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    // A client that breaks off is no event.
    let _ = served.await;
}

/// Whether only a machine asks, to see that the server lives: that must not keep it awake.
fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/health" | "/metrics")
}

/// When somebody last asked for something.
struct Clock {
    start: Instant,
    last: AtomicU64,
}

impl Clock {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    fn tick(&self) {
        self.last
            .store(self.start.elapsed().as_secs(), Ordering::Relaxed);
    }

    fn silent(&self) -> Duration {
        self.start.elapsed() - Duration::from_secs(self.last.load(Ordering::Relaxed))
    }
}

fn acceptor(chain: &Path, key: &Path) -> Result<TlsAcceptor, Error> {
    let wrong = |path: &Path, why: String| Error::Tls(format!("{}: {why}", path.display()));
    let certificates = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(chain, error.to_string()))?;
    let secret =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Tls(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, secret)
        .map_err(|error| wrong(chain, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
