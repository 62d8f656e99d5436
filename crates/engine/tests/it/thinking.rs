//! Thinking is split off the answer however its markers arrive.
use crate::vocabularies::{Owned, byte_level, chars};
use proptest::prelude::*;
use reckon_engine::{Kind, Part, Template, Thinking, Token, Tokenizer};

struct Case {
    tokenizer: Tokenizer,
    template: Template,
}

impl Case {
    fn new(owned: Owned) -> Self {
        Self {
            tokenizer: owned.tokenizer(),
            template: Template::new(""),
        }
    }

    fn split(&self, prompt: &str, tokens: &[Token]) -> (String, String) {
        let prompt = self.tokenizer.encode_template(prompt);
        let mut thinking = Thinking::new(&self.tokenizer, &self.template, &prompt);
        let (mut thought, mut text) = (String::new(), String::new());
        let mut on_part = |part: Part<'_>| match part {
            Part::Thought(t) => {
                assert!(!t.is_empty());
                thought.push_str(t);
            }
            Part::Text(t) => {
                assert!(!t.is_empty());
                text.push_str(t);
            }
        };
        for &token in tokens {
            thinking.push(&self.tokenizer, token, &mut on_part);
        }
        thinking.finish(&mut on_part);
        (thought, text)
    }

    /// With markers as tokens and as letters.
    fn check(&self, answer: &str, thought: &str, text: &str) {
        let want = (thought.to_owned(), text.to_owned());
        assert_eq!(
            self.split("", &self.tokenizer.encode_template(answer)),
            want,
            "as tokens: {answer:?}"
        );
        assert_eq!(
            self.split("", &self.tokenizer.encode_text(answer)),
            want,
            "as letters: {answer:?}"
        );
    }
}

#[test]
fn think_blocks_at_the_beginning_are_thought() {
    let case = Case::new(byte_level("qwen2").without(&["<|channel>", "<channel|>"]));
    case.check(
        "<think>\nHmm, the 🙂\n</think>\n\nHello",
        "Hmm, the 🙂",
        "Hello",
    );
    case.check("\n<think>a</think>b", "a", "b");
    case.check("<think>\n\n</think>\n\nHello", "", "Hello");
    case.check("Hello", "", "Hello");
    case.check("  Hello ", "", "  Hello ");
    case.check("", "", "");
    case.check(" \n", "", " \n");
    case.check("<think>never closed\n", "never closed", "");
    case.check("<think>a </thin b</think>c", "a </thin b", "c");
    case.check("<thin air", "", "<thin air");
    case.check("Use `<think>x</think>` so", "", "Use `<think>x</think>` so");
    case.check(
        "<think>a</think>```\n<think>b</think>\n```",
        "a",
        "```\n<think>b</think>\n```",
    );
    case.check("<think>a</think>\n<think>b</think>c", "ab", "c");
}

#[test]
fn a_prompt_may_leave_the_block_open() {
    let case = Case::new(byte_level("qwen2").without(&["<|channel>", "<channel|>"]));
    let answer = case.tokenizer.encode_template("a b\n</think>\n\nc");
    assert_eq!(
        case.split("<|im_start|>assistant\n<think>\n", &answer),
        ("a b".into(), "c".into())
    );
    let answer = case.tokenizer.encode_template("c");
    assert_eq!(
        case.split("<think>\n\n</think>\n\n", &answer),
        (String::new(), "c".into())
    );
}

#[test]
fn gemma_channels_are_thought() {
    let case = Case::new(chars("gemma4"));
    case.check("<|channel>thought\nHmm\n<channel|>Hello", "Hmm", "Hello");
    case.check("<|channel>thought\n<channel|>Hello", "", "Hello");
    case.check("<|channel><channel|>Hello", "", "Hello");
    case.check(
        "<|channel><|channel>thought\nx<channel|>\nHello\n",
        "x",
        "Hello\n",
    );
    case.check("<|channel>thought\nunclosed", "unclosed", "");
    case.check("<|channel>Hello", "", "Hello");
    case.check("Hello", "", "Hello");
    case.check("<|chan", "", "<|chan");
    // In the middle of an answer only the token counts.
    let tokens = case
        .tokenizer
        .encode_template("a <|channel>thought\nb<channel|>c<channel|>d");
    assert_eq!(case.split("", &tokens), ("b".into(), "a cd".into()));
    let letters = case
        .tokenizer
        .encode_text("a <|channel>thought\nb<channel|>c");
    assert_eq!(
        case.split("", &letters),
        (String::new(), "a <|channel>thought\nb<channel|>c".into())
    );
}

#[test]
fn models_without_markers_only_speak() {
    let case = Case::new(chars("llama").without(&["<|channel>", "<channel|>"]));
    case.check("<think>a</think>b", "", "<think>a</think>b");
}

proptest! {
    #[test]
    fn nothing_is_lost_or_doubled(thought in "[a-z🙂<é/ ]{0,20}", text in "[a-z🙂<é> \\n]{0,20}", pieces in 1..5_usize) {
        let case = Case::new(byte_level("qwen2").without(&["<|channel>", "<channel|>"]));
        let answer = format!("<think>{thought}</think>{text}");
        // Bytes in pieces: the worst way in which tokens can cut it.
        let tokens: Vec<Token> = answer.bytes().map(|b| case.tokenizer.encode_text(&char::from(b & 0x7f).to_string())[0]).collect();
        let (got_thought, got_text) = if answer.is_ascii() && pieces > 2 {
            case.split("", &tokens)
        } else {
            case.split("", &case.tokenizer.encode_template(&answer))
        };
        prop_assert_eq!(got_thought, thought.trim());
        prop_assert_eq!(got_text, text.trim_start());
    }
}

/// A vocabulary with the markers of gpt-oss.
fn harmony() -> Case {
    let mut owned = byte_level("qwen2").without(&["<|channel>", "<channel|>"]);
    let markers = [
        "<|start|>",
        "<|channel|>",
        "<|message|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
    ];
    for marker in markers {
        owned.tokens.push(marker.into());
        owned.kinds.push(Kind::Normal);
        owned.scores.push(0.0);
    }
    Case::new(owned)
}

#[test]
fn of_harmony_only_the_final_channel_is_text() {
    let case = harmony();
    let split = |prompt: &str, answer: &str| {
        let tokens = case.tokenizer.encode_template(answer);
        case.split(prompt, &tokens)
    };
    let opened = "<|start|>user<|message|>Hi<|end|><|start|>assistant";
    for (answer, thought, text) in [
        (
            "<|channel|>analysis<|message|>Hmm, 🙂<|end|><|start|>assistant<|channel|>final<|message|>Hello \n",
            "Hmm, 🙂",
            "Hello \n",
        ),
        ("<|channel|>final<|message|>Hello", "", "Hello"),
        ("<|channel|>final json<|message|>{}", "", "{}"),
        ("<|channel|>finally<|message|>a", "a", ""),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b",
            "a\n\nb",
            "",
        ),
        (
            "<|channel|>final<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "",
            "a\n\nb",
        ),
        ("<|message|>a", "", "a"),
        ("no marker at all", "", "no marker at all"),
        (
            "<|channel|>analysis<|message|>never closed",
            "never closed",
            "",
        ),
        ("<|channel|>analysis", "", ""),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant",
            "a",
            "",
        ),
        ("<|channel|>final<|message|><|message|>a", "", "a"),
        ("", "", ""),
    ] {
        let want = (thought.to_owned(), text.to_owned());
        assert_eq!(split(opened, answer), want, "{answer:?}");
    }
    // A prompt may end in a message.
    let final_message = format!("{opened}<|channel|>final<|message|>```python\n");
    let want = (String::new(), "x = 1".to_owned());
    assert_eq!(split(&final_message, "x = 1"), want);
}

#[test]
fn an_end_of_a_message_is_no_end_of_a_harmony_answer() {
    let ends = |case: &Case, text: &str| {
        let token = case.tokenizer.marker(text).expect("a marker");
        case.tokenizer.is_end(token)
    };
    let case = harmony();
    assert!(ends(&case, "<|return|>") && ends(&case, "<|call|>"));
    assert!(!ends(&case, "<|end|>"));
    let mut owned = byte_level("qwen2");
    owned.tokens.push("<|end|>".into());
    owned.kinds.push(Kind::Control);
    owned.scores.push(0.0);
    assert!(ends(&Case::new(owned), "<|end|>"));
}
