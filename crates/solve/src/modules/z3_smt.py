"""Terms of our `z3` module as SMT-LIB 2 text.

Names: SMT-LIB knows one symbol of a name, z3py one per name and signature, so a second declaration of a name gets a
suffix. `Writer.names` leads back from what was written to the declaration.
"""
from z3_terms import Z3Exception, check

RESERVED = set("""and or not xor ite true false distinct div mod abs let forall exists par as to_real to_int is_int
Int Real Bool Array BitVec select store assert const match lambda rem iff implies if BINARY DECIMAL HEXADECIMAL NUMERAL
STRING _ ! String Seq RegLan re str seq bv2nat int2bv concat extract repeat at-most at-least pble pbge pbeq
check-sat push pop exit reset named pattern root-obj declare-fun declare-const declare-sort define-fun""".split())
SIMPLE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~!@$%^&*_-+=<>.?/")
MOST = 4_000_000


class Writer:
    def __init__(self):
        self.lines = []
        self.names = {}
        self.sorts = {}
        self._of = {}
        self._declared = set()

    def symbol(self, thing, name, known):
        """The quoted, unused symbol for a declaration or sort called `name`."""
        base = "".join(c if c not in "|\\" and c.isprintable() else "_" for c in name)
        chosen, n = base, 0
        while chosen in self.names or chosen in self.sorts or chosen in RESERVED:
            n += 1
            chosen = "%s!%d" % (base, n)
        known[chosen] = thing
        simple = chosen and not chosen[0].isdigit() and all(c in SIMPLE for c in chosen)
        # What SMT-LIB or a solver could read as an operator is quoted too.
        letter = chosen and (chosen[0].isalpha() or chosen[0] == "_") and not chosen.startswith(("bv", "fp", "str", "seq", "re"))
        self._of[thing] = chosen if simple and letter else "|%s|" % chosen
        return self._of[thing]

    def sort(self, sort):
        kind = sort.kind()
        if kind in ("bool", "int", "real"):
            return sort.name()
        if sort in self._of:
            return self._of[sort]
        name = self.symbol(sort, sort.name(), self.sorts)
        if kind == "free":
            self.lines.append("(declare-sort %s 0)" % name)
        else:
            values = " ".join("(%s)" % self.symbol(v.decl(), v.decl().name(), self.names) for v in sort._values)
            self.lines.append("(declare-datatypes ((%s 0)) ((%s)))" % (name, values))
        return name

    def declaration(self, decl, bound):
        """The symbol of a declaration; declared once where it occurs outside of what binds it."""
        if decl._kind == "enum":
            self.sort(decl.range())
        elif decl not in self._of:
            self.symbol(decl, decl.name(), self.names)
        if decl._kind != "enum" and decl not in bound and decl not in self._declared:
            self._declared.add(decl)
            domain = " ".join([self.sort(s) for s in decl._domain])
            line = "(declare-fun %s (%s) %s)" % (self._of[decl], domain, self.sort(decl.range()))
            self.lines.append(line)
        return self._of[decl]

    def term(self, root, bound=frozenset()):
        """The term as text; what it needs is declared in `lines` first. `bound`: declarations a quantifier binds."""
        done, stack, size = {}, [(root, False)], 0
        while stack:
            term, ready = stack.pop()
            if term in done:
                continue
            if term._op in ("forall", "exists"):
                done[term] = self.quantifier(term, bound)
            elif ready:
                done[term] = self.written(term, [done[arg] for arg in term._args], bound)
            else:
                stack.append((term, True))
                stack += [(arg, False) for arg in term._args[::-1]]
                continue
            size += len(done[term])
            check(size < 50 * MOST and len(done[term]) < MOST, "the problem is too large")
        return done[root]

    def quantifier(self, term, bound):
        inside = bound | {v.decl() for v in term._data}
        names = ["(%s %s)" % (self.declaration(v.decl(), inside), self.sort(v.sort())) for v in term._data]
        return "(%s (%s) %s)" % (term._op, " ".join(names), self.term(term._args[0], inside))

    def written(self, term, args, bound):
        op = term._op
        if op == "num":
            return self.number(term)
        if op == "app":
            name = self.declaration(term._data, bound)
            return "(%s %s)" % (name, " ".join(args)) if args else name
        if op in ("and", "or") and len(args) < 2:
            return args[0] if args else ("true" if op == "and" else "false")
        if op == "distinct" and len(args) < 2:
            return "true"
        if op in ("true", "false"):
            return op
        if op in ("at-most", "at-least", "pble", "pbge", "pbeq"):
            head = "(_ %s %s)" % (op, " ".join(str(n) if n >= 0 else "(- %d)" % -n for n in term._data))
        elif op == "root":
            raise Z3Exception("an irrational value cannot be asserted again")
        else:
            head = "-" if op == "neg" else op
        return "(%s %s)" % (head, " ".join(args))

    def number(self, term):
        value, kind = term._data, term.sort().kind()
        if kind == "int":
            return str(value) if value >= 0 else "(- %d)" % -value
        top, bottom = abs(value.numerator), value.denominator
        body = "%d.0" % top if bottom == 1 else "(/ %d.0 %d.0)" % (top, bottom)
        return body if value >= 0 else "(- %s)" % body
