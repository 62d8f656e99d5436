//! A prompt file in, the messages that go before a question out: what is asked for, and examples of it.
//!
//! A line `=== system`, `=== user` or `=== assistant` begins a message. The files are part of the program.

use reckon_engine::{Message, Role};

/// The messages of a prompt file, then the conversation without its own standing instructions.
pub(super) fn before(file: &str, conversation: &[Message]) -> Vec<Message> {
    let said = conversation
        .iter()
        .filter(|message| message.role != Role::System);
    messages(file).chain(said.cloned()).collect()
}

fn messages(file: &str) -> impl Iterator<Item = Message> {
    file.split("=== ").filter_map(|part| {
        let (role, text) = part.split_once('\n')?;
        let role = match role {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        let content = text.trim_end().to_owned();
        Some(Message { role, content })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_messages_and_the_conversation_follows() {
        let say = |role, text: &str| Message {
            role,
            content: text.into(),
        };
        let asked = [say(Role::System, "be brief"), say(Role::User, "how many?")];
        let file = "=== system\ndo so\n=== user\nq\n=== assistant\n```\na = 1\n```\n";
        assert_eq!(
            before(file, &asked),
            [
                say(Role::System, "do so"),
                say(Role::User, "q"),
                say(Role::Assistant, "```\na = 1\n```"),
                say(Role::User, "how many?"),
            ]
        );
    }
}
