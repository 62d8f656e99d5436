//! Hostile SMT-LIB: texts that ask for more time, memory, depth or output than a question has. Each must end in a
//! verdict or in one line that says why not, without a panic, within the time of its limits and a margin.
use crate::{bytecode::sandbox, logic::decide};
use reckon_solve::logic::{self, LogicAnswer, LogicLimits, SatStatus, Solver};
use std::time::{Duration, Instant};

fn limits() -> LogicLimits {
    LogicLimits {
        time: Duration::from_millis(500),
        total: Duration::from_secs(10),
        ..LogicLimits::default()
    }
}

/// In this process, where a panic is seen. That children hold as well is for the tests at the end.
fn solve(script: &str) -> LogicAnswer {
    checked(script, |limits| decide(script, limits))
}

/// A script or z3py program in a child, as every caller has it, with so much time for a question.
fn solve_in_child(text: &str, time: Duration) -> LogicAnswer {
    checked(text, |limits| {
        let limits = LogicLimits { time, ..*limits };
        logic::solve(&mut sandbox(), text, &Solver::Embedded, &limits)
    })
}

fn checked(script: &str, solve: impl FnOnce(&LogicLimits) -> LogicAnswer) -> LogicAnswer {
    let limits = limits();
    let began = Instant::now();
    let answer = solve(&limits);
    let shown: String = script.chars().take(120).collect();
    let took = began.elapsed();
    // Far more than the limits: machines do other things, too.
    assert!(took < Duration::from_secs(30), "{took:?}: {shown}");
    for line in [&answer.error, &answer.reason].into_iter().flatten() {
        assert!(line.len() < 400 && !line.contains('\n'), "{line}");
    }
    assert!(answer.stdout.len() <= limits.output);
    answer
}

const TRUTHS: &str = "(declare-const a Bool)(declare-const b Bool)";
const NUMBERS: &str = "(declare-const x Int)(declare-const y Int)(declare-const r Real)";

/// Terms with too few, too many or the wrong parts.
const TERMS: &[&str] = &[
    "((_ at-most 2))",
    "((_ at-least 0))",
    "((_ pble 1))",
    "((_ pbge 1 2 3))",
    "((_ pbeq 1 1) a b)",
    "((_ at-most) a)",
    "((_ at-most x) a)",
    "((_ at-most 9223372036854775808) a)",
    "((_ at-most (- 9223372036854775808)) a)",
    "((_ at-most (- 9223372036854775807)) a b)",
    "((_ pble 9223372036854775807 9223372036854775807 9223372036854775807) a b)",
    "((_ at-most 1) x)",
    "()",
    "(())",
    "((()))",
    "(not)",
    "(not a b)",
    "(and)",
    "(or)",
    "(=>)",
    "(=> a)",
    "(xor)",
    "(xor a)",
    "(=)",
    "(= a)",
    "(= a x)",
    "(distinct)",
    "(distinct a)",
    "(ite)",
    "(ite a)",
    "(ite a b)",
    "(ite x a b)",
    "(ite a x b)",
    "(+)",
    "(-)",
    "(*)",
    "(/)",
    "(div)",
    "(mod x)",
    "(< x)",
    "(<)",
    "(< a b)",
    "(abs)",
    "(abs a)",
    "(to_int x)",
    "(is_int x)",
    "(^ x)",
    "(^ x y)",
    "(let)",
    "(let ())",
    "(let () a)",
    "(let ((z)) a)",
    "(let ((z a)) z)",
    "(let (z) a)",
    "(forall)",
    "(forall () a)",
    "(forall ((z)) a)",
    "(forall ((z Nothing)) a)",
    "(exists ((z Int)) z)",
    "(forall ((z Int)) (= z z))",
    "(exists ((z Real)) (< z r))",
    "(as)",
    "(as a)",
    "(!)",
    "(! a :named q)",
    "(_)",
    "(_ bv5 8)",
    "#x",
    "#b2",
    "#xff",
    "|a|",
    "|no such|",
    ":key",
    "\"text\"",
    "1",
    "1.5",
    "(a)",
    "(a b)",
    "(x 1)",
    "(= (/ 1 0) 1.0)",
    "(= (div 1 0) (mod 1 0))",
    "(= (div x y) (mod y x))",
    "(= (mod x 0) 5)",
    "(= (^ 0 0) 1)",
    "(= (^ 0 (- 1)) 1)",
    "(= (^ 2 (- 3)) r)",
    "(= (to_int r) x)",
    "(bvadd a b)",
    "(select a 1)",
    "((as const Int) 1)",
    "(match a)",
    "(lambda ((z Int)) z)",
    "((_ extract 3 1) x)",
    "(root-obj x 1)",
];

#[test]
fn malformed_terms_are_no_panic() {
    assert!(TERMS.len() >= 60);
    for term in TERMS {
        for wrap in [
            "(assert @)(check-sat)(get-model)",
            "(assert (and a @))(check-sat)",
            "(check-sat-assuming (@))",
            "(check-sat)(get-value (@))",
            "(define-fun f () Bool @)(assert f)(check-sat)",
        ] {
            solve(&format!("{TRUTHS}{NUMBERS}{}", wrap.replace('@', term)));
        }
    }
}

#[test]
fn malformed_commands_are_no_panic() {
    let commands = [
        "()",
        "(())",
        "(assert)",
        "(assert a b)",
        "(check-sat-assuming)",
        "(check-sat-assuming a)",
        "(check-sat-assuming ())",
        "(get-value)",
        "(get-value ())",
        "(get-value x)",
        "(get-model)",
        "(eval)",
        "(eval x)",
        "(push -1)",
        "(push 99999999999999999999)",
        "(push 10000)(push 10000)",
        "(pop)",
        "(pop 0)",
        "(pop x)",
        "(declare-fun)",
        "(declare-fun f)",
        "(declare-fun f () f)",
        "(declare-fun f (f) Int)",
        "(declare-const)",
        "(declare-const x)",
        "(declare-const 5 Int)",
        "(declare-const x (Array Int Int))",
        "(declare-sort)",
        "(declare-sort S 3)",
        "(declare-sort Int 0)",
        "(define-sort)",
        "(define-sort T () T)",
        "(define-fun)",
        "(define-fun f () Int true)",
        "(define-const c Bool 5)",
        "(declare-datatypes () ())",
        "(declare-datatypes ((A 0)) ())",
        "(declare-datatypes ((A 0)) (()))",
        "(declare-datatypes ((A 0)) ((a (b A))))",
        "(declare-datatypes ((A 0)) (((c (d A)))))",
        "(declare-datatype)",
        "(declare-datatype A ())",
        "(declare-datatype A ((a) (a)))",
        "(maximize)",
        "(minimize x)",
        "(assert-soft)",
        "(assert-soft a :weight x)",
        "(echo)",
        "(echo x)",
        "(set-option)",
        "(set-option :timeout)",
        "(set-option :timeout 99999999999999999999)",
        "(set-option :timeout 0)",
        "(reset)(assert a)",
        "(reset-assertions)",
        "(exit)(assert",
        "(include \"x\")",
        "(set-info :x)",
        "(declare-const a Int)(declare-const a Bool)(assert a)",
        "(declare-fun and () Bool)(assert and)",
    ];
    for command in commands {
        solve(command);
        solve(&format!(
            "{TRUTHS}{NUMBERS}{command}(check-sat)(get-model)(get-value (x))"
        ));
    }
}

fn nested(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
}

/// `v0 = first`, `v1 = step of v0`, …: a short text for a term that is exponentially large when written out.
fn doubling(first: &str, step: &str, levels: usize) -> String {
    let mut text = format!("(let ((v0 {first})) ");
    for level in 1..levels {
        let previous = format!("v{}", level - 1);
        text += &format!("(let ((v{level} {})) ", step.replace('@', &previous));
    }
    format!("{text}v{}{}", levels - 1, ")".repeat(levels))
}

#[test]
fn large_numbers_end_in_time() {
    let digits = "9".repeat(100_000);
    let long = "9".repeat(900);
    let sum: String = (0..3000)
        .map(|n| format!("(/ 1.0 {}.0) ", 2 * n + 100_003))
        .collect();
    let terms = [
        format!("(= x {digits})"),
        format!("(= r 0.{digits})"),
        format!("(= x (* {}))", format!("{long} ").repeat(2000)),
        format!("(= x (+ {}))", format!("{long} ").repeat(3000)),
        format!("(= r (+ {sum}))"),
        format!("(< r (* {sum}))"),
        "(= x (^ 10 1000000000))".into(),
        "(= x (^ (^ 9 64) (^ 9 64)))".into(),
        format!("(= x {})", nested("(^ ", "9", " 64)", 200)),
        format!("(= x {})", doubling("99999", "(* @ @)", 60)),
        format!("(= x {})", doubling("99999", "(^ @ 60)", 60)),
        format!("(= x {})", doubling("x", "(* @ @)", 60)),
        format!("(= r {})", doubling("(/ 1.0 99991.0)", "(* @ @)", 60)),
        "(= (* x x x x x x x x) 99999999999999999999999)".into(),
        "(and (> x 1000000000000000) (< x 1000000000000000000) (= (* x y) 1000000000000000003))"
            .into(),
    ];
    for term in terms {
        solve(&format!("{NUMBERS}(assert {term})(check-sat)(get-model)"));
    }
}

#[test]
fn deep_and_wide_terms_end_in_time() {
    let wide = |word: &str, count: usize| format!("({word}{})", " a b".repeat(count));
    let terms = [
        nested("(not ", "a", ")", 1400),
        nested("(and a ", "b", ")", 1400),
        nested("(= a ", "b", ")", 1400),
        nested("(ite a ", "b", " a)", 1400),
        nested("(forall ((z Bool)) ", "(= z a)", ")", 1400),
        nested("(exists ((z Bool)) (and (= z a) ", "b", "))", 700),
        nested(
            "(forall ((z Int)) (=> (and (< 0 z) (< z 2000)) ",
            "(< z x)",
            "))",
            300,
        ),
        nested("(let ((z a)) ", "z", ")", 1400),
        doubling("a", "(and @ (not @))", 1000),
        doubling("a", "(= @ (= b @))", 1000),
        doubling("a", "(ite @ b @)", 1000),
        format!("(= x {})", doubling("x", "(+ @ @)", 60)),
        format!(
            "(= x {})",
            doubling("x", "(ite (< @ 3) (+ @ 1) (* @ 2))", 500)
        ),
        format!("(= x {})", doubling("x", "(mod (* @ @) 1000003)", 500)),
        wide("and", 100_000),
        wide("=", 30_000),
        wide("distinct", 5_000),
        format!(
            "(distinct {})",
            (0..300).map(|n| format!("(+ x {n}) ")).collect::<String>()
        ),
    ];
    for term in terms {
        solve(&format!(
            "{TRUTHS}{NUMBERS}(assert {term})(check-sat)(get-model)"
        ));
    }
    for levels in [2000, 100_000] {
        let answer = solve(&format!(
            "(assert {})",
            nested("(not ", "true", ")", levels)
        ));
        assert!(
            answer
                .error
                .is_some_and(|error| error.contains("nested too deeply"))
        );
    }
}

#[test]
fn quantifiers_with_many_cases_end_in_time() {
    let sort: String = (0..30).map(|n| format!("(e{n})")).collect();
    let many: String = (0..50_000).map(|n| format!("(e{n})")).collect();
    let range = "(=> (and (<= 0 i 1999) (<= 0 j 1999) (<= 0 k 1999))";
    let scripts = [
        format!("{NUMBERS}(assert (forall ((i Int) (j Int) (k Int)) {range} (< (+ i j k) x))))"),
        format!("{NUMBERS}(assert (exists ((i Int) (j Int) (k Int)) (and (<= 0 i 1999) (<= 0 j 1999) (<= 0 k 1999) (= (* i j k) 7))))"),
        format!("(declare-datatypes ((E 0)) (({sort})))(declare-fun f (E E E E E E) Bool)
            (assert (forall ((a E) (b E) (c E) (d E) (e E) (g E)) (f a b c d e g)))"),
        format!("(declare-datatypes ((E 0)) (({many})))(declare-fun f (E) Int)(assert (forall ((a E)) (= (f a) 1)))"),
        format!("(declare-datatypes ((E 0)) (({many})))(declare-const p E)(declare-const q E)(assert (distinct p q))"),
        format!("(declare-datatypes ((E 0)) (({sort})))(declare-fun f (E) E)
            (assert (forall ((a E) (b E)) (=> (= (f a) (f b)) (= a b))))(assert (forall ((a E)) (distinct (f a) e0)))"),
        "(declare-sort S 0)(declare-fun f (S) S)(declare-const c S)
            (assert (forall ((a S) (b S)) (=> (= (f a) (f b)) (= a b))))(assert (forall ((a S)) (distinct (f a) c)))".into(),
        "(declare-sort S 0)(declare-fun f (S S S S) S)(assert (forall ((a S) (b S) (c S) (d S)) (distinct (f a b c d) (f b a d c))))".into(),
        "(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f (f x)) (f (+ x 1)))))".into(),
        "(declare-fun f (Int Int) Int)(assert (forall ((x Int) (y Int)) (= (f x (f y x)) (f (f x y) (* x y)))))".into(),
    ];
    for script in scripts {
        solve(&(script + "(check-sat)(get-model)"));
    }
}

#[test]
fn hard_searches_end_in_time() {
    let holes = |pigeons: usize, holes: usize| {
        let names: Vec<String> = (0..pigeons).map(|n| format!("p{n}")).collect();
        let declared: String = names
            .iter()
            .map(|n| format!("(declare-const {n} Int)(assert (<= 1 {n} {holes}))"))
            .collect();
        format!("{declared}(assert (distinct {}))", names.join(" "))
    };
    let cycle: String = (0..50)
        .map(|n| format!("(declare-const c{n} Int)(assert (<= 0 c{n} 1000000000))"))
        .collect();
    let steps: String = (0..50)
        .map(|n| format!("(assert (< c{n} c{}))", (n + 1) % 50))
        .collect();
    let many: String = (0..3000)
        .map(|n| format!("(declare-const u{n} Int)(assert (> (g u{n}) {n}))"))
        .collect();
    let scripts = [
        holes(13, 12),
        holes(40, 39),
        format!("{cycle}{steps}"),
        format!("(declare-fun g (Int) Int){many}"),
        format!("{NUMBERS}(assert (and (> x 1) (> y 1) (= (* x y) 1000000007)))"),
        format!("{NUMBERS}(assert (= (+ (* x x x) (* y y y)) (+ 33 (* 2 x y))))"),
    ];
    for script in scripts {
        solve(&(script + "(check-sat)(get-model)"));
    }
}

#[test]
fn definitions_cannot_grow_or_turn_in_circles() {
    let scripts = [
        "(define-fun f ((n Int)) Int (f (+ n 1)))(assert (= (f 0) 1))".to_owned(),
        "(define-fun f ((n Int)) Int (+ (f n) (f n)))(assert (= (f 0) 1))".into(),
        "(define-fun f () Bool (g))(define-fun g () Bool (f))(assert f)".into(),
        format!(
            "(define-fun f ((n Int)) Int {})(declare-const x Int)(assert (= {} 3))",
            nested("(+ 1 ", "(* n n)", ")", 1000),
            nested("(f ", "x", ")", 1000)
        ),
        (1..60).fold(
            "(declare-const x Int)(define-fun f0 ((n Int)) Int (* n x))".to_owned(),
            |all, n| {
                all + &format!(
                    "(define-fun f{n} ((n Int)) Int (+ (f{0} (+ n {n})) (f{0} (- n {n}))))",
                    n - 1
                )
            },
        ) + "(assert (= (f59 x) 3))",
    ];
    for script in scripts {
        assert_eq!(solve(&(script + "(check-sat)")).status, SatStatus::Unknown);
    }
}

#[test]
fn floods_of_output_are_cut() {
    let symbols: String = (0..200)
        .map(|n| format!("(declare-const s{n} Int)(assert (= s{n} {n}))"))
        .collect();
    let floods = [
        format!("{symbols}(check-sat){}", "(get-model)".repeat(2_000)),
        format!(
            "{symbols}(check-sat){}",
            "(get-value (s1 s2 s3 s4 s5 s6 s7 s8 s9))".repeat(20_000)
        ),
        format!("(echo \"{}\")", "x".repeat(2 << 20)),
        "(echo \"0123456789012345678901234567890123456789\")".repeat(60_000),
    ];
    for script in floods {
        let error = solve(&script).error.unwrap_or_default();
        assert!(error.contains("output: more than 1024 KiB"), "{error}");
    }
    let questions = format!("{symbols}{}", "(check-sat)".repeat(1000));
    assert_eq!(solve(&questions).stdout.lines().count(), 1000);
    assert!(solve(&"(check-sat)".repeat(1001)).error.is_some());
    assert!(solve(&"a ".repeat(1_500_000)).error.is_some());
}

/// A short text for a large model: `count` constants whose value has a very long name.
fn model_flood(count: usize) -> String {
    let name = "n".repeat(500_000);
    let constants: String = (0..count)
        .map(|n| format!("(declare-const c{n} E)(assert (not (= c{n} other)))"))
        .collect();
    format!("(declare-datatypes ((E 0)) ((({name}) (other)))){constants}(check-sat)")
}

#[test]
fn a_model_that_fills_the_memory_ends_only_the_child() {
    // Nothing here is about time.
    let time = Duration::from_secs(10);
    let flood = solve_in_child(&(model_flood(2000) + "(get-model)"), time);
    assert_eq!(
        (flood.status, flood.stdout.as_str()),
        (SatStatus::Unknown, "")
    );
    let error = flood.error.unwrap();
    assert!(error.starts_with("memory: more than"), "{error}");
    // The same asked by a program, which could not write the answer down either.
    let program = format!(
        "import _reckon\n_reckon.call('smt', '{}')",
        model_flood(2000)
    );
    let flood = solve_in_child(&program, time);
    assert!(flood.error.unwrap().starts_with("memory: more than"));
    assert_eq!(flood.status, SatStatus::Unknown);
}

#[test]
fn a_child_says_why_it_does_not_solve() {
    let symbols: String = (0..200)
        .map(|n| format!("(declare-const s{n} Int)(assert (= s{n} {n}))"))
        .collect();
    let refused = [
        (
            format!("(assert {})", nested("(not ", "true", ")", 100_000)),
            "nested too deeply",
        ),
        (
            format!("{symbols}(check-sat){}", "(get-model)".repeat(2_000)),
            "output: more than 1024 KiB",
        ),
        (format!("(assert {}", " ".repeat(2 << 20)), "refused:"),
        ("(set-logic ALL)\0".into(), "refused:"),
        ("(assert (and a".into(), "the text ends before"),
    ];
    for (script, why) in refused {
        let answer = solve_in_child(&script, Duration::from_secs(10));
        let error = answer.error.unwrap_or_default();
        assert!(error.contains(why), "{why}: {error}");
    }
}

/// Neither the deepest terms that are read nor wrong ones end a child early, in a script or asked by a program.
#[test]
fn deep_and_malformed_terms_do_not_crash_the_child() {
    let terms = [
        nested("(not ", "a", ")", 1400),
        nested("(ite a ", "b", " a)", 1400),
        nested("(forall ((z Bool)) ", "(= z a)", ")", 1400),
        doubling("a", "(ite @ b @)", 1000),
        "((_ pble 9223372036854775807 9223372036854775807 9223372036854775807) a b)".into(),
        "((_ at-most (- 9223372036854775808)) a)".into(),
        "(= (^ 0 (- 1)) 1)".into(),
        "(let ((z)) a)".into(),
        "((()))".into(),
    ];
    for term in terms {
        let script = format!("{TRUTHS}{NUMBERS}(assert {term})(check-sat)");
        let program = format!("import _reckon\n_reckon.call('smt', '{script}')");
        for text in [script, program] {
            let answer = solve_in_child(&text, Duration::from_millis(500));
            let error = answer.error.unwrap_or_default();
            for crash in ["recursion:", "memory:", "failed inside", "crashed", "ended"] {
                assert!(!error.contains(crash), "{error}: {term}");
            }
        }
    }
}
