//! The rules of a guardrail, as properties: faults are put into every guard at every step.
use crate::script::{Bench, Model, Says, ask, go_on};
use reckon_assistant::{
    Action, Came, Desk, Errand, Event, Guard, Pipeline, Reply, Turn, Verdict,
    detect::{Finding, Side},
    guards,
};
use reckon_engine::Message;
use std::ops::ControlFlow;

/// A question that a guard acts on, and an answer that it has something against.
const TRIGGERED: [(&str, &str, &str); 6] = [
    (
        "arithmetic",
        "Mia buys 4 pens at $3 each and 2 books at $11 each. How much does she pay in total?",
        "Mia pays $36 in total.",
    ),
    (
        "logic",
        "Anna, Ben and Carl stand in a line. Anna is to the left of Ben. Carl is to the left of Anna. Who is in the middle?",
        "Ben is in the middle.",
    ),
    (
        "constraints",
        "Describe the sea. Your answer must contain exactly 3 sentences.",
        "The sea is wide.",
    ),
    (
        "persona",
        "Pretend to be a sailor of the 18th century and tell me how you sleep at night.",
        "As an AI language model, I do not sleep, but sailors slept in hammocks.",
    ),
    (
        "correction",
        "What is 12 times 12?",
        "12 times 12 is 124.\n\nWait, let me recheck that. I made a mistake.\n\nCorrected answer: 12 times 12 is 144.",
    ),
    (
        "counting",
        "In how many different ways can 4 pairs of parentheses be matched correctly?",
        "This is the Fibonacci sequence: for n = 4 there are 5 ways.",
    ),
];

/// Everything that can go wrong with the second generation.
const FAULTS: [Says; 7] = [
    Says::Error,
    Says::Cut("half of"),
    Says::Stopped("stopped in"),
    Says::Text(""),
    Says::Text("   \n"),
    Says::Text("```"),
    Says::Text("\u{0}\u{fffd} ??? }{"),
];

fn answer(question: &str, says: Vec<Says>, tools: &mut Bench) -> (Reply, Model) {
    let mut model = Model::new(says);
    let pipeline = Pipeline::new(guards::all());
    let reply = pipeline
        .answer(&mut model, tools, &ask(question), &mut go_on)
        .expect("the first answer is there");
    (reply, model)
}

#[test]
fn every_guard_has_a_question_that_it_acts_on() {
    for (name, question, raw) in TRIGGERED {
        // What the corrected answer says, so that there is still something to cut.
        let mut tools = Bench::gives("144");
        let (reply, _) = answer(question, vec![Says::Text(raw)], &mut tools);
        let acted: Vec<&str> = reply
            .receipt
            .acted()
            .map(|one| one.guard.as_str())
            .collect();
        assert!(acted.contains(&name), "{name}: acted {acted:?}");
    }
}

#[test]
fn whatever_goes_wrong_in_a_guard_the_raw_answer_ships() {
    for (name, question, raw) in TRIGGERED {
        for fault in FAULTS {
            for tools in [
                Bench::fails("timeout"),
                Bench::gives("nan"),
                Bench::gives("[]"),
            ] {
                let said = vec![Says::Text(raw), fault.clone()];
                let (reply, _) = answer(question, said, &mut tools.clone());
                // Cutting a draft needs neither the model nor a tool, so nothing can fail there.
                if name != "correction" {
                    assert_eq!(reply.text, raw, "{name} with {fault:?} and {tools:?}");
                }
                assert_eq!(reply.receipt.raw.as_deref(), Some(raw));
            }
        }
    }
}

#[test]
fn no_guard_causes_more_than_one_generation() {
    for (name, question, raw) in TRIGGERED {
        for second in FAULTS.into_iter().chain([Says::Text(raw)]) {
            let mut tools = Bench::gives("34");
            let said = vec![Says::Text(raw), second.clone()];
            let (reply, model) = answer(question, said, &mut tools);
            let spent: usize = reply
                .receipt
                .guards
                .iter()
                .map(|entry| entry.spent.generations + entry.spent.decisions)
                .sum();
            assert_eq!(model.asked.len(), 1 + spent, "{name}");
            let most = |entry: &reckon_assistant::Entry| {
                entry.spent.generations <= 1 && entry.spent.decisions <= 2
            };
            assert!(reply.receipt.guards.iter().all(most), "{name}");
        }
    }
}

#[test]
fn what_no_guard_sees_is_the_same_with_and_without_guards() {
    let questions = [
        "Write a short poem about the sea.",
        "What is the capital of France?",
        "Explain how a bicycle stays upright.",
        "Translate \"good morning\" into Spanish.",
    ];
    let said = "A calm reply, with no number and no claim. It has 2 sentences.";
    for question in questions {
        let heard = |pipeline: &Pipeline| {
            let mut events = Vec::new();
            let mut model = Model::new([Says::Text(said)]);
            let reply = pipeline
                .answer(
                    &mut model,
                    &mut Bench::fails("unused"),
                    &ask(question),
                    &mut |event| {
                        events.push(format!("{event:?}"));
                        ControlFlow::Continue(())
                    },
                )
                .expect("an answer");
            (reply.text, events, model.asked.len())
        };
        let guarded = heard(&Pipeline::new(guards::all()));
        assert_eq!(guarded, heard(&Pipeline::default()), "{question}");
        assert_eq!(guarded.2, 1);
    }
}

#[test]
fn an_answer_that_was_cut_or_stopped_is_not_judged() {
    let (_, question, _) = TRIGGERED[0];
    for says in [Says::Cut("Mia pays"), Says::Stopped("Mia pays")] {
        let mut tools = Bench::gives("34");
        let (reply, model) = answer(question, vec![says], &mut tools);
        assert_eq!((reply.text.as_str(), model.asked.len()), ("Mia pays", 1));
        assert!(tools.ran.is_empty());
    }
}

#[test]
fn a_computed_number_takes_the_place_of_a_wrong_one() {
    let (_, question, raw) = TRIGGERED[0];
    let program = "    pens = 4 * 3\n    books = 2 * 11\n    return pens + books\n```\nThat is it.";
    let mut tools = Bench::gives("34");
    let (reply, _) = answer(
        question,
        vec![Says::Text(raw), Says::Text(program)],
        &mut tools,
    );
    assert_eq!(
        tools.ran,
        [[
            "pens = 4 * 3",
            "books = 2 * 11",
            "answer = pens + books",
            "print(\"@pens\", pens)",
            "print(\"@books\", books)",
            "print(\"@answer\", answer)",
        ]
        .join("\n")]
    );
    assert!(
        reply.text.ends_with("The answer is **34**."),
        "{}",
        reply.text
    );
    let entry = reply.receipt.acted().next().expect("an entry");
    assert_eq!((entry.outcome, entry.fired), (Came::Revised, true));
    assert_eq!(entry.replaced.as_deref(), Some(raw));
}

#[test]
fn a_right_number_is_confirmed_and_the_text_stays() {
    let (_, question, _) = TRIGGERED[0];
    let raw = "4 × $3 is $12 and 2 × $11 is $22: Mia pays **$34.00**.";
    let said = vec![Says::Text(raw), Says::Text("    return 34")];
    let (reply, _) = answer(question, said, &mut Bench::gives("34"));
    assert_eq!(reply.text, raw);
    let entry = reply.receipt.acted().next().expect("an entry");
    assert_eq!((entry.outcome, entry.fired), (Came::Confirmed, false));
}

#[test]
fn a_revision_is_announced_with_the_text_that_ships() {
    let (_, question, raw) = TRIGGERED[0];
    let mut model = Model::new([Says::Text(raw), Says::Text("    return 34")]);
    let mut revised = None;
    let reply = Pipeline::new(guards::all())
        .answer(
            &mut model,
            &mut Bench::gives("34"),
            &ask(question),
            &mut |event| {
                if let Event::Revise { text, .. } = event {
                    revised = Some(text.to_owned());
                }
                ControlFlow::Continue(())
            },
        )
        .expect("an answer");
    assert_eq!(revised, Some(reply.text));
}

/// Tries to take more than it may.
struct Greedy;

impl Guard for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        Some(Finding {
            side: Side::Response,
            span: 0..turn.answer.len(),
            evidence: turn.answer.to_owned(),
            kind: "everything",
        })
    }

    fn may_revise(&self, _: &[Message]) -> bool {
        true
    }

    fn act(&self, turn: &Turn<'_>, desk: &mut Desk<'_>) -> Action {
        let errand = || Errand {
            messages: turn.messages.to_vec(),
            ..Errand::default()
        };
        let texts: Vec<String> = (0..5).filter_map(|_| desk.generate(errand())).collect();
        let decided = (0..5).filter_map(|_| desk.decide(turn.messages.to_vec()));
        Action::plain(Verdict::Revised {
            text: format!("{} {}", texts.len(), decided.count()),
            reason: "greed".into(),
        })
    }
}

#[test]
fn the_desk_hands_out_one_generation_and_two_decisions() {
    let mut model = Model::new([Says::Text("yes")]);
    let reply = Pipeline::new(vec![Box::new(Greedy)])
        .answer(&mut model, &mut Bench::default(), &ask("x"), &mut go_on)
        .expect("an answer");
    assert_eq!(reply.text, "1 2");
    assert_eq!(model.asked.len(), 4);
}
