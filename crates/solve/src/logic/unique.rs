//! Is a model the only one? The formula that says "something is different", for a second question.
//!
//! Different means: another value of a constant, or of a function where the assertions use it (everywhere, if its
//! arguments are few). Elements of free sorts have no names of their own: there, only which terms are equal counts.
use super::{
    model,
    problem::Problem,
    sexpr,
    term::{Op, Sort, TermId},
    value::{Model, Value, Valuer},
};
use std::collections::BTreeSet;

/// Most values of a function that are compared.
const MOST_VALUES: usize = 600;
/// Most terms of a free sort whose pairs are compared.
const MOST_PAIRED: usize = 60;

/// The assertion that some value differs from `model`, added to `problem`. `None` if a value is not known exactly.
pub(super) fn other(problem: &mut Problem, model: &Model) -> Option<TermId> {
    let mut differences = Vec::new();
    let mut elements = Vec::new();
    for id in points(problem) {
        match problem.terms.sort(id) {
            Sort::Free(_) => elements.push(id),
            sort => {
                let value = Valuer::new(problem, model).value(id).ok()?;
                let value = constant(problem, &value, sort);
                let equal = problem.terms.eq(id, value);
                differences.push(problem.terms.not(equal));
            }
        }
    }
    elements.truncate(MOST_PAIRED);
    for (at, a) in elements.iter().enumerate() {
        for b in &elements[..at] {
            if problem.terms.sort(*a) != problem.terms.sort(*b) {
                continue;
            }
            let equal = problem.terms.eq(*a, *b);
            let truth = Valuer::new(problem, model).value(equal).ok()?;
            let same = truth == Value::Bool(true);
            differences.push(if same {
                problem.terms.not(equal)
            } else {
                equal
            });
        }
    }
    Some(problem.terms.or(differences))
}

/// Terms whose values make up a model.
fn points(problem: &mut Problem) -> BTreeSet<TermId> {
    let mut points = BTreeSet::new();
    let mut used = BTreeSet::new();
    for id in problem.terms.below(&problem.asserted) {
        if let Op::Apply(symbol) = problem.terms.op(id) {
            used.insert(*symbol);
            if !problem.terms.is_open(id) {
                points.insert(id);
            }
        }
    }
    for symbol in used {
        points.extend(everywhere(problem, symbol));
    }
    points
}

/// A function at all arguments, if they are few.
fn everywhere(problem: &mut Problem, symbol: u32) -> Vec<TermId> {
    let declared = problem.symbols[symbol as usize].clone();
    let mut tuples: Vec<Vec<TermId>> = vec![Vec::new()];
    for sort in &declared.args {
        let values: Vec<_> = match sort {
            Sort::Bool => vec![problem.terms.bool(false), problem.terms.bool(true)],
            Sort::Enum(index) => {
                let count = problem.enums[*index as usize].1.len() as u32;
                (0..count)
                    .map(|n| problem.terms.make(Op::Element(n), Vec::new(), *sort))
                    .collect()
            }
            _ => return Vec::new(),
        };
        if tuples.len() * values.len() > MOST_VALUES {
            return Vec::new();
        }
        tuples = tuples
            .iter()
            .flat_map(|tuple| {
                values
                    .iter()
                    .map(|value| [tuple.clone(), vec![*value]].concat())
            })
            .collect();
    }
    let apply = |tuple| problem.terms.make(Op::Apply(symbol), tuple, declared.sort);
    tuples.into_iter().map(apply).collect()
}

fn constant(problem: &mut Problem, value: &Value, sort: Sort) -> TermId {
    match value {
        Value::Bool(truth) => problem.terms.bool(*truth),
        Value::Number(number) => problem.terms.number(number.clone(), sort),
        Value::Element(index) => problem.terms.make(Op::Element(*index), Vec::new(), sort),
    }
}

/// A term without variables as SMT-LIB text.
pub(super) fn to_smtlib(problem: &Problem, id: TermId) -> Option<String> {
    let terms = &problem.terms;
    let term = terms.term(id);
    let args: Vec<String> = term
        .args
        .iter()
        .map(|arg| to_smtlib(problem, *arg))
        .collect::<Option<_>>()?;
    let call = |head: &str| Some(format!("({head} {})", args.join(" ")));
    match &term.op {
        Op::True => Some("true".into()),
        Op::False => Some("false".into()),
        Op::Number(value) => Some(model::literal(&model::fraction(value), term.sort)),
        Op::Element(index) => match term.sort {
            Sort::Enum(sort) => Some(sexpr::quoted(
                problem.enums[sort as usize].1.get(*index as usize)?,
            )),
            _ => None,
        },
        Op::Apply(symbol) => {
            let name = sexpr::quoted(&problem.symbols[*symbol as usize].name);
            if args.is_empty() {
                Some(name)
            } else {
                call(&name)
            }
        }
        Op::Not => call("not"),
        Op::And => call("and"),
        Op::Or => call("or"),
        Op::Ite => call("ite"),
        Op::Eq => call("="),
        Op::Add => call("+"),
        Op::Mul => call("*"),
        Op::Divide => call("/"),
        Op::Div => call("div"),
        Op::Mod => call("mod"),
        Op::Power => call("^"),
        Op::Le => call("<="),
        Op::Lt => call("<"),
        Op::ToReal => call("to_real"),
        Op::ToInt => call("to_int"),
        Op::Var(_) | Op::Forall(_) | Op::Exists(_) => None,
    }
}
