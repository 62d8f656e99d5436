"""Pseudo-random numbers with the sequence of the Mersenne Twister in CPython.

The generator itself is native (`_random`); here are the distributions over it. Without a
seed the generator starts from 0 on purpose: the same program gives the same numbers
everywhere. Left out on purpose: real randomness (`SystemRandom` is an ordinary `Random`).
"""

import _random
from math import acos, ceil, cos, e, exp, isfinite, log, pi, sin, sqrt
from operator import index

_FULL_TURN = 2.0 * pi
_NORMAL_CONSTANT = 4 * exp(-0.5) / sqrt(2.0)
_LOGARITHM_OF_FOUR = log(4.0)
_GAMMA_CONSTANT = 1.0 + log(4.5)
_MISSING = object()


def _whole(value, message):
    """The integer a range argument stands for; a float with a whole value still counts."""
    try:
        return index(value)
    except TypeError:
        whole = int(value)
        if whole != value:
            raise ValueError(message)
        return whole


class Random:
    """A generator with its own state."""

    VERSION = 3

    def __init__(self, x=None):
        self._generator = _random.Random()
        self.seed(x)

    def seed(self, a=None, version=2):
        if a is None:
            self._generator.seed_int(0)
        elif isinstance(a, (str, bytes, bytearray)):
            if isinstance(a, str):
                a = a.encode()
            self._generator.seed_bytes(bytes(a))
        elif isinstance(a, int):
            self._generator.seed_int(abs(int(a)))
        elif isinstance(a, float):
            self._generator.seed_int(hash(a) & 0xFFFFFFFFFFFFFFFF)
        else:
            raise TypeError(
                "The only supported seed types are: None,\n"
                "int, float, str, bytes, and bytearray."
            )
        self.gauss_next = None

    def getstate(self):
        return (self.VERSION, tuple(self._generator.getstate()), self.gauss_next)

    def setstate(self, state):
        version = state[0]
        if version != 3:
            raise ValueError(
                f"state with version {version} passed to Random.setstate() of version 3"
            )
        self._generator.setstate(tuple(state[1]))
        self.gauss_next = state[2]

    def random(self):
        return self._generator.random()

    def getrandbits(self, k, /):
        return self._generator.getrandbits(k)

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def _randbelow(self, limit):
        bits = limit.bit_length()
        draw = self.getrandbits
        value = draw(bits)
        while value >= limit:
            value = draw(bits)
        return value

    def randrange(self, start, stop=None, step=_MISSING):
        first = _whole(start, "non-integer arg 1 for randrange()")
        if stop is None:
            if step is not _MISSING:
                raise TypeError("Missing a non-None stop argument")
            if first > 0:
                return self._randbelow(first)
            raise ValueError("empty range for randrange()")
        last = _whole(stop, "non-integer stop for randrange()")
        width = last - first
        stride = 1 if step is _MISSING else _whole(step, "non-integer step for randrange()")
        if stride == 1:
            if width > 0:
                return first + self._randbelow(width)
            raise ValueError(f"empty range for randrange() ({first}, {last}, {width})")
        if stride > 0:
            count = (width + stride - 1) // stride
        elif stride < 0:
            count = (width + stride + 1) // stride
        else:
            raise ValueError("zero step for randrange()")
        if count <= 0:
            raise ValueError("empty range for randrange()")
        return first + stride * self._randbelow(count)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._randbelow(len(seq))]

    def shuffle(self, x):
        below = self._randbelow
        for place in range(len(x) - 1, 0, -1):
            other = below(place + 1)
            x[place], x[other] = x[other], x[place]

    def sample(self, population, k, *, counts=None):
        if not hasattr(population, "__getitem__") or isinstance(population, dict):
            raise TypeError(
                "Population must be a sequence.  For dicts or sets, use sorted(d)."
            )
        size = len(population)
        if counts is not None:
            return self._sample_counted(population, k, list(counts))
        if not 0 <= k <= size:
            raise ValueError("Sample larger than population or is negative")
        below = self._randbelow
        result = [None] * k
        # A small population is copied and drawn from; a large one remembers what it drew.
        copy_limit = 21
        if k > 5:
            copy_limit += 4 ** ceil(log(k * 3, 4))
        if size <= copy_limit:
            pool = list(population)
            for place in range(k):
                drawn = below(size - place)
                result[place] = pool[drawn]
                pool[drawn] = pool[size - place - 1]
        else:
            seen = set()
            for place in range(k):
                drawn = below(size)
                while drawn in seen:
                    drawn = below(size)
                seen.add(drawn)
                result[place] = population[drawn]
        return result

    def _sample_counted(self, population, k, counts):
        sums = _running_sums(counts)
        if len(sums) != len(population):
            raise ValueError("The number of counts does not match the population")
        total = sums.pop()
        if not isinstance(total, int):
            raise TypeError("Counts must be integers")
        if total <= 0:
            raise ValueError("Total of counts must be greater than zero")
        chosen = self.sample(range(total), k)
        return [population[_place_above(sums, number, len(sums))] for number in chosen]

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        draw = self.random
        size = len(population)
        if cum_weights is None:
            if weights is None:
                width = size + 0.0
                return [population[int(draw() * width)] for _ in range(k)]
            try:
                cum_weights = _running_sums(weights)
            except TypeError:
                if not isinstance(weights, int):
                    raise
                raise TypeError(
                    f"The number of choices must be a keyword argument: k={weights!r}"
                ) from None
        elif weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if len(cum_weights) != size:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        if not isfinite(total):
            raise ValueError("Total of weights must be finite")
        last = size - 1
        return [population[_place_above(cum_weights, draw() * total, last)] for _ in range(k)]

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        drawn = self.random()
        try:
            corner = 0.5 if mode is None else (mode - low) / (high - low)
        except ZeroDivisionError:
            return low
        if drawn > corner:
            drawn = 1.0 - drawn
            corner = 1.0 - corner
            low, high = high, low
        return low + (high - low) * sqrt(drawn * corner)

    def normalvariate(self, mu=0.0, sigma=1.0):
        draw = self.random
        while True:
            first = draw()
            second = 1.0 - draw()
            deviation = _NORMAL_CONSTANT * (first - 0.5) / second
            if deviation * deviation / 4.0 <= -log(second):
                return mu + deviation * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        # Each pair of draws gives two values; the second waits for the next call.
        deviation = self.gauss_next
        self.gauss_next = None
        if deviation is None:
            angle = self.random() * _FULL_TURN
            radius = sqrt(-2.0 * log(1.0 - self.random()))
            deviation = cos(angle) * radius
            self.gauss_next = sin(angle) * radius
        return mu + deviation * sigma

    def lognormvariate(self, mu, sigma):
        return exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd):
        return -log(1.0 - self.random()) / lambd

    def vonmisesvariate(self, mu, kappa):
        draw = self.random
        if kappa <= 1e-6:
            return _FULL_TURN * draw()
        half = 0.5 / kappa
        reach = half + sqrt(1.0 + half * half)
        while True:
            height = cos(pi * draw())
            share = height / (reach + height)
            test = draw()
            if test < 1.0 - share * share or test <= (1.0 - share) * exp(share):
                break
        inverse = 1.0 / reach
        cosine = (inverse + height) / (1.0 + inverse * height)
        if draw() > 0.5:
            return (mu + acos(cosine)) % _FULL_TURN
        return (mu - acos(cosine)) % _FULL_TURN

    def gammavariate(self, alpha, beta):
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        if alpha > 1.0:
            return self._gamma_above_one(alpha) * beta
        draw = self.random
        if alpha == 1.0:
            return -log(1.0 - draw()) * beta
        while True:
            width = (e + alpha) / e
            drawn = width * draw()
            if drawn <= 1.0:
                value = drawn ** (1.0 / alpha)
            else:
                value = -log((width - drawn) / alpha)
            test = draw()
            if drawn > 1.0:
                if test <= value ** (alpha - 1.0):
                    return value * beta
            elif test <= exp(-value):
                return value * beta

    def _gamma_above_one(self, alpha):
        draw = self.random
        slope = sqrt(2.0 * alpha - 1.0)
        offset = alpha - _LOGARITHM_OF_FOUR
        factor = alpha + slope
        while True:
            first = draw()
            if not 1e-7 < first < 0.9999999:
                continue
            second = 1.0 - draw()
            height = log(first / (1.0 - first)) / slope
            value = alpha * exp(height)
            product = first * first * second
            test = offset + factor * height - value
            if test + _GAMMA_CONSTANT - 4.5 * product >= 0.0 or test >= log(product):
                return value

    def betavariate(self, alpha, beta):
        first = self.gammavariate(alpha, 1.0)
        if first:
            return first / (first + self.gammavariate(beta, 1.0))
        return 0.0

    def paretovariate(self, alpha):
        return (1.0 - self.random()) ** (-1.0 / alpha)

    def weibullvariate(self, alpha, beta):
        return alpha * (-log(1.0 - self.random())) ** (1.0 / beta)


class SystemRandom(Random):
    """An ordinary generator: results here never depend on the machine."""


def _running_sums(values):
    sums = []
    total = None
    for value in values:
        total = value if total is None else total + value
        sums.append(total)
    return sums


def _place_above(sums, value, high):
    """How many of the first `high` sums are at most value (they ascend)."""
    low = 0
    while low < high:
        middle = (low + high) // 2
        if value < sums[middle]:
            high = middle
        else:
            low = middle + 1
    return low


_instance = Random()
_inst = _instance
seed = _instance.seed
random = _instance.random
uniform = _instance.uniform
triangular = _instance.triangular
randint = _instance.randint
choice = _instance.choice
randrange = _instance.randrange
sample = _instance.sample
shuffle = _instance.shuffle
choices = _instance.choices
normalvariate = _instance.normalvariate
lognormvariate = _instance.lognormvariate
expovariate = _instance.expovariate
vonmisesvariate = _instance.vonmisesvariate
gammavariate = _instance.gammavariate
gauss = _instance.gauss
betavariate = _instance.betavariate
paretovariate = _instance.paretovariate
weibullvariate = _instance.weibullvariate
getstate = _instance.getstate
setstate = _instance.setstate
getrandbits = _instance.getrandbits
randbytes = _instance.randbytes
