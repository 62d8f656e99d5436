"""Functions of complex numbers: roots, logarithms, circular and hyperbolic functions.

Every finite case follows the classic formulas of W. Kahan (cancellation-free, with halved
or scaled arguments near the limits of the float range). A non-finite argument is looked
up: both parts are sorted into seven classes and the table gives the two parts of the answer.
"""

import math
from math import e, inf, nan, pi, tau

infj = complex(0.0, inf)
nanj = complex(0.0, nan)

_LARGEST = 1.7976931348623157e308
_SMALLEST_NORMAL = 2.2250738585072014e-308
_LARGE = _LARGEST / 4.0
_SQUARE_ROOT_OF_LARGE = math.sqrt(_LARGE)
_LOGARITHM_OF_LARGE = math.log(_LARGE)
_SQUARE_ROOT_OF_SMALLEST = math.sqrt(_SMALLEST_NORMAL)
_LOGARITHM_OF_TWO = 0.6931471805599453
_LOGARITHM_OF_TEN = 2.302585092994046

# Rows: class of the real part; pairs inside a row: class of the imaginary part. The classes
# are -inf, negative, -0, +0, positive, +inf and nan. `..` marks a finite pair, `!!` a domain
# error; the letters are explained by _LETTER_VALUES.
_SPECIAL_RESULTS = {
    "acos": (
        "TIPIPIPiPiTinI HI........Hinn HI........HiHn "
        "HI........HiHn HI........Hinn QI0I0I0i0iQinI nInnnnnnnnninn"
    ),
    "acosh": (
        "ItIpIpIPIPITIn Ih........IHnn Ih........IHnn "
        "Ih........IHnn Ih........IHnn IqIoIoI0I0IQIn InnnnnnnnnInnn"
    ),
    "asinh": (
        "iqioioi0i0iQin ih........iHnn ih........iHnn "
        "Ih........IHnn Ih........IHnn IqIoIoI0I0IQIn Innnnon0nnInnn"
    ),
    "atanh": (
        "ohohohoHoHoHon oh........oHnn oh........oHon "
        "0h........0H0n 0h........0Hnn 0h0h0h0H0H0H0n 0hnnnnnnnn0Hnn"
    ),
    "cosh": (
        "!!III0IoIi!!In !!........!!nn !!........!!n0 "
        "!!........!!n0 !!........!!nn !!IiIoI0II!!In nnnnn0n0nnnnnn"
    ),
    "exp": (
        "000o0o00000000 !!........!!nn !!........!!nn "
        "!!........!!nn !!........!!nn !!IiIoI0II!!In nnnnnon0nnnnnn"
    ),
    "log": (
        "ItIpIpIPIPITIn Ih........IHnn Ih........IHnn "
        "Ih........IHnn Ih........IHnn IqIoIoI0I0IQIn InnnnnnnnnInnn"
    ),
    "sinh": (
        "!!iiioi0iI!!In !!........!!nn !!........!!0n "
        "!!........!!0n !!........!!nn !!IiIoI0II!!In nnnnnon0nnnnnn"
    ),
    "sqrt": (
        "Ii0i0i0I0IIInI Ii........IInn Ii........IInn "
        "Ii........IInn Ii........IInn IiIoIoI0I0IIIn IinnnnnnnnIInn"
    ),
    "tanh": (
        "202o2o20202020 !!........!!nn !!........!!nn "
        "!!........!!nn !!........!!nn 101o1o10101010 nnnnnon0nnnnnn"
    ),
}

_LETTER_VALUES = {
    "I": inf,
    "i": -inf,
    "n": nan,
    "0": 0.0,
    "o": -0.0,
    "1": 1.0,
    "2": -1.0,
    "P": pi,
    "p": -pi,
    "H": pi / 2,
    "h": -pi / 2,
    "Q": pi / 4,
    "q": -pi / 4,
    "T": 0.75 * pi,
    "t": -0.75 * pi,
}


def _class_of(part):
    if part != part:
        return 6
    if part == inf:
        return 5
    if part == -inf:
        return 0
    if part == 0.0:
        return 3 if math.copysign(1.0, part) > 0.0 else 2
    return 4 if part > 0.0 else 1


def _special(name, x, y):
    """The answer for a non-finite argument, or None for a finite one."""
    if math.isfinite(x) and math.isfinite(y):
        return None
    if name in ("exp", "cosh", "sinh") and math.isinf(x) and math.isfinite(y) and y != 0.0:
        cosine, sine = math.cos(y), math.sin(y)
        if name == "exp":
            size = inf if x > 0 else 0.0
            return complex(math.copysign(size, cosine), math.copysign(size, sine))
        if (name == "cosh") == (x < 0):
            sine = -sine if name == "cosh" else sine
        if name == "sinh" and x < 0:
            cosine = -cosine
        return complex(math.copysign(inf, cosine), math.copysign(inf, sine))
    if name == "tanh" and math.isinf(x) and math.isfinite(y) and y != 0.0:
        size = math.copysign(0.0, 2.0 * math.sin(y) * math.cos(y))
        return complex(math.copysign(1.0, x), size)
    place = _class_of(y) * 2
    pair = _SPECIAL_RESULTS[name].split(" ")[_class_of(x)][place : place + 2]
    if pair == "!!":
        raise ValueError("math domain error")
    return complex(_LETTER_VALUES[pair[0]], _LETTER_VALUES[pair[1]])


def _checked(result):
    if math.isinf(result.real) or math.isinf(result.imag):
        raise OverflowError("math range error")
    return result


def _length(x, y):
    # The length of a complex number is not always math.hypot's to the last bit.
    return abs(complex(x, y))


def sqrt(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("sqrt", x, y)
    if special is not None:
        return special
    if x == 0.0 and y == 0.0:
        return complex(0.0, y)
    width, height = abs(x), abs(y)
    if width < _SMALLEST_NORMAL and height < _SMALLEST_NORMAL:
        width = math.ldexp(width, 53)
        root = math.ldexp(math.sqrt(width + _length(width, math.ldexp(height, 53))), -27)
    else:
        width /= 8.0
        root = 2.0 * math.sqrt(width + _length(width, height / 8.0))
    other = height / (2.0 * root)
    if x >= 0.0:
        return complex(root, math.copysign(other, y))
    return complex(other, math.copysign(root, y))


def _logarithm(x, y):
    width, height = abs(x), abs(y)
    if width > _LARGE or height > _LARGE:
        real = math.log(_length(width / 2.0, height / 2.0)) + _LOGARITHM_OF_TWO
    elif width < _SMALLEST_NORMAL and height < _SMALLEST_NORMAL:
        if width == 0.0 and height == 0.0:
            raise ValueError("math domain error")
        size = _length(math.ldexp(width, 53), math.ldexp(height, 53))
        real = math.log(size) - 53 * _LOGARITHM_OF_TWO
    else:
        size = _length(width, height)
        if 0.71 <= size <= 1.73:
            longer, shorter = max(width, height), min(width, height)
            real = math.log1p((longer - 1) * (longer + 1) + shorter * shorter) / 2.0
        else:
            real = math.log(size)
    return complex(real, math.atan2(y, x))


def log(z, base=None, /):
    z = complex(z)
    if base is not None and z == 0:
        return complex(-inf, math.atan2(z.imag, z.real)) / log(base)
    result = _special("log", z.real, z.imag)
    if result is None:
        result = _logarithm(z.real, z.imag)
    if base is None:
        return result
    return result / log(base)


def log10(z, /):
    result = log(z)
    return complex(result.real / _LOGARITHM_OF_TEN, result.imag / _LOGARITHM_OF_TEN)


def exp(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("exp", x, y)
    if special is not None:
        return special
    if x > _LOGARITHM_OF_LARGE:
        size = math.exp(x - 1.0)
        return _checked(complex(size * math.cos(y) * e, size * math.sin(y) * e))
    size = math.exp(x)
    return _checked(complex(size * math.cos(y), size * math.sin(y)))


def cosh(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("cosh", x, y)
    if special is not None:
        return special
    cosine, sine = math.cos(y), math.sin(y)
    if abs(x) > _LOGARITHM_OF_LARGE:
        less = x - math.copysign(1.0, x)
        return _checked(complex(cosine * math.cosh(less) * e, sine * math.sinh(less) * e))
    return _checked(complex(cosine * math.cosh(x), sine * math.sinh(x)))


def sinh(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("sinh", x, y)
    if special is not None:
        return special
    cosine, sine = math.cos(y), math.sin(y)
    if abs(x) > _LOGARITHM_OF_LARGE:
        less = x - math.copysign(1.0, x)
        return _checked(complex(cosine * math.sinh(less) * e, sine * math.cosh(less) * e))
    return _checked(complex(cosine * math.sinh(x), sine * math.cosh(x)))


def tanh(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("tanh", x, y)
    if special is not None:
        return special
    if abs(x) > _LOGARITHM_OF_LARGE:
        imag = 4.0 * math.sin(y) * math.cos(y) * math.exp(-2.0 * abs(x))
        return complex(math.copysign(1.0, x), imag)
    slope, tangent = math.tanh(x), math.tan(y)
    inverse = 1.0 / math.cosh(x)
    both = slope * tangent
    divisor = 1.0 + both * both
    real = slope * (1.0 + tangent * tangent) / divisor
    return complex(real, ((tangent / divisor) * inverse) * inverse)


def cos(z, /):
    z = complex(z)
    return cosh(complex(-z.imag, z.real))


def sin(z, /):
    z = complex(z)
    turned = sinh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


def tan(z, /):
    z = complex(z)
    turned = tanh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


def _is_large(x, y):
    return abs(x) > _LARGE or abs(y) > _LARGE


def _large_logarithm(x, y):
    return math.log(_length(x / 2.0, y / 2.0)) + _LOGARITHM_OF_TWO * 2.0


def acos(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("acos", x, y)
    if special is not None:
        return special
    if _is_large(x, y):
        size = _large_logarithm(x, y)
        imag = -math.copysign(size, y) if x < 0.0 else math.copysign(size, -y)
        return complex(math.atan2(abs(y), x), imag)
    minus = sqrt(complex(1.0 - x, -y))
    plus = sqrt(complex(1.0 + x, y))
    real = 2.0 * math.atan2(minus.real, plus.real)
    return complex(real, math.asinh(plus.real * minus.imag - plus.imag * minus.real))


def acosh(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("acosh", x, y)
    if special is not None:
        return special
    if _is_large(x, y):
        return complex(_large_logarithm(x, y), math.atan2(y, x))
    minus = sqrt(complex(x - 1.0, y))
    plus = sqrt(complex(x + 1.0, y))
    real = math.asinh(minus.real * plus.real + minus.imag * plus.imag)
    return complex(real, 2.0 * math.atan2(minus.imag, plus.real))


def asinh(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("asinh", x, y)
    if special is not None:
        return special
    if _is_large(x, y):
        size = _large_logarithm(x, y)
        real = math.copysign(size, x) if y >= 0.0 else -math.copysign(size, -x)
        return complex(real, math.atan2(y, abs(x)))
    plus = sqrt(complex(1.0 + y, -x))
    minus = sqrt(complex(1.0 - y, x))
    real = math.asinh(plus.real * minus.imag - minus.real * plus.imag)
    return complex(real, math.atan2(y, plus.real * minus.real - plus.imag * minus.imag))


def asin(z, /):
    z = complex(z)
    turned = asinh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


def atanh(z, /):
    z = complex(z)
    x, y = z.real, z.imag
    special = _special("atanh", x, y)
    if special is not None:
        return special
    if x < 0.0 or (x == 0.0 and math.copysign(1.0, x) < 0.0):
        return -atanh(-z)
    height = abs(y)
    if x > _SQUARE_ROOT_OF_LARGE or height > _SQUARE_ROOT_OF_LARGE:
        size = _length(x / 2.0, y / 2.0)
        return complex(x / 4.0 / size / size, -math.copysign(pi / 2.0, -y))
    if x == 1.0 and height < _SQUARE_ROOT_OF_SMALLEST:
        if height == 0.0:
            raise ValueError("math domain error")
        real = -math.log(math.sqrt(height) / math.sqrt(_length(height, 2.0)))
        return complex(real, math.copysign(math.atan2(2.0, -height) / 2, y))
    real = math.log1p(4.0 * x / ((1 - x) * (1 - x) + height * height)) / 4.0
    imag = -math.atan2(-2.0 * y, (1 - x) * (1 + x) - height * height) / 2.0
    return complex(real, imag)


def atan(z, /):
    z = complex(z)
    turned = atanh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


def phase(z, /):
    z = complex(z)
    return math.atan2(z.imag, z.real)


def polar(z, /):
    z = complex(z)
    return (abs(z), math.atan2(z.imag, z.real))


def rect(r, phi, /):
    r, phi = float(r), float(phi)
    if math.isinf(phi):
        if r != r:
            return complex(nan, nan)
        if r == 0.0:
            return complex(0.0, 0.0)
        raise ValueError("math domain error")
    if phi != phi:
        if r == 0.0:
            return complex(0.0, 0.0)
        return complex(inf if math.isinf(r) else nan, nan)
    if phi == 0.0:
        # An infinite or undefined length times zero would lose the sign of the angle.
        if math.isfinite(r):
            return complex(r, r * phi)
        if r != r:
            return complex(r, 0.0)
        return complex(r, math.copysign(0.0, math.copysign(1.0, phi) * r))
    return complex(r * math.cos(phi), r * math.sin(phi))


def isfinite(z, /):
    z = complex(z)
    return math.isfinite(z.real) and math.isfinite(z.imag)


def isinf(z, /):
    z = complex(z)
    return math.isinf(z.real) or math.isinf(z.imag)


def isnan(z, /):
    z = complex(z)
    return math.isnan(z.real) or math.isnan(z.imag)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    a, b = complex(a), complex(b)
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if isinf(a) or isinf(b):
        return False
    difference = abs(a - b)
    return (
        difference <= rel_tol * abs(b)
        or difference <= rel_tol * abs(a)
        or difference <= abs_tol
    )
