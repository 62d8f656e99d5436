"""Decimal contexts: precision, rounding, exponent range, and what happens on conditions.

Every condition is a bit; a context keeps the raised bits and the trapped bits as integers.
A trapped condition raises the exception of its signal with the list of trapped conditions
as argument. One current context serves the whole program, as there are no threads here.
"""

from _decimal_round import *

MAX_PREC = 999999999999999999
MAX_EMAX = 999999999999999999
MIN_EMIN = -999999999999999999
MIN_ETINY = -1999999999999999997

_ROUNDINGS = (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_UP,
    ROUND_DOWN,
    ROUND_HALF_UP,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_05UP,
)
# A larger power of ten would cost more than the short cut it serves.
_LONGEST_LIMIT = 20000


class DecimalException(ArithmeticError):
    __module__ = "decimal"


class Clamped(DecimalException):
    __module__ = "decimal"


class InvalidOperation(DecimalException):
    __module__ = "decimal"


class ConversionSyntax(InvalidOperation):
    __module__ = "decimal"


class DivisionImpossible(InvalidOperation):
    __module__ = "decimal"


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    __module__ = "decimal"


class InvalidContext(InvalidOperation):
    __module__ = "decimal"


class DivisionByZero(DecimalException, ZeroDivisionError):
    __module__ = "decimal"


class Inexact(DecimalException):
    __module__ = "decimal"


class Rounded(DecimalException):
    __module__ = "decimal"


class Subnormal(DecimalException):
    __module__ = "decimal"


class Overflow(Inexact, Rounded):
    __module__ = "decimal"


class Underflow(Inexact, Rounded, Subnormal):
    __module__ = "decimal"


class FloatOperation(DecimalException, TypeError):
    __module__ = "decimal"


_INVALID = INVALID_OPERATION | CONVERSION_SYNTAX | DIVISION_IMPOSSIBLE | DIVISION_UNDEFINED
_CONDITIONS = (
    (INVALID_OPERATION, InvalidOperation),
    (CONVERSION_SYNTAX, ConversionSyntax),
    (DIVISION_IMPOSSIBLE, DivisionImpossible),
    (DIVISION_UNDEFINED, DivisionUndefined),
)
_SIGNALS = (
    (_INVALID, InvalidOperation),
    (FLOAT_OPERATION, FloatOperation),
    (DIVISION_BY_ZERO, DivisionByZero),
    (OVERFLOW, Overflow),
    (UNDERFLOW, Underflow),
    (SUBNORMAL, Subnormal),
    (INEXACT, Inexact),
    (ROUNDED, Rounded),
    (CLAMPED, Clamped),
)
_BITS = {signal: bits for bits, signal in _SIGNALS}
_SHOWN_ORDER = (
    Clamped,
    InvalidOperation,
    DivisionByZero,
    Inexact,
    FloatOperation,
    Overflow,
    Rounded,
    Subnormal,
    Underflow,
)


class SignalDict:
    """The flags or the traps of a context as a mapping from signals to truth values."""

    __module__ = "decimal"

    def __init__(self, context, field):
        self._context = context
        self._field = field

    def _bits_of(self, signal):
        try:
            return _BITS[signal]
        except (KeyError, TypeError):
            raise KeyError("invalid error flag") from None

    def __getitem__(self, signal):
        return bool(getattr(self._context, self._field) & self._bits_of(signal))

    def __setitem__(self, signal, value):
        bits = self._bits_of(signal)
        held = getattr(self._context, self._field) & ~bits
        setattr(self._context, self._field, held | bits if value else held)

    def __delitem__(self, signal):
        raise ValueError("signal keys cannot be deleted")

    def __iter__(self):
        return iter(_BITS)

    def __len__(self):
        return len(_BITS)

    def __contains__(self, signal):
        return signal in _BITS

    def keys(self):
        return _BITS.keys()

    def values(self):
        return [self[signal] for signal in _BITS]

    def items(self):
        return [(signal, self[signal]) for signal in _BITS]

    def get(self, signal, default=None):
        return self[signal] if signal in _BITS else default

    def copy(self):
        return dict(self.items())

    def __eq__(self, other):
        if isinstance(other, (SignalDict, dict)):
            return dict(self.items()) == dict(other.items())
        return NotImplemented

    def __repr__(self):
        return "{" + ", ".join(f"{signal}:{value}" for signal, value in self.items()) + "}"


def _bits_from(signals):
    """The bits of a list of signals or of a mapping from signals to truth values."""
    bits = 0
    if isinstance(signals, (dict, SignalDict)):
        signals = [signal for signal, value in signals.items() if value]
    elif not isinstance(signals, list):
        raise TypeError("argument must be a signal dict")
    for signal in signals:
        if signal not in _BITS:
            raise TypeError("valid values for signals are:\n"
                "  [InvalidOperation, FloatOperation, DivisionByZero,\n"
                "   Overflow, Underflow, Subnormal, Inexact, Rounded,\n"
                "   Clamped]")
        bits |= _BITS[signal]
    return bits


def _check_integer(value):
    if not isinstance(value, int):
        raise TypeError("an integer is required")
    return value


class Context:
    """The rules of one calculation."""

    __module__ = "decimal"
    __hash__ = None

    def __init__(
        self,
        prec=None,
        rounding=None,
        Emin=None,
        Emax=None,
        capitals=None,
        clamp=None,
        flags=None,
        traps=None,
    ):
        base = _defaults
        self._Emin = self._Emax = 0
        self.prec = base._prec if prec is None else prec
        self.rounding = base._rounding if rounding is None else rounding
        self.Emin = base._Emin if Emin is None else Emin
        self.Emax = base._Emax if Emax is None else Emax
        self.capitals = 1 if capitals is None else capitals
        self.clamp = 0 if clamp is None else clamp
        self._status = 0 if flags is None else _bits_from(flags)
        self._traps = base._traps if traps is None else _bits_from(traps)

    def _derive(self):
        """Bounds inside which a result needs no fitting."""
        self._limit = 10 ** min(self._prec, _LONGEST_LIMIT)
        self._ceiling = self._Emax - self._prec + 1

    @property
    def prec(self):
        return self._prec

    @prec.setter
    def prec(self, value):
        if not 1 <= _check_integer(value) <= MAX_PREC:
            raise ValueError("valid range for prec is [1, MAX_PREC]")
        self._prec = value
        self._derive()

    @property
    def rounding(self):
        return self._rounding

    @rounding.setter
    def rounding(self, value):
        if value not in _ROUNDINGS:
            raise TypeError(
                "valid values for rounding are:\n"
                "  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n"
                "   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n"
                "   ROUND_05UP]"
            )
        self._rounding = value

    @property
    def Emin(self):
        return self._Emin

    @Emin.setter
    def Emin(self, value):
        if not MIN_EMIN <= _check_integer(value) <= 0:
            raise ValueError("valid range for Emin is [MIN_EMIN, 0]")
        self._Emin = value

    @property
    def Emax(self):
        return self._Emax

    @Emax.setter
    def Emax(self, value):
        if not 0 <= _check_integer(value) <= MAX_EMAX:
            raise ValueError("valid range for Emax is [0, MAX_EMAX]")
        self._Emax = value
        self._derive()

    @property
    def capitals(self):
        return self._capitals

    @capitals.setter
    def capitals(self, value):
        if _check_integer(value) not in (0, 1):
            raise ValueError("valid values for capitals are [0, 1]")
        self._capitals = value

    @property
    def clamp(self):
        return self._clamp

    @clamp.setter
    def clamp(self, value):
        if _check_integer(value) not in (0, 1):
            raise ValueError("valid values for clamp are [0, 1]")
        self._clamp = value

    @property
    def flags(self):
        return SignalDict(self, "_status")

    @flags.setter
    def flags(self, value):
        self._status = _bits_from(value)

    @property
    def traps(self):
        return SignalDict(self, "_traps")

    @traps.setter
    def traps(self, value):
        self._traps = _bits_from(value)

    def _signal(self, status):
        """Raises the flags; a trapped condition becomes an exception."""
        self._status |= status
        trapped = status & self._traps
        if not trapped:
            return
        found = [kind for bits, kind in _CONDITIONS if trapped & bits]
        found += [kind for bits, kind in _SIGNALS[1:] if trapped & bits]
        for bits, kind in _SIGNALS:
            if trapped & bits:
                raise kind(found)

    def clear_flags(self):
        self._status = 0

    def clear_traps(self):
        self._traps = 0

    def copy(self):
        other = Context.__new__(Context)
        other.__dict__.update(self.__dict__)
        return other

    __copy__ = copy

    def Etiny(self):
        return self._Emin - self._prec + 1

    def Etop(self):
        return self._Emax - self._prec + 1

    def radix(self):
        from decimal import Decimal

        return Decimal(10)

    def __repr__(self):
        def names(bits):
            return ", ".join(kind.__name__ for kind in _SHOWN_ORDER if bits & _BITS[kind])

        return (
            f"Context(prec={self._prec}, rounding={self._rounding}, Emin={self._Emin}, "
            f"Emax={self._Emax}, capitals={self._capitals}, clamp={self._clamp}, "
            f"flags=[{names(self._status)}], traps=[{names(self._traps)}])"
        )

    def create_decimal(self, value="0"):
        from _decimal_arithmetic import _fitted
        from decimal import Decimal

        if isinstance(value, str) and value != value.strip().replace("_", ""):
            self._signal(CONVERSION_SYNTAX)
            return Decimal("NaN")
        number = Decimal(value, self)
        return number if number._kind else _fitted(number, self)

    def create_decimal_from_float(self, value):
        from _decimal_arithmetic import _fitted
        from decimal import Decimal

        return _fitted(Decimal.from_float(value), self)


def _add_delegates():
    """Gives the context a method per operation of Decimal that takes a context."""

    def delegate(name, function_name):
        def method(self, first, *others):
            import _decimal_arithmetic as arithmetic

            numbers = [arithmetic._operand(value) for value in (first, *others)]
            if function_name is not None:
                return getattr(arithmetic, function_name)(*numbers, self)
            return getattr(numbers[0], name)(*numbers[1:], context=self)

        method.__name__ = name
        return method

    def plain(name):
        def method(self, first, *others):
            import _decimal_arithmetic as arithmetic

            numbers = [arithmetic._operand(value) for value in (first, *others)]
            return getattr(numbers[0], name)(*numbers[1:])

        method.__name__ = name
        return method

    for name, function_name in (
        ("add", "_add"),
        ("subtract", "_subtract"),
        ("multiply", "_multiply"),
        ("divide", "_divide"),
        ("divide_int", "_divide_whole"),
        ("remainder", "_remainder"),
        ("divmod", "_divide_both"),
        ("power", "_power"),
        ("plus", "_plus"),
        ("minus", "_minus"),
        ("abs", "_absolute"),
    ):
        setattr(Context, name, delegate(name, function_name))
    for name in (
        "compare compare_signal exp fma ln log10 logb max max_mag min min_mag next_minus "
        "next_plus next_toward normalize number_class quantize remainder_near rotate scaleb "
        "shift sqrt to_eng_string to_integral_exact to_integral_value to_integral "
        "is_normal is_subnormal"
    ).split():
        setattr(Context, name, delegate(name, None))
    for name in (
        "canonical compare_total compare_total_mag copy_abs copy_negate copy_sign is_canonical "
        "is_finite is_infinite is_nan is_qnan is_signed is_snan is_zero same_quantum"
    ).split():
        setattr(Context, name, plain(name))
    Context.to_sci_string = lambda self, value: value.__str__(self)
    Context.copy_decimal = lambda self, value: value


_add_delegates()

_defaults = None
DefaultContext = Context(
    28,
    ROUND_HALF_EVEN,
    -999999,
    999999,
    traps=[InvalidOperation, DivisionByZero, Overflow],
)
_defaults = DefaultContext
BasicContext = Context(
    prec=9,
    rounding=ROUND_HALF_UP,
    traps=[Clamped, InvalidOperation, DivisionByZero, Overflow, Underflow],
)
ExtendedContext = Context(prec=9, rounding=ROUND_HALF_EVEN, traps=[])

_current = DefaultContext.copy()


def getcontext():
    return _current


def setcontext(context, /):
    global _current
    if not isinstance(context, Context):
        raise TypeError("optional argument must be a context")
    if context is DefaultContext or context is BasicContext or context is ExtendedContext:
        context = context.copy()
        context._status = 0
    _current = context


class ContextManager:
    """Makes a copy of a context current for the length of a with block."""

    __module__ = "decimal"

    def __init__(self, context):
        self._context = context

    def __enter__(self):
        self._saved = getcontext()
        setcontext(self._context)
        return self._context

    def __exit__(self, kind, value, traceback):
        setcontext(self._saved)


_CONTEXT_FIELDS = (
    "prec", "rounding", "Emin", "Emax", "capitals", "clamp", "flags", "traps"
)


def localcontext(ctx=None, **changes):
    if ctx is None:
        ctx = getcontext()
    elif not isinstance(ctx, Context):
        raise TypeError("optional argument must be a context")
    context = ctx.copy()
    for name, value in changes.items():
        if name not in _CONTEXT_FIELDS:
            raise TypeError(f"'{name}' is an invalid keyword argument for this function")
        setattr(context, name, value)
    return ContextManager(context)
