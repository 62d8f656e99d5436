//! A place for one test: directories that go away, and a store that points at them.
use reckon_models::{Catalogue, Error, ErrorKind, Event, OtherStores, Patience, Programs, Store};
use std::{path::PathBuf, time::Duration};
use tempfile::TempDir;

/// Directories of one test.
pub(crate) struct Place {
    pub(crate) root: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// A store of these directories; quick to try again, without pip.
    pub(crate) fn store(&self, endpoint: &str, catalogue: &str) -> Store {
        Store {
            home: self.home(),
            hub_cache: self.root.path().join("hf").join("hub"),
            others: OtherStores {
                ollama: vec![self.root.path().join("ollama")],
                lm_studio: vec![self.root.path().join("lmstudio")],
            },
            hub_endpoint: endpoint.into(),
            hub_token: None,
            catalogue: Catalogue::parse(catalogue).unwrap(),
            pip: Vec::new(),
            programs: Programs::default(),
            patience: Patience {
                connect: Duration::from_secs(2),
                stall: Duration::from_secs(30),
                retries: 2,
                backoff: Duration::from_millis(1),
            },
            offline: false,
        }
    }
}

/// Hears nothing.
pub(crate) fn quiet(_: Event<'_>) {}

/// Keeps the notes.
pub(crate) fn noting(notes: &mut Vec<String>) -> impl FnMut(Event<'_>) {
    |event| {
        if let Event::Note(note) = event {
            notes.push(note.to_owned());
        }
    }
}

/// The error has this kind, and its message and hint have all these words.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(
    result: Result<T, Error>,
    kind: ErrorKind,
    words: &[&str],
) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error:?}");
    let text = format!("{error} {}", error.hint().unwrap_or_default());
    for word in words {
        assert!(text.contains(word), "no `{word}` in `{text}`");
    }
}
