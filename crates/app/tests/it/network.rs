//! With hand-over off no connection is opened: proven in a network namespace, whose kernel counts every one that is.
//!
//! A new namespace has counters of its own (`/proc/net/snmp`): `ActiveOpens` grows with every TCP connection that anybody in it
//! begins, answered or not, `OutDatagrams` with every UDP packet, such as a question to DNS. Each proof has a control that
//! does open one, so that a counter which never moves would fail.
use crate::{
    fixture::{Tiny, gguf},
    place::{Ended, Place},
};
use reckon::gguf::Format;
use std::{
    fs, io,
    net::TcpListener,
    process::{Command, Stdio},
};

/// What stands before every command in the namespace: a loopback that works, and `counts NAME`.
const PRELUDE: &str = r#"
ip link set lo up || exit 77
counts() { cat /proc/net/snmp > "counts.$1"; }
"#;

/// A place with a model and a peer that nobody asked to be used; the listener is where it would be asked.
fn place() -> (Place, TcpListener) {
    let place = Place::new();
    let tiny = Tiny {
        n_ctx: 2048,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&tiny));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let config = format!(
        "[peers.mini]\nurl = \"{url}\"\nmodels = [\"large\"]\nrole = \"premium\"\ntimeout = 5\n"
    );
    fs::create_dir_all(place.home()).unwrap();
    fs::write(place.home().join("config.toml"), config).unwrap();
    (place, listener)
}

/// Whether somebody connected.
fn was_asked(listener: &TcpListener) -> bool {
    match listener.accept() {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "{error}");
            false
        }
    }
}

/// Runs a script in a network namespace of its own, with the program as `$0`; none where that is not allowed.
fn inside(place: &Place, script: &str, arguments: &[&str]) -> Option<Ended> {
    let program = place.command(&[], &[]);
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--net", "sh", "-c"])
        .arg(format!("{PRELUDE}{script}"))
        .arg(program.get_program())
        .args(arguments)
        .current_dir(place.root.path())
        .stdin(Stdio::null());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let ended = command.output().ok().map(|output| Ended::new(&output));
    let is_refused = |ended: &Ended| {
        ended.code == Some(77) || ended.err.contains("unshare:") || ended.err.contains("ip: not")
    };
    match ended.filter(|ended| !is_refused(ended)) {
        Some(ended) => Some(ended),
        None => {
            eprintln!("SKIPPED: no network namespaces here; nothing was proven");
            None
        }
    }
}

/// TCP connections that were begun and UDP packets that were sent, up to `counts NAME`.
fn opened(place: &Place, name: &str) -> (u64, u64) {
    let path = place.root.path().join(format!("counts.{name}"));
    let text = fs::read_to_string(path).unwrap();
    let count = |protocol: &str, field: &str| -> u64 {
        let mut rows = text.lines().filter(|line| line.starts_with(protocol));
        let names = rows.next().expect("a head").split_whitespace();
        let at = names.clone().position(|name| name == field);
        let values: Vec<&str> = rows.next().expect("values").split_whitespace().collect();
        values[at.expect("a counter")].parse().unwrap()
    };
    (count("Tcp:", "ActiveOpens"), count("Udp:", "OutDatagrams"))
}

const ASK: [&str; 6] = [
    "ask",
    "--model",
    "tiny.gguf",
    "--greedy",
    "--max-tokens",
    "12",
];

#[test]
fn ask_opens_no_connection_unless_it_is_told_to() {
    let (place, listener) = place();
    let question = "12 boxes of 8 rolls, 37 sold. How many are left?";
    let arguments = [&ASK[..], &[question]].concat();
    let outside = place.reckon(&arguments);
    assert_eq!(outside.code, Some(0), "{outside:?}");
    assert!(!was_asked(&listener));
    let script = "\"$0\" \"$@\"; code=$?; counts end; exit $code";
    let Some(ended) = inside(&place, script, &arguments) else {
        return;
    };
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out, outside.out, "the same bytes without a network");
    assert_eq!(opened(&place, "end"), (0, 0), "{ended:?}");
    // Asked for by its role the peer is looked for, which the kernel counts, and is not there.
    let arguments = [&ASK[..], &["--role", "premium", question]].concat();
    let ended = inside(&place, script, &arguments).expect("as before");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out, outside.out, "the answer of this machine ships");
    assert!(opened(&place, "end").0 >= 1, "the counter counts");
    assert!(!was_asked(&listener), "another network");
}

#[test]
fn serve_opens_no_connection_unless_a_role_is_asked_for() {
    let (place, listener) = place();
    // A client that asks for a model opens one connection, to the server.
    let script = r#"
"$0" serve --model tiny.gguf --port 0 > url &
server=$!
tries=0
until "$0" fleet --ready "$(head -n 1 url)"; do
    tries=$((tries + 1)); [ $tries -lt 300 ] || exit 1; sleep 0.1
done >/dev/null 2>&1
client() { "$0" ask --endpoint "$(head -n 1 url)" --model "$1" --raw --greedy --max-tokens 8 hello; }
counts begin
client tiny > tiny.said && counts model
client premium > premium.said && counts role
code=$?
kill $server
wait $server
exit $code
"#;
    let Some(ended) = inside(&place, script, &[]) else {
        return;
    };
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (begin, model, role) = (
        opened(&place, "begin"),
        opened(&place, "model"),
        opened(&place, "role"),
    );
    assert_eq!(model.0 - begin.0, 1, "the client's own and no other");
    assert!(role.0 - model.0 >= 2, "the client's, and one to the peer");
    assert_eq!(role.1, 0, "nobody asked DNS");
    let said = |name: &str| fs::read(place.root.path().join(name)).unwrap();
    assert_eq!(said("tiny.said"), said("premium.said"), "the peer is away");
    assert!(!was_asked(&listener));
}

#[test]
fn strace_sees_no_connection_either() {
    let (place, listener) = place();
    let program = place.command(&[], &[]);
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-e", "trace=connect,sendto", "-o", "trace"])
        .arg(program.get_program())
        .args([&ASK[..], &["hello"]].concat())
        .current_dir(place.root.path())
        .env("RECKON_HOME", place.home())
        .stdin(Stdio::null());
    let ended = command.output().ok().map(|output| Ended::new(&output));
    let Some(ended) = ended.filter(|ended| ended.code == Some(0)) else {
        eprintln!("SKIPPED: no strace here, or it may not trace; nothing was proven");
        return;
    };
    let trace = fs::read_to_string(place.root.path().join("trace")).unwrap();
    assert!(!trace.contains("AF_INET"), "{trace}");
    assert!(!ended.out.is_empty() && !was_asked(&listener));
}
