//! What clients call a model: with Ollama's tags (`qwen2.5-coder:1.5b`, `:latest`), or in other letters.
/// The spellings under which a name is looked up, the likeliest first.
pub(crate) fn spellings(asked: &str) -> Vec<String> {
    let name = asked.strip_suffix(":latest").unwrap_or(asked);
    let mut found = vec![name.to_owned()];
    for other in [
        name.replace(':', "-"),
        name.to_lowercase(),
        name.to_lowercase().replace(':', "-"),
    ] {
        if !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_spellings_of_a_name() {
        for asked in [
            "qwen2.5-coder:1.5b",
            "qwen2.5-coder-1.5b:latest",
            "Qwen2.5-Coder:1.5B",
        ] {
            assert!(
                spellings(asked).contains(&"qwen2.5-coder-1.5b".into()),
                "{asked}"
            );
        }
    }
}
