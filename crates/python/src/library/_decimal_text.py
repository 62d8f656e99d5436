"""Decimals as text: reading a literal, writing scientific notation, the format language.

A decimal is taken and given as its four parts: sign, coefficient, exponent and kind (empty
for a finite number, `F` for an infinity, `n` and `N` for quiet and signaling NaN). The
locale type `n` formats like `g`, as in the C locale.
"""

from _decimal_round import ROUND_HALF_EVEN, digit_text, drop_digits, number_from_digits, round_to


def parse(text):
    """The four parts of a numeric literal, or None."""
    text = text.strip().replace("_", "")
    sign = 0
    if text[:1] in ("+", "-"):
        sign = 1 if text[0] == "-" else 0
        text = text[1:]
    lower = text.lower()
    if lower in ("inf", "infinity"):
        return (sign, 0, 0, "F")
    for prefix, kind in (("nan", "n"), ("snan", "N")):
        if lower.startswith(prefix):
            payload = lower[len(prefix) :]
            if payload and not payload.isdecimal():
                return None
            return (sign, number_from_digits(payload or "0"), 0, kind)
    mantissa, mark, power = lower.partition("e")
    exponent = 0
    if mark:
        digits = power[1:] if power[:1] in ("+", "-") else power
        if not digits.isdecimal():
            return None
        exponent = number_from_digits(digits)
        if power[0] == "-":
            exponent = -exponent
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    if not digits.isdecimal():
        return None
    return (sign, number_from_digits(digits), exponent - len(fraction), "")


def special_text(sign, coefficient, kind):
    if kind == "F":
        body = "Infinity"
    else:
        body = "NaN" if kind == "n" else "sNaN"
        if coefficient:
            body += digit_text(coefficient)
    return "-" + body if sign else body


def scientific(sign, coefficient, exponent, capitals, engineering=False):
    """Plain notation for moderate exponents, else one digit before the point and an E."""
    digits = digit_text(coefficient)
    left = exponent + len(digits)
    if exponent <= 0 and left > -6:
        point = left
    elif not engineering:
        point = 1
    elif coefficient == 0:
        point = (left + 1) % 3 - 1
    else:
        point = (left - 1) % 3 + 1
    if point <= 0:
        text = "0." + "0" * -point + digits
    elif point >= len(digits):
        text = digits + "0" * (point - len(digits))
    else:
        text = digits[:point] + "." + digits[point:]
    if left != point:
        text += f"{'E' if capitals else 'e'}{left - point:+d}"
    return "-" + text if sign else text


class _Spec:
    """The parts of a format specification."""

    def __init__(self, text):
        self.fill, self.align, self.sign = " ", "", "-"
        self.zero_padded = False
        place = 0
        if text[1:2] in ("<", ">", "=", "^") and text[1:2]:
            self.fill, self.align = text[0], text[1]
            place = 2
        elif text[:1] in ("<", ">", "=", "^") and text[:1]:
            self.align = text[0]
            place = 1
        if text[place : place + 1] in ("+", "-", " ") and text[place : place + 1]:
            self.sign = text[place]
            place += 1
        self.no_negative_zero = text[place : place + 1] == "z"
        if self.no_negative_zero:
            place += 1
        if text[place : place + 1] == "0":
            if self.align:
                self._refuse()
            self.zero_padded = True
            self.fill, self.align = "0", "="
            place += 1
        place, width = self._digits(text, place)
        self.width = width or 0
        self.separator = ""
        if text[place : place + 1] == ",":
            self.separator = ","
            place += 1
        self.precision = None
        if text[place : place + 1] == ".":
            place, self.precision = self._digits(text, place + 1)
            if self.precision is None:
                self._refuse()
        self.kind = text[place : place + 1]
        if len(text) > place + 1 or (self.kind and self.kind not in "eEfFgGn%"):
            self._refuse()
        if self.kind == "n":
            if self.separator:
                self._refuse()
            self.kind = "g"

    def _refuse(self):
        raise ValueError("invalid format string")

    def _digits(self, text, place):
        start = place
        while text[place : place + 1].isdecimal():
            place += 1
        if place - start > 18:
            self._refuse()
        return (place, int(text[start:place]) if place > start else None)


def _grouped(digits, separator, least):
    """Groups of three digits; zeros fill the whole up to at least that many characters."""
    if not separator:
        return digits.zfill(least)
    while True:
        groups = []
        rest = digits
        while len(rest) > 3:
            groups.append(rest[-3:])
            rest = rest[:-3]
        groups.append(rest)
        text = separator.join(reversed(groups))
        if len(text) >= least:
            return text
        digits = "0" * max(1, (least - len(text)) * 3 // 4) + digits


def _padded(sign, body, spec):
    missing = spec.width - len(sign) - len(body)
    if missing <= 0:
        return sign + body
    if spec.align == "<":
        return sign + body + spec.fill * missing
    if spec.align == "=":
        return sign + spec.fill * missing + body
    if spec.align == "^":
        left = missing // 2
        return spec.fill * left + sign + body + spec.fill * (missing - left)
    return spec.fill * missing + sign + body


def _sign_text(sign, spec):
    if sign:
        return "-"
    return spec.sign if spec.sign in ("+", " ") else ""


def _rounded(sign, coefficient, exponent, spec, mode):
    """The parts after the precision of the format has been applied."""
    kind, precision = spec.kind.lower(), spec.precision
    if precision is None:
        if kind in ("f", "%") and exponent > 0:
            return (coefficient * 10**exponent, 0)
        return (coefficient, exponent)
    if kind in ("f", "%"):
        if exponent >= -precision:
            return (coefficient * 10 ** (exponent + precision), -precision)
        return (drop_digits(coefficient, -precision - exponent, sign, mode)[0], -precision)
    if kind == "e":
        if not coefficient:
            return (0, exponent)
        wanted = precision + 1
        missing = wanted - len(digit_text(coefficient))
        if missing > 0:
            return (coefficient * 10**missing, exponent - missing)
    else:
        wanted = precision or 1
    return round_to(coefficient, exponent, wanted, sign, mode)[:2]


def formatted(parts, specification, mode=ROUND_HALF_EVEN, capitals=1):
    """What format() gives for a decimal of these four parts."""
    spec = _Spec(specification)
    sign, coefficient, exponent, special = parts
    if special:
        body = special_text(0, coefficient, special)
        if spec.kind == "%":
            body += "%"
        if spec.zero_padded:
            spec.fill, spec.align = " ", ">"
        return _padded(_sign_text(sign, spec), body, spec)
    kind = spec.kind.lower()
    if kind == "%":
        exponent += 2
    coefficient, exponent = _rounded(sign, coefficient, exponent, spec, mode)
    # The type F keeps its sign, as it does in the original.
    if spec.no_negative_zero and not coefficient and spec.kind != "F":
        sign = 0
    digits = digit_text(coefficient)
    left = exponent + len(digits)
    if kind == "e":
        point = 1
        if not coefficient and spec.precision is not None:
            digits = "0" * (1 + spec.precision)
            left = exponent + 1 + spec.precision
    elif kind in ("f", "%") or (exponent <= 0 and left > -6):
        point = left
    else:
        point = 1
    if point <= 0:
        whole, fraction = "0", "0" * -point + digits
    else:
        whole = digits[:point] + "0" * (point - len(digits))
        fraction = digits[point:]
    tail = "." + fraction if fraction else ""
    power = left - point
    if kind == "e" or power:
        upper = spec.kind in ("E", "G") or (not spec.kind and capitals)
        tail += f"{'E' if upper else 'e'}{power:+d}"
    if kind == "%":
        tail += "%"
    sign_text = _sign_text(sign, spec)
    least = 0
    if spec.fill == "0" and spec.align == "=":
        least = spec.width - len(sign_text) - len(tail)
    body = _grouped(whole, spec.separator, least) + tail
    return _padded(sign_text, body, spec)
