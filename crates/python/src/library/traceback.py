"""Texts of exceptions: the heading and the last line, without the lines of the call stack."""

import sys

_heading = "Traceback (most recent call last):\n"


def _split(exc, value):
    """The exception, from either of the two ways in which these functions are called."""
    if isinstance(exc, BaseException):
        return exc
    return value


def format_exception_only(exc, /, value=None):
    error = _split(exc, value)
    if error is None:
        return ["NoneType: None\n"]
    cls = type(error)
    name = cls.__qualname__
    if cls.__module__ not in ("__main__", "builtins"):
        name = f"{cls.__module__}.{name}"
    try:
        text = str(error)
    except Exception:
        text = "<exception str() failed>"
    lines = [f"{name}: {text}\n" if text else f"{name}\n"]
    return lines + [f"{note}\n" for note in getattr(error, "__notes__", ())]


def format_exception(exc, /, value=None, tb=None, limit=None, chain=True):
    error = _split(exc, value)
    lines = []
    if error is not None and chain:
        if error.__cause__ is not None:
            lines = format_exception(error.__cause__) + [
                "\nThe above exception was the direct cause of the following exception:\n\n"
            ]
        elif error.__context__ is not None and not error.__suppress_context__:
            lines = format_exception(error.__context__) + [
                "\nDuring handling of the above exception, another exception occurred:\n\n"
            ]
    if error is not None and error.__traceback__ is not None:
        lines.append(_heading)
    return lines + format_exception_only(error)


def format_exc(limit=None, chain=True):
    return "".join(format_exception(sys.exc_info()[1], chain=chain))


def print_exc(limit=None, file=None, chain=True):
    print(format_exc(limit, chain), file=file or sys.stderr, end="")


def print_exception(exc, /, value=None, tb=None, limit=None, file=None, chain=True):
    lines = format_exception(exc, value, tb, limit, chain)
    print("".join(lines), file=file or sys.stderr, end="")


def format_tb(tb, limit=None):
    return []


def extract_tb(tb, limit=None):
    return []


def format_stack(f=None, limit=None):
    return []


def extract_stack(f=None, limit=None):
    return []


def print_tb(tb, limit=None, file=None):
    pass


def print_stack(f=None, limit=None, file=None):
    pass


class TracebackException:
    def __init__(self, exc_type, exc_value=None, exc_traceback=None, **options):
        self.exc_type = exc_type
        self._error = exc_value
        self.stack = []

    @classmethod
    def from_exception(cls, exc, **options):
        return cls(type(exc), exc, exc.__traceback__)

    def format(self, *, chain=True):
        yield from format_exception(self._error, chain=chain)

    def format_exception_only(self):
        yield from format_exception_only(self._error)

    def __str__(self):
        return str(self._error)
