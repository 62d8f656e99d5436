//! Declarations and assertions → a typed problem: what is checked, and what the embedded solver solves.
//!
//! Called once for each question with the state's items. A sort or operator it does not know is no fault of the
//! problem: the answer is [`NoVerdict`], and an external solver may still know it.
use super::{
    budget::{Budget, NoVerdict},
    parse,
    sexpr::Sexpr,
    term::{Op, Sort, TermId, Terms},
};
use std::{collections::HashMap, sync::Arc};

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

/// A typed problem.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) terms: Terms,
    /// Names of the free sorts.
    pub(super) free: Vec<String>,
    /// Enumerations: name and values.
    pub(super) enums: Vec<(String, Vec<String>)>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) asserted: Vec<TermId>,
    /// How many things are to be as large or small as possible; only `z3` knows how.
    pub(super) objectives: usize,
    pub(super) sorts: HashMap<String, Sort>,
    pub(super) names: HashMap<String, Meaning>,
    pub(super) budget: Budget,
}

impl Problem {
    /// The problem of these items, with assumptions as further assertions.
    pub(super) fn new(
        items: &[Arc<Sexpr>],
        assumptions: &[Sexpr],
        budget: Budget,
    ) -> Result<Self, NoVerdict> {
        let mut problem = Self {
            terms: Terms::default(),
            free: Vec::new(),
            enums: Vec::new(),
            symbols: Vec::new(),
            asserted: Vec::new(),
            objectives: 0,
            sorts: HashMap::new(),
            names: HashMap::new(),
            budget,
        };
        for item in items {
            problem.item(item)?;
        }
        for assumption in assumptions {
            problem.assert(assumption)?;
        }
        Ok(problem)
    }

    fn item(&mut self, item: &Sexpr) -> Result<(), NoVerdict> {
        let list = item.list().unwrap_or_default();
        let (word, rest) = match list.split_first() {
            Some((head, rest)) => (head.symbol().unwrap_or_default(), rest),
            None => return Err(NoVerdict::new("not supported: an empty command")),
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
            ("assert-soft" | "maximize" | "minimize", [_, ..]) => self.objectives += 1,
            _ => return Err(NoVerdict(format!("not supported: the form of `{word}`"))),
        }
        Ok(())
    }

    fn assert(&mut self, term: &Sexpr) -> Result<(), NoVerdict> {
        let term = parse::term(self, term)?;
        if self.terms.sort(term) != Sort::Bool {
            return Err(NoVerdict::new(
                "not supported: an assertion that is not Bool",
            ));
        }
        self.asserted.push(term);
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
    ) -> Result<(), NoVerdict> {
        let params = self.params(params)?;
        let sort = self.sort(sort)?;
        let meaning = Meaning::Macro(params, sort, body.clone());
        self.names.insert(name.into(), meaning);
        Ok(())
    }

    /// `((x Int) (y S))`.
    pub(super) fn params(&self, params: &[Sexpr]) -> Result<Vec<(String, Sort)>, NoVerdict> {
        let param = |param: &Sexpr| match param.list() {
            Some([name, sort]) => Ok((symbol(name)?, self.sort(sort)?)),
            _ => Err(NoVerdict::new("not supported: a parameter without a sort")),
        };
        params.iter().map(param).collect()
    }

    fn datatypes(&mut self, names: &[Sexpr], bodies: &[Sexpr]) -> Result<(), NoVerdict> {
        // Both forms: ((S 0)) ((…)) of SMT-LIB 2.6, and () ((S a b)) of before.
        if names.is_empty() {
            for body in bodies {
                match body.list() {
                    Some([name, values @ ..]) => {
                        self.enumeration(&symbol(name)?, &Sexpr::List(values.to_vec()))?;
                    }
                    _ => return Err(NoVerdict::new("not supported: a datatype without a name")),
                }
            }
            return Ok(());
        }
        if names.len() != bodies.len() {
            return Err(NoVerdict::new(
                "not supported: datatypes without their constructors",
            ));
        }
        for (name, body) in names.iter().zip(bodies) {
            let name = name.list().and_then(<[Sexpr]>::first).unwrap_or(name);
            self.enumeration(&symbol(name)?, body)?;
        }
        Ok(())
    }

    fn enumeration(&mut self, name: &str, body: &Sexpr) -> Result<(), NoVerdict> {
        let sort = Sort::Enum(self.enums.len() as u32);
        let mut values = Vec::new();
        for value in body.list().unwrap_or_default() {
            let value = match value.list() {
                Some([value]) => symbol(value)?,
                None => symbol(value)?,
                Some(_) => return Err(NoVerdict::new("not supported: a constructor with fields")),
            };
            let element = Op::Element(values.len() as u32);
            let term = self.terms.make(element, Vec::new(), sort);
            self.names.insert(value.clone(), Meaning::Value(term));
            values.push(value);
        }
        if values.is_empty() {
            return Err(NoVerdict::new("not supported: a datatype without values"));
        }
        self.enums.push((name.into(), values));
        self.sorts.insert(name.into(), sort);
        Ok(())
    }

    /// The sort an expression names.
    pub(super) fn sort(&self, sort: &Sexpr) -> Result<Sort, NoVerdict> {
        let unknown = || not_supported("the sort", sort);
        match sort {
            Sexpr::Symbol(name) => match name.as_str() {
                "Bool" => Ok(Sort::Bool),
                "Int" => Ok(Sort::Int),
                "Real" => Ok(Sort::Real),
                _ => self.sorts.get(name).copied().ok_or_else(unknown),
            },
            _ => Err(unknown()),
        }
    }
}

pub(super) fn symbol(expression: &Sexpr) -> Result<String, NoVerdict> {
    let name = expression.symbol().map(str::to_owned);
    name.ok_or_else(|| not_supported("where a name is expected", expression))
}

/// What `z3` may know and this does not; only the beginning of a long expression is quoted.
pub(super) fn not_supported(what: &str, expression: &Sexpr) -> NoVerdict {
    NoVerdict(format!("not supported: {what} `{}`", expression.short()))
}
