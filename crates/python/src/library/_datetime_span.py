"""Lengths of time and time zones: timedelta, tzinfo and timezone.

A timedelta is normalized to days, seconds of a day and microseconds of a second; every
calculation runs on the whole number of microseconds. Error messages name the classes as
`datetime.date` and so on, like those of the original.
"""

from math import modf

_DAY = 86400000000
_MOST_DAYS = 999999999
_BUILT_IN = (
    int, float, bool, str, list, tuple, dict, set, frozenset, bytes, bytearray, complex, range,
    type(None),
)
_KINDS = {}


def register(kind):
    """Names a class of this family in error messages."""
    _KINDS[kind] = "datetime." + kind.__name__
    return kind


def kind_name(value):
    kind = type(value)
    return _KINDS.get(kind) or kind.__name__


def refuse(symbol, left, right):
    """The error for operands that do not go together; foreign types may still have a say."""
    for operand in (left, right):
        if type(operand) not in _KINDS and type(operand) not in _BUILT_IN:
            return NotImplemented
    first, second = kind_name(left), kind_name(right)
    if symbol == "+" and type(left) in (str, list, tuple):
        raise TypeError(f'can only concatenate {first} (not "{second}") to {first}')
    for sequence, other in ((left, second), (right, first)):
        if symbol == "*" and type(sequence) in (str, list, tuple, bytes, bytearray):
            raise TypeError(f"can't multiply sequence by non-int of type '{other}'")
    raise TypeError(f"unsupported operand type(s) for {symbol}: '{first}' and '{second}'")


def refuse_order(symbol, left, right):
    if type(right) not in _KINDS and type(right) not in _BUILT_IN:
        return NotImplemented
    raise TypeError(
        f"'{symbol}' not supported between instances of "
        f"'{kind_name(left)}' and '{kind_name(right)}'"
    )


def _nearest(top, bottom):
    """top / bottom as the nearest integer, a tie to the even one."""
    quotient, rest = divmod(top, bottom)
    rest *= 2
    over = rest > bottom if bottom > 0 else rest < bottom
    if over or (rest == bottom and quotient % 2):
        quotient += 1
    return quotient


def _total_of(arguments):
    """Microseconds of (value, unit, name) triples; fractions are summed up and rounded once."""
    total = 0
    leftover = 0.0
    for value, unit, name in arguments:
        if isinstance(value, int):
            total += value * unit
        elif isinstance(value, float):
            fraction, whole = modf(value)
            total += int(whole) * unit
            fraction, whole = modf(unit * fraction)
            total += int(whole)
            leftover += fraction
        else:
            kind = type(value).__name__
            raise TypeError(f"unsupported type for timedelta {name} component: {kind}")
    if leftover:
        # A tie goes to the even total, so the parity of the whole part counts.
        odd = total % 2
        total += round(leftover + odd) - odd
    return total


def from_microseconds(total, kind=None):
    """The timedelta of that many microseconds."""
    kind = kind or timedelta
    days, rest = divmod(total, _DAY)
    if not -_MOST_DAYS <= days <= _MOST_DAYS:
        if not -(2**31) <= days < 2**31:
            raise OverflowError("Python int too large to convert to C int")
        raise OverflowError(f"days={days}; must have magnitude <= {_MOST_DAYS}")
    self = object.__new__(kind)
    self._days = days
    self._seconds, self._microseconds = divmod(rest, 1000000)
    return self


@register
class timedelta:
    """A length of time."""

    __module__ = "datetime"
    __slots__ = ("_days", "_seconds", "_microseconds")

    def __new__(
        cls,
        days=0,
        seconds=0,
        microseconds=0,
        milliseconds=0,
        minutes=0,
        hours=0,
        weeks=0,
    ):
        arguments = (
            (microseconds, 1, "microseconds"),
            (milliseconds, 1000, "milliseconds"),
            (seconds, 1000000, "seconds"),
            (minutes, 60000000, "minutes"),
            (hours, 3600000000, "hours"),
            (days, _DAY, "days"),
            (weeks, 7 * _DAY, "weeks"),
        )
        return from_microseconds(_total_of(arguments), cls)

    @property
    def days(self):
        return self._days

    @property
    def seconds(self):
        return self._seconds

    @property
    def microseconds(self):
        return self._microseconds

    def _total(self):
        return (self._days * 86400 + self._seconds) * 1000000 + self._microseconds

    def total_seconds(self):
        return self._total() / 1000000

    def __repr__(self):
        name = _KINDS.get(type(self)) or type(self).__name__
        parts = []
        for label in ("days", "seconds", "microseconds"):
            value = getattr(self, "_" + label)
            if value:
                parts.append(f"{label}={value}")
        return f"{name}({', '.join(parts) or '0'})"

    def __str__(self):
        minutes, second = divmod(self._seconds, 60)
        hour, minute = divmod(minutes, 60)
        text = f"{hour}:{minute:02d}:{second:02d}"
        if self._microseconds:
            text += f".{self._microseconds:06d}"
        if self._days:
            plural = "" if abs(self._days) == 1 else "s"
            text = f"{self._days} day{plural}, {text}"
        return text

    def __add__(self, other):
        if isinstance(other, timedelta):
            return from_microseconds(self._total() + other._total())
        if getattr(type(other), "_takes_spans", False):
            return NotImplemented
        return refuse("+", self, other)

    def __radd__(self, other):
        if isinstance(other, timedelta):
            return from_microseconds(other._total() + self._total())
        return refuse("+", other, self)

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return from_microseconds(self._total() - other._total())
        return refuse("-", self, other)

    def __rsub__(self, other):
        if isinstance(other, timedelta):
            return from_microseconds(other._total() - self._total())
        return refuse("-", other, self)

    def __mul__(self, other):
        if isinstance(other, int):
            return from_microseconds(self._total() * other)
        if isinstance(other, float):
            top, bottom = other.as_integer_ratio()
            return from_microseconds(_nearest(self._total() * top, bottom))
        return refuse("*", self, other)

    def __rmul__(self, other):
        if isinstance(other, (int, float)):
            return self * other
        return refuse("*", other, self)

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._total() / other._total()
        if isinstance(other, int):
            return from_microseconds(_nearest(self._total(), other))
        if isinstance(other, float):
            top, bottom = other.as_integer_ratio()
            return from_microseconds(_nearest(self._total() * bottom, top))
        return refuse("/", self, other)

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._total() // other._total()
        if isinstance(other, int):
            return from_microseconds(self._total() // other)
        return refuse("//", self, other)

    def __mod__(self, other):
        if isinstance(other, timedelta):
            return from_microseconds(self._total() % other._total())
        return refuse("%", self, other)

    def __divmod__(self, other):
        if isinstance(other, timedelta):
            quotient, rest = divmod(self._total(), other._total())
            return (quotient, from_microseconds(rest))
        return refuse("divmod()", self, other)

    def __neg__(self):
        return from_microseconds(-self._total())

    def __pos__(self):
        return from_microseconds(self._total())

    def __abs__(self):
        return from_microseconds(abs(self._total()))

    def __bool__(self):
        return self._total() != 0

    def __eq__(self, other):
        if isinstance(other, timedelta):
            return self._total() == other._total()
        return NotImplemented

    def __lt__(self, other):
        if isinstance(other, timedelta):
            return self._total() < other._total()
        return refuse_order("<", self, other)

    def __le__(self, other):
        if isinstance(other, timedelta):
            return self._total() <= other._total()
        return refuse_order("<=", self, other)

    def __gt__(self, other):
        if isinstance(other, timedelta):
            return self._total() > other._total()
        return refuse_order(">", self, other)

    def __ge__(self, other):
        if isinstance(other, timedelta):
            return self._total() >= other._total()
        return refuse_order(">=", self, other)

    def __hash__(self):
        return hash((self._days, self._seconds, self._microseconds))

    def __reduce__(self):
        return (type(self), (self._days, self._seconds, self._microseconds))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


timedelta.min = timedelta(-_MOST_DAYS)
timedelta.max = from_microseconds((_MOST_DAYS + 1) * _DAY - 1)
timedelta.resolution = timedelta(microseconds=1)


def offset_text(total, separator=":"):
    """`+05:30` for an offset in microseconds; seconds only where there are any."""
    sign = "-" if total < 0 else "+"
    seconds, microsecond = divmod(abs(total), 1000000)
    minutes, second = divmod(seconds, 60)
    text = f"{sign}{minutes // 60:02d}{separator}{minutes % 60:02d}"
    if second or microsecond:
        text += f"{separator}{second:02d}"
    if microsecond:
        text += f".{microsecond:06d}"
    return text


@register
class tzinfo:
    """The interface of time zones."""

    __module__ = "datetime"
    __slots__ = ()

    def tzname(self, moment):
        raise NotImplementedError("a tzinfo subclass must implement tzname()")

    def utcoffset(self, moment):
        raise NotImplementedError("a tzinfo subclass must implement utcoffset()")

    def dst(self, moment):
        raise NotImplementedError("a tzinfo subclass must implement dst()")

    def fromutc(self, moment):
        """The local moment of one whose clock fields are in UTC."""
        if moment.tzinfo is not self:
            raise ValueError("fromutc: dt.tzinfo is not self")
        offset = moment.utcoffset()
        if offset is None:
            raise ValueError("fromutc: non-None utcoffset() result required")
        saving = moment.dst()
        if saving is None:
            raise ValueError("fromutc: non-None dst() result required")
        standard = offset - saving
        if standard:
            moment += standard
            saving = moment.dst()
            if saving is None:
                raise ValueError(
                    "fromutc: tz.dst() gave inconsistent results; cannot convert"
                )
        return moment + saving


@register
class timezone(tzinfo):
    """A fixed offset from UTC."""

    __module__ = "datetime"
    __slots__ = ("_offset", "_name")

    def __new__(cls, offset, name=None):
        if not isinstance(offset, timedelta):
            kind = kind_name(offset)
            raise TypeError(f"timezone() argument 1 must be datetime.timedelta, not {kind}")
        if name is None:
            if not offset and _utc is not None:
                return _utc
        elif not isinstance(name, str):
            raise TypeError(f"timezone() argument 2 must be str, not {kind_name(name)}")
        if abs(offset._total()) >= _DAY:
            raise ValueError(
                "offset must be a timedelta strictly between -timedelta(hours=24) and "
                f"timedelta(hours=24), not {offset!r}."
            )
        self = tzinfo.__new__(cls)
        self._offset = offset
        self._name = name
        return self

    def _check(self, moment, name):
        if moment is not None and not getattr(type(moment), "_takes_spans", False):
            raise TypeError(
                f"{name}(dt) argument must be a datetime instance or None, "
                f"not {kind_name(moment)}"
            )

    def utcoffset(self, moment):
        self._check(moment, "utcoffset")
        return self._offset

    def dst(self, moment):
        self._check(moment, "dst")
        return None

    def tzname(self, moment):
        self._check(moment, "tzname")
        return str(self)

    def fromutc(self, moment):
        if moment.tzinfo is not self:
            raise ValueError("fromutc: dt.tzinfo is not self")
        return moment + self._offset

    def __str__(self):
        if self._name is not None:
            return self._name
        if not self._offset:
            return "UTC"
        return "UTC" + offset_text(self._offset._total())

    def __repr__(self):
        if self is _utc:
            return "datetime.timezone.utc"
        name = _KINDS.get(type(self)) or type(self).__name__
        if self._name is None:
            return f"{name}({self._offset!r})"
        return f"{name}({self._offset!r}, {self._name!r})"

    def __eq__(self, other):
        if not isinstance(other, timezone):
            return NotImplemented
        return self._offset == other._offset

    def __hash__(self):
        return hash(self._offset)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_utc = None
_utc = timezone(timedelta(0))
timezone.utc = _utc
timezone.min = timezone(timedelta(hours=-23, minutes=-59))
timezone.max = timezone(timedelta(hours=23, minutes=59))
