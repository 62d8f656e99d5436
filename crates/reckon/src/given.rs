//! What a model is told in its system message besides the standing instructions: facts that the person had it
//! remember, and what it is itself. Both only if somebody asked for it; receipts name them.
use crate::{Model, Peers};
use reckon_assistant::Receipt;
use reckon_engine::{Message, Role};

/// What is added to the system message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Facts, as the person wrote them.
    pub memory: Vec<String>,
    /// One line about the model; see [`Given::about`].
    pub about_self: Option<String>,
}

impl Given {
    /// One line about a model: what it is, and where it runs. `cpu` is the processor's name; `through` is who carries
    /// the messages, if they leave this computer; `peers` are the computers that may answer instead.
    pub fn about(model: &Model, cpu: Option<&str>, through: Option<&str>, peers: &Peers) -> String {
        let (info, source) = (model.info(), model.source());
        let name = &info.name;
        if let Some(url) = source.endpoint {
            return format!(
                "About you: you are {name}, a language model on the server {url}, asked through Reckon; what is said goes there."
            );
        }
        let n = info.threads;
        let threads = format!("{n} thread{}", if n == 1 { "" } else { "s" });
        let cpu = cpu.map_or(threads.clone(), |cpu| format!("{cpu}, {threads}"));
        let whose = match through {
            Some(_) => "the computer of whoever set you up",
            None => "this person's own computer",
        };
        let handed = "some questions, with what was said before them, may go to other computers that were set up to answer them";
        let carried = match (through, peers.is_empty()) {
            (Some(carrier), true) => {
                format!("Messages come and go through {carrier}; nothing else leaves that computer")
            }
            (Some(carrier), false) => {
                format!("Messages come and go through {carrier}, and {handed}")
            }
            (None, true) => {
                "You work offline and need no internet or network: everything that is said stays on this computer, \
                 and only those who use this computer can read it"
                    .to_owned()
            }
            (None, false) => format!("What is said stays on this computer, but {handed}"),
        };
        // Small models take what is not denied for granted: a cloud, a clock, a way to look things up.
        format!(
            "About you: you are {name}, a language model: software, not a human being, not ChatGPT. You run on {whose}, on \
             its CPU ({cpu}), in the program Reckon; not in a cloud, not on a graphics card. {carried}. You cannot open \
             websites, look anything up, send messages or do anything but write answers. You have no clock and do not know \
             the date. Asked something about yourself that is not written here, say that you do not know."
        )
    }

    /// The messages with this in the system message; unchanged if there is nothing to tell.
    pub fn tell(&self, mut messages: Vec<Message>) -> Vec<Message> {
        let Some(text) = self.text() else {
            return messages;
        };
        match messages
            .first_mut()
            .filter(|first| first.role == Role::System)
        {
            Some(system) => system.content = format!("{}\n\n{text}", system.content),
            None => messages.insert(0, Message::new(Role::System, text)),
        }
        messages
    }

    /// The receipt with what was told.
    pub fn name_in(&self, receipt: Receipt) -> Receipt {
        Receipt {
            memory: self.memory.clone(),
            about_self: self.about_self.clone(),
            ..receipt
        }
    }

    fn text(&self) -> Option<String> {
        let mut parts: Vec<String> = self.about_self.iter().cloned().collect();
        if !self.memory.is_empty() {
            let facts: Vec<String> = self.memory.iter().map(|fact| format!("- {fact}")).collect();
            parts.push(format!(
                "The person asked you to remember this about them:\n{}",
                facts.join("\n")
            ));
        }
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}
