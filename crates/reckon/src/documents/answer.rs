//! Asks a message about documents, and holds what comes against the pages.
use super::{Documents, Prepared, Way, internal};
use crate::Result;
use reckon_assistant::{
    Ask, CheckLevel, Cited, Entry, Event, GuardOutcome, Mark, NoTools, OnReply, Pipeline, Receipt,
    Reply, Spent, TextModel,
    number::{self, Found, Value},
};
use reckon_engine::Generation;
use reckon_recall::{Settled, Shown};

/// The name under which receipts speak of the quotations.
const QUOTES: &str = "quotes";

impl Documents {
    /// Answers, without guards: the pages are what these answers are held against. The last of `ask`'s messages is the
    /// prompt.
    ///
    /// # Errors
    /// The model's own.
    pub fn answer(
        &self,
        prepared: &Prepared,
        model: &mut dyn TextModel,
        ask: &Ask,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        match &prepared.way {
            Way::Absent => Ok(self.absent(on_event)),
            Way::Parts(parts) => self.summarise(prepared, parts, model, ask, on_event),
            Way::Direct => Ok(Pipeline::default().answer(model, &mut NoTools, ask, on_event)?),
            Way::Quoted(shown) => {
                let ask = Ask {
                    check: CheckLevel::Off,
                    ..ask.clone()
                };
                let mut reply = Pipeline::default().answer(model, &mut NoTools, &ask, on_event)?;
                self.settle(prepared, shown, &mut reply, on_event)?;
                Ok(reply)
            }
        }
    }

    fn absent(&self, on_event: &mut OnReply<'_>) -> Reply {
        let settled = self.library.settle_unasked();
        // Whoever stopped in this moment loses nothing.
        let _ = on_event(Event::Text(&settled.text));
        Reply {
            text: settled.text.clone(),
            generation: Generation::default(),
            receipt: Receipt {
                guards: vec![entry(&settled, None)],
                ..Receipt::default()
            },
            stopped: false,
        }
    }

    fn settle(
        &self,
        prepared: &Prepared,
        shown: &Shown,
        reply: &mut Reply,
        on_event: &mut OnReply<'_>,
    ) -> Result<()> {
        reply.receipt.documents = self.cited(shown);
        // Of half an answer nothing can be said.
        if reply.stopped {
            return Ok(());
        }
        let said = std::mem::take(&mut reply.text);
        let settled = self
            .library
            .settle(&prepared.question, &said, shown)
            .map_err(internal)?;
        let _ = match settled.text.strip_prefix(said.as_str()) {
            Some(more) => on_event(Event::Text(more)),
            None => {
                let _ = on_event(Event::Checking(QUOTES));
                on_event(Event::Revise {
                    guard: QUOTES,
                    text: &settled.text,
                })
            }
        };
        for quote in &settled.quotes {
            let cited = reply.receipt.documents.iter_mut();
            let mut cited = cited.filter(|one| one.file == quote.file && one.page == quote.page);
            if let Some(cited) = cited.next() {
                cited.quotes.push(quote.text.clone());
            }
        }
        reply.receipt.mark = mark(&said, &settled);
        reply.receipt.guards.push(entry(&settled, Some(&said)));
        reply.receipt.raw = Some(said);
        reply.text = settled.text;
        Ok(())
    }

    /// The pages of what was shown, as receipts name them.
    pub(super) fn cited(&self, shown: &Shown) -> Vec<Cited> {
        let places = self.library.places(shown).into_iter();
        let cited = places.map(|(file, page, passages)| Cited {
            file,
            page,
            passages,
            quotes: Vec::new(),
        });
        cited.collect()
    }
}

/// What is said of the numbers of such an answer. A page that has them does not make them right, so none is "verified".
fn mark(said: &str, settled: &Settled) -> Option<Mark> {
    if settled.quotes.is_empty() {
        return None;
    }
    let numbers = number::numbers(said);
    let text = |found: &Found| said[found.span.clone()].to_owned();
    let is_quoted = |found: &Found| {
        let value = Value::Exact(found.value.clone());
        let mut quotes = settled.quotes.iter();
        quotes.any(|quote| number::states(&quote.text, &value))
    };
    let last = numbers.last()?;
    Some(match numbers.iter().find(|found| !is_quoted(found)) {
        Some(other) => {
            let number = text(other);
            Mark::unchecked(format!("{number} is not in the quoted sentences")).value(number)
        }
        None => Mark::unchecked("quoted, not computed").value(text(last)),
    })
}

/// What the quotations came to, as receipts have it of guards.
fn entry(settled: &Settled, said: Option<&str>) -> Entry {
    let n = settled.quotes.len();
    let (outcome, reason) = match settled.why {
        Some(why) => (GuardOutcome::Revised, why.to_owned()),
        None if !settled.removed.is_empty() => {
            let removed = settled.removed.len();
            (
                GuardOutcome::Revised,
                format!("{removed} of its quotations are on no page"),
            )
        }
        None if n == 1 => (
            GuardOutcome::Confirmed,
            "a sentence of the pages carries it".into(),
        ),
        None => (
            GuardOutcome::Confirmed,
            format!("{n} sentences of the pages carry it"),
        ),
    };
    let revised = outcome == GuardOutcome::Revised;
    Entry {
        guard: QUOTES.into(),
        fired: revised,
        outcome,
        reason: Some(reason),
        evidence: None,
        program: None,
        votes: Vec::new(),
        replaced: said.filter(|_| revised).map(str::to_owned),
        spent: Spent::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckon_recall::Quote;

    #[test]
    fn a_number_of_a_page_is_said_to_be_quoted_and_another_one_is_named() {
        let quote = Quote {
            text: "The roof cost 1,250 euros in 2019.".into(),
            file: "report.pdf".into(),
            page: Some(3),
        };
        let settled = Settled {
            text: String::new(),
            quotes: vec![quote],
            removed: Vec::new(),
            why: None,
        };
        let why = |said: &str| mark(said, &settled).map(|mark| mark.why);
        assert_eq!(why("It was the roof."), None);
        assert_eq!(
            why("It cost 1250 euros.").as_deref(),
            Some("quoted, not computed")
        );
        assert_eq!(
            why("It cost 1,520 euros.").as_deref(),
            Some("1,520 is not in the quoted sentences")
        );
    }
}
