//! Values, models, and the exact value of a term under a model: how every model is checked, whoever found it.
//!
//! Numbers are exact fractions. What SMT-LIB leaves open (division by zero, a quantifier over all integers, an
//! irrational root) has no value here: [`Valued::Err`] says that the check cannot decide, never that it failed.
use super::{
    budget::fits,
    problem::Problem,
    range,
    term::{Op, Sort, TermId},
};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::{BTreeMap, HashMap};

/// Most levels of one evaluation; those of terms are fewer.
const DEEPEST: u32 = 4000;

/// A value; its sort is known where it is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Value {
    Bool(bool),
    Number(BigRational),
    /// Of an enumeration or a universe.
    Element(u32),
}

/// Why a term has no value here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecided;

pub(super) type Valued = Result<Value, Undecided>;

/// What a symbol stands for.
#[derive(Clone, Debug)]
pub(super) enum Meant {
    /// A value for some arguments, one for all others.
    Table(BTreeMap<Vec<Value>, Value>, Value),
    /// Variables and a term over them.
    Term(Vec<u32>, TermId),
    /// An irrational number: its digits.
    Digits(String),
}

/// An interpretation of all symbols.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// Names of the elements of each free sort.
    pub(super) universes: Vec<Vec<String>>,
    /// By symbol; none for what the solver did not mention.
    pub(super) symbols: Vec<Option<Meant>>,
    /// Symbols in the order the solver gave them.
    pub(super) order: Vec<u32>,
    /// Values of the objectives, in their order.
    pub(super) objectives: Vec<String>,
}

/// The value a sort's terms have when nothing says otherwise.
pub(super) fn default_value(sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        Sort::Int | Sort::Real => Value::Number(BigRational::zero()),
        Sort::Enum(_) | Sort::Free(_) => Value::Element(0),
    }
}

/// Values terms of one problem under one model.
pub(super) struct Valuer<'a> {
    problem: &'a Problem,
    model: &'a Model,
    vars: Vec<Option<Value>>,
    known: HashMap<TermId, Value>,
    /// Levels of terms and of functions that a solver defined by functions: one of itself would never end.
    depth: u32,
}

impl<'a> Valuer<'a> {
    pub(super) fn new(problem: &'a Problem, model: &'a Model) -> Self {
        Self {
            problem,
            model,
            vars: vec![None; problem.terms.vars.len()],
            known: HashMap::new(),
            depth: 0,
        }
    }

    /// Do all assertions hold? `None` if that cannot be decided here.
    pub(super) fn holds(&mut self) -> Option<bool> {
        let mut undecided = false;
        for id in self.problem.asserted.clone() {
            match self.value(id) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => return Some(false),
                Err(Undecided) => undecided = true,
            }
        }
        (!undecided).then_some(true)
    }

    /// The value of a term.
    pub(super) fn value(&mut self, id: TermId) -> Valued {
        self.problem.budget.spend().map_err(|_| Undecided)?;
        let open = self.problem.terms.is_open(id);
        if !open && let Some(value) = self.known.get(&id) {
            return Ok(value.clone());
        }
        if self.depth > DEEPEST {
            return Err(Undecided);
        }
        self.depth += 1;
        let value = self.compute(id);
        self.depth -= 1;
        let value = value?;
        if !open {
            self.known.insert(id, value.clone());
        }
        Ok(value)
    }

    /// The value of a function at arguments.
    pub(super) fn applied(&mut self, symbol: u32, args: &[Value]) -> Valued {
        match self
            .model
            .symbols
            .get(symbol as usize)
            .and_then(Option::as_ref)
        {
            Some(Meant::Table(entries, other)) => Ok(entries.get(args).unwrap_or(other).clone()),
            Some(Meant::Term(vars, body)) => {
                let (vars, body) = (vars.clone(), *body);
                let before = self.vars.clone();
                for (var, value) in vars.iter().zip(args) {
                    self.vars[*var as usize] = Some(value.clone());
                }
                let value = self.value(body);
                self.vars = before;
                value
            }
            Some(Meant::Digits(_)) => Err(Undecided),
            None => Ok(default_value(self.problem.symbols[symbol as usize].sort)),
        }
    }

    fn compute(&mut self, id: TermId) -> Valued {
        let problem = self.problem;
        let term = problem.terms.term(id);
        match &term.op {
            Op::True => return Ok(Value::Bool(true)),
            Op::False => return Ok(Value::Bool(false)),
            Op::Number(value) => return Ok(Value::Number(value.clone())),
            Op::Element(index) => return Ok(Value::Element(*index)),
            Op::Var(var) => return self.vars[*var as usize].clone().ok_or(Undecided),
            Op::And | Op::Or => return self.junction(&term.args, term.op == Op::And),
            Op::Ite => {
                let chosen = if self.truth(term.args[0])? { 1 } else { 2 };
                return self.value(term.args[chosen]);
            }
            Op::Forall(vars) => return self.quantified(vars, term.args[0], true),
            Op::Exists(vars) => return self.quantified(vars, term.args[0], false),
            _ => {}
        }
        let args: Vec<_> = term
            .args
            .iter()
            .map(|arg| self.value(*arg))
            .collect::<Result<_, _>>()?;
        match &term.op {
            Op::Apply(symbol) => self.applied(*symbol, &args),
            Op::Not => Ok(Value::Bool(args[0] == Value::Bool(false))),
            Op::Eq => Ok(Value::Bool(args[0] == args[1])),
            op => number_value(op, &args),
        }
    }

    fn truth(&mut self, id: TermId) -> Result<bool, Undecided> {
        match self.value(id)? {
            Value::Bool(truth) => Ok(truth),
            _ => Err(Undecided),
        }
    }

    /// One part that decides is enough, even beside parts without a value.
    fn junction(&mut self, args: &[TermId], all: bool) -> Valued {
        let mut undecided = false;
        for arg in args {
            match self.truth(*arg) {
                Ok(truth) if truth != all => return Ok(Value::Bool(!all)),
                Ok(_) => {}
                Err(Undecided) => undecided = true,
            }
        }
        if undecided {
            Err(Undecided)
        } else {
            Ok(Value::Bool(all))
        }
    }

    fn quantified(&mut self, vars: &[u32], body: TermId, all: bool) -> Valued {
        let Some((var, rest)) = vars.split_first() else {
            return self.value(body);
        };
        let mut undecided = false;
        for value in self.values_of(*var, body, all)? {
            let before = self.vars[*var as usize].replace(value);
            let found = self.quantified(rest, body, all);
            self.vars[*var as usize] = before;
            match found {
                Ok(Value::Bool(truth)) if truth != all => return Ok(Value::Bool(!all)),
                Ok(_) => {}
                Err(Undecided) => undecided = true,
            }
        }
        if undecided {
            Err(Undecided)
        } else {
            Ok(Value::Bool(all))
        }
    }

    /// All values of a variable that matter, if they are few.
    fn values_of(&self, var: u32, body: TermId, all: bool) -> Result<Vec<Value>, Undecided> {
        let elements = |count: usize| (0..count as u32).map(Value::Element).collect();
        match self.problem.terms.vars[var as usize] {
            Sort::Bool => Ok(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Enum(index) => Ok(elements(self.problem.enums[index as usize].1.len())),
            Sort::Free(index) => match self.model.universes.get(index as usize) {
                Some(names) => Ok(elements(names.len().max(1))),
                None => Ok(elements(1)),
            },
            Sort::Int => {
                let range = range::of(&self.problem.terms, var, body, all).ok_or(Undecided)?;
                let number = |n: i64| Value::Number(BigRational::from_integer(n.into()));
                Ok(range.map(number).collect())
            }
            Sort::Real => Err(Undecided),
        }
    }
}

fn number(value: &Value) -> Result<&BigRational, Undecided> {
    match value {
        Value::Number(number) => Ok(number),
        _ => Err(Undecided),
    }
}

fn number_value(op: &Op, args: &[Value]) -> Valued {
    let a = number(&args[0])?;
    let b = || number(&args[1]);
    let found = match op {
        Op::Add => {
            let mut sum = BigRational::zero();
            for arg in args {
                sum += number(arg)?;
                if !fits(&sum) {
                    return Err(Undecided);
                }
            }
            sum
        }
        Op::Mul => {
            let mut product = BigRational::one();
            for arg in args {
                product *= number(arg)?;
                if !fits(&product) {
                    return Err(Undecided);
                }
            }
            product
        }
        Op::Le => return Ok(Value::Bool(a <= b()?)),
        Op::Lt => return Ok(Value::Bool(a < b()?)),
        Op::ToReal => a.clone(),
        Op::ToInt => a.floor(),
        Op::Divide | Op::Div | Op::Mod if b()?.is_zero() => return Err(Undecided),
        Op::Divide => a / b()?,
        Op::Div => (a / b()?.abs()).floor() * b()?.signum(),
        Op::Mod => a - (a / b()?.abs()).floor() * b()?.abs(),
        Op::Power => power(a, b()?)?,
        _ => return Err(Undecided),
    };
    if !fits(&found) {
        return Err(Undecided);
    }
    Ok(Value::Number(found))
}

fn power(a: &BigRational, b: &BigRational) -> Result<BigRational, Undecided> {
    let exponent = b
        .to_i32()
        .filter(|n| b.is_integer() && n.abs() <= 512)
        .ok_or(Undecided)?;
    let bits = a.numer().bits().max(a.denom().bits());
    if a.is_zero() && exponent <= 0 || bits * u64::from(exponent.unsigned_abs()) > 8192 {
        return Err(Undecided);
    }
    let value = num_traits::pow(a.clone(), exponent.unsigned_abs() as usize);
    Ok(if exponent < 0 { value.recip() } else { value })
}
