"""Packing of numbers and bytes into binary records by format strings.

Native sizes and alignment are those of 64-bit Linux: a long has 8 bytes, little-endian.
Floats are taken apart by arithmetic, as there is no lower-level access to their bits.
"""

import math


class error(Exception):
    pass


_standard_sizes = {
    "x": 1, "c": 1, "b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "l": 4, "L": 4,
    "q": 8, "Q": 8, "e": 2, "f": 4, "d": 8, "s": 1, "p": 1,
}
_native_sizes = {**_standard_sizes, "l": 8, "L": 8, "n": 8, "N": 8, "P": 8}
# Bits of the exponent and of the fraction.
_float_layouts = {"e": (5, 10), "f": (8, 23), "d": (11, 52)}


def _parse(format):
    """(is big-endian, [(code, count, offset)], size in bytes)"""
    if isinstance(format, (bytes, bytearray)):
        format = format.decode("ascii")
    if not isinstance(format, str):
        raise TypeError(
            f"Struct() argument 1 must be a str or bytes object, not {type(format).__name__}"
        )
    order = format[0] if format[:1] in ("<", ">", "!", "=", "@") else ""
    native = order in ("", "@")
    sizes = _native_sizes if native else _standard_sizes
    parts = []
    offset = 0
    digits = ""
    for char in format[len(order):]:
        if char.isspace():
            continue
        if char.isdigit():
            digits += char
            continue
        if char not in sizes:
            raise error("bad char in struct format")
        count = int(digits) if digits else 1
        digits = ""
        size = sizes[char]
        if native and char not in "sp":
            offset += -offset % size
        parts.append((char, count, offset, size))
        offset += count * size
    if digits:
        raise error("repeat count given without format specifier")
    return order in (">", "!"), parts, offset


def _values_needed(parts):
    return sum(
        0 if code == "x" else 1 if code in "sp" else count for code, count, _, _ in parts
    )


def _pack_integer(code, value, size, big):
    if not hasattr(value, "__index__"):
        raise error("required argument is not an integer")
    value = value.__index__()
    signed = code in "bhilqn"
    bits = 8 * size
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1 if signed else bits)) - 1
    if not low <= value <= high:
        # What does not fit a machine word is refused before the format is looked at.
        fits = 0 <= value < 1 << 64 if code in "IL" else -(1 << 63) <= value < 1 << 63
        if size == 8 or not fits:
            raise error("argument out of range")
        name = {"b": "byte", "B": "ubyte", "h": "short", "H": "ushort"}.get(code, f"'{code}'")
        raise error(f"{name} format requires {low} <= number <= {high}")
    return value.to_bytes(size, "big" if big else "little", signed=signed)


def _pack_float(code, value, size, big):
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise error("required argument is not a float")
    value = float(value)
    exponent_bits, fraction_bits = _float_layouts[code]
    bias = (1 << (exponent_bits - 1)) - 1
    negative = math.copysign(1.0, value) < 0
    if value != value:
        exponent, fraction = 2 * bias + 1, 1 << (fraction_bits - 1)
    elif math.isinf(value):
        exponent, fraction = 2 * bias + 1, 0
    elif value == 0:
        exponent, fraction = 0, 0
    else:
        mantissa, power = math.frexp(abs(value))
        exponent = max(power - 1 + bias, 0)
        # Subnormal numbers share the scale of the smallest normal ones.
        scale = fraction_bits - (max(exponent, 1) - bias)
        # Halves are rounded to even, by integer arithmetic on the exact value.
        numerator = int(mantissa * (1 << 53))
        shift = power - 53 + scale
        if shift >= 0:
            fraction = numerator << shift
        else:
            fraction = numerator >> -shift
            rest = numerator - (fraction << -shift)
            half = 1 << (-shift - 1)
            if rest > half or (rest == half and fraction & 1):
                fraction += 1
        if exponent > 0:
            fraction -= 1 << fraction_bits
        # A fraction that was rounded up to a whole carries into the exponent.
        total = (exponent << fraction_bits) + fraction
        exponent, fraction = divmod(total, 1 << fraction_bits)
        if exponent > 2 * bias:
            raise OverflowError(f"float too large to pack with {code} format")
    number = ((negative << exponent_bits | exponent) << fraction_bits) | fraction
    return number.to_bytes(size, "big" if big else "little")


def _unpack_float(code, data, big):
    exponent_bits, fraction_bits = _float_layouts[code]
    number = int.from_bytes(data, "big" if big else "little")
    fraction = number & ((1 << fraction_bits) - 1)
    exponent = (number >> fraction_bits) & ((1 << exponent_bits) - 1)
    sign = -1.0 if number >> (fraction_bits + exponent_bits) else 1.0
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == 2 * bias + 1:
        return math.copysign(math.inf if fraction == 0 else math.nan, sign)
    if exponent == 0:
        return sign * math.ldexp(float(fraction), 1 - bias - fraction_bits)
    fraction += 1 << fraction_bits
    return sign * math.ldexp(float(fraction), exponent - bias - fraction_bits)


def _pack_bytes(code, count, value):
    if not isinstance(value, (bytes, bytearray)):
        raise error(f"argument for '{code}' must be a bytes object")
    if code == "p":
        value = value[:min(max(count - 1, 0), 255)]
        return (bytes([len(value)]) + bytes(value)).ljust(count, b"\0")[:count]
    return bytes(value[:count]).ljust(count, b"\0")


def _pack_one(code, value, size, big):
    if code == "c":
        if not isinstance(value, (bytes, bytearray)) or len(value) != 1:
            raise error("char format requires a bytes object of length 1")
        return bytes(value)
    if code == "?":
        return b"\1" if value else b"\0"
    if code in _float_layouts:
        return _pack_float(code, value, size, big)
    return _pack_integer(code, value, size, big)


def pack(format, /, *values):
    big, parts, size = _parse(format)
    needed = _values_needed(parts)
    if len(values) != needed:
        raise error(f"pack expected {needed} items for packing (got {len(values)})")
    remaining = iter(values)
    result = bytearray()
    for code, count, offset, item_size in parts:
        result.extend(bytes(offset - len(result)))
        if code == "x":
            result.extend(bytes(count))
        elif code in "sp":
            result.extend(_pack_bytes(code, count, next(remaining)))
        else:
            for _ in range(count):
                result.extend(_pack_one(code, next(remaining), item_size, big))
    return bytes(result)


def _unpack_parts(big, parts, data, base):
    values = []
    for code, count, offset, item_size in parts:
        offset += base
        if code == "x":
            continue
        if code in "sp":
            piece = data[offset:offset + count]
            if code == "p":
                piece = piece[1:1 + piece[0]] if piece else b""
            values.append(bytes(piece))
            continue
        for start in range(offset, offset + count * item_size, item_size):
            piece = bytes(data[start:start + item_size])
            if code == "c":
                values.append(piece)
            elif code == "?":
                values.append(piece != b"\0")
            elif code in _float_layouts:
                values.append(_unpack_float(code, piece, big))
            else:
                order = "big" if big else "little"
                values.append(int.from_bytes(piece, order, signed=code in "bhilqn"))
    return tuple(values)


def unpack(format, buffer, /):
    big, parts, size = _parse(format)
    if len(buffer) != size:
        raise error(f"unpack requires a buffer of {size} bytes")
    return _unpack_parts(big, parts, buffer, 0)


def unpack_from(format, /, buffer, offset=0):
    big, parts, size = _parse(format)
    if offset < 0:
        offset += len(buffer)
    if len(buffer) - offset < size:
        raise error(
            f"unpack_from requires a buffer of at least {size + offset} bytes for unpacking "
            f"{size} bytes at offset {offset} (actual buffer size is {len(buffer)})"
        )
    return _unpack_parts(big, parts, buffer, offset)


def iter_unpack(format, buffer, /):
    big, parts, size = _parse(format)
    if size == 0:
        raise error("cannot iteratively unpack with a struct of length 0")
    if len(buffer) % size:
        raise error(f"iterative unpacking requires a buffer of a multiple of {size} bytes")
    return iter([_unpack_parts(big, parts, buffer, at) for at in range(0, len(buffer), size)])


def pack_into(format, buffer, offset, /, *values):
    data = pack(format, *values)
    if offset < 0:
        offset += len(buffer)
    if len(buffer) - offset < len(data):
        raise error(
            f"pack_into requires a buffer of at least {len(data) + offset} bytes for packing "
            f"{len(data)} bytes at offset {offset} (actual buffer size is {len(buffer)})"
        )
    buffer[offset:offset + len(data)] = data


def calcsize(format, /):
    return _parse(format)[2]


class Struct:
    def __init__(self, format):
        self.size = calcsize(format)
        self.format = format

    def pack(self, *values):
        return pack(self.format, *values)

    def unpack(self, buffer):
        return unpack(self.format, buffer)

    def unpack_from(self, buffer, offset=0):
        return unpack_from(self.format, buffer, offset)

    def iter_unpack(self, buffer):
        return iter_unpack(self.format, buffer)

    def pack_into(self, buffer, offset, *values):
        pack_into(self.format, buffer, offset, *values)
