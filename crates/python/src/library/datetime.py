"""Dates and moments of the Gregorian calendar.

Calculations go through day ordinals and whole microseconds. The local time zone is UTC.
The classes `date` and `time` are in `_datetime_day` and `_datetime_clock`, lengths and zones
in `_datetime_span`.
"""

import _time
from operator import index as _index

from _datetime_clock import (
    check_clock as _check_clock,
    clock_text as _clock_text,
    offset_of as _offset_of,
    time,
    zone_repr as _zone_repr,
    zone_texts as _zone_texts,
)
from _datetime_day import (
    MISSING as _MISSING,
    check_date as _check_date,
    checked_ordinal as _checked_ordinal,
    date,
    replacements as _replacements,
    required as _required,
)
from _datetime_days import (
    EPOCH_ORDINAL as _EPOCH_ORDINAL,
    LAST_ORDINAL as _LAST_ORDINAL,
    MAXYEAR,
    MINYEAR,
    from_ordinal as _from_ordinal,
)
from _datetime_span import (
    from_microseconds as _from_microseconds,
    kind_name as _kind_name,
    refuse as _refuse,
    refuse_order as _refuse_order,
    register as _register,
    timedelta,
    timezone,
    tzinfo,
)

__all__ = (
    "date", "datetime", "time", "timedelta", "timezone", "tzinfo", "MINYEAR", "MAXYEAR", "UTC"
)

UTC = timezone.utc
_DAY = 86400000000


@_register
class datetime(date):
    """A moment, with or without a time zone."""

    _has_clock = True
    __slots__ = ("_hour", "_minute", "_second", "_microsecond", "_tzinfo", "_fold")

    def __new__(
        cls,
        year=_MISSING,
        month=_MISSING,
        day=_MISSING,
        hour=0,
        minute=0,
        second=0,
        microsecond=0,
        tzinfo=None,
        *,
        fold=0,
    ):
        _required(year, month, day)
        self = object.__new__(cls)
        self._year, self._month, self._day = _check_date(year, month, day)
        _check_clock(self, hour, minute, second, microsecond, tzinfo, fold)
        return self

    @classmethod
    def _from_total(cls, total, zone, fold=0):
        """The moment so many microseconds after the beginning of day 0."""
        days, rest = divmod(total, _DAY)
        year, month, day = _from_ordinal(_checked_ordinal(days))
        seconds, microsecond = divmod(rest, 1000000)
        return cls(
            year,
            month,
            day,
            seconds // 3600,
            seconds // 60 % 60,
            seconds % 60,
            microsecond,
            zone,
            fold=fold,
        )

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        if tz is not None and not isinstance(tz, tzinfo):
            kind = _kind_name(tz)
            raise TypeError(
                f"tzinfo argument must be None or of a tzinfo subclass, not type '{kind}'"
            )
        if isinstance(timestamp, float):
            if timestamp != timestamp:
                raise ValueError("Invalid value NaN (not a number)")
            if not -9.2e18 < timestamp < 9.2e18:
                raise OverflowError("timestamp out of range for platform time_t")
            whole = int(timestamp)
            micros = whole * 1000000 + round((timestamp - whole) * 1e6)
        else:
            micros = _index(timestamp) * 1000000
        total = micros + _EPOCH_ORDINAL * _DAY
        if not 1 <= total // _DAY <= _LAST_ORDINAL:
            year = _from_ordinal(total // _DAY)[0]
            raise ValueError(f"year {year} is out of range")
        moment = cls._from_total(total, tz)
        return moment if tz is None else tz.fromutc(moment)

    @classmethod
    def utcfromtimestamp(cls, timestamp, /):
        return cls.fromtimestamp(timestamp)

    @classmethod
    def combine(cls, date, time, tzinfo=True):
        _check_combined(date, time)
        zone = time._tzinfo if tzinfo is True else tzinfo
        return cls(
            date._year,
            date._month,
            date._day,
            time._hour,
            time._minute,
            time._second,
            time._microsecond,
            zone,
            fold=time._fold,
        )

    @classmethod
    def fromisoformat(cls, text, /):
        if not isinstance(text, str):
            raise TypeError("fromisoformat: argument must be str")
        from _datetime_parse import WeekError, iso_date, iso_time, separator_place

        try:
            if len(text) < 7:
                raise ValueError
            place = separator_place(text)
            parts = iso_date(text[:place])
            clock, offset = [0, 0, 0, 0], None
            if len(text) > place:
                clock, offset = iso_time(text[place + 1 :])
        except WeekError as error:
            raise ValueError(str(error)) from None
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {text!r}") from None
        zone = None if offset is None else timezone(_from_microseconds(offset))
        return cls(*parts, *clock, zone)

    @classmethod
    def strptime(cls, date_string, format, /):
        from _datetime_parse import parse_by

        parts = parse_by(date_string, format)
        zone = None
        if parts[9] is not None:
            offset = _from_microseconds(parts[9])
            zone = timezone(offset) if parts[10] is None else timezone(offset, parts[10])
        return cls(*parts[:6], parts[8], zone)

    @property
    def hour(self):
        return self._hour

    @property
    def minute(self):
        return self._minute

    @property
    def second(self):
        return self._second

    @property
    def microsecond(self):
        return self._microsecond

    @property
    def tzinfo(self):
        return self._tzinfo

    @property
    def fold(self):
        return self._fold

    def _total(self):
        """Microseconds since the beginning of day 0, by the clock."""
        seconds = (self._hour * 60 + self._minute) * 60 + self._second
        return date.toordinal(self) * _DAY + seconds * 1000000 + self._microsecond

    def utcoffset(self):
        return _offset_of(self._tzinfo, self, "utcoffset")

    def dst(self):
        return _offset_of(self._tzinfo, self, "dst")

    def tzname(self):
        return None if self._tzinfo is None else self._tzinfo.tzname(self)

    def date(self):
        return date(self._year, self._month, self._day)

    def time(self):
        return time(
            self._hour, self._minute, self._second, self._microsecond, fold=self._fold
        )

    def timetz(self):
        return self.time().replace(tzinfo=self._tzinfo)

    def timestamp(self):
        offset = self.utcoffset()
        total = self._total() - _EPOCH_ORDINAL * _DAY
        if offset is None:
            return total // 1000000 + self._microsecond / 1e6
        return (total - offset._total()) / 1000000

    def astimezone(self, tz=None):
        if tz is None:
            tz = timezone(timedelta(0), "UTC")
        elif not isinstance(tz, tzinfo):
            kind = _kind_name(tz)
            raise TypeError(f"tz argument must be an instance of tzinfo, not {kind}")
        if self._tzinfo is tz:
            return self
        offset = self.utcoffset()
        total = self._total() - (0 if offset is None else offset._total())
        return tz.fromutc(type(self)._from_total(total, tz))

    def _moment(self):
        moment = date._moment(self)
        return (*moment[:3], self._hour, self._minute, self._second, *moment[6:])

    def strftime(self, format):
        if not isinstance(format, str):
            raise TypeError(f"strftime() argument 1 must be str, not {type(format).__name__}")
        from _datetime_text import format_moment

        return format_moment(format, self._moment(), _zone_texts(self), self._microsecond)

    def timetuple(self):
        import time as time_module

        saving = self.dst()
        flag = -1 if saving is None else int(bool(saving))
        return time_module.struct_time((*self._moment(), flag))

    def utctimetuple(self):
        import time as time_module

        offset = self.utcoffset()
        moment = self if offset is None else self.replace(tzinfo=None) - offset
        return time_module.struct_time((*moment._moment(), 0))

    def isoformat(self, sep="T", timespec="auto"):
        return date.isoformat(self) + sep + _clock_text(self, timespec)

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        numbers = [self._year, self._month, self._day, self._hour, self._minute]
        if self._second or self._microsecond:
            numbers.append(self._second)
        if self._microsecond:
            numbers.append(self._microsecond)
        return f"{_kind_name(self)}({', '.join(map(str, numbers))}{_zone_repr(self)})"

    def replace(
        self,
        year=None,
        month=None,
        day=None,
        hour=None,
        minute=None,
        second=None,
        microsecond=None,
        tzinfo=True,
        *,
        fold=None,
        **others,
    ):
        _replacements((), others)
        return type(self)(
            self._year if year is None else year,
            self._month if month is None else month,
            self._day if day is None else day,
            self._hour if hour is None else hour,
            self._minute if minute is None else minute,
            self._second if second is None else second,
            self._microsecond if microsecond is None else microsecond,
            self._tzinfo if tzinfo is True else tzinfo,
            fold=self._fold if fold is None else fold,
        )

    def __add__(self, other):
        if isinstance(other, timedelta):
            return type(self)._from_total(self._total() + other._total(), self._tzinfo)
        return _refuse("+", self, other)

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return type(self)._from_total(self._total() - other._total(), self._tzinfo)
        if isinstance(other, datetime):
            message = "can't subtract offset-naive and offset-aware datetimes"
            return _from_microseconds(self._distance(other, message))
        return _refuse("-", self, other)

    def _distance(self, other, message):
        """Microseconds between two moments."""
        distance = self._total() - other._total()
        if self._tzinfo is other._tzinfo:
            return distance
        first, second = self.utcoffset(), other.utcoffset()
        if (first is None) != (second is None):
            raise TypeError(message)
        if first is None:
            return distance
        return distance - first._total() + second._total()

    def _difference(self, other, symbol):
        if isinstance(other, datetime):
            return self._distance(other, "can't compare offset-naive and offset-aware datetimes")
        if isinstance(other, date):
            raise TypeError("can't compare datetime.datetime to datetime.date")
        return _refuse_order(symbol, self, other)

    def __eq__(self, other):
        if not isinstance(other, datetime):
            return False if isinstance(other, date) else NotImplemented
        try:
            return not self._distance(other, "")
        except TypeError:
            return False

    def __hash__(self):
        offset = self.utcoffset()
        return hash(self._total() - (0 if offset is None else offset._total()))

    def __reduce__(self):
        return (
            type(self),
            (
                self._year, self._month, self._day, self._hour, self._minute, self._second,
                self._microsecond, self._tzinfo,
            ),
        )


def _check_combined(day, clock):
    if not isinstance(day, date):
        kind = _kind_name(day)
        raise TypeError(f"combine() argument 1 must be datetime.date, not {kind}")
    if not isinstance(clock, time):
        kind = _kind_name(clock)
        raise TypeError(f"combine() argument 2 must be datetime.time, not {kind}")


datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
datetime.resolution = timedelta(microseconds=1)
