//! Linear real arithmetic: an exact simplex beside the SAT solver.
//!
//! Each comparison is a literal over a row `Σ factor · real`; when the SAT solver has chosen the literals, the rows are
//! checked here, and a contradiction goes back as a clause over the literals that make it (Dutertre and de Moura 2006).
//! Strict bounds are pairs: a number and a multiple of something smaller than any.
use super::{super::term::TermId, gates::Gates, linear::Linear};
use batsat::Lit;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::{
    collections::{BTreeMap, HashMap},
    time::Instant,
};

/// A number plus a multiple of an infinitesimal.
type Near = (BigRational, BigRational);
type Row = BTreeMap<usize, BigRational>;

/// A bound and the literal it comes from.
type Bound = Option<(Near, Lit)>;

/// The real unknowns, their rows and the literals about them.
#[derive(Default)]
pub(super) struct Reals {
    columns: HashMap<TermId, usize>,
    slacks: HashMap<Vec<(usize, BigRational)>, usize>,
    values: Vec<Near>,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    /// Basic variables: each is the sum of its row.
    rows: BTreeMap<usize, Row>,
    atoms: Vec<Atom>,
    known: HashMap<(usize, BigRational, bool, bool), Lit>,
    found: HashMap<TermId, BigRational>,
}

/// `variable <= limit` (or `>=`), strict or not, if the literal is true; the opposite if not.
struct Atom {
    lit: Lit,
    variable: usize,
    limit: BigRational,
    upper: bool,
    strict: bool,
}

/// What a check found.
pub(super) enum Checked {
    Fine,
    /// These literals cannot all be true.
    Conflict(Vec<Lit>),
    /// Time is over.
    Late,
}

impl Reals {
    pub(super) fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// The literal of `linear <= 0` or `linear < 0`.
    pub(super) fn atom(&mut self, gates: &mut Gates, linear: Linear, strict: bool) -> Lit {
        let parts: Vec<_> = linear
            .parts
            .iter()
            .map(|(id, f)| (self.column(*id), f.clone()))
            .collect();
        // Divided by the first factor, so that equal rows are one whatever they are multiplied by.
        let first = parts[0].1.clone();
        let row: Vec<_> = parts
            .iter()
            .map(|(column, factor)| (*column, factor / &first))
            .collect();
        let variable = self.variable(row);
        let limit = -linear.constant / &first;
        let upper = first.is_positive();
        let key = (variable, limit.clone(), upper, strict);
        if let Some(lit) = self.known.get(&key) {
            return *lit;
        }
        let lit = gates.fresh();
        self.known.insert(key, lit);
        self.atoms.push(Atom {
            lit,
            variable,
            limit,
            upper,
            strict,
        });
        lit
    }

    fn column(&mut self, id: TermId) -> usize {
        if let Some(column) = self.columns.get(&id) {
            return *column;
        }
        let column = self.new_variable();
        self.columns.insert(id, column);
        column
    }

    fn new_variable(&mut self) -> usize {
        self.values.push((BigRational::zero(), BigRational::zero()));
        self.lower.push(None);
        self.upper.push(None);
        self.values.len() - 1
    }

    /// The variable that stands for a row; a row of one factor 1 is its own column.
    fn variable(&mut self, row: Vec<(usize, BigRational)>) -> usize {
        if let [(column, factor)] = row.as_slice()
            && factor.is_one()
        {
            return *column;
        }
        if let Some(slack) = self.slacks.get(&row) {
            return *slack;
        }
        let slack = self.new_variable();
        let mut sum = Row::new();
        for (column, factor) in &row {
            match self.rows.get(column).cloned() {
                Some(inner) => inner
                    .iter()
                    .for_each(|(c, f)| add(&mut sum, *c, f * factor)),
                None => add(&mut sum, *column, factor.clone()),
            }
        }
        self.values[slack] = self.worth(&sum);
        self.rows.insert(slack, sum);
        self.slacks.insert(row, slack);
        slack
    }

    fn worth(&self, row: &Row) -> Near {
        let mut sum = (BigRational::zero(), BigRational::zero());
        for (column, factor) in row {
            let value = &self.values[*column];
            sum = (sum.0 + factor * &value.0, sum.1 + factor * &value.1);
        }
        sum
    }

    /// Can the reals be as the literals say?
    pub(super) fn check(&mut self, gates: &Gates, deadline: Instant) -> Checked {
        self.lower.iter_mut().for_each(|bound| *bound = None);
        self.upper.iter_mut().for_each(|bound| *bound = None);
        for at in 0..self.atoms.len() {
            let atom = &self.atoms[at];
            let truth = gates.value(atom.lit);
            let lit = if truth { atom.lit } else { !atom.lit };
            let upper = atom.upper == truth;
            let strict = atom.strict == truth;
            let step = match (strict, upper) {
                (false, _) => BigRational::zero(),
                (true, true) => -BigRational::one(),
                (true, false) => BigRational::one(),
            };
            let (variable, limit) = (atom.variable, (atom.limit.clone(), step));
            if let Some(conflict) = self.bound(variable, limit, upper, lit) {
                return Checked::Conflict(conflict);
            }
        }
        self.settle();
        self.repair(deadline)
    }

    /// Tightens a bound; two that exclude each other are a conflict.
    fn bound(&mut self, variable: usize, limit: Near, upper: bool, lit: Lit) -> Option<Vec<Lit>> {
        let (mine, other) = if upper {
            (&mut self.upper[variable], &self.lower[variable])
        } else {
            (&mut self.lower[variable], &self.upper[variable])
        };
        let tighter = match mine {
            Some((known, _)) => {
                if upper {
                    limit < *known
                } else {
                    limit > *known
                }
            }
            None => true,
        };
        if tighter {
            *mine = Some((limit.clone(), lit));
        }
        match other {
            Some((end, other)) if (if upper { limit < *end } else { limit > *end }) => {
                Some(vec![lit, *other])
            }
            _ => None,
        }
    }

    /// Puts the free variables within their bounds and works the sums out again.
    fn settle(&mut self) {
        for variable in 0..self.values.len() {
            if self.rows.contains_key(&variable) {
                continue;
            }
            if let Some((limit, _)) = &self.lower[variable]
                && self.values[variable] < *limit
            {
                self.values[variable] = limit.clone();
            }
            if let Some((limit, _)) = &self.upper[variable]
                && self.values[variable] > *limit
            {
                self.values[variable] = limit.clone();
            }
        }
        let worths: Vec<_> = self
            .rows
            .iter()
            .map(|(basic, row)| (*basic, self.worth(row)))
            .collect();
        for (basic, worth) in worths {
            self.values[basic] = worth;
        }
    }

    /// Pivots until all sums are within their bounds; the smallest index goes first, so that it ends.
    fn repair(&mut self, deadline: Instant) -> Checked {
        loop {
            if Instant::now() > deadline {
                return Checked::Late;
            }
            let outside = self.rows.keys().find_map(|basic| {
                let value = &self.values[*basic];
                if let Some((limit, lit)) = &self.lower[*basic]
                    && value < limit
                {
                    return Some((*basic, limit.clone(), *lit, true));
                }
                match &self.upper[*basic] {
                    Some((limit, lit)) if value > limit => {
                        Some((*basic, limit.clone(), *lit, false))
                    }
                    _ => None,
                }
            });
            let Some((basic, limit, lit, rise)) = outside else {
                self.make_concrete();
                return Checked::Fine;
            };
            let row = self.rows[&basic].clone();
            let can = |(column, factor): (&usize, &BigRational)| {
                let up = factor.is_positive() == rise;
                let end = if up {
                    &self.upper[*column]
                } else {
                    &self.lower[*column]
                };
                let value = &self.values[*column];
                let free = match end {
                    Some((end, _)) => {
                        if up {
                            value < end
                        } else {
                            value > end
                        }
                    }
                    None => true,
                };
                free.then_some(*column)
            };
            match row.iter().find_map(can) {
                Some(column) => self.pivot(basic, column, limit),
                None => return Checked::Conflict(self.reasons(&row, lit, rise)),
            }
        }
    }

    fn reasons(&self, row: &Row, lit: Lit, rise: bool) -> Vec<Lit> {
        let mut reasons = vec![lit];
        for (column, factor) in row {
            let up = factor.is_positive() == rise;
            let end = if up {
                &self.upper[*column]
            } else {
                &self.lower[*column]
            };
            reasons.extend(end.as_ref().map(|(_, lit)| *lit));
        }
        reasons
    }

    /// `basic` gets the value `limit` and becomes free; `column` becomes a sum.
    fn pivot(&mut self, basic: usize, column: usize, limit: Near) {
        let mut row = self.rows.remove(&basic).expect("it is a sum");
        let factor = row.remove(&column).expect("it is in the row");
        let mut solved: Row = row.iter().map(|(c, f)| (*c, -f / &factor)).collect();
        solved.insert(basic, factor.recip());
        for other in self.rows.values_mut() {
            if let Some(f) = other.remove(&column) {
                for (c, g) in &solved {
                    add(other, *c, &f * g);
                }
            }
        }
        self.values[basic] = limit;
        self.rows.insert(column, solved);
        let worths: Vec<_> = self
            .rows
            .iter()
            .map(|(basic, row)| (*basic, self.worth(row)))
            .collect();
        for (basic, worth) in worths {
            self.values[basic] = worth;
        }
    }

    /// Chooses a size for the infinitesimal that keeps all bounds.
    fn make_concrete(&mut self) {
        let mut size = BigRational::one();
        for variable in 0..self.values.len() {
            let (a, b) = &self.values[variable];
            for (bound, upper) in [
                (&self.upper[variable], true),
                (&self.lower[variable], false),
            ] {
                let Some(((limit, step), _)) = bound else {
                    continue;
                };
                // a + b·size <= limit + step·size, or the other way round.
                let (gap, slope) = if upper {
                    (limit - a, b - step)
                } else {
                    (a - limit, step - b)
                };
                if slope.is_positive() && gap.is_positive() {
                    size = size.min(gap / slope);
                }
            }
        }
        let of = |(id, column): (&TermId, &usize)| {
            let (a, b) = &self.values[*column];
            (*id, a + b * &size)
        };
        self.found = self.columns.iter().map(of).collect();
    }

    /// The value of a real in the last model.
    pub(super) fn value(&self, id: TermId) -> BigRational {
        self.found
            .get(&id)
            .cloned()
            .unwrap_or_else(BigRational::zero)
    }
}

fn add(row: &mut Row, column: usize, factor: BigRational) {
    let sum = row.entry(column).or_insert_with(BigRational::zero);
    *sum += factor;
    if sum.is_zero() {
        row.remove(&column);
    }
}
