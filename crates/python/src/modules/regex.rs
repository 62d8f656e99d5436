//! `_re`: patterns to programs, and programs run on texts. The library module `re` makes objects of what this gives.
//!
//! `compile(pattern, flags)` gives `(program, flags, groups, names)`, or `(None, kind, message, position)` if it is no
//! pattern. A match is a tuple: where each group begins and ends, -1 for one that took no part, and in the end the number of
//! the group that was closed last or -1. Patterns and texts of bytes are left out.
mod character;
mod escape;
mod group;
mod matcher;
mod parse;
mod program;
mod source;
mod template;
mod tree;

use crate::{
    builtins::function,
    class::Class,
    table::Dict,
    text::Str,
    value::{Args, Instance, Payload, Value},
    vm::{PyResult, Vm},
};
use matcher::{Matcher, Mode, NOTHING, Text, TooMuch};
use program::Program;
use std::rc::Rc;
use tree::{Failure, FailureKind};

/// So many numbers all matches of a text may have together.
const MOST_NUMBERS: usize = 20_000_000;

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    let class = vm.types.native_class("Program");
    function(vm, names, "compile", move |vm, args| {
        compile(vm, &class, args)
    });
    function(vm, names, "find", find);
    function(vm, names, "find_all", find_all);
    function(vm, names, "texts", texts);
    function(vm, names, "template", template);
    Ok(())
}

fn compile(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    let [pattern, flags] = args.exactly(vm, "compile")?;
    let pattern = text_of(vm, &pattern)?;
    let flags = u32::try_from(vm.small_integer(&flags)?).unwrap_or(0);
    let made = parse::parse(&pattern, flags).and_then(|tree| Ok((program::compile(&tree)?, tree)));
    let (program, tree) = match made {
        Ok(made) => made,
        Err(failure) => return Ok(refusal(failure)),
    };
    let groups = Value::size(program.groups - 1);
    let name = |(name, group): (String, u32)| {
        Value::tuple(vec![Value::str(name), Value::Int(group.into())])
    };
    let names = tree.names.into_iter().map(name).collect();
    let program = Instance::new(class.clone(), Payload::Native(Box::new(program)));
    Ok(Value::tuple(vec![
        Value::Instance(program),
        Value::Int(tree.flags.into()),
        groups,
        Value::list(names),
    ]))
}

/// What the library makes an exception of.
fn refusal(failure: Failure) -> Value {
    let kind = match failure.kind {
        FailureKind::Pattern => "error",
        FailureKind::Overflow => "OverflowError",
        FailureKind::Recursion => "RecursionError",
        FailureKind::Value => "ValueError",
        FailureKind::Index => "IndexError",
    };
    let position = failure.position.map_or(Value::None, Value::size);
    Value::tuple(vec![
        Value::None,
        Value::str(kind),
        Value::str(failure.message),
        position,
    ])
}

fn text_of(vm: &Vm, value: &Value) -> PyResult<Rc<Str>> {
    match value.plain() {
        Value::Str(text) => Ok(text.clone()),
        _ => Err(vm.type_error("a text is needed")),
    }
}

/// A program, a text, and the part of the text that counts.
struct Task {
    program: Rc<Instance>,
    text: Rc<Str>,
    start: usize,
    end: usize,
}

impl Task {
    fn new(vm: &Vm, values: [&Value; 4]) -> PyResult<Self> {
        let [program, text, start, end] = values;
        let Value::Instance(program) = program else {
            return Err(vm.type_error("a program is needed"));
        };
        let text = text_of(vm, text)?;
        let place =
            |value: &Value| PyResult::Ok(usize::try_from(vm.small_integer(value)?).unwrap_or(0));
        let end = place(end)?.min(text.chars_len());
        Ok(Self {
            program: program.clone(),
            start: place(start)?,
            end,
            text,
        })
    }

    fn program(&self, vm: &Vm) -> PyResult<&Program> {
        let program = self.program.native::<Program>();
        program.ok_or_else(|| vm.type_error("a program is needed"))
    }
}

/// `find(program, text, start, end, mode)`: a match or `None`. The modes are 0 at the start, 1 anywhere, 2 all of it.
fn find(vm: &Vm, args: Args) -> PyResult {
    let [program, text, start, end, mode] = args.exactly(vm, "find")?;
    let task = Task::new(vm, [&program, &text, &start, &end])?;
    let mode = match mode {
        Value::Int(0) => Mode::Match,
        Value::Int(1) => Mode::Search,
        _ => Mode::Full,
    };
    let text = Text::new(&task.text).map_err(|TooMuch| vm.memory_error())?;
    let mut matcher = Matcher::new(task.program(vm)?, &text, task.end, mode);
    let found = matcher.find(task.start, false);
    let found = found.map_err(|TooMuch| vm.memory_error())?;
    Ok(found.map_or(Value::None, numbers))
}

fn numbers(registers: &[u32]) -> Value {
    let number = |register: &u32| match *register {
        NOTHING => Value::Int(-1),
        place => Value::Int(place.into()),
    };
    Value::tuple(registers.iter().map(number).collect())
}

/// All matches from left to right, each handed to `keep`. After an empty match, the next may begin at the same place but
/// not be empty.
fn each(vm: &Vm, task: &Task, most: usize, mut keep: impl FnMut(&[u32])) -> PyResult<()> {
    let text = Text::new(&task.text).map_err(|TooMuch| vm.memory_error())?;
    let mut matcher = Matcher::new(task.program(vm)?, &text, task.end, Mode::Search);
    let (mut start, mut not_empty, mut kept) = (task.start, false, 0);
    for _ in 0..most {
        let found = matcher.find(start, not_empty);
        let Some(registers) = found.map_err(|TooMuch| vm.memory_error())? else {
            break;
        };
        kept += registers.len();
        if kept > MOST_NUMBERS {
            return Err(vm.memory_error());
        }
        keep(registers);
        if let [from, to, ..] = registers {
            not_empty = from == to;
            start = *to as usize;
        }
    }
    Ok(())
}

/// `find_all(program, text, start, end, most)`: a list of matches; no more than `most` unless that is 0.
fn find_all(vm: &Vm, args: Args) -> PyResult {
    let [program, text, start, end, most] = args.exactly(vm, "find_all")?;
    let task = Task::new(vm, [&program, &text, &start, &end])?;
    let most = match vm.small_integer(&most)? {
        0 => usize::MAX,
        most => usize::try_from(most).unwrap_or(0),
    };
    let mut found = Vec::new();
    each(vm, &task, most, |registers| found.push(numbers(registers)))?;
    Ok(Value::list(found))
}

/// `texts(program, text, start, end)`: what `findall` gives.
fn texts(vm: &Vm, args: Args) -> PyResult {
    let [program, text, start, end] = args.exactly(vm, "texts")?;
    let task = Task::new(vm, [&program, &text, &start, &end])?;
    // Where each character begins, to cut texts that are not ASCII.
    let starts: Vec<usize> = match task.text.is_plain() {
        true => Vec::new(),
        false => task.text.char_indices().map(|(at, _)| at).collect(),
    };
    let whole: &str = &task.text;
    let byte = |at: u32| match task.text.is_plain() {
        true => at as usize,
        false => starts.get(at as usize).copied().unwrap_or(whole.len()),
    };
    let cut = |pair: &[u32]| match pair {
        [from, to] if *to != NOTHING && from <= to => {
            Value::str(whole.get(byte(*from)..byte(*to)).unwrap_or(""))
        }
        _ => Value::str(""),
    };
    let mut found = Vec::new();
    each(vm, &task, usize::MAX, |registers| {
        let mut groups = registers.chunks_exact(2);
        found.push(match registers.len() / 2 {
            1 => groups.next().map_or(Value::None, cut),
            2 => groups.nth(1).map_or(Value::None, cut),
            _ => Value::tuple(groups.skip(1).map(cut).collect()),
        });
    })?;
    Ok(Value::list(found))
}

/// `template(text, groups, names)`: a list of texts and numbers of groups, or as of `compile` why it is no template.
fn template(vm: &Vm, args: Args) -> PyResult {
    let [text, groups, names] = args.exactly(vm, "template")?;
    let text = text_of(vm, &text)?;
    let groups = u32::try_from(vm.small_integer(&groups)?).unwrap_or(0);
    let Value::Dict(names) = names else {
        return Err(vm.type_error("a dictionary is needed"));
    };
    let known = |name: &str| match names.get_str(&vm.intern(name)) {
        Some(Value::Int(group)) => u32::try_from(group).ok(),
        _ => None,
    };
    Ok(match template::parse(&text, groups, known) {
        Ok(pieces) => Value::list(
            pieces
                .into_iter()
                .map(|piece| match piece {
                    template::Piece::Text(text) => Value::str(text),
                    template::Piece::Group(group) => Value::Int(group.into()),
                })
                .collect(),
        ),
        Err(failure) => refusal(failure),
    })
}
