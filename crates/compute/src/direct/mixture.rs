//! Mixtures: water added to a solution, and two solutions of different strength.

use super::{
    Computed,
    frame::Scan,
    ratio::{Ratio, whole as number},
    show,
    text::Reading,
    unit::Unit,
};
use num_traits::{One, Signed, Zero};

/// What a question about a mixture comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    dilution(reading).or_else(|| mixture(reading))
}

/// "How much water do I add to 500 ml of 80% alcohol to get 60%?"
fn dilution(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"how (?:much|many (?:ml|liters|litres|l|milliliters|g|grams)(?: of)?) (?:pure |distilled )?
          water
          (?: do i| must i| should i| to| must be| do you| needs to be| has to be| should be
            | would i
          )?(?: need to| have to)? (?:add|added)",
    )?;
    let start = scan.take(r"(?:to )?([VWN][0-9]+)(?: liters| of)* P(?: [a-z]+)?(?: solution)?")?;
    let end = scan.take(
        r"(?:to |that i |so that it is |so it becomes |until it is )?
          (?:get |make |obtain |reach |dilute it to |bring it down to |have |a |becomes )*P
          (?: [a-z]+)?(?: solution)?",
    )?;
    if !scan.done("solution alcohol vinegar acid salt add water get down dilute") {
        return None;
    }
    let (amount, strong, weak) = (start.item(1)?, start.share(2)?, end.share(1)?);
    if !weak.is_positive() || weak > strong {
        return None;
    }
    let value = &amount.value * (&strong / &weak - Ratio::one());
    show::quantity(
        reading,
        value,
        amount.unit.map_or("", |unit| unit.symbol),
        format!(
            "{} × ({} / {} - 1)",
            amount.written,
            show::exact_text(&strong),
            show::exact_text(&weak)
        ),
    )
}

const MIXTURE_UNKNOWN: &str = r"
    how (?:much|many (liters|litres|ml|l|grams|g|gallons|cups|milliliters)) (?:of )?
    (?:a |an )?P(?: [a-z]+)?(?: solution)?
    (?: must be| should be| do i| must i| should i| do you| have to be| need to be
      | needs to be
    )?(?: mixed| added| mix| add| need to mix| need to add| combined)?(?: with| to)?";

/// Two solutions: how much of one for a wanted strength, or what strength comes out.
fn mixture(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("mix mixed mixing add added combine combined mixture")
        || !scan.has("solution alcohol acid concentration mixture saline juice vinegar brine")
    {
        return None;
    }
    let unknown = scan.take(MIXTURE_UNKNOWN);
    let first = scan.take(
        r"(?:mix |mixing |combine |of |with |to )*([VWN][0-9]+)(?: of)? P(?: [a-z]+)?
          (?: solution)?",
    )?;
    if let Some(unknown) = unknown {
        let goal = scan.take(
            r"(?:to |that |which |i )*
              (?:get |make |obtain |reach |produce |have |give |gives |yield |is )*
              (?:mixture that is |mixture of )?P(?: [a-z]+)?(?: solution| mixture)?",
        )?;
        if !scan.done("solution mixture alcohol acid final concentration strength a mixed") {
            return None;
        }
        let (p, amount, q, goal) = (
            unknown.share(2)?,
            first.item(1)?,
            first.share(2)?,
            goal.share(1)?,
        );
        let below = &goal - &p;
        if below.is_zero() {
            return None;
        }
        let value = &amount.value * (&q - &goal) / below;
        let unit = amount.unit;
        if !value.is_positive()
            || unknown
                .word(1)
                .is_some_and(|name| Unit::named(name) != unit)
        {
            return None;
        }
        return show::quantity(
            reading,
            value,
            unit.map_or("", |unit| unit.symbol),
            format!(
                "x × {} + {} × {} at {}",
                show::exact_text(&p),
                amount.written,
                show::exact_text(&q),
                show::exact_text(&goal)
            ),
        );
    }
    let second =
        scan.take(r"(?:and |with |to |, )*([VWN][0-9]+)(?: of)? P(?: [a-z]+)?(?: solution)?")?;
    scan.take(
        r"concentration|strength|percent|how strong|alcohol content|strong|percent alcohol|
          resulting concentration|final concentration",
    )?;
    if !scan.done(
        "mix mixed mixing combine solution mixture alcohol acid concentration strength percent \
         resulting result final new it i with is a content",
    ) {
        return None;
    }
    let (a, b) = (first.item(1)?, second.item(1)?);
    if a.unit.map(|unit| unit.dimension) != b.unit.map(|unit| unit.dimension)
        || !(a.base() + b.base()).is_positive()
    {
        return None;
    }
    let share = (a.base() * first.share(2)? + b.base() * second.share(2)?) / (a.base() + b.base());
    show::quantity(
        reading,
        share * number(100),
        "%",
        format!("{} and {} mixed", a.written, b.written),
    )
}
