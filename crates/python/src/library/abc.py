"""Abstract base classes: turns the marks left by `abstractmethod` into refusals to instantiate.

A class of metaclass ABCMeta knows its open abstract names (`__abstractmethods__`) and its
registered virtual subclasses. Weak references and cache invalidation counters are left out:
a class lives as long as the program, and a registration simply clears all caches.
"""

_caches = []


def abstractmethod(funcobj):
    funcobj.__isabstractmethod__ = True
    return funcobj


def _is_abstract(value):
    if isinstance(value, property):
        if type(value) is not property and getattr(value, "__isabstractmethod__", False):
            return True
        for function in (value.fget, value.fset, value.fdel):
            if getattr(function, "__isabstractmethod__", False):
                return True
        return False
    if isinstance(value, (classmethod, staticmethod)):
        return bool(getattr(value.__func__, "__isabstractmethod__", False))
    return bool(getattr(value, "__isabstractmethod__", False))


def _abstract_names(cls, namespace, bases):
    names = {name for name, value in namespace.items() if _is_abstract(value)}
    for base in bases:
        for name in getattr(base, "__abstractmethods__", ()):
            if _is_abstract(getattr(cls, name, None)):
                names.add(name)
    # An inherited property is an abstract property until it is replaced, so the
    # lookup above sees the object itself, found on the class.
    return frozenset(names)


class ABCMeta(type):
    def __new__(mcls, name, bases, namespace, /, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace, **kwargs)
        cls.__abstractmethods__ = _abstract_names(cls, namespace, bases)
        cls._abc_registry = []
        cls._abc_cache = {}
        _caches.append(cls._abc_cache)
        return cls

    def __call__(cls, /, *args, **kwargs):
        if cls.__abstractmethods__:
            names = sorted(cls.__abstractmethods__)
            plural = "s" if len(names) > 1 else ""
            raise TypeError(
                f"Can't instantiate abstract class {cls.__name__} "
                f"with abstract method{plural} {', '.join(names)}"
            )
        return super().__call__(*args, **kwargs)

    def register(cls, subclass):
        if not isinstance(subclass, type):
            raise TypeError("Can only register classes")
        if issubclass(subclass, cls):
            return subclass
        if issubclass(cls, subclass):
            raise RuntimeError("Refusing to create an inheritance cycle")
        cls._abc_registry.append(subclass)
        for cache in _caches:
            cache.clear()
        return subclass

    def __instancecheck__(cls, instance):
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass):
        if not isinstance(subclass, type):
            raise TypeError("issubclass() arg 1 must be a class")
        cache = cls._abc_cache
        if subclass in cache:
            return cache[subclass]
        answer = cls.__subclasshook__(subclass)
        if answer is NotImplemented:
            answer = cls in subclass.__mro__ or _is_virtual(cls, subclass)
        cache[subclass] = answer
        return answer


def _is_virtual(cls, subclass):
    for registered in cls._abc_registry:
        if issubclass(subclass, registered):
            return True
    for child in type.__subclasses__(cls):
        if issubclass(subclass, child):
            return True
    return False


class ABC(metaclass=ABCMeta):
    __slots__ = ()


def get_cache_token():
    return len(_caches)


def update_abstractmethods(cls):
    if hasattr(cls, "__abstractmethods__"):
        cls.__abstractmethods__ = _abstract_names(cls, cls.__dict__, cls.__bases__)
    return cls
