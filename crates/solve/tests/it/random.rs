//! The embedded solver against counting: small random problems, all assignments tried.
use crate::logic::embedded;
use proptest::prelude::*;
use reckon_solve::logic::SatStatus;

/// An integer term over `x y z`, the function `f` and the truths `a b`.
#[derive(Clone, Debug)]
enum Number {
    Constant(i64),
    Unknown(usize),
    /// `f` of an element.
    Value(usize),
    Add(Box<Self>, Box<Self>),
    Times(i64, Box<Self>),
    Product(Box<Self>, Box<Self>),
    Mod(Box<Self>, i64),
    Div(Box<Self>, i64),
    If(Box<Truth>, Box<Self>, Box<Self>),
}

#[derive(Clone, Debug)]
enum Truth {
    Unknown(usize),
    Le(Number, Number),
    Lt(Number, Number),
    Eq(Number, Number),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Same(Box<Self>, Box<Self>),
    /// For all elements `e`: `f(e)` and the number are not equal, or the truth holds.
    All(Number, Box<Self>),
    /// Some element's value equals the number.
    Some(Number),
}

struct World {
    numbers: [i64; 3],
    values: [i64; 2],
    truths: [bool; 2],
}

const NUMBERS: [&str; 3] = ["x", "y", "z"];
const TRUTHS: [&str; 2] = ["a", "b"];

impl Number {
    fn text(&self) -> String {
        match self {
            Self::Constant(n) if *n < 0 => format!("(- {})", -n),
            Self::Constant(n) => n.to_string(),
            Self::Unknown(at) => NUMBERS[*at].into(),
            Self::Value(at) => format!("(f {})", ["p", "q"][*at]),
            Self::Add(a, b) => format!("(+ {} {})", a.text(), b.text()),
            Self::Times(n, a) => format!("(* {} {})", Self::Constant(*n).text(), a.text()),
            Self::Product(a, b) => format!("(* {} {})", a.text(), b.text()),
            Self::Mod(a, n) => format!("(mod {} {})", a.text(), Self::Constant(*n).text()),
            Self::Div(a, n) => format!("(div {} {})", a.text(), Self::Constant(*n).text()),
            Self::If(c, a, b) => format!("(ite {} {} {})", c.text(), a.text(), b.text()),
        }
    }

    fn value(&self, world: &World) -> i64 {
        match self {
            Self::Constant(n) => *n,
            Self::Unknown(at) => world.numbers[*at],
            Self::Value(at) => world.values[*at],
            Self::Add(a, b) => a.value(world) + b.value(world),
            Self::Times(n, a) => n * a.value(world),
            Self::Product(a, b) => a.value(world) * b.value(world),
            Self::Mod(a, n) => a.value(world).rem_euclid(*n),
            Self::Div(a, n) => a.value(world).div_euclid(*n),
            Self::If(c, a, b) => {
                if c.holds(world) {
                    a.value(world)
                } else {
                    b.value(world)
                }
            }
        }
    }
}

impl Truth {
    fn text(&self) -> String {
        match self {
            Self::Unknown(at) => TRUTHS[*at].into(),
            Self::Le(a, b) => format!("(<= {} {})", a.text(), b.text()),
            Self::Lt(a, b) => format!("(> {} {})", b.text(), a.text()),
            Self::Eq(a, b) => format!("(= {} {})", a.text(), b.text()),
            Self::Not(a) => format!("(not {})", a.text()),
            Self::And(a, b) => format!("(and {} {})", a.text(), b.text()),
            Self::Or(a, b) => format!("(or {} {})", a.text(), b.text()),
            Self::Same(a, b) => format!("(= {} {})", a.text(), b.text()),
            Self::All(n, a) => format!(
                "(forall ((e E)) (or (distinct (f e) {}) {}))",
                n.text(),
                a.text()
            ),
            Self::Some(n) => format!("(exists ((e E)) (= (f e) {}))", n.text()),
        }
    }

    fn holds(&self, world: &World) -> bool {
        match self {
            Self::Unknown(at) => world.truths[*at],
            Self::Le(a, b) => a.value(world) <= b.value(world),
            Self::Lt(a, b) => a.value(world) < b.value(world),
            Self::Eq(a, b) => a.value(world) == b.value(world),
            Self::Not(a) => !a.holds(world),
            Self::And(a, b) => a.holds(world) && b.holds(world),
            Self::Or(a, b) => a.holds(world) || b.holds(world),
            Self::Same(a, b) => a.holds(world) == b.holds(world),
            Self::All(n, a) => world
                .values
                .iter()
                .all(|v| *v != n.value(world) || a.holds(world)),
            Self::Some(n) => world.values.contains(&n.value(world)),
        }
    }
}

fn leaf() -> impl Strategy<Value = Number> {
    prop_oneof![
        (-4i64..5).prop_map(Number::Constant),
        (0usize..3).prop_map(Number::Unknown),
        (0usize..2).prop_map(Number::Value),
    ]
}

fn number() -> impl Strategy<Value = Number> {
    leaf().prop_recursive(3, 8, 2, |inner| {
        let divisor = prop_oneof![-3i64..0, 1i64..4];
        let truth = (inner.clone(), inner.clone()).prop_map(|(a, b)| Truth::Lt(a, b));
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Number::Add(a.into(), b.into())),
            (-3i64..4, inner.clone()).prop_map(|(n, a)| Number::Times(n, a.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Number::Product(a.into(), b.into())),
            (inner.clone(), divisor.clone()).prop_map(|(a, n)| Number::Mod(a.into(), n)),
            (inner.clone(), divisor).prop_map(|(a, n)| Number::Div(a.into(), n)),
            (truth, inner.clone(), inner).prop_map(|(c, a, b)| Number::If(
                c.into(),
                a.into(),
                b.into()
            )),
        ]
    })
}

fn truth() -> impl Strategy<Value = Truth> {
    let leaf = prop_oneof![
        (0usize..2).prop_map(Truth::Unknown),
        (number(), number()).prop_map(|(a, b)| Truth::Le(a, b)),
        (number(), number()).prop_map(|(a, b)| Truth::Lt(a, b)),
        (number(), number()).prop_map(|(a, b)| Truth::Eq(a, b)),
        number().prop_map(Truth::Some),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Truth::Not(a.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Truth::And(a.into(), b.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Truth::Or(a.into(), b.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Truth::Same(a.into(), b.into())),
            (number(), inner).prop_map(|(n, a)| Truth::All(n, a.into())),
        ]
    })
}

const DECLARED: &str = "(declare-datatypes ((E 0)) (((p) (q))))(declare-fun f (E) Int)
(declare-const x Int)(declare-const y Int)(declare-const z Int)(declare-const a Bool)(declare-const b Bool)\n";

/// All worlds with numbers of a range.
fn worlds(low: i64, high: i64) -> impl Iterator<Item = World> {
    let count = high - low + 1;
    (0..count.pow(5) * 4).map(move |mut index| {
        let mut next = |size: i64| {
            let digit = index % size;
            index /= size;
            digit
        };
        let truths = [next(2) == 1, next(2) == 1];
        let numbers = [(); 3].map(|()| low + next(count));
        let values = [(); 2].map(|()| low + next(count));
        World {
            numbers,
            values,
            truths,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bounded_problems_are_decided_as_counting_decides(truths in prop::collection::vec(truth(), 1..4)) {
        let mut script = DECLARED.to_owned();
        for name in ["x", "y", "z", "(f p)", "(f q)"] {
            script += &format!("(assert (and (<= (- 1) {name}) (<= {name} 2)))");
        }
        for truth in &truths {
            script += &format!("(assert {})\n", truth.text());
        }
        let answer = embedded(&(script.clone() + "(check-sat)"));
        let fits = |world: &World| truths.iter().all(|truth| truth.holds(world));
        let count = worlds(-1, 2).filter(fits).count();
        let wanted = if count > 0 { SatStatus::Sat } else { SatStatus::Unsat };
        prop_assert_eq!(answer.status, wanted, "{}", script);
        if count > 0 {
            // Truths and numbers that no assertion mentions are not part of the model.
            let asserted = &script[DECLARED.len()..];
            let all_used = asserted.contains(" a") && asserted.contains(" b");
            if all_used && answer.unique == Some(true) {
                prop_assert_eq!(count, 1, "{}", script);
            }
            if count == 1 {
                prop_assert_eq!(answer.unique, Some(true), "{}", script);
            }
        }
    }

    #[test]
    fn unbounded_problems_are_never_decided_wrongly(truths in prop::collection::vec(truth(), 1..4)) {
        let mut script = DECLARED.to_owned();
        for truth in &truths {
            script += &format!("(assert {})\n", truth.text());
        }
        let limits = reckon_solve::logic::LogicLimits {
            time: std::time::Duration::from_secs(2),
            ..Default::default()
        };
        let script = script + "(check-sat)";
        let answer = crate::logic::decide(&script, &limits);
        // What holds in a small world holds; a verdict of sat has passed the exact check.
        let found = worlds(-2, 2).any(|world| truths.iter().all(|truth| truth.holds(&world)));
        if found {
            prop_assert_ne!(answer.status, SatStatus::Unsat, "{}", script);
        }
    }

    #[test]
    fn order_puzzles_without_bounds_are_decided(
        rows in prop::collection::vec((0usize..4, 0usize..4, -2i64..3, 0usize..3), 2..7)
    ) {
        let mut script = "(declare-const v0 Int)(declare-const v1 Int)(declare-const v2 Int)(declare-const v3 Int)".to_owned();
        for (a, b, c, kind) in &rows {
            let word = ["<=", "distinct", "="][*kind];
            script += &format!("(assert ({word} v{a} (+ v{b} {})))", Number::Constant(*c).text());
        }
        let holds = |v: &[i64; 4]| rows.iter().all(|(a, b, c, kind)| match kind {
            0 => v[*a] <= v[*b] + c,
            1 => v[*a] != v[*b] + c,
            _ => v[*a] == v[*b] + c,
        });
        // Differences are all that counts: the first is 0, no other is farther than all constants and steps.
        let far = 12i64;
        let side = 2 * far + 1;
        let any = (0..side.pow(3)).any(|n| {
            holds(&[0, n % side - far, n / side % side - far, n / side / side - far])
        });
        let wanted = if any { SatStatus::Sat } else { SatStatus::Unsat };
        prop_assert_eq!(embedded(&(script.clone() + "(check-sat)")).status, wanted, "{}", script);
    }
}
