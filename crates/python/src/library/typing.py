"""Annotations: subscriptable names that describe types and do nothing at run time.

Subscription makes an `_Alias` of an origin and its arguments, which is shown, compared and
specialised as in CPython. NamedTuple, TypedDict, Protocol and the functions over hints are in
`_typing_classes`, loaded on first use. Checks of the count of arguments cover the plain cases.
"""

TYPE_CHECKING = False
Text = str
NoneType = type(None)


def _type_repr(value):
    if isinstance(value, type) and not isinstance(value, type(list[int])):
        if value.__module__ == "builtins":
            return value.__qualname__
        return f"{value.__module__}.{value.__qualname__}"
    if value is Ellipsis:
        return "..."
    if isinstance(value, type(_type_repr)):
        return value.__name__
    return repr(value)


def _checked(value):
    """An argument as it is stored: None and forward references are converted."""
    if value is None:
        return NoneType
    if isinstance(value, str):
        return ForwardRef(value)
    return value


class ForwardRef:
    def __init__(self, arg, is_argument=True, module=None, *, is_class=False):
        if not isinstance(arg, str):
            raise TypeError(f"Forward reference must be a string -- got {arg!r}")
        self.__forward_arg__ = arg

    def __eq__(self, other):
        if not isinstance(other, ForwardRef):
            return NotImplemented
        return self.__forward_arg__ == other.__forward_arg__

    def __hash__(self):
        return hash(self.__forward_arg__)

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __repr__(self):
        return f"ForwardRef({self.__forward_arg__!r})"


class _Unionable:
    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]


class TypeVar(_Unionable):
    # Whether it may stand for several arguments.
    _variadic = False

    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        if covariant and contravariant:
            raise ValueError("Bivariant types are not supported.")
        if constraints and bound is not None:
            raise TypeError("Constraints cannot be combined with bound=...")
        if len(constraints) == 1:
            raise TypeError("A single constraint is not allowed")
        self.__name__ = name
        self.__constraints__ = tuple([_checked(each) for each in constraints])
        self.__bound__ = None if bound is None else _checked(bound)
        self.__covariant__ = bool(covariant)
        self.__contravariant__ = bool(contravariant)
        self.__module__ = "__main__"

    def __repr__(self):
        sign = "+" if self.__covariant__ else "-" if self.__contravariant__ else "~"
        return sign + self.__name__


class ParamSpec(TypeVar):
    _variadic = True
    args = property(lambda self: f"{self.__name__}.args")
    kwargs = property(lambda self: f"{self.__name__}.kwargs")


def _parameters(args):
    """The distinct type variables inside the arguments, in order of appearance."""
    found = []
    for value in args:
        if isinstance(value, TypeVar):
            inner = (value,)
        elif isinstance(value, (list, tuple)):
            inner = _parameters(value)
        elif isinstance(value, type):
            inner = () if not hasattr(value, "__args__") else _parameters(value.__args__)
        else:
            inner = getattr(value, "__parameters__", ())
        found += [each for each in inner if each not in found]
    return tuple(found)


def _substitute(value, replacements):
    if isinstance(value, TypeVar):
        return replacements.get(value, value)
    parameters = () if isinstance(value, type) else getattr(value, "__parameters__", ())
    if parameters:
        return value[tuple([replacements.get(each, each) for each in parameters])]
    return value


class _Alias(_Unionable):
    """`name[args]`; `origin` is the class or special form that it stands for."""

    def __init__(self, origin, args, name, arity=-1):
        self.__origin__ = origin
        self.__args__ = args
        self.__parameters__ = _parameters(args)
        self.__module__ = "typing"
        self._name = name

    def __repr__(self):
        shown = ", ".join([_type_repr(each) for each in self.__args__])
        return f"{self._shown_name()}[{shown or '()'}]"

    def _shown_name(self):
        return f"typing.{self._name}" if self._name else _type_repr(self.__origin__)

    def __eq__(self, other):
        if not isinstance(other, _Alias):
            return NotImplemented
        return self.__origin__ == other.__origin__ and self.__args__ == other.__args__

    def __hash__(self):
        return hash((self.__origin__, self.__args__))

    def __getitem__(self, values):
        if not self.__parameters__:
            raise TypeError(f"{self!r} is not a generic class")
        values = values if isinstance(values, tuple) else (values,)
        _check_count(self, values, len(self.__parameters__), str(self))
        replacements = dict(zip(self.__parameters__, [_checked(each) for each in values]))
        return self._with([_substitute(each, replacements) for each in self.__args__])

    def _with(self, args):
        return type(self)(self.__origin__, tuple(args), self._name)

    def __call__(self, *args, **kwargs):
        if self._name and self.__origin__ is not Generic:
            raise TypeError(
                f"Type {self._name} cannot be instantiated; "
                f"use {self.__origin__.__name__}() instead"
            )
        result = self.__origin__(*args, **kwargs)
        try:
            result.__orig_class__ = self
        except AttributeError:
            pass
        return result

    def __mro_entries__(self, bases):
        origin = self.__origin__
        if self._name and origin is not Generic:
            followed = bases[bases.index(self) + 1:]
            if any(isinstance(base, _Alias) or _is_generic(base) for base in followed):
                return (origin,)
            return (origin, Generic)
        if origin is Generic and any(
            isinstance(base, _Alias) and base is not self and _is_generic(base.__origin__)
            for base in bases
        ):
            return ()
        return (origin,)

    def __getattr__(self, name):
        if name[:2] == "__" or "__origin__" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__origin__, name)

    def __instancecheck__(self, instance):
        raise TypeError("Subscripted generics cannot be used with class and instance checks")

    __subclasscheck__ = __instancecheck__


def _is_generic(base):
    return isinstance(base, type) and issubclass(base, Generic)


def _check_count(what, values, expected, shown):
    if len(values) != expected:
        kind = "many" if len(values) > expected else "few"
        raise TypeError(
            f"Too {kind} arguments for {shown}; actual {len(values)}, expected {expected}"
        )


class _UnionAlias(_Alias):
    def __repr__(self):
        args = self.__args__
        if len(args) == 2 and NoneType in args:
            kept = args[0] if args[1] is NoneType else args[1]
            return f"typing.Optional[{_type_repr(kept)}]"
        return super().__repr__()

    def __eq__(self, other):
        if not isinstance(other, _UnionAlias):
            return NotImplemented
        return set(self.__args__) == set(other.__args__)

    def __hash__(self):
        return hash(frozenset(self.__args__))

    def _with(self, args):
        return Union[tuple(args)]

    def __instancecheck__(self, instance):
        return any(isinstance(instance, each) for each in self.__args__)

    def __subclasscheck__(self, cls):
        return any(issubclass(cls, each) for each in self.__args__)


class _CallableAlias(_Alias):
    """The arguments are stored flat: those of the call, then the result."""

    def __repr__(self):
        *taken, result = self.__args__
        if taken == [Ellipsis]:
            shown = "..."
        else:
            shown = f"[{', '.join([_type_repr(each) for each in taken])}]"
        return f"{self._shown_name()}[{shown}, {_type_repr(result)}]"

    def _shown_name(self):
        return self._name if "." in self._name else f"typing.{self._name}"


class _LiteralAlias(_Alias):
    def __repr__(self):
        return f"typing.Literal[{', '.join(map(repr, self.__args__))}]"


class _AnnotatedAlias(_Alias):
    def __init__(self, origin, args, name, metadata=()):
        super().__init__(origin, (origin,), name)
        self.__metadata__ = metadata

    def __repr__(self):
        notes = ", ".join(map(repr, self.__metadata__))
        return f"typing.Annotated[{_type_repr(self.__origin__)}, {notes}]"

    def __getitem__(self, values):
        return _AnnotatedAlias(self.__origin__[values], (), "Annotated", self.__metadata__)

    def __eq__(self, other):
        if not isinstance(other, _AnnotatedAlias):
            return NotImplemented
        mine = (self.__origin__, self.__metadata__)
        return mine == (other.__origin__, other.__metadata__)

    def __hash__(self):
        return hash((self.__origin__, self.__metadata__))


def _callable_alias(name, origin, params):
    if not isinstance(params, tuple) or len(params) != 2:
        raise TypeError("Callable must be used as Callable[[arg, ...], result].")
    taken, result = params
    if isinstance(taken, list):
        taken = [_checked(each) for each in taken]
    elif taken is Ellipsis or isinstance(taken, (ParamSpec, _Alias)):
        taken = [taken]
    else:
        raise TypeError(
            f"Callable[args, result]: args must be a list. Got {_type_repr(taken)}"
        )
    return _CallableAlias(origin, (*taken, _checked(result)), name)


class _Form(_Unionable):
    """A name such as Optional or ClassVar that is not a class."""

    def __init__(self, name, subscribe=None):
        self._name = name
        self._subscribe = subscribe

    def __repr__(self):
        return f"typing.{self._name}"

    def __getitem__(self, params):
        if self._subscribe is None:
            raise TypeError(f"{self!r} is not subscriptable")
        return self._subscribe(self, params)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"Cannot instantiate {self!r}")

    def __instancecheck__(self, instance):
        raise TypeError(f"{self!r} cannot be used with isinstance()")

    def __subclasscheck__(self, cls):
        raise TypeError(f"{self!r} cannot be used with issubclass()")

    def __mro_entries__(self, bases):
        raise TypeError(f"Cannot subclass {self!r}")


def _subscribe_union(form, params):
    if params == ():
        raise TypeError("Cannot take a Union of no types.")
    flat = []
    for each in params if isinstance(params, tuple) else (params,):
        each = _checked(each)
        inner = (each,)
        if isinstance(each, (_UnionAlias, type(int | str))):
            inner = each.__args__
        flat += [member for member in inner if member not in flat]
    return flat[0] if len(flat) == 1 else _UnionAlias(Union, tuple(flat), "Union")


def _subscribe_optional(form, params):
    if isinstance(params, tuple):
        raise TypeError(f"typing.Optional requires a single type. Got {params!r}.")
    return Union[params, NoneType]


def _subscribe_literal(form, params):
    flat = []
    seen = []
    for each in params if isinstance(params, tuple) else (params,):
        for value in each.__args__ if isinstance(each, _LiteralAlias) else (each,):
            if (type(value), value) not in seen:
                seen.append((type(value), value))
                flat.append(value)
    return _LiteralAlias(Literal, tuple(flat), "Literal")


def _subscribe_annotated(form, params):
    if not isinstance(params, tuple) or len(params) < 2:
        raise TypeError(
            "Annotated[...] should be used with at least two arguments "
            "(a type and an annotation)."
        )
    origin = _checked(params[0])
    metadata = tuple(params[1:])
    if isinstance(origin, _AnnotatedAlias):
        return _AnnotatedAlias(
            origin.__origin__, (), "Annotated", origin.__metadata__ + metadata
        )
    return _AnnotatedAlias(origin, (), "Annotated", metadata)


def _subscribe_single(form, params):
    if isinstance(params, tuple):
        raise TypeError(f"{form!r} accepts only single type. Got {params!r}.")
    return _Alias(form, (_checked(params),), form._name)


def _subscribe_several(form, params):
    params = params if isinstance(params, tuple) else (params,)
    return _Alias(form, tuple([_checked(each) for each in params]), form._name)


Union = _Form("Union", _subscribe_union)
Optional = _Form("Optional", _subscribe_optional)
Literal = _Form("Literal", _subscribe_literal)
Annotated = _Form("Annotated", _subscribe_annotated)
ClassVar = _Form("ClassVar", _subscribe_single)
Final = _Form("Final", _subscribe_single)
TypeGuard = _Form("TypeGuard", _subscribe_single)
Required = _Form("Required", _subscribe_single)
NotRequired = _Form("NotRequired", _subscribe_single)
Unpack = _Form("Unpack", _subscribe_single)
Concatenate = _Form("Concatenate", _subscribe_several)
NoReturn = _Form("NoReturn")
Never = _Form("Never")
Self = _Form("Self")
LiteralString = _Form("LiteralString")
TypeAlias = _Form("TypeAlias")


class _AnyMeta(type):
    def __instancecheck__(cls, instance):
        if cls is Any:
            raise TypeError("typing.Any cannot be used with isinstance()")
        return super().__instancecheck__(instance)

    def __repr__(cls):
        return "typing.Any" if cls is Any else super().__repr__()


class Any(metaclass=_AnyMeta):
    def __new__(cls, *args, **kwargs):
        if cls is Any:
            raise TypeError("Any cannot be instantiated")
        return super().__new__(cls)


class _ClassForm(_Form):
    """A stand-in for a class, as List is for list. The class is looked up when needed, so
    that importing this module does not import those of the classes."""

    def __init__(self, name, module, class_name, arity):
        self._name = name
        self._module = module
        self._class_name = class_name
        self._arity = arity

    def __getattr__(self, name):
        if name == "__origin__":
            self.__origin__ = _load(self._module, self._class_name)
            return self.__origin__
        if name[:2] == "__" or name in ("_module", "_class_name", "_arity"):
            raise AttributeError(name)
        return getattr(self.__origin__, name)

    def __getitem__(self, params):
        if self._name == "Callable":
            return _callable_alias(self._name, self.__origin__, params)
        params = params if isinstance(params, tuple) else (params,)
        if self._arity >= 0:
            _check_count(self, params, self._arity, repr(self))
        return _Alias(self.__origin__, tuple([_checked(each) for each in params]), self._name)

    def __call__(self, *args, **kwargs):
        raise TypeError(
            f"Type {self._name} cannot be instantiated; use {self._class_name}() instead"
        )

    def __instancecheck__(self, instance):
        return isinstance(instance, self.__origin__)

    def __subclasscheck__(self, cls):
        return issubclass(cls, self.__origin__)

    def __mro_entries__(self, bases):
        return (self.__origin__,)


def _load(module, class_name):
    if module != "builtins":
        return getattr(__import__(module, None, None, [class_name]), class_name)
    classes = (list, dict, set, frozenset, tuple, type)
    return {cls.__name__: cls for cls in classes}[class_name]


_class_forms = {
    ("builtins", 1): "List=list Set=set FrozenSet=frozenset Type=type",
    ("builtins", 2): "Dict=dict",
    ("builtins", -1): "Tuple=tuple",
    ("collections", 1): "Deque=deque Counter=Counter",
    ("collections", 2): "DefaultDict=defaultdict OrderedDict=OrderedDict ChainMap=ChainMap",
    ("contextlib", 1): "ContextManager=AbstractContextManager",
    ("re", 1): "Pattern=Pattern Match=Match",
    ("collections.abc", -1): "Callable",
    ("collections.abc", 0): "Hashable Sized ByteString",
    ("collections.abc", 1): (
        "Iterable Iterator Reversible Container Collection AbstractSet=Set MutableSet "
        "Sequence MutableSequence KeysView ValuesView MappingView Awaitable AsyncIterable "
        "AsyncIterator"
    ),
    ("collections.abc", 2): "Mapping MutableMapping ItemsView AsyncGenerator",
    ("collections.abc", 3): "Generator Coroutine",
}
_namespace = globals()
for _place, _names in _class_forms.items():
    for _pair in _names.split():
        _name, _, _class_name = _pair.partition("=")
        _namespace[_name] = _ClassForm(_name, _place[0], _class_name or _name, _place[1])


class Generic:
    __slots__ = ()
    __parameters__ = ()

    def __class_getitem__(cls, params):
        params = params if isinstance(params, tuple) else (params,)
        if cls is Generic or cls.__dict__.get("_is_protocol_base", False):
            if not all(isinstance(each, (TypeVar, _Alias)) for each in params):
                raise TypeError(
                    f"Parameters to {cls.__name__}[...] must all be type variables "
                    "or parameter specification variables."
                )
            return _Alias(cls, params, cls.__name__ if cls is Generic else "")
        if not cls.__parameters__:
            raise TypeError(f"{cls!r} is not a generic class")
        if not any(each._variadic for each in cls.__parameters__):
            _check_count(cls, params, len(cls.__parameters__), repr(cls))
        return _Alias(cls, tuple([_checked(each) for each in params]), "")

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        bases = cls.__dict__.get("__orig_bases__", ())
        generic = [each for each in bases if isinstance(each, _Alias)]
        for each in generic:
            if each.__origin__ is Generic:
                generic = [each]
                break
        cls.__parameters__ = _parameters(generic)


T = TypeVar("T")
KT = TypeVar("KT")
VT = TypeVar("VT")
T_co = TypeVar("T_co", covariant=True)
AnyStr = TypeVar("AnyStr", bytes, str)


def cast(typ, val):
    return val


_decorators_and_classes = (
    "NewType TypeVarTuple NamedTuple TypedDict Protocol runtime_checkable SupportsInt "
    "SupportsFloat SupportsComplex SupportsBytes SupportsIndex SupportsAbs SupportsRound IO "
    "TextIO BinaryIO get_type_hints get_origin get_args "
    "overload get_overloads clear_overloads final no_type_check "
    "no_type_check_decorator assert_never assert_type reveal_type is_typeddict "
    "dataclass_transform runtime"
).split()


def __getattr__(name):
    if name in _decorators_and_classes:
        import _typing_classes

        value = _namespace[name] = getattr(_typing_classes, name)
        return value
    raise AttributeError(f"module 'typing' has no attribute {name!r}")


__all__ = [
    _name
    for _name in _namespace
    if _name[0] != "_" and _name not in ("T", "KT", "VT", "T_co", "NoneType")
] + _decorators_and_classes
