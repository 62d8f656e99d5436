"""The four operations, remainders and the order of Decimal objects.

Operations compute exactly, or with enough digits, and then fit the result into the context
with its conditions. The class itself is handed over by `adopt`, because the module that
defines it needs these functions first.
"""

from _decimal_context import Context, getcontext
from _decimal_round import *

Decimal = None
_PLAIN_TYPES = (
    float, str, list, tuple, dict, set, frozenset, bytes, bytearray, complex, range, type(None)
)


def adopt(kind):
    """Names the class whose objects the operations make."""
    global Decimal
    Decimal = kind


def _make(sign, coefficient, exponent, kind=""):
    number = object.__new__(Decimal)
    number._sign = sign
    number._coefficient = coefficient
    number._exponent = exponent
    number._kind = kind
    return number


def _finish(sign, coefficient, exponent, context, status=0):
    """The Decimal of an exact finite result, fitted into the context."""
    if not (
        coefficient < context._limit and context._Emin <= exponent <= context._ceiling
    ):
        coefficient, exponent, kind, found = fit(sign, coefficient, exponent, context)
        status |= found
        if status:
            context._signal(status)
        return _make(sign, coefficient, exponent, kind)
    if status:
        context._signal(status)
    return _make(sign, coefficient, exponent)


def _fitted(number, context):
    if number._kind:
        return _quiet(number, context) if number._kind != "F" else number
    return _finish(number._sign, number._coefficient, number._exponent, context)


def _invalid(context, condition=INVALID_OPERATION):
    context._signal(condition)
    return _make(0, 0, 0, "n")


def _quiet(number, context):
    """The result of an operation on a NaN."""
    if number._kind == "N":
        context._signal(INVALID_OPERATION)
    payload = number._coefficient
    if payload and digit_count(payload) > context._prec:
        payload %= 10**context._prec
    return _make(number._sign, payload, 0, "n")


def _nan_of(context, *numbers):
    """The NaN that the operands produce, or None if none of them is one."""
    for kind in ("N", "n"):
        for number in numbers:
            if number._kind == kind:
                return _quiet(number, context)
    return None


def _operand(value):
    """A Decimal from a Decimal or an integer, as methods take them."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int):
        return _make(1 if value < 0 else 0, abs(int(value)), 0)
    name = type(value).__name__
    raise TypeError(f"conversion from {name} to Decimal is not supported")


def _number(value):
    """A Decimal from an operand of an operator, or None for a foreign type."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int):
        return _make(1 if value < 0 else 0, abs(int(value)), 0)
    return None


def _refuse(symbol, left, right, other):
    """The error for a foreign operand; other types may still handle the operation."""
    kind = type(other)
    if kind not in _PLAIN_TYPES and kind.__name__ != "Fraction":
        return NotImplemented
    names = [
        "decimal.Decimal" if isinstance(value, Decimal) else type(value).__name__
        for value in (left, right)
    ]
    if symbol == "+" and kind in (str, list, tuple) and left is other:
        raise TypeError(
            f'can only concatenate {names[0]} (not "decimal.Decimal") to {names[0]}'
        )
    if symbol == "*" and kind in (str, list, tuple, bytes, bytearray):
        raise TypeError("can't multiply sequence by non-int of type 'decimal.Decimal'")
    raise TypeError(f"unsupported operand type(s) for {symbol}: '{names[0]}' and '{names[1]}'")


def _add(left, right, context, flip=0):
    """left + right, or left - right with flip 1."""
    other_sign = right._sign ^ flip
    if left._kind or right._kind:
        result = _nan_of(context, left, right)
        if result is not None:
            return result
        if left._kind and right._kind and left._sign != other_sign:
            return _invalid(context)
        return _make(left._sign if left._kind else other_sign, 0, 0, "F")
    first, second = left._coefficient, right._coefficient
    exponent = left._exponent
    gap = exponent - right._exponent
    if gap:
        if not first or not second:
            return _add_zero(left, right, other_sign, context)
        if gap > 0:
            exponent = right._exponent
            if gap > context._prec:
                first, second, exponent = _near(
                    first, left._exponent, second, exponent, context
                )
            else:
                first *= 10**gap
        elif -gap > context._prec:
            second, first, exponent = _near(
                second, right._exponent, first, exponent, context
            )
        else:
            second *= 10**-gap
    if left._sign:
        first = -first
    total = first - second if other_sign else first + second
    if total:
        return _finish(1, -total, exponent, context) if total < 0 else _finish(
            0, total, exponent, context
        )
    sign = left._sign
    if sign != other_sign:
        sign = 1 if context._rounding == ROUND_FLOOR else 0
    return _finish(sign, 0, exponent, context)


def _add_zero(left, right, other_sign, context):
    """A sum with a zero: the lower exponent, but no more digits than the context holds."""
    exponent = min(left._exponent, right._exponent)
    number, sign = (left, left._sign) if left._coefficient else (right, other_sign)
    coefficient = number._coefficient
    if not coefficient:
        if left._sign == other_sign:
            sign = other_sign
        else:
            sign = 1 if context._rounding == ROUND_FLOOR else 0
        return _finish(sign, 0, exponent, context)
    room = context._prec - digit_count(coefficient)
    shift = max(0, min(number._exponent - exponent, room))
    status = ROUNDED if shift < number._exponent - exponent else 0
    return _finish(sign, coefficient * 10**shift, number._exponent - shift, context, status)


def _near(large, large_exponent, small, small_exponent, context):
    """Aligns two coefficients; a second one far below becomes a single low digit."""
    floor = large_exponent + digit_count(large) - 1 - context._prec - 2
    floor = min(floor, large_exponent - 1)
    if small_exponent + digit_count(small) - 1 < floor:
        small, small_exponent = 1, floor
    return (large * 10 ** (large_exponent - small_exponent), small, small_exponent)


def _subtract(left, right, context):
    return _add(left, right, context, 1)


def _multiply(left, right, context):
    sign = left._sign ^ right._sign
    if left._kind or right._kind:
        result = _nan_of(context, left, right)
        if result is not None:
            return result
        if not (left._kind or left._coefficient) or not (right._kind or right._coefficient):
            return _invalid(context)
        return _make(sign, 0, 0, "F")
    return _finish(
        sign, left._coefficient * right._coefficient, left._exponent + right._exponent, context
    )


def _divide(left, right, context):
    sign = left._sign ^ right._sign
    if left._kind or right._kind:
        result = _nan_of(context, left, right)
        if result is not None:
            return result
        if left._kind and right._kind:
            return _invalid(context)
        if left._kind:
            return _make(sign, 0, 0, "F")
        return _finish(sign, 0, context._Emin - context._prec + 1, context, CLAMPED)
    top, bottom = left._coefficient, right._coefficient
    if not bottom:
        if not top:
            return _invalid(context, DIVISION_UNDEFINED)
        context._signal(DIVISION_BY_ZERO)
        return _make(sign, 0, 0, "F")
    ideal = left._exponent - right._exponent
    if not top:
        return _finish(sign, 0, ideal, context)
    shift = digit_count(bottom) - digit_count(top) + context._prec + 1
    if shift >= 0:
        quotient, rest = divmod(top * 10**shift, bottom)
    else:
        quotient, rest = divmod(top, bottom * 10**-shift)
    exponent = ideal - shift
    if rest:
        # A last digit other than 0 and 5 tells the rounding that more follows.
        if quotient % 5 == 0:
            quotient += 1
    elif exponent < ideal:
        zeros = min(trailing_zeros(quotient), ideal - exponent)
        if zeros:
            quotient //= 10**zeros
            exponent += zeros
    return _finish(sign, quotient, exponent, context)


def _whole_and_rest(left, right, context):
    """Quotient cut to an integer and remainder of two finite numbers as
    (quotient, coefficient, exponent), or None if the quotient has too many digits."""
    ideal = min(left._exponent, right._exponent)
    top, bottom = left._coefficient, right._coefficient
    if not top:
        return (0, 0, ideal)
    distance = (left._exponent + digit_count(top)) - (right._exponent + digit_count(bottom))
    if distance < 0:
        room = max(0, min(left._exponent - ideal, context._prec + 1))
        return (0, top * 10**room, left._exponent - room)
    if distance > context._prec:
        return None
    if left._exponent >= right._exponent:
        top *= 10 ** (left._exponent - right._exponent)
    else:
        bottom *= 10 ** (right._exponent - left._exponent)
    quotient, rest = divmod(top, bottom)
    if quotient >= 10**context._prec:
        return None
    return (quotient, rest, ideal)


def _divide_whole(left, right, context):
    sign = left._sign ^ right._sign
    if left._kind or right._kind:
        result = _nan_of(context, left, right)
        if result is not None:
            return result
        if left._kind and right._kind:
            return _invalid(context)
        return _make(sign, 0, 0, "F" if left._kind else "")
    if not right._coefficient:
        if not left._coefficient:
            return _invalid(context, DIVISION_UNDEFINED)
        context._signal(DIVISION_BY_ZERO)
        return _make(sign, 0, 0, "F")
    parts = _whole_and_rest(left, right, context)
    if parts is None:
        return _invalid(context, DIVISION_IMPOSSIBLE)
    return _finish(sign, parts[0], 0, context)


def _remainder(left, right, context):
    if left._kind or right._kind:
        result = _nan_of(context, left, right)
        if result is not None:
            return result
        return _invalid(context) if left._kind else _fitted(left, context)
    if not right._coefficient:
        return _invalid(context, INVALID_OPERATION if left._coefficient else DIVISION_UNDEFINED)
    parts = _whole_and_rest(left, right, context)
    if parts is None:
        return _invalid(context, DIVISION_IMPOSSIBLE)
    return _finish(left._sign, parts[1], parts[2], context)


def _divide_both(left, right, context):
    sign = left._sign ^ right._sign
    if left._kind or right._kind:
        result = _nan_of(context, left, right)
        if result is not None:
            return (result, result)
        if left._kind:
            context._signal(INVALID_OPERATION)
            quotient = _make(0, 0, 0, "n") if right._kind else _make(sign, 0, 0, "F")
            return (quotient, _make(0, 0, 0, "n"))
        return (_make(sign, 0, 0), _fitted(left, context))
    if not right._coefficient:
        if not left._coefficient:
            result = _invalid(context, DIVISION_UNDEFINED)
            return (result, result)
        context._signal(DIVISION_BY_ZERO | INVALID_OPERATION)
        return (_make(sign, 0, 0, "F"), _make(0, 0, 0, "n"))
    parts = _whole_and_rest(left, right, context)
    if parts is None:
        result = _invalid(context, DIVISION_IMPOSSIBLE)
        return (result, result)
    return (
        _finish(sign, parts[0], 0, context),
        _finish(left._sign, parts[1], parts[2], context),
    )


def _power(base, power, *rest):
    import _decimal_power

    if len(rest) == 2:
        return _decimal_power.power_modulo(base, power, *rest)
    return _decimal_power.power(base, power, *rest)


def _plus(number, context):
    if number._kind in ("n", "N"):
        return _quiet(number, context)
    sign = number._sign
    if not number._kind and not number._coefficient and context._rounding != ROUND_FLOOR:
        sign = 0
    if number._kind:
        return number
    return _finish(sign, number._coefficient, number._exponent, context)


def _minus(number, context):
    if number._kind in ("n", "N"):
        return _quiet(number, context)
    if number._kind:
        return number.copy_negate()
    sign = 1 - number._sign
    if not number._coefficient and context._rounding != ROUND_FLOOR:
        sign = 0
    return _finish(sign, number._coefficient, number._exponent, context)


def _absolute(number, context):
    if number._kind in ("n", "N"):
        return _quiet(number, context)
    if number._kind:
        return number.copy_abs()
    return _finish(0, number._coefficient, number._exponent, context)


def _order(left, right):
    """-1, 0 or 1 for two numbers that are not NaN."""
    first = 0 if not (left._kind or left._coefficient) else (-1 if left._sign else 1)
    second = 0 if not (right._kind or right._coefficient) else (-1 if right._sign else 1)
    if first != second:
        return -1 if first < second else 1
    if first == 0:
        return 0
    if left._kind or right._kind:
        if left._kind and right._kind:
            return 0
        return first if left._kind else -first
    gap = left._exponent - right._exponent
    one, other = left._coefficient, right._coefficient
    if gap:
        height = gap + digit_count(one) - digit_count(other)
        if height:
            return first if height > 0 else -first
        if gap > 0:
            one *= 10**gap
        else:
            other *= 10**-gap
    if one == other:
        return 0
    return first if one > other else -first


def _check_context(context):
    if context is None:
        return getcontext()
    if not isinstance(context, Context):
        raise TypeError("optional argument must be a context")
    return context
