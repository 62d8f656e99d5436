//! One answer on its way through a grammar: tokens in, the tokens that may follow out.
//!
//! Called by `sequence`, once per token of the answer. Only tokens that were chosen are taken, in order, so nothing is ever
//! taken back; guesses that do not stand never get here. Each walk has its own copy of the parser's memory: what one
//! answer may say does not depend on others.
use super::{Grammar, lazy::Watch};
use crate::Token;
use llguidance::{Matcher, TokenParser, api::StopReason, toktrie::SimpleVob};
use std::fmt;
use std::sync::Arc;

/// A place in a grammar.
pub(crate) struct Walk {
    grammar: Arc<Grammar>,
    /// `None` while the answer is free.
    matcher: Option<Matcher>,
    watch: Watch,
}

/// What may come next.
pub(crate) enum Next {
    /// One of these tokens; those that end an answer are among them if the grammar is complete.
    Tokens(SimpleVob),
    /// Nothing: the grammar is complete.
    End,
    /// Nothing, although the grammar is not complete: the vocabulary cannot write it, or it has grown too large.
    Stuck,
}

impl Walk {
    /// At the beginning.
    pub(crate) fn new(grammar: Arc<Grammar>) -> Self {
        Self {
            matcher: grammar.is_eager().then(|| begin(&grammar)),
            watch: Watch::default(),
            grammar,
        }
    }

    /// Whether the grammar says what may come next; otherwise anything may.
    pub(crate) fn holds(&self) -> bool {
        self.matcher.is_some()
    }

    /// Takes text that was written freely; from here on the grammar may hold.
    pub(crate) fn watch(&mut self, text: &str) {
        let Some((trigger, _)) = &self.grammar.lazy else {
            return;
        };
        let Some(begun) = self.watch.push(trigger, text) else {
            return;
        };
        // The token that completed a tag may have brought more along.
        let mut matcher = begin(&self.grammar);
        let tokens = self.grammar.vocabulary.spell(&begun);
        // What no call begins with stays free text, and is none to whoever reads calls.
        if matcher.consume_tokens(&tokens).is_ok() {
            self.matcher = Some(matcher);
        }
    }

    /// What may come next.
    pub(crate) fn next(&mut self) -> Next {
        let vocabulary = &self.grammar.vocabulary;
        let mask = self.matcher.as_mut().map(Matcher::compute_mask);
        let Some(Ok(mut tokens)) = mask else {
            return Next::Stuck;
        };
        let end = vocabulary.end() as usize;
        let complete = tokens.get(end);
        tokens.set(end, false);
        if tokens.is_zero() {
            return match complete {
                true => Next::End,
                false => Next::Stuck,
            };
        }
        for &end in vocabulary.ends() {
            tokens.set(end as usize, complete);
        }
        Next::Tokens(tokens)
    }

    /// Goes on with one of the tokens that may come next; gives whether the grammar is complete and allows no more.
    pub(crate) fn push(&mut self, token: Token) -> bool {
        let Some(matcher) = &mut self.matcher else {
            return false;
        };
        // A failure shows in `next`.
        let is_over = matcher.consume_token(token).is_ok()
            && matcher.is_stopped()
            && matcher.stop_reason().is_ok();
        let is_free_again = self.grammar.lazy.as_ref().is_some_and(|(_, again)| *again);
        if is_over && is_free_again {
            self.matcher = None;
        }
        is_over && !is_free_again
    }
}

fn begin(grammar: &Grammar) -> Matcher {
    Matcher::new(Ok(grammar.parser.deep_clone()))
}

/// Whether a parser over single bytes takes the whole text and is complete then.
pub(super) fn accepts(parser: TokenParser, text: &str) -> bool {
    let mut matcher = Matcher::new(Ok(parser));
    let bytes: Vec<Token> = text.bytes().map(Token::from).collect();
    let taken = matcher.try_consume_tokens(&bytes);
    let whole = taken.is_ok_and(|taken| taken == bytes.len());
    // A parser that allows no more has stopped, and then only the reason tells.
    whole
        && (matcher.is_accepting().unwrap_or(false)
            || matcher.stop_reason() == StopReason::NoExtension)
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").finish_non_exhaustive()
    }
}
