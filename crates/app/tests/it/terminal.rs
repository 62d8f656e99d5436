//! `reckon chat` at a terminal: a pseudo-terminal that util-linux's `script` makes, with keys written to it.
use crate::{
    fixture::{Tiny, gguf},
    place::{Place, patience},
};
use reckon::gguf::Format;
use std::{
    io::{Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// Long enough for a machine that has other things to do; a test that works never waits for it.
const PATIENCE: Duration = Duration::from_secs(60);
const CTRL_C: &[u8] = b"\x03";

/// A program at a terminal, what it has shown so far, and the keyboard.
pub(crate) struct Terminal {
    pub(crate) child: Child,
    keys: ChildStdin,
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    /// Starts the binary; nothing where there is no `script`.
    fn start(place: &Place, arguments: &[&str]) -> Option<Self> {
        Self::start_with(place, arguments, &[])
    }

    /// The same with more environment.
    pub(crate) fn start_with(
        place: &Place,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Option<Self> {
        let mut inner = place.command(arguments, &[("TERM", "xterm")]);
        inner.envs(environment.iter().copied());
        // The shell of `script` goes away, or a Ctrl-C that comes as a signal would be its end and not ours.
        let line = format!("exec {}", shell_words(&inner));
        Self::start_line(&inner, &line)
    }

    /// A line of a shell, where and with what the command would run.
    fn start_line(inner: &Command, line: &str) -> Option<Self> {
        let mut command = Command::new("script");
        command.args(["-qfec", line, "/dev/null"]);
        if let Some(directory) = inner.get_current_dir() {
            command.current_dir(directory);
        }
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.stderr(Stdio::null()).spawn() else {
            eprintln!("SKIPPED: there is no `script` to make a terminal with");
            return None;
        };
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut from, to) = (child.stdout.take().unwrap(), shown.clone());
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..n]);
                to.lock().unwrap().push_str(&text);
            }
        });
        Some(Self {
            keys: child.stdin.take().unwrap(),
            child,
            shown,
        })
    }

    pub(crate) fn press(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for its end: the exit code, and all that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        // What it said last may still be on its way.
        thread::sleep(Duration::from_millis(50));
        (status.code(), self.shown.lock().unwrap().clone())
    }

    fn len(&self) -> usize {
        self.shown.lock().unwrap().len()
    }

    /// Waits until what was shown after `from` is as wanted; how long that took.
    #[track_caller]
    pub(crate) fn wait(
        &self,
        from: usize,
        what: &str,
        is_there: impl Fn(&str) -> bool,
    ) -> Duration {
        let begin = Instant::now();
        loop {
            let shown = self.shown.lock().unwrap()[from..].to_owned();
            if is_there(&shown) {
                return begin.elapsed();
            }
            assert!(
                begin.elapsed() < PATIENCE * patience(),
                "no {what} in {shown:?}"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A command as a shell reads it.
fn shell_words(command: &Command) -> String {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let quoted: Vec<String> = words
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    quoted.join(" ")
}

/// Ctrl-C in the middle of a password: the shell that comes after finds no key of it, and a terminal that shows keys. Also
/// where the program was started with Ctrl-C ignored, as scripts in the background start theirs.
fn leaves_nothing_of_a_password(place: &Place, arguments: &[&str]) {
    let inner = place.command(arguments, &[("TERM", "xterm")]);
    let words = shell_words(&inner);
    let line = format!(
        "trap '' INT; {words}; echo over; read keys; echo \"keys <$keys>\"; stty -a | grep -qw -- -echo || echo shown"
    );
    let Some(mut terminal) = Terminal::start_line(&inner, &line) else {
        return;
    };
    terminal.wait(0, "question", |shown| shown.contains("Password of "));
    terminal.press(b"fishb");
    terminal.press(CTRL_C);
    terminal.wait(0, "end", |shown| shown.contains("over"));
    terminal.press(b"\r");
    terminal.wait(0, "keys", |shown| shown.contains("keys <>"));
    terminal.wait(0, "echo", |shown| shown.contains("shown"));
    assert!(!terminal.shown.lock().unwrap().contains("fishb"));
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_stops_the_answer_and_the_chat_goes_on() {
    let place = Place::new();
    let long = Tiny {
        n_ctx: 8192,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&long));
    let arguments = [
        "chat",
        "--model",
        "tiny.gguf",
        "--greedy",
        "--raw",
        "--ctx",
        "8192",
    ];
    let Some(mut terminal) = Terminal::start(&place, &arguments) else {
        return;
    };
    terminal.wait(0, "prompt", |shown| shown.contains("> "));
    for round in 0..2 {
        let before = terminal.len();
        terminal.press(b"hi\r");
        // The question is echoed; behind it the answer begins.
        terminal.wait(before, "answer", |shown| shown.len() > 200);
        let at = terminal.len();
        terminal.press(CTRL_C);
        let took = terminal.wait(at, "note", |shown| {
            shown.contains("[stopped; the part above")
        });
        eprintln!("round {round}: stopped after {} ms", took.as_millis());
        terminal.wait(at, "prompt", |shown| {
            let note = shown.find("[stopped").unwrap_or(shown.len());
            shown[note..].contains("> ")
        });
    }
    let at = terminal.len();
    terminal.press(CTRL_C);
    terminal.wait(at, "warning", |shown| shown.contains("Ctrl-C once more"));
    terminal.press(CTRL_C);
    let begin = Instant::now();
    let ended = loop {
        if let Some(status) = terminal.child.try_wait().unwrap() {
            break status;
        }
        assert!(begin.elapsed() < PATIENCE * patience(), "it does not leave");
        thread::sleep(Duration::from_millis(10));
    };
    assert!(ended.success(), "{ended}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_conversation_is_kept_found_and_gone_on_with() {
    let place = Place::new();
    place.write("tiny.gguf", &gguf(&Tiny::new("llama", Format::Q8_0)));
    place.write("note.txt", b"The zebra sleeps.");
    let arguments = [
        "chat",
        "--model",
        "tiny.gguf",
        "--greedy",
        "--raw",
        "--max-tokens",
        "4",
    ];
    let Some(mut terminal) = Terminal::start(&place, &arguments) else {
        return;
    };
    terminal.wait(0, "prompt", |shown| shown.contains("/help"));
    let at = terminal.len();
    terminal.press(b"/attach note.txt\r");
    terminal.wait(at, "note", |shown| {
        shown.contains("goes before your next message")
    });
    let at = terminal.len();
    terminal.press(b"What does it say?\r");
    terminal.wait(at, "answer", |shown| shown.contains("--max-tokens reached"));
    let at = terminal.len();
    terminal.press(b"/retry\r");
    terminal.wait(at, "another answer", |shown| {
        shown.contains("--max-tokens reached")
    });
    terminal.press(b"/quit\r");
    assert!(terminal.child.wait().unwrap().success());
    let found = place.reckon(&["log", "zebra", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let id = found["conversations"][0]["id"].as_str().unwrap().to_owned();
    let shown = place.reckon(&["log", "--show", &id[..8]]).out;
    assert!(shown.contains("The zebra sleeps."), "{shown}");
    let whole = place.reckon(&["log", "--show", &id[..8], "--json"]).out;
    let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(
        whole["messages"].as_array().unwrap().len(),
        4,
        "a second answer is a branch"
    );

    let mut terminal =
        Terminal::start(&place, &[&arguments[..], &["--continue"]].concat()).unwrap();
    terminal.wait(0, "title", |shown| shown.contains("going on with"));
    terminal.press(b"/quit\r");
    assert!(terminal.child.wait().unwrap().success());
}

#[test]
#[cfg(target_os = "linux")]
fn keys_pressed_during_an_answer_wait_for_the_next_prompt() {
    let place = Place::new();
    let long = Tiny {
        n_ctx: 8192,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&long));
    let arguments = [
        "chat",
        "--model",
        "tiny.gguf",
        "--greedy",
        "--raw",
        "--forget",
        "--ctx",
        "8192",
        "--max-tokens",
        "1500",
    ];
    let Some(mut terminal) = Terminal::start(&place, &arguments) else {
        return;
    };
    terminal.wait(0, "prompt", |shown| shown.contains("> "));
    let before = terminal.len();
    terminal.press(b"hi\r");
    terminal.wait(before, "answer", |shown| shown.len() > 200);
    terminal.press(b"/quzz");
    terminal.wait(before, "end", |shown| {
        let end = shown.find("--max-tokens reached").unwrap_or(shown.len());
        shown[end..].contains("/quzz")
    });
    let shown = terminal.shown.lock().unwrap()[before..].to_owned();
    let end = shown.find("--max-tokens reached").unwrap();
    assert!(!shown[..end].contains("/quzz"), "keys show in the answer");
    // What was typed is in the line and can be changed.
    terminal.press(b"\x7f\x7fit\r");
    assert!(terminal.child.wait().unwrap().success());
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_fetched_before_a_person_agrees() {
    let place = Place::new();
    let Some(mut terminal) = Terminal::start(&place, &["chat"]) else {
        return;
    };
    terminal.wait(0, "question", |shown| shown.contains("[Y/n]"));
    terminal.press(b"n\r");
    terminal.wait(0, "what to do", |shown| {
        shown.contains("reckon models list")
    });
    assert_eq!(terminal.child.wait().unwrap().code(), Some(3));
}

#[test]
#[cfg(target_os = "linux")]
fn an_encrypted_file_asks_for_its_password() {
    let shared = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/documents/encrypted_libreoffice.pdf"
    );
    let Ok(file) = std::fs::read(shared) else {
        eprintln!("SKIPPED: an encrypted PDF in ../shared");
        return;
    };
    let place = Place::new();
    let long = Tiny {
        n_ctx: 8192,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&long));
    place.write("secret.pdf", &file);
    let arguments = ["ask", "--model", "tiny.gguf", "--raw", "--max-tokens", "4"];
    let arguments = [&arguments[..], &["-f", "secret.pdf", "what is it?"]].concat();
    let Some(mut terminal) = Terminal::start(&place, &arguments) else {
        return;
    };
    terminal.wait(0, "question", |shown| {
        shown.contains("Password of secret.pdf: ")
    });
    let at = terminal.len();
    // The second one before anybody asks for it.
    terminal.press(b"swordfish\ropenpassword\r");
    terminal.wait(at, "second try", |shown| {
        shown.contains("Not the password.")
    });
    assert!(terminal.child.wait().unwrap().success());
    let shown = terminal.shown.lock().unwrap().clone();
    assert!(
        !shown.contains("swordfish") && !shown.contains("openpassword"),
        "what is typed is not shown: {shown:?}"
    );
    leaves_nothing_of_a_password(&place, &arguments);
    // Where nobody can be asked, it is said what to do.
    place
        .reckon(&arguments)
        .refused(4, &["secret.pdf", "encrypted", "terminal"]);
}
