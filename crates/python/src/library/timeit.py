"""Timing of callables, and of statements given as text where the interpreter has `exec`."""

import time
import itertools

default_timer = time.perf_counter
default_number = 1000000
default_repeat = 5


def _nothing():
    pass


def _as_callable(statement):
    if callable(statement):
        return statement
    if isinstance(statement, str) and statement == "pass":
        return _nothing
    raise ValueError("stmt is neither a string nor callable")


class Timer:
    def __init__(self, stmt="pass", setup="pass", timer=default_timer, globals=None):
        self.timer = timer
        names = {} if globals is None else globals
        if isinstance(stmt, str) and stmt != "pass":
            self._statement = lambda: exec(stmt, names)
        else:
            self._statement = _as_callable(stmt)
        if isinstance(setup, str) and setup != "pass":
            self._setup = lambda: exec(setup, names)
        else:
            self._setup = _as_callable(setup)

    def timeit(self, number=default_number):
        self._setup()
        statement = self._statement
        started = self.timer()
        for _ in itertools.repeat(None, number):
            statement()
        return self.timer() - started

    def repeat(self, repeat=default_repeat, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback=None):
        scale = 1
        while True:
            for number in (scale, scale * 2, scale * 5):
                taken = self.timeit(number)
                if callback:
                    callback(number, taken)
                if taken >= 0.2:
                    return number, taken
            scale *= 10


def timeit(stmt="pass", setup="pass", timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt="pass", setup="pass", timer=default_timer, repeat=default_repeat,
           number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
