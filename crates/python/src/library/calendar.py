"""Month tables and calendars as text.

Weekdays count from Monday 0. Names are English. Left out on purpose: HTML output and
calendars of other locales.
"""

import _datetime_days as _days
from _datetime_days import is_leap as _is_leap

__all__ = [
    "IllegalMonthError", "IllegalWeekdayError", "setfirstweekday", "firstweekday", "isleap",
    "leapdays", "weekday", "monthrange", "monthcalendar", "prmonth", "month", "prcal",
    "calendar", "timegm", "month_name", "month_abbr", "day_name", "day_abbr", "Calendar",
    "TextCalendar", "weekheader",
]

January = 1
February = 2
mdays = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)
EPOCH = 1970


class IllegalMonthError(ValueError):
    def __init__(self, month):
        self.month = month

    def __str__(self):
        return f"bad month number {self.month!r}; must be 1-12"


class IllegalWeekdayError(ValueError):
    def __init__(self, weekday):
        self.weekday = weekday

    def __str__(self):
        return f"bad weekday number {self.weekday!r}; must be 0 (Monday) to 6 (Sunday)"


class _Names:
    """A read-only sequence of names."""

    def __init__(self, names):
        self._names = names

    def __getitem__(self, place):
        return self._names[place]

    def __len__(self):
        return len(self._names)


day_name = _Names(list(_days.DAY_NAMES))
day_abbr = _Names([name[:3] for name in _days.DAY_NAMES])
month_name = _Names(["", *_days.MONTH_NAMES])
month_abbr = _Names(["", *[name[:3] for name in _days.MONTH_NAMES]])


def isleap(year):
    return _is_leap(year)


def leapdays(y1, y2):
    """Leap years from y1 up to, not including, y2."""

    def count(year):
        past = year - 1
        return past // 4 - past // 100 + past // 400

    return count(y2) - count(y1)


def weekday(year, month, day):
    # Outside the range of dates the weekday repeats every 400 years.
    if not _days.MINYEAR <= year <= _days.MAXYEAR:
        year = 2000 + year % 400
    if not 1 <= month <= 12:
        raise ValueError("month must be in 1..12")
    if not 1 <= day <= _days.month_length(year, month):
        raise ValueError("day is out of range for month")
    return (_days.to_ordinal(year, month, day) + 6) % 7


def monthrange(year, month):
    """The weekday of the first day and the number of days of a month."""
    if not 1 <= month <= 12:
        raise IllegalMonthError(month)
    return (weekday(year, month, 1), _days.month_length(year, month))


def _shifted(year, month, step):
    place = year * 12 + month - 1 + step
    return (place // 12, place % 12 + 1)


class Calendar:
    """Iterators over the days of months, in full weeks."""

    def __init__(self, firstweekday=0):
        self.firstweekday = firstweekday

    def getfirstweekday(self):
        return self._firstweekday % 7

    def setfirstweekday(self, firstweekday):
        self._firstweekday = firstweekday

    firstweekday = property(getfirstweekday, setfirstweekday)

    def iterweekdays(self):
        for place in range(self.firstweekday, self.firstweekday + 7):
            yield place % 7

    def itermonthdays(self, year, month):
        first, length = monthrange(year, month)
        before = (first - self.firstweekday) % 7
        after = (self.firstweekday - first - length) % 7
        yield from [0] * before
        yield from range(1, length + 1)
        yield from [0] * after

    def itermonthdays2(self, year, month):
        for place, day in enumerate(self.itermonthdays(year, month), self.firstweekday):
            yield (day, place % 7)

    def itermonthdays3(self, year, month):
        first, length = monthrange(year, month)
        before = (first - self.firstweekday) % 7
        after = (self.firstweekday - first - length) % 7
        other_year, other_month = _shifted(year, month, -1)
        last = _days.month_length(other_year, other_month)
        for day in range(last - before + 1, last + 1):
            yield (other_year, other_month, day)
        for day in range(1, length + 1):
            yield (year, month, day)
        other_year, other_month = _shifted(year, month, 1)
        for day in range(1, after + 1):
            yield (other_year, other_month, day)

    def itermonthdays4(self, year, month):
        for place, parts in enumerate(self.itermonthdays3(year, month)):
            yield (*parts, (self.firstweekday + place) % 7)

    def itermonthdates(self, year, month):
        from datetime import date

        for parts in self.itermonthdays3(year, month):
            yield date(*parts)

    def _weeks(self, days):
        days = list(days)
        return [days[place : place + 7] for place in range(0, len(days), 7)]

    def monthdatescalendar(self, year, month):
        return self._weeks(self.itermonthdates(year, month))

    def monthdays2calendar(self, year, month):
        return self._weeks(self.itermonthdays2(year, month))

    def monthdayscalendar(self, year, month):
        return self._weeks(self.itermonthdays(year, month))

    def _rows(self, months, width):
        return [months[place : place + width] for place in range(0, 12, width)]

    def yeardatescalendar(self, year, width=3):
        months = [self.monthdatescalendar(year, month) for month in range(1, 13)]
        return self._rows(months, width)

    def yeardays2calendar(self, year, width=3):
        months = [self.monthdays2calendar(year, month) for month in range(1, 13)]
        return self._rows(months, width)

    def yeardayscalendar(self, year, width=3):
        months = [self.monthdayscalendar(year, month) for month in range(1, 13)]
        return self._rows(months, width)


class TextCalendar(Calendar):
    """Calendars as plain text."""

    def formatday(self, day, weekday, width):
        return ("" if day == 0 else f"{day:2d}").center(width)

    def formatweek(self, theweek, width):
        return " ".join(self.formatday(day, weekday, width) for day, weekday in theweek)

    def prweek(self, theweek, width):
        print(self.formatweek(theweek, width), end="")

    def formatweekday(self, day, width):
        names = day_name if width >= 9 else day_abbr
        return names[day][:width].center(width)

    def formatweekheader(self, width):
        return " ".join(self.formatweekday(day, width) for day in self.iterweekdays())

    def formatmonthname(self, theyear, themonth, width, withyear=True):
        name = month_name[themonth]
        return (f"{name} {theyear!r}" if withyear else name).center(width)

    def prmonth(self, theyear, themonth, w=0, l=0):
        print(self.formatmonth(theyear, themonth, w, l), end="")

    def formatmonth(self, theyear, themonth, w=0, l=0):
        width, height = max(2, w), max(1, l)
        lines = [
            self.formatmonthname(theyear, themonth, 7 * (width + 1) - 1).rstrip(),
            self.formatweekheader(width).rstrip(),
        ]
        for week in self.monthdays2calendar(theyear, themonth):
            lines.append(self.formatweek(week, width).rstrip())
        return "".join(line + "\n" * height for line in lines)

    def formatyear(self, theyear, w=2, l=1, c=6, m=3):
        width, height, gap = max(2, w), max(1, l), max(2, c)
        column = (width + 1) * 7 - 1
        blank = " " * gap
        ends = "\n" * height
        total = column * m + gap * (m - 1)
        pieces = [repr(theyear).center(total).rstrip(), ends]
        header = self.formatweekheader(width)
        for number, row in enumerate(self.yeardays2calendar(theyear, m)):
            months = range(m * number + 1, min(m * (number + 1) + 1, 13))
            names = [self.formatmonthname(theyear, month, column, False) for month in months]
            pieces += [ends, _columns(names, column, blank).rstrip(), ends]
            pieces += [_columns([header] * len(months), column, blank).rstrip(), ends]
            for place in range(max(len(weeks) for weeks in row)):
                texts = [
                    self.formatweek(weeks[place], width) if place < len(weeks) else ""
                    for weeks in row
                ]
                pieces += [_columns(texts, column, blank).rstrip(), ends]
        return "".join(pieces)

    def pryear(self, theyear, w=0, l=0, c=6, m=3):
        print(self.formatyear(theyear, w, l, c, m), end="")


def _columns(texts, width, blank):
    return blank.join(text.center(width) for text in texts)


c = TextCalendar()
firstweekday = c.getfirstweekday
monthcalendar = c.monthdayscalendar
prweek = c.prweek
week = c.formatweek
weekheader = c.formatweekheader
prmonth = c.prmonth
month = c.formatmonth
calendar = c.formatyear
prcal = c.pryear


def setfirstweekday(firstweekday):
    if not MONDAY <= firstweekday <= SUNDAY:
        raise IllegalWeekdayError(firstweekday)
    c.firstweekday = firstweekday


def formatstring(cols, colwidth=20, spacing=6):
    return (" " * spacing).join(text.center(colwidth) for text in cols)


def format(cols, colwidth=20, spacing=6):
    print(formatstring(cols, colwidth, spacing))


def timegm(tuple):
    """Seconds since 1970 of a moment in UTC."""
    year, month, day, hour, minute, second = tuple[:6]
    days = _days.to_ordinal(year, month, 1) - _days.EPOCH_ORDINAL + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second
