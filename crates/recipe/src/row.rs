//! Answers as what is printed or written: text, a row of a table, or an object a line.
use crate::{
    recipe::{Output, Recipe},
    runner::Answer,
};
use serde_json::{Map, Value, json};

/// How the answers of one run are written.
#[derive(Clone, Debug)]
pub struct Rows {
    output: Output,
    /// Columns of a table behind the name.
    columns: Vec<String>,
    /// Whether each is followed by where it stands.
    has_spans: bool,
    /// Whether texts have the item's name above them.
    has_headings: bool,
    /// Whether an empty line follows texts without one.
    is_apart: bool,
}

impl Rows {
    /// For a recipe; with headings where texts of several items come one after the other.
    pub fn new(recipe: &Recipe, output: Output, has_headings: bool) -> Self {
        Self {
            output,
            columns: columns(recipe),
            has_spans: recipe.quote && has_form(recipe),
            has_headings,
            is_apart: false,
        }
    }

    /// With an empty line below each text: in a file another may follow.
    #[must_use]
    pub fn apart(self) -> Self {
        Self {
            is_apart: true,
            ..self
        }
    }

    /// What stands above all rows.
    pub fn head(&self) -> String {
        if self.output != Output::Csv {
            return String::new();
        }
        let mut cells = vec!["name".to_owned()];
        for column in &self.columns {
            cells.push(column.clone());
            if self.has_spans {
                cells.push(format!("{column}.span"));
            }
        }
        line(&cells)
    }

    /// An answer, with the end of its line.
    pub fn row(&self, answer: &Answer) -> String {
        match self.output {
            Output::Text if self.has_headings => {
                let name = answer.name.replace(['\n', '\r'], " ");
                format!("## {name}\n\n{}\n\n", answer.text.trim_end())
            }
            Output::Text => {
                let end = if self.is_apart { "\n\n" } else { "\n" };
                format!("{}{end}", answer.text.trim_end())
            }
            Output::Csv => line(&self.cells(answer)),
            Output::Jsonl => format!("{}\n", object(answer)),
        }
    }

    fn cells(&self, answer: &Answer) -> Vec<String> {
        let mut cells = vec![answer.name.clone()];
        for column in &self.columns {
            let value = match &answer.value {
                // What a schema does not require may be absent.
                Some(Value::Object(fields)) => Some(fields.get(column).unwrap_or(&Value::Null)),
                _ => None,
            };
            cells.push(match value {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) => String::new(),
                Some(value) => value.to_string(),
                // A label, or text without a form.
                None => answer.text.clone(),
            });
            if self.has_spans {
                cells.push(match answer.spans.get(column) {
                    Some(Some(span)) => span.cell(),
                    Some(None) => "not found".into(),
                    None => String::new(),
                });
            }
        }
        cells
    }
}

fn has_form(recipe: &Recipe) -> bool {
    recipe.schema.is_some() || recipe.fields.is_some()
}

fn columns(recipe: &Recipe) -> Vec<String> {
    if recipe.labels.is_some() {
        return vec!["label".into()];
    }
    if let Some(fields) = &recipe.fields {
        return fields.clone();
    }
    let schema = recipe.schema.as_deref().unwrap_or_default();
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    match schema.get("properties").and_then(Value::as_object) {
        Some(properties) if !properties.is_empty() => properties.keys().cloned().collect(),
        _ => vec!["text".into()],
    }
}

fn object(answer: &Answer) -> Value {
    let mut row = Map::new();
    row.insert("name".into(), answer.name.as_str().into());
    match &answer.value {
        Some(value @ Value::String(_)) => row.insert("label".into(), value.clone()),
        Some(value) => row.insert("value".into(), value.clone()),
        None => row.insert("text".into(), answer.text.as_str().into()),
    };
    if !answer.spans.is_empty() {
        let spans = answer.spans.iter().map(|(at, span)| {
            let span = span
                .as_ref()
                .map_or_else(|| "not found".into(), |span| json!(span));
            (at.clone(), span)
        });
        row.insert("spans".into(), Value::Object(spans.collect()));
    }
    if !answer.notes.is_empty() {
        row.insert("notes".into(), json!(answer.notes));
    }
    Value::Object(row)
}

/// Cells as RFC 4180 has them.
fn line(cells: &[String]) -> String {
    let cells = cells
        .iter()
        .map(|cell| match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        });
    format!("{}\n", cells.collect::<Vec<_>>().join(","))
}
