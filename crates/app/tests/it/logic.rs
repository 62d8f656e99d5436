//! `reckon solve logic` and `solve setup`: z3py and SMT-LIB through the real binary.
use crate::{
    place::{Ended, Place},
    sandbox::sandbox,
};
use flate2::read::GzDecoder;
use reckon::solve::{
    Limits as Walls,
    logic::{self, LogicAnswer, LogicLimits, SatStatus, Solver},
};
use serde_json::Value;
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

fn run(program: &str) -> LogicAnswer {
    logic::solve(
        &mut sandbox(Walls::default()),
        program,
        &Solver::Embedded,
        &LogicLimits::default(),
    )
}

/// Programs and what they print with z3-solver 5.4.0.
const PROGRAMS: &[(&str, &str)] = &[
    (
        r"from z3 import *
x, y = Ints('x y')
s = Solver()
s.add(x + y == 10, x - y == 4)
print(s.check())
m = s.model()
print(m[x], m[y].as_long() + 1, m.eval(x * y), s)
",
        r"sat
7 4 21 [x + y == 10, x - y == 4]
",
    ),
    (
        r"from z3 import *
Day, (mon, tue, wed) = EnumSort('Day', ['mon', 'tue', 'wed'])
on = Function('on', Day, IntSort())
d = Const('d', Day)
s = Solver()
s.add(ForAll([d], And(on(d) >= 1, on(d) <= 3)), Distinct([on(x) for x in (mon, tue, wed)]))
s.add(on(wed) < on(mon), on(mon) < on(tue))
if s.check() == sat:
    m = s.model()
    for day in (mon, tue, wed):
        print(day, m.evaluate(on(day)))
s.push()
s.add(on(mon) == 1)
print(s.check())
s.pop()
print(s.check(), s.num_scopes())
",
        r"mon 2
tue 3
wed 1
unsat
sat 0
",
    ),
    (
        r"from z3 import *
p, q, r = Bools('p q r')
prove(Implies(And(Implies(p, q), Implies(q, r)), Implies(p, r)))
solve(p)
print(And(p, Or(q, Not(r))), Implies(p, q) == r, If(p, 1, 0) + 2)
print(simplify(And(p, True)), is_true(BoolVal(True)), p == p, bool(p == p))
",
        r"proved
[p = True]
And(p, Or(q, Not(r))) Implies(p, q) == r If(p, 1, 0) + 2
p True p == p True
",
    ),
    (
        r"from z3 import *
x, v = Real('x'), Q(2, 3)
print(v, v.as_decimal(5), v.numerator(), v.denominator_as_long(), v.as_fraction() + 1)
print(RealVal('0.125'), Q(1, 3), x / 2 + 1 >= 0.5, -x ** 2)
",
        r"2/3 0.66666? 2 3 5/3
1/8 1/3 x/2 + 1 >= 1/2 -x**2
",
    ),
    (
        r"from z3 import *
Person = DeclareSort('Person')
ann, bob = Consts('ann bob', Person)
knight = Function('knight', Person, BoolSort())
s = Solver()
x = Const('x', Person)
s.add(ForAll([x], knight(x) == (x == ann)), ann != bob)
for who in (ann, bob):
    s.push()
    s.add(knight(who))
    print(who, s.check())
    s.pop()
",
        r"ann sat
bob unsat
",
    ),
    (
        r"from z3 import *
flags = [Bool('f%d' % i) for i in range(4)]
s = Solver()
s.add(AtMost(*flags, 1), AtLeast(*flags, 1), PbEq([(f, i) for i, f in enumerate(flags)], 2))
print(s.check(), [is_true(s.model().eval(f)) for f in flags], Sum([If(f, 1, 0) for f in flags[:2]]))
",
        r"sat [False, False, True, False] If(f0, 1, 0) + If(f1, 1, 0)
",
    ),
    (
        r"from z3 import *
x = Int('x')
s = Solver()
s.add(x > 2, x < 2)
print(s.check())
try:
    s.model()
except Z3Exception as e:
    print('no model:', e)
try:
    if x > 1: pass
except Z3Exception as e:
    print(e)
print(x % 3 == 1, 2 * (x + 1) - -x, Exists([x], x * x == 4), [x, x + 1], x != 3)
",
        r"unsat
no model: model is not available
Symbolic expressions cannot be cast to concrete Boolean values.
x%3 == 1 2*(x + 1) - -x Exists(x, x*x == 4) [x, x + 1] x != 3
",
    ),
];

#[test]
fn programs_print_what_z3py_prints() {
    for (program, printed) in PROGRAMS {
        let answer = run(program);
        assert_eq!(answer.error, None, "{program}");
        assert_eq!(answer.stdout, *printed, "{program}");
    }
}

#[test]
fn the_verdict_is_that_of_the_last_question() {
    let one = run("from z3 import *\nx = Int('x')\ns = Solver()\ns.add(x > 1, x < 3)\ns.check()");
    assert_eq!(
        (one.status, one.unique, one.checked),
        (SatStatus::Sat, Some(true), true)
    );
    assert_eq!(one.model, [("x".to_owned(), "2".to_owned())]);
    let many = run("from z3 import *\nx = Int('x')\ns = Solver()\ns.add(x > 1, x < 9)\ns.check()");
    assert_eq!((many.status, many.unique), (SatStatus::Sat, Some(false)));
    let none = run("from z3 import *\nprint(1)");
    assert_eq!((none.status, none.unique), (SatStatus::Unknown, None));
    let stopped =
        run("from z3 import *\ns = Solver()\ns.add(Int('x') > 1)\ns.check()\nprint(1)\nboom");
    assert_eq!(
        (stopped.status, stopped.stdout.as_str()),
        (SatStatus::Sat, "1\n")
    );
    assert!(stopped.error.unwrap().contains("NameError"));
}

#[test]
fn a_program_stops_where_the_embedded_solver_has_no_verdict() {
    let program = "from z3 import *\nx = Real('x')\ns = Solver()\ns.add(x * x == 2)\n\
        print('different' if s.check() != sat else 'same')";
    let answer = run(program);
    assert_eq!(
        (answer.status, answer.stdout.as_str()),
        (SatStatus::Unknown, "")
    );
    assert!(answer.error.unwrap().contains("no verdict"));
    // A program that catches what it can would print that there is no solution.
    let catches = "from z3 import *\ns = Solver()\ns.add(Real('x') > 1)\ntry:\n    s.check()\n\
        except Exception:\n    print('no solution')";
    let answer = run(catches);
    assert_eq!(answer.stdout, "");
    assert!(
        answer
            .error
            .unwrap()
            .contains("real numbers are left to z3")
    );
}

#[test]
fn the_command_prints_text_or_json_and_keeps_ids() {
    let place = Place::new();
    let script = "(declare-const x Int)(assert (= (* 3 x) 12))(check-sat)(get-value (x))";
    let file = place.write("puzzle.smt2", script.as_bytes());
    let text = place.reckon(&["solve", "logic", file, "--solver", "embedded"]);
    assert_eq!((text.code, text.out.as_str()), (Some(0), "sat\n((x 4))\n"));
    let json = place.reckon(&["solve", "logic", file, "--solver", "embedded", "--json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(
        (&json["status"], &json["unique"]),
        (&"sat".into(), &true.into())
    );
    assert_eq!(json["model"]["x"], "4");
    let rows = "{\"id\": 7, \"program\": \"(declare-const a Bool)(assert (and a (not a)))(check-sat)\"}\n{\"id\": 8}\n";
    let rows = place.write("rows.jsonl", rows.as_bytes());
    let out = place.reckon(&["solve", "logic", "--jsonl", rows, "--solver", "embedded"]);
    let lines: Vec<Value> = out
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["id"], &lines[0]["status"]),
        (&7.into(), &"unsat".into())
    );
    assert!(lines[1]["error"].as_str().unwrap().contains("program"));
}

#[test]
fn bad_input_is_refused() {
    let place = Place::new();
    let refused = |name: &str, bytes: &[u8]| -> Ended {
        let file = place.write(name, bytes);
        place.reckon(&["solve", "logic", file])
    };
    for (name, bytes) in [
        ("nul", b"(check-sat)\0".to_vec()),
        ("latin", b"(echo \"\xe9\")".to_vec()),
        ("large", vec![b' '; 10 << 20]),
    ] {
        let ended = refused(name, &bytes);
        assert_eq!((ended.code, ended.out.as_str()), (Some(4), ""), "{name}");
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    }
    let unclosed = refused("endless", "(assert (and ".repeat(1000).as_bytes());
    assert_eq!(unclosed.code, Some(1));
    let missing = place.reckon(&["solve", "logic", "nowhere.py", "--solver", "z3"]);
    assert_ne!(missing.code, Some(0));
}

#[test]
fn setup_says_why_it_cannot() {
    let place = Place::new();
    let ended = place.reckon(&["--offline", "solve", "setup"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("network is forbidden"), "{}", ended.err);
}

/// All of the shared programs, because a sample can flatter or wrong the solver; docs/logic.md has the figures.
#[test]
fn programs_of_real_models_print_what_they_print_with_z3() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/logic/z3py_programs.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        eprintln!("SKIPPED: no {}", path.display());
        return;
    };
    let rows = BufReader::new(GzDecoder::new(file)).lines();
    let rows = rows.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let (mut same, mut all, mut contradictions) = (0, 0, Vec::new());
    for row in rows.filter(|row| row["expect"]["status"] == "ok") {
        let answer = run(row["program"].as_str().unwrap());
        all += 1;
        match answer.error {
            None if answer.stdout == row["expect"]["stdout"] => same += 1,
            None => contradictions.push(format!("{}: {:?}", row["id"], answer.stdout)),
            Some(error) => println!("no result: {}: {error}", row["id"]),
        }
    }
    println!("{same} of {all} the same");
    assert!(contradictions.is_empty(), "{contradictions:?}");
    assert!(all > 50 && same * 100 >= all * 90, "{same} of {all}");
}
