//! `match`: from patterns to tests.
//!
//! The subject stays on the stack through all cases; each case tests a copy. Names are bound only when the whole pattern
//! fits, as in CPython: until then what they are to hold waits in a dict below the copy (there is none where a pattern
//! binds nothing). So it does not matter in what order the alternatives of `a | b` bind, or what an alternative that
//! failed has put there.
//!
//! Of a mapping, a key is looked up right before its value is tested, where CPython looks up all keys first.
use super::{Compiler, Done, fold, index, unit::Label};
use crate::{
    ast::{Case, CompareOp, Expr, ExprKind, Name, Pattern},
    code::{Constant, Op},
};
use std::{
    collections::{BTreeSet, HashSet},
    mem,
};

/// The state of a case while its pattern is written.
#[derive(Default)]
struct Matching {
    /// Values on the stack above the subject: the dict, if there is one, then parts that wait to be tested.
    height: usize,
    /// A test that fails pops down to this height.
    floor: usize,
    /// The labels for that, by how many values are popped.
    failures: Vec<Label>,
    /// Names that are bound, in order.
    names: Vec<Name>,
    /// The same ones.
    bound: BTreeSet<Name>,
    /// A pattern that always fits may stand here.
    may_always_fit: bool,
}

impl<'a> Compiler<'a> {
    pub(super) fn match_statement(&mut self, subject: &'a Expr, cases: &'a [Case]) -> Done {
        let end = self.label();
        self.expression(subject)?;
        for (at, case) in cases.iter().enumerate() {
            self.case(case, at + 1 == cases.len(), end)?;
        }
        self.emit(Op::Pop);
        self.place(end);
        Ok(())
    }

    fn case(&mut self, case: &'a Case, is_last: bool, end: Label) -> Done {
        let mut matching = Matching {
            height: 1,
            may_always_fit: is_last || case.guard.is_some(),
            ..Matching::default()
        };
        self.emit(Op::Dup);
        if let Pattern::As {
            pattern: None,
            name: Some(name),
        } = &case.pattern
        {
            self.check_always_fits(Some(name), &matching)?;
            self.store(name)?;
            matching.height -= 1;
        } else if binds(&case.pattern) {
            self.emit(Op::BuildDict(0));
            self.emit(Op::Rot2);
            matching.height += 1;
            self.pattern(&case.pattern, &mut matching)?;
            self.bind(&mut matching)?;
        } else {
            self.pattern(&case.pattern, &mut matching)?;
        }
        if let Some(guard) = &case.guard {
            let failed = self.failure(&mut matching);
            self.jump_if(guard, failed, false)?;
        }
        self.emit(Op::Pop);
        self.statements(&case.body)?;
        self.emit(Op::Jump(end.target()));
        self.place_failures(&matching);
        Ok(())
    }

    /// Stores what waits in the dict, and drops it.
    fn bind(&mut self, matching: &mut Matching) -> Done {
        for name in &matching.names {
            self.emit(Op::Dup);
            self.text(name);
            self.emit(Op::LoadIndex);
            self.store(name)?;
        }
        self.emit(Op::Pop);
        matching.height -= 1;
        Ok(())
    }

    /// Where a test goes that fails at the present height.
    fn failure(&mut self, matching: &mut Matching) -> Label {
        let popped = matching.height - matching.floor;
        while matching.failures.len() <= popped {
            matching.failures.push(self.unit.label());
        }
        matching.failures[popped]
    }

    fn or_fail(&mut self, matching: &mut Matching) {
        let label = self.failure(matching);
        self.emit(Op::JumpIfFalse(label.target()));
    }

    fn place_failures(&mut self, matching: &Matching) {
        for (popped, label) in matching.failures.iter().enumerate().rev() {
            self.place(*label);
            if popped > 0 {
                self.emit(Op::Pop);
            }
        }
    }

    /// Tests the value on top of the stack, and pops it.
    fn pattern(&mut self, pattern: &'a Pattern, matching: &mut Matching) -> Done {
        match pattern {
            Pattern::Value(value) => self.equals(value, CompareOp::Eq, matching),
            Pattern::Singleton(value) => self.equals(value, CompareOp::Is, matching),
            Pattern::Sequence(items) => self.sequence(items, matching),
            Pattern::Star(name) => self.capture(name.as_ref(), matching),
            Pattern::Mapping { entries, rest } => self.mapping(entries, rest.as_ref(), matching),
            Pattern::Class {
                class,
                positional,
                keywords,
            } => self.class_pattern(class, positional, keywords, matching),
            Pattern::As {
                pattern: None,
                name,
            } => {
                self.check_always_fits(name.as_ref(), matching)?;
                self.capture(name.as_ref(), matching)
            }
            Pattern::As {
                pattern: Some(pattern),
                name,
            } => {
                self.emit(Op::Dup);
                matching.height += 1;
                self.pattern(pattern, matching)?;
                self.capture(name.as_ref(), matching)
            }
            Pattern::Or(alternatives) => self.alternatives(alternatives, matching),
        }
    }

    fn equals(&mut self, value: &'a Expr, op: CompareOp, matching: &mut Matching) -> Done {
        if matches!(value.kind, ExprKind::Joined(_)) {
            return self.error("patterns may only match literals and attribute lookups");
        }
        self.expression(value)?;
        self.emit(Op::Compare(op));
        matching.height -= 1;
        self.or_fail(matching);
        Ok(())
    }

    fn check_always_fits(&self, name: Option<&Name>, matching: &Matching) -> Done {
        match name {
            _ if matching.may_always_fit => Ok(()),
            Some(name) => self.error(format!(
                "name capture '{name}' makes remaining patterns unreachable"
            )),
            None => self.error("wildcard makes remaining patterns unreachable"),
        }
    }

    /// Puts the value on top of the stack into the dict for a name, or drops it.
    fn capture(&mut self, name: Option<&Name>, matching: &mut Matching) -> Done {
        matching.height -= 1;
        let Some(name) = name else {
            self.emit(Op::Pop);
            return Ok(());
        };
        if !matching.bound.insert(name.clone()) {
            return self.error(format!("multiple assignments to name '{name}' in pattern"));
        }
        matching.names.push(name.clone());
        self.text(name);
        self.emit(Op::Rot2);
        // The dict is the first value above the subject.
        self.emit(Op::DictAdd(index(matching.height)));
        Ok(())
    }

    /// Patterns for the parts of a value, which are on the stack, the first on top.
    fn parts(
        &mut self,
        parts: impl IntoIterator<Item = &'a Pattern>,
        matching: &mut Matching,
    ) -> Done {
        let around = mem::replace(&mut matching.may_always_fit, true);
        for part in parts {
            self.pattern(part, matching)?;
        }
        matching.may_always_fit = around;
        Ok(())
    }

    fn sequence(&mut self, items: &'a [Pattern], matching: &mut Matching) -> Done {
        let mut stars = items
            .iter()
            .enumerate()
            .filter(|(_, item)| matches!(item, Pattern::Star(_)));
        let star = stars.next().map(|(at, _)| at);
        if stars.next().is_some() {
            return self.error("multiple starred names in sequence pattern");
        }
        let count = items.len();
        self.emit(match star {
            None => Op::MatchSequence(index(count)),
            Some(_) => Op::MatchSequenceMin(index(count - 1)),
        });
        self.or_fail(matching);
        if let Some(at) = star
            && items[at..].iter().all(is_wildcard)
        {
            return self.first_items(&items[..at], matching);
        }
        matching.height -= 1;
        if items.iter().all(is_wildcard) {
            self.emit(Op::Pop);
            return Ok(());
        }
        match star {
            None => self.emit(Op::Unpack(index(count))),
            Some(at) => {
                self.unpack_star(
                    at,
                    count,
                    "too many expressions in star-unpacking sequence pattern",
                )?;
            }
        }
        matching.height += count;
        self.parts(items, matching)
    }

    /// The rest of the sequence is of no interest, and may be long: the items are taken one by one.
    fn first_items(&mut self, items: &'a [Pattern], matching: &mut Matching) -> Done {
        for (at, item) in items.iter().enumerate() {
            if is_wildcard(item) {
                continue;
            }
            self.emit(Op::Dup);
            self.constant(Constant::Int(at.into()));
            self.emit(Op::LoadIndex);
            matching.height += 1;
            self.parts([item], matching)?;
        }
        self.emit(Op::Pop);
        matching.height -= 1;
        Ok(())
    }

    fn mapping(
        &mut self,
        entries: &'a [(Expr, Pattern)],
        rest: Option<&'a Name>,
        matching: &mut Matching,
    ) -> Done {
        self.check_keys(entries)?;
        self.emit(Op::MatchMapping);
        self.or_fail(matching);
        for (key, pattern) in entries {
            self.expression(key)?;
            self.emit(Op::MatchKey);
            matching.height += 1;
            self.or_fail(matching);
            self.parts([pattern], matching)?;
        }
        if rest.is_some() {
            self.expressions(entries.iter().map(|(key, _)| key))?;
            self.emit(Op::BuildTuple(index(entries.len())));
            self.emit(Op::MatchRest);
            matching.height += 1;
            self.capture(rest, matching)?;
        }
        self.emit(Op::Pop);
        matching.height -= 1;
        Ok(())
    }

    /// Literal keys may not repeat.
    fn check_keys(&self, entries: &[(Expr, Pattern)]) -> Done {
        let mut seen = HashSet::new();
        for (key, _) in entries {
            if matches!(key.kind, ExprKind::Joined(_)) {
                return self
                    .error("mapping pattern keys may only match literals and attribute lookups");
            }
            let text = match fold::constant(key) {
                Some(Constant::Str(text)) => format!("'{text}'"),
                Some(Constant::Int(number)) => number.to_string(),
                Some(Constant::None) => "None".into(),
                Some(Constant::True) => "True".into(),
                Some(Constant::False) => "False".into(),
                _ => continue,
            };
            let message = format!("mapping pattern checks duplicate key ({text})");
            if !seen.insert(text) {
                return self.error(message);
            }
        }
        Ok(())
    }

    fn class_pattern(
        &mut self,
        class: &'a Expr,
        positional: &'a [Pattern],
        keywords: &'a [(Name, Pattern)],
        matching: &mut Matching,
    ) -> Done {
        let mut seen = HashSet::new();
        for (name, _) in keywords {
            self.allowed(name, "assign to")?;
            if !seen.insert(name) {
                return self.error(format!("attribute name repeated in class pattern: {name}"));
            }
        }
        self.expression(class)?;
        let names = keywords.iter().map(|(name, _)| Constant::Str(name.clone()));
        self.constant(Constant::Tuple(names.collect()));
        self.emit(Op::MatchClass(index(positional.len())));
        matching.height += 1;
        self.or_fail(matching);
        self.emit(Op::Rot2);
        self.emit(Op::Pop);
        let count = positional.len() + keywords.len();
        self.emit(Op::Unpack(index(count)));
        matching.height += count;
        matching.height -= 2;
        self.parts(
            positional
                .iter()
                .chain(keywords.iter().map(|(_, pattern)| pattern)),
            matching,
        )
    }

    fn alternatives(&mut self, alternatives: &'a [Pattern], matching: &mut Matching) -> Done {
        let end = self.label();
        let before = matching.bound.clone();
        let mut first: Option<(Vec<Name>, BTreeSet<Name>)> = None;
        for (at, alternative) in alternatives.iter().enumerate() {
            self.emit(Op::Dup);
            let mut inner = Matching {
                height: matching.height + 1,
                floor: matching.height,
                failures: Vec::new(),
                names: Vec::new(),
                bound: before.clone(),
                may_always_fit: matching.may_always_fit && at + 1 == alternatives.len(),
            };
            self.pattern(alternative, &mut inner)?;
            match &first {
                None => first = Some((inner.names.clone(), inner.bound.clone())),
                Some((_, bound)) if *bound != inner.bound => {
                    return self.error("alternative patterns bind different names");
                }
                Some(_) => {}
            }
            self.emit(Op::Jump(end.target()));
            self.place_failures(&inner);
        }
        // None fits: down to where a test fails at this height.
        let failed = self.failure(matching);
        self.emit(Op::Jump(failed.target()));
        self.place(end);
        self.emit(Op::Pop);
        matching.height -= 1;
        if let Some((names, bound)) = first {
            matching.names.extend(names);
            matching.bound = bound;
        }
        Ok(())
    }
}

/// `_` or `*_`.
fn is_wildcard(pattern: &Pattern) -> bool {
    matches!(
        pattern,
        Pattern::Star(None)
            | Pattern::As {
                pattern: None,
                name: None
            }
    )
}

fn binds(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Value(_) | Pattern::Singleton(_) => false,
        Pattern::Sequence(items) | Pattern::Or(items) => items.iter().any(binds),
        Pattern::Star(name) => name.is_some(),
        Pattern::Mapping { entries, rest } => {
            rest.is_some() || entries.iter().any(|(_, pattern)| binds(pattern))
        }
        Pattern::Class {
            positional,
            keywords,
            ..
        } => positional
            .iter()
            .chain(keywords.iter().map(|(_, pattern)| pattern))
            .any(binds),
        Pattern::As { pattern, name } => name.is_some() || pattern.as_deref().is_some_and(binds),
    }
}
