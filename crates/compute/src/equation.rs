//! Recomputes, without a model, every equation that an answer states ("12 × 8 = 95").
//!
//! Equations are read as chat models write them: plain text, markdown, LaTeX, with units, currency and percent
//! (`equation/token.rs`, `equation/expression.rs`). An equation that is not understood completely is left out: to call
//! a right equation wrong is worse than to miss a wrong one. So anything that has a second reading (mixed units,
//! percentages added to amounts, a rest that is dropped) is only reported when it holds.
//!
//! Conversions ("1 hour = 60 minutes") and assignments ("x = 5") have no operator on the left and are no equations
//! here.
//!
//! [`repaired_result`] carries corrected results forward to the end of the answer.

mod expression;
mod reading;
mod repair;
mod token;
mod unit;

pub use repair::{Repaired, repaired_result};

use crate::number::Found;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::ops::Range;

/// What is behind this many bytes of an answer is not read.
const MOST_BYTES: usize = 200_000;

/// An equation as an answer states it, e.g. "12 × 8 = 95".
#[derive(Clone, Debug)]
pub struct Equation {
    /// Bytes of the answer, from the first operand to the result.
    pub span: Range<usize>,
    /// The left side as written.
    pub left: String,
    /// The result that the answer claims.
    pub claimed: Found,
    /// The exact value of the left side, in the claim's terms: for "1/4 = 30%" it is 25.
    pub actual: BigRational,
    /// The claim is marked as rounded or as an estimate.
    approximate: bool,
}

impl Equation {
    /// Whether the claim is the value, exactly or rounded as it is written: to at least two decimals, or to as many as
    /// it has if it says that it is rounded. Whole numbers without such a mark are exact.
    pub fn holds(&self) -> bool {
        let off = (&self.actual - &self.claimed.value).abs();
        if off.is_zero() {
            return true;
        }
        if self.approximate {
            return off < step(&self.claimed);
        }
        if self.claimed.decimals > 9 {
            // Digits that a float printed; its last ones are noise.
            let noise = BigRational::new(BigInt::one(), BigInt::from(1_000_000_000));
            return off <= noise * (self.actual.abs() + BigInt::one());
        }
        // Cutting the digits off is common too: 2/3 = 0.66.
        let cut = self.claimed.value.abs() < self.actual.abs();
        let step = step(&self.claimed);
        self.claimed.decimals >= 2 && (off <= &step / BigInt::from(2) || (cut && off < step))
    }
}

/// One in the last place that a number gives; zeros at the end of a whole number may be rounding.
fn step(number: &Found) -> BigRational {
    let ten = |power: usize| BigInt::from(10).pow(u32::try_from(power).unwrap_or(0));
    if number.decimals > 0 {
        return BigRational::new(BigInt::one(), ten(number.decimals));
    }
    let digits = number.value.to_integer().to_string();
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    BigRational::from(ten(zeros.min(digits.len().saturating_sub(2))))
}

/// The equations of an answer that are fully understood, in order.
pub fn equations(answer: &str) -> Vec<Equation> {
    let links = reading::links(bounded(answer));
    links.into_iter().map(|link| link.equation).collect()
}

fn bounded(answer: &str) -> &str {
    let mut end = answer.len().min(MOST_BYTES);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    &answer[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left sides with whether they hold.
    fn read(answer: &str) -> Vec<(String, bool)> {
        let all = equations(answer).into_iter();
        all.map(|one| (one.left.clone(), one.holds())).collect()
    }

    fn check(answer: &str, expected: &[(&str, bool)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(left, ok)| ((*left).to_owned(), *ok))
            .collect();
        assert_eq!(read(answer), expected, "{answer}");
    }

    #[test]
    fn plain_equations() {
        check("So 12 × 8 = 95.", &[("12 × 8", false)]);
        check(
            "7 + 5 = 12, then 12 - 20 = -8",
            &[("7 + 5", true), ("12 - 20", true)],
        );
        check("In 3 days she packs 5*4=20 bags", &[("5*4", true)]);
        check(
            "2^10 = 1024 and 17 mod 5 = 2",
            &[("2^10", true), ("17 mod 5", true)],
        );
        check("17 % 5 = 3", &[("17 % 5", false)]);
        check("- 14 + 3 = 17", &[("14 + 3", true)]);
        check("3. 14 + 3 = 18", &[("14 + 3", false)]);
        check("12 times 4 equals 46", &[("12 times 4", false)]);
        check("5! = 120", &[("5!", true)]);
        check("3(4 + 5) = 28", &[("3(4 + 5)", false)]);
    }

    #[test]
    fn units_currency_and_percent() {
        check(
            "12 boxes × 8 rolls/box = 96 rolls",
            &[("12 boxes × 8 rolls/box", true)],
        );
        check("$5 * 3 = $16", &[("$5 * 3", false)]);
        check("1,250 + 750 = 2,100", &[("1,250 + 750", false)]);
        check("20% of 80 = 18", &[("20% of 80", false)]);
        check("So 20% of 80 is 18.", &[("20% of 80", false)]);
        check(
            "12 / 48 = 25%, 12 / 48 * 100 = 25%",
            &[("12 / 48", true), ("12 / 48 * 100", true)],
        );
        check("30% + 25% = 65%", &[("30% + 25%", false)]);
        check(
            "40 (Tim) + 25 (his sister) = 75",
            &[("40 (Tim) + 25 (his sister)", false)],
        );
        check("2 1/2 * 4 = 10", &[("2 1/2 * 4", true)]);
    }

    #[test]
    fn markdown_and_latex() {
        check("**12 * 8 = 94**", &[("12 * 8", false)]);
        check(r"\( 12 \times 8 = 96 \)", &[(r"12 \times 8", true)]);
        check(
            r"\[ \frac{90}{4} = 22.5 \text{ km} \]",
            &[(r"\frac{90}{4}", true)],
        );
        check(
            r"\[ \left( 3 + 4 \right) \cdot 5 = \boxed{36} \]",
            &[(r"( 3 + 4 \right) \cdot 5", false)],
        );
        check(r"\$12.50 \times 4 = \$50", &[(r"\$12.50 \times 4", true)]);
        check(r"1{,}200 \div 4 = 30", &[(r"1{,}200 \div 4", false)]);
        check(
            "\\begin{align*}\nT &= 6 \\times 7 \\\\\n&= 43\n\\end{align*}",
            &[(r"6 \times 7", false)],
        );
        check("```python\nx = 3 * 4 == 13\n```\n", &[]);
    }

    #[test]
    fn chains() {
        check("3 * 5 = 15 + 2 = 17", &[("15 + 2", true)]);
        check(
            "(12 + 8) × 5 = 22 × 5 = 110",
            &[("(12 + 8) × 5", false), ("22 × 5", true)],
        );
        check("2 × $9 = $18 + 3 × $4 = $12, total $30", &[]);
    }

    #[test]
    fn rounding() {
        check("10 / 3 = 3.33", &[("10 / 3", true)]);
        check("20 / 3 = 6.66", &[("20 / 3", true)]);
        check("10 / 3 ≈ 3.3", &[("10 / 3", true)]);
        check("10 / 3 = 3.3 (rounded)", &[("10 / 3", true)]);
        check("10 / 3 = 3.35", &[("10 / 3", false)]);
        check("1013 * 5 ≈ 5100", &[("1013 * 5", true)]);
        // The claims are right in a way that is not said: a rest dropped, and an earlier rounding carried on.
        check("100 / 30 = 3 full boxes", &[]);
        check("100 / 3 = 33.33 and 33.33 * 3 = 100", &[("100 / 3", true)]);
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        for answer in [
            "x = 5",
            "2x + 3 = 7",
            "17x - 20 = 50",
            "4Pa - 20 = 100",
            "Let x be all of it. Then x - 6 (used) - 30 (lost) = 48",
            "for 1 jar - 2 pounds * $6 = $12",
            "The difference between both is 398 - 540 = 142.",
            "1 hour = 60 minutes",
            "3 feet = 36 inches",
            "3 hours + 30 minutes = 210 minutes",
            "2 dozen + 3 = 27",
            "f(3) + 1 = 10",
            "sqrt(16) + 1 = 5",
            "1 + 2 + ... + 10 = 55",
            "half of 20 + 4 = 12",
            "5 more than 3 * 4 = 17",
            "80 + 20% = 96",
            "5 + 3 * 2 = 16",
            "7.5 / 1/2 = 15",
            "3 apples + 2 pears = $8",
            "17 / 5 = 3 remainder 2",
            "2:30 + 1:15 = 3:45",
            "Total + 5 = 20",
            "Yams - 6 bags x $2 = $12 - ",
            "9^9^9 = 3",
            "4 / 0 = 0",
        ] {
            let wrong: Vec<_> = read(answer).into_iter().filter(|one| !one.1).collect();
            assert_eq!(wrong, [], "{answer}");
        }
    }

    #[test]
    fn hostile_texts_end() {
        for part in [
            "(",
            "{",
            "\\frac{",
            "1+",
            "-",
            "=",
            "1=",
            "\\begin",
            "1 + 1 = 3, ",
            "\n",
            "```a",
            "((1)",
            "$",
            "*",
            "9^",
            "\\",
            "1 a ",
            "é=1+",
            ">>> ",
            "\n=",
        ] {
            let text = part.repeat(20_000);
            drop(equations(&text));
            drop(repaired_result(&text, "1 + 1"));
        }
        drop(equations(&format!("{} = 1", "9".repeat(9_999))));
        drop(equations(&format!("2 * 3 = 1{} = 4", "+1".repeat(50_000))));
        drop(equations(&format!("2 * 3 = {}", "-".repeat(50_000))));
    }

    #[test]
    fn a_corrected_number_is_carried_to_the_result() {
        let value = |answer: &str, question: &str| {
            repaired_result(answer, question)
                .map(|one| (one.was.value.to_string(), one.value.to_string()))
        };
        let question = "A hall has 14 rows of 23 seats. 57 seats are broken. How many can be used?";
        let some = |was: &str, is: &str| Some((was.to_owned(), is.to_owned()));
        let wrong =
            "There are 14 × 23 = 312 seats.\nSo 312 - 57 = 255 can be used.\n\nThe answer is 255.";
        assert_eq!(value(wrong, question), some("255", "265"));
        let right = "There are 14 × 23 = 322 seats, so 322 - 57 = 265 can be used.";
        assert_eq!(value(right, question), None);
        let other = "There are 14 × 23 = 312 seats, so 300 can be used.";
        assert_eq!(
            value(other, question),
            None,
            "the result is not the equation's"
        );
        let source = "14 × 23 = 312. With 40 more, 352 seats. 352 - 57 = 295";
        assert_eq!(value(source, question), None, "352 comes from nowhere");
        let back = "14 × 23 = 312. Wait, that is wrong. 14 × 23 = 322. 322 - 57 = 265";
        assert_eq!(value(back, question), None);
        let given = "14 × 23 = 57 seats. 57 - 14 = 43";
        assert_eq!(value(given, question), None, "57 may be the broken ones");
    }
}
