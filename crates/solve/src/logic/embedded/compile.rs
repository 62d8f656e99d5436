//! Ground terms → a propagation graph: one node for each term, comparisons as sums of factor · unknown.
//!
//! `x <= 3`, `x = 2` and disjunctions of such become one membership test, because "x is 1 or 2 or 3" is how most
//! puzzles give a number its range. Function values are unknowns of their own; that equal arguments give equal values
//! (congruence) has been asserted by `ground.rs`.
use super::{
    super::{
        budget::NoVerdict,
        linear::Linear,
        problem::Problem,
        term::{Op, Sort, TermId},
    },
    domain::{Domain, INFINITY},
    propagate::{Graph, NodeId, Relation},
};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, HashMap};

/// The graph of a problem.
pub(super) struct Compiled {
    pub(super) graph: Graph,
    /// Unknowns: applications of declared symbols.
    pub(super) unknowns: BTreeMap<TermId, NodeId>,
    pub(super) nodes: HashMap<TermId, NodeId>,
    sizes: Vec<u32>,
}

/// Compiles the assertions over free sorts of these sizes; each is required to be true.
pub(super) fn compile(
    problem: &Problem,
    asserted: &[TermId],
    sizes: &[u32],
) -> Result<Compiled, NoVerdict> {
    let mut compiled = Compiled {
        graph: Graph::new(problem.budget.clone()),
        unknowns: BTreeMap::new(),
        nodes: HashMap::new(),
        sizes: sizes.to_vec(),
    };
    for id in asserted {
        compiled.require(problem, *id)?;
    }
    Ok(compiled)
}

impl Compiled {
    /// Conjunctions are taken apart, so that a conflict is blamed on one of their parts.
    fn require(&mut self, problem: &Problem, id: TermId) -> Result<(), NoVerdict> {
        if *problem.terms.op(id) == Op::And {
            for arg in problem.terms.args(id) {
                self.require(problem, *arg)?;
            }
            return Ok(());
        }
        let node = self.node(problem, id)?;
        // An assertion that is already false stays so: an `Or` without arguments says it to the search.
        if !self.graph.restrict(node, Domain::of(1)) {
            let never = self.graph.node(Relation::Or, Vec::new(), Domain::of(1));
            debug_assert!(self.graph.domains[never].fixed() == Some(1));
        }
        Ok(())
    }

    fn constant(&mut self, value: i64) -> NodeId {
        self.graph
            .node(Relation::Free, Vec::new(), Domain::of(value))
    }

    fn truth(&mut self, relation: Relation, args: Vec<NodeId>) -> NodeId {
        self.graph.node(relation, args, Domain::new(0, 1))
    }

    /// The node of a term.
    pub(super) fn node(&mut self, problem: &Problem, id: TermId) -> Result<NodeId, NoVerdict> {
        if let Some(node) = self.nodes.get(&id) {
            return Ok(*node);
        }
        problem.budget.spend()?;
        let node = self.build(problem, id)?;
        self.nodes.insert(id, node);
        Ok(node)
    }

    fn build(&mut self, problem: &Problem, id: TermId) -> Result<NodeId, NoVerdict> {
        let terms = &problem.terms;
        let args = terms.args(id);
        match terms.op(id) {
            Op::True => Ok(self.constant(1)),
            Op::False => Ok(self.constant(0)),
            Op::Element(index) => Ok(self.constant(i64::from(*index))),
            Op::Number(value) => Ok(self.constant(whole(value)?)),
            Op::Apply(_) => self.unknown(problem, id),
            Op::Not => {
                let arg = self.node(problem, args[0])?;
                Ok(self.truth(Relation::Not, vec![arg]))
            }
            Op::And => {
                let args = self.all(problem, args)?;
                Ok(self.truth(Relation::And, args))
            }
            Op::Or => {
                let args = self.all(problem, args)?;
                Ok(self.disjunction(args))
            }
            Op::Ite if terms.sort(id) != Sort::Real => {
                let args = self.all(problem, args)?;
                let domain = self.graph.domains[args[1]].union(self.graph.domains[args[2]]);
                Ok(self.graph.node(Relation::Choice, args, domain))
            }
            Op::Eq if matches!(terms.sort(args[0]), Sort::Int | Sort::Real) => {
                self.sum_is(problem, Linear::difference(terms, args[0], args[1]))
            }
            Op::Eq => {
                let args = self.all(problem, args)?;
                Ok(self.equal(args[0], args[1]))
            }
            Op::Le => self.at_most(problem, Linear::difference(terms, args[0], args[1]), 0),
            Op::Lt => self.at_most(problem, Linear::difference(terms, args[0], args[1]), 1),
            Op::Add | Op::Mul if terms.sort(id) == Sort::Int => self.number(problem, id),
            Op::Div | Op::Mod => {
                let relation = match terms.op(id) {
                    Op::Div => Relation::Quotient,
                    _ => Relation::Remainder,
                };
                let args = self.all(problem, args)?;
                Ok(self.graph.node(relation, args, Domain::ALL))
            }
            op => Err(left_to_z3(op, terms.sort(id))),
        }
    }

    fn all(&mut self, problem: &Problem, args: &[TermId]) -> Result<Vec<NodeId>, NoVerdict> {
        args.iter().map(|arg| self.node(problem, *arg)).collect()
    }

    /// An application: an unknown with the domain of its sort. Its arguments are needed to tell the model.
    fn unknown(&mut self, problem: &Problem, id: TermId) -> Result<NodeId, NoVerdict> {
        let domain = match problem.terms.sort(id) {
            Sort::Bool => Domain::new(0, 1),
            Sort::Int => Domain::ALL,
            Sort::Enum(sort) => Domain::new(0, problem.enums[sort as usize].1.len() as i64 - 1),
            Sort::Free(sort) => Domain::new(0, i64::from(self.sizes[sort as usize]) - 1),
            Sort::Real => return Err(left_to_z3(problem.terms.op(id), Sort::Real)),
        };
        self.all(problem, problem.terms.args(id))?;
        let node = self.graph.node(Relation::Free, Vec::new(), domain);
        self.unknowns.insert(id, node);
        Ok(node)
    }

    fn equal(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.graph.domains[a].fixed(), self.graph.domains[b].fixed()) {
            (Some(value), None) => self.member(b, Domain::of(value)),
            (None, Some(value)) => self.member(a, Domain::of(value)),
            _ => self.truth(Relation::Equal, vec![a, b]),
        }
    }

    fn member(&mut self, arg: NodeId, set: Domain) -> NodeId {
        self.truth(Relation::In(set), vec![arg])
    }

    /// Memberships of one unknown are one membership.
    fn disjunction(&mut self, args: Vec<NodeId>) -> NodeId {
        let member = |node: &NodeId| match &self.graph.nodes[*node].relation {
            Relation::In(set) => Some((self.graph.nodes[*node].args[0], *set)),
            _ => None,
        };
        let Some(members) = args.iter().map(member).collect::<Option<Vec<_>>>() else {
            return self.truth(Relation::Or, args);
        };
        let Some((first, _)) = members.first().copied() else {
            return self.truth(Relation::Or, args);
        };
        let one = members.iter().all(|(arg, _)| *arg == first);
        let mut union = Domain::EMPTY;
        for (_, set) in &members {
            if !one || !(union.is_empty() || union.joins(*set)) {
                return self.truth(Relation::Or, args);
            }
            union = union.union(*set);
        }
        self.member(first, union)
    }

    /// A sum or a product as a node of its own.
    fn number(&mut self, problem: &Problem, id: TermId) -> Result<NodeId, NoVerdict> {
        let linear = Linear::of(&problem.terms, id);
        if linear.parts.contains_key(&id) {
            let args = self.all(problem, problem.terms.args(id))?;
            let product =
                |graph: &mut Graph, a, b| graph.node(Relation::Product, vec![a, b], Domain::ALL);
            let mut found = args[0];
            for arg in &args[1..] {
                found = product(&mut self.graph, found, *arg);
            }
            return Ok(found);
        }
        let (mut args, mut factors, constant) = self.parts(problem, linear)?;
        let sum = self.graph.node(Relation::Free, Vec::new(), Domain::ALL);
        args.push(sum);
        factors.push(-1);
        self.graph
            .node(Relation::SumIs(factors, -constant), args, Domain::of(1));
        Ok(sum)
    }

    /// Arguments, whole factors and the whole constant of a sum.
    fn parts(
        &mut self,
        problem: &Problem,
        linear: Linear,
    ) -> Result<(Vec<NodeId>, Vec<i64>, i64), NoVerdict> {
        if !linear.is_integral(&problem.terms) {
            return Err(left_to_z3(&Op::Add, Sort::Real));
        }
        let linear = linear.scaled_to_integers();
        let mut args = Vec::new();
        let mut factors = Vec::new();
        for (part, factor) in &linear.parts {
            args.push(self.node(problem, *part)?);
            factors.push(whole(factor)?);
        }
        Ok((args, factors, whole(&linear.constant)?))
    }

    /// `linear + more <= 0`, where `more` is whole after scaling.
    fn at_most(
        &mut self,
        problem: &Problem,
        linear: Linear,
        more: i64,
    ) -> Result<NodeId, NoVerdict> {
        let (args, factors, constant) = self.parts(problem, linear)?;
        let limit = -constant - more;
        Ok(match (args.as_slice(), factors.as_slice()) {
            ([], _) => self.constant((0 <= limit).into()),
            ([arg], [factor]) if *factor > 0 => {
                self.member(*arg, Domain::new(-INFINITY, limit.div_euclid(*factor)))
            }
            ([arg], [factor]) => {
                let least = -limit.div_euclid(-factor);
                self.member(*arg, Domain::new(least, INFINITY))
            }
            _ => self.truth(Relation::SumAtMost(factors, limit), args),
        })
    }

    /// `linear = 0`.
    fn sum_is(&mut self, problem: &Problem, linear: Linear) -> Result<NodeId, NoVerdict> {
        let (args, factors, constant) = self.parts(problem, linear)?;
        let total = -constant;
        let common = factors.iter().fold(0, |all, f| num_integer::gcd(all, *f));
        // 2x - 2y = 1 has no solution however far one looks.
        if common == 0 || total % common != 0 {
            return Ok(self.constant((common == 0 && total == 0).into()));
        }
        let factors: Vec<i64> = factors.iter().map(|factor| factor / common).collect();
        let total = total / common;
        Ok(match (args.as_slice(), factors.as_slice()) {
            ([arg], [factor]) => self.member(*arg, Domain::of(total * factor)),
            ([a, b], [p, q]) if *p == -q && p.abs() == 1 && total == 0 => self.equal(*a, *b),
            _ => self.truth(Relation::SumIs(factors, total), args),
        })
    }
}

fn whole(value: &BigRational) -> Result<i64, NoVerdict> {
    let fits = |n: &i64| n.abs() < INFINITY >> 10;
    let found = value.to_i64().filter(fits).filter(|_| value.is_integer());
    found.ok_or_else(|| NoVerdict::new("numbers beyond 2^50 are left to z3"))
}

fn left_to_z3(op: &Op, sort: Sort) -> NoVerdict {
    NoVerdict::new(match (op, sort) {
        (Op::Power, _) => "powers with an unknown exponent are left to z3",
        (Op::ToInt, _) => "rounding to integers is left to z3",
        (_, Sort::Real) => "real numbers are left to z3",
        _ => "this kind of term is left to z3",
    })
}
