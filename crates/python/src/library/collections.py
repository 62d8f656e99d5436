"""Container types: namedtuple, deque, Counter, OrderedDict, defaultdict and ChainMap.

Kept free of imports so that programs start fast; UserDict, UserList, UserString and the
`abc` submodule are loaded on first use by the module's `__getattr__`.
A deque is two lists: `_left` holds the front reversed, `_right` the back, so both ends
are ends of a list and indexing stays constant time.
"""

__all__ = [
    "ChainMap", "Counter", "OrderedDict", "UserDict", "UserList", "UserString",
    "defaultdict", "deque", "namedtuple",
]


def __getattr__(name):
    if name == "abc":
        import collections.abc as abc

        return abc
    if name in ("UserDict", "UserList", "UserString"):
        import _collections_user

        return getattr(_collections_user, name)
    raise AttributeError(f"module 'collections' has no attribute {name!r}")


def _field_names(typename, field_names, rename):
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    names = [str(name) for name in field_names]
    from keyword import iskeyword

    if rename:
        seen = set()
        for index, name in enumerate(names):
            if not name.isidentifier() or iskeyword(name) or name[0] == "_" or name in seen:
                names[index] = f"_{index}"
            seen.add(name)
    for name in [typename] + names:
        if not name.isidentifier():
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
        if iskeyword(name):
            raise ValueError(f"Type names and field names cannot be a keyword: {name!r}")
    seen = set()
    for name in names:
        if name.startswith("_") and not rename:
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        if name in seen:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
        seen.add(name)
    return tuple(names)


def _refuse_set(self, value):
    raise AttributeError("can't set attribute")


def _refuse_delete(self):
    raise AttributeError("can't delete attribute")


def _field_property(index):
    def getter(self):
        return self[index]

    return property(getter, _refuse_set, _refuse_delete, f"Alias for field number {index}")


def _namedtuple_methods(typename, names, defaults):
    count = len(names)
    make = tuple.__new__

    def __new__(_cls, /, *args, **kwargs):
        if len(args) == count and not kwargs:
            return make(_cls, args)
        from _argument_binding import bind

        bound = bind(f"{typename}.__new__", names, len(defaults), (), (), args, kwargs)
        return make(_cls, [bound[n] if n in bound else defaults[n] for n in names])

    def _make(cls, iterable):
        values = tuple(iterable)
        if len(values) != count:
            raise TypeError(f"Expected {count} arguments, got {len(values)}")
        return make(cls, values)

    def _replace(self, /, **kwds):
        result = self._make([kwds.pop(name, value) for name, value in zip(names, self)])
        if kwds:
            raise ValueError(f"Got unexpected field names: {list(kwds)!r}")
        return result

    def __repr__(self):
        pairs = [f"{name}={value!r}" for name, value in zip(names, self)]
        return f"{self.__class__.__name__}({', '.join(pairs)})"

    def _asdict(self):
        return dict(zip(self._fields, self))

    def __getnewargs__(self):
        return tuple(self)

    methods = (__new__, _make, _replace, __repr__, _asdict, __getnewargs__)
    for method in methods:
        method.__qualname__ = f"{typename}.{method.__name__}"
    namespace = {method.__name__: method for method in methods}
    namespace["_make"] = classmethod(_make)
    return namespace


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    typename = str(typename)
    names = _field_names(typename, field_names, rename)
    field_defaults = {}
    if defaults is not None:
        defaults = tuple(defaults)
        if len(defaults) > len(names):
            raise TypeError("Got more default values than field names")
        field_defaults = dict(zip(names[len(names) - len(defaults):], defaults))
    namespace = {
        "__doc__": f"{typename}({', '.join(names)})",
        "__slots__": (),
        "__module__": module or "__main__",
        "_fields": names,
        "_field_defaults": field_defaults,
        "__match_args__": names,
    }
    namespace.update(_namedtuple_methods(typename, names, field_defaults))
    for index, name in enumerate(names):
        namespace[name] = _field_property(index)
    return type(typename, (tuple,), namespace)


class deque:
    __slots__ = ("_left", "_right", "_limit", "__weakref__")
    __hash__ = None

    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None:
            if not isinstance(maxlen, int):
                raise TypeError("an integer is required")
            if maxlen < 0:
                raise ValueError("maxlen must be non-negative")
        self._left = []
        self._limit = maxlen
        self._right = list(iterable)
        if maxlen is not None:
            del self._right[: max(len(self._right) - maxlen, 0)]

    @property
    def maxlen(self):
        return self._limit

    @maxlen.setter
    def maxlen(self, value):
        raise AttributeError("attribute 'maxlen' of 'collections.deque' objects is not writable")

    def append(self, item):
        self._right.append(item)
        if self._limit is not None and len(self._left) + len(self._right) > self._limit:
            self.popleft()

    def appendleft(self, item):
        self._left.append(item)
        if self._limit is not None and len(self._left) + len(self._right) > self._limit:
            self.pop()

    def popleft(self):
        left = self._left
        if left:
            return left.pop()
        right = self._right
        if not right:
            raise IndexError("pop from an empty deque")
        # Half of the back moves over, so that alternating ends stays cheap as well.
        half = (len(right) + 1) // 2
        left = right[:half]
        left.reverse()
        del right[:half]
        self._left = left
        return left.pop()

    def pop(self):
        right = self._right
        if right:
            return right.pop()
        left = self._left
        if not left:
            raise IndexError("pop from an empty deque")
        half = (len(left) + 1) // 2
        right = left[:half]
        right.reverse()
        del left[:half]
        self._right = right
        return right.pop()

    def _items(self):
        return self._left[::-1] + self._right

    def _assign(self, items):
        if self._limit is not None:
            items = items[max(len(items) - self._limit, 0):]
        self._left = []
        self._right = items

    def extend(self, iterable):
        items = list(iterable)
        if self._limit is None:
            self._right += items
        else:
            self._assign(self._items() + items)

    def extendleft(self, iterable):
        for item in list(iterable):
            self.appendleft(item)

    def clear(self):
        self._left = []
        self._right = []

    def copy(self):
        if self._limit is None:
            return type(self)(self)
        return type(self)(self, self._limit)

    __copy__ = copy

    def __deepcopy__(self, memo):
        from copy import deepcopy

        result = type(self)([], self._limit)
        memo[id(self)] = result
        for item in self:
            result.append(deepcopy(item, memo))
        return result

    def count(self, item):
        return self._left.count(item) + self._right.count(item)

    def index(self, item, start=0, stop=None):
        items = self._items()
        try:
            return items.index(item, start, len(items) if stop is None else stop)
        except ValueError:
            raise ValueError(f"{item!r} is not in deque") from None

    def insert(self, index, item):
        if self._limit is not None and len(self) >= self._limit:
            raise IndexError("deque already at its maximum size")
        items = self._items()
        items.insert(index, item)
        self._assign(items)

    def remove(self, item):
        items = self._items()
        try:
            items.remove(item)
        except ValueError:
            raise ValueError(f"{item!r} is not in deque") from None
        self._assign(items)

    def reverse(self):
        left = self._left
        self._left = self._right
        self._right = left

    def rotate(self, n=1):
        size = len(self._left) + len(self._right)
        if size < 2:
            return
        steps = n % size
        if steps > size // 2:
            steps -= size
        for _ in range(steps):
            self._left.append(deque.pop(self))
        for _ in range(-steps):
            self._right.append(deque.popleft(self))

    def __len__(self):
        return len(self._left) + len(self._right)

    def __bool__(self):
        return bool(self._left or self._right)

    def __iter__(self):
        left, right = self._left, self._right
        front, back = len(left), len(right)
        for item in left[::-1] + right:
            yield item
            # What is taken from one end and put to the other moves between the two lists.
            if (
                len(left) != front or len(right) != back
                or self._left is not left or self._right is not right
            ):
                raise RuntimeError("deque mutated during iteration")

    def __reversed__(self):
        return iter(self._items()[::-1])

    def __contains__(self, item):
        return item in self._left or item in self._right

    def _place(self, index):
        """The list and the position within it where an index of the deque lives."""
        if not hasattr(index, "__index__"):
            raise TypeError(f"sequence index must be integer, not '{type(index).__name__}'")
        index = index.__index__()
        front = len(self._left)
        size = front + len(self._right)
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError("deque index out of range")
        if index < front:
            return self._left, front - 1 - index
        return self._right, index - front

    def __getitem__(self, index):
        items, position = self._place(index)
        return items[position]

    def __setitem__(self, index, value):
        items, position = self._place(index)
        items[position] = value

    def __delitem__(self, index):
        items, position = self._place(index)
        del items[position]

    def __repr__(self):
        shown = ", ".join(["[...]" if item is self else repr(item) for item in self._items()])
        if self._limit is not None:
            return f"{type(self).__name__}([{shown}], maxlen={self._limit})"
        return f"{type(self).__name__}([{shown}])"

    def __add__(self, other):
        if not isinstance(other, deque):
            raise TypeError(
                f'can only concatenate deque (not "{type(other).__name__}") to deque'
            )
        result = self.copy()
        result.extend(other)
        return result

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __mul__(self, times):
        return type(self)(self._items() * times, self._limit)

    __rmul__ = __mul__

    def __imul__(self, times):
        self._assign(self._items() * times)
        return self

    def __eq__(self, other):
        return self._items() == other._items() if isinstance(other, deque) else NotImplemented

    def __lt__(self, other):
        return self._items() < other._items() if isinstance(other, deque) else NotImplemented

    def __le__(self, other):
        return self._items() <= other._items() if isinstance(other, deque) else NotImplemented

    def __gt__(self, other):
        return self._items() > other._items() if isinstance(other, deque) else NotImplemented

    def __ge__(self, other):
        return self._items() >= other._items() if isinstance(other, deque) else NotImplemented

    def __class_getitem__(cls, item):
        return _generic_alias(cls, item)


def _generic_alias(cls, item):
    return type(list[int])(cls, item)


class defaultdict(dict):
    def __init__(self, default_factory=None, /, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable or None")
        self.default_factory = default_factory
        super().__init__(*args, **kwargs)

    def __missing__(self, key):
        factory = self.default_factory
        if factory is None:
            raise KeyError(key)
        value = factory()
        self[key] = value
        return value

    def __repr__(self):
        return f"{type(self).__name__}({self.default_factory!r}, {dict.__repr__(self)})"

    def copy(self):
        return type(self)(self.default_factory, self)

    __copy__ = copy

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        result = type(self)(self.default_factory, other)
        result.update(self)
        return result

    def __reduce__(self):
        return type(self), (self.default_factory,), None, None, iter(self.items())


def _once(represent):
    """The same, but what is being shown already is `...` inside itself."""
    shown = []

    def __repr__(self):
        if any(each is self for each in shown):
            return "..."
        shown.append(self)
        try:
            return represent(self)
        finally:
            shown.pop()

    return __repr__


class OrderedDict(dict):
    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        if last:
            return dict.popitem(self)
        key = next(iter(self))
        return key, dict.pop(self, key)

    def move_to_end(self, key, last=True):
        value = dict.pop(self, key)
        if last:
            dict.__setitem__(self, key, value)
            return
        rest = list(self.items())
        dict.clear(self)
        dict.__setitem__(self, key, value)
        dict.update(self, rest)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return dict.__eq__(self, other) and list(self) == list(other)
        return dict.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        if not self:
            return f"{type(self).__name__}()"
        return f"{type(self).__name__}({list(self.items())!r})"

    __repr__ = _once(__repr__)

    def copy(self):
        return type(self)(self)

    def __copy__(self):
        result = self.copy()
        result.__dict__.update(self.__dict__)
        return result

    @classmethod
    def fromkeys(cls, iterable, value=None):
        result = cls()
        for key in iterable:
            result[key] = value
        return result

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        result = type(self)(self)
        result.update(other)
        return result

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        result = type(self)(other)
        result.update(self)
        return result


from _collections_counting import ChainMap, Counter
