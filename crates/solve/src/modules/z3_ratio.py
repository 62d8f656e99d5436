"""Exact fractions for our `z3` module: what it needs of `fractions`, whose import costs more than most programs."""
from math import gcd


class Ratio:
    __slots__ = ("numerator", "denominator")

    def __init__(self, numerator, denominator=1):
        if denominator == 0:
            raise ZeroDivisionError
        if denominator < 0:
            numerator, denominator = -numerator, -denominator
        common = gcd(numerator, denominator)
        self.numerator, self.denominator = numerator // common, denominator // common

    def __hash__(self):
        return hash((self.numerator, self.denominator)) if self.denominator != 1 else hash(self.numerator)

    def __eq__(self, other):
        other = ratio(other)
        return self.numerator == other.numerator and self.denominator == other.denominator

    def __lt__(self, other):
        other = ratio(other)
        return self.numerator * other.denominator < other.numerator * self.denominator

    def __le__(self, other):
        return not ratio(other) < self

    def __gt__(self, other):
        return ratio(other) < self

    def __ge__(self, other):
        return not self < other

    def __add__(self, other):
        other = ratio(other)
        top = self.numerator * other.denominator + other.numerator * self.denominator
        return Ratio(top, self.denominator * other.denominator)

    __radd__ = __add__

    def __neg__(self):
        return Ratio(-self.numerator, self.denominator)

    def __abs__(self):
        return Ratio(abs(self.numerator), self.denominator)

    def __sub__(self, other):
        return self + -ratio(other)

    def __mul__(self, other):
        other = ratio(other)
        return Ratio(self.numerator * other.numerator, self.denominator * other.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = ratio(other)
        return Ratio(self.numerator * other.denominator, self.denominator * other.numerator)

    def __rtruediv__(self, other):
        return ratio(other) / self

    def __floordiv__(self, other):
        value = self / other
        return value.numerator // value.denominator

    def __pow__(self, exponent):
        if exponent < 0:
            return Ratio(self.denominator ** -exponent, self.numerator ** -exponent)
        return Ratio(self.numerator ** exponent, self.denominator ** exponent)

    def __bool__(self):
        return self.numerator != 0

    def __int__(self):
        return int(self.numerator / self.denominator) if self.denominator != 1 else self.numerator

    def __float__(self):
        return self.numerator / self.denominator

    def __str__(self):
        return str(self.numerator) if self.denominator == 1 else "%d/%d" % (self.numerator, self.denominator)


def ratio(value):
    return value if isinstance(value, Ratio) else Ratio(value.numerator, value.denominator)


def parse(text):
    """`12`, `-1/3`, `0.125`, `1e-05`; ValueError or ZeroDivisionError for anything else."""
    text = text.strip().lower()
    top, slash, bottom = text.partition("/")
    if slash:
        return parse(top) / parse(bottom)
    digits, _, exponent = text.partition("e")
    whole, _, part = digits.partition(".")
    power = int(exponent or 0) - len(part)
    if abs(power) > 5000:
        raise ValueError
    value = int(whole + part)
    return Ratio(value * 10 ** power) if power >= 0 else Ratio(value, 10 ** -power)
