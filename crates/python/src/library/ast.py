"""Of `ast` what calculations use: `literal_eval`. There are no syntax trees."""


def literal_eval(text):
    """The value of a literal: numbers, texts, tuples, lists, dicts, sets, `None`, truth values."""
    if not isinstance(text, str):
        raise ValueError(f"malformed node or string: {text!r}")
    reader = _Reader(text.strip(" \t"))
    value = reader.sum()
    reader.blanks()
    if reader.at < len(reader.text):
        raise SyntaxError("invalid syntax")
    return value


class _Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def blanks(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def peek(self):
        self.blanks()
        return self.text[self.at : self.at + 1]

    def accept(self, sign):
        if self.peek() == sign:
            self.at += 1
            return True
        return False

    def sum(self):
        """A value, or a real and an imaginary part."""
        value = self.value()
        while self.peek() in ("+", "-") and self.peek():
            sign = 1 if self.accept("+") else -1
            if sign < 0:
                self.accept("-")
            other = self.value()
            if not isinstance(other, complex) or not isinstance(value, (int, float, complex)):
                raise ValueError("malformed node or string")
            value = value + sign * other
        return value

    def value(self):
        sign = self.peek()
        if sign in ("+", "-") and sign:
            self.at += 1
            value = self.value()
            if not isinstance(value, (int, float, complex)):
                raise ValueError("malformed node or string")
            return -value if sign == "-" else +value
        if self.accept("["):
            return self.many("]")[0]
        if self.accept("("):
            values, comma = self.many(")")
            return values[0] if len(values) == 1 and not comma else tuple(values)
        if self.accept("{"):
            return self.braces()
        return self.atom()

    def many(self, close):
        values, comma = [], False
        while not self.accept(close):
            values.append(self.sum())
            comma = self.accept(",")
            if not comma and self.peek() != close:
                raise SyntaxError("invalid syntax")
        return values, comma

    def braces(self):
        pairs, members = {}, []
        while not self.accept("}"):
            key = self.sum()
            if self.accept(":"):
                pairs[key] = self.sum()
            else:
                members.append(key)
            if not self.accept(",") and self.peek() != "}":
                raise SyntaxError("invalid syntax")
        if members and pairs:
            raise SyntaxError("invalid syntax")
        return set(members) if members else pairs

    def atom(self):
        """A name, a number or a text, which the compiler reads."""
        self.blanks()
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "._"):
            self.at += 1
            if self.text[self.at - 1] in "eE" and self.text[start].isdigit() and self.text[self.at : self.at + 1] in ("+", "-"):
                self.at += 1
        word = self.text[start : self.at]
        named = {"None": None, "True": True, "False": False}
        if word in named:
            return named[word]
        quote = self.peek() if self.text[self.at : self.at + 1] in ("'", '"') else ""
        if quote and word.lower() in ("", "r", "b", "u", "br", "rb"):
            return self.quoted(start, quote)
        if not word or not (word[0].isdigit() or word[0] == "."):
            raise ValueError(f"malformed node or string: {word!r}" if word else "malformed node or string")
        return eval(word, {"__builtins__": {}})

    def quoted(self, start, quote):
        long = self.text.startswith(quote * 3, self.at)
        close = quote * 3 if long else quote
        self.at += len(close)
        while not self.text.startswith(close, self.at):
            if self.at >= len(self.text):
                raise SyntaxError("unterminated string literal")
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += len(close)
        return eval(self.text[start : self.at], {"__builtins__": {}})
