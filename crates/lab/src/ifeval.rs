//! Turns IFEval's instructions, given as ids and arguments, into requirements of ours.
//!
//! The prompt's words are not read: the row says exactly what is asked. An id that is not known here is a requirement
//! that nobody can decide, so that its question is not scored; it never passes.

use crate::Check;
use reckon::assistant::check::{Bound, Case, Language, Relation, Requirement, Rule, Shape, What};
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
    Ok(Requirement {
        id: id.to_owned(),
        span: 0..0,
        rule,
    })
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
        let relation = match self.0.get(relation)?.as_str()? {
            "less than" => Relation::LessThan,
            "at least" => Relation::AtLeast,
            _ => return None,
        };
        Some(Bound::new(relation, self.number(number)?))
    }

    fn least(&self, number: &str) -> Option<Bound> {
        Some(Bound::new(Relation::AtLeast, self.number(number)?))
    }

    fn exactly(&self, number: &str) -> Option<Bound> {
        Some(Bound::new(Relation::Exactly, self.number(number)?))
    }
}

/// The rule of an instruction; nothing if an argument is missing.
fn rule(id: &str, kwargs: &Kwargs<'_>, prompt: &str) -> Option<Rule> {
    let count = |what, bound| Rule::Count { what, bound };
    Some(match id {
        "keywords:existence" => Rule::Contains(kwargs.texts("keywords")?),
        "keywords:forbidden_words" => Rule::Forbids(kwargs.texts("forbidden_words")?),
        "keywords:frequency" => {
            let what = What::Keyword(kwargs.text("keyword")?);
            count(what, kwargs.bound("relation", "frequency")?)
        }
        "keywords:letter_frequency" => {
            let letter = kwargs.text("letter")?.chars().next()?;
            let bound = kwargs.bound("let_relation", "let_frequency")?;
            count(What::Letter(letter), bound)
        }
        "language:response_language" => {
            let code = kwargs.text("language")?;
            match Language::coded(&code) {
                Some(language) => Rule::Language(language),
                None => Rule::Unverifiable(code),
            }
        }
        "length_constraints:number_sentences" => {
            count(What::Sentences, kwargs.bound("relation", "num_sentences")?)
        }
        "length_constraints:number_words" => {
            count(What::Words, kwargs.bound("relation", "num_words")?)
        }
        "length_constraints:number_paragraphs" => {
            count(What::StarredParts, kwargs.exactly("num_paragraphs")?)
        }
        "length_constraints:nth_paragraph_first_word" => Rule::ParagraphStart {
            paragraphs: Some(kwargs.number("num_paragraphs")?),
            nth: kwargs.number("nth_paragraph")?,
            word: kwargs.text("first_word")?.to_lowercase(),
        },
        "detectable_content:number_placeholders" => {
            count(What::Placeholders, kwargs.least("num_placeholders")?)
        }
        "detectable_content:postscript" => Rule::Postscript(kwargs.text("postscript_marker")?),
        "detectable_format:number_bullet_lists" => {
            count(What::Bullets, kwargs.exactly("num_bullets")?)
        }
        "detectable_format:number_highlighted_sections" => {
            count(What::Highlights, kwargs.least("num_highlights")?)
        }
        "detectable_format:multiple_sections" => {
            let what = What::Sections(kwargs.text("section_spliter")?);
            count(what, kwargs.least("num_sections")?)
        }
        "detectable_format:constrained_response" => {
            Rule::Options(ANSWERS.map(str::to_owned).to_vec())
        }
        "detectable_format:json_format" => Rule::Shape(Shape::Json),
        "detectable_format:title" => Rule::Title,
        "combination:two_responses" => Rule::Parts {
            separator: "******".into(),
            number: 2,
        },
        "combination:repeat_prompt" => Rule::Repeats(
            kwargs
                .text("prompt_to_repeat")
                .unwrap_or_else(|| prompt.to_owned()),
        ),
        "startend:end_checker" => Rule::EndsWith(kwargs.text("end_phrase")?),
        "startend:quotation" => Rule::Quoted,
        "change_case:capital_word_frequency" => {
            let bound = kwargs.bound("capital_relation", "capital_frequency")?;
            count(What::CapitalWords, bound)
        }
        "change_case:english_capital" => Rule::Case { case: Case::Upper },
        "change_case:english_lowercase" => Rule::Case { case: Case::Lower },
        "punctuation:no_comma" => Rule::NoComma,
        other => Rule::Unverifiable(other.to_owned()),
    })
}
