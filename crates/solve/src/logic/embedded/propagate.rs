//! Finite-domain propagation over a graph of terms: every term has a domain, every operator cuts those of its arguments
//! and its own until nothing changes.
//!
//! A truth is a domain within 0..=1, so a comparison inside a formula is propagated in both directions ("reified"): its
//! truth follows from the arguments' domains, and once it is known it cuts them. Changes are on a trail, which the
//! search undoes. There is no clause learning: the recorded programs never need it (docs/logic.md has the figures).
use super::{
    super::budget::{Budget, NoVerdict},
    domain::{Domain, INFINITY},
};
use std::collections::VecDeque;

/// A term of the graph.
pub(super) type NodeId = usize;

/// How a node's value follows from its arguments'.
#[derive(Clone, Debug)]
pub(super) enum Relation {
    /// It does not: a constant, an unknown, or a sum that a `SumIs` node defines.
    Free,
    Not,
    And,
    Or,
    Equal,
    /// Is the argument's value in this domain?
    In(Domain),
    /// The second argument if the first is true, else the third.
    Choice,
    /// Is the sum of factor · argument at most this?
    SumAtMost(Vec<i64>, i64),
    /// Is the sum of factor · argument this?
    SumIs(Vec<i64>, i64),
    Product,
    Quotient,
    Remainder,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) relation: Relation,
    pub(super) args: Vec<NodeId>,
    /// Nodes that have this one as an argument.
    users: Vec<NodeId>,
}

/// A domain became empty while this node was propagated.
pub(super) struct Conflict(pub(super) NodeId);

/// The graph and the domains.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) domains: Vec<Domain>,
    trail: Vec<(NodeId, Domain)>,
    queue: VecDeque<NodeId>,
    queued: Vec<bool>,
    pub(super) budget: Budget,
}

impl Graph {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            nodes: Vec::new(),
            domains: Vec::new(),
            trail: Vec::new(),
            queue: VecDeque::new(),
            queued: Vec::new(),
            budget,
        }
    }

    pub(super) fn node(&mut self, relation: Relation, args: Vec<NodeId>, domain: Domain) -> NodeId {
        let id = self.nodes.len();
        for arg in &args {
            self.nodes[*arg].users.push(id);
        }
        self.nodes.push(Node {
            relation,
            args,
            users: Vec::new(),
        });
        self.domains.push(domain);
        self.queued.push(true);
        self.queue.push_back(id);
        id
    }

    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Domains as they were at `mark`.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some((node, domain)) = self.trail.pop() {
                self.domains[node] = domain;
            }
        }
    }

    /// Cuts the domain of `node`; false if nothing is left.
    pub(super) fn restrict(&mut self, node: NodeId, to: Domain) -> bool {
        let old = self.domains[node];
        let new = old.intersect(to);
        if new == old {
            return true;
        }
        if new.is_empty() {
            return false;
        }
        self.trail.push((node, old));
        self.domains[node] = new;
        self.enqueue(node);
        for at in 0..self.nodes[node].users.len() {
            self.enqueue(self.nodes[node].users[at]);
        }
        true
    }

    fn enqueue(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.queued[node], true) {
            self.queue.push_back(node);
        }
    }

    /// Propagates until nothing changes, or for at most `steps` nodes: bounds without an end could creep for ever.
    pub(super) fn propagate(&mut self, steps: usize) -> Result<Result<(), Conflict>, NoVerdict> {
        let mut left = steps;
        while let Some(node) = self.queue.pop_front() {
            self.queued[node] = false;
            self.budget.spend()?;
            let conflict = left > 0 && !self.revise(node);
            left = left.saturating_sub(1);
            if conflict {
                self.clear_queue();
                return Ok(Err(Conflict(node)));
            }
        }
        Ok(Ok(()))
    }

    /// Every node is looked at again: a propagation that ran out of steps has left some out.
    pub(super) fn enqueue_all(&mut self) {
        (0..self.nodes.len()).for_each(|node| self.enqueue(node));
    }

    fn clear_queue(&mut self) {
        for node in self.queue.drain(..) {
            self.queued[node] = false;
        }
    }

    fn truth(&self, node: NodeId) -> Option<bool> {
        self.domains[node].fixed().map(|value| value != 0)
    }

    fn assume(&mut self, node: NodeId, truth: bool) -> bool {
        self.restrict(node, Domain::of(truth.into()))
    }

    /// Cuts the domains of a node and its arguments; false on a contradiction.
    fn revise(&mut self, id: NodeId) -> bool {
        let args = std::mem::take(&mut self.nodes[id].args);
        let relation = std::mem::replace(&mut self.nodes[id].relation, Relation::Free);
        let holds = match &relation {
            Relation::Free => true,
            Relation::Not => {
                let flipped = |domain: Domain| domain.negated().shifted(1);
                self.restrict(id, flipped(self.domains[args[0]]))
                    && self.restrict(args[0], flipped(self.domains[id]))
            }
            Relation::And => self.junction(id, &args, true),
            Relation::Or => self.junction(id, &args, false),
            Relation::Equal => self.equal(id, args[0], args[1]),
            Relation::In(set) => self.member(id, args[0], *set),
            Relation::Choice => self.choice(id, &args),
            Relation::SumAtMost(factors, limit) => self.at_most(id, &args, factors, *limit),
            Relation::SumIs(factors, total) => self.sum_is(id, &args, factors, *total),
            Relation::Product => self.product(id, args[0], args[1]),
            Relation::Quotient | Relation::Remainder => {
                let quotient = matches!(relation, Relation::Quotient);
                self.division(id, args[0], args[1], quotient)
            }
        };
        self.nodes[id].args = args;
        self.nodes[id].relation = relation;
        holds
    }

    /// A conjunction (`all`) or a disjunction.
    fn junction(&mut self, id: NodeId, args: &[NodeId], all: bool) -> bool {
        if self.truth(id) == Some(all) {
            return args.iter().all(|arg| self.assume(*arg, all));
        }
        let mut open = None;
        let mut several = false;
        for arg in args {
            match self.truth(*arg) {
                Some(truth) if truth != all => return self.assume(id, !all),
                Some(_) => {}
                None => several |= open.replace(*arg).is_some(),
            }
        }
        match (open, self.truth(id)) {
            (None, _) => self.assume(id, all),
            // The last one that can make the difference must.
            (Some(arg), Some(_)) if !several => self.assume(arg, !all),
            _ => true,
        }
    }

    fn equal(&mut self, id: NodeId, a: NodeId, b: NodeId) -> bool {
        let (x, y) = (self.domains[a], self.domains[b]);
        match self.truth(id) {
            Some(true) => self.restrict(a, y) && self.restrict(b, x),
            Some(false) => match (x.fixed(), y.fixed()) {
                (Some(value), _) => self.restrict(b, y.minus(Domain::of(value))),
                (_, Some(value)) => self.restrict(a, x.minus(Domain::of(value))),
                _ => true,
            },
            None if x.intersect(y).is_empty() => self.assume(id, false),
            None if x.fixed().is_some() && x == y => self.assume(id, true),
            None => true,
        }
    }

    fn member(&mut self, id: NodeId, arg: NodeId, set: Domain) -> bool {
        let domain = self.domains[arg];
        let common = domain.intersect(set);
        match self.truth(id) {
            Some(true) => self.restrict(arg, set),
            Some(false) => self.restrict(arg, domain.minus(set)),
            None if common.is_empty() => self.assume(id, false),
            None if common == domain => self.assume(id, true),
            None => true,
        }
    }

    fn choice(&mut self, id: NodeId, args: &[NodeId]) -> bool {
        let (a, b) = (self.domains[args[1]], self.domains[args[2]]);
        let mine = self.domains[id];
        match self.truth(args[0]) {
            Some(truth) => {
                let chosen = if truth { args[1] } else { args[2] };
                self.restrict(id, self.domains[chosen]) && self.restrict(chosen, self.domains[id])
            }
            None if mine.intersect(a).is_empty() => self.assume(args[0], false),
            None if mine.intersect(b).is_empty() => self.assume(args[0], true),
            None => self.restrict(id, a.union(b)),
        }
    }

    /// `Σ factor · arg` as an interval; the ends are `None` where an argument has no bound.
    fn sum(&self, args: &[NodeId], factors: &[i64]) -> (Option<i128>, Option<i128>) {
        let mut sum = (Some(0), Some(0));
        for (arg, factor) in args.iter().zip(factors) {
            let (low, high) = self.scaled(*arg, *factor);
            sum = (
                sum.0.zip(low).map(|(a, b)| a + b),
                sum.1.zip(high).map(|(a, b)| a + b),
            );
        }
        sum
    }

    fn scaled(&self, arg: NodeId, factor: i64) -> (Option<i128>, Option<i128>) {
        let Domain { lo, hi, .. } = self.domains[arg];
        let low = (lo > -INFINITY).then(|| i128::from(lo) * i128::from(factor));
        let high = (hi < INFINITY).then(|| i128::from(hi) * i128::from(factor));
        if factor > 0 { (low, high) } else { (high, low) }
    }

    fn at_most(&mut self, id: NodeId, args: &[NodeId], factors: &[i64], limit: i64) -> bool {
        let limit = i128::from(limit);
        let (low, high) = self.sum(args, factors);
        match self.truth(id) {
            Some(true) => self.cut_above(args, factors, limit),
            // Not at most `limit`: the negated sum is at most -(limit + 1).
            Some(false) => {
                let negated: Vec<i64> = factors.iter().map(|factor| -factor).collect();
                self.cut_above(args, &negated, -limit - 1)
            }
            None if high.is_some_and(|high| high <= limit) => self.assume(id, true),
            None if low.is_some_and(|low| low > limit) => self.assume(id, false),
            None => true,
        }
    }

    /// `Σ factor · arg <= limit`: each argument is bounded by the least that the others add.
    fn cut_above(&mut self, args: &[NodeId], factors: &[i64], limit: i128) -> bool {
        let mut least = 0;
        let mut unbounded = 0;
        for (arg, factor) in args.iter().zip(factors) {
            match self.scaled(*arg, *factor).0 {
                Some(low) => least += low,
                None => unbounded += 1,
            }
        }
        if unbounded > 1 {
            return true;
        }
        for (arg, factor) in args.iter().zip(factors) {
            let others = match self.scaled(*arg, *factor).0 {
                Some(_) if unbounded > 0 => continue,
                Some(low) => least - low,
                None => least,
            };
            let room = limit - others;
            let factor = i128::from(*factor);
            let infinite = i128::from(INFINITY);
            let bound = if factor > 0 {
                Domain::between(-infinite, room.div_euclid(factor))
            } else {
                // factor · x <= room, divided by a negative number: x >= ceil(room / factor).
                Domain::between(-room.div_euclid(-factor), infinite)
            };
            // `least` stays valid: what an argument loses here is at its other end.
            if !self.restrict(*arg, bound) {
                return false;
            }
        }
        true
    }

    fn sum_is(&mut self, id: NodeId, args: &[NodeId], factors: &[i64], total: i64) -> bool {
        if let ([a, b], [p, q]) = (args, factors)
            && p.abs() == 1
            && q.abs() == 1
        {
            return self.pair_is(id, (*a, *p), (*b, *q), total);
        }
        let wanted = i128::from(total);
        match self.truth(id) {
            Some(true) => {
                let negated: Vec<i64> = factors.iter().map(|factor| -factor).collect();
                self.cut_above(args, factors, wanted) && self.cut_above(args, &negated, -wanted)
            }
            Some(false) => self.sum_is_not(args, factors, wanted),
            None => match self.sum(args, factors) {
                (Some(low), _) if low > wanted => self.assume(id, false),
                (_, Some(high)) if high < wanted => self.assume(id, false),
                (Some(low), Some(high)) if low == high => self.assume(id, true),
                _ => true,
            },
        }
    }

    /// ±a ± b = total, value by value: `a` is a shifted or mirrored `b`.
    fn pair_is(&mut self, id: NodeId, a: (NodeId, i64), b: (NodeId, i64), total: i64) -> bool {
        // a = p·total - p·q·b, and b the same way round.
        let seen_from = |domain: Domain, mine: i64, other: i64| {
            let turned = if mine == other {
                domain.negated()
            } else {
                domain
            };
            turned.shifted(mine * total)
        };
        let of_a = seen_from(self.domains[b.0], a.1, b.1);
        let of_b = seen_from(self.domains[a.0], b.1, a.1);
        match self.truth(id) {
            Some(true) => self.restrict(a.0, of_a) && self.restrict(b.0, of_b),
            Some(false) if of_a.fixed().is_some() => {
                self.restrict(a.0, self.domains[a.0].minus(of_a))
            }
            Some(false) if of_b.fixed().is_some() => {
                self.restrict(b.0, self.domains[b.0].minus(of_b))
            }
            Some(false) => true,
            None if self.domains[a.0].intersect(of_a).is_empty() => self.assume(id, false),
            None if of_a.fixed().is_some() && of_a == self.domains[a.0] => self.assume(id, true),
            None => true,
        }
    }

    /// Only the last open argument can be told what it is not.
    fn sum_is_not(&mut self, args: &[NodeId], factors: &[i64], total: i128) -> bool {
        let mut rest = total;
        let mut open = None;
        for (arg, factor) in args.iter().zip(factors) {
            match self.domains[*arg].fixed() {
                Some(value) => rest -= i128::from(value) * i128::from(*factor),
                None if open.is_some() => return true,
                None => open = Some((*arg, i128::from(*factor))),
            }
        }
        match open {
            None => rest != 0,
            Some((arg, factor)) if rest % factor == 0 => match i64::try_from(rest / factor) {
                Ok(value) => self.restrict(arg, self.domains[arg].minus(Domain::of(value))),
                Err(_) => true,
            },
            Some(_) => true,
        }
    }

    fn product(&mut self, id: NodeId, a: NodeId, b: NodeId) -> bool {
        let (x, y) = (self.domains[a], self.domains[b]);
        if x.fixed() == Some(0) || y.fixed() == Some(0) {
            return self.restrict(id, Domain::of(0));
        }
        if x.is_bounded() && y.is_bounded() {
            let product = |p: i64, q: i64| i128::from(p) * i128::from(q);
            let ends = [
                product(x.lo, y.lo),
                product(x.lo, y.hi),
                product(x.hi, y.lo),
                product(x.hi, y.hi),
            ];
            let low = ends.iter().copied().fold(ends[0], i128::min);
            let high = ends.iter().copied().fold(ends[0], i128::max);
            if !self.restrict(id, Domain::between(low, high)) {
                return false;
            }
        }
        [(a, y), (b, x)].into_iter().all(|(arg, other)| {
            let mine = self.domains[id];
            match other.fixed() {
                Some(factor) if factor != 0 && mine.is_bounded() => {
                    // |arg| is at most |product| / |factor|, rounded towards the inside.
                    let (low, high) = if factor > 0 {
                        (mine.lo, mine.hi)
                    } else {
                        (-mine.hi, -mine.lo)
                    };
                    let size = factor.abs();
                    let ceiling = -(-low).div_euclid(size);
                    self.restrict(arg, Domain::new(ceiling, high.div_euclid(size)))
                }
                _ => true,
            }
        })
    }

    /// SMT-LIB's `div` and `mod`: the remainder is never negative. By zero they are anything, so nothing follows.
    fn division(&mut self, id: NodeId, a: NodeId, b: NodeId, quotient: bool) -> bool {
        let (x, y) = (self.domains[a], self.domains[b]);
        let most = y.lo.abs().max(y.hi.abs());
        let apart = |value: i64, by: i64| match quotient {
            true => value.div_euclid(by),
            false => value.rem_euclid(by),
        };
        match y.fixed() {
            Some(0) => true,
            Some(by) if x.is_short() => {
                let mine = self.domains[id];
                let fits = |value: i64| !mine.intersect(Domain::of(apart(value, by))).is_empty();
                let kept = x.filtered(fits);
                let images = kept.values().map(|value| Domain::of(apart(value, by)));
                let image = images.fold(Domain::EMPTY, Domain::union);
                !kept.is_empty() && self.restrict(a, kept) && self.restrict(id, image)
            }
            Some(by) if quotient && x.is_bounded() => {
                let (p, q) = (x.lo.div_euclid(by), x.hi.div_euclid(by));
                self.restrict(id, Domain::new(p.min(q), p.max(q)))
            }
            Some(by) if !quotient => self.restrict(id, Domain::new(0, by.abs() - 1)),
            None if !quotient && most < INFINITY && (y.lo > 0 || y.hi < 0) => {
                self.restrict(id, Domain::new(0, most - 1))
            }
            None if quotient && x.is_bounded() && (y.lo > 0 || y.hi < 0) => {
                // A remainder that must not be negative can push the quotient one further out.
                let far = x.lo.abs().max(x.hi.abs()) + 1;
                self.restrict(id, Domain::new(-far, far))
            }
            _ => true,
        }
    }
}
