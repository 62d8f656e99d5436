//! Logic: scripts with known answers, refusals, solvers that lie or hang, uniqueness.
use crate::bytecode::sandbox;
use reckon_solve::logic::{self, LogicAnswer, LogicLimits, SatStatus, Solver, is_smt};
use std::time::{Duration, Instant};

/// Decides a script in this process, on a stack as deep as that of a child.
pub(crate) fn decide(script: &str, limits: &LogicLimits) -> LogicAnswer {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(64 << 20);
        let thread = builder.spawn_scoped(scope, || logic::decide(script, limits, None));
        thread.unwrap().join().unwrap()
    })
}

pub(crate) fn embedded(script: &str) -> LogicAnswer {
    decide(script, &LogicLimits::default())
}

fn status(script: &str) -> SatStatus {
    let answer = embedded(script);
    assert_eq!(answer.error, None, "{script}");
    answer.status
}

fn value<'a>(answer: &'a LogicAnswer, name: &str) -> &'a str {
    let found = answer.model.iter().find(|(known, _)| known == name);
    &found
        .unwrap_or_else(|| panic!("no {name} in {:?}", answer.model))
        .1
}

const PUZZLE: &str = "
(declare-datatypes ((Pet 0)) (((cat) (dog) (owl))))
(declare-fun place (Pet) Int)
(assert (forall ((p Pet)) (and (<= 1 (place p)) (<= (place p) 3))))
(assert (distinct (place cat) (place dog) (place owl)))
(assert (< (place owl) (place cat)))
(assert (= (place dog) (+ (place cat) 1)))
(check-sat)";

#[test]
fn a_puzzle_has_its_one_solution() {
    let answer = embedded(PUZZLE);
    assert_eq!(answer.status, SatStatus::Sat);
    assert_eq!(answer.unique, Some(true));
    assert!(answer.checked);
    let place = value(&answer, "place");
    for entry in ["cat -> 2", "dog -> 3", "owl -> 1"] {
        assert!(place.contains(entry), "{place}");
    }
}

#[test]
fn a_second_solution_is_noticed() {
    let open = PUZZLE.replace("(assert (< (place owl) (place cat)))", "");
    let answer = embedded(&open.replace("(assert (= (place dog) (+ (place cat) 1)))", ""));
    assert_eq!(
        (answer.status, answer.unique),
        (SatStatus::Sat, Some(false))
    );
}

#[test]
fn integers_without_bounds_are_decided() {
    let order = "(declare-fun a () Int)(declare-fun b () Int)(declare-fun c () Int)(assert (< a b))(assert (< b c))";
    assert_eq!(status(&format!("{order}(check-sat)")), SatStatus::Sat);
    assert_eq!(
        status(&format!("{order}(assert (< c a))(check-sat)")),
        SatStatus::Unsat
    );
    assert_eq!(
        status(&format!("{order}(assert (= c (+ a 1)))(check-sat)")),
        SatStatus::Unsat
    );
    let parity =
        "(declare-fun x () Int)(declare-fun y () Int)(assert (= (* 2 x) (+ (* 2 y) 1)))(check-sat)";
    assert_eq!(status(parity), SatStatus::Unsat);
    let far = "(declare-fun x () Int)(assert (> x 123456789))(assert (= (mod x 7) 3))(check-sat)";
    assert_eq!(status(far), SatStatus::Sat);
}

#[test]
fn what_is_not_linear_and_not_bounded_stays_unknown() {
    let script = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)
        (assert (and (> x 0) (> y 0) (> z 0)))
        (assert (= (+ (* x x x) (* y y y)) (* z z z)))(check-sat)";
    let limits = LogicLimits {
        time: Duration::from_secs(2),
        ..LogicLimits::default()
    };
    assert_eq!(decide(script, &limits).status, SatStatus::Unknown);
}

#[test]
fn free_sorts_find_their_size() {
    let people =
        "(declare-sort P 0)(declare-fun a () P)(declare-fun b () P)(declare-fun likes (P P) Bool)";
    let only = "(assert (forall ((x P) (y P)) (= x y)))";
    assert_eq!(
        status(&format!("{people}{only}(assert (likes a b))(check-sat)")),
        SatStatus::Sat
    );
    assert_eq!(
        status(&format!("{people}{only}(assert (not (= a b)))(check-sat)")),
        SatStatus::Unsat
    );
    // Everybody likes somebody else and nobody is liked back: no bound on the size, but three will do.
    let endless = "(assert (forall ((x P)) (exists ((y P)) (and (likes x y) (not (likes y x))))))";
    assert_ne!(
        status(&format!("{people}{endless}(check-sat)")),
        SatStatus::Unsat
    );
}

/// Left to `z3`, each with a reason that a person understands.
#[test]
fn what_is_left_to_z3_says_so() {
    let scripts = [
        (
            "(declare-fun x () Real)(assert (= (* 3.0 x) 2.0))",
            "real numbers are left to z3",
        ),
        (
            "(declare-fun x () Int)(assert (> 9 x 3))(maximize x)",
            "largest or smallest",
        ),
        (
            "(declare-fun x () Int)(assert (> x 3))(assert-soft (> x 9))",
            "largest or smallest",
        ),
        (
            "(declare-fun x () (_ BitVec 8))(assert (= (bvadd x #x01) #x00))",
            "the sort `(_ BitVec 8)`",
        ),
        (
            "(declare-fun x () (Array Int Int))(assert (= (select x 1) 2))",
            "the sort `(Array Int Int)`",
        ),
        (
            "(declare-fun x () Int)(assert (= (^ 2 x) 32))",
            "unknown exponent",
        ),
        (
            "(declare-fun x () Int)(declare-fun y () Int)(assert (= (div 9 y) x))(assert (= y 0))",
            "zero",
        ),
    ];
    for (script, reason) in scripts {
        let answer = embedded(&format!("{script}(check-sat)"));
        assert_eq!(
            (answer.status, answer.error),
            (SatStatus::Unknown, None),
            "{script}"
        );
        let given = answer.reason.unwrap_or_default();
        assert!(given.contains(reason), "{script}: {given}");
    }
}

/// Equal arguments, equal values: over a free sort, without a bound on its size.
#[test]
fn congruence_decides_functions_of_free_sorts() {
    let declared =
        "(declare-sort S 0)(declare-fun f (S) S)(declare-fun a () S)(declare-fun b () S)";
    let times = |n: usize| format!("{}a{}", "(f ".repeat(n), ")".repeat(n));
    let loops = format!("(assert (= {} a))(assert (= {} a))", times(3), times(5));
    assert_eq!(
        status(&format!(
            "{declared}{loops}(assert (not (= (f a) a)))(check-sat)"
        )),
        SatStatus::Unsat
    );
    assert_eq!(
        status(&format!("{declared}{loops}(check-sat)")),
        SatStatus::Sat
    );
    let two = format!("(assert (= {} a))(assert (not (= (f a) a)))", times(2));
    assert_eq!(
        status(&format!("{declared}{two}(check-sat)")),
        SatStatus::Sat
    );
    assert_eq!(
        status(&format!(
            "{declared}{two}(assert (= {} a))(check-sat)",
            times(3)
        )),
        SatStatus::Unsat
    );
    let same = "(assert (= a b))(assert (not (= (f a) (f b))))(check-sat)";
    assert_eq!(status(&format!("{declared}{same}")), SatStatus::Unsat);
    // Instances at the terms refute what quantifiers say of a function without end.
    let human = "(declare-fun human (S) Bool)(assert (forall ((x S)) (=> (human x) (human (f x)))))(assert (human a))";
    let grandchild = format!("(assert (not (human {})))(check-sat)", times(3));
    assert_eq!(
        status(&format!("{declared}{human}{grandchild}")),
        SatStatus::Unsat
    );
    let integers = "(declare-fun g (Int) Int)(declare-const n Int)(declare-const m Int)";
    let clash = "(assert (= n m))(assert (= (g n) 1))(assert (= (g m) 2))(check-sat)";
    assert_eq!(status(&format!("{integers}{clash}")), SatStatus::Unsat);
}

#[test]
fn scopes_and_definitions_work() {
    let script = "(define-fun twice ((n Int)) Int (* 2 n))(declare-const x Int)(assert (= (twice x) 10))
        (push)(assert (> x 5))(check-sat)(pop)(check-sat)(get-value (x))(echo \"done\")(exit)(check-sat)";
    assert_eq!(embedded(script).stdout, "unsat\nsat\n((x 5))\ndone\n");
    let counted = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)
        (assert ((_ at-most 1) a b c))(assert ((_ at-least 1) a b c))(assert (not a))(assert (=> b c))(check-sat)(get-value (c))";
    assert_eq!(embedded(counted).stdout, "sat\n((c true))\n");
    let shadowed = "(declare-const x Int)(assert (let ((x 3)) (= x 3)))(assert (exists ((x Int)) (and (< 4 x) (< x 6))))(assert (= x 1))(check-sat)";
    assert_eq!(status(shadowed), SatStatus::Sat);
}

#[test]
fn bad_scripts_are_refused_in_one_line() {
    let deep = format!("(assert {}true{})", "(not ".repeat(3000), ")".repeat(3000));
    let large = format!("; {}\n(check-sat)", "x".repeat(10 << 20));
    let endless = "(declare-fun x () Int)(assert (and (> x 1) ".repeat(2000);
    let scripts = [
        (deep.as_str(), "nested too deeply"),
        (&large, "larger than 4 MiB"),
        (&endless, "nested too deeply"),
        ("(assert (> x 1)", "before a ( is closed"),
        ("(check-sat))", "a ) without its ("),
        ("(check-sat \0)", "NUL"),
        (
            "(include \"/etc/passwd\")(check-sat)",
            "no command this takes",
        ),
        ("(assert |x", "not closed"),
        ("(pop 3)", "pop without push"),
        ("check-sat", "no command"),
    ];
    for (script, reason) in scripts {
        let began = Instant::now();
        let answer = embedded(script);
        let error = answer.error.unwrap_or_default();
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains('\n') && error.len() < 300, "{error}");
        assert_eq!(answer.status, SatStatus::Unknown);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn deep_but_legal_terms_do_not_overflow() {
    let deep = format!(
        "(declare-const x Int)(assert (= {}x{} 9))(check-sat)",
        "(+ 1 ".repeat(1200),
        ")".repeat(1200)
    );
    assert_ne!(embedded(&deep).status, SatStatus::Unsat);
}

#[test]
fn macros_cannot_grow_without_bound() {
    let mut script = "(declare-const x Int)(define-fun f0 ((n Int)) Int (+ n x))".to_owned();
    for level in 1..40 {
        let inner = level - 1;
        script += &format!(
            "(define-fun f{level} ((n Int)) Int (* (f{inner} (+ n {level})) (f{inner} (- n {level}))))"
        );
    }
    let began = Instant::now();
    let answer = embedded(&(script + "(assert (= (f39 x) 3))(check-sat)"));
    assert_eq!(answer.status, SatStatus::Unknown);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn texts_are_told_apart() {
    assert!(is_smt("; a comment\n\n(set-logic QF_LIA)\n"));
    assert!(is_smt("  (declare-const x Int)"));
    assert!(!is_smt("from z3 import *\ns = Solver()"));
    assert!(!is_smt("# (declare-const x Int)\nprint(1)"));
    assert!(!is_smt("(x, y) = Ints('x y')"));
}

#[test]
fn a_program_is_solved_in_its_child() {
    let solve = |program: &str, solver: &Solver| {
        logic::solve(&mut sandbox(), program, solver, &LogicLimits::default())
    };
    let program =
        "from z3 import *\nx = Int('x')\ns = Solver()\ns.add(x > 1, x < @)\nprint(s.check())";
    let one = solve(&program.replace('@', "3"), &Solver::Embedded);
    assert_eq!((one.error.as_deref(), one.stdout.as_str()), (None, "sat\n"));
    assert_eq!(
        (one.status, one.unique, one.checked),
        (SatStatus::Sat, Some(true), true)
    );
    assert_eq!(value(&one, "x"), "2");
    let many = solve(&program.replace('@', "9"), &Solver::Embedded);
    assert_eq!((many.status, many.unique), (SatStatus::Sat, Some(false)));
    // The verdict stays when the program fails after it.
    let failed = solve(
        &format!("{program}\nboom").replace('@', "3"),
        &Solver::Embedded,
    );
    assert_eq!((failed.status, failed.unique), (SatStatus::Sat, Some(true)));
    assert!(failed.error.unwrap().contains("NameError"));
    // Programs reach the session, never the parent: it would say that there is no such program.
    let direct = "import _reckon\nprint(_reckon.call('z3', '(check-sat)'))";
    let direct = solve(direct, &Solver::Z3("/nowhere/z3".into()));
    assert_eq!(direct.stdout, "error\tno such question\n");
    assert_eq!(direct.error, None);
}

#[cfg(unix)]
mod outside {
    use super::*;
    use std::{os::unix::fs::PermissionsExt, path::Path};

    /// A program that says `words` whatever it is asked.
    fn program(directory: &Path, body: &str) -> Solver {
        let path = directory.join("z3");
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Solver::Z3(path)
    }

    const QUESTION: &str = "(declare-const x Int)(assert (> x 3))(check-sat)";

    fn ask(body: &str) -> LogicAnswer {
        let directory = tempfile::tempdir().unwrap();
        let limits = LogicLimits {
            time: Duration::from_millis(1500),
            ..LogicLimits::default()
        };
        let solver = program(directory.path(), body);
        logic::solve(&mut sandbox(), QUESTION, &solver, &limits)
    }

    #[test]
    fn a_model_that_does_not_hold_is_no_answer() {
        let lie = ask("echo sat; echo '((define-fun x () Int 2))'");
        assert_eq!((lie.status, lie.error), (SatStatus::Unknown, None));
        let truth = ask("echo sat; echo '((define-fun x () Int 4))'");
        assert_eq!((truth.status, truth.checked), (SatStatus::Sat, true));
        assert_eq!(value(&truth, "x"), "4");
    }

    #[test]
    fn a_solver_that_hangs_floods_or_fails_does_no_harm() {
        let began = Instant::now();
        assert_eq!(ask("exec /bin/sleep 100").status, SatStatus::Unknown);
        assert!(began.elapsed() < Duration::from_secs(10));
        assert_eq!(
            ask("while :; do echo sat; echo '((('; done").status,
            SatStatus::Unknown
        );
        let failed = ask("echo '(error \"line 1: no\")'; exit 1");
        assert_eq!(failed.status, SatStatus::Unknown);
        assert!(failed.error.unwrap().contains("line 1: no"));
        let missing = Solver::Z3("/nowhere/z3".into());
        let missing = logic::solve(&mut sandbox(), QUESTION, &missing, &LogicLimits::default());
        assert!(missing.error.unwrap().contains("z3 did not start"));
    }
}
