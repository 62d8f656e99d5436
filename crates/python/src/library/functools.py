"""Higher-order functions: caching, partial application, decorators' book-keeping, dispatch.

A cached function is a closure over a dict; the least recently used entry is the dict's first.
Locks and weak references are left out: programs here have one thread.
"""

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    for name in assigned:
        try:
            value = getattr(wrapped, name)
        except AttributeError:
            continue
        setattr(wrapper, name, value)
    for name in updated:
        getattr(wrapper, name).update(getattr(wrapped, name, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped, assigned, updated)

    return decorate


_absent = object()


def reduce(*args):
    if len(args) < 2:
        raise TypeError(f"reduce expected at least 2 arguments, got {len(args)}")
    if len(args) > 3:
        raise TypeError(f"reduce expected at most 3 arguments, got {len(args)}")
    function = args[0]
    try:
        iterator = iter(args[1])
    except TypeError:
        raise TypeError("reduce() arg 2 must support iteration") from None
    value = args[2] if len(args) == 3 else next(iterator, _absent)
    if value is _absent:
        raise TypeError("reduce() of empty iterable with no initial value")
    for item in iterator:
        value = function(value, item)
    return value


class partial:
    def __new__(cls, /, *args, **keywords):
        if not args:
            raise TypeError("type 'partial' takes at least one argument")
        function = args[0]
        args = args[1:]
        if not callable(function):
            raise TypeError("the first argument must be callable")
        if isinstance(function, partial):
            args = function.args + args
            keywords = {**function.keywords, **keywords}
            function = function.func
        self = super().__new__(cls)
        self.func = function
        self.args = args
        self.keywords = keywords
        return self

    def __call__(self, /, *args, **keywords):
        if keywords or self.keywords:
            return self.func(*self.args, *args, **{**self.keywords, **keywords})
        return self.func(*self.args, *args)

    def __repr__(self):
        shown = [repr(self.func)]
        shown += [repr(value) for value in self.args]
        shown += [f"{name}={value!r}" for name, value in self.keywords.items()]
        name = type(self).__qualname__
        if type(self) is partial:
            name = f"functools.{name}"
        return f"{name}({', '.join(shown)})"

    def __class_getitem__(cls, item):
        return type(list[int])(cls, item)


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        if isinstance(func, partialmethod):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __get__(self, instance, owner=None):
        function = self.func
        if isinstance(function, (classmethod, staticmethod)):
            return partial(function.__get__(instance, owner), *self.args, **self.keywords)
        args = self.args
        keywords = self.keywords

        def method(first, /, *more, **kwargs):
            return function(first, *args, *more, **{**keywords, **kwargs})

        return method if instance is None else method.__get__(instance, owner)


class _CacheInfo(tuple):
    """The named tuple that cache_info() returns, written out to spare an import."""

    __slots__ = ()
    _fields = ("hits", "misses", "maxsize", "currsize")
    hits = property(lambda self: self[0])
    misses = property(lambda self: self[1])
    maxsize = property(lambda self: self[2])
    currsize = property(lambda self: self[3])

    def __repr__(self):
        return "CacheInfo(hits=%r, misses=%r, maxsize=%r, currsize=%r)" % tuple(self)

    def _asdict(self):
        return dict(zip(self._fields, self))


_CacheInfo.__name__ = _CacheInfo.__qualname__ = "CacheInfo"


def _cache_key(args, kwargs, typed):
    """A lone int or str is its own key; other arguments are keyed together."""
    if not typed and not kwargs:
        if len(args) == 1 and type(args[0]) in (int, str):
            return args[0]
        return args
    key = args
    if kwargs:
        key += (_absent,)
        for pair in kwargs.items():
            key += pair
    if typed:
        key += tuple([type(value) for value in args])
        key += tuple([type(value) for value in kwargs.values()])
    return key


def _unbounded(function, cache, counts, typed):
    def wrapper(*args, **kwargs):
        if kwargs or typed:
            key = _cache_key(args, kwargs, typed)
        elif len(args) == 1 and type(args[0]) in (int, str):
            key = args[0]
        else:
            key = args
        if key in cache:
            counts[0] += 1
            return cache[key]
        counts[1] += 1
        result = cache[key] = function(*args, **kwargs)
        return result

    return wrapper


def _bounded(function, cache, counts, typed, maxsize):
    def wrapper(*args, **kwargs):
        key = _cache_key(args, kwargs, typed)
        if key in cache:
            counts[0] += 1
            result = cache[key] = cache.pop(key)
            return result
        counts[1] += 1
        result = function(*args, **kwargs)
        if key not in cache and len(cache) >= maxsize:
            del cache[next(iter(cache))]
        cache[key] = result
        return result

    return wrapper


def _uncached(function, counts):
    def wrapper(*args, **kwargs):
        counts[1] += 1
        return function(*args, **kwargs)

    return wrapper


def lru_cache(maxsize=128, typed=False):
    if isinstance(maxsize, int):
        maxsize = max(maxsize, 0)
    elif callable(maxsize) and isinstance(typed, bool):
        return _cached(maxsize, 128, typed)
    elif maxsize is not None:
        raise TypeError("Expected first argument to be an integer, a callable, or None")

    def decorating_function(user_function):
        return _cached(user_function, maxsize, typed)

    return decorating_function


def cache(user_function, /):
    return _cached(user_function, None, False)


def _cached(function, maxsize, typed):
    stored = {}
    counts = [0, 0]
    if not callable(function):
        raise TypeError("the first argument must be callable")
    if maxsize is None:
        wrapper = _unbounded(function, stored, counts, typed)
    elif maxsize == 0:
        wrapper = _uncached(function, counts)
    else:
        wrapper = _bounded(function, stored, counts, typed, maxsize)

    def cache_info():
        return _CacheInfo((counts[0], counts[1], maxsize, len(stored)))

    def cache_clear():
        stored.clear()
        counts[:] = [0, 0]

    update_wrapper(wrapper, function)
    wrapper.cache_info = cache_info
    wrapper.cache_clear = cache_clear
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return wrapper


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = None
        self.__doc__ = func.__doc__

    def __set_name__(self, owner, name):
        if self.attrname is None:
            self.attrname = name
        elif name != self.attrname:
            raise TypeError(
                "Cannot assign the same cached_property to two different names "
                f"({self.attrname!r} and {name!r})."
            )

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError(
                "Cannot use cached_property instance without calling __set_name__ on it."
            )
        try:
            stored = instance.__dict__
        except AttributeError:
            raise TypeError(
                f"No '__dict__' attribute on {type(instance).__name__!r} "
                f"instance to cache {self.attrname!r} property."
            ) from None
        if self.attrname in stored:
            return stored[self.attrname]
        value = stored[self.attrname] = self.func(instance)
        return value

    def __class_getitem__(cls, item):
        return type(list[int])(cls, item)


class _ComparisonKey:
    __slots__ = ("obj", "_compare")
    __hash__ = None

    def __init__(self, obj, compare):
        self.obj = obj
        self._compare = compare

    def __lt__(self, other):
        return self._compare(self.obj, other.obj) < 0

    def __gt__(self, other):
        return self._compare(self.obj, other.obj) > 0

    def __eq__(self, other):
        return self._compare(self.obj, other.obj) == 0

    def __le__(self, other):
        return self._compare(self.obj, other.obj) <= 0

    def __ge__(self, other):
        return self._compare(self.obj, other.obj) >= 0


def cmp_to_key(mycmp):
    def key(obj):
        return _ComparisonKey(obj, mycmp)

    return key


def _derived(name, root, negated, equality):
    """A comparison from another one: perhaps negated, joined with (in)equality as needed."""

    def compare(self, other):
        result = getattr(type(self), root)(self, other)
        if result is NotImplemented:
            return result
        if negated:
            result = not result
        if equality == "or equal":
            return result or self == other
        if equality == "and unequal":
            return result and self != other
        return result

    compare.__name__ = name
    return compare


_derivations = {
    "__lt__": (
        ("__gt__", True, "and unequal"), ("__le__", False, "or equal"), ("__ge__", True, ""),
    ),
    "__le__": (
        ("__ge__", True, "or equal"), ("__lt__", False, "and unequal"), ("__gt__", True, ""),
    ),
    "__gt__": (
        ("__lt__", True, "and unequal"), ("__ge__", False, "or equal"), ("__le__", True, ""),
    ),
    "__ge__": (
        ("__le__", True, "or equal"), ("__gt__", False, "and unequal"), ("__lt__", True, ""),
    ),
}


def total_ordering(cls):
    roots = [
        name
        for name in ("__lt__", "__le__", "__gt__", "__ge__")
        if getattr(cls, name, None) is not getattr(object, name, None)
    ]
    if not roots:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    for name, negated, equality in _derivations[max(roots)]:
        if name not in roots:
            setattr(cls, name, _derived(name, max(roots), negated, equality))
    return cls


def _find_implementation(cls, registry):
    for base in cls.__mro__:
        if base in registry and base is not object:
            return registry[base]
    best = object
    for candidate in registry:
        # Abstract classes match virtually; the most specific of them wins.
        if candidate is not object and issubclass(cls, candidate) and issubclass(candidate, best):
            best = candidate
    return registry[best]


def singledispatch(func):
    registry = {object: func}
    found = {}

    def dispatch(cls):
        if cls not in found:
            found[cls] = _find_implementation(cls, registry)
        return found[cls]

    def register(cls, func=None):
        if func is None:
            if isinstance(cls, type) or hasattr(cls, "__args__"):
                return lambda function: register(cls, function)
            annotations = getattr(cls, "__annotations__", {})
            if not annotations:
                raise TypeError(
                    f"Invalid first argument to `register()`: {cls!r}. "
                    "Use either `@register(some_class)` or plain `@register` "
                    "on an annotated function."
                )
            func = cls
            name, cls = next(iter(annotations.items()))
            if isinstance(cls, str):
                from typing import get_type_hints

                cls = get_type_hints(func)[name]
        for member in cls.__args__ if hasattr(cls, "__args__") else (cls,):
            registry[member] = func
        found.clear()
        return func

    def wrapper(*args, **kw):
        if not args:
            name = getattr(func, "__name__", "singledispatch function")
            raise TypeError(f"{name} requires at least 1 positional argument")
        return dispatch(type(args[0]))(*args, **kw)

    wrapper.register = register
    wrapper.dispatch = dispatch
    wrapper.registry = registry
    wrapper._clear_cache = found.clear
    return update_wrapper(wrapper, func)


class singledispatchmethod:
    def __init__(self, func):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls, method=None):
        return self.dispatcher.register(cls, func=method)

    def __get__(self, instance, owner=None):
        def method(*args, **kwargs):
            chosen = self.dispatcher.dispatch(type(args[0]))
            return chosen.__get__(instance, owner)(*args, **kwargs)

        method.register = self.register
        return update_wrapper(method, self.func)
