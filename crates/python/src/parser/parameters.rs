//! The parameters of functions and lambdas.
use super::{Parsed, Parser};
use crate::ast::{Expr, Parameter, Parameters};
use crate::lexer::TokenKind;

/// How far a list of parameters has come.
#[derive(Default)]
struct Progress {
    /// A parameter had a default.
    default: bool,
    slash: bool,
    star: bool,
}

impl Parser<'_> {
    /// Parameters up to what closes them; those of a lambda have no annotations.
    pub(super) fn parameters(&mut self, annotated: bool) -> Parsed<Parameters> {
        let end = if annotated { ")" } else { ":" };
        let mut parameters = Parameters::default();
        let mut progress = Progress::default();
        while !self.at(end) {
            if self.at("**") {
                parameters.double_star = Some(self.double_star(annotated, end)?);
                break;
            }
            if self.at("*") {
                self.star(&mut parameters, &mut progress, annotated, end)?;
            } else if self.at("/") {
                self.slash(&mut parameters, &mut progress)?;
            } else {
                self.plain(&mut parameters, &mut progress, annotated)?;
            }
            if !self.take(",") {
                break;
            }
        }
        if !self.at(end) {
            return Err(self.unexpected());
        }
        Ok(parameters)
    }

    fn plain(
        &mut self,
        parameters: &mut Parameters,
        progress: &mut Progress,
        annotated: bool,
    ) -> Parsed<()> {
        if self.at("(") {
            return Err(self.parenthesised_parameters(annotated));
        }
        let start = self.position;
        let parameter = self.child(|parser| parser.parameter(annotated, false))?;
        if progress.star {
            parameters.keyword_only.push(parameter);
            return Ok(());
        }
        if parameter.default.is_some() {
            progress.default = true;
        } else if progress.default && (self.at(",") || self.at(")") || self.at(":")) {
            return Err(self.complaint_at(start, "non-default argument follows default argument"));
        }
        parameters.positional.push(parameter);
        Ok(())
    }

    fn parenthesised_parameters(&mut self, annotated: bool) -> Box<super::Failure> {
        let start = self.position;
        let failure = self.unexpected();
        self.advance();
        if self.names().is_ok() && self.take(")") {
            let what = if annotated {
                "Function"
            } else {
                "Lambda expression"
            };
            return self.complaint_at(start, format!("{what} parameters cannot be parenthesized"));
        }
        failure
    }

    fn slash(&mut self, parameters: &mut Parameters, progress: &mut Progress) -> Parsed<()> {
        let message = if progress.slash {
            "/ may appear only once"
        } else if progress.star {
            "/ must be ahead of *"
        } else if parameters.positional.is_empty() && !self.at_ahead(1, ",") {
            super::INVALID
        } else if parameters.positional.is_empty() {
            "at least one argument must precede /"
        } else {
            progress.slash = true;
            parameters.positional_only = parameters.positional.len();
            self.advance();
            return Ok(());
        };
        Err(self.complaint_at(self.position, message))
    }

    fn star(
        &mut self,
        parameters: &mut Parameters,
        progress: &mut Progress,
        annotated: bool,
        end: &str,
    ) -> Parsed<()> {
        let start = self.position;
        if progress.star {
            let again = self.at_ahead(1, ",") || self.token_at(1).kind == TokenKind::Name;
            return Err(if again {
                self.complaint_at(start, "* argument may appear only once")
            } else {
                self.unexpected()
            });
        }
        self.advance();
        progress.star = true;
        if self.kind() == TokenKind::Name {
            let parameter = self.child(|parser| parser.parameter(annotated, true))?;
            if self.at("=") {
                return Err(self.complaint_at(
                    self.position,
                    "var-positional argument cannot have default value",
                ));
            }
            parameters.star = Some(parameter);
            return Ok(());
        }
        let bare =
            self.at(end) || (self.at(",") && (self.at_ahead(1, end) || self.at_ahead(1, "**")));
        if bare {
            return Err(self.complaint_at(start, "named arguments must follow bare *"));
        }
        if self.at(",") {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn double_star(&mut self, annotated: bool, end: &str) -> Parsed<Parameter> {
        self.expect("**")?;
        let name = self.name()?;
        let annotation = self.annotation(annotated, false)?;
        if self.at("=") {
            return Err(self.complaint_at(
                self.position,
                "var-keyword argument cannot have default value",
            ));
        }
        if self.take(",") && !self.at(end) {
            let more =
                self.kind() == TokenKind::Name || self.at("*") || self.at("**") || self.at("/");
            let message = "arguments cannot follow var-keyword argument";
            return Err(if more {
                self.complaint_at(self.position, message)
            } else {
                self.unexpected()
            });
        }
        Ok(Parameter {
            name,
            default: None,
            annotation,
        })
    }

    /// A name with its annotation and, but behind a star, its default.
    fn parameter(&mut self, annotated: bool, starred: bool) -> Parsed<Parameter> {
        let name = self.name()?;
        let annotation = self.annotation(annotated, starred)?;
        let mut default = None;
        if !starred && self.take("=") {
            if annotated && (self.at(",") || self.at(")")) {
                return Err(
                    self.complaint_at(self.position - 1, "expected default value expression")
                );
            }
            default = Some(self.expression()?);
        }
        Ok(Parameter {
            name,
            default,
            annotation,
        })
    }

    fn annotation(&mut self, annotated: bool, starred: bool) -> Parsed<Option<Expr>> {
        if !annotated || !self.take(":") {
            return Ok(None);
        }
        let annotation = if starred && self.at("*") {
            self.star_named_expression()?
        } else {
            self.expression()?
        };
        Ok(Some(annotation))
    }
}
