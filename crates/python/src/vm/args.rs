//! Arguments of native functions: so many, at most so many, or by name, with CPython's words where they do not fit.
use super::{PyResult, Vm};
use crate::{
    text::Str,
    value::{Args, Value},
};
use std::rc::Rc;

/// A value handed over by name.
pub(crate) type Keyword = (Rc<Str>, Value);
/// Arguments of a native function in the order of its parameters.
pub(crate) type Bound<const N: usize> = [Option<Value>; N];

impl Args {
    pub(crate) fn positional(positional: Vec<Value>) -> Self {
        Self {
            positional,
            keywords: Vec::new(),
        }
    }

    /// The first argument, which is `self` in methods.
    pub(crate) fn receiver(&self) -> Value {
        self.positional.first().cloned().unwrap_or(Value::None)
    }

    /// Exactly so many, without names. `name` is for messages, `N` counts `self` if it is a method's.
    pub(crate) fn exactly<const N: usize>(self, vm: &Vm, name: &str) -> PyResult<[Value; N]> {
        self.no_keywords(vm, name)?;
        let given = self.positional.len();
        self.positional.try_into().map_err(|_| {
            let message = match N {
                0 => format!("{name}() takes no arguments ({given} given)"),
                1 => format!("{name}() takes exactly one argument ({given} given)"),
                _ => format!("{name} expected {N} arguments, got {given}"),
            };
            vm.type_error(message)
        })
    }

    /// Of a method: `self` and exactly so many less one.
    pub(crate) fn method<const N: usize>(self, vm: &Vm, name: &str) -> PyResult<[Value; N]> {
        self.no_keywords(vm, name)?;
        let given = self.positional.len().saturating_sub(1);
        self.positional.try_into().map_err(|_| {
            let message = match N {
                0 | 1 => format!("{name}() takes no arguments ({given} given)"),
                2 => format!("{name}() takes exactly one argument ({given} given)"),
                _ => format!("{name} expected {} arguments, got {given}", N - 1),
            };
            vm.type_error(message)
        })
    }

    /// From `least` to `N`, without names. Counts `self`.
    pub(crate) fn between<const N: usize>(
        self,
        vm: &Vm,
        name: &str,
        least: usize,
    ) -> PyResult<Bound<N>> {
        self.no_keywords(vm, name)?;
        let given = self.positional.len();
        if given < least || given > N {
            let (bound, wanted) = match given < least {
                true => ("at least", least),
                false => ("at most", N),
            };
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("{name} expected {bound} {wanted} argument{plural}, got {given}");
            return Err(vm.type_error(message));
        }
        let mut values = self.positional.into_iter();
        Ok(std::array::from_fn(|_| values.next()))
    }

    /// By these parameter names, of which the first `least` must be given; an empty name is positional only.
    pub(crate) fn bind<const N: usize>(
        self,
        vm: &Vm,
        function: &str,
        parameters: [&str; N],
        least: usize,
    ) -> PyResult<Bound<N>> {
        let given = self.positional.len();
        if given > N {
            let plural = if N == 1 { "" } else { "s" };
            let message =
                format!("{function}() takes at most {N} argument{plural} ({given} given)");
            return Err(vm.type_error(message));
        }
        let mut values = self.positional.into_iter();
        let mut bound: Bound<N> = std::array::from_fn(|_| values.next());
        for (name, value) in self.keywords {
            let at = parameters
                .iter()
                .position(|parameter| !parameter.is_empty() && **parameter == **name);
            let Some(at) = at else {
                let message = format!("'{name}' is an invalid keyword argument for {function}()");
                return Err(vm.type_error(message));
            };
            if bound[at].replace(value).is_some() {
                let message = format!(
                    "argument for {function}() given by name ('{name}') and position ({})",
                    at + 1
                );
                return Err(vm.type_error(message));
            }
        }
        if let Some(at) = bound[..least.min(N)].iter().position(Option::is_none) {
            let message = format!(
                "{function}() missing required argument '{}' (pos {})",
                parameters[at],
                at + 1
            );
            return Err(vm.type_error(message));
        }
        Ok(bound)
    }

    pub(crate) fn no_keywords(&self, vm: &Vm, name: &str) -> PyResult<()> {
        match self.keywords.is_empty() {
            true => Ok(()),
            false => Err(vm.type_error(format!("{name}() takes no keyword arguments"))),
        }
    }
}
