//! Words around numbers that decide whether an equation's numbers can be compared as they stand.

/// Units of one kind that convert into each other: with two of them in an equation, its numbers need not agree.
const CONVERTIBLE: &[&[&str]] = &[
    &[
        "second sec s",
        "minute min",
        "hour hr h hourly",
        "day daily",
        "week weekly wk",
        "month monthly",
        "year yr yearly annual annually",
        "quarter quarterly",
        "decade",
        "century centuries",
        "fortnight",
        "am",
        "pm",
        "mph kph",
        "semester",
        "season",
        "noon",
        "night",
        "weekend",
        "weekday",
    ],
    &[
        "mm millimeter millimetre",
        "cm centimeter centimetre",
        "m meter metre",
        "km kilometer kilometre",
        "inch inches in",
        "foot feet ft",
        "yard yd",
        "mile mi",
        "block",
        "lap",
    ],
    &[
        "mg milligram",
        "g gram",
        "kg kilogram kilo",
        "pound lb",
        "ounce oz",
        "ton tonne",
    ],
    &[
        "ml milliliter millilitre",
        "l liter litre",
        "gallon gal",
        "quart",
        "pint",
        "cup",
        "tablespoon tbsp",
        "teaspoon tsp",
    ],
    &[
        "$ dollar buck",
        "cent ¢ penny pennies",
        "nickel",
        "dime",
        "euro",
    ],
    &[
        "bit",
        "byte",
        "kb kilobyte",
        "mb megabyte",
        "gb gigabyte",
        "tb",
    ],
    &["degree", "radian", "celsius", "fahrenheit"],
];

/// Words that change the value of the number they stand at.
const SCALING: &[&str] = &[
    "dozen",
    "dozens",
    "half",
    "halves",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "million",
    "millions",
    "billion",
    "billions",
    "trillion",
    "k",
    "pair",
    "pairs",
    "couple",
    "score",
    "gross",
    "third",
    "thirds",
    "fourth",
    "fourths",
    "quarters",
    "fifth",
    "fifths",
    "tenth",
    "tenths",
    "sixth",
    "sixths",
    "eighth",
    "eighths",
    "squared",
    "cubed",
    "remainder",
    "r",
    "mod",
    "twice",
    "double",
    "doubled",
    "triple",
    "tripled",
    "root",
    "base",
    "than",
    "of",
    "times",
    "percent",
    "percentage",
    "power",
    "log",
    "average",
    "ratio",
    "factor",
    "x",
];

/// Words in front of an expression that are part of the calculation.
const LEADING: &[&str] = &[
    "half",
    "third",
    "thirds",
    "quarter",
    "quarters",
    "fourth",
    "fourths",
    "fifth",
    "fifths",
    "tenth",
    "twice",
    "double",
    "triple",
    "thrice",
    "times",
    "than",
    "plus",
    "minus",
    "squared",
    "root",
    "log",
    "sqrt",
    "percent",
    "dozen",
    "hundred",
    "thousand",
    "million",
    "average",
    "mean",
    "median",
    "ratio",
    "subtracting",
    "adding",
    "from",
    "by",
    "modulo",
    "mod",
    "negative",
    "square",
    "cube",
    "less",
    "more",
    "sum",
    "without",
    "except",
    "every",
    "per",
    "multiple",
    "factor",
    "remainder",
    "gcd",
    "lcm",
    "max",
    "min",
    "maximum",
    "minimum",
];

/// Whether two different units of one kind occur.
pub(super) fn mixed(units: &[String]) -> bool {
    CONVERTIBLE.iter().any(|kind| {
        let mut found = units.iter().flat_map(|unit| places(unit, kind));
        let first = found.next();
        first.is_some() && found.any(|other| Some(other) != first)
    })
}

/// Whether a word converts into others of its kind.
pub(super) fn converts(unit: &str) -> bool {
    CONVERTIBLE
        .iter()
        .any(|kind| places(unit, kind).next().is_some())
}

/// Whether a word changes the value of the number before it.
pub(super) fn scales(word: &str) -> bool {
    SCALING.contains(&word)
}

/// Whether a word in front of an expression is part of the calculation.
pub(super) fn leads(word: &str) -> bool {
    LEADING.contains(&word)
}

/// Which units of the kind a word names: `foot-long` has the parts `foot` and `long`, a plural counts as its singular.
fn places(unit: &str, kind: &'static [&str]) -> impl Iterator<Item = usize> {
    unit.split('-').filter_map(move |part| {
        let singular = part.strip_suffix('s').filter(|one| one.len() > 1);
        let is = |name: &str| name == part || Some(name) == singular;
        kind.iter().position(|names| names.split(' ').any(is))
    })
}
