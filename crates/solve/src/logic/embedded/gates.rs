//! Logic gates over a SAT solver: each gate is a literal and the clauses that define it.
//!
//! Constants fold and equal gates are one, so that most of a problem over values never becomes a clause. Numbers are
//! lists of literals, lowest bit first; [`Gates::add`] and its like work on two's complement of equal lengths.
use super::super::problem::Unsupported;
use batsat::{Callbacks, Lit, SolverInterface, SolverOpts, lbool};
use std::{collections::HashMap, time::Instant};

/// Most clauses of one encoding; about 500 MB.
const MOST_CLAUSES: u64 = 6_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// Stops the solver when time is over.
struct Clock(Instant);

impl Callbacks for Clock {
    fn stop(&self) -> bool {
        Instant::now() > self.0
    }
}

/// A SAT solver with gates.
pub(super) struct Gates {
    solver: batsat::Solver<Clock>,
    yes: Lit,
    known: HashMap<Gate, Lit>,
    clauses: u64,
}

impl Gates {
    pub(super) fn new(deadline: Instant) -> Self {
        let mut solver = batsat::Solver::new_with(SolverOpts::default(), Clock(deadline));
        let yes = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![yes]);
        Self {
            solver,
            yes,
            known: HashMap::new(),
            clauses: 0,
        }
    }

    /// Is the encoding too large to go on?
    pub(super) fn full(&self) -> Result<(), Unsupported> {
        if self.clauses > MOST_CLAUSES {
            return Err(Unsupported("a problem that large".into()));
        }
        Ok(())
    }

    pub(super) fn constant(&self, value: bool) -> Lit {
        if value { self.yes } else { !self.yes }
    }

    /// The literal's value, if it is a constant.
    pub(super) fn fixed(&self, lit: Lit) -> Option<bool> {
        (lit.var() == self.yes.var()).then_some(lit == self.yes)
    }

    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    pub(super) fn fresh_bits(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.fresh()).collect()
    }

    pub(super) fn clause(&mut self, lits: &[Lit]) {
        self.clauses += 1;
        self.solver.add_clause_reuse(&mut lits.to_vec());
    }

    /// Satisfiable? `None` if time is over.
    pub(super) fn solve(&mut self) -> Option<bool> {
        match self.solver.solve_limited(&[]) {
            r if r == lbool::TRUE => Some(true),
            r if r == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// The literal's value in the last model.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.fixed(a), self.fixed(b)) {
            (Some(false), _) | (_, Some(false)) => return !self.yes,
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            _ if a == b => return a,
            _ if a == !b => return !self.yes,
            _ => {}
        }
        let gate = Gate::And(a.min(b), a.max(b));
        if let Some(lit) = self.known.get(&gate) {
            return *lit;
        }
        let out = self.fresh();
        self.clause(&[!out, a]);
        self.clause(&[!out, b]);
        self.clause(&[out, !a, !b]);
        self.known.insert(gate, out);
        out
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// A conjunction of any length with one literal for the whole.
    pub(super) fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut rest = Vec::new();
        for lit in lits {
            match self.fixed(*lit) {
                Some(false) => return !self.yes,
                Some(true) => {}
                None => rest.push(*lit),
            }
        }
        rest.sort();
        rest.dedup();
        match rest.as_slice() {
            [] => return self.yes,
            [a] => return *a,
            [a, b] => return self.and(*a, *b),
            _ => {}
        }
        let out = self.fresh();
        let mut long = vec![out];
        for lit in &rest {
            self.clause(&[!out, *lit]);
            long.push(!*lit);
        }
        self.clause(&long);
        out
    }

    pub(super) fn any(&mut self, lits: &[Lit]) -> Lit {
        let inverse: Vec<_> = lits.iter().map(|lit| !*lit).collect();
        !self.all(&inverse)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.fixed(a), self.fixed(b)) {
            (Some(value), _) => return if value { !b } else { b },
            (_, Some(value)) => return if value { !a } else { a },
            _ if a == b => return !self.yes,
            _ if a == !b => return self.yes,
            _ => {}
        }
        // One gate for all four signs of the inputs.
        let turned = !a.sign() ^ !b.sign();
        let (a, b) = (Lit::new(a.var(), true), Lit::new(b.var(), true));
        let gate = Gate::Xor(a.min(b), a.max(b));
        let out = match self.known.get(&gate) {
            Some(lit) => *lit,
            None => {
                let out = self.fresh();
                self.clause(&[!out, a, b]);
                self.clause(&[!out, !a, !b]);
                self.clause(&[out, !a, b]);
                self.clause(&[out, a, !b]);
                self.known.insert(gate, out);
                out
            }
        };
        if turned { !out } else { out }
    }

    pub(super) fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `a` if `c`, else `b`.
    pub(super) fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        match self.fixed(c) {
            Some(true) => return a,
            Some(false) => return b,
            None if a == b => return a,
            None => {}
        }
        match (self.fixed(a), self.fixed(b)) {
            (Some(true), _) => return self.or(c, b),
            (Some(false), _) => return self.and(!c, b),
            (_, Some(true)) => return self.or(!c, a),
            (_, Some(false)) => return self.and(c, a),
            _ => {}
        }
        let gate = Gate::Mux(c, a, b);
        if let Some(lit) = self.known.get(&gate) {
            return *lit;
        }
        let out = self.fresh();
        self.clause(&[!c, !a, out]);
        self.clause(&[!c, a, !out]);
        self.clause(&[c, !b, out]);
        self.clause(&[c, b, !out]);
        self.clause(&[!a, !b, out]);
        self.clause(&[a, b, !out]);
        self.known.insert(gate, out);
        out
    }

    fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        for (x, y, z) in [(a, b, c), (b, a, c), (c, a, b)] {
            match self.fixed(x) {
                Some(true) => return self.or(y, z),
                Some(false) => return self.and(y, z),
                None => {}
            }
        }
        let mut sorted = [a, b, c];
        sorted.sort();
        let gate = Gate::Majority(sorted[0], sorted[1], sorted[2]);
        if let Some(lit) = self.known.get(&gate) {
            return *lit;
        }
        let out = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[!x, !y, out]);
            self.clause(&[x, y, !out]);
        }
        self.known.insert(gate, out);
        out
    }

    /// The sum modulo 2^length.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        let mut sum = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            let half = self.xor(*x, *y);
            sum.push(self.xor(half, carry));
            carry = self.majority(*x, *y, carry);
        }
        sum
    }

    pub(super) fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        let inverse: Vec<_> = a.iter().map(|lit| !*lit).collect();
        let zero = vec![!self.yes; a.len()];
        self.add(&inverse, &zero, self.yes)
    }

    /// The product modulo 2^length.
    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let mut sum = vec![!self.yes; a.len()];
        for (shift, bit) in b.iter().enumerate() {
            if self.fixed(*bit) == Some(false) {
                continue;
            }
            let mut row = vec![!self.yes; shift.min(a.len())];
            for x in a.iter().take(a.len().saturating_sub(shift)) {
                row.push(self.and(*x, *bit));
            }
            sum = self.add(&sum, &row, !self.yes);
        }
        sum
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let parts: Vec<_> = a.iter().zip(b).map(|(x, y)| self.iff(*x, *y)).collect();
        self.all(&parts)
    }

    /// `a <= b`, unsigned, equal lengths.
    pub(super) fn at_most(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut so_far = self.yes;
        for (x, y) in a.iter().zip(b) {
            let same = self.iff(*x, *y);
            let less = self.and(!*x, *y);
            let kept = self.and(same, so_far);
            so_far = self.or(less, kept);
        }
        so_far
    }

    pub(super) fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(x, y)| self.mux(c, *x, *y)).collect()
    }
}
