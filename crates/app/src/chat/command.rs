//! A line that begins with a slash in, the command it means out.
//!
//! Called by `repl`. Pure: nothing is looked up, nothing done. A line that is no command is no error here but a
//! `Command::Unknown` with the nearest name, so that a slip costs one line and never reaches the model.
use std::path::PathBuf;

/// Name, arguments and meaning of every command, in the order of `/help`.
pub(crate) const COMMANDS: [(&str, &str, &str); 18] = [
    ("help", "", "this list"),
    (
        "save",
        "FILE [n]",
        "write code block n of the last answer (/save! replaces)",
    ),
    (
        "run",
        "[n]",
        "run code block n of the last answer, if it is Python",
    ),
    (
        "attach",
        "FILE",
        "put a file before your next message (text, document, photo)",
    ),
    (
        "copy",
        "[n]",
        "put the last answer, or its code block n, on the clipboard",
    ),
    ("undo", "", "take back the last exchange"),
    ("edit", "[TEXT]", "change the last message and ask again"),
    ("retry", "", "answer the last message once more"),
    (
        "load",
        "[WORDS]",
        "go on with the last conversation that has these words",
    ),
    (
        "remember",
        "TEXT",
        "tell the model this with every question, from now on",
    ),
    (
        "forget",
        "[N|WORDS]",
        "show what is remembered, or forget one of it",
    ),
    (
        "clear",
        "",
        "forget the conversation, keep the system message",
    ),
    (
        "system",
        "[TEXT]",
        "show or set the system message; /system - removes it",
    ),
    (
        "model",
        "[NAME|PATH]",
        "show the model or go on with another one",
    ),
    (
        "think",
        "[on|off]",
        "show or hide the thinking of models that think",
    ),
    (
        "why",
        "",
        "which guards looked at the last answer, and what they did",
    ),
    ("stats", "", "tokens, speed, context and memory"),
    ("quit", "", "leave (or Ctrl-D)"),
];

/// What a person asked the program, not the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Save {
        file: PathBuf,
        n: Option<usize>,
        replace: bool,
    },
    Run(Option<usize>),
    Attach(PathBuf),
    Copy(Option<usize>),
    Undo,
    Edit(Option<String>),
    Retry,
    Load(Option<String>),
    Remember(String),
    /// By number or words; nothing shows all.
    Forget(String),
    Clear,
    System(Option<String>),
    Model(Option<String>),
    Think(Option<bool>),
    Stats,
    Why,
    Quit,
    /// Known, but not with these arguments.
    Misused(&'static str),
    Unknown {
        name: String,
        nearest: Option<&'static str>,
    },
}

/// The command of `line`; `None` if the line is a message.
pub(crate) fn parse(line: &str) -> Option<Command> {
    let line = line.trim();
    let rest = line.strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    // A path or a comment (`/etc/hosts`, `// why`) is a message that happens to begin with a slash.
    if name.contains('/') {
        return None;
    }
    let arguments = arguments.trim();
    let text = (!arguments.is_empty()).then(|| arguments.to_owned());
    Some(match name {
        "help" | "h" | "?" => Command::Help,
        "save" => save(arguments, false),
        "save!" => save(arguments, true),
        "run" => number(arguments).map_or(Command::Misused("run"), Command::Run),
        "copy" => number(arguments).map_or(Command::Misused("copy"), Command::Copy),
        "attach" => text.map_or(Command::Misused("attach"), |file| {
            Command::Attach(file.into())
        }),
        "undo" => Command::Undo,
        "edit" => Command::Edit(text),
        "retry" => Command::Retry,
        "load" => Command::Load(text),
        "remember" => text.map_or(Command::Misused("remember"), Command::Remember),
        "forget" => Command::Forget(arguments.to_owned()),
        "clear" => Command::Clear,
        "system" => Command::System(text),
        "model" => Command::Model(text),
        "think" => match arguments {
            "" => Command::Think(None),
            "on" => Command::Think(Some(true)),
            "off" => Command::Think(Some(false)),
            _ => Command::Misused("think"),
        },
        "stats" => Command::Stats,
        "why" => Command::Why,
        "quit" | "q" | "exit" | "bye" => Command::Quit,
        name => Command::Unknown {
            name: name.to_owned(),
            nearest: nearest(name),
        },
    })
}

/// No number, or one; nothing if it is something else.
fn number(arguments: &str) -> Option<Option<usize>> {
    match arguments {
        "" => Some(None),
        n => n.parse().ok().map(Some),
    }
}

/// How a command is written.
pub(crate) fn usage(name: &str) -> String {
    let arguments = COMMANDS
        .iter()
        .find(|(n, ..)| *n == name)
        .map_or("", |(_, arguments, _)| arguments);
    format!("/{name} {arguments}").trim_end().to_owned()
}

/// The last word is the number if it is one and a file stands before it; a name may have blanks.
fn save(arguments: &str, replace: bool) -> Command {
    if arguments.is_empty() {
        return Command::Misused("save");
    }
    let split = arguments.rsplit_once(char::is_whitespace);
    let (file, n) = match split.and_then(|(file, n)| Some((file.trim_end(), n.parse().ok()?))) {
        Some((file, n)) => (file, Some(n)),
        None => (arguments, None),
    };
    Command::Save {
        file: file.into(),
        n,
        replace,
    }
}

/// The command most like `name`: one it begins, or one at most two slips away.
fn nearest(name: &str) -> Option<&'static str> {
    let names = COMMANDS.iter().map(|(n, ..)| *n);
    let begun = |n: &&str| !name.is_empty() && n.starts_with(name);
    names.clone().find(begun).or_else(|| {
        let slips = names.map(|n| (strsim::osa_distance(name, n), n));
        let (slips, n) = slips.min_by_key(|(slips, _)| *slips)?;
        (slips <= 2).then_some(n)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(line: &str) -> Option<&'static str> {
        match parse(line) {
            Some(Command::Unknown { nearest, .. }) => nearest,
            other => panic!("{line:?} gave {other:?}"),
        }
    }

    #[test]
    fn lines_that_are_messages() {
        for line in [
            "hello",
            "",
            "what is /save?",
            "/etc/hosts is what?",
            "// a comment",
            "1/2",
        ] {
            assert_eq!(parse(line), None, "for {line:?}");
        }
    }

    #[test]
    fn save_takes_a_file_and_a_number() {
        let save = |file: &str, n, replace| {
            Some(Command::Save {
                file: file.into(),
                n,
                replace,
            })
        };
        assert_eq!(parse("/save a.py"), save("a.py", None, false));
        assert_eq!(parse("/save a.py 2"), save("a.py", Some(2), false));
        assert_eq!(
            parse("/save! my file.py  12"),
            save("my file.py", Some(12), true)
        );
        assert_eq!(parse("/save 2"), save("2", None, false));
        assert_eq!(parse("/save a b"), save("a b", None, false));
        assert_eq!(parse("/save a -1"), save("a -1", None, false));
        assert_eq!(parse("/save"), Some(Command::Misused("save")));
    }

    #[test]
    fn slips_are_named() {
        assert_eq!(unknown("/sav x"), Some("save"));
        assert_eq!(unknown("/svae x"), Some("save"));
        assert_eq!(unknown("/sta"), Some("stats"));
        assert_eq!(unknown("/modell"), Some("model"));
        assert_eq!(unknown("/qiut"), Some("quit"));
        assert_eq!(unknown("/frobnicate"), None);
        assert_eq!(unknown("/"), None);
    }

    #[test]
    fn arguments() {
        assert_eq!(
            parse(" /system  Be brief. "),
            Some(Command::System(Some("Be brief.".into())))
        );
        assert_eq!(
            parse("/system\nline one\nline two"),
            Some(Command::System(Some("line one\nline two".into())))
        );
        assert_eq!(parse("/model"), Some(Command::Model(None)));
        assert_eq!(parse("/think maybe"), Some(Command::Misused("think")));
        assert_eq!(parse("/why"), Some(Command::Why));
        assert_eq!(parse("/run"), Some(Command::Run(None)));
        assert_eq!(parse("/run 2"), Some(Command::Run(Some(2))));
        assert_eq!(parse("/run x"), Some(Command::Misused("run")));
        assert_eq!(parse("/attach"), Some(Command::Misused("attach")));
        assert_eq!(parse("/copy"), Some(Command::Copy(None)));
        assert_eq!(parse("/edit a b"), Some(Command::Edit(Some("a b".into()))));
    }

    #[test]
    fn every_listed_command_is_understood() {
        for (name, ..) in COMMANDS {
            let line = if matches!(name, "save" | "remember") {
                format!("/{name} f")
            } else {
                format!("/{name}")
            };
            assert!(
                !matches!(parse(&line), None | Some(Command::Unknown { .. })),
                "{name}"
            );
        }
    }
}
