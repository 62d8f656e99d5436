//! Talks to a hub: small answers whole, and files into a growing file, resuming where an earlier try broke off.
//!
//! Called by `hub` and `repository`; this and `pip` are the only code of the crate that touches the network.
//!
//! `HF_TOKEN` names a person, so it is sent only where it is needed: to `https://huggingface.co` or this machine, and only
//! after an answer of 401 or 403 without it.
//!
//! Invariant: `Partial::hasher` has seen exactly the first `len` bytes of the file, so that a finished download needs
//! no second reading. What a server says (sizes, ranges) is checked before it is believed; the sha256 decides.
use crate::{
    Error, ErrorKind, Patience, Result, Store,
    digest::{self, Hasher},
    disk,
    event::Progress,
    http::{self, is_busy, reason},
    text::plain,
};
use std::{
    cell::Cell,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use ureq::{
    Agent, Body, RequestBuilder,
    http::{HeaderMap, Response, Uri},
    typestate::WithoutBody,
};

/// Most bytes of an answer that is read whole: a repository of thousands of files has one of some megabytes.
const LARGEST_ANSWER: u64 = 16 << 20;

/// The longest that such an answer may take, however slowly it drips.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);

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
    pub(crate) fn open(path: &Path, progress: &mut Progress<'_>) -> Result<Self> {
        let mut file = disk::open(path)?;
        let mut hasher = Hasher::default();
        let len = digest::feed_all(&mut hasher, &mut file, &mut |n| progress.advance(n))
            .map_err(|error| disk::cannot_read(&error, path))?;
        Ok(Self {
            file,
            path: path.into(),
            hasher,
            len,
        })
    }

    /// Forgets everything.
    fn restart(&mut self) -> Result<()> {
        let explain = |error| disk::cannot_write(&error, &self.path);
        self.file.set_len(0).map_err(explain)?;
        self.file.seek(SeekFrom::Start(0)).map_err(explain)?;
        self.hasher = Hasher::default();
        self.len = 0;
        Ok(())
    }

    /// Closes the file and returns the digest of all of it.
    pub(crate) fn finish(self) -> Result<String> {
        let synced = self.file.sync_all();
        synced.map_err(|error| disk::cannot_write(&error, &self.path))?;
        Ok(self.hasher.finish())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| disk::cannot_write(&error, &self.path))?;
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
    Fatal(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Fatal(error)
    }
}

/// Talks to one hub.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    token: Option<String>,
    /// The hub has refused to answer without the token.
    needs_token: Cell<bool>,
    patience: Patience,
}

impl Client {
    /// Prepares to talk.
    pub(crate) fn new(store: &Store) -> Result<Self> {
        let patience = store.patience;
        let config = http::config(&store.hub_endpoint, &patience)?
            .timeout_recv_response(Some(patience.stall))
            .timeout_per_read(Some(patience.stall));
        let token = store.hub_token.clone();
        Ok(Self {
            agent: config.build().new_agent(),
            token: token.filter(|_| may_see_token(&store.hub_endpoint)),
            needs_token: Cell::new(false),
            patience,
        })
    }

    /// The headers of the answer for this address, redirects not followed. A busy server is asked again.
    pub(crate) fn head(&self, url: &str) -> Result<(u16, HeaderMap)> {
        let response = self.ask(|| self.agent.head(url))?;
        Ok((response.status().as_u16(), response.headers().clone()))
    }

    /// The answer for this address, read whole; redirects not followed. A busy server is asked again.
    pub(crate) fn get(&self, url: &str) -> Result<(u16, HeaderMap, Vec<u8>)> {
        let response = self.ask(|| self.agent.get(url))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.into_body().into_with_config();
        let body = body.limit(LARGEST_ANSWER).read_to_vec();
        let body = body.map_err(|error| Error::new(ErrorKind::Unreachable, reason(&error)))?;
        Ok((status, headers, body))
    }

    /// Asks, again if the server is busy or wants the token.
    fn ask(&self, request: impl Fn() -> RequestBuilder<WithoutBody>) -> Result<Response<Body>> {
        let mut tries = 0;
        loop {
            let answer = self
                .prepared(request())
                .config()
                .max_redirects(0)
                .max_redirects_will_error(false)
                .timeout_global(Some(LONGEST_ANSWER))
                .build()
                .call();
            let response =
                answer.map_err(|error| Error::new(ErrorKind::Unreachable, reason(&error)))?;
            let status = response.status().as_u16();
            if matches!(status, 401 | 403) && self.token.is_some() && !self.needs_token.get() {
                self.needs_token.set(true);
                continue;
            }
            if !is_busy(status) || tries >= self.patience.retries {
                return Ok(response);
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
        progress: &mut Progress<'_>,
    ) -> Result<()> {
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
                Err(Stop::Fatal(error)) => return Err(error),
                Err(Stop::Dropped(why)) => why,
            };
            if partial.len > farthest {
                farthest = partial.len;
                tries = 0;
            }
            if tries >= self.patience.retries {
                let what = format!("the download broke off: {why}");
                return Err(Error::new(ErrorKind::Interrupted, what)
                    .with_hint("run the same command again: it resumes where it stopped"));
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
        progress: &mut Progress<'_>,
    ) -> std::result::Result<(), Stop> {
        let mut request = self.prepared(self.agent.get(url));
        if partial.len > 0 {
            request = request.header("Range", format!("bytes={}-", partial.len));
        }
        let response = request.call().map_err(|error| match error {
            // It would lead there again.
            ureq::Error::RequireHttpsOnly(_) => {
                Stop::Fatal(Error::new(ErrorKind::Unreachable, reason(&error)))
            }
            _ => Stop::Dropped(reason(&error)),
        })?;
        accept(&response, size, partial)?;
        progress.set(partial.len);
        let mut body = response.into_body().into_reader();
        let mut chunk = vec![0; 256 << 10];
        while partial.len < size {
            let n = match body.read(&mut chunk) {
                Ok(0) => return Err(Stop::Dropped("the server stopped early".into())),
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stop::Dropped(plain(&error.to_string(), 160))),
            };
            let n = n.min(usize::try_from(size - partial.len).unwrap_or(n));
            partial.append(&chunk[..n])?;
            progress.advance(n as u64);
        }
        Ok(())
    }

    /// Bytes as they are, because sizes and ranges count those; and the token, which a redirect does not carry on.
    fn prepared(&self, request: RequestBuilder<WithoutBody>) -> RequestBuilder<WithoutBody> {
        let request = request.header("Accept-Encoding", "identity");
        match self.token.as_ref().filter(|_| self.needs_token.get()) {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    fn pause(&self, tries: u32) {
        let factor = 1u32 << tries.min(6);
        thread::sleep(self.patience.backoff.saturating_mul(factor));
    }
}

/// Whether this hub may be told who asks: the one that gave out the token, or a server of this machine.
pub(crate) fn may_see_token(endpoint: &str) -> bool {
    let is_the_hub = endpoint.parse().is_ok_and(|uri: Uri| {
        uri.scheme_str() == Some("https")
            && uri.authority().is_some_and(|at| *at == "huggingface.co")
    });
    is_the_hub || http::is_loopback(endpoint)
}

/// Makes `partial` fit what the server is about to send, or says why that is of no use.
fn accept<B>(
    response: &Response<B>,
    size: u64,
    partial: &mut Partial,
) -> std::result::Result<(), Stop> {
    match response.status().as_u16() {
        // The server does not know ranges: the whole file comes.
        200 => Ok(partial.restart()?),
        206 if continues(response.headers(), size, partial.len) => Ok(()),
        206 | 416 => {
            partial.restart()?;
            Err(Stop::Dropped("the file on the server has changed".into()))
        }
        status if is_busy(status) => Err(Stop::Dropped(format!("the server answered {status}"))),
        status => {
            let kind = match status {
                401 | 403 => ErrorKind::Denied,
                _ => ErrorKind::Unreachable,
            };
            Err(Error::new(kind, format!("the server answered {status}")).into())
        }
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

#[cfg(test)]
mod tests {
    use super::may_see_token;

    #[test]
    fn a_token_goes_to_the_hub_that_gave_it() {
        for yes in [
            "https://huggingface.co",
            "http://127.0.0.1:80",
            "http://localhost",
        ] {
            assert!(may_see_token(yes), "{yes}");
        }
        for no in [
            "http://huggingface.co",
            "https://hub.example",
            "https://huggingface.co.example",
            "https://huggingface.co@example.com",
            "https://example.com/huggingface.co",
            "https://huggingface.co:444",
            "",
        ] {
            assert!(!may_see_token(no), "{no}");
        }
    }
}
