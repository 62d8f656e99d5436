"""JSON text from Python values and back, with the error positions of CPython's scanner.

Left out: the incremental `iterencode` in pieces (it yields the whole text once) and
`detect_encoding` beyond UTF-8, UTF-16 and UTF-32 with a byte order mark.
"""

_escapes = {
    "\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}
_unescapes = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}
_whitespace = " \t\n\r"
_infinity = float("inf")


class JSONDecodeError(ValueError):
    __module__ = "json.decoder"

    def __init__(self, msg, doc, pos):
        line = doc.count("\n", 0, pos) + 1
        column = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {line} column {column} (char {pos})")
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = line
        self.colno = column

    def __reduce__(self):
        return self.__class__, (self.msg, self.doc, self.pos)


def _escape_character(char, ensure_ascii):
    if char in _escapes:
        return _escapes[char]
    code = ord(char)
    if code < 32 or (ensure_ascii and 127 <= code < 0x10000):
        return f"\\u{code:04x}"
    if ensure_ascii and code >= 0x10000:
        code -= 0x10000
        return f"\\u{0xD800 | (code >> 10):04x}\\u{0xDC00 | (code & 0x3FF):04x}"
    return char


def _quote(text, ensure_ascii):
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join([_escape_character(char, ensure_ascii) for char in text]) + '"'


class JSONEncoder:
    __module__ = "json.encoder"
    item_separator = ", "
    key_separator = ": "

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True,
                 allow_nan=True, sort_keys=False, indent=None, separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ","
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        indent = self.indent
        if indent is not None and not isinstance(indent, str):
            indent = " " * indent
        return self._value(o, "\n" if indent is not None else None, indent, {})

    def iterencode(self, o, _one_shot=False):
        yield self.encode(o)

    def _scalar(self, value):
        """The text of a value without parts, or None."""
        if isinstance(value, str):
            return _quote(value, self.ensure_ascii)
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float):
            return self._float(value)
        return None

    def _float(self, value):
        if value == value and value not in (_infinity, -_infinity):
            return float.__repr__(value)
        if not self.allow_nan:
            raise ValueError("Out of range float values are not JSON compliant")
        if value != value:
            return "NaN"
        return "Infinity" if value > 0 else "-Infinity"

    def _value(self, value, newline, indent, open_ids):
        text = self._scalar(value)
        if text is not None:
            return text
        if self.check_circular:
            if id(value) in open_ids:
                raise ValueError("Circular reference detected")
            open_ids[id(value)] = value
        if isinstance(value, (list, tuple)):
            text = self._array(value, newline, indent, open_ids)
        elif isinstance(value, dict):
            text = self._object(value, newline, indent, open_ids)
        else:
            text = self._value(self.default(value), newline, indent, open_ids)
        if self.check_circular:
            del open_ids[id(value)]
        return text

    def _array(self, values, newline, indent, open_ids):
        if not values:
            return "[]"
        inner = None if newline is None else newline + indent
        items = [self._value(value, inner, indent, open_ids) for value in values]
        return self._bracket("[", items, "]", newline, inner)

    def _object(self, mapping, newline, indent, open_ids):
        if not mapping:
            return "{}"
        inner = None if newline is None else newline + indent
        pairs = mapping.items()
        if self.sort_keys:
            pairs = sorted(pairs)
        items = []
        for key, value in pairs:
            if not isinstance(key, str):
                if key is not None and not isinstance(key, (int, float)):
                    if self.skipkeys:
                        continue
                    raise TypeError(
                        "keys must be str, int, float, bool or None, "
                        f"not {key.__class__.__name__}"
                    )
                key = self._scalar(key)
            text = self._value(value, inner, indent, open_ids)
            items.append(f"{_quote(key, self.ensure_ascii)}{self.key_separator}{text}")
        if not items:
            return "{}" if newline is None else "{" + inner + newline + "}"
        return self._bracket("{", items, "}", newline, inner)

    def _bracket(self, opening, items, closing, newline, inner):
        if newline is None:
            return opening + self.item_separator.join(items) + closing
        joined = (self.item_separator + inner).join(items)
        return opening + inner + joined + newline + closing


def _skip(text, position):
    size = len(text)
    while position < size and text[position] in _whitespace:
        position += 1
    return position


def _hexadecimal(digits):
    if len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
        return int(digits, 16)
    return None


def _escaped(text, position):
    """The character of the escape whose letter is at `position`, and the end of the escape."""
    letter = text[position]
    if letter in _unescapes:
        return _unescapes[letter], position + 1
    if letter != "u":
        raise JSONDecodeError("Invalid \\escape", text, position - 1)
    code = _hexadecimal(text[position + 1:position + 5])
    # CPython's scanner also refuses an escape that nothing follows, not even a quote.
    if code is None or position + 5 >= len(text):
        raise JSONDecodeError("Invalid \\uXXXX escape", text, position)
    position += 5
    if 0xD800 <= code <= 0xDBFF and text[position:position + 2] == "\\u":
        low = _hexadecimal(text[position + 2:position + 6])
        if low is not None and 0xDC00 <= low <= 0xDFFF and position + 6 < len(text):
            code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00))
            position += 6
    return chr(code), position


def _string(text, start, strict):
    """The string whose opening quote is just before `start`, and the position after it."""
    end = text.find('"', start)
    if end >= 0:
        piece = text[start:end]
        if piece.isprintable() and "\\" not in piece:
            return piece, end + 1
    pieces = []
    position = start
    size = len(text)
    while position < size:
        char = text[position]
        if char == '"':
            return "".join(pieces), position + 1
        if char == "\\":
            position += 1
            if position >= size:
                break
            char, position = _escaped(text, position)
            pieces.append(char)
            continue
        if strict and char < " ":
            raise JSONDecodeError("Invalid control character at", text, position)
        pieces.append(char)
        position += 1
    raise JSONDecodeError("Unterminated string starting at", text, start - 1)


def _digits_end(text, position):
    size = len(text)
    while position < size and text[position] in "0123456789":
        position += 1
    return position


class JSONDecoder:
    __module__ = "json.decoder"

    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None,
                 parse_constant=None, strict=True, object_pairs_hook=None):
        self.object_hook = object_hook
        self.parse_float = parse_float or float
        self.parse_int = parse_int or int
        self.parse_constant = parse_constant or float
        self.strict = strict
        self.object_pairs_hook = object_pairs_hook

    def decode(self, s):
        value, end = self._value(s, _skip(s, 0), {})
        end = _skip(s, end)
        if end != len(s):
            raise JSONDecodeError("Extra data", s, end)
        return value

    def raw_decode(self, s, idx=0):
        return self._value(s, idx, {})

    def _value(self, text, position, known_keys):
        char = text[position:position + 1]
        if char == '"':
            return _string(text, position + 1, self.strict)
        if char == "{":
            return self._object(text, position + 1, known_keys)
        if char == "[":
            return self._array(text, position + 1, known_keys)
        if char == "n" and text.startswith("null", position):
            return None, position + 4
        if char == "t" and text.startswith("true", position):
            return True, position + 4
        if char == "f" and text.startswith("false", position):
            return False, position + 5
        for constant in ("NaN", "Infinity", "-Infinity"):
            if char == constant[0] and text.startswith(constant, position):
                return self.parse_constant(constant), position + len(constant)
        return self._number(text, position)

    def _number(self, text, start):
        position = start + 1 if text.startswith("-", start) else start
        end = _digits_end(text, position)
        if end == position:
            raise JSONDecodeError("Expecting value", text, start)
        if text[position] == "0":
            end = position + 1
        whole_end = end
        if text.startswith(".", end):
            fraction_end = _digits_end(text, end + 1)
            if fraction_end > end + 1:
                end = fraction_end
        if text[end:end + 1] in ("e", "E"):
            exponent = end + 1
            if text[exponent:exponent + 1] in ("+", "-"):
                exponent += 1
            exponent_end = _digits_end(text, exponent)
            if exponent_end > exponent:
                end = exponent_end
        if end == whole_end:
            return self.parse_int(text[start:end]), end
        return self.parse_float(text[start:end]), end

    def _array(self, text, position, known_keys):
        values = []
        position = _skip(text, position)
        if text.startswith("]", position):
            return values, position + 1
        while True:
            value, position = self._value(text, position, known_keys)
            values.append(value)
            position = _skip(text, position)
            char = text[position:position + 1]
            if char == "]":
                return values, position + 1
            if char != ",":
                raise JSONDecodeError("Expecting ',' delimiter", text, position)
            position = _skip(text, position + 1)

    def _object(self, text, position, known_keys):
        pairs = []
        position = _skip(text, position)
        if text.startswith("}", position):
            return self._finish(pairs), position + 1
        while True:
            if not text.startswith('"', position):
                raise JSONDecodeError(
                    "Expecting property name enclosed in double quotes", text, position
                )
            key, position = _string(text, position + 1, self.strict)
            key = known_keys.setdefault(key, key)
            position = _skip(text, position)
            if not text.startswith(":", position):
                raise JSONDecodeError("Expecting ':' delimiter", text, position)
            position = _skip(text, position + 1)
            value, position = self._value(text, position, known_keys)
            pairs.append((key, value))
            position = _skip(text, position)
            char = text[position:position + 1]
            if char == "}":
                return self._finish(pairs), position + 1
            if char != ",":
                raise JSONDecodeError("Expecting ',' delimiter", text, position)
            position = _skip(text, position + 1)

    def _finish(self, pairs):
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs)
        if self.object_hook is not None:
            return self.object_hook(dict(pairs))
        return dict(pairs)


_default_encoder = JSONEncoder()
_default_decoder = JSONDecoder()


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True,
          cls=None, indent=None, separators=None, default=None, sort_keys=False, **kw):
    if cls is None:
        cls = JSONEncoder
    return cls(
        skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular,
        allow_nan=allow_nan, indent=indent, separators=separators, default=default,
        sort_keys=sort_keys, **kw,
    ).encode(obj)


def dump(obj, fp, **options):
    fp.write(dumps(obj, **options))


def _decoded(data):
    for mark, encoding in (
        (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
        (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"),
    ):
        if data.startswith(mark):
            return data.decode(encoding)
    return data.decode("utf-8", "surrogatepass")


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None,
          parse_constant=None, object_pairs_hook=None, **kw):
    if isinstance(s, str):
        if s.startswith("\ufeff"):
            raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    elif isinstance(s, (bytes, bytearray)):
        s = _decoded(bytes(s))
    else:
        raise TypeError(
            f"the JSON object must be str, bytes or bytearray, not {s.__class__.__name__}"
        )
    options = dict(
        object_hook=object_hook, parse_float=parse_float, parse_int=parse_int,
        parse_constant=parse_constant, object_pairs_hook=object_pairs_hook,
    )
    kw.update({name: value for name, value in options.items() if value is not None})
    if cls is None and not kw:
        return _default_decoder.decode(s)
    return (cls or JSONDecoder)(**kw).decode(s)


def load(fp, **options):
    return loads(fp.read(), **options)
