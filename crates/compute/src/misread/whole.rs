//! Misreadings where things come whole or stand in a row: rounding the wrong way, posts and gaps, cuts and pieces.
//!
//! Called by `misreading`, with the question in lower case and its number words as digits.

use super::{Misreading, integer, values};
use crate::{number, pattern::regex};
use num_rational::BigRational;
use num_traits::{One, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// What may come in parts.
const MEASURES: &[&str] = &[
    "hour",
    "minute",
    "second",
    "day",
    "week",
    "month",
    "year",
    "mile",
    "kilometer",
    "kilometre",
    "km",
    "meter",
    "metre",
    "centimeter",
    "centimetre",
    "cm",
    "millimeter",
    "mm",
    "foot",
    "feet",
    "inch",
    "inche",
    "yard",
    "liter",
    "litre",
    "milliliter",
    "ml",
    "gallon",
    "quart",
    "pint",
    "cup",
    "tablespoon",
    "teaspoon",
    "spoon",
    "ounce",
    "oz",
    "pound",
    "lb",
    "gram",
    "kilogram",
    "kilo",
    "kg",
    "milligram",
    "mg",
    "ton",
    "tonne",
    "degree",
    "percent",
    "dollar",
    "euro",
    "cent",
    "pence",
    "franc",
    "rupee",
    "square",
    "cubic",
    "acre",
    "hectare",
    "unit",
    "point",
    "calorie",
    "watt",
    "kwh",
    "gb",
    "mb",
    "gigabyte",
    "megabyte",
    "knot",
    "batch",
    "batche",
    "serving",
    "portion",
    "stone",
    "radian",
    "light",
    "nautical",
    "mph",
    "nickel",
    "g",
    "m",
    "l",
    "time",
    "lap",
    "part",
    "share",
];

/// The misreadings of this file.
pub(super) fn find(text: &str, value: &BigRational) -> Option<Misreading> {
    in_parts(text, value)
        .or_else(|| rounded(text, value))
        .or_else(|| posts(text, value))
        .or_else(|| cuts(text, value))
        .or_else(|| same_ones(text))
        .or_else(|| doubling(text, value))
}

/// "How many buses?": not 6.25.
fn in_parts(text: &str, value: &BigRational) -> Option<Misreading> {
    static ASKED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\bhow many ((?:[a-z'-]+\s?){1,4})([^?]*)"));
    let asked = ASKED.captures_iter(text).last()?;
    let is_measure = |word: &str| MEASURES.contains(&word.trim_end_matches('s'));
    let shared = [
        "average",
        "mean",
        "per ",
        "ratio",
        "rate",
        "equivalent",
        "worth",
    ];
    // Who serves 0.2 of a loaf may be asked for parts of loaves.
    let gives_parts = number::numbers(text).iter().any(|one| {
        let is_money = text[..one.span.start].trim_end().ends_with(['$', '€', '£']);
        !one.value.is_integer() && !is_money
    });
    let exempt = gives_parts
        || asked[1].split_whitespace().any(is_measure)
        || shared.iter().any(|word| asked[0].contains(word));
    (!exempt && !value.is_integer()).then_some(Misreading {
        why: "a part of a thing is no count",
        other: None,
    })
}

/// "How many trips for 100 cars, 14 at a time?": 8, not 7. "How many loaves from 4 kg?": those that are whole.
fn rounded(text: &str, value: &BigRational) -> Option<Misreading> {
    static NEEDED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bhow many\b[^.?!]*\b(?:needs?|needed|requires?|required|takes?|necessary|must|has to|have to|until|before)\b
              |\bneeds?\b[^.?!]*\bhow many\b",
        )
    });
    static FITS: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bhow many\b[^.?!]*\b(?:can|could|fits?|filled|full|complete|completely|whole|afford|buy)\b",
        )
    });
    let (needed, fits) = (NEEDED.is_match(text), FITS.is_match(text));
    let all = values(text);
    let [a, b] = &all[..] else { return None };
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    if small.is_zero() || (large / small).is_integer() {
        return None;
    }
    let (down, up) = ((large / small).floor(), (large / small).ceil());
    // Both are found where somebody needs to fit all: then more is right.
    let meant = match (needed, fits) {
        (true, _) => up.clone(),
        (false, true) => down.clone(),
        _ => return None,
    };
    let is_other = *value == down || *value == up || *value == large / small;
    (is_other && *value != meant && down > BigRational::one()).then_some(Misreading {
        why: "what is left over may have been rounded the wrong way",
        other: Some(meant),
    })
}

/// "A post every 5 m along 30 m, one at each end": 7 posts for 6 gaps.
fn posts(text: &str, value: &BigRational) -> Option<Misreading> {
    static EVERY: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:every|spaced|apart|intervals? of)\s+([0-9][0-9,.]*)\s*(?:m|meters?|metres?|feet|foot|ft|yards?|km|miles?|cm|inches|steps|paces)\b
              |\b([0-9][0-9,.]*)\s*(?:m|meters?|metres?|feet|foot|ft|yards?|km|miles?|cm|inches|steps|paces)\s+apart\b",
        )
    });
    static ROW: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bhow many\s+(?:[a-z]+\s+)?(?:posts?|poles?|trees?|lamps?|lights?|lanterns?|stakes?|signs?|pillars?|markers?|flags?|bollards?|bushes|plants?|hydrants?|benches|streetlights?|stones?)\b",
        )
    });
    let ring = [
        "around",
        "circle",
        "circular",
        "ring",
        "square",
        "perimeter",
        "round ",
    ];
    if !ROW.is_match(text) || ring.iter().any(|word| text.contains(word)) {
        return None;
    }
    let found = EVERY.captures(text)?;
    let gap = values(found.get(1).or_else(|| found.get(2))?.as_str()).pop()?;
    let all = values(text);
    let is_gaps = !gap.is_zero() && all.iter().any(|length| *value == length / &gap);
    is_gaps.then(|| Misreading {
        why: "the gaps of a row may have been counted, which has one more post",
        other: Some(value + BigRational::one()),
    })
}

/// "How many cuts make 6 pieces?": 5.
fn cuts(text: &str, value: &BigRational) -> Option<Misreading> {
    static CUTS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bhow many\s+(?:[a-z]+\s+)?cuts\b|\bhow many times\b[^.?!]*\b(?:cut|saw)\b")
    });
    static PIECES: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\b([0-9]+)\s+(?:[a-z]+\s+){0,2}(?:pieces|parts|sections|logs)\b"));
    CUTS.find(text)?;
    let pieces = values(&PIECES.captures(text)?[1]).pop()?;
    (*value == pieces).then(|| Misreading {
        why: "the last cut makes two pieces",
        other: Some(pieces - BigRational::one()),
    })
}

/// "Each of her 4 brothers has a sister", "each cat sees 3 cats": the same ones, counted again and again.
fn same_ones(text: &str) -> Option<Misreading> {
    static SAME: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:each|every)\b[^.?!]{0,30}\b(?:brother|sister|son|daughter|sibling|boy|girl)s?\s+(?:has|have|had)\s+
              (?:[a-z0-9]+\s+){0,3}(?:brother|sister|sibling)s?\b
              |\b(?:each|every)\b[^.?!]{0,20}\b(?:sees?|looks? at)\b",
        )
    });
    let asks = text.contains("how many") && SAME.is_match(text);
    asks.then_some(Misreading {
        why: "the same ones may have been counted several times",
        other: None,
    })
}

/// "It doubles every day and is full on day 30. When was it half full?": on day 29, not 15.
fn doubling(text: &str, value: &BigRational) -> Option<Misreading> {
    static DOUBLES: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bdoubl(?:es?|ed|ing)\b[^.?!]*\b(?:every|each|per)\b[\s\S]*\bhalf\b[^.?!]*\?")
    });
    DOUBLES.find(text)?;
    let all = values(text);
    let end = all.iter().find(|end| value * integer(2) == **end)?;
    Some(Misreading {
        why: "what doubles each time was half as much one step before",
        other: Some(end - BigRational::one()),
    })
}
