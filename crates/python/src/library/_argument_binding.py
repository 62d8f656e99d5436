"""Binds `*args, **kwargs` to declared parameters as a call of a written-out `def` would.

Used by generated constructors (namedtuple, dataclass), which have no written signature here.
Turns arguments into a dict of the supplied values, or raises TypeError with the
interpreter's own wording. `self` counts as one positional parameter.
"""


def bind(function, names, optional, keyword_only, optional_keywords, args, kwargs):
    """`optional` counts the trailing names with defaults; `optional_keywords` is a container."""
    bound = dict(zip(names, args))
    for key, value in kwargs.items():
        if key in bound and key in names:
            raise TypeError(f"{function}() got multiple values for argument {key!r}")
        if key not in names and key not in keyword_only:
            raise TypeError(f"{function}() got an unexpected keyword argument {key!r}")
        bound[key] = value
    if len(args) > len(names):
        _refuse_surplus(function, len(names) + 1, optional, keyword_only, args, kwargs)
    required = names[: len(names) - optional]
    missing = [name for name in required if name not in bound]
    if missing:
        _refuse_missing(function, "positional", missing)
    missing = [
        name for name in keyword_only if name not in bound and name not in optional_keywords
    ]
    if missing:
        _refuse_missing(function, "keyword-only", missing)
    return bound


def _refuse_surplus(function, declared, optional, keyword_only, args, kwargs):
    given = len(args) + 1
    if optional:
        expected = f"from {declared - optional} to {declared} positional arguments"
    else:
        expected = f"{declared} positional argument" + ("" if declared == 1 else "s")
    surplus_keywords = sum(1 for name in keyword_only if name in kwargs)
    note = ""
    if surplus_keywords:
        note = (
            f" positional argument{'s' if given != 1 else ''} (and {surplus_keywords} "
            f"keyword-only argument{'s' if surplus_keywords != 1 else ''})"
        )
    verb = "was" if given == 1 and not surplus_keywords else "were"
    raise TypeError(f"{function}() takes {expected} but {given}{note} {verb} given")


def _refuse_missing(function, kind, missing):
    quoted = [repr(name) for name in missing]
    if len(quoted) == 1:
        listing = quoted[0]
    elif len(quoted) == 2:
        listing = " and ".join(quoted)
    else:
        listing = ", ".join(quoted[:-1]) + ", and " + quoted[-1]
    plural = "s" if len(quoted) > 1 else ""
    raise TypeError(
        f"{function}() missing {len(quoted)} required {kind} argument{plural}: {listing}"
    )
