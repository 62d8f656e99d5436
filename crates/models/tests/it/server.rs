//! A model hub on loopback that serves one file, or several by their paths, and misbehaves when told to.
use crate::samples::sha256;
use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// The commit that it claims to be at.
pub(crate) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// How it behaves; the default is well.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    /// What a GET sends.
    pub(crate) body: Vec<u8>,
    /// Size in the headers, where it is not that of the body.
    pub(crate) claimed: Option<u64>,
    /// `X-Linked-Etag`.
    pub(crate) etag: Option<String>,
    /// `X-Repo-Commit`.
    pub(crate) commit: Option<String>,
    /// Whether a Range is honoured.
    pub(crate) ranges: bool,
    /// Close each connection after so many bytes of body; the last number stays.
    pub(crate) cuts: VecDeque<usize>,
    /// Answers with these first, whatever is asked.
    pub(crate) statuses: VecDeque<u16>,
    /// Where the next request is sent, once.
    pub(crate) redirect: Option<String>,
    /// Where every GET is sent.
    pub(crate) elsewhere: Option<String>,
    /// Keeps a connection that it cuts open for so long, in silence.
    pub(crate) silence: Duration,
    /// What is served at each path; with any, other paths are not found, and the log has paths.
    pub(crate) routes: BTreeMap<String, Vec<u8>>,
    /// Paths that begin so need a token: 401 without.
    pub(crate) gated: Option<String>,
}

/// A running hub; ends with the test's process.
pub(crate) struct Server {
    pub(crate) url: String,
    behaviour: Arc<Mutex<Behaviour>>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(body: &[u8], sha256: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let behaviour = Arc::new(Mutex::new(Behaviour {
            body: body.to_vec(),
            claimed: None,
            etag: Some(format!("\"{sha256}\"")),
            commit: Some(COMMIT.into()),
            ranges: true,
            cuts: VecDeque::new(),
            statuses: VecDeque::new(),
            redirect: None,
            elsewhere: None,
            silence: Duration::ZERO,
            routes: BTreeMap::new(),
            gated: None,
        }));
        let log = Arc::new(Mutex::new(Vec::new()));
        let (ours, logged) = (behaviour.clone(), log.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (ours, logged) = (ours.clone(), logged.clone());
                // A client that goes away is part of the tests.
                thread::spawn(move || serve(stream, &ours, &logged));
            }
        });
        Self {
            url,
            behaviour,
            log,
        }
    }

    /// Changes how it behaves from now on.
    pub(crate) fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.behaviour.lock().unwrap());
    }

    /// Serves this at a path.
    pub(crate) fn serve(&self, path: &str, body: &[u8]) {
        self.behave(|how| drop(how.routes.insert(path.to_owned(), body.to_vec())));
    }

    /// Requests so far, as `GET`, `GET bytes=5-` or `HEAD`, with ` +token` behind those that carry one; emptied by asking.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    /// Of these, the GETs.
    pub(crate) fn gets(&self) -> Vec<String> {
        let mut gets = self.requests();
        gets.retain(|request| request.starts_with("GET"));
        gets
    }
}

fn serve(stream: TcpStream, behaviour: &Mutex<Behaviour>, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = request(&mut reader) {
        let mut line = request.method.clone();
        if !behaviour.lock().unwrap().routes.is_empty() {
            line += &format!(" {}", request.path);
        }
        if let Some(range) = &request.range {
            line += &format!(" {range}");
        }
        if request.token {
            line += " +token";
        }
        log.lock().unwrap().push(line);
        if answer(&stream, &request, behaviour).is_none() {
            return;
        }
    }
}

/// What a client asks.
struct Request {
    method: String,
    path: String,
    range: Option<String>,
    token: bool,
}

fn request(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut range, mut token) = (None, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim();
        if header.is_empty() {
            return Some(Request {
                method,
                path,
                range,
                token,
            });
        }
        let (name, value) = header.split_once(':')?;
        if name.eq_ignore_ascii_case("range") {
            range = Some(value.trim().to_owned());
        }
        token |= name.eq_ignore_ascii_case("authorization");
    }
}

/// How it behaves at this path, or the status with which it refuses.
fn routed(how: &Behaviour, request: &Request) -> (Behaviour, Option<u16>) {
    let mut how = how.clone();
    let needs_token = |prefix: &String| request.path.starts_with(prefix) && !request.token;
    if how.gated.as_ref().is_some_and(needs_token) {
        return (how, Some(401));
    }
    if how.routes.is_empty() {
        return (how, None);
    }
    let Some(body) = how.routes.get(&request.path).cloned() else {
        return (how, Some(404));
    };
    how.etag = Some(format!("\"{}\"", sha256(&body)));
    how.body = body;
    (how, None)
}

/// `None` when the connection must close.
fn answer(mut stream: &TcpStream, request: &Request, behaviour: &Mutex<Behaviour>) -> Option<()> {
    let mut now = behaviour.lock().unwrap();
    let (how, refused) = routed(&now, request);
    let status = now.statuses.pop_front().or(refused);
    now.redirect = None;
    let is_get = request.method == "GET";
    if status.is_none() && is_get && now.cuts.len() > 1 {
        now.cuts.pop_front();
    }
    drop(now);
    let start = request
        .range
        .as_deref()
        .filter(|_| how.ranges)
        .and_then(|range| {
            range
                .strip_prefix("bytes=")?
                .strip_suffix('-')?
                .parse()
                .ok()
        })
        .unwrap_or(0usize);
    let total = how.claimed.unwrap_or(how.body.len() as u64);
    let elsewhere = how.elsewhere.as_ref().filter(|_| is_get);
    let mut head = match (status, how.redirect.as_ref().or(elsewhere)) {
        (Some(status), _) => {
            write!(stream, "HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n").ok()?;
            return Some(());
        }
        (None, Some(to)) => format!("HTTP/1.1 307 Moved\r\nLocation: {to}\r\n"),
        (None, None) if start > how.body.len() => "HTTP/1.1 416 No\r\n".into(),
        (None, None) if start > 0 => format!(
            "HTTP/1.1 206 Part\r\nContent-Range: bytes {start}-{}/{total}\r\n",
            how.body.len().saturating_sub(1)
        ),
        (None, None) => "HTTP/1.1 200 OK\r\n".into(),
    };
    let body = how.body.get(start..).unwrap_or_default();
    head += &format!("Content-Length: {}\r\n", body.len());
    head += &format!("X-Linked-Size: {total}\r\n");
    for (name, value) in [("X-Repo-Commit", &how.commit), ("X-Linked-Etag", &how.etag)] {
        if let Some(value) = value {
            head += &format!("{name}: {value}\r\n");
        }
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    if !is_get {
        return Some(());
    }
    let cut = how.cuts.front().copied().unwrap_or(usize::MAX);
    stream.write_all(&body[..body.len().min(cut)]).ok()?;
    if cut < body.len() {
        thread::sleep(how.silence);
        return None;
    }
    Some(())
}

/// An address on which nobody listens.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
