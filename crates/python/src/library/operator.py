"""The operators of the language as functions, and the getters used as sort keys."""

abs = abs


def lt(a, b, /):
    return a < b


def le(a, b, /):
    return a <= b


def eq(a, b, /):
    return a == b


def ne(a, b, /):
    return a != b


def ge(a, b, /):
    return a >= b


def gt(a, b, /):
    return a > b


def not_(a, /):
    return not a


def truth(a, /):
    return True if a else False


def is_(a, b, /):
    return a is b


def is_not(a, b, /):
    return a is not b


def add(a, b, /):
    return a + b


def and_(a, b, /):
    return a & b


def floordiv(a, b, /):
    return a // b


def index(a, /):
    if not hasattr(a, "__index__"):
        raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")
    return a.__index__()


def inv(a, /):
    return ~a


invert = inv


def lshift(a, b, /):
    return a << b


def mod(a, b, /):
    return a % b


def mul(a, b, /):
    return a * b


def matmul(a, b, /):
    return a @ b


def neg(a, /):
    return -a


def or_(a, b, /):
    return a | b


def pos(a, /):
    return +a


def pow(a, b, /):
    return a**b


def rshift(a, b, /):
    return a >> b


def sub(a, b, /):
    return a - b


def truediv(a, b, /):
    return a / b


def xor(a, b, /):
    return a ^ b


def concat(a, b, /):
    if not hasattr(a, "__getitem__"):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
    return a + b


def contains(a, b, /):
    return b in a


def countOf(a, b, /):
    return sum(1 for item in a if item is b or item == b)


def delitem(a, b, /):
    del a[b]


def getitem(a, b, /):
    return a[b]


def indexOf(a, b, /):
    for position, item in enumerate(a):
        if item is b or item == b:
            return position
    raise ValueError("sequence.index(x): x not in sequence")


def setitem(a, b, c, /):
    a[b] = c


def length_hint(obj, default=0, /):
    if not isinstance(default, int):
        raise TypeError(
            f"'{type(default).__name__}' object cannot be interpreted as an integer"
        )
    if hasattr(obj, "__len__"):
        return len(obj)
    if hasattr(obj, "__length_hint__"):
        return obj.__length_hint__()
    return default


def call(obj, /, *args, **kwargs):
    return obj(*args, **kwargs)


def iadd(a, b, /):
    a += b
    return a


def iand(a, b, /):
    a &= b
    return a


def iconcat(a, b, /):
    if not hasattr(a, "__getitem__"):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
    a += b
    return a


def ifloordiv(a, b, /):
    a //= b
    return a


def ilshift(a, b, /):
    a <<= b
    return a


def imod(a, b, /):
    a %= b
    return a


def imul(a, b, /):
    a *= b
    return a


def imatmul(a, b, /):
    a @= b
    return a


def ior(a, b, /):
    a |= b
    return a


def ipow(a, b, /):
    a **= b
    return a


def irshift(a, b, /):
    a >>= b
    return a


def isub(a, b, /):
    a -= b
    return a


def itruediv(a, b, /):
    a /= b
    return a


def ixor(a, b, /):
    a ^= b
    return a


class itemgetter:
    def __init__(self, /, *items):
        if not items:
            raise TypeError("itemgetter expected 1 argument, got 0")
        self._items = items
        self._item = items[0]
        self._single = len(items) == 1

    def __call__(self, /, *args):
        if len(args) != 1:
            raise TypeError(f"itemgetter expected 1 argument, got {len(args)}")
        if self._single:
            return args[0][self._item]
        obj = args[0]
        return tuple([obj[item] for item in self._items])

    def __repr__(self):
        return f"operator.{type(self).__name__}({', '.join(map(repr, self._items))})"


def _follow(obj, path):
    for name in path:
        obj = getattr(obj, name)
    return obj


class attrgetter:
    def __init__(self, /, *names):
        if not names:
            raise TypeError("attrgetter expected 1 argument, got 0")
        for name in names:
            if not isinstance(name, str):
                raise TypeError("attribute name must be a string")
        self._names = names
        self._paths = [name.split(".") for name in names]

    def __call__(self, /, *args):
        if len(args) != 1:
            raise TypeError(f"attrgetter expected 1 argument, got {len(args)}")
        if len(self._paths) == 1:
            return _follow(args[0], self._paths[0])
        return tuple([_follow(args[0], path) for path in self._paths])

    def __repr__(self):
        return f"operator.{type(self).__name__}({', '.join(map(repr, self._names))})"


class methodcaller:
    def __init__(self, /, *args, **kwargs):
        if not args:
            raise TypeError("methodcaller needs at least one argument, the method name")
        if not isinstance(args[0], str):
            raise TypeError("method name must be a string")
        self._name = args[0]
        self._args = args[1:]
        self._kwargs = kwargs

    def __call__(self, /, *args):
        if len(args) != 1:
            raise TypeError(f"methodcaller expected 1 argument, got {len(args)}")
        return getattr(args[0], self._name)(*self._args, **self._kwargs)

    def __repr__(self):
        shown = [repr(self._name)]
        shown += [repr(value) for value in self._args]
        shown += [f"{name}={value!r}" for name, value in self._kwargs.items()]
        return f"operator.{type(self).__name__}({', '.join(shown)})"


__lt__, __le__, __eq__, __ne__, __ge__, __gt__ = lt, le, eq, ne, ge, gt
__not__, __abs__, __add__, __and__, __floordiv__ = not_, abs, add, and_, floordiv
__index__, __inv__, __invert__, __lshift__, __mod__ = index, inv, invert, lshift, mod
__mul__, __matmul__, __neg__, __or__, __pos__, __pow__ = mul, matmul, neg, or_, pos, pow
__rshift__, __sub__, __truediv__, __xor__, __concat__ = rshift, sub, truediv, xor, concat
__contains__, __delitem__, __getitem__, __setitem__ = contains, delitem, getitem, setitem
__call__, __iadd__, __iand__, __iconcat__, __ifloordiv__ = call, iadd, iand, iconcat, ifloordiv
__ilshift__, __imod__, __imul__, __imatmul__, __ior__ = ilshift, imod, imul, imatmul, ior
__ipow__, __irshift__, __isub__, __itruediv__, __ixor__ = ipow, irshift, isub, itruediv, ixor
