//! Ranges of the unknown integers: what the assertions say, and how far a search must go where they say nothing.
//!
//! The first is interval propagation. The second is a small-model theorem (von zur Gathen and Sieveking 1978): integer
//! inequalities over n unknowns that have a solution have one within (n + 1) · M, where M bounds the subdeterminants of
//! the coefficients and constants. Rows `x − y ≤ c` and `x ≤ c` form a totally unimodular matrix, so expanding along
//! the other rows gives M ≤ Π (sum of absolute entries of each other row) · (1 + Σ |c|).
use super::{
    super::{
        problem::Problem,
        term::{BvOp, Op, Sort, TermId, Terms},
    },
    linear::Linear,
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Rounds of propagation.
const ROUNDS: usize = 40;
/// Numbers beyond this are not searched.
const LARGEST: i128 = 1 << 90;

/// Lowest and highest value, where known.
pub(super) type Interval = (Option<i128>, Option<i128>);

/// What is known before the search.
pub(super) struct Bounds {
    /// Unknown integers: constants and function values.
    pub(super) unknowns: BTreeMap<TermId, Interval>,
    /// All others are within this, if the assertions can hold at all; `None` if nothing is known.
    pub(super) reach: Option<i128>,
}

impl Bounds {
    pub(super) fn new(problem: &Problem, asserted: &[TermId]) -> Self {
        let terms = &problem.terms;
        let used = reachable(terms, asserted);
        let is_unknown =
            |id: &&TermId| terms.sort(**id) == Sort::Int && matches!(terms.op(**id), Op::Apply(_));
        let mut unknowns: BTreeMap<_, Interval> = used
            .iter()
            .filter(is_unknown)
            .map(|id| (*id, (None, None)))
            .collect();
        let mut conjuncts = Vec::new();
        for id in asserted {
            collect_conjuncts(terms, *id, true, &mut conjuncts);
        }
        for (id, truth) in &conjuncts {
            for (unknown, found) in facts(terms, *id, *truth, 0) {
                narrow(&mut unknowns, unknown, found);
            }
        }
        let rows = sums(terms, &conjuncts);
        for _ in 0..ROUNDS {
            if !propagate(terms, &rows, &mut unknowns) {
                break;
            }
        }
        let reach = Reach::new(problem, &used, &unknowns).bound();
        Self { unknowns, reach }
    }
}

/// All terms below the assertions.
pub(super) fn reachable(terms: &Terms, asserted: &[TermId]) -> BTreeSet<TermId> {
    let mut seen = BTreeSet::new();
    let mut stack = asserted.to_vec();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            stack.extend(terms.args(id));
        }
    }
    seen
}

fn collect_conjuncts(terms: &Terms, id: TermId, truth: bool, into: &mut Vec<(TermId, bool)>) {
    match (terms.op(id), truth) {
        (Op::Not, _) => collect_conjuncts(terms, terms.args(id)[0], !truth, into),
        (Op::And, true) | (Op::Or, false) => {
            for arg in terms.args(id) {
                collect_conjuncts(terms, *arg, truth, into);
            }
        }
        _ => into.push((id, truth)),
    }
}

fn narrow(unknowns: &mut BTreeMap<TermId, Interval>, id: TermId, found: Interval) -> bool {
    let Some(known) = unknowns.get_mut(&id) else {
        return false;
    };
    let low = known.0.max(found.0);
    let high = match (known.1, found.1) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let better = (low, high) != *known;
    *known = (low, high);
    better
}

type Facts = HashMap<TermId, Interval>;

/// Intervals that hold wherever `id` has this truth.
fn facts(terms: &Terms, id: TermId, truth: bool, depth: usize) -> Facts {
    if depth > 300 {
        return Facts::new();
    }
    let args = terms.args(id);
    let part = |arg: &TermId, truth| facts(terms, *arg, truth, depth + 1);
    match (terms.op(id), truth) {
        (Op::Not, _) => part(&args[0], !truth),
        (Op::And, true) | (Op::Or, false) => args.iter().fold(Facts::new(), |mut all, arg| {
            for (unknown, found) in part(arg, truth) {
                let known = all.entry(unknown).or_insert((None, None));
                let mut one = BTreeMap::from([(unknown, *known)]);
                narrow(&mut one, unknown, found);
                *known = one[&unknown];
            }
            all
        }),
        (Op::And, false) | (Op::Or, true) => {
            let mut all = args.iter().map(|arg| part(arg, truth));
            let first = all.next().unwrap_or_default();
            all.fold(first, hull)
        }
        (Op::Ite, _) => hull(part(&args[1], truth), part(&args[2], truth)),
        (Op::Le | Op::Lt | Op::Eq, _) => single(terms, id, truth),
        _ => Facts::new(),
    }
}

fn hull(a: Facts, b: Facts) -> Facts {
    let both = |(id, x): (TermId, Interval)| {
        let y = b.get(&id)?;
        let low = x.0.zip(y.0).map(|(p, q)| p.min(q));
        let high = x.1.zip(y.1).map(|(p, q)| p.max(q));
        Some((id, (low, high)))
    };
    a.into_iter().filter_map(both).collect()
}

/// `a <= b`, `a < b` or `a = b` as `sum <= 0` or `sum = 0` over integers: the sum, and whether it is an equality.
fn integer_row(terms: &Terms, id: TermId, truth: bool) -> Option<(Linear, bool)> {
    let args = terms.args(id);
    if !matches!(terms.sort(*args.first()?), Sort::Int | Sort::Real) {
        return None;
    }
    let (a, b) = if truth {
        (args[0], args[1])
    } else {
        (args[1], args[0])
    };
    let linear = Linear::difference(terms, a, b);
    if !linear.is_integral(terms) {
        return None;
    }
    let mut linear = linear.scaled_to_integers();
    match (terms.op(id), truth) {
        (Op::Eq, true) => Some((linear, true)),
        (Op::Le, true) | (Op::Lt, false) => Some((linear, false)),
        (Op::Lt, true) | (Op::Le, false) => {
            linear.constant += BigRational::one();
            Some((linear, false))
        }
        _ => None,
    }
}

fn single(terms: &Terms, id: TermId, truth: bool) -> Facts {
    let Some((row, equality)) = integer_row(terms, id, truth) else {
        return Facts::new();
    };
    let mut parts = row.parts.iter();
    let (Some((unknown, factor)), None) = (parts.next(), parts.next()) else {
        return Facts::new();
    };
    let limit = -&row.constant / factor;
    let (floor, ceil) = (limit.floor().to_i128(), limit.ceil().to_i128());
    let interval = match (equality, factor.is_positive()) {
        (true, _) => (ceil, floor),
        (false, true) => (None, floor),
        (false, false) => (ceil, None),
    };
    Facts::from([(*unknown, interval)])
}

/// The rows of the conjuncts, equalities in both directions.
fn sums(terms: &Terms, conjuncts: &[(TermId, bool)]) -> Vec<Linear> {
    let mut rows = Vec::new();
    for (id, truth) in conjuncts {
        if !matches!(terms.op(*id), Op::Le | Op::Lt | Op::Eq) {
            continue;
        }
        let Some((row, equality)) = integer_row(terms, *id, *truth) else {
            continue;
        };
        if equality {
            let mut turned = row.clone();
            turned.constant = -turned.constant;
            turned
                .parts
                .values_mut()
                .for_each(|factor| *factor = -&*factor);
            rows.push(turned);
        }
        rows.push(row);
    }
    rows
}

/// One round: each row bounds each of its unknowns by the others.
fn propagate(terms: &Terms, rows: &[Linear], unknowns: &mut BTreeMap<TermId, Interval>) -> bool {
    let mut better = false;
    for row in rows {
        for (unknown, factor) in &row.parts {
            if !unknowns.contains_key(unknown) {
                continue;
            }
            let mut least = Some(row.constant.clone());
            for (other, f) in row.parts.iter().filter(|(id, _)| *id != unknown) {
                let (low, high) = interval(terms, *other, unknowns, 0);
                let end = if f.is_positive() { low } else { high };
                least = least
                    .zip(end)
                    .map(|(sum, end)| sum + f * BigRational::from_integer(end.into()));
            }
            let Some(least) = least else { continue };
            // factor·x + least <= 0.
            let limit = -least / factor;
            let found = if factor.is_positive() {
                (None, limit.floor().to_i128())
            } else {
                (limit.ceil().to_i128(), None)
            };
            if found
                .0
                .or(found.1)
                .is_some_and(|limit| limit.abs() < LARGEST)
            {
                better |= narrow(unknowns, *unknown, found);
            }
        }
    }
    better
}

/// The interval of any integer term.
pub(super) fn interval(
    terms: &Terms,
    id: TermId,
    unknowns: &BTreeMap<TermId, Interval>,
    depth: usize,
) -> Interval {
    if depth > 300 {
        return (None, None);
    }
    let args = terms.args(id);
    let inner = |arg: TermId| interval(terms, arg, unknowns, depth + 1);
    match terms.op(id) {
        Op::Apply(_) => unknowns.get(&id).copied().unwrap_or((None, None)),
        Op::Number(value) => (value.to_i128(), value.to_i128()),
        Op::Ite => {
            let (a, b) = (inner(args[1]), inner(args[2]));
            (
                a.0.zip(b.0).map(|(x, y)| x.min(y)),
                a.1.zip(b.1).map(|(x, y)| x.max(y)),
            )
        }
        Op::Add | Op::Mul if Linear::of(terms, id).parts.keys().all(|part| *part != id) => {
            let linear = Linear::of(terms, id);
            sum_interval(&linear, &|part| interval(terms, part, unknowns, depth + 1))
        }
        Op::Mul => args[1..]
            .iter()
            .fold(inner(args[0]), |all, arg| product(all, inner(*arg))),
        Op::Mod => match terms.as_number(args[1]).and_then(ToPrimitive::to_i128) {
            Some(n) if n != 0 => (Some(0), Some(n.abs() - 1)),
            _ => (None, None),
        },
        Op::Div => match (
            terms.as_number(args[1]).and_then(ToPrimitive::to_i128),
            inner(args[0]),
        ) {
            (Some(n), (Some(low), Some(high))) if n != 0 => {
                let (a, b) = (
                    Integer::div_floor(&low, &n.abs()),
                    Integer::div_floor(&high, &n.abs()),
                );
                if n > 0 {
                    (Some(a), Some(b))
                } else {
                    (Some(-b), Some(-a))
                }
            }
            _ => (None, None),
        },
        Op::Bv(BvOp::ToNat) => match terms.sort(args[0]) {
            Sort::Bits(width) if width < 90 => (Some(0), Some((1 << width) - 1)),
            _ => (None, None),
        },
        _ => (None, None),
    }
}

pub(super) fn sum_interval(linear: &Linear, of: &dyn Fn(TermId) -> Interval) -> Interval {
    let mut low = linear.constant.to_i128();
    let mut high = low;
    for (part, factor) in &linear.parts {
        let (a, b) = of(*part);
        let factor = factor.to_i128();
        let ends = if factor.is_some_and(|f| f > 0) {
            (a, b)
        } else {
            (b, a)
        };
        let add =
            |sum: Option<i128>, end: Option<i128>| sum?.checked_add(factor?.checked_mul(end?)?);
        low = add(low, ends.0);
        high = add(high, ends.1);
    }
    (low, high)
}

fn product(a: Interval, b: Interval) -> Interval {
    let (Some(p), Some(q), Some(r), Some(s)) = (a.0, a.1, b.0, b.1) else {
        return (None, None);
    };
    let ends: Option<Vec<_>> = [(p, r), (p, s), (q, r), (q, s)]
        .iter()
        .map(|(x, y)| x.checked_mul(*y))
        .collect();
    match ends {
        Some(ends) => (ends.iter().min().copied(), ends.iter().max().copied()),
        None => (None, None),
    }
}

/// Collects the rows that the small-model theorem is about.
struct Reach<'a> {
    terms: &'a Terms,
    unknowns: &'a BTreeMap<TermId, Interval>,
    /// Parts without bounds count as unknowns of the system.
    open: HashSet<TermId>,
    /// Sums of absolute entries of rows that are no differences.
    wide: Vec<BigInt>,
    /// Absolute constants of the differences.
    constants: Vec<BigInt>,
    /// Quotients that no term names.
    quotients: usize,
    lost: bool,
}

impl<'a> Reach<'a> {
    fn new(
        problem: &'a Problem,
        used: &BTreeSet<TermId>,
        unknowns: &'a BTreeMap<TermId, Interval>,
    ) -> Self {
        let terms = &problem.terms;
        let mut reach = Self {
            terms,
            unknowns,
            open: HashSet::new(),
            wide: Vec::new(),
            constants: Vec::new(),
            quotients: 0,
            lost: false,
        };
        let mut rows = BTreeSet::new();
        for id in used {
            match terms.op(*id) {
                Op::Le | Op::Lt | Op::Eq if terms.sort(terms.args(*id)[0]) == Sort::Int => {
                    reach.row(
                        &Linear::difference(terms, terms.args(*id)[0], terms.args(*id)[1]),
                        &mut rows,
                    );
                }
                Op::Le | Op::Lt | Op::Eq if terms.sort(terms.args(*id)[0]) == Sort::Real => {
                    let row = Linear::difference(terms, terms.args(*id)[0], terms.args(*id)[1]);
                    if row.is_integral(terms) {
                        reach.row(&row.scaled_to_integers(), &mut rows);
                    } else if row.parts.keys().any(|part| terms.sort(*part) == Sort::Int) {
                        reach.lost = true;
                    }
                }
                Op::Ite | Op::Div | Op::Mod if terms.sort(*id) == Sort::Int => {
                    reach.part(*id, &mut rows)
                }
                Op::ToInt | Op::Bv(BvOp::FromInt(_)) | Op::Power => reach.lost = true,
                _ => {}
            }
        }
        reach.applications(problem, used, &mut rows);
        reach
    }

    fn is_open(&self, id: TermId) -> bool {
        let (low, high) = interval(self.terms, id, self.unknowns, 0);
        low.is_none() || high.is_none()
    }

    /// A comparison of two integers, whichever way it comes out.
    fn row(&mut self, linear: &Linear, rows: &mut BTreeSet<Vec<(TermId, BigRational)>>) {
        let mut constant = linear.constant.abs() + BigRational::one();
        let mut factors = Vec::new();
        for (part, factor) in &linear.parts {
            match interval(self.terms, *part, self.unknowns, 0) {
                (Some(low), Some(high)) => {
                    let most = BigRational::from_integer(low.abs().max(high.abs()).into());
                    constant += factor.abs() * most;
                }
                _ => {
                    self.open.insert(*part);
                    self.lost |= matches!(self.terms.op(*part), Op::Mul | Op::Power | Op::ToInt);
                    factors.push((*part, factor.clone()));
                }
            }
        }
        if factors.is_empty() {
            return;
        }
        let constant = constant.ceil().to_integer();
        let unit = factors.iter().all(|(_, factor)| factor.abs().is_one());
        let opposite = factors.len() == 2 && (&factors[0].1 + &factors[1].1).is_zero();
        if unit && (factors.len() == 1 || opposite) {
            self.constants.push(constant);
            return;
        }
        let sum: BigRational = factors.iter().map(|(_, factor)| factor.abs()).sum();
        rows.insert(factors);
        self.wide.push(sum.ceil().to_integer() + constant);
    }

    /// A part that is defined by others: rows between them.
    fn part(&mut self, id: TermId, rows: &mut BTreeSet<Vec<(TermId, BigRational)>>) {
        if !self.is_open(id) && !self.is_open(self.terms.args(id)[0]) {
            return;
        }
        let args = self.terms.args(id).to_vec();
        let minus = |terms: &Terms, arg: TermId| {
            let mut row = Linear::of(terms, arg);
            *row.parts.entry(id).or_insert_with(BigRational::zero) -= BigRational::one();
            row
        };
        if *self.terms.op(id) == Op::Ite {
            for arg in &args[1..] {
                let row = minus(self.terms, *arg);
                self.row(&row, rows);
            }
            return;
        }
        // x = n·q + r, 0 <= r < |n|: two rows over x and q, and the remainder's own.
        let Some(n) = self
            .terms
            .as_number(args[1])
            .filter(|n| !n.is_zero())
            .cloned()
        else {
            self.lost = true;
            return;
        };
        let mut row = Linear::of(self.terms, args[0]);
        *row.parts.entry(id).or_insert_with(BigRational::zero) -= BigRational::one();
        row.constant = row.constant.abs() + n.abs();
        let mut width: BigRational = row.parts.values().map(Signed::abs).sum();
        width += n.abs() + n.abs() + row.constant.clone();
        for part in row.parts.keys() {
            match interval(self.terms, *part, self.unknowns, 0) {
                (Some(low), Some(high)) => {
                    let most = BigRational::from_integer(low.abs().max(high.abs()).into());
                    width += row.parts[part].abs() * most;
                }
                _ => {
                    self.open.insert(*part);
                }
            }
        }
        // The quotient is one more unknown; so is the remainder, to be safe.
        self.open.insert(id);
        self.quotients += 1;
        let width = width.ceil().to_integer();
        self.wide.extend([width.clone(), width.clone(), width]);
    }

    /// Equal arguments give equal values: rows between the applications of one function.
    fn applications(
        &mut self,
        problem: &Problem,
        used: &BTreeSet<TermId>,
        rows: &mut BTreeSet<Vec<(TermId, BigRational)>>,
    ) {
        let mut by_symbol: HashMap<u32, Vec<TermId>> = HashMap::new();
        for id in used {
            if let Op::Apply(symbol) = self.terms.op(*id)
                && !self.terms.args(*id).is_empty()
            {
                by_symbol.entry(*symbol).or_default().push(*id);
            }
        }
        for (symbol, all) in by_symbol {
            let declared = &problem.symbols[symbol as usize];
            for (at, a) in all.iter().enumerate() {
                for b in &all[..at] {
                    let pairs = self.terms.args(*a).iter().zip(self.terms.args(*b));
                    let differences: Vec<_> = pairs
                        .zip(&declared.args)
                        .filter(|((x, y), sort)| **sort == Sort::Int && x != y)
                        .map(|((x, y), _)| Linear::difference(self.terms, *x, *y))
                        .collect();
                    for row in differences {
                        self.row(&row, rows);
                    }
                    if declared.sort == Sort::Int {
                        let row = Linear::difference(self.terms, *a, *b);
                        self.row(&row, rows);
                    }
                }
            }
        }
    }

    fn bound(mut self) -> Option<i128> {
        if self.lost {
            return None;
        }
        let n = self.open.len()
            + self.quotients
            + self
                .unknowns
                .values()
                .filter(|(a, b)| a.is_none() || b.is_none())
                .count();
        let largest = |numbers: &mut Vec<BigInt>| {
            numbers.sort();
            numbers.reverse();
            numbers.truncate(n);
        };
        largest(&mut self.wide);
        largest(&mut self.constants);
        let mut bound = BigInt::one() + self.constants.iter().sum::<BigInt>();
        for row in &self.wide {
            bound *= row;
            if bound.bits() > 100 {
                return None;
            }
        }
        bound *= n + 1;
        bound.to_i128().filter(|bound| *bound < LARGEST)
    }
}
