"""Values of terms: `simplify`, and terms under a model.

Everything is folded bottom-up: a term whose parts are values becomes a value, any other keeps its shape with neutral
elements dropped. Numbers are exact (int, Ratio); division by zero stays as it is.
"""
from z3_ratio import ratio
from z3_terms import *
from z3_terms import check, node


def substituted(term, values):
    """`term` with the keys of `values` replaced, then folded."""
    return folded(term, lambda t: values.get(t), {})


def simplify(a, *arguments, **keywords):
    check(is_expr(a), "Z3 expression expected")
    return folded(a, lambda t: None, {})


def folded(root, value_of, done):
    """`root` folded; `value_of` gives what stands for a term (called after its arguments are folded) or None."""
    stack = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if term in done:
            continue
        if not ready and not (term._op == "app" and not term._args):
            stack.append((term, True))
            stack += [(arg, False) for arg in term._args]
            continue
        args = [done[arg] for arg in term._args]
        same = term if list(term._args) == [] or all(a is b for a, b in zip(args, term._args)) \
            else node(term._op, args, term._sort, term._data)
        found = value_of(same)
        done[term] = fold(same) if found is None else found
    return done[root]


def value(term):
    """The Python value of a literal, else None."""
    if term._op in ("true", "false"):
        return term._op == "true"
    return term._data if term._op == "num" else None


def literal(value, sort):
    kind = sort.kind()
    if kind == "bool":
        return BoolVal(value)
    return node("num", (), sort, int(value) if kind == "int" else ratio(value))


def distinct_values(a, b):
    """Are these two different values for certain?"""
    if value(a) is not None and value(b) is not None:
        return value(a) != value(b)
    enum = lambda t: t._op == "app" and t._data._kind == "enum"
    return a is not b and enum(a) and enum(b)


def fold(term):
    op, args = term._op, term._args
    if op in ("num", "true", "false", "app", "root"):
        return term
    handler = HANDLERS.get(op)
    if handler is not None:
        return handler(term, args)
    return term


def fold_and(term, args):
    unit, zero = ("true", "false") if term._op == "and" else ("false", "true")
    rest = []
    for a in args:
        if a._op == zero:
            return a
        if a._op != unit and not any(a is r for r in rest):
            rest.append(a)
    if not rest:
        return BoolVal(unit == "true")
    return rest[0] if len(rest) == 1 else node(term._op, rest, term._sort)


def fold_not(term, args):
    if value(args[0]) is not None:
        return BoolVal(not value(args[0]))
    return args[0]._args[0] if args[0]._op == "not" else term


def fold_implies(term, args):
    return fold(node("or", (fold(node("not", (args[0],), term._sort)), args[1]), term._sort)) \
        if value(args[0]) is not None or value(args[1]) is not None else term


def fold_xor(term, args):
    a, b = value(args[0]), value(args[1])
    return BoolVal(a != b) if a is not None and b is not None else term


def fold_ite(term, args):
    known = value(args[0])
    if known is not None:
        return args[1] if known else args[2]
    return args[1] if args[1] is args[2] else term


def fold_equal(term, args):
    a, b = args
    if a is b:
        return BoolVal(True)
    if distinct_values(a, b):
        return BoolVal(False)
    if a._sort.kind() == "bool":
        for known, other in ((value(a), b), (value(b), a)):
            if known is not None:
                return other if known else fold(node("not", (other,), term._sort))
    return term


def fold_distinct(term, args):
    pairs = [(a, b) for i, a in enumerate(args) for b in args[:i]]
    if any(a is b for a, b in pairs):
        return BoolVal(False)
    if all(distinct_values(a, b) for a, b in pairs):
        return BoolVal(True)
    return fold(node("not", (node("=", args, term._sort),), term._sort)) if len(args) == 2 else term


def linear(term, factor, into):
    """Adds `factor` times a sum to `into`: {term: coefficient}, the constant under None."""
    op, args = term._op, term._args
    if op == "num":
        into[None] = into.get(None, 0) + factor * term._data
    elif op == "+":
        for a in args:
            linear(a, factor, into)
    elif op == "-":
        linear(args[0], factor, into)
        for a in args[1:]:
            linear(a, -factor, into)
    elif op == "neg":
        linear(args[0], -factor, into)
    elif op == "*" and sum(value(a) is None for a in args) == 1:
        inner = None
        for a in args:
            if value(a) is None:
                inner = a
            else:
                factor *= value(a)
        linear(inner, factor, into)
    else:
        into[term] = into.get(term, 0) + factor


def fold_sum(term, args):
    sort, parts = term._sort, {}
    linear(term, 1, parts)
    constant = parts.pop(None, 0)
    terms = []
    for t, c in parts.items():
        if c == 1:
            terms.append(t)
        elif c != 0:
            terms.append(node("*", (literal(c, sort), t), sort))
    if constant != 0 or not terms:
        terms.insert(0, literal(constant, sort))
    return terms[0] if len(terms) == 1 else node("+", terms, sort)


def fold_product(term, args):
    constant, rest = 1, []
    for a in args:
        if value(a) is not None:
            constant *= value(a)
        else:
            rest.append(a)
    if constant == 0 or not rest:
        return literal(constant, term._sort)
    if constant != 1:
        rest.insert(0, literal(constant, term._sort))
    if len(rest) == 2 and constant != 1 and rest[1]._op in ("+", "-", "neg", "*"):
        return fold_sum(node("*", rest, term._sort), rest)
    return rest[0] if len(rest) == 1 else node("*", rest, term._sort)


def fold_division(term, args):
    a, b = value(args[0]), value(args[1])
    if a is None or not b:
        if b and term._op == "/":
            return fold(node("*", (literal(1 / b, term._sort), args[0]), term._sort))
        return args[0] if b == 1 and term._op == "div" else term
    if term._op == "/":
        return literal(ratio(a) / b, term._sort)
    remainder = a % abs(b)
    return literal(remainder if term._op == "mod" else (a - remainder) // b, term._sort)


def fold_power(term, args):
    a, b = value(args[0]), value(args[1])
    if a is None or b is None or (a == 0 and b <= 0):
        return term
    if b == int(b) and abs(b) <= 4096 and (b >= 0 or term._sort.is_real()):
        return literal(ratio(a) ** int(b), term._sort)
    return term


def fold_compare(term, args):
    a, b = value(args[0]), value(args[1])
    if args[0] is args[1]:
        return BoolVal(term._op in ("<=", ">="))
    if a is None or b is None:
        return term
    return BoolVal({"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b}[term._op])


def fold_conversion(term, args):
    a = value(args[0])
    if a is None:
        return term
    if term._op == "is_int":
        return BoolVal(a == int(a))
    return literal(a // 1, term._sort) if term._op == "to_int" else literal(a, term._sort)


def fold_count(term, args):
    if any(value(a) is None for a in args):
        return term
    k = term._data[0]
    weights = term._data[1:] or [1] * len(args)
    total = sum(w for a, w in zip(args, weights) if value(a))
    return BoolVal({"at-most": total <= k, "at-least": total >= k, "pble": total <= k, "pbge": total >= k,
                    "pbeq": total == k}[term._op])


def fold_quantifier(term, args):
    return args[0] if value(args[0]) is not None else term


HANDLERS = {"and": fold_and, "or": fold_and, "not": fold_not, "=>": fold_implies, "xor": fold_xor, "ite": fold_ite,
            "=": fold_equal, "distinct": fold_distinct, "+": fold_sum, "-": fold_sum, "neg": fold_sum,
            "*": fold_product, "/": fold_division, "div": fold_division, "mod": fold_division, "^": fold_power,
            "<=": fold_compare, "<": fold_compare, ">=": fold_compare, ">": fold_compare,
            "to_real": fold_conversion, "to_int": fold_conversion, "is_int": fold_conversion,
            "at-most": fold_count, "at-least": fold_count, "pble": fold_count, "pbge": fold_count, "pbeq": fold_count,
            "forall": fold_quantifier, "exists": fold_quantifier}


