//! Equations in one unknown: "2x + 7 = 31", "3x^2 - 12x - 36 = 0", and numbers somebody thinks of.

use super::{
    Computed, Outcome,
    frame::{Scan, whole},
    ratio::{Ratio, decimal, part, root, whole as number},
    show,
    text::Reading,
};
use crate::number::Value;
use crate::pattern::regex;
use num_traits::{One, Signed, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// The solution of an equation in signs or words.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    signs(reading)
        .or_else(|| spoken(reading))
        .or_else(|| thought(reading))
        .or_else(|| two_numbers(reading))
        .or_else(|| consecutive(reading))
}

/// "Three times a number minus 4 equals 20. What's the number?"
fn spoken(reading: &Reading) -> Option<Computed> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:if )?
              (.*\b(?:a|some|an unknown|my) number\b.*?) (?:
                is|equals|is equal to|gives|makes|is the same as|=
              ) (-?[\d.,]+?)
              [.,]? (?:what is|find|which is|what was|then what is) (?:the|this|that|my) (?:
                number|original number
              )[?. ]*$",
        )
    });
    let found = FORM.captures(&reading.plain)?;
    let mut left = found[1].to_owned();
    for (words, sign) in [
        (" plus ", "+"),
        (" minus ", "-"),
        (" times ", "*"),
        (" multiplied by ", "*"),
        (" divided by ", "/"),
        (" increased by ", "+"),
        (" decreased by ", "-"),
        ("twice ", "2*"),
        ("double ", "2*"),
        ("triple ", "3*"),
        ("half of ", "1/2*"),
        ("half ", "1/2*"),
        (" added to ", "+"),
        ("the sum of ", ""),
        ("the product of ", ""),
    ] {
        left = left.replace(words, sign);
    }
    for name in ["a number", "some number", "an unknown number", "my number"] {
        left = left.replace(name, "x");
    }
    // "The sum of a number and 5" keeps its words and is not read.
    let left = polynomial(&left.replace(' ', ""), 'x')?;
    let right = decimal(&found[2].replace(',', ""));
    let right = if found[2].starts_with('-') {
        -decimal(&found[2][1..].replace(',', ""))
    } else {
        right
    };
    if !left[2].is_zero() || left[1].is_zero() {
        return None;
    }
    show::number(
        reading,
        (right - &left[0]) / &left[1],
        "solved for the number",
    )
}

/// A polynomial of degree up to two, lowest first.
type Polynomial = [Ratio; 3];

fn signs(reading: &Reading) -> Option<Computed> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:please )?(?:can you )?
              (?:
                solve|solve for [a-z]|solve the equation|solve this equation|solve this|
                find [a-z]|find [a-z] if|find [a-z] when|what is [a-z] if|what is [a-z] when|
                what is the value of [a-z] if|if|calculate [a-z] if|find the value of [a-z] if|
                find the value of [a-z] in|what is [a-z] in|determine [a-z] if|
                find the solutions of|find the roots of|what are the solutions of|
                what are the roots of|what are the solutions to|what is the solution to|
                for what x is
              )?[:, ]*([0-9a-z+\-*/^=(). ]+=[0-9a-z+\-*/^(). ]+?)
              (?:
                [,. ]*
                (?:
                  for [a-z]|what is [a-z]|then what is [a-z]|what is the value of [a-z]|
                  find [a-z]|solve for [a-z]|then [a-z] is|then [a-z] =|then [a-z] equals|
                  how much is [a-z]|[a-z] = ?
                )
              )?[?. ]*$",
        )
    });
    let found = FORM.captures(reading.plain.trim())?;
    let equation = found[1].replace(' ', "");
    let (left, right) = equation.split_once('=')?;
    if right.contains('=') || equation.len() > 200 {
        return None;
    }
    let mut unknowns: Vec<char> = equation.chars().filter(char::is_ascii_lowercase).collect();
    unknowns.sort_unstable();
    unknowns.dedup();
    let [unknown] = unknowns.as_slice() else {
        return None;
    };
    // "If x = 3, what is y?" asks for something else, and "x = 5" for nothing.
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\b(?:what is|find|for|how much is|value of|calculate|determine) ([a-z])\b")
    });
    let foreign = ASKED
        .captures_iter(&reading.plain)
        .any(|asked| !asked[1].starts_with(*unknown));
    let letter = unknown.to_string();
    if foreign || left == letter || right == letter {
        return None;
    }
    let (left, right) = (polynomial(left, *unknown)?, polynomial(right, *unknown)?);
    let [c, b, a] = [0, 1, 2].map(|i| &left[i] - &right[i]);
    solved(*unknown, &a, &b, &c, &equation)
}

fn solved(unknown: char, a: &Ratio, b: &Ratio, c: &Ratio, equation: &str) -> Option<Computed> {
    let solutions: Vec<Value> = if a.is_zero() {
        if b.is_zero() {
            return None;
        }
        vec![Value::Exact(-c / b)]
    } else {
        let inner = b * b - number(4) * a * c;
        if inner.is_negative() {
            return None;
        }
        let two_a = number(2) * a;
        match root(&inner, 2)? {
            Value::Exact(root) if root.is_zero() => vec![Value::Exact(-b / two_a)],
            Value::Exact(root) => vec![
                Value::Exact((-b - &root) / &two_a),
                Value::Exact((-b + &root) / &two_a),
            ],
            Value::Float(root) => {
                let (b, two_a) = (super::ratio::float(b)?, super::ratio::float(&two_a)?);
                vec![
                    Value::Float((-b - root) / two_a),
                    Value::Float((-b + root) / two_a),
                ]
            }
        }
    };
    let shown = |value: &Value| match value {
        Value::Exact(exact) => show::exact_text(exact),
        Value::Float(float) => format!("≈ {float:.4}"),
    };
    let text = solutions
        .iter()
        .map(|value| format!("{unknown} = {}", shown(value)))
        .collect::<Vec<_>>()
        .join(" or ");
    let value = match solutions.as_slice() {
        [one] => Outcome::Number {
            value: one.clone(),
            unit: String::new(),
        },
        _ => Outcome::Solutions(solutions),
    };
    Some(Computed {
        value,
        text,
        how: format!("solves {equation}"),
    })
}

/// A sum of products of numbers, the unknown and brackets.
fn polynomial(text: &str, unknown: char) -> Option<Polynomial> {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let out = sum(&chars, &mut at, unknown, 0)?;
    (at == chars.len()).then_some(out)
}

fn zero() -> Polynomial {
    [Ratio::zero(), Ratio::zero(), Ratio::zero()]
}

fn sum(chars: &[char], at: &mut usize, unknown: char, depth: usize) -> Option<Polynomial> {
    if depth > 20 {
        return None;
    }
    let mut total = zero();
    let mut sign = Ratio::one();
    if let Some('-' | '+') = chars.get(*at) {
        sign = if chars[*at] == '-' {
            -Ratio::one()
        } else {
            Ratio::one()
        };
        *at += 1;
    }
    loop {
        let next = product(chars, at, unknown, depth)?;
        for (total, next) in total.iter_mut().zip(&next) {
            *total += next * &sign;
        }
        match chars.get(*at) {
            Some('+') => sign = Ratio::one(),
            Some('-') => sign = -Ratio::one(),
            _ => return Some(total),
        }
        *at += 1;
    }
}

fn product(chars: &[char], at: &mut usize, unknown: char, depth: usize) -> Option<Polynomial> {
    let mut total = factor(chars, at, unknown, depth)?;
    loop {
        match chars.get(*at) {
            Some('*') => {
                *at += 1;
                total = multiplied(&total, &factor(chars, at, unknown, depth)?)?;
            }
            Some('/') => {
                *at += 1;
                let below = factor(chars, at, unknown, depth)?;
                if !below[1].is_zero() || !below[2].is_zero() || below[0].is_zero() {
                    return None;
                }
                total = total.map(|part| part / &below[0]);
            }
            // "3x", "2(x+1)".
            Some(next) if *next == unknown || *next == '(' => {
                total = multiplied(&total, &factor(chars, at, unknown, depth)?)?
            }
            _ => return Some(total),
        }
    }
}

fn factor(chars: &[char], at: &mut usize, unknown: char, depth: usize) -> Option<Polynomial> {
    let mut base = zero();
    match chars.get(*at)? {
        '(' => {
            *at += 1;
            base = sum(chars, at, unknown, depth + 1)?;
            if chars.get(*at) != Some(&')') {
                return None;
            }
            *at += 1;
        }
        '-' => {
            *at += 1;
            let inner = factor(chars, at, unknown, depth + 1).filter(|_| depth < 20)?;
            return Some(inner.map(|part| -part));
        }
        next if *next == unknown => {
            *at += 1;
            base[1] = Ratio::one();
        }
        next if next.is_ascii_digit() => {
            let start = *at;
            while chars
                .get(*at)
                .is_some_and(|c| c.is_ascii_digit() || *c == '.')
            {
                *at += 1;
            }
            let digits: String = chars[start..*at].iter().collect();
            if digits.matches('.').count() > 1 || digits.ends_with('.') {
                return None;
            }
            base[0] = decimal(&digits);
        }
        _ => return None,
    }
    if chars.get(*at) == Some(&'^') {
        *at += 1;
        let power = chars.get(*at).and_then(|c| c.to_digit(10))?;
        *at += 1;
        return match power {
            1 => Some(base),
            2 => multiplied(&base, &base),
            _ => None,
        };
    }
    Some(base)
}

fn multiplied(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let mut out = zero();
    for (i, left) in a.iter().enumerate() {
        for (j, right) in b.iter().enumerate() {
            let value = left * right;
            if value.is_zero() {
                continue;
            }
            *out.get_mut(i + j)? += value;
        }
    }
    Some(out)
}

const THOUGHT_ASKED: &str = r"
    ^ ?(?:[,.;:=]|and|then|i|you|we|it|result|that|this|finally|end|up|now|so) ?
    (?:
      (?:
        [,.;:=]|and|then|i|you|we|it|result|that|this|finally|end|up|with|now|so|in|end|
        am|left
      ) )*
    (?:
      get|gets|got|is|equals|gives|comes|obtain|end up with|makes|have|with|answer is|
      result is|=
    )?(?: to| me| you)? ?(N[0-9]+) ?[.,;]? ?(?:\? )?
    (?:
      (?:what|which)(?: is| was)?(?: my)? ?
        (?:
          number|original number|number did i think of|number is it|
          number am i thinking of|number did i start with|it
        )?
        (?: did i think of| is it| was it| am i thinking of| did i pick| did i start with
          | did i choose
        )?|
      number|original number|my number|number i thought of
    )?$";

/// "I think of a number, double it, add 14 and get 60." The steps are undone from the end.
fn thought(reading: &Reading) -> Option<Computed> {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^ ?
              (?:
                (?:
                  ,|\.|;|and|then|i|you|he|she|we|if|to|from|result|by|it|that|now|finally|next|
                  this
                ) )*
              (?:
                (double|doubled|triple|tripled|halve|halved|square it|squared) ?
                  (?:it|that|result|number)?|
                (
                    multiply|multiplied|times|divide|divided|add|added|plus|subtract|subtracted|
                    minus|take away|take|increase|decrease|multiplying|dividing|adding|subtracting
                  ) ?(?:it|that|result|this|number|away)? ?(?:by|to it|from it|to)? ?(N[0-9]+)
                  (?: to it| from it| to that| to result| from that| from result| away)?
              )(?: |$)",
        )
    });
    static START: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:if |when )?(?:i|you|he|she|someone|we)? ?
                (?:think|thinks|am thinking|thought|pick|picked|choose|take|chose) ?(?:of )?
                (?:some |certain )?number ?(?:[,.:;]|and|that)? ?(?:when |if )?|
              ^(?:if|when) (?:i|you|we|he|she) ",
        )
    });
    static END: LazyLock<Regex> = LazyLock::new(|| regex(THOUGHT_ASKED));
    let canon = reading.canon.trim_start_matches("? ");
    let start = START
        .find(canon)
        .filter(|found| !found.as_str().is_empty())?;
    let mut rest = canon[start.end()..].trim().to_owned();
    let mut steps: Vec<(String, Ratio)> = Vec::new();
    while let Some(found) = STEP.captures(&rest) {
        let step = match (found.get(1), found.get(2), found.get(3)) {
            (Some(word), ..) => match &word.as_str()[..4] {
                "doub" => ("multiply".to_owned(), number(2)),
                "trip" => ("multiply".to_owned(), number(3)),
                "halv" => ("divide".to_owned(), number(2)),
                _ => return None,
            },
            (_, Some(word), Some(mark)) => (
                word.as_str().to_owned(),
                reading.item(mark.as_str())?.value.clone(),
            ),
            _ => return None,
        };
        let end = found.get(0)?.end();
        rest = rest[end..].to_owned();
        steps.push(step);
        if steps.len() > 20 {
            return None;
        }
    }
    let rest = format!(" {}", rest.trim_start());
    let end = END
        .captures(&rest)
        .or_else(|| END.captures(rest.trim_start()))
        .filter(|_| !steps.is_empty())?;
    let mut value = reading.item(&end[1])?.value.clone();
    for (word, by) in steps.iter().rev() {
        value = match word.as_str() {
            "multiply" | "multiplied" | "times" | "multiplying" if !by.is_zero() => value / by,
            "divide" | "divided" | "dividing" => value * by,
            "add" | "added" | "plus" | "increase" | "adding" => value - by,
            "subtract" | "subtracted" | "minus" | "take away" | "take" | "decrease"
            | "subtracting" => value + by,
            _ => return None,
        };
    }
    show::number(reading, value, "the steps undone from the end")
}

/// "Two numbers add up to 30 and differ by 6."
fn two_numbers(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"N numbers|sum of N numbers")?;
    let total = scan.take(
        r"(?:
            add up to|sum to|sum is|have a sum of|have sum of|total|sum of|add to|is|with sum of|
            with sum|whose sum is
          ) N",
    )?;
    let gap = scan.take(
        r"(?:
            differ by|difference is|have a difference of|difference of|their difference is|
            with difference of|and difference|whose difference is|one is
          ) N(?: more than other| larger than other| greater than other| bigger than other)?",
    )?;
    let asked = scan.take(
        r"(larger|bigger|greater|smaller|lesser)(?: number| one| of N)?|
          (?:numbers|they|both numbers)",
    )?;
    if !scan.done("numbers number their sum difference") {
        return None;
    }
    let (sum, gap) = (total.value(1)?, gap.value(1)?);
    let (high, low) = ((&sum + &gap) * part(1, 2), (&sum - &gap) * part(1, 2));
    match asked.word(1) {
        Some("larger" | "bigger" | "greater") => {
            show::number(reading, high, "half of sum plus difference")
        }
        Some(_) => show::number(reading, low, "half of sum minus difference"),
        None => {
            let text = format!("{} and {}", show::exact_text(&high), show::exact_text(&low));
            Some(Computed {
                value: Outcome::Solutions(vec![Value::Exact(high), Value::Exact(low)]),
                text,
                how: "half of sum plus and minus difference".to_owned(),
            })
        }
    }
}

/// "The sum of three consecutive numbers is 72."
fn consecutive(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:if )?sum of N consecutive (?:whole |natural )?
          (numbers|integers|even numbers|odd numbers|even integers|odd integers) is N [.,] (?:\? )?
          (?:what is |which is |find )?
          (
            smallest|largest|middle|biggest|numbers|they|smallest number|largest number|
            middle number|integers
          )(?: number| one)?",
    )?;
    let (n, sum) = (super::ratio::count(&found.value(1)?, 100)?, found.value(3)?);
    let kind = found.word(2)?;
    let step = if kind.contains("even") || kind.contains("odd") {
        2
    } else {
        1
    };
    let n_ratio = number(n);
    let first = (&sum - number(step) * &n_ratio * (&n_ratio - Ratio::one()) / number(2)) / &n_ratio;
    let parity = kind
        .contains("even")
        .then_some(true)
        .or_else(|| kind.contains("odd").then_some(false));
    if n < 2
        || !first.is_integer()
        || parity.is_some_and(|even| (&first / number(2)).is_integer() != even)
    {
        return None;
    }
    let last = &first + number(step) * (&n_ratio - Ratio::one());
    let how = format!(
        "{n} consecutive numbers with sum {}",
        show::exact_text(&sum)
    );
    match found.word(4)? {
        word if word.starts_with("small") => show::number(reading, first, how),
        word if word.starts_with("larg") || word.starts_with("big") => {
            show::number(reading, last, how)
        }
        word if word.starts_with("middle") && n % 2 == 1 => {
            show::number(reading, (first + last) / number(2), how)
        }
        word if word.starts_with("middle") => {
            let _ = word;
            None
        }
        _ => {
            let all: Vec<Ratio> = (0..n).map(|i| &first + number(step) * number(i)).collect();
            show::list(&all, how)
        }
    }
}
