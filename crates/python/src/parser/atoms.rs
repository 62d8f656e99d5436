//! Atoms (names, literals, brackets) and what follows them: attributes, calls, subscripts.
use super::{Parsed, Parser, node};
use crate::ast::{Expr, ExprKind};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// An atom with any number of attributes, calls and subscripts behind it.
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        self.deeper(Self::chained_primary)
    }

    fn chained_primary(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let mut value = self.atom()?;
        loop {
            let kind = if self.take(".") {
                let name = self.name()?;
                let value = Box::new(value);
                ExprKind::Attribute { value, name }
            } else if self.at("(") {
                let arguments = self.child(|parser| parser.arguments(true))?;
                let function = Box::new(value);
                ExprKind::Call {
                    function,
                    arguments,
                }
            } else if self.take("[") {
                let index = Box::new(self.child(Self::subscript)?);
                self.expect("]")?;
                let value = Box::new(value);
                ExprKind::Subscript { value, index }
            } else {
                return Ok(value);
            };
            self.grow(1)?;
            value = node(line, kind);
        }
    }

    pub(super) fn atom(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let constant = match token.kind {
            TokenKind::Name => ExprKind::Name(self.name()?),
            TokenKind::Number => self.number()?,
            TokenKind::Text => return self.child(Self::strings),
            TokenKind::Symbol("(") => return self.child(Self::parenthesised),
            TokenKind::Symbol("[") => return self.child(Self::list),
            TokenKind::Symbol("{") => return self.child(Self::braces),
            TokenKind::Symbol("await") => return Err(self.asynchronous()),
            TokenKind::Symbol(symbol) => {
                let kind = match symbol {
                    "None" => ExprKind::None,
                    "True" => ExprKind::True,
                    "False" => ExprKind::False,
                    "..." => ExprKind::Ellipsis,
                    _ => return Err(self.unexpected()),
                };
                self.advance();
                kind
            }
            _ => return Err(self.unexpected()),
        };
        Ok(node(token.line, constant))
    }

    /// A tuple, a generator, or an expression between parentheses.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let line = self.line();
        self.expect("(")?;
        if self.take(")") {
            return Ok(node(line, ExprKind::Tuple(Vec::new())));
        }
        if self.at("yield") {
            let value = self.yielded()?;
            self.expect(")")?;
            return Ok(value);
        }
        let start = self.position;
        if self.take("**") {
            self.expression()?;
            return Err(self.complaint_before(
                ")",
                start,
                "cannot use double starred expression here",
            ));
        }
        let mut listed = self.listed(Self::star_named_expression)?;
        if !listed.tuple
            && let Some(only) = listed.items.pop()
        {
            let starred = matches!(only.kind, ExprKind::Starred(_));
            if self.is_for() {
                self.check_unpacking(start, starred)?;
                let comprehension = self.comprehension(None, only)?;
                self.expect(")")?;
                return Ok(node(line, ExprKind::Generator(comprehension)));
            }
            if starred {
                return Err(self.complaint_before(
                    ")",
                    start,
                    "cannot use starred expression here",
                ));
            }
            self.expect(")")?;
            return Ok(only);
        }
        self.expect(")")?;
        self.grow(1)?;
        Ok(node(line, ExprKind::Tuple(listed.items)))
    }

    fn list(&mut self) -> Parsed<Expr> {
        let line = self.line();
        self.expect("[")?;
        if self.take("]") {
            return Ok(node(line, ExprKind::List(Vec::new())));
        }
        let start = self.position;
        let mut listed = self.listed(Self::star_named_expression)?;
        if self.is_for() {
            self.check_element(start, &listed)?;
            if let Some(element) = listed.items.pop() {
                let comprehension = self.comprehension(None, element)?;
                self.expect("]")?;
                return Ok(node(line, ExprKind::ListComp(comprehension)));
            }
        }
        self.expect("]")?;
        self.grow(1)?;
        Ok(node(line, ExprKind::List(listed.items)))
    }

    /// A dictionary or a set.
    fn braces(&mut self) -> Parsed<Expr> {
        let line = self.line();
        self.expect("{")?;
        if self.take("}") {
            return Ok(node(line, ExprKind::Dict(Vec::new())));
        }
        let start = self.position;
        if self.at("**") {
            return self.dictionary(line, None);
        }
        let bare = !self.at("*") && !self.at_ahead(1, ":=");
        let first = self.child(Self::star_named_expression)?;
        if bare && self.at(":") {
            return self.dictionary(line, Some(first));
        }
        let mut items = vec![first];
        let mut tuple = false;
        while self.take(",") {
            tuple = true;
            if !self.starts_expression() && !self.at("*") {
                break;
            }
            items.push(self.child(Self::star_named_expression)?);
        }
        let mut listed = super::expressions::Listed {
            line,
            items,
            tuple,
            last: start,
        };
        if self.is_for() {
            self.check_element(start, &listed)?;
            if let Some(element) = listed.items.pop() {
                let comprehension = self.comprehension(None, element)?;
                self.expect("}")?;
                return Ok(node(line, ExprKind::SetComp(comprehension)));
            }
        }
        self.expect("}")?;
        self.grow(1)?;
        Ok(node(line, ExprKind::Set(listed.items)))
    }

    /// A dictionary behind its bracket and perhaps its first key.
    fn dictionary(&mut self, line: u32, first: Option<Expr>) -> Parsed<Expr> {
        let mut items = Vec::new();
        let mut key = first;
        loop {
            if key.is_none() && self.take("**") {
                let value = self.child(Self::bitwise_or)?;
                self.check_dictionary_unpacking()?;
                items.push((None, value));
            } else {
                let start = self.position;
                let key = match key.take() {
                    Some(key) => key,
                    None => self.later_key(start)?,
                };
                let value = self.dictionary_value(start)?;
                if items.is_empty() && self.is_for() {
                    let comprehension = self.comprehension(Some(key), value)?;
                    self.expect("}")?;
                    return Ok(node(line, ExprKind::DictComp(comprehension)));
                }
                items.push((Some(key), value));
            }
            if !self.take(",") || self.at("}") {
                break;
            }
        }
        self.expect("}")?;
        self.grow(1)?;
        Ok(node(line, ExprKind::Dict(items)))
    }

    /// A key behind other items: if something else than a colon follows, that is the first to complain of.
    fn later_key(&mut self, start: usize) -> Parsed<Expr> {
        let key = self.quietly(Self::expression);
        if key.is_ok() || !self.may_search() {
            return key;
        }
        self.position = start;
        self.expression()
    }

    /// The value behind a key that began at `start`.
    fn dictionary_value(&mut self, start: usize) -> Parsed<Expr> {
        if !self.take(":") {
            return Err(self.complaint_at(start, "':' expected after dictionary key"));
        }
        if self.at("*") {
            let star = self.position;
            self.advance();
            self.bitwise_or()?;
            return Err(self.complaint_at(
                star,
                "cannot use a starred expression in a dictionary value",
            ));
        }
        if self.at("}") || self.at(",") {
            return Err(self.complaint_at(
                self.position,
                "expression expected after dictionary key and ':'",
            ));
        }
        self.expression()
    }

    /// What stands between the brackets of a subscript.
    fn subscript(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let mut items = vec![self.child(Self::slice)?];
        let mut tuple = self.at(",")
            || matches!(
                items[..],
                [Expr {
                    kind: ExprKind::Starred(_),
                    ..
                }]
            );
        while self.take(",") && !self.at("]") {
            tuple = true;
            items.push(self.child(Self::slice)?);
        }
        if !tuple && let Some(only) = items.pop() {
            return Ok(only);
        }
        self.grow(1)?;
        Ok(node(line, ExprKind::Tuple(items)))
    }

    /// `lower:upper:step`, or an index.
    fn slice(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.take("*") {
            let value = Box::new(self.expression()?);
            self.grow(1)?;
            return Ok(node(line, ExprKind::Starred(value)));
        }
        let assigned = self.at_ahead(1, ":=");
        let lower = if self.at(":") {
            None
        } else {
            Some(self.named_expression()?)
        };
        if !self.at(":") {
            return lower.ok_or_else(|| self.unexpected());
        }
        if assigned {
            return Err(self.unexpected());
        }
        self.advance();
        let upper = self.bound()?;
        let step = if self.take(":") { self.bound()? } else { None };
        self.grow(1)?;
        let lower = lower.map(Box::new);
        Ok(node(line, ExprKind::Slice { lower, upper, step }))
    }

    fn bound(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.starts_expression() {
            return Ok(None);
        }
        Ok(Some(Box::new(self.expression()?)))
    }
}
