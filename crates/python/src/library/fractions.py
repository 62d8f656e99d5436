"""Exact fractions of two integers, always in lowest terms with a positive denominator.

Arithmetic with integers stays exact; with a float or a complex number the fraction turns
into that type first. A string is read as `3/4`, `-1.25` or `2e3`. The decimal module is
never imported from here: a Decimal can only come from a program that imported it.
"""

import math
import numbers
import sys

__all__ = ["Fraction"]

_HASH_MODULUS = sys.hash_info.modulus
_HASH_INFINITY = sys.hash_info.inf


def _digits_end(text, start):
    """The end of a run of digits (single underscores allowed inside) that begins at start."""
    place = start
    while place < len(text):
        character = text[place]
        if character.isdecimal():
            place += 1
        elif (
            character == "_"
            and place > start
            and text[place - 1] != "_"
            and text[place + 1 : place + 2].isdecimal()
        ):
            place += 1
        else:
            break
    return place


def _parse(text):
    """The numerator and denominator a string stands for, or None if it is no number."""
    text = text.strip()
    negative = text[:1] == "-"
    if text[:1] in ("-", "+"):
        text = text[1:]
    end = _digits_end(text, 0)
    whole = text[:end]
    if not whole and not text[1:2].isdecimal():
        return None
    numerator = int(whole or "0")
    denominator = 1
    if whole and text[end : end + 1] == "/":
        last = _digits_end(text, end + 1)
        if last == end + 1:
            return None
        denominator = int(text[end + 1 : last])
        end = last
    else:
        if text[end : end + 1] == ".":
            last = _digits_end(text, end + 1)
            places = text[end + 1 : last].replace("_", "")
            if places:
                denominator = 10 ** len(places)
                numerator = numerator * denominator + int(places)
            end = last
        if text[end : end + 1] in ("e", "E"):
            start = end + 1
            if text[start : start + 1] in ("-", "+"):
                start += 1
            last = _digits_end(text, start)
            if last == start:
                return None
            exponent = int(text[end + 1 : last])
            if exponent >= 0:
                numerator *= 10**exponent
            else:
                denominator *= 10**-exponent
            end = last
    if end != len(text):
        return None
    return (-numerator if negative else numerator, denominator)


def _is_decimal(value):
    module = sys.modules.get("decimal")
    return module is not None and isinstance(value, module.Decimal)


class Fraction(numbers.Rational):
    """An exact rational number."""

    __slots__ = ("_numerator", "_denominator")

    def __new__(cls, numerator=0, denominator=None, *, _normalize=True):
        self = object.__new__(cls)
        if denominator is None:
            if type(numerator) is int:
                self._numerator = numerator
                self._denominator = 1
                return self
            if isinstance(numerator, numbers.Rational):
                self._numerator = numerator.numerator
                self._denominator = numerator.denominator
                return self
            if isinstance(numerator, float) or _is_decimal(numerator):
                self._numerator, self._denominator = numerator.as_integer_ratio()
                return self
            if not isinstance(numerator, str):
                raise TypeError("argument should be a string or a Rational instance")
            parts = _parse(numerator)
            if parts is None:
                raise ValueError(f"Invalid literal for Fraction: {numerator!r}")
            numerator, denominator = parts
        elif type(numerator) is int and type(denominator) is int:
            pass
        elif isinstance(numerator, numbers.Rational) and isinstance(
            denominator, numbers.Rational
        ):
            numerator, denominator = (
                numerator.numerator * denominator.denominator,
                denominator.numerator * numerator.denominator,
            )
        else:
            raise TypeError("both arguments should be Rational instances")
        if denominator == 0:
            raise ZeroDivisionError(f"Fraction({numerator}, 0)")
        if _normalize:
            divisor = math.gcd(numerator, denominator)
            if denominator < 0:
                divisor = -divisor
            numerator //= divisor
            denominator //= divisor
        self._numerator = numerator
        self._denominator = denominator
        return self

    @classmethod
    def from_float(cls, value):
        if isinstance(value, numbers.Integral):
            return cls(value)
        if not isinstance(value, float):
            raise TypeError(
                f"{cls.__name__}.from_float() only takes floats, "
                f"not {value!r} ({type(value).__name__})"
            )
        return cls(*value.as_integer_ratio())

    @classmethod
    def from_decimal(cls, value):
        if isinstance(value, numbers.Integral):
            return cls(int(value))
        if not _is_decimal(value):
            raise TypeError(
                f"{cls.__name__}.from_decimal() only takes Decimals, "
                f"not {value!r} ({type(value).__name__})"
            )
        return cls(*value.as_integer_ratio())

    def as_integer_ratio(self):
        return (self._numerator, self._denominator)

    def limit_denominator(self, max_denominator=1000000):
        """The closest fraction whose denominator is at most max_denominator."""
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        if self._denominator <= max_denominator:
            return Fraction(self)
        # Convergents of the continued fraction; the answer is the last one that fits or
        # the last semiconvergent that fits.
        before_top, before_bottom, top, bottom = 0, 1, 1, 0
        rest, divisor = self._numerator, self._denominator
        while True:
            quotient = rest // divisor
            next_bottom = before_bottom + quotient * bottom
            if next_bottom > max_denominator:
                break
            before_top, before_bottom, top, bottom = (
                top,
                bottom,
                before_top + quotient * top,
                next_bottom,
            )
            rest, divisor = divisor, rest - quotient * divisor
        steps = (max_denominator - before_bottom) // bottom
        outer = Fraction(before_top + steps * top, before_bottom + steps * bottom)
        inner = Fraction(top, bottom)
        if abs(inner - self) <= abs(outer - self):
            return inner
        return outer

    @property
    def numerator(self):
        return self._numerator

    @property
    def denominator(self):
        return self._denominator

    def __repr__(self):
        return f"{type(self).__name__}({self._numerator}, {self._denominator})"

    def __str__(self):
        if self._denominator == 1:
            return str(self._numerator)
        return f"{self._numerator}/{self._denominator}"

    def __add__(self, other):
        if isinstance(other, (int, Fraction)):
            return _sum(self, other)
        if isinstance(other, float):
            return float(self) + other
        if isinstance(other, complex):
            return complex(self) + other
        return NotImplemented

    def __radd__(self, other):
        if isinstance(other, numbers.Rational):
            return _sum(other, self)
        if isinstance(other, numbers.Real):
            return float(other) + float(self)
        if isinstance(other, numbers.Complex):
            return complex(other) + complex(self)
        return NotImplemented

    def __sub__(self, other):
        if isinstance(other, (int, Fraction)):
            return _difference(self, other)
        if isinstance(other, float):
            return float(self) - other
        if isinstance(other, complex):
            return complex(self) - other
        return NotImplemented

    def __rsub__(self, other):
        if isinstance(other, numbers.Rational):
            return _difference(other, self)
        if isinstance(other, numbers.Real):
            return float(other) - float(self)
        if isinstance(other, numbers.Complex):
            return complex(other) - complex(self)
        return NotImplemented

    def __mul__(self, other):
        if isinstance(other, (int, Fraction)):
            return _product(self, other)
        if isinstance(other, float):
            return float(self) * other
        if isinstance(other, complex):
            return complex(self) * other
        return NotImplemented

    def __rmul__(self, other):
        if isinstance(other, numbers.Rational):
            return _product(other, self)
        if isinstance(other, numbers.Real):
            return float(other) * float(self)
        if isinstance(other, numbers.Complex):
            return complex(other) * complex(self)
        return NotImplemented

    def __truediv__(self, other):
        if isinstance(other, (int, Fraction)):
            return _quotient(self, other)
        if isinstance(other, float):
            return float(self) / other
        if isinstance(other, complex):
            return complex(self) / other
        return NotImplemented

    def __rtruediv__(self, other):
        if isinstance(other, numbers.Rational):
            return _quotient(other, self)
        if isinstance(other, numbers.Real):
            return float(other) / float(self)
        if isinstance(other, numbers.Complex):
            return complex(other) / complex(self)
        return NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, (int, Fraction)):
            return _divide_with_rest(self, other)[0]
        if isinstance(other, float):
            return float(self) // other
        if isinstance(other, complex):
            return complex(self) // other
        return NotImplemented

    def __rfloordiv__(self, other):
        if isinstance(other, numbers.Rational):
            return _divide_with_rest(other, self)[0]
        if isinstance(other, numbers.Real):
            return float(other) // float(self)
        if isinstance(other, numbers.Complex):
            return complex(other) // complex(self)
        return NotImplemented

    def __mod__(self, other):
        if isinstance(other, (int, Fraction)):
            return _rest(self, other)
        if isinstance(other, float):
            return float(self) % other
        if isinstance(other, complex):
            return complex(self) % other
        return NotImplemented

    def __rmod__(self, other):
        if isinstance(other, numbers.Rational):
            return _rest(other, self)
        if isinstance(other, numbers.Real):
            return float(other) % float(self)
        if isinstance(other, numbers.Complex):
            return complex(other) % complex(self)
        return NotImplemented

    def __divmod__(self, other):
        if isinstance(other, (int, Fraction)):
            return _divide_with_rest(self, other)
        if isinstance(other, float):
            return divmod(float(self), other)
        if isinstance(other, complex):
            return divmod(complex(self), other)
        return NotImplemented

    def __rdivmod__(self, other):
        if isinstance(other, numbers.Rational):
            return _divide_with_rest(other, self)
        if isinstance(other, numbers.Real):
            return divmod(float(other), float(self))
        if isinstance(other, numbers.Complex):
            return divmod(complex(other), complex(self))
        return NotImplemented

    def __pow__(self, other):
        if not isinstance(other, numbers.Rational):
            return float(self) ** other
        if other.denominator != 1:
            return float(self) ** float(other)
        power = other.numerator
        top, bottom = self._numerator, self._denominator
        if power < 0:
            power = -power
            top, bottom = bottom, top
            if bottom < 0:
                top, bottom = -top, -bottom
        return Fraction(top**power, bottom**power, _normalize=False)

    def __rpow__(self, other):
        if self._denominator == 1 and self._numerator >= 0:
            return other**self._numerator
        if isinstance(other, numbers.Rational):
            return Fraction(other.numerator, other.denominator) ** self
        if self._denominator == 1:
            return other**self._numerator
        return other ** float(self)

    def __pos__(self):
        return Fraction(self._numerator, self._denominator, _normalize=False)

    def __neg__(self):
        return Fraction(-self._numerator, self._denominator, _normalize=False)

    def __abs__(self):
        return Fraction(abs(self._numerator), self._denominator, _normalize=False)

    def __int__(self):
        if self._numerator < 0:
            return -(-self._numerator // self._denominator)
        return self._numerator // self._denominator

    __trunc__ = __int__

    def __floor__(self):
        return self._numerator // self._denominator

    def __ceil__(self):
        return -(-self._numerator // self._denominator)

    def __round__(self, ndigits=None):
        """Rounds to the nearest, a tie to the even neighbour."""
        if ndigits is None:
            floor, rest = divmod(self._numerator, self._denominator)
            twice = rest * 2
            if twice > self._denominator or (twice == self._denominator and floor % 2):
                return floor + 1
            return floor
        shift = 10 ** abs(ndigits)
        if ndigits > 0:
            return Fraction(round(self * shift), shift)
        return Fraction(round(self / shift) * shift)

    def __hash__(self):
        try:
            inverse = pow(self._denominator, -1, _HASH_MODULUS)
        except ValueError:
            value = _HASH_INFINITY
        else:
            value = hash(hash(abs(self._numerator)) * inverse)
        if self._numerator < 0:
            value = -value
        return -2 if value == -1 else value

    def __eq__(self, other):
        if type(other) is int:
            return self._numerator == other and self._denominator == 1
        if isinstance(other, numbers.Rational):
            return (
                self._numerator == other.numerator
                and self._denominator == other.denominator
            )
        if isinstance(other, numbers.Complex) and other.imag == 0:
            other = other.real
        if isinstance(other, float):
            if math.isnan(other) or math.isinf(other):
                return False
            return self == self.from_float(other)
        return NotImplemented

    def _cross(self, other):
        """Two numbers that compare as self and other do, or None for a foreign type."""
        if isinstance(other, numbers.Rational):
            return (self._numerator * other.denominator, self._denominator * other.numerator)
        if isinstance(other, float):
            if math.isnan(other) or math.isinf(other):
                return (0.0, other)
            return self._cross(self.from_float(other))
        return None

    def __lt__(self, other):
        pair = self._cross(other)
        return NotImplemented if pair is None else pair[0] < pair[1]

    def __gt__(self, other):
        pair = self._cross(other)
        return NotImplemented if pair is None else pair[0] > pair[1]

    def __le__(self, other):
        pair = self._cross(other)
        return NotImplemented if pair is None else pair[0] <= pair[1]

    def __ge__(self, other):
        pair = self._cross(other)
        return NotImplemented if pair is None else pair[0] >= pair[1]

    def __bool__(self):
        return bool(self._numerator)

    def __reduce__(self):
        return (self.__class__, (self._numerator, self._denominator))

    def __copy__(self):
        if type(self) is Fraction:
            return self
        return self.__class__(self._numerator, self._denominator)

    def __deepcopy__(self, memo):
        return self.__copy__()


def _sum(left, right):
    bottom, other = left.denominator, right.denominator
    return Fraction(left.numerator * other + right.numerator * bottom, bottom * other)


def _difference(left, right):
    bottom, other = left.denominator, right.denominator
    return Fraction(left.numerator * other - right.numerator * bottom, bottom * other)


def _product(left, right):
    return Fraction(left.numerator * right.numerator, left.denominator * right.denominator)


def _quotient(left, right):
    if not right:
        top = left.numerator
        raise ZeroDivisionError(f"Fraction({(top > 0) - (top < 0)}, 0)")
    return Fraction(left.numerator * right.denominator, left.denominator * right.numerator)


def _divide_with_rest(left, right):
    """The floored quotient as an integer and the remainder as a fraction."""
    quotient, rest = divmod(left.numerator * right.denominator, left.denominator * right.numerator)
    return (quotient, Fraction(rest, left.denominator * right.denominator))


def _rest(left, right):
    bottom, other = left.denominator, right.denominator
    return Fraction((left.numerator * other) % (bottom * right.numerator), bottom * other)
