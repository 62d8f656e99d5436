"""Integer tools under decimal arithmetic: counting digits, dropping digits, fitting a context.

A finite decimal is a sign (0 or 1), a coefficient (an integer from 0) and an exponent of
ten. `fit` turns an exact result into the one a context can hold and says which conditions
arose. Numbers of thousands of digits never pass through the interpreter's limited
int-to-string conversion in one piece.
"""

INVALID_OPERATION = 1
FLOAT_OPERATION = 2
DIVISION_BY_ZERO = 4
OVERFLOW = 8
UNDERFLOW = 16
SUBNORMAL = 32
INEXACT = 64
ROUNDED = 128
CLAMPED = 256
CONVERSION_SYNTAX = 512
DIVISION_IMPOSSIBLE = 1024
DIVISION_UNDEFINED = 2048

ROUND_DOWN = "ROUND_DOWN"
ROUND_HALF_UP = "ROUND_HALF_UP"
ROUND_HALF_EVEN = "ROUND_HALF_EVEN"
ROUND_CEILING = "ROUND_CEILING"
ROUND_FLOOR = "ROUND_FLOOR"
ROUND_UP = "ROUND_UP"
ROUND_HALF_DOWN = "ROUND_HALF_DOWN"
ROUND_05UP = "ROUND_05UP"

_PIECE = 4000
_SHORT = 10**_PIECE


def digit_text(number):
    """The decimal digits of an integer from 0."""
    if number < _SHORT:
        return str(number)
    # Halving keeps the divisions balanced, which matters for very long numbers.
    places = digit_count(number) // 2
    high, low = divmod(number, 10**places)
    return digit_text(high) + digit_text(low).zfill(places)


def number_from_digits(text):
    """The integer a string of digits stands for."""
    if len(text) <= _PIECE:
        return int(text)
    places = len(text) // 2
    return number_from_digits(text[:-places]) * 10**places + number_from_digits(text[-places:])


def digit_count(number):
    """How many digits an integer from 0 has; zero has one."""
    if number < _SHORT:
        return len(str(number))
    places = (number.bit_length() - 1) * 30103 // 100000
    # The estimate may be a few off for enormous numbers, in either direction.
    while number < 10**places:
        places -= 1
    while number >= 10 ** (places + 1):
        places += 1
    return places + 1


def trailing_zeros(number):
    text = digit_text(number)
    return len(text) - len(text.rstrip("0"))


def _goes_up(quotient, rest, unit, sign, mode):
    """Whether a quotient with a rest other than zero is rounded away from zero."""
    if mode == ROUND_DOWN:
        return False
    if mode == ROUND_UP:
        return True
    if mode == ROUND_CEILING:
        return not sign
    if mode == ROUND_FLOOR:
        return bool(sign)
    if mode == ROUND_05UP:
        return quotient % 5 == 0
    twice = rest * 2
    if twice != unit:
        return twice > unit
    if mode == ROUND_HALF_EVEN:
        return quotient % 2 == 1
    return mode == ROUND_HALF_UP


def drop_digits(coefficient, places, sign, mode):
    """The coefficient without its last places, rounded, and whether that lost anything."""
    if places > digit_count(coefficient) + 1:
        # Far below half a unit: any such value rounds alike.
        quotient, rest, unit = 0, min(coefficient, 1), 10
    else:
        unit = 10**places
        quotient, rest = divmod(coefficient, unit)
    if not rest:
        return (quotient, False)
    if _goes_up(quotient, rest, unit, sign, mode):
        quotient += 1
    return (quotient, True)


def round_to(coefficient, exponent, precision, sign=0, mode=ROUND_HALF_EVEN):
    """At most precision digits: coefficient, exponent and the conditions."""
    excess = digit_count(coefficient) - precision
    if excess <= 0:
        return (coefficient, exponent, 0)
    coefficient, lost = drop_digits(coefficient, excess, sign, mode)
    exponent += excess
    if digit_count(coefficient) > precision:
        coefficient //= 10
        exponent += 1
    return (coefficient, exponent, ROUNDED | INEXACT if lost else ROUNDED)


def _overflow(sign, context):
    """The result beyond the largest exponent: infinity or the largest number."""
    status = OVERFLOW | INEXACT | ROUNDED
    mode = context._rounding
    to_infinity = mode in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN, ROUND_UP)
    if mode == ROUND_CEILING:
        to_infinity = not sign
    elif mode == ROUND_FLOOR:
        to_infinity = bool(sign)
    if to_infinity:
        return (0, 0, "F", status)
    return (10**context._prec - 1, context._Emax - context._prec + 1, "", status)


def _fit_zero(exponent, context):
    tiny = context._Emin - context._prec + 1
    top = context._Emax - context._prec + 1 if context._clamp else context._Emax
    fitted = min(max(exponent, tiny), top)
    return (0, fitted, "", CLAMPED if fitted != exponent else 0)


def fit(sign, coefficient, exponent, context):
    """Coefficient, exponent, kind and conditions of an exact result in a context."""
    if not coefficient:
        return _fit_zero(exponent, context)
    precision = context._prec
    tiny = context._Emin - precision + 1
    digits = digit_count(coefficient)
    if exponent + digits - 1 > context._Emax:
        return _overflow(sign, context)
    status = 0
    subnormal = exponent + digits - 1 < context._Emin
    if subnormal:
        status = SUBNORMAL
    lowest = max(exponent + digits - precision, tiny)
    if exponent < lowest:
        coefficient, lost = drop_digits(
            coefficient, lowest - exponent, sign, context._rounding
        )
        exponent = lowest
        status |= ROUNDED
        if lost:
            status |= INEXACT | UNDERFLOW if subnormal else INEXACT
        if not coefficient:
            return (0, exponent, "", status | CLAMPED)
        digits = digit_count(coefficient)
        if digits > precision:
            coefficient //= 10
            exponent += 1
            digits = precision
        if exponent + digits - 1 > context._Emax:
            return _overflow(sign, context)
    if context._clamp:
        top = context._Emax - precision + 1
        if exponent > top:
            coefficient *= 10 ** (exponent - top)
            exponent = top
            status |= CLAMPED
    return (coefficient, exponent, "", status)
