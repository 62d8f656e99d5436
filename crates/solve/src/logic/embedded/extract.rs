//! What the gates and the reals hold after a search → a [`Model`].
use super::{
    super::{
        problem::Unsupported,
        term::{Op, Sort, TermId},
        value::{Meant, Model, Value, default_value},
    },
    encode::{Code, Encoder},
    linear::Linear,
};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;

impl Encoder<'_> {
    /// The model that the gates and the reals hold now.
    pub(super) fn model(&mut self) -> Result<Model, Unsupported> {
        let symbols = self.problem.symbols.len();
        let universe = |(index, name): (usize, &String)| {
            (0..self.sizes[index])
                .map(|n| format!("{name}!val!{n}"))
                .collect()
        };
        let mut model = Model {
            universes: self.problem.free.iter().enumerate().map(universe).collect(),
            symbols: vec![None; symbols],
            ..Model::default()
        };
        for id in self.applications.clone() {
            let Op::Apply(symbol) = *self.problem.terms.op(id) else {
                continue;
            };
            let args = self.problem.terms.args(id).to_vec();
            let args = args
                .iter()
                .map(|arg| self.value(*arg))
                .collect::<Result<Vec<_>, _>>()?;
            let value = self.value(id)?;
            let slot = &mut model.symbols[symbol as usize];
            let other = || Meant::Table(BTreeMap::new(), value.clone());
            if let Meant::Table(entries, _) = slot.get_or_insert_with(other) {
                entries.insert(args, value);
            }
        }
        for index in 0..symbols {
            let sort = self.problem.symbols[index].sort;
            if !self.problem.symbols[index].args.is_empty() && model.symbols[index].is_none() {
                model.symbols[index] = Some(Meant::Table(BTreeMap::new(), default_value(sort)));
            }
        }
        Ok(model)
    }

    fn value(&mut self, id: TermId) -> Result<Value, Unsupported> {
        if self.problem.terms.sort(id) == Sort::Real {
            let linear = Linear::of(&self.problem.terms, id);
            let mut sum = linear.constant.clone();
            for (part, factor) in &linear.parts {
                let value = match self.problem.terms.sort(*part) {
                    Sort::Real => self.reals.value(*part),
                    _ => match self.value(*part)? {
                        Value::Number(number) => number,
                        _ => return Err(Unsupported("a number that is none".into())),
                    },
                };
                sum += factor * value;
            }
            return Ok(Value::Number(sum));
        }
        Ok(match self.code(id)? {
            Code::Truth(lit) => Value::Bool(self.gates.value(lit)),
            Code::Number(number) => {
                let mut value = BigInt::zero();
                let last = number.bits.len() - 1;
                for (at, bit) in number.bits.iter().enumerate() {
                    if self.gates.value(*bit) {
                        let weight = BigInt::from(1) << at;
                        value += if at == last { -weight } else { weight };
                    }
                }
                Value::Number(BigRational::from_integer(value))
            }
            Code::Bits(bits) => {
                let mut value = BigUint::zero();
                for (at, bit) in bits.iter().enumerate() {
                    value.set_bit(at as u64, self.gates.value(*bit));
                }
                match self.problem.terms.sort(id) {
                    Sort::Bits(_) => Value::Bits(value),
                    _ => Value::Element(value.to_u32().unwrap_or(0)),
                }
            }
            Code::Real => return Err(Unsupported("a real in another place".into())),
        })
    }
}
