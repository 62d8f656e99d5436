"""The numeric tower: abstract classes that sort numbers by what they can do.

`isinstance(3, numbers.Integral)` and its relatives are answered from lists of registered
classes, kept per tower class; a registration reaches every class above. The mixin methods
are the few that concrete numbers inherit. Left out on purpose: the refusal to instantiate
an abstract class.
"""


class _Tower(type):
    """Answers isinstance and issubclass from the registered classes."""

    def register(cls, subclass):
        for ancestor in cls.__mro__:
            registered = ancestor.__dict__.get("_registered")
            if registered is not None:
                registered.append(subclass)
        return subclass

    def __subclasscheck__(cls, subclass):
        registered = cls.__dict__.get("_registered", ())
        for ancestor in subclass.__mro__:
            if ancestor is cls or ancestor in registered:
                return True
        return False

    def __instancecheck__(cls, instance):
        return cls.__subclasscheck__(type(instance))


class Number(metaclass=_Tower):
    """Every kind of number."""

    __slots__ = ()
    __hash__ = None
    _registered = []


class Complex(Number):
    """Numbers with a real and an imaginary part."""

    __slots__ = ()
    _registered = []

    def __bool__(self):
        return self != 0

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other


class Real(Complex):
    """Numbers on a line: ordered, with rounding and remainders."""

    __slots__ = ()
    _registered = []

    def __divmod__(self, other):
        return (self // other, self % other)

    def __rdivmod__(self, other):
        return (other // self, other % self)

    def __complex__(self):
        return complex(float(self))

    @property
    def real(self):
        return +self

    @property
    def imag(self):
        return 0

    def conjugate(self):
        return +self


class Rational(Real):
    """Numbers that are one integer over another."""

    __slots__ = ()
    _registered = []

    def __float__(self):
        return int(self.numerator) / int(self.denominator)


class Integral(Rational):
    """Whole numbers."""

    __slots__ = ()
    _registered = []

    def __index__(self):
        return int(self)

    def __float__(self):
        return float(int(self))

    @property
    def numerator(self):
        return +self

    @property
    def denominator(self):
        return 1


Complex.register(complex)
Real.register(float)
Integral.register(int)
