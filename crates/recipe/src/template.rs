//! Texts with placeholders: `{input}`, `{file}` and others; `{{` stands for a brace.
//!
//! Values are put in once and never searched for placeholders themselves, so a document that spells `{file}` stays as
//! it is.

/// A text cut at its placeholders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Value(String),
}

impl Template {
    /// Cuts a text, or says what is wrong with its braces.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(more) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = more;
            } else if brace == "}" {
                plain.push('}');
            } else {
                let end = rest
                    .find('}')
                    .ok_or("a { without its }; write {{ for a brace")?;
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Value(rest[..end].to_owned()));
                rest = &rest[end + 1..];
            }
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        Ok(Self(parts))
    }

    /// The names of its placeholders.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Value(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Whether a text has this placeholder; one that cannot be cut has none.
    pub(crate) fn has(text: &str, name: &str) -> bool {
        Self::parse(text).is_ok_and(|template| template.names().any(|one| one == name))
    }

    /// The text with a value in each place.
    pub(crate) fn render(&self, value: impl Fn(&str) -> String) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Value(name) => value(name),
        });
        parts.collect()
    }
}
