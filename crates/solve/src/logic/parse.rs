//! One SMT-LIB term → a [`TermId`], with its sort checked.
//!
//! Called by `problem.rs` for assertions and by `model.rs` for the values a solver gives. What SMT-LIB has many words
//! for becomes one: `(> a b)` is `Lt(b, a)`, `(xor a b)` is `not (= a b)`, `((_ at-most 2) a b c)` is a sum.
use super::{
    problem::{Meaning, Problem, Unsupported, symbol},
    sexpr::Sexpr,
    term::{BvOp, Op, Sort, TermId},
};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::collections::HashMap;

/// Most terms that are read: definitions used in definitions can grow without bound.
const MOST_STEPS: usize = 1_000_000;
/// Deepest nesting of macros.
const DEEPEST: usize = 1500;

type Parsed = Result<TermId, Unsupported>;

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
) -> Result<(Vec<u32>, TermId), Unsupported> {
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
pub(super) fn decimal(text: &str) -> Result<BigRational, Unsupported> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let top: BigInt = match digits.parse() {
        Ok(top) if digits.len() < 10_000 => top,
        _ => return Err(Unsupported("a number that long".into())),
    };
    let bottom = num_traits::pow(BigInt::from(10), part.len());
    Ok(BigRational::new(top, bottom))
}

struct Parser<'a> {
    problem: &'a mut Problem,
    scope: HashMap<String, Vec<TermId>>,
    depth: usize,
}

impl Parser<'_> {
    fn term(&mut self, expression: &Sexpr) -> Parsed {
        self.problem.steps += 1;
        if self.problem.steps > MOST_STEPS {
            return Err(Unsupported("more than 1000000 terms".into()));
        }
        match expression {
            Sexpr::Number(text) => {
                let sort = if text.contains('.') {
                    Sort::Real
                } else {
                    Sort::Int
                };
                Ok(self.problem.terms.number(decimal(text)?, sort))
            }
            Sexpr::Bits(text) => self.bits(text),
            Sexpr::Symbol(name) => self.name(name),
            Sexpr::List(items) => match items.as_slice() {
                [head, args @ ..] => self.list(head, args),
                [] => Err(Unsupported("an empty term".into())),
            },
            Sexpr::Keyword(_) | Sexpr::Text(_) => {
                Err(Unsupported(format!("the term `{expression}`")))
            }
        }
    }

    fn bits(&mut self, text: &str) -> Parsed {
        let radix = if text.starts_with("#x") { 16 } else { 2 };
        let digits = text.get(2..).unwrap_or_default();
        let value = BigUint::parse_bytes(digits.as_bytes(), radix)
            .ok_or_else(|| Unsupported(format!("the literal `{text}`")))?;
        let width = digits.len() as u32 * if radix == 16 { 4 } else { 1 };
        Ok(self
            .problem
            .terms
            .make(Op::Bits(value), Vec::new(), Sort::Bits(width)))
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
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(Unsupported("definitions nested too deeply".into()));
                }
                // The body sees its parameters and nothing of the place it is used in.
                let outer = std::mem::take(&mut self.scope);
                for ((name, _), arg) in params.iter().zip(&args) {
                    self.scope.insert(name.clone(), vec![*arg]);
                }
                let id = self.term(&body);
                self.scope = outer;
                self.depth -= 1;
                let mut id = vec![id?];
                self.fit(&mut id, &[sort], name)?;
                Ok(id[0])
            }
            _ => Err(Unsupported(format!("the name `{name}`"))),
        }
    }

    /// Checks arguments against sorts; an Int where a Real is wanted becomes one.
    fn fit(&mut self, args: &mut [TermId], sorts: &[Sort], name: &str) -> Result<(), Unsupported> {
        let wrong = || Unsupported(format!("the arguments of `{name}`"));
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
                ("_", [Sexpr::Symbol(name), Sexpr::Number(width)]) if name.starts_with("bv") => {
                    self.bits_number(&name[2..], width)
                }
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
                    _ => Err(Unsupported(format!("the operator `{head}`"))),
                }
            }
            _ => Err(Unsupported(format!("the operator `{head}`"))),
        }
    }

    fn terms(&mut self, args: &[Sexpr]) -> Result<Vec<TermId>, Unsupported> {
        args.iter().map(|arg| self.term(arg)).collect()
    }

    fn bits_number(&mut self, digits: &str, width: &str) -> Parsed {
        let value = BigUint::parse_bytes(digits.as_bytes(), 10);
        let width: Option<u32> = width.parse().ok().filter(|w| (1..=4096).contains(w));
        match (value, width) {
            (Some(value), Some(width)) => {
                let value = value % (BigUint::one() << width);
                Ok(self
                    .problem
                    .terms
                    .make(Op::Bits(value), Vec::new(), Sort::Bits(width)))
            }
            _ => Err(Unsupported("a bit-vector literal".into())),
        }
    }

    fn bind(&mut self, bindings: &[Sexpr], body: &Sexpr) -> Parsed {
        let mut found = Vec::new();
        for binding in bindings {
            match binding.list() {
                Some([name, value]) => found.push((symbol(name)?, self.term(value)?)),
                _ => return Err(Unsupported("a binding without a value".into())),
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

    fn expect(&self, id: TermId, sort: Sort) -> Result<(), Unsupported> {
        if self.problem.terms.sort(id) == sort {
            return Ok(());
        }
        Err(Unsupported("a term of an unexpected sort".into()))
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
        match self.bit_operator(word, &args)? {
            Some(found) => Ok(found),
            None => Err(Unsupported(format!("the operator `{word}`"))),
        }
    }

    fn boolean(&mut self, word: &str, args: &mut [TermId]) -> Result<Option<TermId>, Unsupported> {
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
                if args.len() > 1000 {
                    return Err(Unsupported("distinct of more than 1000".into()));
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
    fn same(&mut self, args: &mut [TermId]) -> Result<(), Unsupported> {
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

    fn arithmetic(
        &mut self,
        word: &str,
        args: &mut [TermId],
    ) -> Result<Option<TermId>, Unsupported> {
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
            return Err(Unsupported(format!("`{word}` on what is no number")));
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
            _ => return Err(Unsupported(format!("the arguments of `{word}`"))),
        };
        Ok(Some(found))
    }

    fn indexed(&mut self, name: &str, indices: &[Sexpr], args: &[TermId]) -> Parsed {
        let integer = |index: &Sexpr| -> Option<i64> {
            match index {
                Sexpr::Number(text) => text.parse().ok(),
                Sexpr::List(items) => match items.as_slice() {
                    [Sexpr::Symbol(minus), Sexpr::Number(text)] if minus == "-" => {
                        text.parse::<i64>().ok().map(|n| -n)
                    }
                    _ => None,
                },
                _ => None,
            }
        };
        let unknown = || Unsupported(format!("the operator `(_ {name} …)`"));
        let indices: Option<Vec<i64>> = indices.iter().map(integer).collect();
        let indices = indices.ok_or_else(unknown)?;
        match (name, indices.as_slice()) {
            ("at-most" | "at-least" | "pble" | "pbge" | "pbeq", [bound, weights @ ..]) => {
                self.count(name, *bound, weights, args)
            }
            _ => self.indexed_bits(name, &indices, args)?.ok_or_else(unknown),
        }
    }

    /// A bound on a weighted number of truths.
    fn count(&mut self, name: &str, bound: i64, weights: &[i64], args: &[TermId]) -> Parsed {
        if !weights.is_empty() && weights.len() != args.len() {
            return Err(Unsupported(format!("the weights of `{name}`")));
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

    fn bit_width(&self, id: TermId) -> Result<u32, Unsupported> {
        match self.problem.terms.sort(id) {
            Sort::Bits(width) => Ok(width),
            _ => Err(Unsupported("a bit-vector operator on another sort".into())),
        }
    }

    fn indexed_bits(
        &mut self,
        name: &str,
        indices: &[i64],
        args: &[TermId],
    ) -> Result<Option<TermId>, Unsupported> {
        let small = |n: i64| u32::try_from(n).ok().filter(|n| *n <= 4096);
        let (Some(first), [arg]) = (indices.first().and_then(|n| small(*n)), args) else {
            return Ok(None);
        };
        if name == "int2bv" && first > 0 {
            self.expect(*arg, Sort::Int)?;
            let op = Op::Bv(BvOp::FromInt(first));
            return Ok(Some(self.problem.terms.make(
                op,
                vec![*arg],
                Sort::Bits(first),
            )));
        }
        let width = self.bit_width(*arg)?;
        let terms = &mut self.problem.terms;
        Ok(match (name, indices) {
            ("extract", [_, low]) => {
                let low = small(*low).filter(|low| *low <= first && first < width);
                low.map(|low| terms.extract(*arg, first, low))
            }
            ("zero_extend", [_]) if first == 0 => Some(*arg),
            ("zero_extend", [_]) => {
                let zeros = terms.make(Op::Bits(BigUint::zero()), Vec::new(), Sort::Bits(first));
                Some(terms.concat(zeros, *arg))
            }
            ("sign_extend", [_]) => {
                let sign = terms.extract(*arg, width - 1, width - 1);
                Some((0..first).fold(*arg, |all, _| terms.concat(sign, all)))
            }
            _ => None,
        })
    }

    fn bit_operator(&mut self, word: &str, args: &[TermId]) -> Result<Option<TermId>, Unsupported> {
        let Some(first) = args.first() else {
            return Ok(None);
        };
        if !(word.starts_with("bv") || word == "concat" || word == "ubv_to_int") {
            return Ok(None);
        }
        let width = self.bit_width(*first)?;
        if word != "concat" {
            for arg in args {
                self.expect(*arg, Sort::Bits(width))?;
            }
        }
        for arg in args {
            self.bit_width(*arg)?;
        }
        Ok(self.problem.terms.bit_operator(word, args))
    }
}
