//! Logic: scripts with known answers, refusals, solvers that lie or hang, uniqueness.
use reckon_solve::logic::{Answer, Limits, Solver, Status, is_smt, solve_smt};
use std::time::{Duration, Instant};

pub(crate) fn embedded(script: &str) -> Answer {
    solve_smt(script, &Solver::Embedded, &Limits::default())
}

fn status(script: &str) -> Status {
    let answer = embedded(script);
    assert_eq!(answer.error, None, "{script}");
    answer.status
}

fn value<'a>(answer: &'a Answer, name: &str) -> &'a str {
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
    assert_eq!(answer.status, Status::Sat);
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
    assert_eq!((answer.status, answer.unique), (Status::Sat, Some(false)));
}

#[test]
fn integers_without_bounds_are_decided() {
    let order = "(declare-fun a () Int)(declare-fun b () Int)(declare-fun c () Int)(assert (< a b))(assert (< b c))";
    assert_eq!(status(&format!("{order}(check-sat)")), Status::Sat);
    assert_eq!(
        status(&format!("{order}(assert (< c a))(check-sat)")),
        Status::Unsat
    );
    assert_eq!(
        status(&format!("{order}(assert (= c (+ a 1)))(check-sat)")),
        Status::Unsat
    );
    let parity =
        "(declare-fun x () Int)(declare-fun y () Int)(assert (= (* 2 x) (+ (* 2 y) 1)))(check-sat)";
    assert_eq!(status(parity), Status::Unsat);
    let far = "(declare-fun x () Int)(assert (> x 123456789))(assert (= (mod x 7) 3))(check-sat)";
    assert_eq!(status(far), Status::Sat);
}

#[test]
fn what_is_not_linear_and_not_bounded_stays_unknown() {
    let script = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)
        (assert (and (> x 0) (> y 0) (> z 0)))
        (assert (= (+ (* x x x) (* y y y)) (* z z z)))(check-sat)";
    let limits = Limits {
        time: Duration::from_secs(2),
        ..Limits::default()
    };
    assert_eq!(
        solve_smt(script, &Solver::Embedded, &limits).status,
        Status::Unknown
    );
}

#[test]
fn reals_are_exact() {
    let answer = embedded(
        "(declare-fun x () Real)(declare-fun y () Real)
         (assert (= (+ (* 3.0 x) y) 2.0))(assert (= (- x y) 1.0))(check-sat)",
    );
    assert_eq!(value(&answer, "x"), "3/4");
    assert_eq!(value(&answer, "y"), "-1/4");
    assert_eq!(answer.unique, Some(true));
    let between = "(declare-fun x () Real)(assert (< 0.0 x))(assert (< x 0.001))(check-sat)";
    assert_eq!(status(between), Status::Sat);
    assert_eq!(
        status(&between.replace("(< 0.0 x)", "(< 0.001 x)")),
        Status::Unsat
    );
}

#[test]
fn free_sorts_find_their_size() {
    let people =
        "(declare-sort P 0)(declare-fun a () P)(declare-fun b () P)(declare-fun likes (P P) Bool)";
    let only = "(assert (forall ((x P) (y P)) (= x y)))";
    assert_eq!(
        status(&format!("{people}{only}(assert (likes a b))(check-sat)")),
        Status::Sat
    );
    assert_eq!(
        status(&format!("{people}{only}(assert (not (= a b)))(check-sat)")),
        Status::Unsat
    );
    // Everybody likes somebody else and nobody is liked back: no bound on the size, but three will do.
    let endless = "(assert (forall ((x P)) (exists ((y P)) (and (likes x y) (not (likes y x))))))";
    assert_ne!(
        status(&format!("{people}{endless}(check-sat)")),
        Status::Unsat
    );
}

#[test]
fn bit_vectors_wrap() {
    let script =
        "(declare-fun x () (_ BitVec 8))(assert (= (bvadd x #x01) #x00))(check-sat)(get-value (x))";
    let answer = embedded(script);
    assert_eq!(answer.stdout, "sat\n((x (_ bv255 8)))\n");
    let signed =
        "(declare-fun x () (_ BitVec 8))(assert (bvslt x #x00))(assert (bvult x #x80))(check-sat)";
    assert_eq!(status(signed), Status::Unsat);
    let division = "(declare-fun x () (_ BitVec 6))(assert (= (bvudiv #b111111 x) #b000110))(assert (= (bvurem #b111111 x) #b000011))(check-sat)(get-value (x))";
    assert_eq!(embedded(division).stdout, "sat\n((x (_ bv10 6)))\n");
}

#[test]
fn objectives_get_their_best_value() {
    let script = "(declare-fun x () Int)(declare-fun y () Int)
        (assert (and (>= x 0) (>= y 0) (<= (+ (* 3 x) (* 2 y)) 17)))
        (maximize (+ (* 5 x) (* 3 y)))(check-sat)(get-value ((+ (* 5 x) (* 3 y))))";
    let best = (0..=5)
        .flat_map(|x| (0..=8).map(move |y| (x, y)))
        .filter(|(x, y)| 3 * x + 2 * y <= 17)
        .map(|(x, y)| 5 * x + 3 * y)
        .max();
    let wanted = format!("sat\n(((+ (* 5 x) (* 3 y)) {}))\n", best.unwrap());
    assert_eq!(embedded(script).stdout, wanted);
    let endless = "(declare-fun x () Int)(assert (> x 3))(maximize x)(check-sat)";
    assert_eq!(status(endless), Status::Unknown);
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
    assert_eq!(status(shadowed), Status::Sat);
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
        assert_eq!(answer.status, Status::Unknown);
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
    assert_ne!(embedded(&deep).status, Status::Unsat);
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
    assert_eq!(answer.status, Status::Unknown);
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

    fn ask(body: &str) -> Answer {
        let directory = tempfile::tempdir().unwrap();
        let limits = Limits {
            time: Duration::from_millis(1500),
            ..Limits::default()
        };
        solve_smt(QUESTION, &program(directory.path(), body), &limits)
    }

    #[test]
    fn a_model_that_does_not_hold_is_no_answer() {
        let lie = ask("/bin/cat >/dev/null; echo sat; echo '((define-fun x () Int 2))'");
        assert_eq!((lie.status, lie.error), (Status::Unknown, None));
        let truth = ask("/bin/cat >/dev/null; echo sat; echo '((define-fun x () Int 4))'");
        assert_eq!((truth.status, truth.checked), (Status::Sat, true));
        assert_eq!(value(&truth, "x"), "4");
    }

    #[test]
    fn a_solver_that_hangs_floods_or_fails_does_no_harm() {
        let began = Instant::now();
        assert_eq!(ask("exec /bin/sleep 100").status, Status::Unknown);
        assert!(began.elapsed() < Duration::from_secs(10));
        assert_eq!(
            ask("while :; do echo sat; echo '((('; done").status,
            Status::Unknown
        );
        let failed = ask("echo '(error \"line 1: no\")'; exit 1");
        assert_eq!(failed.status, Status::Unknown);
        assert!(failed.error.unwrap().contains("line 1: no"));
        let missing = Solver::Z3("/nowhere/z3".into());
        assert!(
            solve_smt(QUESTION, &missing, &Limits::default())
                .error
                .is_some()
        );
    }
}
