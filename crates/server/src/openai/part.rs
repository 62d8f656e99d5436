//! Parts of a message as OpenAI's clients write them: text, and files of three kinds in several shapes.
use crate::{attachment::SentFile, error::Problem};
use serde::Deserialize;
use serde_json::Value;
#[cfg(test)]
use utoipa::ToSchema;

/// Text, or parts of it.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = MessageContent))]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of a message; which of the fields count depends on its type. Chat completions nest a file's fields, responses
/// do not.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ContentPart))]
pub(crate) struct Part {
    /// `text`, `image_url`, `input_audio` or `file`; of responses `input_text`, `input_image` or `input_file`.
    #[serde(rename = "type", default)]
    kind: String,
    text: Option<String>,
    /// A data URL, alone or as `{"url": …}`; nothing is fetched.
    image_url: Option<Value>,
    input_audio: Option<WireFile>,
    file: Option<WireFile>,
    #[serde(flatten)]
    own: WireFile,
}

/// A file of a message: its bytes, or the id of one that was uploaded.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = SentFile))]
struct WireFile {
    /// Sound, in base64.
    data: Option<String>,
    /// A document or picture, in base64 or as a data URL.
    file_data: Option<String>,
    filename: Option<String>,
    /// Of `/v1/files`.
    file_id: Option<String>,
    file_url: Option<String>,
}

impl Content {
    /// The text, and the files; what is neither is refused by its name.
    pub(crate) fn split(self) -> Result<(String, Vec<SentFile>), Problem> {
        let parts = match self {
            Self::Text(text) => return Ok((text, Vec::new())),
            Self::Parts(parts) => parts,
        };
        let (mut texts, mut files) = (Vec::new(), Vec::new());
        for part in parts {
            match part.kind.as_str() {
                "text" | "input_text" | "output_text" | "summary_text" => {
                    texts.push(part.text.unwrap_or_default());
                }
                _ => {
                    let number = files.len() + 1;
                    files.push(part.file(number)?);
                }
            }
        }
        Ok((texts.join("\n"), files))
    }
}

impl Part {
    /// The file that it is; `number` is how it is called where it has no name.
    fn file(self, number: usize) -> Result<SentFile, Problem> {
        let name = format!("attachment {number}");
        match self.kind.as_str() {
            "image_url" | "input_image" => {
                let inner = |key: &str| {
                    let object = self.image_url.as_ref().and_then(Value::as_object);
                    object.and_then(|object| object.get(key)?.as_str())
                };
                if let Some(id) = self.own.file_id.as_deref().or_else(|| inner("file_id")) {
                    return Ok(SentFile::uploaded(None, id.to_owned()));
                }
                let plain = self.image_url.as_ref().and_then(Value::as_str);
                let url = inner("url").or(plain);
                SentFile::encoded(&name, url.ok_or_else(|| missing(&name, "image_url"))?)
            }
            "input_audio" => {
                let data = self.input_audio.unwrap_or(self.own).data;
                let data = data.ok_or_else(|| missing(&name, "input_audio.data"))?;
                SentFile::encoded(&name, &data)
            }
            "file" | "input_file" => {
                let file = self.file.unwrap_or(self.own);
                if let Some(id) = file.file_id {
                    return Ok(SentFile::uploaded(file.filename, id));
                }
                let name = file.filename.unwrap_or(name);
                let data = file.file_data.or(file.file_url);
                SentFile::encoded(&name, &data.ok_or_else(|| missing(&name, "file_data"))?)
            }
            kind => {
                let kind: String = kind.chars().take(40).collect();
                let what = "this server reads text, pictures, sound and documents";
                Err(Problem::invalid(format!("{what}, not {kind}")))
            }
        }
    }
}

fn missing(name: &str, field: &str) -> Problem {
    let name: String = name.chars().take(80).collect();
    Problem::invalid(format!(
        "{name} has no {field}: send the file itself, in base64, or the file_id of one in /v1/files"
    ))
}
