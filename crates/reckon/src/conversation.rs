//! Who said what so far, and how much of it fits into the context.
//!
//! Owned by a [`Chat`](crate::Chat). An exchange is a message with its answer; a message enters only together with one.
//! Nothing is dropped without being asked: [`Conversation::plan`] says what would have to go,
//! [`Conversation::drop_oldest`] does it.
use reckon_engine::{Media, Message, Role};

/// A message and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// What the person said.
    pub user: String,
    /// What was answered, as it shipped.
    pub answer: String,
    /// The answer was stopped before its end.
    pub stopped: bool,
    /// Images and sound that came with the message.
    pub media: Vec<Media>,
}

/// A conversation.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// Standing instructions.
    pub system: Option<String>,
    exchanges: Vec<Exchange>,
    /// Images and sound that come with the next message.
    media: Vec<Media>,
}

/// What has to go so that the next message fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    Fits,
    /// The oldest `exchanges`, which are this many messages and tokens of prompt.
    Drop {
        /// A message and its answer each.
        exchanges: usize,
        /// Twice as many.
        messages: usize,
        /// Tokens of the prompt that they take.
        tokens: usize,
    },
    /// Even alone the message is too long.
    TooLong {
        /// Tokens of its prompt.
        asked: usize,
    },
}

impl Conversation {
    /// Nothing said yet.
    pub fn new(system: Option<String>) -> Self {
        Self {
            system,
            ..Self::default()
        }
    }

    /// Exchanges so far.
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// The last exchange.
    pub fn last(&self) -> Option<&Exchange> {
        self.exchanges.last()
    }

    /// Keeps an exchange.
    pub fn add(&mut self, exchange: Exchange) {
        self.exchanges.push(exchange);
    }

    /// Takes the last exchange back.
    pub fn undo(&mut self) -> Option<Exchange> {
        self.exchanges.pop()
    }

    /// Takes the last message back to ask it again: its images and sound come with the next one.
    pub fn retake(&mut self) -> Option<String> {
        let mut exchange = self.undo()?;
        exchange.media.append(&mut self.media);
        self.media = exchange.media;
        Some(exchange.user)
    }

    /// Puts images and sound before the next message.
    pub fn attach(&mut self, media: Vec<Media>) {
        self.media.extend(media);
    }

    /// Images and sound of the next message, when it is sent.
    pub(crate) fn take_media(&mut self) -> Vec<Media> {
        std::mem::take(&mut self.media)
    }

    /// Forgets all images and sound, as another model must: soft tokens are its own. How many there were.
    pub fn forget_media(&mut self) -> usize {
        let earlier = self
            .exchanges
            .iter_mut()
            .map(|exchange| &mut exchange.media);
        earlier
            .chain([&mut self.media])
            .map(|media| std::mem::take(media).len())
            .sum()
    }

    /// Forgets all exchanges; the system text stays.
    pub fn clear(&mut self) {
        self.exchanges.clear();
    }

    /// Forgets the first `n` exchanges.
    pub fn drop_oldest(&mut self, n: usize) {
        self.exchanges.drain(..n.min(self.exchanges.len()));
    }

    /// What the model is given for the next message.
    pub fn messages(&self, next: &str) -> Vec<Message> {
        self.messages_after(0, next)
    }

    /// What must go so that the prompt has at most `allowed` tokens, where `count` counts those of a prompt.
    pub fn plan<E>(
        &self,
        next: &str,
        allowed: usize,
        mut count: impl FnMut(&[Message]) -> Result<usize, E>,
    ) -> Result<Plan, E> {
        let whole = count(&self.messages(next))?;
        if whole <= allowed {
            return Ok(Plan::Fits);
        }
        let mut asked = whole;
        for n in 1..=self.exchanges.len() {
            asked = count(&self.messages_after(n, next))?;
            if asked <= allowed {
                return Ok(Plan::Drop {
                    exchanges: n,
                    messages: 2 * n,
                    tokens: whole.saturating_sub(asked),
                });
            }
        }
        Ok(Plan::TooLong { asked })
    }

    fn messages_after(&self, skipped: usize, next: &str) -> Vec<Message> {
        let say = |role, text: &str| Message::new(role, text);
        let system = self.system.iter().map(|text| say(Role::System, text));
        let told = self.exchanges.iter().skip(skipped).flat_map(|exchange| {
            [
                say(Role::User, &exchange.user).with_media(exchange.media.clone()),
                say(Role::Assistant, &exchange.answer),
            ]
        });
        let next = say(Role::User, next).with_media(self.media.clone());
        system.chain(told).chain([next]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn told(n: usize) -> Conversation {
        let mut conversation = Conversation::new(Some("be brief".into()));
        for i in 0..n {
            conversation.add(Exchange {
                user: format!("question {i}"),
                answer: format!("answer {i}"),
                stopped: false,
                media: Vec::new(),
            });
        }
        conversation
    }

    /// One token a word.
    fn words(messages: &[Message]) -> Result<usize, Infallible> {
        Ok(messages
            .iter()
            .map(|m| m.content.split_whitespace().count())
            .sum())
    }

    #[test]
    fn messages_alternate_and_keep_the_system_message_first() {
        let messages = told(2).messages("next");
        let roles: Vec<Role> = messages.iter().map(|m| m.role).collect();
        use Role::{Assistant, System, User};
        assert_eq!(roles, [System, User, Assistant, User, Assistant, User]);
        assert_eq!(messages[3].content, "question 1");
        assert_eq!(messages[5].content, "next");
    }

    #[test]
    fn the_plan_names_exactly_what_goes() {
        // 2 words of system, 4 an exchange, 1 of the next message: 15 in all.
        let plan = |allowed| {
            told(3)
                .plan("next", allowed, words)
                .unwrap_or_else(|never| match never {})
        };
        assert_eq!(plan(15), Plan::Fits);
        assert_eq!(
            plan(14),
            Plan::Drop {
                exchanges: 1,
                messages: 2,
                tokens: 4
            }
        );
        assert_eq!(
            plan(7),
            Plan::Drop {
                exchanges: 2,
                messages: 4,
                tokens: 8
            }
        );
        assert_eq!(
            plan(3),
            Plan::Drop {
                exchanges: 3,
                messages: 6,
                tokens: 12
            }
        );
        assert_eq!(plan(2), Plan::TooLong { asked: 3 });
    }

    #[test]
    fn dropping_takes_the_oldest() {
        let mut conversation = told(3);
        conversation.drop_oldest(2);
        assert_eq!(conversation.messages("next")[1].content, "question 2");
        assert_eq!(
            conversation.undo().map(|e| e.user).as_deref(),
            Some("question 2")
        );
        conversation.drop_oldest(9);
        assert_eq!((conversation.len(), conversation.undo()), (0, None));
    }
}
