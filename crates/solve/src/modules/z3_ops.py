"""The functions of our `z3` module that build terms beyond the operators: constants, sums, counts, quantifiers."""
from z3_terms import *
from z3_terms import args_of, check, coerce, coerce_all, names_of, node


def Int(name, ctx=None):
    return Const(name, IntSort())


def Ints(names, ctx=None):
    return [Int(name) for name in names_of(names)]


def IntVector(prefix, size, ctx=None):
    return [Int("%s__%s" % (prefix, i)) for i in range(size)]


def Real(name, ctx=None):
    return Const(name, RealSort())


def Reals(names, ctx=None):
    return [Real(name) for name in names_of(names)]


def RealVector(prefix, size, ctx=None):
    return [Real("%s__%s" % (prefix, i)) for i in range(size)]


def Bool(name, ctx=None):
    return Const(name, BoolSort())


def Bools(names, ctx=None):
    return [Bool(name) for name in names_of(names)]


def BoolVector(prefix, size, ctx=None):
    return [Bool("%s__%s" % (prefix, i)) for i in range(size)]


def Consts(names, sort):
    return [Const(name, sort) for name in names_of(names)]


def SimpleSum(op, args, empty):
    args = args_of(args)
    if len(args) == 0:
        return empty
    if not any(isinstance(a, ExprRef) for a in args):
        total = empty
        for a in args:
            total = total + a if op == "+" else total * a
        return total
    args = coerce_all(args)
    if isinstance(args[0], BoolRef):
        args = [IntSort().cast(a) for a in args]
    check(all(isinstance(a, ArithRef) for a in args), "Z3 Integer/Real expression expected")
    return args[0] if len(args) == 1 else node(op, args, args[0].sort())


def Sum(*args):
    return SimpleSum("+", args, 0)


def Product(*args):
    return SimpleSum("*", args, 1)


def Distinct(*args):
    args = args_of(args)
    check(any(isinstance(a, ExprRef) for a in args), "At least one of the arguments must be a Z3 expression")
    args = coerce_all(args)
    return node("distinct", args, BoolSort())


def counted(op, args):
    args = args_of(args)
    check(len(args) > 1, "Non empty list of arguments expected")
    values = [BoolSort().cast(a) for a in coerce_all(args[:-1])]
    check(isinstance(args[-1], int), "an integer is expected last")
    return node(op, values, BoolSort(), (args[-1],))


def AtMost(*args):
    return counted("at-most", args)


def AtLeast(*args):
    return counted("at-least", args)


def weighted(op, args, k):
    check(isinstance(k, int), "k is expected to be an int")
    pairs = [(b, a) if isinstance(b, ExprRef) and not isinstance(a, ExprRef) else (a, b) for a, b in args]
    values = [BoolSort().cast(a) for a, _ in pairs]
    check(all(isinstance(c, int) for _, c in pairs), "coefficient is expected to be an int")
    return node(op, values, BoolSort(), (k,) + tuple([c for _, c in pairs]))


def PbLe(args, k):
    return weighted("pble", args, k)


def PbGe(args, k):
    return weighted("pbge", args, k)


def PbEq(args, k, ctx=None):
    return weighted("pbeq", args, k)


def quantifier(op, vs, body):
    vs = [vs] if isinstance(vs, ExprRef) else list(vs)
    check(len(vs) > 0 and all(is_const(v) for v in vs), "Invalid bounded variable(s)")
    body = body if isinstance(body, ExprRef) else BoolVal(body)
    check(isinstance(body, BoolRef), "Z3 expression expected")
    return node(op, (body,), BoolSort(), tuple(vs))


def ForAll(vs, body, weight=1, qid="", skid="", patterns=[], no_patterns=[]):
    return quantifier("forall", vs, body)


def Exists(vs, body, weight=1, qid="", skid="", patterns=[], no_patterns=[]):
    return quantifier("exists", vs, body)


def Sqrt(a, ctx=None):
    return (a if isinstance(a, ExprRef) else RealVal(a)) ** "1/2"


def ToInt(a):
    check(a.is_real(), "Z3 real expression expected.")
    return node("to_int", (a,), IntSort())


def IsInt(a):
    check(a.is_real(), "Z3 real expression expected.")
    return node("is_int", (a,), BoolSort())


def is_app(a):
    return isinstance(a, ExprRef) and not isinstance(a, QuantifierRef)


def is_const(a):
    return is_app(a) and a.num_args() == 0


def is_bool(a):
    return isinstance(a, BoolRef)


def is_int(a):
    return isinstance(a, ArithRef) and a.is_int()


def is_real(a):
    return isinstance(a, ArithRef) and a.is_real()


def is_int_value(a):
    return isinstance(a, IntNumRef)


def is_rational_value(a):
    return isinstance(a, RatNumRef)


def is_algebraic_value(a):
    return isinstance(a, AlgebraicNumRef)


def _is(*ops):
    return lambda a: isinstance(a, ExprRef) and a._op in ops


is_and, is_or, is_not, is_implies = _is("and"), _is("or"), _is("not"), _is("=>")
is_eq, is_distinct = _is("="), _is("distinct")
is_add, is_mul, is_sub, is_div, is_idiv, is_mod = _is("+"), _is("*"), _is("-"), _is("/"), _is("div"), _is("mod")
is_le, is_lt, is_ge, is_gt = _is("<="), _is("<"), _is(">="), _is(">")


def eq(a, b):
    return a is b


