"""The less common operations of Decimal, as a mixin of the class.

Here are the predicates, signs, total order, minima and maxima, neighbours, shifts, and the
transcendental functions. Left out on purpose: the logical operations on digit strings.
"""

from _decimal_arithmetic import (
    _add,
    _check_context,
    _finish,
    _fitted,
    _invalid,
    _make,
    _nan_of,
    _operand,
    _order,
    _quiet,
)
from _decimal_round import *

_KIND_RANK = {"": 0, "F": 1, "N": 2, "n": 3}


def _without_traps(context, mode):
    other = context.copy()
    other._traps = 0
    other._rounding = mode
    return other


class RareOperations:
    """Operations over the four parts that the class keeps."""

    __slots__ = ()

    def is_canonical(self):
        return True

    def canonical(self):
        return self

    def is_finite(self):
        return not self._kind

    def is_infinite(self):
        return self._kind == "F"

    def is_nan(self):
        return self._kind in ("n", "N")

    def is_qnan(self):
        return self._kind == "n"

    def is_snan(self):
        return self._kind == "N"

    def is_signed(self):
        return self._sign == 1

    def is_zero(self):
        return not self._kind and not self._coefficient

    def is_normal(self, context=None):
        context = _check_context(context)
        return bool(not self._kind and self._coefficient and self.adjusted() >= context._Emin)

    def is_subnormal(self, context=None):
        context = _check_context(context)
        return bool(not self._kind and self._coefficient and self.adjusted() < context._Emin)

    def radix(self):
        return _make(0, 10, 0)

    def number_class(self, context=None):
        if self._kind in ("n", "N"):
            return "NaN" if self._kind == "n" else "sNaN"
        if self._kind:
            name = "Infinity"
        elif not self._coefficient:
            name = "Zero"
        else:
            name = "Normal" if self.is_normal(context) else "Subnormal"
        return ("-" if self._sign else "+") + name

    def copy_abs(self):
        return _make(0, self._coefficient, self._exponent, self._kind)

    def copy_negate(self):
        return _make(1 - self._sign, self._coefficient, self._exponent, self._kind)

    def copy_sign(self, other, context=None):
        sign = _operand(other)._sign
        return _make(sign, self._coefficient, self._exponent, self._kind)

    def same_quantum(self, other, context=None):
        other = _operand(other)
        if self._kind or other._kind:
            return (self.is_nan() and other.is_nan()) or self._kind == other._kind == "F"
        return self._exponent == other._exponent

    def compare(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        result = _nan_of(context, self, other)
        return _signed(_order(self, other)) if result is None else result

    def compare_signal(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        if self.is_nan() or other.is_nan():
            context._signal(INVALID_OPERATION)
        return self.compare(other, context)

    def _total_key(self, other):
        """-1, 0 or 1 in the total order of all representations."""
        if self._sign != other._sign:
            return -1 if self._sign else 1
        rank, other_rank = _KIND_RANK[self._kind], _KIND_RANK[other._kind]
        if rank != other_rank:
            order = -1 if rank < other_rank else 1
        elif rank >= 2:
            order = (self._coefficient > other._coefficient) - (
                self._coefficient < other._coefficient
            )
        else:
            order = _order(self.copy_abs(), other.copy_abs())
            if not order:
                order = (self._exponent > other._exponent) - (self._exponent < other._exponent)
        return -order if self._sign else order

    def compare_total(self, other, context=None):
        return _signed(self._total_key(_operand(other)))

    def compare_total_mag(self, other, context=None):
        return _signed(self.copy_abs()._total_key(_operand(other).copy_abs()))

    def _extreme(self, other, context, wanted, by_size):
        """The larger (wanted 1) or smaller (-1) number; a quiet NaN loses to a number."""
        if self._kind in ("n", "N") or other._kind in ("n", "N"):
            if self._kind == "n" and other._kind not in ("n", "N"):
                return _fitted(other, context)
            if other._kind == "n" and self._kind not in ("n", "N"):
                return _fitted(self, context)
            return _nan_of(context, self, other)
        order = 0
        if by_size:
            order = _order(self.copy_abs(), other.copy_abs())
        order = order or _order(self, other) or self._total_key(other)
        return _fitted(self if order == wanted or not order else other, context)

    def max(self, other, context=None):
        return self._extreme(_operand(other), _check_context(context), 1, False)

    def min(self, other, context=None):
        return self._extreme(_operand(other), _check_context(context), -1, False)

    def max_mag(self, other, context=None):
        return self._extreme(_operand(other), _check_context(context), 1, True)

    def min_mag(self, other, context=None):
        return self._extreme(_operand(other), _check_context(context), -1, True)

    def fma(self, other, third, context=None):
        context = _check_context(context)
        other, third = _operand(other), _operand(third)
        if self._kind or other._kind:
            result = _nan_of(context, self, other, third)
            if result is not None:
                return result
            if self.is_zero() or other.is_zero():
                return _invalid(context)
            product = _make(self._sign ^ other._sign, 0, 0, "F")
        else:
            product = _make(
                self._sign ^ other._sign,
                self._coefficient * other._coefficient,
                self._exponent + other._exponent,
            )
        return _add(product, third, context)

    def _integral(self, rounding, context, with_flags):
        if rounding is None:
            rounding = context._rounding
        else:
            probe = context.copy()
            probe.rounding = rounding
        if self._kind:
            return self if self._kind == "F" else _quiet(self, context)
        if self._exponent >= 0:
            return self
        coefficient, lost = drop_digits(
            self._coefficient, -self._exponent, self._sign, rounding
        )
        if with_flags and self._coefficient:
            context._signal(ROUNDED | INEXACT if lost else ROUNDED)
        return _make(self._sign, coefficient, 0)

    def remainder_near(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        result = _nan_of(context, self, other)
        if result is not None:
            return result
        if self._kind:
            return _invalid(context)
        if other._kind:
            return _fitted(self, context)
        if not other._coefficient:
            known = INVALID_OPERATION if self._coefficient else DIVISION_UNDEFINED
            return _invalid(context, known)
        ideal = min(self._exponent, other._exponent)
        if not self._coefficient:
            return _finish(self._sign, 0, ideal, context)
        height = self.adjusted() - other.adjusted()
        if height < -1:
            return _fitted(_shortened(self, ideal, context), context)
        if height > context._prec:
            return _invalid(context, DIVISION_IMPOSSIBLE)
        top = self._coefficient * 10 ** (self._exponent - ideal)
        bottom = other._coefficient * 10 ** (other._exponent - ideal)
        quotient, rest = divmod(top, bottom)
        sign = self._sign
        if rest * 2 > bottom or (rest * 2 == bottom and quotient % 2):
            quotient += 1
            rest = bottom - rest
            sign = 1 - sign
        if quotient >= 10**context._prec:
            return _invalid(context, DIVISION_IMPOSSIBLE)
        return _finish(sign, rest, ideal, context)

    def _neighbour(self, context, sign, mode):
        """The next number towards plus (sign 0) or minus infinity (sign 1)."""
        if self._kind in ("n", "N"):
            return _quiet(self, context)
        if self._kind:
            if self._sign == sign:
                return self
            return _make(1 - sign, 10**context._prec - 1, context._ceiling)
        quiet = _without_traps(context, mode)
        rounded = _fitted(self, quiet)
        if _order(rounded, self):
            return rounded
        step = _make(sign, 1, context._Emin - context._prec)
        return _add(self, step, quiet)

    def next_plus(self, context=None):
        return self._neighbour(_check_context(context), 0, ROUND_CEILING)

    def next_minus(self, context=None):
        return self._neighbour(_check_context(context), 1, ROUND_FLOOR)

    def next_toward(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        result = _nan_of(context, self, other)
        if result is not None:
            return result
        order = _order(self, other)
        if order == 0:
            return self.copy_sign(other)
        result = self.next_plus(context) if order < 0 else self.next_minus(context)
        if result._kind == "F":
            context._signal(OVERFLOW | INEXACT | ROUNDED)
        elif result.adjusted() < context._Emin:
            status = UNDERFLOW | SUBNORMAL | INEXACT | ROUNDED
            context._signal(status if result._coefficient else status | CLAMPED)
        return result

    def logb(self, context=None):
        context = _check_context(context)
        if self._kind:
            return _quiet(self, context) if self._kind != "F" else self.copy_abs()
        if not self._coefficient:
            context._signal(DIVISION_BY_ZERO)
            return _make(1, 0, 0, "F")
        return _fitted(_operand(self.adjusted()), context)

    def _places(self, other, limit):
        """The integer another number holds, or None if it is none within the limit."""
        if other._kind or other._exponent != 0 or other._coefficient > limit:
            return None
        return -other._coefficient if other._sign else other._coefficient

    def scaleb(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        result = _nan_of(context, self, other)
        if result is not None:
            return result
        places = self._places(other, 2 * (context._Emax + context._prec))
        if places is None:
            return _invalid(context)
        if self._kind:
            return self
        return _finish(self._sign, self._coefficient, self._exponent + places, context)

    def shift(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        result = _nan_of(context, self, other)
        if result is not None:
            return result
        places = self._places(other, context._prec)
        if places is None:
            return _invalid(context)
        if self._kind:
            return self
        if places >= 0:
            coefficient = self._coefficient * 10**places % 10**context._prec
        else:
            coefficient = self._coefficient % 10**context._prec // 10**-places
        return _make(self._sign, coefficient, self._exponent)

    def rotate(self, other, context=None):
        context, other = _check_context(context), _operand(other)
        result = _nan_of(context, self, other)
        if result is not None:
            return result
        places = self._places(other, context._prec)
        if places is None:
            return _invalid(context)
        if self._kind:
            return self
        digits = digit_text(self._coefficient).zfill(context._prec)[-context._prec :]
        turned = digits[places:] + digits[:places] if places else digits
        return _make(self._sign, number_from_digits(turned), self._exponent)

    def sqrt(self, context=None):
        context = _check_context(context)
        if self._kind in ("n", "N"):
            return _quiet(self, context)
        if self._sign and (self._kind or self._coefficient):
            return _invalid(context)
        if self._kind:
            return self
        if not self._coefficient:
            return _finish(self._sign, 0, self._exponent // 2, context)
        import _decimal_math

        coefficient, exponent, exact = _decimal_math.square_root(
            self._coefficient, self._exponent, context._prec
        )
        halfway = context.copy()
        halfway._rounding = ROUND_HALF_EVEN
        halfway._status = halfway._traps = 0
        result = _finish(0, coefficient, exponent, halfway)
        status = halfway._status
        if status or not exact:
            context._signal(status if exact else status | INEXACT | ROUNDED)
        return result

    def _transcendental(self, parts, context, status=INEXACT | ROUNDED):
        """Fits a result that was already rounded half-even."""
        halfway = context.copy()
        halfway._rounding = ROUND_HALF_EVEN
        halfway._status = halfway._traps = 0
        result = _finish(*parts, halfway)
        context._signal(halfway._status | status)
        return result

    def exp(self, context=None):
        context = _check_context(context)
        if self._kind:
            if self._kind != "F":
                return _quiet(self, context)
            return _make(0, 0, 0) if self._sign else self
        if not self._coefficient:
            return _make(0, 1, 0)
        if self.adjusted() > 24:
            bound = context._Emin - 2 * context._prec if self._sign else context._Emax + 1
            return self._transcendental((0, 1, bound), context)
        import _decimal_math

        parts = _decimal_math.exponential(
            self._sign, self._coefficient, self._exponent, context._prec
        )
        return self._transcendental((0, *parts), context)

    def _logarithm(self, context, base_ten):
        if self._kind in ("n", "N"):
            return _quiet(self, context)
        if not self._kind and not self._coefficient:
            return _make(1, 0, 0, "F")
        if self._sign:
            return _invalid(context)
        if self._kind:
            return self
        digits = digit_count(self._coefficient)
        if self._coefficient == 10 ** (digits - 1):
            adjusted = self._exponent + digits - 1
            if not adjusted:
                return _make(0, 0, 0)
            if base_ten:
                return self._transcendental((int(adjusted < 0), abs(adjusted), 0), context, 0)
        import _decimal_math

        parts = _decimal_math.logarithm(
            self._coefficient, self._exponent, context._prec, base_ten
        )
        return self._transcendental(parts, context)

    def ln(self, context=None):
        return self._logarithm(_check_context(context), False)

    def log10(self, context=None):
        return self._logarithm(_check_context(context), True)


def _signed(order):
    return _make(1 if order < 0 else 0, abs(order), 0)


def _shortened(number, ideal, context):
    """The number with its exponent lowered towards the ideal as far as digits allow."""
    room = max(0, min(number._exponent - ideal, context._prec + 1))
    return _make(number._sign, number._coefficient * 10**room, number._exponent - room)
