//! Sequences and primes: the next term, the nth term, sums of terms, primes below a number, Fibonacci.
//!
//! A rule is taken only where the terms fix it more than once over: three terms for a difference or factor, four for a
//! difference of differences or for Fibonacci's rule.

use super::{
    Computed,
    frame::{Match, whole},
    number_word,
    ratio::{self, Ratio, count, whole as number, whole_power},
    show,
    text::Reading,
};
use crate::pattern::regex;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// What a question about a sequence comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    next(reading)
        .or_else(|| nth(reading))
        .or_else(|| primes(reading))
        .or_else(|| fibonacci(reading))
        .or_else(|| series(reading))
        .or_else(|| digits(reading))
}

#[derive(Clone, Debug)]
enum Rule {
    Arithmetic(Ratio),
    Geometric(Ratio),
    Quadratic(Ratio, Ratio),
    Fibonacci,
    /// Squares, cubes and triangular numbers are quadratic or cubic; primes are a list.
    Cubic,
}

fn rule(terms: &[Ratio]) -> Option<Rule> {
    let differences = |list: &[Ratio]| {
        list.windows(2)
            .map(|pair| &pair[1] - &pair[0])
            .collect::<Vec<_>>()
    };
    let same = |list: &[Ratio]| list.windows(2).all(|pair| pair[0] == pair[1]);
    let first = differences(terms);
    if terms.len() >= 3 && same(&first) {
        return Some(Rule::Arithmetic(first[0].clone()));
    }
    if terms.len() >= 3 && terms.iter().all(|term| !term.is_zero()) {
        let factors: Vec<Ratio> = terms.windows(2).map(|pair| &pair[1] / &pair[0]).collect();
        if same(&factors) {
            return Some(Rule::Geometric(factors[0].clone()));
        }
    }
    if terms.len() < 4 {
        return None;
    }
    let second = differences(&first);
    let fibonacci = terms
        .windows(3)
        .all(|three| &three[0] + &three[1] == three[2]);
    let quadratic = same(&second);
    match (quadratic, fibonacci) {
        (true, false) => return Some(Rule::Quadratic(first[0].clone(), second[0].clone())),
        (false, true) => return Some(Rule::Fibonacci),
        (true, true) => return None,
        _ => {}
    }
    let third = differences(&second);
    (terms.len() >= 5 && same(&third)).then_some(Rule::Cubic)
}

fn terms(found: &Match<'_>, group: usize) -> Option<Vec<Ratio>> {
    let items = found.list(group)?;
    items
        .iter()
        .all(|item| item.kind == 'N')
        .then(|| items.iter().map(|item| item.value.clone()).collect())
}

/// The term at a place counted from zero.
fn term(terms: &[Ratio], rule: &Rule, place: usize) -> Option<Ratio> {
    let n = number(place);
    match rule {
        Rule::Arithmetic(step) => Some(&terms[0] + step * n),
        Rule::Geometric(factor) => {
            Some(&terms[0] * whole_power(factor, i32::try_from(place).ok()?)?)
        }
        Rule::Quadratic(first, second) => {
            Some(&terms[0] + first * &n + second * &n * (&n - Ratio::one()) / number(2))
        }
        Rule::Fibonacci | Rule::Cubic => {
            if place > 1000 {
                return None;
            }
            let mut all = terms.to_vec();
            while all.len() <= place {
                let end = all.len();
                all.push(match rule {
                    Rule::Fibonacci => &all[end - 1] + &all[end - 2],
                    // Third differences are constant.
                    _ => {
                        number(4) * &all[end - 1] - number(6) * &all[end - 2]
                            + number(4) * &all[end - 3]
                            - &all[end - 4]
                    }
                });
            }
            all.get(place).cloned()
        }
    }
    .filter(ratio::fits)
}

fn primes_up_to(most: usize) -> Vec<usize> {
    let mut sieve = vec![true; most + 1];
    let mut out = Vec::new();
    for candidate in 2..=most {
        if sieve[candidate] {
            out.push(candidate);
            for multiple in (candidate * candidate..=most).step_by(candidate) {
                sieve[multiple] = false;
            }
        }
    }
    out
}

fn next(reading: &Reading) -> Option<Computed> {
    const NEXT: &[&str] = &[
        r"(?:what|which)
          (?: number| term| one)? (?:comes|is|should come|would come|follows|goes) next
          (?: in| after)?(?: following| this| sequence| series| pattern| number sequence)*(?: in)?
          [ :,-]*@(?:[ .,;:_]|\?|\.{2,}|…)*",
        r"(?:what is )?(?:find )?next(?: number| term| one| value)?(?: in| of| after)?
          (?: following| this| sequence| series| pattern)*[ :,-]*@(?:[ .,;:_]|\?|…)*",
        r"@(?:[ .,;:_]|\?|…)* (?:what|which)(?: number| term)?
          (?: is| comes| should come)? (?:next|next number|next term|follows)(?: number| term)?",
        r"(?:what|which)(?: number| term)? (?:follows|comes after|is after|continues|goes after)
          [ :,-]*@(?:[ .,;:_]|\?|…)*",
        r"(?:continue|complete)(?: this| following| sequence| series| pattern)*[ :,-]*@
          (?:[ .,;:_]|\?|…)*",
        r"@(?:[ .,;:_]|\?|…)* (?:\? )?next(?: number| term)?(?: in sequence| in series)?",
    ];
    let found = NEXT.iter().find_map(|pattern| whole(reading, pattern))?;
    let terms = terms(&found, 1)?;
    let value = match rule(&terms) {
        Some(rule) => term(&terms, &rule, terms.len())?,
        None => next_prime(&terms)?,
    };
    show::number(reading, value, format!("next after {} terms", terms.len()))
}

/// Consecutive primes, at least five.
fn next_prime(terms: &[Ratio]) -> Option<Ratio> {
    let all = primes_up_to(2000);
    let places: Option<Vec<usize>> = terms
        .iter()
        .map(|term| all.binary_search(&count(term, 1900)?).ok())
        .collect();
    let places = places.filter(|places| {
        places.len() >= 5 && places.windows(2).all(|pair| pair[1] == pair[0] + 1)
    })?;
    Some(number(*all.get(places.last()? + 1)?))
}

fn nth(reading: &Reading) -> Option<Computed> {
    const NTH: &str = r"
        (?:find )?{nth} (?:term|number|element|member|value)(?: of| in)?
        (?: following| this| arithmetic| geometric| sequence| series| pattern
          | progression
        )*[ :,-]*@(?:[ .,;:_]|\?|…)*";
    if let Some(found) = whole(reading, NTH) {
        let place = match found.item(2) {
            Some(item) => count(&item.value, 100_000)?,
            None => number_word::ordinal(found.word(1)?)?,
        };
        let terms = terms(&found, 3)?;
        let value = term(&terms, &rule(&terms)?, place.checked_sub(1)?)?;
        return show::number(reading, value, format!("term {place}"));
    }
    let found = whole(
        reading,
        r"sum of first N (?:terms|numbers|elements)(?: of| in)?
          (?: following| this| arithmetic| geometric| sequence| series| pattern| progression)*
          [ :,-]*@(?:[ .,;:_]|\?|…)*",
    )?;
    let n = count(&found.value(1)?, 2000)?;
    let terms = terms(&found, 2)?;
    let rule = rule(&terms)?;
    let all: Option<Vec<Ratio>> = (0..n).map(|place| term(&terms, &rule, place)).collect();
    show::number(
        reading,
        all?.iter().sum::<Ratio>(),
        format!("sum of {n} terms"),
    )
}

fn primes(reading: &Reading) -> Option<Computed> {
    const MOST: usize = 2_000_000;
    if let Some(found) = whole(
        reading,
        r"(?:is )?(?:number )?N (?:is )?
          (?:prime|prime number|composite|composite number|prime or composite|prime or not)",
    ) {
        let n = found.value(1)?;
        let n = count(&n, 1_000_000_000_000)?;
        let factor = (2..=1_000_000usize)
            .take_while(|factor| factor * factor <= n)
            .find(|factor| n.is_multiple_of(*factor));
        let prime = n > 1 && factor.is_none();
        let how = match factor {
            Some(factor) => format!("{n} = {factor} × {}", n / factor),
            None if n < 2 => format!("{n} is not a prime number"),
            None => format!("{n} is a prime number"),
        };
        if reading.canon.contains("prime or") {
            return show::word(if prime { "prime" } else { "composite" }, how);
        }
        return show::yes_no(prime != reading.canon.contains("composite"), how);
    }
    if let Some(found) = whole(
        reading,
        r"(?:how many|number of) (?:primes|prime numbers)(?: are| exist)?(?: there)?
          (?: in range)? (
            below|under|less than|smaller than|up to|between|from|until|not exceeding
          ) N(?: (?:and|to) N)?",
    ) {
        let (first, second) = (count(&found.value(2)?, MOST)?, found.value(3));
        let inclusive = ["up to", "not exceeding"].contains(&found.word(1)?);
        let (from, to) = match (found.word(1)?, second) {
            ("between" | "from", Some(second)) => (first, count(&second, MOST)?),
            ("between" | "from", None) | (_, Some(_)) => return None,
            _ => (0, first),
        };
        let all = primes_up_to(to.max(2));
        // Whether the ends count matters only where they are primes.
        if !inclusive && from > 0 && (all.contains(&from) || all.contains(&to))
            || found.word(1)? == "until" && all.contains(&to)
        {
            return None;
        }
        let count = all
            .iter()
            .filter(|prime| **prime > from && (**prime < to || inclusive && **prime == to))
            .count();
        return show::number(reading, count, format!("primes {} {}", found.word(1)?, to));
    }
    if let Some(found) = whole(
        reading,
        r"(next|previous|first|smallest|largest|last|biggest|greatest) (?:prime|prime number)
          (?: that is| which is)? (
            after|above|greater than|larger than|bigger than|over|before|below|less than|
            smaller than|under
          ) N",
    ) {
        return prime_beside(reading, found.word(1)?, found.word(2)?, &found.value(3)?);
    }
    let found = whole(reading, r"{nth} (?:prime|prime number)")?;
    let place = match found.item(2) {
        Some(item) => count(&item.value, 50_000)?,
        None => number_word::ordinal(found.word(1)?)?,
    };
    let value = *primes_up_to(700_000).get(place.checked_sub(1)?)?;
    show::number(reading, value, format!("prime number {place}"))
}

/// "The next prime after 89", "the largest prime below 100".
fn prime_beside(reading: &Reading, which: &str, side: &str, from: &Ratio) -> Option<Computed> {
    let up = ["next", "first", "smallest"].contains(&which);
    let above = side.contains("after")
        || side.contains("above")
        || side.contains("over")
        || ["greater", "larger", "bigger"]
            .iter()
            .any(|word| side.starts_with(word));
    // "The smallest prime below 100" is 2, whatever is meant.
    if up != above {
        return None;
    }
    let from = count(from, 600_000)?;
    let all = primes_up_to(700_000);
    let mut found = all.iter().copied();
    let value = match above {
        true => found.find(|prime| *prime > from)?,
        false => found.take_while(|prime| *prime < from).last()?,
    };
    show::number(reading, value, format!("{which} prime {side} {from}"))
}

fn fibonacci(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(O|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth) (?:
            fibonacci number|number (?:of|in) fibonacci sequence|fibonacci|
            term of fibonacci sequence
          )(?: starting with N(?: and|,) N| if first 2 are N and N)?",
    )?;
    let place = match found.item(2) {
        Some(item) => count(&item.value, 1000)?,
        None => number_word::ordinal(found.word(1)?)?,
    };
    if found.word(3).is_some() || found.word(5).is_some() || place < 3 {
        return None;
    }
    let (mut a, mut b) = (BigInt::zero(), BigInt::one());
    for _ in 1..place {
        let next = &a + &b;
        a = b;
        b = next;
    }
    show::number(
        reading,
        b,
        format!("Fibonacci number {place}, from 1, 1, 2"),
    )
}

/// "Sum of the numbers from 1 to 100", "sum of the first 20 odd numbers".
fn series(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(
        reading,
        r"(?:add up |add |sum of |sum |total of )?(?:up )?(?:all )?(?:sum of )?
          (whole |natural |even |odd |integers|numbers|)(?:numbers |integers )?(?:from |between )?
          N (?:to|through|up to|until) N(?: added up| added together| summed)?",
    ) {
        let adding = reading.canon.contains("sum")
            || reading.canon.contains("add")
            || reading.canon.contains("total of");
        let (from, to) = (
            count(&found.value(2)?, 10_000_000)?,
            count(&found.value(3)?, 10_000_000)?,
        );
        if !adding || from >= to || reading.canon.contains("between") {
            return None;
        }
        let step = |value: &usize| match found.word(1) {
            Some("even") => value.is_multiple_of(2),
            Some("odd") => !value.is_multiple_of(2),
            _ => true,
        };
        let sum: u128 = (from..=to).filter(step).map(|value| value as u128).sum();
        return show::number(
            reading,
            BigInt::from(sum),
            format!("sum from {from} to {to}"),
        );
    }
    let found = whole(
        reading,
        r"(?:sum of |add |add up )(?:all )?
          first N (natural|positive|odd|even|whole|counting|prime)
          (?: numbers| integers| whole numbers)?",
    )?;
    let n = count(&found.value(1)?, 10_000)?;
    let value = match found.word(2)? {
        "natural" | "positive" | "counting" => n * (n + 1) / 2,
        "odd" => n * n,
        "prime" => primes_up_to(200_000).iter().take(n).sum(),
        _ => return None,
    };
    show::number(
        reading,
        value,
        format!("sum of {n} {} numbers", found.word(2)?),
    )
}

/// "How many digits does 2^100 have?", "what is the last digit of 7^50?"
fn digits(reading: &Reading) -> Option<Computed> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:please )?(?:what is |what's |find )?(?:the )?
              (?:
                how many digits (?:does|are in|are there in|has|are) (.+?)(?: have| has)?|
                (?:number of digits (?:of|in)) (.+?)|
                (?:last|units|ones|final) digit (?:of|in) (.+?)
              )[?. ]*$",
        )
    });
    let found = FORM.captures(&reading.plain)?;
    let part = |group: usize| found.get(group).map(|part| part.as_str());
    let source = part(1).or_else(|| part(2)).or_else(|| part(3))?;
    let value = match super::expression::evaluate(source)? {
        crate::number::Value::Exact(exact) if exact.is_integer() => exact.to_integer(),
        _ => return None,
    };
    let text = value.magnitude().to_string();
    if part(3).is_some() {
        return show::number(
            reading,
            BigInt::from(text.chars().next_back()?.to_digit(10)?),
            format!("last digit of {source}"),
        );
    }
    show::number(reading, text.len(), format!("digits of {source}"))
}
