//! `str.format` and `format_map`: a text with fields in braces.
//!
//! A field is a name or number, steps from there (`.attribute`, `[index]`), a conversion and a specification, which may hold
//! fields itself. Errors are found in the order in which CPython finds them: what stands before one has been formatted.
use super::{LONGEST, receiver, text_of};
use crate::{
    builtins::method,
    number::decimal_digit,
    text::{Str, only_ascii},
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

/// How deep specifications may hold fields.
const DEPTH: usize = 2;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.str_;
    method(vm, class, "format", |vm, args| {
        let (text, args) = receiver(args);
        let source = Source::Arguments(args);
        Template {
            vm,
            source,
            numbering: Numbering::Open,
        }
        .fill(&text)
    });
    method(vm, class, "format_map", |vm, args| {
        let [text, mapping] = args.method(vm, "str.format_map")?;
        let source = Source::Mapping(mapping);
        Template {
            vm,
            source,
            numbering: Numbering::Open,
        }
        .fill(&text_of(&text))
    });
}

/// Where values come from.
enum Source {
    Arguments(Args),
    Mapping(Value),
}

/// Fields are numbered by the program or by counting, never both.
enum Numbering {
    Open,
    Counted(usize),
    Given,
}

struct Template<'a> {
    vm: &'a Vm,
    source: Source,
    numbering: Numbering,
}

/// What stands in a pair of braces.
struct Field<'a> {
    name: &'a str,
    conversion: Option<char>,
    spec: &'a str,
    /// The specification has braces.
    nested: bool,
}

impl Template<'_> {
    fn fill(&mut self, text: &str) -> PyResult {
        self.expand(text, DEPTH).map(Value::str)
    }

    fn expand(&mut self, text: &str, depth: usize) -> PyResult<String> {
        if depth == 0 {
            return Err(self.vm.value_error("Max string recursion exceeded"));
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (plain, from) = rest.split_at(at);
            out.push_str(plain);
            let (brace, behind) = from.split_at(1);
            if behind.starts_with(brace) {
                out.push_str(brace);
                rest = behind.split_at(1).1;
                continue;
            }
            if brace == "}" || behind.is_empty() {
                let message = format!("Single '{brace}' encountered in format string");
                return Err(self.vm.value_error(message));
            }
            let (field, behind) =
                parse_field(behind).map_err(|message| self.vm.value_error(message))?;
            out.push_str(&self.field(&field, depth)?);
            if out.len() > LONGEST {
                return Err(self.vm.memory_error());
            }
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn field(&mut self, field: &Field, depth: usize) -> PyResult<Rc<Str>> {
        let mut value = self.value(field.name)?;
        if let Some(conversion) = field.conversion {
            value = self.converted(&value, conversion)?;
        }
        match field.nested {
            true => {
                let spec = self.expand(field.spec, depth - 1)?;
                self.vm.format(&value, &spec)
            }
            false => self.vm.format(&value, field.spec),
        }
    }

    fn converted(&self, value: &Value, conversion: char) -> PyResult {
        match conversion {
            'r' => self.vm.repr(value).map(Value::Str),
            's' => self.vm.str(value).map(Value::Str),
            'a' => Ok(Value::str(&*only_ascii(&self.vm.repr(value)?))),
            '!'..='~' => {
                let message = format!("Unknown conversion specifier {conversion}");
                Err(self.vm.value_error(message))
            }
            other => {
                let message = format!("Unknown conversion specifier \\x{:x}", u32::from(other));
                Err(self.vm.value_error(message))
            }
        }
    }

    /// The value of a field's name, all steps taken.
    fn value(&mut self, name: &str) -> PyResult {
        let (first, mut steps) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        let mut value = self.first(first)?;
        while let Some(kind) = steps.chars().next() {
            let behind = steps.split_at(kind.len_utf8()).1;
            value = match kind {
                '.' => {
                    let end = behind.find(['.', '[']).unwrap_or(behind.len());
                    let (attribute, rest) = behind.split_at(end);
                    steps = rest;
                    self.not_empty(attribute)?;
                    self.vm.attribute(&value, attribute)?
                }
                '[' => {
                    let Some((index, rest)) = behind.split_once(']') else {
                        return Err(self.vm.value_error("Missing ']' in format string"));
                    };
                    steps = rest;
                    let number = self.number(index)?;
                    self.not_empty(index)?;
                    let index = number.map_or_else(|| Value::str(index), Value::Int);
                    self.vm.get_item(&value, &index)?
                }
                _ => {
                    let message = "Only '.' or '[' may follow ']' in format field specifier";
                    return Err(self.vm.value_error(message));
                }
            };
        }
        Ok(value)
    }

    fn not_empty(&self, name: &str) -> PyResult<()> {
        match name.is_empty() {
            true => Err(self.vm.value_error("Empty attribute in format string")),
            false => Ok(()),
        }
    }

    /// The number that a name is, if it is one.
    fn number(&self, name: &str) -> PyResult<Option<i64>> {
        if name.is_empty() {
            return Ok(None);
        }
        let mut number = 0_i64;
        for c in name.chars() {
            let Some(digit) = decimal_digit(c) else {
                return Ok(None);
            };
            let next = number
                .checked_mul(10)
                .and_then(|n| n.checked_add(digit.into()));
            let Some(next) = next else {
                let message = "Too many decimal digits in format string";
                return Err(self.vm.value_error(message));
            };
            number = next;
        }
        Ok(Some(number))
    }

    /// The argument of this name or number; without either, the next one.
    fn first(&mut self, name: &str) -> PyResult {
        let vm = self.vm;
        let number = self.number(name)?;
        let at = match (&mut self.numbering, number) {
            (_, None) if !name.is_empty() => return self.named(name),
            (Numbering::Given, None) => {
                let message =
                    "cannot switch from manual field specification to automatic field numbering";
                return Err(vm.value_error(message));
            }
            (Numbering::Counted(_), Some(_)) => {
                let message =
                    "cannot switch from automatic field numbering to manual field specification";
                return Err(vm.value_error(message));
            }
            (Numbering::Open | Numbering::Given, Some(number)) => {
                self.numbering = Numbering::Given;
                usize::try_from(number).unwrap_or(usize::MAX)
            }
            (Numbering::Open, None) => {
                self.numbering = Numbering::Counted(1);
                0
            }
            (Numbering::Counted(next), None) => {
                *next += 1;
                *next - 1
            }
        };
        let Source::Arguments(args) = &self.source else {
            return Err(vm.value_error("Format string contains positional fields"));
        };
        args.positional.get(at).cloned().ok_or_else(|| {
            let message = format!("Replacement index {at} out of range for positional args tuple");
            vm.index_error(message)
        })
    }

    fn named(&self, name: &str) -> PyResult {
        match &self.source {
            Source::Mapping(mapping) => self.vm.get_item(mapping, &Value::str(name)),
            Source::Arguments(args) => {
                let found = args.keywords.iter().find(|(key, _)| **key == *name);
                match found {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(self.vm.key_error(Value::str(name))),
                }
            }
        }
    }
}

/// A field from behind its opening brace, and what follows its closing one; or what is wrong.
fn parse_field(text: &str) -> Result<(Field<'_>, &str), &'static str> {
    let (end, stop) = name_end(text)?;
    let (name, rest) = text.split_at(end);
    let mut rest = rest.split_at(1).1;
    let mut conversion = None;
    if stop == '}' {
        return Ok((
            Field {
                name,
                conversion,
                spec: "",
                nested: false,
            },
            rest,
        ));
    }
    if stop == '!' {
        let mut chars = rest.chars();
        conversion = chars.next();
        if conversion.is_none() {
            return Err("end of string while looking for conversion specifier");
        }
        match chars.next() {
            Some('}') => {
                let field = Field {
                    name,
                    conversion,
                    spec: "",
                    nested: false,
                };
                return Ok((field, chars.as_str()));
            }
            None | Some(':') => {}
            Some(_) => return Err("expected ':' after conversion specifier"),
        }
        rest = chars.as_str();
    }
    let (mut open, mut nested) = (1_usize, false);
    for (at, c) in rest.char_indices() {
        match c {
            '{' => {
                nested = true;
                open += 1;
            }
            '}' if open == 1 => {
                let (spec, behind) = rest.split_at(at);
                let behind = behind.split_at(1).1;
                return Ok((
                    Field {
                        name,
                        conversion,
                        spec,
                        nested,
                    },
                    behind,
                ));
            }
            '}' => open -= 1,
            _ => {}
        }
    }
    Err("unmatched '{' in format spec")
}

/// Where the name ends and by what; brackets hold anything.
fn name_end(text: &str) -> Result<(usize, char), &'static str> {
    let mut bracket = false;
    for (at, c) in text.char_indices() {
        match c {
            ']' => bracket = false,
            _ if bracket => {}
            '{' => return Err("unexpected '{' in field name"),
            '[' => bracket = true,
            '}' | ':' | '!' => return Ok((at, c)),
            _ => {}
        }
    }
    Err("expected '}' before end of string")
}
