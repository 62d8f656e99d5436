//! Shapes that a parser decides: JSON, CSV, YAML, markdown tables.
use super::{finding, said};
use crate::check::{Compliance, Examined, rule::Shape};

pub(super) fn examine(shape: Shape, response: &str) -> Examined {
    match shape {
        Shape::Json => json(unfenced(response, &["json", "Json", "JSON"])),
        Shape::JsonInside => {
            let whole = json(unfenced(response, &["json", "Json", "JSON"]));
            let inside = whole.verdict == Compliance::Fail
                && json(between(response)).verdict == Compliance::Pass;
            if inside {
                finding(Compliance::Unknown, "there are words around it")
            } else {
                whole
            }
        }
        Shape::Csv => csv(unfenced(response, &["csv", "CSV"])),
        Shape::Yaml => yaml(unfenced(response, &["yaml", "yml", "YAML"])),
        Shape::Table => said(has_table(response), || "there is none".into()),
    }
}

fn json(text: &str) -> Examined {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => finding(Compliance::Pass, ""),
        Err(error) => finding(Compliance::Fail, &format!("it is not: {error}")),
    }
}

/// From the first opening bracket to the last closing one.
fn between(text: &str) -> &str {
    match (text.find(['{', '[']), text.rfind(['}', ']'])) {
        (Some(first), Some(last)) if first < last => &text[first..=last],
        _ => "",
    }
}

/// The text without a code fence around it.
fn unfenced<'a>(text: &'a str, names: &[&str]) -> &'a str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix("```") else {
        return text.strip_suffix("```").unwrap_or(text).trim();
    };
    let inside = names
        .iter()
        .find_map(|name| inside.strip_prefix(name))
        .unwrap_or(inside);
    inside.strip_suffix("```").unwrap_or(inside).trim()
}

/// Every row has the same number of fields, more than one.
fn csv(text: &str) -> Examined {
    let rows: Vec<usize> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(fields)
        .collect();
    let Some(first) = rows.first().copied() else {
        return finding(Compliance::Fail, "there are no rows");
    };
    if first < 2 {
        // Another delimiter, or words before the data.
        return finding(Compliance::Unknown, "the first row has one field");
    }
    let wrong = rows.iter().position(|count| *count != first);
    match wrong {
        Some(row) => finding(
            Compliance::Fail,
            &format!("row {} has {} fields, not {first}", row + 1, rows[row]),
        ),
        None => finding(Compliance::Pass, ""),
    }
}

fn fields(line: &str) -> usize {
    let mut quoted = false;
    let mut count = 1;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}

/// Without a YAML parser only clear cases are decided: every line is a key, an item, a comment or deeper than its key.
fn yaml(text: &str) -> Examined {
    let mut deeper = false;
    for (index, line) in text.lines().enumerate() {
        let content = line.trim();
        let known = content.is_empty()
            || content.starts_with(['#', '-'])
            || content == "..."
            || content.split_once(':').is_some_and(|(key, value)| {
                !key.contains(' ') && (value.is_empty() || value.starts_with(' '))
            });
        let indented = line.starts_with(' ');
        if line.starts_with('\t') {
            return finding(
                Compliance::Fail,
                &format!("line {} is indented with a tab", index + 1),
            );
        }
        if !(known || indented && deeper) {
            return finding(
                Compliance::Unknown,
                &format!("line {} may not be YAML", index + 1),
            );
        }
        deeper = known || deeper;
    }
    finding(Compliance::Pass, "")
}

/// A row of cells above a row of dashes.
fn has_table(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| {
        let rule = pair[1].trim_matches('|');
        let dashes = !rule.is_empty()
            && rule.contains('-')
            && rule.chars().all(|c| matches!(c, '-' | ':' | '|' | ' '));
        dashes && pair[0].contains('|') && pair[1].contains('|')
    })
}
