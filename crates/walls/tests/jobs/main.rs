//! The children of the tests, and a parent that can be killed: `walls-test-jobs parent` waits for a child that sleeps.
use reckon_walls::{Job, Limits, Runner, Start, Work, inside};
use std::{
    fs::File, hint::black_box, io::Write, net::TcpStream, process::ExitCode, thread, time::Duration,
};

const JOBS: &[Job] = &[
    Job::new("echo", |input| Ok(input.to_vec())),
    Job::new("fail", |input| {
        Err(String::from_utf8_lossy(input).into_owned())
    }),
    Job::new("panic", |_| panic!("a bug of the job")),
    Job::new("abort", |_| std::process::abort()),
    Job::new("spin", |_| {
        loop {
            black_box(0);
        }
    }),
    Job::new("sleep", |_| {
        loop {
            thread::sleep(Duration::from_secs(3600));
        }
    }),
    Job::new("recurse", |input| Ok(vec![deeper(input) as u8])),
    Job::new("shallow", |input| Ok(vec![deeper(input) as u8])).stack(1 << 20),
    Job::new("reserve", |input| {
        let bytes: usize = number(input)? << 20;
        Ok(black_box(Vec::<u8>::with_capacity(bytes))
            .capacity()
            .to_string()
            .into())
    }),
    Job::new("long", |input| Ok(vec![b'x'; number(input)?])),
    Job::new("shout", |input| {
        inside::print(&vec![b'x'; number(input)?], true);
        Ok(Vec::new())
    }),
    Job::new("print", |input| {
        for word in input.split(|byte| *byte == b' ') {
            inside::print(word, word != b"hidden");
        }
        Ok(b"printed".to_vec())
    }),
    Job::new("ask", |input| {
        let text = String::from_utf8_lossy(input);
        let answer = inside::call("question", &text).map_err(|error| error.to_string())?;
        Ok(answer.into())
    }),
    Job::new("nag", |_| {
        loop {
            inside::call("question", "").map_err(|error| error.to_string())?;
        }
    }),
    Job::new("raw", |input| {
        // What a child says that somebody else has taken over.
        let _ = std::io::stdout().write_all(input);
        let _ = std::io::stdout().flush();
        loop {
            thread::sleep(Duration::from_secs(3600));
        }
    }),
    Job::new("reach", |_| Ok(reach().join(" ").into())),
    Job::prepared("surroundings", surroundings),
];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = reckon_walls::child(JOBS, &arguments) {
        return code;
    }
    let Ok(start) = Start::itself() else {
        return ExitCode::FAILURE;
    };
    let mut runner = Runner::new(start, "sleep", Limits::default());
    let outcome = runner.run(Vec::new(), &mut |_, _| String::new());
    ExitCode::from(u8::from(outcome.result.is_err()))
}

fn number(input: &[u8]) -> Result<usize, String> {
    let text = std::str::from_utf8(input).map_err(|error| error.to_string())?;
    text.parse().map_err(|_| format!("no number: {text}"))
}

fn deeper(input: &[u8]) -> usize {
    let room = black_box([input.len(); 100]);
    match input.len() {
        usize::MAX => 0,
        _ => deeper(black_box(input)) + room[7],
    }
}

/// What could be reached that must not be.
fn reach() -> Vec<&'static str> {
    let mut reached = Vec::new();
    let mut note = |what, is: bool| {
        if is {
            reached.push(what)
        }
    };
    note("file", File::open("/etc/passwd").is_ok());
    note("itself", File::open("/proc/self/maps").is_ok());
    note("new file", File::create("/tmp/reckon-walls-test").is_ok());
    note("directory", std::fs::read_dir("/").is_ok());
    note(
        "network",
        TcpStream::connect("127.0.0.1:9").is_ok_and(|_| true),
    );
    note("socket", std::net::UdpSocket::bind("127.0.0.1:0").is_ok());
    note(
        "process",
        std::process::Command::new("/bin/true").spawn().is_ok(),
    );
    note("thread", thread::Builder::new().spawn(|| ()).is_ok());
    note("directory of its own", std::env::current_dir().is_ok());
    reached
}

/// What is there before the walls close: environment, directory, open files.
fn surroundings(_: &Limits) -> Work {
    let mut lines = vec![format!("directory {:?}", std::env::current_dir().ok())];
    lines.extend(std::env::vars_os().map(|(name, _)| format!("variable {name:?}")));
    lines.extend(files());
    Box::new(move |_| Ok(lines.join("\n").into()))
}

#[cfg(unix)]
fn files() -> Vec<String> {
    use std::os::fd::AsFd;
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]
        .into_iter()
        .filter_map(|file| rustix::fs::fstat(file).ok())
        .map(|stat| {
            format!(
                "file {:?}",
                rustix::fs::FileType::from_raw_mode(stat.st_mode)
            )
        })
        .collect()
}

#[cfg(not(unix))]
fn files() -> Vec<String> {
    vec!["file Fifo".into(); 3]
}
