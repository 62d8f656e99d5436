//! One SMT-LIB term → a [`TermId`], with its sort checked.
//!
//! Called by `problem.rs` for assertions and by `model.rs` for the values a solver gives. What SMT-LIB has many words
//! for becomes one: `(> a b)` is `Lt(b, a)`, `(xor a b)` is `not (= a b)`, `((_ at-most 2) a b c)` is a sum.
use super::{
    budget::{MOST_TERMS, NoVerdict, fits},
    problem::{Meaning, Problem, not_supported, symbol},
    sexpr::Sexpr,
    term::{Op, Sort, TermId},
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use std::collections::HashMap;

/// Deepest nesting, of expressions with the definitions they use, and of the terms that come of it: both are walked on
/// the stack, and definitions used in definitions can grow without bound.
const DEEPEST: u32 = 3000;
/// Most arguments of `distinct`, which becomes one term for each pair.
const MOST_DISTINCT: usize = 300;
/// Most digits of a number.
const MOST_DIGITS: usize = 1000;

type Parsed = Result<TermId, NoVerdict>;

/// The term that `expression` is in `problem`.
pub(super) fn term(problem: &mut Problem, expression: &Sexpr) -> Parsed {
    let mut parser = Parser {
        problem,
        scope: HashMap::new(),
        depth: 0,
    };
    parser.term(expression)
}

/// A term with parameters: their variables, and the term.
pub(super) fn function(
    problem: &mut Problem,
    params: &[(String, Sort)],
    body: &Sexpr,
) -> Result<(Vec<u32>, TermId), NoVerdict> {
    let mut parser = Parser {
        problem,
        scope: HashMap::new(),
        depth: 0,
    };
    let vars = parser.bind_vars(params);
    let body = parser.term(body)?;
    Ok((vars, body))
}

/// `12.50` exactly.
pub(super) fn decimal(text: &str) -> Result<BigRational, NoVerdict> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    if digits.len() > MOST_DIGITS {
        return Err(NoVerdict::new("a number of more than 1000 digits"));
    }
    let top: BigInt = match digits.parse() {
        Ok(top) => top,
        Err(_) => return Err(NoVerdict::new("a number that is none")),
    };
    let bottom = num_traits::pow(BigInt::from(10), part.len());
    Ok(BigRational::new(top, bottom))
}

struct Parser<'a> {
    problem: &'a mut Problem,
    scope: HashMap<String, Vec<TermId>>,
    depth: u32,
}

impl Parser<'_> {
    /// Every expression passes here, so here its growth is bounded.
    fn term(&mut self, expression: &Sexpr) -> Parsed {
        self.problem.budget.spend()?;
        self.depth += 1;
        if self.depth > DEEPEST || self.problem.terms.len() > MOST_TERMS {
            return Err(NoVerdict::new("a term that is too large or too deep"));
        }
        let id = self.expression(expression)?;
        self.depth -= 1;
        let terms = &self.problem.terms;
        let too_large = terms.as_number(id).is_some_and(|number| !fits(number));
        if terms.height(id) > DEEPEST || too_large {
            return Err(NoVerdict::new("a term that is too large or too deep"));
        }
        Ok(id)
    }

    fn expression(&mut self, expression: &Sexpr) -> Parsed {
        match expression {
            Sexpr::Number(text) => {
                let sort = match text.contains('.') {
                    true => Sort::Real,
                    false => Sort::Int,
                };
                Ok(self.problem.terms.number(decimal(text)?, sort))
            }
            Sexpr::Symbol(name) => self.name(name),
            Sexpr::List(items) => match items.as_slice() {
                [head, args @ ..] => self.list(head, args),
                [] => Err(not_supported("the term", expression)),
            },
            _ => Err(not_supported("the term", expression)),
        }
    }

    fn name(&mut self, name: &str) -> Parsed {
        if let Some(id) = self.scope.get(name).and_then(|all| all.last()) {
            return Ok(*id);
        }
        match name {
            "true" => Ok(self.problem.terms.bool(true)),
            "false" => Ok(self.problem.terms.bool(false)),
            _ => self.apply(name, Vec::new()),
        }
    }

    /// A declared or defined name with its arguments.
    fn apply(&mut self, name: &str, mut args: Vec<TermId>) -> Parsed {
        match self.problem.names.get(name).cloned() {
            Some(Meaning::Value(id)) if args.is_empty() => Ok(id),
            Some(Meaning::Symbol(index)) => {
                let symbol = self.problem.symbols[index as usize].clone();
                self.fit(&mut args, &symbol.args, name)?;
                Ok(self.problem.terms.make(Op::Apply(index), args, symbol.sort))
            }
            Some(Meaning::Macro(params, sort, body)) => {
                let sorts: Vec<_> = params.iter().map(|(_, sort)| *sort).collect();
                self.fit(&mut args, &sorts, name)?;
                // The body sees its parameters and nothing of the place it is used in.
                let outer = std::mem::take(&mut self.scope);
                for ((name, _), arg) in params.iter().zip(&args) {
                    self.scope.insert(name.clone(), vec![*arg]);
                }
                let id = self.term(&body);
                self.scope = outer;
                let mut id = vec![id?];
                self.fit(&mut id, &[sort], name)?;
                Ok(id[0])
            }
            _ => Err(NoVerdict(format!("not supported: the name `{name}`"))),
        }
    }

    /// Checks arguments against sorts; an Int where a Real is wanted becomes one.
    fn fit(&mut self, args: &mut [TermId], sorts: &[Sort], name: &str) -> Result<(), NoVerdict> {
        let wrong = || NoVerdict(format!("not supported: the arguments of `{name}`"));
        if args.len() != sorts.len() {
            return Err(wrong());
        }
        for (arg, sort) in args.iter_mut().zip(sorts) {
            if *sort == Sort::Real && self.problem.terms.sort(*arg) == Sort::Int {
                *arg = self.real(*arg);
            }
            if self.problem.terms.sort(*arg) != *sort {
                return Err(wrong());
            }
        }
        Ok(())
    }

    fn real(&mut self, id: TermId) -> TermId {
        match self.problem.terms.op(id).clone() {
            Op::Number(value) => self.problem.terms.number(value, Sort::Real),
            _ => self.problem.terms.make(Op::ToReal, vec![id], Sort::Real),
        }
    }

    fn list(&mut self, head: &Sexpr, args: &[Sexpr]) -> Parsed {
        match head {
            Sexpr::Symbol(word) => match (word.as_str(), args) {
                ("let", [Sexpr::List(bindings), body]) => self.bind(bindings, body),
                ("forall" | "exists", [Sexpr::List(params), body]) => {
                    self.quantifier(word == "forall", params, body)
                }
                ("!", [term, ..]) => self.term(term),
                ("as", [term, _]) => self.term(term),
                _ => {
                    let args = self.terms(args)?;
                    self.operator(word, args)
                }
            },
            Sexpr::List(items) => {
                let args = self.terms(args)?;
                match items.as_slice() {
                    [Sexpr::Symbol(mark), Sexpr::Symbol(name), indices @ ..] if mark == "_" => {
                        self.indexed(name, indices, &args)
                    }
                    [Sexpr::Symbol(mark), name, _] if mark == "as" => {
                        self.operator(&symbol(name)?, args)
                    }
                    _ => Err(not_supported("the operator", head)),
                }
            }
            _ => Err(not_supported("the operator", head)),
        }
    }

    fn terms(&mut self, args: &[Sexpr]) -> Result<Vec<TermId>, NoVerdict> {
        args.iter().map(|arg| self.term(arg)).collect()
    }

    fn bind(&mut self, bindings: &[Sexpr], body: &Sexpr) -> Parsed {
        let mut found = Vec::new();
        for binding in bindings {
            match binding.list() {
                Some([name, value]) => found.push((symbol(name)?, self.term(value)?)),
                _ => return Err(NoVerdict::new("not supported: a binding without a value")),
            }
        }
        for (name, id) in &found {
            self.scope.entry(name.clone()).or_default().push(*id);
        }
        let body = self.term(body);
        for (name, _) in &found {
            self.scope.get_mut(name).map(Vec::pop);
        }
        body
    }

    fn bind_vars(&mut self, params: &[(String, Sort)]) -> Vec<u32> {
        let mut vars = Vec::new();
        for (name, sort) in params {
            let var = self.problem.terms.var(*sort);
            let id = self.problem.terms.make(Op::Var(var), Vec::new(), *sort);
            self.scope.entry(name.clone()).or_default().push(id);
            vars.push(var);
        }
        vars
    }

    fn quantifier(&mut self, forall: bool, params: &[Sexpr], body: &Sexpr) -> Parsed {
        let params = self.problem.params(params)?;
        let vars = self.bind_vars(&params);
        let body = self.term(body);
        for (name, _) in &params {
            self.scope.get_mut(name).map(Vec::pop);
        }
        let body = body?;
        self.expect(body, Sort::Bool)?;
        let op = if forall {
            Op::Forall(vars)
        } else {
            Op::Exists(vars)
        };
        Ok(self.problem.terms.make(op, vec![body], Sort::Bool))
    }

    fn expect(&self, id: TermId, sort: Sort) -> Result<(), NoVerdict> {
        if self.problem.terms.sort(id) == sort {
            return Ok(());
        }
        Err(NoVerdict::new(
            "not supported: a term of an unexpected sort",
        ))
    }

    fn operator(&mut self, word: &str, mut args: Vec<TermId>) -> Parsed {
        if self.scope.contains_key(word) || self.problem.names.contains_key(word) {
            return self.apply(word, args);
        }
        if let Some(found) = self.boolean(word, &mut args)? {
            return Ok(found);
        }
        if let Some(found) = self.arithmetic(word, &mut args)? {
            return Ok(found);
        }
        Err(NoVerdict(format!("not supported: the operator `{word}`")))
    }

    fn boolean(&mut self, word: &str, args: &mut [TermId]) -> Result<Option<TermId>, NoVerdict> {
        let all = args.to_vec();
        if matches!(word, "and" | "or" | "not" | "=>" | "xor" | "implies") {
            for arg in &all {
                self.expect(*arg, Sort::Bool)?;
            }
        }
        let found = match word {
            "and" => self.problem.terms.and(all),
            "or" => self.problem.terms.or(all),
            "not" if all.len() == 1 => self.problem.terms.not(all[0]),
            "=>" | "implies" if !all.is_empty() => {
                let (last, rest) = all.split_last().expect("not empty");
                let mut parts: Vec<_> = rest.iter().map(|a| self.problem.terms.not(*a)).collect();
                parts.push(*last);
                self.problem.terms.or(parts)
            }
            "xor" if all.len() == 2 => {
                let eq = self.problem.terms.eq(all[0], all[1]);
                self.problem.terms.not(eq)
            }
            "=" if all.len() >= 2 => {
                self.same(args)?;
                let pairs: Vec<_> = args
                    .windows(2)
                    .map(|p| self.problem.terms.eq(p[0], p[1]))
                    .collect();
                self.problem.terms.and(pairs)
            }
            "distinct" => {
                self.same(args)?;
                if args.len() > MOST_DISTINCT {
                    return Err(NoVerdict::new("not supported: `distinct` of more than 300"));
                }
                self.problem.terms.distinct(args)
            }
            "ite" | "if" if all.len() == 3 => {
                self.expect(all[0], Sort::Bool)?;
                self.same(&mut args[1..])?;
                self.problem.terms.ite(args[0], args[1], args[2])
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// Makes all of one sort: Ints beside Reals become Reals.
    fn same(&mut self, args: &mut [TermId]) -> Result<(), NoVerdict> {
        let is_real = |id: &TermId| self.problem.terms.sort(*id) == Sort::Real;
        if args.iter().any(is_real) {
            for arg in args.iter_mut() {
                if self.problem.terms.sort(*arg) == Sort::Int {
                    *arg = self.real(*arg);
                }
            }
        }
        for pair in args.windows(2) {
            self.expect(pair[1], self.problem.terms.sort(pair[0]))?;
        }
        Ok(())
    }

    fn arithmetic(&mut self, word: &str, args: &mut [TermId]) -> Result<Option<TermId>, NoVerdict> {
        let words = [
            "+", "-", "*", "/", "div", "mod", "^", "<=", "<", ">=", ">", "abs", "to_real",
            "to_int", "is_int",
        ];
        if !words.contains(&word) || args.is_empty() {
            return Ok(None);
        }
        let wants_real = word == "/" || word == "to_int" || word == "is_int";
        if wants_real {
            for arg in args.iter_mut() {
                if self.problem.terms.sort(*arg) == Sort::Int {
                    *arg = self.real(*arg);
                }
            }
        }
        self.same(args)?;
        let sort = self.problem.terms.sort(args[0]);
        if !matches!(sort, Sort::Int | Sort::Real) {
            return Err(NoVerdict(format!(
                "not supported: `{word}` on what is no number"
            )));
        }
        let terms = &mut self.problem.terms;
        let found = match (word, &*args) {
            ("+", all) => terms.sum(all.to_vec()),
            ("-", [one]) => terms.scaled(*one, -1),
            ("-", [first, rest @ ..]) => {
                let mut parts = vec![*first];
                parts.extend(rest.iter().map(|arg| terms.scaled(*arg, -1)));
                terms.sum(parts)
            }
            ("*", all) => terms.product(all.to_vec()),
            ("/", [a, b]) => terms.quotient(*a, *b),
            ("div" | "mod", [a, b]) if sort == Sort::Int => {
                let op = if word == "div" { Op::Div } else { Op::Mod };
                terms.make(op, vec![*a, *b], sort)
            }
            ("^", [a, b]) => terms.power(*a, *b),
            ("<=" | "<" | ">=" | ">", [_, _, ..]) => {
                let pairs: Vec<_> = args
                    .windows(2)
                    .map(|pair| self.problem.terms.compare(word, pair[0], pair[1]))
                    .collect();
                self.problem.terms.and(pairs)
            }
            ("abs", [a]) => {
                let zero = terms.number(BigRational::zero(), sort);
                let negative = terms.compare("<", *a, zero);
                let minus = terms.scaled(*a, -1);
                terms.ite(negative, minus, *a)
            }
            ("to_real", [a]) => self.real(*a),
            ("to_int", [a]) => terms.make(Op::ToInt, vec![*a], Sort::Int),
            ("is_int", [a]) => {
                let floor = terms.make(Op::ToInt, vec![*a], Sort::Int);
                let floor = self.real(floor);
                self.problem.terms.eq(floor, args[0])
            }
            _ => {
                return Err(NoVerdict(format!(
                    "not supported: the arguments of `{word}`"
                )));
            }
        };
        Ok(Some(found))
    }

    fn indexed(&mut self, name: &str, indices: &[Sexpr], args: &[TermId]) -> Parsed {
        let integer = |index: &Sexpr| -> Option<i64> {
            match index {
                Sexpr::Number(text) => text.parse().ok(),
                Sexpr::List(items) => match items.as_slice() {
                    [Sexpr::Symbol(minus), Sexpr::Number(text)] if minus == "-" => {
                        text.parse::<i64>().ok().and_then(i64::checked_neg)
                    }
                    _ => None,
                },
                _ => None,
            }
        };
        let unknown = || NoVerdict(format!("not supported: the operator `(_ {name} …)`"));
        let indices: Option<Vec<i64>> = indices.iter().map(integer).collect();
        let indices = indices.ok_or_else(unknown)?;
        match (name, indices.as_slice()) {
            ("at-most" | "at-least" | "pble" | "pbge" | "pbeq", [bound, weights @ ..]) => {
                self.count(name, *bound, weights, args)
            }
            _ => Err(unknown()),
        }
    }

    /// A bound on a weighted number of truths.
    fn count(&mut self, name: &str, bound: i64, weights: &[i64], args: &[TermId]) -> Parsed {
        if args.is_empty() || !weights.is_empty() && weights.len() != args.len() {
            return Err(NoVerdict(format!("not supported: the weights of `{name}`")));
        }
        let mut parts = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            self.expect(*arg, Sort::Bool)?;
            let weight = self
                .problem
                .terms
                .int(weights.get(index).copied().unwrap_or(1));
            let zero = self.problem.terms.int(0);
            parts.push(self.problem.terms.ite(*arg, weight, zero));
        }
        let terms = &mut self.problem.terms;
        let (sum, bound) = (terms.sum(parts), terms.int(bound));
        Ok(match name {
            "at-most" | "pble" => terms.compare("<=", sum, bound),
            "at-least" | "pbge" => terms.compare(">=", sum, bound),
            _ => terms.eq(sum, bound),
        })
    }
}
