"""The parts of `typing` with behaviour: NamedTuple, TypedDict, Protocol and get_type_hints.

Loaded by `typing` on first use. A protocol is recognised by the presence of its members;
their signatures are not looked at.
"""

import sys
from abc import ABCMeta, abstractmethod
from typing import (
    AnyStr, ForwardRef, Generic, NoneType, Optional, TypeVar, Union, Unpack, T_co, _Alias,
    _AnnotatedAlias, _CallableAlias, _checked, _ClassForm, _Unionable, _UnionAlias,
)

class TypeVarTuple(TypeVar):
    _variadic = True

    def __init__(self, name):
        super().__init__(name)

    def __iter__(self):
        yield Unpack[self]

    def __repr__(self):
        return self.__name__


class NewType(_Unionable):
    __module__ = "typing"

    def __init__(self, name, tp):
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name
        self.__supertype__ = tp
        self.__module__ = "__main__"

    def __call__(self, x):
        return x

    def __repr__(self):
        return f"{self.__module__}.{self.__qualname__}"


_reserved = (
    "__new__", "__init__", "__slots__", "__getnewargs__", "_fields", "_field_defaults",
    "_field_types", "_make", "_replace", "_asdict", "_source",
)
_special = ("__module__", "__name__", "__annotations__", "__qualname__", "__classcell__")


def _make_named_tuple(name, types, defaults, module):
    from collections import namedtuple

    types = {key: _checked(value) for key, value in types}
    made = namedtuple(name, list(types), defaults=defaults, module=module)
    made.__annotations__ = types
    made.__new__.__annotations__ = types
    return made


class NamedTupleMeta(type):
    def __new__(metacls, name, bases, namespace):
        if not bases:
            return super().__new__(metacls, name, bases, namespace)
        for base in bases:
            if not isinstance(base, NamedTupleMeta) and base is not Generic:
                raise TypeError("can only inherit from a NamedTuple type and Generic")
        types = namespace.get("__annotations__", {})
        defaults = []
        for field in types:
            if field in namespace:
                defaults.append(field)
            elif defaults:
                plural = "s" if len(defaults) > 1 else ""
                raise TypeError(
                    f"Non-default namedtuple field {field} cannot follow default "
                    f"field{plural} {', '.join(defaults)}"
                )
        values = [namespace[field] for field in defaults]
        made = _make_named_tuple(name, types.items(), values, namespace["__module__"])
        if Generic in bases:
            made.__class_getitem__ = classmethod(lambda cls, params: _Alias(
                cls, params if isinstance(params, tuple) else (params,), ""
            ))
        for key, value in namespace.items():
            if key in _reserved:
                raise AttributeError(f"Cannot overwrite NamedTuple attribute {key}")
            if key not in _special and key not in types:
                setattr(made, key, value)
                if hasattr(type(value), "__set_name__"):
                    value.__set_name__(made, key)
        return made

    def __call__(cls, typename, fields=None, /, **kwargs):
        if fields is None:
            fields = kwargs.items()
        return _make_named_tuple(typename, fields, (), "__main__")


class NamedTuple(metaclass=NamedTupleMeta):
    __module__ = "typing"


class _TypedDictMeta(type):
    def __new__(metacls, name, bases, namespace, total=True):
        if not bases:
            return super().__new__(metacls, name, bases, namespace)
        made = type.__new__(metacls, name, (dict,), dict(namespace))
        own = {
            key: _checked(value) for key, value in namespace.get("__annotations__", {}).items()
        }
        annotations = {}
        required = set()
        optional = set()
        for base in bases:
            annotations.update(base.__dict__.get("__annotations__", {}))
            required |= base.__dict__.get("__required_keys__", frozenset())
            optional |= base.__dict__.get("__optional_keys__", frozenset())
        annotations.update(own)
        for key, value in own.items():
            marker = getattr(getattr(value, "__origin__", None), "_name", None)
            if marker == "Required" or (total and marker != "NotRequired"):
                required.add(key)
            else:
                optional.add(key)
        made.__annotations__ = annotations
        made.__required_keys__ = frozenset(required)
        made.__optional_keys__ = frozenset(optional)
        made.__total__ = total
        return made

    def __call__(cls, *args, total=True, **kwargs):
        if cls is not TypedDict:
            if not total:
                kwargs["total"] = total
            return dict(*args, **kwargs)
        name = args[0]
        fields = args[1] if len(args) > 1 else kwargs
        namespace = {"__annotations__": dict(fields), "__module__": "__main__"}
        return _TypedDictMeta(name, (TypedDict,), namespace, total=total)

    def __init__(cls, *args, **kwargs):
        pass

    def __instancecheck__(cls, instance):
        raise TypeError("TypedDict does not support instance and class checks")

    __subclasscheck__ = __instancecheck__


class TypedDict(metaclass=_TypedDictMeta):
    __module__ = "typing"


def is_typeddict(tp):
    return isinstance(tp, _TypedDictMeta)


_not_members = {
    "__abstractmethods__", "__annotations__", "__dict__", "__doc__", "__init__", "__module__",
    "__new__", "__slots__", "__subclasshook__", "__weakref__", "__class_getitem__",
    "__match_args__", "__orig_bases__", "__parameters__", "_is_protocol", "_is_protocol_base",
    "_is_runtime_protocol", "_abc_registry", "_abc_cache", "_abc_impl", "__init_subclass__",
    "__qualname__", "__static_attributes__", "__firstlineno__", "__classcell__", "__hash__",
}


def _members(protocol):
    names = set()
    for base in protocol.__mro__[:-1]:
        if base in (Protocol, Generic) or not getattr(base, "_is_protocol", False):
            continue
        names.update(base.__dict__.get("__annotations__", {}))
        names.update([name for name in base.__dict__ if name not in _not_members])
    return names


class _ProtocolMeta(ABCMeta):
    def __instancecheck__(cls, instance):
        if not cls.__dict__.get("_is_protocol", False):
            return super().__instancecheck__(instance)
        _require_runtime(cls)
        return super().__instancecheck__(instance) or all(
            hasattr(instance, name) for name in _members(cls)
        )

    def __subclasscheck__(cls, subclass):
        if not cls.__dict__.get("_is_protocol", False) or cls is Protocol:
            return super().__subclasscheck__(subclass)
        if cls in subclass.__mro__:
            return True
        _require_runtime(cls)
        names = _members(cls)
        if not all(callable(getattr(cls, name, None)) for name in names):
            raise TypeError("Protocols with non-method members don't support issubclass()")
        return all(hasattr(subclass, name) for name in names)


def _require_runtime(cls):
    if not getattr(cls, "_is_runtime_protocol", False):
        raise TypeError(
            "Instance and class checks can only be used with @runtime_checkable protocols"
        )


def _refuse_instance(self, *args, **kwargs):
    if type(self)._is_protocol:
        raise TypeError("Protocols cannot be instantiated")


class Protocol(Generic, metaclass=_ProtocolMeta):
    __module__ = "typing"
    __slots__ = ()
    _is_protocol = True
    _is_protocol_base = True
    _is_runtime_protocol = False

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        if "_is_protocol" not in cls.__dict__:
            cls._is_protocol = Protocol in cls.__bases__
        if cls._is_protocol and "__init__" not in cls.__dict__:
            cls.__init__ = _refuse_instance
        elif not cls._is_protocol and cls.__init__ is _refuse_instance:
            cls.__init__ = _next_init(cls)


def _next_init(cls):
    for base in cls.__mro__[1:]:
        found = base.__dict__.get("__init__")
        if found is not None and found is not _refuse_instance:
            return found
    return object.__init__


def runtime_checkable(cls):
    if not getattr(cls, "_is_protocol", False):
        raise TypeError(
            f"@runtime_checkable can be only applied to protocol classes, got {cls!r}"
        )
    cls._is_runtime_protocol = True
    return cls


runtime = runtime_checkable


def _supports(name, method):
    def required(self):
        pass

    required.__name__ = method
    namespace = {"__module__": "typing", "__slots__": (), method: abstractmethod(required)}
    return runtime_checkable(_ProtocolMeta(name, (Protocol,), namespace))


SupportsInt = _supports("SupportsInt", "__int__")
SupportsFloat = _supports("SupportsFloat", "__float__")
SupportsComplex = _supports("SupportsComplex", "__complex__")
SupportsBytes = _supports("SupportsBytes", "__bytes__")
SupportsIndex = _supports("SupportsIndex", "__index__")


class SupportsAbs(Protocol[T_co]):
    __module__ = "typing"
    _is_runtime_protocol = True

    @abstractmethod
    def __abs__(self):
        pass


class SupportsRound(Protocol[T_co]):
    __module__ = "typing"
    _is_runtime_protocol = True

    @abstractmethod
    def __round__(self, ndigits=0):
        pass


class _Stream(Generic[AnyStr]):
    def __class_getitem__(cls, params):
        return _Alias(cls, params if isinstance(params, tuple) else (params,), "IO")


IO = type("IO", (_Stream,), {"__module__": "typing"})
TextIO = type("TextIO", (IO,), {"__module__": "typing"})
BinaryIO = type("BinaryIO", (IO,), {"__module__": "typing"})


def get_origin(tp):
    if isinstance(tp, _AnnotatedAlias):
        from typing import Annotated

        return Annotated
    if isinstance(tp, (_Alias, _ClassForm, type(list[int]), type(int | str))):
        if isinstance(tp, type(int | str)):
            return type(int | str)
        return tp.__origin__
    return Generic if tp is Generic else None


def get_args(tp):
    if isinstance(tp, _AnnotatedAlias):
        return (tp.__origin__,) + tp.__metadata__
    if isinstance(tp, _CallableAlias):
        *taken, result = tp.__args__
        return (taken[0] if taken == [Ellipsis] else taken, result)
    if isinstance(tp, (_Alias, type(list[int]), type(int | str))):
        return tp.__args__
    return ()


def _resolve(value, names):
    """A hint with the references by name inside it replaced by what they name."""
    if value is None:
        return NoneType
    if isinstance(value, str):
        value = ForwardRef(value)
    if isinstance(value, ForwardRef):
        text = value.__forward_arg__.strip()
        if text in names:
            return _resolve(names[text], names)
        return _resolve(eval(text, names), names)
    if isinstance(value, _AnnotatedAlias):
        return value
    if isinstance(value, _UnionAlias):
        return Union[tuple([_resolve(each, names) for each in value.__args__])]
    if isinstance(value, _Alias) and not value._name == "Literal":
        return value._with([_resolve(each, names) for each in value.__args__])
    if isinstance(value, type(list[int])):
        return value.__origin__[tuple([_resolve(each, names) for each in value.__args__])]
    return value


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    hints = {}
    sources = list(reversed(obj.__mro__)) if isinstance(obj, type) else [obj]
    for source in sources:
        if isinstance(obj, type):
            annotations = source.__dict__.get("__annotations__", {})
        else:
            annotations = getattr(source, "__annotations__", None)
            if annotations is None:
                raise TypeError(
                    f"{obj!r} is not a module, class, method, or function."
                )
        module = sys.modules.get(getattr(source, "__module__", None) or "__main__")
        names = dict(getattr(source, "__globals__", None) or getattr(module, "__dict__", {}))
        names.update(globalns or {})
        names.update(localns or {})
        for name, value in annotations.items():
            value = _resolve(value, names)
            if isinstance(value, _AnnotatedAlias) and not include_extras:
                value = value.__origin__
            hints[name] = value
    return hints


_overloads = {}


def _refuse_overload(*args, **kwds):
    raise NotImplementedError(
        "You should not call an overloaded function. A series of @overload-decorated functions "
        "outside a stub module should always be followed by an implementation that is not "
        "@overload-ed."
    )


def overload(func):
    _overloads.setdefault((func.__module__, func.__qualname__), []).append(func)
    return _refuse_overload


def get_overloads(func):
    return list(_overloads.get((func.__module__, func.__qualname__), ()))


def clear_overloads():
    _overloads.clear()


def final(f):
    try:
        f.__final__ = True
    except (AttributeError, TypeError):
        pass
    return f


def no_type_check(arg):
    try:
        arg.__no_type_check__ = True
    except (AttributeError, TypeError):
        pass
    return arg


def no_type_check_decorator(decorator):
    return lambda *args, **kwds: no_type_check(decorator(*args, **kwds))


def assert_never(arg, /):
    raise AssertionError(f"Expected code to be unreachable, but got: {arg!r}")


def assert_type(val, typ, /):
    return val


def reveal_type(obj, /):
    print(f"Runtime type is {type(obj).__name__!r}", file=sys.stderr)
    return obj


def dataclass_transform(**options):
    return lambda decorated: decorated
