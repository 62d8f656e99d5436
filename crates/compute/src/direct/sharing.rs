//! Things shared out, given away and bought again: how many each, how many are left, what more of them cost.
//!
//! Every pattern reads the whole question: a twist ("all but nine", "some of them") leaves it without an answer.

use super::{
    Computed,
    frame::whole,
    ratio::{Ratio, count},
    show,
    text::Reading,
};
use num_traits::Signed;

/// What a question about shared things comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    shared(reading)
        .or_else(|| goes_into(reading))
        .or_else(|| given_away(reading))
        .or_else(|| more_of_them(reading))
}

/// Whether two words name the same thing, once or several times.
fn same(a: &str, b: &str) -> bool {
    let stem = |word: &str| word.trim_end_matches('s').trim_end_matches('e').to_owned();
    stem(a) == stem(b)
}

/// "Share 50 sweets between 6 kids, how many are left over?", "how many each if 84 cookies are shared by 12 kids".
fn shared(reading: &Reading) -> Option<Computed> {
    const LEFT: &[&str] = &[
        r"(?:if )?(?:i |you |we )?(?:share|divide|split|distribute) N [a-z]+ (?:equally |evenly )?
          (?:between|among|amongst|with|into) (?:groups of |bags of |boxes of )?N(?: [a-z]+)?
          (?: equally| evenly)? ?[.,]? ?how many (?:[a-z]+ )?(?:are |is |will be )?
          (?:left over|left|remain|remaining|leftover)",
        r"(?:if )?N [a-z]+ (?:are )?(?:shared|divided|split|distributed) (?:equally |evenly )?
          (?:between|among|amongst|by|into) (?:groups of |bags of |boxes of )?N(?: [a-z]+)?
          (?: equally| evenly)? ?[.,]? ?how many (?:[a-z]+ )?(?:are |is |will be )?
          (?:left over|left|remain|remaining|leftover)",
    ];
    const EACH: &[&str] = &[
        r"how many (?:[a-z]+ )?(?:does |do |will )?(?:each|everyone|everybody)
          (?: one| person| child| kid| student| friend| of them)?
          (?: get| gets| receive)? (?:if|when) N [a-z]+ (?:are )?(?:shared|divided|split)
          (?: equally| evenly)? (?:by|between|among|amongst) N(?: [a-z]+)?(?: equally| evenly)?",
        r"(?:if )?(?:i |you |we )?(?:share|divide|split|distribute) N [a-z]+ (?:equally |evenly )?
          (?:between|among|amongst|with) N(?: [a-z]+)?(?: equally| evenly)? ?[.,]? ?
          how many (?:[a-z]+ )?(?:does |do |will )?(?:each|everyone|everybody)
          (?: one| person| child| kid| student| friend| of them)?(?: get| gets| receive)?",
        r"(?:if )?N [a-z]+ (?:are )?(?:shared|divided|split) (?:equally |evenly )?
          (?:between|among|amongst|by) N(?: [a-z]+)?(?: equally| evenly)? ?[.,]? ?
          how many (?:[a-z]+ )?(?:does |do |will )?(?:each|everyone|everybody)
          (?: one| person| child| kid| student| friend| of them)?(?: get| gets| receive)?",
    ];
    let left = LEFT.iter().find_map(|pattern| whole(reading, pattern));
    let asks_left = left.is_some();
    let found = left.or_else(|| EACH.iter().find_map(|pattern| whole(reading, pattern)))?;
    let all = count(&found.value(1)?, 1_000_000_000)?;
    let among = count(&found.value(2)?, 1_000_000).filter(|among| *among > 0)?;
    let how = format!("{all} / {among}");
    if asks_left {
        return show::number(reading, all % among, format!("{how}, remainder"));
    }
    // What does not come out even may be cut or kept: that is another question.
    (all % among == 0).then(|| show::number(reading, all / among, how))?
}

/// "How many times does 8 go into 96?" Only where it does.
fn goes_into(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"how (?:many times|often) (?:does|do|can|will) N (?:go|fit) (?:into|in) N",
    )?;
    let (small, large) = (found.value(1)?, found.value(2)?);
    if !small.is_positive() || !large.is_positive() {
        return None;
    }
    let value = &large / &small;
    let how = format!(
        "{} / {}",
        show::exact_text(&large),
        show::exact_text(&small)
    );
    value
        .is_integer()
        .then(|| show::number(reading, value, how))?
}

/// "I have 45 apples and give away 17. How many are left?"
fn given_away(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:if )?(?:i|we|he|she|[a-z]+) (?:have|has|had) N ([a-z]+)(?: and| but| ,| [.]| then)*
          (?: i| we| he| she)? (?:
            give|gives|gave|eat|eats|ate|sell|sells|sold|lose|loses|lost|break|breaks|broke|use|uses|used|donate|
            donates|donated
          )(?: away)? N(?: of them)?(?: ([a-z]+))? ?[.,]? ?how many (?:([a-z]+) )?
          (?:do i have |do we have |does he have |does she have |are )?(?:left|remain|remaining)
          (?: over)?",
    )?;
    let (have, gone) = (found.value(1)?, found.value(3)?);
    let thing = found.word(2)?;
    let other = |group: usize| found.word(group).is_some_and(|word| !same(word, thing));
    if other(4) || other(5) || gone > have || !have.is_integer() || gone.is_negative() {
        return None;
    }
    let how = format!("{} - {}", show::exact_text(&have), show::exact_text(&gone));
    show::quantity(reading, have - gone, thing, how)
}

/// "If 3 pens cost 4.50, how much do 8 pens cost?"
fn more_of_them(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:if )?N ([a-z]+) (?:cost|costs|come to|are) X ?[.,]? ?
          (?:\? |how much |what )(?:do |does |would |will |is |are |for )*N ([a-z]+)
          (?: cost)?(?: me)?",
    )?;
    let (few, price, many) = (found.value(1)?, found.item(3)?, found.value(4)?);
    if !few.is_positive() || many.is_negative() || !same(found.word(2)?, found.word(5)?) {
        return None;
    }
    let value: Ratio = &price.value * &many / &few;
    let how = format!(
        "{} × {} / {}",
        price.written,
        show::exact_text(&many),
        show::exact_text(&few)
    );
    show::money(reading, value, how)
}
