//! Writes blocks as one self-contained page: no script, font or picture from anywhere, and a policy that forbids them.
//!
//! Light and dark follow the reader's setting. Wide tables scroll inside their box, the page itself never does.

use super::block::{Block, Cell, Table};

const STYLE: &str = include_str!("page.css");

/// A whole page.
pub(crate) fn html(title: &str, summary: &str, blocks: &[Block]) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{title}</h1>\n<p class=\"summary\">{}</p>\n{}</header>\n<main>\n",
        escape(summary),
        contents(blocks),
    );
    let mut sections = 0;
    for block in blocks {
        if let Block::Section(heading) = block {
            let close = if sections > 0 { "</section>\n" } else { "" };
            sections += 1;
            page += &format!(
                "{close}<section id=\"s{sections}\" aria-labelledby=\"h{sections}\">\n\
                     <h2 id=\"h{sections}\">{}</h2>\n",
                escape(heading)
            );
        } else {
            write_block(&mut page, block);
        }
    }
    if sections > 0 {
        page.push_str("</section>\n");
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn contents(blocks: &[Block]) -> String {
    let mut list = String::from("<nav aria-label=\"Contents\">\n");
    let headings = blocks.iter().filter_map(|block| match block {
        Block::Section(heading) => Some(heading),
        _ => None,
    });
    for (i, heading) in headings.enumerate() {
        list += &format!("<a href=\"#s{}\">{}</a>\n", i + 1, escape(heading));
    }
    list + "</nav>\n"
}

fn write_block(page: &mut String, block: &Block) {
    match block {
        Block::Section(text) | Block::Heading(text) => {
            *page += &format!("<h3>{}</h3>\n", escape(text));
        }
        Block::Text(text) => *page += &format!("<p>{}</p>\n", escape(text)),
        Block::Warning(text) => {
            *page += &format!("<p class=\"warning\" role=\"note\">{}</p>\n", escape(text))
        }
        Block::Table(table) => write_table(page, table),
        Block::Figure { caption, svg } => {
            *page += &format!(
                "<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n",
                escape(caption)
            )
        }
        Block::Said(text) => *page += &format!("<pre dir=\"auto\">{}</pre>\n", escape(text)),
        Block::Details { summary, blocks } => {
            *page += &format!("<details>\n<summary>{}</summary>\n", escape(summary));
            for block in blocks {
                write_block(page, block);
            }
            page.push_str("</details>\n");
        }
    }
}

fn write_table(page: &mut String, table: &Table) {
    let caption = escape(&table.caption);
    *page += &format!(
        "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n\
             <caption><span>{caption}</span></caption>\n<thead><tr>"
    );
    for (i, head) in table.head.iter().enumerate() {
        let figures = table.rows.first().and_then(|row| row.get(i));
        let class = match figures {
            Some(Cell::Figure(_)) => " class=\"figure\"",
            _ => "",
        };
        *page += &format!("<th scope=\"col\"{class}>{}</th>", escape(head));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            match cell {
                Cell::Words(text) if i == 0 => {
                    *page += &format!("<th scope=\"row\">{}</th>", escape(text));
                }
                Cell::Words(text) => *page += &format!("<td>{}</td>", escape(text)),
                Cell::Figure(text) => {
                    *page += &format!("<td class=\"figure\">{}</td>", escape(text))
                }
                Cell::Code(text) => *page += &format!("<td><code>{}</code></td>", escape(text)),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

/// Text as text: what means something to a browser is named, what a page may not hold is shown as what it is.
pub(crate) fn escape(text: &str) -> String {
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
