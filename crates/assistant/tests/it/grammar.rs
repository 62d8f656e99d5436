//! Grammars of requirements: what they allow passes, and what a model writes under them passes.
use crate::fixture::{Tiny, gguf};
use reckon_assistant::check::{
    Bound, Case, Compliance, Each, Relation, Requirement, Rule, Unit, What, find, grammar,
};
use reckon_engine::{Finish, Model, ModelOptions, Request, Sampling, Session, Shape};
use reckon_gguf::{File, Format};
use std::ops::ControlFlow;
use std::sync::Arc;

fn bound(relation: Relation, number: u64) -> Bound {
    Bound { relation, number }
}

fn exactly(number: u64) -> Bound {
    bound(Relation::Exactly, number)
}

fn each(unit: Unit, each: Each) -> Rule {
    Rule::Each { unit, each }
}

fn count(what: What, bound: Bound) -> Rule {
    Rule::Count { what, bound }
}

fn consecutive(unit: Unit, from: char, to: Option<char>) -> Rule {
    Rule::ConsecutiveLetters { unit, from, to }
}

fn required(rules: Vec<Rule>) -> Vec<Requirement> {
    let one = |rule| Requirement {
        id: "test".into(),
        span: 0..0,
        rule,
    };
    rules.into_iter().map(one).collect()
}

/// Rules, a text that their grammar allows, and texts that it does not.
type Row = (Vec<Rule>, &'static str, &'static [&'static str]);

#[expect(clippy::too_many_lines, reason = "a table")]
fn table() -> Vec<Row> {
    vec![
        (
            vec![each(Unit::Sentence, Each::Words(exactly(4)))],
            "Rivers run to sea. Don't they, my friend?\n\nThey surely do so!",
            &[
                "Rivers run to the sea.",
                "Rivers run to sea",
                "We met Mr. Hill.",
                "They came in 3. Then they left again.",
            ],
        ),
        (
            vec![
                each(Unit::Sentence, Each::StartsWithLetter('a')),
                count(What::Sentences, bound(Relation::AtMost, 2)),
                Rule::NoComma,
            ],
            "All is well. an owl sleeps!",
            &[
                "All is well. Owls sleep.",
                "All, is well.",
                "A b. A b. A bc. Add it.",
            ],
        ),
        (
            vec![consecutive(Unit::Sentence, 'B', Some('D'))],
            "Birds sing. Cats purr. Dogs bark.",
            &[
                "Birds sing. Cats purr.",
                "Birds sing. Dogs bark. Cats purr.",
            ],
        ),
        (
            vec![consecutive(Unit::Line, 'X', None)],
            "Xylophones ring\nYaks graze,\nZebras run.",
            &["Yaks graze\nZebras run", "Xylophones ring\nZebras run"],
        ),
        (
            vec![
                count(What::Lines, bound(Relation::LessThan, 4)),
                each(Unit::Line, Each::Words(bound(Relation::AtMost, 3))),
            ],
            "One two three\nFour\n\nFive six",
            &["One two three four", "a\nb\nc\nd"],
        ),
        (
            vec![Rule::Options(vec![
                "My answer is yes.".into(),
                "My answer is no.".into(),
            ])],
            "My answer is no.",
            &["no", "My answer is no. Maybe."],
        ),
        (
            vec![Rule::Case { case: Case::Lower }, Rule::NoComma],
            "the cat sat on the mat and it was happy there.",
            &["The cat sat.", "the cat, sat", "123"],
        ),
        (
            vec![
                Rule::Case { case: Case::Upper },
                count(What::Letter('e'), exactly(0)),
            ],
            "ALL IS CALM (AND BRIGHT), SAYS TOM: 3 DOGS BARK.",
            &["THE END", "All is calm"],
        ),
        (
            vec![count(What::Bullets, exactly(3))],
            "* First, take it.\n- Then\n* Go home",
            &["* a\n* b", "* a\n* b\nc\n* d", "Here:\n* a\n* b\n* c"],
        ),
        (
            vec![
                Rule::StartsWith("My dear friend".into()),
                Rule::EndsWith("Is there anything else?".into()),
                Rule::Forbids(vec!["cat".into(), "very big".into()]),
            ],
            "My dear friend (a category of its own), hello.\nIs there anything else?",
            &[
                "Dear friend. Is there anything else?",
                "My dear friend has a cat. Is there anything else?",
                "My dear friend is very big. Is there anything else?",
                "My dear friend.",
            ],
        ),
        (
            vec![count(What::Words, exactly(5)), Rule::Quoted],
            "\"It's a dog: good.\"",
            &["\"It is a dog.\"", "It is a good dog."],
        ),
        (
            vec![count(What::Words, bound(Relation::About, 20))],
            "one two three four five six seven eight nine ten 11 12 13 14 15 16 17 18 19",
            &[
                "one two three",
                "one two three four five six seven eight nine ten 11 12 13 14 15 16 17",
            ],
        ),
        (
            vec![count(
                What::Keyword("echo".into()),
                bound(Relation::AtLeast, 2),
            )],
            "Echo and echoes.",
            &["An echo."],
        ),
        (
            vec![count(
                What::Keyword("echo".into()),
                bound(Relation::LessThan, 2),
            )],
            "An echo.",
            &["Echo and echoes."],
        ),
        (
            vec![Rule::ParagraphStart {
                paragraphs: Some(2),
                nth: 2,
                word: "however".into(),
            }],
            "It rains.\n\nHowever, the sun shines. It is warm.",
            &[
                "It rains. However, it is warm.",
                "However it is.\n\nIt rains.",
            ],
        ),
        (
            vec![Rule::GrowingSentences(2)],
            "We ran home. The dog ran home too.",
            &["We ran. The dog ran."],
        ),
        (
            vec![each(Unit::Paragraph, Each::Sentences(exactly(2)))],
            "It rains. We stay.\n\nIt clears. We leave.",
            &["It rains. We stay. We sleep.", "It rains.\n\nWe stay."],
        ),
        (
            vec![each(Unit::Word, Each::StartsWithLetter('s'))],
            "Sally sells sea shells.",
            &["Sally sells the shells."],
        ),
        (
            vec![Rule::Repeats("What is 2 + 2?".into()), Rule::NoComma],
            "What is 2 + 2?\n\nIt is 4.",
            &["It is 4."],
        ),
    ]
}

#[test]
fn what_a_grammar_allows_passes() {
    for (rules, text, others) in table() {
        let requirements = required(rules);
        let lark = grammar(&requirements).expect("a grammar");
        let shape = Shape::Lark(lark.clone());
        let allows = |text: &str| shape.allows(text).unwrap_or_else(|e| panic!("{e}: {lark}"));
        assert!(allows(text), "{text:?}: {lark}");
        for one in &requirements {
            assert_eq!(
                one.verify(text),
                Compliance::Pass,
                "{:?} {text:?}",
                one.rule
            );
        }
        for other in others {
            assert!(!allows(other), "{other:?}: {lark}");
        }
    }
}

#[test]
fn a_model_of_chance_passes_under_a_grammar() {
    let bytes = gguf(&Tiny {
        n_ctx: 4096,
        n_layer: 2,
        ..Tiny::new("qwen2", Format::Q8_0)
    });
    let file = File::parse(bytes).expect("a file");
    let model = Model::from_file(file, &ModelOptions::default(), &mut |_| ()).expect("a model");
    let model = Arc::new(model);
    let mut ended = 0;
    for (rules, ..) in table() {
        // Whether chance writes English is not up to the grammar.
        let cased = rules.iter().any(|rule| matches!(rule, Rule::Case { .. }));
        let requirements = required(rules);
        let lark = grammar(&requirements).expect("a grammar");
        let compiled = model
            .grammar(&Shape::Lark(lark.clone()))
            .expect("a grammar");
        let mut finished = 0;
        for seed in 0..2 {
            let request = Request {
                prompt: model.tokenizer().encode_text("the").into(),
                sampling: Sampling {
                    temperature: 1.5,
                    top_k: 0,
                    top_p: 1.0,
                    seed,
                    ..Sampling::default()
                },
                max_tokens: Some(1500),
                grammar: Some(compiled.clone()),
                ..Request::default()
            };
            let generation = Session::new(model.clone())
                .generate(&request, &mut |_| ControlFlow::Continue(()))
                .expect("an answer");
            assert_ne!(generation.finish, Finish::Grammar, "{lark}");
            if generation.finish != Finish::Stop {
                continue;
            }
            finished += 1;
            for one in requirements.iter().filter(|_| !cased) {
                let verdict = one.verify(&generation.text);
                let text = &generation.text;
                assert_eq!(verdict, Compliance::Pass, "{:?} {text:?}", one.rule);
            }
        }
        ended += usize::from(finished > 0);
    }
    // Chance does not come upon whole phrases.
    assert!(ended > 12, "answers to {ended} grammars ended");
}

#[test]
fn what_is_not_regular_or_too_large_has_no_grammar() {
    for rules in [
        vec![],
        vec![Rule::Unverifiable("it rhymes".into())],
        vec![Rule::Title, Rule::NoComma],
        vec![Rule::Parts {
            separator: "***".into(),
            number: 2,
        }],
        vec![count(What::Words, bound(Relation::AtLeast, 5000))],
        vec![count(What::Words, bound(Relation::LessThan, 1))],
        vec![
            count(What::Bullets, exactly(3)),
            count(What::Sentences, exactly(3)),
        ],
        vec![Rule::Forbids(vec!["x".repeat(3000)])],
        vec![Rule::Forbids((0..9).map(|i| i.to_string()).collect())],
    ] {
        let requirements = required(rules);
        assert_eq!(grammar(&requirements), None, "{requirements:?}");
    }
}

#[test]
fn words_of_a_prompt_become_a_grammar() {
    let prompt =
        "Write a story in which every sentence has exactly four words. Do not use any commas.";
    let lark = grammar(&find(prompt)).expect("a grammar");
    let shape = Shape::Lark(lark.clone());
    assert!(
        shape
            .allows("The old man slept. He dreamed of ships.")
            .expect("a shape")
    );
    assert!(!shape.allows("The old man, slept.").expect("a shape"));
    assert!(!shape.allows("The old man slept well.").expect("a shape"));
}
