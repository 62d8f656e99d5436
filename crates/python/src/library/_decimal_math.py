"""Roots, exponentials, logarithms and powers of decimals, correctly rounded.

Everything is computed on integers: a value v is held as v * 2**bits. The transcendental
functions compute some guard digits, and start again with more of them while the result
lies too close to a rounding border, so each result is the true value rounded half-even.
"""

from math import isqrt, log10

from _decimal_round import (
    INEXACT,
    ROUNDED,
    digit_count,
    digit_text,
    number_from_digits,
    round_to,
)

_logarithm_of_ten = (0, 0)
_FIRST_GUARD = 8
# Half the distance to a rounding border that still counts as too close, in guard units.
_DOUBT = 1000


def _inverse_tangent_series(number, bits):
    """atanh(1 / number)."""
    term = (1 << bits) // number
    square = number * number
    total = 0
    divisor = 1
    while term:
        total += term // divisor
        term //= square
        divisor += 2
    return total


def logarithm_of_ten(bits):
    global _logarithm_of_ten
    held, value = _logarithm_of_ten
    if held < bits:
        held = bits + 40
        value = (
            46 * _inverse_tangent_series(31, held)
            + 34 * _inverse_tangent_series(49, held)
            + 20 * _inverse_tangent_series(161, held)
        )
        _logarithm_of_ten = (held, value)
    return value >> (held - bits)


def _bits_for(digits):
    return digits * 33220 // 10000 + 24


def _settled(number, exponent, precision):
    """number * 10**exponent cut to precision digits, or None if the border is too close."""
    excess = digit_count(number) - precision
    unit = 10**excess
    quotient, rest = divmod(number, unit)
    half = unit // 2
    if abs(rest - half) <= _DOUBT:
        return None
    if rest > half:
        quotient += 1
        if quotient == 10**precision:
            quotient //= 10
            excess += 1
    return (quotient, exponent + excess)


def _to_digits(value, bits, digits):
    """value / 2**bits as an integer of about that many digits and its exponent."""
    size = (value.bit_length() - bits) * 30103 // 100000
    places = digits - size + 1
    if places >= 0:
        return ((value * 10**places) >> bits, -places)
    return ((value >> bits) // 10**-places, -places)


def _exponential_series(rest, bits):
    """exp of a small value from 0 on."""
    halvings = isqrt(bits) // 2 + 2
    work = bits + 2 * halvings + 16
    # The halvings below multiply by a power of two and divide by a larger one.
    argument = (rest << (work - bits)) >> halvings
    total = term = 1 << work
    divisor = 1
    while term:
        term = (term * argument >> work) // divisor
        total += term
        divisor += 1
    for _ in range(halvings):
        total = total * total >> work
    return total >> (work - bits)


def exponential(sign, coefficient, exponent, precision):
    """exp(x) to precision digits as (coefficient, exponent); |x| is below 10**25."""
    adjusted = exponent + digit_count(coefficient) - 1
    guard = _FIRST_GUARD
    while True:
        digits = precision + guard
        if adjusted < -digits - 5:
            return (10 ** (precision - 1), 1 - precision)
        bits = _bits_for(digits) + max(adjusted, 0) * 4 + 16
        if exponent >= 0:
            fixed = (coefficient * 10**exponent) << bits
        else:
            fixed = (coefficient << bits) // 10**-exponent
        if sign:
            fixed = -fixed
        tens, rest = divmod(fixed, logarithm_of_ten(bits))
        value = _exponential_series(rest, bits)
        number = (value * 10**digits) >> bits
        result = _settled(number, tens - digits, precision)
        if result is not None:
            return result
        guard *= 2


def _logarithm_value(coefficient, exponent, bits):
    """ln of a number as a signed fixed-point value."""
    digits = digit_count(coefficient)
    tens = exponent + digits - 1
    scale = digits - 1
    if coefficient > 3 * 10**scale:
        tens += 1
        scale += 1
    roots = isqrt(bits) // 8 + 2
    work = bits + roots + 16
    value = (coefficient << work) // 10**scale
    for _ in range(roots):
        value = isqrt(value << work)
    one = 1 << work
    ratio = ((value - one) << work) // (value + one)
    square = ratio * ratio >> work
    total = 0
    term = ratio
    divisor = 1
    while term not in (0, -1):
        total += term // divisor
        term = term * square >> work
        divisor += 2
    total = total << (roots + 1)
    return (total >> (work - bits)) + tens * logarithm_of_ten(bits)


def _closeness_to_one(coefficient, exponent):
    """How many digits after the point agree with the number 1, at least 0."""
    if exponent >= 0 or not -2 < exponent + digit_count(coefficient) - 1 < 1:
        return 0
    distance = abs(coefficient - 10**-exponent)
    return max(0, -(exponent + digit_count(distance) - 1))


def logarithm(coefficient, exponent, precision, base_ten=False):
    """ln or log10 to precision digits as (sign, coefficient, exponent); x is not 1."""
    closeness = _closeness_to_one(coefficient, exponent)
    guard = _FIRST_GUARD
    while True:
        digits = precision + guard
        bits = _bits_for(digits + closeness) + digit_count(abs(exponent)) * 4 + 16
        value = _logarithm_value(coefficient, exponent, bits)
        sign = 1 if value < 0 else 0
        value = abs(value)
        if base_ten:
            value = (value << bits) // logarithm_of_ten(bits)
        number, power = _to_digits(value, bits, digits)
        result = _settled(number, power, precision)
        if result is not None:
            return (sign, result[0], result[1])
        guard *= 2


def square_root(coefficient, exponent, precision):
    """A root with enough digits that rounding it half-even is right, and if it is exact."""
    if exponent % 2:
        coefficient *= 10
        exponent -= 1
    half = exponent // 2
    places = precision + 2 - (digit_count(coefficient) + 1) // 2
    if places < 0:
        scaled, lost = divmod(coefficient, 100**-places)
    else:
        scaled, lost = coefficient * 100**places, 0
    root = isqrt(scaled)
    if lost or root * root != scaled:
        # A last digit other than 0 and 5 keeps an inexact root off the rounding borders.
        if root % 5 == 0:
            root += 1
        return (root, half - places, False)
    # An exact root takes the exponent closest to half that of its square.
    if places >= 0:
        return (root // 10**places, half, True)
    return (root * 10**-places, half, True)


def estimated_logarithm(coefficient, exponent):
    """log10 as a float, good to about fifteen digits."""
    digits = digit_count(coefficient)
    if digits > 17:
        coefficient //= 10 ** (digits - 17)
        exponent += digits - 17
    return log10(coefficient) + exponent


def whole_power(coefficient, exponent, power, precision, power_digits):
    """x**n for a whole n: coefficient, exponent and conditions, rounded at every step."""
    status = 0
    precision += power_digits + 2
    if power < 0:
        precision += 1
        power = -power
        shift = digit_count(coefficient) + precision
        top = 10**shift
        inverse, rest = divmod(top, coefficient)
        exponent = -exponent - shift
        if rest:
            if inverse % 5 == 0:
                inverse += 1
            coefficient = inverse
        else:
            coefficient, exponent = _without_zeros(inverse, exponent, shift)
        coefficient, exponent, status = round_to(coefficient, exponent, precision)
    result, place = coefficient, exponent
    for bit in bin(power)[3:]:
        result, place, found = round_to(result * result, place * 2, precision)
        status |= found
        if bit == "1":
            result, place, found = round_to(result * coefficient, place + exponent, precision)
            status |= found
    return (result, place, status)


def _without_zeros(number, exponent, most):
    """An exact quotient ends at the exponent of the operands, not above it."""
    text = digit_text(number)
    kept = text.rstrip("0")
    zeros = min(len(text) - len(kept), most)
    if zeros:
        return (number_from_digits(text[:-zeros]), exponent + zeros)
    return (number, exponent)


def real_power(base, power, precision):
    """x**y through logarithm and exponential; None where the result leaves every range.

    Base and power are (sign, coefficient, exponent); the base is positive.
    """
    work = max(digit_count(base[1]), precision) + 23
    if base[1] == 10 ** (digit_count(base[1]) - 1) and base[2] == 1 - digit_count(base[1]):
        return (10 ** (precision - 1), 1 - precision, INEXACT | ROUNDED)
    sign, coefficient, exponent = logarithm(base[1], base[2], work)
    coefficient, exponent, _ = round_to(coefficient * power[1], exponent + power[2], work)
    sign ^= power[0]
    if exponent + digit_count(coefficient) - 1 > 24:
        return None
    result, place = exponential(sign, coefficient, exponent, work)
    if result == 10 ** (digit_count(result) - 1) and place == 1 - digit_count(result):
        result, place = 10 ** (precision - 1), 1 - precision
    return (result, place, INEXACT | ROUNDED)
