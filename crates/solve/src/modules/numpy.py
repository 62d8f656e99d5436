"""Not numpy. Programs import it out of habit and then calculate without it: that much works; every name in it is refused."""

__all__ = ["everything"]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise ModuleNotFoundError("numpy is not available", name="numpy")
