"""UserDict, UserList and UserString: wrappers around `data` that are made to be subclassed.

A part of `collections` that is loaded on first use, as it needs the abstract containers.
Methods that only pass on to the wrapped value are produced by the two small functions below.
"""

from collections.abc import MutableMapping, MutableSequence, Sequence


class UserDict(MutableMapping):
    __module__ = "collections"

    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        missing = getattr(type(self), "__missing__", None)
        if missing is not None:
            return missing(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __repr__(self):
        return repr(self.data)

    def copy(self):
        result = self.__class__.__new__(self.__class__)
        result.__dict__.update(self.__dict__)
        result.data = self.data.copy()
        return result

    __copy__ = copy

    def __or__(self, other):
        if not isinstance(other, (UserDict, dict)):
            return NotImplemented
        return self.__class__(self.data | dict(other))

    def __ror__(self, other):
        if not isinstance(other, (UserDict, dict)):
            return NotImplemented
        return self.__class__(dict(other) | self.data)

    def __ior__(self, other):
        self.data |= dict(other)
        return self

    @classmethod
    def fromkeys(cls, iterable, value=None):
        result = cls()
        for key in iterable:
            result[key] = value
        return result


def _plain(value):
    return value.data if isinstance(value, (UserList, UserString)) else value


def _comparison(name):
    def compare(self, other):
        return getattr(self.data, name)(_plain(other))

    compare.__name__ = name
    return compare


class _Comparable:
    """The six comparisons, answered by the wrapped value."""

    __eq__ = _comparison("__eq__")
    __lt__ = _comparison("__lt__")
    __le__ = _comparison("__le__")
    __gt__ = _comparison("__gt__")
    __ge__ = _comparison("__ge__")
    __hash__ = None


class UserList(_Comparable, MutableSequence):
    __module__ = "collections"

    def __init__(self, initlist=None):
        self.data = [] if initlist is None else list(_plain(initlist))

    def __repr__(self):
        return repr(self.data)

    def __contains__(self, item):
        return item in self.data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(self.data[index])
        return self.data[index]

    def __setitem__(self, index, item):
        self.data[index] = item

    def __delitem__(self, index):
        del self.data[index]

    def __add__(self, other):
        return self.__class__(self.data + list(_plain(other)))

    def __radd__(self, other):
        return self.__class__(list(_plain(other)) + self.data)

    def __iadd__(self, other):
        self.data += list(_plain(other))
        return self

    def __mul__(self, times):
        return self.__class__(self.data * times)

    __rmul__ = __mul__

    def __imul__(self, times):
        self.data *= times
        return self

    def append(self, item):
        self.data.append(item)

    def insert(self, index, item):
        self.data.insert(index, item)

    def pop(self, index=-1):
        return self.data.pop(index)

    def remove(self, item):
        self.data.remove(item)

    def clear(self):
        self.data.clear()

    def copy(self):
        return self.__class__(self)

    def __copy__(self):
        result = self.__class__.__new__(self.__class__)
        result.__dict__.update(self.__dict__)
        result.data = self.data[:]
        return result

    def count(self, item):
        return self.data.count(item)

    def index(self, item, *args):
        return self.data.index(item, *args)

    def reverse(self):
        self.data.reverse()

    def sort(self, /, *args, **kwds):
        self.data.sort(*args, **kwds)

    def extend(self, other):
        self.data.extend(_plain(other))


def _string_method(name, wrapping):
    def method(self, *args, **kwargs):
        result = getattr(self.data, name)(*[_plain(value) for value in args], **kwargs)
        return self.__class__(result) if wrapping else result

    method.__name__ = name
    return method


class UserString(_Comparable, Sequence):
    __module__ = "collections"

    def __init__(self, seq):
        self.data = str(_plain(seq))

    def __str__(self):
        return self.data

    def __repr__(self):
        return repr(self.data)

    def __int__(self):
        return int(self.data)

    def __float__(self):
        return float(self.data)

    def __complex__(self):
        return complex(self.data)

    def __hash__(self):
        return hash(self.data)

    def __contains__(self, char):
        return _plain(char) in self.data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.__class__(self.data[index])

    def __add__(self, other):
        return self.__class__(self.data + str(other))

    def __radd__(self, other):
        return self.__class__(str(other) + self.data)

    def __mul__(self, times):
        return self.__class__(self.data * times)

    __rmul__ = __mul__

    def __mod__(self, args):
        return self.__class__(self.data % args)


for _name in (
    "capitalize casefold center expandtabs ljust lower lstrip removeprefix removesuffix "
    "replace rjust rstrip strip swapcase title translate upper zfill"
).split():
    setattr(UserString, _name, _string_method(_name, True))
for _name in (
    "count encode endswith find format format_map index isalpha isalnum isascii isdecimal "
    "isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join "
    "partition rfind rindex rpartition rsplit split splitlines startswith"
).split():
    setattr(UserString, _name, _string_method(_name, False))
UserString.maketrans = str.maketrans
