//! Images and sound in a prompt: their places in a message, and soft tokens in the places that a template leaves.
//!
//! A message with media is given to the template as a list of parts, as Hugging Face does: `[{type: "image"}, {type: "text",
//! text: …}]`, and the template writes a placeholder token for each. A template that knows no parts gets one text with the
//! placeholders in it. Either way the rendered prompt must have exactly the placeholders that were asked for, in order:
//! text of a message cannot become one (`template`), so what is found there was put there by us or by the template.
//!
//! A placeholder becomes an opening token, the soft tokens (with the placeholder as their token) and a closing one.

use crate::{Error, Media, MediaKind, Message, Prompt, Result, Token, Tokenizer};
use serde_json::{Value, json};

/// Opening, placeholder and closing token, as Gemma 4 spells them.
const fn spelling(kind: MediaKind) -> [&'static str; 3] {
    match kind {
        MediaKind::Image => ["<|image>", "<|image|>", "<image|>"],
        MediaKind::Audio => ["<|audio>", "<|audio|>", "<audio|>"],
    }
}

/// All media of a conversation, in the order of their places.
pub(super) fn of(messages: &[Message]) -> Vec<&Media> {
    messages.iter().flat_map(in_order).collect()
}

fn in_order(message: &Message) -> Vec<&Media> {
    let mut media: Vec<&Media> = message.media.iter().collect();
    media.sort_by_key(|media| media.at);
    media
}

/// The content of a message for a template; `text` makes the text of ours safe. `parts`: as a list.
pub(super) fn content(message: &Message, text: impl Fn(&str) -> String, parts: bool) -> Value {
    if message.media.is_empty() {
        return text(&message.content).into();
    }
    let (mut pieces, mut rest) = (Vec::new(), 0);
    let say = |pieces: &mut Vec<Value>, part: &str| {
        if !part.is_empty() {
            pieces.push(json!({ "type": "text", "text": text(part) }));
        }
    };
    for media in in_order(message) {
        // A place inside a character is the place before it.
        let at = message.content.floor_char_boundary(media.at).max(rest);
        say(&mut pieces, &message.content[rest..at]);
        rest = at;
        pieces.push(json!({ "type": media.kind.name() }));
    }
    say(&mut pieces, &message.content[rest..]);
    if parts {
        return pieces.into();
    }
    let mut kinds = in_order(message).into_iter().map(|media| media.kind);
    let words = pieces.iter().map(|piece| match piece["text"].as_str() {
        Some(text) => text,
        None => kinds.next().map_or("", |kind| spelling(kind)[1]),
    });
    words.collect::<String>().into()
}

/// The tokens of a rendered prompt with soft tokens in place of the placeholders.
pub(super) fn place(tokenizer: &Tokenizer, tokens: &[Token], media: &[&Media]) -> Result<Prompt> {
    let marker = |text: &str| tokenizer.marker(text);
    let known = [MediaKind::Image, MediaKind::Audio].map(|kind| (kind, spelling(kind).map(marker)));
    let mut media = media.iter();
    let mut prompt = Prompt::default();
    for &token in tokens {
        let kind = known.iter().find(|(_, [_, own, _])| *own == Some(token));
        let Some((kind, [open, _, close])) = kind else {
            prompt.push(token);
            continue;
        };
        let next = media.next().filter(|media| media.kind == *kind);
        let (Some(next), Some(open), Some(close)) = (next, open, close) else {
            return Err(misplaced());
        };
        prompt.push(*open);
        prompt.push_soft(token, next.soft.clone());
        prompt.push(*close);
    }
    match media.next() {
        None => Ok(prompt),
        Some(_) => Err(misplaced()),
    }
}

fn misplaced() -> Error {
    Error::Template("it has no place for the images and sound of this conversation".into())
}
