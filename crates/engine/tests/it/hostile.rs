//! Hostile chat templates: a list that tests of other crates also read.

/// Names and sources. A source of 100 KB that repeats itself stands in the file as `«n×text»`.
pub(crate) fn templates() -> Vec<(String, String)> {
    let text = include_str!("../data/hostile-templates.txt");
    let (_, list) = text.split_once("\n=== ").expect("a list");
    list.split("\n=== ")
        .map(|entry| {
            let (name, source) = entry.split_once('\n').expect("a name and a source");
            (name.to_owned(), expanded(source.trim_end_matches('\n')))
        })
        .collect()
}

fn expanded(source: &str) -> String {
    let mut parts = source.split('«');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (repeated, rest) = part.split_once('»').expect("an end of the repetition");
        let (n, text) = repeated.split_once('×').expect("a number of repetitions");
        out.push_str(&text.repeat(n.parse().expect("a number")));
        out.push_str(rest);
    }
    out
}
