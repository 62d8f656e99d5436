"""The collector of garbage, which has nothing to do here: memory is freed when nothing refers to it."""


def collect(generation=2):
    """Finds nothing."""
    return 0


def enable():
    """It is always on."""


disable = freeze = unfreeze = enable


def isenabled():
    """Always."""
    return True


def get_count():
    """Nothing is waiting."""
    return (0, 0, 0)
