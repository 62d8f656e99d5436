"""Python's own `random` with a fixed seed where it would ask the system for one: the same program, the same numbers."""

import sys
import _python_random as _module

_seed = _module.Random.seed


def seed(self, a=None, version=2):
    """As in Python, but no seed is the seed 0."""
    _seed(self, 0 if a is None else a, version)


_module.Random.seed = seed
_module.SystemRandom = _module.Random
_module._inst.seed()
_module.__name__ = "random"
_module.Random.__module__ = "random"
sys.modules["random"] = _module
