//! What the hub says about repositories: the files of one with sizes and digests, and a search for them.
//!
//! One answer of `api/models/OWNER/REPO` has everything that a person wants to know before a fetch. Answers are bounded
//! (`download`), names that could not be a path are left out, and all text is cleaned before anybody sees it.
use crate::{
    Error, ErrorKind, RepositoryFile, Result, Store, Variant,
    catalogue::{is_sha256, is_word},
    download::Client,
    hub::{self, is_commit, unusable},
    text::plain,
    variant,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use ureq::http::HeaderMap;

/// Most repositories of one search: each is asked about by itself.
const MOST_FOUND: usize = 30;

/// Architectures that have eyes and ears here: of these, and only of these, the encoders are wanted.
const WITH_SENSES: [&str; 1] = ["gemma4"];

/// A repository of the hub as far as it concerns models.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repository {
    /// `owner/name`.
    pub name: String,
    /// The commit that all of this is about.
    pub commit: String,
    /// As the hub's tag says, for example `apache-2.0`.
    pub licence: Option<String>,
    /// Whether its licence must be accepted first.
    pub is_gated: bool,
    /// How often it was fetched lately.
    pub downloads: Option<u64>,
    /// `general.architecture` of its files.
    pub architecture: Option<String>,
    /// Tokens of context that it was trained for.
    pub n_ctx: Option<u64>,
    /// Weights in all.
    pub parameters: Option<u64>,
    /// Whether its files have a chat template.
    pub has_template: bool,
    /// The models, the smallest first.
    pub variants: Vec<Variant>,
    /// The encoders, if the architecture has senses here.
    pub mmproj: Option<RepositoryFile>,
}

impl Store {
    /// Asks the hub about a repository, `owner/name`.
    pub fn repository(&self, name: &str) -> Result<Repository> {
        self.need_network(&format!("the hub must be asked about {name}"))?;
        let client = self.client()?;
        self.ask_repository(&client, name)
    }

    /// Repositories with GGUF files that fit these words, the most fetched first.
    pub fn search(&self, words: &str, limit: usize) -> Result<Vec<Repository>> {
        self.need_network("a search needs the network")?;
        let client = self.client()?;
        let (words, limit) = (encoded(&plain(words, 200)), limit.clamp(1, MOST_FOUND));
        let path = format!(
            "/api/models?search={words}&filter=gguf&sort=downloads&direction=-1&limit={limit}"
        );
        let found: Vec<Listed> = self.json(&client, &path, "")?;
        let mut repositories = Vec::new();
        for one in found.into_iter().take(limit) {
            if !is_repository(&one.id) {
                continue;
            }
            match self.ask_repository(&client, &one.id) {
                Ok(repository) => repositories.push(repository),
                // One that may not be seen, or went meanwhile, is no reason to hide the others.
                Err(error) if matches!(error.kind(), ErrorKind::Denied | ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(repositories)
    }

    fn client(&self) -> Result<Client> {
        Client::new(self).map_err(|error| unusable(error.kind(), &error, self))
    }

    fn need_network(&self, what: &str) -> Result<()> {
        if !self.offline {
            return Ok(());
        }
        let what = format!("{what}, and the network is forbidden");
        Err(Error::new(ErrorKind::Offline, what).with_hint("run again without --offline"))
    }

    fn ask_repository(&self, client: &Client, name: &str) -> Result<Repository> {
        let info: Info = self.json(client, &format!("/api/models/{name}?blobs=true"), name)?;
        info.checked(name).ok_or_else(|| {
            let what = "what answers there is not a model hub";
            unusable(ErrorKind::Unreachable, what, self)
        })
    }

    /// An answer of the hub's API; a repository that moved is followed within the hub.
    fn json<T: DeserializeOwned>(
        &self,
        client: &Client,
        path: &str,
        repository: &str,
    ) -> Result<T> {
        let away = |what: &str| unusable(ErrorKind::Unreachable, what, self);
        let mut url = format!("{}{path}", self.hub_endpoint);
        for _ in 0..4 {
            let (status, headers, body) =
                client.get(&url).map_err(|error| away(&error.to_string()))?;
            let moved = hub::text(&headers, "location").filter(|to| to.starts_with('/'));
            match status {
                300..=399 if moved.is_some() => {
                    url = format!("{}{}", self.hub_endpoint, moved.unwrap_or_default());
                }
                200 => {
                    let answer = serde_json::from_slice(&body);
                    return answer.map_err(|_| away("what answers there is not a model hub"));
                }
                // The hub does not tell strangers whether a repository is private or not there.
                401 | 404 if is_unknown(status, &headers) && !repository.is_empty() => {
                    return Err(no_repository(repository));
                }
                401 | 403 => return Err(hub::denied(status, repository, self)),
                status => return Err(away(&format!("it answered {status}"))),
            }
        }
        Err(away("it sends us around in circles"))
    }
}

impl Repository {
    /// The model that this quantisation or file name means; without one, the usual one.
    pub fn choose(&self, pick: Option<&str>) -> Result<&Variant> {
        variant::choose(&self.variants, pick, &format!("hf.co/{}", self.name))
    }
}

fn is_unknown(status: u16, headers: &HeaderMap) -> bool {
    status == 404 || hub::text(headers, "x-error-code") == Some("RepoNotFound")
}

fn no_repository(name: &str) -> Error {
    let what = format!("the hub has no repository {name}, or it is private");
    let hint = "`reckon models search WORDS` finds repositories; HF_TOKEN opens private ones";
    Error::new(ErrorKind::NotFound, what).with_hint(hint)
}

/// A row of a search.
#[derive(Deserialize)]
struct Listed {
    id: String,
}

/// The hub's own words about a repository; whatever else it says is ignored.
#[derive(Deserialize)]
struct Info {
    sha: String,
    #[serde(default)]
    gated: Value,
    #[serde(default)]
    downloads: Option<u64>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    siblings: Vec<Sibling>,
    #[serde(default)]
    gguf: Option<Gguf>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    #[serde(default)]
    size: Option<u64>,
    #[serde(default)]
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: String,
    size: u64,
}

/// What the hub read in one of the files.
#[derive(Default, Deserialize)]
struct Gguf {
    #[serde(default)]
    total: Option<u64>,
    #[serde(default)]
    architecture: Option<String>,
    #[serde(default)]
    context_length: Option<u64>,
    #[serde(default)]
    chat_template: Option<Value>,
}

impl Info {
    fn checked(self, name: &str) -> Option<Repository> {
        let files: Vec<RepositoryFile> = self
            .siblings
            .into_iter()
            .filter_map(Sibling::checked)
            .collect();
        let gguf = self.gguf.unwrap_or_default();
        let architecture = gguf.architecture.map(|text| plain(&text, 40));
        let senses = architecture
            .as_deref()
            .is_some_and(|name| WITH_SENSES.contains(&name));
        let licence = self
            .tags
            .iter()
            .find_map(|tag| tag.strip_prefix("license:"));
        is_commit(&self.sha).then(|| Repository {
            name: name.to_owned(),
            commit: self.sha,
            licence: licence.map(|text| plain(text, 60)),
            is_gated: !matches!(self.gated, Value::Null | Value::Bool(false)),
            downloads: self.downloads,
            n_ctx: gguf.context_length,
            parameters: gguf.total,
            has_template: gguf.chat_template.is_some_and(|value| !value.is_null()),
            mmproj: variant::mmproj(&files).filter(|_| senses).cloned(),
            variants: variant::variants(files),
            architecture,
        })
    }
}

impl Sibling {
    fn checked(self) -> Option<RepositoryFile> {
        let is_plain =
            self.rfilename.split('/').count() <= 4 && self.rfilename.split('/').all(is_word);
        let sha256 = self.lfs.as_ref().map(|lfs| lfs.sha256.clone());
        let bytes = self.lfs.map(|lfs| lfs.size).or(self.size);
        (is_plain && sha256.as_deref().is_none_or(is_sha256)).then_some(RepositoryFile {
            path: self.rfilename,
            bytes: bytes?,
            sha256,
        })
    }
}

fn is_repository(name: &str) -> bool {
    name.split('/').count() == 2 && name.split('/').all(is_word)
}

/// Text as a value in an address.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
