//! Lets a small model of this machine choose who answers: peers of a role, or this machine.
//!
//! For each subject of each role the router is asked whether the end of the question is about it. All that is read of its
//! answers is how likely "yes" and "no" are, so it can choose and say nothing else. Small models say yes too readily: it
//! has to be clearly likelier, because what is chosen leaves this machine. A question that must stay here is not shown to
//! the router. Whatever fails, this machine answers.
use super::{Asking, Peers};
use crate::Model;
use reckon_assistant::{Ask, BatchEvent, CheckLevel, Event, OnReply};
use reckon_engine::{Generation, Message, Role, Sampling};
use std::ops::ControlFlow;

/// Characters of a question that are shown; what is asked stands at its end, behind any document.
const SHOWN: usize = 1500;
/// Subjects that are asked about; each costs a few words to read.
const MOST_SUBJECTS: usize = 16;
/// Likeliest tokens among which "yes" and "no" are looked for.
const LOOKED_AT: usize = 20;
/// The logarithm of how many times as likely as "no" a "yes" has to be. With 1, `qwen2.5-coder-1.5b` chose rightly in 95 of
/// 100 questions and sent away 1 of the 50 that were to stay; with 0 it sent away 7 of them: docs/peers.md.
const CLEARLY: f64 = 1.0;
/// Stands for the likelihood of a word that is not among the likeliest.
const UNLIKELY: f64 = 1e-6;

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
        let routes = self.known.routes.iter();
        let subjects = routes.flat_map(|(role, when)| subjects(when).map(move |one| (role, one)));
        let subjects: Vec<(&String, &str)> = subjects.take(MOST_SUBJECTS).collect();
        let asks = subjects.iter();
        let asks: Vec<Ask> = asks
            .map(|(_, subject)| about(router, &last.content, subject))
            .collect();
        let mut odds = vec![None; asks.len()];
        router.session().batch(&asks, &mut |at, event| match event {
            BatchEvent::Begin => ControlFlow::Continue(()),
            // Nobody needs to see it being written, but it can be stopped.
            BatchEvent::Writing(_) => on_event(Event::Prefill { done: 0, total: 0 }),
            BatchEvent::Ended(said) => {
                odds[at] = said.ok().and_then(|said| yes_over_no(router, &said));
                ControlFlow::Continue(())
            }
        });
        let (role, subject) = subjects[clearest(&odds)?];
        let name = &router.info().name;
        let why = format!("{name} chose the role {role}: about {subject}");
        Some((role, why))
    }
}

/// The subjects of a role, as its settings list them: "mathematics, long programs, law".
fn subjects(when: &str) -> impl Iterator<Item = &str> {
    let parts = when.split([',', ';']).map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// The question first: its tokens are read once for all subjects.
fn about(router: &Model, question: &str, subject: &str) -> Ask {
    let question = end(question);
    Ask {
        messages: vec![Message::user(format!(
            "Question: {question}\n\nIs this question about {subject}? Answer yes or no."
        ))],
        sampling: Sampling {
            temperature: 0.0,
            ..router.info().sampling.clone()
        },
        max_tokens: Some(1),
        check: CheckLevel::Off,
        logprobs: Some(LOOKED_AT),
        ..Ask::default()
    }
}

/// The logarithm of how many times as likely as "no" a "yes" is at the start of an answer; nothing if it is neither. A
/// model of somebody's own may not tell how likely its words are; then its word counts.
fn yes_over_no(router: &Model, said: &Generation) -> Option<f64> {
    let Some(first) = said.logprobs.first() else {
        let is_yes = said.text.trim().eq_ignore_ascii_case("yes");
        return is_yes.then_some(CLEARLY);
    };
    let words = first.top.iter().filter_map(|&(token, logprob)| {
        let text = router.detokenize(&[token]).ok()?;
        Some((text, f64::from(logprob)))
    });
    odds(words)
}

fn odds(words: impl Iterator<Item = (String, f64)>) -> Option<f64> {
    let (mut yes, mut no) = (0.0, 0.0);
    for (text, logprob) in words {
        match text.trim().to_lowercase().as_str() {
            "yes" => yes += logprob.exp(),
            "no" => no += logprob.exp(),
            _ => {}
        }
    }
    (yes + no > 0.0).then(|| ((yes + UNLIKELY) / (no + UNLIKELY)).ln())
}

/// The place of the highest odds, if they are clear.
fn clearest(odds: &[Option<f64>]) -> Option<usize> {
    let known = odds.iter().enumerate();
    let known = known.filter_map(|(at, odds)| odds.map(|odds| (at, odds)));
    let clear = known.filter(|(_, odds)| *odds >= CLEARLY);
    clear.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

/// The last characters of a text.
fn end(text: &str) -> &str {
    let mut starts = text.char_indices().rev().map(|(at, _)| at);
    starts.nth(SHOWN - 1).map_or(text, |at| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_what_stands_between_commas() {
        let found: Vec<&str> = subjects(" mathematics, long programs;law,, ").collect();
        assert_eq!(found, ["mathematics", "long programs", "law"]);
    }

    #[test]
    fn yes_has_to_be_clearly_likelier() {
        let said = |words: &[(&str, f64)]| {
            let words = words.iter();
            odds(words.map(|(text, p)| ((*text).to_owned(), p.ln())))
        };
        assert_eq!(said(&[("Maybe", 0.9)]), None);
        let hardly = said(&[("Yes", 0.5), (" no", 0.3), ("Well", 0.2)]);
        assert_eq!(clearest(&[hardly, None]), None);
        let clearly = said(&[("yes", 0.4), ("Yes", 0.4), ("No", 0.1)]);
        assert_eq!(clearest(&[None, hardly, clearly]), Some(2));
        let surely = said(&[("Yes", 0.99)]);
        assert_eq!(clearest(&[clearly, surely, clearly]), Some(1));
        assert_eq!(clearest(&[said(&[("No", 0.99)])]), None);
    }

    #[test]
    fn the_end_of_a_question_is_shown() {
        let long = format!("{}ü?", "a".repeat(2 * SHOWN));
        assert_eq!(end(&long).chars().count(), SHOWN);
        assert!(end(&long).ends_with("ü?"));
        assert_eq!(end("short"), "short");
    }
}
