"""How terms, models and solvers of our `z3` module print: z3py's infix form, broken at 60 columns.

A document is a string, a list of documents, ("nl", what it is when flat), ("indent", columns, document) or
("group", document): a group is flat if that fits in what is left of the line, else each of its line breaks is one.
"""
from z3_terms import AstVector, AlgebraicNumRef, ExprRef, FuncDeclRef, IntNumRef, RatNumRef, SortRef

WIDTH, MAX_INDENT, MAX_DEPTH, MAX_ARGS, MAX_LINES = 60, 40, 20, 128, 200

NAMES = {"true": "True", "false": "False", "and": "And", "or": "Or", "not": "Not", "=>": "Implies", "xor": "Xor",
         "ite": "If", "=": "==", "distinct": "Distinct", "neg": "-", "div": "/", "mod": "%", "^": "**",
         "to_real": "ToReal", "to_int": "ToInt", "is_int": "IsInt", "at-most": "AtMost", "at-least": "AtLeast",
         "pble": "PbLe", "pbge": "PbGe", "pbeq": "PbEq"}
PRECEDENCE = {"^": 0, "neg": 1, "*": 2, "/": 2, "div": 2, "mod": 2, "+": 3, "-": 3, "<=": 8, "<": 8, ">=": 8, ">": 8,
              "=": 8}
COMPACT = ("*", "^", "/", "div", "mod")


def text(thing):
    out = []
    try:
        render(document(thing), 0, False, out, [0, 0])
    except OverflowError:
        pass
    return "".join(out)


def render(doc, indent, flat, out, place):
    """Appends to `out`; `place` is the column and the number of lines so far."""
    if isinstance(doc, str):
        out.append(doc)
        place[0] += len(doc)
    elif isinstance(doc, list):
        for part in doc:
            render(part, indent, flat, out, place)
    elif doc[0] == "nl":
        if flat:
            out.append(doc[1])
            place[0] += len(doc[1])
            return
        place[0] = indent
        place[1] += 1
        if place[1] >= MAX_LINES:
            out.append("\n...")
            raise OverflowError
        out.append("\n" + " " * indent)
    elif doc[0] == "indent":
        render(doc[2], min(indent + doc[1], MAX_INDENT), flat, out, place)
    else:
        left = WIDTH - place[0]
        render(doc[1], indent, flat or (left > 0 and width(doc[1]) <= left), out, place)


def width(doc):
    if isinstance(doc, str):
        return len(doc)
    if isinstance(doc, list):
        return sum([width(part) for part in doc])
    return width(doc[-1])


def sequence(docs, separator=",", space=" "):
    parts = [docs[0]] if docs else []
    for doc in docs[1:]:
        parts += [separator, ("nl", space), doc]
    return parts


def call(header, docs):
    return ("group", [header, "(", ("indent", 1 + len(header), sequence(docs)), ")"])


def brackets(docs, left="(", right=")"):
    return ("group", ("indent", 1, [left, sequence(docs), right])) if docs else left + right


def parenthesised(doc):
    return ["(", ("indent", 1, doc), ")"]


def document(thing):
    if isinstance(thing, ExprRef):
        return expression(thing, 0)
    if isinstance(thing, SortRef):
        return thing.name()
    if isinstance(thing, FuncDeclRef):
        return thing.name()
    if isinstance(thing, AstVector):
        return brackets(limited(list(thing), 1), "[", "]")
    return thing.document()


def limited(terms, depth):
    docs = [expression(t, depth) for t in terms[:MAX_ARGS + 1]]
    return docs + ["..."] if len(terms) > MAX_ARGS else docs


def expression(term, depth):
    if depth > MAX_DEPTH:
        return "..."
    op = term._op
    if isinstance(term, (IntNumRef, RatNumRef)):
        return term.as_string()
    if isinstance(term, AlgebraicNumRef):
        return term.as_decimal(10)
    if op == "app" and not term._args:
        return term._data.name()
    if op in ("forall", "exists"):
        names = [v.decl().name() for v in term._data]
        bound = names[0] if len(names) == 1 else brackets(names, "[", "]")
        return call("ForAll" if op == "forall" else "Exists", [bound, expression(term._args[0], depth + 1)])
    if not term._args:
        return NAMES.get(op, op)
    if op == "^":
        return ("group", sequence([power_argument(a, depth + 2) for a in term._args], "**", ""))
    if op == "distinct" and len(term._args) == 2:
        return ("group", sequence(infix_arguments(term, depth), " !="))
    if op == "neg":
        return unary(term, depth)
    if op in PRECEDENCE:
        name = NAMES.get(op, op)
        if op in COMPACT:
            return ("group", sequence(infix_arguments(term, depth), name, ""))
        return ("group", sequence(infix_arguments(term, depth), " " + name))
    return prefix(term, depth)


def prefix(term, depth):
    op, docs = term._op, limited(term._args, depth + 1)
    if op == "app":
        return call(term._data.name(), docs)
    if op in ("at-most", "at-least"):
        docs = [brackets(docs), str(term._data[0])]
    elif op in ("pble", "pbge", "pbeq"):
        docs = [brackets([brackets([d, str(c)]) for d, c in zip(docs, term._data[1:])]), str(term._data[0])]
    return call(NAMES.get(op, op), docs)


def unary(term, depth):
    child = term._args[0]
    doc = expression(child, depth + 1)
    tighter = child._op != term._op and child._op in PRECEDENCE
    if (tighter and PRECEDENCE[term._op] <= PRECEDENCE[child._op]) or child._op in ("forall", "exists"):
        doc = parenthesised(doc)
    name = NAMES[term._op]
    return [name, ("indent", len(name), doc)]


def power_argument(term, depth):
    doc = expression(term, depth)
    if term._op in PRECEDENCE or (isinstance(term, RatNumRef) and term._data.denominator != 1):
        return parenthesised(doc)
    return doc


def infix_arguments(term, depth):
    docs = []
    collect(term, depth, docs)
    return docs


def collect(term, depth, docs):
    op = term._op
    mine = PRECEDENCE.get(op, 100000)
    first = True
    for child in term._args:
        if len(docs) > MAX_ARGS:
            docs.append("...")
            return
        k = child._op
        left = k == op and (op in ("+", "*") or (first and op == "-"))
        if left:
            collect(child, depth, docs)
        elif k in PRECEDENCE:
            doc = expression(child, depth + 1)
            adds = (op == "+" and k == "-") or (first and op == "-" and k == "+")
            docs.append(doc if mine > PRECEDENCE[k] or adds else parenthesised(doc))
        elif k in ("forall", "exists"):
            docs.append(parenthesised(expression(child, depth + 1)))
        else:
            docs.append(expression(child, depth + 1))
        first = False
