"""`Solver`, `Optimize` and models of our `z3` module: the problem goes to the host as SMT-LIB 2, the answer comes back.

The host's reply is lines of fields between tabs. First `sat`, `unsat` or `unknown` and a reason; then, for `sat`,
`c name value`, `f name (argument… value)… else`, `u sort element…` and `o value` for each objective; for `unsat`
`k name` for each assumption of the core.
"""
import _reckon
from z3_terms import *
from z3_terms import args_of, check, declare, node, number, printed
from z3_smt import Writer
from z3_eval import folded, simplify


class CheckSatResult:
    def __init__(self, r):
        self.r = r

    def __eq__(self, other):
        return isinstance(other, CheckSatResult) and self.r == other.r

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self.r

    def __repr__(self):
        return {1: "sat", -1: "unsat"}.get(self.r, "unknown")


sat, unsat, unknown = CheckSatResult(1), CheckSatResult(-1), CheckSatResult(0)


class NoVerdict(BaseException):
    """Stops the program: what catches exceptions would take "not decided" for "no solution"."""


class FuncEntry:
    def __init__(self, args, value):
        self._args, self._value = args, value

    def num_args(self):
        return len(self._args)

    def arg_value(self, index):
        return self._args[index]

    def value(self):
        return self._value

    def as_list(self):
        return list(self._args) + [self._value]

    def __repr__(self):
        return repr(self.as_list())


class FuncInterp(Z3PPObject):
    """A function of a model: entries, and a value for all other arguments."""

    def __init__(self, entries, otherwise):
        self._entries, self._else = entries, otherwise

    def num_entries(self):
        return len(self._entries)

    def entry(self, index):
        return self._entries[index]

    def else_value(self):
        return self._else

    def as_list(self):
        return [e.as_list() for e in self._entries] + [self._else]

    def value(self, args):
        for entry in self._entries:
            if all(a is b for a, b in zip(entry._args, args)):
                return entry._value
        return self._else

    def document(self):
        from z3_print import brackets, expression, sequence
        docs = []
        for entry in self._entries:
            args = [expression(a, 0) for a in entry._args]
            left = args[0] if len(args) == 1 else brackets(args)
            docs.append(("group", sequence([left, expression(entry._value, 0)], " ->")))
        docs.append(("group", sequence(["else", expression(self._else, 0)], " ->")))
        return brackets(docs, "[", "]")


def value_term(text, sort, writer):
    """The term that a value of the host's reply stands for."""
    kind = sort.kind()
    if kind == "bool":
        return BoolVal(text == "true")
    if kind == "int":
        return IntVal(text)
    if kind == "real":
        return node("root", (), sort, text) if text.endswith("?") else RealVal(text)
    if kind == "enum":
        return writer.names[text]()
    return Const(text, sort)


class ModelRef(Z3PPObject):
    def __init__(self, lines, writer):
        self._values, self._universes = {}, {}
        for line in lines:
            kind, name, *fields = line.split("\t")
            if kind == "u":
                sort = writer.sorts[name]
                self._universes[sort] = [Const(f, sort) for f in fields]
            elif kind == "c" and name in writer.names:
                decl = writer.names[name]
                self._values[decl] = value_term(fields[0], decl.range(), writer)
            elif kind == "f" and name in writer.names:
                decl = writer.names[name]
                self._values[decl] = self._function(decl, fields, writer)

    def _function(self, decl, fields, writer):
        *rest, otherwise = fields
        width = decl.arity() + 1
        sorts = list(decl._domain) + [decl.range()]
        entries = []
        for start in range(0, len(rest), width):
            terms = [value_term(f, s, writer) for f, s in zip(rest[start:start + width], sorts)]
            entries.append(FuncEntry(terms[:-1], terms[-1]))
        return FuncInterp(entries, value_term(otherwise, decl.range(), writer))

    def __len__(self):
        return len(self._values)

    def decls(self):
        return list(self._values)

    def __iter__(self):
        return iter(self.decls())

    def __contains__(self, decl):
        return (decl.decl() if is_expr(decl) else decl) in self._values

    def get_interp(self, decl):
        return self._values.get(decl.decl() if is_expr(decl) else decl)

    def __getitem__(self, index):
        if isinstance(index, int):
            return self.decls()[index]
        if isinstance(index, FuncDeclRef):
            return self.get_interp(index)
        if isinstance(index, SortRef):
            return self.get_universe(index)
        if is_expr(index) and index._op not in ("forall", "exists") and index.num_args() == 0:
            return self.get_interp(index)
        raise Z3Exception("Integer, Z3 declaration, or Z3 constant expected. "
                          "Use model.eval instead for complicated expressions")

    def get_universe(self, sort):
        return self._universes.get(sort)

    def eval(self, t, model_completion=False):
        check(is_expr(t), "Z3 expression expected")

        def value_of(term):
            if term._op in ("forall", "exists"):
                return self._quantified(term, model_completion)
            if term._op != "app" or term._data._kind == "enum":
                return None
            found = self._values.get(term._data)
            if found is None:
                element = any(term is e for u in self._universes.values() for e in u)
                return default(term.sort(), self) if model_completion and not element else None
            return found.value(term._args) if isinstance(found, FuncInterp) else found
        return folded(t, value_of, {})

    def evaluate(self, t, model_completion=False):
        return self.eval(t, model_completion)

    def _quantified(self, term, completion):
        """A quantifier over finite sorts is the conjunction or disjunction of its cases."""
        from z3_eval import fold, substituted
        cases = [{}]
        for v in term._data:
            sort = v.sort()
            values = sort._values if sort.kind() == "enum" else [BoolVal(False), BoolVal(True)] \
                if sort.kind() == "bool" else self._universes.get(sort)
            if not values or len(cases) * len(values) > 5000:
                return term
            cases = [{**case, v: value} for case in cases for value in values]
        parts = [self.eval(substituted(term._args[0], case), completion) for case in cases]
        return fold(node("and" if term._op == "forall" else "or", parts, BoolSort()))

    def document(self):
        from z3_print import brackets, expression
        docs = []
        for decl, value in self._values.items():
            doc = value.document() if isinstance(value, FuncInterp) else expression(value, 0)
            docs.append([decl.name(), " = ", ("indent", len(decl.name()) + 3, doc)])
        return brackets(docs, "[", "]")


def default(sort, model):
    kind = sort.kind()
    if kind == "enum":
        return sort._values[0]
    if kind == "bool":
        return BoolVal(False)
    if kind == "free":
        return (model._universes.get(sort) or [Const(sort.name() + "!val!0", sort)])[0]
    return node("num", (), sort, 0 if kind != "real" else number("0", sort))


class Asserted(Z3PPObject):
    """What `Solver` and `Optimize` share: assertions on a stack, one question to the host, its answer."""

    def __init__(self, *args, **keywords):
        self._assertions, self._tracked, self._stack, self._objectives = [], [], [], []
        self._lines, self._writer, self._status, self._reason = None, None, None, "unknown"
        self._pushed = False
        self._timeout = None

    def set(self, *args, **keywords):
        pairs = list(keywords.items()) + list(zip(args[::2], args[1::2]))
        for key, value in pairs:
            if str(key).split(".")[-1] == "timeout" and isinstance(value, int):
                self._timeout = value

    def assert_exprs(self, *args):
        args = args_of(args)
        for arg in args:
            items = arg if isinstance(arg, AstVector) else [arg]
            for item in items:
                self._assertions.append(BoolSort().cast(item))

    def add(self, *args):
        self.assert_exprs(*args)

    def __iadd__(self, formula):
        self.add(formula)
        return self

    def append(self, *args):
        self.assert_exprs(*args)

    def insert(self, *args):
        self.assert_exprs(*args)

    def assert_and_track(self, a, p):
        p = Const(p, BoolSort()) if isinstance(p, str) else p
        check(isinstance(a, BoolRef) and isinstance(p, BoolRef), "Boolean expression expected")
        self._tracked.append((a, p))

    def push(self):
        self._pushed = True
        self._stack.append((len(self._assertions), len(self._tracked), len(self._objectives)))

    def pop(self, num=1):
        check(num <= len(self._stack), "index out of bounds")
        for _ in range(num):
            a, t, o = self._stack.pop()
            del self._assertions[a:], self._tracked[t:], self._objectives[o:]

    def num_scopes(self):
        return len(self._stack)

    def reset(self):
        self._assertions, self._tracked, self._stack, self._objectives = [], [], [], []

    def assertions(self):
        return AstVector(self._assertions)

    def script(self, assumptions=()):
        writer = Writer()
        body = ["(assert %s)" % writer.term(a) for a in self._assertions]
        named = []
        for a, p in [(a, p) for a, p in self._tracked] + [(None, p) for p in assumptions]:
            name = writer.term(p)
            if a is not None:
                body.append("(assert (=> %s %s))" % (name, writer.term(a)))
            named.append(name)
        for objective in self._objectives:
            body.append(objective.line(writer))
        ask = "(check-sat-assuming (%s))" % " ".join(named) if named else "(check-sat)"
        return writer, writer.lines, body, ask

    def check(self, *assumptions):
        assumptions = [BoolSort().cast(a) for a in args_of(assumptions)]
        writer, declarations, body, ask = self.script(assumptions)
        lines = list(declarations)
        if self._timeout:
            lines.append("(set-option :timeout %d)" % self._timeout)
        if self._pushed:
            lines.append("(push 1)")
        self._cores = {writer.term(p): p for p in [p for _, p in self._tracked] + assumptions}
        reply = _reckon.call("smt", "\n".join(lines + body + [ask])).split("\n")
        status, *reason = reply[0].split("\t")
        if status not in ("sat", "unsat", "unknown"):
            raise NoVerdict(reply[0].removeprefix("error\t"))
        self._status = {"sat": sat, "unsat": unsat}.get(status, unknown)
        self._reason = reason[0] if reason else "unknown"
        self._lines, self._writer = reply[1:], writer
        objectives = [line.split("\t")[1] for line in self._lines if line.startswith("o\t")]
        for objective, text in zip(self._objectives, objectives):
            objective.found = text
        return self._status

    def model(self):
        if self._status is None or self._status != sat:
            raise Z3Exception("model is not available")
        return ModelRef([line for line in self._lines if line[:2] in ("c\t", "f\t", "u\t")], self._writer)

    def unsat_core(self):
        names = [line.split("\t")[1] for line in self._lines or [] if line.startswith("k\t")]
        return AstVector([self._cores[name] for name in names if name in self._cores])

    def reason_unknown(self):
        return self._reason

    def __enter__(self):
        self.push()
        return self

    def __exit__(self, *exc_info):
        self.pop()


class Solver(Asserted):
    def document(self):
        from z3_print import document
        return document(AstVector(self._assertions))


class OptimizeObjective:
    def __init__(self, word, term, weight=None, group=None):
        self._word, self._term, self._weight, self._group = word, term, weight, group
        self.found = None

    def line(self, writer):
        text = writer.term(self._term)
        if self._word != "assert-soft":
            return "(%s %s)" % (self._word, text)
        group = " :id |%s|" % self._group if self._group else ""
        return "(assert-soft %s :weight %s%s)" % (text, self._weight, group)

    def value(self):
        check(self.found is not None, "objective has no value")
        try:
            return IntVal(self.found) if self._term.sort().is_int() else RealVal(self.found)
        except Z3Exception:
            return Const(self.found, self._term.sort())

    lower = upper = value

    def __str__(self):
        return "%s:%s" % (0, self._word == "maximize")


class Optimize(Asserted):
    def maximize(self, arg):
        return self._objective("maximize", arg)

    def minimize(self, arg):
        return self._objective("minimize", arg)

    def _objective(self, word, arg, *more):
        check(is_expr(arg), "Z3 expression expected")
        self._objectives.append(OptimizeObjective(word, arg, *more))
        return self._objectives[-1]

    def add_soft(self, arg, weight="1", id=None):
        text = "%d" % weight if isinstance(weight, int) else "%f" % weight if isinstance(weight, float) else weight
        if isinstance(arg, (list, tuple, AstVector)):
            return [self.add_soft(a, text, id) for a in arg]
        return self._objective("assert-soft", BoolSort().cast(arg), text, id)


def solve(*args, **keywords):
    show = keywords.pop("show", False)
    s = Solver()
    s.set(**keywords)
    s.add(*args)
    if show:
        print(s)
    status = s.check()
    if status == unsat:
        print("no solution")
    elif status == unknown:
        print("failed to solve")
    else:
        print(s.model())


def prove(claim, show=False, **keywords):
    check(isinstance(claim, BoolRef), "Z3 Boolean expression expected")
    s = Solver()
    s.set(**keywords)
    s.add(Not(claim))
    status = s.check()
    if status == unsat:
        print("proved")
    elif status == unknown:
        print("failed to prove")
    else:
        print("counterexample")
        print(s.model())
