//! Writes a summary as one self-contained page: no script, font or picture from anywhere, and a policy that forbids them.
//!
//! Light and dark follow the reader's setting; nothing is wider than a phone. All text of models and inputs is escaped.
use super::{Attention, Listed, Summary};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("page.css");

/// The whole page.
pub(super) fn html(summary: &Summary) -> String {
    let title = escape(summary.name.as_deref().unwrap_or(&summary.batch));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
    );
    page += &header(summary);
    page.push_str("</header>\n<main>\n");
    for (number, attention) in summary.attention.iter().enumerate() {
        page += &section(number, attention);
    }
    page += &refused(summary);
    page.push_str("<section aria-labelledby=\"counts\">\n<h2 id=\"counts\">Counts</h2>\n<div class=\"counts\">\n");
    page += &table("Answers by mark", &summary.marks);
    page += &table("Answers by how they ended", &summary.finishes);
    page.push_str("</div>\n</section>\n</main>\n</body>\n</html>\n");
    page
}

fn header(summary: &Summary) -> String {
    let progress = &summary.progress;
    let (done, total) = (progress.done, progress.total());
    let mut text = format!("<p>{done} of {total} rows have an answer.</p>\n");
    if progress.left() > 0 {
        let left = progress.left();
        text += &format!(
            "<p class=\"warning\" role=\"note\">{left} rows have not ended: this is not the final state.</p>\n"
        );
    }
    if summary.attention.is_empty() && summary.refused == 0 {
        return text + "<p>Nothing needs a look.</p>\n";
    }
    text.push_str("<nav aria-label=\"What to look at\">\n");
    for (number, attention) in summary.attention.iter().enumerate() {
        let (title, count) = (attention.reason.title(), attention.count);
        text += &format!("<a href=\"#s{number}\">{title}: {count}</a>\n");
    }
    if summary.refused > 0 {
        text += &format!(
            "<a href=\"#refused\">Lines that are no rows: {}</a>\n",
            summary.refused
        );
    }
    text + "</nav>\n"
}

fn section(number: usize, attention: &Attention) -> String {
    let (title, meaning) = (attention.reason.title(), attention.reason.meaning());
    let mut text = format!(
        "<section aria-labelledby=\"s{number}\">\n<h2 id=\"s{number}\">{title}</h2>\n<p class=\"muted\">{meaning}</p>\n"
    );
    for listed in &attention.rows {
        text += &article(listed);
    }
    text + &omitted(attention.count, attention.rows.len()) + "</section>\n"
}

fn article(listed: &Listed) -> String {
    let Listed {
        line,
        id,
        why,
        excerpt,
    } = listed;
    let mut text = format!(
        "<article>\n<h3><bdi>{}</bdi> <span>line {line}</span></h3>\n",
        escape(id)
    );
    if !why.is_empty() {
        text += &format!("<p dir=\"auto\">{}</p>\n", escape(why));
    }
    if !excerpt.is_empty() {
        text += &format!("<pre dir=\"auto\">{}</pre>\n", escape(excerpt));
    }
    text + "</article>\n"
}

fn refused(summary: &Summary) -> String {
    if summary.refused == 0 {
        return String::new();
    }
    let mut text = String::from(
        "<section aria-labelledby=\"refused\">\n<h2 id=\"refused\">Lines that are no rows</h2>\n\
         <p class=\"muted\">They were left out; all other rows were answered.</p>\n<ul>\n",
    );
    for refused in &summary.refused_lines {
        text += &format!(
            "<li>line {}: {}</li>\n",
            refused.line,
            escape(&refused.reason)
        );
    }
    text + "</ul>\n" + &omitted(summary.refused, summary.refused_lines.len()) + "</section>\n"
}

fn omitted(count: u64, listed: usize) -> String {
    match count.saturating_sub(listed as u64) {
        0 => String::new(),
        rest => format!("<p class=\"muted\">And {rest} more.</p>\n"),
    }
}

fn table(caption: &str, counts: &BTreeMap<String, u64>) -> String {
    let mut text = format!("<table>\n<caption>{caption}</caption>\n<tbody>\n");
    for (name, count) in counts {
        text += &format!(
            "<tr><th scope=\"row\">{}</th><td>{count}</td></tr>\n",
            escape(name)
        );
    }
    text + "</tbody>\n</table>\n"
}

/// Text as text: what means something to a browser is named, what a page may not hold is shown as what it is.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
