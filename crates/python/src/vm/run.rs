//! The loop over instructions.
//!
//! [`Vm::execute`] has the instructions that programs spend their time in; [`Vm::rare`] and what it calls have the others.
//! An error from any of them goes to the innermost block of the frame, or out of it.
use super::{Frame, PyResult, Raise, Vm};
use crate::{
    ast::{BinOp, CompareOp, UnaryOp},
    code::Op,
    value::{Args, IterState, Value},
};
use std::rc::Rc;

/// Why a frame stops.
pub(crate) enum Exit {
    Return(Value),
    Yield(Value),
}

impl Vm {
    /// Runs a frame until it returns, yields or an exception leaves it.
    pub(crate) fn run(&self, frame: &mut Frame) -> PyResult<Exit> {
        let handled = self.handled.borrow().len();
        self.handled
            .borrow_mut()
            .extend(frame.handled.iter().cloned());
        let result = loop {
            match self.execute(frame) {
                Ok(exit) => break Ok(exit),
                Err(raise) => {
                    if !frame.unwind(self, &raise) {
                        break Err(raise);
                    }
                }
            }
        };
        self.handled.borrow_mut().truncate(handled);
        result
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each of the instructions that must be quick"
    )]
    fn execute(&self, frame: &mut Frame) -> PyResult<Exit> {
        let code = frame.code.clone();
        let linked = self.linked(&code);
        loop {
            let Some(op) = code.ops.get(frame.next) else {
                return Ok(Exit::Return(Value::None));
            };
            frame.next += 1;
            match *op {
                Op::Const(at) => {
                    let value = linked.constants.get(at as usize).cloned();
                    frame.push(value.unwrap_or(Value::None));
                }
                Op::LoadLocal(at) => match frame.locals.get(at as usize) {
                    Some(Value::Unbound) | None => return Err(self.unbound_local(frame, at)),
                    Some(value) => {
                        let value = value.clone();
                        frame.push(value);
                    }
                },
                Op::StoreLocal(at) => {
                    let value = frame.pop();
                    if let Some(local) = frame.locals.get_mut(at as usize) {
                        let old = std::mem::replace(local, value);
                        drop(old);
                    }
                }
                Op::LoadGlobal(at) | Op::LoadName(at) => {
                    let name = &linked.names[at as usize];
                    let own = match op {
                        Op::LoadName(_) => frame.namespace.as_ref().and_then(|n| n.get_str(name)),
                        _ => None,
                    };
                    let value = own
                        .or_else(|| frame.globals.get_str(name))
                        .or_else(|| self.builtins.get_str(name));
                    match value {
                        Some(value) => frame.push(value),
                        None => return Err(self.no_name(name)),
                    }
                }
                Op::StoreName(at) => {
                    let value = frame.pop();
                    let name = &linked.names[at as usize];
                    if let Some(told) = frame.told.clone() {
                        self.set_item(&told, &Value::Str(name.clone()), value)?;
                        continue;
                    }
                    let names = frame.namespace.as_ref().unwrap_or(&frame.globals);
                    names.set_str(name, value);
                }
                Op::Pop => drop(frame.pop()),
                Op::Binary(op) => {
                    let (b, a) = (frame.pop(), frame.pop());
                    let value = match quick(op, &a, &b) {
                        Some(value) => value,
                        None => self.binary(op, &a, &b)?,
                    };
                    frame.push(value);
                }
                Op::InPlace(op) => {
                    let (b, a) = (frame.pop(), frame.pop());
                    let value = match quick(op, &a, &b) {
                        Some(value) => value,
                        None => self.in_place(op, a, &b)?,
                    };
                    frame.push(value);
                }
                Op::Compare(op) => {
                    let (b, a) = (frame.pop(), frame.pop());
                    let value = match quick_compare(op, &a, &b) {
                        Some(value) => Value::Bool(value),
                        None => self.compare(op, &a, &b)?,
                    };
                    frame.push(value);
                }
                Op::Unary(UnaryOp::Not) => {
                    let value = frame.pop();
                    frame.push(Value::Bool(!self.truth(&value)?));
                }
                Op::Jump(target) => frame.next = target as usize,
                Op::JumpIfFalse(target) => {
                    let value = frame.pop();
                    if !self.truth(&value)? {
                        frame.next = target as usize;
                    }
                }
                Op::JumpIfTrue(target) => {
                    let value = frame.pop();
                    if self.truth(&value)? {
                        frame.next = target as usize;
                    }
                }
                Op::ForIter(target) => match self.step(frame)? {
                    Some(value) => frame.push(value),
                    None => {
                        frame.pop();
                        frame.next = target as usize;
                    }
                },
                Op::LoadIndex => {
                    let (index, object) = (frame.pop(), frame.pop());
                    frame.push(self.get_item(&object, &index)?);
                }
                Op::StoreIndex => {
                    let (index, object) = (frame.pop(), frame.pop());
                    let value = frame.pop();
                    self.set_item(&object, &index, value)?;
                }
                Op::LoadAttribute(at) => {
                    let object = frame.pop();
                    frame.push(self.get_attribute(&object, &linked.names[at as usize])?);
                }
                Op::LoadMethod(at) => {
                    let object = frame.pop();
                    let (function, receiver) =
                        self.get_method(object, &linked.names[at as usize])?;
                    frame.push(function);
                    frame.push(receiver);
                }
                Op::CallMethod(count) => {
                    let mut args = frame.pop_many(count);
                    let (receiver, function) = (frame.pop(), frame.pop());
                    if !receiver.is_unbound() {
                        args.insert(0, receiver);
                    }
                    frame.push(self.call_from(frame, &function, Args::positional(args))?);
                }
                Op::Call(count) => {
                    let args = frame.pop_many(count);
                    let function = frame.pop();
                    frame.push(self.call_from(frame, &function, Args::positional(args))?);
                }
                Op::Return => return Ok(Exit::Return(frame.pop())),
                Op::Yield => return Ok(Exit::Yield(frame.pop())),
                Op::YieldFrom => {
                    if let Some(value) = self.delegate(frame)? {
                        return Ok(Exit::Yield(value));
                    }
                }
                op => self.rare(frame, op)?,
            }
        }
    }

    /// The next value of the iterator on top.
    fn step(&self, frame: &Frame) -> PyResult<Option<Value>> {
        match frame.stack.last() {
            Some(Value::Iter(iter)) => {
                if let Ok(mut state) = iter.state.try_borrow_mut()
                    && let IterState::Range { next, left, step } = &mut *state
                {
                    if *left == 0 {
                        return Ok(None);
                    }
                    let value = *next;
                    *left -= 1;
                    *next = value.wrapping_add(*step);
                    return Ok(Some(Value::Int(value)));
                }
                self.next_native(iter)
            }
            Some(other) => {
                let iterator = other.clone();
                self.next(&iterator)
            }
            None => Ok(None),
        }
    }

    fn rare(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::Dup => frame.push(frame.peek(0)),
            Op::Dup2 => {
                let (a, b) = (frame.peek(1), frame.peek(0));
                frame.push(a);
                frame.push(b);
            }
            Op::Rot2 => rotate(frame, 2),
            Op::Rot3 => rotate(frame, 3),
            Op::JumpIfFalseKeep(target) => {
                if self.truth(&frame.peek(0))? {
                    frame.pop();
                } else {
                    frame.next = target as usize;
                }
            }
            Op::JumpIfTrueKeep(target) => {
                if self.truth(&frame.peek(0))? {
                    frame.next = target as usize;
                } else {
                    frame.pop();
                }
            }
            Op::Unary(op) => {
                let value = frame.pop();
                frame.push(self.unary(op, &value)?);
            }
            Op::GetIter => {
                let value = frame.pop();
                frame.push(self.iter(&value)?);
            }
            Op::Unpack(count) => {
                let value = frame.pop();
                let values = self.unpack(&value, count as usize, None)?;
                frame.stack.extend(values.into_iter().rev());
            }
            Op::UnpackStar { before, after } => {
                let value = frame.pop();
                let values = self.unpack(&value, before.into(), Some(after.into()))?;
                frame.stack.extend(values.into_iter().rev());
            }
            Op::StoreAttribute(at) => {
                let (object, value) = (frame.pop(), frame.pop());
                let name = self.name_of(frame, at);
                self.set_attribute(&object, &name, value)?;
            }
            Op::DeleteAttribute(at) => {
                let object = frame.pop();
                self.delete_attribute(&object, &self.name_of(frame, at))?;
            }
            Op::DeleteIndex => {
                let (index, object) = (frame.pop(), frame.pop());
                self.delete_item(&object, &index)?;
            }
            Op::CallKeywords(count) => {
                let names = frame.pop();
                let values = frame.pop_many(count);
                let function = frame.pop();
                let args = self.with_names(values, &names);
                frame.push(self.call_from(frame, &function, args)?);
            }
            Op::CallSpread => {
                let (keywords, list) = (frame.pop(), frame.pop());
                let function = frame.pop();
                let args = self.spread(&list, &keywords)?;
                frame.push(self.call_from(frame, &function, args)?);
            }
            _ => self.rarer(frame, op)?,
        }
        Ok(())
    }

    fn rarer(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::DeleteLocal(_)
            | Op::LoadCell(_)
            | Op::StoreCell(_)
            | Op::DeleteCell(_)
            | Op::LoadClassCell(_)
            | Op::StoreGlobal(_)
            | Op::DeleteGlobal(_)
            | Op::DeleteName(_)
            | Op::StoreAnnotation(_) => self.variable(frame, op),
            Op::BuildSlice
            | Op::BuildList(_)
            | Op::BuildTuple(_)
            | Op::BuildSet(_)
            | Op::BuildDict(_)
            | Op::BuildString(_)
            | Op::ListAppend(_)
            | Op::SetAdd(_)
            | Op::DictAdd(_)
            | Op::ListExtend
            | Op::SetUpdate
            | Op::DictUpdate
            | Op::DictMerge
            | Op::ListToTuple
            | Op::Format { .. } => self.build(frame, op),
            Op::MatchSequence(_)
            | Op::MatchSequenceMin(_)
            | Op::MatchMapping
            | Op::MatchKey
            | Op::MatchRest
            | Op::MatchClass(_) => self.match_pattern(frame, op),
            Op::MakeFunction { code, flags } => self.make_function(frame, code, flags),
            Op::BuildClass(code) => {
                let (keywords, bases) = (frame.pop(), frame.pop());
                let class = self.build_class(frame, code, &bases, &keywords)?;
                frame.push(class);
                Ok(())
            }
            Op::GetYieldFromIter => {
                let value = frame.pop();
                frame.push(self.iter(&value)?);
                Ok(())
            }
            Op::Import(_) | Op::ImportLeaf(_) | Op::ImportFrom(_) | Op::ImportStar => {
                self.import_op(frame, op)
            }
            _ => self.exceptional(frame, op),
        }
    }

    fn variable(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::DeleteLocal(at) => {
                let empty = |local: &Value| local.is_unbound();
                if frame.locals.get(at as usize).is_none_or(empty) {
                    return Err(self.unbound_local(frame, at));
                }
                frame.locals[at as usize] = Value::Unbound;
            }
            Op::LoadCell(at) => {
                let value = cell(frame, at);
                if value.is_unbound() {
                    return Err(self.unbound_cell(frame, at));
                }
                frame.push(value);
            }
            Op::StoreCell(at) => {
                let value = frame.pop();
                if let Some(cell) = frame.cells.get(at as usize) {
                    drop(cell.replace(value));
                }
            }
            Op::DeleteCell(at) => {
                if cell(frame, at).is_unbound() {
                    return Err(self.unbound_cell(frame, at));
                }
                drop(frame.cells[at as usize].replace(Value::Unbound));
            }
            Op::LoadClassCell(at) => {
                let name = self.linked(&frame.code).cells.get(at as usize).cloned();
                let own = name.zip(frame.namespace.as_ref());
                let own = own.and_then(|(name, namespace)| namespace.get_str(&name));
                let value = own.unwrap_or_else(|| cell(frame, at));
                if value.is_unbound() {
                    return Err(self.unbound_cell(frame, at));
                }
                frame.push(value);
            }
            Op::StoreGlobal(at) => {
                let value = frame.pop();
                frame.globals.set_str(&self.name_of(frame, at), value);
            }
            Op::DeleteGlobal(at) | Op::DeleteName(at) => {
                let name = self.name_of(frame, at);
                let names = match (op, &frame.namespace) {
                    (Op::DeleteName(_), Some(namespace)) => namespace,
                    _ => &frame.globals,
                };
                if names.remove_str(&name).is_none() {
                    return Err(self.no_name(&name));
                }
            }
            Op::StoreAnnotation(at) => {
                let value = frame.pop();
                let names = frame.namespace.as_ref().unwrap_or(&frame.globals);
                let annotations = match names.get_str(&self.names.annotations) {
                    Some(Value::Dict(annotations)) => annotations,
                    _ => {
                        let annotations = crate::table::Dict::new();
                        names.set_str(&self.names.annotations, Value::Dict(annotations.clone()));
                        annotations
                    }
                };
                annotations.set_str(&self.name_of(frame, at), value);
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn name_of(&self, frame: &Frame, at: u32) -> Rc<crate::text::Str> {
        self.linked(&frame.code).names[at as usize].clone()
    }

    fn no_name(&self, name: &str) -> Raise {
        self.name_error("NameError", format!("name '{name}' is not defined"), name)
    }

    fn unbound_local(&self, frame: &Frame, at: u32) -> Raise {
        let name = &frame.code.locals[at as usize];
        let message = format!(
            "cannot access local variable '{name}' where it is not associated with a value"
        );
        self.name_error("UnboundLocalError", message, name)
    }

    fn unbound_cell(&self, frame: &Frame, at: u32) -> Raise {
        let name = &frame.code.cells[at as usize];
        let own = frame.code.cells.len() - frame.code.free.len();
        if (at as usize) < own {
            let message = format!(
                "cannot access local variable '{name}' where it is not associated with a value"
            );
            return self.name_error("UnboundLocalError", message, name);
        }
        let message = format!(
            "cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        );
        self.name_error("NameError", message, name)
    }
}

fn cell(frame: &Frame, at: u32) -> Value {
    let cell = frame.cells.get(at as usize);
    cell.map_or(Value::Unbound, |cell| cell.borrow().clone())
}

/// Brings the value on top below so many less one others.
fn rotate(frame: &mut Frame, count: usize) {
    if let Some(at) = frame.stack.len().checked_sub(count) {
        frame.stack[at..].rotate_right(1);
    }
}

/// Small integers and floats, where nothing can go wrong.
#[inline]
fn quick(op: BinOp, a: &Value, b: &Value) -> Option<Value> {
    match (op, a, b) {
        (BinOp::Add, Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int),
        (BinOp::Sub, Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int),
        (BinOp::Mul, Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int),
        (BinOp::Mod, Value::Int(a), Value::Int(b)) if *a >= 0 && *b > 0 => Some(Value::Int(a % b)),
        (BinOp::FloorDiv, Value::Int(a), Value::Int(b)) if *a >= 0 && *b > 0 => {
            Some(Value::Int(a / b))
        }
        (BinOp::Add, Value::Float(a), Value::Float(b)) => Some(Value::Float(a + b)),
        (BinOp::Sub, Value::Float(a), Value::Float(b)) => Some(Value::Float(a - b)),
        (BinOp::Mul, Value::Float(a), Value::Float(b)) => Some(Value::Float(a * b)),
        _ => None,
    }
}

#[inline]
fn quick_compare(op: CompareOp, a: &Value, b: &Value) -> Option<bool> {
    match op {
        CompareOp::Is => return Some(a.is(b)),
        CompareOp::IsNot => return Some(!a.is(b)),
        _ => {}
    }
    let order = match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b)?,
        _ => return None,
    };
    match op {
        CompareOp::Eq => Some(order.is_eq()),
        CompareOp::NotEq => Some(order.is_ne()),
        CompareOp::Lt => Some(order.is_lt()),
        CompareOp::LtE => Some(order.is_le()),
        CompareOp::Gt => Some(order.is_gt()),
        CompareOp::GtE => Some(order.is_ge()),
        _ => None,
    }
}
