//! `options`, `format`, `think` and `keep_alive` of Ollama's requests.
use crate::{
    error::Problem,
    openai::{
        chat::checked,
        content::{self, Stops},
    },
    pool::KeepAlive,
    query::Query,
};
use reckon::{Overrides, Shape};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;
#[cfg(test)]
use utoipa::ToSchema;

/// How tokens are chosen. What is not named here is named in the receipt: GPUs and threads mean nothing to a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaOptions))]
pub(crate) struct WireOptions {
    temperature: Option<f32>,
    top_k: Option<i64>,
    top_p: Option<f32>,
    min_p: Option<f32>,
    repeat_penalty: Option<f32>,
    seed: Option<i64>,
    /// Most tokens; below 1 until it is done.
    num_predict: Option<i64>,
    /// A hint of clients; the context is the server's, and nothing is ever cut to it.
    #[expect(dead_code, reason = "read so that it is no foreign option")]
    num_ctx: Option<i64>,
    stop: Option<Stops>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl WireOptions {
    /// Puts the options into a query.
    pub(crate) fn apply(self, query: &mut Query) -> Result<(), Problem> {
        // Nothing is refused for its range: what makes no sense is off, as it is there.
        query.sampling = checked(Overrides {
            temperature: self.temperature.map(|value| value.max(0.0)),
            top_k: self.top_k.and_then(|k| usize::try_from(k).ok()),
            top_p: self
                .top_p
                .filter(|value| *value > 0.0)
                .map(|value| value.min(1.0)),
            min_p: self.min_p.map(|value| value.clamp(0.0, 1.0)),
            repetition_penalty: self.repeat_penalty.map(|value| match value > 0.0 {
                true => value.min(10.0),
                false => 1.0,
            }),
            seed: self.seed.map(i64::cast_unsigned),
        })?;
        // Negative numbers mean "until it is done".
        query.max_tokens = self
            .num_predict
            .and_then(|n| usize::try_from(n).ok())
            .filter(|n| *n > 0);
        query.stop = content::stops(self.stop)?;
        query
            .ignored
            .extend(crate::body::leftovers(&self.rest, &[]));
        Ok(())
    }
}

/// `"json"` or a schema.
pub(crate) fn format(value: Option<&Value>) -> Result<Option<Shape>, Problem> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(word)) if word.is_empty() => Ok(None),
        Some(Value::String(word)) if word == "json" => {
            Ok(Some(Shape::Schema(content::any_object().to_string())))
        }
        Some(schema @ Value::Object(_)) => Ok(Some(Shape::Schema(
            crate::schema::closed(schema).to_string(),
        ))),
        Some(_) => Err(Problem::invalid("format is json or a JSON schema").at("format")),
    }
}

/// True, false, or an effort.
pub(crate) fn think(value: Option<&Value>) -> Result<Option<bool>, Problem> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(think)) => Ok(Some(*think)),
        Some(Value::String(effort)) => Ok(crate::openai::chat::effort(Some(effort))),
        Some(_) => Err(Problem::invalid("think is true, false or a word").at("think")),
    }
}

/// Seconds, or a duration such as `"5m"`; below 0 is forever.
pub(crate) fn keep_alive(value: Option<&Value>) -> Result<Option<KeepAlive>, Problem> {
    let wrong =
        || Problem::invalid("keep_alive is seconds or a duration such as 5m").at("keep_alive");
    let seconds = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64().ok_or_else(wrong)?,
        Some(Value::String(text)) => seconds(text).ok_or_else(wrong)?,
        Some(_) => return Err(wrong()),
    };
    let most = Duration::from_secs(10 * 365 * 86_400).as_secs_f64();
    Ok(Some(match seconds {
        seconds if seconds < 0.0 || seconds > most => KeepAlive::Forever,
        seconds => KeepAlive::For(Duration::from_secs_f64(seconds)),
    }))
}

/// `300`, `-1`, `5m`, `1h30m`, `1.5s`.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(plain) = text.parse::<f64>() {
        return plain.is_finite().then_some(plain);
    }
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        total += number
            * match &rest[..unit] {
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = &rest[unit..];
    }
    Some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, value) in [
            ("300", 300.0),
            ("5m", 300.0),
            ("1h30m", 5400.0),
            ("-1", -1.0),
            ("-1m", -60.0),
            ("1500ms", 1.5),
        ] {
            assert_eq!(seconds(text), Some(value), "{text}");
        }
        for text in ["", "m", "5 minutes", "nan", "1e400", "é"] {
            assert!(seconds(text).is_none_or(|s| s == 0.0), "{text}");
        }
    }
}
