//! How a command ends: errors in, one line on stderr and an exit code out.
//!
//! A [`Failure`] says itself what kind it is. Errors of the libraries are sorted by [`Kind::of`]; anything else is
//! `Failed`. Text from errors may quote hostile files: it is clipped, and nothing in it steers a terminal.
//! A closed pipe is not an error: who closed it has seen enough.
use crate::printable::one_line;
use reckon_lab::lock::LockError;
use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

/// What kind of failure it was; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It did not work: 1.
    Failed,
    /// The command line makes no sense: 2.
    Usage,
    /// No usable model: missing, corrupt, unknown, not to be fetched: 3.
    Model,
    /// What was to be read is too long or unreadable: 4.
    Input,
}

impl Kind {
    /// The exit code of the contract.
    pub fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Model => 3,
            Self::Input => 4,
        }
    }

    /// The kind of the first cause that has one.
    pub fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(kind).unwrap_or(Self::Failed)
    }
}

fn kind(cause: &(dyn std::error::Error + 'static)) -> Option<Kind> {
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        return Some(failure.kind);
    }
    if let Some(error) = cause.downcast_ref::<reckon::Error>() {
        use reckon::Error;
        match error {
            // Sorted below, by what the engine says.
            Error::Model(_) | Error::Input(_) => {}
            Error::Remote { .. } | Error::Offline { .. } | Error::Unsupported(_) => {
                return Some(Kind::Model);
            }
            Error::Attachment(_) | Error::Password { .. } => return Some(Kind::Input),
            Error::Address { .. } | Error::KeyInClear { .. } | Error::Settings(_) => {
                return Some(Kind::Usage);
            }
            _ => return Some(Kind::Failed),
        }
    }
    if let Some(reckon::assistant::Error::Remote { .. }) = cause.downcast_ref() {
        return Some(Kind::Model);
    }
    if let Some(error) = engine(cause) {
        use reckon::engine::Error;
        return Some(match error {
            Error::ContextFull { .. }
            | Error::Token { .. }
            | Error::Grammar(_)
            | Error::EmptyPrompt => Kind::Input,
            _ => Kind::Model,
        });
    }
    if let Some(error) = cause.downcast_ref::<reckon_lab::Error>() {
        return Some(match error {
            reckon_lab::Error::Line { .. }
            | reckon_lab::Error::Plan(_)
            | reckon_lab::Error::Seal { .. } => Kind::Input,
            reckon_lab::Error::File { why, .. } if why.kind() == io::ErrorKind::NotFound => {
                Kind::Input
            }
            _ => Kind::Failed,
        });
    }
    if let Some(error) = cause.downcast_ref::<reckon_batch::Error>() {
        use reckon_batch::Error;
        return Some(match error {
            Error::Invalid(_) => Kind::Usage,
            Error::NoBatch(_) | Error::Changed(_) | Error::NotAQueue(_) => Kind::Input,
            _ => Kind::Failed,
        });
    }
    if let Some(error) = cause.downcast_ref::<reckon_bot::Error>() {
        use reckon_bot::Error;
        return Some(match error {
            Error::Token(_) | Error::Settings(_) => Kind::Usage,
            _ => Kind::Failed,
        });
    }
    if let Some(error) = cause.downcast_ref::<reckon_recipe::Error>() {
        use reckon_recipe::Error;
        return Some(match error {
            Error::Unknown { .. } | Error::Setting(_) => Kind::Usage,
            Error::Recipe { .. } | Error::Input(_) | Error::Exists { .. } => Kind::Input,
            Error::Model(error) => return kind(error).or(Some(Kind::Failed)),
            _ => Kind::Failed,
        });
    }
    if cause.is::<LockError>() {
        return Some(Kind::Input);
    }
    // Whatever stands between a name and its file, the command has no model to use.
    let model = cause.is::<reckon::models::Error>() || cause.is::<reckon::gguf::Error>();
    model.then_some(Kind::Model)
}

/// The engine's error in a cause, which the layers above it pass on as it is.
fn engine<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a reckon::engine::Error> {
    if let Some(error) = cause.downcast_ref() {
        return Some(error);
    }
    if let Some(reckon::assistant::Error::Engine(error)) = cause.downcast_ref() {
        return Some(error);
    }
    match cause.downcast_ref() {
        Some(reckon::Error::Model(error) | reckon::Error::Input(error)) => Some(error),
        _ => None,
    }
}

/// An error with its kind and, where we know one, a hint at the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Decides the exit code.
    pub kind: Kind,
    /// What went wrong: a lowercase fragment without a full stop.
    pub what: String,
    /// What the person can do about it.
    pub hint: Option<String>,
}

impl Failure {
    fn new(kind: Kind, what: impl Into<String>) -> Self {
        let what = what.into();
        Self {
            kind,
            what,
            hint: None,
        }
    }

    /// Exit code 1.
    pub fn failed(what: impl Into<String>) -> Self {
        Self::new(Kind::Failed, what)
    }

    /// Exit code 2.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(Kind::Usage, what)
    }

    /// Exit code 3.
    pub fn model(what: impl Into<String>) -> Self {
        Self::new(Kind::Model, what)
    }

    /// Exit code 4.
    pub fn input(what: impl Into<String>) -> Self {
        Self::new(Kind::Input, what)
    }

    /// Adds a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)
    }
}

impl std::error::Error for Failure {}

/// Prints the error as one line and gives its exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if error.chain().any(is_broken_pipe) {
        return ExitCode::SUCCESS;
    }
    print(&line(error));
    ExitCode::from(Kind::of(error).code())
}

/// Says something on stderr that is not the end of the command.
pub(crate) fn notice(what: &str) {
    print(&one_line(what));
}

/// Prints clap's stop: help and version as they are, a usage error as one line.
pub(crate) fn clap(stop: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    match stop.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe is the only way this fails.
            let _ = stop.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = stop.print();
            ExitCode::from(Kind::Usage.code())
        }
        _ => {
            print(&usage_line(&stop.to_string()));
            ExitCode::from(Kind::Usage.code())
        }
    }
}

fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn line(error: &anyhow::Error) -> String {
    let what = one_line(&format!("{error:#}"));
    match error.chain().find_map(hint) {
        Some(hint) => format!("{what} (hint: {})", one_line(hint)),
        None => what,
    }
}

/// The way out that a failure names itself, or that we know for an error of the libraries.
fn hint<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a str> {
    use reckon::engine::Error;
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        return failure.hint.as_deref();
    }
    if let Some(error) = cause.downcast_ref::<reckon::models::Error>() {
        return error.hint();
    }
    match cause.downcast_ref() {
        Some(reckon::Error::Address { .. }) => {
            return Some("for example http://localhost:11434/v1");
        }
        Some(reckon::Error::KeyInClear { .. }) => {
            return Some("use https, or leave RECKON_API_KEY and OPENAI_API_KEY unset");
        }
        Some(reckon::Error::Offline { .. }) => {
            return Some("leave out --offline, or ask a server on localhost");
        }
        _ => {}
    }
    match engine(cause) {
        Some(Error::ContextFull { .. }) => {
            Some("--ctx N allows up to what the model has; or give it less text")
        }
        Some(Error::Gguf(error)) => unfinished(error),
        _ => cause
            .downcast_ref::<reckon::gguf::Error>()
            .and_then(unfinished),
    }
}

fn unfinished(error: &reckon::gguf::Error) -> Option<&'static str> {
    use reckon::gguf::Error;
    match error.reason() {
        Error::Empty | Error::Truncated { .. } | Error::Count { .. } => {
            Some("the download may be unfinished: fetch the file again")
        }
        _ => None,
    }
}

/// Clap's message has its sentence first, then tips, then the usage: one line of the first two.
fn usage_line(rendered: &str) -> String {
    let mut what = Vec::new();
    let mut tips = Vec::new();
    for text in rendered.lines().map(str::trim) {
        if text.starts_with("Usage:") || text.starts_with("For more information") {
            break;
        }
        match text.strip_prefix("tip: ") {
            Some(tip) => tips.push(tip.trim()),
            None if !text.is_empty() => what.push(text),
            None => {}
        }
    }
    let what = what.join(" ");
    let what = what.strip_prefix("error: ").unwrap_or(&what);
    if tips.is_empty() {
        tips.push("`reckon --help` shows what is possible");
    }
    let tips = one_line(&tips.join("; "));
    format!("{} (hint: {tips})", one_line(what))
}

fn print(line: &str) {
    // Nobody is left to tell when stderr is gone.
    let _ = writeln!(io::stderr().lock(), "reckon: {line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn kinds_of_the_engine() {
        use reckon::engine::Error;
        let full = Error::ContextFull {
            asked: 9,
            allowed: 8,
        };
        for (error, kind) in [
            (full, Kind::Input),
            (Error::Model("x".into()), Kind::Model),
            (Error::Grammar("x".into()), Kind::Input),
            (Error::Template("x".into()), Kind::Model),
        ] {
            let wrapped = Err::<(), _>(error).context("while asking").unwrap_err();
            assert_eq!(Kind::of(&wrapped), kind);
        }
        assert_eq!(Kind::of(&anyhow::anyhow!("x")), Kind::Failed);
        let codes = [Kind::Failed, Kind::Usage, Kind::Model, Kind::Input].map(Kind::code);
        assert_eq!(codes, [1, 2, 3, 4]);
    }

    #[test]
    fn one_line_without_control_characters() {
        let hostile = Failure::model("name \u{1b}[31m\nred").hint("look\there");
        let error = anyhow::Error::from(hostile).context("loading");
        assert_eq!(line(&error), "loading: name  [31m red (hint: look here)");
        let turned = Failure::model("gguf.\u{202e}exe\u{2069}").hint("x");
        assert_eq!(line(&turned.into()), "gguf. exe  (hint: x)");
    }

    #[test]
    fn a_long_quotation_is_clipped_and_the_hint_stays() {
        let long = Failure::model("x".repeat(1 << 20)).hint("fetch it again");
        let said = line(&long.into());
        assert!(
            said.len() < 1000 && said.ends_with("… (hint: fetch it again)"),
            "{}",
            said.len()
        );
    }

    #[test]
    fn a_server_that_is_away_is_not_a_model_that_cannot_be_run() {
        let remote = || reckon::assistant::Error::Remote {
            model: "m".into(),
            url: "http://localhost".into(),
            why: "refused".into(),
        };
        for error in [
            anyhow::Error::from(remote()),
            reckon::Error::from(remote()).into(),
        ] {
            assert_eq!(Kind::of(&error), Kind::Model);
            assert_eq!(line(&error), "m at http://localhost: refused");
        }
        let full = reckon::engine::Error::ContextFull {
            asked: 9,
            allowed: 8,
        };
        let full = anyhow::Error::from(reckon::Error::from(full));
        assert_eq!(Kind::of(&full), Kind::Input);
        assert!(line(&full).contains("hint: --ctx"));
    }

    #[test]
    fn errors_of_the_libraries_have_a_way_out() {
        let full = reckon::engine::Error::ContextFull {
            asked: 9,
            allowed: 8,
        };
        let said = line(&full.into());
        assert!(said.starts_with("context full: 9 tokens asked for, 8 allowed (hint: --ctx"));
        let empty = || reckon::gguf::File::parse(Vec::new()).unwrap_err();
        for error in [
            anyhow::Error::from(empty()),
            reckon::engine::Error::from(empty()).into(),
        ] {
            assert!(line(&error).contains("(hint: the download"), "{error:#}");
        }
    }

    #[test]
    fn usage_keeps_the_sentence_and_the_tip() {
        let rendered =
            "error: unexpected argument '--x' found\n\n  tip: try '--y'\n\nUsage: reckon\n";
        assert_eq!(
            usage_line(rendered),
            "unexpected argument '--x' found (hint: try '--y')"
        );
    }
}
