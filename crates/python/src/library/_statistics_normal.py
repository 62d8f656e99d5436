"""The normal distribution as an object: density, distribution, quantiles and arithmetic.

The inverse of the distribution function follows Wichura's algorithm AS 241, whose rational
approximations hold to about sixteen digits.
"""

from math import erf, exp, fabs, hypot, log, sqrt, tau

from statistics import StatisticsError, _mean_and_deviation

_ROOT_OF_TWO = sqrt(2.0)

# Coefficients from the highest power down: numerator, denominator; central region first,
# then the two tails.
_CENTRAL = (
    (
        2.50908092873012267270e3,
        3.34305755835881281050e4,
        6.72657709270087008530e4,
        4.59219539315498714570e4,
        1.37316937655094611250e4,
        1.97159095030655144270e3,
        1.33141667891784377450e2,
        3.38713287279636660800e0,
    ),
    (
        5.22649527885285456100e3,
        2.87290857357219426740e4,
        3.93078958000927106100e4,
        2.12137943015865958670e4,
        5.39419602142475110770e3,
        6.87187007492057908300e2,
        4.23133307016009112520e1,
        1.0,
    ),
)
_NEAR_TAIL = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
_FAR_TAIL = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e0,
        5.46378491116411436990e0,
        6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)


def _polynomial(coefficients, argument):
    total = 0.0
    for coefficient in coefficients:
        total = total * argument + coefficient
    return total


def _inverse_distribution(p, mu, sigma):
    offset = p - 0.5
    if fabs(offset) <= 0.425:
        argument = 0.180625 - offset * offset
        top = _polynomial(_CENTRAL[0], argument) * offset
        return mu + top / _polynomial(_CENTRAL[1], argument) * sigma
    argument = sqrt(-log(p if offset <= 0.0 else 1.0 - p))
    if argument <= 5.0:
        argument -= 1.6
        pair = _NEAR_TAIL
    else:
        argument -= 5.0
        pair = _FAR_TAIL
    deviation = _polynomial(pair[0], argument) / _polynomial(pair[1], argument)
    if offset < 0.0:
        deviation = -deviation
    return mu + deviation * sigma


class NormalDist:
    """A normal distribution with mean mu and standard deviation sigma."""

    __slots__ = ("_mu", "_sigma")
    __module__ = "statistics"

    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0.0:
            raise StatisticsError("sigma must be non-negative")
        self._mu = float(mu)
        self._sigma = float(sigma)

    @classmethod
    def from_samples(cls, data):
        return cls(*_mean_and_deviation(data))

    def samples(self, n, *, seed=None):
        import random

        draw = random.gauss if seed is None else random.Random(seed).gauss
        return [draw(self._mu, self._sigma) for _ in range(n)]

    def pdf(self, x):
        variance = self._sigma * self._sigma
        if not variance:
            raise StatisticsError("pdf() not defined when sigma is zero")
        distance = x - self._mu
        return exp(distance * distance / (-2.0 * variance)) / sqrt(tau * variance)

    def cdf(self, x):
        if not self._sigma:
            raise StatisticsError("cdf() not defined when sigma is zero")
        return 0.5 * (1.0 + erf((x - self._mu) / (self._sigma * _ROOT_OF_TWO)))

    def inv_cdf(self, p):
        if p <= 0.0 or p >= 1.0:
            raise StatisticsError("p must be in the range 0.0 < p < 1.0")
        if self._sigma <= 0.0:
            raise StatisticsError("cdf() not defined when sigma at or below zero")
        return _inverse_distribution(p, self._mu, self._sigma)

    def quantiles(self, n=4):
        return [self.inv_cdf(cut / n) for cut in range(1, n)]

    def overlap(self, other):
        """The area under both densities."""
        if not isinstance(other, NormalDist):
            raise TypeError("Expected another NormalDist instance")
        first, second = self, other
        if (second._sigma, second._mu) < (first._sigma, first._mu):
            first, second = second, first
        first_variance, second_variance = first.variance, second.variance
        if not first_variance or not second_variance:
            raise StatisticsError("overlap() not defined when sigma is zero")
        spread = second_variance - first_variance
        distance = fabs(second._mu - first._mu)
        if not spread:
            return 1.0 - erf(distance / (2.0 * first._sigma * _ROOT_OF_TWO))
        middle = first._mu * second_variance - second._mu * first_variance
        width = (
            first._sigma
            * second._sigma
            * sqrt(distance * distance + spread * log(second_variance / first_variance))
        )
        right = (middle + width) / spread
        left = (middle - width) / spread
        return 1.0 - (
            fabs(second.cdf(right) - first.cdf(right))
            + fabs(second.cdf(left) - first.cdf(left))
        )

    def zscore(self, x):
        if not self._sigma:
            raise StatisticsError("zscore() not defined when sigma is zero")
        return (x - self._mu) / self._sigma

    @property
    def mean(self):
        return self._mu

    @property
    def median(self):
        return self._mu

    @property
    def mode(self):
        return self._mu

    @property
    def stdev(self):
        return self._sigma

    @property
    def variance(self):
        return self._sigma * self._sigma

    def __add__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu + other._mu, hypot(self._sigma, other._sigma))
        return NormalDist(self._mu + other, self._sigma)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu - other._mu, hypot(self._sigma, other._sigma))
        return NormalDist(self._mu - other, self._sigma)

    def __rsub__(self, other):
        return -(self - other)

    def __mul__(self, other):
        return NormalDist(self._mu * other, self._sigma * fabs(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return NormalDist(self._mu / other, self._sigma / fabs(other))

    def __pos__(self):
        return NormalDist(self._mu, self._sigma)

    def __neg__(self):
        return NormalDist(-self._mu, self._sigma)

    def __eq__(self, other):
        if not isinstance(other, NormalDist):
            return NotImplemented
        return self._mu == other._mu and self._sigma == other._sigma

    def __hash__(self):
        return hash((self._mu, self._sigma))

    def __repr__(self):
        return f"{type(self).__name__}(mu={self._mu!r}, sigma={self._sigma!r})"
