//! How long money lasts, and how long it takes to save it, at a steady amount per week or month.

use super::{Computed, frame::whole, show, text::Reading};
use num_traits::Signed;

/// "I save 75 a week. How long to save 1,800?", "I have 2,400 and spend 160 a month. How many months does it last?"
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    let saving = whole(
        reading,
        r"(?:if )?(?:i |we )?
          (?:save|saving|put aside|put away|set aside|pay back|pay off) X per (day|week|month|year) ?[.,]? ?how (?:
            long|many (days|weeks|months|years)
          )
          (?: does it take| will it take| do i need| until i have| until i have saved| till i have
            | to save| to get| to reach| to have| for| until| to pay back| to pay off
          )+ X",
    );
    let lasting = whole(
        reading,
        r"(?:if )?(?:i |we )?have X(?: saved| in savings| in bank| left)?(?: and| ,| [.])*
          (?: i| we)? (?:spend|use|need|pay) X per (day|week|month|year) ?[.,]? ?
          how (?:long|many (days|weeks|months|years)) (?:does|will|would|do)
          (?: it| that| this| money| savings| they)+ last(?: me| us)?",
    );
    let (each, all, unit, asked) = match (&saving, &lasting) {
        (Some(found), _) => (
            found.item(1)?,
            found.item(4)?,
            found.word(2)?,
            found.word(3),
        ),
        (None, Some(found)) => (
            found.item(2)?,
            found.item(1)?,
            found.word(3)?,
            found.word(4),
        ),
        _ => return None,
    };
    if !each.value.is_positive() || all.value.is_negative() {
        return None;
    }
    // "How many months at 75 a week" needs another calendar; what does not come out even another word for the rest.
    let name = format!("{unit}s");
    let periods = &all.value / &each.value;
    if asked.is_some_and(|asked| asked != name) || !periods.is_integer() {
        return None;
    }
    let how = format!("{} / {}", all.written, each.written);
    show::quantity(reading, periods, &name, how)
}
