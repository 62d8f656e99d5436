//! How far lines are indented, and where blocks begin and end by that.
//!
//! A tab goes to the next column that eight divides. Each column is also counted with tabs one wide: where the two counts
//! disagree about the order of two lines, the program depends on the width of a tab and is refused, as in CPython.
use super::{Fault, Lexed, Lexer, TokenKind, soft};
use crate::parser::{BLOCKS, SyntaxError};

/// The columns of the blocks around a line, the outermost first; column 0 is not in it.
#[derive(Default)]
pub(super) struct Indentation {
    columns: Vec<Column>,
}

#[derive(Clone, Copy, Default)]
struct Column {
    /// With tabs eight wide.
    wide: usize,
    /// With tabs one wide.
    narrow: usize,
}

impl Indentation {
    /// Ends all blocks: how many there were.
    pub(super) fn close(&mut self) -> usize {
        std::mem::take(&mut self.columns).len()
    }

    fn current(&self) -> Column {
        self.columns.last().copied().unwrap_or_default()
    }
}

impl Lexer<'_> {
    /// The tokens for the indentation of the line that begins at the position.
    pub(super) fn indent(&mut self) -> Lexed<()> {
        let column = self.measure()?;
        if matches!(self.peek(), None | Some(b'#' | b'\n')) {
            return Ok(());
        }
        let current = self.indentation.current();
        if column.wide > current.wide {
            return self.deeper(column, current);
        }
        while self.indentation.current().wide > column.wide {
            self.indentation.columns.pop();
            self.push(TokenKind::Dedent, self.position);
        }
        let current = self.indentation.current();
        if current.wide != column.wide {
            // No block ends at a column where none began: the tokens above would hide the complaint.
            while self
                .list
                .last()
                .is_some_and(|token| token.kind == TokenKind::Dedent)
            {
                self.list.pop();
            }
            return Err(self.misindented(
                "IndentationError",
                "unindent does not match any outer indentation level",
            ));
        }
        if current.narrow != column.narrow {
            return Err(self.inconsistent_tabs());
        }
        Ok(())
    }

    fn deeper(&mut self, column: Column, current: Column) -> Lexed<()> {
        if self.indentation.columns.len() + 2 > BLOCKS {
            return Err(self.misindented("IndentationError", "too many levels of indentation"));
        }
        if column.narrow <= current.narrow {
            return Err(self.inconsistent_tabs());
        }
        self.indentation.columns.push(column);
        self.push(TokenKind::Indent, self.position);
        Ok(())
    }

    /// Past the blanks at the beginning of a line. Behind a backslash, the indentation of the first line counts.
    fn measure(&mut self) -> Lexed<Column> {
        let mut column = Column::default();
        let mut before_continuation = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' => {
                    column.wide += 1;
                    column.narrow += 1;
                }
                b'\t' => {
                    column.wide = (column.wide / 8 + 1) * 8;
                    column.narrow += 1;
                }
                b'\x0c' => column = Column::default(),
                b'\\' => {
                    if before_continuation == 0 {
                        before_continuation = column.wide;
                    }
                    self.continuation()?;
                    continue;
                }
                _ => break,
            }
            self.position += 1;
        }
        if before_continuation > 0 {
            column = Column {
                wide: before_continuation,
                narrow: before_continuation,
            };
        }
        Ok(column)
    }

    fn inconsistent_tabs(&self) -> Box<Fault> {
        self.misindented(
            "TabError",
            "inconsistent use of tabs and spaces in indentation",
        )
    }

    fn misindented(&self, class: &'static str, message: &str) -> Box<Fault> {
        soft(SyntaxError {
            class,
            ..self.error(message)
        })
    }
}
