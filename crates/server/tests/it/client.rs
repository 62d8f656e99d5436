//! A plain HTTP client: sends exactly these bytes, and gives all that comes back.
use serde_json::Value;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// A response, whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The data of server-sent events, except the last word of OpenAI's.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let data = data.filter(|data| *data != "[DONE]");
        data.map(|data| serde_json::from_str(data).expect("JSON"))
            .collect()
    }

    /// The names of server-sent events.
    pub(crate) fn names(&self) -> Vec<String> {
        let text = self.text();
        let names = text.lines().filter_map(|line| line.strip_prefix("event: "));
        names.map(str::to_owned).collect()
    }

    /// Lines of JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let text = self.text();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Sends a request with these headers and gives what comes back.
pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() || method == "POST" {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    head += "\r\n";
    let mut stream = TcpStream::connect(address).expect("a server");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a time");
    stream.write_all(head.as_bytes()).expect("sent");
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    parse(&bytes)
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    send(address, "GET", path, &[], b"")
}

pub(crate) fn post(address: SocketAddr, path: &str, body: &Value) -> Answer {
    send(address, "POST", path, &[], body.to_string().as_bytes())
}

/// Sends a form: fields with their names, and the names of files.
pub(crate) fn upload(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    fields: &[(&str, Option<&str>, &[u8])],
) -> Answer {
    const BOUNDARY: &str = "----a-boundary";
    let mut body = Vec::new();
    for (name, file, bytes) in fields {
        let file = file.map_or(String::new(), |file| format!("; filename=\"{file}\""));
        let head = format!("Content-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend(format!("--{BOUNDARY}\r\n{head}").bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let mut all = vec![("Content-Type", kind.as_str())];
    all.extend_from_slice(headers);
    send(address, "POST", path, &all, &body)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head");
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .expect("a status");
    let mut answer = Answer {
        status,
        head,
        body: bytes[end + 4..].to_vec(),
    };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = dechunk(&answer.body);
    }
    answer
}

fn dechunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(line) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..line]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&bytes[line + 2..][..size]);
        bytes = &bytes[line + 2 + size + 2..];
    }
    whole
}
