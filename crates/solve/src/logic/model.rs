//! Models in and out: what an external solver prints → [`Model`]; a model → text for people and for the `z3` module.
//!
//! A solver defines functions by terms (`ite` over equalities); for printing they become tables.
use super::{
    budget::NoVerdict,
    parse,
    problem::{Meaning, Problem, symbol},
    sexpr::{self, Sexpr},
    term::{Op, Sort, TermId},
    value::{Meant, Model, Value, Valuer},
};
use num_rational::BigRational;
use std::collections::BTreeMap;

/// Most entries of a function that is tabulated by trying all arguments.
const MOST_ENTRIES: usize = 2000;

/// Reads the answer to `get-model`. `problem` learns the names that the solver made up.
pub(super) fn parse(problem: &mut Problem, answer: &Sexpr) -> Result<Model, NoVerdict> {
    let mut model = Model {
        universes: vec![Vec::new(); problem.free.len()],
        symbols: vec![None; problem.symbols.len()],
        ..Model::default()
    };
    let mut defined = Vec::new();
    for item in answer.list().unwrap_or_default() {
        match item.list() {
            Some([Sexpr::Symbol(word), name, _, sort]) if word == "declare-fun" => {
                let sort = problem.sort(sort)?;
                if let Sort::Free(index) = sort {
                    let universe = &mut model.universes[index as usize];
                    let element = Op::Element(universe.len() as u32);
                    universe.push(symbol(name)?);
                    let id = problem.terms.make(element, Vec::new(), sort);
                    problem.names.insert(symbol(name)?, Meaning::Value(id));
                }
            }
            Some([Sexpr::Symbol(word), name, Sexpr::List(params), sort, body])
                if word == "define-fun" =>
            {
                let (name, params) = (symbol(name)?, problem.params(params)?);
                match problem.names.get(&name) {
                    Some(Meaning::Symbol(index)) => defined.push((*index, params, body)),
                    _ => {
                        let sort = problem.sort(sort)?;
                        let meaning = Meaning::Macro(params, sort, body.clone());
                        problem.names.insert(name, meaning);
                    }
                }
            }
            _ => {}
        }
    }
    for (index, params, body) in defined {
        let meant = match digits(body) {
            Some(digits) => Meant::Digits(digits),
            None => {
                let (vars, term) = parse::function(problem, &params, body)?;
                Meant::Term(vars, fitted(problem, index, term))
            }
        };
        model.symbols[index as usize] = Some(meant);
        model.order.push(index);
    }
    Ok(model)
}

/// An Int literal where the symbol is a Real.
fn fitted(problem: &mut Problem, index: u32, id: TermId) -> TermId {
    match (
        problem.symbols[index as usize].sort,
        problem.terms.op(id).clone(),
    ) {
        (Sort::Real, Op::Number(value)) => problem.terms.number(value, Sort::Real),
        _ => id,
    }
}

/// `1.4142?` or `(- 1.4142?)`, as a solver prints irrational numbers; `root-obj` stands for one.
fn digits(body: &Sexpr) -> Option<String> {
    match body {
        Sexpr::Symbol(text)
            if text.ends_with('?') && text.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Some(text.clone())
        }
        Sexpr::List(items) => match items.as_slice() {
            [Sexpr::Symbol(minus), inner] if minus == "-" => digits(inner).map(|d| format!("-{d}")),
            [Sexpr::Symbol(word), ..] if word == "root-obj" => Some(String::new()),
            _ => None,
        },
        _ => None,
    }
}

/// A value as text: `-1/3`, `true`, `5`, the name of an element.
pub(super) fn text(problem: &Problem, model: &Model, value: &Value, sort: Sort) -> String {
    match (value, sort) {
        (Value::Bool(truth), _) => truth.to_string(),
        (Value::Number(number), _) => fraction(number),
        (Value::Element(index), Sort::Enum(sort)) => {
            let values = &problem.enums[sort as usize].1;
            values.get(*index as usize).cloned().unwrap_or_default()
        }
        (Value::Element(index), Sort::Free(sort)) => {
            let name = model
                .universes
                .get(sort as usize)
                .and_then(|u| u.get(*index as usize));
            let made = || format!("{}!val!{index}", problem.free[sort as usize]);
            name.cloned().unwrap_or_else(made)
        }
        (Value::Element(index), _) => index.to_string(),
    }
}

pub(super) fn fraction(number: &BigRational) -> String {
    if number.is_integer() {
        number.numer().to_string()
    } else {
        format!("{}/{}", number.numer(), number.denom())
    }
}

/// A symbol's interpretation as text fields: one value; or arguments and value of each entry, then the value else.
pub(super) fn fields(problem: &Problem, model: &Model, index: u32) -> Option<Vec<String>> {
    let declared = &problem.symbols[index as usize];
    let text = |value: &Value, sort: Sort| text(problem, model, value, sort);
    let meant = model.symbols.get(index as usize)?.as_ref()?;
    if declared.args.is_empty() {
        if let Meant::Digits(digits) = meant {
            return Some(vec![digits.clone()]);
        }
        let value = Valuer::new(problem, model).applied(index, &[]).ok()?;
        return Some(vec![text(&value, declared.sort)]);
    }
    let (entries, other) = match meant {
        Meant::Table(entries, other) => {
            let entries = entries
                .iter()
                .map(|(args, value)| (args.clone(), value.clone()));
            (entries.collect(), other.clone())
        }
        Meant::Term(vars, body) => table(problem, model, index, vars, *body)?,
        Meant::Digits(_) => return None,
    };
    let mut fields = Vec::new();
    for (args, value) in &entries {
        fields.extend(
            args.iter()
                .zip(&declared.args)
                .map(|(arg, sort)| text(arg, *sort)),
        );
        fields.push(text(value, declared.sort));
    }
    fields.push(text(&other, declared.sort));
    Some(fields)
}

type Table = (Vec<(Vec<Value>, Value)>, Value);

fn table(
    problem: &Problem,
    model: &Model,
    index: u32,
    vars: &[u32],
    body: TermId,
) -> Option<Table> {
    chain(problem, model, vars, body).or_else(|| tried(problem, model, index))
}

/// A chain of `ite` over equalities with values.
fn chain(problem: &Problem, model: &Model, vars: &[u32], mut body: TermId) -> Option<Table> {
    let mut valuer = Valuer::new(problem, model);
    let mut entries: Vec<(Vec<Value>, Value)> = Vec::new();
    while *problem.terms.op(body) == Op::Ite {
        let [condition, then, other] = problem.terms.args(body) else {
            return None;
        };
        let value = valuer.value(*then).ok()?;
        let cases = match problem.terms.op(*condition) {
            Op::Or => problem.terms.args(*condition).to_vec(),
            _ => vec![*condition],
        };
        for case in cases {
            let args = matched(problem, &mut valuer, vars, case)?;
            if !entries.iter().any(|(known, _)| *known == args) {
                entries.push((args, value.clone()));
            }
        }
        body = *other;
    }
    Some((entries, valuer.value(body).ok()?))
}

/// The arguments that `x = a and y = b` asks for.
fn matched(
    problem: &Problem,
    valuer: &mut Valuer<'_>,
    vars: &[u32],
    case: TermId,
) -> Option<Vec<Value>> {
    let terms = &problem.terms;
    let parts = match terms.op(case) {
        Op::And => terms.args(case).to_vec(),
        _ => vec![case],
    };
    let mut found = vec![None; vars.len()];
    for part in parts {
        let (var, value) = match (terms.op(part), terms.args(part)) {
            (Op::Eq, [a, b]) => match (terms.op(*a), terms.op(*b)) {
                (Op::Var(var), _) => (*var, valuer.value(*b).ok()?),
                (_, Op::Var(var)) => (*var, valuer.value(*a).ok()?),
                _ => return None,
            },
            // A Boolean argument is its own condition.
            (Op::Var(var), _) => (*var, Value::Bool(true)),
            (Op::Not, [a]) => match terms.op(*a) {
                Op::Var(var) => (*var, Value::Bool(false)),
                _ => return None,
            },
            _ => return None,
        };
        let at = vars.iter().position(|known| *known == var)?;
        found[at] = Some(value);
    }
    found.into_iter().collect()
}

/// All arguments, where they are finite and few; the value that is given most often is the one else.
fn tried(problem: &Problem, model: &Model, index: u32) -> Option<Table> {
    let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
    for sort in &problem.symbols[index as usize].args {
        let values: Vec<_> = match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Enum(sort) => (0..problem.enums[*sort as usize].1.len() as u32)
                .map(Value::Element)
                .collect(),
            Sort::Free(sort) => (0..model.universes[*sort as usize].len().max(1) as u32)
                .map(Value::Element)
                .collect(),
            _ => return None,
        };
        if tuples.len() * values.len() > MOST_ENTRIES {
            return None;
        }
        let longer = |tuple: &Vec<Value>| {
            let tuple = tuple.clone();
            values
                .iter()
                .map(move |value| [tuple.clone(), vec![value.clone()]].concat())
                .collect::<Vec<_>>()
        };
        tuples = tuples.iter().flat_map(longer).collect();
    }
    let mut valuer = Valuer::new(problem, model);
    let mut entries = Vec::new();
    let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
    for tuple in tuples {
        let value = valuer.applied(index, &tuple).ok()?;
        *counts.entry(value.clone()).or_default() += 1;
        entries.push((tuple, value));
    }
    let other = counts.into_iter().max_by_key(|(_, count)| *count)?.0;
    entries.retain(|(_, value)| *value != other);
    Some((entries, other))
}

/// The model as `(name, value)` in the words of z3py: `True`, `[a -> 1, else -> 2]`.
pub(super) fn named(problem: &Problem, model: &Model) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for index in &model.order {
        let declared = &problem.symbols[*index as usize];
        let Some(fields) = fields(problem, model, *index) else {
            continue;
        };
        let spoken = |text: &str, sort: Sort| match (sort, text) {
            (Sort::Bool, "true") => "True".to_owned(),
            (Sort::Bool, "false") => "False".to_owned(),
            _ => text.to_owned(),
        };
        let width = declared.args.len() + 1;
        let value = if width == 1 {
            spoken(&fields[0], declared.sort)
        } else {
            let (other, entries) = fields.split_last().expect("a value else is always there");
            let mut parts = Vec::new();
            for entry in entries.chunks(width) {
                let args: Vec<_> = entry
                    .iter()
                    .zip(&declared.args)
                    .map(|(t, s)| spoken(t, *s))
                    .collect();
                let args = if args.len() == 1 {
                    args[0].clone()
                } else {
                    format!("({})", args.join(", "))
                };
                parts.push(format!(
                    "{args} -> {}",
                    spoken(&entry[width - 1], declared.sort)
                ));
            }
            parts.push(format!("else -> {}", spoken(other, declared.sort)));
            format!("[{}]", parts.join(", "))
        };
        named.push((declared.name.clone(), value));
    }
    named
}

/// The answer to `get-model` in SMT-LIB.
pub(super) fn to_smtlib(problem: &Problem, model: &Model) -> String {
    let mut lines = vec!["(".to_owned()];
    for index in &model.order {
        let declared = &problem.symbols[*index as usize];
        let Some(fields) = fields(problem, model, *index) else {
            continue;
        };
        let name = sexpr::quoted(&declared.name);
        let literal = |text: &str, sort: Sort| literal(text, sort);
        let sort = sort_name(problem, declared.sort);
        let (other, entries) = fields.split_last().expect("a value is always there");
        let params: Vec<_> = declared
            .args
            .iter()
            .enumerate()
            .map(|(at, sort)| format!("(x!{at} {})", sort_name(problem, *sort)))
            .collect();
        let mut body = literal(other, declared.sort);
        for entry in entries.chunks(declared.args.len() + 1).rev() {
            let (value, args) = entry.split_last().expect("an entry has a value");
            let equal: Vec<_> = args
                .iter()
                .zip(&declared.args)
                .enumerate()
                .map(|(at, (arg, sort))| format!("(= x!{at} {})", literal(arg, *sort)))
                .collect();
            let condition = match equal.as_slice() {
                [one] => one.clone(),
                _ => format!("(and {})", equal.join(" ")),
            };
            body = format!("(ite {condition} {} {body})", literal(value, declared.sort));
        }
        lines.push(format!(
            "  (define-fun {name} ({}) {sort}\n    {body})",
            params.join(" ")
        ));
    }
    lines.push(")".into());
    lines.join("\n")
}

fn sort_name(problem: &Problem, sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Real => "Real".into(),
        Sort::Enum(index) => sexpr::quoted(&problem.enums[index as usize].0),
        Sort::Free(index) => sexpr::quoted(&problem.free[index as usize]),
    }
}

/// A value's text as an SMT-LIB term.
pub(super) fn literal(text: &str, sort: Sort) -> String {
    let signed = |text: &str, body: String| match text.starts_with('-') {
        true => format!("(- {body})"),
        false => body,
    };
    let plain = text.trim_start_matches('-');
    match sort {
        Sort::Int => signed(text, plain.into()),
        Sort::Real => match plain.split_once('/') {
            Some((a, b)) => signed(text, format!("(/ {a}.0 {b}.0)")),
            None if plain.ends_with('?') => signed(text, plain.into()),
            None => signed(text, format!("{plain}.0")),
        },
        Sort::Bool => text.into(),
        Sort::Enum(_) | Sort::Free(_) => sexpr::quoted(text),
    }
}
