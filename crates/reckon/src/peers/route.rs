//! Lets a small model of this machine choose who answers: peers of a role, or this machine.
//!
//! The router is shown the end of the question and what each role is for, and its answer is held to the names of the roles
//! (`Shape::Choices`): it chooses and can say nothing else. A question that must stay here is not shown to it. Whatever
//! fails, this machine answers.
use super::{Asking, Peers};
use crate::Model;
use reckon_assistant::{Ask, Event, OnReply};
use reckon_engine::{Message, Role, Sampling, Shape};

/// What this machine is called among the roles.
pub(super) const HERE: &str = "here";
/// Characters of a question that are shown; what is asked stands at its end, behind any document.
const SHOWN: usize = 1500;
/// Tokens of a choice: more than any role's name has.
const MOST_TOKENS: usize = 24;

impl Peers {
    /// The role that the router chooses for this question, and what a receipt says about it; none is this machine.
    pub(super) fn route(
        &self,
        asking: &Asking<'_>,
        on_event: &mut OnReply<'_>,
    ) -> Option<(&str, String)> {
        let router = self.router.as_ref()?;
        if asking.stays().is_some() {
            return None;
        }
        let last = asking.ask.messages.last()?;
        if last.role != Role::User {
            return None;
        }
        let ask = self.choice(router, &last.content);
        // Nobody needs to see it being written, but it can be stopped.
        let waiting =
            &mut |_: reckon_engine::Event<'_>| on_event(Event::Prefill { done: 0, total: 0 });
        let said = router.session().generate(&ask, waiting).ok()?;
        let said = said.text.trim();
        let (role, _) = self.known.routes.get_key_value(said)?;
        let name = &router.info().name;
        Some((role, format!("{name} chose the role {role}")))
    }

    fn choice(&self, router: &Model, question: &str) -> Ask {
        let routes = &self.known.routes;
        let mut text = "Who should answer the question below? Reply with one word.\n".to_owned();
        for (role, when) in routes {
            text += &format!("{role}: {when}\n");
        }
        text += &format!("{HERE}: everything else\n\nQuestion:\n{}", end(question));
        let here = HERE.to_owned();
        Ask {
            messages: vec![Message::user(text)],
            shape: Some(Shape::Choices(
                routes.keys().cloned().chain([here]).collect(),
            )),
            sampling: Sampling {
                temperature: 0.0,
                ..router.info().sampling.clone()
            },
            max_tokens: Some(MOST_TOKENS),
            ..Ask::default()
        }
    }
}

/// The last characters of a text.
fn end(text: &str) -> &str {
    let mut starts = text.char_indices().rev().map(|(at, _)| at);
    starts.nth(SHOWN - 1).map_or(text, |at| &text[at..])
}
