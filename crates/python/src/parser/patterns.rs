//! `match`: the statement and its patterns.
//!
//! `match`, `case` and `_` are names elsewhere. A line that begins with `match` is read as the head of the statement first and,
//! if that fails, as an expression.
use super::{Failure, INVALID, Parsed, Parser, node};
use crate::ast::{BinOp, Case, Expr, ExprKind, Name, Pattern, StmtKind, UnaryOp};
use crate::lexer::TokenKind;

/// The arguments of a class pattern.
type ClassArguments = (Vec<Pattern>, Vec<(Name, Pattern)>);

impl Parser<'_> {
    /// A `match` statement, or nothing if the word is a name there.
    pub(super) fn match_statement(&mut self) -> Parsed<Option<StmtKind>> {
        let start = self.position;
        let line = self.line();
        self.advance();
        // A name or a literal behind the word leaves no other reading.
        let certain = matches!(
            self.kind(),
            TokenKind::Name | TokenKind::Number | TokenKind::Text
        );
        let subject = if self.starts_expression() || self.at("*") {
            self.star_named_expressions()
        } else {
            Err(self.unexpected())
        };
        let block = self.at(":") && self.token_at(1).kind == TokenKind::Newline;
        let Some(subject) = subject
            .ok()
            .filter(|subject| !matches!(subject.kind, ExprKind::Starred(_)))
        else {
            self.position = start;
            return Ok(None);
        };
        if certain && self.kind() == TokenKind::Newline {
            return Err(self.failure("expected ':'"));
        }
        if !block {
            self.position = start;
            return Ok(None);
        }
        self.advance();
        self.advance();
        if !self.take_kind(TokenKind::Indent) {
            return Err(self.missing_block("'match' statement", line));
        }
        let mut cases = Vec::new();
        while self.at_word("case") {
            cases.push(self.child(Self::case)?);
        }
        if cases.is_empty() || !self.take_kind(TokenKind::Dedent) {
            return Err(self.unexpected());
        }
        Ok(Some(StmtKind::Match { subject, cases }))
    }

    fn case(&mut self) -> Parsed<Case> {
        let line = self.line();
        self.advance();
        let pattern = self.child(Self::patterns)?;
        let guard = if self.take("if") {
            Some(self.child(Self::named_expression)?)
        } else {
            None
        };
        self.colon()?;
        let body = self.block("'case' statement", line)?;
        Ok(Case {
            pattern,
            guard,
            body,
        })
    }

    /// One pattern or, with commas, a sequence without brackets.
    fn patterns(&mut self) -> Parsed<Pattern> {
        let first = self.starred_pattern()?;
        if self.at(",") {
            let items = self.more_patterns(first)?;
            self.grow(1)?;
            return Ok(Pattern::Sequence(items));
        }
        if matches!(first, Pattern::Star(_)) {
            Err(self.unexpected())
        } else {
            Ok(first)
        }
    }

    /// The patterns of a sequence, the first of which was read.
    fn more_patterns(&mut self, first: Pattern) -> Parsed<Vec<Pattern>> {
        let mut items = vec![first];
        while self.take(",") {
            if self.at(")") || self.at("]") || self.at(":") || self.at("if") {
                break;
            }
            items.push(self.starred_pattern()?);
        }
        Ok(items)
    }

    fn starred_pattern(&mut self) -> Parsed<Pattern> {
        if !self.take("*") {
            return self.pattern();
        }
        let wildcard = self.at_word("_");
        let name = self.capture_name()?;
        Ok(Pattern::Star((!wildcard).then_some(name)))
    }

    /// A name alone; not the beginning of a dotted name or a class.
    fn capture_name(&mut self) -> Parsed<Name> {
        let name = self.name()?;
        if self.at(".") || self.at("(") || self.at("=") {
            Err(self.unexpected())
        } else {
            Ok(name)
        }
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        self.deeper(|parser| parser.child(Self::as_pattern))
    }

    fn as_pattern(&mut self) -> Parsed<Pattern> {
        let mut pattern = self.child(Self::closed_pattern)?;
        if self.at("|") {
            let mut choices = vec![pattern];
            while self.take("|") {
                choices.push(self.child(Self::closed_pattern)?);
            }
            self.grow(1)?;
            pattern = Pattern::Or(choices);
        }
        if !self.take("as") {
            return Ok(pattern);
        }
        let start = self.position;
        if self.at_word("_") {
            return Err(self.complaint_at(start, "cannot use '_' as a target"));
        }
        if self.kind() != TokenKind::Name {
            self.expression()?;
            return Err(self.complaint_at(start, "invalid pattern target"));
        }
        let name = Some(self.capture_name()?);
        self.grow(1)?;
        let pattern = Some(Box::new(pattern));
        Ok(Pattern::As { pattern, name })
    }

    fn closed_pattern(&mut self) -> Parsed<Pattern> {
        let line = self.line();
        match self.kind() {
            TokenKind::Name => self.named_pattern(),
            TokenKind::Text => Ok(Pattern::Value(self.strings()?)),
            TokenKind::Number | TokenKind::Symbol("-") => {
                Ok(Pattern::Value(self.number_pattern()?))
            }
            TokenKind::Symbol("(") => self.parenthesised_pattern(),
            TokenKind::Symbol("[") => {
                self.advance();
                let items = if self.at("]") {
                    Vec::new()
                } else {
                    self.sequence_items()?
                };
                self.expect("]")?;
                self.grow(1)?;
                Ok(Pattern::Sequence(items))
            }
            TokenKind::Symbol("{") => self.mapping(),
            TokenKind::Symbol(symbol) => {
                let constant = match symbol {
                    "None" => ExprKind::None,
                    "True" => ExprKind::True,
                    "False" => ExprKind::False,
                    _ => return Err(self.unexpected()),
                };
                self.advance();
                Ok(Pattern::Singleton(node(line, constant)))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn sequence_items(&mut self) -> Parsed<Vec<Pattern>> {
        let first = self.starred_pattern()?;
        self.more_patterns(first)
    }

    fn parenthesised_pattern(&mut self) -> Parsed<Pattern> {
        self.advance();
        if self.take(")") {
            return Ok(Pattern::Sequence(Vec::new()));
        }
        let first = self.starred_pattern()?;
        if self.at(")") && !matches!(first, Pattern::Star(_)) {
            self.advance();
            return Ok(first);
        }
        if !self.at(",") {
            return Err(self.unexpected());
        }
        let items = self.more_patterns(first)?;
        self.expect(")")?;
        self.grow(1)?;
        Ok(Pattern::Sequence(items))
    }

    /// A number with a sign, or two of them that make a complex one.
    fn number_pattern(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let left = self.signed_number()?;
        let op = if self.at("+") {
            BinOp::Add
        } else if self.at("-") {
            BinOp::Sub
        } else {
            return Ok(left);
        };
        self.advance();
        let right_line = self.line();
        if self.kind() != TokenKind::Number {
            return Err(self.unexpected());
        }
        let right = node(right_line, self.number()?);
        let real = match &left.kind {
            ExprKind::Unary { operand, .. } => !matches!(operand.kind, ExprKind::Imaginary(_)),
            kind => !matches!(kind, ExprKind::Imaginary(_)),
        };
        if !real {
            return Err(self.failure("real number required in complex literal"));
        }
        if !matches!(right.kind, ExprKind::Imaginary(_)) {
            return Err(self.failure("imaginary number required in complex literal"));
        }
        let kind = ExprKind::Binary {
            left: Box::new(left),
            op,
            right: Box::new(right),
        };
        Ok(node(line, kind))
    }

    fn signed_number(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let negative = self.take("-");
        let number_line = self.line();
        if self.kind() != TokenKind::Number {
            return Err(self.unexpected());
        }
        let number = node(number_line, self.number()?);
        if !negative {
            return Ok(number);
        }
        let kind = ExprKind::Unary {
            op: UnaryOp::Minus,
            operand: Box::new(number),
        };
        Ok(node(line, kind))
    }

    /// A capture, a dotted name, or a class.
    fn named_pattern(&mut self) -> Parsed<Pattern> {
        let line = self.line();
        let wildcard = self.at_word("_");
        let name = self.name()?;
        if wildcard {
            return Ok(Pattern::As {
                pattern: None,
                name: None,
            });
        }
        if !self.at(".") && !self.at("(") {
            let failure = self.unexpected();
            let name = Some(name);
            return if self.at("=") {
                Err(failure)
            } else {
                Ok(Pattern::As {
                    pattern: None,
                    name,
                })
            };
        }
        let class = self.dotted(node(line, ExprKind::Name(name)))?;
        if !self.take("(") {
            return if self.at("=") {
                Err(self.unexpected())
            } else {
                Ok(Pattern::Value(class))
            };
        }
        let (positional, keywords) = self.class_arguments()?;
        self.grow(1)?;
        Ok(Pattern::Class {
            class,
            positional,
            keywords,
        })
    }

    fn dotted(&mut self, mut value: Expr) -> Parsed<Expr> {
        let line = value.line;
        while self.take(".") {
            let name = self.name()?;
            let kind = ExprKind::Attribute {
                value: Box::new(value),
                name,
            };
            self.grow(1)?;
            value = node(line, kind);
        }
        Ok(value)
    }

    /// Up to the closing parenthesis.
    fn class_arguments(&mut self) -> Parsed<ClassArguments> {
        let mut positional = Vec::new();
        let mut keywords = Vec::new();
        while !self.at(")") {
            if self.kind() == TokenKind::Name && self.at_ahead(1, "=") {
                let name = self.name()?;
                self.advance();
                keywords.push((name, self.pattern()?));
            } else {
                let start = self.position;
                let pattern = self.pattern()?;
                if !keywords.is_empty() {
                    return Err(
                        self.complaint_at(start, "positional patterns follow keyword patterns")
                    );
                }
                positional.push(pattern);
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok((positional, keywords))
    }

    fn mapping(&mut self) -> Parsed<Pattern> {
        self.advance();
        let mut entries = Vec::new();
        let mut rest = None;
        while !self.at("}") {
            if self.take("**") {
                if self.at_word("_") {
                    return Err(self.unexpected());
                }
                rest = Some(self.capture_name()?);
                self.take(",");
                break;
            }
            let key = self.mapping_key()?;
            self.expect(":")?;
            entries.push((key, self.pattern()?));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        self.grow(1)?;
        Ok(Pattern::Mapping { entries, rest })
    }

    /// A literal or a dotted name.
    fn mapping_key(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.kind() == TokenKind::Name {
            if !self.at_ahead(1, ".") {
                self.advance();
                return Err(self.unexpected());
            }
            let first = self.name()?;
            return self.child(|parser| parser.dotted(node(line, ExprKind::Name(first))));
        }
        match self.child(Self::closed_pattern) {
            Ok(Pattern::Value(key) | Pattern::Singleton(key)) => Ok(key),
            Ok(_) => Err(self.no_key()),
            Err(failure) => Err(failure),
        }
    }

    fn no_key(&self) -> Box<Failure> {
        self.failure(INVALID)
    }
}
