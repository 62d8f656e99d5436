"""Character constants, capwords, `$` templates and the Formatter class behind `{}` formats."""

whitespace = " \t\n\r\v\f"
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join([word.capitalize() for word in s.split(sep)])


# What a class may set to have other placeholders.
_OVERRIDES = ("pattern", "idpattern", "braceidpattern", "flags")


class Template:
    delimiter = "$"

    def __init__(self, template):
        self.template = template

    def _pieces(self):
        """Yields (text, name, position): text to keep, or a name to fill in, or neither of
        them for an invalid placeholder; `position` is then just behind the delimiter."""
        if any(hasattr(self, name) for name in _OVERRIDES):
            yield from self._pieces_by_pattern()
            return
        template = self.template
        mark = self.delimiter
        position = 0
        while True:
            found = template.find(mark, position)
            if found < 0:
                yield template[position:], None, position
                return
            yield template[position:found], None, position
            after = found + len(mark)
            if template.startswith(mark, after):
                yield mark, None, found
                position = after + len(mark)
                continue
            braced = template.startswith("{", after)
            start = after + 1 if braced else after
            end = start
            while end < len(template) and _is_name_part(template[end], end == start):
                end += 1
            if end > start and (not braced or template.startswith("}", end)):
                position = end + 1 if braced else end
                yield template[found:position], template[start:end], found
            else:
                position = after
                yield None, None, after

    def _pieces_by_pattern(self):
        """The same where a class says itself what a placeholder looks like."""
        import re

        pattern = getattr(self, "pattern", None)
        if pattern is None:
            name = getattr(self, "idpattern", "(?a:[_a-z][_a-z0-9]*)")
            braced = getattr(self, "braceidpattern", None) or name
            mark = re.escape(self.delimiter)
            pattern = (
                f"{mark}(?:(?P<escaped>{mark})|(?P<named>{name})"
                f"|{{(?P<braced>{braced})}}|(?P<invalid>))"
            )
        flags = getattr(self, "flags", re.IGNORECASE)
        position = 0
        for match in re.compile(pattern, flags | re.VERBOSE).finditer(self.template):
            yield self.template[position:match.start()], None, position
            position = match.end()
            groups = match.groupdict()
            name = groups.get("named") or groups.get("braced")
            if name is not None:
                yield match.group(), name, match.start()
            elif groups.get("escaped") is not None:
                yield self.delimiter, None, match.start()
            elif groups.get("invalid") is not None:
                yield None, None, match.start("invalid")
            else:
                raise ValueError("Unrecognized named group in pattern", match.re)
        yield self.template[position:], None, position

    def _refuse(self, position):
        lines = self.template[:position].splitlines(keepends=True)
        if not lines:
            line, column = 1, 1
        else:
            column = position - len("".join(lines[:-1]))
            line = len(lines)
        raise ValueError(f"Invalid placeholder in string: line {line}, col {column}")

    def substitute(self, mapping={}, /, **kws):
        values = {**mapping, **kws} if type(mapping) is dict else _Layered(kws, mapping)
        result = []
        for text, name, position in self._pieces():
            if name is not None:
                text = str(values[name])
            elif text is None:
                self._refuse(position)
            result.append(text)
        return "".join(result)

    def safe_substitute(self, mapping={}, /, **kws):
        values = _Layered(kws, mapping)
        result = []
        for text, name, _ in self._pieces():
            if name is not None:
                try:
                    text = str(values[name])
                except KeyError:
                    pass
            result.append(self.delimiter if text is None else text)
        return "".join(result)

    def is_valid(self):
        return all(text is not None for text, _, _ in self._pieces())

    def get_identifiers(self):
        return list(dict.fromkeys([name for _, name, _ in self._pieces() if name is not None]))


class _Layered:
    def __init__(self, first, second):
        self._first = first
        self._second = second

    def __getitem__(self, key):
        return self._first[key] if key in self._first else self._second[key]


def _is_name_part(char, first):
    if not char.isascii():
        return False
    return char == "_" or char.isalpha() or (not first and char.isdigit())


def _parse_format(text):
    """Yields (literal, field, specification, conversion) as str.format would read them."""
    position = 0
    size = len(text)
    literal = ""
    while position < size:
        char = text[position]
        position += 1
        if char not in "{}":
            literal += char
            continue
        if text.startswith(char, position):
            yield literal + char, None, None, None
            literal = ""
            position += 1
            continue
        if char == "}":
            raise ValueError("Single '}' encountered in format string")
        if position >= size:
            raise ValueError("Single '{' encountered in format string")
        end = _field_end(text, position)
        yield (literal, *_split_field(text[position:end]))
        literal = ""
        position = end + 1
    if literal:
        yield literal, None, None, None


def _field_end(text, position):
    depth = 1
    while position < len(text):
        if text[position] == "{":
            depth += 1
        elif text[position] == "}":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    raise ValueError("expected '}' before end of string")


def _split_field(field):
    brackets = 0
    for position, char in enumerate(field):
        if char == "[":
            brackets += 1
        elif char == "]":
            brackets = 0
        elif char == ":" and not brackets:
            return field[:position], field[position + 1:], None
        elif char == "!" and not brackets:
            conversion = field[position + 1:position + 2]
            rest = field[position + 2:]
            if not conversion:
                raise ValueError("end of string while looking for conversion specifier")
            if rest and rest[0] != ":":
                raise ValueError("expected ':' after conversion specifier")
            return field[:position], rest[1:], conversion
    return field, "", None


class Formatter:
    def format(self, format_string, /, *args, **kwargs):
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string, args, kwargs):
        used = set()
        result, _ = self._format(format_string, args, kwargs, used, 2, 0)
        self.check_unused_args(used, args, kwargs)
        return result

    def _format(self, format_string, args, kwargs, used, depth, automatic):
        if depth < 0:
            raise ValueError("Max string recursion exceeded")
        result = []
        for literal, field, specification, conversion in self.parse(format_string):
            if literal:
                result.append(literal)
            if field is None:
                continue
            if field == "" or field[0] in ".[":
                if automatic is False:
                    raise ValueError(
                        "cannot switch from manual field specification "
                        "to automatic field numbering"
                    )
                field = f"{automatic}{field}"
                automatic += 1
            elif field.isdigit():
                if automatic:
                    raise ValueError(
                        "cannot switch from manual field specification "
                        "to automatic field numbering"
                    )
                automatic = False
            value, key = self.get_field(field, args, kwargs)
            used.add(key)
            value = self.convert_field(value, conversion)
            specification, automatic = self._format(
                specification, args, kwargs, used, depth - 1, automatic
            )
            result.append(self.format_field(value, specification))
        return "".join(result), automatic

    def parse(self, format_string):
        return _parse_format(format_string)

    def get_value(self, key, args, kwargs):
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args, args, kwargs):
        pass

    def format_field(self, value, format_spec):
        return format(value, format_spec)

    def convert_field(self, value, conversion):
        if conversion is None:
            return value
        if conversion == "s":
            return str(value)
        if conversion == "r":
            return repr(value)
        if conversion == "a":
            return ascii(value)
        raise ValueError(f"Unknown conversion specifier {conversion}")

    def get_field(self, field_name, args, kwargs):
        end = 0
        while end < len(field_name) and field_name[end] not in ".[":
            end += 1
        first = field_name[:end]
        if first.isdigit():
            first = int(first)
        value = self.get_value(first, args, kwargs)
        while end < len(field_name):
            if field_name[end] == ".":
                start = end = end + 1
                while end < len(field_name) and field_name[end] not in ".[":
                    end += 1
                value = getattr(value, field_name[start:end])
            else:
                close = field_name.find("]", end)
                if close < 0:
                    raise ValueError("Missing ']' in format string")
                key = field_name[end + 1:close]
                value = value[int(key) if key.isdigit() else key]
                end = close + 1
        return value, first
