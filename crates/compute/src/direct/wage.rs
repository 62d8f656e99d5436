//! Wages: by the hour, the week, the month and the year, with overtime and after deductions.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, part, whole as number},
    show,
    text::{Item, Reading},
};
use num_traits::{One, Signed};

/// "I make $23.50 an hour, 38 hours a week, overtime at 1.5x. I worked 44 hours."
pub(super) fn overtime(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("overtime over beyond above") {
        return None;
    }
    let rate = scan
        .take(
            r"(?:
                make|earn|paid|get|at|wage is|pay is|rate is|hourly rate is|hourly wage is|pays|
                hourly pay is
              )? ?X per hour",
        )
        .or_else(|| scan.take(r"(?:hourly )?(?:wage|rate|pay)(?: is| of)* X"))?;
    let factor = scan.take(
        r"(?:overtime |it )?
          (?:
            is |are |paid |pays |hours |at |counts |everything |anything |hours are |is paid |
            are paid )*
          (?:
            N (?:x|times)(?: that| rate| pay| normal rate| regular rate| as much| my rate)*|
            (time and half|time and 1/2|double|double time)|
            x N|P extra|
            P (?:more|bonus|premium|surcharge|higher)
          )(?: pay| rate)?(?: for)?(?: overtime| hours)?",
    )?;
    let normal = scan
        .take(
            r"(?:
                over|after|beyond|above|more than|past|normal|regular|first|exceeding|contract is|
                contract of
              )(?: week is| hours)? T(?: per week| week| each week)?",
        )
        .or_else(|| scan.take(r"T (?:per|each|every) week(?: contract)?"))
        .or_else(|| scan.take(r"T (?:regular|normal|contract|week)"))?;
    let worked =
        scan.take(r"(?:worked|work|did|put in|for) T(?: this week| last week| in a week| week)?")?;
    if !scan.done(
        "make earn pay overtime hour hours week weekly before tax gross wage work worked this \
         last rate paid my per regular everything above contract that normal total overtime's \
         base extra is",
    ) {
        return None;
    }
    let factor = if let Some(value) = (1..6).find_map(|group| factor.item(group)) {
        if value.kind == 'P' {
            Ratio::one() + &value.value / number(100)
        } else {
            value.value.clone()
        }
    } else if factor.word(0)?.contains("double") {
        number(2)
    } else {
        part(3, 2)
    };
    let hour = number(3600);
    let (normal, worked) = (normal.base(1)? / &hour, worked.base(1)? / &hour);
    if worked < normal || factor < Ratio::one() {
        return None;
    }
    let rate = rate.item(1)?;
    let value = &rate.value * (&normal + (&worked - &normal) * &factor);
    show::money(
        reading,
        value,
        format!(
            "{} h at {} and {} h at {} times that",
            show::exact_text(&normal),
            rate.written,
            show::exact_text(&(&worked - &normal)),
            show::exact_text(&factor)
        ),
    )
}

/// "I earned $720 in 36 hours. What is my hourly wage?"
pub(super) fn hourly(reading: &Reading) -> Option<Computed> {
    // "12.40 per hour for 30 hours": nothing is named, so the sum is meant.
    if let Some(found) = whole(
        reading,
        r"(?:at )?X per hour (?:for|times|\*|x) T|T (?:at|for|\*|x) X per hour",
    ) {
        let price = found
            .item(1)
            .filter(|item| item.unit.is_none())
            .or_else(|| found.item(4))?;
        let time = found
            .item(2)
            .filter(|item| item.unit.is_some())
            .or_else(|| found.item(3))?;
        let hours = time.base() / number(3600);
        let how = format!("{} × {}", price.written, time.written);
        return show::money(reading, &price.value * hours, how);
    }
    let found = whole(
        reading,
        r"(?:i )?(?:earned|made|got paid|was paid|got|get|earn|make) X (?:in|for) T
          (?: of work)? [.,] (?:
            \? |what is |how much is |how much did i (?:earn|make) |how much do i (?:earn|make) |
            how much is that )*
          (?:hourly (?:wage|rate|pay)|that per hour|per hour|hourly)",
    )?;
    let hours = found.base(2)? / number(3600);
    hours.is_positive().then(|| {
        show::money(
            reading,
            found.value(1)? / &hours,
            format!("{} / {}", found.item(1)?.written, found.item(2)?.written),
        )
    })?
}

/// The stretch of time that a word names.
fn period(word: &str) -> Option<&'static str> {
    match word {
        "hour" | "hourly" => Some("hour"),
        "day" | "daily" => Some("day"),
        "week" | "weekly" => Some("week"),
        "month" | "monthly" => Some("month"),
        "year" | "annum" | "annual" | "yearly" | "annually" => Some("year"),
        _ => None,
    }
}

const WAGE_ASKED: &str = r"
    (?:what|how much|how high|\?)? ?
    (?:is |do i |will i |would i |did i |does that |is that |do you )*
    (?:make |earn |get |come to |my )*(?:gross |total )?
    (?:
      (?:per|a|each|every|in a|in) (hour|day|week|month|year)|
      (hourly|daily|weekly|monthly|annual|yearly) (?:pay|salary|wage|income|rate|earnings)|
      (annually|yearly|monthly|weekly|hourly)|
      (pay|earn|make|earnings|total|paid|wage|salary|earned|come to)|
      (get)$
    )";

const WAGE_RATE: &str = r"
    (?:
        make|earn|am paid|get paid|get|at|wage is|pay is|rate is|hourly rate is|
        hourly wage is|salary is|salary of|annual salary is|annual salary of|earning|paid|for|
        rent is|rent of|costs?|spend|save
      )? ?X(?: gross| before tax| net)? per (hour|day|week|month|year|annum)|
    (hourly|monthly|annual|yearly|weekly) (?:salary|pay|wage|rate|income)(?: is| of| :)* X|
    X (hourly|monthly|annually|yearly|weekly|annual)";

const WAGE_WORDS: &str = "earn make pay salary wage gross hour week work working before tax that much it per \
     weeks months each month year hours total day days job get paid with payments salaries i \
     rent subscription membership gym insurance";

const WAGE_HOURS: &str = r"(?:(?:and|for|work|working|worked|i work|at) )*T (?:per|each|every) (week|day|month)|
      (?:work|worked|for|works) T(?: this week| last week| in a week)?|
      T (week)";

/// Pay by the hour, week, month and year.
pub(super) fn wage(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let rate = scan.take(WAGE_RATE)?;
    let item = (1..8).find_map(|group| rate.item(group))?;
    let given = (1..8)
        .filter_map(|group| rate.word(group))
        .find(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))?
        .to_owned();
    let hours = scan.take(WAGE_HOURS);
    let days = scan
        .take(r"(?:and |for |on )*T (?:per|each|every) week")
        .and_then(|found| found.item(1))
        .map(|item| item.base() / number(86_400));
    let weeks = scan
        .take(r"(?:for |over |in |and )*N (weeks|months|days|years)(?: per year| a year)?")
        .or_else(|| scan.take(r"(?:for |over |in )?T per year"));
    let asked = scan.take(WAGE_ASKED);
    if !scan.done(WAGE_WORDS) {
        return None;
    }
    let asked = asked?;
    let target = (1..6).find_map(|group| asked.word(group))?;
    let from = period(&given)?;
    let how = format!("{} per {from}", item.written);
    let hours_value = hours
        .as_ref()
        .and_then(|found| (1..6).find_map(|group| found.item(group)))
        .map(|item| item.base() / number(3600));
    let hours_per = hours.as_ref().and_then(|found| {
        (1..6)
            .filter_map(|group| found.word(group))
            .find(|word| period(word).is_some())
            .map(str::to_owned)
    });
    let span = weeks.as_ref().and_then(|found| found.item(1));
    if let Some(days) = days {
        let weekly = from == "hour" && hours_per.as_deref() == Some("day") && span.is_none();
        return (weekly && period(target) == Some("week") && days <= number(7))
            .then(|| show::money(reading, &item.value * hours_value? * days, how))?;
    }
    match (
        from,
        period(target),
        hours_value,
        hours_per.as_deref(),
        span,
    ) {
        // Per hour and hours worked, or hours of a week for a week's pay.
        ("hour", None, Some(hours), None, None) => show::money(reading, &item.value * hours, how),
        ("hour", Some("week"), Some(hours), Some("week"), None) => {
            show::money(reading, &item.value * hours, how)
        }
        ("hour", Some("year"), Some(hours), Some("week"), None) => show::money(
            reading,
            &item.value * hours * number(52),
            format!("{how}, 52 weeks"),
        ),
        ("hour", Some("year") | None, Some(hours), Some("week"), Some(span))
            if span.unit.is_some_and(|unit| unit.symbol == "weeks") =>
        {
            show::money(reading, &item.value * hours * &span.value, how)
        }
        ("hour", Some("month"), Some(hours), Some("month"), None) => {
            show::money(reading, &item.value * hours, how)
        }
        ("month", Some("year"), None, None, None) => {
            show::money(reading, &item.value * number(12), how)
        }
        ("year", Some("month"), None, None, None) => {
            show::money(reading, &item.value / number(12), how)
        }
        ("year", Some("week"), None, None, None) => show::money(
            reading,
            &item.value / number(52),
            format!("{how}, 52 weeks"),
        ),
        _ => None,
    }
}

/// "3,400 gross. 20.5% goes to social security, and of what remains 18% is tax: net pay?"
pub(super) fn deductions(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let start = scan.take(
        r"(?:
            earn|make|salary is|salary of|gross salary of|gross salary is|gross is|gross pay is|
            gross|income is|get|have
          )? ?X(?: gross)?(?: per month| per year| monthly)?(?: gross)?",
    )?;
    if !scan.has("net left remains take remaining after")
        || !scan.has("tax taxes deducted deductions gross")
    {
        return None;
    }
    let mut left = start.value(1)?;
    let begin = left.clone();
    let mut first = true;
    let mut steps = 0;
    let remains = reading.canon.contains("of what remains")
        || reading.canon.contains("of rest")
        || reading.canon.contains("of remainder")
        || reading.canon.contains("of remaining")
        || reading.canon.contains("of what is left");
    let percents: Vec<&Item> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'P')
        .collect();
    while scan
        .take(
            r"(?:
                and |then |of what remains |of rest |of remainder |of what is left |
                of remaining amount |from |another |i pay |pay |minus )*
              P (?:
                of it |of that |of what remains |of rest |of remainder |of what is left |
                of remaining amount )?
              (?:
                goes to|goes for|is|for|are|of it goes to|go to|in|of|deducted for|
                is deducted for|is taken for
              )? ?
              (?:
                social security|tax|taxes|income tax|insurance|health insurance|pension|
                pension fund|deducted|social insurance|social contributions|deductions
              )?(?: of what remains| of rest| of remainder)?",
        )
        .is_some()
    {
        let item = percents.get(steps)?;
        let base = if first || remains {
            left.clone()
        } else {
            begin.clone()
        };
        left -= base * &item.value / number(100);
        first = false;
        steps += 1;
    }
    // With several percentages, what the later ones are taken from has to be said.
    if steps == 0
        || steps != percents.len()
        || steps > 1 && !remains
        || steps > 2
        || !scan.done(
            "net pay salary gross income tax taxes left remains take home month my after \
             deductions is monthly what of that pay it deducted rest insurance social security",
        )
    {
        return None;
    }
    show::money(
        reading,
        left,
        format!(
            "{} after {steps} deduction{}",
            show::exact_text(&begin),
            if steps == 1 { "" } else { "s" }
        ),
    )
}
