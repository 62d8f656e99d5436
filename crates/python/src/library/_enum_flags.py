"""Flag and IntFlag, whose members combine bit by bit, and the checks of whole enumerations.

A part of `enum`, imported by it when its basic classes exist. A combination without a name of
its own is made on first use and remembered, so that equal flags are the same object.
"""

from enum import EJECT, CONFORM, KEEP, STRICT, Enum, ReprEnum, StrEnum, auto


def _in_bits(number, width):
    """Signed binary with the sign bit apart, as in `0b0 0101`."""
    digits = format(number if number >= 0 else number + (1 << number.bit_length()), "b")
    if number in (0, -1):
        digits = ""
    elif number < 0:
        digits = digits.rjust(number.bit_length(), "0")
    sign = "0" if number >= 0 else "1"
    return f"0b{sign} {digits.rjust(width, sign)}"


class Flag(Enum, boundary=STRICT):
    __module__ = "enum"

    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return 1 if start is None else start
        last = max(last_values)
        try:
            return 2 ** last.bit_length()
        except Exception:
            raise TypeError(f"invalid flag value {last!r}") from None

    @classmethod
    def _iter_member_(cls, value):
        # In the order of definition, which for most is that of the bits.
        for name in cls._member_names_:
            member = cls._member_map_[name]
            if member._value_ & value:
                yield member

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
        mask = cls._flag_mask_
        bits = cls._all_bits_
        boundary = cls._boundary_
        if not ~bits <= value <= bits or value & (bits ^ mask):
            if boundary is STRICT:
                width = max(value.bit_length(), mask.bit_length())
                raise ValueError(
                    f"{cls!r} invalid value {value!r}\n    given {_in_bits(value, width)}"
                    f"\n  allowed {_in_bits(mask, width)}"
                )
            if boundary is CONFORM:
                value &= mask
            elif boundary is EJECT:
                return value
            elif value < 0:
                value += max(bits + 1, 2 ** value.bit_length())
        if value < 0:
            value += bits + 1
        if value in cls._value2member_map_:
            return cls._value2member_map_[value]
        return cls._combination(value)

    @classmethod
    def _combination(cls, value):
        data_type = cls._member_type_
        if data_type is object:
            made = object.__new__(cls)
        else:
            made = data_type.__new__(cls, value)
        made._value_ = value
        names = [each._name_ for each in cls._iter_member_(value)]
        unknown = value & ~cls._flag_mask_
        if value & cls._flag_mask_ and names:
            if unknown:
                names.append(str(unknown))
            made._name_ = "|".join(names)
        else:
            made._name_ = None
        return cls._value2member_map_.setdefault(value, made)

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError(
                f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} "
                f"and {type(self).__qualname__!r}"
            )
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        return self._iter_member_(self._value_)

    def __len__(self):
        return bin(self._value_).count("1")

    def __repr__(self):
        if self._name_ is None:
            return f"<{self.__class__.__name__}: {self._value_!r}>"
        return f"<{self.__class__.__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        if self._name_ is None:
            return f"{self.__class__.__name__}({self._value_!r})"
        return f"{self.__class__.__name__}.{self._name_}"

    def __bool__(self):
        return bool(self._value_)

    def _operand(self, other):
        if isinstance(other, self.__class__):
            return other._value_
        if self._member_type_ is not object and isinstance(other, self._member_type_):
            return int(other)
        return None

    def __or__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else self.__class__(self._value_ | other)

    def __and__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else self.__class__(self._value_ & other)

    def __xor__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else self.__class__(self._value_ ^ other)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __invert__(self):
        if self._boundary_ in (EJECT, KEEP):
            return self.__class__(~self._value_)
        return self.__class__(self._singles_mask_ & ~self._value_)


# The bit operations of `int` come first in the order of bases, so they are repeated here.
class IntFlag(int, ReprEnum, Flag, boundary=KEEP):
    __module__ = "enum"
    __or__ = __ror__ = Flag.__or__
    __and__ = __rand__ = Flag.__and__
    __xor__ = __rxor__ = Flag.__xor__
    __invert__ = Flag.__invert__
    __bool__ = Flag.__bool__
    __contains__ = Flag.__contains__


class EnumCheck(StrEnum):
    __module__ = "enum"
    CONTINUOUS = auto()
    NAMED_FLAGS = auto()
    UNIQUE = auto()


def unique(enumeration):
    duplicates = [
        f"{name} -> {each.name}"
        for name, each in enumeration.__members__.items()
        if name != each.name
    ]
    if duplicates:
        raise ValueError(f"duplicate values found in {enumeration!r}: {', '.join(duplicates)}")
    return enumeration


def _check_continuous(cls):
    values = {each.value for each in cls}
    if len(values) < 2:
        return
    low, high = min(values), max(values)
    if issubclass(cls, Flag):
        wanted = [2**power for power in range(low.bit_length(), high.bit_length() - 1)]
    else:
        wanted = list(range(low + 1, high))
    missing = [value for value in wanted if value not in values]
    if missing:
        kind = "flag" if issubclass(cls, Flag) else "enum"
        raise ValueError(
            f"invalid {kind} {cls.__name__!r}: missing values {', '.join(map(str, missing))}"
        )


class verify:
    def __init__(self, *checks):
        self.checks = checks

    def __call__(self, enumeration):
        for check in self.checks:
            if check is EnumCheck.UNIQUE:
                duplicates = [
                    f"{name} -> {each.name}"
                    for name, each in enumeration.__members__.items()
                    if name != each.name
                ]
                if duplicates:
                    raise ValueError(
                        f"aliases found in {enumeration!r}: {', '.join(duplicates)}"
                    )
            elif check is EnumCheck.CONTINUOUS:
                _check_continuous(enumeration)
        return enumeration


def global_enum(cls, update_str=False):
    """Members are shown as module constants; they are not added to the module here."""
    cls.__repr__ = lambda self: f"{self.__class__.__module__}.{self._name_}"
    if not issubclass(cls, ReprEnum) or update_str:
        cls.__str__ = lambda self: self._name_
    import sys

    module = sys.modules.get(cls.__module__)
    if module is not None:
        module.__dict__.update(cls._member_map_)
    return cls
