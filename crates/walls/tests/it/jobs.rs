//! One input in, one output out; what is printed and asked in between; how jobs fail.
use crate::{outcome, run, run_with, start};
use reckon_walls::{Error, Limits, Runner, Start};

#[test]
fn bytes_go_in_and_come_out() {
    for input in [b"".to_vec(), vec![0, 255, 10], vec![7; 60 << 10]] {
        assert_eq!(run("echo", input.clone()).unwrap(), input);
    }
}

#[test]
fn a_spare_child_runs_one_input_and_the_next_is_fresh() {
    let mut runner = Runner::new(start(), "echo", Limits::default());
    for input in ["one", "two", "three"] {
        runner.prepare().unwrap();
        runner.protection().unwrap();
        let outcome = runner.run(input.into(), &mut |_, _| String::new());
        assert_eq!(outcome.result.unwrap(), input.as_bytes());
    }
}

#[test]
fn what_is_printed_arrives_in_order_without_what_is_hidden() {
    let outcome = outcome("print", "a hidden b c", Limits::default());
    assert_eq!(outcome.printed, b"abc");
    assert_eq!(outcome.result.unwrap(), b"printed");
}

#[test]
fn the_parent_answers_calls() {
    let outcome = outcome("ask", "why?", Limits::default());
    assert_eq!(outcome.result.unwrap(), b"question: why?");
}

#[test]
fn a_jobs_own_error_is_one_line_that_a_terminal_can_show() {
    let line = "no\nway \u{1b}[31mred \u{202e}back\u{2066}\r\u{85}\u{2028}end";
    let Err(Error::Job(said)) = run("fail", line) else {
        panic!("no error of the job");
    };
    assert_eq!(said, "no way  [31mred back   end");
    let Err(Error::Job(said)) = run("fail", "x".repeat(50_000)) else {
        panic!("no error of the job");
    };
    assert_eq!(said.len(), 600);
}

#[test]
fn a_panic_an_abort_and_a_full_stack_are_errors_of_their_kind() {
    let Err(Error::Job(said)) = run("panic", "") else {
        panic!("no error of the job");
    };
    assert!(said.contains("a bug of the job"), "{said}");
    assert!(matches!(run("abort", ""), Err(Error::Crash(_))));
    for job in ["recurse", "shallow"] {
        let Err(Error::Limit(said)) = run(job, "x") else {
            panic!("{job}: no limit");
        };
        assert!(said.starts_with("recursion:"), "{said}");
    }
}

#[test]
fn input_output_prints_and_calls_are_bounded() {
    let limits = Limits {
        input: 10,
        output: 100,
        calls: 3,
        ..Limits::default()
    };
    assert!(matches!(
        run_with("echo", [1; 11], &limits),
        Err(Error::Refused(_))
    ));
    assert_eq!(run_with("echo", [1; 10], &limits).unwrap(), [1; 10]);
    assert_eq!(run_with("long", "100", &limits).unwrap().len(), 100);
    for job in ["long", "shout"] {
        let Err(Error::Limit(said)) = run_with(job, "101", &limits) else {
            panic!("{job}: no limit");
        };
        assert!(said.starts_with("output:"), "{said}");
    }
    let Err(Error::Limit(said)) = run_with("nag", "", &limits) else {
        panic!("no limit of calls");
    };
    assert!(said.starts_with("host:"), "{said}");
}

#[test]
fn an_answer_that_no_frame_holds_is_an_error() {
    let mut runner = Runner::new(start(), "ask", Limits::default());
    let outcome = runner.run(Vec::new(), &mut |_, _| "x".repeat(5 << 20));
    assert!(
        matches!(outcome.result, Err(Error::Limit(_))),
        "{outcome:?}"
    );
}

#[test]
fn a_job_that_does_not_exist_and_a_program_that_is_no_child_do_not_start() {
    assert!(matches!(run("nothing", ""), Err(Error::Start(_))));
    let start = Start {
        program: "/nowhere/at/all".into(),
        arguments: vec![],
    };
    let result = reckon_walls::run(&start, "echo", vec![], &Limits::default());
    assert!(matches!(result, Err(Error::Start(_))));
}

#[test]
fn outside_a_child_there_is_nobody_to_ask_and_nothing_is_printed() {
    reckon_walls::inside::print(b"nothing", true);
    assert!(reckon_walls::inside::call("a", "b").is_err());
    let arguments = ["reckon".into(), "chat".into()];
    assert!(reckon_walls::child(&[], &arguments).is_none());
}
