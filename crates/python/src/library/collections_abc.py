"""Abstract container classes: what an object can do, and the methods that follow from it.

One-method classes (Iterable, Hashable, …) recognise any class that has the methods; the
richer ones recognise their subclasses and what is registered, the built-in types included.
The awaitable and asynchronous classes are present as names only.
"""

from abc import ABCMeta, abstractmethod

__all__ = [
    "Awaitable", "Coroutine", "AsyncIterable", "AsyncIterator", "AsyncGenerator", "Hashable",
    "Iterable", "Iterator", "Generator", "Reversible", "Sized", "Container", "Callable",
    "Collection", "Set", "MutableSet", "Mapping", "MutableMapping", "MappingView", "KeysView",
    "ItemsView", "ValuesView", "Sequence", "MutableSequence", "ByteString",
]


def _has_methods(candidate, names):
    for name in names:
        for cls in candidate.__mro__:
            if name in cls.__dict__:
                if cls.__dict__[name] is None:
                    return NotImplemented
                break
        else:
            return NotImplemented
    return True


class _Recognising(metaclass=ABCMeta):
    """Base of the classes that are recognised by the methods in `_recognised_by`."""

    __slots__ = ()
    _recognised_by = ()

    @classmethod
    def __subclasshook__(cls, candidate):
        names = cls.__dict__.get("_recognised_by")
        return _has_methods(candidate, names) if names else NotImplemented

    @classmethod
    def __class_getitem__(cls, item):
        return type(list[int])(cls, item)


class Hashable(_Recognising):
    _recognised_by = ("__hash__",)

    @abstractmethod
    def __hash__(self):
        return 0


class Iterable(_Recognising):
    _recognised_by = ("__iter__",)

    @abstractmethod
    def __iter__(self):
        while False:
            yield None


class Iterator(Iterable):
    _recognised_by = ("__iter__", "__next__")

    @abstractmethod
    def __next__(self):
        raise StopIteration

    def __iter__(self):
        return self


class Reversible(Iterable):
    _recognised_by = ("__reversed__", "__iter__")

    @abstractmethod
    def __reversed__(self):
        while False:
            yield None


class Generator(Iterator):
    _recognised_by = ("__iter__", "__next__", "send", "throw", "close")

    def __next__(self):
        return self.send(None)

    @abstractmethod
    def send(self, value):
        raise StopIteration

    @abstractmethod
    def throw(self, typ, val=None, tb=None):
        raise typ if val is None else val

    def close(self):
        try:
            self.throw(GeneratorExit)
        except (GeneratorExit, StopIteration):
            pass
        else:
            raise RuntimeError("generator ignored GeneratorExit")


class Sized(_Recognising):
    _recognised_by = ("__len__",)

    @abstractmethod
    def __len__(self):
        return 0


class Container(_Recognising):
    _recognised_by = ("__contains__",)

    @abstractmethod
    def __contains__(self, x):
        return False


class Collection(Sized, Iterable, Container):
    _recognised_by = ("__len__", "__iter__", "__contains__")


class Callable(_Recognising):
    _recognised_by = ("__call__",)

    @abstractmethod
    def __call__(self, *args, **kwds):
        return False

    @classmethod
    def __class_getitem__(cls, item):
        import typing

        return typing._callable_alias("collections.abc.Callable", cls, item)


class Awaitable(_Recognising):
    _recognised_by = ("__await__",)


class Coroutine(Awaitable):
    _recognised_by = ("__await__", "send", "throw", "close")


class AsyncIterable(_Recognising):
    _recognised_by = ("__aiter__",)


class AsyncIterator(AsyncIterable):
    _recognised_by = ("__anext__", "__aiter__")


class AsyncGenerator(AsyncIterator):
    _recognised_by = ("__aiter__", "__anext__", "asend", "athrow", "aclose")


class Set(Collection):
    @classmethod
    def _from_iterable(cls, it):
        return cls(it)

    def __le__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) <= len(other) and all(item in other for item in self)

    def __lt__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) < len(other) and self.__le__(other)

    def __ge__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) >= len(other) and all(item in self for item in other)

    def __gt__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) > len(other) and self.__ge__(other)

    def __eq__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) == len(other) and self.__le__(other)

    __hash__ = None

    def _hash(self):
        return hash(frozenset(self))

    def isdisjoint(self, other):
        return not any(item in self for item in other)

    def __and__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(item for item in other if item in self)

    __rand__ = __and__

    def __or__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(item for each in (self, other) for item in each)

    __ror__ = __or__

    def __sub__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        if not isinstance(other, Set):
            other = self._from_iterable(other)
        return self._from_iterable(item for item in self if item not in other)

    def __rsub__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(item for item in other if item not in self)

    def __xor__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        if not isinstance(other, Set):
            other = self._from_iterable(other)
        return (self - other) | (other - self)

    __rxor__ = __xor__


class MutableSet(Set):
    @abstractmethod
    def add(self, value):
        raise NotImplementedError

    @abstractmethod
    def discard(self, value):
        raise NotImplementedError

    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        self.discard(value)

    def pop(self):
        for value in self:
            break
        else:
            raise KeyError
        self.discard(value)
        return value

    def clear(self):
        while len(self):
            self.pop()

    def __ior__(self, it):
        for value in it:
            self.add(value)
        return self

    def __iand__(self, it):
        for value in self - it:
            self.discard(value)
        return self

    def __ixor__(self, it):
        if it is self:
            self.clear()
            return self
        for value in list(self._from_iterable(it)):
            if value in self:
                self.discard(value)
            else:
                self.add(value)
        return self

    def __isub__(self, it):
        for value in list(it):
            self.discard(value)
        return self


class Mapping(Collection):
    @abstractmethod
    def __getitem__(self, key):
        raise KeyError

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return KeysView(self)

    def items(self):
        return ItemsView(self)

    def values(self):
        return ValuesView(self)

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    __hash__ = None
    __reversed__ = None


_absent = object()


class MutableMapping(Mapping):
    @abstractmethod
    def __setitem__(self, key, value):
        raise KeyError

    @abstractmethod
    def __delitem__(self, key):
        raise KeyError

    def pop(self, key, default=_absent):
        try:
            value = self[key]
        except KeyError:
            if default is _absent:
                raise
            return default
        del self[key]
        return value

    def popitem(self):
        for key in self:
            value = self[key]
            del self[key]
            return key, value
        raise KeyError

    def clear(self):
        while len(self):
            self.popitem()

    def update(self, other=(), /, **kwds):
        if isinstance(other, Mapping):
            for key in other:
                self[key] = other[key]
        elif hasattr(other, "keys"):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwds.items():
            self[key] = value

    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class MappingView(Sized):
    def __init__(self, mapping):
        self._mapping = mapping

    def __len__(self):
        return len(self._mapping)

    def __repr__(self):
        return f"{type(self).__name__}({self._mapping!r})"


class KeysView(MappingView, Set):
    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __contains__(self, key):
        return key in self._mapping

    def __iter__(self):
        return iter(self._mapping)


class ItemsView(MappingView, Set):
    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __contains__(self, item):
        key, value = item
        try:
            found = self._mapping[key]
        except KeyError:
            return False
        return found is value or found == value

    def __iter__(self):
        for key in self._mapping:
            yield key, self._mapping[key]


class ValuesView(MappingView, Collection):
    def __contains__(self, value):
        return any(found is value or found == value for found in self)

    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]


class Sequence(Reversible, Collection):
    @abstractmethod
    def __getitem__(self, index):
        raise IndexError

    def __iter__(self):
        index = 0
        try:
            while True:
                yield self[index]
                index += 1
        except IndexError:
            return

    def __contains__(self, value):
        return any(item is value or item == value for item in self)

    def __reversed__(self):
        for index in reversed(range(len(self))):
            yield self[index]

    def index(self, value, start=0, stop=None):
        size = len(self)
        start = max(size + start, 0) if start < 0 else start
        stop = size if stop is None else stop + size if stop < 0 else stop
        for position in range(start, min(stop, size)):
            item = self[position]
            if item is value or item == value:
                return position
        raise ValueError

    def count(self, value):
        return sum(1 for item in self if item is value or item == value)


class ByteString(Sequence):
    pass


class MutableSequence(Sequence):
    @abstractmethod
    def __setitem__(self, index, value):
        raise IndexError

    @abstractmethod
    def __delitem__(self, index):
        raise IndexError

    @abstractmethod
    def insert(self, index, value):
        raise IndexError

    def append(self, value):
        self.insert(len(self), value)

    def clear(self):
        while len(self):
            self.pop()

    def reverse(self):
        size = len(self)
        for index in range(size // 2):
            mirror = size - index - 1
            self[index], self[mirror] = self[mirror], self[index]

    def extend(self, values):
        for value in list(values):
            self.append(value)

    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value

    def remove(self, value):
        del self[self.index(value)]

    def __iadd__(self, values):
        self.extend(values)
        return self


def _register_builtins():
    from collections import ChainMap, deque

    dictionary = {}
    for cls, members in (
        (Sequence, (tuple, str, range, bytes)),
        (ByteString, (bytes, bytearray)),
        (MutableSequence, (list, bytearray, deque)),
        (Set, (frozenset,)),
        (MutableSet, (set,)),
        (KeysView, (type(dictionary.keys()),)),
        (ItemsView, (type(dictionary.items()),)),
        (ValuesView, (type(dictionary.values()),)),
        (MutableMapping, (dict, ChainMap)),
        (Mapping, (type(type.__dict__),)),
        (Generator, (type(item for item in ()),)),
    ):
        for member in members:
            if member is not dict or cls is MutableMapping:
                cls.register(member)


_register_builtins()
