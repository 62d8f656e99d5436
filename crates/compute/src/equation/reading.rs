//! Finds the equations among the tokens of an answer: which tokens are the left side, which number is the claim, and
//! whether both were understood well enough to say that the equation is false.

use super::{
    Equation,
    expression::{self, Node, Parsed, Precedence, meant},
    step,
    token::{self, Kind, Op, Token},
    unit,
};
use crate::number::Found;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

/// Longer sides are not read: parsing and dropping an expression recurses along it.
const MOST_TOKENS: usize = 160;
/// Further equations are not read: each is compared with those before it.
const MOST_LINKS: usize = 400;

/// An equation with its expression.
pub(super) struct Link {
    pub(super) equation: Equation,
    pub(super) node: Node,
}

/// The number on the right of a relation.
struct Claim {
    found: Found,
    percent: bool,
    approximate: bool,
    certain: bool,
    /// Nothing but units stands behind it.
    ends: bool,
    units: Vec<String>,
}

/// All equations of a text, in order.
pub(super) fn links(text: &str) -> Vec<Link> {
    let tokens = spoken(token::tokens(text));
    let mut out = Vec::new();
    for segment in segments(&tokens) {
        if out.len() >= MOST_LINKS {
            break;
        }
        read_segment(text, segment, &mut out);
    }
    out
}

/// Signs that are written as words become signs: "times", "divided by", "equals".
fn spoken(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let operand = |ahead: usize| expression::starts_operand(&tokens, at + ahead);
        let word = |ahead: usize| match tokens.get(at + ahead).map(|token| &token.kind) {
            Some(Kind::Word(word, _)) => word.as_str(),
            _ => "",
        };
        // "17x - 20" is not 17 times -20.
        let negative = matches!(
            tokens.get(at + 1).map(|token| &token.kind),
            Some(Kind::Op(_))
        );
        let (kind, length) = match (word(0), word(1)) {
            ("times" | "x", _) if operand(1) && !negative => (Kind::Op(Op::Times), 1),
            ("plus", _) if operand(1) => (Kind::Op(Op::Plus), 1),
            ("minus", _) if operand(1) => (Kind::Op(Op::Minus), 1),
            ("mod" | "modulo", _) if operand(1) => (Kind::Op(Op::Modulo), 1),
            ("divided", "by") if operand(2) => (Kind::Op(Op::Divide), 2),
            ("multiplied", "by") if operand(2) => (Kind::Op(Op::Times), 2),
            ("percent", _) => (Kind::Percent, 1),
            ("equals", _) => (Kind::Relation { approximate: false }, 1),
            ("is" | "are", "equal") if word(2) == "to" => {
                (Kind::Relation { approximate: false }, 3)
            }
            _ => (tokens[at].kind.clone(), 1),
        };
        let remainder = kind == Kind::Percent && !tokens[at].glued && operand(1);
        let last = &tokens[at + length - 1];
        out.push(Token {
            kind: if remainder {
                Kind::Op(Op::Modulo)
            } else {
                kind
            },
            span: tokens[at].span.start..last.span.end,
            glued: tokens[at].glued,
        });
        at += length;
    }
    out
}

/// Runs of tokens without a full stop. A line that begins with a relation goes on with the line before.
fn segments(tokens: &[Token]) -> Vec<Vec<Token>> {
    let relation = |token: &Token| matches!(token.kind, Kind::Relation { .. });
    let mut out = vec![Vec::new()];
    let mut broken = false;
    for token in tokens {
        match token.kind {
            Kind::Newline => broken = true,
            Kind::Stop => out.push(Vec::new()),
            _ => {
                let open = out.last().and_then(|segment: &Vec<Token>| segment.last());
                if broken && !relation(token) && !open.is_some_and(relation) {
                    out.push(Vec::new());
                }
                broken = false;
                if let Some(segment) = out.last_mut() {
                    segment.push(token.clone());
                }
            }
        }
    }
    out.retain(|segment| !segment.is_empty());
    out
}

fn read_segment(text: &str, segment: Vec<Token>, out: &mut Vec<Link>) {
    let is_relation = |token: &Token| matches!(token.kind, Kind::Relation { .. });
    let sides: Vec<&[Token]> = segment.split(is_relation).collect();
    let relations: Vec<&Token> = segment.iter().filter(|token| is_relation(token)).collect();
    for (at, relation) in relations.iter().enumerate().take(MOST_LINKS) {
        let Some((start, left)) = left_side(sides[at]) else {
            continue;
        };
        let about = |relation: &Token| relation.kind == Kind::Relation { approximate: true };
        let mut claimed = claim(text, sides[at + 1], about(relation));
        if claimed.is_none()
            && let (Some(end), Some(next)) = (sides.get(at + 2), relations.get(at + 1))
            && !about(relation)
            && !about(next)
            && is_rewritten(&left.node, sides[at + 1])
        {
            // "(12 + 8) × 5 = 22 × 5 = 110": both must come to the result.
            claimed = claim(text, end, false);
        }
        let Some(claim) = claimed else {
            continue;
        };
        let inner = at > 0 && start == 0;
        if ends_in(&left.node, &claim.found.value, inner) {
            continue;
        }
        out.extend(link(text, &sides[at][start..], left, claim, out));
    }
    for side in sides {
        read_sentence(text, side, out);
    }
}

/// "20% of 80 is 16.", if nothing else is said before or behind.
fn read_sentence(text: &str, side: &[Token], out: &mut Vec<Link>) {
    const BEFORE: &[&str] = &[
        "so",
        "then",
        "and",
        "thus",
        "hence",
        "therefore",
        "now",
        "that",
        "means",
    ];
    let is = |token: &Token| matches!(&token.kind, Kind::Word(word, _) if word == "is");
    let Some(at) = side.iter().position(is) else {
        return;
    };
    let (before, behind) = (&side[..at], &side[at + 1..]);
    let value = before.last().is_some_and(|token| {
        matches!(
            token.kind,
            Kind::Number { .. } | Kind::Percent | Kind::Close
        )
    });
    let Some((start, left)) = left_side(before).filter(|_| value) else {
        return;
    };
    let plain = |token: &Token| matches!(&token.kind, Kind::Word(word, _) if BEFORE.contains(&word.as_str()));
    let Some(claim) = claim(text, behind, false) else {
        return;
    };
    let words = claim.units.iter().filter(|unit| *unit != "$").count();
    if before[..start].iter().all(plain) && claim.ends && words <= 2 {
        out.extend(link(text, &before[start..], left, claim, out));
    }
}

/// Whether a side is one expression that shortens the one before it, and does not go on with its result ("2 × 3 = 6 +
/// 1").
fn is_rewritten(before: &Node, side: &[Token]) -> bool {
    let Some(parsed) = expression::parse(shortened(side), Precedence::Usual) else {
        return false;
    };
    let numbers = parsed.node.literals();
    let value = before.value(&meant);
    let runs_on = numbers.iter().any(|literal| Some(meant(literal)) == value);
    let close = numbers
        .first()
        .zip(value.as_ref())
        .is_some_and(|(first, value)| {
            (meant(first) - value).abs() * BigInt::from(20) < value.abs()
        });
    parsed.certain
        && parsed.end == side.len()
        && numbers.len() > 1
        && numbers.len() < before.literals().len()
        && !runs_on
        && !close
}

/// "2 × 4 = 8 + 3 × 5 = 15" states two products and their sum in one line; "for 1 jar - 2 × $6 = $12" has a dash.
fn ends_in(node: &Node, claimed: &BigRational, inner: bool) -> bool {
    match node {
        Node::Binary(Op::Plus | Op::Minus, _, last) => {
            let product = matches!(&**last, Node::Binary(..));
            (inner || product) && last.value(&meant).as_ref() == Some(claimed)
        }
        _ => false,
    }
}

/// The expression that a side ends with and the index of its first token.
fn left_side(side: &[Token]) -> Option<(usize, Parsed)> {
    let skipped = side.len().saturating_sub(MOST_TOKENS);
    let side = &side[skipped..];
    let bullet =
        matches!(side, [first, second, ..] if first.kind == Kind::Op(Op::Minus) && !second.glued);
    let starts = (usize::from(bullet)..side.len()).filter(|at| {
        let dash = *at > 0 && side[*at].kind == Kind::Op(Op::Minus);
        !dash && expression::starts_operand(side, *at)
    });
    for start in starts {
        let Some(mut parsed) = expression::parse(&side[start..], Precedence::Usual) else {
            continue;
        };
        if parsed.end != side.len() - start || parsed.operators == 0 {
            continue;
        }
        if bullet && start == 1 {
            return Some((skipped + start, parsed));
        }
        parsed.certain &= skipped == 0 && leads_in(&side[..start], &side[start])?;
        return Some((skipped + start, parsed));
    }
    None
}

/// Whether what stands before an expression is surely no part of it; nothing if it surely is.
fn leads_in(before: &[Token], first: &Token) -> Option<bool> {
    let words = before
        .iter()
        .rev()
        .take_while(|token| matches!(token.kind, Kind::Word(..)));
    let words: Vec<&str> = words
        .filter_map(|token| match &token.kind {
            Kind::Word(word, _) => Some(word.as_str()),
            _ => None,
        })
        .collect();
    let function = first.glued && first.kind == Kind::Open && !words.is_empty();
    let rest = &before[..before.len() - words.len()];
    let plain = match rest.last().map(|token| &token.kind) {
        None => true,
        Some(Kind::Close) if words.is_empty() => {
            // "a)" numbers a list.
            rest.iter().all(|token| token.kind != Kind::Open)
        }
        Some(
            Kind::Number { .. } | Kind::Percent | Kind::Close | Kind::Currency | Kind::Exclamation,
        ) => {
            // "2 hours (120 minutes) of work + …": the bracket explains the number before it.
            first.kind != Kind::Open
                && !words.is_empty()
                && !words
                    .iter()
                    .any(|word| unit::leads(word) || unit::scales(word))
        }
        Some(Kind::Open) => false,
        // A dash, as in "Rent - 12 × 800 = 9,600", or a difference with something that has a name.
        Some(Kind::Op(Op::Minus)) if words.is_empty() && !first.glued => false,
        _ => return None,
    };
    let leads = words.iter().take(3).any(|word| unit::leads(word));
    (!function).then_some(plain && !leads)
}

fn shortened(side: &[Token]) -> &[Token] {
    &side[..side.len().min(MOST_TOKENS)]
}

/// The number that a side begins with, if it is not the beginning of an expression.
fn claim(text: &str, side: &[Token], approximate: bool) -> Option<Claim> {
    const ABOUT: &[&str] = &[
        "about",
        "approximately",
        "roughly",
        "around",
        "nearly",
        "almost",
        "approx",
    ];
    let about = matches!(side.first().map(|token| &token.kind),
        Some(Kind::Word(word, _)) if ABOUT.contains(&word.as_str()));
    let side = shortened(&side[usize::from(about)..]);
    let parsed = expression::parse(side, Precedence::Usual)?;
    let fraction = parsed.operators == 1
        && parsed.node.uses(Op::Divide)
        && parsed.units.is_empty()
        && side[1..parsed.end].iter().all(|token| token.glued);
    if parsed.operators > 0 && !fraction {
        return None;
    }
    let literals = parsed.node.literals();
    let (first, last) = (literals.first()?, literals.last()?);
    let behind = &text[last.span.end..];
    let mut near = behind.len().min(80);
    while !behind.is_char_boundary(near) {
        near -= 1;
    }
    let near = behind[..near]
        .split('\n')
        .next()
        .unwrap_or("")
        .to_lowercase();
    let rounded = near.contains("round") || near.contains("approx");
    let next = side.get(parsed.end).map(|token| &token.kind);
    let unit_words = parsed.units.iter().filter(|unit| *unit != "$");
    let compound = matches!(next, Some(Kind::Number { .. }))
        && unit_words
            .clone()
            .any(|unit| unit::converts(unit) || unit == "and");
    let stops = matches!(
        next,
        None | Some(
            Kind::Number { .. } | Kind::Open | Kind::Close | Kind::Newline | Kind::Exclamation
        )
    );
    Some(Claim {
        found: Found {
            value: parsed.node.value(&|literal| literal.value.clone())?,
            decimals: last.decimals,
            span: first.span.start..last.span.end,
        },
        percent: literals.iter().any(|literal| literal.percent),
        approximate: approximate || about || rounded,
        certain: parsed.certain
            && stops
            && !compound
            && !unit_words.take(2).any(|unit| unit::scales(unit)),
        ends: next.is_none(),
        units: parsed.units,
    })
}

/// The equation of both sides, unless it does not hold and may be meant in another way.
fn link(text: &str, tokens: &[Token], left: Parsed, claim: Claim, before: &[Link]) -> Option<Link> {
    let span = tokens.first()?.span.start..claim.found.span.end;
    let expression = span.start..tokens.last()?.span.end;
    let hundred = BigRational::from(BigInt::from(100));
    let mut readings = vec![left.node.value(&meant)?];
    let percent = claim.percent || left.node.literals().iter().any(|literal| literal.percent);
    if percent {
        // "30% + 20% = 50%" and "12 / 48 * 100 = 25%" count percents, "12 / 48 = 25%" does not.
        readings.push(left.node.value(&|literal| literal.value.clone())?);
        if claim.percent {
            readings[0] = &readings[0] * &hundred;
        }
    }
    let mut all = readings.into_iter().map(|actual| Equation {
        span: span.clone(),
        left: text[expression.clone()].to_owned(),
        claimed: claim.found.clone(),
        actual,
        approximate: claim.approximate,
    });
    let mut equation = all.next()?;
    for other in all {
        let distance = |equation: &Equation| (&equation.actual - &equation.claimed.value).abs();
        if distance(&other) < distance(&equation) {
            equation = other;
        }
    }
    let certain = equation.holds()
        || (is_certain(&left, &claim)
            && !excused((text, tokens), &left, &claim, &equation, before));
    let node = left.node;
    certain.then_some(Link { equation, node })
}

fn is_certain(left: &Parsed, claim: &Claim) -> bool {
    let mut units = left.units.clone();
    units.extend(claim.units.iter().cloned());
    let scaled = left.units.iter().any(|unit| unit::scales(unit));
    // "3 apples + 2 pears = $8" adds prices that are not written.
    let money = |units: &[String]| units.iter().any(|unit| unit == "$");
    let adds = !left.node.uses(Op::Times) && !left.node.uses(Op::Divide);
    // "3/4 = 9": what is so much of the whole.
    let part = match &left.node {
        Node::Binary(Op::Divide, top, bottom) => match (&**top, &**bottom) {
            (Node::Literal(top), Node::Literal(bottom)) => {
                top.value < bottom.value
                    && bottom.value <= BigRational::from(BigInt::from(12))
                    && claim.found.value.is_integer()
            }
            _ => false,
        },
        _ => false,
    };
    let priced = adds && money(&claim.units) && !money(&left.units) && !left.units.is_empty();
    left.certain && claim.certain && !scaled && !priced && !part && !unit::mixed(&units)
}

/// False as it stands, but explained by rounding or by signs that were taken one after the other.
fn excused(
    (text, tokens): (&str, &[Token]),
    left: &Parsed,
    claim: &Claim,
    equation: &Equation,
    before: &[Link],
) -> bool {
    let with = |actual: BigRational| Equation {
        actual,
        ..equation.clone()
    };
    let loose = |equation: &Equation| {
        let off = (&equation.actual - &equation.claimed.value).abs();
        equation.holds() || off < step(&equation.claimed) && left.node.uses(Op::Divide)
    };
    let flat = expression::parse(tokens, Precedence::LeftToRight)
        .and_then(|parsed| parsed.node.value(&meant))
        .is_some_and(|value| with(value).holds());
    // "20 × 45 = $9": prices in cents, the sum in dollars.
    let money = |units: &[String]| units.iter().any(|unit| unit == "$");
    let hundred = BigInt::from(100);
    // "the difference is 398 - 540 = 142"
    let before_it = &text[..equation.span.start];
    let near = before_it
        .char_indices()
        .rev()
        .nth(100)
        .map_or(0, |(at, _)| at);
    let turned = equation.actual == -&equation.claimed.value
        && before_it[near..].to_lowercase().contains("difference");
    let cents = money(&claim.units) != money(&left.units)
        && (&equation.actual * &hundred == equation.claimed.value
            || &equation.claimed.value * &hundred == equation.actual);
    // "600 × 1.1 = 660 / 10" goes on with the result.
    let runs_on = equation.claimed.span.len() > 2
        && equation.claimed.decimals == 0
        && !equation.claimed.value.is_integer();
    // Numbers that an earlier equation rounded carry their error on; so may numbers with many decimals.
    let error = |literal: &expression::Literal| {
        let rounded = before.iter().map(|link| &link.equation).find(|one| {
            one.claimed.value == literal.value && one.actual != one.claimed.value && one.holds()
        });
        let unit = BigRational::new(
            BigInt::from(1),
            BigInt::from(10).pow(literal.decimals as u32),
        );
        let unit = if literal.percent {
            unit / BigInt::from(100)
        } else {
            unit
        };
        match rounded {
            Some(earlier) => step(&earlier.claimed),
            None if literal.decimals > 2 || recurring(literal) => unit,
            None => BigRational::from(BigInt::from(0)),
        }
    };
    let shifted = |up: bool| {
        left.node.value(&|literal| {
            if up {
                meant(literal) + error(literal)
            } else {
                meant(literal) - error(literal)
            }
        })
    };
    let carried = match (shifted(true), shifted(false)) {
        (Some(high), Some(low)) => {
            let slack = step(&equation.claimed);
            let (low, high) = if low <= high {
                (low, high)
            } else {
                (high, low)
            };
            low != high
                && low - &slack <= equation.claimed.value
                && equation.claimed.value <= high + slack
        }
        _ => true,
    };
    loose(equation) || flat || carried || cents || turned || runs_on
}

/// 0.33, 66.67, 0.17: a third, two thirds and a sixth, rounded.
fn recurring(literal: &expression::Literal) -> bool {
    let times = &literal.value * BigInt::from(6);
    let near = (&times - times.round()).abs();
    literal.decimals == 2
        && !times.is_integer()
        && near <= BigRational::new(BigInt::from(3), BigInt::from(100))
}
