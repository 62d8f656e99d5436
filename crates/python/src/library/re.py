"""Regular expressions for `str`: objects around the native module `_re`, which parses and matches.

Patterns and texts of bytes are refused, the flags LOCALE and DEBUG do nothing of use, and matches of
`finditer` are found at once. A match knows its groups as one tuple of places.
"""

import _re

__all__ = [
    "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "compile",
    "purge", "template", "escape", "error", "Pattern", "Match", "A", "I", "L", "M", "S", "X", "U",
    "ASCII", "IGNORECASE", "LOCALE", "MULTILINE", "DOTALL", "VERBOSE", "UNICODE", "NOFLAG",
    "RegexFlag",
]

_END = (1 << 63) - 1


class RegexFlag(int):
    _names = {
        256: "ASCII", 2: "IGNORECASE", 4: "LOCALE", 32: "UNICODE", 8: "MULTILINE", 16: "DOTALL",
        64: "VERBOSE", 1: "TEMPLATE", 128: "DEBUG",
    }

    @property
    def value(self):
        return int(self)

    @property
    def name(self):
        if not self:
            return "NOFLAG"
        rest = int(self)
        names = []
        for bit, name in self._names.items():
            if rest & bit:
                names.append(name)
                rest &= ~bit
        if rest:
            names.append(str(rest))
        return "|".join(names)

    def __repr__(self):
        name = self.name
        if self < 0:
            return f"re.RegexFlag({int(self)})"
        names = name.split("|")
        rest = [hex(int(part)) for part in names if part.isdigit()]
        return "|".join(["re." + part for part in names if not part.isdigit()] + rest)

    __str__ = __repr__

    def __format__(self, spec):
        return format(str(self), spec) if not spec else format(int(self), spec)

    def __or__(self, other):
        return RegexFlag(int(self) | int(other)) if isinstance(other, int) else NotImplemented

    def __and__(self, other):
        return RegexFlag(int(self) & int(other)) if isinstance(other, int) else NotImplemented

    def __xor__(self, other):
        return RegexFlag(int(self) ^ int(other)) if isinstance(other, int) else NotImplemented

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __invert__(self):
        return RegexFlag(~int(self) & 511)

    def __contains__(self, other):
        return int(other) & int(self) == int(other)

    def __iter__(self):
        return (RegexFlag(bit) for bit in self._names if self & bit)

    def __hash__(self):
        return hash(int(self))


for _bit, _name in RegexFlag._names.items():
    setattr(RegexFlag, _name, RegexFlag(_bit))
RegexFlag.NOFLAG = NOFLAG = RegexFlag(0)
T = TEMPLATE = RegexFlag.TEMPLATE
I = IGNORECASE = RegexFlag.IGNORECASE
L = LOCALE = RegexFlag.LOCALE
M = MULTILINE = RegexFlag.MULTILINE
S = DOTALL = RegexFlag.DOTALL
U = UNICODE = RegexFlag.UNICODE
X = VERBOSE = RegexFlag.VERBOSE
DEBUG = RegexFlag.DEBUG
A = ASCII = RegexFlag.ASCII
for _bit, _name in (("T", T), ("I", I), ("L", L), ("M", M), ("S", S), ("U", U), ("X", X), ("A", A)):
    setattr(RegexFlag, _bit, _name)
del _bit, _name


class error(Exception):
    __module__ = "re"

    def __init__(self, msg, pattern=None, pos=None):
        self.msg = msg
        self.pattern = pattern
        self.pos = pos
        if pattern is not None and pos is not None:
            msg = f"{msg} at position {pos}"
            self.lineno = pattern.count("\n", 0, pos) + 1
            self.colno = pos - pattern.rfind("\n", 0, pos)
            if "\n" in pattern:
                msg = f"{msg} (line {self.lineno}, column {self.colno})"
        else:
            self.lineno = self.colno = None
        super().__init__(msg)


_errors = {
    "OverflowError": OverflowError, "RecursionError": RecursionError, "ValueError": ValueError,
    "IndexError": IndexError,
}


def _refused(answer, pattern):
    _, kind, message, position = answer
    if kind == "error":
        return error(message, None if position is None else pattern, position)
    return _errors[kind](message)


def _text(string):
    if isinstance(string, str):
        return string
    if isinstance(string, (bytes, bytearray)):
        raise TypeError("cannot use a string pattern on a bytes-like object")
    raise TypeError(f"expected string or bytes-like object, got '{type(string).__name__}'")


def _places(string, pos, endpos):
    length = len(string)
    return min(max(pos, 0), length), min(max(endpos, 0), length)


class Pattern:
    __module__ = "re"
    __slots__ = ("pattern", "flags", "groups", "groupindex", "_program", "_names")

    def __init__(self, *args, **kwargs):
        raise TypeError("cannot create 're.Pattern' instances")

    def _find(self, string, pos, endpos, mode):
        pos, endpos = _places(_text(string), pos, endpos)
        places = _re.find(self._program, string, pos, endpos, mode)
        return None if places is None else _match(self, string, pos, endpos, places)

    def match(self, string, pos=0, endpos=_END):
        return self._find(string, pos, endpos, 0)

    def search(self, string, pos=0, endpos=_END):
        return self._find(string, pos, endpos, 1)

    def fullmatch(self, string, pos=0, endpos=_END):
        return self._find(string, pos, endpos, 2)

    def findall(self, string, pos=0, endpos=_END):
        pos, endpos = _places(_text(string), pos, endpos)
        return _re.texts(self._program, string, pos, endpos)

    def _all(self, string, most):
        return _re.find_all(self._program, string, 0, len(_text(string)), most)

    def finditer(self, string, pos=0, endpos=_END):
        pos, endpos = _places(_text(string), pos, endpos)
        found = _re.find_all(self._program, string, pos, endpos, 0)
        return map(lambda places: _match(self, string, pos, endpos, places), found)

    def split(self, string, maxsplit=0):
        pieces = []
        last = 0
        for places in self._all(string, maxsplit):
            pieces.append(string[last:places[0]])
            for at in range(2, len(places) - 1, 2):
                start, end = places[at], places[at + 1]
                pieces.append(string[start:end] if 0 <= start <= end else None)
            last = places[1]
        pieces.append(string[last:])
        return pieces

    def sub(self, repl, string, count=0):
        return self._replace(repl, string, count)[0]

    def subn(self, repl, string, count=0):
        return self._replace(repl, string, count)

    def _replace(self, repl, string, count):
        text = None
        if isinstance(repl, (bytes, bytearray)):
            text = repl
        elif not callable(repl):
            template = _template(repl, self)
            if not template or len(template) == 1 and isinstance(template[0], str):
                text = template[0] if template else ""
        found = self._all(string, count)
        pieces = []
        last = 0
        for places in found:
            start, end = places[0], places[1]
            if last < start:
                pieces.append(string[last:start])
            if text is not None:
                pieces.append(text)
            elif callable(repl):
                item = repl(_match(self, string, 0, len(string), places))
                if item is not None:
                    pieces.append(item)
            else:
                pieces.append(_filled(template, string, places))
            last = end
        if last < len(string):
            pieces.append(string[last:])
        return "".join(pieces), len(found)

    def __repr__(self):
        flags = self.flags
        if flags & 288 == 32:
            flags &= ~32
        text = repr(self.pattern)[:200]
        if not flags:
            return f"re.compile({text})"
        # In the order of their values, other than in the representation of flags.
        names = ["re." + name for bit, name in sorted(RegexFlag._names.items()) if flags & bit]
        if flags >> 9:
            names.append(hex(flags >> 9 << 9))
        return f"re.compile({text}, {'|'.join(names)})"

    def __eq__(self, other):
        if not isinstance(other, Pattern):
            return NotImplemented
        return self.flags == other.flags and self.pattern == other.pattern

    def __hash__(self):
        return hash((self.pattern, self.flags))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __class_getitem__(cls, item):
        return cls


class Match:
    __module__ = "re"
    __slots__ = ("re", "string", "pos", "endpos", "_places")

    def __init__(self, *args, **kwargs):
        raise TypeError("cannot create 're.Match' instances")

    def _number(self, group):
        if isinstance(group, str):
            number = self.re.groupindex.get(group, -1)
        elif hasattr(group, "__index__"):
            number = group.__index__()
        else:
            number = -1
        if not 0 <= number <= self.re.groups:
            raise IndexError("no such group")
        return number

    def _span(self, group):
        at = 2 * self._number(group)
        start, end = self._places[at], self._places[at + 1]
        return (start, end) if 0 <= start <= end else (-1, -1)

    def _text(self, number, default=None):
        start, end = self._places[2 * number], self._places[2 * number + 1]
        return self.string[start:end] if 0 <= start <= end else default

    def group(self, *groups):
        if not groups:
            return self._text(0)
        if len(groups) == 1:
            return self._text(self._number(groups[0]))
        return tuple([self._text(self._number(group)) for group in groups])

    # There are places in brackets, but a match is no sequence of them.
    def __iter__(self):
        raise TypeError("'re.Match' object is not iterable")

    def __getitem__(self, group):
        return self._text(self._number(group))

    def groups(self, default=None):
        return tuple([self._text(number, default) for number in range(1, self.re.groups + 1)])

    def groupdict(self, default=None):
        return {name: self._text(number, default) for name, number in self.re.groupindex.items()}

    def start(self, group=0, /):
        return self._span(group)[0]

    def end(self, group=0, /):
        return self._span(group)[1]

    def span(self, group=0, /):
        return self._span(group)

    @property
    def regs(self):
        return tuple([self._span(number) for number in range(self.re.groups + 1)])

    @property
    def lastindex(self):
        last = self._places[-1]
        return None if last < 0 else last

    @property
    def lastgroup(self):
        last = self._places[-1]
        for name, number in self.re.groupindex.items():
            if number == last:
                return name
        return None

    def expand(self, template):
        return _filled(_template(template, self.re), self.string, self._places)

    def __repr__(self):
        return f"<re.Match object; span={self.span()!r}, match={self.group()!r}>"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __class_getitem__(cls, item):
        return cls


_new = object.__new__


def _match(pattern, string, pos, endpos, places):
    match = _new(Match)
    match.re = pattern
    match.string = string
    match.pos = pos
    match.endpos = endpos
    match._places = places
    return match


def _filled(template, string, places):
    pieces = []
    for piece in template:
        if isinstance(piece, str):
            pieces.append(piece)
        else:
            start, end = places[2 * piece], places[2 * piece + 1]
            if 0 <= start <= end:
                pieces.append(string[start:end])
    return "".join(pieces)


def _template(text, pattern):
    if not isinstance(text, str):
        if isinstance(text, (bytes, bytearray)):
            raise TypeError("sequence item 0: expected str instance, bytes found")
        name = type(text).__name__
        raise TypeError(f"decoding to str: need a bytes-like object, {name} found")
    if "\\" not in text:
        return [text]
    answer = _re.template(text, pattern.groups, pattern._names)
    if isinstance(answer, tuple):
        raise _refused(answer, text)
    return answer


_cache = {}


def compile(pattern, flags=0):
    "Compile a regular expression pattern, returning a Pattern object."
    return _compile(pattern, flags)


def _compile(pattern, flags):
    key = type(pattern), pattern, flags
    known = _cache.get(key)
    if known is not None:
        return known
    if isinstance(pattern, Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    if isinstance(pattern, (bytes, bytearray)):
        raise TypeError("patterns of bytes are not supported in the sandbox")
    if not isinstance(pattern, str):
        raise TypeError("first argument must be string or compiled pattern")
    answer = _re.compile(pattern, int(flags))
    if answer[0] is None:
        raise _refused(answer, pattern)
    made = _new(Pattern)
    made.pattern = pattern
    made._program, made.flags, made.groups, names = answer
    made._names = made.groupindex = dict(names)
    if len(_cache) >= 512:
        del _cache[next(iter(_cache))]
    _cache[key] = made
    return made


def match(pattern, string, flags=0):
    return _compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return _compile(pattern, flags).fullmatch(string)


def search(pattern, string, flags=0):
    return _compile(pattern, flags).search(string)


def sub(pattern, repl, string, count=0, flags=0):
    return _compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return _compile(pattern, flags).subn(repl, string, count)


def split(pattern, string, maxsplit=0, flags=0):
    return _compile(pattern, flags).split(string, maxsplit)


def findall(pattern, string, flags=0):
    return _compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return _compile(pattern, flags).finditer(string)


def template(pattern, flags=0):
    return _compile(pattern, flags | T)


def purge():
    _cache.clear()


_special = {ord(c): "\\" + c for c in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


def escape(pattern):
    "Escape special characters in a string."
    if isinstance(pattern, str):
        return pattern.translate(_special)
    return str(pattern, "latin1").translate(_special).encode("latin1")


class Scanner:
    def __init__(self, lexicon, flags=0):
        self.lexicon = [(_compile(phrase, flags), action) for phrase, action in lexicon]
        self.match = None

    def scan(self, string):
        result = []
        at = 0
        while True:
            for pattern, action in self.lexicon:
                found = pattern.match(string, at)
                if found:
                    break
            else:
                break
            if found.end() == at:
                break
            at = found.end()
            if callable(action):
                self.match = found
                action = action(self, found.group())
            if action is not None:
                result.append(action)
        return result, string[at:]
