"""Sorts, declarations and terms of our `z3` module, and how Python values become terms.

Terms are interned: two equal terms are one object, so `eq` is identity and a hash is cheap. A term is an operator
(SMT-LIB's word for it), its arguments, its sort and, where the operator needs more, `data`: a number, a declaration,
the bound constants of a quantifier, the indices of an indexed operator.
"""
import z3_ratio

_nodes = {}
_count = [0]
LIMIT = 200_000


class Z3Exception(Exception):
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return str(self.value)


def check(condition, message):
    if not condition:
        raise Z3Exception(message)


def printed(thing):
    from z3_print import text
    return text(thing)


class Z3PPObject:
    def __repr__(self):
        return printed(self)


class AstRef(Z3PPObject):
    def eq(self, other):
        return self is other

    def __hash__(self):
        return id(self) >> 4

    def __deepcopy__(self, memo={}):
        return self

    def __copy__(self):
        return self


class SortRef(AstRef):
    """A sort: kind is bool, int, real, enum or free; equal sorts are one object."""

    def __init__(self, kind, name, data=None):
        self._kind = kind
        self._name = name
        self._data = data
        self._values = []

    def kind(self):
        return self._kind

    def name(self):
        return self._name

    def subsort(self, other):
        return False

    def cast(self, value):
        check(is_expr(value), "Z3 expression expected")
        check(self is value.sort(), "Sort mismatch")
        return value

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    __hash__ = AstRef.__hash__


class BoolSortRef(SortRef):
    def cast(self, value):
        if isinstance(value, bool):
            return BoolVal(value)
        if not is_expr(value):
            message = "True, False or Z3 Boolean expression expected. Received %s of type %s"
            raise Z3Exception(message % (value, type(value)))
        check(value.sort() is self, "Value cannot be converted into a Z3 Boolean value")
        return value

    def subsort(self, other):
        return isinstance(other, ArithSortRef)

    def is_int(self):
        return True

    def is_bool(self):
        return True


class ArithSortRef(SortRef):
    def is_int(self):
        return self._kind == "int"

    def is_real(self):
        return self._kind == "real"

    def is_bool(self):
        return False

    def subsort(self, other):
        return self.is_int() and isinstance(other, ArithSortRef) and other.is_real()

    def cast(self, value):
        if not is_expr(value):
            return IntVal(value) if self.is_int() else RealVal(value)
        sort = value.sort()
        if sort is self:
            return value
        if sort.is_int() and self.is_real():
            return ToReal(value)
        if sort.is_bool():
            return If(value, 1, 0)
        raise Z3Exception("Z3 Integer/Real expression expected")


class DatatypeSortRef(SortRef):
    def __getattr__(self, name):
        for value in self.__dict__.get("_values", ()):
            if value.decl().name() == name:
                return value
        raise AttributeError("'DatatypeSortRef' object has no attribute '%s'" % name)


_sorts = {}


def sort_of(cls, kind, name, data=None):
    key = (kind, name, data)
    if key not in _sorts:
        _sorts[key] = cls(kind, name, data)
    return _sorts[key]


def BoolSort(ctx=None):
    return sort_of(BoolSortRef, "bool", "Bool")


def IntSort(ctx=None):
    return sort_of(ArithSortRef, "int", "Int")


def RealSort(ctx=None):
    return sort_of(ArithSortRef, "real", "Real")


def DeclareSort(name, ctx=None):
    return sort_of(SortRef, "free", str(name))


def EnumSort(name, values, ctx=None):
    check(isinstance(name, str), "Name must be a string")
    values = list(values)
    check(all(isinstance(v, str) for v in values), "Enumeration sort values must be strings")
    check(len(values) > 0, "At least one value expected")
    check(len(set(values)) == len(values), "repeated constructor name")
    sort = sort_of(DatatypeSortRef, "enum", name, tuple(values))
    if not sort._values:
        sort._values = [FuncDeclRef(v, (), sort, "enum")() for v in values]
    return sort, list(sort._values)


class FuncDeclRef(AstRef):
    """A declaration: a free function or constant, or a value of an enumeration."""

    def __init__(self, name, domain, range, kind="free"):
        self._name = name
        self._domain = tuple(domain)
        self._range = range
        self._kind = kind

    def name(self):
        return self._name

    def arity(self):
        return len(self._domain)

    def domain(self, index):
        check(index < len(self._domain), "index out of bounds")
        return self._domain[index]

    def range(self):
        return self._range

    def kind(self):
        return self._kind

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    __hash__ = AstRef.__hash__

    def __call__(self, *args):
        args = args_of(args)
        cast = [self.domain(i).cast(arg) for i, arg in enumerate(args)]
        check(len(cast) == self.arity(), "Incorrect number of arguments to '%s'" % self._name)
        for i, arg in enumerate(cast):
            check(arg.sort() is self._domain[i], "Sort mismatch")
        return node("app", cast, self._range, self)


_decls = {}


def declare(name, domain, range):
    """The one declaration of this name and signature."""
    name = name if isinstance(name, str) else ("k!%d" % name if is_int(name) else str(name))
    key = (name, tuple(domain), range)
    if key not in _decls:
        _decls[key] = FuncDeclRef(name, domain, range)
    return _decls[key]


def Function(name, *sig):
    sig = args_of(sig)
    check(len(sig) > 0, "At least two arguments expected")
    check(all(is_sort(s) for s in sig), "Z3 sort expected")
    return declare(name, sig[:-1], sig[-1])


class ExprRef(AstRef):
    def sort(self):
        return self._sort

    def decl(self):
        check(self._op not in ("forall", "exists"), "Z3 application expected")
        return self._data if self._op == "app" else Operator(self)

    def num_args(self):
        return len(self._args)

    def arg(self, index):
        check(index < len(self._args), "Invalid argument index")
        return self._args[index]

    def children(self):
        return list(self._args)

    def __eq__(self, other):
        if other is None:
            return False
        a, b = coerce(self, other)
        check(a.sort() is b.sort(), "sort mismatch")
        return node("=", (a, b), BoolSort())

    def __ne__(self, other):
        if other is None:
            return True
        a, b = coerce(self, other)
        check(a.sort() is b.sort(), "sort mismatch")
        return node("distinct", (a, b), BoolSort())

    __hash__ = AstRef.__hash__

    def __bool__(self):
        if self._op in ("true", "false"):
            return self._op == "true"
        if self._op == "=":
            return self._args[0] is self._args[1]
        raise Z3Exception("Symbolic expressions cannot be cast to concrete Boolean values.")


class Operator(AstRef):
    """The declaration of a built-in operator."""

    def __init__(self, term):
        self._term = term

    def name(self):
        return {"neg": "-", "=>": "=>", "ite": "if", "num": str(self._term)}.get(self._term._op, self._term._op)

    def __repr__(self):
        return self.name()


class BoolRef(ExprRef):
    def __add__(self, other):
        return If(self, 1, 0) + (If(other, 1, 0) if isinstance(other, BoolRef) else other)

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        if isinstance(other, int) and other == 1:
            return If(self, 1, 0)
        if isinstance(other, int) and other == 0:
            return IntVal(0)
        return If(self, If(other, 1, 0) if isinstance(other, BoolRef) else other, 0)

    def __rmul__(self, other):
        return self * other

    def __and__(self, other):
        return And(self, other)

    def __rand__(self, other):
        return And(other, self)

    def __or__(self, other):
        return Or(self, other)

    def __ror__(self, other):
        return Or(other, self)

    def __xor__(self, other):
        return Xor(self, other)

    def __invert__(self):
        return Not(self)


class QuantifierRef(BoolRef):
    """A term that binds the constants in its data."""


def arith(op, a, b):
    a, b = coerce(a, b)
    check(isinstance(a, ArithRef) and isinstance(b, ArithRef), "Z3 Integer/Real expression expected")
    return node(op, (a, b), a.sort())


def compare(op, a, b):
    a, b = coerce(a, b)
    check(isinstance(a, ArithRef) and isinstance(b, ArithRef), "Z3 Integer/Real expression expected")
    return node(op, (a, b), BoolSort())


class ArithRef(ExprRef):
    def is_int(self):
        return self._sort.is_int()

    def is_real(self):
        return self._sort.is_real()

    def __mul__(self, other):
        return If(other, self, 0) if isinstance(other, BoolRef) else arith("*", self, other)

    def __truediv__(self, other):
        return divided(self, other)

    def __rtruediv__(self, other):
        return divided(other, self)

    def __neg__(self):
        return node("neg", (self,), self._sort)

    def __pos__(self):
        return self

    def __abs__(self):
        return Abs(self)


def divided(a, b):
    a, b = coerce(a, b)
    return arith("div" if a.sort().is_int() else "/", a, b)


def remainder(op, a, b):
    a, b = coerce(a, b)
    check(a.sort().is_int(), "Z3 integer expression expected")
    return arith(op, a, b)


def _operators():
    for name, op, make in (("add", "+", arith), ("sub", "-", arith), ("pow", "^", arith), ("mod", "mod", remainder)):
        setattr(ArithRef, "__%s__" % name, lambda self, other, op=op, make=make: make(op, self, other))
        setattr(ArithRef, "__r%s__" % name, lambda self, other, op=op, make=make: make(op, other, self))
    ArithRef.__rmul__ = lambda self, other: arith("*", other, self)
    for name, op in (("le", "<="), ("lt", "<"), ("ge", ">="), ("gt", ">")):
        setattr(ArithRef, "__%s__" % name, lambda self, other, op=op: compare(op, self, other))


_operators()


class IntNumRef(ArithRef):
    def as_long(self):
        return self._data

    def as_string(self):
        return str(self._data)


class RatNumRef(ArithRef):
    def numerator(self):
        return IntVal(self._data.numerator)

    def denominator(self):
        return IntVal(self._data.denominator)

    def numerator_as_long(self):
        return self._data.numerator

    def denominator_as_long(self):
        return self._data.denominator

    def is_int(self):
        return False

    def is_real(self):
        return True

    def is_int_value(self):
        return self._data.denominator == 1

    def as_long(self):
        check(self._data.denominator == 1, "Expected integer fraction")
        return self._data.numerator

    def as_decimal(self, prec):
        return decimal(self._data, prec)

    def as_string(self):
        return str(self._data)

    def as_fraction(self):
        from fractions import Fraction
        return Fraction(self._data.numerator, self._data.denominator)


class AlgebraicNumRef(ArithRef):
    """An irrational root, known to as many digits as the solver printed."""

    def as_decimal(self, prec):
        whole, _, digits = self._data.rstrip("?").partition(".")
        return "%s.%s?" % (whole, digits[:prec])


def decimal(value, prec):
    """z3's decimal form: as many digits as asked for, `?` when more would follow."""
    sign, value = ("-", -value) if value < 0 else ("", value)
    whole, rest = divmod(value.numerator, value.denominator)
    if rest == 0:
        return "%s%d" % (sign, whole)
    digits = ""
    while rest and len(digits) < prec:
        digit, rest = divmod(rest * 10, value.denominator)
        digits += str(digit)
    return "%s%d.%s%s" % (sign, whole, digits, "?" if rest else "")


class DatatypeRef(ExprRef):
    pass


_classes = {"bool": BoolRef, "int": ArithRef, "real": ArithRef, "enum": DatatypeRef, "free": ExprRef}


def node(op, args, sort, data=None):
    """The one term of this operator, arguments and data."""
    key = (op, tuple([id(a) for a in args]), data, sort)
    found = _nodes.get(key)
    if found is not None:
        return found
    _count[0] += 1
    check(_count[0] < LIMIT, "too many terms")
    if op == "num":
        cls = IntNumRef if sort.is_int() else RatNumRef
    elif op == "root":
        cls = AlgebraicNumRef
    elif op in ("forall", "exists"):
        cls = QuantifierRef
    else:
        cls = _classes[sort._kind]
    term = cls.__new__(cls)
    term._op = op
    term._args = tuple(args)
    term._sort = sort
    term._data = data
    _nodes[key] = term
    return term


def args_of(args):
    if len(args) == 1:
        first = args[0]
        if isinstance(first, (tuple, list)):
            return first
        if isinstance(first, (set, frozenset, AstVector)) or hasattr(first, "__next__"):
            return list(first)
    return args


def is_int(value):
    return isinstance(value, int)


def is_expr(value):
    return isinstance(value, ExprRef)


def is_sort(value):
    return isinstance(value, SortRef)


def from_python(value):
    if is_expr(value):
        return value
    if isinstance(value, bool):
        return BoolVal(value)
    if isinstance(value, int):
        return IntVal(value)
    if isinstance(value, float) or hasattr(value, "denominator"):
        return RealVal(value)
    raise Z3Exception("Python bool, int, long or float expected")


def merge(sort, value):
    if not is_expr(value):
        return sort
    other = value.sort()
    if sort is None or sort is other or sort.subsort(other):
        return other
    check(other.subsort(sort), "sort mismatch")
    return sort


def coerce(a, b):
    if not is_expr(a) and not is_expr(b):
        a, b = from_python(a), from_python(b)
    if isinstance(a, float) and isinstance(b, ArithRef):
        a = RealVal(a)
    if isinstance(b, float) and isinstance(a, ArithRef):
        b = RealVal(b)
    if is_expr(a) and is_expr(b) and a.sort() is b.sort():
        return a, b
    if not is_expr(b):
        return a, a.sort().cast(b)
    if not is_expr(a):
        return b.sort().cast(a), b
    sort = merge(merge(None, a), b)
    return sort.cast(a), sort.cast(b)


def coerce_all(values):
    values = list(values)
    if not any(is_expr(v) for v in values):
        values = [from_python(v) for v in values]
    sort = None
    for value in values:
        sort = merge(sort, value)
    return [sort.cast(v) for v in values]


class AstVector(Z3PPObject):
    """A list of terms that prints like one."""

    def __init__(self, items=None, ctx=None):
        self._items = list(items or [])

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        return self._items[index]

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, item):
        return any(x is item for x in self._items)


def number(text, sort):
    try:
        if sort.is_int():
            return int(text)
        return z3_ratio.parse(text)
    except (ValueError, ZeroDivisionError):
        raise Z3Exception("parser error") from None


def IntVal(value, ctx=None):
    text = str(int(value)) if isinstance(value, (float, bool)) else str(value)
    return node("num", (), IntSort(), number(text, IntSort()))


def RealVal(value, ctx=None):
    return node("num", (), RealSort(), number(str(value), RealSort()))


def RatVal(a, b, ctx=None):
    from z3_eval import simplify
    return simplify(RealVal(a) / RealVal(b))


Q = RatVal


def BoolVal(value, ctx=None):
    return node("true" if value else "false", (), BoolSort())


def Const(name, sort):
    check(is_sort(sort), "Z3 sort expected")
    return node("app", (), sort, declare(name, (), sort))


def names_of(names):
    return names.split(" ") if isinstance(names, str) else names


def If(a, b, c, ctx=None):
    a = BoolSort().cast(a)
    b, c = coerce(b, c)
    check(b.sort() is c.sort(), "sort mismatch")
    return node("ite", (a, b, c), b.sort())


def connective(op, args):
    values = [arg for arg in coerce_all(args_of(args))] if args_of(args) else []
    for value in values:
        BoolSort().cast(value)
    return node(op, values, BoolSort())


def And(*args):
    return connective("and", args)


def Or(*args):
    return connective("or", args)


def Not(a, ctx=None):
    return node("not", (BoolSort().cast(a),), BoolSort())


def Implies(a, b, ctx=None):
    return node("=>", (BoolSort().cast(a), BoolSort().cast(b)), BoolSort())


def Xor(a, b, ctx=None):
    return node("xor", (BoolSort().cast(a), BoolSort().cast(b)), BoolSort())


def Abs(arg):
    return If(arg > 0, arg, -arg)


def ToReal(a):
    if isinstance(a, BoolRef):
        return If(a, RealVal(1), RealVal(0))
    check(a.is_int(), "Z3 integer expression expected.")
    return node("to_real", (a,), RealSort())


def is_true(a):
    return is_expr(a) and a._op == "true"


def is_false(a):
    return is_expr(a) and a._op == "false"
