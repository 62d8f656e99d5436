"""The class `date`, and the checks of year, month and day.

Moments are a subclass of dates that are no dates in comparisons and differences; the
attribute `_has_clock` tells the two apart.
"""

import _time
from operator import index

from _datetime_days import (
    DAY_NAMES,
    LAST_ORDINAL,
    MAXYEAR,
    MINYEAR,
    MONTH_NAMES,
    days_before_year,
    from_ordinal,
    iso_parts,
    month_length,
    to_ordinal,
)
from _datetime_span import kind_name, refuse, refuse_order, register, timedelta

MISSING = object()


def required(*values):
    for place, (name, value) in enumerate(zip(("year", "month", "day"), values)):
        if value is MISSING:
            raise TypeError(f"function missing required argument '{name}' (pos {place + 1})")


def check_date(year, month, day):
    year, month, day = index(year), index(month), index(day)
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError(f"year {year} is out of range")
    if not 1 <= month <= 12:
        raise ValueError("month must be in 1..12")
    if not 1 <= day <= month_length(year, month):
        raise ValueError("day is out of range for month")
    return (year, month, day)


def checked_ordinal(ordinal):
    if not 1 <= ordinal <= LAST_ORDINAL:
        raise OverflowError("date value out of range")
    return ordinal


def replacements(names, changes):
    for name in changes:
        if name not in names:
            raise TypeError(f"'{name}' is an invalid keyword argument for replace()")


class IsoCalendarDate(tuple):
    """ISO year, week and weekday."""

    __module__ = "datetime"

    def __new__(cls, year, week, weekday):
        return tuple.__new__(cls, (year, week, weekday))

    @property
    def year(self):
        return self[0]

    @property
    def week(self):
        return self[1]

    @property
    def weekday(self):
        return self[2]

    def __repr__(self):
        return f"datetime.IsoCalendarDate(year={self[0]}, week={self[1]}, weekday={self[2]})"


@register
class date:
    """A day."""

    __module__ = "datetime"
    __slots__ = ("_year", "_month", "_day")
    _takes_spans = True
    _has_clock = False

    def __new__(cls, year=MISSING, month=MISSING, day=MISSING):
        required(year, month, day)
        self = object.__new__(cls)
        self._year, self._month, self._day = check_date(year, month, day)
        return self

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, timestamp, /):
        from datetime import datetime

        moment = datetime.fromtimestamp(timestamp)
        return cls(moment._year, moment._month, moment._day)

    @classmethod
    def fromordinal(cls, ordinal, /):
        ordinal = index(ordinal)
        if ordinal < 1:
            raise ValueError("ordinal must be >= 1")
        year, month, day = from_ordinal(ordinal)
        return cls(year, month, day)

    @classmethod
    def fromisoformat(cls, text, /):
        if not isinstance(text, str):
            raise TypeError("fromisoformat: argument must be str")
        from _datetime_parse import WeekError, iso_date

        try:
            if len(text) not in (7, 8, 10):
                raise ValueError
            parts = iso_date(text)
        except WeekError as error:
            raise ValueError(str(error)) from None
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {text!r}") from None
        return cls(*parts)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        from _datetime_parse import WeekError, week_date

        try:
            parts = week_date(index(year), index(week), index(day))
        except WeekError as error:
            raise ValueError(str(error)) from None
        return cls(*parts)

    @property
    def year(self):
        return self._year

    @property
    def month(self):
        return self._month

    @property
    def day(self):
        return self._day

    def toordinal(self):
        return to_ordinal(self._year, self._month, self._day)

    def weekday(self):
        return (date.toordinal(self) + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def isocalendar(self):
        return IsoCalendarDate(*iso_parts(date.toordinal(self), self._year))

    def isoformat(self):
        return f"{self._year:04d}-{self._month:02d}-{self._day:02d}"

    __str__ = isoformat

    def __repr__(self):
        return f"{kind_name(self)}({self._year}, {self._month}, {self._day})"

    def _moment(self):
        """The fields that strftime wants."""
        ordinal = date.toordinal(self)
        yearday = ordinal - days_before_year(self._year)
        return (self._year, self._month, self._day, 0, 0, 0, (ordinal + 6) % 7, yearday)

    def ctime(self):
        moment = self._moment()
        names = f"{DAY_NAMES[moment[6]][:3]} {MONTH_NAMES[self._month - 1][:3]}"
        clock = f"{moment[3]:02d}:{moment[4]:02d}:{moment[5]:02d}"
        return f"{names} {self._day:2d} {clock} {self._year:04d}"

    def strftime(self, format):
        if not isinstance(format, str):
            raise TypeError(f"strftime() argument 1 must be str, not {type(format).__name__}")
        from _datetime_text import format_moment

        return format_moment(format, self._moment(), ("", ""), 0)

    def __format__(self, format):
        if not isinstance(format, str):
            raise TypeError(f"__format__() argument 1 must be str, not {type(format).__name__}")
        return self.strftime(format) if format else str(self)

    def timetuple(self):
        import time as time_module

        return time_module.struct_time((*self._moment(), -1))

    def replace(self, year=None, month=None, day=None, **others):
        replacements((), others)
        return type(self)(
            self._year if year is None else year,
            self._month if month is None else month,
            self._day if day is None else day,
        )

    def __add__(self, other):
        if isinstance(other, timedelta):
            ordinal = checked_ordinal(date.toordinal(self) + other._days)
            return type(self)(*from_ordinal(ordinal))
        return refuse("+", self, other)

    def __radd__(self, other):
        if isinstance(other, timedelta):
            return self + other
        return refuse("+", other, self)

    def __sub__(self, other):
        if isinstance(other, timedelta):
            ordinal = checked_ordinal(date.toordinal(self) - other._days)
            return type(self)(*from_ordinal(ordinal))
        if isinstance(other, date) and not other._has_clock:
            return timedelta(date.toordinal(self) - date.toordinal(other))
        return refuse("-", self, other)

    def __rsub__(self, other):
        return refuse("-", other, self)

    def _difference(self, other, symbol):
        """A number that orders the two; NotImplemented for a foreign type."""
        if isinstance(other, date):
            if other._has_clock:
                raise TypeError("can't compare datetime.datetime to datetime.date")
            return date.toordinal(self) - date.toordinal(other)
        return refuse_order(symbol, self, other)

    def __eq__(self, other):
        if isinstance(other, date):
            if other._has_clock:
                return NotImplemented
            return date.toordinal(self) == date.toordinal(other)
        return NotImplemented

    def __lt__(self, other):
        order = self._difference(other, "<")
        return order if order is NotImplemented else order < 0

    def __le__(self, other):
        order = self._difference(other, "<=")
        return order if order is NotImplemented else order <= 0

    def __gt__(self, other):
        order = self._difference(other, ">")
        return order if order is NotImplemented else order > 0

    def __ge__(self, other):
        order = self._difference(other, ">=")
        return order if order is NotImplemented else order >= 0

    def __hash__(self):
        return hash((self._year, self._month, self._day))

    def __reduce__(self):
        return (type(self), (self._year, self._month, self._day))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


date.min = date(1, 1, 1)
date.max = date(9999, 12, 31)
date.resolution = timedelta(days=1)
