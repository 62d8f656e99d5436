//! Turns instructions, given as ids and arguments, into requirements that the lab grades itself (`requirement.rs`).
//!
//! The ids are IFEval's and some of our own in the same form: `units:start_letter` and `units:consecutive_letters` (`unit`,
//! `letter`), `units:length` (`unit`, `relation`, `num_words`), `count:paragraphs` and `count:lines` (`relation`, `number`).
//! The prompt's words are not read: the row says exactly what is asked. An id that is not known here is a requirement
//! that nobody can decide, so that its question is not scored; it never passes.

use crate::{
    Check,
    requirement::{Bound, Counted, Requirement, Rule, Unit},
};
use serde_json::Value;

/// The answers that a constrained response may have.
const ANSWERS: [&str; 3] = [
    "My answer is yes.",
    "My answer is no.",
    "My answer is maybe.",
];

/// Most instructions of one row.
const MOST: usize = 64;

/// Everything that a row of IFEval asks for.
pub(crate) fn check(row: &Value, prompt: &str) -> Result<Check, String> {
    let ids = row.get("instruction_id_list").and_then(Value::as_array);
    let ids = ids.ok_or("`instruction_id_list` is not a list")?;
    let none = Value::Null;
    let kwargs = row.get("kwargs").and_then(Value::as_array);
    let of = |at: usize| kwargs.and_then(|all| all.get(at)).unwrap_or(&none);
    let asked = ids.iter().enumerate().take(MOST).map(|(at, id)| {
        let id = id.as_str().ok_or("an instruction id is not a text")?;
        requirement(id, of(at), prompt)
    });
    Ok(Check::Constraints(asked.collect::<Result<_, _>>()?))
}

/// A list of `{"id": …, "kwargs": {…}}`.
pub(crate) fn requirements(value: &Value, prompt: &str) -> Result<Vec<Requirement>, String> {
    let list = value
        .as_array()
        .ok_or("`constraints` is neither true nor a list")?;
    let none = Value::Null;
    let asked = list.iter().take(MOST).map(|one| {
        let id = one.get("id").and_then(Value::as_str);
        let id = id.ok_or("a constraint without `id`")?;
        requirement(id, one.get("kwargs").unwrap_or(&none), prompt)
    });
    asked.collect()
}

fn requirement(id: &str, kwargs: &Value, prompt: &str) -> Result<Requirement, String> {
    let kwargs = Kwargs(kwargs);
    let rule = rule(id, &kwargs, prompt).ok_or_else(|| format!("{id} lacks an argument"))?;
    Ok(Requirement::new(id, rule))
}

/// The arguments of one instruction.
struct Kwargs<'a>(&'a Value);

impl Kwargs<'_> {
    fn text(&self, name: &str) -> Option<String> {
        Some(self.0.get(name)?.as_str()?.trim().to_owned())
    }

    /// Whole, though some files write `3.0`.
    fn number(&self, name: &str) -> Option<u64> {
        let value = self.0.get(name)?.as_f64()?;
        (0.0..=1e9).contains(&value).then_some(value as u64)
    }

    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = self.0.get(name)?.as_array()?.iter();
        list.map(|one| Some(one.as_str()?.to_owned())).collect()
    }

    fn bound(&self, relation: &str, number: &str) -> Option<Bound> {
        let n = self.number(number)?;
        Some(match self.0.get(relation)?.as_str()? {
            "less than" => Bound::Below(n),
            "at most" => Bound::AtMost(n),
            "exactly" => Bound::Exactly(n),
            "at least" => Bound::AtLeast(n),
            "more than" => Bound::Above(n),
            _ => return None,
        })
    }

    fn least(&self, number: &str) -> Option<Bound> {
        Some(Bound::AtLeast(self.number(number)?))
    }

    fn exactly(&self, number: &str) -> Option<Bound> {
        Some(Bound::Exactly(self.number(number)?))
    }

    fn letter(&self, name: &str) -> Option<char> {
        self.text(name)?.to_lowercase().chars().next()
    }

    fn unit(&self) -> Option<Unit> {
        Unit::named(&self.text("unit")?)
    }
}

/// The rule of an instruction; nothing if an argument is missing.
fn rule(id: &str, kwargs: &Kwargs<'_>, prompt: &str) -> Option<Rule> {
    let relation = |number| kwargs.bound("relation", number);
    Some(match id {
        "keywords:existence" => Rule::Has(kwargs.texts("keywords")?),
        "keywords:forbidden_words" => Rule::Lacks(kwargs.texts("forbidden_words")?),
        "keywords:frequency" => {
            let what = Counted::Keyword(kwargs.text("keyword")?);
            Rule::Count(what, relation("frequency")?)
        }
        "keywords:letter_frequency" => {
            let bound = kwargs.bound("let_relation", "let_frequency")?;
            Rule::Count(Counted::Letter(kwargs.letter("letter")?), bound)
        }
        "language:response_language" => Rule::Language(kwargs.text("language")?),
        "length_constraints:number_sentences" => {
            Rule::Count(Counted::Sentences, relation("num_sentences")?)
        }
        "length_constraints:number_words" => Rule::Count(Counted::Words, relation("num_words")?),
        "length_constraints:number_paragraphs" => {
            Rule::Count(Counted::StarredParts, kwargs.exactly("num_paragraphs")?)
        }
        "count:paragraphs" => Rule::Count(Counted::Paragraphs, relation("number")?),
        "count:lines" => Rule::Count(Counted::Lines, relation("number")?),
        "units:start_letter" => Rule::EachLetter(kwargs.unit()?, kwargs.letter("letter")?),
        "units:consecutive_letters" => Rule::Alphabet(kwargs.unit()?, kwargs.letter("letter")?),
        "units:length" => Rule::EachWords(kwargs.unit()?, relation("num_words")?),
        other => return form(other, kwargs, prompt),
    })
}

/// The same for the instructions that are about marks, letters and order.
fn form(id: &str, kwargs: &Kwargs<'_>, prompt: &str) -> Option<Rule> {
    Some(match id {
        "length_constraints:nth_paragraph_first_word" => Rule::ParagraphStart(
            kwargs.number("num_paragraphs")?,
            kwargs.number("nth_paragraph")?,
            kwargs.text("first_word")?,
        ),
        "detectable_content:number_placeholders" => {
            Rule::Count(Counted::Placeholders, kwargs.least("num_placeholders")?)
        }
        "detectable_content:postscript" => Rule::Postscript(kwargs.text("postscript_marker")?),
        "detectable_format:number_bullet_lists" => {
            Rule::Count(Counted::Bullets, kwargs.exactly("num_bullets")?)
        }
        "detectable_format:number_highlighted_sections" => {
            Rule::Count(Counted::Highlights, kwargs.least("num_highlights")?)
        }
        "detectable_format:multiple_sections" => {
            let what = Counted::Sections(kwargs.text("section_spliter")?);
            Rule::Count(what, kwargs.least("num_sections")?)
        }
        "detectable_format:constrained_response" => {
            Rule::Options(ANSWERS.map(str::to_owned).to_vec())
        }
        "detectable_format:json_format" => Rule::Json,
        "detectable_format:title" => Rule::Title,
        "combination:two_responses" => Rule::TwoResponses,
        "combination:repeat_prompt" => {
            let own = kwargs.text("prompt_to_repeat");
            Rule::Repeats(own.unwrap_or_else(|| prompt.to_owned()))
        }
        "startend:end_checker" => Rule::EndsWith(kwargs.text("end_phrase")?),
        "startend:quotation" => Rule::Quoted,
        "change_case:capital_word_frequency" => {
            let bound = kwargs.bound("capital_relation", "capital_frequency")?;
            Rule::Count(Counted::CapitalWords, bound)
        }
        "change_case:english_capital" => Rule::Upper,
        "change_case:english_lowercase" => Rule::Lower,
        "punctuation:no_comma" => Rule::NoComma,
        _ => Rule::Undecided,
    })
}
