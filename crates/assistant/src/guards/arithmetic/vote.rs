//! A program as a vote: how it begins, how it is run, and why it may not count.

use crate::{
    Ballot, Juror, Program, Tools,
    guards::{derivation::Derivation, program},
    jury::Number,
};
use reckon_compute::literal;

const HEAD: &str = "def solution():\n";

/// The beginning of the function. The question is its own description: a model keeps closer to what stands right above
/// its code. What is given comes first, as in the examples: a model that names every number before it computes forgets fewer.
pub(super) fn opening(question: &str) -> String {
    let plain = question.trim().replace("\"\"\"", "'").replace("```", "'");
    format!("{HEAD}    \"\"\"{plain}\"\"\"\n    # What is given\n")
}

/// Runs what was written behind the opening.
pub(super) fn run(question: &str, body: &str, tools: &mut dyn Tools) -> Ballot {
    let derivation = Derivation::new(body);
    let outcome = tools.python(&derivation.told());
    let computed = outcome.value.as_deref().and_then(program::number);
    let text = computed
        .as_ref()
        .map(|value| derivation.text(&outcome.stdout, value));
    let value = match (computed, doubt(question, &derivation)) {
        (None, _) => Err(outcome
            .error
            .clone()
            .unwrap_or_else(|| "it came to no number".into())),
        (Some(_), Some(why)) => Err(why),
        (Some(value), None) => Ok(Number {
            value,
            found: None,
            percent: false,
        }),
    };
    Ballot {
        juror: Juror::Program,
        text: text.unwrap_or_default(),
        program: Some(Program {
            text: derivation.program,
            outcome,
        }),
        value,
    }
}

/// Why a program does not count although it came to a number.
fn doubt(question: &str, derivation: &Derivation) -> Option<String> {
    if literal::computes_nothing(&derivation.program) {
        return Some("it computes nothing".into());
    }
    let foreign = literal::foreign_literals(&derivation.program, question);
    if let Some(number) = foreign.first() {
        return Some(format!("nobody said {number}"));
    }
    let idle = derivation.idle_name()?;
    Some(format!("it does not use its own `{idle}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::{arithmetic::SHOTS, program::with_examples};

    /// A model that is shown one form and made to begin another would follow neither.
    #[test]
    fn examples_begin_as_programs_are_made_to_begin() {
        let shown = with_examples(SHOTS, &[]).messages;
        assert_eq!(shown.len(), 7, "instructions and three examples");
        for example in shown[1..].chunks(2) {
            let beginning = format!("```python\n{}", opening(&example[0].content));
            let written = &example[1].content;
            assert!(written.starts_with(&beginning), "{written}");
        }
    }
}
