"""Arrays of numbers or characters of one type: a list whose items are checked on entry."""

import struct

typecodes = "bBuhHiIlLqQfd"
_sizes = {
    "b": 1, "B": 1, "u": 4, "h": 2, "H": 2, "i": 4, "I": 4, "l": 8, "L": 8, "q": 8, "Q": 8,
    "f": 4, "d": 8,
}


def _range_error(typecode, value):
    """CPython's words, which depend on the width of the first conversion that fails."""
    side = "less than minimum" if value < 0 else "greater than maximum"
    if typecode in "qQ":
        if value < 0 and typecode == "Q":
            return "can't convert negative int to unsigned"
        return "int too big to convert"
    if typecode in "IL":
        if value < 0:
            return "can't convert negative value to unsigned int"
        if value >= 1 << 64:
            return "Python int too large to convert to C unsigned long"
        return "unsigned int is greater than maximum"
    if not -(1 << 63) <= value < 1 << 63:
        return "Python int too large to convert to C long"
    if typecode == "b":
        wide = -(1 << 15) <= value < 1 << 15
        name = "signed char" if wide else "signed short integer"
    elif typecode == "H":
        wide = -(1 << 31) <= value < 1 << 31
        name = "unsigned short" if wide else "signed integer"
    else:
        name = {"B": "unsigned byte integer", "h": "signed short integer"}.get(
            typecode, "signed integer"
        )
    return f"{name} is {side}"


def _checked(typecode, value):
    if typecode == "u":
        if not isinstance(value, str) or len(value) != 1:
            raise TypeError("array item must be unicode character")
        return value
    if typecode in "fd":
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        value = float(value)
        return struct.unpack("f", struct.pack("f", value))[0] if typecode == "f" else value
    if not hasattr(value, "__index__"):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    value = value.__index__()
    bits = 8 * _sizes[typecode]
    signed = typecode in "bhilq"
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1 if signed else bits)) - 1
    if not low <= value <= high:
        raise OverflowError(_range_error(typecode, value))
    return value


class array:
    __hash__ = None

    def __init__(self, typecode, initializer=(), /):
        if not isinstance(typecode, str) or len(typecode) != 1:
            raise TypeError("array() argument 1 must be a unicode character, not "
                            f"{type(typecode).__name__}")
        if typecode not in _sizes:
            raise ValueError(
                "bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)"
            )
        if isinstance(initializer, str) and typecode != "u":
            raise TypeError(f"cannot use a str to initialize an array with typecode '{typecode}'")
        self.typecode = typecode
        self.itemsize = _sizes[typecode]
        self._items = []
        if isinstance(initializer, (bytes, bytearray)):
            self.frombytes(initializer)
        else:
            self.extend(initializer)

    def append(self, x):
        self._items.append(_checked(self.typecode, x))

    def extend(self, iterable):
        if isinstance(iterable, array):
            if iterable.typecode != self.typecode:
                raise TypeError("can only extend with array of same kind")
            self._items.extend(iterable._items)
            return
        for value in iterable:
            self._items.append(_checked(self.typecode, value))

    fromlist = extend
    fromunicode = extend

    def insert(self, i, x):
        self._items.insert(i, _checked(self.typecode, x))

    def pop(self, i=-1):
        if not self._items:
            raise IndexError("pop from empty array")
        try:
            return self._items.pop(i)
        except IndexError:
            raise IndexError("pop index out of range") from None

    def remove(self, x):
        try:
            self._items.remove(x)
        except ValueError:
            raise ValueError("array.remove(x): x not in array") from None

    def index(self, x, *bounds):
        try:
            return self._items.index(x, *bounds)
        except ValueError:
            raise ValueError("array.index(x): x not in array") from None

    def count(self, x):
        return self._items.count(x)

    def reverse(self):
        self._items.reverse()

    def tolist(self):
        return list(self._items)

    def tounicode(self):
        return "".join(self._items)

    def tobytes(self):
        if self.typecode == "u":
            return "".join(self._items).encode("utf-32-le")
        return struct.pack(f"<{len(self._items)}{_standard(self.typecode)}", *self._items)

    def frombytes(self, data):
        if len(data) % self.itemsize:
            raise ValueError("bytes length not a multiple of item size")
        if self.typecode == "u":
            self._items.extend(bytes(data).decode("utf-32-le"))
            return
        count = len(data) // self.itemsize
        self._items.extend(struct.unpack(f"<{count}{_standard(self.typecode)}", data))

    def byteswap(self):
        data = self.tobytes()
        size = self.itemsize
        self._items = []
        self.frombytes(b"".join(
            [data[start:start + size][::-1] for start in range(0, len(data), size)]
        ))

    def buffer_info(self):
        return id(self), len(self._items)

    def _of(self, items):
        result = array(self.typecode)
        result._items = items
        return result

    def __copy__(self):
        return self._of(list(self._items))

    def __deepcopy__(self, memo):
        return self._of(list(self._items))

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __reversed__(self):
        return reversed(self._items)

    def __contains__(self, x):
        return x in self._items

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._of(self._items[index])
        try:
            return self._items[index]
        except IndexError:
            raise IndexError("array index out of range") from None
        except TypeError:
            raise TypeError("array indices must be integers") from None

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            if not isinstance(value, array):
                raise TypeError(
                    f'can only assign array (not "{type(value).__name__}") to array slice'
                )
            self._items[index] = value._items
            return
        value = _checked(self.typecode, value)
        try:
            self._items[index] = value
        except IndexError:
            raise IndexError("array assignment index out of range") from None

    def __delitem__(self, index):
        del self._items[index]

    def __add__(self, other):
        if not isinstance(other, array):
            raise TypeError(
                f'can only append array (not "{type(other).__name__}") to array'
            )
        if other.typecode != self.typecode:
            raise TypeError("bad argument type for built-in operation")
        return self._of(self._items + other._items)

    def __iadd__(self, other):
        if not isinstance(other, array):
            raise TypeError(
                f'can only extend with array (not "{type(other).__name__}")'
            )
        self.extend(other)
        return self

    def __mul__(self, times):
        return self._of(self._items * times)

    __rmul__ = __mul__

    def __imul__(self, times):
        self._items *= times
        return self

    def __eq__(self, other):
        return self._items == other._items if isinstance(other, array) else NotImplemented

    def __lt__(self, other):
        return self._items < other._items if isinstance(other, array) else NotImplemented

    def __le__(self, other):
        return self._items <= other._items if isinstance(other, array) else NotImplemented

    def __gt__(self, other):
        return self._items > other._items if isinstance(other, array) else NotImplemented

    def __ge__(self, other):
        return self._items >= other._items if isinstance(other, array) else NotImplemented

    def __repr__(self):
        if not self._items:
            return f"array({self.typecode!r})"
        shown = self.tounicode() if self.typecode == "u" else self._items
        return f"array({self.typecode!r}, {shown!r})"


def _standard(typecode):
    """The struct code of the same size in the standard sizes, where a long has 4 bytes."""
    return {"l": "q", "L": "Q"}.get(typecode, typecode)


ArrayType = array
