//! One recipe: TOML text into checked settings.
//!
//! Everything that can be wrong with a recipe is found here, before a model is loaded. `{…}` in `system`, `prompt` and
//! `last` name the input ([`PLACEHOLDERS`]) or a parameter of the recipe.
use crate::{
    error::{Error, Result},
    template::Template,
};
use reckon::{CheckLevel, Schema};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most bytes of a recipe.
pub const MOST_BYTES: usize = 64 << 10;
/// What every recipe may say in braces, besides its parameters.
pub const PLACEHOLDERS: [&str; 6] = ["input", "file", "name", "date", "labels", "fields"];
/// Most labels or fields.
const MOST_LABELS: usize = 200;
/// Most bytes of a label or field.
const LABEL: usize = 100;

/// A recipe that can be run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// By which it is run.
    pub name: String,
    /// What it is for, in one line.
    pub about: String,
    /// What it takes.
    #[serde(default)]
    pub input: Input,
    /// Standing instructions for the model.
    pub system: Option<String>,
    /// What the model is asked. With `{input}` the text stands there; without, documents stand before it as with
    /// `reckon ask -f`, and a summary of a long one is made part by part.
    pub prompt: String,
    /// What is asked once more about the answers to all windows.
    pub last: Option<String>,
    /// A JSON schema that answers are held to.
    pub schema: Option<String>,
    /// Instead of a schema: the names of texts to find, each absent or a string.
    pub fields: Option<Vec<String>>,
    /// The answer is one of these.
    pub labels: Option<Vec<String>>,
    /// How results are written.
    #[serde(default)]
    pub output: Output,
    /// What one answer is about.
    #[serde(default)]
    pub each: Each,
    /// How long inputs are cut.
    #[serde(default)]
    pub window: Window,
    /// Answers rest on what stands in the input: without a schema they end with quotations, with one each string is
    /// looked for.
    #[serde(default)]
    pub quote: bool,
    /// Sentences of an answer with a number or a calculation that the input does not have are left out.
    #[serde(default)]
    pub withhold: bool,
    /// How far numbers and conclusions are checked.
    #[serde(default)]
    pub check: CheckLevel,
    /// Longest answer in tokens.
    pub max_tokens: Option<usize>,
    /// Further placeholders with their values.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
}

/// What a recipe takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// Text, and the text of documents.
    #[default]
    Text,
    /// Documents and pictures.
    Documents,
    /// Recordings, or their text.
    Sound,
    /// A folder of documents.
    Folder,
    /// A Maildir, an mbox file or single mails.
    Mail,
    /// A difference between two versions of files.
    Diff,
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Output {
    /// As text, with a heading where there are several.
    #[default]
    Text,
    /// As a table of comma-separated values.
    Csv,
    /// As a JSON object a line.
    Jsonl,
}

/// What one answer is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Each {
    /// A file or a mail.
    #[default]
    File,
    /// All files together.
    All,
}

/// How long inputs are cut into what is asked about at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Seconds of sound.
    pub seconds: Option<u32>,
    /// Lines of text.
    pub lines: Option<usize>,
}

impl Recipe {
    /// Reads and checks a recipe; `place` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Recipe`] says what is wrong.
    pub fn parse(text: &str, place: &str) -> Result<Self> {
        let refuse = |why: String| Error::Recipe {
            name: place.to_owned(),
            why,
        };
        if text.len() > MOST_BYTES {
            return Err(refuse(format!("longer than {MOST_BYTES} bytes")));
        }
        let recipe: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| {
                let before = text.get(..span.start).unwrap_or_default();
                before.matches('\n').count() + 1
            });
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            refuse(match line {
                Some(line) => format!("line {line}: {message}"),
                None => message,
            })
        })?;
        recipe.check().map_err(refuse)?;
        Ok(recipe)
    }

    fn check(&self) -> std::result::Result<(), String> {
        if !is_name(&self.name) {
            return Err("its name must be lowercase letters, digits and hyphens".into());
        }
        if self.about.trim().is_empty() || self.about.contains('\n') {
            return Err("about must be one line".into());
        }
        if self.prompt.trim().is_empty() {
            return Err("its prompt is empty".into());
        }
        if let Some(name) = self.parameters.keys().find(|name| !is_parameter(name)) {
            let fit = "lowercase letters and underscores, and not one of";
            return Err(format!(
                "a parameter is called {name:?}; it must be {fit} {}",
                PLACEHOLDERS.join(", ")
            ));
        }
        self.check_texts()?;
        self.check_form()?;
        if self
            .window
            .seconds
            .is_some_and(|seconds| !(5..=3600).contains(&seconds))
        {
            return Err("window.seconds must be from 5 to 3600".into());
        }
        if self.window.lines == Some(0) {
            return Err("window.lines must be at least 1".into());
        }
        Ok(())
    }

    fn check_texts(&self) -> std::result::Result<(), String> {
        let last = self.last.as_deref().unwrap_or_default();
        let system = self.system.as_deref().unwrap_or_default();
        for (key, text) in [
            ("prompt", self.prompt.as_str()),
            ("last", last),
            ("system", system),
        ] {
            let template = Template::parse(text).map_err(|why| format!("{key} has {why}"))?;
            for name in template.names() {
                let known = PLACEHOLDERS.contains(&name) || self.parameters.contains_key(name);
                if !known || (key == "system" && name == "input") {
                    let parameters = self.parameters.keys().map(String::as_str);
                    let all: Vec<&str> = PLACEHOLDERS.into_iter().chain(parameters).collect();
                    return Err(format!(
                        "{key} has the placeholder {{{name}}}; known are {}",
                        all.join(", ")
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_form(&self) -> std::result::Result<(), String> {
        let forms = [
            self.schema.is_some(),
            self.fields.is_some(),
            self.labels.is_some(),
        ];
        if forms.iter().filter(|&&is_set| is_set).count() > 1 {
            return Err("schema, fields and labels exclude each other".into());
        }
        let has_form = forms.contains(&true);
        if has_form && !self.takes_text() {
            return Err("a prompt with schema, fields or labels must have {input}".into());
        }
        if has_form && self.last.is_some() {
            return Err("last goes with text, not with schema, fields or labels".into());
        }
        if self.quote && !has_form && self.takes_text() {
            return Err(
                "quote without a schema finds passages itself: leave {input} out of the prompt"
                    .into(),
            );
        }
        if self.quote && self.labels.is_some() {
            return Err("labels are not in the text: leave quote out".into());
        }
        if self.last.is_some() && self.window == Window::default() {
            return Err("last needs a window".into());
        }
        if self.withhold && (has_form || !self.takes_text()) {
            return Err("withhold goes with text, and a prompt with {input}".into());
        }
        if let Some(schema) = &self.schema {
            Schema::new(schema.as_str()).map_err(|error| format!("schema: {error}"))?;
        }
        for (key, names) in [("labels", &self.labels), ("fields", &self.fields)] {
            check_names(key, names.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Whether the text stands within the prompt.
    pub(crate) fn takes_text(&self) -> bool {
        Template::has(&self.prompt, "input")
    }

    /// Whether what is asked depends on the day.
    pub(crate) fn is_dated(&self) -> bool {
        let texts = [Some(&self.prompt), self.system.as_ref(), self.last.as_ref()];
        let mut texts = texts.into_iter().flatten();
        texts.any(|text| Template::has(text, "date"))
    }

    /// Sets a parameter; `labels` and `fields` are lists with commas.
    ///
    /// # Errors
    /// [`Error::Setting`] if the recipe has no such parameter.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let list = || -> Vec<String> {
            let names = value.split(',').map(|name| name.trim().to_owned());
            names.filter(|name| !name.is_empty()).collect()
        };
        if let Some(parameter) = self.parameters.get_mut(key) {
            value.clone_into(parameter);
        } else if let Some(labels) = self.labels.as_mut().filter(|_| key == "labels") {
            *labels = list();
        } else if let Some(fields) = self.fields.as_mut().filter(|_| key == "fields") {
            *fields = list();
        } else {
            let name = &self.name;
            return Err(Error::Setting(match self.settings().as_slice() {
                [] => format!("{name} has nothing to set"),
                all => format!("{name} has no setting {key:?}; it has {}", all.join(", ")),
            }));
        }
        self.check().map_err(Error::Setting)
    }

    /// What can be set.
    pub fn settings(&self) -> Vec<&str> {
        let lists = [
            self.labels.as_ref().map(|_| "labels"),
            self.fields.as_ref().map(|_| "fields"),
        ];
        let parameters = self.parameters.keys().map(String::as_str);
        lists.into_iter().flatten().chain(parameters).collect()
    }

    /// Holds answers to another schema.
    ///
    /// # Errors
    /// [`Error::Setting`] if the recipe cannot have one.
    pub fn set_schema(&mut self, schema: String) -> Result<()> {
        self.schema = Some(schema);
        (self.fields, self.labels) = (None, None);
        self.check().map_err(Error::Setting)
    }

    /// The schema that answers are held to, made of labels or fields where it has those.
    ///
    /// # Errors
    /// [`Error::Setting`] for labels or fields that were not set.
    pub fn form(&self) -> Result<Option<String>> {
        let needs = |key| {
            Error::Setting(format!(
                "{} needs {key}: --set {key}=one,another",
                self.name
            ))
        };
        if let Some(labels) = &self.labels {
            return match labels.is_empty() {
                true => Err(needs("labels")),
                false => Ok(Some(json!({ "enum": labels }).to_string())),
            };
        }
        if let Some(fields) = &self.fields {
            if fields.is_empty() {
                return Err(needs("fields"));
            }
            let text = || json!({ "type": ["string", "null"] });
            let properties = fields.iter().map(|field| (field.clone(), text()));
            let properties: serde_json::Map<String, Value> = properties.collect();
            let schema = json!({
                "type": "object", "properties": properties, "required": fields, "additionalProperties": false,
            });
            return Ok(Some(schema.to_string()));
        }
        Ok(self.schema.clone())
    }
}

/// Whether a recipe may be called this.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=40).contains(&name.len()) && name.chars().all(fits) && !name.starts_with('-')
}

fn is_parameter(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c == '_';
    (1..=40).contains(&name.len()) && name.chars().all(fits) && !PLACEHOLDERS.contains(&name)
}

fn check_names(key: &str, names: &[String]) -> std::result::Result<(), String> {
    if names.len() > MOST_LABELS {
        return Err(format!("more than {MOST_LABELS} {key}"));
    }
    for (at, name) in names.iter().enumerate() {
        let fits = !name.trim().is_empty() && name.len() <= LABEL;
        if !fits || name.contains(|c: char| c.is_control()) {
            return Err(format!(
                "{key}: each must be one line of at most {LABEL} bytes"
            ));
        }
        if names[..at].contains(name) {
            return Err(format!("{key}: {name:?} is there twice"));
        }
    }
    Ok(())
}
