"""Powers of Decimal objects: special values, whole and real exponents, modular powers."""

from _decimal_arithmetic import _finish, _invalid, _make, _nan_of
from _decimal_math import estimated_logarithm, real_power, whole_power
from _decimal_round import CLAMPED, INEXACT, ROUNDED, SUBNORMAL, UNDERFLOW, digit_count

# Beyond this many squarings' worth of exponent the route through logarithms is shorter.
_LARGEST_WHOLE = 1 << 64


def _as_whole(number):
    """The integer a finite number is, or None; huge exponents stay None."""
    if number._kind:
        return None
    if number._exponent < 0:
        if -number._exponent > digit_count(number._coefficient):
            return None if number._coefficient else 0
        value, rest = divmod(number._coefficient, 10**-number._exponent)
        if rest:
            return None
    elif number._exponent > 1000 and number._coefficient:
        return None
    else:
        value = number._coefficient * 10**number._exponent if number._coefficient else 0
    return -value if number._sign else value


def _is_whole(number):
    return not number._kind and (number._exponent >= 0 or _as_whole(number) is not None)


def _is_odd(number):
    whole = _as_whole(number)
    return whole is not None and whole % 2 == 1


def _is_one(number):
    """Whether the absolute value is exactly 1."""
    digits = digit_count(number._coefficient)
    return number._exponent == 1 - digits and number._coefficient == 10 ** (digits - 1)


def _size_to_one(number):
    """-1, 0 or 1 as the absolute value compares to 1."""
    if number._kind:
        return 1
    if _is_one(number):
        return 0
    above = number._exponent + digit_count(number._coefficient) > 0
    return 1 if number._coefficient and above else -1


def _power_of_one(base, exponent, sign, context):
    """1 to any power, with the digits that repeated multiplication gives."""
    if _is_whole(exponent):
        if exponent._sign:
            return _make(sign, 1, 0)
        count = _as_whole(exponent)
        places = context._prec if count is None else count * -base._exponent
        if places > context._prec - 1:
            context._signal(ROUNDED)
            places = context._prec - 1
    else:
        context._signal(INEXACT | ROUNDED)
        places = context._prec - 1
    return _make(sign, 10**places, -places)


def _infinite(base, exponent, sign, context):
    """A power with an infinite operand."""
    if exponent._kind:
        size = _size_to_one(base)
        if size == 0:
            context._signal(INEXACT | ROUNDED)
            places = context._prec - 1
            return _make(sign, 10**places, -places)
        grows = (size > 0) != bool(exponent._sign)
        return _make(sign, 0, 0, "F") if grows else _make(sign, 0, 0)
    if not exponent._coefficient:
        return _make(0, 1, 0)
    if exponent._sign:
        return _make(sign, 0, 0)
    if not exponent._coefficient:
        return _make(sign, 1, 0)
    return _make(sign, 0, 0, "F")


def power(base, exponent, context):
    if base._kind or exponent._kind:
        result = _nan_of(context, base, exponent)
        if result is not None:
            return result
    whole = _is_whole(exponent)
    sign = 1 if whole and base._sign and _is_odd(exponent) else 0
    if not base._kind and not base._coefficient:
        if not exponent._kind and not exponent._coefficient:
            return _invalid(context)
        return _make(sign, 0, 0, "F") if exponent._sign else _make(sign, 0, 0)
    if base._sign and (not whole or exponent._kind):
        return _invalid(context)
    if base._kind or exponent._kind:
        return _infinite(base, exponent, sign, context)
    if not exponent._coefficient:
        return _make(sign, 1, 0)
    if _is_one(base):
        return _power_of_one(base, exponent, sign, context)
    digits = exponent._exponent + digit_count(exponent._coefficient)
    if digits > 40:
        return _out_of_range(base, exponent, sign, context)
    # A first look at the size: far outside the range nothing has to be computed.
    height = digit_count(exponent._coefficient) - 1
    scaled = exponent._coefficient / 10**height * 10.0 ** (height + exponent._exponent)
    size = estimated_logarithm(base._coefficient, base._exponent) * scaled
    if abs(size) > 2 * max(context._Emax, -context._Emin) + 100:
        return _out_of_range(base, exponent, sign, context)
    count = _as_whole(exponent) if whole else None
    if count is not None and abs(count) < _LARGEST_WHOLE:
        coefficient, place, status = whole_power(
            base._coefficient, base._exponent, count, context._prec, digits
        )
        lowest = context._Emin - context._prec - digits - 2
        if place + digit_count(coefficient) < lowest:
            return _out_of_range(base, exponent, sign, context)
        return _finish(sign, coefficient, place, context, status)
    parts = real_power(
        (0, base._coefficient, base._exponent),
        (exponent._sign, exponent._coefficient, exponent._exponent),
        context._prec,
    )
    if parts is None:
        return _out_of_range(base, exponent, sign, context)
    return _finish(sign, parts[0], parts[1], context, parts[2])


def _out_of_range(base, exponent, sign, context):
    grows = (_size_to_one(base) > 0) != bool(exponent._sign)
    if grows:
        return _finish(sign, 1, context._Emax + 1, context)
    context._signal(CLAMPED | INEXACT | ROUNDED | SUBNORMAL | UNDERFLOW)
    return _make(sign, 0, context._Emin - context._prec + 1)


def power_modulo(base, exponent, modulo, context):
    result = _nan_of(context, base, exponent, modulo)
    if result is not None:
        return result
    count, divisor = _as_whole(exponent), _as_whole(modulo)
    if count is None or divisor is None or not _is_whole(base):
        return _invalid(context)
    if count < 0 or not divisor or digit_count(abs(divisor)) > context._prec:
        return _invalid(context)
    if not base._coefficient and not count:
        return _invalid(context)
    divisor = abs(divisor)
    if base._exponent >= 0:
        first = base._coefficient * pow(10, base._exponent, divisor)
    else:
        first = abs(_as_whole(base))
    return _make(base._sign & count % 2, pow(first, count, divisor), 0)
