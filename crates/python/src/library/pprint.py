"""Pretty printing: a value on one line if it fits, and otherwise one part per line.

Handles dict, list, tuple, set, frozenset, long str and bytes, the types of `collections`,
SimpleNamespace and dataclasses; dict keys are sorted, unlike types by their type names.
"""

import sys


class _SortKey:
    """Orders values that cannot be compared by the names of their types."""

    __slots__ = ("obj",)

    def __init__(self, obj):
        self.obj = obj

    def __lt__(self, other):
        try:
            return self.obj < other.obj
        except TypeError:
            mine = (str(type(self.obj)), id(self.obj))
            return mine < (str(type(other.obj)), id(other.obj))


def _pair_key(pair):
    return _SortKey(pair[0]), _SortKey(pair[1])


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False,
           sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(
        indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts,
        underscore_numbers=underscore_numbers,
    ).pprint(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True,
            underscore_numbers=False):
    return PrettyPrinter(
        indent, width, depth, compact=compact, sort_dicts=sort_dicts,
        underscore_numbers=underscore_numbers,
    ).pformat(object)


def saferepr(object):
    return PrettyPrinter()._short(object, {}, 0)[0]


def isreadable(object):
    return PrettyPrinter().isreadable(object)


def isrecursive(object):
    return PrettyPrinter().isrecursive(object)


def _recursion(object):
    return f"<Recursion on {type(object).__name__} with id={id(object)}>"


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False,
                 sort_dicts=True, underscore_numbers=False):
        indent = int(indent)
        width = int(width)
        if indent < 0:
            raise ValueError("indent must be >= 0")
        if depth is not None and depth <= 0:
            raise ValueError("depth must be > 0")
        if not width:
            raise ValueError("width must be != 0")
        self._depth = depth
        self._indent = indent
        self._width = width
        self._stream = stream
        self._compact = bool(compact)
        self._sort_dicts = sort_dicts
        self._underscores = underscore_numbers

    def pprint(self, object):
        stream = self._stream if self._stream is not None else sys.stdout
        stream.write(self.pformat(object) + "\n")

    def pformat(self, object):
        out = []
        self._format(object, out, 0, 0, {}, 0)
        return "".join(out)

    def isreadable(self, object):
        _, readable, recursive = self._short(object, {}, 0)
        return readable and not recursive

    def isrecursive(self, object):
        return self._short(object, {}, 0)[2]

    def format(self, object, context, maxlevels, level):
        return self._short(object, context, level)

    def _format(self, object, out, indent, allowance, context, level):
        key = id(object)
        if key in context:
            out.append(_recursion(object))
            return
        text = self._short(object, context, level)[0]
        if len(text) > self._width - indent - allowance:
            printer = self._printer(object)
            if printer is not None:
                context[key] = 1
                printer(object, out, indent, allowance, context, level + 1)
                del context[key]
                return
        out.append(text)

    def _printer(self, object):
        cls = type(object)
        shown = cls.__repr__
        for base, printer in (
            (dict, self._dict), (list, self._list), (tuple, self._tuple), (set, self._set),
            (frozenset, self._set), (str, self._str), (bytes, self._bytes),
        ):
            if cls is base or (issubclass(cls, base) and shown is base.__repr__):
                return printer
        if cls.__module__ in ("collections", "types"):
            return {
                "OrderedDict": self._ordered_dict, "Counter": self._counter,
                "defaultdict": self._default_dict, "deque": self._deque,
                "SimpleNamespace": self._namespace,
            }.get(cls.__name__)
        generated = getattr(shown, "__qualname__", "").endswith(f"{cls.__name__}.__repr__")
        if "__dataclass_fields__" in cls.__dict__ and generated:
            if cls.__dict__["__dataclass_params__"] and "_make_repr" in _origin(shown):
                return self._dataclass
        return None

    def _dict(self, object, out, indent, allowance, context, level):
        out.append("{")
        if self._indent > 1:
            out.append(" " * (self._indent - 1))
        items = self._items(object)
        self._pairs(items, out, indent, allowance + 1, context, level)
        out.append("}")

    def _items(self, object):
        if self._sort_dicts:
            return sorted(object.items(), key=_pair_key)
        return list(object.items())

    def _pairs(self, items, out, indent, allowance, context, level):
        indent += self._indent
        separator = ",\n" + " " * indent
        for index, (key, value) in enumerate(items):
            last = index == len(items) - 1
            shown = self._short(key, context, level)[0]
            out.append(shown + ": ")
            self._format(
                value, out, indent + len(shown) + 2, allowance if last else 1, context, level
            )
            if not last:
                out.append(separator)

    def _ordered_dict(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        out.append(name + "(")
        self._format(
            list(object.items()), out, indent + len(name) + 1, allowance + 1, context, level
        )
        out.append(")")

    def _counter(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        out.append(name + "({")
        if self._indent > 1:
            out.append(" " * (self._indent - 1))
        items = object.most_common()
        self._pairs(items, out, indent + len(name) + 1, allowance + 2, context, level)
        out.append("})")

    def _default_dict(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        factory = self._short(object.default_factory, context, level)[0]
        name = type(object).__name__
        indent += len(name) + 1
        out.append(f"{name}({factory},\n{' ' * indent}")
        self._dict(object, out, indent, allowance + 1, context, level)
        out.append(")")

    def _deque(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        out.append(name + "(")
        indent += len(name) + 1
        out.append("[")
        if object.maxlen is None:
            self._sequence(object, out, indent, allowance + 2, context, level)
            out.append("])")
        else:
            self._sequence(object, out, indent, 2, context, level)
            limit = self._short(object.maxlen, context, level)[0]
            out.append(f"],\n{' ' * indent}maxlen={limit})")

    def _list(self, object, out, indent, allowance, context, level):
        out.append("[")
        self._sequence(object, out, indent, allowance + 1, context, level)
        out.append("]")

    def _tuple(self, object, out, indent, allowance, context, level):
        closing = ",)" if len(object) == 1 else ")"
        out.append("(")
        self._sequence(object, out, indent, allowance + len(closing), context, level)
        out.append(closing)

    def _set(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        if type(object) is set:
            opening, closing = "{", "}"
        else:
            opening, closing = name + "({", "})"
            indent += len(name) + 1
        out.append(opening)
        items = sorted(object, key=_SortKey)
        self._sequence(items, out, indent, allowance + len(closing), context, level)
        out.append(closing)

    def _sequence(self, items, out, indent, allowance, context, level):
        items = list(items)
        indent += self._indent
        if self._indent > 1:
            out.append(" " * (self._indent - 1))
        separator = ",\n" + " " * indent
        delimiter = ""
        available = width = self._width - indent + 1
        for index, item in enumerate(items):
            last = index == len(items) - 1
            if last:
                available -= allowance
                width -= allowance
            if self._compact:
                shown = self._short(item, context, level)[0]
                needed = len(shown) + 2
                if available < needed:
                    available = width
                    if delimiter:
                        delimiter = separator
                if available >= needed:
                    available -= needed
                    out.append(delimiter + shown)
                    delimiter = ", "
                    continue
            out.append(delimiter)
            delimiter = separator
            self._format(item, out, indent, allowance if last else 1, context, level)

    def _namespace(self, object, out, indent, allowance, context, level):
        name = "namespace" if type(object).__name__ == "SimpleNamespace" else type(object).__name__
        items = list(object.__dict__.items())
        out.append(name + "(")
        self._fields(items, out, indent + len(name) + 1, allowance, context, level)
        out.append(")")

    def _dataclass(self, object, out, indent, allowance, context, level):
        from dataclasses import fields

        name = type(object).__name__
        items = [(each.name, getattr(object, each.name)) for each in fields(object) if each.repr]
        out.append(name + "(")
        self._fields(items, out, indent + len(name) + 1, allowance, context, level)
        out.append(")")

    def _fields(self, items, out, indent, allowance, context, level):
        for index, (name, value) in enumerate(items):
            last = index == len(items) - 1
            out.append(name + "=")
            if id(value) in context:
                out.append("...")
            else:
                self._format(
                    value, out, indent + len(name) + 1, allowance if last else 1, context, level
                )
            if not last:
                out.append(",\n" + " " * indent)

    def _str(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        parts = _string_parts(object, self._width - indent, allowance, level)
        if len(parts) == 1:
            out.append(parts[0])
            return
        # A string that stands alone is put in brackets, and has that much less room.
        if level == 1:
            parts = _string_parts(object, self._width - indent - 1, allowance + 1, level)
            indent += 1
            out.append("(")
        out.append(("\n" + " " * indent).join(parts))
        if level == 1:
            out.append(")")

    def _bytes(self, object, out, indent, allowance, context, level):
        if len(object) <= 4:
            out.append(repr(object))
            return
        alone = level == 1
        if alone:
            indent += 1
            allowance += 1
            out.append("(")
        parts = _bytes_parts(object, self._width - indent, allowance)
        out.append(("\n" + " " * indent).join(parts))
        if alone:
            out.append(")")

    def _short(self, object, context, level):
        """(text on one line, whether it could be read back, whether it contains itself)"""
        cls = type(object)
        if cls is int and self._underscores:
            return f"{object:_d}", True, False
        shown = cls.__repr__
        if issubclass(cls, dict) and shown is dict.__repr__:
            return self._short_dict(object, context, level)
        if (issubclass(cls, list) and shown is list.__repr__) or (
            issubclass(cls, tuple) and shown is tuple.__repr__
        ):
            return self._short_sequence(object, context, level)
        text = repr(object)
        return text, bool(text) and not text.startswith("<"), False

    def _short_dict(self, object, context, level):
        if not object:
            return "{}", True, False
        key = id(object)
        if self._depth and level >= self._depth:
            return "{...}", False, key in context
        if key in context:
            return _recursion(object), False, True
        context[key] = 1
        pieces = []
        readable, recursive = True, False
        for pair in self._items(object):
            texts = [self._short(part, context, level + 1) for part in pair]
            pieces.append(f"{texts[0][0]}: {texts[1][0]}")
            readable = readable and texts[0][1] and texts[1][1]
            recursive = recursive or texts[0][2] or texts[1][2]
        del context[key]
        return "{" + ", ".join(pieces) + "}", readable, recursive

    def _short_sequence(self, object, context, level):
        is_list = isinstance(object, list)
        if not object:
            return "[]" if is_list else "()", True, False
        pattern = "[%s]" if is_list else "(%s,)" if len(object) == 1 else "(%s)"
        key = id(object)
        if self._depth and level >= self._depth:
            return pattern % "...", False, key in context
        if key in context:
            return _recursion(object), False, True
        context[key] = 1
        parts = [self._short(item, context, level + 1) for item in object]
        del context[key]
        text = pattern % ", ".join([part[0] for part in parts])
        return text, all(part[1] for part in parts), any(part[2] for part in parts)


def _origin(function):
    """Where a generated method was written: its qualified name is that of its class."""
    code = getattr(function, "__code__", None)
    return getattr(code, "co_qualname", "_make_repr")


def _words(line):
    """A line cut into words, each with the blanks after it."""
    words = []
    start = 0
    for position in range(1, len(line) + 1):
        at_end = position == len(line)
        if at_end or (line[position - 1].isspace() and not line[position].isspace()):
            words.append(line[start:position])
            start = position
    return words


def _string_parts(text, width, allowance, level):
    lines = text.splitlines(True)
    parts = []
    limit = width
    for index, line in enumerate(lines):
        shown = repr(line)
        if index == len(lines) - 1:
            limit -= allowance
        if len(shown) <= limit:
            parts.append(shown)
            continue
        words = _words(line)
        current = ""
        for position, word in enumerate(words):
            room = width
            if position == len(words) - 1 and index == len(lines) - 1:
                room -= allowance
            if len(repr(current + word)) > room:
                if current:
                    parts.append(repr(current))
                current = word
            else:
                current += word
        if current:
            parts.append(repr(current))
    return parts


def _bytes_parts(data, width, allowance):
    parts = []
    current = b""
    last = len(data) // 4 * 4
    for position in range(0, len(data), 4):
        part = data[position:position + 4]
        candidate = current + part
        if position == last:
            width -= allowance
        if len(repr(candidate)) > width:
            if current:
                parts.append(repr(current))
            current = part
        else:
            current = candidate
    if current:
        parts.append(repr(current))
    return parts
