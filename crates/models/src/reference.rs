//! Names that lead out of the catalogue: `hf.co/OWNER/REPO[:PICK]`, `ollama/NAME[:TAG]`, `lmstudio/OWNER/REPO[:PICK]`.
//!
//! PICK is a quantisation (`Q4_K_M`, in any case) or the name of a file. A name becomes paths and addresses, so each of its
//! words is checked here, once. What has such a prefix is a name, not a path: a file in a directory `hf.co` is `./hf.co/…`.
use crate::{
    Error, ErrorKind, Result,
    catalogue::is_word,
    locate::{is_gguf, is_path},
};

/// How the hub's names may begin: as Ollama writes them, and as a browser shows them.
const HUB: [&str; 4] = [
    "hf.co/",
    "huggingface.co/",
    "https://hf.co/",
    "https://huggingface.co/",
];

/// Where Ollama keeps what `ollama pull NAME` brought, below its manifests.
const OLLAMA_LIBRARY: &str = "registry.ollama.ai/library";

/// A name taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference<'a> {
    /// A repository of the Hugging Face hub.
    Hub(Pick<'a>),
    /// The same, of the files that LM Studio fetched.
    LmStudio(Pick<'a>),
    /// A manifest of Ollama: its directory below `manifests`, and the tag.
    Ollama { directory: String, tag: &'a str },
}

/// A repository and which of its files is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick<'a> {
    /// `owner/name`.
    pub(crate) repository: &'a str,
    /// A quantisation or a file; without, the usual one.
    pub(crate) pick: Option<&'a str>,
}

impl<'a> Reference<'a> {
    /// Nothing if this is no such name; an error if it begins like one and cannot be one.
    pub(crate) fn parse(text: &'a str) -> Option<Result<Self>> {
        if let Some(rest) = HUB.iter().find_map(|hub| text.strip_prefix(hub)) {
            let pick = Pick::parse(rest).ok_or_else(|| malformed(text));
            return Some(pick.map(Self::Hub));
        }
        // A relative path to a file of such a directory was a path before these names were.
        if is_gguf(text) && !text.contains(':') {
            return None;
        }
        if let Some(rest) = text.strip_prefix("lmstudio/") {
            return Pick::parse(rest).map(|pick| Ok(Self::LmStudio(pick)));
        }
        ollama(text.strip_prefix("ollama/")?).map(Ok)
    }
}

impl<'a> Pick<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (repository, pick) = match text.split_once(':') {
            Some((repository, pick)) => (repository, Some(pick)),
            None => (text, None),
        };
        let is_repository = repository.split('/').count() == 2
            && repository.split('/').all(is_word)
            && pick.is_none_or(|pick| pick.split('/').all(is_word));
        // Ollama's way to say "the usual one".
        let pick = pick.filter(|pick| !pick.eq_ignore_ascii_case("latest"));
        is_repository.then_some(Self { repository, pick })
    }
}

fn ollama(text: &str) -> Option<Reference<'_>> {
    let (name, tag) = text.split_once(':').unwrap_or((text, "latest"));
    let words = name.split('/').count();
    if !is_word(tag) || !name.split('/').all(is_word) {
        return None;
    }
    let directory = match words {
        1 => format!("{OLLAMA_LIBRARY}/{name}"),
        2 => format!("registry.ollama.ai/{name}"),
        3 => name.to_owned(),
        _ => return None,
    };
    Some(Reference::Ollama { directory, tag })
}

/// What a person types for a manifest of Ollama.
pub(crate) fn ollama_name(directory: &str, tag: &str) -> String {
    let short = directory
        .strip_prefix(OLLAMA_LIBRARY)
        .and_then(|name| name.strip_prefix('/'))
        .or_else(|| directory.strip_prefix("registry.ollama.ai/"))
        .unwrap_or(directory);
    format!("ollama/{short}:{tag}")
}

/// The repository, `owner/name`, that a name of the hub means, and the quantisation or file, if it names one.
pub fn hub_repository(name: &str) -> Result<(&str, Option<&str>)> {
    match Reference::parse(name) {
        Some(Ok(Reference::Hub(pick))) => Ok((pick.repository, pick.pick)),
        Some(Err(error)) => Err(error),
        _ => Err(malformed(name)),
    }
}

/// Whether the hub would be asked for this name: `hf.co/OWNER/REPO`, rightly spelled or not.
pub fn is_hub_name(name: &str) -> bool {
    HUB.iter().any(|hub| name.starts_with(hub))
}

fn malformed(text: &str) -> Error {
    let what = format!("{text} is not a name of the hub");
    let hint = "write hf.co/OWNER/REPO or hf.co/OWNER/REPO:Q4_K_M";
    Error::new(ErrorKind::NotFound, what).with_hint(hint)
}

/// Whether a name of ours may be this: one line without a path or a prefix that means something else.
pub(crate) fn may_be_alias(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:".contains(c);
    !name.is_empty() && name.len() <= 200 && name.chars().all(plain) && !is_path(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_hub() {
        let pick = |repository, pick| Some(Ok(Reference::Hub(Pick { repository, pick })));
        assert_eq!(Reference::parse("hf.co/o/r"), pick("o/r", None));
        assert_eq!(Reference::parse("hf.co/o/r:latest"), pick("o/r", None));
        for (text, wanted) in [
            ("hf.co/o/r:Q4_K_M", "Q4_K_M"),
            ("huggingface.co/o/r:q8_0", "q8_0"),
            ("https://huggingface.co/o/r:UD-Q4_K_XL", "UD-Q4_K_XL"),
            ("https://hf.co/o/r:m.gguf", "m.gguf"),
            (
                "hf.co/o/r:BF16/m-00001-of-00002.gguf",
                "BF16/m-00001-of-00002.gguf",
            ),
        ] {
            assert_eq!(Reference::parse(text), pick("o/r", Some(wanted)));
        }
        for wrong in [
            "hf.co/",
            "hf.co/o",
            "hf.co/o/r/more",
            "hf.co/../r",
            "hf.co/o/r:",
            "hf.co/o/r:../../x",
            "hf.co/o/r?x=1",
            "hf.co/o/r:Q4:Q5",
            "hf.co//r",
            "https://hf.co/o/r/blob/main/m.gguf",
        ] {
            assert!(Reference::parse(wrong).unwrap().is_err(), "{wrong}");
            assert!(is_hub_name(wrong) && !is_path(wrong), "{wrong}");
        }
    }

    #[test]
    fn names_of_other_stores() {
        let ollama = |directory: &str, tag| {
            let directory = directory.to_owned();
            Some(Ok(Reference::Ollama { directory, tag }))
        };
        let library = "registry.ollama.ai/library/llama3.2";
        assert_eq!(
            Reference::parse("ollama/llama3.2"),
            ollama(library, "latest")
        );
        assert_eq!(
            Reference::parse("ollama/llama3.2:1b"),
            ollama(library, "1b")
        );
        let own = "registry.ollama.ai/me/mine";
        assert_eq!(Reference::parse("ollama/me/mine:x"), ollama(own, "x"));
        assert_eq!(
            Reference::parse("ollama/hf.co/o/r:Q8_0"),
            ollama("hf.co/o/r", "Q8_0")
        );
        for (directory, name) in [
            (library, "ollama/llama3.2:1b"),
            (own, "ollama/me/mine:1b"),
            ("hf.co/o/r", "ollama/hf.co/o/r:1b"),
        ] {
            assert_eq!(ollama_name(directory, "1b"), name);
        }
        let lm_studio = Reference::parse("lmstudio/o/r:Q8_0").unwrap().unwrap();
        let (repository, pick) = ("o/r", Some("Q8_0"));
        assert_eq!(lm_studio, Reference::LmStudio(Pick { repository, pick }));
        for path in [
            "ollama/m.gguf",
            "lmstudio/o/r/m.gguf",
            "lmstudio/o",
            "ollama/../x",
            "ollama/a/b/c/d",
            "./hf.co/o/r",
            "models/hf.co/o/r",
            "m.gguf",
            "plain",
        ] {
            assert!(Reference::parse(path).is_none(), "{path}");
        }
    }

    #[test]
    fn an_alias_is_a_word() {
        assert!(may_be_alias("gpt-4o") && may_be_alias("llama3:8b"));
        for wrong in ["", "a b", "a/b", "x.gguf", "hf.co/o/r", "a\nb", "../x"] {
            assert!(!may_be_alias(wrong), "{wrong}");
        }
    }
}
