"""Enumerations: classes whose members are made once, from the names in the class body.

The class body runs in a `_EnumDict` that records member names and resolves `auto()`; the
metaclass then makes each member and stores it as a class attribute. Calling the class looks
a value up. Iteration of a Flag yields the single-bit members only; other values are aliases.
"""

__all__ = [
    "EnumType", "EnumMeta", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum",
    "auto", "unique", "property", "verify", "member", "nonmember", "FlagBoundary", "STRICT",
    "CONFORM", "EJECT", "KEEP", "global_enum", "EnumCheck", "CONTINUOUS", "NAMED_FLAGS", "UNIQUE",
]

_builtin_property = property
_absent = object()
Enum = Flag = ReprEnum = None
_descriptors = (type(lambda: None), _builtin_property, classmethod, staticmethod)


class nonmember:
    def __init__(self, value):
        self.value = value


class member:
    def __init__(self, value):
        self.value = value


class auto:
    def __init__(self, value=_absent):
        self.value = value

    def __repr__(self):
        return "auto()" if self.value is _absent else f"auto({self.value!r})"


class property(_builtin_property):
    def __get__(self, instance, owner=None):
        if instance is None:
            raise AttributeError(f"{owner!r} has no attribute {self.fget.__name__!r}")
        return super().__get__(instance, owner)


def _is_descriptor(value):
    if isinstance(value, _descriptors):
        return True
    cls = type(value)
    return any(hasattr(cls, name) for name in ("__get__", "__set__", "__delete__"))


def _is_dunder(name):
    return len(name) > 4 and name[:2] == name[-2:] == "__" and name[2] != "_" != name[-3]


def _is_sunder(name):
    return len(name) > 2 and name[0] == name[-1] == "_" and name[1] != "_" != name[-2]


_reserved = (
    "_order_", "_generate_next_value_", "_numeric_repr_", "_missing_", "_ignore_",
    "_iter_member_", "_iter_member_by_value_", "_iter_member_by_def_",
)


class _EnumDict(dict):
    def __init__(self, name):
        super().__init__()
        self._private_prefix = f"_{name}__"
        self._member_names = {}
        self._last_values = []
        self._ignore = []
        self._generate = None

    def __setitem__(self, key, value):
        if key.startswith(self._private_prefix):
            pass
        elif _is_sunder(key):
            value = self._set_reserved(key, value)
        elif _is_dunder(key):
            pass
        elif key in self._member_names:
            raise TypeError(f"{key!r} already defined as {self[key]!r}")
        elif key in self._ignore:
            pass
        elif isinstance(value, nonmember):
            value = value.value
        elif _is_descriptor(value):
            pass
        else:
            if key in self:
                raise TypeError(f"{key!r} already defined as {self[key]!r}")
            value = value.value if isinstance(value, member) else value
            known = len(self._last_values)
            value = self._resolve(key, value)
            self._member_names[key] = None
            if len(self._last_values) == known:
                self._last_values.append(value)
        super().__setitem__(key, value)

    def _set_reserved(self, key, value):
        if key not in _reserved:
            raise ValueError(
                f"_sunder_ names, such as {key!r}, are reserved for future Enum use"
            )
        if key == "_generate_next_value_":
            self._generate = value.__func__ if isinstance(value, staticmethod) else value
            return staticmethod(self._generate)
        if key == "_ignore_":
            value = value.replace(",", " ").split() if isinstance(value, str) else list(value)
            self._ignore = value
            taken = set(value) & set(self._member_names)
            if taken:
                raise ValueError(f"_ignore_ cannot specify already set names: {taken!r}")
        return value

    def _resolve(self, key, value):
        """The value with each auto() in it, or in a tuple of values, replaced."""
        if isinstance(value, auto):
            if value.value is _absent:
                value.value = self._generate(
                    key, 1, len(self._member_names), self._last_values[:]
                )
            # Each auto() of a tuple counts on from the one before it.
            self._last_values.append(value.value)
            return value.value
        if type(value) is tuple and any(isinstance(item, auto) for item in value):
            return tuple([self._resolve(key, item) for item in value])
        return value


def _member_type(bases):
    for base in bases:
        for cls in base.__mro__:
            if cls is object or isinstance(cls, EnumType):
                continue
            if "__new__" in cls.__dict__ or "__dataclass_fields__" in cls.__dict__:
                return base if not isinstance(base, EnumType) else cls
            if cls in (int, str, float, complex, bytes, tuple, list, dict, set, frozenset):
                return cls
    return object


def _settle_representation(cls, namespace, bases, member_type):
    """A member is shown as the enumeration says, not as its data type would."""
    if ReprEnum is not None and ReprEnum in bases:
        if member_type is object:
            raise TypeError("ReprEnum subclasses must be mixed in with a data type")
        if "__format__" not in namespace:
            cls.__format__ = member_type.__format__
        if "__str__" not in namespace:
            own = member_type.__str__
            plain = own is object.__str__ and not issubclass(member_type, str)
            cls.__str__ = member_type.__repr__ if plain else own
        namespace = {**namespace, "__format__": None, "__str__": None}
    if member_type is object:
        return
    for name in ("__repr__", "__str__", "__format__"):
        if name in namespace or name in cls.__dict__:
            continue
        for base in cls.__mro__[1:]:
            if base not in member_type.__mro__ and name in base.__dict__:
                setattr(cls, name, base.__dict__[name])
                break


class EnumType(type):
    @classmethod
    def __prepare__(metacls, name, bases, **kwds):
        namespace = _EnumDict(name)
        for base in bases:
            if isinstance(base, EnumType) and base._member_names_:
                raise TypeError(f"<enum {name!r}> cannot extend {base!r}")
        if bases and isinstance(bases[-1], EnumType):
            namespace._generate = bases[-1]._generate_next_value_
        return namespace

    def __new__(metacls, name, bases, namespace, *, boundary=None, **kwds):
        names = dict(getattr(namespace, "_member_names", {}))
        for ignored in namespace.get("_ignore_", ()):
            namespace.pop(ignored, None)
            names.pop(ignored, None)
        body = dict(namespace)
        invalid = {"mro", ""} & set(names)
        if invalid:
            raise ValueError(f"invalid enum member name(s) {', '.join(map(repr, invalid))}")
        values = {key: body.pop(key) for key in names}
        body["_member_names_"] = []
        body["_member_map_"] = {}
        body["_value2member_map_"] = {}
        body["_unhashable_values_"] = []
        member_type = body["_member_type_"] = _member_type(bases)
        first_enum = bases[-1] if bases and isinstance(bases[-1], EnumType) else None
        body["_boundary_"] = boundary or getattr(first_enum, "_boundary_", None)
        body["_flag_mask_"] = body["_all_bits_"] = body["_singles_mask_"] = 0
        cls = super().__new__(metacls, name, bases, body, **kwds)
        if first_enum is not None:
            _settle_representation(cls, body, bases, member_type)
            for key, value in values.items():
                _add_member(cls, key, value, member_type)
            _check_order(cls, body.get("_order_"))
        return cls

    def __init__(cls, *args, **kwds):
        pass

    def __call__(cls, value, names=_absent, *args, module=None, qualname=None, type=None,
                 start=1, boundary=None):
        if names is _absent and type is None:
            return _look_up(cls, value)
        return _functional(cls, value, names, type, start, boundary)

    def __contains__(cls, member):
        if not isinstance(member, Enum):
            raise TypeError(
                f"unsupported operand type(s) for 'in': '{type(member).__qualname__}' "
                f"and '{type(cls).__qualname__}'"
            )
        return isinstance(member, cls) and member._name_ in cls._member_map_

    def __getattr__(cls, name):
        raise AttributeError(name)

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __iter__(cls):
        return iter([cls._member_map_[name] for name in cls._member_names_])

    def __reversed__(cls):
        return iter([cls._member_map_[name] for name in reversed(cls._member_names_)])

    def __len__(cls):
        return len(cls._member_names_)

    def __bool__(cls):
        return True

    def __repr__(cls):
        if Flag is not None and issubclass(cls, Flag):
            return f"<flag {cls.__name__!r}>"
        return f"<enum {cls.__name__!r}>"

    @_builtin_property
    def __members__(cls):
        from types import MappingProxyType

        return MappingProxyType(cls._member_map_)

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError(f"cannot reassign member {name!r}")
        super().__setattr__(name, value)

    def __delattr__(cls, name):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError(f"{cls.__name__!r} cannot delete member {name!r}.")
        super().__delattr__(name)

    def __dir__(cls):
        return sorted([
            "__class__", "__contains__", "__doc__", "__getitem__", "__init_subclass__",
            "__iter__", "__len__", "__members__", "__module__", "__name__", "__qualname__",
        ] + cls._member_names_)


EnumMeta = EnumType


def _check_order(cls, order):
    if order is not None:
        names = order.replace(",", " ").split() if isinstance(order, str) else list(order)
        if [name for name in names if name in cls._member_names_] != cls._member_names_:
            raise TypeError(
                "member order does not match _order_:\n"
                f"  {cls._member_names_!r}\n  {names!r}"
            )


def _create(cls, value, member_type):
    arguments = value if isinstance(value, tuple) else (value,)
    if member_type is tuple:
        arguments = (arguments,)
    custom = any("__new__" in base.__dict__ for base in cls.__mro__ if base is not object)
    if custom or member_type is not object:
        made = cls.__new__(cls, *arguments)
    else:
        made = object.__new__(cls)
    if not hasattr(made, "_value_"):
        if member_type is not object and member_type is not tuple:
            try:
                value = member_type(*arguments)
            except Exception:
                pass
        made._value_ = value
    return made, arguments


def _add_member(cls, name, value, member_type):
    made, arguments = _create(cls, value, member_type)
    made._name_ = name
    made._sort_order_ = len(cls._member_names_)
    made.__objclass__ = cls
    if any("__init__" in base.__dict__ for base in cls.__mro__ if base is not object):
        made.__init__(*arguments)
    value = made._value_
    found = _find(cls, value)
    type.__setattr__(cls, name, made if found is None else found)
    cls._member_map_[name] = made if found is None else found
    if found is not None:
        return
    is_flag = Flag is not None and issubclass(cls, Flag)
    if not is_flag or (isinstance(value, int) and value > 0 and value & (value - 1) == 0):
        cls._member_names_.append(name)
    if is_flag and isinstance(value, int):
        cls._flag_mask_ |= value
        cls._all_bits_ = 2 ** cls._flag_mask_.bit_length() - 1
        if value > 0 and value & (value - 1) == 0:
            cls._singles_mask_ |= value
    try:
        cls._value2member_map_[value] = made
    except TypeError:
        cls._unhashable_values_.append(made)


def _find(cls, value):
    try:
        return cls._value2member_map_.get(value)
    except TypeError:
        for candidate in cls._unhashable_values_:
            if candidate._value_ == value:
                return candidate
    return None


def _look_up(cls, value):
    if type(value) is cls:
        return value
    found = _find(cls, value)
    if found is not None:
        return found
    refusal = None
    result = None
    try:
        result = cls._missing_(value)
    except Exception as error:
        refusal = error
    if isinstance(result, cls):
        return result
    if result is not None and cls._boundary_ is EJECT and isinstance(result, int):
        return result
    invalid = ValueError(f"{value!r} is not a valid {cls.__qualname__}")
    if result is None and refusal is None:
        raise invalid
    if refusal is None:
        refusal = TypeError(
            f"error in {cls.__name__}._missing_: returned {result!r} "
            "instead of None or a valid member"
        )
    if not isinstance(refusal, ValueError):
        refusal.__context__ = invalid
    raise refusal


def _functional(cls, class_name, names, mixin, start, boundary):
    metacls = type(cls)
    bases = (cls,) if mixin is None else (mixin, cls)
    namespace = metacls.__prepare__(class_name, bases)
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    if isinstance(names, dict):
        names = list(names.items())
    elif isinstance(names, (tuple, list)) and names and isinstance(names[0], str):
        values = []
        pairs = []
        for index, name in enumerate(names):
            value = cls._generate_next_value_(name, start, index, values[:])
            values.append(value)
            pairs.append((name, value))
        names = pairs
    for name, value in names:
        namespace[name] = value
    namespace["__module__"] = "__main__"
    return metacls.__new__(metacls, class_name, bases, namespace, boundary=boundary)


def _refuse_to_set(name):
    def setter(self, value):
        raise AttributeError(f"<enum 'Enum'> cannot set attribute {name!r}")

    return setter


class Enum(metaclass=EnumType):
    def _generate_next_value_(name, start, count, last_values):
        try:
            return max(last_values) + 1 if last_values else start
        except TypeError:
            pass
        for last in reversed(last_values):
            try:
                return last + 1
            except TypeError:
                pass
        return start

    @classmethod
    def _missing_(cls, value):
        return None

    name = _builtin_property(lambda self: self._name_, _refuse_to_set("name"))
    value = _builtin_property(lambda self: self._value_, _refuse_to_set("value"))

    def __repr__(self):
        return f"<{self.__class__.__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{self.__class__.__name__}.{self._name_}"

    def __format__(self, format_spec):
        return str.__format__(str(self), format_spec)

    def __hash__(self):
        return hash(self._name_)

    def __dir__(self):
        return sorted(["__class__", "__doc__", "__eq__", "__hash__", "__module__", "name", "value"])

    def __reduce_ex__(self, protocol):
        return self.__class__, (self._value_,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class ReprEnum(Enum):
    """The base of enumerations whose members print as their data type does."""


class IntEnum(int, ReprEnum):
    pass


class StrEnum(str, ReprEnum):
    def __new__(cls, *values):
        if len(values) > 3:
            raise TypeError(f"too many arguments for str(): {values!r}")
        if len(values) == 1 and not isinstance(values[0], str):
            raise TypeError(f"{values[0]!r} is not a string")
        value = str(*values)
        made = str.__new__(cls, value)
        made._value_ = value
        return made

    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


class FlagBoundary(StrEnum):
    STRICT = auto()
    CONFORM = auto()
    EJECT = auto()
    KEEP = auto()


STRICT, CONFORM, EJECT, KEEP = FlagBoundary


from _enum_flags import EnumCheck, Flag, IntFlag, global_enum, unique, verify

CONTINUOUS, NAMED_FLAGS, UNIQUE = EnumCheck
