//! Programs run in a child of this very test binary, whose `main` knows nothing of it.
use crate::script::scripted;
use reckon::{Tools, assistant::Outcome, tools};

#[test]
fn a_program_runs_in_a_locked_child_without_a_hook_in_main() {
    let outcome = tools().python("answer = sum(n * n for n in range(10))");
    assert_eq!(
        (outcome.value.as_deref(), outcome.error),
        (Some("285"), None)
    );
    let outcome = tools().python("open('/etc/passwd').read()");
    assert!(
        outcome.value.is_none() && outcome.error.is_some(),
        "{outcome:?}"
    );
}

/// They overflowed the stack of a child that is caught before `main`, which died of signal 11.
#[test]
fn recursion_too_deep_ends_with_a_line_and_no_signal() {
    let nested = format!("answer = {}1{}", "(".repeat(15_000), ")".repeat(15_000));
    for program in [
        "eval('[' * 300000 + ']' * 300000)",
        "eval('not ' * 400000 + 'True')",
        "eval('x' + '[0]' * 400000, {'x': 1})",
        "def down(n):\n    return down(n - 1) + 1\ndown(5)",
        "import sys\nsys.setrecursionlimit(10**9)\ndef down(n):\n    return down(n - 1) + 1\ndown(5)",
        "def nest(n):\n    return eval(f'nest({n} + 1)')\nnest(0)",
        &nested,
    ] {
        let outcome = tools().python(program);
        let error = outcome.error.clone().unwrap_or_default();
        let words = ["signal", "crashed", "ended early"];
        let shown = program.get(..60).unwrap_or(program);
        assert!(
            !words.iter().any(|word| error.contains(word)),
            "{shown}: {error}"
        );
        let clean = ["ecursion", "SyntaxError", "memory:", "MemoryError"];
        let is_clean = clean.iter().any(|word| error.contains(word));
        // What is nested a little only may as well run.
        let ran = program == nested && outcome.value.as_deref() == Some("1");
        assert!(is_clean || ran, "{shown}: {outcome:?}");
    }
    let after = tools().python("answer = 6 * 7");
    assert_eq!(after.value.as_deref(), Some("42"));
}

#[test]
fn a_number_that_programs_contradict_ships_with_a_doubt() {
    let question = "12 boxes of 8 rolls, 37 sold. How many are left?";
    let program =
        "    boxes = 12\n    rolls = boxes * 8\n    left = rolls - 37\n    return left\n```";
    let (model, _) = scripted(1000, &["There are 49 rolls left.", program]);
    let mut chat = model.chat().guards(reckon::guards::all());
    let reply = chat.ask(question, |_| ()).expect("an answer");
    let shown = reply.receipt.to_string();
    assert_eq!(reply.text, "There are 49 rolls left.", "{shown}");
    assert!(shown.starts_with("doubtful: the answer says 49"), "{shown}");
    assert!(shown.contains("others give 59"), "{shown}");
}

#[test]
fn what_a_question_states_is_computed_without_the_model() {
    let (model, asked) = scripted(1000, &["It is 49."]);
    let mut chat = model.chat().guards(reckon::guards::all());
    let reply = chat.ask("What is 12 * 8 - 37?", |_| ()).expect("an answer");
    let shown = reply.receipt.to_string();
    assert!(reply.text.contains("59"), "{}\n{shown}", reply.text);
    assert!(shown.starts_with("corrected: the model said 49"), "{shown}");
    assert!(shown.contains("arithmetic: revised the answer"), "{shown}");
    assert_eq!(chat.conversation().last().expect("kept").answer, reply.text);
    drop(asked);
}

#[test]
fn tools_of_your_own_take_the_place_of_the_sandbox() {
    struct Always;
    impl Tools for Always {
        fn python(&mut self, _: &str) -> Outcome {
            Outcome {
                value: Some("59".into()),
                ..Outcome::default()
            }
        }
        fn logic(&mut self, _: &str) -> Outcome {
            Outcome::default()
        }
    }
    let (model, _) = scripted(
        1000,
        &[
            "There are 59 rolls left.",
            "    rolls = 12 * 8\n    return rolls - 37\n```",
        ],
    );
    let mut chat = model.chat().guards(reckon::guards::all()).tools(Always);
    let question = "12 boxes of 8 rolls, 37 sold. How many are left?";
    let reply = chat.ask(question, |_| ()).expect("an answer");
    let shown = reply.receipt.to_string();
    assert!(shown.contains("arithmetic: confirmed"), "{shown}");
}
