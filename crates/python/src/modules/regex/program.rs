//! A pattern's tree to steps for the matcher.
//!
//! Flags of groups are worked in here: a step knows for itself whether case matters to it. All steps of a repetition are
//! there once, however often it is to be done, so a program is no longer than its pattern.
use super::{
    character::{Case, Set, Single, folded},
    parse::Tree,
    tree::{
        ASCII, DOTALL, ENDLESS, Failure, FailureKind, Greed, IGNORECASE, KINDS, MULTILINE, Node,
        Outcome, Place, Sequence, Width, width,
    },
};

#[derive(Debug)]
pub(super) enum Step {
    One(Single),
    /// One kind of character again and again.
    Many {
        single: Single,
        least: u32,
        most: u32,
        greed: Greed,
    },
    Place(Place, Sight),
    /// Remembers where a group begins.
    Open(u32),
    /// And where it ends.
    Close(u32),
    /// Goes on with the next step, and if that leads nowhere here.
    Else(u32),
    Jump(u32),
    /// The count of a loop is zero; it stands in this register, and in the next one where it was last.
    LoopStart(u32),
    Loop(Loop),
    /// One more round of the lazy loop before.
    Again {
        register: u32,
        body: u32,
    },
    Reference(u32, Case),
    /// Goes elsewhere unless the group took part.
    Unless {
        group: u32,
        no: u32,
    },
    /// Remembers how many ways are open, to forget those that are added until [`Step::Commit`].
    Fence(u32),
    Commit(u32),
    /// As [`Step::Fence`], and remembers the place in the next register. Begins so many characters before.
    LookStart {
        register: u32,
        back: u32,
    },
    LookEnd(u32),
    /// What follows up to [`Step::Refuse`] must not match, else it goes on at `after`.
    NotStart {
        register: u32,
        back: u32,
        after: u32,
    },
    Refuse(u32),
    Accept,
}

/// How a place is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    pub(super) lines: bool,
    pub(super) ascii: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) register: u32,
    pub(super) least: u32,
    pub(super) most: u32,
    pub(super) lazy: bool,
    pub(super) exit: u32,
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    /// With the whole match.
    pub(super) groups: usize,
    /// Places to remember: two for each group, one for the last group that was closed, those of loops and fences.
    pub(super) registers: usize,
    /// What the first character must be, if that is plain.
    pub(super) first: Option<Single>,
    /// It can only begin where the text does.
    pub(super) anchored: bool,
}

impl Program {
    /// The register that tells which group was closed last.
    pub(super) fn last_closed(&self) -> usize {
        2 * self.groups
    }
}

pub(super) fn compile(tree: &Tree) -> Outcome<Program> {
    let groups = tree.widths.len();
    let mut compiler = Compiler {
        steps: Vec::new(),
        registers: 2 * groups + 1,
        widths: &tree.widths,
    };
    compiler.sequence(&tree.body, tree.flags)?;
    compiler.steps.push(Step::Accept);
    let beginning = compiler
        .steps
        .iter()
        .find(|step| !matches!(step, Step::Open(_)));
    let first = match beginning {
        Some(Step::One(single)) => Some(single.clone()),
        Some(Step::Many {
            single, least: 1.., ..
        }) => Some(single.clone()),
        _ => None,
    };
    let anchored = matches!(
        beginning,
        Some(
            Step::Place(Place::TextStart, _)
                | Step::Place(Place::Start, Sight { lines: false, .. })
        )
    );
    Ok(Program {
        first,
        anchored,
        steps: compiler.steps,
        groups,
        registers: compiler.registers,
    })
}

struct Compiler<'a> {
    steps: Vec<Step>,
    registers: usize,
    widths: &'a [Option<Width>],
}

fn case(flags: u32) -> Case {
    match (flags & IGNORECASE != 0, flags & ASCII != 0) {
        (false, _) => Case::Matters,
        (true, true) => Case::Ascii,
        (true, false) => Case::Unicode,
    }
}

/// What a node takes if it takes exactly one character.
fn single(node: &Node, flags: u32) -> Option<Single> {
    Some(match node {
        Node::Literal(code) => match case(flags) {
            Case::Matters => Single::Code(*code),
            case => Single::Folded(folded(*code, case), case),
        },
        Node::Any if flags & DOTALL != 0 => Single::All,
        Node::Any => Single::Any,
        Node::Set { negated, members } => {
            let set = Set::new(*negated, members, case(flags), flags & ASCII != 0);
            Single::Set(Box::new(set))
        }
        Node::Group {
            number: None,
            added,
            removed,
            body,
        } => match body.as_slice() {
            [only] => single(only, combined(flags, *added, *removed))?,
            _ => return None,
        },
        _ => return None,
    })
}

fn combined(flags: u32, added: u32, removed: u32) -> u32 {
    let kept = match added & KINDS {
        0 => flags,
        _ => flags & !KINDS,
    };
    (kept | added) & !removed
}

impl Compiler<'_> {
    fn here(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    fn push(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn set(&mut self, at: usize, step: Step) {
        if let Some(place) = self.steps.get_mut(at) {
            *place = step;
        }
    }

    fn new_registers(&mut self, count: usize) -> u32 {
        self.registers += count;
        u32::try_from(self.registers - count).unwrap_or(u32::MAX)
    }

    fn sequence(&mut self, nodes: &Sequence, flags: u32) -> Outcome<()> {
        nodes.iter().try_for_each(|node| self.node(node, flags))
    }

    fn node(&mut self, node: &Node, flags: u32) -> Outcome<()> {
        if let Some(single) = single(node, flags) {
            self.push(Step::One(single));
            return Ok(());
        }
        match node {
            Node::Place(place) => {
                let sight = Sight {
                    lines: flags & MULTILINE != 0,
                    ascii: flags & ASCII != 0,
                };
                self.push(Step::Place(*place, sight));
            }
            Node::Choice(choices) => self.choices(choices, flags)?,
            Node::Group {
                number,
                added,
                removed,
                body,
            } => {
                let flags = combined(flags, *added, *removed);
                match number {
                    Some(number) => {
                        self.push(Step::Open(*number));
                        self.sequence(body, flags)?;
                        self.push(Step::Close(*number));
                    }
                    None => self.sequence(body, flags)?,
                }
            }
            Node::Repeat {
                least,
                most,
                greed,
                body,
            } => self.repeat((*least, *most), *greed, body, flags)?,
            Node::Reference(group) => {
                self.push(Step::Reference(*group, case(flags)));
            }
            Node::Condition { group, yes, no } => self.condition(*group, yes, no, flags)?,
            Node::Look {
                behind,
                negated,
                body,
            } => self.look(*behind, *negated, body, flags)?,
            Node::Atomic(body) => {
                let register = self.new_registers(1);
                self.push(Step::Fence(register));
                self.sequence(body, flags)?;
                self.push(Step::Commit(register));
            }
            // The rest is single characters.
            Node::Literal(_) | Node::Any | Node::Set { .. } => {}
        }
        Ok(())
    }

    fn choices(&mut self, choices: &[Sequence], flags: u32) -> Outcome<()> {
        let mut ends = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            let is_last = index + 1 == choices.len();
            let branch = (!is_last).then(|| self.push(Step::Else(0)));
            self.sequence(choice, flags)?;
            if let Some(branch) = branch {
                ends.push(self.push(Step::Jump(0)));
                let here = self.here();
                self.set(branch, Step::Else(here));
            }
        }
        let here = self.here();
        for end in ends {
            self.set(end, Step::Jump(here));
        }
        Ok(())
    }

    fn condition(&mut self, group: u32, yes: &Sequence, no: &Sequence, flags: u32) -> Outcome<()> {
        let branch = self.push(Step::Jump(0));
        self.sequence(yes, flags)?;
        let end = self.push(Step::Jump(0));
        let here = self.here();
        self.set(branch, Step::Unless { group, no: here });
        self.sequence(no, flags)?;
        let here = self.here();
        self.set(end, Step::Jump(here));
        Ok(())
    }

    fn repeat(
        &mut self,
        (least, most): (u32, u32),
        greed: Greed,
        body: &Sequence,
        flags: u32,
    ) -> Outcome<()> {
        if let [only] = body.as_slice()
            && let Some(single) = single(only, flags)
        {
            self.push(Step::Many {
                single,
                least,
                most,
                greed,
            });
            return Ok(());
        }
        let fence = (greed == Greed::Possessive).then(|| self.new_registers(1));
        if let Some(register) = fence {
            self.push(Step::Fence(register));
        }
        let register = self.new_registers(2);
        self.push(Step::LoopStart(register));
        let start = self.push(Step::Jump(0));
        let lazy = greed == Greed::Lazy;
        if lazy {
            // Where an open way leads: one more round.
            let body = self.here() + 1;
            self.push(Step::Again { register, body });
        }
        self.sequence(body, flags)?;
        self.push(Step::Jump(u32::try_from(start).unwrap_or(u32::MAX)));
        let exit = self.here();
        self.set(
            start,
            Step::Loop(Loop {
                register,
                least,
                most,
                lazy,
                exit,
            }),
        );
        if let Some(register) = fence {
            self.push(Step::Commit(register));
        }
        Ok(())
    }

    fn look(&mut self, behind: bool, negated: bool, body: &Sequence, flags: u32) -> Outcome<()> {
        let mut back = 0;
        if behind {
            let (least, most) = width(body, self.widths);
            if least != most {
                let message = "look-behind requires fixed-width pattern";
                return Err(Failure::new(FailureKind::Pattern, message));
            }
            back = u32::try_from(least).unwrap_or(ENDLESS);
        }
        let register = self.new_registers(2);
        if negated {
            let start = self.push(Step::Jump(0));
            self.sequence(body, flags)?;
            self.push(Step::Refuse(register));
            let after = self.here();
            self.set(
                start,
                Step::NotStart {
                    register,
                    back,
                    after,
                },
            );
        } else {
            self.push(Step::LookStart { register, back });
            self.sequence(body, flags)?;
            self.push(Step::LookEnd(register));
        }
        Ok(())
    }
}
