//! Finite-domain search: picks an unknown, tries its values, propagates, and goes back when a domain is empty.
//!
//! The unknown with the fewest values goes first, weighted by how often it was part of a conflict (dom/wdeg); the search
//! starts again after ever more conflicts, because the first choices are made when nothing is known. The limits grow,
//! so it still ends. Elements of a free sort are interchangeable until a decision has named them: of those that none has
//! named, one is tried for all (the least number heuristic of finite model finders).
use super::{
    super::{
        budget::NoVerdict,
        problem::Problem,
        term::{Op, Sort, TermId},
    },
    compile::Compiled,
    domain::Domain,
    propagate::{Conflict, NodeId},
};
use std::collections::BTreeSet;

/// Conflicts before the first restart; each next one is half as many again.
const FIRST_RESTART: f64 = 200.0;
/// Nodes that a conflict is blamed on.
const MOST_BLAMED: usize = 64;

/// An unknown that is decided, with what makes it special.
struct Unknown {
    node: NodeId,
    /// The free sort that it is of.
    free: Option<u32>,
    /// Elements of free sorts that its term names.
    named: Vec<(u32, i64)>,
}

struct Choice {
    mark: usize,
    unknown: usize,
    left: Vec<Domain>,
}

/// The decisions of a search.
pub(super) struct Search<'a> {
    compiled: &'a mut Compiled,
    unknowns: Vec<Unknown>,
    weights: Vec<f64>,
    stack: Vec<Choice>,
}

/// Is there a solution in the present domains? If so, they are left at it.
pub(super) fn search(problem: &Problem, compiled: &mut Compiled) -> Result<bool, NoVerdict> {
    let unknowns = compiled.unknowns.iter().map(|(id, node)| Unknown {
        node: *node,
        free: match problem.terms.sort(*id) {
            Sort::Free(sort) => Some(sort),
            _ => None,
        },
        named: elements(problem, *id),
    });
    let unknowns = unknowns.collect();
    let weights = vec![1.0; compiled.graph.nodes.len()];
    let mut search = Search {
        compiled,
        unknowns,
        weights,
        stack: Vec::new(),
    };
    search.run()
}

impl Search<'_> {
    fn run(&mut self) -> Result<bool, NoVerdict> {
        let mut limit = FIRST_RESTART;
        let mut conflicts = 0.0;
        if self.propagate()? {
            return Ok(false);
        }
        let root = self.compiled.graph.mark();
        loop {
            self.compiled.graph.budget.spend()?;
            let Some(unknown) = self.pick() else {
                return Ok(true);
            };
            let mark = self.compiled.graph.mark();
            let left = self.choices(unknown);
            self.stack.push(Choice {
                mark,
                unknown,
                left,
            });
            while !self.advance()? {
                conflicts += 1.0;
                if self.stack.is_empty() {
                    return Ok(false);
                }
            }
            if conflicts > limit {
                conflicts = 0.0;
                limit *= 1.5;
                self.stack.clear();
                self.compiled.graph.undo(root);
            }
        }
    }

    /// Propagates; true on a conflict, for which its unknowns are blamed.
    fn propagate(&mut self) -> Result<bool, NoVerdict> {
        let Err(Conflict(node)) = self.compiled.graph.propagate(usize::MAX)? else {
            return Ok(false);
        };
        let mut open = vec![node];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if seen.len() < MOST_BLAMED && seen.insert(node) {
                self.weights[node] += 1.0;
                open.extend(&self.compiled.graph.nodes[node].args);
            }
        }
        Ok(true)
    }

    /// Takes the next value of the last choice that has one; false if it led to a conflict.
    fn advance(&mut self) -> Result<bool, NoVerdict> {
        loop {
            self.compiled.graph.budget.spend()?;
            let Some(choice) = self.stack.last_mut() else {
                return Ok(false);
            };
            self.compiled.graph.undo(choice.mark);
            let Some(domain) = choice.left.pop() else {
                self.stack.pop();
                continue;
            };
            let node = self.unknowns[choice.unknown].node;
            let fits = self.compiled.graph.restrict(node, domain);
            return Ok(fits && !self.propagate()?);
        }
    }

    fn pick(&self) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (at, unknown) in self.unknowns.iter().enumerate() {
            let domain = self.compiled.graph.domains[unknown.node];
            if domain.fixed().is_some() {
                continue;
            }
            let score = domain.size() as f64 / self.weights[unknown.node];
            if best.is_none_or(|(_, known)| score < known) {
                best = Some((at, score));
            }
        }
        best.map(|(at, _)| at)
    }

    /// The values to try, the last one first. A long interval is halved.
    fn choices(&self, at: usize) -> Vec<Domain> {
        let domain = self.compiled.graph.domains[self.unknowns[at].node];
        if !domain.is_short() {
            let middle = domain.lo + (domain.hi - domain.lo) / 2;
            return vec![
                Domain::new(middle + 1, domain.hi),
                Domain::new(domain.lo, middle),
            ];
        }
        let Some(sort) = self.unknowns[at].free else {
            let mut values: Vec<_> = domain.values().map(Domain::of).collect();
            values.reverse();
            return values;
        };
        let used = self.used(at, sort);
        let mut values: Vec<_> = domain.values().filter(|v| used.contains(v)).collect();
        values.extend(domain.values().find(|value| !used.contains(value)));
        values.into_iter().rev().map(Domain::of).collect()
    }

    /// Elements of a free sort that a decision, or this unknown's own term, has named.
    fn used(&self, at: usize, sort: u32) -> BTreeSet<i64> {
        let decided = self.stack.iter().map(|choice| choice.unknown);
        let mut used = BTreeSet::new();
        for unknown in decided.chain([at]).map(|at| &self.unknowns[at]) {
            let named = unknown.named.iter().filter(|(of, _)| *of == sort);
            used.extend(named.map(|(_, element)| *element));
            if unknown.free == Some(sort) {
                used.extend(self.compiled.graph.domains[unknown.node].fixed());
            }
        }
        used
    }
}

/// The elements of free sorts in a term.
fn elements(problem: &Problem, id: TermId) -> Vec<(u32, i64)> {
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        if let (Op::Element(index), Sort::Free(sort)) =
            (problem.terms.op(id), problem.terms.sort(id))
        {
            found.push((sort, i64::from(*index)));
        }
        // A shared argument is met as often as it is used; long terms are not worth more than a look.
        if found.len() + open.len() < 256 {
            open.extend(problem.terms.args(id));
        }
    }
    found
}
