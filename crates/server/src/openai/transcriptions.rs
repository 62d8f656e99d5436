//! `POST /v1/audio/transcriptions`: writes down what is said in a recording.
//!
//! A model that hears is asked window by window (`job.rs`), because it takes 30 seconds of sound at a time; a long
//! recording needs no more of the context than a short one. What comes of silence or music is up to the model.
mod subtitles;

use super::timings;
use crate::{
    attachment::SentFile,
    body,
    door::Visitor,
    error::{Dialect, Problem},
    job,
    multipart::Form,
    query::{Answered, Guarding, Happening, Prompt, Query, Speech},
    state::App,
    stream::{self, Encoder, data},
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use reckon::{CheckLevel, Overrides};
use serde_json::{Value, json};

/// Most bytes of a recording with the form around it; OpenAI takes 25 MB.
pub(crate) const MOST_BYTES: usize = 32 << 20;
/// Most characters of what a recording is about.
const MOST_HINT: usize = 2000;

/// How the text comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Verbose,
    Text,
    Srt,
    Vtt,
}

struct Wanted {
    query: Query,
    language: Option<String>,
    format: Format,
    streams: bool,
}

pub(crate) async fn handle(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let answered = answer(&app, &visitor, &headers, body).await;
    answered.unwrap_or_else(|problem| problem.conversation_is("file").speak(Dialect::OpenAi))
}

async fn answer(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let form = body::form(app, headers, body, MOST_BYTES).await?;
    let wanted = wanted(form)?;
    if wanted.streams {
        let running = job::start(app, wanted.query).await?;
        let events = Events {
            app: app.clone(),
            visitor: visitor.clone(),
        };
        return Ok(stream::respond(running, 1, events, app.place_headers()));
    }
    let answers = job::collect(app, wanted.query).await?;
    app.spend(visitor, &answers);
    let [answered] = &answers[..] else {
        return Err(Problem::internal("there is no answer"));
    };
    Ok(match wanted.format {
        Format::Text => plain("text/plain", format!("{}\n", answered.text)),
        Format::Srt => plain("text/plain", subtitles::srt(&answered.segments)),
        Format::Vtt => plain("text/vtt", subtitles::vtt(&answered.segments)),
        Format::Json => Json(whole(answered)).into_response(),
        Format::Verbose => Json(verbose(answered, wanted.language.as_deref())).into_response(),
    })
}

fn plain(kind: &str, text: String) -> Response {
    let kind = [(header::CONTENT_TYPE, format!("{kind}; charset=utf-8"))];
    (kind, text).into_response()
}

fn wanted(mut form: Form) -> Result<Wanted, Problem> {
    let file = form.take("file")?;
    let file = file.ok_or_else(|| Problem::invalid("there is no file").at("file"))?;
    let name = file.filename.filter(|name| !name.trim().is_empty());
    let name = name.unwrap_or_else(|| "the recording".to_owned());
    let file = SentFile::new(&name, file.bytes.to_vec()).map_err(|problem| problem.at("file"))?;
    if file.family() != reckon::media::Family::Sound {
        return Err(Problem::invalid(format!("{name} is no sound")).at("file"));
    }
    let format = match form.text("response_format")?.as_deref() {
        None | Some("json") => Format::Json,
        Some("verbose_json") => Format::Verbose,
        Some("text") => Format::Text,
        Some("srt") => Format::Srt,
        Some("vtt") => Format::Vtt,
        Some(_) => {
            let what = "response_format is json, text, verbose_json, srt or vtt";
            return Err(Problem::invalid(what).at("response_format"));
        }
    };
    let streams = match form.text("stream")?.as_deref() {
        None | Some("false" | "False" | "0" | "") => false,
        Some("true" | "True" | "1") => true,
        Some(_) => return Err(Problem::invalid("stream is true or false").at("stream")),
    };
    let language = form.text("language")?.filter(|text| !text.is_empty());
    let is_odd =
        |text: &String| text.len() > 32 || !text.chars().all(|c| c.is_alphanumeric() || c == '-');
    if language.as_ref().is_some_and(is_odd) {
        return Err(Problem::invalid("language is a word such as en").at("language"));
    }
    let hint = form.text("prompt")?.unwrap_or_default();
    if hint.chars().count() > MOST_HINT {
        let what = format!("prompt has at most {MOST_HINT} characters");
        return Err(Problem::invalid(what).at("prompt"));
    }
    let temperature = form.text("temperature")?.map(|text| text.parse());
    let temperature = temperature
        .transpose()
        .map_err(|_| Problem::invalid("temperature is a number").at("temperature"))?;
    let model = form.text("model")?;
    Ok(Wanted {
        query: Query {
            model,
            prompt: Prompt::Speech(Speech {
                language: language.clone(),
                file,
                hint,
            }),
            sampling: super::chat::checked(Overrides {
                // What was said is one text: the likeliest.
                temperature: Some(temperature.unwrap_or(0.0)),
                ..Overrides::default()
            })?,
            guards: Guarding {
                on: false,
                check: CheckLevel::Off,
            },
            ignored: form.rest(),
            n: 1,
            ..Query::default()
        },
        language,
        format,
        streams,
    })
}

fn whole(answered: &Answered) -> Value {
    let usage = answered.usage;
    json!({
        "text": answered.text,
        "usage": {
            "type": "tokens",
            "input_tokens": usage.prompt,
            "output_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
        },
        "timings": timings(answered),
        "reckon": answered.extra(),
    })
}

/// With the times of the windows. Figures that are not measured here (`no_speech_prob` and its like) are left out.
fn verbose(answered: &Answered, language: Option<&str>) -> Value {
    let mut value = whole(answered);
    let segments = answered.segments.iter().enumerate().map(|(id, segment)| {
        json!({
            "id": id,
            "start": segment.begin.as_secs_f64(),
            "end": segment.end.as_secs_f64(),
            "text": segment.text,
        })
    });
    value["task"] = "transcribe".into();
    value["language"] = language.unwrap_or("unknown").into();
    value["duration"] = answered
        .segments
        .last()
        .map_or(0.0, |last| last.end.as_secs_f64())
        .into();
    value["segments"] = segments.collect();
    value
}

/// The text as it is written.
struct Events {
    app: App,
    visitor: Visitor,
}

impl Encoder for Events {
    fn on(&mut self, _: usize, happening: Happening) -> String {
        match happening {
            Happening::Text(text) => {
                data(&json!({ "type": "transcript.text.delta", "delta": text }))
            }
            _ => String::new(),
        }
    }

    fn end(&mut self, _: usize, answered: &Answered) -> String {
        self.app
            .spend(&self.visitor, std::slice::from_ref(answered));
        let mut done = whole(answered);
        done["type"] = "transcript.text.done".into();
        data(&done)
    }

    fn fail(&mut self, problem: &Problem) -> String {
        data(&problem.body(Dialect::OpenAi))
    }
}
