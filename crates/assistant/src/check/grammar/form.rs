//! What the text of a grammar is made of, before any requirement narrows it.
//!
//! Sentences where a rule speaks of sentences, words or paragraphs as units; lines where it speaks of lines; a list where it
//! speaks of items; the options where there are some; any text otherwise. Around the text stand the phrases that an answer
//! must begin or end with.
use super::{escaped, slashed};
use crate::check::{
    rule::{Each, Rule, Unit, What},
    sentence::SHORT,
};

/// A word of a sentence: letters and digits, with apostrophes and hyphens inside. Latin letters: a class of all letters
/// there are makes many states. A word has an end, or a model that may write no other word would never end this one.
const WORD: &str = r"WORD: /[A-Za-zÀ-ÖØ-öø-ÿ0-9]{1,30}(['’\-][A-Za-zÀ-ÖØ-öø-ÿ0-9]{1,30}){0,3}/";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormKind {
    Any,
    Sentences,
    Lines,
    List,
    Options,
}

/// The form of an answer.
pub(super) struct Form<'a> {
    kind: FormKind,
    options: Option<&'a [String]>,
    before: Option<&'a Rule>,
    after: Option<&'a Rule>,
}

impl<'a> Form<'a> {
    /// The form that these rules need; nothing if they need different ones.
    pub(super) fn of(rules: &[&'a Rule]) -> Option<Self> {
        let kind = kind(rules)?;
        let starts = |rule: &&&Rule| matches!(rule, Rule::StartsWith(_) | Rule::Repeats(_));
        let ends = |rule: &&&Rule| matches!(rule, Rule::EndsWith(_));
        let quoted = rules.iter().find(|rule| matches!(rule, Rule::Quoted));
        let alone = |rule: &dyn Fn(&&&Rule) -> bool| rules.iter().filter(rule).count() <= 1;
        let form = Self {
            kind,
            options: rules.iter().find_map(|rule| match rule {
                Rule::Options(options) => Some(&**options),
                _ => None,
            }),
            before: rules.iter().find(starts).or(quoted).copied(),
            after: rules.iter().find(ends).or(quoted).copied(),
        };
        let single = alone(&starts) && alone(&ends);
        let mixed = quoted.is_some() && (form.before != form.after || kind != FormKind::Any);
        (single && !mixed && form.edges().is_some()).then_some(form)
    }

    /// Whether the form itself sees to this rule.
    pub(super) fn holds(&self, rule: &Rule) -> bool {
        let is = |edge: Option<&Rule>| edge == Some(rule);
        is(self.before) || is(self.after) || matches!(rule, Rule::Options(_))
    }

    /// The terminals of a grammar, `FORM` among them.
    pub(super) fn terminals(&self) -> Option<String> {
        let (before, after) = self.edges()?;
        let edge = |regex: &str| match regex {
            "" => String::new(),
            regex => format!(" {} ", slashed(regex)),
        };
        let body = body(self.kind, self.options)?;
        Some(format!(
            "FORM:{} BODY {}\n{body}\n",
            edge(&before),
            edge(&after)
        ))
    }

    /// What stands before and behind the body, as regular expressions.
    fn edges(&self) -> Option<(String, String)> {
        let fits = |text: &&String| {
            let inner = text.trim_end_matches(['.', '!', '?']);
            let is_word = |word: &str| word.contains(char::is_alphanumeric);
            let worded = text.split_whitespace().all(is_word);
            match self.kind {
                FormKind::Any => true,
                FormKind::Sentences => worded && !inner.contains(['.', '!', '?', '\n', '—', '–']),
                FormKind::Lines => worded && !inner.contains('\n'),
                FormKind::List | FormKind::Options => false,
            }
        };
        let phrase = |text: &String| {
            Some(text)
                .filter(fits)
                .and_then(|text| escaped(text.trim()))
        };
        let before = match self.before {
            Some(Rule::StartsWith(text)) => phrase(text)? + r"[\x20\n]",
            Some(Rule::Repeats(text)) => phrase(text)? + r"\n\n",
            Some(_) => "\"".to_owned(),
            None => String::new(),
        };
        let after = match self.after {
            Some(Rule::EndsWith(text)) => {
                let ended =
                    self.kind != FormKind::Sentences || text.trim().ends_with(['.', '!', '?']);
                format!(r"[\x20\n]{}", phrase(text).filter(|_| ended)?)
            }
            Some(_) => "\"".to_owned(),
            None => String::new(),
        };
        Some((before, after))
    }
}

fn kind(rules: &[&Rule]) -> Option<FormKind> {
    let any = |is: fn(&Rule) -> Option<Unit>, unit: &[Unit]| {
        rules
            .iter()
            .any(|rule| is(rule).is_some_and(|found| unit.contains(&found)))
    };
    let sentences = any(unit_of, &[Unit::Sentence, Unit::Word])
        || rules.iter().any(|rule| {
            let each_sentences = |each: &Each| matches!(each, Each::Sentences(_));
            matches!(rule, Rule::Each { each, .. } if each_sentences(each))
                || matches!(rule, Rule::GrowingSentences(_))
        });
    let lines = any(unit_of, &[Unit::Line]);
    let paragraphs = any(unit_of, &[Unit::Paragraph]);
    let list = any(unit_of, &[Unit::Item]);
    let options = rules.iter().any(|rule| matches!(rule, Rule::Options(_)));
    Some(match (options, list, sentences || paragraphs, lines) {
        (true, false, false, false) => FormKind::Options,
        (true, ..) => return None,
        (_, true, false, _) => FormKind::List,
        (_, true, true, _) => return None,
        (_, _, true, _) => FormKind::Sentences,
        (_, _, _, true) => FormKind::Lines,
        _ => FormKind::Any,
    })
}

/// The unit that a rule speaks of.
fn unit_of(rule: &Rule) -> Option<Unit> {
    match rule {
        Rule::Each { unit, .. } | Rule::ConsecutiveLetters { unit, .. } => Some(*unit),
        Rule::Count { what, .. } => match what {
            What::Sentences => Some(Unit::Sentence),
            What::Lines => Some(Unit::Line),
            What::Paragraphs => Some(Unit::Paragraph),
            What::Bullets | What::Items => Some(Unit::Item),
            _ => None,
        },
        Rule::ParagraphStart { .. } => Some(Unit::Paragraph),
        _ => None,
    }
}

/// The terminal `BODY`, and those that it is made of.
fn body(kind: FormKind, options: Option<&[String]>) -> Option<String> {
    Some(match kind {
        FormKind::Any => {
            let text = r"[^\x00-\x20\x7f]([^\x00-\x09\x0b-\x1f\x7f]*[^\x00-\x20\x7f])?";
            format!("BODY: {}", slashed(text))
        }
        // After a short form, a single letter or a number a full stop need not end a sentence.
        FormKind::Sentences => {
            let short = SHORT.join("|").replace('.', r"\.");
            format!(
                "BODY: SENTENCE (/\\x20|\\n\\n?/ SENTENCE)*\n\
                 SENTENCE: (WORD /,?\\x20/)* (LAST \".\" | WORD /[!?]/)\n\
                 LAST: /[A-Za-zÀ-ÖØ-öø-ÿ]{{2,30}}/ & ~/(?i:{short})/\n{WORD}"
            )
        }
        FormKind::Lines => format!(
            "BODY: LINE (/\\n\\n?/ LINE)*\nLINE: (WORD /,?\\x20/)* WORD /[.,;:!?]?/\n{WORD}"
        ),
        FormKind::List => format!(
            "BODY: ITEM (/\\n/ ITEM)*\nITEM: /[*\\-]\\x20/ (WORD /,?\\x20/)* WORD /[.:!?]?/\n{WORD}"
        ),
        FormKind::Options => {
            let options = options?.iter().map(|option| escaped(option.trim()));
            let options = options.collect::<Option<Vec<_>>>()?;
            format!("BODY: {}", slashed(&options.join("|")))
        }
    })
}
