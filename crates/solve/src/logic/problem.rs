//! Declarations and assertions → a typed problem: what is checked, and what the embedded solver solves.
//!
//! Called once for each question with the state's items. A sort or operator it does not know is no fault of the
//! problem: the answer is [`Unsupported`], and an external solver may still know it.
use super::{
    parse,
    sexpr::Sexpr,
    term::{Op, Sort, TermId, Terms},
};
use num_rational::BigRational;
use std::collections::HashMap;

/// Why a problem has no typed form here.
#[derive(Clone, Debug)]
pub(super) struct Unsupported(pub(super) String);

/// A declared constant or function.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) args: Vec<Sort>,
    pub(super) sort: Sort,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Symbol(u32),
    /// A value of an enumeration.
    Value(TermId),
    /// A definition: parameters, sort, body.
    Macro(Vec<(String, Sort)>, Sort, Sexpr),
}

/// What is to be as large or small as possible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    pub(super) maximize: bool,
    pub(super) term: TermId,
}

/// A typed problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) terms: Terms,
    /// Names of the free sorts.
    pub(super) free: Vec<String>,
    /// Enumerations: name and values.
    pub(super) enums: Vec<(String, Vec<String>)>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) asserted: Vec<TermId>,
    pub(super) objectives: Vec<Objective>,
    /// Wishes with their weights.
    pub(super) soft: Vec<(TermId, BigRational)>,
    pub(super) sorts: HashMap<String, Sort>,
    pub(super) names: HashMap<String, Meaning>,
    /// Terms read so far.
    pub(super) steps: usize,
}

impl Problem {
    /// The problem of these items, with assumptions as further assertions.
    pub(super) fn new(items: &[Sexpr], assumptions: &[Sexpr]) -> Result<Self, Unsupported> {
        let mut problem = Self::default();
        for item in items {
            problem.item(item)?;
        }
        for assumption in assumptions {
            problem.assert(assumption)?;
        }
        Ok(problem)
    }

    fn item(&mut self, item: &Sexpr) -> Result<(), Unsupported> {
        let list = item.list().unwrap_or_default();
        let (word, rest) = match list.split_first() {
            Some((head, rest)) => (head.symbol().unwrap_or_default(), rest),
            None => return Err(Unsupported("an empty command".into())),
        };
        match (word, rest) {
            ("declare-sort", [name, ..]) => {
                let sort = Sort::Free(self.free.len() as u32);
                self.free.push(symbol(name)?);
                self.sorts.insert(symbol(name)?, sort);
            }
            ("define-sort", [name, Sexpr::List(params), body]) if params.is_empty() => {
                let sort = self.sort(body)?;
                self.sorts.insert(symbol(name)?, sort);
            }
            ("declare-fun", [name, Sexpr::List(args), sort]) => {
                let args = args
                    .iter()
                    .map(|arg| self.sort(arg))
                    .collect::<Result<_, _>>()?;
                let sort = self.sort(sort)?;
                self.declare(&symbol(name)?, args, sort);
            }
            ("declare-const", [name, sort]) => {
                let sort = self.sort(sort)?;
                self.declare(&symbol(name)?, Vec::new(), sort);
            }
            ("declare-datatypes", [Sexpr::List(names), Sexpr::List(bodies)]) => {
                self.datatypes(names, bodies)?;
            }
            ("declare-datatype", [name, body]) => {
                self.enumeration(&symbol(name)?, body)?;
            }
            ("define-fun", [name, Sexpr::List(params), sort, body]) => {
                self.define(&symbol(name)?, params, sort, body)?;
            }
            ("define-const", [name, sort, body]) => self.define(&symbol(name)?, &[], sort, body)?,
            ("assert", [term]) => self.assert(term)?,
            ("assert-soft", [term, more @ ..]) => self.wish(term, more)?,
            ("maximize" | "minimize", [term]) => {
                let term = parse::term(self, term)?;
                let maximize = word == "maximize";
                self.objectives.push(Objective { maximize, term });
            }
            _ => return Err(Unsupported(format!("the form of `{word}`"))),
        }
        Ok(())
    }

    fn assert(&mut self, term: &Sexpr) -> Result<(), Unsupported> {
        let term = parse::term(self, term)?;
        if self.terms.sort(term) != Sort::Bool {
            return Err(Unsupported("an assertion that is not Bool".into()));
        }
        self.asserted.push(term);
        Ok(())
    }

    fn wish(&mut self, term: &Sexpr, more: &[Sexpr]) -> Result<(), Unsupported> {
        let term = parse::term(self, term)?;
        let mut weight = BigRational::from_integer(1.into());
        for pair in more.windows(2) {
            if let [Sexpr::Keyword(key), Sexpr::Number(text)] = pair
                && key == "weight"
            {
                weight = parse::decimal(text)?;
            }
        }
        self.soft.push((term, weight));
        Ok(())
    }

    pub(super) fn declare(&mut self, name: &str, args: Vec<Sort>, sort: Sort) -> u32 {
        let index = self.symbols.len() as u32;
        self.symbols.push(Symbol {
            name: name.into(),
            args,
            sort,
        });
        self.names.insert(name.into(), Meaning::Symbol(index));
        index
    }

    fn define(
        &mut self,
        name: &str,
        params: &[Sexpr],
        sort: &Sexpr,
        body: &Sexpr,
    ) -> Result<(), Unsupported> {
        let params = self.params(params)?;
        let sort = self.sort(sort)?;
        let meaning = Meaning::Macro(params, sort, body.clone());
        self.names.insert(name.into(), meaning);
        Ok(())
    }

    /// `((x Int) (y S))`.
    pub(super) fn params(&self, params: &[Sexpr]) -> Result<Vec<(String, Sort)>, Unsupported> {
        let param = |param: &Sexpr| match param.list() {
            Some([name, sort]) => Ok((symbol(name)?, self.sort(sort)?)),
            _ => Err(Unsupported("a parameter without a sort".into())),
        };
        params.iter().map(param).collect()
    }

    fn datatypes(&mut self, names: &[Sexpr], bodies: &[Sexpr]) -> Result<(), Unsupported> {
        // Both forms: ((S 0)) ((…)) of SMT-LIB 2.6, and () ((S a b)) of before.
        if names.is_empty() {
            for body in bodies {
                match body.list() {
                    Some([name, values @ ..]) => {
                        self.enumeration(&symbol(name)?, &Sexpr::List(values.to_vec()))?;
                    }
                    _ => return Err(Unsupported("a datatype without a name".into())),
                }
            }
            return Ok(());
        }
        if names.len() != bodies.len() {
            return Err(Unsupported("datatypes without their constructors".into()));
        }
        for (name, body) in names.iter().zip(bodies) {
            let name = name.list().and_then(<[Sexpr]>::first).unwrap_or(name);
            self.enumeration(&symbol(name)?, body)?;
        }
        Ok(())
    }

    fn enumeration(&mut self, name: &str, body: &Sexpr) -> Result<(), Unsupported> {
        let sort = Sort::Enum(self.enums.len() as u32);
        let mut values = Vec::new();
        for value in body.list().unwrap_or_default() {
            let value = match value.list() {
                Some([value]) => symbol(value)?,
                None => symbol(value)?,
                Some(_) => return Err(Unsupported("a constructor with fields".into())),
            };
            let element = Op::Element(values.len() as u32);
            let term = self.terms.make(element, Vec::new(), sort);
            self.names.insert(value.clone(), Meaning::Value(term));
            values.push(value);
        }
        if values.is_empty() {
            return Err(Unsupported("a datatype without values".into()));
        }
        self.enums.push((name.into(), values));
        self.sorts.insert(name.into(), sort);
        Ok(())
    }

    /// The sort an expression names.
    pub(super) fn sort(&self, sort: &Sexpr) -> Result<Sort, Unsupported> {
        let unknown = || Unsupported(format!("the sort `{sort}`"));
        match sort {
            Sexpr::Symbol(name) => match name.as_str() {
                "Bool" => Ok(Sort::Bool),
                "Int" => Ok(Sort::Int),
                "Real" => Ok(Sort::Real),
                _ => self.sorts.get(name).copied().ok_or_else(unknown),
            },
            Sexpr::List(items) => match items.as_slice() {
                [Sexpr::Symbol(a), Sexpr::Symbol(b), Sexpr::Number(width)]
                    if a == "_" && b == "BitVec" =>
                {
                    let width = width.parse().ok().filter(|w| (1..=4096).contains(w));
                    Ok(Sort::Bits(width.ok_or_else(unknown)?))
                }
                _ => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

pub(super) fn symbol(expression: &Sexpr) -> Result<String, Unsupported> {
    let name = expression.symbol().map(str::to_owned);
    name.ok_or_else(|| Unsupported(format!("`{expression}` where a name is expected")))
}
