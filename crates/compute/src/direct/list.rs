//! Lists of numbers: sum, average, median, mode, range, extremes, order, spread; and two numbers compared.

use super::{
    Computed, Outcome,
    expression::evaluate,
    frame::{Match, whole},
    grade, number_word,
    ratio::{self, Ratio, root, whole as number},
    show,
    text::Reading,
    unit::{Dimension, convert},
};
use crate::number::Value;
use crate::pattern::regex;
use num_integer::Integer;
use num_traits::Zero;
use regex::Regex;
use std::sync::LazyLock;

/// What is asked of a list.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    statistic(reading)
        .or_else(|| ordered(reading))
        .or_else(|| extreme(reading))
        .or_else(|| compared(reading))
        .or_else(|| grade::needed(reading))
        .or_else(|| grade::weighted(reading))
        .or_else(|| divisor(reading))
        .or_else(|| rounded(reading))
}

/// Numbers of one kind.
pub(super) fn values(found: &Match<'_>, group: usize) -> Option<Vec<Ratio>> {
    let items = found.list(group)?;
    // "5, 7 and 6 km": the unit stands once, at the end.
    let last = items.last()?;
    let same = items.iter().all(|item| {
        let alike = item.unit == last.unit && (item.kind == 'P') == (last.kind == 'P');
        alike
            || item.kind == 'N'
                && last
                    .unit
                    .is_some_and(|unit| unit.dimension != Dimension::Temperature)
    });
    same.then(|| items.iter().map(|item| item.value.clone()).collect())
}

fn statistic(reading: &Reading) -> Option<Computed> {
    const NAME: &str = r"
        (?:
          (
            sum|total|average|mean|arithmetic mean|median|middle value|mode|range|product|
            spread|standard deviation|population standard deviation|
            sample standard deviation|variance|population variance|
            geometric mean|difference
          )(?: value| score| grade| price| number)?(?: of| for| between| in)?
          (?: following| these| numbers| values| data| set| scores| grades| list
            | data set| marks| results| times| ages| prices| weights| heights
          )*[ :,]*
        )@(?: \.{3})?";
    const ACTIVE: &str = r"
        (add|sum|add up|sum up|total|multiply|average)
        (?: following| these| up| numbers| together| values| of| all)*[ :,]*@
        (?: together| up)?";
    const BEHIND: &str =
        r"@(?: ?[.,:;-])* (?:\? )?(sum|total|average|mean|median|mode|range|in total|altogether)";
    const STORY: &str = r"
        (?:
          i (?:
              spent|paid|scored|got|have|had|walked|ran|earned|slept|bought|read
            )|
          (?:scores|grades|prices|numbers|values|data|temperatures)
            (?: are| were)?|
          these are scores
        )[ :]*@
        (?: ?
          (?:
            points|degrees|steps|pages|hours|on tests|in tests|on exams|
            this week
          )
        )?(?: ?[.,:;])* (?:\? )?(?:that |it |this )?(?:in )?
        (
          sum|total|average|mean|median|mode|range|altogether|all together|
          average score|average grade|mean score|total cost|average per day
        )(?: score| grade| value| that| in total)?";
    let (name, list) = if let Some(found) = whole(reading, NAME) {
        (found.word(1)?.to_owned(), values(&found, 2)?)
    } else if let Some(found) = whole(reading, ACTIVE) {
        (found.word(1)?.to_owned(), values(&found, 2)?)
    } else if let Some(found) = whole(reading, BEHIND).or_else(|| whole(reading, STORY)) {
        (found.word(2)?.to_owned(), values(&found, 1)?)
    } else {
        return None;
    };
    let unit = reading
        .items
        .iter()
        .find_map(|item| item.unit)
        .map_or("", |unit| unit.symbol);
    let percent = reading.items.iter().all(|item| item.kind == 'P');
    let unit = if percent { "%" } else { unit };
    let how = format!("{name} of {} numbers", list.len());
    let value = stated(&name, &list)?;
    if matches!(name.as_str(), "mode") && reading.currency().is_none() {
        return show::quantity(reading, value, unit, how);
    }
    match reading.currency() {
        Some(currency) => show::money_in(value, currency, how),
        None => show::quantity(reading, value, unit, how),
    }
}

fn stated(name: &str, list: &[Ratio]) -> Option<Value> {
    let sum: Ratio = list.iter().sum();
    let count = number(list.len());
    let mut sorted = list.to_vec();
    sorted.sort();
    let (least, most) = (sorted.first()?, sorted.last()?);
    let exact = match name {
        "sum" | "total" | "add" | "add up" | "sum up" | "in total" | "altogether"
        | "all together" | "total cost" => sum,
        "product" | "multiply" => list.iter().product::<Ratio>(),
        "average" | "mean" | "arithmetic mean" | "average score" | "average grade"
        | "mean score" | "average per day" => sum / count,
        "range" | "spread" => most - least,
        "difference" if list.len() == 2 => most - least,
        "median" | "middle value" => {
            let (middle, odd) = list.len().div_rem(&2);
            if odd == 1 {
                sorted[middle].clone()
            } else {
                (&sorted[middle - 1] + &sorted[middle]) / number(2)
            }
        }
        "mode" => {
            let times = |value: &Ratio| list.iter().filter(|other| *other == value).count();
            let best = list.iter().map(times).max().filter(|best| *best > 1)?;
            let mut modes: Vec<&Ratio> =
                sorted.iter().filter(|value| times(value) == best).collect();
            modes.dedup();
            return (modes.len() == 1).then(|| Value::Exact(modes[0].clone()));
        }
        "geometric mean" => {
            return root(
                &list.iter().product::<Ratio>(),
                u32::try_from(list.len()).ok()?,
            );
        }
        "population standard deviation"
        | "sample standard deviation"
        | "population variance"
        | "variance"
        | "standard deviation" => {
            // Without a word for which of the two, both are in use: silence.
            let below = match name.split(' ').next()? {
                "population" => count.clone(),
                "sample" if list.len() > 1 => &count - number(1),
                _ => return None,
            };
            let mean = &sum / &count;
            let squares: Ratio = list
                .iter()
                .map(|value| (value - &mean) * (value - &mean))
                .sum();
            let variance = squares / below;
            return if name.ends_with("variance") {
                Some(Value::Exact(variance))
            } else {
                root(&variance, 2)
            };
        }
        _ => return None,
    };
    ratio::fits(&exact).then_some(Value::Exact(exact))
}

fn ordered(reading: &Reading) -> Option<Computed> {
    const BEFORE: &str = r"
        (?:put|sort|order|arrange|rank|list|write)
        (?: following| these| numbers| values| them| fractions| decimals)*
        (?: in| by| from| into)? ?
        (
          ascending|increasing|descending|decreasing|numerical|smallest|least|
          lowest|small|largest|biggest|greatest|highest|large|smallest first|
          largest first|biggest first
        )?
        (?: order| to largest| to biggest| to greatest| to highest| to large
          | to smallest| to least| to lowest| to small| first
        )*[ :,]*@";
    const BEHIND: &str = r"
        (?:put|sort|order|arrange|rank|list|write)
        (?: following| these| numbers| values)*[ :]*@ ?,?
        (?: in| by| from| into)? (
          ascending|increasing|descending|decreasing|numerical|smallest|least|
          lowest|small|largest|biggest|greatest|highest|large
        )
        (?: order| to largest| to biggest| to greatest| to highest| to large
          | to smallest| to least| to lowest| to small| first
        )*";
    // "8, 1, 5 from largest to smallest": the order alone asks for it.
    const ALONE: &str = r"
        @ ?[,:-]* (?:sorted |ordered |in |from |by )+(
          ascending|increasing|descending|decreasing|smallest|least|lowest|small|
          largest|biggest|greatest|highest|large
        )
        (?: order| to largest| to biggest| to greatest| to highest| to large
          | to smallest| to least| to lowest| to small| first
        )+";
    let (list, order) = if let Some(found) = whole(reading, BEFORE) {
        (
            values(&found, 2)?,
            found.word(1).unwrap_or("ascending").to_owned(),
        )
    } else {
        let found = whole(reading, BEHIND).or_else(|| whole(reading, ALONE))?;
        (values(&found, 1)?, found.word(2)?.to_owned())
    };
    let down = [
        "descending",
        "decreasing",
        "largest",
        "biggest",
        "greatest",
        "highest",
        "large",
    ]
    .iter()
    .any(|word| order.starts_with(word));
    let written = |value: &Ratio| {
        reading
            .items
            .iter()
            .find(|item| &item.value == value)
            .map_or_else(String::new, |item| item.written.clone())
    };
    let mut list = list;
    list.sort();
    if down {
        list.reverse();
    }
    let mut out = show::list(
        &list,
        if down {
            "in descending order"
        } else {
            "in ascending order"
        },
    )?;
    out.text = list.iter().map(written).collect::<Vec<_>>().join(", ");
    Some(out)
}

fn extreme(reading: &Reading) -> Option<Computed> {
    const ONE: &str = r"
        (?:which (?:is |number is |one is |of these is |of these numbers is )?)?
        (?:(first|second|third|fourth|fifth|sixth|O) )?
        (
          largest|biggest|greatest|highest|maximum|max|smallest|lowest|least|
          minimum|min
        )(?: number| value| one)?(?: here)?(?: of| among| in| from| out of| is)?
        (?: following| these| numbers| values)*[ :,?]*@";
    let found = whole(reading, ONE)?;
    let place = match (found.word(1), found.item(2)) {
        (None, _) => 1,
        (_, Some(item)) => ratio::count(&item.value, 100)?,
        (Some(word), None) => number_word::ordinal(word)?,
    };
    let name = found.word(3)?.to_owned();
    let mut list = values(&found, 4)?;
    list.sort();
    if [
        "largest", "biggest", "greatest", "highest", "maximum", "max",
    ]
    .contains(&name.as_str())
    {
        list.reverse();
    }
    // Equal numbers share a place in one reading and not in the other.
    let twice = list.windows(2).any(|pair| pair[0] == pair[1]);
    let value = list
        .get(place.checked_sub(1)?)
        .filter(|_| !twice || place == 1)?;
    let item = reading.items.iter().find(|item| &item.value == value)?;
    let unit = item.unit.map_or("", |unit| unit.symbol);
    let mut out = show::quantity(
        reading,
        value,
        unit,
        format!(
            "{} of {} numbers",
            found
                .word(1)
                .map_or(name.clone(), |place| format!("{place} {name}")),
            list.len()
        ),
    )?;
    if item.written.contains('/') {
        out.text.clone_from(&item.written);
    }
    Some(out)
}

/// "Is 3/7 or 5/12 larger?", "which is bigger, 9.9 or 9.11", "is 0.7 greater than 2/3".
fn compared(reading: &Reading) -> Option<Computed> {
    const WHICH: &[&str] = &[
        r"(?:is )?()G or G(?: ,)?(?: which| what)?(?: one)?(?: is)? {more}(?: number| value)?",
        r"(?:which|what)?(?: number| one| fraction| value| of these| of two)*(?: is)? ?{more}
          (?: number| value| one)?[ ,:-]*(?:is it )?G ?,? (?:or|and) G()",
    ];
    for pattern in WHICH {
        if let Some(found) = whole(reading, pattern) {
            let (a, b, word) = match found.word(1).filter(|word| !word.is_empty()) {
                Some(word) => (found.item(2)?, found.item(3)?, word),
                None => (found.item(2)?, found.item(3)?, found.word(4)?),
            };
            return greater(a, b, word);
        }
    }
    if let Some(found) = powers(reading) {
        return Some(found);
    }
    let found = whole(reading, r"is G {more} than G")?;
    let (a, b) = (found.item(1)?, found.item(3)?);
    if a.unit.map(|unit| unit.dimension) != b.unit.map(|unit| unit.dimension) {
        return None;
    }
    if fits_not(found.word(2)?, a) {
        return None;
    }
    let down = is_down(found.word(2)?);
    if a.kind == 'K' {
        let value = convert(&a.value, a.unit?, b.unit?)?;
        let yes = if down {
            value < b.value
        } else {
            value > b.value
        };
        let how = format!("{} {} {}", a.written, sign(&value, &b.value), b.written);
        return show::yes_no(yes, how);
    }
    let yes = if down {
        a.base() < b.base()
    } else {
        a.base() > b.base()
    };
    show::yes_no(
        yes,
        format!("{} {} {}", a.written, sign(&a.base(), &b.base()), b.written),
    )
}

/// "Is 2^5 greater than 5^2?"
fn powers(reading: &Reading) -> Option<Computed> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^is (.+?) (larger|bigger|greater|more|higher|smaller|less|lower) than (.+?)[?. ]*$")
    });
    let found = FORM.captures(&reading.plain)?;
    let exact = |source: &str| match evaluate(source)? {
        Value::Exact(exact) => Some(exact),
        Value::Float(_) => None,
    };
    let (a, b) = (exact(&found[1])?, exact(&found[3])?);
    let yes = if is_down(&found[2]) { a < b } else { a > b };
    show::yes_no(
        yes,
        format!(
            "{} {} {}",
            show::exact_text(&a),
            sign(&a, &b),
            show::exact_text(&b)
        ),
    )
}

/// Only temperatures are warm or cold.
fn fits_not(word: &str, item: &super::text::Item) -> bool {
    ["hotter", "colder", "warmer", "cooler"].contains(&word) && item.kind != 'K'
}

fn is_down(word: &str) -> bool {
    [
        "smaller", "less", "lower", "shorter", "lighter", "slower", "colder", "cooler",
    ]
    .contains(&word)
}

fn sign(a: &Ratio, b: &Ratio) -> &'static str {
    match a.cmp(b) {
        std::cmp::Ordering::Less => "<",
        std::cmp::Ordering::Equal => "=",
        std::cmp::Ordering::Greater => ">",
    }
}

fn greater(a: &super::text::Item, b: &super::text::Item, word: &str) -> Option<Computed> {
    if a.unit.map(|unit| unit.dimension) != b.unit.map(|unit| unit.dimension)
        || a.kind == 'K' && a.unit != b.unit
        || a.base() == b.base()
        || fits_not(word, a)
    {
        return None;
    }
    let (chosen, other) = if (a.base() > b.base()) == is_down(word) {
        (b, a)
    } else {
        (a, b)
    };
    let text = format!("{} is {word} than {}", chosen.written, other.written);
    let value = Outcome::Choice {
        chosen: chosen.written.clone(),
        others: vec![other.written.clone()],
    };
    Some(Computed {
        value,
        text,
        how: format!("{} {} {}", a.written, sign(&a.base(), &b.base()), b.written),
    })
}

/// gcd, lcm, divisibility, primes, remainders.
fn divisor(reading: &Reading) -> Option<Computed> {
    const COMMON: &str = r"
        (
          gcd|gcf|hcf|greatest common divisor|greatest common factor|
          highest common factor|lcm|least common multiple|
          lowest common multiple|smallest common multiple
        )(?: of| for| between)?(?: numbers)?(?: of)? ?@";
    if let Some(found) = whole(reading, COMMON) {
        let list = values(&found, 2)?;
        let wholes: Option<Vec<_>> = list
            .iter()
            .map(|value| (value.is_integer() && value > &Ratio::zero()).then(|| value.to_integer()))
            .collect();
        let wholes = wholes?;
        let least = found.word(1)?.starts_with('l') || found.word(1)?.starts_with("sm");
        let joined = wholes
            .iter()
            .skip(1)
            .fold(wholes[0].clone(), |so_far, next| {
                if least {
                    so_far.lcm(next)
                } else {
                    so_far.gcd(next)
                }
            });
        let name = if least {
            "least common multiple"
        } else {
            "greatest common divisor"
        };
        return ratio::fits(&joined.clone().into()).then(|| show::number(reading, joined, name))?;
    }
    factors(reading)
        .or_else(|| remainder(reading))
        .or_else(|| divides(reading))
}

/// "Factors of 28".
fn factors(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:list |name )?(?:all )?(?:positive )?(?:divisors|factors) (?:of|for) N",
    )?;
    let n = ratio::count(&found.value(1)?, 10_000).filter(|n| *n > 0)?;
    let divides = |i: &usize| n.is_multiple_of(*i);
    let all: Vec<Ratio> = (1..=n).filter(divides).map(number).collect();
    show::list(&all, "whole numbers that divide it")
}

/// "1000 mod 37", "remainder when 547 is divided by 9".
fn remainder(reading: &Reading) -> Option<Computed> {
    const REMAINDER: &[&str] = &[
        r"remainder (?:when|if|of|after)?
          (?: you divide| dividing| i divide| we divide| is left when)? ?N
          (?: is)? (?:divided by|by|/|is divided by|÷) N",
        r"remainder (?:when|if|after) dividing N by N",
        r"remainder of N (?:divided by|/|by) N",
        r"N (?:mod|modulo|modulus) N",
        r"N (?:divided by|/) N [,.]? ?(?:\? )?
          (?:remainder|leaves what remainder|has what remainder)",
        r"(?:when|if) N is divided by N ,? (?:\? )?(?:what remainder|remainder)(?: is left)?",
    ];
    for pattern in REMAINDER {
        if let Some(found) = whole(reading, pattern) {
            let (a, b) = (found.value(1)?, found.value(2)?);
            if !a.is_integer() || !b.is_integer() || b <= Ratio::zero() || a < Ratio::zero() {
                return None;
            }
            let rest = a.to_integer().mod_floor(&b.to_integer());
            return show::number(
                reading,
                rest,
                format!("{} mod {}", a.to_integer(), b.to_integer()),
            );
        }
    }
    None
}

/// "Is 4731 divisible by 9?", "does 7 go into 1001?"
fn divides(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:is|can) N (?:be )?(?:evenly |exactly )?
          (divisible by|a multiple of|multiple of|divided evenly by|divided by) N
          (?: evenly| without remainder| without a remainder| exactly)?",
    );
    // "Does 7 go into 1001", "is 7 a factor of 1001": the smaller one first.
    const INTO: &str = r"
        (?:does|can|will|is|do) N (?:evenly |exactly )?
        (?:go into|divide into|divide|factor of|divisor of) N
        (?: evenly| without remainder| without a remainder| exactly)?";
    let (a, b) = match found {
        Some(found) => (found.value(1)?, found.value(3)?),
        None => {
            let found = whole(reading, INTO)?;
            (found.value(2)?, found.value(1)?)
        }
    };
    if !a.is_integer() || !b.is_integer() || b <= Ratio::zero() {
        return None;
    }
    let rest = a.to_integer().mod_floor(&b.to_integer());
    let quotient = a.to_integer().div_floor(&b.to_integer());
    let how = if rest.is_zero() {
        format!("{} = {} × {}", a, b, quotient)
    } else {
        format!("{a} = {b} × {quotient} + {rest}")
    };
    show::yes_no(rest.is_zero(), how)
}

/// "Round 3.14159 to two decimal places."
fn rounded(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:round |rounded )?X(?: rounded)?
          (?: off)? to (?:
            nearest (
                whole number|whole|integer|tenth|hundredth|thousandth|ten|hundred|thousand|cent|
                dollar|euro
              )|
            (?:N|one) (?:
                decimal places?|decimals?|decimal|places?|digits after (?:decimal )?point
              )
          )",
    )?;
    let item = found.item(1)?;
    let step = match (found.word(2), found.item(3)) {
        (Some("ten"), _) => number(10),
        (Some("hundred"), _) => number(100),
        (Some("thousand"), _) => number(1000),
        (Some("tenth"), _) => ratio::part(1, 10),
        (Some("hundredth" | "cent"), _) => ratio::part(1, 100),
        (Some("thousandth"), _) => ratio::part(1, 1000),
        (Some(_), _) => number(1),
        (None, Some(places)) => ratio::whole_power(
            &ratio::part(1, 10),
            i32::try_from(ratio::count(&places.value, 30)?).ok()?,
        )?,
        (None, None) => ratio::part(1, 10),
    };
    // Exact halves: ratios round away from zero, as people do.
    let value = (&item.value / &step).round() * step;
    show::amount(reading, value, format!("{} rounded", item.written))
}
