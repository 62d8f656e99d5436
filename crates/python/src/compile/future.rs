//! `from __future__ import …`: what it asks for, and its errors.
//!
//! Only `annotations` changes anything: annotations are not evaluated then. (CPython keeps their text instead; here they
//! are None.)
use super::{Done, error, split_doc};
use crate::ast::{Stmt, StmtKind};

const KNOWN: [&str; 10] = [
    "nested_scopes",
    "generators",
    "division",
    "absolute_import",
    "with_statement",
    "print_function",
    "unicode_literals",
    "barry_as_FLUFL",
    "generator_stop",
    "annotations",
];

#[derive(Clone, Copy, Default)]
pub(super) struct Future {
    pub(super) annotations: bool,
    /// The line of the last such import where one is allowed.
    pub(super) line: u32,
}

/// Reads the imports at the beginning of a module.
pub(super) fn find(block: &[Stmt]) -> Done<Future> {
    let mut future = Future::default();
    for statement in split_doc(block).1 {
        let StmtKind::ImportFrom {
            module,
            level: 0,
            names,
        } = &statement.kind
        else {
            break;
        };
        if &**module != "__future__" {
            break;
        }
        future.line = statement.line;
        for alias in names {
            match &*alias.name {
                "annotations" => future.annotations = true,
                "braces" => return error(statement.line, "not a chance"),
                name if KNOWN.contains(&name) => {}
                name => {
                    return error(
                        statement.line,
                        format!("future feature {name} is not defined"),
                    );
                }
            }
        }
    }
    Ok(future)
}
