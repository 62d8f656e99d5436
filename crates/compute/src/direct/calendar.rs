//! The Gregorian calendar from year 1 to 9999: days of the week, lengths, and dates apart.
//!
//! A few lines instead of a library: the lock file is at its limit, and only whole days matter here. Days are counted
//! from the first of March of year 0, so that a leap day is the last of its year; the algorithm is the one of H.
//! Hinnant's "chrono-compatible low-level date algorithms".

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A day that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date {
    /// 1 to 9999.
    pub(super) year: i16,
    /// 1 to 12.
    pub(super) month: u8,
    /// 1 to 31.
    pub(super) day: u8,
}

/// Whether a year has 366 days.
pub(super) const fn is_leap(year: i16) -> bool {
    year % 4 == 0 && year % 100 != 0 || year % 400 == 0
}

/// Days of a month.
pub(super) const fn days_in_month(year: i16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of a month in English, by its name or three letters of it.
pub(super) fn month_named(word: &str) -> Option<u8> {
    let word = word.trim_end_matches('.');
    let same = |month: &str| {
        let month = month.to_ascii_lowercase();
        month == word || month[..3] == *word || month == "september" && word == "sept"
    };
    let index = MONTHS.iter().position(|month| same(month))?;
    u8::try_from(index + 1).ok()
}

/// The place of a day of the week, Monday first.
pub(super) fn weekday_named(word: &str) -> Option<usize> {
    WEEKDAYS
        .iter()
        .position(|day| day.eq_ignore_ascii_case(word))
}

/// The name of a day of the week, from 0 for Monday.
pub(super) fn weekday_name(index: usize) -> &'static str {
    WEEKDAYS[index % 7]
}

impl Date {
    /// A day, if there is one.
    pub(super) fn new(year: i16, month: u8, day: u8) -> Option<Self> {
        let valid = (1..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1;
        (valid && day <= days_in_month(year, month)).then_some(Self { year, month, day })
    }

    /// Days since the first of March of year 0.
    fn number(self) -> i64 {
        let early = self.month <= 2;
        let year = i64::from(self.year) - i64::from(early);
        let month = i64::from(self.month) + if early { 9 } else { -3 };
        let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
        let day = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + year * 365 + year / 4 - year / 100 + day
    }

    fn from_number(number: i64) -> Option<Self> {
        let (era, day) = (number.div_euclid(146_097), number.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let late = month >= 10;
        let month = if late { month - 9 } else { month + 3 };
        let year = era * 400 + year + i64::from(late);
        Self::new(
            i16::try_from(year).ok()?,
            u8::try_from(month).ok()?,
            u8::try_from(day).ok()?,
        )
    }

    /// From 0 for Monday; the first of March of year 0 was a Wednesday.
    pub(super) fn weekday(self) -> usize {
        usize::try_from((self.number() + 2).rem_euclid(7)).unwrap_or(0)
    }

    /// The name of its day of the week.
    pub(super) fn weekday_name(self) -> &'static str {
        weekday_name(self.weekday())
    }

    /// Days from here to there.
    pub(super) fn days_until(self, other: Self) -> i64 {
        other.number() - self.number()
    }

    /// So many days later.
    pub(super) fn plus_days(self, days: i64) -> Option<Self> {
        Self::from_number(self.number().checked_add(days)?)
    }

    /// So many months later; the last day of the month where the day is missing there.
    pub(super) fn plus_months(self, months: i64) -> Option<Self> {
        let all = i64::from(self.year) * 12 + i64::from(self.month) - 1 + months;
        let year = i16::try_from(all.div_euclid(12)).ok()?;
        let month = u8::try_from(all.rem_euclid(12) + 1).ok()?;
        Self::new(year, month, self.day.min(days_in_month(year, month)))
    }

    /// Whole years from here to a later day; somebody born on a leap day is a year older on the first of March.
    pub(super) fn years_until(self, other: Self) -> Option<i64> {
        let before = (other.month, other.day) < (self.month, self.day);
        (self <= other).then(|| i64::from(other.year) - i64::from(self.year) - i64::from(before))
    }

    /// "July 4, 1976".
    pub(super) fn long(self) -> String {
        format!("{}, {}", self.short(), self.year)
    }

    /// "July 4".
    pub(super) fn short(self) -> String {
        format!("{} {}", month_name(self.month), self.day)
    }
}

/// The name of a month from 1 to 12.
pub(super) fn month_name(month: u8) -> &'static str {
    MONTHS[usize::from(month).saturating_sub(1) % 12]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: i16, month: u8, day: u8) -> Date {
        Date::new(year, month, day).expect("a day")
    }

    #[test]
    fn every_day_has_its_number_and_follows_the_one_before() {
        let mut day = date(1, 1, 1);
        assert_eq!(day.weekday_name(), "Monday");
        let mut count = 1;
        while let Some(next) = day.plus_days(1) {
            assert_eq!((day.weekday() + 1) % 7, next.weekday());
            let same_month = next.day == day.day + 1 && next.month == day.month;
            let new_month = next.day == 1 && day.day == days_in_month(day.year, day.month);
            assert!(same_month || new_month, "{day:?} {next:?}");
            day = next;
            count += 1;
        }
        assert_eq!((day, count), (date(9999, 12, 31), 3_652_059));
    }

    #[test]
    fn known_days() {
        assert_eq!(date(1969, 7, 20).weekday_name(), "Sunday");
        assert_eq!(date(2000, 1, 1).weekday_name(), "Saturday");
        assert_eq!(date(2024, 2, 29).days_until(date(2025, 3, 1)), 366);
        assert_eq!(date(2024, 1, 31).plus_months(1), Some(date(2024, 2, 29)));
        assert_eq!(date(2024, 2, 29).years_until(date(2025, 2, 28)), Some(0));
        assert_eq!(Date::new(2023, 2, 29), None);
    }
}
