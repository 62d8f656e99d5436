"""Clocks, and moments as tuples. The local time zone is always UTC.

The clocks themselves are native (`_time`); here are the nine-field tuples, their text forms
and the conversions to and from seconds.
"""

import _time
from _datetime_days import (
    DAY_NAMES,
    EPOCH_ORDINAL,
    MONTH_NAMES,
    days_before_year,
    from_ordinal,
    to_ordinal,
)
from _time import monotonic, perf_counter, process_time, sleep, time, time_ns

timezone = 0
altzone = 0
daylight = 0
tzname = ("UTC", "UTC")

_FIELDS = (
    "tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday",
    "tm_isdst",
)


def perf_counter_ns():
    return int(perf_counter() * 1000000000)


def monotonic_ns():
    return int(monotonic() * 1000000000)


def process_time_ns():
    return int(process_time() * 1000000000)


thread_time = process_time
thread_time_ns = process_time_ns


def _field(index):
    return property(lambda self: self[index])


class struct_time(tuple):
    """A moment: nine numbers, and the zone as attributes."""

    n_fields = 11
    n_sequence_fields = 9
    n_unnamed_fields = 0

    def __new__(cls, sequence, extra=None):
        values = tuple(sequence)
        if not 9 <= len(values) <= 11:
            bound = "at least 9" if len(values) < 9 else "at most 11"
            raise TypeError(
                f"time.struct_time() takes an {bound}-sequence ({len(values)}-sequence given)"
            )
        self = tuple.__new__(cls, values[:9])
        self.tm_zone = values[9] if len(values) > 9 else None
        self.tm_gmtoff = values[10] if len(values) > 10 else None
        return self

    tm_year = _field(0)
    tm_mon = _field(1)
    tm_mday = _field(2)
    tm_hour = _field(3)
    tm_min = _field(4)
    tm_sec = _field(5)
    tm_wday = _field(6)
    tm_yday = _field(7)
    tm_isdst = _field(8)

    def __repr__(self):
        fields = ", ".join(f"{name}={value}" for name, value in zip(_FIELDS, self))
        return f"time.struct_time({fields})"


def gmtime(seconds=None, /):
    return _moment_of(seconds, "GMT")


def localtime(seconds=None, /):
    return _moment_of(seconds, "UTC")


def _moment_of(seconds, zone):
    if seconds is None:
        seconds = time()
    elif not isinstance(seconds, (int, float)):
        kind = type(seconds).__name__
        raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if not -9.2e18 < seconds < 9.2e18:
        raise OverflowError("timestamp out of range for platform time_t")
    days, rest = divmod(int(seconds // 1), 86400)
    if not -800000000000 < days < 780000000000:
        raise OSError(75, "Value too large for defined data type")
    ordinal = days + EPOCH_ORDINAL
    year, month, day = from_ordinal(ordinal)
    return struct_time(
        (
            year, month, day, rest // 3600, rest // 60 % 60, rest % 60, (ordinal + 6) % 7,
            ordinal - days_before_year(year), 0, zone, 0,
        )
    )


def _seconds_of(fields):
    year, month = fields[0] + (fields[1] - 1) // 12, (fields[1] - 1) % 12 + 1
    days = to_ordinal(year, month, 1) - 1 + fields[2] - EPOCH_ORDINAL
    return days * 86400 + fields[3] * 3600 + fields[4] * 60 + fields[5]


def _checked_tuple(fields, name):
    if not isinstance(fields, tuple):
        raise TypeError("Tuple or struct_time argument required")
    if len(fields) != 9:
        raise TypeError(f"{name}(): illegal time tuple argument")
    return fields


def mktime(fields, /):
    return float(_seconds_of(_checked_tuple(fields, "mktime")))


def _checked_moment(fields, name):
    """Month, day, weekday and the like in range, as the text functions want them; a zero
    month, day or day of the year counts as the first."""
    year, month, day, hour, minute, second, weekday, yearday, dst = _checked_tuple(fields, name)
    month, day, yearday = month or 1, day or 1, yearday or 1
    for value, low, high, message in (
        (month, 1, 12, "month out of range"),
        (day, 1, 31, "day of month out of range"),
        (hour, 0, 23, "hour out of range"),
        (minute, 0, 59, "minute out of range"),
        (second, 0, 61, "seconds out of range"),
        (weekday, -1, weekday, "day of week out of range"),
        (yearday, 1, 366, "day of year out of range"),
    ):
        if not low <= value <= high:
            raise ValueError(message)
    return (year, month, day, hour, minute, second, weekday % 7, yearday)


def strftime(pattern, fields=None, /):
    if not isinstance(pattern, str):
        kind = type(pattern).__name__
        raise TypeError(f"strftime() argument 1 must be str, not {kind}")
    from _datetime_text import format_moment

    moment = _checked_moment(localtime() if fields is None else fields, "strftime")
    zone = getattr(fields, "tm_zone", None) or "UTC"
    return format_moment(pattern, moment, ("+0000", zone))


def strptime(text, pattern="%a %b %d %H:%M:%S %Y", /):
    from _datetime_parse import parse_by

    parts = parse_by(text, pattern)
    zone = parts[10]
    offset = None if parts[9] is None else parts[9] // 1000000
    return struct_time((*parts[:8], -1 if zone is None else 0, zone, offset))


def asctime(fields=None, /):
    moment = _checked_moment(localtime() if fields is None else fields, "asctime")
    year, month, day, hour, minute, second, weekday, _ = moment
    names = f"{DAY_NAMES[weekday][:3]} {MONTH_NAMES[month - 1][:3]}"
    return f"{names} {day:2d} {hour:02d}:{minute:02d}:{second:02d} {year}"


def ctime(seconds=None, /):
    return asctime(localtime(seconds))


def tzset():
    """Nothing to do: the zone never changes."""
