//! Calls without the marks that a chat template asks for: small models write `{"name": …, "arguments": {…}}` alone, or in
//! a block of code, and mean a call.
//!
//! Only an answer that is nothing but one such object counts, if it names a tool that was offered and its arguments are
//! what the tool's schema allows. Text that may become one is held until that is decided.
use reckon::{
    Shape,
    engine::{Tool, ToolCall},
};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// How such an answer may begin.
const BEGINNINGS: [&str; 4] = ["{", "```json\n{", "```\n{", "```json {"];
/// More than the arguments of a call.
const LONGEST: usize = 64 << 10;

/// Whether this may still become a call.
pub(crate) fn may_become(text: &str) -> bool {
    let text = text.trim_start();
    let begins = |begin: &str| text.starts_with(begin) || begin.starts_with(text);
    text.len() < LONGEST && BEGINNINGS.into_iter().any(begins)
}

/// The call that an answer is, if it is one.
pub(crate) fn read(text: &str, tools: &[Tool]) -> Option<ToolCall> {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .map_or(Some(text), |rest| rest.trim_end().strip_suffix("```"))?;
    let Value::Object(object) = serde_json::from_str(inner.trim()).ok()? else {
        return None;
    };
    let name = object.get("name").and_then(Value::as_str)?;
    let tool = tools.iter().find(|tool| tool.name == name)?;
    let arguments = object
        .get("arguments")
        .or_else(|| object.get("parameters"))?;
    let shape = Shape::Schema(tool.parameters.to_string());
    if object.len() != 2 || !shape.allows(&arguments.to_string()).ok()? {
        return None;
    }
    let digest = Sha256::digest(text);
    let mark: String = digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(ToolCall {
        id: format!("call_0_{mark}"),
        name: tool.name.clone(),
        arguments: arguments.as_object()?.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn weather() -> Tool {
        Tool {
            name: "weather".into(),
            description: None,
            parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"], "additionalProperties": false }),
        }
    }

    #[test]
    fn an_object_alone_or_in_a_block_is_a_call() {
        let call = r#"{"name": "weather", "arguments": {"city": "Paris"}}"#;
        for text in [
            call.to_owned(),
            format!("```json\n{call}\n```"),
            format!("\n```\n{call}```\n"),
        ] {
            let read = read(&text, &[weather()]).expect("a call");
            assert_eq!(read.arguments["city"], "Paris");
            assert!(
                (0..text.len()).all(|cut| may_become(&text[..cut])),
                "{text}"
            );
        }
    }

    #[test]
    fn anything_else_stays_text() {
        for text in [
            r#"{"name": "other", "arguments": {"city": "Paris"}}"#,
            r#"{"name": "weather", "arguments": {"town": "Paris"}}"#,
            r#"{"name": "weather", "arguments": {"city": 1}}"#,
            r#"{"name": "weather"}"#,
            r#"Sure: {"name": "weather", "arguments": {"city": "Paris"}}"#,
            r#"{"name": "weather", "arguments": {"city": "Paris"}} There."#,
            "```python\nprint(1)\n```",
            "{",
        ] {
            assert_eq!(read(text, &[weather()]), None, "{text}");
        }
        assert!(!may_become("```python\n"));
        assert!(!may_become("Sure"));
    }
}
