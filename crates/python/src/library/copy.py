"""Shallow and deep copies, with a memo so that shared and cyclic structures stay so.

Instances are copied through `__copy__`/`__deepcopy__` or by copying `__dict__` and slots;
the pickling protocol (`__reduce_ex__`) is used only where a class defines `__reduce__`.
"""


class Error(Exception):
    pass


error = Error

_immutable = {
    type(None), int, float, bool, complex, str, bytes, type, range, slice, property,
    type(Ellipsis), type(NotImplemented), type(len), type(lambda: None), object,
}
_containers = (dict, list, set, tuple, frozenset, bytearray, str, bytes, int, float, complex)


def _is_atomic(cls):
    return cls in _immutable or issubclass(cls, type)


def copy(x):
    cls = type(x)
    if _is_atomic(cls) or cls in (tuple, frozenset):
        return x
    if cls in (list, dict, set, bytearray):
        return x.copy()
    method = getattr(cls, "__copy__", None)
    if method is not None:
        return method(x)
    return _rebuild(x, None)


def deepcopy(x, memo=None, _nil=[]):
    cls = type(x)
    if _is_atomic(cls):
        return x
    if memo is None:
        memo = {}
    key = id(x)
    if key in memo:
        return memo[key]
    if cls is list:
        result = memo[key] = []
        for item in x:
            result.append(deepcopy(item, memo))
    elif cls is dict:
        result = memo[key] = {}
        for name, value in x.items():
            result[deepcopy(name, memo)] = deepcopy(value, memo)
    elif cls is tuple:
        result = _deepcopy_tuple(x, memo)
    elif cls is set or cls is frozenset:
        result = cls([deepcopy(item, memo) for item in x])
    elif cls is bytearray:
        result = bytearray(x)
    elif hasattr(cls, "__deepcopy__"):
        result = x.__deepcopy__(memo)
    elif cls is type(memo.get):
        result = x
    elif cls is type(_bound.method):
        result = cls(x.__func__, deepcopy(x.__self__, memo))
    else:
        result = _rebuild(x, memo)
    if result is not x:
        memo[key] = result
        # The original must outlive the memo, or its id could be given to another object.
        memo.setdefault(id(memo), []).append(x)
    return result


class _Bound:
    def method(self):
        pass


_bound = _Bound()


def _deepcopy_tuple(x, memo):
    items = [deepcopy(item, memo) for item in x]
    if id(x) in memo:
        return memo[id(x)]
    if all(mine is theirs for mine, theirs in zip(items, x)):
        return x
    return tuple(items)


def _defines(cls, name):
    for base in cls.__mro__:
        if base is not object and base not in _containers and name in base.__dict__:
            return base.__dict__[name]
    return None


def _slot_names(cls):
    for base in cls.__mro__:
        names = base.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__"):
                yield name


def _blank(x, cls, copied):
    """A new object of the class, filled with the built-in part of the old one."""
    arguments = ()
    if _defines(cls, "__getnewargs_ex__"):
        arguments, keywords = x.__getnewargs_ex__()
        return cls.__new__(cls, *map(copied, arguments), **keywords)
    if _defines(cls, "__getnewargs__"):
        arguments = tuple(map(copied, x.__getnewargs__()))
        return cls.__new__(cls, *arguments)
    for base in (tuple, frozenset, str, bytes, int, float, complex):
        if issubclass(cls, base):
            plain = base(list(x)) if base in (tuple, frozenset) else base.__add__(x, base())
            if base in (tuple, frozenset):
                plain = base([copied(item) for item in plain])
            return cls.__new__(cls, plain)
    if isinstance(x, BaseException):
        return cls(*map(copied, x.args))
    return cls.__new__(cls)


def _fill(x, y, copied):
    if isinstance(x, list):
        for item in x:
            y.append(copied(item))
    elif isinstance(x, dict):
        for key, value in dict.items(x):
            y[copied(key)] = copied(value)
    elif isinstance(x, set):
        for item in list(x):
            y.add(copied(item))
    elif isinstance(x, bytearray):
        y.extend(x)


def _rebuild(x, memo):
    def copied(value):
        return value if memo is None else deepcopy(value, memo)

    cls = type(x)
    if cls.__name__ in ("generator", "module") or cls.__module__ == "_io":
        raise TypeError(f"cannot pickle '{cls.__qualname__}' object")
    if _defines(cls, "__reduce_ex__") or _defines(cls, "__reduce__"):
        return _from_reduction(x, copied, memo)
    if memo is not None or issubclass(cls, _containers) or isinstance(x, BaseException):
        y = _blank(x, cls, copied)
    else:
        y = _blank(x, cls, lambda value: value)
    if memo is not None:
        memo[id(x)] = y
    _set_state(x, y, copied)
    _fill(x, y, copied)
    return y


def _set_state(x, y, copied):
    cls = type(x)
    if _defines(cls, "__getstate__"):
        state = x.__getstate__()
        if not state and not _defines(cls, "__setstate__"):
            return
        state = copied(state)
    else:
        state = copied(dict(getattr(x, "__dict__", ())))
        for name in _slot_names(cls):
            if hasattr(x, name):
                object.__setattr__(y, name, copied(getattr(x, name)))
    if _defines(cls, "__setstate__"):
        y.__setstate__(state)
    elif isinstance(state, tuple) and len(state) == 2:
        y.__dict__.update(state[0] or {})
        for name, value in (state[1] or {}).items():
            setattr(y, name, value)
    elif state:
        y.__dict__.update(state)


def _from_reduction(x, copied, memo):
    parts = x.__reduce_ex__(4) if _defines(type(x), "__reduce_ex__") else x.__reduce__()
    if isinstance(parts, str):
        return x
    function, arguments, state, items, pairs = (tuple(parts) + (None,) * 3)[:5]
    y = function(*map(copied, arguments))
    if memo is not None:
        memo[id(x)] = y
    if state is not None:
        state = copied(state)
        if hasattr(y, "__setstate__"):
            y.__setstate__(state)
        else:
            y.__dict__.update(state)
    for item in items or ():
        y.append(copied(item))
    for key, value in pairs or ():
        y[copied(key)] = copied(value)
    return y
