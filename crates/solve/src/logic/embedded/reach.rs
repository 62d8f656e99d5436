//! How far a search over integers without bounds must go, so that finding nothing is a proof.
//!
//! A small-model theorem (von zur Gathen and Sieveking 1978): integer inequalities over n unknowns that have a solution
//! have one within (n + 1) · M, where M bounds the subdeterminants of the coefficients and constants. Rows `x − y <= c`
//! and `x <= c` form a totally unimodular matrix, so expanding along the other rows gives
//! M <= Π (sum of absolute entries of each other row) · (1 + Σ |c|). Whichever comparisons of a problem a solution
//! makes true, each is such a row; so the bound holds for their Boolean combinations as well.
use super::{
    domain::{Domain, INFINITY},
    propagate::{Graph, Relation},
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// The bound for the unknowns that have none, from domains after propagation; `None` if there is no theorem for them.
pub(super) fn reach(graph: &Graph) -> Option<i64> {
    let mut rows = Rows {
        graph,
        wide: Vec::new(),
        constants: Vec::new(),
    };
    let mut unknowns = graph.domains.iter().filter(|d| !d.is_bounded()).count();
    for (id, node) in graph.nodes.iter().enumerate() {
        let open = |at: usize| !graph.domains[node.args[at]].is_bounded();
        let mine = !graph.domains[id].is_bounded();
        match &node.relation {
            Relation::In(set) => {
                let ends = [set.lo, set.hi].map(|end| if end.abs() < INFINITY { end } else { 0 });
                rows.row(&[(node.args[0], 1)], ends[0].abs().max(ends[1].abs()) + 1);
            }
            Relation::Equal => rows.row(&[(node.args[0], 1), (node.args[1], -1)], 1),
            Relation::Choice => {
                rows.row(&[(id, 1), (node.args[1], -1)], 1);
                rows.row(&[(id, 1), (node.args[2], -1)], 1);
            }
            Relation::SumAtMost(factors, total) | Relation::SumIs(factors, total) => {
                let row: Vec<_> = node
                    .args
                    .iter()
                    .copied()
                    .zip(factors.iter().copied())
                    .collect();
                rows.row(&row, total.abs() + 1);
            }
            Relation::Product if mine || open(0) || open(1) => return None,
            Relation::Quotient | Relation::Remainder if mine || open(0) || open(1) => {
                // x = n·q + r with 0 <= r < |n|: x, and the one of q and r that has no node, are rows and an unknown.
                let by = graph.domains[node.args[1]].fixed().filter(|by| *by != 0)?;
                unknowns += 1;
                let x = graph.domains[node.args[0]];
                let bounded = if x.is_bounded() {
                    x.lo.abs().max(x.hi.abs())
                } else {
                    0
                };
                let width: BigInt = BigInt::from(by.abs()) * 2 + bounded + 2;
                rows.wide.extend([width.clone(), width.clone(), width]);
            }
            _ => {}
        }
    }
    rows.bound(unknowns)
}

struct Rows<'a> {
    graph: &'a Graph,
    /// Sums of absolute entries of rows that are no differences.
    wide: Vec<BigInt>,
    /// Absolute constants of the differences.
    constants: Vec<BigInt>,
}

impl Rows<'_> {
    /// A comparison, whichever way it comes out. Parts with bounds only make the constant larger.
    fn row(&mut self, parts: &[(usize, i64)], constant: i64) {
        let mut constant = BigInt::from(constant);
        let mut open = Vec::new();
        for (node, factor) in parts {
            let Domain { lo, hi, .. } = self.graph.domains[*node];
            if self.graph.domains[*node].is_bounded() {
                constant += BigInt::from(lo.abs().max(hi.abs())) * factor.abs();
            } else {
                open.push(*factor);
            }
        }
        match open.as_slice() {
            [] => {}
            [1 | -1] | [1, -1] | [-1, 1] => self.constants.push(constant),
            _ => {
                let sum: BigInt = open.iter().map(|factor| BigInt::from(factor.abs())).sum();
                self.wide.push(sum + constant);
            }
        }
    }

    fn bound(mut self, unknowns: usize) -> Option<i64> {
        for rows in [&mut self.wide, &mut self.constants] {
            rows.sort_by(|a, b| b.cmp(a));
            rows.truncate(unknowns);
        }
        let mut bound: BigInt = self.constants.iter().sum::<BigInt>() + 1;
        for row in &self.wide {
            bound *= row;
            if bound.bits() > 60 {
                return None;
            }
        }
        bound *= unknowns + 1;
        bound.to_i64().filter(|bound| *bound < INFINITY >> 10)
    }
}
