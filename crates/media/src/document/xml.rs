//! The XML of office files as a flat row of events: begin, end and text, with local names.
//!
//! No tree, and entities that a file defines are not expanded, so neither depth nor a "billion laughs" costs anything.
use super::charset;
use quick_xml::{
    Reader,
    escape::resolve_xml_entity,
    events::{BytesStart, Event},
};

/// What comes next in a part.
pub(super) enum Token<'a> {
    /// An element begins; an empty one is followed by its end.
    Begin(Element<'a>),
    /// An element of this local name ends.
    End(String),
    /// Text between them.
    Text(String),
}

/// The beginning of an element.
pub(super) struct Element<'a> {
    start: BytesStart<'a>,
    pub(super) name: String,
}

impl Element<'_> {
    /// The value of an attribute, by its local name.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut all = self.start.attributes();
        let found = all
            .with_checks(false)
            .flatten()
            .find(|it| it.key.local_name().as_ref() == name)?;
        Some(super::html::unescape(&found.value))
    }
}

/// Hands every token to `take`, until it says false. A part that breaks off or is no XML gives what came before; whether it
/// was read to its end.
pub(super) fn each(xml: &[u8], mut take: impl FnMut(Token<'_>) -> bool) -> bool {
    let xml = charset::decode(xml, None);
    let mut reader = Reader::from_str(&xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.expand_empty_elements = true;
    loop {
        let token = match reader.read_event() {
            Ok(Event::Start(start)) => {
                let name = start.local_name().as_ref().to_owned();
                Token::Begin(Element { start, name })
            }
            Ok(Event::End(end)) => Token::End(end.local_name().as_ref().to_owned()),
            Ok(Event::Text(text)) => Token::Text((*text).to_owned()),
            Ok(Event::CData(text)) => Token::Text((*text).to_owned()),
            Ok(Event::GeneralRef(entity)) => {
                let value = resolve_xml_entity(&entity).map(Into::into);
                let value = value.or_else(|| entity.resolve_char_ref().ok()?.map(Into::into));
                Token::Text(value.unwrap_or_default())
            }
            Ok(Event::Eof) => return true,
            Ok(_) => continue,
            Err(_) => return false,
        };
        if !take(token) {
            return true;
        }
    }
}
