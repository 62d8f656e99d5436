//! Statements with blocks: `if`, `while`, `for`, `with`, `try`; blocks and the module itself.
use super::targets::Use;
use super::{Failure, INVALID, Parsed, Parser};
use crate::ast::{Block, Expr, Handler, Stmt, StmtKind, WithItem};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Parsed<Block> {
        let mut block = Block::new();
        while self.kind() != TokenKind::End {
            self.statement(&mut block)?;
        }
        Ok(block)
    }

    /// One compound statement, or the simple ones of a line.
    pub(super) fn statement(&mut self, block: &mut Block) -> Parsed<()> {
        match self.child(Self::compound_statement)? {
            Some(statement) => block.push(statement),
            None => self.simple_line(block)?,
        }
        Ok(())
    }

    fn compound_statement(&mut self) -> Parsed<Option<Stmt>> {
        let mut line = self.line();
        let kind = match self.kind() {
            TokenKind::Symbol("if") => self.conditional()?,
            TokenKind::Symbol("while") => self.while_loop()?,
            TokenKind::Symbol("for") => self.for_loop()?,
            TokenKind::Symbol("with") => self.with()?,
            TokenKind::Symbol("try") => self.try_statement()?,
            TokenKind::Symbol("def" | "class" | "@") => self.definition(&mut line)?,
            TokenKind::Name if self.at_word("match") => match self.match_statement()? {
                Some(kind) => kind,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.grow(1)?;
        Ok(Some(Stmt { line, kind }))
    }

    /// The block of the statement that began on `line` and is called `owner`.
    pub(super) fn block(&mut self, owner: &str, line: u32) -> Parsed<Block> {
        let mut block = Block::new();
        if !self.take_kind(TokenKind::Newline) {
            self.simple_line(&mut block)?;
            return Ok(block);
        }
        if !self.take_kind(TokenKind::Indent) {
            return Err(self.missing_block(owner, line));
        }
        while !self.take_kind(TokenKind::Dedent) {
            if self.kind() == TokenKind::End {
                break;
            }
            self.statement(&mut block)?;
        }
        Ok(block)
    }

    pub(super) fn missing_block(&self, owner: &str, line: u32) -> Box<Failure> {
        let mut failure = self.failure(format!(
            "expected an indented block after {owner} on line {line}"
        ));
        failure.class = "IndentationError";
        failure
    }

    /// The colon behind the head of a statement; that it is missing is certain at the end of the line only.
    pub(super) fn colon(&mut self) -> Parsed<()> {
        if self.kind() == TokenKind::Newline {
            self.force(":")
        } else {
            self.expect(":")
        }
    }

    fn conditional(&mut self) -> Parsed<StmtKind> {
        let mut branches = Vec::new();
        let mut owner = "'if' statement";
        loop {
            let line = self.line();
            self.advance();
            let test = self.child(Self::named_expression)?;
            self.colon()?;
            let body = self.child(|parser| parser.block(owner, line))?;
            branches.push((line, test, body));
            if !self.at("elif") {
                break;
            }
            owner = "'elif' statement";
        }
        let mut orelse = self.otherwise()?;
        self.grow(branches.len())?;
        while let Some((line, test, body)) = branches.pop() {
            let kind = StmtKind::If { test, body, orelse };
            if branches.is_empty() {
                return Ok(kind);
            }
            orelse = vec![Stmt { line, kind }];
        }
        Err(self.unexpected())
    }

    /// The block behind `else`, if there is one.
    fn otherwise(&mut self) -> Parsed<Block> {
        self.labelled("else", "'else' statement")
    }

    fn labelled(&mut self, keyword: &str, owner: &str) -> Parsed<Block> {
        let line = self.line();
        if !self.take(keyword) {
            return Ok(Block::new());
        }
        self.force(":")?;
        self.child(|parser| parser.block(owner, line))
    }

    fn while_loop(&mut self) -> Parsed<StmtKind> {
        let line = self.line();
        self.advance();
        let test = self.child(Self::named_expression)?;
        self.colon()?;
        let body = self.child(|parser| parser.block("'while' statement", line))?;
        let orelse = self.otherwise()?;
        Ok(StmtKind::While { test, body, orelse })
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        let line = self.line();
        self.advance();
        let target = self.loop_target()?;
        let iter = self.star_expressions()?;
        self.colon()?;
        let body = self.child(|parser| parser.block("'for' statement", line))?;
        let orelse = self.otherwise()?;
        Ok(StmtKind::For {
            target,
            iter,
            body,
            orelse,
        })
    }

    fn with(&mut self) -> Parsed<StmtKind> {
        let line = self.line();
        self.advance();
        let items = self.with_items()?;
        self.colon()?;
        let body = self.child(|parser| parser.block("'with' statement", line))?;
        Ok(StmtKind::With { items, body })
    }

    /// Items in parentheses if it can be read so, else items without, the first of which may begin with a parenthesis.
    fn with_items(&mut self) -> Parsed<Vec<WithItem>> {
        let start = self.position;
        let mut first = None;
        if self.at("(") {
            match self.bracketed_items() {
                Ok(items) => return Ok(items),
                Err(failure) => first = Some(failure),
            }
            self.position = start;
        }
        match self.plain_items() {
            Err(second) => Err(match first {
                Some(first) if first.message != INVALID && first.token >= second.token => first,
                _ => second,
            }),
            // What follows may be the mistake that kept the items from being read in parentheses.
            Ok(items) => match first {
                Some(first) if !self.at(":") && first.message != INVALID => Err(first),
                _ => Ok(items),
            },
        }
    }

    fn bracketed_items(&mut self) -> Parsed<Vec<WithItem>> {
        self.expect("(")?;
        let mut items = vec![self.with_item()?];
        while self.take(",") && !self.at(")") {
            items.push(self.with_item()?);
        }
        self.expect(")")?;
        if self.at(":") {
            Ok(items)
        } else {
            Err(self.unexpected())
        }
    }

    fn plain_items(&mut self) -> Parsed<Vec<WithItem>> {
        let mut items = vec![self.with_item()?];
        while self.take(",") {
            items.push(self.with_item()?);
        }
        Ok(items)
    }

    fn with_item(&mut self) -> Parsed<WithItem> {
        let context = self.expression()?;
        if !self.take("as") {
            return Ok(WithItem {
                context,
                target: None,
            });
        }
        let start = self.position;
        let target = if self.at("*") {
            self.star_named_expression()?
        } else {
            self.expression()?
        };
        if self.at(",") || self.at(")") || self.at(":") {
            self.check_target(start, &target, Use::Assign)?;
        } else if super::targets::invalid_target(&target, Use::Assign).is_some() {
            return Err(self.unexpected());
        }
        let target = Some(target);
        Ok(WithItem { context, target })
    }

    fn try_statement(&mut self) -> Parsed<StmtKind> {
        let line = self.line();
        self.advance();
        self.force(":")?;
        let body = self.child(|parser| parser.block("'try' statement", line))?;
        let mut handlers = Vec::new();
        while self.at("except") {
            handlers.push(self.child(Self::handler)?);
        }
        if handlers.is_empty() && !self.at("finally") {
            return Err(self.failure("expected 'except' or 'finally' block"));
        }
        let orelse = if handlers.is_empty() {
            Block::new()
        } else {
            self.otherwise()?
        };
        let finally = self.labelled("finally", "'finally' statement")?;
        Ok(StmtKind::Try {
            body,
            handlers,
            orelse,
            finally,
        })
    }

    fn handler(&mut self) -> Parsed<Handler> {
        let line = self.line();
        self.advance();
        if self.at("*") {
            return Err(self.failure("'except*' is not supported"));
        }
        let mut class = None;
        let mut name = None;
        if self.starts_expression() {
            let start = self.position;
            class = Some(self.expression()?);
            if self.at(",") {
                return Err(self.several_classes(start));
            }
            if self.take("as") {
                name = Some(self.name()?);
            }
        }
        self.colon()?;
        let body = self.block("'except' statement", line)?;
        Ok(Handler {
            line,
            class,
            name,
            body,
        })
    }

    /// `except A, B:`.
    fn several_classes(&mut self, start: usize) -> Box<Failure> {
        let failure = self.unexpected();
        self.advance();
        let rest: Parsed<Expr> = self.star_expressions();
        if rest.is_ok() && self.take("as") && self.name().is_err() {
            return failure;
        }
        if rest.is_ok() && self.at(":") {
            return self.failure_from(start, "multiple exception types must be parenthesized");
        }
        failure
    }
}
