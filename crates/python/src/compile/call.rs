//! Calls and the arguments of classes.
//!
//! Values without a star are evaluated before keywords, and so are those with one star, as in CPython. A keyword that
//! stands twice is an error here already.
use super::{Compiler, Done, index};
use crate::{
    ast::{Argument, Expr, ExprKind, Name},
    code::{Constant, Op},
};
use std::collections::HashSet;

impl<'a> Compiler<'a> {
    pub(super) fn call(&mut self, function: &'a Expr, arguments: &'a [Argument]) -> Done {
        self.check_keywords(arguments)?;
        let simple = |argument: &Argument| matches!(argument, Argument::Positional(_));
        if let ExprKind::Attribute { value, name } = &function.kind
            && arguments.iter().all(simple)
        {
            self.expression(value)?;
            let around = self.line;
            self.line = function.line;
            let name = self.attribute(name);
            self.emit(Op::LoadMethod(name));
            self.line = around;
            self.expressions(positional(arguments))?;
            self.emit(Op::CallMethod(index(arguments.len())));
            return Ok(());
        }
        self.expression(function)?;
        let spread =
            |argument: &Argument| matches!(argument, Argument::Star(_) | Argument::DoubleStar(_));
        if arguments.iter().any(spread) {
            self.argument_list(arguments)?;
            self.argument_dict(arguments, Op::DictMerge)?;
            self.emit(Op::CallSpread);
            return Ok(());
        }
        self.expressions(positional(arguments))?;
        let mut names = Vec::new();
        for argument in arguments {
            if let Argument::Keyword(name, value) = argument {
                self.expression(value)?;
                names.push(Constant::Str(name.clone()));
            }
        }
        if names.is_empty() {
            self.emit(Op::Call(index(arguments.len())));
        } else {
            self.constant(Constant::Tuple(names));
            self.emit(Op::CallKeywords(index(arguments.len())));
        }
        Ok(())
    }

    pub(super) fn check_keywords(&self, arguments: &'a [Argument]) -> Done {
        let mut seen = HashSet::new();
        for argument in arguments {
            if let Argument::Keyword(name, value) = argument {
                self.allowed(name, "assign to")?;
                if !seen.insert(name) {
                    return super::error(value.line, format!("keyword argument repeated: {name}"));
                }
            }
        }
        Ok(())
    }

    /// The values without names, as a list.
    pub(super) fn argument_list(&mut self, arguments: &'a [Argument]) -> Done {
        let mut waiting = Some(0);
        for argument in arguments {
            match argument {
                Argument::Positional(value) => {
                    self.expression(value)?;
                    match &mut waiting {
                        Some(count) => *count += 1,
                        None => self.emit(Op::ListAppend(1)),
                    }
                }
                Argument::Star(value) => {
                    if let Some(count) = waiting.take() {
                        self.emit(Op::BuildList(count));
                    }
                    self.expression(value)?;
                    self.emit(Op::ListExtend);
                }
                Argument::Keyword(..) | Argument::DoubleStar(_) => {}
            }
        }
        if let Some(count) = waiting {
            self.emit(Op::BuildList(count));
        }
        Ok(())
    }

    /// The values with names, as a dict; neighbouring keywords are merged into it together.
    pub(super) fn argument_dict(&mut self, arguments: &'a [Argument], merge: Op) -> Done {
        let (mut waiting, mut begun) = (0, false);
        for argument in arguments {
            match argument {
                Argument::Keyword(name, value) => {
                    self.text(name);
                    self.expression(value)?;
                    waiting += 1;
                }
                Argument::DoubleStar(value) => {
                    if !begun || waiting > 0 {
                        self.merge_waiting(&mut begun, &mut waiting, merge);
                    }
                    self.expression(value)?;
                    self.emit(merge);
                }
                Argument::Positional(_) | Argument::Star(_) => {}
            }
        }
        if !begun || waiting > 0 {
            self.merge_waiting(&mut begun, &mut waiting, merge);
        }
        Ok(())
    }

    fn merge_waiting(&mut self, begun: &mut bool, waiting: &mut u32, merge: Op) {
        self.emit(Op::BuildDict(*waiting));
        if *begun {
            self.emit(merge);
        }
        (*begun, *waiting) = (true, 0);
    }

    pub(super) fn text(&mut self, text: &Name) {
        self.constant(Constant::Str(text.clone()));
    }
}

fn positional(arguments: &[Argument]) -> impl Iterator<Item = &Expr> {
    arguments.iter().filter_map(|argument| match argument {
        Argument::Positional(value) => Some(value),
        _ => None,
    })
}
