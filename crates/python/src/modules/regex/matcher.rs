//! Runs a program on a text, with the ways that are still open on a stack of its own.
//!
//! Nothing here is recursive: a deep match takes memory, which is bounded, and never the stack of the thread. What a step
//! overwrites is put on the same stack, so that going back restores it. The time is that of backtracking: for some patterns
//! it doubles with every character, as it does in CPython, and it is for the process around to end that.
use super::{
    character::{Case, folded, is_of},
    program::{Loop, Program, Sight, Step},
    tree::{Category, Greed, Place},
};
use crate::text::Str;

/// A register that holds nothing.
pub(super) const NOTHING: u32 = u32::MAX;
/// So many ways may be open: about 130 MB.
const MOST_OPEN: usize = 8_000_000;

/// There would be too many open ways, or the text is too long.
#[derive(Debug)]
pub(super) struct TooMuch;

/// A text by the numbers of its characters.
pub(super) enum Text<'a> {
    Ascii(&'a [u8]),
    Codes(Vec<u32>),
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a Str) -> Result<Self, TooMuch> {
        if text.len() >= NOTHING as usize {
            return Err(TooMuch);
        }
        Ok(match text.is_plain() {
            true => Self::Ascii(text.as_bytes()),
            false => Self::Codes(text.chars().map(u32::from).collect()),
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Ascii(bytes) => bytes.len(),
            Self::Codes(codes) => codes.len(),
        }
    }

    fn at(&self, index: u32) -> Option<u32> {
        match self {
            Self::Ascii(bytes) => bytes.get(index as usize).map(|byte| u32::from(*byte)),
            Self::Codes(codes) => codes.get(index as usize).copied(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Begins at the start.
    Match,
    /// Begins anywhere.
    Search,
    /// Is all from the start to the end.
    Full,
}

/// What to do when the way that was taken leads nowhere.
enum Open {
    Branch {
        step: u32,
        at: u32,
    },
    Restore {
        register: u32,
        value: u32,
    },
    /// A character less of [`Step::Many`], down to the least.
    Fewer {
        step: u32,
        least: u32,
        at: u32,
    },
    /// A character more of it, if the text has it.
    More {
        step: u32,
        left: u32,
        at: u32,
    },
}

pub(super) struct Matcher<'a> {
    program: &'a Program,
    text: &'a Text<'a>,
    end: u32,
    mode: Mode,
    /// Where an empty match does not count.
    refused: u32,
    registers: Vec<u32>,
    open: Vec<Open>,
}

impl<'a> Matcher<'a> {
    /// `end` is at most the length of the text.
    pub(super) fn new(program: &'a Program, text: &'a Text<'a>, end: usize, mode: Mode) -> Self {
        Self {
            program,
            text,
            end: u32::try_from(end.min(text.len())).unwrap_or(NOTHING),
            mode,
            refused: NOTHING,
            registers: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Where groups begin and end, and in the end which was closed last. `not_empty`: a match of nothing at `start` does
    /// not count.
    pub(super) fn find(
        &mut self,
        start: usize,
        not_empty: bool,
    ) -> Result<Option<&[u32]>, TooMuch> {
        let start = u32::try_from(start).unwrap_or(NOTHING);
        if start > self.end {
            return Ok(None);
        }
        self.refused = if not_empty { start } else { NOTHING };
        let last = match self.mode {
            Mode::Search if !self.program.anchored => self.end,
            _ => start,
        };
        for at in start..=last {
            if !self.may_start(at) {
                continue;
            }
            self.registers.clear();
            self.registers.resize(self.program.registers, NOTHING);
            self.open.clear();
            if let Some(end) = self.run(at)? {
                self.put(0, at);
                self.put(1, end);
                return Ok(self.registers.get(..=self.program.last_closed()));
            }
        }
        Ok(None)
    }

    fn may_start(&self, at: u32) -> bool {
        match &self.program.first {
            Some(first) => self.code(at).is_some_and(|code| first.takes(code)),
            None => true,
        }
    }

    fn code(&self, at: u32) -> Option<u32> {
        if at >= self.end {
            return None;
        }
        self.text.at(at)
    }

    fn register(&self, register: u32) -> u32 {
        self.registers
            .get(register as usize)
            .copied()
            .unwrap_or(NOTHING)
    }

    fn put(&mut self, register: u32, value: u32) {
        if let Some(place) = self.registers.get_mut(register as usize) {
            *place = value;
        }
    }

    /// Sets a register so that going back restores it.
    fn change(&mut self, register: u32, value: u32) {
        let before = self.register(register);
        if before != value {
            self.open.push(Open::Restore {
                register,
                value: before,
            });
            self.put(register, value);
        }
    }

    fn height(&self) -> u32 {
        u32::try_from(self.open.len()).unwrap_or(NOTHING)
    }

    /// The end of a match that begins here.
    fn run(&mut self, start: u32) -> Result<Option<u32>, TooMuch> {
        let mut now = Some((0, start));
        loop {
            let Some((step, at)) = now.or_else(|| self.back()) else {
                return Ok(None);
            };
            if self.open.len() > MOST_OPEN {
                return Err(TooMuch);
            }
            if let Some(Step::Accept) = self.program.steps.get(step as usize) {
                let counts = at != self.refused && (self.mode != Mode::Full || at == self.end);
                if counts {
                    return Ok(Some(at));
                }
                now = None;
            } else {
                now = self.step(step, at);
            }
        }
    }

    /// Takes the way that was opened last.
    fn back(&mut self) -> Option<(u32, u32)> {
        loop {
            match self.open.pop()? {
                Open::Branch { step, at } => return Some((step, at)),
                Open::Restore { register, value } => self.put(register, value),
                Open::Fewer { step, least, at } => {
                    let at = at.saturating_sub(1);
                    if at > least {
                        self.open.push(Open::Fewer { step, least, at });
                    }
                    return Some((step + 1, at));
                }
                Open::More { step, left, at } => {
                    if let Some(Step::Many { single, .. }) = self.program.steps.get(step as usize)
                        && self.code(at).is_some_and(|code| single.takes(code))
                    {
                        if left > 1 {
                            self.open.push(Open::More {
                                step,
                                left: left - 1,
                                at: at + 1,
                            });
                        }
                        return Some((step + 1, at + 1));
                    }
                }
            }
        }
    }

    /// Where it goes on after this step; `None` if this leads nowhere.
    fn step(&mut self, number: u32, at: u32) -> Option<(u32, u32)> {
        let next = number + 1;
        match self.program.steps.get(number as usize)? {
            Step::One(single) => single.takes(self.code(at)?).then_some((next, at + 1)),
            Step::Many { .. } => self.many(number, at),
            Step::Place(place, sight) => self.is_at(*place, *sight, at).then_some((next, at)),
            Step::Open(group) => {
                self.change(2 * group, at);
                Some((next, at))
            }
            Step::Close(group) => {
                self.change(2 * group + 1, at);
                let last = u32::try_from(self.program.last_closed()).ok()?;
                self.change(last, *group);
                Some((next, at))
            }
            Step::Else(other) => {
                self.open.push(Open::Branch { step: *other, at });
                Some((next, at))
            }
            Step::Jump(to) => Some((*to, at)),
            Step::LoopStart(register) => {
                self.change(*register, 0);
                self.change(register + 1, NOTHING);
                Some((next, at))
            }
            Step::Loop(loop_) => self.round(*loop_, number, at),
            Step::Again { register, body } => {
                self.count(*register, at);
                Some((*body, at))
            }
            Step::Reference(group, case) => Some((next, self.reference(*group, *case, at)?)),
            Step::Unless { group, no } => match self.group(*group) {
                Some(_) => Some((next, at)),
                None => Some((*no, at)),
            },
            Step::Fence(register) => {
                self.put(*register, self.height());
                Some((next, at))
            }
            Step::Commit(register) => {
                self.commit(self.register(*register));
                Some((next, at))
            }
            Step::LookStart { register, back } => {
                let from = at.checked_sub(*back)?;
                self.put(*register, self.height());
                self.put(register + 1, at);
                Some((next, from))
            }
            Step::LookEnd(register) => {
                self.commit(self.register(*register));
                Some((next, self.register(register + 1)))
            }
            Step::NotStart {
                register,
                back,
                after,
            } => {
                let Some(from) = at.checked_sub(*back) else {
                    return Some((*after, at));
                };
                self.put(*register, self.height());
                self.open.push(Open::Branch { step: *after, at });
                Some((next, from))
            }
            Step::Refuse(register) => {
                self.forget(self.register(*register));
                None
            }
            Step::Accept => None,
        }
    }

    fn many(&mut self, number: u32, at: u32) -> Option<(u32, u32)> {
        let program = self.program;
        let Step::Many {
            single,
            least,
            most,
            greed,
        } = program.steps.get(number as usize)?
        else {
            return None;
        };
        let wanted = if *greed == Greed::Lazy { *least } else { *most };
        let limit = at.saturating_add(wanted).min(self.end);
        let mut to = at;
        while to < limit && self.text.at(to).is_some_and(|code| single.takes(code)) {
            to += 1;
        }
        let floor = at.saturating_add(*least);
        if to < floor {
            return None;
        }
        match greed {
            Greed::Greedy if to > floor => {
                self.open.push(Open::Fewer {
                    step: number,
                    least: floor,
                    at: to,
                });
            }
            Greed::Lazy if most > least => {
                self.open.push(Open::More {
                    step: number,
                    left: most - least,
                    at: to,
                });
            }
            _ => {}
        }
        Some((number + 1, to))
    }

    /// At the head of a loop: another round, or out of it. Beyond the least number, a round that took nothing is the last.
    fn round(&mut self, loop_: Loop, number: u32, at: u32) -> Option<(u32, u32)> {
        let Loop {
            register,
            least,
            most,
            lazy,
            exit,
        } = loop_;
        let count = self.register(register);
        // The body of a lazy loop stands behind the step that counts its round.
        let body = number + 1 + u32::from(lazy);
        if count < least {
            self.change(register, count + 1);
            return Some((body, at));
        }
        let more = count < most && self.register(register + 1) != at;
        match (more, lazy) {
            (false, _) => Some((exit, at)),
            (true, true) => {
                self.open.push(Open::Branch {
                    step: number + 1,
                    at,
                });
                Some((exit, at))
            }
            (true, false) => {
                self.open.push(Open::Branch { step: exit, at });
                self.count(register, at);
                Some((body, at))
            }
        }
    }

    fn count(&mut self, register: u32, at: u32) {
        // A loop without end never gets to the number that means it.
        let count = self.register(register).saturating_add(1).min(NOTHING - 1);
        self.change(register, count);
        self.change(register + 1, at);
    }

    /// Where a group began and ended.
    fn group(&self, group: u32) -> Option<(u32, u32)> {
        let (from, to) = (self.register(2 * group), self.register(2 * group + 1));
        (from != NOTHING && to != NOTHING && from <= to).then_some((from, to))
    }

    fn reference(&self, group: u32, case: Case, at: u32) -> Option<u32> {
        let (from, to) = self.group(group)?;
        let end = at.checked_add(to - from).filter(|end| *end <= self.end)?;
        let same = (from..to)
            .zip(at..end)
            .all(|(a, b)| match (self.text.at(a), self.text.at(b)) {
                (Some(a), Some(b)) => {
                    a == b || (case != Case::Matters && folded(a, case) == folded(b, case))
                }
                _ => false,
            });
        same.then_some(end)
    }

    /// Drops the open ways above this height, but keeps what is to be restored.
    fn commit(&mut self, height: u32) {
        let height = height as usize;
        let mut kept = height;
        for index in height..self.open.len() {
            if matches!(self.open.get(index), Some(Open::Restore { .. })) {
                self.open.swap(kept, index);
                kept += 1;
            }
        }
        self.open.truncate(kept);
    }

    /// Drops the open ways above this height and restores what was changed since.
    fn forget(&mut self, height: u32) {
        while self.open.len() > height as usize {
            if let Some(Open::Restore { register, value }) = self.open.pop() {
                self.put(register, value);
            }
        }
    }

    fn is_at(&self, place: Place, sight: Sight, at: u32) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.text.at(before));
        let after = self.code(at);
        let newline = Some(u32::from('\n'));
        match place {
            Place::TextStart => at == 0,
            Place::Start => at == 0 || (sight.lines && before == newline),
            Place::TextEnd => at == self.end,
            Place::End => {
                at == self.end || (after == newline && (sight.lines || at + 1 == self.end))
            }
            // In an empty text there is neither, as in CPython.
            Place::Boundary | Place::Inside if self.end == 0 => false,
            Place::Boundary | Place::Inside => {
                let is_word = |code: Option<u32>| {
                    code.is_some_and(|code| is_of(Category::Word, code, sight.ascii))
                };
                (is_word(before) != is_word(after)) == (place == Place::Boundary)
            }
        }
    }
}
