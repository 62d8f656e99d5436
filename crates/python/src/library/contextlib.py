"""Context managers from generators, stacks of them, and the small ready-made ones.

The asynchronous variants are left out.
"""

import sys
from abc import ABC, abstractmethod
from functools import wraps


class AbstractContextManager(ABC):
    def __enter__(self):
        return self

    @abstractmethod
    def __exit__(self, exc_type, exc_value, traceback):
        return None

    @classmethod
    def __subclasshook__(cls, candidate):
        if cls is AbstractContextManager:
            if hasattr(candidate, "__enter__") and hasattr(candidate, "__exit__"):
                return True
        return NotImplemented


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)

        return inner


class _GeneratorContextManager(ContextDecorator):
    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self._recipe = (func, args, kwds)
        self.__doc__ = getattr(func, "__doc__", None)

    def _recreate_cm(self):
        return self.__class__(*self._recipe)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, typ, value, traceback):
        if typ is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = typ()
        try:
            self.gen.throw(value)
        except StopIteration as stopped:
            return stopped is not value
        except RuntimeError as error:
            if error is value:
                return False
            if isinstance(value, StopIteration) and error.__cause__ is value:
                return False
            raise
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(func):
    @wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)

    return helper


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc_info):
        self.thing.close()


class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *excinfo):
        pass


class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)


class _RedirectStream(AbstractContextManager):
    _stream = None

    def __init__(self, new_target):
        self._new_target = new_target
        self._old_targets = []

    def __enter__(self):
        self._old_targets.append(getattr(sys, self._stream))
        setattr(sys, self._stream, self._new_target)
        return self._new_target

    def __exit__(self, exctype, excinst, exctb):
        setattr(sys, self._stream, self._old_targets.pop())


class redirect_stdout(_RedirectStream):
    _stream = "stdout"


class redirect_stderr(_RedirectStream):
    _stream = "stderr"


class ExitStack(AbstractContextManager):
    def __init__(self):
        self._exits = []

    def pop_all(self):
        other = type(self)()
        other._exits = self._exits
        self._exits = []
        return other

    def push(self, exit):
        method = getattr(type(exit), "__exit__", None)
        if method is None:
            self._exits.append(exit)
        else:
            self._exits.append(lambda *details: method(exit, *details))
        return exit

    def enter_context(self, cm):
        cls = type(cm)
        try:
            enter = cls.__enter__
            leave = cls.__exit__
        except AttributeError:
            raise TypeError(
                f"'{cls.__module__}.{cls.__qualname__}' object does "
                "not support the context manager protocol"
            ) from None
        result = enter(cm)
        self._exits.append(lambda *details: leave(cm, *details))
        return result

    def callback(self, callback, /, *args, **kwds):
        def leave(exc_type, exc, tb):
            callback(*args, **kwds)

        self._exits.append(leave)
        return callback

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, *details):
        pending = details[1]
        received = pending is not None
        raised_inside = False
        while self._exits:
            leave = self._exits.pop()
            try:
                if pending is None:
                    leave(None, None, None)
                elif leave(type(pending), pending, pending.__traceback__):
                    pending = None
                    raised_inside = False
            except BaseException as error:
                if error is not pending and error.__context__ is None:
                    error.__context__ = pending
                pending = error
                raised_inside = True
        if raised_inside:
            raise pending
        return received and pending is None
