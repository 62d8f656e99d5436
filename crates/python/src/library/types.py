"""Names for the types of functions, generators, modules and the like, and SimpleNamespace."""


class _Sample:
    def method(self):
        pass


def _generator():
    yield


def _cell_type():
    value = None

    def inner():
        return value

    return type(inner.__closure__[0])


FunctionType = LambdaType = type(_generator)
GeneratorType = type(_generator())
MethodType = type(_Sample().method)
BuiltinFunctionType = BuiltinMethodType = type(len)
NoneType = type(None)
EllipsisType = type(Ellipsis)
NotImplementedType = type(NotImplemented)
GenericAlias = type(list[int])
UnionType = type(int | str)
_lazy = {
    "ModuleType": lambda: type(__import__("sys")),
    "CodeType": lambda: type(_generator.__code__),
    "CellType": _cell_type,
    "WrapperDescriptorType": lambda: type(object.__init__),
    "MethodWrapperType": lambda: type(object().__str__),
    "MethodDescriptorType": lambda: type(str.join),
    "ClassMethodDescriptorType": lambda: type(dict.__dict__["fromkeys"]),
    "GetSetDescriptorType": lambda: type(_generator.__class__.__dict__["__code__"]),
    "MemberDescriptorType": lambda: type(_generator.__class__.__dict__["__globals__"]),
}


def _traceback_types():
    try:
        raise TypeError
    except TypeError as error:
        return type(error.__traceback__), type(error.__traceback__.tb_frame)


def __getattr__(name):
    if name in _lazy:
        return _lazy[name]()
    if name == "TracebackType":
        return _traceback_types()[0]
    if name == "FrameType":
        return _traceback_types()[1]
    raise AttributeError(f"module 'types' has no attribute {name!r}")


# Namespaces whose representation is being made.
_shown = []


class SimpleNamespace:
    __hash__ = None

    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        name = "namespace" if type(self) is SimpleNamespace else type(self).__name__
        if any(each is self for each in _shown):
            return f"{name}(...)"
        _shown.append(self)
        try:
            shown = [f"{key}={value!r}" for key, value in self.__dict__.items()]
        finally:
            _shown.pop()
        return f"{name}({', '.join(shown)})"

    def __eq__(self, other):
        if isinstance(self, SimpleNamespace) and isinstance(other, SimpleNamespace):
            return self.__dict__ == other.__dict__
        return NotImplemented


class MappingProxyType:
    """A read-only view of a dict: it has no method that would change it."""

    __slots__ = ("_mapping",)
    __hash__ = None

    def __init__(self, mapping):
        if not hasattr(mapping, "__getitem__") or isinstance(mapping, (list, tuple)):
            raise TypeError(
                f"mappingproxy() argument must be a mapping, not {type(mapping).__name__}"
            )
        self._mapping = mapping

    def __getitem__(self, key):
        return self._mapping[key]

    def __contains__(self, key):
        return key in self._mapping

    def __iter__(self):
        return iter(self._mapping)

    def __reversed__(self):
        return reversed(self._mapping)

    def __len__(self):
        return len(self._mapping)

    def __repr__(self):
        return f"mappingproxy({self._mapping!r})"

    def __str__(self):
        return str(self._mapping)

    def __eq__(self, other):
        return self._mapping == other

    def __or__(self, other):
        if isinstance(other, MappingProxyType):
            other = other._mapping
        return self._mapping | other

    def __ror__(self, other):
        return other | self._mapping

    def get(self, key, default=None):
        return self._mapping.get(key, default)

    def keys(self):
        return self._mapping.keys()

    def values(self):
        return self._mapping.values()

    def items(self):
        return self._mapping.items()

    def copy(self):
        return self._mapping.copy()


MappingProxyType.__name__ = MappingProxyType.__qualname__ = "mappingproxy"
MappingProxyType.__module__ = "builtins"


class DynamicClassAttribute(property):
    def __get__(self, instance, owner=None):
        if instance is None:
            raise AttributeError()
        return super().__get__(instance, owner)


def new_class(name, bases=(), kwds=None, exec_body=None):
    keywords = dict(kwds or {})
    meta = keywords.pop("metaclass", type(bases[0]) if bases else type)
    prepare = getattr(meta, "__prepare__", None)
    namespace = prepare(name, bases, **keywords) if prepare else {}
    if exec_body is not None:
        exec_body(namespace)
    return meta(name, bases, namespace, **keywords)


def coroutine(func):
    return func
