"""The time of day, and what it shares with moments: clock fields, zone offsets, texts."""

from operator import index

from _datetime_span import kind_name, offset_text, refuse, refuse_order, register, timedelta, tzinfo

_DAY = 86400000000


def check_clock(target, hour, minute, second, microsecond, zone, fold):
    """Checks the clock fields and stores them in the target."""
    hour, minute, second = index(hour), index(minute), index(second)
    microsecond = index(microsecond)
    if not 0 <= hour <= 23:
        raise ValueError("hour must be in 0..23")
    if not 0 <= minute <= 59:
        raise ValueError("minute must be in 0..59")
    if not 0 <= second <= 59:
        raise ValueError("second must be in 0..59")
    if not 0 <= microsecond <= 999999:
        raise ValueError("microsecond must be in 0..999999")
    if fold not in (0, 1):
        raise ValueError("fold must be either 0 or 1")
    if zone is not None and not isinstance(zone, tzinfo):
        raise TypeError(
            "tzinfo argument must be None or of a tzinfo subclass, "
            f"not type '{kind_name(zone)}'"
        )
    target._hour = hour
    target._minute = minute
    target._second = second
    target._microsecond = microsecond
    target._tzinfo = zone
    target._fold = fold


def offset_of(zone, moment, name):
    """The checked answer of a zone's utcoffset or dst."""
    if zone is None:
        return None
    offset = getattr(zone, name)(moment)
    if offset is None:
        return None
    if not isinstance(offset, timedelta):
        kind = kind_name(offset)
        raise TypeError(f"tzinfo.{name}() must return None or a timedelta, not '{kind}'")
    if abs(offset._total()) >= _DAY:
        raise ValueError(
            "offset must be a timedelta strictly between -timedelta(hours=24) and "
            "timedelta(hours=24)."
        )
    return offset


def clock_text(source, timespec):
    """The clock in ISO form with the offset."""
    micros = source._microsecond
    if timespec == "auto":
        timespec = "microseconds" if micros else "seconds"
    full = f"{source._hour:02d}:{source._minute:02d}:{source._second:02d}"
    if timespec == "hours":
        text = full[:2]
    elif timespec == "minutes":
        text = full[:5]
    elif timespec == "seconds":
        text = full
    elif timespec == "milliseconds":
        text = f"{full}.{micros // 1000:03d}"
    elif timespec == "microseconds":
        text = f"{full}.{micros:06d}"
    else:
        raise ValueError("Unknown timespec value")
    offset = source.utcoffset()
    return text if offset is None else text + offset_text(offset._total())


def zone_repr(source):
    text = "" if source._fold == 0 else ", fold=1"
    return text if source._tzinfo is None else f"{text}, tzinfo={source._tzinfo!r}"


def zone_texts(source):
    """The offset text and the name that strftime shows; empty without a zone."""
    offset = source.utcoffset()
    text = "" if offset is None else offset_text(offset._total(), "")
    return (text, source.tzname() or "")


@register
class time:
    """A time of day."""

    __module__ = "datetime"
    __slots__ = ("_hour", "_minute", "_second", "_microsecond", "_tzinfo", "_fold")

    def __new__(cls, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        self = object.__new__(cls)
        check_clock(self, hour, minute, second, microsecond, tzinfo, fold)
        return self

    @classmethod
    def fromisoformat(cls, text, /):
        if not isinstance(text, str):
            raise TypeError("fromisoformat: argument must be str")
        from _datetime_parse import iso_time
        from _datetime_span import from_microseconds, timezone

        try:
            clock, offset = iso_time(text[1:] if text[:1] == "T" else text)
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {text!r}") from None
        zone = None if offset is None else timezone(from_microseconds(offset))
        return cls(*clock, zone)

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

    def utcoffset(self):
        return offset_of(self._tzinfo, None, "utcoffset")

    def dst(self):
        return offset_of(self._tzinfo, None, "dst")

    def tzname(self):
        return None if self._tzinfo is None else self._tzinfo.tzname(None)

    def isoformat(self, timespec="auto"):
        return clock_text(self, timespec)

    __str__ = isoformat

    def __repr__(self):
        numbers = [self._hour, self._minute]
        if self._second or self._microsecond:
            numbers.append(self._second)
        if self._microsecond:
            numbers.append(self._microsecond)
        return f"{kind_name(self)}({', '.join(map(str, numbers))}{zone_repr(self)})"

    def strftime(self, format):
        if not isinstance(format, str):
            raise TypeError(f"strftime() argument 1 must be str, not {type(format).__name__}")
        from _datetime_text import format_moment

        moment = (1900, 1, 1, self._hour, self._minute, self._second, 0, 1)
        return format_moment(format, moment, zone_texts(self), self._microsecond)

    def __format__(self, format):
        if not isinstance(format, str):
            raise TypeError(f"__format__() argument 1 must be str, not {type(format).__name__}")
        return self.strftime(format) if format else str(self)

    def replace(
        self,
        hour=None,
        minute=None,
        second=None,
        microsecond=None,
        tzinfo=True,
        *,
        fold=None,
        **others,
    ):
        for name in others:
            raise TypeError(f"'{name}' is an invalid keyword argument for replace()")
        return type(self)(
            self._hour if hour is None else hour,
            self._minute if minute is None else minute,
            self._second if second is None else second,
            self._microsecond if microsecond is None else microsecond,
            self._tzinfo if tzinfo is True else tzinfo,
            fold=self._fold if fold is None else fold,
        )

    def _total(self):
        seconds = (self._hour * 60 + self._minute) * 60 + self._second
        return seconds * 1000000 + self._microsecond

    def _difference(self, other, symbol):
        """A number that orders the two; NotImplemented for a foreign type."""
        if not isinstance(other, time):
            return refuse_order(symbol, self, other)
        difference = self._total() - other._total()
        if self._tzinfo is other._tzinfo:
            return difference
        first, second = self.utcoffset(), other.utcoffset()
        if (first is None) != (second is None):
            raise TypeError("can't compare offset-naive and offset-aware times")
        if first is None:
            return difference
        return difference - first._total() + second._total()

    def __eq__(self, other):
        if not isinstance(other, time):
            return NotImplemented
        try:
            return not self._difference(other, "==")
        except TypeError:
            return False

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

    def __add__(self, other):
        return refuse("+", self, other)

    def __radd__(self, other):
        return refuse("+", other, self)

    def __sub__(self, other):
        return refuse("-", self, other)

    def __rsub__(self, other):
        return refuse("-", other, self)

    def __hash__(self):
        offset = self.utcoffset()
        return hash(self._total() - (0 if offset is None else offset._total()))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


time.min = time(0, 0)
time.max = time(23, 59, 59, 999999)
time.resolution = timedelta(microseconds=1)
