//! What chat templates expect of Python: `raise_exception`, `strftime_now`, and JSON as `json.dumps` writes it.
//!
//! Registered by `template`; string methods come from minijinja's own compatibility layer.
use minijinja::{
    Error, ErrorKind, Value,
    value::{Kwargs, ValueKind},
};
use std::fmt::Write as _;

/// How deep JSON may nest.
const MAX_DEPTH: usize = 64;

/// Ends the rendering with the template's own words.
pub(super) fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

/// `json.dumps(value, ensure_ascii=False)`, the way Hugging Face configures it.
pub(super) fn tojson(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    // Other options of Python's change nothing that templates are known to use.
    let mut out = String::new();
    write_json(value, indent.map(|n| n.min(16)), 0, &mut out)?;
    Ok(out)
}

/// A value as `json.dumps` writes it.
pub(super) fn dumps(json: &serde_json::Value) -> String {
    let mut out = String::new();
    // Only a value that is nested too deeply fails; the renderer would refuse it as well.
    let _ = write_json(&super::render::value(json), None, 0, &mut out);
    out
}

fn write_json(
    value: &Value,
    indent: Option<usize>,
    depth: usize,
    out: &mut String,
) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            "JSON is nested too deeply",
        ));
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => {
            let _ = write!(out, "{value}");
        }
        ValueKind::Map => {
            let keys: Vec<Value> = value.try_iter()?.collect();
            write_items(('{', '}'), keys, indent, depth, out, |key, out| {
                write_string(&key.to_string(), out);
                out.push_str(": ");
                write_json(&value.get_item(&key)?, indent, depth + 1, out)
            })?;
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let items: Vec<Value> = value.try_iter()?.collect();
            write_items(('[', ']'), items, indent, depth, out, |item, out| {
                write_json(&item, indent, depth + 1, out)
            })?;
        }
        _ => write_string(&value.to_string(), out),
    }
    Ok(())
}

fn write_items(
    (open, close): (char, char),
    items: Vec<Value>,
    indent: Option<usize>,
    depth: usize,
    out: &mut String,
    mut write: impl FnMut(Value, &mut String) -> Result<(), Error>,
) -> Result<(), Error> {
    let line = |depth: usize, out: &mut String| {
        if let Some(indent) = indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    out.push(open);
    let empty = items.is_empty();
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push_str(if indent.is_some() { "," } else { ", " });
        }
        line(depth + 1, out);
        write(item, out)?;
    }
    if !empty {
        line(depth, out);
    }
    out.push(close);
    Ok(())
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A moment of UTC written as a template asks; directives that nobody uses in prompts stay as they are.
pub(super) fn strftime(seconds: u64, format: &str) -> String {
    const DAYS: [&str; 7] = [
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "Monday",
        "Tuesday",
        "Wednesday",
    ];
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (weekday, month_name) = (DAYS[(days % 7) as usize], MONTHS[month as usize - 1]);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let _ = match chars.next() {
            Some('Y') => write!(out, "{year}"),
            Some('y') => write!(out, "{:02}", year % 100),
            Some('m') => write!(out, "{month:02}"),
            Some('d') => write!(out, "{day:02}"),
            Some('B') => write!(out, "{month_name}"),
            Some('b') => write!(out, "{}", &month_name[..3]),
            Some('A') => write!(out, "{weekday}"),
            Some('a') => write!(out, "{}", &weekday[..3]),
            Some('H') => write!(out, "{:02}", second / 3600),
            Some('M') => write!(out, "{:02}", second / 60 % 60),
            Some('S') => write!(out, "{:02}", second % 60),
            Some('%') => write!(out, "%"),
            Some(other) => write!(out, "%{other}"),
            None => write!(out, "%"),
        };
    }
    out
}

/// Year, month and day of a day counted from 1970, in the Gregorian calendar: years are taken to begin in March, so that
/// the leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days.min(1 << 40) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (
        era * 400 + year,
        if month < 10 { month + 3 } else { month - 9 },
    );
    (year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, want) in [
            (0, "1970-01-01 Thu 00:00:00"),
            (951_782_399, "2000-02-28 Mon 23:59:59"),
            (951_782_400, "2000-02-29 Tue 00:00:00"),
            (1_721_952_000, "2024-07-26 Fri 00:00:00"),
            (4_107_542_400, "2100-03-01 Mon 00:00:00"),
        ] {
            assert_eq!(strftime(seconds, "%Y-%m-%d %a %H:%M:%S"), want);
        }
        assert_eq!(
            strftime(1_721_952_000, "%d %b %Y, %A %B %%"),
            "26 Jul 2024, Friday July %"
        );
    }
}
