//! Dates: days of the week, days between, dates after some days, ages, months and leap years.
//!
//! The calendar is the Gregorian one, see `calendar`. A date without a year has one only where every year gives the
//! same.

use super::{
    Computed, Outcome,
    calendar::{
        Date, days_in_month, is_leap, month_name, month_named, weekday_name, weekday_named,
    },
    frame::{Match, Scan, whole},
    ratio::{self, whole as number},
    show,
    text::{Item, Reading, push_day},
    unit::Dimension,
};
use crate::pattern::regex;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A date as far as a question gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Day {
    year: Option<i16>,
    month: u8,
    day: Option<u8>,
}

impl Day {
    fn date(self) -> Option<Date> {
        Date::new(self.year?, self.month, self.day?)
    }

    /// Whether it is this date; a year counts where both have one.
    pub(super) fn is(self, year: Option<i16>, month: u8, day: u8) -> bool {
        let years = self.year.is_none() || year.is_none() || self.year == year;
        years && self.month == month && self.day.is_some_and(|own| own == day)
    }

    fn in_year(self, year: i16) -> Option<Date> {
        Date::new(self.year.unwrap_or(year), self.month, self.day?)
    }
}

/// Dates become marks: `D` for a day, `H` for a month of a year.
pub(super) fn with_dates(text: &str, items: &mut Vec<Item>) -> String {
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        let month = r"(
                        january|february|march|april|may|june|july|august|september|october|
                        november|december|jan\.?|feb\.?|mar\.?|apr\.?|jun\.?|jul\.?|aug\.?|
                        sept?\.?|oct\.?|nov\.?|dec\.?
                      )";
        regex(&format!(
            r"\b{month} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? ?(\d{{4}})\b)?
              |\b(\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?{month}\b(?:,? ?(\d{{4}})\b)?
              |\b{month},? (?:of )?(\d{{4}})\b
              |\b(\d{{4}})-(\d{{2}})-(\d{{2}})\b
              |\b(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}})\b
              |\b(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})\b"
        ))
    });
    let mut mark = |found: &Captures<'_>| {
        let number = |group: usize| {
            found
                .get(group)
                .and_then(|part| part.as_str().parse::<i16>().ok())
        };
        let word = |group: usize| found.get(group).and_then(|part| month_named(part.as_str()));
        let small = |group: usize| number(group).and_then(|value| u8::try_from(value).ok());
        let (year, month, day) = if word(1).is_some() {
            (number(3), word(1), small(2))
        } else if word(5).is_some() {
            (number(6), word(5), small(4))
        } else if word(7).is_some() {
            (number(8), word(7), None)
        } else if number(9).is_some() {
            (number(9), small(10), small(11))
        } else if number(14).is_some() {
            (number(14), small(13), small(12))
        } else {
            // Month and day change places between countries: only where one of them can be no month.
            match (small(15), small(16)) {
                (Some(a), Some(b)) if a > 12 => (number(17), Some(b), Some(a)),
                (Some(a), Some(b)) if b > 12 || a == b => (number(17), Some(a), Some(b)),
                _ => (None, None, None),
            }
        };
        let valid = month.is_some_and(|month| {
            Date::new(year.unwrap_or(2024), month, day.unwrap_or(1)).is_some()
        });
        match month {
            Some(month) if valid => push_day(
                items,
                if day.is_some() { 'D' } else { 'H' },
                Day { year, month, day },
                &found[0],
            ),
            _ => found[0].to_owned(),
        }
    };
    DATE.replace_all(text, |found: &Captures<'_>| mark(found))
        .into_owned()
}

/// What a question about dates comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    weekday(reading)
        .or_else(|| between(reading))
        .or_else(|| moved(reading))
        .or_else(|| age(reading))
        .or_else(|| month_length(reading))
        .or_else(|| leap(reading))
        .or_else(|| years(reading))
        .or_else(|| weekday_after(reading))
}

fn date_of(found: &Match<'_>, group: usize) -> Option<Date> {
    found.item(group)?.day?.date()
}

fn weekday(reading: &Reading) -> Option<Computed> {
    const ASKED: &[&str] = &[
        r"(?:on )?
          (?:what|which) (?:day of week|weekday|day|day of week day) (?:
            is|was|will|did|does|will be|of week was|of week is
          )(?: it)?(?: on)? D(?: be| fall on| fall| on| land on)?",
        r"(?:day of week|weekday|day) (?:of|for|on|is|was) D",
        r"(?:what|which) (?:day of week|weekday) (?:will |is |was )?D
          (?: be| is| was| fall on| falls on)?",
        r"D (?:is|was|is on|was on|falls on|fell on|will be)? ?(?:\? )?(?:what|which)? ?
          (?:day of week|weekday|what day|which day|on what day|on which day|on what weekday)",
        r"(?:was|is) D (?:on )?(?:what|which) (?:day|weekday|day of week)",
        r"i was born on D [.,] (?:\? )?
          (?:what|which) (?:day of week|weekday|day) (?:was|is) (?:that|it)",
        r"(?:on )?
          (?:what|which) (?:day of week|weekday|day) (?:does|did|will) D (?:fall|fall on|be)",
    ];
    if let Some(found) = ASKED.iter().find_map(|pattern| whole(reading, pattern)) {
        let date = date_of(&found, 1)?;
        let name = date.weekday_name();
        return Some(Computed {
            value: Outcome::Weekday(name),
            text: name.to_owned(),
            how: date.long(),
        });
    }
    let found = whole(reading, r"(?:is|was|will) D (?:be )?(?:on )?{weekday}")?;
    let date = date_of(&found, 1)?;
    let name = date.weekday_name();
    show::yes_no(
        found.word(2)?.eq_ignore_ascii_case(name),
        format!("{} is a {name}", date.long()),
    )
}

const SPAN: &[&str] = &[
    r"(?:how many )?(?:number of )?(days|weeks|weekdays|working days|business days)
      (?: are| is| lie| pass| were| go by)?
      (?: there| it)? (?:between|from) D (?:and|to|until|till|through) D",
    r"(?:how many )?(?:number of )?(days|weeks)(?: are| is)?
      (?: there| it| left)? (?:until|to|till|before) D()
      (?: from| if today is| if it is| starting from| counting from| starting| when today is
        | given today is|,? today is
      ) D",
    r"how (?:long|far|much time)() is (?:it )?(?:between|from) D (?:and|to|until|till) D
      (?: in days)?",
    r"(?:if )?(?:today is|it is|today's date is) D [.,]? ?(?:\? )?how many (days|weeks)
      (?: are| is)?(?: there| it| left)? (?:until|to|till|before|to go until) D",
    r"from D (?:to|until|till) D (?:is|are|it is)? ?how many (days|weeks)",
    r"(?:from |between )?D (?:to|until|till|and|-) D ?[,:]* ?(?:is |are |in )?
      (?:number of |how many |count of )?(days|weeks)",
];

/// "Days between March 3 and May 12", "how many weeks from … to …", "days until Dec 25 from Nov 16".
fn between(reading: &Reading) -> Option<Computed> {
    let (i, found) = SPAN
        .iter()
        .enumerate()
        .find_map(|(i, pattern)| Some((i, whole(reading, pattern)?)))?;
    let days: Vec<&Item> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'D')
        .collect();
    let [a, b] = days.as_slice() else {
        return None;
    };
    let (a, b) = if i == 1 {
        (b.day?, a.day?)
    } else {
        (a.day?, b.day?)
    };
    let unit = (1..4)
        .find_map(|group| {
            found
                .word(group)
                .filter(|word| word.ends_with('s') && !word.is_empty())
        })
        .unwrap_or("days");
    let count = |year: Option<i16>| {
        let (from, to) = match year {
            Some(year) => (a.in_year(year)?, b.in_year(year)?),
            None => (a.date()?, b.date()?),
        };
        // Without years the later date may be in the next one.
        let to = if a.year.is_none() && b.year.is_none() && to < from {
            to.plus_months(12)?
        } else {
            to
        };
        Some((from, to))
    };
    let span = |(from, to): (Date, Date)| from.days_until(to);
    let (from, to) = match (a.year, b.year) {
        (Some(_), Some(_)) => count(None)?,
        (Some(year), None) | (None, Some(year)) => {
            let pair = count(Some(year))?;
            if pair.1 < pair.0 {
                return None;
            }
            pair
        }
        (None, None) => {
            // The same in leap years and others, and on both sides of one.
            let all: Option<Vec<i64>> = [2023, 2024, 2025, 2027, 2028]
                .iter()
                .map(|year| count(Some(*year)).map(span))
                .collect();
            let all = all?;
            all.windows(2)
                .all(|pair| pair[0] == pair[1])
                .then(|| count(Some(2025)))??
        }
    };
    let days = span((from, to));
    let how = format!("from {} to {}", a_text(a, from), a_text(b, to));
    match unit {
        "weekdays" | "working days" | "business days" => None,
        "weeks" => show::quantity(reading, number(days.abs()) / number(7), "weeks", how),
        _ => show::quantity(reading, number(days.abs()), "days", how),
    }
}

fn a_text(day: Day, date: Date) -> String {
    if day.year.is_some() {
        date.long()
    } else {
        date.short()
    }
}

/// "What date is 90 days after January 15, 2025?"
fn moved(reading: &Reading) -> Option<Computed> {
    const AFTER: &[&str] = &[
        r"(?:
            (?:what|which) (?:is )?(?:date|day)
              (?: is| is it| will it be| was| will be| was it| comes| falls)?|
            date|day|when is|when was|when will it be
          )? ?(?:exactly )?
          (T|N months?|N years?) (after|from|before|prior to|later than|past|following) D",
        r"D (plus|\+|minus|-) (T|N months?|N years?)",
        r"(?:if )?
          (?:today is|it is|start on|starting|starting on|counting from|i start on|from) D [.,]? ?
          (?:and )?(?:\? )?
          (?:(?:what|which) (?:date|day)(?: is it| will it be| is| was it)?|date|when is) (?:in )?
          (T|N months?|N years?)
          (?: (from now|later|ago|after that|earlier|from then|after|before))?",
        r"(?:add|subtract)() (T|N months?|N years?) (to|from) D",
    ];
    let found = AFTER.iter().find_map(|pattern| whole(reading, pattern))?;
    let start = reading.items.iter().find(|item| item.kind == 'D')?.day?;
    let words: Vec<&str> = (1..6).filter_map(|group| found.word(group)).collect();
    let back = words
        .iter()
        .any(|word| ["before", "minus", "-", "ago", "earlier", "prior to"].contains(word))
        || reading.canon.starts_with("subtract");
    let amount = reading.items.iter().find(|item| item.kind != 'D')?;
    if reading.items.len() != 2 || !amount.value.is_integer() {
        return None;
    }
    let count =
        i64::try_from(ratio::count(&amount.value, 400_000)?).ok()? * if back { -1 } else { 1 };
    let months = reading.canon.contains(" month");
    let result = |year: i16| {
        let start = start.in_year(year)?;
        match amount.unit.map(|unit| unit.symbol) {
            Some("days") => start.plus_days(count),
            Some("weeks") => start.plus_days(count * 7),
            None if months => start.plus_months(count),
            None => start.plus_months(count * 12),
            _ => None,
        }
    };
    let date = result(start.year.unwrap_or(2025))?;
    if start.year.is_none() {
        // Only where the year does not matter.
        let same = [2023, 2024, 2026, 2027].iter().all(|year| {
            result(*year).is_some_and(|other| (other.month, other.day) == (date.month, date.day))
        });
        if !same {
            return None;
        }
    }
    let how = format!(
        "{} {} {}",
        amount.written,
        if back { "before" } else { "after" },
        a_text(start, start.in_year(2025)?)
    );
    if reading.canon.contains("weekday") || reading.canon.contains("day of week") {
        return None;
    }
    Some(dated(start.year.is_some(), date, how))
}

fn dated(with_year: bool, date: Date, how: String) -> Computed {
    let text = if with_year {
        format!("{} ({})", date.long(), date.weekday_name())
    } else {
        date.short()
    };
    let value = Outcome::Date {
        year: with_year.then_some(date.year),
        month: date.month,
        day: date.day,
    };
    Computed { value, text, how }
}

/// "Born on August 22, 1987. How old am I on May 1, 2026?"
fn age(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let born = scan
        .take(
            r"(?:born|birthday is|date of birth is|birth date is|born on|date of birth)
              (?: on| :)? D",
        )
        .or_else(|| scan.take(r"born in N"))?;
    scan.take(r"(?:how old|age|how many years old)")?;
    let at = scan
        .take(r"(?:on|at|by|as of|today is|today \(|it is) D")
        .or_else(|| scan.take(r"in N"));
    if !scan.done(
        "old age years turn was someone person who she he they be today someone's turns i how",
    ) {
        return None;
    }
    let at = at?;
    if let (Some(from), Some(to)) = (born.item(1)?.day, at.item(1)?.day) {
        let (from, to) = (from.date()?, to.date()?);
        let years = from.years_until(to)?;
        return show::quantity(
            reading,
            number(years),
            "years",
            format!("from {} to {}", from.long(), to.long()),
        );
    }
    None
}

/// Days or weekdays of a month.
fn month_length(reading: &Reading) -> Option<Computed> {
    const MONTH: &str = r"
        how many (
          days|weekdays|working days|business days|workdays|mondays|tuesdays|
          wednesdays|thursdays|fridays|saturdays|sundays|weekend days
        )
        (?: mon (?:-|to|through) fri| mon fri| monday to friday
          | monday through friday
        )?(?: are| does| were| did| will)?(?: there| be)?(?: in)? ?
        (
          H|january|february|march|april|may|june|july|august|september|october|
          november|december
        )(?: have| has)?";
    let found = whole(reading, MONTH)?;
    let what = found.word(1)?;
    let (year, month) = match found
        .item(2)
        .or_else(|| found.item(3))
        .and_then(|item| item.day)
    {
        Some(day) => (day.year, day.month),
        None => (None, month_named(found.word(2)?)?),
    };
    if year.is_none() && (what != "days" || month == 2) {
        return None;
    }
    let first = Date::new(year.unwrap_or(2025), month, 1)?;
    let last = days_in_month(first.year, month);
    let wanted = |day: u8| {
        let weekday = Date::new(first.year, month, day).map_or("", Date::weekday_name);
        match what {
            "days" => true,
            "weekdays" | "working days" | "business days" | "workdays" => !weekday.starts_with('S'),
            "weekend days" => weekday.starts_with('S'),
            named => named.trim_end_matches('s').eq_ignore_ascii_case(weekday),
        }
    };
    // Working days depend on holidays; weekdays do not.
    if ["working days", "business days", "workdays"].contains(&what)
        && !reading.canon.contains("fri")
    {
        return None;
    }
    let count = (1..=last).filter(|day| wanted(*day)).count();
    let name = month_name(month);
    let how = match year {
        Some(year) => format!("{what} in {name} {year}"),
        None => format!("{what} in {name}"),
    };
    show::quantity(reading, count, what, how)
}

fn leap(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(reading, r"(?:is|was|will)(?: year)? N (?:be )?leap year")
        .or_else(|| whole(reading, r"leap year N"))
    {
        let year = i16::try_from(ratio::count(&found.value(1)?, 9999)?).ok()?;
        let leap = is_leap(year);
        return show::yes_no(
            leap,
            format!(
                "{year} {} 366 days",
                if leap { "has" } else { "does not have" }
            ),
        );
    }
    if let Some(found) = whole(
        reading,
        r"how many days (?:are|are there|were|were there|will be)? ?(?:does |did |in |are in )*
          (?:year )?N(?: have)?",
    ) {
        let year = i16::try_from(ratio::count(&found.value(1)?, 9999)?)
            .ok()
            .filter(|year| *year >= 1583)?;
        return show::quantity(
            reading,
            number(if is_leap(year) { 366 } else { 365 }),
            "days",
            format!("days in {year}"),
        );
    }
    let found = whole(
        reading,
        r"how many leap years (?:are|were)(?: there)? (?:between|from) N (?:and|to) N",
    )?;
    let (from, to) = (
        ratio::count(&found.value(1)?, 9999)?,
        ratio::count(&found.value(2)?, 9999)?,
    );
    let is_leap = |year: usize| i16::try_from(year).is_ok_and(is_leap);
    // Whether the ends count is open where one of them is a leap year.
    if from > to || is_leap(from) || is_leap(to) {
        return None;
    }
    show::number(
        reading,
        (from..=to).filter(|year| is_leap(*year)).count(),
        format!("leap years from {from} to {to}"),
    )
}

/// "What year was 27 years before 2013?"
fn years(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(
        reading,
        r"(?:what|which)? ?year (?:is|was|will be|comes|came|is it|was it)? ?N years (
            before|after|prior to|from|later than|earlier than
          ) N",
    ) {
        let back = ["before", "prior to", "earlier than"].contains(&found.word(2)?);
        let (count, year) = (found.value(1)?, found.value(3)?);
        let value = if back { &year - &count } else { &year + &count };
        return (value > number(0) && value.is_integer()).then(|| {
            show::number(
                reading,
                value,
                format!("{year} {} {count}", if back { "-" } else { "+" }),
            )
        })?;
    }
    let found = whole(
        reading,
        r"how many (?:years|centuries|decades) (?:are|are there|passed|lie|is it|were there)? ?
          (?:between|from) (?:year )?N (?:and|to|until) (?:year )?N",
    )?;
    let (a, b) = (found.value(1)?, found.value(2)?);
    let plausible = |year: &super::ratio::Ratio| {
        year.is_integer() && *year >= number(1) && *year < number(10_000)
    };
    (reading.canon.contains("years") && plausible(&a) && plausible(&b)).then(|| {
        show::quantity(
            reading,
            if a > b { &a - &b } else { &b - &a },
            "years",
            format!("from {a} to {b}"),
        )
    })?
}

/// "If today is Tuesday, what day is it in 100 days?"
fn weekday_after(reading: &Reading) -> Option<Computed> {
    const AFTER: &[&str] = &[
        r"(?:if )?(?:today is|it is|today was|yesterday was) {weekday} [,.]? ?(?:then )?(?:\? )?
          (?:what|which) (?:day|weekday|day of week)
          (?: of week)? (?:is it|will it be|is|was it|will be|was) (?:in )?T
          (?: (from now|later|from today|ago|after))?",
        r"(?:what|which) (?:day|weekday|day of week)
          (?: of week)? (?:is|is it|will it be|comes|was) T (after|from|before) {weekday}",
    ];
    let found = AFTER.iter().find_map(|pattern| whole(reading, pattern))?;
    if reading.canon.contains("yesterday") {
        return None;
    }
    let start = (1..5).find_map(|group| weekday_named(found.word(group)?))?;
    let span = reading.items.iter().find(|item| item.kind == 'T')?;
    let unit = span.unit.filter(|unit| {
        unit.dimension == Dimension::Time && ["days", "weeks"].contains(&unit.symbol)
    })?;
    let days = ratio::count(&(&span.value * unit.size() / number(86_400)), 1_000_000)?;
    let back = reading.canon.contains(" ago") || reading.canon.contains(" before ");
    let index = if back {
        (start + 7 - days % 7) % 7
    } else {
        (start + days) % 7
    };
    let name = weekday_name(index);
    Some(Computed {
        value: Outcome::Weekday(name),
        text: name.to_owned(),
        how: format!(
            "{days} days {} {}",
            if back { "before" } else { "after" },
            weekday_name(start)
        ),
    })
}
