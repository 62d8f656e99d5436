//! Moves one file over HTTP, with resume: an address in, a checked stretch of a growing file out.
//!
//! Called by `hub` alone; this, `pip` and `endpoint` are the only code that touches the network.
//!
//! Invariant: `Partial::hasher` has seen exactly the first `len` bytes of the file, so that a finished download needs
//! no second reading. What a server says (sizes, ranges) is checked before it is believed; the sha256 decides.
use super::{
    disk,
    hash::{self, Hasher},
    progress::Progress,
};
use crate::{
    Context, Failure,
    http::{self, is_busy, is_loopback, reason},
};
use anyhow::Context as _;
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use ureq::{
    Agent,
    config::RedirectAuthHeaders,
    http::{HeaderMap, Response},
};

/// How long to wait for a slow server and how often to try again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a name to be found and, again, for a connection to open.
    pub connect: Duration,
    /// For more bytes on an open connection.
    pub stall: Duration,
    /// Tries after a failed one without progress.
    pub retries: u32,
    /// Before the first of these; doubled each time.
    pub backoff: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            retries: 4,
            backoff: Duration::from_secs(1),
        }
    }
}

/// Why nothing came: whether another source may be tried instead.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// There is no server, or none that has what we want.
    Unreachable(Failure),
    /// Anything else.
    Other(anyhow::Error),
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Other(failure.into())
    }
}

impl From<Trouble> for anyhow::Error {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unreachable(failure) => failure.into(),
            Trouble::Other(error) => error,
        }
    }
}

/// A file that is not whole yet.
#[derive(Debug)]
pub(crate) struct Partial {
    file: File,
    path: PathBuf,
    hasher: Hasher,
    len: u64,
}

impl Partial {
    /// Opens or begins the file; what is there is hashed so that the rest can follow.
    pub(crate) fn open(path: &Path, progress: &mut Progress) -> anyhow::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| disk::explain(&error, path))?;
        let mut hasher = Hasher::default();
        let len = hash::feed_all(&mut hasher, &mut file, progress)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self {
            file,
            path: path.into(),
            hasher,
            len,
        })
    }

    /// Forgets everything.
    pub(crate) fn restart(&mut self) -> Result<(), Failure> {
        let explain = |error| disk::explain(&error, &self.path);
        self.file.set_len(0).map_err(explain)?;
        self.file.seek(SeekFrom::Start(0)).map_err(explain)?;
        self.hasher = Hasher::default();
        self.len = 0;
        Ok(())
    }

    /// Closes the file and gives the hash of all of it.
    pub(crate) fn finish(self) -> Result<String, Failure> {
        self.file
            .sync_all()
            .map_err(|error| disk::explain(&error, &self.path))?;
        Ok(self.hasher.finish())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file
            .write_all(bytes)
            .map_err(|error| disk::explain(&error, &self.path))?;
        self.hasher.feed(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }
}

/// One try's end, when it is not the end of the file.
enum Stop {
    /// Worth another try.
    Dropped(String),
    /// Not worth one.
    Fatal(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Fatal(failure)
    }
}

/// Talks to one hub.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    token: Option<String>,
    patience: Patience,
}

impl Client {
    /// Prepares to talk; fails when encryption is needed and the machine has no root certificates.
    pub(crate) fn new(context: &Context) -> Result<Self, Trouble> {
        let patience = context.patience;
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .tls_config(http::tls(&context.hub_endpoint).map_err(Trouble::Unreachable)?)
            .timeout_resolve(Some(patience.connect))
            .timeout_connect(Some(patience.connect))
            .timeout_recv_response(Some(patience.stall))
            .timeout_per_read(Some(patience.stall))
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .user_agent(concat!("reckon/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&context.hub_endpoint) {
            // A proxy elsewhere cannot reach what only this machine can.
            config = config.proxy(None);
        }
        Ok(Self {
            agent: config.build().new_agent(),
            token: context.hub_token.clone(),
            patience,
        })
    }

    /// The headers of the answer for this address, redirects not followed. A busy server is asked again.
    pub(crate) fn head(&self, url: &str) -> Result<(u16, HeaderMap), Trouble> {
        let mut tries = 0;
        loop {
            let mut request = self.agent.head(url).header("Accept-Encoding", "identity");
            if let Some(token) = &self.token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            let answer = request
                .config()
                .max_redirects(0)
                .max_redirects_will_error(false)
                .build()
                .call();
            let response =
                answer.map_err(|error| Trouble::Unreachable(Failure::model(reason(&error))))?;
            let status = response.status().as_u16();
            if !is_busy(status) || tries >= self.patience.retries {
                return Ok((status, response.headers().clone()));
            }
            self.pause(tries);
            tries += 1;
        }
    }

    /// Fetches what is missing of a file of `size` bytes. What has come stays in `partial`, whatever happens.
    pub(crate) fn fetch(
        &self,
        url: &str,
        size: u64,
        partial: &mut Partial,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let mut tries = 0;
        // Only what was never reached before counts as progress, so that this ends with any server.
        let mut farthest = partial.len;
        if partial.len > size {
            partial.restart()?;
        }
        while partial.len < size {
            progress.set(partial.len);
            let why = match self.attempt(url, size, partial, progress) {
                Ok(()) => return Ok(()),
                Err(Stop::Fatal(failure)) => return Err(failure),
                Err(Stop::Dropped(why)) => why,
            };
            if partial.len > farthest {
                farthest = partial.len;
                tries = 0;
            }
            if tries >= self.patience.retries {
                return Err(Failure::model(format!("the download broke off: {why}"))
                    .hint("run the same command again: it goes on where it stopped"));
            }
            self.pause(tries);
            tries += 1;
        }
        Ok(())
    }

    fn attempt(
        &self,
        url: &str,
        size: u64,
        partial: &mut Partial,
        progress: &mut Progress,
    ) -> Result<(), Stop> {
        let mut request = self.agent.get(url).header("Accept-Encoding", "identity");
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if partial.len > 0 {
            request = request.header("Range", format!("bytes={}-", partial.len));
        }
        let response = request
            .call()
            .map_err(|error| Stop::Dropped(reason(&error)))?;
        accept(&response, size, partial)?;
        progress.set(partial.len);
        let mut body = response.into_body().into_reader();
        let mut chunk = vec![0; 256 << 10];
        while partial.len < size {
            let n = match body.read(&mut chunk) {
                Ok(0) => return Err(Stop::Dropped("the server stopped early".into())),
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stop::Dropped(error.to_string())),
            };
            let n = n.min(usize::try_from(size - partial.len).unwrap_or(n));
            partial.append(&chunk[..n])?;
            progress.advance(n as u64);
        }
        Ok(())
    }

    fn pause(&self, tries: u32) {
        let factor = 1u32 << tries.min(6);
        thread::sleep(self.patience.backoff.saturating_mul(factor));
    }
}

/// Makes `partial` fit what the server is about to send, or says why that is of no use.
fn accept<B>(response: &Response<B>, size: u64, partial: &mut Partial) -> Result<(), Stop> {
    match response.status().as_u16() {
        // The server does not know ranges: the whole file comes.
        200 => Ok(partial.restart()?),
        206 if continues(response.headers(), size, partial.len) => Ok(()),
        206 | 416 => {
            partial.restart()?;
            Err(Stop::Dropped("the file on the server has changed".into()))
        }
        status if is_busy(status) => Err(Stop::Dropped(format!("the server answered {status}"))),
        status => Err(Failure::model(format!("the server answered {status}")).into()),
    }
}

/// `Content-Range: bytes LEN-END/SIZE` with our numbers.
fn continues(headers: &HeaderMap, size: u64, len: u64) -> bool {
    let numbers = || {
        let range = headers.get("content-range")?.to_str().ok()?;
        let (range, total) = range.trim().strip_prefix("bytes ")?.split_once('/')?;
        let (start, _) = range.split_once('-')?;
        Some((start.parse::<u64>().ok()?, total.parse::<u64>().ok()?))
    };
    numbers() == Some((len, size))
}
