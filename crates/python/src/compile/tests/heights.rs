//! Checks finished code by walking all its paths: the height of the stack, the blocks and the handled exceptions must be
//! the same on each path to an instruction, never negative, and all gone at a return.
use crate::code::{Code, Constant, Op};

/// What is on the stacks before an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    height: i64,
    handled: i64,
    /// Of each block the handler, and the two heights to which it cuts back.
    blocks: Vec<(u32, i64, i64)>,
}

/// Checks a code and all codes inside.
pub(super) fn check_all(code: &Code) -> Result<(), String> {
    heights(code).map_err(|error| format!("{}: {error}", code.qualname))?;
    for constant in &code.constants {
        if let Constant::Code(inner) = constant {
            check_all(inner)?;
        }
    }
    Ok(())
}

/// The height of the stack before each instruction that is reached.
pub(super) fn heights(code: &Code) -> Result<Vec<Option<i64>>, String> {
    if code.lines.len() != code.ops.len() {
        return Err("not a line for each instruction".into());
    }
    let mut states: Vec<Option<State>> = vec![None; code.ops.len()];
    let mut waiting = vec![(0, State::default())];
    while let Some((at, state)) = waiting.pop() {
        let Some(known) = states.get_mut(at) else {
            return Err(format!("runs past the end, at {at}"));
        };
        match known {
            Some(known) if *known == state => continue,
            Some(known) => return Err(format!("{at} {:?}: {known:?} and {state:?}", code.ops[at])),
            None => *known = Some(state.clone()),
        }
        let op = code.ops[at];
        let after = step(code, op, state).map_err(|error| format!("{at} {op:?}: {error}"))?;
        for (target, state) in after {
            waiting.push((target.map_or(at + 1, |target| target as usize), state));
        }
    }
    Ok(states
        .into_iter()
        .map(|state| state.map(|state| state.height))
        .collect())
}

/// The states after an instruction, each with its jump target, or none if it is the next one.
fn step(code: &Code, op: Op, mut state: State) -> Result<Vec<(Option<u32>, State)>, String> {
    let (taken, given) = effect(code, op)?;
    if state.height < taken {
        return Err(format!("takes {taken} of {}", state.height));
    }
    state.height += given - taken;
    let mut after = Vec::new();
    match op {
        Op::Jump(target) => return Ok(vec![(Some(target), state)]),
        Op::JumpIfFalse(target) | Op::JumpIfTrue(target) => {
            after.push((Some(target), state.clone()))
        }
        Op::JumpIfFalseKeep(target) | Op::JumpIfTrueKeep(target) => {
            let height = state.height + 1;
            after.push((
                Some(target),
                State {
                    height,
                    ..state.clone()
                },
            ));
        }
        Op::ForIter(target) => {
            let height = state.height - 2;
            after.push((
                Some(target),
                State {
                    height,
                    ..state.clone()
                },
            ));
        }
        Op::SetupTry(target) | Op::SetupWith(target) => {
            // Of a manager, its exit stays below the exception.
            let floor = if matches!(op, Op::SetupWith(_)) {
                state.height - 1
            } else {
                state.height
            };
            after.push((
                Some(target),
                State {
                    height: floor + 1,
                    ..state.clone()
                },
            ));
            state.blocks.push((target, floor, state.handled));
        }
        Op::PopBlock => {
            let (_, floor, handled) = state.blocks.pop().ok_or("no block")?;
            if state.height < floor || state.handled != handled {
                return Err(format!("a block of other heights: {floor}, {handled}"));
            }
        }
        Op::EnterHandler => state.handled += 1,
        Op::LeaveHandler => state.handled -= 1,
        Op::LoadHandled | Op::ExitWithException if state.handled < 1 => {
            return Err("nothing handled".into());
        }
        Op::Reraise if state.handled < 1 => return Err("nothing handled".into()),
        Op::Reraise | Op::Raise(_) => return Ok(after),
        Op::Return => {
            if state != State::default() {
                return Err(format!("leaves {state:?}"));
            }
            return Ok(after);
        }
        _ => {}
    }
    let floor = state
        .blocks
        .last()
        .map_or((0, 0), |block| (block.1, block.2));
    if state.handled < floor.1 || state.height < floor.0 {
        return Err(format!("below its block: {state:?}"));
    }
    after.push((None, state));
    Ok(after)
}

fn within<T>(table: &[T], at: u32) -> Result<&T, String> {
    table
        .get(at as usize)
        .ok_or_else(|| format!("no entry {at}"))
}

/// How many values an instruction takes and gives, where it goes on with the next one.
fn effect(code: &Code, op: Op) -> Result<(i64, i64), String> {
    Ok(match op {
        Op::Const(at) => within(&code.constants, at).map(|_| (0, 1))?,
        Op::Pop
        | Op::JumpIfFalse(_)
        | Op::JumpIfTrue(_)
        | Op::JumpIfFalseKeep(_)
        | Op::JumpIfTrueKeep(_) => (1, 0),
        Op::Dup => (1, 2),
        Op::Dup2 => (2, 4),
        Op::Rot2 => (2, 2),
        Op::Rot3 => (3, 3),
        Op::LoadLocal(at) => within(&code.locals, at).map(|_| (0, 1))?,
        Op::StoreLocal(at) => within(&code.locals, at).map(|_| (1, 0))?,
        Op::DeleteLocal(at) => within(&code.locals, at).map(|_| (0, 0))?,
        Op::LoadCell(at) | Op::LoadClassCell(at) => within(&code.cells, at).map(|_| (0, 1))?,
        Op::StoreCell(at) => within(&code.cells, at).map(|_| (1, 0))?,
        Op::DeleteCell(at) => within(&code.cells, at).map(|_| (0, 0))?,
        Op::LoadGlobal(at) | Op::LoadName(at) | Op::Import(at) | Op::ImportLeaf(at) => {
            within(&code.names, at).map(|_| (0, 1))?
        }
        Op::StoreGlobal(at) | Op::StoreName(at) | Op::StoreAnnotation(at) => {
            within(&code.names, at).map(|_| (1, 0))?
        }
        Op::DeleteGlobal(at) | Op::DeleteName(at) => within(&code.names, at).map(|_| (0, 0))?,
        Op::LoadAttribute(at) => within(&code.names, at).map(|_| (1, 1))?,
        Op::StoreAttribute(at) => within(&code.names, at).map(|_| (2, 0))?,
        Op::DeleteAttribute(at) => within(&code.names, at).map(|_| (1, 0))?,
        Op::LoadMethod(at) | Op::ImportFrom(at) => within(&code.names, at).map(|_| (1, 2))?,
        Op::ImportStar => (1, 0),
        other => match counted(other) {
            Some(effect) => effect,
            None => fixed(code, other)?,
        },
    })
}

/// Those whose operand is a count.
fn counted(op: Op) -> Option<(i64, i64)> {
    Some(match op {
        Op::Unpack(count) => (1, i64::from(count)),
        Op::UnpackStar { before, after } => (1, i64::from(before) + i64::from(after) + 1),
        Op::BuildList(count)
        | Op::BuildTuple(count)
        | Op::BuildSet(count)
        | Op::BuildString(count) => (i64::from(count), 1),
        Op::BuildDict(count) => (2 * i64::from(count), 1),
        Op::ListAppend(depth) | Op::SetAdd(depth) => (i64::from(depth) + 1, i64::from(depth)),
        Op::DictAdd(depth) => (i64::from(depth) + 2, i64::from(depth)),
        Op::Format { has_spec, .. } => (if has_spec { 2 } else { 1 }, 1),
        Op::Call(count) => (i64::from(count) + 1, 1),
        Op::CallMethod(count) | Op::CallKeywords(count) => (i64::from(count) + 2, 1),
        Op::MakeFunction { flags, .. } => (i64::from(flags.count_ones()), 1),
        Op::Raise(count) => (i64::from(count), 0),
        _ => return None,
    })
}

fn fixed(code: &Code, op: Op) -> Result<(i64, i64), String> {
    Ok(match op {
        Op::Jump(_) | Op::SetupTry(_) | Op::PopBlock | Op::LeaveHandler | Op::Reraise => (0, 0),
        Op::LoadHandled | Op::LoadAssertionError => (0, 1),
        Op::GetIter
        | Op::GetYieldFromIter
        | Op::Unary(_)
        | Op::ListToTuple
        | Op::Yield
        | Op::ExitWithException => (1, 1),
        Op::LoadIndex | Op::Binary(_) | Op::InPlace(_) | Op::Compare(_) | Op::ExceptionMatches => {
            (2, 1)
        }
        Op::BuildSlice => (3, 1),
        Op::ListExtend | Op::SetUpdate | Op::DictUpdate | Op::YieldFrom => (2, 1),
        // The function that errors name is below the list and the dict.
        Op::DictMerge => (4, 3),
        Op::StoreIndex => (3, 0),
        Op::DeleteIndex => (2, 0),
        Op::ForIter(_) | Op::SetupWith(_) => (1, 2),
        Op::CallSpread => (3, 1),
        Op::BuildClass(at) => within(&code.constants, at).map(|_| (2, 1))?,
        Op::Return | Op::EnterHandler | Op::ExitWith => (1, 0),
        Op::MatchSequence(_) | Op::MatchSequenceMin(_) | Op::MatchMapping => (1, 2),
        Op::MatchKey => (2, 3),
        Op::MatchRest => (2, 2),
        Op::MatchClass(_) => (3, 3),
        other => return Err(format!("unknown {other:?}")),
    })
}
