//! The rules of a guardrail, as properties: faults are put into every guard at every step.
use crate::script::{Bench, Model, Says, ask, go_on};
use reckon_assistant::{
    Action, Ask, CheckLevel, Event, Guard, GuardBudget, GuardOutcome, GuardRequest, MarkState,
    OnEvent, Outcome, Pipeline, Reply, Result, TextModel, Turn, Verdict,
    detect::{Finding, Side},
    guards,
};
use reckon_engine::{Generation, Message};
use std::ops::ControlFlow;

/// A question that a guard acts on, and an answer that it has something against.
const TRIGGERED: [(&str, &str, &str); 7] = [
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
        "qualifier",
        "Name three European capitals without mentioning Paris.",
        "Berlin, Rome and Paris.",
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

/// Everything that can go wrong when a guard asks the model.
const FAULTS: [Says; 10] = [
    Says::Error,
    Says::Cut("half of"),
    Says::Stopped("stopped in"),
    Says::Text(""),
    Says::Text("   \n"),
    Says::Text("```"),
    Says::Text("\u{0}\u{fffd} ??? }{"),
    Says::Text("maybe"),
    Says::Text("no"),
    Says::Text("la la la la la la la la la la la la la la la la la la la la la la"),
];

/// Tools that are gone, fail, or come to nonsense.
fn broken_tools() -> Vec<Bench> {
    let values = [
        "nan",
        "inf",
        "[]",
        "None",
        "",
        "'three'",
        "1e+400",
        "-5",
        "@holds Zeno",
    ];
    let printed = |stdout: &str| Bench {
        outcome: Outcome {
            stdout: stdout.into(),
            ..Outcome::default()
        },
        ran: Vec::new(),
    };
    let mut all: Vec<Bench> = values.into_iter().map(Bench::gives).collect();
    all.push(Bench::fails("timeout"));
    all.push(printed("@holds Zeno\n"));
    all.push(printed("@holds Anna\n@holds Ben\n"));
    all.push(printed("@holds \u{0}\n@option"));
    all
}

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
    let mut named: Vec<&str> = TRIGGERED.iter().map(|(name, ..)| *name).collect();
    let all = guards::all();
    let mut there: Vec<&str> = all.iter().map(|guard| guard.name()).collect();
    named.sort_unstable();
    there.sort_unstable();
    assert_eq!(
        named, there,
        "faults are put into every guard that there is"
    );
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
        // Every pair of faults with one broken tool, and every broken tool with each fault.
        for (i, first) in FAULTS.into_iter().enumerate() {
            for (j, second) in FAULTS.into_iter().enumerate() {
                for (k, tools) in broken_tools().into_iter().enumerate() {
                    if i != j && k != 0 {
                        continue;
                    }
                    let said = vec![Says::Text(raw), first.clone(), second.clone()];
                    let (reply, _) = answer(question, said, &mut tools.clone());
                    // Cutting a draft needs neither the model nor a tool, so nothing can fail there.
                    if name != "correction" {
                        let shipped = &reply.text;
                        assert_eq!(
                            shipped, raw,
                            "{name} with {first:?}, {second:?} and {tools:?}"
                        );
                    }
                    assert_eq!(reply.receipt.raw.as_deref(), Some(raw));
                }
            }
        }
    }
}

#[test]
fn ctrl_c_at_any_moment_leaves_the_raw_answer() {
    for (name, question, raw) in TRIGGERED {
        if name == "correction" {
            continue;
        }
        for after in 0..40 {
            let mut model = Model::new([Says::Text(raw), Says::Text("- - - - - -")]);
            let mut heard = 0;
            let reply = Pipeline::new(guards::all())
                .answer(
                    &mut model,
                    &mut Bench::fails("gone"),
                    &ask(question),
                    &mut |_| {
                        heard += 1;
                        match heard > after {
                            true => ControlFlow::Break(()),
                            false => ControlFlow::Continue(()),
                        }
                    },
                )
                .expect("an answer");
            assert!(
                raw.starts_with(&reply.text),
                "{name} stopped after {after}: {:?}",
                reply.text
            );
        }
    }
}

/// A model that never stops by itself: it writes until it has its tokens.
struct Endless {
    asked: Vec<Option<usize>>,
    /// Tokens of its first answer.
    first: usize,
    /// Tokens after which it stops all the same.
    later: usize,
}

impl TextModel for Endless {
    fn count(&self, _: &[Message]) -> Result<usize> {
        Ok(1)
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        self.asked.push(ask.max_tokens);
        let mut first = Model::new([Says::Text("The sea is very wide and deep.")]);
        if self.asked.len() == 1 {
            return first.generate(ask, on_event).map(|mut said| {
                said.usage.completion = self.first;
                said
            });
        }
        let most = ask.max_tokens.expect("a guard's generation has an end");
        let mut cut = Model::new([Says::Cut("...")]);
        cut.generate(ask, on_event).map(|mut said| {
            said.usage.completion = most.min(self.later);
            said
        })
    }
}

#[test]
fn a_second_answer_always_ends() {
    for (question, allowed, most) in [
        ("Describe the sea in one word.", None, 600),
        ("Describe the sea. Answer in one word.", Some(50), 50),
        ("Describe the sea. Use fewer than 3 words.", None, 600),
        ("Describe the sea. Use at least 600 words.", None, 1800),
        ("Describe the sea. Use at least 600 words.", Some(100), 100),
        ("Describe the sea. Use at least 999999 words.", None, 8192),
    ] {
        let mut model = Endless {
            asked: Vec::new(),
            first: 3,
            later: usize::MAX,
        };
        let ask = Ask {
            max_tokens: allowed,
            check: CheckLevel::Full,
            ..ask(question)
        };
        let reply = Pipeline::new(guards::all())
            .answer(&mut model, &mut Bench::default(), &ask, &mut go_on)
            .expect("an answer");
        assert_eq!(reply.text, "The sea is very wide and deep.", "{question}");
        assert!(model.asked.len() > 1, "{question}: asked again");
        assert_eq!(
            model.asked[0], allowed,
            "the first answer is the person's own"
        );
        for tokens in &model.asked[1..] {
            assert!(
                tokens.is_some_and(|tokens| tokens <= most),
                "{question}: {tokens:?}"
            );
        }
    }
}

#[test]
fn without_a_full_check_second_answers_take_at_most_twice_the_time_of_the_first() {
    // Tokens of the first (7 by its length where they are not counted), whether it is asked for again, and whether a guard
    // says that there is no time for it.
    for (question, first, again, told) in [
        ("Describe the sea in one word.", 0, true, false),
        ("Describe the sea in one word.", 3, true, false),
        ("Describe the sea in one word.", 100, true, false),
        ("Describe the sea. Use at least 600 words.", 3, false, true),
        // 525 tokens are no 600 words.
        (
            "Describe the sea. Use at least 600 words.",
            300,
            false,
            true,
        ),
        // A first answer of ten words has room for twelve tokens, not for fourteen words.
        ("Describe the sea. Use exactly 14 words.", 10, false, true),
        ("Describe the sea. Use exactly 12 words.", 10, true, false),
        (
            "Describe the sea. Use at least 600 words.",
            400,
            true,
            false,
        ),
        // Two guards have something to say, and the first takes the time of both.
        (
            "Describe the sea. Answer in one word. Do not mention wide.",
            100,
            true,
            true,
        ),
    ] {
        let mut model = Endless {
            asked: Vec::new(),
            first,
            later: usize::MAX,
        };
        let ask = Ask {
            check: CheckLevel::Quick,
            ..ask(question)
        };
        let reply = Pipeline::new(guards::all())
            .answer(&mut model, &mut Bench::default(), &ask, &mut go_on)
            .expect("an answer");
        let entries = &reply.receipt.guards;
        let spent: usize = entries.iter().map(|entry| entry.spent.completion).sum();
        assert_eq!(spent > 0, again, "{question}: {entries:?}");
        assert!(
            spent <= 14.max(2 * first),
            "{question}: {spent} after {first}"
        );
        let reasons = entries.iter().filter_map(|entry| entry.reason.as_deref());
        let no_time = reasons.filter(|why| why.contains("a full check allows it"));
        assert_eq!(no_time.count() > 0, told, "{question}: {entries:?}");
    }
}

#[test]
fn what_is_read_for_a_second_answer_counts_when_another_guard_wants_one() {
    // 24 tokens have room for 40 more. What is left must be worth half an answer.
    for (later, asked) in [(10, 3), (20, 3), (21, 2), (34, 2)] {
        let mut model = Endless {
            asked: Vec::new(),
            first: 24,
            later,
        };
        let ask = Ask {
            check: CheckLevel::Quick,
            ..ask("Describe the sea. Answer in one word. Do not mention wide.")
        };
        Pipeline::new(guards::all())
            .answer(&mut model, &mut Bench::default(), &ask, &mut go_on)
            .expect("an answer");
        assert_eq!(model.asked.len(), asked, "{later} tokens for the first");
    }
}

#[test]
fn a_second_answer_that_is_none_is_not_taken() {
    let question = "What is the capital of France? Answer in one word.";
    let raw = "The capital of France is Paris.";
    let second = |text| {
        let (reply, _) = answer(
            question,
            vec![Says::Text(raw), Says::Text(text)],
            &mut Bench::default(),
        );
        reply.text
    };
    assert_eq!(second("Paris"), "Paris");
    for bad in ["...", "Wonderful", "!", "\u{200b}"] {
        assert_eq!(second(bad), raw, "{bad:?}");
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
                .map(|entry| {
                    // A batch is one generation of several samples.
                    let spent = &entry.spent;
                    let written = spent.samples.max(spent.generations);
                    written + spent.decisions
                })
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
fn an_answer_that_was_cut_gets_the_end_that_the_question_alone_settles() {
    let question = "What is 15% of 80?";
    for (said, shipped) in [
        ("To find it, we", "To find it, we\n\n15 % of 80 = **12**"),
        ("15% of 80 is 12.", "15% of 80 is 12."),
        (
            "So it is \\(\\boxed{p}\\), and",
            "So it is \\(\\boxed{12}\\), and\n\n15 % of 80 = **12**",
        ),
    ] {
        let (reply, model) = answer(question, vec![Says::Cut(said)], &mut Bench::fails("none"));
        assert_eq!((reply.text.as_str(), model.asked.len()), (shipped, 1));
        let mark = reply.receipt.mark.expect("a mark");
        assert_eq!(mark.value.as_deref(), Some("12"), "{mark}");
        assert_ne!(mark.state, MarkState::Unchecked, "{mark}");
    }
    let (stopped, _) = answer(
        question,
        vec![Says::Stopped("To find it, we")],
        &mut Bench::fails("none"),
    );
    assert_eq!(stopped.text, "To find it, we");
}

#[test]
fn a_made_up_output_is_gone_from_what_follows_it_too() {
    let question = "Joey plays 2 matches on Monday, 36 on Friday and twice as many on Saturday as on Monday. \
                    How many matches does he play in total?";
    let said = "```python\nm = 2\nprint(m + 36 + 2 * m)\n```\n```output\n41\n```\n\
                He plays \\(\\boxed{41}\\) matches in total.";
    let mut tools = Bench {
        outcome: Outcome {
            value: Some("42".into()),
            stdout: "42\n".into(),
            ..Outcome::default()
        },
        ran: Vec::new(),
    };
    let program = || Says::Text("    monday = 2\n    return monday + 36 + 2 * monday\n```");
    let mut shipped = |said: &'static str| {
        let says = vec![Says::Text(said), program(), program(), program()];
        let (reply, _) = answer(question, says, &mut tools);
        let mark = reply.receipt.mark.expect("a mark");
        assert_eq!(mark.state, MarkState::Corrected, "{mark}");
        reply.text
    };
    assert_eq!(shipped(said), said.replace("41", "42"));
    // A third number in the box is no result either.
    let other = "```python\nm = 2\nprint(m + 36 + 2 * m)\n```\n```output\n41\n```\nHe plays \\(\\boxed{38}\\).";
    let right = other.replace("41", "42").replace("38", "42");
    assert_eq!(shipped(other), format!("{right}\n\nThe answer is **42**."));
}

#[test]
fn a_puzzle_without_options_is_read_from_the_facts_of_its_program() {
    let question = "Ulla is taller than Vito. Vito is taller than Wim. Who is the tallest?";
    let shipped = |everything: &str, facts: &str| {
        // What the model makes of options is left aside.
        let program = format!(
            " the first, position 3 is the last.\neverything = [{everything}]\n{facts}\noptions = {{\"A\": wim == 2}}\n```"
        );
        let program: &'static str = program.leak();
        let mut tools = Bench {
            outcome: Outcome {
                stdout: "@stands wim 1\n@stands vito 2\n@stands ulla 3\n@option A\n".into(),
                ..Outcome::default()
            },
            ran: Vec::new(),
        };
        let says = vec![Says::Text("Vito is the tallest."), Says::Text(program)];
        let reply = answer(question, says, &mut tools).0;
        (reply.receipt.mark.expect("a mark"), reply.text)
    };
    let ulla = "# Ulla is taller than Vito.\ns.add(ulla > vito)\n";
    let (mark, text) = shipped("ulla, vito, wim", ulla);
    assert_eq!(mark.state, MarkState::Corrected, "{mark}");
    assert!(text.ends_with("The answer is Ulla"), "{text}");
    for (everything, facts) in [
        ("ulla, vito, yve", ulla),
        ("ulla, vito, vito", ulla),
        ("ulla, vito, wim", ""),
        (
            "ulla, vito, wim",
            "# Ulla is taller than Vito.\ns.add(ulla > wim)",
        ),
        (
            "ulla, vito, wim",
            "# Ulla is taller than Vito.\ns.add(ulla > vito)\n# Vito is taller than Wim.\ns.add(vito < wim)",
        ),
        (
            "ulla, vito, wim",
            "# Ulla is older than Vito.\ns.add(ulla > vito)",
        ),
    ] {
        let (mark, text) = shipped(everything, facts);
        assert_eq!(mark.state, MarkState::Unchecked, "{facts}: {mark}");
        assert_eq!(text, "Vito is the tallest.");
    }
}

/// What a guard came to when the tools print this, for one answer.
fn came_to(name: &str, question: &str, raw: &'static str, outcome: Outcome) -> GuardOutcome {
    let mut tools = Bench {
        outcome,
        ran: Vec::new(),
    };
    // A program for both questions below; what it comes to is the tools' business.
    let said = vec![Says::Text(raw), Says::Text("    return 66484 * 66483")];
    let (reply, _) = answer(question, said, &mut tools);
    let entry = reply
        .receipt
        .guards
        .iter()
        .find(|entry| entry.guard == name);
    entry.expect("an entry").outcome
}

#[test]
fn a_wrong_number_is_never_confirmed() {
    let factory = "A factory makes 66484 nails an hour for 66483 hours. How many nails does it make in total?";
    let value = |text: &str| Outcome {
        value: Some(text.into()),
        ..Outcome::default()
    };
    let right = "It makes 4,420,055,772 nails in total.";
    assert_eq!(
        came_to("arithmetic", factory, right, value("4420055772")),
        GuardOutcome::Confirmed
    );
    for (raw, computed) in [
        ("It makes 4420055769 nails in total.", "4420055772"),
        (
            "It makes 9007199254740993 nails in total.",
            "9007199254740992",
        ),
        ("It makes 12 nails in total, after 36 minutes.", "36"),
        ("The answer is **12**. See step 36.", "36"),
        (
            "It makes 4420055772 or 4420055769 nails in total.",
            "4420055772",
        ),
        ("It makes 100000000000000000000 nails.", "1e+20"),
    ] {
        let outcome = came_to("arithmetic", factory, raw, value(computed));
        assert_ne!(outcome, GuardOutcome::Confirmed, "{raw} for {computed}");
    }
}

#[test]
fn a_name_that_is_only_mentioned_is_never_confirmed() {
    let (_, question, _) = TRIGGERED[1];
    let printed = || Outcome {
        stdout: "@option Anna\n@holds Anna\n@option Ben\n@option Carl\n".into(),
        ..Outcome::default()
    };
    let came = |raw| came_to("logic", question, raw, printed());
    assert_eq!(came("Anna is in the middle."), GuardOutcome::Confirmed);
    assert_eq!(
        came("Carl, Anna, Ben: so it is **Anna**."),
        GuardOutcome::Confirmed
    );
    assert_eq!(
        came("Anna is left of Ben, so **Ben** is in the middle."),
        GuardOutcome::Revised
    );
    assert_eq!(came("Ben is in the middle."), GuardOutcome::Revised);
    assert_eq!(
        came("Anna stands between Carl and Ben."),
        GuardOutcome::Flagged
    );
    assert_eq!(
        came("Hannah is in the middle."),
        GuardOutcome::Revised,
        "by words"
    );
}

#[test]
fn a_revision_is_announced_with_the_text_that_ships() {
    let question = "What is 17 * 23?";
    let mut model = Model::new([Says::Text("17 * 23 is 381.")]);
    let mut revised = None;
    let reply = Pipeline::new(guards::all())
        .answer(
            &mut model,
            &mut Bench::default(),
            &ask(question),
            &mut |event| {
                if let Event::Revise { text, .. } = event {
                    revised = Some(text.to_owned());
                }
                ControlFlow::Continue(())
            },
        )
        .expect("an answer");
    assert!(reply.text.contains("391"), "{}", reply.text);
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

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let request = || GuardRequest {
            messages: turn.messages.to_vec(),
            ..GuardRequest::default()
        };
        let texts: Vec<String> = (0..5).filter_map(|_| budget.generate(request())).collect();
        let decided = (0..5).filter_map(|_| budget.decide(turn.messages.to_vec()));
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
