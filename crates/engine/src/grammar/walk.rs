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

    /// Control tokens that are shown as text here.
    pub(crate) fn shown(&self) -> &[Token] {
        &self.grammar.shown[usize::from(self.holds())]
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
        let tokens = self.grammar.vocabulary.spell(begun.as_bytes());
        // What no call begins with stays free text, and is none to whoever reads calls.
        if matcher.consume_tokens(&tokens).is_ok() {
            self.matcher = Some(matcher);
        }
    }

    /// Whether this token may come next, as `next` would say it: in microseconds, where `next` takes milliseconds if what it
    /// finds out is new at every place, as where words are counted. `None`: only `next` can tell.
    pub(crate) fn allows(&mut self, token: Token) -> Option<bool> {
        let vocabulary = &self.grammar.vocabulary;
        // Calls of tools are marked by control tokens, which stand for no text.
        if !self.grammar.is_text_only() {
            return None;
        }
        let matcher = self.matcher.as_mut()?;
        if vocabulary.ends().contains(&token) {
            return matcher.is_accepting().ok();
        }
        if !vocabulary.is_text(token) {
            return Some(false);
        }
        matcher
            .validate_tokens(&[token])
            .ok()
            .map(|taken| taken == 1)
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

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Vocabulary;
    use super::*;
    use crate::tool_call::{CallRules, lark};
    use crate::{Shape, Tool, ToolChoice, ToolStyle};
    use serde_json::json;

    /// A free answer over single bytes that may call one of two tools.
    fn walk(style: ToolStyle, parallel: bool) -> Walk {
        let tool = |name: &str| Tool {
            name: name.into(),
            description: None,
            parameters: json!({ "properties": { "a": { "type": "boolean" } }, "required": ["a"] }),
        };
        let rules = CallRules {
            style,
            choice: &ToolChoice::Auto,
            parallel,
            tag: &|tag| serde_json::Value::from(tag).to_string(),
        };
        let (one, other) = (tool("one"), tool("other"));
        let grammar = lark(&[&one, &other], rules).expect("a grammar");
        let vocabulary = Arc::new(Vocabulary::of_bytes().expect("bytes"));
        let grammar = Grammar::of_tools(&vocabulary, grammar, Default::default());
        Walk::new(Arc::new(grammar.expect("it compiles")))
    }

    /// Writes the text freely or under the grammar, as it comes; gives whether the answer is over.
    fn write(walk: &mut Walk, text: &str) -> bool {
        text.bytes().fold(false, |over, byte| {
            assert!(!over, "more after the end");
            if !walk.holds() {
                walk.watch(&char::from(byte).to_string());
                return false;
            }
            let Next::Tokens(allowed) = walk.next() else {
                panic!("nothing may follow");
            };
            assert!(allowed.get(byte as usize), "{:?} in {text:?}", byte as char);
            walk.push(Token::from(byte))
        })
    }

    fn allows(walk: &mut Walk, byte: u8) -> bool {
        match walk.next() {
            Next::Tokens(allowed) => allowed.get(byte as usize),
            _ => false,
        }
    }

    #[test]
    fn a_tag_in_letters_is_enough() {
        for (style, call) in [
            (
                ToolStyle::Hermes,
                "<tool_call>\n{\"name\": \"other\", \"arguments\": {\"a\": true}}\n</tool_call>",
            ),
            (
                ToolStyle::Gemma4,
                "<|tool_call>call:other{a:true}<tool_call|>",
            ),
        ] {
            let mut free = walk(style, true);
            assert!(!write(&mut free, "<tool <|tool é <tool_call {"));
            assert!(!free.holds());
            for _ in 0..2 {
                assert!(!write(&mut free, call), "it may go on");
                assert!(!free.holds(), "and is free again");
            }
            assert!(write(&mut walk(style, false), call), "one call is all");
            let mut begun = walk(style, false);
            write(&mut begun, &call[..call.find("other").expect("a name")]);
            assert!(allows(&mut begun, b'o') && !allows(&mut begun, b'x'));
            write(&mut begun, "other");
            assert!(!allows(&mut begun, b's'));
        }
    }

    #[test]
    fn what_a_token_brings_along_with_the_tag_counts() {
        let mut begun = walk(ToolStyle::Hermes, false);
        begun.watch("so <tool_");
        begun.watch("call>\n{\"name");
        assert!(begun.holds() && allows(&mut begun, b'"') && !allows(&mut begun, b' '));
        // What no call begins with is left alone.
        let mut odd = walk(ToolStyle::Hermes, false);
        odd.watch("<tool_call>?");
        assert!(!odd.holds());
        odd.watch("<tool_call>");
        assert!(odd.holds());
    }

    #[test]
    fn an_object_is_held_once_it_names_a_tool() {
        for (text, holds) in [
            (" {\"name\": \"one\"", true),
            ("\n{ \"name\" : \"other\"", true),
            ("{\"name\": \"others\"", false),
            ("{\"name\": \"on", false),
            ("{\"a\": 1, \"name\": \"one\"", false),
            ("So: {\"name\": \"one\"", false),
        ] {
            let mut free = walk(ToolStyle::Llama3, true);
            free.watch(text);
            assert_eq!(free.holds(), holds, "{text}");
            if holds {
                assert!(write(&mut free, ", \"parameters\": {\"a\": false}}"));
            }
        }
    }

    /// Single bytes, pieces of several, tokens that stand for nothing and two that end an answer.
    fn pieces() -> Arc<Vocabulary> {
        let pieces = [
            "the",
            " the",
            " cat",
            " is",
            ". ",
            ".\n",
            "\n\n",
            "\", \"",
            "{\"",
            "\": ",
            "true}",
            "12",
            " 3",
            "é",
            "ab",
            "Ab",
            "<end",
            " one two",
            " one two three",
            ", ",
            "...",
            "]",
            "}}",
            "e",
            "a cat. A",
            "",
        ];
        let bytes = (0..0xff).map(|byte| vec![byte]);
        let mut words: Vec<Vec<u8>> = bytes.collect();
        words.extend(pieces.map(|piece| piece.as_bytes().to_vec()));
        // A letter's first byte with what comes before it, as byte-level vocabularies have it; then the two ends.
        words.extend([vec![b' ', 0xc3], Vec::new(), Vec::new()]);
        let ends = [words.len() as Token - 2, words.len() as Token - 1];
        Arc::new(Vocabulary::of_words(words, ends.to_vec()).expect("a vocabulary"))
    }

    #[test]
    fn one_token_is_allowed_if_it_is_among_all_that_are() {
        let lark = |text: &str| Shape::Lark(text.into());
        let shapes = [
            lark("start: ANSWER\nANSWER: /[A-Za-z,. ]*/ & /[^a-z]*([a-z]+[^a-z]+){2,6}[a-z]+[^a-z]*/ & ~/(?s:.*)cat(?s:.*)/"),
            lark("start: \"(\" start \")\" | \"[\" start \"]\" | \"the cat\" | /[0-9]{2}/"),
            Shape::Regex(r"(\pL+ ){1,3}\pL+\.".into()),
            Shape::Regex("(?s:.*)é(?s:.*)".into()),
            Shape::Choices(vec!["the".into(), "the cat".into(), "true".into()]),
            Shape::Schema(r#"{"type":"object","properties":{"a":{"type":"integer"},"the":{"type":"string","maxLength":5}},"required":["a"]}"#.into()),
        ];
        let vocabulary = pieces();
        let (mut state, mut compared, mut ended) = (7u64, 0, 0);
        for shape in shapes {
            let grammar = Arc::new(Grammar::new(&vocabulary, &shape).expect("it compiles"));
            for _ in 0..12 {
                let mut walk = Walk::new(Arc::clone(&grammar));
                for _ in 0..30 {
                    let all = 0..vocabulary.end();
                    let one_by_one: Vec<bool> = (all.clone())
                        .map(|token| walk.allows(token).expect("it can be told"))
                        .collect();
                    let Next::Tokens(allowed) = walk.next() else {
                        let ends = vocabulary.ends();
                        let others = all.filter(|token| !ends.contains(token));
                        let allowed = others.filter(|token| one_by_one[*token as usize]);
                        assert_eq!(allowed.count(), 0, "{shape:?}");
                        break;
                    };
                    for token in all {
                        let at = token as usize;
                        assert_eq!(one_by_one[at], allowed.get(at), "{shape:?}, token {token}");
                        compared += 1;
                    }
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    let nth = (state >> 33) as usize % allowed.num_set();
                    let token = allowed.iter().nth(nth).expect("one of them");
                    if vocabulary.ends().contains(&token) || walk.push(token) {
                        ended += 1;
                        break;
                    }
                }
            }
        }
        assert!(compared > 100_000 && ended > 20, "{compared}, {ended}");
    }
}
