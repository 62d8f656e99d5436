"""A small, honest part of sympy: polynomials with exact coefficients, and equations that are linear or quadratic.

What it gives is what sympy gives, printed the same way; everything beyond that is refused by name, never guessed.
An expression is a sum of terms: a monomial, written as a tuple of (name, power), times a Fraction or a float.
"""

from fractions import Fraction as _Fraction
from math import isqrt as _isqrt

__all__ = ["symbols", "Symbol", "Eq", "solve", "simplify", "expand", "sympify", "Rational", "Integer", "Float", "N", "S"]


def _refuse(what):
    return ModuleNotFoundError(f"sympy's {what} is not available", name="sympy")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise _refuse(name)


def _number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float, _Fraction)):
        return None
    return value if isinstance(value, float) else _Fraction(value)


def _times(a, b):
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


class Expr:
    """A sum of terms; a number is one with no symbols."""

    __slots__ = ("_terms",)
    is_Symbol = False

    def __init__(self, terms):
        self._terms = {m: c for m, c in terms.items() if c != 0 or (not m and isinstance(c, float))}

    # Sums and products.
    def __add__(self, other):
        other = _expr(other)
        if other is None:
            return NotImplemented
        terms = dict(self._terms)
        for monomial, factor in other._terms.items():
            terms[monomial] = terms.get(monomial, 0) + factor
        return Expr(terms)

    def __mul__(self, other):
        other = _expr(other)
        if other is None:
            return NotImplemented
        terms = {}
        for a, x in self._terms.items():
            for b, y in other._terms.items():
                monomial = _times(a, b)
                terms[monomial] = terms.get(monomial, 0) + x * y
        return Expr(terms)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __pos__(self):
        return self

    def __sub__(self, other):
        other = _expr(other)
        return NotImplemented if other is None else self + -other

    def __rsub__(self, other):
        return -self + other

    def _inverse(self):
        if not self._terms or self._terms == {(): 0.0}:
            raise _refuse("division by zero")
        if len(self._terms) != 1:
            raise _refuse("division by a sum")
        ((monomial, factor),) = self._terms.items()
        return Expr({tuple((name, -power) for name, power in monomial): 1 / factor})

    def __truediv__(self, other):
        other = _expr(other)
        return NotImplemented if other is None else self * other._inverse()

    def __rtruediv__(self, other):
        other = _expr(other)
        return NotImplemented if other is None else other * self._inverse()

    def __pow__(self, power):
        power = _expr(power)
        power = None if power is None else power._value()
        if power is None or isinstance(power, float) or power.denominator != 1 or abs(power) > 64:
            value = self._value()
            if power is not None and value is not None and isinstance(value * power, float):
                return _expr(float(value) ** float(power))
            raise _refuse("power of this kind")
        base = self if power >= 0 else self._inverse()
        result = Expr({(): _Fraction(1)})
        for _ in range(abs(int(power))):
            result = result * base
        return result

    def __rpow__(self, base):
        value = self._value()
        if value is None:
            raise _refuse("symbol in a power")
        return _expr(base) ** self

    # Numbers.
    def _value(self):
        """The number that this is, or None."""
        if not self._terms:
            return _Fraction(0)
        return self._terms.get(()) if len(self._terms) == 1 else None

    def _known(self):
        value = self._value()
        if value is None:
            raise TypeError("Cannot convert expression to float")
        return value

    def __int__(self):
        return int(self._known())

    def __float__(self):
        return float(self._known())

    def __index__(self):
        value = self._known()
        if isinstance(value, float) or value.denominator != 1:
            raise TypeError("not an integer")
        return int(value)

    def __abs__(self):
        return _expr(abs(self._known()))

    def __round__(self, digits=None):
        value = self._known()
        return _expr(round(value) if digits is None else round(value, digits))

    def __floor__(self):
        return int(self._known() // 1)

    def __ceil__(self):
        return -int(-self._known() // 1)

    def __floordiv__(self, other):
        return _expr(_Fraction(int(self._known() // _expr(other)._known())))

    def __rfloordiv__(self, other):
        return _expr(other) // self

    def __rmod__(self, other):
        return _expr(other) % self

    def __mod__(self, other):
        return _expr(self._known() % _expr(other)._known())

    def __bool__(self):
        value = self._value()
        return value is None or value != 0

    def __format__(self, spec):
        return format(float(self._known()), spec) if spec else str(self)

    def __eq__(self, other):
        other = _expr(other)
        return other is not None and not (self - other)._terms

    def __hash__(self):
        value = self._value()
        return hash(tuple(sorted(self._terms.items()))) if value is None else hash(value)

    def __lt__(self, other):
        return self._known() < _expr(other)._known()

    def __le__(self, other):
        return self._known() <= _expr(other)._known()

    def __gt__(self, other):
        return self._known() > _expr(other)._known()

    def __ge__(self, other):
        return self._known() >= _expr(other)._known()

    @property
    def free_symbols(self):
        return {Symbol(name) for monomial in self._terms for name, _ in monomial}

    @property
    def is_number(self):
        return self._value() is not None

    @property
    def p(self):
        return self._known().numerator

    @property
    def q(self):
        return self._known().denominator

    def subs(self, old, new=None):
        """Puts values for symbols."""
        pairs = old.items() if isinstance(old, dict) else old if new is None else [(old, new)]
        result = self
        for symbol, value in pairs:
            result = result._put(_expr(symbol), _expr(value))
        return result

    def _put(self, symbol, value):
        ((monomial, _),) = symbol._terms.items()
        ((name, _),) = monomial
        result = Expr({})
        for monomial, factor in self._terms.items():
            powers = dict(monomial)
            power = powers.pop(name, 0)
            result = result + Expr({tuple(sorted(powers.items())): factor}) * value**power
        return result

    def evalf(self, *_):
        return Expr({m: float(c) for m, c in self._terms.items()})

    n = evalf

    def simplify(self):
        return self

    expand = simplify

    # Text as sympy prints it.
    def __repr__(self):
        if not self._terms:
            return "0"
        value = self._value()
        if value is not None:
            return _float_text(value) if isinstance(value, float) else str(value)
        order = sorted(self._terms, key=lambda m: (not m, -sum(p for _, p in m), m))
        text = ""
        for monomial in order:
            factor = self._terms[monomial]
            piece = _term_text(monomial, abs(factor))
            sign = "-" if factor < 0 else "+"
            text += f" {sign} {piece}" if text else piece if sign == "+" else "-" + piece
        return text

    __str__ = __repr__


def _float_text(value):
    """Fifteen digits, the zeros at the end too."""
    if value == 0:
        return "0"
    text = f"{value:.14e}"
    exponent = int(text[text.index("e") + 1 :])
    if -5 <= exponent < 15:
        return f"{value:.{max(14 - exponent, 0)}f}" + ("." if exponent == 14 else "")
    return text[: text.index("e")] + f"e{exponent:+03d}"


def _term_text(monomial, factor):
    power = lambda name, p: name if p == 1 else f"{name}**{p}"
    above = [power(name, p) for name, p in monomial if p > 0]
    below = [power(name, -p) for name, p in monomial if p < 0]
    if isinstance(factor, float):
        above.insert(0, repr(factor))
    else:
        if factor.numerator != 1 or not above:
            above.insert(0, str(factor.numerator))
        if factor.denominator != 1:
            below.insert(0, str(factor.denominator))
    text = "*".join(above)
    if below:
        text += "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")
    return text


class Symbol(Expr):
    """A name."""

    __slots__ = ("name",)
    is_Symbol = True

    def __init__(self, name, **_):
        super().__init__({((name, 1),): _Fraction(1)})
        self.name = name

    __hash__ = Expr.__hash__


def _expr(value):
    if isinstance(value, Expr):
        return value
    number = _number(value)
    return None if number is None else Expr({(): number})


def symbols(names, **_):
    """One symbol, or a tuple of them."""
    if ":" in names:
        raise _refuse("range of symbols")
    found = tuple(Symbol(name) for name in names.replace(",", " ").split())
    return found[0] if len(found) == 1 and "," not in names else found


def sympify(value):
    """A number as a number of sympy."""
    if isinstance(value, str):
        return Rational(value)
    result = _expr(value)
    if result is None:
        raise _refuse(f"conversion of {type(value).__name__}")
    return result


S = sympify


def simplify(value):
    """Nothing is left to simplify: a sum is always in its one form."""
    return value if isinstance(value, Eq) else sympify(value)


expand = simplify


def Rational(p, q=1):
    """An exact quotient."""
    exact = lambda v: _Fraction(v._known()) if isinstance(v, Expr) else _Fraction(v)
    return _expr(exact(p) / exact(q))


def Integer(value):
    """A whole number."""
    return _expr(int(value))


def Float(value, *_):
    """A number with fifteen digits."""
    return _expr(float(value))


def N(value, *_):
    """The value as a float."""
    return sympify(value).evalf()


class Eq:
    """Two sides that are to be equal. Two numbers are compared at once, as in sympy."""

    def __new__(cls, lhs, rhs=0, **_):
        lhs, rhs = sympify(lhs), sympify(rhs)
        if lhs.is_number and rhs.is_number or lhs == rhs:
            return lhs == rhs
        self = object.__new__(cls)
        self.lhs, self.rhs = lhs, rhs
        return self

    def subs(self, old, new=None):
        return Eq(self.lhs.subs(old, new), self.rhs.subs(old, new))

    def simplify(self):
        return self

    @property
    def free_symbols(self):
        return self.lhs.free_symbols | self.rhs.free_symbols

    def __repr__(self):
        return f"Eq({self.lhs}, {self.rhs})"


Equality = Eq


def solve(equations, *unknowns, dict=False, **options):
    """Solutions of one equation as a list, of a linear system as a dictionary."""
    if options:
        raise _refuse("solve with options")
    wanted = []
    for unknown in unknowns:
        wanted.extend(unknown if isinstance(unknown, (list, tuple, set)) else [unknown])
    many = isinstance(equations, (list, tuple, set))
    given = list(equations) if many else [equations]
    if any(equation is False for equation in given):
        return []
    sums = [e.lhs - e.rhs if isinstance(e, Eq) else sympify(e) for e in given if e is not True]
    names = {name for s in sums for monomial in s._terms for name, _ in monomial}
    for symbol in wanted:
        if not isinstance(symbol, Symbol):
            raise _refuse("solving for what is no symbol")
    named = [symbol.name for symbol in wanted] or sorted(names)
    if many and (len(sums) > 1 or len(named) > 1):
        solution = _system(sums, named)
        return [solution] if dict and solution else solution
    if len(named) != 1:
        raise _refuse("one equation for several unknowns")
    roots = _roots(sums[0], named[0]) if sums else []
    if dict:
        return [{Symbol(named[0]): root} for root in roots]
    return roots


def _by_power(sum_, name):
    """The factors of name's powers, the lowest of which is 0."""
    parts = {}
    for monomial, factor in sum_._terms.items():
        powers = {n: p for n, p in monomial}
        power = powers.pop(name, 0)
        part = parts.setdefault(power, {})
        part[tuple(sorted(powers.items()))] = factor
    lowest = min(parts, default=0)
    shift = lowest if lowest < 0 else 0
    return {power - shift: Expr(part) for power, part in parts.items()}


def _roots(sum_, name):
    parts = _by_power(sum_, name)
    degree = max(parts, default=0)
    zero = Expr({})
    c, b, a = (parts.get(power, zero) for power in (0, 1, 2))
    if degree == 0:
        return []
    if degree == 1:
        return [-c / b]
    if degree > 2 or not (a.is_number and b.is_number and c.is_number):
        raise _refuse("equation of this kind")
    a, b, c = a._value(), b._value(), c._value()
    square = b * b - 4 * a * c
    if isinstance(square, float):
        if square < 0:
            raise _refuse("complex root")
        roots = {(-b - square**0.5) / (2 * a), (-b + square**0.5) / (2 * a)}
    else:
        over, under = (_isqrt(n) if n >= 0 else -1 for n in (square.numerator, square.denominator))
        if over < 0 or over * over != square.numerator or under * under != square.denominator:
            raise _refuse("irrational root")
        root = _Fraction(over, under)
        roots = {(-b - root) / (2 * a), (-b + root) / (2 * a)}
    return [_expr(root) for root in sorted(roots)]


def _system(sums, names):
    """Elimination; unknowns that stay free make it a system that we do not solve."""
    rows = [_row(sum_, names) for sum_ in sums]
    solved = {}
    for column, name in enumerate(names):
        pivot = next((row for row in rows if row[column] != 0), None)
        if pivot is None:
            raise _refuse("system with free unknowns")
        rows = [row for row in rows if row is not pivot]
        pivot = [factor / pivot[column] for factor in pivot]
        less = lambda row: [x - y * row[column] for x, y in zip(row, pivot)]
        rows = [less(row) for row in rows]
        solved = {other: less(row) for other, row in solved.items()}
        solved[name] = pivot
    if any(abs(row[-1]) > 1e-9 if isinstance(row[-1], float) else row[-1] != 0 for row in rows):
        return []
    return {Symbol(name): _expr(-solved[name][-1]) for name in sorted(names)}


def _row(sum_, names):
    row = [_Fraction(0)] * (len(names) + 1)
    for monomial, factor in sum_._terms.items():
        if not monomial:
            row[-1] = factor
        elif len(monomial) == 1 and monomial[0][1] == 1 and monomial[0][0] in names:
            row[names.index(monomial[0][0])] = factor
        else:
            raise _refuse("system that is not linear")
    return row
