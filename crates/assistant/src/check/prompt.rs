//! A prompt as the table reads it: quoted text and code blanked, sentences known, requests told from talk.
//!
//! `open` has the same bytes as the prompt except that the inside of long quotations, of code and of pasted material
//! is `\x01` and ASCII letters are small: a pattern cannot match there and need not know two cases, yet every offset is
//! an offset into the prompt. Short quotations stay, they are the words that a rule is about.
use super::{
    pattern::patterns,
    quantity::{self, Amount},
};
use std::ops::Range;

/// Quotations up to this many words stay readable.
const SHORT_QUOTE: usize = 6;
/// A quotation mark without a partner so near is not a quotation.
const LONGEST_QUOTE: usize = 4000;

/// How far a sentence is read to either side of a place: texts without full stops stay cheap.
const WINDOW: usize = 400;
/// A prompt and what rows ask of it.
pub(super) struct Prompt<'a> {
    /// The prompt as given.
    pub(super) text: &'a str,
    /// The same with everything blanked that asks for nothing.
    pub(super) open: String,
    /// Byte ranges of the sentences of `open`.
    sentences: Vec<Range<usize>>,
    /// Numbers with their words of comparison, in order.
    pub(super) amounts: Vec<Amount>,
}

impl<'a> Prompt<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.make_ascii_lowercase();
        for range in code(text).into_iter().chain(quotations(text)) {
            // Only ASCII: other characters match no pattern, and every boundary stays one.
            let blanked = bytes[range].iter_mut().filter(|byte| byte.is_ascii());
            blanked.for_each(|byte| *byte = 1);
        }
        // ASCII was replaced by ASCII, so this is still UTF-8.
        let open = String::from_utf8(bytes).unwrap_or_default();
        let sentences = sentences(&open);
        let mut prompt = Self {
            text,
            open,
            sentences,
            amounts: Vec::new(),
        };
        prompt.amounts = quantity::amounts(&prompt);
        prompt
    }

    /// The sentence around a position, as far as [`WINDOW`] reaches.
    pub(super) fn sentence(&self, at: usize) -> Range<usize> {
        let index = self.sentences.partition_point(|range| range.end <= at);
        match self.sentences.get(index) {
            Some(range) => {
                let low = self.open.ceil_char_boundary(at.saturating_sub(WINDOW));
                let high = self.open.floor_char_boundary(at.saturating_add(WINDOW));
                range.start.max(low)..range.end.min(high)
            }
            None => self.open.len()..self.open.len(),
        }
    }

    /// The sentence around a position and its two neighbours.
    pub(super) fn neighbourhood(&self, at: usize) -> Range<usize> {
        let index = self.sentences.partition_point(|range| range.end <= at);
        let first = self.sentences.get(index.saturating_sub(1));
        let last = self
            .sentences
            .get((index + 1).min(self.sentences.len().saturating_sub(1)));
        match (first, last) {
            (Some(first), Some(last)) => {
                let low = self.open.ceil_char_boundary(at.saturating_sub(WINDOW));
                let high = self.open.floor_char_boundary(at.saturating_add(WINDOW));
                first.start.max(low)..last.end.min(high)
            }
            _ => 0..0,
        }
    }

    /// The words of `open` before a position, in its sentence.
    pub(super) fn before(&self, at: usize) -> &str {
        let end = at.min(self.open.len());
        &self.open[self.sentence(end).start.min(end)..end]
    }

    /// The words of `open` from a position to the end of its sentence.
    pub(super) fn after(&self, at: usize) -> &str {
        let mut last = at.saturating_sub(1);
        while !self.open.is_char_boundary(last) {
            last -= 1;
        }
        let end = self.sentence(last).end.max(at);
        &self.open[at..end]
    }

    /// Whether the sentence around a position asks the reader for something about the answer.
    pub(super) fn asks(&self, at: usize) -> bool {
        let range = self.sentence(at);
        let sentence = &self.open[range.clone()];
        if ABOUT_CODE.is_match(sentence) && !ANSWER.is_match(sentence) {
            return false;
        }
        if REPORTED.is_match(sentence) && !YOURS.is_match(sentence) {
            return false;
        }
        REQUEST.is_match(sentence) || IMPERATIVE.is_match(sentence)
    }

    /// Like [`Self::asks`]; a question may name a length too ("What is dew, in under 20 words?"), or a fragment:
    /// "At most 20 words."
    pub(super) fn asks_length(&self, span: &Range<usize>) -> bool {
        let before = self.before(span.start);
        let fragment = || FRAGMENT.is_match(before) && ENDS.is_match(self.after(span.end));
        self.asks(span.start) || QUESTION.is_match(before) || fragment()
    }

    /// Whether the sentence around a position names the answer itself.
    pub(super) fn names_answer(&self, at: usize) -> bool {
        ANSWER.is_match(&self.open[self.sentence(at)])
    }

    /// Whether words before a position in its sentence tie a count to a part of the answer only.
    pub(super) fn is_partial(&self, at: usize) -> bool {
        PARTIAL.is_match(self.before(at)) || PER_UNIT_AFTER.is_match(self.after(at))
    }
}

patterns! {
    ANSWER = r"\b(you|your|the|this|entire|whole) ((entire|whole|final|own|full|complete) ){0,2}({work})s?\b|\b(your|the) (entire|whole)\b|\brespond\b|\breply\b|\banswer\b";
    REQUEST = r"\b(please|(is|are|be|not) (not )?(allowed|forbidden|permitted|prohibited)|make sure|making sure
        |be sure|ensure|ensuring|do not|don['’]?t|refrain|avoid|you (must|should|need to|have to|may not
        |cannot|can only)|i (want|need|would like|require)|i['’]d like|(can|could|would|will) you
        |your ([a-z]+ ){0,2}({answer}|task)|let['’]s|in this task|(should|must|has to|have to|needs to
        |need to|shall)( not|n['’]t)? ([a-z]+ ){0,2}(be|have|contain|include|use|start|begin|end|finish
        |appear|consist|mention|follow|fit|read|look|exceed|separate|written|wrapped|at least|at most))\b";
    IMPERATIVE = r"(^|[,;:(]|\band\b|\bbut\b|\bthen\b|\balso\b|--|—)[\s\d.*)\-•]*((and|but|then|also|please|first
        |second|next|finally|lastly|additionally|furthermore|moreover|hey|hi|hello|just|only|kindly|always
        |never|in (your|the) [a-z]+)[\s,!]+)*(write|rewrite|use|using|utili[sz]e|include|including|add
        |answer|respond|reply|give|provide|create|generate|make|list|explain|describe|compose|draft|come up
        |tell|summari[sz]e|keep|limit|put|wrap|enclose|highlight|italici[sz]e|bold|end|finish|conclude|start
        |begin|mention|separate|mark|format|exclude|expand|elaborate|rephrase|paraphrase|repeat|say|do
        |don['’]?t|avoid|refrain|produce|present|return|output|show|invent|design|plan|develop|prepare
        |suggest|recommend|name|brainstorm|outline|discuss|compare|convert|translate|change|edit
        |capitali[sz]e|contain|containing|control|without|mimic|imagine|pretend|act|take|help|turn|choose
        |pick|select|construct|build|craft|identify|analy[sz]e|state|define)\b";
    /// What somebody else asked for is not asked of the answer.
    REPORTED = r"\b(said|says|told me|claims?|heard|according to)\b";
    YOURS = r"\b(your|please|you)\b";
    QUESTION = r"^[\s\d.)]*(what|why|how|who|when|where|which|explain)\b[^?]*(\bin\b|\bwith\b|\busing\b|[,(])\s*$";
    FRAGMENT = r"^[\s\d.)*•-]*$";
    ENDS = r"^\s*([.!,;)\n]|$|(and|long|total|please|in total|or)\b)";
    ABOUT_CODE = r"\b(functions?|program|class|method|script|code|query|algorithm|app|api) (that|which|to|in|for|called
        |named|using|returning|with)\b|\b(python|javascript|typescript|java|c\+\+|golang|sql|regex
        |regular expression|integers?|strings?|arrays?|passwords?|endpoint|database|dataset|spreadsheet
        |excel)\b";
    PARTIAL = r"\b(each|every|per) ([a-z]+ ){0,2}(sentence|line|paragraph|bullet|point|item|stanza|verse|section
        |entry|word|one|part|chapter|answer|option|question|title|name|slide|day|response|message|row|column
        |step)s?\b|\b(first|second|third|fourth|fifth|last|opening|closing|final|\d+(st|nd|rd|th)) (sentence
        |line|paragraph|bullet|stanza|verse|section)\b|\b(titles?|headlines?|headings?|introduction
        |conclusion|subject line|captions?|slogans?|subtitle|usernames?|tagline|abstract) ((of|with|that
        |which|should|must|be|is|are|has|have|having|contain|contains|containing|only|long) ){0,3}$|\b(names
        |phrases?|keywords?|sentences|paragraphs|lines|bullets|points|quotes?) ((that|which|only|is|are
        |should|must|be) ){0,2}(of|with|have|has|having|containing|contain) $";
    PER_UNIT_AFTER = r"^[^.?!\n]{0,24}\b(each\b|apiece\b|per (sentence|line|paragraph|bullet|point|item|stanza|verse
        |section|day|answer|response|slide|one)\b|in (each|every)\b|(every|a|per) (day|week|month|hour
        |minute|second)\b)";
}

/// Insides of fenced and inline code.
fn code(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("```").map(|offset| at + offset + 3) {
        let Some(close) = text[open..].find("```").map(|offset| open + offset) else {
            break;
        };
        // Ticks named in a sentence ("markdown ticks such as ```") have no lines between them.
        if text[open..close].contains('\n') {
            found.push(open..close);
        }
        at = close + 3;
    }
    found
}

/// Insides of double quotations that are longer than a few words.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let is_quote = |c: char| matches!(c, '"' | '“' | '”' | '„' | '«' | '»');
    let mut found = Vec::new();
    let mut opened: Option<usize> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if let Some(start) = opened {
            if text[start..at].len() > LONGEST_QUOTE {
                opened = None;
            } else if is_quote(c) {
                let inside = start..at;
                if text[inside.clone()].split_whitespace().count() > SHORT_QUOTE {
                    found.push(inside);
                }
                opened = None;
            }
        } else if is_quote(c) && !before.is_ascii_digit() {
            opened = Some(at + c.len_utf8());
        }
        before = c;
    }
    found
}

/// Cuts a prompt into sentences: at line ends, and after `.?!` before white space, short forms aside.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let ends = match byte {
            b'\n' => true,
            b'.' | b'?' | b'!' => {
                let next = bytes.get(at + 1).copied().unwrap_or(b' ');
                let closes = matches!(next, b'"' | b'\'' | b')')
                    && bytes.get(at + 2).is_none_or(u8::is_ascii_whitespace);
                (next.is_ascii_whitespace() || closes) && !(*byte == b'.' && is_short(text, at))
            }
            _ => false,
        };
        if ends {
            found.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

/// Whether the full stop at `at` belongs to a short form or to the number of a list item.
fn is_short(text: &str, at: usize) -> bool {
    let word = text[..at]
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"'))
        .next()
        .unwrap_or_default();
    let forms = [
        "i.e", "e.g", "p.s", "p.p.s", "etc", "vs", "mr", "mrs", "ms", "dr", "st", "no", "approx",
        "max", "min",
    ];
    forms.contains(&word)
        || (!word.is_empty() && word.len() < 3 && word.bytes().all(|b| b.is_ascii_digit()))
}
