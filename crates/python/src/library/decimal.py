"""Decimal floating-point arithmetic in contexts, with the results of the General Decimal
Arithmetic specification.

A Decimal holds a sign, an integer coefficient, an exponent and a kind (empty for finite
numbers, `F` for an infinity, `n` and `N` for quiet and signaling NaN). Rarely used
operations are in the mixin `RareOperations`.
"""

import math
import sys

import numbers as _numbers

from _decimal_arithmetic import (
    _absolute,
    _add,
    _check_context,
    _divide,
    _divide_both,
    _divide_whole,
    _finish,
    _fitted,
    _invalid,
    _make,
    _minus,
    _multiply,
    _nan_of,
    _number,
    _operand,
    _order,
    _plus,
    _power,
    _refuse,
    _remainder,
    _subtract,
    adopt as _adopt,
)
from _decimal_context import *
from _decimal_rare import RareOperations as _RareOperations
from _decimal_round import *
from _decimal_text import (
    formatted as _formatted,
    parse as _parse,
    scientific as _scientific,
    special_text as _special_text,
)

__all__ = [
    "BasicContext", "Clamped", "Context", "ConversionSyntax", "Decimal", "DecimalException",
    "DecimalTuple", "DefaultContext", "DivisionByZero", "DivisionImpossible",
    "DivisionUndefined", "ExtendedContext", "FloatOperation", "HAVE_CONTEXTVAR",
    "HAVE_THREADS", "Inexact", "InvalidContext", "InvalidOperation", "MAX_EMAX", "MAX_PREC",
    "MIN_EMIN", "MIN_ETINY", "Overflow", "ROUND_05UP", "ROUND_CEILING", "ROUND_DOWN",
    "ROUND_FLOOR", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN", "ROUND_HALF_UP", "ROUND_UP",
    "Rounded", "Subnormal", "Underflow", "getcontext", "localcontext", "setcontext",
]

HAVE_THREADS = True
HAVE_CONTEXTVAR = True
_MODULUS = sys.hash_info.modulus


class DecimalTuple(tuple):
    """Sign, digits and exponent of a Decimal."""

    __slots__ = ()
    _fields = ("sign", "digits", "exponent")

    def __new__(cls, sign, digits, exponent):
        return tuple.__new__(cls, (sign, digits, exponent))

    @property
    def sign(self):
        return self[0]

    @property
    def digits(self):
        return self[1]

    @property
    def exponent(self):
        return self[2]

    def __repr__(self):
        return f"DecimalTuple(sign={self[0]!r}, digits={self[1]!r}, exponent={self[2]!r})"



def _from_tuple(parts):
    """The four parts that a (sign, digits, exponent) sequence stands for."""
    if len(parts) != 3:
        raise ValueError("argument must be a sequence of length 3")
    sign, digits, exponent = parts
    if not isinstance(sign, int) or sign not in (0, 1):
        raise ValueError("sign must be an integer with the value 0 or 1")
    kind = ""
    if isinstance(exponent, str):
        if exponent not in ("F", "n", "N"):
            raise ValueError("string argument in the third position must be 'F', 'n' or 'N'")
        kind, exponent = exponent, 0
    elif not isinstance(exponent, int):
        raise ValueError("exponent must be an integer")
    coefficient = 0
    if kind != "F":
        for digit in digits:
            if not isinstance(digit, int) or not 0 <= digit <= 9:
                raise ValueError("coefficient must be a tuple of digits")
            coefficient = coefficient * 10 + digit
    return (int(sign), coefficient, exponent, kind)


def _parts_of(value, context):
    """The four parts of any value the constructor takes."""
    if isinstance(value, Decimal):
        return (value._sign, value._coefficient, value._exponent, value._kind)
    if isinstance(value, int):
        return (1 if value < 0 else 0, abs(int(value)), 0, "")
    if isinstance(value, str):
        parts = _parse(value)
        if parts is None:
            context._signal(CONVERSION_SYNTAX)
            return (0, 0, 0, "n")
    elif isinstance(value, (tuple, list)):
        parts = _from_tuple(value)
    elif isinstance(value, float):
        context._signal(FLOAT_OPERATION)
        return _parts_of_float(value)
    else:
        raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")
    top = parts[2] + digit_count(parts[1]) - 1
    if not parts[3] and (top > MAX_EMAX or parts[2] < MIN_ETINY):
        context._signal(INVALID_OPERATION)
        return (0, 0, 0, "n")
    return parts


def _parts_of_float(value):
    if value != value:
        return (1 if math.copysign(1.0, value) < 0 else 0, 0, 0, "n")
    if math.isinf(value):
        return (1 if value < 0 else 0, 0, 0, "F")
    top, bottom = abs(value).as_integer_ratio()
    # The denominator is a power of two: 1 / 2**n is 5**n / 10**n.
    places = bottom.bit_length() - 1
    return (1 if math.copysign(1.0, value) < 0 else 0, top * 5**places, -places, "")


class Decimal(_RareOperations):
    """A decimal number of arbitrary precision."""

    __slots__ = ("_sign", "_coefficient", "_exponent", "_kind")

    def __new__(cls, value="0", context=None):
        if context is None:
            context = getcontext()
        elif not isinstance(context, Context):
            raise TypeError("optional argument must be a context")
        self = object.__new__(cls)
        self._sign, self._coefficient, self._exponent, self._kind = _parts_of(value, context)
        return self

    @classmethod
    def from_float(cls, value, /):
        if isinstance(value, int):
            parts = (1 if value < 0 else 0, abs(int(value)), 0, "")
        elif isinstance(value, float):
            parts = _parts_of_float(value)
        else:
            raise TypeError("argument must be int or float")
        number = _make(*parts)
        return number if cls is Decimal else cls(number)

    def __add__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("+", self, other, other)
        return _add(self, number, getcontext())

    def __radd__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("+", other, self, other)
        return _add(number, self, getcontext())

    def __sub__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("-", self, other, other)
        return _subtract(self, number, getcontext())

    def __rsub__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("-", other, self, other)
        return _subtract(number, self, getcontext())

    def __mul__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("*", self, other, other)
        return _multiply(self, number, getcontext())

    def __rmul__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("*", other, self, other)
        return _multiply(number, self, getcontext())

    def __truediv__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("/", self, other, other)
        return _divide(self, number, getcontext())

    def __rtruediv__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("/", other, self, other)
        return _divide(number, self, getcontext())

    def __floordiv__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("//", self, other, other)
        return _divide_whole(self, number, getcontext())

    def __rfloordiv__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("//", other, self, other)
        return _divide_whole(number, self, getcontext())

    def __mod__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("%", self, other, other)
        return _remainder(self, number, getcontext())

    def __rmod__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("%", other, self, other)
        return _remainder(number, self, getcontext())

    def __divmod__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("divmod()", self, other, other)
        return _divide_both(self, number, getcontext())

    def __rdivmod__(self, other):
        number = _number(other)
        if number is None:
            return _refuse("divmod()", other, self, other)
        return _divide_both(number, self, getcontext())

    def __pow__(self, other, modulo=None):
        number = _number(other)
        if number is None:
            return _refuse("** or pow()", self, other, other)
        if modulo is None:
            return _power(self, number, getcontext())
        divisor = _number(modulo)
        if divisor is None:
            return NotImplemented
        return _power(self, number, divisor, getcontext())

    def __rpow__(self, other, modulo=None):
        number = _number(other)
        if number is None:
            return _refuse("** or pow()", other, self, other)
        return number.__pow__(self, modulo)

    def __neg__(self):
        return _minus(self, getcontext())

    def __pos__(self):
        return _plus(self, getcontext())

    def __abs__(self):
        return _absolute(self, getcontext())

    def __bool__(self):
        return bool(self._kind or self._coefficient)

    def _against(self, other, symbol, equality):
        """-1, 0 or 1 as this number compares to another, None if unordered."""
        number = self
        if isinstance(other, Decimal):
            pass
        elif isinstance(other, int):
            other = _operand(other)
        elif isinstance(other, float):
            context = getcontext()
            if equality:
                context._status |= FLOAT_OPERATION
            else:
                context._signal(FLOAT_OPERATION)
            other = Decimal.from_float(other)
        elif isinstance(other, _numbers.Rational):
            if not number._kind:
                number = _make(
                    self._sign,
                    self._coefficient * int(other.denominator),
                    self._exponent,
                )
            other = _operand(int(other.numerator))
        elif equality and isinstance(other, _numbers.Complex):
            return self._against(other.real, symbol, True) if other.imag == 0 else None
        elif not equality and type(other) in (str, list, tuple, dict, set, type(None), complex):
            name = type(other).__name__
            raise TypeError(
                f"'{symbol}' not supported between instances of 'decimal.Decimal' and '{name}'"
            )
        else:
            return NotImplemented
        if number._kind in ("n", "N") or other._kind in ("n", "N"):
            if not equality or number._kind == "N" or other._kind == "N":
                getcontext()._signal(INVALID_OPERATION)
            return None
        return _order(number, other)

    def __eq__(self, other):
        order = self._against(other, "==", True)
        return order if order is NotImplemented else order == 0

    def __ne__(self, other):
        order = self._against(other, "!=", True)
        return order if order is NotImplemented else order != 0

    def __lt__(self, other):
        order = self._against(other, "<", False)
        return order if order is NotImplemented else order is not None and order < 0

    def __le__(self, other):
        order = self._against(other, "<=", False)
        return order if order is NotImplemented else order is not None and order <= 0

    def __gt__(self, other):
        order = self._against(other, ">", False)
        return order if order is NotImplemented else order is not None and order > 0

    def __ge__(self, other):
        order = self._against(other, ">=", False)
        return order if order is NotImplemented else order is not None and order >= 0

    def __hash__(self):
        if self._kind:
            if self._kind == "N":
                raise TypeError("Cannot hash a signaling NaN value")
            if self._kind == "n":
                return object.__hash__(self)
            return -sys.hash_info.inf if self._sign else sys.hash_info.inf
        if self._exponent >= 0:
            power = pow(10, self._exponent, _MODULUS)
        else:
            power = pow(pow(10, -1, _MODULUS), -self._exponent, _MODULUS)
        value = self._coefficient * power % _MODULUS
        if self._sign:
            value = -value
        return -2 if value == -1 else value

    def __str__(self, context=None):
        if self._kind:
            return _special_text(self._sign, self._coefficient, self._kind)
        if not self._exponent and not self._sign:
            return digit_text(self._coefficient)
        capitals = (context or getcontext())._capitals
        return _scientific(self._sign, self._coefficient, self._exponent, capitals)

    def __repr__(self):
        return f"Decimal('{self}')"

    def to_eng_string(self, context=None):
        context = _check_context(context)
        if self._kind:
            return str(self)
        return _scientific(
            self._sign, self._coefficient, self._exponent, context._capitals, True
        )

    def __format__(self, specification, /):
        if not specification:
            return str(self)
        context = getcontext()
        parts = (self._sign, self._coefficient, self._exponent, self._kind)
        return _formatted(parts, specification, context._rounding, context._capitals)

    def _whole(self, mode):
        """This number as an integer, rounded by the mode."""
        if self._kind:
            if self._kind == "F":
                raise OverflowError("cannot convert Infinity to integer")
            raise ValueError("cannot convert NaN to integer")
        if self._exponent >= 0:
            value = self._coefficient * 10**self._exponent
        else:
            value = drop_digits(self._coefficient, -self._exponent, self._sign, mode)[0]
        return -value if self._sign else value

    def __int__(self):
        return self._whole(ROUND_DOWN)

    __trunc__ = __int__

    def __floor__(self):
        return self._whole(ROUND_FLOOR)

    def __ceil__(self):
        return self._whole(ROUND_CEILING)

    def __round__(self, ndigits=None):
        if ndigits is None:
            return self._whole(ROUND_HALF_EVEN)
        if not isinstance(ndigits, int):
            raise TypeError("optional arg must be an integer")
        return self.quantize(_make(0, 1, -ndigits))

    def __float__(self):
        if self._kind == "N":
            raise ValueError("cannot convert signaling NaN to float")
        if self._kind == "n":
            return -math.nan if self._sign else math.nan
        return float(str(self))

    def __complex__(self):
        return complex(float(self))

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return _make(0, 0, 0)

    def conjugate(self):
        return self

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return (type(self), (str(self),))

    def as_tuple(self):
        if self._kind == "F":
            return DecimalTuple(self._sign, (0,), "F")
        digits = ()
        if not self._kind or self._coefficient:
            digits = tuple([int(digit) for digit in digit_text(self._coefficient)])
        return DecimalTuple(self._sign, digits, self._kind or self._exponent)

    def as_integer_ratio(self):
        if self._kind:
            if self._kind == "F":
                raise OverflowError("cannot convert Infinity to integer ratio")
            raise ValueError("cannot convert NaN to integer ratio")
        top = -self._coefficient if self._sign else self._coefficient
        if self._exponent >= 0:
            return (top * 10**self._exponent, 1)
        bottom = 10**-self._exponent
        divisor = math.gcd(top, bottom)
        return (top // divisor, bottom // divisor)

    def adjusted(self):
        if self._kind:
            return 0
        return self._exponent + digit_count(self._coefficient) - 1

    def quantize(self, exp, rounding=None, context=None):
        """This number with the exponent of another one."""
        context = _check_context(context)
        target = _operand(exp)
        if rounding is not None:
            context_mode = context.copy()
            context_mode.rounding = rounding
            rounding = context_mode._rounding
        else:
            rounding = context._rounding
        if self._kind or target._kind:
            result = _nan_of(context, self, target)
            if result is not None:
                return result
            return self if self._kind and target._kind else _invalid(context)
        exponent = target._exponent
        if not context._Emin - context._prec + 1 <= exponent <= context._Emax:
            return _invalid(context)
        shift = self._exponent - exponent
        status = 0
        coefficient = self._coefficient
        if shift >= 0:
            if coefficient:
                if shift > context._prec:
                    return _invalid(context)
                coefficient *= 10**shift
        else:
            coefficient, lost = drop_digits(coefficient, -shift, self._sign, rounding)
            if self._coefficient:
                status = ROUNDED | INEXACT if lost else ROUNDED
        digits = digit_count(coefficient)
        if coefficient and (digits > context._prec or exponent + digits - 1 > context._Emax):
            return _invalid(context)
        return _finish(self._sign, coefficient, exponent, context, status)

    def normalize(self, context=None):
        """Without trailing zeros; every zero becomes 0 with exponent 0."""
        context = _check_context(context)
        number = _fitted(self, context)
        if number._kind:
            return number
        if not number._coefficient:
            return _make(number._sign, 0, 0)
        top = context._ceiling if context._clamp else context._Emax
        zeros = min(trailing_zeros(number._coefficient), max(0, top - number._exponent))
        return _make(
            number._sign, number._coefficient // 10**zeros, number._exponent + zeros
        )

    def to_integral_value(self, rounding=None, context=None):
        return self._integral(rounding, _check_context(context), False)

    to_integral = to_integral_value

    def to_integral_exact(self, rounding=None, context=None):
        return self._integral(rounding, _check_context(context), True)


_adopt(Decimal)
_numbers.Number.register(Decimal)
