"""Days of the proleptic Gregorian calendar as numbers.

The ordinal of a day counts from 1 on the first of January of year 1. Shared by the date
classes, the time functions and the calendar.
"""

MINYEAR = 1
MAXYEAR = 9999
LAST_ORDINAL = 3652059
EPOCH_ORDINAL = 719163

MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)
DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONTH_DAYS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_BEFORE = (0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year, month):
    if month == 2 and is_leap(year):
        return 29
    return _MONTH_DAYS[month]


def days_before_year(year):
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400


def days_before_month(year, month):
    return _DAYS_BEFORE[month] + (1 if month > 2 and is_leap(year) else 0)


def to_ordinal(year, month, day):
    return days_before_year(year) + days_before_month(year, month) + day


def from_ordinal(ordinal):
    """Year, month and day of an ordinal."""
    # A first guess by the average length of a year is at most one off.
    year = (ordinal * 400) // 146097 + 1
    if days_before_year(year) >= ordinal:
        year -= 1
    elif days_before_year(year + 1) < ordinal:
        year += 1
    rest = ordinal - days_before_year(year)
    month = min(12, rest // 29 + 1)
    while days_before_month(year, month) >= rest:
        month -= 1
    return (year, month, rest - days_before_month(year, month))


def first_iso_monday(year):
    """The ordinal of the Monday on which the ISO year begins."""
    first = to_ordinal(year, 1, 1)
    weekday = (first + 6) % 7
    monday = first - weekday
    return monday + 7 if weekday > 3 else monday


def iso_parts(ordinal, year):
    """ISO year, week and weekday of a day in a calendar year."""
    monday = first_iso_monday(year)
    if ordinal < monday:
        year -= 1
        monday = first_iso_monday(year)
    elif ordinal >= monday + 52 * 7 and ordinal >= first_iso_monday(year + 1):
        year += 1
        monday = first_iso_monday(year)
    week, day = divmod(ordinal - monday, 7)
    return (year, week + 1, day + 1)
