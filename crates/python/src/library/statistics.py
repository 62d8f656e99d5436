"""Averages, spreads and relations of data, computed on exact sums.

Sums run over exact integer ratios and are turned back into the type of the data at the
end, so a mean of fractions is a fraction and a mean of floats is rounded once. The normal
distribution lives in a module of its own.
"""

import sys
from collections import namedtuple
from fractions import Fraction
from math import exp, fsum, isqrt, log, sqrt

__all__ = [
    "NormalDist",
    "StatisticsError",
    "correlation",
    "covariance",
    "fmean",
    "geometric_mean",
    "harmonic_mean",
    "linear_regression",
    "mean",
    "median",
    "median_grouped",
    "median_high",
    "median_low",
    "mode",
    "multimode",
    "pstdev",
    "pvariance",
    "quantiles",
    "stdev",
    "variance",
]


class StatisticsError(ValueError):
    """The data does not allow the asked number."""


def _decimal_type():
    """The Decimal class, or None while no program has loaded it (then no value is one)."""
    module = sys.modules.get("decimal")
    return None if module is None else module.Decimal


def _coerce(first, second):
    """The type that results of data of both types take."""
    if first is second or second is int or second is bool:
        return first
    if first is int:
        return second
    if issubclass(second, first):
        return second
    if issubclass(first, second) or issubclass(second, int):
        return first
    if issubclass(first, int):
        return second
    if issubclass(first, Fraction) and issubclass(second, float):
        return second
    if issubclass(first, float) and issubclass(second, Fraction):
        return first
    raise TypeError(f"don't know how to coerce {first.__name__} and {second.__name__}")


def _exact_ratio(value):
    """Numerator and denominator; (value, None) for an infinity or a NaN."""
    try:
        return value.as_integer_ratio()
    except AttributeError:
        pass
    except (OverflowError, ValueError):
        return (value, None)
    try:
        return (value.numerator, value.denominator)
    except AttributeError:
        kind = type(value).__name__
        raise TypeError(f"can't convert type '{kind}' to numerator/denominator") from None


def _collect(data):
    """Per denominator the sums of the numerators and of their squares; the type; the count."""
    count = 0
    kinds = []
    sums = {}
    squares = {}
    for value in data:
        kind = type(value)
        if kind not in kinds:
            kinds.append(kind)
        top, bottom = _exact_ratio(value)
        count += 1
        sums[bottom] = sums.get(bottom, 0) + top
        if bottom is not None:
            squares[bottom] = squares.get(bottom, 0) + top * top
    result = int
    for kind in kinds:
        result = _coerce(result, kind)
    return (result, sums, squares, count)


def _total(sums, squared=False):
    if None in sums:
        return sums[None]
    total = Fraction(0)
    for bottom, top in sums.items():
        total += Fraction(top, bottom * bottom if squared else bottom)
    return total


def _sum(data):
    kind, sums, _, count = _collect(data)
    return (kind, _total(sums), count)


def _squared_deviations(data, center=None):
    """Type, sum of squared deviations from the center (or the mean), mean and count."""
    if center is not None:
        kind, total, count = _sum((value - center) * (value - center) for value in data)
        return (kind, total, center, count)
    kind, sums, squares, count = _collect(data)
    if not count:
        return (kind, Fraction(0), Fraction(0), 0)
    if None in sums:
        return (kind, sums[None], sums[None], count)
    total = _total(sums)
    spread = (count * _total(squares, True) - total * total) / count
    return (kind, spread, total / count, count)


def _convert(value, kind):
    if type(value) is kind:
        return value
    if issubclass(kind, int) and value.denominator != 1:
        kind = float
    try:
        return kind(value)
    except TypeError:
        decimal = _decimal_type()
        if decimal is not None and issubclass(kind, decimal):
            return kind(value.numerator) / value.denominator
        raise


def _checked_positive(values, message):
    for value in values:
        if value < 0:
            raise StatisticsError(message)
        yield value


def mean(data):
    kind, total, count = _sum(data)
    if count < 1:
        raise StatisticsError("mean requires at least one data point")
    return _convert(total / count, kind)


def fmean(data, weights=None):
    if not hasattr(data, "__len__"):
        data = list(data)
    count = len(data)
    if weights is None:
        total = fsum(data)
        if not count:
            raise StatisticsError("fmean requires at least one data point")
        return total / count
    if not hasattr(weights, "__len__"):
        weights = list(weights)
    total = fsum(value * weight for value, weight in zip(data, weights))
    if count != len(weights):
        raise StatisticsError("data and weights must be the same length")
    divisor = fsum(weights)
    if not divisor:
        raise StatisticsError("sum of weights must be non-zero")
    return total / divisor


def geometric_mean(data):
    try:
        return exp(fmean([log(value) for value in data]))
    except ValueError:
        raise StatisticsError(
            "geometric mean requires a non-empty dataset containing positive numbers"
        ) from None


def harmonic_mean(data, weights=None):
    data = list(data)
    message = "harmonic mean does not support negative values"
    count = len(data)
    if count < 1:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if count == 1 and weights is None:
        import numbers

        value = data[0]
        decimal = _decimal_type()
        is_decimal = decimal is not None and isinstance(value, decimal)
        if not (is_decimal or isinstance(value, numbers.Real)):
            raise TypeError("unsupported type")
        if value < 0:
            raise StatisticsError(message)
        return value
    if weights is None:
        weights = [1] * count
        weight_total = count
    else:
        weights = list(weights)
        if len(weights) != count:
            raise StatisticsError("Number of weights does not match data size")
        weight_total = _sum(_checked_positive(weights, message))[1]
    try:
        checked = _checked_positive(data, message)
        kind, total, count = _sum(
            weight / value if weight else 0 for weight, value in zip(weights, checked)
        )
    except ZeroDivisionError:
        return 0
    if total <= 0:
        raise StatisticsError("Weighted sum must be positive")
    return _convert(weight_total / total, kind)


def _sorted_data(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data


def median(data):
    data = _sorted_data(data)
    middle = len(data) // 2
    if len(data) % 2:
        return data[middle]
    return (data[middle - 1] + data[middle]) / 2


def median_low(data):
    data = _sorted_data(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = _sorted_data(data)
    return data[len(data) // 2]


def median_grouped(data, interval=1):
    data = _sorted_data(data)
    count = len(data)
    value = data[count // 2]
    below = sum(1 for other in data if other < value)
    inside = sum(1 for other in data if other == value)
    try:
        interval = float(interval)
        value = float(value)
    except ValueError:
        raise TypeError("Value cannot be converted to a float")
    return value - interval / 2.0 + interval * (count / 2 - below) / inside


def _counts(data):
    counts = {}
    for value in data:
        counts[value] = counts.get(value, 0) + 1
    return counts


def mode(data):
    counts = _counts(data)
    if not counts:
        raise StatisticsError("no mode for empty data")
    return max(counts, key=counts.get)


def multimode(data):
    counts = _counts(data)
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]


def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise StatisticsError("n must be at least 1")
    data = sorted(data)
    count = len(data)
    if count < 2:
        raise StatisticsError("must have at least two data points")
    result = []
    if method == "inclusive":
        for cut in range(1, n):
            place, rest = divmod(cut * (count - 1), n)
            result.append((data[place] * (n - rest) + data[place + 1] * rest) / n)
        return result
    if method == "exclusive":
        for cut in range(1, n):
            place = min(max(cut * (count + 1) // n, 1), count - 1)
            rest = cut * (count + 1) - place * n
            result.append((data[place - 1] * (n - rest) + data[place] * rest) / n)
        return result
    raise ValueError(f"Unknown method: {method!r}")


def _rounded_root(top, bottom):
    """The square root of top/bottom as the nearest float."""
    # 109 bits leave room for the final rounding; a set last bit marks an inexact root.
    half_shift = (top.bit_length() - bottom.bit_length() - 109) // 2
    if half_shift >= 0:
        bottom <<= 2 * half_shift
    else:
        top <<= -2 * half_shift
    root = isqrt(top // bottom)
    if root * root * bottom != top:
        root |= 1
    if half_shift >= 0:
        return (root << half_shift) / 1
    return root / (1 << -half_shift)


def _rounded_decimal_root(top, bottom):
    """The square root of top/bottom as the nearest Decimal of the current precision."""
    decimal = _decimal_type()
    if not top:
        return decimal("0.0")
    if top < 0:
        top, bottom = -top, -bottom
    root = (decimal(top) / decimal(bottom)).sqrt()
    exact = Fraction(top, bottom)
    here = Fraction(*root.as_integer_ratio())
    above = root.next_plus()
    if exact > ((here + Fraction(*above.as_integer_ratio())) / 2) ** 2:
        return above
    below = root.next_minus()
    if exact < ((here + Fraction(*below.as_integer_ratio())) / 2) ** 2:
        return below
    return root


def _root(value, kind):
    decimal = _decimal_type()
    if decimal is not None and issubclass(kind, decimal):
        return _rounded_decimal_root(value.numerator, value.denominator)
    if value < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    return _rounded_root(value.numerator, value.denominator)


def variance(data, xbar=None):
    kind, spread, _, count = _squared_deviations(data, xbar)
    if count < 2:
        raise StatisticsError("variance requires at least two data points")
    return _convert(spread / (count - 1), kind)


def pvariance(data, mu=None):
    kind, spread, _, count = _squared_deviations(data, mu)
    if count < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return _convert(spread / count, kind)


def stdev(data, xbar=None):
    kind, spread, _, count = _squared_deviations(data, xbar)
    if count < 2:
        raise StatisticsError("stdev requires at least two data points")
    return _root(spread / (count - 1), kind)


def pstdev(data, mu=None):
    kind, spread, _, count = _squared_deviations(data, mu)
    if count < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return _root(spread / count, kind)


def _mean_and_deviation(data):
    _, spread, center, count = _squared_deviations(data)
    if count < 2:
        raise StatisticsError("stdev requires at least two data points")
    return (float(center), _root(spread / (count - 1), float))


def _check_pairs(x, y, name):
    if len(y) != len(x):
        raise StatisticsError(f"{name} requires that both inputs have same number of data points")
    if len(x) < 2:
        raise StatisticsError(f"{name} requires at least two data points")


def covariance(x, y, /):
    _check_pairs(x, y, "covariance")
    count = len(x)
    center_x = fsum(x) / count
    center_y = fsum(y) / count
    total = fsum((left - center_x) * (right - center_y) for left, right in zip(x, y))
    return total / (count - 1)


def _centered_sums(x, y):
    count = len(x)
    center_x = fsum(x) / count
    center_y = fsum(y) / count
    both = fsum((left - center_x) * (right - center_y) for left, right in zip(x, y))
    squares = fsum((left - center_x) * (left - center_x) for left in x)
    return (center_x, center_y, both, squares)


def correlation(x, y, /):
    _check_pairs(x, y, "correlation")
    _, center_y, both, squares_x = _centered_sums(x, y)
    squares_y = fsum((right - center_y) * (right - center_y) for right in y)
    try:
        return both / sqrt(squares_x * squares_y)
    except ZeroDivisionError:
        raise StatisticsError("at least one of the inputs is constant")


def linear_regression(x, y, /, *, proportional=False):
    _check_pairs(x, y, "linear regression")
    if proportional:
        both = fsum(left * right for left, right in zip(x, y))
        squares = fsum(left * left for left in x)
    else:
        center_x, center_y, both, squares = _centered_sums(x, y)
    try:
        slope = both / squares
    except ZeroDivisionError:
        raise StatisticsError("x is constant")
    intercept = 0.0 if proportional else center_y - slope * center_x
    return LinearRegression(slope=slope, intercept=intercept)


LinearRegression = namedtuple("LinearRegression", ("slope", "intercept"))

# Last on purpose: that module takes the error class and the deviation from here.
from _statistics_normal import NormalDist  # noqa: E402
