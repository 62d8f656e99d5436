//! `reckon run` and `reckon recipe`: the real binary, with a server elsewhere or a tiny model.
use crate::{
    elsewhere::{Elsewhere, last},
    fixture::{Tiny, gguf},
    mmproj::Mmproj,
    place::{Place, kill_20_times},
    terminal::Terminal,
};
use reckon::gguf::Format;
use std::{fs, time::Duration};

fn place() -> (Place, Elsewhere) {
    let elsewhere = Elsewhere::new(Duration::ZERO, |body| {
        let asked = last(body);
        match body.get("response_format") {
            Some(_) if asked.contains("praise") => "\"praise\"".into(),
            Some(_) => r#"{"sender": "Ann", "date": "tomorrow"}"#.into(),
            None => format!("{} words", asked.split_whitespace().count()),
        }
    });
    (Place::new(), elsewhere)
}

fn run(place: &Place, elsewhere: &Elsewhere, arguments: &[&str]) -> crate::place::Ended {
    let mut all = vec!["run"];
    all.extend(arguments);
    all.extend(["--endpoint", &elsewhere.url, "--model", "m", "--raw"]);
    place.reckon(&all)
}

#[test]
fn recipes_are_listed_shown_and_begun() {
    let place = Place::new();
    let list = place.reckon(&["recipe", "list"]);
    assert_eq!(list.code, Some(0), "{}", list.err);
    assert_eq!(list.out.lines().count(), 11);
    for line in list.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&place.reckon(&["recipe", "list", "--json"]).out).unwrap();
    assert_eq!(json["recipes"][0]["name"], "classify");
    let shown = place.reckon(&["recipe", "show", "translate"]).out;
    assert!(shown.contains("name = \"translate\""), "{shown}");

    let begun = place.reckon(&["recipe", "new", "minutes"]);
    assert_eq!(begun.code, Some(0), "{}", begun.err);
    let path = place.home().join("recipes/minutes.toml");
    fs::write(&path, "mine").unwrap();
    place
        .reckon(&["recipe", "new", "minutes"])
        .refused(4, &["minutes.toml", "not overwritten"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let list = place.reckon(&["recipe", "list"]).out;
    assert!(list.contains("minutes       cannot be read"), "{list}");
}

#[test]
fn what_is_wrong_is_one_line_before_a_model_is_looked_for() {
    let place = Place::new();
    place.write("a.txt", b"hello");
    place.write("bad.toml", b"name = \"bad\"\ncolour = 1\n");
    place.write("long.toml", &[b'#'; 70_000]);
    place.write("mine.csv", b"precious");
    for (arguments, code, parts) in [
        (
            &["run", "tranlsate", "a.txt"][..],
            2,
            &["tranlsate", "translate?"][..],
        ),
        (&["recipe", "show", "metting"], 2, &["meeting?"]),
        (
            &["run", "bad.toml", "a.txt"],
            4,
            &["bad.toml", "line 2", "colour"],
        ),
        (&["run", "long.toml", "a.txt"], 4, &["longer than 65536"]),
        (&["run", "missing.toml", "a.txt"], 4, &["missing.toml"]),
        (&["run", "translate", "missing.txt"], 4, &["missing.txt"]),
        (
            &["run", "translate", "a.txt", "--set", "too=x"],
            2,
            &["too", "it has to"],
        ),
        (
            &["run", "translate", "a.txt", "--set", "to"],
            2,
            &["KEY=VALUE"],
        ),
        (&["run", "classify", "a.txt"], 2, &["needs labels"]),
        (
            &["run", "extract", "a.txt", "--schema", "bad.toml"],
            2,
            &["schema"],
        ),
        (&["run", "translate", "a.txt", "-"], 2, &["stands alone"]),
        (
            &["run", "translate", "a.txt", "--out", "mine.csv"],
            4,
            &["mine.csv", "no recipe wrote it"],
        ),
        (&["run", "documents", "--watch", "nowhere"], 4, &["nowhere"]),
        (&["run", "translate"], 4, &["standard input is empty"]),
    ] {
        place.reckon(arguments).refused(code, parts);
    }
    assert_eq!(
        fs::read(place.root.path().join("mine.csv")).unwrap(),
        b"precious"
    );
}

#[test]
fn several_files_are_answered_once_and_a_rerun_skips_them() {
    let (place, elsewhere) = place();
    place.write("a.txt", b"one two three");
    place.write("b.txt", b"Yours, Ann");
    let arguments = [
        "extract",
        "a.txt",
        "b.txt",
        "--set",
        "fields=sender,date",
        "--out",
        "out.csv",
    ];
    let ended = run(&place, &elsewhere, &arguments);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), ""),
        "{}",
        ended.err
    );
    let expected = "name,sender,sender.span,date,date.span\n\
        a.txt,Ann,not found,tomorrow,not found\n\
        b.txt,Ann,1:7-10,tomorrow,not found\n";
    let text = || fs::read_to_string(place.root.path().join("out.csv")).unwrap();
    assert_eq!(text(), expected);
    assert_eq!(elsewhere.asked().len(), 2);
    place.write("c.txt", b"Ann");
    let mut more = arguments.to_vec();
    more.insert(3, "c.txt");
    let ended = run(&place, &elsewhere, &more);
    assert!(
        ended.err.contains("2 of 3 were done before"),
        "{}",
        ended.err
    );
    assert_eq!(
        text(),
        format!("{expected}c.txt,Ann,1:0-3,tomorrow,not found\n")
    );
    assert_eq!(elsewhere.asked().len(), 3, "only the new one");
}

#[test]
fn one_file_that_cannot_be_read_does_not_stop_the_others() {
    let (place, elsewhere) = place();
    place.write("a.txt", b"one two");
    place.write("b.bin", b"\x00\xff\x01\x02");
    place.write("c.txt", b"three");
    let ended = run(&place, &elsewhere, &["email", "a.txt", "b.bin", "c.txt"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(
        ended.err.contains("b.bin") && ended.err.contains("1 of 3 were not answered"),
        "{}",
        ended.err
    );
    assert!(
        ended.out.starts_with("## a.txt\n\n") && ended.out.contains("## c.txt\n\n"),
        "{}",
        ended.out
    );
    run(&place, &elsewhere, &["email", "b.bin"]).refused(4, &["b.bin"]);
}

#[test]
fn standard_input_and_json() {
    let (place, elsewhere) = place();
    let arguments = [
        "run",
        "translate",
        "-",
        "--set",
        "to=German",
        "--json",
        "--endpoint",
        &elsewhere.url,
        "--model",
        "m",
    ];
    let ended = place.piped(&arguments, b"good morning\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(
        ended.out,
        "{\"name\":\"standard input\",\"text\":\"5 words\"}\n"
    );
    let asked = elsewhere.asked();
    assert_eq!(last(&asked[0].1), "Translate into German:\n\ngood morning");

    // Lines of a meeting are noted window by window, then summed up.
    let lines = "Ann: we meet on Friday\n".repeat(200);
    let arguments = [
        "run",
        "meeting",
        "-",
        "--out",
        "notes.md",
        "--endpoint",
        &elsewhere.url,
        "--model",
        "m",
    ];
    let ended = place.piped(&arguments, lines.as_bytes());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let notes = fs::read_to_string(place.root.path().join("notes.md")).unwrap();
    let headings: Vec<&str> = notes
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    assert_eq!(
        headings,
        ["## lines 1–150", "## lines 151–200", "## Summary"]
    );
}

#[test]
fn an_own_recipe_is_used_and_says_what_it_hides() {
    let (place, elsewhere) = place();
    fs::create_dir_all(place.home().join("recipes")).unwrap();
    let text = "name = \"tutor\"\nabout = \"mine\"\nprompt = \"My own: {input}\"\n";
    fs::write(place.home().join("recipes/tutor.toml"), text).unwrap();
    place.write("a.txt", b"hello");
    let ended = run(&place, &elsewhere, &["tutor", "a.txt"]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "3 words\n"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("instead of the built-in tutor"),
        "{}",
        ended.err
    );
}

#[test]
fn a_tiny_model_gives_nothing_but_a_label() {
    let place = Place::new();
    place.write("tiny.gguf", &gguf(&Tiny::new("llama", Format::Q8_0)));
    place.write("a.txt", b"hello world");
    for seed in ["1", "2", "3"] {
        let ended = place.reckon(&[
            "run",
            "classify",
            "a.txt",
            "--set",
            "labels=red,green,blue",
            "--model",
            "tiny.gguf",
            "--seed",
            seed,
        ]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let labels = ["red", "green", "blue"].map(|label| format!("name,label\na.txt,{label}\n"));
        assert!(labels.contains(&ended.out), "{}", ended.out);
    }
}

/// Seconds of a tone at 8 kHz.
fn wav(seconds: u32) -> Vec<u8> {
    let samples = (0..8_000 * seconds).flat_map(|at| ((at % 40) as i16 * 500).to_le_bytes());
    let data: Vec<u8> = samples.collect();
    let length = (data.len() as u32).to_le_bytes();
    let whole = (data.len() as u32 + 36).to_le_bytes();
    let mut file = [&b"RIFF"[..], &whole, b"WAVEfmt "].concat();
    for field in [16_u32, 1 | 1 << 16, 8_000, 16_000, 2 | 16 << 16] {
        file.extend(field.to_le_bytes());
    }
    [&file[..], b"data", &length, &data].concat()
}

#[test]
fn a_recording_is_heard_window_by_window_from_a_file_and_as_it_comes() {
    let place = Place::new();
    place.write("tiny.gguf", &gguf(&Tiny::with_senses()));
    let ears = Mmproj::with_positions(Format::F32, 48).to_vec();
    place.write("ears.gguf", &ears);
    place.write("memo.wav", &wav(6));
    let recipe = "name = \"ears\"\nabout = \"x\"\ninput = \"sound\"\nprompt = \"{input} Note.\"\n\
        last = \"Summarise.\"\nmax_tokens = 4\nwindow = { seconds = 5 }\n";
    place.write("ears.toml", recipe.as_bytes());
    let model = ["--model", "tiny.gguf", "--greedy", "--raw"];
    let hearing = [&model[..], &["--mmproj", "ears.gguf"]].concat();
    let live = [&["run", "ears.toml", "-", "--json"], &hearing[..]].concat();
    let ended = place.piped(&live, &wav(6));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let names: Vec<String> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].to_string())
        .collect();
    assert_eq!(
        names[..2],
        ["\"00:00–00:05\"", "\"00:05–00:06\""],
        "{}",
        ended.out
    );
    let file = [&["run", "ears.toml", "memo.wav", "--json"], &hearing[..]].concat();
    let ended = place.reckon(&file);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.contains("\"name\":\"memo.wav\""), "{}", ended.out);
    let deaf = [&["run", "ears.toml", "memo.wav"], &model[..]].concat();
    place.reckon(&deaf).refused(4, &["memo.wav", "cannot hear"]);
}

#[cfg(unix)]
#[test]
fn a_watched_folder_is_answered_once_and_left_by_a_signal() {
    let (place, elsewhere) = place();
    let folder = place.root.path().join("inbox");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.txt"), "one two three").unwrap();
    fs::write(folder.join("b.bin"), b"\x00\xff\x01\x02").unwrap();
    let result = folder.join("results/a.txt.md");
    let watch = |until: &dyn Fn() -> bool| {
        let mut child = place.start(&[
            "run",
            "email",
            "--watch",
            "inbox",
            "--endpoint",
            &elsewhere.url,
            "--model",
            "m",
        ]);
        for _ in 0..600 {
            if until() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
    };
    watch(&|| result.exists() && folder.join("results/b.bin.error.txt").exists());
    assert!(fs::read_to_string(&result).unwrap().ends_with(" words\n"));
    assert_eq!(elsewhere.asked().len(), 1);
    // After a restart only what is new.
    fs::write(folder.join("c.txt"), "four").unwrap();
    watch(&|| folder.join("results/c.txt.md").exists());
    assert_eq!(elsewhere.asked().len(), 2);
}

#[test]
fn a_killed_run_is_resumed_and_each_file_has_one_row() {
    let place = Place::new();
    let elsewhere = Elsewhere::new(Duration::from_millis(5), |body| last(body).to_owned());
    let names: Vec<String> = (0..40).map(|i| format!("{i}.txt")).collect();
    for name in &names {
        place.write(name, format!("the words of {name}").as_bytes());
    }
    let mut arguments = vec!["run", "email", "--json", "--out", "rows.jsonl", "--raw"];
    arguments.extend(["--endpoint", &elsewhere.url, "--model", "m"]);
    arguments.extend(names.iter().map(String::as_str));
    kill_20_times(11, || place.start(&arguments));
    let ended = place.reckon(&arguments);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows = fs::read_to_string(place.root.path().join("rows.jsonl")).unwrap();
    let name = |row: &str| {
        let row: serde_json::Value = serde_json::from_str(row).expect("a whole row");
        row["name"].as_str().unwrap().to_owned()
    };
    let mut done: Vec<String> = rows.lines().map(name).collect();
    // Rows come in the order of the files, also over many runs.
    assert_eq!(done, names, "{rows}");
    done.dedup();
    assert_eq!(done.len(), names.len());
}

/// Sends Ctrl-C to a run that reads windows of lines, when its first window is asked about.
#[cfg(unix)]
fn interrupted(
    place: &Place,
    elsewhere: &Elsewhere,
) -> (std::process::Child, std::process::ChildStdin) {
    use std::{io::Write, process::Stdio};
    let url = &elsewhere.url;
    let arguments = ["run", "meeting", "-", "--out", "notes.md", "--raw"];
    let mut command = place.command(&arguments, &[]);
    command.args(["--endpoint", url, "--model", "m"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all("Ann: we begin.\n".repeat(150).as_bytes())
        .unwrap();
    for _ in 0..600 {
        if !elsewhere.asked().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    (child, input)
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_recording_and_what_was_heard_is_still_noted() {
    use std::io::Write;
    let (place, elsewhere) = place();
    let (mut child, mut input) = interrupted(&place, &elsewhere);
    // What the recorder had left when Ctrl-C ended it, too.
    input.write_all(b"Ben: and we end.\n").unwrap();
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let notes = fs::read_to_string(place.root.path().join("notes.md")).unwrap();
    for part in ["lines 1–150", "lines 151–151", "Summary"] {
        assert!(notes.contains(part), "{notes}");
    }
    assert_eq!(elsewhere.asked().len(), 3);
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_leaves_a_recording() {
    let (place, elsewhere) = place();
    let (mut child, input) = interrupted(&place, &elsewhere);
    let id = rustix::process::Pid::from_child(&child);
    // Two signals that come at once are one: the first must have been heard.
    std::thread::sleep(Duration::from_millis(500));
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert_ne!(child.wait().unwrap().code(), Some(0));
    drop(input);
}

#[test]
#[cfg(target_os = "linux")]
fn at_a_terminal_text_is_drawn_with_lines_that_end_between_words() {
    let elsewhere = Elsewhere::new(Duration::ZERO, |_| {
        format!("**Dear** {}\u{1b}]0;title\u{7}", "harbour ".repeat(40))
    });
    let place = Place::new();
    place.write("a.txt", b"hello");
    let mut arguments = vec!["run", "translate", "a.txt", "--raw", "--model", "m"];
    arguments.extend(["--endpoint", &elsewhere.url]);
    let Some(terminal) = Terminal::start_with(&place, &arguments, &[]) else {
        return;
    };
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        !shown.contains("**") && !shown.contains("\u{1b}]"),
        "{shown:?}"
    );
    // Styles, and what a progress line takes to go away.
    let codes = shown.split('\u{1b}').skip(1);
    let rest = codes.filter_map(|part| part.split_once(|c: char| c.is_ascii_alphabetic()));
    let first = shown.split('\u{1b}').next().unwrap_or_default();
    let plain: String = [first]
        .into_iter()
        .chain(rest.map(|(_, rest)| rest))
        .collect();
    let lines = plain.split(['\r', '\n']);
    let lines: Vec<&str> = lines.filter(|line| line.contains("harbour")).collect();
    assert!(
        lines.len() > 3 && lines.iter().all(|line| line.trim_end().len() <= 80),
        "{lines:?}"
    );
    let whole = lines.iter().flat_map(|line| line.split_whitespace());
    assert_eq!(whole.filter(|word| *word == "harbour").count(), 40);
}
