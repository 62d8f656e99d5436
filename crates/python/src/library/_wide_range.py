"""`range` where a number of it does not fit in 64 bits.

`range(...)` itself makes one of these then; every other range is the machine's own.
"""

_narrow = range


class range:
    __slots__ = ("start", "stop", "step", "_size")

    def __init__(self, start, stop, step):
        put = object.__setattr__
        put(self, "start", start)
        put(self, "stop", stop)
        put(self, "step", step)
        put(self, "_size", max(0, (stop - start + step - (1 if step > 0 else -1)) // step))

    def __setattr__(self, name, value):
        raise AttributeError("readonly attribute")

    def __len__(self):
        if self._size >= 2**63:
            raise OverflowError("Python int too large to convert to C ssize_t")
        return self._size

    def __bool__(self):
        return self._size > 0

    def __iter__(self):
        value = self.start
        for _ in _steps(self._size):
            yield value
            value += self.step

    def __reversed__(self):
        value = self.start + (self._size - 1) * self.step
        for _ in _steps(self._size):
            yield value
            value -= self.step

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = _indices(index, self._size)
            at = self.start
            return _narrow(at + start * self.step, at + stop * self.step, self.step * step)
        if not hasattr(index, "__index__"):
            kind = type(index).__name__
            raise TypeError(f"range indices must be integers or slices, not {kind}")
        place = index.__index__()
        if place < 0:
            place += self._size
        if not 0 <= place < self._size:
            raise IndexError("range object index out of range")
        return self.start + place * self.step

    def __contains__(self, value):
        if type(value) not in (int, bool):
            return any(value == each for each in self)
        if self.step > 0:
            inside = self.start <= value < self.stop
        else:
            inside = self.stop < value <= self.start
        return inside and (value - self.start) % self.step == 0

    def index(self, value):
        if type(value) in (int, bool):
            if value in self:
                return (value - self.start) // self.step
            raise ValueError(f"{value!r} is not in range")
        for place, each in enumerate(self):
            if each == value:
                return place
        raise ValueError("sequence.index(x): x not in sequence")

    def count(self, value):
        if type(value) in (int, bool):
            return int(value in self)
        return sum(each == value for each in self)

    def _key(self):
        if not self._size:
            return 0, None, None
        return self._size, self.start, self.step if self._size > 1 else None

    def __eq__(self, other):
        if isinstance(other, _narrow):
            other = range(other.start, other.stop, other.step)
        return self._key() == other._key() if isinstance(other, range) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        if self.step == 1:
            return f"range({self.start}, {self.stop})"
        return f"range({self.start}, {self.stop}, {self.step})"


def _steps(size):
    """So many turns, however many that are."""
    if size < 2**63:
        return _narrow(size)
    return iter(int, 1)


def _indices(index, size):
    """Where a slice of so many values begins and ends, and its step."""
    step = 1 if index.step is None else index.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, size) if step > 0 else (-1, size - 1)

    def bound(value, otherwise):
        if value is None:
            return otherwise
        return min(max(value + size if value < 0 else value, low), high)

    if step > 0:
        return bound(index.start, low), bound(index.stop, high), step
    return bound(index.start, high), bound(index.stop, low), step


range.__module__ = "builtins"
