"""Classes from annotated fields: constructor, representation, comparisons, immutability.

The generated methods are closures over the list of fields, as no source text is compiled at
run time. A class carries its fields in `__dataclass_fields__`, inherited ones first.
The generated `__doc__` text is left out.
"""

import sys

__all__ = [
    "dataclass", "field", "Field", "FrozenInstanceError", "InitVar", "KW_ONLY", "MISSING",
    "fields", "asdict", "astuple", "make_dataclass", "replace", "is_dataclass",
]


class FrozenInstanceError(AttributeError):
    pass


class _MISSING_TYPE:
    pass


class _KW_ONLY_TYPE:
    pass


MISSING = _MISSING_TYPE()
KW_ONLY = _KW_ONLY_TYPE()


class InitVar:
    __slots__ = ("type",)

    def __init__(self, type):
        self.type = type

    def __repr__(self):
        shown = self.type.__name__ if isinstance(self.type, type) else repr(self.type)
        return f"dataclasses.InitVar[{shown}]"

    def __class_getitem__(cls, type):
        return InitVar(type)


class Field:
    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = {} if metadata is None else metadata
        self.kw_only = kw_only
        # One of "field", "class variable", "init only".
        self._field_type = None

    def __repr__(self):
        return (
            f"Field(name={self.name!r},type={self.type!r},default={self.default!r},"
            f"default_factory={self.default_factory!r},init={self.init!r},repr={self.repr!r},"
            f"hash={self.hash!r},compare={self.compare!r},"
            f"metadata=mappingproxy({self.metadata!r}),kw_only={self.kw_only!r},"
            f"_field_type={_KIND_NAMES.get(self._field_type)})"
        )

    def _has_default(self):
        return self.default is not MISSING or self.default_factory is not MISSING


_KIND_NAMES = {
    "field": "_FIELD", "class variable": "_FIELD_CLASSVAR", "init only": "_FIELD_INITVAR",
}


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _kind(annotation):
    if isinstance(annotation, str):
        head = annotation.split("[")[0].strip().split(".")[-1]
        return {"ClassVar": "class variable", "InitVar": "init only"}.get(head, "field")
    if annotation is InitVar or isinstance(annotation, InitVar):
        return "init only"
    typing = sys.modules.get("typing")
    class_var = getattr(typing, "ClassVar", MISSING)
    if annotation is class_var or getattr(annotation, "__origin__", None) is class_var:
        return "class variable"
    if repr(annotation).startswith("typing.ClassVar"):
        return "class variable"
    return "field"


def _make_field(cls, name, annotation, kw_only):
    default = getattr(cls, name, MISSING)
    if isinstance(default, Field):
        made = default
    else:
        if type(default).__name__ == "member_descriptor":
            default = MISSING
        made = field(default=default)
    made.name = name
    made.type = annotation
    made._field_type = _kind(annotation)
    if made._field_type != "field" and made.default_factory is not MISSING:
        raise TypeError(f"field {name} cannot have a default factory")
    if made._field_type == "class variable":
        if made.kw_only is not MISSING:
            raise TypeError(f"field {name} is a ClassVar but specifies kw_only")
    elif made.kw_only is MISSING:
        made.kw_only = kw_only
    if made._field_type == "field" and type(made.default).__hash__ is None:
        raise ValueError(
            f"mutable default {type(made.default)} for field {name} is not allowed: "
            "use default_factory"
        )
    return made


def _collect_fields(cls, kw_only):
    """The fields of the bases, then those annotated in the class itself."""
    collected = {}
    for base in cls.__mro__[-1:0:-1]:
        for each in getattr(base, "__dataclass_fields__", {}).values():
            collected[each.name] = each
    own = []
    seen_marker = False
    annotations = cls.__dict__.get("__annotations__", {})
    for name, annotation in annotations.items():
        if annotation is KW_ONLY or annotation in ("KW_ONLY", "dataclasses.KW_ONLY"):
            if seen_marker:
                raise TypeError(f"{name!r} is KW_ONLY, but KW_ONLY has already been specified")
            seen_marker = kw_only = True
            continue
        own.append(_make_field(cls, name, annotation, kw_only))
    for each in own:
        collected[each.name] = each
        if isinstance(cls.__dict__.get(each.name), Field):
            if each.default is MISSING:
                delattr(cls, each.name)
            else:
                setattr(cls, each.name, each.default)
    for name, value in cls.__dict__.items():
        if isinstance(value, Field) and name not in annotations:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    return collected, own


def _install(cls, function, name=None):
    """Adds a generated method, unless the class body has one; tells whether it had."""
    name = name or function.__name__
    if name in cls.__dict__:
        return True
    function.__name__ = name
    function.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, function)
    return False


def _bind_arguments(title, parameters, args, kwargs):
    """The supplied values by name; wrong calls are refused in the usual words."""
    positional = [each.name for each in parameters if not each.kw_only]
    keyword = [each.name for each in parameters if each.kw_only]
    optional = sum(1 for each in parameters if not each.kw_only and each._has_default())
    optional_keywords = [
        each.name for each in parameters if each.kw_only and each._has_default()
    ]
    from _argument_binding import bind

    return bind(title, positional, optional, keyword, optional_keywords, args, kwargs)


def _make_init(cls, all_fields, assign):
    parameters = [each for each in all_fields if each.init]
    parameters.sort(key=lambda each: bool(each.kw_only))
    default_seen = False
    for each in parameters:
        if each.kw_only:
            continue
        if each._has_default():
            default_seen = True
        elif default_seen:
            raise TypeError(f"non-default argument {each.name!r} follows default argument")
    names = [each.name for each in parameters if not each.kw_only]
    stored = [each for each in all_fields if each._field_type == "field"]
    init_only = [each for each in all_fields if each._field_type == "init only"]
    plain = len(names) == len(all_fields) and not init_only
    has_post_init = hasattr(cls, "__post_init__")
    title = f"{cls.__qualname__}.__init__"

    def __init__(self, /, *args, **kwargs):
        if plain and not kwargs and len(args) == len(names):
            for name, value in zip(names, args):
                assign(self, name, value)
            if has_post_init:
                self.__post_init__()
            return
        bound = _bind_arguments(title, parameters, args, kwargs)
        for each in stored:
            name = each.name
            if each.init and name in bound:
                assign(self, name, bound[name])
            elif each.default_factory is not MISSING:
                assign(self, name, each.default_factory())
            elif each.default is not MISSING and (each.init or has_slots(self)):
                assign(self, name, each.default)
        if has_post_init:
            self.__post_init__(*[bound.get(each.name, each.default) for each in init_only])

    def has_slots(self):
        return "__slots__" in type(self).__dict__

    annotations = {each.name: each.type for each in parameters}
    __init__.__annotations__ = {**annotations, "return": None}
    return __init__


_being_shown = set()


def _make_repr(shown_fields):
    names = [each.name for each in shown_fields if each.repr]

    def __repr__(self):
        key = id(self)
        if key in _being_shown:
            return "..."
        _being_shown.add(key)
        try:
            pairs = [f"{name}={getattr(self, name)!r}" for name in names]
        finally:
            _being_shown.discard(key)
        return f"{self.__class__.__qualname__}({', '.join(pairs)})"

    return __repr__


def _values(names):
    def values(self):
        return tuple([getattr(self, name) for name in names])

    return values


def _install_comparisons(cls, compared, eq, order):
    values = _values([each.name for each in compared])

    def __eq__(self, other):
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    def __lt__(self, other):
        if other.__class__ is self.__class__:
            return values(self) < values(other)
        return NotImplemented

    def __le__(self, other):
        if other.__class__ is self.__class__:
            return values(self) <= values(other)
        return NotImplemented

    def __gt__(self, other):
        if other.__class__ is self.__class__:
            return values(self) > values(other)
        return NotImplemented

    def __ge__(self, other):
        if other.__class__ is self.__class__:
            return values(self) >= values(other)
        return NotImplemented

    if eq:
        _install(cls, __eq__)
    for function in (__lt__, __le__, __gt__, __ge__) if order else ():
        if _install(cls, function):
            raise TypeError(
                f"Cannot overwrite attribute {function.__name__} in class {cls.__name__}. "
                "Consider using functools.total_ordering"
            )


def _install_frozen(cls, names):
    def __setattr__(self, name, value):
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self, name):
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    for function in (__setattr__, __delattr__):
        if _install(cls, function):
            raise TypeError(
                f"Cannot overwrite attribute {function.__name__} in class {cls.__name__}"
            )


def _install_hash(cls, own_hash, hashed, unsafe_hash, eq, frozen):
    if unsafe_hash and own_hash:
        raise TypeError(f"Cannot overwrite attribute __hash__ in class {cls.__name__}")
    if unsafe_hash or (eq and frozen and not own_hash):
        values = _values([each.name for each in hashed])

        def __hash__(self):
            return hash(values(self))

        __hash__.__qualname__ = f"{cls.__qualname__}.__hash__"
        cls.__hash__ = __hash__
    elif eq and not frozen and not own_hash:
        cls.__hash__ = None


def _check_frozen_bases(cls, frozen):
    for base in cls.__mro__[1:]:
        parameters = base.__dict__.get("__dataclass_params__")
        if parameters is not None:
            if parameters["frozen"] and not frozen:
                raise TypeError("cannot inherit non-frozen dataclass from a frozen one")
            if frozen and not parameters["frozen"]:
                raise TypeError("cannot inherit frozen dataclass from a non-frozen one")


def _process(cls, options):
    kw_only = options["kw_only"]
    frozen, eq, order = options["frozen"], options["eq"], options["order"]
    class_hash = cls.__dict__.get("__hash__", MISSING)
    own_hash = class_hash is not MISSING and not (class_hash is None and "__eq__" in cls.__dict__)
    collected, _ = _collect_fields(cls, kw_only)
    _check_frozen_bases(cls, frozen)
    cls.__dataclass_fields__ = collected
    cls.__dataclass_params__ = options
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    all_fields = [each for each in collected.values() if each._field_type != "class variable"]
    stored = [each for each in all_fields if each._field_type == "field"]
    if options["init"]:
        _install(cls, _make_init(cls, all_fields, object.__setattr__ if frozen else setattr))
    if options["repr"]:
        _install(cls, _make_repr(stored))
    compared = [each for each in stored if each.compare]
    _install_comparisons(cls, compared, eq, order)
    if frozen:
        _install_frozen(cls, {each.name for each in stored})
    hashed = [each for each in stored if (each.compare if each.hash is None else each.hash)]
    _install_hash(cls, own_hash, hashed, options["unsafe_hash"], eq, frozen)
    if options["match_args"] and "__match_args__" not in cls.__dict__:
        cls.__match_args__ = tuple(
            [each.name for each in all_fields if each.init and not each.kw_only]
        )
    if options["slots"]:
        return _with_slots(cls, stored, options)
    if options["weakref_slot"]:
        raise TypeError("weakref_slot is True but slots is False")
    return cls


def _with_slots(cls, stored, options):
    """A copy of the class with slots, as a class cannot gain them after its creation."""
    if "__slots__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} already specifies __slots__")
    namespace = dict(cls.__dict__)
    inherited = set()
    for base in cls.__mro__[1:-1]:
        slots = base.__dict__.get("__slots__", ())
        inherited.update((slots,) if isinstance(slots, str) else slots)
    names = [each.name for each in stored]
    namespace["__slots__"] = tuple([name for name in names if name not in inherited])
    for name in names + ["__dict__", "__weakref__"]:
        namespace.pop(name, None)
    if options["frozen"]:
        del namespace["__setattr__"], namespace["__delattr__"]
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    if options["frozen"]:
        _install_frozen(made, set(names))
    return made


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    options = {
        "init": init, "repr": repr, "eq": eq, "order": order, "unsafe_hash": unsafe_hash,
        "frozen": frozen, "match_args": match_args, "kw_only": kw_only, "slots": slots,
        "weakref_slot": weakref_slot,
    }
    if cls is None:
        return lambda decorated: _process(decorated, options)
    return _process(cls, options)


def fields(class_or_instance):
    try:
        collected = class_or_instance.__dataclass_fields__
    except AttributeError:
        raise TypeError("must be called with a dataclass type or instance") from None
    return tuple([each for each in collected.values() if each._field_type == "field"])


def is_dataclass(obj):
    cls = obj if isinstance(obj, type) else type(obj)
    return hasattr(cls, "__dataclass_fields__")


def _is_instance(obj):
    return hasattr(type(obj), "__dataclass_fields__")


def _convert(obj, outermost):
    """Applies `outermost` to the (name, value) pairs of every dataclass inside `obj`."""
    if _is_instance(obj):
        return outermost(
            [(each.name, _convert(getattr(obj, each.name), outermost)) for each in fields(obj)]
        )
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*[_convert(item, outermost) for item in obj])
    if isinstance(obj, (list, tuple)):
        return type(obj)([_convert(item, outermost) for item in obj])
    if isinstance(obj, dict):
        pairs = [(_convert(k, outermost), _convert(v, outermost)) for k, v in obj.items()]
        return type(obj)(pairs)
    if isinstance(obj, (int, str, float, bool, type(None))) and type(obj).__module__ == "builtins":
        return obj
    from copy import deepcopy

    return deepcopy(obj)


def asdict(obj, *, dict_factory=dict):
    if not _is_instance(obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return _convert(obj, dict_factory)


def astuple(obj, *, tuple_factory=tuple):
    if not _is_instance(obj):
        raise TypeError("astuple() should be called on dataclass instances")
    return _convert(obj, lambda pairs: tuple_factory([value for _, value in pairs]))


def replace(obj, /, **changes):
    if not _is_instance(obj):
        raise TypeError("replace() should be called on dataclass instances")
    for each in obj.__dataclass_fields__.values():
        if each._field_type == "class variable":
            continue
        if not each.init:
            if each.name in changes:
                raise ValueError(
                    f"field {each.name} is declared with init=False, "
                    "it cannot be specified with replace()"
                )
            continue
        if each.name not in changes:
            if each._field_type == "init only" and each.default is MISSING:
                raise ValueError(f"InitVar {each.name!r} must be specified with replace()")
            changes[each.name] = getattr(obj, each.name)
    return obj.__class__(**changes)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    body = dict(namespace or {})
    annotations = {}
    for item in fields:
        if isinstance(item, str):
            name, kind = item, "typing.Any"
        elif len(item) == 2:
            name, kind = item
        elif len(item) == 3:
            name, kind, body[item[0]] = item
        else:
            raise TypeError(f"Invalid field: {item!r}")
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f"Field names must be valid identifiers: {name!r}")
        from keyword import iskeyword

        if iskeyword(name):
            raise TypeError(f"Field names must not be keywords: {name!r}")
        if name in annotations:
            raise TypeError(f"Field name duplicated: {name!r}")
        annotations[name] = kind
    body["__annotations__"] = annotations
    meta = type(bases[0]) if bases else type
    cls = meta(cls_name, tuple(bases), body)
    cls.__module__ = "types"
    return dataclass(cls, **options)
