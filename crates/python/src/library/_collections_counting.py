"""Counter (a dict from items to counts) and ChainMap (lookup through several dicts).

A part of `collections`, in a file of its own for its length. A missing key of a Counter
counts as zero everywhere, comparisons included.
"""


def _by_count(pair):
    return pair[1]


class Counter(dict):
    __module__ = "collections"

    def __init__(self, iterable=None, /, **kwds):
        super().__init__()
        self.update(iterable, **kwds)

    def __missing__(self, key):
        return 0

    def total(self):
        return sum(self.values())

    def most_common(self, n=None):
        ranked = sorted(self.items(), key=_by_count, reverse=True)
        return ranked if n is None else ranked[: max(n, 0)]

    def elements(self):
        for item, count in self.items():
            for _ in range(count):
                yield item

    @classmethod
    def fromkeys(cls, iterable, v=None):
        raise NotImplementedError(
            "Counter.fromkeys() is undefined.  Use Counter(iterable) instead."
        )

    def update(self, iterable=None, /, **kwds):
        if iterable is not None:
            if isinstance(iterable, dict) or hasattr(iterable, "items"):
                if self:
                    for item, count in iterable.items():
                        self[item] = count + self.get(item, 0)
                else:
                    super().update(iterable)
            else:
                get = self.get
                for item in iterable:
                    self[item] = get(item, 0) + 1
        if kwds:
            self.update(kwds)

    def subtract(self, iterable=None, /, **kwds):
        if iterable is not None:
            if isinstance(iterable, dict) or hasattr(iterable, "items"):
                for item, count in iterable.items():
                    self[item] = self.get(item, 0) - count
            else:
                for item in iterable:
                    self[item] = self.get(item, 0) - 1
        if kwds:
            self.subtract(kwds)

    def copy(self):
        return type(self)(self)

    __copy__ = copy

    def __reduce__(self):
        return type(self), (dict(self),)

    def __delitem__(self, item):
        if item in self:
            super().__delitem__(item)

    def __repr__(self):
        if not self:
            return f"{type(self).__name__}()"
        try:
            ordered = dict(self.most_common())
        except TypeError:
            ordered = dict(self)
        return f"{type(self).__name__}({ordered!r})"

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[item] == other[item] for each in (self, other) for item in each)

    def __ne__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return not self == other

    def __le__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[item] <= other[item] for each in (self, other) for item in each)

    def __lt__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self <= other and self != other

    def __ge__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[item] >= other[item] for each in (self, other) for item in each)

    def __gt__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self >= other and self != other

    def __add__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._combine(other, lambda mine, theirs: mine + theirs)

    def __sub__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._combine(other, lambda mine, theirs: mine - theirs)

    def __or__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._combine(other, lambda mine, theirs: theirs if mine < theirs else mine)

    def __and__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._combine(other, lambda mine, theirs: mine if mine < theirs else theirs)

    def _combine(self, other, operation):
        """The positive results of an operation on the counts, own items first."""
        result = Counter()
        for item, count in self.items():
            count = operation(count, other[item])
            if count > 0:
                result[item] = count
        for item, count in other.items():
            if item not in self:
                count = operation(0, count)
                if count > 0:
                    result[item] = count
        return result

    def __pos__(self):
        return self._combine(Counter(), lambda mine, theirs: mine)

    def __neg__(self):
        return self._combine(Counter(), lambda mine, theirs: -mine)

    def _keep_positive(self):
        for item in [item for item, count in self.items() if not count > 0]:
            del self[item]
        return self

    def __iadd__(self, other):
        for item, count in other.items():
            self[item] += count
        return self._keep_positive()

    def __isub__(self, other):
        for item, count in other.items():
            self[item] -= count
        return self._keep_positive()

    def __ior__(self, other):
        for item, count in other.items():
            if count > self[item]:
                self[item] = count
        return self._keep_positive()

    def __iand__(self, other):
        for item, count in list(self.items()):
            if other[item] < count:
                self[item] = other[item]
        return self._keep_positive()


class ChainMap:
    __module__ = "collections"
    __hash__ = None

    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __missing__(self, key):
        raise KeyError(key)

    def __getitem__(self, key):
        for mapping in self.maps:
            try:
                return mapping[key]
            except KeyError:
                pass
        return self.__missing__(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def _merged(self):
        merged = {}
        for mapping in reversed(self.maps):
            merged.update(dict.fromkeys(mapping))
        return merged

    def __len__(self):
        return len(self._merged())

    def __iter__(self):
        return iter(self._merged())

    def __contains__(self, key):
        return any(key in mapping for mapping in self.maps)

    def __bool__(self):
        return any(self.maps)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self.maps))})"

    def keys(self):
        from collections.abc import KeysView

        return KeysView(self)

    def items(self):
        from collections.abc import ItemsView

        return ItemsView(self)

    def values(self):
        from collections.abc import ValuesView

        return ValuesView(self)

    def __eq__(self, other):
        if isinstance(other, (dict, ChainMap)):
            return dict(self) == dict(other)
        return NotImplemented

    @classmethod
    def fromkeys(cls, iterable, *args):
        return cls(dict.fromkeys(iterable, *args))

    def copy(self):
        return type(self)(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy

    def new_child(self, m=None, **kwargs):
        if m is None:
            m = kwargs
        elif kwargs:
            m.update(kwargs)
        return type(self)(m, *self.maps)

    @property
    def parents(self):
        return type(self)(*self.maps[1:])

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        try:
            del self.maps[0][key]
        except KeyError:
            raise KeyError(f"Key not found in the first mapping: {key!r}")

    def popitem(self):
        try:
            return self.maps[0].popitem()
        except KeyError:
            raise KeyError("No keys found in the first mapping.")

    def pop(self, key, *args):
        try:
            return self.maps[0].pop(key, *args)
        except KeyError:
            raise KeyError(f"Key not found in the first mapping: {key!r}")

    def clear(self):
        self.maps[0].clear()

    def setdefault(self, key, default=None):
        if key in self:
            return self[key]
        self[key] = default
        return default

    def update(self, other=(), /, **kwds):
        self.maps[0].update(other, **kwds)

    def __ior__(self, other):
        self.maps[0].update(other)
        return self

    def __or__(self, other):
        if not hasattr(other, "keys"):
            return NotImplemented
        result = self.copy()
        result.maps[0].update(other)
        return result

    def __ror__(self, other):
        if not hasattr(other, "keys"):
            return NotImplemented
        merged = dict(other)
        for mapping in reversed(self.maps):
            merged.update(mapping)
        return type(self)(merged)
